/* optical_flow: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/optical_flow.h"

#include "image/brightness.h"
#include "image/frame_mix.h"
#include "kg-base.h"
#include "kg-kernel.h"
#include "kg-math.h"

/* Images are halved until a side is that short. */
#define SMALLEST 12
#define MAX_LEVELS 12
/* Pixels that a vector is long, at most. */
#define MAX_LENGTH 4096.0

/* Pixels of a tile of the solver, and the steps that are made in it before its neighbours are asked again: with a border
 * that wide, which shrinks by a pixel a step, a tile and its coefficients stay in the cache of a core. */
#define TILE_WIDTH 240
#define TILE_HEIGHT 48
#define STEPS 8
/* A row of the tile with its border, and a pixel more at either side for the edge of the image. */
#define STRIDE (TILE_WIDTH + 2 * STEPS + 2)
#define ROWS (TILE_HEIGHT + 2 * STEPS)

typedef struct {
  Brightness a, b;
} Level;

/* The flow of a level: to the right, and down. */
typedef struct {
  float *u, *v;
} Flow;

static Flow
flow_new (const Level *level)
{
  const size_t n = (size_t) level->a.width * (size_t) level->a.height;

  return (Flow){ g_new0 (float, n), g_new0 (float, n) };
}

static void
flow_clear (Flow *flow)
{
  g_clear_pointer (&flow->u, g_free);
  g_clear_pointer (&flow->v, g_free);
}

/* For each pixel the linearised equation x u + y v + rest = 0, divided by the root of α² + |gradient|². */
typedef struct {
  float *x, *y, *rest;
} Equations;

/* A step of Jacobi's method for the pixels of a row, which have neighbours at both sides. */
static KG_KERNEL void
relax_row (const float *restrict x, const float *restrict y, const float *restrict rest, const Flow *up,
           const Flow *mid, const Flow *down, const Flow *next, int n)
{
  const float *restrict uu = up->u, *restrict um = mid->u, *restrict ud = down->u;
  const float *restrict vu = up->v, *restrict vm = mid->v, *restrict vd = down->v;
  float *restrict nu = next->u, *restrict nv = next->v;

#pragma omp simd
  for (int i = 0; i < n; i++) {
    const float mean_u = (uu[i] + ud[i] + um[i - 1] + um[i + 1]) * (1 / 6.0f) +
                         (uu[i - 1] + uu[i + 1] + ud[i - 1] + ud[i + 1]) * (1 / 12.0f);
    const float mean_v = (vu[i] + vd[i] + vm[i - 1] + vm[i + 1]) * (1 / 6.0f) +
                         (vu[i - 1] + vu[i + 1] + vd[i - 1] + vd[i + 1]) * (1 / 12.0f);
    const float residual = x[i] * mean_u + y[i] * mean_v + rest[i];

    nu[i] = mean_u - x[i] * residual;
    nv[i] = mean_v - y[i] * residual;
  }
}

/* Bilinear samples of the second image at a place and a pixel to each side of it: right, left, down, up.  The five have
 * the same parts of a pixel, and twelve pixels among them. */
static inline float
sample_around (const Brightness *b, float x, float y, float around[4])
{
  const float fx = floorf (x), fy = floorf (y), u = x - fx, v = y - fy;
  const int i = (int) fx, j = (int) fy;
  const float a00 = (1 - u) * (1 - v), a01 = u * (1 - v), a10 = (1 - u) * v, a11 = u * v;

  if (i >= 1 && j >= 1 && i + 2 < b->width && j + 2 < b->height) {
    const size_t width = (size_t) b->width;
    const float *p = b->a + (size_t) j * width + (size_t) i, *up = p - width, *q = p + width, *down = q + width;

    around[0] = a00 * p[1] + a01 * p[2] + a10 * q[1] + a11 * q[2];
    around[1] = a00 * p[-1] + a01 * p[0] + a10 * q[-1] + a11 * q[0];
    around[2] = a00 * q[0] + a01 * q[1] + a10 * down[0] + a11 * down[1];
    around[3] = a00 * up[0] + a01 * up[1] + a10 * p[0] + a11 * p[1];
    return a00 * p[0] + a01 * p[1] + a10 * q[0] + a11 * q[1];
  }
  around[0] = brightness_sample (b, x + 1, y);
  around[1] = brightness_sample (b, x - 1, y);
  around[2] = brightness_sample (b, x, y + 1);
  around[3] = brightness_sample (b, x, y - 1);
  return brightness_sample (b, x, y);
}

/* Gradients of the second image where the flow leads, and what is left of the difference for a flow of zero. */
static void
linearise (const Level *level, const Flow *flow, float alpha2, const Equations *equations)
{
  const int width = level->a.width, height = level->a.height;

#pragma omp parallel for schedule(dynamic, 16)
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const size_t at = (size_t) y * (size_t) width + (size_t) x;
      const float u = flow->u[at], v = flow->v[at], px = (float) x + u, py = (float) y + v;
      float there, around[4], gx, gy, scale;

      if (px < 0 || py < 0 || px > (float) (width - 1) || py > (float) (height - 1)) {
        equations->x[at] = equations->y[at] = equations->rest[at] = 0;
        continue;
      }
      there = sample_around (&level->b, px, py, around);
      /* Of both images: the mean is symmetric in them. */
      gx = 0.25f *
           (around[0] - around[1] + brightness_get (&level->a, x + 1, y) - brightness_get (&level->a, x - 1, y));
      gy = 0.25f *
           (around[2] - around[3] + brightness_get (&level->a, x, y + 1) - brightness_get (&level->a, x, y - 1));
      scale = 1 / sqrtf (alpha2 + gx * gx + gy * gy);
      equations->x[at] = scale * gx;
      equations->y[at] = scale * gy;
      equations->rest[at] = scale * (there - level->a.a[at] - u * gx - v * gy);
    }
}

/* Rows and columns of the image: those of the tile, and those copied with it. */
typedef struct {
  int x0, x1, y0, y1;
} Extent;

static Extent
extent_grow (const Extent *e, int by, int width, int height)
{
  return (Extent){ MAX (e->x0 - by, 0), MIN (e->x1 + by, width), MAX (e->y0 - by, 0), MIN (e->y1 + by, height) };
}

/* Pixel (x, y) of the image in a buffer that begins with the pixel before column e->x0 of row e->y0. */
static inline Flow
flow_at (const Flow *buffer, const Extent *e, int x, int y)
{
  const size_t at = (size_t) (y - e->y0) * STRIDE + (size_t) (x - e->x0 + 1);

  return (Flow){ buffer->u + at, buffer->v + at };
}

/* Beyond the edges the flow goes on as it is there. */
static void
extend_edges (const Flow *buffer, const Extent *e, int width)
{
  for (int y = e->y0; y < e->y1; y++) {
    const Flow row = flow_at (buffer, e, e->x0, y);
    const int n = e->x1 - e->x0;

    if (e->x0 == 0) {
      row.u[-1] = row.u[0];
      row.v[-1] = row.v[0];
    }
    if (e->x1 == width) {
      row.u[n] = row.u[n - 1];
      row.v[n] = row.v[n - 1];
    }
  }
}

/* So many steps for a tile: the same numbers as steps for the whole image. */
static void
relax_tile (const Equations *equations, int width, int height, const Extent *tile, int steps, const Flow *from,
            const Flow *to, Flow buffers[2])
{
  const Extent e = extent_grow (tile, steps, width, height);

  for (int y = e.y0; y < e.y1; y++) {
    const Flow row = flow_at (&buffers[0], &e, e.x0, y);
    const size_t at = (size_t) y * (size_t) width + (size_t) e.x0, bytes = (size_t) (e.x1 - e.x0) * sizeof (float);

    memcpy (row.u, from->u + at, bytes);
    memcpy (row.v, from->v + at, bytes);
  }
  for (int k = 1; k <= steps; k++) {
    const Flow *now = &buffers[(k - 1) % 2], *next = &buffers[k % 2];
    const Extent part = extent_grow (tile, steps - k, width, height);

    extend_edges (now, &e, width);
    for (int y = part.y0; y < part.y1; y++) {
      const size_t at = (size_t) y * (size_t) width + (size_t) part.x0;
      const Flow up = flow_at (now, &e, part.x0, MAX (y - 1, 0)), mid = flow_at (now, &e, part.x0, y),
                 down = flow_at (now, &e, part.x0, MIN (y + 1, height - 1)), row = flow_at (next, &e, part.x0, y);

      relax_row (equations->x + at, equations->y + at, equations->rest + at, &up, &mid, &down, &row, part.x1 - part.x0);
    }
  }
  for (int y = tile->y0; y < tile->y1; y++) {
    const Flow row = flow_at (&buffers[steps % 2], &e, tile->x0, y);
    const size_t at = (size_t) y * (size_t) width + (size_t) tile->x0,
                 bytes = (size_t) (tile->x1 - tile->x0) * sizeof (float);

    memcpy (to->u + at, row.u, bytes);
    memcpy (to->v + at, row.v, bytes);
  }
}

static void
relax (const Equations *equations, int width, int height, int steps, const Flow *from, const Flow *to,
       const KgProgressMonitor *monitor)
{
  const int columns = (width + TILE_WIDTH - 1) / TILE_WIDTH, rows = (height + TILE_HEIGHT - 1) / TILE_HEIGHT;

#pragma omp parallel if (width * height >= KG_PARALLEL_FROM)
  {
    g_autofree float *room = g_new0 (float, 4 * STRIDE * ROWS);
    Flow buffers[2] = { { room, room + STRIDE * ROWS }, { room + 2 * STRIDE * ROWS, room + 3 * STRIDE * ROWS } };

#pragma omp for schedule(dynamic, 1)
    for (int k = 0; k < columns * rows; k++) {
      const int x = k % columns * TILE_WIDTH, y = k / columns * TILE_HEIGHT;
      const Extent tile = { x, MIN (x + TILE_WIDTH, width), y, MIN (y + TILE_HEIGHT, height) };

      if (!kg_progress_is_cancelled (monitor))
        relax_tile (equations, width, height, &tile, steps, from, to, buffers);
    }
  }
}

static bool
solve (const Level *level, const OpticalFlowStyle *style, Flow *flow, const KgProgressMonitor *monitor)
{
  const size_t n = (size_t) level->a.width * (size_t) level->a.height;
  g_autofree float *x = g_new (float, n), *y = g_new (float, n), *rest = g_new (float, n);
  const Equations equations = { x, y, rest };
  Flow next = { g_new (float, n), g_new (float, n) };

  for (int warp = 0; warp < style->warps && !kg_progress_is_cancelled (monitor); warp++) {
    linearise (level, flow, (float) (style->smoothness * style->smoothness), &equations);
    for (int k = 0; k < style->iterations && !kg_progress_is_cancelled (monitor); k += STEPS) {
      const Flow swap = *flow;

      relax (&equations, level->a.width, level->a.height, MIN (STEPS, style->iterations - k), flow, &next, monitor);
      *flow = next;
      next = swap;
    }
  }
  flow_clear (&next);
  return !kg_progress_is_cancelled (monitor);
}

/* The flow of a level, as start for the one twice as large. */
static Flow
enlarge (const Flow *flow, const Level *small, const Level *large)
{
  const int width = small->a.width, height = small->a.height;
  Flow to = flow_new (large);

#pragma omp parallel for schedule(dynamic, 16)
  for (int y = 0; y < large->a.height; y++) {
    const float fy = ((float) y + 0.5f) * 0.5f - 0.5f, gy = floorf (fy), v = fy - gy;
    const size_t above = (size_t) CLAMP ((int) gy, 0, height - 1) * (size_t) width,
                 below = (size_t) CLAMP ((int) gy + 1, 0, height - 1) * (size_t) width;

    for (int x = 0; x < large->a.width; x++) {
      const float fx = ((float) x + 0.5f) * 0.5f - 0.5f, gx = floorf (fx), u = fx - gx;
      const size_t l = (size_t) CLAMP ((int) gx, 0, width - 1), r = (size_t) CLAMP ((int) gx + 1, 0, width - 1);
      const size_t at = (size_t) y * (size_t) large->a.width + (size_t) x;
      const float *p = flow->u, *q = flow->v;

      to.u[at] =
          2 * ((1 - v) * ((1 - u) * p[above + l] + u * p[above + r]) + v * ((1 - u) * p[below + l] + u * p[below + r]));
      to.v[at] =
          2 * ((1 - v) * ((1 - u) * q[above + l] + u * q[above + r]) + v * ((1 - u) * q[below + l] + u * q[below + r]));
    }
  }
  return to;
}

typedef struct {
  Level levels[MAX_LEVELS];
  int n;
} Pyramid;

static void
pyramid_clear (Pyramid *pyramid)
{
  for (int i = 0; i < pyramid->n; i++) {
    brightness_clear (&pyramid->levels[i].a);
    brightness_clear (&pyramid->levels[i].b);
  }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pyramid, pyramid_clear)

static bool
pyramid_read (Pyramid *pyramid, const KgImage *from, const KgImage *to, GError **error)
{
  const int width = kg_image_get_width (from), height = kg_image_get_height (from);

  pyramid->n = 1;
  if (!brightness_read (from, width, height, &pyramid->levels[0].a, error) ||
      !brightness_read (to, width, height, &pyramid->levels[0].b, error))
    return false;
  for (; pyramid->n < MAX_LEVELS; pyramid->n++) {
    const Level *last = &pyramid->levels[pyramid->n - 1];

    if (MIN (last->a.width, last->a.height) < 2 * SMALLEST)
      break;
    pyramid->levels[pyramid->n] = (Level){ .a = brightness_halve (&last->a), .b = brightness_halve (&last->b) };
  }
  return true;
}

/* done: the share of all work before this flow, and the share that it is. */
static float *
find (const Pyramid *pyramid, bool backward, const OpticalFlowStyle *style, double done, double share,
      const KgProgressMonitor *monitor)
{
  Flow flow = flow_new (&pyramid->levels[pyramid->n - 1]);
  const size_t n = (size_t) pyramid->levels[0].a.width * (size_t) pyramid->levels[0].a.height;
  bool good = true;
  float *pairs = NULL;

  for (int i = pyramid->n - 1; i >= 0 && good; i--) {
    Level level = pyramid->levels[i];

    if (backward)
      level = (Level){ level.b, level.a };
    if (i < pyramid->n - 1) {
      Flow larger = enlarge (&flow, &pyramid->levels[i + 1], &level);

      flow_clear (&flow);
      flow = larger;
    }
    good = solve (&level, style, &flow, monitor);
    kg_progress_report (monitor, done + share * pow (0.25, i));
  }
  if (good) {
    pairs = g_new (float, 2 * n);
    for (size_t i = 0; i < n; i++) {
      pairs[2 * i] = flow.u[i];
      pairs[2 * i + 1] = flow.v[i];
    }
  }
  flow_clear (&flow);
  return pairs;
}

float *
optical_flow_find (const KgImage *from, const KgImage *to, const OpticalFlowStyle *style,
                   const KgProgressMonitor *monitor, GError **error)
{
  g_auto (Pyramid) pyramid = { 0 };

  return pyramid_read (&pyramid, from, to, error) ? find (&pyramid, false, style, 0, 1, monitor) : NULL;
}

bool
optical_flow_find_both (const KgImage *from, const KgImage *to, const OpticalFlowStyle *style, float **forward,
                        float **backward, const KgProgressMonitor *monitor, GError **error)
{
  g_auto (Pyramid) pyramid = { 0 };

  *forward = *backward = NULL;
  if (!pyramid_read (&pyramid, from, to, error))
    return false;
  *forward = find (&pyramid, false, style, 0, 0.5, monitor);
  if (*forward != NULL)
    *backward = find (&pyramid, true, style, 0.5, 0.5, monitor);
  if (*backward == NULL)
    g_clear_pointer (forward, g_free);
  return *backward != NULL;
}

bool
optical_flow_interpolate (const KgImage *from, const KgImage *to, const float *forward, const float *backward, double t,
                          KgImage *out, const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (out), height = kg_image_get_height (out);
  float *pixels = kg_image_edit_pixels (out);

#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; y++) {
    if (kg_progress_is_cancelled (monitor))
      continue;
    for (int x = 0; x < width; x++) {
      const size_t at = (size_t) y * (size_t) width + (size_t) x;
      const float *f = forward + 2 * at, *b = backward + 2 * at;
      double first[2], second[2];
      float p[4], q[4];

      /* From here to either frame, were the flows at this place those of the frame between. */
      for (int c = 0; c < 2; c++) {
        first[c] = -(1 - t) * t * (double) f[c] + t * t * (double) b[c];
        second[c] = (1 - t) * (1 - t) * (double) f[c] - t * (1 - t) * (double) b[c];
      }
      kg_image_sample (from, x + 0.5 + first[0], y + 0.5 + first[1], p);
      kg_image_sample (to, x + 0.5 + second[0], y + 0.5 + second[1], q);
      for (int c = 0; c < 4; c++)
        pixels[4 * at + (size_t) c] = (float) ((1 - t) * (double) p[c] + t * (double) q[c]);
    }
  }
  return !kg_progress_is_cancelled (monitor);
}

/* Adds a pixel's light to the rows of one band, along its line. */
typedef struct {
  int width, first, end; /* rows of the band */
  double *sum;           /* 5 a pixel: components and weight */
} Band;

static void
splat (const Band *band, double x, double y, double weight, const float *p)
{
  const double fx = floor (x), fy = floor (y);

  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 2; i++) {
      const int column = (int) fx + i, row = (int) fy + j;
      const double w = weight * (i == 0 ? 1 - (x - fx) : x - fx) * (j == 0 ? 1 - (y - fy) : y - fy);
      double *to;

      if (w == 0 || column < 0 || column >= band->width || row < band->first || row >= band->end)
        continue;
      to = band->sum + 5 * ((size_t) (row - band->first) * (size_t) band->width + (size_t) column);
      for (int c = 0; c < 4; c++)
        to[c] += w * (double) p[c];
      to[4] += w;
    }
}

typedef struct {
  double shutter, phase;
  int samples;
  bool opaque;
} BlurStyle;

static void
spread_row (const Band *band, const KgImage *image, const KgImage *vectors, const BlurStyle *style, int y)
{
  const int width = band->width, height = kg_image_get_height (image);
  const float *row = kg_image_get_pixels (image) + 4 * (size_t) y * (size_t) width;
  int first, end;
  const float *moves = frame_mix_get_row (vectors, width, height, y, &first, &end);

  for (int x = 0; x < width; x++) {
    const bool has = moves != NULL && x >= first && x < end;
    const double u = has ? kg_clamp ((double) moves[4 * x], -MAX_LENGTH, MAX_LENGTH) : 0;
    const double v = has ? -kg_clamp ((double) moves[4 * x + 1], -MAX_LENGTH, MAX_LENGTH) : 0;
    const double length = hypot (u, v) * style->shutter;
    /* Half a pixel apart, or as many as are allowed. */
    const int n = (int) kg_clamp (ceil (2 * length), 1, style->samples);
    const double low = fmin (v * style->phase, v * (style->phase + style->shutter));
    const double high = fmax (v * style->phase, v * (style->phase + style->shutter));

    if (y + high < band->first - 1 || y + low > band->end)
      continue;
    for (int k = 0; k < n; k++) {
      const double at = style->phase + style->shutter * (k + 0.5) / n;

      splat (band, x + u * at, y + v * at, 1.0 / n, row + 4 * x);
    }
  }
}

/* How far a row may send its light up or down. */
static double
find_reach (const KgImage *vectors, const BlurStyle *style)
{
  const size_t n = (size_t) kg_image_get_width (vectors) * (size_t) kg_image_get_height (vectors);
  const float *p = kg_image_get_pixels (vectors);
  double most = 0;

  for (size_t i = 0; i < n; i++)
    most = fmax (most, fmin (fabs ((double) p[4 * i + 1]), MAX_LENGTH));
  return most * fmax (fabs (style->phase), fabs (style->phase + style->shutter)) + 2;
}

bool
optical_flow_blur (const KgImage *image, const KgImage *vectors, double shutter, double phase, int samples,
                   KgImage *out, const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (out), height = kg_image_get_height (out), rows = 32;
  const int n_bands = (height + rows - 1) / rows;
  float *pixels = kg_image_edit_pixels (out);
  BlurStyle style = { .shutter = shutter, .phase = phase, .samples = samples, .opaque = true };
  double reach;

  for (size_t i = 0; i < (size_t) width * (size_t) height && style.opaque; i++)
    style.opaque = kg_image_get_pixels (image)[4 * i + 3] == 1;
  reach = find_reach (vectors, &style);
  /* Each band gathers from all rows that reach it, in order: the same sums for any number of threads. */
#pragma omp parallel for schedule(dynamic, 1)
  for (int k = 0; k < n_bands; k++) {
    const int first = k * rows, end = MIN (first + rows, height);
    g_autofree double *sum = g_new0 (double, 5 * (size_t) width * (size_t) (end - first));
    const Band band = { .width = width, .first = first, .end = end, .sum = sum };

    for (int y = (int) fmax (0, first - reach); y < (int) fmin (height, end + reach); y++)
      if (!kg_progress_is_cancelled (monitor))
        spread_row (&band, image, vectors, &style, y);
    for (size_t i = 0; i < (size_t) width * (size_t) (end - first); i++) {
      const double *s = sum + 5 * i;
      float *to = pixels + 4 * ((size_t) first * (size_t) width + i);
      const double scale = style.opaque ? (s[4] > 0 ? 1 / s[4] : 0) : s[3] > 1 ? 1 / s[3] : 1;

      for (int c = 0; c < 4; c++)
        to[c] = (float) (s[c] * scale);
    }
  }
  return !kg_progress_is_cancelled (monitor);
}

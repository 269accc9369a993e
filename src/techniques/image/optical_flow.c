/* optical_flow: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/optical_flow.h"

#include "image/brightness.h"
#include "image/frame_mix.h"
#include "kg-base.h"
#include "kg-kernel.h"
#include "kg-math.h"

/* Pictures are halved until a side is that short. */
#define SMALLEST 12
#define MAX_LEVELS 12
/* Pixels that a vector is long, at most. */
#define MAX_LENGTH 4096.0

typedef struct {
  Brightness a, b;
} Level;

/* Jacobi's method for the linearised equations at one warp; ping-pong between two flows of u, v pairs. */
static KG_KERNEL void
relax_row (const float *restrict ix, const float *restrict iy, const float *restrict rest, float alpha2, int width,
           int height, int y, const float *restrict flow, float *restrict next)
{
  const size_t row = (size_t) y * (size_t) width;
  const float *up = flow + 2 * (size_t) MAX (y - 1, 0) * (size_t) width,
              *down = flow + 2 * (size_t) MIN (y + 1, height - 1) * (size_t) width, *mid = flow + 2 * row;

  for (int x = 0; x < width; x++) {
    const int l = MAX (x - 1, 0), r = MIN (x + 1, width - 1);
    const float gx = ix[row + (size_t) x], gy = iy[row + (size_t) x];
    float mean[2], residual;

    for (int c = 0; c < 2; c++)
      mean[c] = (up[2 * x + c] + down[2 * x + c] + mid[2 * l + c] + mid[2 * r + c]) * (1 / 6.0f) +
                (up[2 * l + c] + up[2 * r + c] + down[2 * l + c] + down[2 * r + c]) * (1 / 12.0f);
    residual = (gx * mean[0] + gy * mean[1] + rest[row + (size_t) x]) / (alpha2 + gx * gx + gy * gy);
    next[2 * (row + (size_t) x)] = mean[0] - gx * residual;
    next[2 * (row + (size_t) x) + 1] = mean[1] - gy * residual;
  }
}

/* Gradients of the second picture where the flow leads, and what is left of the difference for a flow of zero. */
static void
linearise (const Level *level, const float *flow, float *ix, float *iy, float *rest)
{
  const int width = level->a.width, height = level->a.height;

#pragma omp parallel for schedule(dynamic, 16)
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const size_t at = (size_t) y * (size_t) width + (size_t) x;
      const float u = flow[2 * at], v = flow[2 * at + 1], px = (float) x + u, py = (float) y + v;

      if (px < 0 || py < 0 || px > (float) (width - 1) || py > (float) (height - 1)) {
        ix[at] = iy[at] = rest[at] = 0;
        continue;
      }
      /* Of both pictures: the mean is symmetric in them. */
      ix[at] = 0.25f * (brightness_sample (&level->b, px + 1, py) - brightness_sample (&level->b, px - 1, py) +
                        brightness_get (&level->a, x + 1, y) - brightness_get (&level->a, x - 1, y));
      iy[at] = 0.25f * (brightness_sample (&level->b, px, py + 1) - brightness_sample (&level->b, px, py - 1) +
                        brightness_get (&level->a, x, y + 1) - brightness_get (&level->a, x, y - 1));
      rest[at] = brightness_sample (&level->b, px, py) - level->a.a[at] - u * ix[at] - v * iy[at];
    }
}

static bool
solve (const Level *level, const OpticalFlowStyle *style, float **flow, const KgProgressMonitor *monitor)
{
  const size_t n = (size_t) level->a.width * (size_t) level->a.height;
  const float alpha2 = (float) (style->smoothness * style->smoothness);
  g_autofree float *ix = g_new (float, n), *iy = g_new (float, n), *rest = g_new (float, n);
  float *next = g_new (float, 2 * n);

  for (int warp = 0; warp < style->warps; warp++) {
    linearise (level, *flow, ix, iy, rest);
    for (int k = 0; k < style->iterations && !kg_progress_is_cancelled (monitor); k++) {
      float *swap = *flow;

#pragma omp parallel for schedule(static) if (n >= KG_PARALLEL_FROM)
      for (int y = 0; y < level->a.height; y++)
        relax_row (ix, iy, rest, alpha2, level->a.width, level->a.height, y, *flow, next);
      *flow = next;
      next = swap;
    }
  }
  g_free (next);
  return !kg_progress_is_cancelled (monitor);
}

/* The flow of a level, as start for the one twice as large. */
static float *
enlarge (const float *flow, const Level *small, const Level *large)
{
  float *to = g_new (float, 2 * (size_t) large->a.width * (size_t) large->a.height);

#pragma omp parallel for schedule(dynamic, 16)
  for (int y = 0; y < large->a.height; y++)
    for (int x = 0; x < large->a.width; x++) {
      const float fx = ((float) x + 0.5f) * 0.5f - 0.5f, fy = ((float) y + 0.5f) * 0.5f - 0.5f;
      const float gx = floorf (fx), gy = floorf (fy), u = fx - gx, v = fy - gy;

      for (int c = 0; c < 2; c++) {
        float corner[4];

        for (int k = 0; k < 4; k++) {
          const int i = CLAMP ((int) gx + k % 2, 0, small->a.width - 1),
                    j = CLAMP ((int) gy + k / 2, 0, small->a.height - 1);

          corner[k] = flow[2 * ((size_t) j * (size_t) small->a.width + (size_t) i) + (size_t) c];
        }
        to[2 * ((size_t) y * (size_t) large->a.width + (size_t) x) + (size_t) c] =
            2 * ((1 - v) * ((1 - u) * corner[0] + u * corner[1]) + v * ((1 - u) * corner[2] + u * corner[3]));
      }
    }
  return to;
}

static void
free_levels (Level *levels, int n)
{
  for (int i = 0; i < n; i++) {
    brightness_clear (&levels[i].a);
    brightness_clear (&levels[i].b);
  }
}

float *
optical_flow_find (const KgImage *from, const KgImage *to, const OpticalFlowStyle *style,
                   const KgProgressMonitor *monitor, GError **error)
{
  const int width = kg_image_get_width (from), height = kg_image_get_height (from);
  Level levels[MAX_LEVELS] = { 0 };
  int n_levels = 1;
  float *flow;
  bool done = true;

  if (!brightness_read (from, width, height, &levels[0].a, error) ||
      !brightness_read (to, width, height, &levels[0].b, error)) {
    free_levels (levels, 1);
    return NULL;
  }
  for (; n_levels < MAX_LEVELS; n_levels++) {
    const Level *last = &levels[n_levels - 1];

    if (MIN (last->a.width, last->a.height) < 2 * SMALLEST)
      break;
    levels[n_levels] = (Level){ .a = brightness_halve (&last->a), .b = brightness_halve (&last->b) };
  }
  flow = g_new0 (float, 2 * (size_t) levels[n_levels - 1].a.width * (size_t) levels[n_levels - 1].a.height);
  for (int i = n_levels - 1; i >= 0 && done; i--) {
    if (i < n_levels - 1) {
      float *larger = enlarge (flow, &levels[i + 1], &levels[i]);

      g_free (flow);
      flow = larger;
    }
    done = solve (&levels[i], style, &flow, monitor);
    kg_progress_report (monitor, pow (0.25, i));
  }
  free_levels (levels, n_levels);
  if (!done)
    g_clear_pointer (&flow, g_free);
  return flow;
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

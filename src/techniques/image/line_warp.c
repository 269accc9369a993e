/* line_warp: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/line_warp.h"

#include "kg-kernel.h"

bool
line_warp_read (const KgGeometry *geometry, const KgImage *image, GArray *lines, GError **error)
{
  const double scale = 0.5 * kg_image_get_height (image), cx = 0.5 * kg_image_get_width (image), cy = scale;
  const float *p = kg_geometry_get_positions (geometry);

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    for (uint32_t k = 0; k + 1 < primitive.n_vertices; k++) {
      const float *a = p + 3 * (size_t) primitive.vertices[k], *b = p + 3 * (size_t) primitive.vertices[k + 1];
      const WarpLine line = { cx + scale * (double) a[0], cy - scale * (double) a[1], cx + scale * (double) b[0],
                              cy - scale * (double) b[1] };

      if (line.px == line.qx && line.py == line.qy) {
        kg_set_error (error, KG_ERROR_DEGENERATE,
                      "line %u of primitive %zu has zero length, at (%g, %g): move one of its ends, or remove it", k, i,
                      (double) a[0], (double) a[1]);
        return false;
      }
      if (lines->len >= LINE_WARP_MAX_LINES) {
        kg_set_error (error, KG_ERROR_LIMIT, "more than %d lines: use fewer", LINE_WARP_MAX_LINES);
        return false;
      }
      g_array_append_val (lines, line);
    }
  }
  return true;
}

/* Pixels that single precision computes at once, in a row. */
#define BLOCK 64
/* Limits of single precision: largest coordinate and shortest line (pixels).  Beyond them doubles are used. */
#define FAR 1e6
#define SHORT 0.01

/* A line in the image between and its partners in the two images, with what is the same for all pixels. */
typedef struct {
  WarpLine here;
  double hx, hy, h2, h; /* along the line, and its length squared and plain */
  double strength;      /* length to the power p */
  struct {
    double px, py, x, y, across; /* across: its vector is divided by that for a pixel beside the line */
  } there[2];
} Pair;

/* How a line pulls the source in one image away from the pixel: an affine map of the place along it and across it. */
typedef struct {
  float x, y, along_x, along_y, across_x, across_y;
} Pull;

/* A line for blocks of pixels. */
typedef struct {
  double px, py, hx, hy; /* its start and unit direction */
  float step_along, step_across, length, strength;
  Pull pull[2];
} Line;

typedef struct {
  const KgImage *from, *to;
  const WarpStyle *style;
  Pair *pairs;
  Line *lines; /* NULL: in double precision */
  guint count;
  int width;
  double fx, fy; /* pixels of the second image for one of the first */
  float share;   /* of the second image */
} Work;

static void
prepare (Pair *pair, const WarpLine *between, const WarpLine *from, const WarpLine *to, const WarpStyle *style)
{
  const WarpLine *const there[] = { from, to };

  pair->here = *between;
  pair->hx = between->qx - between->px;
  pair->hy = between->qy - between->py;
  pair->h2 = pair->hx * pair->hx + pair->hy * pair->hy;
  pair->h = sqrt (pair->h2);
  pair->strength = pow (pair->h, style->p);
  for (guint k = 0; k < 2; k++) {
    pair->there[k].px = there[k]->px;
    pair->there[k].py = there[k]->py;
    pair->there[k].x = there[k]->qx - there[k]->px;
    pair->there[k].y = there[k]->qy - there[k]->py;
    pair->there[k].across = style->similar ? pair->h : hypot (pair->there[k].x, pair->there[k].y);
  }
}

/* Where the pixel (x, y) comes from in both images.  How a line pulls depends on where the pixel is to the line
 * between, so it is computed once for both. */
static void
find_sources (const Work *work, double x, double y, double source[2][2])
{
  double sum[2][2] = { { 0 } }, weights = 0;

  for (guint i = 0; i < work->count; i++) {
    const Pair *pair = &work->pairs[i];
    const double rx = x - pair->here.px, ry = y - pair->here.py;
    /* u along the line as a share of it, v across in pixels. */
    const double u = (rx * pair->hx + ry * pair->hy) / pair->h2, v = (ry * pair->hx - rx * pair->hy) / pair->h;
    const double distance = u < 0 ? hypot (rx, ry) : u > 1 ? hypot (x - pair->here.qx, y - pair->here.qy) : fabs (v);
    const double weight = pow (pair->strength / (work->style->a + distance), work->style->b);

    if (weight < work->style->least)
      continue;
    for (guint k = 0; k < 2; k++) {
      const double tx = pair->there[k].x, ty = pair->there[k].y, t = pair->there[k].across;

      sum[k][0] += weight * (pair->there[k].px + u * tx - v * ty / t - x);
      sum[k][1] += weight * (pair->there[k].py + u * ty + v * tx / t - y);
    }
    weights += weight;
  }
  for (guint k = 0; k < 2; k++) {
    source[k][0] = weights > 0 ? x + sum[k][0] / weights : x;
    source[k][1] = weights > 0 ? y + sum[k][1] / weights : y;
  }
}

/* Sums over the lines for a block of pixels. */
typedef struct {
  float x[2][BLOCK], y[2][BLOCK], weights[BLOCK];
} Sums;

static bool
fits_single (const WarpLine *line)
{
  return fabs (line->px) <= FAR && fabs (line->py) <= FAR && fabs (line->qx) <= FAR && fabs (line->qy) <= FAR;
}

static Line
make_line (const Pair *pair, double strongest)
{
  const double hx = pair->hx / pair->h, hy = pair->hy / pair->h;
  Line line = { .px = pair->here.px,
                .py = pair->here.py,
                .hx = hx,
                .hy = hy,
                .step_along = (float) hx,
                .step_across = (float) -hy,
                .length = (float) pair->h,
                .strength = (float) (pair->strength / strongest) };

  for (guint k = 0; k < 2; k++) {
    const double tx = pair->there[k].x, ty = pair->there[k].y, t = pair->there[k].across;

    line.pull[k] = (Pull){ .x = (float) (pair->there[k].px - pair->here.px),
                           .y = (float) (pair->there[k].py - pair->here.py),
                           .along_x = (float) (tx / pair->h - hx),
                           .along_y = (float) (ty / pair->h - hy),
                           .across_x = (float) (hy - ty / t),
                           .across_y = (float) (tx / t - hx) };
  }
  return line;
}

/* The share of a line at a place: its strength over softness and distance. */
static inline float
find_share (const Line *line, float a, float along, float across)
{
  const float before = -along, beyond = along - line->length;
  float past = before > beyond ? before : beyond;

  past = past > 0 ? past : 0;
  return line->strength / (a + sqrtf (past * past + across * across));
}

static inline void
add_pull (const Line *line, float along, float across, float weight, int i, Sums *sums)
{
  const Pull *p = &line->pull[0], *q = &line->pull[1];

  sums->x[0][i] += weight * (p->x + along * p->along_x + across * p->across_x);
  sums->y[0][i] += weight * (p->y + along * p->along_y + across * p->across_y);
  sums->x[1][i] += weight * (q->x + along * q->along_x + across * q->across_x);
  sums->y[1][i] += weight * (q->y + along * q->along_y + across * q->across_y);
  sums->weights[i] += weight;
}

/* Where the pixel (x, y), the first of a block, is to a line. */
static inline void
locate (const Line *line, double x, double y, float *along, float *across)
{
  const double rx = x - line->px, ry = y - line->py;

  *along = (float) (rx * line->hx + ry * line->hy);
  *across = (float) (ry * line->hx - rx * line->hy);
}

/* The falloff 2, which is usual, needs no power. */
KG_KERNEL static void
sum_squares (const Line *lines, guint n, double x, double y, float a, Sums *sums)
{
  for (guint l = 0; l < n; l++) {
    const Line line = lines[l];
    float along0, across0;

    locate (&line, x, y, &along0, &across0);
#pragma omp simd
    for (int i = 0; i < BLOCK; i++) {
      const float along = along0 + (float) i * line.step_along, across = across0 + (float) i * line.step_across;
      const float share = find_share (&line, a, along, across);

      add_pull (&line, along, across, share * share, i, sums);
    }
  }
}

/* Weights relative to that of the line which pulls most, so that none is beyond single precision. */
KG_KERNEL static void
sum_powers (const Line *lines, guint n, double x, double y, float a, float b, Sums *sums)
{
  float most[BLOCK] = { 0 };

  for (guint l = 0; l < n; l++) {
    const Line line = lines[l];
    float along0, across0;

    locate (&line, x, y, &along0, &across0);
#pragma omp simd
    for (int i = 0; i < BLOCK; i++) {
      const float share =
          find_share (&line, a, along0 + (float) i * line.step_along, across0 + (float) i * line.step_across);

      most[i] = share > most[i] ? share : most[i];
    }
  }
  for (guint l = 0; l < n; l++) {
    const Line line = lines[l];
    float along0, across0, weight[BLOCK];

    locate (&line, x, y, &along0, &across0);
#pragma omp simd
    for (int i = 0; i < BLOCK; i++) {
      const float along = along0 + (float) i * line.step_along, across = across0 + (float) i * line.step_across;

      weight[i] = find_share (&line, a, along, across) / most[i];
    }
#pragma omp simd
    for (int i = 0; i < BLOCK; i++)
      weight[i] = kg_power_single (weight[i], b);
#pragma omp simd
    for (int i = 0; i < BLOCK; i++)
      add_pull (&line, along0 + (float) i * line.step_along, across0 + (float) i * line.step_across, weight[i], i,
                sums);
  }
}

/* Where a row of n places, a pixel apart, comes from in both images: x and y in pixels of each. */
static void
locate_row (const Work *work, double x0, double y, int n, double (*sources)[2][2])
{
  for (int first = 0; first < n; first += BLOCK) {
    const double x = x0 + first;
    const int count = MIN (n - first, BLOCK);
    Sums sums = { 0 };

    if (work->lines == NULL || work->count == 0) {
      for (int i = 0; i < count; i++)
        find_sources (work, x + i, y, sources[first + i]);
      continue;
    }
    if (work->style->b == 2)
      sum_squares (work->lines, work->count, x, y, (float) work->style->a, &sums);
    else
      sum_powers (work->lines, work->count, x, y, (float) work->style->a, (float) work->style->b, &sums);
    for (int i = 0; i < count; i++) {
      const double share = 1 / (double) sums.weights[i];

      for (int k = 0; k < 2; k++) {
        sources[first + i][k][0] = x + i + share * (double) sums.x[k][i];
        sources[first + i][k][1] = y + share * (double) sums.y[k][i];
      }
    }
  }
  for (int i = 0; i < n; i++) {
    sources[i][1][0] *= work->fx;
    sources[i][1][1] *= work->fy;
  }
}

static void
mix (const Work *work, const float *a, const float *b, float part, float *out)
{
  for (int c = 0; c < 4; c++)
    out[c] += part * ((1 - work->share) * a[c] + work->share * b[c]);
}

/* The mean of side by side samples in each pixel; rows: width places. */
static void
fill_row_by_points (const Work *work, int y, int side, double (*rows)[2][2], float *out)
{
  for (int k = 0; k < side * side; k++) {
    locate_row (work, (k % side + 0.5) / side, y + (k / side + 0.5) / side, work->width, rows);
    for (int x = 0; x < work->width; x++) {
      float a[4], b[4];

      warp_sample_point (work->from, &work->style->sampler, rows[x][0][0], rows[x][0][1], a);
      warp_sample_point (work->to, &work->style->sampler, rows[x][1][0], rows[x][1][1], b);
      mix (work, a, b, 1 / (float) (side * side), out + 4 * x);
    }
  }
}

/* The corners of the pixels; rows: two times width + 1 places. */
static void
fill_row_by_area (const Work *work, int y, double (*rows)[2][2], float *out)
{
  double (*below)[2][2] = rows + work->width + 1;

  locate_row (work, 0, y, work->width + 1, rows);
  locate_row (work, 0, y + 1, work->width + 1, below);
  for (int x = 0; x < work->width; x++) {
    float found[2][4];

    for (int k = 0; k < 2; k++) {
      const double corners[4][2] = { { rows[x][k][0], rows[x][k][1] },
                                     { rows[x + 1][k][0], rows[x + 1][k][1] },
                                     { below[x + 1][k][0], below[x + 1][k][1] },
                                     { below[x][k][0], below[x][k][1] } };

      warp_sample_area (k == 0 ? work->from : work->to, &work->style->sampler, corners, found[k]);
    }
    mix (work, found[0], found[1], 1, out + 4 * x);
  }
}

/* out: zeros. */
static void
fill_row (const Work *work, int y, double (*rows)[2][2], float *out)
{
  const WarpSampling sampling = work->style->sampler.sampling;

  if (sampling == WARP_AREA)
    fill_row_by_area (work, y, rows, out);
  else
    fill_row_by_points (work, y, sampling == WARP_SUPER_4 ? 4 : sampling == WARP_SUPER_2 ? 2 : 1, rows, out);
}

/* (transfer full) (nullable) Lines for single precision; NULL where it does not hold them. */
static Line *
make_lines (const GArray *from_lines, const GArray *to_lines, const Pair *pairs, guint n)
{
  g_autofree Line *lines = g_new (Line, MAX (n, 1));
  double strongest = 0;

  for (guint i = 0; i < n; i++) {
    if (!fits_single (&g_array_index (from_lines, WarpLine, i)) ||
        !fits_single (&g_array_index (to_lines, WarpLine, i)) || pairs[i].h < SHORT)
      return NULL;
    strongest = MAX (strongest, pairs[i].strength);
  }
  for (guint i = 0; i < n; i++)
    lines[i] = make_line (&pairs[i], strongest);
  return g_steal_pointer (&lines);
}

/* The line between two, by its ends, or by its middle, its length and its direction along the shorter arc. */
static WarpLine
interpolate_line (const WarpLine *a, const WarpLine *b, double t, bool turning)
{
  const double ax = a->qx - a->px, ay = a->qy - a->py, bx = b->qx - b->px, by = b->qy - b->py;
  const double turn = atan2 (ax * by - ay * bx, ax * bx + ay * by), angle = atan2 (ay, ax) + t * turn;
  const double half = 0.5 * kg_lerp (hypot (ax, ay), hypot (bx, by), t);
  const double x = 0.5 * kg_lerp (a->px + a->qx, b->px + b->qx, t), y = 0.5 * kg_lerp (a->py + a->qy, b->py + b->qy, t);

  if (!turning)
    return (WarpLine){ kg_lerp (a->px, b->px, t), kg_lerp (a->py, b->py, t), kg_lerp (a->qx, b->qx, t),
                       kg_lerp (a->qy, b->qy, t) };
  return (WarpLine){ x - half * cos (angle), y - half * sin (angle), x + half * cos (angle), y + half * sin (angle) };
}

/* Twice the area of the triangle of a line and a point, by its sign the side. */
static double
get_side (const WarpLine *line, double x, double y)
{
  return (line->qx - line->px) * (y - line->py) - (line->qy - line->py) * (x - line->px);
}

bool
line_warp_find_crossing (const GArray *lines, guint pair[2])
{
  for (guint i = 0; i < lines->len; i++)
    for (guint k = i + 1; k < lines->len; k++) {
      const WarpLine *a = &g_array_index (lines, WarpLine, i), *b = &g_array_index (lines, WarpLine, k);

      /* Lines that share an end, as those of an outline do, do not cross. */
      if (get_side (a, b->px, b->py) * get_side (a, b->qx, b->qy) < 0 &&
          get_side (b, a->px, a->py) * get_side (b, a->qx, a->qy) < 0) {
        pair[0] = i;
        pair[1] = k;
        return true;
      }
    }
  return false;
}

bool
line_warp_mix (const KgImage *from, const KgImage *to, const GArray *from_lines, const GArray *to_lines, double t,
               const WarpStyle *style, KgImage *out, const KgProgressMonitor *monitor, GError **error)
{
  const int width = kg_image_get_width (from), height = kg_image_get_height (from);
  g_autofree Pair *pairs = g_new (Pair, MAX (from_lines->len, 1));
  g_autofree Line *lines = NULL;
  Work work = { .from = from,
                .to = to,
                .style = style,
                .pairs = pairs,
                .count = from_lines->len,
                .width = width,
                .fx = (double) kg_image_get_width (to) / width,
                .fy = (double) kg_image_get_height (to) / height,
                .share = style->share };
  float *pixels;

  g_return_val_if_fail (from_lines->len == to_lines->len, false);
  for (guint i = 0; i < work.count; i++) {
    const WarpLine *a = &g_array_index (from_lines, WarpLine, i), *b = &g_array_index (to_lines, WarpLine, i);
    const WarpLine between = interpolate_line (a, b, t, style->turning);

    if (between.px == between.qx && between.py == between.qy) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "line %u shrinks to zero length during the morph: rotate it slightly, or swap its ends", i);
      return false;
    }
    prepare (&pairs[i], &between, a, b, style);
  }
  if (!style->exact && style->least <= 0)
    work.lines = lines = make_lines (from_lines, to_lines, pairs, work.count);
  pixels = kg_image_edit_pixels (out);
#pragma omp parallel
  {
    g_autofree double *room = g_new (double, 2 * 4 * ((size_t) width + 1));

#pragma omp for schedule(dynamic)
    for (int y = 0; y < height; y++)
      if (!kg_progress_is_cancelled (monitor))
        fill_row (&work, y, (double (*)[2][2]) (void *) room, pixels + 4 * (size_t) y * (size_t) width);
  }
  return !kg_progress_is_cancelled (monitor);
}

/* line_warp: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/line_warp.h"

/* Most pairs of lines: each costs a computation at every pixel. */
#define MAX_LINES 1000

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
        kg_set_error (error, KG_ERROR_DEGENERATE, "line %u of primitive %zu has zero length", k, i);
        return false;
      }
      if (lines->len >= MAX_LINES) {
        kg_set_error (error, KG_ERROR_LIMIT, "more than %d lines", MAX_LINES);
        return false;
      }
      g_array_append_val (lines, line);
    }
  }
  return true;
}

/* A line in the picture between and its partners in the two pictures, with what is the same for all pixels. */
typedef struct {
  WarpLine here;
  double hx, hy, h2, h; /* along the line, and its length squared and plain */
  double strength;      /* length to the power p */
  struct {
    double px, py, x, y, length;
  } there[2];
} Pair;

typedef struct {
  const KgImage *from, *to;
  const WarpStyle *style;
  Pair *pairs;
  guint count;
  float share; /* of the second picture */
} Work;

static void
prepare (Pair *pair, const WarpLine *between, const WarpLine *from, const WarpLine *to, double p)
{
  const WarpLine *const there[] = { from, to };

  pair->here = *between;
  pair->hx = between->qx - between->px;
  pair->hy = between->qy - between->py;
  pair->h2 = pair->hx * pair->hx + pair->hy * pair->hy;
  pair->h = sqrt (pair->h2);
  pair->strength = pow (pair->h, p);
  for (guint k = 0; k < 2; k++) {
    pair->there[k].px = there[k]->px;
    pair->there[k].py = there[k]->py;
    pair->there[k].x = there[k]->qx - there[k]->px;
    pair->there[k].y = there[k]->qy - there[k]->py;
    pair->there[k].length = hypot (pair->there[k].x, pair->there[k].y);
  }
}

/* Where the pixel (x, y) comes from in both pictures.  How a line pulls depends on where the pixel is to the line
 * between, so it is worked out once for both. */
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

    for (guint k = 0; k < 2; k++) {
      const double tx = pair->there[k].x, ty = pair->there[k].y, t = pair->there[k].length;

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

static void
fill_row (const Work *work, int y, float *out)
{
  const int width = kg_image_get_width (work->from), height = kg_image_get_height (work->from);
  const double fx = (double) kg_image_get_width (work->to) / width,
               fy = (double) kg_image_get_height (work->to) / height;

  for (int x = 0; x < width; x++, out += 4) {
    double ax = x + 0.5, ay = y + 0.5, bx = ax * fx, by = ay * fy;
    float a[4], b[4];

    if (work->count > 0) {
      double source[2][2];

      find_sources (work, x + 0.5, y + 0.5, source);
      ax = source[0][0];
      ay = source[0][1];
      bx = source[1][0] * fx;
      by = source[1][1] * fy;
    }
    kg_image_sample (work->from, ax, ay, a);
    kg_image_sample (work->to, bx, by, b);
    for (int c = 0; c < 4; c++)
      out[c] = (1 - work->share) * a[c] + work->share * b[c];
  }
}

bool
line_warp_mix (const KgImage *from, const KgImage *to, const GArray *from_lines, const GArray *to_lines, double t,
               const WarpStyle *style, KgImage *out, const KgProgressMonitor *monitor, GError **error)
{
  const int width = kg_image_get_width (from), height = kg_image_get_height (from);
  g_autofree Pair *pairs = g_new (Pair, MAX (from_lines->len, 1));
  const Work work = {
    .from = from, .to = to, .style = style, .pairs = pairs, .count = from_lines->len, .share = style->share
  };
  float *pixels;

  g_return_val_if_fail (from_lines->len == to_lines->len, false);
  for (guint i = 0; i < work.count; i++) {
    const WarpLine *a = &g_array_index (from_lines, WarpLine, i), *b = &g_array_index (to_lines, WarpLine, i);
    const WarpLine between = { kg_lerp (a->px, b->px, t), kg_lerp (a->py, b->py, t), kg_lerp (a->qx, b->qx, t),
                               kg_lerp (a->qy, b->qy, t) };

    if (between.px == between.qx && between.py == between.qy) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "line %u shrinks to zero length during the morph: rotate it slightly, or swap its ends", i);
      return false;
    }
    prepare (&pairs[i], &between, a, b, style->p);
  }
  pixels = kg_image_edit_pixels (out);
#pragma omp parallel for schedule(static)
  for (int y = 0; y < height; y++)
    if (!kg_progress_is_cancelled (monitor))
      fill_row (&work, y, pixels + 4 * (size_t) y * (size_t) width);
  return !kg_progress_is_cancelled (monitor);
}

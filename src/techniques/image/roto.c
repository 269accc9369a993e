/* roto: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/roto.h"

#include "image/image_operation.h"

/* Lines of a curve between two points, at most. */
#define MAX_LINES 64

typedef struct {
  const RotoPoint *points;
  guint n;
  bool smooth;
  float *matte;
  double *sums; /* of two numbers a pixel more than the width */
  int width, height;
  const KgProgressMonitor *monitor;
} Shape;

/* Adds the area that a line leaves to its right in the pixels of a row: dy of its height, from x0 to x1. */
static void
add_area (double *sums, int width, double x0, double x1, double dy)
{
  const double left = fmin (x0, x1), right = fmax (x0, x1);
  double done = 0;

  if (right <= 0) {
    sums[0] += dy;
    return;
  }
  if (left >= width)
    return;
  if (left < 0) {
    /* The part left of the image covers all of it. */
    const double part = right > left ? -left / (right - left) : 0;

    sums[0] += dy * part;
    add_area (sums, width, 0, right, dy * (1 - part));
    return;
  }
  /* What each pixel has less than the next: cover there and what was missing of it. */
  for (int i = (int) left; i <= (int) right && i < width; i++) {
    const double from = fmax (left, i), to = fmin (right, i + 1);
    const double part = right > left ? (to - from) / (right - left) : 1;
    const double area = dy * part * (i + 1 - 0.5 * (from + to));

    sums[i] += area;
    sums[i + 1] += dy * part - area;
    done += part;
    if (done >= 1)
      break;
  }
}

static void
add_line (const Shape *shape, const RotoPoint *a, const RotoPoint *b, int first, int end)
{
  const double sign = a->y < b->y ? 1 : -1;
  const RotoPoint *top = a->y < b->y ? a : b, *bottom = a->y < b->y ? b : a;
  const double from = fmax (top->y, first), until = fmin (bottom->y, end);
  const double slope = (bottom->x - top->x) / (bottom->y - top->y);

  if (!(until > from))
    return;
  for (int y = (int) from; y < end && y < until; y++) {
    const double y0 = fmax (from, y), y1 = fmin (until, y + 1);

    if (y1 > y0)
      add_area (shape->sums + (size_t) y * (size_t) (shape->width + 2), shape->width, top->x + slope * (y0 - top->y),
                top->x + slope * (y1 - top->y), sign * (y1 - y0));
  }
}

/* The feather of a line: at each pixel near it how much of the edge is there, 1 on the line to 0 at the feather's width. */
static void
add_feather (const Shape *shape, const RotoPoint *a, const RotoPoint *b, float *near, bool inwards, int first, int end)
{
  const double fa = fmax (inwards ? -a->feather : a->feather, 0), fb = fmax (inwards ? -b->feather : b->feather, 0);
  const double reach = fmax (fa, fb), dx = b->x - a->x, dy = b->y - a->y, length2 = dx * dx + dy * dy;
  const int top = (int) kg_clamp (floor (fmin (a->y, b->y) - reach), first, end);
  const int bottom = (int) kg_clamp (ceil (fmax (a->y, b->y) + reach), first, end);
  const int left = (int) kg_clamp (floor (fmin (a->x, b->x) - reach), 0, shape->width);
  const int right = (int) kg_clamp (ceil (fmax (a->x, b->x) + reach), 0, shape->width);

  for (int y = top; y < bottom && reach > 0; y++)
    for (int x = left; x < right; x++) {
      const double px = x + 0.5 - a->x, py = y + 0.5 - a->y;
      const double t = length2 > 0 ? kg_clamp ((px * dx + py * dy) / length2, 0, 1) : 0;
      const double feather = kg_lerp (fa, fb, t), d = hypot (px - t * dx, py - t * dy);
      const double value = feather > 0 ? 1 - d / feather : 0;
      float *to = near + (size_t) y * (size_t) shape->width + (size_t) x;

      *to = fmaxf (*to, (float) value);
    }
}

typedef struct {
  Shape shape;
  float *outside, *inside; /* (nullable) feather */
} Work;

static float
get_ramp (const Shape *shape, float x)
{
  return shape->smooth ? x * x * (3 - 2 * x) : x;
}

static void
fill_rows (gpointer data, int first, int end)
{
  const Work *work = (const Work *) data;
  const Shape *shape = &work->shape;

  for (guint i = 0; i < shape->n; i++) {
    const RotoPoint *a = &shape->points[i], *b = &shape->points[(i + 1) % shape->n];

    if (kg_progress_is_cancelled (shape->monitor))
      return;
    add_line (shape, a, b, first, end);
    if (work->outside != NULL)
      add_feather (shape, a, b, work->outside, false, first, end);
    if (work->inside != NULL)
      add_feather (shape, a, b, work->inside, true, first, end);
  }
  for (int y = first; y < end; y++) {
    double sum = 0;

    for (int x = 0; x < shape->width; x++) {
      const size_t at = (size_t) y * (size_t) shape->width + (size_t) x;
      float alpha;

      sum += shape->sums[(size_t) y * (size_t) (shape->width + 2) + (size_t) x];
      alpha = (float) fmin (fabs (sum), 1);
      if (work->inside != NULL)
        alpha *= get_ramp (shape, 1 - work->inside[at]);
      if (work->outside != NULL)
        alpha = fmaxf (alpha, get_ramp (shape, work->outside[at]));
      shape->matte[at] = fmaxf (shape->matte[at], alpha);
    }
  }
}

bool
roto_add_shape (const RotoPoint *points, guint n, bool smooth, float *matte, int width, int height,
                const KgProgressMonitor *monitor)
{
  const size_t count = (size_t) width * (size_t) height;
  g_autofree double *sums = g_new0 (double, (size_t) (width + 2) * (size_t) height);
  g_autofree float *outside = NULL, *inside = NULL;
  Work work = { .shape = { points, n, smooth, matte, sums, width, height, monitor } };

  for (guint i = 0; i < n; i++) {
    if (points[i].feather > 0 && outside == NULL)
      outside = g_new0 (float, count);
    if (points[i].feather < 0 && inside == NULL)
      inside = g_new0 (float, count);
  }
  work.outside = outside;
  work.inside = inside;
  return image_each_rows (width, height, fill_rows, &work, monitor);
}

RotoTangents
roto_get_tangents (const RotoPoint *points, const RotoTangents *tangents, guint n, guint i)
{
  const RotoPoint *before = &points[(i + n - 1) % n], *after = &points[(i + 1) % n];
  /* The derivative of the smooth curve is half the way from neighbour to neighbour, and a handle a third of it. */
  const double x = (after->x - before->x) / 6, y = (after->y - before->y) / 6;
  const RotoTangents typed = tangents != NULL ? tangents[i] : (RotoTangents){ NAN, NAN, NAN, NAN };
  const bool in = !isnan (typed.in_x) && !isnan (typed.in_y), out = !isnan (typed.out_x) && !isnan (typed.out_y);

  return (RotoTangents){ in ? typed.in_x : -x, in ? typed.in_y : -y, out ? typed.out_x : x, out ? typed.out_y : y };
}

static bool
has_side (const RotoTangents *tangents, guint i, bool out)
{
  return tangents != NULL && (out ? !isnan (tangents[i].out_x) && !isnan (tangents[i].out_y)
                                  : !isnan (tangents[i].in_x) && !isnan (tangents[i].in_y));
}

/* From point i to the next one. */
static void
add_bezier (const RotoPoint *points, const RotoTangents *tangents, guint n, guint i, GArray *lines)
{
  const RotoPoint *a = &points[i], *b = &points[(i + 1) % n];
  const RotoTangents from = roto_get_tangents (points, tangents, n, i),
                     to = roto_get_tangents (points, tangents, n, (i + 1) % n);
  const double cx[] = { a->x, a->x + from.out_x, b->x + to.in_x, b->x };
  const double cy[] = { a->y, a->y + from.out_y, b->y + to.in_y, b->y };
  double length = 0;
  int count;

  for (int k = 0; k < 3; k++)
    length += hypot (cx[k + 1] - cx[k], cy[k + 1] - cy[k]);
  count = (int) kg_clamp (ceil (length / 3), 4, MAX_LINES);
  for (int k = 0; k < count; k++) {
    const double t = (double) k / count, s = 1 - t;
    const double w[4] = { s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t };
    const RotoPoint point = { w[0] * cx[0] + w[1] * cx[1] + w[2] * cx[2] + w[3] * cx[3],
                              w[0] * cy[0] + w[1] * cy[1] + w[2] * cy[2] + w[3] * cy[3],
                              kg_lerp (a->feather, b->feather, t) };

    g_array_append_val (lines, point);
  }
}

GArray *
roto_smooth (const RotoPoint *points, guint n)
{
  return roto_bend (points, NULL, n);
}

GArray *
roto_bend (const RotoPoint *points, const RotoTangents *tangents, guint n)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (RotoPoint));

  for (guint i = 0; i < n; i++) {
    const RotoPoint *p0 = &points[(i + n - 1) % n], *p1 = &points[i], *p2 = &points[(i + 1) % n],
                    *p3 = &points[(i + 2) % n];
    const double length = hypot (p2->x - p1->x, p2->y - p1->y);
    const int count = n < 3 ? 1 : (int) kg_clamp (ceil (length / 3), 4, MAX_LINES);

    if (has_side (tangents, i, true) || has_side (tangents, (i + 1) % n, false)) {
      add_bezier (points, tangents, n, i, lines);
      continue;
    }
    for (int k = 0; k < count; k++) {
      const double t = (double) k / count, t2 = t * t, t3 = t2 * t;
      const double w[4] = { 0.5 * (-t + 2 * t2 - t3), 0.5 * (2 - 5 * t2 + 3 * t3), 0.5 * (t + 4 * t2 - 3 * t3),
                            0.5 * (-t2 + t3) };
      const RotoPoint point = { w[0] * p0->x + w[1] * p1->x + w[2] * p2->x + w[3] * p3->x,
                                w[0] * p0->y + w[1] * p1->y + w[2] * p2->y + w[3] * p3->y,
                                kg_lerp (p1->feather, p2->feather, t) };

      g_array_append_val (lines, point);
    }
  }
  return lines;
}

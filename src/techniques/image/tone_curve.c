/* tone_curve: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/tone_curve.h"

#include "curve/monotone_slope.h"
#include "kg-base.h"
#include "kg-math.h"

typedef struct {
  double x, y, slope;
} Point;

static int
compare_points (gconstpointer a, gconstpointer b)
{
  return kg_compare_doubles (&((const Point *) a)->x, &((const Point *) b)->x);
}

static void
set_slopes (Point *p, size_t n, ToneCurveKind kind)
{
  if (n == 1 || kind == TONE_CURVE_LINEAR)
    return;
  for (size_t i = 0; i < n; i++) {
    const double before = i > 0 ? (p[i].y - p[i - 1].y) / (p[i].x - p[i - 1].x) : 0;
    const double after = i + 1 < n ? (p[i + 1].y - p[i].y) / (p[i + 1].x - p[i].x) : 0;

    p[i].slope = i == 0       ? after
                 : i + 1 == n ? before
                              : monotone_slope (before, after, p[i].x - p[i - 1].x, p[i + 1].x - p[i].x);
  }
}

static double
evaluate (const Point *p, size_t n, ToneCurveKind kind, double x, size_t *at)
{
  while (*at + 2 < n && x > p[*at + 1].x)
    (*at)++;
  const Point *a = &p[*at], *b = a + 1;
  const double h = b->x - a->x, t = kg_clamp ((x - a->x) / h, 0, 1), s = 1 - t;

  if (kind == TONE_CURVE_LINEAR)
    return kg_lerp (a->y, b->y, t);
  return s * s * (1 + 2 * t) * a->y + t * t * (3 - 2 * t) * b->y + s * t * h * (s * a->slope - t * b->slope);
}

bool
tone_curve_init (ToneCurve *curve, const KgTable *points, guint column, ToneCurveKind kind, double period,
                 GError **error)
{
  const size_t rows = points != NULL ? kg_table_get_n_rows (points) : 0;
  size_t n = 0, at = 0;
  g_autofree Point *p = g_new0 (Point, rows + 6);

  for (size_t i = 0; i < rows; i++) {
    const double *row = kg_table_get_row (points, i);

    p[n].x = period > 0 ? row[0] - period * floor (row[0] / period) : row[0];
    p[n++].y = row[column];
  }
  qsort (p, n, sizeof *p, compare_points);
  for (size_t i = 1; i < n; i++)
    if (!(p[i].x - p[i - 1].x > 1e-9)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "two points of the curve at %g: delete or move one of them", p[i].x);
      return false;
    }
  *curve = (ToneCurve){ .low = 0, .high = 1, .slopes = { 1, 1 } };
  if (period > 0 && n > 0) {
    /* Two more points on both sides, from the other end. */
    const size_t more = MIN (n, 2);

    memmove (p + more, p, n * sizeof *p);
    for (size_t i = 0; i < more; i++) {
      p[i] = (Point){ .x = p[n + i].x - period, .y = p[n + i].y };
      p[n + more + i] = (Point){ .x = p[more + i].x + period, .y = p[more + i].y };
    }
    n += 2 * more;
    curve->high = period;
  }
  if (n < 2) {
    const double y = n == 0 ? 0 : p[0].y - p[0].x;

    curve->identity = y == 0 && period <= 0;
    for (int i = 0; i <= TONE_CURVE_SIZE + 1; i++)
      curve->values[i] = (float) (y + (double) i / TONE_CURVE_SIZE);
    return true;
  }
  set_slopes (p, n, kind);
  if (period <= 0) {
    curve->low = p[0].x;
    curve->high = p[n - 1].x;
    curve->slopes[0] = kind == TONE_CURVE_LINEAR ? (p[1].y - p[0].y) / (p[1].x - p[0].x) : p[0].slope;
    curve->slopes[1] = kind == TONE_CURVE_LINEAR ? (p[n - 1].y - p[n - 2].y) / (p[n - 1].x - p[n - 2].x)
                                                 : p[n - 1].slope;
  }
  if (kind == TONE_CURVE_LINEAR && n <= TONE_CURVE_CORNERS)
    for (size_t i = 0; i < n; i++) {
      curve->corners[i][0] = p[i].x;
      curve->corners[i][1] = p[i].y;
      curve->n_corners = (int) i + 1;
    }
  curve->identity = period <= 0;
  for (size_t i = 0; i < n; i++)
    curve->identity = curve->identity && p[i].x == p[i].y;
  for (int i = 0; i <= TONE_CURVE_SIZE; i++)
    curve->values[i] =
        (float) evaluate (p, n, kind, kg_lerp (curve->low, curve->high, (double) i / TONE_CURVE_SIZE), &at);
  curve->values[TONE_CURVE_SIZE + 1] = curve->values[TONE_CURVE_SIZE];
  return true;
}

/* Between corners. */
static float
read_line (const ToneCurve *curve, double x)
{
  int low = 0, high = curve->n_corners - 1;
  const double *a, *b;

  while (high - low > 1) {
    const int middle = (low + high) / 2;

    if (curve->corners[middle][0] <= x)
      low = middle;
    else
      high = middle;
  }
  a = curve->corners[low];
  b = curve->corners[high];
  return (float) kg_lerp (a[1], b[1], kg_clamp ((x - a[0]) / (b[0] - a[0]), 0, 1));
}

float
tone_curve_read (const ToneCurve *curve, float x)
{
  if (curve->n_corners > 0)
    return read_line (curve, (double) x);

  const double u = kg_clamp (((double) x - curve->low) / (curve->high - curve->low), 0, 1) * TONE_CURVE_SIZE;
  const int i = (int) u;

  return curve->values[i] + (float) (u - i) * (curve->values[i + 1] - curve->values[i]);
}

void
tone_curve_apply (const ToneCurve *curve, float *v, size_t n)
{
  if (curve->identity)
    return;
  for (size_t i = 0; i < n; i++) {
    const double x = (double) v[i];

    if (x < curve->low)
      v[i] = (float) ((double) curve->values[0] + curve->slopes[0] * (x - curve->low));
    else if (x > curve->high)
      v[i] = (float) ((double) curve->values[TONE_CURVE_SIZE] + curve->slopes[1] * (x - curve->high));
    else
      v[i] = tone_curve_read (curve, v[i]);
  }
}

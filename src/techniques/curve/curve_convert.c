/* curve_convert: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_convert.h"

#include "curve/bspline.h"
#include "curve/curve_geometry.h"
#include "curve/curve_joint.h"

/* Joints that differ by less than this, of the extent, are taken as smooth. */
#define CONVERT_TOLERANCE 1e-9
/* Segments between two checks for cancelling. */
#define ASK 256

/* Points (and, times, weights) of the new control polygon. */
typedef struct {
  GArray *points;  /* KgVector */
  GArray *weights; /* double */
  GArray *knots;   /* double */
  GArray *in, *out;
} Result;

static void
result_clear (Result *r)
{
  g_clear_pointer (&r->points, g_array_unref);
  g_clear_pointer (&r->weights, g_array_unref);
  g_clear_pointer (&r->knots, g_array_unref);
  g_clear_pointer (&r->in, g_array_unref);
  g_clear_pointer (&r->out, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Result, result_clear)

static Result
result_new (void)
{
  return (Result){ g_array_new (FALSE, FALSE, sizeof (KgVector)), g_array_new (FALSE, FALSE, sizeof (double)),
                   g_array_new (FALSE, FALSE, sizeof (double)), g_array_new (FALSE, FALSE, sizeof (KgVector)),
                   g_array_new (FALSE, FALSE, sizeof (KgVector)) };
}

/* One segment's Bezier points in four dimensions (x, y, z times weight, weight), raised to a degree. */
static void
raise_degree (const Curve *curve, guint segment, guint degree, double (*out)[4])
{
  const KgVector *b = curve_get_bezier (curve, segment);
  const double *w = curve_get_bezier_weights (curve, segment);
  guint own = curve_get_degree (curve);

  for (guint i = 0; i <= own; i++) {
    const double p[] = { b[i].x, b[i].y, b[i].z, w != NULL ? w[i] : 1 };

    memcpy (out[i], p, sizeof p);
  }
  for (; own < degree; own++)
    for (guint i = own + 1;; i--) {
      const double share = (double) i / (own + 1);

      for (guint c = 0; c < 4; c++)
        out[i][c] = share * (i > 0 ? out[i - 1][c] : 0) + (1 - share) * (i <= own ? out[i][c] : 0);
      if (i == 0)
        break;
    }
}

static void
result_add (Result *r, const double p[4])
{
  const KgVector v = kg_vector (p[0] / p[3], p[1] / p[3], p[2] / p[3]);

  g_array_append_val (r->points, v);
  g_array_append_val (r->weights, p[3]);
}

static bool
is_cancelled (const KgProgressMonitor *monitor, guint segment)
{
  return segment % ASK == ASK - 1 && kg_progress_is_cancelled (monitor);
}

/* The pieces must be connected where their bases share points; also false when cancelled. */
static bool
check_joined (const Curve *curve, const KgProgressMonitor *monitor, GError **error)
{
  const double extent = curve_get_extent (curve);

  for (guint i = 0; i < curve_joint_count (curve); i++) {
    if (is_cancelled (monitor, i))
      return false;
    if (curve_joint_measure (curve, i, extent, 1e-6).parametric < 0) {
      kg_set_error (
          error, KG_ERROR_DEGENERATE,
          "the curve is cut after segment %u, but in this basis adjacent segments share a point: convert the parts one by one",
          i);
      return false;
    }
  }
  return true;
}

static bool
check_cubic (const Curve *curve, const char *basis, GError **error)
{
  if (curve_get_bezier_weights (curve, 0) == NULL && curve_get_degree (curve) <= 3)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "%s cannot be represented exactly in the %s basis: convert to Bezier, or sample it and use Fit Curve",
                curve_get_bezier_weights (curve, 0) != NULL ? kg_translate ("a rational curve")
                                                            : kg_translate ("a curve above degree 3"),
                basis);
  return false;
}

/* The parameter at the joints, where it is not one a piece. */
static void
keep_knots (const Curve *curve, Result *r)
{
  bool even = true;

  for (guint i = 0; i <= curve_get_n_segments (curve); i++)
    even = even && curve_get_knot (curve, i) == i;
  for (guint i = 0; i <= curve_get_n_segments (curve) && !even; i++) {
    const double knot = curve_get_knot (curve, i);

    g_array_append_val (r->knots, knot);
  }
}

static bool
convert_to_bezier (const Curve *curve, guint least_degree, Result *r, CurveControl *control,
                   const KgProgressMonitor *monitor, GError **error)
{
  const guint own = curve_get_degree (curve), degree = MAX (own, least_degree);
  double b[CURVE_MAX_ORDER][4];

  if (degree >= CURVE_MAX_ORDER || !check_joined (curve, monitor, error))
    return false;
  for (guint i = 0; i < curve_get_n_segments (curve); i++) {
    if (is_cancelled (monitor, i))
      return false;
    raise_degree (curve, i, degree, b);
    for (guint k = 0; k < degree; k++)
      result_add (r, b[k]);
  }
  if (!curve_is_closed (curve))
    result_add (r, b[degree]);
  keep_knots (curve, r);
  control->basis = KG_BASIS_BEZIER;
  control->order = degree + 1;
  return true;
}

static bool
convert_to_hermite (const Curve *curve, Result *r, CurveControl *control, const KgProgressMonitor *monitor,
                    GError **error)
{
  const guint n = curve_get_n_segments (curve), points = n + (curve_is_closed (curve) ? 0 : 1);

  if (!check_cubic (curve, "Hermite", error) || !check_joined (curve, monitor, error))
    return false;
  for (guint i = 0; i < points; i++) {
    const guint before = i > 0 ? i - 1 : n - 1, after = MIN (i, n - 1);
    const KgVector p = i < n ? curve_evaluate_segment (curve, i, 0, 0) : curve_evaluate_segment (curve, n - 1, 1, 0);
    const KgVector in = curve_evaluate_segment (curve, before, 1, 1);
    const KgVector out = curve_evaluate_segment (curve, after, i < n ? 0 : 1, 1);

    if (is_cancelled (monitor, i))
      return false;
    g_array_append_val (r->points, p);
    g_array_append_val (r->in, in);
    g_array_append_val (r->out, out);
  }
  keep_knots (curve, r);
  control->basis = KG_BASIS_HERMITE;
  control->tangent_in = (const KgVector *) (void *) r->in->data;
  control->tangent_out = (const KgVector *) (void *) r->out->data;
  return true;
}

static bool
convert_to_four_point (const Curve *curve, Result *r, CurveControl *control, const KgProgressMonitor *monitor,
                       GError **error)
{
  const guint n = curve_get_n_segments (curve);

  if (!check_cubic (curve, "four-point", error) || !check_joined (curve, monitor, error))
    return false;
  for (guint i = 0; i < n; i++) {
    if (is_cancelled (monitor, i))
      return false;
    for (guint k = 0; k < (i + 1 < n || curve_is_closed (curve) ? 3 : 4); k++) {
      const KgVector p = curve_evaluate_segment (curve, i, k / 3.0, 0);

      g_array_append_val (r->points, p);
    }
  }
  control->basis = KG_BASIS_FOUR_POINT;
  return true;
}

/* The polar form of a piece at degree arguments of its local parameter. */
static void
get_polar (double (*b)[4], guint degree, const double *at, double out[4])
{
  for (guint r = 0; r < degree; r++)
    for (guint i = 0; i + r < degree; i++)
      for (guint c = 0; c < 4; c++)
        b[i][c] = (1 - at[r]) * b[i][c] + at[r] * b[i + 1][c];
  memcpy (out, b[0], 4 * sizeof (double));
}

/* A control point of a B-spline is the polar form of any piece in its support, at the knots inside the support. */
static void
add_control (const Curve *curve, const double *knots, guint degree, guint i, Result *r)
{
  const guint n = curve_get_n_segments (curve);
  const double first = curve_get_knot (curve, 0), turn = curve_get_knot (curve, n) - first;
  double b[CURVE_MAX_ORDER][4], at[CURVE_MAX_ORDER], p[4];
  guint span = i, segment;
  double start, width, shift, best = -1;

  /* The widest piece near the middle keeps the arguments near 0..1. */
  for (guint k = i; k <= i + degree; k++) {
    const double here = (knots[k + 1] - knots[k]) * (MIN (k - i, i + degree - k) + 1.0);
    const bool inside = curve_is_closed (curve) || (knots[k] >= first && knots[k + 1] <= first + turn);

    if (inside && here > best) {
      best = here;
      span = k;
    }
  }
  shift = turn * floor ((0.5 * (knots[span] + knots[span + 1]) - first) / turn);
  segment = (guint) kg_clamp (floor (curve_own_to_natural (curve, 0.5 * (knots[span] + knots[span + 1]) - shift)), 0,
                              n - 1.0);
  start = curve_get_knot (curve, segment);
  width = curve_get_knot (curve, segment + 1) - start;
  for (guint k = 0; k < degree; k++)
    at[k] = (knots[i + 1 + k] - shift - start) / width;
  raise_degree (curve, segment, degree, b);
  get_polar (b, degree, at, p);
  result_add (r, p);
}

/* The end of an open curve as a simple knot, and degree more outside. */
static void
add_beyond (const Curve *curve, guint degree, bool at_end, GArray *knots)
{
  const guint n = curve_get_n_segments (curve);
  const double end = curve_get_knot (curve, at_end ? n : 0);
  const double step = at_end ? end - curve_get_knot (curve, n - 1) : curve_get_knot (curve, 1) - end;

  for (guint k = 0; k <= degree; k++) {
    const double knot = end + (at_end ? (double) k : (double) k - (double) degree) * step;

    g_array_append_val (knots, knot);
  }
}

static bool
convert_to_b_spline (const Curve *curve, bool uniform, Result *r, CurveControl *control,
                     const KgProgressMonitor *monitor, GError **error)
{
  const guint n = curve_get_n_segments (curve), degree = curve_get_degree (curve), order = degree + 1;
  const bool closed = curve_is_closed (curve);
  const double extent = curve_get_extent (curve);
  g_autoptr (GArray) turn = g_array_new (FALSE, FALSE, sizeof (double));
  g_autofree double *extended = NULL;
  guint count;

  if (order > BSPLINE_MAX_ORDER) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "degree %u is too high for a B-spline: at most %d", degree,
                  BSPLINE_MAX_ORDER - 1);
    return false;
  }
  if (!check_joined (curve, monitor, error))
    return false;
  /* Each joint has as many knots as derivatives jump there. */
  for (guint i = 0; i <= n; i++) {
    const double knot = curve_get_knot (curve, i);
    const bool end = i == 0 || i == n;
    guint times = order;

    if (is_cancelled (monitor, i))
      return false;
    if (closed && i == n)
      times = 1;
    else if (closed || !end) {
      const int smooth = curve_joint_measure (curve, i > 0 ? i - 1 : n - 1, extent, CONVERT_TOLERANCE).parametric;

      times = (guint) CLAMP ((int) degree - smooth, i == 0 ? 1 : 0, (int) degree);
    } else if (uniform) {
      add_beyond (curve, degree, i == n, turn);
      continue;
    }
    for (guint k = 0; k < times; k++)
      g_array_append_val (turn, knot);
  }
  count = closed ? turn->len - 1 : turn->len - order;
  if (closed && count < order) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "the closed curve is too simple for a closed B-spline of order %u: it would have only %u control points", order,
        count);
    return false;
  }
  extended = g_new (double, count + 2 * (size_t) order);
  for (guint i = 0; i < count + 2 * order; i++) {
    const gint64 at = (gint64) i - (closed ? degree : 0),
                 lap = (at >= 0 ? at : at - (gint64) count + 1) / (gint64) count;
    const double *knots = (const double *) (void *) turn->data;

    extended[i] = closed ? knots[at - lap * count] + (double) lap * (knots[count] - knots[0])
                         : knots[MIN (i, turn->len - 1)];
  }
  for (guint i = 0; i < count; i++) {
    if (is_cancelled (monitor, i))
      return false;
    add_control (curve, extended, degree, i, r);
  }
  g_array_append_vals (r->knots, turn->data, turn->len);
  control->basis = KG_BASIS_BSPLINE;
  control->order = order;
  return true;
}

bool
curve_convert (const Curve *curve, CurveTarget to, guint degree, KgGeometry *geometry, const KgProgressMonitor *monitor,
               GError **error)
{
  g_auto (Result) r = result_new ();
  CurveControl control = { .n = 0 };
  bool done;

  control.closed = curve_is_closed (curve);
  done = to == CURVE_TO_BEZIER    ? convert_to_bezier (curve, degree, &r, &control, monitor, error)
         : to == CURVE_TO_HERMITE ? convert_to_hermite (curve, &r, &control, monitor, error)
         : to == CURVE_TO_FOUR_POINT
             ? convert_to_four_point (curve, &r, &control, monitor, error)
             : convert_to_b_spline (curve, to == CURVE_TO_UNIFORM_B_SPLINE, &r, &control, monitor, error);
  if (!done)
    return false;
  control.n = r.points->len;
  control.points = (const KgVector *) (void *) r.points->data;
  control.n_knots = r.knots->len;
  control.knots = (const double *) (void *) r.knots->data;
  if (curve_get_bezier_weights (curve, 0) != NULL)
    control.weights = (const double *) (void *) r.weights->data;
  return curve_geometry_add (geometry, &control, error);
}

double
curve_convert_measure (const Curve *before, const Curve *after, const KgProgressMonitor *monitor)
{
  const guint n = curve_get_n_segments (before), m = curve_get_n_segments (after), steps = 16 * n;
  const double extent = curve_get_extent (before);
  const double first = curve_get_knot (before, 0), last = curve_get_knot (before, n);
  double worst = 0;

  for (guint i = 0; i <= steps && !is_cancelled (monitor, i); i++) {
    const double u = (double) i / 16;
    /* Joints that were smooth are gone: what stays the same is the own parameter. */
    const double v = m == n ? u : curve_own_to_natural (after, kg_lerp (first, last, (double) i / steps));
    const double w = m == n ? u : curve_own_to_natural (before, kg_lerp (first, last, (double) i / steps));

    worst = fmax (worst, kg_vector_distance (curve_evaluate (before, w, 0), curve_evaluate (after, v, 0)));
  }
  return extent > 0 ? worst : 0;
}

/* curve: evaluation of Bezier pieces, and frames along them.
 * Sources: Parent, Computer Animation, B.4; Wang, Juettler, Zheng and Liu 2008 (double reflection).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-kernel.h"

#include "curve/curve_formula.h"
#include "curve/curve_piece.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Values that are computed together. */
#define BLOCK 256

Curve *
curve_new_from_control (const CurveControl *control, GError **error)
{
  g_autoptr (Curve) curve = g_new0 (Curve, 1);

  curve->closed = control->closed;
  return curve_pieces_build (&curve->pieces, control, error) ? g_steal_pointer (&curve) : NULL;
}

Curve *
curve_new (const KgGeometry *geometry, size_t index, GError **error)
{
  g_auto (CurveControlCopy) copy = { .points = NULL };
  CurvePieces pieces;
  const char *formula;
  Curve *curve;

  if (!curve_control_read (geometry, index, &copy, error))
    return NULL;
  formula = kg_geometry_get_text (geometry, KG_PRIMITIVES, CURVE_FORMULA_ATTRIBUTE, index);
  if (formula == NULL || *formula == '\0' || !curve_formula_build (formula, &copy.control, &pieces))
    return curve_new_from_control (&copy.control, error);
  curve = g_new0 (Curve, 1);
  curve->closed = copy.control.closed;
  curve->pieces = pieces;
  return curve;
}

void
curve_free (Curve *curve)
{
  curve_pieces_clear (&curve->pieces);
  g_clear_pointer (&curve->lengths, curve_lengths_free);
  g_free (curve);
}

guint
curve_get_n_segments (const Curve *curve)
{
  return curve->pieces.n;
}

guint
curve_get_degree (const Curve *curve)
{
  return curve->pieces.degree;
}

double
curve_get_rounding (const Curve *curve)
{
  return curve->pieces.formula != NULL ? DBL_EPSILON : (double) FLT_EPSILON;
}

const KgVector *
curve_get_bezier (const Curve *curve, guint segment)
{
  return curve->pieces.points + (size_t) segment * (curve->pieces.degree + 1);
}

const double *
curve_get_bezier_weights (const Curve *curve, guint segment)
{
  const double *weights = curve->pieces.weights;

  return weights != NULL ? weights + (size_t) segment * (curve->pieces.degree + 1) : NULL;
}

bool
curve_is_closed (const Curve *curve)
{
  return curve->closed;
}

const char *
curve_get_warning (const Curve *curve)
{
  return curve->pieces.warning;
}

size_t
curve_get_bytes (const Curve *curve)
{
  /* Pieces, and the table of lengths that they may grow. */
  return sizeof *curve + curve->pieces.n * ((curve->pieces.degree + 1) * sizeof (KgVector) + 1024);
}

/* Evaluation: every basis is brought to Bezier form once; Bernstein polynomials serve them all. */

static double
locate (const Curve *curve, double u, guint *segment)
{
  const double n = curve->pieces.n;

  u = curve->closed && (u < 0 || u > n) ? u - n * floor (u / n) : kg_clamp (u, 0, n);
  *segment = (guint) kg_clamp (floor (u), 0, n - 1);
  return u - *segment;
}

/* One number of a rational piece: the same as curve_piece_point, of weights. */
static double
weight_at (const double *w, guint degree, double t)
{
  KgVector b[CURVE_MAX_ORDER];

  for (guint i = 0; i <= degree; i++)
    b[i] = kg_vector (w[i], 0, 0);
  return curve_piece_point (b, degree, t).x;
}

static double
weight_derivative (const double *w, guint degree, double t, guint order)
{
  double work[CURVE_MAX_ORDER];

  if (order > degree)
    return 0;
  memcpy (work, w, (degree + 1) * sizeof *w);
  for (guint k = 0; k < order; k++)
    for (guint i = 0; i + k < degree; i++)
      work[i] = (work[i + 1] - work[i]) * (degree - k);
  return weight_at (work, degree - order, t);
}

static KgVector
polynomial (const KgVector *b, guint degree, double t, guint order)
{
  KgVector work[CURVE_MAX_ORDER];

  if (order > degree)
    return kg_vector (0, 0, 0);
  if (order == 0)
    return curve_piece_point (b, degree, t);
  curve_piece_differentiate (b, degree, order, work);
  return curve_piece_point (work, degree - order, t);
}

/* Whether derivatives of that order are those of a formula: differences of points lose a digit for each digit of how
 * close together they are, and do so twice and three times. */
static bool
has_formula (const Curve *curve, guint order)
{
  return curve->pieces.formula != NULL && order >= 2 && order < CURVE_FORMULA_ORDERS;
}

KgVector
curve_evaluate_segment (const Curve *curve, guint segment, double t, guint order)
{
  const guint degree = curve->pieces.degree;
  const KgVector *b = curve_get_bezier (curve, segment);
  const double *weights = curve_get_bezier_weights (curve, segment);
  KgVector d[CURVE_MAX_ORDER];
  double w[CURVE_MAX_ORDER];

  g_assert (order < CURVE_MAX_ORDER);
  if (has_formula (curve, order)) {
    const double from = curve->pieces.knots[segment], width = curve->pieces.knots[segment + 1] - from;

    return kg_vector_scale (curve_formula_evaluate (curve->pieces.formula, from + t * width, order),
                            pow (width, (double) order));
  }
  if (weights == NULL)
    return polynomial (b, degree, t, order);
  /* Quotient rule, order by order (points are stored times their weights). */
  for (guint k = 0; k <= order; k++) {
    double binomial = 1;

    d[k] = polynomial (b, degree, t, k);
    w[k] = weight_derivative (weights, degree, t, k);
    for (guint i = 1; i <= k; i++) {
      binomial = binomial * (k - i + 1) / i;
      d[k] = kg_vector_add_scaled (d[k], -binomial * w[i], d[k - i]);
    }
    d[k] = kg_vector_scale (d[k], 1 / w[0]);
  }
  return d[order];
}

KgVector
curve_evaluate (const Curve *curve, double u, guint order)
{
  guint segment;
  const double t = locate (curve, u, &segment);

  return curve_evaluate_segment (curve, segment, t, order);
}

/* Many values of one polynomial piece: coordinate by coordinate, so that the loops run in wide registers.  The same
 * operations in the same order as curve_piece_point. */
KG_KERNEL static void
evaluate_run (const KgVector *b, guint degree, const double *t, size_t n, KgVector *out)
{
  double x[3][BLOCK], w[4][BLOCK];

  if (degree == 3)
    for (size_t i = 0; i < n; i++) {
      const double u = t[i], s = 1 - u;

      w[0][i] = s * s * s;
      w[1][i] = 3 * s * s * u;
      w[2][i] = 3 * s * u * u;
      w[3][i] = u * u * u;
    }
  else if (degree == 2)
    for (size_t i = 0; i < n; i++) {
      const double u = t[i], s = 1 - u;

      w[0][i] = s * s;
      w[1][i] = 2 * s * u;
      w[2][i] = u * u;
    }
  else
    for (size_t i = 0; i < n; i++) {
      w[0][i] = 1 - t[i];
      w[1][i] = t[i];
    }
  for (guint c = 0; c < 3; c++) {
    const double p0 = kg_vector_get (b[0], c), p1 = kg_vector_get (b[1], c);

    if (degree == 3) {
      const double p2 = kg_vector_get (b[2], c), p3 = kg_vector_get (b[3], c);

      for (size_t i = 0; i < n; i++)
        x[c][i] = p0 * w[0][i] + w[1][i] * p1 + w[2][i] * p2 + w[3][i] * p3;
    } else if (degree == 2) {
      const double p2 = kg_vector_get (b[2], c);

      for (size_t i = 0; i < n; i++)
        x[c][i] = p0 * w[0][i] + w[1][i] * p1 + w[2][i] * p2;
    } else
      for (size_t i = 0; i < n; i++)
        x[c][i] = p0 * w[0][i] + w[1][i] * p1;
  }
  for (size_t i = 0; i < n; i++)
    out[i] = (KgVector){ x[0][i], x[1][i], x[2][i] };
}

/* The same for any degree from 4 on. */
KG_KERNEL static void
evaluate_high_run (const KgVector *b, guint degree, const double *t, size_t n, KgVector *out)
{
  double x[3][BLOCK], power[BLOCK];
  double binomial = 1;

  for (size_t i = 0; i < n; i++) {
    power[i] = 1;
    for (guint c = 0; c < 3; c++)
      x[c][i] = kg_vector_get (b[0], c) * (1 - t[i]);
  }
  for (guint k = 1; k < degree; k++) {
    binomial = binomial * (degree - k + 1) / k;
    for (size_t i = 0; i < n; i++)
      power[i] *= t[i];
    for (guint c = 0; c < 3; c++) {
      const double p = kg_vector_get (b[k], c);

      for (size_t i = 0; i < n; i++)
        x[c][i] = (x[c][i] + power[i] * binomial * p) * (1 - t[i]);
    }
  }
  for (size_t i = 0; i < n; i++) {
    const double last = power[i] * t[i];

    out[i] = kg_vector (x[0][i] + last * b[degree].x, x[1][i] + last * b[degree].y, x[2][i] + last * b[degree].z);
  }
}

static void
evaluate_any_run (const KgVector *b, guint degree, const double *t, size_t n, KgVector *out)
{
  if (degree <= 3)
    evaluate_run (b, degree, t, n, out);
  else
    evaluate_high_run (b, degree, t, n, out);
}

/* Points times weights over weights. */
static void
evaluate_rational_run (const Curve *curve, guint segment, const double *t, size_t n, KgVector *out)
{
  const guint degree = curve->pieces.degree;
  const double *weights = curve_get_bezier_weights (curve, segment);
  KgVector b[CURVE_MAX_ORDER], w[BLOCK];

  for (guint i = 0; i <= degree; i++)
    b[i] = kg_vector (weights[i], 0, 0);
  evaluate_any_run (curve_get_bezier (curve, segment), degree, t, n, out);
  evaluate_any_run (b, degree, t, n, w);
  for (size_t i = 0; i < n; i++)
    out[i] = kg_vector_scale (out[i], 1 / w[i].x);
}

/* Segments and places of an open curve: the same as locate, in wide registers. */
KG_KERNEL static void
locate_block (const double *u, size_t n, guint segments, double *t, int32_t *segment)
{
  const double end = segments;
  const int32_t last = (int32_t) segments - 1;

  for (size_t i = 0; i < n; i++) {
    const double low = u[i] > 0 ? u[i] : 0, v = low < end ? low : end;
    const int32_t k = (int32_t) v;

    segment[i] = k < last ? k : last;
    t[i] = v - (k < last ? k : last);
  }
}

static void
evaluate_block (const Curve *curve, const double *u, size_t n, guint order, KgVector *out)
{
  const guint degree = curve->pieces.degree;
  double t[BLOCK];
  int32_t segment[BLOCK];

  if (!curve->closed)
    locate_block (u, n, curve->pieces.n, t, segment);
  for (size_t i = 0; i < n && curve->closed; i++) {
    guint k;

    t[i] = locate (curve, u[i], &k);
    segment[i] = (int32_t) k;
  }
  for (size_t i = 0, end; i < n; i = end) {
    KgVector b[CURVE_MAX_ORDER];

    for (end = i + 1; end < n && segment[end] == segment[i]; end++)
      ;
    if (curve->pieces.weights != NULL && order == 0 && end - i >= 4) {
      evaluate_rational_run (curve, (guint) segment[i], t + i, end - i, out + i);
      continue;
    }
    if (curve->pieces.weights != NULL || order > degree || degree - order == 0 || has_formula (curve, order)) {
      for (size_t k = i; k < end; k++)
        out[k] = curve_evaluate_segment (curve, (guint) segment[k], t[k], order);
      continue;
    }
    curve_piece_differentiate (curve_get_bezier (curve, (guint) segment[i]), degree, order, b);
    if (end - i < 4)
      for (size_t k = i; k < end; k++)
        out[k] = curve_piece_point (b, degree - order, t[k]);
    else
      evaluate_any_run (b, degree - order, t + i, end - i, out + i);
  }
}

void
curve_evaluate_many (const Curve *curve, const double *u, size_t n, guint order, KgVector *out)
{
#pragma omp parallel for schedule(dynamic, 8) if (n >= KG_PARALLEL_FROM)
  for (size_t i = 0; i < n; i += BLOCK)
    evaluate_block (curve, u + i, MIN (BLOCK, n - i), order, out + i);
}

/* The own parameter. */

double
curve_get_knot (const Curve *curve, guint joint)
{
  return curve->pieces.knots != NULL ? curve->pieces.knots[joint] : joint;
}

double
curve_own_to_natural (const Curve *curve, double own)
{
  const double *knots = curve->pieces.knots;
  const guint n = curve->pieces.n;
  guint low = 0, high = n;

  if (knots == NULL)
    return own;
  if (curve->closed && (own < knots[0] || own > knots[n])) {
    const double turn = knots[n] - knots[0];

    own -= turn * floor ((own - knots[0]) / turn);
  }
  own = kg_clamp (own, knots[0], knots[n]);
  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (knots[middle] <= own)
      low = middle;
    else
      high = middle;
  }
  return low + (own - knots[low]) / (knots[low + 1] - knots[low]);
}

KgVector
curve_evaluate_own (const Curve *curve, guint segment, double t, guint order)
{
  const double width = curve_get_knot (curve, segment + 1) - curve_get_knot (curve, segment);

  return kg_vector_scale (curve_evaluate_segment (curve, segment, t, order), pow (width, -(double) order));
}

/* Length. */

bool
curve_prepare_lengths (const Curve *curve, const KgProgressMonitor *monitor)
{
  /* The table belongs to the curve as much as its points do: making it late is not seen from outside. */
  Curve *own = (Curve *) (size_t) curve;

  if (g_atomic_pointer_get (&own->lengths) == NULL) {
    CurveLengths *lengths = curve_lengths_new (curve, monitor);

    /* Who comes second has made the same. */
    if (lengths != NULL && !g_atomic_pointer_compare_and_exchange (&own->lengths, NULL, lengths))
      curve_lengths_free (lengths);
  }
  return g_atomic_pointer_get (&own->lengths) != NULL;
}

static const CurveLengths *
get_lengths (const Curve *curve)
{
  Curve *own = (Curve *) (size_t) curve;

  curve_prepare_lengths (curve, NULL);
  return (const CurveLengths *) g_atomic_pointer_get (&own->lengths);
}

double
curve_get_length (const Curve *curve)
{
  return curve_lengths_get_whole (get_lengths (curve));
}

double
curve_get_length_to (const Curve *curve, double u)
{
  return curve_lengths_get_to (get_lengths (curve), curve, u);
}

double
curve_get_parameter (const Curve *curve, double length)
{
  guint n_iterations;

  return curve_search_parameter (curve, length, &n_iterations);
}

double
curve_search_parameter (const Curve *curve, double length, guint *n_iterations)
{
  guint hint = 0;

  return curve_lengths_get_parameter (get_lengths (curve), curve, length, &hint, n_iterations);
}

void
curve_get_parameters (const Curve *curve, const double *lengths, size_t n, double *u)
{
  const CurveLengths *table = get_lengths (curve);

#pragma omp parallel for schedule(dynamic) if (n >= 2 * BLOCK)
  for (size_t i = 0; i < n; i += BLOCK) {
    /* Lengths mostly come in order: where the last one was found is where the next one is. */
    guint hint = 0, n_iterations;

    for (size_t k = i; k < MIN (i + BLOCK, n); k++)
      u[k] = curve_lengths_get_parameter (table, curve, lengths[k], &hint, &n_iterations);
  }
}

/* Frames. */

KgVector
curve_get_tangent (const Curve *curve, double u)
{
  const KgVector p = curve_evaluate (curve, u, 0);
  KgVector d = curve_evaluate (curve, u, 1);
  /* Less than this is rounding. */
  const double least = 1e-9 * curve_get_length (curve) / curve->pieces.n + 1e-14 * kg_vector_length (p);

  /* Where the speed vanishes the direction is that of a short chord around the place, then of longer ones. */
  for (double h = 1e-4; !(kg_vector_length (d) > least) && h < 2; h *= 4) {
    const double low = curve->closed ? u - h : fmax (u - h, 0);
    const double high = curve->closed ? u + h : fmin (u + h, curve->pieces.n);

    d = kg_vector_subtract (curve_evaluate (curve, high, 0), curve_evaluate (curve, low, 0));
  }
  return kg_vector_length (d) > least ? kg_vector_normalize_or (d, kg_vector (1, 0, 0)) : kg_vector (1, 0, 0);
}

/* Carries the normal r with tangent t at p on to tangent t1 at p1 by two reflections. */
static KgVector
carry (KgVector p, KgVector t, KgVector r, KgVector p1, KgVector t1)
{
  const KgVector v1 = kg_vector_subtract (p1, p);
  const double c1 = kg_vector_dot (v1, v1);
  KgVector r_left, t_left, v2;
  double c2;

  if (!(c1 > 1e-300))
    return r;
  r_left = kg_vector_add_scaled (r, -2 / c1 * kg_vector_dot (v1, r), v1);
  t_left = kg_vector_add_scaled (t, -2 / c1 * kg_vector_dot (v1, t), v1);
  v2 = kg_vector_subtract (t1, t_left);
  c2 = kg_vector_dot (v2, v2);
  if (!(c2 > 1e-300))
    return r_left;
  return kg_vector_add_scaled (r_left, -2 / c2 * kg_vector_dot (v2, r_left), v2);
}

/* A normal that is carried along from the start: its point, tangent and direction at a multiple of 1 / CURVE_FRAME_STEPS. */
typedef struct {
  double at;
  KgVector p, t, r;
} Carrier;

static Carrier
carrier_new (const Curve *curve, KgVector up)
{
  Carrier c = { .p = curve_evaluate (curve, 0, 0), .t = curve_get_tangent (curve, 0) };

  c.r =
      kg_vector_normalize_or (kg_vector_add_scaled (up, -kg_vector_dot (up, c.t), c.t), kg_vector_perpendicular (c.t));
  return c;
}

static void
carrier_move (Carrier *c, const Curve *curve, double to)
{
  const KgVector p = curve_evaluate (curve, to, 0);
  /* The end of a closed curve wraps to its start, where it has the same tangent. */
  const KgVector t = curve_get_tangent (curve, to), r = carry (c->p, c->t, c->r, p, t);

  c->r = kg_vector_normalize_or (kg_vector_add_scaled (r, -kg_vector_dot (r, t), t), kg_vector_perpendicular (t));
  c->p = p;
  c->t = t;
  c->at = to;
}

/* Moves the carrier to the last step up to u, and gives the normal at u.  False when cancelled. */
static bool
carrier_reach (Carrier *c, const Curve *curve, double u, const KgProgressMonitor *monitor, KgVector *normal)
{
  const double end = fmin (u, curve->pieces.n);
  Carrier last;

  for (guint i = 1; c->at + 1.0 / CURVE_FRAME_STEPS <= end; i++) {
    if (i % 1024 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    carrier_move (c, curve, c->at + 1.0 / CURVE_FRAME_STEPS);
  }
  last = *c;
  if (last.at < end)
    carrier_move (&last, curve, end);
  *normal = last.r;
  return true;
}

/* By which angle the normal of a closed curve misses itself after one turn.  False when cancelled. */
static bool
find_twist (const Curve *curve, KgVector up, const KgProgressMonitor *monitor, double *twist)
{
  Carrier carrier = carrier_new (curve, up);
  const KgVector first = carrier.r, axis = carrier.t;
  KgVector last;

  if (!carrier_reach (&carrier, curve, curve->pieces.n, monitor, &last))
    return false;
  *twist = atan2 (kg_vector_dot (kg_vector_cross (last, first), axis), kg_vector_dot (last, first));
  return true;
}

bool
curve_get_frames (const Curve *curve, const double *u, size_t n, KgVector up, const KgProgressMonitor *monitor,
                  KgTransform *frames)
{
  Carrier carrier;
  double twist = 0;

  if (!curve_prepare_lengths (curve, monitor) || (curve->closed && !find_twist (curve, up, monitor, &twist)))
    return false;
  carrier = carrier_new (curve, up);
  for (size_t i = 0; i < n; i++) {
    guint segment;
    const double t = locate (curve, u[i], &segment), at = segment + t;
    const KgVector p = curve_evaluate (curve, at, 0), x = curve_get_tangent (curve, at);
    KgVector y, z;

    if (at < carrier.at)
      carrier = carrier_new (curve, up);
    if ((i % 256 == 255 && kg_progress_is_cancelled (monitor)) || !carrier_reach (&carrier, curve, at, monitor, &y))
      return false;
    if (curve->closed)
      y = kg_rotation_apply (kg_rotation_from_axis_angle (x, twist * at / curve->pieces.n), y);
    z = kg_vector_cross (x, y);
    frames[i] =
        (KgTransform){ { { x.x, y.x, z.x, p.x }, { x.y, y.y, z.y, p.y }, { x.z, y.z, z.z, p.z }, { 0, 0, 0, 1 } } };
  }
  return true;
}

KgTransform
curve_get_frame (const Curve *curve, double u, KgVector up)
{
  KgTransform frame;

  curve_get_frames (curve, &u, 1, up, NULL, &frame);
  return frame;
}

/* curve_basis: what each basis makes of its control points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_basis.h"

#include "kg-floats.h"
#include "curve/curve_formula.h"
#include "curve/tridiagonal.h"

#include <math.h>
#include <string.h>

/* Widths of the parameter that differ more than this cannot be computed with. */
#define MAX_RATIO 1e9
/* Knots may be so far apart: the basis divides by their differences, its third derivative three times. */
#define MOST_KNOT_SPAN 1e90

/* Reading. */

/* (nullable) (transfer full) */
static KgVector *
read_vectors (const KgGeometry *geometry, const KgPrimitive *primitive, const char *name)
{
  const float *x = kg_geometry_get_float (geometry, KG_POINTS, name, 3);
  KgVector *out;

  if (x == NULL)
    return NULL;
  out = g_new (KgVector, MAX (primitive->n_vertices, 1));
  for (guint i = 0; i < primitive->n_vertices; i++)
    out[i] = kg_floats_get_vector (x, (size_t) primitive->vertices[i]);
  return out;
}

static double *
read_weights (const KgGeometry *geometry, const KgPrimitive *primitive)
{
  const float *w = kg_geometry_get_float (geometry, KG_POINTS, "weight", 1);
  double *out;

  if (primitive->weights != NULL)
    return g_memdup2 (primitive->weights, MAX (primitive->n_vertices, 1) * sizeof (double));
  if (w == NULL || primitive->basis != KG_BASIS_BSPLINE)
    return NULL;
  out = g_new (double, MAX (primitive->n_vertices, 1));
  for (guint i = 0; i < primitive->n_vertices; i++)
    out[i] = (double) w[primitive->vertices[i]];
  return out;
}

bool
curve_control_read (const KgGeometry *geometry, size_t index, CurveControlCopy *copy, GError **error)
{
  KgPrimitive primitive;
  CurveControl *control = &copy->control;

  *copy = (CurveControlCopy){ .points = NULL };
  if (index >= kg_geometry_get_n_primitives (geometry)) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "curve %zu does not exist: the geometry has %zu primitives", index,
                  kg_geometry_get_n_primitives (geometry));
    return false;
  }
  kg_geometry_get_primitive (geometry, index, &primitive);
  control->basis = primitive.kind == KG_SPLINE ? primitive.basis : KG_BASIS_LINEAR;
  control->closed = primitive.closed;
  control->order = primitive.order;
  control->rule = primitive.rule;
  control->n = primitive.n_vertices;
  control->points = copy->points = read_vectors (geometry, &primitive, "P");
  control->n_knots = primitive.n_knots;
  control->knots = primitive.knots;
  control->weights = copy->weights = read_weights (geometry, &primitive);
  if (control->basis == KG_BASIS_HERMITE || control->rule.end == KG_END_GIVEN) {
    control->tangent_in = copy->tangent_in = read_vectors (geometry, &primitive, "tangent_in");
    control->tangent_out = copy->tangent_out = read_vectors (geometry, &primitive, "tangent_out");
  }
  if (control->basis == KG_BASIS_KOCHANEK_BARTELS)
    control->tcb = copy->tcb = read_vectors (geometry, &primitive, "tcb");
  return true;
}

void
curve_control_clear (CurveControlCopy *copy)
{
  g_clear_pointer (&copy->points, g_free);
  g_clear_pointer (&copy->tangent_in, g_free);
  g_clear_pointer (&copy->tangent_out, g_free);
  g_clear_pointer (&copy->tcb, g_free);
  g_clear_pointer (&copy->weights, g_free);
}

void
curve_pieces_clear (CurvePieces *pieces)
{
  g_clear_pointer (&pieces->points, g_free);
  g_clear_pointer (&pieces->weights, g_free);
  g_clear_pointer (&pieces->knots, g_free);
  g_clear_pointer (&pieces->warning, g_free);
  g_clear_pointer (&pieces->formula, curve_formula_free);
}

static void warn_once (char **warning, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The first warning is the one that explains the others. */
static void
warn_once (char **warning, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (*warning == NULL)
    *warning = g_strdup_vprintf (kg_translate (format), arguments);
  va_end (arguments);
}

static bool refuse_curve (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static bool
refuse_curve (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error != NULL && *error == NULL)
    *error = g_error_new_valist (KG_ERROR, KG_ERROR_DEGENERATE, kg_translate (format), arguments);
  va_end (arguments);
  return false;
}

/* The parameter. */

static guint
count_spans (const CurveControl *control)
{
  return control->closed ? control->n : control->n - 1;
}

static KgVector
get_chord (const CurveControl *control, guint span)
{
  return kg_vector_subtract (control->points[(span + 1) % control->n], control->points[span % control->n]);
}

/* Checks knots that say the parameter at each end of n pieces. */
static bool
check_parameters (const CurveControl *control, guint n, GError **error)
{
  double widest = 0;

  if (control->n_knots != n + 1)
    return refuse_curve (error, "%u knots for %u segments: give %u, the parameter at each end of a segment",
                         control->n_knots, n, n + 1);
  for (guint i = 0; i < n; i++)
    widest = fmax (widest, control->knots[i + 1] - control->knots[i]);
  for (guint i = 0; i < n; i++)
    if (!(control->knots[i + 1] - control->knots[i] > widest / MAX_RATIO))
      return refuse_curve (
          error, "knot %u is %g after %g: the parameter must increase from point to point, and by more than that here",
          i + 1, control->knots[i + 1], control->knots[i]);
  return true;
}

/* Widths of the spans; *uniform when all are 1. */
static bool
get_widths (const CurveControl *control, double *widths, bool *uniform, char **warning, GError **error)
{
  const guint n = count_spans (control);
  const KgSplineSpacing spacing = control->rule.spacing;
  double sum = 0;
  guint good = 0;

  *uniform = control->n_knots == 0 && spacing == KG_SPACING_UNIFORM;
  if (control->n_knots > 0 && !check_parameters (control, n, error))
    return false;
  for (guint i = 0; i < n; i++) {
    const double chord = kg_vector_length (get_chord (control, i));

    widths[i] = control->n_knots > 0                ? control->knots[i + 1] - control->knots[i]
                : spacing == KG_SPACING_CHORD       ? chord
                : spacing == KG_SPACING_CENTRIPETAL ? sqrt (chord)
                                                    : 1;
    sum += widths[i];
    good += widths[i] > 0;
  }
  for (guint i = 0; i < n; i++) {
    if (widths[i] > sum / MAX_RATIO / n)
      continue;
    if (control->basis == KG_BASIS_CUBIC_SPLINE)
      return refuse_curve (
          error,
          "points %u and %u are at the same position, but the spacing is their distance: separate them or choose uniform spacing",
          i, (i + 1) % control->n);
    warn_once (warning,
               "points %u and %u are at the same position: their distance cannot set the parameter between them", i,
               (i + 1) % control->n);
    widths[i] = good > 0 ? sum / good : 1;
  }
  return true;
}

/* Tangents. */

/* Direction at a point between the chords a and e, of the length of reference: halves the angle. */
static KgVector
bisect (KgVector a, KgVector e, KgVector previous, double length, guint i, char **warning)
{
  const KgVector zero = kg_vector (0, 0, 0);
  const KgVector u = kg_vector_normalize_or (a, zero), v = kg_vector_normalize_or (e, zero);
  KgVector sum = kg_vector_add (u, v);

  if (!(kg_vector_length (sum) > 1e-9) && kg_vector_length (u) > 0) {
    warn_once (warning, "the curve reverses direction at point %u: the angle there has no bisector", i);
    sum = kg_vector_add_scaled (previous, -kg_vector_dot (previous, u), u);
    if (!(kg_vector_length (sum) > 1e-9 * kg_vector_length (previous)))
      sum = kg_vector_perpendicular (u);
  }
  return kg_vector_scale (kg_vector_normalize_or (sum, zero), length);
}

static void
get_inner (const CurveControl *control, guint i, const double *widths, KgVector previous, KgVector *in, KgVector *out,
           char **warning)
{
  const guint spans = count_spans (control), before = (i + spans - 1) % spans;
  const KgVector a = get_chord (control, before), e = get_chord (control, i);
  const double h = widths[before], k = widths[i % spans], both = h + k;
  const KgSplineRule *rule = &control->rule;
  KgVector slope;

  if (control->basis == KG_BASIS_KOCHANEK_BARTELS) {
    const KgVector tcb = control->tcb != NULL ? control->tcb[i] : kg_vector (0, 0, 0);
    const double t = 1 - tcb.x, l = 1 - tcb.y, r = 1 + tcb.y, ba = 1 + tcb.z, be = 1 - tcb.z;

    /* With keys at uneven times the two sides are one slope of the curve over time. */
    *in = kg_vector_add (kg_vector_scale (a, t * l * ba / 2 * (2 * h / both)),
                         kg_vector_scale (e, t * r * be / 2 * (2 * h / both)));
    *out = kg_vector_add (kg_vector_scale (a, t * r * ba / 2 * (2 * k / both)),
                          kg_vector_scale (e, t * l * be / 2 * (2 * k / both)));
    return;
  }
  /* The slope at the middle of the parabola through three points; for even spacing half the chord over both. */
  slope = kg_vector_add (kg_vector_scale (a, k / h / both), kg_vector_scale (e, h / k / both));
  if (rule->bisector)
    slope = bisect (a, e, previous, kg_vector_length (slope), i, warning);
  *in = kg_vector_scale (slope, h);
  *out = kg_vector_scale (slope, k);
  if (!rule->relative_lengths)
    return;
  if (!(kg_vector_length (slope) > 0))
    warn_once (warning, "the neighbours of point %u are at the same position: it has no tangent", i);
  slope = kg_vector_normalize_or (slope, kg_vector (0, 0, 0));
  *in = kg_vector_scale (slope, kg_vector_length (a));
  *out = kg_vector_scale (slope, kg_vector_length (e));
}

/* The tangent at an end, from the chord away from it, the second chord, and the tangent at the neighbour, all seen from
 * the end. */
static KgVector
get_end (KgSplineEnd end, guint n, KgVector chord, KgVector second, KgVector neighbour)
{
  if (end == KG_END_REPEAT)
    return kg_vector_scale (chord, 0.5);
  if (end == KG_END_REFLECT || n == 2)
    return chord;
  if (end == KG_END_PARABOLA)
    return kg_vector_subtract (kg_vector_scale (chord, 2), neighbour);
  if (end == KG_END_NATURAL)
    return kg_vector_subtract (kg_vector_scale (chord, 1.5), kg_vector_scale (neighbour, 0.5));
  /* (2 P1 - P2 - P0) / 2 */
  return kg_vector_scale (kg_vector_subtract (chord, second), 0.5);
}

static void
set_ends (const CurveControl *control, KgVector *in, KgVector *out)
{
  const guint n = control->n;
  const KgSplineEnd end = control->rule.end;
  /* Tension shortens these tangents as it does the others; those of a parabolic or natural end follow from them. */
  const bool tcb = control->basis == KG_BASIS_KOCHANEK_BARTELS && control->tcb != NULL && end != KG_END_PARABOLA &&
                   end != KG_END_NATURAL;
  const KgVector zero = kg_vector (0, 0, 0);

  if (end == KG_END_GIVEN) {
    out[0] = control->tangent_out != NULL ? control->tangent_out[0] : zero;
    in[n - 1] = control->tangent_in != NULL ? control->tangent_in[n - 1] : zero;
    return;
  }
  out[0] = get_end (end, n, get_chord (control, 0), n > 2 ? get_chord (control, 1) : zero, in[1]);
  in[n - 1] = get_end (end, n, get_chord (control, n - 2), n > 2 ? get_chord (control, n - 3) : zero, out[n - 2]);
  if (tcb) {
    out[0] = kg_vector_scale (out[0], 1 - control->tcb[0].x);
    in[n - 1] = kg_vector_scale (in[n - 1], 1 - control->tcb[n - 1].x);
  }
}

/* One equation for the slope at an end of a cubic spline: own * D + next * D' = right, with the widths and slopes of the
 * two spans next to it. */
typedef struct {
  double own, next;
  KgVector right;
} EndRow;

static EndRow
make_end_row (const CurveControl *control, bool first, double h, double k, KgVector slope, KgVector second)
{
  const guint n = control->n;
  const KgSplineEnd end = control->rule.end;
  const KgVector *given = first ? control->tangent_out : control->tangent_in;

  if (end == KG_END_GIVEN)
    return (EndRow){ 1, 0, given != NULL ? kg_vector_scale (given[first ? 0 : n - 1], 1 / h) : kg_vector (0, 0, 0) };
  if (end == KG_END_REFLECT)
    return (EndRow){ 1, 0, slope };
  if (end == KG_END_REPEAT)
    return (EndRow){ 1, 0, kg_vector_scale (slope, 0.5) };
  /* Not-a-knot ends with three points: the whole curve is one parabola. */
  if (end == KG_END_PARABOLA || (end == KG_END_NOT_A_KNOT && n == 3))
    return (EndRow){ 1, 1, kg_vector_scale (slope, 2) };
  if (end == KG_END_NOT_A_KNOT && n > 3)
    return (EndRow){ k, h + k,
                     kg_vector_scale (
                         kg_vector_add (kg_vector_scale (slope, (3 * h + 2 * k) * k), kg_vector_scale (second, h * h)),
                         1 / (h + k)) };
  return (EndRow){ 2, 1, kg_vector_scale (slope, 3) };
}

/* The tridiagonal system of continuous second derivatives. */
static bool
solve_cubic_spline (const CurveControl *control, const double *widths, KgVector *in, KgVector *out, GError **error)
{
  const guint n = control->n, spans = count_spans (control);
  g_autofree double *work = g_new0 (double, 9 * (size_t) n);
  double *diagonal = work, *above = work + n, *below = work + 2 * (size_t) n;

  if (control->closed && n < 3)
    return refuse_curve (error, "a closed cubic spline needs at least 3 points, not %u", n);
  for (guint i = 0; i < n; i++) {
    const guint before = (i + spans - 1) % spans;
    const double h = widths[before], k = widths[i % spans];
    KgVector right;

    if (!control->closed && (i == 0 || i == n - 1)) {
      const guint span = i == 0 ? 0 : n - 2, second = i == 0 ? MIN (1, spans - 1) : MAX (spans, 2) - 2;
      const EndRow row = make_end_row (control, i == 0, widths[span], widths[second],
                                       kg_vector_scale (get_chord (control, span), 1 / widths[span]),
                                       kg_vector_scale (get_chord (control, second), 1 / widths[second]));

      diagonal[i] = row.own;
      if (i == 0)
        above[0] = row.next;
      else
        below[n - 2] = row.next;
      right = row.right;
    } else {
      diagonal[i] = 2 * (h + k);
      above[i] = h;
      /* Cyclic: the last entry is the corner. */
      below[(i + n - 1) % n] = k;
      right = kg_vector_add (kg_vector_scale (get_chord (control, before), 3 * k / h),
                             kg_vector_scale (get_chord (control, i), 3 * h / k));
    }
    for (guint c = 0; c < 3; c++)
      work[(3 + c) * (size_t) n + i] = kg_vector_get (right, c);
  }
  for (guint c = 0; c < 3; c++)
    tridiagonal_solve (control->closed, n, diagonal, above, below, work + (3 + c) * (size_t) n,
                       work + (6 + c) * (size_t) n);
  for (guint i = 0; i < n; i++) {
    const KgVector slope = kg_vector (work[6 * (size_t) n + i], work[7 * (size_t) n + i], work[8 * (size_t) n + i]);

    in[i] = kg_vector_scale (slope, widths[(i + spans - 1) % spans]);
    out[i] = kg_vector_scale (slope, widths[i % spans]);
  }
  return true;
}

/* Tangents of a spline through its points (Catmull-Rom, Kochanek-Bartels, cubic spline), by the local parameter of the
 * segment before (in) and after (out) each point; n of each.  widths: of the parameter, one for each segment. */
static bool
make_tangents (const CurveControl *control, const double *widths, KgVector *in, KgVector *out, char **warning,
               GError **error)
{
  const guint n = control->n, first = control->closed ? 0 : 1, end = control->closed ? n : n - 1;
  KgVector previous = get_chord (control, 0);

  if (control->basis == KG_BASIS_CUBIC_SPLINE)
    return solve_cubic_spline (control, widths, in, out, error);
  for (guint i = first; i < end; i++) {
    get_inner (control, i, widths, previous, &in[i], &out[i], warning);
    previous = out[i];
  }
  if (!control->closed) {
    in[0] = out[n - 1] = kg_vector (0, 0, 0);
    set_ends (control, in, out);
  }
  return true;
}

/* Pieces. */

static void
allocate (CurvePieces *pieces, guint n, guint degree, bool rational)
{
  pieces->n = n;
  pieces->degree = degree;
  pieces->points = g_new0 (KgVector, (size_t) n * (degree + 1));
  pieces->weights = rational ? g_new0 (double, (size_t) n *(degree + 1)) : NULL;
}

static bool
take_parameters (CurvePieces *pieces, const CurveControl *control, GError **error)
{
  if (control->n_knots == 0)
    return true;
  if (!check_parameters (control, pieces->n, error))
    return false;
  pieces->knots = g_memdup2 (control->knots, control->n_knots * sizeof (double));
  return true;
}

static void
set_hermite (CurvePieces *pieces, guint i, KgVector p, KgVector q, KgVector out, KgVector in)
{
  KgVector *b = &pieces->points[4 * (size_t) i];

  b[0] = p;
  b[1] = kg_vector_add_scaled (p, 1.0 / 3, out);
  b[2] = kg_vector_add_scaled (q, -1.0 / 3, in);
  b[3] = q;
}

static bool
build_linear (CurvePieces *pieces, const CurveControl *control, GError **error)
{
  allocate (pieces, count_spans (control), 1, false);
  for (guint i = 0; i < pieces->n; i++) {
    pieces->points[2 * (size_t) i] = control->points[i];
    pieces->points[2 * (size_t) i + 1] = control->points[(i + 1) % control->n];
  }
  return take_parameters (pieces, control, error);
}

static bool
build_hermite (CurvePieces *pieces, const CurveControl *control, GError **error)
{
  const KgVector zero = kg_vector (0, 0, 0);

  allocate (pieces, count_spans (control), 3, false);
  for (guint i = 0; i < pieces->n; i++) {
    const guint j = (i + 1) % control->n;

    set_hermite (pieces, i, control->points[i], control->points[j],
                 control->tangent_out != NULL ? control->tangent_out[i] : zero,
                 control->tangent_in != NULL ? control->tangent_in[j] : zero);
  }
  return take_parameters (pieces, control, error);
}

static bool
build_through (CurvePieces *pieces, const CurveControl *control, GError **error)
{
  const guint n = control->n, spans = count_spans (control);
  g_autofree KgVector *in = g_new0 (KgVector, n), *out = g_new0 (KgVector, n);
  g_autofree double *widths = g_new (double, spans);
  bool uniform;

  if (!get_widths (control, widths, &uniform, &pieces->warning, error) ||
      !make_tangents (control, widths, in, out, &pieces->warning, error))
    return false;
  allocate (pieces, spans, 3, false);
  for (guint i = 0; i < spans; i++)
    set_hermite (pieces, i, control->points[i], control->points[(i + 1) % n], out[i], in[(i + 1) % n]);
  if (uniform)
    return true;
  pieces->knots = g_new (double, spans + 1);
  pieces->knots[0] = control->n_knots > 0 ? control->knots[0] : 0;
  for (guint i = 0; i < spans; i++)
    pieces->knots[i + 1] = control->n_knots > 0 ? control->knots[i + 1] : pieces->knots[i] + widths[i];
  return true;
}

static bool
build_four_point (CurvePieces *pieces, const CurveControl *control, GError **error)
{
  static const double thirds[] = { 0, 1.0 / 3, 2.0 / 3, 1 };
  const guint n = control->closed ? control->n : control->n - 1;
  const double *u = control->n_knots > 0 ? control->knots : thirds;
  /* Power coefficients (of 1, u, u², u³) of the Lagrange polynomial of each point, then their Bezier points. */
  double bezier[4][4];

  if (control->n_knots != 0 && control->n_knots != 4)
    return refuse_curve (error, "%u parameters for the four-point form: give 4, such as 0 0.333 0.667 1",
                         control->n_knots);
  if (n < 3)
    return refuse_curve (error, "the four-point form needs at least %u points, not %u", control->closed ? 3 : 4,
                         control->n);
  for (guint i = 0; i < 4; i++) {
    double power[4] = { 1, 0, 0, 0 };

    for (guint j = 0, degree = 0; j < 4; j++) {
      if (j == i)
        continue;
      if (!(fabs (u[i] - u[j]) > 1e-9))
        return refuse_curve (
            error,
            "parameters %u and %u of the four-point form are both %g: a cubic cannot pass through two points at once",
            MIN (i, j), MAX (i, j), u[i]);
      degree++;
      for (guint k = degree; k > 0; k--)
        power[k] = (power[k - 1] - u[j] * power[k]) / (u[i] - u[j]);
      power[0] = -u[j] * power[0] / (u[i] - u[j]);
    }
    bezier[i][0] = power[0];
    bezier[i][1] = power[0] + power[1] / 3;
    bezier[i][2] = power[0] + 2 * power[1] / 3 + power[2] / 3;
    bezier[i][3] = power[0] + power[1] + power[2] + power[3];
  }
  if (n % 3 != 0)
    warn_once (&pieces->warning, "%u points do not form complete groups: the last %u are ignored; give 4, 7, 10 ...",
               control->n, n % 3);
  allocate (pieces, n / 3, 3, false);
  for (guint s = 0; s < pieces->n; s++)
    for (guint k = 0; k < 4; k++)
      for (guint i = 0; i < 4; i++)
        pieces->points[4 * (size_t) s + k] = kg_vector_add_scaled (pieces->points[4 * (size_t) s + k], bezier[i][k],
                                                                   control->points[(3 * s + i) % control->n]);
  return true;
}

/* Whether a polynomial in Bernstein form stays above least on 0..1: its coefficients are, or those of its halves are. */
static bool
stays_above (const double *w, guint degree, double least, guint depth)
{
  double left[CURVE_MAX_ORDER], right[CURVE_MAX_ORDER];
  bool above = true;

  if (!(w[0] > least) || !(w[degree] > least))
    return false;
  for (guint i = 0; i <= degree; i++)
    above = above && w[i] > least;
  if (above || depth == 0)
    return above;
  memcpy (right, w, (degree + 1) * sizeof *w);
  for (guint r = 0; r <= degree; r++) {
    left[r] = right[0];
    for (guint i = 0; i + r < degree; i++)
      right[i] = 0.5 * (right[i] + right[i + 1]);
  }
  return stays_above (left, degree, least, depth - 1) && stays_above (right, degree, least, depth - 1);
}

/* Weights that are not positive may let the curve run to infinity. */
static bool
check_weights (CurvePieces *pieces, const CurveControl *control, GError **error)
{
  const guint order = pieces->degree + 1;
  double largest = 0;
  int bad = -1;

  for (guint i = 0; i < control->n && control->weights != NULL; i++) {
    if (!isfinite (control->weights[i]))
      return refuse_curve (error, "the weight of point %u is not a finite number", i);
    largest = fmax (largest, fabs (control->weights[i]));
    if (bad < 0 && !(control->weights[i] > 0))
      bad = (int) i;
  }
  for (guint i = 0; i < pieces->n && bad >= 0; i++)
    if (!stays_above (pieces->weights + (size_t) i * order, pieces->degree, 1e-12 * largest, 12))
      return refuse_curve (
          error, "the weight of point %d is %g, and the curve would go to infinity in segment %u: use positive weights",
          bad, control->weights[bad], i);
  if (bad >= 0)
    warn_once (&pieces->warning, "the weight of point %d is %g: the curve may leave the convex hull of its points", bad,
               control->weights[bad]);
  return true;
}

static bool
build_bezier (CurvePieces *pieces, const CurveControl *control, GError **error)
{
  const guint order = control->order > 0 ? control->order : control->n, degree = order - 1;
  const guint n = control->closed ? control->n : control->n - 1;

  if (order < 2 || order > CURVE_MAX_ORDER || n / MAX (degree, 1) == 0)
    return refuse_curve (error,
                         "a Bezier curve of degree %u needs at least %u points, not %u (and at most %d in one segment)",
                         degree, MAX (order, 2), control->n, CURVE_MAX_ORDER);
  if (n % degree != 0)
    warn_once (&pieces->warning, "%u points do not form complete segments of degree %u: the last %u are ignored",
               control->n, degree, n % degree);
  allocate (pieces, n / degree, degree, control->weights != NULL);
  for (guint s = 0; s < pieces->n; s++)
    for (guint i = 0; i < order; i++) {
      const guint from = (s * degree + i) % control->n;
      const double w = control->weights != NULL ? control->weights[from] : 1;

      pieces->points[(size_t) s * order + i] = control->weights != NULL ? kg_vector_scale (control->points[from], w)
                                                                        : control->points[from];
      if (control->weights != NULL)
        pieces->weights[(size_t) s * order + i] = w;
    }
  return check_weights (pieces, control, error) && take_parameters (pieces, control, error);
}

/* Blossom of the B-spline with this knot vector, at the arguments a[0..degree-1], from the degree + 1 control values
 * around the span: gives the Bezier points of the span, for any knots. */
static double
blossom (const double *values, const double *knots, guint degree, const double *a)
{
  double work[CURVE_MAX_ORDER];

  memcpy (work, values, (degree + 1) * sizeof *work);
  for (guint r = 1; r <= degree; r++)
    for (guint i = degree; i >= r; i--) {
      const double low = knots[i], high = knots[i + degree + 1 - r];
      const double t = high > low ? (a[r - 1] - low) / (high - low) : 0;

      work[i] = (1 - t) * work[i - 1] + t * work[i];
    }
  return work[degree];
}

/* All spans of positive length.  values: n control points as x, y, z times weight, and weight. */
static void
build_spans (CurvePieces *pieces, const double (*values)[4], guint n, const double *knots, double *joints)
{
  const guint degree = pieces->degree;
  guint segment = 0;

  for (guint span = degree; span < n; span++) {
    if (!(knots[span + 1] > knots[span]))
      continue;
    for (guint b = 0; b <= degree; b++)
      for (guint c = 0; c < (pieces->weights != NULL ? 4 : 3); c++) {
        const size_t at = (size_t) segment * (degree + 1) + b;
        double around[CURVE_MAX_ORDER], a[CURVE_MAX_ORDER], x;

        for (guint i = 0; i <= degree; i++)
          around[i] = values[span - degree + i][c];
        for (guint i = 0; i < degree; i++)
          a[i] = i < degree - b ? knots[span] : knots[span + 1];
        x = blossom (around, knots + (span - degree), degree, a);
        if (c < 3)
          *kg_vector_component (&pieces->points[at], c) = x;
        else
          pieces->weights[at] = x;
      }
    joints[segment++] = knots[span];
    joints[segment] = knots[span + 1];
  }
  pieces->n = segment;
}

/* The knots of all n + order, from what the primitive says.  A closed one gives those of one turn. */
static bool
get_bspline_knots (const CurveControl *control, guint order, guint n, double *knots, GError **error)
{
  const guint degree = order - 1, given = control->n_knots;
  const guint wanted = control->closed ? control->n + 1 : n + order;

  if (given != 0 && given != wanted)
    return refuse_curve (
        error,
        control->closed
            ? N_ ("%u knots for %u points of order %u: give %u, from the start of the closed curve to its end")
            : N_ ("%u knots for %u points of order %u: give %u (points plus order)"),
        given, control->n, order, wanted);
  for (guint i = 1; i < given; i++)
    if (!(control->knots[i] >= control->knots[i - 1]))
      return refuse_curve (error, "knot %u is %g after %g: knots must not decrease", i, control->knots[i],
                           control->knots[i - 1]);
  if (given != 0 && !(control->knots[given - 1] - control->knots[0] <= MOST_KNOT_SPAN))
    return refuse_curve (error,
                         "the knots range from %g to %g, which is too large to compute with: use smaller numbers",
                         control->knots[0], control->knots[given - 1]);
  for (guint i = 0; i < n + order; i++) {
    const gint64 at = (gint64) i - degree, turns = control->n;
    const gint64 turn = (at >= 0 ? at : at - turns + 1) / turns;

    if (given == 0)
      knots[i] = i;
    else if (!control->closed)
      knots[i] = control->knots[i];
    else
      knots[i] = control->knots[at - turn * turns] + (double) turn * (control->knots[control->n] - control->knots[0]);
  }
  return true;
}

static bool
build_bspline (CurvePieces *pieces, const CurveControl *control, GError **error)
{
  const guint order = control->order > 0 ? control->order : 4, degree = order - 1;
  const bool phantom = control->rule.end == KG_END_PHANTOM && !control->closed;
  const guint count = control->n + (phantom ? 2 : 0), n = control->closed ? control->n + degree : count;
  g_autofree double *knots = g_new (double, n + order), *joints = NULL;
  g_autofree double (*values)[4] = g_malloc (n * sizeof *values);

  if (order < 2 || order > CURVE_MAX_ORDER || count < order)
    return refuse_curve (error, "a B-spline of order %u needs at least %u points, not %u", order, MAX (order, 2),
                         control->n);
  if (phantom && (order != 4 || control->weights != NULL || control->n_knots > 0))
    return refuse_curve (
        error,
        "phantom end points work only with uniform cubic B-splines without weights (order 4, not %u): use clamped knots instead",
        order);
  if (!get_bspline_knots (control, order, n, knots, error))
    return false;
  for (guint i = 0; i < n; i++) {
    const guint k = phantom ? (guint) kg_clamp (i - 1.0, 0, control->n - 1.0) : i % control->n;
    const double weight = control->weights != NULL ? control->weights[k] : 1;
    KgVector p = control->points[k];

    if (phantom && i == 0)
      p = kg_vector_subtract (kg_vector_scale (p, 2), control->points[1]);
    if (phantom && i == n - 1)
      p = kg_vector_subtract (kg_vector_scale (p, 2), control->points[control->n - 2]);
    values[i][0] = weight * p.x;
    values[i][1] = weight * p.y;
    values[i][2] = weight * p.z;
    values[i][3] = weight;
  }
  allocate (pieces, n - degree, degree, control->weights != NULL);
  joints = g_new (double, n - degree + 1);
  build_spans (pieces, (const double (*)[4]) values, n, knots, joints);
  if (pieces->n == 0)
    return refuse_curve (error, "all knots between %g and %g are equal: no segment of the curve is left", knots[degree],
                         knots[n]);
  for (guint i = degree + 1; i + order <= n; i++)
    if (knots[i] == knots[i + degree] && knots[i] > knots[degree] && knots[i] < knots[n]) {
      warn_once (&pieces->warning, "knot %g occurs %u times: the curve is cut there", knots[i], order);
      break;
    }
  if (control->n_knots > 0)
    pieces->knots = g_steal_pointer (&joints);
  return check_weights (pieces, control, error);
}

/* Pieces that are a single point: things stand still there. */
static void
check_extent (CurvePieces *pieces)
{
  const guint order = pieces->degree + 1;

  for (guint i = 0; i < pieces->n && pieces->weights == NULL; i++) {
    const KgVector *b = pieces->points + (size_t) i * order;
    bool moves = false;

    for (guint k = 1; k < order && !moves; k++)
      moves = kg_vector_length (kg_vector_subtract (b[k], b[0])) > 0;
    if (!moves)
      warn_once (&pieces->warning, "segment %u of the curve is a single point: its speed is zero", i);
  }
}

/* A single point is a curve that stays there, whatever its basis. */
static bool
build_point (CurvePieces *pieces, const CurveControl *control)
{
  allocate (pieces, 1, 1, false);
  pieces->points[0] = pieces->points[1] = control->points[0];
  warn_once (&pieces->warning, "a curve needs at least 2 points: the single point is used as a curve that stays there");
  return true;
}

bool
curve_pieces_build (CurvePieces *pieces, const CurveControl *control, GError **error)
{
  bool built = false;

  *pieces = (CurvePieces){ .n = 0 };
  if (control->n == 0)
    return refuse_curve (error, "no points: a curve needs at least 2");
  if (control->n == 1)
    return build_point (pieces, control);
  switch (control->basis) {
  case KG_BASIS_HERMITE:
    built = build_hermite (pieces, control, error);
    break;
  case KG_BASIS_CATMULL_ROM:
  case KG_BASIS_KOCHANEK_BARTELS:
  case KG_BASIS_CUBIC_SPLINE:
    built = build_through (pieces, control, error);
    break;
  case KG_BASIS_BEZIER:
    built = build_bezier (pieces, control, error);
    break;
  case KG_BASIS_BSPLINE:
    built = build_bspline (pieces, control, error);
    break;
  case KG_BASIS_FOUR_POINT:
    built = build_four_point (pieces, control, error);
    break;
  case KG_BASIS_LINEAR:
  case KG_N_BASES:
  default:
    built = build_linear (pieces, control, error);
    break;
  }
  if (!built) {
    curve_pieces_clear (pieces);
    return false;
  }
  check_extent (pieces);
  return true;
}

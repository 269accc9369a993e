/* curve/inspect: what kind of curve it is: how smooth at its joints, and what moving one point changes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/curve_geometry.h"
#include "curve/curve_joint.h"
#include "kg-node.h"
#include "kg-floats.h"

#include <inttypes.h>

typedef struct {
  const KgGeometry *geometry;
  int64_t curve;
  int64_t point;
  double tolerance;
  int64_t piece;
  int64_t parametric;
  int64_t geometric;
  int64_t degree;
  int64_t pieces;
  bool interpolates;
  bool rational;
  int64_t first_piece;
  int64_t last_piece;
  int64_t influenced;
  char *report;
  KgGeometry *influence;
  KgGeometry *joints;
} Inspect;

/* Points drawn for each piece, at most, and of all. */
#define INSPECT_STEPS 24
#define INSPECT_MAX_ROWS 40
/* Curves whose matrix is written: it takes a curve for each point. */
#define INSPECT_MAX_POINTS 200
#define INSPECT_MAX_COLUMNS 12

static const char *const inspect_bases[] = { "linear",   "Hermite",          "Catmull-Rom", "Bézier",
                                             "B-spline", "Kochanek-Bartels", "four-point",  "cubic spline" };

/* How far the Bezier points of each piece move when one control point moves by delta, as a share of it. */
static double *
inspect_influence (const CurveControl *control, const Curve *curve, guint point, double extent, GError **error)
{
  const guint n = curve_get_n_segments (curve), order = curve_get_degree (curve) + 1;
  const double delta = extent > 0 ? 0.01 * extent : 1;
  g_autofree KgVector *moved = g_memdup2 (control->points, control->n * sizeof *moved);
  g_autofree double *out = g_new0 (double, n);
  CurveControl other = *control;
  g_autoptr (Curve) perturbed = NULL;

  /* Across: moving a point along a line of points would not show. */
  moved[point] = kg_vector_add (moved[point], kg_vector (0.48 * delta, 0.6 * delta, 0.64 * delta));
  other.points = moved;
  perturbed = curve_new_from_control (&other, error);
  if (perturbed == NULL)
    return NULL;
  for (guint i = 0; i < n && curve_get_n_segments (perturbed) == n; i++)
    for (guint k = 0; k < order; k++) {
      const double d = kg_vector_distance (curve_get_bezier (curve, i)[k], curve_get_bezier (perturbed, i)[k]) / delta;

      out[i] = fmax (out[i], d > 1e-12 ? d : 0);
    }
  return g_steal_pointer (&out);
}

/* Each piece as a polyline, from grey to red by how much it moves, in the attribute influence. */
static bool
inspect_draw (Inspect *n, const Curve *curve, const double *influence, const KgContext *ctx, GError **error)
{
  n->influence = kg_geometry_new ();
  for (guint i = 0; i < curve_get_n_segments (curve); i++) {
    KgVector p[INSPECT_STEPS + 1];
    const double share = pow (fmin (influence[i], 1), 0.35);
    size_t first;
    float *cd, *amount;

    if (i % 64 == 63 && kg_context_is_cancelled (ctx))
      return false;
    for (guint k = 0; k <= INSPECT_STEPS; k++)
      p[k] = curve_evaluate_segment (curve, i, (double) k / INSPECT_STEPS, 0);
    if (!curve_geometry_add_polyline (n->influence, p, INSPECT_STEPS + 1, false, &first, error))
      return false;
    cd = kg_geometry_edit_float (n->influence, KG_POINTS, "Cd", 4) + 4 * first;
    amount = kg_geometry_edit_float (n->influence, KG_POINTS, "influence", 1) + first;
    for (guint k = 0; k <= INSPECT_STEPS; k++) {
      cd[4 * k] = (float) kg_lerp (0.08, 1, share);
      cd[4 * k + 1] = (float) kg_lerp (0.11, 0.06, share);
      cd[4 * k + 2] = (float) kg_lerp (0.2, 0.02, share);
      cd[4 * k + 3] = 1;
      amount[k] = (float) influence[i];
    }
  }
  return true;
}

/* The joints as points, with their classes. */
static bool
inspect_joints (Inspect *n, const Curve *curve, GString *report, const KgContext *ctx, GError **error)
{
  const guint count = curve_joint_count (curve);
  const double extent = curve_get_extent (curve);
  int32_t *c, *g;
  float *p;

  n->joints = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->joints, count, error))
    return false;
  p = kg_geometry_edit_positions (n->joints);
  c = kg_geometry_edit_int (n->joints, KG_POINTS, "parametric", 1);
  g = kg_geometry_edit_int (n->joints, KG_POINTS, "geometric", 1);
  n->parametric = n->geometric = count > 0 ? n->degree : -1;
  for (guint i = 0; i < count; i++) {
    const CurveJoint joint = curve_joint_measure (curve, i, extent, n->tolerance);
    const KgVector at = curve_evaluate_segment (curve, i, 1, 0);

    if (i % 64 == 63 && kg_context_is_cancelled (ctx))
      return false;
    kg_floats_set_vector (p, (size_t) i, at);
    c[i] = joint.parametric;
    g[i] = joint.geometric;
    n->parametric = MIN (n->parametric, joint.parametric);
    n->geometric = MIN (n->geometric, joint.geometric);
    if (i < INSPECT_MAX_ROWS)
      g_string_append_printf (report, "joint %u: C%d G%d%s, jumps %.3g %.3g %.3g %.3g\n", i, joint.parametric,
                              joint.geometric, joint.degenerate ? " degenerate (speed zero)" : "", joint.jumps[0],
                              joint.jumps[1], joint.jumps[2], joint.jumps[3]);
    else if (i == INSPECT_MAX_ROWS)
      g_string_append_printf (report, "and %u more joints\n", count - i);
  }
  return true;
}

/* Whether a point is where a piece ends, or passes one of the inner places of a four-point form. */
static bool
inspect_is_at (const CurveControl *control, const Curve *curve, guint segment, KgVector point, double least)
{
  const bool four = control->basis == KG_BASIS_FOUR_POINT;
  const double places[] = { 0, 1, four && control->n_knots == 4 ? control->knots[1] : 1.0 / 3,
                            four && control->n_knots == 4 ? control->knots[2] : 2.0 / 3 };

  for (guint i = 0; i < (four ? 4 : 2); i++)
    if (kg_vector_distance (point, curve_evaluate_segment (curve, segment, places[i], 0)) <= least)
      return true;
  return false;
}

/* Whether every control point is on the curve.  They come in order, so each search starts where the last one ended. */
static bool
inspect_interpolates (const CurveControl *control, const Curve *curve, double extent)
{
  const guint n = curve_get_n_segments (curve);
  guint segment = 0;

  for (guint i = 0; i < control->n; i++) {
    guint tried = 0;

    while (tried < n && !inspect_is_at (control, curve, segment, control->points[i], 1e-9 * extent)) {
      segment = (segment + 1) % n;
      tried++;
    }
    if (tried == n)
      return false;
  }
  return true;
}

/* The polynomial of one piece, coefficient by coefficient: a u³ + b u² + c u + d. */
static void
inspect_write_polynomial (const Curve *curve, guint segment, GString *report)
{
  double factorial = 1;

  g_string_append_printf (report, "segment %u, coefficients of u^0 ...:\n", segment);
  for (guint k = 0; k <= curve_get_degree (curve); k++) {
    const KgVector d = curve_evaluate_segment (curve, segment, 0, k);

    factorial *= k > 0 ? k : 1;
    g_string_append_printf (report, "u^%u: %.9g %.9g %.9g\n", k, d.x / factorial, d.y / factorial, d.z / factorial);
  }
}

/* Whether each piece is a sum of its control points, times functions of u that do not depend on where they are. */
static bool
inspect_is_sum (const CurveControl *control)
{
  return control->weights == NULL && control->rule.spacing == KG_SPACING_UNIFORM && !control->rule.bisector &&
         !control->rule.relative_lengths && control->n <= INSPECT_MAX_POINTS;
}

/* The coefficients of u of a piece, lowest first, that go with one point or tangent: those of the curve whose points and
 * tangents are all zero but for a one there.  False where that has no part in the piece. */
static bool
inspect_get_column (const CurveControl *control, KgVector *values, guint at, guint segment, guint degree,
                    double *column, GError **error)
{
  g_autoptr (Curve) curve = NULL;
  double factorial = 1;
  bool has_part = false;

  values[at] = kg_vector (1, 0, 0);
  curve = curve_new_from_control (control, error);
  values[at] = kg_vector (0, 0, 0);
  if (curve == NULL)
    return false;
  for (guint k = 0; k <= degree; k++) {
    factorial *= k > 0 ? k : 1;
    column[k] = curve_evaluate_segment (curve, segment, 0, k).x / factorial;
    has_part = has_part || fabs (column[k]) > 1e-12;
  }
  return has_part;
}

/* The constant matrix M of the basis, from the lowest power on the last row as books write it, and what B holds. */
static bool
inspect_write_matrix (const CurveControl *control, const Curve *curve, guint segment, GString *report, GError **error)
{
  const guint degree = curve_get_degree (curve), n_kinds = control->basis == KG_BASIS_HERMITE ? 3 : 1;
  g_autofree KgVector *zeros = g_new0 (KgVector, 3 * control->n);
  KgVector *const values[] = { zeros, zeros + control->n, zeros + 2 * control->n };
  static const char *const names[] = { "", "' out", "' in" };
  g_autoptr (GString) names_of = g_string_new (NULL);
  double columns[INSPECT_MAX_COLUMNS][CURVE_MAX_ORDER];
  CurveControl basis = *control;
  guint n = 0;

  basis.points = values[0];
  basis.tangent_out = values[1];
  basis.tangent_in = values[2];
  for (guint kind = 0; kind < n_kinds; kind++)
    for (guint i = 0; i < control->n; i++) {
      g_autoptr (GError) problem = NULL;
      double column[CURVE_MAX_ORDER];

      if (!inspect_get_column (&basis, values[kind], i, segment, degree, column, &problem)) {
        if (problem == NULL)
          continue;
        g_propagate_error (error, g_steal_pointer (&problem));
        return false;
      }
      if (n == INSPECT_MAX_COLUMNS) {
        g_string_append_printf (report, "this segment depends on more than %u points\n", n);
        return true;
      }
      memcpy (columns[n++], column, sizeof column);
      g_string_append_printf (names_of, "%sP%u%s", n > 1 ? ", " : "", i, names[kind]);
    }
  g_string_append_printf (report, "matrix form [u^%u ... 1] M B, B = %s, M:\n", degree, names_of->str);
  for (guint k = degree + 1; k-- > 0;)
    for (guint i = 0; i < n; i++)
      g_string_append_printf (report, "%.6g%c", fabs (columns[i][k]) > 1e-12 ? columns[i][k] : 0,
                              i + 1 < n ? ' ' : '\n');
  return true;
}

static bool
inspect_evaluate (Inspect *n, const KgContext *ctx, GError **error)
{
  g_auto (CurveControlCopy) copy = { .points = NULL };
  g_autoptr (Curve) curve = NULL;
  g_autoptr (GString) report = g_string_new (NULL);
  g_autofree double *influence = NULL;
  double extent;

  if (!curve_control_read (n->geometry, (size_t) n->curve, &copy, error))
    return false;
  curve = curve_new_from_control (&copy.control, error);
  if (curve == NULL)
    return false;
  if (curve_get_warning (curve) != NULL)
    kg_context_warn (ctx, "%s", curve_get_warning (curve));
  extent = curve_get_extent (curve);
  n->degree = curve_get_degree (curve);
  n->pieces = curve_get_n_segments (curve);
  n->rational = curve_get_bezier_weights (curve, 0) != NULL;
  n->interpolates = inspect_interpolates (&copy.control, curve, extent);
  if (n->point >= copy.control.n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "point %" PRId64 " does not exist: the curve has points 0 to %u",
                  n->point, copy.control.n - 1);
    return false;
  }
  influence = inspect_influence (&copy.control, curve, (guint) n->point, extent, error);
  if (influence == NULL)
    return false;
  n->first_piece = n->last_piece = -1;
  for (guint i = 0; i < n->pieces; i++)
    if (influence[i] > 0) {
      n->first_piece = n->first_piece < 0 ? i : n->first_piece;
      n->last_piece = i;
      n->influenced++;
    }
  g_string_append_printf (report,
                          "%s, degree %" PRId64 "%s, %" PRId64 " segments, %s\n"
                          "point %" PRId64 " affects %" PRId64 " of them\n",
                          inspect_bases[copy.control.basis], n->degree, n->rational ? ", rational" : "", n->pieces,
                          n->interpolates ? "interpolates its points" : "approximates its points", n->point,
                          n->influenced);
  if (!inspect_joints (n, curve, report, ctx, error) || !inspect_draw (n, curve, influence, ctx, error))
    return false;
  if (!n->rational)
    inspect_write_polynomial (curve, (guint) MIN (n->piece, n->pieces - 1), report);
  if (inspect_is_sum (&copy.control) &&
      !inspect_write_matrix (&copy.control, curve, (guint) MIN (n->piece, n->pieces - 1), report, error))
    return false;
  n->report = g_string_free (g_steal_pointer (&report), FALSE);
  return true;
}

static const KgSlot inspect_slots[] = {
  KG_INPUT (Inspect, geometry, GEOMETRY, .label = N_ ("Curve"), .help = N_ ("A geometry with splines or polylines.")),
  KG_INPUT (Inspect, curve, INTEGER, .label = N_ ("Curve index"), .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Index of the curve in the geometry, from 0.")),
  KG_INPUT (Inspect, point, INTEGER, .label = N_ ("Point"), .min = 0, .max = 1e9, .soft_max = 20,
            .help = N_ ("Index of the control point whose influence is shown.")),
  KG_INPUT (
      Inspect, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-6, .min = 0, .max = 1, .soft_max = 0.001,
      .help = N_ (
          "Largest difference that does not count as a jump, as a fraction of the extent of the curve. Typed handles and tangents are exact to about a millionth.")),
  KG_INPUT (Inspect, piece, INTEGER, .label = N_ ("Segment"), .min = 0, .max = 1e9, .soft_max = 20,
            .help = N_ ("Index of the segment whose polynomial and matrix are written to the report.")),
  KG_OUTPUT (
      Inspect, parametric, INTEGER, .label = N_ ("C"),
      .help = N_ (
          "Highest derivative that is continuous at all joints: 0 the position, 1 the speed, 2 the acceleration. -1: the curve is cut, or has no joint.")),
  KG_OUTPUT (Inspect, geometric, INTEGER, .label = N_ ("G"),
             .help = N_ ("The same for the shape alone: 1 the direction, 2 the curvature.")),
  KG_OUTPUT (Inspect, degree, INTEGER, .label = N_ ("Degree"), .help = N_ ("Degree of the segments.")),
  KG_OUTPUT (Inspect, pieces, INTEGER, .label = N_ ("Segments"), .help = N_ ("Number of segments.")),
  KG_OUTPUT (Inspect, interpolates, BOOLEAN, .label = N_ ("Through its points"),
             .help = N_ ("Whether every control point is on the curve.")),
  KG_OUTPUT (Inspect, rational, BOOLEAN, .label = N_ ("Rational"), .help = N_ ("Whether the curve has weights.")),
  KG_OUTPUT (Inspect, first_piece, INTEGER, .label = N_ ("First changed"),
             .help = N_ ("First segment that moves with the point; -1: none.")),
  KG_OUTPUT (Inspect, last_piece, INTEGER, .label = N_ ("Last changed"),
             .help = N_ ("Last segment that moves with the point; -1: none.")),
  KG_OUTPUT (Inspect, influenced, INTEGER, .label = N_ ("Changed"),
             .help = N_ ("Number of segments that move with the point: if few, the control is local; if all, global.")),
  KG_OUTPUT (Inspect, report, TEXT, .label = N_ ("Report"), .help = N_ ("All results as text and numbers.")),
  KG_OUTPUT (Inspect, influence, GEOMETRY, .label = N_ ("Influence"),
             .help = N_ ("The curve, drawn red where it moves with the point.")),
  KG_OUTPUT (Inspect, joints, GEOMETRY, .label = N_ ("Segment joints"),
             .help = N_ ("The joints as points, with the attributes parametric and geometric.")),
};

KG_NODE (
    curve, inspect, Inspect, .label = N_ ("Inspect Curve"), .version = 1, .since = "0.1",
    .tags = N_ ("continuity smooth joint C1 G1 locality influence degree report analyse"),
    .formula = "Cᵏ at a joint: P⁽ʲ⁾(u−) = P⁽ʲ⁾(u+) for j = 0 … k\n"
               "G¹: P′/|P′| equal on both sides; G²: also κN = (P′ × P″) × P′ / |P′|⁴\n"
               "influence of point i: |P(u; Pᵢ + δ) − P(u; Pᵢ)|\n"
               "matrix: P(u) = [u³ u² u 1] · M · B",
    .source = "Barsky and DeRose, Geometric Continuity of Parametric Curves, 1989; "
              "Parent, Computer Animation, 3.1.1 and B.4.1",
    .help = N_ (
        "Analyses a curve: its degree, how smooth it is at its joints, in speed and in shape, and how far the influence of a point extends. Use it to choose a basis, or to find a corner."));

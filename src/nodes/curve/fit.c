/* curve/fit: a B-spline through points, or near them, at given times.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/bspline.h"
#include "curve/curve.h"
#include "curve/curve_geometry.h"
#include "kg-node.h"

#include <inttypes.h>

typedef struct {
  const KgGeometry *control;
  const KgTable *points;
  const KgTable *times;
  int spacing;
  int64_t order;
  int64_t control_points;
  int knots;
  const KgTable *knot_values;
  KgGeometry *geometry;
  double residual;
  double largest;
} Fit;

static const KgChoice fit_spacings[] = {
  [KG_SPACING_UNIFORM] = { "uniform", N_ ("Uniform: one unit per point") },
  [KG_SPACING_CHORD] = { "chord", N_ ("By distance") },
  [KG_SPACING_CENTRIPETAL] = { "centripetal", N_ ("By the square root of the distance") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (fit_spacings, KG_N_SPACINGS);

enum { FIT_AVERAGED = BSPLINE_KNOTS_AVERAGED, FIT_UNIFORM = BSPLINE_KNOTS_UNIFORM, FIT_CUSTOM, N_KNOTS };

static const KgChoice fit_knots[] = {
  [FIT_AVERAGED] = { "averaged", N_ ("Averaged from the times") },
  [FIT_UNIFORM] = { "uniform", N_ ("Even") },
  [FIT_CUSTOM] = { "custom", N_ ("As typed") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (fit_knots, N_KNOTS);

/* One time for each point: typed, or from the distances. */
static double *
fit_read_times (const Fit *n, const KgVector *points, guint count, GError **error)
{
  const double *typed = kg_table_get_cells (n->times);
  g_autofree double *times = g_new (double, MAX (count, 1));

  if (typed != NULL && kg_table_get_n_rows (n->times) != count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%zu times for %u points: give one for each point, or none",
                  kg_table_get_n_rows (n->times), count);
    return NULL;
  }
  for (guint i = 0; i < count; i++) {
    const double chord = i > 0 ? kg_vector_distance (points[i - 1], points[i]) : 0;
    const double step = n->spacing == KG_SPACING_CHORD         ? chord
                        : n->spacing == KG_SPACING_CENTRIPETAL ? sqrt (chord)
                                                               : 1;

    times[i] = typed != NULL ? typed[i] : i > 0 ? times[i - 1] + step : 0;
    if (i > 0 && !(times[i] > times[i - 1])) {
      kg_set_error (
          error, KG_ERROR_DEGENERATE,
          typed != NULL
              ? N_ ("the time of point %u is %g after %g: times must increase")
              : N_ ("the time of point %u is %g after %g: times must increase; separate the points, or choose uniform spacing"),
          i, times[i], times[i - 1]);
      return NULL;
    }
  }
  return g_steal_pointer (&times);
}

static bool
fit_check (const Fit *n, guint count, guint unknowns, GError **error)
{
  if (count < n->order) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "a curve of order %" PRId64 " needs at least as many points, not %u: add points or lower the order",
                  n->order, count);
    return false;
  }
  if (unknowns < n->order || unknowns > count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%u control points for %u points of order %" PRId64 ": give from %" PRId64 " to %u", unknowns, count,
                  n->order, n->order, count);
    return false;
  }
  return true;
}

/* n + order knots, that hold the times between their inner ends. */
static double *
fit_make_knots (const Fit *n, const double *times, guint count, guint unknowns, GError **error)
{
  const guint order = (guint) n->order, wanted = unknowns + order;
  g_autofree double *knots = g_new (double, wanted);
  if (n->knots != FIT_CUSTOM) {
    bspline_fit_knots (times, count, unknowns, order, (BsplineKnots) n->knots, knots);
    return g_steal_pointer (&knots);
  }
  if (kg_table_get_n_rows (n->knot_values) != wanted) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%zu knots for %u control points of order %u: give %u (points plus order)",
                  kg_table_get_n_rows (n->knot_values), unknowns, order, wanted);
    return NULL;
  }
  for (guint i = 0; i < wanted; i++) {
    knots[i] = *kg_table_get_row (n->knot_values, i);
    if (i > 0 && !(knots[i] >= knots[i - 1])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "knot %u is %g after %g: knots must not decrease", i, knots[i],
                    knots[i - 1]);
      return NULL;
    }
  }
  if (!(knots[order - 1] <= times[0]) || !(knots[unknowns] >= times[count - 1])) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the knots cover the times %g to %g, but the points are at %g to %g: widen the range of the knots",
                  knots[order - 1], knots[unknowns], times[0], times[count - 1]);
    return NULL;
  }
  return g_steal_pointer (&knots);
}

static bool
fit_evaluate (Fit *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  guint count = 0, unknowns;
  g_autofree KgVector *points = curve_geometry_read_points (n->control, n->points, &count);
  g_autofree KgVector *solved = NULL;
  g_autofree double *times = NULL, *knots = NULL;
  CurveControl control = { .basis = KG_BASIS_BSPLINE, .order = (guint) n->order };
  double sum = 0;

  unknowns = n->control_points > 0 ? (guint) MIN (n->control_points, UINT32_MAX) : count;
  if (!fit_check (n, count, unknowns, error))
    return false;
  times = fit_read_times (n, points, count, error);
  knots = times != NULL ? fit_make_knots (n, times, count, unknowns, error) : NULL;
  if (knots == NULL)
    return false;
  solved = g_new (KgVector, unknowns);
  if (!bspline_fit (points, times, count, knots, unknowns, (guint) n->order, solved, &monitor, error))
    return false;
  for (guint i = 0; i < count; i++) {
    const KgVector p = bspline_evaluate (solved, knots, unknowns, (guint) n->order, times[i]);
    const double miss = kg_vector_distance (p, points[i]);

    sum += miss * miss;
    n->largest = fmax (n->largest, miss);
  }
  n->residual = sqrt (sum / count);
  if (!isfinite (n->residual)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the fit is too far away to compute: use points and times of similar magnitude");
    return false;
  }
  control.n = unknowns;
  control.points = solved;
  control.n_knots = unknowns + (guint) n->order;
  control.knots = knots;
  n->geometry = kg_geometry_new ();
  return curve_geometry_add (n->geometry, &control, error);
}

static const KgSlot fit_slots[] = {
  KG_INPUT (
      Fit, points, TABLE, .label = N_ ("Points"), .columns = kg_table_points,
      .handle = { KG_HANDLE_POINTS, .unless_linked = "control" }, .def_text = "-2 -1\n-0.5 1\n1 -0.5\n2 1",
      .help =
          N_ ("Points that the curve is fitted to, one per line, as x y or x y z. Not used while Control is linked.")),
  KG_INPUT (Fit, control, GEOMETRY, .label = N_ ("Control"), .optional = true,
            .help = N_ ("A geometry whose points, in order, the curve is fitted to.")),
  KG_INPUT (
      Fit, times, TABLE, .label = N_ ("Times"), .columns = kg_table_numbers,
      .help = N_ (
          "Time at which the curve reaches each point: one number per point, increasing. The times become the parameter of the curve: Evaluate Curve then moves with the right timing when measured by the curve's own parameter. Empty: from the spacing.")),
  KG_INPUT (Fit, spacing, CHOICE, .label = N_ ("Spacing"), .choices = fit_spacings,
            .help = N_ ("How the parameter is spaced from point to point if there are no times.")),
  KG_INPUT (Fit, order, INTEGER, .label = N_ ("Order"), .def = 4, .min = 2, .max = BSPLINE_MAX_ORDER, .soft_max = 6,
            .help = N_ ("4 is cubic; 2 is straight lines.")),
  KG_INPUT (
      Fit, control_points, INTEGER, .label = N_ ("Control points"), .min = 0, .max = 100000, .soft_max = 20,
      .help = N_ (
          "0 or the number of points: the curve passes exactly through all points, however much it has to wiggle. Fewer: a smoother curve that stays as close to the points as it can.")),
  KG_INPUT (Fit, knots, CHOICE, .label = N_ ("Knots"), .choices = fit_knots,
            .help = N_ ("How the knots, at which the segments of the curve meet, are placed.")),
  KG_INPUT (Fit, knot_values, TABLE, .shown_when = "knots=custom", .label = N_ ("Knot values"),
            .columns = kg_table_numbers,
            .help = N_ ("As many numbers as control points plus order, in non-decreasing order.")),
  KG_OUTPUT (Fit, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The fitted curve, as one B-spline.")),
  KG_OUTPUT (Fit, residual, NUMBER, .label = N_ ("Residual"), .unit = KG_METRES,
             .help = N_ ("Root mean square distance of the curve from the points, at their times.")),
  KG_OUTPUT (Fit, largest, NUMBER, .label = N_ ("Largest error"), .unit = KG_METRES,
             .help = N_ ("Distance of the curve from the point that it misses most.")),
};

KG_NODE (
    curve, fit, Fit, .label = N_ ("Fit Curve"), .version = 1, .since = "0.1",
    .tags = N_ ("interpolate approximate least squares b-spline times smooth reconstruct"),
    .formula = "P(t) = Σ Bᵢ Nᵢ,ₖ(t), so that P(tⱼ) = Pⱼ\n"
               "as many control points as positions: N B = P; fewer: (NᵀN) B = NᵀP, solved by QR of the band\n"
               "averaged knots: xₘ₊ₖ₋₁ = (tₘ₊₁ + … + tₘ₊ₖ₋₁) / (k − 1)",
    .source =
        "de Boor, A Practical Guide to Splines, 1978; Schoenberg and Whitney 1953; Parent, Computer Animation, 3.2.6",
    .help = N_ (
        "Makes a curve that passes given points at given times. With as many control points as points it passes through all of them; with fewer it is smoother and only near them, which removes jitter from traced or recorded paths."));

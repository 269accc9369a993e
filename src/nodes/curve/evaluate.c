/* curve/evaluate: point, tangent and frame on a curve.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/frames.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  int64_t curve;
  double parameter;
  int by;
  int beyond;
  KgVector up;
  KgVector point;
  KgVector tangent;
  KgTransform frame;
  double speed;
  double length;
  KgVector velocity;
  KgVector acceleration;
  KgVector jerk;
  double curvature;
  double natural;
} Evaluate;

enum { EVALUATE_LENGTH_FRACTION, EVALUATE_NORMALIZED, EVALUATE_NATURAL, EVALUATE_METRES, EVALUATE_KNOTS, N_BY };

static const KgChoice evaluate_by[] = {
  [EVALUATE_LENGTH_FRACTION] = { "length", N_ ("Fraction of the length") },
  [EVALUATE_NORMALIZED] = { "normalized", N_ ("Parameter, 0 to 1") },
  [EVALUATE_NATURAL] = { "natural", N_ ("Parameter, one per segment") },
  [EVALUATE_METRES] = { "metres", N_ ("Metres along the curve") },
  [EVALUATE_KNOTS] = { "knots", N_ ("The curve's own parameter (times, knots)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (evaluate_by, N_BY);

enum { BEYOND_HOLD, BEYOND_EXTRAPOLATE, N_BEYOND };

static const KgChoice evaluate_beyond[] = {
  [BEYOND_HOLD] = { "hold", N_ ("Hold the end") },
  [BEYOND_EXTRAPOLATE] = { "extrapolate", N_ ("Extrapolate the last segment") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (evaluate_beyond, N_BEYOND);

typedef struct {
  const KgGeometry *geometry;
  size_t index;
  const KgContext *ctx;
} EvaluateBuild;

/* The curve with its table of lengths is kept from frame to frame. */
static void *
evaluate_build (gpointer data, size_t *bytes, GError **error)
{
  const EvaluateBuild *build = (const EvaluateBuild *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  g_autoptr (Curve) curve = curve_new (build->geometry, build->index, error);

  if (curve == NULL || !curve_prepare_lengths (curve, &monitor))
    return NULL;
  *bytes = curve_get_bytes (curve);
  return g_steal_pointer (&curve);
}

/* The natural parameter.  Outside 0..segments only where the polynomials of an open curve are to go on. */
static double
evaluate_get_parameter (const Evaluate *n, const Curve *curve)
{
  const double length = curve_get_length (curve), segments = curve_get_n_segments (curve);
  const double first = curve_get_knot (curve, 0), last = curve_get_knot (curve, curve_get_n_segments (curve));
  const bool extrapolates = n->beyond == BEYOND_EXTRAPOLATE && !curve_is_closed (curve);
  double x = n->parameter;

  if (n->by == EVALUATE_NATURAL)
    return x;
  if (n->by == EVALUATE_KNOTS) {
    if (extrapolates && x < first)
      return (x - first) / (curve_get_knot (curve, 1) - first);
    if (extrapolates && x > last)
      return segments + (x - last) / (last - curve_get_knot (curve, curve_get_n_segments (curve) - 1));
    return curve_own_to_natural (curve, x);
  }
  if (n->by == EVALUATE_METRES)
    x = length > 0 ? x / length : 0;
  if (n->by == EVALUATE_NORMALIZED && extrapolates)
    return x * segments;
  /* Round and round on a closed curve; the ends hold on an open one. */
  x = curve_is_closed (curve) && (x < 0 || x > 1) ? x - floor (x) : kg_clamp (x, 0, 1);
  return n->by == EVALUATE_NORMALIZED ? x * segments : curve_get_parameter (curve, x * length);
}

/* Keeps what a far extrapolation may overflow to from going on. */
static bool
evaluate_check (const Evaluate *n, GError **error)
{
  if (kg_vector_is_finite (n->point) && kg_vector_is_finite (n->velocity) && kg_vector_is_finite (n->acceleration) &&
      kg_vector_is_finite (n->jerk) && isfinite (n->speed) && isfinite (n->curvature))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "at the parameter %g the curve is too far away to compute",
                n->parameter);
  return false;
}

static bool
evaluate_evaluate (Evaluate *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  EvaluateBuild build = { n->geometry, (size_t) n->curve, ctx };
  const KgHash key = kg_hash_uint (kg_context_get_fingerprint (ctx, offsetof (Evaluate, geometry)), build.index);
  const Curve *curve =
      (const Curve *) kg_context_memo (ctx, key, evaluate_build, &build, (GDestroyNotify) curve_free, error);
  double u, inside, t, speed, segments;
  guint segment;
  KgVector first, second;
  GError *warning = NULL;

  if (curve == NULL)
    return false;
  frames_check_up (n->up, &warning);
  kg_context_take_warning (ctx, warning);
  u = evaluate_get_parameter (n, curve);
  segments = curve_get_n_segments (curve);
  inside = curve_is_closed (curve) ? u - segments * floor (u / segments) : u;
  inside = kg_clamp (inside, 0, segments);
  segment = (guint) kg_clamp (floor (inside), 0, segments - 1);
  t = n->beyond == BEYOND_EXTRAPOLATE && !curve_is_closed (curve) ? u - segment : inside - segment;
  n->natural = segment + t;
  n->point = curve_evaluate_segment (curve, segment, t, 0);
  n->velocity = curve_evaluate_own (curve, segment, t, 1);
  n->acceleration = curve_evaluate_own (curve, segment, t, 2);
  n->jerk = curve_evaluate_own (curve, segment, t, 3);
  n->tangent = curve_get_tangent (curve, inside);
  if (!curve_get_frames (curve, &inside, 1, n->up, &monitor, &n->frame))
    return false;
  first = curve_evaluate_segment (curve, segment, t, 1);
  second = curve_evaluate_segment (curve, segment, t, 2);
  speed = kg_vector_length (first);
  n->speed = speed;
  if (speed > 1e-9 * curve_get_length (curve) / segments)
    n->curvature = kg_vector_length (kg_vector_cross (first, second)) / (speed * speed * speed);
  n->length = curve_get_length (curve);
  return evaluate_check (n, error);
}

static const KgSlot evaluate_slots[] = {
  KG_INPUT (Evaluate, geometry, GEOMETRY, .label = N_ ("Curve"), .help = N_ ("A geometry with splines or polylines.")),
  KG_INPUT (Evaluate, parameter, NUMBER, .label = N_ ("Parameter"), .soft_max = 1,
            .help = N_ ("Position on the curve. Link an ease here to travel along it with a soft start and stop.")),
  KG_INPUT (
      Evaluate, by, CHOICE, .label = N_ ("Measured by"), .choices = evaluate_by,
      .help = N_ (
          "Equal steps in the fraction of the length are equal steps on the curve; equal steps in a parameter are not.")),
  KG_INPUT (Evaluate, curve, INTEGER, .label = N_ ("Curve index"), .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Index of the curve in the geometry, from 0.")),
  KG_INPUT (Evaluate, beyond, CHOICE, .label = N_ ("Beyond the ends"), .choices = evaluate_beyond,
            .help = N_ ("What to do with a parameter outside an open curve. Lengths always hold the end.")),
  KG_INPUT (Evaluate, up, VECTOR, .label = N_ ("Up"), .def_v = { 0, 1, 0 },
            .help = N_ ("Direction of the frame's second axis at the start, as closely as the tangent allows.")),
  KG_OUTPUT (Evaluate, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES, .help = N_ ("Position on the curve.")),
  KG_OUTPUT (Evaluate, tangent, VECTOR, .label = N_ ("Tangent"), .help = N_ ("Direction of travel, of length 1.")),
  KG_OUTPUT (Evaluate, frame, TRANSFORM, .label = N_ ("Frame"),
             .help = N_ ("Places an object on the curve, with x along it and without unnecessary twist.")),
  KG_OUTPUT (Evaluate, speed, NUMBER, .label = N_ ("Speed"),
             .help = N_ ("Metres per unit of the segment's parameter.")),
  KG_OUTPUT (Evaluate, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES,
             .help = N_ ("Length of the whole curve.")),
  KG_OUTPUT (
      Evaluate, velocity, VECTOR, .label = N_ ("Velocity"),
      .help = N_ (
          "First derivative with respect to the curve's own parameter: metres per second on a curve fitted to times, otherwise per segment.")),
  KG_OUTPUT (Evaluate, acceleration, VECTOR, .label = N_ ("Acceleration"),
             .help = N_ ("Second derivative with respect to the same parameter.")),
  KG_OUTPUT (Evaluate, jerk, VECTOR, .label = N_ ("Jerk"),
             .help = N_ ("Third derivative with respect to the same parameter.")),
  KG_OUTPUT (
      Evaluate, curvature, NUMBER, .label = N_ ("Curvature"),
      .help = N_ ("One over the radius of the bend, independent of the parameter. 0 if the curve stands still there.")),
  KG_OUTPUT (
      Evaluate, natural, NUMBER, .label = N_ ("Parameter found"),
      .help = N_ (
          "Parameter of the point, one per segment; if a fraction of the length is given, the parameter at that length.")),
};

KG_NODE (
    curve, evaluate, Evaluate, .label = N_ ("Evaluate Curve"), .version = 1, .since = "0.1",
    .tags = N_ ("path follow arc length position tangent frenet frame along"),
    .formula = "piece: P(u) = a u³ + b u² + c u + d\n"
               "P′ = 3a u² + 2b u + c, P″ = 6a u + 2b, P‴ = 6a\n"
               "by length: the u at which ∫ |P′| du = fraction · length",
    .source = "Parent, Computer Animation, 3.2.1 and B.4.4",
    .help = N_ (
        "Finds a point on a curve, with its direction and a frame for placing things. When measured by length, an even change of the parameter is an even movement along the curve, whatever the spacing of its points."));

/* curve/evaluate: point, tangent and frame on a curve.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  int64_t curve;
  double parameter;
  int by;
  KgVector up;
  KgVector point;
  KgVector tangent;
  KgTransform frame;
  double speed;
  double length;
} Evaluate;

enum { EVALUATE_LENGTH_FRACTION, EVALUATE_NORMALIZED, EVALUATE_NATURAL, EVALUATE_METRES };

static const KgChoice evaluate_by[] = {
  { "length", N_ ("Share of the length") },
  { "normalized", N_ ("Parameter, 0 to 1") },
  { "natural", N_ ("Parameter, one a segment") },
  { "metres", N_ ("Metres along the curve") },
  { NULL, NULL },
};

typedef struct {
  const KgGeometry *geometry;
  size_t index;
} EvaluateBuild;

/* The curve with its table of lengths is kept from frame to frame. */
static void *
evaluate_build (gpointer data, size_t *bytes, GError **error)
{
  const EvaluateBuild *build = (const EvaluateBuild *) data;
  Curve *curve = curve_new (build->geometry, build->index, error);

  if (curve != NULL)
    *bytes = 1024 * (size_t) curve_get_n_segments (curve);
  return curve;
}

static double
evaluate_get_parameter (const Evaluate *n, const Curve *curve)
{
  const double length = curve_get_length (curve);
  double x = n->parameter;

  if (n->by == EVALUATE_NATURAL)
    return x;
  if (n->by == EVALUATE_METRES)
    x = length > 0 ? x / length : 0;
  /* Round and round on a closed curve; the ends hold on an open one. */
  x = curve_is_closed (curve) && (x < 0 || x > 1) ? x - floor (x) : kg_clamp (x, 0, 1);
  return n->by == EVALUATE_NORMALIZED ? x * curve_get_n_segments (curve) : curve_get_parameter (curve, x * length);
}

static bool
evaluate_evaluate (Evaluate *n, const KgContext *ctx, GError **error)
{
  EvaluateBuild build = { n->geometry, (size_t) n->curve };
  const KgHash key = kg_hash_uint (kg_context_get_fingerprint (ctx, offsetof (Evaluate, geometry)), build.index);
  const Curve *curve =
      (const Curve *) kg_context_memo (ctx, key, evaluate_build, &build, (GDestroyNotify) curve_free, error);
  double u;

  if (curve == NULL)
    return false;
  u = evaluate_get_parameter (n, curve);
  n->point = curve_evaluate (curve, u, 0);
  n->tangent = curve_get_tangent (curve, u);
  n->frame = curve_get_frame (curve, u, n->up);
  n->speed = kg_vector_length (curve_evaluate (curve, u, 1));
  n->length = curve_get_length (curve);
  return true;
}

static const KgSlot evaluate_slots[] = {
  KG_INPUT (Evaluate, geometry, GEOMETRY, .label = N_ ("Curve"), .help = N_ ("A geometry with splines or polylines.")),
  KG_INPUT (Evaluate, parameter, NUMBER, .label = N_ ("Parameter"), .soft_max = 1,
            .help = N_ ("Where on the curve. Feed it an ease to travel along with a soft start and stop.")),
  KG_INPUT (Evaluate, by, CHOICE, .label = N_ ("Measured by"), .choices = evaluate_by,
            .help = N_ ("Equal steps of a share of the length are equal steps on the curve; equal steps of a "
                        "parameter are not.")),
  KG_INPUT (Evaluate, curve, INTEGER, .label = N_ ("Which"), .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Which of the curves of the geometry, from 0.")),
  KG_INPUT (Evaluate, up, VECTOR, .label = N_ ("Up"), .def_v = { 0, 1, 0 },
            .help = N_ ("Where the frame's second axis points at the start, as far as the tangent lets it.")),
  KG_OUTPUT (Evaluate, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES, .help = N_ ("The place.")),
  KG_OUTPUT (Evaluate, tangent, VECTOR, .label = N_ ("Tangent"), .help = N_ ("The direction of travel, of length 1.")),
  KG_OUTPUT (Evaluate, frame, TRANSFORM, .label = N_ ("Frame"),
             .help = N_ ("Puts an object on the curve, x along it, without needless twisting.")),
  KG_OUTPUT (Evaluate, speed, NUMBER, .label = N_ ("Speed"),
             .help = N_ ("Metres for one unit of the parameter of a segment.")),
  KG_OUTPUT (Evaluate, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES, .help = N_ ("Of the whole curve.")),
};

KG_NODE (
    curve, evaluate, Evaluate, .label = N_ ("Evaluate Curve"), .version = 1, .since = "0.1",
    .tags = N_ ("path follow arc length position tangent frenet frame along"),
    .help = N_ ("Finds a point on a curve, with its direction and a frame to place things by. Measured by length, an "
                "even movement of the parameter is an even movement along the curve, whatever the spacing of its "
                "points."));

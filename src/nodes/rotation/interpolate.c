/* rotation/interpolate: from one orientation to another, in the ways there are.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/conversion.h"
#include "kg-node.h"
#include "rotation/quaternion.h"

typedef struct {
  KgRotation a;
  KgRotation b;
  double t;
  int method;
  bool shortest;
  int64_t depth;
  KgRotation rotation;
  double angle;
  double whole;
  double size;
} Interpolate;

enum { METHOD_SLERP, METHOD_LERP, METHOD_SUBDIVIDE, METHOD_ANGLES, N_METHODS };

static const KgChoice interpolate_methods[] = {
  [METHOD_SLERP] = { "slerp", N_ ("Spherical (slerp): constant speed") },
  [METHOD_LERP] = { "lerp", N_ ("Linear, then scaled to length 1: faster in the middle") },
  [METHOD_SUBDIVIDE] = { "subdivide", N_ ("Spherical by halving: powers of two only") },
  [METHOD_ANGLES] = { "angles", N_ ("The three angles, for comparison") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (interpolate_methods, N_METHODS);

static KgRotation
interpolate_linearly (Interpolate *n, KgRotation b, const KgContext *ctx)
{
  const Quaternion q = quaternion_add (quaternion_from_rotation (n->a, 1 - n->t), quaternion_from_rotation (b, n->t));

  n->size = quaternion_norm (q);
  if (n->size > 1e-12)
    return quaternion_to_rotation (q);
  kg_context_warn (
      ctx, "a and b are opposite quaternions, and halfway between them is zero: a is used; turn on Shortest path");
  return n->a;
}

static KgRotation
interpolate_angles (const Interpolate *n)
{
  bool locked;
  const KgVector from = conversion_to_euler (n->a, EULER_XYZ, false, &locked);
  const KgVector to = conversion_to_euler (n->b, EULER_XYZ, false, &locked);

  return kg_rotation_from_angles (kg_vector_lerp (from, to, n->t));
}

static bool
interpolate_evaluate (Interpolate *n, const KgContext *ctx, GError **error)
{
  const double dot = quaternion_dot (n->a, n->b);
  const KgRotation b = n->shortest ? quaternion_align (n->a, n->b) : n->b;

  (void) error;
  if (fabs (dot) < 1e-12 && n->shortest)
    kg_context_warn (ctx, "a and b are 180 degrees apart, so both paths are equally short: b is used as it is given");
  n->size = 1;
  n->whole = 2 * quaternion_angle (n->a, b);
  if (n->method != METHOD_LERP && n->method != METHOD_ANGLES && 2 * KG_PI - n->whole < 2e-6)
    kg_context_warn (ctx,
                     "a and b are opposite quaternions: the full rotation between them is about an arbitrary axis");
  switch (n->method) {
  case METHOD_SLERP:
    n->rotation = quaternion_slerp (n->a, b, n->t);
    break;
  case METHOD_LERP:
    n->rotation = interpolate_linearly (n, b, ctx);
    break;
  case METHOD_SUBDIVIDE:
    n->rotation = quaternion_slerp_dyadic (n->a, b, (guint) lround (kg_clamp (n->t, 0, 1) * (double) (1u << n->depth)),
                                           (guint) n->depth);
    break;
  case METHOD_ANGLES:
  default:
    n->rotation = interpolate_angles (n);
    break;
  }
  n->angle = 2 * quaternion_angle (n->a, n->rotation);
  return true;
}

static const KgSlot interpolate_slots[] = {
  KG_INPUT (Interpolate, a, ROTATION, .label = N_ ("From"), .help = N_ ("Orientation at 0.")),
  KG_INPUT (Interpolate, b, ROTATION, .label = N_ ("To"), .help = N_ ("Orientation at 1.")),
  KG_INPUT (
      Interpolate, t, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_PHASE, .soft_max = 1,
      .help = N_ (
          "0 to 1. Link an ease here to start and stop softly. Without a link it runs once over the frame range of the graph.")),
  KG_INPUT (
      Interpolate, method, CHOICE, .label = N_ ("Method"), .choices = interpolate_methods,
      .help = N_ (
          "How to get from one orientation to the other. Spherical rotates about one axis at a constant speed; linear takes the same path but is slow at the ends; angles deviate from the path.")),
  KG_INPUT (
      Interpolate, shortest, BOOLEAN, .label = N_ ("Shortest path"), .def = 1,
      .help = N_ (
          "Every orientation corresponds to two quaternions: uses the nearer one, so that the rotation is at most 180 degrees. When off, it may go the long way round.")),
  KG_INPUT (Interpolate, depth, INTEGER, .label = N_ ("Depth"), .def = 5, .min = 0, .max = 16,
            .shown_when = "method=subdivide",
            .help = N_ ("How many times the arc is halved: the time is rounded to that fraction, with 5 to 1/32.")),
  KG_OUTPUT (Interpolate, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("Orientation at this time.")),
  KG_OUTPUT (Interpolate, angle, NUMBER, .label = N_ ("Current angle"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the rotation so far.")),
  KG_OUTPUT (Interpolate, whole, NUMBER, .label = N_ ("Total angle"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the rotation from 0 to 1; above 180 if it goes the long way round.")),
  KG_OUTPUT (Interpolate, size, NUMBER, .label = N_ ("Length"),
             .help = N_ ("Length of the linear mix before it is scaled to 1: how far the chord is inside the sphere.")),
};

KG_NODE (
    rotation, interpolate, Interpolate, .label = N_ ("Interpolate Rotation"), .version = 1, .since = "0.1",
    .tags = N_ ("slerp lerp nlerp quaternion blend mix between turn euler"),
    .formula = "slerp: q = sin((1 − t)θ)/sin θ · a + sin(tθ)/sin θ · b, cos θ = a · b\n"
               "lerp: q = ((1 − t) a + t b)/|(1 − t) a + t b|\n"
               "subdivide: the midpoint is (a + b)/|a + b|, then recursively for each half\n"
               "shortest: b ← −b if a · b < 0",
    .source = "Shoemake, Animating Rotation with Quaternion Curves, 1985; Parent, Computer Animation, 3.3",
    .help = N_ (
        "Rotates from one orientation to another. Spherical interpolation is usually what you want; the other methods are there for comparison, and for speed."));

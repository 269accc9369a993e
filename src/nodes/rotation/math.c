/* rotation/math: arithmetic with rotations and quaternions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rotation/quaternion.h"

typedef struct {
  int operation;
  KgRotation a;
  double a_size;
  KgRotation b;
  double b_size;
  double power;
  KgRotation rotation;
  double size;
  double scalar;
  KgVector vector;
  double dot;
  double angle;
} Math;

enum {
  MATH_MULTIPLY,
  MATH_DIFFERENCE,
  MATH_INVERSE,
  MATH_CONJUGATE,
  MATH_NORMALIZE,
  MATH_NEGATE,
  MATH_POWER,
  MATH_LOG,
  MATH_EXP,
  MATH_ADD,
  MATH_SUBTRACT,
  N_OPERATIONS
};

static const KgChoice math_operations[] = {
  [MATH_MULTIPLY] = { "multiply", N_ ("a × b: first b, then a") },
  [MATH_DIFFERENCE] = { "difference", N_ ("From a to b: what must follow a to make b") },
  [MATH_INVERSE] = { "inverse", N_ ("Inverse of a: turns back") },
  [MATH_CONJUGATE] = { "conjugate", N_ ("Conjugate of a") },
  [MATH_NORMALIZE] = { "normalize", N_ ("a at length 1") },
  [MATH_NEGATE] = { "negate", N_ ("−a: the same turn, the other quaternion") },
  [MATH_POWER] = { "power", N_ ("a to a power: a part or a multiple of the turn") },
  [MATH_LOG] = { "log", N_ ("Logarithm of a") },
  [MATH_EXP] = { "exp", N_ ("Exponential of a") },
  [MATH_ADD] = { "add", N_ ("a + b") },
  [MATH_SUBTRACT] = { "subtract", N_ ("a − b") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (math_operations, N_OPERATIONS);

static Quaternion
math_work_out (const Math *n, const KgContext *ctx)
{
  const Quaternion a = quaternion_from_rotation (n->a, n->a_size), b = quaternion_from_rotation (n->b, n->b_size);
  Quaternion q = a;
  bool defined = true;

  switch (n->operation) {
  case MATH_MULTIPLY:
    return quaternion_multiply (a, b);
  case MATH_DIFFERENCE:
    defined = quaternion_invert (a, &q);
    q = quaternion_multiply (b, q);
    break;
  case MATH_INVERSE:
    defined = quaternion_invert (a, &q);
    break;
  case MATH_CONJUGATE:
    return quaternion_conjugate (a);
  case MATH_NORMALIZE:
    defined = n->a_size != 0;
    q = quaternion_from_rotation (n->a, copysign (1, n->a_size));
    break;
  case MATH_NEGATE:
    return quaternion_scale (a, -1);
  case MATH_POWER:
    defined = quaternion_power (a, n->power, &q);
    break;
  case MATH_LOG:
    defined = quaternion_log (a, &q);
    break;
  case MATH_EXP:
    return quaternion_exp (a);
  case MATH_ADD:
    return quaternion_add (a, b);
  case MATH_SUBTRACT:
  default:
    return quaternion_add (a, quaternion_scale (b, -1));
  }
  if (defined)
    return q;
  kg_context_warn (ctx, "%s of a zero quaternion is not defined: the rotation that turns nothing is given",
                   math_operations[n->operation].nick);
  return (Quaternion){ 1, { 0, 0, 0 } };
}

static bool
math_evaluate (Math *n, const KgContext *ctx, GError **error)
{
  const Quaternion q = math_work_out (n, ctx);

  n->rotation = kg_rotation_identity ();
  n->size = quaternion_norm (q);
  if (!isfinite (n->size)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s of a and b is too large: use smaller sizes or powers",
                  math_operations[n->operation].nick);
    n->size = 0;
    return false;
  }
  if (!(n->size > 1e-300))
    kg_context_warn (ctx, "%s gives a zero quaternion, which is no rotation: the one that turns nothing is given",
                     math_operations[n->operation].nick);
  n->rotation = quaternion_to_rotation (q);
  n->scalar = q.s;
  n->vector = q.v;
  n->dot = n->a_size * n->b_size * quaternion_dot (n->a, n->b);
  n->angle = 2 * quaternion_angle (n->a, quaternion_align (n->a, n->b));
  return true;
}

static const KgSlot math_slots[] = {
  KG_INPUT (Math, operation, CHOICE, .label = N_ ("Operation"), .choices = math_operations, .help = N_ ("What to do.")),
  KG_INPUT (Math, a, ROTATION, .label = N_ ("a"), .help = N_ ("The first rotation.")),
  KG_INPUT (Math, b, ROTATION, .label = N_ ("b"), .shown_when = "operation=multiply|difference|add|subtract",
            .help = N_ ("The second rotation.")),
  KG_INPUT (Math, power, NUMBER, .label = N_ ("Power"), .def = 0.5, .soft_min = -2, .soft_max = 2,
            .shown_when = "operation=power", .help = N_ ("½ turns half as far, 2 twice as far, −1 back.")),
  KG_INPUT (Math, a_size, NUMBER, .label = N_ ("Size of a"), .def = 1, .soft_max = 2, .group = N_ ("Quaternions"),
            .help = N_ ("Makes a quaternion of any magnitude of a: its four numbers times this.")),
  KG_INPUT (Math, b_size, NUMBER, .label = N_ ("Size of b"), .def = 1, .soft_max = 2, .group = N_ ("Quaternions"),
            .help = N_ ("The same for b.")),
  KG_OUTPUT (Math, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("The result as a rotation.")),
  KG_OUTPUT (Math, size, NUMBER, .label = N_ ("Size"), .help = N_ ("The magnitude of the result: 1 for a rotation.")),
  KG_OUTPUT (Math, scalar, NUMBER, .label = N_ ("w"), .help = N_ ("The result's scalar.")),
  KG_OUTPUT (
      Math, vector, VECTOR, .label = N_ ("x, y, z"),
      .help = N_ ("The result's vector. Of a logarithm of a rotation: the axis, half the angle in radians long.")),
  KG_OUTPUT (Math, dot, NUMBER, .label = N_ ("Dot product"),
             .help = N_ ("Of a and b. Negative when the way from one to the other is the long one.")),
  KG_OUTPUT (Math, angle, NUMBER, .label = N_ ("Angle between"), .unit = KG_DEGREES,
             .help = N_ ("How far it is to turn from a to b, the short way: 0 to 180.")),
};

KG_NODE (rotation, math, Math, .label = N_ ("Rotation Math"), .version = 1, .since = "0.1",
         .tags = N_ ("quaternion multiply compose inverse conjugate logarithm power exponential dot angle difference"),
         .formula = "[s₁, v₁][s₂, v₂] = [s₁s₂ − v₁ · v₂, s₁v₂ + s₂v₁ + v₁ × v₂]\n"
                    "inverse: [s, −v]/|q|²; rotated: v′ = q [0, v] q⁻¹; "
                    "about an axis a by θ: [cos θ/2, sin θ/2 · a]\n"
                    "log [cos φ, sin φ · a] = [0, φ a]; exp is its inverse; qᵖ = exp(p log q)",
         .source = "Hamilton 1844; Parent, Computer Animation, B.3.4",
         .help = N_ (
             "Works with one or two rotations. Puts one after the other, turns back or half way, tells the difference "
             "of two. As they are quaternions, all that quaternions can do is there too; the sizes make "
             "quaternions of them that are no rotations."));

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
  [MATH_DIFFERENCE] = { "difference", N_ ("From a to b: what must follow a to give b") },
  [MATH_INVERSE] = { "inverse", N_ ("Inverse of a: rotates back") },
  [MATH_CONJUGATE] = { "conjugate", N_ ("Conjugate of a") },
  [MATH_NORMALIZE] = { "normalize", N_ ("a scaled to length 1") },
  [MATH_NEGATE] = { "negate", N_ ("−a: the same rotation, the other quaternion") },
  [MATH_POWER] = { "power", N_ ("a to a power: a fraction or a multiple of the rotation") },
  [MATH_LOG] = { "log", N_ ("Logarithm of a") },
  [MATH_EXP] = { "exp", N_ ("Exponential of a") },
  [MATH_ADD] = { "add", N_ ("a + b") },
  [MATH_SUBTRACT] = { "subtract", N_ ("a − b") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (math_operations, N_OPERATIONS);

static Quaternion
math_compute (const Math *n, const KgContext *ctx)
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
  kg_context_warn (ctx, "%s of a zero quaternion is undefined: the identity is used",
                   math_operations[n->operation].nick);
  return (Quaternion){ 1, { 0, 0, 0 } };
}

static bool
math_evaluate (Math *n, const KgContext *ctx, GError **error)
{
  const Quaternion q = math_compute (n, ctx);

  n->rotation = kg_rotation_identity ();
  n->size = quaternion_norm (q);
  if (!isfinite (n->size)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s of a and b is too large: use smaller sizes or powers",
                  math_operations[n->operation].nick);
    n->size = 0;
    return false;
  }
  if (!(n->size > 1e-300))
    kg_context_warn (ctx, "%s gives a zero quaternion, which is not a rotation: the identity is used",
                     math_operations[n->operation].nick);
  n->rotation = quaternion_to_rotation (q);
  n->scalar = q.s;
  n->vector = q.v;
  n->dot = n->a_size * n->b_size * quaternion_dot (n->a, n->b);
  n->angle = 2 * quaternion_angle (n->a, quaternion_align (n->a, n->b));
  return true;
}

static const KgSlot math_slots[] = {
  KG_INPUT (Math, operation, CHOICE, .label = N_ ("Operation"), .choices = math_operations,
            .help = N_ ("Operation to perform.")),
  KG_INPUT (Math, a, ROTATION, .label = N_ ("a"), .help = N_ ("First rotation.")),
  KG_INPUT (Math, b, ROTATION, .label = N_ ("b"), .shown_when = "operation=multiply|difference|add|subtract",
            .help = N_ ("Second rotation.")),
  KG_INPUT (Math, power, NUMBER, .label = N_ ("Power"), .def = 0.5, .soft_min = -2, .soft_max = 2,
            .shown_when = "operation=power", .help = N_ ("½ rotates half as far, 2 twice as far, −1 backwards.")),
  KG_INPUT (Math, a_size, NUMBER, .label = N_ ("Size of a"), .def = 1, .soft_max = 2, .group = N_ ("Quaternions"),
            .help = N_ ("Factor for the four numbers of a, which makes it a quaternion of any magnitude.")),
  KG_INPUT (Math, b_size, NUMBER, .label = N_ ("Size of b"), .def = 1, .soft_max = 2, .group = N_ ("Quaternions"),
            .help = N_ ("The same for b.")),
  KG_OUTPUT (Math, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("Result as a rotation.")),
  KG_OUTPUT (Math, size, NUMBER, .label = N_ ("Size"), .help = N_ ("Magnitude of the result: 1 for a rotation.")),
  KG_OUTPUT (Math, scalar, NUMBER, .label = N_ ("w"), .help = N_ ("Scalar part of the result.")),
  KG_OUTPUT (
      Math, vector, VECTOR, .label = N_ ("x, y, z"),
      .help = N_ (
          "Vector part of the result. For the logarithm of a rotation: the axis, with half the angle in radians as its length.")),
  KG_OUTPUT (Math, dot, NUMBER, .label = N_ ("Dot product"),
             .help = N_ ("Dot product of a and b. Negative if going from one to the other takes the long way round.")),
  KG_OUTPUT (Math, angle, NUMBER, .label = N_ ("Angle between"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the shortest rotation from a to b: 0 to 180.")),
};

KG_NODE (
    rotation, math, Math, .label = N_ ("Rotation Math"), .version = 1, .since = "0.1",
    .tags = N_ ("quaternion multiply compose inverse conjugate logarithm power exponential dot angle difference"),
    .formula = "[s₁, v₁][s₂, v₂] = [s₁s₂ − v₁ · v₂, s₁v₂ + s₂v₁ + v₁ × v₂]\n"
               "inverse: [s, −v]/|q|²; rotated: v′ = q [0, v] q⁻¹; "
               "about an axis a by θ: [cos θ/2, sin θ/2 · a]\n"
               "log [cos φ, sin φ · a] = [0, φ a]; exp is its inverse; qᵖ = exp(p log q)",
    .source = "Hamilton 1844; Parent, Computer Animation, B.3.4",
    .help = N_ (
        "Computes with one or two rotations: applies one after the other, inverts or halves a rotation, or finds the difference between two. Since rotations are quaternions, all quaternion operations are available; the sizes turn them into quaternions of any magnitude."));

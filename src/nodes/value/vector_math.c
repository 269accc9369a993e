/* value/vector_math: arithmetic with vectors.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/vectors.h"
#include "kg-node.h"

typedef struct {
  int operation;
  KgVector a;
  KgVector b;
  KgVector c;
  double factor;
  KgVector x_axis, y_axis, z_axis;
  double tolerance;
  KgVector vector;
  double number;
  double angle;
  bool yes;
} VectorMath;

enum {
  OPERATION_ADD,
  OPERATION_SUBTRACT,
  OPERATION_SCALE,
  OPERATION_MULTIPLY,
  OPERATION_DIVIDE,
  OPERATION_SMALLER,
  OPERATION_LARGER,
  OPERATION_DOT,
  OPERATION_CROSS,
  OPERATION_TRIPLE,
  OPERATION_LENGTH,
  OPERATION_DISTANCE,
  OPERATION_NORMALIZE,
  OPERATION_LIMIT_LENGTH,
  OPERATION_ANGLE,
  OPERATION_SIGNED_ANGLE,
  OPERATION_PROJECT,
  OPERATION_REJECT,
  OPERATION_REFLECT,
  OPERATION_COMPONENTS,
  OPERATION_COMBINE,
  OPERATION_PERPENDICULAR,
  OPERATION_PARALLEL,
  OPERATION_ANY_PERPENDICULAR,
  N_OPERATIONS
};

static const KgChoice vector_operations[] = {
  [OPERATION_ADD] = { "add", N_ ("a + b") },
  [OPERATION_SUBTRACT] = { "subtract", N_ ("a − b") },
  [OPERATION_SCALE] = { "scale", N_ ("a × factor") },
  [OPERATION_MULTIPLY] = { "multiply", N_ ("Products of components") },
  [OPERATION_DIVIDE] = { "divide", N_ ("Quotients of components") },
  [OPERATION_SMALLER] = { "smaller", N_ ("Smaller of each component") },
  [OPERATION_LARGER] = { "larger", N_ ("Larger of each component") },
  [OPERATION_DOT] = { "dot", N_ ("Dot product") },
  [OPERATION_CROSS] = { "cross", N_ ("Cross product") },
  [OPERATION_TRIPLE] = { "triple", N_ ("Triple product: the volume of the box of a, b and c") },
  [OPERATION_LENGTH] = { "length", N_ ("Length of a") },
  [OPERATION_DISTANCE] = { "distance", N_ ("Distance from a to b") },
  [OPERATION_NORMALIZE] = { "normalize", N_ ("a scaled to length 1") },
  [OPERATION_LIMIT_LENGTH] = { "limit-length", N_ ("a, no longer than the factor") },
  [OPERATION_ANGLE] = { "angle", N_ ("Angle between a and b") },
  [OPERATION_SIGNED_ANGLE] = { "signed-angle", N_ ("Angle from a to b about c") },
  [OPERATION_PROJECT] = { "project", N_ ("Part of a along b") },
  [OPERATION_REJECT] = { "reject", N_ ("Part of a perpendicular to b") },
  [OPERATION_REFLECT] = { "reflect", N_ ("a mirrored in the plane perpendicular to b") },
  [OPERATION_COMPONENTS] = { "components", N_ ("Coordinates of a along three axes") },
  [OPERATION_COMBINE] = { "combine", N_ ("Vector whose coordinates along three axes are a") },
  [OPERATION_PERPENDICULAR] = { "perpendicular", N_ ("Whether a and b are perpendicular") },
  [OPERATION_PARALLEL] = { "parallel", N_ ("Whether a and b are parallel") },
  [OPERATION_ANY_PERPENDICULAR] = { "any-perpendicular", N_ ("Any direction perpendicular to a") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (vector_operations, N_OPERATIONS);

static bool
vector_math_fail_zero (const char *name, GError **error)
{
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s has no direction: use a vector that is not zero", name);
  return false;
}

/* The name of the first of a and b that is zero, or NULL. */
static const char *
vector_math_find_zero (const VectorMath *n)
{
  return !(vectors_get_length (n->a) > 0) ? "a" : !(vectors_get_length (n->b) > 0) ? "b" : NULL;
}

static KgVector
vector_math_each (const VectorMath *n)
{
  const KgVector a = n->a, b = n->b;

  switch (n->operation) {
  case OPERATION_MULTIPLY:
    return kg_vector (a.x * b.x, a.y * b.y, a.z * b.z);
  case OPERATION_DIVIDE:
    return kg_vector (a.x / b.x, a.y / b.y, a.z / b.z);
  case OPERATION_SMALLER:
    return kg_vector_min (a, b);
  case OPERATION_LARGER:
  default:
    return kg_vector_max (a, b);
  }
}

static bool
vector_math_directions (VectorMath *n, GError **error)
{
  const double length = vectors_get_length (n->a);

  if (n->operation == OPERATION_LIMIT_LENGTH) {
    if (!(n->factor >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the factor is %g: a limit of lengths cannot be negative",
                    n->factor);
      return false;
    }
    n->vector = n->a;
    n->number = fmin (length, n->factor);
    if (length > n->factor && vectors_normalize (n->a, &n->vector))
      n->vector = kg_vector_scale (n->vector, n->factor);
    return true;
  }
  if (!vectors_normalize (n->a, &n->vector))
    return vector_math_fail_zero ("a", error);
  n->number = length;
  if (n->operation == OPERATION_ANY_PERPENDICULAR) {
    n->vector = kg_vector_perpendicular (n->vector);
    n->number = 1;
  }
  return true;
}

static bool
vector_math_angles (VectorMath *n, GError **error)
{
  const char *zero = vector_math_find_zero (n);

  if (zero != NULL)
    return vector_math_fail_zero (zero, error);
  if (n->operation == OPERATION_ANGLE)
    n->angle = vectors_get_angle (n->a, n->b);
  else if (!(vectors_get_length (n->c) > 0))
    return vector_math_fail_zero ("c", error);
  else if (!vectors_get_signed_angle (n->a, n->b, n->c, &n->angle)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a or b points along c, so it has no angle about it: choose another axis c");
    return false;
  }
  n->number = cos (n->angle);
  return true;
}

static bool
vector_math_parts (VectorMath *n, GError **error)
{
  KgVector along;

  if (!vectors_project (n->a, n->b, &along, &n->number))
    return vector_math_fail_zero ("b", error);
  n->vector = n->operation == OPERATION_PROJECT  ? along
              : n->operation == OPERATION_REJECT ? kg_vector_subtract (n->a, along)
                                                 : kg_vector_add_scaled (n->a, -2, along);
  if (n->operation != OPERATION_PROJECT)
    n->number = vectors_get_length (n->vector);
  return true;
}

static bool
vector_math_tests (VectorMath *n, const KgContext *ctx)
{
  KgVector a, b;

  n->yes = true;
  if (!vectors_normalize (n->a, &a) || !vectors_normalize (n->b, &b)) {
    kg_context_warn (ctx, "%s is zero: a vector without a direction counts as perpendicular and parallel to any other",
                     vector_math_find_zero (n));
    return true;
  }
  n->angle = vectors_get_angle (a, b);
  n->number = n->operation == OPERATION_PERPENDICULAR ? kg_vector_dot (a, b)
                                                      : kg_vector_length (kg_vector_cross (a, b));
  n->yes = fabs (n->number) <= n->tolerance;
  return true;
}

static bool
vector_math_compute (VectorMath *n, const KgContext *ctx, GError **error)
{
  switch (n->operation) {
  case OPERATION_ADD:
    n->vector = kg_vector_add (n->a, n->b);
    break;
  case OPERATION_SUBTRACT:
    n->vector = kg_vector_subtract (n->a, n->b);
    break;
  case OPERATION_SCALE:
    n->vector = kg_vector_scale (n->a, n->factor);
    break;
  case OPERATION_MULTIPLY:
  case OPERATION_DIVIDE:
  case OPERATION_SMALLER:
  case OPERATION_LARGER:
    n->vector = vector_math_each (n);
    break;
  case OPERATION_CROSS:
    n->vector = kg_vector_cross (n->a, n->b);
    break;
  case OPERATION_COMBINE:
    n->vector = kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (n->x_axis, n->a.x), n->a.y, n->y_axis),
                                      n->a.z, n->z_axis);
    break;
  case OPERATION_COMPONENTS:
    if (!vectors_get_components (n->a, n->x_axis, n->y_axis, n->z_axis, &n->vector)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "the three axes lie in one plane: choose axes that do not lie in one plane");
      return false;
    }
    break;
  case OPERATION_DOT:
    n->number = kg_vector_dot (n->a, n->b);
    return true;
  case OPERATION_TRIPLE:
    n->number = vectors_get_triple (n->a, n->b, n->c);
    return true;
  case OPERATION_DISTANCE:
    n->vector = kg_vector_subtract (n->b, n->a);
    break;
  case OPERATION_NORMALIZE:
  case OPERATION_LIMIT_LENGTH:
  case OPERATION_ANY_PERPENDICULAR:
    return vector_math_directions (n, error);
  case OPERATION_ANGLE:
  case OPERATION_SIGNED_ANGLE:
    return vector_math_angles (n, error);
  case OPERATION_PROJECT:
  case OPERATION_REJECT:
  case OPERATION_REFLECT:
    return vector_math_parts (n, error);
  case OPERATION_PERPENDICULAR:
  case OPERATION_PARALLEL:
    return vector_math_tests (n, ctx);
  case OPERATION_LENGTH:
  default:
    n->vector = n->a;
    break;
  }
  n->number = vectors_get_length (n->vector);
  return true;
}

static bool
vector_math_evaluate (VectorMath *n, const KgContext *ctx, GError **error)
{
  if (!vector_math_compute (n, ctx, error))
    return false;
  if (kg_vector_is_finite (n->vector) && isfinite (n->number))
    return true;
  if (n->operation == OPERATION_DIVIDE && (n->b.x == 0 || n->b.y == 0 || n->b.z == 0))
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "b is (%g, %g, %g): divide by a vector without a 0", n->b.x, n->b.y,
                  n->b.z);
  else if (n->operation == OPERATION_DIVIDE)
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the quotient by b = (%g, %g, %g) is not finite: use larger components of b", n->b.x, n->b.y, n->b.z);
  else
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the result for a = (%g, %g, %g) is not finite: use smaller numbers",
                  n->a.x, n->a.y, n->a.z);
  return false;
}

#define TAKES_B                                                                                                        \
  "operation=add|subtract|multiply|divide|smaller|larger|dot|cross|triple|distance|angle|signed-angle|project|reject|" \
  "reflect|perpendicular|parallel"

static const KgSlot vector_math_slots[] = {
  KG_INPUT (VectorMath, operation, CHOICE, .label = N_ ("Operation"), .choices = vector_operations,
            .help = N_ ("Operation to perform.")),
  KG_INPUT (VectorMath, a, VECTOR, .label = N_ ("a"), .help = N_ ("First vector.")),
  KG_INPUT (VectorMath, b, VECTOR, .label = N_ ("b"), .shown_when = TAKES_B, .help = N_ ("Second vector.")),
  KG_INPUT (VectorMath, c, VECTOR, .label = N_ ("c"), .shown_when = "operation=triple|signed-angle",
            .help = N_ ("Third vector of the triple product, or the axis about which an angle is measured.")),
  KG_INPUT (VectorMath, factor, NUMBER, .label = N_ ("Factor"), .def = 1, .soft_min = -10, .soft_max = 10,
            .shown_when = "operation=scale|limit-length", .help = N_ ("Factor of a, or its greatest length.")),
  KG_INPUT (VectorMath, x_axis, VECTOR, .label = N_ ("x axis"), .def_v = { 1, 0, 0 },
            .shown_when = "operation=components|combine", .group = N_ ("Axes"),
            .help = N_ ("First axis, of any length; the axes need not be perpendicular.")),
  KG_INPUT (VectorMath, y_axis, VECTOR, .label = N_ ("y axis"), .def_v = { 0, 1, 0 },
            .shown_when = "operation=components|combine", .group = N_ ("Axes"), .help = N_ ("Second axis.")),
  KG_INPUT (VectorMath, z_axis, VECTOR, .label = N_ ("z axis"), .def_v = { 0, 0, 1 },
            .shown_when = "operation=components|combine", .group = N_ ("Axes"), .help = N_ ("Third axis.")),
  KG_INPUT (VectorMath, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-9, .min = 0, .max = 1,
            .shown_when = "operation=perpendicular|parallel",
            .help = N_ ("Cosine of the angle, or its sine if parallel, that still counts as 0.")),
  KG_OUTPUT (VectorMath, vector, VECTOR, .label = N_ ("Vector"), .help = N_ ("Result, if it is a vector.")),
  KG_OUTPUT (
      VectorMath, number, NUMBER, .label = N_ ("Number"),
      .help = N_ (
          "Result, if it is a number; otherwise the length of the vector. For a projection, it is the signed length, and for an angle, the cosine. For the tests, it is the cosine or sine that is compared.")),
  KG_OUTPUT (VectorMath, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES,
             .help = N_ ("Angle between a and b, for the operations on angles.")),
  KG_OUTPUT (VectorMath, yes, BOOLEAN, .label = N_ ("Yes"),
             .help = N_ ("Answer of the tests: whether a and b are perpendicular or parallel.")),
};

KG_NODE (
    value, vector_math, VectorMath, .label = N_ ("Vector Math"), .version = 1, .since = "0.1",
    .tags =
        N_ ("add subtract dot cross product length normalize angle project reflect perpendicular parallel arithmetic"),
    .formula = "a · b = axbx + ayby + azbz; a × b = (aybz − azby, azbx − axbz, axby − aybx); triple: a · (b × c)\n"
               "angle = atan2(‖a × b‖, a · b); about c: atan2((a × b) · c/‖c‖, a · b) of the parts perpendicular to c\n"
               "project: (a · b/b · b) b; reject: a − that; reflect: a − 2 (a · b/b · b) b\n"
               "components: (k₁, k₂, k₃) with a = k₁x + k₂y + k₃z",
    .source = "Parent, Computer Animation, B.2.1 to B.2.4",
    .help = N_ (
        "Computes with vectors: sums and products, lengths and angles, the part of one along another, mirror images, and coordinates along axes of your own. Value/Math does the same for numbers."));

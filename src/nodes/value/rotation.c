/* value/rotation: a rotation, from whatever describes it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/conversion.h"
#include "rotation/orders.h"
#include "rotation/quaternion.h"
#include "kg-node.h"

typedef struct {
  int from;
  KgVector angles;
  int order;
  int frame;
  KgVector axis;
  double angle;
  double scalar;
  KgVector vector;
  KgVector x_axis;
  KgVector y_axis;
  KgVector start;
  KgVector end;
  KgTransform matrix;
  KgVector pivot;
  KgRotation rotation;
  KgTransform transform;
} Rotation;

enum { FROM_BOTH, FROM_AXIS, FROM_ANGLES, FROM_QUATERNION, FROM_AXES, FROM_VECTORS, FROM_MATRIX, N_SOURCES };

static const KgChoice rotation_sources[] = {
  [FROM_BOTH] = { "angles-axis", N_ ("Angles about x, y, z, then an axis and an angle") },
  [FROM_AXIS] = { "axis", N_ ("An axis and an angle") },
  [FROM_ANGLES] = { "angles", N_ ("Three angles, in any order") },
  [FROM_QUATERNION] = { "quaternion", N_ ("A quaternion") },
  [FROM_AXES] = { "axes", N_ ("Directions of x and y") },
  [FROM_VECTORS] = { "vectors", N_ ("From one direction to another") },
  [FROM_MATRIX] = { "matrix", N_ ("Rotation of a transform") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rotation_sources, N_SOURCES);

static void
rotation_check_axis (const Rotation *n, const KgContext *ctx)
{
  if (!(kg_vector_length (n->axis) > 1e-300) && n->angle != 0)
    kg_context_warn (ctx, "the axis is 0 0 0: nothing rotates; set a direction");
}

static bool
rotation_from_quaternion (Rotation *n, const KgContext *ctx, GError **error)
{
  const Quaternion q = { n->scalar, n->vector };
  const double norm = quaternion_norm (q);

  if (!(norm > 1e-300)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the quaternion is zero: use one that is not zero; 1 and 0 0 0 is no rotation");
    return false;
  }
  if (fabs (norm - 1) > 1e-6)
    kg_context_warn (ctx, "the quaternion has the length %g: it is scaled to 1", norm);
  n->rotation = quaternion_to_rotation (q);
  return true;
}

static bool
rotation_from_matrix (Rotation *n, const KgContext *ctx, GError **error)
{
  KgTransform stretch;
  bool reflects;
  double most = 0;

  if (!conversion_from_matrix (&n->matrix, &n->rotation, &stretch, &reflects)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the transform flattens space, so it has no rotation: use one whose scales are not 0");
    return false;
  }
  if (reflects) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the transform mirrors, unlike any rotation: use one with an even number of negative scales");
    return false;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      most = fmax (most, fabs (stretch.m[i][j] - (i == j)));
  if (most > 1e-6)
    kg_context_warn (ctx, "the transform scales or shears: only its rotation is used");
  return true;
}

static bool
rotation_evaluate (Rotation *n, const KgContext *ctx, GError **error)
{
  n->rotation = kg_rotation_identity ();
  switch (n->from) {
  case FROM_BOTH:
    rotation_check_axis (n, ctx);
    n->rotation =
        kg_rotation_multiply (kg_rotation_from_axis_angle (n->axis, n->angle), kg_rotation_from_angles (n->angles));
    break;
  case FROM_AXIS:
    rotation_check_axis (n, ctx);
    n->rotation = kg_rotation_from_axis_angle (n->axis, n->angle);
    break;
  case FROM_ANGLES:
    n->rotation = conversion_from_euler (n->angles, (EulerOrder) n->order, n->frame == ROTATION_MOVING);
    break;
  case FROM_QUATERNION:
    if (!rotation_from_quaternion (n, ctx, error))
      return false;
    break;
  case FROM_AXES:
    if (!conversion_from_axes (n->x_axis, n->y_axis, &n->rotation)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "x and y do not span a plane: give two directions that are neither zero nor collinear");
      return false;
    }
    break;
  case FROM_VECTORS:
    if (!(kg_vector_length (n->start) > 1e-300) || !(kg_vector_length (n->end) > 1e-300)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    kg_vector_length (n->start) > 1e-300 ? N_ ("the end is 0 0 0: give it a direction")
                                                         : N_ ("the start is 0 0 0: give it a direction"));
      return false;
    }
    n->rotation = kg_rotation_between (n->start, n->end);
    break;
  case FROM_MATRIX:
  default:
    if (!rotation_from_matrix (n, ctx, error))
      return false;
    break;
  }
  n->transform = kg_transform_from_parts (kg_vector_subtract (n->pivot, kg_rotation_apply (n->rotation, n->pivot)),
                                          n->rotation, kg_vector (1, 1, 1));
  return true;
}

static const KgSlot rotation_slots[] = {
  KG_INPUT (Rotation, from, CHOICE, .label = N_ ("From"), .choices = rotation_sources,
            .help = N_ ("What defines the rotation.")),
  KG_INPUT (Rotation, angles, VECTOR, .label = N_ ("Angles"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .shown_when = "from=angles-axis|angles",
            .help = N_ (
                "Angles about x, then y, then z; or, as three angles, those of the first, second and third rotation.")),
  KG_INPUT (Rotation, order, CHOICE, .label = N_ ("Order"), .choices = rotation_orders, .shown_when = "from=angles",
            .help = N_ ("Axes of the three rotations, in order.")),
  KG_INPUT (Rotation, frame, CHOICE, .label = N_ ("Axes"), .choices = rotation_frames, .shown_when = "from=angles",
            .help = N_ ("Whether each rotation also rotates the axes of the next one.")),
  KG_INPUT (Rotation, axis, VECTOR, .label = N_ ("Axis"), .def_v = { 0, 0, 1 }, .shown_when = "from=angles-axis|axis",
            .help = N_ ("Axis of the rotation, or of a further rotation after the angles.")),
  KG_INPUT (Rotation, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .shown_when = "from=angles-axis|axis", .help = N_ ("Angle about the axis.")),
  KG_INPUT (Rotation, scalar, NUMBER, .label = N_ ("w"), .def = 1, .soft_min = -1, .soft_max = 1,
            .shown_when = "from=quaternion", .help = N_ ("Cosine of half the angle.")),
  KG_INPUT (Rotation, vector, VECTOR, .label = N_ ("x, y, z"), .shown_when = "from=quaternion",
            .help = N_ ("Axis, with the sine of half the angle as its length.")),
  KG_INPUT (Rotation, x_axis, VECTOR, .label = N_ ("x points to"), .def_v = { 1, 0, 0 }, .shown_when = "from=axes",
            .help = N_ ("Direction that the x axis rotates to.")),
  KG_INPUT (Rotation, y_axis, VECTOR, .label = N_ ("y points to"), .def_v = { 0, 1, 0 }, .shown_when = "from=axes",
            .help = N_ ("Direction that the y axis rotates to, as far as it can be perpendicular to x.")),
  KG_INPUT (Rotation, start, VECTOR, .label = N_ ("Start"), .def_v = { 1, 0, 0 }, .shown_when = "from=vectors",
            .help = N_ ("Direction before the rotation.")),
  KG_INPUT (Rotation, end, VECTOR, .label = N_ ("End"), .def_v = { 0, 1, 0 }, .shown_when = "from=vectors",
            .help = N_ ("Direction after the rotation, by the shortest path.")),
  KG_INPUT (Rotation, matrix, TRANSFORM, .label = N_ ("Of"), .shown_when = "from=matrix",
            .help = N_ ("A transform; its translation is ignored, and its scale and shear are removed.")),
  KG_INPUT (Rotation, pivot, VECTOR, .label = N_ ("Pivot"), .unit = KG_METRES,
            .help = N_ ("Point that the transform leaves in place.")),
  KG_OUTPUT (Rotation, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("The rotation as a quaternion.")),
  KG_OUTPUT (Rotation, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("The rotation as a transform, about the pivot.")),
};

KG_NODE (
    value, rotation, Rotation, .label = N_ ("Rotation"), .version = 2, .since = "0.1",
    .tags = N_ ("quaternion angle axis euler turn orientation matrix look between"),
    .formula = "axis a and angle θ: M = a aᵀ + cos θ (I − a aᵀ) + sin θ [a]×, q = [cos θ/2, sin θ/2 · a]\n"
               "angles: the product of three such rotations, in the chosen order\n"
               "pivot c: T(c) · M · T(−c)",
    .source = "Shoemake, Euler Angle Conversion, 1994; Parent, Computer Animation, B.3.3",
    .help = N_ ("Makes a rotation from what you have: angles in any order, an axis and an angle, a quaternion, the "
                "directions of two axes, two vectors, or a transform."));

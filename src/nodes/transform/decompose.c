/* transform/decompose: a transform as a move, a turn, a shear and a scale.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/conversion.h"
#include "rotation/orders.h"
#include "transform/affine.h"
#include "transform/scale_orders.h"
#include "kg-node.h"

typedef struct {
  KgTransform transform;
  int order;
  int frame;
  int scale_order;
  KgVector translate;
  KgVector rotate;
  KgVector scale;
  KgVector shear;
  KgRotation rotation;
  bool mirrors;
  bool singular;
  bool sheared;
  bool locked;
} Decompose;

static bool
decompose_evaluate (Decompose *n, const KgContext *ctx, GError **error)
{
  AffineParts parts = { .scale_last = n->scale_order == SCALE_LAST };

  n->rotation = kg_rotation_identity ();
  if (!affine_is (&n->transform)) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "the transform is projective (its last row is %g %g %g %g), unlike any translation, rotation or scale: use one with a last row of 0 0 0 1",
        n->transform.m[3][0], n->transform.m[3][1], n->transform.m[3][2], n->transform.m[3][3]);
    return false;
  }
  if (!affine_decompose (&n->transform, &parts, &n->mirrors, &n->singular))
    kg_context_warn (
        ctx,
        "the transform puts two axes on one line, which scales and shears in this order cannot do: the result gives a transform near it; try the other Scale order");
  n->translate = parts.translate;
  n->rotation = conversion_choose_sign (parts.rotation);
  n->rotate = conversion_to_euler (parts.rotation, (EulerOrder) n->order, n->frame == ROTATION_MOVING, &n->locked);
  n->scale = parts.scale;
  n->shear = parts.shear;
  n->sheared = kg_vector_get_largest (parts.shear) > 1e-9;
  return true;
}

static const KgSlot decompose_slots[] = {
  KG_INPUT (Decompose, transform, TRANSFORM, .label = N_ ("Transform"), .help = N_ ("Value to decompose.")),
  KG_INPUT (Decompose, order, CHOICE, .label = N_ ("Order"), .choices = rotation_orders,
            .help = N_ ("Axes of the three angles, in the order in which they are applied.")),
  KG_INPUT (Decompose, frame, CHOICE, .label = N_ ("Axes"), .choices = rotation_frames,
            .help = N_ ("Whether each rotation also rotates the axes of the next one.")),
  KG_INPUT (
      Decompose, scale_order, CHOICE, .label = N_ ("Scale order"), .choices = scale_orders,
      .help = N_ (
          "A transform that was scaled after its rotation looks sheared if the scale is taken to come first: choose the order that leaves no shear.")),
  KG_OUTPUT (Decompose, translate, VECTOR, .label = N_ ("Translate"), .unit = KG_METRES,
             .help = N_ ("Position to which the origin is moved.")),
  KG_OUTPUT (
      Decompose, rotate, VECTOR, .label = N_ ("Rotate"), .unit = KG_DEGREES,
      .help = N_ (
          "Angles of the first, second and third rotation. They may differ from the angles that the transform was made with: several triples give the same rotation.")),
  KG_OUTPUT (Decompose, scale, VECTOR, .label = N_ ("Scale"),
             .help = N_ ("Scale along x, y and z. If the transform mirrors, x is negative.")),
  KG_OUTPUT (Decompose, shear, VECTOR, .label = N_ ("Shear"),
             .help = N_ ("Shear of x by y, of x by z, and of y by z.")),
  KG_OUTPUT (Decompose, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("Rotation as a quaternion.")),
  KG_OUTPUT (Decompose, mirrors, BOOLEAN, .label = N_ ("Mirrors"),
             .help = N_ ("Whether right-handed axes become left-handed.")),
  KG_OUTPUT (Decompose, singular, BOOLEAN, .label = N_ ("Flattens"),
             .help = N_ ("Whether space loses a dimension: a scale is 0, and there is no inverse.")),
  KG_OUTPUT (Decompose, sheared, BOOLEAN, .label = N_ ("Sheared"), .help = N_ ("Whether any shear is not 0.")),
  KG_OUTPUT (
      Decompose, locked, BOOLEAN, .label = N_ ("Gimbal lock"),
      .help = N_ ("Whether the first and third rotation have the same axis (gimbal lock): one of their angles is 0.")),
};

KG_NODE (
    transform, decompose, Decompose, .label = N_ ("Decompose Transform"), .version = 1, .since = "0.1",
    .tags = N_ ("matrix translate rotate scale shear split extract euler angles mirror gimbal"),
    .help = N_ (
        "Splits a transform into the values from which Compose Transform makes it. For the rotation nearest to a sheared transform, and for other forms of a rotation, use Decompose Rotation."));

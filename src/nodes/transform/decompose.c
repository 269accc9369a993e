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
        "the transform divides (its last row is %g %g %g %g), which no move, turn or scale does: use one with "
        "a last row of 0 0 0 1",
        n->transform.m[3][0], n->transform.m[3][1], n->transform.m[3][2], n->transform.m[3][3]);
    return false;
  }
  if (!affine_decompose (&n->transform, &parts, &n->mirrors, &n->singular))
    kg_context_warn (ctx,
                     "the transform lays two axes along one line, which scales and shears in this order cannot: what "
                     "is told makes a transform near it; try the other place of the scale");
  n->translate = parts.translate;
  n->rotation = conversion_choose_sign (parts.rotation);
  n->rotate = conversion_to_euler (parts.rotation, (EulerOrder) n->order, n->frame == ROTATION_MOVING, &n->locked);
  n->scale = parts.scale;
  n->shear = parts.shear;
  n->sheared = fmax (fabs (parts.shear.x), fmax (fabs (parts.shear.y), fabs (parts.shear.z))) > 1e-9;
  return true;
}

static const KgSlot decompose_slots[] = {
  KG_INPUT (Decompose, transform, TRANSFORM, .label = N_ ("Transform"), .help = N_ ("What to take apart.")),
  KG_INPUT (Decompose, order, CHOICE, .label = N_ ("Order"), .choices = rotation_orders,
            .help = N_ ("About which axes the three angles turn, one after the other.")),
  KG_INPUT (Decompose, frame, CHOICE, .label = N_ ("Axes"), .choices = rotation_frames,
            .help = N_ ("Whether each turn takes the axes of the next with it.")),
  KG_INPUT (
      Decompose, scale_order, CHOICE, .label = N_ ("Scale comes"), .choices = scale_orders,
      .help = N_ ("What was scaled after its turn looks sheared to one who takes the scale to be before it: choose "
                  "the place that leaves no shear.")),
  KG_OUTPUT (Decompose, translate, VECTOR, .label = N_ ("Translate"), .unit = KG_METRES,
             .help = N_ ("Where it puts the origin.")),
  KG_OUTPUT (Decompose, rotate, VECTOR, .label = N_ ("Rotate"), .unit = KG_DEGREES,
             .help = N_ ("Of the first, second and third turn. They need not be the angles that the transform was made "
                         "with: several triples are the same turn.")),
  KG_OUTPUT (Decompose, scale, VECTOR, .label = N_ ("Scale"),
             .help = N_ ("Along x, y and z. Of a transform that mirrors, x is negative.")),
  KG_OUTPUT (Decompose, shear, VECTOR, .label = N_ ("Shear"),
             .help = N_ ("How far x leans with y, x with z, and y with z.")),
  KG_OUTPUT (Decompose, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("The turn as a quaternion.")),
  KG_OUTPUT (Decompose, mirrors, BOOLEAN, .label = N_ ("Mirrors"), .help = N_ ("Right becomes left.")),
  KG_OUTPUT (Decompose, singular, BOOLEAN, .label = N_ ("Flattens"),
             .help = N_ ("Space loses a dimension: a scale is 0, and nothing undoes it.")),
  KG_OUTPUT (Decompose, sheared, BOOLEAN, .label = N_ ("Sheared"), .help = N_ ("A shear is not 0.")),
  KG_OUTPUT (Decompose, locked, BOOLEAN, .label = N_ ("Locked"),
             .help = N_ ("The first and third angle turn about one axis (gimbal lock): one of them is 0.")),
};

KG_NODE (transform, decompose, Decompose, .label = N_ ("Decompose Transform"), .version = 1, .since = "0.2",
         .tags = N_ ("matrix translate rotate scale shear split extract euler angles mirror gimbal"),
         .help = N_ ("Takes a transform apart into what Compose Transform makes it of. For the turn that is nearest to "
                     "a sheared transform, and for other forms of a turn, take Decompose Rotation."));

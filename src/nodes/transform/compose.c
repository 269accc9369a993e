/* transform/compose: one transform out of a move, a turn, a shear, a scale, and other transforms.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/conversion.h"
#include "rotation/orders.h"
#include "transform/affine.h"
#include "transform/scale_orders.h"
#include "kg-node.h"

typedef struct {
  KgVector translate;
  KgVector rotate;
  int order;
  int frame;
  KgVector scale;
  double size;
  bool by_w;
  KgVector shear;
  KgVector back_shear;
  int scale_order;
  KgVector pivot;
  KgList transforms;
  int list_order;
  KgTransform transform;
  KgTransform inverse;
  double determinant;
  int64_t handedness;
  const char *kind;
} Compose;

enum { LIST_FIRST, LIST_MATRIX, N_LIST_ORDERS };

static const KgChoice compose_list_orders[] = {
  [LIST_FIRST] = { "first", N_ ("The first is applied first") },
  [LIST_MATRIX] = { "matrix", N_ ("As matrices are written: the last is applied first") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (compose_list_orders, N_LIST_ORDERS);

static AffineParts
compose_get_parts (const Compose *n)
{
  return (
      AffineParts){ .translate = kg_vector_add (n->translate, n->pivot),
                    .rotation = conversion_from_euler (n->rotate, (EulerOrder) n->order, n->frame == ROTATION_MOVING),
                    .scale = n->by_w ? n->scale : kg_vector_scale (n->scale, n->size),
                    .shear = n->shear,
                    .back_shear = n->back_shear,
                    .scale_last = n->scale_order == SCALE_LAST };
}

static KgTransform
compose_make_own (const Compose *n)
{
  const AffineParts parts = compose_get_parts (n);
  KgTransform by_w = kg_transform_identity (), to_pivot = kg_transform_identity ();

  kg_transform_set_place (&to_pivot, kg_vector_scale (n->pivot, -1));
  if (n->by_w)
    by_w.m[3][3] = 1 / n->size;
  return kg_transform_multiply (affine_compose (&parts), kg_transform_multiply (by_w, to_pivot));
}

/* Says which factor flattens space. */
static void
compose_warn_singular (const Compose *n, const KgContext *ctx)
{
  static const char axes[] = "xyz";
  const KgTransform unit = affine_compose (&(AffineParts){
      .rotation = kg_rotation_identity (), .scale = { 1, 1, 1 }, .shear = n->shear, .back_shear = n->back_shear });
  KgTransform inverse;

  for (int i = 0; i < 3; i++)
    if (kg_vector_get (n->scale, i) == 0) {
      kg_context_warn (
          ctx,
          "the scale along %c is 0, which flattens space, so there is no inverse (the identity is used): set a scale that is not 0, such as 0.001",
          axes[i]);
      return;
    }
  if (n->size == 0) {
    kg_context_warn (
        ctx,
        "the size is 0, which reduces everything to a point, so there is no inverse (the identity is used): set a size that is not 0, such as 0.001");
    return;
  }
  if (!kg_transform_invert (unit, &inverse)) {
    kg_context_warn (
        ctx,
        "the shears together flatten space, so there is no inverse (the identity is used): change one of them; the product of the shears of x by y and of y by x must not be 1");
    return;
  }
  for (guint i = 0; i < n->transforms.n; i++)
    if (!affine_invert (n->transforms.items[i].transform, &inverse)) {
      kg_context_warn (
          ctx,
          "transform %u of the list flattens space, so there is no inverse (the identity is used): use scales that are not 0",
          i + 1);
      return;
    }
  kg_context_warn (
      ctx,
      "the factors together flatten space within a precision of 16 digits, so there is no inverse (the identity is used): keep scales and shears closer to 1");
}

/* The smallest group that the transform is in. */
static const char *
compose_classify (const KgTransform *t, double determinant)
{
  const double tolerance = 1e-9, size = cbrt (fabs (determinant));
  KgTransform scaled = *t;
  double most = 0;

  for (int j = 0; j < 4; j++)
    if (fabs (t->m[3][j] - (j == 3)) > tolerance)
      return "projective";
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      most = fmax (most, fabs (t->m[i][j] - (i == j)));
  if (most <= tolerance)
    return "identity";
  if (determinant > 0 && affine_get_orthogonality (t) <= tolerance)
    return "rigid";
  for (int i = 0; i < 3 && size > 0; i++)
    for (int j = 0; j < 3; j++)
      scaled.m[i][j] /= size;
  return size > 0 && affine_get_orthogonality (&scaled) <= tolerance ? "similarity" : "affine";
}

static bool
compose_evaluate (Compose *n, const KgContext *ctx, GError **error)
{
  if (n->by_w && n->size == 0) {
    n->transform = n->inverse = kg_transform_identity ();
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the size is 0, and dividing by it is impossible: set another size, or turn Scale by w off");
    return false;
  }
  n->transform = compose_make_own (n);
  for (guint i = 0; i < n->transforms.n; i++) {
    const guint item = n->list_order == LIST_MATRIX ? n->transforms.n - 1 - i : i;

    n->transform = kg_transform_multiply (*n->transforms.items[item].transform, n->transform);
  }
  n->determinant = kg_transform_determinant (n->transform);
  if (!affine_invert (&n->transform, &n->inverse)) {
    compose_warn_singular (n, ctx);
    n->handedness = 0;
  } else {
    n->handedness = n->determinant < 0 ? -1 : 1;
  }
  n->kind = compose_classify (&n->transform, n->determinant);
  return true;
}

static const KgSlot compose_slots[] = {
  KG_INPUT (Compose, translate, VECTOR, .label = N_ ("Translate"), .unit = KG_METRES,
            .handle = { KG_HANDLE_STEP, .anchor = "pivot" }, .help = N_ ("Translation, applied after the rest.")),
  KG_INPUT (Compose, rotate, VECTOR, .label = N_ ("Rotate"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("Angles of the first, second and third rotation.")),
  KG_INPUT (Compose, order, CHOICE, .label = N_ ("Order"), .choices = rotation_orders,
            .help = N_ ("Axes of the three rotations, in the order in which they are applied.")),
  KG_INPUT (Compose, frame, CHOICE, .label = N_ ("Axes"), .choices = rotation_frames,
            .help = N_ ("Whether each rotation also rotates the axes of the next one.")),
  KG_INPUT (Compose, scale, VECTOR, .label = N_ ("Scale"), .def_v = { 1, 1, 1 },
            .help = N_ (
                "Factors along x, y and z. One negative factor mirrors: 1 1 -1 makes right-handed axes left-handed.")),
  KG_INPUT (Compose, size, NUMBER, .label = N_ ("Size"), .def = 1, .soft_max = 4, .help = N_ ("Uniform scale.")),
  KG_INPUT (
      Compose, by_w, BOOLEAN, .label = N_ ("Scale by w"),
      .help = N_ (
          "Puts 1 / size into the corner of the matrix, as some textbooks do, instead of the size on the diagonal. Only nodes that divide by the fourth number, such as Apply Transform, take it into account: geometry nodes do not.")),
  KG_INPUT (Compose, shear, VECTOR, .label = N_ ("Shear"), .soft_min = -2, .soft_max = 2, .group = N_ ("Shear"),
            .help = N_ ("Shear of x by y, of x by z, and of y by z: 1 is 45 degrees.")),
  KG_INPUT (Compose, back_shear, VECTOR, .label = N_ ("Reverse shear"), .soft_min = -2, .soft_max = 2,
            .group = N_ ("Shear"), .help = N_ ("Shear of y by x, of z by x, and of z by y.")),
  KG_INPUT (
      Compose, scale_order, CHOICE, .label = N_ ("Scale order"), .choices = scale_orders,
      .help = N_ (
          "Whether to scale along the object's own axes, before the rotation, or along the world axes, after it. The shear goes with the scale; after the rotation, each shear acts in reverse (x by y becomes y by x).")),
  KG_INPUT (Compose, pivot, VECTOR, .label = N_ ("Pivot"), .unit = KG_METRES,
            .help = N_ ("Point that rotation, shear and scale leave in place.")),
  KG_INPUTS (Compose, transforms, TRANSFORM, .label = N_ ("Transforms"), .optional = true,
             .help = N_ ("Transforms applied after those above.")),
  KG_INPUT (
      Compose, list_order, CHOICE, .label = N_ ("List order"), .choices = compose_list_orders,
      .help = N_ (
          "Which transform of the list comes first. It matters: rotating and then translating is not the same as translating and then rotating.")),
  KG_OUTPUT (Compose, transform, TRANSFORM, .label = N_ ("Transform"), .help = N_ ("All of them as one transform.")),
  KG_OUTPUT (Compose, inverse, TRANSFORM, .label = N_ ("Inverse"),
             .help = N_ ("Inverse of the transform; the identity, with a warning, if there is none.")),
  KG_OUTPUT (
      Compose, determinant, NUMBER, .label = N_ ("Determinant"),
      .help = N_ (
          "Volume of the transformed unit cube: 1 for rotations, 0 if space is flattened, negative if it is mirrored.")),
  KG_OUTPUT (
      Compose, handedness, INTEGER, .label = N_ ("Handedness"),
      .help = N_ ("1 if right-handed axes stay right-handed, -1 if they become left-handed, 0 if space is flattened.")),
  KG_OUTPUT (
      Compose, kind, TEXT, .label = N_ ("Kind"),
      .help = N_ (
          "Kind of the transform. A rigid one keeps lengths, a similarity keeps angles, and an affine one keeps parallel lines. A projective one keeps only straight lines.")),
};

KG_NODE (
    transform, compose, Compose, .label = N_ ("Compose Transform"), .version = 1, .since = "0.1",
    .tags = N_ ("matrix translate rotate scale shear pivot multiply concatenate inverse determinant mirror handed"),
    .help = N_ (
        "Combines a scale, a shear, a rotation and a translation about a pivot, and any list of transforms after them, into one transform. Also outputs its inverse, and whether it mirrors or flattens space."));

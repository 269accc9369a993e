/* value/mix: something between two values.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/conversion.h"
#include "kg-node.h"

typedef struct {
  KgValue a;
  KgValue b;
  double t;
  bool clamp;
  KgValue mixed;
} Mix;

/* Place, turn and stretch each for itself, so that what turns keeps its size on the way.  Mirroring and flat transforms
 * have no turn: they are mixed number by number. */
static KgTransform
mix_transforms (const KgTransform *a, const KgTransform *b, double t)
{
  KgTransform stretch_a, stretch_b, linear, mixed = kg_transform_identity ();
  KgRotation qa, qb;
  bool mirrors_a, mirrors_b;
  const bool turns = conversion_from_matrix (a, &qa, &stretch_a, &mirrors_a) &&
                     conversion_from_matrix (b, &qb, &stretch_b, &mirrors_b);

  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      mixed.m[i][j] = kg_lerp (a->m[i][j], b->m[i][j], t);
  if (!turns || mirrors_a != mirrors_b)
    return mixed;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      stretch_a.m[i][j] = kg_lerp (stretch_a.m[i][j], stretch_b.m[i][j], t);
  linear = kg_transform_multiply (
      kg_transform_from_parts (kg_vector (0, 0, 0), kg_rotation_slerp (qa, qb, t), kg_vector (1, 1, 1)), stretch_a);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      mixed.m[i][j] = linear.m[i][j];
  return mixed;
}

static bool
mix_values (const KgValue *a, const KgValue *b, double t, KgValue *mixed, GError **error)
{
  switch (a->kind) {
  case KG_NUMBER:
    *mixed = kg_value_number (kg_lerp (a->number, b->number, t));
    return true;
  case KG_VECTOR:
    *mixed = kg_value_vector (kg_vector_lerp (a->vector, b->vector, t));
    return true;
  case KG_COLOR:
    *mixed = kg_value_color ((KgColor){ kg_lerp (a->color.r, b->color.r, t), kg_lerp (a->color.g, b->color.g, t),
                                        kg_lerp (a->color.b, b->color.b, t), kg_lerp (a->color.a, b->color.a, t) });
    return true;
  case KG_ROTATION:
    *mixed = kg_value_rotation (kg_rotation_slerp (a->rotation, b->rotation, t));
    return true;
  case KG_TRANSFORM: {
    const KgTransform m = mix_transforms (a->transform, b->transform, t);

    *mixed = kg_value_transform (&m);
    return true;
  }
  default:
    kg_set_error (
        error, KG_ERROR_TYPE_MISMATCH,
        "values of type %s cannot be mixed here: use numbers, vectors, colours, rotations or transforms; for geometry and images use the morph nodes",
        kg_kind_get_name (a->kind));
    return false;
  }
}

static bool
mix_evaluate (Mix *n, const KgContext *ctx, GError **error)
{
  const double t = n->clamp ? kg_clamp (n->t, 0, 1) : n->t;
  g_auto (KgValue) a = KG_VALUE_INIT, b = KG_VALUE_INIT;
  KgKind kind = n->a.kind;

  (void) ctx;
  /* Integers and booleans mix as numbers; the second takes the kind of the first where a conversion is known. */
  if (kind == KG_INTEGER || kind == KG_BOOLEAN)
    kind = KG_NUMBER;
  if (!kg_value_convert (&n->a, kind, &a, error) || !kg_value_convert (&n->b, kind, &b, error)) {
    kg_prefix_error (error, "a and b do not match: ");
    return false;
  }
  return mix_values (&a, &b, t, &n->mixed, error);
}

static const KgSlot mix_slots[] = {
  KG_INPUT (Mix, a, ANY, .label = N_ ("a"),
            .help = N_ ("Value at 0: a number, vector, colour, rotation or transform.")),
  KG_INPUT (Mix, b, ANY, .label = N_ ("b"), .help = N_ ("Value at 1, of the same type.")),
  KG_INPUT (Mix, t, NUMBER, .label = N_ ("Mix"), .def = 0.5, .soft_max = 1, .help = N_ ("Share of b: 0 to 1.")),
  KG_INPUT (
      Mix, clamp, BOOLEAN, .label = N_ ("Clamp"),
      .help = N_ ("Limits the mix to the range from 0 to 1; otherwise it continues in a straight line beyond them.")),
  KG_OUTPUT (Mix, mixed, ANY, .label = N_ ("Mixed"), .like = "a", .help = N_ ("Mixed value.")),
};

KG_NODE (
    value, mix, Mix, .label = N_ ("Mix"), .version = 1, .since = "0.1",
    .tags = N_ ("lerp linear interpolation blend between average fade"),
    .formula = "(1 − t) a + t b = a + t (b − a); "
               "rotations by slerp",
    .source = "Parent, Computer Animation, B.4.2",
    .help = N_ (
        "Interpolates linearly between two values. Rotations rotate at a constant speed about one axis; the translation, rotation and stretch of transforms are interpolated separately."));

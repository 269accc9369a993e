/* value_mix: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/value_mix.h"

#include "kg-math.h"
#include "rotation/conversion.h"

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

bool
value_mix (const KgValue *a, const KgValue *b, double t, KgValue *mixed, GError **error)
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

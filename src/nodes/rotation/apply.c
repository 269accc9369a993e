/* rotation/apply: points, directions, normals and planes under a transform.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rotation/conversion.h"
#include "kg-node.h"

typedef struct {
  KgVector vector;
  double offset;
  int as;
  KgTransform transform;
  bool rows;
  bool inverse;
  bool normalize;
  KgVector applied;
  double applied_offset;
} Apply;

enum { AS_POINT, AS_DIRECTION, AS_NORMAL, AS_PLANE, N_AS };

static const KgChoice apply_as[] = {
  [AS_POINT] = { "point", N_ ("A point") },
  [AS_DIRECTION] = { "direction", N_ ("A direction: an edge or a velocity") },
  [AS_NORMAL] = { "normal", N_ ("A surface normal") },
  [AS_PLANE] = { "plane", N_ ("A plane") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (apply_as, N_AS);

static void
apply_point (Apply *n, const KgContext *ctx)
{
  const KgTransform *t = &n->transform;
  const double w = t->m[3][0] * n->vector.x + t->m[3][1] * n->vector.y + t->m[3][2] * n->vector.z + t->m[3][3];

  n->applied = kg_transform_point (*t, n->vector);
  if (fabs (w) < 1e-12)
    kg_context_warn (ctx, "the transform moves the point to infinity: its direction is used");
  else if (w != 1)
    n->applied = kg_vector_scale (n->applied, 1 / w);
}

static bool
apply_normal (Apply *n, GError **error)
{
  const KgVector cofactors = kg_transform_direction (kg_transform_cofactors (n->transform), n->vector);
  const double determinant = kg_transform_determinant (n->transform);
  KgTransform inverse;

  if (kg_transform_invert (n->transform, &inverse)) {
    n->applied = kg_vector_scale (cofactors, 1 / determinant);
    return true;
  }
  if (!n->normalize || !(kg_vector_length (cofactors) > 0)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        n->normalize
            ? N_ ("the transform flattens the plane of the normal: use a transform that leaves at least a plane")
            : N_ ("the transform flattens space, so the normal has no length: turn on Unit length to get its direction"));
    return false;
  }
  n->applied = cofactors;
  return true;
}

static bool
apply_plane (Apply *n, GError **error)
{
  const double plane[] = { n->vector.x, n->vector.y, n->vector.z, n->offset };
  double out[4] = { 0 };
  KgTransform inverse;

  if (!conversion_invert (&n->transform, &inverse)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the transform flattens space, so the plane is undefined: use an invertible transform");
    return false;
  }
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++)
      out[j] += plane[i] * inverse.m[i][j];
  n->applied = kg_vector (out[0], out[1], out[2]);
  n->applied_offset = out[3];
  return true;
}

static bool
apply_prepare (Apply *n, GError **error)
{
  const KgTransform given = n->transform;

  for (int i = 0; i < 4 && n->rows; i++)
    for (int j = 0; j < 4; j++)
      n->transform.m[i][j] = given.m[j][i];
  if (n->inverse) {
    const KgTransform forward = n->transform;

    if (!conversion_invert (&forward, &n->transform)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "the transform flattens space and has no inverse: turn Inverse off, or use scales that are not 0");
      return false;
    }
  }
  return true;
}

static bool
apply_evaluate (Apply *n, const KgContext *ctx, GError **error)
{
  double length;

  if (!apply_prepare (n, error))
    return false;
  if (n->as == AS_POINT) {
    apply_point (n, ctx);
    return true;
  }
  if (n->as == AS_DIRECTION)
    n->applied = kg_transform_direction (n->transform, n->vector);
  else if (!(n->as == AS_NORMAL ? apply_normal (n, error) : apply_plane (n, error)))
    return false;
  length = kg_vector_length (n->applied);
  if (n->normalize && length > 1e-300) {
    n->applied = kg_vector_scale (n->applied, 1 / length);
    n->applied_offset /= length;
  }
  return true;
}

static const KgSlot apply_slots[] = {
  KG_INPUT (Apply, vector, VECTOR, .label = N_ ("Vector"), .help = N_ ("Vector to transform.")),
  KG_INPUT (Apply, transform, TRANSFORM, .label = N_ ("Transform"), .help = N_ ("Transform or rotation to apply.")),
  KG_INPUT (
      Apply, as, CHOICE, .label = N_ ("Treat as"), .choices = apply_as,
      .help = N_ (
          "Points are translated, directions are not. Normals and planes stay on their surface even if it is stretched.")),
  KG_INPUT (Apply, offset, NUMBER, .label = N_ ("Offset"), .shown_when = "as=plane",
            .help = N_ ("Fourth number of the plane: d in a x + b y + c z + d = 0.")),
  KG_INPUT (Apply, normalize, BOOLEAN, .label = N_ ("Unit length"), .shown_when = "as=direction|normal|plane",
            .help = N_ ("Scales the result to length 1.")),
  KG_INPUT (Apply, inverse, BOOLEAN, .label = N_ ("Inverse"), .help = N_ ("Applies the inverse of the transform.")),
  KG_INPUT (
      Apply, rows, BOOLEAN, .label = N_ ("Row vectors"),
      .help = N_ (
          "The transform is written for row vectors, with the translation in its last row, as in some programs: it is transposed first.")),
  KG_OUTPUT (Apply, applied, VECTOR, .label = N_ ("Vector"), .help = N_ ("Transformed vector.")),
  KG_OUTPUT (Apply, applied_offset, NUMBER, .label = N_ ("Offset"),
             .help = N_ ("Fourth number of the transformed plane.")),
};

KG_NODE (
    rotation, apply, Apply, .label = N_ ("Apply Transform"), .version = 1, .since = "0.1",
    .tags = N_ ("matrix vector point normal plane multiply rotate move inverse transpose"),
    .formula = "point: p′ = M [x y z 1]ᵀ, divided by its fourth number; vector: v′ = M [x y z 0]ᵀ\n"
               "normal: n′ = (M⁻¹)ᵀ n, if M is singular, by its cofactors; plane [n d]: [n d]′ = [n d] M⁻¹",
    .source = "Parent, Computer Animation, B.3.1 and B.3.2",
    .help = N_ (
        "Transforms a single point, direction, normal or plane. For whole geometries use Transform, which treats each of their attributes in the right way."));

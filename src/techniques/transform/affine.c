/* affine: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "transform/affine.h"

#include "rotation/conversion.h"

/* What is left of a direction when the directions before it are taken off, as a share of its length, below which it is
 * rounding. */
#define DEPENDENT 1e-13
/* How well parts must make the transform again, as a share of its largest entry. */
#define EXACT 1e-12

KgTransform
affine_transpose_linear (const KgTransform *t)
{
  KgTransform transposed = kg_transform_identity ();

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      transposed.m[i][j] = t->m[j][i];
  return transposed;
}

bool
affine_is (const KgTransform *t)
{
  return t->m[3][0] == 0 && t->m[3][1] == 0 && t->m[3][2] == 0 && fabs (t->m[3][3] - 1) <= 8 * DBL_EPSILON;
}

bool
affine_invert (const KgTransform *t, KgTransform *inverse)
{
  return affine_is (t) ? kg_transform_invert (*t, inverse) : conversion_invert (t, inverse);
}

double
affine_get_orthogonality (const KgTransform *t)
{
  double most = 0;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double dot = t->m[i][0] * t->m[j][0] + t->m[i][1] * t->m[j][1] + t->m[i][2] * t->m[j][2];

      most = fmax (most, fabs (dot - (i == j)));
    }
  return most;
}

KgTransform
affine_compose (const AffineParts *parts)
{
  const KgVector none = { 0, 0, 0 }, one = { 1, 1, 1 };
  const KgTransform stretch = {
    { { parts->scale.x, parts->shear.x * parts->scale.y, parts->shear.y * parts->scale.z, 0 },
      { parts->back_shear.x * parts->scale.x, parts->scale.y, parts->shear.z * parts->scale.z, 0 },
      { parts->back_shear.y * parts->scale.x, parts->back_shear.z * parts->scale.y, parts->scale.z, 0 },
      { 0, 0, 0, 1 } }
  };
  const KgTransform turn = kg_transform_from_parts (none, parts->rotation, one);
  KgTransform m = parts->scale_last ? kg_transform_multiply (affine_transpose_linear (&stretch), turn)
                                    : kg_transform_multiply (turn, stretch);

  kg_transform_set_place (&m, parts->translate);
  return m;
}

/* Fills the axes that no column gives, right-handed. */
static void
complete (KgVector axes[3], const bool given[3])
{
  const int count = given[0] + given[1] + given[2];

  if (count == 0) {
    axes[0] = kg_vector (1, 0, 0);
    axes[1] = kg_vector (0, 1, 0);
    axes[2] = kg_vector (0, 0, 1);
  }
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3, last = (i + 2) % 3;

    if (count == 1 && given[i]) {
      axes[next] = kg_vector_perpendicular (axes[i]);
      axes[last] = kg_vector_cross (axes[i], axes[next]);
    } else if (count == 2 && !given[i]) {
      axes[i] = kg_vector_cross (axes[next], axes[last]);
    }
  }
}

/* Gram-Schmidt, each column twice, which is enough for full precision. */
static void
orthogonalize (const KgTransform *m, KgVector axes[3], bool given[3])
{
  for (int j = 0; j < 3; j++) {
    const KgVector column = kg_transform_get_column (m, j);
    const double length = kg_vector_length (column);
    KgVector rest = kg_vector_scale (column, length > 0 ? 1 / length : 0);

    for (int round = 0; round < 2; round++)
      for (int i = 0; i < j; i++)
        if (given[i])
          rest = kg_vector_add_scaled (rest, -kg_vector_dot (axes[i], rest), axes[i]);
    given[j] = length > 1e-150 && kg_vector_length (rest) > DEPENDENT;
    axes[j] = kg_vector_normalize_or (rest, kg_vector (0, 0, 0));
    /* What was small against its column has lost digits when it is brought to length 1. */
    for (int i = 0; i < j && given[j]; i++)
      if (given[i])
        axes[j] = kg_vector_normalize_or (kg_vector_add_scaled (axes[j], -kg_vector_dot (axes[i], axes[j]), axes[i]),
                                          axes[j]);
  }
}

bool
affine_decompose (const KgTransform *transform, AffineParts *parts, bool *mirrors, bool *singular)
{
  const KgTransform source = parts->scale_last ? affine_transpose_linear (transform) : *transform;
  const double size = kg_transform_get_size (&source);
  KgTransform linear = kg_transform_identity (), frame = kg_transform_identity (), made;
  KgVector axes[3];
  double upper[3][3] = { { 0 } }, wrong = 0;
  bool given[3] = { false, false, false };

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      linear.m[i][j] = size > 0 ? source.m[i][j] / size : 0;
  orthogonalize (&linear, axes, given);
  *singular = !(given[0] && given[1] && given[2]);
  complete (axes, given);
  *mirrors = !*singular && kg_vector_dot (kg_vector_cross (axes[0], axes[1]), axes[2]) < 0;
  if (*mirrors)
    axes[0] = kg_vector_scale (axes[0], -1);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i <= j; i++)
      upper[i][j] = i == j && !given[j] ? 0 : kg_vector_dot (axes[i], kg_transform_get_column (&linear, j));
    kg_transform_set_column (&frame, j, axes[j]);
  }
  parts->translate = kg_transform_get_place (transform);
  parts->rotation = kg_rotation_from_transform (frame);
  if (parts->scale_last)
    parts->rotation = kg_rotation_conjugate (parts->rotation);
  parts->scale = kg_vector (upper[0][0] * size, upper[1][1] * size, upper[2][2] * size);
  parts->shear = kg_vector (upper[1][1] != 0 ? upper[0][1] / upper[1][1] : 0,
                            upper[2][2] != 0 ? upper[0][2] / upper[2][2] : 0,
                            upper[2][2] != 0 ? upper[1][2] / upper[2][2] : 0);
  parts->back_shear = kg_vector (0, 0, 0);
  made = affine_compose (parts);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      wrong = fmax (wrong, fabs (made.m[i][j] - transform->m[i][j]));
  return wrong <= EXACT * size;
}

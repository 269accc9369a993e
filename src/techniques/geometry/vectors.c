/* vectors: angles, parts and coordinates of vectors that keep their digits.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/vectors.h"

/* a over a power of two, which is exact, so that its largest component is between a half and one. */
static KgVector
reduce (KgVector a, int *exponent)
{
  *exponent = 0;
  if (!(kg_vector_get_largest (a) > 0))
    return a;
  frexp (kg_vector_get_largest (a), exponent);
  return kg_vector (ldexp (a.x, -*exponent), ldexp (a.y, -*exponent), ldexp (a.z, -*exponent));
}

double
vectors_get_length (KgVector a)
{
  const double size = kg_vector_get_largest (a);
  int exponent;

  if (size > 1e-150 && size < 1e150)
    return kg_vector_length (a);
  a = reduce (a, &exponent);
  return ldexp (kg_vector_length (a), exponent);
}

bool
vectors_normalize (KgVector a, KgVector *unit)
{
  int exponent;

  a = reduce (a, &exponent);
  if (!(kg_vector_get_largest (a) > 0))
    return false;
  *unit = kg_vector_scale (a, 1 / kg_vector_length (a));
  return true;
}

double
vectors_get_angle (KgVector a, KgVector b)
{
  int unused;

  a = reduce (a, &unused);
  b = reduce (b, &unused);
  return atan2 (kg_vector_length (kg_vector_cross (a, b)), kg_vector_dot (a, b));
}

bool
vectors_get_signed_angle (KgVector a, KgVector b, KgVector axis, double *angle)
{
  int unused;

  if (!vectors_normalize (axis, &axis))
    return false;
  a = reduce (a, &unused);
  b = reduce (b, &unused);
  a = kg_vector_add_scaled (a, -kg_vector_dot (a, axis), axis);
  b = kg_vector_add_scaled (b, -kg_vector_dot (b, axis), axis);
  /* What is left of a vector along the axis is rounding. */
  if (!(kg_vector_get_largest (a) > 8 * DBL_EPSILON) || !(kg_vector_get_largest (b) > 8 * DBL_EPSILON))
    return false;
  *angle = atan2 (kg_vector_dot (kg_vector_cross (a, b), axis), kg_vector_dot (a, b));
  if (*angle <= -KG_PI)
    *angle = KG_PI;
  return true;
}

bool
vectors_project (KgVector a, KgVector b, KgVector *projection, double *length)
{
  int exponent;

  b = reduce (b, &exponent);
  if (!(kg_vector_get_largest (b) > 0))
    return false;
  *projection = kg_vector_scale (b, kg_vector_dot (a, b) / kg_vector_dot (b, b));
  if (length != NULL)
    *length = kg_vector_dot (a, b) / kg_vector_length (b);
  return true;
}

double
vectors_get_triple (KgVector a, KgVector b, KgVector c)
{
  return kg_vector_dot (a, kg_vector_cross (b, c));
}

bool
vectors_get_components (KgVector a, KgVector x, KgVector y, KgVector z, KgVector *components)
{
  int ex, ey, ez;
  double volume;

  x = reduce (x, &ex);
  y = reduce (y, &ey);
  z = reduce (z, &ez);
  volume = vectors_get_triple (x, y, z);
  if (!(fabs (volume) > 1e-12 * kg_vector_length (x) * kg_vector_length (y) * kg_vector_length (z)))
    return false;
  *components = kg_vector (ldexp (vectors_get_triple (a, y, z) / volume, -ex),
                           ldexp (vectors_get_triple (x, a, z) / volume, -ey),
                           ldexp (vectors_get_triple (x, y, a) / volume, -ez));
  return true;
}

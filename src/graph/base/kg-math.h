/* kg-math: vectors, colours, rotations and transforms as plain structs with inline functions.
 * Right-handed, y up, column vectors (p' = M p), radians, quaternions (w, x, y, z).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define KG_PI 3.14159265358979323846
#define KG_DEGREE (KG_PI / 180.0)

typedef struct {
  double x, y, z;
} KgVector;

/* Linear light, unpremultiplied. */
typedef struct {
  double r, g, b, a;
} KgColor;

/* A unit quaternion. */
typedef struct {
  double w, x, y, z;
} KgRotation;

/* m[row][column]; acts on column vectors. */
typedef struct {
  double m[4][4];
} KgTransform;

static inline double
kg_clamp (double x, double low, double high)
{
  return x < low ? low : (x > high ? high : x);
}

static inline double
kg_lerp (double a, double b, double t)
{
  return (1.0 - t) * a + t * b;
}

/* For qsort and its like: doubles from the smallest to the largest. */
static inline int
kg_compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* From 0 to 1 with no slope and no bend at either end, for t in 0..1: Perlin, Improving Noise, 2002. */
static inline double
kg_fade (double t)
{
  return t * t * t * (t * (6 * t - 15) + 10);
}

/* The u in 0..1 where a function that rises is 0: Newton's method from u on, kept in a bracket by halving it.  get gives the
 * function and its slope. */
static inline double
kg_solve_rising (double (*get) (const void *data, double u, double *slope), const void *data, double u)
{
  double low = 0, high = 1;

  for (int i = 0; i < 100; i++) {
    double slope, next;
    const double f = get (data, u, &slope);

    if (f > 0)
      high = u;
    else
      low = u;
    next = slope > 0 ? u - f / slope : low;
    if (!(next > low && next < high))
      next = 0.5 * (low + high);
    if (fabs (next - u) <= 1e-16 || high - low <= 1e-16)
      return next;
    u = next;
  }
  return u;
}

static inline KgVector
kg_vector (double x, double y, double z)
{
  return (KgVector){ x, y, z };
}

/* Component i of 0, 1, 2: x, y or z. */
static inline double
kg_vector_get (KgVector v, size_t i)
{
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* The same to write to. */
static inline double *
kg_vector_component (KgVector *v, size_t i)
{
  return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

static inline KgVector
kg_vector_add (KgVector a, KgVector b)
{
  return (KgVector){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline KgVector
kg_vector_subtract (KgVector a, KgVector b)
{
  return (KgVector){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline KgVector
kg_vector_scale (KgVector a, double s)
{
  return (KgVector){ a.x * s, a.y * s, a.z * s };
}

/* a + s b */
static inline KgVector
kg_vector_add_scaled (KgVector a, double s, KgVector b)
{
  return (KgVector){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

/* Of each component the smaller one, and the larger one. */
static inline KgVector
kg_vector_min (KgVector a, KgVector b)
{
  return (KgVector){ fmin (a.x, b.x), fmin (a.y, b.y), fmin (a.z, b.z) };
}

static inline KgVector
kg_vector_max (KgVector a, KgVector b)
{
  return (KgVector){ fmax (a.x, b.x), fmax (a.y, b.y), fmax (a.z, b.z) };
}

static inline KgVector
kg_vector_lerp (KgVector a, KgVector b, double t)
{
  return (KgVector){ kg_lerp (a.x, b.x, t), kg_lerp (a.y, b.y, t), kg_lerp (a.z, b.z, t) };
}

static inline double
kg_vector_dot (KgVector a, KgVector b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline KgVector
kg_vector_cross (KgVector a, KgVector b)
{
  return (KgVector){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

/* The size of its largest component. */
static inline double
kg_vector_get_largest (KgVector a)
{
  return fmax (fmax (fabs (a.x), fabs (a.y)), fabs (a.z));
}

static inline double
kg_vector_length (KgVector a)
{
  return sqrt (kg_vector_dot (a, a));
}

static inline double
kg_vector_distance (KgVector a, KgVector b)
{
  return kg_vector_length (kg_vector_subtract (a, b));
}

/* The unit vector along a, or fallback when a has no direction. */
static inline KgVector
kg_vector_normalize_or (KgVector a, KgVector fallback)
{
  const double length = kg_vector_length (a);

  return length > 1e-300 ? kg_vector_scale (a, 1.0 / length) : fallback;
}

/* Any unit vector perpendicular to the unit vector a (the axis least aligned with a decides). */
static inline KgVector
kg_vector_perpendicular (KgVector a)
{
  const double x = fabs (a.x), y = fabs (a.y), z = fabs (a.z);
  const KgVector axis = x <= y && x <= z ? kg_vector (1, 0, 0) : y <= z ? kg_vector (0, 1, 0) : kg_vector (0, 0, 1);

  return kg_vector_normalize_or (kg_vector_cross (a, axis), kg_vector (0, 1, 0));
}

static inline bool
kg_vector_is_finite (KgVector a)
{
  return isfinite (a.x) && isfinite (a.y) && isfinite (a.z);
}

static inline KgRotation
kg_rotation_identity (void)
{
  return (KgRotation){ 1, 0, 0, 0 };
}

/* The unit quaternion along q, or the identity where q is zero or not finite.  What is a unit but for rounding (which is
 * what this returns) stays as it is, bit for bit: a rotation that is written and read again is the same value. */
static inline KgRotation
kg_rotation_normalize (KgRotation q)
{
  const double n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  double n;

  if (fabs (n2 - 1.0) <= 8 * DBL_EPSILON)
    return q;
  /* Squares neither overflow nor vanish when the largest component is about one. */
  if (!(n2 > 1e-280 && n2 < 1e280)) {
    const double size = fmax (fmax (fabs (q.w), fabs (q.x)), fmax (fabs (q.y), fabs (q.z)));

    if (!(size > 0 && isfinite (q.w) && isfinite (q.x) && isfinite (q.y) && isfinite (q.z)))
      return kg_rotation_identity ();
    q = (KgRotation){ q.w / size, q.x / size, q.y / size, q.z / size };
  }
  n = sqrt (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return (KgRotation){ q.w / n, q.x / n, q.y / n, q.z / n };
}

static inline KgRotation
kg_rotation_conjugate (KgRotation q)
{
  return (KgRotation){ q.w, -q.x, -q.y, -q.z };
}

/* Hamilton product: first b, then a. */
static inline KgRotation
kg_rotation_multiply (KgRotation a, KgRotation b)
{
  return (KgRotation){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

static inline KgVector
kg_rotation_apply (KgRotation q, KgVector v)
{
  const KgVector u = { q.x, q.y, q.z };
  const KgVector t = kg_vector_scale (kg_vector_cross (u, v), 2.0);

  return kg_vector_add (kg_vector_add_scaled (v, q.w, t), kg_vector_cross (u, t));
}

/* axis need not be unit; a zero axis gives the identity.  angle in radians. */
static inline KgRotation
kg_rotation_from_axis_angle (KgVector axis, double angle)
{
  const KgVector a = kg_vector_normalize_or (axis, kg_vector (0, 0, 0));
  const double s = sin (0.5 * angle);

  return kg_rotation_normalize ((KgRotation){ cos (0.5 * angle), s * a.x, s * a.y, s * a.z });
}

/* Fixed angles in radians about x, then y, then z. */
static inline KgRotation
kg_rotation_from_angles (KgVector angles)
{
  const double cx = cos (0.5 * angles.x), cy = cos (0.5 * angles.y), cz = cos (0.5 * angles.z);
  const double sx = sin (0.5 * angles.x), sy = sin (0.5 * angles.y), sz = sin (0.5 * angles.z);

  /* The product of the three, multiplied out. */
  return (KgRotation){ cx * cy * cz + sx * sy * sz, sx * cy * cz - cx * sy * sz, cx * sy * cz + sx * cy * sz,
                       cx * cy * sz - sx * sy * cz };
}

/* The shortest rotation that takes the direction of a to the direction of b. */
static inline KgRotation
kg_rotation_between (KgVector a, KgVector b)
{
  const KgVector u = kg_vector_normalize_or (a, kg_vector (1, 0, 0));
  const KgVector v = kg_vector_normalize_or (b, kg_vector (1, 0, 0));
  const double c = kg_vector_dot (u, v);
  KgVector axis;

  if (c < -1.0 + 1e-12) {
    axis = kg_vector_perpendicular (u);
    return (KgRotation){ 0, axis.x, axis.y, axis.z };
  }
  axis = kg_vector_cross (u, v);
  return kg_rotation_normalize ((KgRotation){ 1.0 + c, axis.x, axis.y, axis.z });
}

/* Spherical linear interpolation, Shoemake 1985, along the shorter arc. */
static inline KgRotation
kg_rotation_slerp (KgRotation a, KgRotation b, double t)
{
  double c = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  double s = 1.0, p, q, angle;

  if (c < 0) {
    c = -c;
    s = -1.0;
  }
  if (c > 1.0 - 1e-12) {
    p = 1.0 - t;
    q = t * s;
  } else {
    angle = acos (c);
    p = sin ((1.0 - t) * angle) / sin (angle);
    q = s * sin (t * angle) / sin (angle);
  }
  return kg_rotation_normalize (
      (KgRotation){ p * a.w + q * b.w, p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z });
}

static inline KgTransform
kg_transform_identity (void)
{
  return (KgTransform){ { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } } };
}

/* First b, then a. */
static inline KgTransform
kg_transform_multiply (KgTransform a, KgTransform b)
{
  KgTransform c;

  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j] + a.m[i][3] * b.m[3][j];
  return c;
}

/* The same transform about another point than the origin: a translation by -pivot goes before it. */
static inline KgTransform
kg_transform_about (KgTransform t, KgVector pivot)
{
  for (int i = 0; i < 3; i++)
    t.m[i][3] -= t.m[i][0] * pivot.x + t.m[i][1] * pivot.y + t.m[i][2] * pivot.z;
  return t;
}

/* Translation and linear part, no perspective division. */
static inline KgVector
kg_transform_point (KgTransform t, KgVector p)
{
  return (KgVector){ t.m[0][0] * p.x + t.m[0][1] * p.y + t.m[0][2] * p.z + t.m[0][3],
                     t.m[1][0] * p.x + t.m[1][1] * p.y + t.m[1][2] * p.z + t.m[1][3],
                     t.m[2][0] * p.x + t.m[2][1] * p.y + t.m[2][2] * p.z + t.m[2][3] };
}

/* Linear part only. */
static inline KgVector
kg_transform_direction (KgTransform t, KgVector p)
{
  return (KgVector){ t.m[0][0] * p.x + t.m[0][1] * p.y + t.m[0][2] * p.z,
                     t.m[1][0] * p.x + t.m[1][1] * p.y + t.m[1][2] * p.z,
                     t.m[2][0] * p.x + t.m[2][1] * p.y + t.m[2][2] * p.z };
}

/* Scale first, then rotation, then translation. */
static inline KgTransform
kg_transform_from_parts (KgVector translation, KgRotation q, KgVector scale)
{
  const double w = q.w, x = q.x, y = q.y, z = q.z;

  return (KgTransform){ {
      { (1 - 2 * (y * y + z * z)) * scale.x, 2 * (x * y - w * z) * scale.y, 2 * (x * z + w * y) * scale.z,
        translation.x },
      { 2 * (x * y + w * z) * scale.x, (1 - 2 * (x * x + z * z)) * scale.y, 2 * (y * z - w * x) * scale.z,
        translation.y },
      { 2 * (x * z - w * y) * scale.x, 2 * (y * z + w * x) * scale.y, (1 - 2 * (x * x + y * y)) * scale.z,
        translation.z },
      { 0, 0, 0, 1 },
  } };
}

/* Column 0, 1 or 2: where the axis x, y or z goes; 3: the place of the origin. */
static inline KgVector
kg_transform_get_column (const KgTransform *t, int column)
{
  return kg_vector (t->m[0][column], t->m[1][column], t->m[2][column]);
}

static inline void
kg_transform_set_column (KgTransform *t, int column, KgVector v)
{
  t->m[0][column] = v.x;
  t->m[1][column] = v.y;
  t->m[2][column] = v.z;
}

/* Where the origin goes. */
static inline KgVector
kg_transform_get_place (const KgTransform *t)
{
  return kg_transform_get_column (t, 3);
}

static inline void
kg_transform_set_place (KgTransform *t, KgVector place)
{
  kg_transform_set_column (t, 3, place);
}

/* The largest entry of the linear part, to scale by. */
static inline double
kg_transform_get_size (const KgTransform *t)
{
  double size = 0;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      size = fmax (size, fabs (t->m[i][j]));
  return size;
}

/* Determinant of the linear part. */
static inline double
kg_transform_determinant (KgTransform t)
{
  return t.m[0][0] * (t.m[1][1] * t.m[2][2] - t.m[1][2] * t.m[2][1]) -
         t.m[0][1] * (t.m[1][0] * t.m[2][2] - t.m[1][2] * t.m[2][0]) +
         t.m[0][2] * (t.m[1][0] * t.m[2][1] - t.m[1][1] * t.m[2][0]);
}

/* The cofactors of the linear part, without a translation: its determinant times the inverse transpose, and what is left of
 * that where the determinant is zero. */
static inline KgTransform
kg_transform_cofactors (KgTransform t)
{
  KgTransform cofactors = { { { 0 } } };

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;

      cofactors.m[i][j] = t.m[a][c] * t.m[b][d] - t.m[a][d] * t.m[b][c];
    }
  cofactors.m[3][3] = 1;
  return cofactors;
}

/* How normals follow a transform, but for their length: by the inverse transpose, for which the cofactors stand, because they
 * exist for singular transforms too. */
static inline KgTransform
kg_transform_for_normals (KgTransform t)
{
  KgTransform turn = kg_transform_cofactors (t);

  for (int i = 0; i < 3 && kg_transform_determinant (t) < 0; i++)
    for (int j = 0; j < 3; j++)
      turn.m[i][j] = -turn.m[i][j];
  return turn;
}

/* Inverts a transform with a last row of 0 0 0 1.  Returns false, and the identity, when the linear
 * part is singular to working precision (relative to the lengths of its columns). */
static inline bool
kg_transform_invert (KgTransform t, KgTransform *inverse)
{
  const double d = kg_transform_determinant (t);
  double size = 1.0;

  for (int j = 0; j < 3; j++)
    size *= sqrt (t.m[0][j] * t.m[0][j] + t.m[1][j] * t.m[1][j] + t.m[2][j] * t.m[2][j]);
  *inverse = kg_transform_identity ();
  if (!(fabs (d) > 1e-14 * size))
    return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;

      inverse->m[i][j] = (t.m[a][c] * t.m[b][e] - t.m[a][e] * t.m[b][c]) / d;
    }
  for (int i = 0; i < 3; i++)
    inverse->m[i][3] = -(inverse->m[i][0] * t.m[0][3] + inverse->m[i][1] * t.m[1][3] + inverse->m[i][2] * t.m[2][3]);
  return true;
}

/* The rotation nearest to the directions of the columns (scale removed, Shepperd 1978 order). */
static inline KgRotation
kg_rotation_from_transform (KgTransform t)
{
  const KgVector x = kg_vector_normalize_or (kg_transform_get_column (&t, 0), kg_vector (1, 0, 0));
  const KgVector y0 = kg_transform_get_column (&t, 1);
  const KgVector y =
      kg_vector_normalize_or (kg_vector_add_scaled (y0, -kg_vector_dot (x, y0), x), kg_vector_perpendicular (x));
  const KgVector z = kg_vector_cross (x, y);
  const double trace = x.x + y.y + z.z;
  KgRotation q;

  if (trace >= x.x && trace >= y.y && trace >= z.z)
    q = (KgRotation){ 1 + trace, y.z - z.y, z.x - x.z, x.y - y.x };
  else if (x.x >= y.y && x.x >= z.z)
    q = (KgRotation){ y.z - z.y, 1 + x.x - y.y - z.z, x.y + y.x, x.z + z.x };
  else if (y.y >= z.z)
    q = (KgRotation){ z.x - x.z, x.y + y.x, 1 - x.x + y.y - z.z, y.z + z.y };
  else
    q = (KgRotation){ x.y - y.x, x.z + z.x, y.z + z.y, 1 - x.x - y.y + z.z };
  return kg_rotation_normalize (q);
}

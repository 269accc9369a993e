/* triangle: what is known of a triangle.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangle.h"

#include "geometry/vectors.h"

static KgVector
combine (const KgVector corners[3], KgVector w)
{
  return kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (corners[0], w.x), w.y, corners[1]), w.z,
                               corners[2]);
}

/* The sum of the weights is brought to 1. */
static KgVector
share (KgVector w)
{
  return kg_vector_scale (w, 1 / (w.x + w.y + w.z));
}

Triangle
triangle_new (const KgVector corners[3])
{
  const KgVector ab = kg_vector_subtract (corners[1], corners[0]), bc = kg_vector_subtract (corners[2], corners[1]);
  const KgVector ca = kg_vector_subtract (corners[0], corners[2]);
  const KgVector twice = kg_vector_cross (ab, kg_vector_scale (ca, -1));
  Triangle t = { .area = 0.5 * vectors_get_length (twice) };
  const KgVector s = { vectors_get_length (bc), vectors_get_length (ca), vectors_get_length (ab) };
  const double longest = fmax (s.x, fmax (s.y, s.z)), around = s.x + s.y + s.z;
  KgVector squares, weights;

  t.sides = s;
  t.angles = kg_vector (vectors_get_angle (ab, kg_vector_scale (ca, -1)),
                        vectors_get_angle (bc, kg_vector_scale (ab, -1)),
                        vectors_get_angle (ca, kg_vector_scale (bc, -1)));
  t.centroid = combine (corners, kg_vector (1.0 / 3, 1.0 / 3, 1.0 / 3));
  t.incenter = around > 0 ? combine (corners, share (s)) : corners[0];
  t.inradius = around > 0 ? 2 * t.area / around : 0;
  t.degenerate = !(t.area > 1e-12 * longest * longest);
  if (t.degenerate)
    return t;
  vectors_normalize (twice, &t.normal);
  squares = kg_vector (s.x * s.x, s.y * s.y, s.z * s.z);
  /* The weights of the circumcentre are a²(b² + c² − a²) ..., those of the orthocentre the tangents of the angles, here
   * multiplied by what would make them infinite at a right angle. */
  weights = kg_vector (kg_vector_dot (ab, kg_vector_scale (ca, -1)), kg_vector_dot (bc, kg_vector_scale (ab, -1)),
                       kg_vector_dot (ca, kg_vector_scale (bc, -1)));
  t.circumcenter =
      combine (corners, share (kg_vector (squares.x * weights.x, squares.y * weights.y, squares.z * weights.z)));
  t.orthocenter =
      combine (corners, share (kg_vector (weights.y * weights.z, weights.z * weights.x, weights.x * weights.y)));
  t.circumradius = s.x * s.y * s.z / (4 * t.area);
  return t;
}

KgVector
triangle_get_weights (const KgVector corners[3], KgVector p)
{
  const KgVector e1 = kg_vector_subtract (corners[1], corners[0]), e2 = kg_vector_subtract (corners[2], corners[0]);
  const KgVector n = kg_vector_cross (e1, e2), d = kg_vector_subtract (p, corners[0]);
  const double n2 = kg_vector_dot (n, n);
  size_t longest = 0;
  double length = -1;

  if (!triangle_new (corners).degenerate) {
    const double u = kg_vector_dot (kg_vector_cross (d, e2), n) / n2;
    const double v = kg_vector_dot (kg_vector_cross (e1, d), n) / n2;

    return kg_vector (1 - u - v, u, v);
  }
  for (size_t i = 0; i < 3; i++)
    if (kg_vector_distance (corners[i], corners[(i + 1) % 3]) > length) {
      length = kg_vector_distance (corners[i], corners[(i + 1) % 3]);
      longest = i;
    }
  {
    const KgVector a = corners[longest], v = kg_vector_subtract (corners[(longest + 1) % 3], a);
    const double t = length > 0 ? kg_clamp (kg_vector_dot (kg_vector_subtract (p, a), v) / kg_vector_dot (v, v), 0, 1)
                                : 0;
    KgVector weights = { 0, 0, 0 };

    *kg_vector_component (&weights, longest) = 1 - t;
    *kg_vector_component (&weights, (longest + 1) % 3) = t;
    return weights;
  }
}

/* Kahan's products need the sides in falling order. */
static void
sort_down (double *a, double *b, double *c)
{
  double swap;

  if (*a < *b) {
    swap = *a;
    *a = *b;
    *b = swap;
  }
  if (*b < *c) {
    swap = *b;
    *b = *c;
    *c = swap;
  }
  if (*a < *b) {
    swap = *a;
    *a = *b;
    *b = swap;
  }
}

double
triangle_get_area_from_sides (KgVector sides)
{
  double a = sides.x, b = sides.y, c = sides.z, product;

  sort_down (&a, &b, &c);
  product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
  return product > 0 ? 0.25 * sqrt (product) : 0;
}

/* The angle opposite to c, of sides that reach (Kahan 2014). */
static double
get_angle (double a, double b, double c)
{
  const double large = fmax (a, b), small = fmin (a, b);
  const double mu = small >= c ? c - (large - small) : small - (large - c);

  return 2 * atan2 (sqrt (fmax ((large - small + c) * mu, 0)),
                    sqrt (fmax ((large + (small + c)) * (large - c + small), 0)));
}

bool
triangle_get_angles_from_sides (KgVector s, KgVector *angles, GError **error)
{
  const char *const names[] = { "a", "b", "c" };

  for (size_t i = 0; i < 3; i++) {
    const double side = kg_vector_get (s, i), one = kg_vector_get (s, (i + 1) % 3),
                 two = kg_vector_get (s, (i + 2) % 3);

    if (!(side > 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "side %s is %g m: sides must be longer than 0", names[i], side);
      return false;
    }
    if (one + two < side * (1 - 1e-12)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "sides %s and %s do not reach: together they are %g m, and side %s is %g m; shorten it",
                    names[(i + 1) % 3], names[(i + 2) % 3], one + two, names[i], side);
      return false;
    }
  }
  *angles = kg_vector (get_angle (s.y, s.z, s.x), get_angle (s.z, s.x, s.y), get_angle (s.x, s.y, s.z));
  return true;
}

/* Angles that leave something for the third. */
static bool
check_angles (double one, double two, GError **error)
{
  if (one > 0 && two > 0 && one + two < KG_PI)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "angles of %g and %g degrees do not make a triangle: both must be above 0, and together below 180",
                one / KG_DEGREE, two / KG_DEGREE);
  return false;
}

static bool
check_angle (double angle, GError **error)
{
  if (angle > 0 && angle < KG_PI)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "the angle at A is %g degrees: use an angle above 0 and below 180",
                angle / KG_DEGREE);
  return false;
}

static bool
check_side (double side, const char *name, GError **error)
{
  if (side > 0)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "side %s is %g m: sides must be longer than 0", name, side);
  return false;
}

/* Two sides and the angle between them: the third by the cosine rule without cancellation, the half-angle form. */
static bool
solve_sides_angle (KgVector *s, KgVector *angles, GError **error)
{
  const double half = sin (0.5 * angles->x);

  if (!check_side (s->y, "b", error) || !check_side (s->z, "c", error) || !check_angle (angles->x, error))
    return false;
  s->x = sqrt ((s->y - s->z) * (s->y - s->z) + 4 * s->y * s->z * half * half);
  /* The remaining angles by the tangent rule, from the sum and the difference of two sides. */
  {
    const double sum = 0.5 * (KG_PI - angles->x);
    const double difference = atan ((s->y - s->z) / (s->y + s->z) / tan (0.5 * angles->x));

    angles->y = sum + difference;
    angles->z = sum - difference;
  }
  return true;
}

static bool
solve_angles (bool far, KgVector *s, KgVector *angles, GError **error)
{
  const char *name = far ? "a" : "c";

  if (!check_side (far ? s->x : s->z, name, error) || !check_angles (angles->x, angles->y, error))
    return false;
  angles->z = KG_PI - angles->x - angles->y;
  {
    /* The sine rule: each side over the sine of its angle is the same. */
    const double ratio = far ? s->x / sin (angles->x) : s->z / sin (angles->z);

    *s =
        kg_vector (far ? s->x : ratio * sin (angles->x), ratio * sin (angles->y), far ? ratio * sin (angles->z) : s->z);
  }
  return true;
}

static bool
solve_sides_far (bool other, KgVector *s, KgVector *angles, guint *solutions, GError **error)
{
  double sine;

  if (!check_side (s->x, "a", error) || !check_side (s->y, "b", error) || !check_angle (angles->x, error))
    return false;
  sine = s->y * sin (angles->x) / s->x;
  if (sine > 1 + 1e-12 || (s->x <= s->y && angles->x >= 0.5 * KG_PI)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "side a of %g m is too short to reach the other side: it must be at least %g m", s->x,
                  angles->x < 0.5 * KG_PI ? s->y * sin (angles->x) : s->y);
    return false;
  }
  angles->y = asin (fmin (sine, 1));
  *solutions = s->x < s->y && sine < 1 ? 2 : 1;
  if (*solutions == 2 && !other)
    angles->y = KG_PI - angles->y;
  angles->z = KG_PI - angles->x - angles->y;
  s->z = s->x * sin (angles->z) / sin (angles->x);
  return true;
}

bool
triangle_solve (TriangleGiven given, bool other, KgVector *sides, KgVector *angles, guint *solutions, GError **error)
{
  *solutions = 1;
  switch (given) {
  case TRIANGLE_SIDES_ANGLE:
    return solve_sides_angle (sides, angles, error);
  case TRIANGLE_ANGLES_SIDE:
    return solve_angles (false, sides, angles, error);
  case TRIANGLE_ANGLES_FAR:
    return solve_angles (true, sides, angles, error);
  case TRIANGLE_SIDES_FAR:
    return solve_sides_far (other, sides, angles, solutions, error);
  case TRIANGLE_SIDES:
  default:
    return triangle_get_angles_from_sides (*sides, angles, error);
  }
}

double
triangle_get_solid_angle (const KgVector corners[3], KgVector place)
{
  KgVector c[3];
  double l[3], volume, sum;

  for (int k = 0; k < 3; k++) {
    c[k] = kg_vector_subtract (corners[k], place);
    l[k] = kg_vector_length (c[k]);
  }
  volume = kg_vector_dot (c[0], kg_vector_cross (c[1], c[2]));
  sum = l[0] * l[1] * l[2] + kg_vector_dot (c[0], c[1]) * l[2] + kg_vector_dot (c[1], c[2]) * l[0] +
        kg_vector_dot (c[2], c[0]) * l[1];
  /* From a point on the triangle neither side is visible. */
  return volume != 0 ? 2 * atan2 (volume, sum) : 0;
}

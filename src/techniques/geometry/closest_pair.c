/* closest_pair: the closest points of two simple shapes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/closest_pair.h"

#include "geometry/triangle.h"
#include "geometry/vectors.h"

/* Two directions are parallel where the square of the sine between them is at most this. */
#define PARALLEL 1e-14
/* What is closer than this share of the coordinates touches. */
#define TOUCH 1e-12

static KgVector
at (const ClosestLine *line, double s)
{
  return kg_vector_add_scaled (line->a, s, line->v);
}

ClosestLine
closest_line_new (KgVector a, KgVector v, double low, double high)
{
  return (ClosestLine){ a, v, low, high };
}

bool
closest_line_is_point (const ClosestLine *line)
{
  return !(kg_vector_get_largest (line->v) >
           1e-12 * fmax (kg_vector_get_largest (line->a), kg_vector_get_largest (kg_vector_add (line->a, line->v))));
}

static void
finish (ClosestPair *pair)
{
  const double size = fmax (kg_vector_get_largest (pair->first), kg_vector_get_largest (pair->second));

  pair->distance = vectors_get_length (kg_vector_subtract (pair->second, pair->first));
  pair->hit = pair->distance <= TOUCH * size;
}

/* The parameter of the foot of p. */
static double
get_foot (const ClosestLine *line, KgVector p)
{
  const double c = kg_vector_dot (line->v, line->v);

  if (closest_line_is_point (line))
    return fmax (line->low, fmin (line->high, 0));
  return kg_clamp (kg_vector_dot (kg_vector_subtract (p, line->a), line->v) / c, line->low, line->high);
}

/* A place to start from: the parameter in range that is closest to 0. */
static double
get_start (const ClosestLine *line)
{
  return kg_clamp (0, line->low, line->high);
}

ClosestPair
closest_pair_of_lines (const ClosestLine *first, const ClosestLine *second)
{
  const KgVector d = kg_vector_subtract (second->a, first->a);
  const KgVector cross = kg_vector_cross (first->v, second->v);
  const double a = kg_vector_dot (first->v, first->v), c = kg_vector_dot (second->v, second->v);
  const double D = kg_vector_dot (cross, cross);
  ClosestPair pair = { .parallel = false };

  if (closest_line_is_point (first)) {
    pair.s = get_start (first);
    pair.t = get_foot (second, first->a);
  } else if (closest_line_is_point (second)) {
    pair.t = get_start (second);
    pair.s = get_foot (first, second->a);
  } else if (!(D > PARALLEL * a * c)) {
    pair.parallel = true;
    /* Any pair of feet will do as long as both are in range. */
    pair.s = get_start (first);
    pair.t = get_foot (second, at (first, pair.s));
    pair.s = get_foot (first, at (second, pair.t));
  } else {
    /* s = (d × w) · (v × w)/D is (c d·v − b d·w)/D without the difference of products. */
    pair.s = kg_clamp (kg_vector_dot (kg_vector_cross (d, second->v), cross) / D, first->low, first->high);
    pair.t = kg_clamp (kg_vector_dot (kg_vector_cross (d, first->v), cross) / D, second->low, second->high);
    /* Where the free minimum is out of range for one of them, it is on a bound, and the other follows. */
    if (pair.s == first->low || pair.s == first->high || pair.t == second->low || pair.t == second->high) {
      pair.t = get_foot (second, at (first, pair.s));
      pair.s = get_foot (first, at (second, pair.t));
      pair.t = get_foot (second, at (first, pair.s));
    }
  }
  pair.first = at (first, pair.s);
  pair.second = at (second, pair.t);
  finish (&pair);
  return pair;
}

ClosestPair
closest_pair_with_plane (const ClosestLine *line, const ClosestPlane *plane)
{
  const double size = vectors_get_length (plane->normal);
  const KgVector n = kg_vector_scale (plane->normal, 1 / size);
  const double e = plane->e / size, slope = kg_vector_dot (n, line->v);
  ClosestPair pair = { .parallel = false };
  double height;

  pair.parallel = !closest_line_is_point (line) && !(fabs (slope) > 1e-12 * vectors_get_length (line->v));
  pair.s = closest_line_is_point (line) || pair.parallel
               ? get_start (line)
               : kg_clamp ((e - kg_vector_dot (n, line->a)) / slope, line->low, line->high);
  pair.first = at (line, pair.s);
  height = kg_vector_dot (n, pair.first) - e;
  pair.second = kg_vector_add_scaled (pair.first, -height, n);
  finish (&pair);
  if (!pair.hit)
    pair.distance = height;
  return pair;
}

KgVector
closest_triangle_weights (KgVector p, const KgVector corners[3])
{
  const KgVector ab = kg_vector_subtract (corners[1], corners[0]), ac = kg_vector_subtract (corners[2], corners[0]);
  const KgVector ap = kg_vector_subtract (p, corners[0]), bp = kg_vector_subtract (p, corners[1]);
  const KgVector cp = kg_vector_subtract (p, corners[2]);
  const double d1 = kg_vector_dot (ab, ap), d2 = kg_vector_dot (ac, ap), d3 = kg_vector_dot (ab, bp);
  const double d4 = kg_vector_dot (ac, bp), d5 = kg_vector_dot (ab, cp), d6 = kg_vector_dot (ac, cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, sum = va + vb + vc;

  if (d1 <= 0 && d2 <= 0)
    return kg_vector (1, 0, 0);
  if (d3 >= 0 && d4 <= d3)
    return kg_vector (0, 1, 0);
  if (d6 >= 0 && d5 <= d6)
    return kg_vector (0, 0, 1);
  if (vc <= 0 && d1 >= 0 && d3 <= 0)
    return kg_vector (1 - d1 / (d1 - d3), d1 / (d1 - d3), 0);
  if (vb <= 0 && d2 >= 0 && d6 <= 0)
    return kg_vector (1 - d2 / (d2 - d6), 0, d2 / (d2 - d6));
  if (va <= 0 && d4 >= d3 && d5 >= d6) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));

    return kg_vector (0, 1 - w, w);
  }
  return kg_vector (1 - vb / sum - vc / sum, vb / sum, vc / sum);
}

static KgVector
combine (const KgVector corners[3], KgVector weights)
{
  return kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (corners[0], weights.x), weights.y, corners[1]),
                               weights.z, corners[2]);
}

/* Whether the triangle has an area beside the squares of its edges. */
static bool
has_area (const KgVector corners[3])
{
  const KgVector ab = kg_vector_subtract (corners[1], corners[0]), ac = kg_vector_subtract (corners[2], corners[0]);
  const KgVector bc = kg_vector_subtract (corners[2], corners[1]);
  const double longest = fmax (fmax (kg_vector_length (ab), kg_vector_length (ac)), kg_vector_length (bc));

  return kg_vector_length (kg_vector_cross (ab, ac)) > 1e-12 * longest * longest;
}

/* Where the line passes through the triangle. */
static bool
pierce (const ClosestLine *line, const KgVector corners[3], ClosestPair *pair)
{
  const KgVector ab = kg_vector_subtract (corners[1], corners[0]), ac = kg_vector_subtract (corners[2], corners[0]);
  const double size = kg_vector_length (kg_vector_cross (ab, ac)) * kg_vector_length (line->v);
  double u, v, s;
  const double determinant = triangle_pierce (corners, line->a, line->v, &u, &v, &s);

  pair->parallel = !(fabs (determinant) > 1e-12 * size);
  if (pair->parallel)
    return false;
  pair->s = s;
  if (!(u >= 0 && v >= 0 && u + v <= 1 && s >= line->low && s <= line->high))
    return false;
  pair->weights = kg_vector (1 - u - v, u, v);
  pair->first = at (line, pair->s);
  pair->second = pair->first;
  pair->distance = 0;
  pair->hit = true;
  return true;
}

/* Keeps the closer of two pairs, the earlier one of equals. */
static void
keep (ClosestPair *best, const ClosestPair *other)
{
  const bool parallel = best->parallel;

  if (other->distance < best->distance) {
    *best = *other;
    best->parallel = parallel;
  }
}

static void
keep_end (ClosestPair *best, const ClosestLine *line, double s, const KgVector corners[3])
{
  ClosestPair pair = { .s = s, .first = at (line, s) };

  pair.weights = closest_triangle_weights (pair.first, corners);
  pair.second = combine (corners, pair.weights);
  finish (&pair);
  keep (best, &pair);
}

ClosestPair
closest_pair_with_triangle (const ClosestLine *line, const KgVector corners[3])
{
  ClosestPair best = { .distance = INFINITY };
  const bool area = has_area (corners), point = closest_line_is_point (line);

  if (area && !point && pierce (line, corners, &best))
    return best;
  best.distance = INFINITY;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3;
    const ClosestLine edge = closest_line_new (corners[i], kg_vector_subtract (corners[j], corners[i]), 0, 1);
    ClosestPair pair = closest_pair_of_lines (line, &edge);

    *kg_vector_component (&pair.weights, (size_t) i) = 1 - pair.t;
    *kg_vector_component (&pair.weights, (size_t) j) = pair.t;
    pair.t = 0;
    keep (&best, &pair);
  }
  if (area && (point || isfinite (line->low)))
    keep_end (&best, line, point ? get_start (line) : line->low, corners);
  if (area && !point && isfinite (line->high))
    keep_end (&best, line, line->high, corners);
  return best;
}

/* A point of the axes of the box; back: the way to the world. */
static KgVector
into_box (const ClosestBox *box, KgVector p)
{
  return kg_rotation_apply (kg_rotation_conjugate (box->rotation), kg_vector_subtract (p, box->center));
}

static KgVector
out_of_box (const ClosestBox *box, KgVector p)
{
  return kg_vector_add (box->center, kg_rotation_apply (box->rotation, p));
}

static KgVector
clamp_to_box (KgVector p, KgVector half)
{
  return kg_vector (kg_clamp (p.x, -half.x, half.x), kg_clamp (p.y, -half.y, half.y), kg_clamp (p.z, -half.z, half.z));
}

/* The point of the surface closest to one inside, and how deep that is. */
static double
get_depth (KgVector p, KgVector half, KgVector *surface)
{
  double depth = INFINITY;
  size_t axis = 0;

  for (size_t c = 0; c < 3; c++) {
    const double here = kg_vector_get (half, c) - fabs (kg_vector_get (p, c));

    if (here < depth) {
      depth = here;
      axis = c;
    }
  }
  *surface = p;
  *kg_vector_component (surface, axis) = copysign (kg_vector_get (half, axis), kg_vector_get (p, axis));
  return depth;
}

/* The range of the line within the three slabs of the box (Kay and Kajiya 1986). */
static bool
enter_box (const ClosestLine *line, KgVector half, double *enter)
{
  double low = line->low, high = line->high;

  for (size_t c = 0; c < 3; c++) {
    const double a = kg_vector_get (line->a, c), v = kg_vector_get (line->v, c), h = kg_vector_get (half, c);
    const double one = (-h - a) / v, two = (h - a) / v;

    if (v == 0) {
      if (fabs (a) > h)
        return false;
      continue;
    }
    low = fmax (low, fmin (one, two));
    high = fmin (high, fmax (one, two));
  }
  *enter = isfinite (low) ? low : high;
  return low <= high;
}

ClosestPair
closest_pair_with_box (const ClosestLine *line, const ClosestBox *box)
{
  const KgRotation back = kg_rotation_conjugate (box->rotation);
  const ClosestLine local =
      closest_line_new (into_box (box, line->a), kg_rotation_apply (back, line->v), line->low, line->high);
  const KgVector half = box->half;
  ClosestPair best = { .distance = INFINITY };
  const bool point = closest_line_is_point (line);

  if (point) {
    const KgVector p = at (&local, get_start (line));

    best.s = get_start (line);
    best.first = p;
    best.second = clamp_to_box (p, half);
    finish (&best);
    if (best.hit)
      best.distance = -get_depth (p, half, &best.second);
  } else if (enter_box (&local, half, &best.s)) {
    best.first = at (&local, best.s);
    best.second = best.first;
    best.distance = 0;
    best.hit = true;
  } else {
    /* Twelve edges: along each axis the four combinations of the others. */
    for (size_t c = 0; c < 3; c++)
      for (int k = 0; k < 4; k++) {
        KgVector a = half, v = { 0, 0, 0 };
        ClosestLine edge;
        ClosestPair pair;

        *kg_vector_component (&a, c) = -kg_vector_get (half, c);
        *kg_vector_component (&a, (c + 1) % 3) *= (k & 1) != 0 ? 1 : -1;
        *kg_vector_component (&a, (c + 2) % 3) *= (k & 2) != 0 ? 1 : -1;
        *kg_vector_component (&v, c) = 2 * kg_vector_get (half, c);
        edge = closest_line_new (a, v, 0, 1);
        pair = closest_pair_of_lines (&local, &edge);
        pair.t = 0;
        pair.parallel = false;
        keep (&best, &pair);
      }
    for (int end = 0; end < 2; end++) {
      const double s = end == 0 ? line->low : line->high;
      ClosestPair pair = { .s = s };

      if (!isfinite (s))
        continue;
      pair.first = at (&local, s);
      pair.second = clamp_to_box (pair.first, half);
      finish (&pair);
      keep (&best, &pair);
    }
  }
  best.first = at (line, best.s);
  best.second = out_of_box (box, best.second);
  return best;
}

ClosestPair
closest_pair_with_ball (const ClosestLine *line, const ClosestBall *ball)
{
  ClosestPair pair = { .s = get_foot (line, ball->center) };
  const ClosestLine whole = { line->a, line->v, -INFINITY, INFINITY };
  KgVector outwards = { 0, 1, 0 };
  double distance, foot, half;

  pair.first = at (line, pair.s);
  distance = kg_vector_distance (pair.first, ball->center);
  vectors_normalize (kg_vector_subtract (pair.first, ball->center), &outwards);
  if (closest_line_is_point (line) || distance > ball->radius) {
    pair.second = kg_vector_add_scaled (ball->center, ball->radius, outwards);
    pair.distance = distance - ball->radius;
    pair.hit = pair.distance <= 0;
    return pair;
  }
  /* It enters half a chord before the foot of the centre; what starts inside is hit at its start. */
  foot = get_foot (&whole, ball->center);
  distance = kg_vector_distance (at (line, foot), ball->center);
  half = sqrt (fmax (ball->radius * ball->radius - distance * distance, 0)) / vectors_get_length (line->v);
  pair.s = fmax (foot - half, line->low);
  pair.first = at (line, pair.s);
  pair.second = pair.first;
  pair.hit = true;
  return pair;
}

/* polygon_weights: a point as a blend of the corners of a polygon.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/polygon_weights.h"

#include "kg-error.h"

/* Twice the area of the polygon, along its normal. */
static KgVector
get_normal (const KgVector *corners, size_t n)
{
  KgVector sum = { 0, 0, 0 };

  for (size_t i = 1; i + 1 < n; i++)
    sum = kg_vector_add (sum, kg_vector_cross (kg_vector_subtract (corners[i], corners[0]),
                                               kg_vector_subtract (corners[i + 1], corners[0])));
  return sum;
}

/* Twice the signed area of a triangle, seen along a unit normal. */
static double
get_area (KgVector a, KgVector b, KgVector c, KgVector normal)
{
  return kg_vector_dot (kg_vector_cross (kg_vector_subtract (b, a), kg_vector_subtract (c, a)), normal);
}

/* The point on an edge or a corner: weights of two corners. */
static bool
find_on_edge (const KgVector *corners, size_t n, KgVector point, double size, double *weights)
{
  for (size_t i = 0; i < n; i++) {
    const size_t k = (i + 1) % n;
    const KgVector edge = kg_vector_subtract (corners[k], corners[i]), to = kg_vector_subtract (point, corners[i]);
    const double length2 = kg_vector_dot (edge, edge);
    const double t = length2 > 0 ? kg_clamp (kg_vector_dot (to, edge) / length2, 0, 1) : 0;

    if (kg_vector_distance (point, kg_vector_add_scaled (corners[i], t, edge)) > 1e-12 * size)
      continue;
    weights[i] = 1 - t;
    weights[k] += t;
    return true;
  }
  return false;
}

static bool
find_wachspress (const KgVector *corners, size_t n, KgVector point, KgVector normal, double size, double *weights,
                 GError **error)
{
  for (size_t i = 0; i < n; i++) {
    const KgVector before = corners[(i + n - 1) % n], at = corners[i], behind = corners[(i + 1) % n];
    const double corner = get_area (before, at, behind, normal);

    if (corner < -1e-12 * size * size) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "corner %zu of the polygon is a dent: make it convex, or use mean values", i);
      return false;
    }
    weights[i] = fmax (corner, 0) / (get_area (before, at, point, normal) * get_area (at, behind, point, normal));
  }
  return true;
}

static void
find_mean_values (const KgVector *corners, size_t n, KgVector point, KgVector normal, double *weights)
{
  for (size_t i = 0; i < n; i++) {
    const size_t k = (i + 1) % n;
    const KgVector a = kg_vector_subtract (corners[i], point), b = kg_vector_subtract (corners[k], point);
    const double la = kg_vector_length (a), lb = kg_vector_length (b), dot = kg_vector_dot (a, b);
    const double cross = kg_vector_dot (kg_vector_cross (a, b), normal);
    /* tan of half the angle from a to b, in the form that does not cancel. */
    const double tangent = dot < 0 ? (la * lb - dot) / cross : cross / (la * lb + dot);

    weights[i] += tangent / la;
    weights[k] += tangent / lb;
  }
}

static bool
is_inside (const KgVector *corners, size_t n, KgVector point, KgVector normal)
{
  double angle = 0;

  for (size_t i = 0; i < n; i++) {
    const KgVector a = kg_vector_subtract (corners[i], point), b = kg_vector_subtract (corners[(i + 1) % n], point);

    angle += atan2 (kg_vector_dot (kg_vector_cross (a, b), normal), kg_vector_dot (a, b));
  }
  return fabs (angle) > KG_PI;
}

bool
polygon_weights_find (PolygonWeights kind, const KgVector *corners, size_t n, KgVector point, double *weights,
                      bool *inside, GError **error)
{
  const KgVector area = n >= 3 ? get_normal (corners, n) : kg_vector (0, 0, 0);
  const KgVector normal = kg_vector_normalize_or (area, kg_vector (0, 0, 1));
  g_autofree KgVector *flat = g_new (KgVector, MAX (n, 1));
  double size = 0, sum = 0;

  for (size_t i = 0; i < n; i++) {
    const KgVector d = kg_vector_subtract (corners[i], corners[0]);

    flat[i] = kg_vector_add_scaled (d, -kg_vector_dot (d, normal), normal);
    size = fmax (size, kg_vector_length (flat[i]));
    weights[i] = 0;
  }
  if (n < 3 || !(kg_vector_length (area) > 1e-12 * size * size)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the polygon of %zu corners has no area: give it three corners or more that are not on one line", n);
    return false;
  }
  point = kg_vector_subtract (point, corners[0]);
  point = kg_vector_add_scaled (point, -kg_vector_dot (point, normal), normal);
  *inside = true;
  if (find_on_edge (flat, n, point, size, weights))
    return true;
  *inside = is_inside (flat, n, point, normal);
  if (kind == POLYGON_WEIGHTS_WACHSPRESS) {
    if (!find_wachspress (flat, n, point, normal, size, weights, error))
      return false;
    if (!*inside) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "the point is outside of the polygon of %zu corners: move it inside, or use mean values", n);
      return false;
    }
  } else
    find_mean_values (flat, n, point, normal, weights);
  for (size_t i = 0; i < n; i++)
    sum += weights[i];
  for (size_t i = 0; i < n; i++)
    weights[i] /= sum;
  return true;
}

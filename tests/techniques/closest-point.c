/* tests/techniques/closest-point: the closest of many points, against looking at each.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/closest_point.h"
#include "kg-random.h"

/* Points of a box, with sides of these lengths; coarse: on a lattice, so that many are equally close. */
static KgGeometry *
scatter (size_t n, KgVector sides, bool coarse)
{
  KgGeometry *geometry = kg_geometry_new ();
  float *p;

  kg_geometry_set_n_points (geometry, n, NULL);
  p = kg_geometry_edit_positions (geometry);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++) {
      const double x = kg_random_uniform (7, i, (uint64_t) c);

      p[3 * i + c] = (float) (kg_vector_get (sides, c) * (coarse ? floor (4 * x) : x));
    }
  return geometry;
}

static int64_t
find_slowly (const KgGeometry *geometry, const float *p)
{
  const float *q = kg_geometry_get_positions (geometry);
  float best = INFINITY;
  int64_t found = -1;

  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++) {
    const float x = q[3 * i] - p[0], y = q[3 * i + 1] - p[1], z = q[3 * i + 2] - p[2], d = x * x + y * y + z * z;

    if (d < best) {
      best = d;
      found = (int64_t) i;
    }
  }
  return found;
}

static void
test_brute (void)
{
  const KgVector boxes[] = { { 1, 1, 1 }, { 100, 1, 1 }, { 1, 1, 0 }, { 0, 0, 0 } };

  for (guint b = 0; b < G_N_ELEMENTS (boxes); b++)
    for (guint n = 1; n <= 600; n = 5 * n + 3)
      for (guint coarse = 0; coarse < 2; coarse++) {
        g_autoptr (KgGeometry) geometry = scatter (n, boxes[b], coarse != 0);
        g_autoptr (ClosestPoint) closest = closest_point_new (geometry);

        /* Within the box and beside it. */
        for (uint64_t i = 0; i < 100; i++) {
          const float p[] = { (float) (boxes[b].x * kg_random_signed (1, i, 0) * 2),
                              (float) (boxes[b].y * kg_random_signed (1, i, 1) * 2),
                              (float) (kg_random_signed (1, i, 2) * 2) };

          g_assert_cmpint (closest_point_find (closest, p), ==, find_slowly (geometry, p));
        }
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/closest-point/brute", test_brute);
  return g_test_run ();
}

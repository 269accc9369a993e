/* tests/techniques/triangulate: polygons with holes as triangles, and polygons that are none.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "geometry/triangulate.h"

/* Triangles must cover the polygon once: their areas, all positive, add up to its. */
static double
get_triangles_area (const double *points, const uint32_t *ends, uint32_t n_rings)
{
  g_autoptr (GArray) triangles = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  double sum = 0;

  triangulate (points, ends, n_rings, triangles);
  for (guint i = 0; i < triangles->len; i += 3) {
    const uint32_t *t = &g_array_index (triangles, uint32_t, i);
    const double *a = points + 2 * t[0], *b = points + 2 * t[1], *c = points + 2 * t[2];

    sum += 0.5 * fabs ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
  }
  return sum;
}

static double
get_ring_area (const double *points, uint32_t first, uint32_t end)
{
  double sum = 0;

  for (uint32_t i = first, j = end - 1; i < end; j = i++)
    sum += points[2 * j] * points[2 * i + 1] - points[2 * i] * points[2 * j + 1];
  return 0.5 * fabs (sum);
}

/* Stars with stars in them, in both directions, small enough to be searched and large enough for the curve. */
static void
test_triangulate_holes (void)
{
  for (uint32_t n = 6; n <= 6000; n *= 10)
    for (int direction = -1; direction <= 1; direction += 2) {
      g_autofree double *points = g_new (double, 2 * 4 * n);
      uint32_t ends[4];
      double area = 0;

      for (uint32_t r = 0; r < 4; r++) {
        const double x = r > 0 ? 0.5 * cos (r * 2.1) : 0, y = r > 0 ? 0.5 * sin (r * 2.1) : 0, size = r > 0 ? 0.3 : 2;

        ends[r] = (r + 1) * n;
        for (uint32_t i = 0; i < n; i++) {
          const double a = direction * 2 * KG_PI * i / n, s = size * (i % 2 ? 1 : 0.9);

          points[2 * (r * n + i)] = x + s * cos (a);
          points[2 * (r * n + i) + 1] = y + s * sin (a);
        }
        area += (r > 0 ? -1 : 1) * get_ring_area (points, r * n, (r + 1) * n);
      }
      assert_near (get_triangles_area (points, ends, 4), area, 1e-9);
    }
}

/* What crosses itself, repeats itself or has no area must come to an end, with triangles of points that there are. */
static void
test_triangulate_bad (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint round = 0; round < 300; round++) {
    const guint n = 3 + round % 290;
    g_autofree double *points = g_new (double, 2 * n);
    g_autoptr (GArray) triangles = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    const uint32_t ends[] = { MAX (3, n / 2), n };

    for (guint i = 0; i < 2 * n; i++)
      points[i] = round % 3 == 0 ? g_rand_double (random) : g_rand_int_range (random, 0, round % 3 == 1 ? 4 : 1);
    triangulate (points, ends, n >= 6 ? 2 : 1, triangles);
    g_assert_cmpuint (triangles->len % 3, ==, 0);
    for (guint i = 0; i < triangles->len; i++)
      g_assert_cmpuint (g_array_index (triangles, uint32_t, i), <, n);
  }
  {
    enum { MANY = 10000 };
    g_autofree double *points = g_new (double, 2 * MANY);
    const uint32_t end = MANY;

    for (guint i = 0; i < 2 * MANY; i++)
      points[i] = g_rand_double (random);
    g_assert_cmpfloat (get_triangles_area (points, &end, 1), >, 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/triangulate/holes", test_triangulate_holes);
  g_test_add_func ("/render/triangulate/bad", test_triangulate_bad);
  return g_test_run ();
}

/* tests/ui/projection: from the world to the pixels of the viewport and back.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-projection.h"

static KgOrbit
make_orbit (void)
{
  return (KgOrbit){ .target = { 1, 2, 3 }, .yaw = 0.7, .pitch = 0.4, .distance = 5, .fov = 0.8 };
}

static void
test_there_and_back (void)
{
  const KgOrbit orbit = make_orbit ();
  KgProjection views[2];

  kg_projection_from_orbit (&views[0], &orbit, 640, 360);
  kg_projection_from_drawing (&views[1], kg_vector (0.5, -1, 0), 4, 640, 360, 17, -9, 1.5);
  for (guint v = 0; v < 2; v++)
    for (int i = -2; i <= 2; i++) {
      const KgVector world = { 1 + 0.3 * i, 2 - 0.2 * i, v == 0 ? 3 + 0.1 * i : 0 };
      double x, y;
      KgVector back;

      g_assert_true (kg_projection_map (&views[v], world, &x, &y));
      back = kg_projection_unmap (&views[v], x, y, world);
      g_assert_cmpfloat (kg_vector_distance (back, world), <, 1e-9);
    }
}

static void
test_orbit (void)
{
  KgOrbit orbit = make_orbit ();
  KgProjection view;
  double x, y;

  kg_projection_from_orbit (&view, &orbit, 640, 360);
  g_assert_true (kg_projection_map (&view, orbit.target, &x, &y));
  g_assert_cmpfloat_with_epsilon (x, 320, 1e-9);
  g_assert_cmpfloat_with_epsilon (y, 180, 1e-9);
  /* What is behind the eye is nowhere. */
  g_assert_false (kg_projection_map (&view, kg_vector_lerp (orbit.target, kg_orbit_get_eye (&orbit), 2), &x, &y));
  /* Straight up and down the picture still has a right and an up. */
  kg_orbit_drag (&orbit, 0, 1e6);
  kg_projection_from_orbit (&view, &orbit, 640, 360);
  g_assert_cmpfloat_with_epsilon (kg_vector_length (view.right), 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (kg_vector_length (view.up), 1, 1e-9);
}

/* A point in hand stays under the pointer. */
static void
test_pan (void)
{
  KgOrbit orbit = make_orbit ();
  const KgVector point = orbit.target;
  KgProjection view;
  double x, y;

  kg_orbit_pan (&orbit, 40, -25, 360);
  kg_projection_from_orbit (&view, &orbit, 640, 360);
  g_assert_true (kg_projection_map (&view, point, &x, &y));
  g_assert_cmpfloat_with_epsilon (x, 360, 1e-6);
  g_assert_cmpfloat_with_epsilon (y, 155, 1e-6);
}

static void
test_frame (void)
{
  static const double aspects[] = { 0.3, 1, 2.5 };

  for (guint a = 0; a < G_N_ELEMENTS (aspects); a++) {
    KgOrbit orbit = make_orbit ();
    const double width = 300 * aspects[a];
    KgProjection view;

    kg_orbit_frame (&orbit, kg_vector (-1, 0, 4), kg_vector (3, 5, 6), aspects[a]);
    kg_projection_from_orbit (&view, &orbit, width, 300);
    for (guint i = 0; i < 8; i++) {
      double x, y;

      g_assert_true (kg_projection_map (&view, kg_vector (i & 1 ? 3 : -1, i & 2 ? 5 : 0, i & 4 ? 6 : 4), &x, &y));
      g_assert_true (x >= 0 && x <= width && y >= 0 && y <= 300);
    }
  }
}

static void
test_dolly (void)
{
  KgOrbit orbit = make_orbit ();

  for (guint i = 0; i < 2000; i++)
    kg_orbit_dolly (&orbit, 0.5);
  g_assert_cmpfloat (orbit.distance, >, 0);
  for (guint i = 0; i < 2000; i++)
    kg_orbit_dolly (&orbit, 2);
  g_assert_true (isfinite (orbit.distance));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/projection/there-and-back", test_there_and_back);
  g_test_add_func ("/projection/orbit", test_orbit);
  g_test_add_func ("/projection/pan", test_pan);
  g_test_add_func ("/projection/frame", test_frame);
  g_test_add_func ("/projection/dolly", test_dolly);
  return g_test_run ();
}

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
  /* Looking straight up or down, the image still has a right and an up. */
  kg_orbit_drag (&orbit, 0, 1e6);
  kg_projection_from_orbit (&view, &orbit, 640, 360);
  g_assert_cmpfloat_with_epsilon (kg_vector_length (view.right), 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (kg_vector_length (view.up), 1, 1e-9);
}

/* At the distance of the target a parallel view is as large as one with perspective; elsewhere it does not change. */
static void
test_parallel (void)
{
  KgOrbit orbit = make_orbit ();
  KgProjection view, parallel;
  const KgVector toward = kg_vector_lerp (orbit.target, kg_orbit_get_eye (&orbit), 0.5);
  double x, y, px, py;

  kg_projection_from_orbit (&view, &orbit, 640, 360);
  orbit.parallel = true;
  kg_projection_from_orbit (&parallel, &orbit, 640, 360);
  for (int i = 0; i < 2; i++) {
    const KgVector aside = kg_vector_add_scaled (i == 0 ? orbit.target : toward, 0.7, view.right);

    g_assert_true (kg_projection_map (&view, aside, &x, &y) && kg_projection_map (&parallel, aside, &px, &py));
    g_assert_cmpfloat_with_epsilon (py, 180, 1e-9);
    g_assert_cmpfloat_with_epsilon (px - 320, 0.7 * 360 / kg_orbit_get_height (&orbit), 1e-9);
    g_assert_cmpfloat_with_epsilon (x - 320, (i == 0 ? 1 : 2) * (px - 320), 1e-9);
  }
}

/* The orbit takes the place of a camera, also above and where it looks straight down. */
static void
test_set_eye (void)
{
  const KgVector target = { 1, 2, 3 }, eyes[] = { { 4, 3, -2 }, { -1, -5, 3 }, { 1, 9, 3 } };

  for (guint i = 0; i < G_N_ELEMENTS (eyes); i++) {
    KgOrbit orbit = make_orbit ();

    kg_orbit_set_eye (&orbit, eyes[i], target);
    g_assert_cmpfloat (kg_vector_distance (kg_orbit_get_eye (&orbit), eyes[i]), <, i == 2 ? 0.01 : 1e-9);
    g_assert_cmpfloat (kg_vector_distance (orbit.target, target), <, 1e-12);
  }
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

/* The ray under a pixel goes through every point that is drawn there. */
static void
test_ray (void)
{
  const KgOrbit orbit = make_orbit ();
  KgProjection views[2];

  kg_projection_from_orbit (&views[0], &orbit, 640, 360);
  kg_projection_from_drawing (&views[1], kg_vector (0.5, -1, 0), 4, 640, 360, 17, -9, 1.5);
  for (guint v = 0; v < 2; v++) {
    const KgVector at = { 1.3, 1.8, 2.6 };
    KgVector off;
    double x, y;
    KgRay ray;

    g_assert_true (kg_projection_map (&views[v], at, &x, &y));
    ray = kg_projection_get_ray (&views[v], x, y);
    off = kg_vector_cross (kg_vector_subtract (at, ray.from), ray.direction);
    g_assert_cmpfloat (kg_vector_length (off), <, 1e-9);
    g_assert_cmpfloat_with_epsilon (kg_vector_length (ray.direction), 1, 1e-12);
    /* A pixel to the right is as many metres away as it is said to be. */
    g_assert_cmpfloat_with_epsilon (kg_vector_distance (kg_projection_unmap (&views[v], x + 1, y, at), at),
                                    kg_projection_get_metres (&views[v], at), 1e-12);
  }
}

static void
test_meetings (void)
{
  const KgRay ray = { { 1, 5, 2 }, { 0, -1, 0 } }, slanted = { { 0, 0, 0 }, { 0.6, 0.8, 0 } };
  KgVector meeting;
  double along;

  g_assert_true (kg_ray_intersect_plane (&ray, kg_vector (7, 3, 7), kg_vector (0, 1, 0), &meeting));
  g_assert_cmpfloat (kg_vector_distance (meeting, kg_vector (1, 3, 2)), <, 1e-12);
  /* x + y = 7: 0.6 t + 0.8 t = 7, t = 5. */
  g_assert_true (
      kg_ray_intersect_plane (&slanted, kg_vector (7, 0, 0), kg_vector (sqrt (0.5), sqrt (0.5), 0), &meeting));
  g_assert_cmpfloat (kg_vector_distance (meeting, kg_vector (3, 4, 0)), <, 1e-12);
  g_assert_false (kg_ray_intersect_plane (&ray, kg_vector (7, 3, 7), kg_vector (1, 0, 0), &meeting));
  /* The x axis at height 3 and depth 0 comes nearest to the upright ray at x = 1. */
  g_assert_true (kg_ray_meet_line (&ray, kg_vector (-2, 3, 0), kg_vector (1, 0, 0), &along));
  g_assert_cmpfloat (along, ==, 3);
  g_assert_true (kg_ray_meet_line (&slanted, kg_vector (3, 0, 5), kg_vector (0, 1, 0), &along));
  g_assert_cmpfloat_with_epsilon (along, 4, 1e-12);
  g_assert_false (kg_ray_meet_line (&ray, kg_vector (0, 0, 0), kg_vector (0, 1, 0), &along));
}

static void
test_angle (void)
{
  const KgVector center = { 1, 1, 1 }, axis = { 0, 0, 1 };

  g_assert_cmpfloat_with_epsilon (kg_angle_about (center, axis, kg_vector (3, 1, 0), kg_vector (1, 2, 9)), 0.5 * KG_PI,
                                  1e-12);
  g_assert_cmpfloat_with_epsilon (kg_angle_about (center, axis, kg_vector (1, 2, 9), kg_vector (3, 1, 0)), -0.5 * KG_PI,
                                  1e-12);
  g_assert_cmpfloat_with_epsilon (
      kg_angle_about (center, kg_vector (0, 0, -1), kg_vector (2, 2, 1), kg_vector (0, 2, 1)), -0.5 * KG_PI, 1e-12);
  /* Nothing on the axis has an angle; it is 0 rather than not a number. */
  g_assert_cmpfloat (kg_angle_about (center, axis, center, kg_vector (3, 1, 0)), ==, 0);
}

/* A camera of a scene and the orbit that stands where it does see the same. */
static void
test_camera (void)
{
  const KgOrbit orbit = make_orbit ();
  KgProjection from_orbit, from_camera;
  KgCamera camera;

  kg_camera_init (&camera);
  kg_projection_from_orbit (&from_orbit, &orbit, 640, 360);
  camera.fov = orbit.fov;
  for (int i = 0; i < 3; i++) {
    const KgVector columns[] = { from_orbit.right, from_orbit.up, kg_vector_scale (from_orbit.forward, -1),
                                 from_orbit.eye };

    for (int c = 0; c < 4; c++)
      camera.transform.m[i][c] = kg_vector_get (columns[c], i);
  }
  for (int i = 0; i < 5; i++) {
    const KgVector at = { 0.5 * i, 1, 2 - 0.3 * i };
    double x, y, u, v;

    /* In an image of half the size that starts at (10, 20). */
    kg_projection_from_camera (&from_camera, &camera, 10, 20, 320, 180);
    g_assert_true (kg_projection_map (&from_orbit, at, &x, &y));
    g_assert_true (kg_projection_map (&from_camera, at, &u, &v));
    g_assert_cmpfloat_with_epsilon (u, 10 + 0.5 * x, 1e-9);
    g_assert_cmpfloat_with_epsilon (v, 20 + 0.5 * y, 1e-9);
  }
  camera.orthographic = true;
  camera.height = 2;
  kg_projection_from_camera (&from_camera, &camera, 0, 0, 320, 180);
  g_assert_cmpfloat_with_epsilon (kg_projection_get_metres (&from_camera, orbit.target), 2.0 / 180, 1e-12);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/projection/there-and-back", test_there_and_back);
  g_test_add_func ("/projection/parallel", test_parallel);
  g_test_add_func ("/projection/set-eye", test_set_eye);
  g_test_add_func ("/projection/orbit", test_orbit);
  g_test_add_func ("/projection/pan", test_pan);
  g_test_add_func ("/projection/frame", test_frame);
  g_test_add_func ("/projection/dolly", test_dolly);
  g_test_add_func ("/projection/ray", test_ray);
  g_test_add_func ("/projection/meetings", test_meetings);
  g_test_add_func ("/projection/angle", test_angle);
  g_test_add_func ("/projection/camera", test_camera);
  return g_test_run ();
}

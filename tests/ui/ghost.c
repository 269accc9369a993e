/* tests/ui/ghost: images of other frames over one another; points as dots.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-ghost.h"
#include "kg-point-view.h"

/* One row of pixels, each of one grey that is opaque, or nothing where it is negative. */
static KgImage *
make_row (const float *greys, int n)
{
  KgImage *image = kg_image_new (n, 1, false, NULL);
  float *p = kg_image_edit_pixels (image);

  for (int i = 0; i < n; i++)
    for (int c = 0; c < 4; c++)
      p[4 * i + c] = greys[i] < 0 ? 0 : c == 3 ? 1 : greys[i];
  return image;
}

static float
get_alpha (const KgImage *image, int x)
{
  return kg_image_get_pixels (image)[4 * x + 3];
}

static void
test_transparent (void)
{
  const float far_away[] = { 0.5f, -1, -1 }, near_by[] = { 0.5f, 0.5f, -1 };
  g_autoptr (KgImage) a = make_row (far_away, 3), b = make_row (near_by, 3), ghosts = NULL;
  const float *p;

  kg_ghost_add (&ghosts, a, NULL, NULL, true, 0.25);
  kg_ghost_add (&ghosts, b, NULL, NULL, false, 0.5);
  g_assert_cmpfloat_with_epsilon ((double) get_alpha (ghosts, 0), 0.5 + 0.5 * 0.25, 1e-6);
  g_assert_cmpfloat_with_epsilon ((double) get_alpha (ghosts, 1), 0.5, 1e-6);
  g_assert_cmpfloat ((double) get_alpha (ghosts, 2), ==, 0);
  /* After is blue, and what is premultiplied is never more than its alpha. */
  p = kg_image_get_pixels (ghosts) + 4;
  g_assert_cmpfloat ((double) p[2], >, (double) p[0]);
  g_assert_cmpfloat ((double) p[2], <=, (double) p[3]);
}

/* In an opaque image only what moved is drawn, where the other frame has it. */
static void
test_opaque (void)
{
  const float before[] = { 1, 0, 0, 0 }, earlier[] = { 0, 0, 0, 1 }, now[] = { 0, 0, 1, 0 };
  g_autoptr (KgImage) picture = make_row (before, 4), neighbor = make_row (earlier, 4), present = make_row (now, 4);
  g_autoptr (KgImage) ghosts = NULL, small = make_row (now, 2);

  kg_ghost_add (&ghosts, picture, present, neighbor, true, 0.5);
  g_assert_cmpfloat_with_epsilon ((double) get_alpha (ghosts, 0), 0.5, 1e-6);
  for (int x = 1; x < 4; x++)
    g_assert_cmpfloat ((double) get_alpha (ghosts, x), ==, 0);
  /* One of another size is left out. */
  kg_ghost_add (&ghosts, small, NULL, NULL, true, 0.5);
  g_assert_cmpfloat ((double) get_alpha (ghosts, 2), ==, 0);
}

/* The nearer of two points behind each other is seen, and what is behind the eye is not. */
static void
test_points (void)
{
  static const float places[] = { 0, 0, 0, 0, 0, 1, 0, 0, 20 };
  static const float colors[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  const KgTransform here = kg_transform_identity ();
  const KgMaterial material = { .color = { 1, 1, 1, 1 } };
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  g_autoptr (KgScene) scene = kg_scene_new ();
  g_autoptr (KgImage) image = NULL;
  KgCamera camera;
  const float *p;
  guint lit = 0;

  kg_geometry_set_n_points (geometry, 3, NULL);
  memcpy (kg_geometry_edit_positions (geometry), places, sizeof places);
  memcpy (kg_geometry_edit_float (geometry, KG_POINTS, "Cd", 3), colors, sizeof colors);
  kg_scene_add_object (scene, geometry, &here, &material);
  kg_camera_init (&camera);
  camera.transform = kg_transform_from_parts (kg_vector (0, 0, 5), kg_rotation_identity (), kg_vector (1, 1, 1));
  image = kg_point_view_draw (scene, &camera, 21, 11);
  g_assert_nonnull (image);
  p = kg_image_get_pixels (image) + 4 * (5 * 21 + 10);
  g_assert_cmpfloat ((double) p[0], ==, 0);
  g_assert_cmpfloat ((double) p[1], >, 0.5);
  for (guint i = 0; i < 21 * 11; i++)
    lit += kg_image_get_pixels (image)[4 * i + 3] > 0;
  g_assert_cmpuint (lit, ==, 9);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ghost/transparent", test_transparent);
  g_test_add_func ("/ghost/opaque", test_opaque);
  g_test_add_func ("/point-view/nearest", test_points);
  return g_test_run ();
}

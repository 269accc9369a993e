/* tests/techniques/wires: lines over a picture with depth.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/wires.h"

#define SIDE 40

static KgGeometry *
make_line (KgVector a, KgVector b)
{
  static const uint32_t order[] = { 0, 1 };
  const KgVector ends[] = { a, b };
  KgGeometry *geometry = kg_geometry_new ();
  float *p;

  kg_geometry_set_n_points (geometry, 2, NULL);
  p = kg_geometry_edit_positions (geometry);
  for (int i = 0; i < 2; i++)
    for (int c = 0; c < 3; c++)
      p[3 * i + c] = (float) kg_vector_get (ends[i], c);
  kg_geometry_add_primitives (geometry, KG_POLYLINE, false, 1, 2, order);
  return geometry;
}

/* Empty, with a wall at that distance. */
static KgImage *
make_image (float wall)
{
  KgImage *image = kg_image_new (SIDE, SIDE, true, NULL);
  float *pixels = kg_image_edit_pixels (image), *depth = kg_image_edit_depth (image);

  for (size_t i = 0; i < (size_t) SIDE * SIDE; i++) {
    depth[i] = wall;
    for (int c = 0; c < 4; c++)
      pixels[4 * i + (size_t) c] = 0;
  }
  return image;
}

/* A camera at (0, 0, 5) that looks along -z and sees four metres, at the origin where it has perspective. */
static KgCamera
make_camera (bool orthographic)
{
  KgCamera camera;

  kg_camera_init (&camera);
  camera.orthographic = orthographic;
  camera.height = 4;
  camera.fov = 2 * atan (2.0 / 5);
  camera.near_plane = 0.1;
  camera.far_plane = 100;
  return camera;
}

static guint
draw (KgImage *image, const KgGeometry *geometry, const KgCamera *camera, int width)
{
  const KgTransform here = kg_transform_identity ();
  const WiresPen pen = { { 1, 0.5f, 0.25f }, width };
  guint n = 0;

  g_assert_true (wires_draw (geometry, &here, camera, &pen, image, NULL));
  for (size_t i = 0; i < (size_t) SIDE * SIDE; i++)
    n += kg_image_get_pixels (image)[4 * i + 3] > 0;
  return n;
}

static const float *
get_pixel (const KgImage *image, int x, int y)
{
  return kg_image_get_pixels (image) + 4 * (y * SIDE + x);
}

static float
get_depth (const KgImage *image, int x, int y)
{
  return kg_image_get_depth (image)[y * SIDE + x];
}

/* Ten pixels to a metre: places, colour and distances. */
static void
test_places (void)
{
  for (int orthographic = 0; orthographic < 2; orthographic++) {
    const KgCamera camera = make_camera (orthographic);
    g_autoptr (KgGeometry) across = make_line (kg_vector (-1.06, 0.04, 0), kg_vector (0.94, 0.04, 0));
    g_autoptr (KgImage) image = make_image (INFINITY);

    g_assert_cmpuint (draw (image, across, &camera, 1), ==, 21);
    g_assert_cmpfloat (get_pixel (image, 9, 19)[3], ==, 1);
    g_assert_cmpfloat (get_pixel (image, 29, 19)[1], ==, 0.5);
    g_assert_cmpfloat (get_pixel (image, 30, 19)[3], ==, 0);
    g_assert_cmpfloat_with_epsilon (get_depth (image, 15, 19), 5, 1e-5);
    g_assert_cmpuint (draw (image, across, &camera, 3), ==, 3 * 23);
  }
}

/* In perspective the middle on the screen of a line that leads away is not its middle in space: 1/z is linear. */
static void
test_depth (void)
{
  const KgCamera camera = make_camera (false);
  /* From x = -1 at distance 3 to x = 3 at distance 9: on the screen from -1/3 to 1/3, and 1/z from 1/3 to 1/9. */
  g_autoptr (KgGeometry) away = make_line (kg_vector (-1, 0, 2), kg_vector (3, 0, -4));
  g_autoptr (KgImage) image = make_image (INFINITY);
  double nearness;

  draw (image, away, &camera, 1);
  nearness = 1 / (double) get_depth (image, 20, 20);
  g_assert_cmpfloat_with_epsilon (nearness, 2.0 / 9, 0.01);
}

/* What is nearer hides a line, what it lies on does not. */
static void
test_hidden (void)
{
  const KgCamera camera = make_camera (false);
  g_autoptr (KgGeometry) across = make_line (kg_vector (-1, 0, 0), kg_vector (1, 0, 0));
  g_autoptr (KgImage) before = make_image (4.9f), on = make_image (5), behind = make_image (5.1f);

  g_assert_cmpuint (draw (before, across, &camera, 1), ==, 0);
  g_assert_cmpuint (draw (on, across, &camera, 1), >, 19);
  g_assert_cmpuint (draw (behind, across, &camera, 1), >, 19);
}

/* Behind the camera, through it, beyond the picture, without a length, nowhere, and a camera without a place. */
static void
test_degenerate (void)
{
  KgCamera camera = make_camera (false);
  const struct {
    KgVector a, b;
    guint least, most;
  } lines[] = {
    { { 0, 0, 6 }, { 1, 0, 7 }, 0, 0 },
    { { 0.5, 0.5, 20 }, { 0.5, 0.5, -20 }, 1, 60 },
    { { -1e6, 0, 0 }, { 1e6, 0, 0 }, SIDE, SIDE },
    { { 0, 0, 0 }, { 0, 0, 0 }, 1, 1 },
    { { NAN, 0, 0 }, { 0, 0, 0 }, 0, 0 },
    { { 0, INFINITY, 0 }, { 0, 0, 0 }, 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autoptr (KgGeometry) line = make_line (lines[i].a, lines[i].b);
    g_autoptr (KgImage) image = make_image (INFINITY);
    const guint n = draw (image, line, &camera, 1);

    g_assert_cmpuint (n, >=, lines[i].least);
    g_assert_cmpuint (n, <=, lines[i].most);
  }
  {
    g_autoptr (KgGeometry) line = make_line (kg_vector (-1, 0, 0), kg_vector (1, 0, 0)), empty = kg_geometry_new ();
    g_autoptr (KgImage) image = make_image (INFINITY);

    g_assert_cmpuint (draw (image, empty, &camera, 1), ==, 0);
    camera.transform = (KgTransform){ { { 0 } } };
    g_assert_cmpuint (draw (image, line, &camera, 1), ==, 0);
  }
}

static bool
always (gpointer data)
{
  (void) data;
  return true;
}

static void
test_cancelled (void)
{
  const KgProgressMonitor monitor = { .is_cancelled = always };
  const KgTransform here = kg_transform_identity ();
  const KgCamera camera = make_camera (true);
  const WiresPen pen = { { 0 }, 1 };
  g_autoptr (KgGeometry) line = make_line (kg_vector (-1, 0, 0), kg_vector (1, 0, 0));
  g_autoptr (KgImage) image = make_image (INFINITY);

  g_assert_false (wires_draw (line, &here, &camera, &pen, image, &monitor));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wires/places", test_places);
  g_test_add_func ("/wires/depth", test_depth);
  g_test_add_func ("/wires/hidden", test_hidden);
  g_test_add_func ("/wires/degenerate", test_degenerate);
  g_test_add_func ("/wires/cancelled", test_cancelled);
  return g_test_run ();
}

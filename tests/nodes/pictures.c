/* tests/nodes/pictures: drawing, layers and the scan conversion of scenes, in numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <omp.h>

static double
sum_alpha (const KgImage *image)
{
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += (double) kg_image_get_pixels (image)[4 * i + 3];
  return sum;
}

/* A disc of radius 1 m at 20 pixels a metre has π 20² pixels, as a polygon, as a point, and moved by part of a pixel. */
static void
test_coverage (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) disc = KG_VALUE_INIT, point = KG_VALUE_INIT;

  node_test_add (&test, "geometry/circle", "c", "points", "400", "center", "[0.013, 0.021, 0]", NULL);
  node_test_add (&test, "render/draw", "d", "geometries", "[{\"link\": \"c.geometry\"}]", "width", "100", "height",
                 "80", "view_height", "4", NULL);
  disc = node_test_get (&test, "d.image", 0);
  /* Coverage has 256 steps: an error of at most 1/512 on each of about 130 pixels of the rim. */
  assert_near (sum_alpha (disc.image), KG_PI * 400, 0.5);
  node_test_add (&test, "sim/particles", "p", "rate", "24", "births", "\"reeves\"", "speed", "0", "speed_variance", "0",
                 "particle_size", "2", "size_variance", "0", NULL);
  node_test_set (&test, "d", "geometries", "[{\"link\": \"p.geometry\"}]");
  point = node_test_get (&test, "d.image", 1 / 24.0);
  assert_near (sum_alpha (point.image), KG_PI * 400, 2);
  node_test_clear (&test);
}

/* Half covered by white over red in linear light: the mean of the two. */
static void
test_over (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "image/constant", "back", "width", "8", "height", "8", "color", "[1, 0, 0, 1]", NULL);
  node_test_add (&test, "image/constant", "front", "width", "4", "height", "4", "color", "[1, 1, 1, 0.5]", NULL);
  node_test_add (&test, "image/over", "o", "layers", "[{\"link\": \"back.image\"}, {\"link\": \"front.image\"}]", NULL);
  value = node_test_get (&test, "o.image", 0);
  g_assert_cmpfloat (kg_image_get_pixels (value.image)[1], ==, 0);
  g_assert_cmpfloat (kg_image_get_pixels (value.image)[4 * (8 * 4 + 4) + 0], ==, 1);
  g_assert_cmpfloat (kg_image_get_pixels (value.image)[4 * (8 * 4 + 4) + 1], ==, 0.5f);
  g_assert_cmpfloat (kg_image_get_pixels (value.image)[4 * (8 * 4 + 4) + 3], ==, 1);
  /* A list that was emptied is as good as one that was never filled. */
  node_test_set (&test, "o", "layers", "[]");
  kg_value_clear (&value);
  value = node_test_get (&test, "o.image", 0);
  g_assert_cmpuint (kg_image_get_width (value.image), ==, 1);
  node_test_clear (&test);
}

static NodeTest
make_scene (const char *geometry)
{
  NodeTest test = node_test_new ();
  g_autofree char *link = g_strdup_printf ("{\"link\": \"%s\"}", geometry);

  node_test_add (&test, "geometry/grid", "grid", NULL);
  node_test_add (&test, "geometry/sphere", "sphere", NULL);
  node_test_add (&test, "render/object", "object", "geometry", link, NULL);
  node_test_add (&test, "render/camera", "camera", "position", "[0, 0, 5]", "fov", "53.13010235415598", NULL);
  node_test_add (&test, "render/scene", "s", "scenes", "[{\"link\": \"object.scene\"}, {\"link\": \"camera.scene\"}]",
                 "width", "100", "height", "100", "antialias", "\"1\"", NULL);
  return test;
}

/* Half transparent triangles side by side: 0.5 where one is, 0.75 where two overlap, 0 in a gap.  Turned by odd angles,
 * with many slanted edges, there is nothing but 0 and 0.5. */
static void
test_edges (void)
{
  NodeTest test = make_scene ("grid.geometry");

  node_test_set (&test, "object", "color", "[1, 1, 1, 0.5]");
  node_test_set (&test, "grid", "columns", "37");
  node_test_set (&test, "grid", "rows", "23");
  for (int turn = 0; turn < 12; turn++) {
    g_autofree char *angle = g_strdup_printf ("[%d, %d, %d]", 3 * turn, -4 * turn, 17 * turn);
    g_auto (KgValue) value = KG_VALUE_INIT;
    const float *pixels;
    guint covered = 0;

    node_test_set (&test, "object", "rotate", angle);
    value = node_test_get (&test, "s.image", 0);
    pixels = kg_image_get_pixels (value.image);
    for (int y = 0; y < 100; y++)
      for (int x = 0; x < 100; x++) {
        const float alpha = pixels[4 * (100 * y + x) + 3];

        /* The opacity is interpolated: a rounding away from 0.5, and far from 0.75. */
        g_assert_true (alpha == 0 || fabsf (alpha - 0.5f) < 1e-5f);
        covered += alpha > 0;
      }
    g_assert_cmpuint (covered, >, 800);
    /* Straight on, 2 m of the 5 m that are seen, at the rule's exact count. */
    if (turn == 0)
      g_assert_cmpuint (covered, ==, 40 * 40);
  }
  node_test_clear (&test);
}

/* A plane through the origin, turned by 45° about x: z = -y, and the distance along the sight line at height v (tangent of
 * the angle) is 5 / (1 - v). */
static void
test_depth (void)
{
  NodeTest test = make_scene ("grid.geometry");
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *depth;

  node_test_set (&test, "object", "rotate", "[-45, 0, 0]");
  node_test_set (&test, "grid", "columns", "1");
  node_test_set (&test, "grid", "rows", "1");
  value = node_test_get (&test, "s.image", 0);
  depth = kg_image_get_depth (value.image);
  for (int y = 40; y < 60; y++) {
    const double v = (50 - (y + 0.5)) / 100.0; /* tangent: half the picture is 1/2 */

    /* Point at height h on the plane: z = -h, distance 5 + h, h = v (5 + h). */
    assert_near ((double) depth[100 * y + 50], 5 / (1 - v), 1e-4);
  }
  g_assert_true (isinf (depth[0]));
  node_test_clear (&test);
}

/* The three shadings by hand, on a surface where they agree. */
static void
test_light (void)
{
  NodeTest test = make_scene ("grid.geometry");
  g_auto (KgValue) value = KG_VALUE_INIT;
  static const char *const shadings[] = { "\"flat\"", "\"gouraud\"", "\"phong\"" };

  /* Light at 60° from the normal: cos = 1/2; ambient 0.1; no highlight. */
  node_test_add (&test, "render/light", "sun", "position", "[1.7320508075688772, 0, 1]", "intensity", "0.8", NULL);
  node_test_add (&test, "render/light", "sky", "kind", "\"ambient\"", "intensity", "0.1", NULL);
  node_test_set (
      &test, "s", "scenes",
      "[{\"link\": \"object.scene\"}, {\"link\": \"camera.scene\"}, {\"link\": \"sun.scene\"}, {\"link\": \"sky.scene\"}]");
  node_test_set (&test, "object", "specular", "0");
  node_test_set (&test, "object", "color", "[0.5, 1, 1, 1]");
  for (guint i = 0; i < 3; i++) {
    node_test_set (&test, "object", "shading", shadings[i]);
    value = node_test_get (&test, "s.image", 0);
    assert_near ((double) kg_image_get_pixels (value.image)[4 * (100 * 50 + 50)], 0.5 * (0.8 * 0.5 + 0.1), 1e-5);
    assert_near ((double) kg_image_get_pixels (value.image)[4 * (100 * 50 + 50) + 1], 0.8 * 0.5 + 0.1, 1e-5);
    kg_value_clear (&value);
  }
  node_test_clear (&test);
}

/* What is seen of a ball: a disc of radius tan (asin (1/5)) / (1/2) half pictures. */
static void
test_sphere (void)
{
  NodeTest test = make_scene ("sphere.geometry");
  g_auto (KgValue) value = KG_VALUE_INIT, flat = KG_VALUE_INIT;
  const double radius = tan (asin (0.2)) * 100;

  node_test_set (&test, "sphere", "segments", "200");
  node_test_set (&test, "sphere", "rings", "100");
  node_test_set (&test, "s", "antialias", "\"8\"");
  value = node_test_get (&test, "s.image", 0);
  assert_near (sum_alpha (value.image), KG_PI * radius * radius, 3e-3 * KG_PI * radius * radius);
  node_test_set (&test, "camera", "orthographic", "true");
  flat = node_test_get (&test, "s.image", 0);
  assert_near (sum_alpha (flat.image), KG_PI * 25 * 25, 3e-3 * KG_PI * 625);
  node_test_clear (&test);
}

static void
test_degenerate (void)
{
  NodeTest test = make_scene ("sphere.geometry");
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_set (&test, "camera", "position", "[0, 0, 0.1]");
  value = node_test_get (&test, "s.image", 0); /* inside of the ball */
  assert_near (sum_alpha (value.image), 10000, 0);
  kg_value_clear (&value);
  node_test_set (&test, "camera", "target", "[0, 0, 9]");
  node_test_set (&test, "camera", "position", "[0, 0, 3]");
  value = node_test_get (&test, "s.image", 0); /* behind the camera */
  assert_near (sum_alpha (value.image), 0, 0);
  node_test_set (&test, "camera", "near", "5");
  node_test_set (&test, "camera", "far", "4");
  node_test_fails (&test, "s.image", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

static void
test_threads (void)
{
  KgValue first = KG_VALUE_INIT;

  for (int threads = 1; threads <= 8; threads++) {
    NodeTest test = make_scene ("sphere.geometry");
    g_auto (KgValue) value = KG_VALUE_INIT;

    omp_set_num_threads (threads);
    node_test_set (&test, "s", "antialias", "\"4\"");
    node_test_set (&test, "object", "wireframe", "true");
    node_test_set (&test, "s", "width", "257");
    value = node_test_get (&test, "s.image", 0);
    if (threads == 1)
      first = kg_value_copy (&value);
    g_assert_true (kg_value_equal (&first, &value));
    node_test_clear (&test);
  }
  kg_value_clear (&first);
  omp_set_num_threads (2);
}

/* Blurring moves light about but makes none. */
static void
test_blur (void)
{
  NodeTest test = make_scene ("sphere.geometry");
  g_auto (KgValue) sharp = KG_VALUE_INIT, blurred = KG_VALUE_INIT;

  node_test_set (&test, "camera", "orthographic", "true");
  node_test_set (&test, "object", "translate", "{\"expr\": \"t, 0, 0\"}");
  sharp = node_test_get (&test, "s.image", 0);
  node_test_set (&test, "s", "blur", "16");
  node_test_set (&test, "s", "shutter", "10");
  blurred = node_test_get (&test, "s.image", 0);
  g_assert_false (kg_value_equal (&sharp, &blurred));
  assert_near (sum_alpha (blurred.image), sum_alpha (sharp.image), 0.01 * sum_alpha (sharp.image));
  node_test_clear (&test);
}

/* A shutter that opens for no time looks once: many looks, added up, would differ in the last bits. */
static void
test_no_blur (void)
{
  static const struct {
    const char *node, *image, *samples;
  } cases[] = { { "s", "s.image", "blur" }, { "d", "d.image", "samples" } };
  NodeTest test = make_scene ("sphere.geometry");

  node_test_add (&test, "geometry/circle", "c", NULL);
  node_test_add (&test, "render/draw", "d", "geometries", "[{\"link\": \"c.geometry\"}]", "background",
                 "[0.3, 0.7, 0.1, 0.9]", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (KgValue) sharp = node_test_get (&test, cases[i].image, 0), many = KG_VALUE_INIT;

    node_test_set (&test, cases[i].node, "shutter", "0");
    node_test_set (&test, cases[i].node, cases[i].samples, "253");
    many = node_test_get (&test, cases[i].image, 0);
    g_assert_true (kg_value_equal (&sharp, &many));
  }
  node_test_clear (&test);
}

/* Refused by what is asked for, not by how much memory there happens to be. */
static void
test_too_large (void)
{
  static const char *const sizes[][2] = { { "65535", "65535" }, { "16385", "16384" }, { "100000", "100000" } };
  NodeTest test = make_scene ("sphere.geometry");

  node_test_add (&test, "render/draw", "d", NULL);
  node_test_add (&test, "image/constant", "i", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    static const char *const nodes[] = { "s", "d", "i" };

    for (guint k = 0; k < G_N_ELEMENTS (nodes); k++) {
      g_autofree char *image = g_strdup_printf ("%s.image", nodes[k]);

      node_test_set (&test, nodes[k], "width", sizes[i][0]);
      node_test_set (&test, nodes[k], "height", sizes[i][1]);
      node_test_fails (&test, image, KG_ERROR_LIMIT);
    }
  }
  /* More than cairo draws on, though few pixels. */
  node_test_set (&test, "d", "width", "40000");
  node_test_set (&test, "d", "height", "2");
  node_test_fails (&test, "d.image", KG_ERROR_LIMIT);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/draw/coverage", test_coverage);
  g_test_add_func ("/image/over", test_over);
  g_test_add_func ("/scene/edges", test_edges);
  g_test_add_func ("/scene/depth", test_depth);
  g_test_add_func ("/scene/light", test_light);
  g_test_add_func ("/scene/sphere", test_sphere);
  g_test_add_func ("/scene/degenerate", test_degenerate);
  g_test_add_func ("/scene/threads", test_threads);
  g_test_add_func ("/scene/blur", test_blur);
  g_test_add_func ("/pictures/no-blur", test_no_blur);
  g_test_add_func ("/pictures/too-large", test_too_large);
  return g_test_run ();
}

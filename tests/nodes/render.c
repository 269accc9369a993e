/* tests/nodes/render: what images of scenes show, and what the depth plane contains.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <omp.h>

static const float *
pixel (const KgValue *value, int x, int y)
{
  return kg_image_get_pixels (value->image) +
         4 * ((size_t) y * (size_t) kg_image_get_width (value->image) + (size_t) x);
}

static float
depth (const KgValue *value, int x, int y)
{
  return kg_image_get_depth (value->image)[(size_t) y * (size_t) kg_image_get_width (value->image) + (size_t) x];
}

/* 100 by 100 pixels, 4 m high, seen from 5 m along z without perspective: 25 pixels a metre. */
static NodeTest
make_flat_scene (const char *scenes)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "render/camera", "camera", "position", "[0, 0, 5]", "orthographic", "true", NULL);
  node_test_add (&test, "geometry/grid", "grid", "columns", "1", "rows", "1", NULL);
  node_test_add (&test, "render/object", "object", "geometry", "{\"link\": \"grid.geometry\"}", "shading",
                 "\"constant\"", NULL);
  node_test_add (&test, "render/scene", "s", "scenes", scenes, "width", "100", "height", "100", "antialias", "\"1\"",
                 NULL);
  return test;
}

#define OBJECT_AND_CAMERA "[{\"link\": \"object.scene\"}, {\"link\": \"camera.scene\"}]"
#define OTHER_TOO "[{\"link\": \"object.scene\"}, {\"link\": \"other.scene\"}, {\"link\": \"camera.scene\"}]"
#define OBJECT_CAMERA_AND_LAMP                                                                                         \
  "[{\"link\": \"object.scene\"}, {\"link\": \"camera.scene\"}, {\"link\": \"lamp.scene\"}]"

/* Without a camera the view is framed once: what moves is blurred, and all of it is in view. */
static void
test_blur_without_camera (void)
{
  NodeTest test = make_flat_scene ("[{\"link\": \"object.scene\"}]");
  g_auto (KgValue) sharp = KG_VALUE_INIT, blurred = KG_VALUE_INIT;
  double alpha = 0;

  node_test_set (&test, "object", "translate", "{\"expr\": \"6*t, 0, 0\"}");
  sharp = node_test_get (&test, "s.image", 0);
  node_test_set (&test, "s", "blur", "2");
  node_test_set (&test, "s", "shutter", "10");
  blurred = node_test_get (&test, "s.image", 0);
  g_assert_false (kg_value_equal (&sharp, &blurred));
  /* The two moments lie 1.25 m apart and the grid is 2 m wide: all three strengths are there. */
  for (int half = 0; half <= 2; half++) {
    guint n = 0;

    for (int y = 0; y < 100; y++)
      for (int x = 0; x < 100; x++)
        n += fabs ((double) pixel (&blurred, x, y)[3] - 0.5 * half) < 1e-6;
    g_assert_cmpuint (n, >, 200);
    alpha += n;
  }
  assert_near (alpha, 10000, 0);
  for (int x = 0; x < 100; x++)
    g_assert_true (pixel (&blurred, x, 0)[3] == 0 && pixel (&blurred, x, 99)[3] == 0 &&
                   pixel (&blurred, 0, x)[3] == 0 && pixel (&blurred, 99, x)[3] == 0);
  node_test_clear (&test);
}

/* Everything is in view in high images as in wide ones, and points and lines with their widths. */
static void
test_standard_camera (void)
{
  static const char *const sizes[][2] = { { "100", "25" }, { "25", "100" } };
  NodeTest test = make_flat_scene ("[{\"link\": \"object.scene\"}]");

  node_test_add (&test, "geometry/line", "line", "start", "[0, 0, 0]", "end", "[0.2, 0, 0]", NULL);
  for (int geometry = 0; geometry < 2; geometry++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      g_auto (KgValue) value = KG_VALUE_INIT;
      int width, height;
      double alpha = 0;

      node_test_set (&test, "object", "width", "0.5");
      node_test_set (&test, "object", "geometry",
                     geometry == 0 ? "{\"link\": \"grid.geometry\"}" : "{\"link\": \"line.geometry\"}");
      node_test_set (&test, "s", "width", sizes[i][0]);
      node_test_set (&test, "s", "height", sizes[i][1]);
      value = node_test_get (&test, "s.image", 0);
      width = kg_image_get_width (value.image);
      height = kg_image_get_height (value.image);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
          alpha += (double) pixel (&value, x, y)[3];
          if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
            g_assert_cmpfloat (pixel (&value, x, y)[3], ==, 0);
        }
      g_assert_cmpfloat (alpha, >, 0);
    }
  node_test_clear (&test);
}

/* The nearest of all moments: whatever is seen has a distance. */
static void
test_blur_depth (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_set (&test, "s", "blur", "2");
  node_test_set (&test, "s", "shutter", "10");
  /* 5/48 s before and after: 1 m to the left and 0.5 m ahead, 1 m to the right and 0.5 m back. */
  node_test_set (&test, "object", "translate", "{\"expr\": \"9.6*t, 0, -4.8*t\"}");
  value = node_test_get (&test, "s.image", 0);
  assert_near ((double) depth (&value, 25, 50), 4.5, 1e-6);
  assert_near ((double) depth (&value, 75, 50), 5.5, 1e-6);
  for (int y = 0; y < 100; y++)
    for (int x = 0; x < 100; x++)
      g_assert_true (isfinite (depth (&value, x, y)) == (pixel (&value, x, y)[3] > 0));
  kg_value_clear (&value);
  /* Where both are seen, the nearer one, whichever came first. */
  for (int sign = -1; sign <= 1; sign += 2) {
    node_test_set (&test, "object", "translate",
                   sign < 0 ? "{\"expr\": \"0, 0, -4.8*t\"}" : "{\"expr\": \"0, 0, 4.8*t\"}");
    value = node_test_get (&test, "s.image", 0);
    assert_near ((double) depth (&value, 50, 50), 4.5, 1e-6);
    kg_value_clear (&value);
  }
  node_test_clear (&test);
}

/* Two squares, 2 m wide at 5 m and 4 m wide at 3 m, in either order, whole and half opaque; and a picture without
 * depth. */
static void
test_over_depth (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "render/object", "large", "geometry", "{\"link\": \"grid.geometry\"}", "shading",
                 "\"constant\"", "translate", "[0, 0, 2]", "scale", "[1.5, 1.5, 1]", NULL);
  node_test_add (&test, "render/scene", "near", "scenes", "[{\"link\": \"large.scene\"}, {\"link\": \"camera.scene\"}]",
                 "width", "100", "height", "100", "antialias", "\"1\"", NULL);
  node_test_add (&test, "image/constant", "flat", "width", "50", "height", "100", "color", "[1, 1, 1, 1]", NULL);
  node_test_add (&test, "image/over", "o", "layers", "[{\"link\": \"s.image\"}, {\"link\": \"near.image\"}]", NULL);
  value = node_test_get (&test, "o.image", 0);
  g_assert_nonnull (kg_image_get_depth (value.image));
  assert_near ((double) depth (&value, 50, 50), 3, 1e-6);
  assert_near ((double) depth (&value, 15, 50), 3, 1e-6);
  g_assert_true (isinf (depth (&value, 5, 50)));
  kg_value_clear (&value);

  /* The order of the layers, not the distance, says which one hides the other. */
  node_test_set (&test, "o", "layers", "[{\"link\": \"near.image\"}, {\"link\": \"s.image\"}]");
  value = node_test_get (&test, "o.image", 0);
  assert_near ((double) depth (&value, 50, 50), 5, 1e-6);
  assert_near ((double) depth (&value, 15, 50), 3, 1e-6);
  kg_value_clear (&value);

  node_test_set (&test, "o", "opacity", "0.5");
  value = node_test_get (&test, "o.image", 0);
  assert_near ((double) depth (&value, 50, 50), 3, 1e-6);
  kg_value_clear (&value);

  /* 10 pixels to the right and up. */
  node_test_set (&test, "o", "opacity", "1");
  node_test_set (&test, "o", "offset", "[10, 10, 0]");
  value = node_test_get (&test, "o.image", 0);
  assert_near ((double) depth (&value, 80, 20), 5, 1e-6);
  assert_near ((double) depth (&value, 80, 80), 3, 1e-6);
  kg_value_clear (&value);

  /* A title has no distance, and hides that of what it hides. */
  node_test_set (&test, "o", "offset", "[0, 0, 0]");
  node_test_set (&test, "o", "layers", "[{\"link\": \"s.image\"}, {\"link\": \"flat.image\"}]");
  value = node_test_get (&test, "o.image", 0);
  g_assert_true (isinf (depth (&value, 50, 50)));
  kg_value_clear (&value);
  node_test_set (&test, "o", "layers", "[{\"link\": \"flat.image\"}, {\"link\": \"flat.image\"}]");
  value = node_test_get (&test, "o.image", 0);
  g_assert_null (kg_image_get_depth (value.image));
  node_test_clear (&test);
}

/* At twice the distance from a lamp: as bright, half as bright, a quarter as bright. */
static void
test_light_falloff (void)
{
  static const char *const falloffs[] = { "\"none\"", "\"linear\"", "\"inverse_square\"" };
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);

  node_test_add (&test, "render/light", "lamp", "kind", "\"point\"", "intensity", "0.4", "distance", "2", NULL);
  node_test_set (&test, "s", "scenes", OBJECT_CAMERA_AND_LAMP);
  node_test_set (&test, "object", "specular", "0");
  node_test_set (&test, "object", "color", "[1, 1, 1, 1]");
  for (int shading = 0; shading < 3; shading++)
    for (int i = 0; i < 3; i++)
      for (int d = 1; d <= 4; d *= 2) {
        static const char *const shadings[] = { "\"phong\"", "\"gouraud\"", "\"flat\"" };
        g_autofree char *position = g_strdup_printf ("[0, 0, %d]", d);
        g_auto (KgValue) value = KG_VALUE_INIT;
        double cosine = 1, distance = d;

        if (shading == 1) {
          /* Lit at its corners. */
          distance = sqrt (d * d + 2);
          cosine = d / distance;
        }
        node_test_set (&test, "object", "shading", shadings[shading]);
        node_test_set (&test, "lamp", "position", position);
        node_test_set (&test, "lamp", "falloff", falloffs[i]);
        value = node_test_get (&test, "s.image", 0);
        assert_near ((double) pixel (&value, 50, 50)[0], 0.4 * cosine * pow (2 / distance, i),
                     2e-3 * pow (2 / distance, i));
      }
  node_test_clear (&test);
}

/* The sun does not get darker with the distance; in the middle of a lamp nothing is infinite. */
static void
test_light_limits (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) sun = KG_VALUE_INIT, dim = KG_VALUE_INIT;

  node_test_add (&test, "render/light", "lamp", "position", "[0, 0, 100]", NULL);
  node_test_set (&test, "s", "scenes", OBJECT_CAMERA_AND_LAMP);
  node_test_set (&test, "object", "shading", "\"phong\"");
  sun = node_test_get (&test, "s.image", 0);
  node_test_set (&test, "lamp", "falloff", "\"inverse_square\"");
  dim = node_test_get (&test, "s.image", 0);
  g_assert_true (kg_value_equal (&sun, &dim));
  kg_value_clear (&dim);
  node_test_set (&test, "lamp", "kind", "\"point\"");
  node_test_set (&test, "lamp", "position", "[0, 0, 0]");
  node_test_set (&test, "lamp", "distance", "1e6");
  node_test_set (&test, "lamp", "intensity", "1e6");
  dim = node_test_get (&test, "s.image", 0);
  g_assert_true (isfinite (pixel (&dim, 50, 50)[0]));
  node_test_clear (&test);
}

static double
sum_alpha (const KgValue *value)
{
  const size_t n = (size_t) kg_image_get_width (value->image) * (size_t) kg_image_get_height (value->image);
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += (double) kg_image_get_pixels (value->image)[4 * i + 3];
  return sum;
}

/* Red in front of green in front of blue, each half transparent, given in any order: red is half of what is seen. */
static void
test_transparent_order (void)
{
  static const char *const orders[] = { "rgb", "rbg", "grb", "gbr", "brg", "bgr" };
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);

  for (int i = 0; i < 3; i++) {
    g_autofree char *place = g_strdup_printf ("[0, 0, %d]", 2 - i);
    g_autofree char *color = g_strdup_printf ("[%d, %d, %d, 0.5]", i == 0, i == 1, i == 2);
    const char name[] = { "rgb"[i], 0 };

    node_test_add (&test, "render/object", name, "geometry", "{\"link\": \"grid.geometry\"}", "shading", "\"constant\"",
                   "translate", place, "color", color, NULL);
  }
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    const char *o = orders[i];
    g_autofree char *scenes =
        g_strdup_printf ("[{\"link\": \"%c.scene\"}, {\"link\": \"%c.scene\"}, {\"link\": \"%c.scene\"}, {\"link\": "
                         "\"camera.scene\"}]",
                         o[0], o[1], o[2]);
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "s", "scenes", scenes);
    value = node_test_get (&test, "s.image", 0);
    assert_near ((double) pixel (&value, 50, 50)[0], 0.5, 1e-6);
    assert_near ((double) pixel (&value, 50, 50)[1], 0.25, 1e-6);
    assert_near ((double) pixel (&value, 50, 50)[2], 0.125, 1e-6);
    assert_near ((double) pixel (&value, 50, 50)[3], 0.875, 1e-6);
    /* Half opaque is enough to have a distance. */
    assert_near ((double) depth (&value, 50, 50), 3, 1e-6);
  }
  /* Nearly clear glass has none. */
  node_test_set (&test, "r", "color", "[1, 0, 0, 0.25]");
  {
    g_auto (KgValue) value = node_test_get (&test, "s.image", 0);

    assert_near ((double) depth (&value, 50, 50), 4, 1e-6);
  }
  node_test_clear (&test);
}

/* Two panes that cut through each other: left one is in front, right the other. */
static void
test_transparent_crossing (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_set (&test, "object", "color", "[1, 0, 0, 0.5]");
  node_test_set (&test, "object", "rotate", "[0, 30, 0]");
  node_test_add (&test, "render/object", "other", "geometry", "{\"link\": \"grid.geometry\"}", "shading",
                 "\"constant\"", "rotate", "[0, -30, 0]", "color", "[0, 1, 0, 0.5]", NULL);
  node_test_set (&test, "s", "scenes", OTHER_TOO);
  value = node_test_get (&test, "s.image", 0);
  assert_near ((double) pixel (&value, 40, 50)[0], 0.5, 1e-6);
  assert_near ((double) pixel (&value, 40, 50)[1], 0.25, 1e-6);
  assert_near ((double) pixel (&value, 60, 50)[0], 0.25, 1e-6);
  assert_near ((double) pixel (&value, 60, 50)[1], 0.5, 1e-6);
  node_test_clear (&test);
}

/* Many transparent points over each other: more than are kept at a time, the same for any number of threads. */
static void
test_transparent_many (void)
{
  g_auto (KgValue) first = KG_VALUE_INIT;

  for (int threads = 1; threads <= 4; threads *= 2) {
    NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
    g_auto (KgValue) value = KG_VALUE_INIT;

    omp_set_num_threads (threads);
    node_test_add (&test, "geometry/line", "line", "points", "400", "start", "[0, 0, 1]", "end", "[0, 0, -1]", NULL);
    node_test_add (&test, "geometry/copy_to_points", "copies", "geometry", "{\"link\": \"grid.geometry\"}", "points",
                   "{\"link\": \"line.geometry\"}", NULL);
    node_test_set (&test, "object", "geometry", "{\"link\": \"copies.copies\"}");
    node_test_set (&test, "object", "color", "[1, 1, 1, 0.01]");
    node_test_set (&test, "s", "antialias", "\"2\"");
    value = node_test_get (&test, "s.image", 0);
    assert_near ((double) pixel (&value, 50, 50)[3], 1 - pow (0.99, 400), 1e-4);
    assert_near ((double) pixel (&value, 30, 70)[3], 1 - pow (0.99, 400), 1e-4);
    if (threads == 1)
      first = kg_value_copy (&value);
    g_assert_true (kg_value_equal (&first, &value));
    node_test_clear (&test);
  }
  omp_set_num_threads (2);
}

static void
test_many_corners (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "geometry/circle", "circle", "points", "20000", NULL);
  node_test_set (&test, "object", "geometry", "{\"link\": \"circle.geometry\"}");
  node_test_set (&test, "s", "antialias", "\"8\"");
  value = node_test_get (&test, "s.image", 0);
  assert_near (sum_alpha (&value), KG_PI * 25 * 25, 1);
  node_test_clear (&test);
}

/* Square metres of letters whose contours do not overlap: holes turn the other way. */
static double
get_letters_area (const KgGeometry *geometry)
{
  const float *p = kg_geometry_get_positions (geometry);
  double sum = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    for (uint32_t k = 0; k < primitive.n_vertices; k++) {
      const float *a = p + 3 * (size_t) primitive.vertices[k];
      const float *b = p + 3 * (size_t) primitive.vertices[(k + 1) % primitive.n_vertices];

      sum += 0.5 * ((double) a[0] * (double) b[1] - (double) a[1] * (double) b[0]);
    }
  }
  return fabs (sum);
}

/* An o has a hole, in 3D as on paper; an i has a dot. */
static void
test_letter_holes (void)
{
  static const char *const texts[] = { "\"o\"", "\"8\"", "\"i\"", "\"B%&@\"", "\"\u00e5\u00d8\"" };
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);

  node_test_add (&test, "geometry/text", "text", "size", "1", NULL);
  node_test_add (&test, "render/draw", "d", "geometries", "[{\"link\": \"text.geometry\"}]", "width", "100", "height",
                 "100", "view_height", "4", NULL);
  node_test_set (&test, "object", "geometry", "{\"link\": \"text.geometry\"}");
  node_test_set (&test, "object", "color", "[1, 1, 1, 1]");
  node_test_set (&test, "s", "antialias", "\"8\"");
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_auto (KgValue) solid = KG_VALUE_INIT, flat = KG_VALUE_INIT, outline = KG_VALUE_INIT;
    double area;

    node_test_set (&test, "text", "text", texts[i]);
    flat = node_test_get (&test, "d.image", 0);
    outline = node_test_get (&test, "text.geometry", 0);
    area = 625 * get_letters_area (outline.geometry);
    assert_near (sum_alpha (&flat), area, 0.02 * area);
    for (int shading = 0; shading < 4; shading++) {
      static const char *const shadings[] = { "\"phong\"", "\"gouraud\"", "\"flat\"", "\"constant\"" };
      double least = 2;

      node_test_set (&test, "object", "shading", shadings[shading]);
      solid = node_test_get (&test, "s.image", 0);
      assert_near (sum_alpha (&solid), area, 0.02 * area);
      /* The normals around holes look the same way as those of the outline: evenly lit from the front. */
      for (int y = 0; y < 100; y++)
        for (int x = 0; x < 100; x++)
          if (pixel (&solid, x, y)[3] == 1)
            least = fmin (least, (double) pixel (&solid, x, y)[1]);
      g_assert_cmpfloat (least, >=, 0.99);
      kg_value_clear (&solid);
    }
    if (i == 0)
      for (int x = 0; x < 100; x++)
        for (int y = 0; y < 100; y++)
          if (pixel (&flat, x, y)[3] == 0) {
            node_test_set (&test, "object", "shading", "\"constant\"");
            solid = node_test_get (&test, "s.image", 0);
            g_assert_cmpfloat (pixel (&solid, x, y)[3], <, 0.02);
            kg_value_clear (&solid);
          }
  }
  node_test_clear (&test);
}

/* Letters on a board: merging gives the board's faces a glyph too, which is none. */
static void
test_letters_on_board (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) board = KG_VALUE_INIT, both = KG_VALUE_INIT;

  node_test_add (&test, "geometry/text", "text", "text", "\"o\"", "size", "1", NULL);
  node_test_add (&test, "geometry/merge", "all", "geometries",
                 "[{\"link\": \"grid.geometry\"}, {\"link\": \"text.geometry\"}]", NULL);
  node_test_add (&test, "render/draw", "d", "geometries", "[{\"link\": \"grid.geometry\"}]", "width", "100", "height",
                 "100", "view_height", "4", NULL);
  board = node_test_get (&test, "d.image", 0);
  node_test_set (&test, "d", "geometries", "[{\"link\": \"all.geometry\"}]");
  both = node_test_get (&test, "d.image", 0);
  assert_near (sum_alpha (&both), sum_alpha (&board), 0.01);
  kg_value_clear (&both);
  node_test_set (&test, "object", "geometry", "{\"link\": \"all.geometry\"}");
  both = node_test_get (&test, "s.image", 0);
  assert_near (sum_alpha (&both), 50 * 50, 0);
  node_test_clear (&test);
}

/* A curve that there is not: the rest is drawn, and the node says which one is left out, once. */
static void
test_bad_spline (void)
{
  static const char *const nodes[] = { "s", "d" };
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);

  node_test_add (&test, "curve/spline", "spline", "basis", "\"b-spline\"", NULL);
  node_test_add (&test, "geometry/attribute", "bad", "geometry", "{\"link\": \"spline.geometry\"}", "name",
                 "\"weight\"", "number", "-1", NULL);
  node_test_add (&test, "geometry/merge", "all", "geometries",
                 "[{\"link\": \"bad.set\"}, {\"link\": \"grid.geometry\"}]", NULL);
  node_test_add (&test, "render/draw", "d", "geometries", "[{\"link\": \"all.geometry\"}]", "width", "100", "height",
                 "100", "view_height", "4", "samples", "4", NULL);
  node_test_set (&test, "object", "geometry", "{\"link\": \"all.geometry\"}");
  node_test_set (&test, "s", "blur", "4");
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++) {
    g_autofree char *output = g_strdup_printf ("%s.image", nodes[i]);
    g_auto (KgValue) value = node_test_get (&test, output, 0);
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, nodes[i]));

    g_assert_cmpfloat (pixel (&value, 50, 50)[3], >, 0.99f);
    g_assert_nonnull (warnings);
    g_assert_cmpuint (g_strv_length (warnings), ==, 1);
    g_assert_nonnull (strstr (warnings[0], "primitive 0"));
    g_assert_nonnull (strstr (warnings[0], "weight"));
  }
  node_test_clear (&test);
}

/* What is too far away for floats is left out by itself. */
static void
test_far_primitive (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_auto (GStrv) warnings = NULL;

  node_test_add (&test, "geometry/grid", "vast", "columns", "1", "rows", "1", "size", "[1e30, 1e30, 0]", NULL);
  node_test_add (&test, "render/object", "other", "geometry", "{\"link\": \"vast.geometry\"}", "scale",
                 "[1e20, 1e20, 1]", NULL);
  node_test_set (&test, "s", "scenes", OTHER_TOO);
  value = node_test_get (&test, "s.image", 0);
  assert_near (sum_alpha (&value), 50 * 50, 0);
  warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "s"));
  g_assert_nonnull (warnings);
  g_assert_nonnull (strstr (warnings[0], "object 1"));
  /* Lines, and points without any primitive. */
  node_test_add (&test, "geometry/line", "line", "start", "[-1e30, 0, 0]", "end", "[1e30, 1e30, 0]", NULL);
  node_test_add (&test, "sim/particles", "p", "rate", "2400", "position", "[1e30, 1e30, 0]", NULL);
  node_test_set (&test, "other", "scale", "[1e290, 1e290, 1e290]");
  for (int i = 0; i < 2; i++) {
    kg_value_clear (&value);
    node_test_set (&test, "other", "geometry", i == 0 ? "{\"link\": \"line.geometry\"}" : "{\"link\": \"p.geometry\"}");
    value = node_test_get (&test, "s.image", 1 / 24.0);
    assert_near (sum_alpha (&value), 50 * 50, 0);
  }
  node_test_clear (&test);
}

/* Part of a face behind the camera, part beside the image: lit as if it were whole. */
static void
test_clipped_light (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_set (&test, "grid", "size", "[1e6, 1e6, 0]");
  node_test_set (&test, "object", "specular", "0");
  node_test_set (&test, "object", "color", "[1, 1, 1, 1]");
  node_test_set (&test, "object", "rotate", "[60, 0, 0]");
  for (int shading = 0; shading < 3; shading++) {
    static const char *const shadings[] = { "\"phong\"", "\"gouraud\"", "\"flat\"" };

    node_test_set (&test, "object", "shading", shadings[shading]);
    value = node_test_get (&test, "s.image", 0);
    /* The light at the camera falls on it at 60 degrees, 0.85 of it; 0.15 comes from all around. */
    assert_near ((double) pixel (&value, 50, 50)[0], 0.85 * 0.5 + 0.15, 1e-4);
    assert_near ((double) pixel (&value, 99, 99)[0], 0.85 * 0.5 + 0.15, 1e-4);
    kg_value_clear (&value);
  }
  node_test_clear (&test);
}

/* A thick line with a bend: no gap on its outer side, and nothing twice on the way. */
static void
test_ribbon (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) value = KG_VALUE_INIT;

  /* A straight line in many pieces, then an arc: as much as its length times its width, and even all over. */
  node_test_add (&test, "geometry/circle", "circle", "points", "40", "filled", "false", NULL);
  node_test_set (&test, "object", "geometry", "{\"link\": \"circle.geometry\"}");
  node_test_set (&test, "object", "width", "0.4");
  node_test_set (&test, "object", "color", "[1, 1, 1, 0.5]");
  value = node_test_get (&test, "s.image", 0);
  assert_near (sum_alpha (&value), 0.5 * KG_PI * (1.2 * 1.2 - 0.8 * 0.8) * 625, 10);
  for (int y = 0; y < 100; y++)
    for (int x = 0; x < 100; x++)
      g_assert_true (pixel (&value, x, y)[3] == 0 || fabsf (pixel (&value, x, y)[3] - 0.5f) < 1e-5f);
  kg_value_clear (&value);
  /* A square: its corners are too sharp to be mitred, and round. */
  node_test_set (&test, "circle", "points", "3");
  node_test_set (&test, "object", "color", "[1, 1, 1, 1]");
  value = node_test_get (&test, "s.image", 0);
  /* The first corner is 1 m to the right: half the width farther out it is still covered. */
  g_assert_cmpfloat (pixel (&value, 50 + 25 + 4, 50)[3], ==, 1);
  g_assert_cmpfloat (pixel (&value, 50 + 25 + 6, 50)[3], ==, 0);
  node_test_clear (&test);
}

/* The trail of a point that grows, 0.8 m a second, while it moves 2 m to the right: as wide as it was where it was. */
static void
test_varying_width (void)
{
  static const char *const outputs[] = { "d.image", "s.image" };
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);

  node_test_add (&test, "geometry/line", "line", "start", "[0, 0, 0]", "end", "[0, 0, 0]", NULL);
  node_test_add (&test, "geometry/attribute", "wide", "geometry", "{\"link\": \"line.geometry\"}", "number",
                 "{\"expr\": \"0.8*t\"}", NULL);
  node_test_add (&test, "geometry/transform", "moved", "geometry", "{\"link\": \"wide.set\"}", "translate",
                 "{\"expr\": \"2*t - 1, 0, 0\"}", NULL);
  node_test_add (&test, "geometry/trail", "trail", "geometry", "{\"link\": \"moved.transformed\"}", "mode", "\"lines\"",
                 "fade", "false", NULL);
  node_test_add (&test, "render/draw", "d", "geometries", "[{\"link\": \"trail.trail\"}]", "width", "100", "height",
                 "100", "view_height", "4", NULL);
  node_test_set (&test, "object", "geometry", "{\"link\": \"trail.trail\"}");
  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++) {
    g_auto (KgValue) value = node_test_get (&test, outputs[i], 1);

    for (int column = 52; column < 73; column += 4) {
      const double x = (column + 0.5) / 25 - 2, width = 0.8 * (x + 1) / 2;
      double covered = 0;

      for (int y = 0; y < 100; y++)
        covered += (double) pixel (&value, column, y)[3];
      /* Round ends of wider pieces reach into the narrower ones before them. */
      assert_near (covered, 25 * width, 2);
    }
  }
  node_test_clear (&test);
}

/* A large point is round. */
static void
test_disc (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "sim/particles", "p", "rate", "24", "births", "\"reeves\"", "speed", "0", "speed_variance", "0",
                 "particle_size", "3", "size_variance", "0", NULL);
  node_test_set (&test, "object", "geometry", "{\"link\": \"p.geometry\"}");
  node_test_set (&test, "s", "antialias", "\"8\"");
  value = node_test_get (&test, "s.image", 1 / 24.0);
  assert_near (sum_alpha (&value), KG_PI * 37.5 * 37.5, 3);
  for (int i = 0; i < 8; i++) {
    const double a = (i + 0.5) * KG_PI / 4;

    g_assert_cmpfloat (pixel (&value, (int) (50 + 36.3 * cos (a)), (int) (50 + 36.3 * sin (a)))[3], >, 0.99f);
    g_assert_cmpfloat (pixel (&value, (int) (50 + 39 * cos (a)), (int) (50 + 39 * sin (a)))[3], <, 0.01f);
  }
  node_test_clear (&test);
}

/* Edges that two faces share are drawn once: half transparent wires are half transparent. */
static void
test_wires (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_set (&test, "grid", "columns", "2");
  node_test_set (&test, "object", "color", "[0, 0, 0, 0]");
  node_test_set (&test, "object", "wireframe", "true");
  node_test_set (&test, "object", "wire_color", "[1, 1, 1, 0.5]");
  value = node_test_get (&test, "s.image", 0);
  for (int x = 48; x < 52; x++)
    g_assert_true (pixel (&value, x, 40)[3] == 0 || fabsf (pixel (&value, x, 40)[3] - 0.5f) < 1e-5f);
  g_assert_cmpfloat (pixel (&value, 49, 40)[3] + pixel (&value, 50, 40)[3], >, 0.4f);
  node_test_clear (&test);
}

/* Everything in one image, for any number of threads. */
static void
test_threads (void)
{
  g_auto (KgValue) first = KG_VALUE_INIT;

  for (int threads = 1; threads <= 4; threads++) {
    NodeTest test = make_flat_scene ("[]");
    g_auto (KgValue) value = KG_VALUE_INIT;

    omp_set_num_threads (threads);
    node_test_add (&test, "geometry/text", "text", NULL);
    node_test_add (&test, "geometry/sphere", "sphere", "segments", "200", "rings", "100", NULL);
    node_test_add (&test, "render/object", "words", "geometry", "{\"link\": \"text.geometry\"}", "translate",
                   "{\"expr\": \"t, t, 1\"}", "wireframe", "true", NULL);
    node_test_add (&test, "render/object", "ball", "geometry", "{\"link\": \"sphere.geometry\"}", "color",
                   "[0.2, 0.5, 1, 0.3]", "rotate", "[20, 30, 40]", "shading", "\"flat\"", NULL);
    node_test_set (&test, "s", "antialias", "\"4\"");
    node_test_set (&test, "s", "blur", "3");
    node_test_set (&test, "s", "scenes",
                   "[{\"link\": \"object.scene\"}, {\"link\": \"words.scene\"}, {\"link\": \"ball.scene\"}]");
    value = node_test_get (&test, "s.image", 0);
    if (threads == 1)
      first = kg_value_copy (&value);
    g_assert_true (kg_value_equal (&first, &value));
    node_test_clear (&test);
  }
  omp_set_num_threads (2);
}

/* Two images of one size that differ by more than a step of 8 bits in at most so many pixels. */
static void
assert_alike (const KgValue *a, const KgValue *b, guint most)
{
  guint n = 0;

  for (int y = 0; y < 100; y++)
    for (int x = 0; x < 100; x++)
      for (int c = 0; c < 4; c++)
        if (fabs ((double) pixel (a, x, y)[c] - (double) pixel (b, x, y)[c]) > 1 / 255.0) {
          n++;
          break;
        }
  g_assert_cmpuint (n, <=, most);
}

/* 55-29: instances look as copies do, whatever they are made of. */
static void
test_instances (void)
{
  static const char *const shadings[] = { "\"flat\"", "\"gouraud\"", "\"phong\"", "\"constant\"" };
  static const char *const shapes[] = { "{\"link\": \"ball.geometry\"}", "{\"link\": \"word.geometry\"}",
                                        "{\"link\": \"line.geometry\"}", "{\"link\": \"dots.rest\"}" };
  NodeTest test = make_flat_scene ("[]");

  node_test_add (&test, "render/light", "lamp", "kind", "\"point\"", "position", "[3, 4, 6]", NULL);
  node_test_add (&test, "geometry/sphere", "stand", "radius", "1.2", "segments", "7", "rings", "5", NULL);
  node_test_add (&test, "geometry/sphere", "ball", "segments", "9", "rings", "6", NULL);
  node_test_add (&test, "geometry/text", "word", "text", "\"Bo\"", "size", "1", NULL);
  node_test_add (&test, "geometry/line", "line", "points", "3", NULL);
  node_test_add (&test, "geometry/grid", "grid_of_dots", "columns", "2", "rows", "2", NULL);
  node_test_add (&test, "geometry/delete", "dots", "geometry", "{\"link\": \"grid_of_dots.geometry\"}", "domain",
                 "\"primitives\"", "kind", "\"range\"", "last", "-1", "loose", "true", NULL);
  node_test_add (&test, "geometry/copy_to_points", "copies", "points", "{\"link\": \"stand.geometry\"}", "geometry",
                 shapes[0], "scale", "0.3", NULL);
  node_test_set (&test, "object", "geometry", "{\"link\": \"copies.copies\"}");
  node_test_add (&test, "render/object", "other", "geometry", shapes[0], "instances", "{\"link\": \"stand.geometry\"}",
                 "instance_scale", "0.3", NULL);
  for (guint shape = 0; shape < G_N_ELEMENTS (shapes); shape++)
    for (guint shading = 0; shading < G_N_ELEMENTS (shadings); shading++)
      for (guint wires = 0; wires < 2; wires++) {
        g_auto (KgValue) copies = KG_VALUE_INIT, instances = KG_VALUE_INIT;

        node_test_set (&test, "copies", "geometry", shapes[shape]);
        node_test_set (&test, "other", "geometry", shapes[shape]);
        for (guint i = 0; i < 2; i++) {
          const char *name = i == 0 ? "object" : "other";

          node_test_set (&test, name, "shading", shadings[shading]);
          node_test_set (&test, name, "wireframe", wires ? "true" : "false");
          node_test_set (&test, name, "translate", "[0.1, -0.2, 0.3]");
          node_test_set (&test, name, "rotate", "[10, 20, 30]");
        }
        node_test_set (&test, "s", "scenes", OBJECT_CAMERA_AND_LAMP);
        copies = node_test_get (&test, "s.image", 0);
        node_test_set (&test, "s", "scenes",
                       "[{\"link\": \"other.scene\"}, {\"link\": \"camera.scene\"}, {\"link\": \"lamp.scene\"}]");
        instances = node_test_get (&test, "s.image", 0);
        assert_alike (&copies, &instances, 20);
      }
  /* On no points there is nothing. */
  node_test_add (&test, "geometry/delete", "none", "geometry", "{\"link\": \"stand.geometry\"}", "kind", "\"range\"",
                 "last", "-1", NULL);
  node_test_set (&test, "other", "instances", "{\"link\": \"none.rest\"}");
  {
    g_auto (KgValue) empty = node_test_get (&test, "s.image", 0);

    for (int x = 0; x < 100; x++)
      for (int y = 0; y < 100; y++)
        g_assert_cmpfloat (pixel (&empty, x, y)[3], ==, 0);
  }
  node_test_clear (&test);
}

/* 55-29: variants stand on the points that say so, counted around, or by lot: about a third on each, the same for an id. */
static void
test_variants (void)
{
  NodeTest test = make_flat_scene ("[]");
  float share;

  node_test_add (&test, "geometry/sphere", "ball", "segments", "9", "rings", "6", "radius", "0.2", NULL);
  node_test_add (&test, "geometry/box", "cube", "size", "[0.3, 0.3, 0.3]", NULL);
  node_test_add (&test, "geometry/line", "stick", "start", "[0, 0, 0]", "end", "[0, 0.4, 0]", NULL);
  node_test_add (&test, "geometry/line", "row", "start", "[-2, 0, 0]", "end", "[2, 0, 0]", "points", "5", NULL);
  node_test_add (&test, "field/formula", "turns", "formula", "\"x - 1\"", NULL);
  node_test_add (&test, "geometry/attribute", "marked", "geometry", "{\"link\": \"row.geometry\"}", "name",
                 "\"variant\"", "kind", "\"field\"", "field", "{\"link\": \"turns.field\"}", NULL);
  node_test_add (&test, "geometry/copy_to_points", "copies", "points", "{\"link\": \"marked.set\"}", "geometry",
                 "{\"link\": \"ball.geometry\"}", "variants",
                 "[{\"link\": \"cube.geometry\"}, {\"link\": \"stick.geometry\"}]", NULL);
  node_test_add (&test, "render/object", "other", "instances", "{\"link\": \"marked.set\"}", "geometry",
                 "{\"link\": \"ball.geometry\"}", "variants",
                 "[{\"link\": \"cube.geometry\"}, {\"link\": \"stick.geometry\"}]", NULL);
  node_test_set (&test, "object", "geometry", "{\"link\": \"copies.copies\"}");
  node_test_set (&test, "object", "shading", "\"constant\"");
  node_test_set (&test, "other", "shading", "\"constant\"");
  {
    /* At -2 to 2 the numbers are -3 to 1: ball, cube, stick, ball, cube. */
    g_auto (KgValue) ball = node_test_get (&test, "ball.geometry", 0), cube = node_test_get (&test, "cube.geometry", 0);
    g_auto (KgValue) all = node_test_get (&test, "copies.copies", 0);
    const size_t n = kg_geometry_get_n_points (ball.geometry), m = kg_geometry_get_n_points (cube.geometry);
    g_auto (KgValue) copies = KG_VALUE_INIT, instances = KG_VALUE_INIT;

    g_assert_cmpuint (kg_geometry_get_n_points (all.geometry), ==, 2 * n + 2 * m + 2);
    for (size_t k = 0; k < n; k++)
      g_assert_cmpfloat (fabsf (kg_geometry_get_positions (all.geometry)[3 * k] + 2), <=, 0.201f);
    assert_near ((double) kg_geometry_get_positions (all.geometry)[3 * (2 * n + 2 * m)], 0, 1e-6);
    node_test_set (&test, "s", "scenes", "[{\"link\": \"object.scene\"}, {\"link\": \"camera.scene\"}]");
    copies = node_test_get (&test, "s.image", 0);
    node_test_set (&test, "s", "scenes", "[{\"link\": \"other.scene\"}, {\"link\": \"camera.scene\"}]");
    instances = node_test_get (&test, "s.image", 0);
    assert_alike (&copies, &instances, 20);
  }
  node_test_set (&test, "row", "points", "3000");
  node_test_set (&test, "copies", "points", "{\"link\": \"row.geometry\"}");
  node_test_set (&test, "copies", "geometry", "{\"link\": \"stick.geometry\"}");
  {
    g_auto (KgValue) all = node_test_get (&test, "copies.copies", 0);
    size_t sticks = 0;

    for (size_t k = 0; k < kg_geometry_get_n_primitives (all.geometry); k++) {
      KgPrimitive primitive;

      kg_geometry_get_primitive (all.geometry, k, &primitive);
      sticks += primitive.kind == KG_POLYLINE;
    }
    share = (float) sticks / 3000;
    g_assert_cmpfloat (fabsf (share - 2.0f / 3), <, 0.04f);
  }
  node_test_clear (&test);
}

/* More triangles than are collected at a time, before and after what is transparent: the same bits as all at once, for any
 * number of threads. */
static void
test_many_instances (void)
{
  g_auto (KgValue) copies = KG_VALUE_INIT;

  for (int threads = 1; threads <= 2; threads++) {
    NodeTest test = make_flat_scene ("[]");
    g_auto (KgValue) instances = KG_VALUE_INIT;

    omp_set_num_threads (threads);
    node_test_add (&test, "geometry/sphere", "ball", "segments", "128", "rings", "64", "radius", "0.25", NULL);
    node_test_add (&test, "geometry/grid", "stand", "size", "[3, 3, 0]", "columns", "6", "rows", "6", NULL);
    node_test_add (&test, "geometry/copy_to_points", "copies", "points", "{\"link\": \"stand.geometry\"}", "geometry",
                   "{\"link\": \"ball.geometry\"}", "orient", "false", NULL);
    node_test_set (&test, "object", "color", "[1, 0.2, 0, 0.4]");
    node_test_set (&test, "object", "translate", "[0, 0, 0.1]");
    node_test_add (&test, "render/object", "other", "geometry", "{\"link\": \"copies.copies\"}", "shading",
                   "\"constant\"", NULL);
    node_test_add (&test, "render/object", "last", "geometry", "{\"link\": \"ball.geometry\"}", "translate",
                   "[0.9, 0.7, 0.2]", "shading", "\"constant\"", "color", "[0, 1, 0, 1]", NULL);
    node_test_set (&test, "s", "scenes",
                   "[{\"link\": \"object.scene\"}, {\"link\": \"other.scene\"}, {\"link\": \"last.scene\"}, "
                   "{\"link\": \"camera.scene\"}]");
    node_test_set (&test, "s", "background", "[0.1, 0.2, 0.3, 0.5]");
    if (threads == 1)
      copies = node_test_get (&test, "s.image", 0);
    node_test_set (&test, "other", "geometry", "{\"link\": \"ball.geometry\"}");
    node_test_set (&test, "other", "instances", "{\"link\": \"stand.geometry\"}");
    node_test_set (&test, "other", "orient", "false");
    instances = node_test_get (&test, "s.image", 0);
    g_assert_true (kg_value_equal (&copies, &instances));
    node_test_clear (&test);
  }
  omp_set_num_threads (2);
}

/* Colours of points tint their instances; the scene says how many there are. */
static void
test_instance_colors (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  g_auto (KgValue) image = KG_VALUE_INIT, scene = KG_VALUE_INIT;
  g_autoptr (GString) text = g_string_new (NULL);

  node_test_add (&test, "geometry/line", "stand", "start", "[-1, 0, 0]", "end", "[1, 0, 0]", "points", "2", NULL);
  node_test_add (&test, "geometry/color", "color", "geometry", "{\"link\": \"stand.geometry\"}", "color",
                 "[0, 0.5, 1, 1]", NULL);
  node_test_set (&test, "object", "color", "[0.5, 0.5, 0.5, 1]");
  node_test_set (&test, "object", "instances", "{\"link\": \"color.colored\"}");
  node_test_set (&test, "object", "instance_scale", "0.5");
  node_test_set (&test, "object", "orient", "false");
  image = node_test_get (&test, "s.image", 0);
  /* Squares of a metre about -1 and 1, and nothing between. */
  for (int x = 25; x <= 75; x += 50) {
    assert_near (pixel (&image, x, 50)[0], 0, 1e-6);
    assert_near (pixel (&image, x, 50)[1], 0.25, 1e-6);
    assert_near (pixel (&image, x, 50)[2], 0.5, 1e-6);
  }
  assert_near (pixel (&image, 50, 50)[3], 0, 0);
  scene = node_test_get (&test, "object.scene", 0);
  kg_value_write_json (&scene, text);
  g_assert_nonnull (strstr (text->str, "\"instances\": 2"));
  node_test_clear (&test);
}

/* Sum, mean and variance along x and y of what covers an image. */
typedef struct {
  double sum, x, y, variance_x, variance_y;
} Spot;

static Spot
measure_spot (NodeTest *test)
{
  g_auto (KgValue) image = node_test_get (test, "s.image", 0);
  Spot spot = { 0 };

  for (int pass = 0; pass < 2; pass++)
    for (int y = 0; y < kg_image_get_height (image.image); y++)
      for (int x = 0; x < kg_image_get_width (image.image); x++) {
        const double alpha = (double) pixel (&image, x, y)[3];

        if (pass == 0) {
          spot.sum += alpha;
          spot.x += alpha * x;
          spot.y += alpha * y;
        } else {
          spot.variance_x += alpha * (x - spot.x / spot.sum) * (x - spot.x / spot.sum);
          spot.variance_y += alpha * (y - spot.y / spot.sum) * (y - spot.y / spot.sum);
        }
      }
  return (Spot){ spot.sum, spot.x / spot.sum, spot.y / spot.sum, spot.variance_x / spot.sum,
                 spot.variance_y / spot.sum };
}

/* A lens of 0.8 m that is focused at 2 m, of 100 pixels a radian: what is at d gets a disc of A |d − 2| / d in the plane of focus,
 * 50 pixels a metre there.  The variance of a disc is the square of its radius over 4. */
static void
test_lens (void)
{
  static const struct {
    const char *center;
    double distance;
  } cases[] = { { "[0.3, 0.2, 0]", 2 }, { "[0.3, 0.2, -2]", 4 }, { "[0.1, 0.2, 0.75]", 1.25 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "render/camera", "camera", "position", "[0, 0, 2]", "fov", "90", NULL);
  node_test_add (&test, "geometry/sphere", "ball", "radius", "0.05", NULL);
  node_test_add (&test, "render/object", "object", "geometry", "{\"link\": \"ball.geometry\"}", "shading",
                 "\"constant\"", NULL);
  node_test_add (&test, "render/scene", "s", "scenes", OBJECT_AND_CAMERA, "width", "200", "height", "200", "antialias",
                 "\"4\"", "lens", "256", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double d = cases[i].distance, radius = 0.5 * 0.8 * fabs (d - 2) / d * 50;
    Spot sharp, blurred;

    node_test_set (&test, "ball", "center", cases[i].center);
    node_test_set (&test, "camera", "aperture", "0");
    sharp = measure_spot (&test);
    node_test_set (&test, "camera", "aperture", "0.8");
    blurred = measure_spot (&test);
    /* The edge of the ball is that of the side it is seen from, in sixteen samples a pixel. */
    assert_near (blurred.sum, sharp.sum, 0.03 * sharp.sum);
    assert_near (blurred.x, sharp.x, 0.02 * radius + 0.02);
    assert_near (blurred.y, sharp.y, 0.02 * radius + 0.02);
    assert_near (blurred.variance_x - sharp.variance_x, radius * radius / 4, 0.01 * radius * radius + 0.02);
    assert_near (blurred.variance_y - sharp.variance_y, radius * radius / 4, 0.01 * radius * radius + 0.02);
  }
  /* A focus of its own, and moments that share the points of the lens: a ball of 1.25 pixels, and the width of a pixel. */
  node_test_set (&test, "ball", "center", "[0, 0, -2]");
  node_test_set (&test, "camera", "focus", "4");
  node_test_set (&test, "s", "blur", "6");
  node_test_set (&test, "s", "lens", "40");
  assert_near (measure_spot (&test).variance_x, 0.25 * (5.0 / 4) * (5.0 / 4) + 1.0 / 12, 0.03);
  node_test_set (&test, "camera", "position", "[0, 0, 0]");
  node_test_set (&test, "camera", "focus", "0");
  node_test_fails (&test, "s.image", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* A set of 1:16, seen by a camera that is told so, gives the same picture, blur and all. */
static void
test_miniature (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) full = KG_VALUE_INIT, model = KG_VALUE_INIT;
  const float *a, *b;

  node_test_add (&test, "render/camera", "camera", "position", "[0.5, 1.6, 6]", "target", "[0, 0.5, 0]", "aperture",
                 "0.3", NULL);
  node_test_add (&test, "geometry/sphere", "ball", NULL);
  node_test_add (&test, "geometry/transform", "set", "geometry", "{\"link\": \"ball.geometry\"}", NULL);
  node_test_add (&test, "render/object", "object", "geometry", "{\"link\": \"set.transformed\"}", NULL);
  node_test_add (&test, "render/scene", "s", "scenes", OBJECT_AND_CAMERA, "width", "80", "height", "60", NULL);
  full = node_test_get (&test, "s.image", 0);
  node_test_set (&test, "camera", "scale", "16");
  node_test_set (&test, "set", "scale", "[0.0625, 0.0625, 0.0625]");
  node_test_set (&test, "camera", "target", "[0, 0.5, 0]");
  model = node_test_get (&test, "s.image", 0);
  a = kg_image_get_pixels (full.image);
  b = kg_image_get_pixels (model.image);
  for (size_t i = 0; i < 4 * 80 * 60; i++)
    assert_near ((double) a[i], (double) b[i], 1e-5);
  {
    g_auto (KgValue) place = node_test_get (&test, "camera.transform", 0);

    assert_near (place.transform->m[1][3], 0.1, 1e-15);
  }
  node_test_clear (&test);
}

/* The light of an image, all pixels together. */
static double
sum_light (const KgValue *value)
{
  double sum = 0;

  for (int i = 0; i < kg_image_get_width (value->image) * kg_image_get_height (value->image); i++)
    sum += (double) kg_image_get_pixels (value->image)[4 * i];
  return sum;
}

/* 55-12: two faces of 0.3, 0.2, 0 at one place are 0.6, 0.4, 0 in any order; what is before them hides them, or dims them where
 * it is glass, and they hide nothing and have no distance. */
static void
test_added_light (void)
{
  static const char *const orders[] = {
    "[{\"link\": \"object.scene\"}, {\"link\": \"second.scene\"}, {\"link\": \"glass.scene\"}, {\"link\": "
    "\"wall.scene\"}, {\"link\": \"camera.scene\"}]",
    "[{\"link\": \"wall.scene\"}, {\"link\": \"glass.scene\"}, {\"link\": \"second.scene\"}, {\"link\": "
    "\"object.scene\"}, {\"link\": \"camera.scene\"}]",
  };
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);

  node_test_set (&test, "object", "color", "[0.3, 0.2, 0, 1]");
  node_test_set (&test, "object", "blend", "\"add\"");
  node_test_add (&test, "render/object", "second", "geometry", "{\"link\": \"grid.geometry\"}", "shading",
                 "\"constant\"", "color", "[0.6, 0.4, 0, 0.5]", "blend", "\"add\"", "translate", "[0, 0, 1]", NULL);
  /* Opaque before the left quarter, glass before the right one. */
  node_test_add (&test, "render/object", "wall", "geometry", "{\"link\": \"grid.geometry\"}", "shading", "\"constant\"",
                 "color", "[0, 0, 1, 1]", "translate", "[-1.5, 0, 2]", NULL);
  node_test_add (&test, "render/object", "glass", "geometry", "{\"link\": \"grid.geometry\"}", "shading",
                 "\"constant\"", "color", "[0, 0, 0.8, 0.25]", "translate", "[1.5, 0, 2]", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "s", "scenes", orders[i]);
    value = node_test_get (&test, "s.image", 0);
    assert_near ((double) pixel (&value, 50, 50)[0], 0.6, 1e-6);
    assert_near ((double) pixel (&value, 50, 50)[1], 0.4, 1e-6);
    assert_near ((double) pixel (&value, 50, 50)[2], 0, 0);
    assert_near ((double) pixel (&value, 50, 50)[3], 1, 1e-6);
    g_assert_true (isinf (depth (&value, 50, 50)));
    assert_near ((double) pixel (&value, 30, 50)[0], 0, 0);
    assert_near ((double) pixel (&value, 30, 50)[2], 1, 1e-6);
    assert_near ((double) pixel (&value, 70, 50)[0], 0.75 * 0.6, 1e-6);
    assert_near ((double) pixel (&value, 70, 50)[2], 0.2, 1e-6);
  }
  {
    g_auto (KgValue) screen = KG_VALUE_INIT, most = KG_VALUE_INIT;

    node_test_set (&test, "object", "blend", "\"screen\"");
    node_test_set (&test, "second", "blend", "\"screen\"");
    screen = node_test_get (&test, "s.image", 0);
    assert_near ((double) pixel (&screen, 50, 50)[0], 0.3 + 0.7 * 0.3, 1e-6);
    node_test_set (&test, "object", "blend", "\"max\"");
    node_test_set (&test, "second", "blend", "\"max\"");
    most = node_test_get (&test, "s.image", 0);
    assert_near ((double) pixel (&most, 50, 50)[0], 0.3, 1e-6);
  }
  node_test_clear (&test);
}

/* 55-12: a point of light smaller than a pixel has the light of its area wherever it is, with any antialiasing; larger ones
 * go on from there. */
static void
test_small_light (void)
{
  static const char *const antialias[] = { "\"1\"", "\"2\"", "\"4\"" };
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  const double unit = 25;

  node_test_add (&test, "geometry/grid", "place", "size", "[1e-6, 1e-6, 0]", NULL);
  node_test_add (&test, "geometry/scatter", "point", "geometry", "{\"link\": \"place.geometry\"}", "count", "1", NULL);
  node_test_set (&test, "object", "geometry", "{\"link\": \"point.points\"}");
  node_test_set (&test, "object", "color", "[0.8, 0.5, 0.2, 1]");
  node_test_set (&test, "object", "blend", "\"add\"");
  for (guint a = 0; a < G_N_ELEMENTS (antialias); a++) {
    node_test_set (&test, "s", "antialias", antialias[a]);
    for (int k = 0; k < 40; k++) {
      const double diameter = 0.05 + 0.025 * k;
      g_autofree char *place = g_strdup_printf ("[%.9g, %.9g, 0]", 0.2137 * k / unit, -0.377 * k / unit);
      g_auto (KgValue) value = KG_VALUE_INIT;

      node_test_set (&test, "object", "translate", place);
      node_test_set_number (&test, "object", "width", diameter / unit);
      value = node_test_get (&test, "s.image", 0);
      assert_near (sum_light (&value) / (0.8 * KG_PI / 4 * diameter * diameter), 1, 1e-5);
    }
  }
  /* Four samples an axis know a large one to a few percent. */
  {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set_number (&test, "object", "width", 6 / unit);
    value = node_test_get (&test, "s.image", 0);
    assert_near (sum_light (&value) / (0.8 * KG_PI / 4 * 36), 1, 0.03);
  }
  /* Behind a wall there is none. */
  node_test_set_number (&test, "object", "width", 0.5 / unit);
  node_test_add (&test, "render/object", "other", "geometry", "{\"link\": \"grid.geometry\"}", "shading",
                 "\"constant\"", "color", "[0, 1, 0, 1]", "translate", "[0, 0, 1]", NULL);
  node_test_set (&test, "s", "scenes", OTHER_TOO);
  {
    g_auto (KgValue) value = node_test_get (&test, "s.image", 0);

    assert_near (sum_light (&value), 0, 0);
  }
  node_test_clear (&test);
}

/* 55-12: many points of light, in any order and with any number of threads: the same picture. */
static void
test_order_of_light (void)
{
  NodeTest test = make_flat_scene (OBJECT_AND_CAMERA);
  const int threads = omp_get_max_threads ();
  g_auto (KgValue) one = KG_VALUE_INIT, other = KG_VALUE_INIT, alone = KG_VALUE_INIT;

  node_test_add (&test, "geometry/scatter", "dust", "geometry", "{\"link\": \"grid.geometry\"}", "count", "20000",
                 NULL);
  node_test_add (&test, "geometry/sort", "mixed", "geometry", "{\"link\": \"dust.points\"}", "by", "\"random\"", NULL);
  node_test_set (&test, "object", "geometry", "{\"link\": \"dust.points\"}");
  node_test_set (&test, "object", "blend", "\"add\"");
  node_test_set (&test, "object", "width", "0.01");
  node_test_set (&test, "object", "color", "[0.5, 0.25, 0.125, 0.5]");
  one = node_test_get (&test, "s.image", 0);
  omp_set_num_threads (1);
  node_test_set (&test, "s", "height", "101");
  node_test_set (&test, "s", "height", "100");
  alone = node_test_get (&test, "s.image", 0);
  omp_set_num_threads (threads);
  g_assert_true (kg_value_equal (&one, &alone));
  node_test_set (&test, "object", "geometry", "{\"link\": \"mixed.sorted\"}");
  other = node_test_get (&test, "s.image", 0);
  for (int y = 0; y < 100; y++)
    for (int x = 0; x < 100; x++)
      for (int c = 0; c < 4; c++)
        assert_near ((double) pixel (&other, x, y)[c], (double) pixel (&one, x, y)[c], 1e-5);
  assert_near (sum_light (&one), 20000 * 0.25 * KG_PI * 0.125 * 0.125, 1e-3 * sum_light (&one));
  node_test_clear (&test);
}

static bool
warns_of_inside (NodeTest *test)
{
  g_auto (KgValue) image = node_test_get (test, "s.image", 0);
  g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test->evaluator, kg_graph_find (test->graph, "s"));
  g_autofree char *all = warnings != NULL ? g_strjoinv ("\n", warnings) : g_strdup ("");

  return strstr (all, "is inside") != NULL;
}

/* 20-004: a camera in a thing is told so, and in which; not one beside it, in front of a dent, in a room, or in glass. */
static void
test_camera_inside (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "low", "size", "[2, 2, 2]", "center", "[1, 0, 0]", NULL);
  node_test_add (&test, "geometry/box", "tall", "size", "[2, 6, 2]", "center", "[-1, 2, 0]", NULL);
  node_test_add (&test, "geometry/merge", "both", "geometries",
                 "[{\"link\": \"low.geometry\"}, {\"link\": \"tall.geometry\"}]", NULL);
  node_test_add (&test, "geometry/sphere", "ball", "center", "[9, 0, 0]", NULL);
  node_test_add (&test, "render/object", "steps", "geometry", "{\"link\": \"both.geometry\"}", NULL);
  node_test_add (&test, "render/object", "other", "geometry", "{\"link\": \"ball.geometry\"}", NULL);
  node_test_add (&test, "render/camera", "camera", "position", "[1, 0.5, 0.2]", "target", "[9, 0, 0]", NULL);
  node_test_add (&test, "render/scene", "s", "scenes",
                 "[{\"link\": \"other.scene\"}, {\"link\": \"steps.scene\"}, {\"link\": \"camera.scene\"}]", "width",
                 "16", "height", "12", NULL);
  node_test_warns (&test, "s.image", "object 1 of item 2");
  /* In the box around both, above the lower one. */
  node_test_set (&test, "camera", "position", "[1, 3, 0]");
  g_assert_false (warns_of_inside (&test));
  node_test_set (&test, "camera", "position", "[-1, 3, 0]");
  g_assert_true (warns_of_inside (&test));
  node_test_set (&test, "camera", "orthographic", "true");
  g_assert_false (warns_of_inside (&test));
  node_test_set (&test, "camera", "orthographic", "false");
  node_test_set (&test, "steps", "color", "[1, 1, 1, 0.5]");
  g_assert_false (warns_of_inside (&test));
  node_test_set (&test, "steps", "color", "[1, 1, 1, 1]");
  /* Another thing stands in it: a room. */
  node_test_set (&test, "ball", "center", "[-1, 3.5, 0]");
  node_test_set (&test, "ball", "radius", "0.4");
  g_assert_false (warns_of_inside (&test));
  /* A set that is moved and made smaller takes its inside along. */
  node_test_set (&test, "ball", "center", "[90, 0, 0]");
  node_test_add (&test, "geometry/line", "row", "start", "[0, 0, 0]", "end", "[40, 0, 0]", "points", "3", NULL);
  node_test_set (&test, "camera", "position", "[19, 3, 0]");
  g_assert_false (warns_of_inside (&test));
  node_test_set (&test, "steps", "instances", "{\"link\": \"row.geometry\"}");
  g_assert_true (warns_of_inside (&test));
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/blur/without-camera", test_blur_without_camera);
  g_test_add_func ("/render/20-004-lens", test_lens);
  g_test_add_func ("/render/20-004-miniature", test_miniature);
  g_test_add_func ("/render/20-004-camera-inside", test_camera_inside);
  g_test_add_func ("/render/standard-camera", test_standard_camera);
  g_test_add_func ("/render/blur/depth", test_blur_depth);
  g_test_add_func ("/render/over/depth", test_over_depth);
  g_test_add_func ("/render/light/falloff", test_light_falloff);
  g_test_add_func ("/render/light/limits", test_light_limits);
  g_test_add_func ("/render/transparent/order", test_transparent_order);
  g_test_add_func ("/render/transparent/crossing", test_transparent_crossing);
  g_test_add_func ("/render/transparent/many", test_transparent_many);
  g_test_add_func ("/render/55-12-added-light", test_added_light);
  g_test_add_func ("/render/55-12-small-light", test_small_light);
  g_test_add_func ("/render/55-12-order-of-light", test_order_of_light);
  g_test_add_func ("/render/many-corners", test_many_corners);
  g_test_add_func ("/render/letters/holes", test_letter_holes);
  g_test_add_func ("/render/letters/board", test_letters_on_board);
  g_test_add_func ("/render/bad/spline", test_bad_spline);
  g_test_add_func ("/render/bad/far", test_far_primitive);
  g_test_add_func ("/render/clipped-light", test_clipped_light);
  g_test_add_func ("/render/ribbon", test_ribbon);
  g_test_add_func ("/render/varying-width", test_varying_width);
  g_test_add_func ("/render/disc", test_disc);
  g_test_add_func ("/render/wires", test_wires);
  g_test_add_func ("/render/threads", test_threads);
  g_test_add_func ("/render/instances/55-29-like-copies", test_instances);
  g_test_add_func ("/render/instances/55-29-many", test_many_instances);
  g_test_add_func ("/render/instances/55-29-variants", test_variants);
  g_test_add_func ("/render/instances/55-29-colors", test_instance_colors);
  return g_test_run ();
}

/* tests/nodes/render: what pictures of scenes show, and what stands in the depth plane.
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

/* Two squares, 2 m wide at 5 m and 4 m wide at 3 m, in either order, whole and half opaque; and a picture without depth. */
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/blur/without-camera", test_blur_without_camera);
  g_test_add_func ("/render/blur/depth", test_blur_depth);
  g_test_add_func ("/render/over/depth", test_over_depth);
  g_test_add_func ("/render/light/falloff", test_light_falloff);
  g_test_add_func ("/render/light/limits", test_light_limits);
  return g_test_run ();
}

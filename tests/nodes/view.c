/* tests/nodes/view: what a camera sees, as a node.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

static void
test_point_and_ray (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "render/camera", "c", "position", "[0, 0, 4]", "fov", "53.13010235415598", "near", "1", "far",
                 "10", NULL);
  node_test_add (&test, "render/view", "v", "scene", "{\"link\": \"c.scene\"}", "width", "200", "height", "100",
                 "point", "[1, 0.5, 2]", NULL);
  /* Half an angle has the tangent ½: at 2 m the window reaches ±1 up and ±2 across. */
  assert_vector_near (node_test_vector (&test, "v.eye", 0), 1, 0.5, 2, 1e-12);
  assert_vector_near (node_test_vector (&test, "v.image", 0), 0.5, 0.5, 5.0 / 9, 1e-12);
  assert_vector_near (node_test_vector (&test, "v.screen", 0), 150, 25, 5.0 / 9, 1e-10);
  g_assert_true (node_test_number (&test, "v.visible", 0) != 0);
  node_test_set (&test, "v", "pixel", "[150, 25, 0]");
  {
    const KgVector d = node_test_vector (&test, "v.direction", 0), o = node_test_vector (&test, "v.origin", 0);

    assert_vector_near (o, 0, 0, 4, 1e-12);
    assert_vector_near (kg_vector_scale (d, 2 / -d.z), 1, 0.5, -2, 1e-12);
  }
  node_test_set (&test, "v", "point", "[0, 0, 5]");
  node_test_warns (&test, "v.image", "not in front of the eye");
  node_test_set (&test, "v", "camera", "1");
  node_test_fails_saying (&test, "v.image", 0, "has 1 cameras");
  node_test_set (&test, "v", "camera", "0");
  node_test_set (&test, "v", "column", "1");
  node_test_fails_saying (&test, "v.image", 0, "no tile 1, 0");
  node_test_clear (&test);
}

/* The renderer and the node agree: what is drawn of a small thing is where the node says. */
static void
test_as_rendered (void)
{
  NodeTest test = node_test_new ();
  KgVector wanted;
  double x = 0, y = 0, sum = 0;

  node_test_add (&test, "render/camera", "c", "position", "[3, 2, 5]", "target", "[0.3, 0.4, 0]", "roll", "20", NULL);
  node_test_add (&test, "geometry/sphere", "s", "radius", "0.05", "center", "[0.7, -0.2, 0.4]", NULL);
  node_test_add (&test, "render/object", "o", "geometry", "{\"link\": \"s.geometry\"}", "shading", "\"constant\"",
                 NULL);
  node_test_add (&test, "render/scene", "r", "scenes", "[{\"link\": \"c.scene\"}, {\"link\": \"o.scene\"}]", "width",
                 "320", "height", "180", "background", "[0, 0, 0, 0]", NULL);
  node_test_add (&test, "render/view", "v", "scene", "{\"link\": \"c.scene\"}", "width", "320", "height", "180",
                 "point", "[0.7, -0.2, 0.4]", NULL);
  wanted = node_test_vector (&test, "v.screen", 0);
  {
    g_auto (KgValue) value = node_test_get (&test, "r.image", 0);
    const float *pixels = kg_image_get_pixels (value.image);

    for (int j = 0; j < 180; j++)
      for (int i = 0; i < 320; i++) {
        const double a = (double) pixels[4 * (320 * j + i) + 3];

        x += a * (i + 0.5);
        y += a * (j + 0.5);
        sum += a;
      }
  }
  assert_near (x / sum, wanted.x, 0.2);
  assert_near (y / sum, wanted.y, 0.2);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/view/P2-05-P2-09-point-and-ray", test_point_and_ray);
  g_test_add_func ("/render/view/P2-07-as-rendered", test_as_rendered);
  return g_test_run ();
}

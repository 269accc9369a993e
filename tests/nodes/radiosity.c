/* tests/nodes/radiosity: the node render/radiosity: its inputs, errors and warnings, and what render/object makes of the result.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

/* A closed room all of whose faces emit 0.125 and look inwards: a box, mirrored. */
static NodeTest
new_room (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "box", "size", "[2, 1, 1]", NULL);
  node_test_add (&test, "geometry/transform", "turned", "geometry", "{\"link\": \"box.geometry\"}", "scale",
                 "[-1, 1, 1]", NULL);
  node_test_add (&test, "geometry/attribute", "lamp", "geometry", "{\"link\": \"turned.transformed\"}", "name",
                 "\"emission\"", "domain", "\"primitives\"", "number", "0.125", NULL);
  node_test_add (&test, "render/radiosity", "r", "geometry", "{\"link\": \"lamp.set\"}", "patch_size", "0.5",
                 "tolerance", "1e-7", "rays", "64", "reflectance", "0.5", NULL);
  return test;
}

/* The light of all points. */
static void
assert_light (NodeTest *test, double light)
{
  g_auto (KgValue) value = node_test_get (test, "r.lit", 0);
  const float *color = kg_geometry_get_float (value.geometry, KG_POINTS, "Cd", 3);

  g_assert_nonnull (color);
  for (size_t i = 0; i < 3 * kg_geometry_get_n_points (value.geometry); i++)
    assert_near ((double) color[i], light, 1e-5 * light);
}

static size_t
count_faces (NodeTest *test)
{
  g_auto (KgValue) value = node_test_get (test, "r.lit", 0);

  return kg_geometry_get_n_primitives (value.geometry);
}

/* 20-047, 20-059: in a closed room the light is E / (1 - rho), however it is computed. */
static void
test_inputs (void)
{
  NodeTest test = new_room ();

  assert_light (&test, 0.25);
  g_assert_cmpfloat (node_test_number (&test, "r.patches", 0), ==, 40);
  g_assert_cmpuint (count_faces (&test), ==, 40);
  node_test_is_quiet (&test, "r.lit", 0);
  node_test_set (&test, "r", "elements", "3");
  assert_light (&test, 0.25);
  g_assert_cmpfloat (node_test_number (&test, "r.patches", 0), ==, 40);
  g_assert_cmpuint (count_faces (&test), ==, 360);
  node_test_set (&test, "r", "elements", "1");
  node_test_set (&test, "r", "patch_size", "0.25");
  g_assert_cmpfloat (node_test_number (&test, "r.patches", 0), ==, 160);
  node_test_set (&test, "r", "patch_size", "0.5");
  node_test_set (&test, "r", "reflectance", "0.75");
  assert_light (&test, 0.5);
  node_test_set (&test, "r", "factors", "\"hemicube\"");
  node_test_set (&test, "r", "hemicube", "16");
  assert_light (&test, 0.5);
  node_test_warns (&test, "r.lit", "pairs of patches are nearer to each other than their size");
  node_test_set (&test, "r", "surfaces", "\"directional\"");
  assert_light (&test, 0.5);
  node_test_set (&test, "r", "lobe", "\"cook_torrance\"");
  node_test_set (&test, "r", "bins", "6");
  node_test_set (&test, "r", "gloss", "1");
  node_test_set (&test, "r", "shine", "30");
  node_test_set (&test, "r", "index", "1.3");
  node_test_set (&test, "r", "eye", "[0.4, 0.1, 0.2]");
  assert_light (&test, 0.5);
  node_test_is_quiet (&test, "r.lit", 0);
  node_test_clear (&test);
}

/* 20-047: where some faces have a colour or light of points and some of primitives, those of points do not count, which is said. */
static void
test_two_places (void)
{
  NodeTest test = new_room ();

  node_test_add (&test, "geometry/attribute", "far", "geometry", "{\"link\": \"turned.transformed\"}", "name",
                 "\"emission\"", "domain", "\"points\"", "number", "2", NULL);
  node_test_add (&test, "geometry/merge", "both", "geometries", "[{\"link\": \"lamp.set\"}, {\"link\": \"far.set\"}]",
                 NULL);
  node_test_set (&test, "r", "geometry", "{\"link\": \"both.geometry\"}");
  node_test_warns (
      &test, "r.lit",
      "both primitives and points have the attribute emission: only that of primitives counts; remove one of "
      "them");
  node_test_set (&test, "far", "name", "\"shine\"");
  node_test_set (&test, "lamp", "name", "\"shine\"");
  node_test_warns (&test, "r.lit", "there is no light");
  /* From outside. */
  node_test_set (&test, "turned", "scale", "[1, 1, 1]");
  node_test_set (&test, "r", "background", "[1, 1, 1, 1]");
  node_test_is_quiet (&test, "r.lit", 0);
  node_test_set (&test, "r", "surfaces", "\"directional\"");
  node_test_warns (&test, "r.lit", "primitives and points have the attribute shine");
  node_test_set (&test, "far", "domain", "\"primitives\"");
  node_test_is_quiet (&test, "r.lit", 0);
  node_test_clear (&test);
}

/* 20-059: shine that faces have is limited, as the input is: whatever it is, a closed room has the light E / (1 - rho). */
static void
test_shine (void)
{
  static const char *const shines[] = { "1000", "1e30" };

  for (size_t i = 0; i < G_N_ELEMENTS (shines); i++)
    for (int lobe = 0; lobe < 2; lobe++) {
      NodeTest test = new_room ();

      node_test_add (&test, "geometry/attribute", "shiny", "geometry", "{\"link\": \"lamp.set\"}", "name", "\"shine\"",
                     "domain", "\"primitives\"", "number", shines[i], NULL);
      node_test_set (&test, "r", "geometry", "{\"link\": \"shiny.set\"}");
      node_test_set (&test, "r", "surfaces", "\"directional\"");
      node_test_set (&test, "r", "lobe", lobe == 0 ? "\"phong\"" : "\"cook_torrance\"");
      node_test_set (&test, "r", "bins", "4");
      node_test_set (&test, "r", "gloss", "1");
      node_test_set (&test, "r", "eye", "[0.31, 0.12, 0.23]");
      assert_light (&test, 0.25);
      if (i == 0)
        node_test_is_quiet (&test, "r.lit", 0);
      else
        node_test_warns (&test, "r.lit", "the attribute shine is up to 1e+30, more than 1000: 1000 is used");
      node_test_set (&test, "r", "surfaces", "\"diffuse\"");
      node_test_is_quiet (&test, "r.lit", 0);
      node_test_clear (&test);
    }
}

/* 20-047: outwards a convex box sees only the background; inside of it, both sides do not. */
static void
test_outside (void)
{
  NodeTest test = new_room ();
  size_t n;

  node_test_set (&test, "turned", "scale", "[1, 1, 1]");
  node_test_set (&test, "r", "background", "[0.5, 0.5, 0.5, 1]");
  assert_light (&test, 0.125 + 0.5 * 0.5);
  n = count_faces (&test);
  node_test_set (&test, "r", "sides", "\"both\"");
  g_assert_cmpuint (count_faces (&test), ==, 2 * n);
  {
    g_auto (KgValue) value = node_test_get (&test, "r.lit", 0);
    const float *color = kg_geometry_get_float (value.geometry, KG_POINTS, "Cd", 3);
    size_t n_bright = 0, n_dark = 0;

    for (size_t i = 0; i < kg_geometry_get_n_points (value.geometry); i++) {
      n_bright += fabs ((double) color[3 * i] - 0.375) < 1e-5;
      n_dark += fabs ((double) color[3 * i] - 0.25) < 1e-5;
    }
    g_assert_cmpuint (n_bright, ==, n_dark);
    g_assert_cmpuint (n_bright + n_dark, ==, kg_geometry_get_n_points (value.geometry));
  }
  node_test_clear (&test);
}

/* 20-047, 20-059: the seed changes the noise, and nothing without rays. */
static void
test_seed (void)
{
  NodeTest test = new_room ();

  node_test_set (&test, "lamp", "domain", "\"points\"");
  node_test_set (&test, "lamp", "kind", "\"index\"");
  node_test_add (&test, "field/formula", "f", "formula", "\"x + 1\"", NULL);
  node_test_set (&test, "lamp", "kind", "\"field\"");
  node_test_set (&test, "lamp", "field", "{\"link\": \"f.field\"}");
  {
    g_auto (KgValue) one = node_test_get (&test, "r.lit", 0);

    node_test_set (&test, "r", "seed", "2");
    {
      g_auto (KgValue) two = node_test_get (&test, "r.lit", 0);

      g_assert_false (kg_geometry_equal (one.geometry, two.geometry));
    }
    node_test_set (&test, "r", "seed", "1");
    {
      g_auto (KgValue) again = node_test_get (&test, "r.lit", 0);

      g_assert_true (kg_geometry_equal (one.geometry, again.geometry));
    }
  }
  node_test_clear (&test);
}

static void
test_errors (void)
{
  NodeTest test = new_room ();

  node_test_set (&test, "r", "factors", "\"hemicube\"");
  node_test_set (&test, "r", "hemicube", "17");
  node_test_fails_saying (&test, "r.lit", 0, "hemicube is 17, but a hemicube needs an even number: use 18");
  node_test_set (&test, "r", "surfaces", "\"directional\"");
  node_test_set (&test, "r", "bins", "7");
  node_test_fails_saying (&test, "r.lit", 0, "bins is 7, but a hemicube needs an even number: use 8");
  node_test_set (&test, "r", "surfaces", "\"diffuse\"");
  node_test_set (&test, "r", "factors", "\"rays\"");
  node_test_set (&test, "r", "reflectance", "1");
  node_test_fails_saying (&test, "r.lit", 0, "primitive 0 reflects 1 of the light, which hardly ever ends");
  node_test_set (&test, "r", "reflectance", "0.5");
  node_test_set (&test, "lamp", "number", "0");
  node_test_warns (&test, "r.lit", "there is no light");
  for (int directional = 0; directional < 2; directional++) {
    node_test_set (&test, "r", "surfaces", directional ? "\"directional\"" : "\"diffuse\"");
    node_test_set (&test, "r", "bins", "4");
    node_test_set (&test, "r", "background", "[1, 1, 1, 1]");
    node_test_warns (&test, "r.lit", "no face scatters light of the background: open the scene towards it");
    node_test_set (&test, "r", "sides", "\"both\"");
    node_test_is_quiet (&test, "r.lit", 0);
    node_test_set (&test, "r", "sides", "\"front\"");
    node_test_set (&test, "r", "background", "[0, 0, 0, 1]");
    node_test_warns (&test, "r.lit", "there is no light");
  }
  node_test_add (&test, "geometry/merge", "nothing", NULL);
  node_test_set (&test, "r", "geometry", "{\"link\": \"nothing.geometry\"}");
  node_test_fails_saying (&test, "r.lit", 0, "none of the 0 primitives is a polygon with an area: link a mesh");
  node_test_clear (&test);
}

/* 20-047: an object with constant shading shows the light as it is. */
static void
test_picture (void)
{
  NodeTest test = new_room ();

  node_test_add (&test, "render/object", "o", "geometry", "{\"link\": \"r.lit\"}", "color", "[1, 1, 1, 1]", "shading",
                 "\"constant\"", NULL);
  node_test_add (&test, "render/camera", "c", "position", "[0, 0, 0.1]", "target", "[0, 0, -1]", NULL);
  node_test_add (&test, "render/scene", "s", "scenes", "[{\"link\": \"o.scene\"}, {\"link\": \"c.scene\"}]", "width",
                 "32", "height", "18", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "s.image", 0);

    const float *pixels = kg_image_get_pixels (value.image);

    g_assert_cmpint (kg_image_get_width (value.image), ==, 32);
    for (int i = 0; i < 32 * 18; i++) {
      for (int c = 0; c < 3; c++)
        assert_near ((double) pixels[4 * i + c], 0.25, 1e-4);
      assert_near ((double) pixels[4 * i + 3], 1, 1e-6);
    }
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nodes/radiosity/20-047-20-059-inputs", test_inputs);
  g_test_add_func ("/nodes/radiosity/20-047-two-places", test_two_places);
  g_test_add_func ("/nodes/radiosity/20-059-shine", test_shine);
  g_test_add_func ("/nodes/radiosity/20-047-outside", test_outside);
  g_test_add_func ("/nodes/radiosity/20-047-seed", test_seed);
  g_test_add_func ("/nodes/radiosity/20-047-20-059-errors", test_errors);
  g_test_add_func ("/nodes/radiosity/20-047-picture", test_picture);
  return g_test_run ();
}

/* tests/nodes/soft: soft objects, implicit bodies and their surfaces as nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

/* keys → object → skin, with a table of keys. */
static NodeTest
soft_test_new (const char *keys, const char *as)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "keys", "table", keys, "as", as, NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"keys.keys\"}]", NULL);
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"object.field\"}", "cell", "0.05", NULL);
  return test;
}

/* A key of radius r alone is a ball of that radius, whatever the density and the level. */
static void
test_size (void)
{
  static const char *const densities[] = { "wyvill", "smooth", "quadratic", "metaball", "quartic", "cubic", "gauss" };
  static const char *const levels[] = { "0.5", "0.25" };
  NodeTest test = soft_test_new ("[[0, 0, 0, 0.5, 0.5, 0.5]]", "\"body\"");
  const double volume = 4 * G_PI / 3 * 0.125;

  for (size_t d = 0; d < G_N_ELEMENTS (densities); d++)
    for (size_t l = 0; l < G_N_ELEMENTS (levels); l++) {
      g_autofree char *density = g_strdup_printf ("\"%s\"", densities[d]);

      node_test_set (&test, "object", "density", density);
      node_test_set (&test, "object", "level", levels[l]);
      assert_near (node_test_number (&test, "skin.volume", 0), volume, 0.01 * volume);
      g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), ==, 1);
      g_assert_cmpfloat (node_test_number (&test, "skin.euler", 0), ==, 2);
    }
  node_test_clear (&test);
}

/* Points on the edges of a grid are off a ball by the square of the cell, and make one closed surface. */
static void
test_sampled (void)
{
  static const char *const cells[] = { "0.1", "0.05" };
  NodeTest test = soft_test_new ("[[0, 0, 0, 0.5, 0.5, 0.5]]", "\"body\"");
  double worst[2] = { 0, 0 };

  node_test_set (&test, "skin", "exact", "false");
  for (int c = 0; c < 2; c++) {
    node_test_set (&test, "skin", "cell", cells[c]);
    g_assert_cmpfloat (node_test_number (&test, "skin.euler", 0), ==, 2);
    {
      g_auto (KgValue) skin = node_test_get (&test, "skin.geometry", 0);
      const float *p = kg_geometry_get_positions (skin.geometry);

      for (size_t i = 0; i < kg_geometry_get_n_points (skin.geometry); i++, p += 3)
        worst[c] = MAX (worst[c], fabs (hypot (hypot ((double) p[0], (double) p[1]), (double) p[2]) - 0.5));
    }
  }
  g_assert_cmpfloat (worst[0], <, 0.1 * 0.1);
  g_assert_cmpfloat (worst[1], <, 0.4 * worst[0]);
  node_test_clear (&test);
}

/* The counts of the ball of radius ½ in cells of 0.11. */
static void
test_counts (void)
{
  NodeTest test = soft_test_new ("[[0, 0, 0, 1, 1, 1]]", "\"influence\"");

  node_test_set (&test, "skin", "cell", "0.11");
  node_test_set (&test, "skin", "exact", "false");
  g_assert_cmpfloat (node_test_number (&test, "skin.cubes", 0), ==, 416);
  assert_near (node_test_number (&test, "skin.area", 0), G_PI * (1 - 0.01517), 1e-4);
  node_test_set (&test, "skin", "method", "\"full\"");
  g_assert_cmpfloat (node_test_number (&test, "skin.cubes", 0), ==, 416);
  node_test_set (&test, "skin", "surface", "\"boxes\"");
  g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), ==, 2);
  node_test_clear (&test);
}

/* Two balls of influence 2 merge when they come nearer than 2.6598995. */
static void
test_merging (void)
{
  NodeTest test = soft_test_new ("[[-1.35, 0, 0, 2, 2, 2], [1.35, 0, 0, 2, 2, 2]]", "\"influence\"");

  g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), ==, 2);
  node_test_set (&test, "keys", "table", "[[-1.3, 0, 0, 2, 2, 2], [1.3, 0, 0, 2, 2, 2]]");
  g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), ==, 1);
  node_test_clear (&test);
}

/* A large ball and a small one: octrees give the mesh of the full lattice, adaptive ones a lighter one of the same body; what
 * does not apply is refused. */
static void
test_adaptive (void)
{
  NodeTest test = soft_test_new ("[[0, 0, 0, 1, 1, 1], [1.3, 0, 0, 0.1, 0.1, 0.1]]", "\"body\"");
  double full, volume;

  node_test_set (&test, "skin", "method", "\"full\"");
  full = node_test_number (&test, "skin.cubes", 0);
  volume = node_test_number (&test, "skin.volume", 0);
  node_test_set (&test, "skin", "method", "\"octree\"");
  g_assert_cmpfloat (node_test_number (&test, "skin.cubes", 0), ==, full);
  g_assert_cmpfloat (node_test_number (&test, "skin.volume", 0), ==, volume);
  node_test_set (&test, "skin", "method", "\"adaptive\"");
  node_test_set (&test, "skin", "angle", "20");
  g_assert_cmpfloat (node_test_number (&test, "skin.cubes", 0), <, 0.5 * full);
  g_assert_cmpfloat (node_test_number (&test, "skin.euler", 0), ==, 4);
  assert_near (node_test_number (&test, "skin.volume", 0), volume, 0.02 * volume);
  node_test_set (&test, "skin", "angle", "180");
  node_test_set (&test, "skin", "error", "0.0001");
  assert_near (node_test_number (&test, "skin.volume", 0), volume, 0.002 * volume);
  node_test_set (&test, "skin", "ambiguity", "\"tetrahedra\"");
  node_test_fails_saying (&test, "skin.volume", 0, "tetrahedra need cells of one size");
  node_test_clear (&test);
}

/* Rays down a row of points onto a ball, and out of its centre along normals; what has no direction is refused. */
static void
test_ray (void)
{
  NodeTest test = soft_test_new ("[[0, 0, 0, 1, 1, 1]]", "\"body\"");

  node_test_add (&test, "geometry/line", "line", "start", "[-1.5, 2, 0]", "end", "[1.5, 2, 0]", "points", "6", NULL);
  node_test_add (&test, "soft/ray", "ray", "samples", "{\"link\": \"line.geometry\"}", "field",
                 "{\"link\": \"object.field\"}", "move", "true", NULL);
  g_assert_cmpfloat (node_test_number (&test, "ray.count", 0), ==, 4);
  assert_near (node_test_number (&test, "ray.nearest", 0), 2 - sqrt (1 - 0.09), 1e-6);
  /* The length of the direction does not matter, whatever it is. */
  for (guint i = 0; i < 3; i++) {
    static const char *const directions[] = { "[0, -1e300, 0]", "[0, -1e-300, 0]", "[0, -1, 0]" };

    node_test_set (&test, "ray", "direction", directions[i]);
    assert_near (node_test_number (&test, "ray.nearest", 0), 2 - sqrt (1 - 0.09), 1e-6);
  }
  {
    g_auto (KgValue) value = node_test_get (&test, "ray.geometry", 0);
    const float *p = kg_geometry_get_positions (value.geometry),
                *n = kg_geometry_get_float (value.geometry, KG_POINTS, "N", 3);

    assert_near ((double) p[1], 2, 1e-6);
    assert_near ((double) p[3 * 1 + 1], sqrt (1 - 0.81), 1e-6);
    assert_near ((double) n[3 * 1], -0.9, 1e-5);
    assert_near ((double) kg_geometry_get_float (value.geometry, KG_POINTS, "thickness", 1)[2], 2 * sqrt (1 - 0.09),
                 1e-6);
    assert_near ((double) kg_geometry_get_float (value.geometry, KG_POINTS, "distance", 1)[0], -1, 0);
  }
  node_test_set (&test, "ray", "direction", "[0, 0, 0]");
  node_test_fails_saying (&test, "ray.count", 0, "the direction is zero");
  node_test_set (&test, "ray", "directions", "\"normals\"");
  node_test_fails_saying (&test, "ray.count", 0, "no attribute N");
  node_test_clear (&test);
}

/* Four keys in the middle of equal parts, and from end to end. */
static void
test_along (void)
{
  static const float centred[] = { 0.125f, 0.375f, 0.625f, 0.875f }, inclusive[] = { 0, 1 / 3.0f, 2 / 3.0f, 1 };
  const float *const wanted[] = { centred, inclusive };
  static const char *const ends[] = { "\"centred\"", "\"inclusive\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "line", "start", "[0, 0, 0]", "end", "[0.5, 0, 0.25]", "points", "2", NULL);
  node_test_add (&test, "soft/keys", "keys", "table", "[]", "along", "{\"link\": \"line.geometry\"}", NULL);
  for (int e = 0; e < 2; e++) {
    node_test_set (&test, "keys", "ends", ends[e]);
    {
      g_auto (KgValue) value = node_test_get (&test, "keys.keys", 0);
      const float *p = kg_geometry_get_positions (value.geometry);

      g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 4);
      for (int i = 0; i < 4; i++) {
        assert_near ((double) p[3 * i], 0.5 * (double) wanted[e][i], 1e-6);
        assert_near ((double) p[3 * i + 2], 0.25 * (double) wanted[e][i], 1e-6);
      }
    }
  }
  node_test_clear (&test);
}

static void
assert_place (NodeTest *test, size_t key, double x, double y, double z)
{
  g_auto (KgValue) value = node_test_get (test, "keys.keys", 0);
  const float *p = kg_geometry_get_positions (value.geometry) + 3 * key;

  g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), >, key);
  assert_near ((double) p[0], x, 1e-6);
  assert_near ((double) p[1], y, 1e-6);
  assert_near ((double) p[2], z, 1e-6);
}

/* A forearm of 0.355 m from the elbow at 0.3 m: the key of the hand keeps its place in it at every angle, also where the line
 * is drawn longer or has no length. */
static void
test_binding (void)
{
  static const struct {
    const char *end;
    double x, y;
  } hands[] = { { "[0.655, 0, 0]", 0.655, 0 },
                { "[0.5510229, 0.2510229, 0]", 0.5510229, 0.2510229 },
                { "[0.3, 0.355, 0]", 0.3, 0.355 },
                { "[0.3, 0.9, 0]", 0.3, 0.355 },
                { "[0.3, 0, 0]", 0.3, 0 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "rest", "start", "[0.3, 0, 0]", "end", "[0.655, 0, 0]", "points", "2", NULL);
  node_test_add (&test, "geometry/line", "line", "start", "[0.3, 0, 0]", "points", "2", NULL);
  node_test_add (&test, "soft/keys", "keys", "along", "{\"link\": \"line.geometry\"}", "rest",
                 "{\"link\": \"rest.geometry\"}", "ends", "\"inclusive\"", "spacing", "0.11", "size", "[0.1, 0.1, 0.1]",
                 NULL);
  for (size_t h = 0; h < G_N_ELEMENTS (hands); h++) {
    node_test_set (&test, "line", "end", hands[h].end);
    g_assert_cmpfloat (node_test_number (&test, "keys.count", 0), ==, 3);
    assert_place (&test, 0, 0.3, 0, 0);
    assert_place (&test, 2, hands[h].x, hands[h].y, 0);
  }
  /* Without the lines at rest they spread anew: 0.9 m have 8 of them, down to no length with one. */
  node_test_add (&test, "soft/keys", "loose", "along", "{\"link\": \"line.geometry\"}", "spacing", "0.11", NULL);
  g_assert_cmpfloat (node_test_number (&test, "loose.count", 0), ==, 1);
  node_test_set (&test, "line", "end", "[0.3, 0.9, 0]");
  g_assert_cmpfloat (node_test_number (&test, "loose.count", 0), ==, 8);
  node_test_set (&test, "rest", "points", "3");
  node_test_fails_saying (&test, "keys.keys", 0, "line 1 has 1 pieces, and 2 at rest");
  node_test_clear (&test);
}

static bool
warns (NodeTest *test, const char *target)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);
  g_autofree char *name = g_strndup (target, strcspn (target, "."));
  g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test->evaluator, kg_graph_find (test->graph, name));

  return warnings != NULL && warnings[0] != NULL;
}

static double
field_at (NodeTest *test, double x, double y)
{
  g_auto (KgValue) value = node_test_get (test, "object.field", 0);
  const float place[] = { (float) x, (float) y, 0 };
  float out;

  kg_field_sample_points (value.field, place, 1, 0, &out);
  return (double) out;
}

/* Ten metres of keys of radius 0.1 m: midway between two keys the level is at that radius, however many there are. */
static void
test_even_thickness (void)
{
  static const char *const spacings[] = { "0.02", "0.05", "0.1", "0.125", "0.2", "0.25" };
  static const char *const sizes[][2] = { { "\"body\"", "[0.1, 0.1, 0.1]" }, { "\"influence\"", "[0.2, 0.2, 0.2]" } };
  NodeTest test = soft_test_new ("[]", "\"body\"");

  node_test_add (&test, "geometry/line", "line", "start", "[-5, 0, 0]", "end", "[5, 0, 0]", "points", "2", NULL);
  node_test_set (&test, "keys", "along", "{\"link\": \"line.geometry\"}");
  node_test_set (&test, "keys", "even_thickness", "true");
  for (size_t a = 0; a < G_N_ELEMENTS (sizes); a++) {
    node_test_set (&test, "keys", "as", sizes[a][0]);
    node_test_set (&test, "keys", "size", sizes[a][1]);
    for (size_t s = 0; s < G_N_ELEMENTS (spacings); s++) {
      node_test_set (&test, "keys", "spacing", spacings[s]);
      g_assert_cmpint ((int) node_test_number (&test, "keys.count", 0) % 2, ==, 0);
      assert_near (field_at (&test, 0, 0.1), 0.5, 2e-6);
    }
  }
  /* Without it the skin is thicker. */
  node_test_set (&test, "keys", "spacing", "0.05");
  node_test_set (&test, "keys", "even_thickness", "false");
  assert_near (field_at (&test, 0, 0.2 * 0.7213), 0.5, 1e-3);
  node_test_clear (&test);
}

/* The keys of a dense row are weak alone and seen together; one of them is not. */
static void
test_weak_rows (void)
{
  NodeTest test = soft_test_new ("[]", "\"body\"");

  node_test_add (&test, "geometry/line", "line", "points", "2", NULL);
  node_test_set (&test, "keys", "along", "{\"link\": \"line.geometry\"}");
  node_test_set (&test, "keys", "per_piece", "40");
  node_test_set (&test, "keys", "force", "0.3");
  g_assert_false (warns (&test, "object.field"));
  node_test_set (&test, "keys", "per_piece", "1");
  node_test_warns (&test, "object.field", "all keys are weaker than the level");
  node_test_clear (&test);
}

/* Lines that meet end to end: the sum of distances doubles at the joint, a convolution is as thick as elsewhere. */
static void
test_convolve (void)
{
  NodeTest test = soft_test_new ("[]", "\"body\"");

  node_test_add (&test, "geometry/line", "left", "start", "[-4, 0, 0]", "end", "[0, 0, 0]", "points", "2", NULL);
  node_test_add (&test, "geometry/line", "right", "start", "[0, 0, 0]", "end", "[4, 0, 0]", "points", "2", NULL);
  node_test_set (&test, "object", "keys", "[{\"link\": \"left.geometry\"}, {\"link\": \"right.geometry\"}]");
  g_assert_cmpfloat (field_at (&test, 0, 0.02), >, 1.5 * field_at (&test, 2, 0.02));
  node_test_set (&test, "object", "convolve", "true");
  assert_near (field_at (&test, 0, 0.02), field_at (&test, 2, 0.02), 1e-5);
  g_assert_cmpfloat (node_test_number (&test, "skin.euler", 0), ==, 2);
  g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), ==, 1);
  node_test_clear (&test);
}

/* Sizes of half and of twice at the ends of a piece, and of its line. */
static void
test_sizes_along (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "line", "start", "[0, 0, 0]", "end", "[2, 0, 0]", "points", "3", NULL);
  node_test_add (&test, "soft/keys", "keys", "along", "{\"link\": \"line.geometry\"}", "per_piece", "3", "ends",
                 "\"inclusive\"", "along_piece", "[[0, 1], [1, 2]]", "along_line", "[[1, 3], [0.5, 1]]", NULL);
  {
    static const double wanted[] = { 0.5, 0.75, 1, 0.5, 1.5, 3 };
    g_auto (KgValue) value = node_test_get (&test, "keys.keys", 0);
    const float *size = kg_geometry_get_float (value.geometry, KG_POINTS, "size", 3);

    for (int i = 0; i < 6; i++)
      assert_near ((double) size[3 * i], wanted[i], 1e-6);
  }
  node_test_set (&test, "keys", "along_line", "[[0, -1]]");
  node_test_fails_saying (&test, "keys.keys", 0, "a factor of -1 at 0");
  node_test_clear (&test);
}

/* A row falls apart where its keys are further apart than 1.33 times their influence, which is twice their body. */
static void
test_gaps (void)
{
  NodeTest test = soft_test_new ("[]", "\"body\"");

  node_test_add (&test, "geometry/line", "line", "start", "[0, 0, 0]", "end", "[1, 0, 0]", "points", "2", NULL);
  node_test_set (&test, "keys", "along", "{\"link\": \"line.geometry\"}");
  node_test_set (&test, "keys", "per_piece", "4");
  for (int even = 0; even < 2; even++) {
    node_test_set (&test, "keys", "even_thickness", even ? "true" : "false");
    node_test_set (&test, "keys", "size", "[0.0935, 0.1, 0.1]"); /* 0.25 = 1.3369 · 0.187 */
    node_test_warns (&test, "keys.keys", "the skin of 1 pieces has gaps");
    g_assert_cmpfloat (field_at (&test, 0.25, 0), <, 0.5);
    node_test_set (&test, "keys", "size", "[0.0945, 0.1, 0.1]"); /* 1.3228 */
    g_assert_cmpfloat (field_at (&test, 0.25, 0), >, 0.5);
    g_assert_false (warns (&test, "keys.keys"));
  }
  node_test_clear (&test);
}

/* What the points bring keeps its value. */
static void
test_points (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "line", "points", "3", NULL);
  node_test_add (&test, "geometry/attribute", "forced", "geometry", "{\"link\": \"line.geometry\"}", "name",
                 "\"force\"", "number", "-2", NULL);
  node_test_add (&test, "soft/keys", "keys", "table", "[]", "points", "{\"link\": \"forced.set\"}", "force", "5", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "keys.keys", 0);

    assert_near ((double) kg_geometry_get_float (value.geometry, KG_POINTS, "force", 1)[1], -2, 1e-6);
    assert_near ((double) kg_geometry_get_float (value.geometry, KG_POINTS, "size", 3)[1], 0.5, 1e-6);
  }
  node_test_clear (&test);
}

/* Powers that linked points bring are limited, and that is told. */
static void
test_powers (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "keys", "table", "[[0, 0, 0], [1, 0, 0]]", NULL);
  node_test_add (&test, "geometry/attribute", "set", "geometry", "{\"link\": \"keys.keys\"}", "name", "\"power\"",
                 "number", "8", NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"set.set\"}]", NULL);
  g_assert_false (warns (&test, "object.field"));
  node_test_set (&test, "set", "number", "100");
  node_test_warns (&test, "object.field", "2 keys have a power below 0.5 or above 64: the nearest of these is used");
  node_test_clear (&test);
}

/* The volumes of a sphere less a cylinder through its centre, (4π/3)(R² − r²)^1.5, and of what they share. */
static void
test_drilled (void)
{
  NodeTest test = node_test_new ();
  const double whole = 4 * G_PI / 3, rest = whole * pow (0.75, 1.5);

  node_test_add (&test, "soft/implicit", "sphere", "radius", "1", NULL);
  node_test_add (&test, "soft/implicit", "drill", "shape", "\"cylinder\"", "radius", "0.5", "height", "4", NULL);
  node_test_add (&test, "soft/combine", "body", "operation", "\"difference\"", "fields",
                 "[{\"link\": \"sphere.field\"}, {\"link\": \"drill.field\"}]", NULL);
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"body.field\"}", "cell", "0.06", "surface",
                 "\"dual\"", NULL);
  assert_near (node_test_number (&test, "skin.volume", 0), rest, 0.01);
  /* A ring. */
  g_assert_cmpfloat (node_test_number (&test, "skin.euler", 0), ==, 0);
  node_test_set (&test, "body", "operation", "\"intersection\"");
  assert_near (node_test_number (&test, "skin.volume", 0), whole - rest, 0.01);
  node_test_set (&test, "body", "operation", "\"union\"");
  assert_near (node_test_number (&test, "skin.volume", 0), rest + G_PI * 0.25 * 4, 0.02);
  node_test_clear (&test);
}

/* Scaled unevenly while it is turned: an ellipsoid is another one, what is none needs its whole frame. */
static void
test_sheared (void)
{
  static const char *const powers[] = { "2", "4" };
  static const double wanted[] = { 0.4901648, 0.55723670 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "keys", "table", "[[0, 0, 0, 1, 0.5, 0.5]]", "as", "\"influence\"", NULL);
  node_test_add (&test, "geometry/transform", "turned", "geometry", "{\"link\": \"keys.keys\"}", "rotate", "[0, 0, 45]",
                 NULL);
  node_test_add (&test, "geometry/transform", "scaled", "geometry", "{\"link\": \"turned.transformed\"}", "scale",
                 "[2, 1, 1]", NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"scaled.transformed\"}]", NULL);
  for (int i = 0; i < 2; i++) {
    node_test_set (&test, "keys", "power", powers[i]);
    {
      g_auto (KgValue) field = node_test_get (&test, "object.field", 0),
                       keys = node_test_get (&test, "scaled.transformed", 0);
      const float *axes = kg_geometry_get_float (keys.geometry, KG_POINTS, "axes", 3);
      const float place[] = { 0.7f, 0.3f, 0.1f };
      float value;

      assert_near ((double) axes[0], 1.6622532, 1e-6);
      assert_near ((double) axes[1], 0.6015931, 1e-6);
      assert_near ((double) axes[2], 0.5, 1e-6);
      g_assert_true ((kg_geometry_get_float (keys.geometry, KG_POINTS, "frame", 9) != NULL) == (i == 1));
      kg_field_sample_points (field.field, place, 1, 0, &value);
      assert_near ((double) value, wanted[i], 1e-6);
    }
  }
  node_test_clear (&test);
}

/* Keys that tell their extent by axes, by size and by a whole frame are the same keys after they were merged, and turn and
 * stretch together as they do alone. */
static void
test_merged (void)
{
  static const char *const rows[][2] = { { "[[0, 0, 0, 0.9, 0.5, 0.4]]", "\"influence\"" },
                                         { "[[0, 1, 0, 0.5, 0.3, 0.2]]", "\"body\"" },
                                         { "[[0, 3, 0, 0.9, 0.5, 0.4]]", "\"influence\"" } };
  static const char *const turns[][2] = { { "[0, 0, 0]", "[1, 1, 1]" },
                                          { "[0, 0, 45]", "[2, 1, 1]" },
                                          { "[0, 30, 0]", "[0, 0, 0]" } };
  NodeTest test = node_test_new ();

  for (int i = 0; i < 3; i++) {
    g_autofree char *keys = g_strdup_printf ("keys%d", i), *moved = g_strdup_printf ("moved%d", i),
                    *link = g_strdup_printf ("{\"link\": \"keys%d.keys\"}", i);

    node_test_add (&test, "soft/keys", keys, "table", rows[i][0], "as", rows[i][1], "power", i < 2 ? "2" : "4", NULL);
    /* The last one is sheared before: only its frame describes it. */
    node_test_add (&test, "geometry/transform", moved, "geometry", link, "rotate", i < 2 ? "[0, 0, 0]" : "[0, 0, 45]",
                   NULL);
  }
  node_test_add (&test, "geometry/transform", "sheared", "geometry", "{\"link\": \"moved2.transformed\"}", "scale",
                 "[2, 1, 1]", NULL);
  node_test_add (&test, "geometry/merge", "all", "geometries",
                 "[{\"link\": \"moved0.transformed\"}, {\"link\": \"moved1.transformed\"}, "
                 "{\"link\": \"sheared.transformed\"}]",
                 NULL);
  node_test_add (&test, "geometry/transform", "together", "geometry", "{\"link\": \"all\"}", NULL);
  node_test_add (&test, "geometry/transform", "a", "geometry", "{\"link\": \"moved0.transformed\"}", NULL);
  node_test_add (&test, "geometry/transform", "b", "geometry", "{\"link\": \"moved1.transformed\"}", NULL);
  node_test_add (&test, "geometry/transform", "c", "geometry", "{\"link\": \"sheared.transformed\"}", NULL);
  node_test_add (&test, "soft/primitive", "merged", "keys", "[{\"link\": \"together.transformed\"}]", NULL);
  node_test_add (&test, "soft/primitive", "alone", "keys",
                 "[{\"link\": \"a.transformed\"}, {\"link\": \"b.transformed\"}, {\"link\": \"c.transformed\"}]", NULL);
  for (size_t t = 0; t < G_N_ELEMENTS (turns); t++) {
    static const char *const nodes[] = { "together", "a", "b", "c" };
    float least = INFINITY;

    for (size_t i = 0; i < G_N_ELEMENTS (nodes); i++) {
      node_test_set (&test, nodes[i], "rotate", turns[t][0]);
      node_test_set (&test, nodes[i], "scale", turns[t][1]);
    }
    {
      g_auto (KgValue) keys = node_test_get (&test, "together.transformed", 0),
                       merged = node_test_get (&test, "merged.field", 0),
                       alone = node_test_get (&test, "alone.field", 0);
      const float *p = kg_geometry_get_positions (keys.geometry);
      float one[3], other[3], near[3][3];

      for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
          near[i][c] = p[3 * i + c] + 0.03f * (float) (c + 1);
      kg_field_sample_points (merged.field, &near[0][0], 3, 0, one);
      kg_field_sample_points (alone.field, &near[0][0], 3, 0, other);
      for (int i = 0; i < 3; i++) {
        assert_near ((double) one[i], (double) other[i], 1e-6);
        least = MIN (least, one[i]);
      }
    }
    /* Each is there, but for those that are stretched to nothing. */
    g_assert_true (t < 2 ? least > 0.1f : least == 0);
  }
  node_test_clear (&test);
}

/* The thirty figures of the paper's table, and one piece from the rabbit to the man. */
static void
test_rabbit (void)
{
  static const double wanted[6][4] = { { 13, 2, 5, 7 }, { 7, 16, 2, 6 }, { 3, 13, 6, 6 },
                                       { 3, 13, 5, 6 }, { 9, 1, 3, 4 },  { 9, 1, 3, 4 } };
  static const double volumes[] = { 0.1970, 0.1887, 0.1751, 0.1546, 0.1357 };
  NodeTest test = node_test_open_example ("rabbit_to_man.json");

  {
    g_auto (KgValue) value = node_test_get (&test, "between.matches", 0);

    g_assert_cmpuint (kg_table_get_n_rows (value.table), ==, 6);
    for (size_t part = 0; part < 6; part++)
      for (int c = 0; c < 4; c++)
        g_assert_cmpfloat (kg_table_get_row (value.table, part)[c + 1], ==, wanted[part][c]);
  }
  g_assert_cmpfloat (node_test_number (&test, "between.matched", 0), ==, 24);
  g_assert_cmpfloat (node_test_number (&test, "between.shrinking", 0), ==, 27);
  g_assert_cmpfloat (node_test_number (&test, "between.growing", 0), ==, 29);
  for (int i = 0; i <= 4; i++) {
    node_test_set_number (&test, "between", "amount", 0.25 * i);
    g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), ==, 1);
    assert_near (node_test_number (&test, "skin.volume", 0), volumes[i], 0.003);
  }
  node_test_clear (&test);
}

/* Fading: identical models stay the same with linear weights; bodies apart have these radii. */
static void
test_surface (void)
{
  static const struct {
    const char *weights, *amount;
    double source, destination;
  } facts[] = { { "\"linear\"", "0.25", 0.3924704, 0 },
                { "\"sine-cosine\"", "0.5", 0.3647956, 0.3647956 },
                { "\"sine-cosine\"", "0.25", 0.4739398, 0 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "a", "table", "[[0, 0, 0, 1, 1, 1]]", "as", "\"influence\"", NULL);
  node_test_add (&test, "soft/keys", "b", "table", "[[5, 0, 0, 1, 1, 1]]", "as", "\"influence\"", NULL);
  node_test_add (&test, "morph/soft_keys", "between", "source", "{\"link\": \"a.keys\"}", "destination",
                 "{\"link\": \"b.keys\"}", "match", "\"surface\"", NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"between.keys\"}]", NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    node_test_set (&test, "between", "weights", facts[i].weights);
    node_test_set (&test, "between", "amount", facts[i].amount);
    {
      g_auto (KgValue) field = node_test_get (&test, "object.field", 0);
      const float places[] = { (float) facts[i].source, 0, 0, (float) (5 - facts[i].destination), 0, 0 };
      float values[2];

      kg_field_sample_points (field.field, places, 2, 0, values);
      assert_near ((double) values[0], 0.5, 1e-5);
      if (facts[i].destination > 0)
        assert_near ((double) values[1], 0.5, 1e-5);
    }
  }
  node_test_clear (&test);
}

/* A quarter turn half-way: interpolated vectors shorten to the root of a half, rotations do not. */
static void
test_axes (void)
{
  static const char *const ways[] = { "\"rotation\"", "\"vectors\"" };
  static const double wanted[] = { 1, 0.70710678 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "a", "table", "[[0, 0, 0, 1, 1, 0.5]]", NULL);
  node_test_add (&test, "soft/keys", "b", "table", "[[0, 0, 0, 1, 1, 0.5, null, null, 0, 0, 90]]", NULL);
  node_test_add (&test, "morph/soft_keys", "between", "source", "{\"link\": \"a.keys\"}", "destination",
                 "{\"link\": \"b.keys\"}", "amount", "0.5", NULL);
  for (int i = 0; i < 2; i++) {
    node_test_set (&test, "between", "axes", ways[i]);
    {
      g_auto (KgValue) keys = node_test_get (&test, "between.keys", 0);
      const float *size = kg_geometry_get_float (keys.geometry, KG_POINTS, "size", 3);

      assert_near ((double) size[0], wanted[i], 1e-6);
      assert_near ((double) size[2], 0.5, 1e-6);
    }
  }
  node_test_clear (&test);
}

static void
assert_row (NodeTest *test, const char *table, size_t row, double a, double b, double c)
{
  g_auto (KgValue) value = node_test_get (test, table, 0);
  const double *r = kg_table_get_row (value.table, row), wanted[] = { a, b, c };

  for (guint i = 0; i < MIN (3, kg_table_get_n_columns (value.table)); i++)
    g_assert_true (isnan (wanted[i]) ? isnan (r[i]) : r[i] == wanted[i]);
}

/* The figure of the source: trees of 1, 2, 2 and of 1, 1, 3 parts. */
static void
test_hierarchy (void)
{
  static const char *const methods[] = { "\"hierarchy\"", "\"hierarchy_cells\"" };
  NodeTest test = node_test_new ();

  /* Columns: x y z a b c power force rx ry rz group part parent. */
  node_test_add (&test, "soft/keys", "a", "table",
                 "[[0, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 0, -1], [1, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 1, 0],"
                 " [2, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 2, 0], [1, -1, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 3, 1],"
                 " [2, -1, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 4, 1]]",
                 NULL);
  node_test_add (&test, "soft/keys", "b", "table",
                 "[[0, 5, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 0, -1], [1, 5, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 5, 0],"
                 " [0, 4, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 6, 5], [1, 4, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 7, 5],"
                 " [2, 4, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 3, 5]]",
                 NULL);
  node_test_add (&test, "morph/soft_keys", "between", "source", "{\"link\": \"a.keys\"}", "destination",
                 "{\"link\": \"b.keys\"}", NULL);
  for (size_t m = 0; m < G_N_ELEMENTS (methods); m++) {
    node_test_set (&test, "between", "match", methods[m]);
    assert_row (&test, "between.levels", 0, 1, 0, 0);
    assert_row (&test, "between.levels", 1, 2, 0, 1);
    assert_row (&test, "between.levels", 2, 3, 1, 0);
    assert_row (&test, "between.pairs", 0, 0, 0, 0);
    assert_row (&test, "between.pairs", 1, 1, 1, 0);
    assert_row (&test, "between.pairs", 2, 2, NAN, 0);
    /* Part 3 with part 3, 4 with the first of the others. */
    assert_row (&test, "between.pairs", 3, 3, 4, 0);
    assert_row (&test, "between.pairs", 4, 4, 2, 0);
    assert_row (&test, "between.pairs", 5, NAN, 3, 0);
    {
      g_auto (KgValue) start = node_test_get (&test, "between.keys", 0);
      const float *p = kg_geometry_get_positions (start.geometry);

      /* The third leg grows out of the body. */
      assert_near ((double) p[15], 1, 1e-6);
      assert_near ((double) p[16], 0, 1e-6);
    }
    node_test_set (&test, "between", "amount", "1");
    {
      g_auto (KgValue) end = node_test_get (&test, "between.keys", 0);
      const float *p = kg_geometry_get_positions (end.geometry);

      /* The second body shrinks into the root. */
      assert_near ((double) p[6], 0, 1e-6);
      assert_near ((double) p[7], 5, 1e-6);
    }
    node_test_set (&test, "between", "amount", "0");
  }
  node_test_set (&test, "b", "table",
                 "[[0, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 1, 2], [0, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 2, 1]]");
  node_test_fails_saying (&test, "between.keys", 0, "part 1 hangs on itself");
  node_test_set (&test, "b", "table",
                 "[[0, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 1, 2], [0, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 1, 3]]");
  node_test_fails_saying (&test, "between.keys", 0, "key 1 says that part 1 hangs on part 3");
  node_test_clear (&test);
}

/* Heights of the path over the stairs, and the word on it: 20 columns that keep their shape. */
static void
test_stairs (void)
{
  static const double places[] = { 0.5, -0.3, -0.6, -2.1 }, heights[] = { -0.0105214, 0.3500219, 0.6056654, 1.2500219 };
  NodeTest test = node_test_open_example ("soft_up_the_stairs.json");

  g_assert_cmpfloat (node_test_number (&test, "climb.groups", 0), ==, 20);
  node_test_set (&test, "climb", "travel", "1.2");
  {
    g_auto (KgValue) keys = node_test_get (&test, "word.keys", 0), moved = node_test_get (&test, "climb.geometry", 0);
    const float *p = kg_geometry_get_positions (keys.geometry), *q = kg_geometry_get_positions (moved.geometry);

    for (size_t i = 0; i < kg_geometry_get_n_points (keys.geometry); i++) {
      assert_near ((double) q[3 * i + 1], (double) p[3 * i + 1], 1e-6);
      assert_near ((double) q[3 * i + 2], (double) p[3 * i + 2] + 1.2, 1e-6);
    }
  }
  /* The first column of the word is at z = 0. */
  for (int i = 0; i < 4; i++) {
    node_test_set_number (&test, "climb", "travel", places[i]);
    {
      g_auto (KgValue) keys = node_test_get (&test, "word.keys", 0), moved = node_test_get (&test, "climb.geometry", 0);
      const float *p = kg_geometry_get_positions (keys.geometry), *q = kg_geometry_get_positions (moved.geometry);

      for (size_t k = 0; k < kg_geometry_get_n_points (keys.geometry); k++)
        if (p[3 * k + 2] == 0)
          assert_near ((double) (q[3 * k + 1] - p[3 * k + 1]), heights[i], 1e-6);
    }
  }
  node_test_set (&test, "climb", "max_shear", "0.5");
  g_assert_cmpfloat (node_test_number (&test, "climb.shear", 0), <=, 0.5 + 1e-6);
  node_test_set (&test, "climb", "axis", "\"y\"");
  node_test_fails (&test, "climb.geometry", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* Other fields need a box, and take a level; nothing at all is no error. */
static void
test_bad (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/formula", "formula", "formula", "\"1 - x^2 - y^2 - z^2\"", NULL);
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"formula.field\"}", "cell", "0.1", NULL);
  node_test_fails (&test, "skin.geometry", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "skin", "bounds", "\"given\"");
  node_test_set (&test, "skin", "leveling", "\"given\"");
  node_test_set (&test, "skin", "level", "0");
  node_test_set (&test, "skin", "low", "[-1.2, -1.2, -1.2]");
  node_test_set (&test, "skin", "high", "[1.2, 1.2, 1.2]");
  assert_near (node_test_number (&test, "skin.volume", 0), 4 * G_PI / 3, 0.05);
  node_test_set (&test, "skin", "cell", "1e-5");
  node_test_set (&test, "skin", "method", "\"full\"");
  node_test_fails (&test, "skin.geometry", KG_ERROR_LIMIT);
  /* A box that is none, and a level that the field never falls below. */
  node_test_set (&test, "skin", "cell", "0.1");
  node_test_set (&test, "skin", "level", "-100");
  node_test_warns (&test, "skin.cubes", "nowhere below its level");
  node_test_set (&test, "skin", "low", "[1, 2, 3]");
  node_test_fails (&test, "skin.geometry", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
  /* One key by default; without any, nothing. */
  test = soft_test_new ("[]", "\"body\"");
  g_assert_cmpfloat (node_test_number (&test, "object.count", 0), ==, 1);
  node_test_set (&test, "object", "keys", "[]");
  g_assert_cmpfloat (node_test_number (&test, "skin.cubes", 0), ==, 0);
  g_assert_cmpfloat (node_test_number (&test, "object.count", 0), ==, 0);
  node_test_clear (&test);
}

/* 20-140: a row of the table that cannot be a key is named. */
static void
test_bad_rows (void)
{
  static const struct {
    const char *row, *words;
  } facts[] = { { "1, 0, 0, -1, 1, 1, 2", "table, row 1: a is -1: write half the extent" },
                { "1, 0, 0, 1, 1, -0.5, 2", "table, row 1: c is -0.5" },
                { "1, 0, 0, 1, 1, 1, 0", "table, row 1: power is 0: write a power from 0.5" },
                { "1, 0, 0, 1, 1, 1, 65", "table, row 1: power is 65" },
                { "1, 0, 0, 1, 1, 1, 2, 1e9", "table, row 1: force is 1e+09" },
                { "1, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0.5", "table, row 1: group is 0.5: write a whole number" },
                { "1, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 1, 1e12", "table, row 1: part is 1e+12" },
                { "1e20, 0, 0", "table, row 1: x is 1e+20: write metres" } };
  NodeTest test = soft_test_new ("[]", "\"body\"");

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    g_autofree char *keys = g_strdup_printf ("[[%s]]", facts[i].row);

    node_test_set (&test, "keys", "table", keys);
    node_test_fails_saying (&test, "keys.keys", 0, facts[i].words);
  }
  node_test_set (&test, "keys", "table", "[[0, 0, 0, 1], [0, 0, 0, -1]]");
  node_test_fails_saying (&test, "keys.keys", 0, "table, row 2: a is -1");
  node_test_clear (&test);
}

/* Extents of the skin from the origin along an axis. */
static double
measure_extent (NodeTest *test, const char *output, int axis)
{
  g_auto (KgValue) skin = node_test_get (test, output, 0);
  const float *p = kg_geometry_get_positions (skin.geometry);
  double most = 0;

  for (size_t i = 0; i < kg_geometry_get_n_points (skin.geometry); i++)
    most = MAX (most, fabs ((double) p[3 * i + (size_t) axis]));
  return most;
}

/* A fast ball of clay is an ellipsoid of the same volume along its way; one that speeds up is flat.  Radius ½, q = 2, 4 / 3
 * and ½: half axes ½ q^(2/3) and ½ q^(−1/3). */
static void
test_fast_clay (void)
{
  static const struct {
    const char *velocity, *amount, *acceleration;
    double q;
    int axis;
  } cases[] = { { "[10, 0, 0]", "0.1", "[0, 0, 0]", 2, 0 },
                { "[0, -10, 0]", "0.1", "[0, -9.81, 0]", 2 - 0.0679578661909616 * 9.81, 1 },
                { "[0, 0, 3]", "0", "[0, 0, 5]", 1 - 0.0679578661909616 * 5, 2 },
                { "[0, 0, 3]", "0", "[0, 0, 500]", 0.5, 2 },
                { "[0, 0, 0]", "0.1", "[0, 0, 5]", 1, 1 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "here", "size", "[0.5, 0.5, 0.5]", NULL);
  node_test_add (&test, "geometry/attribute", "moving", "geometry", "{\"link\": \"here.keys\"}", "name", "\"v\"",
                 "kind", "\"vector\"", NULL);
  node_test_add (&test, "geometry/stretch_to_velocity", "long", "points", "{\"link\": \"moving.set\"}", "most", "2",
                 NULL);
  node_test_add (&test, "soft/keys", "keys", "points", "{\"link\": \"long.stretched\"}", NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"keys.keys\"}]", NULL);
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"object.field\"}", "cell", "0.04", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double along = 0.5 * cbrt (cases[i].q * cases[i].q), across = 0.5 / cbrt (cases[i].q);

    node_test_set (&test, "moving", "vector", cases[i].velocity);
    node_test_set (&test, "long", "amount", cases[i].amount);
    node_test_set (&test, "long", "acceleration", cases[i].acceleration);
    node_test_set (&test, "long", "acceleration_amount", "0.0679578661909616");
    for (int axis = 0; axis < 3; axis++)
      assert_near (measure_extent (&test, "skin.geometry", axis), axis == cases[i].axis ? along : across, 2e-3);
    assert_near (node_test_number (&test, "skin.volume", 0), 4 * KG_PI / 3 * 0.125, 2e-3);
  }
  /* The points say how they accelerate themselves. */
  node_test_add (&test, "geometry/attribute", "braked", "geometry", "{\"link\": \"moving.set\"}", "name",
                 "\"acceleration\"", "kind", "\"vector\"", "vector", "[-2, 0, 0]", NULL);
  node_test_set (&test, "moving", "vector", "[3, 0, 0]");
  node_test_set (&test, "long", "points", "{\"link\": \"braked.set\"}");
  node_test_set (&test, "long", "amount", "0");
  node_test_set (&test, "long", "acceleration_amount", "0.25");
  assert_near (measure_extent (&test, "skin.geometry", 0), 0.5 * cbrt (1.5 * 1.5), 2e-3);
  node_test_clear (&test);
}

/* A cube of side 2: one ball of radius (1 + √3) / 2, which is (√3 − 1) / 2 off; places on its faces miss a thousandth of that.
 * A ball in 15° steps: half the sagitta of its faces at the equator.  More balls come nearer. */
static void
test_fit_balls (void)
{
  const double across = cos (G_PI / 24), up = sin (G_PI / 12), back = across * (1 - cos (G_PI / 12));
  const double sagitta = 1 - across * up / sqrt (back * back + up * up);
  NodeTest test = node_test_new ();
  double last;

  node_test_add (&test, "geometry/box", "cube", "size", "[2, 2, 2]", NULL);
  node_test_add (&test, "geometry/transform", "moved", "geometry", "{\"link\": \"cube.geometry\"}", "translate",
                 "[5, -3, 2]", NULL);
  node_test_add (&test, "soft/fit_balls", "fit", "geometry", "{\"link\": \"moved.transformed\"}", "count", "1", NULL);
  {
    g_auto (KgValue) balls = node_test_get (&test, "fit.balls", 0);
    const float *width = kg_geometry_get_float (balls.geometry, KG_POINTS, "width", 1);
    const float *p = kg_geometry_get_positions (balls.geometry);

    g_assert_cmpuint (kg_geometry_get_n_points (balls.geometry), ==, 1);
    assert_near ((double) width[0], 1 + sqrt (3), 3e-3);
    assert_vector_near (kg_vector ((double) p[0], (double) p[1], (double) p[2]), 5, -3, 2, 3e-3);
  }
  last = node_test_number (&test, "fit.largest", 0);
  g_assert_cmpfloat (last, <=, 0.3660254 + 1e-6);
  g_assert_cmpfloat (last, >, 0.3660254 - 1e-3);
  for (int k = 0; k < 2; k++) {
    static const char *const counts[] = { "8", "27" };
    static const double bounds[] = { 0.25, 0.15 };
    double largest;

    node_test_set (&test, "fit", "count", counts[k]);
    largest = node_test_number (&test, "fit.largest", 0);
    g_assert_cmpfloat (largest, <, bounds[k]);
    g_assert_cmpfloat (node_test_number (&test, "fit.mean", 0), <, 0.5 * largest);
    g_assert_cmpfloat (largest, <, last);
    last = largest;
  }
  /* They stand for the cube in a test: 0.7 is inside of it, 1.3 is not. */
  node_test_add (&test, "soft/primitive", "body", "keys", "[{\"link\": \"fit.balls\"}]", "blend", "\"max\"", NULL);
  node_test_add (&test, "geometry/box", "probe", "size", "[0.02, 0.02, 0.02]", "center", "[5.7, -3.6, 2.6]", NULL);
  node_test_add (&test, "soft/collide", "hit", "samples", "{\"link\": \"probe.geometry\"}", "field",
                 "{\"link\": \"body.field\"}", NULL);
  g_assert_cmpfloat (node_test_number (&test, "hit.count", 0), ==, 8);
  node_test_set (&test, "probe", "center", "[5.7, -1.7, 2.6]");
  g_assert_cmpfloat (node_test_number (&test, "hit.count", 0), ==, 0);
  node_test_add (&test, "geometry/sphere", "ball", "radius", "1", "segments", "24", "rings", "12", "center",
                 "[0.3, 0.2, 0.1]", NULL);
  node_test_set (&test, "fit", "geometry", "{\"link\": \"ball.geometry\"}");
  node_test_set (&test, "fit", "count", "1");
  assert_near (node_test_number (&test, "fit.largest", 0), 0.5 * sagitta, 1e-4);
  node_test_clear (&test);
}

/* Nothing inside, holes, and faces of no size. */
static void
test_fit_balls_bad (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "sheet", NULL);
  node_test_add (&test, "soft/fit_balls", "fit", "geometry", "{\"link\": \"sheet.geometry\"}", NULL);
  node_test_fails (&test, "fit.balls", KG_ERROR_DEGENERATE);
  node_test_add (&test, "geometry/line", "line", NULL);
  node_test_set (&test, "fit", "geometry", "{\"link\": \"line.geometry\"}");
  node_test_fails (&test, "fit.balls", KG_ERROR_DEGENERATE);
  node_test_add (&test, "geometry/box", "flat", "size", "[1, 0, 1]", NULL);
  node_test_set (&test, "fit", "geometry", "{\"link\": \"flat.geometry\"}");
  node_test_fails (&test, "fit.balls", KG_ERROR_DEGENERATE);
  node_test_add (&test, "geometry/sphere", "ball", NULL);
  node_test_set (&test, "fit", "geometry", "{\"link\": \"ball.geometry\"}");
  node_test_set (&test, "fit", "places", "10");
  node_test_set (&test, "fit", "count", "256");
  {
    g_auto (KgValue) balls = node_test_get (&test, "fit.balls", 0);

    g_assert_true (kg_geometry_check_finite (balls.geometry, NULL));
    g_assert_cmpuint (kg_geometry_get_n_points (balls.geometry), ==, 256);
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/soft/20-140-55-83-size", test_size);
  g_test_add_func ("/soft/55-82-sampled", test_sampled);
  g_test_add_func ("/soft/20-152-counts", test_counts);
  g_test_add_func ("/soft/55-89-fast-clay", test_fast_clay);
  g_test_add_func ("/soft/55-91-fit-balls", test_fit_balls);
  g_test_add_func ("/soft/55-91-fit-balls-bad", test_fit_balls_bad);
  g_test_add_func ("/soft/55-84-55-87-merging", test_merging);
  g_test_add_func ("/soft/20-156-20-157-adaptive", test_adaptive);
  g_test_add_func ("/soft/20-161-ray", test_ray);
  g_test_add_func ("/soft/20-170-along", test_along);
  g_test_add_func ("/soft/20-170-binding", test_binding);
  g_test_add_func ("/soft/20-170-even-thickness", test_even_thickness);
  g_test_add_func ("/soft/20-170-sizes", test_sizes_along);
  g_test_add_func ("/soft/20-170-gaps", test_gaps);
  g_test_add_func ("/soft/20-144-convolve", test_convolve);
  g_test_add_func ("/soft/20-170-weak-rows", test_weak_rows);
  g_test_add_func ("/soft/20-140-points", test_points);
  g_test_add_func ("/soft/20-015-20-146-drilled", test_drilled);
  g_test_add_func ("/soft/20-141-sheared", test_sheared);
  g_test_add_func ("/soft/20-147-merged", test_merged);
  g_test_add_func ("/soft/20-147-powers", test_powers);
  g_test_add_func ("/soft/20-179-20-181-rabbit", test_rabbit);
  g_test_add_func ("/soft/20-180-20-184-surface", test_surface);
  g_test_add_func ("/soft/20-176-axes", test_axes);
  g_test_add_func ("/soft/20-178-hierarchy", test_hierarchy);
  g_test_add_func ("/soft/20-171-stairs", test_stairs);
  g_test_add_func ("/soft/20-152-bad", test_bad);
  g_test_add_func ("/soft/20-140-bad-rows", test_bad_rows);
  return g_test_run ();
}

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/soft/20-140-55-83-size", test_size);
  g_test_add_func ("/soft/20-152-counts", test_counts);
  g_test_add_func ("/soft/55-84-55-87-merging", test_merging);
  g_test_add_func ("/soft/20-170-along", test_along);
  g_test_add_func ("/soft/20-140-points", test_points);
  g_test_add_func ("/soft/20-015-20-146-drilled", test_drilled);
  g_test_add_func ("/soft/20-141-sheared", test_sheared);
  g_test_add_func ("/soft/20-179-20-181-rabbit", test_rabbit);
  g_test_add_func ("/soft/20-180-20-184-surface", test_surface);
  g_test_add_func ("/soft/20-176-axes", test_axes);
  g_test_add_func ("/soft/20-171-stairs", test_stairs);
  g_test_add_func ("/soft/20-152-bad", test_bad);
  return g_test_run ();
}

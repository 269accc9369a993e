/* tests/nodes/soft: soft objects, implicit bodies and their surfaces as nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include "kg-random.h"

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

/* 20-162: the cells of the surface as boxes: six faces each, of the size of a cell, on the lattice, in as many cells as the
 * polygons lie in. */
static void
test_boxes (void)
{
  NodeTest test = soft_test_new ("[[0, 0, 0, 0.5, 0.5, 0.5]]", "\"body\"");
  double cubes;

  node_test_set (&test, "skin", "cell", "0.125");
  node_test_set (&test, "skin", "origin", "[0.03, 0.01, 0]");
  node_test_set (&test, "skin", "triangles", "false");
  cubes = node_test_number (&test, "skin.cubes", 0);
  g_assert_cmpfloat (cubes, >, 100);
  node_test_set (&test, "skin", "surface", "\"boxes\"");
  g_assert_cmpfloat (node_test_number (&test, "skin.cubes", 0), ==, cubes);
  {
    g_auto (KgValue) skin = node_test_get (&test, "skin.geometry", 0);
    const float *p = kg_geometry_get_positions (skin.geometry);
    const size_t n = kg_geometry_get_n_primitives (skin.geometry);
    size_t faces = 0;

    for (size_t i = 0; i < n; i++) {
      KgPrimitive face;
      int sides = 0;

      kg_geometry_get_primitive (skin.geometry, i, &face);
      g_assert_cmpuint (face.n_vertices, ==, 4);
      for (uint32_t v = 0; v < 4; v++) {
        const float *a = p + 3 * face.vertices[v], *b = p + 3 * face.vertices[(v + 1) % 4];

        sides += fabs (hypot (hypot ((double) (a[0] - b[0]), (double) (a[1] - b[1])), (double) (a[2] - b[2])) - 0.125) <
                 1e-6;
        assert_near (remainder ((double) a[0] - 0.03, 0.125), 0, 1e-6);
        assert_near (remainder ((double) a[1] - 0.01, 0.125), 0, 1e-6);
        assert_near (remainder ((double) a[2], 0.125), 0, 1e-6);
      }
      faces += sides == 4;
    }
    /* Faces between two of the cells are dropped, so that the shell is closed. */
    g_assert_cmpuint (faces, ==, n);
    g_assert_cmpfloat ((double) n, <=, 6 * cubes);
    g_assert_cmpfloat ((double) n, >, cubes);
    assert_near (node_test_number (&test, "skin.area", 0), (double) n * 0.125 * 0.125, 1e-4);
  }
  node_test_clear (&test);
}

static KgVector
sample_vector (NodeTest *test, const char *target, double x, double y, double z)
{
  g_auto (KgValue) field = node_test_get (test, target, 0);
  const float place[] = { (float) x, (float) y, (float) z };
  float out[3];

  g_assert_cmpuint (kg_field_get_width (field.field), ==, 3);
  kg_field_sample_points (field.field, place, 1, 0, out);
  return kg_vector ((double) out[0], (double) out[1], (double) out[2]);
}

/* 20-163: the colour at a place is the mean of those of the keys, weighted by what each adds: where one adds alone its own,
 * where none does white, and between two as the density says. */
static void
test_colors (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "a", "table", "[[0, 0, 0]]", "size", "[1, 1, 1]", "as", "\"influence\"", "color",
                 "[1, 0.5, 0, 1]", NULL);
  node_test_add (&test, "soft/keys", "b", "table", "[[1.2, 0, 0]]", "size", "[1, 1, 1]", "as", "\"influence\"", "color",
                 "[0, 0.5, 1, 1]", "force", "2", NULL);
  node_test_add (&test, "soft/keys", "c", "table", "[[0.6, 0.2, 0]]", "size", "[1, 1, 1]", "as", "\"influence\"",
                 "color", "[0, 1, 0, 1]", "force", "-0.5", NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"a.keys\"}, {\"link\": \"b.keys\"}]", NULL);
  for (int i = 0; i < 24; i++) {
    const double x = -0.9 + i * 0.12, y = 0.1, r = x * x + y * y, s = (x - 1.2) * (x - 1.2) + y * y;
    const double wa = r < 1 ? 1 - 22 / 9.0 * r + 17 / 9.0 * r * r - 4 / 9.0 * r * r * r : 0;
    const double wb = s < 1 ? 2 * (1 - 22 / 9.0 * s + 17 / 9.0 * s * s - 4 / 9.0 * s * s * s) : 0;

    assert_vector_near (sample_vector (&test, "object.color", x, y, 0), wa / (wa + wb), 0.5, wb / (wa + wb), 1e-5);
    /* What only takes away has no colour to give. */
    node_test_set (&test, "object", "keys", "[{\"link\": \"a.keys\"}, {\"link\": \"b.keys\"}, {\"link\": \"c.keys\"}]");
    assert_vector_near (sample_vector (&test, "object.color", x, y, 0), wa / (wa + wb), 0.5, wb / (wa + wb), 1e-5);
    node_test_set (&test, "object", "keys", "[{\"link\": \"a.keys\"}, {\"link\": \"b.keys\"}]");
  }
  assert_vector_near (sample_vector (&test, "object.color", 0, 5, 0), 1, 1, 1, 0);
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"object.field\"}", "color",
                 "{\"link\": \"object.color\"}", NULL);
  {
    g_auto (KgValue) skin = node_test_get (&test, "skin.geometry", 0);
    const float *cd = kg_geometry_get_float (skin.geometry, KG_POINTS, "Cd", 3);

    g_assert_nonnull (cd);
    for (size_t i = 0; i < kg_geometry_get_n_points (skin.geometry); i++)
      assert_near ((double) cd[3 * i] + (double) cd[3 * i + 2], 1, 1e-5);
  }
  node_test_clear (&test);
}

/* 20-163: places at rest: themselves while nothing moved; taken back by each key as that was moved, turned and stretched; and
 * a texture read there stays on the body, by an attribute of the surface. */
static void
test_rest (void)
{
  const char *rest = "[[0, 0, 0, 0.5, 0.3, 0.4, null, null, 0, 0, 0], [6, 0, 0, 0.4, 0.4, 0.4, null, null, 0, 0, 20]]";
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "at_rest", "table", rest, NULL);
  node_test_add (&test, "soft/keys", "now", "table", rest, NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"now.keys\"}]", NULL);
  for (int linked = 0; linked < 2; linked++) {
    for (int i = 0; i < 20; i++) {
      const double x = -1 + 0.4 * i, y = 0.05 * i - 0.4, z = 0.2;

      assert_vector_near (sample_vector (&test, "object.at_rest", x, y, z), x, y, z, 2e-6);
    }
    node_test_set (&test, "object", "rest", "[{\"link\": \"at_rest.keys\"}]");
  }
  /* The first has moved by (1, 2, 0) and is twice as long; the second has turned by 90 degrees. */
  node_test_set (&test, "now", "table",
                 "[[1, 2, 0, 1, 0.3, 0.4, null, null, 0, 0, 0], [6, 0, 0, 0.4, 0.4, 0.4, null, null, 0, 0, 110]]");
  assert_vector_near (sample_vector (&test, "object.at_rest", 1.6, 2.1, -0.1), 0.3, 0.1, -0.1, 2e-6);
  assert_vector_near (sample_vector (&test, "object.at_rest", 6, 0.3, 0.1), 6.3, 0, 0.1, 2e-6);
  assert_vector_near (sample_vector (&test, "object.at_rest", 20, 3, 0), 20, 3, 0, 0);
  /* On the surface, and as the place where a field is read. */
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"object.field\"}", "cell", "0.08", NULL);
  node_test_add (&test, "geometry/attribute", "rest", "geometry", "{\"link\": \"skin.geometry\"}", "name", "\"rest\"",
                 "kind", "\"field\"", "field", "{\"link\": \"object.at_rest\"}", NULL);
  node_test_add (&test, "field/formula", "stripes", "formula", "\"[x, 2*y, z - 1]\"", NULL);
  node_test_add (&test, "geometry/attribute", "read", "geometry", "{\"link\": \"rest.set\"}", "name", "\"Cd\"", "kind",
                 "\"field\"", "field", "{\"link\": \"stripes.field\"}", "at", "\"rest\"", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "read.set", 0);
    const float *p = kg_geometry_get_positions (value.geometry),
                *back = kg_geometry_get_float (value.geometry, KG_POINTS, "rest", 3),
                *cd = kg_geometry_get_float (value.geometry, KG_POINTS, "Cd", 3);

    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), >, 100);
    for (size_t i = 0; i < 3 * kg_geometry_get_n_points (value.geometry); i += 3) {
      /* The body of the first key is that at rest again. */
      if (p[i] < 4)
        assert_near (pow ((double) back[i] / 0.5, 2) + pow ((double) back[i + 1] / 0.3, 2) +
                         pow ((double) back[i + 2] / 0.4, 2),
                     1, 1e-3);
      assert_near ((double) cd[i], (double) back[i], 1e-5);
      assert_near ((double) cd[i + 1], 2 * (double) back[i + 1], 1e-5);
      assert_near ((double) cd[i + 2], (double) back[i + 2] - 1, 1e-5);
    }
  }
  node_test_set (&test, "read", "at", "\"rst\"");
  node_test_fails_saying (&test, "read.set", 0, "rst");
  /* A key that has faded away at rest takes nothing along, and the next one still finds its own. */
  node_test_set (&test, "at_rest", "table",
                 "[[0, 0, 0, 0, 0, 0, null, null, 0, 0, 0], [6, 0, 0, 0.4, 0.4, 0.4, null, null, 0, 0, 20]]");
  assert_vector_near (sample_vector (&test, "object.at_rest", 1.6, 2.1, -0.1), 1.6, 2.1, -0.1, 2e-6);
  assert_vector_near (sample_vector (&test, "object.at_rest", 6, 0.3, 0.1), 6.3, 0, 0.1, 2e-6);
  node_test_set (&test, "at_rest", "table", "[[0, 0, 0]]");
  node_test_fails_saying (&test, "object.at_rest", 0, "1 at rest");
  node_test_clear (&test);
}

/* 20-163: lines are moved back by the mean of their points. */
static void
test_rest_of_lines (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "before", "start", "[0, 0, 0]", "end", "[2, 0, 0]", "points", "5", NULL);
  node_test_add (&test, "geometry/line", "now", "start", "[0, 3, 0]", "end", "[2, 3, 1]", "points", "5", NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"now.geometry\"}]", "rest",
                 "[{\"link\": \"before.geometry\"}]", NULL);
  assert_vector_near (sample_vector (&test, "object.at_rest", 1, 3.2, 0.5), 1, 0.2, 0, 2e-6);
  assert_vector_near (sample_vector (&test, "object.at_rest", 0.5, 3.2, 0.25), 0.5, 0.2, -0.25, 2e-6);
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
  node_test_fails_saying (&test, "keys.keys", 0, "line 1 has 1 segments, but 2 at rest");
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
  node_test_set (&test, "keys", "table", "[[0, 0, 0]]");
  node_test_warns (&test, "object.field", "1 key has a power below 0.5 or above 64: the nearest of these is used");
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

static size_t
count_keys (NodeTest *test)
{
  g_auto (KgValue) keys = node_test_get (test, "between.keys", 0);

  return kg_geometry_get_n_points (keys.geometry);
}

/* The force of all keys between. */
static double
add_forces (NodeTest *test)
{
  g_auto (KgValue) keys = node_test_get (test, "between.keys", 0);
  const float *force = kg_geometry_get_float (keys.geometry, KG_POINTS, "force", 1);
  double sum = 0;

  g_assert_nonnull (force);
  for (size_t i = 0; i < kg_geometry_get_n_points (keys.geometry); i++)
    sum += (double) force[i];
  return sum;
}

/* 20-177: by order and by hand.  Pairs that another way to match found, typed into the table, give the same keys; a row that is
 * changed changes its key alone; keys of several rows are split, and those of none fade. */
static void
test_by_hand (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "a", "table", "[[0, 0, 0], [1, 0, 0], [2, 0, 0]]", NULL);
  node_test_add (&test, "soft/keys", "b", "table", "[[2, 3, 0], [1, 3, 0], [0, 3, 0], [5, 3, 0]]", NULL);
  node_test_add (&test, "morph/soft_keys", "between", "source", "{\"link\": \"a.keys\"}", "destination",
                 "{\"link\": \"b.keys\"}", "match", "\"order\"", "amount", "0.5", NULL);
  /* Key k with key k, the longer rest from nothing. */
  g_assert_cmpuint (count_keys (&test), ==, 4);
  g_assert_cmpfloat (node_test_number (&test, "between.matched", 0), ==, 3);
  g_assert_cmpfloat (node_test_number (&test, "between.growing", 0), ==, 1);
  assert_near (add_forces (&test), 3.5, 1e-6);
  {
    g_auto (KgValue) order = node_test_get (&test, "between.keys", 0);

    node_test_set (&test, "between", "match", "\"pairs\"");
    node_test_set (&test, "between", "by_hand", "[[0, 0], [1, 1], [2, 2], [null, 3]]");
    {
      g_auto (KgValue) hand = node_test_get (&test, "between.keys", 0);

      g_assert_true (kg_value_equal (&order, &hand));
    }
  }
  /* Corrected so that none passes another. */
  g_assert_cmpfloat (node_test_number (&test, "between.crossings", 0), >, 0);
  node_test_set (&test, "between", "by_hand", "[[0, 2], [1, 1], [2, 0]]");
  g_assert_cmpfloat (node_test_number (&test, "between.crossings", 0), ==, 0);
  g_assert_cmpfloat (node_test_number (&test, "between.growing", 0), ==, 1);
  {
    g_auto (KgValue) keys = node_test_get (&test, "between.keys", 0);
    const float *p = kg_geometry_get_positions (keys.geometry);

    for (int i = 0; i < 3; i++) {
      assert_near ((double) p[3 * i], i, 1e-6);
      assert_near ((double) p[3 * i + 1], 1.5, 1e-6);
    }
  }
  /* One becomes three, two fade. */
  node_test_set (&test, "between", "by_hand", "[[1, 0], [1, 1], [1, 2], [0, null]]");
  g_assert_cmpfloat (node_test_number (&test, "between.matched", 0), ==, 3);
  g_assert_cmpfloat (node_test_number (&test, "between.shrinking", 0), ==, 2);
  for (int k = 0; k <= 4; k++) {
    node_test_set_number (&test, "between", "amount", k / 4.0);
    assert_near (add_forces (&test), 3 + k / 4.0, 1e-6);
  }
  node_test_set (&test, "between", "by_hand", "[[1, 0], [3, 1]]");
  node_test_fails_saying (&test, "between.keys", 0, "row 2: the source has no key 3");
  node_test_set (&test, "between", "by_hand", "[[1, 0.5]]");
  node_test_fails_saying (&test, "between.keys", 0, "row 1: the destination has no key 0.5");
  /* Without a row all of one model fades into the other. */
  node_test_set (&test, "between", "by_hand", "[]");
  g_assert_cmpfloat (node_test_number (&test, "between.matched", 0), ==, 0);
  g_assert_cmpuint (count_keys (&test), ==, 7);
  node_test_clear (&test);
}

/* 20-185: a pair of keys becomes a row that others grow into.  It falls apart on the way; tied, it is one piece at every amount,
 * and the models at both ends have the same bits as without. */
static void
test_tethers (void)
{
  NodeTest test = node_test_new ();
  bool apart = false;

  node_test_add (&test, "soft/keys", "a", "table", "[[0, 0, 0], [1, 0, 0]]", NULL);
  node_test_add (&test, "soft/keys", "b", "table",
                 "[[-2, 0, 0], [3, 0, 0], [-1, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0]]", NULL);
  node_test_add (&test, "morph/soft_keys", "between", "source", "{\"link\": \"a.keys\"}", "destination",
                 "{\"link\": \"b.keys\"}", "match", "\"order\"", NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"between.keys\"}]", NULL);
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"object.field\"}", "cell", "0.05", NULL);
  for (int k = 0; k <= 20; k++) {
    node_test_set_number (&test, "between", "amount", k / 20.0);
    node_test_set (&test, "between", "tethers", "false");
    apart |= node_test_number (&test, "skin.pieces", 0) > 1;
    g_assert_cmpfloat (node_test_number (&test, "between.helpers", 0), ==, 0);
    {
      g_auto (KgValue) without = node_test_get (&test, "between.keys", 0);

      node_test_set (&test, "between", "tethers", "true");
      g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), ==, 1);
      if (k == 0 || k == 20) {
        g_auto (KgValue) with = node_test_get (&test, "between.keys", 0);

        g_assert_true (kg_value_equal (&without, &with));
      }
    }
  }
  g_assert_true (apart);
  /* Keys that are apart in both models are not tied. */
  node_test_set (&test, "a", "table", "[[0, 0, 0], [5, 0, 0]]");
  node_test_set (&test, "b", "table", "[[0, 3, 0], [5, 9, 0]]");
  node_test_set (&test, "between", "amount", "0.5");
  g_assert_cmpfloat (node_test_number (&test, "between.helpers", 0), ==, 0);
  /* One key that is split into two is tied to itself: with helpers as for the 10 m in the end. */
  node_test_set (&test, "a", "table", "[[0, 0, 0]]");
  node_test_set (&test, "b", "table", "[[-5, 0, 0], [5, 0, 0]]");
  node_test_set (&test, "between", "match", "\"pairs\"");
  node_test_set (&test, "between", "by_hand", "[[0, 0], [0, 1]]");
  assert_near (node_test_number (&test, "between.helpers", 0), ceil (2 * 10 / 1.33) - 1, 0);
  node_test_clear (&test);
}

/* 20-185: every method on the rabbit that becomes a man, with ties: no more pieces than without. */
static void
test_tethered_rabbit (void)
{
  static const char *const methods[] = { "\"cells\"", "\"order\"", "\"transport\"" };
  NodeTest test = node_test_open_example ("rabbit_to_man.json");

  node_test_set (&test, "skin", "cell", "0.03");
  for (size_t m = 0; m < G_N_ELEMENTS (methods); m++) {
    node_test_set (&test, "between", "match", methods[m]);
    for (int k = 1; k < 4; k++) {
      double without;

      node_test_set_number (&test, "between", "amount", k / 4.0);
      node_test_set (&test, "between", "tethers", "false");
      without = node_test_number (&test, "skin.pieces", 0);
      node_test_set (&test, "between", "tethers", "true");
      g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), <=, without);
    }
  }
  node_test_clear (&test);
}

/* 20-176: a key whose size is that of its body grows from nothing by its force: it keeps its influence, so that its body grows
 * evenly to its size and is never larger; the radius at three quarters of the way is the catalogue's. */
static void
test_growing_body (void)
{
  NodeTest test = node_test_new ();
  double before = 0;

  node_test_add (&test, "soft/keys", "none", "table", "[[90, 0, 0]]", NULL);
  node_test_add (&test, "soft/keys", "ball", "table", "[[90, 0, 0], [0, 0, 0]]", NULL);
  node_test_add (&test, "morph/soft_keys", "between", "source", "{\"link\": \"none.keys\"}", "destination",
                 "{\"link\": \"ball.keys\"}", "match", "\"order\"", NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"between.keys\"}]", NULL);
  node_test_add (&test, "geometry/line", "over", "start", "[0, 3, 0]", "end", "[0, 3, 0]", "points", "2", NULL);
  node_test_add (&test, "soft/ray", "ray", "samples", "{\"link\": \"over.geometry\"}", "field",
                 "{\"link\": \"object.field\"}", NULL);
  for (int k = 0; k <= 40; k++) {
    double radius;

    node_test_set_number (&test, "between", "amount", k / 40.0);
    radius = k > 20 ? 3 - node_test_number (&test, "ray.nearest", 0) : 0;
    g_assert_cmpfloat (radius, >=, before);
    g_assert_cmpfloat (radius, <=, 0.5 + 1e-6);
    if (k == 30)
      assert_near (radius, 0.3925, 1e-3);
    before = radius;
  }
  assert_near (before, 0.5, 1e-6);
  node_test_clear (&test);
}

/* 20-176: keys of a part with an arc rise by it in the middle of their way, others go straight; both ends have the bits of
 * before, and keys that grow go along theirs too. */
static void
test_arcs (void)
{
  NodeTest test = node_test_new ();

  node_test_add (
      &test, "soft/keys", "a", "table",
      "[[0, 0, 0, null, null, null, null, null, 0, 0, 0, null, 1], [0, 5, 0, null, null, null, null, null, 0, 0, 0, null, 2]]",
      NULL);
  node_test_add (
      &test, "soft/keys", "b", "table",
      "[[2, 0, 0, null, null, null, null, null, 0, 0, 0, null, 1], [2, 5, 0, null, null, null, null, null, 0, 0, 0, null, 2]]",
      NULL);
  node_test_add (&test, "morph/soft_keys", "between", "source", "{\"link\": \"a.keys\"}", "destination",
                 "{\"link\": \"b.keys\"}", "match", "\"cells\"", NULL);
  for (int k = 0; k <= 8; k++) {
    const double t = k / 8.0;
    g_auto (KgValue) straight = KG_VALUE_INIT, bent = KG_VALUE_INIT;
    const float *p;

    node_test_set_number (&test, "between", "amount", t);
    node_test_set (&test, "between", "arcs", "[]");
    straight = node_test_get (&test, "between.keys", 0);
    node_test_set (&test, "between", "arcs", "[[1, 0, 0.5, -1], [7, 9, 9, 9]]");
    bent = node_test_get (&test, "between.keys", 0);
    g_assert_true (kg_value_equal (&straight, &bent) == (k == 0 || k == 8));
    p = kg_geometry_get_positions (bent.geometry);
    assert_near ((double) p[0], 2 * t, 1e-6);
    assert_near ((double) p[1], 2 * t * (1 - t), 1e-6);
    assert_near ((double) p[2], -4 * t * (1 - t), 1e-6);
    g_assert_cmpmem (p + 3, 3 * sizeof *p, kg_geometry_get_positions (straight.geometry) + 3, 3 * sizeof *p);
  }
  /* Of surfaces nothing moves. */
  node_test_set (&test, "between", "amount", "0.5");
  node_test_set (&test, "between", "match", "\"surface\"");
  {
    g_auto (KgValue) keys = node_test_get (&test, "between.keys", 0);

    g_assert_cmpfloat (kg_geometry_get_positions (keys.geometry)[1], ==, 0);
  }
  node_test_clear (&test);
}

/* The largest difference between the fields of two outputs of keys, at places around them. */
static double
get_difference (NodeTest *test, const char *first, const char *second)
{
  const char *const outputs[] = { first, second };
  float values[2][500];
  double most = 0;

  for (guint side = 0; side < 2; side++) {
    g_autofree char *keys = g_strdup_printf ("[{\"link\": \"%s\"}]", outputs[side]);
    g_auto (KgValue) field = KG_VALUE_INIT;
    float places[3 * G_N_ELEMENTS (values[0])];

    node_test_set (test, "object", "keys", keys);
    field = node_test_get (test, "object.field", 0);
    for (guint i = 0; i < G_N_ELEMENTS (places); i++)
      places[i] = (float) (4 * kg_random_uniform (8, 0, i) - 1.6);
    kg_field_sample_points (field.field, places, G_N_ELEMENTS (values[0]), 0, values[side]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (values[0]); i++)
    most = MAX (most, fabs ((double) values[0][i] - (double) values[1][i]));
  return most;
}

/* 20-176: the ends are the models, by every way to match, whether keys tell their body or their influence, are sheared boxes, or
 * planes; and nothing jumps in the middle. */
static void
test_ends (void)
{
  static const char *const matches[] = { "\"cells\"",           "\"order\"",     "\"id\"",
                                         "\"surface\"",         "\"transport\"", "\"hierarchy\"",
                                         "\"hierarchy_cells\"", "\"pairs\"" };
  static const struct {
    const char *first, *second, *first_as, *second_as, *first_kind, *axes;
  } facts[] = { { "0 0 0 .5 .4 .6 2 1 10 20 30\\n.6 .2 .1 .3 .5 .3 3 1.2\\n.2 -.3 .4 .4 .4 .4 2 -.7",
                  "1 0 0 .6 .3 .3 2 1 40 0 0\\n.5 .6 -.2 .4 .3 .5\\n.1 .1 .1 .5 .5 .5 4 .8\\n1.2 -.3 .2 .4 .4 .4",
                  "body", "influence", "ellipsoid", "rotation" },
                { "0 0 0 .5 .4 .6 4 1 10 20 30\\n.6 .2 .1 .3 .5 .3 3 1.2 0 30 50", "0 0\\n.5 .5", "influence", "body",
                  "ellipsoid", "vectors" },
                { "0 0 0 .5 .4 .6 4 1 10 20 30\\n.6 .2 .1 .3 .5 .3 3 1.2 0 30 50",
                  "0 0\\n.5 .5\\n1 0 0 .3 .5 .3 4 1 9 8 7", "body", "body", "ellipsoid", "rotation" },
                { "0 -0.3", "0 0 0 .5 .5 .5\\n1 0 0", "influence", "body", "plane", "rotation" } };
  NodeTest test = soft_test_new ("[]", "\"body\"");

  node_test_add (&test, "soft/keys", "a", NULL);
  node_test_add (&test, "geometry/transform", "sheared", "geometry", "{\"link\": \"a.keys\"}", "scale", "[2, 1, 0.5]",
                 "rotate", "[0, 0, 40]", NULL);
  /* Planes show only where there is something. */
  node_test_add (&test, "geometry/merge", "first", "geometries",
                 "[{\"link\": \"sheared.transformed\"}, {\"link\": \"keys.keys\"}]", NULL);
  node_test_add (&test, "soft/keys", "second", NULL);
  node_test_add (&test, "morph/soft_keys", "m", "source", "{\"link\": \"first.geometry\"}", "destination",
                 "{\"link\": \"second.keys\"}", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    const char *const values[][3] = { { "a", "table", facts[i].first },    { "second", "table", facts[i].second },
                                      { "a", "as", facts[i].first_as },    { "second", "as", facts[i].second_as },
                                      { "keys", "as", facts[i].first_as }, { "a", "kind", facts[i].first_kind },
                                      { "m", "axes", facts[i].axes } };

    for (guint k = 0; k < G_N_ELEMENTS (values); k++) {
      g_autofree char *quoted = g_strdup_printf ("\"%s\"", values[k][2]);

      node_test_set (&test, values[k][0], values[k][1], quoted);
    }
    for (guint k = 0; k < G_N_ELEMENTS (matches); k++) {
      node_test_set (&test, "m", "match", matches[k]);
      node_test_set (&test, "m", "amount", "0");
      assert_near (get_difference (&test, "m.keys", "first.geometry"), 0, 1e-6);
      node_test_set (&test, "m", "amount", "1");
      assert_near (get_difference (&test, "m.keys", "second.keys"), 0, 1e-6);
    }
    node_test_add (&test, "morph/soft_keys", "later", "source", "{\"link\": \"first.geometry\"}", "destination",
                   "{\"link\": \"second.keys\"}", "amount", "0.5", "match", "\"order\"", "axes",
                   i == 1 ? "\"vectors\"" : "\"rotation\"", NULL);
    node_test_set (&test, "m", "match", "\"order\"");
    node_test_set (&test, "m", "amount", "0.49999999");
    assert_near (get_difference (&test, "m.keys", "later.keys"), 0, 1e-5);
    kg_graph_remove (test.graph, kg_graph_find (test.graph, "later"));
  }
  node_test_clear (&test);
}

/* 20-177: the table of the pairs of the rabbit and the man, found by cells, linked back as pairs by hand, gives the same. */
static void
test_corrected (void)
{
  NodeTest test = node_test_open_example ("rabbit_to_man.json");

  node_test_add (&test, "morph/soft_keys", "hand", "source", "{\"link\": \"rabbit.keys\"}", "destination",
                 "{\"link\": \"man.keys\"}", "match", "\"pairs\"", "by_hand", "{\"link\": \"between.pairs\"}", NULL);
  g_assert_cmpfloat (node_test_number (&test, "hand.matched", 0), ==, 24);
  g_assert_cmpfloat (node_test_number (&test, "hand.shrinking", 0), ==, 27);
  g_assert_cmpfloat (node_test_number (&test, "hand.growing", 0), ==, 29);
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
  /* Weights of one's own: that of linear fades a quarter of the way. */
  node_test_set (&test, "between", "weights", "\"given\"");
  node_test_set (&test, "between", "fading", "0.75");
  node_test_set (&test, "between", "rising", "{\"expr\": \"2*t\"}");
  {
    g_auto (KgValue) field = node_test_get (&test, "object.field", 0.5);
    float values[2];

    kg_field_sample_points (field.field, (const float[]){ 0.3924704f, 0, 0, 4.5f, 0, 0 }, 2, 0, values);
    assert_near ((double) values[0], 0.5, 1e-5);
    assert_near ((double) values[1], 0.5, 1e-5);
  }
  /* In one place sine and cosine swell by the root of two, unless the models are groups that are softened by 0.5. */
  node_test_set (&test, "between", "weights", "\"sine-cosine\"");
  node_test_set (&test, "b", "table", "[[0, 0, 0, 1, 1, 1]]");
  node_test_set (&test, "between", "amount", "0.3");
  for (int grouped = 0; grouped < 2; grouped++) {
    g_auto (KgValue) field = KG_VALUE_INIT;
    const double sum = cos (0.15 * G_PI) + sin (0.15 * G_PI);
    float values[2];

    node_test_set (&test, "b", "group", grouped ? "1" : "0");
    node_test_set (&test, "object", "soften", grouped ? "0.5" : "0");
    field = node_test_get (&test, "object.field", 0);
    kg_field_sample_points (field.field, (const float[]){ 0.5f, 0, 0, 0.25f, 0, 0 }, 2, 0, values);
    assert_near ((double) values[0], grouped ? 0.5 : 0.5 * sum, 1e-6);
    assert_near ((double) values[1], 0.85449219 * (grouped ? 1 : sum), 1e-6);
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
  node_test_fails_saying (&test, "between.keys", 0, "part 1 is attached to itself");
  node_test_set (&test, "b", "table",
                 "[[0, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 1, 2], [0, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0, 0, 1, 3]]");
  node_test_fails_saying (&test, "between.keys", 0, "key 1 attaches part 1 to part 3");
  node_test_clear (&test);
}

/* 20-178: the tree of the paper's figure 24 written as paths, in geometries that are merged; and a part without keys. */
static void
test_paths (void)
{
  static const char *const paths[2][5] = { { "man", "man/a", "man/b", "/man/a//left/", "man/a/right" },
                                           { "man", "man/a", "man/a/p", "man/a/q", "man/a/left" } };
  NodeTest test = node_test_new ();

  for (guint side = 0; side < 2; side++) {
    g_autofree char *merged = g_strdup_printf ("merged%u", side);
    g_autoptr (GString) list = g_string_new ("[");

    for (guint i = 0; i < 5; i++) {
      g_autofree char *name = g_strdup_printf ("k%u%u", side, i), *path = g_strdup_printf ("\"%s\"", paths[side][i]);
      g_autofree char *table = g_strdup_printf ("[[%u, %u, 0]]", i, side);

      node_test_add (&test, "soft/keys", name, "table", table, "part_path", path, NULL);
      g_string_append_printf (list, "%s{\"link\": \"%s.keys\"}", i > 0 ? ", " : "", name);
    }
    g_string_append_c (list, ']');
    node_test_add (&test, "geometry/merge", merged, "geometries", list->str, NULL);
  }
  node_test_add (&test, "morph/soft_keys", "between", "source", "{\"link\": \"merged0.geometry\"}", "destination",
                 "{\"link\": \"merged1.geometry\"}", "match", "\"hierarchy\"", NULL);
  assert_row (&test, "between.levels", 0, 1, 0, 0);
  assert_row (&test, "between.levels", 1, 2, 0, 1);
  assert_row (&test, "between.levels", 2, 3, 1, 0);
  assert_row (&test, "between.pairs", 0, 0, 0, 0);
  assert_row (&test, "between.pairs", 1, 1, 1, 0);
  assert_row (&test, "between.pairs", 2, 2, NAN, 0);
  /* Left with left, right with the first of the others. */
  assert_row (&test, "between.pairs", 3, 3, 4, 0);
  assert_row (&test, "between.pairs", 4, 4, 2, 0);
  assert_row (&test, "between.pairs", 5, NAN, 3, 0);
  {
    g_auto (KgValue) keys = node_test_get (&test, "between.keys", 0);

    g_assert_cmpstr (kg_geometry_get_text (keys.geometry, KG_POINTS, "path", 4), ==, "man/a/right");
  }
  /* Other ways match parts by whole paths. */
  node_test_set (&test, "between", "match", "\"cells\"");
  node_test_set (&test, "between", "cells", "1");
  g_assert_cmpfloat (node_test_number (&test, "between.matched", 0), ==, 3);
  /* The trunk has no keys of its own: its level is there all the same. */
  node_test_set (&test, "between", "match", "\"hierarchy\"");
  for (guint side = 0; side < 2; side++) {
    g_autofree char *first = g_strdup_printf ("k%u1", side);

    node_test_set (&test, first, "part_path", "\"man\"");
  }
  assert_row (&test, "between.levels", 1, 2, 0, 1);
  assert_row (&test, "between.levels", 2, 3, 1, 0);
  /* A model without paths has the numbers of its parts. */
  for (guint i = 0; i < 5; i++) {
    g_autofree char *name = g_strdup_printf ("k1%u", i);

    node_test_set (&test, name, "part_path", "\"\"");
  }
  assert_row (&test, "between.levels", 0, 1, 0, 0);
  g_assert_cmpfloat (node_test_number (&test, "between.matched", 0), ==, 2);
  node_test_clear (&test);
}

/* 20-176: what morphs are keys, and not the lines that they lie on. */
static void
test_morph_of_lines (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "line", NULL);
  node_test_add (&test, "soft/keys", "keys", NULL);
  node_test_add (&test, "morph/soft_keys", "between", "source", "{\"link\": \"line.geometry\"}", "destination",
                 "{\"link\": \"keys.keys\"}", NULL);
  node_test_warns (&test, "between.keys", "come apart into balls");
  node_test_set (&test, "between", "source", "{\"link\": \"keys.keys\"}");
  node_test_is_quiet (&test, "between.keys", 0);
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

/* 20-152: fields of the wrong kind are named by the input that takes them. */
static void
test_wrong_fields (void)
{
  static const char *const one[][2] = { { "soft/polygonize", "skin.geometry" },
                                        { "soft/ray", "skin.hit" },
                                        { "soft/collide", "skin.hit" } };

  for (guint i = 0; i < G_N_ELEMENTS (one); i++) {
    NodeTest test = node_test_new ();

    node_test_add (&test, "field/formula", "flow", "formula", "\"[x, y, z]\"", NULL);
    node_test_add (&test, "field/formula", "body", "formula", "\"1/x\"", NULL);
    node_test_add (&test, "geometry/grid", "grid", NULL);
    node_test_add (&test, one[i][0], "skin", "field", "{\"link\": \"flow.field\"}", NULL);
    if (i > 0)
      node_test_set (&test, "skin", "samples", "{\"link\": \"grid.geometry\"}");
    node_test_fails_saying (&test, one[i][1], 0, "field is a field of vectors: link a field of numbers");
    if (i == 0) {
      node_test_set (&test, "skin", "field", "{\"link\": \"body.field\"}");
      node_test_set (&test, "skin", "color", "{\"link\": \"body.field\"}");
      node_test_fails_saying (&test, one[i][1], 0, "color is a field of numbers: link a field of colours");
    }
    node_test_clear (&test);
  }
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
/* 55-82: points of the surface of a ball that moves have its velocity along their normals, by every surface; of one that grows
 * the rate of its radius; a level that rises counts as well. */
static void
test_velocities (void)
{
  static const char *const surfaces[] = { "\"polygons\"", "\"dual\"" };
  NodeTest test = soft_test_new ("[[0, 0, 0, 0.5, 0.5, 0.5]]", "\"body\"");
  const KgVector u = { 1.5, -0.5, 0.25 };

  node_test_add (&test, "geometry/transform", "moved", "geometry", "{\"link\": \"keys.keys\"}", "translate",
                 "{\"expr\": \"1.5*t, -0.5*t, 0.25*t\"}", NULL);
  node_test_set (&test, "object", "keys", "[{\"link\": \"moved.transformed\"}]");
  node_test_set (&test, "skin", "cell", "0.11");
  node_test_set (&test, "skin", "velocity", "true");
  for (guint s = 0; s < G_N_ELEMENTS (surfaces); s++) {
    g_auto (KgValue) skin = KG_VALUE_INIT;
    const float *v, *normals;

    node_test_set (&test, "skin", "surface", surfaces[s]);
    skin = node_test_get (&test, "skin.geometry", 0.37);
    v = kg_geometry_get_float (skin.geometry, KG_POINTS, "v", 3);
    normals = kg_geometry_get_float (skin.geometry, KG_POINTS, "N", 3);
    g_assert_cmpuint (kg_geometry_get_n_points (skin.geometry), >, 300);
    for (size_t i = 0; i < kg_geometry_get_n_points (skin.geometry); i++) {
      const KgVector at = { (double) v[3 * i], (double) v[3 * i + 1], (double) v[3 * i + 2] };
      const KgVector n = { (double) normals[3 * i], (double) normals[3 * i + 1], (double) normals[3 * i + 2] };

      assert_near (kg_vector_dot (at, n), kg_vector_dot (u, n), 2e-4);
      assert_near (kg_vector_length (at), fabs (kg_vector_dot (u, n)), 2e-4);
    }
  }
  node_test_set (&test, "skin", "surface", "\"polygons\"");
  node_test_set (&test, "moved", "translate", "[0, 0, 0]");
  node_test_set (&test, "moved", "scale", "{\"expr\": \"1 + 0.8*t, 1 + 0.8*t, 1 + 0.8*t\"}");
  {
    g_auto (KgValue) skin = node_test_get (&test, "skin.geometry", 0.5);
    const float *v = kg_geometry_get_float (skin.geometry, KG_POINTS, "v", 3);

    for (size_t i = 0; i < kg_geometry_get_n_points (skin.geometry); i++)
      assert_near (sqrt (pow ((double) v[3 * i], 2) + pow ((double) v[3 * i + 1], 2) + pow ((double) v[3 * i + 2], 2)),
                   0.4, 2e-4);
  }
  /* r of the level 1/2 + t/10: C' is -19/12 there, in units of the influence of a metre. */
  node_test_set (&test, "moved", "scale", "[1, 1, 1]");
  node_test_set (&test, "keys", "as", "\"influence\"");
  node_test_set (&test, "keys", "table", "[[0, 0, 0, 1, 1, 1]]");
  node_test_set (&test, "object", "level", "{\"expr\": \"0.5 + 0.1*t\"}");
  {
    g_auto (KgValue) skin = node_test_get (&test, "skin.geometry", 0);
    const float *v = kg_geometry_get_float (skin.geometry, KG_POINTS, "v", 3),
                *p = kg_geometry_get_positions (skin.geometry);

    for (size_t i = 0; i < kg_geometry_get_n_points (skin.geometry); i++)
      assert_near ((double) v[3 * i] * (double) p[3 * i] + (double) v[3 * i + 1] * (double) p[3 * i + 1] +
                       (double) v[3 * i + 2] * (double) p[3 * i + 2],
                   -0.5 * 0.1 * 12 / 19, 1e-4);
  }
  node_test_clear (&test);
}

/* 20-146: a blend of balls grows beyond both: 2 − d + 1 ≥ 1 with the sum of distances d is an ellipsoid of half axis 1.  Ricci's of
 * two in one place with p = 2 is a ball of 1.5 − sqrt (1/2), of three in two steps larger still; and a level that is asked for
 * has a box of its own, also of boxes and superquadrics. */
static void
test_bounds_of_blends (void)
{
  NodeTest test = node_test_new ();
  const double b2 = 1 - 0.15 * 0.15, radius = 1.5 - sqrt (0.5);

  node_test_add (&test, "transform/compose", "t", "translate", "[0.3, 0, 0]", NULL);
  node_test_add (&test, "soft/implicit", "a", NULL);
  node_test_add (&test, "soft/implicit", "b", "transform", "{\"link\": \"t.transform\"}", NULL);
  node_test_add (&test, "soft/combine", "both", "fields", "[{\"link\": \"a.field\"}, {\"link\": \"b.field\"}]",
                 "operation", "\"blend\"", NULL);
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"both.field\"}", "cell", "0.04", NULL);
  node_test_is_quiet (&test, "skin.volume", 0);
  assert_near (node_test_number (&test, "skin.volume", 0), 4 * G_PI / 3 * b2, 8e-3);
  node_test_set (&test, "t", "translate", "[0, 0, 0]");
  node_test_set (&test, "both", "operation", "\"ricci-union\"");
  node_test_set (&test, "both", "p", "2");
  node_test_is_quiet (&test, "skin.volume", 0);
  assert_near (node_test_number (&test, "skin.volume", 0), 4 * G_PI / 3 * pow (radius, 3), 4e-3);
  /* A blend of a blend: h = sqrt (3) (1.5 − r) = 1. */
  node_test_add (&test, "soft/combine", "three", "fields", "[{\"link\": \"both.field\"}, {\"link\": \"a.field\"}]",
                 "operation", "\"ricci-union\"", "p", "2", NULL);
  node_test_set (&test, "skin", "field", "{\"link\": \"three.field\"}");
  node_test_is_quiet (&test, "skin.volume", 0);
  assert_near (node_test_number (&test, "skin.volume", 0), 4 * G_PI / 3 * pow (1.5 - 1 / sqrt (3), 3), 5e-3);
  /* The level 0.8 of a ball is 0.2 m outside of it, that of a superquadric at 1.2 of its size. */
  node_test_set (&test, "skin", "leveling", "\"given\"");
  node_test_set (&test, "skin", "level", "0.8");
  node_test_set (&test, "skin", "field", "{\"link\": \"a.field\"}");
  node_test_is_quiet (&test, "skin.volume", 0);
  assert_near (node_test_number (&test, "skin.volume", 0), 4 * G_PI / 3 * pow (0.7, 3), 4e-3);
  node_test_set (&test, "a", "shape", "\"superquadric\"");
  node_test_is_quiet (&test, "skin.volume", 0);
  assert_near (node_test_number (&test, "skin.volume", 0), 4 * G_PI / 3 * pow (0.6, 3), 4e-3);
  node_test_set (&test, "skin", "level", "0");
  node_test_fails_saying (&test, "skin.volume", 0, "no bounds of its own at the level 0");
  /* What is cut off where its seed is, is found from there along another way. */
  node_test_set (&test, "skin", "leveling", "\"field\"");
  node_test_set (&test, "a", "shape", "\"sphere\"");
  node_test_set (&test, "t", "translate", "[0.3, 0, 0]");
  node_test_set (&test, "both", "operation", "\"difference\"");
  node_test_set (&test, "skin", "field", "{\"link\": \"both.field\"}");
  node_test_is_quiet (&test, "skin.volume", 0);
  g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), ==, 1);
  node_test_clear (&test);
}

/* 20-154: what passes between the corners of the cells is told, by every method, also beside what is seen. */
static void
test_thin (void)
{
  static const char *const methods[] = { "\"walk\"", "\"full\"", "\"octree\"", "\"adaptive\"" };
  NodeTest test = soft_test_new ("[[0.03, 0.02, 0.03, 0.02, 0.02, 0.02]]", "\"body\"");

  node_test_set (&test, "skin", "cell", "0.1");
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    node_test_set (&test, "skin", "method", methods[i]);
    node_test_set (&test, "keys", "table", "[[0.03, 0.02, 0.03, 0.02, 0.02, 0.02]]");
    node_test_warns (&test, "skin.cubes", "thinner than a cell at 1 of its keys and is missing there");
    /* A sheet between two layers. */
    node_test_set (&test, "keys", "table", "[[0.03, 0.05, 0.03, 1, 0.02, 1]]");
    node_test_warns (&test, "skin.cubes", "thinner than a cell at 1 of its keys");
    node_test_set (
        &test, "keys", "table",
        "[[0, 0, 0, 0.5, 0.5, 0.5], [2.05, 0.05, 0.05, 0.02, 0.02, 0.02], [3.05, 0.05, 0.05, 0.02, 0.02, 0.02]]");
    node_test_warns (&test, "skin.cubes", "thinner than a cell at 2 of its keys");
    g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), ==, 1);
    node_test_set (&test, "keys", "table", "[[0.03, 0.02, 0.03, 0.2, 0.2, 0.2], [0.1, 0.02, 0.03, 0.02, 0.02, 0.02]]");
    node_test_is_quiet (&test, "skin.cubes", 0);
  }
  node_test_clear (&test);
}

/* 20-148, 20-140: nothing but negative keys or planes is no body, and an asked-for level that nothing reaches has no surface. */
static void
test_nothing (void)
{
  NodeTest test = soft_test_new ("[[0, 0, 0, 0.5, 0.5, 0.5, 2, -1], [1, 0, 0, 0.5, 0.5, 0.5, 2, -2]]", "\"body\"");

  g_assert_cmpfloat (node_test_number (&test, "skin.cubes", 0), ==, 0);
  node_test_warns (&test, "object.field", "all keys are negative or planes");
  node_test_set (&test, "keys", "table", "[[0, 0, 0, 0.5, 0.5, 0.5]]");
  node_test_set (&test, "keys", "kind", "\"plane\"");
  node_test_warns (&test, "object.field", "all keys are negative or planes");
  node_test_set (&test, "keys", "kind", "\"ellipsoid\"");
  node_test_is_quiet (&test, "object.field", 0);
  node_test_is_quiet (&test, "skin.cubes", 0);
  node_test_set (&test, "skin", "leveling", "\"given\"");
  node_test_set (&test, "skin", "level", "1.25");
  node_test_warns (&test, "skin.cubes", "does not reach the level of 1.25 anywhere");
  node_test_clear (&test);
}

/* 20-154: a body that fills the box along one way is found along another, from its key. */
static void
test_filled_way (void)
{
  NodeTest test = soft_test_new ("[[0, 0, 0, 0.5, 0.5, 0.5]]", "\"body\"");
  static const char *const corners[][2] = { { "[-1, -1, -1]", "[0.1, 1, 1]" },
                                            { "[-1, -0.2, -0.2]", "[0.1, 0.2, 0.2]" },
                                            { "[-0.2, -0.1, -1]", "[0.1, 0.2, 0.2]" } };

  node_test_set (&test, "skin", "bounds", "\"given\"");
  for (guint i = 0; i < G_N_ELEMENTS (corners); i++) {
    double cubes;

    node_test_set (&test, "skin", "method", "\"full\"");
    node_test_set (&test, "skin", "low", corners[i][0]);
    node_test_set (&test, "skin", "high", corners[i][1]);
    cubes = node_test_number (&test, "skin.cubes", 0);
    g_assert_cmpfloat (cubes, >, 0);
    node_test_set (&test, "skin", "method", "\"walk\"");
    g_assert_cmpfloat (node_test_number (&test, "skin.cubes", 0), ==, cubes);
    {
      g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "skin"));

      /* The box cuts the body; nothing is said of keys. */
      g_assert_cmpuint (g_strv_length (warnings), ==, 1);
      g_assert_nonnull (strstr (warnings[0], "open there"));
    }
  }
  node_test_clear (&test);
}

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
  g_test_add_func ("/soft/20-162-boxes", test_boxes);
  g_test_add_func ("/soft/20-163-colors", test_colors);
  g_test_add_func ("/soft/20-163-rest", test_rest);
  g_test_add_func ("/soft/20-163-rest-of-lines", test_rest_of_lines);
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
  g_test_add_func ("/soft/20-177-by-hand", test_by_hand);
  g_test_add_func ("/soft/20-176-growing-body", test_growing_body);
  g_test_add_func ("/soft/20-185-tethers", test_tethers);
  g_test_add_func ("/soft/20-185-tethered-rabbit", test_tethered_rabbit);
  g_test_add_func ("/soft/20-176-ends", test_ends);
  g_test_add_func ("/soft/20-177-corrected", test_corrected);
  g_test_add_func ("/soft/20-179-20-181-rabbit", test_rabbit);
  g_test_add_func ("/soft/20-180-20-184-surface", test_surface);
  g_test_add_func ("/soft/20-176-axes", test_axes);
  g_test_add_func ("/soft/20-176-arcs", test_arcs);
  g_test_add_func ("/soft/20-178-hierarchy", test_hierarchy);
  g_test_add_func ("/soft/20-178-paths", test_paths);
  g_test_add_func ("/soft/20-176-lines", test_morph_of_lines);
  g_test_add_func ("/soft/20-171-stairs", test_stairs);
  g_test_add_func ("/soft/20-152-wrong-fields", test_wrong_fields);
  g_test_add_func ("/soft/20-152-bad", test_bad);
  g_test_add_func ("/soft/55-82-velocities", test_velocities);
  g_test_add_func ("/soft/20-146-20-018-bounds", test_bounds_of_blends);
  g_test_add_func ("/soft/20-154-thin", test_thin);
  g_test_add_func ("/soft/20-140-20-148-nothing", test_nothing);
  g_test_add_func ("/soft/20-154-filled-way", test_filled_way);
  g_test_add_func ("/soft/20-140-bad-rows", test_bad_rows);
  return g_test_run ();
}

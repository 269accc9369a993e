/* tests/nodes/geometry: shapes, and what is done to them, against closed forms.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <omp.h>

/* A measure called m on the slot. */
static void
measure (NodeTest *test, const char *target)
{
  g_autofree char *link = g_strdup_printf ("{\"link\": \"%s\"}", target);

  node_test_add (test, "geometry/measure", "m", "geometry", link, NULL);
}

/* The unit normal of a polygon from its first three corners. */
static KgVector
get_normal (const KgGeometry *geometry, size_t index)
{
  const float *p = kg_geometry_get_positions (geometry);
  KgPrimitive primitive;
  KgVector x[3];

  kg_geometry_get_primitive (geometry, index, &primitive);
  for (int k = 0; k < 3; k++) {
    const float *from = p + 3 * (size_t) primitive.vertices[k];

    x[k] = kg_vector ((double) from[0], (double) from[1], (double) from[2]);
  }
  return kg_vector_normalize_or (kg_vector_cross (kg_vector_subtract (x[1], x[0]), kg_vector_subtract (x[2], x[0])),
                                 kg_vector (0, 0, 0));
}

static void
test_grid (void)
{
  static const struct {
    const char *plane;
    KgVector size, normal;
  } cases[] = { { "\"xy\"", { 3, 2, 0 }, { 0, 0, 1 } },
                { "\"zx\"", { 2, 0, 3 }, { 0, 1, 0 } },
                { "\"yz\"", { 0, 3, 2 }, { 1, 0, 0 } } };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    NodeTest test = node_test_new ();

    node_test_add (&test, "geometry/grid", "g", "size", "[3, 2, 0]", "columns", "7", "rows", "5", "plane",
                   cases[k].plane, NULL);
    measure (&test, "g.geometry");
    assert_near (node_test_number (&test, "m.points", 0), 8 * 6, 0);
    assert_near (node_test_number (&test, "m.primitives", 0), 35, 0);
    assert_near (node_test_number (&test, "m.area", 0), 6, 1e-6);
    assert_near (node_test_number (&test, "m.closed", 0), 0, 0);
    assert_near (node_test_number (&test, "m.volume", 0), 0, 0);
    assert_vector_near (node_test_vector (&test, "m.size", 0), cases[k].size.x, cases[k].size.y, cases[k].size.z, 1e-6);
    assert_vector_near (node_test_vector (&test, "m.centroid", 0), 0, 0, 0, 1e-6);
    {
      g_auto (KgValue) grid = node_test_get (&test, "g.geometry", 0);

      for (size_t i = 0; i < 35; i++)
        assert_vector_near (get_normal (grid.geometry, i), cases[k].normal.x, cases[k].normal.y, cases[k].normal.z,
                            1e-5);
    }
    node_test_clear (&test);
  }
}

/* Closed, facing outwards: 6 d² squares on 6 d² + 2 points. */
static void
test_box (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "b", "size", "[1, 2, 3]", "center", "[10, 20, 30]", "divisions", "4", NULL);
  measure (&test, "b.geometry");
  assert_near (node_test_number (&test, "m.points", 0), 98, 0);
  assert_near (node_test_number (&test, "m.primitives", 0), 96, 0);
  assert_near (node_test_number (&test, "m.closed", 0), 1, 0);
  assert_near (node_test_number (&test, "m.area", 0), 22, 1e-4);
  assert_near (node_test_number (&test, "m.volume", 0), 6, 1e-4);
  assert_vector_near (node_test_vector (&test, "m.low", 0), 9.5, 19, 28.5, 1e-5);
  assert_vector_near (node_test_vector (&test, "m.high", 0), 10.5, 21, 31.5, 1e-5);
  assert_vector_near (node_test_vector (&test, "m.centroid", 0), 10, 20, 30, 1e-5);
  /* Turned inside out. */
  node_test_add (&test, "geometry/transform", "t", "geometry", "{\"link\": \"b.geometry\"}", "scale", "[-1, 1, 1]",
                 NULL);
  node_test_set (&test, "m", "geometry", "{\"link\": \"t.transformed\"}");
  assert_near (node_test_number (&test, "m.volume", 0), -6, 1e-4);
  node_test_clear (&test);
}

/* The solid between rings of n sides: its volume is that of the ball times the share of an n-gon in its circle, but for
 * the rings; all points on the sphere, all normals along the radius. */
static void
test_sphere (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/sphere", "s", "radius", "2", "center", "[1, -1, 3]", "segments", "256", "rings",
                 "128", NULL);
  measure (&test, "s.geometry");
  assert_near (node_test_number (&test, "m.points", 0), 127 * 256 + 2, 0);
  assert_near (node_test_number (&test, "m.primitives", 0), 128 * 256, 0);
  assert_near (node_test_number (&test, "m.closed", 0), 1, 0);
  assert_near (node_test_number (&test, "m.volume", 0), 4 * KG_PI / 3 * 8, 0.01);
  assert_near (node_test_number (&test, "m.area", 0), 16 * KG_PI, 0.01);
  assert_vector_near (node_test_vector (&test, "m.centroid", 0), 1, -1, 3, 1e-5);
  {
    g_auto (KgValue) sphere = node_test_get (&test, "s.geometry", 0);
    const float *p = kg_geometry_get_positions (sphere.geometry);
    const float *normals = kg_geometry_get_float (sphere.geometry, KG_POINTS, "N", 3);

    for (size_t i = 0; i < kg_geometry_get_n_points (sphere.geometry); i++) {
      const KgVector r = { (double) p[3 * i] - 1, (double) p[3 * i + 1] + 1, (double) p[3 * i + 2] - 3 };

      assert_near (kg_vector_length (r), 2, 1e-6);
      assert_vector_near (kg_vector_scale (r, 0.5), (double) normals[3 * i], (double) normals[3 * i + 1],
                          (double) normals[3 * i + 2], 1e-6);
    }
  }
  node_test_clear (&test);
}

/* Six times what the faces enclose with the origin, positive where they look outwards. */
static double
sum_volume (const KgGeometry *geometry)
{
  const float *p = kg_geometry_get_positions (geometry);
  double sum = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive face;

    kg_geometry_get_primitive (geometry, i, &face);
    for (uint32_t k = 2; k < face.n_vertices; k++) {
      const float *a = p + 3 * face.vertices[0], *b = p + 3 * face.vertices[k - 1], *c = p + 3 * face.vertices[k];
      const KgVector u = { (double) a[0], (double) a[1], (double) a[2] };
      const KgVector v = { (double) b[0], (double) b[1], (double) b[2] };
      const KgVector w = { (double) c[0], (double) c[1], (double) c[2] };

      sum += kg_vector_dot (u, kg_vector_cross (v, w));
    }
  }
  return sum;
}

/* With surface parameters: every point is where its longitude and latitude are, the faces are those of the closed ball,
 * and all look outwards. */
static void
test_sphere_parameters (void)
{
  NodeTest test = node_test_new ();
  double closed_area, closed_volume;

  node_test_add (&test, "geometry/sphere", "s", "radius", "2", "center", "[1, -1, 3]", "segments", "24", "rings", "7",
                 NULL);
  measure (&test, "s.geometry");
  closed_area = node_test_number (&test, "m.area", 0);
  closed_volume = node_test_number (&test, "m.volume", 0);
  node_test_set (&test, "s", "parameters", "true");
  assert_near (node_test_number (&test, "m.points", 0), 6 * 25 + 2 * 24, 0);
  assert_near (node_test_number (&test, "m.primitives", 0), 7 * 24, 0);
  assert_near (node_test_number (&test, "m.area", 0), closed_area, 1e-5);
  assert_near (node_test_number (&test, "m.closed", 0), 0, 0);
  for (int rings = 2; rings <= 7; rings += 5) {
    node_test_set_number (&test, "s", "rings", rings);
    g_auto (KgValue) sphere = node_test_get (&test, "s.geometry", 0);
    const float *p = kg_geometry_get_positions (sphere.geometry);
    const float *uv = kg_geometry_get_float (sphere.geometry, KG_POINTS, "uv", 2);

    if (rings == 7)
      assert_near (sum_volume (sphere.geometry) / 6, closed_volume, 1e-4);
    for (size_t i = 0; i < kg_geometry_get_n_points (sphere.geometry); i++) {
      const double longitude = 2 * KG_PI * (double) uv[2 * i], latitude = KG_PI * ((double) uv[2 * i + 1] - 0.5);

      g_assert_true (uv[2 * i] >= 0 && uv[2 * i] <= 1 && uv[2 * i + 1] >= 0 && uv[2 * i + 1] <= 1);
      assert_near ((double) p[3 * i], 1 + 2 * cos (latitude) * sin (longitude), 2e-6);
      assert_near ((double) p[3 * i + 1], -1 + 2 * sin (latitude), 2e-6);
      assert_near ((double) p[3 * i + 2], 3 + 2 * cos (latitude) * cos (longitude), 2e-6);
    }
  }
  node_test_clear (&test);
}

/* A regular polygon: n/2 r² sin (2π/n), 2 n r sin (π/n); an arc of 90 degrees in three chords. */
static void
test_circle_and_line (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/circle", "c", "radius", "2", "points", "12", "center", "[5, 6, 7]", NULL);
  measure (&test, "c.geometry");
  assert_near (node_test_number (&test, "m.area", 0), 6 * 4 * sin (KG_PI / 6), 1e-5);
  assert_near (node_test_number (&test, "m.length", 0), 0, 0);
  assert_vector_near (node_test_vector (&test, "m.centroid", 0), 5, 6, 7, 1e-5);
  node_test_set (&test, "c", "filled", "false");
  assert_near (node_test_number (&test, "m.length", 0), 2 * 12 * 2 * sin (KG_PI / 12), 1e-5);
  assert_near (node_test_number (&test, "m.area", 0), 0, 0);
  node_test_set (&test, "c", "angle", "90");
  node_test_set (&test, "c", "points", "4");
  assert_near (node_test_number (&test, "m.length", 0), 3 * 2 * 2 * sin (KG_PI / 12), 1e-5);
  assert_vector_near (node_test_vector (&test, "m.low", 0), 5, 6, 7, 1e-5);
  assert_vector_near (node_test_vector (&test, "m.high", 0), 7, 8, 7, 1e-5);
  node_test_add (&test, "geometry/line", "l", "start", "[1, 1, 1]", "end", "[4, 5, 13]", "points", "7", NULL);
  node_test_set (&test, "m", "geometry", "{\"link\": \"l.geometry\"}");
  assert_near (node_test_number (&test, "m.points", 0), 7, 0);
  assert_near (node_test_number (&test, "m.length", 0), 13, 1e-5);
  assert_vector_near (node_test_vector (&test, "m.centroid", 0), 2.5, 3, 7, 1e-5);
  node_test_clear (&test);
}

/* Scale, rotation, translation about a pivot: (2, 0, 0) about (1, 0, 0), twice as large and a quarter turned, is
 * (1, 2, 0), and moved (1, 2, 5). */
static void
test_transform (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "l", "start", "[1, 0, 0]", "end", "[2, 0, 0]", NULL);
  node_test_add (&test, "geometry/transform", "t", "geometry", "{\"link\": \"l.geometry\"}", "pivot", "[1, 0, 0]",
                 "scale", "[2, 2, 2]", "rotate", "[0, 0, 90]", "translate", "[0, 0, 5]", NULL);
  measure (&test, "t.transformed");
  assert_vector_near (node_test_vector (&test, "m.low", 0), 1, 0, 5, 1e-6);
  assert_vector_near (node_test_vector (&test, "m.high", 0), 1, 2, 5, 1e-6);
  node_test_clear (&test);
}

/* A solid and its mirror image apart from each other: sizes add up, the middle is weighed by volume. */
static void
test_merge (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "a", NULL);
  node_test_add (&test, "geometry/box", "b", "size", "[1, 1, 3]", "center", "[4, 0, 0]", NULL);
  node_test_add (&test, "geometry/merge", "j", "geometries", "[{\"link\": \"a.geometry\"}, {\"link\": \"b.geometry\"}]",
                 NULL);
  measure (&test, "j.geometry");
  assert_near (node_test_number (&test, "m.volume", 0), 4, 1e-5);
  assert_near (node_test_number (&test, "m.area", 0), 6 + 14, 1e-5);
  assert_near (node_test_number (&test, "m.closed", 0), 1, 0);
  assert_vector_near (node_test_vector (&test, "m.centroid", 0), 3, 0, 0, 1e-5);
  node_test_clear (&test);
}

/* Nothing, one point, points at one place, a flat closed surface: numbers, not NaN. */
static void
test_measure_degenerate (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/merge", "none", NULL);
  measure (&test, "none.geometry");
  assert_vector_near (node_test_vector (&test, "m.centroid", 0), 0, 0, 0, 0);
  assert_near (node_test_number (&test, "m.closed", 0), 0, 0);
  node_test_add (&test, "geometry/line", "l", "start", "[1, 2, 3]", "end", "[1, 2, 3]", NULL);
  node_test_set (&test, "m", "geometry", "{\"link\": \"l.geometry\"}");
  assert_near (node_test_number (&test, "m.length", 0), 0, 0);
  assert_vector_near (node_test_vector (&test, "m.centroid", 0), 1, 2, 3, 0);
  node_test_add (&test, "geometry/box", "b", "size", "[2, 2, 0]", "center", "[1, 2, 3]", NULL);
  node_test_set (&test, "m", "geometry", "{\"link\": \"b.geometry\"}");
  assert_near (node_test_number (&test, "m.volume", 0), 0, 0);
  assert_near (node_test_number (&test, "m.area", 0), 8, 1e-6);
  assert_vector_near (node_test_vector (&test, "m.centroid", 0), 1, 2, 3, 1e-6);
  node_test_clear (&test);
}

static void
test_group (void)
{
  NodeTest test = node_test_new ();

  /* Eleven points at 0, 1, ... 10. */
  node_test_add (&test, "geometry/line", "l", "start", "[0, 0, 0]", "end", "[10, 0, 0]", "points", "11", NULL);
  node_test_add (&test, "geometry/group", "g", "geometry", "{\"link\": \"l.geometry\"}", "name", "\"odd\"", "first",
                 "1", "step", "2", NULL);
  assert_near (node_test_number (&test, "g.count", 0), 5, 0);
  {
    g_auto (KgValue) value = node_test_get (&test, "g.grouped", 0);
    const int32_t *odd = kg_geometry_get_int (value.geometry, KG_POINTS, "odd", 1);

    for (int i = 0; i < 11; i++)
      g_assert_cmpint (odd[i], ==, i % 2);
  }
  node_test_add (&test, "geometry/group", "h", "geometry", "{\"link\": \"g.grouped\"}", "name", "\"odd\"", "kind",
                 "\"box\"", "center", "[4, 0, 0]", "size", "[6, 0, 0]", NULL);
  assert_near (node_test_number (&test, "h.count", 0), 7, 0);
  node_test_set (&test, "h", "combine", "\"add\"");
  assert_near (node_test_number (&test, "h.count", 0), 8, 0);
  node_test_set (&test, "h", "combine", "\"remove\"");
  assert_near (node_test_number (&test, "h.count", 0), 1, 0);
  node_test_set (&test, "h", "combine", "\"both\"");
  assert_near (node_test_number (&test, "h.count", 0), 4, 0);
  node_test_set (&test, "h", "kind", "\"sphere\"");
  node_test_set (&test, "h", "radius", "1");
  node_test_set (&test, "h", "combine", "\"replace\"");
  assert_near (node_test_number (&test, "h.count", 0), 3, 0);
  node_test_set (&test, "h", "invert", "true");
  assert_near (node_test_number (&test, "h.count", 0), 8, 0);
  /* By the group that it replaces. */
  node_test_set (&test, "h", "kind", "\"attribute\"");
  node_test_set (&test, "h", "attribute", "\"odd\"");
  node_test_set (&test, "h", "low", "1");
  assert_near (node_test_number (&test, "h.count", 0), 6, 0);
  node_test_set (&test, "h", "attribute", "\"nothing\"");
  node_test_fails (&test, "h.grouped", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "g", "name", "\"P\"");
  node_test_fails (&test, "g.grouped", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "g", "name", "\"\"");
  node_test_fails (&test, "g.grouped", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* Without its upper half a box of d = 2 has the bottom and half of its walls; nothing is left of all of it. */
static void
test_delete (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "b", "size", "[2, 2, 2]", "divisions", "2", NULL);
  node_test_add (&test, "geometry/group", "g", "geometry", "{\"link\": \"b.geometry\"}", "domain", "\"primitives\"",
                 "kind", "\"box\"", "center", "[0, 1, 0]", "size", "[9, 1.5, 9]", NULL);
  node_test_add (&test, "geometry/delete", "d", "geometry", "{\"link\": \"g.grouped\"}", "domain", "\"primitives\"",
                 NULL);
  measure (&test, "d.rest");
  assert_near (node_test_number (&test, "g.count", 0), 4 + 8, 0);
  assert_near (node_test_number (&test, "m.primitives", 0), 12, 0);
  assert_near (node_test_number (&test, "m.area", 0), 12, 1e-5);
  assert_near (node_test_number (&test, "m.points", 0), 9 + 8, 0);
  assert_near (node_test_number (&test, "m.closed", 0), 0, 0);
  assert_vector_near (node_test_vector (&test, "m.high", 0), 1, 0, 1, 0);
  {
    g_auto (KgValue) rest = node_test_get (&test, "d.rest", 0);
    const int32_t *group = kg_geometry_get_int (rest.geometry, KG_PRIMITIVES, "group", 1);

    for (size_t i = 0; i < 12; i++)
      g_assert_cmpint (group[i], ==, 0);
  }
  node_test_set (&test, "d", "loose", "true");
  assert_near (node_test_number (&test, "m.points", 0), 26, 0);
  node_test_set (&test, "d", "loose", "false");
  node_test_set (&test, "d", "invert", "true");
  assert_near (node_test_number (&test, "m.points", 0), 9 + 8, 0);
  assert_vector_near (node_test_vector (&test, "m.low", 0), -1, 0, -1, 0);
  /* One corner: three squares go with it. */
  node_test_set (&test, "d", "domain", "\"points\"");
  node_test_set (&test, "d", "kind", "\"range\"");
  node_test_set (&test, "d", "invert", "false");
  assert_near (node_test_number (&test, "m.points", 0), 25, 0);
  assert_near (node_test_number (&test, "m.primitives", 0), 21, 0);
  node_test_set (&test, "d", "last", "-1");
  assert_near (node_test_number (&test, "m.points", 0), 0, 0);
  assert_near (node_test_number (&test, "m.primitives", 0), 0, 0);
  node_test_set (&test, "d", "kind", "\"group\"");
  node_test_fails (&test, "d.rest", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* Copies in their places, as wide as their points say, turned along the normals, normals turned with them; and the same
 * bits for any number of threads. */
static void
test_copies (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) before = KG_VALUE_INIT;

  node_test_add (&test, "geometry/sphere", "s", "radius", "5", "segments", "40", "rings", "30", NULL);
  node_test_add (&test, "geometry/color", "c", "geometry", "{\"link\": \"s.geometry\"}", "width", "0.5", "color",
                 "[0.25, 0.5, 1, 1]", NULL);
  node_test_add (&test, "geometry/grid", "g", "size", "[1, 1, 0]", "columns", "1", "rows", "1", NULL);
  node_test_add (&test, "geometry/attribute", "n", "geometry", "{\"link\": \"g.geometry\"}", "name", "\"N\"", "kind",
                 "\"vector\"", "vector", "[0, 0, 1]", NULL);
  node_test_add (&test, "geometry/copy_to_points", "copy", "geometry", "{\"link\": \"n.set\"}", "points",
                 "{\"link\": \"c.colored\"}", "scale", "2", NULL);
  measure (&test, "copy.copies");
  assert_near (node_test_number (&test, "m.points", 0), 4 * (29 * 40 + 2), 0);
  /* Half a width times twice: squares of one metre, tangent to the sphere. */
  assert_near (node_test_number (&test, "m.area", 0), 29 * 40 + 2, 1e-2);
  for (int threads = 1; threads <= 5; threads += 2) {
    g_auto (KgValue) copies = KG_VALUE_INIT;
    const float *p, *normals, *color;

    omp_set_num_threads (threads);
    /* A fresh evaluator: the other has the result. */
    kg_evaluator_free (test.evaluator);
    test.evaluator = kg_evaluator_new (test.graph, NULL);
    copies = node_test_get (&test, "copy.copies", 0);
    if (threads == 1)
      before = kg_value_copy (&copies);
    g_assert_true (kg_geometry_equal (before.geometry, copies.geometry));
    p = kg_geometry_get_positions (copies.geometry);
    normals = kg_geometry_get_float (copies.geometry, KG_POINTS, "N", 3);
    color = kg_geometry_get_float (copies.geometry, KG_POINTS, "Cd", 4);
    for (size_t i = 0; i < kg_geometry_get_n_points (copies.geometry); i++) {
      const KgVector x = { (double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2] };
      const KgVector normal = { (double) normals[3 * i], (double) normals[3 * i + 1], (double) normals[3 * i + 2] };

      assert_near (kg_vector_length (x), sqrt (25.5), 1e-5);
      assert_near (kg_vector_dot (x, normal), 5, 1e-5);
      assert_near ((double) color[4 * i + 1], 0.5, 0);
    }
  }
  omp_set_num_threads (2);
  node_test_clear (&test);
}

/* Values in every element, their numbers, and a field at the places, which are read before P itself is written. */
static void
test_attribute (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "l", "start", "[0, 0, 0]", "end", "[4, 0, 0]", "points", "5", NULL);
  node_test_add (&test, "geometry/attribute", "a", "geometry", "{\"link\": \"l.geometry\"}", "name", "\"x\"", "number",
                 "2.5", NULL);
  node_test_add (&test, "field/vortex", "f", "center", "[0, 0, 0]", NULL);
  for (int k = 0; k < 3; k++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "a", "kind", ((const char *[]){ "\"number\"", "\"index\"", "\"field\"" })[k]);
    node_test_set (&test, "a", "name", k == 2 ? "\"P\"" : "\"x\"");
    if (k == 2)
      node_test_set (&test, "a", "field", "{\"link\": \"f.field\"}");
    value = node_test_get (&test, "a.set", 0);
    if (k == 2) {
      g_auto (KgValue) field = node_test_get (&test, "f.field", 0), line = node_test_get (&test, "l.geometry", 0);
      float expected[15];

      kg_field_sample_points (field.field, kg_geometry_get_positions (line.geometry), 5, 0, expected);
      g_assert_cmpmem (kg_geometry_get_positions (value.geometry), sizeof expected, expected, sizeof expected);
    } else
      for (int i = 0; i < 5; i++)
        if (k == 0)
          assert_near ((double) kg_geometry_get_float (value.geometry, KG_POINTS, "x", 1)[i], 2.5, 0);
        else
          g_assert_cmpint (kg_geometry_get_int (value.geometry, KG_POINTS, "x", 1)[i], ==, i);
  }
  node_test_clear (&test);
}

static void
test_color (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "l", "points", "3", NULL);
  node_test_add (&test, "geometry/color", "c", "geometry", "{\"link\": \"l.geometry\"}", "color",
                 "[0.25, 0.5, 0.75, 1]", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "c.colored", 0);

    for (int i = 0; i < 12; i++)
      assert_near ((double) kg_geometry_get_float (value.geometry, KG_POINTS, "Cd", 4)[i], 0.25 * (i % 4 + 1), 0);
    g_assert_null (kg_geometry_get_float (value.geometry, KG_POINTS, "width", 1));
  }
  node_test_set (&test, "c", "width", "0.125");
  {
    g_auto (KgValue) value = node_test_get (&test, "c.colored", 0);

    assert_near ((double) kg_geometry_get_float (value.geometry, KG_POINTS, "width", 1)[2], 0.125, 0);
  }
  node_test_clear (&test);
}

/* However long a line is, all its letters are there: 60 of them, of an outline and a hole each. */
static void
test_long_text (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/text", "text", "text",
                 "\"oooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo\"", NULL);
  measure (&test, "text.geometry");
  assert_near (node_test_number (&test, "text.glyphs", 0), 60, 0);
  assert_near (node_test_number (&test, "m.primitives", 0), 120, 0);
  node_test_clear (&test);
}

/* In another font than was asked for there are letters all the same, and the node names both; a font that is there, a name that
 * stands for whatever the system has, and a list with one of them are no reason to warn. */
static void
test_missing_font (void)
{
  static const char *const present[] = { "\"DejaVu Sans Bold\"",
                                         "\"dejavu sans\"",
                                         "\"Sans Italic\"",
                                         "\"monospace\"",
                                         "\"No Such Font, DejaVu Sans\"",
                                         "\"\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/text", "text", "text", "\"o\"", "font", "\"No Such Font Bold\"", NULL);
  measure (&test, "text.geometry");
  assert_near (node_test_number (&test, "m.primitives", 0), 2, 0);
  node_test_warns (&test, "text.geometry", "the font \"No Such Font\" is missing, ");
  for (guint i = 0; i < G_N_ELEMENTS (present); i++) {
    g_auto (GStrv) warnings = NULL;

    node_test_set (&test, "text", "font", present[i]);
    assert_near (node_test_number (&test, "text.glyphs", 0), 1, 0);
    warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "text"));
    g_assert_true (warnings == NULL || warnings[0] == NULL);
  }
  node_test_clear (&test);
}

/* 55-50: what points carry, as arrows: as long and as thick as is said, closed, and where they belong. */
static void
test_arrows (void)
{
  NodeTest test = node_test_new ();
  const double ring = 0.5 * 8 * sin (2 * KG_PI / 8), narrow = ring * 0.02 * 0.02, wide = ring * 0.06 * 0.06;
  KgVector low, high;

  node_test_add (&test, "geometry/line", "line", "points", "3", "start", "[0, 1, 0]", "end", "[4, 1, 0]", NULL);
  node_test_add (&test, "field/formula", "flow", "formula", "\"[0, 0, p.x]\"", NULL);
  node_test_add (&test, "geometry/attribute", "moving", "geometry", "{\"link\": \"line.geometry\"}", "name", "\"v\"",
                 "kind", "\"field\"", "field", "{\"link\": \"flow.field\"}", NULL);
  node_test_add (&test, "geometry/arrows", "arrows", "geometry", "{\"link\": \"moving.set\"}", "scale", "0.5", NULL);
  node_test_add (&test, "geometry/mass", "mass", "geometry", "{\"link\": \"arrows.arrows\"}", NULL);
  /* The first point does not move: it has none.  The others are 1 m and 2 m long, heads of 0.16 m included. */
  assert_near (node_test_number (&test, "arrows.count", 0), 2, 0);
  assert_near (node_test_number (&test, "mass.volume", 0), narrow * (0.84 + 1.84) + 2 * wide * 0.16 / 3, 1e-7);
  {
    g_auto (KgValue) value = node_test_get (&test, "arrows.arrows", 0);

    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 2 * 25);
    g_assert_true (kg_geometry_get_bounds (value.geometry, &low, &high));
    assert_vector_near (low, 1.94, 0.94, 0, 1e-6);
    assert_vector_near (high, 4.06, 1.06, 2, 1e-6);
  }
  /* One that is shorter than two heads is a smaller one of the same proportions. */
  node_test_set (&test, "arrows", "scale", "0.04");
  {
    const double small = 0.08 / 0.32;

    assert_near (node_test_number (&test, "mass.volume", 0),
                 (narrow * 0.16 + wide * 0.16 / 3) * (small * small * small + 0.125), 1e-8);
  }
  /* All alike, around the points, and no longer than is said. */
  node_test_set (&test, "arrows", "scale", "5");
  node_test_set (&test, "arrows", "equal", "true");
  node_test_set (&test, "arrows", "most", "3");
  node_test_set (&test, "arrows", "anchor", "\"middle\"");
  node_test_set (&test, "arrows", "least", "3");
  assert_near (node_test_number (&test, "arrows.count", 0), 1, 0);
  {
    g_auto (KgValue) value = node_test_get (&test, "arrows.arrows", 0);

    g_assert_true (kg_geometry_get_bounds (value.geometry, &low, &high));
    assert_near (low.z, -1.5, 1e-6);
    assert_near (high.z, 1.5, 1e-6);
  }
  /* Lines whose heads face upwards; the other way round and ending at the point. */
  node_test_set (&test, "arrows", "shape", "\"lines\"");
  node_test_set (&test, "arrows", "facing", "[0, 1, 0]");
  node_test_set (&test, "arrows", "scale", "-2");
  node_test_set (&test, "arrows", "anchor", "\"end\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "arrows.arrows", 0);
    const float *width = kg_geometry_get_float (value.geometry, KG_POINTS, "width", 1);

    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 4);
    g_assert_cmpuint (kg_geometry_get_n_primitives (value.geometry), ==, 2);
    g_assert_nonnull (width);
    assert_near ((double) width[0], 0.04, 1e-8);
    g_assert_true (kg_geometry_get_bounds (value.geometry, &low, &high));
    assert_vector_near (low, 3.94, 1, 0, 1e-6);
    assert_vector_near (high, 4.06, 1, 2, 1e-6);
  }
  node_test_clear (&test);
}

/* Normals of faces stand on their centres, rotations point along z, and colours come along. */
static void
test_arrows_of_faces (void)
{
  NodeTest test = node_test_new ();
  KgVector low, high;

  node_test_add (&test, "geometry/box", "box", "size", "[2, 2, 2]", NULL);
  node_test_add (&test, "geometry/attribute", "named", "geometry", "{\"link\": \"box.geometry\"}", "name", "\"up\"",
                 "domain", "\"primitives\"", "kind", "\"vector\"", "vector", "[0, 3, 0]", NULL);
  node_test_add (&test, "geometry/attribute", "painted", "geometry", "{\"link\": \"named.set\"}", "name", "\"Cd\"",
                 "domain", "\"primitives\"", "kind", "\"color\"", "color", "[0.25, 0.5, 1, 1]", NULL);
  node_test_add (&test, "geometry/arrows", "arrows", "geometry", "{\"link\": \"painted.set\"}", "name", "\"up\"",
                 "domain", "\"primitives\"", "scale", "1", "shape", "\"flat\"", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "arrows.arrows", 0);
    const float *color = kg_geometry_get_float (value.geometry, KG_POINTS, "Cd", 4);

    g_assert_cmpuint (kg_geometry_get_n_primitives (value.geometry), ==, 6);
    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 6 * 7);
    g_assert_nonnull (color);
    assert_near ((double) color[4 * 41 + 1], 0.5, 0);
    g_assert_true (kg_geometry_get_bounds (value.geometry, &low, &high));
    /* The lowest face is 1 m below, the highest 1 m above the centre; flat ones face z. */
    assert_vector_near (low, -1.06, -1, -1, 1e-6);
    assert_vector_near (high, 1.06, 4, 1, 1e-6);
  }
  node_test_set (&test, "arrows", "name", "\"nothing\"");
  node_test_fails_saying (&test, "arrows.arrows", 0, "one of these: up, Cd");
  node_test_add (&test, "geometry/attribute", "turned", "geometry", "{\"link\": \"box.geometry\"}", "name",
                 "\"orient\"", "kind", "\"color\"", "color", "[0.7071067811865476, 0, 0.7071067811865476, 0]", NULL);
  node_test_set (&test, "arrows", "geometry", "{\"link\": \"turned.set\"}");
  node_test_set (&test, "arrows", "domain", "\"points\"");
  node_test_set (&test, "arrows", "name", "\"orient\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "arrows.arrows", 0);

    g_assert_true (kg_geometry_get_bounds (value.geometry, &low, &high));
    assert_near (low.x, -1, 1e-6);
    assert_near (high.x, 2, 1e-6);
  }
  node_test_clear (&test);
}

/* Nothing to draw, what is no number, an arrow end on, and more than fits. */
static void
test_arrows_hostile (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/polygon", "none", "points", "[]", NULL);
  node_test_add (&test, "geometry/arrows", "arrows", "geometry", "{\"link\": \"none.geometry\"}", NULL);
  assert_near (node_test_number (&test, "arrows.count", 0), 0, 0);
  node_test_add (&test, "geometry/line", "line", "points", "2", NULL);
  node_test_add (&test, "geometry/attribute", "named", "geometry", "{\"link\": \"line.geometry\"}", "name", "\"v\"",
                 "kind", "\"vector\"", "vector", "[0, 0, 2]", NULL);
  node_test_set (&test, "arrows", "geometry", "{\"link\": \"named.set\"}");
  node_test_set (&test, "arrows", "shape", "\"flat\"");
  node_test_set (&test, "arrows", "facing", "[0, 0, 5]");
  {
    g_auto (KgValue) value = node_test_get (&test, "arrows.arrows", 0);

    g_assert_true (kg_geometry_check_finite (value.geometry, NULL));
    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 14);
  }
  node_test_set (&test, "arrows", "facing", "[0, 0, 0]");
  {
    g_auto (KgValue) value = node_test_get (&test, "arrows.arrows", 0);

    g_assert_true (kg_geometry_check_finite (value.geometry, NULL));
  }
  node_test_set (&test, "arrows", "head_length", "0");
  node_test_set (&test, "named", "vector", "[1e30, 0, 0]");
  node_test_set (&test, "arrows", "most", "1");
  {
    g_auto (KgValue) value = node_test_get (&test, "arrows.arrows", 0);

    g_assert_true (kg_geometry_check_finite (value.geometry, NULL));
    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 14);
  }
  node_test_set (&test, "arrows", "shape", "\"solid\"");
  node_test_set (&test, "arrows", "sides", "1000");
  node_test_set (&test, "line", "points", "100000");
  node_test_fails_saying (&test, "arrows.arrows", 0, "too many");
  node_test_clear (&test);
}

/* 55-22: in a lattice of 10 × 10 × 10 points a step apart, those within a step and within a diagonal of a square, by cells and
 * by the tree. */
static void
test_lattice_neighbours (void)
{
  static const struct {
    const char *radius;
    int64_t pairs;
  } cases[] = { { "1.0001", 6 * 9 * 100 }, { "1.4143", 6 * 9 * 100 + 12 * 9 * 9 * 10 }, { "0.9999", 0 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "layer", "size", "[9, 9, 0]", "columns", "9", "rows", "9", "plane", "\"xy\"",
                 NULL);
  node_test_add (&test, "geometry/line", "row", "start", "[0, 0, 0]", "end", "[0, 0, 9]", "points", "10", NULL);
  node_test_add (&test, "geometry/copy_to_points", "lattice", "geometry", "{\"link\": \"layer.geometry\"}", "points",
                 "{\"link\": \"row.geometry\"}", "orient", "false", NULL);
  node_test_add (&test, "geometry/neighbours", "n", "geometry", "{\"link\": \"lattice.copies\"}", "count", "0", NULL);
  for (guint k = 0; k < 2 * G_N_ELEMENTS (cases); k++) {
    g_auto (KgValue) pairs = KG_VALUE_INIT;

    node_test_set (&test, "n", "radius", cases[k / 2].radius);
    node_test_set (&test, "n", "method", k % 2 == 0 ? "\"tree\"" : "\"grid\"");
    pairs = node_test_get (&test, "n.pairs", 0);
    g_assert_cmpint (pairs.integer, ==, cases[k / 2].pairs);
  }
  node_test_clear (&test);
}

/* Where the three midpoints of a triangle are. */
static void
read_midpoints (NodeTest *test, KgVector midpoints[3])
{
  g_auto (KgValue) terrain = node_test_get (test, "f.terrain", 0);
  const float *p = kg_geometry_get_positions (terrain.geometry);

  g_assert_cmpuint (kg_geometry_get_n_points (terrain.geometry), ==, 6);
  for (size_t i = 0; i < 3; i++)
    midpoints[i] = kg_vector ((double) p[9 + 3 * i], (double) p[10 + 3 * i], (double) p[11 + 3 * i]);
}

/* 20-020: each input does what it is called: of one seed, midpoints move in proportion to height and to the length of the edge to the
 * power of H, along up; the sea, the border and the errors. */
static void
test_fractal_terrain (void)
{
  NodeTest test = node_test_new ();
  KgVector x[3], y[3];

  node_test_add (&test, "geometry/polygon", "g", "points", "[[0, 0, 0], [0, 0, 2], [2, 0, 0]]", NULL);
  node_test_add (&test, "geometry/fractal_terrain", "f", "geometry", "{\"link\": \"g.geometry\"}", "levels", "1", "H",
                 "0", "height", "0.5", NULL);
  read_midpoints (&test, x);
  node_test_set (&test, "f", "H", "1");
  read_midpoints (&test, y);
  for (int i = 0; i < 3; i++) {
    /* The longest edge is the one whose midpoint is off both axes. */
    const double length = x[i].x > 0 && x[i].z > 0 ? 2 * G_SQRT2 : 2;

    g_assert_cmpfloat (fabs (x[i].y), >, 1e-3);
    assert_near (y[i].y / x[i].y, length, 1e-5);
  }
  node_test_set (&test, "f", "height", "1.5");
  read_midpoints (&test, x);
  for (int i = 0; i < 3; i++)
    assert_near (x[i].y / y[i].y, 3, 1e-5);
  node_test_set (&test, "f", "up", "[0, -7, 0]");
  read_midpoints (&test, y);
  for (int i = 0; i < 3; i++)
    assert_vector_near (y[i], x[i].x, -x[i].y, x[i].z, 1e-6);
  node_test_set (&test, "f", "up", "[0, 1, 0]");
  node_test_set (&test, "f", "seed", "2");
  read_midpoints (&test, y);
  g_assert_cmpfloat (fabs (x[0].y - y[0].y), >, 1e-3);
  node_test_set (&test, "f", "sea", "10");
  read_midpoints (&test, y);
  for (int i = 0; i < 3; i++)
    assert_vector_near (y[i], x[i].x, 10, x[i].z, 1e-6);
  node_test_set (&test, "f", "sea", "-1e9");
  node_test_set (&test, "f", "keep_border", "true");
  read_midpoints (&test, y);
  for (int i = 0; i < 3; i++)
    assert_vector_near (y[i], x[i].x, 0, x[i].z, 0);
  node_test_set (&test, "f", "up", "[0, 0, 0]");
  node_test_fails_saying (&test, "f.terrain", 0, "up is 0 0 0");
  node_test_set (&test, "f", "levels", "0");
  {
    g_auto (KgValue) before = node_test_get (&test, "g.geometry", 0), after = node_test_get (&test, "f.terrain", 0);

    g_assert_true (kg_geometry_equal (before.geometry, after.geometry));
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/geometry/grid", test_grid);
  g_test_add_func ("/geometry/box", test_box);
  g_test_add_func ("/geometry/sphere", test_sphere);
  g_test_add_func ("/geometry/sphere-parameters", test_sphere_parameters);
  g_test_add_func ("/geometry/circle-and-line", test_circle_and_line);
  g_test_add_func ("/geometry/transform", test_transform);
  g_test_add_func ("/geometry/merge", test_merge);
  g_test_add_func ("/geometry/measure/degenerate", test_measure_degenerate);
  g_test_add_func ("/geometry/group", test_group);
  g_test_add_func ("/geometry/delete", test_delete);
  g_test_add_func ("/geometry/copies", test_copies);
  g_test_add_func ("/geometry/attribute", test_attribute);
  g_test_add_func ("/geometry/color", test_color);
  g_test_add_func ("/geometry/55-50-arrows", test_arrows);
  g_test_add_func ("/geometry/55-50-arrows-of-faces", test_arrows_of_faces);
  g_test_add_func ("/geometry/55-50-arrows-hostile", test_arrows_hostile);
  g_test_add_func ("/geometry/text/long", test_long_text);
  g_test_add_func ("/geometry/text/missing-font", test_missing_font);
  g_test_add_func ("/geometry/55-22-lattice", test_lattice_neighbours);
  g_test_add_func ("/geometry/20-020-fractal-terrain", test_fractal_terrain);
  return g_test_run ();
}

/* tests/nodes/shapes: what nodes find out about shapes: masses, bounds, hulls, contacts.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <omp.h>

static void
test_mass (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "b", "size", "[2, 4, 6]", "center", "[1, 2, 3]", NULL);
  node_test_add (&test, "geometry/mass", "m", "geometry", "{\"link\": \"b.geometry\"}", "total", "12", NULL);
  assert_near (node_test_number (&test, "m.mass", 0), 12, 1e-12);
  assert_near (node_test_number (&test, "m.volume", 0), 48, 1e-12);
  assert_near (node_test_number (&test, "m.area", 0), 88, 1e-12);
  assert_vector_near (node_test_vector (&test, "m.center", 0), 1, 2, 3, 1e-12);
  assert_vector_near (node_test_vector (&test, "m.moments", 0), 20, 40, 52, 1e-12);
  assert_vector_near (node_test_vector (&test, "m.gyration", 0), sqrt (20.0 / 12), sqrt (40.0 / 12), sqrt (52.0 / 12),
                      1e-12);
  /* About the origin, which is (-1, -2, -3) away (70-99). */
  node_test_set (&test, "m", "about", "\"origin\"");
  {
    g_auto (KgValue) tensor = node_test_get (&test, "m.inertia", 0);
    static const double rows[3][3] = { { 208, -24, -36 }, { -24, 160, -72 }, { -36, -72, 80 } };

    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        assert_near (tensor.transform->m[i][k], rows[i][k], 1e-10);
  }
  /* Turned by 30 degrees about z (70-100), without a geometry. */
  node_test_set (&test, "m", "about", "\"center\"");
  node_test_set (&test, "m", "model", "\"box\"");
  node_test_set (&test, "m", "turn", "[0.9659258262890683, 0, 0, 0.25881904510252074]");
  {
    g_auto (KgValue) tensor = node_test_get (&test, "m.inertia", 0);

    g_auto (KgValue) table = node_test_get (&test, "m.tensor", 0);

    assert_near (kg_table_get_row (table.table, 0)[1], 3 * sqrt (3), 1e-12);
    g_assert_cmpuint (kg_table_get_n_rows (table.table), ==, 3);
    assert_near (tensor.transform->m[0][0], 49, 1e-12);
    assert_near (tensor.transform->m[1][1], 43, 1e-12);
    assert_near (tensor.transform->m[0][1], 3 * sqrt (3), 1e-12);
  }
  assert_vector_near (node_test_vector (&test, "m.moments", 0), 20, 40, 52, 1e-12);
  node_test_add (&test, "geometry/mass", "c", "model", "\"cone\"", "size", "[2, 4, 2]", "position", "[0, 2, 0]", NULL);
  assert_vector_near (node_test_vector (&test, "c.center", 0), 0, 1, 0, 1e-15);
  assert_near (node_test_number (&test, "c.mass", 0), 1000 * KG_PI / 3 * 4, 1e-9);
  node_test_clear (&test);
}

/* A spline weighs as the curve, not as the points that control it: a half of y = x², whose length is known. */
static void
test_mass_of_curves (void)
{
  const double length = (2 * sqrt (5) + asinh (2)) / 4;
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "basis", "\"bezier\"", "points",
                 "[[0, 0], [0.33333333333333331, 0], [0.66666666666666663, 0.33333333333333331], [1, 1]]", NULL);
  node_test_add (&test, "geometry/mass", "m", "geometry", "{\"link\": \"s.geometry\"}", "model", "\"lines\"", "density",
                 "1", NULL);
  node_test_add (&test, "geometry/measure", "l", "geometry", "{\"link\": \"s.geometry\"}", NULL);
  assert_near (node_test_number (&test, "l.length", 0), length, 1e-7);
  /* The moment of x √(1 + 4x²): (5√5 − 1)/12. */
  assert_near (node_test_vector (&test, "m.center", 0).x, (5 * sqrt (5) - 1) / 12 / length, 1e-7);
  node_test_clear (&test);
}

/* The moment of impact is a quotient, not a search. */
static void
test_linear_impact (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "a", "size", "[1, 1, 1]", NULL);
  node_test_add (&test, "geometry/box", "b", "size", "[1, 1, 1]", "center", "[3, 0.4, 0.2]", NULL);
  node_test_add (&test, "geometry/collide", "c", "a", "{\"link\": \"a.geometry\"}", "b", "{\"link\": \"b.geometry\"}",
                 "move", "[4, 0, 0]", NULL);
  for (int pass = 0; pass < 2; pass++) {
    node_test_set (&test, "c", "shape", pass == 0 ? "\"mesh\"" : "\"hull\"");
    node_test_set (&test, "c", "move", "[4, 0, 0]");
    assert_near (node_test_number (&test, "c.time", 0), 0.5, pass == 0 ? 1e-15 : 1e-8);
    assert_vector_near (node_test_vector (&test, "c.impact_normal", 0), -1, 0, 0, 1e-6);
    assert_near (node_test_vector (&test, "c.impact", 0).x, 2.5, 1e-6);
    /* x enters at a half, y has left by then. */
    node_test_set (&test, "c", "move", "[4, 3, 0]");
    assert_near (node_test_number (&test, "c.time", 0), -1, 0);
    node_test_set (&test, "c", "move", "[1.9, 0, 0]");
    assert_near (node_test_number (&test, "c.time", 0), -1, 0);
    /* Away, and along a face. */
    node_test_set (&test, "c", "move", "[-4, 0, 0]");
    assert_near (node_test_number (&test, "c.time", 0), -1, 0);
    node_test_set (&test, "c", "move", "[0, 9, 0]");
    assert_near (node_test_number (&test, "c.time", 0), -1, 0);
  }
  node_test_set (&test, "c", "shape", "\"mesh\"");
  /* A cube that stands on its edge. */
  node_test_add (&test, "transform/compose", "t", "rotate", "[0, 0, 45]", NULL);
  node_test_set (&test, "c", "transform_a", "{\"link\": \"t.transform\"}");
  node_test_set (&test, "b", "center", "[2.5, 0, 0]");
  node_test_set (&test, "c", "move", "[3, 0, 0]");
  assert_near (node_test_number (&test, "c.time", 0), (2 - sqrt (0.5)) / 3, 1e-7);
  node_test_clear (&test);
}

/* Two thin bars that cross: their edges meet. */
static void
test_bars (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "a", "size", "[0.02, 2, 0.02]", NULL);
  node_test_add (&test, "transform/compose", "ta", "rotate", "[0, 45, 0]", NULL);
  node_test_add (&test, "geometry/box", "b", "size", "[0.02, 0.02, 2]", NULL);
  node_test_add (&test, "transform/compose", "tb", "rotate", "[0, 0, 45]", "translate", "[2, 0, 0]", NULL);
  node_test_add (&test, "geometry/collide", "c", "a", "{\"link\": \"a.geometry\"}", "b", "{\"link\": \"b.geometry\"}",
                 "transform_a", "{\"link\": \"ta.transform\"}", "transform_b", "{\"link\": \"tb.transform\"}", "move",
                 "[3, 0, 0]", NULL);
  assert_near (node_test_number (&test, "c.time", 0), (2 - 0.02 * sqrt (2)) / 3, 1e-7);
  assert_vector_near (node_test_vector (&test, "c.impact_normal", 0), -1, 0, 0, 1e-6);
  assert_vector_near (node_test_vector (&test, "c.impact", 0), 2 - 0.01 * sqrt (2), 0, 0, 1e-6);
  node_test_clear (&test);
}

static void
test_sweep (void)
{
  static const struct {
    const char *move;
    double volume;
  } cases[] = { { "[2, 0, 0]", 3 }, { "[1, 1, 0]", 3 }, { "[1, 1, 1]", 4 }, { "[0, 0, 0]", 1 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "b", "size", "[1, 1, 1]", "divisions", "3", NULL);
  node_test_add (&test, "geometry/sweep_linear", "s", "body", "{\"link\": \"b.geometry\"}", NULL);
  node_test_add (&test, "geometry/measure", "m", "geometry", "{\"link\": \"s.geometry\"}", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int hull = 0; hull < 2; hull++) {
      node_test_set (&test, "s", "method", hull == 1 ? "\"hull\"" : "\"faces\"");
      node_test_set (&test, "s", "move", cases[i].move);
      assert_near (node_test_number (&test, "s.volume", 0), cases[i].volume, 1e-6);
      assert_near (node_test_number (&test, "m.volume", 0), cases[i].volume, 1e-6);
      assert_near (node_test_number (&test, "m.closed", 0), 1, 0);
      assert_near (node_test_number (&test, "s.convex", 0), 1, 0);
    }
  /* A right tetrahedron, as the hull of four points. */
  node_test_add (&test, "curve/spline", "p", "basis", "\"linear\"", "points",
                 "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", NULL);
  node_test_add (&test, "geometry/hull", "h", "geometry", "{\"link\": \"p.geometry\"}", NULL);
  node_test_set (&test, "s", "method", "\"faces\"");
  node_test_set (&test, "s", "body", "{\"link\": \"h.hull\"}");
  node_test_set (&test, "s", "move", "[0, 0, 2]");
  assert_near (node_test_number (&test, "s.volume", 0), 7.0 / 6, 1e-6);
  assert_near (node_test_number (&test, "m.volume", 0), 7.0 / 6, 1e-6);
  node_test_add (&test, "geometry/grid", "g", NULL);
  node_test_set (&test, "s", "body", "{\"link\": \"g.geometry\"}");
  node_test_fails_saying (&test, "s.geometry", 0, "edges are open");
  node_test_add (&test, "geometry/line", "l", NULL);
  node_test_set (&test, "s", "body", "{\"link\": \"l.geometry\"}");
  node_test_fails_saying (&test, "s.geometry", 0, "nothing to sweep");
  /* Two boxes are not convex together. */
  node_test_add (&test, "geometry/box", "far", "center", "[4, 0, 0]", NULL);
  node_test_add (&test, "geometry/merge", "both", "geometries",
                 "[{\"link\": \"b.geometry\"}, {\"link\": \"far.geometry\"}]", NULL);
  node_test_set (&test, "s", "body", "{\"link\": \"both.geometry\"}");
  node_test_warns (&test, "s.geometry", "has dents");
  node_test_clear (&test);
}

static void
test_mass_bad_input (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "g", NULL);
  node_test_add (&test, "geometry/mass", "m", NULL);
  node_test_fails_saying (&test, "m.mass", 0, "no points");
  node_test_set (&test, "m", "geometry", "{\"link\": \"g.geometry\"}");
  node_test_warns (&test, "m.mass", "weighed as sheets");
  node_test_set (&test, "m", "model", "\"solid\"");
  node_test_fails_saying (&test, "m.mass", 0, "is not closed (");
  node_test_set (&test, "m", "model", "\"points\"");
  node_test_set (&test, "m", "density", "0");
  assert_near (node_test_number (&test, "m.mass", 0), 121, 1e-12);
  node_test_set (&test, "m", "model", "\"shell\"");
  node_test_fails_saying (&test, "m.mass", 0, "the mass is 0");
  node_test_add (&test, "geometry/line", "l", NULL);
  node_test_set (&test, "m", "geometry", "{\"link\": \"l.geometry\"}");
  node_test_set (&test, "m", "model", "\"auto\"");
  node_test_set (&test, "m", "total", "3");
  node_test_warns (&test, "m.mass", "all mass lies on one line");
  node_test_add (&test, "geometry/mass", "n", "model", "\"box\"", "size", "[1, -1, 1]", NULL);
  node_test_fails_saying (&test, "n.mass", 0, "is negative");
  node_test_clear (&test);
}

static void
test_hull (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "b", "divisions", "4", "size", "[2, 2, 2]", NULL);
  node_test_add (&test, "geometry/transform", "t", "geometry", "{\"link\": \"b.geometry\"}", "rotate", "[10, 20, 30]",
                 NULL);
  node_test_add (&test, "geometry/hull", "h", "geometry", "{\"link\": \"t.transformed\"}", NULL);
  for (int pass = 0; pass < 2; pass++) {
    assert_near (node_test_number (&test, "h.points", 0), 8, 0);
    assert_near (node_test_number (&test, "h.polygons", 0), 6, 0);
    assert_near (node_test_number (&test, "h.volume", 0), 8, 1e-5);
    assert_near (node_test_number (&test, "h.area", 0), 24, 1e-5);
    node_test_set (&test, "h", "method", "\"wrap\"");
  }
  node_test_set (&test, "h", "faces", "\"triangles\"");
  assert_near (node_test_number (&test, "h.polygons", 0), 12, 0);
  node_test_add (&test, "geometry/measure", "m", "geometry", "{\"link\": \"h.hull\"}", NULL);
  assert_near (node_test_number (&test, "m.closed", 0), 1, 0);
  assert_near (node_test_number (&test, "m.volume", 0), 8, 1e-5);
  node_test_set (&test, "h", "keep", "true");
  assert_near (node_test_number (&test, "m.points", 0), 98, 0);
  node_test_set (&test, "h", "keep", "false");
  node_test_set (&test, "h", "faces", "\"polygons\"");
  node_test_set (&test, "h", "steps", "2");
  assert_near (node_test_number (&test, "m.primitives", 0), 2, 0);
  /* Its outline, seen along z. */
  node_test_set (&test, "h", "geometry", "{\"link\": \"b.geometry\"}");
  node_test_set (&test, "h", "plane", "\"xy\"");
  assert_near (node_test_number (&test, "h.points", 0), 4, 0);
  assert_near (node_test_number (&test, "h.flat", 0), 1, 0);
  node_test_clear (&test);
}

static void
test_hull_bad_input (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "g", "size", "[2, 1, 0]", NULL);
  node_test_add (&test, "geometry/hull", "h", "geometry", "{\"link\": \"g.geometry\"}", NULL);
  node_test_warns (&test, "h.hull", "in one plane");
  assert_near (node_test_number (&test, "h.area", 0), 2, 1e-6);
  assert_near (node_test_number (&test, "h.points", 0), 4, 0);
  node_test_set (&test, "h", "plane", "\"best\"");
  assert_near (node_test_number (&test, "h.points", 0), 4, 0);
  node_test_set (&test, "h", "plane", "\"space\"");
  node_test_add (&test, "geometry/line", "l", NULL);
  node_test_set (&test, "h", "geometry", "{\"link\": \"l.geometry\"}");
  node_test_warns (&test, "h.hull", "on one line");
  node_test_set (&test, "g", "size", "[0, 0, 0]");
  node_test_set (&test, "h", "geometry", "{\"link\": \"g.geometry\"}");
  node_test_fails_saying (&test, "h.hull", 0, "all points are in one place");
  node_test_set (&test, "h", "group", "\"left\"");
  node_test_set (&test, "h", "geometry", "{\"link\": \"g.geometry\"}");
  node_test_fails_saying (&test, "h.hull", 0, "no group \"left\"");
  node_test_clear (&test);
}

static void
test_neighbours (void)
{
  NodeTest test = node_test_new ();

  /* 11 x 11 points, 0.1 apart. */
  node_test_add (&test, "geometry/grid", "g", "size", "[1, 1, 0]", "columns", "10", "rows", "10", NULL);
  node_test_add (&test, "geometry/neighbours", "n", "geometry", "{\"link\": \"g.geometry\"}", "count", "0", "radius",
                 "0.105", NULL);
  for (int pass = 0; pass < 2; pass++) {
    assert_near (node_test_number (&test, "n.pairs", 0), 440, 0);
    assert_near (node_test_number (&test, "n.nearest", 0), 0.1, 1e-6);
    assert_near (node_test_number (&test, "n.mean", 0), 0.1, 1e-6);
    node_test_set (&test, "n", "method", "\"grid\"");
  }
  {
    g_auto (KgValue) table = node_test_get (&test, "n.table", 0);

    g_assert_cmpuint (kg_table_get_n_rows (table.table), ==, 440);
    assert_near (kg_table_get_row (table.table, 1)[0], 0, 0);
    assert_near (kg_table_get_row (table.table, 1)[1], 11, 0);
    assert_near (kg_table_get_row (table.table, 1)[2], 0.1, 1e-6);
  }
  node_test_add (&test, "geometry/measure", "m", "geometry", "{\"link\": \"n.lines\"}", NULL);
  assert_near (node_test_number (&test, "m.primitives", 0), 220, 0);
  assert_near (node_test_number (&test, "m.length", 0), 22, 1e-4);
  node_test_set (&test, "n", "make", "\"all\"");
  assert_near (node_test_number (&test, "m.primitives", 0), 440, 0);
  node_test_set (&test, "n", "count", "3");
  assert_near (node_test_number (&test, "n.pairs", 0), 440 - 81, 0);
  /* To one other point. */
  node_test_add (&test, "geometry/line", "l", "points", "2", NULL);
  node_test_set (&test, "n", "among", "{\"link\": \"l.geometry\"}");
  node_test_set (&test, "n", "radius", "0");
  node_test_set (&test, "n", "count", "1");
  assert_near (node_test_number (&test, "n.pairs", 0), 121, 0);
  assert_near (node_test_number (&test, "m.points", 0), 123, 0);
  node_test_set (&test, "n", "count", "0");
  node_test_fails_saying (&test, "n.pairs", 0, "both the count and the radius are 0");
  node_test_clear (&test);
}

static void
test_bounds (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "b", "size", "[1, 2, 3]", NULL);
  node_test_add (&test, "geometry/transform", "y", "geometry", "{\"link\": \"b.geometry\"}", "rotate", "[0, 35, 0]",
                 NULL);
  node_test_add (&test, "geometry/transform", "z", "geometry", "{\"link\": \"y.transformed\"}", "rotate", "[0, 0, 20]",
                 NULL);
  node_test_add (&test, "geometry/bounds", "o", "geometry", "{\"link\": \"z.transformed\"}", NULL);
  assert_vector_near (node_test_vector (&test, "o.size", 0), 3.07074805, 2.74807583, 3.03103257, 1e-6);
  assert_near (node_test_number (&test, "o.volume", 0), 25.5778184128, 1e-5);
  assert_near (node_test_number (&test, "o.fit", 0), 6 / 25.5778184128, 1e-6);
  node_test_set (&test, "o", "shape", "\"oriented\"");
  for (int pass = 0; pass < 2; pass++) {
    assert_vector_near (node_test_vector (&test, "o.size", 0), 3, 2, 1, 1e-6);
    assert_near (node_test_number (&test, "o.fit", 0), 1, 1e-6);
    node_test_set (&test, "o", "quality", "\"quick\"");
  }
  /* Volumes never grow as the shape gets closer, and all contain it. */
  {
    static const char *const sides[] = { "6", "14", "26" };
    double before = INFINITY;

    node_test_set (&test, "o", "shape", "\"slabs\"");
    for (int i = 0; i < 3; i++) {
      g_autofree char *json = g_strdup_printf ("\"%s\"", sides[i]);

      node_test_set (&test, "o", "sides", json);
      g_assert_cmpfloat (node_test_number (&test, "o.volume", 0), <=, before);
      before = node_test_number (&test, "o.volume", 0);
      g_assert_cmpfloat (before, >=, 6 - 1e-5);
    }
    assert_near (before, 12.7324157313, 1e-5);
    {
      g_auto (KgValue) table = node_test_get (&test, "o.slabs", 0);

      g_assert_cmpuint (kg_table_get_n_rows (table.table), ==, 13);
      assert_near (kg_table_get_row (table.table, 0)[4], 0.5 * 3.07074805, 1e-6);
    }
  }
  node_test_set (&test, "o", "shape", "\"sphere\"");
  node_test_set (&test, "o", "quality", "\"exact\"");
  assert_near (node_test_number (&test, "o.radius", 0), 0.5 * sqrt (14), 1e-6);
  node_test_set (&test, "o", "margin", "0.25");
  assert_near (node_test_number (&test, "o.radius", 0), 0.5 * sqrt (14) + 0.25, 1e-6);
  node_test_add (&test, "geometry/measure", "m", "geometry", "{\"link\": \"o.bounds\"}", NULL);
  assert_near (node_test_number (&test, "m.closed", 0), 1, 0);
  g_assert_cmpfloat (node_test_number (&test, "m.volume", 0), >, 0);
  node_test_set (&test, "o", "shape", "\"capsule\"");
  assert_vector_near (node_test_vector (&test, "o.size", 0), 3 + 2 * (sqrt (1.25) + 0.25), 2 * (sqrt (1.25) + 0.25),
                      2 * (sqrt (1.25) + 0.25), 1e-6);
  assert_near (node_test_number (&test, "m.closed", 0), 1, 0);
  /* The mesh is inscribed: 48 segments round it are about 0.9 per cent short. */
  assert_near (node_test_number (&test, "m.volume", 0) / node_test_number (&test, "o.volume", 0), 1, 0.01);
  node_test_set (&test, "o", "shape", "\"sphere\"");
  node_test_set (&test, "o", "show", "\"wire\"");
  assert_near (node_test_number (&test, "m.area", 0), 0, 0);
  node_test_set (&test, "o", "shape", "\"box\"");
  assert_near (node_test_number (&test, "m.primitives", 0), 12, 0);
  node_test_set (&test, "o", "shape", "\"hull\"");
  assert_near (node_test_number (&test, "o.volume", 0), 6, 1e-5);
  node_test_clear (&test);
}

/* A shape for each piece, or for each value of an attribute; wide lines; and so many points that no hull is wanted. */
static void
test_bounds_of_pieces (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) bounds = KG_VALUE_INIT;
  const int32_t *piece;

  node_test_add (&test, "geometry/box", "b", "size", "[1, 2, 3]", NULL);
  node_test_add (&test, "value/table", "t", "value", "[[0, 0, 0], [10, 0, 0], [0, 10, 5]]", NULL);
  node_test_add (&test, "geometry/copy_to_points", "c", "geometry", "{\"link\": \"b.geometry\"}", "points",
                 "{\"link\": \"t.output\"}", NULL);
  node_test_add (&test, "geometry/bounds", "o", "geometry", "{\"link\": \"c.copies\"}", "per", "\"piece\"", NULL);
  assert_near (node_test_number (&test, "o.count", 0), 3, 0);
  assert_near (node_test_number (&test, "o.volume", 0), 18, 1e-5);
  assert_near (node_test_number (&test, "o.fit", 0), 1, 1e-6);
  assert_vector_near (node_test_vector (&test, "o.size", 0), 11, 12, 8, 1e-6);
  bounds = node_test_get (&test, "o.bounds", 0);
  piece = kg_geometry_get_int (bounds.geometry, KG_PRIMITIVES, "piece", 1);
  g_assert_cmpuint (kg_geometry_get_n_primitives (bounds.geometry), ==, 18);
  for (int i = 0; i < 18; i++)
    g_assert_cmpint (piece[i], ==, i / 6);
  /* Spheres: each has the volume of one around one box. */
  node_test_set (&test, "o", "shape", "\"sphere\"");
  assert_near (node_test_number (&test, "o.volume", 0), 4 * KG_PI * 0.5 * sqrt (14) * 3.5, 1e-4);
  node_test_set (&test, "o", "shape", "\"slabs\"");
  {
    g_auto (KgValue) table = node_test_get (&test, "o.slabs", 0);

    g_assert_cmpuint (kg_table_get_n_rows (table.table), ==, 21);
  }
  /* Given directions count once, also backwards and longer. */
  node_test_add (&test, "value/table", "ways", "value", "[[1, 0, 0], [-2, 0, 0], [0, 1, 0], [0, 0, 3], [0, 3, 0]]",
                 NULL);
  node_test_set (&test, "o", "per", "\"whole\"");
  node_test_set (&test, "o", "sides", "\"given\"");
  node_test_set (&test, "o", "normals", "{\"link\": \"ways.output\"}");
  {
    g_auto (KgValue) table = node_test_get (&test, "o.slabs", 0);

    g_assert_cmpuint (kg_table_get_n_rows (table.table), ==, 3);
  }
  assert_near (node_test_number (&test, "o.volume", 0), 11 * 12 * 8, 1e-3);
  node_test_set (&test, "ways", "value", "[[1, 0, 0], [2, 0, 0], [0, 0, 0], [0, 0, 3]]");
  node_test_fails_saying (&test, "o.volume", 0, "2");
  node_test_set (&test, "o", "shape", "\"box\"");
  /* Two of the three belong together. */
  node_test_add (&test, "field/formula", "f", "formula", "\"x > 5 ? 1 : 0\"", NULL);
  node_test_add (&test, "geometry/attribute", "team", "geometry", "{\"link\": \"c.copies\"}", "name", "\"team\"",
                 "kind", "\"field\"", "field", "{\"link\": \"f.field\"}", NULL);
  node_test_set (&test, "o", "geometry", "{\"link\": \"team.set\"}");
  node_test_set (&test, "o", "per", "\"attribute\"");
  node_test_set (&test, "o", "attribute", "\"team\"");
  assert_near (node_test_number (&test, "o.count", 0), 2, 0);
  assert_near (node_test_number (&test, "o.volume", 0), 6 + 1 * 12 * 8, 1e-4);
  node_test_set (&test, "o", "attribute", "\"nobody\"");
  node_test_fails_saying (&test, "o.count", 0, "there is no attribute \"nobody\" of points or primitives");
  node_test_set (&test, "o", "attribute", "\"P\"");
  node_test_fails_saying (&test, "o.count", 0, "has 3 components");
  node_test_set (&test, "o", "per", "\"whole\"");
  node_test_set (&test, "o", "include_width", "true");
  node_test_warns (&test, "o.size", "no attribute width");
  node_test_add (&test, "geometry/attribute", "w", "geometry", "{\"link\": \"c.copies\"}", "name", "\"width\"",
                 "number", "0.5", NULL);
  node_test_set (&test, "o", "geometry", "{\"link\": \"w.set\"}");
  assert_vector_near (node_test_vector (&test, "o.size", 0), 11.5, 12.5, 8.5, 1e-6);
  node_test_add (&test, "geometry/sphere", "s", "segments", "800", "rings", "400", NULL);
  node_test_add (&test, "geometry/bounds", "many", "geometry", "{\"link\": \"s.geometry\"}", NULL);
  assert_near (node_test_number (&test, "many.fit", 0), -1, 0);
  assert_near (node_test_number (&test, "many.volume", 0), 8, 1e-5);
  node_test_clear (&test);
}

static void
test_bounds_bad_input (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "g", "size", "[0, 0, 0]", NULL);
  node_test_add (&test, "geometry/bounds", "o", "geometry", "{\"link\": \"g.geometry\"}", NULL);
  assert_near (node_test_number (&test, "o.volume", 0), 0, 0);
  node_test_set (&test, "o", "margin", "1");
  assert_near (node_test_number (&test, "o.volume", 0), 8, 0);
  node_test_set (&test, "o", "shape", "\"sphere\"");
  assert_near (node_test_number (&test, "o.radius", 0), 1, 1e-12);
  node_test_set (&test, "o", "shape", "\"slabs\"");
  node_test_set (&test, "o", "sides", "\"given\"");
  node_test_fails_saying (&test, "o.volume", 0, "0 directions are given");
  node_test_set (&test, "o", "normals", "{\"link\": \"g.geometry\"}");
  node_test_fails_saying (&test, "o.volume", 0, "121 directions are given");
  node_test_set (&test, "g", "columns", "1");
  node_test_set (&test, "g", "rows", "1");
  node_test_fails_saying (&test, "o.volume", 0, "direction 0 of the slabs is zero");
  node_test_set (&test, "g", "size", "[1, 1, 0]");
  node_test_fails_saying (&test, "o.volume", 0, "one plane");
  node_test_set (&test, "o", "shape", "\"box\"");
  node_test_set (&test, "o", "group", "\"nobody\"");
  node_test_fails_saying (&test, "o.volume", 0, "no group");
  node_test_clear (&test);
}

static void
test_inside (void)
{
  static const char *const methods[] = { "\"ray\"", "\"winding\"", "\"planes\"" };
  NodeTest test = node_test_new ();

  /* 21 x 21 points, 0.1 apart; of these 13 x 13 in a cube with sides of 1.2 + a bit. */
  node_test_add (&test, "geometry/grid", "g", "size", "[2, 2, 0]", "columns", "20", "rows", "20", NULL);
  node_test_add (&test, "geometry/box", "b", "size", "[1.21, 1.21, 1]", NULL);
  node_test_add (&test, "geometry/inside", "i", "geometry", "{\"link\": \"g.geometry\"}", "solid",
                 "{\"link\": \"b.geometry\"}", "distance", "true", NULL);
  for (guint k = 0; k < 3; k++) {
    node_test_set (&test, "i", "method", methods[k]);
    assert_near (node_test_number (&test, "i.count", 0), 169, 0);
  }
  {
    g_auto (KgValue) marked = node_test_get (&test, "i.marked", 0);
    const float *distance = kg_geometry_get_float (marked.geometry, KG_POINTS, "distance", 1);

    /* The middle, and the corner. */
    assert_near ((double) distance[220], -0.5, 1e-6);
    assert_near ((double) distance[0], 0.395 * sqrt (2), 1e-6);
  }
  node_test_set (&test, "b", "size", "[0, 0, 0]");
  assert_near (node_test_number (&test, "i.count", 0), 1, 0);
  node_test_set (&test, "i", "method", "\"ray\"");
  node_test_set (&test, "i", "solid", "{\"link\": \"g.geometry\"}");
  node_test_warns (&test, "i.count", "not closed (80 open edges)");
  node_test_set (&test, "i", "name", "\"P\"");
  node_test_fails_saying (&test, "i.count", 0, "is not a group");
  node_test_clear (&test);
}

/* A face, an edge and a corner of the solid belong to it, whether or not distances are stored. */
static void
test_inside_boundary (void)
{
  static const char *const methods[] = { "\"ray\"", "\"winding\"", "\"planes\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/polygon", "p", "points",
                 "[[1, 0, 0], [1, 1, 0], [1, 1, 1], [-1, 0.5, 1], [0, 0, 0], [1.001, 0, 0], [1, 1, 1.01]]", NULL);
  node_test_add (&test, "geometry/box", "b", "size", "[2, 2, 2]", NULL);
  node_test_add (&test, "geometry/inside", "i", "geometry", "{\"link\": \"p.geometry\"}", "solid",
                 "{\"link\": \"b.geometry\"}", NULL);
  for (guint k = 0; k < 6; k++) {
    node_test_set (&test, "i", "method", methods[k % 3]);
    node_test_set (&test, "i", "distance", k < 3 ? "false" : "true");
    assert_near (node_test_number (&test, "i.count", 0), 5, 0);
  }
  node_test_clear (&test);
}

static void
test_collide (void)
{
  static const char *const shapes[] = { "\"mesh\"", "\"hull\"", "\"oriented\"", "\"box\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "a", NULL);
  node_test_add (&test, "geometry/box", "b", "center", "[3, 0.4, 0.2]", NULL);
  node_test_add (&test, "geometry/collide", "c", "a", "{\"link\": \"a.geometry\"}", "b", "{\"link\": \"b.geometry\"}",
                 "move", "[4, 0, 0]", NULL);
  for (guint k = 0; k < G_N_ELEMENTS (shapes); k++) {
    node_test_set (&test, "c", "shape", shapes[k]);
    node_test_set (&test, "b", "center", "[3, 0.4, 0.2]");
    assert_near (node_test_number (&test, "c.touching", 0), 0, 0);
    assert_near (node_test_number (&test, "c.distance", 0), 2, 1e-6);
    assert_vector_near (node_test_vector (&test, "c.normal", 0), -1, 0, 0, 1e-6);
    assert_near (node_test_number (&test, "c.time", 0), 0.5, 2e-5);
    assert_near (node_test_number (&test, "c.count", 0), 0, 0);
    node_test_set (&test, "b", "center", "[0.9, 0.4, 0.2]");
    assert_near (node_test_number (&test, "c.touching", 0), 1, 0);
    assert_near (node_test_number (&test, "c.depth", 0), 0.1, 1e-6);
    assert_near (node_test_number (&test, "c.time", 0), 0, 0);
    assert_vector_near (node_test_vector (&test, "c.impact_normal", 0), -1, 0, 0, 1e-6);
    assert_near (node_test_vector (&test, "c.impact", 0).x, 0.45, 0.051);
    assert_vector_near (node_test_vector (&test, "c.normal", 0), -1, 0, 0, 1e-6);
    assert_near (node_test_number (&test, "c.distance", 0), 0, 0);
    assert_near (node_test_number (&test, "c.time", 0), 0, 0);
    g_assert_cmpfloat (node_test_number (&test, "c.count", 0), >=, 4);
    {
      g_auto (KgValue) table = node_test_get (&test, "c.table", 0);

      assert_near (fabs (kg_table_get_row (table.table, 0)[kg_table_find (table.table, "nx")]), 1, 1);
      g_assert_cmpfloat (kg_table_get_row (table.table, 0)[kg_table_find (table.table, "depth")], >, 0);
    }
  }
  node_test_set (&test, "c", "shape", "\"sphere\"");
  assert_near (node_test_number (&test, "c.depth", 0), sqrt (3) - sqrt (0.81 + 0.16 + 0.04), 1e-6);
  /* The one inside of the other. */
  node_test_set (&test, "c", "shape", "\"mesh\"");
  node_test_set (&test, "b", "center", "[0, 0, 0]");
  node_test_set (&test, "b", "size", "[3, 3, 3]");
  assert_near (node_test_number (&test, "c.touching", 0), 1, 0);
  assert_near (node_test_number (&test, "c.depth", 0), 1, 1e-6);
  node_test_clear (&test);
}

/* 50-61: many corners inside of each other: the deepest is the pole of the one towards the other, or one of those around it, which
 * lie as deep; the same for any number of threads. */
static void
test_collide_deepest (void)
{
  NodeTest test = node_test_new ();
  KgVector of_one = { 0, 0, 0 };

  node_test_add (&test, "geometry/sphere", "a", "segments", "160", "rings", "120", NULL);
  node_test_add (&test, "geometry/sphere", "b", "segments", "96", "rings", "80", "center", "[0, 1.4, 0]", NULL);
  node_test_add (&test, "geometry/collide", "c", "a", "{\"link\": \"a.geometry\"}", "b", "{\"link\": \"b.geometry\"}",
                 NULL);
  for (int threads = 1; threads <= 3; threads++) {
    static const char *const margins[] = { "0.1", "0.2", "0.3" };
    KgVector at;

    omp_set_num_threads (threads);
    /* Says nothing of objects that overlap, but is computed anew. */
    node_test_set (&test, "c", "margin", margins[threads - 1]);
    assert_near (node_test_number (&test, "c.depth", 0), 0.6, 1e-3);
    assert_vector_near (node_test_vector (&test, "c.normal", 0), 0, -1, 0, 0.05);
    at = node_test_vector (&test, "c.closest_a", 0);
    of_one = threads == 1 ? at : of_one;
    g_assert_true (at.x == of_one.x && at.y == of_one.y && at.z == of_one.z);
  }
  omp_set_num_threads (omp_get_num_procs ());
  node_test_clear (&test);
}

static void
test_collide_bad_input (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "l", NULL);
  node_test_add (&test, "geometry/box", "b", NULL);
  node_test_add (&test, "geometry/collide", "c", "a", "{\"link\": \"l.geometry\"}", "b", "{\"link\": \"b.geometry\"}",
                 NULL);
  node_test_fails_saying (&test, "c.depth", 0, "input a has no polygons");
  for (int k = 1; k < 5; k++) {
    node_test_set_number (&test, "c", "shape", k);
    assert_near (node_test_number (&test, "c.touching", 0), 1, 0);
  }
  node_test_add (&test, "geometry/merge", "none", NULL);
  node_test_set (&test, "c", "b", "{\"link\": \"none.geometry\"}");
  node_test_warns (&test, "c.touching", "input b is empty");
  node_test_clear (&test);
}

static void
test_fit_shape (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/circle", "k", "radius", "2", "points", "12", NULL);
  node_test_add (&test, "geometry/transform", "t", "geometry", "{\"link\": \"k.geometry\"}", "translate", "[1, 2, 3]",
                 "rotate", "[90, 0, 0]", NULL);
  node_test_add (&test, "geometry/fit_shape", "f", "geometry", "{\"link\": \"t.transformed\"}", "shape", "\"circle\"",
                 NULL);
  assert_near (node_test_number (&test, "f.radius", 0), 2, 1e-6);
  assert_vector_near (node_test_vector (&test, "f.center", 0), 1, 2, 3, 1e-6);
  assert_near (fabs (node_test_vector (&test, "f.direction", 0).y), 1, 1e-6);
  assert_near (node_test_number (&test, "f.residual", 0), 0, 1e-6);
  node_test_set (&test, "f", "shape", "\"plane\"");
  assert_near (node_test_number (&test, "f.largest", 0), 0, 1e-6);
  assert_near (fabs (node_test_vector (&test, "f.direction", 0).y), 1, 1e-6);
  node_test_add (&test, "geometry/measure", "m", "geometry", "{\"link\": \"f.fitted\"}", NULL);
  /* A square around twelve points, turned as rounding has it. */
  assert_near (node_test_number (&test, "m.area", 0), 15.46, 0.55);
  node_test_add (&test, "geometry/sphere", "s", "radius", "0.5", "center", "[0, 1, 0]", NULL);
  node_test_set (&test, "f", "geometry", "{\"link\": \"s.geometry\"}");
  node_test_set (&test, "f", "shape", "\"sphere\"");
  assert_near (node_test_number (&test, "f.radius", 0), 0.5, 1e-6);
  assert_near (node_test_number (&test, "m.closed", 0), 1, 0);
  node_test_set (&test, "f", "shape", "\"box\"");
  assert_near (node_test_number (&test, "m.closed", 0), 1, 0);
  node_test_set (&test, "f", "shape", "\"line\"");
  assert_near (node_test_number (&test, "m.primitives", 0), 1, 0);
  node_test_set (&test, "f", "geometry", "{\"link\": \"k.geometry\"}");
  node_test_set (&test, "f", "shape", "\"sphere\"");
  node_test_fails_saying (&test, "f.radius", 0, "in one plane");
  node_test_clear (&test);
}

static void
test_momentum (void)
{
  NodeTest test = node_test_new ();

  /* Eight corners at a speed of 3 along x. */
  node_test_add (&test, "geometry/box", "b", "center", "[0, 2, 0]", NULL);
  node_test_add (&test, "geometry/attribute", "v", "geometry", "{\"link\": \"b.geometry\"}", "name", "\"v\"", "kind",
                 "\"vector\"", "vector", "[3, 0, 0]", NULL);
  node_test_add (&test, "geometry/momentum", "m", "geometry", "{\"link\": \"v.set\"}", NULL);
  assert_near (node_test_number (&test, "m.mass", 0), 8, 0);
  assert_vector_near (node_test_vector (&test, "m.center", 0), 0, 2, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "m.momentum", 0), 24, 0, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "m.angular", 0), 0, 0, -48, 1e-12);
  assert_near (node_test_number (&test, "m.kinetic", 0), 36, 1e-12);
  assert_near (node_test_number (&test, "m.energy", 0), 36 + 8 * 9.81 * 2, 1e-11);
  node_test_set (&test, "m", "about", "\"center\"");
  assert_vector_near (node_test_vector (&test, "m.angular", 0), 0, 0, 0, 1e-12);
  assert_near (node_test_number (&test, "m.balanced", 0), 1, 0);
  node_test_set (&test, "m", "weigh", "true");
  assert_vector_near (node_test_vector (&test, "m.force", 0), 0, -8 * 9.81, 0, 1e-12);
  assert_near (node_test_number (&test, "m.balanced", 0), 0, 0);
  node_test_add (&test, "geometry/merge", "none", NULL);
  node_test_set (&test, "m", "geometry", "{\"link\": \"none.geometry\"}");
  node_test_warns (&test, "m.mass", "the total mass is 0");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/geometry/mass/70-96-to-101", test_mass);
  g_test_add_func ("/geometry/mass/curves", test_mass_of_curves);
  g_test_add_func ("/geometry/collide/50-106-linear-impact", test_linear_impact);
  g_test_add_func ("/geometry/collide/50-106-bars", test_bars);
  g_test_add_func ("/geometry/sweep_linear/50-63", test_sweep);
  g_test_add_func ("/geometry/mass/bad-input", test_mass_bad_input);
  g_test_add_func ("/geometry/hull/70-44-to-50", test_hull);
  g_test_add_func ("/geometry/hull/bad-input", test_hull_bad_input);
  g_test_add_func ("/geometry/neighbours", test_neighbours);
  g_test_add_func ("/geometry/bounds/70-35-to-41", test_bounds);
  g_test_add_func ("/geometry/bounds/70-35-pieces", test_bounds_of_pieces);
  g_test_add_func ("/geometry/bounds/bad-input", test_bounds_bad_input);
  g_test_add_func ("/geometry/inside/50-58", test_inside);
  g_test_add_func ("/geometry/inside/50-59-boundary", test_inside_boundary);
  g_test_add_func ("/geometry/collide/50-60-to-64", test_collide);
  g_test_add_func ("/geometry/collide/50-61-deepest", test_collide_deepest);
  g_test_add_func ("/geometry/collide/bad-input", test_collide_bad_input);
  g_test_add_func ("/geometry/fit_shape/70-10", test_fit_shape);
  g_test_add_func ("/geometry/momentum/70-74-70-76-70-87-70-88-70-90-70-95", test_momentum);
  return g_test_run ();
}

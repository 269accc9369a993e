/* tests/nodes/shapes: what nodes find out about shapes: masses, bounds, hulls, contacts.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

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
  node_test_fails_saying (&test, "h.hull", 0, "all in one place");
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/geometry/mass/70-96-to-101", test_mass);
  g_test_add_func ("/geometry/mass/bad-input", test_mass_bad_input);
  g_test_add_func ("/geometry/hull/70-44-to-50", test_hull);
  g_test_add_func ("/geometry/hull/bad-input", test_hull_bad_input);
  g_test_add_func ("/geometry/neighbours", test_neighbours);
  return g_test_run ();
}

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/geometry/mass/70-96-to-101", test_mass);
  g_test_add_func ("/geometry/mass/bad-input", test_mass_bad_input);
  return g_test_run ();
}

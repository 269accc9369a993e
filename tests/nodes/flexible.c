/* tests/nodes/flexible: soft bodies, constraints by energy, motion that is solved for, and relations, as nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

static const float *
get_points (const KgValue *value)
{
  return kg_geometry_get_positions (value->geometry);
}

/* A soft pin gives way by m g / k, a hard one does not. */
static void
test_soft_pin (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "line", "start", "[0, 0, 0]", "end", "[1, 0, 0]", NULL);
  node_test_add (&test, "geometry/attribute", "pinned", "geometry", "{\"link\": \"line.geometry\"}", "name", "\"pin\"",
                 "number", "1", NULL);
  node_test_add (&test, "sim/soft_body", "body", "body", "{\"link\": \"pinned.set\"}", "mass", "4", "brace", "\"none\"",
                 "damping", "60", "pin_stiffness", "1000", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "body.geometry", 2);

    assert_near ((double) get_points (&value)[1], -0.01962, 1e-6);
  }
  node_test_set (&test, "body", "pin_stiffness", "0");
  {
    g_auto (KgValue) value = node_test_get (&test, "body.geometry", 2);

    assert_near ((double) get_points (&value)[1], 0, 0);
  }
  node_test_clear (&test);
}

/* The example's numbers, by any way to its frames. */
static void
test_struck_triangle (void)
{
  NodeTest test = node_test_open_example ("struck_triangle.json");

  assert_vector_near (node_test_vector (&test, "body.momentum", 30.0 / 24), 0, -3, 0, 1e-10);
  /* Frame 2: the others are still at rest. */
  {
    g_auto (KgValue) early = node_test_get (&test, "body.geometry", 1.0 / 24);

    assert_near ((double) get_points (&early)[4], 0.8660254 - 3.0 / 24, 1e-6);
    assert_near ((double) get_points (&early)[1], 0, 1e-7);
  }
  node_test_clear (&test);
}

static void
test_wrong_bodies (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "box", NULL);
  node_test_add (&test, "geometry/attribute", "mass", "geometry", "{\"link\": \"box.geometry\"}", "name", "\"mass\"",
                 "number", "0", NULL);
  node_test_add (&test, "sim/soft_body", "body", "body", "{\"link\": \"mass.set\"}", NULL);
  node_test_fails_saying (&test, "body.geometry", 0, "the mass of point 0 is 0 kg");
  node_test_set (&test, "mass", "number", "1");
  /* A stiffness that explodes is refused with the number of substeps that would do. */
  node_test_set (&test, "body", "stiffness", "1e7");
  node_test_fails_saying (&test, "body.geometry", 1, "substeps, the implicit method");
  node_test_set (&test, "body", "method", "\"implicit\"");
  assert_near (node_test_vector (&test, "body.momentum", 1).y, -8 * 9.81, 1e-6);
  node_test_set (&test, "body", "method", "\"rk4\"");
  node_test_set (&test, "body", "substeps", "10000");
  node_test_set (&test, "body", "stiffness", "1e4");
  assert_near (node_test_vector (&test, "body.momentum", 1.0 / 24).y, -8 * 9.81 / 24, 1e-6);
  /* Steps a little too long blow up, and say when; the remedy is in both messages. */
  node_test_set (&test, "body", "substeps", "1");
  node_test_set (&test, "body", "damping", "0");
  node_test_set (&test, "body", "stiffness", "4e3");
  node_test_set (&test, "body", "velocity", "[1, 2, 3]");
  node_test_set (&test, "body", "strikes", "[[0, 0.5, 0.5, 0.5, 1, 2, 1]]");
  node_test_fails_saying (&test, "body.geometry", 20, "at frame ");
  /* No edges at all. */
  node_test_add (&test, "geometry/delete", "points", "geometry", "{\"link\": \"box.geometry\"}", "domain",
                 "\"primitives\"", "kind", "\"range\"", "last", "-1", "loose", "true", NULL);
  node_test_set (&test, "body", "body", "{\"link\": \"points.rest\"}");
  node_test_fails_saying (&test, "body.geometry", 0, "no edges");
  node_test_set (&test, "body", "body", "{\"link\": \"box.geometry\"}");
  node_test_set (&test, "body", "pressure", "10");
  node_test_set (&test, "body", "method", "\"implicit\"");
  /* Blown up, it gets larger. */
  node_test_set (&test, "body", "strikes", "[]");
  g_assert_cmpfloat (node_test_number (&test, "body.volume", 1), >, 1.0001);
  node_test_clear (&test);
}

/* A light sheet in a storm: the implicit method goes with the wind, whatever the step. */
static void
test_storm (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "sheet", "columns", "1", "rows", "1", NULL);
  node_test_add (&test, "sim/soft_body", "body", "body", "{\"link\": \"sheet.geometry\"}", "mass", "0.01", "gravity",
                 "[0, 0, 0]", "velocity", "[0, 0, -20]", "drag", "1.2", "method", "\"implicit\"", NULL);
  for (int along = 0; along < 2; along++) {
    for (int i = 1; i <= 24; i++)
      g_assert_cmpfloat (fabs (node_test_vector (&test, "body.momentum", i / 24.0).z), <, 0.02);
    node_test_set (&test, "body", "drag_direction", "\"normal\"");
  }
  /* No number of substeps that could be set would do. */
  node_test_set (&test, "body", "method", "\"rk4\"");
  node_test_set (&test, "body", "stiffness", "1e12");
  node_test_fails_saying (&test, "body.geometry", 1, "use the implicit method, or less stiffness");
  node_test_clear (&test);
}

/* It stays above the floor and out of the obstacle, and comes to rest with its momentum gone. */
static void
test_floor (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "box", "center", "[0, 1.5, 0]", "divisions", "2", NULL);
  node_test_add (&test, "geometry/sphere", "ball", "radius", "0.6", NULL);
  node_test_add (&test, "sim/soft_body", "body", "body", "{\"link\": \"box.geometry\"}", "stiffness", "200", "ground",
                 "true", "ground_height", "-0.5", "obstacle", "{\"link\": \"ball.geometry\"}", "thickness", "0.01",
                 "substeps", "12", NULL);
  for (int i = 0; i <= 8; i++) {
    g_auto (KgValue) value = node_test_get (&test, "body.geometry", 0.25 * i);
    const float *p = get_points (&value);

    for (size_t k = 0; k < kg_geometry_get_n_points (value.geometry); k++) {
      const double r = hypot (hypot ((double) p[3 * k], (double) p[3 * k + 1]), (double) p[3 * k + 2]);

      g_assert_cmpfloat ((double) p[3 * k + 1], >=, -0.5 - 1e-6);
      /* The ball has flat faces: their middles are at 0.6 cos (pi/32) or more. */
      g_assert_cmpfloat (r, >=, 0.6 * cos (KG_PI / 16) - 1e-6);
    }
  }
  node_test_set (&test, "body", "ground_height", "1.1");
  node_test_warns (&test, "body.geometry", "starts up to 0.1 m below the ground");
  node_test_clear (&test);
}

static void
test_chase (void)
{
  NodeTest test = node_test_new ();
  KgVector place;

  node_test_add (&test, "geometry/line", "line", "start", "[0, 0, 0]", "end", "[0, 1e-9, 0]", NULL);
  /* 24 frames a second: 3 m/s. */
  node_test_add (&test, "value/vector", "goal", "value", "{\"expr\": \"t < 6 ? 3*t : 18, 0, 0\"}", NULL);
  node_test_add (&test, "rig/energy", "chase", "things", "[{\"link\": \"line.geometry\"}]", "relations",
                 "\"fix 0 0 0 0 to place 0\"", "places", "[{\"link\": \"goal.output\"}]", "mode", "\"flow\"",
                 "substeps", "100", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "chase.geometry", 6);

    /* The goal is read at frames: half a frame of its way comes on top of v/2. */
    assert_near (18 - (double) get_points (&value)[0], 1.5, 3.0 / 24);
  }
  {
    g_auto (KgValue) early = node_test_get (&test, "chase.geometry", 6),
                     late = node_test_get (&test, "chase.geometry", 7);

    place = kg_vector ((double) get_points (&early)[0], (double) get_points (&late)[0], 0);
    assert_near ((18 - place.y) / (18 - place.x), exp (-2), 0.01);
  }
  node_test_set (&test, "chase", "mode", "\"solve\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "chase.geometry", 6);

    assert_near ((double) get_points (&value)[0], 18, 1e-6);
  }
  node_test_set (&test, "chase", "relations", "\"fix 0 0 0 0 to place 0\\nfix 0 0 0 0 to 0 2 0\"");
  node_test_warns (&test, "chase.energy", "cannot all be met");
  node_test_set (&test, "chase", "relations", "\"fix 0 0 0 0 to place 1\"");
  node_test_fails_saying (&test, "chase.energy", 0, "there are 1 places");
  node_test_set (&test, "chase", "relations", "\"\"");
  /* Nothing to solve is solved. */
  assert_near (node_test_number (&test, "chase.converged", 0), 1, 0);
  node_test_set (&test, "chase", "held", "[[1]]");
  node_test_fails_saying (&test, "chase.energy", 0, "there are 1, counted from 0");
  node_test_clear (&test);
}

static void
test_spacetime (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/spacetime", "s", "keys", "[[0, 0, 0, 0, 0, 0, 0], [1, 2, 1, 0, 0, 0, 0]]", "mass",
                 "1.5", NULL);
  assert_near (node_test_number (&test, "s.cost", 0), 351.531225, 1e-6);
  assert_vector_near (node_test_vector (&test, "s.place", 0.5), 1, 0.5, 0, 1e-9);
  assert_vector_near (node_test_vector (&test, "s.force", 0), 18, 23.715, 0, 1e-9);
  node_test_set (&test, "s", "method", "\"discrete\"");
  node_test_set (&test, "s", "samples", "11");
  assert_near (node_test_number (&test, "s.cost", 0), 382.378103, 1e-6);
  /* Force only where there is contact, and none: nothing gets it there. */
  node_test_set (&test, "s", "contacts", "[[5, 6]]");
  node_test_fails_saying (&test, "s.cost", 0, "contradict");
  node_test_set (&test, "s", "weight", "[1, -1, 1]");
  node_test_fails_saying (&test, "s.cost", 0, "without bound");
  node_test_set (&test, "s", "weight", "[1, 1, 1]");
  node_test_set (&test, "s", "keys", "[[1, 0, 0, 0], [0, 2, 1, 0]]");
  node_test_fails_saying (&test, "s.cost", 0, "sort the keys");
  node_test_clear (&test);
}

static void
test_relations (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/relations", "r", "a", "100", NULL);
  assert_near (node_test_number (&test, "r.value", 0), 212, 1e-12);
  node_test_set (&test, "r", "known", "\"F = a/2\"");
  node_test_set (&test, "r", "wanted", "\"C\"");
  assert_near (node_test_number (&test, "r.value", 0), 10, 1e-12);
  node_test_set (&test, "r", "known", "\"F = a\\nC = b\"");
  node_test_warns (&test, "r.value", "contradict");
  node_test_set (&test, "r", "known", "\"\"");
  node_test_warns (&test, "r.value", "nothing determines F C");
  node_test_set (&test, "r", "known", "\"C = a; C = a\"");
  assert_near (node_test_number (&test, "r.solved", 0), 1, 0);
  node_test_set (&test, "r", "known", "\"C = a; C = b\"");
  node_test_fails_saying (&test, "r.value", 0, "\"C\" is given as ");
  node_test_set (&test, "r", "known", "\"G = 1\"");
  node_test_fails_saying (&test, "r.value", 0, "\"G\" is in no relation");
  node_test_clear (&test);
}

static void
test_sketch (void)
{
  NodeTest test = node_test_open_example ("sketch_rectangle.json");

  assert_near (node_test_number (&test, "sketch.freedoms", 0), 2, 0);
  {
    g_auto (KgValue) value = node_test_get (&test, "sketch.geometry", 0);

    assert_near ((double) get_points (&value)[0], -0.025, 1e-6);
    assert_near ((double) get_points (&value)[1], 0.025, 1e-6);
    assert_near ((double) get_points (&value)[6], 3.975, 1e-6);
  }
  /* A dragged corner stays where it is put while it can. */
  {
    g_auto (KgValue) value = node_test_get (&test, "leaning.geometry", 0.5);

    assert_near (hypot ((double) get_points (&value)[9] - (double) get_points (&value)[0],
                        (double) get_points (&value)[10] - (double) get_points (&value)[1]),
                 2, 1e-6);
  }
  node_test_set (&test, "leaning", "drag_point", "9");
  node_test_fails_saying (&test, "leaning.geometry", 0, "no point 9 to drag");
  node_test_set (&test, "sketch", "relations", "\"distance 0 1 1; distance 0 1 2\"");
  node_test_warns (&test, "sketch.geometry", "line 2 fights lines 1");
  node_test_clear (&test);
}

static void
test_mechanism (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/mechanism", "m", "angle", "40", NULL);
  assert_near (node_test_number (&test, "m.position", 0), 3.696373, 1e-6);
  assert_near (node_test_number (&test, "m.angle_2", 0), 12.372266, 1e-6);
  node_test_set (&test, "m", "rod", "0.5");
  node_test_fails_saying (&test, "m.position", 0, "a rod of 1 m lets the crank turn fully");
  node_test_set (&test, "m", "kind", "\"four_bar\"");
  node_test_set (&test, "m", "rod", "3.5");
  node_test_set (&test, "m", "angle", "60");
  assert_vector_near (node_test_vector (&test, "m.end", 0), 3.330743, 2.924397, 0, 1e-6);
  assert_near (node_test_number (&test, "m.angle_2", 0), 102.890327, 1e-6);
  assert_near (node_test_number (&test, "m.turns_fully", 0), 1, 0);
  node_test_set (&test, "m", "assembly", "\"minus\"");
  assert_near (node_test_number (&test, "m.angle_2", 0), -130.686099, 1e-6);
  node_test_set (&test, "m", "ground", "9");
  node_test_fails_saying (&test, "m.end", 0, "cannot close");
  node_test_set (&test, "m", "kind", "\"gears\"");
  node_test_set (&test, "m", "angle", "90");
  assert_near (node_test_number (&test, "m.angle_2", 0), -36, 1e-12);
  assert_near (node_test_number (&test, "m.ratio", 0), -0.4, 1e-12);
  node_test_set (&test, "m", "inner", "true");
  assert_near (node_test_number (&test, "m.angle_2", 0), 36, 1e-12);
  node_test_set (&test, "m", "teeth_2", "12");
  node_test_fails_saying (&test, "m.end", 0, "give it more teeth");
  node_test_set (&test, "m", "kind", "\"belt\"");
  assert_near (node_test_number (&test, "m.angle_2", 0), 45, 1e-12);
  node_test_set (&test, "m", "crossed", "true");
  assert_near (node_test_number (&test, "m.ratio", 0), -0.5, 1e-12);
  node_test_set (&test, "m", "distance", "0.3");
  node_test_fails_saying (&test, "m.end", 0, "move them apart");
  node_test_set (&test, "m", "kind", "\"rack\"");
  assert_near (node_test_number (&test, "m.position", 0), 0.6 * KG_PI / 2, 1e-12);
  node_test_set (&test, "m", "kind", "\"lever\"");
  assert_vector_near (node_test_vector (&test, "m.end", 0), 0, -3.5, 0, 1e-12);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/soft_body/50-78-soft-pin", test_soft_pin);
  g_test_add_func ("/sim/soft_body/50-80-struck-triangle", test_struck_triangle);
  g_test_add_func ("/sim/soft_body/wrong-bodies", test_wrong_bodies);
  g_test_add_func ("/sim/soft_body/floor-and-obstacle", test_floor);
  g_test_add_func ("/sim/soft_body/50-86-storm", test_storm);
  g_test_add_func ("/rig/energy/50-93-chase", test_chase);
  g_test_add_func ("/motion/spacetime/50-94-node", test_spacetime);
  g_test_add_func ("/value/relations/50-97-node", test_relations);
  g_test_add_func ("/geometry/sketch/50-101-node", test_sketch);
  g_test_add_func ("/rig/mechanism/50-102-facts", test_mechanism);
  return g_test_run ();
}

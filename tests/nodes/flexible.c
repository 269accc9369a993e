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

/* What moves along with its goals is not held back by their dampers, nor pulled ahead, at any frame rate and by any method;
 * 50-88: a goal whose velocity is known is followed without a lag. */
static void
test_moving_goal (void)
{
  static const char *const methods[] = { "\"semi-implicit\"", "\"verlet\"", "\"midpoint\"", "\"rk4\"", "\"implicit\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "line", "start", "[0, 0, 0]", "end", "[1, 0, 0]", NULL);
  node_test_add (&test, "geometry/transform", "cart", "geometry", "{\"link\": \"line.geometry\"}", "translate",
                 "{\"expr\": \"3*t, 0, 0\"}", NULL);
  node_test_add (&test, "sim/soft_body", "body", "body", "{\"link\": \"cart.transformed\"}", "mass", "4", "brace",
                 "\"none\"", "damping", "60", "goal", "1000", "gravity", "[0, 0, 0]", "velocity", "[3, 0, 0]", NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (methods); i++) {
    node_test_set (&test, "body", "method", methods[i]);
    assert_near (node_test_number (&test, "body.residual", 1), 0, 1e-6);
    assert_vector_near (node_test_vector (&test, "body.momentum", 1), 12, 0, 0, 1e-5);
  }
  /* From rest it catches up, and stays. */
  node_test_set (&test, "body", "velocity", "[0, 0, 0]");
  g_assert_cmpfloat (node_test_number (&test, "body.residual", 2.0 / 24), >, 0.04);
  assert_near (node_test_number (&test, "body.residual", 3), 0, 1e-6);
  /* Its weight: m g / k of each point. */
  node_test_set (&test, "body", "gravity", "[0, -9.81, 0]");
  assert_near (node_test_number (&test, "body.residual", 3), 2 * 9.81 / 1000, 1e-6);
  /* Nothing on a line can bend, and a pull that is hardly damped tells what the method makes of it. */
  node_test_set (&test, "body", "bend", "1");
  node_test_warns (&test, "body.geometry", "the bending stiffness does nothing");
  node_test_set (&test, "body", "bend", "0");
  node_test_set (&test, "body", "method", "\"midpoint\"");
  node_test_set (&test, "body", "damping", "0");
  node_test_warns_at (&test, "body.geometry", 1, "midpoint steps gain energy");
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

/* A blow J on the end of a chain of masses 0.1 kg, 0.1 m apart, on springs of 1000 N/m: its front runs at 0.1 sqrt (k / m) = 10 m/s
 * and leaves all behind it moved by J / sqrt (k m), with J² / 2 m of energy; the step limit is 2 / (2 sqrt (k / m)). */
static void
test_wave (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "line", "start", "[0, 0, 0]", "end", "[20, 0, 0]", "points", "201", NULL);
  node_test_add (&test, "sim/soft_body", "body", "body", "{\"link\": \"line.geometry\"}", "mass", "20.1", "damping",
                 "0", "brace", "\"none\"", "gravity", "[0, 0, 0]", "method", "\"verlet\"", "substeps", "40", "strikes",
                 "[[0, 0, 0, 0, 0.1, 0, 0]]", NULL);
  assert_near (node_test_number (&test, "body.wave_speed", 0), 10, 1e-4);
  assert_near (node_test_number (&test, "body.step_limit", 0), 0.01, 1e-5);
  for (int seconds = 1; seconds <= 2; seconds++) {
    g_auto (KgValue) value = node_test_get (&test, "body.geometry", seconds - 0.5);
    const float *p = get_points (&value);
    const size_t front = (size_t) (100 * (seconds - 0.5));

    assert_near ((double) p[3 * (front / 2)] - 0.05 * (double) front, 0.01, 7e-4);
    g_assert_cmpfloat ((double) p[3 * (front - 8)] - 0.1 * (double) (front - 8), >, 0.008);
    assert_near ((double) p[3 * (front + 12)] - 0.1 * (double) (front + 12), 0, 2e-4);
    assert_near (node_test_number (&test, "body.energy", seconds - 0.5), 0.05, 2e-4);
    assert_vector_near (node_test_vector (&test, "body.momentum", seconds - 0.5), 0.1, 0, 0, 1e-12);
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
  node_test_set (&test, "mass", "name", "\"stiffness\"");
  node_test_set (&test, "mass", "number", "-1");
  node_test_fails_saying (&test, "body.geometry", 0, "the stiffness of point 0 is -1");
  node_test_set (&test, "mass", "name", "\"mass\"");
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

/* One body of two sheets, the lower one held: the upper one comes to rest the thickness above it, and falls through where
 * self-collision is off. */
static void
test_self_collision (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "low", "columns", "3", "rows", "3", "size", "[2, 2, 0]", "plane", "\"zx\"",
                 NULL);
  node_test_add (&test, "geometry/attribute", "held", "geometry", "{\"link\": \"low.geometry\"}", "name", "\"pin\"",
                 "number", "1", NULL);
  node_test_add (&test, "geometry/grid", "high", "columns", "2", "rows", "2", "size", "[1, 1, 0]", "plane", "\"zx\"",
                 NULL);
  node_test_add (&test, "geometry/transform", "lifted", "geometry", "{\"link\": \"high.geometry\"}", "translate",
                 "[0.03, 0.5, 0.07]", NULL);
  node_test_add (&test, "geometry/merge", "both", "geometries",
                 "[{\"link\": \"held.set\"}, {\"link\": \"lifted.transformed\"}]", NULL);
  node_test_add (&test, "sim/soft_body", "body", "body", "{\"link\": \"both.geometry\"}", "self_collision", "true",
                 "self_thickness", "0.04", "brace", "\"faces\"", "stiffness", "100", "substeps", "20", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "body.geometry", 2);

    for (size_t i = 16; i < 25; i++)
      assert_near ((double) get_points (&value)[3 * i + 1], 0.04, 1e-3);
    assert_vector_near (node_test_vector (&test, "body.momentum", 2), 0, 0, 0, 0.02);
  }
  node_test_set (&test, "body", "self_collision", "false");
  {
    g_auto (KgValue) value = node_test_get (&test, "body.geometry", 2);

    assert_near ((double) get_points (&value)[3 * 20 + 1], 0.5 - 0.5 * 9.81 * 4, 0.05);
  }
  node_test_clear (&test);
}

/* The example: a ball of tetrahedra keeps its volume on the floor, and collapses on its springs alone.  What cannot be filled is
 * refused, and what is not done is told. */
static void
test_tetrahedra (void)
{
  NodeTest test = node_test_open_example ("tetrahedra.json");
  const double volume = node_test_number (&test, "filled.volume", 0);

  assert_near (volume, 0.515, 0.015);
  assert_near (node_test_number (&test, "volume.volume", 59.0 / 24), volume, 0.01);
  g_assert_cmpfloat (node_test_number (&test, "springs.volume", 59.0 / 24), <, 0.5 * volume);
  /* The mass is spread; what falls has m g t. */
  assert_near (node_test_vector (&test, "volume.momentum", 4.0 / 24).y, -9.81 * 4 / 24, 1e-9);
  node_test_set (&test, "filled", "cell", "2");
  node_test_fails_saying (&test, "filled.filled", 0, "use smaller cells");
  node_test_set (&test, "filled", "cell", "0.0001");
  node_test_fails_saying (&test, "filled.filled", 0, "use larger cells");
  node_test_set (&test, "filled", "cell", "0.17");
  node_test_set (&test, "volume", "tear", "1");
  node_test_warns (&test, "volume.geometry", "let springs break");
  node_test_set (&test, "volume", "tear", "0");
  node_test_set (&test, "volume", "body", "{\"link\": \"ball.geometry\"}");
  node_test_set (&test, "volume", "spread", "\"even\"");
  node_test_warns (&test, "volume.geometry", "fill it by Tetrahedra");
  node_test_add (&test, "geometry/grid", "sheet", NULL);
  node_test_set (&test, "filled", "geometry", "{\"link\": \"sheet.geometry\"}");
  node_test_fails_saying (&test, "filled.filled", 0, "link a solid mesh");
  node_test_clear (&test);
}

/* 50-103: a cloth over a ball touches it all around its middle, no point of it is inside, and its corners hang lower. */
static void
test_draped (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "cloth", "columns", "14", "rows", "14", "size", "[2, 2, 0]", "plane", "\"zx\"",
                 NULL);
  node_test_add (&test, "geometry/transform", "lifted", "geometry", "{\"link\": \"cloth.geometry\"}", "translate",
                 "[0, 0.55, 0]", NULL);
  node_test_add (&test, "geometry/sphere", "ball", "radius", "0.5", "segments", "48", "rings", "32", NULL);
  node_test_add (&test, "sim/soft_body", "body", "body", "{\"link\": \"lifted.transformed\"}", "mass", "0.4",
                 "stiffness", "100", "damping", "0.1", "brace", "\"faces\"", "drag", "1.5", "friction", "1", "obstacle",
                 "{\"link\": \"ball.geometry\"}", "thickness", "0.02", "substeps", "24", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "body.geometry", 3);
    const float *p = get_points (&value);
    double lowest = 1;
    guint touching = 0;

    for (size_t k = 0; k < kg_geometry_get_n_points (value.geometry); k++) {
      const double r = kg_vector_length (kg_vector ((double) p[3 * k], (double) p[3 * k + 1], (double) p[3 * k + 2]));

      /* The ball has flat faces. */
      g_assert_cmpfloat (r, >, 0.5 * cos (KG_PI / 32) + 0.02 - 1e-4);
      touching += r < 0.53;
      lowest = fmin (lowest, (double) p[3 * k + 1]);
    }
    assert_near ((double) p[3 * 112 + 1], 0.52, 2e-3);
    g_assert_cmpuint (touching, >, 25);
    g_assert_cmpfloat (lowest, <, -0.3);
  }
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

    /* The goal goes on within a frame, too: v/2, whatever the rate of frames. */
    assert_near (18 - (double) get_points (&value)[0], 1.5, 1e-3);
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
  /* Between samples, too, the velocity is 6 t (1 - t) times the way. */
  assert_vector_near (node_test_vector (&test, "s.velocity", 0.305), 12 * 0.305 * 0.695, 6 * 0.305 * 0.695, 0, 1e-9);
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

/* A relation without a value where it is does not hold, and messages give columns of the line that was typed. */
static void
test_relations_without_value (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/relations", "r", "relations", "\"x = 1/y\"", "known", "\"y = a\"", "wanted", "\"x\"",
                 NULL);
  assert_near (node_test_number (&test, "r.solved", 0), 0, 0);
  node_test_warns (&test, "r.value", "line 1 has no value");
  node_test_set (&test, "r", "a", "4");
  assert_near (node_test_number (&test, "r.value", 0), 0.25, 1e-12);
  assert_near (node_test_number (&test, "r.solved", 0), 1, 0);
  node_test_set (&test, "r", "relations", "\"x + = y\"");
  node_test_fails_saying (&test, "r.value", 0, "line 1: column 4: unexpected end");
  node_test_set (&test, "r", "relations", "\"x = y; x =  (y\"");
  node_test_fails_saying (&test, "r.value", 0, "line 2: column 6: this bracket");
  node_test_set (&test, "r", "relations", "\"[x, 1] = [y, 2]\"");
  node_test_fails_saying (&test, "r.value", 0, "one number on each side");
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
  node_test_warns (&test, "sketch.geometry", "line 2 contradicts line 1");
  /* A line cannot be rotated against itself, and is parallel to itself wherever it is. */
  node_test_set (&test, "sketch", "relations", "\"angle 0 1 0 1 30\"");
  node_test_warns (&test, "sketch.geometry", "line 1 cannot hold for any positions");
  node_test_set (&test, "sketch", "relations", "\"parallel 0 1 0 1\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "sketch.repeated", 0);

    g_assert_cmpstr (value.text, ==, "line 1 holds for any positions\n");
  }
  node_test_clear (&test);
}

/* A follower goes up by a cycloid: at a quarter of the rise by 1/4 - 1/2π of the lift, with 1/rise of the slope of the middle;
 * the outline is at the roller's radius from where the roller's axis was, at every angle. */
static void
test_cam (void)
{
  static const char *const laws[] = { "\"cycloidal\"", "\"harmonic\"", "\"polynomial\"" };
  static const double quarters[] = { 0.25 - 0.5 / KG_PI, 0.5 - 0.5 * 0.70710678118654752, 0.103515625 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/mechanism", "m", "kind", "\"cam\"", "base", "0.7", "roller", "0.15", "lift", "0.4", "rise",
                 "110", "dwell", "30", "fall", "80", NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (laws); k++) {
    node_test_set (&test, "m", "law", laws[k]);
    node_test_set (&test, "m", "angle", "27.5");
    assert_near (node_test_number (&test, "m.position", 0), 0.4 * quarters[k], 1e-12);
    node_test_set (&test, "m", "angle", "-240");
    assert_near (node_test_number (&test, "m.position", 0), 0.4, 1e-12);
    /* A quarter of the fall is missing of it, a turn later. */
    node_test_set (&test, "m", "angle", "520");
    assert_near (node_test_number (&test, "m.position", 0), 0.4 * (1 - quarters[k]), 1e-12);
    node_test_set (&test, "m", "angle", "221");
    assert_near (node_test_number (&test, "m.position", 0), 0, 0);
  }
  node_test_set (&test, "m", "law", "\"cycloidal\"");
  node_test_set (&test, "m", "angle", "55");
  assert_near (node_test_number (&test, "m.ratio", 0), 0.4 * 2 / (110 * KG_DEGREE), 1e-12);
  assert_near (node_test_number (&test, "m.angle_2", 0), atan (0.4 * 2 / (110 * KG_DEGREE) / 1.05) / KG_DEGREE, 1e-9);
  /* The roller only touches: no corner of the disc is within it, and the nearest is at its radius. */
  for (int angle = 0; angle < 360; angle += 7) {
    g_autofree char *typed = g_strdup_printf ("%d", angle);
    KgVector axis, touch;
    double least = INFINITY;

    node_test_set (&test, "m", "angle", typed);
    axis = node_test_vector (&test, "m.end", 0);
    touch = node_test_vector (&test, "m.joint", 0);
    assert_near (kg_vector_distance (axis, touch), 0.15, 1e-12);
    {
      g_auto (KgValue) value = node_test_get (&test, "m.geometry", 0);
      const float *p = kg_geometry_get_positions (value.geometry);

      for (size_t i = 0; i < 360; i++)
        least = fmin (least, kg_vector_distance (axis, kg_vector ((double) p[3 * i], (double) p[3 * i + 1], 0)));
    }
    assert_near (least, 0.15, 2e-4);
  }
  node_test_set (&test, "m", "rise", "260");
  node_test_fails_saying (&test, "m.end", 0, "take 370");
  node_test_set (&test, "m", "rise", "0");
  node_test_fails_saying (&test, "m.end", 0, "is a jump");
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

/* Where the outline of a wheel has its n-th corner. */
static KgVector
get_corner (const KgGeometry *geometry, size_t primitive, uint32_t corner)
{
  KgPrimitive wheel;

  kg_geometry_get_primitive (geometry, primitive, &wheel);
  return kg_vector ((double) kg_geometry_get_positions (geometry)[3 * (size_t) wheel.vertices[corner]],
                    (double) kg_geometry_get_positions (geometry)[3 * (size_t) wheel.vertices[corner] + 1], 0);
}

/* Of a drawn wheel: how far, from 0 to 1, the tooth that is nearest to a direction from its centre is from its middle there. */
static double
get_phase (const KgGeometry *geometry, size_t primitive, KgVector center, double direction, int teeth)
{
  const KgVector a = kg_vector_subtract (get_corner (geometry, primitive, 1), center),
                 b = kg_vector_subtract (get_corner (geometry, primitive, 2), center);
  const double tooth = atan2 (a.y + b.y, a.x + b.x), phase = (direction - tooth) * teeth / (2 * KG_PI);

  return phase - floor (phase);
}

/* 50-102, a carrier that moves: sun 24, planets 18, ring 60.  Willis: (24 + 60) carrier = 24 sun + 60 ring.  Teeth meet gaps at
 * both sides of a planet at any angle. */
static void
test_planetary (void)
{
  static const char *const teeth[][2] = { { "24", "18" }, { "21", "15" }, { "12", "12" } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/mechanism", "m", "kind", "\"planetary\"", "teeth", "24", "teeth_2", "18", "angle", "350",
                 NULL);
  assert_near (node_test_number (&test, "m.angle_2", 0), 100, 1e-10);
  assert_near (node_test_number (&test, "m.ratio", 0), 2.0 / 7, 1e-12);
  assert_vector_near (node_test_vector (&test, "m.end", 0), 2.1 * cos (100 * KG_DEGREE), 2.1 * sin (100 * KG_DEGREE), 0,
                      1e-12);
  /* The ring alone, and so that the carrier stands: an idle gear. */
  node_test_set (&test, "m", "ring", "84");
  assert_near (node_test_number (&test, "m.angle_2", 0), 160, 1e-10);
  node_test_set (&test, "m", "ring", "-140");
  assert_near (node_test_number (&test, "m.angle_2", 0), 0, 1e-10);
  node_test_set (&test, "m", "ring", "{\"expr\": \"17*frame\"}");
  node_test_set (&test, "m", "angle", "{\"expr\": \"-29*frame\"}");
  for (size_t k = 0; k < G_N_ELEMENTS (teeth); k++) {
    const int sun = atoi (teeth[k][0]), planet = atoi (teeth[k][1]), ring = sun + 2 * planet;

    node_test_set (&test, "m", "teeth", teeth[k][0]);
    node_test_set (&test, "m", "teeth_2", teeth[k][1]);
    for (int frame = 0; frame < 4; frame++) {
      g_auto (KgValue) value = node_test_get (&test, "m.geometry", frame / 24.0);
      const double carrier = node_test_number (&test, "m.angle_2", frame / 24.0) * KG_DEGREE;

      for (int i = 0; i < 3; i++) {
        const double at = carrier + i * 2 * KG_PI / 3, r = 0.05 * (sun + planet);
        const KgVector center = { r * cos (at), r * sin (at), 0 }, middle = { 0, 0, 0 };
        /* Sun, its spoke, ring; then planet, its spoke and the arm of each. */
        const size_t of = 3 + 3 * (size_t) i;

        /* Turning against each other, phases add; turning alike, they are subtracted: half a tooth between them. */
        assert_near (fabs (remainder (get_phase (value.geometry, 0, middle, at, sun) +
                                          get_phase (value.geometry, of, center, at + KG_PI, planet),
                                      1)),
                     0.5, 1e-5);
        assert_near (fabs (remainder (get_phase (value.geometry, 2, middle, at, ring) -
                                          get_phase (value.geometry, of, center, at, planet),
                                      1)),
                     0.5, 1e-5);
      }
    }
  }
  node_test_set (&test, "m", "planets", "8");
  node_test_fails_saying (&test, "m.end", 0, "planets of 12 teeth overlap");
  node_test_set (&test, "m", "teeth", "31");
  node_test_set (&test, "m", "planets", "4");
  node_test_warns (&test, "m.end", "do not all mesh");
  node_test_clear (&test);
}

/* 50-104: a yield below 0 is an error, also where an expression or a link makes it. */
static void
test_yield (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "line", NULL);
  node_test_add (&test, "sim/soft_body", "body", "body", "{\"link\": \"line.geometry\"}", "yield",
                 "{\"expr\": \"0.5 - 1\"}", NULL);
  node_test_fails_saying (&test, "body.geometry", 0, "the yield is -50%: use 0 for an elastic body");
  node_test_set (&test, "body", "yield", "-0.1");
  node_test_fails_saying (&test, "body.geometry", 1, "the yield is -10%");
  node_test_set (&test, "body", "yield", "0");
  node_test_number (&test, "body.energy", 0);
  /* From a later frame on. */
  node_test_set (&test, "body", "yield", "{\"expr\": \"0.5 - t\"}");
  node_test_number (&test, "body.energy", 0);
  node_test_fails_saying (&test, "body.geometry", 1, "the yield is -");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/soft_body/50-78-soft-pin", test_soft_pin);
  g_test_add_func ("/sim/soft_body/50-88-moving-goal", test_moving_goal);
  g_test_add_func ("/sim/soft_body/50-80-struck-triangle", test_struck_triangle);
  g_test_add_func ("/sim/soft_body/50-81-wave", test_wave);
  g_test_add_func ("/sim/soft_body/wrong-bodies", test_wrong_bodies);
  g_test_add_func ("/sim/soft_body/floor-and-obstacle", test_floor);
  g_test_add_func ("/sim/soft_body/self-collision", test_self_collision);
  g_test_add_func ("/sim/soft_body/50-104-tetrahedra", test_tetrahedra);
  g_test_add_func ("/sim/soft_body/50-103-draped", test_draped);
  g_test_add_func ("/sim/soft_body/50-86-storm", test_storm);
  g_test_add_func ("/rig/energy/50-93-chase", test_chase);
  g_test_add_func ("/motion/spacetime/50-94-node", test_spacetime);
  g_test_add_func ("/value/relations/50-97-node", test_relations);
  g_test_add_func ("/value/relations/50-97-without-value", test_relations_without_value);
  g_test_add_func ("/geometry/sketch/50-101-node", test_sketch);
  g_test_add_func ("/rig/mechanism/50-102-facts", test_mechanism);
  g_test_add_func ("/rig/mechanism/50-102-cam", test_cam);
  g_test_add_func ("/rig/mechanism/50-102-planetary", test_planetary);
  g_test_add_func ("/flexible/50-104/yield", test_yield);
  return g_test_run ();
}

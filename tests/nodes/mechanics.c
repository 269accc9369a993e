/* tests/nodes/mechanics: laws of motion and rotating frames as nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

static void
test_throw (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "velocity", "[3, 8, 0]", "mass", "2", NULL);
  assert_vector_near (node_test_vector (&test, "l.place", 1.2), 3.6, 2.5368, 0, 1e-14);
  assert_near (node_test_number (&test, "l.event", 0), 0.815494393476, 1e-12);
  assert_near (node_test_number (&test, "l.energy", 1.2), 73, 1e-12);
  /* Before its start it waits, unless the law is to hold there too. */
  assert_vector_near (node_test_vector (&test, "l.place", -1), 0, 0, 0, 0);
  node_test_set (&test, "l", "extend", "true");
  assert_vector_near (node_test_vector (&test, "l.place", -1), -3, -8 - 9.81 / 2, 0, 1e-14);
  /* The motion is the place at any other time. */
  node_test_add (&test, "motion/evaluate", "e", "motion", "{\"link\": \"l.motion\"}", "at", "1.2", NULL);
  assert_vector_near (node_test_vector (&test, "e.vector", 0), 3.6, 2.5368, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "e.vector_derivative", 0), 3, 8 - 9.81 * 1.2, 0, 1e-10);
  node_test_clear (&test);
}

/* Thrown to be there at that time. */
static void
test_aim (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "start", "[1, 2, 3]", "aim", "\"arrival\"", "target", "[-4, 1, 6]",
                 "arrival", "1.5", NULL);
  assert_vector_near (node_test_vector (&test, "l.place", 1.5), -4, 1, 6, 1e-13);
  assert_near (node_test_number (&test, "l.event", 0), 1.5, 0);
  node_test_set (&test, "l", "arrival", "0");
  node_test_fails_saying (&test, "l.place", 0, "must be after the start");
  node_test_set (&test, "l", "aim", "\"speed-high\"");
  node_test_set (&test, "l", "speed", "3");
  node_test_fails_saying (&test, "l.place", 0, "it takes at least");
  node_test_set (&test, "l", "law", "\"orbit\"");
  node_test_fails_saying (&test, "l.place", 0, "cannot be aimed this way");
  node_test_clear (&test);
}

static void
test_laws (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "law", "\"circle\"", "start", "[2, 0, 0]", "axis", "[0, 0, 1]", NULL);
  assert_vector_near (node_test_vector (&test, "l.place", 0.4), 1.618033988750, 1.175570504585, 0, 1e-12);
  assert_near (node_test_number (&test, "l.angle", 0.4), 36, 1e-12);
  node_test_set (&test, "l", "start", "[0, 0, 2]");
  node_test_warns (&test, "l.place", "stands still");
  node_test_set (&test, "l", "axis", "[0, 0, 0]");
  node_test_fails_saying (&test, "l.place", 0, "axis is zero");
  node_test_set (&test, "l", "law", "\"orbit\"");
  node_test_set (&test, "l", "start", "[1, 0, 0]");
  node_test_set (&test, "l", "velocity", "[0, 1.2, 0]");
  assert_vector_near (node_test_vector (&test, "l.place", 3), -1.004932141024, 1.591438291472, 0, 1e-11);
  assert_near (node_test_number (&test, "l.angle", 14.993320610381 / 2), 180, 1e-6);
  node_test_set (&test, "l", "start", "[0, 0, 0]");
  node_test_fails_saying (&test, "l.place", 0, "starts at its centre");
  node_test_set (&test, "l", "mass", "0");
  node_test_fails_saying (&test, "l.place", 0, "mass is 0");
  node_test_clear (&test);
}

static void
test_friction (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "law", "\"slope\"", "velocity", "[3, 0, 0]", "static_friction", "0.25",
                 "kinetic_friction", "0.25", NULL);
  assert_near (node_test_number (&test, "l.event", 0), 1.223241590214, 1e-11);
  /* The energy that is lost is force times way. */
  assert_near (node_test_number (&test, "l.energy", 9), 0, 1e-12);
  assert_near (node_test_vector (&test, "l.place", 9).x * 0.25 * 9.81, 4.5, 1e-12);
  node_test_set (&test, "l", "kinetic_friction", "0.5");
  node_test_warns (&test, "l.place", "is raised to it");
  node_test_set (&test, "l", "normal", "[0, 0, 0]");
  node_test_fails_saying (&test, "l.place", 0, "normal of the slope is zero");
  node_test_set (&test, "l", "law", "\"viscous\"");
  node_test_set (&test, "l", "viscosity", "0.001");
  node_test_set (&test, "l", "fluid_density", "1000");
  node_test_warns (&test, "l.place", "Reynolds");
  node_test_clear (&test);
}

/* The field at a place for a body with a velocity. */
static KgVector
sample (const KgField *field, KgVector at, KgVector velocity)
{
  const float x = (float) at.x, y = (float) at.y, z = (float) at.z;
  const float vx = (float) velocity.x, vy = (float) velocity.y, vz = (float) velocity.z;
  const KgFieldBlock block = { .n = 1, .x = &x, .y = &y, .z = &z, .vx = &vx, .vy = &vy, .vz = &vz };
  float out[3];

  kg_field_sample (field, &block, (float *const[]){ out, out + 1, out + 2 });
  return kg_vector ((double) out[0], (double) out[1], (double) out[2]);
}

static void
test_frame (void)
{
  NodeTest test = node_test_new ();
  g_autofree char *speed = g_strdup_printf ("%.17g", 3 / KG_DEGREE);

  node_test_add (&test, "field/rotating_frame", "f", "angular_speed", speed, NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    /* 1.5 kg at 2 m and 3 rad/s: 27 N outwards; nothing on the axis. */
    assert_vector_near (kg_vector_scale (sample (value.field, kg_vector (2, 5, 0), kg_vector (0, 0, 0)), 1.5), 27, 0, 0,
                        1e-5);
    assert_vector_near (sample (value.field, kg_vector (0, 5, 0), kg_vector (0, 0, 0)), 0, 0, 0, 1e-6);
    /* 2 ω v, to the right of the way as seen from above where the frame turns to the left. */
    assert_vector_near (sample (value.field, kg_vector (0, 0, 0), kg_vector (0, 0, -1)), 6, 0, 0, 1e-5);
  }
  node_test_set (&test, "f", "coriolis", "false");
  node_test_set (&test, "f", "centrifugal", "false");
  node_test_set (&test, "f", "acceleration", "[0, 2, 0]");
  node_test_set (&test, "f", "angular_acceleration", "90");
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, kg_vector (1, 0, 0), kg_vector (0, 0, 7)), 0, -2, KG_PI / 2, 1e-6);
  }
  node_test_set (&test, "f", "axis", "[0, 0, 0]");
  node_test_fails_saying (&test, "f.field", 0, "axis is zero");
  node_test_clear (&test);
}

/* A free body seen from the turning frame, integrated by Runge and Kutta's fourth-order steps, is where the rotation of its
 * straight way says; the field has single precision. */
static void
test_free_body (void)
{
  NodeTest test = node_test_new ();
  g_autofree char *speed = g_strdup_printf ("%.17g", 2 / KG_DEGREE);
  KgVector p = { 1, 0, 0 }, v = { 0, -1, 0 };
  const double h = 1e-3;

  node_test_add (&test, "field/rotating_frame", "f", "axis", "[0, 0, 1]", "angular_speed", speed, NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    for (int i = 0; i < 500; i++) {
      const KgVector a1 = sample (value.field, p, v), v2 = kg_vector_add_scaled (v, h / 2, a1);
      const KgVector a2 = sample (value.field, kg_vector_add_scaled (p, h / 2, v), v2),
                     v3 = kg_vector_add_scaled (v, h / 2, a2);
      const KgVector a3 = sample (value.field, kg_vector_add_scaled (p, h / 2, v2), v3),
                     v4 = kg_vector_add_scaled (v, h, a3);
      const KgVector a4 = sample (value.field, kg_vector_add_scaled (p, h, v3), v4);

      p = kg_vector_add_scaled (p, h / 6,
                                kg_vector_add (kg_vector_add (v, v4), kg_vector_scale (kg_vector_add (v2, v3), 2)));
      v = kg_vector_add_scaled (v, h / 6,
                                kg_vector_add (kg_vector_add (a1, a4), kg_vector_scale (kg_vector_add (a2, a3), 2)));
    }
  }
  assert_vector_near (p, 0.961037798272, -0.571319831874, 0, 1e-6);
  node_test_clear (&test);
}

/* 20-064: with resistance that grows with the square of the speed. */
static void
test_bounce_in_air (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "law", "\"bounce\"", "start", "[0, 2, 0]", "body_radius", "0", "loss", "0",
                 "restitution", "0.7", NULL);
  assert_near (node_test_vector (&test, "l.place", 0.3).y, 1.55855, 1e-5);
  assert_near (node_test_number (&test, "l.rest", 0), 3.6184549, 1e-7);
  node_test_set (&test, "l", "terminal_speed", "12");
  node_test_set (&test, "l", "start", "[0, 100, 0]");
  assert_near (node_test_vector (&test, "l.current_velocity", 1).y, -8.0844825, 1e-7);
  assert_near (node_test_vector (&test, "l.place", 1).y, 100 - 4.4397673, 1e-7);
  assert_near (node_test_number (&test, "l.terminal", 1), 12, 0);
  /* Before its start, thrown down, it has risen, been highest, and has a speed that fits all the time. */
  node_test_set (&test, "l", "velocity", "[0, -3, 0]");
  node_test_set (&test, "l", "extend", "true");
  for (double top = -12 / 9.81 * atanh (3 / 12.0), t = -1.5; t < 0; t += 0.09) {
    const double v = t < top ? 12 * tan (9.81 * (top - t) / 12) : -12 * tanh (9.81 * (t - top) / 12);
    g_autofree char *now = g_strdup_printf ("%.17g", t), *later = g_strdup_printf ("%.17g", t + 1e-5);
    double y;

    node_test_set (&test, "l", "time", now);
    assert_near (node_test_vector (&test, "l.current_velocity", 0).y, v, 1e-9 * fmax (1, fabs (v)));
    y = node_test_vector (&test, "l.place", 0).y;
    node_test_set (&test, "l", "time", later);
    assert_near ((node_test_vector (&test, "l.place", 0).y - y) / 1e-5, v, 1e-2);
  }
  /* Farther back it would have been infinitely fast. */
  node_test_set (&test, "l", "time", "-3");
  node_test_fails_saying (&test, "l.place", 0, "at -3 s the position is too large to compute");
  node_test_set (&test, "l", "time", "{\"expr\": \"t\"}");
  node_test_set (&test, "l", "extend", "false");
  /* Thrown down faster than the air carries it, it slows down to that. */
  node_test_set (&test, "l", "velocity", "[0, -40, 0]");
  node_test_set (&test, "l", "start", "[0, 1000, 0]");
  assert_near (node_test_vector (&test, "l.current_velocity", 9).y, -12, 1e-4);
  node_test_clear (&test);
}

static void
test_bounce (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "law", "\"bounce\"", "start", "[0, 2, 0]", "velocity", "[0, 0, 0]",
                 "body_radius", "0", "loss", "0", NULL);
  assert_near (node_test_number (&test, "l.event", 0), 0.638551, 1e-6);
  assert_near (node_test_number (&test, "l.rest", 0), 5.746958, 1e-6);
  assert_vector_near (node_test_vector (&test, "l.place", 6), 0, 0, 0, 1e-12);
  assert_near (node_test_number (&test, "l.bounces", 6), -1, 0);
  assert_near (node_test_number (&test, "l.bounces", 0.6), 0, 0);
  assert_near (node_test_number (&test, "l.bounces", 0.7), 1, 0);
  node_test_set (&test, "l", "velocity", "[3, 0, 0]");
  /* It rolls on. */
  assert_vector_near (node_test_vector (&test, "l.place", 9), 27, 0, 0, 1e-10);
  node_test_set (&test, "l", "body_radius", "0.3");
  node_test_set (&test, "l", "velocity", "[0, 1, 0]");
  assert_near (node_test_number (&test, "l.event", 0), 0.699412, 1e-6);
  node_test_set (&test, "l", "start", "[0, 0.1, 0]");
  node_test_fails_saying (&test, "l.place", 0, "0.2 m deep in the ground");
  node_test_set (&test, "l", "normal", "[0, 0, 0]");
  node_test_fails_saying (&test, "l.place", 0, "normal of the ground is zero");
  node_test_clear (&test);
}

/* Throws of the catalogue, and the same by steps at 30 Hz. */
static void
test_throws (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "velocity", "[100, 100, 0]", "acceleration", "[0, -32, 0]", NULL);
  assert_near (node_test_number (&test, "l.period", 0), 6.25, 1e-12);
  assert_vector_near (node_test_vector (&test, "l.place", 6.25), 625, 0, 0, 1e-10);
  assert_near (node_test_vector (&test, "l.place", 3.125).y, 156.25, 1e-12);
  assert_near (node_test_vector (&test, "l.current_velocity", 2.0 / 30).y, 1468.0 / 15, 1e-12);
  assert_vector_near (node_test_vector (&test, "l.place", 2.0 / 30), 20.0 / 3, 1484.0 / 225, 0, 1e-12);
  node_test_set (&test, "l", "velocity", "[0, 0, 0]");
  node_test_set (&test, "l", "acceleration", "[0, -9.81, 0]");
  node_test_set (&test, "l", "drag", "1");
  assert_near (node_test_vector (&test, "l.place", 1).y, -9.81 * exp (-1), 1e-12);
  /* Aimed through the air. */
  node_test_set (&test, "l", "aim", "\"arrival\"");
  node_test_set (&test, "l", "target", "[5, 1, 0]");
  assert_vector_near (node_test_vector (&test, "l.place", 1), 5, 1, 0, 1e-12);
  node_test_set (&test, "l", "aim", "\"speed-low\"");
  node_test_fails_saying (&test, "l.place", 0, "give a time of arrival");
  node_test_clear (&test);
}

/* 50-39: the area under a quarter of a cosine by 4 and 8 steps, and an oscillation by steps of a tenth of a second. */
static void
test_steps (void)
{
  static const struct {
    const char *method;
    double area[2], swing;
  } cases[] = { { "\"euler\"", { 1.183465, 1.094960 }, 0.5707904 },
                { "\"midpoint\"", { 1.006455, 1.001608 }, 0.5389707 },
                { "\"rk4\"", { 1.0000082955, 1.0000005167 }, 0.5403029671 },
                { "\"symplectic\"", { NAN, NAN }, 0.4978137 },
                { "\"leapfrog\"", { NAN, NAN }, 0.5399513 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    NodeTest test = node_test_new ();

    node_test_add (&test, "sim/equations", "e", "equations", "\"x' = cos(t)\"", "start", "\"x = 0\"", "substeps", "1",
                   "method", cases[i].method, NULL);
    for (int k = 0; k < 2 && !isnan (cases[i].area[k]); k++) {
      kg_graph_set_frames (test.graph, (KgFrames){ 1, 200, (4 << k) / (KG_PI / 2) }, NULL);
      assert_near (node_test_number (&test, "e.first", KG_PI / 2), cases[i].area[k], 1e-6);
    }
    kg_graph_set_frames (test.graph, (KgFrames){ 1, 200, 10 }, NULL);
    node_test_set (&test, "e", "equations", "\"x'' = -x\"");
    node_test_set (&test, "e", "start", "\"x = 1\"");
    assert_near (node_test_number (&test, "e.first", 1), cases[i].swing, 1e-7);
    node_test_clear (&test);
  }
}

/* The steps of the textbook are right for constant acceleration, others are off by half of g h t. */
static void
test_30_hz (void)
{
  static const struct {
    const char *method;
    double y;
  } cases[] = { { "\"midpoint\"", 84 },
                { "\"heun\"", 84 },
                { "\"leapfrog\"", 84 },
                { "\"euler\"", 84 + 16.0 / 30 },
                { "\"symplectic\"", 84 - 16.0 / 30 } };
  NodeTest test = node_test_new ();

  kg_graph_set_frames (test.graph, (KgFrames){ 1, 200, 30 }, NULL);
  node_test_add (&test, "sim/equations", "e", "equations", "\"x'' = 0\\ny'' = -32\"", "start", "\"x' = 100; y' = 100\"",
                 "substeps", "1", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    node_test_set (&test, "e", "method", cases[i].method);
    assert_near (node_test_vector (&test, "e.point", 1).y, cases[i].y, 1e-10);
    assert_near (node_test_vector (&test, "e.point", 1).x, 100, 1e-10);
  }
  node_test_set (&test, "e", "method", "\"midpoint\"");
  assert_near (node_test_vector (&test, "e.point", 187.0 / 30).y, 1.662222, 1e-6);
  assert_near (node_test_vector (&test, "e.point", 188.0 / 30).y, -1.671111, 1e-6);
  node_test_clear (&test);
}

/* Kepler's equation by the place on the orbit, and a turn at a constant speed. */
static void
test_orbits (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "law", "\"orbit\"", "start", "[0.5, 0, 0]", "velocity",
                 "[0, 1.7320508075688772, 0]", NULL);
  assert_near (node_test_number (&test, "l.period", 0), 2 * KG_PI, 1e-12);
  assert_vector_near (node_test_vector (&test, "l.place", KG_PI / 2), cos (2.0209799381) - 0.5,
                      sqrt (0.75) * sin (2.0209799381), 0, 1e-9);
  node_test_set (&test, "l", "law", "\"circle\"");
  node_test_set (&test, "l", "start", "[2, 0, 0]");
  node_test_set_number (&test, "l", "angular_speed", 3 * 180 / KG_PI);
  node_test_set (&test, "l", "axis", "[0, 0, 1]");
  assert_near (node_test_number (&test, "l.current_speed", 0.3), 6, 1e-12);
  assert_near (kg_vector_length (node_test_vector (&test, "l.current_acceleration", 0.3)), 18, 1e-12);
  node_test_clear (&test);
}

static double
follow (NodeTest *test, double seconds)
{
  return 1 - node_test_vector (test, "f.value", seconds).x;
}

static void
test_follow (void)
{
  static const double damping[] = { 0.2, 0.5, 1, 2 };
  static const double values[][3] = { { 0.827806, 1.525506, 0.725036 },
                                      { 0.647328, 1.140700, 0.989822 },
                                      { 0.465584, 0.821026, 0.986399 },
                                      { 0.292983, 0.535728, 0.799926 } };
  NodeTest test = node_test_new ();

  /* From 1 m away to a goal at 0: the same as a step of the goal, from any frame rate. */
  node_test_add (&test, "sim/follow_spring", "f", "start_at_goal", "false", "start", "[1, 0, 0]", NULL);
  for (int rate = 0; rate < 2; rate++) {
    kg_graph_set_frames (test.graph, (KgFrames){ 1, 2000, rate == 0 ? 24 : 1000 }, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (damping); i++) {
      node_test_set_number (&test, "f", "damping", damping[i]);
      for (guint k = 0; k < 3; k++)
        assert_near (follow (&test, k == 0 ? 0.25 : k == 1 ? 0.5 : 1), values[i][k], 1e-6);
    }
  }
  kg_graph_set_frames (test.graph, (KgFrames){ 1, 500, 24 }, NULL);
  /* A goal that moves evenly: the lag, and none where its velocity is known. */
  node_test_set (&test, "f", "goal", "{\"expr\": \"3*t, 0, 0\"}");
  node_test_set (&test, "f", "start_at_goal", "true");
  node_test_set (&test, "f", "damping", "0.5");
  assert_near (node_test_number (&test, "f.distance", 10), 0.477465, 1e-6);
  node_test_set (&test, "f", "lead", "1");
  assert_near (node_test_number (&test, "f.distance", 10), 0, 1e-6);
  node_test_set (&test, "f", "lead", "0");
  node_test_set (&test, "f", "limit", "0.1");
  assert_near (node_test_number (&test, "f.distance", 10), 0.1, 1e-12);
  node_test_clear (&test);
}

static void
test_controller (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "sim/follow_spring", "f", "strength", "\"gains\"", "mass", "2", "stiffness", "200",
                 "resistance", "20", "start_at_goal", "false", "start", "[1, 0, 0]", NULL);
  kg_graph_set_frames (test.graph, (KgFrames){ 1, 500, 25 }, NULL);
  assert_near (follow (&test, 0.2), 0.849426, 1e-6);
  node_test_set (&test, "f", "load", "[5, 0, 0]");
  assert_vector_near (node_test_vector (&test, "f.value", 8), 0.025, 0, 0, 1e-9);
  assert_near (node_test_vector (&test, "f.force", 8).x, -5, 1e-6);
  node_test_set (&test, "f", "load", "[0, 0, 0]");
  node_test_set (&test, "f", "goal", "{\"expr\": \"3*t, 0, 0\"}");
  assert_near (node_test_number (&test, "f.distance", 8), 0.3, 1e-9);
  node_test_set (&test, "f", "lead", "1");
  assert_near (node_test_number (&test, "f.distance", 8), 0, 1e-9);
  /* Without a spring it falls, with and without resistance. */
  node_test_set (&test, "f", "stiffness", "0");
  node_test_set (&test, "f", "goal", "[0, 0, 0]");
  node_test_set (&test, "f", "start", "[0, 0, 0]");
  node_test_set (&test, "f", "load", "[4, 0, 0]");
  assert_near (node_test_vector (&test, "f.velocity", 4).x, 0.2, 1e-9);
  node_test_set (&test, "f", "resistance", "0");
  assert_near (node_test_vector (&test, "f.value", 1).x, 1, 1e-12);
  node_test_clear (&test);
}

/* A skater draws in the arms: the moment falls from 4 to 1.6 and the turns rise from 1 to 2.5 a second. */
static void
test_skater (void)
{
  NodeTest test = node_test_new ();
  double before;

  node_test_add (&test, "sim/tumble", "t", "method", "\"midpoint\"", "spin", "[0, 360, 0]", "moments",
                 "{\"expr\": \"5, clamp(5.6 - 1.6*t, 1.6, 4), 5\"}", NULL);
  assert_near (node_test_vector (&test, "t.angular_velocity", 0).y, 360, 1e-9);
  before = node_test_number (&test, "t.energy", 0);
  assert_near (node_test_vector (&test, "t.angular_velocity", 4).y, 900, 1e-9);
  assert_near (node_test_number (&test, "t.energy", 4) / before, 2.5, 1e-12);
  /* Steps with a torque: a moment of 2 Nm for a second on 1.6 kg m². */
  node_test_set (&test, "t", "moments", "[5, 1.6, 5]");
  node_test_set (&test, "t", "torque", "[0, 2, 0]");
  assert_near (node_test_vector (&test, "t.angular_velocity", 1).y, 360 + 2 / 1.6 * 180 / KG_PI, 1e-9);
  node_test_clear (&test);
}

static void
test_tumble (void)
{
  NodeTest test = node_test_new ();
  KgVector exact;

  node_test_add (&test, "geometry/box", "b", "size", "[1, 2, 3]", "center", "[5, 0, 0]", NULL);
  node_test_add (&test, "sim/tumble", "t", "body", "{\"link\": \"b.geometry\"}", "spin", "[20, 300, 10]", "position",
                 "[0, 4, 0]", NULL);
  node_test_add (&test, "geometry/measure", "m", "geometry", "{\"link\": \"t.geometry\"}", NULL);
  /* Its centre is where it is put, whatever it does. */
  assert_vector_near (node_test_vector (&test, "m.centroid", 1.3), 0, 4, 0, 1e-5);
  assert_vector_near (node_test_vector (&test, "t.principal_moments", 0), 2500, 5000, 6500, 1e-2);
  exact = node_test_vector (&test, "t.angular_velocity", 1.5);
  node_test_set (&test, "t", "method", "\"rk4\"");
  node_test_set (&test, "t", "substeps", "50");
  assert_vector_near (node_test_vector (&test, "t.angular_velocity", 1.5), exact.x, exact.y, exact.z, 1e-5);
  node_test_set (&test, "t", "method", "\"elliptic\"");
  node_test_set (&test, "t", "torque", "[0, 1, 0]");
  node_test_fails_saying (&test, "t.rotation", 1, "choose a method with steps");
  node_test_set (&test, "t", "torque", "[0, 0, 0]");
  node_test_add (&test, "sim/tumble", "u", "moments", "[1, 0, 1]", NULL);
  node_test_fails_saying (&test, "u.rotation", 1, "all must be above 0");
  node_test_set (&test, "u", "moments", "[1, 3, 1]");
  node_test_warns (&test, "u.rotation", "which no body can have");
  node_test_clear (&test);
}

/* A light body on a circle around a heavy one. */
static void
test_gravitation (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "p", "basis", "\"linear\"", "points", "[[0, 0], [2, 0]]", NULL);
  node_test_add (&test, "field/formula", "mass", "formula", "\"x < 1 ? 10 : 1e-9\"", NULL);
  node_test_add (&test, "geometry/attribute", "m", "geometry", "{\"link\": \"p.geometry\"}", "name", "\"mass\"", "kind",
                 "\"field\"", "field", "{\"link\": \"mass.field\"}", NULL);
  node_test_add (&test, "field/formula", "speed", "formula", "\"0, (x < 1 ? 0 : sqrt(5)), 0\"", NULL);
  node_test_add (&test, "geometry/attribute", "v", "geometry", "{\"link\": \"m.set\"}", "name", "\"v\"", "kind",
                 "\"field\"", "field", "{\"link\": \"speed.field\"}", NULL);
  node_test_add (&test, "sim/gravitation", "g", "bodies", "{\"link\": \"v.set\"}", "constant", "1", "method", "\"rk4\"",
                 "substeps", "10", NULL);
  kg_graph_set_frames (test.graph, (KgFrames){ 1, 500, 50 }, NULL);
  for (int i = 0; i < 8; i++) {
    g_auto (KgValue) value = node_test_get (&test, "g.geometry", 0.7 * i);
    const float *p = kg_geometry_get_positions (value.geometry);
    const double angle = sqrt (5) / 2 * 0.7 * i;

    assert_vector_near (kg_vector ((double) p[3], (double) p[4], (double) p[5]), 2 * cos (angle), 2 * sin (angle), 0,
                        1e-5);
  }
  assert_near (node_test_number (&test, "g.energy", 5) / node_test_number (&test, "g.energy", 0), 1, 1e-6);
  node_test_set (&test, "mass", "formula", "\"x - 1\"");
  node_test_fails_saying (&test, "g.geometry", 0, "masses cannot be negative");
  node_test_set (&test, "g", "bodies", "{\"link\": \"p.geometry\"}");
  node_test_warns (&test, "g.geometry", "no attribute mass");
  node_test_set (&test, "p", "points", "[[1, 1], [1, 1], [1, 1]]");
  kg_graph_set_frames (test.graph, (KgFrames){ 1, 50, 1 }, NULL);
  assert_near (node_test_number (&test, "g.energy", 2), 0, 0);
  node_test_clear (&test);
}

/* 200 N/m, a quarter of a metre too long: 50 N and 6.25 J, by the law and by what follows. */
static void
test_hooke (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/law", "l", "law", "\"spring\"", "start", "[0.25, 0, 0]", "stiffness", "200", "damping",
                 "0", NULL);
  assert_vector_near (node_test_vector (&test, "l.current_acceleration", 0), -50, 0, 0, 1e-12);
  assert_near (node_test_number (&test, "l.potential", 0), 6.25, 1e-12);
  node_test_add (&test, "sim/follow_spring", "f", "strength", "\"gains\"", "stiffness", "200", "start_at_goal", "false",
                 "start", "[1.25, 0, 0]", "goal", "[1, 0, 0]", NULL);
  assert_vector_near (node_test_vector (&test, "f.force", 0), -50, 0, 0, 1e-12);
  node_test_clear (&test);
}

/* Bodies that nearly meet without a softening are told of; those that circle each other, or fall from rest, are not. */
static void
test_near_passes (void)
{
  static const struct {
    const char *points, *softening, *method;
    bool told;
  } cases[] = { { "[[-1, 0.001, 0], [1, 0, 0]]", "0", "\"leapfrog\"", true },
                { "[[-1, 0.001, 0], [1, 0, 0]]", "0", "\"rk4\"", true },
                { "[[-1, 0.001, 0], [1, 0, 0]]", "0.3", "\"leapfrog\"", false },
                { "[[-9, 0, 0], [9, 0, 0]]", "0", "\"leapfrog\"", false } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    NodeTest test = node_test_new ();
    bool told = false;

    node_test_add (&test, "curve/spline", "points", "basis", "\"linear\"", "points", cases[i].points, NULL);
    node_test_add (&test, "geometry/attribute", "m", "geometry", "{\"link\": \"points.geometry\"}", "name", "\"mass\"",
                   "number", "1", NULL);
    node_test_add (&test, "sim/gravitation", "g", "bodies", "{\"link\": \"m.set\"}", "constant", "1", "softening",
                   cases[i].softening, "method", cases[i].method, NULL);
    for (int frame = 0; frame < 72; frame++) {
      g_auto (KgValue) value = node_test_get (&test, "g.geometry", frame / 24.0);
      g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "g"));

      for (guint k = 0; warnings != NULL && warnings[k] != NULL; k++)
        told = told || strstr (warnings[k], "too close to each other") != NULL;
    }
    g_assert_cmpint (told, ==, cases[i].told);
    node_test_clear (&test);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/motion/law/70-68-throw", test_throw);
  g_test_add_func ("/motion/law/70-68-aim", test_aim);
  g_test_add_func ("/motion/law/70-69-70-79-laws", test_laws);
  g_test_add_func ("/motion/law/70-83-friction", test_friction);
  g_test_add_func ("/field/rotating_frame/70-86-forces", test_frame);
  g_test_add_func ("/field/rotating_frame/70-73-free-body", test_free_body);
  g_test_add_func ("/motion/law/50-70-bounce", test_bounce);
  g_test_add_func ("/motion/law/20-064-bounce-in-air", test_bounce_in_air);
  g_test_add_func ("/motion/law/50-37-throws", test_throws);
  g_test_add_func ("/sim/equations/50-39-steps", test_steps);
  g_test_add_func ("/sim/equations/50-38-30-hz", test_30_hz);
  g_test_add_func ("/motion/law/50-40-orbits", test_orbits);
  g_test_add_func ("/sim/follow_spring/50-07", test_follow);
  g_test_add_func ("/sim/follow_spring/50-88-controller", test_controller);
  g_test_add_func ("/sim/tumble/50-46-skater", test_skater);
  g_test_add_func ("/sim/tumble/50-51", test_tumble);
  g_test_add_func ("/sim/gravitation/50-41", test_gravitation);
  g_test_add_func ("/motion/law/70-80-hooke", test_hooke);
  g_test_add_func ("/mechanics/gravitation/near-passes", test_near_passes);
  return g_test_run ();
}

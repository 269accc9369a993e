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
  node_test_warns (&test, "l.place", "counts as much");
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
  return g_test_run ();
}

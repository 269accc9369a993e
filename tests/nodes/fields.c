/* tests/nodes/fields: fields against their closed forms, and the properties of noise.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include "kg-floats.h"

/* The value of a vector field at one place, with a velocity. */
static KgVector
sample (const KgField *field, KgVector at, KgVector velocity, double time)
{
  const float x = (float) at.x, y = (float) at.y, z = (float) at.z;
  const float vx = (float) velocity.x, vy = (float) velocity.y, vz = (float) velocity.z;
  const KgFieldBlock block = { .n = 1, .x = &x, .y = &y, .z = &z, .vx = &vx, .vy = &vy, .vz = &vz, .time = time };
  float out[3];

  g_assert_cmpuint (kg_field_get_width (field), ==, 3);
  kg_field_sample (field, &block, (float *const[]){ out, out + 1, out + 2 });
  return kg_vector ((double) out[0], (double) out[1], (double) out[2]);
}

static const KgVector still = { 0, 0, 0 };

static void
test_gravity (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "field/gravity", "f", NULL);
  value = node_test_get (&test, "f.field", 0);
  assert_vector_near (sample (value.field, kg_vector (3, -4, 5), kg_vector (1, 1, 1), 7), 0, -9.81, 0, 1e-6);
  node_test_clear (&test);
}

/* -(l + q |u|) u with u = v - wind = (3, 4, 0), |u| = 5, l = 0.5, q = 0.1: -(3, 4, 0). */
static void
test_drag (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "field/drag", "f", "linear", "0.5", "quadratic", "0.1", "wind", "[1, 1, 0]", NULL);
  value = node_test_get (&test, "f.field", 0);
  assert_vector_near (sample (value.field, still, kg_vector (4, 5, 0), 0), -3, -4, 0, 1e-6);
  node_test_clear (&test);
}

/* Planets pull the way the acceleration points; without one, down. */
static void
test_planets (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/gravity", "f", "on", "\"moon\"", "acceleration", "[0, 0, 5]", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, still, still, 0), 0, 0, 1.62, 1e-6);
  }
  node_test_set (&test, "f", "on", "\"jupiter\"");
  node_test_set (&test, "f", "acceleration", "[0, 0, 0]");
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, still, still, 0), 0, -24.79, 0, 1e-5);
  }
  node_test_clear (&test);
}

/* 2 g, 1 cm, 1.5 Pa s: 0.282743338823 kg/s over the mass. */
static void
test_stokes (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/drag", "f", "of", "\"fluid\"", "viscosity", "1.5", "quadratic", "7", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, still, kg_vector (0, -2, 0), 0), 0, 2 * 0.282743338823 / 0.002, 0, 1e-4);
  }
  node_test_set (&test, "f", "of", "\"water\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, still, kg_vector (1, 0, 0), 0), -6 * KG_PI * 0.01 * 1.002e-3 / 0.002, 0, 0,
                        1e-6);
  }
  node_test_clear (&test);
}

/* Without gusts: drag towards the wind.  With gusts: the mean over place and time is the wind. */
static void
test_wind (void)
{
  NodeTest test = node_test_new ();
  KgVector sum = { 0, 0, 0 };
  const int n = 4000;
  double squares = 0;

  node_test_add (&test, "field/wind", "f", "velocity", "[4, 0, 0]", "gusts", "0", "hold", "0.5", "hold_quadratic",
                 "0.25", NULL);
  {
    g_auto (KgValue) steady = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (steady.field, still, kg_vector (4, 0, 0), 1), 0, 0, 0, 1e-7);
    assert_vector_near (sample (steady.field, still, kg_vector (2, 0, 0), 1), (0.5 + 0.25 * 2) * 2, 0, 0, 1e-6);
  }
  node_test_set (&test, "f", "gusts", "0.5");
  node_test_set (&test, "f", "hold", "1");
  node_test_set (&test, "f", "hold_quadratic", "0");
  {
    g_auto (KgValue) gusty = node_test_get (&test, "f.field", 0);

    for (int i = 0; i < n; i++) {
      /* Places many gusts apart. */
      const KgVector a = sample (gusty.field, kg_vector (31.7 * (i % 63), 27.3 * (i / 63), 0.7 * i), still, 0.11 * i);

      sum = kg_vector_add (sum, a);
      squares += (a.x - 4) * (a.x - 4);
    }
  }
  /* Gusts are about a third of 0.5 * 4 strong on average; five deviations of the mean of n. */
  assert_vector_near (kg_vector_scale (sum, 1.0 / n), 4, 0, 0, 5 * 1.0 / sqrt (n));
  g_assert_cmpfloat (sqrt (squares / n), >, 0.2);
  g_assert_cmpfloat (sqrt (squares / n), <, 1.5);
  node_test_clear (&test);
}

/* Sideways s e^(-r²/R²) r, inwards p e^(-r²/R²) r, nothing along the axis. */
static void
test_vortex (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  const double fade = exp (-4.0 / 9);

  node_test_add (&test, "field/vortex", "f", "strength", "5", "pull", "2", "radius", "3", "center", "[1, 0, 0]", NULL);
  value = node_test_get (&test, "f.field", 0);
  assert_vector_near (sample (value.field, kg_vector (3, 8, 0), still, 0), -2 * 2 * fade, 0, -5 * 2 * fade, 1e-5);
  assert_vector_near (sample (value.field, kg_vector (1, -2, 0), still, 0), 0, 0, 0, 1e-6);
  node_test_clear (&test);
}

static void
test_attract (void)
{
  static const struct {
    const char *falloff;
    double at_four; /* strength 6 at 2 m, seen from 4 m */
  } cases[] = { { "\"spring\"", 12 }, { "\"even\"", 6 }, { "\"inverse\"", 3 }, { "\"inverse-square\"", 1.5 } };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    NodeTest test = node_test_new ();
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_add (&test, "field/attract", "f", "strength", "6", "distance", "2", "softness", "0", "center",
                   "[0, 1, 0]", "falloff", cases[k].falloff, NULL);
    value = node_test_get (&test, "f.field", 0);
    assert_vector_near (sample (value.field, kg_vector (4, 1, 0), still, 0), -cases[k].at_four, 0, 0, 1e-5);
    assert_vector_near (sample (value.field, kg_vector (0, 3, 0), still, 0), 0, -6, 0, 1e-5);
    /* The direction at the centre is undefined: zero, not NaN. */
    assert_vector_near (sample (value.field, kg_vector (0, 1, 0), still, 0), 0, 0, 0, 0);
    node_test_clear (&test);
  }
}

/* The speed round the axis of the air at a distance. */
static double
get_swirl (NodeTest *test, double r)
{
  g_auto (KgValue) air = node_test_get (test, "f.air", 0);

  return -sample (air.field, kg_vector (1 + r, 7, 2), still, 0).z;
}

/* 55-19: where each profile is fastest, the circulation far outside, and no sources: what flows into a small box flows out. */
static void
test_vortex_profiles (void)
{
  static const struct {
    const char *profile;
    double fastest; /* in radii */
    double speed;   /* there, times Γ / (2 π R) */
  } cases[] = { { "\"rankine\"", 1, 1 },
                { "\"lamb-oseen\"", 1.1209064, 0.6381727 },
                { "\"gauss\"", M_SQRT1_2, 0.4288819 } };
  const double radius = 0.8, strength = 2.5, gamma = 2 * KG_PI * radius * radius * strength;
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/vortex", "f", "kind", "\"flow\"", "strength", "2.5", "pull", "0", "radius", "0.8",
                 "center", "[1, 0, 2]", NULL);
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    const double r = cases[k].fastest * radius, h = 0.01 * radius;

    node_test_set (&test, "f", "profile", cases[k].profile);
    assert_near (get_swirl (&test, r), cases[k].speed * gamma / (2 * KG_PI * radius), 2e-6);
    g_assert_cmpfloat (get_swirl (&test, r), >, get_swirl (&test, r - h));
    g_assert_cmpfloat (get_swirl (&test, r), >, get_swirl (&test, r + h));
    assert_near (get_swirl (&test, 0), 0, 1e-9);
    if (k < 2)
      assert_near (get_swirl (&test, 20 * radius) * 2 * KG_PI * 20 * radius, gamma, 1e-4);
    {
      g_auto (KgValue) air = node_test_get (&test, "f.air", 0);
      double sum = 0;

      for (int c = 0; c < 3; c++)
        for (int side = -1; side <= 1; side += 2) {
          const KgVector to = { c == 0 ? side * h : 0, c == 1 ? side * h : 0, c == 2 ? side * h : 0 };

          sum += side *
                 kg_vector_get (sample (air.field, kg_vector_add (kg_vector (1.5, 3, 2.3), to), still, 0), (size_t) c);
        }
      assert_near (sum / (2 * h), 0, 1e-4);
    }
  }
  node_test_set (&test, "f", "profile", "\"inverse\"");
  assert_near (get_swirl (&test, 0.1), gamma / (2 * KG_PI * 0.1), 1e-5);
  assert_near (get_swirl (&test, 0), 0, 0);
  node_test_clear (&test);
}

/* 55-19: air takes things along in proportion to the difference of velocities, rises in the core, is drawn in, and ends where
 * the axis does. */
static void
test_vortex_flow (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/vortex", "f", "kind", "\"flow\"", "profile", "\"rankine\"", "strength", "3", "pull",
                 "0.5", "up", "1.5", "radius", "2", "hold", "4", "height", "10", "axis", "[0, 2, 0]", NULL);
  {
    g_auto (KgValue) air = node_test_get (&test, "f.air", 0);
    g_auto (KgValue) force = node_test_get (&test, "f.field", 0);
    const KgVector v = { 0.25, -1, 2 };

    assert_vector_near (sample (air.field, kg_vector (1, 0, 0), v, 0), -0.5, 1.5, -3, 1e-6);
    assert_vector_near (sample (force.field, kg_vector (1, 0, 0), v, 0), 4 * (-0.5 - 0.25), 4 * 2.5, 4 * (-3 - 2.0),
                        1e-5);
    assert_near (kg_field_get_hold (force.field), 4, 0);
    assert_near (kg_field_get_hold (air.field), 0, 0);
    /* Outside of the core by the inverse, and nothing rises. */
    assert_vector_near (sample (air.field, kg_vector (4, 0, 0), still, 0), -0.5, 0, -3, 1e-6);
    /* Half way through the last two metres there is a half left, and beyond nothing. */
    assert_vector_near (sample (air.field, kg_vector (1, 4, 0), still, 0), -0.25, 0.75, -1.5, 1e-6);
    assert_vector_near (sample (air.field, kg_vector (1, -5.01, 0), v, 0), 0, 0, 0, 0);
    assert_vector_near (sample (force.field, kg_vector (1, -5.01, 0), v, 0), 0, 0, 0, 0);
  }
  node_test_clear (&test);
}

/* 55-19: with a pull p alone that does not fade, what is as fast as √p r across it stays on its circle. */
static void
test_vortex_circle (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/vortex", "f", "strength", "0", "pull", "9", "radius", "1000000", NULL);
  node_test_add (&test, "sim/particles", "p", "births", "\"once\"", "event_count", "1", "position", "[0.5, 0, 0]",
                 "speed", "1.5", "speed_variance", "0", "spread", "0", "direction", "[0, 0, 1]", "lifetime", "100",
                 "integrator", "\"rk4\"", "substeps", "4", "forces", "{\"link\": \"f.field\"}", NULL);
  for (int frame = 2; frame < 60; frame += 9) {
    g_auto (KgValue) value = node_test_get (&test, "p.geometry", frame);
    const float *p = kg_geometry_get_positions (value.geometry);

    assert_near (hypot ((double) p[0], (double) p[2]), 0.5, 2e-4);
  }
  node_test_clear (&test);
}

/* 55-19: an axis of 0 0 0 counts as upright, and that is said. */
static void
test_vortex_without_axis (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "field/vortex", "f", "axis", "[0, 0, 0]", "pull", "0", NULL);
  value = node_test_get (&test, "f.field", 0);
  assert_near (sample (value.field, kg_vector (1, 0, 0), still, 0).z, -4 * exp (-1.0 / 9), 1e-5);
  node_test_clear (&test);
}

/* 55-20: the physical laws of a homogeneous line, rod and plane, and of the nearest place of a disc. */
static void
test_attracting_elements (void)
{
  static const struct {
    const char *from, *falloff, *direction, *length;
    double x, y, z;
    KgVector pull;
  } cases[] = {
    { "\"line\"", "\"inverse\"", "[0, 0, 3]", "2", 0, 4, 9, { 0, -1.5, 0 } },
    { "\"line\"", "\"spring\"", "[1, 1, 0]", "2", 3, 1, 0, { -6, 6, 0 } },
    { "\"plane\"", "\"even\"", "[0, 1, 0]", "2", 5, 0.1, 5, { 0, -6, 0 } },
    { "\"plane\"", "\"even\"", "[0, 1, 0]", "2", -8, -70, 5, { 0, 6, 0 } },
    /* GM / (r √(r² + L²/4)), and on its axis GM / (r² - L²/4), with GM = 6 · 1². */
    { "\"segment\"", "\"inverse-square\"", "[0, 1, 0]", "2", 1, 0, 0, { -6 * 0.70710678, 0, 0 } },
    { "\"segment\"", "\"inverse-square\"", "[0, 1, 0]", "3", 0, 0, -2.5, { 0, 0, 6 / (2.5 * 2.9154759) } },
    { "\"segment\"", "\"inverse-square\"", "[0, 1, 0]", "2", 0, 3, 0, { 0, -6.0 / 8, 0 } },
    /* Far away it is a point. */
    { "\"segment\"", "\"inverse-square\"", "[0, 1, 0]", "0.01", 3, 4, 0, { -6 * 3 / 125.0, -6 * 4 / 125.0, 0 } },
    { "\"segment\"", "\"spring\"", "[0, 1, 0]", "2", 2, 3, 0, { -12, -12, 0 } },
    { "\"disc\"", "\"spring\"", "[0, 1, 0]", "4", 1, 2, 0, { 0, -12, 0 } },
    { "\"disc\"", "\"spring\"", "[0, 1, 0]", "4", 5, 0, 0, { -18, 0, 0 } },
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/attract", "f", "strength", "6", "softness", "0", NULL);
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "f", "from", cases[k].from);
    node_test_set (&test, "f", "falloff", cases[k].falloff);
    node_test_set (&test, "f", "direction", cases[k].direction);
    node_test_set (&test, "f", "length", cases[k].length);
    value = node_test_get (&test, "f.field", 0);
    assert_vector_near (sample (value.field, kg_vector (cases[k].x, cases[k].y, cases[k].z), still, 0), cases[k].pull.x,
                        cases[k].pull.y, cases[k].pull.z, 1e-4);
  }
  node_test_clear (&test);
}

/* 55-20: nothing pulls on a sphere itself, off it as far as it is; curves by their nearest place; points add up, with masses. */
static void
test_attracting_geometry (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/sphere", "ball", "radius", "2", "segments", "64", "rings", "32", NULL);
  node_test_add (&test, "geometry/circle", "ring", "radius", "2", "points", "512", "filled", "false", NULL);
  node_test_add (&test, "geometry/line", "two", "start", "[-1, 0, 0]", "end", "[1, 0, 0]", "points", "2", NULL);
  node_test_add (&test, "field/formula", "weight", "formula", "\"2 + x\"", NULL);
  node_test_add (&test, "geometry/attribute", "heavy", "geometry", "{\"link\": \"two.geometry\"}", "name", "\"mass\"",
                 "kind", "\"field\"", "field", "{\"link\": \"weight.field\"}", NULL);
  node_test_add (&test, "field/attract", "f", "strength", "5", "softness", "0", "falloff", "\"spring\"", "from",
                 "\"surface\"", NULL);
  node_test_fails_saying (&test, "f.field", 0, "there is no geometry that attracts");
  node_test_set (&test, "f", "geometry", "{\"link\": \"ball.geometry\"}");
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, kg_vector (0, 2, 0), still, 0), 0, 0, 0, 1e-4);
    assert_vector_near (sample (value.field, kg_vector (0, 3, 0), still, 0), 0, -5, 0, 1e-4);
    assert_near (kg_vector_length (sample (value.field, kg_vector (0, -1, 0), still, 0)), 5, 0.03);
  }
  node_test_set (&test, "f", "from", "\"curve\"");
  node_test_set (&test, "f", "geometry", "{\"link\": \"ring.geometry\"}");
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, kg_vector (3, 0, 4), still, 0), -5, 0, -20, 2e-3);
    assert_near (kg_vector_length (sample (value.field, kg_vector (0, 0.5, 0), still, 0)), 7.5, 2e-3);
  }
  node_test_set (&test, "f", "from", "\"points\"");
  node_test_set (&test, "f", "falloff", "\"inverse-square\"");
  node_test_set (&test, "f", "geometry", "{\"link\": \"two.geometry\"}");
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, kg_vector (3, 0, 0), still, 0), -5 / 4.0 - 5 / 16.0, 0, 0, 1e-5);
    assert_vector_near (sample (value.field, still, still, 0), 0, 0, 0, 1e-5);
  }
  node_test_set (&test, "f", "geometry", "{\"link\": \"heavy.set\"}");
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, kg_vector (3, 0, 0), still, 0), -3 * 5 / 4.0 - 5 / 16.0, 0, 0, 1e-5);
  }
  node_test_set (&test, "f", "falloff", "\"spring\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (value.field, kg_vector (3, 4, 0), still, 0), -3 * 5 * 2 - 5 * 4, -4 * 5 * 4, 0, 1e-4);
  }
  node_test_clear (&test);
}

/* 55-20: of 20,000 points far ones count together: the pull is that of each to a hundredth of all pulls, and exact where they are few
 * enough. */
static void
test_attracting_crowd (void)
{
  static const char *const laws[] = { "\"even\"", "\"inverse\"", "\"inverse-square\"" };
  static const char *const counts[] = { "20000", "9000" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/sphere", "ball", "radius", "2", NULL);
  node_test_add (&test, "geometry/scatter", "dust", "geometry", "{\"link\": \"ball.geometry\"}", "on", "\"volume\"",
                 "pattern", "\"random\"", NULL);
  node_test_add (&test, "field/attract", "f", "strength", "5", "softness", "0.1", "from", "\"points\"", "geometry",
                 "{\"link\": \"dust.points\"}", NULL);
  for (guint k = 0; k < 2 * G_N_ELEMENTS (laws); k++) {
    const guint law = k / 2;

    node_test_set (&test, "dust", "count", counts[k % 2]);
    node_test_set (&test, "f", "falloff", laws[law]);
    {
      g_auto (KgValue) value = node_test_get (&test, "f.field", 0);
      g_auto (KgValue) dust = node_test_get (&test, "dust.points", 0);
      const float *p = kg_geometry_get_positions (dust.geometry);

      for (int at = 0; at < 4; at++) {
        const KgVector x = { 0.9 * at, 0.3, -0.7 * at }, found = sample (value.field, x, still, 0);
        KgVector sum = { 0, 0, 0 };
        double all = 0;

        for (size_t i = 0; i < kg_geometry_get_n_points (dust.geometry); i++) {
          const KgVector way =
              kg_vector_subtract (kg_floats_get_vector (p, i),
                                  kg_vector ((double) (float) x.x, (double) (float) x.y, (double) (float) x.z));
          const double r = sqrt (kg_vector_dot (way, way) + 0.01);

          const double pull = 5 / (law == 0 ? r : law == 1 ? r * r : r * r * r);

          sum = kg_vector_add_scaled (sum, pull, way);
          all += pull * kg_vector_length (way);
        }
        g_assert_cmpfloat (kg_vector_distance (sum, found), <=, (k % 2 == 0 ? 1e-2 : 1e-6) * all);
      }
    }
  }
  node_test_clear (&test);
}

static void
test_add (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/gravity", "a", "acceleration", "[1, 2, 3]", NULL);
  node_test_add (&test, "field/gravity", "b", "acceleration", "[10, 0, -10]", NULL);
  node_test_add (&test, "field/add", "f", NULL);
  {
    g_auto (KgValue) none = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (none.field, still, still, 0), 0, 0, 0, 0);
  }
  node_test_set (&test, "f", "fields", "[{\"link\": \"a.field\"}, {\"link\": \"b.field\"}]");
  {
    g_auto (KgValue) plain = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (plain.field, still, still, 0), 11, 2, -7, 1e-6);
  }
  node_test_set (&test, "f", "weights", "[2, -0.5]");
  {
    g_auto (KgValue) weighted = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (weighted.field, still, still, 0), 2 - 5, 4, 6 + 5, 1e-6);
  }
  node_test_set (&test, "f", "weights", "[3]");
  {
    g_auto (KgValue) short_list = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (short_list.field, still, still, 0), 13, 6, -1, 1e-6);
  }
  /* Numbers alone add up to a number; beside a vector they count along y. */
  node_test_add (&test, "field/formula", "p", "formula", "\"2*x + y\"", NULL);
  node_test_add (&test, "field/formula", "q", "formula", "\"z\"", NULL);
  node_test_set (&test, "f", "fields", "[{\"link\": \"p.field\"}, {\"link\": \"q.field\"}]");
  {
    g_auto (KgValue) numbers = node_test_get (&test, "f.field", 0);
    const float at[3] = { 1, 2, 5 };
    float sum;

    g_assert_cmpuint (kg_field_get_width (numbers.field), ==, 1);
    kg_field_sample_points (numbers.field, at, 1, 0, &sum);
    assert_near ((double) sum, 3 * 4 + 5, 1e-5);
  }
  node_test_set (&test, "f", "fields", "[{\"link\": \"p.field\"}, {\"link\": \"a.field\"}]");
  {
    g_auto (KgValue) mixed = node_test_get (&test, "f.field", 0);

    assert_vector_near (sample (mixed.field, kg_vector (1, 2, 5), still, 0), 1, 3 * 4 + 2, 3, 1e-5);
  }
  node_test_clear (&test);
}

/* A place for the i-th sample: no pattern in step with the lattice. */
static KgVector
scatter (int i)
{
  return kg_vector (0.3713 * i - 20, 11.3 - 0.1171 * i, 0.2377 * i);
}

/* Curl noise has no sources: the divergence by central differences is as small as their error, although its three
 * parts are not.  h = 0.02 of the size: the error of second order is about h², and less of it from rounding, 1e-7 / h;
 * at the walls of the lattice, where third derivatives jump, it is of first order. */
static void
test_curl (void)
{
  NodeTest test = node_test_new ();
  double divergence = 0, slopes = 0;
  const double h = 0.02;

  node_test_add (&test, "field/noise", "f", "octaves", "1", "amplitude", "1", NULL);
  for (int pass = 0; pass < 2; pass++) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    node_test_set (&test, "f", "curl", pass == 0 ? "true" : "false");
    value = node_test_get (&test, "f.field", 0);
    divergence = slopes = 0;
    for (int i = 0; i < 500; i++) {
      double sum = 0;

      for (int c = 0; c < 3; c++) {
        KgVector low = scatter (i), high = scatter (i), difference;

        *kg_vector_component (&low, c) -= h;
        *kg_vector_component (&high, c) += h;
        /* Half-way between two patterns, so that the mixture is looked at. */
        difference = kg_vector_subtract (sample (value.field, high, still, 0.9), sample (value.field, low, still, 0.9));
        sum += kg_vector_get (difference, c);
        slopes += fabs (kg_vector_get (difference, c));
      }
      divergence += fabs (sum);
    }
    g_assert_cmpfloat (slopes, >, 1);
    if (pass == 0)
      g_assert_cmpfloat (divergence, <, 0.01 * slopes);
    else
      /* Components that know nothing of each other do diverge: the test sees it. */
      g_assert_cmpfloat (divergence, >, 0.3 * slopes);
  }
  node_test_clear (&test);
}

/* The exact curl against differences of the potential, which is what the field is without curl. */
static void
test_derivatives (void)
{
  NodeTest test = node_test_new ();
  const double h = 0.01;

  node_test_add (&test, "field/noise", "curl", "octaves", "1", "amplitude", "1", "evolution", "0", NULL);
  node_test_add (&test, "field/noise", "plain", "octaves", "1", "amplitude", "1", "evolution", "0", "curl", "false",
                 NULL);
  {
    g_auto (KgValue) curl = node_test_get (&test, "curl.field", 0), plain = node_test_get (&test, "plain.field", 0);

    for (int i = 0; i < 200; i++) {
      double d[3][3]; /* [variable][component] */

      for (int c = 0; c < 3; c++) {
        KgVector low = scatter (i), high = scatter (i), difference;

        *kg_vector_component (&low, c) -= h;
        *kg_vector_component (&high, c) += h;
        difference = kg_vector_subtract (sample (plain.field, high, still, 0), sample (plain.field, low, still, 0));
        for (int k = 0; k < 3; k++)
          d[c][k] = kg_vector_get (difference, k) / (2 * h);
      }
      /* h² / 6 times third derivatives, some tens. */
      assert_vector_near (sample (curl.field, scatter (i), still, 0), d[1][2] - d[2][1], d[2][0] - d[0][2],
                          d[0][1] - d[1][0], 5e-3);
    }
  }
  node_test_clear (&test);
}

/* Zero at the corners of the lattice, without a bias, smooth in time, and different for each seed. */
static void
test_noise (void)
{
  NodeTest test = node_test_new ();
  double sum = 0, squares = 0, product = 0;
  const int n = 3000;

  node_test_add (&test, "field/noise", "f", "octaves", "1", "amplitude", "1", "curl", "false", "size", "2", NULL);
  node_test_add (&test, "field/noise", "g", "octaves", "1", "amplitude", "1", "curl", "false", "size", "2", "seed", "1",
                 NULL);
  {
    g_auto (KgValue) f = node_test_get (&test, "f.field", 0), g = node_test_get (&test, "g.field", 0);

    for (int i = -3; i < 4; i++)
      assert_vector_near (sample (f.field, kg_vector (2 * i, -4, 6 * i), still, 0), 0, 0, 0, 1e-6);
    for (int i = 0; i < n; i++) {
      const KgVector at = kg_vector_scale (scatter (i), 7), a = sample (f.field, at, still, 0.3);
      const KgVector soon = sample (f.field, at, still, 0.3 + 1e-3);

      sum += a.x;
      squares += a.x * a.x;
      product += a.x * sample (g.field, at, still, 0.3).x;
      g_assert_cmpfloat (fabs (a.x), <, 2);
      /* Half a pattern a second; the fade has a slope of at most 15/8. */
      g_assert_cmpfloat (kg_vector_distance (a, soon), <, 1e-3 * 0.5 * KG_PI * 0.5 * 15 / 8 * 2 * sqrt (3) + 1e-5);
    }
  }
  squares /= n;
  g_assert_cmpfloat (sqrt (squares), >, 0.15);
  g_assert_cmpfloat (sqrt (squares), <, 0.6);
  /* Five deviations of a mean, and of a mean product, of n numbers. */
  assert_near (sum / n, 0, 5 * sqrt (squares / n));
  assert_near (product / n, 0, 5 * squares / sqrt (n));
  node_test_clear (&test);
}

/* Drift carries the pattern along: what is here now is v t further then. */
static void
test_drift (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/noise", "f", "evolution", "0", "drift", "[3, -1, 0.5]", NULL);
  {
    g_auto (KgValue) f = node_test_get (&test, "f.field", 0);

    for (int i = 0; i < 100; i++) {
      const KgVector now = sample (f.field, scatter (i), still, 0);

      assert_vector_near (sample (f.field, kg_vector_add_scaled (scatter (i), 2, kg_vector (3, -1, 0.5)), still, 2),
                          now.x, now.y, now.z, 2e-4);
    }
  }
  node_test_clear (&test);
}

/* Blocks of every length give what single points give, and far away nothing breaks. */
static void
test_blocks (void)
{
  static const char *const types[] = { "field/noise", "field/wind", "field/vortex", "field/attract", "field/drag" };

  for (guint k = 0; k < G_N_ELEMENTS (types); k++) {
    NodeTest test = node_test_new ();
    g_auto (KgValue) value = KG_VALUE_INIT;
    float points[3 * 300], out[3 * 300], extreme[] = { 1e30f, -1e30f, 3e38f, 1e9f, -1e12f, 0, 0, 0, 0 };

    node_test_add (&test, types[k], "f", NULL);
    value = node_test_get (&test, "f.field", 0);
    for (int i = 0; i < 300; i++) {
      const KgVector at = scatter (i);

      for (int c = 0; c < 3; c++)
        points[3 * i + c] = (float) kg_vector_get (at, c);
    }
    kg_field_sample_points (value.field, points, 300, 1.5, out);
    for (int i = 0; i < 300; i += 7) {
      float one[3];

      kg_field_sample_points (value.field, points + 3 * i, 1, 1.5, one);
      g_assert_cmpmem (one, sizeof one, out + 3 * i, sizeof one);
    }
    kg_field_sample_points (value.field, extreme, 3, 1e300, out);
    if (k < 2)
      for (int i = 0; i < 9; i++)
        g_assert_true (isfinite (out[i]));
    node_test_clear (&test);
  }
}

/* A height field: points lifted by a formula, with normals that know it; keyed numbers; messages. */
static void
test_formula (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT, lifted = KG_VALUE_INIT;
  const float *p, *normals;

  node_test_add (&test, "field/formula", "f", "formula", "\"[x, a*x^2 + t*z, z]\"", "a", "0.5", NULL);
  value = node_test_get (&test, "f.field", 0);
  assert_vector_near (sample (value.field, kg_vector (3, -4, 5), still, 2), 3, 14.5, 5, 1e-6);
  node_test_add (&test, "geometry/grid", "g", "plane", "\"zx\"", "columns", "8", "rows", "8", NULL);
  node_test_add (&test, "geometry/attribute", "n", "geometry", "{\"link\": \"g.geometry\"}", "name", "\"N\"", "kind",
                 "\"vector\"", "vector", "[0, 1, 0]", NULL);
  node_test_add (&test, "geometry/attribute", "h", "geometry", "{\"link\": \"n.set\"}", "name", "\"P\"", "kind",
                 "\"field\"", "field", "{\"link\": \"f.field\"}", NULL);
  lifted = node_test_get (&test, "h.set", 0);
  p = kg_geometry_get_positions (lifted.geometry);
  normals = kg_geometry_get_float (lifted.geometry, KG_POINTS, "N", 3);
  for (size_t i = 0; i < kg_geometry_get_n_points (lifted.geometry); i++) {
    g_assert_cmpfloat_with_epsilon (p[3 * i + 1], 0.5f * p[3 * i] * p[3 * i], 1e-6);
    /* The slope is x: the normal (-x, 1, 0) / sqrt (1 + x^2), away from the rim. */
    if (fabsf (p[3 * i]) < 0.9f)
      g_assert_cmpfloat_with_epsilon (fabsf (normals[3 * i]), fabsf (p[3 * i]) / sqrtf (1 + p[3 * i] * p[3 * i]),
                                      0.01f);
  }
  node_test_clear (&test);
}

static double
sample_number (const KgField *field, double x, double y, double z)
{
  const float px = (float) x, py = (float) y, pz = (float) z;
  const KgFieldBlock block = { .n = 1, .x = &px, .y = &py, .z = &pz };
  float out;

  g_assert_cmpuint (kg_field_get_width (field), ==, 1);
  kg_field_sample (field, &block, (float *const[]){ &out });
  return (double) out;
}

/* 40-D10, bad input: where a formula has no value the field is 0, and a point that it moves is still somewhere. */
static void
test_formula_without_value (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "field/formula", "f", "formula", "\"1/x + sqrt(y)\"", NULL);
  value = node_test_get (&test, "f.field", 0);
  g_assert_cmpfloat (sample_number (value.field, 0, 1, 0), ==, 0);
  g_assert_cmpfloat (sample_number (value.field, 1, -1, 0), ==, 0);
  g_assert_cmpfloat (sample_number (value.field, 2, 4, 0), ==, 2.5);
  node_test_clear (&test);
}

/* The figure of the text at twice its size, times 3, plus 10; drift carries it along. */
static void
test_noise_numbers (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/noise", "f", "gives", "\"number\"", "kind", "\"value\"", "sum", "\"turbulence\"",
                 "table", "\"textbook\"", "octaves", "4", "amplitude", "3", "base", "10", "size", "2", "evolution", "0",
                 NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "f.field", 0);

    assert_near (sample_number (value.field, 0.6, 0.8, 1.0), 10 + 3 * 0.422847990801541, 1e-5);
    assert_near (sample_number (value.field, 512.6, 0.8, 1.0), 10 + 3 * 0.422847990801541, 1e-3);
  }
  node_test_set (&test, "f", "evolution", "1");
  node_test_warns (&test, "f.field", "does not change over time");
  node_test_clear (&test);
}

/* Slopes are those of the numbers; curls of every kind have no divergence. */
static void
test_noise_vectors (void)
{
  static const char *const kinds[] = { "\"gradient\"", "\"simplex\"", "\"value\"" };
  const double h = 0x1p-7;

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    NodeTest test = node_test_new ();

    node_test_add (&test, "field/noise", "n", "gives", "\"number\"", "kind", kinds[k], "sum", "\"ridged\"", NULL);
    node_test_add (&test, "field/noise", "s", "gives", "\"slope\"", "kind", kinds[k], "sum", "\"ridged\"", NULL);
    node_test_add (&test, "field/noise", "c", "kind", kinds[k], "sum", "\"ridged\"", "octaves", "1", NULL);
    {
      g_auto (KgValue) number = node_test_get (&test, "n.field", 0), slope = node_test_get (&test, "s.field", 0);
      g_auto (KgValue) curl = node_test_get (&test, "c.field", 0);
      double wrong = 0;

      for (int i = 0; i < 200; i++) {
        const double x = 0.37 * i, y = 0.11 * i, z = -0.23 * i;
        const KgVector d = sample (slope.field, kg_vector (x, y, z), still, 0);
        double divergence = 0;

        wrong +=
            fabs ((sample_number (number.field, x + h, y, z) - sample_number (number.field, x - h, y, z)) / (2 * h) -
                  d.x) > 0.05;
        for (size_t c = 0; c < 3; c++) {
          KgVector ahead = { x, y, z }, back = { x, y, z };

          *kg_vector_component (&ahead, c) += h;
          *kg_vector_component (&back, c) -= h;
          divergence += kg_vector_get (sample (curl.field, ahead, still, 0), c) -
                        kg_vector_get (sample (curl.field, back, still, 0), c);
        }
        wrong += fabs (divergence / (2 * h)) > 0.5;
      }
      /* But for creases where a layer is 0. */
      g_assert_cmpfloat (wrong, <, 40);
    }
    node_test_clear (&test);
  }
}

/* -(k (l - L) + c (v - V) · u) u to a point and to a surface, on both sides of it; what hangs on one hangs g / k too low. */
static void
test_springs (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) point = KG_VALUE_INIT;
  g_auto (KgValue) hold = KG_VALUE_INIT;
  g_auto (KgValue) push = KG_VALUE_INIT;
  g_auto (KgValue) pull = KG_VALUE_INIT;

  node_test_add (&test, "geometry/box", "box", "size", "[2, 2, 2]", NULL);
  node_test_add (&test, "geometry/line", "line", NULL);
  node_test_add (&test, "field/spring", "point", "center", "[1, 2, 3]", "stiffness", "30", "damping", "4", "length",
                 "0.5", "velocity", "[0, 1, 0]", "reach", "10", NULL);
  node_test_add (&test, "field/spring", "hold", "surface", "{\"link\": \"box.geometry\"}", "stiffness", "20", NULL);
  node_test_add (&test, "field/spring", "push", "surface", "{\"link\": \"box.geometry\"}", "stiffness", "20", "length",
                 "0.25", "acts", "\"pushes\"", "damping", "0", NULL);
  node_test_add (&test, "field/spring", "pull", "stiffness", "5", "length", "1", "acts", "\"pulls\"", NULL);
  node_test_add (&test, "field/spring", "bare", "surface", "{\"link\": \"line.geometry\"}", NULL);
  point = node_test_get (&test, "point.field", 0);
  assert_vector_near (sample (point.field, kg_vector (1, 4, 3), still, 0), 0, -30 * 1.5 + 4, 0, 1e-5);
  assert_vector_near (sample (point.field, kg_vector (1, 4, 3), kg_vector (7, 3, 0), 0), 0, -30 * 1.5 - 8, 0, 1e-5);
  assert_vector_near (sample (point.field, kg_vector (1, 2.25, 3), kg_vector (0, 1, 0), 0), 0, 30 * 0.25, 0, 1e-5);
  /* In balance with gravity: 9.81 / 30 lower than its length. */
  assert_vector_near (sample (point.field, kg_vector (1, 2 - 0.5 - 9.81 / 30, 3), kg_vector (0, 1, 0), 0), 0, 9.81, 0,
                      1e-5);
  assert_vector_near (sample (point.field, kg_vector (1, 2, 3), still, 0), 0, 0, 0, 0);
  assert_vector_near (sample (point.field, kg_vector (1, 13, 3), still, 0), 0, 0, 0, 0);
  hold = node_test_get (&test, "hold.field", 0);
  assert_vector_near (sample (hold.field, kg_vector (0, 1.5, 0), still, 0), 0, -10, 0, 1e-5);
  assert_vector_near (sample (hold.field, kg_vector (0.75, 0, 0.125), still, 0), 5, 0, 0, 1e-5);
  assert_vector_near (sample (hold.field, kg_vector (0.5, 0.25, 1), kg_vector (1, 1, 3), 0), 0, 0, -6, 1e-5);
  push = node_test_get (&test, "push.field", 0);
  assert_vector_near (sample (push.field, kg_vector (0, 0, 1.5), still, 0), 0, 0, 0, 0);
  assert_vector_near (sample (push.field, kg_vector (0, 0, 1.125), still, 0), 0, 0, 2.5, 1e-5);
  assert_vector_near (sample (push.field, kg_vector (0, 0.125, 0.75), still, 0), 0, 0, 10, 1e-5);
  pull = node_test_get (&test, "pull.field", 0);
  assert_vector_near (sample (pull.field, kg_vector (0.5, 0, 0), still, 0), 0, 0, 0, 0);
  assert_vector_near (sample (pull.field, kg_vector (3, 0, 0), still, 0), -10, 0, 0, 1e-5);
  node_test_fails_saying (&test, "bare.field", 0, "no faces");
  node_test_clear (&test);
}

/* 55-14: the colour of points behind a cloud, in the world. */
static void
test_shadow (void)
{
  NodeTest test = node_test_new ();
  KgValue scene;
  const float *color;

  node_test_add (&test, "field/formula", "cloud", "formula", "\"0.5\"", NULL);
  node_test_add (&test, "field/gravity", "pull", NULL);
  node_test_add (&test, "field/optical_depth", "depth", "density", "{\"link\": \"cloud.field\"}", "direction",
                 "[0, -1, 0]", "size", "[2, 2, 2]", NULL);
  node_test_add (&test, "field/optical_depth", "wrong", "density", "{\"link\": \"pull.field\"}", "size", "[2, 2, 2]",
                 NULL);
  node_test_add (&test, "geometry/grid", "grid", "size", "[1, 1, 0]", "plane", "\"zx\"", NULL);
  node_test_add (&test, "render/object", "object", "geometry", "{\"link\": \"grid.geometry\"}", "translate",
                 "[0, -3, 0]", "shadow", "{\"link\": \"depth.field\"}", "shadow_strength", "0.5", NULL);
  node_test_add (&test, "geometry/attribute", "faces", "geometry", "{\"link\": \"grid.geometry\"}", "domain",
                 "\"primitives\"", "name", "\"Cd\"", "kind", "\"vector\"", "vector", "[1, 0.5, 0.25]", NULL);
  node_test_add (&test, "render/object", "painted", "geometry", "{\"link\": \"faces.set\"}", "translate", "[0, -3, 0]",
                 "shadow", "{\"link\": \"depth.field\"}", NULL);
  node_test_add (&test, "render/object", "bad", "geometry", "{\"link\": \"grid.geometry\"}", "shadow",
                 "{\"link\": \"pull.field\"}", NULL);
  scene = node_test_get (&test, "object.scene", 0);
  color = kg_geometry_get_float (kg_scene_get_object (scene.scene, 0)->geometry, KG_POINTS, "Cd", 4);
  g_assert_nonnull (color);
  assert_near ((double) color[0], 1 - 0.5 * (1 - exp (-1)), 1e-5);
  assert_near ((double) color[3], 1, 0);
  kg_value_clear (&scene);
  /* Colours of faces, which hide those of points, are darkened as well. */
  scene = node_test_get (&test, "painted.scene", 0);
  color = kg_geometry_get_float (kg_scene_get_object (scene.scene, 0)->geometry, KG_PRIMITIVES, "Cd", 3);
  g_assert_nonnull (color);
  assert_near ((double) color[0], exp (-1), 1e-5);
  assert_near ((double) color[2], 0.25 * exp (-1), 1e-5);
  kg_value_clear (&scene);
  node_test_fails_saying (&test, "wrong.field", 0, "field of vectors");
  node_test_fails_saying (&test, "bad.scene", 0, "field of vectors");
  node_test_clear (&test);
}

/* Colours of the field of an image at a place. */
static KgVector
sample_target (NodeTest *test, const char *target, KgVector at)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);

  return sample (value.field, at, still, 0);
}

static double
get_number (NodeTest *test, const char *target, KgVector at)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);
  const float place[] = { (float) at.x, (float) at.y, (float) at.z };
  float number;

  g_assert_cmpuint (kg_field_get_width (value.field), ==, 1);
  kg_field_sample_points (value.field, place, 1, 0, &number);
  return (double) number;
}

/* An image whose red is u and whose green is v, in the box from (-1, 0.5, -2) to (3, 2.5, 2), around which the colour is the place. */
static NodeTest
image_field_test_new (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "plain", "width", "64", "height", "32", "color", "[0, 0, 0, 1]", NULL);
  node_test_add (&test, "image/expression", "slopes", "image", "{\"link\": \"plain.image\"}", "red", "\"u\"", "green",
                 "\"v\"", "blue", "\"0.25\"", NULL);
  node_test_add (&test, "field/formula", "places", "formula", "\"p\"", NULL);
  node_test_add (&test, "field/image", "f", "image", "{\"link\": \"slopes.result\"}", "outside",
                 "{\"link\": \"places.field\"}", "centre", "[1, 1.5, 0]", "size", "[4, 2, 4]", "axis", "\"x\"", NULL);
  return test;
}

/* The region of the source: picture ((z - z0) / width, (y - y0) / height) within x0 to x1, and the same along the axis. */
static void
test_image (void)
{
  static const struct {
    const char *axis;
    KgVector at, color;
  } facts[] = {
    { "\"x\"", { 0.3, 1, 1 }, { 0.75, 0.25, 0.25 } },          { "\"x\"", { 2.9, 1, 1 }, { 0.75, 0.25, 0.25 } },
    { "\"y\"", { 0, 2.4, 1 }, { 0.25, 0.25, 0.25 } },          { "\"y\"", { 0, 0.6, -1 }, { 0.25, 0.75, 0.25 } },
    { "\"z\"", { 2, 2, 1.7 }, { 0.75, 0.75, 0.25 } },          { "\"z\"", { 2, 2, -1.7 }, { 0.75, 0.75, 0.25 } },
    { "\"x\"", { 3, 0.5, -2 }, { 0.5 / 64, 0.5 / 32, 0.25 } },
  };
  static const KgVector outside[] = { { 3.001, 1, 1 }, { -1.001, 1, 1 }, { 0, 2.501, 1 }, { 0, 0.499, 1 },
                                      { 0, 1, 2.001 }, { 0, 1, -2.001 }, { 1e30, 0, 0 } };
  NodeTest test = image_field_test_new ();

  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    const KgVector color = facts[i].color;

    node_test_set (&test, "f", "axis", facts[i].axis);
    assert_vector_near (sample_target (&test, "f.field", facts[i].at), color.x, color.y, color.z, 1e-6);
    assert_near (get_number (&test, "f.inside", facts[i].at), 1, 0);
  }
  /* Elsewhere nothing changes, not by one bit. */
  for (guint i = 0; i < G_N_ELEMENTS (outside); i++) {
    const KgVector kept = sample_target (&test, "places.field", outside[i]);

    assert_vector_near (sample_target (&test, "f.field", outside[i]), kept.x, kept.y, kept.z, 0);
    assert_near (get_number (&test, "f.inside", outside[i]), 0, 0);
  }
  assert_near (get_number (&test, "f.inside", kg_vector (NAN, 1, 1)), 0, 0);
  node_test_clear (&test);
}

/* What fades, and what is half transparent, is mixed with what is elsewhere: a field of colours, of brightness, or one colour. */
static void
test_image_over (void)
{
  const KgVector at = kg_vector (2.9, 1, 1);
  NodeTest test = image_field_test_new ();

  node_test_set (&test, "f", "feather", "0.4");
  assert_near (get_number (&test, "f.inside", at), 0.25, 1e-6);
  assert_vector_near (sample_target (&test, "f.field", at), 0.25 * 0.75 + 0.75 * 2.9, 0.25 * 0.25 + 0.75,
                      0.25 * 0.25 + 0.75, 1e-6);
  node_test_set (&test, "f", "feather", "0");
  node_test_set (&test, "slopes", "red", "\"0.5*u\"");
  node_test_set (&test, "slopes", "green", "\"0.5*v\"");
  node_test_set (&test, "slopes", "blue", "\"0\"");
  node_test_set (&test, "slopes", "alpha", "\"0.5\"");
  assert_vector_near (sample_target (&test, "f.field", at), 0.375 + 1.45, 0.125 + 0.5, 0.5, 1e-6);
  node_test_set (&test, "places", "formula", "\"x\"");
  assert_vector_near (sample_target (&test, "f.field", at), 0.375 + 1.45, 0.125 + 1.45, 1.45, 1e-6);
  node_test_add (&test, "field/image", "alone", "image", "{\"link\": \"slopes.result\"}", "centre", "[1, 1.5, 0]",
                 "size", "[4, 2, 4]", "axis", "\"x\"", "color", "[0.2, 0.4, 0.6, 1]", NULL);
  assert_vector_near (sample_target (&test, "alone.field", at), 0.375 + 0.1, 0.125 + 0.2, 0.3, 1e-6);
  assert_vector_near (sample_target (&test, "alone.field", kg_vector (9, 9, 9)), 0.2, 0.4, 0.6, 1e-6);
  /* A box that is so far away that its corners are the same number. */
  node_test_set (&test, "f", "centre", "[1e20, 0, 0]");
  node_test_fails_saying (&test, "f.field", 0, "has no inside: enlarge it");
  node_test_fails (&test, "f.inside", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/field/gravity", test_gravity);
  g_test_add_func ("/field/drag", test_drag);
  g_test_add_func ("/field/wind", test_wind);
  g_test_add_func ("/field/vortex", test_vortex);
  g_test_add_func ("/field/55-19-profiles", test_vortex_profiles);
  g_test_add_func ("/field/55-19-flow", test_vortex_flow);
  g_test_add_func ("/field/55-19-circle", test_vortex_circle);
  g_test_add_func ("/field/55-19-without-axis", test_vortex_without_axis);
  g_test_add_func ("/field/attract", test_attract);
  g_test_add_func ("/field/55-20-elements", test_attracting_elements);
  g_test_add_func ("/field/55-20-geometry", test_attracting_geometry);
  g_test_add_func ("/field/55-20-crowd", test_attracting_crowd);
  g_test_add_func ("/field/50-87-springs", test_springs);
  g_test_add_func ("/field/add", test_add);
  g_test_add_func ("/field/noise", test_noise);
  g_test_add_func ("/field/noise/curl", test_curl);
  g_test_add_func ("/field/noise/derivatives", test_derivatives);
  g_test_add_func ("/field/noise/drift", test_drift);
  g_test_add_func ("/field/formula", test_formula);
  g_test_add_func ("/field/formula/40-D10-without-value", test_formula_without_value);
  g_test_add_func ("/field/blocks", test_blocks);
  g_test_add_func ("/field/55-14-shadow", test_shadow);
  g_test_add_func ("/field/noise/70-56-numbers", test_noise_numbers);
  g_test_add_func ("/field/noise/70-58-vectors", test_noise_vectors);
  g_test_add_func ("/field/gravity/70-78-planets", test_planets);
  g_test_add_func ("/field/drag/70-84-stokes", test_stokes);
  g_test_add_func ("/field/20-056-image", test_image);
  g_test_add_func ("/field/20-056-image-over", test_image_over);
  return g_test_run ();
}

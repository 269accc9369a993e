/* tests/techniques/law: closed forms of motion against published figures, against what they are solutions of, and against
 * conservation of energy and angular momentum.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-random.h"
#include "motion/law.h"

#define V kg_vector

static Law
make (LawKind kind)
{
  return (Law){ .kind = kind,
                .acceleration = { 0, -9.81, 0 },
                .mass = 1,
                .axis = { 0, 0, 1 },
                .strength = 1,
                .radius = 0.01,
                .viscosity = 1.5,
                .normal = { 0, 1, 0 },
                .static_friction = 0.5,
                .kinetic_friction = 0.4 };
}

static LawState
at (const Law *law, double t)
{
  g_autoptr (GError) error = NULL;
  LawState state;

  g_assert_true (law_get_state (law, t, &state, &error));
  return state;
}

static LawFacts
facts_of (const Law *law)
{
  LawFacts facts;

  law_get_facts (law, &facts);
  return facts;
}

/* Velocity and acceleration are the derivatives of the place. */
static void
assert_derivatives (const Law *law, double t, double tolerance)
{
  const double h = 1e-4;
  const LawState now = at (law, t), before = at (law, t - h), after = at (law, t + h);

  assert_vector_near (kg_vector_scale (kg_vector_subtract (after.place, before.place), 1 / (2 * h)), now.velocity.x,
                      now.velocity.y, now.velocity.z, tolerance);
  assert_vector_near (kg_vector_scale (kg_vector_subtract (after.velocity, before.velocity), 1 / (2 * h)),
                      now.acceleration.x, now.acceleration.y, now.acceleration.z, tolerance);
}

static void
test_throw (void)
{
  Law law = make (LAW_THROW);
  LawFacts facts;

  law.velocity = V (3, 8, 0);
  facts = facts_of (&law);
  assert_near (facts.event, 0.815494393476, 1e-12);
  assert_near (facts.period, 1.630988786952, 1e-12);
  assert_near (at (&law, facts.event).place.y, 3.261977573904, 1e-12);
  assert_near (at (&law, facts.period).place.x, 4.892966360856, 1e-12);
  assert_vector_near (at (&law, 1.2).place, 3.6, 2.5368, 0, 1e-14);
  for (double t = -3; t < 3; t += 0.37) {
    const LawState s = at (&law, t);

    assert_near (0.5 * kg_vector_dot (s.velocity, s.velocity) + s.potential, 36.5, 1e-12);
  }
  /* From rest, distances in equal times grow as 1 : 3 : 5 : 7. */
  law.velocity = V (0, 0, 0);
  for (int k = 0; k < 4; k++)
    assert_near ((at (&law, k + 1).place.y - at (&law, k).place.y) / at (&law, 1).place.y, 2 * k + 1, 1e-14);
}

static void
test_aim (void)
{
  g_autoptr (GError) error = NULL;
  const KgVector target = { 5, 2, -3 };
  double time, least;

  for (int kind = 0; kind < 3; kind++) {
    Law law = make (kind == 0 ? LAW_THROW : kind == 1 ? LAW_UNIFORM : LAW_VISCOUS);

    law.start = V (-1, 1, 0.5);
    g_assert_true (law_aim_at_time (&law, target, 1.3, &law.velocity, &error));
    assert_vector_near (at (&law, 1.3).place, target.x, target.y, target.z, 1e-12);
    g_assert_false (law_aim_at_time (&law, target, 0, &law.velocity, NULL));
  }
  for (int high = 0; high < 2; high++) {
    Law law = make (LAW_THROW);

    g_assert_true (law_aim_with_speed (&law, target, 11, high != 0, &law.velocity, &time, &error));
    assert_near (kg_vector_length (law.velocity), 11, 1e-12);
    assert_vector_near (at (&law, time).place, target.x, target.y, target.z, 1e-12);
  }
  /* The least speed reaches, a little less does not; the message says how much it takes. */
  {
    Law law = make (LAW_THROW);

    least = sqrt (9.81 * (2 + sqrt (38)));
    g_assert_true (law_aim_with_speed (&law, target, least * (1 + 1e-9), false, &law.velocity, &time, &error));
    g_assert_false (law_aim_with_speed (&law, target, least * 0.99, false, &law.velocity, &time, &error));
    g_assert_nonnull (strstr (error->message, "8.94"));
    g_clear_error (&error);
    g_assert_false (law_aim_with_speed (&law, law.start, 5, false, &law.velocity, &time, &error));
  }
}

static void
test_circle (void)
{
  g_autoptr (GError) warning = NULL, error = NULL;
  Law law = make (LAW_CIRCLE);
  LawState s;

  law.start = V (2, 0, 0);
  law.angular_speed = KG_PI / 2;
  s = at (&law, 0.4);
  assert_vector_near (s.place, 1.618033988750, 1.175570504585, 0, 1e-12);
  assert_vector_near (s.velocity, -1.846581830490, 2.541601846158, 0, 1e-12);
  assert_near (kg_vector_length (s.velocity), KG_PI, 1e-14);
  assert_near (kg_vector_length (s.acceleration), 4.934802200545, 1e-12);
  assert_near (kg_vector_dot (s.velocity, s.place), 0, 1e-14);
  assert_near (facts_of (&law).period, 4, 1e-14);
  law.axis = V (1, 2, 2);
  law.center = V (0.5, 1, 3);
  assert_derivatives (&law, 1.7, 1e-7);
  law.start = V (1.5, 3, 5);
  g_assert_true (law_check (&law, &warning, &error));
  g_assert_nonnull (strstr (warning->message, "stands still"));
}

/* The figures of an ellipse, and all conics as solutions of the equation of motion. */
static void
test_orbit (void)
{
  static const double speeds[] = { 0.3, 1, 1.2, 1.41421356237309505, 1.5, 3 };
  Law law = make (LAW_ORBIT);

  law.start = V (1, 0, 0);
  law.velocity = V (0, 1.2, 0);
  assert_near (facts_of (&law).period, 14.993320610381, 1e-11);
  assert_vector_near (at (&law, 3).place, -1.004932141024, 1.591438291472, 0, 1e-11);
  assert_vector_near (at (&law, facts_of (&law).period / 2).place, -2.571428571429, 0, 0, 1e-11);
  assert_near (kg_vector_length (at (&law, facts_of (&law).period / 2).velocity), 0.466666666667, 1e-11);
  for (guint k = 0; k < G_N_ELEMENTS (speeds); k++)
    for (int turn = 0; turn < 3; turn++) {
      const double angle = 0.6 + turn;
      double energy;
      KgVector spin;

      law.velocity = V (speeds[k] * cos (angle), speeds[k] * sin (angle), 0.1);
      energy = 0.5 * kg_vector_dot (law.velocity, law.velocity) - 1;
      spin = kg_vector_cross (law.start, law.velocity);
      for (double t = -6; t < 6; t += 0.71) {
        const LawState s = at (&law, t);
        const KgVector l = kg_vector_cross (s.place, s.velocity);

        assert_near (0.5 * kg_vector_dot (s.velocity, s.velocity) + s.potential, energy,
                     1e-9 * (1 + s.potential * s.potential));
        assert_vector_near (l, spin.x, spin.y, spin.z, 1e-10);
        if (kg_vector_length (s.place) > 0.3)
          assert_derivatives (&law, t, 1e-5);
      }
      /* At the nearest place the velocity is across. */
      {
        const double event = facts_of (&law).event;

        if (event >= 0)
          assert_near (kg_vector_dot (at (&law, event).place, at (&law, event).velocity), 0, 1e-7);
        else
          g_assert_cmpfloat (kg_vector_dot (law.start, law.velocity), >, 0);
      }
    }
}

static void
test_moon (void)
{
  Law law = make (LAW_ORBIT);

  law.strength = 6.67e-11 * 5.972e24;
  law.start = V (3.844e8, 0, 0);
  law.velocity = V (0, 0, -sqrt (law.strength / 3.844e8));
  assert_near (-law.velocity.z, 1017.96097, 1e-5);
  assert_near (facts_of (&law).period / 86400, 27.461, 1e-3);
  assert_near (kg_vector_length (at (&law, 1e6).place) / 3.844e8, 1, 1e-12);
  assert_near (law.strength / (6.371e6 * 6.371e6), 9.813646787366, 1e-11);
  /* Straight into the centre: an answer before, an error there. */
  law = make (LAW_ORBIT);
  law.start = V (1, 0, 0);
  g_assert_cmpfloat (at (&law, 1).place.x, <, 1);
  {
    g_autoptr (GError) error = NULL;
    LawState state;

    g_assert_false (law_get_state (&law, KG_PI / (2 * sqrt (2)), &state, &error));
    g_assert_nonnull (strstr (error->message, "sideways"));
  }
}

static void
test_spring (void)
{
  static const double dampings[] = { 4, 20, 40, 20.0001, 0 };
  static const double places[] = { -0.116388808585, 0.086189248555, 0.165405762251 };
  Law law = make (LAW_SPRING);

  law.mass = 2;
  law.stiffness = 50;
  law.start = V (0.3, 0, -0.6);
  assert_near (facts_of (&law).period, 1.256637061436, 1e-12);
  for (guint k = 0; k < G_N_ELEMENTS (dampings); k++) {
    double before = INFINITY;

    law.damping = dampings[k];
    if (k < 3)
      assert_near (at (&law, 0.5).place.x, places[k], 1e-12);
    for (double t = 0; t < 4; t += 0.13) {
      const LawState s = at (&law, t);
      const double energy = kg_vector_dot (s.velocity, s.velocity) + s.potential;

      g_assert_cmpfloat (energy, <=, before + 1e-13);
      before = energy;
      assert_derivatives (&law, t, 1e-5);
      /* Without swings it does not overshoot. */
      if (dampings[k] >= 20)
        g_assert_cmpfloat (s.place.x, >=, 0);
    }
    g_assert_true ((facts_of (&law).period > 0) == (dampings[k] < 20));
  }
  law.damping = 4;
  assert_near (at (&law, 0.3 + facts_of (&law).period).place.x / at (&law, 0.3).place.x, 0.277329255640, 1e-11);
  /* Damping alone, and neither. */
  law = make (LAW_SPRING);
  law.damping = 2;
  law.velocity = V (3, 0, 0);
  assert_near (at (&law, 1).place.x, 1.296997075145, 1e-12);
  assert_near (at (&law, 100).place.x, 1.5, 1e-12);
  law.damping = 0;
  assert_near (at (&law, 2).place.x, 6, 0);
}

static void
test_viscous (void)
{
  Law law = make (LAW_VISCOUS);

  law.mass = 0.002;
  assert_near (facts_of (&law).terminal, 0.069391555188, 1e-12);
  assert_near (at (&law, 0.01).velocity.y, -0.052512922520, 1e-12);
  assert_near (at (&law, 0.01).place.y, -3.22462609871e-4, 1e-14);
  assert_near (at (&law, 0.007073553026).velocity.y / -facts_of (&law).terminal, 1 - exp (-1), 1e-9);
  law.velocity = V (2, 1, 0);
  law.fluid_density = 100;
  assert_derivatives (&law, 0.02, 1e-3);
  g_assert_cmpfloat (facts_of (&law).reynolds, >, 0);
  /* As heavy as what it displaces, it floats; without viscosity it falls. */
  law.velocity = V (0, 0, 0);
  law.fluid_density = 0.002 / (4.0 / 3 * KG_PI * 1e-6);
  assert_near (at (&law, 1).place.y, 0, 1e-12);
  law.fluid_density = law.viscosity = 0;
  assert_near (at (&law, 2).place.y, -19.62, 1e-12);
}

static KgVector
tilt (double degrees)
{
  return V (sin (degrees * KG_DEGREE), cos (degrees * KG_DEGREE), 0);
}

static void
test_slope (void)
{
  Law law = make (LAW_SLOPE);
  g_autoptr (GError) warning = NULL, error = NULL;

  law.normal = tilt (26.565);
  assert_near (kg_vector_length (at (&law, 3).place), 0, 0);
  law.normal = tilt (26.5652);
  g_assert_cmpfloat (kg_vector_length (at (&law, 3).place), >, 0);
  law.normal = tilt (30);
  law.kinetic_friction = 0.2;
  assert_near (kg_vector_length (at (&law, 1).acceleration), 3.205858157775, 1e-11);
  /* Upwards: it stops and stays. */
  law.normal = tilt (20);
  law.kinetic_friction = 0.3;
  law.velocity = kg_vector_scale (V (-cos (20 * KG_DEGREE), sin (20 * KG_DEGREE), 0), 4);
  assert_near (facts_of (&law).event, 0.653516499934, 1e-11);
  assert_near (kg_vector_length (at (&law, 0.3).acceleration), 6.120732988998, 1e-11);
  assert_near (kg_vector_length (at (&law, 5).place), 1.307032999868, 1e-11);
  assert_near (kg_vector_length (at (&law, 5).velocity), 0, 0);
  /* On ice it slides back. */
  law.static_friction = law.kinetic_friction = 0.1;
  g_assert_cmpfloat (at (&law, 5).place.y, <, 0);
  /* On level ground. */
  law = make (LAW_SLOPE);
  law.kinetic_friction = 0.25;
  law.velocity = V (1.8, 0, -2.4);
  assert_near (facts_of (&law).event, 1.223241590214, 1e-11);
  assert_near (kg_vector_length (at (&law, 9).place), 1.834862385321, 1e-11);
  law.static_friction = 0.1;
  g_assert_true (law_check (&law, &warning, &error));
  g_assert_nonnull (strstr (warning->message, "static friction counts as much"));
  law.normal = V (0, -1, 0);
  g_assert_false (law_check (&law, &warning, &error));
}

/* Sliding across a slope, against many small steps of what it solves. */
static void
test_slope_across (void)
{
  static const double frictions[] = { 0, 0.2, 0.57735026918962576, 0.7, 1.2 };

  for (guint k = 0; k < G_N_ELEMENTS (frictions); k++)
    for (int way = 0; way < 4; way++) {
      Law law = make (LAW_SLOPE);
      KgVector p = { 0, 0, 0 }, v;
      const double h = 1e-4, n = 9.81 * cos (30 * KG_DEGREE);
      const KgVector down = { cos (30 * KG_DEGREE), -sin (30 * KG_DEGREE), 0 };
      const double angle = 0.5 + 0.7 * way, sign = way % 2 == 0 ? 1 : -1;
      double stop;

      law.normal = tilt (30);
      law.static_friction = law.kinetic_friction = frictions[k];
      v = law.velocity = kg_vector_add (kg_vector_scale (down, 3 * cos (angle)), V (0, 0, sign * 3 * sin (angle)));
      stop = facts_of (&law).event;
      for (int i = 0; i < 30000; i++) {
        /* Midpoint steps. */
        const KgVector a =
            kg_vector_add_scaled (kg_vector_scale (down, 9.81 * 0.5), -frictions[k] * n / kg_vector_length (v), v);
        const KgVector m = kg_vector_add_scaled (v, h / 2, a);
        const KgVector b =
            kg_vector_add_scaled (kg_vector_scale (down, 9.81 * 0.5), -frictions[k] * n / kg_vector_length (m), m);

        if (stop >= 0 && (i + 2) * h > stop)
          break;
        p = kg_vector_add_scaled (p, h, m);
        v = kg_vector_add_scaled (v, h, b);
        if (i % 2500 == 2499) {
          const LawState s = at (&law, (i + 1) * h);

          assert_vector_near (s.place, p.x, p.y, p.z, 2e-5);
          assert_vector_near (s.velocity, v.x, v.y, v.z, 2e-4);
        }
      }
      if (stop >= 0 && stop < 3) {
        const LawState s = at (&law, stop + 1);

        assert_vector_near (s.place, p.x, p.y, p.z, 1e-3);
        assert_near (kg_vector_length (s.velocity), 0, 0);
        g_assert_cmpfloat (kg_vector_length (at (&law, stop * (1 - 1e-6)).velocity), <, 1e-3);
      }
    }
}

/* Hyperbolas long after, and long before, against Kepler's equation e sinh H - H = M, bisected. */
static void
test_escape (void)
{
  static const double speeds[] = { 1.5, 2, 3, 10 };

  for (guint k = 0; k < G_N_ELEMENTS (speeds); k++)
    for (double t = 1e-2; t < 1e7; t *= 10)
      for (int sign = -1; sign <= 1; sign += 2) {
        const double e = speeds[k] * speeds[k] - 1, a = 1 / (speeds[k] * speeds[k] - 2), mean = t / pow (a, 1.5);
        double low = 0, high = 100;
        Law law = make (LAW_ORBIT);
        LawState s;

        for (int i = 0; i < 200; i++) {
          const double middle = 0.5 * (low + high);

          *(e * sinh (middle) - middle < mean ? &low : &high) = middle;
        }
        law.start = V (1, 0, 0);
        law.velocity = V (0, speeds[k], 0);
        s = at (&law, sign * t);
        assert_near (s.place.x, a * (e - cosh (low)), 1e-9 * (1 + t));
        assert_near (s.place.y, sign * a * sqrt (e * e - 1) * sinh (low), 1e-9 * (1 + t));
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/law/70-68-throw", test_throw);
  g_test_add_func ("/law/70-68-aim", test_aim);
  g_test_add_func ("/law/70-69-circle", test_circle);
  g_test_add_func ("/law/70-79-orbit", test_orbit);
  g_test_add_func ("/law/70-79-moon", test_moon);
  g_test_add_func ("/law/70-79-escape", test_escape);
  g_test_add_func ("/law/70-94-spring", test_spring);
  g_test_add_func ("/law/70-85-viscous", test_viscous);
  g_test_add_func ("/law/70-83-slope", test_slope);
  g_test_add_func ("/law/70-83-slope-across", test_slope_across);
  return g_test_run ();
}

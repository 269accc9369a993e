/* tests/techniques/law: closed forms of motion against published figures, against what they are solutions of, and against
 * conservation of energy and angular momentum.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-random.h"
#include "motion/law.h"
#include "motion/tumble.h"
#include "sim/gravitation.h"

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

/* With drag it is back at the height of its start, too. */
static void
test_return (void)
{
  Law law = make (LAW_THROW);

  law.velocity = V (3, 8, 0);
  for (law.drag = 1e-9; law.drag < 1e4; law.drag *= 10) {
    const LawFacts facts = facts_of (&law);

    g_assert_cmpfloat (facts.period, >, facts.event);
    assert_near (at (&law, facts.period).place.y, 0, 1e-9);
  }
  law.velocity = V (3, -8, 0);
  assert_near (facts_of (&law).period, -1, 0);
}

/* Overdamped as far as numbers go: e^(-t k/d). */
static void
test_creep (void)
{
  static const struct {
    double stiffness, damping, left;
  } cases[] = { { 1e9, 1e9, 0.13533528323661270 }, { 1e5, 1e6, 0.81873075307798186 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const LawPull pull = { .mass = 1e-9, .stiffness = cases[i].stiffness, .damping = cases[i].damping };
    KgVector place = V (0, 0, 0), velocity = V (0, 0, 0);

    for (int frame = 0; frame < 48; frame++)
      law_follow (&pull, V (1, 0, 0), V (1, 0, 0), 1.0 / 24, &place, &velocity);
    assert_near (place.x, 1 - cases[i].left, 1e-12);
  }
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
  g_assert_nonnull (strstr (warning->message, "static friction is raised to it"));
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

/* The closed form of all bounces against flight after flight, on slanted ground, with and without losses. */
static void
test_bounces (void)
{
  static const double shares[][2] = { { 0.8, 0 }, { 0.8, 0.2 }, { 0.8, 0.3 }, { 1, 0 },
                                      { 1, 0.1 }, { 0, 0.5 },   { 0.95, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    const Law law = { .kind = LAW_BOUNCE,
                      .mass = 1,
                      .start = { 0.4, 2, 0.1 },
                      .velocity = { 1, 0.5, -0.3 },
                      .acceleration = { 1, -9.81, 0 },
                      .radius = 0.2,
                      .normal = { 0.1, 1, 0 },
                      .restitution = shares[i][0],
                      .loss = shares[i][1] };
    const KgVector normal = kg_vector_normalize_or (law.normal, law.normal);
    KgVector place = law.start, velocity = law.velocity;
    double begin = 0, first = 0;
    Law copy = law;
    LawState state;
    LawFacts facts;

    g_assert_true (law_check (&copy, NULL, NULL));
    law_get_facts (&law, &facts);
    for (guint k = 0; k < 12; k++) {
      const double g = -kg_vector_dot (law.acceleration, normal), w = kg_vector_dot (velocity, normal);
      const double h = fmax (kg_vector_dot (place, normal) - 0.2, 0), flight = (w + sqrt (w * w + 2 * g * h)) / g;
      KgVector after;

      if (!(flight > 1e-9))
        break;
      /* In the middle of the flight. */
      g_assert_true (law_get_state (&law, begin + 0.4 * flight, &state, NULL));
      after = kg_vector_add_scaled (kg_vector_add_scaled (place, 0.4 * flight, velocity), 0.08 * flight * flight,
                                    law.acceleration);
      assert_vector_near (state.place, after.x, after.y, after.z, 1e-11);
      assert_near (state.bounces, k, 0);
      after = kg_vector_add_scaled (velocity, 0.4 * flight, law.acceleration);
      assert_vector_near (state.velocity, after.x, after.y, after.z, 1e-11);
      place = kg_vector_add_scaled (kg_vector_add_scaled (place, flight, velocity), 0.5 * flight * flight,
                                    law.acceleration);
      velocity = kg_vector_add_scaled (velocity, flight, law.acceleration);
      after = kg_vector_scale (normal, kg_vector_dot (velocity, normal));
      velocity = kg_vector_add_scaled (kg_vector_scale (kg_vector_subtract (velocity, after), 1 - law.loss),
                                       -law.restitution, after);
      begin += flight;
      first = k == 0 ? begin : first;
    }
    assert_near (facts.event, first, 1e-12);
    /* The limit is where the last flights lead to. */
    if (law.restitution < 1 && law.restitution > 0) {
      LawState before, behind;

      law_get_state (&law, facts.rest * (1 - 1e-9), &before, NULL);
      law_get_state (&law, facts.rest * (1 + 1e-9), &behind, NULL);
      assert_vector_near (before.place, behind.place.x, behind.place.y, behind.place.z, 1e-6);
      assert_near (kg_vector_dot (behind.place, normal), 0.2, 1e-12);
    }
  }
}

/* In air: what the place changes by is the velocity, what that changes by gravity and the square of the speed; each bounce
 * returns the asked share, and thin air is no air. */
static void
test_bounces_in_air (void)
{
  static const double rises[] = { 0.5, 25, 0, -3, -8, -30 };

  for (guint i = 0; i < G_N_ELEMENTS (rises); i++)
    for (guint slanted = 0; slanted < 2; slanted++) {
      Law law = { .kind = LAW_BOUNCE,
                  .mass = 1,
                  .start = { 0.4, 2, 0.1 },
                  .velocity = { 1, rises[i], -0.3 },
                  .acceleration = { slanted, -9.81, 0 },
                  .radius = 0.2,
                  .normal = { 0, 1, 0 },
                  .restitution = 0.8,
                  .loss = 0.1,
                  .terminal_speed = 8 };
      double last = 0, before = 0;
      LawState state, ahead, behind;
      LawFacts facts;
      guint landings = 0;

      g_assert_true (law_check (&law, NULL, NULL));
      law_get_facts (&law, &facts);
      g_assert_cmpfloat (facts.rest, >, facts.event);
      for (double t = 0.0005; t < facts.rest; t += 0.01) {
        const double h = 1e-5;

        law_get_state (&law, t, &state, NULL);
        law_get_state (&law, t - h, &behind, NULL);
        law_get_state (&law, t + h, &ahead, NULL);
        if (behind.bounces != ahead.bounces)
          continue;
        for (guint c = 0; c < 3; c++) {
          assert_near ((kg_vector_get (ahead.place, c) - kg_vector_get (behind.place, c)) / (2 * h),
                       kg_vector_get (state.velocity, c), 2e-7);
          assert_near ((kg_vector_get (ahead.velocity, c) - kg_vector_get (behind.velocity, c)) / (2 * h),
                       kg_vector_get (state.acceleration, c), 1e-5);
        }
        assert_near (state.acceleration.y, -9.81 - 9.81 * state.velocity.y * fabs (state.velocity.y) / 64, 1e-9);
        assert_near (state.acceleration.x, slanted, 1e-12);
        g_assert_cmpfloat (state.place.y, >=, 0.2 - 1e-12);
      }
      /* The landings, where the number of bounces grows, found by halving. */
      for (double t = 0.002; t < facts.rest && landings < 6; t += 0.002) {
        double low = t - 0.002, high = t;

        law_get_state (&law, t, &state, NULL);
        if (state.bounces == before)
          continue;
        for (guint k = 0; k < 60; k++) {
          law_get_state (&law, 0.5 * (low + high), &state, NULL);
          if (state.bounces == before)
            low = 0.5 * (low + high);
          else
            high = 0.5 * (low + high);
        }
        law_get_state (&law, low - 1e-9, &behind, NULL);
        law_get_state (&law, high + 1e-9, &ahead, NULL);
        assert_near (ahead.velocity.y, -0.8 * behind.velocity.y, 1e-6);
        assert_near (ahead.velocity.x, 0.9 * behind.velocity.x, 1e-6);
        assert_near (ahead.place.x, behind.place.x, 1e-6);
        if (landings == 0)
          assert_near (low, facts.event, 1e-9);
        before = ahead.bounces;
        last = high;
        landings++;
      }
      g_assert_cmpuint (landings, ==, 6);
      g_assert_cmpfloat (last, <, facts.rest);
      law_get_state (&law, facts.rest + 1e-6, &state, NULL);
      assert_near (state.place.y, 0.2, 1e-12);
      assert_near (state.bounces, -1, 0);
      /* A million metres a second. */
      {
        Law thin = law, none = law;
        LawFacts thin_facts, no_facts;

        thin.terminal_speed = 1e6;
        none.terminal_speed = 0;
        law_get_facts (&thin, &thin_facts);
        law_get_facts (&none, &no_facts);
        assert_near (thin_facts.rest, no_facts.rest, 1e-6);
        law_get_state (&thin, 2.1, &state, NULL);
        law_get_state (&none, 2.1, &ahead, NULL);
        assert_vector_near (state.place, ahead.place.x, ahead.place.y, ahead.place.z, 1e-6);
      }
    }
}

static Tumble
spin (KgVector moments, KgVector omega)
{
  const KgRotation rotation = kg_rotation_identity ();

  return (Tumble){ moments, rotation, tumble_get_momentum (moments, rotation, omega) };
}

static KgVector
get_body_omega (const Tumble *tumble)
{
  return kg_rotation_apply (kg_rotation_conjugate (tumble->rotation), tumble_get_omega (tumble));
}

/* The racket: the middle axis turns over at known times. */
static void
test_racket (void)
{
  const Tumble start = spin (V (1, 2, 3), V (0.01, 4, 0.01));
  static const double turns[] = { 3.3298, 9.4189 };
  Tumble t;

  for (guint i = 0; i < 2; i++) {
    t = tumble_get_free (&start, turns[i]);
    assert_near (get_body_omega (&t).y, 0, 1e-3);
  }
  for (double time = -30; time < 100; time += 0.7) {
    const KgVector w = get_body_omega (&start);
    KgVector now;

    t = tumble_get_free (&start, time);
    now = get_body_omega (&t);
    assert_near (tumble_get_energy (&t), 0.5 * (w.x * w.x + 2 * w.y * w.y + 3 * w.z * w.z), 1e-9);
    /* The momentum in the world is where it was. */
    assert_near (
        kg_vector_distance (tumble_get_momentum (t.moments, t.rotation, tumble_get_omega (&t)), start.momentum), 0,
        1e-9);
    assert_near (now.x * now.x + 4 * now.y * now.y + 9 * now.z * now.z, w.x * w.x + 4 * w.y * w.y + 9 * w.z * w.z,
                 1e-9);
  }
  /* While it is little, it grows by 2.309401 a second: ω₁ = ω₁(0) cosh − 4 ω₃(0)/2.309401 sinh. */
  {
    const double growth = 4 / sqrt (3);

    t = tumble_get_free (&start, 0.5);
    assert_near (get_body_omega (&t).x, 0.01 * cosh (0.5 * growth) - 0.04 / growth * sinh (0.5 * growth), 1e-5);
  }
}

/* A body that is round about its third axis: that axis stays, the others go around it. */
static void
test_precession (void)
{
  const Tumble start = spin (V (2, 2, 1), V (0.3, 0, 5));
  const Tumble t = tumble_get_free (&start, 0.4);
  const KgVector w = get_body_omega (&t);

  assert_near (w.z, 5, 1e-12);
  /* Ω = (I₃ − I₁)/I₁ ω₃ = −2.5 rad/s. */
  assert_near (atan2 (w.y, w.x), -2.5 * 0.4, 1e-12);
}

/* The closed form against small steps, for bodies of all kinds; and the order of the steps. */
static void
test_tumble_steps (void)
{
  for (uint64_t i = 0; i < 24; i++) {
    KgVector moments =
        V (1 + kg_random_uniform (7, i, 0), 1 + kg_random_uniform (7, i, 1), 1 + kg_random_uniform (7, i, 2));
    Tumble start, exact, fine;
    double errors[2][2];

    if (i == 3)
      moments = V (1, 1, 1);
    if (i >= 4 && i < 10)
      moments = i % 3 == 0 ? V (1, 2, 2) : i % 3 == 1 ? V (2, 1, 2) : V (2, 2, 1);
    start = spin (moments, kg_vector_scale (kg_random_direction (7, i, 5), 4));
    if (i == 2)
      start = spin (moments, V (0, 3, 0));
    start.rotation = kg_rotation_from_axis_angle (kg_random_direction (7, i, 6), 2);
    exact = tumble_get_free (&start, 3);
    for (int method = 0; method < 2; method++)
      for (int halving = 0; halving < 2; halving++) {
        const int n = 300 << halving;

        fine = start;
        for (int k = 0; k < n; k++)
          tumble_step (&fine, (TumbleStep) method, 3.0 / n, moments, V (0, 0, 0));
        errors[method][halving] = kg_vector_distance (tumble_get_omega (&fine), tumble_get_omega (&exact)) +
                                  kg_vector_distance (kg_rotation_apply (fine.rotation, V (1, 2, 3)),
                                                      kg_rotation_apply (exact.rotation, V (1, 2, 3)));
        assert_vector_near (fine.momentum, start.momentum.x, start.momentum.y, start.momentum.z, 0);
      }
    g_assert_cmpfloat (errors[TUMBLE_MIDPOINT][1], <, 1e-2);
    g_assert_cmpfloat (errors[TUMBLE_RK4][1], <, 1e-6);
    if (errors[TUMBLE_MIDPOINT][1] > 1e-8)
      assert_near (errors[TUMBLE_MIDPOINT][0] / errors[TUMBLE_MIDPOINT][1], 4, 0.5);
  }
}

/* Euler's equations at one moment, from a short step of the closed form. */
static void
test_euler (void)
{
  const Tumble start = spin (V (1, 2, 3), V (0.5, -1, 2));
  const Tumble before = tumble_get_free (&start, -1e-4), after = tumble_get_free (&start, 1e-4);
  const KgVector rate = kg_vector_scale (kg_vector_subtract (get_body_omega (&after), get_body_omega (&before)), 5000);

  assert_vector_near (rate, 2, 1, 1.0 / 6, 1e-6);
}

/* What falls on the axes in the middle, or has none: even turns, and bad bodies. */
static void
test_tumble_bad_input (void)
{
  g_autoptr (GError) error = NULL;
  Tumble start = spin (V (1, 2, 3), V (0, 4, 0)), t;
  bool impossible;

  t = tumble_get_free (&start, 100);
  assert_vector_near (tumble_get_omega (&t), 0, 4, 0, 1e-9);
  start = spin (V (1, 2, 3), V (0, 0, 0));
  t = tumble_get_free (&start, 100);
  assert_vector_near (tumble_get_omega (&t), 0, 0, 0, 0);
  /* Between both kinds of motion. */
  start = spin (V (1, 2, 3), V (1, 1, sqrt (1.0 / 3)));
  t = tumble_get_free (&start, 5);
  assert_near (tumble_get_energy (&t), tumble_get_energy (&start), 1e-6);
  g_assert_false (tumble_check (V (1, 0, 1), &impossible, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_assert_true (tumble_check (V (1, 1, 3), &impossible, NULL));
  g_assert_true (impossible);
}

/* Two bodies go around their centre of mass and are back after a period; the energy swings but does not drift. */
static void
test_two_bodies (void)
{
  const Gravitation g = { .constant = 1 };
  const double masses[] = { 3, 1 }, omega = sqrt (0.5), period = 2 * KG_PI / omega;

  assert_near (period, 8.885766, 1e-6);
  for (int method = 0; method < GRAVITATION_N_METHODS; method++) {
    KgVector places[] = { { 0.5, 0, 0 }, { -1.5, 0, 0 } },
             velocities[] = { { 0, 0.5 * omega, 0 }, { 0, -1.5 * omega, 0 } };
    double kinetic, potential, first, lowest = INFINITY, highest = -INFINITY;
    KgVector momentum;

    g_assert_true (gravitation_get_energy (&g, 2, masses, places, velocities, &kinetic, &potential, &momentum, NULL));
    assert_near (potential, -1.5, 1e-14);
    first = kinetic + potential;
    assert_near (first, -0.75, 1e-14);
    for (int turn = 0; turn < 10; turn++) {
      gravitation_step (&g, (GravitationMethod) method, 2, masses, period / 1000, 1000, places, velocities, NULL, NULL);
      gravitation_get_energy (&g, 2, masses, places, velocities, &kinetic, &potential, &momentum, NULL);
      lowest = fmin (lowest, kinetic + potential);
      highest = fmax (highest, kinetic + potential);
      assert_near (kg_vector_length (momentum), 0, 1e-13);
    }
    assert_vector_near (places[0], 0.5, 0, 0, 2e-3);
    assert_near (highest - lowest, 0, 1e-9);
    assert_near (lowest, first, 1e-6);
  }
}

static void
test_newton (void)
{
  const double masses[] = { 5, 7 };
  const KgVector places[] = { { 0, 0, 0 }, { 0, 3, 0 } }, same[] = { { 1, 2, 3 }, { 1, 2, 3 } };
  const Gravitation g = { .constant = 6.6743e-11 }, printed = { .constant = 6.67e-11 };
  KgVector pull[2];
  size_t meetings;

  g_assert_true (gravitation_get_pull (&g, 2, masses, places, pull, &meetings, NULL));
  assert_near (5 * pull[0].y * 1e10, 2.5956, 1e-4);
  assert_near (7 * pull[1].y, -5 * pull[0].y, 1e-25);
  g_assert_true (gravitation_get_pull (&printed, 2, masses, places, pull, &meetings, NULL));
  assert_near (5 * pull[0].y * 1e10, 2.593889, 1e-6);
  g_assert_true (gravitation_get_pull (&g, 2, masses, same, pull, &meetings, NULL));
  g_assert_cmpuint (meetings, ==, 2);
  assert_vector_near (pull[0], 0, 0, 0, 0);
  g_assert_true (gravitation_get_pull (&g, 0, NULL, NULL, NULL, &meetings, NULL));
}

/* The tree against every pair. */
static void
test_tree (void)
{
  enum { N = 1500 };
  g_autofree KgVector *places = g_new (KgVector, N), *all = g_new (KgVector, N), *by_tree = g_new (KgVector, N);
  g_autofree double *masses = g_new (double, N);
  const Gravitation every = { 1, 0.01, 0 }, tree = { 1, 0.01, 0.4 };
  double sum = 0, error = 0;

  for (uint64_t i = 0; i < N; i++) {
    masses[i] = kg_random_uniform (3, i, 9);
    places[i] = kg_vector_scale (kg_random_direction (3, i, 0), pow (kg_random_uniform (3, i, 8), 2));
  }
  /* Some in one place, which no cell can divide. */
  for (uint64_t i = 0; i < 20; i++)
    places[i] = places[0];
  g_assert_true (gravitation_get_pull (&every, N, masses, places, all, NULL, NULL));
  g_assert_true (gravitation_get_pull (&tree, N, masses, places, by_tree, NULL, NULL));
  for (size_t i = 0; i < N; i++) {
    sum += kg_vector_length (all[i]);
    error += kg_vector_distance (all[i], by_tree[i]);
  }
  g_assert_cmpfloat (error / sum, <, 0.005);
  g_assert_cmpfloat (error, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/law/70-68-throw", test_throw);
  g_test_add_func ("/law/70-68-return", test_return);
  g_test_add_func ("/law/70-94-creep", test_creep);
  g_test_add_func ("/law/70-68-aim", test_aim);
  g_test_add_func ("/law/70-69-70-70-circle", test_circle);
  g_test_add_func ("/law/70-79-orbit", test_orbit);
  g_test_add_func ("/law/70-79-moon", test_moon);
  g_test_add_func ("/law/70-79-escape", test_escape);
  g_test_add_func ("/law/70-94-spring", test_spring);
  g_test_add_func ("/law/70-85-viscous", test_viscous);
  g_test_add_func ("/law/70-83-slope", test_slope);
  g_test_add_func ("/law/70-83-slope-across", test_slope_across);
  g_test_add_func ("/law/50-70-bounces", test_bounces);
  g_test_add_func ("/law/20-064-bounces-in-air", test_bounces_in_air);
  g_test_add_func ("/tumble/50-51-racket", test_racket);
  g_test_add_func ("/tumble/50-51-precession", test_precession);
  g_test_add_func ("/tumble/50-51-euler", test_euler);
  g_test_add_func ("/tumble/50-50-50-51-steps", test_tumble_steps);
  g_test_add_func ("/tumble/bad-input", test_tumble_bad_input);
  g_test_add_func ("/gravitation/50-41-two-bodies", test_two_bodies);
  g_test_add_func ("/gravitation/50-41-newton", test_newton);
  g_test_add_func ("/gravitation/50-41-tree", test_tree);
  return g_test_run ();
}

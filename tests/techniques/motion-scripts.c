/* tests/techniques/motion-scripts: links that pins join in the plane, against catalogue 20-120 to 20-128.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-error.h"
#include "sim/planar_links.h"

#include <string.h>

static const PlanarLink man_links[] = { { 45, 0.40, 6, 3, 24000, 600 },
                                        { 24, 0.45, 4, 3, 12000, 300 },
                                        { 8, 0.35, 2, 1, 4000, 100 } };
static const PlanarPin man_pins[] = { { 0, 1, 0.40, -0.45 }, { 0, 2, -0.25, -0.35 } };
static const PlanarLimit man_limits[] = { { 0, 1, 0, -20 * KG_PI / 180, 80 * KG_PI / 180, 300 },
                                          { 0, 2, 0, -60 * KG_PI / 180, 150 * KG_PI / 180, 80 } };

static PlanarLinks
make_man (PlanarState *states)
{
  const PlanarLinks man = { .links = man_links,
                            .pins = man_pins,
                            .limits = man_limits,
                            .n_links = 3,
                            .n_pins = 2,
                            .n_limits = 2,
                            .held = true,
                            .held_link = 1,
                            .held_at = 0.45,
                            .held_place = { 0, 10, 0 },
                            .exponent = 3,
                            .reaction = true,
                            .gravity = 9.81,
                            .mattress = 0.6,
                            .tolerance = 1e-12 };
  GError *error = NULL;

  memset (states, 0, 3 * sizeof *states);
  for (int i = 0; i < 3; i++)
    states[i].q[2] = -100 * KG_PI / 180;
  g_assert_true (planar_links_assemble (&man, states, &error));
  return man;
}

/* 20-123: both systems at the start. */
static void
test_accelerations (void)
{
  static const double expected[] = { 1.76813996,  -0.31177078, 0.65108459,  1.01230861, -0.17849732,
                                     -2.28427801, 1.66016702,  -0.29273224, 0.15180729 };
  static const double forces[] = { -92.84763, -503.55846, 13.28134, 76.13814, -117.14304, -734.71452 };
  PlanarState states[3];
  PlanarLinks man = make_man (states);
  double accelerations[9], lambda[6];

  assert_near (states[0].q[0], 0.22574263, 1e-8);
  assert_near (states[0].q[1], 11.28025008, 1e-8);
  g_assert_true (planar_links_accelerate (&man, states, accelerations, lambda, NULL));
  for (int i = 0; i < 9; i++)
    assert_near (accelerations[i], expected[i], 1e-8);
  for (int i = 0; i < 6; i++)
    assert_near (lambda[i], forces[i], 1e-5);
  man.held = false;
  g_assert_true (planar_links_accelerate (&man, states, accelerations, lambda, NULL));
  for (int i = 0; i < 9; i++)
    assert_near (accelerations[i], i % 3 == 1 ? -9.81 : 0, 1e-12);
  for (int i = 0; i < 4; i++)
    assert_near (lambda[i], 0, 1e-12);
}

/* 20-123, 20-127: the figures of the catalogue. */
static void
test_fall (void)
{
  PlanarState states[3];
  PlanarLinks man = make_man (states);
  double released;

  g_assert_true (planar_links_integrate (&man, states, 0.5, &released, NULL, NULL));
  assert_near (states[0].q[0], 0.47720467, 1e-8);
  assert_near (states[0].q[1], 11.20707523, 1e-8);
  g_assert_true (man.held);
  g_assert_true (planar_links_integrate (&man, states, 1, &released, NULL, NULL));
  g_assert_false (man.held);
  assert_near (released + 0.5, 1.06364724, 1e-8);
  assert_near (planar_links_get_gap (&man, states), 0, 1e-8);
}

/* 20-123: in the air, without drag, the angular momentum stays and the centre of mass flies a parabola; with nothing that takes
 * energy, that stays as well. */
static void
test_flight (void)
{
  PlanarLink links[3];
  PlanarState states[3];
  PlanarLinks man = make_man (states);
  double before, after, energy, energy_after, released;
  KgVector center, later;

  memcpy (links, man_links, sizeof links);
  for (int i = 0; i < 3; i++)
    links[i].drag = links[i].spin_drag = 0;
  man.links = links;
  man.held = false;
  man.gravity = 9.81;
  states[0].v[2] = 3;
  states[2].v[2] = -2;
  g_assert_true (planar_links_assemble (&man, states, NULL));
  planar_links_measure (&man, states, &energy, &before, &center);
  g_assert_true (planar_links_integrate (&man, states, 0.8, &released, NULL, NULL));
  planar_links_measure (&man, states, &energy_after, &after, &later);
  assert_near (after, before, 1e-8);
  {
    PlanarState again[3];
    PlanarLinks other = make_man (again);
    double speed_y = 0, mass = 0;

    again[0].v[2] = 3;
    again[2].v[2] = -2;
    g_assert_true (planar_links_assemble (&other, again, NULL));
    for (int i = 0; i < 3; i++) {
      speed_y += links[i].mass * again[i].v[1];
      mass += links[i].mass;
    }
    assert_near (later.y, center.y + speed_y / mass * 0.8 - 0.5 * 9.81 * 0.64, 1e-9);
  }
  man.n_limits = 0;
  planar_links_measure (&man, states, &energy, &before, &center);
  g_assert_true (planar_links_integrate (&man, states, 0.3, &released, NULL, NULL));
  planar_links_measure (&man, states, &energy_after, &after, &center);
  assert_near (energy_after, energy, 1e-7);
  /* Without the reaction, as in the source, a man in the air turns himself. */
  man.n_limits = 2;
  man.reaction = false;
  planar_links_measure (&man, states, &energy, &before, &center);
  g_assert_true (planar_links_integrate (&man, states, 0.3, &released, NULL, NULL));
  planar_links_measure (&man, states, &energy, &after, &center);
  g_assert_cmpfloat (fabs (after - before), >, 0.1);
}

/* 20-124: the torques of the legs. */
static void
test_limits (void)
{
  static const double facts[][2] = { { 40, -37.5 }, { 80, -300 }, { -10, 37.5 }, { -20, 300 }, { 0, 0 } };
  double bent;

  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    assert_near (planar_limit_get_torque (&man_limits[0], PLANAR_POWER, 3, facts[i][0] * KG_PI / 180, &bent),
                 facts[i][1], 1e-10);
  assert_near (bent, 0, 0);
  assert_near (planar_limit_get_torque (&man_limits[0], PLANAR_EXPONENTIAL, 3, 80 * KG_PI / 180, &bent), -300, 1e-10);
  assert_near (planar_limit_get_torque (&man_limits[0], PLANAR_TANGENT, 3, 40 * KG_PI / 180, &bent), -300, 1e-10);
  g_assert_true (isfinite (planar_limit_get_torque (&man_limits[0], PLANAR_TANGENT, 3, 50, &bent)));
}

/* 20-125, 20-126: drag alone; a drop on the mattress without damping, its depth, its contact time, and the sag at rest. */
static void
test_mattress (void)
{
  PlanarLink body = { 45, 0.4, 6, 0, 24000, 0 };
  PlanarLinks links = {
    .links = &body, .n_links = 1, .gravity = 0, .mattress = 0.6, .tolerance = 1e-12, .exponent = 3
  };
  PlanarState state = { { 0, 5, 0 }, { 3, 0, 0 } };
  const double omega = sqrt (24000 / 45.0), h = 1, v = sqrt (2 * 9.81 * h), sag = 45 * 9.81 / 24000;
  double released, t_fall = v / 9.81, contact = (KG_PI + 2 * atan (sag * omega / v)) / omega;

  assert_near (sag, 0.01839375, 1e-15);
  g_assert_true (planar_links_integrate (&links, &state, 2, &released, NULL, NULL));
  assert_near (state.v[0], 3 * exp (-6 * 2 / 45.0), 1e-10);
  body.drag = 0;
  links.gravity = 9.81;
  state = (PlanarState){ { 0, 0.6 + h, 0 }, { 0, 0, 0 } };
  g_assert_true (planar_links_integrate (&links, &state, t_fall + contact / 2, &released, NULL, NULL));
  assert_near (state.q[1], 0.6 - sag - sqrt (sag * sag + v * v / (omega * omega)), 1e-6);
  assert_near (state.v[1], 0, 1e-4);
  g_assert_true (planar_links_integrate (&links, &state, contact / 2 + t_fall, &released, NULL, NULL));
  assert_near (state.q[1], 0.6 + h, 1e-6);
}

static void
test_bad (void)
{
  PlanarState states[3];
  PlanarLinks man = make_man (states);
  PlanarPin pins[3] = { man_pins[0], man_pins[1], man_pins[0] };
  double accelerations[9];
  GError *error = NULL;

  man.n_pins = 1;
  g_assert_false (planar_links_assemble (&man, states, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_clear_error (&error);
  /* The same pin twice. */
  man.pins = pins;
  man.n_pins = 3;
  g_assert_false (planar_links_accelerate (&man, states, accelerations, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_clear_error (&error);
}

/* The energy of the held man at angles and rates. */
static double
get_energy (const PlanarLinks *man, const double angles[3], const double rates[3])
{
  PlanarState states[3] = { 0 };
  double energy, spin;
  KgVector center;

  for (int i = 0; i < 3; i++) {
    states[i].q[2] = angles[i];
    states[i].v[2] = rates[i];
  }
  g_assert_true (planar_links_assemble (man, states, NULL));
  planar_links_measure (man, states, &energy, &spin, &center);
  return energy;
}

static double
get_motion (const PlanarLinks *man, const double angles[3], const double rates[3])
{
  return get_energy (man, angles, rates) - get_energy (man, angles, (const double[3]){ 0 });
}

/* The inertia between two angles: T is a square form of the rates. */
static double
get_inertia (const PlanarLinks *man, const double angles[3], int i, int k)
{
  double one[3] = { 0 }, other[3] = { 0 }, both[3] = { 0 };

  one[i] = other[k] = 1;
  both[i] += 1;
  both[k] += 1;
  return get_motion (man, angles, both) - get_motion (man, angles, one) - get_motion (man, angles, other);
}

/* 20-128: the equations that computer algebra derived in the source.  Lagrange's, d/dt (dL/dw) = dL/da for the three angles of the
 * man who holds on, with derivatives by differences of his energies, give the rates that the constraints give. */
static void
test_lagrange (void)
{
  const double h = 1e-5;

  for (int round = 0; round < 5; round++) {
    const double angles[] = { -1.7 + 0.3 * round, -1.2 - 0.25 * round, 0.4 * round - 0.9 };
    const double rates[] = { 1.5 - round, 0.7 * round - 1, 2 - 0.6 * round };
    PlanarLink free[3];
    PlanarState states[3] = { 0 };
    PlanarLinks man = make_man (states);
    double found[9], forces[6];

    for (int i = 0; i < 3; i++)
      free[i] = (PlanarLink){ .mass = man_links[i].mass, .half = man_links[i].half };
    man.links = free;
    man.n_limits = 0;
    man.mattress = -100;
    for (int i = 0; i < 3; i++) {
      states[i] = (PlanarState){ { 0, 0, angles[i] }, { 0, 0, rates[i] } };
    }
    g_assert_true (planar_links_assemble (&man, states, NULL));
    g_assert_true (planar_links_accelerate (&man, states, found, forces, NULL));
    for (int i = 0; i < 3; i++) {
      double left = 0, right, up[3], down[3], scale = 0;

      memcpy (up, angles, sizeof up);
      memcpy (down, angles, sizeof down);
      up[i] += h;
      down[i] -= h;
      /* L = T - V, and E = T + V. */
      right = (2 * get_motion (&man, up, rates) - get_energy (&man, up, rates) - 2 * get_motion (&man, down, rates) +
               get_energy (&man, down, rates)) /
              (2 * h);
      for (int k = 0; k < 3; k++) {
        double later[3], before[3], change;

        for (int a = 0; a < 3; a++) {
          later[a] = angles[a] + h * rates[a];
          before[a] = angles[a] - h * rates[a];
        }
        change = (get_inertia (&man, later, i, k) - get_inertia (&man, before, i, k)) / (2 * h);
        left += get_inertia (&man, angles, i, k) * found[3 * k + 2] + change * rates[k];
        scale += fabs (get_inertia (&man, angles, i, k) * found[3 * k + 2]) + fabs (change * rates[k]);
      }
      assert_near (left, right, 1e-5 * (scale + fabs (right)));
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/motion-scripts/20-122-20-123-accelerations", test_accelerations);
  g_test_add_func ("/motion-scripts/20-127-fall", test_fall);
  g_test_add_func ("/motion-scripts/20-128-lagrange", test_lagrange);
  g_test_add_func ("/motion-scripts/20-123-flight", test_flight);
  g_test_add_func ("/motion-scripts/20-124-limits", test_limits);
  g_test_add_func ("/motion-scripts/20-125-20-126-mattress", test_mattress);
  g_test_add_func ("/motion-scripts/20-123-bad", test_bad);
  return g_test_run ();
}

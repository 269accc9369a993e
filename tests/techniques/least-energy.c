/* tests/techniques/least-energy: shapes that are restored and lines that bend least, against closed forms and natural splines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "deform/least_energy.h"

/* (transfer full) Points, as one polyline where lined. */
static KgGeometry *
new_points (const KgVector *points, size_t n, bool lined)
{
  KgGeometry *geometry = kg_geometry_new ();
  g_autofree uint32_t *vertices = g_new (uint32_t, n);
  const KgPrimitive line = { .kind = KG_POLYLINE, .n_vertices = (uint32_t) n, .vertices = vertices };
  float *p;

  g_assert_true (kg_geometry_set_n_points (geometry, n, NULL));
  p = kg_geometry_edit_positions (geometry);
  for (size_t i = 0; i < n; i++) {
    vertices[i] = (uint32_t) i;
    for (size_t c = 0; c < 3; c++)
      p[3 * i + c] = (float) kg_vector_get (points[i], c);
  }
  if (lined)
    kg_geometry_add_primitive (geometry, &line);
  return geometry;
}

static LeastEnergyReport
solve (const KgVector *rest, size_t n, bool lined, const double *pulls, LeastEnergyWeights weights,
       const KgVector *targets, KgVector *points)
{
  g_autoptr (KgGeometry) geometry = new_points (rest, n, lined);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeastEnergy) energy = least_energy_new (geometry, pulls, &weights, &error);
  LeastEnergyReport report;

  g_assert_no_error (error);
  g_assert_true (least_energy_solve (energy, targets, points, &report, NULL));
  return report;
}

static const KgVector square[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
static const double held[8] = { INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY };

/* The published corner; and rigid moves, which cost nothing. */
static void
test_shape (void)
{
  const KgRotation turn = kg_rotation_from_axis_angle (kg_vector (0.6, 0, 0.8), 2.5);
  KgVector targets[4], points[4];
  LeastEnergyReport report;

  memcpy (targets, square, sizeof targets);
  targets[2] = kg_vector (1.4, 1.4, 0);
  report = solve (square, 4, false, held, (LeastEnergyWeights){ .shape = 1 }, targets, points);
  assert_near (report.energy, 0.24, 1e-12);
  assert_near (fabs (report.turn.w), 1, 1e-12);
  for (int i = 0; i < 4; i++)
    targets[i] = kg_vector_add (kg_vector (3, -2, 5), kg_rotation_apply (turn, square[i]));
  report = solve (square, 4, false, held, (LeastEnergyWeights){ .shape = 1 }, targets, points);
  assert_near (report.energy, 0, 1e-12);
  /* Twice the size costs (2 - 1)² times the squares from the centre, or nothing when any size is the shape. */
  for (int i = 0; i < 4; i++)
    targets[i] = kg_vector_scale (square[i], 2);
  report = solve (square, 4, false, held, (LeastEnergyWeights){ .shape = 1 }, targets, points);
  assert_near (report.energy, 2, 1e-12);
  report = solve (square, 4, false, held, (LeastEnergyWeights){ .shape = 1, .scale = true }, targets, points);
  assert_near (report.energy, 0, 1e-12);
  assert_near (report.scale, 2, 1e-9);
}

/* Two led corners take the others along; all of them at a line do not turn about it. */
static void
test_led (void)
{
  static const double pulls[4] = { INFINITY, INFINITY, 0, 0 };
  static const KgVector line[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 } };
  static const double weak[4] = { 1, 0, 0, 0 };
  KgVector targets[4] = { { 5, 5, 0 }, { 5, 6, 0 } }, points[4];
  LeastEnergyReport report = solve (square, 4, false, pulls, (LeastEnergyWeights){ .shape = 1 }, targets, points);

  assert_near (report.energy, 0, 1e-12);
  assert_vector_near (points[2], 4, 6, 0, 1e-9);
  assert_vector_near (points[3], 4, 5, 0, 1e-9);
  targets[0] = kg_vector (0, 0, 0);
  targets[1] = kg_vector (0, 0, 1);
  report = solve (line, 4, false, pulls, (LeastEnergyWeights){ .shape = 1 }, targets, points);
  assert_near (report.energy, 0, 1e-12);
  assert_vector_near (points[3], 0, 0, 3, 1e-9);
  /* A single pulled point, which nothing resists. */
  targets[0] = kg_vector (7, 1, 0);
  report = solve (square, 4, false, weak, (LeastEnergyWeights){ .shape = 1 }, targets, points);
  assert_near (report.energy, 0, 1e-12);
  assert_vector_near (points[2], 8, 2, 0, 1e-9);
}

/* Least of all: no small move of a free point lowers the energy. */
static void
test_least (void)
{
  KgVector rest[5] = { { 0, 0, 0 }, { 1, 0.2, 0 }, { 2, -0.1, 0.3 }, { 3, 0, 0 }, { 4, 0.5, -0.4 } }, targets[5],
           points[5];
  const LeastEnergyWeights weights = { .shape = 0.7, .bend = 0.4, .stretch = 0.9, .scale = true };
  const double pulls[5] = { INFINITY, 0, 3, 0, INFINITY };
  double least;

  memcpy (targets, rest, sizeof rest);
  targets[2] = kg_vector (2, 2, 1);
  targets[4] = kg_vector (2.5, -1, 1);
  least = solve (rest, 5, true, pulls, weights, targets, points).energy;
  for (int k = 1; k < 4; k++)
    for (size_t c = 0; c < 3; c++)
      for (int sign = -1; sign <= 1; sign += 2) {
        KgVector moved[5];

        /* All are held where they are but for one that is a little off: the shape is fitted, the points stay. */
        memcpy (moved, points, sizeof moved);
        *kg_vector_component (&moved[k], c) += sign * 1e-3;
        {
          KgVector same[5];
          const double d = kg_vector_distance (moved[2], targets[2]);

          g_assert_cmpfloat (solve (rest, 5, true, held, weights, moved, same).energy + 3 * d * d, >, least);
        }
      }
}

/* The published batten, and its limit, the natural spline. */
static void
test_bend (void)
{
  double pulls[161] = { 0 };
  KgVector rest[161], targets[161], points[161];
  LeastEnergyReport report;

  for (int i = 0; i < 161; i++)
    rest[i] = targets[i] = kg_vector (i, 0, 0);
  pulls[0] = pulls[2] = pulls[4] = INFINITY;
  targets[2].y = 1;
  report = solve (rest, 5, true, pulls, (LeastEnergyWeights){ .bend = 1 }, targets, points);
  assert_vector_near (points[1], 1, 2.0 / 3, 0, 1e-9);
  assert_vector_near (points[3], 3, 2.0 / 3, 0, 1e-9);
  assert_near (report.energy, 2.0 / 3, 1e-9);
  g_assert_false (report.loose);
  for (int i = 0; i < 161; i++)
    rest[i] = targets[i] = kg_vector (i / 40.0, 0, 0);
  memset (pulls, 0, sizeof pulls);
  pulls[0] = pulls[80] = pulls[160] = INFINITY;
  targets[80].y = 1;
  report = solve (rest, 161, true, pulls, (LeastEnergyWeights){ .bend = 1 }, targets, points);
  /* The natural spline has 0.6875 and 0.75. */
  assert_near (points[40].y, 0.687485, 1e-6);
  assert_near (report.energy, 0.749941, 1e-6);
  /* Only one point held: a straight line, and that is said. */
  pulls[80] = pulls[160] = 0;
  report = solve (rest, 161, true, pulls, (LeastEnergyWeights){ .bend = 1 }, targets, points);
  g_assert_true (report.loose);
  assert_near (report.energy, 0, 1e-6);
  /* A rubber band is straight between what holds it. */
  pulls[160] = INFINITY;
  targets[160].y = 8;
  report = solve (rest, 161, true, pulls, (LeastEnergyWeights){ .stretch = 2 }, targets, points);
  assert_vector_near (points[40], 1, 2, 0, 1e-6);
}

/* Free points approach their shape like exp (-2 w t). */
static void
test_flow (void)
{
  static const double pulls[4] = { INFINITY, INFINITY, INFINITY, 0 };
  g_autoptr (KgGeometry) geometry = new_points (square, 4, false);
  const LeastEnergyWeights weights = { .shape = 1.5 };
  g_autoptr (LeastEnergy) energy = NULL;
  KgVector points[4], before[4];
  LeastEnergyReport report;
  double last;

  float *weight = kg_geometry_edit_float (geometry, KG_POINTS, "weight", 1);

  /* The corner weighs so little that the others alone place the shape. */
  weight[0] = weight[1] = weight[2] = 1;
  weight[3] = 1e-6F;
  energy = least_energy_new (geometry, pulls, &(LeastEnergyWeights){ .shape = 1.5e6 }, NULL);
  memcpy (points, square, sizeof points);
  points[3] = kg_vector (0, 1, 1);
  for (int i = 0; i < 24; i++)
    least_energy_flow (energy, square, 1, 1.0 / 24, 8, points, &report);
  g_test_message ("after a second: %g", points[3].z);
  assert_near (points[3].z, exp (-2 * 1.5), 1e-4);
  /* Whatever the rate is, the energy falls. */
  least_energy_free (g_steal_pointer (&energy));
  energy = least_energy_new (geometry, (const double[]){ INFINITY, 0, 0, 0 }, &weights, NULL);
  memcpy (points, square, sizeof points);
  points[2] = kg_vector (3, 0, 2);
  memcpy (before, points, sizeof points);
  least_energy_flow (energy, square, 0, 1, 1, points, &report);
  assert_vector_near (points[2], 3, 0, 2, 0);
  last = report.energy;
  for (int i = 0; i < 10; i++) {
    least_energy_flow (energy, square, 1e5, 1, 1, points, &report);
    g_assert_cmpfloat (report.energy, <=, last * (1 + 1e-9) + 1e-12);
    last = report.energy;
  }
}

static void
test_bad_input (void)
{
  static const KgVector same[3] = { { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 } };
  g_autoptr (KgGeometry) geometry = new_points (same, 3, true);
  g_autoptr (KgGeometry) empty = kg_geometry_new ();
  g_autoptr (GError) error = NULL;
  KgVector points[4], targets[4] = { { 9, 9, 9 } };
  LeastEnergyReport report;

  g_assert_null (least_energy_new (geometry, held, &(LeastEnergyWeights){ .bend = 1 }, &error));
  g_assert_nonnull (strstr (error->message, "primitive 0"));
  g_clear_error (&error);
  /* One place: translation alone. */
  report = solve (same, 3, false, (const double[]){ INFINITY, 0, 0 }, (LeastEnergyWeights){ .shape = 1, .scale = true },
                  targets, points);
  assert_vector_near (points[2], 9, 9, 9, 1e-9);
  assert_near (report.energy, 0, 1e-12);
  kg_geometry_edit_float (geometry, KG_POINTS, "weight", 1)[1] = -1;
  g_assert_null (least_energy_new (geometry, held, &(LeastEnergyWeights){ .shape = 1 }, &error));
  g_assert_nonnull (strstr (error->message, "point 1"));
  {
    g_autoptr (LeastEnergy)
        energy = least_energy_new (empty, held, &(LeastEnergyWeights){ .shape = 1, .bend = 1 }, NULL);

    g_assert_true (least_energy_solve (energy, targets, points, &report, NULL));
    assert_near (report.energy, 0, 0);
  }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/deform/50-105-shape", test_shape);
  g_test_add_func ("/deform/50-105-led", test_led);
  g_test_add_func ("/deform/50-105-least", test_least);
  g_test_add_func ("/deform/50-105-bend", test_bend);
  g_test_add_func ("/deform/50-105-flow", test_flow);
  g_test_add_func ("/deform/50-105-bad-input", test_bad_input);
  return g_test_run ();
}

/* tests/techniques/constraints: energies, least squares, sequential quadratic programming, spacetime: closed forms.
 * Relations between numbers and points of a drawing.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "geometry/sketch.h"
#include "kg-random.h"
#include "motion/spacetime.h"
#include "rig/energy.h"
#include "value/relations.h"
#include "value/sqp.h"

#define V kg_vector

/* Energies. */

static const KgVector no_center[4];
static const double unit_size[4] = { 1, 1, 1, 1 };
static const bool free_things[4];

static EnergyModel
make_model (const GArray *constraints, guint n)
{
  return (EnergyModel){ n,           constraints->len, (const EnergyConstraint *) (const void *) constraints->data,
                        free_things, no_center,        unit_size };
}

static GArray *
read_lines (const char *text, guint n)
{
  g_autoptr (GError) error = NULL;
  GArray *constraints = energy_read (text, n, &error);

  g_assert_no_error (error);
  return constraints;
}

static EnergyPose
at (double x, double y, double z)
{
  return (EnergyPose){ V (x, y, z), kg_rotation_identity () };
}

static void
test_flow (void)
{
  g_autoptr (GArray) fix = read_lines ("fix 0 0 0 0 to 0 0 0", 1), join = read_lines ("join 0 0 0 0 1 0 0 0", 2);
  EnergyModel model = make_model (fix, 1);
  EnergyPose pose = at (1, 0, 0), pair[2] = { at (0, 0, 0), at (3, 0, 0) };

  for (int i = 0; i < 10; i++)
    energy_flow (&model, &pose, 0.1);
  assert_near (pose.place.x, 0.107374, 1e-6);
  /* Steps above 1 would grow: they are halved. */
  pose = at (1, 0, 0);
  g_assert_cmpuint (energy_flow (&model, &pose, 1.5), >, 0);
  g_assert_cmpfloat (fabs (pose.place.x), <, 1);
  model = make_model (join, 2);
  for (int i = 0; i < 5; i++)
    energy_flow (&model, pair, 0.05);
  assert_near (pair[0].place.x, 1.008480, 1e-6);
  assert_near (pair[1].place.x, 1.991520, 1e-6);
}

static void
test_surfaces (void)
{
  const EnergySurface ball = { ENERGY_BALL, V (0, 0, 0), V (1, 0, 0), NULL };
  const EnergySurface box = { ENERGY_BOX, V (0, 0, 0), V (1, 2, 3), NULL };
  const EnergySurface cylinder = { ENERGY_CYLINDER, V (0.1, 0.2, 0.3), V (1, 2, 0), NULL };
  const EnergySurface *all[] = { &ball, &box, &cylinder };
  KgVector g;

  assert_near (energy_surface_get (&ball, V (2, 1, 2), &g), 2, 1e-15);
  assert_vector_near (g, 2.0 / 3, 1.0 / 3, 2.0 / 3, 1e-15);
  assert_near (energy_surface_get (&box, V (2, 3, 0), &g), sqrt (2), 1e-15);
  assert_near (energy_surface_get (&box, V (0.5, 0, 0), &g), -0.5, 1e-15);
  /* Distances: gradients of length 1 that are their slopes. */
  for (uint64_t i = 0; i < 300; i++) {
    const KgVector x =
        V (4 * kg_random_signed (5, i, 0), 4 * kg_random_signed (5, i, 1), 4 * kg_random_signed (5, i, 2));
    KgVector other;

    energy_surface_get (all[i % 3], x, &g);
    assert_near (kg_vector_length (g), 1, 1e-14);
    for (size_t c = 0; c < 3; c++) {
      KgVector high = x, low = x;

      *kg_vector_component (&high, c) += 1e-6;
      *kg_vector_component (&low, c) -= 1e-6;
      assert_near ((energy_surface_get (all[i % 3], high, &other) - energy_surface_get (all[i % 3], low, &other)) /
                       2e-6,
                   kg_vector_get (g, c), 1e-6);
    }
  }
}

static double
get_energy (const char *text, const EnergyPose *poses, double *gradient)
{
  g_autoptr (GArray) constraints = read_lines (text, 2);
  const EnergyModel model = make_model (constraints, 2);

  return energy_get (&model, poses, gradient);
}

static void
test_kinds (void)
{
  const EnergyPose here[2] = { at (0, 0, 0), at (0, 0, 0) };
  double g[12];

  assert_near (get_energy ("fix 0 5 2 0 to 1 -1 0", here, g), 25, 1e-12);
  assert_vector_near (V (g[0], g[1], g[2]), 8, 6, 0, 1e-12);
  assert_near (get_energy ("float 0 2 1 2 on 1 ball 0 0 0 1", here, g), 4, 1e-12);
  assert_vector_near (V (g[0], g[1], g[2]), 8.0 / 3, 4.0 / 3, 8.0 / 3, 1e-12);
  assert_vector_near (V (g[6], g[7], g[8]), -8.0 / 3, -4.0 / 3, -8.0 / 3, 1e-12);
  assert_near (get_energy ("rest 0 2 1 2 1 0 0 on 1 ball 0 0 0 1", here, NULL), 5.666667, 1e-6);
  assert_near (get_energy ("abut 0 0 0 0 0 1 0 1 0 0 0 0 -1 0", here, NULL), 0, 1e-15);
  assert_near (get_energy ("abut 0 0 0 0 0 1 0 1 0 0 0 1 0 0", here, NULL), 1, 1e-15);
  assert_near (get_energy ("abut 0 0 0 0 0 1 0 1 0 0 0 0 1 0 weight 3", here, NULL), 6, 1e-14);
  assert_near (get_energy ("apart 0 0.5 0 0 from 1 ball 0 0 0 1", here, NULL), 0.25, 1e-15);
  assert_near (get_energy ("apart 0 2 0 0 from 1 ball 0 0 0 1; above 0 0 -1 0 -3", here, NULL), 0, 0);
}

/* Gradients are those of the energy, for all kinds at once. */
static void
test_gradient (void)
{
  static const char text[] =
      "fix 0 .1 .2 .3 to 1 2 3\njoin 0 1 0 0 1 0 1 0\nabut 0 0 0 1 .6 0 .8 1 1 1 0 0 1 0\n"
      "align 0 1 0 0 1 0 0 1\nfloat 0 1 2 2 on 1 box 0 0 0 .5 .4 .3\ndistance 0 1 1 1 1 0 0 0 .4\n"
      "rest 1 2 1 0 1 0 0 on 0 cylinder 0 0 0 .5 .6\nabove 0 0 -4 0 0 weight 2";
  g_autoptr (GArray) constraints = read_lines (text, 2);
  EnergyModel model = make_model (constraints, 2);
  const KgVector centers[2] = { { 0.3, 0, 0 }, { 0, 0.2, 0.1 } };
  const EnergyPose poses[2] = { { V (0.2, -0.1, 0.4), kg_rotation_from_angles (V (0.3, -0.8, 1)) },
                                { V (1, 0.7, 0.2), kg_rotation_from_angles (V (-1, 0.2, 0.4)) } };
  double g[12];

  model.center = centers;
  energy_get (&model, poses, g);
  for (guint i = 0; i < 12; i++) {
    double value[2];

    for (int side = 0; side < 2; side++) {
      const double h = side == 0 ? -1e-6 : 1e-6;
      EnergyPose moved[2] = { poses[0], poses[1] };
      EnergyPose *pose = &moved[i / 6];

      if (i % 6 < 3) {
        *kg_vector_component (&pose->place, i % 6) += h;
      } else {
        const KgVector center = kg_vector_add (pose->place, kg_rotation_apply (pose->turn, centers[i / 6]));
        KgVector axis = { 0, 0, 0 };

        *kg_vector_component (&axis, i % 3) = 1;
        pose->turn = kg_rotation_multiply (kg_rotation_from_axis_angle (axis, h), pose->turn);
        pose->place = kg_vector_subtract (center, kg_rotation_apply (pose->turn, centers[i / 6]));
      }
      value[side] = energy_get (&model, moved, NULL);
    }
    assert_near ((value[1] - value[0]) / 2e-6, g[i], 2e-5 * (1 + fabs (g[i])));
  }
}

static void
test_solve (void)
{
  g_autoptr (GArray) constraints = read_lines (
      "fix 0 0 0 0 to 0 0 0\nfix 0 1 0 0 to 0 0 1\nabut 1 0 0 0 0 -1 0 0 0 1 0 0 1 0\nalign 1 1 0 0 0 1 0 0", 2);
  const EnergyModel model = make_model (constraints, 2);
  EnergyPose poses[2] = { at (3, 1, 2), { V (-2, 1, 1), kg_rotation_from_angles (V (2, 1, 0)) } };
  LeastSquaresReport report;

  g_assert_true (energy_solve (&model, poses, 300, 1e-12, &report, NULL));
  g_assert_true (report.converged);
  assert_near (report.energy, 0, 1e-18);
  {
    const KgVector top = kg_rotation_apply (poses[0].turn, V (0, 1, 0));

    assert_vector_near (poses[1].place, top.x, top.y, top.z, 1e-9);
  }
}

static void
test_wrong_energies (void)
{
  static const struct {
    const char *text, *says;
  } cases[] = { { "glue 1 0 0 0", "is not a kind" },
                { "\nfix 2 0 0 0 to 0 0 0", "line 2: there is no thing 2" },
                { "join 0 0 0 0 0 1 0 0", "related to itself" },
                { "fix 0 0 0 to 0 0 0", "is not a number" },
                { "distance 0 0 0 0 1 0 0 0 -1", "is below 0" },
                { "float 0 0 0 0 on 1 ball 0 0 0 -1", "a size of -1 is below 0" },
                { "apart 0 0 0 0 from 1 box 0 0 0 1 -2 1", "a size of -2 is below 0" },
                { "rest 0 0 0 0 0 1 0 on 1 cylinder 0 0 0 1", "a size is missing" },
                { "fix 0 0 0 0 to 0 0", "is missing" },
                { "fix 0 0 0 0 to 0 0 0 7", "one word too many" },
                { "fix 0 0 0 0 to 0 0 0 weight -1", "fall without bound" },
                { "abut 0 0 0 0 0 0 0 1 0 0 0 0 1 0", "0 0 0" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (energy_read (cases[i].text, 2, &error));
    g_assert_nonnull (strstr (error->message, cases[i].says));
  }
}

/* Sequential quadratic programming: R = a s1² + b s2² under one equation. */

typedef struct {
  double a, b;
  bool product; /* s1 s2 = 1; else s1 + s2 = 2 */
} Bowl;

static void
evaluate_bowl (gconstpointer data, const double *s, const double *lambda, double *function, double *c, double *gradient,
               double *hessian, double *jacobian)
{
  const Bowl *bowl = (const Bowl *) data;

  *function = bowl->a * s[0] * s[0] + bowl->b * s[1] * s[1];
  if (c != NULL)
    c[0] = bowl->product ? s[0] * s[1] - 1 : s[0] + s[1] - 2;
  if (gradient != NULL) {
    gradient[0] = 2 * bowl->a * s[0];
    gradient[1] = 2 * bowl->b * s[1];
  }
  if (hessian != NULL) {
    hessian[0] = 2 * bowl->a;
    hessian[3] = 2 * bowl->b;
    hessian[1] = hessian[2] = bowl->product ? lambda[0] : 0;
  }
  if (jacobian != NULL) {
    jacobian[0] = bowl->product ? s[1] : 1;
    jacobian[1] = bowl->product ? s[0] : 1;
  }
}

static void
step (const Bowl *bowl, bool projected, double *s, double *lambda)
{
  const Sqp sqp = { 2, 1, evaluate_bowl, bowl };
  double d[2];

  g_assert_true (sqp_get_step (&sqp, s, projected, lambda, d, NULL, NULL));
  s[0] += d[0];
  s[1] += d[1];
}

static void
test_sqp (void)
{
  const Bowl round = { 1, 1, false }, narrow = { 1, 10, false }, curved = { 1, 1, true };
  static const double way[4][2] = {
    { 0.6, 1.2 }, { 1.007207, 0.852252 }, { 1.0000195, 0.9989263 }, { 0.99999972, 1.00000026 }
  };
  double s[2] = { 5, -3 }, lambda[1] = { 0 };
  SqpReport report;

  step (&round, false, s, lambda);
  assert_near (s[0], 1, 1e-12);
  step (&round, true, (s[0] = 7, s), lambda);
  assert_near (s[0], 1, 1e-12);
  assert_near (s[1], 1, 1e-12);
  step (&narrow, true, (s[0] = 7, s), lambda);
  assert_near (s[0], 1, 1e-12);
  step (&narrow, false, s, lambda);
  assert_near (s[0], 1.818182, 1e-6);
  assert_near (s[1], 0.181818, 1e-6);
  s[0] = 2;
  s[1] = 1;
  lambda[0] = 0;
  for (int i = 0; i < 4; i++) {
    step (&curved, false, s, lambda);
    assert_near (s[0], way[i][0], 1e-6);
    assert_near (s[1], way[i][1], 1e-6);
  }
  /* The printed form ends in a cycle. */
  s[0] = 2;
  s[1] = 1;
  for (int i = 0; i < 200; i++)
    step (&curved, true, s, lambda);
  assert_near (fmax (s[0], s[1]), 1.154701, 1e-6);
  assert_near (fmin (s[0], s[1]), 0.577350, 1e-6);
  s[0] = 2;
  s[1] = 1;
  lambda[0] = 0;
  g_assert_true (sqp_solve (&(Sqp){ 2, 1, evaluate_bowl, &curved }, s, lambda, 50, 1e-12, &report, NULL, NULL));
  g_assert_true (report.converged);
  assert_near (s[0], 1, 1e-10);
}

/* Spacetime. */

static Spacetime
make_task (const SpacetimeKey *keys, guint n, double mass)
{
  return (Spacetime){ .keys = keys, .n_keys = n, .mass = mass, .gravity = { 0, -9.81, 0 }, .weight = { 1, 1, 1 } };
}

static KgVector
get_middle (const SpacetimePath *path, double t)
{
  for (guint i = 0; i < path->n; i++)
    if (fabs (path->t[i] - t) < 1e-9)
      return path->x[i];
  g_assert_not_reached ();
}

static void
test_thrown (void)
{
  const SpacetimeKey keys[] = { { 0, { 0, 0, 0 }, { NAN, NAN, NAN } }, { 1, { 2, 1, 0 }, { NAN, NAN, NAN } } };
  const Spacetime task = make_task (keys, 2, 1.5);
  g_auto (SpacetimePath) exact = { .n = 0 }, samples = { .n = 0 };

  g_assert_true (spacetime_solve_exact (&task, 11, &exact, NULL));
  assert_near (exact.cost, 0, 1e-20);
  assert_vector_near (get_middle (&exact, 0.5), 1, 1.72625, 0, 1e-12);
  g_assert_true (spacetime_solve_discrete (&task, 11, &samples, NULL, NULL));
  assert_near (samples.cost, 0, 1e-12);
  assert_vector_near (get_middle (&samples, 0.5), 1, 1.72625, 0, 1e-6);
}

static void
test_rest_to_rest (void)
{
  const SpacetimeKey keys[] = { { 0, { 0, 0, 0 }, { 0, 0, 0 } }, { 1, { 2, 1, 0 }, { 0, 0, 0 } } };
  const Spacetime task = make_task (keys, 2, 1.5);
  static const struct {
    guint n;
    double cost;
  } cases[] = { { 11, 382.378103 }, { 101, 353.512480 }, { 201, 352.497450 } };
  g_auto (SpacetimePath) exact = { .n = 0 };

  g_assert_true (spacetime_solve_exact (&task, 21, &exact, NULL));
  assert_near (exact.cost, 351.531225, 1e-9);
  assert_vector_near (exact.f[0], 18, 23.715, 0, 1e-10);
  assert_vector_near (exact.f_after[exact.n - 1], -18, 5.715, 0, 1e-10);
  assert_vector_near (get_middle (&exact, 0.5), 1, 0.5, 0, 1e-12);
  /* Linear in time. */
  for (guint i = 0; i < exact.n; i++)
    assert_near (exact.f[i].x, 18 * (1 - 2 * exact.t[i]), 1e-9);
  for (guint k = 0; k < 2; k++) {
    g_auto (SpacetimePath) path = { .n = 0 };

    g_assert_true (spacetime_solve_discrete (&task, cases[k].n, &path, NULL, NULL));
    assert_near (path.cost, cases[k].cost, 1e-6);
    assert_vector_near (get_middle (&path, 0.5), 1, 0.5, 0, 1e-8);
    if (k == 0) {
      assert_vector_near (path.f[1], 20, 24.715, 0, 1e-6);
      assert_vector_near (path.f[9], -20, 4.715, 0, 1e-6);
    }
  }
}

static void
test_three_keys (void)
{
  const SpacetimeKey keys[] = { { 0, { NAN, 0, NAN }, { NAN, NAN, NAN } },
                                { 1, { NAN, 0, NAN }, { NAN, NAN, NAN } },
                                { 2, { NAN, 0, NAN }, { NAN, NAN, NAN } } };
  const Spacetime task = make_task (keys, 3, 1);
  g_auto (SpacetimePath) path = { .n = 0 };

  g_assert_true (spacetime_solve_exact (&task, 21, &path, NULL));
  assert_near (path.cost, 144.354150, 1e-6);
  for (guint i = 0; i < path.n; i++)
    assert_near (path.f[i].y, 14.715 * (1 - fabs (path.t[i] - 1)), 1e-9);
}

/* A jump: force only for 0.2 s, 1 m high after 0.8 s; f falls linearly to what it would be at the end. */
static void
test_jump (void)
{
  const SpacetimeKey keys[] = { { 0, { 0, 0, 0 }, { 0, 0, 0 } }, { 0.8, { NAN, 1, NAN }, { NAN, NAN, NAN } } };
  const double contact[1][2] = { { 0, 0.2 } };
  Spacetime task = make_task (keys, 2, 1);
  g_auto (SpacetimePath) path = { .n = 0 };

  task.contacts = contact;
  task.n_contacts = 1;
  g_assert_true (spacetime_solve_discrete (&task, 161, &path, NULL, NULL));
  /* First order in the step of 5 ms. */
  for (guint i = 4; i <= 39; i++)
    assert_near (path.f[i].y, 41.951351 * (0.8 - path.t[i]), 1.2);
  for (guint i = 42; i < 160; i++)
    assert_near (path.f[i].y, 0, 1e-6);
  g_assert_cmpfloat (path.f[39].y, >, 9.81);
}

/* Nothing sinks into the floor; a spring that hangs at rest costs nothing. */
static void
test_floor_and_spring (void)
{
  const SpacetimeKey keys[] = { { 0, { 0, 1, 0 }, { NAN, NAN, NAN } }, { 2, { 1, 1, 0 }, { NAN, NAN, NAN } } };
  const SpacetimeKey hanging[] = { { 0, { 0, -1.0981, 0 }, { 0, 0, 0 } }, { 1, { 0, -1.0981, 0 }, { 0, 0, 0 } } };
  const SpacetimeKey low[] = { { 0, { 0, 1, 0 }, { 0, -6, 0 } }, { 1, { 1, 1, 0 }, { 0, 6, 0 } } };
  Spacetime task = make_task (keys, 2, 1);
  g_auto (SpacetimePath) path = { .n = 0 }, rest = { .n = 0 }, over = { .n = 0 };

  task.floor = true;
  g_assert_true (spacetime_solve_discrete (&task, 41, &path, NULL, NULL));
  assert_near (path.cost, 0, 1e-9);
  task.keys = low;
  g_assert_true (spacetime_solve_discrete (&task, 61, &over, NULL, NULL));
  g_assert_cmpuint (over.n_floor, >, 0);
  for (guint i = 0; i < over.n; i++)
    g_assert_cmpfloat (over.x[i].y, >=, -1e-6);
  task = make_task (hanging, 2, 1);
  task.stiffness = 100;
  task.length = 1;
  g_assert_true (spacetime_solve_discrete (&task, 31, &rest, NULL, NULL));
  assert_near (rest.cost, 0, 1e-12);
}

static void
test_wrong_keys (void)
{
  SpacetimeKey keys[] = { { 1, { 0, 0, 0 }, { NAN, NAN, NAN } }, { 1, { 2, 1, 0 }, { NAN, NAN, NAN } } };
  Spacetime task = make_task (keys, 2, 1);
  g_auto (SpacetimePath) path = { .n = 0 };
  g_autoptr (GError) error = NULL;

  g_assert_false (spacetime_solve_exact (&task, 10, &path, &error));
  g_assert_nonnull (strstr (error->message, "not after"));
  g_clear_error (&error);
  keys[1].time = 2;
  g_assert_false (spacetime_solve_discrete (&task, 2, &path, NULL, &error));
  g_assert_nonnull (strstr (error->message, "3 or more"));
  g_clear_error (&error);
  task.n_keys = 1;
  g_assert_true (spacetime_solve_exact (&task, 10, &path, &error));
  assert_near (path.f[0].y, 9.81, 1e-12);
}

/* Relations. */

typedef struct {
  Relations *relations;
  double values[RELATIONS_MAX_NAMES];
  RelationsReport report;
} Case;

static void
solve (Case *c, const char *rows, const char *known, const char *start, RelationsMethod method, guint passes)
{
  const double numbers[RELATIONS_NUMBERS] = { 0 };
  bool given[RELATIONS_MAX_NAMES] = { false }, started[RELATIONS_MAX_NAMES] = { false };
  g_autoptr (GError) error = NULL;

  c->relations = relations_new (rows, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < RELATIONS_MAX_NAMES; i++)
    c->values[i] = 0.5;
  relations_read_values (c->relations, start, numbers, c->values, started, &error);
  g_assert_no_error (error);
  relations_read_values (c->relations, known, numbers, c->values, given, &error);
  g_assert_no_error (error);
  g_assert_true (relations_solve (c->relations, given, method, passes, c->values, &c->report, NULL));
}

static double
get (const Case *c, const char *name)
{
  return c->values[relations_find (c->relations, name)];
}

static void
case_clear (Case *c)
{
  relations_free (c->relations);
  relations_report_clear (&c->report);
}

static void
test_both_ways (void)
{
  Case c;

  solve (&c, "F = C*9/5 + 32", "C = 100", "", RELATIONS_PROPAGATE, 10);
  assert_near (get (&c, "F"), 212, 1e-12);
  g_assert_true (c.report.solved);
  case_clear (&c);
  solve (&c, "F = C*9/5 + 32", "F = 50", "", RELATIONS_PROPAGATE, 10);
  assert_near (get (&c, "C"), 10, 1e-12);
  case_clear (&c);
  /* Declared in any order, fired when their time has come. */
  solve (&c, "z = sqrt (y) # last\ny = 2*x + 1\nx*w = 12", "w = 3", "", RELATIONS_PROPAGATE, 10);
  assert_near (get (&c, "z"), 3, 1e-12);
  g_assert_nonnull (strstr (c.report.order->str, "line 3 gives x = 4\nline 2 gives y = 9\n"));
  case_clear (&c);
  /* A product with a factor 0 gives nothing, and is no contradiction where it holds. */
  solve (&c, "p*q = r", "p = 0; r = 0", "", RELATIONS_PROPAGATE, 10);
  g_assert_cmpuint (c.report.conflicts->len, ==, 0);
  case_clear (&c);
}

static void
test_cycles (void)
{
  Case c;

  solve (&c, "x + y = 10; x - y = 2", "", "x = 0; y = 0", RELATIONS_PROPAGATE, 10);
  g_assert_false (c.report.solved);
  g_assert_cmpstr (c.report.order->str, ==, "");
  case_clear (&c);
  solve (&c, "x + y = 10; x - y = 2", "", "", RELATIONS_AUTO, 100);
  assert_near (get (&c, "x"), 6, 1e-12);
  assert_near (get (&c, "y"), 4, 1e-12);
  g_assert_true (c.report.solved);
  case_clear (&c);
  /* One value at a time: one pass from 0 0. */
  solve (&c, "x + y = 10; x - y = 2", "", "x = 0; y = 0", RELATIONS_SEIDEL, 1);
  assert_near (get (&c, "x"), 6, 1e-12);
  assert_near (get (&c, "y"), 4, 1e-12);
  case_clear (&c);
  /* a + a is a cycle, and linear. */
  solve (&c, "a + a = b", "b = 6", "", RELATIONS_PROPAGATE, 10);
  g_assert_false (c.report.solved);
  case_clear (&c);
  solve (&c, "a + a = b", "b = 6", "", RELATIONS_AUTO, 100);
  assert_near (get (&c, "a"), 3, 1e-12);
  g_assert_nonnull (strstr (c.report.order->str, "linear"));
  case_clear (&c);
  solve (&c, "x*x = 2", "", "x = 1", RELATIONS_AUTO, 100);
  assert_near (get (&c, "x"), 1.414214, 1e-6);
  case_clear (&c);
  solve (&c, "x*x = 2", "", "x = -1", RELATIONS_AUTO, 100);
  assert_near (get (&c, "x"), -1.414214, 1e-6);
  case_clear (&c);
}

static void
test_contradictions (void)
{
  g_autoptr (GError) error = NULL;
  Case c;

  solve (&c, "x*x + 1 = 0", "", "", RELATIONS_AUTO, 200);
  g_assert_false (c.report.solved);
  assert_near (c.report.residual, 1, 1e-9);
  assert_near (get (&c, "x"), 0, 1e-4);
  case_clear (&c);
  /* Both lines are named. */
  solve (&c, "y = 2*x; z = y + 1; z = 8", "x = 3", "", RELATIONS_AUTO, 100);
  g_assert_false (c.report.solved);
  assert_near (c.report.residual, 1, 1e-9);
  g_assert_nonnull (strstr (c.report.conflicts->str, "against line"));
  case_clear (&c);
  /* Too many in a cycle: least squares. */
  solve (&c, "x + y = 2; x - y = 0; x + y = 4", "", "", RELATIONS_AUTO, 100);
  assert_near (get (&c, "x"), 1.5, 1e-9);
  assert_near (c.report.residual, 1, 1e-9);
  case_clear (&c);
  /* Too few: what is free is named, and stays near its start. */
  solve (&c, "x + y = 10; u = 3", "", "x = 4; y = 4", RELATIONS_AUTO, 100);
  assert_near (get (&c, "x"), 5, 1e-9);
  g_assert_cmpstr (c.report.free->str, ==, "x y");
  case_clear (&c);
  g_assert_null (relations_new ("x + 1", &error));
  g_assert_nonnull (strstr (error->message, "line 1: "));
  g_clear_error (&error);
  g_assert_null (relations_new ("x = 1\n\nx = = 2", &error));
  g_assert_nonnull (strstr (error->message, "line 3: "));
  g_clear_error (&error);
  g_assert_null (relations_new ("x = 2 +", &error));
  g_assert_nonnull (error);
}

/* Sketches. */

static GArray *
read_sketch (const char *text, guint n)
{
  g_autoptr (GError) error = NULL;
  GArray *relations = sketch_read (text, n, (double[]){ 1, 2, 3, 4 }, &error);

  g_assert_no_error (error);
  return relations;
}

static const double crooked[8] = { 0.1, 0, 3.8, 0.2, 4.1, 2.1, -0.1, 1.8 };

static void
test_rectangle (void)
{
  g_autoptr (GArray) relations =
      read_sketch ("horizontal 0 1\nhorizontal 3 2\nvertical 0 3\nvertical 1 2\ndistance 0 1 d\ndistance 0 3 2", 4);
  static const double expected[8] = { -0.025, 0.025, 3.975, 0.025, 3.975, 2.025, -0.025, 2.025 };
  g_auto (SketchReport) report = { .conflicts = NULL };
  double x[8];

  memcpy (x, crooked, sizeof x);
  g_assert_true (sketch_solve (relations, x, 4, -1, NULL, &report, NULL));
  g_assert_true (report.solved);
  g_assert_cmpint (report.freedoms, ==, 2);
  for (int i = 0; i < 8; i++)
    assert_near (x[i], expected[i], 1e-9);
  g_assert_cmpuint (report.repeated->len, ==, 0);
}

static void
test_all_relations (void)
{
  static const struct {
    const char *text;
    int freedoms;
  } cases[] = {
    { "fix 0; fix 1 5 1", 4 },
    { "coincide 0 1", 6 },
    { "parallel 0 1 3 2; perpendicular 0 1 0 3; equal 0 1 0 3", 5 },
    { "angle 0 1 0 3 60; distance 0 1 3", 6 },
    { "on 2 0 1; middle 3 0 1", 5 },
    { "symmetric 0 2 1 3; tangent 0 1 3 a", 5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GArray) relations = read_sketch (cases[i].text, 4);
    g_auto (SketchReport) report = { .conflicts = NULL };
    double x[8];

    memcpy (x, crooked, sizeof x);
    g_assert_true (sketch_solve (relations, x, 4, -1, NULL, &report, NULL));
    g_assert_true (report.solved);
    g_assert_cmpint (report.freedoms, ==, cases[i].freedoms);
    if (i == 3)
      assert_near (atan2 (x[7] - x[1], x[6] - x[0]) - atan2 (x[3] - x[1], x[2] - x[0]), KG_PI / 3, 1e-9);
    if (i == 4)
      assert_near (x[6], 0.5 * (x[0] + x[2]), 1e-9);
    /* Its mirror image is where it was mirrored from. */
    if (i == 5)
      assert_near (hypot (x[0] - x[2], x[1] - x[3]), hypot (x[4] - x[2], x[5] - x[3]), 1e-9);
  }
}

/* The relations hold; the point goes as near to its goal as they allow. */
static void
test_drag (void)
{
  static const struct {
    double goal[2], place[2];
  } cases[] = {
    { { 6, 8 }, { 2.1, 2.8 } }, { { 3, 0 }, { 3, 0 } }, { { 1, 2.5 }, { 1, 2.5 } }, { { 0.1, 0 }, { 0.5, 0 } }
  };
  g_autoptr (GArray) relations = read_sketch ("fix 0 0 0; distance 0 1 2; distance 1 2 1.5", 3);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (SketchReport) report = { .conflicts = NULL };
    double x[6] = { 0, 0, 2, 0, 2, 1 };

    g_assert_true (sketch_solve (relations, x, 3, 2, cases[i].goal, &report, NULL));
    g_assert_true (report.solved);
    g_assert_cmpfloat (report.residual, <, 1e-9);
    assert_near (x[4], cases[i].place[0], 1e-5);
    assert_near (x[5], cases[i].place[1], 1e-5);
    assert_near (hypot (x[0], x[1]), 0, 1e-9);
  }
}

static void
test_fighting (void)
{
  g_autoptr (GArray) too_many = read_sketch ("distance 0 1 4\nhorizontal 0 1\ndistance 0 1 5", 4);
  g_autoptr (GArray)
      twice = read_sketch ("horizontal 0 1; vertical 1 2; horizontal 0 1; parallel 0 1 3 2; horizontal 2 3", 4);
  g_auto (SketchReport) fight = { .conflicts = NULL }, repeat = { .conflicts = NULL };
  g_autoptr (GError) error = NULL;
  double x[8];

  memcpy (x, crooked, sizeof x);
  g_assert_true (sketch_solve (too_many, x, 4, -1, NULL, &fight, NULL));
  g_assert_false (fight.solved);
  assert_near (fight.residual, 0.5, 2e-8);
  g_assert_cmpstr (fight.conflicts->str, ==, "line 3 contradicts line 1\n");
  memcpy (x, crooked, sizeof x);
  g_assert_true (sketch_solve (twice, x, 4, -1, NULL, &repeat, NULL));
  g_assert_true (repeat.solved);
  g_assert_nonnull (strstr (repeat.repeated->str, "line 3 follows from line 1"));
  g_assert_nonnull (strstr (repeat.repeated->str, "line 5 follows from line"));
  g_assert_null (sketch_read ("middle 0 1", 4, (double[]){ 0, 0, 0, 0 }, &error));
  g_assert_nonnull (strstr (error->message, "line 1: "));
  g_clear_error (&error);
  g_assert_null (sketch_read ("\nfix 4", 4, (double[]){ 0, 0, 0, 0 }, &error));
  g_assert_nonnull (strstr (error->message, "line 2: there is no point 4"));
  g_clear_error (&error);
  g_assert_null (sketch_read ("distance 0 1 -2", 4, (double[]){ 0, 0, 0, 0 }, &error));
  g_assert_nonnull (error);
}

/* What cannot all hold is missed by as little as can be: figures of the least sum of squares. */
static void
test_least_fight (void)
{
  static const struct {
    const char *text;
    guint n;
    double residual;
  } cases[] = {
    { "distance 0 1 1; distance 0 1 2", 2, 0.5 },
    { "distance 0 1 1; distance 0 1 2; distance 0 1 6", 2, 3 },
    { "horizontal 0 1; vertical 0 1; distance 0 1 1", 2, 0.5 },
    { "distance 0 1 1; distance 1 2 1; distance 0 2 3", 3, 1.0 / 3 },
    { "distance 0 1 1; distance 2 3 2; equal 0 1 2 3", 4, 1.0 / 3 },
    { "fix 0 0 0; fix 3 5 0; distance 0 1 1; distance 1 2 1; distance 2 3 1", 4, 0.4 },
    { "horizontal 0 1; horizontal 3 2; vertical 1 2; vertical 0 3; distance 0 1 4; distance 1 2 2; distance 0 1 5", 4,
      0.5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GArray) relations = read_sketch (cases[i].text, cases[i].n);
    g_auto (SketchReport) report = { .conflicts = NULL };
    double x[8];

    memcpy (x, crooked, sizeof x);
    g_assert_true (sketch_solve (relations, x, cases[i].n, -1, NULL, &report, NULL));
    g_assert_false (report.solved);
    g_test_message ("%s: %.12g, %u steps", cases[i].text, report.residual, report.iterations);
    /* Where the way to the least is straight, it is met exactly; where it curves, as well as energies can be compared. */
    assert_near (report.residual, cases[i].residual, 1e-7);
    if (i == 2)
      assert_near (hypot (x[2] - x[0], x[3] - x[1]), 0.5, 1e-7);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rig/energy/50-89-flow", test_flow);
  g_test_add_func ("/rig/energy/50-90-surfaces", test_surfaces);
  g_test_add_func ("/rig/energy/50-91-50-92-kinds", test_kinds);
  g_test_add_func ("/rig/energy/50-89-gradient", test_gradient);
  g_test_add_func ("/rig/energy/50-93-assembled", test_solve);
  g_test_add_func ("/rig/energy/wrong-relations", test_wrong_energies);
  g_test_add_func ("/value/sqp/50-95-steps", test_sqp);
  g_test_add_func ("/motion/spacetime/50-94-thrown", test_thrown);
  g_test_add_func ("/motion/spacetime/50-94-rest-to-rest", test_rest_to_rest);
  g_test_add_func ("/motion/spacetime/50-94-three-keys", test_three_keys);
  g_test_add_func ("/motion/spacetime/50-96-jump", test_jump);
  g_test_add_func ("/motion/spacetime/50-96-floor-and-spring", test_floor_and_spring);
  g_test_add_func ("/motion/spacetime/wrong-keys", test_wrong_keys);
  g_test_add_func ("/value/relations/50-97-50-98-both-ways", test_both_ways);
  g_test_add_func ("/value/relations/50-99-50-100-cycles", test_cycles);
  g_test_add_func ("/value/relations/50-98-contradictions", test_contradictions);
  g_test_add_func ("/geometry/sketch/50-101-rectangle", test_rectangle);
  g_test_add_func ("/geometry/sketch/50-101-relations", test_all_relations);
  g_test_add_func ("/geometry/sketch/50-101-drag", test_drag);
  g_test_add_func ("/geometry/sketch/50-101-fighting", test_fighting);
  g_test_add_func ("/geometry/sketch/50-101-least-fight", test_least_fight);
  return g_test_run ();
}

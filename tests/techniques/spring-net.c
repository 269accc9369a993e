/* tests/techniques/spring-net: springs, hinges and drag against closed forms, and the figures of the textbook's triangle.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "sim/spring_body.h"
#include "sim/spring_self.h"
#include "value/matrix.h"

#include <omp.h>

#define V kg_vector

static const SpringBodyOptions plain = { .mass = 1, .brace_share = 1 };
static const SpringPulls no_pulls = { 0, 0 };

/* A geometry of typed points with lines or faces of n corners each. */
static KgGeometry *
make (const KgVector *x, size_t n_points, KgPrimitiveKind kind, uint32_t size, size_t n, const uint32_t *corners)
{
  KgGeometry *geometry = kg_geometry_new ();
  float *p;

  kg_geometry_set_n_points (geometry, n_points, NULL);
  p = kg_geometry_edit_positions (geometry);
  for (size_t i = 0; i < n_points; i++)
    for (size_t c = 0; c < 3; c++)
      p[3 * i + c] = (float) kg_vector_get (x[i], c);
  kg_geometry_add_primitives (geometry, kind, kind == KG_POLYGON, n, size, corners);
  return geometry;
}

static KgGeometry *
make_cube (void)
{
  KgVector x[8];
  const uint32_t faces[] = { 0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5 };

  for (int i = 0; i < 8; i++)
    x[i] = V (i & 1, (i >> 1) & 1, i >> 2);
  return make (x, 8, KG_POLYGON, 4, 6, faces);
}

static void
state_clear (SpringBodyState *state)
{
  kg_geometry_unref (state->body);
  kg_geometry_unref (state->springs);
  kg_geometry_unref (state->hinges);
}

/* Takes the geometry. */
static SpringNet
build (KgGeometry *geometry, const SpringBodyOptions *options, SpringBodyState *state)
{
  g_autoptr (GError) error = NULL;
  SpringBodyNotes notes;
  SpringNet net;

  *state = (SpringBodyState){ NULL, NULL, NULL };
  spring_body_start (geometry, options, state, &notes, NULL, &error);
  g_assert_no_error (error);
  spring_body_load (state, &net, &error);
  g_assert_no_error (error);
  kg_geometry_unref (geometry);
  return net;
}

static SpringNet
build_pair (double mass, double length, SpringBodyState *state)
{
  const KgVector x[] = { { 0, 0, 0 }, { length, 0, 0 } };
  const uint32_t corners[] = { 0, 1 };
  SpringBodyOptions options = plain;

  options.mass = 2 * mass;
  return build (make (x, 2, KG_POLYLINE, 2, 1, corners), &options, state);
}

static SpringNet
build_triangle (SpringBodyState *state)
{
  const KgVector x[] = { { 0, 0, 0 }, { 0.5, 0.86602540378443865, 0 }, { 1, 0, 0 } };
  const uint32_t corners[] = { 0, 1, 2 };
  SpringBodyOptions options = plain;
  SpringNet net;

  options.mass = 3;
  net = build (make (x, 3, KG_POLYGON, 3, 1, corners), &options, state);
  for (int i = 0; i < 3; i++) {
    net.points[i].x = x[i];
    net.springs[i].rest = 1;
  }
  return net;
}

/* Eigenvalues of M⁻¹K for equal masses, falling. */
static Matrix *
get_eigenvalues (SpringNet *net, double stiffness)
{
  const guint n = 3 * (guint) net->n_points;
  g_autofree KgVector *x = g_new0 (KgVector, net->n_points), *y = g_new0 (KgVector, net->n_points);
  g_autoptr (Matrix) m = matrix_new (n, n, NULL), vectors = NULL;
  Matrix *values;

  for (guint i = 0; i < n; i++) {
    *kg_vector_component (&x[i / 3], i % 3) = 1;
    spring_net_multiply (net, stiffness, 0, x, y);
    *kg_vector_component (&x[i / 3], i % 3) = 0;
    for (guint k = 0; k < n; k++)
      matrix_set (m, k, i, kg_vector_get (y[k / 3], k % 3) / net->points[0].mass);
  }
  matrix_get_eigen (m, &values, &vectors, NULL);
  return values;
}

static void
run (SpringNet *net, const SpringSettings *settings, SpringMethod method, double h, int n)
{
  for (int i = 0; i < n; i++)
    spring_net_step (net, settings, method, i * h, h, NULL);
}

static void
test_two_masses (void)
{
  const SpringSettings settings = { .stiffness = 100 };
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  SpringSpectrum spectrum;
  double before, crossing = 0;
  int crossings = 0;

  net = build_pair (0.5, 1, &state);
  spectrum = spring_net_get_spectrum (&net, NULL);
  assert_near (sqrt (100 * spectrum.springs), 20, 1e-8);
  assert_near (spring_get_step_limit (&spectrum, &settings, no_pulls, SPRING_SEMI_IMPLICIT), 0.1, 1e-10);
  net.points[1].x.x = 1.1;
  before = 0.1;
  for (int i = 1; crossings < 9; i++) {
    double stretch;

    spring_net_step (&net, &settings, SPRING_VERLET, 0, 1e-4, NULL);
    stretch = net.points[1].x.x - net.points[0].x.x - 1;
    if (stretch * before < 0) {
      const double at = 1e-4 * (i - stretch / (stretch - before));

      if (crossings++ == 0)
        crossing = at;
      else if (crossings == 9)
        assert_near ((at - crossing) / 4, 0.314159265, 1e-6);
    }
    before = stretch;
  }
  /* Just below the limit it stays, just above it grows. */
  for (int above = 0; above < 2; above++) {
    net.points[0].x.x = 0;
    net.points[1].x.x = 1.01;
    net.points[0].v = net.points[1].v = V (0, 0, 0);
    run (&net, &settings, SPRING_SEMI_IMPLICIT, above ? 0.101 : 0.099, 300);
    g_assert_true ((fabs (net.points[1].x.x - net.points[0].x.x - 1) > 1) == (above != 0));
  }
  state_clear (&state);
}

static void
test_triangle_modes (void)
{
  g_auto (SpringNet) net = { .n_points = 0 };
  g_autoptr (Matrix) values = NULL;
  SpringBodyState state;

  net = build_triangle (&state);
  values = get_eigenvalues (&net, 50);
  assert_near (sqrt (values->a[0]), 12.247449, 1e-6);
  assert_near (sqrt (values->a[1]), 8.660254, 1e-6);
  assert_near (sqrt (values->a[2]), 8.660254, 1e-6);
  /* Three in the plane, and three across it, that nothing holds. */
  for (int i = 3; i < 9; i++)
    assert_near (values->a[i], 0, 1e-9);
  state_clear (&state);
}

/* Internal forces keep both momenta over 10,000 steps. */
static void
test_momenta (void)
{
  const SpringSettings settings = { .stiffness = 50, .damping = 0.4, .bend = 2, .bend_damping = 0.1 };
  SpringBodyOptions options = plain;
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  SpringReport first, last;

  options.brace = BRACE_BOTH;
  options.hinges = true;
  options.mass = 8;
  net = build (make_cube (), &options, &state);
  g_assert_cmpuint (net.n_hinges, ==, 12);
  for (int i = 0; i < 8; i++)
    net.points[i].v = V (sin (i), cos (3 * i), 0.3 * i);
  spring_net_measure (&net, &settings, &first);
  run (&net, &settings, SPRING_SEMI_IMPLICIT, 1e-3, 10000);
  spring_net_measure (&net, &settings, &last);
  assert_vector_near (last.momentum, first.momentum.x, first.momentum.y, first.momentum.z, 1e-10);
  assert_vector_near (last.angular, first.angular.x, first.angular.y, first.angular.z, 1e-9);
  {
    KgVector forces[8], sum = V (0, 0, 0), torque = V (0, 0, 0);

    spring_net_get_forces (&net, &settings, 0, forces);
    for (int i = 0; i < 8; i++) {
      sum = kg_vector_add (sum, forces[i]);
      torque = kg_vector_add (torque, kg_vector_cross (net.points[i].x, forces[i]));
    }
    assert_vector_near (sum, 0, 0, 0, 1e-11);
    assert_vector_near (torque, 0, 0, 0, 1e-10);
  }
  state_clear (&state);
}

static void
test_struck_triangle (void)
{
  const SpringSettings settings = { .stiffness = 50 };
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  SpringReport report;

  net = build_triangle (&state);
  spring_net_strike (&net, state.body, V (0.5, 0.9, 0), V (0, -3.0 / 24, 0), false);
  run (&net, &settings, SPRING_SEMI_IMPLICIT, 1.0 / 24, 1);
  assert_near (net.points[1].x.y, 0.860817, 1e-6);
  assert_near (net.points[1].v.y, -0.125, 1e-12);
  assert_vector_near (net.points[0].v, 0, 0, 0, 1e-12);
  assert_vector_near (net.points[2].v, 0, 0, 0, 1e-12);
  run (&net, &settings, SPRING_SEMI_IMPLICIT, 1.0 / 24, 1);
  assert_near (net.points[1].x.y, 0.856285, 1e-6);
  assert_vector_near (net.points[0].x, -0.000197, -0.000338, 0, 1e-6);
  assert_vector_near (net.points[2].x, 1.000197, -0.000338, 0, 1e-6);
  run (&net, &settings, SPRING_SEMI_IMPLICIT, 1.0 / 24, 1);
  assert_near (net.points[1].x.y, 0.852958, 1e-6);
  assert_vector_near (net.points[0].x, -0.000710, -0.001279, 0, 1e-6);
  run (&net, &settings, SPRING_SEMI_IMPLICIT, 1.0 / 24, 10000);
  spring_net_measure (&net, &settings, &report);
  assert_vector_near (report.momentum, 0, -0.125, 0, 1e-10);
  /* The picture stays symmetric. */
  assert_near (net.points[0].x.y, net.points[2].x.y, 1e-8);
  state_clear (&state);
}

/* A line through these points, the first n_held of which do not move. */
static SpringNet
build_line (const KgVector *x, uint32_t n, bool closed, double mass, size_t n_held, SpringBodyState *state)
{
  g_autofree uint32_t *corners = g_new (uint32_t, n);
  KgGeometry *geometry = make (x, n, KG_POLYLINE, n, 0, corners);
  KgPrimitive line = { .kind = KG_POLYLINE, .closed = closed, .n_vertices = n, .vertices = corners };
  SpringBodyOptions options = plain;
  SpringNet net;

  for (uint32_t i = 0; i < n; i++)
    corners[i] = i;
  kg_geometry_add_primitive (geometry, &line);
  options.mass = mass;
  options.hinges = true;
  net = build (geometry, &options, state);
  for (size_t i = 0; i < n_held; i++)
    net.inverse[i] = 0;
  return net;
}

/* The fastest mode of a free chain of n masses has λ = 4 k/m cos² (π/2n): the longer it is, the closer are its neighbours, which 600
 * vectors tell apart up to some hundreds. */
static void
test_spectrum_of_chains (void)
{
  static const struct {
    uint32_t n;
    double tolerance;
  } cases[] = { { 2, 1e-12 }, { 10, 1e-12 }, { 100, 1e-12 }, { 400, 1e-9 }, { 3000, 1e-5 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const uint32_t n = cases[i].n;
    g_autofree KgVector *x = g_new (KgVector, n);
    const double cosine = cos (0.5 * KG_PI / n);
    g_auto (SpringNet) net = { .n_points = 0 };
    SpringBodyState state;

    for (uint32_t k = 0; k < n; k++)
      x[k] = V (0, k, 0);
    net = build_line (x, n, false, 0.5 * n, 0, &state);
    assert_near (spring_net_get_spectrum (&net, NULL).springs / (8 * cosine * cosine), 1, cases[i].tolerance);
    state_clear (&state);
  }
}

static void
test_stability (void)
{
  const SpringSettings settings = { .stiffness = 100 };
  SpringBodyOptions options = plain;
  g_auto (SpringNet) cube = { .n_points = 0 }, net = { .n_points = 0 };
  SpringBodyState state, cube_state;
  SpringSpectrum spectrum;
  double amplitude;

  options.brace = BRACE_BOTH;
  options.mass = 8;
  cube = build (make_cube (), &options, &cube_state);
  g_assert_cmpuint (cube.n_springs, ==, 28);
  spectrum = spring_net_get_spectrum (&cube, NULL);
  assert_near (spectrum.springs, 8, 1e-6);
  assert_near (spring_get_step_limit (&spectrum, &(SpringSettings){ .stiffness = 1 }, no_pulls, SPRING_VERLET),
               0.707107, 1e-6);
  state_clear (&cube_state);
  /* The printed explicit form gains energy with every step. */
  net = build_pair (0.5, 1, &state);
  net.points[0].x.x = -0.005;
  net.points[1].x.x = 1.005;
  run (&net, &settings, SPRING_EXPLICIT, 1.0 / 240, 240);
  amplitude = hypot (net.points[1].x.x - net.points[0].x.x - 1, (net.points[1].v.x - net.points[0].v.x) / 20);
  assert_near (amplitude / 0.01, 2.294358, 2e-5);
  spectrum = spring_net_get_spectrum (&net, NULL);
  assert_near (spring_get_step_limit (&spectrum, &settings, no_pulls, SPRING_EXPLICIT), 0, 0);
  /* The implicit one damps by 1/sqrt(1 + (wh)²), also far beyond every limit. */
  for (int k = 0; k < 2; k++) {
    const double h = k == 0 ? 1.0 / 240 : 2;

    net.points[0] = (SpringPoint){ V (-5e-4, 0, 0), V (0, 0, 0), 0.5, 0 };
    net.points[1] = (SpringPoint){ V (1 + 5e-4, 0, 0), V (0, 0, 0), 0.5, 1 };
    run (&net, &settings, SPRING_IMPLICIT, h, 2);
    amplitude = hypot (net.points[1].x.x - net.points[0].x.x - 1, (net.points[1].v.x - net.points[0].v.x) / 20);
    assert_near (amplitude / 1e-3, 1 / (1 + 400 * h * h), 1e-6);
  }
  state_clear (&state);
}

/* How much the amplitude of a pair has grown after steps of h: the spring stays on its line, where it is linear. */
static double
get_growth (SpringNet *net, const SpringSettings *settings, SpringMethod method, double h)
{
  net->points[0] = (SpringPoint){ V (-5e-7, 0, 0), V (0, 0, 0), 0.5, 0 };
  net->points[1] = (SpringPoint){ V (1 + 5e-7, 0, 0), V (0, 0, 0), 0.5, 1 };
  run (net, settings, method, h, settings->damping > 0 && settings->damping <= 1 ? 20000 : 2000);
  return hypot (net->points[1].x.x - net->points[0].x.x - 1, (net->points[1].v.x - net->points[0].v.x) / 20) / 1e-6;
}

/* The limits are where steps begin to gain, damped and not, whatever the method. */
static void
test_step_limits (void)
{
  static const struct {
    SpringMethod method;
    double damping;
  } cases[] = { { SPRING_SEMI_IMPLICIT, 0 }, { SPRING_SEMI_IMPLICIT, 3 }, { SPRING_SEMI_IMPLICIT, 30 },
                { SPRING_VERLET, 0 },        { SPRING_MIDPOINT, 0.1 },    { SPRING_MIDPOINT, 3 },
                { SPRING_MIDPOINT, 7 },      { SPRING_MIDPOINT, 30 },     { SPRING_RK4, 0 },
                { SPRING_RK4, 3 },           { SPRING_RK4, 7 },           { SPRING_RK4, 9.9 },
                { SPRING_RK4, 30 },          { SPRING_EXPLICIT, 1 } };
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  SpringSpectrum spectrum;

  net = build_pair (0.5, 1, &state);
  spectrum = spring_net_get_spectrum (&net, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    const SpringSettings settings = { .stiffness = 100, .damping = cases[i].damping };
    const double limit = spring_get_step_limit (&spectrum, &settings, no_pulls, cases[i].method);
    const double c = 4 * cases[i].damping, k = 400;

    g_test_message ("method %d, damping %g: %g s", cases[i].method, cases[i].damping, limit);
    g_assert_cmpfloat (get_growth (&net, &settings, cases[i].method, 0.98 * limit), <, 20);
    g_assert_false (get_growth (&net, &settings, cases[i].method, 1.02 * limit) < 50);
    /* |R|² = 1 of the midpoint, as a cubic in h. */
    if (cases[i].method == SPRING_MIDPOINT && c * c < 4 * k)
      assert_near (((0.25 * k * k * limit - 0.5 * k * c) * limit + 0.5 * c * c) * limit / c, 1, 1e-10);
  }
  assert_near (spring_get_step_limit (&spectrum, &(SpringSettings){ .stiffness = 100 }, no_pulls, SPRING_RK4),
               sqrt (8) / 20, 1e-9);
  assert_near (spring_get_step_limit (&spectrum, &(SpringSettings){ .stiffness = 100 }, no_pulls, SPRING_MIDPOINT), 0,
               0);
  /* Pulls and their dampers count. */
  net.pull[0] = net.pull[1] = 600;
  net.pull_damping = 8;
  assert_near (spring_get_step_limit (&spectrum, &(SpringSettings){ .damping = 8 }, spring_net_get_pulls (&net),
                                      SPRING_SEMI_IMPLICIT),
               (sqrt (48 * 48 + 4 * 1200) - 48) / 1200, 1e-12);
  state_clear (&state);
}

/* What is limited, too, leaves both momenta as they are. */
static void
test_limited_forces (void)
{
  const SpringSettings settings = { .stiffness = 50, .bend = 20, .bend_damping = 0.5, .max_force = 0.3 };
  SpringBodyOptions options = plain;
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  KgVector forces[8], sum = V (0, 0, 0), torque = V (0, 0, 0);

  options.hinges = true;
  net = build (make_cube (), &options, &state);
  for (int i = 0; i < 8; i++)
    net.points[i].x = kg_vector_add (net.points[i].x, V (0.2 * sin (i), 0.2 * cos (3 * i), 0.1 * sin (5 * i)));
  spring_net_get_forces (&net, &settings, 0, forces);
  for (int i = 0; i < 8; i++) {
    sum = kg_vector_add (sum, forces[i]);
    torque = kg_vector_add (torque, kg_vector_cross (net.points[i].x, forces[i]));
  }
  assert_vector_near (sum, 0, 0, 0, 1e-13);
  assert_vector_near (torque, 0, 0, 0, 1e-13);
  state_clear (&state);
}

/* The energy of what swings without dampers neither grows nor shrinks in 10,000 steps. */
static void
test_energy (void)
{
  static const struct {
    SpringMethod method;
    double h, ripple, drift;
  } cases[] = { { SPRING_VERLET, 2e-3, 2e-3, 1e-5 },
                { SPRING_SEMI_IMPLICIT, 2e-4, 1e-2, 1e-4 },
                { SPRING_RK4, 2e-3, 1e-6, 1e-6 } };

  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++) {
    const SpringSettings settings = { .stiffness = 50, .bend = 2 };
    SpringBodyOptions options = plain;
    g_auto (SpringNet) net = { .n_points = 0 };
    SpringBodyState state;
    double sums[2] = { 0, 0 }, start = 0;

    options.brace = BRACE_BOTH;
    options.hinges = true;
    options.mass = 8;
    net = build (make_cube (), &options, &state);
    for (int i = 0; i < 8; i++)
      net.points[i].v = V (0.3 * sin (i), 0.3 * cos (3 * i), 0.1 * i);
    for (int i = 0; i < 10000; i++) {
      SpringReport report;
      double energy;

      spring_net_measure (&net, &settings, &report);
      energy = report.kinetic + report.elastic;
      if (i == 0)
        start = energy;
      assert_near (energy / start, 1, cases[k].ripple);
      sums[i / 5000] += energy;
      spring_net_step (&net, &settings, cases[k].method, 0, cases[k].h, NULL);
    }
    g_test_message ("method %d: energy drifts by %g", cases[k].method, sums[1] / sums[0] - 1);
    assert_near (sums[1] / sums[0], 1, cases[k].drift);
    state_clear (&state);
  }
}

/* A hub of very many spokes has more second neighbours than can be. */
static void
test_hub (void)
{
  const size_t n = 5001;
  g_autofree KgVector *x = g_new0 (KgVector, n);
  g_autofree uint32_t *corners = g_new0 (uint32_t, 2 * n);
  g_autoptr (KgGeometry) star = NULL;
  g_autoptr (GError) error = NULL;
  SpringBodyOptions options = plain;
  SpringBodyState state = { NULL, NULL, NULL };
  SpringBodyNotes notes;

  for (uint32_t i = 1; i < n; i++) {
    x[i] = V (cos (i), sin (i), 0);
    corners[2 * (i - 1) + 1] = i;
  }
  star = make (x, n, KG_POLYLINE, 2, n - 1, corners);
  options.brace = BRACE_SECOND;
  g_assert_false (spring_body_start (star, &options, &state, &notes, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "5000 edges meet at point 0"));
}

static void
test_dampers (void)
{
  const SpringSettings settings = { .stiffness = 100, .damping = 2 }, only = { .damping = 5 };
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  const double zeta = 0.2, omega = 20, t = 0.3;
  const double damped = omega * sqrt (1 - zeta * zeta);
  KgVector forces[2];

  net = build_pair (0.5, 1, &state);
  net.points[1].x.x = 1.01;
  run (&net, &settings, SPRING_RK4, t / 3000, 3000);
  /* Its amplitude dies as zeta omega says: 2 zeta omega is the damping of the equation of motion. */
  assert_near (net.points[1].x.x - net.points[0].x.x - 1,
               0.01 * exp (-zeta * omega * t) * (cos (damped * t) + zeta * omega / damped * sin (damped * t)), 1e-10);
  /* Critical at c = 10: nothing crosses. */
  net.points[0].x = V (0, 0, 0);
  net.points[1].x = V (1.01, 0, 0);
  net.points[0].v = net.points[1].v = V (0, 0, 0);
  run (&net, &(SpringSettings){ .stiffness = 100, .damping = 10 }, SPRING_RK4, t / 3000, 3000);
  assert_near (net.points[1].x.x - net.points[0].x.x - 1, 0.01 * (1 + omega * t) * exp (-omega * t), 1e-10);
  /* What spins feels nothing. */
  net.points[0] = (SpringPoint){ V (-0.5, 0, 0), V (0, -3, 0), 0.5, 0 };
  net.points[1] = (SpringPoint){ V (0.5, 0, 0), V (0, 3, 0), 0.5, 1 };
  spring_net_get_forces (&net, &only, 0, forces);
  assert_vector_near (forces[0], 0, 0, 0, 0);
  assert_vector_near (forces[1], 0, 0, 0, 0);
  state_clear (&state);
}

static void
test_braces (void)
{
  static const struct {
    SpringBrace brace;
    guint springs, zero;
    double energy;
  } cases[] = { { BRACE_NONE, 12, 12, 0 },
                { BRACE_FACES, 24, 6, 0.535898 },
                { BRACE_INTERIOR, 16, 9, 0.666667 },
                { BRACE_BOTH, 28, 6, 0.535898 + 0.666667 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    SpringBodyOptions options = plain;
    g_auto (SpringNet) net = { .n_points = 0 };
    g_autoptr (Matrix) values = NULL;
    SpringBodyState state;
    SpringReport report;
    guint zero = 0;

    options.brace = cases[i].brace;
    options.mass = 8;
    net = build (make_cube (), &options, &state);
    g_assert_cmpuint (net.n_springs, ==, cases[i].springs);
    values = get_eigenvalues (&net, 1);
    for (int k = 0; k < 24; k++)
      zero += fabs (values->a[k]) < 1e-9;
    g_assert_cmpuint (zero, ==, cases[i].zero);
    /* A corner, mirrored in the plane of its neighbours: edges keep their lengths. */
    net.points[7].x = V (1.0 / 3, 1.0 / 3, 1.0 / 3);
    spring_net_measure (&net, &(SpringSettings){ .stiffness = 1 }, &report);
    assert_near (report.elastic, cases[i].energy, 1e-6);
    state_clear (&state);
  }
}

static const KgVector hinge[4] = { { 0, 1, 0.3 }, { 0.2, -0.8, 0.5 }, { -0.5, 0, 0 }, { 0.6, 0.1, 0 } };

static void
test_hinge (void)
{
  static const KgVector expected[4] = { { -0.027333, 0.300666, -0.956663 },
                                        { 0.045736, -0.503101, -0.868993 },
                                        { -0.007099, 0.078085, 0.824479 },
                                        { -0.011305, 0.124350, 1.001177 } };
  KgVector g[4], sum = V (0, 0, 0), torque = V (0, 0, 0);
  double angle;

  g_assert_true (spring_hinge_get (hinge, &angle, g));
  assert_near (angle / KG_DEGREE, -47.685672, 1e-6);
  for (int k = 0; k < 4; k++) {
    assert_vector_near (g[k], expected[k].x, expected[k].y, expected[k].z, 1e-6);
    sum = kg_vector_add (sum, g[k]);
    torque = kg_vector_add (torque, kg_vector_cross (hinge[k], g[k]));
    for (size_t c = 0; c < 3; c++) {
      KgVector x[4];
      double high, low;

      memcpy (x, hinge, sizeof x);
      *kg_vector_component (&x[k], c) += 1e-6;
      spring_hinge_get (x, &high, NULL);
      *kg_vector_component (&x[k], c) -= 2e-6;
      spring_hinge_get (x, &low, NULL);
      assert_near ((high - low) / 2e-6, kg_vector_get (g[k], c), 1e-8);
    }
  }
  assert_vector_near (sum, 0, 0, 0, 1e-10);
  assert_vector_near (torque, 0, 0, 0, 1e-10);
  /* Flat, folded; a sliver has no angle. */
  g_assert_true (spring_hinge_get ((KgVector[]){ V (0, 1, 0), V (0, -1, 0), V (-1, 0, 0), V (1, 0, 0) }, &angle, NULL));
  assert_near (angle, 0, 1e-12);
  g_assert_false (
      spring_hinge_get ((KgVector[]){ V (0.3, 0, 0), V (0, -1, 0), V (-1, 0, 0), V (1, 0, 0) }, &angle, NULL));
}

/* The left-over torque of the short cut, for a torque of 1. */
static KgVector
get_average_torque (const KgVector x[4])
{
  KgVector g[4], half, torque;
  double angle;

  spring_hinge_get (x, &angle, g);
  half = kg_vector_scale (kg_vector_add (g[0], g[1]), -0.5);
  torque = kg_vector_add (kg_vector_cross (x[0], g[0]), kg_vector_cross (x[1], g[1]));
  return kg_vector_add (torque, kg_vector_cross (kg_vector_add (x[2], x[3]), half));
}

static void
test_average (void)
{
  const double h = sqrt (0.75);
  const KgVector torque = get_average_torque (hinge);

  assert_near (kg_vector_length (torque), 0.100901, 1e-6);
  assert_vector_near (torque, -0.008835, 0.097184, -0.025656, 1e-6);
  assert_near (
      kg_vector_length (get_average_torque ((KgVector[]){ V (0.8, h, 0), V (0.8, -h, 0), V (0, 0, 0), V (1, 0, 0) })),
      0.692820, 1e-6);
  /* None, at any fold, where the outer points are above the middle. */
  assert_near (kg_vector_length (
                   get_average_torque ((KgVector[]){ V (0.5, h, 0.4), V (0.5, -h, 0.9), V (0, 0, 0), V (1, 0, 0) })),
               0, 1e-12);
}

/* The torque of a corner over the length of a segment is the force at its end; the gradients are those of the angle, and turn and
 * move nothing as a whole. */
static void
test_corner (void)
{
  static const KgVector bent[3] = { { -0.4, 0.3, 0.2 }, { 0.5, -0.2, 0.9 }, { 0.1, 0.2, -0.3 } };
  KgVector g[4], sum = V (0, 0, 0), torque = V (0, 0, 0), across;
  double angle;

  g_assert_true (spring_corner_get (bent, &angle, g, &across));
  for (int k = 0; k < 3; k++) {
    sum = kg_vector_add (sum, g[k]);
    torque = kg_vector_add (torque, kg_vector_cross (bent[k], g[k]));
    assert_near (kg_vector_dot (across, g[k]), 0, 1e-12);
    for (size_t c = 0; c < 3; c++) {
      KgVector x[3];
      double high, low;

      memcpy (x, bent, sizeof x);
      *kg_vector_component (&x[k], c) += 1e-6;
      spring_corner_get (x, &high, NULL, NULL);
      *kg_vector_component (&x[k], c) -= 2e-6;
      spring_corner_get (x, &low, NULL, NULL);
      assert_near ((high - low) / 2e-6, kg_vector_get (g[k], c), 1e-8);
    }
  }
  assert_vector_near (sum, 0, 0, 0, 1e-14);
  assert_vector_near (torque, 0, 0, 0, 1e-14);
  assert_near (kg_vector_length (g[0]), 1 / kg_vector_distance (bent[0], bent[2]), 1e-12);
  assert_near (kg_vector_length (g[1]), 1 / kg_vector_distance (bent[1], bent[2]), 1e-12);
  /* In the plane the turn of the catalogue: a right angle, and nothing where the line is straight. */
  g_assert_true (spring_corner_get ((KgVector[]){ V (0, 0, 0), V (1, 2, 0), V (1, 0, 0) }, &angle, g, &across));
  assert_near (angle, 0.5 * KG_PI, 1e-15);
  assert_vector_near (g[0], 0, 1, 0, 1e-15);
  assert_vector_near (g[1], -0.5, 0, 0, 1e-15);
  g_assert_true (spring_corner_get ((KgVector[]){ V (0, 0, 0), V (3, 0, 0), V (1, 0, 0) }, &angle, g, &across));
  assert_near (angle, 0, 0);
  assert_near (kg_vector_length (g[1]), 0.5, 1e-15);
  assert_near (kg_vector_dot (across, V (1, 0, 0)), 0, 1e-15);
  g_assert_false (spring_corner_get ((KgVector[]){ V (0, 0, 0), V (0, 0, 0), V (1, 0, 0) }, &angle, g, &across));
  g_assert_false (spring_corner_get ((KgVector[]){ V (1, 0, 0), V (2, 0, 0), V (1, 0, 0) }, &angle, g, &across));
}

/* A straight line of three masses bends in two directions alike, with the frequency √(6 k_b / m l²), and its energy stays.
 * Bent in a plane between the axes it stays in it. */
static void
test_straight_corner (void)
{
  const double mass = 0.5, length = 0.8, bend = 0.3, size = 1e-4;
  const SpringSettings settings = { .stiffness = 1e5, .bend = bend };
  const double omega = sqrt (6 * bend / (mass * length * length));
  const KgVector x[3] = { { 0, 0, 0 }, { length, 0, 0 }, { 2 * length, 0, 0 } };
  const KgVector mode = V (0, 0.6, 0.8);
  g_autoptr (Matrix) values = NULL;
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  SpringReport before, after;
  double crossing = 0, last = size;

  net = build_line (x, 3, false, 3 * mass, 0, &state);
  g_assert_cmpuint (net.n_hinges, ==, 1);
  {
    const guint n = 9;
    g_autoptr (Matrix) m = matrix_new (n, n, NULL), vectors = NULL;
    KgVector unit[3] = { { 0 } }, y[3];

    for (guint i = 0; i < n; i++) {
      *kg_vector_component (&unit[i / 3], i % 3) = 1;
      spring_net_multiply (&net, 0, bend, unit, y);
      *kg_vector_component (&unit[i / 3], i % 3) = 0;
      for (guint k = 0; k < n; k++)
        matrix_set (m, k, i, kg_vector_get (y[k / 3], k % 3) / mass);
    }
    matrix_get_eigen (m, &values, &vectors, NULL);
  }
  assert_near (matrix_get (values, 0, 0), omega * omega, 1e-6);
  assert_near (matrix_get (values, 0, 1), omega * omega, 1e-6);
  assert_near (matrix_get (values, 0, 2), 0, 1e-6);
  assert_near (spring_net_get_spectrum (&net, NULL).hinges * bend, omega * omega, 1e-6);
  for (int i = 0; i < 3; i++)
    net.points[i].x = kg_vector_add_scaled (V (i * length, 0, 0), i == 1 ? -2 * size : size, mode);
  spring_net_measure (&net, &settings, &before);
  for (int i = 0; i < 20000; i++) {
    const double h = 1e-4;
    double now;

    spring_net_step (&net, &settings, SPRING_VERLET, i * h, h, NULL);
    now = kg_vector_dot (net.points[0].x, mode);
    /* Each half of a period. */
    if (now * last < 0 && crossing == 0)
      crossing = h * (i + last / (last - now));
    last = now;
    assert_near (kg_vector_dot (net.points[0].x, V (0, -0.8, 0.6)), 0, 1e-12);
  }
  assert_near (crossing, 0.5 * KG_PI / omega, 2e-3);
  spring_net_measure (&net, &settings, &after);
  assert_near ((after.kinetic + after.elastic) / before.elastic, 1, 1e-3);
  state_clear (&state);
}

/* A rod of 20 segments whose first one is held sinks under its own weight: the turn at a corner is the torque of all that is
 * beyond it over the stiffness. */
static void
test_rod (void)
{
  enum { N = 21 };
  const double length = 0.05, mass = 0.001, bend = 10, g = 9.81;
  const SpringSettings settings = {
    .stiffness = 1e4, .damping = 1, .bend = bend, .bend_damping = 0.4, .gravity = { 0, -9.81, 0 }
  };
  KgVector x[N];
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  double sag = 0;

  for (int i = 0; i < N; i++)
    x[i] = V (i * length, 0, 0);
  for (int k = 1; k + 1 < N; k++) {
    double torque = 0;

    for (int i = k + 1; i < N; i++)
      torque += mass * g * length * (i - k);
    sag += torque / bend * length * (N - 1 - k);
  }
  g_assert_cmpfloat (sag, >, 0.04);
  net = build_line (x, N, false, N * mass, 2, &state);
  run (&net, &settings, SPRING_IMPLICIT, 0.01, 2000);
  /* Second order in the slope, of at most a tenth. */
  assert_near (net.points[N - 1].x.y / -sag, 1, 0.01);
  assert_near (net.points[N - 1].x.z, 0, 1e-9);
  state_clear (&state);
}

/* A ring of lines keeps its corners, one for each point; what a torn segment held is free; lines that share a corner have one. */
static void
test_corners_of_bodies (void)
{
  const SpringSettings settings = { .stiffness = 100, .bend = 1, .tear = 0.1, .tear_springs = true };
  const KgVector square[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
  const uint32_t twice[] = { 0, 1, 2, 2, 1, 0 };
  SpringBodyOptions options = plain;
  g_auto (SpringNet) ring = { .n_points = 0 }, same = { .n_points = 0 };
  SpringBodyState state;
  SpringReport report;

  ring = build_line (square, 4, true, 4, 0, &state);
  g_assert_cmpuint (ring.n_hinges, ==, 4);
  for (int i = 0; i < 4; i++)
    assert_near (ring.hinges[i].rest, 0.5 * KG_PI, 1e-12);
  spring_net_measure (&ring, &settings, &report);
  assert_near (report.elastic, 0, 1e-20);
  ring.points[0].x.x = -0.2;
  ring.points[3].x.x = -0.2;
  g_assert_cmpuint (spring_net_age (&ring, &settings, NULL, 0.01), ==, 2);
  for (int i = 0; i < 4; i++)
    assert_near (ring.hinges[i].share, 0, 0);
  state_clear (&state);
  options.hinges = true;
  same = build (make (square, 4, KG_POLYLINE, 3, 2, twice), &options, &state);
  g_assert_cmpuint (same.n_hinges, ==, 1);
  state_clear (&state);
}

static void
test_strike (void)
{
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  KgVector sum = V (0, 0, 0);

  net = build (make_cube (), &plain, &state);
  spring_net_strike (&net, state.body, V (1.1, 0.9, 1), V (0, 0, -2), false);
  assert_vector_near (net.impulse[7], 0, 0, -2, 0);
  net.impulse[7] = V (0, 0, 0);
  spring_net_strike (&net, state.body, V (0.4, 0.5, 1.2), V (0, 0, -2), true);
  for (int i = 0; i < 8; i++) {
    sum = kg_vector_add (sum, net.impulse[i]);
    assert_near (net.impulse[i].z, i >= 4 ? -0.5 : 0, 1e-15);
  }
  assert_vector_near (sum, 0, 0, -2, 1e-15);
  state_clear (&state);
}

static void
test_drag (void)
{
  /* 4 m², its normal 60 degrees off the wind. */
  const double c = cos (KG_PI / 3), s = sin (KG_PI / 3);
  const KgVector u = V (0, 0, 0), x[3] = { u, { 2 * c, 0, -2 * s }, { 0, 4, 0 } };
  const KgVector air = { 0, 0, 2 };
  KgVector f = spring_get_drag (x, u, air, 1.2, false);

  assert_vector_near (f, 0, 0, 4.8, 1e-12);
  assert_near (f.z / 3, 1.6, 1e-12);
  assert_near (spring_get_drag (x, u, V (0, 0, 4), 1.2, false).z, 4 * 4.8, 1e-12);
  assert_near (spring_get_drag (x, u, V (0, 0, -2), 1.2, false).z, -4.8, 1e-12);
  /* It is the speed against the air that counts. */
  assert_near (spring_get_drag (x, V (1, 0, -3), V (1, 0, -1), 1.2, false).z, 4.8, 1e-12);
  assert_near (kg_vector_length (spring_get_drag (x, u, air, 1.2, true)), 2.4, 1e-12);
  assert_vector_near (spring_get_drag ((KgVector[]){ u, V (0, 0, 1), V (0, 1, 0) }, u, air, 1.2, false), 0, 0, 0,
                      1e-15);
  assert_vector_near (spring_get_drag ((KgVector[]){ u, V (0, 1, 1), V (0, 2, 2) }, u, air, 1.2, false), 0, 0, 0, 0);
}

static void
test_plastic (void)
{
  double p = spring_flow (0.3, 0, 0.1, 2, 1, 1), q = 0;

  assert_near (p, 0.172933, 1e-6);
  assert_near (0.3 - p, 0.127067, 1e-6);
  for (int i = 0; i < 100; i++)
    q = spring_flow (0.3 - q, q, 0.1, 2, 1, 0.01);
  assert_near (q, p, 1e-12);
  assert_near (spring_flow (-0.3, 0, 0.1, 2, 1, 1), -p, 1e-15);
  assert_near (spring_flow (0.3, 0, 0.1, 2, 0.05, 1), 0.05, 0);
  assert_near (spring_flow (0.3, 0.01, 0.1, 0, 1, 1), 0.01, 0);
  assert_near (spring_flow (0.1, 0.01, 0.1, 9, 1, 1), 0.01, 0);
}

static void
test_relaxing (void)
{
  /* A spring of 150 N/m, a third of which relaxes in half a second, is pulled by 0.1 m at once and held. */
  const SpringSettings settings = { .stiffness = 150, .relax_time = 0.5, .relax_share = 1.0 / 3 };
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  KgVector forces[2], before[2];
  const double times[] = { 0, 0.5, 20 }, expected[] = { 15, 11.839397, 10 };

  net = build_pair (1, 1, &state);
  before[0] = net.points[0].x;
  before[1] = net.points[1].x;
  net.points[1].x.x = 1.1;
  spring_net_age (&net, &settings, before, 1e-9);
  before[1] = net.points[1].x;
  for (int k = 0; k < 3; k++) {
    if (k > 0)
      for (int i = 0; i < 50; i++)
        spring_net_age (&net, &settings, before, (times[k] - times[k - 1]) / 50);
    spring_net_get_forces (&net, &settings, 0, forces);
    assert_near (forces[0].x, expected[k], 1e-6);
  }
  state_clear (&state);
}

/* A chain that is pulled slowly breaks at a force of 20 N, and loses energy by it. */
static void
test_tearing (void)
{
  const SpringSettings settings = { .stiffness = 100, .damping = 5, .tear = 0.2, .tear_springs = true };
  g_auto (SpringNet) net = { .n_points = 0 };
  g_autofree KgVector *before = g_new (KgVector, 11);
  KgVector x[11], forces[11];
  uint32_t line[11];
  SpringBodyOptions options = plain;
  SpringBodyState state;
  SpringReport report, after;
  size_t torn = 0;

  for (uint32_t i = 0; i < 11; i++) {
    x[i] = V (i, 0, 0);
    line[i] = i;
  }
  options.mass = 1.1;
  net = build (make (x, 11, KG_POLYLINE, 11, 1, line), &options, &state);
  net.inverse[0] = net.inverse[10] = 0;
  net.points[10].v = V (0.05, 0, 0);
  for (int i = 0; i < 20000 && torn == 0; i++) {
    spring_net_measure (&net, &settings, &report);
    spring_net_get_forces (&net, &settings, 0, forces);
    for (int k = 0; k < 11; k++)
      before[k] = net.points[k].x;
    spring_net_step (&net, &settings, SPRING_SEMI_IMPLICIT, 0, 0.005, NULL);
    torn = spring_net_age (&net, &settings, before, 0.005);
  }
  /* Springs that share no point may break in the same step. */
  g_assert_cmpuint (torn, >=, 1);
  assert_near (-forces[10].x, 20, 0.3);
  assert_near (report.elastic, 20, 0.5);
  spring_net_measure (&net, &settings, &after);
  g_assert_cmpfloat (after.elastic, <, report.elastic);
  spring_body_store (&net, &state);
  {
    size_t n_torn;
    g_autoptr (KgGeometry) left = spring_body_get_geometry (&state, false, true, &n_torn, NULL);
    const int32_t *piece = kg_geometry_get_int (left, KG_POINTS, "piece", 1);

    g_assert_cmpuint (n_torn, ==, torn);
    g_assert_cmpuint (kg_geometry_get_n_primitives (left), >=, 1);
    g_assert_cmpint (piece[0], ==, 0);
    g_assert_cmpint (piece[10], ==, (int) torn);
  }
  state_clear (&state);
}

/* A strip of squares that is pulled apart: its points are doubled, and nothing of its mass or momentum is lost. */
static void
test_splitting (void)
{
  const SpringSettings settings = { .stiffness = 100 };
  KgVector x[10];
  uint32_t squares[16];
  SpringBodyOptions options = plain;
  g_auto (SpringNet) net = { .n_points = 0 }, after = { .n_points = 0 };
  SpringBodyState state;
  SpringReport a, b;
  size_t refused, doubled;
  double mass = 0;

  for (uint32_t i = 0; i < 10; i++)
    x[i] = V (i / 2, i % 2, 0);
  for (uint32_t i = 0; i < 4; i++)
    memcpy (squares + 4 * i, (uint32_t[]){ 2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1 }, 16);
  options.brace = BRACE_FACES;
  options.hinges = true;
  net = build (make (x, 10, KG_POLYGON, 4, 4, squares), &options, &state);
  for (int i = 0; i < 10; i++) {
    net.points[i].x.x *= i > 5 ? 1.5 : 1;
    net.points[i].v = V (i, 1, 0);
  }
  spring_net_measure (&net, &settings, &a);
  spring_body_store (&net, &state);
  /* Points around a split wait for the next round. */
  doubled = spring_body_split (&state, 0.9, 100, &refused);
  for (size_t more = doubled; more > 0; doubled += more)
    more = spring_body_split (&state, 0.9, 100, &refused);
  g_assert_cmpuint (doubled, >=, 2);
  g_assert_cmpuint (refused, ==, 0);
  g_assert_cmpuint (kg_geometry_get_n_points (state.body), ==, 10 + doubled);
  g_assert_cmpuint (kg_geometry_get_n_primitives (state.body), ==, 4);
  g_assert_true (spring_body_load (&state, &after, NULL));
  for (size_t i = 0; i < after.n_points; i++)
    mass += after.points[i].mass;
  assert_near (mass, 1, 1e-12);
  spring_net_measure (&after, &settings, &b);
  assert_vector_near (b.momentum, a.momentum.x, a.momentum.y, a.momentum.z, 1e-12);
  assert_vector_near (b.angular, a.angular.x, a.angular.y, a.angular.z, 1e-12);
  g_assert_cmpfloat (b.elastic, <=, a.elastic + 1e-12);
  {
    size_t n_torn;
    g_autoptr (KgGeometry) left = spring_body_get_geometry (&state, false, true, &n_torn, NULL);
    const int32_t *piece = kg_geometry_get_int (left, KG_POINTS, "piece", 1);

    g_assert_cmpint (piece[0], !=, piece[9]);
  }
  /* No room: refused, and counted. */
  doubled = spring_body_split (&state, -2, 10, &refused);
  g_assert_cmpuint (doubled, ==, 0);
  g_assert_cmpuint (refused, >, 0);
  state_clear (&state);
}

/* The same bits with any number of threads, of all methods. */
static void
test_threads (void)
{
  const SpringSettings settings = {
    .stiffness = 300, .damping = 0.3, .bend = 0.01, .gravity = { 0, -9.81, 0 }, .drag = 1.2, .pressure = 1
  };
  enum { SIDE = 40 };

  for (int method = 0; method < SPRING_N_METHODS; method++) {
    SpringPoint *first = NULL;

    for (int threads = 1; threads <= 4; threads += 3) {
      g_autofree KgVector *x = g_new (KgVector, SIDE * SIDE);
      g_autofree uint32_t *squares = g_new (uint32_t, 4 * SIDE * SIDE);
      SpringBodyOptions options = plain;
      g_auto (SpringNet) net = { .n_points = 0 };
      SpringBodyState state;
      size_t n = 0;

      omp_set_num_threads (threads);
      for (uint32_t i = 0; i < SIDE * SIDE; i++)
        x[i] = V (0.05 * (i % SIDE), 0.01 * sin (i), 0.05 * (i / SIDE));
      for (uint32_t i = 0; i + 1 < SIDE; i++)
        for (uint32_t k = 0; k + 1 < SIDE; k++, n++)
          memcpy (squares + 4 * n,
                  (uint32_t[]){ i * SIDE + k, i * SIDE + k + 1, (i + 1) * SIDE + k + 1, (i + 1) * SIDE + k }, 16);
      options.brace = BRACE_FACES;
      options.hinges = true;
      net = build (make (x, SIDE * SIDE, KG_POLYGON, 4, n, squares), &options, &state);
      net.inverse[0] = net.inverse[SIDE - 1] = 0;
      run (&net, &settings, (SpringMethod) method, 1e-3, 5);
      if (first == NULL)
        first = (SpringPoint *) g_memdup2 (net.points, net.n_points * sizeof *first);
      else
        g_assert_true (memcmp (first, net.points, net.n_points * sizeof *first) == 0);
      state_clear (&state);
    }
    g_free (first);
  }
  omp_set_num_threads (2);
}

/* VO-26: a spring of 100 N/m beside one of 50 N/m whose damper relaxes in 0.2 s: held it gives way, under a load it creeps by
 * x = F/k (1 - k1/(k + k1) exp(-t k / ((k + k1) tau))).  A plastic one keeps what it was pulled beyond its yield. */
static void
test_inelastic (void)
{
  const SpringSettings held = { .stiffness = 150, .relax_time = 0.2, .relax_share = 1.0 / 3 };
  const SpringSettings plastic = { .stiffness = 100, .yield = 0.02, .creep = 50, .plastic_max = 0.9 };
  const struct {
    double time, stretch;
  } creep[] = { { 0.02, 0.0684948 }, { 0.2, 0.0828861 }, { 0.3, 0.0877374 }, { 3, 0.0999985 } };
  KgVector forces[2], before[2];
  SpringSettings loaded = held;
  SpringBodyState state;
  double most = 0;
  int step = 0;

  {
    g_auto (SpringNet) net = build_pair (1, 1, &state);

    before[0] = net.points[0].x;
    before[1] = net.points[1].x;
    net.points[1].x.x = 1.1;
    spring_net_age (&net, &held, before, 1e-9);
    spring_net_get_forces (&net, &held, 0, forces);
    assert_near (forces[0].x, 15, 1e-6);
    before[1] = net.points[1].x;
    for (int i = 0; i < 20; i++)
      spring_net_age (&net, &held, before, 0.01);
    spring_net_get_forces (&net, &held, 0, forces);
    assert_near (forces[0].x, 10 + 5 * exp (-1), 1e-6);
    state_clear (&state);
  }
  {
    const double h = 1e-4;
    g_auto (SpringNet) net = build_pair (1e-4, 1, &state);

    /* Light and damped: it follows its load. */
    loaded.damping = 0.25;
    loaded.gravity = V (1e5, 0, 0);
    net.inverse[0] = 0;
    for (guint k = 0; k < G_N_ELEMENTS (creep); k++) {
      for (; step < (int) (creep[k].time / h + 0.5); step++) {
        before[0] = net.points[0].x;
        before[1] = net.points[1].x;
        spring_net_step (&net, &loaded, SPRING_IMPLICIT, 0, h, NULL);
        spring_net_age (&net, &loaded, before, h);
      }
      assert_near (net.points[1].x.x - 1, creep[k].stretch, 3e-4);
    }
    state_clear (&state);
  }
  {
    g_auto (SpringNet) net = build_pair (1, 1, &state);

    for (int i = 1; i <= 2000; i++) {
      before[0] = net.points[0].x;
      before[1] = net.points[1].x;
      net.points[1].x.x = 1 + 0.1 * fmin (i / 1000.0, 1);
      spring_net_age (&net, &plastic, before, 0.01);
      spring_net_get_forces (&net, &plastic, 0, forces);
      most = fmax (most, forces[0].x);
    }
    assert_near (net.springs[0].plastic, 0.08, 1e-6);
    /* The flow is late by the rate of 0.01 a second over the creep. */
    assert_near (most, 100 * (0.02 + 0.01 / 50), 5e-3);
    net.points[1].x.x = 1.08;
    spring_net_get_forces (&net, &plastic, 0, forces);
    assert_near (forces[0].x, 0, 1e-4);
    state_clear (&state);
  }
}

/* Tetrahedra. */

/* A regular one of side 1, as a closed line. */
static SpringNet
build_tetrahedron (SpringBodyState *state)
{
  const KgVector x[] = {
    { 0, 0, 0 }, { 1, 0, 0 }, { 0.5, 0.86602540378443865, 0 }, { 0.5, 0.28867513459481288, 0.81649658092772603 }
  };
  const uint32_t corners[] = { 0, 1, 2, 3 };
  KgGeometry *geometry = make (x, 4, KG_POLYLINE, 4, 1, corners);
  SpringBodyOptions options = plain;
  SpringNet net;

  {
    g_autoptr (KgGeometry) open = geometry;

    geometry = kg_geometry_new ();
    kg_geometry_set_n_points (geometry, 4, NULL);
    memcpy (kg_geometry_edit_positions (geometry), kg_geometry_get_positions (open), 12 * sizeof (float));
    kg_geometry_add_primitives (geometry, KG_POLYLINE, true, 1, 4, corners);
    kg_geometry_edit_int (geometry, KG_PRIMITIVES, "tetrahedron", 1)[0] = 1;
  }
  options.mass = 4;
  options.spread = SPREAD_VOLUME;
  net = build (geometry, &options, state);
  for (int i = 0; i < 4; i++)
    net.points[i].x = x[i];
  for (int i = 0; i < 6; i++)
    net.springs[i].rest = 1;
  net.hinges[0].volume = 1 / (6 * sqrt (2));
  return net;
}

/* Six springs and one volume, whose forces are the slope of its energy and turn and move nothing; it breathes at
 * ω² = B |∇V|² / (V m) = B √2 / 2 for unit sides and masses. */
static void
test_tetrahedron (void)
{
  const SpringSettings settings = { .bulk = 300 };
  KgVector forces[4], sum = V (0, 0, 0), torque = V (0, 0, 0);
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  SpringReport report;

  net = build_tetrahedron (&state);
  g_assert_cmpuint (net.n_springs, ==, 6);
  g_assert_cmpuint (net.n_hinges, ==, 1);
  assert_near (spring_net_get_spectrum (&net, NULL).volumes, sqrt (0.5), 1e-9);
  net.points[3].x = V (0.7, 0.2, 0.5);
  net.points[1].x = V (1.1, -0.1, 0.1);
  spring_net_get_forces (&net, &settings, 0, forces);
  for (size_t i = 0; i < 4; i++) {
    sum = kg_vector_add (sum, forces[i]);
    torque = kg_vector_add (torque, kg_vector_cross (net.points[i].x, forces[i]));
    for (size_t c = 0; c < 3; c++) {
      double *at = kg_vector_component (&net.points[i].x, c);
      const double kept = *at;
      double slope = 0;

      for (int side = -1; side <= 1; side += 2) {
        *at = kept + side * 1e-5;
        spring_net_measure (&net, &settings, &report);
        slope += side * report.elastic / 2e-5;
      }
      *at = kept;
      assert_near (kg_vector_get (forces[i], c), -slope, 1e-6);
    }
  }
  assert_vector_near (sum, 0, 0, 0, 1e-12);
  assert_vector_near (torque, 0, 0, 0, 1e-12);
  /* Inside out it is pushed back through. */
  net.points[3].x = V (0.5, 0.3, -0.4);
  spring_net_get_forces (&net, &settings, 0, forces);
  g_assert_cmpfloat (forces[3].z, >, 1);
  state_clear (&state);
}

/* Let go when it is larger by a hundredth: a whole swing in 2π/ω, energy and momenta kept; the implicit method comes to rest at the
 * volume. */
static void
test_breathing (void)
{
  const SpringSettings settings = { .bulk = 300 };
  const double period = 2 * KG_PI / sqrt (300 * sqrt (0.5));
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;
  SpringReport start, report;

  net = build_tetrahedron (&state);
  for (int i = 0; i < 4; i++)
    net.points[i].x = kg_vector_scale (net.points[i].x, 1.0001);
  spring_net_measure (&net, &settings, &start);
  run (&net, &settings, SPRING_VERLET, period / 1000, 1000);
  spring_net_measure (&net, &settings, &report);
  assert_near (report.elastic / start.elastic, 1, 1e-3);
  assert_near ((report.elastic + report.kinetic) / start.elastic, 1, 1e-4);
  assert_vector_near (report.momentum, 0, 0, 0, 1e-14);
  assert_vector_near (report.angular, 0, 0, 0, 1e-14);
  run (&net, &settings, SPRING_IMPLICIT, 0.1, 400);
  spring_net_measure (&net, &settings, &report);
  assert_near (report.elastic, 0, 1e-12);
  state_clear (&state);
}

/* Self-collision. */

/* Steps of free flight, as seconds, with collisions. */
static size_t
fly (SpringNet *net, const SpringContact *contact, const float *rest, const SpringSettings *settings, double h, int n)
{
  g_autoptr (SpringSelf) self = spring_self_new (net, rest);
  g_autofree KgVector *before = g_new (KgVector, net->n_points);
  size_t left = 0;

  for (int i = 0; i < n; i++) {
    for (size_t k = 0; k < net->n_points; k++)
      before[k] = net->points[k].x;
    spring_net_step (net, settings, SPRING_SEMI_IMPLICIT, i * h, h, NULL);
    g_assert_true (spring_self_collide (self, net, contact, before, &left, NULL, NULL));
  }
  return left;
}

/* Two rods that cross at their middles: what each end gets is J w / m with J = (1 + e) v / Σ w²/m, which turns both rods back, or stops
 * them; 1 metre in a step that is ten times as long as they are apart, as well as slowly. */
static void
test_self_rods (void)
{
  const KgVector x[] = { { -1, 0.5, 0 }, { 1, 0.5, 0 }, { 0, -0.5, -1 }, { 0, -0.5, 1 } };
  const uint32_t lines[] = { 0, 1, 2, 3 };
  const SpringSettings settings = { .stiffness = 0 };

  for (int fast = 0; fast < 2; fast++)
    for (int bounces = 0; bounces < 2; bounces++) {
      const SpringContact contact = { .thickness = 0.1, .restitution = bounces };
      g_auto (SpringNet) net = { .n_points = 0 };
      SpringBodyState state;

      net = build (make (x, 4, KG_POLYLINE, 2, 2, lines), &plain, &state);
      for (int i = 0; i < 4; i++)
        net.points[i].v = V (0, i < 2 ? -2 : 2, 0);
      g_assert_cmpuint (
          fly (&net, &contact, kg_geometry_get_positions (state.body), &settings, fast ? 2.5 : 0.01, fast ? 1 : 30), ==,
          0);
      for (int i = 0; i < 4; i++)
        assert_near (net.points[i].v.y, (i < 2 ? 2 : -2) * bounces, 1e-12);
      g_assert_cmpfloat (net.points[0].x.y - net.points[2].x.y, >, 0.0998);
      state_clear (&state);
    }
}

/* A corner that comes down on a held triangle: the thickness above it, its speed turned round, and braked along it by μ times the
 * push, but never backwards. */
static void
test_self_point (void)
{
  const KgVector x[] = { { 0, 0, 0 }, { 3, 0, 0 }, { 0, 0, -3 }, { 1, 1, -1 }, { 1, 2, -1 }, { 1.2, 2, -1 } };
  const uint32_t faces[] = { 0, 1, 2, 3, 4, 5 };
  const SpringSettings settings = { .stiffness = 0 };
  const double friction[] = { 0, 0.1, 10 }, along[] = { 1, 1 - 0.1 * 1.5 * 100, 0 };

  for (int k = 0; k < 3; k++) {
    const SpringContact contact = { .thickness = 0.05, .restitution = 0.5, .friction = friction[k] };
    g_auto (SpringNet) net = { .n_points = 0 };
    SpringBodyState state;

    net = build (make (x, 6, KG_POLYGON, 3, 2, faces), &plain, &state);
    for (int i = 0; i < 3; i++)
      net.inverse[i] = 0;
    /* Through the face within the step. */
    for (int i = 3; i < 6; i++)
      net.points[i].v = V (k == 1 ? 20 : 1, -100, 0);
    fly (&net, &contact, kg_geometry_get_positions (state.body), &settings, 0.02, 1);
    assert_near (net.points[3].x.y, 0.05, 1e-12);
    assert_near (net.points[3].v.y, 50, 1e-12);
    assert_near (net.points[3].v.x, k == 1 ? 20 - 0.1 * 150 : along[k], 1e-12);
    assert_near (net.points[0].x.y, 0, 0);
    state_clear (&state);
  }
}

/* A grid of squares at the height y, turned a little, as points and corners from first on. */
static void
add_sheet (KgVector *x, uint32_t *squares, uint32_t first, uint32_t side, double y, double angle)
{
  for (uint32_t i = 0; i < side * side; i++) {
    const double u = 0.1 * (i % side), w = 0.1 * (i / side);

    x[first + i] = V (u * cos (angle) - w * sin (angle), y, u * sin (angle) + w * cos (angle));
  }
  for (uint32_t i = 0, n = 0; i + 1 < side; i++)
    for (uint32_t k = 0; k + 1 < side; k++, n++) {
      const uint32_t a = first + i * side + k;

      memcpy (squares + 4 * n, (uint32_t[]){ a, a + 1, a + side + 1, a + side }, 16);
    }
}

/* Between the points before and from second on. */
static guint
count_crossings (const SpringNet *net, uint32_t second)
{
  TriangleMesh *meshes[2];
  g_autofree KgVector *x = g_new (KgVector, net->n_points);
  g_autoptr (GArray) crossings = NULL;
  guint n;

  for (size_t i = 0; i < net->n_points; i++)
    x[i] = net->points[i].x;
  for (int k = 0; k < 2; k++) {
    g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, 3 * sizeof (uint32_t));
    g_autoptr (KgGeometry) geometry = NULL;

    for (size_t i = 0; i < net->n_triangles; i++)
      if ((net->triangles[i][0] >= second) == (k == 1))
        g_array_append_val (corners, net->triangles[i]);
    geometry = make (x, net->n_points, KG_POLYGON, 3, corners->len, (const uint32_t *) (const void *) corners->data);
    meshes[k] = triangle_mesh_new (geometry, NULL, NULL);
  }
  crossings = triangle_mesh_find_crossings (meshes[0], meshes[1], 1000000, NULL, NULL, NULL);
  n = crossings->len;
  triangle_mesh_free (meshes[0]);
  triangle_mesh_free (meshes[1]);
  return n;
}

/* Two free sheets that meet, slowly and within one step: nothing passes, momentum and angular momentum stay, energy does not grow,
 * and the bits are the same on any number of threads. */
static void
test_self_sheets (void)
{
  enum { SIDE = 13, N = 2 * SIDE * SIDE, SQUARES = (SIDE - 1) * (SIDE - 1) };
  const double speeds[] = { 1, 12 };

  for (int k = 0; k < 2; k++) {
    SpringPoint *first = NULL;

    for (int threads = 1; threads <= 4; threads += 3) {
      const SpringContact contact = { .thickness = 0.02, .restitution = 0.2, .friction = 0.4 };
      const SpringSettings settings = { .stiffness = 10, .damping = 0.01 };
      g_autofree KgVector *x = g_new (KgVector, N);
      g_autofree uint32_t *squares = g_new (uint32_t, 8 * SQUARES);
      SpringReport start, end;
      SpringBodyState state;
      g_auto (SpringNet) net = { .n_points = 0 };
      SpringBodyOptions options = plain;

      omp_set_num_threads (threads);
      add_sheet (x, squares, 0, SIDE, 0, 0);
      add_sheet (x, squares + 4 * SQUARES, N / 2, SIDE, 0.1, 0.3);
      options.brace = BRACE_FACES;
      net = build (make (x, N, KG_POLYGON, 4, 2 * SQUARES, squares), &options, &state);
      for (size_t i = N / 2; i < N; i++)
        net.points[i].v = V (0.1 * speeds[k], -speeds[k], 0);
      spring_net_measure (&net, &settings, &start);
      g_assert_cmpuint (fly (&net, &contact, kg_geometry_get_positions (state.body), &settings, 0.005, 40), ==, 0);
      spring_net_measure (&net, &settings, &end);
      assert_vector_near (end.momentum, start.momentum.x, start.momentum.y, start.momentum.z, 1e-11);
      /* Pushes move what slides past each other, by no more than the thickness and the way of a step. */
      assert_vector_near (end.angular, start.angular.x, start.angular.y, start.angular.z, k == 0 ? 5e-4 : 0.2);
      g_assert_cmpfloat (end.kinetic + end.elastic, <, start.kinetic + start.elastic);
      g_assert_cmpuint (count_crossings (&net, N / 2), ==, 0);
      if (first == NULL)
        first = (SpringPoint *) g_memdup2 (net.points, N * sizeof *first);
      else
        g_assert_true (memcmp (first, net.points, N * sizeof *first) == 0);
      state_clear (&state);
    }
    g_free (first);
  }
  omp_set_num_threads (2);
}

/* Points at one place, faces without area, and a thickness beyond the size of the body. */
static void
test_self_degenerate (void)
{
  const KgVector x[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  const uint32_t faces[] = { 0, 1, 2, 3, 4, 5, 3, 5, 6 };
  const SpringContact contact = { .thickness = 100, .restitution = 1, .friction = 1 };
  const SpringSettings settings = { .stiffness = 1 };
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringBodyState state;

  net = build (make (x, 7, KG_POLYGON, 3, 3, faces), &plain, &state);
  for (int i = 0; i < 7; i++)
    net.points[i].v = V (i == 5, -i, i == 2);
  fly (&net, &contact, kg_geometry_get_positions (state.body), &settings, 0.05, 50);
  for (int i = 0; i < 7; i++)
    g_assert_true (kg_vector_is_finite (net.points[i].x) && kg_vector_is_finite (net.points[i].v));
  state_clear (&state);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/spring-net/50-79-two-masses", test_two_masses);
  g_test_add_func ("/sim/spring-net/50-79-triangle-modes", test_triangle_modes);
  g_test_add_func ("/sim/spring-net/50-79-momenta", test_momenta);
  g_test_add_func ("/sim/spring-net/50-80-struck-triangle", test_struck_triangle);
  g_test_add_func ("/sim/spring-net/50-81-stability", test_stability);
  g_test_add_func ("/sim/spring-net/50-81-spectrum-of-chains", test_spectrum_of_chains);
  g_test_add_func ("/sim/spring-net/50-81-step-limits", test_step_limits);
  g_test_add_func ("/sim/spring-net/50-79-limited-forces", test_limited_forces);
  g_test_add_func ("/sim/spring-net/50-79-energy", test_energy);
  g_test_add_func ("/sim/spring-net/50-83-hub", test_hub);
  g_test_add_func ("/sim/spring-net/50-82-dampers", test_dampers);
  g_test_add_func ("/sim/spring-net/50-83-braces", test_braces);
  g_test_add_func ("/sim/spring-net/50-84-hinge", test_hinge);
  g_test_add_func ("/sim/spring-net/50-84-average", test_average);
  g_test_add_func ("/sim/spring-net/50-84-corner", test_corner);
  g_test_add_func ("/sim/spring-net/50-84-straight-corner", test_straight_corner);
  g_test_add_func ("/sim/spring-net/50-84-rod", test_rod);
  g_test_add_func ("/sim/spring-net/50-84-corners-of-bodies", test_corners_of_bodies);
  g_test_add_func ("/sim/spring-net/50-85-strike", test_strike);
  g_test_add_func ("/sim/spring-net/50-86-drag", test_drag);
  g_test_add_func ("/sim/spring-net/50-104-plastic", test_plastic);
  g_test_add_func ("/sim/spring-net/50-104-relaxing", test_relaxing);
  g_test_add_func ("/sim/spring-net/50-104-tearing", test_tearing);
  g_test_add_func ("/sim/spring-net/50-104-splitting", test_splitting);
  g_test_add_func ("/sim/spring-net/threads", test_threads);
  g_test_add_func ("/sim/spring-net/vo-26-inelastic", test_inelastic);
  g_test_add_func ("/sim/spring-net/50-104-tetrahedron", test_tetrahedron);
  g_test_add_func ("/sim/spring-net/50-104-breathing", test_breathing);
  g_test_add_func ("/sim/spring-net/self/rods", test_self_rods);
  g_test_add_func ("/sim/spring-net/self/point", test_self_point);
  g_test_add_func ("/sim/spring-net/self/sheets", test_self_sheets);
  g_test_add_func ("/sim/spring-net/self/degenerate", test_self_degenerate);
  return g_test_run ();
}

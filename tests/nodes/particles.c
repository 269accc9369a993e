/* tests/nodes/particles: flight against closed forms, births against their statistics, bouncing, sameness.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <omp.h>

/* Frames a second, unless a graph says otherwise. */
#define RATE 24.0

typedef struct {
  NodeTest test;
  KgNode *particles;
} Fixture;

/* A source as in a file; apostrophes stand for quotation marks. */
static void
set_json (Fixture *f, KgNode *node, const char *slot, const char *json)
{
  g_autofree char *text = g_strdelimit (g_strdup (json), "'", '"');

  node_test_set (&f->test, kg_node_get_name (node), slot, text);
}

static void
set_number (Fixture *f, KgNode *node, const char *slot, double number)
{
  g_auto (KgValue) value = kg_value_number (number);
  g_autoptr (GError) error = NULL;

  kg_graph_set_constant (f->test.graph, node, slot, &value, &error);
  g_assert_no_error (error);
}

static void
set_vector (Fixture *f, KgNode *node, const char *slot, KgVector vector)
{
  g_auto (KgValue) value = kg_value_vector (vector);
  g_autoptr (GError) error = NULL;

  kg_graph_set_constant (f->test.graph, node, slot, &value, &error);
  g_assert_no_error (error);
}

/* A beam without any randomness but the moment of birth: one particle a second from the origin. */
static void
set_up (Fixture *f, gconstpointer data)
{
  static const char *const zero[] = { "speed", "speed_variance", "spread", "lifetime_variance", "size_variance" };

  (void) data;
  f->test = node_test_new ();
  f->particles = node_test_add (&f->test, "sim/particles", "particles", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (zero); i++)
    set_number (f, f->particles, zero[i], 0);
  set_number (f, f->particles, "lifetime", 1000);
  set_json (f, f->particles, "births", "'reeves'");
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  node_test_clear (&f->test);
}

static void
set (Fixture *f, const char *slot, double number)
{
  set_number (f, f->particles, slot, number);
}

/* All births in the first frame: the rate is keyed to fall to zero after it. */
static void
burst (Fixture *f, int count)
{
  g_autofree char *json =
      g_strdup_printf ("{'keys': [{'frame': 1, 'value': %g, 'interpolation': 'constant'}, [2.5, 0]]}", count * RATE);

  set_json (f, f->particles, "rate", json);
}

static void
add_gravity (Fixture *f, double g)
{
  KgNode *gravity = node_test_add (&f->test, "field/gravity", "gravity", NULL);

  set_vector (f, gravity, "acceleration", kg_vector (0, g, 0));
  set_json (f, f->particles, "forces", "[{'link': 'gravity.field'}]");
}

static KgGeometry *
get (Fixture *f, int frame)
{
  return node_test_get (&f->test, "particles.geometry", (frame - 1) / RATE).geometry;
}

static float
get_float (const KgGeometry *geometry, const char *name, uint8_t size, size_t i)
{
  const float *array = kg_geometry_get_float (geometry, KG_POINTS, name, size);

  g_assert_nonnull (array);
  return array[i];
}

/* Speeds in semi-implicit Euler are exact under constant acceleration, and places are off by what the speed grows
 * within the step: x = v0 t + g h² n (n + 1) / 2 after n whole steps.  Runge-Kutta is exact.  Age shows how much of its
 * first step a particle had: h' = age - n h. */
static void
test_fall (Fixture *f, gconstpointer data)
{
  const bool rk4 = GPOINTER_TO_INT (data) != 0;
  const double g = -9.81, h = 1 / RATE;
  const int n = 20;
  g_autoptr (KgGeometry) geometry = NULL;

  burst (f, 5);
  add_gravity (f, g);
  set (f, "speed", 3);
  set_json (f, f->particles, "integrator", rk4 ? "'rk4'" : "'euler'");
  geometry = get (f, n + 2);
  g_assert_cmpint ((int) kg_geometry_get_n_points (geometry), ==, 5);
  for (size_t i = 0; i < 5; i++) {
    const double age = (double) get_float (geometry, "age", 1, i), first = age - n * h;
    double fallen = 0.5 * age * age, y;

    g_assert_cmpfloat (first, >=, -1e-5);
    g_assert_cmpfloat (first, <=, h + 1e-5);
    if (!rk4)
      /* The speed after the first, partial step is g h'; after k more g (h' + k h); each moves by itself times h. */
      fallen = first * first + h * (n * first + h * n * (n + 1) / 2.0);
    y = (double) kg_geometry_get_positions (geometry)[3 * i + 1];
    /* 20 sums of floats near 3, each rounded by at most 1.2e-7, in place and speed. */
    assert_near (y, 3 * age + g * fallen, 2e-5);
    assert_near ((double) get_float (geometry, "v", 3, 3 * i + 1), 3 + g * age, 2e-5);
  }
}

/* Linear drag k under gravity: v(∞) = g / k, the distance left e^-kt.  Quadratic: v(∞) = sqrt (g / k). */
static void
test_terminal_speed (Fixture *f, gconstpointer data)
{
  KgNode *drag = node_test_add (&f->test, "field/drag", "drag", NULL);
  g_autoptr (KgGeometry) linear = NULL, quadratic = NULL;

  (void) data;
  burst (f, 1);
  add_gravity (f, -9);
  set_json (f, f->particles, "forces", "[{'link': 'gravity.field'}, {'link': 'drag.field'}]");
  set_number (f, drag, "linear", 2);
  set_number (f, drag, "quadratic", 0);
  linear = get (f, 300);
  assert_near ((double) get_float (linear, "v", 3, 1), -4.5, 1e-4);
  set_number (f, drag, "linear", 0);
  set_number (f, drag, "quadratic", 1);
  quadratic = get (f, 300);
  assert_near ((double) get_float (quadratic, "v", 3, 1), -3, 1e-4);
}

/* Fourth order: halving the step divides the error of an exponential decay by about 16; first order by about 2. */
static void
test_order (Fixture *f, gconstpointer data)
{
  const bool rk4 = GPOINTER_TO_INT (data) != 0;
  KgNode *drag = node_test_add (&f->test, "field/drag", "drag", NULL);
  double error[2];

  burst (f, 1);
  set (f, "speed", 1);
  set_number (f, drag, "linear", rk4 ? 12 : 2);
  set_json (f, f->particles, "forces", "[{'link': 'drag.field'}]");
  set_json (f, f->particles, "integrator", rk4 ? "'rk4'" : "'euler'");
  for (int k = 0; k < 2; k++) {
    g_autoptr (KgGeometry) geometry = NULL;
    double age;

    set (f, "substeps", k + 1);
    geometry = get (f, 6);
    age = (double) get_float (geometry, "age", 1, 0);
    error[k] = fabs ((double) get_float (geometry, "v", 3, 1) - exp (-(rk4 ? 12 : 2) * age));
  }
  g_assert_cmpfloat (error[0] / error[1], >, rk4 ? 10 : 1.6);
  g_assert_cmpfloat (error[0] / error[1], <, rk4 ? 30 : 2.5);
}

static uint64_t
get_next_id (const KgGeometry *geometry)
{
  const int32_t *counters = kg_geometry_get_int (geometry, KG_WHOLE, "counters", 4);

  return (uint64_t) counters[0] | (uint64_t) counters[1] << 31;
}

/* n independent Poisson numbers: the mean strays by sqrt (m / n), the variance by about m sqrt ((2 + 1 / m) / n); five
 * times that is exceeded once in two million seeds. */
static void
test_poisson (Fixture *f, gconstpointer data)
{
  const double rate = *(const double *) data, mean = rate / RATE;
  const int n = 400;
  double sum = 0, squares = 0;
  uint64_t before = 0;

  set_json (f, f->particles, "births", "'poisson'");
  set (f, "rate", rate);
  set (f, "lifetime", 0.01);
  for (int k = 0; k < n; k++) {
    g_autoptr (KgGeometry) geometry = get (f, k + 2);
    const uint64_t now = get_next_id (geometry);

    sum += (double) (now - before);
    squares += (double) ((now - before) * (now - before));
    before = now;
  }
  assert_near (sum / n, mean, 5 * sqrt (mean / n));
  assert_near (squares / n - sum / n * sum / n, mean, 5 * mean * sqrt ((2 + 1 / mean) / n));
}

/* Reeves: mean + Rand * variance, Rand even in -1..1; nothing of the mean is lost to rounding. */
static void
test_reeves (Fixture *f, gconstpointer data)
{
  uint64_t before = 0, low = G_MAXUINT64, high = 0;

  (void) data;
  set (f, "rate", 10);
  for (int k = 1; k <= 100; k++) {
    g_autoptr (KgGeometry) geometry = get (f, k + 1);

    /* Without variance the births so far are the whole part of what is due; to a millionth of a birth. */
    g_assert_cmpuint (get_next_id (geometry), ==, (guint64) floor (10 * k / RATE + 1e-6));
  }
  set (f, "rate", 2400);
  set (f, "rate_variance", 1200);
  set (f, "lifetime", 0.01);
  for (int k = 1; k <= 200; k++) {
    g_autoptr (KgGeometry) geometry = get (f, k + 1);
    const uint64_t now = get_next_id (geometry);

    low = MIN (low, now - before);
    high = MAX (high, now - before);
    before = now;
  }
  /* 50..150 a frame, give or take the remainder; the ends come within 5 in 200 draws but for (1 - 0.05)^200. */
  g_assert_cmpuint (low, >=, 49);
  g_assert_cmpuint (low, <=, 55);
  g_assert_cmpuint (high, <=, 151);
  g_assert_cmpuint (high, >=, 145);
  /* The mean of 200 even numbers in 50..150 has the deviation 100 / sqrt (12 * 200) = 2.04. */
  assert_near ((double) before / 200, 100, 5 * 2.04);
}

/* Numbers run on without a gap, in the order of the points, also when particles have died. */
static void
test_ids (Fixture *f, gconstpointer data)
{
  (void) data;
  set (f, "rate", 500);
  set (f, "lifetime", 0.5);
  for (int frame = 2; frame < 40; frame++) {
    g_autoptr (KgGeometry) geometry = get (f, frame);
    const int32_t *id = kg_geometry_get_int (geometry, KG_POINTS, "id", 1);
    const size_t n = kg_geometry_get_n_points (geometry);

    g_assert_cmpuint (n, >, 0);
    g_assert_cmpint ((gint64) id[n - 1] + 1, ==, (gint64) get_next_id (geometry));
    for (size_t i = 1; i < n; i++)
      g_assert_cmpint (id[i], ==, id[i - 1] + 1);
  }
}

/* Dead when age reaches life; with a steady rate about rate * lifetime are alive. */
static void
test_lifetime (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  set (f, "rate", 960);
  set (f, "lifetime", 0.5);
  geometry = get (f, 100);
  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++) {
    g_assert_cmpfloat (get_float (geometry, "age", 1, i), <, get_float (geometry, "life", 1, i));
    g_assert_cmpfloat (get_float (geometry, "age", 1, i), >=, 0);
  }
  /* Births are spread evenly over each step, one in each 960th of a second: 480, one off at either end. */
  g_assert_cmpuint (kg_geometry_get_n_points (geometry), >=, 479);
  g_assert_cmpuint (kg_geometry_get_n_points (geometry), <=, 481);
  assert_near (node_test_number (&f->test, "particles.count", 99 / RATE), (double) kg_geometry_get_n_points (geometry),
               0);
}

/* A particle born within a step has moved for the rest of it only: a beam leaves no gaps. */
static void
test_births_within_steps (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;
  const float *p;

  (void) data;
  set (f, "rate", 2400);
  set (f, "speed", 7);
  geometry = get (f, 10);
  p = kg_geometry_get_positions (geometry);
  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++)
    assert_near ((double) p[3 * i + 1], 7 * (double) get_float (geometry, "age", 1, i), 1e-5);
  /* One in each 2400th of a second, so never two of these apart. */
  for (size_t i = 1; i < kg_geometry_get_n_points (geometry); i++)
    g_assert_cmpfloat (p[3 * i - 2] - p[3 * i + 1], <, 7 * 2 / 2400.0 + 1e-5);
}

static void
drop (Fixture *f, double height, double restitution)
{
  burst (f, 1);
  add_gravity (f, -9.81);
  set_vector (f, f->particles, "position", kg_vector (0, height, 0));
  set (f, "ground", 1);
  set (f, "ground_height", 0.25);
  set (f, "restitution", restitution);
}

/* Dropped from H, it rises to e² H.  Runge-Kutta: exactly, but for what the frames miss of the top, g (h/2)² / 2 = 2.1 mm.
 * Euler takes the fall half a step early, which is worth g h² / 8 = 2.1 mm of height more. */
static void
test_bounce (Fixture *f, gconstpointer data)
{
  const bool rk4 = GPOINTER_TO_INT (data) != 0;
  const double e = 0.7, height = 2;
  double top = 0, before = 1e9;
  bool bounced = false, fell_again = false;

  drop (f, 0.25 + height, e);
  set_json (f, f->particles, "integrator", rk4 ? "'rk4'" : "'euler'");
  for (int frame = 2; frame < 100 && !fell_again; frame++) {
    g_autoptr (KgGeometry) geometry = get (f, frame);
    const double y = (double) kg_geometry_get_positions (geometry)[1] - 0.25;

    g_assert_cmpfloat (y, >=, 0);
    bounced = bounced || y > before;
    if (bounced)
      top = fmax (top, y);
    fell_again = bounced && y < before;
    before = y;
  }
  g_assert_true (fell_again);
  assert_near (top, e * e * height, 0.0045);
}

/* Comes to lie on the ground exactly, and stays; with e = 1 it never does. */
static void
test_rest (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) resting = NULL, jumping = NULL;
  double highest = 0;

  (void) data;
  drop (f, 1, 0.5);
  for (int frame = 200; frame < 220; frame++) {
    g_autoptr (KgGeometry) geometry = get (f, frame);

    g_assert_cmpfloat (kg_geometry_get_positions (geometry)[1], ==, 0.25f);
    g_assert_cmpfloat (get_float (geometry, "v", 3, 1), ==, 0);
  }
  set (f, "restitution", 1);
  for (int frame = 300; frame < 330; frame++) {
    g_autoptr (KgGeometry) geometry = get (f, frame);

    highest = fmax (highest, (double) kg_geometry_get_positions (geometry)[1]);
  }
  assert_near (highest, 1, 0.01);
}

/* Sliding with Coulomb's friction stops after v² / (2 µ g). */
static void
test_friction (Fixture *f, gconstpointer data)
{
  const double mu = 0.4, v = 3;
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  drop (f, 0.25, 0);
  set_vector (f, f->particles, "direction", kg_vector (1, 0, 0));
  set (f, "speed", v);
  set (f, "friction", mu);
  set_json (f, f->particles, "integrator", "'rk4'");
  geometry = get (f, 100);
  g_assert_cmpfloat (get_float (geometry, "v", 3, 0), ==, 0);
  /* The last step is cut where the speed is zero: at most half of µ g h² short or long. */
  assert_near ((double) kg_geometry_get_positions (geometry)[0], v * v / (2 * mu * 9.81),
               0.5 * mu * 9.81 / RATE / RATE);
}

/* Shot at a ball of 0.1 m radius at 100 m/s: 4 m a frame.  Head on it comes straight back, with e of its speed. */
static void
test_ball (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  burst (f, 50);
  set (f, "speed", 100);
  set (f, "restitution", 0.25);
  set (f, "ball", 1);
  set (f, "ball_radius", 0.1);
  set_vector (f, f->particles, "ball_center", kg_vector (0, 13, 0));
  geometry = get (f, 20);
  for (size_t i = 0; i < 50; i++) {
    const double age = (double) get_float (geometry, "age", 1, i);

    assert_near ((double) get_float (geometry, "v", 3, 3 * i + 1), -25, 1e-4);
    assert_near ((double) kg_geometry_get_positions (geometry)[3 * i + 1], 12.9 - 25 * (age - 0.129), 1e-3);
  }
}

/* Sprayed over a ball on the ground under gravity: never inside, never below. */
static void
test_never_inside (Fixture *f, gconstpointer data)
{
  (void) data;
  burst (f, 3000);
  add_gravity (f, -9.81);
  set_json (f, f->particles, "shape", "'box'");
  set_vector (f, f->particles, "size", kg_vector (3, 0.1, 3));
  set_vector (f, f->particles, "position", kg_vector (0, 4, 0));
  set (f, "spread", 30);
  set (f, "speed", 2);
  set (f, "ground", 1);
  set (f, "ball", 1);
  set (f, "ball_radius", 1);
  set_vector (f, f->particles, "ball_center", kg_vector (0, 1.5, 0));
  for (int frame = 2; frame < 150; frame += 7) {
    g_autoptr (KgGeometry) geometry = get (f, frame);
    const float *p = kg_geometry_get_positions (geometry);

    g_assert_true (kg_geometry_check_finite (geometry, NULL));
    for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++, p += 3) {
      const KgVector at = kg_vector ((double) p[0], (double) p[1], (double) p[2]);

      g_assert_cmpfloat (at.y, >=, 0);
      /* Rounding to float: 1e-7 of some metres. */
      g_assert_cmpfloat (kg_vector_distance (at, kg_vector (0, 1.5, 0)), >=, 1 - 1e-6);
    }
  }
}

static void
furnish (Fixture *f)
{
  KgNode *noise = node_test_add (&f->test, "field/noise", "noise", NULL);

  (void) noise;
  add_gravity (f, -3);
  set_json (f, f->particles, "forces", "[{'link': 'gravity.field'}, {'link': 'noise.field'}]");
  set_json (f, f->particles, "births", "'poisson'");
  set (f, "rate", 20000);
  set (f, "speed", 5);
  set (f, "speed_variance", 1);
  set (f, "spread", 40);
  set (f, "lifetime", 0.6);
  set (f, "lifetime_variance", 0.3);
  set (f, "color_variance", 0.5);
  set (f, "ground", 1);
  set (f, "ball", 1);
}

/* The same bits for any number of threads, from a fresh start, and whichever frames were asked for before. */
static void
test_sameness (Fixture *f, gconstpointer data)
{
  const int threads = omp_get_max_threads ();
  g_autoptr (KgGeometry) first = NULL;

  (void) data;
  furnish (f);
  first = get (f, 25);
  g_assert_cmpuint (kg_geometry_get_n_points (first), >, 5000);
  for (int n = 1; n <= 8; n = n < 3 ? n + 1 : n + 5) {
    Fixture other;
    g_autoptr (KgGeometry) skipped = NULL, again = NULL;

    omp_set_num_threads (n);
    set_up (&other, NULL);
    furnish (&other);
    for (int frame = 1; frame < 12 && n > 1; frame += n)
      kg_geometry_unref (get (&other, frame));
    again = get (&other, 25);
    g_assert_true (kg_geometry_equal (first, again));
    tear_down (&other, NULL);
  }
  omp_set_num_threads (threads);
}

/* Evenly over the area: of two squares of 1 and 9 m² the larger gets nine tenths; along normals it goes up. */
static void
test_surface (Fixture *f, gconstpointer data)
{
  KgNode *small = node_test_add (&f->test, "geometry/grid", "small", NULL);
  KgNode *large = node_test_add (&f->test, "geometry/grid", "large", NULL);
  KgNode *shift = node_test_add (&f->test, "geometry/transform", "shift", NULL);
  KgNode *both = node_test_add (&f->test, "geometry/merge", "both", NULL);
  g_autoptr (KgGeometry) geometry = NULL;
  const float *p;
  int on_large = 0;

  (void) data;
  set_vector (f, small, "size", kg_vector (1, 1, 0));
  set_vector (f, large, "size", kg_vector (3, 3, 0));
  set_json (f, shift, "geometry", "{'link': 'large.geometry'}");
  set_vector (f, shift, "translate", kg_vector (100, 0, 0));
  set_json (f, both, "geometries", "[{'link': 'small.geometry'}, {'link': 'shift.transformed'}]");
  set_json (f, f->particles, "emitter", "{'link': 'both.geometry'}");
  set_json (f, f->particles, "shape", "'surface'");
  burst (f, 10000);
  geometry = get (f, 2);
  p = kg_geometry_get_positions (geometry);
  for (int i = 0; i < 10000; i++) {
    const float half = p[3 * i] > 50 ? 1.5f : 0.5f, x = p[3 * i] > 50 ? p[3 * i] - 100 : p[3 * i];

    /* In a square, not beside it. */
    g_assert_cmpfloat (fabsf (x), <=, half + 1e-5f);
    g_assert_cmpfloat (fabsf (p[3 * i + 1]), <=, half + 1e-5f);
    on_large += p[3 * i] > 50;
  }
  /* Binomial: deviation sqrt (10000 * 0.9 * 0.1) = 30. */
  assert_near (on_large, 9000, 150);
}

/* A moving emitter: births lie along its way, and inherit its speed. */
static void
test_moving_emitter (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  set (f, "rate", 1000);
  set (f, "inherit", 1);
  set_json (f, f->particles, "position", "{'expr': '6*t, 0, 0'}");
  geometry = get (f, 13);
  g_assert_cmpuint (kg_geometry_get_n_points (geometry), ==, 500);
  for (size_t i = 0; i < 500; i++) {
    assert_near ((double) get_float (geometry, "v", 3, 3 * i), 6, 1e-4);
    /* All have the emitter's speed, so all are where it is now. */
    assert_near ((double) kg_geometry_get_positions (geometry)[3 * i], 3, 1e-4);
  }
}

/* A force of 6 N on 3 kg: 2 m/s². */
static void
test_mass (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  burst (f, 1);
  add_gravity (f, -6);
  set (f, "mass", 3);
  set (f, "weigh", 1);
  geometry = get (f, 25);
  assert_near ((double) get_float (geometry, "v", 3, 1), -2 * (double) get_float (geometry, "age", 1, 0), 1e-5);
}

static void
test_over_age (Fixture *f, gconstpointer data)
{
  KgNode *ease = node_test_add (&f->test, "motion/ease", "fade", NULL);
  g_autoptr (KgGeometry) geometry = NULL;

  (void) data;
  set_json (f, ease, "shape", "'linear'");
  set_json (f, f->particles, "alpha_over_age", "{'link': 'fade.motion'}");
  set (f, "rate", 100);
  set (f, "lifetime", 1);
  geometry = get (f, 40);
  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++)
    assert_near ((double) get_float (geometry, "Cd", 4, 4 * i + 3), (double) get_float (geometry, "age", 1, i), 1e-6);
}

static void
test_limits (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) none = NULL, few = NULL, orphan = NULL;

  (void) data;
  set (f, "rate", 0);
  none = get (f, 10);
  g_assert_cmpuint (kg_geometry_get_n_points (none), ==, 0);
  set (f, "rate", 1e9);
  set (f, "limit", 77);
  few = get (f, 10);
  g_assert_cmpuint (kg_geometry_get_n_points (few), ==, 77);
  /* From a geometry that is not there: a warning, no particles. */
  set_json (f, f->particles, "shape", "'surface'");
  orphan = get (f, 10);
  g_assert_cmpuint (kg_geometry_get_n_points (orphan), ==, 0);
}

/* Drag so strong that each explicit step overshoots further is an error, not a cloud of NaN; the other methods solve it. */
static void
test_divergence (Fixture *f, gconstpointer data)
{
  KgNode *drag = node_test_add (&f->test, "field/drag", "drag", NULL);
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  (void) data;
  burst (f, 10);
  set (f, "speed", 10);
  set_number (f, drag, "linear", 1000);
  set_json (f, f->particles, "forces", "[{'link': 'drag.field'}]");
  g_assert_true (kg_evaluator_evaluate (f->test.evaluator, f->particles,
                                        (guint) kg_node_find_slot (f->particles, "geometry"), 200 / RATE, NULL, &value,
                                        &error));
  g_assert_no_error (error);
  set_json (f, f->particles, "integrator", "'explicit'");
  g_assert_false (kg_evaluator_evaluate (f->test.evaluator, f->particles,
                                         (guint) kg_node_find_slot (f->particles, "geometry"), 200 / RATE, NULL, &value,
                                         &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DIVERGED);
}

int
main (int argc, char **argv)
{
  static const double few = 30, many = 2400, very_many = 48000;

  g_test_init (&argc, &argv, NULL);
#define ADD(name, data, test) g_test_add ("/particles/" name, Fixture, data, set_up, test, tear_down)
  ADD ("fall/euler", GINT_TO_POINTER (0), test_fall);
  ADD ("fall/rk4", GINT_TO_POINTER (1), test_fall);
  ADD ("terminal-speed", NULL, test_terminal_speed);
  ADD ("order/euler", GINT_TO_POINTER (0), test_order);
  ADD ("order/rk4", GINT_TO_POINTER (1), test_order);
  ADD ("births/poisson-few", &few, test_poisson);
  ADD ("births/poisson-many", &many, test_poisson);
  ADD ("births/poisson-very-many", &very_many, test_poisson);
  ADD ("births/reeves", NULL, test_reeves);
  ADD ("births/ids", NULL, test_ids);
  ADD ("births/within-steps", NULL, test_births_within_steps);
  ADD ("births/surface", NULL, test_surface);
  ADD ("births/moving-emitter", NULL, test_moving_emitter);
  ADD ("lifetime", NULL, test_lifetime);
  ADD ("bounce/height-euler", GINT_TO_POINTER (0), test_bounce);
  ADD ("bounce/height-rk4", GINT_TO_POINTER (1), test_bounce);
  ADD ("bounce/rest", NULL, test_rest);
  ADD ("bounce/friction", NULL, test_friction);
  ADD ("bounce/ball", NULL, test_ball);
  ADD ("bounce/never-inside", NULL, test_never_inside);
  ADD ("sameness", NULL, test_sameness);
  ADD ("mass", NULL, test_mass);
  ADD ("over-age", NULL, test_over_age);
  ADD ("limits", NULL, test_limits);
  ADD ("divergence", NULL, test_divergence);
  return g_test_run ();
}

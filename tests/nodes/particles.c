/* tests/nodes/particles: motion against closed forms, births against their statistics, the same bits for any threads.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <omp.h>

static NodeTest
make (const char *rate, const char *speed)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/gravity", "g", NULL);
  node_test_add (&test, "sim/particles", "p", "rate", rate, "speed", speed, "speed_variance", "0", "spread", "0",
                 "lifetime", "100", "lifetime_variance", "0", "forces", "[{\"link\": \"g.field\"}]", NULL);
  return test;
}

/* Thrown up at 5 m/s; born at a moment within the first step, which its age tells. */
static void
test_fall (gconstpointer data)
{
  const bool rk4 = g_str_equal (data, "\"rk4\"");
  NodeTest test = make ("200", "5");
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *p, *age;
  size_t n;

  node_test_set (&test, "p", "integrator", (const char *) data);
  value = node_test_get (&test, "p.geometry", 2);
  p = kg_geometry_get_positions (value.geometry);
  age = kg_geometry_get_float (value.geometry, KG_POINTS, "age", 1);
  n = kg_geometry_get_n_points (value.geometry);
  g_assert_cmpuint (n, >, 300);
  for (size_t i = 0; i < n; i++) {
    const double t = (double) age[i];
    /* Euler with the new speed falls behind by g h / 2 a second, h = 1/24; the first part step by less. */
    const double exact = 5 * t - 0.5 * 9.81 * t * t, lag = rk4 ? 0 : 0.5 * 9.81 * t / 24;

    assert_near ((double) p[3 * i + 1], exact - (rk4 ? 0 : 0.5 * lag), rk4 ? 2e-4 : 0.5 * lag + 1e-3);
    assert_near ((double) p[3 * i], 0, 0);
  }
  node_test_clear (&test);
}

/* With linear drag the speed tends to g / k. */
static void
test_drag (void)
{
  NodeTest test = make ("100", "0");
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (&test, "field/drag", "d", "linear", "2", NULL);
  node_test_set (&test, "p", "forces", "[{\"link\": \"g.field\"}, {\"link\": \"d.field\"}]");
  value = node_test_get (&test, "p.geometry", 10);
  assert_near ((double) kg_geometry_get_float (value.geometry, KG_POINTS, "v", 3)[1], -9.81 / 2, 1e-4);
  node_test_clear (&test);
}

/* Births in 10 seconds: Poisson has the mean and the variance n; five standard deviations are never seen (6e-7). */
static void
test_births (void)
{
  NodeTest test = make ("500", "1");
  double sum = 0, squares = 0;

  for (int seed = 0; seed < 20; seed++) {
    g_autofree char *text = g_strdup_printf ("%d", seed);
    double n;

    node_test_set (&test, "p", "seed", text);
    n = node_test_number (&test, "p.count", 10);
    assert_near (n, 5000, 5 * sqrt (5000.0));
    sum += n;
    squares += (n - 5000) * (n - 5000);
  }
  assert_near (sum / 20, 5000, 5 * sqrt (5000.0 / 20));
  /* The sample variance of 20 draws has a relative standard deviation of sqrt (2 / 20). */
  assert_near (squares / 20 / 5000, 1, 5 * sqrt (0.1));
  node_test_set (&test, "p", "births", "\"reeves\"");
  node_test_set (&test, "p", "rate", "504");
  /* 21 in every one of 240 frames, no luck in it. */
  assert_near (node_test_number (&test, "p.count", 10), 5040, 0);
  node_test_clear (&test);
}

static void
test_life (void)
{
  NodeTest test = make ("480", "1");
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *age;

  node_test_set (&test, "p", "births", "\"reeves\"");
  node_test_set (&test, "p", "lifetime", "0.5");
  value = node_test_get (&test, "p.geometry", 4);
  age = kg_geometry_get_float (value.geometry, KG_POINTS, "age", 1);
  /* 20 a frame, 12 frames of life. */
  assert_near ((double) kg_geometry_get_n_points (value.geometry), 240, 20);
  for (size_t i = 0; i < kg_geometry_get_n_points (value.geometry); i++)
    g_assert_true (age[i] >= 0 && age[i] < 0.5f);
  node_test_set (&test, "p", "rate", "0");
  assert_near (node_test_number (&test, "p.count", 4), 0, 0);
  node_test_clear (&test);
}

/* Dropped from 1 m, the first bounce reaches e² of the height, within what a frame's step blurs. */
static void
test_bounce (void)
{
  NodeTest test = make ("1", "0");
  double highest = 0;

  node_test_set (&test, "p", "births", "\"reeves\"");
  node_test_set (&test, "p", "rate", "24");
  node_test_set (&test, "p", "position", "[0, 1, 0]");
  node_test_set (&test, "p", "ground", "true");
  node_test_set (&test, "p", "restitution", "0.7");
  node_test_set (&test, "p", "substeps", "50");
  for (int frame = 13; frame < 26; frame++) {
    g_auto (KgValue) value = node_test_get (&test, "p.geometry", frame / 24.0);

    g_assert_cmpfloat (kg_geometry_get_positions (value.geometry)[1], >=, 0);
    highest = fmax (highest, (double) kg_geometry_get_positions (value.geometry)[1]);
  }
  assert_near (highest, 0.49, 0.02);
  node_test_clear (&test);
}

static void
test_threads (void)
{
  KgValue first = KG_VALUE_INIT;

  for (int threads = 1; threads <= 8; threads++) {
    NodeTest test = make ("50000", "3");
    g_auto (KgValue) value = KG_VALUE_INIT;

    omp_set_num_threads (threads);
    node_test_add (&test, "field/noise", "n", NULL);
    node_test_set (&test, "p", "forces", "[{\"link\": \"g.field\"}, {\"link\": \"n.field\"}]");
    node_test_set (&test, "p", "spread", "60");
    node_test_set (&test, "p", "ground", "true");
    value = node_test_get (&test, "p.geometry", 0.5);
    if (threads == 1)
      first = kg_value_copy (&value);
    g_assert_true (kg_value_equal (&first, &value));
    node_test_clear (&test);
  }
  kg_value_clear (&first);
  omp_set_num_threads (2);
}

/* Curl noise has no sources: its divergence by differences is small against its slopes. */
static void
test_curl (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  double divergence = 0, slopes = 0;
  const float h = 0.01f;

  node_test_add (&test, "field/noise", "n", "octaves", "1", NULL);
  value = node_test_get (&test, "n.field", 0);
  for (int i = 0; i < 200; i++) {
    const float at[] = { 0.37f * (float) i, 1.7f - 0.11f * (float) i, 0.23f * (float) i };
    float around[18], out[18];

    for (size_t c = 0; c < 18; c++)
      around[c] = at[c % 3] + (c / 6 == c % 3 ? (c / 3 % 2 == 0 ? h : -h) : 0);
    kg_field_sample_points (value.field, around, 6, 0, out);
    for (size_t c = 0; c < 3; c++)
      slopes += fabs ((double) (out[6 * c + c] - out[6 * c + 3 + c]));
    divergence += fabs ((double) (out[0] - out[3] + out[7] - out[10] + out[14] - out[17]));
  }
  g_assert_cmpfloat (slopes, >, 0.1);
  g_assert_cmpfloat (divergence, <, 0.01 * slopes);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/particles/fall/euler", "\"euler\"", test_fall);
  g_test_add_data_func ("/particles/fall/rk4", "\"rk4\"", test_fall);
  g_test_add_func ("/particles/drag", test_drag);
  g_test_add_func ("/particles/births", test_births);
  g_test_add_func ("/particles/life", test_life);
  g_test_add_func ("/particles/bounce", test_bounce);
  g_test_add_func ("/particles/threads", test_threads);
  g_test_add_func ("/field/curl", test_curl);
  return g_test_run ();
}

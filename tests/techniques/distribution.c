/* tests/techniques/distribution: means, deviations and histograms of distributions, and the laws of wobbling.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-random.h"
#include "motion/wobble.h"
#include "value/distribution.h"

#define DRAWS 100000

typedef struct {
  uint64_t counter;
} Counter;

static double
next (gpointer data)
{
  return kg_random_uniform (64, 0, ((Counter *) data)->counter++);
}

/* The mean of n draws of the deviation is within four standard errors. */
static void
assert_mean (double sum, double mean, double deviation)
{
  assert_near (sum / DRAWS, mean, 4 * deviation / sqrt (DRAWS));
}

static void
test_numbers (void)
{
  Counter counter = { 0 };
  const DistributionSource source = { next, &counter };
  double normal = 0, squares = 0, exponential = 0, triangular = 0;
  guint bins[10] = { 0 };

  for (int i = 0; i < DRAWS; i++) {
    const double x = distribution_draw_normal (&source, 3, 2), t = distribution_draw_triangular (&source, 0, 0.25, 1);

    normal += x;
    squares += (x - 3) * (x - 3);
    exponential += distribution_draw_exponential (&source, 4);
    triangular += t;
    g_assert_true (t >= 0 && t <= 1);
    /* The distribution function of the triangle, which is uniform. */
    bins[(int) fmin (9, 10 * (t < 0.25 ? 4 * t * t : 1 - (1 - t) * (1 - t) / 0.75))]++;
  }
  assert_mean (normal, 3, 2);
  assert_mean (squares, 4, 4 * sqrt (2));
  assert_mean (exponential, 0.25, 0.25);
  assert_mean (triangular, 5.0 / 12, 0.22);
  {
    double chi = 0;

    for (int k = 0; k < 10; k++)
      chi += (bins[k] - DRAWS / 10.0) * (bins[k] - DRAWS / 10.0) / (DRAWS / 10.0);
    /* 1 % of true distributions exceed it, at nine degrees of freedom. */
    g_assert_cmpfloat (chi, <, 21.67);
  }
}

/* Mean and variance of either method are the mean, and its probabilities the formula's. */
static void
test_poisson (void)
{
  static const double means[] = { 0, 0.3, 4, 29.9, 30, 80, 5000 };
  Counter counter = { 0 };
  const DistributionSource source = { next, &counter };

  for (guint m = 0; m < G_N_ELEMENTS (means); m++) {
    const double mean = means[m];
    double sum = 0, squares = 0, at_mean = 0;

    for (int i = 0; i < DRAWS; i++) {
      const double k = (double) distribution_draw_poisson (&source, mean);

      g_assert_cmpfloat (k, >=, 0);
      sum += k;
      squares += (k - mean) * (k - mean);
      at_mean += k == floor (mean);
    }
    assert_mean (sum, mean, sqrt (mean));
    assert_mean (squares, mean, sqrt (2 * mean * mean + mean));
    {
      const double p = mean > 0 ? exp (floor (mean) * log (mean) - mean - lgamma (floor (mean) + 1)) : 1;

      assert_mean (at_mean, p, sqrt (p * (1 - p)) + 1e-12);
    }
  }
}

static void
test_places (void)
{
  Counter counter = { 0 };
  const DistributionSource source = { next, &counter };
  const KgVector axis = { 0.6, 0, 0.8 };
  double ball = 0, disc = 0, cone = 0;

  for (int i = 0; i < DRAWS; i++) {
    const KgVector b = distribution_draw_in_ball (&source, 2), d = distribution_draw_in_disc (&source, 3, axis);
    const KgVector c = distribution_draw_in_cone (&source, KG_PI / 6, axis);

    ball += kg_vector_length (b);
    disc += kg_vector_length (d);
    cone += kg_vector_dot (c, axis);
    g_assert_cmpfloat (kg_vector_length (b), <=, 2 + 1e-12);
    assert_near (kg_vector_dot (d, axis), 0, 1e-14);
    assert_near (kg_vector_length (c), 1, 1e-14);
    g_assert_cmpfloat (kg_vector_dot (c, axis), >=, cos (KG_PI / 6) - 1e-14);
  }
  assert_mean (ball, 1.5, 0.39);
  assert_mean (disc, 2, 0.71);
  assert_mean (cone, 0.933012701892, 0.0387);
}

/* Over 2000 periods the mean is 0 and the deviation a half; channels have nothing to do with each other. */
static void
test_wobble (void)
{
  const Wobble wobble = { .seed = 3, .period = 0.8, .octaves = 3, .roughness = 0.5 };
  double sum = 0, squares = 0, products = 0, n = 0;

  for (double t = 0; t < 2000 * wobble.period; t += 0.0437) {
    const double x = wobble_get_value (&wobble, 0, t);

    sum += x;
    squares += x * x;
    products += x * wobble_get_value (&wobble, 1, t);
    n++;
  }
  assert_near (sum / n, 0, 0.02);
  assert_near (sqrt (squares / n), 0.5, 0.025);
  assert_near (products / n, 0, 0.02);
}

static void
test_wobble_loop (void)
{
  const Wobble wobble = { .seed = 9, .period = 0.5, .octaves = 4, .roughness = 0.6, .loop = 3 };
  const double h = 1e-5;

  for (double t = -5; t < 5; t += 0.093) {
    assert_near (wobble_get_value (&wobble, 2, t), wobble_get_value (&wobble, 2, t + 3), 1e-12);
    /* The slope goes on, also where the loop closes. */
    assert_near (wobble_get_value (&wobble, 2, t + h) + wobble_get_value (&wobble, 2, t - h),
                 2 * wobble_get_value (&wobble, 2, t), 1e-5);
  }
  assert_near (wobble_get_value (&wobble, 2, 3 + h) + wobble_get_value (&wobble, 2, 3 - h),
               2 * wobble_get_value (&wobble, 2, 3), 1e-5);
}

static void
test_spread (void)
{
  static const double halton[][2] = { { 1.0 / 2, 1.0 / 3 }, { 1.0 / 4, 2.0 / 3 }, { 3.0 / 4, 1.0 / 9 },
                                      { 1.0 / 8, 4.0 / 9 }, { 5.0 / 8, 7.0 / 9 }, { 3.0 / 8, 2.0 / 9 } };
  bool filled[64] = { false };

  for (uint64_t n = 1; n <= G_N_ELEMENTS (halton); n++)
    for (guint d = 0; d < 2; d++)
      assert_near (distribution_get_halton (n, d), halton[n - 1][d], 1e-15);
  /* 64 of them fill each 64th once. */
  for (uint64_t n = 1; n <= 64; n++) {
    const guint place = (guint) (64 * distribution_get_halton (n - 1, 0));

    g_assert_false (filled[place]);
    filled[place] = true;
  }
  assert_near (distribution_get_r2 (1, 0), 0.25487766625, 1e-11);
  assert_near (distribution_get_r2 (1, 1), 0.06984029100, 1e-11);
  assert_near (distribution_get_r2 (2, 0), 0.00975533249, 1e-11);
  assert_near (distribution_get_r2 (2, 1), 0.63968058199, 1e-11);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/distribution/70-64-numbers", test_numbers);
  g_test_add_func ("/distribution/70-64-poisson", test_poisson);
  g_test_add_func ("/distribution/70-64-places", test_places);
  g_test_add_func ("/wobble/70-57-mean", test_wobble);
  g_test_add_func ("/wobble/70-57-loop", test_wobble_loop);
  g_test_add_func ("/distribution/70-65-spread", test_spread);
  return g_test_run ();
}

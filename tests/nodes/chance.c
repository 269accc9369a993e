/* tests/nodes/chance: random numbers and wobbling as nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-random.h"
#include "node-test.h"

/* What graphs drew before there were distributions they draw still. */
static void
test_hash (void)
{
  NodeTest test = node_test_new ();

  g_assert_true (kg_random_uniform (0, 0, 0) == 0.7677652963270206);
  node_test_add (&test, "value/random", "r", "seed", "1", "index", "2", "low", "-3", "high", "5", NULL);
  g_assert_true (node_test_number (&test, "r.number", 0) == kg_lerp (-3, 5, kg_random_uniform (1, 2, 0)));
  {
    const KgVector d = kg_random_direction (1, 2, 1);

    assert_vector_near (node_test_vector (&test, "r.direction", 0), d.x, d.y, d.z, 0);
  }
  node_test_clear (&test);
}

static void
test_textbook (void)
{
  static const double draws[] = { 942623332, 174392101, 559147339 };
  static const int dice[] = { 5, 2, 2, 1, 3, 3 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/random", "r", "generator", "\"textbook\"", NULL);
  for (int i = 0; i < 3; i++) {
    node_test_set_number (&test, "r", "index", i);
    assert_near (node_test_number (&test, "r.number", 0), draws[i] * 1e-9, 1e-15);
  }
  node_test_set (&test, "r", "index", "999");
  assert_near (node_test_number (&test, "r.number", 0), 0.969174929, 1e-15);
  node_test_set (&test, "r", "distribution", "\"integer\"");
  node_test_set (&test, "r", "low", "1");
  node_test_set (&test, "r", "high", "6");
  for (int i = 0; i < 6; i++) {
    node_test_set_number (&test, "r", "index", i);
    assert_near (node_test_number (&test, "r.integer", 0), dice[i], 0);
  }
  node_test_set (&test, "r", "seed_text", "\"~\"");
  node_test_fails_saying (&test, "r.number", 0, "code 126");
  node_test_set (&test, "r", "seed_text", "\"\"");
  node_test_set (&test, "r", "index", "-1");
  node_test_fails_saying (&test, "r.number", 0, "one number after the other");
  node_test_clear (&test);
}

/* Bounds included, each as often as any other; exchanged bounds are put right. */
static void
test_integers (void)
{
  NodeTest test = node_test_new ();
  guint counts[6] = { 0 };
  double chi = 0;

  node_test_add (&test, "value/random", "r", "distribution", "\"integer\"", "low", "6", "high", "1", NULL);
  node_test_warns (&test, "r.integer", "swapped");
  node_test_set (&test, "r", "low", "0.5");
  node_test_set (&test, "r", "high", "6.5");
  for (int i = 0; i < 1200; i++) {
    int64_t k;

    node_test_set_number (&test, "r", "index", i);
    k = (int64_t) node_test_number (&test, "r.integer", 0);
    g_assert_true (k >= 1 && k <= 6);
    counts[k - 1]++;
  }
  for (int k = 0; k < 6; k++)
    chi += (counts[k] - 200.0) * (counts[k] - 200.0) / 200;
  g_assert_cmpfloat (chi, <, 15.09);
  node_test_set (&test, "r", "low", "0.2");
  node_test_set (&test, "r", "high", "0.8");
  node_test_fails_saying (&test, "r.integer", 0, "no integer");
  node_test_set (&test, "r", "high", "1e300");
  node_test_fails_saying (&test, "r.integer", 0, "too many integers");
  node_test_clear (&test);
}

static void
test_wrong (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/random", "r", "distribution", "\"triangular\"", "mode", "2", NULL);
  node_test_fails_saying (&test, "r.number", 0, "the mode is 2");
  node_test_set (&test, "r", "distribution", "\"exponential\"");
  node_test_set (&test, "r", "rate", "0");
  node_test_fails_saying (&test, "r.number", 0, "must be above 0");
  node_test_set (&test, "r", "distribution", "\"poisson\"");
  node_test_set (&test, "r", "mean", "-1");
  node_test_fails_saying (&test, "r.number", 0, "the mean is -1");
  node_test_set (&test, "r", "distribution", "\"cone\"");
  node_test_set (&test, "r", "axis", "[0, 0, 0]");
  node_test_fails_saying (&test, "r.number", 0, "axis is zero");
  node_test_set (&test, "r", "axis", "[0, 3, 0]");
  node_test_set (&test, "r", "angle", "0");
  assert_vector_near (node_test_vector (&test, "r.point", 0), 0, 1, 0, 0);
  node_test_clear (&test);
}

static void
test_wobble (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/wobble", "w", "anchored", "true", "spread", "[2, 0, 1]", "loop", "4", NULL);
  assert_near (node_test_number (&test, "w.number", 0), 0, 0);
  assert_vector_near (node_test_vector (&test, "w.vector", 0), 0, 0, 0, 0);
  assert_near (node_test_vector (&test, "w.vector", 1.3).y, 0, 0);
  assert_near (node_test_number (&test, "w.number", 1.3), node_test_number (&test, "w.number", 5.3), 1e-12);
  /* The motion is the number over time. */
  node_test_add (&test, "motion/evaluate", "e", "motion", "{\"link\": \"w.motion\"}", NULL);
  for (double t = 0; t < 8; t += 0.7)
    assert_near (node_test_number (&test, "e.value", t), node_test_number (&test, "w.number", t), 1e-14);
  node_test_set (&test, "w", "angle", "0");
  {
    g_auto (KgValue) value = node_test_get (&test, "w.rotation", 1);

    g_assert_true (value.rotation.w == 1 && value.rotation.x == 0 && value.rotation.y == 0 && value.rotation.z == 0);
  }
  node_test_set (&test, "w", "envelope", "-1");
  node_test_warns (&test, "w.number", "counts as 0");
  assert_near (node_test_number (&test, "w.number", 1.3), 0, 0);
  node_test_clear (&test);
}

static void
test_spread (void)
{
  NodeTest test = node_test_new ();
  double before;

  node_test_add (&test, "value/random", "r", "generator", "\"halton\"", "index", "2", NULL);
  assert_near (node_test_number (&test, "r.number", 0), 0.75, 1e-15);
  /* A disc takes two coordinates. */
  node_test_set (&test, "r", "distribution", "\"disc\"");
  before = node_test_number (&test, "r.number", 0);
  assert_near (before, sqrt (0.75), 1e-12);
  node_test_set (&test, "r", "generator", "\"r2\"");
  node_test_set (&test, "r", "index", "0");
  assert_near (node_test_number (&test, "r.number", 0), sqrt (0.25487766625), 1e-9);
  node_test_set (&test, "r", "distribution", "\"integer\"");
  node_test_set (&test, "r", "high", "9");
  assert_near (node_test_number (&test, "r.integer", 0), 2, 0);
  node_test_set (&test, "r", "index", "-1");
  node_test_fails_saying (&test, "r.number", 0, "begins with number 0");
  node_test_set (&test, "r", "generator", "\"hash\"");
  node_test_set (&test, "r", "distribution", "\"uniform\"");
  node_test_set (&test, "r", "low", "10");
  node_test_warns (&test, "r.number", "they are swapped");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/value/random/70-63-hash", test_hash);
  g_test_add_func ("/value/random/70-60-textbook", test_textbook);
  g_test_add_func ("/value/random/70-62-integers", test_integers);
  g_test_add_func ("/value/random/70-64-wrong", test_wrong);
  g_test_add_func ("/motion/wobble/70-57", test_wobble);
  g_test_add_func ("/value/random/70-65-spread", test_spread);
  return g_test_run ();
}

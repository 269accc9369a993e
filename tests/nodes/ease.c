/* tests/nodes/ease: the eases against the figures of catalogue 30-43 to 30-47, and what holds for all.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ease-test.h"

static void
check (const char *shape, const char *k1, const char *k2, const double (*figures)[2], guint n)
{
  NodeTest test = node_test_new ();
  g_autofree char *nick = g_strdup_printf ("\"%s\"", shape);

  node_test_add (&test, "motion/ease", "e", "shape", nick, "k1", k1, "k2", k2, NULL);
  for (guint i = 0; i < n; i++) {
    g_autofree char *t = g_strdup_printf ("%.17g", figures[i][0]);

    node_test_set (&test, "e", "t", t);
    /* The figures are printed to ten digits. */
    assert_near (node_test_number (&test, "e.value", 0), figures[i][1], 6e-11);
  }
  node_test_clear (&test);
}

static void
test_figures (void)
{
  static const double sine[][2] = { { 0.25, 0.1464466094 }, { 0.5, 0.5 }, { 0.75, 0.8535533906 } };
  static const double pieces[][2] = { { 0.1, 0.0319784477 }, { 0.15, 0.0699107945 }, { 0.3, 0.2386903828 },
                                      { 0.5, 0.4886463672 }, { 0.75, 0.8010913477 }, { 0.9, 0.9620118277 } };
  static const double decelerate[][2] = { { 0, 0 }, { 0.5, 0.75 }, { 1, 1 } };
  /* v0 = 2 / (1 + k2 - k1) = 1.3793103448; the pieces of the speed's area. */
  static const double parabolic[][2] = { { 0.3, 0.2068965517 }, { 0.75, 0.8275862069 }, { 1, 1 } };

  check ("sine", "0.3", "0.75", sine, G_N_ELEMENTS (sine));
  check ("sine-linear", "0.3", "0.75", pieces, G_N_ELEMENTS (pieces));
  check ("decelerate", "0.3", "0.75", decelerate, G_N_ELEMENTS (decelerate));
  check ("parabolic", "0.3", "0.75", parabolic, G_N_ELEMENTS (parabolic));
  /* k1 = k2 = 1/2 is the plain sine; k1 = 0 and k2 = 1 are defined. */
  check ("sine-linear", "0.5", "0.5", sine, G_N_ELEMENTS (sine));
}

/* The elastic ease of other programs, 1 - 2^(-10 t) cos (2 pi t / 0.3), which misses its ends by a thousandth. */
static void
test_elastic (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/ease", "e", "shape", "\"elastic\"", "direction", "\"out\"", NULL);
  for (double t = 0; t <= 1; t += 1 / 32.0) {
    g_autofree char *at = g_strdup_printf ("%.5f", t);

    node_test_set (&test, "e", "t", at);
    assert_near (node_test_number (&test, "e.value", 0), 1 - exp2 (-10 * t) * cos (2 * KG_PI * t / 0.3), 2e-3);
  }
  /* Nothing beyond the end without an amount. */
  node_test_set (&test, "e", "amount", "0");
  node_test_set (&test, "e", "t", "0.1");
  assert_near (node_test_number (&test, "e.value", 0), (1 - exp2 (-1)) * 1024 / 1023, 1e-12);
  node_test_clear (&test);
}

static void
test_css (void)
{
  /* "ease" of CSS at the half: the root of x (u) = 1/2, found here by bisection. */
  NodeTest test = node_test_new ();
  double low = 0, high = 1;

  node_test_add (&test, "motion/ease", "e", "shape", "\"cubic-bezier\"", "t", "0.5", NULL);
  while (high - low > 1e-16) {
    const double u = 0.5 * (low + high), v = 1 - u;

    if (u == low || u == high)
      break;
    if (3 * u * v * v * 0.25 + 3 * u * u * v * 0.25 + u * u * u < 0.5)
      low = u;
    else
      high = u;
  }
  assert_near (node_test_number (&test, "e.value", 0),
               3 * low * (1 - low) * (1 - low) * 0.1 + 3 * low * low * (1 - low) * 1 + low * low * low, 1e-12);
  node_test_clear (&test);
}

/* Every shape and direction: 0 at 0, 1 at 1; the speed is the slope; in-out and out are in turned round. */
static void
check_ends_and_speed (NodeTest *test)
{
  for (int i = 0; i <= 40; i++) {
    const double t = i / 40.0, h = 1e-6;
    g_autofree char *at = g_strdup_printf ("%.17g", t), *after = g_strdup_printf ("%.17g", t + h);
    double value, speed;

    node_test_set (test, "e", "t", at);
    value = node_test_number (test, "e.value", 0);
    speed = node_test_number (test, "e.speed", 0);
    if (i == 0)
      assert_near (value, 0, 1e-12);
    if (i == 40) {
      assert_near (value, 1, 1e-12);
      continue;
    }
    node_test_set (test, "e", "t", after);
    /* Forward difference; curves bend by less than 3000 here, but for the circle where it stands upright. */
    if (fabs (speed) < 100)
      assert_near ((node_test_number (test, "e.value", 0) - value) / h, speed, 3e-3 * fmax (1, fabs (speed)));
  }
}

static void
test_all (void)
{
  ease_test_each (check_ends_and_speed);
}

static void
test_bad (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/ease", "e", "shape", "\"parabolic\"", "k1", "0.8", "k2", "0.2", NULL);
  node_test_fails (&test, "e.value", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "e", "k1", "0");
  node_test_set (&test, "e", "k2", "1");
  for (int i = 0; i < 3; i++) {
    static const char *const times[] = { "0", "0.5", "7" };

    node_test_set (&test, "e", "t", times[i]);
    assert_near (node_test_number (&test, "e.value", 0), MIN (0.5 * i, 1), 1e-15);
  }
  node_test_clear (&test);
}

/* Without a source it runs over the frames of the graph. */
static void
test_phase (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/ease", "e", "shape", "\"linear\"", NULL);
  assert_near (node_test_number (&test, "e.value", 0), 0, 0);
  assert_near (node_test_number (&test, "e.value", 99.0 / 24), 1, 1e-15);
  assert_near (node_test_number (&test, "e.value", 33.0 / 24), 1.0 / 3, 1e-15);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ease/figures", test_figures);
  g_test_add_func ("/ease/css", test_css);
  g_test_add_func ("/ease/elastic", test_elastic);
  g_test_add_func ("/ease/all", test_all);
  g_test_add_func ("/ease/bad", test_bad);
  g_test_add_func ("/ease/phase", test_phase);
  return g_test_run ();
}

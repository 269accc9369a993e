/* tests/techniques/smoothing: kernels and filters, against the figures of catalogue 30-90 to 30-94.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "curve/smoothing.h"

/* The reference data of the catalogue: y at x = 1 .. 10. */
static const double set_s[] = { 1.6, 1.65, 1.6, 1.8, 2.1, 2.2, 2.0, 1.5, 1.3, 1.4 };

static double *
apply (const Smoothing *smoothing, const double *values, gsize n)
{
  gsize n_out;

  return smoothing_apply (smoothing, values, n, 1, &n_out, NULL);
}

static void
check (const Smoothing *smoothing, const double *wanted, double tolerance)
{
  g_autofree double *out = apply (smoothing, set_s, 10);

  for (int i = 0; i < 10; i++)
    assert_near (out[i], wanted[i], tolerance);
}

/* 30-90 */
static void
test_linear (void)
{
  static const double once[] = { 1.6, 1.625, 1.6625, 1.825, 2.05, 2.125, 1.925, 1.575, 1.375, 1.4 };
  static const double thrice[] = { 1.6,      1.6375,    1.7140625, 1.846875, 1.98046875,
                                   2.003125, 1.8609375, 1.6359375, 1.46875,  1.4 };
  double line[20], square[20];
  g_autofree double *a = NULL, *b = NULL;

  check (&(Smoothing){ .method = SMOOTHING_LINEAR, .iterations = 1 }, once, 1e-15);
  check (&(Smoothing){ .method = SMOOTHING_LINEAR, .iterations = 3 }, thrice, 1e-14);
  check (&(Smoothing){ .method = SMOOTHING_LINEAR }, set_s, 0);
  for (int i = 0; i < 20; i++) {
    line[i] = 3 - 0.7 * i;
    square[i] = i * i;
  }
  a = apply (&(Smoothing){ .method = SMOOTHING_LINEAR, .iterations = 5 }, line, 20);
  b = apply (&(Smoothing){ .method = SMOOTHING_LINEAR, .iterations = 1 }, square, 20);
  for (int i = 1; i < 19; i++) {
    assert_near (a[i], line[i], 1e-13);
    /* It pulls towards the inside of the bend. */
    assert_near (b[i], square[i] + 0.5, 1e-12);
  }
}

/* 30-90: a wave of angular frequency w is damped by cos² (w / 2); on a closed row exactly. */
static void
test_frequency (void)
{
  double wave[64];

  for (int k = 0; k <= 32; k++) {
    const double w = 2 * KG_PI * k / 64, damped = cos (w / 2) * cos (w / 2);
    g_autofree double *out = NULL;

    for (int i = 0; i < 64; i++)
      wave[i] = cos (w * i);
    out = apply (&(Smoothing){ .method = SMOOTHING_LINEAR, .iterations = 1, .closed = true }, wave, 64);
    for (int i = 0; i < 64; i++)
      assert_near (out[i], damped * wave[i], 1e-14);
  }
}

/* 30-91, 30-92 */
static void
test_cubic (void)
{
  static const double keep[] = {
    1.6, 1.591666667, 1.641666667, 1.8125, 2.083333333, 2.191666667, 1.95, 1.55, 1.3, 1.4
  };
  static const double parabolic[] = { 1.775,       1.591666667, 1.641666667, 1.8125, 2.083333333,
                                      2.191666667, 1.95,        1.55,        1.3,    1.4 };
  static const double skip[] = { 1.6, 1.65, 1.641666667, 1.8125, 2.083333333, 2.191666667, 1.95, 1.55, 1.3, 1.4 };
  double cubic[30], square[30];
  g_autofree double *a = NULL, *b = NULL;

  check (&(Smoothing){ .method = SMOOTHING_CUBIC, .iterations = 1 }, keep, 1e-9);
  check (&(Smoothing){ .method = SMOOTHING_CUBIC, .iterations = 1, .ends = SMOOTHING_PARABOLIC }, parabolic, 1e-9);
  check (&(Smoothing){ .method = SMOOTHING_CUBIC, .iterations = 1, .ends = SMOOTHING_SKIP }, skip, 1e-9);
  for (int i = 0; i < 30; i++) {
    const double x = (i - 11) / 10.0;

    cubic[i] = 0.3 - x + 0.5 * x * x + 2 * x * x * x;
    square[i] = 1 + 2 * x - x * x;
  }
  a = apply (&(Smoothing){ .method = SMOOTHING_CUBIC, .iterations = 1 }, cubic, 30);
  for (int i = 2; i < 28; i++)
    assert_near (a[i], cubic[i], 1e-14);
  b = apply (&(Smoothing){ .method = SMOOTHING_CUBIC, .iterations = 1, .ends = SMOOTHING_PARABOLIC }, square, 30);
  for (int i = 0; i < 30; i++)
    assert_near (b[i], square[i], 1e-14);
}

/* 30-93: the weights of the built-in kernels. */
static void
test_kernels (void)
{
  static const struct {
    SmoothingKernel kernel;
    double width;
    double weights[5]; /* from the middle outwards */
  } cases[] = { { SMOOTHING_TENT, 1, { 3.0 / 4, 1.0 / 8 } },
                { SMOOTHING_TENT, 2, { 7.0 / 16, 1.0 / 4, 1.0 / 32 } },
                { SMOOTHING_BOX, 1, { 1.0 / 2, 1.0 / 4 } },
                { SMOOTHING_BOX, 1.5, { 1.0 / 3, 1.0 / 3 } } };
  const Smoothing gaussian = { .kernel = SMOOTHING_GAUSSIAN, .width = 0.7 };
  double sum = 0;

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    const Smoothing smoothing = { .kernel = cases[k].kernel, .width = cases[k].width };

    sum = 0;
    for (int j = -4; j <= 4; j++) {
      const double weight = smoothing_get_weight (&smoothing, j - 0.5, j + 0.5);

      assert_near (weight, cases[k].weights[abs (j)], 1e-15);
      sum += weight;
    }
    assert_near (sum, 1, 1e-15);
  }
  sum = 0;
  for (int j = -3; j <= 3; j++)
    sum += smoothing_get_weight (&gaussian, j - 0.5, j + 0.5);
  assert_near (sum, 1, 1e-15);
  /* The middle step holds erf (x / (sigma √2)) of it. */
  assert_near (smoothing_get_weight (&gaussian, -0.5, 0.5), erf (0.5 / 0.7 / sqrt (2)) / erf (3 / sqrt (2)), 1e-15);
}

/* 30-93: the data set, constants, means of closed rows, and other numbers of points. */
static void
test_convolution (void)
{
  static const double tent[] = { 1.6, 1.6375, 1.63125, 1.8125, 2.075, 2.1625, 1.9625, 1.5375, 1.3375, 1.4 };
  static const double extended[] = { 1.60625, 1.6375, 1.63125, 1.8125, 2.075, 2.1625, 1.9625, 1.5375, 1.3375, 1.3875 };
  static const double linear[] = { 1.6, 1.625, 1.6625, 1.825, 2.05, 2.125, 1.925, 1.575, 1.375, 1.4 };
  static const double weights[] = { 0.25, 0.5, 0.25 };
  Smoothing smoothing = { .method = SMOOTHING_CONVOLUTION, .iterations = 1, .kernel = SMOOTHING_TENT, .width = 1 };
  double constant[10], mean = 0, mean_out = 0;
  g_autofree double *flat = NULL, *round = NULL, *fine = NULL, *zero = NULL, *mirror = NULL;
  gsize n;

  check (&smoothing, tent, 1e-14);
  smoothing.ends = SMOOTHING_EXTEND;
  check (&smoothing, extended, 1e-14);
  for (int i = 0; i < 10; i++)
    constant[i] = 2.5;
  smoothing.width = 2.3;
  flat = apply (&smoothing, constant, 10);
  smoothing.closed = true;
  round = apply (&smoothing, set_s, 10);
  for (int i = 0; i < 10; i++) {
    assert_near (flat[i], 2.5, 1e-14);
    mean += set_s[i];
    mean_out += round[i];
  }
  assert_near (mean_out, mean, 1e-13);
  /* Zeros pull the ends down, mirrors do what they say. */
  smoothing = (Smoothing){ .method = SMOOTHING_CONVOLUTION, .iterations = 1, .width = 1, .ends = SMOOTHING_ZERO };
  smoothing.kernel = SMOOTHING_BOX;
  zero = apply (&smoothing, constant, 10);
  assert_near (zero[0], 0.75 * 2.5, 1e-14);
  assert_near (zero[5], 2.5, 1e-14);
  smoothing.ends = SMOOTHING_MIRROR;
  mirror = apply (&smoothing, set_s, 10);
  assert_near (mirror[0], 0.5 * 1.6 + 0.5 * 1.65, 1e-14);
  /* Turned about the ends a line stays what it is, whatever the kernel. */
  smoothing = (Smoothing){
    .method = SMOOTHING_CONVOLUTION, .iterations = 3, .width = 2, .ends = SMOOTHING_TURN, .kernel = SMOOTHING_GAUSSIAN
  };
  for (int i = 0; i < 10; i++)
    constant[i] = 0.5 * i - 1;
  g_free (flat);
  flat = apply (&smoothing, constant, 10);
  for (int i = 0; i < 10; i++)
    assert_near (flat[i], constant[i], 1e-13);
  /* A box of half-width 1 is 30-90, and so are these weights. */
  smoothing = (Smoothing){ .method = SMOOTHING_CONVOLUTION, .iterations = 1, .kernel = SMOOTHING_BOX, .width = 1 };
  check (&smoothing, linear, 1e-14);
  smoothing = (Smoothing){
    .method = SMOOTHING_CONVOLUTION, .iterations = 1, .kernel = SMOOTHING_CUSTOM, .weights = weights, .n_weights = 3
  };
  check (&smoothing, linear, 1e-14);
  /* Twice as fine: every second one is as before. */
  smoothing.output = 19;
  fine = smoothing_apply (&smoothing, set_s, 10, 1, &n, NULL);
  g_assert_cmpuint (n, ==, 19);
  for (int i = 0; i < 10; i++)
    assert_near (fine[2 * i], linear[i], 1e-14);
}

/* 30-94: lines stay lines, ends are kept, and the curve is the B-spline: its second differences are even. */
static void
test_b_spline (void)
{
  Smoothing smoothing = { .method = SMOOTHING_B_SPLINE, .iterations = 1, .every = 2, .output = 2001 };
  double line[11];
  g_autofree double *straight = NULL, *fine = NULL;
  gsize n;

  for (int i = 0; i < 11; i++)
    line[i] = 4 - 0.3 * i;
  straight = smoothing_apply (&smoothing, line, 11, 1, &n, NULL);
  for (gsize i = 0; i < n; i++)
    assert_near (straight[i], 4 - 3.0 * (double) i / 2000, 1e-12);
  fine = smoothing_apply (&smoothing, set_s, 10, 1, &n, NULL);
  g_assert_cmpuint (n, ==, 2001);
  assert_near (fine[0], 1.6, 1e-14);
  assert_near (fine[2000], 1.4, 1e-14);
  /* C2: the second derivative has no jump, also where pieces meet (30-04). */
  for (gsize i = 2; i + 2 < n; i++) {
    const double h = 5.0 / 2000, a = (fine[i - 1] - 2 * fine[i] + fine[i + 1]) / h / h,
                 b = (fine[i] - 2 * fine[i + 1] + fine[i + 2]) / h / h;

    assert_near (a, b, 0.02);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/smooth/30-90-linear", test_linear);
  g_test_add_func ("/smooth/30-90-frequency", test_frequency);
  g_test_add_func ("/smooth/30-91-30-92-cubic", test_cubic);
  g_test_add_func ("/smooth/30-93-kernels", test_kernels);
  g_test_add_func ("/smooth/30-93-convolution", test_convolution);
  g_test_add_func ("/smooth/30-94-b-spline", test_b_spline);
  return g_test_run ();
}

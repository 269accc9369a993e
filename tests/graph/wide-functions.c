/* wide-functions: the wide sine, cosine, exponential function and logarithm against long doubles: below one unit of the last
 * digit; and that loops use them only where they hold.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression.h"
#include "kg-random.h"
#include "kg-wide-functions.h"

#define DRAWS 400000

/* In units of the last digit of the exact value. */
static double
get_error (double value, long double exact)
{
  const double unit = nextafter (fabs ((double) exact), INFINITY) - fabs ((double) exact);

  return (double) (fabsl ((long double) value - exact) / (long double) unit);
}

static void
test_errors (void)
{
  double worst[4] = { 0 };

  for (guint i = 0; i < DRAWS; i++) {
    /* Of all sizes within the range. */
    const double size = pow (10, -8 + 14 * kg_random_uniform (1, i, 0)), x = size * kg_random_signed (1, i, 1);
    const double y = 700 * kg_random_signed (1, i, 2), z = pow (10, 300 * kg_random_signed (1, i, 3));
    const double near = 1 + 0.5 * kg_random_signed (1, i, 4);

    worst[0] = fmax (worst[0], get_error (kg_wide_sine (x, 0), sinl ((long double) x)));
    worst[1] = fmax (worst[1], get_error (kg_wide_sine (x, 1), cosl ((long double) x)));
    worst[2] = fmax (worst[2], get_error (kg_wide_exponential (y), expl ((long double) y)));
    worst[2] = fmax (worst[2], get_error (kg_wide_exponential (x / 1e6), expl ((long double) (x / 1e6))));
    worst[3] = fmax (worst[3], get_error (kg_wide_logarithm (z), logl ((long double) z)));
    worst[3] = fmax (worst[3], get_error (kg_wide_logarithm (near), logl ((long double) near)));
  }
  for (guint k = 0; k < 4; k++)
    if (!(worst[k] < 1))
      g_error ("function %u: %g units of the last digit", k, worst[k]);
}

/* Close to multiples of pi/2, where most digits cancel. */
static void
test_cancellation (void)
{
  for (int n = -600000; n < 600000; n += 977) {
    const double x = n * 1.5707963267948966;

    g_assert_cmpfloat (get_error (kg_wide_sine (x, 0), sinl ((long double) x)), <, 1);
    g_assert_cmpfloat (get_error (kg_wide_sine (x, 1), cosl ((long double) x)), <, 1);
  }
}

static void
test_special (void)
{
  static const char *const names[] = { "sin (x)", "cos (x)", "exp (x)", "log (x)" };
  double (*const functions[]) (double) = { sin, cos, exp, log };
  const double places[] = { 0,   -0.0, 1e6,     -1e6,  1.0000001e6, 1e300, INFINITY,  -INFINITY, NAN, 700,
                            701, -701, -745.13, 709.7, 709.79,      1,     0x1p-1022, 5e-324,    -1,  1e-320 };
  const KgFormulaVariable variable = { "x", 1, true };

  for (guint f = 0; f < 4; f++) {
    g_autoptr (KgProgram) program = kg_formula_compile (names[f], &variable, 1, NULL);
    double together[G_N_ELEMENTS (places)], *to = together;

    kg_program_run (program, (const double *[]){ places }, G_N_ELEMENTS (places), &to);
    for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
      const double wanted = functions[f](places[i]);
      double alone;

      kg_program_call (program, &places[i], &alone);
      g_assert_cmpmem (&alone, sizeof alone, &together[i], sizeof alone);
      if (isnan (wanted) ? !isnan (alone)
                         : !(alone == wanted || fabs (alone - wanted) <= 2e-16 * fabs (wanted)) ||
                               !signbit (alone) != !signbit (wanted))
        g_error ("%s at %g: %.17g, expected %.17g", names[f], places[i], alone, wanted);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wide-functions/errors", test_errors);
  g_test_add_func ("/wide-functions/cancellation", test_cancellation);
  g_test_add_func ("/wide-functions/special", test_special);
  return g_test_run ();
}

/* quadrature: integrals against closed forms and the figures of catalogue 70-102 to 70-105.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression.h"
#include "kg-math.h"
#include "value/quadrature.h"

static QuadratureResult
integrate (const char *formula, Quadrature quadrature)
{
  static const KgFormulaVariable variable = { "x", 1, false };
  g_autoptr (GError) error = NULL;
  g_autoptr (KgProgram) program = kg_formula_compile (formula, &variable, 1, NULL);
  QuadratureResult result = { .n = 0 };

  if (quadrature.tolerance == 0)
    quadrature.tolerance = 1e-12;
  quadrature_integrate (&quadrature, program, NULL, &result, &error);
  g_assert_no_error (error);
  return result;
}

static void
assert_integral (const char *formula, Quadrature quadrature, double wanted, double tolerance)
{
  g_auto (QuadratureResult) result = integrate (formula, quadrature);

  if (!(fabs (result.integral - wanted) <= tolerance))
    g_error ("%s: %.15g, expected %.15g", formula, result.integral, wanted);
}

static void
assert_rule (Quadrature quadrature, const double *places, const double *weights)
{
  g_auto (QuadratureResult) result = integrate ("1", quadrature);

  for (guint i = 0; i < quadrature.n; i++) {
    g_assert_cmpfloat_with_epsilon (result.places[i], places[i], 2e-14);
    g_assert_cmpfloat_with_epsilon (result.weights[i], weights[i], 2e-14);
  }
}

static void
test_gauss (void)
{
  static const double half[] = { 0.148874338981631, 0.433395394129247, 0.679409568299024, 0.865063366688985,
                                 0.973906528517172 };
  static const double half_weights[] = { 0.295524224714753, 0.269266719309996, 0.219086362515982, 0.149451349150581,
                                         0.066671344308688 };
  double places[10], weights[10];

  for (guint i = 0; i < 5; i++) {
    places[4 - i] = -half[i];
    places[5 + i] = half[i];
    weights[4 - i] = weights[5 + i] = half_weights[i];
  }
  assert_rule ((Quadrature){ .n = 10, .from = -1, .to = 1 }, places, weights);
  assert_rule ((Quadrature){ .n = 2, .from = -1, .to = 1 }, (double[]){ -0.577350269189626, 0.577350269189626 },
               (double[]){ 1, 1 });
  assert_rule (
      (Quadrature){ .n = 5, .from = -1, .to = 1 },
      (double[]){ -0.906179845938664, -0.538469310105683, 0, 0.538469310105683, 0.906179845938664 },
      (double[]){ 0.236926885056189, 0.478628670499366, 0.568888888888889, 0.478628670499366, 0.236926885056189 });
  for (guint n = 1; n <= QUADRATURE_MAX_POINTS; n = n * 3 + 1)
    assert_integral ("1", (Quadrature){ .n = n, .from = -1, .to = 1 }, 2, 1e-12);
  assert_integral ("x^9", (Quadrature){ .n = 5, .to = 1 }, 0.1, 1e-15);
  assert_integral ("x^10", (Quadrature){ .n = 5, .to = 1 }, 1.0 / 11 - 1.4315490506e-6, 1e-15);
  assert_integral ("exp (x)", (Quadrature){ .n = 2, .to = 1 }, exp (1) - 1 - 3.85e-4, 5e-7);
  assert_integral ("exp (x)", (Quadrature){ .n = 5, .to = 1 }, exp (1) - 1, 1e-12);
  assert_integral ("sqrt (1 + 4*x^2)", (Quadrature){ .n = 10, .to = 1 }, 1.47894285754460, 1e-11);
  assert_integral ("sqrt (x)", (Quadrature){ .n = 10, .to = 1 }, 2.0 / 3 + 8.94e-5, 1e-7);
  assert_integral ("1/(1 + x^2)", (Quadrature){ .n = 10, .from = -5, .to = 5 }, 2 * atan (5) - 0.0949, 5e-5);
  /* The other way round the sign changes. */
  assert_integral ("x^2", (Quadrature){ .n = 3, .from = 2, .to = -1 }, -3, 1e-13);
}

static void
test_weighted (void)
{
  const double s = sqrt (1.5), r = sqrt (2);

  assert_rule ((Quadrature){ .method = QUADRATURE_WEIGHTED, .weight = QUADRATURE_HERMITE, .n = 3, .to = 1 },
               (double[]){ -s, 0, s }, (double[]){ 0.295408975150919, 1.18163590060368, 0.295408975150919 });
  assert_rule ((Quadrature){ .method = QUADRATURE_WEIGHTED, .weight = QUADRATURE_LAGUERRE, .n = 2, .to = 1 },
               (double[]){ 2 - r, 2 + r }, (double[]){ (2 + r) / 4, (2 - r) / 4 });
  assert_integral ("x^4", (Quadrature){ .method = QUADRATURE_WEIGHTED, .weight = QUADRATURE_HERMITE, .n = 3, .to = 1 },
                   1.32934038817914, 1e-13);
  assert_integral ("x^3", (Quadrature){ .method = QUADRATURE_WEIGHTED, .weight = QUADRATURE_LAGUERRE, .n = 2, .to = 1 },
                   6, 1e-12);
  assert_integral (
      "1", (Quadrature){ .method = QUADRATURE_WEIGHTED, .weight = QUADRATURE_CHEBYSHEV, .n = 4, .from = -1, .to = 1 },
      KG_PI, 1e-13);
  assert_integral (
      "1", (Quadrature){ .method = QUADRATURE_WEIGHTED, .weight = QUADRATURE_CHEBYSHEV2, .n = 4, .from = -1, .to = 1 },
      KG_PI / 2, 1e-13);
  assert_integral (
      "x",
      (Quadrature){
          .method = QUADRATURE_WEIGHTED, .weight = QUADRATURE_JACOBI, .n = 4, .to = 1, .alpha = 1, .beta = 1 },
      1.0 / 12, 1e-14);
}

static void
test_others (void)
{
  g_auto (QuadratureResult) result = integrate ("sqrt (x)", (Quadrature){ .n = 10, .to = 1 });

  /* The error against the adaptive rule. */
  g_assert_cmpfloat_with_epsilon (result.error, 8.94e-5, 1e-7);
  assert_integral ("x^3 + x", (Quadrature){ .method = QUADRATURE_SIMPSON, .n = 2, .to = 2 }, 6, 1e-14);
  assert_integral ("x", (Quadrature){ .method = QUADRATURE_TRAPEZOID, .n = 1, .from = 1, .to = 3 }, 4, 1e-14);
  /* Whole periods: trapezoids are exact up to the number of points. */
  assert_integral ("cos (x)^2", (Quadrature){ .method = QUADRATURE_TRAPEZOID, .n = 5, .to = 2 * KG_PI }, KG_PI, 1e-14);
  assert_integral ("log (x)", (Quadrature){ .method = QUADRATURE_ADAPTIVE, .n = 1, .from = 0, .to = 1 }, -1, 1e-10);
  assert_integral ("1/sqrt (x)", (Quadrature){ .method = QUADRATURE_ADAPTIVE, .n = 1, .from = 0, .to = 1 }, 2, 1e-10);
}

static void
test_refusals (void)
{
  const struct {
    const char *formula;
    Quadrature quadrature;
    const char *message;
  } cases[] = {
    { "1/x",
      { .n = 3, .from = -1, .to = 1 },
      "the formula has no finite value at 0: integrate up to there, or around it" },
    { "1/x",
      { .method = QUADRATURE_ADAPTIVE, .n = 1, .from = 0, .to = 1, .tolerance = 1e-10 },
      "the integral does not converge to a tolerance of 1e-10: raise it, or look for a pole in the range" },
    { "x",
      { .method = QUADRATURE_WEIGHTED, .weight = QUADRATURE_JACOBI, .n = 3, .to = 1, .alpha = -1 },
      "alpha -1 and beta 0 must be greater than -1" },
    { "x",
      { .method = QUADRATURE_WEIGHTED, .n = 3, .from = 1, .to = 1 },
      "a weighted integral must end (at 1) beyond its start" },
    { "x",
      { .method = QUADRATURE_WEIGHTED, .weight = QUADRATURE_HERMITE, .n = 3, .to = 0 },
      "the rate of decay 0 must be greater than zero" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    static const KgFormulaVariable variable = { "x", 1, false };
    g_autoptr (GError) error = NULL;
    g_autoptr (KgProgram) program = kg_formula_compile (cases[i].formula, &variable, 1, NULL);
    g_auto (QuadratureResult) result = { .n = 0 };

    g_assert_false (quadrature_integrate (&cases[i].quadrature, program, NULL, &result, &error));
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quadrature/70-103-70-104-70-105-gauss", test_gauss);
  g_test_add_func ("/quadrature/70-102-weighted", test_weighted);
  g_test_add_func ("/quadrature/others", test_others);
  g_test_add_func ("/quadrature/refusals", test_refusals);
  return g_test_run ();
}

/* equations: integration of typed systems against closed forms and the figures of catalogue 70-106 to 70-112.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-math.h"
#include "sim/equations.h"

static const double no_numbers[EQUATIONS_NUMBERS] = { 0 };

/* Integrates n steps of length h; the values. */
static void
solve (const char *rows, const char *start, EquationsMethod method, double h, guint n, double tolerance,
       const double *numbers, double *values, int64_t *evaluations)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Equations) equations = equations_new (rows, &error);
  const char *missing;
  int64_t counted = 0;
  double step = method >= EQUATIONS_RKF45 ? 0.01 : 0;

  g_assert_no_error (error);
  equations_read_start (equations, start, numbers, values, &missing, &error);
  g_assert_no_error (error);
  equations_check (equations, method, &error);
  g_assert_no_error (error);
  equations_integrate (equations, method, numbers, 0, n * h, n, tolerance, &step, values, &counted, NULL, &error);
  g_assert_no_error (error);
  if (evaluations != NULL)
    *evaluations = counted;
}

static double
solve_one (const char *rows, const char *start, EquationsMethod method, double h, guint n)
{
  double values[EQUATIONS_MAX];

  solve (rows, start, method, h, n, 0, no_numbers, values, NULL);
  return values[0];
}

/* y' = y and y' = -2 t y² to t = 1; a throw. */
static void
test_explicit (void)
{
  const struct {
    const char *rows, *start;
    EquationsMethod method;
    double h, value;
  } cases[] = {
    { "y' = y", "y = 1", EQUATIONS_EULER, 0.1, 2.5937424601 },
    { "y' = y", "y = 1", EQUATIONS_MIDPOINT, 0.1, 2.714080846608 },
    { "y' = y", "y = 1", EQUATIONS_HEUN, 0.1, 2.714080846608 },
    { "y' = y", "y = 1", EQUATIONS_RK4, 0.1, 2.718279744135 },
    { "y' = y", "y = 1", EQUATIONS_EULER, 0.05, 2.653297705144 },
    { "y' = y", "y = 1", EQUATIONS_MIDPOINT, 0.05, 2.717191054355 },
    { "y' = y", "y = 1", EQUATIONS_RK4, 0.05, 2.718281692656 },
    { "y' = -2*t*y^2", "y = 1", EQUATIONS_EULER, 0.25, 0.508356094360 },
    { "y' = -2*t*y^2", "y = 1", EQUATIONS_MIDPOINT, 0.25, 0.496538854685 },
    { "y' = -2*t*y^2", "y = 1", EQUATIONS_HEUN, 0.25, 0.504810625582 },
    { "y' = -2*t*y^2", "y = 1", EQUATIONS_RK4, 0.25, 0.500013552537 },
    { "y'' = -9.81", "y' = 8", EQUATIONS_MIDPOINT, 0.1, 3.095 },
    { "y'' = -9.81", "y' = 8", EQUATIONS_RK4, 0.1, 3.095 },
    { "y'' = -9.81", "y' = 8", EQUATIONS_LEAPFROG, 0.1, 3.095 },
    { "y'' = -9.81", "y' = 8", EQUATIONS_EULER, 0.1, 3.5855 },
    { "y'' = -9.81", "y' = 8", EQUATIONS_SYMPLECTIC, 0.1, 2.6045 },
    { "y' = t^3", "", EQUATIONS_RK4, 0.25, 0.25 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double value =
        solve_one (cases[i].rows, cases[i].start, cases[i].method, cases[i].h, (guint) round (1 / cases[i].h));

    if (!(fabs (value - cases[i].value) <= 6e-13))
      g_error ("case %zu (%s): %.13g, expected %.13g", i, cases[i].rows, value, cases[i].value);
  }
}

/* x'' = -x from 1, h = 0.1, 100 steps: energies and the quantities that are kept. */
static void
test_oscillator (void)
{
  double y[EQUATIONS_MAX];

  solve ("x'' = -x", "x = 1", EQUATIONS_EULER, 0.1, 100, 0, no_numbers, y, NULL);
  g_assert_cmpfloat_with_epsilon ((y[0] * y[0] + y[1] * y[1]) / 2, 1.352406914711, 1e-12);
  solve ("x'' = -x", "x = 1", EQUATIONS_MIDPOINT, 0.1, 100, 0, no_numbers, y, NULL);
  g_assert_cmpfloat_with_epsilon ((y[0] * y[0] + y[1] * y[1]) / 2, 0.501251548139, 1e-12);
  solve ("x'' = -x", "x = 1", EQUATIONS_RK4, 0.1, 100, 0, no_numbers, y, NULL);
  g_assert_cmpfloat_with_epsilon ((y[0] * y[0] + y[1] * y[1]) / 2, 0.499999306424, 1e-12);
  solve ("x'' = -x", "x = 1", EQUATIONS_SYMPLECTIC, 0.1, 100, 0, no_numbers, y, NULL);
  g_assert_cmpfloat_with_epsilon (y[0], -0.809384821133, 1e-12);
  g_assert_cmpfloat_with_epsilon (y[1], 0.548202119544, 1e-12);
  g_assert_cmpfloat_with_epsilon (y[0] * y[0] + y[1] * y[1] - 0.1 * y[0] * y[1], 1, 1e-13);
  solve ("x' = v; v' = -x", "x = 1", EQUATIONS_LEAPFROG, 0.1, 100, 0, no_numbers, y, NULL);
  g_assert_cmpfloat_with_epsilon (y[0], -0.836794927110, 1e-12);
  g_assert_cmpfloat_with_epsilon (y[1], 0.546831614245, 1e-12);
  g_assert_cmpfloat_with_epsilon (y[1] * y[1] + (1 - 0.0025) * y[0] * y[0], 0.9975, 1e-13);
  solve ("x'' = -x", "x = 1", EQUATIONS_TRAPEZOID, 0.1, 100, 0, no_numbers, y, NULL);
  g_assert_cmpfloat_with_epsilon (y[0] * y[0] + y[1] * y[1], 1, 1e-13);
}

static void
test_stiff (void)
{
  double y[EQUATIONS_MAX];
  int64_t adaptive, stiff;

  g_assert_cmpfloat_with_epsilon (solve_one ("y' = -100*y", "y = 1", EQUATIONS_EULER, 0.1, 10), 3486784401.0, 1e-4);
  g_assert_cmpfloat_with_epsilon (solve_one ("y' = -100*y", "y = 1", EQUATIONS_IMPLICIT, 0.1, 10), 3.855432894295e-11,
                                  1e-22);
  /* Van der Pol with mu = 100, which rkf45 needs small steps for. */
  solve ("x'' = 100*(1 - x^2)*x' - x", "x = 2", EQUATIONS_BSIMP, 1, 50, 1e-6, no_numbers, y, &stiff);
  solve ("x'' = 100*(1 - x^2)*x' - x", "x = 2", EQUATIONS_RKF45, 1, 50, 1e-6, no_numbers, y, &adaptive);
  g_assert_cmpint (stiff, <, adaptive / 2);
  /* A logistic rate, whose implicit step is not linear: y1 = y0 + h y1 (1 - y1). */
  {
    const double h = 0.5, b = 1 - h, y0 = 0.2;

    g_assert_cmpfloat_with_epsilon (solve_one ("y' = y*(1 - y)", "y = 0.2", EQUATIONS_IMPLICIT, h, 1),
                                    (-b + sqrt (b * b + 4 * h * y0)) / (2 * h), 1e-15);
  }
}

/* Rates that jump: every method that chooses its steps finds the place. */
static void
test_jumps (void)
{
  static const EquationsMethod methods[] = { EQUATIONS_RKF45, EQUATIONS_RK8PD, EQUATIONS_BSIMP };
  const double late = 2 - sqrt (2);
  double y[EQUATIONS_MAX];

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    solve ("x' = floor(3*t)", "x = 0", methods[i], 0.1, 20, 1e-9, no_numbers, y, NULL);
    g_assert_cmpfloat_with_epsilon (y[0], 5, 1e-6);
    /* Pulled to 0 with the same force on both sides. */
    solve ("x'' = x > 0 ? -1 : 1", "x = 1", methods[i], 0.1, 20, 1e-9, no_numbers, y, NULL);
    g_assert_cmpfloat_with_epsilon (y[0], -sqrt (2) * late + 0.5 * late * late, 1e-6);
    solve ("x' = mod(t, 0.5) < 0.25 ? -100*x : 100*(1 - x)", "x = 1", methods[i], 0.1, 20, 1e-9, no_numbers, y, NULL);
    g_assert_cmpfloat_with_epsilon (y[0], 1, 1e-6);
  }
}

/* A circular orbit, one period: the error is a few times the tolerance. */
static void
test_adaptive (void)
{
  static const char orbit[] = "x'' = -x/(x^2 + y^2)^1.5; y'' = -y/(x^2 + y^2)^1.5";
  const double tolerances[] = { 1e-6, 1e-8, 1e-11 };
  const int64_t expected[2][3] = { { 187, 439, 1699 }, { 170, 248, 482 } };

  for (guint m = 0; m < 2; m++)
    for (guint i = 0; i < 3; i++) {
      double y[EQUATIONS_MAX];
      int64_t evaluations;

      solve (orbit, "x = 1, y' = 1", m == 0 ? EQUATIONS_RKF45 : EQUATIONS_RK8PD, 2 * KG_PI, 1, tolerances[i],
             no_numbers, y, &evaluations);
      /* (Relative to the values, as well as absolute: twice what an absolute tolerance gives.) */
      g_assert_cmpfloat (hypot (y[0] - 1, y[1]), <=, (m == 0 ? 400 : 20) * tolerances[i]);
      g_assert_cmpint (evaluations, <, expected[m][i] * 5 / 4);
    }
  {
    double y[EQUATIONS_MAX];

    solve (orbit, "x = 1, y' = 1", EQUATIONS_RK4, 2 * KG_PI / 1000, 1000, 0, no_numbers, y, NULL);
    g_assert_cmpfloat_with_epsilon (fabs (y[1]), 2.325e-10, 1e-12);
  }
}

/* 70-113: the slopes of the error over the step, in logarithms, are 1, 2 and 4. */
static void
test_orders (void)
{
  const struct {
    EquationsMethod method;
    double slope, tolerance;
  } cases[] = { { EQUATIONS_EULER, 1, 0.1 },    { EQUATIONS_SYMPLECTIC, 1, 0.1 }, { EQUATIONS_LEAPFROG, 2, 0.1 },
                { EQUATIONS_MIDPOINT, 2, 0.1 }, { EQUATIONS_HEUN, 2, 0.1 },       { EQUATIONS_RK4, 4, 0.2 },
                { EQUATIONS_IMPLICIT, 1, 0.1 }, { EQUATIONS_TRAPEZOID, 2, 0.1 } };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double coarse = solve_one ("x'' = -x", "x = 1; x' = 0.5", cases[i].method, 0.01, 100);
    const double fine = solve_one ("x'' = -x", "x = 1; x' = 0.5", cases[i].method, 0.005, 200);
    const double exact = cos (1) + 0.5 * sin (1);
    const double slope = log2 ((coarse - exact) / (fine - exact));

    if (!(fabs (slope - cases[i].slope) <= cases[i].tolerance))
      g_error ("case %zu: slope %g, expected %g", i, slope, cases[i].slope);
  }
}

/* Two half runs are one run, bit for bit; leapfrog turned back returns to where it began. */
static void
test_steps_compose (void)
{
  g_autoptr (Equations) equations = equations_new ("x'' = -sin(x) + a*cos(2*t)", NULL);
  const double numbers[EQUATIONS_NUMBERS] = { 0.5 };
  double whole[2] = { 1, 0 }, halves[2] = { 1, 0 }, step = 0;
  int64_t evaluations = 0;

  equations_integrate (equations, EQUATIONS_RK4, numbers, 0, 2, 64, 0, &step, whole, &evaluations, NULL, NULL);
  equations_integrate (equations, EQUATIONS_RK4, numbers, 0, 1, 32, 0, &step, halves, &evaluations, NULL, NULL);
  equations_integrate (equations, EQUATIONS_RK4, numbers, 1, 1, 32, 0, &step, halves, &evaluations, NULL, NULL);
  g_assert_cmpmem (whole, sizeof whole, halves, sizeof halves);
  {
    g_autoptr (Equations) there = equations_new ("x'' = -x", NULL), back = equations_new ("x'' = -x", NULL);
    double y[2] = { 1, 0.25 };

    equations_integrate (there, EQUATIONS_LEAPFROG, numbers, 0, 10, 100, 0, &step, y, &evaluations, NULL, NULL);
    y[1] = -y[1];
    equations_integrate (back, EQUATIONS_LEAPFROG, numbers, 0, 10, 100, 0, &step, y, &evaluations, NULL, NULL);
    g_assert_cmpfloat_with_epsilon (y[0], 1, 1e-13);
    g_assert_cmpfloat_with_epsilon (y[1], -0.25, 1e-13);
  }
}

static void
test_refusals (void)
{
  const struct {
    const char *rows, *start, *message;
  } cases[] = {
    { "", "", "there are no equations: write x' = a formula, or x'' = a formula" },
    { "x' + 1", "", "row 1, \"x' + 1\", has no \"=\": write x' = a formula, or x'' = a formula" },
    { "x = 1", "", "row 1: the left side is derivative 0 of x: write one ' or two" },
    { "x''' = 1", "", "row 1: the left side is derivative 3 of x: write one ' or two" },
    { "x' = x\nx'' = 1", "", "row 1: x already has an equation" },
    { "t' = 1", "",
      "row 1: \"t\" cannot be a variable: use a name of letters and digits, but none of t, a, b, c, d, e, pi" },
    { "x' = x +* 2", "", "row 1: column 4: a value is missing before \"*\"" },
    { "x'' = -x\ny' = z", "",
      "row 2: column 1: unknown name \"z\": a formula can use x, y, x', t, a, b, c, d, pi and e" },
    { "x' = y'; y' = 1", "", "row 1: column 1: unknown name \"y'\": a formula can use x, y, t, a, b, c, d, pi and e" },
    { "x' = 1, 2", "", "row 1: 2 results: write one number" },
    { "x' = 1", "y = 2", "start, row 1: no equation has the variable y" },
    { "x' = 1", "x = 1/0", "start, row 1: \"1/0\" is not one finite number" },
    { "x' = 1", "x = max(1,", "start, row 1: column 7: unexpected end: a value is missing" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Equations) equations = equations_new (cases[i].rows, &error);
    double values[EQUATIONS_MAX];
    const char *missing;

    if (equations != NULL)
      g_assert_false (equations_read_start (equations, cases[i].start, no_numbers, values, &missing, &error));
    g_assert_nonnull (error);
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
}

static void
fails_saying (const char *rows, const char *start, EquationsMethod method, double seconds, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Equations) equations = equations_new (rows, NULL);
  double values[EQUATIONS_MAX], step = 0;
  const char *missing;
  int64_t evaluations = 0;

  equations_read_start (equations, start, no_numbers, values, &missing, NULL);
  g_assert_false (equations_integrate (equations, method, no_numbers, 0, seconds, 1000, 1e-6, &step, values,
                                       &evaluations, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DIVERGED);
  if (strstr (error->message, words) == NULL)
    g_error ("%s: %s", rows, error->message);
}

static void
test_blow_up (void)
{
  fails_saying ("x' = 0; y' = y^2", "y = 1", EQUATIONS_RK4, 2, "y grew beyond all bounds at t = 1.0");
  fails_saying ("y' = y^2", "y = 1", EQUATIONS_RKF45, 2, "at t = 1 s");
  fails_saying ("y' = y^2", "y = 1", EQUATIONS_RK8PD, 2, "at t = ");
  fails_saying ("y' = y^2", "y = 1", EQUATIONS_BSIMP, 2, "at t = ");
  fails_saying ("y' = sqrt(y)", "y = -1", EQUATIONS_EULER, 1, "the rate of y has no finite value at t = 0");
  fails_saying ("y' = sqrt(y)", "y = -1", EQUATIONS_RK8PD, 1, "the rate of y has no finite value at t = 0 s");
  fails_saying ("y' = y^2 + 1", "y = 0", EQUATIONS_IMPLICIT, 2000, "has no solution that Newton's method finds");
  /* Which of the variables it is. */
  fails_saying ("x' = 1; y' = y^2; z' = -z", "y = 1; z = 9", EQUATIONS_RKF45, 2, "at t = 1 s, where y grows");
  fails_saying ("x' = 1; y' = y^2; z' = -z", "y = 1; z = 9", EQUATIONS_RK8PD, 2, "where y grows");
  fails_saying ("x' = 1; y' = y^2; z' = -z", "y = 1; z = 9", EQUATIONS_BSIMP, 2, "where y grows");
  fails_saying ("x' = 1; y' = y^2 + 1", "y = 0", EQUATIONS_IMPLICIT, 2000, "(y changes fastest)");
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (Equations) equations = equations_new ("x' = -x", NULL);

    g_assert_false (equations_check (equations, EQUATIONS_LEAPFROG, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/equations/70-107-70-108-70-109-explicit", test_explicit);
  g_test_add_func ("/equations/70-110-oscillator", test_oscillator);
  g_test_add_func ("/equations/70-111-stiff", test_stiff);
  g_test_add_func ("/equations/70-112-adaptive", test_adaptive);
  g_test_add_func ("/equations/70-113-orders", test_orders);
  g_test_add_func ("/equations/70-106-steps-compose", test_steps_compose);
  g_test_add_func ("/equations/refusals", test_refusals);
  g_test_add_func ("/equations/blow-up", test_blow_up);
  g_test_add_func ("/equations/70-112-jumps", test_jumps);
  return g_test_run ();
}

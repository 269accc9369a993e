/* program: the same bits for one point and for many, derivatives against closed forms and differences, columns.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression.h"
#include "kg-random.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#define N_POINTS 20011

static const KgFormulaVariable variables[] = {
  { "x", 1, true }, { "y", 1, true }, { "p", 3, true }, { "a", 1, false }, { "c", 4, false },
};
#define N_INPUTS 10

static KgProgram *
compile (const char *text)
{
  g_autoptr (GError) error = NULL;
  KgProgram *program = kg_formula_compile (text, variables, G_N_ELEMENTS (variables), &error);

  g_assert_no_error (error);
  g_assert_cmpuint (kg_program_get_n_inputs (program), ==, N_INPUTS);
  return program;
}

static const char *const texts[] = {
  "x + y * a - 3",
  "x * x - 2 * x * y + y^2",
  "x^3 - x^4 + x^a + x^-1",
  "sqrt (abs (x)) / (1 + y^2)",
  "sin (x) * cos (y) + tan (x / 3)",
  "exp (-x^2) + log (1 + y^2) + log2 (3 + x^2) + log10 (2 + y^2)",
  "atan2 (y, x) + hypot (x, y) + cbrt (x)",
  "asin (x / 20) + acos (y / 20) + atan (x) + asinh (x) + acosh (20 + x) + atanh (y / 20)",
  "sinh (x / 4) + cosh (y / 4) + tanh (x)",
  "mod (x, 3) + fract (y) + floor (x) + ceil (y) + round (x) + rint (y) + trunc (x)",
  "min (x, y, a) + max (x, 2 * y)",
  "x > 0 ? sqrt (x) : -y",
  "x > y and not (x < 0) or y == a ? x : y",
  "smoothstep (-1, 1, x) + smoothstep (x, y, a) + fit (x, -10, 10, 0, a) + clamp (x, y, a)",
  "ramp (x, -5, y, 0, 2, 5, a)",
  "noise (x, y, a) + noise (p) + noise (x)",
  "random (x) + random (a)",
  "normalize (p) * x + cross (p, [x, y, a])",
  "c * x + 1",
  "length (p - [x, y, 0]) + p.x * p.y - p.z",
  "a * 2 + sin (a)",
  /* The same number twice, and ones that others are made of. */
  "x * 2, sin (x * 2) + y, x * 2, (sin (x * 2) + y) * x",
  "y, exp (y), y, exp (y)",
  "x",
  "a",
  "7",
};

static void
fill (double *const *columns)
{
  for (guint i = 0; i < N_INPUTS; i++)
    for (size_t k = 0; k < N_POINTS; k++)
      columns[i][k] = 8 * kg_random_signed (1, i, k);
}

/* One point at a time, all points at once, on one thread and on several. */
static void
test_same_bits (void)
{
  double *inputs[N_INPUTS], *results[2][4];

  for (guint i = 0; i < N_INPUTS; i++)
    inputs[i] = g_new (double, N_POINTS);
  for (guint i = 0; i < 8; i++)
    results[i / 4][i % 4] = g_new (double, N_POINTS);
  fill (inputs);
  for (size_t t = 0; t < G_N_ELEMENTS (texts); t++) {
    g_autoptr (KgProgram) program = compile (texts[t]);
    const guint n = kg_program_get_n_results (program);

    omp_set_num_threads (1);
    kg_program_run (program, (const double *const *) inputs, N_POINTS, results[0]);
    omp_set_num_threads (4);
    kg_program_run (program, (const double *const *) inputs, N_POINTS, results[1]);
    for (guint r = 0; r < n; r++)
      g_assert_cmpmem (results[0][r], N_POINTS * sizeof (double), results[1][r], N_POINTS * sizeof (double));
    for (size_t k = 0; k < N_POINTS; k += 7) {
      double point[N_INPUTS], result[4];

      for (guint i = 0; i < N_INPUTS; i++)
        point[i] = inputs[i][i < 5 ? k : 0];
      kg_program_call (program, point, result);
      for (guint r = 0; r < n; r++)
        if (memcmp (&result[r], &results[0][r][k], sizeof (double)) != 0)
          g_error ("%s: result %u at point %zu is %a alone, %a among others", texts[t], r, k, result[r],
                   results[0][r][k]);
    }
  }
  for (guint i = 0; i < N_INPUTS; i++)
    g_free (inputs[i]);
  for (guint i = 0; i < 8; i++)
    g_free (results[i / 4][i % 4]);
}

/* Against central differences in five points, of error h^4, away from jumps. */
static void
test_derivatives (void)
{
  for (size_t t = 0; t < G_N_ELEMENTS (texts); t++) {
    g_autoptr (KgProgram) program = compile (texts[t]);
    const guint n = kg_program_get_n_results (program);

    if (strstr (texts[t], "random") != NULL)
      continue;
    for (guint input = 0; input < N_INPUTS; input++) {
      g_autoptr (GError) error = NULL;
      g_autoptr (KgProgram) derived = kg_program_add_derivatives (program, 0, n, input, &error);

      g_assert_no_error (error);
      for (guint k = 0; k < 50; k++) {
        double point[N_INPUTS], values[8], around[5][4];
        const double h = 1e-3;

        for (guint i = 0; i < N_INPUTS; i++)
          point[i] = 4 * kg_random_signed (2, i, k) + 1e-3;
        kg_program_call (derived, point, values);
        for (int s = -2; s <= 2; s++) {
          double beside[N_INPUTS];

          memcpy (beside, point, sizeof beside);
          beside[input] += s * h;
          kg_program_call (program, beside, around[s + 2]);
        }
        for (guint r = 0; r < n; r++) {
          const double d = (around[0][r] - 8 * around[1][r] + 8 * around[3][r] - around[4][r]) / (12 * h);
          const double rough =
              fabs (around[0][r] - 4 * around[1][r] + 6 * around[2][r] - 4 * around[3][r] + around[4][r]);

          g_assert_true (memcmp (&values[r], &around[2][r], sizeof (double)) == 0);
          /* A jump, a corner or a pole between the places shows in the fourth difference. */
          if (!isfinite (d) || rough > 1e-9)
            continue;
          if (!(fabs (values[n + r] - d) <= 1e-7 * fmax (1, fabs (d))))
            g_error ("%s: derivative %u by input %u is %.12g, differences give %.12g", texts[t], r, input,
                     values[n + r], d);
        }
      }
    }
  }
}

/* Of any order. */
static void
test_high_order (void)
{
  const struct {
    const char *text;
    double at, values[5];
  } cases[] = {
    { "sin (x)",
      0.7,
      { 0.644217687237691, 0.764842187284489, -0.644217687237691, -0.764842187284489, 0.644217687237691 } },
    { "x^5", 2, { 32, 80, 160, 240, 240 } },
    { "x^2.5", 4, { 32, 20, 7.5, 0.9375, -0.1171875 } },
    { "exp (2 * x)", 0, { 1, 2, 4, 8, 16 } },
    { "1 / (1 + x)", 0, { 1, -1, 2, -6, 24 } },
    { "log (x)", 1, { 0, 1, -1, 2, -6 } },
    { "2^x", 0, { 1, 0.693147180559945, 0.480453013918201, 0.333024651988929, 0.230835098583083 } },
    { "sqrt (x)", 1, { 1, 0.5, -0.25, 0.375, -0.9375 } },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    KgProgram *program = compile (cases[i].text);
    double point[N_INPUTS] = { cases[i].at }, values[5];

    for (guint order = 0; order < 4; order++) {
      KgProgram *next = kg_program_add_derivatives (program, order, 1, 0, NULL);

      kg_program_unref (program);
      program = next;
    }
    kg_program_call (program, point, values);
    for (guint k = 0; k < 5; k++)
      if (!(fabs (values[k] - cases[i].values[k]) <= 2e-14 * fmax (1, fabs (values[k]))))
        g_error ("%s: derivative %u is %.15g, expected %.15g", cases[i].text, k, values[k], cases[i].values[k]);
    kg_program_unref (program);
  }
}

/* Noise is smooth enough for two, and its third is that of each cell. */
static void
test_noise (void)
{
  const double h = 1e-4;
  g_autoptr (KgProgram) program = compile ("noise (p)"), second = NULL;

  {
    g_autoptr (KgProgram) first = kg_program_add_derivatives (program, 0, 1, 2, NULL);

    second = kg_program_add_derivatives (first, 1, 1, 3, NULL);
  }
  for (guint k = 0; k < 200; k++) {
    double point[N_INPUTS] = { 0 }, values[3], around[4];

    for (guint i = 2; i < 5; i++)
      point[i] = 5 * kg_random_signed (3, i, k);
    kg_program_call (second, point, values);
    for (guint s = 0; s < 4; s++) {
      double beside[N_INPUTS];

      memcpy (beside, point, sizeof beside);
      beside[2] += (s & 1) != 0 ? h : -h;
      beside[3] += (s & 2) != 0 ? h : -h;
      kg_program_call (program, beside, &around[s]);
    }
    g_assert_cmpfloat_with_epsilon (values[2], (around[3] - around[2] - around[1] + around[0]) / (4 * h * h), 1e-5);
  }
}

static void
test_sizes (void)
{
  g_autoptr (KgProgram) folded = compile ("2 * pi * a + sin (1)"), twice = compile ("sin (x) * sin (x) + sin (x)");
  g_autoptr (KgProgram) same = compile ("sin(x)*sin(x)+sin(x)"), other = compile ("sin (y) * sin (y) + sin (y)");
  KgProgram *program = compile ("noise (sin (x * y), exp (p.x * x), tan (x + noise (x)))");

  /* Nothing for each point that is the same for all, and nothing twice. */
  g_assert_cmpuint (kg_program_get_n_operations (folded), ==, 0);
  g_assert_cmpuint (kg_program_get_n_operations (twice), ==, 3);
  g_assert_true (kg_program_equal (twice, same));
  g_assert_false (kg_program_equal (twice, other));
  g_assert_true (kg_program_ignores_input (twice, 1));
  g_assert_false (kg_program_ignores_input (twice, 0));
  /* Derivatives of derivatives grow until they are refused. */
  for (guint order = 0; program != NULL; order++) {
    g_autoptr (GError) error = NULL;
    KgProgram *next = kg_program_add_derivatives (program, kg_program_get_n_results (program) - 1, 1, 0, &error);

    g_assert_true ((next == NULL) == (error != NULL));
    if (error != NULL)
      g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
    kg_program_unref (program);
    program = next;
    g_assert_cmpuint (order, <, 30);
  }
}

static void
test_messages (void)
{
  const struct {
    const char *text, *message;
  } cases[] = {
    { "z", "column 1: unknown name \"z\": a formula can use x, y, p, a, c, pi and e" },
    { "t", "column 1: unknown name \"t\": a formula can use x, y, p, a, c, pi and e" },
    { "p.r", "column 2: a vector has no component \"r\"" },
    { "x.y", "column 1: a formula cannot read \"x.y\": link it to one of the numbers that the formula can use" },
    { "p + c", "column 3: \"+\" cannot take a vector and a colour: use components" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (kg_formula_compile (cases[i].text, variables, G_N_ELEMENTS (variables), &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_EXPRESSION);
    g_assert_cmpstr (error->message, ==, cases[i].message);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/same-bits", test_same_bits);
  g_test_add_func ("/program/derivatives", test_derivatives);
  g_test_add_func ("/program/high-order", test_high_order);
  g_test_add_func ("/program/noise", test_noise);
  g_test_add_func ("/program/sizes", test_sizes);
  g_test_add_func ("/program/messages", test_messages);
  return g_test_run ();
}

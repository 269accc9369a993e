/* seek: roots, minima and fits against closed forms and the figures of catalogue 70-114 to 70-116.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-expression.h"
#include "value/seek.h"

static const KgFormulaVariable unknowns[] = { { "x", 1, false }, { "y", 1, false }, { "z", 1, false } };

static KgProgram *
compile (const char *formula)
{
  g_autoptr (GError) error = NULL;
  KgProgram *program = kg_formula_compile (formula, unknowns, G_N_ELEMENTS (unknowns), &error);

  g_assert_no_error (error);
  return program;
}

/* The unknowns are the first n of x, y and z. */
static SeekResult
solve (const char *formula, Seek seek)
{
  static const double inputs[3] = { 0, 0, 0 };
  g_autoptr (KgProgram) program = compile (formula);
  g_autoptr (GError) error = NULL;
  SeekResult result;

  seek.formula = program;
  seek.inputs = inputs;
  seek.n = MAX (seek.n, 1);
  for (guint i = 0; i < seek.n; i++)
    seek.unknowns[i] = i;
  seek.starts = MAX (seek.starts, 1);
  seek.iterations = seek.iterations > 0 ? seek.iterations : 300;
  seek.tolerance = seek.tolerance > 0 ? seek.tolerance : 1e-12;
  g_assert_true (seek_solve (&seek, NULL, &result, &error));
  g_assert_no_error (error);
  return result;
}

static const SeekAnswer *
get_answer (const SeekResult *result, guint i)
{
  g_assert_cmpuint (i, <, result->answers->len);
  return &g_array_index (result->answers, SeekAnswer, i);
}

static void
test_roots (void)
{
  static const SeekMethod methods[] = { SEEK_AUTO, SEEK_NEWTON, SEEK_BISECTION, SEEK_BRENT };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    g_auto (SeekResult)
        cosine = solve ("cos (x) - x", (Seek){ .method = methods[i], .low = -1, .high = 3, .tolerance = 1e-14 });
    g_auto (SeekResult)
        cubic = solve ("x^3 - 2*x - 5", (Seek){ .method = methods[i], .low = 0, .high = 3, .tolerance = 1e-14 });

    g_assert_true (get_answer (&cosine, 0)->found);
    assert_near (get_answer (&cosine, 0)->x[0], 0.739085133215161, 2e-14);
    assert_near (get_answer (&cubic, 0)->x[0], 2.094551481542327, 3e-14);
  }
}

/* A formula without a value between 1.3 and 1.4, where Brent's method comes by after some steps. */
static void
test_hole (void)
{
  g_auto (SeekResult) result = solve ("x^3 - 30 + 0*sqrt ((x - 1.3)*(x - 1.4))",
                                      (Seek){ .method = SEEK_BRENT, .low = 0, .high = 10, .tolerance = 1e-12 });

  g_assert_true (get_answer (&result, 0)->found);
  assert_near (get_answer (&result, 0)->x[0], cbrt (30), 1e-10);
}

static void
test_newton (void)
{
  static const double steps[] = { 1, 1.5, 1.416666666667, 1.414215686275, 1.414213562375 };
  g_auto (SeekResult) root = solve ("x^2 - 2", (Seek){ .method = SEEK_NEWTON, .low = 0, .high = 2.5, .start = { 1 } });
  /* Without a bracket it would go from 0 to 1 and back forever. */
  g_auto (SeekResult) cycle = solve ("x^3 - 2*x + 2", (Seek){ .low = -3, .high = 0.5, .start = { 0 } });

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    assert_near (g_array_index (root.path, SeekAnswer, i).x[0], steps[i], 1e-12);
  assert_near (get_answer (&root, 0)->x[0], sqrt (2), 1e-15);
  g_assert_true (get_answer (&cycle, 0)->found);
  assert_near (get_answer (&cycle, 0)->x[0], -1.769292354239, 1e-12);
}

/* All roots of a range, the nearest to the start first; one at a part's end counts once. */
static void
test_several_roots (void)
{
  g_auto (SeekResult)
      sine = solve ("sin (x)", (Seek){ .low = -10, .high = 10, .starts = 20, .start = { 3 }, .tolerance = 1e-13 });
  g_auto (SeekResult) two = solve ("x + y - 3, x*y - 2", (Seek){ .n = 2, .low = -5, .high = 5, .starts = 8 });
  double sum = 0;

  g_assert_cmpuint (sine.answers->len, ==, 7);
  assert_near (get_answer (&sine, 0)->x[0], KG_PI, 1e-12);
  assert_near (get_answer (&sine, 6)->x[0], -3 * KG_PI, 1e-11);
  g_assert_cmpuint (two.answers->len, ==, 2);
  for (guint i = 0; i < 2; i++) {
    const SeekAnswer *answer = get_answer (&two, i);

    g_assert_true (answer->found);
    assert_near (answer->x[0] + answer->x[1], 3, 1e-9);
    assert_near (answer->x[0] * answer->x[1], 2, 1e-9);
    sum += answer->x[0];
  }
  assert_near (sum, 3, 1e-9);
}

static void
test_no_root (void)
{
  static const double inputs[3] = { 0, 0, 0 };
  g_autoptr (KgProgram) program = compile ("x^2 + 1");
  Seek seek = { .formula = program,
                .inputs = inputs,
                .n = 1,
                .starts = 4,
                .low = -1,
                .high = 2,
                .iterations = 50,
                .tolerance = 1e-10 };
  g_autoptr (GError) error = NULL;
  g_auto (SeekResult) none = { .answers = NULL }, pole, jump, method = { .answers = NULL };

  g_assert_false (seek_solve (&seek, NULL, &none, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_assert_nonnull (strstr (error->message, "2 at -1 and 5 at 2"));
  g_clear_error (&error);
  seek.method = SEEK_BFGS;
  g_assert_false (seek_solve (&seek, NULL, &method, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  /* A change of sign is not a zero yet. */
  pole = solve ("1/(x - 1)", (Seek){ .low = -1, .high = 2 });
  g_assert_false (get_answer (&pole, 0)->found);
  jump = solve ("floor (x) - 0.5", (Seek){ .low = -1, .high = 2.5 });
  g_assert_false (get_answer (&jump, 0)->found);
  assert_near (get_answer (&jump, 0)->x[0], 1, 1e-9);
}

static void
test_minima (void)
{
  const char *valley = "(1 - x)^2 + 100*(y - x^2)^2";
  const Seek from = { .task = SEEK_MINIMUM, .n = 2, .start = { -1.2, 1 }, .low = -2, .high = 2, .iterations = 2000 };
  Seek simplex = from;
  g_auto (SeekResult)
      wave = solve ("x^4 - 3*x^2 + x", (Seek){ .task = SEEK_MINIMUM, .low = -3, .high = 3, .starts = 12 });
  g_auto (SeekResult) high = solve ("2 - (x - 1)^2", (Seek){ .task = SEEK_MAXIMUM, .low = -9, .high = 4 });
  g_auto (SeekResult) end = solve ("x", (Seek){ .task = SEEK_MINIMUM, .low = -3, .high = 5 });
  g_auto (SeekResult) by_slopes = solve (valley, from), by_simplex, bowl;

  assert_near (get_answer (&wave, 0)->x[0], -1.300839566, 1e-7);
  g_assert_cmpuint (wave.answers->len, ==, 2);
  assert_near (get_answer (&wave, 1)->x[0], 1.130901122, 1e-7);
  assert_near (get_answer (&high, 0)->x[0], 1, 1e-7);
  assert_near (get_answer (&high, 0)->value, 2, 1e-14);
  assert_near (get_answer (&end, 0)->x[0], -3, 0);
  for (guint i = 0; i < 2; i++)
    assert_near (get_answer (&by_slopes, 0)->x[i], 1, 1e-6);
  g_assert_true (get_answer (&by_slopes, 0)->found);
  simplex.method = SEEK_NELDER_MEAD;
  by_simplex = solve (valley, simplex);
  for (guint i = 0; i < 2; i++)
    assert_near (get_answer (&by_simplex, 0)->x[i], 1, 1e-6);
  /* A quadratic form of three unknowns: a few line searches. */
  bowl = solve ("x^2 + 2*y^2 + 3*z^2 + x*y - 4*x",
                (Seek){ .task = SEEK_MINIMUM, .n = 3, .start = { 5, 5, 5 }, .low = -1, .high = 1 });
  assert_near (get_answer (&bowl, 0)->x[0], 16.0 / 7, 1e-7);
  assert_near (get_answer (&bowl, 0)->x[1], -4.0 / 7, 1e-7);
  assert_near (get_answer (&bowl, 0)->x[2], 0, 1e-7);
  g_assert_cmpuint (get_answer (&bowl, 0)->steps, <=, 12);
}

/* A rough landscape: one start ends in a hollow, many find the lowest. */
static void
test_starts (void)
{
  const char *rough = "x^2 + y^2 + 20*(2 - cos (2*pi*x) - cos (2*pi*y))/2";
  const Seek once = { .task = SEEK_MINIMUM, .n = 2, .start = { 3.1, -2.9 }, .low = -4, .high = 4 };
  Seek many = once;
  g_auto (SeekResult) near = solve (rough, once), all, again;

  many.starts = 400;
  all = solve (rough, many);
  again = solve (rough, many);
  g_assert_cmpfloat (get_answer (&near, 0)->value, >, 1);
  assert_near (get_answer (&all, 0)->value, 0, 1e-12);
  g_assert_cmpuint (all.answers->len, ==, again.answers->len);
  g_assert_cmpint (memcmp (all.answers->data, again.answers->data, all.answers->len * sizeof (SeekAnswer)), ==, 0);
}

static void
test_circle (void)
{
  static const double x[] = { 1, 2, 5, 7, 9, 3 }, y[] = { 7, 6, 8, 7, 5, 7 };
  static const KgFormulaVariable variables[] = {
    { "x", 1, true }, { "y", 1, true }, { "a", 1, false }, { "b", 1, false }, { "c", 1, false }
  };
  g_autoptr (KgProgram) program = kg_formula_compile ("sqrt ((x - a)^2 + (y - b)^2) - c", variables, 5, NULL);
  const double *const columns[] = { x, y, NULL, NULL, NULL };
  static const double inputs[] = { 0, 0, 0, 0, 0 };
  const Seek seek = { .task = SEEK_FIT,
                      .formula = program,
                      .inputs = inputs,
                      .n = 3,
                      .unknowns = { 2, 3, 4 },
                      .start = { 4.742331288, 3.835122699, 4.108761522 },
                      .low = -1,
                      .high = 1,
                      .starts = 1,
                      .tolerance = 1e-12,
                      .iterations = 200,
                      .n_rows = 6,
                      .columns = columns };
  g_auto (SeekResult) result;

  g_assert_true (seek_solve (&seek, NULL, &result, NULL));
  g_assert_true (get_answer (&result, 0)->found);
  assert_near (get_answer (&result, 0)->x[0], 4.739782, 5e-7);
  assert_near (get_answer (&result, 0)->x[1], 2.983533, 5e-7);
  assert_near (get_answer (&result, 0)->x[2], 4.714226, 5e-7);
  assert_near (get_answer (&result, 0)->value, 1.227599078, 5e-10);
}

/* A straight line: the answer and its standard errors are those of linear regression. */
static void
test_line (void)
{
  static const double x[] = { 0, 1, 2, 3 }, y[] = { 1, 3, 4, 4 }, weights[] = { 1, 1, 1, 0 };
  static const KgFormulaVariable variables[] = { { "x", 1, true }, { "a", 1, false }, { "b", 1, false } };
  g_autoptr (KgProgram) program = kg_formula_compile ("a*x + b", variables, 3, NULL);
  const double *const columns[] = { x, NULL, NULL };
  static const double inputs[] = { 0, 0, 0 };
  Seek seek = { .task = SEEK_FIT,
                .formula = program,
                .inputs = inputs,
                .n = 2,
                .unknowns = { 1, 2 },
                .low = -1,
                .high = 1,
                .starts = 1,
                .tolerance = 1e-12,
                .iterations = 200,
                .n_rows = 4,
                .columns = columns,
                .measured = y };
  g_auto (SeekResult) result, without, few = { .answers = NULL };
  g_autoptr (GError) error = NULL;

  g_assert_true (seek_solve (&seek, NULL, &result, NULL));
  assert_near (get_answer (&result, 0)->x[0], 1, 1e-12);
  assert_near (get_answer (&result, 0)->x[1], 1.5, 1e-12);
  assert_near (get_answer (&result, 0)->value, 1, 1e-12);
  assert_near (result.spread[0], sqrt (0.5 / 5), 1e-12);
  assert_near (result.spread[1], sqrt (0.5 * (0.25 + 1.5 * 1.5 / 5)), 1e-12);
  seek.weights = weights;
  g_assert_true (seek_solve (&seek, NULL, &without, NULL));
  assert_near (get_answer (&without, 0)->x[0], 1.5, 1e-12);
  assert_near (get_answer (&without, 0)->x[1], 7.0 / 6, 1e-12);
  seek.n_rows = 1;
  g_assert_false (seek_solve (&seek, NULL, &few, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
}

/* The first step of each method meets the pole of 1/x exactly: neither the answer nor its path is infinite. */
static void
test_pole (void)
{
  static const SeekMethod methods[] = { SEEK_AUTO, SEEK_NEWTON, SEEK_BISECTION, SEEK_BRENT };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    for (guint iterations = 1; iterations <= 40; iterations += 39) {
      g_auto (SeekResult) pole =
          solve ("1/x", (Seek){ .method = methods[i], .low = -1, .high = 1, .starts = 1, .iterations = iterations });

      g_assert_false (get_answer (&pole, 0)->found);
      g_assert_true (isfinite (get_answer (&pole, 0)->value));
      for (guint k = 0; k < pole.path->len; k++)
        g_assert_true (isfinite (g_array_index (pole.path, SeekAnswer, k).value));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/seek/70-114-roots", test_roots);
  g_test_add_func ("/seek/70-114-hole", test_hole);
  g_test_add_func ("/seek/70-114-newton", test_newton);
  g_test_add_func ("/seek/70-114-several-roots", test_several_roots);
  g_test_add_func ("/seek/70-114-no-root", test_no_root);
  g_test_add_func ("/seek/70-114-pole", test_pole);
  g_test_add_func ("/seek/70-115-minima", test_minima);
  g_test_add_func ("/seek/70-115-starts", test_starts);
  g_test_add_func ("/seek/70-116-circle", test_circle);
  g_test_add_func ("/seek/70-116-line", test_line);
  return g_test_run ();
}

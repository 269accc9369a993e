/* tests/nodes/matrix: matrices and linear equations as nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

static void
assert_table (NodeTest *test, const char *target, guint columns, size_t rows, const double *numbers, double tolerance)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);

  g_assert_cmpint (value.kind, ==, KG_TABLE);
  g_assert_cmpuint (kg_table_get_n_columns (value.table), ==, columns);
  g_assert_cmpuint (kg_table_get_n_rows (value.table), ==, rows);
  for (size_t i = 0; i < columns * rows; i++)
    assert_near (kg_table_get_cells (value.table)[i], numbers[i], tolerance);
}

static void
test_products (void)
{
  static const double product[] = { 2, 1, 4, 3 }, sum[] = { 1, 0, 1, 4 }, turned[] = { 1, 3, 2, 4 };
  static const double diagonal[] = { 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/matrix", "m", "operation", "\"multiply\"", "a", "[[1, 2], [3, 4]]", "b",
                 "[[0, 1], [1, 0]]", NULL);
  assert_table (&test, "m.matrix", 2, 2, product, 0);
  node_test_set (&test, "m", "operation", "\"add\"");
  node_test_set (&test, "m", "factor", "-2");
  assert_table (&test, "m.matrix", 2, 2, sum, 0);
  node_test_set (&test, "m", "operation", "\"transpose\"");
  assert_table (&test, "m.matrix", 2, 2, turned, 0);
  node_test_set (&test, "m", "operation", "\"diagonal\"");
  assert_table (&test, "m.matrix", 4, 4, diagonal, 0);
  node_test_set (&test, "m", "operation", "\"multiply\"");
  node_test_set (&test, "m", "b", "[[1, 2]]");
  node_test_fails_saying (&test, "m.matrix", 0, "must have as many columns");
  node_test_clear (&test);
}

static void
test_factors (void)
{
  static const double lower[] = { 1, 0, 0, 0, 1.5, 1, 0, 0, 0.5, -0.2, 1, 0, 2, 0.4, 3, 1 }, order[] = { 2, 4, 1, 3 };
  static const double upper[] = { 4, 3, 3, 1, 0, 2.5, 4.5, 6.5, 0, 0, 0.4, 0.8, 0, 0, 0, -2 },
                      values[] = { 8.366600265340756, 0 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/matrix", "m", "operation", "\"lu\"", "a",
                 "[[2, 1, 1, 0], [4, 3, 3, 1], [8, 7, 9, 5], [6, 7, 9, 8]]", NULL);
  assert_table (&test, "m.matrix", 4, 4, lower, 1e-14);
  assert_table (&test, "m.second", 4, 4, upper, 1e-14);
  assert_table (&test, "m.third", 4, 1, order, 0);
  assert_near (node_test_number (&test, "m.number", 0), -1, 0);
  node_test_set (&test, "m", "operation", "\"determinant\"");
  assert_near (node_test_number (&test, "m.number", 0), 8, 1e-13);
  node_test_set (&test, "m", "operation", "\"inverse\"");
  assert_near (node_test_number (&test, "m.number", 0), 8, 1e-13);
  node_test_set (&test, "m", "a", "[[1, 2], [2, 4], [3, 6]]");
  node_test_fails_saying (&test, "m.number", 0, "as many rows as columns");
  node_test_set (&test, "m", "operation", "\"svd\"");
  assert_table (&test, "m.second", 2, 1, values, 1e-14);
  assert_near (node_test_number (&test, "m.rank", 0), 1, 0);
  node_test_set (&test, "m", "a", "[[0, 1], [1, 0]]");
  node_test_set (&test, "m", "operation", "\"lu\"");
  node_test_set (&test, "m", "pivoting", "\"none\"");
  node_test_fails_saying (&test, "m.matrix", 0, "choose a pivoting");
  node_test_set (&test, "m", "a", "[[1, 2], [2, 4]]");
  node_test_set (&test, "m", "operation", "\"inverse\"");
  node_test_set (&test, "m", "pivoting", "\"implicit\"");
  node_test_fails_saying (&test, "m.matrix", 0, "singular");
  node_test_clear (&test);
}

/* What is not computed says so. */
static void
test_reports (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/matrix", "m", "a", "[[0, 0], [0, 2]]", NULL);
  assert_near (node_test_number (&test, "m.rank", 0), -1, 0);
  assert_near (node_test_number (&test, "m.condition", 0), -1, 0);
  node_test_set (&test, "m", "operation", "\"determinant\"");
  assert_near (node_test_number (&test, "m.rank", 0), 1, 0);
  node_test_set (&test, "m", "operation", "\"symmetric-eigen\"");
  assert_near (node_test_number (&test, "m.rank", 0), 1, 0);
  assert_near (node_test_number (&test, "m.condition", 0), -1, 0);
  node_test_set (&test, "m", "a", "[[8, 0], [0, -2]]");
  assert_near (node_test_number (&test, "m.rank", 0), 2, 0);
  assert_near (node_test_number (&test, "m.condition", 0), 4, 1e-14);
  node_test_set (&test, "m", "operation", "\"inverse\"");
  node_test_set (&test, "m", "a", "[[1, null], [0, 2]]");
  node_test_fails_saying (&test, "m.matrix", 0, "row 1, column 2 is blank");
  node_test_add (&test, "value/linear_solve", "s", "a", "[[1, 0], [0, 2]]", "b", "[[1], [null]]", NULL);
  node_test_fails_saying (&test, "s.x", 0, "row 2, column 1 is blank");
  node_test_clear (&test);
}

/* A sum that looks like an integral where there is none. */
static void
test_divergent (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/integral", "i", "formula", "\"1/x\"", "from", "-1", NULL);
  node_test_warns (&test, "i.integral", "the integral may have no value");
  assert_near (node_test_number (&test, "i.error", 0), -1, 0);
  node_test_set (&test, "i", "formula", "\"1/(x - 0.3)^2\"");
  node_test_warns (&test, "i.integral", "the integral may have no value");
  node_test_set (&test, "i", "method", "\"adaptive\"");
  node_test_fails_saying (&test, "i.integral", 0, "does not converge");
  node_test_set (&test, "i", "method", "\"gauss\"");
  node_test_set (&test, "i", "formula", "\"x^3\"");
  assert_near (node_test_number (&test, "i.error", 0), 0, 1e-15);
  node_test_clear (&test);
}

static void
test_seek (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/seek", "s", NULL);
  assert_near (node_test_number (&test, "s.first", 0), 0.739085133215161, 1e-12);
  assert_near (node_test_number (&test, "s.found", 0), 1, 0);
  node_test_set (&test, "s", "formula", "\"x - y - a, x + y - 3\"");
  assert_vector_near (node_test_vector (&test, "s.solution", 0), 2, 1, 0, 1e-9);
  node_test_set (&test, "s", "formula", "\"w^2 - 4\"");
  node_test_set (&test, "s", "start_w", "1");
  assert_near (node_test_number (&test, "s.fourth", 0), 2, 1e-9);
  node_test_set (&test, "s", "task", "\"maximum\"");
  node_test_set (&test, "s", "formula", "\"x*(4 - x)\"");
  assert_near (node_test_number (&test, "s.first", 0), 2, 1e-7);
  assert_near (node_test_number (&test, "s.value", 0), 4, 1e-12);
  node_test_set (&test, "s", "low", "3");
  node_test_warns (&test, "s.first", "at the end of the range, at 3");
  node_test_set (&test, "s", "task", "\"fit\"");
  node_test_set (&test, "s", "formula", "\"a*exp(b*x)\"");
  node_test_set (&test, "s", "rows", "[[0, 2], [1, 2.4428055163203397], [2, 2.9836493952825408]]");
  assert_vector_near (node_test_vector (&test, "s.solution", 0), 2, 0.2, 0, 1e-9);
  assert_near (node_test_number (&test, "s.value", 0), 0, 1e-15);
  /* A surface of rows of three. */
  node_test_set (&test, "s", "formula", "\"a*x + b*y + c\"");
  node_test_set (&test, "s", "rows", "[[0, 0, 3], [1, 0, 5], [0, 1, 2], [1, 1, 4]]");
  assert_vector_near (node_test_vector (&test, "s.solution", 0), 2, -1, 3, 1e-9);
  /* The last column in the formula: it is to be zero. */
  node_test_set (&test, "s", "formula", "\"sqrt((x-a)^2 + (y-b)^2) - c\"");
  node_test_set (&test, "s", "rows", "[[3, 0], [1, 2], [-1, 0], [1, -2]]");
  assert_vector_near (node_test_vector (&test, "s.solution", 0), 1, 0, 2, 1e-9);
  node_test_clear (&test);
}

static void
test_seek_bad_input (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/seek", "s", "formula", "\"x^2 + 1\"", NULL);
  node_test_fails_saying (&test, "s.first", 0, "101 at -10 and 101 at 10");
  node_test_set (&test, "s", "formula", "\"a + 1\"");
  node_test_fails_saying (&test, "s.first", 0, "nothing to find");
  node_test_set (&test, "s", "formula", "\"x + \"");
  node_test_fails_saying (&test, "s.first", 0, "formula: ");
  node_test_set (&test, "s", "formula", "\"x + y\"");
  node_test_fails_saying (&test, "s.first", 0, "1 results for 2 unknowns");
  node_test_set (&test, "s", "formula", "\"1/x\"");
  node_test_set (&test, "s", "start", "[1, 0, 0]");
  node_test_set (&test, "s", "low", "-1.5");
  node_test_warns (&test, "s.first", "no zero was found");
  assert_near (node_test_number (&test, "s.found", 0), 0, 0);
  node_test_set (&test, "s", "high", "-2");
  node_test_fails_saying (&test, "s.first", 0, "Low must be less than High");
  node_test_set (&test, "s", "high", "10");
  node_test_set (&test, "s", "method", "\"bfgs\"");
  node_test_fails_saying (&test, "s.first", 0, "choose another one");
  node_test_set (&test, "s", "method", "\"auto\"");
  node_test_set (&test, "s", "task", "\"minimum\"");
  node_test_set (&test, "s", "formula", "\"x + y\"");
  node_test_warns (&test, "s.first", "no result was found");
  node_test_set (&test, "s", "task", "\"fit\"");
  node_test_set (&test, "s", "formula", "\"a*x + b\"");
  node_test_set (&test, "s", "rows", "[[1, 2]]");
  node_test_fails_saying (&test, "s.first", 0, "1 rows cannot determine 2 unknowns");
  node_test_set (&test, "s", "rows", "[[1, 2, 3], [1, 2, null]]");
  node_test_fails_saying (&test, "s.first", 0, "1 of 2 rows have a z");
  node_test_set (&test, "s", "rows", "[[1, 2], [1, 4]]");
  node_test_set (&test, "s", "formula", "\"a*z + b\"");
  node_test_fails_saying (&test, "s.first", 0, "add a third column");
  node_test_clear (&test);
}

static void
test_solve (void)
{
  static const double x[] = { 1, 2, 3, 4 }, shortest[] = { 17.0 / 70, 34.0 / 70 }, line[] = { 1.5, 1 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/linear_solve", "s", "a", "[[2, 1, 1, 0], [4, 3, 3, 1], [8, 7, 9, 5], [6, 7, 9, 8]]", "b",
                 "[[7], [23], [69], [79]]", NULL);
  assert_table (&test, "s.x", 1, 4, x, 1e-13);
  assert_near (node_test_number (&test, "s.residual", 0), 0, 1e-13);
  /* Typed in one row, too; refined. */
  node_test_set (&test, "s", "b", "[[7, 23, 69, 79]]");
  node_test_set (&test, "s", "refine", "true");
  assert_table (&test, "s.x", 1, 4, x, 1e-14);
  node_test_set (&test, "s", "a", "[[1, 0], [1, 1], [1, 2], [1, 3]]");
  node_test_set (&test, "s", "b", "[[1], [3], [4], [4]]");
  assert_table (&test, "s.x", 1, 2, line, 1e-14);
  assert_near (node_test_number (&test, "s.residual", 0), 1, 1e-14);
  node_test_set (&test, "s", "a", "[[1, 2], [2, 4], [3, 6]]");
  node_test_set (&test, "s", "b", "[[1], [2], [4]]");
  assert_table (&test, "s.x", 1, 2, shortest, 1e-14);
  node_test_warns (&test, "s.x", "the rank is 1");
  node_test_set (&test, "s", "method", "\"least-squares\"");
  node_test_fails_saying (&test, "s.x", 0, "the rank is 1, and there are 2 unknowns");
  node_test_set (&test, "s", "method", "\"lu\"");
  node_test_fails_saying (&test, "s.x", 0, "3 equations and 2 unknowns");
  node_test_set (&test, "s", "a", "[[1, 2], [2, 4]]");
  node_test_set (&test, "s", "b", "[[1], [3]]");
  node_test_fails_saying (&test, "s.x", 0, "their rank is 1");
  node_test_clear (&test);
}

/* A small residual does not mean a right solution: the condition shows it. */
static void
test_condition (void)
{
  NodeTest test = node_test_new ();
  g_autoptr (GString) a = g_string_new ("["), b = g_string_new ("[");

  for (int i = 0; i < 10; i++) {
    double sum = 0;

    g_string_append (a, i > 0 ? ", [" : "[");
    for (int j = 0; j < 10; j++) {
      g_string_append_printf (a, "%s%.17g", j > 0 ? ", " : "", 1.0 / (i + j + 1));
      sum += 1.0 / (i + j + 1);
    }
    g_string_append (a, "]");
    g_string_append_printf (b, "%s[%.17g]", i > 0 ? ", " : "", sum);
  }
  g_string_append (a, "]");
  g_string_append (b, "]");
  node_test_add (&test, "value/linear_solve", "s", "a", a->str, "b", b->str, "method", "\"lu\"", NULL);
  g_assert_cmpfloat (node_test_number (&test, "s.residual", 0), <, 1e-14);
  g_assert_cmpfloat (node_test_number (&test, "s.condition", 0), >, 1e13);
  node_test_set (&test, "s", "method", "\"svd\"");
  node_test_set (&test, "s", "tolerance", "0");
  assert_near (node_test_number (&test, "s.condition", 0) / 1.6025e13, 1, 1e-3);
  node_test_clear (&test);
}

/* 1000 right-hand sides: the factors of a are kept. */
static void
test_memo (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/linear_solve", "s", "a", "[[2, 1], [1, 3]]", NULL);
  for (int i = 0; i < 1000; i++) {
    g_autofree char *b = g_strdup_printf ("[[%d], [%d]]", 3 * i + 1, 4 * i + 3);
    const double x[] = { i, i + 1 };

    node_test_set (&test, "s", "b", b);
    assert_table (&test, "s.x", 1, 2, x, 1e-12);
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/value/matrix/70-02-products", test_products);
  g_test_add_func ("/value/matrix/70-07-factors", test_factors);
  g_test_add_func ("/value/linear_solve/70-08-70-10-solve", test_solve);
  g_test_add_func ("/value/linear_solve/70-08-condition", test_condition);
  g_test_add_func ("/value/linear_solve/70-08-many", test_memo);
  g_test_add_func ("/value/matrix/what-is-not-computed", test_reports);
  g_test_add_func ("/value/seek/70-114-70-115-70-116", test_seek);
  g_test_add_func ("/value/integral/divergent", test_divergent);
  g_test_add_func ("/value/seek/bad-input", test_seek_bad_input);
  return g_test_run ();
}

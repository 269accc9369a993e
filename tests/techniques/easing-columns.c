/* tests/techniques/easing-columns: ease curves against their closed forms and differences; tables of numbers as programs
 * write them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "motion/columns.h"
#include "motion/easing.h"

#include <string.h>

static const double standard[EASING_N_PARAMETERS] = {
  [EASING_K1] = 0.25, [EASING_K2] = 0.75, [EASING_X1] = 0.25,  [EASING_Y1] = 0.1,
  [EASING_X2] = 0.25, [EASING_Y2] = 1,    [EASING_AMOUNT] = 1, [EASING_DIRECTION] = EASING_IN,
};

static double
get (EasingShape shape, double direction, double t)
{
  double p[EASING_N_PARAMETERS];

  memcpy (p, standard, sizeof p);
  p[EASING_DIRECTION] = direction;
  return easing_get_function (shape)->value (p, t);
}

static void
test_closed_forms (void)
{
  for (int shape = 0; shape < EASING_N_SHAPES; shape++)
    for (int direction = 0; direction < EASING_N_DIRECTIONS; direction++) {
      assert_near (get ((EasingShape) shape, direction, 0), 0, 1e-12);
      assert_near (get ((EasingShape) shape, direction, 1), 1, 1e-12);
    }
  assert_near (get (EASING_LINEAR, 0, 0.3), 0.3, 0);
  assert_near (get (EASING_SINE, 0, 0.25), 0.5 - 0.25 * sqrt (2), 1e-15);
  /* Up to a quarter: 2 k1 / π of the distance at unit speed, which is 1 / π + 1 / 2 in all. */
  assert_near (get (EASING_SINE_LINEAR, 0, 0.25), 0.5 / KG_PI / (1 / KG_PI + 0.5), 1e-15);
  assert_near (get (EASING_SINE_LINEAR, 0, 0.5), 0.5, 1e-15);
  /* The top speed is 2 / (1 + k2 - k1) = 4 / 3. */
  assert_near (get (EASING_PARABOLIC, 0, 0.25), 1.0 / 6, 1e-15);
  assert_near (easing_get_function (EASING_PARABOLIC)->derivative (standard, 0.5), 4.0 / 3, 1e-15);
  assert_near (easing_get_acceleration (EASING_PARABOLIC, standard, 0.1), 16.0 / 3, 1e-14);
  assert_near (get (EASING_CUBIC, 0, 0.25), 0.15625, 0);
  assert_near (get (EASING_DECELERATE, 0, 0.25), 0.4375, 0);
  /* The "ease" of CSS. */
  assert_near (get (EASING_CUBIC_BEZIER, 0, 0.5), 0.80240338758485699, 1e-12);
  assert_near (get (EASING_POWER_2, EASING_IN_OUT, 0.25), 0.125, 0);
  assert_near (get (EASING_POWER_3, EASING_OUT, 0.5), 0.875, 0);
  assert_near (get (EASING_EXPONENTIAL, EASING_IN, 0.5), 31.0 / 1023, 1e-15);
  assert_near (get (EASING_CIRCULAR, EASING_IN, 0.6), 0.2, 1e-15);
  assert_near (get (EASING_ELASTIC, EASING_IN, 1 - 0.075), 0, 1e-13);
  assert_near (get (EASING_BACK, EASING_IN, 0.5), 0.25 * (0.5 * 2.70158 - 1.70158), 1e-15);
  /* The first touch, and the top of the first bounce. */
  assert_near (get (EASING_BOUNCE, EASING_OUT, 1 / 2.75), 1, 1e-15);
  assert_near (get (EASING_BOUNCE, EASING_OUT, 1.5 / 2.75), 0.75, 1e-15);
}

/* Derivatives are those of the values, away from corners and infinite speeds. */
static void
test_derivatives (void)
{
  const double h = 1e-6;

  for (int shape = 0; shape < EASING_N_SHAPES; shape++)
    for (int direction = 0; direction < EASING_N_DIRECTIONS; direction++)
      for (int i = 3; i < 61; i++) {
        const KgFunction *function = easing_get_function ((EasingShape) shape);
        const double t = i / 64.0 + 0.003;
        double p[EASING_N_PARAMETERS], speed, acceleration;

        memcpy (p, standard, sizeof p);
        p[EASING_DIRECTION] = direction;
        speed = function->derivative (p, t);
        if (fabs (speed) > 5)
          continue;
        assert_near ((function->value (p, t + h) - function->value (p, t - h)) / (2 * h), speed,
                     1e-6 * (1 + fabs (speed)));
        acceleration = easing_get_acceleration ((EasingShape) shape, p, t);
        assert_near ((function->derivative (p, t + h) - function->derivative (p, t - h)) / (2 * h), acceleration,
                     1e-5 * (1 + fabs (acceleration)));
      }
}

static Columns *
read_table (const char *text, ColumnsStyle style, GError **error)
{
  g_autofree char *copy = g_strdup (text);

  return columns_read (copy, strlen (text), &style, NULL, error);
}

static double
get_cell (const Columns *columns, guint row, guint column)
{
  return g_array_index (columns->numbers, double, row * columns->names->len + column);
}

static void
check_names (const Columns *columns, const char *first, const char *second)
{
  g_assert_cmpuint (columns->names->len, ==, 2);
  g_assert_cmpstr ((const char *) g_ptr_array_index (columns->names, 0), ==, first);
  g_assert_cmpstr ((const char *) g_ptr_array_index (columns->names, 1), ==, second);
  g_assert_cmpuint (GPOINTER_TO_UINT (g_hash_table_lookup (columns->by_name, second)), ==, 2);
}

static void
test_columns (void)
{
  const ColumnsStyle plain = { 0 }, comma = { .decimal_comma = true }, gaps = { .gaps = true };

  {
    g_autoptr (Columns) columns = read_table ("time,x\n0,1.5\n\n1,-2e3\n", plain, NULL);

    check_names (columns, "time", "x");
    g_assert_cmpuint (columns->numbers->len, ==, 4);
    assert_near (get_cell (columns, 0, 1), 1.5, 0);
    assert_near (get_cell (columns, 1, 1), -2000, 0);
    g_assert_cmpuint (g_array_index (columns->lines, guint, 1), ==, 4);
  }
  {
    g_autoptr (Columns) columns = read_table ("# measured twice\n# t angle\n0 1\n1 2\n", plain, NULL);

    check_names (columns, "t", "angle");
  }
  {
    g_autoptr (Columns) columns = read_table ("1,5;2\n2,5;4\n", comma, NULL);

    check_names (columns, "column1", "column2");
    assert_near (get_cell (columns, 1, 0), 2.5, 0);
  }
  {
    g_autoptr (Columns) columns = read_table ("a\tb\n1\t\n2\tNaN\n3\t-\n4\t5\n", gaps, NULL);

    for (guint row = 0; row < 3; row++)
      g_assert_true (isnan (get_cell (columns, row, 1)));
    assert_near (get_cell (columns, 3, 1), 5, 0);
  }
}

/* Errors name the line; a file that is not a table is not quoted. */
static void
test_columns_errors (void)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
    { "a,b\n1,2\n3,x\n", "line 3" },
    { "a,b\n1,2\n3\n", "line 3" },
    { "a,b\n1,2\n3,\n", "line 3" },
    { "a,b\n", "no rows of numbers" },
    { "", "empty" },
  };
  const ColumnsStyle plain = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (read_table (cases[i].text, plain, &error));
    g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
    g_assert_nonnull (strstr (error->message, cases[i].message));
  }
  {
    g_autoptr (GError) error = NULL;

    g_assert_null (read_table ("root:secret\nguest:hidden\n", plain, &error));
    g_assert_null (strstr (error->message, "secret"));
    g_assert_null (strstr (error->message, "hidden"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/easing/closed-forms", test_closed_forms);
  g_test_add_func ("/easing/derivatives", test_derivatives);
  g_test_add_func ("/columns/tables", test_columns);
  g_test_add_func ("/columns/errors", test_columns_errors);
  return g_test_run ();
}

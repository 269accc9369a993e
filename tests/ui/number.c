/* tests/ui/number: what can be typed where a number is wanted.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-number-field.h"

#include <math.h>

static void
test_numbers (void)
{
  static const struct {
    const char *text;
    KgUnit unit;
    double value;
  } good[] = {
    { "3", KG_UNIT_NONE, 3 },           { " -0.5 ", KG_UNIT_NONE, -0.5 },
    { "2*pi", KG_UNIT_NONE, 2 * G_PI }, { "90/4", KG_UNIT_NONE, 22.5 },
    { "1.5 m", KG_METRES, 1.5 },        { "45°", KG_DEGREES, 45 },
    { "45 °", KG_DEGREES, 45 },         { "(1 + 2) * 3 m", KG_METRES, 9 },
    { "1e-3", KG_UNIT_NONE, 1e-3 },     { "sqrt(2)", KG_UNIT_NONE, G_SQRT2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (GError) error = NULL;
    bool is_expression;
    double value = NAN;

    g_assert_true (kg_number_parse (good[i].text, good[i].unit, &value, &is_expression, &error));
    g_assert_no_error (error);
    g_assert_false (is_expression);
    g_assert_cmpfloat_with_epsilon (value, good[i].value, 1e-12);
  }
}

static void
test_no_numbers (void)
{
  static const char *const bad[] = { "", "three", "1 +", "2 ** 3 **", "1, 2)", "\"1\"", "1/0", "sqrt(-1)", "(" };
  static const char *const formulas[] = { "t", "frame * 2", "a.output + 1", "1, 2, 3" };
  bool is_expression;
  double value;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (kg_number_parse (bad[i], KG_UNIT_NONE, &value, &is_expression, &error));
    g_assert_false (is_expression);
    g_assert_nonnull (error);
  }
  for (guint i = 0; i < G_N_ELEMENTS (formulas); i++) {
    g_assert_false (kg_number_parse (formulas[i], KG_UNIT_NONE, &value, &is_expression, NULL));
    g_assert_true (is_expression);
  }
}

static void
test_format (void)
{
  static const struct {
    double value;
    bool integer;
    const char *text;
  } cases[] = { { 0.1, false, "0.1" },          { -0.0, false, "0" },
                { 1.0 / 3, false, "0.333333" }, { 1234567, false, "1.23457e+06" },
                { 1234567, true, "1234567" },   { 2, false, "2" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = kg_number_format (cases[i].value, cases[i].integer);

    g_assert_cmpstr (text, ==, cases[i].text);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/number/numbers", test_numbers);
  g_test_add_func ("/number/no-numbers", test_no_numbers);
  g_test_add_func ("/number/format", test_format);
  return g_test_run ();
}

/* tests/ui/number: what can be typed where a number is wanted.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../comma-locale.h"
#include "kg-number.h"

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
    { "1,5", KG_UNIT_NONE, 1.5 },       { "-,25e1 m", KG_METRES, -2.5 },
    { "max(1, 2)", KG_UNIT_NONE, 2 },   { "50 %", KG_PERCENT, 0.5 },
    { "100 / 8", KG_PERCENT, 0.125 },
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
  static const char *const formulas[] = { "t", "frame * 2", "a.output + 1", "1, 2, 3", "1,2,3", "1, 5" };
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
  {
    g_autofree char *share = kg_number_format_unit (0.125, KG_PERCENT, false);
    g_autofree char *length = kg_number_format_unit (0.125, KG_METRES, false);
    g_autofree char *plain = kg_number_format_unit (3, KG_UNIT_NONE, true);

    g_assert_cmpstr (share, ==, "12.5 %");
    g_assert_cmpstr (length, ==, "0.125 m");
    g_assert_cmpstr (plain, ==, "3");
  }
}

/* Nothing follows the country that the user lives in, there and back. */
static void
test_comma_locale (void)
{
  static const double values[] = { 0.1, -2.5, 1e-12, 1.0 / 3, 12345678.9 };

  if (!comma_locale_begin ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    g_autofree char *exact = kg_number_format_exact (values[i]), *shown = kg_number_format (values[i], false);
    bool is_expression;
    int decimals;
    double value;

    g_assert_null (strchr (exact, ','));
    g_assert_null (strchr (shown, ','));
    g_assert_true (kg_number_parse (exact, KG_UNIT_NONE, &value, &is_expression, NULL));
    g_assert_cmpfloat (value, ==, values[i]);
    g_assert_true (kg_number_read (exact, &value, &decimals));
    g_assert_cmpfloat (value, ==, values[i]);
  }
  test_numbers ();
  test_no_numbers ();
  test_format ();
  comma_locale_end ();
}

static void
test_read (void)
{
  static const struct {
    const char *text;
    double value;
    int decimals;
  } good[] = { { "1.5", 1.5, 1 }, { " 1,50 ", 1.5, 2 }, { "2", 2, -1 }, { "-1e3", -1000, -1 } };
  static const char *const bad[] = { "", "2*3", "e", "1,2,3", "nan", "1e999", "1.5m", ",", "--1" };
  int decimals;
  double value;

  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_assert_true (kg_number_read (good[i].text, &value, &decimals));
    g_assert_cmpfloat (value, ==, good[i].value);
    g_assert_cmpint (decimals, ==, good[i].decimals);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (kg_number_read (bad[i], &value, NULL));
}

static void
test_duration (void)
{
  static const struct {
    double seconds;
    const char *text;
  } durations[] = { { 0.00004, "0.04 ms" }, { 0.0125, "12.5 ms" }, { 0.9994, "999 ms" }, { 0.9996, "1 s" },
                    { 2.816, "2.82 s" },    { 59.4, "59.4 s" },    { 200, "3 min 20 s" } };

  for (guint i = 0; i < G_N_ELEMENTS (durations); i++) {
    g_autofree char *text = kg_number_format_duration (durations[i].seconds);

    g_assert_cmpstr (text, ==, durations[i].text);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/number/numbers", test_numbers);
  g_test_add_func ("/number/duration", test_duration);
  g_test_add_func ("/number/no-numbers", test_no_numbers);
  g_test_add_func ("/number/format", test_format);
  g_test_add_func ("/number/read", test_read);
  g_test_add_func ("/number/comma-locale", test_comma_locale);
  return g_test_run ();
}

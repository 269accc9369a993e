/* kg-number: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-number.h"

#include "config.h"
#include "kg-expression.h"
#include "kg-json.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* A text that is one number with a comma gets a point. */
static void
replace_comma (char *text)
{
  static const char digits[] = "0123456789";
  const gsize sign = strspn (text, "+-"), whole = sign + strspn (text + sign, digits);
  const char *end;

  if (sign > 1 || text[whole] != ',')
    return;
  end = text + whole + 1;
  if (strspn (end, digits) == 0)
    return;
  end += strspn (end, digits);
  if (*end == 'e' || *end == 'E') {
    end++;
    end += *end == '+' || *end == '-';
    end += strspn (end, digits);
  }
  if (*end == '\0')
    text[whole] = '.';
}

double
kg_number_get_factor (KgUnit unit)
{
  return unit == KG_PERCENT ? 100 : 1;
}

bool
kg_number_parse (const char *text, KgUnit unit, double *value, bool *is_expression, GError **error)
{
  const KgMoment nothing = { 0 };
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  const char *symbol = kg_unit_get_symbol (unit);
  g_autoptr (KgExpression) expression = NULL;

  *is_expression = false;
  if (*symbol != '\0' && g_str_has_suffix (trimmed, symbol)) {
    trimmed[strlen (trimmed) - strlen (symbol)] = '\0';
    g_strchomp (trimmed);
  }
  replace_comma (trimmed);
  expression = kg_expression_new (trimmed, error);
  if (expression == NULL)
    return false;
  if (kg_expression_get_n_results (expression) != 1 || kg_expression_get_n_references (expression) > 0 ||
      kg_expression_uses_time (expression)) {
    *is_expression = true;
    return false;
  }
  if (!kg_expression_evaluate (expression, &nothing, NULL, value, error))
    return false;
  *value /= kg_number_get_factor (unit);
  return true;
}

bool
kg_number_read (const char *text, double *value, int *decimals)
{
  g_autofree char *plain = g_strstrip (g_strdup (text));
  const char *point;
  char *end;

  replace_comma (plain);
  *value = g_ascii_strtod (plain, &end);
  point = strchr (plain, '.');
  if (decimals != NULL)
    *decimals = point != NULL ? (int) strspn (point + 1, "0123456789") : -1;
  return end != plain && *end == '\0' && isfinite (*value);
}

char *
kg_number_format_digits (double value, int digits)
{
  g_autofree char *format = g_strdup_printf ("%%.%dg", digits);
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  /* -0 is 0. */
  return g_strdup (g_ascii_formatd (text, sizeof text, format, value + 0.0));
}

char *
kg_number_format (double value, bool integer)
{
  return integer ? g_strdup_printf ("%.0f", value) : kg_number_format_digits (value, 6);
}

char *
kg_number_format_unit (double value, KgUnit unit, bool integer)
{
  const char *symbol = kg_unit_get_symbol (unit);
  g_autofree char *number = kg_number_format (value * kg_number_get_factor (unit), integer);

  return *symbol != '\0' ? g_strdup_printf ("%s %s", number, symbol) : g_steal_pointer (&number);
}

char *
kg_number_format_exact (double value)
{
  GString *text = g_string_new (NULL);

  kg_json_write_number (value, text);
  return g_string_free (text, FALSE);
}

char *
kg_number_format_duration (double seconds)
{
  if (seconds < 0.9995)
    return g_strdup_printf (_ ("%.3g ms"), 1000 * seconds);
  if (seconds < 60)
    return g_strdup_printf (_ ("%.3g s"), seconds);
  seconds = nearbyint (seconds);
  return g_strdup_printf (_ ("%.0f min %.0f s"), floor (seconds / 60), fmod (seconds, 60));
}

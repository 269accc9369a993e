/* points_text: reading points from text.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "points_text.h"

#include <math.h>

/* missing: what stands for numbers that a row does not give (NULL: nothing does). */
static bool
read_row (const char *row, guint number, guint min, guint max, const double *missing, GArray *out, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (row, " \t,\r", -1);
  guint n = 0;

  for (guint i = 0; words[i] != NULL; i++) {
    char *end;
    double x;

    if (words[i][0] == '\0')
      continue;
    x = g_ascii_strtod (words[i], &end);
    if (missing != NULL && isnan (*missing) && g_str_equal (words[i], "-")) {
      x = *missing;
      end = words[i] + 1;
    } else if (*end != '\0' || !isfinite (x)) {
      g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE, "row %u: \"%.40s\" is not a number", number, words[i]);
      return false;
    }
    if (n == max) {
      g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE, "row %u has more than %u numbers", number, max);
      return false;
    }
    g_array_append_val (out, x);
    n++;
  }
  if (n > 0 && n < min) {
    g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE, "row %u has %u numbers: give at least %u", number, n, min);
    return false;
  }
  for (; missing != NULL && n > 0 && n < max; n++)
    g_array_append_val (out, *missing);
  return true;
}

static GArray *
read_rows (const char *text, guint min, guint max, double missing, guint *n_rows, GError **error)
{
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (double));
  g_auto (GStrv) rows = g_strsplit_set (text, ";\n", POINTS_TEXT_MAX + 2);

  for (guint i = 0; rows[i] != NULL; i++)
    if (i > POINTS_TEXT_MAX) {
      g_set_error (error, KG_ERROR, KG_ERROR_LIMIT, "more than %d rows", POINTS_TEXT_MAX);
      return NULL;
    } else if (!read_row (rows[i], i + 1, min, max, &missing, out, error))
      return NULL;
  *n_rows = out->len / max;
  return g_steal_pointer (&out);
}

GArray *
points_text_read (const char *text, guint min, guint max, guint *n_rows, GError **error)
{
  return read_rows (text, min, max, 0, n_rows, error);
}

GArray *
points_text_read_blanks (const char *text, guint min, guint max, guint *n_rows, GError **error)
{
  return read_rows (text, min, max, NAN, n_rows, error);
}

GArray *
points_text_read_numbers (const char *text, GError **error)
{
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (double));
  g_auto (GStrv) rows = g_strsplit_set (text, ";\n", POINTS_TEXT_MAX + 2);

  for (guint i = 0; rows[i] != NULL; i++)
    if (!read_row (rows[i], i + 1, 0, POINTS_TEXT_MAX, NULL, out, error))
      return NULL;
  return g_steal_pointer (&out);
}

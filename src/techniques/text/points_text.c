/* points_text: reading points from text.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/points_text.h"

#include "kg-json.h"
#include "kg-table.h"

#include <math.h>
#include <string.h>

#define BLANKS " \t,\r"
#define SEPARATORS ";\n"

/* missing: what stands for numbers that a row does not give (NULL: nothing does). */
static bool
read_row (const char *row, guint number, guint min, guint max, const double *missing, GArray *out, GError **error)
{
  const bool blanks = missing != NULL && isnan (*missing);
  const guint first = out->len;
  guint n;

  if (!kg_table_parse_row (row, number, out, &n, error))
    return false;
  for (guint i = first; i < out->len && !blanks; i++)
    if (isnan (g_array_index (out, double, i))) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %u: a number is missing: type one in place of -", number);
      return false;
    }
  if (n > max) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %u has more than %u numbers", number, max);
    return false;
  }
  if (n > 0 && n < min) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %u has %u numbers: give at least %u", number, n, min);
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
  g_auto (GStrv) rows = g_strsplit_set (text, SEPARATORS, POINTS_TEXT_MAX + 2);

  for (guint i = 0; rows[i] != NULL; i++)
    if (i > POINTS_TEXT_MAX) {
      kg_set_error (error, KG_ERROR_LIMIT, "more than %d rows", POINTS_TEXT_MAX);
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
  g_auto (GStrv) rows = g_strsplit_set (text, SEPARATORS, POINTS_TEXT_MAX + 2);

  for (guint i = 0; rows[i] != NULL; i++)
    if (!read_row (rows[i], i + 1, 0, POINTS_TEXT_MAX, NULL, out, error))
      return NULL;
  return g_steal_pointer (&out);
}

/* Editing. */

/* The next row that is not empty, from start on; the end of the text otherwise. */
static const char *
find_row_start (const char *at)
{
  return at + strspn (at, BLANKS SEPARATORS);
}

static const char *
find_row (const char *text, guint row, const char **end)
{
  const char *start = find_row_start (text);

  for (guint i = 0; i < row && *start != '\0'; i++)
    start = find_row_start (start + strcspn (start, SEPARATORS));
  *end = start + strcspn (start, SEPARATORS);
  return start;
}

guint
points_text_get_n_rows (const char *text)
{
  guint n = 0;

  for (const char *at = find_row_start (text); *at != '\0'; n++)
    at = find_row_start (at + strcspn (at, SEPARATORS));
  return n;
}

bool
points_text_get_row (const char *text, guint row, guint max, double *x, guint *n)
{
  const char *end, *start = find_row (text, row, &end);
  g_autofree char *found = g_strndup (start, (gsize) (end - start));
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  const bool good = *start != '\0' && read_row (found, row + 1, 0, max, NULL, numbers, NULL);

  *n = good ? numbers->len : 0;
  for (guint i = 0; i < *n; i++)
    x[i] = g_array_index (numbers, double, i);
  return good;
}

static void
append_numbers (GString *text, const double *x, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (i > 0)
      g_string_append_c (text, ' ');
    kg_json_write_number (x[i], text);
  }
}

/* Rows are parted by what parts those that are there. */
static const char *
get_separator (const char *text)
{
  return strchr (text, '\n') == NULL && strchr (text, ';') != NULL ? "; " : "\n";
}

static char *
append_row (const char *text, const double *x, guint n)
{
  const gsize length = strlen (text);
  GString *out = g_string_new (text);

  if (length > 0 && strchr (SEPARATORS, text[length - 1]) == NULL)
    g_string_append (out, get_separator (text));
  append_numbers (out, x, n);
  return g_string_free (out, FALSE);
}

/* Numbers as a row in the place of another, or before it. */
static char *
put_row (const char *text, guint row, const double *x, guint n, bool replace)
{
  const char *end, *start = find_row (text, row, &end);
  GString *out;

  if (*start == '\0')
    return append_row (text, x, n);
  out = g_string_new_len (text, start - text);
  append_numbers (out, x, n);
  if (!replace)
    g_string_append (out, get_separator (text));
  g_string_append (out, replace ? end : start);
  return g_string_free (out, FALSE);
}

char *
points_text_set_row (const char *text, guint row, const double *x, guint n)
{
  return put_row (text, row, x, n, true);
}

char *
points_text_insert_row (const char *text, guint row, const double *x, guint n)
{
  return put_row (text, row, x, n, false);
}

char *
points_text_remove_row (const char *text, guint row)
{
  const char *end, *start = find_row (text, row, &end), *next = find_row_start (end);
  GString *out = g_string_new_len (text, start - text);

  g_string_append (out, next);
  /* The last row takes what parted it from the one before along. */
  while (*next == '\0' && out->len > 0 && strchr (BLANKS SEPARATORS, out->str[out->len - 1]) != NULL)
    g_string_truncate (out, out->len - 1);
  return g_string_free (out, FALSE);
}

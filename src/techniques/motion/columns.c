/* columns: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/columns.h"

#include <math.h>
#include <string.h>

/* Lines between two looks at whether the result is still wanted. */
#define LOOK 4096

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* A field where it stands in the text, without the blanks and the quotes around it. */
typedef struct {
  char *start;
  gsize length;
} Field;

typedef struct {
  const ColumnsStyle *style;
  char separator; /* ' ': any number of blanks; 0: not known yet */
  char *next;     /* the line after this one */
  char *start, *end;
  guint line;
  GArray *fields; /* Field, of this line */
} Reader;

void
columns_free (Columns *columns)
{
  g_hash_table_unref (columns->by_name);
  g_ptr_array_unref (columns->names);
  g_array_unref (columns->numbers);
  g_array_unref (columns->lines);
  g_free (columns);
}

static bool columns_fail (const Reader *reader, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

static bool
columns_fail (const Reader *reader, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (kg_translate (format), arguments);
  va_end (arguments);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: %s", reader->line, message);
  return false;
}

static bool
is_blank (char c)
{
  return c == ' ' || c == '\t';
}

/* To the next line that is not empty. */
static bool
next_line (Reader *reader)
{
  while (*reader->next != '\0') {
    char *line = reader->next, *end = line + strcspn (line, "\r\n");

    reader->next = end + (end[0] == '\r' && end[1] == '\n' ? 2 : *end != '\0');
    reader->line++;
    reader->start = line;
    reader->end = end;
    if (line + strspn (line, " \t") < end)
      return true;
  }
  return false;
}

static char
find_separator (const Reader *reader, const char *start)
{
  static const char separators[] = { 0, ',', ';', '\t', ' ' };
  bool quoted = false, comma = false, tab = false;

  if (reader->style->separator != COLUMNS_FIND)
    return separators[reader->style->separator];
  for (const char *at = start; at < reader->end; at++) {
    if (*at == '"')
      quoted = !quoted;
    else if (quoted)
      continue;
    else if (*at == ';')
      return ';';
    comma = comma || (*at == ',' && !reader->style->decimal_comma);
    tab = tab || *at == '\t';
  }
  return tab ? '\t' : comma ? ',' : ' ';
}

/* One field from *at on, which goes behind it; where only blanks part them, *at is not a blank. */
static bool
take_field (const Reader *reader, char **at, Field *field, GError **error)
{
  const bool blanks = reader->separator == ' ';
  char *end;

  while (!blanks && *at < reader->end && *at[0] == ' ')
    (*at)++;
  if (*at < reader->end && *at[0] == '"') {
    field->start = *at + 1;
    for (end = field->start; end < reader->end && (end[0] != '"' || end[1] == '"'); end++)
      if (end[0] == '"')
        end++;
    if (end >= reader->end)
      return columns_fail (reader, error, "the quotation mark is never closed: add one at the end of the field");
    field->length = (gsize) (end - field->start);
    for (*at = end + 1; *at < reader->end && *at[0] == ' '; (*at)++)
      ;
    if (*at < reader->end && *at[0] != reader->separator && !blanks)
      return columns_fail (reader, error, "text after a quoted field: double any quotation marks inside the field");
    return true;
  }
  field->start = *at;
  for (end = *at; end < reader->end && (blanks ? !is_blank (*end) : *end != reader->separator); end++)
    ;
  *at = end;
  while (end > field->start && is_blank (end[-1]))
    end--;
  field->length = (gsize) (end - field->start);
  return true;
}

static bool
fail_too_many_numbers (const Reader *reader, GError **error)
{
  return columns_fail (reader, error, "more than %d numbers: split the file, or remove columns", COLUMNS_MAX_NUMBERS);
}

/* Those of the line, from start on. */
static bool
split (Reader *reader, char *start, GError **error)
{
  const bool blanks = reader->separator == ' ';
  char *at = start;

  g_array_set_size (reader->fields, 0);
  for (;;) {
    Field field;

    while (blanks && at < reader->end && is_blank (*at))
      at++;
    if (blanks && at == reader->end)
      return true;
    if (!take_field (reader, &at, &field, error))
      return false;
    if (reader->fields->len == COLUMNS_MAX_NUMBERS)
      return fail_too_many_numbers (reader, error);
    g_array_append_val (reader->fields, field);
    if (!blanks && at >= reader->end)
      return true;
    if (!blanks)
      at++;
  }
}

static const Field *
get_field (const Reader *reader, guint i)
{
  return &g_array_index (reader->fields, Field, i);
}

/* False: not a number. */
static bool
read_number (const Reader *reader, const Field *field, double *number)
{
  char *comma = NULL, *end = NULL;

  /* A second comma is none of a number, and a message is to show what is in the file. */
  if (reader->style->decimal_comma)
    comma = (char *) memchr (field->start, ',', field->length);
  if (comma != NULL)
    *comma = '.';
  *number = field->length > 0 ? g_ascii_strtod (field->start, &end) : NAN;
  if (comma != NULL)
    *comma = ',';
  return end == field->start + field->length;
}

/* Whether a line holds names or numbers, mistyped ones too, shows in the first character of the first field that is not empty. */
static bool
is_heading (const Reader *reader)
{
  for (guint i = 0; i < reader->fields->len; i++) {
    const Field *field = get_field (reader, i);
    char *end;

    if (field->length == 0)
      continue;
    g_ascii_strtod (field->start, &end);
    return end != field->start + field->length && strchr ("+-.0123456789", field->start[0]) == NULL;
  }
  return false;
}

/* (transfer full) With "" as one quote. */
static char *
dup_name (const Field *field, guint column)
{
  GString *name;

  if (field == NULL || field->length == 0)
    return g_strdup_printf ("column%u", column + 1);
  name = g_string_new_len (field->start, (gssize) field->length);
  g_string_replace (name, "\"\"", "\"", 0);
  return g_string_free (name, FALSE);
}

/* named: the names are the fields of the line. */
static bool
make_columns (const Reader *reader, bool named, Columns *columns, GError **error)
{
  guint n = reader->fields->len;

  /* A separator at the end of a line begins no column. */
  while (n > 1 && get_field (reader, n - 1)->length == 0)
    n--;
  for (guint i = 0; i < n; i++) {
    char *name = dup_name (named ? get_field (reader, i) : NULL, i);
    const guint other = GPOINTER_TO_UINT (g_hash_table_lookup (columns->by_name, name));

    g_ptr_array_add (columns->names, name);
    if (other > 0)
      return columns_fail (reader, error, "columns %u and %u have the same name: rename one", other, i + 1);
    g_hash_table_insert (columns->by_name, name, GUINT_TO_POINTER (i + 1));
  }
  return true;
}

/* The field is not a number. */
static bool
fail_not_a_number (const Reader *reader, const Columns *columns, guint column, GError **error)
{
  const Field *field = get_field (reader, column);
  const char *name = (const char *) g_ptr_array_index (columns->names, column);
  const int length = (int) MIN (field->length, 40);

  /* A file without any number may be anything: its text is not for messages, which others may read. */
  if (columns->numbers->len == 0)
    return columns_fail (reader, error,
                         "column %u is not a number: choose a table of numbers; if their commas are decimal points, "
                         "turn on Decimal comma",
                         column + 1);
  if (!reader->style->decimal_comma && memchr (field->start, ',', field->length) != NULL)
    return columns_fail (
        reader, error,
        "column %u (%.60s): \"%.*s\" is not a number: if its comma is a decimal point, turn on Decimal comma",
        column + 1, name, length, field->start);
  return columns_fail (reader, error, "column %u (%.60s): \"%.*s\" is not a number: write one such as 0.25 or 2.5e-1",
                       column + 1, name, length, field->start);
}

/* Spreadsheets write rows of nothing but separators. */
static bool
is_empty (const Reader *reader)
{
  for (guint i = 0; i < reader->fields->len; i++)
    if (get_field (reader, i)->length > 0)
      return false;
  return true;
}

static bool
read_row (const Reader *reader, Columns *columns, GError **error)
{
  const guint n = columns->names->len;
  guint given = reader->fields->len;

  while (given > n && get_field (reader, given - 1)->length == 0)
    given--;
  if (given != n)
    return columns_fail (
        reader, error, "%u fields, but the table has %u columns: give every line the same number of fields", given, n);
  if (columns->numbers->len + n > COLUMNS_MAX_NUMBERS)
    return fail_too_many_numbers (reader, error);
  for (guint i = 0; i < n; i++) {
    const Field *field = get_field (reader, i);
    const bool dash = field->length == 1 && field->start[0] == '-';
    double x;

    if ((!read_number (reader, field, &x) && field->length > 0 && !dash) || isinf (x))
      return fail_not_a_number (reader, columns, i, error);
    if (dash)
      x = NAN;
    if (isnan (x) && !reader->style->gaps && columns->numbers->len == 0)
      return columns_fail (reader, error, "column %u has no number: fill it in, or set Gaps to Bridge", i + 1);
    if (isnan (x) && !reader->style->gaps)
      return columns_fail (
          reader, error, "column %u (%.60s) has \"%.*s\" instead of a number: fill it in, or set Gaps to Bridge", i + 1,
          (const char *) g_ptr_array_index (columns->names, i), (int) MIN (field->length, 40), field->start);
    g_array_append_val (columns->numbers, x);
  }
  g_array_append_val (columns->lines, reader->line);
  return true;
}

/* Splits the first line that is not a comment: it may name the columns, and so may the comment above it. */
static bool
read_heading (Reader *reader, char *comment, char *comment_end, Columns *columns, bool *is_row, GError **error)
{
  *is_row = !is_heading (reader);
  if (*is_row && comment != NULL) {
    Reader above = *reader;
    bool fits;

    above.line--;
    above.end = comment_end;
    above.fields = g_array_new (FALSE, FALSE, sizeof (Field));
    fits = split (&above, comment, NULL) && above.fields->len == reader->fields->len && is_heading (&above);
    if (fits)
      fits = make_columns (&above, true, columns, error);
    else
      fits = make_columns (reader, false, columns, error);
    g_array_unref (above.fields);
    return fits;
  }
  return make_columns (reader, !*is_row, columns, error);
}

static bool
read_lines (Reader *reader, Columns *columns, const KgProgressMonitor *monitor, GError **error)
{
  char *comment = NULL, *comment_end = NULL;
  guint comment_line = 0;

  while (next_line (reader)) {
    char *start = reader->start + strspn (reader->start, " \t");
    bool is_row = true;

    if (reader->line % LOOK == 0 && kg_progress_is_cancelled (monitor))
      return false;
    if (start[0] == '#') {
      comment = start + 1;
      comment_end = reader->end;
      comment_line = reader->line;
      continue;
    }
    if (reader->separator == 0)
      reader->separator = find_separator (reader, reader->start);
    if (!split (reader, reader->start, error))
      return false;
    if (is_empty (reader))
      continue;
    if (columns->names->len == 0 &&
        !read_heading (reader, comment_line + 1 == reader->line ? comment : NULL, comment_end, columns, &is_row, error))
      return false;
    if (is_row && !read_row (reader, columns, error))
      return false;
  }
  return true;
}

Columns *
columns_read (char *text, gsize length, const ColumnsStyle *style, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GArray) fields = g_array_new (FALSE, FALSE, sizeof (Field));
  g_autoptr (Columns) columns = g_new0 (Columns, 1);
  Reader reader = { .style = style, .fields = fields, .next = text };
  const char *wrong;

  columns->names = g_ptr_array_new_with_free_func (g_free);
  columns->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  columns->numbers = g_array_new (FALSE, FALSE, sizeof (double));
  columns->lines = g_array_new (FALSE, FALSE, sizeof (guint));
  if (!g_utf8_validate_len (text, length, &wrong)) {
    reader.line = 1;
    for (const char *at = text; at < wrong; at++)
      reader.line += *at == '\n';
    columns_fail (&reader, error, "not a text in UTF-8: save the table as plain text in that encoding");
    return NULL;
  }
  if (g_str_has_prefix (text, BYTE_ORDER_MARK))
    reader.next += strlen (BYTE_ORDER_MARK);
  if (!read_lines (&reader, columns, monitor, error))
    return NULL;
  if (columns->lines->len > 0)
    return g_steal_pointer (&columns);
  if (columns->names->len > 0)
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "no rows of numbers below the column names");
  else
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the file is empty: it must have one line of numbers per moment");
  return NULL;
}

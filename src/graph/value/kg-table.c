/* kg-table: rows of doubles with named columns.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-table.h"

#include "kg-hash.h"
#include "kg-json.h"

#include <math.h>
#include <string.h>

#define BLANKS " \t,\r"
#define SEPARATORS ";\n"

struct _KgTable {
  gatomicrefcount refs;
  guint n_columns;
  size_t n_rows;
  char **names;     /* (nullable) n_columns of them, then NULL */
  KgBuffer *buffer; /* (nullable) none where there are no cells */
};

const KgTableColumn kg_table_points[] = {
  { "x", N_ ("x"), 0, false },
  { "y", N_ ("y"), 0, false },
  { "z", N_ ("z"), 0, true },
  KG_TABLE_COLUMNS_END,
};

const KgTableColumn kg_table_numbers[] = {
  { "value", N_ ("Value"), 0, false },
  KG_TABLE_COLUMNS_END,
};

static bool
check_names (guint n_columns, const char *const *names, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < n_columns; i++) {
    if (names[i][0] == '\0') {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "column %u of the table has an empty name: give it one", i + 1);
      return false;
    }
    if (!g_hash_table_add (seen, (gpointer) names[i])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "two columns of the table are called \"%.40s\": give each a name of its own", names[i]);
      return false;
    }
  }
  return true;
}

KgTable *
kg_table_new (guint n_columns, const char *const *names, size_t n_rows, GError **error)
{
  KgBuffer *buffer = NULL;
  KgTable *table;

  if (n_columns > KG_TABLE_MAX_COLUMNS) {
    kg_set_error (error, KG_ERROR_LIMIT, "a table of %u columns: it can have at most %d", n_columns,
                  KG_TABLE_MAX_COLUMNS);
    return NULL;
  }
  if (n_columns > 0 && n_rows > KG_TABLE_MAX_CELLS / n_columns) {
    kg_set_error (error, KG_ERROR_LIMIT, "a table of %zu rows and %u columns: it can have at most %zu numbers", n_rows,
                  n_columns, KG_TABLE_MAX_CELLS);
    return NULL;
  }
  if (names != NULL && !check_names (n_columns, names, error))
    return NULL;
  if (n_columns > 0 && n_rows > 0) {
    buffer = kg_buffer_new (n_rows * n_columns * sizeof (double));
    if (buffer == NULL) {
      kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for a table of %zu rows and %u columns", n_rows,
                    n_columns);
      return NULL;
    }
  }
  table = g_new0 (KgTable, 1);
  g_atomic_ref_count_init (&table->refs);
  table->n_columns = n_columns;
  table->n_rows = n_columns > 0 ? n_rows : 0;
  table->buffer = buffer;
  if (names != NULL) {
    table->names = g_new0 (char *, n_columns + 1);
    for (guint i = 0; i < n_columns; i++)
      table->names[i] = g_strdup (names[i]);
  }
  return table;
}

KgTable *
kg_table_copy (const KgTable *table, GError **error)
{
  KgTable *copy = kg_table_new (table->n_columns, (const char *const *) table->names, table->n_rows, error);

  if (copy != NULL && copy->buffer != NULL)
    memcpy (kg_table_edit (copy), kg_table_get_cells (table), kg_buffer_get_size (copy->buffer));
  return copy;
}

KgTable *
kg_table_ref (const KgTable *table)
{
  KgTable *t = (KgTable *) table;

  g_atomic_ref_count_inc (&t->refs);
  return t;
}

void
kg_table_unref (KgTable *table)
{
  if (!g_atomic_ref_count_dec (&table->refs))
    return;
  g_strfreev (table->names);
  g_clear_pointer (&table->buffer, kg_buffer_unref);
  g_free (table);
}

double *
kg_table_edit (KgTable *table)
{
  return (double *) kg_table_get_cells (table);
}

size_t
kg_table_get_n_rows (const KgTable *table)
{
  return table->n_rows;
}

guint
kg_table_get_n_columns (const KgTable *table)
{
  return table->n_columns;
}

const double *
kg_table_get_cells (const KgTable *table)
{
  return table->buffer != NULL ? kg_buffer_get_data (table->buffer) : NULL;
}

const double *
kg_table_get_row (const KgTable *table, size_t row)
{
  g_assert (row < table->n_rows);
  return kg_table_get_cells (table) + row * table->n_columns;
}

bool
kg_table_has_names (const KgTable *table)
{
  return table->names != NULL;
}

const char *
kg_table_get_name (const KgTable *table, guint column)
{
  g_assert (column < table->n_columns);
  return table->names != NULL ? table->names[column] : NULL;
}

int
kg_table_find (const KgTable *table, const char *name)
{
  for (guint i = 0; table->names != NULL && i < table->n_columns; i++)
    if (g_str_equal (table->names[i], name))
      return (int) i;
  return -1;
}

/* Fitting a table to the columns that a node expects. */

guint
kg_table_columns_count (const KgTableColumn *columns)
{
  guint n = 0;

  while (columns[n].name != NULL)
    n++;
  return n;
}

/* "x, y, z" */
static char *
list_names (const KgTable *table)
{
  return table->n_columns > 0 ? g_strjoinv (", ", table->names) : g_strdup ("none");
}

static char *
list_columns (const KgTableColumn *columns)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; columns[i].name != NULL; i++)
    g_string_append_printf (out, "%s%s%s%s", i > 0 ? " " : "", columns[i].optional ? "[" : "", columns[i].name,
                            columns[i].optional ? "]" : "");
  return g_string_free (out, FALSE);
}

/* Where each column stands in the table; -1: it gets its default. */
static bool
match (const KgTable *table, const KgTableColumn *columns, int *from, GError **error)
{
  const guint n = kg_table_columns_count (columns);

  for (guint i = 0; i < n; i++) {
    from[i] = table->names != NULL ? kg_table_find (table, columns[i].name) : i < table->n_columns ? (int) i : -1;
    if (from[i] >= 0 || columns[i].optional || table->n_rows == 0)
      continue;
    if (table->names != NULL) {
      g_autofree char *names = list_names (table);

      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the table has no column \"%s\" (it has: %s)", columns[i].name,
                    names);
    } else {
      g_autofree char *expected = list_columns (columns);

      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the rows of the table have %u numbers: a row is %s",
                    table->n_columns, expected);
    }
    return false;
  }
  if (table->names == NULL && table->n_columns > n && table->n_rows > 0) {
    g_autofree char *expected = list_columns (columns);

    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the rows of the table have %u numbers: a row is %s", table->n_columns,
                  expected);
    return false;
  }
  return true;
}

static bool
fits (const KgTable *table, const KgTableColumn *columns, guint n)
{
  if (table->n_columns != n || table->names == NULL)
    return false;
  for (guint i = 0; i < n; i++)
    if (!g_str_equal (table->names[i], columns[i].name))
      return false;
  return true;
}

static bool
has_blank (const KgTable *table)
{
  const double *cells = kg_table_get_cells (table);

  for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
    if (isnan (cells[i]))
      return true;
  return false;
}

/* Gives a blank cell its default, if it has one. */
static bool
fill_blank (const KgTableColumn *column, size_t number, double *x, GError **error)
{
  if (!isnan (*x))
    return true;
  if (!column->optional) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu: %s is blank: give it a number", number, column->name);
    return false;
  }
  *x = column->def;
  return true;
}

/* (transfer full) (nullable) */
static KgTable *
new_of_columns (const KgTableColumn *columns, size_t n_rows, GError **error)
{
  const guint n = kg_table_columns_count (columns);
  g_autofree const char **names = g_new (const char *, n + 1);

  for (guint i = 0; i < n; i++)
    names[i] = columns[i].name;
  return kg_table_new (n, names, n_rows, error);
}

KgTable *
kg_table_conform (const KgTable *table, const KgTableColumn *columns, GError **error)
{
  const guint n = kg_table_columns_count (columns);
  g_autofree int *from = g_new (int, n + 1);
  KgTable *fitted;
  double *cells;

  if (fits (table, columns, n) && !has_blank (table))
    return kg_table_ref (table);
  if (!match (table, columns, from, error))
    return NULL;
  fitted = new_of_columns (columns, table->n_rows, error);
  if (fitted == NULL)
    return NULL;
  cells = kg_table_edit (fitted);
  for (size_t row = 0; row < fitted->n_rows; row++)
    for (guint i = 0; i < n; i++) {
      cells[row * n + i] = from[i] < 0 ? NAN : kg_table_get_row (table, row)[from[i]];
      if (!fill_blank (&columns[i], row + 1, &cells[row * n + i], error)) {
        kg_table_unref (fitted);
        return NULL;
      }
    }
  return fitted;
}

/* Tables as text. */

bool
kg_table_parse_row (const char *row, size_t number, GArray *out, guint *n, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (row, BLANKS, -1);

  *n = 0;
  for (guint i = 0; words[i] != NULL; i++) {
    char *end;
    double x;

    if (words[i][0] == '\0')
      continue;
    x = g_ascii_strtod (words[i], &end);
    if (g_str_equal (words[i], "-"))
      x = NAN;
    else if (*end != '\0' || !isfinite (x)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "row %zu: \"%.40s\" is not a number: type a finite number, such as -1.5", number, words[i]);
      return false;
    }
    if (out->len >= KG_TABLE_MAX_CELLS) {
      kg_set_error (error, KG_ERROR_LIMIT, "a table can have at most %zu numbers", KG_TABLE_MAX_CELLS);
      return false;
    }
    g_array_append_val (out, x);
    (*n)++;
  }
  return true;
}

/* Fills a row of n numbers up to the expected columns. */
static bool
complete_row (const KgTableColumn *columns, guint width, guint n, guint block, size_t number, GArray *out,
              GError **error)
{
  double *row = &g_array_index (out, double, out->len - n);

  for (guint i = 0; i < MIN (n, width); i++)
    if (!fill_blank (&columns[i], number, &row[i], error))
      return false;
  if (n > width || !(n == width || columns[n].optional)) {
    g_autofree char *expected = list_columns (columns);

    kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu has %u numbers: a row is %s", number, n, expected);
    return false;
  }
  for (; n < width; n++) {
    const double x = columns[n].optional == KG_COLUMN_BLOCK ? block : columns[n].def;

    g_array_append_val (out, x);
  }
  return true;
}

/* (transfer full) (nullable) The words of the first row that is not empty, if they are all names of columns and rows follow:
 * *rest is what follows it.  A word alone is a number that is mistyped. */
static char **
parse_header (const char *text, const char **rest)
{
  const char *start = text + strspn (text, BLANKS SEPARATORS);
  const size_t length = strcspn (start, SEPARATORS);
  g_autofree char *row = g_strndup (start, length);
  g_auto (GStrv) words = NULL;
  g_autoptr (GStrvBuilder) names = NULL;

  if (!g_ascii_isalpha (*start) && *start != '_')
    return NULL;
  *rest = start + length;
  if ((*rest)[strspn (*rest, BLANKS SEPARATORS)] == '\0')
    return NULL;
  words = g_strsplit_set (row, BLANKS, -1);
  names = g_strv_builder_new ();
  for (guint i = 0; words[i] != NULL; i++) {
    char *end = words[i];

    if (words[i][0] == '\0')
      continue;
    g_ascii_strtod (words[i], &end);
    if (end > words[i] || (!g_ascii_isalpha (words[i][0]) && words[i][0] != '_'))
      return NULL;
    g_strv_builder_add (names, words[i]);
  }
  return g_strv_builder_end (names);
}

/* A text with a row of names. */
static KgTable *
parse_named (const char *text, char **names, GError **error)
{
  g_autoptr (KgTable) cells = kg_table_parse (text, NULL, error), table = NULL;
  const guint n_columns = g_strv_length (names);

  if (cells == NULL)
    return NULL;
  if (cells->n_rows > 0 && cells->n_columns != n_columns) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the rows have %u numbers, but there are %u names of columns",
                  cells->n_columns, n_columns);
    return NULL;
  }
  table = kg_table_new (n_columns, (const char *const *) names, cells->n_rows, error);
  if (table != NULL && table->buffer != NULL)
    memcpy (kg_table_edit (table), kg_table_get_cells (cells), kg_buffer_get_size (cells->buffer));
  return g_steal_pointer (&table);
}

KgTable *
kg_table_parse (const char *text, const KgTableColumn *columns, GError **error)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  guint width = columns != NULL ? kg_table_columns_count (columns) : 0, n;
  const char *rest = NULL;
  g_auto (GStrv) names = parse_header (text, &rest);
  size_t number = 0;
  guint block = 0;
  bool ended = false; /* an empty row came after the last one */
  KgTable *table;

  if (names != NULL) {
    g_autoptr (KgTable) named = parse_named (rest, names, error);

    return named == NULL || columns == NULL ? g_steal_pointer (&named) : kg_table_conform (named, columns, error);
  }
  for (const char *at = text; *at != '\0'; at += *at != '\0') {
    const size_t length = strcspn (at, SEPARATORS);
    g_autofree char *row = g_strndup (at, length);

    number++;
    at += length;
    if (!kg_table_parse_row (row, number, numbers, &n, error))
      return NULL;
    if (n == 0) {
      ended = numbers->len > 0;
      continue;
    }
    block += ended;
    ended = false;
    if (columns != NULL && width == 1) {
      for (guint i = numbers->len - n; i < numbers->len; i++)
        if (!fill_blank (columns, i + 1, &g_array_index (numbers, double, i), error))
          return NULL;
      continue;
    }
    if (columns != NULL) {
      if (!complete_row (columns, width, n, block, number, numbers, error))
        return NULL;
    } else if (width == 0)
      width = n;
    else if (n != width) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "row %zu has %u numbers, but the first has %u: give all rows the "
                    "same number",
                    number, n, width);
      return NULL;
    }
  }
  table = columns != NULL ? new_of_columns (columns, numbers->len / MAX (width, 1), error)
                          : kg_table_new (width, NULL, numbers->len / MAX (width, 1), error);
  if (table != NULL && numbers->len > 0)
    memcpy (kg_table_edit (table), numbers->data, numbers->len * sizeof (double));
  return table;
}

static void
write_cell (double x, const char *blank, GString *out)
{
  if (isnan (x))
    g_string_append (out, blank);
  else
    kg_json_write_number (x, out);
}

/* Blank cells at the end of a row that may lack them are left out. */
static guint
count_written (const KgTableColumn *columns, const double *row, guint n)
{
  while (columns != NULL && n > 1 && isnan (row[n - 1]) && columns[n - 1].optional)
    n--;
  return n;
}

void
kg_table_write_text (const KgTable *table, const KgTableColumn *columns, GString *out)
{
  const double *cells = kg_table_get_cells (table);
  const guint n = table->n_columns;
  const bool blocks = columns != NULL && n > 0 && columns[n - 1].optional == KG_COLUMN_BLOCK;

  for (guint i = 0; columns == NULL && table->names != NULL && i < n; i++)
    g_string_append_printf (out, "%s%s%s", i > 0 ? " " : "", table->names[i],
                            i + 1 == n && table->n_rows > 0 ? "\n" : "");
  for (size_t row = 0; row < table->n_rows; row++) {
    if (row > 0)
      g_string_append (out, blocks && cells[row * n - 1] != cells[row * n + n - 1] ? "\n\n" : "\n");
    for (guint i = 0; i < count_written (columns, cells + row * n, blocks ? n - 1 : n); i++) {
      if (i > 0)
        g_string_append_c (out, ' ');
      write_cell (cells[row * n + i], "-", out);
    }
  }
}

void
kg_table_write_cell (const KgTable *table, size_t row, guint column, GString *out)
{
  write_cell (kg_table_get_row (table, row)[column], "null", out);
}

static void
write_names (const KgTable *table, GString *out)
{
  g_string_append (out, "{\"columns\": [");
  for (guint i = 0; i < table->n_columns; i++) {
    if (i > 0)
      g_string_append (out, ", ");
    kg_json_write_string (table->names[i], out);
  }
  g_string_append (out, "], \"rows\": ");
}

void
kg_table_write_json (const KgTable *table, KgTableStyle style, KgTableWriteCell write, gpointer data, GString *out)
{
  const bool with_names = (style & KG_TABLE_NAMED) != 0 && table->names != NULL;
  const bool arrays = table->n_columns > 1 || (style & KG_TABLE_APART) != 0;

  if (with_names)
    write_names (table, out);
  g_string_append_c (out, '[');
  for (size_t row = 0; row < table->n_rows; row++) {
    if (row > 0)
      g_string_append (out, ", ");
    if (arrays)
      g_string_append_c (out, '[');
    for (guint i = 0; i < table->n_columns; i++) {
      if (i > 0)
        g_string_append (out, ", ");
      if (write != NULL)
        write (data, row, i, out);
      else
        kg_table_write_cell (table, row, i, out);
    }
    if (arrays)
      g_string_append_c (out, ']');
  }
  g_string_append_c (out, ']');
  if (with_names)
    g_string_append_c (out, '}');
}

/* As for every value. */

bool
kg_table_equal (const KgTable *a, const KgTable *b)
{
  const double *x = kg_table_get_cells (a), *y = kg_table_get_cells (b);

  if (a->n_columns != b->n_columns || a->n_rows != b->n_rows || (a->names == NULL) != (b->names == NULL))
    return false;
  for (guint i = 0; a->names != NULL && i < a->n_columns; i++)
    if (!g_str_equal (a->names[i], b->names[i]))
      return false;
  for (size_t i = 0; i < a->n_rows * a->n_columns; i++)
    if (!(x[i] == y[i]) && !(isnan (x[i]) && isnan (y[i])))
      return false;
  return true;
}

bool
kg_table_check_finite (const KgTable *table, GError **error)
{
  const double *cells = kg_table_get_cells (table);

  for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
    if (isinf (cells[i])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu of the table, column %zu: %g: every number must be finite",
                    i / table->n_columns + 1, i % table->n_columns + 1, cells[i]);
      return false;
    }
  return true;
}

void
kg_table_each_buffer (const KgTable *table, KgBufferVisit visit, gpointer data)
{
  if (table->buffer != NULL)
    visit (table->buffer, data);
}

KgHash
kg_table_get_fingerprint (const KgTable *table)
{
  KgHash hash = kg_hash_begin (KG_HASH_VALUE, KG_TABLE);

  hash = kg_hash_uint (kg_hash_uint (hash, table->n_columns), table->n_rows);
  for (guint i = 0; table->names != NULL && i < table->n_columns; i++)
    hash = kg_hash_text (hash, table->names[i]);
  return kg_hash_doubles (hash, kg_table_get_cells (table), table->n_rows * table->n_columns);
}

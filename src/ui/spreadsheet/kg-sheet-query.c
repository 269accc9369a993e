/* kg-sheet-query: the rows of a sheet, sorted and searched.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-sheet-private.h"

#include "kg-number.h"

#include <math.h>
#include <string.h>

/* Sorting. */

typedef struct {
  uint64_t key;
  guint32 row;
} Entry;

/* Unsigned integers in the order of the numbers; NaN behind all. */
static uint64_t
get_key (double number, bool descending)
{
  uint64_t bits;

  if (isnan (number))
    return UINT64_MAX;
  number += 0.0; /* -0 is 0 */
  memcpy (&bits, &number, sizeof bits);
  bits = bits >> 63 ? ~bits : bits | (uint64_t) 1 << 63;
  return descending ? ~bits : bits;
}

/* By bytes from the least significant one; bytes that are equal everywhere (most, for single precision) cost nothing. */
static void
sort_entries (Entry *entries, gsize n)
{
  g_autofree Entry *other = g_new (Entry, n);
  g_autofree gsize *counts = g_new0 (gsize, 8 * 256);
  Entry *from = entries, *to = other;

  for (gsize i = 0; i < n; i++)
    for (guint byte = 0; byte < 8; byte++)
      counts[byte * 256 + (entries[i].key >> 8 * byte & 255)]++;
  for (guint byte = 0; byte < 8; byte++) {
    gsize *count = counts + byte * 256, sum = 0;

    if (count[from[0].key >> 8 * byte & 255] == n)
      continue;
    for (guint i = 0; i < 256; i++) {
      const gsize here = count[i];

      count[i] = sum;
      sum += here;
    }
    for (gsize i = 0; i < n; i++)
      to[count[from[i].key >> 8 * byte & 255]++] = from[i];
    {
      Entry *swap = from;

      from = to;
      to = swap;
    }
  }
  if (from != entries)
    memcpy (entries, from, n * sizeof *entries);
}

typedef struct {
  char *text;
  const char *shown;
  guint32 row;
  gsize order;
} TextEntry;

static int
compare_texts (gconstpointer a, gconstpointer b, gpointer data)
{
  const TextEntry *p = (const TextEntry *) a, *q = (const TextEntry *) b;
  const int result = strcmp (p->shown, q->shown) * (*(const bool *) data ? -1 : 1);

  return result != 0 ? result : p->order < q->order ? -1 : 1;
}

static void
sort_texts (const KgSheet *sheet, const KgSheetColumn *column, bool descending, guint32 *rows, gsize n)
{
  g_autofree TextEntry *entries = g_new (TextEntry, n);

  for (gsize i = 0; i < n; i++) {
    entries[i].shown = kg_sheet_get_column_text (sheet, rows[i], column, &entries[i].text);
    entries[i].row = rows[i];
    entries[i].order = i;
  }
  g_qsort_with_data (entries, (int) n, sizeof *entries, compare_texts, &descending);
  for (gsize i = 0; i < n; i++) {
    rows[i] = entries[i].row;
    g_free (entries[i].text);
  }
}

void
kg_sheet_sort (const KgSheet *sheet, guint column, bool descending, guint32 *rows, gsize n)
{
  const KgSheetColumn *c = kg_sheet_get_column (sheet, column);

  if (n < 2)
    return;
  if (!kg_sheet_is_number (sheet, column)) {
    sort_texts (sheet, c, descending, rows, n);
    return;
  }
  {
    g_autofree Entry *entries = g_new (Entry, n);

    for (gsize i = 0; i < n; i++)
      entries[i] = (Entry){ get_key (kg_sheet_get_column_number (sheet, rows[i], c), descending), rows[i] };
    sort_entries (entries, n);
    for (gsize i = 0; i < n; i++)
      rows[i] = entries[i].row;
  }
}

/* Searching. */

typedef enum { TEST_NONE, TEST_LESS, TEST_AT_MOST, TEST_GREATER, TEST_AT_LEAST, TEST_EQUAL, TEST_DIFFERENT } Test;

typedef struct {
  Test test;
  guint column; /* of a comparison */
  bool has_number;
  double number, tolerance;
  char *text;
} Query;

/* A number is found where it is shown: "1.5" stands for 1.45 to 1.55, "2" for 2. */
static bool
read_number (const char *text, Query *query)
{
  int decimals;
  const bool good = kg_number_read (text, &query->number, &decimals);
  const double digits = 1e-6 * fmax (fabs (query->number), 1e-6);

  query->tolerance = decimals >= 0 ? fmax (0.5 * pow (10, -decimals), digits) : digits;
  return good;
}

static int
find_column (const KgSheet *sheet, const char *title)
{
  for (guint i = 0; i < sheet->columns->len; i++)
    if (g_ascii_strcasecmp (kg_sheet_get_column (sheet, i)->title, title) == 0)
      return (int) i;
  return -1;
}

static bool
read_comparison (const KgSheet *sheet, const char *text, Query *query)
{
  const gsize left = strcspn (text, "<>=!"), sign = strspn (text + left, "<>=!");
  g_autofree char *title = g_strstrip (g_strndup (text, left)), *sign_text = g_strndup (text + left, sign);
  g_autofree char *right = g_strstrip (g_strdup (text + left + sign));
  static const struct {
    const char *sign;
    Test test;
  } tests[] = { { "<", TEST_LESS },  { "<=", TEST_AT_MOST }, { ">", TEST_GREATER },   { ">=", TEST_AT_LEAST },
                { "=", TEST_EQUAL }, { "==", TEST_EQUAL },   { "!=", TEST_DIFFERENT } };
  const int column = find_column (sheet, title);

  if (column < 0 || !read_number (right, query))
    return false;
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    if (g_str_equal (sign_text, tests[i].sign)) {
      query->test = tests[i].test;
      query->column = (guint) column;
      return true;
    }
  return false;
}

/* single: the column holds floats, among which 0.1 means the float nearest to it. */
static bool
compare (const Query *query, double number, bool single)
{
  const double difference = number - (single ? (double) (float) query->number : query->number);

  switch (query->test) {
  case TEST_LESS:
    return difference < 0;
  case TEST_AT_MOST:
    return difference <= 0;
  case TEST_GREATER:
    return difference > 0;
  case TEST_AT_LEAST:
    return difference >= 0;
  case TEST_EQUAL:
    return fabs (difference) <= query->tolerance;
  case TEST_DIFFERENT:
    return fabs (difference) > query->tolerance;
  case TEST_NONE:
  default:
    return false;
  }
}

static bool
contains (const char *text, const char *lower)
{
  g_autofree char *own = NULL;

  /* Most text is plain; only the rest needs its letters folded with care. */
  if (g_str_is_ascii (text))
    return strcasestr (text, lower) != NULL;
  own = g_utf8_strdown (text, -1);
  return strstr (own, lower) != NULL;
}

static bool
matches (const KgSheet *sheet, const Query *query, gsize row)
{
  if (query->test != TEST_NONE) {
    const KgSheetColumn *column = kg_sheet_get_column (sheet, query->column);

    return compare (query, kg_sheet_get_column_number (sheet, row, column), column->kind == KG_SHEET_FLOAT);
  }
  for (guint i = 0; i < sheet->columns->len; i++) {
    const KgSheetColumn *column = kg_sheet_get_column (sheet, i);

    if (kg_sheet_is_number (sheet, i)) {
      if (query->has_number &&
          fabs (kg_sheet_get_column_number (sheet, row, column) - query->number) <= query->tolerance)
        return true;
    } else {
      char *made;
      const bool found = contains (kg_sheet_get_column_text (sheet, row, column, &made), query->text);

      g_free (made);
      if (found)
        return true;
    }
  }
  return false;
}

gsize
kg_sheet_search (const KgSheet *sheet, const char *text, guint32 *rows)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text)), *lower = g_utf8_strdown (stripped, -1);
  Query query = { .text = lower };
  gsize n = 0;

  if (!read_comparison (sheet, stripped, &query))
    query.has_number = read_number (stripped, &query);
  for (gsize i = 0; i < sheet->n_rows; i++)
    if (matches (sheet, &query, i))
      rows[n++] = (guint32) i;
  return n;
}

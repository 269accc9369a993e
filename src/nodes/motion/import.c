/* motion/import: a motion from a file of columns: digitised, measured, or computed by another program.
 *
 * Parent, Computer Animation, 3.5 and 3.6.2: an articulation variable may come from digitised data.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/channel_choices.h"
#include "motion/columns.h"
#include "kg-motion.h"
#include "kg-regular-file.h"

#include <math.h>

typedef struct {
  const char *path;
  int timing;
  const char *column;
  double rate;
  double start;
  int between;
  bool join;
  int separator;
  bool decimal_comma;
  int gaps;
  int before;
  int after;
  KgMotion *motion;
  char *names;
  int64_t rows;
} Import;

enum { TIMING_FIND, TIMING_COLUMN, TIMING_COUNTER, TIMING_STEADY, N_TIMINGS };
enum { GAPS_REFUSE, GAPS_BRIDGE, N_GAPS };

static const KgChoice import_timings[] = {
  [TIMING_FIND] = { "find", N_ ("A column called time, seconds, t or frame") },
  [TIMING_COLUMN] = { "column", N_ ("A column") },
  [TIMING_COUNTER] = { "counter", N_ ("A column that counts at a constant rate") },
  [TIMING_STEADY] = { "steady", N_ ("Rows at a constant rate") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (import_timings, N_TIMINGS);

static const KgChoice import_separators[] = {
  [COLUMNS_FIND] = { "find", N_ ("Automatic, from the first line") },
  [COLUMNS_COMMA] = { "comma", N_ ("Commas") },
  [COLUMNS_SEMICOLON] = { "semicolon", N_ ("Semicolons") },
  [COLUMNS_TAB] = { "tab", N_ ("Tabs") },
  [COLUMNS_BLANKS] = { "blanks", N_ ("Spaces or tabs") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (import_separators, COLUMNS_N_SEPARATORS);

static const KgChoice import_gaps[] = {
  [GAPS_REFUSE] = { "refuse", N_ ("Report an error") },
  [GAPS_BRIDGE] = { "bridge", N_ ("Bridge") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (import_gaps, N_GAPS);

/* Some columns that become one channel. */
typedef struct {
  char *name;
  guint width;
  guint columns[3];
} Part;

static void
part_clear (gpointer data)
{
  g_free (((Part *) data)->name);
}

static const char *
get_name (const Columns *table, guint column)
{
  return (const char *) g_ptr_array_index (table->names, column);
}

/* Without a unit behind it, as in "Time [s]". */
static bool
is_called_time (const char *name)
{
  static const char *const known[] = { "time", "times", "t", "seconds", "sec", "frame", "frames" };
  g_autofree char *word = g_ascii_strdown (name, (gssize) strcspn (name, "[({"));

  g_strchomp (word);
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (word, known[i]))
      return true;
  return false;
}

/* column: (out) of the times; -1 where there is none. */
static bool
find_times (const Import *n, const Columns *table, int *column, GError **error)
{
  guint found;

  *column = -1;
  if (n->timing == TIMING_STEADY)
    return true;
  if (n->timing == TIMING_FIND) {
    for (guint i = 0; i < table->names->len && *column < 0; i++)
      if (is_called_time (get_name (table, i)))
        *column = (int) i;
    return true;
  }
  if (n->column[0] == '\0') {
    *column = 0;
    return true;
  }
  found = GPOINTER_TO_UINT (g_hash_table_lookup (table->by_name, n->column));
  if (found == 0) {
    g_autoptr (GString) names = g_string_new (NULL);

    for (guint i = 0; i < MIN (table->names->len, 12); i++)
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", get_name (table, i));
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s has no column \"%s\" for the times: its columns are %s%s", n->path,
                  n->column, names->str, table->names->len > 12 ? " ..." : "");
    return false;
  }
  *column = (int) found - 1;
  return true;
}

/* The stem that a name and those of the columns behind it share before .x, .y and .z (or _x ...), and how many they are:
 * 2 or 3, or 1 where they do not.  (transfer full) */
static char *
find_stem (const Columns *table, guint column, int times, guint *width)
{
  const char *first = get_name (table, column);
  const gsize length = strlen (first);
  g_autofree char *stem = NULL;

  *width = 1;
  if (length < 3 || g_ascii_tolower (first[length - 1]) != 'x' || strchr ("._ ", first[length - 2]) == NULL)
    return g_strdup (first);
  while (*width < 3 && column + *width < table->names->len && (int) (column + *width) != times) {
    const char *name = get_name (table, column + *width);

    if (strlen (name) != length || strncmp (name, first, length - 1) != 0 ||
        name[length - 1] != first[length - 1] + (char) *width)
      break;
    (*width)++;
  }
  stem = g_strndup (first, length - 2);
  if (*width > 1 && g_hash_table_contains (table->by_name, stem))
    *width = 1;
  return *width > 1 ? g_steal_pointer (&stem) : g_strdup (first);
}

/* (transfer full) Part */
static GArray *
find_parts (const Import *n, const Columns *table, int times)
{
  g_autoptr (GHashTable) stems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (Part));

  g_array_set_clear_func (parts, part_clear);
  for (guint i = 0; i < table->names->len; i++) {
    Part part = { .width = 1 };

    if ((int) i == times)
      continue;
    if (n->join)
      part.name = find_stem (table, i, times, &part.width);
    /* hand.x and hand_x cannot both become hand. */
    if (part.width > 1 && !g_hash_table_add (stems, g_strdup (part.name))) {
      g_clear_pointer (&part.name, g_free);
      part.width = 1;
    }
    if (part.width == 1) {
      g_free (part.name);
      part.name = g_strdup (get_name (table, i));
    }
    for (guint c = 0; c < part.width; c++)
      part.columns[c] = i + c;
    g_array_append_val (parts, part);
    i += part.width - 1;
  }
  return parts;
}

typedef struct {
  double at;
  guint row;
} Moment;

static int
compare_moments (gconstpointer a, gconstpointer b)
{
  const Moment *x = (const Moment *) a, *y = (const Moment *) b;

  /* Two rows at the same time keep their order. */
  return x->at < y->at ? -1 : x->at > y->at ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

static double
get_number (const Columns *table, guint row, guint column)
{
  return g_array_index (table->numbers, double, (gsize) row * table->names->len + column);
}

/* (transfer full) (nullable) Moment: all rows, in the order of time. */
static GArray *
order_rows (const Import *n, const Columns *table, int times, const KgContext *ctx, GError **error)
{
  const guint n_rows = table->lines->len;
  g_autoptr (GArray) moments = g_array_sized_new (FALSE, FALSE, sizeof (Moment), n_rows);
  guint n_late = 0, late = 0;
  double latest = -INFINITY, before_late = 0;

  for (guint i = 0; i < n_rows; i++) {
    Moment moment = { .row = i };

    moment.at = times >= 0 ? get_number (table, i, (guint) times) : n->start + i / n->rate;
    if (isnan (moment.at)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s, line %u: the time in column %d (%s) is empty: fill it in",
                    n->path, g_array_index (table->lines, guint, i), times + 1, get_name (table, (guint) times));
      return NULL;
    }
    if (moment.at < latest && n_late++ == 0) {
      late = i;
      before_late = latest;
    }
    latest = fmax (latest, moment.at);
    g_array_append_val (moments, moment);
  }
  if (n_late > 0) {
    kg_context_warn (ctx, "line %u: time %g comes after %g: the rows were sorted by time (out of order: %u)",
                     g_array_index (table->lines, guint, late), g_array_index (moments, Moment, late).at, before_late,
                     n_late);
    g_array_sort (moments, compare_moments);
  }
  if (n->timing == TIMING_COUNTER) {
    const double first = g_array_index (moments, Moment, 0).at;

    for (guint i = 0; i < n_rows; i++)
      g_array_index (moments, Moment, i).at = n->start + (g_array_index (moments, Moment, i).at - first) / n->rate;
  }
  return g_steal_pointer (&moments);
}

/* (transfer full) (nullable) */
static KgChannel *
make_keys (const Import *n, const Columns *table, const GArray *moments, const Part *part, GError **error)
{
  g_autofree KgKey *keys = g_new (KgKey, moments->len);
  KgChannel *channel;
  gsize n_keys = 0;

  for (guint i = 0; i < moments->len; i++) {
    const Moment *moment = &g_array_index (moments, Moment, i);
    KgKey *key = &keys[n_keys];
    bool whole = true;

    kg_key_init (key, moment->at, 0);
    key->interpolation = (KgInterpolation) n->between;
    for (guint c = 0; c < part->width; c++) {
      key->value[c] = get_number (table, moment->row, part->columns[c]);
      whole = whole && !isnan (key->value[c]);
    }
    n_keys += whole;
  }
  if (n_keys == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: %s contains no numbers: remove its column", n->path, part->name);
    return NULL;
  }
  channel = kg_channel_new_keys (part->width, false, keys, n_keys, (KgExtend) n->before, (KgExtend) n->after, error);
  if (channel == NULL)
    g_prefix_error (error, "%s: %s: ", n->path, part->name);
  return channel;
}

static bool
make_motion (Import *n, const Columns *table, const KgContext *ctx, GError **error)
{
  g_autoptr (GArray) parts = NULL, moments = NULL;
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (KgMotion) motion = kg_motion_new ();
  int times;

  if (!find_times (n, table, &times, error))
    return false;
  parts = find_parts (n, table, times);
  if (parts->len == 0) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "%s has only one column, which contains the times: add columns of numbers, or set Times to Rows at a constant rate",
        n->path);
    return false;
  }
  moments = order_rows (n, table, times, ctx, error);
  if (moments == NULL)
    return false;
  for (guint i = 0; i < parts->len; i++) {
    const Part *part = &g_array_index (parts, Part, i);
    KgChannel *channel;

    if (kg_context_is_cancelled (ctx))
      return false;
    channel = make_keys (n, table, moments, part, error);
    if (channel == NULL)
      return false;
    kg_motion_take_channel (motion, part->name, channel);
    g_string_append_printf (names, "%s%s", i > 0 ? "\n" : "", part->name);
  }
  n->rows = moments->len;
  n->names = g_string_free (g_steal_pointer (&names), FALSE);
  n->motion = g_steal_pointer (&motion);
  return true;
}

static bool
import_evaluate (Import *n, const KgContext *ctx, GError **error)
{
  const ColumnsStyle style = { .separator = (ColumnsSeparator) n->separator,
                               .decimal_comma = n->decimal_comma,
                               .gaps = n->gaps == GAPS_BRIDGE };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autofree char *path = NULL, *text = NULL;
  g_autoptr (Columns) table = NULL;
  gsize length;

  if (n->path[0] == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "path is empty: choose a table (.csv, .tsv, .txt, .dat)");
    return false;
  }
  path = kg_context_dup_path (ctx, n->path, error);
  if (path == NULL)
    return false;
  text = kg_regular_file_read (path, "a table", &length, error);
  if (text == NULL)
    return false;
  table = columns_read (text, length, &style, &monitor, error);
  if (table == NULL) {
    g_prefix_error (error, "%s: ", n->path);
    return false;
  }
  return make_motion (n, table, ctx, error);
}

static const KgSlot import_slots[] = {
  KG_INPUT (
      Import, path, TEXT, .label = N_ ("File"), .fixed = true, .path = true,
      .help = N_ (
          "A table (.csv, .tsv, .txt), relative to the folder of the graph, with one line per moment and one column per quantity. A first line of words names the channels; lines that begin with # are comments.")),
  KG_INPUT (
      Import, timing, CHOICE, .label = N_ ("Times"), .choices = import_timings,
      .help = N_ (
          "How the time of each row is determined. Times in a column are used as they are: if they are frames, read the motion at frames. Without a column the rows come at a constant rate.")),
  KG_INPUT (Import, column, TEXT, .label = N_ ("Column"), .shown_when = "timing=column|counter",
            .help = N_ ("Name of the column that contains the times; empty for the first one.")),
  KG_INPUT (
      Import, rate, NUMBER, .label = N_ ("Rate"), .unit = KG_HERTZ, .shown_when = "timing=find|counter|steady",
      .def = 24, .min = 1e-6, .max = 1e9, .soft_max = 240,
      .help = N_ (
          "Rows per second if no column contains the times, or counts per second of a counter, such as the frames of a camera.")),
  KG_INPUT (Import, start, NUMBER, .label = N_ ("Start"), .unit = KG_SECONDS,
            .shown_when = "timing=find|counter|steady", .min = -1e9, .max = 1e9, .soft_max = 10,
            .help = N_ ("Time of the first row, unless a column gives it.")),
  KG_INPUT (Import, between, CHOICE, .label = N_ ("Between rows"), .choices = channel_betweens,
            .def = KG_INTERPOLATE_LINEAR, .help = N_ ("How values are interpolated from one row to the next.")),
  KG_INPUT (Import, join, BOOLEAN, .label = N_ ("Join x, y and z"), .def = 1,
            .help = N_ ("Adjacent columns hand.x, hand.y and hand.z become one channel of vectors called hand.")),
  KG_INPUT (Import, separator, CHOICE, .label = N_ ("Separator"), .choices = import_separators,
            .group = N_ ("File format"), .help = N_ ("Character between the columns.")),
  KG_INPUT (Import, decimal_comma, BOOLEAN, .label = N_ ("Decimal comma"), .group = N_ ("File format"),
            .help = N_ ("Reads 1,5 as one and a half.")),
  KG_INPUT (
      Import, gaps, CHOICE, .label = N_ ("Gaps"), .choices = import_gaps, .group = N_ ("File format"),
      .help = N_ (
          "What to do if a number is missing: a field that is empty, NaN or a dash. With Bridge, the channel is interpolated from the number before to the number after.")),
  KG_INPUT (Import, before, CHOICE, .label = N_ ("Before"), .choices = channel_extends, .group = N_ ("Beyond the ends"),
            .help = N_ ("What happens before the start.")),
  KG_INPUT (Import, after, CHOICE, .label = N_ ("After"), .choices = channel_extends, .group = N_ ("Beyond the ends"),
            .help = N_ ("What happens after the end.")),
  KG_OUTPUT (Import, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("One channel for each column, or for each joined x, y and z.")),
  KG_OUTPUT (Import, names, TEXT, .label = N_ ("Names"), .help = N_ ("Names of the channels, one per line.")),
  KG_OUTPUT (Import, rows, INTEGER, .label = N_ ("Rows read"), .help = N_ ("Number of rows in the table.")),
};

KG_NODE (
    motion, import, Import, .label = N_ ("Import Motion"), .version = 1, .since = "0.1",
    .tags = N_ ("load read file csv tsv text table columns digitised measured data capture channels avar track open"),
    .formula = "row i: x(tᵢ) = xᵢ; between rows interpolated as in Function",
    .source = "Parent, Computer Animation, 3.5 and 3.6.2 (digitised articulation variables); RFC 4180 (quoting)",
    .help = N_ (
        "Reads a motion from a table in a file: positions digitised from a movie, sensor measurements, or the results of a spreadsheet or another program. Each column becomes a channel; read it by its name with Evaluate Motion."));

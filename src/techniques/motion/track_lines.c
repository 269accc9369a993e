/* track_lines: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/track_lines.h"

#include <math.h>

/* One repetition that is open. */
typedef struct {
  TrackReader start; /* its line */
  char *name;        /* (nullable) */
  double n, i;
} Loop;

static void
loop_clear (gpointer data)
{
  g_free (((Loop *) data)->name);
}

static bool
look_up_variable (gpointer data, const char *name, double *value, GError **error)
{
  const double *found = (const double *) g_hash_table_lookup (((TrackLines *) data)->variables, name);

  (void) error;
  if (found != NULL)
    *value = *found;
  return found != NULL;
}

void
track_lines_init (TrackLines *lines, const char *text)
{
  *lines = (TrackLines){ .reader = { .label = kg_translate ("line"), .look_up = look_up_variable, .data = lines },
                         .text = text,
                         .variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                         .names = g_ptr_array_new (),
                         .loops = g_array_new (FALSE, FALSE, sizeof (Loop)) };
  g_ptr_array_add (lines->names, NULL);
  g_array_set_clear_func (lines->loops, loop_clear);
  lines->reader.names = (const char *const *) lines->names->pdata;
}

void
track_lines_clear (TrackLines *lines)
{
  if (lines->loops == NULL)
    return;
  g_array_unref (lines->loops);
  g_ptr_array_unref (lines->names);
  g_hash_table_unref (lines->variables);
  lines->loops = NULL;
}

void
track_lines_set_variable (TrackLines *lines, const char *name, double value)
{
  double *variable = (double *) g_hash_table_lookup (lines->variables, name);

  if (variable == NULL) {
    char *key = g_strdup (name);

    variable = g_new (double, 1);
    g_hash_table_insert (lines->variables, key, variable);
    g_ptr_array_insert (lines->names, (gint) lines->names->len - 1, key);
  }
  *variable = value;
  lines->reader.names = (const char *const *) lines->names->pdata;
}

static bool
read_let (TrackLines *lines, GError **error)
{
  g_autofree char *name = track_take_name (&lines->reader, "a variable name", error);
  double value;

  if (name == NULL || !track_expect_keyword (&lines->reader, "=", error) ||
      !track_take_expression (&lines->reader, NULL, &value, error))
    return false;
  track_lines_set_variable (lines, name, value);
  return true;
}

static bool
read_repeat (TrackLines *lines, GError **error)
{
  TrackReader *reader = &lines->reader;
  Loop loop = { .i = 1 };

  if (!track_take_value (reader, "the number of repetitions", &loop.n, error))
    return false;
  if (!(loop.n >= 1 && loop.n <= TRACK_MAX_LINES) || loop.n != floor (loop.n))
    return track_fail (reader, NULL, error, "%g repetitions: write a whole number from 1 to %d", loop.n,
                       TRACK_MAX_LINES);
  if (track_take_keyword (reader, "as")) {
    loop.name = track_take_name (reader, "a variable name", error);
    if (loop.name == NULL)
      return false;
    track_lines_set_variable (lines, loop.name, 1);
  }
  if (!track_expect_end (reader, error)) {
    g_free (loop.name);
    return false;
  }
  loop.start = *reader;
  g_array_append_val (lines->loops, loop);
  return true;
}

/* Goes back to the line of the repetition that ends here, or past it. */
static bool
read_end (TrackLines *lines, GError **error)
{
  TrackReader *reader = &lines->reader;
  Loop *loop = lines->loops->len > 0 ? &g_array_index (lines->loops, Loop, lines->loops->len - 1) : NULL;

  if (loop == NULL)
    return track_fail (reader, reader->line, error, "\"end\" without a matching \"repeat\"");
  if (!track_expect_end (reader, error))
    return false;
  if (++loop->i > loop->n) {
    g_array_set_size (lines->loops, lines->loops->len - 1);
    return true;
  }
  *reader = loop->start;
  reader->names = (const char *const *) lines->names->pdata;
  if (loop->name != NULL)
    track_lines_set_variable (lines, loop->name, loop->i);
  return true;
}

bool
track_lines_next (TrackLines *lines, bool *found, GError **error)
{
  TrackReader *reader = &lines->reader;

  *found = false;
  while (track_reader_next_line (reader, lines->text)) {
    bool good;

    if (++lines->n_lines > 10 * TRACK_MAX_LINES) {
      kg_set_error (error, KG_ERROR_LIMIT, "more than %d lines, including repetitions", 10 * TRACK_MAX_LINES);
      return false;
    }
    if (track_reader_at_end (reader))
      continue;
    if (track_take_keyword (reader, "let"))
      good = read_let (lines, error);
    else if (track_take_keyword (reader, "repeat"))
      good = read_repeat (lines, error);
    else if (track_take_keyword (reader, "end"))
      good = read_end (lines, error);
    else {
      *found = true;
      return true;
    }
    if (!good)
      return false;
  }
  if (lines->loops->len > 0) {
    const TrackReader start = g_array_index (lines->loops, Loop, lines->loops->len - 1).start;

    g_array_set_size (lines->loops, 0);
    return track_fail (&start, start.line, error, "\"repeat\" without a matching \"end\"");
  }
  return true;
}

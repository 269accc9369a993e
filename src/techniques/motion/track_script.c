/* track_script: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/track_script.h"

#include "motion/track_events.h"
#include "motion/track_text.h"

#include <math.h>

const TrackChannels track_properties[TRACK_N_PROPERTIES] = {
  [TRACK_POSITION] = { "position", 3, { "tx", "ty", "tz" }, 0 },
  [TRACK_ROTATION] = { "rotation", 3, { "rx", "ry", "rz" }, 0 },
  [TRACK_SCALE] = { "scale", 3, { "sx", "sy", "sz" }, 1 },
  [TRACK_VALUE] = { "value", 1, { "" }, 0 },
};

typedef struct {
  char *name;
  double start;
  GArray *events; /* TrackEvent */
} Channel;

typedef struct {
  GHashTable *channels;  /* name -> Channel, its name borrowed */
  GPtrArray *order;      /* Channel, owned: as they were mentioned */
  GHashTable *variables; /* name -> double * */
  GPtrArray *names;      /* of the variables, NULL-terminated, borrowed */
  GPtrArray *warnings;   /* char * */
  guint n_statements;
} Script;

static void
channel_free (gpointer data)
{
  Channel *channel = (Channel *) data;

  g_array_unref (channel->events);
  g_free (channel->name);
  g_free (channel);
}

static Channel *
get_channel (Script *script, const char *object, const char *suffix, double start)
{
  char *name = suffix[0] != '\0' ? g_strdup_printf ("%s.%s", object, suffix) : g_strdup (object);
  Channel *channel = (Channel *) g_hash_table_lookup (script->channels, name);

  if (channel != NULL) {
    g_free (name);
    return channel;
  }
  channel = g_new0 (Channel, 1);
  channel->name = name;
  channel->start = start;
  channel->events = g_array_new (FALSE, FALSE, sizeof (TrackEvent));
  g_hash_table_insert (script->channels, name, channel);
  g_ptr_array_add (script->order, channel);
  return channel;
}

static bool
look_up_variable (gpointer data, const char *name, double *value, GError **error)
{
  const double *found = (const double *) g_hash_table_lookup (((Script *) data)->variables, name);

  (void) error;
  if (found != NULL)
    *value = *found;
  return found != NULL;
}

static void
set_variable (Script *script, TrackReader *reader, const char *name, double value)
{
  double *variable = (double *) g_hash_table_lookup (script->variables, name);

  if (variable == NULL) {
    char *key = g_strdup (name);

    variable = g_new (double, 1);
    g_hash_table_insert (script->variables, key, variable);
    g_ptr_array_insert (script->names, (gint) script->names->len - 1, key);
  }
  *variable = value;
  reader->names = (const char *const *) script->names->pdata;
}

/* The axes in brackets; which[i]: x, y, z. */
static bool
take_axes (TrackReader *reader, bool which[3], GError **error)
{
  static const char *const upper[] = { "X", "Y", "Z" }, *const lower[] = { "x", "y", "z" };

  if (!track_expect_keyword (reader, "[", error))
    return false;
  do {
    guint i;

    for (i = 0; i < 3 && !track_take_keyword (reader, upper[i]) && !track_take_keyword (reader, lower[i]); i++)
      ;
    if (i == 3)
      return track_fail (reader, NULL, error, "an axis must be X, Y or Z: write [Z], or [X, Z] for two");
    which[i] = true;
  } while (!track_take_keyword (reader, "]"));
  return true;
}

/* at frame N, or from frame A to frame B [with ease KIND]. */
static bool
take_when (TrackReader *reader, TrackEvent *event, GError **error)
{
  if (!event->is_change)
    return track_expect_keyword (reader, "at", error) && track_expect_keyword (reader, "frame", error) &&
           track_take_value (reader, "the frame", &event->a, error) && track_expect_end (reader, error);
  if (!track_expect_keyword (reader, "from", error) || !track_expect_keyword (reader, "frame", error) ||
      !track_take_value (reader, "the first frame", &event->a, error) || !track_expect_keyword (reader, "to", error) ||
      !track_expect_keyword (reader, "frame", error) || !track_take_value (reader, "the last frame", &event->b, error))
    return false;
  if (track_take_keyword (reader, "with") &&
      (!track_expect_keyword (reader, "ease", error) || !track_take_ease (reader, &event->ease, error)))
    return false;
  return track_expect_end (reader, error);
}

/* set|change PROPERTY NAME ... */
static bool
read_statement (Script *script, TrackReader *reader, bool is_change, GError **error)
{
  TrackEvent event = { .is_change = is_change, .line = reader->number };
  g_autofree char *object = NULL;
  bool which[3] = { false };
  double amounts[3];
  guint p = 0;

  while (p < TRACK_N_PROPERTIES && !track_take_keyword (reader, track_properties[p].property))
    p++;
  if (p == TRACK_N_PROPERTIES)
    return track_fail (reader, NULL, error,
                       is_change ? N_ ("only position, rotation, scale or value can be changed")
                                 : N_ ("only position, rotation, scale or value can be set"));
  object = track_take_name (reader, "an object name", error);
  if (object == NULL || (p == TRACK_ROTATION && !take_axes (reader, which, error)))
    return false;
  event.relative = track_take_keyword (reader, "by");
  /* A set position has no word before its numbers. */
  if (!event.relative && !track_take_keyword (reader, "to") && (is_change || p == TRACK_ROTATION))
    return track_fail (reader, NULL, error, "\"to\" (a target) or \"by\" (a difference) is expected here");
  for (guint i = 0; i < (p == TRACK_ROTATION ? 1 : track_properties[p].n); i++)
    if (!track_take_value (reader, p == TRACK_ROTATION ? N_ ("the angle") : N_ ("a number"), &amounts[i], error))
      return false;
  if (!take_when (reader, &event, error))
    return false;
  if (fabs (event.a) > 1e9 || fabs (event.b) > 1e9)
    return track_fail (reader, reader->line, error, "frames must be within ±10^9");
  if (is_change && event.b <= event.a) {
    g_ptr_array_add (
        script->warnings,
        g_strdup_printf (
            kg_translate (
                "line %u: the change ends at frame %g, not after its start at frame %g: it is treated as a jump"),
            event.line, event.b, event.a));
    event.is_change = false;
  }
  for (guint i = 0; i < track_properties[p].n; i++) {
    if (p == TRACK_ROTATION && !which[i])
      continue;
    event.amount = amounts[p == TRACK_ROTATION ? 0 : i];
    g_array_append_val (
        get_channel (script, object, track_properties[p].suffixes[i], track_properties[p].start)->events, event);
  }
  if (++script->n_statements > TRACK_MAX_LINES)
    return track_fail (reader, reader->line, error, "more than %d statements", TRACK_MAX_LINES);
  return true;
}

static bool
read_let (Script *script, TrackReader *reader, GError **error)
{
  g_autofree char *name = track_take_name (reader, "a variable name", error);
  double value;

  if (name == NULL || !track_expect_keyword (reader, "=", error) ||
      !track_take_expression (reader, NULL, &value, error))
    return false;
  set_variable (script, reader, name, value);
  return true;
}

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
read_repeat (Script *script, TrackReader *reader, GArray *loops, GError **error)
{
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
    set_variable (script, reader, loop.name, 1);
  }
  if (!track_expect_end (reader, error)) {
    g_free (loop.name);
    return false;
  }
  loop.start = *reader;
  g_array_append_val (loops, loop);
  return true;
}

/* Goes back to the line of the repetition that ends here, or past it. */
static bool
read_end (Script *script, TrackReader *reader, GArray *loops, GError **error)
{
  Loop *loop = loops->len > 0 ? &g_array_index (loops, Loop, loops->len - 1) : NULL;

  if (loop == NULL)
    return track_fail (reader, reader->line, error, "\"end\" without a matching \"repeat\"");
  if (!track_expect_end (reader, error))
    return false;
  if (++loop->i > loop->n) {
    g_array_set_size (loops, loops->len - 1);
    return true;
  }
  *reader = loop->start;
  reader->names = (const char *const *) script->names->pdata;
  if (loop->name != NULL)
    set_variable (script, reader, loop->name, loop->i);
  return true;
}

static bool
read_script (Script *script, const char *text, GError **error)
{
  TrackReader reader = { .label = kg_translate ("line"), .look_up = look_up_variable, .data = script };
  g_autoptr (GArray) loops = g_array_new (FALSE, FALSE, sizeof (Loop));
  guint n_lines = 0;

  g_array_set_clear_func (loops, loop_clear);
  reader.names = (const char *const *) script->names->pdata;
  while (track_reader_next_line (&reader, text)) {
    bool good;

    if (++n_lines > 10 * TRACK_MAX_LINES)
      return track_fail (&reader, reader.line, error, "more than %d lines, including repetitions",
                         10 * TRACK_MAX_LINES);
    if (track_reader_at_end (&reader))
      continue;
    if (track_take_keyword (&reader, "set"))
      good = read_statement (script, &reader, false, error);
    else if (track_take_keyword (&reader, "change"))
      good = read_statement (script, &reader, true, error);
    else if (track_take_keyword (&reader, "let"))
      good = read_let (script, &reader, error);
    else if (track_take_keyword (&reader, "repeat"))
      good = read_repeat (script, &reader, loops, error);
    else if (track_take_keyword (&reader, "end"))
      good = read_end (script, &reader, loops, error);
    else
      good = track_fail (&reader, NULL, error, "a line must begin with set, change, let, repeat or end");
    if (!good)
      return false;
  }
  if (loops->len > 0)
    return track_fail (&g_array_index (loops, Loop, loops->len - 1).start,
                       g_array_index (loops, Loop, loops->len - 1).start.line, error,
                       "\"repeat\" without a matching \"end\"");
  return true;
}

TrackScript *
track_script_new (const char *text, GError **error)
{
  g_autoptr (GHashTable) channels = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) order = g_ptr_array_new_with_free_func (channel_free), names = g_ptr_array_new ();
  g_autoptr (TrackScript) result = g_new0 (TrackScript, 1);
  Script script = { .channels = channels, .order = order, .variables = variables, .names = names };
  guint64 work = 0;

  result->motion = kg_motion_new ();
  script.warnings = result->warnings = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (names, NULL);
  if (!read_script (&script, text, error))
    return NULL;
  for (guint i = 0; i < order->len; i++) {
    const Channel *channel = (const Channel *) g_ptr_array_index (order, i);
    KgChannel *keys = track_events_to_channel (channel->events, channel->name, channel->start, &work, error);

    if (keys == NULL)
      return NULL;
    kg_motion_take_channel (result->motion, channel->name, keys);
  }
  result->n_statements = script.n_statements;
  return g_steal_pointer (&result);
}

void
track_script_free (TrackScript *script)
{
  g_clear_pointer (&script->motion, kg_motion_unref);
  g_ptr_array_unref (script->warnings);
  g_free (script);
}

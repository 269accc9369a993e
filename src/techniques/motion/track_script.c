/* track_script: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/track_script.h"

#include "motion/track_events.h"
#include "motion/track_lines.h"

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
  GHashTable *channels; /* name -> Channel, its name borrowed */
  GPtrArray *order;     /* Channel, owned: as they were mentioned */
  GPtrArray *warnings;  /* char * */
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
read_script (Script *script, const char *text, GError **error)
{
  g_auto (TrackLines) lines = { 0 };
  bool found;

  track_lines_init (&lines, text);
  for (;;) {
    TrackReader *reader = &lines.reader;

    if (!track_lines_next (&lines, &found, error))
      return false;
    if (!found)
      return true;
    if (track_take_keyword (reader, "set")) {
      if (!read_statement (script, reader, false, error))
        return false;
    } else if (track_take_keyword (reader, "change")) {
      if (!read_statement (script, reader, true, error))
        return false;
    } else
      return track_fail (reader, NULL, error, "a line must begin with set, change, let, repeat or end");
  }
}

TrackScript *
track_script_new (const char *text, GError **error)
{
  g_autoptr (GHashTable) channels = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) order = g_ptr_array_new_with_free_func (channel_free);
  g_autoptr (TrackScript) result = g_new0 (TrackScript, 1);
  Script script = { .channels = channels, .order = order };
  guint64 work = 0;

  result->motion = kg_motion_new ();
  script.warnings = result->warnings = g_ptr_array_new_with_free_func (g_free);
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

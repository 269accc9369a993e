/* motion/tracks: movements written down: set and change statements on named objects, all at the same time.
 *
 * After ANIMA II (Hackathorn 1977; Parent, Computer Animation, 3.6.1).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-hash.h"
#include "kg-node.h"
#include "track_events.h"
#include "track_text.h"

#include <math.h>

typedef struct {
  const char *text;
  const char *name;
  double frame;
  KgMotion *motion;
  KgVector position;
  KgVector angles;
  KgVector scale;
  KgRotation rotation;
  KgTransform transform;
  double value;
  int64_t statements;
} Tracks;

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

/* What a text comes to: kept while the text stays. */
typedef struct {
  KgMotion *motion;
  GPtrArray *warnings; /* char * */
  guint n_statements;
} Compiled;

static void
compiled_free (gpointer data)
{
  Compiled *compiled = (Compiled *) data;

  g_clear_pointer (&compiled->motion, kg_motion_unref);
  g_ptr_array_unref (compiled->warnings);
  g_free (compiled);
}

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
      return track_fail (reader, NULL, error, "an axis is X, Y or Z: write [Z], or [X, Z] for two");
    which[i] = true;
  } while (!track_take_keyword (reader, "]"));
  return true;
}

static const struct {
  const char *property;
  guint n;
  const char *suffixes[3];
  double start;
} properties[] = { { "position", 3, { "tx", "ty", "tz" }, 0 },
                   { "rotation", 3, { "rx", "ry", "rz" }, 0 },
                   { "scale", 3, { "sx", "sy", "sz" }, 1 },
                   { "value", 1, { "" }, 0 } };

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

  while (p < G_N_ELEMENTS (properties) && !track_take_keyword (reader, properties[p].property))
    p++;
  if (p == G_N_ELEMENTS (properties))
    return track_fail (reader, NULL, error,
                       is_change ? N_ ("what is changed must be position, rotation, scale or value")
                                 : N_ ("what is set must be position, rotation, scale or value"));
  object = track_take_name (reader, "the name of the object", error);
  if (object == NULL || (p == 1 && !take_axes (reader, which, error)))
    return false;
  event.relative = track_take_keyword (reader, "by");
  /* A set position has no word before its numbers. */
  if (!event.relative && !track_take_keyword (reader, "to") && (is_change || p == 1))
    return track_fail (reader, NULL, error, "\"to\" (a target) or \"by\" (a difference) is expected here");
  for (guint i = 0; i < (p == 1 ? 1 : properties[p].n); i++)
    if (!track_take_value (reader, p == 1 ? N_ ("the angle") : N_ ("a number"), &amounts[i], error))
      return false;
  if (!take_when (reader, &event, error))
    return false;
  if (fabs (event.a) > 1e9 || fabs (event.b) > 1e9)
    return track_fail (reader, reader->line, error, "frames are within ±10^9");
  if (is_change && event.b <= event.a) {
    g_ptr_array_add (
        script->warnings,
        g_strdup_printf (kg_translate ("line %u: the change ends at frame %g, not after its start at %g: it is a jump"),
                         event.line, event.b, event.a));
    event.is_change = false;
  }
  for (guint i = 0; i < properties[p].n; i++) {
    if (p == 1 && !which[i])
      continue;
    event.amount = amounts[p == 1 ? 0 : i];
    g_array_append_val (get_channel (script, object, properties[p].suffixes[i], properties[p].start)->events, event);
  }
  if (++script->n_statements > TRACK_MAX_LINES)
    return track_fail (reader, reader->line, error, "more than %d statements", TRACK_MAX_LINES);
  return true;
}

static bool
read_let (Script *script, TrackReader *reader, GError **error)
{
  g_autofree char *name = track_take_name (reader, "the name of a variable", error);
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

  if (!track_take_value (reader, "how often", &loop.n, error))
    return false;
  if (!(loop.n >= 1 && loop.n <= TRACK_MAX_LINES) || loop.n != floor (loop.n))
    return track_fail (reader, NULL, error, "%g times: write a whole number from 1 to %d", loop.n, TRACK_MAX_LINES);
  if (track_take_keyword (reader, "as")) {
    loop.name = track_take_name (reader, "the name of a variable", error);
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
    return track_fail (reader, reader->line, error, "this end belongs to no repeat");
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
      return track_fail (&reader, reader.line, error, "more than %d lines, repetitions counted", 10 * TRACK_MAX_LINES);
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
      good = track_fail (&reader, NULL, error, "a line begins with set, change, let, repeat or end");
    if (!good)
      return false;
  }
  if (loops->len > 0)
    return track_fail (&g_array_index (loops, Loop, loops->len - 1).start,
                       g_array_index (loops, Loop, loops->len - 1).start.line, error, "this repeat has no end");
  return true;
}

static void *
tracks_compile (gpointer data, size_t *bytes, GError **error)
{
  g_autoptr (GHashTable) channels = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) order = g_ptr_array_new_with_free_func (channel_free), names = g_ptr_array_new ();
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (KgMotion) motion = kg_motion_new ();
  Script script = {
    .channels = channels, .order = order, .variables = variables, .names = names, .warnings = warnings
  };
  guint64 work = 0;
  Compiled *compiled;

  g_ptr_array_add (names, NULL);
  if (!read_script (&script, (const char *) data, error))
    return NULL;
  for (guint i = 0; i < order->len; i++) {
    const Channel *channel = (const Channel *) g_ptr_array_index (order, i);
    KgChannel *keys = track_events_to_channel (channel->events, channel->name, channel->start, &work, error);

    if (keys == NULL)
      return NULL;
    kg_motion_take_channel (motion, channel->name, keys);
  }
  compiled = g_new0 (Compiled, 1);
  *bytes = sizeof *compiled + kg_motion_get_bytes (motion);
  compiled->motion = g_steal_pointer (&motion);
  compiled->warnings = g_steal_pointer (&warnings);
  compiled->n_statements = script.n_statements;
  return compiled;
}

static double
read_channel (const KgMotion *motion, const char *object, const char *suffix, double frame, double fallback)
{
  g_autofree char *name = suffix[0] != '\0' ? g_strdup_printf ("%s.%s", object, suffix) : g_strdup (object);
  const KgChannel *channel = kg_motion_find (motion, name);
  double value[KG_CHANNEL_MAX_WIDTH];

  if (channel == NULL)
    return fallback;
  kg_channel_evaluate (channel, frame, value);
  return value[0];
}

static KgVector
read_property (const KgMotion *motion, const char *object, guint p, double frame)
{
  double xyz[3];

  for (guint i = 0; i < 3; i++)
    xyz[i] = read_channel (motion, object, properties[p].suffixes[i], frame, properties[p].start);
  return kg_vector (xyz[0], xyz[1], xyz[2]);
}

/* (transfer full) The object of the first statement, where none is named. */
static char *
find_first (const KgMotion *motion)
{
  const char *name = kg_motion_get_n_channels (motion) > 0 ? kg_motion_get_name (motion, 0) : "";

  return g_strndup (name, strcspn (name, "."));
}

static bool
mentions (const KgMotion *motion, const char *object)
{
  for (guint i = 0; i < kg_motion_get_n_channels (motion); i++) {
    const char *name = kg_motion_get_name (motion, i);
    const gsize length = strcspn (name, ".");

    if (strlen (object) == length && strncmp (name, object, length) == 0)
      return true;
  }
  return false;
}

static bool
tracks_evaluate (Tracks *n, const KgContext *ctx, GError **error)
{
  const KgHash key = kg_hash_text (kg_hash_begin (KG_HASH_TRACKS, 0), n->text);
  const Compiled *compiled =
      (const Compiled *) kg_context_memo (ctx, key, tracks_compile, (gpointer) n->text, compiled_free, error);
  g_autofree char *object = NULL;

  n->scale = kg_vector (1, 1, 1);
  n->rotation = kg_rotation_identity ();
  n->transform = kg_transform_identity ();
  if (compiled == NULL)
    return false;
  for (guint i = 0; i < MIN (compiled->warnings->len, 8); i++)
    kg_context_warn (ctx, "%s", (const char *) g_ptr_array_index (compiled->warnings, i));
  n->motion = kg_motion_ref (compiled->motion);
  n->statements = compiled->n_statements;
  object = n->name[0] != '\0' ? g_strdup (n->name) : find_first (compiled->motion);
  if (n->name[0] != '\0' && !mentions (compiled->motion, object))
    kg_context_warn (ctx, "no statement is about \"%s\": it stays where it is", object);
  n->position = read_property (compiled->motion, object, 0, n->frame);
  n->angles = kg_vector_scale (read_property (compiled->motion, object, 1, n->frame), G_PI / 180);
  n->scale = read_property (compiled->motion, object, 2, n->frame);
  n->value = read_channel (compiled->motion, object, "", n->frame, 0);
  n->rotation = kg_rotation_from_angles (n->angles);
  n->transform = kg_transform_from_parts (n->position, n->rotation, n->scale);
  return true;
}

static const KgSlot tracks_slots[] = {
  KG_INPUT (Tracks, text, TEXT, .label = N_ ("Statements"), .multiline = true,
            .def_text = "set position ball 0 0 0 at frame 1\nchange position ball to 4 0 0 from frame 12 to frame 36\n"
                        "change rotation ball [Z] by -360 from frame 12 to frame 36\n",
            .help = N_ ("One a line, in any order: set position NAME x y z at frame N; set rotation NAME [Z] to ANGLE "
                        "at frame N; change position NAME to x y z from frame A to frame B; change rotation NAME "
                        "[X, Y] by ANGLE from frame A to frame B. Besides position and rotation there are scale and "
                        "value. \"to\" gives the target, \"by\" the difference; a change may end \"with ease\" in, "
                        "out or smooth. let NAME = EXPRESSION makes a variable, repeat N as NAME ... end repeats; an "
                        "expression in brackets may stand for each number. From # on a line is a comment.")),
  KG_INPUT (Tracks, name, TEXT, .label = N_ ("Object"),
            .help = N_ ("Whose position, rotation and so on the outputs give; empty for the first.")),
  KG_INPUT (Tracks, frame, NUMBER, .label = N_ ("Frame"), .driver = KG_DRIVER_FRAME, .soft_min = 1, .soft_max = 100,
            .help = N_ ("When. Without a source it is the frame that is shown.")),
  KG_OUTPUT (Tracks, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("All channels over the frames: ball.tx, ball.ty, ball.tz for positions, ball.rx ... for "
                         "rotations in degrees, ball.sx ... for scales, ball for a value.")),
  KG_OUTPUT (Tracks, position, VECTOR, .label = N_ ("Position"), .help = N_ ("Of the object.")),
  KG_OUTPUT (Tracks, angles, VECTOR, .label = N_ ("Angles"), .unit = KG_DEGREES,
             .help = N_ ("Of its rotation about x, then y, then z.")),
  KG_OUTPUT (Tracks, scale, VECTOR, .label = N_ ("Scale"), .help = N_ ("Of the object; 1 where nothing sets it.")),
  KG_OUTPUT (Tracks, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("The angles as a rotation.")),
  KG_OUTPUT (Tracks, transform, TRANSFORM, .label = N_ ("Transform"), .help = N_ ("Scale, rotation and position.")),
  KG_OUTPUT (Tracks, value, NUMBER, .label = N_ ("Value"),
             .help = N_ ("Of the object, where a statement gives it one.")),
  KG_OUTPUT (Tracks, statements, INTEGER, .label = N_ ("Statements read"),
             .help = N_ ("How many there are, repetitions counted.")),
};

KG_NODE (
    motion, tracks, Tracks, .label = N_ ("Tracks"), .version = 1, .since = "0.1",
    .tags = N_ ("script statements set change position rotation frame language anima director"),
    .formula = "change to: x(f) = x(A) + (target − x(A)) · ease((f − A)/(B − A))\n"
               "change by: x(f) = x(A) + amount · ease((f − A)/(B − A)); several that overlap add up",
    .source = "Hackathorn, ANIMA II, 1977; Parent, Computer Animation, 3.6.1",
    .help = N_ ("Moves named objects as a script says: plain statements that set or change a position, a rotation, a "
                "scale or a value at frames. All of them act at the same time, so their order does not matter. One "
                "script can move many objects: read each with a node of this type, or by the names of the channels."));

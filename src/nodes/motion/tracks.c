/* motion/tracks: movements written down: set and change statements on named objects, all at the same time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-hash.h"
#include "kg-node.h"
#include "motion/track_script.h"

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

static void *
tracks_compile (gpointer data, size_t *bytes, GError **error)
{
  TrackScript *script = track_script_new ((const char *) data, error);

  if (script != NULL)
    *bytes = sizeof *script + kg_motion_get_bytes (script->motion);
  return script;
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
read_property (const KgMotion *motion, const char *object, TrackProperty p, double frame)
{
  double xyz[3];

  for (guint i = 0; i < 3; i++)
    xyz[i] = read_channel (motion, object, track_properties[p].suffixes[i], frame, track_properties[p].start);
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
  const TrackScript *script = (const TrackScript *) kg_context_memo (ctx, key, tracks_compile, (gpointer) n->text,
                                                                     (GDestroyNotify) track_script_free, error);
  g_autofree char *object = NULL;

  n->scale = kg_vector (1, 1, 1);
  n->rotation = kg_rotation_identity ();
  n->transform = kg_transform_identity ();
  if (script == NULL)
    return false;
  for (guint i = 0; i < MIN (script->warnings->len, 8); i++)
    kg_context_warn (ctx, "%s", (const char *) g_ptr_array_index (script->warnings, i));
  n->motion = kg_motion_ref (script->motion);
  n->statements = script->n_statements;
  object = n->name[0] != '\0' ? g_strdup (n->name) : find_first (script->motion);
  if (n->name[0] != '\0' && !mentions (script->motion, object))
    kg_context_warn (ctx, "no statement mentions \"%s\": it does not move", object);
  n->position = read_property (script->motion, object, TRACK_POSITION, n->frame);
  n->angles = kg_vector_scale (read_property (script->motion, object, TRACK_ROTATION, n->frame), G_PI / 180);
  n->scale = read_property (script->motion, object, TRACK_SCALE, n->frame);
  n->value = read_channel (script->motion, object, "", n->frame, 0);
  n->rotation = kg_rotation_from_angles (n->angles);
  n->transform = kg_transform_from_parts (n->position, n->rotation, n->scale);
  return true;
}

static const KgSlot tracks_slots[] = {
  KG_INPUT (
      Tracks, text, TEXT, .label = N_ ("Statements"), .multiline = true,
      .def_text = "set position ball 0 0 0 at frame 1\nchange position ball to 4 0 0 from frame 12 to frame 36\n"
                  "change rotation ball [Z] by -360 from frame 12 to frame 36\n",
      .help = N_ (
          "One per line, in any order: set position NAME x y z at frame N; set rotation NAME [Z] to ANGLE at frame N; change position NAME to x y z from frame A to frame B; change rotation NAME [X, Y] by ANGLE from frame A to frame B. Besides position and rotation there are scale and value. \"to\" gives the target, \"by\" the difference; a change may end \"with ease\" in, out or smooth. let NAME = EXPRESSION defines a variable, repeat N as NAME ... end repeats lines; an expression in brackets can replace any number. # starts a comment.")),
  KG_INPUT (Tracks, name, TEXT, .label = N_ ("Object"),
            .help = N_ ("Object whose position, rotation and so on are output; empty for the first one.")),
  KG_INPUT (Tracks, frame, NUMBER, .label = N_ ("Frame"), .driver = KG_DRIVER_FRAME, .soft_min = 1, .soft_max = 100,
            .help = N_ ("Frame at which to evaluate. Without a link it is the current frame.")),
  KG_OUTPUT (
      Tracks, motion, MOTION, .label = N_ ("Motion"),
      .help = N_ (
          "All channels over time, in frames: ball.tx, ball.ty, ball.tz for positions, ball.rx ... for rotations in degrees, ball.sx ... for scales, ball for a value.")),
  KG_OUTPUT (Tracks, position, VECTOR, .label = N_ ("Position"), .help = N_ ("Position of the object.")),
  KG_OUTPUT (Tracks, angles, VECTOR, .label = N_ ("Angles"), .unit = KG_DEGREES,
             .help = N_ ("Angles of its rotation about x, then y, then z.")),
  KG_OUTPUT (Tracks, scale, VECTOR, .label = N_ ("Scale"),
             .help = N_ ("Scale of the object; 1 if no statement sets it.")),
  KG_OUTPUT (Tracks, rotation, ROTATION, .label = N_ ("Rotation"), .help = N_ ("The angles as a rotation.")),
  KG_OUTPUT (Tracks, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Scale, rotation and position as one transform.")),
  KG_OUTPUT (Tracks, value, NUMBER, .label = N_ ("Value"),
             .help = N_ ("Value of the object, if a statement sets one.")),
  KG_OUTPUT (Tracks, statements, INTEGER, .label = N_ ("Statements read"),
             .help = N_ ("Number of statements, including repetitions.")),
};

KG_NODE (
    motion, tracks, Tracks, .label = N_ ("Tracks"), .version = 1, .since = "0.1",
    .tags = N_ ("script statements set change position rotation frame language anima director"),
    .formula = "change to: x(f) = x(A) + (target − x(A)) · ease((f − A)/(B − A))\n"
               "change by: x(f) = x(A) + amount · ease((f − A)/(B − A)); overlapping changes are added",
    .source = "Hackathorn, ANIMA II, 1977; Parent, Computer Animation, 3.6.1",
    .help = N_ (
        "Moves named objects by a script: plain statements that set or change a position, a rotation, a scale or a value at given frames. All of them act at the same time, so their order does not matter. One script can move many objects: read each with a node of this type, or by the names of the channels."));

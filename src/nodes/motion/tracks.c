/* motion/tracks: movements written down: set and change statements on named objects, all at the same time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ani_choices.h"
#include "kg-hash.h"
#include "kg-node.h"
#include "motion/ani_script.h"
#include "motion/track_script.h"

typedef struct {
  const char *text;
  int dialect;
  int profile;
  const char *name;
  double frame;
  KgMotion *motion;
  KgVector position;
  KgVector angles;
  KgVector scale;
  KgRotation rotation;
  KgTransform transform;
  double value;
  KgTransform world;
  KgVector velocity;
  KgGeometry *parts;
  char *problems;
  int64_t statements;
} Tracks;

enum { DIALECT_PLAIN, DIALECT_ANI, N_DIALECTS };

static const KgChoice tracks_dialects[] = {
  [DIALECT_PLAIN] = { "plain", N_ ("Plain: set and change") },
  [DIALECT_ANI] = { "ani", N_ ("Ani: spin, rotate and move") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (tracks_dialects, N_DIALECTS);

static void *
tracks_compile (gpointer data, size_t *bytes, GError **error)
{
  TrackScript *script = track_script_new ((const char *) data, error);

  if (script != NULL)
    *bytes = sizeof *script + kg_motion_get_bytes (script->motion);
  return script;
}

static const KgChannel *
find_channel (const KgMotion *motion, const char *object, const char *suffix)
{
  g_autofree char *name = suffix[0] != '\0' ? g_strdup_printf ("%s.%s", object, suffix) : g_strdup (object);

  return kg_motion_find (motion, name);
}

static double
read_channel (const KgMotion *motion, const char *object, const char *suffix, double frame, double fallback)
{
  const KgChannel *channel = find_channel (motion, object, suffix);
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

/* Of its position; from the right where a statement begins, ends or jumps. */
static KgVector
read_velocity (const KgMotion *motion, const char *object, double frame)
{
  double xyz[3];

  for (guint i = 0; i < 3; i++) {
    const KgChannel *channel = find_channel (motion, object, track_properties[TRACK_POSITION].suffixes[i]);
    double rate[KG_CHANNEL_MAX_WIDTH] = { 0 };

    if (channel != NULL)
      kg_channel_differentiate_right (channel, frame, rate);
    xyz[i] = rate[0];
  }
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

static void *
tracks_compile_ani (gpointer data, size_t *bytes, GError **error)
{
  const Tracks *n = (const Tracks *) data;
  AniScript *script = ani_script_new (n->text, (AniProfile) n->profile, error);

  if (script != NULL)
    *bytes = ani_script_get_bytes (script);
  return script;
}

/* (transfer full) A line for each problem. */
static char *
tracks_join (const GPtrArray *messages)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < messages->len; i++)
    g_string_append_printf (text, "%s\n", (const char *) g_ptr_array_index (messages, i));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
tracks_read_object (Tracks *n, const AniScript *script, guint object)
{
  const char *name = ani_script_get_name (script, object);

  n->transform = ani_script_get_local (script, object, n->frame);
  n->world = ani_script_get_world (script, object, n->frame);
  n->position = kg_transform_get_place (&n->transform);
  n->rotation = kg_rotation_from_transform (n->transform);
  if (!ani_script_get_parts (script, object, n->frame, &n->angles, &n->scale))
    n->angles = kg_vector_scale (read_property (n->motion, name, TRACK_ROTATION, n->frame), G_PI / 180);
  n->value = read_channel (n->motion, name, "value", n->frame, 0);
  n->velocity = ani_script_get_velocity (script, object, n->frame);
}

/* A point for each object, and a line from each to its owner. */
static bool
tracks_show_parts (Tracks *n, const AniScript *script, GError **error)
{
  const guint count = ani_script_get_n_objects (script);
  float *p, *orient;

  if (!kg_geometry_set_n_points (n->parts, count, error))
    return false;
  p = kg_geometry_edit_positions (n->parts);
  orient = kg_geometry_edit_float (n->parts, KG_POINTS, "orient", 4);
  for (guint i = 0; i < count; i++) {
    const KgTransform world = ani_script_get_world (script, i, n->frame);
    const KgRotation q = kg_rotation_from_transform (world);
    const int owner = ani_script_get_owner (script, i, n->frame);

    for (size_t c = 0; c < 3; c++)
      p[3 * (size_t) i + c] = (float) kg_clamp (world.m[c][3], -1e30, 1e30);
    memcpy (orient + 4 * (size_t) i, (float[]){ (float) q.w, (float) q.x, (float) q.y, (float) q.z },
            4 * sizeof *orient);
    kg_geometry_set_text (n->parts, KG_POINTS, "name", i, ani_script_get_name (script, i));
    if (owner >= 0)
      kg_geometry_add_primitives (n->parts, KG_POLYLINE, false, 1, 2, (uint32_t[]){ (uint32_t) owner, i });
  }
  return true;
}

static bool
tracks_evaluate_ani (Tracks *n, const KgContext *ctx, GError **error)
{
  const KgHash key = kg_hash_uint (kg_hash_text (kg_hash_begin (KG_HASH_TRACKS, 1), n->text), (uint64_t) n->profile);
  const AniScript *script =
      (const AniScript *) kg_context_memo (ctx, key, tracks_compile_ani, n, (GDestroyNotify) ani_script_free, error);
  const GPtrArray *problems, *warnings;
  int object;

  if (script == NULL)
    return false;
  problems = ani_script_get_problems (script);
  warnings = ani_script_get_warnings (script);
  for (guint i = 0; i < MIN (problems->len, 8); i++)
    kg_context_warn (ctx, "%s", (const char *) g_ptr_array_index (problems, i));
  for (guint i = 0; i < MIN (warnings->len, 8); i++)
    kg_context_warn (ctx, "%s", (const char *) g_ptr_array_index (warnings, i));
  n->problems = tracks_join (problems);
  n->motion = kg_motion_ref (ani_script_get_motion (script));
  n->statements = ani_script_get_n_statements (script);
  if (!tracks_show_parts (n, script, error))
    return false;
  object = ani_script_find (script, n->name);
  if (object >= 0)
    tracks_read_object (n, script, (guint) object);
  else if (n->name[0] != '\0')
    kg_context_warn (ctx, "no statement mentions \"%s\": it does not move", n->name);
  return true;
}

static bool
tracks_evaluate_plain (Tracks *n, const KgContext *ctx, GError **error)
{
  const KgHash key = kg_hash_text (kg_hash_begin (KG_HASH_TRACKS, 0), n->text);
  const TrackScript *script = (const TrackScript *) kg_context_memo (ctx, key, tracks_compile, (gpointer) n->text,
                                                                     (GDestroyNotify) track_script_free, error);
  g_autofree char *object = NULL;

  if (script == NULL)
    return false;
  n->problems = g_strdup ("");
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
  n->transform = n->world = kg_transform_from_parts (n->position, n->rotation, n->scale);
  n->velocity = read_velocity (script->motion, object, n->frame);
  return true;
}

static bool
tracks_evaluate (Tracks *n, const KgContext *ctx, GError **error)
{
  n->scale = kg_vector (1, 1, 1);
  n->rotation = kg_rotation_identity ();
  n->transform = n->world = kg_transform_identity ();
  n->parts = kg_geometry_new ();
  return n->dialect == DIALECT_ANI ? tracks_evaluate_ani (n, ctx, error) : tracks_evaluate_plain (n, ctx, error);
}

static const KgSlot tracks_slots[] = {
  KG_INPUT (
      Tracks, text, TEXT, .label = N_ ("Statements"), .multiline = true,
      .def_text = "set position ball 0 0 0 at frame 1\nchange position ball to 4 0 0 from frame 12 to frame 36\n"
                  "change rotation ball [Z] by -360 from frame 12 to frame 36\n",
      .manual = "tracks",
      .help = N_ (
          "Movements of objects, one statement per line, in any order. For example, \"change position ball to 4 0 0 from frame 12 to frame 36 with ease smooth\". A # begins a comment.")),
  KG_INPUT (
      Tracks, dialect, CHOICE, .label = N_ ("Dialect"), .choices = tracks_dialects, .manual = "tracks",
      .help = N_ (
          "The language of the statements. In Plain, \"change rotation wheel [Z] by 360 from frame 1 to frame 24\" rotates a wheel. In Ani, \"spin wheel z 360 1..24\" does the same, and objects can have owners.")),
  KG_INPUT (Tracks, profile, CHOICE, .shown_when = "dialect=ani", .label = N_ ("Profile"), .choices = ani_profiles,
            .help = N_ ("How the speed rises and falls under smooth, slowin and slowout.")),
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
  KG_OUTPUT (Tracks, world, TRANSFORM, .label = N_ ("World"),
             .help = N_ ("The transform with those of all owners that an Ani script gives the object.")),
  KG_OUTPUT (
      Tracks, velocity, VECTOR, .label = N_ ("Velocity"),
      .help = N_ (
          "Change of its position in the world per frame. Where the speed changes abruptly, it is the speed from this frame on. Jumps have no velocity.")),
  KG_OUTPUT (
      Tracks, parts, GEOMETRY, .label = N_ ("Parts"),
      .help = N_ (
          "For an Ani script: a point for each object in the world, with the attributes name and orient, and a line to it from its owner.")),
  KG_OUTPUT (Tracks, problems, TEXT, .label = N_ ("Problems"),
             .help = N_ ("Lines of an Ani script that cannot be read, with the reason; the others still apply.")),
  KG_OUTPUT (Tracks, statements, INTEGER, .label = N_ ("Statements read"),
             .help = N_ ("Number of statements, including repetitions.")),
};

KG_NODE (
    motion, tracks, Tracks, .label = N_ ("Tracks"), .version = 3, .since = "0.1",
    .tags = N_ ("script statements set change position rotation frame language anima director ani spin cue owner"),
    .formula =
        "change to: x(f) = x(A) + (target − x(A)) · ease((f − A)/(B − A))\n"
        "change by: x(f) = x(A) + amount · ease((f − A)/(B − A)); overlapping changes are added\n"
        "Ani: T(f) = Qₖ(f) … Q₂(f) Q₁(f) S(f), S = Rz(Σz) Ry(Σy) Rx(Σx) of the spins, Q the runs of moves and rotations",
    .source = "Wyvill, 1988 (Ani); Hackathorn, ANIMA II, 1977; Parent, Computer Animation, 3.6.1",
    .help = N_ (
        "Moves named objects by a script: plain statements that set or change a position, a rotation, a scale or a value at given frames. All of them act at the same time, so their order does not matter. One script can move many objects: read each with a node of this type, or by the names of the channels."));

/* rig/go_to: a deed in words, as places and times.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-floats.h"
#include "kg-node.h"
#include "kg-suggest.h"

typedef struct {
  const char *command;
  const char *actor;
  const KgGeometry *things;
  double start;
  double distance;
  double walk_cadence;
  double run_cadence;
  KgVector goal;
  KgVector facing;
  KgVector place;
  double heading;
  bool runs;
  double cadence;
  bool timed;
  double arrive;
  char *thing;
  char *action;
  char *plan;
} GoTo;

/* What one line says. */
typedef struct {
  const char *thing;  /* of the words */
  const char *action; /* (nullable) */
  bool runs, timed;
  double arrive; /* frame */
} Deed;

static bool
fail_line (guint line, const char *text, GError **error)
{
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "command, line %u: \"%.200s\" cannot be read: write NAME walk to THING or NAME run to "
                "THING; by SECONDS or by frame FRAME, and then ACTION, may follow",
                line, text);
  return false;
}

/* "by 5", "by frame 120". */
static bool
read_time (char **words, guint *at, const GoTo *n, const KgContext *ctx, Deed *deed)
{
  const bool frame = g_strcmp0 (words[*at], "frame") == 0;
  char *end;
  double number;

  *at += frame;
  if (words[*at] == NULL)
    return false;
  number = g_ascii_strtod (words[*at], &end);
  if (end == words[*at] || *end != '\0' || !(fabs (number) <= 1e9))
    return false;
  ++*at;
  deed->timed = true;
  deed->arrive = frame ? number : n->start + number * ctx->rate;
  return true;
}

/* words: without the name of the actor. */
static bool
read_deed (char **words, const GoTo *n, const KgContext *ctx, Deed *deed)
{
  guint at = 3;

  *deed = (Deed){ .runs = g_strcmp0 (words[0], "run") == 0 };
  if (!(deed->runs || g_strcmp0 (words[0], "walk") == 0) || g_strcmp0 (words[1], "to") != 0 || words[2] == NULL)
    return false;
  deed->thing = words[2];
  if (g_strcmp0 (words[at], "by") == 0) {
    at++;
    if (!read_time (words, &at, n, ctx, deed))
      return false;
  }
  if (g_strcmp0 (words[at], "then") == 0 && words[at + 1] != NULL) {
    deed->action = words[at + 1];
    at += 2;
  }
  return words[at] == NULL;
}

/* (transfer full) Of a line, without what separates them. */
static GStrv
split_words (const char *line)
{
  g_auto (GStrv) pieces = g_strsplit_set (line, " \t\r", -1);
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();

  for (guint i = 0; pieces[i] != NULL && pieces[i][0] != '#'; i++)
    if (pieces[i][0] != '\0')
      g_strv_builder_add (words, pieces[i]);
  return g_strv_builder_end (words);
}

static bool
find_thing (const GoTo *n, const char *name, size_t *index, GError **error)
{
  const size_t count = n->things != NULL ? kg_geometry_get_n_points (n->things) : 0;
  KgSuggestion suggestion = kg_suggestion_begin (name);
  g_autofree char *meant = NULL;

  for (*index = 0; *index < count; ++*index) {
    const char *own = kg_geometry_get_text (n->things, KG_POINTS, "name", *index);

    if (g_strcmp0 (own, name) == 0)
      return true;
    if (own != NULL)
      kg_suggestion_add (&suggestion, own);
  }
  meant = kg_suggestion_end (&suggestion);
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "there is no thing \"%s\" among the %zu: give a point of Things this name%s", name, count, meant);
  return false;
}

/* Where to stand, and where to look. */
static void
go_to_place (GoTo *n, size_t i)
{
  const float *stand = kg_geometry_get_float (n->things, KG_POINTS, "stand", 3);
  const float *face = kg_geometry_get_float (n->things, KG_POINTS, "face", 3);
  const float *normals = kg_geometry_get_float (n->things, KG_POINTS, "N", 3);
  KgVector front = normals != NULL ? kg_floats_get_vector (normals, i) : kg_vector (0, 0, 1), look;

  n->place = kg_floats_get_vector (kg_geometry_get_positions (n->things), i);
  front = kg_vector_normalize_or (kg_vector (front.x, 0, front.z), kg_vector (0, 0, 1));
  n->goal = stand != NULL ? kg_floats_get_vector (stand, i) : kg_vector_add_scaled (n->place, n->distance, front);
  look = face != NULL ? kg_floats_get_vector (face, i) : kg_vector_subtract (n->place, n->goal);
  n->facing = kg_vector_normalize_or (kg_vector (look.x, 0, look.z), kg_vector_scale (front, -1));
  n->heading = atan2 (-n->facing.z, n->facing.x);
}

/* The line for the actor; without a name the first. */
static bool
go_to_find_deed (const GoTo *n, const KgContext *ctx, GStrv *words, Deed *deed, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (n->command, "\n", -1);
  /* The suggestion is one of them. */
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  KgSuggestion suggestion = kg_suggestion_begin (n->actor);
  g_autofree char *meant = NULL;

  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) own = split_words (lines[i]);

    if (own[0] == NULL)
      continue;
    if (n->actor[0] != '\0' && strcmp (own[0], n->actor) != 0) {
      kg_suggestion_add (&suggestion, own[0]);
      g_ptr_array_add (others, g_steal_pointer (&own));
      continue;
    }
    if (!read_deed (own + 1, n, ctx, deed))
      return fail_line (i + 1, g_strstrip (lines[i]), error);
    *words = g_steal_pointer (&own);
    return true;
  }
  meant = kg_suggestion_end (&suggestion);
  if (n->actor[0] != '\0')
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "no line of the command is for \"%s\": begin one with this name%s",
                  n->actor, meant);
  else
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "there is no command: write NAME walk to THING");
  return false;
}

static bool
go_to_evaluate (GoTo *n, const KgContext *ctx, GError **error)
{
  g_auto (GStrv) words = NULL;
  g_autofree char *when = NULL;
  Deed deed = { .thing = "" };
  size_t i;

  if (n->things != NULL && !kg_geometry_check_finite (n->things, error))
    return false;
  if (!go_to_find_deed (n, ctx, &words, &deed, error) || !find_thing (n, deed.thing, &i, error))
    return false;
  if (deed.timed && !(deed.arrive > n->start)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the arrival at frame %g is not after the start at frame %g: give more time", deed.arrive, n->start);
    return false;
  }
  go_to_place (n, i);
  n->runs = deed.runs;
  n->cadence = deed.runs ? n->run_cadence : n->walk_cadence;
  n->timed = deed.timed;
  n->arrive = deed.timed ? deed.arrive : -1;
  n->thing = g_strdup (deed.thing);
  n->action = g_strdup (deed.action != NULL ? deed.action : "");
  when = deed.timed ? g_strdup_printf ("by frame %.6g", deed.arrive)
                    : g_strdup_printf ("at %.6g steps per minute", n->cadence);
  n->plan = g_strdup_printf ("who: %s\ngo to: %s, standing at (%.4g, %.4g, %.4g)\nhow: %s, %s\nthen: face %.4g°%s%s",
                             words[0], n->thing, n->goal.x, n->goal.y, n->goal.z, deed.runs ? "run" : "walk", when,
                             n->heading * 180 / KG_PI, deed.action != NULL ? ", " : "", n->action);
  return true;
}

static const KgSlot go_to_slots[] = {
  KG_INPUT (GoTo, command, TEXT, .label = N_ ("Command"), .multiline = true, .def_text = "anna walk to door",
            .help = N_ ("What to do, one line per actor: NAME walk to THING, or NAME run to THING. It may "
                        "continue: by 5 (arrive within 5 seconds), or by frame 120 (arrive by that frame); then "
                        "ACTION (what follows, such as open). # starts a comment.")),
  KG_INPUT (GoTo, actor, TEXT, .label = N_ ("Actor"),
            .help = N_ ("Name of the actor whose line is used; empty for the first line.")),
  KG_INPUT (GoTo, things, GEOMETRY, .label = N_ ("Things"), .optional = true,
            .help = N_ ("Points with the attribute name (text). The actor stands at the attribute stand, or else "
                        "in front of the point, along its normal N or along z; it looks in the direction of the "
                        "attribute face, or else towards the point.")),
  KG_INPUT (GoTo, start, NUMBER, .label = N_ ("Start"), .unit = KG_FRAMES, .def = 1, .soft_min = 1, .soft_max = 240,
            .help = N_ ("Frame at which the actor sets off.")),
  KG_INPUT (GoTo, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .def = 0.5, .min = 0, .max = 1e4,
            .soft_max = 2, .help = N_ ("Distance at which to stand from a thing without the attribute stand.")),
  KG_INPUT (GoTo, walk_cadence, NUMBER, .label = N_ ("Cadence to walk"), .def = 110, .min = 20, .max = 240,
            .help = N_ ("Steps per minute of an actor that walks.")),
  KG_INPUT (GoTo, run_cadence, NUMBER, .label = N_ ("Cadence to run"), .def = 170, .min = 20, .max = 240,
            .help = N_ ("Steps per minute of an actor that runs.")),
  KG_OUTPUT (GoTo, goal, VECTOR, .label = N_ ("Goal"), .unit = KG_METRES,
             .help = N_ ("Where to stand: the goal of a Route.")),
  KG_OUTPUT (GoTo, facing, VECTOR, .label = N_ ("Facing"),
             .help = N_ ("Horizontal direction in which to look at the end.")),
  KG_OUTPUT (GoTo, place, VECTOR, .label = N_ ("Place"), .unit = KG_METRES, .help = N_ ("Where the thing is.")),
  KG_OUTPUT (GoTo, heading, NUMBER, .label = N_ ("Heading"), .unit = KG_DEGREES,
             .help = N_ ("Facing as an angle about y: 0 along x, 90 against z.")),
  KG_OUTPUT (GoTo, runs, BOOLEAN, .label = N_ ("Runs"), .help = N_ ("Whether to run.")),
  KG_OUTPUT (GoTo, cadence, NUMBER, .label = N_ ("Cadence"), .help = N_ ("Steps per minute, for Walk along Path.")),
  KG_OUTPUT (GoTo, timed, BOOLEAN, .label = N_ ("Timed"), .help = N_ ("Whether the command gives a time of arrival.")),
  KG_OUTPUT (GoTo, arrive, NUMBER, .label = N_ ("Arrive"), .unit = KG_FRAMES,
             .help = N_ ("Frame by which to arrive; -1 if the command gives no time.")),
  KG_OUTPUT (GoTo, thing, TEXT, .label = N_ ("Thing"), .help = N_ ("Name of the thing.")),
  KG_OUTPUT (GoTo, action, TEXT, .label = N_ ("Action"), .help = N_ ("What follows; empty for nothing.")),
  KG_OUTPUT (GoTo, plan, TEXT, .label = N_ ("Plan"), .help = N_ ("All of this as text.")),
};

KG_NODE (rig, go_to, GoTo, .label = N_ ("Go To"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
         .tags = N_ ("command goal directed walk run door actor script words character"),
         .source =
             "Zeltzer, Motor Control Techniques for Figure Animation, 1982; Wyvill, tutorial on computer animation and "
             "soft objects, 1988 (goal-directed commands)",
         .help = N_ ("Reads a command to an actor, and returns positions and times: where to go, how, by when, "
                     "and where to look at the end. Route finds the path there, Walk along Path turns it into "
                     "steps, and Reach grasps the thing. If the thing moves or the command changes, the whole "
                     "movement changes."));

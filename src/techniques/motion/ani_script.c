/* ani_script: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/ani_script.h"

#include "kg-suggest.h"
#include "motion/ani_track.h"
#include "motion/track_lines.h"
#include "rotation/conversion.h"
#include "transform/ownership.h"

#include <math.h>
#include <string.h>

/* Frames at which the transforms of all objects are listed, at most. */
#define MAX_LISTED 500000
/* Frames before a change of owner at which the velocity and the acceleration are measured. */
#define NEAR_STEP 0.01
#define FAR_STEP 0.1
/* Owners of owners. */
#define MAX_DEPTH 200

typedef enum { VERB_SPIN, VERB_ROTATE, VERB_MOVE, VERB_SCALE, VERB_SET, N_VERBS } Verb;

static const char *const verbs[N_VERBS] = { "spin", "rotate", "move", "scale", "set" };

/* Statements of one verb, which act together. */
typedef struct {
  Verb verb;
  char *name;        /* what its channels are called, without the axis; a set: the whole */
  GArray *events[3]; /* AniEvent; NULL: none */
  KgChannel *tracks[3];
} Run;

typedef struct {
  int owner;
  double frame, ease;
  guint line;
} Change;

typedef struct {
  char *name;
  GPtrArray *runs; /* Run, of rotate and move, in order */
  GPtrArray *rest; /* Run: one of spin and one of scale at most, and sets */
  Run *spin, *scale;
  GArray *changes;    /* Change, in order of time */
  GArray *ownerships; /* Ownership */
  guint n_statements, line;
} Object;

struct _AniScript {
  GPtrArray *objects; /* Object */
  GHashTable *by_name;
  KgMotion *motion;
  GPtrArray *problems, *warnings; /* char * */
  guint n_statements;
  AniProfile profile;
  double first, last; /* frames that statements mention */
};

static Run *
run_new (Verb verb, char *name)
{
  Run *run = g_new0 (Run, 1);

  run->verb = verb;
  run->name = name;
  return run;
}

static void
run_free (gpointer data)
{
  Run *run = (Run *) data;

  for (guint i = 0; i < 3; i++) {
    g_clear_pointer (&run->events[i], g_array_unref);
    g_clear_pointer (&run->tracks[i], kg_channel_unref);
  }
  g_free (run->name);
  g_free (run);
}

static void
object_free (gpointer data)
{
  Object *object = (Object *) data;

  g_ptr_array_unref (object->runs);
  g_ptr_array_unref (object->rest);
  g_array_unref (object->changes);
  g_array_unref (object->ownerships);
  g_free (object->name);
  g_free (object);
}

static Object *
get_object (const AniScript *script, guint i)
{
  return (Object *) g_ptr_array_index (script->objects, i);
}

static guint
find_or_add (AniScript *script, const char *name, guint line)
{
  const gpointer found = g_hash_table_lookup (script->by_name, name);
  Object *object;

  if (found != NULL)
    return GPOINTER_TO_UINT (found) - 1;
  object = g_new0 (Object, 1);
  object->name = g_strdup (name);
  object->line = line;
  object->runs = g_ptr_array_new_with_free_func (run_free);
  object->rest = g_ptr_array_new_with_free_func (run_free);
  object->changes = g_array_new (FALSE, FALSE, sizeof (Change));
  object->ownerships = g_array_new (FALSE, FALSE, sizeof (Ownership));
  g_ptr_array_add (script->objects, object);
  g_hash_table_insert (script->by_name, object->name, GUINT_TO_POINTER (script->objects->len));
  return script->objects->len - 1;
}

static Run *
add_run (Object *object, GPtrArray *list, Verb verb, char *name)
{
  Run *run = run_new (verb, name);

  if (verb == VERB_SPIN)
    object->spin = run;
  if (verb == VERB_SCALE)
    object->scale = run;
  g_ptr_array_add (list, run);
  return run;
}

/* The run that a statement belongs to. */
static Run *
get_run (Object *object, Verb verb, const char *channel)
{
  Run *last = object->runs->len > 0 ? (Run *) g_ptr_array_index (object->runs, object->runs->len - 1) : NULL;
  g_autofree char *name = NULL;

  switch (verb) {
  case VERB_ROTATE:
  case VERB_MOVE:
    if (last != NULL && last->verb == verb)
      return last;
    return add_run (object, object->runs, verb,
                    g_strdup_printf ("%s.%u.%s", object->name, object->runs->len + 1, verbs[verb]));
  case VERB_SPIN:
    return object->spin != NULL ? object->spin
                                : add_run (object, object->rest, verb, g_strdup_printf ("%s.spin", object->name));
  case VERB_SCALE:
    return object->scale != NULL ? object->scale
                                 : add_run (object, object->rest, verb, g_strdup_printf ("%s.scale", object->name));
  case VERB_SET:
  default:
    name = g_strdup_printf ("%s.%s", object->name, channel);
    for (guint i = 0; i < object->rest->len; i++)
      if (strcmp (((Run *) g_ptr_array_index (object->rest, i))->name, name) == 0)
        return (Run *) g_ptr_array_index (object->rest, i);
    return add_run (object, object->rest, verb, g_steal_pointer (&name));
  }
}

static void
add_event (Run *run, guint axis, const AniEvent *event, double amount)
{
  AniEvent copy = *event;

  copy.amount = amount;
  if (run->events[axis] == NULL)
    run->events[axis] = g_array_new (FALSE, FALSE, sizeof (AniEvent));
  g_array_append_val (run->events[axis], copy);
}

/* Reading. */

static bool
take_frame (TrackReader *reader, const char *what, double *frame, GError **error)
{
  if (!track_take_value (reader, what, frame, error))
    return false;
  return fabs (*frame) <= 1e9 || track_fail (reader, NULL, error, "frames must be within ±10^9");
}

/* FRAME or FRAME..FRAME; whether it is a range. */
static bool
take_frames (TrackReader *reader, double *a, double *b, bool *range, GError **error)
{
  const char *end = reader->end, *dots;

  guint depth = 0;
  bool good;

  if (track_reader_at_end (reader))
    return track_fail (reader, NULL, error, "the frame is missing");
  for (dots = reader->next; dots + 1 < end; dots++) {
    depth += *dots == '(';
    depth -= *dots == ')' && depth > 0;
    if (depth == 0 && dots[0] == '.' && dots[1] == '.')
      break;
    if (depth == 0 && strchr (" \t\r,", *dots) != NULL) {
      dots = end;
      break;
    }
  }
  if (dots + 1 < end)
    reader->end = dots;
  good = take_frame (reader, "the frame", a, error);
  reader->end = end;
  if (!good)
    return false;
  *b = *a;
  *range = track_take_keyword (reader, "..");
  return !*range || take_frame (reader, "the last frame", b, error);
}

/* A word that is none of those that may stand here. */
static bool
fail_word (const TrackReader *reader, const char *const *words, const char *expected, GError **error)
{
  const size_t length = strcspn (reader->next, " \t\r\n,#");
  g_autofree char *word = g_strndup (reader->next, MIN (length, 100)), *meant = kg_suggest (word, words);

  return track_fail (reader, NULL, error, "%s is expected here%s", kg_translate (expected), meant);
}

static bool
take_when (AniScript *script, TrackReader *reader, AniEvent *event, GError **error)
{
  static const char *const kinds[ANI_N_KINDS + 1] = { "steady", "smooth", "slowin", "slowout", NULL };
  bool range = false;
  guint kind = 0;

  event->timing = (AniTiming){ .kind = ANI_STEADY, .profile = script->profile };
  if (!take_frames (reader, &event->a, &event->b, &range, error))
    return false;
  if (range && event->b <= event->a)
    return track_fail (reader, NULL, error, "the last frame %g is not after the first, %g", event->b, event->a);
  if (!track_reader_at_end (reader)) {
    bool has_cut;
    double cut = 0;

    while (kind < ANI_N_KINDS && !track_take_keyword (reader, kinds[kind]))
      kind++;
    if (kind == ANI_N_KINDS)
      return fail_word (reader, kinds, N_ ("steady, smooth, slowin or slowout"), error);
    event->timing.kind = (AniKind) kind;
    event->timing.cut = ani_timing_get_usual_cut (event->timing.kind);
    has_cut = !track_reader_at_end (reader);
    if (has_cut) {
      if (!take_frame (reader, N_ ("the frame of the cut"), &cut, error))
        return false;
      if (!range || cut < event->a || cut > event->b)
        return track_fail (reader, NULL, error, "the cut %g is not between the frames %g and %g", cut, event->a,
                           event->b);
      event->timing.cut = (cut - event->a) / (event->b - event->a);
    }
    if (!track_expect_end (reader, error))
      return false;
    if (range && has_cut && kind == ANI_STEADY)
      g_ptr_array_add (script->warnings,
                       g_strdup_printf (kg_translate ("line %u: the cut %g is ignored, as steady has one speed: write "
                                                      "smooth, slowin or slowout, or leave it out"),
                                        reader->number, cut));
    if (!range)
      g_ptr_array_add (
          script->warnings,
          g_strdup_printf (kg_translate ("line %u: \"%s\" has no meaning at a single frame: write a range"),
                           reader->number, kinds[kind]));
  }
  script->first = fmin (script->first, event->a);
  script->last = fmax (script->last, event->b);
  return true;
}

/* A number of a statement; a range of frames in its place says that one has been left out. */
static bool
take_amount (TrackReader *reader, const char *what, double *amount, GError **error)
{
  const char *word, *dots;

  if (!track_reader_at_end (reader)) {
    word = reader->next;
    dots = g_strstr_len (word, (gssize) strcspn (word, " \t\r\n,#("), "..");
    if (dots != NULL)
      return track_fail (reader, NULL, error, "%s is missing before the frames %.*s", kg_translate (what),
                         (int) MIN (strcspn (word, " \t\r\n,#"), 40), word);
  }
  return track_take_value (reader, what, amount, error);
}

static bool
read_verb (AniScript *script, TrackReader *reader, Verb verb, GError **error)
{
  static const char *const axes[] = { "x", "y", "z" };
  g_autofree char *name = track_take_name (reader, "an object name", error), *channel = NULL;
  const bool turns = verb == VERB_SPIN || verb == VERB_ROTATE;
  double amounts[3] = { 0 };
  guint axis = 0, n = turns || verb == VERB_SET ? 1 : 3;
  AniEvent event = { .amount = 0 };
  Object *object;
  Run *run;

  if (name == NULL)
    return false;
  while (turns && axis < 3 && !track_take_keyword (reader, axes[axis]))
    axis++;
  if (axis == 3)
    return track_fail (reader, NULL, error, "an axis is expected here: x, y or z");
  if (verb == VERB_SET && (channel = track_take_name (reader, "a channel name", error)) == NULL)
    return false;
  for (guint i = 0; i < n; i++)
    if (!take_amount (reader, turns ? N_ ("the angle") : N_ ("a number"), &amounts[i], error))
      return false;
  if (!take_when (script, reader, &event, error))
    return false;
  object = get_object (script, find_or_add (script, name, reader->number));
  object->n_statements++;
  run = get_run (object, verb, channel);
  for (guint i = 0; i < n; i++)
    add_event (run, turns ? axis : i, &event, amounts[i]);
  return true;
}

static bool
read_owner (AniScript *script, TrackReader *reader, GError **error)
{
  g_autofree char *child = track_take_name (reader, "an object name", error), *owner = NULL;
  Change change = { .line = reader->number, .owner = -1 };
  Object *object;

  if (child == NULL || !track_expect_keyword (reader, "by", error) ||
      (owner = track_take_name (reader, "the owner", error)) == NULL ||
      !take_frame (reader, "the frame", &change.frame, error))
    return false;
  if (track_take_keyword (reader, "ease") && !take_frame (reader, "the number of frames", &change.ease, error))
    return false;
  if (!track_expect_end (reader, error))
    return false;
  if (strcmp (child, "world") == 0 || strcmp (child, owner) == 0 || change.ease < 0)
    return track_fail (reader, reader->line, error, "\"%s\" cannot be owned by \"%s\" like this", child, owner);
  object = get_object (script, find_or_add (script, child, reader->number));
  object->n_statements++;
  if (strcmp (owner, "world") != 0)
    change.owner = (int) find_or_add (script, owner, reader->number);
  g_array_append_val (object->changes, change);
  script->first = fmin (script->first, change.frame);
  script->last = fmax (script->last, change.frame + change.ease);
  return true;
}

static bool
read_cue (TrackLines *lines, GError **error)
{
  g_autofree char *name = track_take_name (&lines->reader, "the name of the cue", error);
  double frame;

  if (name == NULL || !take_frame (&lines->reader, "the frame", &frame, error) ||
      !track_expect_end (&lines->reader, error))
    return false;
  track_lines_set_variable (lines, name, frame);
  return true;
}

static bool
read_statement (AniScript *script, TrackLines *lines, GError **error)
{
  static const char *const words[] = { "spin", "rotate", "move", "scale", "set", "own", "cue", NULL };
  TrackReader *reader = &lines->reader;

  for (Verb verb = VERB_SPIN; verb < N_VERBS; verb++)
    if (track_take_keyword (reader, verbs[verb]))
      return read_verb (script, reader, verb, error);
  if (track_take_keyword (reader, "own"))
    return read_owner (script, reader, error);
  if (track_take_keyword (reader, "cue"))
    return read_cue (lines, error);
  return fail_word (reader, words, N_ ("spin, rotate, move, scale, set, own or cue"), error);
}

/* The same; the error of a line that ends too early says how it is written. */
static bool
read_complete_statement (AniScript *script, TrackLines *lines, GError **error)
{
  static const char *const forms[N_VERBS] = { "spin NAME x|y|z ANGLE FRAMES", "rotate NAME x|y|z ANGLE FRAMES",
                                              "move NAME X Y Z FRAMES", "scale NAME X Y Z FRAMES",
                                              "set NAME CHANNEL VALUE FRAMES" };
  TrackReader start = lines->reader;
  const char *form = NULL;
  GError *problem = NULL;

  if (read_statement (script, lines, &problem))
    return true;
  for (guint verb = 0; verb < N_VERBS; verb++)
    if (track_take_keyword (&start, verbs[verb]))
      form = forms[verb];
  if (track_take_keyword (&start, "own"))
    form = "own NAME by OWNER FRAME";
  if (track_take_keyword (&start, "cue"))
    form = "cue NAME FRAME";
  if (form != NULL && problem->code != KG_ERROR_LIMIT && lines->reader.token == lines->reader.end) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s: write %s", problem->message, form);
    g_error_free (problem);
  } else
    g_propagate_error (error, problem);
  return false;
}

static bool
read_script (AniScript *script, const char *text, GError **error)
{
  g_auto (TrackLines) lines = { 0 };
  bool found = true;

  track_lines_init (&lines, text);
  while (found) {
    GError *problem = NULL;

    if (track_lines_next (&lines, &found, &problem) && found)
      script->n_statements += read_complete_statement (script, &lines, &problem);
    if (problem == NULL)
      continue;
    if (problem->code == KG_ERROR_LIMIT) {
      g_propagate_error (error, problem);
      return false;
    }
    g_ptr_array_add (script->problems, g_strdup (problem->message));
    g_error_free (problem);
    found = true;
    if (script->n_statements > TRACK_MAX_LINES || script->problems->len > TRACK_MAX_LINES) {
      kg_set_error (error, KG_ERROR_LIMIT, "more than %d statements", TRACK_MAX_LINES);
      return false;
    }
  }
  return true;
}

/* An owner that nothing moves does nothing.  A name that is mentioned once and nearly like another is probably that.  Left and right differ in their first letter. */
static void
warn_of_misspelling (AniScript *script)
{
  for (guint i = 0; i < script->objects->len && script->objects->len <= 1000; i++) {
    const Object *object = get_object (script, i);
    KgSuggestion suggestion = kg_suggestion_begin (object->name);
    g_autofree char *meant = NULL;

    if (object->n_statements > 1 || (object->n_statements == 1 && strlen (object->name) < 3))
      continue;
    for (guint k = 0; k < script->objects->len; k++)
      if (get_object (script, k)->n_statements > object->n_statements &&
          get_object (script, k)->name[0] == object->name[0])
        kg_suggestion_add (&suggestion, get_object (script, k)->name);
    meant = kg_suggestion_end (&suggestion);
    if (object->n_statements == 0)
      g_ptr_array_add (script->warnings,
                       g_strdup_printf (kg_translate ("line %u: no line moves the owner \"%s\", which stays at the "
                                                      "origin%s"),
                                        object->line, object->name, meant));
    else if (meant[0] != '\0')
      g_ptr_array_add (script->warnings, g_strdup_printf (kg_translate ("line %u: only this line mentions \"%s\"%s"),
                                                          object->line, object->name, meant));
  }
}

/* Tracks. */

static bool
make_run (AniScript *script, Run *run, guint64 *work, GError **error)
{
  static const char *const axes[] = { "x", "y", "z" };
  const bool increments = run->verb == VERB_SPIN || run->verb == VERB_ROTATE;

  for (guint i = 0; i < 3; i++) {
    g_autofree char *name = run->verb == VERB_SET ? g_strdup (run->name)
                                                  : g_strdup_printf ("%s.%s", run->name, axes[i]);

    if (run->events[i] == NULL)
      continue;
    run->tracks[i] =
        ani_track_new (run->events[i], increments, run->verb == VERB_SCALE ? 1 : 0, script->profile, work, error);
    g_clear_pointer (&run->events[i], g_array_unref);
    if (run->tracks[i] == NULL)
      return false;
    kg_motion_take_channel (script->motion, name, kg_channel_ref (run->tracks[i]));
  }
  return true;
}

static bool
make_tracks (AniScript *script, GError **error)
{
  guint64 work = 0;

  for (guint i = 0; i < script->objects->len; i++) {
    const Object *object = get_object (script, i);

    for (guint k = 0; k < object->rest->len; k++)
      if (!make_run (script, (Run *) g_ptr_array_index (object->rest, k), &work, error))
        return false;
    for (guint k = 0; k < object->runs->len; k++)
      if (!make_run (script, (Run *) g_ptr_array_index (object->runs, k), &work, error))
        return false;
  }
  return true;
}

static KgVector
read_run (const Run *run, double frame, double rest)
{
  double xyz[3];

  for (guint i = 0; i < 3; i++) {
    xyz[i] = rest;
    if (run != NULL && run->tracks[i] != NULL)
      kg_channel_evaluate (run->tracks[i], frame, &xyz[i]);
  }
  return kg_vector (xyz[0], xyz[1], xyz[2]);
}

bool
ani_script_get_parts (const AniScript *script, guint object, double frame, KgVector *spin, KgVector *scale)
{
  const Object *o = get_object (script, object);

  *spin = kg_vector_scale (read_run (o->spin, frame, 0), KG_PI / 180);
  *scale = read_run (o->scale, frame, 1);
  for (guint i = 0; i < o->runs->len; i++)
    if (((const Run *) g_ptr_array_index (o->runs, i))->verb == VERB_ROTATE)
      return false;
  return true;
}

KgTransform
ani_script_get_local (const AniScript *script, guint object, double frame)
{
  const Object *o = get_object (script, object);
  const KgVector none = { 0, 0, 0 }, one = { 1, 1, 1 };
  KgVector spin, scale;
  KgTransform t;

  ani_script_get_parts (script, object, frame, &spin, &scale);
  t = kg_transform_from_parts (none, kg_rotation_from_angles (spin), scale);
  for (guint i = 0; i < o->runs->len; i++) {
    const Run *run = (const Run *) g_ptr_array_index (o->runs, i);
    const KgVector xyz = read_run (run, frame, 0);

    if (run->verb == VERB_MOVE)
      for (size_t c = 0; c < 3; c++)
        t.m[c][3] += kg_vector_get (xyz, c);
    else
      t = kg_transform_multiply (
          kg_transform_from_parts (none, kg_rotation_from_angles (kg_vector_scale (xyz, KG_PI / 180)), one), t);
  }
  return t;
}

/* The rates of what read_run reads. */
static KgVector
read_rates (const Run *run, double frame)
{
  double xyz[3] = { 0, 0, 0 };

  for (guint i = 0; i < 3; i++)
    if (run != NULL && run->tracks[i] != NULL)
      kg_channel_differentiate_right (run->tracks[i], frame, &xyz[i]);
  return kg_vector (xyz[0], xyz[1], xyz[2]);
}

/* The rotation of a run of angles. */
static MovingTransform
turn_run (const Run *run, double frame)
{
  const KgVector angles = kg_vector_scale (read_run (run, frame, 0), KG_PI / 180),
                 rates = kg_vector_scale (read_rates (run, frame), KG_PI / 180);

  return moving_transform_turning (kg_rotation_from_angles (angles), moving_transform_get_spin (angles, rates));
}

/* ani_script_get_local with its rate. */
static MovingTransform
get_moving_local (const AniScript *script, guint object, double frame)
{
  const Object *o = get_object (script, object);
  const KgVector scale = read_run (o->scale, frame, 1), rates = read_rates (o->scale, frame);
  MovingTransform m = moving_transform_still (kg_transform_identity ());

  for (size_t c = 0; c < 3; c++) {
    m.t.m[c][c] = kg_vector_get (scale, c);
    m.rate.m[c][c] = kg_vector_get (rates, c);
  }
  m = moving_transform_multiply (turn_run (o->spin, frame), m);
  for (guint i = 0; i < o->runs->len; i++) {
    const Run *run = (const Run *) g_ptr_array_index (o->runs, i);

    if (run->verb == VERB_MOVE) {
      const KgVector xyz = read_run (run, frame, 0), speeds = read_rates (run, frame);

      for (size_t c = 0; c < 3; c++) {
        m.t.m[c][3] += kg_vector_get (xyz, c);
        m.rate.m[c][3] += kg_vector_get (speeds, c);
      }
    } else
      m = moving_transform_multiply (turn_run (run, frame), m);
  }
  return m;
}

/* Owners. */

/* The part of its time that a frame is in; NULL: it has none. */
static const Ownership *
find_ownership (const Object *object, double frame)
{
  guint low = 0, high = object->ownerships->len;

  while (high - low > 1) {
    const guint middle = low + (high - low) / 2;

    if (g_array_index (object->ownerships, Ownership, middle).time <= frame)
      low = middle;
    else
      high = middle;
  }
  return high > low ? &g_array_index (object->ownerships, Ownership, low) : NULL;
}

int
ani_script_get_owner (const AniScript *script, guint object, double frame)
{
  const Ownership *ownership = find_ownership (get_object (script, object), frame);

  return ownership != NULL ? ownership->owner : -1;
}

static KgTransform
get_world_of (const AniScript *script, int object, double frame)
{
  return object < 0 ? kg_transform_identity () : ani_script_get_world (script, (guint) object, frame);
}

/* An object and its owners.  Before its first statement an object has its first owner already, so that there they could even own
 * each other: the list ends. */
static guint
list_owners (const AniScript *script, guint object, double frame, guint chain[MAX_DEPTH])
{
  guint n = 0;

  for (int i = (int) object; i >= 0 && n < MAX_DEPTH; i = ani_script_get_owner (script, (guint) i, frame))
    chain[n++] = (guint) i;
  return n;
}

KgVector
ani_script_get_velocity (const AniScript *script, guint object, double frame)
{
  guint chain[MAX_DEPTH], n = list_owners (script, object, frame, chain);
  MovingTransform world = moving_transform_still (kg_transform_identity ());

  while (n-- > 0) {
    const Ownership *ownership = find_ownership (get_object (script, chain[n]), frame);
    const MovingTransform local = get_moving_local (script, chain[n], frame);

    world = ownership == NULL ? local : ownership_move (ownership, frame, world, local);
  }
  return kg_transform_get_place (&world.rate);
}

/* The owners are listed first, as there may be many in a row. */
KgTransform
ani_script_get_world (const AniScript *script, guint object, double frame)
{
  guint chain[MAX_DEPTH], n = list_owners (script, object, frame, chain);
  KgTransform world = kg_transform_identity ();

  while (n-- > 0) {
    const Ownership *ownership = find_ownership (get_object (script, chain[n]), frame);
    const KgTransform local = ani_script_get_local (script, chain[n], frame);

    world = ownership == NULL ? local : ownership_place (ownership, frame, world, local);
  }
  return world;
}

static int
compare_changes (gconstpointer a, gconstpointer b)
{
  return kg_compare_doubles (&((const Change *) a)->frame, &((const Change *) b)->frame);
}

/* Whether the owners of an object, as they are at a frame, lead to another.  *depth: how many they are. */
static bool
leads_to (const AniScript *script, int object, guint goal, double frame, guint *depth)
{
  for (*depth = 0; object >= 0 && (guint) object != goal && *depth < MAX_DEPTH; ++*depth)
    object = ani_script_get_owner (script, (guint) object, frame);
  return object >= 0 && (guint) object == goal;
}

static void
change_owner (AniScript *script, guint child, const Change *change)
{
  Object *object = get_object (script, child);
  OwnershipRelease release = { .time = change->frame,
                               .owner = change->owner,
                               .after = change->ease > 0 ? OWNERSHIP_EASE : OWNERSHIP_STOP,
                               .ease = change->ease,
                               .near_step = NEAR_STEP,
                               .far_step = FAR_STEP };
  const char *owner = change->owner >= 0 ? get_object (script, (guint) change->owner)->name : "world";
  Ownership next;
  const Ownership *old;
  guint depth;

  if (leads_to (script, change->owner, child, change->frame, &depth)) {
    g_ptr_array_add (
        script->problems,
        g_strdup_printf (
            kg_translate (
                "line %u: \"%s\" cannot be owned by \"%s\", which it owns at frame %g: change the owner of \"%s\" first"),
            change->line, object->name, owner, change->frame, owner));
    return;
  }
  if (depth >= MAX_DEPTH) {
    g_ptr_array_add (script->problems,
                     g_strdup_printf (kg_translate ("line %u: \"%s\" has more than %d owners in a row"), change->line,
                                      object->name, MAX_DEPTH));
    return;
  }
  if (object->ownerships->len == 0) {
    ownership_begin (&next, change->owner, change->frame);
    g_array_append_val (object->ownerships, next);
    return;
  }
  old = &g_array_index (object->ownerships, Ownership, object->ownerships->len - 1);
  release.old_owner = get_world_of (script, old->owner, change->frame);
  release.new_owner = get_world_of (script, change->owner, change->frame);
  for (int i = 0; i < OWNERSHIP_FAR; i++) {
    const double near = change->frame - i * NEAR_STEP, far = change->frame - i * FAR_STEP;

    if (i < OWNERSHIP_NEAR) {
      release.near[i] = ownership_place (old, near, get_world_of (script, old->owner, near),
                                         ani_script_get_local (script, child, near));
      release.near_ahead[i] = ownership_place (old, change->frame, release.old_owner,
                                               ani_script_get_local (script, child, change->frame + i * NEAR_STEP));
    }
    release.far_ahead[i] = ownership_place (old, change->frame, release.old_owner,
                                            ani_script_get_local (script, child, change->frame + i * FAR_STEP));
    release.far[i] =
        ownership_place (old, far, get_world_of (script, old->owner, far), ani_script_get_local (script, child, far));
  }
  if (!ownership_release (old, &release, &next)) {
    g_ptr_array_add (
        script->problems,
        g_strdup_printf (
            kg_translate ("line %u: owner \"%s\" is flattened at frame %g: give it a scale along each axis"),
            change->line, owner, change->frame));
    return;
  }
  if (old->time == next.time)
    g_array_index (object->ownerships, Ownership, object->ownerships->len - 1) = next;
  else
    g_array_append_val (object->ownerships, next);
}

typedef struct {
  Change change;
  guint child;
} Event;

static int
compare_owners (gconstpointer a, gconstpointer b)
{
  return compare_changes (&((const Event *) a)->change, &((const Event *) b)->change);
}

/* In the order of time, so that what an owner had gone through is known. */
static void
make_owners (AniScript *script)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (Event));

  for (guint i = 0; i < script->objects->len; i++)
    for (guint k = 0; k < get_object (script, i)->changes->len; k++) {
      const Event event = { g_array_index (get_object (script, i)->changes, Change, k), i };

      g_array_append_val (events, event);
    }
  g_array_sort (events, compare_owners);
  for (guint i = 0; i < events->len; i++)
    change_owner (script, g_array_index (events, Event, i).child, &g_array_index (events, Event, i).change);
}

/* Transforms at every frame. */

static void
list_object (AniScript *script, guint i, double first, gsize n, double *samples)
{
  static const char *const suffixes[] = { "tx", "ty", "tz", "rx", "ry", "rz" };
  const Object *object = get_object (script, i);

  for (gsize k = 0; k < n; k++) {
    const KgTransform t = ani_script_get_local (script, i, first + (double) k);
    bool locked;
    KgVector angles, scale;
    const bool spins = ani_script_get_parts (script, i, first + (double) k, &angles, &scale);

    if (!spins)
      angles = conversion_to_euler (kg_rotation_from_transform (t), EULER_XYZ, false, &locked);
    for (size_t c = 0; c < 3; c++) {
      double angle = kg_vector_get (angles, c) * 180 / KG_PI;

      samples[c * n + k] = t.m[c][3];
      if (k > 0 && !spins)
        angle += 360 * round ((samples[(3 + c) * n + k - 1] - angle) / 360);
      samples[(3 + c) * n + k] = angle;
    }
  }
  for (guint c = 0; c < 6; c++) {
    g_autofree char *name = g_strdup_printf ("%s.%s", object->name, suffixes[c]);
    KgChannel *channel =
        kg_channel_new_samples (1, false, first, 1, samples + c * n, n, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL);

    if (channel != NULL && kg_motion_find (script->motion, name) == NULL)
      kg_motion_take_channel (script->motion, name, channel);
    else
      g_clear_pointer (&channel, kg_channel_unref);
  }
}

static void
list_transforms (AniScript *script)
{
  const double first = floor (script->first), count = ceil (script->last) - first + 1;
  g_autofree double *samples = NULL;

  if (script->objects->len == 0 || !(count >= 1))
    return;
  if (count * script->objects->len > MAX_LISTED) {
    g_ptr_array_add (
        script->warnings,
        g_strdup_printf (kg_translate ("%u objects at %g frames: their transforms are not listed in the motion"),
                         script->objects->len, count));
    return;
  }
  samples = g_new (double, 6 * (gsize) count);
  for (guint i = 0; i < script->objects->len; i++)
    list_object (script, i, first, (gsize) count, samples);
}

AniScript *
ani_script_new (const char *text, AniProfile profile, GError **error)
{
  g_autoptr (AniScript) script = g_new0 (AniScript, 1);

  script->profile = profile;
  script->first = INFINITY;
  script->last = -INFINITY;
  script->objects = g_ptr_array_new_with_free_func (object_free);
  script->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  script->motion = kg_motion_new ();
  script->problems = g_ptr_array_new_with_free_func (g_free);
  script->warnings = g_ptr_array_new_with_free_func (g_free);
  if (!read_script (script, text, error) || !make_tracks (script, error))
    return NULL;
  make_owners (script);
  list_transforms (script);
  warn_of_misspelling (script);
  return g_steal_pointer (&script);
}

void
ani_script_free (AniScript *script)
{
  g_hash_table_unref (script->by_name);
  g_ptr_array_unref (script->objects);
  kg_motion_unref (script->motion);
  g_ptr_array_unref (script->problems);
  g_ptr_array_unref (script->warnings);
  g_free (script);
}

KgMotion *
ani_script_get_motion (const AniScript *script)
{
  return script->motion;
}

guint
ani_script_get_n_statements (const AniScript *script)
{
  return script->n_statements;
}

const GPtrArray *
ani_script_get_problems (const AniScript *script)
{
  return script->problems;
}

const GPtrArray *
ani_script_get_warnings (const AniScript *script)
{
  return script->warnings;
}

const char *
ani_script_get_name (const AniScript *script, guint object)
{
  return get_object (script, object)->name;
}

guint
ani_script_get_n_objects (const AniScript *script)
{
  return script->objects->len;
}

size_t
ani_script_get_bytes (const AniScript *script)
{
  return sizeof *script + 2 * kg_motion_get_bytes (script->motion);
}

int
ani_script_find (const AniScript *script, const char *name)
{
  if (name[0] == '\0')
    return script->objects->len > 0 ? 0 : -1;
  return GPOINTER_TO_INT (g_hash_table_lookup (script->by_name, name)) - 1;
}

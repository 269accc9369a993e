/* motion/actors: objects that know what to do when they are told: states, methods, messages, queries.
 *
 * After ASAS (Reynolds 1982; Parent, Computer Animation, 3.6.4).  The state of an actor is the fold of all messages up to
 * a time, in the order of their times; so it is a function of the text and the frame, whichever way the frame was reached.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-geometry.h"
#include "kg-hash.h"
#include "kg-node.h"
#include "track_text.h"

#include <math.h>
#include <string.h>

#define MAX_ACTORS 100000
#define MAX_ARGUMENTS 16
#define MAX_DEPTH 64 /* queries that ask queries, conditions in conditions */
/* Queries that answering one question may take: those that ask each other twice double with each step. */
#define MAX_QUERIES 20000
#define MAX_LINES 20000 /* of one method, run once */
/* How often a message may come back to its method, with other arguments, at one frame. */
#define MAX_ROUNDS 1000
/* Causes of a message that are looked at one by one. */
#define NEAR 64

typedef struct {
  const char *text;
  const char *messages;
  const char *query;
  double frame;
  int64_t max_messages;
  KgGeometry *geometry;
  KgMotion *motion;
  double answer;
  char *log;
  int64_t delivered;
} Actors;

/* A name and where its lines, or its expression, are. */
typedef struct {
  char *name;
  TrackReader where;
  GPtrArray *parameters; /* of methods: char * */
} Member;

typedef struct {
  char *name;
  guint count;                           /* 0: one, called as written; else copies, numbered from 1 */
  guint first;                           /* of its actors */
  GPtrArray *states, *methods, *queries; /* Member */
  TrackReader at;
  bool has_at;
} Kind;

/* What a state does since a message: from one value to another. */
typedef struct {
  double start, length, from, to;
  TrackEase ease;
} Course;

typedef struct {
  char *name;
  const Kind *kind;
  guint index; /* from 1 among its copies */
  KgVector at;
  Course *states;
  GArray **pieces; /* TrackPiece, of each state: courses that are over */
  double *starts;
} Actor;

typedef struct {
  double time;
  guint64 order;
  guint target;
  guint sender; /* G_MAXUINT: the script */
  char *method;
  guint n_arguments;
  double arguments[MAX_ARGUMENTS];
  gint64 cause;      /* the message that it answers, or -1 */
  guint depth;       /* causes at its own time */
  guint rounds;      /* how many of them were at the method where landmark is */
  gint64 landmark;   /* one of them, the older the deeper this is; -1: none */
  const char *label; /* where it was sent */
  guint line;
} Message;

typedef struct {
  char *texts[2]; /* copies: readers point into them */
  GPtrArray *kinds;
  GHashTable *kind_by_name, *actor_by_name; /* Kind; index of the actor + 1 */
  GPtrArray *actors;
  GHashTable *variables; /* name -> double * */
  GHashTable *known;     /* a set of all names that expressions may have */
  GPtrArray *names;      /* the same, NULL-terminated */
  GPtrArray *sent;       /* Message, all that were made */
  GSequence *waiting;    /* Message, borrowed, by time */
  GPtrArray *warnings;
  GString *log;
  KgMotion *motion; /* once all is done */
  guint delivered;
  guint asked; /* queries, since the question that is being answered */
  double until;
  guint max_messages;
} World;

/* What is known while a message is worked on, or a query. */
typedef struct {
  World *world;
  guint self, sender;
  const Member *method;
  const Message *message;
  double time;
  guint depth;
} Moment;

static void
member_free (gpointer data)
{
  Member *member = (Member *) data;

  g_clear_pointer (&member->parameters, g_ptr_array_unref);
  g_free (member->name);
  g_free (member);
}

static void
kind_free (gpointer data)
{
  Kind *kind = (Kind *) data;

  g_ptr_array_unref (kind->states);
  g_ptr_array_unref (kind->methods);
  g_ptr_array_unref (kind->queries);
  g_free (kind->name);
  g_free (kind);
}

static void
actor_free (gpointer data)
{
  Actor *actor = (Actor *) data;

  for (guint i = 0; actor->pieces != NULL && i < actor->kind->states->len; i++)
    g_array_unref (actor->pieces[i]);
  g_free (actor->pieces);
  g_free (actor->states);
  g_free (actor->starts);
  g_free (actor->name);
  g_free (actor);
}

static void
message_free (gpointer data)
{
  g_free (((Message *) data)->method);
  g_free (data);
}

static void
world_free (gpointer data)
{
  World *world = (World *) data;

  g_clear_pointer (&world->waiting, g_sequence_free);
  g_ptr_array_unref (world->sent);
  g_ptr_array_unref (world->actors);
  g_ptr_array_unref (world->kinds);
  g_hash_table_unref (world->kind_by_name);
  g_hash_table_unref (world->actor_by_name);
  g_hash_table_unref (world->variables);
  g_ptr_array_unref (world->names);
  g_hash_table_unref (world->known);
  g_ptr_array_unref (world->warnings);
  g_string_free (world->log, TRUE);
  g_clear_pointer (&world->motion, kg_motion_unref);
  g_free (world->texts[0]);
  g_free (world->texts[1]);
  g_free (world);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (World, world_free)

static World *
world_new (void)
{
  World *world = g_new0 (World, 1);

  world->kinds = g_ptr_array_new_with_free_func (kind_free);
  world->actors = g_ptr_array_new_with_free_func (actor_free);
  world->sent = g_ptr_array_new_with_free_func (message_free);
  world->waiting = g_sequence_new (NULL);
  world->warnings = g_ptr_array_new_with_free_func (g_free);
  world->kind_by_name = g_hash_table_new (g_str_hash, g_str_equal);
  world->actor_by_name = g_hash_table_new (g_str_hash, g_str_equal);
  world->variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  world->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  world->names = g_ptr_array_new ();
  world->log = g_string_new (NULL);
  g_ptr_array_add (world->names, NULL);
  return world;
}

static void
know (World *world, const char *name)
{
  char *copy;

  if (g_hash_table_contains (world->known, name))
    return;
  copy = g_strdup (name);
  g_hash_table_add (world->known, copy);
  g_ptr_array_insert (world->names, (gint) world->names->len - 1, copy);
}

/* States and queries. */

static int
find_member (const GPtrArray *members, const char *name)
{
  for (guint i = 0; i < members->len; i++)
    if (g_str_equal (((const Member *) g_ptr_array_index (members, i))->name, name))
      return (int) i;
  return -1;
}

static double
get_course_value (const Course *course, double time, double *slope)
{
  double unit;

  *slope = 0;
  if (time >= course->start + course->length)
    return course->to;
  if (time <= course->start)
    time = course->start;
  unit = track_ease (course->ease, (time - course->start) / course->length, slope);
  *slope *= (course->to - course->from) / course->length;
  return course->from + (course->to - course->from) * unit;
}

static double
get_state (const World *world, const Actor *actor, guint state, double time)
{
  double value[KG_CHANNEL_MAX_WIDTH], slope;
  g_autofree char *name = NULL;

  if (world->motion == NULL)
    return get_course_value (&actor->states[state], time, &slope);
  name =
      g_strdup_printf ("%s.%s", actor->name, ((const Member *) g_ptr_array_index (actor->kind->states, state))->name);
  kg_channel_evaluate (kg_motion_find (world->motion, name), time, value);
  return value[0];
}

static const Actor *
get_actor (const World *world, guint index)
{
  return (const Actor *) g_ptr_array_index (world->actors, index);
}

static bool ask (const Moment *moment, guint actor, const char *name, double *value, GError **error);

static bool
look_up (gpointer data, const char *name, double *value, GError **error)
{
  const Moment *moment = (const Moment *) data;
  const double *variable;
  const Actor *self;
  int found;

  if (g_str_equal (name, "frame") && (moment->message != NULL || moment->world->motion != NULL)) {
    *value = moment->time;
    return true;
  }
  if (moment->method != NULL)
    for (guint i = 0; i < moment->method->parameters->len; i++)
      if (g_str_equal ((const char *) g_ptr_array_index (moment->method->parameters, i), name)) {
        *value = moment->message->arguments[i];
        return true;
      }
  if (moment->self != G_MAXUINT) {
    self = get_actor (moment->world, moment->self);
    if (g_str_equal (name, "index") || g_str_equal (name, "count")) {
      *value = name[0] == 'i' ? self->index : MAX (self->kind->count, 1);
      return true;
    }
    found = self->states != NULL ? find_member (self->kind->states, name) : -1;
    if (found >= 0) {
      *value = get_state (moment->world, self, (guint) found, moment->time);
      return true;
    }
    if (find_member (self->kind->queries, name) >= 0)
      return ask (moment, moment->self, name, value, error);
  }
  variable = (const double *) g_hash_table_lookup (moment->world->variables, name);
  if (variable != NULL)
    *value = *variable;
  return variable != NULL;
}

/* The actor of that name, seen from self: G_MAXUINT when there is none.  *known: whether the name means anything. */
static guint
find_actor (const Moment *moment, const char *name, bool *known)
{
  const World *world = moment->world;
  const Actor *self = moment->self != G_MAXUINT ? get_actor (world, moment->self) : NULL;
  const guint index = GPOINTER_TO_UINT (g_hash_table_lookup (world->actor_by_name, name));

  *known = true;
  if (index > 0)
    return index - 1;
  if (self != NULL && g_str_equal (name, "self"))
    return moment->self;
  if (self != NULL && g_str_equal (name, "sender"))
    return moment->sender;
  if (self != NULL && g_str_equal (name, "next"))
    return self->index < self->kind->count && moment->self + 1 < world->actors->len ? moment->self + 1 : G_MAXUINT;
  if (self != NULL && g_str_equal (name, "previous"))
    return self->index > 1 ? moment->self - 1 : G_MAXUINT;
  *known = false;
  return G_MAXUINT;
}

static bool
ask_by_name (gpointer data, const char *owner, const char *name, double *value, GError **error)
{
  const Moment *moment = (const Moment *) data;
  bool known;
  const guint actor = find_actor (moment, owner, &known);

  if (actor != G_MAXUINT)
    return ask (moment, actor, name, value, error);
  if (known) {
    /* The last of a row asks the next one: nobody is there. */
    *value = 0;
    return true;
  }
  kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                g_hash_table_contains (moment->world->kind_by_name, owner)
                    ? N_ ("there are several of %s: write %s1, or next or previous")
                    : N_ ("there is no actor \"%s\""),
                owner, owner);
  return false;
}

static bool
ask (const Moment *moment, guint actor, const char *name, double *value, GError **error)
{
  const Actor *asked = get_actor (moment->world, actor);
  Moment inner = { .world = moment->world,
                   .self = actor,
                   .sender = moment->self,
                   .time = moment->time,
                   .message = moment->message,
                   .depth = moment->depth + 1 };
  TrackReader reader;
  int found = find_member (asked->kind->states, name);

  if (asked->states == NULL && moment->world->motion == NULL) {
    kg_set_error (error, KG_ERROR_CYCLE, "%s.%s is asked while %s is being made: start it from a number", asked->name,
                  name, asked->name);
    return false;
  }
  if (found >= 0) {
    *value = get_state (moment->world, asked, (guint) found, moment->time);
    return true;
  }
  found = find_member (asked->kind->queries, name);
  if (found < 0) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no state or query \"%s\"", asked->name, name);
    return false;
  }
  moment->world->asked = moment->depth == 0 ? 0 : moment->world->asked + 1;
  if (moment->world->asked > MAX_QUERIES) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "the query %s.%s leads to more than %d others: keep what is asked twice in a state", asked->name,
                  name, MAX_QUERIES);
    return false;
  }
  if (inner.depth > MAX_DEPTH) {
    kg_set_error (error, KG_ERROR_CYCLE, "the query %s.%s asks itself", asked->name, name);
    return false;
  }
  reader = ((const Member *) g_ptr_array_index (asked->kind->queries, (guint) found))->where;
  reader.names = (const char *const *) moment->world->names->pdata;
  reader.look_up = look_up;
  reader.ask = ask_by_name;
  reader.data = &inner;
  return track_take_expression (&reader, NULL, value, error);
}

/* Messages. */

static int
compare_messages (gconstpointer a, gconstpointer b, gpointer data)
{
  const Message *x = (const Message *) a, *y = (const Message *) b;

  (void) data;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* The messages that led to this one at its time, and this one. */
static char *
describe_chain (const World *world, const Message *message)
{
  GString *chain = g_string_new (NULL);
  guint n = 0;

  for (const Message *m = message; m != NULL && m->time == message->time && n < 12; n++) {
    g_autofree char *step =
        g_strdup_printf ("%s.%s%s", get_actor (world, m->target)->name, m->method, n > 0 ? " -> " : "");

    g_string_prepend (chain, step);
    m = m->cause >= 0 ? (const Message *) g_ptr_array_index (world->sent, (guint) m->cause) : NULL;
  }
  return g_string_free (chain, FALSE);
}

static bool
is_same_method (const Message *a, const Message *b)
{
  return a->target == b->target && g_str_equal (a->method, b->method);
}

static bool
is_same_message (const Message *a, const Message *b)
{
  return is_same_method (a, b) && a->n_arguments == b->n_arguments &&
         memcmp (a->arguments, b->arguments, a->n_arguments * sizeof (double)) == 0;
}

static const Message *
get_cause (const World *world, const Message *message)
{
  const Message *cause = message->cause >= 0 ? (const Message *) g_ptr_array_index (world->sent, (guint) message->cause)
                                             : NULL;

  return cause != NULL && cause->time == message->time ? cause : NULL;
}

/* Where in the chain of causes of its time a message stands.  Landmarks are causes at depths that are powers of two (as in
 * Brent's search for cycles), so that every round is met, however long it is, without looking at the whole chain. */
static void
place_in_chain (const World *world, Message *message)
{
  const Message *cause = get_cause (world, message);

  message->landmark = -1;
  if (cause == NULL)
    return;
  message->depth = cause->depth + 1;
  message->landmark = (cause->depth & (cause->depth - 1)) == 0 ? (gint64) cause->order : cause->landmark;
  message->rounds = cause->rounds;
  if (is_same_method (message, (const Message *) g_ptr_array_index (world->sent, (guint) message->landmark)))
    message->rounds++;
}

/* A message that an answer to itself sends again at the same time would never end, and hardly one that changes only its
 * arguments. */
static bool
check_loop (const World *world, const Message *message, GError **error)
{
  const Message *landmark =
      message->landmark >= 0 ? (const Message *) g_ptr_array_index (world->sent, (guint) message->landmark) : NULL;
  bool again = landmark != NULL && is_same_message (landmark, message);
  const Message *m = message;
  g_autofree char *chain = NULL;

  for (guint i = 0; i < NEAR && !again && (m = get_cause (world, m)) != NULL; i++)
    again = is_same_message (m, message);
  if (!again && message->rounds <= MAX_ROUNDS)
    return true;
  chain = describe_chain (world, message);
  if (again)
    kg_set_error (error, KG_ERROR_CYCLE,
                  "%s %u: at frame %g messages go round without end: %s; let one of them come later (after)",
                  message->label, message->line, message->time, chain);
  else
    kg_set_error (
        error, KG_ERROR_CYCLE,
        "%s %u: at frame %g messages go round more than %d times, with other arguments each time: %s; let one of "
        "them come later (after), or end it with if",
        message->label, message->line, message->time, MAX_ROUNDS, chain);
  return false;
}

static bool
post (World *world, const Message *message, guint target, GError **error)
{
  Message *copy = g_memdup2 (message, sizeof *message);

  copy->method = g_strdup (message->method);
  copy->target = target;
  copy->order = world->sent->len;
  g_ptr_array_add (world->sent, copy);
  place_in_chain (world, copy);
  if (world->sent->len > world->max_messages) {
    g_autofree char *chain = describe_chain (world, copy);

    kg_set_error (error, KG_ERROR_LIMIT,
                  "%s %u: more than %u messages by frame %g, the last of them %s: raise the limit, or end the chain",
                  copy->label, copy->line, world->max_messages, copy->time, chain);
    return false;
  }
  if (!check_loop (world, copy, error))
    return false;
  g_sequence_insert_sorted (world->waiting, copy, compare_messages, NULL);
  return true;
}

/* send ACTOR METHOD [ARGUMENT...] [after FRAMES] */
static bool
read_send (const Moment *moment, TrackReader *reader, double time, gint64 cause, GError **error)
{
  World *world = moment->world;
  Message message = { .sender = moment->self, .cause = cause, .label = reader->label, .line = reader->number };
  g_autofree char *target = track_take_name (reader, "the actor", error);
  g_autofree char *method = target != NULL ? track_take_name (reader, "what it shall do", error) : NULL;
  const Kind *kind;
  double after = 0;
  bool known;
  guint actor;

  if (method == NULL)
    return false;
  while (!track_reader_at_end (reader)) {
    if (track_take_keyword (reader, "after")) {
      if (!track_take_value (reader, "the number of frames", &after, error))
        return false;
      if (!(after >= 0))
        return track_fail (reader, NULL, error, "%g frames: a message cannot come before it was sent", after);
      if (!track_expect_end (reader, error))
        return false;
      break;
    }
    if (message.n_arguments == MAX_ARGUMENTS)
      return track_fail (reader, NULL, error, "a message has at most %d arguments", MAX_ARGUMENTS);
    if (!track_take_value (reader, "an argument", &message.arguments[message.n_arguments++], error))
      return false;
  }
  message.time = time + after;
  message.method = method;
  if (!isfinite (message.time) || message.time > world->until)
    return true;
  kind = (const Kind *) g_hash_table_lookup (world->kind_by_name, target);
  if (kind != NULL) {
    for (guint i = 0; i < MAX (kind->count, 1); i++)
      if (!post (world, &message, kind->first + i, error))
        return false;
    return true;
  }
  actor = find_actor (moment, target, &known);
  if (!known)
    g_ptr_array_add (world->warnings, g_strdup_printf (kg_translate ("%s %u, frame %g: there is no actor \"%s\""),
                                                       reader->label, reader->number, message.time, target));
  return actor == G_MAXUINT || post (world, &message, actor, error);
}

/* Changes of states. */

static void
end_course (Actor *actor, guint state, double time)
{
  const Course *course = &actor->states[state];
  TrackPiece piece = { .low = course->start, .high = MIN (time, course->start + course->length) };

  if (course->start == -INFINITY || (course->length > 0 && piece.high <= piece.low))
    return;
  if (course->length > 0) {
    piece.value[0] = course->from;
    track_ease (course->ease, 0, &piece.slope[0]);
    piece.slope[0] *= (course->to - course->from) / course->length;
    piece.value[1] = get_course_value (course, piece.high, &piece.slope[1]);
    if (piece.high == course->start + course->length) {
      track_ease (course->ease, 1, &piece.slope[1]);
      piece.slope[1] *= (course->to - course->from) / course->length;
    }
  } else
    piece.value[0] = piece.value[1] = course->to;
  g_array_append_val (actor->pieces[state], piece);
}

/* set STATE to VALUE; change STATE to|by VALUE [over FRAMES] [with EASE] */
static bool
read_change (const Moment *moment, TrackReader *reader, bool is_set, GError **error)
{
  Actor *actor = (Actor *) g_ptr_array_index (moment->world->actors, moment->self);
  g_autofree char *name = track_take_name (reader, "the name of a state", error);
  const int state = name != NULL ? find_member (actor->kind->states, name) : -1;
  Course course = { .start = moment->time };
  double slope;
  bool relative;

  if (name == NULL)
    return false;
  if (state < 0)
    return track_fail (reader, NULL, error, "%s has no state \"%s\"", actor->name, name);
  relative = track_take_keyword (reader, "by");
  if ((!relative && !track_expect_keyword (reader, "to", error)) ||
      !track_take_value (reader, "a value", &course.to, error) ||
      (track_take_keyword (reader, "over") &&
       (is_set || !track_take_value (reader, "frames", &course.length, error))) ||
      (track_take_keyword (reader, "with") && !track_take_ease (reader, &course.ease, error)) ||
      !track_expect_end (reader, error))
    return false;
  course.from = get_course_value (&actor->states[state], moment->time, &slope);
  if (relative)
    course.to += course.from;
  if (!isfinite (course.to) || !(course.length >= 0 && course.length <= 1e9))
    return track_fail (reader, reader->line, error, "to %g over %g frames: frames are from 0 to 10^9", course.to,
                       course.length);
  end_course (actor, (guint) state, moment->time);
  actor->states[state] = course;
  return true;
}

/* Goes to the end of the block that reader stands in, or (at_else not NULL) to its else. */
static bool
skip_block (TrackReader *reader, bool *at_else, GError **error)
{
  guint depth = 0;

  while (track_reader_next_line (reader, NULL)) {
    if (track_take_keyword (reader, "if"))
      depth++;
    else if (depth == 0 && at_else != NULL && track_take_keyword (reader, "else")) {
      *at_else = true;
      return true;
    } else if (track_take_keyword (reader, "end") && depth-- == 0)
      return true;
  }
  return track_fail (reader, NULL, error, "an end is missing");
}

/* Runs the lines of a method. */
static bool
run_method (Moment *moment, TrackReader reader, gint64 cause, GError **error)
{
  guint depth = 0;

  reader.names = (const char *const *) moment->world->names->pdata;
  reader.look_up = look_up;
  reader.ask = ask_by_name;
  reader.data = moment;
  for (guint n = 0; n < MAX_LINES && track_reader_next_line (&reader, NULL); n++) {
    double condition = 0;
    bool good = true, at_else;

    if (track_reader_at_end (&reader))
      continue;
    if (track_take_keyword (&reader, "set"))
      good = read_change (moment, &reader, true, error);
    else if (track_take_keyword (&reader, "change"))
      good = read_change (moment, &reader, false, error);
    else if (track_take_keyword (&reader, "send"))
      good = read_send (moment, &reader, moment->time, cause, error);
    else if (track_take_keyword (&reader, "if")) {
      good = track_take_expression (&reader, NULL, &condition, error);
      at_else = condition != 0;
      good = good && (condition != 0 || skip_block (&reader, &at_else, error));
      /* At an else the block goes on. */
      depth += at_else ? 1 : 0;
    } else if (track_take_keyword (&reader, "else")) {
      good = depth > 0 ? skip_block (&reader, NULL, error)
                       : track_fail (&reader, NULL, error, "this else belongs to no if");
      depth--;
    } else if (track_take_keyword (&reader, "end")) {
      if (depth-- == 0)
        return true;
    } else
      good = track_fail (&reader, NULL, error, "a line of a method begins with set, change, send, if, else or end");
    if (!good)
      return false;
  }
  return track_fail (&reader, reader.line, error, "the method has no end");
}

static bool
deliver (World *world, const Message *message, GError **error)
{
  const Actor *actor = get_actor (world, message->target);
  const int found = find_member (actor->kind->methods, message->method);
  Moment moment = {
    .world = world, .self = message->target, .sender = message->sender, .message = message, .time = message->time
  };

  if (found < 0) {
    g_ptr_array_add (world->warnings,
                     g_strdup_printf (kg_translate ("%s %u, frame %g: %s does not know how to %s"), message->label,
                                      message->line, message->time, actor->name, message->method));
    return true;
  }
  moment.method = (const Member *) g_ptr_array_index (actor->kind->methods, (guint) found);
  if (moment.method->parameters->len != message->n_arguments) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s %u: %s.%s takes %u arguments, and %u are sent", message->label,
                  message->line, actor->name, message->method, moment.method->parameters->len, message->n_arguments);
    return false;
  }
  world->delivered++;
  if (world->log->len < 100000) {
    g_string_append_printf (world->log, "%g %s.%s", message->time, actor->name, message->method);
    for (guint i = 0; i < message->n_arguments; i++)
      g_string_append_printf (world->log, " %g", message->arguments[i]);
    g_string_append_c (world->log, '\n');
  }
  return run_method (&moment, moment.method->where, (gint64) message->order, error);
}

/* Reading. */

/* (nullable) NAME [= EXPRESSION], a new member. */
static Member *
read_member (World *world, TrackReader *reader, GPtrArray *members, const char *what, GError **error)
{
  g_autofree char *name = track_take_name (reader, what, error);
  Member *member;

  if (name == NULL)
    return NULL;
  if (find_member (members, name) >= 0) {
    track_fail (reader, NULL, error, "there is already a \"%s\"", name);
    return NULL;
  }
  know (world, name);
  member = g_new0 (Member, 1);
  member->name = g_steal_pointer (&name);
  g_ptr_array_add (members, member);
  return member;
}

static bool
read_definition (World *world, TrackReader *reader, GPtrArray *members, const char *what, GError **error)
{
  Member *member = read_member (world, reader, members, what, error);

  if (member == NULL || !track_expect_keyword (reader, "=", error))
    return false;
  if (track_reader_at_end (reader))
    return track_fail (reader, NULL, error, "an expression is missing");
  member->where = *reader;
  return true;
}

/* Lines up to the end of the method are kept for when it is run; what they begin with is checked now. */
static bool
read_method (World *world, TrackReader *reader, const char *text, Kind *kind, GError **error)
{
  static const char *const verbs[] = { "set", "change", "send", "if", "else", "end" };
  const TrackReader start = *reader;
  Member *method = read_member (world, reader, kind->methods, "the name of a method", error);
  guint depth = 0;

  if (method == NULL)
    return false;
  method->parameters = g_ptr_array_new_with_free_func (g_free);
  while (!track_reader_at_end (reader)) {
    char *parameter = track_take_name (reader, "a parameter", error);

    if (parameter == NULL)
      return false;
    know (world, parameter);
    g_ptr_array_add (method->parameters, parameter);
  }
  if (method->parameters->len > MAX_ARGUMENTS)
    return track_fail (reader, NULL, error, "a method has at most %d parameters", MAX_ARGUMENTS);
  method->where = *reader;
  while (track_reader_next_line (reader, text)) {
    guint verb = 0;

    if (track_reader_at_end (reader))
      continue;
    while (verb < G_N_ELEMENTS (verbs) && !track_take_keyword (reader, verbs[verb]))
      verb++;
    if (verb == G_N_ELEMENTS (verbs))
      return track_fail (reader, NULL, error, "a line of a method begins with set, change, send, if, else or end");
    if (verb == 3 && ++depth > MAX_DEPTH)
      return track_fail (reader, NULL, error, "conditions are nested too deeply: at most %d", MAX_DEPTH);
    if (verb == 5 && depth-- == 0)
      return track_expect_end (reader, error);
  }
  return track_fail (&start, start.line, error, "this method has no end");
}

static bool
check_state_name (const TrackReader *reader, const char *name, GError **error)
{
  static const char *const reserved[] = { "P", "N", "v", "Cd", "uv", "id", "name", "tangent" };

  for (guint i = 0; i < G_N_ELEMENTS (reserved); i++)
    if (g_str_equal (name, reserved[i]))
      return track_fail (reader, reader->line, error, "a state cannot be called %s, which is an attribute of points",
                         name);
  return true;
}

/* actor NAME [* COUNT] [at X Y Z] ... end */
static bool
read_actor (World *world, TrackReader *reader, const char *text, GError **error)
{
  const TrackReader start = *reader;
  g_autofree char *name = track_take_name (reader, "the name of an actor", error);
  double count = 0;
  Kind *kind;

  if (name == NULL)
    return false;
  if (g_hash_table_contains (world->kind_by_name, name))
    return track_fail (reader, NULL, error, "there is already an actor called \"%s\"", name);
  if (track_take_keyword (reader, "*")) {
    if (!track_take_value (reader, "how many", &count, error))
      return false;
    if (!(count >= 1 && count <= MAX_ACTORS) || count != floor (count))
      return track_fail (reader, NULL, error, "%g actors: write a whole number from 1 to %d", count, MAX_ACTORS);
  }
  kind = g_new0 (Kind, 1);
  kind->name = g_steal_pointer (&name);
  kind->count = (guint) count;
  kind->states = g_ptr_array_new_with_free_func (member_free);
  kind->methods = g_ptr_array_new_with_free_func (member_free);
  kind->queries = g_ptr_array_new_with_free_func (member_free);
  g_ptr_array_add (world->kinds, kind);
  g_hash_table_insert (world->kind_by_name, kind->name, kind);
  kind->has_at = track_take_keyword (reader, "at");
  kind->at = *reader;
  if (!kind->has_at && !track_expect_end (reader, error))
    return false;
  while (track_reader_next_line (reader, text)) {
    bool good;

    if (track_reader_at_end (reader))
      continue;
    if (track_take_keyword (reader, "end"))
      return track_expect_end (reader, error);
    if (track_take_keyword (reader, "state"))
      good = read_definition (world, reader, kind->states, "the name of a state", error) &&
             check_state_name (reader, ((const Member *) g_ptr_array_index (kind->states, kind->states->len - 1))->name,
                               error);
    else if (track_take_keyword (reader, "query"))
      good = read_definition (world, reader, kind->queries, "the name of a query", error);
    else if (track_take_keyword (reader, "on"))
      good = read_method (world, reader, text, kind, error);
    else
      good = track_fail (reader, NULL, error, "a line of an actor begins with state, on, query or end");
    if (!good)
      return false;
  }
  return track_fail (&start, start.line, error, "the actor %s has no end", kind->name);
}

static bool
read_let (const Moment *script, TrackReader *reader, GError **error)
{
  g_autofree char *name = track_take_name (reader, "the name of a variable", error);
  double value;

  if (name == NULL || !track_expect_keyword (reader, "=", error) ||
      !track_take_expression (reader, NULL, &value, error))
    return false;
  know (script->world, name);
  reader->names = (const char *const *) script->world->names->pdata;
  g_hash_table_insert (script->world->variables, g_steal_pointer (&name), g_memdup2 (&value, sizeof value));
  return true;
}

/* Definitions, and (in a second pass, when all actors are there) messages of the script. */
static bool
read_text (World *world, const char *label, const char *text, bool messages, GError **error)
{
  Moment script = { .world = world, .self = G_MAXUINT, .sender = G_MAXUINT };
  TrackReader reader = { .label = label, .look_up = look_up, .ask = ask_by_name, .data = &script };

  while (track_reader_next_line (&reader, text)) {
    double time;
    bool good;

    reader.names = (const char *const *) world->names->pdata;
    if (track_reader_at_end (&reader))
      continue;
    if (track_take_keyword (&reader, "actor")) {
      if (messages) {
        /* It was read before: pass over its lines. */
        guint depth = 1;

        while (depth > 0 && track_reader_next_line (&reader, text))
          if (track_take_keyword (&reader, "on") || track_take_keyword (&reader, "if"))
            depth++;
          else if (track_take_keyword (&reader, "end"))
            depth--;
        continue;
      }
      good = read_actor (world, &reader, text, error);
    } else if (track_take_keyword (&reader, "let"))
      good = messages || read_let (&script, &reader, error);
    else if (track_take_keyword (&reader, "at"))
      good = !messages ||
             (track_expect_keyword (&reader, "frame", error) && track_take_value (&reader, "the frame", &time, error) &&
              track_expect_keyword (&reader, "send", error) && read_send (&script, &reader, time, -1, error));
    else
      good = track_fail (&reader, NULL, error, "a line begins with actor, at frame, or let");
    if (!good)
      return false;
  }
  return true;
}

/* Actors come to be: where they are and what their states are at first. */
static bool
make_actor (World *world, Kind *kind, guint index, GError **error)
{
  Actor *actor = g_new0 (Actor, 1);
  const guint n = kind->states->len, place = world->actors->len;
  Moment moment = { .world = world, .self = place, .sender = G_MAXUINT };
  double xyz[3] = { 0 };

  actor->kind = kind;
  actor->index = index;
  actor->name = kind->count > 0 ? g_strdup_printf ("%s%u", kind->name, index) : g_strdup (kind->name);
  g_ptr_array_add (world->actors, actor);
  if (!g_hash_table_insert (world->actor_by_name, actor->name, GUINT_TO_POINTER (place + 1))) {
    kg_set_error (error, KG_ERROR_DUPLICATE, "there are two actors called \"%s\": rename one", actor->name);
    return false;
  }
  if (kind->has_at) {
    TrackReader reader = kind->at;

    reader.data = &moment;
    reader.names = (const char *const *) world->names->pdata;
    for (guint i = 0; i < 3; i++)
      if (!track_take_value (&reader, "a place of three numbers", &xyz[i], error))
        return false;
    if (!track_expect_end (&reader, error))
      return false;
  }
  actor->at = kg_vector (xyz[0], xyz[1], xyz[2]);
  actor->starts = g_new0 (double, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    TrackReader reader = ((const Member *) g_ptr_array_index (kind->states, i))->where;

    reader.data = &moment;
    reader.names = (const char *const *) world->names->pdata;
    if (!track_take_expression (&reader, NULL, &actor->starts[i], error))
      return false;
  }
  actor->pieces = g_new0 (GArray *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    actor->pieces[i] = g_array_new (FALSE, FALSE, sizeof (TrackPiece));
  actor->states = g_new0 (Course, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    actor->states[i] = (Course){ .start = -INFINITY, .from = actor->starts[i], .to = actor->starts[i] };
  return true;
}

static bool
make_actors (World *world, GError **error)
{
  for (guint k = 0; k < world->kinds->len; k++) {
    Kind *kind = (Kind *) g_ptr_array_index (world->kinds, k);

    kind->first = world->actors->len;
    if (world->actors->len + MAX (kind->count, 1) > MAX_ACTORS) {
      kg_set_error (error, KG_ERROR_LIMIT, "more than %d actors", MAX_ACTORS);
      return false;
    }
    for (guint i = 1; i <= MAX (kind->count, 1); i++)
      if (!make_actor (world, kind, i, error))
        return false;
  }
  return true;
}

/* Attributes are of all points: what a state of some actors is for the others is told, unless it is something that points
 * have a value for anyway. */
static void
warn_of_missing_states (World *world)
{
  static const char *const usual[] = { "x", "y", "z", "turn", "width", "r", "g", "b", NULL };
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint k = 0; k < world->kinds->len; k++) {
    const GPtrArray *states = ((const Kind *) g_ptr_array_index (world->kinds, k))->states;

    for (guint s = 0; s < states->len; s++) {
      char *name = ((const Member *) g_ptr_array_index (states, s))->name;

      g_hash_table_insert (counts, name, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, name)) + 1));
    }
  }
  for (guint k = 0; k < world->kinds->len; k++) {
    const GPtrArray *states = ((const Kind *) g_ptr_array_index (world->kinds, k))->states;

    for (guint s = 0; s < states->len; s++) {
      const char *name = ((const Member *) g_ptr_array_index (states, s))->name;
      const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, name));

      if (n == 0 || n == world->kinds->len || g_strv_contains (usual, name))
        continue;
      g_ptr_array_add (world->warnings,
                       g_strdup_printf ("the attribute %s of the points is 0 for actors that have no such state: give "
                                        "them one (state %s = ...) where it matters",
                                        name, name));
      g_hash_table_remove (counts, name);
    }
  }
}

static bool
make_motion (World *world, GError **error)
{
  g_autoptr (KgMotion) motion = kg_motion_new ();

  for (guint i = 0; i < world->actors->len; i++) {
    Actor *actor = (Actor *) g_ptr_array_index (world->actors, i);

    for (guint s = 0; s < actor->kind->states->len; s++) {
      g_autofree char *name =
          g_strdup_printf ("%s.%s", actor->name, ((const Member *) g_ptr_array_index (actor->kind->states, s))->name);
      KgChannel *channel;

      end_course (actor, s, INFINITY);
      channel = track_pieces_to_channel (actor->pieces[s], actor->starts[s], error);
      if (channel == NULL)
        return false;
      kg_motion_take_channel (motion, name, channel);
    }
  }
  world->motion = g_steal_pointer (&motion);
  return true;
}

typedef struct {
  const Actors *node;
  const KgContext *ctx;
  double until;
} Build;

static void *
actors_build (gpointer data, size_t *bytes, GError **error)
{
  static const char *const known[] = { "frame", "index", "count" };
  const Build *build = (const Build *) data;
  g_autoptr (World) world = world_new ();

  world->texts[0] = g_strdup (build->node->text);
  world->texts[1] = g_strdup (build->node->messages);
  world->until = build->until;
  world->max_messages = (guint) build->node->max_messages;
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    know (world, known[i]);
  if (!read_text (world, kg_translate ("line"), world->texts[0], false, error) ||
      !read_text (world, kg_translate ("messages, line"), world->texts[1], false, error) ||
      !make_actors (world, error) || !read_text (world, kg_translate ("line"), world->texts[0], true, error) ||
      !read_text (world, kg_translate ("messages, line"), world->texts[1], true, error))
    return NULL;
  while (!g_sequence_is_empty (world->waiting)) {
    GSequenceIter *first = g_sequence_get_begin_iter (world->waiting);
    const Message *message = (const Message *) g_sequence_get (first);

    g_sequence_remove (first);
    if (kg_context_is_cancelled (build->ctx) || !deliver (world, message, error))
      return NULL;
  }
  warn_of_missing_states (world);
  if (!make_motion (world, error))
    return NULL;
  *bytes = sizeof *world + kg_motion_get_bytes (world->motion) + world->actors->len * sizeof (Actor);
  return g_steal_pointer (&world);
}

/* Outputs. */

static void
write_colors (KgGeometry *geometry, size_t n)
{
  static const char *const names[] = { "r", "g", "b" };
  const float *from[3];
  float *to;

  for (guint c = 0; c < 3; c++) {
    from[c] = kg_geometry_get_float (geometry, KG_POINTS, names[c], 1);
    if (from[c] == NULL)
      return;
  }
  to = kg_geometry_edit_float (geometry, KG_POINTS, "Cd", 3);
  for (size_t i = 0; i < n; i++)
    for (guint c = 0; c < 3; c++)
      to[3 * i + c] = from[c][i];
}

/* What the points have of a state where an actor has none: what those that copy on them would take without it. */
static float
get_neutral (const char *state)
{
  static const char *const ones[] = { "width", "r", "g", "b", NULL };

  return g_strv_contains (ones, state) ? 1 : 0;
}

/* The attribute of a state, for all actors. */
static float *
edit_attribute (KgGeometry *geometry, const char *name, size_t n)
{
  const bool is_new = kg_geometry_get_float (geometry, KG_POINTS, name, 1) == NULL;
  float *values = kg_geometry_edit_float (geometry, KG_POINTS, name, 1);

  for (size_t i = 0; is_new && i < n; i++)
    values[i] = get_neutral (name);
  return values;
}

/* The direction that the state turn is, for all actors. */
static void
write_tangents (KgGeometry *geometry, size_t n)
{
  const float *turn = kg_geometry_get_float (geometry, KG_POINTS, "turn", 1);
  float *tangent = turn != NULL ? kg_geometry_edit_float (geometry, KG_POINTS, "tangent", 3) : NULL;

  for (size_t i = 0; tangent != NULL && i < n; i++) {
    tangent[3 * i] = (float) cos (turn[i] * G_PI / 180);
    tangent[3 * i + 1] = (float) sin (turn[i] * G_PI / 180);
  }
}

/* A point for each actor, with its states. */
static bool
make_geometry (const World *world, double frame, KgGeometry **geometry, GError **error)
{
  static const char *const axes[] = { "x", "y", "z" };
  const size_t n = world->actors->len;
  float *positions;
  int32_t *ids;

  *geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (*geometry, n, error))
    return false;
  ids = kg_geometry_edit_int (*geometry, KG_POINTS, "id", 1);
  for (size_t i = 0; i < n; i++)
    ids[i] = (int32_t) i;
  for (guint k = 0; k < world->kinds->len; k++) {
    const Kind *kind = (const Kind *) g_ptr_array_index (world->kinds, k);

    for (guint s = 0; s < kind->states->len; s++) {
      const char *name = ((const Member *) g_ptr_array_index (kind->states, s))->name;
      float *values = edit_attribute (*geometry, name, n);

      for (guint i = 0; i < MAX (kind->count, 1); i++)
        values[kind->first + i] = (float) get_state (world, get_actor (world, kind->first + i), s, frame);
    }
  }
  positions = kg_geometry_edit_positions (*geometry);
  for (guint i = 0; i < n; i++) {
    const Actor *actor = get_actor (world, i);

    positions[3 * i] = (float) actor->at.x;
    positions[3 * i + 1] = (float) actor->at.y;
    positions[3 * i + 2] = (float) actor->at.z;
    for (guint c = 0; c < 3; c++) {
      const int state = find_member (actor->kind->states, axes[c]);

      if (state >= 0)
        positions[3 * i + c] += (float) get_state (world, actor, (guint) state, frame);
    }
    kg_geometry_set_text (*geometry, KG_POINTS, "name", i, actor->name);
  }
  write_tangents (*geometry, n);
  write_colors (*geometry, n);
  return true;
}

static bool
answer (World *world, const char *query, double frame, double *value, GError **error)
{
  const char *dot = strchr (query, '.');
  g_autofree char *owner = dot != NULL ? g_strndup (query, (gsize) (dot - query)) : NULL;
  Moment moment = { .world = world, .self = G_MAXUINT, .sender = G_MAXUINT, .time = frame };

  if (dot == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the query \"%s\" should be actor.state or actor.query", query);
    return false;
  }
  if (ask_by_name (&moment, owner, dot + 1, value, error))
    return true;
  g_prefix_error (error, "query: ");
  return false;
}

static bool
actors_evaluate (Actors *n, const KgContext *ctx, GError **error)
{
  /* Messages after the last frame change nothing before it: the horizon is another only where somebody looks beyond. */
  Build build = { n, ctx, MAX (ctx->end, n->frame) };
  KgHash key = kg_hash_text (kg_hash_text (kg_hash_begin (KG_HASH_ACTORS, 0), n->text), n->messages);
  World *world;

  key = kg_hash_uint (key, (guint64) n->max_messages);
  key = kg_hash_double (key, build.until);
  world = (World *) kg_context_memo (ctx, key, actors_build, &build, world_free, error);
  if (world == NULL)
    return false;
  for (guint i = 0; i < MIN (world->warnings->len, 8); i++)
    kg_context_warn (ctx, "%s", (const char *) g_ptr_array_index (world->warnings, i));
  n->motion = kg_motion_ref (world->motion);
  n->delivered = world->delivered;
  n->log = g_strdup (world->log->str);
  return make_geometry (world, n->frame, &n->geometry, error) &&
         (n->query[0] == '\0' || answer (world, n->query, n->frame, &n->answer, error));
}

static const KgSlot actors_slots[] = {
  KG_INPUT (
      Actors, text, TEXT, .label = N_ ("Actors"), .multiline = true,
      .def_text = "actor door\n  state turn = 0\n  on open angle time\n    change turn to angle over time with smooth\n"
                  "  end\n  query is_open = turn > 1\nend\n\nat frame 10 send door open 60 20\n",
      .help = N_ ("actor NAME at x y z ... end, with the lines: state NAME = START; query NAME = EXPRESSION; on "
                  "METHOD PARAMETERS ... end. A method has the lines: set STATE to VALUE; change STATE to VALUE "
                  "(or by VALUE) over FRAMES with linear, in, out or smooth; send ACTOR METHOD ARGUMENTS after "
                  "FRAMES; if EXPRESSION ... else ... end. actor NAME * 20 makes twenty, called NAME1 and so on, "
                  "which know their index and the next and previous one. Beside the actors: at frame N send ACTOR "
                  "METHOD ARGUMENTS, and let NAME = EXPRESSION.")),
  KG_INPUT (Actors, messages, TEXT, .label = N_ ("Messages"), .multiline = true,
            .help = N_ ("More of the same, such as the messages of one shot: at frame N send ACTOR METHOD ARGUMENTS.")),
  KG_INPUT (Actors, query, TEXT, .label = N_ ("Query"),
            .help = N_ ("What the answer tells: actor.state or actor.query.")),
  KG_INPUT (Actors, frame, NUMBER, .label = N_ ("Frame"), .driver = KG_DRIVER_FRAME, .soft_min = 1, .soft_max = 100,
            .help = N_ ("When. Without a source it is the frame that is shown.")),
  KG_INPUT (Actors, max_messages, INTEGER, .label = N_ ("Most messages"), .def = 20000, .min = 1, .max = 1000000,
            .help = N_ ("More than this is taken for a chain without end.")),
  KG_OUTPUT (
      Actors, geometry, GEOMETRY, .label = N_ ("Points"),
      .help = N_ ("One for each actor, with its states as attributes. The states x, y and z move it, turn is a "
                  "direction in degrees (tangent), width a size, and r, g and b together a colour: what copies on "
                  "points follow. Where only some actors have a state, the others have 0 there, and 1 for width, r, g "
                  "and b.")),
  KG_OUTPUT (Actors, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("All states over the frames: a channel door.turn for the state turn of the actor door.")),
  KG_OUTPUT (Actors, answer, NUMBER, .label = N_ ("Answer"), .help = N_ ("To the query, at this frame.")),
  KG_OUTPUT (Actors, log, TEXT, .label = N_ ("Messages delivered"),
             .help = N_ ("One a line: the frame, the actor and what it was told.")),
  KG_OUTPUT (Actors, delivered, INTEGER, .label = N_ ("Number of messages"), .help = N_ ("That were delivered.")),
};

KG_NODE (
    motion, actors, Actors, .label = N_ ("Actors"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("actor message behaviour object state query method event script language asas crowd"),
    .formula = "state(t) = fold of the messages with time ≤ t, by time, then by their order\n"
               "change x to y over d: x(t) = x₀ + (y − x₀) · ease((t − t₀)/d)",
    .source = "Reynolds, Computer Animation with Scripts and Actors, 1982 (ASAS); Parent, Computer Animation, 3.6.4",
    .help = N_ ("Objects that know what to do when they are told. An actor has states and says what each message does "
                "to them; messages come from the script at their frames, or from other actors, so that a row of "
                "lamps can pass a flash on or a door can tell the light in the room to go on."));

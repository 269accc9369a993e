/* actor_messages: what actors do with what reaches them: queries, messages, and the lines of methods.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/actor_world_private.h"

/* Queries that answering one question may take: those that ask each other twice double with each step. */
#define MAX_QUERIES 20000
#define MAX_LINES 20000 /* of one method, run once */
/* How often a message may come back to its method, with other arguments, at one frame. */
#define MAX_ROUNDS 1000
/* Causes of a message that are looked at one by one. */
#define NEAR 64

/* States and queries. */

int
actor_find_member (const GPtrArray *members, const char *name)
{
  for (guint i = 0; i < members->len; i++)
    if (g_str_equal (((const ActorMember *) g_ptr_array_index (members, i))->name, name))
      return (int) i;
  return -1;
}

static double
get_course_value (const ActorCourse *course, double time, double *slope)
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

double
actor_world_get_state (const ActorWorld *world, const Actor *actor, guint state, double time)
{
  double value[KG_CHANNEL_MAX_WIDTH], slope;
  g_autofree char *name = NULL;

  if (world->motion == NULL)
    return get_course_value (&actor->states[state], time, &slope);
  name = g_strdup_printf ("%s.%s", actor->name,
                          ((const ActorMember *) g_ptr_array_index (actor->kind->states, state))->name);
  kg_channel_evaluate (kg_motion_find (world->motion, name), time, value);
  return value[0];
}

const Actor *
actor_world_get_actor (const ActorWorld *world, guint index)
{
  return (const Actor *) g_ptr_array_index (world->actors, index);
}

static bool ask (const ActorMoment *moment, guint actor, const char *name, double *value, GError **error);

bool
actor_world_look_up (gpointer data, const char *name, double *value, GError **error)
{
  const ActorMoment *moment = (const ActorMoment *) data;
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
    self = actor_world_get_actor (moment->world, moment->self);
    if (g_str_equal (name, "index") || g_str_equal (name, "count")) {
      *value = name[0] == 'i' ? self->index : MAX (self->kind->count, 1);
      return true;
    }
    found = self->states != NULL ? actor_find_member (self->kind->states, name) : -1;
    if (found >= 0) {
      *value = actor_world_get_state (moment->world, self, (guint) found, moment->time);
      return true;
    }
    if (actor_find_member (self->kind->queries, name) >= 0)
      return ask (moment, moment->self, name, value, error);
  }
  variable = (const double *) g_hash_table_lookup (moment->world->variables, name);
  if (variable != NULL)
    *value = *variable;
  return variable != NULL;
}

/* The actor of that name, seen from self: G_MAXUINT when there is none.  *known: whether the name means anything. */
static guint
find_actor (const ActorMoment *moment, const char *name, bool *known)
{
  const ActorWorld *world = moment->world;
  const Actor *self = moment->self != G_MAXUINT ? actor_world_get_actor (world, moment->self) : NULL;
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

bool
actor_world_query_by_name (gpointer data, const char *owner, const char *name, double *value, GError **error)
{
  const ActorMoment *moment = (const ActorMoment *) data;
  bool known;
  const guint actor = find_actor (moment, owner, &known);

  if (actor != G_MAXUINT)
    return ask (moment, actor, name, value, error);
  if (known) {
    /* The last of a row asks the next one, which does not exist. */
    *value = 0;
    return true;
  }
  kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                g_hash_table_contains (moment->world->kind_by_name, owner)
                    ? N_ ("%s is the name of several actors: write %s1, next or previous")
                    : N_ ("unknown actor \"%s\""),
                owner, owner);
  return false;
}

static bool
ask (const ActorMoment *moment, guint actor, const char *name, double *value, GError **error)
{
  const Actor *asked = actor_world_get_actor (moment->world, actor);
  ActorMoment inner = { .world = moment->world,
                        .self = actor,
                        .sender = moment->self,
                        .time = moment->time,
                        .message = moment->message,
                        .depth = moment->depth + 1 };
  TrackReader reader;
  int found = actor_find_member (asked->kind->states, name);

  if (asked->states == NULL && moment->world->motion == NULL) {
    kg_set_error (error, KG_ERROR_CYCLE, "%s.%s is read while %s is still being created: start the state from a number",
                  asked->name, name, asked->name);
    return false;
  }
  if (found >= 0) {
    *value = actor_world_get_state (moment->world, asked, (guint) found, moment->time);
    return true;
  }
  found = actor_find_member (asked->kind->queries, name);
  if (found < 0) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no state or query \"%s\"", asked->name, name);
    return false;
  }
  moment->world->asked = moment->depth == 0 ? 0 : moment->world->asked + 1;
  if (moment->world->asked > MAX_QUERIES) {
    kg_set_error (
        error, KG_ERROR_LIMIT,
        "the query %s.%s leads to more than %d other queries: keep a result that is needed more than once in a state",
        asked->name, name, MAX_QUERIES);
    return false;
  }
  if (inner.depth > ACTOR_MAX_DEPTH) {
    kg_set_error (error, KG_ERROR_CYCLE, "the query %s.%s depends on itself", asked->name, name);
    return false;
  }
  reader = ((const ActorMember *) g_ptr_array_index (asked->kind->queries, (guint) found))->where;
  reader.names = (const char *const *) moment->world->names->pdata;
  reader.look_up = actor_world_look_up;
  reader.ask = actor_world_query_by_name;
  reader.data = &inner;
  return track_take_expression (&reader, NULL, value, error);
}

/* Messages. */

static int
compare_messages (gconstpointer a, gconstpointer b, gpointer data)
{
  const ActorMessage *x = (const ActorMessage *) a, *y = (const ActorMessage *) b;

  (void) data;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* The messages that led to this one at its time, and this one. */
static char *
describe_chain (const ActorWorld *world, const ActorMessage *message)
{
  GString *chain = g_string_new (NULL);
  guint n = 0;

  for (const ActorMessage *m = message; m != NULL && m->time == message->time && n < 12; n++) {
    g_autofree char *step =
        g_strdup_printf ("%s.%s%s", actor_world_get_actor (world, m->target)->name, m->method, n > 0 ? " -> " : "");

    g_string_prepend (chain, step);
    m = m->cause >= 0 ? (const ActorMessage *) g_ptr_array_index (world->sent, (guint) m->cause) : NULL;
  }
  return g_string_free (chain, FALSE);
}

static bool
is_same_method (const ActorMessage *a, const ActorMessage *b)
{
  return a->target == b->target && g_str_equal (a->method, b->method);
}

static bool
is_same_message (const ActorMessage *a, const ActorMessage *b)
{
  return is_same_method (a, b) && a->n_arguments == b->n_arguments &&
         memcmp (a->arguments, b->arguments, a->n_arguments * sizeof (double)) == 0;
}

static const ActorMessage *
get_cause (const ActorWorld *world, const ActorMessage *message)
{
  const ActorMessage *cause =
      message->cause >= 0 ? (const ActorMessage *) g_ptr_array_index (world->sent, (guint) message->cause) : NULL;

  return cause != NULL && cause->time == message->time ? cause : NULL;
}

/* Where in the chain of causes of its time a message stands.  Landmarks are causes at depths that are powers of two (as in
 * Brent's search for cycles), so that circles of any length are found without keeping the whole chain. */
static void
place_in_chain (const ActorWorld *world, ActorMessage *message)
{
  const ActorMessage *cause = get_cause (world, message);

  message->landmark = -1;
  if (cause == NULL)
    return;
  message->depth = cause->depth + 1;
  message->landmark = (cause->depth & (cause->depth - 1)) == 0 ? (gint64) cause->order : cause->landmark;
  message->rounds = cause->rounds;
  if (is_same_method (message, (const ActorMessage *) g_ptr_array_index (world->sent, (guint) message->landmark)))
    message->rounds++;
}

/* A message that an answer to itself sends again at the same time would never end, and hardly one that changes only its
 * arguments. */
static bool
check_loop (const ActorWorld *world, const ActorMessage *message, GError **error)
{
  const ActorMessage *landmark =
      message->landmark >= 0 ? (const ActorMessage *) g_ptr_array_index (world->sent, (guint) message->landmark) : NULL;
  bool again = landmark != NULL && is_same_message (landmark, message);
  const ActorMessage *m = message;
  g_autofree char *chain = NULL;

  for (guint i = 0; i < NEAR && !again && (m = get_cause (world, m)) != NULL; i++)
    again = is_same_message (m, message);
  if (!again && message->rounds <= MAX_ROUNDS)
    return true;
  chain = describe_chain (world, message);
  if (again)
    kg_set_error (error, KG_ERROR_CYCLE,
                  "%s %u: endless loop of messages at frame %g: %s; delay one of them (after FRAMES)", message->label,
                  message->line, message->time, chain);
  else
    kg_set_error (
        error, KG_ERROR_CYCLE,
        "%s %u: the loop of messages at frame %g was repeated more than %d times, with different arguments each time: %s; delay one of the messages (after FRAMES), or end the loop with if",
        message->label, message->line, message->time, MAX_ROUNDS, chain);
  return false;
}

static bool
post (ActorWorld *world, const ActorMessage *message, guint target, GError **error)
{
  ActorMessage *copy = g_memdup2 (message, sizeof *message);

  copy->method = g_strdup (message->method);
  copy->target = target;
  copy->order = world->sent->len;
  g_ptr_array_add (world->sent, copy);
  place_in_chain (world, copy);
  if (world->sent->len > world->max_messages) {
    g_autofree char *chain = describe_chain (world, copy);

    kg_set_error (error, KG_ERROR_LIMIT,
                  "%s %u: more than %u messages by frame %g, ending with %s: raise the limit, or break the chain",
                  copy->label, copy->line, world->max_messages, copy->time, chain);
    return false;
  }
  if (!check_loop (world, copy, error))
    return false;
  g_sequence_insert_sorted (world->waiting, copy, compare_messages, NULL);
  return true;
}

bool
actor_world_read_send (const ActorMoment *moment, TrackReader *reader, double time, gint64 cause, GError **error)
{
  ActorWorld *world = moment->world;
  ActorMessage message = { .sender = moment->self, .cause = cause, .label = reader->label, .line = reader->number };
  g_autofree char *target = track_take_name (reader, "the actor", error);
  g_autofree char *method = target != NULL ? track_take_name (reader, "the method", error) : NULL;
  const ActorKind *kind;
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
        return track_fail (reader, NULL, error, "%g frames: a message cannot arrive before it is sent", after);
      if (!track_expect_end (reader, error))
        return false;
      break;
    }
    if (message.n_arguments == ACTOR_MAX_ARGUMENTS)
      return track_fail (reader, NULL, error, "a message can have at most %d arguments", ACTOR_MAX_ARGUMENTS);
    if (!track_take_value (reader, "an argument", &message.arguments[message.n_arguments++], error))
      return false;
  }
  message.time = time + after;
  message.method = method;
  if (!isfinite (message.time) || message.time > world->until)
    return true;
  kind = (const ActorKind *) g_hash_table_lookup (world->kind_by_name, target);
  if (kind != NULL) {
    for (guint i = 0; i < MAX (kind->count, 1); i++)
      if (!post (world, &message, kind->first + i, error))
        return false;
    return true;
  }
  actor = find_actor (moment, target, &known);
  if (!known)
    g_ptr_array_add (world->warnings, g_strdup_printf (kg_translate ("%s %u, frame %g: unknown actor \"%s\""),
                                                       reader->label, reader->number, message.time, target));
  return actor == G_MAXUINT || post (world, &message, actor, error);
}

/* Changes of states. */

void
actor_end_course (Actor *actor, guint state, double time)
{
  const ActorCourse *course = &actor->states[state];
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
read_change (const ActorMoment *moment, TrackReader *reader, bool is_set, GError **error)
{
  Actor *actor = (Actor *) g_ptr_array_index (moment->world->actors, moment->self);
  g_autofree char *name = track_take_name (reader, "a state name", error);
  const int state = name != NULL ? actor_find_member (actor->kind->states, name) : -1;
  ActorCourse course = { .start = moment->time };
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
       (is_set || !track_take_value (reader, "the duration in frames", &course.length, error))) ||
      (track_take_keyword (reader, "with") && !track_take_ease (reader, &course.ease, error)) ||
      !track_expect_end (reader, error))
    return false;
  course.from = get_course_value (&actor->states[state], moment->time, &slope);
  if (relative)
    course.to += course.from;
  if (!isfinite (course.to) || !(course.length >= 0 && course.length <= 1e9))
    return track_fail (
        reader, reader->line, error,
        "cannot change to %g over %g frames: the value must be finite, and the duration from 0 to 10^9 frames",
        course.to, course.length);
  actor_end_course (actor, (guint) state, moment->time);
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
  return track_fail (reader, NULL, error, "an \"end\" is missing");
}

/* Runs the lines of a method. */
static bool
run_method (ActorMoment *moment, TrackReader reader, gint64 cause, GError **error)
{
  guint depth = 0;

  reader.names = (const char *const *) moment->world->names->pdata;
  reader.look_up = actor_world_look_up;
  reader.ask = actor_world_query_by_name;
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
      good = actor_world_read_send (moment, &reader, moment->time, cause, error);
    else if (track_take_keyword (&reader, "if")) {
      good = track_take_expression (&reader, NULL, &condition, error);
      at_else = condition != 0;
      good = good && (condition != 0 || skip_block (&reader, &at_else, error));
      /* An else continues the block. */
      depth += at_else ? 1 : 0;
    } else if (track_take_keyword (&reader, "else")) {
      good = depth > 0 ? skip_block (&reader, NULL, error)
                       : track_fail (&reader, NULL, error, "\"else\" without a matching \"if\"");
      depth--;
    } else if (track_take_keyword (&reader, "end")) {
      if (depth-- == 0)
        return true;
    } else
      good = track_fail (&reader, NULL, error, "a line of a method must begin with set, change, send, if, else or end");
    if (!good)
      return false;
  }
  return track_fail (&reader, reader.line, error, "the method has no matching \"end\"");
}

bool
actor_world_deliver (ActorWorld *world, const ActorMessage *message, GError **error)
{
  const Actor *actor = actor_world_get_actor (world, message->target);
  const int found = actor_find_member (actor->kind->methods, message->method);
  ActorMoment moment = {
    .world = world, .self = message->target, .sender = message->sender, .message = message, .time = message->time
  };

  if (found < 0) {
    g_ptr_array_add (world->warnings,
                     g_strdup_printf (kg_translate ("%s %u, frame %g: %s has no method \"%s\""), message->label,
                                      message->line, message->time, actor->name, message->method));
    return true;
  }
  moment.method = (const ActorMember *) g_ptr_array_index (actor->kind->methods, (guint) found);
  if (moment.method->parameters->len != message->n_arguments) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s %u: %s.%s takes %u arguments, but %u are sent", message->label,
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

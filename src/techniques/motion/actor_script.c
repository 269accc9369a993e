/* actor_script: reads definitions of actors, and the messages of a script.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/actor_world_private.h"

/* Reading. */

/* (nullable) NAME [= EXPRESSION], a new member. */
static ActorMember *
read_member (ActorWorld *world, TrackReader *reader, GPtrArray *members, const char *what, GError **error)
{
  g_autofree char *name = track_take_name (reader, what, error);
  ActorMember *member;

  if (name == NULL)
    return NULL;
  if (actor_find_member (members, name) >= 0) {
    track_fail (reader, NULL, error, "\"%s\" is already defined", name);
    return NULL;
  }
  actor_world_define_name (world, name);
  member = g_new0 (ActorMember, 1);
  member->name = g_steal_pointer (&name);
  g_ptr_array_add (members, member);
  return member;
}

static bool
read_definition (ActorWorld *world, TrackReader *reader, GPtrArray *members, const char *what, GError **error)
{
  ActorMember *member = read_member (world, reader, members, what, error);

  if (member == NULL || !track_expect_keyword (reader, "=", error))
    return false;
  if (track_reader_at_end (reader))
    return track_fail (reader, NULL, error, "an expression is missing");
  member->where = *reader;
  return true;
}

/* Lines up to the end of the method are kept for when it is run; what they begin with is checked now. */
static bool
read_method (ActorWorld *world, TrackReader *reader, const char *text, ActorKind *kind, GError **error)
{
  static const char *const verbs[] = { "set", "change", "send", "if", "else", "end" };
  const TrackReader start = *reader;
  ActorMember *method = read_member (world, reader, kind->methods, "a method name", error);
  guint depth = 0;

  if (method == NULL)
    return false;
  method->parameters = g_ptr_array_new_with_free_func (g_free);
  while (!track_reader_at_end (reader)) {
    char *parameter = track_take_name (reader, "a parameter name", error);

    if (parameter == NULL)
      return false;
    actor_world_define_name (world, parameter);
    g_ptr_array_add (method->parameters, parameter);
  }
  if (method->parameters->len > ACTOR_MAX_ARGUMENTS)
    return track_fail (reader, NULL, error, "a method can have at most %d parameters", ACTOR_MAX_ARGUMENTS);
  method->where = *reader;
  while (track_reader_next_line (reader, text)) {
    guint verb = 0;

    if (track_reader_at_end (reader))
      continue;
    while (verb < G_N_ELEMENTS (verbs) && !track_take_keyword (reader, verbs[verb]))
      verb++;
    if (verb == G_N_ELEMENTS (verbs))
      return track_fail (reader, NULL, error, "a line of a method must begin with set, change, send, if, else or end");
    if (verb == 3 && ++depth > ACTOR_MAX_DEPTH)
      return track_fail (reader, NULL, error, "conditions are nested too deeply: at most %d", ACTOR_MAX_DEPTH);
    if (verb == 5 && depth-- == 0)
      return track_expect_end (reader, error);
  }
  return track_fail (&start, start.line, error, "the \"end\" of this method is missing");
}

static bool
check_state_name (const TrackReader *reader, const char *name, GError **error)
{
  static const char *const reserved[] = { "P", "N", "v", "Cd", "uv", "id", "name", "tangent" };

  for (guint i = 0; i < G_N_ELEMENTS (reserved); i++)
    if (g_str_equal (name, reserved[i]))
      return track_fail (reader, reader->line, error,
                         "a state cannot be called %s: that is the name of a point attribute", name);
  return true;
}

/* actor NAME [* COUNT] [at X Y Z] ... end */
static bool
read_actor (ActorWorld *world, TrackReader *reader, const char *text, GError **error)
{
  const TrackReader start = *reader;
  g_autofree char *name = track_take_name (reader, "an actor name", error);
  double count = 0;
  ActorKind *kind;

  if (name == NULL)
    return false;
  if (g_hash_table_contains (world->kind_by_name, name))
    return track_fail (reader, NULL, error, "an actor called \"%s\" already exists", name);
  if (track_take_keyword (reader, "*")) {
    if (!track_take_value (reader, "the number of copies", &count, error))
      return false;
    if (!(count >= 1 && count <= ACTOR_MAX_COUNT) || count != floor (count))
      return track_fail (reader, NULL, error, "%g actors: write a whole number from 1 to %d", count, ACTOR_MAX_COUNT);
  }
  kind = g_new0 (ActorKind, 1);
  kind->name = g_steal_pointer (&name);
  kind->count = (guint) count;
  kind->states = g_ptr_array_new_with_free_func (actor_member_free);
  kind->methods = g_ptr_array_new_with_free_func (actor_member_free);
  kind->queries = g_ptr_array_new_with_free_func (actor_member_free);
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
      good = read_definition (world, reader, kind->states, "a state name", error) &&
             check_state_name (
                 reader, ((const ActorMember *) g_ptr_array_index (kind->states, kind->states->len - 1))->name, error);
    else if (track_take_keyword (reader, "query"))
      good = read_definition (world, reader, kind->queries, "a query name", error);
    else if (track_take_keyword (reader, "on"))
      good = read_method (world, reader, text, kind, error);
    else
      good = track_fail (reader, NULL, error, "a line of an actor must begin with state, on, query or end");
    if (!good)
      return false;
  }
  return track_fail (&start, start.line, error, "the \"end\" of the actor %s is missing", kind->name);
}

static bool
read_let (const ActorMoment *script, TrackReader *reader, GError **error)
{
  g_autofree char *name = track_take_name (reader, "a variable name", error);
  double value;

  if (name == NULL || !track_expect_keyword (reader, "=", error) ||
      !track_take_expression (reader, NULL, &value, error))
    return false;
  actor_world_define_name (script->world, name);
  reader->names = (const char *const *) script->world->names->pdata;
  g_hash_table_insert (script->world->variables, g_steal_pointer (&name), g_memdup2 (&value, sizeof value));
  return true;
}

bool
actor_script_read (ActorWorld *world, const char *label, const char *text, bool messages, GError **error)
{
  ActorMoment script = { .world = world, .self = G_MAXUINT, .sender = G_MAXUINT };
  TrackReader reader = {
    .label = label, .look_up = actor_world_look_up, .ask = actor_world_query_by_name, .data = &script
  };

  while (track_reader_next_line (&reader, text)) {
    double time;
    bool good;

    reader.names = (const char *const *) world->names->pdata;
    if (track_reader_at_end (&reader))
      continue;
    if (track_take_keyword (&reader, "actor")) {
      if (messages) {
        /* It was read before: skip its lines. */
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
              track_expect_keyword (&reader, "send", error) &&
              actor_world_read_send (&script, &reader, time, -1, error));
    else
      good = track_fail (&reader, NULL, error, "a line must begin with actor, at frame or let");
    if (!good)
      return false;
  }
  return true;
}

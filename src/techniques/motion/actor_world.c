/* actor_world: actors come to be, get their messages in the order of their times, and become a motion and points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/actor_world_private.h"
#include "kg-floats.h"

void
actor_member_free (gpointer data)
{
  ActorMember *member = (ActorMember *) data;

  g_clear_pointer (&member->parameters, g_ptr_array_unref);
  g_free (member->name);
  g_free (member);
}

static void
kind_free (gpointer data)
{
  ActorKind *kind = (ActorKind *) data;

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
  g_free (((ActorMessage *) data)->method);
  g_free (data);
}

void
actor_world_free (ActorWorld *world)
{
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

static ActorWorld *
world_new (void)
{
  ActorWorld *world = g_new0 (ActorWorld, 1);

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

void
actor_world_define_name (ActorWorld *world, const char *name)
{
  char *copy;

  if (g_hash_table_contains (world->known, name))
    return;
  copy = g_strdup (name);
  g_hash_table_add (world->known, copy);
  g_ptr_array_insert (world->names, (gint) world->names->len - 1, copy);
}

/* Actors come to be: where they are and what their states are at first. */
static bool
make_actor (ActorWorld *world, ActorKind *kind, guint index, GError **error)
{
  Actor *actor = g_new0 (Actor, 1);
  const guint n = kind->states->len, place = world->actors->len;
  ActorMoment moment = { .world = world, .self = place, .sender = G_MAXUINT };
  double xyz[3] = { 0 };

  actor->kind = kind;
  actor->index = index;
  actor->name = kind->count > 0 ? g_strdup_printf ("%s%u", kind->name, index) : g_strdup (kind->name);
  g_ptr_array_add (world->actors, actor);
  if (!g_hash_table_insert (world->actor_by_name, actor->name, GUINT_TO_POINTER (place + 1))) {
    kg_set_error (error, KG_ERROR_DUPLICATE, "two actors are called \"%s\": rename one", actor->name);
    return false;
  }
  if (kind->has_at) {
    TrackReader reader = kind->at;

    reader.data = &moment;
    reader.names = (const char *const *) world->names->pdata;
    for (guint i = 0; i < 3; i++)
      if (!track_take_value (&reader, "a position of three numbers", &xyz[i], error))
        return false;
    if (!track_expect_end (&reader, error))
      return false;
  }
  actor->at = kg_vector (xyz[0], xyz[1], xyz[2]);
  actor->starts = g_new0 (double, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    TrackReader reader = ((const ActorMember *) g_ptr_array_index (kind->states, i))->where;

    reader.data = &moment;
    reader.names = (const char *const *) world->names->pdata;
    if (!track_take_expression (&reader, NULL, &actor->starts[i], error))
      return false;
  }
  actor->pieces = g_new0 (GArray *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    actor->pieces[i] = g_array_new (FALSE, FALSE, sizeof (TrackPiece));
  actor->states = g_new0 (ActorCourse, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    actor->states[i] = (ActorCourse){ .start = -INFINITY, .from = actor->starts[i], .to = actor->starts[i] };
  return true;
}

static bool
make_actors (ActorWorld *world, GError **error)
{
  for (guint k = 0; k < world->kinds->len; k++) {
    ActorKind *kind = (ActorKind *) g_ptr_array_index (world->kinds, k);

    kind->first = world->actors->len;
    if (world->actors->len + MAX (kind->count, 1) > ACTOR_MAX_COUNT) {
      kg_set_error (error, KG_ERROR_LIMIT, "more than %d actors", ACTOR_MAX_COUNT);
      return false;
    }
    for (guint i = 1; i <= MAX (kind->count, 1); i++)
      if (!make_actor (world, kind, i, error))
        return false;
  }
  return true;
}

static void
warn_about_missing_states (ActorWorld *world)
{
  static const char *const usual[] = { "x", "y", "z", "turn", "width", "r", "g", "b", NULL };
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint k = 0; k < world->kinds->len; k++) {
    const GPtrArray *states = ((const ActorKind *) g_ptr_array_index (world->kinds, k))->states;

    for (guint s = 0; s < states->len; s++) {
      char *name = ((const ActorMember *) g_ptr_array_index (states, s))->name;

      g_hash_table_insert (counts, name, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, name)) + 1));
    }
  }
  for (guint k = 0; k < world->kinds->len; k++) {
    const GPtrArray *states = ((const ActorKind *) g_ptr_array_index (world->kinds, k))->states;

    for (guint s = 0; s < states->len; s++) {
      const char *name = ((const ActorMember *) g_ptr_array_index (states, s))->name;
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
make_motion (ActorWorld *world, GError **error)
{
  g_autoptr (KgMotion) motion = kg_motion_new ();

  for (guint i = 0; i < world->actors->len; i++) {
    Actor *actor = (Actor *) g_ptr_array_index (world->actors, i);

    for (guint s = 0; s < actor->kind->states->len; s++) {
      g_autofree char *name = g_strdup_printf (
          "%s.%s", actor->name, ((const ActorMember *) g_ptr_array_index (actor->kind->states, s))->name);
      KgChannel *channel;

      actor_end_course (actor, s, INFINITY);
      channel = track_pieces_to_channel (actor->pieces[s], actor->starts[s], error);
      if (channel == NULL)
        return false;
      kg_motion_take_channel (motion, name, channel);
    }
  }
  world->motion = g_steal_pointer (&motion);
  return true;
}

ActorWorld *
actor_world_new (const char *text, const char *messages, double until, guint max_messages,
                 const KgProgressMonitor *monitor, GError **error)
{
  static const char *const known[] = { "frame", "index", "count" };
  g_autoptr (ActorWorld) world = world_new ();

  world->texts[0] = g_strdup (text);
  world->texts[1] = g_strdup (messages);
  world->until = until;
  world->max_messages = max_messages;
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    actor_world_define_name (world, known[i]);
  if (!actor_script_read (world, kg_translate ("line"), world->texts[0], false, error) ||
      !actor_script_read (world, kg_translate ("messages, line"), world->texts[1], false, error) ||
      !make_actors (world, error) || !actor_script_read (world, kg_translate ("line"), world->texts[0], true, error) ||
      !actor_script_read (world, kg_translate ("messages, line"), world->texts[1], true, error))
    return NULL;
  while (!g_sequence_is_empty (world->waiting)) {
    GSequenceIter *first = g_sequence_get_begin_iter (world->waiting);
    const ActorMessage *message = (const ActorMessage *) g_sequence_get (first);

    g_sequence_remove (first);
    if (kg_progress_is_cancelled (monitor) || !actor_world_deliver (world, message, error))
      return NULL;
  }
  warn_about_missing_states (world);
  if (!make_motion (world, error))
    return NULL;
  return g_steal_pointer (&world);
}

size_t
actor_world_get_bytes (const ActorWorld *world)
{
  return sizeof *world + kg_motion_get_bytes (world->motion) + world->actors->len * sizeof (Actor);
}

const GPtrArray *
actor_world_get_warnings (const ActorWorld *world)
{
  return world->warnings;
}

guint
actor_world_get_n_delivered (const ActorWorld *world)
{
  return world->delivered;
}

const char *
actor_world_get_log (const ActorWorld *world)
{
  return world->log->str;
}

KgMotion *
actor_world_get_motion (const ActorWorld *world)
{
  return world->motion;
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

bool
actor_world_make_geometry (const ActorWorld *world, double frame, KgGeometry **geometry, GError **error)
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
    const ActorKind *kind = (const ActorKind *) g_ptr_array_index (world->kinds, k);

    for (guint s = 0; s < kind->states->len; s++) {
      const char *name = ((const ActorMember *) g_ptr_array_index (kind->states, s))->name;
      float *values = edit_attribute (*geometry, name, n);

      for (guint i = 0; i < MAX (kind->count, 1); i++)
        values[kind->first + i] =
            (float) actor_world_get_state (world, actor_world_get_actor (world, kind->first + i), s, frame);
    }
  }
  positions = kg_geometry_edit_positions (*geometry);
  for (guint i = 0; i < n; i++) {
    const Actor *actor = actor_world_get_actor (world, i);

    kg_floats_set_vector (positions, i, actor->at);
    for (guint c = 0; c < 3; c++) {
      const int state = actor_find_member (actor->kind->states, axes[c]);

      if (state >= 0)
        positions[3 * i + c] += (float) actor_world_get_state (world, actor, (guint) state, frame);
    }
    kg_geometry_set_text (*geometry, KG_POINTS, "name", i, actor->name);
  }
  write_tangents (*geometry, n);
  write_colors (*geometry, n);
  return true;
}

bool
actor_world_query (ActorWorld *world, const char *query, double frame, double *value, GError **error)
{
  const char *dot = strchr (query, '.');
  g_autofree char *owner = dot != NULL ? g_strndup (query, (gsize) (dot - query)) : NULL;
  ActorMoment moment = { .world = world, .self = G_MAXUINT, .sender = G_MAXUINT, .time = frame };

  if (dot == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the query \"%s\" must have the form actor.state or actor.query",
                  query);
    return false;
  }
  if (actor_world_query_by_name (&moment, owner, dot + 1, value, error))
    return true;
  g_prefix_error (error, "query: ");
  return false;
}

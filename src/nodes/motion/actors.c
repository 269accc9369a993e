/* motion/actors: objects that react to messages: states, methods, messages, queries.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-hash.h"
#include "kg-node.h"
#include "motion/actor_world.h"

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

typedef struct {
  const Actors *node;
  const KgContext *ctx;
  double until;
} Build;

static void *
actors_build (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  ActorWorld *world = actor_world_new (build->node->text, build->node->messages, build->until,
                                       (guint) build->node->max_messages, &monitor, error);

  if (world != NULL)
    *bytes = actor_world_get_bytes (world);
  return world;
}

static bool
actors_evaluate (Actors *n, const KgContext *ctx, GError **error)
{
  /* Messages after the last frame change nothing before it: the horizon is another only where somebody looks beyond. */
  Build build = { n, ctx, MAX (ctx->end, n->frame) };
  KgHash key = kg_hash_text (kg_hash_text (kg_hash_begin (KG_HASH_ACTORS, 0), n->text), n->messages);
  const GPtrArray *warnings;
  ActorWorld *world;

  key = kg_hash_uint (key, (guint64) n->max_messages);
  key = kg_hash_double (key, build.until);
  world = (ActorWorld *) kg_context_memo (ctx, key, actors_build, &build, (GDestroyNotify) actor_world_free, error);
  if (world == NULL)
    return false;
  warnings = actor_world_get_warnings (world);
  for (guint i = 0; i < MIN (warnings->len, 8); i++)
    kg_context_warn (ctx, "%s", (const char *) g_ptr_array_index (warnings, i));
  n->motion = kg_motion_ref (actor_world_get_motion (world));
  n->delivered = actor_world_get_n_delivered (world);
  n->log = g_strdup (actor_world_get_log (world));
  return actor_world_make_geometry (world, n->frame, &n->geometry, error) &&
         (n->query[0] == '\0' || actor_world_query (world, n->query, n->frame, &n->answer, error));
}

static const KgSlot actors_slots[] = {
  KG_INPUT (
      Actors, text, TEXT, .label = N_ ("Actors"), .multiline = true,
      .def_text = "actor door\n  state turn = 0\n  on open angle time\n    change turn to angle over time with smooth\n"
                  "  end\n  query is_open = turn > 1\nend\n\nat frame 10 send door open 60 20\n",
      .manual = "actors",
      .help = N_ (
          "Actors with their states and methods, and the messages that they receive. For example, \"at frame 10 send door open 60 20\" sends the actor door the message open with two numbers. A # begins a comment.")),
  KG_INPUT (
      Actors, messages, TEXT, .label = N_ ("Messages"), .multiline = true, .manual = "actors",
      .help = N_ (
          "More lines of the same kind, such as the messages of one shot: at frame N send ACTOR METHOD ARGUMENTS.")),
  KG_INPUT (Actors, query, TEXT, .label = N_ ("Query"),
            .help = N_ ("The value to output as Answer: actor.state or actor.query.")),
  KG_INPUT (Actors, frame, NUMBER, .label = N_ ("Frame"), .driver = KG_DRIVER_FRAME, .soft_min = 1, .soft_max = 100,
            .help = N_ ("Frame at which to evaluate. Without a link it is the current frame.")),
  KG_INPUT (Actors, max_messages, INTEGER, .label = N_ ("Maximum messages"), .def = 20000, .min = 1, .max = 1000000,
            .help = N_ (
                "With more messages than this, the chain is taken to be endless, and evaluation stops with an error.")),
  KG_OUTPUT (
      Actors, geometry, GEOMETRY, .label = N_ ("Points"),
      .help = N_ (
          "One point for each actor, with its states as attributes. The states x, y and z offset its position, turn is a direction in degrees (tangent), width is a size, and r, g and b together are a colour: nodes that copy to points follow them. If only some actors have a state, it is 0 for the others, or 1 for width, r, g and b.")),
  KG_OUTPUT (
      Actors, motion, MOTION, .label = N_ ("Motion"),
      .help = N_ ("All states over time, in frames: the channel door.turn is the state turn of the actor door.")),
  KG_OUTPUT (Actors, answer, NUMBER, .label = N_ ("Answer"), .help = N_ ("Answer to the query at this frame.")),
  KG_OUTPUT (Actors, log, TEXT, .label = N_ ("Messages delivered"),
             .help = N_ ("One per line: the frame, the actor, the method and its arguments.")),
  KG_OUTPUT (Actors, delivered, INTEGER, .label = N_ ("Number of messages"),
             .help = N_ ("Number of messages that were delivered.")),
};

KG_NODE (
    motion, actors, Actors, .label = N_ ("Actors"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .reads_end = true,
    .tags = N_ ("actor message behaviour object state query method event script language asas crowd"),
    .formula = "state(t) = all messages with time ≤ t applied in order of time, then as listed\n"
               "change x to y over d: x(t) = x₀ + (y − x₀) · ease((t − t₀)/d)",
    .source = "Reynolds, Computer Animation with Scripts and Actors, 1982 (ASAS); Parent, Computer Animation, 3.6.4",
    .help = N_ (
        "Animates objects that react to messages. An actor has states, and its methods say what each message does to them; messages come from the script at given frames or from other actors, so that a row of lamps can pass a flash on, or a door can switch on the light in the room."));

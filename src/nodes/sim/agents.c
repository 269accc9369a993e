/* sim/agents: characters that sense, remember, want, plan and move by themselves.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_world.h"
#include "kg-node.h"
#include "kg-suggest.h"

typedef struct {
  const KgGeometry *agents;
  const KgGeometry *things;
  const char *program;
  const char *orders;
  double dial1;
  double dial2;
  double dial3;
  double dial4;
  int sense;
  double sight_radius;
  double sight_fov;
  double reach;
  double memory;
  int64_t memory_limit;
  bool rules_once;
  int64_t max_rules;
  int64_t max_states;
  double hysteresis;
  double autonomy;
  int movement;
  int negotiation;
  KgList forces;
  bool weigh;
  double max_speed;
  double min_speed;
  double max_acceleration;
  double max_turn;
  double response_time;
  double slow_radius;
  double body_radius;
  double look_ahead;
  bool collide;
  double stride;
  const KgGeometry *obstacles;
  const KgGeometry *ground;
  double max_slope;
  double route_cell;
  const KgGeometry *paths;
  double drive_acceleration;
  double drive_braking;
  double drive_headway;
  double drive_gap;
  KgVector scent_centre;
  KgVector scent_size;
  double scent_cell;
  int64_t seed;
  KgGeometry *state;
  KgGeometry *things_state;
  KgGeometry *scents_state;
  KgGeometry *rules_state;
  KgGeometry *geometry;
  KgGeometry *things_now;
  KgGeometry *attention;
  KgGeometry *scents;
  KgGeometry *rules;
  char *log;
  int64_t count;
  int64_t lost;
} Agents;

static const KgChoice agents_senses[] = {
  [SENSE_ALL] = { "all", N_ ("Know everything") },
  [SENSE_TOUCH] = { "touch", N_ ("Touch") },
  [SENSE_SIGHT] = { "sight", N_ ("Sight and touch") },
  [SENSE_RENDERED] = { "rendered", N_ ("Sight of what covers pixels, and touch") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (agents_senses, SENSE_N);

static const KgChoice agents_movements[] = {
  [AGENT_WALKS] = { "walk", N_ ("Walk or drive") },
  [AGENT_FLIES] = { "fly", N_ ("Fly or swim") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (agents_movements, AGENT_N_MOVEMENTS);

static const KgChoice agents_negotiations[] = {
  [AGENT_MERGES_SUM] = { "sum", N_ ("Sum, no faster than the fastest") },
  [AGENT_MERGES_AVERAGE] = { "average", N_ ("Mean, by value") },
  [AGENT_MERGES_PRIORITY] = { "priority", N_ ("Shares of a budget, by priority") },
  [AGENT_MERGES_ACCELERATION] = { "acceleration", N_ ("Accelerations, by priority") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (agents_negotiations, AGENT_N_MERGES);

/* What the inputs are read into, once as long as they are the same. */

typedef struct {
  const Agents *n;
  const KgContext *ctx;
  const KgGeometry *geometry;
  const TriangleMesh *obstacles, *ground;
  KgVector low, high; /* of the grid */
} Build;

static void *
agents_build_program (gpointer data, size_t *bytes, GError **error)
{
  const Agents *n = ((const Build *) data)->n;
  const guint count = kg_geometry_get_n_attributes (n->agents, KG_POINTS);
  g_autofree const char **names = g_new0 (const char *, count + 1);
  AgentProgram *program;
  guint found = 0;

  for (guint i = 0; i < count; i++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (n->agents, KG_POINTS, i, &attribute);
    if (attribute.size == 1 && attribute.scalar != KG_STRING)
      names[found++] = attribute.name;
  }
  program = agent_program_new (n->program, n->orders, names, error);
  if (program != NULL)
    *bytes = agent_program_get_bytes (program);
  return program;
}

static const AgentProgram *
agents_get_program (const Agents *n, const KgContext *ctx, GError **error)
{
  KgHash key =
      kg_hash_text (kg_hash_text (kg_context_get_fingerprint (ctx, offsetof (Agents, program)), "agents"), n->program);
  Build build = { .n = n, .ctx = ctx };

  key = kg_hash_text (key, n->orders);
  for (guint i = 0; i < kg_geometry_get_n_attributes (n->agents, KG_POINTS); i++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (n->agents, KG_POINTS, i, &attribute);
    key = kg_hash_uint (kg_hash_text (key, attribute.name), attribute.size | (guint64) attribute.scalar << 8);
  }
  return (const AgentProgram *) kg_context_memo (ctx, key, agents_build_program, &build,
                                                 (GDestroyNotify) agent_program_free, error);
}

static void *
agents_build_mesh (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  TriangleMesh *mesh = triangle_mesh_new (build->geometry, &monitor, error);

  if (mesh != NULL)
    *bytes = sizeof *mesh + mesh->n * 100;
  return mesh;
}

static bool
agents_get_mesh (const Agents *n, const KgContext *ctx, const KgGeometry *geometry, const TriangleMesh **mesh,
                 GError **error)
{
  Build build = { .n = n, .ctx = ctx, .geometry = geometry };

  *mesh = NULL;
  if (geometry == NULL || kg_geometry_get_n_primitives (geometry) == 0)
    return true;
  *mesh =
      (const TriangleMesh *) kg_context_memo (ctx, kg_hash_text (kg_geometry_get_fingerprint (geometry), "agents mesh"),
                                              agents_build_mesh, &build, (GDestroyNotify) triangle_mesh_free, error);
  return *mesh != NULL;
}

static void
agents_free_paths (gpointer data)
{
  steering_paths_clear ((SteeringPaths *) data);
  g_free (data);
}

static void *
agents_build_paths (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  SteeringPaths *paths = g_new0 (SteeringPaths, 1);

  if (!steering_paths_read (paths, build->geometry, &monitor, error)) {
    agents_free_paths (paths);
    return NULL;
  }
  *bytes = sizeof *paths;
  for (guint i = 0; i < paths->n; i++)
    *bytes += paths->paths[i].n * (sizeof (KgVector) + sizeof (double));
  return paths;
}

static bool
agents_goes (const AgentProgram *program)
{
  for (guint i = 0; i < program->motors->len; i++)
    if (g_array_index (program->motors, AgentMotor, i).kind == MOTOR_GOTO)
      return true;
  return false;
}

/* Over the ground; without one over obstacles, things and the places where agents started, in large steps, so that things may
 * move without a new grid. */
static void
agents_bound (const Agents *n, const AgentWorld *world, KgVector *low, KgVector *high)
{
  const KgGeometry *over[] = { n->obstacles, n->things };
  const float *home = kg_geometry_get_float (n->state, KG_POINTS, "home", 3);
  const double step = 8 * n->route_cell;
  double y = INFINITY;

  *low = kg_vector (INFINITY, 0, INFINITY);
  *high = kg_vector (-INFINITY, 0, -INFINITY);
  for (guint k = 0; k < G_N_ELEMENTS (over); k++) {
    KgVector a, b;

    if (over[k] == NULL || !kg_geometry_get_bounds (over[k], &a, &b))
      continue;
    *low = kg_vector (fmin (low->x, a.x), 0, fmin (low->z, a.z));
    *high = kg_vector (fmax (high->x, b.x), 0, fmax (high->z, b.z));
  }
  for (size_t i = 0; i < kg_geometry_get_n_points (n->state); i++) {
    const double x = (double) home[3 * i], z = (double) home[3 * i + 2];

    y = fmin (y, (double) home[3 * i + 1]);
    *low = kg_vector (fmin (low->x, x), 0, fmin (low->z, z));
    *high = kg_vector (fmax (high->x, x), 0, fmax (high->z, z));
  }
  if (world->ground != NULL)
    kg_geometry_get_bounds (n->ground, low, high);
  else {
    *low = kg_vector (step * floor (low->x / step - 1), 0, step * floor (low->z / step - 1));
    *high = kg_vector (step * ceil (high->x / step + 1), 0, step * ceil (high->z / step + 1));
  }
  low->y = isfinite (y) ? y : 0;
}

static void *
agents_build_grid (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const Agents *n = build->n;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  g_autoptr (RouteGrid) grid = route_grid_new (build->low, build->high, n->route_cell, error);

  if (grid == NULL)
    return NULL;
  if ((build->ground != NULL && !route_grid_add_ground (grid, build->ground, n->max_slope, &monitor)) ||
      (build->obstacles != NULL &&
       !route_grid_add_obstacles (grid, build->obstacles, n->body_radius, n->body_radius, &monitor)))
    return NULL;
  *bytes = route_grid_get_bytes (grid);
  return g_steal_pointer (&grid);
}

static bool
agents_get_grid (const Agents *n, const KgContext *ctx, AgentWorld *world, GError **error)
{
  Build build = { .n = n, .ctx = ctx, .obstacles = world->obstacles, .ground = world->ground };
  KgHash key = kg_hash_text (kg_context_get_fingerprint (ctx, offsetof (Agents, obstacles)), "agents grid");

  if (!agents_goes (world->program) || (world->obstacles == NULL && world->ground == NULL) ||
      kg_geometry_get_n_points (n->state) == 0)
    return true;
  agents_bound (n, world, &build.low, &build.high);
  {
    const double numbers[] = { n->route_cell, n->max_slope, n->body_radius, build.low.x,
                               build.low.y,   build.low.z,  build.high.x,   build.high.z };

    key = kg_hash_doubles (key, numbers, G_N_ELEMENTS (numbers));
  }
  if (world->ground != NULL)
    key = kg_hash_join (key, kg_geometry_get_fingerprint (n->ground));
  if (world->obstacles != NULL)
    key = kg_hash_join (key, kg_geometry_get_fingerprint (n->obstacles));
  world->grid = (const RouteGrid *) kg_context_memo (ctx, key, agents_build_grid, &build,
                                                     (GDestroyNotify) route_grid_free, error);
  return world->grid != NULL;
}

static bool
agents_get_world (const Agents *n, const KgContext *ctx, double dt, AgentWorld *world, GError **error)
{
  *world = (AgentWorld){
    .settings = { .movement = (AgentMovement) n->movement,
                  .merge = (AgentMerge) n->negotiation,
                  .limits = { n->response_time, n->max_speed, n->min_speed, n->max_acceleration, n->max_turn },
                  .driver = { n->drive_acceleration, n->drive_braking, n->drive_headway, n->drive_gap },
                  .body_radius = n->body_radius,
                  .reach = n->reach,
                  .slow_radius = n->slow_radius,
                  .look_ahead = n->look_ahead,
                  .collide = n->collide,
                  .sense = (AgentSense) n->sense,
                  .sight_radius = n->sight_radius,
                  .sight_fov = n->sight_fov,
                  .memory = n->memory,
                  .memory_limit = (guint) n->memory_limit,
                  .hysteresis = n->hysteresis,
                  .stride = n->stride,
                  .max_rules = (guint) n->max_rules,
                  .max_states = (guint) n->max_states,
                  .rules_once = n->rules_once,
                  .autonomy = n->autonomy,
                  .dials = { n->dial1, n->dial2, n->dial3, n->dial4 },
                  .seed = (uint64_t) n->seed,
                  .scent_centre = n->scent_centre,
                  .scent_size = n->scent_size,
                  .scent_cell = n->scent_cell },
    .agents = n->agents,
    .things = n->things,
    .weigh = n->weigh,
    .time = ctx->time,
    .frame = ctx->frame,
    .dt = dt
  };
  world->program = agents_get_program (n, ctx, error);
  return world->program != NULL;
}

static bool
agents_start (Agents *n, const KgContext *ctx, GError **error)
{
  AgentState state = { NULL, NULL, NULL, NULL };
  AgentWorld world;
  bool good = agents_get_world (n, ctx, 0, &world, error);

  if (!good)
    return false;
  good = agent_world_start (&world, &state, error);
  n->state = state.agents;
  n->things_state = state.things;
  n->scents_state = state.scents;
  n->rules_state = state.rules;
  return good;
}

/* force: (out) (transfer full) (nullable) */
static bool
agents_add_forces (const Agents *n, KgField **force, GError **error)
{
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));

  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  return n->forces.n == 0 || (*force = kg_field_new_sum (fields, n->forces.n, error)) != NULL;
}

static bool
agents_advance (Agents *n, const KgContext *ctx, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  AgentState state = { n->state, n->things_state, n->scents_state, n->rules_state };
  Build paths = { .n = n, .ctx = ctx, .geometry = n->paths };
  GError *warning = NULL;
  g_autoptr (KgField) force = NULL;
  AgentWorld world;
  bool good;

  if (!agents_get_world (n, ctx, dt, &world, error) ||
      !agents_get_mesh (n, ctx, n->obstacles, &world.obstacles, error) ||
      !agents_get_mesh (n, ctx, n->ground, &world.ground, error) || !agents_get_grid (n, ctx, &world, error))
    return false;
  if (n->paths != NULL && (world.paths = (const SteeringPaths *) kg_context_memo (
                               ctx, kg_hash_text (kg_geometry_get_fingerprint (n->paths), "agents paths"),
                               agents_build_paths, &paths, agents_free_paths, error)) == NULL)
    return false;
  if (!agents_add_forces (n, &force, error))
    return false;
  world.force = force;
  good = agent_world_step (&world, &state, &warning, &monitor, error);
  n->state = state.agents;
  n->things_state = state.things;
  n->scents_state = state.scents;
  n->rules_state = state.rules;
  kg_context_take_warning (ctx, warning);
  return good;
}

/* Orders for agents that are not there, and kinds that nothing is of. */
static void
agents_warn_missing (const Agents *n, const KgContext *ctx, const AgentProgram *program)
{
  const int64_t count = (int64_t) kg_geometry_get_n_points (n->agents);
  const char *kind;

  for (guint i = 0; i < program->orders->len + program->behaviours->len; i++) {
    const bool sets = i < program->orders->len;
    const AgentOrder *order = sets ? &g_array_index (program->orders, AgentOrder, i) : NULL;
    const AgentBehaviour *behaviour =
        sets ? NULL : &g_array_index (program->behaviours, AgentBehaviour, i - program->orders->len);
    const int64_t agent = sets ? order->agent : behaviour->agent;

    if (agent >= count && count > 0) {
      kg_context_warn (ctx, "orders, line %u: there is no agent %d: give the order to one of 0 to %d, or to all",
                       sets ? order->line : behaviour->line, (int) agent, (int) count - 1);
      return;
    }
  }
  kind = count > 0 ? agent_world_find_missing_kind (program, n->agents, n->things) : NULL;
  if (kind != NULL)
    kg_context_warn (
        ctx,
        "the program refers to the kind %s, but no thing or agent is of that kind: link things with this kind "
        "attribute, or correct the name",
        kind);
}

/* A fact that an order sets and that nothing reads is a misspelt one. */
static void
agents_warn_unread (const KgContext *ctx, const AgentProgram *program)
{
  guint64 reads = 0;

  for (guint i = 0; i < program->expressions->len; i++)
    reads |= g_array_index (program->expressions, AgentExpression, i).reads;
  for (guint i = 0; i < program->orders->len; i++) {
    const AgentOrder *order = &g_array_index (program->orders, AgentOrder, i);
    const char *name;
    g_autofree char *hint = NULL;
    KgSuggestion suggestion;

    if (order->fact < (int) program->n_declared || (reads >> order->fact & 1) != 0)
      continue;
    name = g_array_index (program->facts, AgentFact, order->fact).name;
    suggestion = kg_suggestion_begin (name);
    for (guint f = 0; f < program->n_declared; f++)
      kg_suggestion_add (&suggestion, g_array_index (program->facts, AgentFact, f).name);
    hint = kg_suggestion_end (&suggestion);
    if (hint[0] != '\0')
      kg_context_warn (ctx, "orders, line %u: the program does not mention %s%s", order->line, name, hint);
    else
      kg_context_warn (
          ctx, "orders, line %u: the program does not mention %s: correct the name, or add the line \"trait %s = 0\"",
          order->line, name, name);
  }
}

static void
agents_warn (const Agents *n, const KgContext *ctx, const AgentProgram *program)
{
  agents_warn_missing (n, ctx, program);
  agents_warn_unread (ctx, program);
  for (guint i = 0; i < program->motors->len; i++) {
    const AgentMotorKind kind = g_array_index (program->motors, AgentMotor, i).kind;

    if ((kind == MOTOR_FOLLOW || kind == MOTOR_DRIVE) &&
        (n->paths == NULL || kg_geometry_get_n_primitives (n->paths) == 0)) {
      kg_context_warn (ctx, "the program follows paths, but there are none: link curves to paths");
      return;
    }
  }
}

static bool
agents_evaluate (Agents *n, const KgContext *ctx, GError **error)
{
  const AgentState state = { n->state, n->things_state, n->scents_state, n->rules_state };
  const AgentProgram *program = agents_get_program (n, ctx, error);
  const int32_t *lost;

  if (program == NULL)
    return false;
  agents_warn (n, ctx, program);
  n->geometry = agent_world_show (program, &state, n->agents);
  n->things_now = agent_world_show_things (n->things, &state);
  n->scents = agent_world_show_scents (program, &state);
  n->rules = kg_geometry_ref (n->rules_state);
  n->log = agent_world_log (program, &state, ctx->frame);
  n->count = (int64_t) kg_geometry_get_n_points (n->geometry);
  lost = kg_geometry_get_int (n->geometry, KG_POINTS, "lost", 1);
  for (int64_t i = 0; i < n->count; i++)
    n->lost += lost[i] != 0;
  return agent_world_show_targets (&state, n->things, &n->attention, error);
}

static const KgSlot agents_slots[] = {
  KG_INPUT (
      Agents, agents, GEOMETRY, .label = N_ ("Agents"),
      .help = N_ ("A point for each agent, where it starts. Attributes that are read: v, orient, N or tangent (the "
                  "heading), kind (a text), "
                  "width, loudness; and any number that the program names, in each frame.")),
  KG_INPUT (
      Agents, things, GEOMETRY, .label = N_ ("Things"), .optional = true,
      .help = N_ ("Points that agents sense, go to, take and eat: food, dangers, exits. Attributes: kind (a text; else "
                  "\"thing\"), width, loudness, amount (what can be eaten), v. They may move.")),
  KG_INPUT (
      Agents, program, TEXT, .label = N_ ("Program"), .multiline = true,
      .def_text = "urge hunger start 0.3 rate 0.02\n"
                  "emotion fear decay 3\n"
                  "rule if sees(dog) and distance(dog) < 8 then fear = 1\n"
                  "behaviour flee class imperative when fear > 0.3 do flee remembered dog\n"
                  "behaviour eat value hunger when sees(grass) do arrive nearest grass and eat nearest grass at 0.2 "
                  "satisfies hunger 0.25\n"
                  "behaviour graze value 0.1 do wander with speed 0.4\n"
                  "behaviour hurry class suggestion value fear with speed 1 + fear\n",
      .manual = "agents",
      .help = N_ (
          "What agents feel, know and do: one statement per line. For example, \"behaviour flee when sees(dog) do flee nearest dog\" lets agents run away from dogs. A # begins a comment.")),
  KG_INPUT (
      Agents, orders, TEXT, .label = N_ ("Orders"), .multiline = true, .def_text = "", .manual = "agents",
      .help = N_ (
          "Orders for agents, one per line. For example, \"at 48 agent 0 do wait for 24\" stops the first agent at frame 48, for 24 frames. Orders come before imperatives.")),
  KG_INPUT (Agents, dial1, NUMBER, .label = N_ ("Dial 1"), .soft_max = 1,
            .help = N_ ("Expressions of the program read it as dial1: key it or link it to direct agents.")),
  KG_INPUT (Agents, dial2, NUMBER, .label = N_ ("Dial 2"), .soft_max = 1,
            .help = N_ ("Expressions of the program read it as dial2.")),
  KG_INPUT (Agents, dial3, NUMBER, .label = N_ ("Dial 3"), .soft_max = 1,
            .help = N_ ("Expressions of the program read it as dial3.")),
  KG_INPUT (Agents, dial4, NUMBER, .label = N_ ("Dial 4"), .soft_max = 1,
            .help = N_ ("Expressions of the program read it as dial4.")),
  KG_INPUT (Agents, sense, CHOICE, .label = N_ ("Senses"), .choices = agents_senses, .group = N_ ("Senses"),
            .help = N_ ("What agents know of the world, if the program has no statement sense.")),
  KG_INPUT (Agents, sight_radius, NUMBER, .label = N_ ("Sight radius"), .unit = KG_METRES, .def = 12, .min = 0,
            .max = 1e6, .soft_max = 50, .group = N_ ("Senses"), .help = N_ ("How far agents see.")),
  KG_INPUT (Agents, sight_fov, NUMBER, .label = N_ ("Field of view"), .unit = KG_DEGREES, .def = 200, .min = 0,
            .max = 360, .group = N_ ("Senses"), .help = N_ ("Angle that agents see, centred on their heading.")),
  KG_INPUT (Agents, reach, NUMBER, .label = N_ ("Reach"), .unit = KG_METRES, .def = 0.2, .min = 0, .max = 1000,
            .soft_max = 2, .group = N_ ("Senses"),
            .help = N_ ("Gap at which an agent touches, takes or eats a thing, or has arrived at it.")),
  KG_INPUT (Agents, memory, NUMBER, .label = N_ ("Memory"), .unit = KG_SECONDS, .def = 5, .min = 0, .max = 1e6,
            .soft_max = 30, .group = N_ ("Senses"),
            .help = N_ ("How long agents remember what they have seen, if the program does not specify it.")),
  KG_INPUT (Agents, memory_limit, INTEGER, .label = N_ ("Things remembered"), .def = 8, .min = 1, .max = AGENT_MEMORY,
            .group = N_ ("Senses"),
            .help = N_ ("Largest number of things that an agent remembers. To remember one more, the agent forgets "
                        "the one that it has not seen for longest.")),
  KG_INPUT (
      Agents, rules_once, BOOLEAN, .label = N_ ("One rule per step"), .group = N_ ("Decisions"),
      .help = N_ (
          "Each agent fires one rule in a step, instead of all that follow from each other. A rule that has fired gives the others their turn. It fires again after its condition was false, or after a rule changed a fact that it reads.")),
  KG_INPUT (Agents, max_rules, INTEGER, .label = N_ ("Rule limit"), .def = 1000, .min = 1, .max = 1000000,
            .soft_max = 1000, .group = N_ ("Decisions"),
            .help = N_ ("Number of firings after which rules that keep making each other fire are reported as an "
                        "error.")),
  KG_INPUT (Agents, max_states, INTEGER, .label = N_ ("Plan limit"), .def = 10000, .min = 1, .max = 1000000,
            .soft_max = 10000, .group = N_ ("Decisions"),
            .help = N_ ("Number of states of the world that the search for a plan visits at most.")),
  KG_INPUT (Agents, hysteresis, NUMBER, .label = N_ ("Persistence"), .def = 0.1, .min = 0, .max = 1000, .soft_max = 1,
            .group = N_ ("Decisions"),
            .help = N_ ("Added to the value of the behaviour that is active, so that agents do not dither.")),
  KG_INPUT (Agents, autonomy, NUMBER, .label = N_ ("Autonomy"), .unit = KG_PERCENT, .def = 1, .min = 0, .max = 1,
            .group = N_ ("Decisions"),
            .help = N_ ("0: agents are at their positions in the input; 1: they move by themselves.")),
  KG_INPUT (Agents, movement, CHOICE, .label = N_ ("Movement"), .choices = agents_movements, .group = N_ ("Body"),
            .help = N_ ("Walkers stay on the ground, or at their height; fliers move in space and bank in turns.")),
  KG_INPUT (
      Agents, negotiation, CHOICE, .label = N_ ("Negotiation"), .choices = agents_negotiations, .group = N_ ("Body"),
      .help =
          N_ ("How the movements requested by behaviours of several sets are combined; those that contradict the first "
              "one are left out. By priority, each takes a share as large as its value (imperatives take all) until "
              "nothing is left; accelerations are allocated until the greatest one is reached.")),
  KG_INPUTS (Agents, forces, FIELD, .label = N_ ("Forces"), .optional = true, .group = N_ ("Body"),
             .help = N_ ("Forces that act on agents in addition to what they do themselves, such as wind. They do "
                         "not lift walkers.")),
  KG_INPUT (Agents, weigh, BOOLEAN, .label = N_ ("Divide by mass"), .group = N_ ("Body"),
            .help = N_ ("Divides the forces by the mass. Otherwise forces are accelerations, like gravity.")),
  KG_INPUT (Agents, max_speed, NUMBER, .label = N_ ("Speed"), .unit = KG_METRES_PER_SECOND, .def = 3, .min = 0,
            .max = 1e4, .soft_max = 20, .group = N_ ("Body"),
            .help = N_ ("Speed of all motors, which behaviours and suggestions multiply.")),
  KG_INPUT (Agents, min_speed, NUMBER, .label = N_ ("Least speed"), .unit = KG_METRES_PER_SECOND, .min = 0, .max = 1e4,
            .soft_max = 10, .group = N_ ("Body"), .help = N_ ("Smallest speed of an agent while it moves.")),
  KG_INPUT (Agents, max_acceleration, NUMBER, .label = N_ ("Acceleration"), .unit = KG_METRES_PER_SECOND2, .def = 8,
            .min = 0, .max = 1e5, .soft_max = 50, .group = N_ ("Body"), .help = N_ ("Greatest acceleration.")),
  KG_INPUT (Agents, max_turn, NUMBER, .label = N_ ("Turn per second"), .unit = KG_DEGREES, .def = 360, .min = 0,
            .max = 1e5, .soft_max = 720, .group = N_ ("Body"), .help = N_ ("Fastest change of the heading.")),
  KG_INPUT (Agents, response_time, NUMBER, .label = N_ ("Response time"), .unit = KG_SECONDS, .def = 0.3, .min = 0.001,
            .max = 100, .soft_max = 2, .group = N_ ("Body"),
            .help = N_ ("Time in which the velocity approaches the desired one.")),
  KG_INPUT (Agents, slow_radius, NUMBER, .label = N_ ("Slow within"), .unit = KG_METRES, .def = 1.5, .min = 0,
            .max = 1e4, .soft_max = 10, .group = N_ ("Body"),
            .help = N_ ("Distance of a target from which arrive slows down.")),
  KG_INPUT (Agents, body_radius, NUMBER, .label = N_ ("Body radius"), .unit = KG_METRES, .def = 0.3, .min = 0,
            .max = 1e4, .soft_max = 2, .group = N_ ("Body"),
            .help = N_ ("Radius of a body; half of the attribute width comes first.")),
  KG_INPUT (Agents, look_ahead, NUMBER, .label = N_ ("Look ahead"), .unit = KG_SECONDS, .def = 1, .min = 0, .max = 100,
            .soft_max = 5, .group = N_ ("Body"),
            .help = N_ (
                "Agents steer round others and walls that they would collide with within this time; 0: they do not.")),
  KG_INPUT (Agents, collide, BOOLEAN, .label = N_ ("Keep bodies apart"), .def = 1, .group = N_ ("Body"),
            .help = N_ ("Bodies that overlap push each other apart.")),
  KG_INPUT (Agents, stride, NUMBER, .label = N_ ("Stride"), .unit = KG_METRES, .def = 1.4, .min = 0.001, .max = 1e4,
            .soft_max = 5, .group = N_ ("Body"),
            .help = N_ ("Distance over which the attribute phase goes from 0 to 1: one cycle of a walk.")),
  KG_INPUT (Agents, obstacles, GEOMETRY, .label = N_ ("Obstacles"), .optional = true, .group = N_ ("World"),
            .help = N_ ("Meshes that agents can neither pass nor see through.")),
  KG_INPUT (Agents, ground, GEOMETRY, .label = N_ ("Ground"), .optional = true, .group = N_ ("World"),
            .help = N_ ("Mesh on which walkers stand.")),
  KG_INPUT (Agents, max_slope, NUMBER, .label = N_ ("Steepest slope"), .unit = KG_DEGREES, .def = 40, .min = 0,
            .max = 89, .group = N_ ("World"), .help = N_ ("Routes of goto do not climb steeper ground.")),
  KG_INPUT (Agents, route_cell, NUMBER, .label = N_ ("Route cell"), .unit = KG_METRES, .def = 0.5, .min = 0.01,
            .max = 1e4, .soft_max = 5, .group = N_ ("World"),
            .help = N_ ("Size of the cells on which goto searches for a route round obstacles.")),
  KG_INPUT (Agents, paths, GEOMETRY, .label = N_ ("Paths"), .optional = true, .group = N_ ("World"),
            .help = N_ ("Curves for the motors follow and drive, which refer to them by index, from 0.")),
  KG_INPUT (Agents, drive_acceleration, NUMBER, .label = N_ ("Driver's acceleration"), .unit = KG_METRES_PER_SECOND2,
            .def = 1.5, .min = 0.01, .max = 1000, .soft_max = 10, .group = N_ ("Traffic"),
            .help = N_ ("Acceleration of the motor drive, which keeps a gap to the agent ahead on the same path.")),
  KG_INPUT (Agents, drive_braking, NUMBER, .label = N_ ("Driver's braking"), .unit = KG_METRES_PER_SECOND2, .def = 3,
            .min = 0.01, .max = 1000, .soft_max = 10, .group = N_ ("Traffic"),
            .help = N_ ("Comfortable deceleration.")),
  KG_INPUT (Agents, drive_headway, NUMBER, .label = N_ ("Headway"), .unit = KG_SECONDS, .def = 1.5, .min = 0,
            .max = 100, .soft_max = 5, .group = N_ ("Traffic"), .help = N_ ("Time gap to the agent ahead.")),
  KG_INPUT (Agents, drive_gap, NUMBER, .label = N_ ("Least gap"), .unit = KG_METRES, .def = 2, .min = 0, .max = 1000,
            .soft_max = 10, .group = N_ ("Traffic"), .help = N_ ("Gap to the agent ahead when both stand still.")),
  KG_INPUT (Agents, scent_centre, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .group = N_ ("Scents"),
            .help = N_ ("Centre of the rectangle in which scents of the program are kept.")),
  KG_INPUT (Agents, scent_size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES, .def_v = { 20, 0, 20 },
            .handle = { KG_HANDLE_SIZE, .anchor = "scent_centre" }, .group = N_ ("Scents"),
            .help = N_ ("Size, along x and z, of the rectangle in which scents are kept.")),
  KG_INPUT (Agents, scent_cell, NUMBER, .label = N_ ("Cell"), .unit = KG_METRES, .def = 0.25, .min = 0.001, .max = 1e4,
            .soft_max = 2, .group = N_ ("Scents"), .help = N_ ("Size of the cells in which scents are kept.")),
  KG_INPUT (Agents, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives a different random result.")),
  KG_STATE (Agents, state, GEOMETRY, .keeps = AGENT_STATE_KEEPS),
  KG_STATE (Agents, things_state, GEOMETRY, .keeps = AGENT_THINGS_KEEPS),
  KG_STATE (Agents, scents_state, GEOMETRY, .keeps = ""),
  KG_STATE (Agents, rules_state, GEOMETRY, .keeps = AGENT_RULES_KEEPS),
  KG_OUTPUT (
      Agents, geometry, GEOMETRY, .label = N_ ("Agents"),
      .help = N_ ("The agents that have not left, with orient, v, speed, bank, phase and clip for bodies; doing, "
                  "motor, action and state_name in words; all facts, a want_NAME for the value of each behaviour, "
                  "target, holds, claims, arrived, lost, gaze, and fired: the lines of the rules that fired, in "
                  "order.")),
  KG_OUTPUT (Agents, things_now, GEOMETRY, .label = N_ ("Things"),
             .help = N_ ("The remaining things at their current positions, with amount, holder and claimed.")),
  KG_OUTPUT (
      Agents, attention, GEOMETRY, .label = N_ ("Attention"),
      .help = N_ ("A line from each agent to its target, or else to where it looks, with the index of its behaviour: "
                  "draw it to see what agents want.")),
  KG_OUTPUT (Agents, scents, GEOMETRY, .label = N_ ("Scents"),
             .help = N_ ("A mesh of the cells, with an attribute for each scent, and a colour.")),
  KG_OUTPUT (
      Agents, rules, GEOMETRY, .label = N_ ("Rules"),
      .help = N_ ("A point for each rule in the order of priority, with its line, how often it has fired, and how "
                  "often in this frame: one that never fires stays at 0.")),
  KG_OUTPUT (
      Agents, log, TEXT, .label = N_ ("Log"),
      .help = N_ ("What each agent senses, decides and does in this frame, one line per agent: rules that fired, "
                  "state, strategy, plan with the current action after *, motor, target.")),
  KG_OUTPUT (Agents, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of agents that have not left.")),
  KG_OUTPUT (Agents, lost, INTEGER, .label = N_ ("Lost"),
             .help = N_ ("Number of agents that have no plan, or no route to their target.")),
};

KG_SIMULATION (
    sim, agents, Agents, .label = N_ ("Agents"), .version = 5, .since = "0.1",
    .tags = N_ ("crowd behaviour autonomous character artificial intelligence steering rules plan state machine senses "
                "memory ants cars pedestrians animals"),
    .formula = "a = (V - v) / τ;  IDM: a = A (1 - (v/v₀)⁴ - (s*/s)²), s* = s₀ + v T + v Δv / (2 √(A B))",
    .source = "Parent, Computer Animation, 4.6; Reynolds 1999; Blumberg and Galyean 1995; Fikes and Nilsson 1971",
    .help = N_ (
        "Simulates characters that decide for themselves. A program of a few lines describes what each one senses, remembers and feels, and how it chooses, plans and moves. Link the points to Copy to Points to give the agents bodies."));

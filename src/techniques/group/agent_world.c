/* agent_world: see agent_world.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_step.h"
#include "kg-floats.h"
#include "kg-random.h"

#include <string.h>

/* Purposes of random numbers. */
enum { DRAW_U = 3, DRAW_CHANCE = 4 };

#define SCENT_MAX_CELLS 1000000
#define LOG_MAX_LINES 1000
/* Brightness where nothing is smelt. */
#define SCENT_GROUND 0.03f

static char *
name_want (const AgentBehaviour *behaviour, guint index)
{
  /* Orders and states have no names of their own. */
  return behaviour->state >= 0 || behaviour->klass == CLASS_ORDER ? g_strdup_printf ("want_%u", index)
                                                                  : g_strconcat ("want_", behaviour->name, NULL);
}

/* Views of all that is kept; what the file of a state may lack is made. */
static void
open_state (AgentStep *s)
{
  static const char *const velocities[] = { "memory_vx", "memory_vy", "memory_vz" };
  KgGeometry *g = s->state->agents, *t = s->state->things;
  const AgentProgram *program = s->program;

  s->p = kg_geometry_edit_positions (g);
  s->v = kg_geometry_edit_float (g, KG_POINTS, "v", 3);
  s->own = kg_geometry_edit_float (g, KG_POINTS, "own_place", 3);
  s->orient = kg_geometry_edit_float (g, KG_POINTS, "orient", 4);
  s->home = kg_geometry_edit_float (g, KG_POINTS, "home", 3);
  s->wander = kg_geometry_edit_float (g, KG_POINTS, "wander", 2);
  s->speed = kg_geometry_edit_float (g, KG_POINTS, "speed", 1);
  s->bank = kg_geometry_edit_float (g, KG_POINTS, "bank", 1);
  s->since = kg_geometry_edit_float (g, KG_POINTS, "since", 1);
  s->phase = kg_geometry_edit_float (g, KG_POINTS, "phase", 1);
  s->gaze = kg_geometry_edit_float (g, KG_POINTS, "gaze", 3);
  s->plan_since = kg_geometry_edit_float (g, KG_POINTS, "plan_since", 1);
  s->state_of = kg_geometry_edit_int (g, KG_POINTS, "state", 1);
  s->behaviours = kg_geometry_edit_int (g, KG_POINTS, "behaviours", 4);
  s->target = kg_geometry_edit_int (g, KG_POINTS, "target", 1);
  s->arrived = kg_geometry_edit_int (g, KG_POINTS, "arrived", 1);
  s->lost = kg_geometry_edit_int (g, KG_POINTS, "lost", 1);
  s->holds = kg_geometry_edit_int (g, KG_POINTS, "holds", 1);
  s->claims = kg_geometry_edit_int (g, KG_POINTS, "claims", 1);
  s->gone = kg_geometry_edit_int (g, KG_POINTS, "gone", 1);
  s->clip = kg_geometry_edit_int (g, KG_POINTS, "clip", 1);
  s->plan = kg_geometry_edit_int (g, KG_POINTS, "plan", 16);
  s->plan_at = kg_geometry_edit_int (g, KG_POINTS, "plan_at", 4);
  s->fired = kg_geometry_edit_int (g, KG_POINTS, "fired", 16);
  if (s->world->settings.rules_once)
    s->turns = kg_geometry_edit_int (g, KG_POINTS, "past_turns", 4);
  s->facts = g_new0 (float *, program->facts->len + 1);
  for (guint f = 0; f < program->facts->len; f++)
    s->facts[f] = kg_geometry_edit_float (g, KG_POINTS, g_array_index (program->facts, AgentFact, f).name, 1);
  for (guint k = 0; k < program->states->len && s->since_outer == NULL; k++)
    if (g_array_index (program->states, AgentStateItem, k).level > 0)
      s->since_outer = kg_geometry_edit_float (g, KG_POINTS, "since_outer", AGENT_MAX_LEVELS);
  s->wants = g_new0 (float *, program->behaviours->len + 1);
  for (guint b = 0; b < program->behaviours->len; b++) {
    g_autofree char *name = name_want (&g_array_index (program->behaviours, AgentBehaviour, b), b);

    s->wants[b] = kg_geometry_edit_float (g, KG_POINTS, name, 1);
  }
  if (program->recalled != 0) {
    s->memory_of = kg_geometry_edit_int (g, KG_POINTS, "memory_of", AGENT_MEMORY);
    s->memory_time = kg_geometry_edit_float (g, KG_POINTS, "memory_time", AGENT_MEMORY);
    s->memory_p[0] = kg_geometry_edit_float (g, KG_POINTS, "memory_x", AGENT_MEMORY);
    s->memory_p[1] = kg_geometry_edit_float (g, KG_POINTS, "memory_y", AGENT_MEMORY);
    s->memory_p[2] = kg_geometry_edit_float (g, KG_POINTS, "memory_z", AGENT_MEMORY);
    for (int c = 0; c < 3 && program->extrapolate >= 0; c++)
      s->memory_v[c] = kg_geometry_edit_float (g, KG_POINTS, velocities[c], AGENT_MEMORY);
  }
  s->holder = kg_geometry_edit_int (t, KG_POINTS, "holder", 1);
  s->claimed = kg_geometry_edit_int (t, KG_POINTS, "claimed", 1);
  s->thing_gone = kg_geometry_edit_int (t, KG_POINTS, "gone", 1);
  s->placed = kg_geometry_edit_int (t, KG_POINTS, "placed", 1);
  s->amount = kg_geometry_edit_float (t, KG_POINTS, "amount", 1);
  s->moved = kg_geometry_edit_float (t, KG_POINTS, "moved", 3);
}

/* As many things as there are now; new ones are as they are given. */
static bool
match_things (KgGeometry *state, const KgGeometry *things, GError **error)
{
  const size_t before = kg_geometry_get_n_points (state), now = things != NULL ? kg_geometry_get_n_points (things) : 0;
  const float *amount = things != NULL ? kg_geometry_get_float (things, KG_POINTS, "amount", 1) : NULL;
  int32_t *holder, *claimed;
  float *amounts;

  if (before == now)
    return true;
  if (!kg_geometry_set_n_points (state, now, error))
    return false;
  holder = kg_geometry_edit_int (state, KG_POINTS, "holder", 1);
  claimed = kg_geometry_edit_int (state, KG_POINTS, "claimed", 1);
  amounts = kg_geometry_edit_float (state, KG_POINTS, "amount", 1);
  for (size_t i = before; i < now; i++) {
    holder[i] = claimed[i] = -1;
    amounts[i] = amount != NULL ? amount[i] : 1;
  }
  return true;
}

static bool
make_scents (const AgentWorld *w, KgGeometry *geometry, GError **error)
{
  const AgentSettings *settings = &w->settings;
  const double columns = fmax (ceil (settings->scent_size.x / settings->scent_cell), 1),
               rows = fmax (ceil (settings->scent_size.z / settings->scent_cell), 1);
  g_autofree uint32_t *corners = NULL;
  float *p;
  int32_t *cells;
  size_t nc, nr, count = 0;

  if (w->program->scents->len == 0)
    return true;
  if (!(columns * rows <= SCENT_MAX_CELLS)) {
    kg_set_error (error, KG_ERROR_LIMIT, "scents on %.0f×%.0f cells are more than %d: enlarge the cells", columns, rows,
                  SCENT_MAX_CELLS);
    return false;
  }
  nc = (size_t) columns;
  nr = (size_t) rows;
  if (!kg_geometry_set_n_points (geometry, nc * nr, error))
    return false;
  p = kg_geometry_edit_positions (geometry);
  corners = g_new (uint32_t, 4 * nc * nr);
  for (size_t j = 0; j < nr; j++)
    for (size_t i = 0; i < nc; i++) {
      const uint32_t at = (uint32_t) (j * nc + i);

      p[3 * at] = (float) (settings->scent_centre.x + ((double) i + 0.5 - 0.5 * columns) * settings->scent_cell);
      p[3 * at + 1] = (float) settings->scent_centre.y;
      p[3 * at + 2] = (float) (settings->scent_centre.z + ((double) j + 0.5 - 0.5 * rows) * settings->scent_cell);
      if (i + 1 < nc && j + 1 < nr) {
        const uint32_t quad[4] = { at, at + (uint32_t) nc, at + (uint32_t) nc + 1, at + 1 };

        memcpy (corners + 4 * count++, quad, sizeof quad);
      }
    }
  if (count > 0)
    kg_geometry_add_primitives (geometry, KG_POLYGON, true, count, 4, corners);
  cells = kg_geometry_edit_int (geometry, KG_WHOLE, "cells", 2);
  cells[0] = (int32_t) nc;
  cells[1] = (int32_t) nr;
  for (guint k = 0; k < w->program->scents->len; k++)
    kg_geometry_edit_float (geometry, KG_POINTS, g_array_index (w->program->scents, AgentScent, k).name, 1);
  return true;
}

/* Columns of what all expressions may read. */
static void
fill_columns (AgentStep *s)
{
  const AgentProgram *program = s->program;
  const AgentSettings *settings = &s->world->settings;
  const guint first = agent_program_get_first_fact (program), given = agent_program_get_first_attribute (program);

  s->columns = g_new0 (double, (size_t) (agent_program_get_n_inputs (program) - AGENT_N_UNIFORM) * s->n + 1);
  s->uniform[AGENT_TIME] = s->world->time;
  s->uniform[AGENT_DT] = s->world->dt;
  memcpy (s->uniform + AGENT_DIALS, settings->dials, sizeof settings->dials);
#pragma omp parallel for schedule(static) if (s->n >= KG_PARALLEL_FROM)
  for (size_t i = 0; i < s->n; i++) {
    agent_column (s, AGENT_U)[i] = kg_random_uniform (settings->seed, i, DRAW_U);
    agent_column (s, AGENT_CHANCE)[i] = kg_random_uniform (settings->seed, i, (s->step << 8) + DRAW_CHANCE);
    for (guint c = 0; c < 3; c++) {
      agent_column (s, AGENT_P + c)[i] = (double) s->p[3 * i + c];
      agent_column (s, AGENT_V + c)[i] = (double) s->v[3 * i + c];
    }
    agent_column (s, AGENT_SPEED)[i] = (double) s->speed[i];
    agent_column (s, AGENT_SINCE)[i] = (double) s->since[i];
    agent_column (s, AGENT_ID)[i] = (double) i;
    agent_column (s, AGENT_HOLDING)[i] = s->holds[i] >= 0;
    agent_column (s, AGENT_ARRIVED)[i] = s->arrived[i];
    agent_column (s, AGENT_LOST)[i] = s->lost[i];
    for (guint f = 0; f < program->facts->len; f++)
      agent_column (s, first + f)[i] = (double) s->facts[f][i];
  }
  for (guint k = 0; k < program->attributes->len; k++) {
    const char *name = (const char *) program->attributes->pdata[k];
    const float *x = kg_geometry_get_float (s->world->agents, KG_POINTS, name, 1);
    const int32_t *whole = kg_geometry_get_int (s->world->agents, KG_POINTS, name, 1);

    for (size_t i = 0; i < s->n; i++)
      agent_column (s, given + k)[i] = x != NULL ? (double) x[i] : whole != NULL ? (double) whole[i] : 0;
  }
}

static void
keep_facts (AgentStep *s)
{
  const guint first = agent_program_get_first_fact (s->program);

  for (guint f = 0; f < s->program->facts->len; f++)
    for (size_t i = 0; i < s->n; i++)
      s->facts[f][i] = (float) kg_clamp (agent_column (s, first + f)[i], -1e30, 1e30);
}

static void
step_clear (AgentStep *s)
{
  agent_step_release (s);
  for (guint k = 0; s->amounts != NULL && k < 4 * s->program->motors->len; k++)
    g_free (s->amounts[k]);
  for (guint b = 0; s->speeds != NULL && b < s->program->behaviours->len; b++)
    g_free (s->speeds[b]);
  g_clear_pointer (&s->fields, g_hash_table_unref);
  {
    void *const blocks[] = { s->facts,        s->wants,    s->columns,      s->values,      s->factor,
                             s->next_p,       s->next_v,   s->amounts,      s->speeds,      s->lane,
                             s->lane_at,      s->lane_gap, s->lane_closing, s->wants_thing, s->wants_how,
                             s->wants_amount, s->marks,    s->ate,          s->carried,     s->smelt };

    for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
      g_free (blocks[i]);
  }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AgentStep, step_clear)

static void
set_start (AgentStep *s)
{
  const AgentWorld *w = s->world;
  const float *p = kg_geometry_get_positions (w->agents), *v = kg_geometry_get_float (w->agents, KG_POINTS, "v", 3),
              *orient = kg_geometry_get_float (w->agents, KG_POINTS, "orient", 4),
              *normal = kg_geometry_get_float (w->agents, KG_POINTS, "N", 3),
              *tangent = kg_geometry_get_float (w->agents, KG_POINTS, "tangent", 3);

  for (size_t i = 0; i < s->n; i++) {
    const double angle = 2 * KG_PI * kg_random_uniform (w->settings.seed, i, DRAW_U + 100);
    KgVector heading = kg_vector (sin (angle), 0, cos (angle));
    KgRotation q;

    memcpy (s->p + 3 * i, p + 3 * i, 3 * sizeof *p);
    memcpy (s->home + 3 * i, p + 3 * i, 3 * sizeof *p);
    memcpy (s->own + 3 * i, p + 3 * i, 3 * sizeof *p);
    if (v != NULL)
      memcpy (s->v + 3 * i, v + 3 * i, 3 * sizeof *v);
    s->speed[i] = (float) kg_vector_length (kg_floats_get_vector (s->v, i));
    if (v != NULL && kg_vector_length (kg_floats_get_vector (v, i)) > 0)
      heading = kg_floats_get_vector (v, i);
    else if (normal != NULL || tangent != NULL)
      heading = kg_floats_get_vector (normal != NULL ? normal : tangent, i);
    if (w->settings.movement == AGENT_WALKS)
      heading.y = 0;
    heading = kg_vector_normalize_or (heading, kg_vector (0, 0, 1));
    q = kg_rotation_from_axis_angle (kg_vector (0, 1, 0), atan2 (heading.x, heading.z));
    q = kg_rotation_multiply (q,
                              kg_rotation_from_axis_angle (kg_vector (1, 0, 0), -asin (kg_clamp (heading.y, -1, 1))));
    if (orient != NULL && v == NULL)
      q = kg_rotation_normalize (kg_floats_get_rotation (orient, i));
    kg_floats_set_rotation (s->orient, i, q);
    kg_floats_set_vector (s->gaze, i, heading);
    if (s->program->states->len > 0)
      s->state_of[i] = (int32_t) g_array_index (s->program->states, AgentStateItem, 0).entry;
    for (guint k = 0; k < AGENT_MAX_SETS; k++)
      s->behaviours[AGENT_MAX_SETS * i + k] = -1;
    s->target[i] = s->holds[i] = s->claims[i] = s->plan_at[4 * i] = -1;
    for (guint k = 0; k < AGENT_MEMORY && s->memory_of != NULL; k++)
      s->memory_of[AGENT_MEMORY * i + k] = -1;
  }
}

static void
set_facts (AgentStep *s)
{
  const AgentProgram *program = s->program;
  const guint first = agent_program_get_first_fact (program);
  g_autofree const double **inputs = g_new (const double *, agent_program_get_n_inputs (program));

  agent_get_inputs (s, 0, inputs);
  for (guint f = 0; f < program->facts->len; f++) {
    const AgentFact *fact = &g_array_index (program->facts, AgentFact, f);
    const float *given = kg_geometry_get_float (s->world->agents, KG_POINTS, fact->name, 1);
    g_autofree double *values = g_new (double, s->n + 1);

    agent_program_run (program, fact->start, 0, inputs, s->n, values);
    for (size_t i = 0; i < s->n; i++)
      agent_column (s, first + f)[i] = given != NULL ? (double) given[i] : values[i];
  }
  keep_facts (s);
}

bool
agent_world_start (const AgentWorld *world, AgentState *state, GError **error)
{
  g_auto (AgentStep) s = { .world = world, .program = world->program, .state = state };
  const size_t n = kg_geometry_get_n_points (world->agents);
  int32_t *lines;

  *state = (AgentState){ kg_geometry_new (), kg_geometry_new (), kg_geometry_new (), kg_geometry_new () };
  kg_geometry_edit_int (state->agents, KG_WHOLE, "step", 1);
  if (n > AGENT_MAX_AGENTS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu agents are more than %d: use fewer points", n, AGENT_MAX_AGENTS);
    return false;
  }
  if (!kg_geometry_set_n_points (state->agents, n, error) || !match_things (state->things, world->things, error) ||
      !make_scents (world, state->scents, error) ||
      !kg_geometry_set_n_points (state->rules, world->program->rules->len, error))
    return false;
  kg_geometry_edit_int (state->rules, KG_POINTS, "fired", 1);
  kg_geometry_edit_int (state->rules, KG_POINTS, "now", 1);
  lines = kg_geometry_edit_int (state->rules, KG_POINTS, "line", 1);
  for (guint r = 0; r < world->program->rules->len; r++)
    lines[r] = (int32_t) g_array_index (world->program->rules, AgentRule, r).line;
  s.n = n;
  s.m = kg_geometry_get_n_points (state->things);
  open_state (&s);
  set_start (&s);
  fill_columns (&s);
  set_facts (&s);
  return true;
}

static void
count_rules (AgentStep *s)
{
  const guint n = s->program->rules->len;
  KgGeometry *rules = s->state->rules;
  int32_t *fired, *now;
  const int32_t *lines;

  if (n == 0 || kg_geometry_get_n_points (rules) != n)
    return;
  fired = kg_geometry_edit_int (rules, KG_POINTS, "fired", 1);
  now = kg_geometry_edit_int (rules, KG_POINTS, "now", 1);
  lines = kg_geometry_get_int (rules, KG_POINTS, "line", 1);
  memset (now, 0, n * sizeof *now);
  for (size_t i = 0; i < s->n * AGENT_MAX_PLAN; i++)
    for (guint r = 0; s->fired[i] != 0 && r < n; r++)
      now[r] += lines[r] == s->fired[i];
  for (guint r = 0; r < n; r++)
    fired[r] = (int32_t) MIN ((int64_t) fired[r] + now[r], G_MAXINT32);
}

static void
take_room (AgentStep *s)
{
  const size_t n = s->n + 1, motors = s->program->motors->len, behaviours = s->program->behaviours->len;

  s->values = g_new0 (double, behaviours *n);
  s->factor = g_new (double, n);
  s->next_p = g_new (KgVector, n);
  s->carried = g_new0 (uint8_t, n);
  s->next_v = g_new (KgVector, n);
  s->amounts = g_new0 (double *, 4 * motors + 1);
  s->speeds = g_new0 (double *, behaviours + 1);
  s->lane = g_new (int32_t, n);
  s->lane_at = g_new0 (double, n);
  s->lane_gap = g_new (double, n);
  s->lane_closing = g_new0 (double, n);
  s->wants_thing = g_new (int32_t, n);
  memset (s->wants_thing, 0xff, n * sizeof *s->wants_thing);
  s->wants_how = g_new0 (uint8_t, n);
  s->wants_amount = g_new0 (double, n);
  s->marks = g_new0 (float, 4 * n);
  s->ate = g_new0 (uint8_t, n);
  s->fields = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
}

static bool
step_minds (AgentStep *s)
{
#pragma omp parallel for schedule(dynamic, 1) if (s->n > AGENT_BLOCK)
  for (size_t start = 0; start < s->n; start += AGENT_BLOCK) {
    const size_t n = MIN (AGENT_BLOCK, s->n - start);

    if (kg_progress_is_cancelled (s->monitor))
      continue;
    agent_step_sense (s, start, n);
    agent_step_feel (s, start, n);
    agent_step_reason (s, start, n);
    agent_step_choose (s, start, n);
  }
  return !kg_progress_is_cancelled (s->monitor);
}

static bool
step_bodies (AgentStep *s)
{
  if (!agent_step_find_ways (s))
    return false;
#pragma omp parallel for schedule(dynamic, 1) if (s->n > AGENT_BLOCK)
  for (size_t start = 0; start < s->n; start += AGENT_BLOCK)
    if (!kg_progress_is_cancelled (s->monitor))
      agent_step_move (s, start, MIN (AGENT_BLOCK, s->n - start));
  return !kg_progress_is_cancelled (s->monitor) && agent_step_settle (s);
}

void
agent_step_note (const AgentStep *s, AgentFault fault)
{
#pragma omp critical(agent_faults)
  {
    const AgentFault *old = s->fault;
    const bool before = fault.kind != old->kind               ? fault.kind < old->kind
                        : fault.expression != old->expression ? fault.expression < old->expression
                                                              : fault.agent < old->agent;

    if (old->kind == FAULT_NONE || before)
      *s->fault = fault;
  }
}

/* (transfer full) (nullable) */
static GError *
describe_fault (const AgentStep *s)
{
  const AgentFault *fault = s->fault;
  const bool of_expression = fault->kind >= FAULT_NUMBER && fault->kind <= FAULT_SENSE;
  const AgentExpression *at =
      of_expression ? &g_array_index (s->program->expressions, AgentExpression, fault->expression) : NULL;

  switch (fault->kind) {
  case FAULT_NUMBER:
    return kg_error_new (KG_ERROR_DEGENERATE,
                         "%s: \"%s\" is not a finite number for agent %zu, and counts as 0: guard it with if()",
                         at->where, at->text, fault->agent);
  case FAULT_SPEED:
    return kg_error_new (KG_ERROR_DEGENERATE,
                         "%s: the speed \"%s\" is %g for agent %zu, and counts as 0: keep it at 0 or more", at->where,
                         at->text, fault->value, fault->agent);
  case FAULT_THING:
    return kg_error_new (KG_ERROR_DEGENERATE,
                         "%s: thing \"%s\" is %g for agent %zu, which stays: there are %zu things, from 0", at->where,
                         at->text, fault->value, fault->agent, s->m);
  case FAULT_SENSE:
    return kg_error_new (KG_ERROR_DEGENERATE,
                         "%s: \"%s\" of a sense is %g for agent %zu, and counts as 0: keep it at 0 or more", at->where,
                         at->text, fault->value, fault->agent);
  case FAULT_COST:
    return kg_error_new (
        KG_ERROR_DEGENERATE,
        "the action %s costs %g for agent %zu, which counts as 0 and cannot show which plan is better: give it a cost "
        "above 0",
        g_array_index (s->program->actions, AgentAction, fault->expression).name, fault->value, fault->agent);
  case FAULT_FAR:
    return kg_error_new (KG_ERROR_LIMIT,
                         "agent %zu stays at (%g, %g, %g): a step would carry it beyond 10^9 m; weaken the force, or "
                         "raise its mass or the number of substeps",
                         fault->agent, (double) s->p[3 * fault->agent], (double) s->p[3 * fault->agent + 1],
                         (double) s->p[3 * fault->agent + 2]);
  default:
    return NULL;
  }
}

bool
agent_world_step (const AgentWorld *world, AgentState *state, GError **warning, const KgProgressMonitor *monitor,
                  GError **error)
{
  AgentFault fault = { FAULT_NONE, 0, 0, 0 };
  g_auto (AgentStep) s = {
    .world = world, .program = world->program, .state = state, .monitor = monitor, .fault = &fault, .warning = warning
  };
  const size_t n = kg_geometry_get_n_points (world->agents);
  int32_t *counter;

  if (kg_geometry_get_n_points (state->agents) != n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there were %zu agents and now there are %zu: keep the number of points, and use the motor "
                  "leave to remove agents",
                  kg_geometry_get_n_points (state->agents), n);
    return false;
  }
  kg_geometry_make_writable (&state->agents);
  kg_geometry_make_writable (&state->things);
  kg_geometry_make_writable (&state->scents);
  kg_geometry_make_writable (&state->rules);
  if (!match_things (state->things, world->things, error))
    return false;
  s.n = n;
  s.m = kg_geometry_get_n_points (state->things);
  counter = kg_geometry_edit_int (state->agents, KG_WHOLE, "step", 1);
  counter[0] = (counter[0] + 1) & 0x3fffffff;
  s.step = (uint64_t) counter[0];
  open_state (&s);
  fill_columns (&s);
  memset (s.lost, 0, n * sizeof *s.lost);
  take_room (&s);
  if (!agent_step_collect (&s, error) || !step_minds (&s))
    return false;
  if (s.failed_rule > 0) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "the rule of line %u fires more than %u times in a step: let its condition become false",
                  s.failed_rule, world->settings.max_rules);
    return false;
  }
  if (!agent_step_plan (&s) || !step_bodies (&s))
    return false;
  agent_step_finish_actions (&s);
  agent_step_things (&s);
  agent_step_scents (&s);
  agent_step_keep_past (&s);
  keep_facts (&s);
  count_rules (&s);
  if (*warning == NULL)
    *warning = describe_fault (&s);
  return true;
}

/* What is shown. */

/* The action of the plan that behaviour b, or an order, carries out: others let a plan rest.  (nullable) */
static const AgentAction *
find_action (const AgentProgram *program, int32_t b, const int32_t plan[16], const int32_t at[4])
{
  const int32_t action =
      (at[0] == -2 || (at[0] >= 0 && at[0] == b)) && at[2] >= 0 && at[2] < MIN (at[1], AGENT_MAX_PLAN) ? plan[at[2]]
                                                                                                       : -1;

  return action >= 0 && action < (int32_t) program->actions->len
             ? &g_array_index (program->actions, AgentAction, action)
             : NULL;
}

static void
show_texts (const AgentProgram *program, KgGeometry *g)
{
  const size_t n = kg_geometry_get_n_points (g);
  const int32_t *behaviours = kg_geometry_get_int (g, KG_POINTS, "behaviours", 4),
                *states = kg_geometry_get_int (g, KG_POINTS, "state", 1),
                *plan = kg_geometry_get_int (g, KG_POINTS, "plan", 16),
                *at = kg_geometry_get_int (g, KG_POINTS, "plan_at", 4);

  for (size_t i = 0; i < n; i++) {
    const int32_t b = behaviours[4 * i];
    const AgentBehaviour *behaviour = b >= 0 && b < (int32_t) program->behaviours->len
                                          ? &g_array_index (program->behaviours, AgentBehaviour, b)
                                          : NULL;
    const AgentAction *action = find_action (program, b, plan + 16 * i, at + 4 * i);

    kg_geometry_set_text (g, KG_POINTS, "doing", i, behaviour != NULL ? behaviour->name : NULL);
    kg_geometry_set_text (g, KG_POINTS, "motor", i,
                          action != NULL      ? action->act.text
                          : behaviour != NULL ? behaviour->act.text
                                              : NULL);
    if (program->actions->len > 0)
      kg_geometry_set_text (g, KG_POINTS, "action", i, action != NULL ? action->name : NULL);
    if (program->states->len > 0 && states[i] >= 0 && states[i] < (int32_t) program->states->len)
      kg_geometry_set_text (g, KG_POINTS, "state_name", i,
                            g_array_index (program->states, AgentStateItem, states[i]).name);
  }
}

/* What the points had besides. */
static void
add_given (KgGeometry *g, const KgGeometry *agents)
{
  const size_t n = kg_geometry_get_n_points (g);

  if (kg_geometry_get_n_points (agents) != n)
    return;
  for (guint k = 0; k < kg_geometry_get_n_attributes (agents, KG_POINTS); k++) {
    KgAttribute given, own;

    kg_geometry_get_attribute (agents, KG_POINTS, k, &given);
    if (kg_geometry_find_attribute (g, KG_POINTS, given.name, &own))
      continue;
    if (given.scalar == KG_FLOAT32)
      memcpy (kg_geometry_edit_float (g, KG_POINTS, given.name, given.size), given.data,
              n * given.size * sizeof (float));
    else if (given.scalar == KG_INT32)
      memcpy (kg_geometry_edit_int (g, KG_POINTS, given.name, given.size), given.data,
              n * given.size * sizeof (int32_t));
    else
      for (size_t i = 0; i < n; i++)
        kg_geometry_set_text (g, KG_POINTS, given.name, i, kg_geometry_get_text (agents, KG_POINTS, given.name, i));
  }
}

KgGeometry *
agent_world_show (const AgentProgram *program, const AgentState *state, const KgGeometry *agents)
{
  KgGeometry *g = kg_geometry_ref (state->agents);
  const size_t n = kg_geometry_get_n_points (g);
  const int32_t *gone = kg_geometry_get_int (g, KG_POINTS, "gone", 1);
  g_autofree uint8_t *keep = g_new (uint8_t, n + 1);
  bool all = true;
  int32_t *id;

  kg_geometry_make_writable (&g);
  id = kg_geometry_edit_int (g, KG_POINTS, "id", 1);
  for (size_t i = 0; i < n; i++) {
    id[i] = (int32_t) i;
    keep[i] = gone[i] == 0;
    all = all && keep[i] != 0;
  }
  agent_world_hide_past (g);
  add_given (g, agents);
  if (!all)
    kg_geometry_keep_points (g, keep);
  show_texts (program, g);
  return g;
}

KgGeometry *
agent_world_show_things (const KgGeometry *things, const AgentState *state)
{
  KgGeometry *g = things != NULL ? kg_geometry_ref (things) : kg_geometry_new ();
  const size_t n = kg_geometry_get_n_points (g);
  const int32_t *gone = kg_geometry_get_int (state->things, KG_POINTS, "gone", 1),
                *placed = kg_geometry_get_int (state->things, KG_POINTS, "placed", 1),
                *holder = kg_geometry_get_int (state->things, KG_POINTS, "holder", 1),
                *claimed = kg_geometry_get_int (state->things, KG_POINTS, "claimed", 1);
  const float *amount = kg_geometry_get_float (state->things, KG_POINTS, "amount", 1),
              *moved = kg_geometry_get_float (state->things, KG_POINTS, "moved", 3);
  g_autofree uint8_t *keep = g_new (uint8_t, n + 1);
  bool all = true;
  float *p;

  if (n == 0 || kg_geometry_get_n_points (state->things) != n)
    return g;
  kg_geometry_make_writable (&g);
  p = kg_geometry_edit_positions (g);
  memcpy (kg_geometry_edit_float (g, KG_POINTS, "amount", 1), amount, n * sizeof *amount);
  memcpy (kg_geometry_edit_int (g, KG_POINTS, "holder", 1), holder, n * sizeof *holder);
  memcpy (kg_geometry_edit_int (g, KG_POINTS, "claimed", 1), claimed, n * sizeof *claimed);
  for (size_t i = 0; i < n; i++) {
    if (placed[i] != 0)
      memcpy (p + 3 * i, moved + 3 * i, 3 * sizeof *p);
    keep[i] = gone[i] == 0;
    all = all && keep[i] != 0;
  }
  if (!all)
    kg_geometry_keep_points (g, keep);
  return g;
}

bool
agent_world_show_targets (const AgentState *state, const KgGeometry *things, KgGeometry **lines, GError **error)
{
  const KgGeometry *g = state->agents;
  const size_t n = kg_geometry_get_n_points (g), m = things != NULL ? kg_geometry_get_n_points (things) : 0;
  const int32_t *target = kg_geometry_get_int (g, KG_POINTS, "target", 1),
                *gone = kg_geometry_get_int (g, KG_POINTS, "gone", 1),
                *behaviours = kg_geometry_get_int (g, KG_POINTS, "behaviours", 4),
                *placed = kg_geometry_get_int (state->things, KG_POINTS, "placed", 1);
  const float *moved = kg_geometry_get_float (state->things, KG_POINTS, "moved", 3),
              *gaze = kg_geometry_get_float (g, KG_POINTS, "gaze", 3);
  const size_t kept = kg_geometry_get_n_points (state->things);
  g_autofree uint32_t *ends = g_new (uint32_t, 2 * n + 1);
  float *p;
  int32_t *behaviour;

  *lines = kg_geometry_new ();
  if (!kg_geometry_set_n_points (*lines, 2 * n, error))
    return false;
  p = kg_geometry_edit_positions (*lines);
  behaviour = kg_geometry_edit_int (*lines, KG_POINTS, "behaviour", 1);
  for (size_t i = 0; i < n; i++) {
    const int32_t t = target[i];
    const KgVector from = kg_floats_get_vector (kg_geometry_get_positions (g), i);
    KgVector to = kg_vector_add (from, gone[i] == 0 ? kg_floats_get_vector (gaze, i) : kg_vector (0, 0, 0));

    if (t >= 0 && (size_t) t < m && (size_t) t < kept)
      to = placed[t] != 0 ? kg_floats_get_vector (moved, (size_t) t)
                          : kg_floats_get_vector (kg_geometry_get_positions (things), (size_t) t);
    else if (t >= 0 && (size_t) t >= m && (size_t) t - m < n)
      to = kg_floats_get_vector (kg_geometry_get_positions (g), (size_t) t - m);
    kg_floats_set_vector (p, 2 * i, from);
    kg_floats_set_vector (p, 2 * i + 1, to);
    behaviour[2 * i] = behaviour[2 * i + 1] = behaviours[4 * i];
    ends[2 * i] = (uint32_t) (2 * i);
    ends[2 * i + 1] = (uint32_t) (2 * i + 1);
  }
  if (n > 0)
    kg_geometry_add_primitives (*lines, KG_POLYLINE, false, n, 2, ends);
  return true;
}

KgGeometry *
agent_world_show_scents (const AgentProgram *program, const AgentState *state)
{
  /* Of the four scents; light adds up. */
  static const float colors[4][3] = {
    { 0.95f, 0.62f, 0.12f }, { 0.15f, 0.5f, 0.95f }, { 0.85f, 0.2f, 0.5f }, { 0.3f, 0.8f, 0.35f }
  };
  KgGeometry *g = kg_geometry_ref (state->scents);
  const size_t n = kg_geometry_get_n_points (g);
  float *cd;

  if (n == 0)
    return g;
  kg_geometry_make_writable (&g);
  cd = kg_geometry_edit_float (g, KG_POINTS, "Cd", 4);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 4; c++)
      cd[4 * i + c] = c < 3 ? SCENT_GROUND : 1;
  for (guint k = 0; k < program->scents->len; k++) {
    const float *values = kg_geometry_get_float (g, KG_POINTS, g_array_index (program->scents, AgentScent, k).name, 1);

    for (size_t i = 0; values != NULL && i < n; i++)
      for (size_t c = 0; c < 3; c++)
        cd[4 * i + c] += colors[k][c] * (1 - expf (-values[i]));
  }
  return g;
}

char *
agent_world_log (const AgentProgram *program, const AgentState *state, double frame)
{
  const KgGeometry *g = state->agents;
  const size_t n = kg_geometry_get_n_points (g);
  const int32_t *behaviours = kg_geometry_get_int (g, KG_POINTS, "behaviours", 4),
                *states = kg_geometry_get_int (g, KG_POINTS, "state", 1),
                *gone = kg_geometry_get_int (g, KG_POINTS, "gone", 1),
                *fired = kg_geometry_get_int (g, KG_POINTS, "fired", 16),
                *target = kg_geometry_get_int (g, KG_POINTS, "target", 1),
                *plan = kg_geometry_get_int (g, KG_POINTS, "plan", 16),
                *at = kg_geometry_get_int (g, KG_POINTS, "plan_at", 4);
  GString *out = g_string_new (NULL);
  guint lines = 0;

  for (size_t i = 0; i < n && lines < LOG_MAX_LINES; i++) {
    const int32_t b = behaviours[4 * i];
    const guint before = (guint) out->len;

    if (gone[i] != 0)
      continue;
    g_string_append_printf (out, "%g %" G_GSIZE_FORMAT, frame, i);
    for (guint k = 0; k < 16 && fired[16 * i + k] != 0; k++)
      g_string_append_printf (out, k == 0 ? " rules %d" : ",%d", fired[16 * i + k]);
    if (program->states->len > 0 && states[i] >= 0 && states[i] < (int32_t) program->states->len)
      g_string_append_printf (out, " state %s", g_array_index (program->states, AgentStateItem, states[i]).name);
    if (b >= 0 && b < (int32_t) program->behaviours->len) {
      const AgentBehaviour *behaviour = &g_array_index (program->behaviours, AgentBehaviour, b);

      g_string_append_printf (out, " strategy %s", behaviour->name);
      for (int32_t k = 0; at[4 * i] != -1 && k < MIN (at[4 * i + 1], AGENT_MAX_PLAN); k++) {
        const int32_t a = plan[16 * i + (size_t) k];

        if (a >= 0 && a < (int32_t) program->actions->len)
          g_string_append_printf (out, "%s%s%s", k == 0 ? " plan " : " > ", k == at[4 * i + 2] ? "*" : "",
                                  g_array_index (program->actions, AgentAction, a).name);
      }
      {
        const AgentAction *action = find_action (program, b, plan + 16 * i, at + 4 * i);
        const char *motor = action != NULL ? action->act.text : behaviour->act.text;

        if (motor != NULL)
          g_string_append_printf (out, " motor %s", motor);
      }
    }
    if (target[i] >= 0)
      g_string_append_printf (out, " target %d", target[i]);
    g_string_append_c (out, '\n');
    lines += out->len > before;
  }
  return g_string_free (out, FALSE);
}

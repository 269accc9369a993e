/* agent_world: a group of agents that sense, remember, feel, reason, plan and move, one step at a time.
 *
 * A step: senses -> memory -> urges and emotions -> rules -> state machine -> behaviours get values -> arbitration -> plans ->
 * motors -> steering and motion.  All agents read the world as it was at the start of the step; where two want the same thing,
 * the lower index has it.
 *
 * Sources: Parent, Computer Animation, 4.6; Reynolds 1999 (steering); Blumberg and Galyean 1995 (levels of direction); Tu and
 * Terzopoulos 1994 (perception and intention); Deneubourg et al. 1990 (trails of scent).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "group/agent_program.h"
#include "group/route_grid.h"
#include "group/steering.h"
#include "kg-field.h"
#include "sim/flock_urges.h"

G_BEGIN_DECLS

#define AGENT_MAX_AGENTS 1000000
#define AGENT_MEMORY 16

typedef enum { AGENT_WALKS, AGENT_FLIES, AGENT_N_MOVEMENTS } AgentMovement;
/* How the wishes of behaviours of several sets become one: their sum, no longer than the longest, or as those of a flock. */
typedef enum {
  AGENT_MERGES_SUM,
  AGENT_MERGES_AVERAGE,
  AGENT_MERGES_PRIORITY,
  AGENT_MERGES_ACCELERATION,
  AGENT_N_MERGES
} AgentMerge;
typedef enum { SENSE_ALL, SENSE_TOUCH, SENSE_SIGHT, SENSE_RENDERED, SENSE_N } AgentSense;

typedef struct {
  AgentMovement movement;
  AgentMerge merge;
  SteeringLimits limits;
  SteeringDriver driver;
  double body_radius, reach, slow_radius, look_ahead; /* look_ahead: seconds */
  bool collide;
  AgentSense sense; /* of programs that say nothing */
  double sight_radius, sight_fov;
  double memory;
  guint memory_limit; /* things, 1 to AGENT_MEMORY */
  double hysteresis, stride;
  guint max_rules, max_states;
  bool rules_once;
  double autonomy, dials[4];
  uint64_t seed;
  KgVector scent_centre, scent_size; /* x and z */
  double scent_cell;
} AgentSettings;

/* What there is at the end of a step. */
typedef struct {
  const AgentProgram *program;
  AgentSettings settings;
  const KgGeometry *agents, *things;      /* agents: where a script has them; things: (nullable) */
  const TriangleMesh *obstacles, *ground; /* (nullable) */
  const SteeringPaths *paths;             /* (nullable) */
  const RouteGrid *grid;                  /* (nullable) */
  const KgField *force;                   /* (nullable) accelerations, or forces that the mass divides */
  bool weigh;
  double time, frame, dt;
} AgentWorld;

/* What a simulation keeps.  agents: a point for each, with its body, facts, wants, plan and memory; things: what has become of
 * them; scents: a lattice with an attribute for each scent; rules: how often each has fired. */
typedef struct {
  KgGeometry *agents, *things, *scents, *rules;
} AgentState;

#define AGENT_STATE_KEEPS                                                                                              \
  "points v float 3; points own_place float 3; points orient float 4; points home float 3; points wander "             \
  "float 2; points speed float 1; points bank float 1; points since float 1; points phase float 1; points "            \
  "gaze float 3; points state int 1; points behaviours int 4; points target int 1; points arrived int 1; "             \
  "points lost int 1; points holds int 1; points claims int 1; points gone int 1; points clip int 1; points "          \
  "plan int 16; points plan_at int 4; points plan_since float 1; points fired int 16; whole step int 1"
#define AGENT_THINGS_KEEPS                                                                                             \
  "points holder int 1; points claimed int 1; points gone int 1; points placed int 1; points amount float 1; points "  \
  "moved float 3"
#define AGENT_RULES_KEEPS "points fired int 1; points line int 1; points now int 1"

/* All of state is set, or *error. */
bool agent_world_start (const AgentWorld *world, AgentState *state, GError **error);
/* warning: (out) (transfer full) (nullable).  False: cancelled, or *error. */
bool agent_world_step (const AgentWorld *world, AgentState *state, GError **warning, const KgProgressMonitor *monitor,
                       GError **error);

/* The agents that are still there, with names of what they do, and what they were given (agents).  (transfer full) */
KgGeometry *agent_world_show (const AgentProgram *program, const AgentState *state, const KgGeometry *agents);
/* Things as they are now: what is carried and what is gone.  things: as they were given; (nullable).  (transfer full) */
KgGeometry *agent_world_show_things (const KgGeometry *things, const AgentState *state);
/* A kind that the program looks for and that no thing and no agent is of; (nullable). */
const char *agent_world_find_missing_kind (const AgentProgram *program, const KgGeometry *agents,
                                           const KgGeometry *things);
/* A line from each agent to what it attends to: its target, or where it looks, with the index of its behaviour.  lines: (out)
 * (transfer full), also when it fails. */
bool agent_world_show_targets (const AgentState *state, const KgGeometry *things, KgGeometry **lines, GError **error);
/* Scents with a colour, Cd: dark where there is none.  (transfer full) */
KgGeometry *agent_world_show_scents (const AgentProgram *program, const AgentState *state);
/* What has changed since the state before, a line each: frame, agent, level, what.  (transfer full) */
char *agent_world_log (const AgentProgram *program, const AgentState *state, double frame);

/* Values of inhibited behaviours: v_i = max (0, a_i - sum_j g_ij v_j), relaxed from v.  gains: n * n, row i column j is what
 * behaviour j takes from i. */
void agent_inhibit (const double *a, const double *gains, guint n, double *v);

G_END_DECLS

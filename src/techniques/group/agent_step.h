/* agent_step: one step of an agent_world, between its files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/point_tree.h"
#include "group/agent_world.h"
#include "kg-floats.h"
#include "kg-kernel.h"

G_BEGIN_DECLS

/* Agents that are computed at a time. */
#define AGENT_BLOCK KG_PROGRAM_BLOCK
/* What is nowhere is so far away. */
#define AGENT_FAR 1e6
/* Of four scents: how strong, and where to. */
#define AGENT_SMELT 16

/* Things, and behind them agents. */
typedef struct {
  float *p; /* three each */
  KgVector *v;
  double *radius, *loudness;
  int *kind;
  uint8_t *gone;
  size_t n, n_things;
} AgentObjects;

/* All as it was so many steps ago. */
typedef struct {
  double back;
  float *p; /* of objects, three each */
  KgVector *v;
  float *orient;      /* of agents, four each */
  PointTree **trees;  /* by kind */
  PointTree *visible; /* (nullable) all objects that are there, for views */
} AgentMoment;

/* The objects of a kind. */
typedef struct {
  uint32_t *index;
  size_t n;
  double loudest, largest; /* radius */
  bool counted, free;
  bool asked[ASK_OF_KINDS + 1];
  int32_t *nearest, *nearest_free;       /* (nullable) by agent: an object, or -1 */
  uint8_t *nearest_by, *nearest_free_by; /* AgentChannel: the sense that shows it */
} AgentKind;

/* What became of the current action of a plan in a step: another behaviour had the body, or its motors did what they could, or all
 * that they are for. */
typedef enum { AGENT_RESTS, AGENT_CARRIES_OUT, AGENT_CARRIED_OUT } AgentCarried;

/* What an expression should not give; the first of a step is reported: in the order of kinds, expressions, agents. */
typedef enum { FAULT_NONE, FAULT_NUMBER, FAULT_SPEED, FAULT_THING, FAULT_SENSE, FAULT_COST, FAULT_FAR } AgentFaultKind;
typedef struct {
  AgentFaultKind kind;
  int expression; /* or, of FAULT_COST, the action */
  size_t agent;
  double value;
} AgentFault;

typedef struct {
  const AgentWorld *world;
  const AgentProgram *program;
  AgentState *state;
  const KgProgressMonitor *monitor;
  size_t n, m; /* agents, things */
  uint64_t step;
  /* Of agents; views of state->agents, to be written. */
  float *p, *v, *own, *orient, *home, *wander, *speed, *bank, *since, *phase, *gaze, *plan_since;
  int32_t *state_of, *behaviours, *target, *arrived, *lost, *holds, *claims, *gone, *clip, *plan, *plan_at, *fired;
  float **facts, **wants;
  int32_t *turns;     /* (nullable) of rules, four words an agent */
  float *since_outer; /* (nullable) seconds in the states around that of each, AGENT_MAX_LEVELS an agent */
  /* Memory, where the program asks for it. */
  int32_t *memory_of;
  float *memory_time, *memory_p[3], *memory_v[3]; /* memory_v: where it moves on */
  /* Of things. */
  int32_t *holder, *claimed, *thing_gone, *placed;
  float *amount, *moved;
  /* Of the step. */
  AgentObjects objects;
  AgentKind *kinds;
  PointTree *bodies; /* of all agents that are there: index */
  uint32_t *body_index;
  uint32_t *visible_index; /* (nullable) all objects that are there, for views */
  size_t n_visible;
  double largest; /* radius of an object */
  /* When senses perceive: AgentMoment, the first of now, and which one, AGENT_N_CHANNELS an agent; NULL: all of now. */
  GPtrArray *moments;
  uint32_t *moment_of;
  guint most_past;           /* steps that are kept */
  float *kept_orient;        /* of agents at the start of the step */
  double *smell_back;        /* (nullable) steps by which smells are old */
  const float **smelt_then;  /* by steps ago, those that are asked for; NULL: as now */
  const int32_t *past_known; /* (nullable) of agents: how many steps are kept */
  float *smelt;              /* what is smelt now: AGENT_SMELT an agent */
  double *columns;           /* n numbers for each input of expressions */
  double uniform[AGENT_N_UNIFORM];
  double *values; /* of behaviours: n each; negative: not active */
  double *factor; /* of the speed, by suggestions */
  KgVector *next_p, *next_v;
  uint8_t *carried;   /* AgentCarried */
  double **amounts;   /* of motors, 4 each (amount, place): n numbers, or NULL */
  double **speeds;    /* of behaviours, likewise */
  GHashTable *fields; /* distances to what agents go to, by cell, or by kind */
  /* Of those that drive: the path (-1: none), the place on it, the gap ahead, how fast it closes. */
  int32_t *lane;
  double *lane_at, *lane_gap, *lane_closing;
  /* Wishes for things, settled in order: an object or -1. */
  int32_t *wants_thing;
  uint8_t *wants_how; /* AgentMotorKind */
  double *wants_amount;
  float *marks; /* how much of which scent: four a point */
  uint8_t *ate;
  guint failed_rule; /* its line */
  size_t failed_block;
  AgentFault *fault;
  GError **warning;
} AgentStep;

/* From any thread. */
void agent_step_note (const AgentStep *s, AgentFault fault);

/* What an expression gave an agent; what is not finite is 0, and reported. */
static inline double
agent_get_number (const AgentStep *s, int expression, size_t agent, double x)
{
  if (isfinite (x))
    return x;
  agent_step_note (s, (AgentFault){ FAULT_NUMBER, expression, agent, x });
  return 0;
}

/* The same of a factor of the speed, which is not below 0. */
static inline double
agent_get_speed (const AgentStep *s, int expression, size_t agent, double x)
{
  x = agent_get_number (s, expression, agent, x);
  if (x < 0)
    agent_step_note (s, (AgentFault){ FAULT_SPEED, expression, agent, x });
  return fmax (x, 0);
}

static inline double *
agent_column (const AgentStep *s, guint input)
{
  return s->columns + (size_t) (input - AGENT_N_UNIFORM) * s->n;
}

static inline KgVector
agent_get_heading (const AgentStep *s, size_t i)
{
  const float *q = s->orient + 4 * i;

  return kg_rotation_apply (kg_floats_get_rotation (q, 0), kg_vector (0, 0, 1));
}

/* Whether agent i is in a state, or in one that lies in it. */
static inline bool
agent_is_in (const AgentStep *s, size_t i, guint state)
{
  const GArray *states = s->program->states;
  const int32_t now = s->state_of[i];

  return now >= 0 && now < (int32_t) states->len &&
         g_array_index (states, AgentStateItem, now).path[g_array_index (states, AgentStateItem, state).level] ==
             state &&
         g_array_index (states, AgentStateItem, now).level >= g_array_index (states, AgentStateItem, state).level;
}

/* Inputs of expressions for agents from start on. */
static inline void
agent_get_inputs (const AgentStep *s, size_t start, const double **inputs)
{
  const guint n = agent_program_get_n_inputs (s->program);

  for (guint k = 0; k < n; k++)
    inputs[k] = k < AGENT_N_UNIFORM ? s->uniform + k : agent_column (s, k) + start;
}

/* The same of one, copied. */
static inline void
agent_get_row (const AgentStep *s, size_t i, double *row)
{
  const guint n = agent_program_get_n_inputs (s->program);

  for (guint k = 0; k < n; k++)
    row[k] = k < AGENT_N_UNIFORM ? s->uniform[k] : agent_column (s, k)[i];
}

/* When agent i perceives by a sense. */
static inline const AgentMoment *
agent_get_moment (const AgentStep *s, size_t i, AgentChannel channel)
{
  return (const AgentMoment *)
      s->moments->pdata[s->moment_of != NULL ? s->moment_of[AGENT_N_CHANNELS * i + channel] : 0];
}

/* agent_past.c */
/* Finds when each agent perceives by each sense, and how all was then, without trees. */
bool agent_step_look_back (AgentStep *s, GError **error);
/* Keeps where all is now for those who see it later. */
void agent_step_keep_past (AgentStep *s);
void agent_step_release_past (AgentStep *s);
/* What only the next step needs. */
void agent_world_hide_past (KgGeometry *agents);
/* What agent i smells: how strong it is, and whether there is a direction in which it is stronger. */
void agent_step_note_smells (AgentStep *s, size_t i);
double agent_step_get_smell (const AgentStep *s, size_t i, guint scent);
bool agent_step_get_climb (const AgentStep *s, size_t i, guint scent, KgVector *to);

/* agent_sense.c */
bool agent_step_collect (AgentStep *s, GError **error);
void agent_step_sense (AgentStep *s, size_t start, size_t n);
void agent_step_release (AgentStep *s);
/* For how many seconds what agent i remembers moves on, and where it believed a thing to be at a time: at: of its memory. */
double agent_step_get_extrapolation (const AgentStep *s, size_t i);
KgVector agent_step_believe (const AgentStep *s, size_t at, double time, double seconds);

/* agent_mind.c */
void agent_step_feel (AgentStep *s, size_t start, size_t n);
void agent_step_reason (AgentStep *s, size_t start, size_t n);
void agent_step_choose (AgentStep *s, size_t start, size_t n);
bool agent_step_plan (AgentStep *s);
/* The motors that agent i runs for a behaviour, or for a plan that was ordered; false: none. */
#define AGENT_ORDERED G_MAXUINT
bool agent_step_get_act (const AgentStep *s, size_t i, guint behaviour, guint *first, guint *n);
/* The limbs that the program says it uses. */
guint32 agent_step_get_uses (const AgentStep *s, size_t i, guint behaviour);
void agent_step_finish_actions (AgentStep *s);

/* agent_motion.c */
bool agent_step_find_ways (AgentStep *s);
void agent_step_move (AgentStep *s, size_t start, size_t n);
bool agent_step_settle (AgentStep *s);
void agent_step_things (AgentStep *s);
void agent_step_scents (AgentStep *s);
double agent_step_smell (const AgentStep *s, guint scent, KgVector x);
/* Where it is strongest from agent i on; false: nothing is smelt. */
bool agent_step_climb (const AgentStep *s, size_t i, guint scent, KgVector *to);

G_END_DECLS

/* agent_program: what a group of agents knows, wants and can do, read from text.
 *
 * One statement a line, # begins a comment; EXPR is an expression of the program (kg-expression.h):
 *   urge NAME [start EXPR] [rate EXPR]            grows by rate a second, 0 to 1
 *   emotion NAME [start EXPR] [decay EXPR]        e := e exp (-dt / decay)
 *   trait NAME = EXPR                             once for each agent
 *   sense all | sight [radius EXPR] [fov EXPR] | rendered [radius EXPR] [fov EXPR] [pixels EXPR] | touch [reach EXPR] |
 *     hearing [threshold EXPR] | smell            of each:
 *     [rate EXPR] [delay EXPR] [noise EXPR]       how often a second, how late in seconds, how far off in metres (not of smell)
 *   memory EXPR [extrapolate EXPR]                seconds; what is remembered moves on for so many of them
 *   interest KIND EXPR                            weight, of the target interest: the least distance / weight
 *   scent NAME [decay EXPR] [spread EXPR]         half-life in seconds, metres² a second
 *   rule [PRIORITY] if EXPR then NAME = EXPR [, NAME = EXPR]
 *   behaviour NAME [set NAME] [class imperative | desire | suggestion] [value EXPR] [when EXPR] do ACTION
 *     [with speed EXPR] [satisfies NAME EXPR] [inhibits NAME EXPR] [uses NAME]
 *   action NAME [needs EXPR] [makes NAME = EXPR, ...] [cost EXPR] [takes EXPR] [until EXPR] [fails EXPR] [timeout EXPR] [uses NAME]
 *     do MOTORS
 *   replan EXPR                                   seconds from a plan that failed to the next one
 *   state NAME [enter NAME = EXPR, ...] [do ACTION] [to NAME when EXPR [after EXPR]] [to NAME weight EXPR]
 * ACTION: MOTORS, plan EXPR (the goal), or the name of an action.  MOTORS: one, or several joined by "and".
 * Orders, in a text of their own: at FRAME agent INDEX | all   do ACTION for FRAMES | be BEHAVIOUR for FRAMES |
 * set NAME = EXPR | plan NAME NAME ...
 *
 * Sources: Parent, Computer Animation, 4.6; Blumberg and Galyean 1995 (imperatives, desires, suggestions); Fikes and
 * Nilsson 1971 (actions with needs and effects); Forgy 1982 (rules on facts).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-expression.h"
#include "kg-math.h"
#include "kg-progress.h"

G_BEGIN_DECLS

#define AGENT_MAX_TEXT 100000
#define AGENT_MAX_FACTS 64
#define AGENT_MAX_ITEMS 64 /* kinds, behaviours, actions, states, rules are at most so many each */
#define AGENT_MAX_SETS 4
#define AGENT_MAX_PLAN 16
#define AGENT_MAX_LIMBS 32
/* What bodies have, as bits of limbs; the program may name others. */
#define AGENT_LEGS 1u
#define AGENT_HANDS 2u
#define AGENT_EYES 4u
#define AGENT_CLIP 8u

/* What an expression knows besides facts, questions and attributes. */
enum {
  AGENT_TIME,
  AGENT_DT,
  AGENT_DIALS, /* four */
  AGENT_U = AGENT_DIALS + 4,
  AGENT_CHANCE,
  AGENT_P, /* three */
  AGENT_V = AGENT_P + 3,
  AGENT_SPEED = AGENT_V + 3,
  AGENT_SINCE,
  AGENT_ID,
  AGENT_HOLDING,
  AGENT_ARRIVED,
  AGENT_LOST,
  AGENT_N_FIXED
};
#define AGENT_N_UNIFORM AGENT_U /* the first ones are the same for all */

typedef enum { FACT_PLAIN, FACT_URGE, FACT_EMOTION, FACT_TRAIT } AgentFactKind;

typedef struct {
  char *name;
  AgentFactKind kind;
  int start, change; /* expressions, or -1 */
} AgentFact;

typedef enum {
  ASK_SEES,
  ASK_HEARS,
  ASK_TOUCHES,
  ASK_SENSES,
  ASK_REMEMBERS,
  ASK_COUNT,
  ASK_DISTANCE,
  ASK_BEARING,
  ASK_OF_KINDS = ASK_BEARING, /* up to here of a kind of things */
  ASK_SMELL,
  ASK_IN,
  ASK_DOING,
  N_ASKS
} AgentAsk;

typedef struct {
  AgentAsk ask;
  guint subject; /* a kind, scent, state or behaviour */
  char *name;    /* of its variable */
  guint line;
} AgentQuestion;

typedef enum {
  MOTOR_WAIT,
  MOTOR_SEEK,
  MOTOR_FLEE,
  MOTOR_ARRIVE,
  MOTOR_PURSUE,
  MOTOR_EVADE,
  MOTOR_WANDER,
  MOTOR_FOLLOW,
  MOTOR_DRIVE,
  MOTOR_ORBIT,
  MOTOR_GOTO,
  MOTOR_CLIMB,
  MOTOR_LAST_OF_LEGS = MOTOR_CLIMB,
  MOTOR_LOOK,
  MOTOR_TAKE,
  MOTOR_DROP,
  MOTOR_EAT,
  MOTOR_CLAIM,
  MOTOR_RELEASE,
  MOTOR_LAST_OF_HANDS = MOTOR_RELEASE,
  MOTOR_MARK,
  MOTOR_PLAY,
  MOTOR_LEAVE,
  N_MOTORS
} AgentMotorKind;

typedef enum {
  TARGET_NONE,
  TARGET_NEAREST,
  TARGET_FREE, /* that nobody else claims or carries */
  TARGET_REMEMBERED,
  TARGET_INTEREST,
  TARGET_THING,
  TARGET_PLACE,
  TARGET_HOME,
  TARGET_MINE
} AgentTarget;

typedef struct {
  AgentMotorKind kind;
  AgentTarget target;
  guint subject; /* the kind of thing, scent or clip */
  int place[3];  /* expressions: coordinates; the first: index of the thing */
  int amount;    /* within, at, path, or -1 */
} AgentMotor;

/* One of: motors, a goal, an action. */
typedef struct {
  guint first, n; /* motors */
  int goal;       /* expression, or -1 */
  int action;     /* index, or -1 */
  char *text;
} AgentDo;

typedef struct {
  int fact, value; /* value: an expression */
} AgentAssignment;

typedef struct {
  double priority;
  guint line, terms;
  int condition;
  guint first, n; /* assignments */
} AgentRule;

typedef enum { CLASS_SUGGESTION, CLASS_DESIRE, CLASS_IMPERATIVE, CLASS_ORDER } AgentClass;

typedef struct {
  char *name;
  guint set;
  AgentClass klass;
  int value, when, speed; /* expressions, or -1 */
  AgentDo act;
  int satisfied, satisfies;      /* a fact and an expression, or -1 */
  int inhibits[AGENT_MAX_ITEMS]; /* by behaviour: an expression, or -1 */
  guint32 uses;                  /* limbs that the program says */
  int state;                     /* it is the action of that state; or -1 */
  double from, until;            /* frames, of orders */
  int64_t agent;                 /* of orders: -1 all */
  guint line;                    /* of orders */
} AgentBehaviour;

typedef struct {
  char *name;
  guint line;
  int needs, cost, takes, until, fails, timeout; /* expressions, or -1 */
  guint first, n;                                /* assignments */
  guint32 uses;                                  /* limbs */
  AgentDo act;
} AgentAction;

typedef struct {
  guint to;
  int when, after, weight; /* expressions, or -1 */
} AgentTransition;

/* States lie in each other, so many deep. */
#define AGENT_MAX_LEVELS 4

typedef struct {
  char *name;
  guint first, n;         /* transitions */
  guint first_set, n_set; /* assignments of who enters it */
  guint line;
  guint level;                  /* 0: in no other */
  guint path[AGENT_MAX_LEVELS]; /* the states that it lies in, from the outermost on, and itself at its level */
  guint entry;                  /* where who goes to it begins: in its first state that has none in it */
  int doer;                     /* whose "do" holds in it: its own, or that of the next one around it; -1: none */
} AgentStateItem;

typedef struct {
  guint line;
  double frame;
  int64_t agent;
  int behaviour; /* to be; or -1 */
  double until;
  int fact, value; /* to set; or -1 */
  int plan[AGENT_MAX_PLAN];
  guint n_plan;
} AgentOrder;

typedef struct {
  char *name;
  int decay, spread;
} AgentScent;

typedef struct {
  guint kind;
  int weight; /* an expression */
} AgentInterest;

/* Senses that have times and errors of their own. */
typedef enum {
  AGENT_KNOWLEDGE, /* of all */
  AGENT_SIGHT,
  AGENT_TOUCH,
  AGENT_HEARING,
  AGENT_SMELL,
  AGENT_N_CHANNELS
} AgentChannel;

typedef struct {
  int rate, delay, noise; /* expressions, or -1 */
} AgentTiming;

typedef struct {
  bool sight, touch, hearing, all, given;
  bool rendered;                             /* sight is an image */
  int radius, fov, reach, threshold, pixels; /* expressions, or -1 */
  AgentTiming of[AGENT_N_CHANNELS];
  bool timed; /* one of them has a rate or a delay */
} AgentSenses;

typedef struct {
  KgProgram *program;
  guint64 reads; /* facts */
  char *text;    /* as it was typed, and where: "line 3" */
  char *where;
} AgentExpression;

typedef struct {
  GArray *facts, *questions, *motors, *assignments, *rules, *behaviours, *actions, *states, *transitions, *orders,
      *scents, *interests, *expressions; /* AgentFact ... AgentExpression; rules in the order in which they fire */
  GPtrArray *kinds, *sets, *clips, *attributes, *limbs;
  guint n_declared; /* facts that the program itself has; the others are set by orders only */
  AgentSenses senses;
  int memory;       /* an expression, or -1 */
  int extrapolate;  /* likewise */
  int replan;       /* likewise */
  guint64 recalled; /* kinds that are remembered */
  guint64 sensed;   /* kinds that are looked for */
} AgentProgram;

/* attributes: (nullable) NULL-terminated names of numbers that expressions may mention besides.  All problems of the texts are
 * reported at once, with text, line and column.  (transfer full) */
AgentProgram *agent_program_new (const char *text, const char *orders, const char *const *attributes, GError **error);
void agent_program_free (AgentProgram *program);
size_t agent_program_get_bytes (const AgentProgram *program);

/* An expression of the variables of a program that is finished: values for a goal typed apart.  -1 and *error. */
int agent_program_add_expression (AgentProgram *program, const char *text, GError **error);

/* Numbers that its expressions take: the fixed ones, questions, facts, attributes. */
guint agent_program_get_n_inputs (const AgentProgram *program);
guint agent_program_get_first_fact (const AgentProgram *program);
guint agent_program_get_first_attribute (const AgentProgram *program);
/* index: expression, or -1 for the value def.  What is not finite is 0. */
void agent_program_run (const AgentProgram *program, int index, double def, const double *const *inputs, size_t n,
                        double *out);
/* The same, with what is not finite. */
void agent_program_run_raw (const AgentProgram *program, int index, double def, const double *const *inputs, size_t n,
                            double *out);
double agent_program_call (const AgentProgram *program, int index, double def, const double *inputs);

/* A plan: which actions in which order make the goal true at the least cost (uniform-cost search over the values of facts;
 * of equal costs the one with fewer actions, then that of earlier lines). */
typedef struct {
  bool found, limited; /* limited: the search ended at the limit of states */
  guint n;
  int actions[256];
  double costs[256]; /* up to the end of each */
  double cost;
  size_t n_states;
  int costless; /* an action whose cost was not above 0, or -1; and that cost.  Below 0 counts as 0 */
  double costless_cost;
} AgentPlan;

/* inputs: what expressions start from.  False: cancelled. */
bool agent_program_plan (const AgentProgram *program, int goal, const double *inputs, size_t max_states,
                         AgentPlan *plan, const KgProgressMonitor *monitor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AgentProgram, agent_program_free)

G_END_DECLS

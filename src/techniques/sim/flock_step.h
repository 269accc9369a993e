/* flock_step: what the files of a step of a flock share, for flock*.c only; others include flock.h.
 *
 * A step looks back (flock_past.c), looks around (flock_sight.h and flock_strangers.c), decides (flock_decide.c) and moves
 * (flock_move.c); leaders and slots (flock_lead.c) are those of the state before it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/point_tree.h"
#include "sim/flock.h"

G_BEGIN_DECLS

/* Members that a thread takes at a time, and for which sums are kept. */
#define FLOCK_BLOCK 128
/* Steps after which a member looks again, however seldom it is to look. */
#define FLOCK_MOST_AGE 240

/* A path as places that are equally far apart along it. */
typedef struct {
  size_t n;
  KgVector *place, *tangent;
  float *p;
  PointTree *tree;
  double step; /* metres */
  bool closed;
} FlockPath;

/* What is seen of one member, in one place of memory. */
typedef struct {
  float p[3], v[3];
  float width;
  uint32_t index;
} FlockOther;

/* One step. */
typedef struct {
  const FlockSettings *s;
  double time, dt; /* at its end */
  size_t n;
  FlockMoment seen;           /* what is perceived of others: now, or the reaction time ago */
  const float *seen_v;        /* of others */
  const float *own_p, *own_v; /* what each knows of itself: now */
  const int32_t *age;         /* (nullable) of what each saw last, in steps */
  const float *look_phase;    /* (nullable) of the time from one look to the next, what has passed */
  int32_t now_age;            /* the age of what those saw for whom the step is prepared */
  float *heading;
  float *normal;          /* of the ground below each, 0 where there is none; NULL: without a ground */
  float *past_p, *past_v; /* owned: NULL where all is seen at once */
  uint32_t *room, *cell;  /* that each is inside of, among obstacles and colliders; NULL: without those */
  const int32_t *id, *group, *is_leader, *slot;
  const float *turn, *width;
  FlockLook *look;
  FlockOther *others; /* in the order of the look */
  FlockPath path;
  KgVector centroid;
  KgVector lead_place, lead_velocity; /* what is followed */
  bool has_lead;
  uint32_t *slot_owner; /* the member in each slot; NULL: no formation */
  int32_t *own_group;   /* (nullable) groups that had to be found again */
  uint32_t *other;      /* the nearest member of another group, or G_MAXUINT32; NULL: one group only */
  float *intent, *a;    /* out: 3 floats a member */
  const float *intent_before;
  float *records[2 * FLOCK_N_URGES]; /* NULL: not kept: wishes (3 floats), given (1) */
  double (*sums)[2 * FLOCK_N_URGES]; /* of each block */
} FlockStep;

/* Whether a member is one of those for whom the step is prepared. */
static inline bool
flock_is_prepared_for (const FlockStep *step, uint32_t i)
{
  return step->age == NULL || step->age[i] == step->now_age;
}

/* Fills .intent, .a, .records and .sums of the members for whom the step is prepared.  False: cancelled. */
bool flock_decide_all (const FlockStep *step, const KgProgressMonitor *monitor);

/* Writes what moves into the new state.  misses: (out) members without ground under them.  False: cancelled. */
bool flock_move_all (const FlockStep *step, const KgGeometry *from, KgGeometry *to, size_t *misses,
                     const KgProgressMonitor *monitor);

/* Sees to it that each group is one of as many as there are members, which those of a state from a file need not be: .group is
 * found again where it is not.  False: cancelled. */
bool flock_check_groups (FlockStep *step, const KgProgressMonitor *monitor);
/* Fills .other for the members for whom the step is prepared.  False: cancelled. */
bool flock_find_strangers (FlockStep *step, const KgProgressMonitor *monitor);

/* Takes over into the new state the past states that steps to come need. */
void flock_keep_past (KgGeometry *to, const KgGeometry *from, const FlockSettings *s, double dt);
/* Past states from one on that are no longer needed. */
void flock_drop_past (KgGeometry *state, size_t first);
/* Who looks in this step: fills .age and .look_phase, which the new state owns. */
void flock_find_ages (FlockStep *step, KgGeometry *to);
/* Prepares .seen and .seen_v for those whose last look is so many steps ago. */
void flock_look_back (FlockStep *step, const KgGeometry *state, int32_t age);

/* Makes one leader where the members have none. */
void flock_choose_leader (KgGeometry *members);
/* Who leads in the new state. */
void flock_change_leader (FlockStep *step, KgGeometry *to, const float *p);
/* What is followed: fills .lead_place, .lead_velocity and .has_lead. */
void flock_find_lead (FlockStep *step, const KgGeometry *state);
/* Fills .slot and .slot_owner where there is a formation.  False: cancelled. */
bool flock_arrange (FlockStep *step, KgGeometry *to, const KgProgressMonitor *monitor);
/* Fills .turn in the step in which a manoeuvre begins.  False: cancelled. */
bool flock_begin_turn (FlockStep *step, KgGeometry *to, const KgProgressMonitor *monitor);

G_END_DECLS

/* flock: one step of a flock: every member looks at the others as they were at the start of the step, wishes, negotiates, and does
 * what its body can.
 *
 * Perception (flock_sight.h) gives the neighbours; urges (flock_urges.h) give wishes, negotiated to a velocity V; the pilot asks
 * for a = (V - v) / τ within the governors, to which forces and wandering are added; then v += a dt and x += v dt.  With a
 * reaction time all that is seen is as old as that; with a rate of perception each member looks so many times a second, at times
 * of its own, and believes in what it saw last until it looks again.  Members that chains of neighbours within the radius hold together are
 * one group; those of other groups are sought (rejoin).
 * Sources: Reynolds, Flocks, Herds, and Schools, 1987; Parent, Computer Animation, 4.5.2; Potts, The chorus-line hypothesis
 * of manoeuvre coordination in avian flocks, 1984.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve.h"
#include "kg-field.h"
#include "sim/flock_formation.h"
#include "sim/flock_ground.h"
#include "sim/flock_obstacles.h"
#include "sim/flock_sight.h"

G_BEGIN_DECLS

typedef enum { FLOCK_AIM_DIRECTION, FLOCK_AIM_GOAL, FLOCK_AIM_PATH, FLOCK_N_AIMS } FlockAim;
typedef enum {
  FLOCK_LEADER_NONE,
  FLOCK_LEADER_SCRIPTED,
  FLOCK_LEADER_CHANGING,
  FLOCK_LEADER_FRONT,
  FLOCK_N_LEADERS
} FlockLeader;
typedef enum { FLOCK_HIDE_NOTHING, FLOCK_HIDE_MEMBERS, FLOCK_HIDE_OBSTACLES, FLOCK_HIDE_BOTH, FLOCK_N_HIDES } FlockHide;

typedef struct {
  FlockSight sight;
  FlockHide hide;
  bool search_all; /* compare each member with each */
  FlockCouncil council;
  FlockGovernors governors;
  double damping; /* share of the wish of the step before */

  double separation, separation_distance, separation_power;
  bool predict;  /* keep apart from where members will be */
  bool combined; /* one law of attraction and repulsion in place of keeping apart and centering */
  double matching, matching_time;
  double centering, centering_time;
  bool center_of_flock;
  double self_weight;
  double rejoin, rejoin_sight;

  FlockAim aim;
  KgVector migration, goal;
  const KgGeometry *path; /* (nullable) its first curve */
  double path_radius;
  double migration_strength, cruise_speed;
  bool alone; /* only who sees nobody migrates */

  FlockLeader leader;
  KgVector leader_place; /* scripted: now, at the end of the step */
  double follow_distance, follow_strength;
  double lead_cost, rest_gain, tired; /* of energies 0..1, a second */
  FlockFormation formation;
  double formation_angle, spacing, slot_time, slot_strength;

  double reaction_time;
  double perception_rate; /* looks a second; 0: in each step */
  double turn_at;         /* seconds; negative: never */
  int64_t turn_by, anticipation;
  KgVector turn_to;

  FlockAvoiding avoiding;
  const FlockObstacles *obstacles; /* (nullable) */
  const FlockObstacles *colliders; /* (nullable) */
  const FlockGround *ground;       /* (nullable) */
  double max_slope, lean;

  double bank_gain, max_bank;
  double flap_rate, flap_angle; /* Hz, radians */
  double wander;
  uint64_t seed;
  const KgField *force; /* (nullable) */
  bool weigh;
  bool record; /* wishes, budgets and accelerations are kept as attributes */
} FlockSettings;

/* Of all members together, by urge: strengths asked for and what was given, on average. */
typedef struct {
  double asked[FLOCK_N_URGES], given[FLOCK_N_URGES];
} FlockBudgets;

/* What the state holds beside P: for .keeps of a node. */
#define FLOCK_KEEPS                                                                                                    \
  "points v float 3; points orient float 4; points push float 3; points intent float 3; points speed float 1; "        \
  "points bank float 1; points phase float 1; points stroke float 1; points width float 1; points mass float 1; "      \
  "points energy float 1; points turn float 1; points id int 1; points group int 1; points leader int 1; "             \
  "points slot int 1; whole lead int 4; whole lead_time float 1; whole budgets float 16"

/* Makes leaders of the members with these ids, in place of those that the attribute leader names: numbers between blanks or
 * commas.  An empty text changes nothing.  False and *error: a word that is no id, or that no member has. */
bool flock_name_leaders (KgGeometry *members, const char *ids, GError **error);

/* Members become a state: P, v and what they have of width, mass, id and leader (missing: width, 1, their index, the first).  False and
 * *error: too many; false without an error: cancelled. */
bool flock_state_begin (KgGeometry *members, const FlockSettings *settings, double width,
                        const KgProgressMonitor *monitor, GError **error);
/* From time - dt to time.  misses: (out) members without ground under them.  False and *error: numbers left the finite
 * ones, or the path is not a curve; without: cancelled, and *state is as it was. */
bool flock_state_step (KgGeometry **state, const FlockSettings *settings, double time, double dt, size_t *misses,
                       const KgProgressMonitor *monitor, GError **error);
/* What others may read of a state: without what only the next step needs, the energies where no leader tires, and the places
 * where there is no formation.  (transfer full) */
KgGeometry *flock_state_show (const KgGeometry *state, const FlockSettings *settings);
void flock_get_budgets (const KgGeometry *state, FlockBudgets *budgets);

G_END_DECLS

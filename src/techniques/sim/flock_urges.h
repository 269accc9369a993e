/* flock_urges: what a member of a flock wishes, and how its wishes are weighed against each other.
 *
 * Each urge gives a velocity that it would like and a strength in 0..1; one that thinks in an acceleration a gives v + τ a, so
 * that alone, at full strength, it gets that acceleration.  Keeping apart: a = -Σ û [(r/l)^p - 1] A within r.  One law for all
 * distances: a = -Σ û S [(r/l)³ - (r/l)²].  Negotiations: the weighted mean, the sum, prioritised allocation of a budget (with what
 * is given divided by its sum, and blended to the velocity of now where hardly anything is given) and prioritised acceleration
 * (lengths are added until the budget is used up).  Governors limit accelerations, turns and speeds.
 * Sources: Parent, Computer Animation, 4.5.2; Reynolds, Flocks, Herds, and Schools, 1987; Potts, The chorus-line hypothesis, 1984.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef enum {
  FLOCK_AVOID,
  FLOCK_SEPARATE,
  FLOCK_MATCH,
  FLOCK_CENTER,
  FLOCK_REJOIN,
  FLOCK_MIGRATE,
  FLOCK_FOLLOW,
  FLOCK_SLOT,
  FLOCK_N_URGES
} FlockUrge;

/* What files and attributes call them. */
extern const char *const flock_urge_names[FLOCK_N_URGES];

/* Names with blanks between, most urgent first; those that are missing have no say.  Returns how many; 0 and *error: a name that is
 * unknown, or there twice. */
guint flock_urges_parse (const char *text, FlockUrge order[FLOCK_N_URGES], GError **error);

typedef struct {
  KgVector velocity;
  double strength; /* 0..1 */
  double urgency;  /* share of the acceleration that is asked for where accelerations are allotted */
} FlockWish;

typedef enum { FLOCK_AVERAGE, FLOCK_SUM, FLOCK_PRIORITY, FLOCK_ACCELERATION, FLOCK_N_NEGOTIATIONS } FlockNegotiation;

typedef struct {
  FlockNegotiation how;
  guint n; /* urges that have a say */
  FlockUrge order[FLOCK_N_URGES];
  double budget;           /* of strengths; of accelerations: this times the largest */
  double max_acceleration; /* m/s² */
  double response;         /* τ, seconds */
} FlockCouncil;

/* The velocity that comes out.  wishes: by urge; v: of now; given: (out) by urge, what each got: its share of the budget (average, sum
 * and priority) or the length of its acceleration. */
KgVector flock_negotiate (const FlockCouncil *council, const FlockWish wishes[FLOCK_N_URGES], KgVector v,
                          double given[FLOCK_N_URGES]);

/* Nearer than this to another member, in metres, there is no direction. */
#define FLOCK_SAME_PLACE 1e-9

/* The acceleration of a member at x by another one at x + d.  toward: where d has no direction. */
KgVector flock_separate_pair (KgVector d, KgVector toward, double radius, double power, double strength);
KgVector flock_space_pair (KgVector d, KgVector toward, double rest, double strength);

typedef struct {
  double max_speed, min_speed;
  double max_acceleration;
  double max_thrust, max_brake; /* along the heading; 0: only the acceleration limits them */
  double max_turn;              /* radians a second */
} FlockGovernors;

KgVector flock_limit_acceleration (const FlockGovernors *governors, KgVector a, KgVector heading);
/* The velocity after one of v changed to wanted in dt.  heading: unit, where v is zero. */
KgVector flock_limit_velocity (const FlockGovernors *governors, KgVector v, KgVector wanted, KgVector heading,
                               double dt);

G_END_DECLS

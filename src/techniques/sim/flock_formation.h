/* flock_formation: places that members of a flock keep beside each other, and the wave of a manoeuvre through them.
 *
 * Every place is relative to the one or two adjacent ones in front of it: behind and beside one neighbour makes a V or an echelon,
 * behind two a diamond.  A manoeuvre: each member acts the reaction time after the m-th member from it on the side where it
 * began, or after the first one where there are fewer.
 * Sources: Parent, Computer Animation, 4.5.2; Potts 1984.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-progress.h"

#include <stdint.h>

G_BEGIN_DECLS

typedef enum {
  FORMATION_NONE,
  FORMATION_V,
  FORMATION_ECHELON,
  FORMATION_LINE,
  FORMATION_DIAMOND,
  FORMATION_COLUMN,
  N_FORMATIONS
} FlockFormation;

/* A place: in the middle between two others (or one: both the same), and as far from there. */
typedef struct {
  uint32_t front[2];
  double behind, left; /* metres */
} FormationSlot;

/* Slot k >= 1 of n; slot 0 is the leader's.  angle: radians, from straight behind; spacing: metres. */
FormationSlot formation_get_slot (FlockFormation formation, size_t k, size_t n, double angle, double spacing);
/* Where all n are when each is in its place; leader: place, heading and left of it. */
void formation_get_places (FlockFormation formation, size_t n, double angle, double spacing, KgVector leader,
                           KgVector heading, KgVector left, KgVector *places);
/* Gives members slots, slot 0 to the leader: nearest pairs first, by index among equals; of more than FORMATION_EXACT, from
 * the front to the back.  slots: (out) n.  False: cancelled. */
#define FORMATION_EXACT 512
bool formation_assign (const float *p, size_t n, size_t leader, KgVector heading, const KgVector *places,
                       int32_t *slots, const KgProgressMonitor *monitor);

/* When members look: rate times a second, each phase / rate seconds before the time, and so on from there. */
typedef struct {
  const float *phase; /* one a member */
  double rate, time;
} FormationLooks;

/* When each of n members begins a manoeuvre that member first begins at a time; 1e30: never, since it is farther than the radius
 * from any that does.  looks: (nullable) a member begins with its first look that shows it what it reacts to.  False: cancelled. */
#define FORMATION_NEVER 1e30f
bool formation_spread_turn (const float *p, size_t n, size_t first, double time, double reaction,
                            const FormationLooks *looks, size_t ahead, double radius, float *turns,
                            const KgProgressMonitor *monitor);

G_END_DECLS

/* ownership: parts that move with an owner, which can change: the world place stays, and what the part keeps of its
 * velocity is eased out.
 *
 * While owned, W(t) = O(t) O(g)^-1 X(t) B T(t): O is the owner, g the time of the last change, T the motion of the part in its
 * owner, B what the part had gone through up to then, and X its own flight from the velocity v, the acceleration a and the angular velocity
 * of its release.  With u = (t - g)/D, at most 1:
 *   stop    nothing
 *   coast   v t, and a t^2/2 if it keeps the acceleration
 *   ease    v D (u - u^2/2): the speed falls evenly to 0
 *   smooth  D (v (u - u^3 + u^4/2) + a D (u^2/2 - 2 u^3/3 + u^4/4)): speed and acceleration begin as they were and end at 0
 * Source: Wyvill, tutorial of 1988 (change of owner; the orphan that halts); the easing is from its remark on it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "transform/moving_transform.h"

#include <stdbool.h>

typedef enum { OWNERSHIP_STOP, OWNERSHIP_COAST, OWNERSHIP_EASE, OWNERSHIP_SMOOTH, OWNERSHIP_N_AFTERS } OwnershipAfter;

/* From one change to the next. */
typedef struct {
  double time;
  int owner;                             /* -1: the world */
  KgTransform inverse;                   /* of the owner at the change */
  KgTransform base;                      /* B */
  KgVector place;                        /* of the part at the change */
  KgVector velocity, acceleration, spin; /* at its release, in the world, without those of its own motion; radians */
  OwnershipAfter after;
  bool keep_acceleration;
  double ease; /* D */
} Ownership;

/* Where the part is measured before it is released, in steps back from the change. */
#define OWNERSHIP_NEAR 3
#define OWNERSHIP_FAR 4

typedef struct {
  double time;
  int owner;
  OwnershipAfter after;
  bool keep_acceleration;
  double ease;
  /* The part under its old owner at the change and one and two steps before, for the velocity; and at wider steps for the
   * acceleration. */
  KgTransform near[OWNERSHIP_NEAR], far[OWNERSHIP_FAR];
  /* The same number of steps ahead, as if the old owner stood still from the change on: the part's own motion, which goes on and so
   * is not to be kept as well.  [0] is the part at the change. */
  KgTransform near_ahead[OWNERSHIP_NEAR], far_ahead[OWNERSHIP_FAR];
  double near_step, far_step;
  KgTransform old_owner, new_owner; /* at the change */
} OwnershipRelease;

/* The first owner: the motion of the part is relative to it. */
void ownership_begin (Ownership *ownership, int owner, double time);
/* The world transform of the part at a time from that of its owner and its own motion then. */
KgTransform ownership_place (const Ownership *ownership, double time, KgTransform owner, KgTransform local);
/* The same with its rate, which is that from time on. */
MovingTransform ownership_move (const Ownership *ownership, double time, MovingTransform owner, MovingTransform local);
/* False when the new owner is flattened at the change, so that nothing can be placed relative to it. */
bool ownership_release (const Ownership *old, const OwnershipRelease *release, Ownership *next);

/* acceleration_profile: constant acceleration, constant speed, constant deceleration to rest.
 * Time and way in any units; what is not known is solved from what is.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"

/* Speed rises from 0 to speed until t1, stays, and falls from t2 to 0 at duration; distance is the area under it. */
typedef struct {
  double t1, t2;
  double speed;
  double acceleration, deceleration; /* both positive; infinite where t1 = 0 or t2 = duration */
  double distance, duration;
} AccelerationProfile;

/* What is given.  The first ten: two quantities, distance and duration.  The next four: three quantities and the
 * duration; the distance comes of it.  The last: all but the times; the duration comes of it, and where the way is too
 * short to reach the speed, that too. */
typedef enum {
  PROFILE_TIMES,
  PROFILE_T1_SPEED,
  PROFILE_T2_SPEED,
  PROFILE_ACCELERATION_T1,
  PROFILE_ACCELERATION_T2,
  PROFILE_DECELERATION_T1,
  PROFILE_DECELERATION_T2,
  PROFILE_ACCELERATION_SPEED,
  PROFILE_DECELERATION_SPEED,
  PROFILE_ACCELERATION_DECELERATION,
  PROFILE_ACCELERATION_DECELERATION_T1,
  PROFILE_ACCELERATION_DECELERATION_T2,
  PROFILE_ACCELERATION_TIMES,
  PROFILE_DECELERATION_TIMES,
  PROFILE_DURATION,
  PROFILE_N_GIVENS
} ProfileGiven;

/* Fills in what is not given.  fit: where the distance follows, scales accelerations and speed so that it is the one
 * that profile->distance asks for.  Fails on what no movement can fulfil, with the interval in which the second of the
 * quantities would have to be. */
bool acceleration_profile_solve (AccelerationProfile *profile, ProfileGiven given, bool fit, GError **error);

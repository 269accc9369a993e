/* ani_track: the statements of an Ani script on one number, as a function of the frame.
 *
 * Increments add up, whenever they run.  Of targets the last that has begun counts: it goes from the value there is to its own.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-channel.h"
#include "motion/ani_timing.h"

typedef struct {
  double a, b;   /* frames; equal: a jump */
  double amount; /* the increment, or the target */
  AniTiming timing;
} AniEvent;

/* Most pieces of increments that run at the same time, over all tracks of a script. */
#define ANI_MAX_WORK ((guint64) 1 << 24)

/* events: in any order; of targets with the same first frame the later in the list counts.  start: the value before the first.
 * *work counts on over all tracks.  KG_ERROR_LIMIT beyond ANI_MAX_WORK.  (transfer full) (nullable) */
KgChannel *ani_track_new (GArray *events, bool increments, double start, AniProfile profile, guint64 *work,
                          GError **error);

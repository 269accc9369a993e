/* timing: distance-time functions: how far something is at every moment, both from 0 to 1.
 * What motion/distance_time, motion/velocity and motion/profile have in common: the values at a moment, and the check.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-motion.h"
#include "motion/pieces.h"

/* What is unusual about a distance-time function.  All of it is allowed. */
typedef enum {
  TIMING_BACKS_UP = 1 << 0,
  TIMING_JUMPS = 1 << 1,
  TIMING_EXCEEDS = 1 << 2,       /* is below 0 or above 1 somewhere */
  TIMING_STARTS_OFF = 1 << 3,    /* not at 0 */
  TIMING_ENDS_OFF = 1 << 4,      /* not at 1 */
  TIMING_STALLS = 1 << 5,        /* stops on the way */
  TIMING_WAITS = 1 << 6,         /* before it starts */
  TIMING_ARRIVES_EARLY = 1 << 7, /* and waits */
  TIMING_ABRUPT_START = 1 << 8,  /* with a speed */
  TIMING_ABRUPT_END = 1 << 9,    /* likewise */
} TimingFinding;

/* What an artist would hardly want. */
#define TIMING_FAULTS (TIMING_BACKS_UP | TIMING_JUMPS | TIMING_EXCEEDS | TIMING_STARTS_OFF | TIMING_ENDS_OFF)

/* Looks a distance-time function over and appends a line to text (nullable) for each finding, with its interval.  mask:
 * the findings to describe.  Returns all findings. */
guint timing_check (const Pieces *distance, guint mask, GString *text);

/* The findings of mask in one line, to go on from "the movement".  (transfer full) */
char *timing_describe (const Pieces *distance, guint mask);

typedef struct {
  double value, speed, acceleration;
} TimingMoment;

/* Outside the range the movement holds: speed and acceleration are 0. */
TimingMoment timing_evaluate (const Pieces *distance, double t);

/* The motion "distance".  (transfer full) (nullable) */
KgMotion *timing_to_motion (const Pieces *distance, GError **error);

/* footsteps: a walk along a way, as prints on the ground, and where the feet and the hips are at any time.
 *
 * The corners of the way are rounded by arcs.  It is divided into steps of equal length, with prints to the left and to the
 * right of it in turn, and one more that brings the other foot beside the last.  All goes by the phase, which is 0 at the start
 * and grows by 1 with each step: the body is over print k at phase k.  A foot stands on its print, to the last bit, until it
 * swings to the next one; without slow ends the phase grows evenly in time, else it gains speed over the first step and loses
 * it over the last.
 * Sources: Parent, Computer Animation, 9.3 (walking); Girard, Interactive Design of 3D Computer-Animated Legged Animal Motion,
 * IEEE CG&A 1987 (feet by paths, bodies between them).  Metres, seconds, radians; y is up.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

G_BEGIN_DECLS

#define FOOTSTEPS_LEFT 0
#define FOOTSTEPS_RIGHT 1

/* Most steps a minute. */
#define FOOTSTEPS_MOST 240.0

typedef struct {
  double step;     /* longest, > 0 */
  double corner;   /* radius; less where legs of the way are short */
  double width;    /* between the prints of the left and of the right foot */
  double duration; /* of a step at full speed, > 0 */
  bool slow_ends;
  int first;    /* foot that steps first */
  double carry; /* share of the time between two steps of a foot in which it stands, 0.5 to 0.9 */
  double lift;  /* of a swinging foot */
} FootstepsOptions;

/* A place on the ground with a heading. */
typedef struct {
  KgVector place;
  double heading; /* about y, from x towards -z */
} Footprint;

typedef struct _Footsteps Footsteps;

/* points: of the way; n >= 1.  A way shorter than a quarter of a step has no steps.  KG_ERROR_LIMIT: too many steps.
 * (transfer full) (nullable) */
Footsteps *footsteps_new (const KgVector *points, size_t n, const FootstepsOptions *options, GError **error);
void footsteps_free (Footsteps *walk);
/* Takes another duration of a step at full speed, > 0; what is laid out stays. */
void footsteps_set_duration (Footsteps *walk, double duration);

double footsteps_get_length (const Footsteps *walk); /* of the rounded way */
guint footsteps_get_n (const Footsteps *walk);       /* without the one that brings the feet together */
double footsteps_get_step (const Footsteps *walk);   /* length of each; 0 without any */
double footsteps_get_duration (const Footsteps *walk);
/* Steps' worth of time at full speed, which the duration is of. */
double footsteps_get_beats (const Footsteps *walk);

/* Where the foot stands at the start (0), or after the step k = 1 … n + 1; foot: (out). */
Footprint footsteps_get_print (const Footsteps *walk, guint k, int *foot);
/* The way, in so many metres from its start. */
Footprint footsteps_get_way (const Footsteps *walk, double distance);
/* Its points, with those along its arcs.  (element-type KgVector) (transfer full) */
GArray *footsteps_get_rounded (const Footsteps *walk);

/* time: since the start; before 0 and after the duration it stands. */
double footsteps_get_phase (const Footsteps *walk, double time);
/* The time at which the phase is reached. */
double footsteps_get_time (const Footsteps *walk, double phase);
/* The phases in which the foot of step k = 1 … n + 1 is in the air. */
void footsteps_get_swing (const Footsteps *walk, guint k, double *from, double *to);
/* planted: (out) whether it stands. */
Footprint footsteps_get_foot (const Footsteps *walk, int foot, double phase, bool *planted);
/* How far the body leans over the foot that carries it: 1 to the left, -1 to the right. */
double footsteps_get_sway (const Footsteps *walk, double phase);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Footsteps, footsteps_free)

G_END_DECLS

/* path_view: where something that travels along a path looks, and how it banks.
 *
 * Frames are right-handed: w ahead, v up, v × w to the left.  Metres, radians.
 * Sources: Parent, Computer Animation, 3.4.1 (frames, centres of interest, points ahead, smoothed views, banking).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/frames.h"
#include "kg-motion.h"
#include "motion/easing.h"

/* What the number is that says how far along a curve something is. */
typedef enum { PATH_BY_LENGTH, PATH_BY_NORMALIZED, PATH_BY_NATURAL, PATH_BY_METRES, PATH_N_BY } PathBy;

/* The choices of curve/follow: a new one comes last. */
typedef enum {
  PATH_VIEW_TANGENT,
  PATH_VIEW_NONE,
  PATH_VIEW_FRENET,
  PATH_VIEW_ROTATION_MINIMIZING,
  PATH_VIEW_INTEREST,
  PATH_VIEW_AHEAD,
  PATH_VIEW_AVERAGE,
  PATH_VIEW_PATH,
  PATH_VIEW_KEYED,
  PATH_VIEW_N
} PathViewKind;

/* A point that is looked at from one frame to another. */
typedef struct {
  double start, end;
  KgVector point;
} PathViewHold;

/* All that a view depends on; each kind reads what it needs.  Lent. */
typedef struct {
  PathViewKind kind;
  const Frames *path;
  double parameter;
  PathBy by;
  KgVector interest;               /* INTEREST */
  double ahead;                    /* AHEAD: share of the length */
  guint average_count;             /* AVERAGE: points ahead, ... */
  double average_spread;           /* ... so far apart, in shares of the length, ... */
  bool continues;                  /* ... beyond the end of an open path along its last tangent */
  const Frames *interest_path;     /* PATH */
  const KgMotion *interest_timing; /* (nullable) */
  const PathViewHold *holds;       /* KEYED: in order, without overlaps */
  guint n_holds;
  double clock;      /* the frame */
  EasingShape shift; /* from one hold to the next */
  KgVector up;
  const Frames *up_path;     /* (nullable) up is from the path to here */
  const KgMotion *up_timing; /* (nullable) */
  FramesBridge bridge;       /* FRENET */
} PathView;

/* The natural parameter of a curve.  timing: (nullable) maps the number first.  Closed curves wrap, open ones end. */
double path_get_parameter (const Curve *curve, double number, PathBy by, const KgMotion *timing);

/* Unit vectors ahead (w) and up (v) at the natural parameter u of the path, and the point looked at.  Where there is nothing
 * to see, or only up, those of an earlier place.  warning: (nullable) what was substituted.  monitor: (nullable) any directions when
 * cancelled. */
void path_view_get_directions (const PathView *view, double u, KgVector *w, KgVector *v, KgVector *target,
                               const KgProgressMonitor *monitor, GError **warning);

/* Banking. */

/* Places along the path that banking is computed for. */
#define BANKING_STEPS 1024

typedef struct {
  bool physical; /* by speed and gravity; otherwise proportional to the curvature */
  double gain, speed, gravity;
  double max;    /* angle */
  double smooth; /* metres before and after */
  KgVector up;
} Banking;

/* (transfer full) The angle at BANKING_STEPS + 1 places with equal steps of length, positive to the left. */
double *banking_new_table (const Frames *path, const Banking *banking);
/* At a share of the length. */
double banking_read_table (const double *table, double share);

/* frames: the Frenet frame along a curve, also where it does not exist or jumps.
 * A scan finds straight spans, inflections, corners and jumps once; frames are then filled in over spans and blended
 * over jumps.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve.h"

/* What the derivatives say about one place of a curve.  Where the curve does not bend (defined is false) normal and
 * binormal are zero. */
typedef struct {
  KgVector tangent, normal, binormal;
  double curvature; /* 1 / m */
  double torsion;   /* 1 / m */
  bool defined;
} Frenet;

/* From the first three derivatives by any parameter.  Curvatures up to least (1 / m) count as none, and so do those that
 * may come from derivatives that are off by rounding. */
void frenet_from_derivatives (KgVector d1, KgVector d2, KgVector d3, double least, double rounding, Frenet *out);

typedef enum {
  FRAMES_CORNER,     /* the direction of travel jumps */
  FRAMES_JUMP,       /* the normal jumps from one piece of the curve to the next */
  FRAMES_CURVATURE,  /* only the amount of bending jumps */
  FRAMES_INFLECTION, /* the curve changes the side it bends to */
  FRAMES_SPAN,       /* the curve is straight for a while */
  FRAMES_N_EVENTS
} FramesEventKind;

/* A place where the Frenet frame is not continuous.  From start to end in metres (the same but for spans; end may be
 * beyond the length of a closed curve).  angle: by which the normal turns about the tangent, or the direction of
 * travel at a corner. */
typedef struct {
  FramesEventKind kind;
  double u0, u1;
  double start, end;
  double angle;
  double curvature_before, curvature_after;
  double room; /* blends reach no farther: half of the shorter piece beside it */
} FramesEvent;

typedef struct _Frames Frames;

/* Curve index of the geometry with its scan.  monitor: (nullable); when cancelled, NULL without an error.  (transfer full)
 * (nullable) */
Frames *frames_new (const KgGeometry *geometry, size_t index, const KgProgressMonitor *monitor, GError **error);
void frames_free (Frames *frames);
/* Memory it takes, for memos. */
size_t frames_get_bytes (const Frames *frames);

const Curve *frames_get_curve (const Frames *frames);
/* No bend anywhere: there is no Frenet frame to fill in from. */
bool frames_is_straight (const Frames *frames);
const FramesEvent *frames_get_events (const Frames *frames, guint *n);
/* (transfer full) A line of text for each event. */
char *frames_report (const Frames *frames);

/* How gaps and jumps are bridged. */
typedef struct {
  bool fill;    /* turn evenly over straight spans; otherwise the frame before the span holds */
  double blend; /* metres before and after a jump over which it is spread; shortened to the room there is */
} FramesBridge;

/* The Frenet frame at u, bridged.  On a straight curve the normal is as near to up as the tangent permits.
 * curvature and torsion are those of the curve, 0 where it is straight. */
void frames_get_frenet (const Frames *frames, double u, const FramesBridge *bridge, KgVector up, Frenet *out);

/* The unit vector along v, whatever its size; false (and *unit untouched) for a zero vector or one that is not finite. */
bool frames_get_direction (KgVector v, KgVector *unit);

/* False, with a warning to show, when a direction that was given for up is none.  What stands in for it depends on who
 * asks. */
bool frames_check_up (KgVector up, GError **warning);

/* The part of up across the unit vector along; false, and a vector across along, where there is none. */
bool frames_make_upright (KgVector along, KgVector up, KgVector *across);

/* The curvature to the left (seen with up above the head) at u, 1 / m; 0 where the curve goes along up. */
double frames_get_side_curvature (const Frames *frames, double u, KgVector up);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Frames, frames_free)

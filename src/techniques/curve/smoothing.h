/* smoothing: rows of numbers made calmer, in double precision: for paths and for motions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"

typedef enum {
  SMOOTHING_LINEAR,      /* half itself, half the mean of its neighbours */
  SMOOTHING_CUBIC,       /* half itself, half the cubic through two neighbours on either side */
  SMOOTHING_CONVOLUTION, /* weighed by a kernel */
  SMOOTHING_B_SPLINE,    /* a B-spline with some of the points as control points */
  SMOOTHING_N_METHODS
} SmoothingMethod;

typedef enum {
  SMOOTHING_KEEP,      /* the first and last stay; the second ones by a parabola (cubic) */
  SMOOTHING_PARABOLIC, /* the first and last by a parabola too */
  SMOOTHING_EXTEND,    /* as if the first and last went on for ever */
  SMOOTHING_MIRROR,    /* as if the row went back the way it came */
  SMOOTHING_ZERO,      /* as if there were zeros */
  SMOOTHING_SKIP,      /* what lacks neighbours stays */
  SMOOTHING_TURN,      /* as if the row went on turned about its end: lines go straight on */
  SMOOTHING_N_ENDS
} SmoothingEnds;

typedef enum { SMOOTHING_BOX, SMOOTHING_TENT, SMOOTHING_GAUSSIAN, SMOOTHING_CUSTOM } SmoothingKernel;

typedef struct {
  SmoothingMethod method;
  SmoothingEnds ends;
  bool closed; /* the last is followed by the first; ends do not matter */
  guint iterations;
  SmoothingKernel kernel;
  double width;          /* half of it, in steps from point to point: box and tent; sigma of the Gaussian */
  const double *weights; /* custom: an odd number, symmetric or not, that add up to 1 */
  guint n_weights;
  guint every;  /* B-spline: each so manieth point is a control point */
  gsize output; /* how many to give (convolution, B-spline); 0: as many as there are */
} Smoothing;

/* Fewest values that the method is made for; with fewer it falls back to a simpler one or leaves them. */
gsize smoothing_get_minimum (const Smoothing *smoothing);

/* The area of the kernel between two places, in steps from its middle. */
double smoothing_get_weight (const Smoothing *smoothing, double from, double to);

/* n values of width numbers each.  *n_out: how many come back.  B-splines: the step every is made smaller until there
 * are at least two control points (four on closed rows).  (transfer full) (nullable): NULL when monitor (nullable)
 * says that it is cancelled. */
double *smoothing_apply (const Smoothing *smoothing, const double *values, gsize n, guint width, gsize *n_out,
                         const KgProgressMonitor *monitor);

/* The control points of the B-spline, with a phantom before and behind that make it start and end at the first and last
 * value (open), m + 2, or m (closed).  (transfer full) */
double *smoothing_get_control (const Smoothing *smoothing, const double *values, gsize n, guint width,
                               gsize *n_control);

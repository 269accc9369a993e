/* curve_joint: how smooth a curve is where two of its pieces meet.
 * Sources: Parent, Computer Animation, B.4.1; Barsky and DeRose 1989 (geometric continuity).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve.h"

/* Highest derivative that is compared on its own in the report. */
#define CURVE_JOINT_JUMPS 3

typedef struct {
  int parametric;  /* derivatives by the own parameter that agree: -1 none, 0 the place, ... up to the degree */
  int geometric;   /* 1: directions agree, 2: and the bend; -1: not even the place */
  bool degenerate; /* the curve stands still there: its direction is that of the next derivative */
  double jumps[CURVE_JOINT_JUMPS + 1]; /* of place and derivatives */
} CurveJoint;

/* Joints: between the pieces; of a closed curve also the last to the first. */
guint curve_joint_count (const Curve *curve);
/* Diagonal of the box around the Bezier points. */
double curve_get_extent (const Curve *curve);
/* Joint i is the end of piece i.  extent: curve_get_extent, which looks at the whole curve; tolerance: of it. */
CurveJoint curve_joint_measure (const Curve *curve, guint i, double extent, double tolerance);

/* denavit_hartenberg: chains of joints from four numbers a joint, and back from the axes of joints to the numbers.
 *
 * Row i: the length a and twist α of the link before joint i, along and about the x axis that both axes share, then the offset d
 * and angle θ of the joint along and about its own z axis:
 *   M_i = T_x(a_{i-1}) R_x(α_{i-1}) T_z(d_i) R_z(θ_i).
 * The classic form has a and α of the link after the joint in the same row: R_z(θ_i) T_z(d_i) T_x(a_i) R_x(α_i); a chain is the
 * same in both.
 * Sources: Denavit and Hartenberg 1955 (classic); Craig, Introduction to Robotics, chapter 3 (modified); Parent, Computer
 * Animation, 4.1.3.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-skeleton.h"

G_BEGIN_DECLS

/* Most joints of a chain. */
#define DH_MAX_JOINTS 4096

typedef enum { DH_MODIFIED, DH_CLASSIC, DH_N_CONVENTIONS } DhConvention;

typedef struct {
  double a, alpha, d, theta; /* metres, radians */
  bool slides;               /* d is what the joint changes, not θ */
  double low, high;          /* of what it changes; angles within -pi..pi */
} DhRow;

/* M of a row in the modified form. */
KgTransform dh_get_link (const DhRow *row);
/* Makes modified rows of n classic ones, in place.  tool_length, tool_twist: (out) what the last row leaves over. */
void dh_from_classic (DhRow *rows, guint n, double *tool_length, double *tool_twist);

/* (transfer full) (nullable) Joints joint1, joint2, ... and tool.  Its rest pose has all d of sliders and all θ of the others at
 * 0; it is posed by the rows, so that the values of its freedoms are these numbers. */
KgSkeleton *dh_new_skeleton (const DhRow *rows, guint n, KgTransform base, double tool_length, double tool_twist,
                             GError **error);

/* The axis of a joint: a line. */
typedef struct {
  KgVector point, direction; /* unit */
  bool slides;
} DhAxis;

/* Rows for the axes of a chain, from the base on, which gets the axes of the first joint at θ = d = 0; last: (out) the axes that
 * go with the last joint.  Where axes meet or coincide, x keeps as near to the one before as it may. */
void dh_fit (const DhAxis *axes, guint n, DhRow *rows, KgTransform *base, KgTransform *last);
/* The largest distance between the axes and those of the chain: of points from lines, and of unit directions. */
double dh_get_residual (const DhAxis *axes, const DhRow *rows, guint n, KgTransform base);

G_END_DECLS

/* curve_lengths: the table of lengths of a curve, and its inverse.
 * Sources: Guenter and Parent 1990 (Parent, Computer Animation, 3.2.1).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"

typedef struct _Curve Curve;
typedef struct _CurveLengths CurveLengths;

/* (transfer full) (nullable) monitor: (nullable); NULL when cancelled. */
CurveLengths *curve_lengths_new (const Curve *curve, const KgProgressMonitor *monitor);
void curve_lengths_free (CurveLengths *lengths);
double curve_lengths_get_whole (const CurveLengths *lengths);
double curve_lengths_get_to (const CurveLengths *lengths, const Curve *curve, double u);
/* hint: an entry of the table to look at first, 0 where nothing is known; set to the one that was used.
 * n_iterations: set to the steps of Newton's method and of halving that it took. */
double curve_lengths_get_parameter (const CurveLengths *lengths, const Curve *curve, double length, guint *hint,
                                    guint *n_iterations);

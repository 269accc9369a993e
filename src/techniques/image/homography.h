/* homography: the projective map between two quadrangles.
 * Source: Heckbert 1989, "Fundamentals of texture mapping and image warping", section 2.2.3.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <stdbool.h>

/* The map, as a matrix, that takes the four corners (x, y) of one quadrangle to those of another, in order.  False where three
 * corners of one lie on a line. */
bool homography_find (const double from[4][2], const double to[4][2], double matrix[3][3]);
/* False at and behind the horizon of places whose weight is positive. */
bool homography_apply (const double matrix[3][3], double x, double y, double *to);

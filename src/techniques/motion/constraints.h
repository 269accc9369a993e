/* constraints: a function that is at given places at given times, with given speeds and accelerations where wanted.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "motion/pieces.h"

typedef enum { CONSTRAINTS_LINEAR, CONSTRAINTS_CUBIC, CONSTRAINTS_QUINTIC, CONSTRAINTS_N_ORDERS } ConstraintsOrder;

/* rows: n rows of four numbers: time, place, speed, acceleration; NaN where speed or acceleration is left open.  Times
 * must not decrease; of two rows at one time and place the first says how it is reached and the second how it is left.
 *
 * Linear: straight pieces, speeds are not looked at.  Cubic: Hermite pieces; open speeds are those of Catmull and Rom in
 * time, of the chord at the ends.  Quintic: the accelerations too, between rows that both have one; cubic elsewhere.
 * monotone limits the speeds of cubic pieces so that places between two rows stay between them (Fritsch and Carlson 1980).
 * Errors name the row.  (transfer full) (nullable) */
Pieces *constraints_to_pieces (const double *rows, guint n, ConstraintsOrder order, bool monotone, GError **error);

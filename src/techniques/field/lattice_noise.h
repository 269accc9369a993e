/* lattice_noise: the textbook's noise: random values at the whole points of space, joined by Catmull-Rom splines.
 *
 * Values are those of a table of 256, which a permutation finds from the three coordinates, so that the pattern repeats after
 * 256 units along each axis.  In doubles, for a point at a time; noise.h has the same interpolation over hashed values for
 * blocks.
 * Source: Parent, Computer Animation, B.5.1 (after Perlin 1985).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

G_BEGIN_DECLS

/* The values of the lattice, each in -1 to 1. */
typedef struct {
  double value[256];
} LatticeTable;

/* Drawn from the textbook's generator with the seed text "665" and, where seed is not 0, the number of it behind that. */
void lattice_table_init (LatticeTable *table, uint32_t seed);

/* Which of the 256 values a whole point has. */
guint lattice_index (int64_t i, int64_t j, int64_t k);
/* The four weights of a Catmull-Rom spline at u in 0..1, of the values at -1, 0, 1 and 2; slopes: (out) (nullable) their
 * derivatives. */
void lattice_spline_weights (double u, double weights[4], double slopes[4]);
/* The noise at a point: the lattice value at whole numbers, within ±1.953125 anywhere, continuous with its first derivative.
 * 0 where a coordinate is not finite or beyond 2^52.  gradient: (out) (nullable) its derivatives by x, y and z. */
double lattice_noise (const LatticeTable *table, double x, double y, double z, KgVector *gradient);

G_END_DECLS

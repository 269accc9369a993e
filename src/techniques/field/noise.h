/* noise: scalar noise of several kinds for blocks of points, alone or summed over octaves, with its gradient.
 *
 * Kinds: gradient noise (Perlin 2002: the fade curve and the twelve directions to the edges of a cube), simplex noise (Perlin
 * 2001, in the form of Gustavson 2005 with the radius that makes it smooth), value noise (Parent, B.5.1: Catmull-Rom splines
 * through the values of a lattice, hashed or from the printed table) and cellular noise (Worley 1996: one point a cell).
 * All but the printed table are hashed from the cells: there is no period, and the loops vectorise.
 * Sums: Parent B.5.1 (turbulence); Musgrave in Ebert and others, Texturing and Modeling, 2003, chapter 16 (ridged).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"

typedef enum { NOISE_GRADIENT, NOISE_SIMPLEX, NOISE_VALUE, NOISE_CELLS, NOISE_N_KINDS } NoiseKind;

/* With the noise n of an octave and its weight w. */
typedef enum {
  NOISE_FRACTAL,    /* Σ w n */
  NOISE_TURBULENCE, /* Σ w |n| */
  NOISE_RIDGED,     /* Σ w (1 - |n|)² */
  NOISE_PLAIN,      /* n: one octave */
  NOISE_N_SUMS
} NoiseSum;

/* What cellular noise measures at a place. */
typedef enum {
  NOISE_CELLS_NEAREST,    /* the distance of the nearest point, in cells: 0 to √3 */
  NOISE_CELLS_SECOND,     /* of the second nearest */
  NOISE_CELLS_DIFFERENCE, /* of the two: 0 on the borders between points */
  NOISE_CELLS_VALUE,      /* a number of the nearest point, -1 to 1 */
  NOISE_N_CELLS
} NoiseCells;

typedef struct {
  NoiseKind kind;
  NoiseSum sum;
  NoiseCells cells;
  bool textbook;  /* value noise from the printed table, its octaves where the text has them */
  bool normalize; /* the mean of the sum is brought to 0 and three standard deviations to 1 */
  uint64_t seed;
  KgVector drift; /* metres per second: carries the pattern along */
  double size;    /* metres: of the lattice of the first octave */
  double slices;  /* patterns a second that fade into each other */
  guint octaves;
  double lacunarity; /* size of an octave over that of the next one */
  double roughness;  /* weight of an octave over that of the one before */
} NoiseSettings;

/* Writes block->n numbers to value, and to each of the three arrays of gradient (nullable): derivatives by x, y and z, a metre.
 * Smooth in space (cellular noise: but for creases) and time. */
void noise_sample (const NoiseSettings *settings, const KgFieldBlock *block, float *value, float *const *gradient);

/* The mean and the standard deviation, over all of space, of the sum as set (without normalize). */
void noise_get_moments (const NoiseSettings *settings, double *mean, double *deviation);

/* turbulence: gradient noise for blocks of points, as three components or as their curl.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"

typedef struct {
  uint64_t seed;
  KgVector drift; /* metres per second: carries the pattern along */
  double size;    /* metres: of the lattice of the first octave */
  double slices;  /* patterns a second that fade into each other */
  guint octaves;
  double lacunarity; /* size of an octave over that of the next one; 2 where each has half the size of the one before */
  double roughness;  /* strength of an octave relative to the one before */
  bool curl;         /* the curl of the three components (by lattice units): without sources and sinks */
} Turbulence;

/* Writes block->n numbers to each of the three arrays; components about -1..1.  Smooth in space (second derivatives
 * are continuous) and time. */
void turbulence_sample (const Turbulence *turbulence, const KgFieldBlock *block, float *const *out);

/* lattice: free-form deformation lattices as geometry, and their evaluation.
 *
 * A lattice is a geometry of (l + 1)(m + 1)(n + 1) points, number (i (m + 1) + j)(n + 1) + k, with the point
 * attribute rest (3 floats) and the whole attributes lattice (4 ints: l, m, n, basis) and frame (4 times 3 floats as
 * origin, S, T and U in four attributes of size 3).
 * Source: Sederberg and Parry 1986.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

/* Most divisions in one direction. */
#define LATTICE_MAX 32

typedef enum { LATTICE_BERNSTEIN, LATTICE_BSPLINE, LATTICE_CATMULL_ROM, LATTICE_LINEAR, LATTICE_N_BASES } LatticeBasis;

typedef struct {
  int divisions[3]; /* l, m, n */
  LatticeBasis basis;
  KgVector origin, s, t, u;
  size_t n_points;
  const float *positions; /* of the geometry it was read from */
  const float *rest;
} Lattice;

/* Reads a lattice; fails when the geometry is not one or its frame is degenerate. */
bool lattice_read (const KgGeometry *geometry, Lattice *lattice, GError **error);

/* Writes the attributes that make a geometry of the right number of points a lattice, sets its points to their rest
 * places in the frame, and joins neighbours by lines. */
bool lattice_write (KgGeometry *geometry, const Lattice *lattice, GError **error);

/* Moves n points (3 floats each) from from to to, which may be the same.  inside_only: points outside of the frame stay as they are, bit for bit;
 * otherwise the polynomials extend beyond it (Bernstein), or the outermost cells do, straight.  Parallel; the same bits
 * for any number of threads. */
void lattice_deform (const Lattice *lattice, const float *from, float *to, size_t n, bool inside_only);

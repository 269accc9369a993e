/* skeleton_figure: a geometry read as a figure of rods and hinges between points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

/* Most rods, and most hinges, of one figure. */
#define SKELETON_FIGURE_MAX 10000000

/* Keeps the distance of two points between two lengths. */
typedef struct {
  uint32_t a, b;
  double shortest, longest;
} SkeletonRod;

/* Keeps the turn at b on the way from a to c (0: straight on) between two angles, in radians.  In the plane turns to the
 * left count as positive; in space they are 0 to pi. */
typedef struct {
  uint32_t a, b, c;
  double low, high;
} SkeletonHinge;

typedef struct {
  GArray *rods;   /* SkeletonRod */
  GArray *hinges; /* SkeletonHinge */
} SkeletonFigure;

typedef struct {
  bool plane;
  double shortest, longest; /* of rods without limits of their own, as shares of their length */
  double
      bend; /* radians that neighbouring edges of a line may rotate to either side of their angle; pi: without limit */
  bool hinges_only; /* edges are no rods */
} SkeletonFigureOptions;

/* Every edge of a primitive is a rod, with the primitive attributes length (metres), shortest and longest (shares of the
 * length) where they are above 0; a primitive of three points with the attribute hinge is a hinge, with angles (two
 * numbers, in degrees).  Fails on rods without a length, on limits that contradict each other (the message names both), and
 * on hinges whose points are not three. */
bool skeleton_figure_read (SkeletonFigure *figure, const KgGeometry *geometry, const SkeletonFigureOptions *options,
                           GError **error);
/* Whether a primitive is marked as a hinge. */
bool skeleton_figure_is_hinge (const KgGeometry *geometry, size_t primitive);
/* The first hinge without a rod along one of its arms, or hinges->len. */
guint skeleton_figure_find_loose_hinge (const SkeletonFigure *figure);
void skeleton_figure_clear (SkeletonFigure *figure);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SkeletonFigure, skeleton_figure_clear)

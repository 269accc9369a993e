/* skeleton_state: what simulations of figures keep from frame to frame, as a geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/skeleton_figure.h"

/* A point: kept as an attribute of 16 whole numbers, for floats are too coarse. */
typedef struct {
  KgVector place, momentum;
  double mass;
  uint32_t touching;
  uint32_t held : 1, buried : 31;
} SkeletonPoint;

typedef struct {
  SkeletonFigureOptions figure;
  double mass;             /* of points that do not say themselves */
  KgVector velocity, spin; /* at the start; radians a second about the centre of mass */
} SkeletonStart;

/* The attributes of a state, as KgSlot.keeps says them. */
#define SKELETON_STATE_KEEPS "points memory int 16; primitives limits int 4"

/* (transfer full) (nullable) The figure as it starts: points at rest but for the attribute v and what is set for all, rods
 * as polylines of two points, hinges of three. */
KgGeometry *skeleton_state_new (const KgGeometry *geometry, const SkeletonStart *start, GError **error);
/* The rods and hinges that the figure started with. */
void skeleton_state_get_figure (const KgGeometry *state, SkeletonFigure *figure);
const SkeletonPoint *skeleton_state_get_points (const KgGeometry *state);
SkeletonPoint *skeleton_state_edit_points (KgGeometry *state);

/* The mass of a point of the geometry now; fails when it has none, or too much. */
bool skeleton_get_mass (const KgGeometry *geometry, double fallback, size_t i, double *mass, GError **error);
KgVector skeleton_get_place (const KgGeometry *geometry, bool plane, size_t i);
/* False, and *error, when the geometry does not have the points that the state has. */
bool skeleton_state_check_points (const KgGeometry *state, const KgGeometry *geometry, GError **error);
/* False, and *error, when a point is too far away for a float. */
bool skeleton_state_check_finite (const KgGeometry *state, double time, const char *remedy, GError **error);

/* Puts the points of the geometry (writable) where those of the state are, and sets v.  In the plane z stays. */
void skeleton_state_write (const KgGeometry *state, bool plane, KgGeometry *geometry);

typedef struct {
  KgVector center;           /* of mass */
  KgVector momentum;         /* kg m / s */
  KgVector angular_momentum; /* about the origin */
  double energy;             /* kinetic, and potential in this gravity, in joules */
} SkeletonMeasure;

void skeleton_state_measure (const KgGeometry *state, KgVector gravity, SkeletonMeasure *measure);

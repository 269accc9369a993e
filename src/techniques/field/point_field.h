/* point_field: points as a field: how many there are around a place, how far the nearest is, and what they carry.
 *
 * The density is the sum of kernels W(r) = 315 / (64 π R⁹) (R² - r²)³ for r < R, each of which has the integral 1 (the sixth-degree
 * kernel of Müller, Charypar and Gross 2003), so that its integral is the number of points, or the sum of what they carry.
 * The mean is weighted with the same kernels.
 * Sources: Sims 1990 (fields from particles); Müller, Charypar and Gross, Particle-Based Fluid Simulation, 2003, section 3.5.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum {
  POINT_FIELD_DENSITY,  /* of the points, or of the first number of the attribute, per cubic metre */
  POINT_FIELD_DISTANCE, /* metres to the nearest, at most the radius */
  POINT_FIELD_NEAREST,  /* what the nearest within the radius carries; 0: none is there */
  POINT_FIELD_MEAN,     /* of what those within the radius carry */
  POINT_N_FIELDS
} PointFieldKind;

/* points: of finite places.  attribute: (nullable) a number or three of the points; an unknown one is KG_ERROR_INVALID_VALUE.
 * radius: > 0.  NULL without an error: cancelled.  (transfer full) (nullable) */
KgField *point_field_new (const KgGeometry *points, PointFieldKind kind, const char *attribute, double radius,
                          const KgProgressMonitor *monitor, GError **error);

G_END_DECLS

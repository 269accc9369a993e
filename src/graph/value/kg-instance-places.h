/* kg-instance-places: where and how copies of something stand on the points of a geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

G_BEGIN_DECLS

/* What is read of the points; lent.  Attributes that they do not have are NULL. */
typedef struct {
  const float *p, *width, *normal, *tangent, *orient, *scale, *color;
  uint8_t color_size;
  size_t n;
  double size; /* of all copies */
  bool turns;  /* whether copies follow orient, N or the tangent */
} KgInstancePlaces;

void kg_instance_places_init (KgInstancePlaces *placement, const KgGeometry *points, double size, bool turns);

/* Copy i: turned as orient (a quaternion) says, or so that its z follows N, or its x the tangent. */
KgRotation kg_instance_places_get_rotation (const KgInstancePlaces *placement, size_t i);
/* size times the width of the point, negative where that is. */
double kg_instance_places_get_size (const KgInstancePlaces *placement, size_t i);
/* From the copy's own space: its size and the scale of the point along each axis, its rotation, its place. */
KgTransform kg_instance_places_get_transform (const KgInstancePlaces *placement, size_t i);
/* White where the points have no colours. */
KgColor kg_instance_places_get_color (const KgInstancePlaces *placement, size_t i);

G_END_DECLS

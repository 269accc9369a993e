/* element_field: accelerations towards elements of a scene, by the distance from the nearest place of each: a point, a line, a
 * segment, a plane, a disc, many points, a surface, curves.
 *
 * With the distance r the acceleration is s r/d, s, s d/r or s (d/r)²: s at the distance d.  A homogeneous line attracts by the third
 * law and a homogeneous plane by the second; a segment that attracts by the fourth is homogeneous, too: the integral over its
 * length, with the mass that a point would need for s at d.  Of many points the accelerations add up, each times its mass; beyond
 * some thousands far ones count together (Barnes and Hut 1986).
 * r² + softness² stands for r² (Aarseth 1963), so that all are finite.
 * Sources: Parent, Computer Animation, 4.5; Kellogg, Foundations of Potential Theory, 1929, chapter 3.
 * Units: metres, m/s².
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum {
  ELEMENT_POINT,
  ELEMENT_LINE,
  ELEMENT_SEGMENT,
  ELEMENT_PLANE,
  ELEMENT_DISC,
  ELEMENT_POINTS,
  ELEMENT_SURFACE,
  ELEMENT_CURVE,
  ELEMENT_N
} ElementKind;

typedef enum { ELEMENT_SPRING, ELEMENT_EVEN, ELEMENT_INVERSE, ELEMENT_SQUARE, ELEMENT_N_LAWS } ElementLaw;

typedef struct {
  ElementKind kind;
  ElementLaw law;
  KgVector center, direction; /* direction: of the line, the normal of the plane; unit */
  double length;              /* of a segment, in the middle of which the centre is; the diameter of a disc */
  double strength, distance;  /* s and d */
  double softness;
  const KgGeometry *geometry; /* (nullable) points, with mass where they have it; faces; lines */
} Element;

/* Points so many that they are not summed up one by one. */
#define ELEMENT_MOST_POINTS 10000

/* No points do not attract.  NULL and *error: there are no faces, or no lines, or too many; without an error: cancelled.
 * (transfer full) */
KgField *element_field_new (const Element *element, const KgProgressMonitor *monitor, GError **error);

G_END_DECLS

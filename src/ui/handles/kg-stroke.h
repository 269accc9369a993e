/* kg-stroke: a line drawn by hand: the pixels that the pointer went over, and the few of them that matter.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-projection.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  double x, y; /* pixels */
} KgStrokePoint;

/* The points that are left when none that goes was more than tolerance pixels from the line that is left; the first and
 * the last stay (Ramer 1972; Douglas and Peucker 1973).  points: element-type KgStrokePoint.  (transfer full) */
GArray *kg_stroke_simplify (const GArray *points, double tolerance);
/* It ends where it began; the point at the end is one too many then. */
bool kg_stroke_is_closed (const GArray *points, double reach);
/* Points of the world in the plane through near_to that faces the camera, as a text with a row each.  (transfer full) */
char *kg_stroke_dup_text (const GArray *points, const KgProjection *projection, KgVector near_to);

G_END_DECLS

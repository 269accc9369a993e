/* contours: which polygons of a geometry are holes in others.
 * The outlines of letters (geometry/text) carry the primitive attribute glyph: polygons in a row with the same glyph
 * above 0 belong together.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

#define CONTOURS_NONE UINT32_MAX

typedef struct {
  uint8_t *is_hole; /* one for each primitive */
  uint32_t *next;   /* of an outline: its first hole; of a hole: the next one in the same outline; or CONTOURS_NONE */
} Contours;

/* (transfer full) (nullable) NULL when no polygon is a hole.  A contour is a hole where it turns the other way than
 * what it lies in, so that nothing is left of the outline inside of it (the rule of winding numbers, as for fonts),
 * and lies in about the same plane. */
Contours *contours_find (const KgGeometry *geometry);
void contours_free (Contours *contours);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Contours, contours_free)

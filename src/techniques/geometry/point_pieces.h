/* point_pieces: which points of a geometry belong together.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* The points, one piece after the other, each in the order of the geometry; pieces by their first points. */
typedef struct {
  size_t n;
  size_t *first;    /* n + 1: where the points of each begin */
  uint32_t *points; /* indices */
} PointPieces;

void point_pieces_clear (PointPieces *pieces);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PointPieces, point_pieces_clear)

/* Points that primitives connect; one without a primitive is a piece of its own. */
void point_pieces_find_connected (PointPieces *pieces, const KgGeometry *geometry);

/* Points with one value of an attribute: a number, an integer or a text, of the points or else of the primitives, whose points have it
 * then (of several primitives that of the first; points without one are left out).  KG_ERROR_UNKNOWN_NAME: there is none of that
 * name; KG_ERROR_INVALID_VALUE: it is a vector. */
bool point_pieces_find_by_attribute (PointPieces *pieces, const KgGeometry *geometry, const char *name, GError **error);

/* (transfer full) Of each of n positions, three numbers each, the first one at the same place; two zeros are one.  NULL: cancelled. */
uint32_t *point_pieces_find_same (const float *p, size_t n, const KgProgressMonitor *monitor);

G_END_DECLS

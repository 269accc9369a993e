/* arrows: arrows from places to places, as bodies, flat polygons or lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

typedef enum { ARROW_SOLID, ARROW_FLAT, ARROW_LINES, ARROW_N_SHAPES } ArrowShape;

/* What all arrows have in common; lengths in metres.  An arrow shorter than twice its head is smaller as a whole, with the same
 * proportions. */
typedef struct {
  ArrowShape shape;
  double width;       /* of the shaft: its diameter */
  double head_width;  /* of the head, in widths of the shaft */
  double head_length; /* likewise */
  size_t sides;       /* of a body, 3 or more */
  KgVector facing;    /* flat ones and the heads of lines lie as nearly across it as their direction allows */
} ArrowStyle;

/* Points of each arrow. */
size_t arrow_style_count_points (const ArrowStyle *style);

/* (transfer full) n arrows, each with its points in one row, in the order of the places.  Tails and tips (n each) must not coincide.
 * Bodies are closed, with their outside outside; lines have the attribute width.  NULL and *error (KG_ERROR_LIMIT) where there
 * would be too many points. */
KgGeometry *arrows_new (const ArrowStyle *style, size_t n, const KgVector *tails, const KgVector *tips, GError **error);

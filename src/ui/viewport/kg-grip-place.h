/* kg-grip-place: where the things that can be taken are on the screen.  No widgets.
 *
 * Arrows, rings and boxes are of the same size at any distance: their lengths are pixels.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"
#include "kg-projection.h"

G_BEGIN_DECLS

#define KG_ARROW_FROM 14.0
#define KG_ARROW_TO 76.0
#define KG_BOX_AT 48.0
#define KG_RING_STEPS 64

/* Pixels. */
typedef struct {
  double x, y;
} KgPlace;

/* False behind the eye. */
bool kg_place_map (const KgProjection *projection, KgVector at, KgPlace *place);
/* From the piece between a and b; *along: where on it the nearest place is, 0 at a, 1 at b, beyond them outside. */
double kg_place_get_distance (KgPlace at, KgPlace a, KgPlace b, double *along);

/* It is drawn, and can be taken. */
bool kg_grip_is_seen (const KgGrip *grip, const KgProjection *projection);
/* So many pixels from it in its direction. */
bool kg_grip_map_along (const KgGrip *grip, const KgProjection *projection, double pixels, KgPlace *place);
/* step: 0 to KG_RING_STEPS, once around. */
KgVector kg_grip_get_ring_point (const KgGrip *grip, const KgProjection *projection, guint step);
/* In pixels; INFINITY where it is not seen. */
double kg_grip_get_distance (const KgGrip *grip, const KgProjection *projection, KgPlace at);

G_END_DECLS

/* kg-scene-view: what stands around geometry, skeletons and scenes: a floor, axes, frames.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-kind-color.h"
#include "kg-projection.h"
#include "kg-value.h"

#include <cairo.h>

G_BEGIN_DECLS

/* Of x, y and z, wherever axes are drawn. */
KgTint kg_axis_get_tint (int axis);
/* Looked at in space. */
bool kg_scene_view_shows (const KgValue *value);
/* False when the value is nowhere. */
bool kg_scene_view_get_bounds (const KgValue *value, KgVector *low, KgVector *high);
/* A grid in the plane y = 0 around the origin, in steps that suit the distance, and the axes. */
void kg_scene_view_draw_floor (cairo_t *cr, const KgProjection *projection, double distance);
/* The axes of a frame, of a length in pixels. */
void kg_scene_view_draw_frame (cairo_t *cr, const KgProjection *projection, const KgTransform *frame, double length);

G_END_DECLS

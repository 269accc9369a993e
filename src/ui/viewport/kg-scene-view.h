/* kg-scene-view: what stands around geometry, skeletons and scenes: a floor, axes, frames.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-kind-color.h"
#include "kg-projection.h"
#include "kg-stage.h"

#include <cairo.h>

G_BEGIN_DECLS

/* Of x, y and z, wherever axes are drawn. */
KgTint kg_axis_get_tint (int axis);
/* Of everything on a stage, cameras and lights included; false when nothing is anywhere. */
bool kg_scene_view_get_bounds (const GPtrArray *stage, KgVector *low, KgVector *high);
/* A grid in the plane y = 0 around the origin, in steps that suit the distance, and the axes; where the view is parallel and
 * along x or z, in the plane across it. */
void kg_scene_view_draw_floor (cairo_t *cr, const KgProjection *projection, double distance);
/* The axes of a frame, of a length in pixels. */
void kg_scene_view_draw_frame (cairo_t *cr, const KgProjection *projection, const KgTransform *frame, double length);
/* Cameras with what they see, lights, and transforms as axes.  through: (nullable) the camera that is looked through and not
 * drawn; aspect: width over height of images. */
void kg_scene_view_draw_things (cairo_t *cr, const KgProjection *projection, const GPtrArray *stage,
                                const KgCamera *through, double aspect);

G_END_DECLS

/* kg-snap: what a handle that is moved snaps to: a grid, points, angles.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"
#include "kg-projection.h"
#include "kg-stage.h"

G_BEGIN_DECLS

/* Degrees. */
#define KG_SNAP_ANGLE_STEP 15.0

typedef enum { KG_SNAP_NONE = 0, KG_SNAP_GRID = 1, KG_SNAP_POINTS = 2, KG_SNAP_ANGLES = 4 } KgSnap;

/* What it has snapped to, to be shown. */
typedef struct {
  KgSnap to;
  KgVector at, from; /* from: of an angle, about what */
  double step;       /* metres; of an angle the angle in degrees */
} KgSnapped;

/* Geometry that is displayed, at one moment. */
typedef struct _KgSnapShapes KgSnapShapes;

/* stage: (nullable) (element-type KgStageItem); keeps references. */
KgSnapShapes *kg_snap_shapes_new (const GPtrArray *stage);
KgSnapShapes *kg_snap_shapes_ref (KgSnapShapes *shapes);
void kg_snap_shapes_unref (KgSnapShapes *shapes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgSnapShapes, kg_snap_shapes_unref)

/* The point nearest to a pixel, among those that are where they were before: what moves with the handle is no place to snap
 * to.  *distance (pixels): how near one must be; gets how near it is.  without: (element-type KgVector) places that do not
 * count.  False when there is none. */
bool kg_snap_find_point (KgSnapShapes *before, KgSnapShapes *now, const KgProjection *projection, double x, double y,
                         const GArray *without, double *distance, KgVector *at);
/* Turned about from so that it is a multiple of KG_SNAP_ANGLE_STEP from the axes; its distance stays.  Of what is flat and seen
 * from the front in the plane of the world, otherwise in that of the view.  *angle: in degrees. */
KgVector kg_snap_angle (KgVector from, KgVector to, const KgProjection *projection, double *angle);

G_END_DECLS

/* kg-handle-draw: how the handles of a node look.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-grip-group.h"
#include "kg-projection.h"
#include "kg-snap.h"

#include <pango/pangocairo.h>

G_BEGIN_DECLS

/* What is drawn. */
typedef struct {
  KgHandles handles;
  const GArray *grips;     /* KgGrip */
  const KgGrip *active;    /* (nullable) */
  const char *active_text; /* (nullable) its name and numbers */
  const KgGrip *part;      /* (nullable) whose points are chosen */
  bool paths_shown;
  GHashTable *paths;        /* (nullable) char * name -> KgMotionPath *: of what is computed */
  GHashTable *selected;     /* (nullable) gint64 *, by kg_grip_get_key, if there are several */
  const KgGripGroup *group; /* (nullable) what moves, or would move, with the active one */
  KgSnapped snapped;
  bool soft; /* a circle of so many pixels around this */
  KgVector soft_at;
  double soft_radius;
} KgHandleScene;

void kg_handle_scene_draw (const KgHandleScene *scene, cairo_t *cr, PangoContext *context,
                           const KgProjection *projection, double width, double height);

G_END_DECLS

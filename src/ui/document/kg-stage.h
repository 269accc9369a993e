/* kg-stage: what the scene view shows, and images of it.
 *
 * The stage holds what is displayed, when that is geometry, a skeleton, a scene or a transform; for an image what it is made
 * of; and every node that has a flag for it (KgStage).  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"
#include "kg-view.h"

G_BEGIN_DECLS

typedef struct {
  char *target;  /* "path.output" */
  KgStage stage; /* not off */
  bool has_value;
  KgValue value;
} KgStageItem;

/* Whether the scene view can show values of that kind. */
bool kg_stage_takes (KgKind kind);
/* (transfer full) (element-type KgStageItem) Without values, each output once.  target: (nullable) that is displayed; current:
 * the graph on the canvas, whose flags count besides those of root. */
GPtrArray *kg_stage_list (KgGraph *root, KgGraph *current, const char *target);
/* (transfer full) An array of its own for the values of the same outputs. */
GPtrArray *kg_stage_copy (const GPtrArray *items);
/* (nullable) The camera that a view through the scene uses: the first of all scenes.  The items own it. */
const KgCamera *kg_stage_find_camera (const GPtrArray *items);
/* (nullable) (transfer none) The node of that camera: its target is the only scene of it. */
KgNode *kg_stage_find_camera_node (KgGraph *root, const GPtrArray *items);
/* (transfer full) (element-type utf8) "path.scene" of every camera node of the graph and of the sub-graphs in it. */
GPtrArray *kg_stage_list_cameras (KgGraph *root);

/* Draws; keeps what the next image of the same values needs again.  Belongs to one thread. */
typedef struct _KgStagePainter KgStagePainter;

KgStagePainter *kg_stage_painter_new (void);
void kg_stage_painter_free (KgStagePainter *painter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgStagePainter, kg_stage_painter_free)

/* (transfer full) (nullable) width, height: pixels, at most those of the view; through: (nullable) a camera instead of the
 * view's own.  NULL without an error when cancelled or where there is no room. */
KgImage *kg_stage_painter_draw (KgStagePainter *painter, const GPtrArray *items, const KgView *view, int width,
                                int height, const KgCamera *through, GCancellable *cancellable, GError **error);

G_END_DECLS

/* kg-view-picture: pictures of values: geometry, skeletons and scenes from where somebody looks, and thumbnails.
 * No widgets; the thread that owns the graph and the evaluator.
 *
 * Geometry, skeletons and scenes are drawn by the same nodes that render them: they are added to the graph, behind the
 * output that is shown.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"
#include "kg-view.h"

G_BEGIN_DECLS

typedef struct _KgViewPictures KgViewPictures;

/* Of a graph that is nobody else's, a snapshot: from now on its edits are not recorded.  Graph and evaluator must outlive
 * the object. */
KgViewPictures *kg_view_pictures_new (KgGraph *graph, KgEvaluator *evaluator);
void kg_view_pictures_free (KgViewPictures *pictures);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgViewPictures, kg_view_pictures_free)

/* (transfer full) (nullable) value: of the output slot of node at time (seconds); target: "path.output".  An image is its own
 * picture.  NULL without an error where there is nothing to draw: the value is no picture, or the view has no room. */
KgImage *kg_view_pictures_draw (KgViewPictures *pictures, const char *target, KgNode *node, guint slot,
                                const KgValue *value, double time, const KgView *view, GCancellable *cancellable,
                                GError **error);
/* The same, small, from the front, with all of it in sight. */
KgImage *kg_view_pictures_draw_thumbnail (KgViewPictures *pictures, const char *target, KgNode *node, guint slot,
                                          const KgValue *value, double time, GCancellable *cancellable, GError **error);
/* (transfer full) (nullable) The first component of each channel over its range, as a line. */
KgImage *kg_motion_draw_thumbnail (const KgMotion *motion);

G_END_DECLS

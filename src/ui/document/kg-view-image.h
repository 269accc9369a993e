/* kg-view-image: thumbnails of values.  No widgets; the thread that owns the graph and the evaluator.
 *
 * Geometry, skeletons and scenes are drawn by the same nodes that render them: they are added to the graph, behind the
 * output that is shown, so that the cache of the evaluator keeps their images.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"

G_BEGIN_DECLS

typedef struct _KgViewImages KgViewImages;

/* Of a graph that is nobody else's, a snapshot: from now on its edits are not recorded.  Graph and evaluator must outlive
 * the object. */
KgViewImages *kg_view_images_new (KgGraph *graph, KgEvaluator *evaluator);
void kg_view_images_free (KgViewImages *images);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgViewImages, kg_view_images_free)

/* (transfer full) (nullable) value: of the output slot of node at time (seconds); target: "path.output".  From the front, with
 * all of it in sight.  NULL without an error where there is nothing to draw. */
KgImage *kg_view_images_draw_thumbnail (KgViewImages *images, const char *target, KgNode *node, guint slot,
                                        const KgValue *value, double time, GCancellable *cancellable, GError **error);
/* (transfer full) (nullable) The first component of each channel over its range, as a line. */
KgImage *kg_motion_draw_thumbnail (const KgMotion *motion);

G_END_DECLS

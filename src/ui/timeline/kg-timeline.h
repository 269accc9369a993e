/* kg-timeline: the frames of the graph: scrubbing, playing, keys of the selected nodes, computed frames.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"
#include "kg-worker.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_TIMELINE (kg_timeline_get_type ())
G_DECLARE_FINAL_TYPE (KgTimeline, kg_timeline, KG, TIMELINE, GtkWidget)

GtkWidget *kg_timeline_new (KgDocument *document, KgWorker *worker);
void kg_timeline_toggle_play (KgTimeline *timeline);
/* Of the sound, in all windows. */
void kg_timeline_toggle_mute (KgTimeline *timeline);
void kg_timeline_step (KgTimeline *timeline, int by);
/* by 1 or -1: to the next or previous key of the selected nodes. */
void kg_timeline_go_to_key (KgTimeline *timeline, int by);
/* (transfer full) (nullable) "path.slot" of what is drawn in the ruler: the sound of the graph. */
char *kg_timeline_dup_wanted (KgTimeline *timeline);
/* After an evaluation. */
void kg_timeline_results_changed (KgTimeline *timeline);
/* Another frame is on the screen: what the rate of playing is measured by. */
void kg_timeline_frame_shown (KgTimeline *timeline);

G_END_DECLS

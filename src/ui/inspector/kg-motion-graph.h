/* kg-motion-graph: a small image of a motion as curves over its time, for the inspector.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-motion.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_MOTION_GRAPH (kg_motion_graph_get_type ())
G_DECLARE_FINAL_TYPE (KgMotionGraph, kg_motion_graph, KG, MOTION_GRAPH, GtkWidget)

/* name: what it is the motion of, for screen readers. */
GtkWidget *kg_motion_graph_new (const char *name);
/* motion: (nullable) unknown, or it could not be computed. */
void kg_motion_graph_set_motion (KgMotionGraph *graph, const KgMotion *motion);

G_END_DECLS

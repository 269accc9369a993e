/* kg-handle-view: the handles of the active node on top of what the viewport shows: drawing them, and moving them with
 * pointer and keys.  Knows pixels and a projection, but no widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"
#include "kg-projection.h"
#include "kg-snap.h"

#include <pango/pangocairo.h>

G_BEGIN_DECLS

typedef struct _KgHandleView KgHandleView;

typedef struct {
  bool snap;  /* see kg_handle_view_set_snaps; of keys: to the grid */
  bool apart; /* a tangent comes away from the one on the other side */
} KgHandleModifiers;

KgHandleView *kg_handle_view_new (KgDocument *document);
void kg_handle_view_free (KgHandleView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgHandleView, kg_handle_view_free)

void kg_handle_view_set_shown (KgHandleView *view, bool shown);
bool kg_handle_view_get_shown (KgHandleView *view);
/* What kg_handles_dup_wanted requested; takes a reference. */
void kg_handle_view_set_values (KgHandleView *view, GHashTable *values);
/* Paths that were sampled (KgResultSet.paths); takes a reference. */
void kg_handle_view_set_paths (KgHandleView *view, GHashTable *paths);
/* Whether the paths of what moves are drawn, with the keys of other frames. */
void kg_handle_view_set_paths_shown (KgHandleView *view, bool shown);
bool kg_handle_view_get_paths_shown (KgHandleView *view);
/* Of the active node, for its frames. */
KgHandles kg_handle_view_get_handles (KgHandleView *view);

void kg_handle_view_draw (KgHandleView *view, cairo_t *cr, PangoContext *context, const KgProjection *projection,
                          double width, double height);

/* The pointer.  Press is true when it takes something; that is the active one from then on.  add: it is selected besides the
 * others, or no longer, and nothing is dragged. */
bool kg_handle_view_press (KgHandleView *view, const KgProjection *projection, double x, double y, bool add);
/* False with *error when the graph refuses what it is dragged to. */
bool kg_handle_view_drag (KgHandleView *view, const KgProjection *projection, double x, double y,
                          KgHandleModifiers modifiers, GError **error);
void kg_handle_view_release (KgHandleView *view);
/* A figure is drawn: a point where the pointer is, joined to the active one by a rod; or only the rod (or none any more),
 * when there is a point.  What is there can be dragged at once.  False when the node draws no figure. */
bool kg_handle_view_draw_figure (KgHandleView *view, const KgProjection *projection, double x, double y,
                                 GError **error);
/* Points of things that move by themselves are taken hold of by dragging, and are led as frames go by: see kg-grab.h. */
bool kg_handle_view_is_grabbing (KgHandleView *view);
void kg_handle_view_frame_changed (KgHandleView *view);
void kg_handle_view_set_recording (KgHandleView *view, bool recording);
bool kg_handle_view_get_recording (KgHandleView *view);

/* Parts of an object and points of its skeleton are not dragged, but chosen: a part, and then the points that it follows
 * or no longer follows.  False where the active one is neither, or nothing changes. */
bool kg_handle_view_choose (KgHandleView *view, GError **error);

/* Several handles.  They are moved, rotated and scaled together, by those in their middle, or by moving one of them. */
/* 0 unless there are several. */
guint kg_handle_view_get_n_selected (KgHandleView *view);
/* The node has several that can be. */
bool kg_handle_view_can_select (KgHandleView *view);
/* The grip is one of them, or no longer; it is the active one then. */
void kg_handle_view_toggle (KgHandleView *view, const KgGrip *grip);
/* The same of the active one; false where it cannot be. */
bool kg_handle_view_toggle_active (KgHandleView *view);
/* Both give how many there are. */
guint kg_handle_view_select_all (KgHandleView *view);
guint kg_handle_view_select_box (KgHandleView *view, const KgProjection *projection, double x0, double y0, double x1,
                                 double y1, bool add);
/* False when there were not several. */
bool kg_handle_view_unselect (KgHandleView *view);

/* Soft selection: points of the same list that are near to what moves move a share of it. */
void kg_handle_view_set_soft (KgHandleView *view, bool soft);
bool kg_handle_view_get_soft (KgHandleView *view);
/* Changes the radius, also in the middle of a drag.  False when nothing is soft. */
bool kg_handle_view_scale_radius (KgHandleView *view, const KgProjection *projection, double factor, GError **error);
/* The circle to be drawn, in pixels; false: none. */
bool kg_handle_view_find_soft (KgHandleView *view, const KgProjection *projection, KgVector *at, double *radius);

/* What is dragged with KgHandleModifiers.snap snaps to: KgSnap together. */
void kg_handle_view_set_snaps (KgHandleView *view, guint snaps);
/* stage: (nullable) (element-type KgStageItem) whose points it may snap to. */
void kg_handle_view_set_stage (KgHandleView *view, const GPtrArray *stage);

/* (nullable) */
const KgGrip *kg_handle_view_get_active (KgHandleView *view);
/* The next (by 1) or the one before (-1); false past the last, where none is active any more. */
bool kg_handle_view_step (KgHandleView *view, int by);
void kg_handle_view_unset_active (KgHandleView *view);
/* Moves the active one by pixels, or by round steps: to the right, up, and away. */
bool kg_handle_view_nudge (KgHandleView *view, const KgProjection *projection, double right, double up, double away,
                           KgHandleModifiers modifiers, GError **error);

/* A point of a list where the pointer is, in the nearest piece of the line; false when the node has no such list. */
bool kg_handle_view_insert (KgHandleView *view, const KgProjection *projection, double x, double y, GError **error);
/* One behind the active one. */
bool kg_handle_view_insert_after (KgHandleView *view, const KgProjection *projection, GError **error);
bool kg_handle_view_remove (KgHandleView *view, GError **error);

/* Of figures, at the active point: see kg-figure-edit.h. */
bool kg_handle_view_toggle_hinge (KgHandleView *view, GError **error);
bool kg_handle_view_toggle_pin (KgHandleView *view, GError **error);
/* At the first call it is where the rod begins, at the next where it ends.  *begun: it was the first. */
bool kg_handle_view_toggle_rod (KgHandleView *view, bool *begun, GError **error);
/* (transfer full) (nullable) Name and numbers of the active one. */
char *kg_handle_view_dup_text (KgHandleView *view);

G_END_DECLS

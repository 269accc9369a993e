/* kg-grab: taking hold of a point of something that moves by itself (KG_HANDLE_GRAB in kg-node.h), frame by frame as it
 * plays.  Keys record it: the point is held from one frame on, moved, and released.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-handles.h"

G_BEGIN_DECLS

typedef struct _KgGrab KgGrab;

KgGrab *kg_grab_new (KgDocument *document);
void kg_grab_free (KgGrab *grab);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgGrab, kg_grab_free)

/* Whether keys stay.  Otherwise they are undone as soon as a frame before them is shown, unless the graph was changed
 * since; redo brings them back. */
void kg_grab_set_recording (KgGrab *grab, bool recording);
bool kg_grab_get_recording (KgGrab *grab);

/* The point of the grip is at a place at the document's frame: called whenever either has changed.  Where frames go by
 * in between, what was there is written over. */
bool kg_grab_hold (KgGrab *grab, const KgGrip *grip, KgVector to, GError **error);
/* Lets go after the frame that was held last: what is held moves on by itself.  One step of undo. */
void kg_grab_release (KgGrab *grab);
bool kg_grab_is_holding (KgGrab *grab);
/* Another frame is shown. */
void kg_grab_frame_changed (KgGrab *grab);

G_END_DECLS

/* kg-frame-store: images of frames, kept to be played: half floats, at full, half or quarter size.  Any thread.
 *
 * An image is found by a key, which stands for everything that it depends on but the frame, and by its frame.  Beyond the
 * budget the frames go that are farthest from the one that was requested last.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-hash.h"
#include "kg-image.h"

G_BEGIN_DECLS

/* Pixels along a side for one that is kept. */
typedef enum { KG_KEEP_NONE = 0, KG_KEEP_FULL = 1, KG_KEEP_HALF = 2, KG_KEEP_QUARTER = 4 } KgKeep;

typedef struct _KgFrameStore KgFrameStore;

KgFrameStore *kg_frame_store_new (guint64 budget);
KgFrameStore *kg_frame_store_ref (KgFrameStore *store);
void kg_frame_store_unref (KgFrameStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgFrameStore, kg_frame_store_unref)

/* Bytes; frames beyond it are dropped at once. */
void kg_frame_store_set_budget (KgFrameStore *store, guint64 budget);
/* Keeps what an image shows (colours and opacity, no depth); keep: not none.  False when the budget has no room for a single
 * frame of that size. */
bool kg_frame_store_put (KgFrameStore *store, KgHash key, gint64 frame, const KgImage *image, KgKeep keep);
/* Whether a frame of so many bytes would drop no other. */
bool kg_frame_store_has_room (KgFrameStore *store, guint64 bytes);
bool kg_frame_store_has (KgFrameStore *store, KgHash key, gint64 frame);
/* (transfer full) (nullable) 8 bits a channel, red, green, blue, opacity, not premultiplied, as kg_image_to_rgba8 makes them,
 * row by row; NULL when it is not kept. */
GBytes *kg_frame_store_get (KgFrameStore *store, KgHash key, gint64 frame, int *width, int *height);
/* Bytes in use. */
guint64 kg_frame_store_get_size (KgFrameStore *store);

G_END_DECLS

/* kg-buffer: shared, counted memory under the heavy values (attribute arrays, pixels, topology).
 * A buffer is immutable while more than one holder has it.  The cache counts each buffer once,
 * however many cached values share it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

/* Zeroed, aligned to 64 bytes (16 below 1 KiB).  Returns NULL when memory runs out (sizes come from files,
 * so this is an error to report and not a reason to abort).  (transfer full) (nullable) */
KgBuffer *kg_buffer_new (size_t bytes);
KgBuffer *kg_buffer_ref (KgBuffer *buffer);
void kg_buffer_unref (KgBuffer *buffer);
size_t kg_buffer_get_size (const KgBuffer *buffer);
const void *kg_buffer_get_data (const KgBuffer *buffer);

/* Makes *buffer the caller's alone (copying if it is shared) and at least bytes long; bytes beyond the old
 * size are zero.  Returns its data, or NULL and leaves *buffer alone when memory runs out. */
void *kg_buffer_make_writable (KgBuffer **buffer, size_t bytes);

/* The same for data that will be written over: where *buffer is shared, its data is not copied but left in *shared (transfer
 * full), to be read until that is released, and what is returned has any content; otherwise *shared is NULL. */
void *kg_buffer_make_writable_uncopied (KgBuffer **buffer, KgBuffer **shared);

/* Whether the floats in it are known to be finite: remembered, so that shared arrays are checked once;
 * forgotten by kg_buffer_make_writable. */
bool kg_buffer_is_finite (const KgBuffer *buffer);
void kg_buffer_set_finite (KgBuffer *buffer);

/* For the cache: counts the cached values that hold the buffer; true on the first hold / last release.
 * Call with the cache's lock held. */
bool kg_buffer_hold_cached (KgBuffer *buffer);
bool kg_buffer_release_cached (KgBuffer *buffer);

/* Visits the buffers under a value; see kg_value_each_buffer. */
typedef void (*KgBufferVisit) (KgBuffer *buffer, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgBuffer, kg_buffer_unref)

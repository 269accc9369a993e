/* kg-buffer: shared memory with a count of its holders.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-buffer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

struct _KgBuffer {
  gatomicrefcount refs;
  atomic_bool finite;
  guint cached;
  size_t size;
  void *data;
};

/* Memory that is about to be written is not zeroed first: touching it twice costs as much as copying it. */
static KgBuffer *
allocate (size_t bytes)
{
  void *data;
  KgBuffer *buffer;

  if (bytes > SIZE_MAX / 2 || posix_memalign (&data, ALIGNMENT, MAX (bytes, 1)) != 0)
    return NULL;
  buffer = g_new0 (KgBuffer, 1);
  g_atomic_ref_count_init (&buffer->refs);
  buffer->size = bytes;
  buffer->data = data;
  return buffer;
}

KgBuffer *
kg_buffer_new (size_t bytes)
{
  KgBuffer *buffer = allocate (bytes);

  if (buffer != NULL)
    memset (buffer->data, 0, bytes);
  return buffer;
}

KgBuffer *
kg_buffer_ref (KgBuffer *buffer)
{
  g_atomic_ref_count_inc (&buffer->refs);
  return buffer;
}

void
kg_buffer_unref (KgBuffer *buffer)
{
  if (!g_atomic_ref_count_dec (&buffer->refs))
    return;
  free (buffer->data);
  g_free (buffer);
}

size_t
kg_buffer_get_size (const KgBuffer *buffer)
{
  return buffer->size;
}

const void *
kg_buffer_get_data (const KgBuffer *buffer)
{
  return buffer->data;
}

void *
kg_buffer_make_writable (KgBuffer **buffer, size_t bytes)
{
  KgBuffer *old = *buffer, *copy;

  if (g_atomic_ref_count_compare (&old->refs, 1) && old->size >= bytes) {
    atomic_store_explicit (&old->finite, false, memory_order_relaxed);
    return old->data;
  }
  copy = allocate (MAX (bytes, old->size));
  if (copy == NULL)
    return NULL;
  memcpy (copy->data, old->data, old->size);
  memset ((char *) copy->data + old->size, 0, copy->size - old->size);
  kg_buffer_unref (old);
  *buffer = copy;
  return copy->data;
}

bool
kg_buffer_is_finite (const KgBuffer *buffer)
{
  return atomic_load_explicit (&buffer->finite, memory_order_relaxed);
}

void
kg_buffer_set_finite (KgBuffer *buffer)
{
  atomic_store_explicit (&buffer->finite, true, memory_order_relaxed);
}

bool
kg_buffer_hold_cached (KgBuffer *buffer)
{
  return buffer->cached++ == 0;
}

bool
kg_buffer_release_cached (KgBuffer *buffer)
{
  return --buffer->cached == 0;
}

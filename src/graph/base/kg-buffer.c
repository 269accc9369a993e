/* kg-buffer: shared memory with a count of its holders.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-buffer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 64

/* Below this size malloc is used, which aligns to 16 bytes and is several times faster. */
#define SMALL 1024

/* From this size on, blocks ask for huge pages: the first touch of each small page costs about as much as the work that
 * most nodes do on it. */
#define HUGE ((size_t) 4 << 20)
#define HUGE_PAGE ((size_t) 2 << 20)

/* From this size on, blocks come from the kernel: their pages are zero already, and only those that are touched exist. */
#define MAPPED ((size_t) 32 << 20)

/* From this size on, copying is shared between threads, and in pieces of this size. */
#define COPY_PIECE ((size_t) 1 << 20)

/* The head of a block of memory; the data follow in the same block. */
struct _KgBuffer {
  gatomicrefcount refs;
  atomic_bool finite;
  guint cached;
  size_t size;
  void *data;
  size_t mapped; /* bytes to unmap; 0: free */
};

/* A new mapping that begins with a huge page.  NULL where there is no memory. */
static void *
map (size_t bytes)
{
  char *block = (char *) mmap (NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  size_t before;

  if (block == MAP_FAILED)
    return NULL;
  before = (HUGE_PAGE - (size_t) block % HUGE_PAGE) % HUGE_PAGE;
  if (before > 0)
    munmap (block, before);
  munmap (block + before + bytes, HUGE_PAGE - before);
  return block + before;
}

static size_t
round_to_pages (size_t bytes)
{
  const size_t page = (size_t) sysconf (_SC_PAGESIZE);

  return (bytes + page - 1) / page * page;
}

/* Memory that is about to be written is not zeroed first: touching it twice costs as much as copying it. */
static KgBuffer *
allocate (size_t bytes)
{
  const size_t head = bytes < SMALL ? sizeof (KgBuffer) : ALIGNMENT;
  const size_t mapped = bytes < MAPPED ? 0 : round_to_pages (head + MIN (bytes, SIZE_MAX / 2));
  void *block = NULL;
  KgBuffer *buffer;

  if (bytes > SIZE_MAX / 2)
    return NULL;
  if (mapped > 0)
    block = map (mapped);
  else if (bytes < SMALL)
    block = malloc (head + bytes);
  else if (posix_memalign (&block, bytes < HUGE ? ALIGNMENT : HUGE_PAGE, head + bytes) != 0)
    block = NULL;
  if (block == NULL)
    return NULL;
  if (bytes >= HUGE)
    madvise (block, head + bytes, MADV_HUGEPAGE);
  buffer = (KgBuffer *) block;
  memset (buffer, 0, sizeof *buffer);
  g_atomic_ref_count_init (&buffer->refs);
  buffer->size = bytes;
  buffer->data = (char *) block + head;
  buffer->mapped = mapped;
  return buffer;
}

static void
copy (char *to, const char *from, size_t bytes)
{
  const size_t n = (bytes + COPY_PIECE - 1) / COPY_PIECE;

  if (n <= 1) {
    memcpy (to, from, bytes);
    return;
  }
#pragma omp parallel for schedule(dynamic)
  for (size_t i = 0; i < n; i++)
    memcpy (to + i * COPY_PIECE, from + i * COPY_PIECE, MIN (COPY_PIECE, bytes - i * COPY_PIECE));
}

KgBuffer *
kg_buffer_new (size_t bytes)
{
  KgBuffer *buffer = allocate (bytes);

  if (buffer != NULL && buffer->mapped == 0)
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
  if (buffer->mapped > 0)
    munmap (buffer, buffer->mapped);
  else
    free (buffer);
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
  KgBuffer *old = *buffer, *own;

  if (g_atomic_ref_count_compare (&old->refs, 1) && old->size >= bytes) {
    atomic_store_explicit (&old->finite, false, memory_order_relaxed);
    return old->data;
  }
  own = allocate (MAX (bytes, old->size));
  if (own == NULL)
    return NULL;
  copy ((char *) own->data, (const char *) old->data, old->size);
  if (own->mapped == 0)
    memset ((char *) own->data + old->size, 0, own->size - old->size);
  kg_buffer_unref (old);
  *buffer = own;
  return own->data;
}

void *
kg_buffer_make_writable_uncopied (KgBuffer **buffer, KgBuffer **shared)
{
  KgBuffer *old = *buffer, *own;

  *shared = NULL;
  if (g_atomic_ref_count_compare (&old->refs, 1)) {
    atomic_store_explicit (&old->finite, false, memory_order_relaxed);
    return old->data;
  }
  own = allocate (old->size);
  if (own == NULL)
    return NULL;
  *shared = old;
  *buffer = own;
  return own->data;
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

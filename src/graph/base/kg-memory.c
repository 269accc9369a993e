/* kg-memory: see the header.
 *
 * Going back is a forced unwinding (Itanium C++ ABI: Exception Handling, 1.3), as a cancelled thread of POSIX does it:
 * it runs what cleans up in each frame, for which everything is compiled with -fexceptions, and ends with a long jump.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-memory.h"

#include "kg-error.h"

#include <omp.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

/* This file calls the originals. */
#undef g_array_sized_new
#undef g_array_set_size
#undef g_array_append_vals

typedef struct Guard Guard;

struct Guard {
  jmp_buf target;
  const void *frame; /* of kg_memory_guard; the frames of what it called are below */
  gsize bytes;       /* that there was no memory for */
  struct _Unwind_Exception exception;
  Guard *outer;
};

/* A thread's own: what it runs now. */
static _Thread_local Guard *innermost;

static _Unwind_Reason_Code
stop_at_guard (int version, _Unwind_Action actions, _Unwind_Exception_Class class, struct _Unwind_Exception *exception,
               struct _Unwind_Context *context, void *data)
{
  Guard *guard = (Guard *) data;

  (void) version;
  (void) class;
  (void) exception;
  if ((actions & _UA_END_OF_STACK) != 0 || (const void *) _Unwind_GetCFA (context) > guard->frame)
    longjmp (guard->target, 1);
  return _URC_NO_REASON;
}

void
kg_memory_give_up (gsize bytes)
{
  Guard *guard = innermost;

  if (guard != NULL && bytes >= KG_MEMORY_LARGE && !omp_in_parallel ()) {
    guard->bytes = bytes;
    _Unwind_ForcedUnwind (&guard->exception, stop_at_guard, guard);
  }
  g_error ("out of memory: a block of %" G_GSIZE_FORMAT " bytes", bytes);
}

/* Not inlined: the frame is that of this call. */
static G_NO_INLINE bool
run (Guard *guard, KgMemoryTask task, gpointer data, GError **error)
{
  guard->frame = __builtin_frame_address (0);
  if (setjmp (guard->target) == 0)
    return task (data, error);
  g_clear_error (error);
  kg_set_error (error, KG_ERROR_LIMIT,
                "no memory for a block of %.1f MB: use fewer points or pixels, or close other programs",
                (double) guard->bytes * 1e-6);
  return false;
}

bool
kg_memory_guard (KgMemoryTask task, gpointer data, GError **error)
{
  Guard guard = { .outer = innermost };
  bool done;

  innermost = &guard;
  done = run (&guard, task, data, error);
  innermost = guard.outer;
  return done;
}

/* Blocks. */

static gpointer
check (gpointer block, gsize bytes)
{
  if (G_UNLIKELY (block == NULL && bytes > 0))
    kg_memory_give_up (bytes);
  return block;
}

static gsize
multiply (gsize n, gsize bytes)
{
  gsize all;

  if (G_UNLIKELY (!g_size_checked_mul (&all, n, bytes)))
    kg_memory_give_up (G_MAXSIZE);
  return all;
}

gpointer
kg_malloc (gsize bytes)
{
  return bytes > 0 ? check (malloc (bytes), bytes) : NULL;
}

gpointer
kg_malloc0 (gsize bytes)
{
  return bytes > 0 ? check (calloc (1, bytes), bytes) : NULL;
}

gpointer
kg_malloc_n (gsize n, gsize bytes)
{
  return kg_malloc (multiply (n, bytes));
}

gpointer
kg_malloc0_n (gsize n, gsize bytes)
{
  return kg_malloc0 (multiply (n, bytes));
}

gpointer
kg_realloc (gpointer block, gsize bytes)
{
  if (bytes > 0)
    return check (realloc (block, bytes), bytes);
  free (block);
  return NULL;
}

gpointer
kg_realloc_n (gpointer block, gsize n, gsize bytes)
{
  return kg_realloc (block, multiply (n, bytes));
}

gpointer
kg_memdup (gconstpointer block, gsize bytes)
{
  return block != NULL && bytes > 0 ? memcpy (kg_malloc (bytes), block, bytes) : NULL;
}

/* Arrays. */

/* Tries what GLib is about to do: an array of so many elements becomes one of n. */
static void
try_growing (gsize size, gsize before, gsize n)
{
  const gsize bytes = size * n;
  void *volatile block; /* a compiler may leave out what is freed at once */

  if (bytes < KG_MEMORY_LARGE || (before > 0 && g_bit_storage (size * before - 1) == g_bit_storage (bytes - 1)))
    return;
  block = malloc ((gsize) 1 << g_bit_storage (bytes - 1));
  if (block == NULL)
    kg_memory_give_up (bytes);
  free (block);
}

GArray *
kg_array_sized_new (gboolean zero_terminated, gboolean clear, guint size, guint n)
{
  try_growing (size, 0, n);
  return g_array_sized_new (zero_terminated, clear, size, n);
}

GArray *
kg_array_set_size (GArray *array, guint n)
{
  if (n > array->len)
    try_growing (g_array_get_element_size (array), array->len, n);
  return g_array_set_size (array, n);
}

GArray *
kg_array_append_vals (GArray *array, gconstpointer values, guint n)
{
  try_growing (g_array_get_element_size (array), array->len, (gsize) array->len + n);
  return g_array_append_vals (array, values, n);
}

/* tests/torture/locks: reports the locks that ThreadSanitizer does not know to it: loaded before all others into a program that
 * was built with it (clang, -fsanitize=thread).  GLib's locks wait in the kernel by themselves, its counts of holders are in a
 * library that is not watched, and the threads of OpenMP meet in its own runtime, which reports that by its interface for tools
 * (OpenMP 5.0, chapter 4).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dlfcn.h>
#include <glib.h>
#include <omp-tools.h>
#include <stdlib.h>

/* Of sanitizer/tsan_interface.h. */
void __tsan_acquire (void *address);
void __tsan_release (void *address);
void __tsan_mutex_create (void *address, unsigned flags);
void __tsan_mutex_destroy (void *address, unsigned flags);
void __tsan_mutex_pre_lock (void *address, unsigned flags);
void __tsan_mutex_post_lock (void *address, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock (void *address, unsigned flags);
void __tsan_mutex_post_unlock (void *address, unsigned flags);

#define READ_LOCK (1u << 3)
#define TRY_LOCK (1u << 4)
#define TRY_FAILED (1u << 5)
#define LINKER_INIT (1u << 0)

/* The function that this one stands before. */
#define NEXT(result, name, ...)                                                                                        \
  static result (*next) (__VA_ARGS__);                                                                                 \
  if (next == NULL)                                                                                                    \
  *(void **) &next = dlsym (RTLD_NEXT, #name)

/* Locks. */

static void
lock (void *at, unsigned flags, void (*next) (void *))
{
  __tsan_mutex_pre_lock (at, flags | LINKER_INIT);
  next (at);
  __tsan_mutex_post_lock (at, flags | LINKER_INIT, 0);
}

static void
unlock (void *at, unsigned flags, void (*next) (void *))
{
  __tsan_mutex_pre_unlock (at, flags);
  next (at);
  __tsan_mutex_post_unlock (at, flags);
}

static int
try_lock (void *at, unsigned flags, int (*next) (void *))
{
  int done;

  __tsan_mutex_pre_lock (at, flags | LINKER_INIT | TRY_LOCK);
  done = next (at);
  __tsan_mutex_post_lock (at, flags | LINKER_INIT | TRY_LOCK | (done ? 0 : TRY_FAILED), 0);
  return done;
}

#define LOCK(name, type, flags)                                                                                        \
  void name (type *at)                                                                                                 \
  {                                                                                                                    \
    NEXT (void, name, void *);                                                                                         \
    lock (at, flags, next);                                                                                            \
  }
#define UNLOCK(name, type, flags)                                                                                      \
  void name (type *at)                                                                                                 \
  {                                                                                                                    \
    NEXT (void, name, void *);                                                                                         \
    unlock (at, flags, next);                                                                                          \
  }
#define TRY(name, type, flags)                                                                                         \
  gboolean name (type *at)                                                                                             \
  {                                                                                                                    \
    NEXT (int, name, void *);                                                                                          \
    return try_lock (at, flags, next);                                                                                 \
  }

LOCK (g_mutex_lock, GMutex, 0)
UNLOCK (g_mutex_unlock, GMutex, 0)
TRY (g_mutex_trylock, GMutex, 0)
LOCK (g_rw_lock_writer_lock, GRWLock, 0)
UNLOCK (g_rw_lock_writer_unlock, GRWLock, 0)
TRY (g_rw_lock_writer_trylock, GRWLock, 0)
LOCK (g_rw_lock_reader_lock, GRWLock, READ_LOCK)
UNLOCK (g_rw_lock_reader_unlock, GRWLock, READ_LOCK)
TRY (g_rw_lock_reader_trylock, GRWLock, READ_LOCK)

void
g_mutex_clear (GMutex *mutex)
{
  NEXT (void, g_mutex_clear, GMutex *);
  __tsan_mutex_destroy (mutex, 0);
  next (mutex);
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  NEXT (void, g_cond_wait, GCond *, GMutex *);
  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
  next (cond, mutex);
  __tsan_mutex_pre_lock (mutex, 0);
  __tsan_mutex_post_lock (mutex, 0, 0);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end)
{
  gboolean woken;

  NEXT (gboolean, g_cond_wait_until, GCond *, GMutex *, gint64);
  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
  woken = next (cond, mutex, end);
  __tsan_mutex_pre_lock (mutex, 0);
  __tsan_mutex_post_lock (mutex, 0, 0);
  return woken;
}

/* What is made once, and counts of holders. */

gboolean (g_once_init_enter) (volatile void *location)
{
  gboolean mine;

  NEXT (gboolean, g_once_init_enter, volatile void *);
  mine = next (location);
  if (!mine)
    __tsan_acquire ((void *) location);
  return mine;
}

void (g_once_init_leave) (volatile void *location, gsize result)
{
  NEXT (void, g_once_init_leave, volatile void *, gsize);
  __tsan_release ((void *) location);
  next (location, result);
}

gpointer
g_once_impl (GOnce *once, GThreadFunc function, gpointer data)
{
  gpointer result;

  NEXT (gpointer, g_once_impl, GOnce *, GThreadFunc, gpointer);
  result = next (once, function, data);
  __tsan_release (once);
  __tsan_acquire (once);
  return result;
}

void (g_atomic_ref_count_inc) (gatomicrefcount *count)
{
  NEXT (void, g_atomic_ref_count_inc, gatomicrefcount *);
  next (count);
}

gboolean (g_atomic_ref_count_dec) (gatomicrefcount *count)
{
  gboolean last;

  NEXT (gboolean, g_atomic_ref_count_dec, gatomicrefcount *);
  __tsan_release (count);
  last = next (count);
  if (last)
    __tsan_acquire (count);
  return last;
}

/* The only holder writes into it. */
gboolean (g_atomic_ref_count_compare) (gatomicrefcount *count, gint value)
{
  gboolean equal;

  NEXT (gboolean, g_atomic_ref_count_compare, gatomicrefcount *, gint);
  equal = next (count, value);
  if (equal)
    __tsan_acquire (count);
  return equal;
}

void
g_object_unref (gpointer object)
{
  NEXT (void, g_object_unref, gpointer);
  __tsan_release (object);
  __tsan_acquire (object);
  next (object);
}

/* OpenMP: what was done before a parallel region is done before each of its threads begins, and so on. */

static void
on_parallel_begin (ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned wanted, int flags,
                   const void *code)
{
  (void) task;
  (void) frame;
  (void) wanted;
  (void) flags;
  (void) code;
  parallel->ptr = malloc (64);
  __tsan_release (parallel->ptr);
}

static void
on_parallel_end (ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
  (void) task;
  (void) flags;
  (void) code;
  __tsan_acquire (parallel->ptr);
  free (parallel->ptr);
}

static void
on_implicit_task (ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned n, unsigned index,
                  int flags)
{
  (void) n;
  (void) index;
  if (flags & ompt_task_initial)
    return;
  if (endpoint == ompt_scope_begin) {
    task->ptr = parallel->ptr;
    __tsan_acquire (task->ptr);
  }
}

static void
on_sync_region (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                const void *code)
{
  (void) kind;
  (void) parallel;
  (void) code;
  if (task == NULL || task->ptr == NULL)
    return;
  /* The last barrier of a region ends after the region may have: only its beginning matters. */
  if (endpoint == ompt_scope_begin)
    __tsan_release (task->ptr);
  else if (parallel != NULL)
    __tsan_acquire (task->ptr);
}

static void
on_acquired (ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
  (void) kind;
  (void) code;
  __tsan_acquire ((void *) (size_t) id);
}

static void
on_released (ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
  (void) kind;
  (void) code;
  __tsan_release ((void *) (size_t) id);
}

static int
begin (ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
  const ompt_set_callback_t set = (ompt_set_callback_t) lookup ("ompt_set_callback");

  (void) device;
  (void) data;
  set (ompt_callback_parallel_begin, (ompt_callback_t) on_parallel_begin);
  set (ompt_callback_parallel_end, (ompt_callback_t) on_parallel_end);
  set (ompt_callback_implicit_task, (ompt_callback_t) on_implicit_task);
  set (ompt_callback_sync_region, (ompt_callback_t) on_sync_region);
  set (ompt_callback_mutex_acquired, (ompt_callback_t) on_acquired);
  set (ompt_callback_mutex_released, (ompt_callback_t) on_released);
  return 1;
}

static void
end (ompt_data_t *data)
{
  (void) data;
}

ompt_start_tool_result_t *
ompt_start_tool (unsigned version, const char *runtime)
{
  static ompt_start_tool_result_t tool = { begin, end, { 0 } };

  (void) version;
  (void) runtime;
  return &tool;
}

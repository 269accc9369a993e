/* kg-cache: results by fingerprint, least recently used first out.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-evaluate-private.h"
#include "kg-state-folder.h"

/* How many times a checkpoint is spared when entries are evicted. */
#define CHECKPOINT_SPARED 8

/* How often a thread that waits for another's simulation checks whether it was cancelled, in microseconds. */
#define CLAIM_INTERVAL 50000

/* Places of the table when it is new; at most two thirds are taken. */
#define FIRST_PLACES 1024

/* How many evicted keys a growing cache remembers; a power of two. */
#define N_REMEMBERED 4096

typedef struct _Entry Entry;
typedef struct _Handle Handle;

/* A key by which an entry is found. */
struct _Handle {
  KgHash key;
  Entry *entry;
};

/* The table is probed in a line from the place that a key's fold gives.  The fold stands in the place: most questions
 * are for what is not there, and are answered without a look at an entry, which would be far away in memory. */
typedef struct {
  guint fold;
  Handle *handle; /* NULL: free */
} Place;

/* Every evaluation of a node makes one, so the handles are inside. */
struct _Entry {
  Handle handles[2];
  guint n_handles;
  KgHash file; /* its key in the folder; zero: it is not written */
  KgResult *result;
  guint spared; /* how many more evictions it survives */
  GList link;   /* in lru; data is the entry */
};

struct _KgCache {
  gatomicrefcount refs;
  GMutex lock;
  GCond released;
  Place *places;
  guint n_places; /* a power of two */
  guint n_handles;
  GHashTable *claims; /* KgHash */
  GQueue lru;         /* most recent first */
  guint64 bytes, budget, hits, misses, evictions;
  guint64 serial;        /* the last one taken */
  guint64 most;          /* that the budget may grow to */
  guint64 *remembered;   /* keys of evicted entries, folded, each in its place; NULL: the budget does not grow */
  KgStateFolder *folder; /* (nullable) */
};

/* The table.  All with the lock held. */

/* The place of the key, or the free one where it would go. */
static guint
find_place (const KgCache *cache, KgHash key)
{
  const guint fold = kg_hash_fold (key);
  guint at = fold & (cache->n_places - 1);

  for (; cache->places[at].handle != NULL; at = (at + 1) & (cache->n_places - 1))
    if (cache->places[at].fold == fold && kg_hash_equal (cache->places[at].handle->key, key))
      break;
  return at;
}

/* (nullable) */
static Entry *
find_entry (const KgCache *cache, KgHash key)
{
  const Handle *handle = cache->places[find_place (cache, key)].handle;

  return handle != NULL ? handle->entry : NULL;
}

static void
grow_table (KgCache *cache)
{
  const guint n_old = cache->n_places;
  g_autofree Place *old = cache->places;

  cache->n_places = 2 * n_old;
  cache->places = g_new0 (Place, cache->n_places);
  for (guint i = 0; i < n_old; i++)
    if (old[i].handle != NULL) {
      guint at = old[i].fold & (cache->n_places - 1);

      while (cache->places[at].handle != NULL)
        at = (at + 1) & (cache->n_places - 1);
      cache->places[at] = old[i];
    }
}

/* The key is not in the table; at: where it would go. */
static void
add_handle (KgCache *cache, Entry *entry, KgHash key, guint at)
{
  Handle *handle = &entry->handles[entry->n_handles++];

  handle->key = key;
  handle->entry = entry;
  cache->places[at] = (Place){ kg_hash_fold (key), handle };
  if (3 * ++cache->n_handles > 2 * cache->n_places)
    grow_table (cache);
}

/* What follows and could not have its own place moves up, so that no search ends too early (Knuth, The Art of Computer
 * Programming 3, 6.4, algorithm R). */
static void
remove_handle (KgCache *cache, const Handle *handle)
{
  const guint mask = cache->n_places - 1;
  guint hole = find_place (cache, handle->key);

  for (guint at = (hole + 1) & mask; cache->places[at].handle != NULL; at = (at + 1) & mask)
    if (((at - cache->places[at].fold) & mask) >= ((at - hole) & mask)) {
      cache->places[hole] = cache->places[at];
      hole = at;
    }
  cache->places[hole].handle = NULL;
  cache->n_handles--;
}

KgCache *
kg_cache_new (guint64 budget)
{
  KgCache *cache = g_new0 (KgCache, 1);

  g_atomic_ref_count_init (&cache->refs);
  g_mutex_init (&cache->lock);
  g_cond_init (&cache->released);
  cache->n_places = FIRST_PLACES;
  cache->places = g_new0 (Place, cache->n_places);
  cache->claims = g_hash_table_new_full (kg_hash_table_hash, kg_hash_table_equal, g_free, NULL);
  g_queue_init (&cache->lru);
  cache->budget = cache->most = budget;
  return cache;
}

KgCache *
kg_cache_new_growing (guint64 budget, guint64 most)
{
  KgCache *cache = kg_cache_new (budget);

  cache->most = MAX (budget, most);
  cache->remembered = g_new0 (guint64, N_REMEMBERED);
  return cache;
}

KgCache *
kg_cache_ref (KgCache *cache)
{
  g_atomic_ref_count_inc (&cache->refs);
  return cache;
}

bool
kg_cache_is_shared (KgCache *cache)
{
  return !g_atomic_ref_count_compare (&cache->refs, 1);
}

static void
hold_buffer (KgBuffer *buffer, gpointer data)
{
  if (kg_buffer_hold_cached (buffer))
    *(guint64 *) data += kg_buffer_get_size (buffer);
}

static void
release_buffer (KgBuffer *buffer, gpointer data)
{
  if (kg_buffer_release_cached (buffer))
    *(guint64 *) data -= kg_buffer_get_size (buffer);
}

/* Shared buffers count once, however many results hold them. */
static void
count_in (KgCache *cache, KgResult *result)
{
  if (result->cached++ > 0)
    return;
  cache->bytes += result->bytes;
  for (guint i = 0; i < result->n; i++)
    kg_value_each_buffer (&result->values[i], hold_buffer, &cache->bytes);
}

static void
count_out (KgCache *cache, KgResult *result)
{
  if (--result->cached > 0)
    return;
  cache->bytes -= result->bytes;
  for (guint i = 0; i < result->n; i++)
    kg_value_each_buffer (&result->values[i], release_buffer, &cache->bytes);
}

/* Results are written and freed after the lock is released, since that takes time: evicted entries wait in garbage, chained
 * by their links. */
static void
remove_entry (KgCache *cache, Entry *entry, GList **garbage)
{
  for (guint i = 0; i < entry->n_handles; i++)
    remove_handle (cache, &entry->handles[i]);
  g_queue_unlink (&cache->lru, &entry->link);
  count_out (cache, entry->result);
  cache->bytes -= sizeof *entry;
  entry->link.next = *garbage;
  *garbage = &entry->link;
}

static void
free_garbage (KgCache *cache, GList *garbage, bool store)
{
  while (garbage != NULL) {
    Entry *entry = (Entry *) garbage->data;

    garbage = garbage->next;
    if (store && cache->folder != NULL && !kg_hash_is_zero (entry->file))
      kg_state_folder_store (cache->folder, entry->file, entry->result);
    kg_result_unref (entry->result);
    g_free (entry);
  }
}

static void
remove_all (KgCache *cache, bool store)
{
  GList *garbage = NULL;

  g_mutex_lock (&cache->lock);
  while (cache->lru.head != NULL)
    remove_entry (cache, (Entry *) cache->lru.head->data, &garbage);
  g_mutex_unlock (&cache->lock);
  free_garbage (cache, garbage, store);
}

void
kg_cache_clear (KgCache *cache)
{
  remove_all (cache, false);
}

void
kg_cache_unref (KgCache *cache)
{
  if (!g_atomic_ref_count_dec (&cache->refs))
    return;
  remove_all (cache, true);
  g_free (cache->places);
  g_free (cache->remembered);
  g_hash_table_unref (cache->claims);
  kg_state_folder_free (cache->folder);
  g_mutex_clear (&cache->lock);
  g_cond_clear (&cache->released);
  g_free (cache);
}

bool
kg_cache_set_folder (KgCache *cache, const char *path, KgCacheOwner owner, guint64 budget, KgCacheWarning warning,
                     gpointer data, GError **error)
{
  g_return_val_if_fail (cache->folder == NULL, false);
  cache->folder = kg_state_folder_open (path, owner, budget, warning, data, error);
  return cache->folder != NULL;
}

bool
kg_cache_has_folder (KgCache *cache)
{
  return cache->folder != NULL;
}

KgResult *
kg_cache_load_checkpoint (KgCache *cache, KgHash file, const KgNodeType *type)
{
  return cache->folder != NULL && !kg_hash_is_zero (file) ? kg_state_folder_load (cache->folder, file, type) : NULL;
}

static guint64 *
find_remembered (const KgCache *cache, KgHash key)
{
  return &cache->remembered[kg_hash_fold (key) & (N_REMEMBERED - 1)];
}

/* With the lock held. */
static void
remember_evicted (KgCache *cache, const Entry *entry)
{
  for (guint i = 0; cache->remembered != NULL && i < entry->n_handles; i++)
    *find_remembered (cache, entry->handles[i].key) = kg_hash_fold (entry->handles[i].key);
}

/* Grows the budget if what is missing was evicted: it is asked again.  With the lock held. */
static void
grow_if_evicted (KgCache *cache, KgHash key)
{
  guint64 *remembered = cache->remembered != NULL ? find_remembered (cache, key) : NULL;

  if (remembered == NULL || *remembered != kg_hash_fold (key) || *remembered == 0)
    return;
  *remembered = 0;
  cache->budget = MIN (2 * cache->budget, cache->most);
}

KgResult *
kg_cache_lookup (KgCache *cache, KgHash key)
{
  KgResult *result = NULL;
  Entry *entry;

  g_mutex_lock (&cache->lock);
  entry = find_entry (cache, key);
  if (entry != NULL) {
    cache->hits++;
    g_queue_unlink (&cache->lru, &entry->link);
    g_queue_push_head_link (&cache->lru, &entry->link);
    result = kg_result_ref (entry->result);
  } else {
    cache->misses++;
    grow_if_evicted (cache, key);
  }
  g_mutex_unlock (&cache->lock);
  return result;
}

bool
kg_cache_has (KgCache *cache, KgHash key)
{
  bool has;

  g_mutex_lock (&cache->lock);
  has = find_entry (cache, key) != NULL;
  if (!has)
    grow_if_evicted (cache, key);
  g_mutex_unlock (&cache->lock);
  return has;
}

/* Evicts the oldest entries until the others fit. With the lock held. */
static void
evict (KgCache *cache, GList **garbage)
{
  while (cache->bytes > cache->budget && cache->lru.tail != NULL) {
    Entry *oldest = (Entry *) cache->lru.tail->data;

    if (oldest->spared > 0) {
      oldest->spared--;
      g_queue_unlink (&cache->lru, &oldest->link);
      g_queue_push_head_link (&cache->lru, &oldest->link);
    } else {
      cache->evictions++;
      remember_evicted (cache, oldest);
      remove_entry (cache, oldest, garbage);
    }
  }
}

/* Up to two keys. */
static void
insert (KgCache *cache, const KgHash *keys, guint n_keys, KgResult *result, guint spared, KgHash file)
{
  Entry *entry = g_new (Entry, 1);
  GList *garbage = NULL, *replaced = NULL;

  *entry = (Entry){ .file = file, .result = kg_result_ref (result), .spared = spared, .link = { .data = entry } };
  g_mutex_lock (&cache->lock);
  for (guint i = 0; i < n_keys; i++) {
    guint at = find_place (cache, keys[i]);
    Entry *old = cache->places[at].handle != NULL ? cache->places[at].handle->entry : NULL;

    if (old == entry)
      continue;
    if (old != NULL) {
      remove_entry (cache, old, &replaced);
      at = find_place (cache, keys[i]);
    }
    add_handle (cache, entry, keys[i], at);
  }
  g_queue_push_head_link (&cache->lru, &entry->link);
  cache->bytes += sizeof *entry;
  count_in (cache, result);
  evict (cache, &garbage);
  g_mutex_unlock (&cache->lock);
  free_garbage (cache, replaced, false);
  free_garbage (cache, garbage, true);
}

void
kg_cache_insert (KgCache *cache, KgHash key, KgResult *result)
{
  insert (cache, &key, 1, result, 0, (KgHash){ 0, 0 });
}

void
kg_cache_insert_twice (KgCache *cache, KgHash key, KgHash other, KgResult *result)
{
  insert (cache, (const KgHash[]){ key, other }, 2, result, 0, (KgHash){ 0, 0 });
}

void
kg_cache_insert_checkpoint (KgCache *cache, KgHash key, KgResult *state, KgHash file)
{
  insert (cache, &key, 1, state, CHECKPOINT_SPARED, file);
}

bool
kg_cache_claim (KgCache *cache, KgHash key, GCancellable *cancellable)
{
  bool free;

  g_mutex_lock (&cache->lock);
  while (!(free = !g_hash_table_contains (cache->claims, &key)) && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (&cache->released, &cache->lock, g_get_monotonic_time () + CLAIM_INTERVAL);
  if (free)
    g_hash_table_add (cache->claims, g_memdup2 (&key, sizeof key));
  g_mutex_unlock (&cache->lock);
  return free;
}

void
kg_cache_release (KgCache *cache, KgHash key)
{
  g_mutex_lock (&cache->lock);
  g_hash_table_remove (cache->claims, &key);
  g_cond_broadcast (&cache->released);
  g_mutex_unlock (&cache->lock);
}

void
kg_cache_set_budget (KgCache *cache, guint64 budget)
{
  GList *garbage = NULL;

  g_mutex_lock (&cache->lock);
  cache->budget = cache->most = budget;
  evict (cache, &garbage);
  g_mutex_unlock (&cache->lock);
  free_garbage (cache, garbage, true);
}

guint64
kg_cache_take_serial (KgCache *cache)
{
  guint64 serial;

  g_mutex_lock (&cache->lock);
  serial = ++cache->serial;
  g_mutex_unlock (&cache->lock);
  return serial;
}

void
kg_cache_get_stats (KgCache *cache, KgCacheStats *stats)
{
  g_mutex_lock (&cache->lock);
  *stats = (KgCacheStats){ .bytes = cache->bytes,
                           .budget = cache->budget,
                           .entries = cache->lru.length,
                           .hits = cache->hits,
                           .misses = cache->misses,
                           .evictions = cache->evictions };
  g_mutex_unlock (&cache->lock);
}

/* kg-cache: results by fingerprint within a memory budget, least recently used first out.
 * May be shared by several evaluators on several threads.  Correctness never depends on what it holds.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"

G_BEGIN_DECLS

typedef struct _KgCache KgCache;

#define KG_CACHE_DEFAULT_BUDGET ((guint64) 2 << 30)

/* (transfer full) budget in bytes. */
KgCache *kg_cache_new (guint64 budget);

/* The budget of a render, which asks most results once. */
#define KG_CACHE_RENDER_BUDGET ((guint64) 64 << 20)

/* (transfer full) The budget doubles, up to most, whenever a result is asked again that was evicted: frames that use nothing
 * of each other take little memory, and simulations and trails get what they need. */
KgCache *kg_cache_new_growing (guint64 budget, guint64 most);
KgCache *kg_cache_ref (KgCache *cache);
void kg_cache_unref (KgCache *cache);

typedef struct {
  guint64 bytes, budget;
  guint64 entries, hits, misses, evictions;
} KgCacheStats;

/* Results that no longer fit are released at once. */
void kg_cache_set_budget (KgCache *cache, guint64 budget);
/* A number that the cache has not given before, from 1: to keep the keys of some results apart from all others. */
guint64 kg_cache_take_serial (KgCache *cache);
void kg_cache_get_stats (KgCache *cache, KgCacheStats *stats);
void kg_cache_clear (KgCache *cache);

/* A problem with the folder that does not stop the evaluation. Called on any thread that uses the cache. */
typedef void (*KgCacheWarning) (const char *message, gpointer data);

#define KG_CACHE_DEFAULT_FOLDER_BUDGET ((guint64) 8 << 30)

/* Which users' folders and states are used. */
typedef enum {
  KG_CACHE_OWN, /* those of the user who runs the program */
  KG_CACHE_OF_OTHERS,
} KgCacheOwner;

/* Writes states of simulations to files in this folder (created if missing): those that no longer fit into memory, and the rest
 * when the cache is freed. The oldest files are removed when they exceed budget bytes. Their states are found by this cache
 * and by later ones. Fails when the folder does not have the owner. To be called before the cache is used. */
bool kg_cache_set_folder (KgCache *cache, const char *path, KgCacheOwner owner, guint64 budget, KgCacheWarning warning,
                          gpointer data, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgCache, kg_cache_unref)

G_END_DECLS

/* kg-cache: results by fingerprint within a memory budget, least recently used first out.
 * May be shared by several evaluators on several threads.  Correctness never depends on what it holds.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"

G_BEGIN_DECLS

#define KG_CACHE_DEFAULT_BUDGET ((guint64) 2 << 30)

/* (transfer full) budget in bytes. */
KgCache *kg_cache_new (guint64 budget);
KgCache *kg_cache_ref (KgCache *cache);
void kg_cache_unref (KgCache *cache);

typedef struct {
  guint64 bytes, budget;
  guint64 entries, hits, misses, evictions;
} KgCacheStats;

void kg_cache_get_stats (KgCache *cache, KgCacheStats *stats);
void kg_cache_clear (KgCache *cache);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgCache, kg_cache_unref)

G_END_DECLS

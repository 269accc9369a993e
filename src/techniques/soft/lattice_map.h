/* lattice_map: numbers for corners, edges and cubes of a lattice, found by their place: a hash table with open addressing.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-hash.h"

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* Places lie within ± this along each axis. */
#define LATTICE_MAX ((int32_t) 1 << 19)

typedef struct {
  uint64_t *keys; /* 0: empty; else the key + 1 */
  uint32_t *values;
  size_t n, size; /* size: a power of two */
} LatticeMap;

/* Of a place and one of 8 things there, in the order of z, y, x. */
static inline uint64_t
lattice_key (int32_t x, int32_t y, int32_t z, guint thing)
{
  const uint64_t bias = (uint64_t) LATTICE_MAX;

  return ((((uint64_t) (z + (int64_t) bias) << 20 | (uint64_t) (y + (int64_t) bias)) << 20 |
           (uint64_t) (x + (int64_t) bias))
          << 3) |
         thing;
}

static inline void
lattice_map_clear (LatticeMap *map)
{
  g_free (map->keys);
  g_free (map->values);
}

/* Eight places in a row along x share a cache line: what asks for one asks for its neighbours next. */
static inline size_t
lattice_map_find_slot (const LatticeMap *map, uint64_t key)
{
  const uint64_t row = key >> 3 & 7;
  size_t slot = (size_t) (kg_hash_mix (key & ~((uint64_t) 7 << 3)) << 3 | row) & (map->size - 1);

  while (map->keys[slot] != 0 && map->keys[slot] != key + 1)
    slot = (slot + 1) & (map->size - 1);
  return slot;
}

static inline void
lattice_map_grow (LatticeMap *map)
{
  const LatticeMap old = *map;

  map->size = old.size > 0 ? 2 * old.size : 1024;
  map->keys = g_new0 (uint64_t, map->size);
  map->values = g_new (uint32_t, map->size);
  for (size_t i = 0; i < old.size; i++)
    if (old.keys[i] != 0) {
      const size_t slot = lattice_map_find_slot (map, old.keys[i] - 1);

      map->keys[slot] = old.keys[i];
      map->values[slot] = old.values[i];
    }
  g_free (old.keys);
  g_free (old.values);
}

/* The number of a key: value and true where it is new. */
static inline bool
lattice_map_add (LatticeMap *map, uint64_t key, uint32_t value, uint32_t *found)
{
  size_t slot;

  if (2 * (map->n + 1) > map->size)
    lattice_map_grow (map);
  slot = lattice_map_find_slot (map, key);
  if (map->keys[slot] != 0) {
    *found = map->values[slot];
    return false;
  }
  map->keys[slot] = key + 1;
  map->values[slot] = value;
  map->n++;
  *found = value;
  return true;
}

static inline bool
lattice_map_contains (const LatticeMap *map, uint64_t key)
{
  return map->size > 0 && map->keys[lattice_map_find_slot (map, key)] != 0;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LatticeMap, lattice_map_clear)

G_END_DECLS

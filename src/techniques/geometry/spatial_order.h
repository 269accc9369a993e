/* spatial_order: things in space, in the order of a balanced binary tree.
 *
 * Level by level, each part of the things is cut at the median along its longest side (Bentley 1975; Friedman, Bentley and
 * Finkel 1977).  The tree needs no pointers: part i of level l is a range of the order that follows from the two numbers.
 * Boxes over the parts make it a k-d tree of points (point_tree.h) or a tree of bounding boxes (box_tree.h).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"

#include <stddef.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
  float at[3]; /* finite */
  uint32_t index;
} SpatialItem;

/* How often n items have to be halved until no part has more items than this. */
guint spatial_order_get_levels (size_t n, size_t per_part);

/* Where part i of a level begins; part i + 1 begins where it ends. */
static inline size_t
spatial_order_get_first (size_t n, guint level, size_t i)
{
  return (size_t) (((uint64_t) n * i) >> level);
}

/* The number of part i of a level among the parts of all levels, in one array. */
static inline size_t
spatial_order_get_node (guint level, size_t i)
{
  return ((size_t) 1 << level) - 1 + i;
}

/* Sorts the items into the parts of the last level.  The same order for any number of threads.  False: cancelled. */
bool spatial_order (SpatialItem *items, size_t n, guint levels, const KgProgressMonitor *monitor);

G_END_DECLS

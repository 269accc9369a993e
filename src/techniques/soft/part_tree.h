/* part_tree: the tree that the parts of a soft object form, and which branches of two of them belong together.
 *
 * The integer attribute part of a key says which part it belongs to, parent which part that hangs on; below 0, or the part
 * itself, it is a root.  A parent needs no keys of its own.
 * Source: Wyvill, Metamorphosis of Implicit Surfaces, 1990 (hierarchical matching).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef struct {
  int32_t part;
  int64_t parent;                    /* index of a node; -1: a root */
  int64_t first_child, next_sibling; /* in the order of their first keys; -1: none */
  GArray *keys;                      /* size_t */
} PartNode;

typedef struct {
  GArray *nodes;      /* PartNode */
  int64_t first_root; /* -1: none; the others are its siblings */
} PartTree;

void part_tree_clear (PartTree *tree);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PartTree, part_tree_clear)

/* KG_ERROR_INVALID_VALUE: parts that hang on each other, or keys of a part that disagree on what it hangs on. */
bool part_tree_read (const KgGeometry *keys, PartTree *tree, GError **error);

/* Index -1: none on that side. */
typedef struct {
  int64_t source, destination;
  int64_t above_source, above_destination; /* the nodes of the closest pair above that has both; -1: none */
  guint level;                             /* 0: roots */
} PartPair;

/* Level by level: of the children of partners those of the same part are partners, the others in their order; what is left
 * has no partner, nor has anything below it.  (element-type PartPair) (transfer full), NULL: cancelled */
GArray *part_tree_match (const PartTree *source, const PartTree *destination, const KgProgressMonitor *monitor);

G_END_DECLS

/* part_tree: the tree that the parts of a soft object form, and which branches of two of them belong together.
 *
 * The integer attribute part of a key says which part it belongs to, parent which part that hangs on; below 0, or the part
 * itself, it is a root.  A parent needs no keys of its own.  Where keys have the text path, such as man/arm/hand, that says both: all
 * parts that it names exist, and the last word is what parts are matched by.
 * Source: Wyvill, Metamorphosis of Implicit Surfaces, 1990 (hierarchical matching).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Numbers for texts, from 0 on in the order in which they were first asked for: the same for both trees. */
typedef struct {
  GHashTable *numbers;
} PartNames;

void part_names_clear (PartNames *names);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PartNames, part_names_clear)
/* Whether any key has a path. */
bool part_names_are_used (const KgGeometry *keys);
/* The part that each key belongs to, by its path; by its number where it has none.  (transfer full) */
int32_t *part_names_read (PartNames *names, const KgGeometry *keys);

typedef struct {
  int32_t part;
  int32_t label;                     /* by which it is matched: the part, or the last word of a path */
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
/* names: (nullable) where any of the keys that are to be matched have paths. */
bool part_tree_read (const KgGeometry *keys, PartNames *names, PartTree *tree, GError **error);

/* Index -1: none on that side. */
typedef struct {
  int64_t source, destination;
  int64_t above_source, above_destination; /* the nodes of the closest pair above that has both; -1: none */
  guint level;                             /* 0: roots */
} PartPair;

/* Level by level: of the children of partners those of the same label are partners, the others in their order; what is left
 * has no partner, nor has anything below it.  (element-type PartPair) (transfer full), NULL: cancelled */
GArray *part_tree_match (const PartTree *source, const PartTree *destination, const KgProgressMonitor *monitor);

G_END_DECLS

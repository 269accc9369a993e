/* mass_tree: an octree of masses at places, for far ones that count together (Barnes and Hut 1986).
 *
 * Cells are in the order in which they are gone through: each before those inside of it, which a visitor that takes the whole
 * cell skips.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
  KgVector center; /* of mass */
  double mass;
  double size;         /* of the cell's side */
  uint32_t first, end; /* masses, in the order of the tree */
  uint32_t skip;       /* the next cell that is not inside of this one */
  bool leaf;
} MassCell;

typedef struct {
  GArray *cells;   /* MassCell */
  uint32_t *order; /* indices of masses */
  const double *masses;
  const KgVector *places;
} MassTree;

/* n > 0 masses, not below 0; both arrays are borrowed as long as the tree is there. */
void mass_tree_init (MassTree *tree, size_t n, const double *masses, const KgVector *places);
void mass_tree_clear (MassTree *tree);

static inline const MassCell *
mass_tree_get_cell (const MassTree *tree, guint index)
{
  return &g_array_index (tree->cells, MassCell, index);
}

/* Whether a cell that is so far away is seen as one: smaller than opening times its distance.  Such a cell does not hold the
 * place from which it is seen: its centre would be in it, too. */
static inline bool
mass_cell_is_far (const MassCell *cell, double distance, double opening)
{
  return !cell->leaf && cell->size < opening * distance && cell->size * 1.7320508 < distance;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (MassTree, mass_tree_clear)

G_END_DECLS

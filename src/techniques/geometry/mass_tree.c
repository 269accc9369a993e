/* mass_tree: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mass_tree.h"

#include <string.h>

/* Levels of the octree: cells of one place, more or less, are not divided. */
#define MAX_DEPTH 48
/* Masses of a cell that is not divided any more. */
#define LEAF 8

static guint
get_octant (KgVector x, KgVector middle)
{
  return (x.x > middle.x ? 1u : 0u) + (x.y > middle.y ? 2u : 0u) + (x.z > middle.z ? 4u : 0u);
}

static void
build (MassTree *tree, uint32_t first, uint32_t end, KgVector low, double size, guint depth)
{
  const guint index = tree->cells->len;
  const KgVector middle = kg_vector_add (low, kg_vector (size / 2, size / 2, size / 2));
  MassCell cell = { .size = size, .first = first, .end = end, .leaf = end - first <= LEAF || depth == MAX_DEPTH };

  for (uint32_t i = first; i < end; i++) {
    const uint32_t k = tree->order[i];

    cell.mass += tree->masses[k];
    cell.center = kg_vector_add_scaled (cell.center, tree->masses[k], tree->places[k]);
  }
  cell.center = cell.mass > 0 ? kg_vector_scale (cell.center, 1 / cell.mass) : middle;
  g_array_append_val (tree->cells, cell);
  if (!cell.leaf) {
    g_autofree uint32_t *sorted = g_new (uint32_t, end - first);
    uint32_t begins[9] = { 0 }, at[8];

    /* Those of an octant keep their order. */
    for (uint32_t i = first; i < end; i++)
      begins[1 + get_octant (tree->places[tree->order[i]], middle)]++;
    for (guint i = 0; i < 8; i++)
      at[i] = begins[i + 1] += begins[i];
    for (uint32_t i = end; i > first; i--)
      sorted[--at[get_octant (tree->places[tree->order[i - 1]], middle)]] = tree->order[i - 1];
    memcpy (tree->order + first, sorted, (end - first) * sizeof *sorted);
    for (guint i = 0; i < 8; i++)
      if (begins[i + 1] > begins[i])
        build (tree, first + begins[i], first + begins[i + 1],
               kg_vector (i & 1 ? middle.x : low.x, i & 2 ? middle.y : low.y, i & 4 ? middle.z : low.z), size / 2,
               depth + 1);
  }
  g_array_index (tree->cells, MassCell, index).skip = tree->cells->len;
}

void
mass_tree_init (MassTree *tree, size_t n, const double *masses, const KgVector *places)
{
  KgVector low = places[0], high = places[0];

  *tree = (MassTree){ .cells = g_array_new (FALSE, FALSE, sizeof (MassCell)),
                      .order = g_new (uint32_t, n),
                      .masses = masses,
                      .places = places };
  for (size_t i = 0; i < n; i++) {
    tree->order[i] = (uint32_t) i;
    low = kg_vector_min (low, places[i]);
    high = kg_vector_max (high, places[i]);
  }
  build (tree, 0, (uint32_t) n, low, fmax (high.x - low.x, fmax (high.y - low.y, high.z - low.z)), 0);
}

void
mass_tree_clear (MassTree *tree)
{
  if (tree->cells != NULL)
    g_array_unref (tree->cells);
  g_free (tree->order);
}

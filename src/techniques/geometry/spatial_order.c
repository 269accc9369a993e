/* spatial_order: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/spatial_order.h"

#include "kg-hash.h"

/* Parts of fewer items are not given to another thread. */
#define TASK 20000

guint
spatial_order_get_levels (size_t n, size_t per_part)
{
  guint levels = 0;

  while ((n + ((size_t) 1 << levels) - 1) >> levels > per_part)
    levels++;
  return levels;
}

static int
find_longest_side (const SpatialItem *items, size_t n)
{
  float low[3], high[3], side[3];

  for (int c = 0; c < 3; c++)
    low[c] = high[c] = items[0].at[c];
  for (size_t i = 1; i < n; i++)
    for (int c = 0; c < 3; c++) {
      const float x = items[i].at[c];

      low[c] = x < low[c] ? x : low[c];
      high[c] = x > high[c] ? x : high[c];
    }
  for (int c = 0; c < 3; c++)
    side[c] = high[c] - low[c];
  return side[0] >= side[1] && side[0] >= side[2] ? 0 : side[1] >= side[2] ? 1 : 2;
}

static float
get_median (float a, float b, float c)
{
  return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

/* The median of three items at the ends and in the middle, or of any three where those divide badly. */
static float
choose_pivot (const SpatialItem *items, size_t n, int axis, guint round)
{
  uint64_t at[3] = { 0, n / 2, n - 1 };

  for (uint64_t k = 0; round > 0 && k < 3; k++)
    at[k] = kg_hash_mix (3 * (uint64_t) round + k) % n;
  return get_median (items[at[0]].at[axis], items[at[1]].at[axis], items[at[2]].at[axis]);
}

/* Moves items so that none before the k-th is above it, and none behind it below (Hoare 1961). */
static void
select_median (SpatialItem *items, size_t n, size_t k, int axis)
{
  guint round = 0;

  while (n > 1) {
    const float pivot = choose_pivot (items, n, axis, round);
    size_t i = 0, j = n - 1;

    for (;;) {
      SpatialItem swap;

      while (items[i].at[axis] < pivot)
        i++;
      while (items[j].at[axis] > pivot)
        j--;
      if (i >= j)
        break;
      swap = items[i];
      items[i++] = items[j];
      items[j--] = swap;
    }
    /* Up to j: at most the pivot; from j + 1 on: at least. */
    if (i == j && items[j].at[axis] == pivot && k == j)
      return;
    if (j + 1 == n)
      j--;
    round = MIN (j + 1, n - j - 1) < n / 8 ? round + 1 : round;
    if (k <= j)
      n = j + 1;
    else {
      items += j + 1;
      k -= j + 1;
      n -= j + 1;
    }
  }
}

typedef struct {
  SpatialItem *items;
  size_t n;
  guint levels;
  const KgProgressMonitor *monitor;
} Sorting;

static void
sort_part (const Sorting *sorting, guint level, size_t i)
{
  const size_t from = spatial_order_get_first (sorting->n, level, i);
  const size_t to = spatial_order_get_first (sorting->n, level, i + 1);
  const size_t middle = spatial_order_get_first (sorting->n, level + 1, 2 * i + 1);

  if (level >= sorting->levels || to - from < 2 || kg_progress_is_cancelled (sorting->monitor))
    return;
  if (middle > from)
    select_median (sorting->items + from, to - from, middle - from,
                   find_longest_side (sorting->items + from, to - from));
  if (to - from > TASK) {
#pragma omp task
    sort_part (sorting, level + 1, 2 * i);
    sort_part (sorting, level + 1, 2 * i + 1);
  } else {
    sort_part (sorting, level + 1, 2 * i);
    sort_part (sorting, level + 1, 2 * i + 1);
  }
}

bool
spatial_order (SpatialItem *items, size_t n, guint levels, const KgProgressMonitor *monitor)
{
  const Sorting sorting = { items, n, levels, monitor };

#pragma omp parallel if (n > 2 * TASK)
#pragma omp single
  sort_part (&sorting, 0, 0);
  return !kg_progress_is_cancelled (monitor);
}

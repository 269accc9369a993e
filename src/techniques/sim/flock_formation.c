/* flock_formation: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_formation.h"

#include "kg-floats.h"
#include "geometry/point_tree.h"

#include <stdlib.h>

/* The rows of a diamond of n: 1, 2, ... q, ... 2, 1 of them. */
static size_t
get_half (size_t n)
{
  size_t q = 1;

  while (q * q < n)
    q++;
  return q;
}

/* The row and place in it of slot k, and the first slot of the row. */
static void
find_row (size_t k, size_t q, size_t *row, size_t *column)
{
  size_t first = 0, length = 1;

  *row = 0;
  while (k >= first + length) {
    first += length;
    ++*row;
    length = *row < q ? *row + 1 : MAX (2 * q - 1 - *row, 1);
  }
  *column = k - first;
}

static size_t
get_first (size_t row, size_t q)
{
  size_t first = 0;

  for (size_t r = 0; r < row; r++)
    first += r < q ? r + 1 : 2 * q - 1 - r;
  return first;
}

static FormationSlot
get_diamond (size_t k, size_t n, double angle, double spacing)
{
  const size_t q = get_half (n);
  const double behind = spacing * cos (angle), aside = spacing * sin (angle);
  size_t row, column, before;

  find_row (k, q, &row, &column);
  before = get_first (row - 1, q);
  if (row >= q)
    return (FormationSlot){ { (uint32_t) (before + column), (uint32_t) (before + column + 1) }, behind, 0 };
  if (column == 0)
    return (FormationSlot){ { (uint32_t) before, (uint32_t) before }, behind, aside };
  if (column == row)
    return (FormationSlot){ { (uint32_t) (before + column - 1), (uint32_t) (before + column - 1) }, behind, -aside };
  return (FormationSlot){ { (uint32_t) (before + column - 1), (uint32_t) (before + column) }, behind, 0 };
}

FormationSlot
formation_get_slot (FlockFormation formation, size_t k, size_t n, double angle, double spacing)
{
  const uint32_t two = (uint32_t) (k <= 2 ? 0 : k - 2), one = (uint32_t) (k - 1);
  const double side = k % 2 == 0 ? 1 : -1;

  switch (formation) {
  case FORMATION_V:
    return (FormationSlot){ { two, two }, spacing * cos (angle), side * spacing * sin (angle) };
  case FORMATION_ECHELON:
    return (FormationSlot){ { one, one }, spacing * cos (angle), -spacing * sin (angle) };
  case FORMATION_LINE:
    return (FormationSlot){ { two, two }, 0, side * spacing };
  case FORMATION_DIAMOND:
    return get_diamond (k, n, angle, spacing);
  default:
    return (FormationSlot){ { one, one }, spacing, 0 };
  }
}

void
formation_get_places (FlockFormation formation, size_t n, double angle, double spacing, KgVector leader,
                      KgVector heading, KgVector left, KgVector *places)
{
  for (size_t k = 0; k < n; k++) {
    FormationSlot slot;

    places[k] = leader;
    if (k == 0)
      continue;
    slot = formation_get_slot (formation, k, n, angle, spacing);
    places[k] = kg_vector_lerp (places[slot.front[0]], places[slot.front[1]], 0.5);
    places[k] = kg_vector_add_scaled (kg_vector_add_scaled (places[k], -slot.behind, heading), slot.left, left);
  }
}

typedef struct {
  double key;
  uint32_t member, slot;
} Match;

static int
compare_matches (const void *a, const void *b)
{
  const Match *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  if (x->member != y->member)
    return x->member < y->member ? -1 : 1;
  return (x->slot > y->slot) - (x->slot < y->slot);
}

static void
assign_nearest (const float *p, size_t n, size_t leader, const KgVector *places, int32_t *slots)
{
  const size_t m = n - 1;
  g_autofree Match *matches = g_new (Match, MAX (m * m, 1));
  g_autofree bool *taken = g_new0 (bool, n);
  size_t count = 0;

  for (size_t i = 0; i < n; i++)
    for (size_t k = 1; k < n && i != leader; k++)
      matches[count++] =
          (Match){ kg_vector_distance (kg_floats_get_vector (p, i), places[k]), (uint32_t) i, (uint32_t) k };
  qsort (matches, count, sizeof *matches, compare_matches);
  for (size_t i = 0; i < count; i++)
    if (slots[matches[i].member] < 0 && !taken[matches[i].slot]) {
      slots[matches[i].member] = (int32_t) matches[i].slot;
      taken[matches[i].slot] = true;
    }
}

/* Who is ahead gets the slots that are ahead. */
static void
assign_in_order (const float *p, size_t n, size_t leader, KgVector heading, const KgVector *places, int32_t *slots)
{
  g_autofree Match *members = g_new (Match, n), *order = g_new (Match, n);
  size_t count = 0;

  for (size_t i = 0; i < n; i++)
    if (i != leader)
      members[count++] = (Match){ -kg_vector_dot (kg_floats_get_vector (p, i), heading), (uint32_t) i, 0 };
  for (size_t k = 1; k < n; k++)
    order[k - 1] = (Match){ -kg_vector_dot (places[k], heading), 0, (uint32_t) k };
  qsort (members, count, sizeof *members, compare_matches);
  qsort (order, count, sizeof *order, compare_matches);
  for (size_t i = 0; i < count; i++)
    slots[members[i].member] = (int32_t) order[i].slot;
}

bool
formation_assign (const float *p, size_t n, size_t leader, KgVector heading, const KgVector *places, int32_t *slots,
                  const KgProgressMonitor *monitor)
{
  if (kg_progress_is_cancelled (monitor))
    return false;
  for (size_t i = 0; i < n; i++)
    slots[i] = -1;
  slots[leader] = 0;
  if (n <= FORMATION_EXACT)
    assign_nearest (p, n, leader, places, slots);
  else
    assign_in_order (p, n, leader, heading, places, slots);
  return true;
}

/* The first look of a member that is not before a time. */
static double
get_next_look (const FormationLooks *looks, uint32_t member, double time)
{
  const double phase = (double) looks->phase[member];
  const double count = ceil ((time - looks->time) * looks->rate + phase - 1e-5);

  return fmax (time, looks->time + (count - phase) / looks->rate);
}

bool
formation_spread_turn (const float *p, size_t n, size_t first, double time, double reaction,
                       const FormationLooks *looks, size_t ahead, double radius, float *turns,
                       const KgProgressMonitor *monitor)
{
  g_autoptr (PointGrid) grid = point_grid_new (p, n, (float) radius, monitor);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (PointNear));
  g_autofree Match *order = g_new (Match, MAX (n, 1));
  g_autofree uint32_t *rank = g_new (uint32_t, MAX (n, 1));
  const KgVector origin = kg_floats_get_vector (p, first);

  if (grid == NULL)
    return false;
  for (size_t i = 0; i < n; i++) {
    order[i] = (Match){ i == first ? -1 : kg_vector_distance (kg_floats_get_vector (p, i), origin), (uint32_t) i, 0 };
    turns[i] = FORMATION_NEVER;
  }
  qsort (order, n, sizeof *order, compare_matches);
  for (size_t r = 0; r < n; r++)
    rank[order[r].member] = (uint32_t) r;
  turns[first] = (float) time;
  for (size_t r = 1; r < n; r++) {
    const uint32_t i = order[r].member;
    size_t count = 0;

    if (r % 64 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    g_array_set_size (found, 0);
    point_grid_find_within (grid, p + 3 * (size_t) i, (float) radius, found);
    for (guint k = 0; k < found->len && count < ahead; k++) {
      const uint32_t other = g_array_index (found, PointNear, k).index;

      /* Towards where it began: those that are nearer to that than this one. */
      if (other == i || rank[other] >= r || !(turns[other] < FORMATION_NEVER))
        continue;
      turns[i] = (float) ((double) turns[other] + reaction);
      if (looks != NULL)
        turns[i] = (float) get_next_look (looks, i, (double) turns[i]);
      count++;
    }
  }
  return true;
}

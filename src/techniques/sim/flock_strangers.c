/* flock_strangers: the nearest member of another group, for those who seek to rejoin it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_step.h"

#include "kg-floats.h"

#include <string.h>

/* Nearest members among which one of another group is sought first. */
#define FEW 16

/* Takes the nearest of some members, in a tree with their indices, if it is nearer than the best. */
static void
take_nearest (const FlockStep *step, const PointTree *tree, const uint32_t *members, uint32_t i, PointNear *best)
{
  const float sight = (float) step->s->rejoin_sight;
  /* A hair more, for one that is as near and comes first. */
  const float radius = isfinite (best->distance2) ? fminf (sight, 1.0001f * sqrtf (best->distance2)) : sight;
  PointNear found;

  if (point_tree_find_nearest (tree, step->own_p + 3 * (size_t) i, 1, radius, &found) == 0)
    return;
  found.index = members[found.index];
  if (found.distance2 < best->distance2 || (found.distance2 == best->distance2 && found.index < best->index))
    *best = found;
}

static PointTree *
plant (const FlockStep *step, const uint32_t *members, size_t n, const KgProgressMonitor *monitor)
{
  g_autofree float *p = g_new (float, 3 * n);

  for (size_t k = 0; k < n; k++)
    memcpy (p + 3 * k, step->seen.p + 3 * (size_t) members[k], 3 * sizeof *p);
  return point_tree_new (p, n, monitor);
}

/* Those who seek among one half of the groups take the nearest of the other half. */
static bool
seek_in (const FlockStep *step, const uint32_t *seekers, size_t n_seekers, const uint32_t *members, size_t n,
         PointNear *best, const KgProgressMonitor *monitor)
{
  g_autoptr (PointTree) tree = n_seekers > 0 ? plant (step, members, n, monitor) : NULL;

  if (n_seekers > 0 && tree == NULL)
    return false;
#pragma omp parallel for schedule(dynamic, 64) if (n_seekers > 256)
  for (size_t k = 0; k < n_seekers; k++)
    if (!kg_progress_is_cancelled (monitor))
      take_nearest (step, tree, members, seekers[k], &best[seekers[k]]);
  return !kg_progress_is_cancelled (monitor);
}

/* The nearest strangers of members of the groups from low to below high among each other: halves of the groups, each of which
 * seeks in the other one, and then within.  first: how many members are in the groups before each.  seeks: of each member.
 * Groups are halved by their members, so that a member is in as few searches as its group is large. */
static bool
seek_among (const FlockStep *step, const size_t *first, int32_t low, int32_t high, const uint32_t *members,
            const uint8_t *seeks, PointNear *best, const KgProgressMonitor *monitor)
{
  const size_t n = first[high] - first[low], half = first[low] + n / 2;
  g_autofree uint32_t *parts = NULL, *seekers = NULL;
  size_t counts[2] = { 0, 0 }, n_seekers[2] = { 0, 0 }, split;
  int32_t middle = low + 1;

  if (high - low < 2)
    return true;
  while (middle < high - 1 && first[middle] < half)
    middle++;
  if (middle - 1 > low && first[middle] > half && half - first[middle - 1] < first[middle] - half)
    middle--;
  split = first[middle] - first[low];
  parts = g_new (uint32_t, n);
  seekers = g_new (uint32_t, n);
  for (size_t k = 0; k < n; k++) {
    const int side = step->group[members[k]] >= middle;
    const size_t from = side != 0 ? split : 0;

    parts[from + counts[side]++] = members[k];
    if (seeks[members[k]] != 0)
      seekers[from + n_seekers[side]++] = members[k];
  }
  if (n_seekers[0] + n_seekers[1] == 0)
    return true;
  return seek_in (step, seekers, n_seekers[0], parts + split, counts[1], best, monitor) &&
         seek_in (step, seekers + split, n_seekers[1], parts, counts[0], best, monitor) &&
         seek_among (step, first, low, middle, parts, seeks, best, monitor) &&
         seek_among (step, first, middle, high, parts + split, seeks, best, monitor);
}

/* Groups that a state from a file has need not be those of its members. */
bool
flock_check_groups (FlockStep *step, const KgProgressMonitor *monitor)
{
  bool good = true;

  for (size_t i = 0; i < step->n; i++)
    good &= step->group[i] >= 0 && (size_t) step->group[i] < step->n;
  if (good)
    return true;
  step->own_group = g_new (int32_t, step->n);
  step->group = step->own_group;
  return point_groups_find (step->own_p, step->n, (float) step->s->sight.radius, step->own_group, monitor) >= 0;
}

/* The nearest member of another group, of each.  Most of those in small groups have it among the few that are nearest; the
 * others seek in trees of other groups only. */
bool
flock_find_strangers (FlockStep *step, const KgProgressMonitor *monitor)
{
  const float sight = (float) step->s->rejoin_sight;
  g_autofree size_t *first = NULL;
  g_autofree uint32_t *members = NULL;
  g_autofree uint8_t *seeks = NULL;
  g_autofree PointNear *best = NULL;
  g_autoptr (PointTree) tree = NULL;
  int32_t n_groups = 0;

  for (size_t i = 0; i < step->n; i++)
    n_groups = MAX (n_groups, step->group[i] + 1);
  if (n_groups < 2 || !(step->s->rejoin > 0) || !(step->s->rejoin_sight > 0))
    return true;
  first = g_new0 (size_t, (size_t) n_groups + 1);
  members = g_new (uint32_t, step->n);
  seeks = g_new (uint8_t, step->n);
  best = g_new (PointNear, step->n);
  for (uint32_t i = 0; i < step->n; i++) {
    first[step->group[i] + 1]++;
    members[i] = i;
  }
  for (int32_t g = 0; g < n_groups; g++)
    first[g + 1] += first[g];
  tree = plant (step, members, step->n, monitor);
  if (tree == NULL)
    return false;
#pragma omp parallel for schedule(dynamic, 64) if (step->n > 256)
  for (uint32_t i = 0; i < step->n; i++) {
    PointNear found[FEW];
    size_t n;

    best[i] = (PointNear){ INFINITY, G_MAXUINT32 };
    seeks[i] = 0;
    if (kg_progress_is_cancelled (monitor) || !flock_is_prepared_for (step, i))
      continue;
    n = point_tree_find_nearest (tree, step->own_p + 3 * (size_t) i, FEW, sight, found);
    for (size_t k = 0; k < n && best[i].index == G_MAXUINT32; k++)
      if (step->group[found[k].index] != step->group[i])
        best[i] = found[k];
    seeks[i] = best[i].index == G_MAXUINT32 && n == FEW;
  }
  if (kg_progress_is_cancelled (monitor) || !seek_among (step, first, 0, n_groups, members, seeks, best, monitor))
    return false;
  if (step->other == NULL)
    step->other = g_new (uint32_t, step->n);
  for (size_t i = 0; i < step->n; i++)
    step->other[i] = best[i].index;
  return true;
}

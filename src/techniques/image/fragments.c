/* fragments: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/fragments.h"

#include "kg-math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int
compare_fragments (const void *a, const void *b)
{
  return kg_compare_doubles (&((const Fragment *) a)->z, &((const Fragment *) b)->z);
}

static bool
is_covered (const Fragment *f, int sample, double at)
{
  return (f->mask >> sample & 1) != 0 || (f->part == sample && at > f->low && at < f->high);
}

/* A sample that some cover in part: between their ends it is the same. */
static void
resolve_parts (const Fragment *fragments, guint n, int sample, double rgba[4])
{
  for (double from = 0, to; from < 1; from = to) {
    double through;

    to = 1;
    for (guint i = 0; i < n; i++)
      if (fragments[i].part == sample && fragments[i].low < fragments[i].high) {
        to = fragments[i].low > from ? MIN (to, fragments[i].low) : to;
        to = fragments[i].high > from ? MIN (to, fragments[i].high) : to;
      }
    through = (to - from) / FRAGMENT_SAMPLES;
    for (guint i = 0; i < n; i++) {
      const Fragment *f = &fragments[i];

      if (!is_covered (f, sample, 0.5 * (from + to)))
        continue;
      for (int c = 0; c < 4; c++)
        rgba[c] += through * f->rgba[c];
      through *= 1 - kg_clamp (f->rgba[3], 0, 1);
    }
  }
}

void
fragments_resolve (Fragment *fragments, guint n, double rgba[4])
{
  double through[FRAGMENT_SAMPLES];
  uint32_t parts = 0;

  for (int q = 0; q < FRAGMENT_SAMPLES; q++)
    through[q] = 1;
  memset (rgba, 0, 4 * sizeof *rgba);
  qsort (fragments, n, sizeof *fragments, compare_fragments);
  for (guint i = 0; i < n; i++)
    if (fragments[i].low < fragments[i].high)
      parts |= (uint32_t) 1 << fragments[i].part;
  for (guint i = 0; i < n; i++) {
    const Fragment *f = &fragments[i];
    double share = 0;

    for (int q = 0; q < FRAGMENT_SAMPLES; q++)
      if ((f->mask & ~parts) >> q & 1) {
        share += through[q];
        through[q] *= 1 - kg_clamp (f->rgba[3], 0, 1);
      }
    for (int c = 0; c < 4; c++)
      rgba[c] += share / FRAGMENT_SAMPLES * f->rgba[c];
  }
  for (int q = 0; q < FRAGMENT_SAMPLES; q++)
    if (parts >> q & 1)
      resolve_parts (fragments, n, q, rgba);
}

/* The sample that is farthest along of those that are not in the mask. */
static int
find_next (const double along[FRAGMENT_SAMPLES], uint32_t mask)
{
  int best = -1;

  for (int q = 0; q < FRAGMENT_SAMPLES; q++)
    if (!(mask >> q & 1) && (best < 0 || along[q] > along[best]))
      best = q;
  return best;
}

bool
fragment_cover (Fragment *fragment, double coverage, double gx, double gy)
{
  const double wanted = kg_clamp (coverage, 0, 1) * FRAGMENT_SAMPLES, rest = wanted - floor (wanted);
  /* Opposite directions have opposite signs; those where neighbours would differ are of no edge in particular. */
  const bool forward = gx + 0.6180339887 * gy > 0;
  double along[FRAGMENT_SAMPLES];

  fragment->mask = UINT32_MAX;
  fragment->part = 0;
  fragment->low = fragment->high = 0;
  if (gx == 0 && gy == 0)
    return false;
  /* A little across the edge decides between samples that are equally far along, for the opposite edge the other way: the
   * masks of two edges that complement each other do. */
  for (int q = 0; q < FRAGMENT_SAMPLES; q++) {
    const double x = (q % FRAGMENT_COLUMNS + 0.5) / FRAGMENT_COLUMNS - 0.5;
    const double y = ((int) (q / FRAGMENT_COLUMNS) + 0.5) / FRAGMENT_ROWS - 0.5;

    along[q] = gx * x + gy * y + 1e-4 * (gx * y - gy * x);
  }
  fragment->mask = 0;
  for (int k = 0; k < (int) wanted; k++)
    fragment->mask |= (uint32_t) 1 << find_next (along, fragment->mask);
  if (rest > 0) {
    fragment->part = find_next (along, fragment->mask);
    fragment->low = forward ? 1 - rest : 0;
    fragment->high = forward ? 1 : rest;
  }
  return true;
}

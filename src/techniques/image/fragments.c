/* fragments: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/fragments.h"

#include "kg-math.h"

#include <stdlib.h>
#include <string.h>

static int
compare_fragments (const void *a, const void *b)
{
  const double p = ((const Fragment *) a)->z, q = ((const Fragment *) b)->z;

  return p < q ? -1 : p > q;
}

void
fragments_resolve (Fragment *fragments, guint n, double rgba[4])
{
  double through[FRAGMENT_SAMPLES];

  for (int q = 0; q < FRAGMENT_SAMPLES; q++)
    through[q] = 1;
  memset (rgba, 0, 4 * sizeof *rgba);
  qsort (fragments, n, sizeof *fragments, compare_fragments);
  for (guint i = 0; i < n; i++) {
    const Fragment *f = &fragments[i];
    double share = 0;

    for (int q = 0; q < FRAGMENT_SAMPLES; q++)
      if (f->mask >> q & 1) {
        share += through[q];
        through[q] *= 1 - kg_clamp (f->rgba[3], 0, 1);
      }
    for (int c = 0; c < 4; c++)
      rgba[c] += share / FRAGMENT_SAMPLES * f->rgba[c];
  }
}

uint32_t
fragment_make_mask (double coverage, double gx, double gy)
{
  const int wanted = (int) kg_clamp (ceil (coverage * FRAGMENT_SAMPLES - 1e-6), 0, FRAGMENT_SAMPLES);
  double along[FRAGMENT_SAMPLES];
  uint32_t mask = 0;

  if (gx == 0 && gy == 0)
    return UINT32_MAX;
  /* A little across the edge decides between samples that are equally far along, for the opposite edge the other way: the
   * masks of two edges that complement each other do. */
  for (int q = 0; q < FRAGMENT_SAMPLES; q++) {
    const double x = (q % FRAGMENT_COLUMNS + 0.5) / FRAGMENT_COLUMNS - 0.5;
    const double y = ((int) (q / FRAGMENT_COLUMNS) + 0.5) / FRAGMENT_ROWS - 0.5;

    along[q] = gx * x + gy * y + 1e-4 * (gx * y - gy * x);
  }
  for (int k = 0; k < wanted; k++) {
    int best = -1;

    for (int q = 0; q < FRAGMENT_SAMPLES; q++)
      if (!(mask >> q & 1) && (best < 0 || along[q] > along[best]))
        best = q;
    mask |= (uint32_t) 1 << best;
  }
  return mask;
}

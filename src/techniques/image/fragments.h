/* fragments: what several surfaces leave of themselves in one pixel, with masks that say where in it.
 * Source: Carpenter, The A-buffer, an antialiased hidden surface method, SIGGRAPH 1984 (masks of 4 by 8 samples;
 * here one of them can be covered in part, because rounding leaves 3 % of what lies behind at an edge).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define FRAGMENT_COLUMNS 8
#define FRAGMENT_ROWS 4
#define FRAGMENT_SAMPLES 32

/* rgba: premultiplied, of what the fragment covers. */
typedef struct {
  double rgba[4];
  double z;
  uint32_t mask;    /* samples that it covers whole: bit 8 row + column, from the upper left corner */
  int part;         /* and one that it covers between low and high, across its edge; none unless low < high */
  double low, high; /* within 0..1 */
} Fragment;

/* Front to back: each sample lets through what the fragments before it leave of it.  Sorts the fragments by z. */
void fragments_resolve (Fragment *fragments, guint n, double rgba[4]);
/* Sets what a fragment covers: the samples that lie farthest along (gx, gy), which points right and down into the surface, as many as
 * coverage (0..1) needs, and a part of the next one, so that it is covered exactly, and two edges that complement
 * each other leave nothing.  False without a direction: then all of them. */
bool fragment_cover (Fragment *fragment, double coverage, double gx, double gy);

G_END_DECLS

/* fragments: what several surfaces leave of themselves in one pixel, with masks that say where in it.
 * Source: Carpenter, The A-buffer, an antialiased hidden surface method, SIGGRAPH 1984 (masks of 4 by 8 samples).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

#define FRAGMENT_COLUMNS 8
#define FRAGMENT_ROWS 4
#define FRAGMENT_SAMPLES 32

/* rgba: premultiplied, of the samples of the mask. */
typedef struct {
  double rgba[4];
  double z;
  uint32_t mask; /* bit 8 row + column, from the upper left corner */
} Fragment;

/* Front to back: each sample lets through what the fragments before it leave of it.  Sorts the fragments by z. */
void fragments_resolve (Fragment *fragments, guint n, double rgba[4]);
/* The mask of an edge: the samples that lie farthest along (gx, gy), which points right and down into the surface, as many as
 * coverage (0..1) needs, rounded up.  All of them without a direction. */
uint32_t fragment_make_mask (double coverage, double gx, double gy);

G_END_DECLS

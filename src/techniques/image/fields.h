/* fields: the two halves of an interlaced frame.
 * The first field has lines 1, 3, 5, ... (rows 0, 2, 4, ...) and the second the lines between.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Rows of parity 0 (0, 2, ...) from even, the others from odd; images of other sizes are centred.  out: its size rules. */
bool fields_weave (const KgImage *even, const KgImage *odd, KgImage *out, const KgProgressMonitor *monitor);

typedef enum {
  FIELDS_BOB,   /* one field; missing rows are the mean of those above and below */
  FIELDS_BLEND, /* mean of both fields, each interpolated so */
  FIELDS_ADAPT, /* woven where the fields agree, one field where they comb */
  FIELDS_N_METHODS
} FieldsMethod;

/* parity: of the rows that are kept where one field is shown.  threshold: how far (sRGB-coded, 0..1) a row may lie beyond
 * both its neighbours before it combs.  out is as large as frame. */
bool fields_separate (const KgImage *frame, FieldsMethod method, int parity, double threshold, KgImage *out,
                      const KgProgressMonitor *monitor);

/* Mean squared difference of the rows of one parity; of the rows and columns that both have. */
double fields_compare (const KgImage *a, const KgImage *b, int parity);

G_END_DECLS

/* keys_along: the places, directions, sizes and forces of soft keys along lines such as the bones of a skeleton.
 *
 * Keys lie on the straight pieces of each line.  With lines at rest they are bound: each keeps its distance from the first
 * joint of its piece, so that limbs keep their length when pieces stretch, and the number of keys does not change.
 * Source: Wyvill, McPheeters and Wyvill, Animating Soft Objects, 1986 (keys along a skeleton).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/density.h"

#include "kg-geometry.h"
#include "kg-progress.h"
#include "kg-table.h"

G_BEGIN_DECLS

typedef struct {
  const KgGeometry *rest; /* (nullable) the same lines, from which keys are bound once */
  int64_t per_piece;      /* keys between two points, >= 1, where spacing is 0 */
  double spacing;         /* metres between keys: max (1, round (length / spacing)) of them */
  bool inclusive;         /* from end to end; else in the middle of equal parts */
  bool aligned;           /* the x axis lies along the piece */
  const KgTable *along_piece,
      *along_line;     /* (nullable) rows of place 0..1 and factor of the size, linear between them */
  Density density;     /* for what follows */
  KgVector influence;  /* half the extent of a key's influence, metres */
  double power, force; /* of the keys */
  /* Divides forces so that midway between the keys of a long row the body has the radius that a key has alone; forces below
   * 1 fade such a row. */
  bool even_thickness;
} KeysAlongOptions;

typedef struct {
  KgVector place;
  KgRotation turn;
  double size;  /* factor */
  double force; /* factor */
} KeyAlong;

/* Appends the keys of all lines (element-type KeyAlong).  gaps: the number of pieces whose keys are so far apart that a row of
 * them falls apart (with Wyvill's density 1.33 times their influence).  Fails with KG_ERROR_INVALID_VALUE (numbers that are
 * not finite; lines at rest that differ in number or points; factors below 0), KG_ERROR_LIMIT, KG_ERROR_CANCELLED. */
bool keys_along (const KgGeometry *lines, const KeysAlongOptions *options, GArray *keys, size_t *gaps,
                 const KgProgressMonitor *monitor, GError **error);

G_END_DECLS

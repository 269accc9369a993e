/* figure_leads: the points of figures and bodies that are led, and where to.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

/* A point that is held at a place. */
typedef struct {
  int64_t point;
  KgVector place;
} FigureGrab;

/* held: 1 for each point that the attribute pin of the geometry or of the targets leads, or that is grabbed, else 0.  to:
 * where these are to be: the place of the grab, or of the point in the targets, or (without targets) in the geometry; the
 * others are left.  Both have room for each point.  Fails when targets are not as many as points, and when a point that
 * is not there is grabbed. */
bool figure_leads_read (const KgGeometry *geometry, const KgGeometry *targets, const FigureGrab *grabs, guint n_grabs,
                        bool plane, uint8_t *held, KgVector *to, GError **error);

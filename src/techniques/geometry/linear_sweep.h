/* linear_sweep: what a closed mesh passes over when it moves straight, without turning.
 *
 * Faces that look along the move are moved, the others stay, and edges between the two are drawn out.  This is the exact
 * boundary for convex bodies; of others it may cut itself, and the hull of both places holds it.
 * Source: Parent, Computer Animation, 4.5 (swept volumes).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef struct {
  double area; /* of the faces that look along the move, as seen along it */
  double
      volume; /* of the body and of what it passes over: of convex bodies exactly, of others too much where it overlaps */
  bool convex; /* all corners are behind all faces */
} LinearSweep;

/* (transfer full) (nullable) The mesh; *outline (transfer full): the edges that are drawn out, as polylines.  Other primitives
 * are left out.  KG_ERROR_DEGENERATE: no polygons, or open edges, with their number.  NULL without an error: cancelled. */
KgGeometry *linear_sweep_new (const KgGeometry *body, KgVector move, KgGeometry **outline, LinearSweep *sweep,
                              const KgProgressMonitor *monitor, GError **error);

G_END_DECLS

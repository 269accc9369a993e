/* light_depth: how much light comes through a cloud: particles, or a field of density, on a grid along the light.
 *
 * A particle of width w and opacity α has the cross-section σ = κ α π w²/4; it is shared among the eight cells around it.  The
 * density is ρ = Σσ / V (1/m), what the light meets on its way the optical depth τ = ∫ ρ ds, and e^-τ of it comes through
 * (Beer and Lambert).  The cells of a light far away are cubes in its axes, those of a lamp lie between its rays.
 * Sources: Reeves and Blau 1985; Kajiya and Von Herzen, Ray Tracing Volume Densities, 1984, section 4 (a pass along the light first).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Most cells of a grid. */
#define LIGHT_DEPTH_CELLS ((double) 512 * 512 * 512)

typedef struct {
  const KgGeometry
      *points;  /* (nullable) of finite places; widths and the fourth number of Cd are used, else width and 1 */
  double width; /* metres */
  const KgField *density; /* (nullable) a number, per metre; below 0 counts as 0 */
  double time;            /* of the density, seconds */
  double strength;        /* κ, also of the density */
  bool lamp;              /* light is where it shines from, else the direction it shines in */
  KgVector light;
  KgVector centre,
      size;         /* the box that holds what counts of the density; of points as well where all of size is above 0 */
  double cell;      /* metres, > 0; of a lamp: at the middle of the cloud */
  bool depth;       /* the field is τ instead of e^-τ */
  size_t *n_unseen; /* (nullable) (out) points without a box that lie behind or beside the lamp, and stop nothing */
} LightDepth;

/* A number at each place of the world: 1 (or 0) on the side of the light, and behind the cloud what comes through all of it.
 * NULL without *error: cancelled.  (transfer full) (nullable) */
KgField *light_depth_new (const LightDepth *settings, const KgProgressMonitor *monitor, GError **error);

G_END_DECLS

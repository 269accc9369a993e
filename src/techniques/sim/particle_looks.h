/* particle_looks: what particles look like, by formulas of what is known of each.
 *
 * A line is "name = formula" or "name.component = formula", for Cd (r, g, b, a), width, N, or any other name, which becomes a new
 * attribute.  Formulas know P, v, age, life, id, mass, width, Cd, speed, time, frame, and u1 to u4, numbers in [0, 1) that
 * each particle keeps; and what lines before have set.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

G_BEGIN_DECLS

typedef struct _ParticleLooks ParticleLooks;

/* KG_ERROR_EXPRESSION, with the line.  (transfer full) (nullable) */
ParticleLooks *particle_looks_new (const char *text, GError **error);
void particle_looks_free (ParticleLooks *looks);

typedef struct {
  double time, frame;
  uint64_t seed;
} ParticleMoment;

/* Sets the attributes of all points (edited); opacity is kept in 0..1, colours and widths are not negative.  Returns how many values
 * were not finite: those stay as they were. */
size_t particle_looks_apply (const ParticleLooks *looks, const ParticleMoment *moment, KgGeometry *points);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ParticleLooks, particle_looks_free)

G_END_DECLS

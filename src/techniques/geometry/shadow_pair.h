/* shadow_pair: the shadow of one geometry on another, where it falls.
 * Sources: Blinn 1988 (see geometry/planar_shadow.h); Sutherland and Hodgman 1974 (clipping).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/planar_shadow.h"

G_BEGIN_DECLS

/* Adds to shadow (given, made writable) what caster darkens of receiver.  A receiver whose points lie in one plane takes shadows
 * within the convex outline of its points; of others each polygon (convex) that faces the light does by itself.  Only what is between the light and the
 * plane casts a shadow, and only polygons do.  light, kind, lift and sides as in light; its point and normal are those of the
 * receiver, and normals may face either way.  Planes that the light touches along stay without.  False and *error, or without *error when
 * cancelled. */
bool shadow_pair_add (KgGeometry **shadow, const KgGeometry *caster, const KgGeometry *receiver,
                      const PlanarShadow *light, const KgProgressMonitor *monitor, GError **error);

G_END_DECLS

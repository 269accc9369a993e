/* cage: a closed mesh whose corners carry along what is around and inside of it, by mean value coordinates.
 *
 * A point is a blend of the corners of the cage, with weights that add up to 1, vary smoothly, are linear on each triangle and
 * give back the point itself; when the corners move, it goes to the same blend of them.  Of the movement of the corners the
 * affine map that fits it best is applied as it is, and only the rest is blended: by the weights both are the same, and so a
 * cage that moves by an affine map takes everything along by it, however far away, and one that rests moves nothing.
 * Sources: Ju, Schaefer and Warren, Mean value coordinates for closed triangular meshes, SIGGRAPH 2005; Floater, Kos and
 * Reimers, Mean value coordinates in 3D, CAGD 2005.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Most triangles of a cage. */
#define CAGE_MAX_TRIANGLES 50000

typedef struct _Cage Cage;
/* Weights of points, once found. */
typedef struct _CageWeights CageWeights;

/* (transfer full) The cage at rest; polygons are cut into triangles, and points at one place
 * are one corner, which moves as the first of them does.  NULL and *error: no faces, edges without a partner, no
 * volume, or too many triangles.  NULL without an error: cancelled. */
Cage *cage_new (const KgGeometry *rest, const KgProgressMonitor *monitor, GError **error);
void cage_free (Cage *cage);
/* Points of the geometry that it was made of, corners or not. */
size_t cage_get_n_points (const Cage *cage);

/* weights: (out) of each point of the geometry, those that are no corners, or not the first at their place, 0.  *inside: (nullable) (out) within the cage or on it.
 * False where they are faded out: farther away than a thousand times its size they lose their digits. */
bool cage_find_weights (const Cage *cage, KgVector point, double *weights, bool *inside);

/* Bytes of the weights of n points. */
size_t cage_get_weights_bytes (const Cage *cage, size_t n);
/* (transfer full) Of n points (3 floats each).  Parallel; the same bits for any number of threads.  NULL: cancelled. */
CageWeights *cage_weights_new (const Cage *cage, const float *points, size_t n, const KgProgressMonitor *monitor);
void cage_weights_free (CageWeights *weights);

/* Moves n points (3 floats each) from from to to, which may be the same.  posed: points of the cage where they are now;
 * weights: (nullable) of the same n points, found anew without; inside_only: points outside of the cage stay as they are, bit for bit.
 * False: cancelled.  Parallel; the same bits for any number of threads, and with weights or without. */
bool cage_deform (const Cage *cage, const CageWeights *weights, const float *posed, const float *from, float *to,
                  size_t n, bool inside_only, const KgProgressMonitor *monitor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Cage, cage_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CageWeights, cage_weights_free)

G_END_DECLS

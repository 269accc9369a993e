/* fit_balls: a few balls that stand for a solid, for tests and skins that want balls and not polygons.
 *
 * Places strewn over the surface belong to the ball whose surface is nearest; then each ball moves to where the largest of the
 * distances of its places is least, and so on in turn (sphere sets: Hubbard, Approximating Polyhedra with Spheres for
 * Time-critical Collision Detection, ACM TOG 1996; Wang et al., Variational Sphere Set Approximation for Solid Objects, 2006;
 * the search with a shrinking compass: Hooke and Jeeves 1961).  For a given centre the best radius is midway between the
 * smallest and the largest distance.  Balls begin where the solid is thickest and no other ball is yet.  Units: metres.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"

G_BEGIN_DECLS

#define FIT_BALLS_MOST 256

typedef struct {
  KgVector center;
  double radius;
} FittedBall;

typedef struct {
  double largest; /* distance of a place of the mesh from the surface of all balls together */
  double mean;    /* root of the mean square of these distances */
  size_t n_open;  /* edges of the mesh without a partner: what is inside is then estimated */
} BallsFit;

/* balls: (out) n of them, in the order in which they were found; centres stay between places that are inside.  n_places: on the
 * surface, besides the corners of the mesh, and inside.  False and *error: the mesh has no area or no inside, or n is 0 or above
 * FIT_BALLS_MOST; without an error: cancelled. */
bool fit_balls (const TriangleMesh *mesh, size_t n, size_t n_places, uint64_t seed, const KgProgressMonitor *monitor,
                FittedBall *balls, BallsFit *fit, GError **error);

G_END_DECLS

/* particle_mesh: bouncing of moving points off a mesh that stands, or moves within the step.
 *
 * Corners move straight and evenly from where they were at the start of the step to where they are at its end, points along
 * their parabola: the first moment at which a point is as far from the plane of a triangle as it may come, and beside the
 * triangle, is found by bisection between signs (a cubic without thickness: Provot 1997).  It is reflected in the frame of
 * the surface there.  Triangles have two sides: what is born within a closed mesh stays there.
 * Sources: Provot, Collision and Self-Collision Handling in Cloth Model, 1997; Ericson 2005, 5.1.5 (nearest points).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"
#include "sim/particle_collision.h"

G_BEGIN_DECLS

/* Read only once it is made. */
typedef struct _ParticleMesh ParticleMesh;

/* before: (nullable) where it was at the start of the step of dt seconds; of another topology it counts as not known, and the
 * mesh stands.   A mesh without triangles is valid, and hits nothing.
 * NULL and *error: too many triangles.  NULL without an error: cancelled.  (transfer full) */
ParticleMesh *particle_mesh_new (const KgGeometry *before, const KgGeometry *now, double dt,
                                 const KgProgressMonitor *monitor, GError **error);
void particle_mesh_free (ParticleMesh *mesh);

/* Whether a point can be held by a triangle (counted from 1) of this mesh. */
bool particle_mesh_holds (const ParticleMesh *mesh, int32_t holder);
/* The velocity of the triangle where it is nearest to x, at the share of the step. */
KgVector particle_mesh_get_velocity (const ParticleMesh *mesh, int32_t holder, KgVector x, double share);

/* A place of the mesh that is nearest to a point among those around it. */
typedef struct {
  KgVector normal; /* unit, to the point */
  double distance;
  KgVector move; /* of the place, in the rest of the time */
  uint32_t triangle;
} ParticleNear;

/* Those within reach of x, nearest first, in place of what found (ParticleNear) holds: the mesh is where it is at the share of
 * the step, and moves on for the share rest.  A place that is not in front of a nearer one, such as beside it in the same
 * plane, or behind an edge, is left out: it stops nothing that the nearer one does not stop. */
void particle_mesh_find_near (const ParticleMesh *mesh, KgVector x, double reach, double share, double rest,
                              GArray *found);

/* As particle_collide (): point i moved from the share till - h[i] / dt of the step to till.  straight: (nullable) points
 * that met something else in between, whose way is no parabola. */
void particle_mesh_collide (const ParticleMesh *mesh, const ParticleObstacles *obstacles, const ParticleBlock *start,
                            ParticleBlock *end, const float *h, size_t n, double till, const int32_t *straight,
                            ParticleContacts *contacts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ParticleMesh, particle_mesh_free)

G_END_DECLS

/* spring_self: masses and springs that collide with themselves: points with faces, and edges with edges.
 *
 * What may touch is found by boxes around the ways of points, faces and edges in a step, grown by the thickness.  Two
 * features that pass through each other are in one plane at some time of the step, which is a root of a cubic polynomial;
 * what is only nearer than the thickness is pushed apart along the line between its closest points.  Pushes are divided in
 * the ratio of the inverse masses and of the weights of the closest points: they move no centre of mass, and impulses add
 * to zero; angular momentum is kept as far as pushes do not move what slides.  Features that touch at rest, and neighbours that share a point, are let alone; those that are nearer at rest than
 * the thickness may come as near as they were.
 *
 * Sources: Provot, Collision and self-collision handling in cloth model dedicated to design garments, 1997 (coplanar times);
 * Bridson, Fedkiw and Anderson, Robust treatment of collisions, contact and friction for cloth animation, 2002, section 6
 * (proximity, weights of impulses).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/spring_net.h"

G_BEGIN_DECLS

typedef struct _SpringSelf SpringSelf;

/* Lists the faces and edges of a net.  rest: three floats for each origin of a point, where it was at the start; borrowed, as is
 * the net, as long as this is used.  Edges that are torn by now, and faces with such an edge, collide with nothing. */
SpringSelf *spring_self_new (const SpringNet *net, const float *rest);
void spring_self_free (SpringSelf *self);

/* Corrects places and velocities of the net after a step that began at the places before; of contact its thickness (m, above 0),
 * restitution and friction are taken.  n_left: pairs that still pass through each other.  False and *error: too many pairs
 * come near each other; without an error: cancelled. */
bool spring_self_collide (SpringSelf *self, SpringNet *net, const SpringContact *contact, const KgVector *before,
                          size_t *n_left, const KgProgressMonitor *monitor, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SpringSelf, spring_self_free)

G_END_DECLS

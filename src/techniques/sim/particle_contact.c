/* particle_contact: see the header.
 *
 * A point that rests arrives at its surface again in each step, with the speed that its acceleration gives it in one: that
 * does not count as a hit.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_contact.h"

#include "kg-random.h"
#include "sim/particle_birth.h"

static void
add_hit (ParticleContacts *contacts, size_t index, KgVector place, KgVector velocity, KgVector m)
{
  ParticleHit hit = { .index = (uint32_t) index };

  for (int c = 0; c < 3; c++) {
    hit.place[c] = (float) kg_vector_get (place, c);
    hit.velocity[c] = (float) kg_vector_get (velocity, c);
    hit.normal[c] = (float) kg_vector_get (m, c);
  }
  g_array_append_val (contacts->hits, hit);
}

bool
particle_contact_meet (const ParticleObstacles *o, ParticleContacts *contacts, size_t index, ParticlePath *path,
                       double s, KgVector hit, KgVector m, KgVector drift, int32_t holder)
{
  const KgVector w = s > 0 ? particle_path_get_velocity (path, s) : path->slope;
  const double arrival = -kg_vector_dot (w, m), pull = fmax (0, -kg_vector_dot (path->acceleration, m));
  const bool arrives = arrival > 1.001 * pull * path->h + 1e-9;
  double restitution = o->restitution;

  if (contacts != NULL) {
    if (contacts->hits != NULL && arrives)
      add_hit (contacts, index, kg_vector_add_scaled (hit, s * path->h, drift), kg_vector_add (w, drift), m);
    if (o->on_hit == PARTICLE_DIE && arrival > 0) {
      contacts->held[index] = PARTICLE_DEAD;
      path->x1 = hit;
      path->v1 = w;
      return true;
    }
    if (o->on_hit == PARTICLE_STICK && arrival > 0 &&
        kg_random_uniform (o->seed, (uint64_t) (uint32_t) contacts->ids[index], PARTICLE_DRAW_STICK) < o->stick) {
      contacts->held[index] = holder;
      path->x1 = hit;
      path->v1 = kg_vector (0, 0, 0);
      return true;
    }
    if (o->on_hit == PARTICLE_SLIDE)
      restitution = 0;
  }
  particle_path_reflect (path, restitution, o->friction, s, hit, m);
  return false;
}

/* rigid_penalty: springs where bodies overlap, see rigid_world.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_world_private.h"

/* Share of what stops a sliding body that one of its contacts may take in a step. */
#define FRICTION_SHARE 0.25

static void
add_force (RigidWorld *world, uint32_t body, KgVector arm, double sign, KgVector force)
{
  RigidWork *work = world->work;

  if (!rigid_world_is_awake (world, body))
    return;
  work->accelerations[body] =
      kg_vector_add_scaled (work->accelerations[body], sign * work->speeds[body].inverse_mass, force);
  work->torques[body] = kg_vector_add_scaled (work->torques[body], sign, kg_vector_cross (arm, force));
}

/* Pushes along the normal, never pulls; friction up to what Coulomb allows. */
static void
press (RigidWorld *world, const RigidSettings *settings, RigidContact *contact, double h, RigidReport *report)
{
  const RigidSpeed *a = &world->work->speeds[contact->a], *b = &world->work->speeds[contact->b];
  const KgVector arm_a = kg_vector_subtract (contact->place, world->motions[contact->a].place),
                 arm_b = kg_vector_subtract (contact->place, world->motions[contact->b].place), n = contact->normal;
  const KgVector u = kg_vector_subtract (rigid_speed_at (a, arm_a), rigid_speed_at (b, arm_b));
  const double along = kg_vector_dot (n, u), inverse_mass = a->inverse_mass + b->inverse_mass;
  const KgVector sliding = kg_vector_add_scaled (u, -along, n);
  const double speed = kg_vector_length (sliding);
  double normal, friction;
  KgVector force;

  contact->impulse = contact->total = 0;
  if (!(contact->depth > 0) || !(inverse_mass > 0))
    return;
  if (h * sqrt (settings->stiffness * inverse_mass) > 1)
    report->events |= RIGID_STIFF;
  normal = fmax (settings->stiffness * contact->depth -
                     2 * settings->damping * sqrt (settings->stiffness / inverse_mass) * along,
                 0);
  friction = fmin (contact->friction * normal, FRICTION_SHARE * speed / (inverse_mass * h));
  force = kg_vector_scale (n, normal);
  if (speed > 0)
    force = kg_vector_add_scaled (force, -friction / speed, sliding);
  add_force (world, contact->a, arm_a, 1, force);
  add_force (world, contact->b, arm_b, -1, force);
  contact->impulse = contact->total = h * normal;
  contact->approach = fmax (-along, 0);
}

bool
rigid_step_penalty (RigidWorld *world, const RigidSettings *settings, double time, double dt, RigidReport *report,
                    const KgProgressMonitor *monitor, GError **error)
{
  const double h = dt / settings->substeps;

  for (guint i = 0; i < settings->substeps; i++) {
    rigid_world_read_speeds (world);
    if (!rigid_world_find_contacts (world, settings, 0, 0, monitor, error))
      return false;
    rigid_world_wake (world, h);
    rigid_world_read_speeds (world);
    rigid_world_sample_forces (world, settings, time + i * h);
    for (guint k = 0; k < world->contacts->len; k++)
      press (world, settings, &g_array_index (world->contacts, RigidContact, k), h, report);
    rigid_world_log (world);
    rigid_substep_without_contacts (world, settings, h, report);
    if (kg_progress_is_cancelled (monitor))
      return false;
  }
  return true;
}

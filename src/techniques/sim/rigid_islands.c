/* rigid_islands: bodies that touch or are joined fall asleep and wake up together, see rigid_world.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_world_private.h"
#include "value/disjoint_sets.h"

static bool
is_moving (const RigidWorld *world, uint32_t body)
{
  return body < world->n && rigid_set_get_body (world->set, body)->kind == RIGID_MOVING;
}

/* The lowest body of an island stands for it. */
static void
join (const RigidWorld *world, uint32_t *parents, uint32_t a, uint32_t b)
{
  if (is_moving (world, a) && is_moving (world, b)) {
    const uint32_t p = disjoint_sets_find (parents, a), q = disjoint_sets_find (parents, b);

    parents[MAX (p, q)] = MIN (p, q);
  }
}

/* Whether the two touch, or come together within the time ahead (INFINITY: any that are near). */
static bool
touches (const RigidWorld *world, const RigidContact *contact, double ahead)
{
  KgVector speeds[2];

  if (isinf (ahead))
    return true;
  for (int side = 0; side < 2; side++) {
    const uint32_t body = side == 0 ? contact->a : contact->b;
    const RigidMotion *motion = &world->motions[body];

    speeds[side] =
        kg_vector_add (motion->velocity,
                       kg_vector_cross (world->work->omegas[body], kg_vector_subtract (contact->place, motion->place)));
  }
  return contact->impulse > 0 ||
         contact->depth - fmin (kg_vector_dot (contact->normal, kg_vector_subtract (speeds[0], speeds[1])), 0) * ahead >
             -world->work->slop;
}

static uint32_t *
find_islands (const RigidWorld *world, double ahead)
{
  uint32_t *parents = g_new (uint32_t, world->n + 1);

  for (uint32_t i = 0; i <= world->n; i++)
    parents[i] = i;
  for (guint k = 0; k < world->contacts->len; k++) {
    const RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);

    if (touches (world, contact, ahead))
      join (world, parents, contact->a, contact->b);
  }
  for (guint k = 0; k < world->joints->len; k++) {
    const RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);

    if (!joint->broken)
      join (world, parents, joint->a, joint->b);
  }
  return parents;
}

uint32_t *
rigid_world_find_islands (const RigidWorld *world)
{
  uint32_t *parents = find_islands (world, INFINITY);

  for (uint32_t i = 0; i <= world->n; i++)
    parents[i] = disjoint_sets_find (parents, i);
  return parents;
}

static bool
is_restless (const RigidWorld *world, uint32_t body)
{
  const RigidMotion *motion = &world->motions[body];

  return !motion->asleep && motion->still < RIGID_STILL_SECONDS;
}

static bool
drives (const RigidWorld *world, uint32_t body)
{
  return body < world->n && rigid_set_get_body (world->set, body)->kind == RIGID_DRIVEN &&
         (kg_vector_length (world->motions[body].velocity) > 0 || kg_vector_length (world->work->omegas[body]) > 0);
}

void
rigid_world_wake (RigidWorld *world, double ahead)
{
  g_autofree uint32_t *parents = find_islands (world, ahead);
  g_autofree uint8_t *wake = g_new0 (uint8_t, world->n + 1);

  for (uint32_t i = 0; i < world->n; i++)
    if (is_moving (world, i) && is_restless (world, i))
      wake[disjoint_sets_find (parents, i)] = 1;
  for (guint k = 0; k < world->contacts->len; k++) {
    const RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);

    if (drives (world, contact->b) && touches (world, contact, ahead))
      wake[disjoint_sets_find (parents, contact->a)] = 1;
  }
  for (guint k = 0; k < world->joints->len; k++) {
    const RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);
    const bool motor = !isnan (joint->settings.speed) || !isnan (joint->settings.target);

    if (joint->broken)
      continue;
    if (is_moving (world, joint->a) && (motor || drives (world, joint->b)))
      wake[disjoint_sets_find (parents, joint->a)] = 1;
    if (is_moving (world, joint->b) && (motor || drives (world, joint->a)))
      wake[disjoint_sets_find (parents, joint->b)] = 1;
  }
  for (uint32_t i = 0; i < world->n; i++)
    if (world->motions[i].asleep && wake[disjoint_sets_find (parents, i)] != 0) {
      world->motions[i].asleep = false;
      world->motions[i].still = 0;
    }
}

void
rigid_world_sleep (RigidWorld *world, double dt)
{
  g_autofree uint32_t *parents = find_islands (world, 0);
  g_autofree uint8_t *restless = g_new0 (uint8_t, world->n + 1);

  for (uint32_t i = 0; i < world->n; i++) {
    RigidMotion *motion = &world->motions[i];
    const double omega = kg_vector_length (world->work->omegas[i]);

    if (!is_moving (world, i) || motion->asleep)
      continue;
    if (kg_vector_length (motion->velocity) < RIGID_STILL_SPEED && omega < RIGID_STILL_SPEED)
      motion->still += dt;
    else
      motion->still = 0;
    if (motion->still < RIGID_STILL_SECONDS)
      restless[disjoint_sets_find (parents, i)] = 1;
  }
  /* A body at the top of its flight is not held by anything. */
  {
    g_autofree uint8_t *held = g_new0 (uint8_t, world->n + 1);

    for (guint k = 0; k < world->contacts->len; k++) {
      const RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);

      if (contact->impulse > 0) {
        held[contact->a] = 1;
        held[contact->b] = 1;
      }
    }
    for (guint k = 0; k < world->joints->len; k++) {
      const RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);

      if (!joint->broken)
        held[joint->a] = held[joint->b] = 1;
      if (!joint->broken && (!isnan (joint->settings.speed) || !isnan (joint->settings.target))) {
        restless[is_moving (world, joint->a) ? disjoint_sets_find (parents, joint->a) : world->n] = 1;
        restless[is_moving (world, joint->b) ? disjoint_sets_find (parents, joint->b) : world->n] = 1;
      }
    }
    for (uint32_t i = 0; i < world->n; i++)
      if (held[i] == 0 && is_moving (world, i) && !world->motions[i].asleep)
        restless[disjoint_sets_find (parents, i)] = 1;
  }
  for (uint32_t i = 0; i < world->n; i++)
    if (is_moving (world, i) && !world->motions[i].asleep && restless[disjoint_sets_find (parents, i)] == 0) {
      world->motions[i].asleep = true;
      world->motions[i].velocity = world->motions[i].angular = kg_vector (0, 0, 0);
      world->work->omegas[i] = kg_vector (0, 0, 0);
    }
}

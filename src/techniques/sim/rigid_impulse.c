/* rigid_impulse: single impulses, and the moment at which they happen, see rigid_world.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_world_private.h"

/* Steps of a search for the moment of impact. */
#define MAX_STEPS 100
#define HALVINGS 50

static void
add_yielding (SymmetricMatrix *sum, const RigidSpeed *speed, KgVector arm)
{
  const KgVector axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  KgVector columns[3];

  /* (I⁻¹ (r × e)) × r for each axis e. */
  for (int i = 0; i < 3; i++)
    columns[i] = kg_vector_cross (symmetric_matrix_apply (speed->inverse_inertia, kg_vector_cross (arm, axes[i])), arm);
  sum->xx += speed->inverse_mass + columns[0].x;
  sum->yy += speed->inverse_mass + columns[1].y;
  sum->zz += speed->inverse_mass + columns[2].z;
  sum->xy += columns[1].x;
  sum->xz += columns[2].x;
  sum->yz += columns[2].y;
}

/* How two bodies yield to impulses at a contact: u' = u + K J. */
static SymmetricMatrix
rigid_speeds_get_yielding (const RigidSpeed *a, KgVector arm_a, const RigidSpeed *b, KgVector arm_b)
{
  SymmetricMatrix sum = { 0, 0, 0, 0, 0, 0 };

  add_yielding (&sum, a, arm_a);
  add_yielding (&sum, b, arm_b);
  return sum;
}

KgVector
rigid_collide (const RigidContact *contact, RigidSpeed *a, KgVector arm_a, RigidSpeed *b, KgVector arm_b,
               double restitution)
{
  const KgVector n = contact->normal, u = kg_vector_subtract (rigid_speed_at (a, arm_a), rigid_speed_at (b, arm_b));
  const SymmetricMatrix k = rigid_speeds_get_yielding (a, arm_a, b, arm_b);
  const double along = kg_vector_dot (n, u);
  const KgVector sliding = kg_vector_add_scaled (u, -along, n);
  KgVector impulse = { 0, 0, 0 }, direction = n;
  SymmetricMatrix inverse;
  bool sticks = false;

  if (symmetric_matrix_invert (k, &inverse)) {
    double normal;

    impulse = symmetric_matrix_apply (inverse, kg_vector_subtract (kg_vector_scale (n, -restitution * along), u));
    normal = kg_vector_dot (n, impulse);
    sticks = normal > 0 &&
             kg_vector_length (kg_vector_add_scaled (impulse, -normal, n)) <= contact->friction_static * normal;
  }
  if (!sticks) {
    const KgVector t = kg_vector_normalize_or (sliding, kg_vector_perpendicular (n));
    double yield;

    direction = kg_vector_add_scaled (n, kg_vector_length (sliding) > 0 ? -contact->friction : 0, t);
    yield = kg_vector_dot (n, symmetric_matrix_apply (k, direction));
    /* A jammed body: no impulse in this direction separates the two. */
    if (!(yield > 0)) {
      direction = n;
      yield = symmetric_matrix_get_along (k, n);
    }
    impulse = kg_vector_scale (direction, yield > 0 ? -(1 + restitution) * along / yield : 0);
  }
  rigid_speed_push (a, arm_a, 1, impulse);
  rigid_speed_push (b, arm_b, -1, impulse);
  return impulse;
}

/* The moment of impact. */

typedef struct {
  const RigidWorld *world;
  const RigidContactOptions *options;
  const KgVector *omegas;
  KgVector acceleration;
  double h;
  uint32_t a, b;
} Approach;

static void
move (const Approach *approach, uint32_t body, double t, KgVector *place, KgRotation *turn)
{
  const RigidMotion *motion = &approach->world->motions[body];
  const double s = t * approach->h;

  *place = motion->place;
  *turn = motion->turn;
  if (body == approach->world->n || rigid_set_get_body (approach->world->set, body)->kind == RIGID_FIXED)
    return;
  *place = kg_vector_add_scaled (*place, s, motion->velocity);
  if (rigid_set_get_body (approach->world->set, body)->kind == RIGID_MOVING)
    *place = kg_vector_add_scaled (*place, 0.5 * s * s, approach->acceleration);
  *turn = rigid_turn_advance (motion->turn, approach->omegas[body], s, RIGID_AXIS_ANGLE);
}

/* Negative: how deep they are in each other. */
static double
get_distance (const Approach *approach, double t)
{
  const RigidSet *set = approach->world->set;
  const RigidBody *a = rigid_set_get_body (set, approach->a);
  KgVector place_a, place_b;
  KgRotation turn_a, turn_b;
  double least = INFINITY;

  move (approach, approach->a, t, &place_a, &turn_a);
  move (approach, approach->b, t, &place_b, &turn_b);
  for (guint i = 0; i < a->n_parts; i++) {
    const ConvexPlaced part =
        rigid_part_place (&g_array_index (set->parts, RigidPart, a->first_part + i), place_a, turn_a);
    ConvexManifold manifold;

    if (approach->b == approach->world->n) {
      convex_find_plane_contacts (&part, kg_vector (0, 1, 0), approach->options->ground.height, INFINITY, &manifold);
      least = fmin (least, -manifold.depth);
      continue;
    }
    for (guint k = 0; k < rigid_set_get_body (set, approach->b)->n_parts; k++) {
      const ConvexPlaced other = rigid_part_place (
          &g_array_index (set->parts, RigidPart, rigid_set_get_body (set, approach->b)->first_part + k), place_b,
          turn_b);

      convex_find_contacts (&part, &other, INFINITY, &manifold);
      least = fmin (least, -manifold.depth);
    }
  }
  return least;
}

/* No two points of the two come together faster than this, in a step. */
static double
get_fastest (const Approach *approach)
{
  double sum = 0;

  for (int side = 0; side < 2; side++) {
    const uint32_t body = side == 0 ? approach->a : approach->b;

    if (body == approach->world->n || rigid_set_get_body (approach->world->set, body)->kind == RIGID_FIXED)
      continue;
    sum += approach->h * kg_vector_length (approach->world->motions[body].velocity);
    sum += approach->h * approach->h * kg_vector_length (approach->acceleration);
    sum += approach->h * kg_vector_length (approach->omegas[body]) *
           rigid_set_get_body (approach->world->set, body)->radius;
  }
  return sum;
}

/* Never farther than the two can have come. */
static bool
advance (const Approach *approach, double tolerance, double *time)
{
  const double fastest = get_fastest (approach);
  double t = 0;

  for (int i = 0; i < MAX_STEPS; i++) {
    const double distance = get_distance (approach, t);

    if (distance <= tolerance) {
      *time = t;
      return true;
    }
    if (!(fastest > 0))
      return false;
    t += fmax (distance - 0.5 * tolerance, 0) / fastest;
    if (t >= 1)
      return false;
  }
  *time = t;
  return true;
}

bool
rigid_find_impact (const RigidWorld *world, uint32_t a, uint32_t b, const RigidContactOptions *options,
                   const KgVector *omegas, KgVector acceleration, double h, RigidTime how, double *time)
{
  const Approach approach = { world, options, omegas, acceleration, h, a, b };
  const double tolerance = options->margin, before = get_distance (&approach, 0);
  double low = 0, high = 1, after;

  if (!(before > tolerance) || isinf (before))
    return false;
  if (how == RIGID_ADVANCEMENT)
    return advance (&approach, tolerance, time);
  after = get_distance (&approach, 1);
  /* They may have gone through each other on the way. */
  if (after > 0)
    return get_fastest (&approach) > before && advance (&approach, tolerance, time);
  if (how == RIGID_LINEAR) {
    *time = before / (before - after);
    return true;
  }
  for (int i = 0; i < HALVINGS && high - low > 1e-15; i++) {
    const double middle = 0.5 * (low + high), distance = get_distance (&approach, middle);

    if (distance > 0)
      low = middle;
    else
      high = middle;
    if (fabs (distance) < 0.5 * tolerance)
      break;
  }
  *time = low;
  return true;
}

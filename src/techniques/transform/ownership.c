/* ownership: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "transform/ownership.h"

#include <math.h>

void
ownership_begin (Ownership *ownership, int owner, double time)
{
  *ownership = (Ownership){ .time = time,
                            .owner = owner,
                            .inverse = kg_transform_identity (),
                            .base = kg_transform_identity (),
                            .after = OWNERSHIP_STOP };
}

/* How many seconds of the velocity, and of the acceleration (squared), have been flown. */
static double
get_flown (const Ownership *o, double time, double *accelerated)
{
  const double t = fmax (time - o->time, 0), d = o->ease, u = d > 0 ? fmin (t / d, 1) : 1;

  *accelerated = 0;
  switch (o->after) {
  case OWNERSHIP_COAST:
    *accelerated = o->keep_acceleration ? 0.5 * t * t : 0;
    return t;
  case OWNERSHIP_EASE:
    return d * (u - 0.5 * u * u);
  case OWNERSHIP_SMOOTH:
    *accelerated = d * d * u * u * (0.5 - u * (2.0 / 3 - 0.25 * u));
    return d * u * (1 - u * u * (1 - 0.5 * u));
  case OWNERSHIP_STOP:
  default:
    return 0;
  }
}

/* Their rates, from that time on. */
static double
get_flight_speed (const Ownership *o, double time, double *accelerated)
{
  const double t = time - o->time, d = o->ease, u = d > 0 ? fmin (t / d, 1) : 1;

  *accelerated = 0;
  if (t < 0)
    return 0;
  switch (o->after) {
  case OWNERSHIP_COAST:
    *accelerated = o->keep_acceleration ? t : 0;
    return 1;
  case OWNERSHIP_EASE:
    return 1 - u;
  case OWNERSHIP_SMOOTH:
    *accelerated = d * u * (1 - u) * (1 - u);
    return 1 - u * u * (3 - 2 * u);
  case OWNERSHIP_STOP:
  default:
    return 0;
  }
}

/* X: turned about its place at the change, and moved on. */
static KgTransform
get_flight (const Ownership *o, double time)
{
  double accelerated;
  const double flown = get_flown (o, time, &accelerated), speed = kg_vector_length (o->spin);
  const KgVector away =
      kg_vector_add (kg_vector_scale (o->velocity, flown), kg_vector_scale (o->acceleration, accelerated));
  const KgRotation turned = speed > 0 ? kg_rotation_from_axis_angle (o->spin, speed * flown) : kg_rotation_identity ();
  const KgVector one = { 1, 1, 1 }, none = { 0, 0, 0 };
  KgTransform t = kg_transform_about (kg_transform_from_parts (none, turned, one), o->place);

  kg_transform_set_place (&t, kg_vector_add (kg_vector_add (kg_transform_get_place (&t), o->place), away));
  return t;
}

/* The same with its rate. */
static MovingTransform
get_moving_flight (const Ownership *o, double time)
{
  double accelerated;
  const double speed = get_flight_speed (o, time, &accelerated);
  const KgVector spin = kg_vector_scale (o->spin, speed);
  MovingTransform m = { .t = get_flight (o, time) };
  KgTransform turn = m.t, rate;

  kg_transform_set_place (&turn, kg_vector (0, 0, 0));
  rate = moving_transform_turning (kg_rotation_from_transform (turn), spin).rate;
  rate = kg_transform_about (rate, o->place);
  kg_transform_set_place (
      &rate, kg_vector_add (kg_vector_add (kg_transform_get_place (&rate), kg_vector_scale (o->velocity, speed)),
                            kg_vector_scale (o->acceleration, accelerated)));
  m.rate = rate;
  return m;
}

/* B and X as they stand at a time. */
static KgTransform
get_carried (const Ownership *o, double time)
{
  return kg_transform_multiply (o->inverse, kg_transform_multiply (get_flight (o, time), o->base));
}

KgTransform
ownership_place (const Ownership *ownership, double time, KgTransform owner, KgTransform local)
{
  return kg_transform_multiply (owner, kg_transform_multiply (get_carried (ownership, time), local));
}

MovingTransform
ownership_move (const Ownership *ownership, double time, MovingTransform owner, MovingTransform local)
{
  const MovingTransform carried =
      moving_transform_multiply (get_moving_flight (ownership, time), moving_transform_still (ownership->base));

  return moving_transform_multiply (owner, moving_transform_multiply (moving_transform_still (ownership->inverse),
                                                                      moving_transform_multiply (carried, local)));
}

/* The rotation from one to the other as a vector. */
static KgVector
get_turn (KgTransform from, KgTransform to)
{
  KgRotation q =
      kg_rotation_multiply (kg_rotation_from_transform (to), kg_rotation_conjugate (kg_rotation_from_transform (from)));
  const double sine = sqrt (q.x * q.x + q.y * q.y + q.z * q.z);
  const double angle = 2 * atan2 (sine, fabs (q.w)) * (q.w < 0 ? -1 : 1);

  return sine > 0 ? kg_vector (q.x / sine * angle, q.y / sine * angle, q.z / sine * angle) : kg_vector (0, 0, 0);
}

/* One-sided differences of second order: what is known is what was before the change.  Steps are back in time; ahead the sign
 * of the speeds is the other one. */
static void
differentiate (const KgTransform *near, double step, KgVector *velocity, KgVector *spin)
{
  const KgVector p = kg_transform_get_place (&near[0]);

  *velocity = kg_vector_scale (
      kg_vector_subtract (kg_vector_scale (kg_vector_subtract (p, kg_transform_get_place (&near[1])), 4),
                          kg_vector_subtract (p, kg_transform_get_place (&near[2]))),
      0.5 / step);
  *spin = kg_vector_scale (
      kg_vector_subtract (kg_vector_scale (get_turn (near[1], near[0]), 4), get_turn (near[2], near[0])), 0.5 / step);
}

static KgVector
get_acceleration (const KgTransform *far, double step)
{
  static const double weights[OWNERSHIP_FAR] = { 2, -5, 4, -1 };
  KgVector acceleration = { 0, 0, 0 };

  for (int i = 0; i < OWNERSHIP_FAR; i++)
    acceleration = kg_vector_add_scaled (acceleration, weights[i] / (step * step), kg_transform_get_place (&far[i]));
  return acceleration;
}

/* What the part had from its owner and its flight: all that it had, without its own motion. */
static void
measure (const OwnershipRelease *release, Ownership *next)
{
  next->place = kg_transform_get_place (&release->near[0]);
  next->velocity = next->acceleration = next->spin = kg_vector (0, 0, 0);
  if (release->near_step > 0) {
    KgVector velocity, spin;

    differentiate (release->near, release->near_step, &next->velocity, &next->spin);
    differentiate (release->near_ahead, release->near_step, &velocity, &spin);
    next->velocity = kg_vector_add (next->velocity, velocity);
    next->spin = kg_vector_add (next->spin, spin);
  }
  if (release->far_step > 0)
    next->acceleration = kg_vector_subtract (get_acceleration (release->far, release->far_step),
                                             get_acceleration (release->far_ahead, release->far_step));
}

bool
ownership_release (const Ownership *old, const OwnershipRelease *release, Ownership *next)
{
  ownership_begin (next, release->owner, release->time);
  if (!kg_transform_invert (release->new_owner, &next->inverse))
    return false;
  next->base = kg_transform_multiply (release->old_owner, get_carried (old, release->time));
  next->after = release->after;
  next->keep_acceleration = release->keep_acceleration;
  next->ease = release->ease;
  measure (release, next);
  return true;
}

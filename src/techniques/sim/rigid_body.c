/* rigid_body: how rigid bodies move, see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_body.h"

/* Rounds of the search for a rotation. */
#define FIT_ROUNDS 100
/* Rounds, and how near they come, of the search for the angular velocity in the middle of a step. */
#define MIDDLE_ROUNDS 20
#define MIDDLE_TOLERANCE 1e-13
/* The rule of Cayley turns by less than half a turn. */
#define MIDDLE_ANGLE 3.0

/* All rules turn about omega; what differs is by how much.  The rotation next to R + h omega* R, as its polar factor, turns by
 * atan (h |omega|): making its columns orthogonal one after the other would turn about another axis. */
static double
get_angle (double length, double h, RigidTurning turning)
{
  return turning == RIGID_MATRIX       ? atan (h * length)
         : turning == RIGID_AXIS_ANGLE ? h * length
                                       : 2 * atan (0.5 * h * length);
}

KgRotation
rigid_turn_advance (KgRotation turn, KgVector omega, double h, RigidTurning turning)
{
  const double half = 0.5 * h;

  if (omega.x == 0 && omega.y == 0 && omega.z == 0)
    return turn;
  if (turning == RIGID_QUATERNION)
    return kg_rotation_normalize (
        kg_rotation_multiply ((KgRotation){ 1, half * omega.x, half * omega.y, half * omega.z }, turn));
  return kg_rotation_normalize (kg_rotation_multiply (
      kg_rotation_from_axis_angle (omega, get_angle (kg_vector_length (omega), h, turning)), turn));
}

SymmetricMatrix
rigid_body_get_inverse_inertia (const RigidBody *body, KgRotation turn)
{
  return symmetric_matrix_rotate (body->inverse_inertia, turn);
}

SymmetricMatrix
rigid_body_get_inertia (const RigidBody *body, KgRotation turn)
{
  return symmetric_matrix_rotate (body->inertia, turn);
}

static KgVector
get_omega (const RigidBody *body, KgRotation turn, KgVector angular)
{
  const KgVector own = kg_rotation_apply (kg_rotation_conjugate (turn), angular);

  return kg_rotation_apply (turn, symmetric_matrix_apply (body->inverse_inertia, own));
}

KgVector
rigid_body_get_omega (const RigidBody *body, const RigidMotion *motion)
{
  return get_omega (body, motion->turn, motion->angular);
}

void
rigid_body_set_omega (const RigidBody *body, RigidMotion *motion, KgVector omega)
{
  const KgVector own = kg_rotation_apply (kg_rotation_conjugate (motion->turn), omega);

  motion->angular = kg_rotation_apply (motion->turn, symmetric_matrix_apply (body->inertia, own));
}

void
rigid_body_start (const RigidBody *body, RigidMotion *motion)
{
  *motion = (RigidMotion){ .place = body->center, .turn = body->turn, .velocity = body->velocity };
  rigid_body_set_omega (body, motion, body->omega);
}

/* A Newton step of 2 I (middle - omega) + h middle × I middle = 0. */
static KgVector
improve_middle (const RigidBody *body, KgVector omega, KgVector middle, double h)
{
  const KgVector axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  const KgVector angular = symmetric_matrix_apply (body->inertia, middle);
  const KgVector error = kg_vector_add_scaled (
      kg_vector_scale (symmetric_matrix_apply (body->inertia, kg_vector_subtract (middle, omega)), 2), h,
      kg_vector_cross (middle, angular));
  KgVector columns[3], crossed;
  double determinant;

  for (int i = 0; i < 3; i++) {
    const KgVector column = symmetric_matrix_apply (body->inertia, axes[i]);

    columns[i] = kg_vector_add_scaled (
        kg_vector_scale (column, 2), h,
        kg_vector_subtract (kg_vector_cross (middle, column), kg_vector_cross (angular, axes[i])));
  }
  crossed = kg_vector_cross (columns[1], columns[2]);
  determinant = kg_vector_dot (columns[0], crossed);
  if (determinant == 0 || !isfinite (determinant))
    return middle;
  return kg_vector_subtract (middle,
                             kg_vector (kg_vector_dot (error, crossed) / determinant,
                                        kg_vector_dot (columns[0], kg_vector_cross (error, columns[2])) / determinant,
                                        kg_vector_dot (columns[0], kg_vector_cross (columns[1], error)) / determinant));
}

void
rigid_body_turn (const RigidBody *body, RigidMotion *motion, double h, RigidTurning turning)
{
  const KgVector own = kg_rotation_apply (kg_rotation_conjugate (motion->turn), motion->angular);
  const KgVector omega = symmetric_matrix_apply (body->inverse_inertia, own);
  KgVector middle = omega;

  for (int round = 0; round < MIDDLE_ROUNDS; round++) {
    const double length = kg_vector_length (middle);
    /* The rule of Cayley, with this step, turns by the same angle; that of quaternions is it. */
    const double step =
        turning == RIGID_QUATERNION || !(length > 0) ? h : 2 * tan (0.5 * get_angle (length, h, turning)) / length;
    const KgVector next = improve_middle (body, omega, middle, step);
    const double change = kg_vector_distance (next, middle);

    middle = next;
    if (change <= MIDDLE_TOLERANCE * length)
      break;
  }
  motion->turn = rigid_turn_advance (motion->turn, kg_rotation_apply (motion->turn, middle), h, turning);
}

void
rigid_body_fly (const RigidBody *body, RigidMotion *motion, KgVector acceleration, KgVector torque, double h,
                RigidTurning turning)
{
  const KgVector before = motion->velocity;

  motion->velocity = kg_vector_add_scaled (before, h, acceleration);
  motion->place = kg_vector_add_scaled (motion->place, 0.5 * h, kg_vector_add (before, motion->velocity));
  motion->angular = kg_vector_add_scaled (motion->angular, 0.5 * h, torque);
  rigid_body_turn (body, motion, h, turning);
  motion->angular = kg_vector_add_scaled (motion->angular, 0.5 * h, torque);
}

double
rigid_body_fit (const KgVector *from, const KgVector *to, size_t n, KgVector *place, KgRotation *turn)
{
  KgVector middle = { 0, 0, 0 }, to_middle = { 0, 0, 0 };
  double worst = 0;

  for (size_t i = 0; i < n; i++) {
    middle = kg_vector_add_scaled (middle, 1.0 / (double) n, from[i]);
    to_middle = kg_vector_add_scaled (to_middle, 1.0 / (double) n, to[i]);
  }
  for (int round = 0; round < FIT_ROUNDS; round++) {
    KgVector torque = { 0, 0, 0 };
    double sum = 0, angle;

    for (size_t i = 0; i < n; i++) {
      const KgVector arm = kg_rotation_apply (*turn, kg_vector_subtract (from[i], middle));
      const KgVector goal = kg_vector_subtract (to[i], to_middle);

      torque = kg_vector_add (torque, kg_vector_cross (arm, goal));
      sum += kg_vector_dot (arm, goal);
    }
    angle = kg_vector_length (torque) / (fabs (sum) + 1e-300);
    if (!(angle > 1e-12) || sum == 0)
      break;
    *turn = kg_rotation_normalize (kg_rotation_multiply (kg_rotation_from_axis_angle (torque, fmin (angle, 1)), *turn));
  }
  *place = kg_vector_subtract (to_middle, kg_rotation_apply (*turn, middle));
  for (size_t i = 0; i < n; i++)
    worst = fmax (worst, kg_vector_distance (kg_vector_add (*place, kg_rotation_apply (*turn, from[i])), to[i]));
  return worst;
}

void
rigid_sums_add (RigidSums *sums, const RigidBody *body, const RigidMotion *motion, KgVector gravity)
{
  const KgVector omega = rigid_body_get_omega (body, motion);

  if (body->kind != RIGID_MOVING)
    return;
  sums->mass += body->mass;
  sums->momentum = kg_vector_add_scaled (sums->momentum, body->mass, motion->velocity);
  sums->angular = kg_vector_add (
      sums->angular,
      kg_vector_add_scaled (motion->angular, body->mass, kg_vector_cross (motion->place, motion->velocity)));
  sums->kinetic += 0.5 * body->mass * kg_vector_dot (motion->velocity, motion->velocity) +
                   0.5 * kg_vector_dot (omega, motion->angular);
  sums->potential -= body->mass * kg_vector_dot (gravity, motion->place);
}

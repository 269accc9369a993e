/* rigid_rows: conditions on the velocities of two bodies, one number each: a contact along its normal, a joint along an axis.
 *
 * A row has a force along n on body a and -n on b, or a torque; its velocity is J v, and impulses change velocities by
 * M⁻¹ Jᵀ lambda (Parent, Computer Animation, Eq. 4.67 - 4.77).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/symmetric_matrix.h"

#include <stdint.h>

/* What a solver knows of a body during a step. */
typedef struct {
  KgVector v, w;
  double inverse_mass;
  SymmetricMatrix inverse_inertia; /* in the world, now */
} RigidSpeed;

typedef struct {
  uint32_t a, b;
  KgVector n;            /* 0 for a torque */
  KgVector arm_a, arm_b; /* r × n, or the axis of a torque */
  double softness;       /* velocity that each unit of impulse gives up */
  double wanted;         /* the velocity that a step aims at, with errors of position taken out */
  double kept;           /* the same without taking them out */
  double low, high;      /* of the impulse */
  double impulse;
  double inverse; /* 1 / (J M⁻¹ Jᵀ + softness) */
  int slot;       /* of what a joint has spent */
} RigidRow;

static inline RigidRow
rigid_row_along (uint32_t a, uint32_t b, KgVector n, KgVector arm_a, KgVector arm_b)
{
  return (RigidRow){ .a = a,
                     .b = b,
                     .n = n,
                     .arm_a = kg_vector_cross (arm_a, n),
                     .arm_b = kg_vector_cross (arm_b, n),
                     .low = -INFINITY,
                     .high = INFINITY };
}

static inline RigidRow
rigid_row_about (uint32_t a, uint32_t b, KgVector axis)
{
  return (RigidRow){ .a = a, .b = b, .arm_a = axis, .arm_b = axis, .low = -INFINITY, .high = INFINITY };
}

static inline double
rigid_row_get_velocity (const RigidRow *row, const RigidSpeed *speeds)
{
  const RigidSpeed *a = &speeds[row->a], *b = &speeds[row->b];

  return kg_vector_dot (row->n, kg_vector_subtract (a->v, b->v)) + kg_vector_dot (row->arm_a, a->w) -
         kg_vector_dot (row->arm_b, b->w);
}

static inline void
rigid_row_apply (const RigidRow *row, double impulse, RigidSpeed *speeds)
{
  RigidSpeed *a = &speeds[row->a], *b = &speeds[row->b];

  a->v = kg_vector_add_scaled (a->v, impulse * a->inverse_mass, row->n);
  a->w = kg_vector_add_scaled (a->w, impulse, symmetric_matrix_apply (a->inverse_inertia, row->arm_a));
  b->v = kg_vector_add_scaled (b->v, -impulse * b->inverse_mass, row->n);
  b->w = kg_vector_add_scaled (b->w, -impulse, symmetric_matrix_apply (b->inverse_inertia, row->arm_b));
}

/* J_i M⁻¹ J_jᵀ of two rows. */
static inline double
rigid_rows_couple (const RigidRow *i, const RigidRow *j, const RigidSpeed *speeds)
{
  double sum = 0;

  for (int side = 0; side < 2; side++) {
    const uint32_t body = side == 0 ? i->a : i->b;
    const RigidSpeed *speed = &speeds[body];
    const KgVector arm = side == 0 ? i->arm_a : i->arm_b;

    for (int other = 0; other < 2; other++)
      if ((other == 0 ? j->a : j->b) == body)
        sum += (side == other ? 1 : -1) *
               (speed->inverse_mass * kg_vector_dot (i->n, j->n) +
                kg_vector_dot (arm, symmetric_matrix_apply (speed->inverse_inertia, other == 0 ? j->arm_a : j->arm_b)));
  }
  return sum;
}

static inline void
rigid_row_prepare (RigidRow *row, const RigidSpeed *speeds)
{
  const double sum = rigid_rows_couple (row, row, speeds) + row->softness;

  row->inverse = sum > 0 ? 1 / sum : 0;
}

/* One impulse towards the velocity; relax: without taking out errors of position. */
static inline void
rigid_row_solve (RigidRow *row, RigidSpeed *speeds, bool relax)
{
  const double error = rigid_row_get_velocity (row, speeds) - (relax ? row->kept : row->wanted) +
                       row->softness * row->impulse;
  const double next = kg_clamp (row->impulse - row->inverse * error, row->low, row->high);

  rigid_row_apply (row, next - row->impulse, speeds);
  row->impulse = next;
}

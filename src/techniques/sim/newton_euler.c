/* newton_euler: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/newton_euler.h"

/* What the centre is accelerated by more than the point. */
static KgVector
get_more (const NewtonEulerBody *body, KgVector omega, KgVector alpha)
{
  return kg_vector_add (kg_vector_cross (alpha, body->center),
                        kg_vector_cross (omega, kg_vector_cross (omega, body->center)));
}

static KgVector
get_gyration (const NewtonEulerBody *body, KgVector omega)
{
  return kg_vector_cross (omega, symmetric_matrix_apply (body->inertia, omega));
}

NewtonEulerLoad
newton_euler_get_load (const NewtonEulerBody *body, KgVector omega, KgVector acceleration, KgVector alpha)
{
  const KgVector force = kg_vector_scale (kg_vector_add (acceleration, get_more (body, omega, alpha)), body->mass);
  const KgVector spin = kg_vector_add (symmetric_matrix_apply (body->inertia, alpha), get_gyration (body, omega));

  return (NewtonEulerLoad){ force, kg_vector_add (spin, kg_vector_cross (body->center, force)) };
}

bool
newton_euler_get_accelerations (const NewtonEulerBody *body, KgVector omega, const NewtonEulerLoad *load,
                                KgVector *acceleration, KgVector *alpha)
{
  const KgVector torque = kg_vector_subtract (load->torque, kg_vector_cross (body->center, load->force));
  SymmetricMatrix inverse;

  if (!(body->mass > 0) || !symmetric_matrix_invert (body->inertia, &inverse))
    return false;
  *alpha = symmetric_matrix_apply (inverse, kg_vector_subtract (torque, get_gyration (body, omega)));
  *acceleration = kg_vector_subtract (kg_vector_scale (load->force, 1 / body->mass), get_more (body, omega, *alpha));
  return true;
}

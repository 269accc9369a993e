/* body_displace: joints of rigid bodies closed by displacements of both sides, over and over.
 *
 * Each gap is closed to first order by the moves and turns of its two bodies that a force along it would cause: masses and inertias
 * count as they are.  Velocities follow from the places, and so make good what the displacements did.
 * Source: position-based dynamics (Müller and others 2007) for rigid bodies; Ahn and others name displacement constraints with
 * a separate pass over velocities.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/body_solver_private.h"

/* How far a place on a body goes along a unit direction by an impulse of 1 along it. */
static double
get_give (const BodySolver *solver, guint body, KgVector place, KgVector direction)
{
  const BodyPose *pose = &solver->poses[body];
  const KgVector torque = kg_vector_cross (kg_vector_subtract (place, pose->place), direction);

  if (solver->held[body])
    return 0;
  return 1 / solver->bodies[body].mass +
         kg_vector_dot (torque,
                        body_angular_acceleration (&solver->bodies[body], pose->turn, solver->settings.plane, torque));
}

/* Closes the gap between two places on two bodies.  Returns how wide it was. */
static double
close_joint (BodySolver *solver, const BodyJoint *joint, const BodyLink *link)
{
  const KgVector a = body_solver_get_pin (solver, joint->a, link->pin_a);
  const KgVector b = body_solver_get_pin (solver, joint->b, link->pin_b);
  const KgVector gap = kg_vector_subtract (b, a);
  const double distance = kg_vector_length (gap);
  double give_a, give_b;

  if (!(distance > 0))
    return 0;
  give_a = get_give (solver, joint->a, a, kg_vector_scale (gap, 1 / distance));
  give_b = get_give (solver, joint->b, b, kg_vector_scale (gap, 1 / distance));
  if (give_a > 0)
    body_push (&solver->poses[joint->a], &solver->bodies[joint->a], solver->settings.plane, a,
               kg_vector_scale (gap, give_a / (give_a + give_b)));
  if (give_b > 0)
    body_push (&solver->poses[joint->b], &solver->bodies[joint->b], solver->settings.plane, b,
               kg_vector_scale (gap, -give_b / (give_a + give_b)));
  return distance;
}

static double
reach_goal (BodySolver *solver, const BodyGoal *goal)
{
  const Body *body = &solver->bodies[goal->body];
  const KgVector at = body_solver_get_pin (solver, goal->body, kg_vector_subtract (goal->pin, body->center));
  const KgVector gap = kg_vector_subtract (goal->place, at);

  body_push (&solver->poses[goal->body], body, solver->settings.plane, at, gap);
  return kg_vector_length (gap);
}

void
body_solver_displace (BodySolver *solver)
{
  double worst = INFINITY;

  for (guint i = 0; i < solver->n_holds; i++) {
    solver->poses[solver->holds[i].body].place = solver->holds[i].place;
    solver->poses[solver->holds[i].body].turn = solver->holds[i].turn;
  }
  for (guint pass = 0; pass < solver->settings.passes && worst > solver->settings.tolerance; pass++) {
    if (kg_progress_is_cancelled (solver->monitor))
      return;
    worst = 0;
    for (guint j = 0; j < solver->n_joints; j++)
      worst = fmax (worst, close_joint (solver, &solver->joints[j], &solver->links[j]));
    for (guint j = 0; j < solver->assembly->rings->len; j++)
      worst = fmax (worst, close_joint (solver, &solver->rings[j], &solver->ring_links[j]));
    for (guint i = 0; i < solver->n_goals; i++)
      worst = fmax (worst, reach_goal (solver, &solver->goals[i]));
    solver->report.passes = MAX (solver->report.passes, pass + 1);
  }
}

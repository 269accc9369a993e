/* rigid_penalty: springs where bodies overlap, see rigid_world.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_world_private.h"

/* Share of what stops a sliding body that one of its contacts may take in a step. */
#define FRICTION_SHARE 0.25
/* Passes over the springs end when no force changes by more than this share of the largest. */
#define MAX_PASSES 50
#define SETTLED 1e-9

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

/* A spring between two bodies for a substep. */
typedef struct {
  RigidContact *contact;
  KgVector arm_a, arm_b, sliding; /* sliding: its velocity at the start */
  double yield;                   /* acceleration along the normal for each unit of force */
  double damper;                  /* N s/m */
  double speed;                   /* of the start, apart along the normal */
  double normal, friction;        /* forces */
  double least_friction;          /* what stops sliding within some steps */
} Spring;

/* The mean force while the depth goes evenly from one to another: what a spring with the energy k d²/2 where d > 0 gives or
 * takes on the way, over its length (a discrete gradient: Gonzalez 1996), so that a bounce neither adds nor takes any energy,
 * whatever the step; and a damper as long as they overlap. */
static double
get_force (double stiffness, double damper, double from, double to, double h)
{
  const double in = fmax (from, 0), out = fmax (to, 0);
  const double spring = from >= 0 && to >= 0 ? 0.5 * stiffness * (from + to)
                                             : 0.5 * stiffness * (out * out - in * in) / (to - from);

  return fmax (spring + damper * (out - in) / h, 0);
}

/* The force that leads to the depth that it was computed for.  free: the depth after the step without it. */
static double
solve_force (const Spring *spring, double stiffness, double free, double h)
{
  const double from = spring->contact->depth, moves = 0.5 * h * h * spring->yield;
  double low, high = free;

  if (from <= 0 && free <= 0)
    return 0;
  if (from >= 0) {
    const double share = 0.5 * stiffness + spring->damper / h;
    const double to = (free - moves * (0.5 * stiffness - spring->damper / h) * from) / (1 + moves * share);

    if (to >= 0)
      return get_force (stiffness, spring->damper, from, to, h);
  }
  /* The force grows with the depth that it leads to, so that there is one answer. */
  low = free - moves * get_force (stiffness, spring->damper, from, free, h);
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);

    if (middle + moves * get_force (stiffness, spring->damper, from, middle, h) < free)
      low = middle;
    else
      high = middle;
  }
  return get_force (stiffness, spring->damper, from, 0.5 * (low + high), h);
}

/* The force of what the step begins with, as published: steps that are not small against the bounce add energy. */
static double
sample_force (const Spring *spring, const RigidSettings *settings)
{
  const double depth = spring->contact->depth;

  if (!(depth > 0) || (settings->springs == RIGID_SPRINGS_APPROACHING && !(spring->speed < 0)))
    return 0;
  return fmax (settings->stiffness * depth - spring->damper * spring->speed, 0);
}

static KgVector
get_acceleration (const RigidWork *work, const RigidSpeed *speed, uint32_t body, KgVector arm)
{
  return kg_vector_add (work->accelerations[body],
                        kg_vector_cross (symmetric_matrix_apply (speed->inverse_inertia, work->torques[body]), arm));
}

static void
add_forces (RigidWorld *world, const Spring *spring, double normal, double friction)
{
  KgVector force = kg_vector_scale (spring->contact->normal, normal);

  force = kg_vector_add_scaled (force, -friction, kg_vector_normalize_or (spring->sliding, kg_vector (0, 0, 0)));
  add_force (world, spring->contact->a, spring->arm_a, 1, force);
  add_force (world, spring->contact->b, spring->arm_b, -1, force);
}

/* Pushes along the normal, never pulls; friction up to what Coulomb allows.  Returns how much the force has changed. */
static double
press (RigidWorld *world, const RigidSettings *settings, Spring *spring, double h)
{
  const RigidWork *work = world->work;
  const RigidContact *contact = spring->contact;
  const KgVector a = get_acceleration (work, &work->speeds[contact->a], contact->a, spring->arm_a),
                 b = get_acceleration (work, &work->speeds[contact->b], contact->b, spring->arm_b);
  const double apart = kg_vector_dot (contact->normal, kg_vector_subtract (a, b)) - spring->yield * spring->normal;
  const double free = contact->depth - h * (spring->speed + 0.5 * h * apart);
  const double normal = settings->springs == RIGID_SPRINGS_MEAN ? solve_force (spring, settings->stiffness, free, h)
                                                                : sample_force (spring, settings);
  const double friction = fmin (contact->friction * normal, spring->least_friction);
  const double change = fabs (normal - spring->normal);

  add_forces (world, spring, normal - spring->normal, friction - spring->friction);
  spring->normal = normal;
  spring->friction = friction;
  return change;
}

/* (transfer full) The springs of all contacts that may overlap within the substep. */
static Spring *
make_springs (RigidWorld *world, const RigidSettings *settings, double h, guint *n, RigidReport *report)
{
  Spring *springs = g_new0 (Spring, MAX (world->contacts->len, 1));

  *n = 0;
  for (guint k = 0; k < world->contacts->len; k++) {
    RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);
    const RigidSpeed *a = &world->work->speeds[contact->a], *b = &world->work->speeds[contact->b];
    const double inverse_mass = a->inverse_mass + b->inverse_mass;
    Spring *spring = &springs[*n];
    KgVector velocity;

    contact->impulse = contact->total = 0;
    contact->rubbed = kg_vector (0, 0, 0);
    if (!(inverse_mass > 0))
      continue;
    (*n)++;
    spring->contact = contact;
    spring->arm_a = kg_vector_subtract (contact->place, world->motions[contact->a].place);
    spring->arm_b = kg_vector_subtract (contact->place, world->motions[contact->b].place);
    velocity = kg_vector_subtract (rigid_speed_at (a, spring->arm_a), rigid_speed_at (b, spring->arm_b));
    spring->speed = kg_vector_dot (contact->normal, velocity);
    spring->sliding = kg_vector_add_scaled (velocity, -spring->speed, contact->normal);
    spring->yield = rigid_speeds_yield (a, spring->arm_a, b, spring->arm_b, contact->normal);
    spring->damper = 2 * settings->damping * sqrt (settings->stiffness / inverse_mass);
    spring->least_friction = FRICTION_SHARE * kg_vector_length (spring->sliding) / (inverse_mass * h);
    if (contact->depth > 0 && h * sqrt (settings->stiffness * inverse_mass) > 1)
      report->events |= RIGID_STIFF;
  }
  return springs;
}

/* Each force changes what the others lead to: they are looked at in turn until nothing changes. */
static void
press_all (RigidWorld *world, const RigidSettings *settings, double h, RigidReport *report)
{
  guint n;
  g_autofree Spring *springs = make_springs (world, settings, h, &n, report);

  for (guint i = 0; i < MAX_PASSES; i++) {
    double change = 0, most = 0;

    for (guint k = 0; k < n; k++) {
      change = fmax (change, press (world, settings, &springs[k], h));
      most = fmax (most, springs[k].normal);
    }
    if (change <= SETTLED * most)
      break;
  }
  for (guint k = 0; k < n; k++) {
    springs[k].contact->impulse = springs[k].contact->total = h * springs[k].normal;
    springs[k].contact->rubbed =
        kg_vector_scale (kg_vector_normalize_or (springs[k].sliding, kg_vector (0, 0, 0)), -h * springs[k].friction);
    springs[k].contact->approach = fmax (-springs[k].speed, 0);
  }
}

bool
rigid_step_penalty (RigidWorld *world, const RigidSettings *settings, double time, double dt, RigidReport *report,
                    const KgProgressMonitor *monitor, GError **error)
{
  const double h = dt / settings->substeps;

  for (guint i = 0; i < settings->substeps; i++) {
    rigid_world_read_speeds (world);
    if (!rigid_world_find_contacts (world, settings, h, 0, monitor, error))
      return false;
    rigid_world_wake (world, h);
    rigid_world_read_speeds (world);
    rigid_world_sample_forces (world, settings, time + i * h);
    press_all (world, settings, h, report);
    rigid_world_log (world);
    rigid_substep_without_contacts (world, settings, h, report);
    if (kg_progress_is_cancelled (monitor))
      return false;
  }
  return true;
}

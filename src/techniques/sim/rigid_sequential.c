/* rigid_sequential: contacts by sequential impulses, see rigid_world.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_world_private.h"

/* Share of the depth of a contact that a substep takes out.  The speed for that is taken out again after the motion, so that it
 * adds no energy.  Contacts that yield like springs, as published, sag under high stacks, which then buckle. */
#define DEPTH_BIAS 0.05
/* Where contacts are new, passes are added until so many contacts have been visited. */
#define COLD_WORK 100000
/* Contacts count as new where more than this many bore nothing for each that bore something. */
#define FEW_KNOWN 8
/* They end when no impulse changes by more than this share of the largest: what is left of a first guess tilts high stacks. */
#define COLD_SETTLED 1e-7
/* Elsewhere they go on from the impulses before, and may look at so many contacts: few bodies get the passes that a tower
 * needs not to buckle, while heaps, which have thousands of contacts and bear each other, make do with those of the settings. */
#define WARM_WORK 6000
#define MAX_WARM_PASSES 100
#define WARM_SETTLED 1e-5
/* More passes than this are accelerated. */
#define ACCELERATED_PASSES 12
/* Bodies that have turned by less than twice this (radians) answer to impulses as before. */
#define TURNED 5e-4
/* Rounding, as a share of the energy of what bounces. */
#define ENERGY_TOLERANCE 1e-12

/* A contact during an update. */
typedef struct {
  RigidContact *contact;
  uint32_t a, b;
  KgVector normal, along, across;
  KgVector arm_a, arm_b;     /* as they are, in the world */
  KgVector start_a, start_b; /* arms to the cores of the shapes, when it was found */
  double gap;                /* when it was found */
  double mass, mass_along, mass_across, mass_roll;
  double normal_impulse, along_impulse, across_impulse;
  KgVector roll;
  double approach; /* INFINITY: not known yet */
  double thrown;   /* impulse of the bounce */
} Push;

typedef struct {
  RigidWorld *world;
  const RigidSettings *settings;
  double h;
  guint n;
  Push *pushes;
  KgRotation *turned; /* of each body since contacts were found */
  uint8_t *flew;      /* of each body: nothing touched it in this substep */
  double *energies;   /* of each body, before it was touched in this substep; NULL where nothing bounces */
  guint passes;
  double settled; /* passes end when no impulse changes by more than this share of the largest */
} Stepping;

/* Where most contacts that bear something are new, such as in a stack at the start, there is nothing to go on from. */
static void
count_passes (Stepping *stepping)
{
  const GArray *contacts = stepping->world->contacts;
  /* A joint has up to six rows, a contact three. */
  const guint n = MAX (contacts->len + 2 * stepping->world->joints->len, 1);
  guint n_new = 0, n_known = 0;
  bool cold;

  for (guint k = 0; k < contacts->len; k++) {
    const RigidContact *contact = &g_array_index (contacts, RigidContact, k);

    n_known += contact->impulse > 0;
    n_new += !(contact->impulse > 0) && contact->depth > -stepping->world->work->slop;
  }
  cold = n_new > FEW_KNOWN * n_known;
  stepping->settled = cold ? COLD_SETTLED : WARM_SETTLED;
  stepping->passes = MAX (stepping->settings->passes, cold ? COLD_WORK / n : MIN (WARM_WORK / n, MAX_WARM_PASSES));
}

static void
weigh (Push *push, const RigidSpeed *speeds)
{
  const RigidSpeed *a = &speeds[push->a], *b = &speeds[push->b];

  push->mass = 1 / rigid_speeds_yield (a, push->arm_a, b, push->arm_b, push->normal);
  push->mass_along = 1 / rigid_speeds_yield (a, push->arm_a, b, push->arm_b, push->along);
  push->mass_across = 1 / rigid_speeds_yield (a, push->arm_a, b, push->arm_b, push->across);
}

static bool
has_turned (KgRotation turn)
{
  return turn.x * turn.x + turn.y * turn.y + turn.z * turn.z > TURNED * TURNED;
}

/* The tensors of bodies turn with them: impulses for what a slim body was like before are too large many times over. */
static void
weigh_turned (const Stepping *stepping)
{
  for (guint k = 0; k < stepping->n; k++) {
    Push *push = &stepping->pushes[k];

    if (has_turned (stepping->turned[push->a]) || has_turned (stepping->turned[push->b]))
      weigh (push, stepping->world->work->speeds);
  }
}

static void
prepare (Stepping *stepping)
{
  RigidWorld *world = stepping->world;
  const RigidSpeed *speeds = world->work->speeds;

  stepping->pushes = g_new (Push, MAX (world->contacts->len, 1));
  stepping->turned = g_new (KgRotation, world->n + 1);
  stepping->flew = g_new0 (uint8_t, world->n + 1);
  for (guint k = 0; k < world->contacts->len; k++) {
    RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);
    const RigidSpeed *a = &speeds[contact->a], *b = &speeds[contact->b];
    Push *push = &stepping->pushes[stepping->n];
    double roll;

    if (a->inverse_mass == 0 && b->inverse_mass == 0)
      continue;
    stepping->n++;
    *push = (Push){ .contact = contact,
                    .a = contact->a,
                    .b = contact->b,
                    .normal = contact->normal,
                    .along = kg_vector_perpendicular (contact->normal),
                    .gap = -contact->depth,
                    .normal_impulse = contact->impulse,
                    .roll = contact->roll,
                    .approach = contact->impulse > 0 ? 0 : INFINITY };
    push->across = kg_vector_cross (push->normal, push->along);
    push->arm_a = kg_vector_subtract (contact->place, world->motions[push->a].place);
    push->arm_b = kg_vector_subtract (contact->place, world->motions[push->b].place);
    push->start_a = kg_vector_add_scaled (push->arm_a, contact->round_a, contact->normal);
    push->start_b = kg_vector_add_scaled (push->arm_b, -contact->round_b, contact->normal);
    push->along_impulse = kg_vector_dot (contact->slide, push->along);
    push->across_impulse = kg_vector_dot (contact->slide, push->across);
    weigh (push, speeds);
    roll = a->inverse_inertia.xx + a->inverse_inertia.yy + a->inverse_inertia.zz + b->inverse_inertia.xx +
           b->inverse_inertia.yy + b->inverse_inertia.zz;
    push->mass_roll = roll > 0 ? 3 / roll : 0;
    contact->total = 0;
    contact->approach = 0;
    if (contact->restitution > 0 && stepping->energies == NULL)
      stepping->energies = g_new0 (double, world->n + 1);
  }
}

static void
apply (const Push *push, RigidSpeed *speeds, KgVector impulse)
{
  rigid_speed_push (&speeds[push->a], push->arm_a, 1, impulse);
  rigid_speed_push (&speeds[push->b], push->arm_b, -1, impulse);
}

static void
twist (const Push *push, RigidSpeed *speeds, KgVector impulse)
{
  RigidSpeed *a = &speeds[push->a], *b = &speeds[push->b];

  a->w = kg_vector_add (a->w, symmetric_matrix_apply (a->inverse_inertia, impulse));
  b->w = kg_vector_subtract (b->w, symmetric_matrix_apply (b->inverse_inertia, impulse));
}

static KgVector
get_velocity (const Push *push, const RigidSpeed *speeds)
{
  return kg_vector_subtract (rigid_speed_at (&speeds[push->a], push->arm_a),
                             rigid_speed_at (&speeds[push->b], push->arm_b));
}

/* How far the two are apart now, along the normal that was found. */
static double
get_gap (const Stepping *stepping, const Push *push, const KgVector *places)
{
  const RigidMotion *a = &stepping->world->motions[push->a], *b = &stepping->world->motions[push->b];
  const KgVector moved_a =
      kg_vector_add (kg_vector_subtract (a->place, places[push->a]),
                     kg_vector_subtract (kg_rotation_apply (stepping->turned[push->a], push->start_a), push->start_a));
  const KgVector moved_b =
      kg_vector_add (kg_vector_subtract (b->place, places[push->b]),
                     kg_vector_subtract (kg_rotation_apply (stepping->turned[push->b], push->start_b), push->start_b));

  return push->gap + kg_vector_dot (push->normal, kg_vector_subtract (moved_a, moved_b));
}

/* Returns how much the impulse has changed. */
static double
solve_normal (const Stepping *stepping, Push *push, double gap, bool relax)
{
  RigidSpeed *speeds = stepping->world->work->speeds;
  double bias = 0, change, velocity, next;

  if (gap > 0)
    bias = gap / stepping->h;
  else if (!relax)
    bias = fmax (DEPTH_BIAS * fmin (gap + stepping->world->work->slop, 0) / stepping->h, -RIGID_RECOVER_SPEED);
  velocity = kg_vector_dot (get_velocity (push, speeds), push->normal);
  next = fmax (push->normal_impulse - push->mass * (velocity + bias), 0);
  change = next - push->normal_impulse;
  apply (push, speeds, kg_vector_scale (push->normal, change));
  push->normal_impulse = next;
  return fabs (change);
}

/* Within the disc of static friction; what leaves it slides with kinetic friction. */
static void
solve_friction (const Stepping *stepping, Push *push)
{
  RigidSpeed *speeds = stepping->world->work->speeds;
  const bool idle = push->normal_impulse == 0 && push->along_impulse == 0 && push->across_impulse == 0;
  const KgVector velocity = idle ? kg_vector (0, 0, 0) : get_velocity (push, speeds);
  double along = push->along_impulse - push->mass_along * kg_vector_dot (velocity, push->along);
  double across = push->across_impulse - push->mass_across * kg_vector_dot (velocity, push->across);
  const double length = sqrt (along * along + across * across);

  if (idle)
    return;
  if (length > push->contact->friction_static * push->normal_impulse) {
    const double scale = length > 0 ? push->contact->friction * push->normal_impulse / length : 0;

    along *= scale;
    across *= scale;
  }
  apply (push, speeds,
         kg_vector_add (kg_vector_scale (push->along, along - push->along_impulse),
                        kg_vector_scale (push->across, across - push->across_impulse)));
  push->along_impulse = along;
  push->across_impulse = across;
}

static void
solve_rolling (const Stepping *stepping, Push *push)
{
  RigidSpeed *speeds = stepping->world->work->speeds;
  const double most = stepping->settings->rolling * push->normal_impulse;
  KgVector next =
      kg_vector_add_scaled (push->roll, -push->mass_roll, kg_vector_subtract (speeds[push->a].w, speeds[push->b].w));
  const double length = kg_vector_length (next);

  if (length > most)
    next = kg_vector_scale (next, length > 0 ? most / length : 0);
  twist (push, speeds, kg_vector_subtract (next, push->roll));
  push->roll = next;
}

/* Upwards and downwards through the contacts in turn, so that neither end is always the last.  False: nothing changes any
 * more. */
static bool
pass (const Stepping *stepping, const double *gaps, bool relax, bool backwards)
{
  double change = 0, most = 0;

  rigid_world_solve_joints (stepping->world, relax);
  for (guint k = 0; k < stepping->n; k++) {
    const guint at = backwards ? stepping->n - 1 - k : k;

    solve_friction (stepping, &stepping->pushes[at]);
    if (stepping->settings->rolling > 0)
      solve_rolling (stepping, &stepping->pushes[at]);
    change = fmax (change, solve_normal (stepping, &stepping->pushes[at], gaps[at], relax));
    most = fmax (most, stepping->pushes[at].normal_impulse);
  }
  return change > stepping->settled * most;
}

/* Goes on from where a pass up and one down have led.  What both have changed is the gradient of a nonlinear conjugate gradient
 * method (Silcowitz-Hansen, Niebe and Erleben 2010), which starts anew where it does not shrink; what becomes negative or leaves
 * its disc is mended by the pass that follows.  before: the impulses before the two passes, then what they changed. */
static void
extrapolate (const Stepping *stepping, double *before, double *direction, double *last)
{
  RigidSpeed *speeds = stepping->world->work->speeds;
  double sum = 0, share;

  for (guint k = 0; k < stepping->n; k++) {
    const Push *push = &stepping->pushes[k];
    const double now[3] = { push->normal_impulse, push->along_impulse, push->across_impulse };

    for (size_t c = 0; c < 3; c++) {
      before[3 * k + c] = now[c] - before[3 * k + c];
      sum += before[3 * k + c] * before[3 * k + c];
    }
  }
  share = *last > 0 ? sum / *last : INFINITY;
  *last = sum;
  if (!(share <= 1))
    share = 0;
  for (guint k = 0; k < stepping->n; k++) {
    Push *push = &stepping->pushes[k];
    double *way = direction + 3 * k, *change = before + 3 * k;
    KgVector impulse;

    for (size_t c = 0; c < 3; c++)
      way[c] *= share;
    impulse = kg_vector_scale (push->normal, way[0]);
    impulse = kg_vector_add_scaled (impulse, way[1], push->along);
    impulse = kg_vector_add_scaled (impulse, way[2], push->across);
    if (share > 0)
      apply (push, speeds, impulse);
    push->normal_impulse += way[0];
    push->along_impulse += way[1];
    push->across_impulse += way[2];
    for (size_t c = 0; c < 3; c++)
      way[c] += change[c];
  }
}

/* As many passes as there are to be, and more until the impulses settle.  Many passes are accelerated: heavy things on light
 * ones, and towers, would take thousands. */
static void
pass_all (const Stepping *stepping, const double *gaps, bool relax)
{
  const guint few = stepping->settings->passes;
  const bool accelerated = stepping->passes > ACCELERATED_PASSES && stepping->n > 0;
  g_autofree double *before = accelerated ? g_new (double, 3 * (size_t) stepping->n) : NULL;
  g_autofree double *direction = accelerated ? g_new0 (double, 3 * (size_t) stepping->n) : NULL;
  double last = 0;

  for (guint i = 0; i < stepping->passes; i++) {
    for (guint k = 0; accelerated && i % 2 == 0 && k < stepping->n; k++) {
      before[3 * k] = stepping->pushes[k].normal_impulse;
      before[3 * k + 1] = stepping->pushes[k].along_impulse;
      before[3 * k + 2] = stepping->pushes[k].across_impulse;
    }
    if (!pass (stepping, gaps, relax, i % 2 == 1) && i + 1 >= few)
      return;
    if (accelerated && i % 2 == 1 && i + 1 < stepping->passes)
      extrapolate (stepping, before, direction, &last);
  }
}

static void
warm_start (const Stepping *stepping)
{
  for (guint k = 0; k < stepping->n; k++) {
    const Push *push = &stepping->pushes[k];
    KgVector impulse = kg_vector_scale (push->normal, push->normal_impulse);

    impulse = kg_vector_add_scaled (impulse, push->along_impulse, push->along);
    impulse = kg_vector_add_scaled (impulse, push->across_impulse, push->across);
    apply (push, stepping->world->work->speeds, impulse);
    if (stepping->settings->rolling > 0)
      twist (push, stepping->world->work->speeds, push->roll);
  }
}

/* Twice the kinetic energy that two changes of speed share. */
static double
couple_speeds (const RigidWorld *world, uint32_t body, const RigidSpeed *a, const RigidSpeed *b)
{
  const RigidBody *of = rigid_set_get_body (world->set, body);

  return of->mass * kg_vector_dot (a->v, b->v) +
         kg_vector_dot (a->w, symmetric_matrix_apply (rigid_body_get_inertia (of, world->motions[body].turn), b->w));
}

static void
measure_energies (const Stepping *stepping)
{
  const RigidWorld *world = stepping->world;
  const RigidSpeed *speeds = world->work->speeds;

  for (guint i = 0; i < world->n; i++)
    stepping->energies[i] = rigid_world_is_awake (world, i) ? couple_speeds (world, i, &speeds[i], &speeds[i]) : 0;
}

/* Newton's restitution with friction at several points, or one point after the other, may create energy: each island bounces
 * only so far that it has no more than before, unless a driven body hits it.  Sets the share of each body. */
static void
limit_bounce (const Stepping *stepping, const RigidSpeed *relaxed, double *shares)
{
  const RigidWorld *world = stepping->world;
  const RigidSpeed *speeds = world->work->speeds;
  g_autofree uint32_t *islands = rigid_world_find_islands (world);
  /* Of each island: twice the energy before, when relaxed, and what the bounce adds, as s and s². */
  g_autofree double (*sums)[4] = g_malloc0_n (world->n + 1, sizeof *sums);

  for (guint i = 0; i < world->n; i++) {
    double *sum = sums[islands[i]];
    const RigidSpeed change = { .v = kg_vector_subtract (speeds[i].v, relaxed[i].v),
                                .w = kg_vector_subtract (speeds[i].w, relaxed[i].w) };

    if (!rigid_world_is_awake (world, i))
      continue;
    sum[0] += stepping->energies[i];
    sum[1] += couple_speeds (world, i, &relaxed[i], &relaxed[i]);
    sum[2] += 2 * couple_speeds (world, i, &relaxed[i], &change);
    sum[3] += couple_speeds (world, i, &change, &change);
  }
  for (guint k = 0; k < stepping->n; k++) {
    const RigidSpeed *b = &speeds[stepping->pushes[k].b];

    if (kg_vector_length (b->v) > 0 || kg_vector_length (b->w) > 0)
      if (b->inverse_mass == 0)
        sums[islands[stepping->pushes[k].a]][0] = INFINITY;
  }
  for (guint i = 0; i < world->n; i++) {
    const double *sum = sums[islands[i]];
    const double spare = fmax (sum[0] * (1 + ENERGY_TOLERANCE) - sum[1], 0);

    shares[i] = sum[2] + sum[3] > spare ? (sqrt (sum[2] * sum[2] + 4 * sum[3] * spare) - sum[2]) / (2 * sum[3]) : 1;
  }
  shares[world->n] = 1;
}

/* Contacts that came together fast enough throw the bodies apart again, each once. */
static void
bounce (const Stepping *stepping)
{
  RigidWorld *world = stepping->world;
  RigidSpeed *speeds = world->work->speeds;
  g_autofree RigidSpeed *relaxed = NULL;
  g_autofree double *shares = NULL;

  for (guint k = 0; k < stepping->n; k++) {
    Push *push = &stepping->pushes[k];
    double velocity, next;

    push->thrown = 0;
    if (!(push->normal_impulse > 0) || isinf (push->approach))
      continue;
    push->contact->approach = fmax (push->contact->approach, -push->approach);
    if (push->contact->restitution > 0 && push->approach < -stepping->settings->bounce_speed) {
      if (relaxed == NULL)
        relaxed = g_memdup2 (speeds, (world->n + 1) * sizeof *speeds);
      velocity = kg_vector_dot (get_velocity (push, speeds), push->normal);
      next = fmax (push->normal_impulse - push->mass * (velocity + push->contact->restitution * push->approach), 0);
      push->thrown = next - push->normal_impulse;
      apply (push, speeds, kg_vector_scale (push->normal, push->thrown));
      /* They part: in the next substep there is nothing to go on from. */
      push->contact->total += push->normal_impulse;
      push->normal_impulse = push->along_impulse = push->across_impulse = 0;
    }
    push->approach = 0;
  }
  if (relaxed == NULL)
    return;
  shares = g_new (double, world->n + 1);
  limit_bounce (stepping, relaxed, shares);
  for (guint i = 0; i < world->n; i++)
    if (shares[i] < 1) {
      speeds[i].v = kg_vector_lerp (relaxed[i].v, speeds[i].v, shares[i]);
      speeds[i].w = kg_vector_lerp (relaxed[i].w, speeds[i].w, shares[i]);
    }
  for (guint k = 0; k < stepping->n; k++)
    stepping->pushes[k].contact->total += shares[stepping->pushes[k].a] * stepping->pushes[k].thrown;
}

static bool
is_untouched (const RigidSpeed *speed, const RigidSpeed *before)
{
  return speed->v.x == before->v.x && speed->v.y == before->v.y && speed->v.z == before->v.z &&
         speed->w.x == before->w.x && speed->w.y == before->w.y && speed->w.z == before->w.z;
}

/* Places and rotations; what nothing has touched flies freely. */
static void
move (const Stepping *stepping, const RigidSpeed *before, double first)
{
  RigidWorld *world = stepping->world;
  RigidWork *work = world->work;
  const double h = stepping->h;

#pragma omp parallel for schedule(static) if (world->n > 512)
  for (guint i = 0; i < world->n; i++) {
    const RigidBody *body = rigid_set_get_body (world->set, i);
    RigidMotion *motion = &world->motions[i];
    const KgRotation turn = motion->turn;

    stepping->flew[i] = body->kind == RIGID_MOVING && is_untouched (&work->speeds[i], &before[i]);
    if (body->kind == RIGID_FIXED || motion->asleep)
      continue;
    if (stepping->flew[i] != 0) {
      rigid_body_fly (body, motion, work->accelerations[i], work->torques[i], h, stepping->settings->turning);
      work->speeds[i].v = motion->velocity;
    } else {
      motion->place = kg_vector_add_scaled (motion->place, h, work->speeds[i].v);
      if (body->kind == RIGID_MOVING) {
        motion->velocity = work->speeds[i].v;
        motion->angular = kg_vector_add_scaled (motion->angular, first * h, work->torques[i]);
        motion->angular = kg_vector_add (motion->angular,
                                         symmetric_matrix_apply (rigid_body_get_inertia (body, turn),
                                                                 kg_vector_subtract (work->speeds[i].w, before[i].w)));
      }
      if (body->kind == RIGID_MOVING)
        rigid_body_turn (body, motion, h, stepping->settings->turning);
      else
        motion->turn = rigid_turn_advance (motion->turn, work->speeds[i].w, h, stepping->settings->turning);
    }
    if (body->kind == RIGID_MOVING) {
      work->speeds[i].inverse_inertia = rigid_body_get_inverse_inertia (body, motion->turn);
      work->speeds[i].w = symmetric_matrix_apply (work->speeds[i].inverse_inertia, motion->angular);
    }
    stepping->turned[i] =
        kg_rotation_multiply (motion->turn, kg_rotation_multiply (kg_rotation_conjugate (turn), stepping->turned[i]));
  }
}

/* Forces act for h seconds on all bodies but those of flew (nullable). */
static void
push_all (const Stepping *stepping, double h, const uint8_t *flew)
{
  RigidWorld *world = stepping->world;
  RigidWork *work = world->work;

  for (guint i = 0; i < world->n; i++)
    if (rigid_world_is_awake (world, i) && (flew == NULL || flew[i] == 0)) {
      work->speeds[i].v = kg_vector_add_scaled (work->speeds[i].v, h, work->accelerations[i]);
      work->speeds[i].w = kg_vector_add_scaled (
          work->speeds[i].w, h, symmetric_matrix_apply (work->speeds[i].inverse_inertia, work->torques[i]));
      if (flew != NULL)
        world->motions[i].angular = kg_vector_add_scaled (world->motions[i].angular, h, work->torques[i]);
    }
}

static void
substep (const Stepping *stepping, const KgVector *places, double *gaps, RigidSpeed *before, RigidReport *report)
{
  RigidWorld *world = stepping->world;
  RigidWork *work = world->work;
  const RigidSettings *settings = stepping->settings;
  const double h = stepping->h;
  /* Where only joints hold things, half of the forces act before the motion and half after it, so that energy stays. */
  const double first = stepping->n == 0 ? 0.5 : 1;

  push_all (stepping, first * h, NULL);
  memcpy (before, work->speeds, (world->n + 1) * sizeof *before);
  if (stepping->energies != NULL)
    measure_energies (stepping);
  rigid_world_make_rows (world, settings, h, false);
  for (guint k = 0; k < stepping->n; k++) {
    Push *push = &stepping->pushes[k];

    gaps[k] = get_gap (stepping, push, places);
    if (push->normal_impulse == 0)
      push->approach = kg_vector_dot (get_velocity (push, work->speeds), push->normal);
  }
  weigh_turned (stepping);
  warm_start (stepping);
  pass_all (stepping, gaps, false);
  rigid_world_add_loads (world, false);
  move (stepping, before, first);
  if (first < 1)
    push_all (stepping, (1 - first) * h, stepping->flew);
  memcpy (before, work->speeds, (world->n + 1) * sizeof *before);
  rigid_world_make_rows (world, settings, h, true);
  for (guint k = 0; k < stepping->n; k++)
    gaps[k] = get_gap (stepping, &stepping->pushes[k], places);
  weigh_turned (stepping);
  pass_all (stepping, gaps, true);
  bounce (stepping);
  rigid_world_add_loads (world, true);
  rigid_world_break_joints (world, h, report);
  for (guint k = 0; k < stepping->n; k++)
    stepping->pushes[k].contact->total += stepping->pushes[k].normal_impulse;
  for (guint i = 0; i < world->n; i++)
    if (rigid_world_is_awake (world, i)) {
      const RigidBody *body = rigid_set_get_body (world->set, i);
      RigidMotion *motion = &world->motions[i];
      const double keep = exp (-settings->drag * h), keep_angular = exp (-settings->drag_angular * h);

      motion->angular =
          kg_vector_add (motion->angular, symmetric_matrix_apply (rigid_body_get_inertia (body, motion->turn),
                                                                  kg_vector_subtract (work->speeds[i].w, before[i].w)));
      work->speeds[i].v = kg_vector_scale (work->speeds[i].v, keep);
      work->speeds[i].w = kg_vector_scale (work->speeds[i].w, keep_angular);
      motion->angular = kg_vector_scale (motion->angular, keep_angular);
      motion->velocity = work->speeds[i].v;
    }
}

void
rigid_substep_without_contacts (RigidWorld *world, const RigidSettings *settings, double h, RigidReport *report)
{
  g_autofree KgVector *places = g_new (KgVector, world->n + 1);
  g_autofree RigidSpeed *before = g_new (RigidSpeed, world->n + 1);
  g_autofree KgRotation *turned = g_new (KgRotation, world->n + 1);
  g_autofree uint8_t *flew = g_new0 (uint8_t, world->n + 1);
  const Stepping stepping = {
    .world = world, .settings = settings, .h = h, .turned = turned, .flew = flew, .passes = settings->passes
  };

  for (guint i = 0; i <= world->n; i++) {
    places[i] = world->motions[i].place;
    turned[i] = kg_rotation_identity ();
  }
  substep (&stepping, places, NULL, before, report);
}

bool
rigid_step_sequential (RigidWorld *world, const RigidSettings *settings, double time, double dt, RigidReport *report,
                       const KgProgressMonitor *monitor, GError **error)
{
  Stepping stepping = { .world = world, .settings = settings, .h = dt / settings->substeps };
  g_autofree KgVector *places = g_new (KgVector, world->n + 1);
  g_autofree RigidSpeed *before = g_new (RigidSpeed, world->n + 1);
  g_autofree double *gaps = NULL;
  bool finished = true;

  rigid_world_read_speeds (world);
  if (!rigid_world_find_contacts (world, settings, dt, 4 * world->work->slop, monitor, error))
    return false;
  rigid_world_wake (world, dt);
  rigid_world_read_speeds (world);
  count_passes (&stepping);
  prepare (&stepping);
  gaps = g_new (double, MAX (stepping.n, 1));
  for (guint i = 0; i <= world->n; i++) {
    places[i] = world->motions[i].place;
    stepping.turned[i] = kg_rotation_identity ();
  }
  for (guint i = 0; i < settings->substeps && finished; i++) {
    rigid_world_sample_forces (world, settings, time + i * stepping.h);
    substep (&stepping, places, gaps, before, report);
    finished = !kg_progress_is_cancelled (monitor);
  }
  for (guint k = 0; k < stepping.n; k++) {
    const Push *push = &stepping.pushes[k];
    RigidContact *contact = push->contact;

    contact->impulse = push->normal_impulse;
    contact->slide = kg_vector_add (kg_vector_scale (push->along, push->along_impulse),
                                    kg_vector_scale (push->across, push->across_impulse));
    contact->roll = push->roll;
    contact->depth = -get_gap (&stepping, push, places);
  }
  rigid_world_log (world);
  g_free (stepping.pushes);
  g_free (stepping.turned);
  g_free (stepping.flew);
  g_free (stepping.energies);
  return finished;
}

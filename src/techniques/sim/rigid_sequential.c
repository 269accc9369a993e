/* rigid_sequential: contacts by sequential impulses, see rigid_world.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_lanes.h"
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
/* How far two bodies may come together or turn, as a share of the size of the smaller one, until their contacts are found again, and
 * the most parts that an update is divided into for that. */
#define FAR 0.15
#define MAX_PARTS 8
/* Rounding, as a share of the energy of what bounces. */
#define ENERGY_TOLERANCE 1e-12

typedef struct {
  RigidWorld *world;
  const RigidSettings *settings;
  double h;
  guint n;
  RigidPush *pushes;
  RigidLanes *lanes;  /* (nullable) without contacts */
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
prepare (Stepping *stepping)
{
  RigidWorld *world = stepping->world;
  const RigidSpeed *speeds = world->work->speeds;

  stepping->pushes = g_new (RigidPush, MAX (world->contacts->len, 1));
  stepping->turned = g_new (KgRotation, world->n + 1);
  stepping->flew = g_new0 (uint8_t, world->n + 1);
  for (guint k = 0; k < world->contacts->len; k++) {
    RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);
    RigidPush *push = &stepping->pushes[stepping->n];

    if (speeds[contact->a].inverse_mass == 0 && speeds[contact->b].inverse_mass == 0)
      continue;
    stepping->n++;
    *push = (RigidPush){ .contact = contact,
                         .a = contact->a,
                         .b = contact->b,
                         .normal = contact->normal,
                         .along = kg_vector_perpendicular (contact->normal),
                         .approach = contact->impulse > 0 ? 0 : INFINITY };
    push->across = kg_vector_cross (push->normal, push->along);
    push->arm_a = kg_vector_subtract (contact->place, world->motions[push->a].place);
    push->arm_b = kg_vector_subtract (contact->place, world->motions[push->b].place);
    push->start_a = kg_vector_add_scaled (push->arm_a, contact->round_a, contact->normal);
    push->start_b = kg_vector_add_scaled (push->arm_b, -contact->round_b, contact->normal);
    contact->total = 0;
    contact->rubbed = kg_vector (0, 0, 0);
    contact->approach = 0;
    if (contact->restitution > 0 && stepping->energies == NULL)
      stepping->energies = g_new0 (double, world->n + 1);
  }
  if (stepping->n > 0)
    stepping->lanes = rigid_lanes_new (stepping->pushes, stepping->n, speeds, world->n + 1);
}

static KgVector
get_velocity (const RigidPush *push, const RigidSpeed *speeds)
{
  return kg_vector_subtract (rigid_speed_at (&speeds[push->a], push->arm_a),
                             rigid_speed_at (&speeds[push->b], push->arm_b));
}

static KgVector
get_friction (const RigidPush *push)
{
  return kg_vector_add (kg_vector_scale (push->along, *rigid_push_get (push, RIGID_ALONG)),
                        kg_vector_scale (push->across, *rigid_push_get (push, RIGID_ACROSS)));
}

/* Upwards and downwards through the contacts in turn, so that neither end is always the last.  False: nothing changes any
 * more. */
static bool
pass (const Stepping *stepping, bool relax, bool backwards)
{
  RigidWork *work = stepping->world->work;
  double change = 0, most = 0;

  if (work->equal->len + work->limited->len > 0) {
    if (stepping->lanes != NULL)
      rigid_lanes_write_speeds (stepping->lanes, work->speeds);
    rigid_world_solve_joints (stepping->world, relax);
    if (stepping->lanes != NULL)
      rigid_lanes_read_speeds (stepping->lanes, work->speeds);
  }
  if (stepping->lanes != NULL)
    rigid_lanes_pass (stepping->lanes, backwards, &change, &most);
  return change > stepping->settled * most;
}

/* As many passes as there are to be, and more until the impulses settle.  Many passes are accelerated: heavy things on light
 * ones, and towers, would take thousands.  What a pass up and one down have changed is the gradient of a nonlinear conjugate
 * gradient method (Silcowitz-Hansen, Niebe and Erleben 2010), which starts anew where it does not shrink; what becomes negative
 * or leaves its disc is mended by the pass that follows. */
static void
pass_all (const Stepping *stepping, bool relax)
{
  const RigidWork *work = stepping->world->work;
  const guint few = stepping->settings->passes;
  const bool accelerated = stepping->passes > ACCELERATED_PASSES && stepping->n > 0;
  const RigidLaneStep step = { .h = stepping->h,
                               .bias = relax ? 0 : DEPTH_BIAS / stepping->h,
                               .slop = work->slop,
                               .recover = RIGID_RECOVER_SPEED,
                               .rolling = stepping->settings->rolling,
                               .spinning = stepping->settings->spinning };

  if (stepping->lanes != NULL) {
    rigid_lanes_begin (stepping->lanes, work->speeds, &step);
    /* What they bore in the substep before. */
    if (!relax)
      rigid_lanes_apply (stepping->lanes);
    if (accelerated)
      rigid_lanes_begin_extrapolation (stepping->lanes);
  }
  for (guint i = 0; i < stepping->passes; i++) {
    if (accelerated && i % 2 == 0)
      rigid_lanes_keep (stepping->lanes);
    if (!pass (stepping, relax, i % 2 == 1) && i + 1 >= few)
      break;
    if (accelerated && i % 2 == 1 && i + 1 < stepping->passes)
      rigid_lanes_extrapolate (stepping->lanes);
  }
  if (stepping->lanes != NULL)
    rigid_lanes_write_speeds (stepping->lanes, stepping->world->work->speeds);
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

/* Amontons' law holds for the whole impulse of a bounce, normal: friction goes on against what still slides. */
static void
rub (RigidPush *push, RigidSpeed *speeds, double normal)
{
  const double limit = push->contact->friction * normal;
  const KgVector before = get_friction (push);
  const KgVector sliding = get_velocity (push, speeds);
  const KgVector tangents[] = { push->along, push->across };
  KgVector whole = before;
  double length;

  for (size_t i = 0; i < G_N_ELEMENTS (tangents); i++)
    whole = kg_vector_add_scaled (
        whole,
        -kg_vector_dot (sliding, tangents[i]) /
            rigid_speeds_yield (&speeds[push->a], push->arm_a, &speeds[push->b], push->arm_b, tangents[i]),
        tangents[i]);
  length = kg_vector_length (whole);
  /* Static friction may have held more than that. */
  if (length > limit)
    whole = kg_vector_scale (whole, fmax (limit, fmin (length, kg_vector_length (before))) / length);
  push->rubbed = kg_vector_subtract (whole, before);
  rigid_speed_push (&speeds[push->a], push->arm_a, 1, push->rubbed);
  rigid_speed_push (&speeds[push->b], push->arm_b, -1, push->rubbed);
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
    RigidPush *push = &stepping->pushes[k];
    double *normal = rigid_push_get (push, RIGID_NORMAL), velocity, next;

    push->thrown = 0;
    push->rubbed = kg_vector (0, 0, 0);
    if (!(*normal > 0) || isinf (push->approach))
      continue;
    push->contact->approach = fmax (push->contact->approach, -push->approach);
    if (push->contact->restitution > 0 && push->approach < -stepping->settings->bounce_speed) {
      if (relaxed == NULL)
        relaxed = g_memdup2 (speeds, (world->n + 1) * sizeof *speeds);
      velocity = kg_vector_dot (get_velocity (push, speeds), push->normal);
      next = fmax (
          *normal - (velocity + push->contact->restitution * push->approach) /
                        rigid_speeds_yield (&speeds[push->a], push->arm_a, &speeds[push->b], push->arm_b, push->normal),
          0);
      push->thrown = next - *normal;
      rigid_speed_push (&speeds[push->a], push->arm_a, 1, kg_vector_scale (push->normal, push->thrown));
      rigid_speed_push (&speeds[push->b], push->arm_b, -1, kg_vector_scale (push->normal, push->thrown));
      rub (push, speeds, next);
      /* They part: in the next substep there is nothing to go on from. */
      push->contact->total += *normal;
      push->contact->rubbed = kg_vector_add (push->contact->rubbed, get_friction (push));
      *normal = *rigid_push_get (push, RIGID_ALONG) = *rigid_push_get (push, RIGID_ACROSS) = 0;
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
  for (guint k = 0; k < stepping->n; k++) {
    const RigidPush *push = &stepping->pushes[k];

    push->contact->total += shares[push->a] * push->thrown;
    push->contact->rubbed = kg_vector_add_scaled (push->contact->rubbed, shares[push->a], push->rubbed);
  }
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
substep (const Stepping *stepping, const KgVector *places, RigidSpeed *before, RigidReport *report)
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
    RigidPush *push = &stepping->pushes[k];

    if (*rigid_push_get (push, RIGID_NORMAL) == 0)
      push->approach = kg_vector_dot (get_velocity (push, work->speeds), push->normal);
  }
  if (stepping->lanes != NULL)
    rigid_lanes_measure (stepping->lanes, world->motions, places, stepping->turned);
  pass_all (stepping, false);
  rigid_world_add_loads (world, false);
  move (stepping, before, first);
  if (first < 1)
    push_all (stepping, (1 - first) * h, stepping->flew);
  memcpy (before, work->speeds, (world->n + 1) * sizeof *before);
  rigid_world_make_rows (world, settings, h, true);
  if (stepping->lanes != NULL)
    rigid_lanes_measure (stepping->lanes, world->motions, places, stepping->turned);
  pass_all (stepping, true);
  bounce (stepping);
  rigid_world_add_loads (world, true);
  rigid_world_break_joints (world, h, report);
  for (guint k = 0; k < stepping->n; k++) {
    const RigidPush *push = &stepping->pushes[k];

    push->contact->total += *rigid_push_get (push, RIGID_NORMAL);
    push->contact->rubbed = kg_vector_add (push->contact->rubbed, get_friction (push));
  }
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
  substep (&stepping, places, before, report);
}

/* How fast the points of a body move by its rotation; those of a ball only along its surface. */
static double
get_turning (const RigidWorld *world, uint32_t body, KgVector place)
{
  const RigidBody *of;

  if (body == world->n)
    return 0;
  of = rigid_set_get_body (world->set, body);
  if (of->kind != RIGID_MOVING)
    return kg_vector_length (world->work->omegas[body]) * kg_vector_distance (place, world->motions[body].place);
  if (of->n_parts == 1 && g_array_index (world->set->parts, RigidPart, of->first_part).shape.kind == CONVEX_BALL)
    return 0;
  return kg_vector_length (world->work->omegas[body]) * of->radius;
}

/* Contacts are those of where bodies are: corners that come round later, or after a bounce, are not among them.  Returns into how
 * many parts the update is to be divided so that little of that happens. */
static guint
count_parts (const RigidWorld *world, double dt)
{
  const RigidSpeed *speeds = world->work->speeds;
  double most = 0;
  guint n = 1;

  for (guint k = 0; k < world->contacts->len; k++) {
    const RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);
    const uint32_t a = contact->a, b = contact->b;
    double size = rigid_set_get_body (world->set, a)->radius, way;

    if (speeds[a].inverse_mass == 0 && speeds[b].inverse_mass == 0)
      continue;
    if (speeds[b].inverse_mass > 0)
      size = fmin (size, rigid_set_get_body (world->set, b)->radius);
    way = fmax (kg_vector_dot (contact->normal, kg_vector_subtract (speeds[b].v, speeds[a].v)), 0) +
          get_turning (world, a, contact->place) + get_turning (world, b, contact->place);
    most = fmax (most, way * dt / size);
  }
  while (n < MAX_PARTS && most > FAR * n)
    n *= 2;
  return n;
}

static bool
step_part (RigidWorld *world, const RigidSettings *settings, guint substeps, double time, double dt, bool divides,
           guint *n_parts, RigidReport *report, const KgProgressMonitor *monitor, GError **error)
{
  Stepping stepping = { .world = world, .settings = settings, .h = dt / substeps };
  g_autofree KgVector *places = g_new (KgVector, world->n + 1);
  g_autofree RigidSpeed *before = g_new (RigidSpeed, world->n + 1);
  bool finished = true;

  rigid_world_read_speeds (world);
  if (!rigid_world_find_contacts (world, settings, dt, 4 * world->work->slop, monitor, error))
    return false;
  rigid_world_wake (world, dt);
  rigid_world_read_speeds (world);
  *n_parts = divides ? count_parts (world, dt) : 1;
  if (*n_parts > 1)
    return true;
  count_passes (&stepping);
  prepare (&stepping);
  for (guint i = 0; i <= world->n; i++) {
    places[i] = world->motions[i].place;
    stepping.turned[i] = kg_rotation_identity ();
  }
  for (guint i = 0; i < substeps && finished; i++) {
    rigid_world_sample_forces (world, settings, time + i * stepping.h);
    substep (&stepping, places, before, report);
    finished = !kg_progress_is_cancelled (monitor);
  }
  for (guint k = 0; k < stepping.n; k++) {
    const RigidPush *push = &stepping.pushes[k];
    RigidContact *contact = push->contact;

    contact->impulse = *rigid_push_get (push, RIGID_NORMAL);
    contact->slide = get_friction (push);
    contact->roll = kg_vector (*rigid_push_get (push, RIGID_ROLL_X), *rigid_push_get (push, RIGID_ROLL_Y),
                               *rigid_push_get (push, RIGID_ROLL_Z));
    contact->depth = -*rigid_push_get (push, RIGID_GAP);
  }
  rigid_world_log (world);
  g_clear_pointer (&stepping.lanes, rigid_lanes_free);
  g_free (stepping.pushes);
  g_free (stepping.turned);
  g_free (stepping.flew);
  g_free (stepping.energies);
  return finished;
}

bool
rigid_step_sequential (RigidWorld *world, const RigidSettings *settings, double time, double dt, RigidReport *report,
                       const KgProgressMonitor *monitor, GError **error)
{
  guint n, one;

  if (!step_part (world, settings, settings->substeps, time, dt, true, &n, report, monitor, error))
    return false;
  for (guint i = 0; n > 1 && i < n; i++)
    if (!step_part (world, settings, MAX (settings->substeps / n, 1), time + i * dt / n, dt / n, false, &one, report,
                    monitor, error))
      return false;
  return true;
}

/* rigid_world: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_world_private.h"

#include "kg-error.h"

/* Points at which a field is sampled for each body. */
#define PROBES 6
/* Beyond this a body has left the world. */
#define FARTHEST 1e15

RigidWorld *
rigid_world_new (const RigidSet *set)
{
  RigidWorld *world = g_new0 (RigidWorld, 1);
  RigidWork *work = g_new0 (RigidWork, 1);
  const guint n = set->bodies->len;

  world->set = set;
  world->n = n;
  world->work = work;
  world->motions = g_new0 (RigidMotion, n + 1);
  world->contacts = g_array_new (FALSE, TRUE, sizeof (RigidContact));
  world->log = g_array_new (FALSE, TRUE, sizeof (RigidContact));
  world->joints = g_array_new (FALSE, TRUE, sizeof (RigidJoint));
  work->omegas = g_new0 (KgVector, n + 1);
  work->speeds = g_new0 (RigidSpeed, n + 1);
  work->accelerations = g_new0 (KgVector, n + 1);
  work->torques = g_new0 (KgVector, n + 1);
  work->swings = g_new0 (double, n + 1);
  work->equal = g_array_new (FALSE, FALSE, sizeof (RigidRow));
  work->limited = g_array_new (FALSE, FALSE, sizeof (RigidRow));
  work->known = g_array_new (FALSE, FALSE, sizeof (RigidPair));
  for (guint i = 0; i < n; i++)
    rigid_body_start (rigid_set_get_body (set, i), &world->motions[i]);
  world->motions[n].turn = kg_rotation_identity ();
  return world;
}

void
rigid_world_free (RigidWorld *world)
{
  RigidWork *work = world->work;

  g_free (world->motions);
  g_array_unref (world->contacts);
  g_array_unref (world->log);
  g_array_unref (world->joints);
  g_free (work->omegas);
  g_free (work->speeds);
  g_free (work->accelerations);
  g_free (work->torques);
  g_free (work->swings);
  g_free (work->unlinked);
  g_array_unref (work->equal);
  g_array_unref (work->limited);
  g_array_unref (work->known);
  g_free (work->first_equal);
  g_free (work->first_limited);
  g_free (work->right);
  g_free (work->pulls);
  g_free (work->twists);
  envelope_matrix_clear (&work->matrix);
  g_free (work);
  g_free (world);
}

bool
rigid_world_is_awake (const RigidWorld *world, uint32_t body)
{
  return body < world->n && rigid_set_get_body (world->set, body)->kind == RIGID_MOVING && !world->motions[body].asleep;
}

/* Forces. */

/* The mean of a field over the masses that stand for each body, and its moment. */
static void
sample_field (RigidWorld *world, const RigidSettings *settings, double time)
{
  const guint per_block = KG_FIELD_BLOCK / PROBES, n_blocks = (world->n + per_block - 1) / per_block;

#pragma omp parallel for schedule(static) if (world->n > 256)
  for (guint k = 0; k < n_blocks; k++) {
    g_autofree float (*x)[KG_FIELD_BLOCK] = g_malloc (9 * sizeof *x);
    const guint first = k * per_block, end = MIN (first + per_block, world->n);
    int32_t ids[KG_FIELD_BLOCK];
    float *const out[] = { x[6], x[7], x[8] };
    const KgFieldBlock block = { .n = (end - first) * PROBES,
                                 .x = x[0],
                                 .y = x[1],
                                 .z = x[2],
                                 .vx = x[3],
                                 .vy = x[4],
                                 .vz = x[5],
                                 .id = ids,
                                 .time = time };

    for (guint i = first; i < end; i++)
      for (guint probe = 0; probe < PROBES; probe++) {
        const RigidMotion *motion = &world->motions[i];
        const KgVector arm =
            kg_vector_scale (kg_rotation_apply (motion->turn, rigid_set_get_body (world->set, i)->probes[probe / 2]),
                             probe % 2 ? -1 : 1);
        const KgVector place = kg_vector_add (motion->place, arm),
                       speed = kg_vector_add (motion->velocity, kg_vector_cross (world->work->omegas[i], arm));
        const guint at = (i - first) * PROBES + probe;

        ids[at] = (int32_t) i;
        for (size_t c = 0; c < 3; c++) {
          x[c][at] = (float) kg_vector_get (place, c);
          x[3 + c][at] = (float) kg_vector_get (speed, c);
        }
      }
    kg_field_sample (settings->force, &block, out);
    for (guint i = first; i < end; i++) {
      const RigidBody *body = rigid_set_get_body (world->set, i);
      KgVector sum = { 0, 0, 0 }, torque = { 0, 0, 0 };

      for (guint probe = 0; probe < PROBES; probe++) {
        const guint at = (i - first) * PROBES + probe;
        const KgVector push = { (double) x[6][at], (double) x[7][at], (double) x[8][at] };
        const KgVector arm =
            kg_vector_scale (kg_rotation_apply (world->motions[i].turn, body->probes[probe / 2]), probe % 2 ? -1 : 1);

        sum = kg_vector_add_scaled (sum, 1.0 / PROBES, push);
        torque = kg_vector_add_scaled (torque, 1.0 / PROBES, kg_vector_cross (arm, push));
      }
      if (body->kind != RIGID_MOVING)
        continue;
      world->work->accelerations[i] =
          kg_vector_add_scaled (settings->gravity, settings->weigh ? 1 / body->mass : 1, sum);
      world->work->torques[i] = kg_vector_scale (torque, settings->weigh ? 1 : body->mass);
    }
  }
}

void
rigid_world_sample_forces (RigidWorld *world, const RigidSettings *settings, double time)
{
  for (guint i = 0; i < world->n; i++) {
    world->work->accelerations[i] = settings->gravity;
    world->work->torques[i] = kg_vector (0, 0, 0);
  }
  if (settings->force != NULL)
    sample_field (world, settings, time);
}

/* Speeds. */

void
rigid_world_read_speeds (RigidWorld *world)
{
  RigidWork *work = world->work;

#pragma omp parallel for schedule(static) if (world->n > 512)
  for (guint i = 0; i < world->n; i++) {
    const RigidBody *body = rigid_set_get_body (world->set, i);
    const RigidMotion *motion = &world->motions[i];

    work->speeds[i] = (RigidSpeed){ .v = motion->velocity, .w = work->omegas[i] };
    if (!rigid_world_is_awake (world, i))
      continue;
    work->speeds[i].inverse_mass = body->inverse_mass;
    work->speeds[i].inverse_inertia = rigid_body_get_inverse_inertia (body, motion->turn);
    work->speeds[i].w = work->omegas[i] = symmetric_matrix_apply (work->speeds[i].inverse_inertia, motion->angular);
  }
  work->speeds[world->n] = (RigidSpeed){ .inverse_mass = 0 };
}

void
rigid_world_write_speeds (RigidWorld *world, const KgVector *omegas_before)
{
  for (guint i = 0; i < world->n; i++) {
    RigidMotion *motion = &world->motions[i];

    if (!rigid_world_is_awake (world, i))
      continue;
    motion->velocity = world->work->speeds[i].v;
    motion->angular = kg_vector_add (
        motion->angular,
        symmetric_matrix_apply (rigid_body_get_inertia (rigid_set_get_body (world->set, i), motion->turn),
                                kg_vector_subtract (world->work->speeds[i].w, omegas_before[i])));
  }
}

bool
rigid_world_find_contacts (RigidWorld *world, const RigidSettings *settings, double ahead, double margin,
                           const KgProgressMonitor *monitor, GError **error)
{
  const RigidContactOptions options = {
    .ahead = ahead, .margin = margin, .combine = settings->combine, .ground = settings->ground
  };

  return rigid_contacts_find (world->set, world->motions, world->work->omegas, &options, world->work->unlinked,
                              world->work->n_unlinked, world->contacts, monitor, error);
}

/* The impulses of contacts. */

void
rigid_world_log (RigidWorld *world)
{
  for (guint k = 0; k < world->contacts->len; k++) {
    const RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);

    if (contact->total > 0)
      g_array_append_vals (world->log, contact, 1);
  }
}

static int
compare_logged (const void *a, const void *b)
{
  const RigidContact *x = (const RigidContact *) a, *y = (const RigidContact *) b;

  if (x->a != y->a)
    return x->a < y->a ? -1 : 1;
  if (x->b != y->b)
    return x->b < y->b ? -1 : 1;
  return (x->feature > y->feature) - (x->feature < y->feature);
}

/* One entry for each contact: where it was last, with all that it took. */
static void
merge_log (RigidWorld *world)
{
  RigidContact *log = (RigidContact *) (void *) world->log->data;
  guint kept = 0;

  /* Of the same contact later ones come later. */
  rigid_contacts_sort (world->log, compare_logged);
  for (guint k = 0; k < world->log->len; k++) {
    if (kept > 0 && compare_logged (&log[kept - 1], &log[k]) == 0) {
      const double total = log[kept - 1].total + log[k].total,
                   approach = fmax (log[kept - 1].approach, log[k].approach);
      const KgVector rubbed = kg_vector_add (log[kept - 1].rubbed, log[k].rubbed);

      log[kept - 1] = log[k];
      log[kept - 1].total = total;
      log[kept - 1].rubbed = rubbed;
      log[kept - 1].approach = approach;
    } else
      log[kept++] = log[k];
  }
  g_array_set_size (world->log, kept);
}

/* Frames. */

static int
compare_pairs (const void *a, const void *b)
{
  const RigidPair *x = (const RigidPair *) a, *y = (const RigidPair *) b;

  return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

static bool
yields (const RigidWorld *world, uint32_t body)
{
  return body < world->n && rigid_set_get_body (world->set, body)->kind == RIGID_MOVING;
}

static void
begin_frame (RigidWorld *world)
{
  RigidWork *work = world->work;
  const guint n_joints = world->joints->len;
  g_autofree double *sizes = g_new (double, MAX (world->n, 1));
  guint n = 0;

  g_free (work->first_equal);
  g_free (work->first_limited);
  g_free (work->pulls);
  g_free (work->twists);
  g_free (work->unlinked);
  work->first_equal = g_new0 (guint, n_joints + 1);
  work->first_limited = g_new0 (guint, n_joints + 1);
  work->pulls = g_new0 (KgVector, MAX (n_joints, 1));
  work->twists = g_new0 (KgVector, MAX (n_joints, 1));
  work->unlinked = g_new (RigidPair, MAX (n_joints, 1));
  work->n_unlinked = 0;
  for (guint k = 0; k < n_joints; k++) {
    RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);
    RigidPair pair = { MIN (joint->a, joint->b), MAX (joint->a, joint->b) };

    /* Sleeping bodies still bear their load. */
    if (rigid_world_is_awake (world, joint->a) || rigid_world_is_awake (world, joint->b))
      joint->load = 0;
    /* In contacts the body that yields comes first. */
    if (!yields (world, pair.a))
      pair = (RigidPair){ pair.b, pair.a };
    if (!joint->broken && joint->kind != RIGID_ROD)
      work->unlinked[work->n_unlinked++] = pair;
  }
  qsort (work->unlinked, work->n_unlinked, sizeof *work->unlinked, compare_pairs);
  for (guint i = 0; i < world->n; i++)
    if (yields (world, i))
      sizes[n++] = rigid_set_get_body (world->set, i)->radius;
  qsort (sizes, n, sizeof *sizes, kg_compare_doubles);
  work->slop = n > 0 ? RIGID_SLOP * sizes[n / 2] : 1e-3;
  g_array_set_size (world->log, 0);
}

/* Driven bodies, after a share of the frame, with the speeds that take them on to the next. */
static void
drive (RigidWorld *world, const RigidSettings *settings, double share, double dt)
{
  for (guint k = 0; k < settings->n_drives; k++) {
    const RigidDrive *drive = &settings->drives[k];
    RigidMotion *motion = &world->motions[drive->body];
    const KgRotation turn = kg_rotation_multiply (drive->to_turn, kg_rotation_conjugate (drive->from_turn));
    const KgVector v = { turn.x, turn.y, turn.z };
    const double length = kg_vector_length (v), angle = 2 * atan2 (turn.w < 0 ? -length : length, fabs (turn.w));

    motion->place = kg_vector_lerp (drive->from, drive->to, share);
    motion->turn = kg_rotation_slerp (drive->from_turn, drive->to_turn, share);
    motion->velocity = share < 1 ? kg_vector_scale (kg_vector_subtract (drive->to, drive->from), 1 / dt)
                                 : kg_vector (0, 0, 0);
    world->work->omegas[drive->body] = share < 1 && length > 0 ? kg_vector_scale (v, angle / (length * dt))
                                                               : kg_vector (0, 0, 0);
  }
}

/* The joint that gapes most, and the one that pulls it; h: seconds of a substep. */
static void
report_joints (const RigidWorld *world, double h, RigidReport *report)
{
  for (guint k = 0; k < world->joints->len; k++) {
    const RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);

    if (!joint->broken && joint->gap > report->gap) {
      report->gap = joint->gap;
      report->joint = k;
    }
  }
  if (!(report->gap > 0))
    return;
  {
    const RigidJoint *worst = &g_array_index (world->joints, RigidJoint, report->joint);
    double size = INFINITY, most = -1, way = 0;

    for (int side = 0; side < 2; side++) {
      const uint32_t body = side == 0 ? worst->a : worst->b;

      if (yields (world, body)) {
        const double radius = rigid_set_get_body (world->set, body)->radius;

        size = fmin (size, radius);
        way = fmax (way, h * (kg_vector_length (world->motions[body].velocity) +
                              radius * kg_vector_length (world->work->omegas[body])));
      }
    }
    if (!(report->gap > RIGID_GAPING * size))
      return;
    /* Joints that contradict each other pull their bodies to rest; those that are too fast for the step do not. */
    if (way > report->gap) {
      report->events |= RIGID_TOO_FAST;
      return;
    }
    for (guint k = 0; k < world->joints->len; k++) {
      const RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);
      const bool shares = (yields (world, worst->a) && (joint->a == worst->a || joint->b == worst->a)) ||
                          (yields (world, worst->b) && (joint->a == worst->b || joint->b == worst->b));

      if (k != report->joint && !joint->broken && shares && joint->gap > most) {
        most = joint->gap;
        report->other = k;
      }
    }
    if (most >= 0)
      report->events |= RIGID_CONTRADICTION;
  }
}

static bool
check_finite (const RigidWorld *world, double time, GError **error)
{
  for (guint i = 0; i < world->n; i++) {
    const RigidMotion *motion = &world->motions[i];

    if (!(kg_vector_length (motion->place) < FARTHEST) || !(kg_vector_length (motion->velocity) < FARTHEST) ||
        !kg_vector_is_finite (motion->angular)) {
      kg_set_error (error, KG_ERROR_DIVERGED,
                    "body %u flew off to infinity at %g s: use more substeps, or weaken the forces", i, time);
      return false;
    }
  }
  return true;
}

bool
rigid_world_advance (RigidWorld *world, const RigidSettings *settings, double time, double dt, RigidReport *report,
                     const KgProgressMonitor *monitor, GError **error)
{
  const double part = dt / settings->updates;

  *report = (RigidReport){ .events = 0 };
  begin_frame (world);
  /* A grab wakes the body that it pulls. */
  if (settings->grab)
    world->motions[settings->grab_body].asleep = false;
  for (guint i = 0; i < settings->updates; i++) {
    const double at = time + i * part;
    bool good;

    drive (world, settings, (double) i / settings->updates, dt);
    good = settings->response == RIGID_EXACT ? rigid_step_exact (world, settings, at, part, report, monitor, error)
           : settings->response == RIGID_PENALTY
               ? rigid_step_penalty (world, settings, at, part, report, monitor, error)
               : rigid_step_sequential (world, settings, at, part, report, monitor, error);
    if (!good || !check_finite (world, at + part, error))
      return false;
    rigid_world_read_speeds (world);
    if (settings->sleep)
      rigid_world_sleep (world, part);
  }
  drive (world, settings, 1, dt);
  merge_log (world);
  report_joints (world, part / settings->substeps, report);
  for (guint k = 0; k < world->contacts->len; k++)
    report->depth = fmax (report->depth, g_array_index (world->contacts, RigidContact, k).depth);
  for (guint i = 0; i < world->n; i++)
    report->n_awake += rigid_world_is_awake (world, i);
  report->n_contacts = world->log->len;
  return true;
}

bool
rigid_world_touch (RigidWorld *world, const RigidSettings *settings, const KgProgressMonitor *monitor, GError **error)
{
  begin_frame (world);
  return rigid_world_find_contacts (world, settings, 0, 0, monitor, error);
}

const RigidContact *
rigid_world_find_deepest (const RigidWorld *world, double share)
{
  const RigidContact *deepest = NULL;
  double most = share;

  for (guint k = 0; k < world->contacts->len; k++) {
    const RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);
    double size = rigid_set_get_body (world->set, contact->a)->radius;

    if (yields (world, contact->b))
      size = fmin (size, rigid_set_get_body (world->set, contact->b)->radius);
    if (contact->depth > most * size) {
      most = contact->depth / size;
      deepest = contact;
    }
  }
  return deepest;
}

RigidSums
rigid_world_get_sums (const RigidWorld *world, KgVector gravity)
{
  RigidSums sums = { .mass = 0 };

  for (guint i = 0; i < world->n; i++)
    rigid_sums_add (&sums, rigid_set_get_body (world->set, i), &world->motions[i], gravity);
  return sums;
}

/* rigid_exact: colliding contacts one after the other, resting ones and joints all together, see rigid_world.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/lcp.h"
#include "sim/rigid_world_private.h"

/* Passes over the colliding contacts, times the passes that are asked for. */
#define COLLISION_PASSES 100
/* Faces meet flat where approach and normals differ by no more than this share. */
#define FLAT_SHARE 1e-3
/* Share of the depth of a contact that a step takes out. */
#define DEPTH_BIAS 0.2
/* How near two bodies are at the moment of impact, as a share of the slop. */
#define IMPACT_SHARE 1e-3
/* Impacts in a substep that are stepped back to, for each body and besides. */
#define IMPACTS_A_BODY 4
#define IMPACTS 64
/* Passes over the rows where they have no exact solution. */
#define FALLBACK_PASSES 100

typedef struct {
  RigidWorld *world;
  const RigidSettings *settings;
  RigidReport *report;
  double touching; /* contacts no farther apart than this collide */
  const KgProgressMonitor *monitor;
} Stepping;

static KgVector
get_arm (const Stepping *stepping, const RigidContact *contact, bool of_b)
{
  return kg_vector_subtract (contact->place, stepping->world->motions[of_b ? contact->b : contact->a].place);
}

static KgVector
get_velocity (const Stepping *stepping, const RigidContact *contact)
{
  const RigidSpeed *speeds = stepping->world->work->speeds;

  return kg_vector_subtract (rigid_speed_at (&speeds[contact->a], get_arm (stepping, contact, false)),
                             rigid_speed_at (&speeds[contact->b], get_arm (stepping, contact, true)));
}

/* How fast the two come together; 0 where they do not, or are not to collide. */
static double
get_approach (const Stepping *stepping, const RigidContact *contact, double least)
{
  const RigidSpeed *speeds = stepping->world->work->speeds;
  const double along = kg_vector_dot (contact->normal, get_velocity (stepping, contact));

  return -contact->depth > stepping->touching || !(along < -least) ||
                 (speeds[contact->a].inverse_mass == 0 && speeds[contact->b].inverse_mass == 0)
             ? 0
             : -along;
}

/* How many contacts, from this one on, two faces make that meet flat: all come together as fast.  1: the contact is alone. */
static guint
count_flat (const Stepping *stepping, guint first, double least)
{
  const GArray *contacts = stepping->world->contacts;
  const RigidContact *contact = &g_array_index (contacts, RigidContact, first);
  const double approach = get_approach (stepping, contact, least);
  guint n = 1;

  if (first > 0 && contact[-1].a == contact->a && contact[-1].b == contact->b)
    return 1;
  for (; first + n < contacts->len && contact[n].a == contact->a && contact[n].b == contact->b; n++)
    if (!(fabs (get_approach (stepping, &contact[n], least) - approach) <= FLAT_SHARE * approach) ||
        kg_vector_dot (contact[n].normal, contact->normal) < 1 - FLAT_SHARE)
      return 1;
  return n;
}

/* One impulse for n contacts, in their middle. */
static void
collide (const Stepping *stepping, RigidContact *contacts, guint n, double approach, double restitution)
{
  RigidWorld *world = stepping->world;
  RigidSpeed *speeds = world->work->speeds;
  RigidContact middle = contacts[0];
  KgVector impulse;

  middle.place = kg_vector (0, 0, 0);
  for (guint i = 0; i < n; i++)
    middle.place = kg_vector_add_scaled (middle.place, 1.0 / n, contacts[i].place);
  impulse = rigid_collide (&middle, &speeds[middle.a], get_arm (stepping, &middle, false), &speeds[middle.b],
                           get_arm (stepping, &middle, true), restitution);
  for (guint i = 0; i < n; i++) {
    const double normal = kg_vector_dot (middle.normal, impulse);

    contacts[i].total += normal / n;
    contacts[i].rubbed =
        kg_vector_add_scaled (contacts[i].rubbed, 1.0 / n, kg_vector_add_scaled (impulse, -normal, middle.normal));
    contacts[i].approach = fmax (contacts[i].approach, approach);
  }
}

/* Every contact that comes together gets its impulse at once; then the list again, until none does.  Faces that meet flat get
 * one in the middle: one corner after the other would turn the body, and friction would keep it turning. */
static void
collide_all (const Stepping *stepping)
{
  RigidWorld *world = stepping->world;
  const guint most = COLLISION_PASSES * stepping->settings->passes;
  const double bounce_speed = stepping->settings->bounce_speed;
  guint pass = 0;
  bool any = true;

  while (any && pass < 2 * most && !kg_progress_is_cancelled (stepping->monitor)) {
    /* The second half without bounce, so that it ends. */
    const bool bounces = pass < most;
    guint n = 1;

    any = false;
    for (guint k = 0; k < world->contacts->len; k += n) {
      RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);
      /* Weak bounces are left to the conditions of rest. */
      const double least = fmax (1e-9, pass == 0 ? bounce_speed : 1e-3 * bounce_speed);
      const double approach = get_approach (stepping, contact, least);

      n = 1;
      if (!(approach > 0))
        continue;
      n = count_flat (stepping, k, least);
      collide (stepping, contact, n, approach, bounces && approach > bounce_speed ? contact->restitution : 0);
      any = true;
    }
    pass += any;
    if (!bounces)
      stepping->report->events |= RIGID_STILL_COLLIDE;
  }
  stepping->report->passes = MAX (stepping->report->passes, pass);
}

/* Resting contacts. */

/* How fast a contact comes apart that is too deep. */
static double
get_recovery (const Stepping *stepping, const RigidContact *contact, double h)
{
  return fmin (DEPTH_BIAS * fmax (contact->depth - stepping->world->work->slop, 0) / h, RIGID_RECOVER_SPEED);
}

/* Rows of joints, then three of each contact: along the normal, and two across it.  recover: contacts that are too deep come
 * apart. */
static GArray *
make_rows (const Stepping *stepping, double h, bool recover, GArray *resting)
{
  RigidWorld *world = stepping->world;
  RigidWork *work = world->work;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (RigidRow));

  rigid_world_make_rows (world, stepping->settings, h, false);
  if (work->equal->len > 0)
    g_array_append_vals (rows, work->equal->data, work->equal->len);
  if (work->limited->len > 0)
    g_array_append_vals (rows, work->limited->data, work->limited->len);
  for (guint k = 0; k < world->contacts->len; k++) {
    RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);
    const KgVector velocity = get_velocity (stepping, contact), n = contact->normal;
    const KgVector sliding = kg_vector_add_scaled (velocity, -kg_vector_dot (velocity, n), n);
    const KgVector t = kg_vector_length (sliding) > 1e-9 ? kg_vector_normalize_or (sliding, n)
                                                         : kg_vector_perpendicular (n);
    const KgVector arm_a = get_arm (stepping, contact, false), arm_b = get_arm (stepping, contact, true);
    const double gap = -contact->depth;
    RigidRow row = rigid_row_along (contact->a, contact->b, n, arm_a, arm_b);

    if (work->speeds[contact->a].inverse_mass == 0 && work->speeds[contact->b].inverse_mass == 0)
      continue;
    /* Contacts that are about to collide are not at rest. */
    if (gap > stepping->touching && kg_vector_dot (velocity, n) < -fmax (stepping->settings->bounce_speed, gap / h))
      continue;
    row.low = 0;
    row.wanted = gap > 0 ? -gap / h : recover ? get_recovery (stepping, contact, h) : 0;
    g_array_append_val (rows, row);
    row = rigid_row_along (contact->a, contact->b, t, arm_a, arm_b);
    g_array_append_val (rows, row);
    row = rigid_row_along (contact->a, contact->b, kg_vector_cross (n, t), arm_a, arm_b);
    g_array_append_val (rows, row);
    g_array_append_val (resting, k);
  }
  return rows;
}

/* One row after the other, for what has no exact solution. */
static void
solve_in_turn (const Stepping *stepping, GArray *rows, guint first, const double *factors)
{
  RigidSpeed *speeds = stepping->world->work->speeds;
  RigidRow *row = (RigidRow *) (void *) rows->data;

  for (guint i = 0; i < rows->len; i++)
    rigid_row_prepare (&row[i], speeds);
  for (int pass = 0; pass < FALLBACK_PASSES; pass++)
    for (guint i = 0; i < rows->len; i++) {
      if (i >= first && (i - first) % 3 != 0) {
        row[i].high = factors[i] * row[i - (i - first) % 3].impulse;
        row[i].low = -row[i].high;
      }
      rigid_row_solve (&row[i], speeds, false);
    }
}

static bool
solve_together (const Stepping *stepping, GArray *rows, guint first, const double *factors)
{
  RigidSpeed *speeds = stepping->world->work->speeds;
  const guint n = rows->len;
  RigidRow *row = (RigidRow *) (void *) rows->data;
  g_autofree double *a = NULL, *numbers = NULL;
  g_autofree int *of = NULL;
  LcpProblem problem;
  LcpResult result;
  size_t pivots = 0;

  if (n > LCP_MAX) {
    stepping->report->events |= RIGID_TOO_MANY;
    return false;
  }
  a = g_new (double, MAX ((size_t) n * n, 1));
  numbers = g_new (double, MAX (4 * n, 1));
  of = g_new (int, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    for (guint k = 0; k <= i; k++)
      a[i * n + k] = a[k * n + i] = row[i].a == row[k].a || row[i].a == row[k].b || row[i].b == row[k].a ||
                                            row[i].b == row[k].b
                                        ? rigid_rows_couple (&row[i], &row[k], speeds)
                                        : 0;
    a[i * n + i] += row[i].softness;
    numbers[i] = rigid_row_get_velocity (&row[i], speeds) - row[i].wanted;
    numbers[n + i] = row[i].low;
    numbers[2 * n + i] = row[i].high;
    of[i] = i >= first && (i - first) % 3 != 0 ? (int) (i - (i - first) % 3) : -1;
  }
  problem = (LcpProblem){
    .n = n, .a = a, .b = numbers, .low = numbers + n, .high = numbers + 2 * n, .of = of, .factor = factors
  };
  result = lcp_solve (&problem, numbers + 3 * n, &pivots, stepping->monitor);
  if (result != LCP_SOLVED) {
    stepping->report->events |= result == LCP_CANCELLED ? 0 : RIGID_NO_SOLUTION;
    return false;
  }
  for (guint i = 0; i < n; i++) {
    row[i].impulse = numbers[3 * n + i];
    rigid_row_apply (&row[i], row[i].impulse, speeds);
  }
  return true;
}

/* What keeps bodies from going into each other in the next h seconds.  recover: and what takes them apart, which is no force
 * that counts. */
static void
support (const Stepping *stepping, double h, bool recover)
{
  RigidWorld *world = stepping->world;
  RigidWork *work = world->work;
  g_autoptr (GArray) resting = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) rows = make_rows (stepping, h, recover, resting);
  const guint first = work->equal->len + work->limited->len;
  g_autofree double *factors = g_new0 (double, MAX (rows->len, 1));
  const RigidRow *row = (const RigidRow *) (const void *) rows->data;

  for (guint i = 0; i < resting->len; i++) {
    const RigidContact *contact = &g_array_index (world->contacts, RigidContact, g_array_index (resting, guint, i));
    /* Sliding contacts have kinetic friction, along the direction of sliding. */
    const bool slides = fabs (rigid_row_get_velocity (&row[first + 3 * i + 1], work->speeds)) > 1e-3;

    factors[first + 3 * i + 1] = factors[first + 3 * i + 2] = slides ? contact->friction : contact->friction_static;
  }
  if (rows->len > 0 && !solve_together (stepping, rows, first, factors))
    solve_in_turn (stepping, rows, first, factors);
  if (recover)
    return;
  for (guint i = 0; i < resting->len; i++) {
    RigidContact *contact = &g_array_index (world->contacts, RigidContact, g_array_index (resting, guint, i));

    contact->impulse = row[first + 3 * i].impulse;
    contact->total += contact->impulse;
    for (guint c = 1; c < 3; c++) {
      const RigidRow *across = &row[first + 3 * i + c];

      contact->rubbed =
          kg_vector_add_scaled (contact->rubbed, (across->a == contact->a ? 1 : -1) * across->impulse, across->n);
    }
  }
  for (guint i = 0; i < work->equal->len; i++)
    g_array_index (work->equal, RigidRow, i).impulse = row[i].impulse;
  for (guint i = 0; i < work->limited->len; i++)
    g_array_index (work->limited, RigidRow, i).impulse = row[work->equal->len + i].impulse;
  rigid_world_add_loads (world, true);
}

/* When the first of the bodies that are apart come together, as a share of h. */
static bool
find_first_impact (const Stepping *stepping, double h, double *time)
{
  const RigidWorld *world = stepping->world;
  const RigidContactOptions options = { .margin = IMPACT_SHARE * world->work->slop,
                                        .ground = stepping->settings->ground };
  bool any = false;

  *time = 1;
  for (guint k = 0; k < world->contacts->len; k++) {
    const RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);
    double t;

    if ((k > 0 && contact[-1].a == contact->a && contact[-1].b == contact->b) ||
        (world->work->speeds[contact->a].inverse_mass == 0 && world->work->speeds[contact->b].inverse_mass == 0))
      continue;
    if (rigid_find_impact (world, contact->a, contact->b, &options, world->work->omegas,
                           world->work->accelerations[contact->a], h, stepping->settings->time, &t) &&
        t < *time) {
      *time = t;
      any = true;
    }
  }
  return any;
}

/* Supports bodies for h seconds.  Where contacts are too deep, speeds (out) of the way are others than those that stay: bodies
 * that come out of each other keep nothing of that.  Returns whether there are such. */
static bool
support_all (const Stepping *stepping, const RigidSpeed *before, RigidSpeed *way, double h)
{
  RigidWorld *world = stepping->world;
  const size_t size = (world->n + 1) * sizeof *before;
  bool deep = false;

  for (guint k = 0; k < world->contacts->len; k++)
    deep = deep || get_recovery (stepping, &g_array_index (world->contacts, RigidContact, k), h) > 0;
  if (deep) {
    support (stepping, h, true);
    memcpy (way, world->work->speeds, size);
    memcpy (world->work->speeds, before, size);
  }
  support (stepping, h, false);
  return deep;
}

/* Moves everything on by h seconds.  way: (nullable) the speeds that bodies move with, where these are not those that they have
 * then. */
static void
move (const Stepping *stepping, const RigidSpeed *before, const RigidSpeed *way, double h)
{
  RigidWorld *world = stepping->world;
  RigidWork *work = world->work;
  const RigidSettings *settings = stepping->settings;
  const double keep = exp (-settings->drag * h), keep_angular = exp (-settings->drag_angular * h);

  for (guint i = 0; i < world->n; i++) {
    const RigidBody *body = rigid_set_get_body (world->set, i);
    RigidMotion *motion = &world->motions[i];
    const RigidSpeed *now = &work->speeds[i];

    if (body->kind == RIGID_DRIVEN) {
      motion->place = kg_vector_add_scaled (motion->place, h, motion->velocity);
      motion->turn = rigid_turn_advance (motion->turn, work->omegas[i], h, RIGID_AXIS_ANGLE);
    }
    if (!rigid_world_is_awake (world, i))
      continue;
    if (memcmp (now, &before[i], sizeof *now) == 0 && (way == NULL || memcmp (now, &way[i], sizeof *now) == 0))
      rigid_body_fly (body, motion, work->accelerations[i], work->torques[i], h, settings->turning);
    else {
      const KgVector turned = kg_vector_subtract (now->w, before[i].w);

      motion->velocity = now->v;
      motion->angular = kg_vector_add (kg_vector_add_scaled (motion->angular, h, work->torques[i]),
                                       symmetric_matrix_apply (rigid_body_get_inertia (body, motion->turn), turned));
      motion->place = kg_vector_add_scaled (motion->place, h, way != NULL ? way[i].v : now->v);
      rigid_body_turn (body, motion, h, settings->turning);
      if (way != NULL)
        motion->turn = rigid_turn_advance (motion->turn, kg_vector_subtract (way[i].w, now->w), h, RIGID_AXIS_ANGLE);
    }
    motion->velocity = kg_vector_scale (motion->velocity, keep);
    motion->angular = kg_vector_scale (motion->angular, keep_angular);
  }
}

/* Up to h seconds, less where an impact comes first.  Returns how many, 0 when cancelled, less with *error. */
static double
step (const Stepping *stepping, double time, double h, bool step_back, GError **error)
{
  RigidWorld *world = stepping->world;
  RigidWork *work = world->work;
  const guint n = world->n;
  g_autofree RigidSpeed *before = g_new (RigidSpeed, n + 1);
  g_autofree RigidSpeed *way = g_new (RigidSpeed, n + 1);
  g_autofree KgVector *omegas = g_new (KgVector, n + 1);
  double share;

  rigid_world_read_speeds (world);
  if (!rigid_world_find_contacts (world, stepping->settings, h, work->slop, stepping->monitor, error))
    return -1;
  rigid_world_wake (world, h);
  rigid_world_read_speeds (world);
  for (guint k = 0; k < world->contacts->len; k++) {
    RigidContact *contact = &g_array_index (world->contacts, RigidContact, k);

    contact->impulse = contact->total = contact->approach = 0;
    contact->rubbed = kg_vector (0, 0, 0);
  }
  for (guint i = 0; i <= n; i++)
    omegas[i] = work->speeds[i].w;
  collide_all (stepping);
  rigid_world_write_speeds (world, omegas);
  rigid_world_read_speeds (world);
  rigid_world_sample_forces (world, stepping->settings, time);
  if (step_back && find_first_impact (stepping, h, &share))
    /* Not back to the same moment. */
    h *= fmax (share, 1e-6);
  for (guint i = 0; i < n; i++)
    if (rigid_world_is_awake (world, i)) {
      work->speeds[i].v = kg_vector_add_scaled (work->speeds[i].v, h, work->accelerations[i]);
      work->speeds[i].w = kg_vector_add_scaled (
          work->speeds[i].w, h, symmetric_matrix_apply (work->speeds[i].inverse_inertia, work->torques[i]));
    }
  memcpy (before, work->speeds, (n + 1) * sizeof *before);
  move (stepping, before, support_all (stepping, before, way, h) ? way : NULL, h);
  rigid_world_break_joints (world, h, stepping->report);
  rigid_world_log (world);
  return h;
}

bool
rigid_step_exact (RigidWorld *world, const RigidSettings *settings, double time, double dt, RigidReport *report,
                  const KgProgressMonitor *monitor, GError **error)
{
  const bool step_back = settings->time != RIGID_AT_END;
  const Stepping stepping = { .world = world,
                              .settings = settings,
                              .report = report,
                              .touching = step_back ? 2 * IMPACT_SHARE * world->work->slop : 0,
                              .monitor = monitor };
  const double h = dt / settings->substeps;

  for (guint i = 0; i < settings->substeps; i++) {
    const guint most = IMPACTS + IMPACTS_A_BODY * world->n;
    double done = 0;

    for (guint impact = 0; done < h * (1 - 1e-12); impact++) {
      const double taken = step (&stepping, time + i * h + done, h - done, step_back && impact < most, error);

      if (taken < 0 || kg_progress_is_cancelled (monitor))
        return false;
      if (impact == most)
        report->events |= RIGID_STEPPED_ENOUGH;
      done += taken;
    }
  }
  return true;
}

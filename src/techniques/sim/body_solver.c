/* body_solver: jointed rigid bodies that first move alone and are then pulled and turned back together.
 *
 * Whatever is led or pushed becomes the root of its tree for a moment, and all others follow outwards, each dragged by
 * the pin of the one before it as if all that hangs on it were one body (object grouping).  So each such pass closes all
 * joints, and what is relaxed, pass by pass, are the goals that are not the root's.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/body_solver_private.h"

/* Trees of more bodies do not store the orders in which they are walked. */
#define MAX_KEPT_ORDERS 256
/* Relaxation ends when so many passes have not improved it by a hundredth. */
#define PATIENCE 20
/* After so many passes without such an improvement the readiness to rotate is halved, at most so many times. */
#define CALM_AFTER 5
#define MAX_CALMED 6
/* Share of the readiness to rotate that rings keep: with more, their two ends would chase each other for ever. */
#define RING_SHARE 0.25

static KgVector
get_turn (KgRotation from, KgRotation to)
{
  return body_rotation_to_vector (kg_rotation_multiply (to, kg_rotation_conjugate (from)));
}

/* Setting up. */

static BodyLink *
make_links (const BodySolver *solver, const BodyJoint *joints, guint n)
{
  BodyLink *links = g_new0 (BodyLink, MAX (n, 1));

  for (guint j = 0; j < n; j++) {
    links[j].pin_a = kg_vector_subtract (joints[j].pin, solver->bodies[joints[j].a].center);
    links[j].pin_b = kg_vector_subtract (joints[j].pin, solver->bodies[joints[j].b].center);
  }
  return links;
}

static void
list_near_joints (BodySolver *solver)
{
  solver->near_starts = g_new0 (guint, solver->n_bodies + 2);
  solver->near_joints = g_new (guint, MAX (2 * (size_t) solver->n_joints, 1));
  for (guint j = 0; j < solver->n_joints; j++) {
    solver->near_starts[solver->joints[j].a + 2]++;
    solver->near_starts[solver->joints[j].b + 2]++;
  }
  for (guint i = 0; i < solver->n_bodies; i++)
    solver->near_starts[i + 2] += solver->near_starts[i + 1];
  for (guint j = 0; j < solver->n_joints; j++) {
    solver->near_joints[solver->near_starts[solver->joints[j].a + 1]++] = j;
    solver->near_joints[solver->near_starts[solver->joints[j].b + 1]++] = j;
  }
}

static void
list_components (BodySolver *solver)
{
  const guint n = solver->assembly->n_components;

  solver->member_starts = g_new0 (guint, n + 2);
  solver->members = g_new (guint, MAX (solver->n_bodies, 1));
  solver->component_mass = g_new0 (double, MAX (n, 1));
  solver->actors = g_new (GArray *, MAX (n, 1));
  for (guint c = 0; c < n; c++)
    solver->actors[c] = g_array_new (FALSE, FALSE, sizeof (BodyActor));
  for (guint i = 0; i < solver->n_bodies; i++)
    solver->member_starts[solver->bodies[i].component + 2]++;
  for (guint c = 0; c < n; c++)
    solver->member_starts[c + 2] += solver->member_starts[c + 1];
  for (guint i = 0; i < solver->n_bodies; i++) {
    const guint c = solver->bodies[i].component;

    solver->members[solver->member_starts[c + 1]++] = i;
    solver->component_mass[c] += solver->bodies[i].mass;
  }
}

BodySolver *
body_solver_new (const BodyAssembly *assembly, const BodySettings *settings)
{
  BodySolver *solver = g_new0 (BodySolver, 1);

  solver->assembly = assembly;
  solver->settings = *settings;
  solver->n_bodies = assembly->bodies->len;
  solver->n_joints = assembly->joints->len;
  solver->bodies = (const Body *) (const void *) assembly->bodies->data;
  solver->joints = (const BodyJoint *) (const void *) assembly->joints->data;
  solver->limits = (const BodyLimit *) (const void *) assembly->limits->data;
  solver->rings = (const BodyJoint *) (const void *) assembly->rings->data;
  solver->poses = g_new0 (BodyPose, MAX (solver->n_bodies, 1));
  solver->untouched = g_new0 (BodyPose, MAX (solver->n_bodies, 1));
  for (guint i = 0; i < solver->n_bodies; i++)
    solver->poses[i] = (BodyPose){ .place = solver->bodies[i].center, .turn = kg_rotation_identity () };
  solver->links = make_links (solver, solver->joints, solver->n_joints);
  solver->ring_links = make_links (solver, solver->rings, assembly->rings->len);
  for (guint i = 0; i < assembly->limits->len; i++) {
    BodyLink *link = &solver->links[solver->limits[i].joint];

    if (link->n_limits++ == 0)
      link->first_limit = i;
  }
  list_near_joints (solver);
  list_components (solver);
  solver->orders = g_new0 (BodyOrder, MAX (solver->n_bodies, 1));
  if (settings->collide_own) {
    solver->branches = g_new (BodyBranch, MAX (solver->n_bodies, 1));
    solver->stop_of = g_new (guint, MAX (solver->n_bodies, 1));
  }
  solver->held = g_new0 (uint8_t, MAX (solver->n_bodies, 1));
  solver->seen = g_new0 (uint8_t, MAX (solver->n_bodies, 1));
  solver->moved = g_new0 (uint8_t, MAX (assembly->n_components, 1));
  return solver;
}

void
body_solver_free (BodySolver *solver)
{
  for (guint i = 0; i < solver->n_bodies; i++)
    g_free (solver->orders[i].stops);
  for (guint c = 0; c < solver->assembly->n_components; c++)
    g_array_unref (solver->actors[c]);
  g_free (solver->scratch.stops);
  g_free (solver->orders);
  g_free (solver->actors);
  g_free (solver->poses);
  g_free (solver->untouched);
  g_free (solver->links);
  g_free (solver->ring_links);
  g_free (solver->near_starts);
  g_free (solver->near_joints);
  g_free (solver->member_starts);
  g_free (solver->members);
  g_free (solver->component_mass);
  g_free (solver->branches);
  g_free (solver->stop_of);
  g_free (solver->held);
  g_free (solver->seen);
  g_free (solver->moved);
  g_free (solver);
}

BodyPose *
body_solver_get_poses (BodySolver *solver)
{
  return solver->poses;
}

void
body_solver_set_walls (BodySolver *solver, const SkeletonWall *walls, guint n)
{
  solver->walls = walls;
  solver->n_walls = n;
}

void
body_solver_set_obstacle (BodySolver *solver, const BodyShape *obstacle)
{
  solver->obstacle = obstacle;
}

void
body_solver_get_report (const BodySolver *solver, BodyReport *report)
{
  *report = solver->report;
}

/* Trees. */

guint
body_joint_get_other (const BodyJoint *joint, guint body)
{
  return joint->a == body ? joint->b : joint->a;
}

static void
order_init (BodySolver *solver, BodyOrder *order, guint root)
{
  const guint c = solver->bodies[root].component;
  const guint n = solver->member_starts[c + 1] - solver->member_starts[c];
  guint filled = 1;

  g_free (order->stops);
  order->n = n;
  order->stops = g_new (BodyStop, n);
  order->stops[0] = (BodyStop){ root, G_MAXUINT, 0 };
  for (guint k = 0; k < filled; k++) {
    const guint body = order->stops[k].body;

    for (guint e = solver->near_starts[body]; e < solver->near_starts[body + 1]; e++) {
      const guint joint = solver->near_joints[e];

      if (joint != order->stops[k].joint)
        order->stops[filled++] = (BodyStop){ body_joint_get_other (&solver->joints[joint], body), joint, 0 };
    }
  }
  for (guint k = 0; k < n; k++)
    order->stops[k].mass = solver->bodies[order->stops[k].body].mass;
}

/* Adds up the masses of groups from the ends inwards. */
static void
sum_group_masses (BodySolver *solver, BodyOrder *order)
{
  g_autofree guint *at = g_new (guint, MAX (solver->n_bodies, 1));

  for (guint k = 0; k < order->n; k++)
    at[order->stops[k].body] = k;
  for (guint k = order->n; k-- > 1;)
    order->stops[at[body_joint_get_other (&solver->joints[order->stops[k].joint], order->stops[k].body)]].mass +=
        order->stops[k].mass;
}

const BodyOrder *
body_solver_get_order (BodySolver *solver, guint root)
{
  const guint c = solver->bodies[root].component;
  const guint n = solver->member_starts[c + 1] - solver->member_starts[c];
  BodyOrder *order = n <= MAX_KEPT_ORDERS ? &solver->orders[root] : &solver->scratch;

  if (order->stops == NULL || order == &solver->scratch) {
    order_init (solver, order, root);
    sum_group_masses (solver, order);
  }
  return order;
}

KgVector
body_solver_get_pin (const BodySolver *solver, guint body, KgVector pin)
{
  const BodyPose *pose = &solver->poses[body];

  return kg_vector_add (pose->place, kg_rotation_apply (pose->turn, pin));
}

BodyHanging
body_solver_get_hanging (const BodySolver *solver, guint joint, guint body)
{
  const BodyJoint *ends = &solver->joints[joint];
  const BodyLink *link = &solver->links[joint];

  return ends->b == body ? (BodyHanging){ body, ends->a, link->pin_b, link->pin_a, link->n_limits > 0 }
                         : (BodyHanging){ body, ends->b, link->pin_a, link->pin_b, link->n_limits > 0 };
}

/* Adjustment. */

/* Drags a body with all that are connected to it. pin: from its rest centre. */
static void
drag_group (BodySolver *solver, guint body, double mass, KgVector pin, KgVector target)
{
  BodyDrag drag = { .mass = solver->settings.group == BODY_GROUP_OWN ? mass : solver->bodies[body].mass,
                    .kappa = solver->kappa,
                    .plane = solver->settings.plane,
                    .break_symmetry = solver->settings.break_symmetry };

  drag.inertia = solver->bodies[body].inertia;
  body_drag (&solver->poses[body], &drag, pin, target);
}

/* Rotates the body of a stop, and all that are connected to it, about a place. */
static void
turn_group (BodySolver *solver, const BodyOrder *order, guint stop, KgVector about, KgRotation turn)
{
  solver->seen[order->stops[stop].body] = 1;
  for (guint k = stop; k < order->n; k++) {
    const guint body = order->stops[k].body;
    BodyPose *pose = &solver->poses[body];

    if (k > stop && !solver->seen[body_joint_get_other (&solver->joints[order->stops[k].joint], body)])
      continue;
    solver->seen[body] = 1;
    pose->place = kg_vector_add (about, kg_rotation_apply (turn, kg_vector_subtract (pose->place, about)));
    pose->turn = kg_rotation_normalize (kg_rotation_multiply (turn, pose->turn));
  }
  for (guint k = stop; k < order->n; k++)
    solver->seen[order->stops[k].body] = 0;
}

void
body_solver_clamp_angles (BodySolver *solver, const BodyOrder *order, guint stop, KgVector pin)
{
  const BodyJoint *joint = &solver->joints[order->stops[stop].joint];
  const BodyLink *link = &solver->links[order->stops[stop].joint];

  for (guint i = 0; i < link->n_limits; i++) {
    const BodyLimit *limit = &solver->limits[link->first_limit + i];
    const KgVector u = kg_rotation_apply (solver->poses[joint->a].turn, limit->u);
    const KgVector w = kg_rotation_apply (solver->poses[joint->b].turn, limit->w);
    bool ambiguous = false;
    KgVector axis;
    double angle = body_limit_excess (u, w, limit->low, limit->high, solver->settings.plane, &axis, &ambiguous);

    if (angle == 0)
      continue;
    if (ambiguous)
      solver->report.events |= BODY_AMBIGUOUS;
    if (order->stops[stop].body == joint->a)
      angle = -angle;
    turn_group (solver, order, stop, pin, kg_rotation_from_axis_angle (axis, angle));
  }
}

void
body_solver_follow (BodySolver *solver, guint root)
{
  const BodyOrder *order = body_solver_get_order (solver, root);

  for (guint k = 1; k < order->n; k++) {
    const BodyHanging hanging = body_solver_get_hanging (solver, order->stops[k].joint, order->stops[k].body);
    const KgVector target = body_solver_get_pin (solver, hanging.parent, hanging.parent_pin);

    drag_group (solver, hanging.body, order->stops[k].mass, hanging.pin, target);
    if (hanging.limited)
      body_solver_clamp_angles (solver, order, k, target);
  }
}

/* A tree without driven bodies: where each neighbour of the root would place it. */
static void
place_free_root (BodySolver *solver, guint root)
{
  const BodyOrder *order = body_solver_get_order (solver, root);
  const BodyPose start = solver->poses[root];
  KgVector place = kg_vector (0, 0, 0), turn = kg_vector (0, 0, 0);
  double sum = 0;

  for (guint k = 1;
       k < order->n && body_joint_get_other (&solver->joints[order->stops[k].joint], order->stops[k].body) == root;
       k++) {
    const BodyStop *stop = &order->stops[k];
    const BodyHanging hanging = body_solver_get_hanging (solver, stop->joint, stop->body);
    const KgVector mine = body_solver_get_pin (solver, root, hanging.parent_pin);
    const KgVector other = body_solver_get_pin (solver, stop->body, hanging.pin);
    const BodyPose *wanted = &solver->poses[root];

    drag_group (solver, root, solver->bodies[root].mass, hanging.parent_pin,
                body_meeting_point (solver->bodies[root].mass, mine, stop->mass, other));
    place = kg_vector_add_scaled (place, stop->mass, kg_vector_subtract (wanted->place, start.place));
    turn = kg_vector_add_scaled (
        turn, stop->mass,
        body_rotation_to_vector (kg_rotation_multiply (wanted->turn, kg_rotation_conjugate (start.turn))));
    sum += stop->mass;
    solver->poses[root] = start;
  }
  if (!(sum > 0))
    return;
  solver->poses[root].place = kg_vector_add_scaled (start.place, 1 / sum, place);
  solver->poses[root].turn = kg_rotation_normalize (
      kg_rotation_multiply (body_rotation_from_vector (kg_vector_scale (turn, 1 / sum)), start.turn));
}

/* How far apart the two pins of a joint are. */
static double
get_joint_gap (const BodySolver *solver, const BodyJoint *joint, const BodyLink *link)
{
  return kg_vector_distance (body_solver_get_pin (solver, joint->a, link->pin_a),
                             body_solver_get_pin (solver, joint->b, link->pin_b));
}

/* From the rest centre. */
static KgVector
get_goal_pin (const BodySolver *solver, const BodyGoal *goal)
{
  return kg_vector_subtract (goal->pin, solver->bodies[goal->body].center);
}

/* Brings one actor to its target, with all bodies of its tree behind it. */
static void
obey (BodySolver *solver, const BodyActor *actor, double mass)
{
  if (actor->kind == BODY_ACTOR_HOLD) {
    const BodyHold *hold = &solver->holds[actor->index];

    solver->poses[hold->body].place = hold->place;
    solver->poses[hold->body].turn = hold->turn;
    body_solver_follow (solver, hold->body);
  } else if (actor->kind == BODY_ACTOR_GOAL) {
    const BodyGoal *goal = &solver->goals[actor->index];

    drag_group (solver, goal->body, mass, get_goal_pin (solver, goal), goal->place);
    body_solver_follow (solver, goal->body);
  } else {
    /* Two goals at one place, which is left alone so that passes can settle there. */
    const BodyJoint *ring = &solver->rings[actor->index];
    const BodyLink *link = &solver->ring_links[actor->index];
    const KgVector place = body_solver_get_pin (solver, ring->a, link->pin_a);

    drag_group (solver, ring->b, mass, link->pin_b, place);
    body_solver_follow (solver, ring->b);
    drag_group (solver, ring->a, mass, link->pin_a, place);
    body_solver_follow (solver, ring->a);
  }
}

/* How far an actor is from its target. */
static double
get_gap (const BodySolver *solver, const BodyActor *actor)
{
  if (actor->kind == BODY_ACTOR_HOLD) {
    const BodyHold *hold = &solver->holds[actor->index];
    const BodyPose *pose = &solver->poses[hold->body];

    /* The error of a rotated body is that of its farthest point. */
    return kg_vector_distance (pose->place, hold->place) +
           kg_vector_length (get_turn (pose->turn, hold->turn)) * solver->bodies[hold->body].shape.radius;
  }
  if (actor->kind == BODY_ACTOR_GOAL) {
    const BodyGoal *goal = &solver->goals[actor->index];

    return kg_vector_distance (body_solver_get_pin (solver, goal->body, get_goal_pin (solver, goal)), goal->place);
  }
  return get_joint_gap (solver, &solver->rings[actor->index], &solver->ring_links[actor->index]);
}

static double
get_worst_gap (const BodySolver *solver, const GArray *actors)
{
  double worst = 0;

  for (guint i = 0; i < actors->len; i++)
    worst = fmax (worst, get_gap (solver, &g_array_index (actors, BodyActor, i)));
  return worst;
}

/* The actors of a tree take turns until all are at their targets.  Where they only disturb each other, the bodies
 * rotate less readily. */
static void
relax (BodySolver *solver, guint component)
{
  const GArray *actors = solver->actors[component];
  double gap = INFINITY, last = INFINITY, milestone = INFINITY;
  guint passes = 0, since = 0, calmed = solver->settings.calm ? 0 : MAX_CALMED;

  while (gap > solver->settings.tolerance && passes < solver->settings.passes && since < PATIENCE) {
    for (guint i = 0; i < actors->len; i++) {
      if (kg_progress_is_cancelled (solver->monitor))
        return;
      obey (solver, &g_array_index (actors, BodyActor, i), solver->component_mass[component]);
    }
    last = gap;
    gap = get_worst_gap (solver, actors);
    passes++;
    if (gap < 0.99 * milestone) {
      milestone = gap;
      since = 0;
    } else if (++since >= CALM_AFTER && calmed < MAX_CALMED && gap > last * (1 - 1e-6)) {
      /* A relaxation that converges, however slowly, is left alone. */
      solver->kappa *= 0.5;
      milestone = gap;
      since = 0;
      calmed++;
    }
  }
  solver->report.passes = MAX (solver->report.passes, passes);
  if (gap > solver->settings.tolerance)
    solver->report.events |= BODY_UNREACHABLE;
}

/* Whether every body of the tree is held: each is where it has to be, and joints may gape. */
static bool
is_all_held (const BodySolver *solver, guint component)
{
  for (guint k = solver->member_starts[component]; k < solver->member_starts[component + 1]; k++)
    if (!solver->held[solver->members[k]])
      return false;
  return true;
}

guint
body_solver_get_free_root (const BodySolver *solver, guint component)
{
  const guint root = solver->settings.root;

  return root < solver->n_bodies && solver->bodies[root].component == component
             ? root
             : solver->members[solver->member_starts[component]];
}

void
body_solver_adjust_component (BodySolver *solver, guint component)
{
  const GArray *actors = solver->actors[component];
  const bool ring = actors->len > 0 && g_array_index (actors, BodyActor, actors->len - 1).kind == BODY_ACTOR_RING;

  if (solver->settings.method == BODY_DISPLACEMENT) {
    body_solver_displace (solver);
    return;
  }
  solver->kappa = ring ? RING_SHARE * solver->settings.kappa : solver->settings.kappa;
  if (is_all_held (solver, component))
    for (guint i = 0; i < actors->len; i++) {
      const BodyActor *actor = &g_array_index (actors, BodyActor, i);

      if (actor->kind == BODY_ACTOR_HOLD) {
        solver->poses[solver->holds[actor->index].body].place = solver->holds[actor->index].place;
        solver->poses[solver->holds[actor->index].body].turn = solver->holds[actor->index].turn;
      }
    }
  else if (actors->len > 1 || ring)
    relax (solver, component);
  else if (actors->len == 1) {
    obey (solver, &g_array_index (actors, BodyActor, 0), solver->component_mass[component]);
    solver->report.passes = MAX (solver->report.passes, 1);
  } else {
    const guint root = body_solver_get_free_root (solver, component);

    place_free_root (solver, root);
    body_solver_follow (solver, root);
  }
}

/* Steps. */

static void
list_actors (BodySolver *solver)
{
  memset (solver->held, 0, solver->n_bodies);
  for (guint c = 0; c < solver->assembly->n_components; c++)
    g_array_set_size (solver->actors[c], 0);
  for (guint i = 0; i < solver->n_holds; i++) {
    const BodyActor actor = { BODY_ACTOR_HOLD, i };

    solver->held[solver->holds[i].body] = 1;
    g_array_append_val (solver->actors[solver->bodies[solver->holds[i].body].component], actor);
  }
  for (guint i = 0; i < solver->n_goals; i++) {
    const BodyActor actor = { BODY_ACTOR_GOAL, i };

    g_array_append_val (solver->actors[solver->bodies[solver->goals[i].body].component], actor);
  }
  for (guint i = 0; i < solver->assembly->rings->len; i++) {
    const BodyActor actor = { BODY_ACTOR_RING, i };

    g_array_append_val (solver->actors[solver->bodies[solver->rings[i].a].component], actor);
  }
}

static void
measure (BodySolver *solver)
{
  for (guint j = 0; j < solver->n_joints; j++)
    solver->report.joint_gap =
        fmax (solver->report.joint_gap, get_joint_gap (solver, &solver->joints[j], &solver->links[j]));
  for (guint c = 0; c < solver->assembly->n_components; c++)
    for (guint i = 0; i < solver->actors[c]->len; i++) {
      const BodyActor *actor = &g_array_index (solver->actors[c], BodyActor, i);
      double *gap = actor->kind == BODY_ACTOR_RING ? &solver->report.joint_gap : &solver->report.goal_gap;

      *gap = fmax (*gap, get_gap (solver, actor));
    }
  if (solver->report.joint_gap > solver->settings.tolerance)
    for (guint c = 0; c < solver->assembly->n_components; c++)
      if (is_all_held (solver, c))
        solver->report.events |= BODY_ALL_HELD;
}

/* A movement less that share of a push, which was part of it, that must not remain as velocity.  Motion that the push
 * only stopped stays stopped. */
static KgVector
forget_push (KgVector movement, KgVector push, double share)
{
  const KgVector along = kg_vector_normalize_or (push, kg_vector (0, 0, 0));
  const double gained = fmin (kg_vector_dot (movement, along), kg_vector_length (push));

  return gained > 0 ? kg_vector_add_scaled (movement, -share * gained, along) : movement;
}

/* A movement no faster along a push than before, in either direction: contacts create no speed.  Otherwise pushes on
 * many bodies of a tree, each of which takes all others along, would add up to one. */
static KgVector
limit_push (KgVector movement, KgVector push, KgVector before)
{
  const KgVector along = kg_vector_normalize_or (push, kg_vector (0, 0, 0));
  const double excess = kg_vector_dot (movement, along) - fabs (kg_vector_dot (before, along));

  return excess > 0 ? kg_vector_add_scaled (movement, -excess, along) : movement;
}

static void
remember_steps (BodySolver *solver)
{
  const bool contacts = solver->n_walls > 0 || solver->obstacle != NULL || solver->settings.collide;

  for (guint i = 0; i < solver->n_bodies; i++) {
    BodyPose *pose = &solver->poses[i];

    pose->step = kg_vector_subtract (pose->place, solver->before[i].place);
    pose->spin = get_turn (solver->before[i].turn, pose->turn);
    if (contacts) {
      const BodyPose *untouched = &solver->untouched[i];
      const KgVector push = kg_vector_subtract (pose->place, untouched->place);

      pose->step = limit_push (forget_push (pose->step, push, 1 - solver->settings.rebound), push,
                               kg_vector_subtract (untouched->place, solver->before[i].place));
      pose->spin = forget_push (pose->spin, get_turn (untouched->turn, pose->turn), 1 - solver->settings.rebound);
    }
    if (contacts && kg_vector_length (pose->step) > 2 * solver->bodies[i].shape.radius)
      solver->report.events |= BODY_FAST;
  }
}

void
body_solver_set_monitor (BodySolver *solver, const KgProgressMonitor *monitor)
{
  solver->monitor = monitor;
}

bool
body_solver_adjust (BodySolver *solver, const BodyPose *before, const BodyHold *holds, guint n_holds,
                    const BodyGoal *goals, guint n_goals)
{
  solver->before = before;
  solver->holds = holds;
  solver->n_holds = n_holds;
  solver->goals = goals;
  solver->n_goals = n_goals;
  solver->report = (BodyReport){ .joint_gap = 0 };
  list_actors (solver);
  if (solver->settings.method == BODY_DISPLACEMENT)
    body_solver_displace (solver);
  for (guint c = 0; solver->settings.method == BODY_PROCEDURAL && c < solver->assembly->n_components &&
                    !kg_progress_is_cancelled (solver->monitor);
       c++)
    body_solver_adjust_component (solver, c);
  memcpy (solver->untouched, solver->poses, solver->n_bodies * sizeof *solver->poses);
  body_solver_leave_contacts (solver);
  if (kg_progress_is_cancelled (solver->monitor))
    return false;
  measure (solver);
  remember_steps (solver);
  return true;
}

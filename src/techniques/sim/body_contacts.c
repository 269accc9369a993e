/* body_contacts: moves bodies, and all that are connected to them, out of walls, an obstacle and each other.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/body_solver_private.h"
#include "sim/body_touch.h"

static KgVector
get_velocity (const BodySolver *solver, guint body)
{
  return kg_vector_subtract (solver->poses[body].place, solver->before[body].place);
}

static BodyPlaced
get_placed (const BodySolver *solver, guint body)
{
  return (BodyPlaced){ &solver->bodies[body].shape, &solver->poses[body], solver->monitor };
}

/* Moves a body, and all that are connected to it, out of a contact. */
static void
leave (BodySolver *solver, guint body, const BodyTouch *touch, double share, KgVector velocity)
{
  const guint component = solver->bodies[body].component;
  const KgVector way =
      kg_vector_scale (body_way_out (solver->settings.contact, touch->depth, touch->normal, velocity), share);

  if (solver->settings.contact == BODY_TURN_OUT)
    body_push (&solver->poses[body], &solver->bodies[body], solver->settings.plane, touch->place, way);
  else
    solver->poses[body].place = kg_vector_add (solver->poses[body].place, way);
  if (solver->member_starts[component + 1] - solver->member_starts[component] > 1)
    body_solver_follow (solver, body);
  solver->moved[component] = 1;
}

static double
push_out_of_surroundings (BodySolver *solver, guint body)
{
  const BodyPlaced placed = get_placed (solver, body), obstacle = { solver->obstacle, NULL, solver->monitor };
  const double margin = 0.5 * solver->settings.thickness;
  BodyTouch touch = { .depth = 0 };

  if (solver->held[body])
    return 0;
  body_touch_walls (&placed, solver->walls, solver->n_walls, margin, &touch);
  if (solver->obstacle != NULL)
    body_touch_obstacle (&placed, &obstacle, margin, &touch);
  if (touch.depth > solver->settings.tolerance)
    leave (solver, body, &touch, 1, get_velocity (solver, body));
  return touch.depth;
}

static bool
are_joined (const BodySolver *solver, guint a, guint b)
{
  for (guint e = solver->near_starts[a]; e < solver->near_starts[a + 1]; e++)
    if (body_joint_get_other (&solver->joints[solver->near_joints[e]], a) == b)
      return true;
  for (guint r = 0; r < solver->assembly->rings->len; r++)
    if ((solver->rings[r].a == a && solver->rings[r].b == b) || (solver->rings[r].a == b && solver->rings[r].b == a))
      return true;
  return false;
}

/* Limbs are often made to overlap where they meet, and links of a chain can be shorter than they are thick: such bodies
 * could never be separated. */
static bool
overlap_at_rest (const BodySolver *solver, guint a, guint b)
{
  const BodyPose pose_a = { .place = solver->bodies[a].center, .turn = kg_rotation_identity () };
  const BodyPose pose_b = { .place = solver->bodies[b].center, .turn = kg_rotation_identity () };
  const BodyPlaced placed_a = { &solver->bodies[a].shape, &pose_a, solver->monitor },
                   placed_b = { &solver->bodies[b].shape, &pose_b, solver->monitor };
  BodyTouch touch = { .depth = 0 };

  body_touch_body (&placed_a, &placed_b, solver->settings.thickness, &touch);
  return touch.depth > solver->settings.tolerance;
}

/* The body from which a tree is walked: a driven one, so that it stays where it is. */
static guint
get_root (const BodySolver *solver, guint component)
{
  const GArray *actors = solver->actors[component];
  const BodyActor *actor;

  if (actors->len == 0)
    return body_solver_get_free_root (solver, component);
  actor = &g_array_index (actors, BodyActor, 0);
  return actor->kind == BODY_ACTOR_HOLD   ? solver->holds[actor->index].body
         : actor->kind == BODY_ACTOR_GOAL ? solver->goals[actor->index].body
                                          : solver->rings[actor->index].b;
}

static void
weigh_branches (BodySolver *solver, const BodyOrder *order, guint a, guint b, KgVector origin)
{
  BodyBranch *branches = solver->branches;

  for (guint k = 0; k < order->n; k++) {
    const guint i = order->stops[k].body;
    const Body *body = &solver->bodies[i];
    const KgVector x = kg_vector_subtract (solver->poses[i].place, origin);

    solver->stop_of[i] = k;
    branches[k] = (BodyBranch){
      .parent = k > 0 ? solver->stop_of[body_joint_get_other (&solver->joints[order->stops[k].joint], i)] : 0,
      .mass = body->mass,
      .square = body->mass * kg_vector_dot (x, x) + 0.5 * (body->inertia.xx + body->inertia.yy + body->inertia.zz),
      .moment = kg_vector_scale (x, body->mass),
    };
  }
  for (guint k = order->n; k-- > 1;) {
    BodyBranch *parent = &branches[branches[k].parent];

    parent->mass += branches[k].mass;
    parent->square += branches[k].square;
    parent->moment = kg_vector_add (parent->moment, branches[k].moment);
  }
  for (guint k = solver->stop_of[a]; k > 0; k = branches[k].parent)
    branches[k].side--;
  for (guint k = solver->stop_of[b]; k > 0; k = branches[k].parent)
    branches[k].side++;
}

/* Rotates two bodies of a tree apart, at all joints between them: each the more, the more it helps and the lighter the
 * bodies beyond it are.  Dragged apart instead, they would take the whole tree along, which would fold up or fly away.
 * False if no rotation helps. */
static bool
rotate_apart (BodySolver *solver, guint a, guint b, const BodyTouch *touch)
{
  const BodyOrder *order = body_solver_get_order (solver, get_root (solver, solver->bodies[a].component));
  BodyBranch *branches = solver->branches;
  double give = 0;

  weigh_branches (solver, order, a, b, touch->place);
  for (guint k = 1; k < order->n; k++) {
    BodyBranch *branch = &branches[k];
    const BodyHanging hanging = body_solver_get_hanging (solver, order->stops[k].joint, order->stops[k].body);
    KgVector arm;

    if (branch->side == 0)
      continue;
    branch->pin = body_solver_get_pin (solver, hanging.body, hanging.pin);
    arm = kg_vector_subtract (touch->place, branch->pin);
    branch->axis = solver->settings.plane
                       ? kg_vector (0, 0, 1)
                       : kg_vector_normalize_or (kg_vector_cross (arm, touch->normal), touch->normal);
    branch->lever = branch->side * kg_vector_dot (kg_vector_cross (branch->axis, arm), touch->normal);
    /* About the pin instead. */
    branch->square += kg_vector_dot (arm, arm) * branch->mass + 2 * kg_vector_dot (arm, branch->moment);
    give += branch->lever * branch->lever / fmax (branch->square, 1e-300);
  }
  if (!(give * touch->depth > 0))
    return false;
  branches[0].turn = kg_rotation_identity ();
  for (guint k = 1; k < order->n; k++) {
    BodyBranch *branch = &branches[k];
    const BodyBranch *parent = &branches[branch->parent];
    BodyPose *pose = &solver->poses[order->stops[k].body];

    branch->turn = parent->turn;
    branch->shift = parent->shift;
    branch->turned = parent->turned || branch->side != 0;
    if (!branch->turned)
      continue;
    if (branch->side != 0) {
      const double angle = touch->depth * branch->lever / (fmax (branch->square, 1e-300) * give);
      const KgRotation turn = kg_rotation_from_axis_angle (branch->axis, kg_clamp (angle, -0.5, 0.5));

      branch->turn = kg_rotation_multiply (parent->turn, turn);
      branch->shift = kg_vector_add (
          parent->shift,
          kg_rotation_apply (parent->turn, kg_vector_subtract (branch->pin, kg_rotation_apply (turn, branch->pin))));
    }
    pose->place = kg_vector_add (branch->shift, kg_rotation_apply (branch->turn, pose->place));
    pose->turn = kg_rotation_normalize (kg_rotation_multiply (branch->turn, pose->turn));
  }
  for (guint k = 1; k < order->n; k++) {
    const BodyHanging hanging = body_solver_get_hanging (solver, order->stops[k].joint, order->stops[k].body);

    if (branches[k].side != 0 && hanging.limited)
      body_solver_clamp_angles (solver, order, k, body_solver_get_pin (solver, hanging.body, hanging.pin));
  }
  solver->moved[solver->bodies[a].component] = 1;
  return true;
}

static double
push_pair_apart (BodySolver *solver, guint a, guint b)
{
  const bool same_tree = solver->bodies[a].component == solver->bodies[b].component;
  double mass_a, mass_b, share;
  const BodyPlaced placed_a = get_placed (solver, a), placed_b = get_placed (solver, b);
  BodyTouch touch = { .depth = 0 };
  KgVector velocity;

  if ((solver->held[a] && solver->held[b]) || (same_tree && are_joined (solver, a, b)))
    return 0;
  body_touch_body (&placed_a, &placed_b, solver->settings.thickness, &touch);
  if (!(touch.depth > solver->settings.tolerance))
    return touch.depth;
  if (same_tree && overlap_at_rest (solver, a, b))
    return 0;
  if (same_tree && rotate_apart (solver, a, b, &touch))
    return touch.depth;
  mass_a = solver->component_mass[solver->bodies[a].component];
  mass_b = solver->component_mass[solver->bodies[b].component];
  share = solver->held[a] ? 1 : solver->held[b] ? 0 : mass_a / (mass_a + mass_b);
  velocity = kg_vector_subtract (get_velocity (solver, b), get_velocity (solver, a));
  if (share > 0)
    leave (solver, b, &touch, share, velocity);
  touch.normal = kg_vector_scale (touch.normal, -1);
  if (share < 1)
    leave (solver, a, &touch, 1 - share, kg_vector_scale (velocity, -1));
  return touch.depth;
}

typedef struct {
  double low, high; /* along x */
  guint body;
} Extent;

static int
compare_extents (const void *a, const void *b)
{
  const Extent *x = (const Extent *) a, *y = (const Extent *) b;

  if (x->low != y->low)
    return x->low > y->low ? 1 : -1;
  return (x->body > y->body) - (x->body < y->body);
}

static double
leave_bodies (BodySolver *solver, Extent *extents)
{
  double worst = 0;

  for (guint i = 0; i < solver->n_bodies; i++) {
    const double x = solver->poses[i].place.x;
    const double radius = solver->bodies[i].shape.radius + 0.5 * solver->settings.thickness;

    extents[i] = (Extent){ x - radius, x + radius, i };
  }
  qsort (extents, solver->n_bodies, sizeof *extents, compare_extents);
  for (guint i = 0; i < solver->n_bodies; i++)
    for (guint k = i + 1;
         k < solver->n_bodies && extents[k].low <= extents[i].high && !kg_progress_is_cancelled (solver->monitor);
         k++) {
      const guint a = MIN (extents[i].body, extents[k].body), b = MAX (extents[i].body, extents[k].body);

      if (solver->settings.collide_own || solver->bodies[a].component != solver->bodies[b].component)
        worst = fmax (worst, push_pair_apart (solver, a, b));
    }
  return worst;
}

void
body_solver_leave_contacts (BodySolver *solver)
{
  g_autofree Extent *extents = g_new (Extent, MAX (solver->n_bodies, 1));
  double worst = INFINITY;

  if (solver->n_walls == 0 && solver->obstacle == NULL && !solver->settings.collide)
    return;
  for (guint pass = 0; pass < solver->settings.passes && worst > solver->settings.tolerance &&
                       !kg_progress_is_cancelled (solver->monitor);
       pass++) {
    memset (solver->moved, 0, solver->assembly->n_components);
    solver->kappa = solver->settings.kappa;
    worst = solver->settings.collide ? leave_bodies (solver, extents) : 0;
    for (guint i = 0; i < solver->n_bodies && !kg_progress_is_cancelled (solver->monitor); i++)
      worst = fmax (worst, push_out_of_surroundings (solver, i));
    for (guint c = 0; c < solver->assembly->n_components && !kg_progress_is_cancelled (solver->monitor); c++)
      if (solver->moved[c] && solver->actors[c]->len > 0)
        body_solver_adjust_component (solver, c);
  }
  solver->report.depth = worst;
  if (worst > solver->settings.tolerance)
    solver->report.events |= BODY_STUCK;
}

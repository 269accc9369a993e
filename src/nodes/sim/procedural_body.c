/* sim/procedural_body: jointed rigid bodies that are dragged about like marionettes and chains.
 * Source: Ahn and others, procedural constraint solving for articulated bodies; the solver is in body_solver.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/body_solver.h"
#include "sim/body_state.h"
#include "sim/figure_leads.h"
#include "sim/figure_walls.h"
#include "kg-node.h"

#include <inttypes.h>

#define MAX_GRABS 4

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *targets;
  int space;
  int division;
  const KgTable *joints;
  bool rings;
  double mass;
  KgVector velocity;
  KgVector spin;
  bool grab, grab_2, grab_3, grab_4;
  int64_t grab_point, grab_point_2, grab_point_3, grab_point_4;
  KgVector grab_to, grab_to_2, grab_to_3, grab_to_4;
  KgVector gravity;
  double damping;
  KgList forces;
  bool weigh;
  int walls;
  KgVector wall_point, wall_normal;
  KgVector box_low, box_high;
  const KgTable *planes;
  const KgGeometry *obstacle;
  bool collide;
  bool collide_own;
  int contact;
  double thickness;
  double rebound;
  int solver;
  double kappa;
  int group_inertia;
  bool break_symmetry;
  bool calm;
  int64_t root;
  int64_t substeps;
  int64_t relax_passes;
  double tolerance;
  KgGeometry *rest;
  KgGeometry *state;
  KgGeometry *figure;
  KgGeometry *bodies;
  double joint_gap;
  double goal_gap;
  double depth;
  int64_t passes;
  KgVector center;
} ProceduralBody;

static const KgChoice procedural_body_solvers[] = {
  [BODY_PROCEDURAL] = { "procedural", N_ ("Procedural: trees follow their driven points") },
  [BODY_DISPLACEMENT] = { "displacement", N_ ("Displacement: by the masses of the bodies") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (procedural_body_solvers, BODY_N_METHODS);

enum { PROCEDURAL_PLANE, PROCEDURAL_SPACE, N_SPACES };

static const KgChoice procedural_body_spaces[] = {
  [PROCEDURAL_PLANE] = { "plane", N_ ("In the plane: joints distinguish left from right") },
  [PROCEDURAL_SPACE] = { "space", N_ ("In space: joints limit how far they fold") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (procedural_body_spaces, N_SPACES);

static const KgChoice procedural_body_divisions[] = {
  [BODY_OF_PRIMITIVE] = { "primitives", N_ ("Line or polygon") },
  [BODY_OF_EDGE] = { "edges", N_ ("Edge of a line") },
  [BODY_OF_PIECE] = { "pieces", N_ ("Connected piece") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (procedural_body_divisions, BODY_N_DIVISIONS);

static const KgChoice procedural_body_walls[] = {
  [FIGURE_WALLS_NONE] = { "none", N_ ("None") },
  [FIGURE_WALLS_PLANE] = { "plane", N_ ("A plane, such as a floor") },
  [FIGURE_WALLS_BOX] = { "box", N_ ("A box around it") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (procedural_body_walls, FIGURE_N_WALLS);

static const KgChoice procedural_body_contacts[] = {
  [BODY_PUSH_OUT] = { "push", N_ ("Push out along the surface normal") },
  [BODY_TURN_OUT] = { "turn", N_ ("Push out at the deepest corner, which rotates it") },
  [BODY_BACK_UP] = { "back", N_ ("Move back along its velocity") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (procedural_body_contacts, BODY_N_CONTACTS);

static const KgChoice procedural_body_groups[] = {
  [BODY_GROUP_SHAPE] = { "shape", N_ ("As if the body were alone") },
  [BODY_GROUP_OWN] = { "own", N_ ("Heavy tails rotate it more") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (procedural_body_groups, BODY_N_GROUP_INERTIAS);

static void
procedural_body_get_options (const ProceduralBody *n, BodyAssemblyOptions *options)
{
  *options = (BodyAssemblyOptions){ .division = (BodyDivision) n->division,
                                    .plane = n->space == PROCEDURAL_PLANE,
                                    .mass = n->mass,
                                    .joints = n->joints,
                                    .rings = n->rings || n->solver == BODY_DISPLACEMENT };
}

static bool
procedural_body_start (ProceduralBody *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const BodyStart start = { n->space == PROCEDURAL_PLANE, n->velocity, n->spin, 1 / ctx->rate };
  g_auto (BodyAssembly) assembly = { .bodies = NULL };
  BodyAssemblyOptions options;

  procedural_body_get_options (n, &options);
  if (!body_assembly_read (&assembly, n->geometry, &options, &monitor, error))
    return false;
  n->state = body_state_new (&assembly, n->geometry, &start, error);
  n->rest = kg_geometry_ref (n->geometry);
  return n->state != NULL;
}

/* Where it is driven to. */

/* One frame: what is driven, from where to where. */
typedef struct {
  BodyHold *from_holds, *to_holds, *holds;
  BodyGoal *from_goals, *to_goals, *goals;
  guint n_holds, n_goals;
} Lead;

static void
lead_clear (Lead *lead)
{
  g_free (lead->from_holds);
  g_free (lead->to_holds);
  g_free (lead->holds);
  g_free (lead->from_goals);
  g_free (lead->to_goals);
  g_free (lead->goals);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lead, lead_clear)

static guint
procedural_body_get_grabs (const ProceduralBody *n, FigureGrab grabs[MAX_GRABS])
{
  const bool on[MAX_GRABS] = { n->grab, n->grab_2, n->grab_3, n->grab_4 };
  const FigureGrab all[MAX_GRABS] = {
    { n->grab_point, n->grab_to },
    { n->grab_point_2, n->grab_to_2 },
    { n->grab_point_3, n->grab_to_3 },
    { n->grab_point_4, n->grab_to_4 },
  };
  guint n_grabs = 0;

  for (guint i = 0; i < MAX_GRABS; i++)
    if (on[i])
      grabs[n_grabs++] = all[i];
  return n_grabs;
}

/* A body all of whose points are driven moves and rotates with them.  Of other bodies the points are driven one by one. */
static void
procedural_body_sort_leads (const ProceduralBody *n, const BodyAssembly *assembly, const BodyPose *poses,
                            const uint8_t *led, const KgVector *to, Lead *lead)
{
  const size_t n_points = kg_geometry_get_n_points (n->rest);
  g_autofree uint8_t *done = g_new0 (uint8_t, MAX (n_points, 1));

  for (guint b = 0; b < assembly->bodies->len; b++) {
    const Body *body = &g_array_index (assembly->bodies, Body, b);
    const uint32_t *points = (const uint32_t *) (const void *) body->points->data;
    bool all = body->points->len > 0;

    for (guint i = 0; all && i < body->points->len; i++)
      all = led[points[i]] != 0;
    if (!all)
      continue;
    lead->from_holds[lead->n_holds] = (BodyHold){ b, poses[b].place, poses[b].turn };
    lead->to_holds[lead->n_holds] = lead->from_holds[lead->n_holds];
    body_fit_hold (body, n->space == PROCEDURAL_PLANE, to, &lead->to_holds[lead->n_holds++]);
    for (guint i = 0; i < body->points->len; i++)
      done[points[i]] = 1;
  }
  for (guint b = 0; b < assembly->bodies->len; b++) {
    const Body *body = &g_array_index (assembly->bodies, Body, b);

    for (guint i = 0; i < body->points->len; i++) {
      const uint32_t point = g_array_index (body->points, uint32_t, i);
      const KgVector arm = body->shape.points[i];

      if (!led[point] || done[point])
        continue;
      done[point] = 1;
      lead->to_goals[lead->n_goals] = (BodyGoal){ b, kg_vector_add (arm, body->center), to[point] };
      lead->from_goals[lead->n_goals] = lead->to_goals[lead->n_goals];
      lead->from_goals[lead->n_goals++].place = kg_vector_add (poses[b].place, kg_rotation_apply (poses[b].turn, arm));
    }
  }
}

static bool
procedural_body_get_leads (const ProceduralBody *n, const BodyAssembly *assembly, const BodyPose *poses, Lead *lead,
                           GError **error)
{
  const size_t n_points = kg_geometry_get_n_points (n->rest), n_bodies = assembly->bodies->len;
  g_autofree uint8_t *led = g_new0 (uint8_t, MAX (n_points, 1));
  g_autofree KgVector *to = g_new0 (KgVector, MAX (n_points, 1));
  FigureGrab grabs[MAX_GRABS];
  const guint n_grabs = procedural_body_get_grabs (n, grabs);

  if (!figure_leads_read (n->geometry, n->targets, grabs, n_grabs, n->space == PROCEDURAL_PLANE, led, to, error))
    return false;
  lead->from_holds = g_new (BodyHold, MAX (n_bodies, 1));
  lead->to_holds = g_new (BodyHold, MAX (n_bodies, 1));
  lead->holds = g_new (BodyHold, MAX (n_bodies, 1));
  lead->from_goals = g_new (BodyGoal, MAX (n_points, 1));
  lead->to_goals = g_new (BodyGoal, MAX (n_points, 1));
  lead->goals = g_new (BodyGoal, MAX (n_points, 1));
  procedural_body_sort_leads (n, assembly, poses, led, to, lead);
  return true;
}

/* Where everything is driven to after a part of the frame. */
static void
lead_advance (Lead *lead, double part)
{
  for (guint i = 0; i < lead->n_holds; i++) {
    const BodyHold *from = &lead->from_holds[i], *to = &lead->to_holds[i];

    lead->holds[i] = *to;
    if (part < 1) {
      lead->holds[i].place = kg_vector_lerp (from->place, to->place, part);
      lead->holds[i].turn = kg_rotation_slerp (from->turn, to->turn, part);
    }
  }
  for (guint i = 0; i < lead->n_goals; i++) {
    lead->goals[i] = lead->to_goals[i];
    if (part < 1)
      lead->goals[i].place = kg_vector_lerp (lead->from_goals[i].place, lead->to_goals[i].place, part);
  }
}

/* Forces. */

/* Adds what fields do to each body, to how it moves and turns: they are felt at all its points. */
static void
procedural_body_add_fields (const ProceduralBody *n, const KgField *field, const BodyAssembly *assembly,
                            const BodyPose *poses, double time, double h, KgVector *moved, KgVector *turned)
{
  const guint n_bodies = assembly->bodies->len;
  const bool plane = n->space == PROCEDURAL_PLANE;

#pragma omp parallel for schedule(dynamic, 16) if (n_bodies > 64)
  for (guint b = 0; b < n_bodies; b++) {
    const Body *body = &g_array_index (assembly->bodies, Body, b);
    const BodyPose *pose = &poses[b];
    const guint count = body->points->len;
    KgVector mean = kg_vector (0, 0, 0), middle = kg_vector (0, 0, 0), torque = kg_vector (0, 0, 0);

    for (guint first = 0; first < count; first += KG_FIELD_BLOCK) {
      float x[3][KG_FIELD_BLOCK], v[3][KG_FIELD_BLOCK], a[3][KG_FIELD_BLOCK];
      float *const out[] = { a[0], a[1], a[2] };
      const guint some = MIN (KG_FIELD_BLOCK, count - first);
      int32_t ids[KG_FIELD_BLOCK];
      const KgFieldBlock block = {
        .n = some, .x = x[0], .y = x[1], .z = x[2], .vx = v[0], .vy = v[1], .vz = v[2], .id = ids, .time = time
      };

      for (guint i = 0; i < some; i++) {
        const KgVector arm = kg_rotation_apply (pose->turn, body->shape.points[first + i]);
        const KgVector place = kg_vector_add (pose->place, arm);
        const KgVector speed = kg_vector_scale (kg_vector_add (pose->step, kg_vector_cross (pose->spin, arm)), 1 / h);

        ids[i] = (int32_t) g_array_index (body->points, uint32_t, first + i);
        for (int c = 0; c < 3; c++) {
          x[c][i] = (float) kg_vector_get (place, c);
          v[c][i] = (float) kg_vector_get (speed, c);
        }
      }
      kg_field_sample (field, &block, out);
      for (guint i = 0; i < some; i++) {
        const KgVector arm = kg_rotation_apply (pose->turn, body->shape.points[first + i]);
        const KgVector push = { (double) a[0][i], (double) a[1][i], plane ? 0 : (double) a[2][i] };

        mean = kg_vector_add (mean, push);
        middle = kg_vector_add (middle, arm);
        torque = kg_vector_add (torque, kg_vector_cross (arm, push));
      }
    }
    if (count == 0)
      continue;
    /* A push that is the same everywhere acts at the centre, wherever the points are. */
    torque = kg_vector_subtract (torque, kg_vector_scale (kg_vector_cross (middle, mean), 1.0 / count));
    {
      const double mass = n->weigh ? 1 : body->mass, weight = n->weigh ? 1 / body->mass : 1;

      moved[b] = kg_vector_add_scaled (moved[b], h * h * weight / count, mean);
      turned[b] = body_angular_acceleration (body, pose->turn, plane, kg_vector_scale (torque, h * h * mass / count));
    }
  }
}

/* Steps. */

/* One step of h seconds that ends at the time. */
static void
procedural_body_update (const ProceduralBody *n, const KgContext *ctx, const KgField *field,
                        const BodyAssembly *assembly, BodyPose *poses, double h, double h_before, double time)
{
  const guint n_bodies = assembly->bodies->len;
  /* The share that is kept is one of a whole frame; steps before this one may have been of another length. */
  const double keep = pow (n->damping, h * ctx->rate) * (h / h_before);
  g_autofree KgVector *moved = g_new0 (KgVector, MAX (n_bodies, 1)), *turned = g_new0 (KgVector, MAX (n_bodies, 1));
  const KgVector gravity = { n->gravity.x, n->gravity.y, n->space == PROCEDURAL_PLANE ? 0 : n->gravity.z };

  for (guint b = 0; b < n_bodies; b++)
    moved[b] = kg_vector_scale (gravity, h * h);
  if (field != NULL)
    procedural_body_add_fields (n, field, assembly, poses, time - h, h, moved, turned);
  for (guint b = 0; b < n_bodies; b++)
    body_pose_update (&poses[b], keep, moved[b], turned[b]);
}

static void
procedural_body_warn (const ProceduralBody *n, const KgContext *ctx, const BodyReport *report)
{
  const guint events = report->events;

  if ((events & BODY_UNREACHABLE) != 0)
    kg_context_warn (
        ctx,
        "not all targets can be reached: after %u passes, driven points are %g m away from their targets, and joints gape by %g m; move the targets nearer, lower Rotation response, or allow more passes",
        report->passes, report->goal_gap, report->joint_gap);
  if ((events & BODY_ALL_HELD) != 0)
    kg_context_warn (ctx, "all bodies of a tree are driven, so none is free to close its joints, which gape by %g m",
                     report->joint_gap);
  if ((events & BODY_AMBIGUOUS) != 0)
    kg_context_warn (ctx, "a joint that was straight or folded flat had to rotate: an arbitrary direction was used");
  if ((events & BODY_STUCK) != 0)
    kg_context_warn (ctx,
                     "after %" PRId64
                     " passes, bodies are still %g m deep in each other or in walls: give them room, or more passes",
                     n->relax_passes, report->depth);
  if ((events & BODY_OBSTACLE_EMPTY) != 0)
    kg_context_warn (ctx, "the obstacle has neither faces nor lines: nothing collides with it");
  if ((events & BODY_OBSTACLE_OPEN) != 0)
    kg_context_warn (ctx,
                     "the obstacle is open: the space behind its faces counts as inside; close it if that is wrong");
  if ((events & BODY_FAST) != 0)
    kg_context_warn (ctx,
                     "a body moves farther than its own size in a step, and may jump through others: raise Substeps");
}

static void
procedural_body_get_settings (const ProceduralBody *n, BodySettings *settings)
{
  *settings = (BodySettings){ .method = (BodyMethod) n->solver,
                              .kappa = n->kappa,
                              .group = (BodyGroupInertia) n->group_inertia,
                              .break_symmetry = n->break_symmetry,
                              .calm = n->calm,
                              .root = (guint) n->root,
                              .passes = (guint) n->relax_passes,
                              .tolerance = n->tolerance,
                              .plane = n->space == PROCEDURAL_PLANE,
                              .contact = (BodyContact) n->contact,
                              .collide = n->collide,
                              .collide_own = n->collide_own,
                              .thickness = n->thickness,
                              .rebound = n->rebound };
}

static bool
procedural_body_get_walls (const ProceduralBody *n, SkeletonWall *walls, guint *n_walls, GError **error)
{
  const FigureWalls from = { .kind = n->walls,
                             .point = n->wall_point,
                             .normal = n->wall_normal,
                             .box_low = n->box_low,
                             .box_high = n->box_high,
                             .planes = n->planes,
                             .plane = n->space == PROCEDURAL_PLANE };

  return figure_walls_read (&from, walls, n_walls, error);
}

/* Returns what there is to say of it, as BodyEvents. */
static guint
procedural_body_read_obstacle (const ProceduralBody *n, BodyShape *shape)
{
  const guint count = (guint) kg_geometry_get_n_primitives (n->obstacle);
  g_autofree uint32_t *all = g_new (uint32_t, MAX (count, 1));
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (guint i = 0; i < count; i++)
    all[i] = i;
  body_shape_read (shape, n->obstacle, all, count, n->space == PROCEDURAL_PLANE, points);
  return shape->n_elements == 0 ? BODY_OBSTACLE_EMPTY : !shape->closed && !shape->segments ? BODY_OBSTACLE_OPEN : 0;
}

static bool
procedural_body_advance (ProceduralBody *n, const KgContext *ctx, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const double h = dt / (double) n->substeps;
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));
  g_auto (BodyAssembly) assembly = { .bodies = NULL };
  g_auto (BodyShape) obstacle = { .n_points = 0 };
  g_auto (Lead) lead = { .n_holds = 0 };
  g_autoptr (BodySolver) solver = NULL;
  g_autoptr (KgField) force = NULL;
  g_autofree BodyPose *before = NULL;
  g_autofree char *remedy = NULL;
  SkeletonWall walls[SKELETON_MAX_WALLS];
  BodyAssemblyOptions options;
  BodySettings settings;
  BodyReport report = { .passes = 0 };
  guint n_walls, events = 0, passes = 0;
  BodyPose *poses;
  double h_before;

  procedural_body_get_options (n, &options);
  procedural_body_get_settings (n, &settings);
  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  if ((n->forces.n > 0 && (force = kg_field_new_sum (fields, n->forces.n, error)) == NULL) ||
      !procedural_body_get_walls (n, walls, &n_walls, error) || !body_state_check (n->rest, n->geometry, error) ||
      !body_assembly_read (&assembly, n->rest, &options, &monitor, error) ||
      !body_state_check_bodies (n->state, &assembly, error))
    return false;
  solver = body_solver_new (&assembly, &settings);
  body_solver_set_monitor (solver, &monitor);
  if (n->solver == BODY_DISPLACEMENT && assembly.limits->len > 0)
    kg_context_warn (ctx, "displacements do not limit the angles of joints: use the procedural solver");
  poses = body_solver_get_poses (solver);
  h_before = body_state_get (n->state, poses);
  body_solver_set_walls (solver, walls, n_walls);
  if (n->obstacle != NULL) {
    events = procedural_body_read_obstacle (n, &obstacle);
    body_solver_set_obstacle (solver, &obstacle);
  }
  if (!procedural_body_get_leads (n, &assembly, poses, &lead, error))
    return false;
  before = g_new (BodyPose, MAX (assembly.bodies->len, 1));
  for (int64_t step = 1; step <= n->substeps; step++) {
    if (kg_context_is_cancelled (ctx))
      return false;
    memcpy (before, poses, assembly.bodies->len * sizeof *before);
    procedural_body_update (n, ctx, force, &assembly, poses, h, step == 1 ? h_before : h,
                            ctx->time - dt + (double) step * h);
    lead_advance (&lead, (double) step / (double) n->substeps);
    if (!body_solver_adjust (solver, before, lead.holds, lead.n_holds, lead.goals, lead.n_goals))
      return false;
    body_solver_get_report (solver, &report);
    passes = MAX (passes, report.passes);
    events |= report.events;
  }
  report.passes = passes;
  report.events = events;
  remedy = g_strdup_printf (kg_translate ("use more than %" PRId64 " substeps, or weaken the forces"), n->substeps);
  kg_geometry_make_writable (&n->state);
  body_state_set (n->state, poses, h, &report);
  return body_state_check_finite (n->state, ctx->time, remedy, error);
}

/* Results. */

static bool
procedural_body_evaluate (ProceduralBody *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_auto (BodyAssembly) assembly = { .bodies = NULL };
  BodyAssemblyOptions options;
  BodyReport report;

  procedural_body_get_options (n, &options);
  if (!body_state_check (n->rest, n->geometry, error) ||
      !body_assembly_read (&assembly, n->rest, &options, &monitor, error) ||
      !body_state_check_bodies (n->state, &assembly, error))
    return false;
  body_state_get_report (n->state, &report);
  procedural_body_warn (n, ctx, &report);
  n->joint_gap = report.joint_gap;
  n->goal_gap = report.goal_gap;
  n->depth = report.depth;
  n->passes = report.passes;
  n->bodies = body_state_new_points (n->state, &assembly, &n->center, error);
  if (n->bodies == NULL)
    return false;
  kg_geometry_make_writable (&n->geometry);
  body_state_write (n->state, &assembly, n->rest, n->space == PROCEDURAL_PLANE, n->geometry);
  n->figure = g_steal_pointer (&n->geometry);
  return true;
}

#define GRAB(suffix, label_, point_label, to_label, ...)                                                               \
  KG_INPUT (ProceduralBody, grab##suffix, BOOLEAN, .label = label_, .group = N_ ("Grab"),                              \
            .help = N_ ("Holds one point: key this to catch and release it.")),                                        \
      KG_INPUT (ProceduralBody, grab_point##suffix, INTEGER, .label = point_label, .min = 0, .max = 1e9,               \
                .soft_max = 100, .group = N_ ("Grab"), .shown_when = "grab" #suffix "=true",                           \
                .help = N_ ("Index of the grabbed point.")),                                                           \
      KG_INPUT (                                                                                                       \
          ProceduralBody, grab_to##suffix, VECTOR, .label = to_label, .unit = KG_METRES, .group = N_ ("Grab"),         \
          .shown_when = "grab" #suffix "=true",                                                                        \
          .help =                                                                                                      \
              N_ ("Position where the point is held: move it in the viewport, key it or link it to drag the figure."), \
          __VA_ARGS__)

static const KgSlot procedural_body_slots[] = {
  KG_INPUT (
      ProceduralBody, geometry, GEOMETRY, .label = N_ ("Bodies"),
      .help = N_ (
          "Initial state of the bodies. Points that two bodies share are joints, and hinges from Wire Figure limit them. Points with the attribute pin are driven: they are always at their current position in this geometry. A body whose points are all driven rotates with them.")),
  KG_INPUT (
      ProceduralBody, targets, GEOMETRY, .label = N_ ("Targets"), .optional = true,
      .help = N_ (
          "Target positions of driven points, one point for each point of the bodies; its attribute pin drives additional points.")),
  KG_INPUT (
      ProceduralBody, space, CHOICE, .label = N_ ("Space"), .choices = procedural_body_spaces, .fixed = true,
      .help =
          N_ ("Whether the motion is in the plane or in space. In the plane, the depth of the points stays as it is.")),
  KG_INPUT (
      ProceduralBody, division, CHOICE, .label = N_ ("One body per"), .choices = procedural_body_divisions,
      .fixed = true,
      .help = N_ (
          "Bodies are counted in the order of the primitives. Edges make a chain of any line; pieces are for solids such as boxes.")),
  KG_INPUT (
      ProceduralBody, joints, TABLE, .columns = body_assembly_joint_columns, .label = N_ ("More joints"), .fixed = true,
      .help = N_ (
          "More joints, one per row: the indices of two bodies, x y z of the joint, and optionally the lower and upper limit, in degrees, of the rotation of the second body from its start.")),
  KG_INPUT (
      ProceduralBody, rings, BOOLEAN, .label = N_ ("Close rings"), .fixed = true,
      .help = N_ (
          "Joints that close a ring are pulled together by relaxation, like driven points. Otherwise joints must form trees.")),
  KG_INPUT (ProceduralBody, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .def = 1, .min = 1e-9, .max = 1e9,
            .soft_max = 10, .help = N_ ("Mass of bodies without the primitive attribute mass.")),
  KG_INPUT (ProceduralBody, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
            .group = N_ ("Start"), .help = N_ ("Initial velocity, in addition to the attribute v of the points.")),
  KG_INPUT (
      ProceduralBody, spin, VECTOR, .label = N_ ("Spin"), .unit = KG_DEGREES, .group = N_ ("Start"),
      .help = N_ (
          "Initial rotation about their common centre of mass, in degrees per second around each axis; in the plane around z.")),
  /* What is dragged in the viewport while it plays. */
  GRAB (, N_ ("Grab"), N_ ("Grabbed point"), N_ ("Grabbed position"),
        .handle = { KG_HANDLE_GRAB, .anchor = "grab_point", .on = "grab" }),
  GRAB (_2, N_ ("Second grab"), N_ ("Second point"), N_ ("Second position"), .handle = { KG_HANDLE_PLACE }),
  GRAB (_3, N_ ("Third grab"), N_ ("Third point"), N_ ("Third position"), .handle = { KG_HANDLE_PLACE }),
  GRAB (_4, N_ ("Fourth grab"), N_ ("Fourth point"), N_ ("Fourth position"), .handle = { KG_HANDLE_PLACE }),
  KG_INPUT (ProceduralBody, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2,
            .def_v = { 0, -9.81, 0 }, .group = N_ ("Forces"),
            .help = N_ ("Acceleration due to gravity; on earth 9.81 downwards.")),
  KG_INPUT (
      ProceduralBody, damping, NUMBER, .label = N_ ("Speed kept"), .unit = KG_PERCENT, .def = 0.98, .min = 0, .max = 1,
      .group = N_ ("Forces"),
      .help = N_ (
          "Share of the speed that is kept from frame to frame: all of it in a vacuum, less in water, nothing in honey.")),
  KG_INPUTS (
      ProceduralBody, forces, FIELD, .label = N_ ("Forces"), .optional = true, .group = N_ ("Forces"),
      .help = N_ (
          "Other forces that move the bodies: they act on each of their points, so that they also rotate the bodies.")),
  KG_INPUT (ProceduralBody, weigh, BOOLEAN, .label = N_ ("Divide by mass"), .group = N_ ("Forces"),
            .help = N_ ("Divides the forces by the mass. Otherwise they are accelerations, like gravity.")),
  KG_INPUT (ProceduralBody, walls, CHOICE, .label = N_ ("Walls"), .choices = procedural_body_walls,
            .group = N_ ("Contact"), .help = N_ ("Walls that the bodies run into.")),
  KG_INPUT (ProceduralBody, wall_point, VECTOR, .label = N_ ("Point of the plane"), .unit = KG_METRES,
            .shown_when = "walls=plane", .group = N_ ("Contact"), .help = N_ ("Any point on the plane.")),
  KG_INPUT (ProceduralBody, wall_normal, VECTOR, .label = N_ ("Normal of the plane"), .def_v = { 0, 1, 0 },
            .shown_when = "walls=plane", .group = N_ ("Contact"), .help = N_ ("Direction towards the bodies.")),
  KG_INPUT (ProceduralBody, box_low, VECTOR, .label = N_ ("Lower corner"), .unit = KG_METRES, .def_v = { -2, 0, -2 },
            .shown_when = "walls=box", .group = N_ ("Contact"), .help = N_ ("Corner of the box.")),
  KG_INPUT (ProceduralBody, box_high, VECTOR, .label = N_ ("Upper corner"), .unit = KG_METRES, .def_v = { 2, 4, 2 },
            .shown_when = "walls=box", .group = N_ ("Contact"), .help = N_ ("Corner of the box.")),
  KG_INPUT (ProceduralBody, planes, TABLE, .columns = figure_walls_columns, .label = N_ ("More planes"),
            .group = N_ ("Contact"), .help = N_ ("One plane per row: x y z of a point on it, x y z of its normal.")),
  KG_INPUT (ProceduralBody, obstacle, GEOMETRY, .label = N_ ("Obstacle"), .optional = true, .group = N_ ("Contact"),
            .help = N_ ("A solid, or ground with its faces upwards; in the plane, outlines. It may move.")),
  KG_INPUT (
      ProceduralBody, collide, BOOLEAN, .label = N_ ("Collide"), .group = N_ ("Contact"),
      .help = N_ (
          "Bodies that are not connected by joints push each other away: convex ones, such as boxes, along the shortest path, others at the deepest corner.")),
  KG_INPUT (
      ProceduralBody, collide_own, BOOLEAN, .label = N_ ("Self-collision"), .shown_when = "collide=true",
      .group = N_ ("Contact"),
      .help = N_ (
          "Bodies of one figure push each other away too, so that arms stay out of the trunk: all except those connected by a joint, and those that overlap at the start.")),
  KG_INPUT (
      ProceduralBody, contact, CHOICE, .label = N_ ("Contact response"), .choices = procedural_body_contacts,
      .group = N_ ("Contact"),
      .help = N_ (
          "How a body gets out of what it has run into. Pushed out, it keeps its rotation; pushed out at a corner, it tumbles and comes to rest; moved back, it also loses its speed along the surface.")),
  KG_INPUT (ProceduralBody, thickness, NUMBER, .label = N_ ("Thickness"), .unit = KG_METRES, .min = 0, .max = 1e6,
            .soft_max = 0.5, .group = N_ ("Contact"),
            .help = N_ ("Thickness of the bodies: half of it is kept free around them. Lines need a thickness.")),
  KG_INPUT (
      ProceduralBody, rebound, NUMBER, .label = N_ ("Rebound"), .unit = KG_PERCENT, .def = 1, .min = 0, .max = 1,
      .group = N_ ("Contact"),
      .help = N_ (
          "Share that a body keeps of the speed that it gains by being pushed out of a contact. Heaps come to rest with 0.")),
  KG_INPUT (
      ProceduralBody, solver, CHOICE, .label = N_ ("Solver"), .choices = procedural_body_solvers, .fixed = true,
      .group = N_ ("Solver"),
      .help = N_ (
          "How bodies come together after each has moved alone. The procedural solver closes trees exactly and at once. Displacements close all joints a little, pass after pass: bodies then swing by their masses, rings need no option, but the angles of joints are not limited, and long chains need many passes.")),
  KG_INPUT (
      ProceduralBody, kappa, NUMBER, .shown_when = "solver=procedural", .label = N_ ("Rotation response"), .def = 0.16,
      .min = 0, .max = 1e6, .soft_max = 1, .group = N_ ("Solver"),
      .help = N_ (
          "How readily a body that is pulled at one end rotates: 0 only shifts it, 0.16 rotates it like a free rod, 1 makes it trail behind like a string. Above 0.3, several driven points disturb each other.")),
  KG_INPUT (ProceduralBody, group_inertia, CHOICE, .label = N_ ("Attached mass"), .choices = procedural_body_groups,
            .group = N_ ("Solver"), .help = N_ ("How the mass that a pulled body drags along affects its rotation.")),
  KG_INPUT (ProceduralBody, break_symmetry, BOOLEAN, .label = N_ ("Fold when pushed"), .group = N_ ("Solver"),
            .help = N_ ("A body that is pushed exactly along itself rotates to one side.")),
  KG_INPUT (ProceduralBody, calm, BOOLEAN, .label = N_ ("Settle"), .def = 1, .group = N_ ("Solver"),
            .help = N_ (
                "If several driven points disturb each other, bodies rotate less and less readily until they settle.")),
  KG_INPUT (
      ProceduralBody, root, INTEGER, .label = N_ ("Root"), .min = 0, .max = 1e9, .soft_max = 50, .group = N_ ("Solver"),
      .help = N_ (
          "Index of the trunk: the body from which a figure without driven points is assembled. Other figures use their first body.")),
  KG_INPUT (ProceduralBody, substeps, INTEGER, .label = N_ ("Substeps"), .def = 1, .min = 1, .max = 10000,
            .soft_max = 50, .group = N_ ("Solver"),
            .help = N_ ("Number of steps per frame. Steps of any length are stable.")),
  KG_INPUT (ProceduralBody, relax_passes, INTEGER, .label = N_ ("Passes"), .def = 50, .min = 1, .max = 10000,
            .soft_max = 200, .group = N_ ("Solver"),
            .help = N_ ("Maximum number of passes over several driven points or contacts in a step.")),
  KG_INPUT (ProceduralBody, tolerance, NUMBER, .label = N_ ("Tolerance"), .unit = KG_METRES, .def = 1e-5, .min = 0,
            .max = 1e3, .soft_max = 0.01, .group = N_ ("Solver"),
            .help = N_ ("Distance by which driven points and contacts may be off.")),
  KG_STATE (ProceduralBody, rest, GEOMETRY, .keeps = ""),
  KG_STATE (ProceduralBody, state, GEOMETRY, .keeps = BODY_STATE_KEEPS),
  KG_OUTPUT (ProceduralBody, figure, GEOMETRY, .label = N_ ("Figure"),
             .help = N_ ("The bodies at their current positions, with the attribute v.")),
  KG_OUTPUT (
      ProceduralBody, bodies, GEOMETRY, .label = N_ ("Centres"),
      .help = N_ (
          "One point per body at its centre of mass, with orient, v and mass: anything copied to it rotates with the body.")),
  KG_OUTPUT (ProceduralBody, joint_gap, NUMBER, .label = N_ ("Joint gap"), .unit = KG_METRES,
             .help = N_ ("Largest gap of a joint.")),
  KG_OUTPUT (ProceduralBody, goal_gap, NUMBER, .label = N_ ("Goal gap"), .unit = KG_METRES,
             .help = N_ ("Distance by which driven points miss their targets.")),
  KG_OUTPUT (ProceduralBody, depth, NUMBER, .label = N_ ("Depth"), .unit = KG_METRES,
             .help = N_ ("Remaining depth of the deepest contact.")),
  KG_OUTPUT (ProceduralBody, passes, INTEGER, .label = N_ ("Passes taken"),
             .help = N_ ("Number of passes in the last frame.")),
  KG_OUTPUT (ProceduralBody, center, VECTOR, .label = N_ ("Centre of mass"), .unit = KG_METRES,
             .help = N_ ("Centre of mass of all bodies.")),
};

KG_SIMULATION (
    sim, procedural_body, ProceduralBody, .label = N_ ("Procedural Body"), .version = 2, .since = "0.1",
    .tags =
        N_ ("ragdoll marionette puppet chain rigid body joint drag articulated rope pile contact physics simulation"),
    .help = N_ (
        "Simulates jointed rigid bodies that are dragged about: chains, puppets, piles. Each body first moves alone; then all are pulled and rotated until they are joined again, outwards from what is held. The result is plausible rather than exact, is always stable, and follows the hand at once. Each line or polygon is a body, and shared points are joints."));

/* sim/rigid_bodies: solid things that fall, collide, slide, stack and hang on joints.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_links.h"
#include "sim/rigid_state.h"
#include "kg-node.h"
#include "kg-floats.h"

#include <inttypes.h>

/* How far a driven body may be from what is rigid, as a share of its size. */
#define BENT 1e-3
/* How deep bodies may be in each other, as a share of the size of the smaller one, before it is told. */
#define DEEP 0.1

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *copy;
  int division;
  const char *group;
  int shape;
  int64_t parts;
  double density;
  double thickness;
  KgVector velocity;
  KgVector spin;
  const KgGeometry *obstacles;
  bool ground;
  double ground_height;
  KgVector gravity;
  KgList forces;
  bool weigh;
  double drag;
  double drag_angular;
  double restitution;
  double friction;
  double friction_static;
  double rolling;
  double spinning;
  int combine;
  double bounce_speed;
  const KgTable *balls;
  const KgTable *hinges;
  const KgTable *sliders;
  const KgTable *welds;
  const KgTable *rods;
  const KgTable *gears;
  const KgGeometry *links;
  int link_kind;
  bool grab;
  int64_t grab_point;
  KgVector grab_to;
  int response;
  int contact_time;
  double stiffness;
  double damping;
  int springs;
  int orientation;
  int64_t updates;
  int64_t substeps;
  int64_t passes;
  bool sleep;
  KgGeometry *rest;
  KgGeometry *rest_copy;
  KgGeometry *rest_obstacles;
  KgGeometry *state;
  KgGeometry *touching;
  KgGeometry *joined;
  KgGeometry *moved;
  KgGeometry *bodies;
  KgGeometry *contacts;
  KgGeometry *joints;
  KgVector momentum;
  KgVector angular_momentum;
  double energy;
  double kinetic;
  double depth;
  double residual;
  int64_t count;
  int64_t awake;
  int64_t broken;
  int64_t passes_taken;
} RigidBodies;

static const KgChoice rigid_divisions[] = {
  [RIGID_BY_PIECE] = { "pieces", N_ ("Connected piece") },
  [RIGID_BY_PRIMITIVE] = { "primitives", N_ ("Polygon") },
  [RIGID_BY_GROUP] = { "group", N_ ("Number in an attribute") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rigid_divisions, RIGID_N_DIVISIONS);

static const KgChoice rigid_shapes[] = {
  [RIGID_SHAPE_AUTO] = { "auto", N_ ("As it is: ball, box, plate or convex parts") },
  [RIGID_SHAPE_CONVEX] = { "convex", N_ ("Convex hull") },
  [RIGID_SHAPE_BOX] = { "box", N_ ("Box around it") },
  [RIGID_SHAPE_BALL] = { "ball", N_ ("Ball around it") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rigid_shapes, RIGID_N_SHAPES);

static const KgChoice rigid_combinations[] = {
  [RIGID_GEOMETRIC_MEAN] = { "geometric", N_ ("Geometric mean") },
  [RIGID_LEAST] = { "min", N_ ("The smaller one") },
  [RIGID_MOST] = { "max", N_ ("The larger one") },
  [RIGID_MEAN] = { "average", N_ ("Mean") },
  [RIGID_PRODUCT] = { "product", N_ ("Product") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rigid_combinations, RIGID_N_COMBINATIONS);

static const KgChoice rigid_responses[] = {
  [RIGID_SEQUENTIAL] = { "sequential", N_ ("Sequential impulses: for heaps") },
  [RIGID_EXACT] = { "exact", N_ ("Single impulses, exact forces at rest") },
  [RIGID_PENALTY] = { "penalty", N_ ("Springs where bodies overlap") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rigid_responses, RIGID_N_RESPONSES);

static const KgChoice rigid_springs[] = {
  [RIGID_SPRINGS_MEAN] = { "mean", N_ ("Mean of each step: energy stays") },
  [RIGID_SPRINGS_START] = { "start", N_ ("At the start of each step: large steps add energy") },
  [RIGID_SPRINGS_APPROACHING] = { "approaching", N_ ("The same, only while bodies come nearer: they sink in") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rigid_springs, RIGID_N_SPRINGS);

static const KgChoice rigid_times[] = {
  [RIGID_AT_END] = { "end", N_ ("At the end of the step") },
  [RIGID_ADVANCEMENT] = { "advancement", N_ ("At the impact: advance safely") },
  [RIGID_BISECTION] = { "bisection", N_ ("At the impact: halve the step") },
  [RIGID_LINEAR] = { "linear", N_ ("Near the impact: linear estimate") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rigid_times, RIGID_N_TIMES);

static const KgChoice rigid_turnings[] = {
  [RIGID_MATRIX] = { "matrix", N_ ("Matrix, made orthonormal again") },
  [RIGID_AXIS_ANGLE] = { "axis", N_ ("Rotation about the axis of spin") },
  [RIGID_QUATERNION] = { "quaternion", N_ ("Quaternion, normalised") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rigid_turnings, RIGID_N_TURNINGS);

static const KgChoice rigid_link_kinds[] = {
  [RIGID_BALL] = { "ball", N_ ("Ball joints") },
  [RIGID_HINGE] = { "hinge", N_ ("Hinges") },
  [RIGID_SLIDER] = { "slider", N_ ("Sliders") },
  [RIGID_WELD] = { "weld", N_ ("Welds") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (rigid_link_kinds, RIGID_ROD);

/* Bodies at rest. */

typedef struct {
  const RigidBodies *n;
  const KgContext *ctx;
} Build;

static bool
rigid_bodies_fill_set (const Build *build, RigidSet *set, const KgProgressMonitor *monitor, GError **error)
{
  const RigidBodies *n = build->n;
  RigidOptions options = { .division = (RigidDivision) n->division,
                           .group = n->group,
                           .shape = (RigidShape) n->shape,
                           .parts = (guint) n->parts,
                           .density = n->density,
                           .thickness = n->thickness,
                           .restitution = n->restitution,
                           .friction = n->friction,
                           .friction_static = n->friction_static,
                           .velocity = n->velocity,
                           .omega = n->spin };

  if (kg_geometry_get_n_points (n->rest_copy) > 0) {
    if (!rigid_set_add_copies (set, n->rest, n->rest_copy, &options, monitor, error))
      return false;
  } else if (!rigid_set_add_geometry (set, n->rest, &options, monitor, error))
    return false;
  rigid_set_begin_obstacles (set);
  options.kind = RIGID_DRIVEN;
  options.division = RIGID_BY_PIECE;
  return rigid_set_add_geometry (set, n->rest_obstacles, &options, monitor, error);
}

static void *
rigid_bodies_build (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  g_autoptr (RigidSet) set = rigid_set_new ();

  if (!rigid_bodies_fill_set (build, set, &monitor, error))
    return NULL;
  *bytes = rigid_set_get_bytes (set);
  return g_steal_pointer (&set);
}

/* The same for every frame, so it is kept. */
static const RigidSet *
rigid_bodies_get_set (const RigidBodies *n, const KgContext *ctx, GError **error)
{
  const double numbers[] = { n->density,    n->thickness,  n->restitution, n->friction,      n->friction_static,
                             n->velocity.x, n->velocity.y, n->velocity.z,  n->spin.x,        n->spin.y,
                             n->spin.z,     n->division,   n->shape,       (double) n->parts };
  KgHash key = kg_hash_text (kg_geometry_get_fingerprint (n->rest), "rigid bodies");
  Build build = { n, ctx };

  key = kg_hash_join (key, kg_geometry_get_fingerprint (n->rest_copy));
  key = kg_hash_join (key, kg_geometry_get_fingerprint (n->rest_obstacles));
  key = kg_hash_text (kg_hash_doubles (key, numbers, G_N_ELEMENTS (numbers)), n->group);
  return (const RigidSet *) kg_context_memo (ctx, key, rigid_bodies_build, &build, (GDestroyNotify) rigid_set_free,
                                             error);
}

static bool
rigid_bodies_read_joints (const RigidBodies *n, const KgContext *ctx, RigidWorld *world, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const RigidLinks links = { .balls = n->balls,
                             .hinges = n->hinges,
                             .sliders = n->sliders,
                             .welds = n->welds,
                             .rods = n->rods,
                             .gears = n->gears,
                             .links = n->links,
                             .kind = (RigidJointKind) n->link_kind };

  return rigid_links_read (&links, world->set, world->joints, &monitor, error);
}

static void
rigid_bodies_get_settings (const RigidBodies *n, RigidSettings *settings)
{
  *settings = (RigidSettings){
    .response = (RigidResponse) n->response,
    .time = (RigidTime) n->contact_time,
    .updates = n->response == RIGID_SEQUENTIAL ? (guint) n->updates : 1,
    .substeps = n->response == RIGID_SEQUENTIAL ? (guint) n->substeps : (guint) (n->updates * n->substeps),
    .passes = (guint) n->passes,
    .turning = (RigidTurning) n->orientation,
    .gravity = n->gravity,
    .weigh = n->weigh,
    .drag = n->drag,
    .drag_angular = n->drag_angular,
    .combine = (RigidCombine) n->combine,
    .ground = { n->ground, n->ground_height, n->restitution, n->friction, fmax (n->friction, n->friction_static) },
    .rolling = n->rolling,
    .spinning = n->spinning,
    .bounce_speed = n->bounce_speed,
    .stiffness = n->stiffness,
    .damping = n->damping,
    .springs = (RigidSprings) n->springs,
    .sleep = n->sleep,
  };
}

static bool
rigid_bodies_start (RigidBodies *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (RigidWorld) world = NULL;
  RigidState state = { NULL, NULL, NULL };
  RigidSettings settings;
  const RigidSet *set;
  bool good;

  n->rest = kg_geometry_ref (n->geometry);
  n->rest_copy = n->copy != NULL ? kg_geometry_ref (n->copy) : kg_geometry_new ();
  n->rest_obstacles = n->obstacles != NULL ? kg_geometry_ref (n->obstacles) : kg_geometry_new ();
  set = rigid_bodies_get_set (n, ctx, error);
  if (set == NULL)
    return false;
  world = rigid_world_new (set);
  rigid_bodies_get_settings (n, &settings);
  /* What overlaps at the start is known before anything moves. */
  good = rigid_bodies_read_joints (n, ctx, world, error) && rigid_world_touch (world, &settings, &monitor, error) &&
         rigid_state_new (&state, world, n->gravity, error);
  n->state = state.bodies;
  n->touching = state.touching;
  n->joined = state.joined;
  return good;
}

/* The world of the state. */
static RigidWorld *
rigid_bodies_load (const RigidBodies *n, const KgContext *ctx, KgVector *gravity, GError **error)
{
  const size_t started = kg_geometry_get_n_points (n->rest), now = kg_geometry_get_n_points (n->geometry);
  const RigidState state = { n->state, n->touching, n->joined };
  const RigidSet *set = rigid_bodies_get_set (n, ctx, error);
  g_autoptr (RigidWorld) world = NULL;

  if (set == NULL)
    return NULL;
  if (started != now) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the bodies started with %zu points but now have %zu: link a geometry that keeps its points", started,
                  now);
    return NULL;
  }
  world = rigid_world_new (set);
  if (!rigid_bodies_read_joints (n, ctx, world, error) || !rigid_state_load (&state, world, gravity, error))
    return NULL;
  return g_steal_pointer (&world);
}

/* Driven bodies. */

/* Where a body has to go: as its points have gone since the start. */
static void
rigid_bodies_add_drive (const RigidBodies *n, const KgContext *ctx, const RigidWorld *world, uint32_t body,
                        const KgGeometry *now, const GArray *points, GArray *drives)
{
  const RigidBody *b = rigid_set_get_body (world->set, body);
  const bool own = body < world->set->n_own;
  const float *from = kg_geometry_get_positions (own ? n->rest : n->rest_obstacles),
              *to = kg_geometry_get_positions (now);
  g_autofree KgVector *places = g_new (KgVector, 2 * points->len + 1);
  RigidDrive drive = { .body = body,
                       .from = world->motions[body].place,
                       .to = b->center,
                       .from_turn = world->motions[body].turn,
                       .to_turn = world->motions[body].turn };
  bool same = own ? kg_geometry_get_n_points (n->rest_copy) == 0 : true;

  for (guint i = 0; i < points->len; i++) {
    const size_t at = 3 * (size_t) g_array_index (points, uint32_t, i);

    places[i] = kg_rotation_apply (
        kg_rotation_conjugate (b->turn),
        kg_vector_subtract (kg_vector ((double) from[at], (double) from[at + 1], (double) from[at + 2]), b->center));
    places[points->len + i] = kg_vector ((double) to[at], (double) to[at + 1], (double) to[at + 2]);
    same = same && memcmp (from + at, to + at, 3 * sizeof *from) == 0;
  }
  /* What has not moved stays exactly where it is. */
  if (same)
    drive.to_turn = b->turn;
  else if (own && kg_geometry_get_n_points (n->rest_copy) > 0) {
    const size_t at = g_array_index (points, uint32_t, 0);
    const float *orient = kg_geometry_get_float (now, KG_POINTS, "orient", 4);

    if (orient != NULL)
      drive.to_turn = kg_rotation_normalize (kg_floats_get_rotation (orient, at));
    drive.to = kg_vector_subtract (places[1], kg_rotation_apply (drive.to_turn, b->origin));
  } else {
    const double off = rigid_body_fit (places, places + points->len, points->len, &drive.to, &drive.to_turn);

    if (off > BENT * b->radius)
      kg_context_warn (ctx, "body %u is driven but also deformed, by %g m: only its rigid motion is used", body, off);
  }
  g_array_append_val (drives, drive);
}

static GArray *
rigid_bodies_find_drives (const RigidBodies *n, const KgContext *ctx, const RigidWorld *world, GError **error)
{
  g_autoptr (GArray) drives = g_array_new (FALSE, FALSE, sizeof (RigidDrive));
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  const RigidSet *set = world->set;
  const size_t n_obstacles = n->obstacles != NULL ? kg_geometry_get_n_points (n->obstacles) : 0;

  if (n_obstacles != set->n_obstacle_points) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the obstacles started with %zu points but now have %zu: link a geometry that keeps its points",
                  set->n_obstacle_points, n_obstacles);
    return NULL;
  }
  for (uint32_t body = 0; body < world->n; body++) {
    const bool own = body < set->n_own;
    const int32_t *owners = own ? set->owners : set->obstacle_owners;
    const size_t count = own ? set->n_points : set->n_obstacle_points;

    if (rigid_set_get_body (set, body)->kind != RIGID_DRIVEN)
      continue;
    g_array_set_size (points, 0);
    for (size_t i = 0; i < count; i++) {
      const uint32_t number = (uint32_t) i;

      if (owners[i] == (int32_t) body)
        g_array_append_val (points, number);
    }
    rigid_bodies_add_drive (n, ctx, world, body, own ? n->geometry : n->obstacles, points, drives);
  }
  return g_steal_pointer (&drives);
}

/* Steps. */

static bool
rigid_bodies_set_grab (const RigidBodies *n, const RigidWorld *world, RigidSettings *settings, GError **error)
{
  const RigidSet *set = world->set;
  const float *p = kg_geometry_get_positions (n->rest);
  const RigidBody *body;
  int32_t owner;

  if (!n->grab)
    return true;
  if (n->grab_point >= (int64_t) set->n_points) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "grab_point is %" PRId64 ": the bodies have %zu points, counted from 0", n->grab_point,
                  set->n_points);
    return false;
  }
  owner = set->owners[n->grab_point];
  if (owner < 0 || rigid_set_get_body (set, (guint) owner)->kind != RIGID_MOVING)
    return true;
  body = rigid_set_get_body (set, (guint) owner);
  p += 3 * n->grab_point;
  settings->grab = true;
  settings->grab_body = (uint32_t) owner;
  settings->grab_point = kg_rotation_apply (kg_rotation_conjugate (body->turn),
                                            kg_vector_subtract (kg_floats_get_vector (p, 0), body->center));
  settings->grab_to = n->grab_to;
  return true;
}

static bool
rigid_bodies_advance (RigidBodies *n, const KgContext *ctx, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));
  g_autoptr (RigidWorld) world = NULL;
  g_autoptr (GArray) drives = NULL;
  g_autoptr (KgField) force = NULL;
  RigidSettings settings;
  RigidReport report;
  RigidState state;
  KgVector gravity;

  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  if (n->forces.n > 0 && (force = kg_field_new_sum (fields, n->forces.n, error)) == NULL)
    return false;
  world = rigid_bodies_load (n, ctx, &gravity, error);
  if (world == NULL || (drives = rigid_bodies_find_drives (n, ctx, world, error)) == NULL)
    return false;
  rigid_bodies_get_settings (n, &settings);
  settings.force = force;
  settings.drives = (const RigidDrive *) (const void *) drives->data;
  settings.n_drives = drives->len;
  if (!rigid_bodies_set_grab (n, world, &settings, error))
    return false;
  /* Another gravity moves what has come to rest. */
  if (kg_vector_distance (gravity, n->gravity) > 0 || !n->sleep)
    for (guint i = 0; i < world->n; i++)
      world->motions[i].asleep = false;
  if (!rigid_world_advance (world, &settings, ctx->time - dt, dt, &report, &monitor, error))
    return false;
  kg_geometry_make_writable (&n->state);
  kg_geometry_make_writable (&n->touching);
  kg_geometry_make_writable (&n->joined);
  state = (RigidState){ n->state, n->touching, n->joined };
  return rigid_state_save (&state, world, n->gravity, &report, error);
}

/* Results. */

/* Springs let bodies sink in; elsewhere they should hardly overlap. */
static void
rigid_bodies_warn_of_overlap (const KgContext *ctx, const RigidWorld *world)
{
  const RigidContact *deepest = rigid_world_find_deepest (world, DEEP);

  if (deepest == NULL)
    return;
  if (deepest->b == world->n)
    kg_context_warn (
        ctx, "body %u is %g m deep in the ground: it comes out slowly; start it higher, or use more contact updates",
        deepest->a, deepest->depth);
  else
    kg_context_warn (
        ctx, "bodies %u and %u overlap by %g m: they part slowly; start them apart, or use more contact updates",
        deepest->a, deepest->b, deepest->depth);
}

static void
rigid_bodies_warn (const RigidBodies *n, const KgContext *ctx, const RigidWorld *world, const RigidReport *report)
{
  for (guint i = 0; i < world->set->warnings->len; i++)
    kg_context_take_warning (ctx, g_error_copy ((const GError *) g_ptr_array_index (world->set->warnings, i)));
  if (n->ground && n->friction_static > 0 && n->friction_static < n->friction && !world->set->weak_hold)
    kg_context_warn (
        ctx,
        "the ground has a static friction of %g, less than its friction of %g, which is used instead: raise the static friction, or set it to 0",
        n->friction_static, n->friction);
  if (world->n == 0)
    kg_context_warn (ctx, "there are no bodies: link a geometry with polygons, or points and a shape to copy");
  if ((report->events & RIGID_NO_SOLUTION) != 0)
    kg_context_warn (ctx, "friction leaves no exact solution for contacts at rest: impulses were used instead");
  if ((report->events & RIGID_TOO_MANY) != 0)
    kg_context_warn (
        ctx,
        "there are too many contacts at rest for exact forces: impulses were used instead; choose sequential impulses");
  if ((report->events & RIGID_STILL_COLLIDE) != 0)
    kg_context_warn (ctx,
                     "after %u passes bodies still collide: the remaining impacts did not bounce; allow more passes",
                     report->passes);
  if ((report->events & RIGID_STIFF) != 0)
    kg_context_warn (ctx,
                     "the springs of contacts are too stiff for the steps: use more substeps, or a lower stiffness");
  if ((report->events & RIGID_STEPPED_ENOUGH) != 0)
    kg_context_warn (ctx,
                     "there are too many impacts in a step to stop at each: the last ones are those of a whole step");
  if ((report->events & RIGID_TOO_FAST) != 0 && report->joint < world->joints->len) {
    g_autofree char *name = rigid_joint_dup_name (&g_array_index (world->joints, RigidJoint, report->joint));

    kg_context_warn (ctx, "%s leaves a gap of %g m: its bodies move too fast for the steps; use more substeps", name,
                     report->gap);
  }
  if ((report->events & RIGID_CONTRADICTION) != 0 && report->joint < world->joints->len &&
      report->other < world->joints->len) {
    const guint first = MIN (report->joint, report->other), second = MAX (report->joint, report->other);
    g_autofree char *one = rigid_joint_dup_name (&g_array_index (world->joints, RigidJoint, first)),
                    *two = rigid_joint_dup_name (&g_array_index (world->joints, RigidJoint, second));

    kg_context_warn (ctx,
                     "%s and %s contradict each other: they leave a gap of %g m; remove one, or change its position",
                     one, two, report->gap);
  }
}

static bool
rigid_bodies_evaluate (RigidBodies *n, const KgContext *ctx, GError **error)
{
  KgVector gravity;
  g_autoptr (RigidWorld) world = rigid_bodies_load (n, ctx, &gravity, error);
  const bool copies = kg_geometry_get_n_points (n->rest_copy) > 0;
  RigidReport report;
  RigidSums sums;

  if (world == NULL)
    return false;
  rigid_state_get_report (n->state, &report);
  rigid_bodies_warn (n, ctx, world, &report);
  if (n->response != RIGID_PENALTY)
    rigid_bodies_warn_of_overlap (ctx, world);
  sums = rigid_world_get_sums (world, n->gravity);
  n->momentum = sums.momentum;
  n->angular_momentum = sums.angular;
  n->kinetic = sums.kinetic;
  n->energy = sums.kinetic + sums.potential;
  n->depth = report.depth;
  n->residual = fmax (report.depth, report.gap);
  n->awake = report.n_awake;
  n->passes_taken = report.passes;
  n->count = world->log->len;
  for (guint k = 0; k < world->joints->len; k++)
    n->broken += g_array_index (world->joints, RigidJoint, k).broken;
  n->bodies = rigid_state_new_points (world, copies ? n->geometry : NULL, error);
  n->contacts = n->bodies != NULL ? rigid_state_new_contacts (world, error) : NULL;
  n->joints = n->contacts != NULL ? rigid_state_new_joints (world, error) : NULL;
  if (n->joints == NULL)
    return false;
  if (copies) {
    n->moved = kg_geometry_ref (n->bodies);
    return true;
  }
  kg_geometry_make_writable (&n->geometry);
  rigid_state_move_points (world, n->rest, n->geometry);
  n->moved = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot
    rigid_bodies_slots[] = {
      KG_INPUT (
          RigidBodies, geometry, GEOMETRY, .label = N_ ("Bodies"),
          .help = N_ (
              "Bodies as they start: each connected piece is one, such as the copies of Copy to Points. Attributes of a body (primitive, point or whole): mass or density, friction, friction_static, restitution, v, spin in degrees per second, and kind: moving, fixed or driven, which follows the animation of this geometry.")),
      KG_INPUT (
          RigidBodies, copy, GEOMETRY, .label = N_ ("Shape of points"), .optional = true,
          .help = N_ (
              "Makes each point of Bodies a body of this shape, with its orient and width. Copy to Points then shows the shape on the output Points of bodies: much faster than copying first.")),
      KG_INPUT (RigidBodies, division, CHOICE, .label = N_ ("One body per"), .choices = rigid_divisions, .fixed = true,
                .help = N_ ("What counts as one body.")),
      KG_INPUT (
          RigidBodies, group, TEXT, .label = N_ ("Attribute"), .def_text = "glyph", .fixed = true,
          .shown_when = "division=group",
          .help = N_ (
              "Name of a primitive attribute with integers: polygons with the same number are one body. Text has glyph, so that each letter is a body.")),
      KG_INPUT (
          RigidBodies, shape, CHOICE, .label = N_ ("Touches as"), .choices = rigid_shapes, .fixed = true,
          .help = N_ (
              "The shape that collides. Flat pieces are plates of any outline of up to 2000 corners. Solids with dents are divided into convex parts, except obstacles and fixed bodies, which keep all their faces.")),
      KG_INPUT (
          RigidBodies, parts, INTEGER, .label = N_ ("Most parts"), .def = 16, .min = 1, .max = 256, .soft_max = 64,
          .fixed = true, .shown_when = "shape=auto",
          .help = N_ (
              "Largest number of convex parts of a moving solid with dents. Dents deeper than a hundredth of its size are divided, the deepest first, until this number is reached; 1 is the convex hull. More parts follow the dents more closely, but collide more slowly.")),
      KG_INPUT (RigidBodies, density, NUMBER, .label = N_ ("Density (kg/m³)"), .def = 1000, .min = 1e-6, .max = 1e6,
                .soft_max = 8000, .help = N_ ("Density of bodies without the attribute mass or density.")),
      KG_INPUT (RigidBodies, thickness, NUMBER, .label = N_ ("Thickness"), .unit = KG_METRES, .def = 0.02, .min = 1e-6,
                .max = 1e3, .soft_max = 0.2, .help = N_ ("Thickness of flat pieces and open meshes.")),
      KG_INPUT (RigidBodies, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
                .group = N_ ("Start"), .help = N_ ("Initial velocity, in addition to the attribute v.")),
      KG_INPUT (
          RigidBodies, spin, VECTOR, .label = N_ ("Spin"), .unit = KG_DEGREES, .group = N_ ("Start"),
          .help = N_ (
              "Initial rotation of each body about its centre of mass, in degrees per second around each axis, in addition to the attribute spin.")),
      /* What is dragged in the viewport while it plays. */
      KG_INPUT (RigidBodies, grab, BOOLEAN, .label = N_ ("Grab"), .group = N_ ("Grab"),
                .help = N_ ("Pulls one point of a body as by a soft spring: key this to catch and throw it.")),
      KG_INPUT (RigidBodies, grab_point, INTEGER, .label = N_ ("Grabbed point"), .min = 0, .max = 1e9, .soft_max = 100,
                .group = N_ ("Grab"), .shown_when = "grab=true", .help = N_ ("Index of the grabbed point.")),
      KG_INPUT (RigidBodies, grab_to, VECTOR, .label = N_ ("Grabbed position"), .unit = KG_METRES, .group = N_ ("Grab"),
                .shown_when = "grab=true", .handle = { KG_HANDLE_GRAB, .anchor = "grab_point", .on = "grab" },
                .help = N_ ("Position that the point is pulled to: move it in the viewport, key it or link it.")),
      KG_INPUT (RigidBodies, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2,
                .def_v = { 0, -9.81, 0 }, .group = N_ ("Forces"),
                .help = N_ ("Acceleration due to gravity; on earth 9.81 downwards.")),
      KG_INPUTS (RigidBodies, forces, FIELD, .label = N_ ("Forces"), .optional = true, .group = N_ ("Forces"),
                 .help = N_ ("Other forces. They act all over a body, so that they also rotate it.")),
      KG_INPUT (RigidBodies, weigh, BOOLEAN, .label = N_ ("Divide by mass"), .group = N_ ("Forces"),
                .help = N_ ("Divides the forces by the mass. Otherwise they are accelerations, like gravity.")),
      KG_INPUT (RigidBodies, drag, NUMBER, .label = N_ ("Drag (1/s)"), .min = 0, .max = 1e4, .soft_max = 2,
                .group = N_ ("Forces"), .help = N_ ("Slows motion down: at 1, to 37 per cent in a second.")),
      KG_INPUT (RigidBodies, drag_angular, NUMBER, .label = N_ ("Angular drag (1/s)"), .min = 0, .max = 1e4,
                .soft_max = 2, .group = N_ ("Forces"), .help = N_ ("Slows rotation down likewise.")),
      KG_INPUT (RigidBodies, ground, BOOLEAN, .label = N_ ("Ground"), .def = 1, .group = N_ ("Contact"),
                .help = N_ ("A level floor without end.")),
      KG_INPUT (RigidBodies, ground_height, NUMBER, .label = N_ ("Ground height"), .unit = KG_METRES, .soft_min = -5,
                .soft_max = 5, .min = -1e6, .max = 1e6, .group = N_ ("Contact"), .shown_when = "ground=true",
                .help = N_ ("Height of the ground.")),
      KG_INPUT (
          RigidBodies, obstacles, GEOMETRY, .label = N_ ("Obstacles"), .optional = true, .group = N_ ("Contact"),
          .help = N_ (
              "Ground, walls and tools that nothing moves: polygons of any shape, with all their dents. They may be animated, and push the bodies.")),
      KG_INPUT (RigidBodies, restitution, NUMBER, .label = N_ ("Restitution"), .unit = KG_PERCENT, .def = 0.3, .min = 0,
                .max = 1, .group = N_ ("Contact"),
                .help = N_ ("Share of the speed of an impact with which bodies separate again.")),
      KG_INPUT (RigidBodies, bounce_speed, NUMBER, .label = N_ ("Least bounce"), .unit = KG_METRES_PER_SECOND,
                .def = 0.5, .min = 0, .max = 100, .soft_max = 2, .group = N_ ("Contact"),
                .help = N_ ("Speed below which impacts do not bounce, so that bodies come to rest.")),
      KG_INPUT (RigidBodies, friction, NUMBER, .label = N_ ("Friction"), .def = 0.5, .min = 0, .max = 1000,
                .soft_max = 1, .group = N_ ("Contact"),
                .help = N_ ("Coefficient of kinetic friction: force along a contact per unit of force normal to it.")),
      KG_INPUT (
          RigidBodies, friction_static, NUMBER, .label = N_ ("Static friction"), .min = 0, .max = 1000, .soft_max = 1,
          .group = N_ ("Contact"),
          .help = N_ (
              "Coefficient of static friction, for contacts that do not slide. If it is less than Friction, Friction is used.")),
      KG_INPUT (RigidBodies, rolling, NUMBER, .label = N_ ("Rolling resistance"), .unit = KG_METRES, .min = 0,
                .max = 10, .soft_max = 0.1, .group = N_ ("Contact"), .shown_when = "response=sequential",
                .help = N_ ("Lever arm of the resistance to rolling and spinning, which stops balls.")),
      KG_INPUT (RigidBodies, spinning, NUMBER, .label = N_ ("Spinning resistance"), .unit = KG_METRES, .min = 0,
                .max = 10, .soft_max = 0.1, .group = N_ ("Contact"), .shown_when = "response=sequential",
                .help = N_ (
                    "Lever arm of the resistance to spinning about the normal of a contact alone; 0: as for rolling.")),
      KG_INPUT (RigidBodies, combine, CHOICE, .label = N_ ("Combine"), .choices = rigid_combinations,
                .group = N_ ("Contact"),
                .help = N_ ("How friction and restitution of a contact are computed from those of its two bodies.")),
      KG_INPUT (
          RigidBodies, balls, TABLE, .label = N_ ("Ball joints"), .optional = true, .columns = rigid_ball_columns,
          .group = N_ ("Joints"),
          .help =
              N_ (
                  "One joint per row: two bodies (-1 is the world) that keep a point in common, optionally the limit of swing, the load that breaks the joint, and the limit of twist.")),
      KG_INPUT (
          RigidBodies, hinges, TABLE, .label = N_ ("Hinges"), .manual = "rigid-bodies", .optional = true,
          .columns = rigid_axis_columns, .group = N_ ("Joints"),
          .help = N_ ("One hinge per row: two bodies (-1 is the world), a point and an axis. Limits, motor speed and motor target are angles in degrees by which the second body is rotated against the first. The hinge breaks when its load (N) is reached.")),
      KG_INPUT (
          RigidBodies, sliders, TABLE, .label = N_ ("Sliders"), .optional = true, .columns = rigid_axis_columns,
          .group = N_ ("Joints"),
          .help = N_ ("One slider per row, like hinges: the second body moves along the axis without rotating. Limits, speed and target are in metres, forces in newtons.")),
      KG_INPUT (RigidBodies, welds, TABLE, .label = N_ ("Welds"), .optional = true, .columns = rigid_weld_columns,
                .group = N_ ("Joints"),
                .help = N_ ("One weld per row: two bodies that are one until a load (N) breaks it.")),
      KG_INPUT (
          RigidBodies, rods, TABLE, .label = N_ ("Rods and springs"), .optional = true, .columns = rigid_rod_columns,
          .group = N_ ("Joints"),
          .help = N_ ("One rod per row: two bodies and a point of each that keep their distance. With stiffness or damping it is a spring; a rope only pulls.")),
      KG_INPUT (RigidBodies, gears, TABLE,
                .label = N_ ("Gears"), .optional = true, .columns = rigid_gear_columns, .group = N_ ("Joints"), .help = N_ ("One pair of gears per row: two bodies that hinges hold, the ratio by which the second turns when the first does (negative: the other way round), and their axes. The teeth need not be modelled. -1 is a wheel that is fixed to the world, such as the ring of a planetary gear: the other one rolls about the axis of its carrier.")),
      KG_INPUT (
          RigidBodies, links, GEOMETRY, .label = N_ ("Links"), .optional = true, .group = N_ ("Joints"),
          .help = N_ (
              "Joints as geometry: each point joins the two bodies nearest to it, along its attribute N; each line of two points is a rod between the bodies nearest to its ends. Attributes: strength, and of lines stiffness, damping, rope.")),
      KG_INPUT (RigidBodies, link_kind, CHOICE, .label = N_ ("Points are"), .choices = rigid_link_kinds,
                .group = N_ ("Joints"), .help = N_ ("The joints that points of Links make.")),
      KG_INPUT (
          RigidBodies, response, CHOICE, .label = N_ ("Response"), .choices = rigid_responses, .group = N_ ("Solver"),
          .help = N_ (
              "How bodies are kept apart. Sequential impulses suit everything with many contacts. Single impulses suit billiards and cradles, where the order of impacts matters. Springs are soft, and need small steps: fast bodies pass through thin ones.")),
      KG_INPUT (
          RigidBodies, contact_time, CHOICE, .label = N_ ("Impact"), .choices = rigid_times, .group = N_ ("Solver"),
          .shown_when = "response=exact",
          .help = N_ (
              "Moment at which bodies respond to an impact. If they respond only at the end of the step, fast bodies pass through thin ones.")),
      KG_INPUT (RigidBodies, stiffness, NUMBER, .label = N_ ("Stiffness (N/m)"), .def = 10000, .min = 1e-3, .max = 1e12,
                .soft_max = 1e5, .group = N_ ("Solver"), .shown_when = "response=penalty",
                .help = N_ ("Stiffness of the springs at contacts.")),
      KG_INPUT (RigidBodies, damping, NUMBER, .label = N_ ("Damping"), .def = 0.2, .min = 0, .max = 2,
                .group = N_ ("Solver"), .shown_when = "response=penalty",
                .help = N_ ("Damping of the springs, as a share of what stops any oscillation.")),
      KG_INPUT (
          RigidBodies, springs, CHOICE, .label = N_ ("Spring force"), .choices = rigid_springs, .group = N_ ("Solver"),
          .shown_when = "response=penalty",
          .help = N_ ("Which force a spring has during a step. The last two are the published forms, for comparison.")),
      KG_INPUT (RigidBodies, orientation, CHOICE, .label = N_ ("Rotations"), .choices = rigid_turnings,
                .def = RIGID_QUATERNION, .group = N_ ("Solver"),
                .help = N_ ("How rotations are updated from step to step.")),
      KG_INPUT (RigidBodies, updates, INTEGER, .label = N_ ("Contact updates"), .def = 2, .min = 1, .max = 1000,
                .soft_max = 10, .group = N_ ("Solver"),
                .help = N_ ("How often contacts are searched for in a frame: more often for fast or spinning bodies.")),
      KG_INPUT (RigidBodies, substeps, INTEGER, .label = N_ ("Substeps"), .def = 4, .min = 1, .max = 1000,
                .soft_max = 20, .group = N_ ("Solver"),
                .help = N_ ("Steps for each update of the contacts: more make high stacks stiffer.")),
      KG_INPUT (
          RigidBodies, passes, INTEGER, .label = N_ ("Passes"), .def = 4, .min = 1, .max = 1000, .soft_max = 20,
          .group = N_ ("Solver"),
          .help = N_ (
              "Number of passes over all contacts in a step. If there are few bodies, more passes follow until nothing changes.")),
      KG_INPUT (RigidBodies, sleep, BOOLEAN, .label = N_ ("Sleep"), .def = 1, .group = N_ ("Solver"),
                .help = N_ ("Bodies that have been still for half a second stop until something touches them.")),
      KG_STATE (RigidBodies, rest, GEOMETRY, .keeps = ""),
      KG_STATE (RigidBodies, rest_copy, GEOMETRY, .keeps = ""),
      KG_STATE (RigidBodies, rest_obstacles, GEOMETRY, .keeps = ""),
      KG_STATE (RigidBodies, state, GEOMETRY, .keeps = RIGID_STATE_KEEPS),
      KG_STATE (RigidBodies, touching, GEOMETRY, .keeps = RIGID_TOUCHING_KEEPS),
      KG_STATE (RigidBodies, joined, GEOMETRY, .keeps = RIGID_JOINED_KEEPS),
      KG_OUTPUT (RigidBodies, moved, GEOMETRY, .label = N_ ("Geometry"),
                 .help = N_ ("The bodies at their current positions, with the attribute v.")),
      KG_OUTPUT (
          RigidBodies, bodies, GEOMETRY, .label = N_ ("Points of bodies"), .manual = "rigid-bodies",
          .help = N_ (
              "One point per body, with orient, v, w, mass, id and asleep. It is at the centre of mass; for bodies with a Shape of points, it is where Copy to Points needs it.")),
      KG_OUTPUT (
          RigidBodies, contacts, GEOMETRY, .label = N_ ("Contacts"), .manual = "rigid-bodies",
          .help = N_ (
              "One point per contact of the last frame: for sparks, dust and sounds. Its attributes give the normal, the impulses, the speeds, the depth and the two bodies.")),
      KG_OUTPUT (
          RigidBodies, joints, GEOMETRY, .label = N_ ("Joints"), .manual = "rigid-bodies",
          .help = N_ (
              "One line per joint that holds, between its two points, with the attributes load (N), residual (m) and kind.")),
      KG_OUTPUT (RigidBodies, momentum, VECTOR, .label = N_ ("Momentum"),
                 .help = N_ ("Sum of mass times velocity, in kg m/s.")),
      KG_OUTPUT (RigidBodies, angular_momentum, VECTOR, .label = N_ ("Angular momentum"),
                 .help = N_ ("Angular momentum of all bodies about the origin, in kg m²/s.")),
      KG_OUTPUT (RigidBodies, energy, NUMBER, .label = N_ ("Energy"),
                 .help = N_ ("Kinetic and potential energy, in joules; the potential one is 0 at the origin.")),
      KG_OUTPUT (RigidBodies, kinetic, NUMBER, .label = N_ ("Kinetic energy"),
                 .help = N_ ("Energy of the motion, in joules.")),
      KG_OUTPUT (RigidBodies, depth, NUMBER, .label = N_ ("Depth"), .unit = KG_METRES,
                 .help = N_ ("Depth of the deepest contact.")),
      KG_OUTPUT (RigidBodies, residual, NUMBER, .label = N_ ("Residual"), .unit = KG_METRES,
                 .help = N_ ("Largest error of position: the depth of a contact, or the gap of a joint.")),
      KG_OUTPUT (RigidBodies, count, INTEGER, .label = N_ ("Contact count"),
                 .help = N_ ("Number of contacts in the last frame.")),
      KG_OUTPUT (RigidBodies, awake, INTEGER, .label = N_ ("Awake"),
                 .help = N_ ("Number of bodies that do not sleep.")),
      KG_OUTPUT (RigidBodies, broken, INTEGER, .label = N_ ("Broken joints"),
                 .help = N_ ("Number of joints that have broken.")),
      KG_OUTPUT (RigidBodies, passes_taken, INTEGER, .label = N_ ("Passes taken"),
                 .help = N_ ("Number of passes over colliding contacts in the last frame.")),
    };

KG_SIMULATION (
    sim, rigid_bodies, RigidBodies, .label = N_ ("Rigid Bodies"), .version = 6, .since = "0.1",
    .tags =
        N_ ("physics collision heap stack fall bounce friction joint hinge motor spring chain domino billiards bullet"),
    .formula = "S = (x, R, P, L), S' = (v, ω* R, F, τ), ω = R I⁻¹ Rᵀ L\n"
               "j = -(1 + ε) v_rel / (1/m_A + 1/m_B + n · ((I_A⁻¹ (r_A × n)) × r_A + (I_B⁻¹ (r_B × n)) × r_B))",
    .source =
        "Parent, Computer Animation, 4.4; Baraff 1994; Stewart and Trinkle 1996; Catto 2005; Silcowitz-Hansen, Niebe and "
        "Erleben 2010",
    .help = N_ (
        "Simulates solid bodies that fall, collide, slide, stack and hang on joints. Link a geometry of pieces, or points and a shape: each becomes a body with the mass and inertia of its shape."));

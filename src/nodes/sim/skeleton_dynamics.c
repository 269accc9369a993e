/* sim/skeleton_dynamics: figures of point masses, rods and hinges that fall, swing, are dragged and thrown.
 * Source: van Overveld, skeleton dynamics; the solver is in skeleton_solver.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/figure_leads.h"
#include "sim/figure_walls.h"
#include "kg-node.h"
#include "sim/skeleton_solver.h"
#include "sim/skeleton_state.h"

#include <inttypes.h>

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *targets;
  int space;
  double mass;
  double shortest, longest;
  double bend;
  KgVector velocity;
  KgVector spin;
  bool grab;
  int64_t grab_point;
  KgVector grab_to;
  KgVector gravity;
  KgList forces;
  bool weigh;
  int walls;
  KgVector wall_point, wall_normal;
  KgVector box_low, box_high;
  const KgTable *planes;
  int bounce;
  double restitution;
  double friction;
  int64_t substeps;
  int64_t sweep_limit;
  double relax;
  double length_tolerance;
  double angle_tolerance;
  int sweep;
  int correction;
  int direction;
  int hinge_rule;
  KgGeometry *state;
  KgGeometry *trace_state;
  KgGeometry *figure;
  KgGeometry *trace;
  double deviation;
  double angle_deviation;
  int64_t sweeps;
  KgVector center;
  KgVector momentum;
  KgVector angular_momentum;
  double energy;
} SkeletonDynamics;

enum { SKELETON_PLANE, SKELETON_SPACE, N_SPACES };

static const KgChoice skeleton_dynamics_spaces[] = {
  [SKELETON_PLANE] = { "plane", N_ ("In the plane: hinges distinguish left from right") },
  [SKELETON_SPACE] = { "space", N_ ("In space: hinges limit how far they fold") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (skeleton_dynamics_spaces, N_SPACES);

static const KgChoice skeleton_dynamics_walls[] = {
  [FIGURE_WALLS_NONE] = { "none", N_ ("None") },
  [FIGURE_WALLS_PLANE] = { "plane", N_ ("A plane, such as a floor") },
  [FIGURE_WALLS_BOX] = { "box", N_ ("A box around it") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (skeleton_dynamics_walls, FIGURE_N_WALLS);

static const KgChoice skeleton_dynamics_bounces[] = {
  [SKELETON_FIRM] = { "firm", N_ ("Firm: throws the whole body back") },
  [SKELETON_MIRROR] = { "mirror", N_ ("Mirror: point by point") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (skeleton_dynamics_bounces, SKELETON_N_BOUNCES);

static const KgChoice skeleton_dynamics_sweeps[] = {
  [SKELETON_SEQUENTIAL] = { "sequential", N_ ("One after the other") },
  [SKELETON_AVERAGED] = { "averaged", N_ ("All at once, averaged") },
  [SKELETON_SIMULTANEOUS] = { "simultaneous", N_ ("All at once, as published") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (skeleton_dynamics_sweeps, SKELETON_N_SWEEPS);

static const KgChoice skeleton_dynamics_corrections[] = {
  [SKELETON_BY_MASS] = { "mass", N_ ("By mass") },
  [SKELETON_HALVES] = { "unit", N_ ("By halves, as published") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (skeleton_dynamics_corrections, SKELETON_N_CORRECTIONS);

static const KgChoice skeleton_dynamics_directions[] = {
  [SKELETON_ALONG_TRIAL] = { "trial", N_ ("Along the rod's new direction") },
  [SKELETON_ALONG_START] = { "start", N_ ("Along the rod's direction before the step") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (skeleton_dynamics_directions, SKELETON_N_DIRECTIONS);

static const KgChoice skeleton_dynamics_hinge_rules[] = {
  [SKELETON_GRADIENT] = { "gradient", N_ ("Along the gradient: balanced") },
  [SKELETON_PAPER] = { "paper", N_ ("As published") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (skeleton_dynamics_hinge_rules, SKELETON_N_HINGE_RULES);

static KgVector
skeleton_dynamics_get_gravity (const SkeletonDynamics *n)
{
  return kg_vector (n->gravity.x, n->gravity.y, n->space == SKELETON_PLANE ? 0 : n->gravity.z);
}

static bool
skeleton_dynamics_start (SkeletonDynamics *n, const KgContext *ctx, GError **error)
{
  const SkeletonStart start = {
    { n->space == SKELETON_PLANE, n->shortest, n->longest, n->bend }, n->mass, n->velocity, n->spin
  };

  (void) ctx;
  n->trace_state = kg_geometry_new ();
  n->state = skeleton_state_new (n->geometry, &start, error);
  if (n->state == NULL)
    return false;
  *kg_geometry_edit_int (n->state, KG_WHOLE, "sweeps", 1) = 0;
  return true;
}

/* Walls. */

static bool
skeleton_dynamics_get_walls (const SkeletonDynamics *n, SkeletonWall *walls, guint *n_walls, GError **error)
{
  const FigureWalls from = { .kind = n->walls,
                             .point = n->wall_point,
                             .normal = n->wall_normal,
                             .box_low = n->box_low,
                             .box_high = n->box_high,
                             .planes = n->planes,
                             .plane = n->space == SKELETON_PLANE };

  return figure_walls_read (&from, walls, n_walls, error);
}

/* Forces. */

/* Statement S0 for fields: a block of points at a time. */
static void
skeleton_dynamics_add_fields (const SkeletonDynamics *n, const KgField *field, const SkeletonPoints *points,
                              size_t count, double time, double dt)
{
#pragma omp parallel for schedule(dynamic) if (count > KG_FIELD_BLOCK)
  for (size_t first = 0; first < count; first += KG_FIELD_BLOCK) {
    float x[3][KG_FIELD_BLOCK], v[3][KG_FIELD_BLOCK], a[3][KG_FIELD_BLOCK];
    float *const out[] = { a[0], a[1], a[2] };
    const size_t some = MIN (KG_FIELD_BLOCK, count - first);
    int32_t ids[KG_FIELD_BLOCK];
    const KgFieldBlock block = {
      .n = some, .x = x[0], .y = x[1], .z = x[2], .vx = v[0], .vy = v[1], .vz = v[2], .id = ids, .time = time
    };

    for (size_t i = 0; i < some; i++) {
      ids[i] = (int32_t) (first + i);
      for (int c = 0; c < 3; c++) {
        x[c][i] = (float) kg_vector_get (points->places[first + i], c);
        v[c][i] = (float) (kg_vector_get (points->momenta[first + i], c) / points->masses[first + i]);
      }
    }
    kg_field_sample (field, &block, out);
    for (size_t i = 0; i < some; i++) {
      const KgVector force = { (double) a[0][i], (double) a[1][i], n->space == SKELETON_PLANE ? 0 : (double) a[2][i] };

      points->momenta[first + i] =
          kg_vector_add_scaled (points->momenta[first + i], n->weigh ? dt : dt * points->masses[first + i], force);
    }
  }
}

/* Muscles: the primitive attribute pull draws the ends of each edge together, and pushes where it is negative. */
static void
skeleton_dynamics_add_pulls (const SkeletonDynamics *n, const SkeletonPoints *points, double dt)
{
  const float *pull = kg_geometry_get_float (n->geometry, KG_PRIMITIVES, "pull", 1);

  for (size_t k = 0; pull != NULL && k < kg_geometry_get_n_primitives (n->geometry); k++) {
    KgPrimitive primitive;

    if (pull[k] == 0)
      continue;
    kg_geometry_get_primitive (n->geometry, k, &primitive);
    for (uint32_t i = 0; i + 1 < primitive.n_vertices; i++) {
      const uint32_t a = primitive.vertices[i], b = primitive.vertices[i + 1];
      const KgVector along =
          kg_vector_normalize_or (kg_vector_subtract (points->places[b], points->places[a]), kg_vector (0, 0, 0));

      points->momenta[a] = kg_vector_add_scaled (points->momenta[a], dt * (double) pull[k], along);
      points->momenta[b] = kg_vector_add_scaled (points->momenta[b], -dt * (double) pull[k], along);
    }
  }
}

static void
skeleton_dynamics_add_forces (const SkeletonDynamics *n, const KgField *field, const SkeletonPoints *points,
                              size_t count, double time, double dt)
{
  const KgVector gravity = skeleton_dynamics_get_gravity (n);

  for (size_t i = 0; i < count; i++)
    points->momenta[i] = kg_vector_add_scaled (points->momenta[i], dt * points->masses[i], gravity);
  if (field != NULL)
    skeleton_dynamics_add_fields (n, field, points, count, time, dt);
  skeleton_dynamics_add_pulls (n, points, dt);
}

/* Driven points. */

typedef struct {
  KgVector *from, *to; /* over the whole step of the node */
} Lead;

static bool
skeleton_dynamics_get_leads (const SkeletonDynamics *n, const SkeletonPoints *points, size_t count, Lead *lead,
                             GError **error)
{
  const FigureGrab grab = { n->grab_point, n->grab_to };

  for (size_t i = 0; i < count; i++)
    lead->from[i] = points->places[i];
  return figure_leads_read (n->geometry, n->targets, &grab, n->grab ? 1 : 0, n->space == SKELETON_PLANE, points->held,
                            lead->to, error);
}

/* Steps. */

static void
skeleton_dynamics_get_settings (const SkeletonDynamics *n, SkeletonSettings *settings)
{
  *settings = (SkeletonSettings){ .sweep = (SkeletonSweep) n->sweep,
                                  .correction = (SkeletonCorrection) n->correction,
                                  .direction = (SkeletonDirection) n->direction,
                                  .hinge_rule = (SkeletonHingeRule) n->hinge_rule,
                                  .bounce = (SkeletonBounce) n->bounce,
                                  .max_sweeps = (guint) n->sweep_limit,
                                  .length_tolerance = n->length_tolerance,
                                  .angle_tolerance = n->angle_tolerance,
                                  .relax = n->relax,
                                  .plane = n->space == SKELETON_PLANE,
                                  .restitution = n->restitution,
                                  .friction = n->friction };
}

/* (transfer full) (nullable) The solver in the state that is kept. */
static SkeletonSolver *
skeleton_dynamics_resume (const SkeletonDynamics *n, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->state);
  const SkeletonPoint *kept = skeleton_state_get_points (n->state);
  g_auto (SkeletonFigure) figure = { NULL, NULL };
  SkeletonSettings settings;
  SkeletonSolver *solver;
  SkeletonPoints points;

  if (!skeleton_state_check_points (n->state, n->geometry, error))
    return NULL;
  skeleton_state_get_figure (n->state, &figure);
  skeleton_dynamics_get_settings (n, &settings);
  solver = skeleton_solver_new (count, &figure, &settings);
  points = skeleton_solver_get_points (solver);
  for (size_t i = 0; i < count; i++) {
    points.places[i] = kept[i].place;
    points.momenta[i] = kept[i].momentum;
    points.masses[i] = kept[i].mass;
    points.touching[i] = kept[i].touching;
    points.buried[i] = kept[i].buried;
    points.held[i] = kept[i].held != 0;
  }
  return solver;
}

static bool
skeleton_dynamics_remember (SkeletonDynamics *n, SkeletonSolver *solver, guint sweeps, double time, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->state);
  const SkeletonPoints points = skeleton_solver_get_points (solver);
  g_autofree char *remedy = NULL;
  SkeletonPoint *kept;

  kg_geometry_make_writable (&n->state);
  *kg_geometry_edit_int (n->state, KG_WHOLE, "sweeps", 1) = (int32_t) sweeps;
  kept = skeleton_state_edit_points (n->state);
  for (size_t i = 0; i < count; i++)
    kept[i] = (SkeletonPoint){ points.places[i],   points.momenta[i],   points.masses[i],
                               points.touching[i], points.held[i] != 0, points.buried[i] & SKELETON_ALL_WALLS };
  remedy = g_strdup_printf (kg_translate ("raise the substeps above %" PRId64 " or weaken the forces"), n->substeps);
  return skeleton_state_check_finite (n->state, time, remedy, error);
}

static void
skeleton_dynamics_warn_of_held_rod (const KgContext *ctx, SkeletonSolver *solver)
{
  const SkeletonPoints points = skeleton_solver_get_points (solver);
  const SkeletonRod *rod = skeleton_solver_find_held_apart (solver);

  if (rod == NULL)
    kg_context_warn (
        ctx,
        "a rod between two held points did not fit during the motion: drive the points more slowly, or only one of them");
  else
    kg_context_warn (
        ctx,
        "the rod from point %u to point %u, %g to %g m long, does not fit between its ends, which are held %g m apart: hold only one of them, or hold them at a distance that fits its length",
        rod->a, rod->b, rod->shortest, rod->longest, kg_vector_distance (points.places[rod->a], points.places[rod->b]));
}

static void
skeleton_dynamics_warn (const SkeletonDynamics *n, const KgContext *ctx, SkeletonSolver *solver, guint events,
                        double deviation)
{
  if ((events & SKELETON_DIVERGED) != 0)
    return;
  if ((events & SKELETON_AMBIGUOUS_FOLD) != 0)
    kg_context_warn (ctx, "a hinge that was straight or folded flat had to rotate: an arbitrary direction was used");
  if ((events & SKELETON_COINCIDENT) != 0)
    kg_context_warn (
        ctx,
        "points joined by a rod or a hinge are at the same position: the rod pushes in an arbitrary direction, and the hinge has no effect");
  if ((events & SKELETON_WALLED_IN) != 0)
    kg_context_warn (ctx, "the walls leave no room for a point: move them apart");
  if ((events & SKELETON_HELD_APART) != 0)
    skeleton_dynamics_warn_of_held_rod (ctx, solver);
  if ((events & SKELETON_PRESSED) != 0)
    kg_context_warn (
        ctx, "walls at both ends of a rod leave no room for it: move them apart, or start the figure between them");
  if ((events & SKELETON_BURIED) != 0)
    kg_context_warn (
        ctx,
        "a point is too deep inside a wall to have run into it, and is moved out slowly: start the figure in front of its walls, and give it room");
  if (n->sweep == SKELETON_SIMULTANEOUS && deviation > 1)
    kg_context_warn (
        ctx,
        "the rods have doubled their length: corrections all at once diverge if more than three rods meet; choose One after the other");
  else if (deviation > 0.5 && (events & SKELETON_HELD_APART) == 0)
    kg_context_warn (
        ctx,
        "the rods are wrong by %.0f %% of their length: driven points are out of reach, or Sweeps (%" PRId64
        ") or Substeps (%" PRId64 ") is too low",
        100 * deviation, n->sweep_limit, n->substeps);
}

static bool
skeleton_dynamics_keep_trace (SkeletonDynamics *n, const double *trace, GError **error)
{
  const uint32_t count = (uint32_t) n->sweep_limit + 1;
  g_autofree uint32_t *vertices = g_new (uint32_t, count);
  const KgPrimitive line = { .kind = KG_POLYLINE, .n_vertices = count, .vertices = vertices };
  g_autoptr (KgGeometry) table = kg_geometry_new ();
  float *p;

  if (!kg_geometry_set_n_points (table, count, error))
    return false;
  p = kg_geometry_edit_positions (table);
  for (uint32_t i = 0; i < count; i++) {
    vertices[i] = i;
    p[3 * i] = (float) i;
    p[3 * i + 1] = (float) fmin (trace[i], 1e30);
  }
  kg_geometry_add_primitive (table, &line);
  kg_geometry_unref (n->trace_state);
  n->trace_state = g_steal_pointer (&table);
  return true;
}

static bool
skeleton_dynamics_advance (SkeletonDynamics *n, const KgContext *ctx, double dt, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->state), rows = (size_t) n->sweep_limit + 1;
  const double h = dt / (double) n->substeps;
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));
  g_autofree KgVector *from = g_new0 (KgVector, MAX (count, 1)), *to = g_new0 (KgVector, MAX (count, 1));
  g_autofree double *trace = g_new0 (double, rows);
  g_autoptr (SkeletonSolver) solver = NULL;
  g_autoptr (KgField) force = NULL;
  SkeletonWall walls[SKELETON_MAX_WALLS];
  Lead lead = { from, to };
  SkeletonPoints points;
  guint n_walls, events = 0, sweeps = 0, took;

  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  if ((n->forces.n > 0 && (force = kg_field_new_sum (fields, n->forces.n, error)) == NULL) ||
      !skeleton_dynamics_get_walls (n, walls, &n_walls, error) ||
      (solver = skeleton_dynamics_resume (n, error)) == NULL)
    return false;
  skeleton_solver_set_walls (solver, walls, n_walls);
  points = skeleton_solver_get_points (solver);
  for (size_t i = 0; i < count; i++)
    if (!skeleton_get_mass (n->geometry, n->mass, i, &points.masses[i], error))
      return false;
  if (!skeleton_dynamics_get_leads (n, &points, count, &lead, error))
    return false;
  for (int64_t step = 1; step <= n->substeps; step++) {
    const double part = (double) step / (double) n->substeps;

    if (kg_context_is_cancelled (ctx))
      return false;
    skeleton_dynamics_add_forces (n, force, &points, count, ctx->time - dt + (double) (step - 1) * h, h);
    for (size_t i = 0; i < count; i++)
      if (points.held[i])
        points.targets[i] = step == n->substeps ? to[i] : kg_vector_lerp (from[i], to[i], part);
    took = skeleton_solver_step (solver, h, &events, step == n->substeps ? trace : NULL);
    sweeps = MAX (sweeps, took);
  }
  skeleton_dynamics_warn (n, ctx, solver, events, trace[rows - 1]);
  return skeleton_dynamics_remember (n, solver, sweeps, ctx->time, error) &&
         skeleton_dynamics_keep_trace (n, trace, error);
}

/* Results. */

/* Such a hinge works, but is usually a mistake. */
static void
skeleton_dynamics_warn_of_loose_hinge (const SkeletonDynamics *n, const KgContext *ctx)
{
  g_auto (SkeletonFigure) figure = { NULL, NULL };
  const SkeletonHinge *hinge;
  guint loose;

  skeleton_state_get_figure (n->state, &figure);
  loose = skeleton_figure_find_loose_hinge (&figure);
  if (loose == figure.hinges->len)
    return;
  hinge = &g_array_index (figure.hinges, SkeletonHinge, loose);
  kg_context_warn (
      ctx,
      "hinge %u (points %u %u %u) is not between two rods: nothing keeps the points that it rotates at their distance; add the missing rods",
      loose, hinge->a, hinge->b, hinge->c);
}

static bool
skeleton_dynamics_evaluate (SkeletonDynamics *n, const KgContext *ctx, GError **error)
{
  g_autoptr (SkeletonSolver) solver = skeleton_dynamics_resume (n, error);
  SkeletonMeasure measure;

  if (solver == NULL)
    return false;
  skeleton_dynamics_warn_of_loose_hinge (n, ctx);
  n->deviation = skeleton_solver_get_deviation (solver);
  n->angle_deviation = skeleton_solver_get_angle_deviation (solver);
  n->sweeps = *kg_geometry_get_int (n->state, KG_WHOLE, "sweeps", 1);
  n->trace = kg_geometry_ref (n->trace_state);
  skeleton_state_measure (n->state, skeleton_dynamics_get_gravity (n), &measure);
  n->center = measure.center;
  n->momentum = measure.momentum;
  n->angular_momentum = measure.angular_momentum;
  n->energy = measure.energy;
  kg_geometry_make_writable (&n->geometry);
  skeleton_state_write (n->state, n->space == SKELETON_PLANE, n->geometry);
  n->figure = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot skeleton_dynamics_slots[] = {
  KG_INPUT (
      SkeletonDynamics, geometry, GEOMETRY, .label = N_ ("Figure"),
      .help = N_ (
          "Initial state of the figure. Points are masses (attributes mass, v), edges are rods, and hinges come from Wire Figure. Points with the attribute pin are driven: they are always at their current position in this figure.")),
  KG_INPUT (
      SkeletonDynamics, targets, GEOMETRY, .label = N_ ("Targets"), .optional = true,
      .help = N_ (
          "Target positions of driven points, one point for each point of the figure; its attribute pin drives additional points.")),
  KG_INPUT (
      SkeletonDynamics, space, CHOICE, .label = N_ ("Space"), .choices = skeleton_dynamics_spaces, .fixed = true,
      .help =
          N_ ("Whether the motion is in the plane or in space. In the plane, the depth of the points stays as it is.")),
  KG_INPUT (SkeletonDynamics, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .def = 1, .min = 1e-9,
            .max = 1e9, .soft_max = 10, .help = N_ ("Mass of points without the attribute mass.")),
  KG_INPUT (SkeletonDynamics, shortest, NUMBER, .label = N_ ("Shortest"), .unit = KG_PERCENT, .def = 1, .min = 0,
            .max = 1, .help = N_ ("Shortest length to which rods can telescope; at full length they do not shorten.")),
  KG_INPUT (SkeletonDynamics, longest, NUMBER, .label = N_ ("Longest"), .unit = KG_PERCENT, .def = 1, .min = 1,
            .max = 1e6, .soft_max = 2,
            .help = N_ ("Greatest length to which rods can telescope; at full length they do not extend.")),
  KG_INPUT (
      SkeletonDynamics, bend, NUMBER, .label = N_ ("Bend"), .unit = KG_DEGREES, .def = 180, .min = 0, .max = 180,
      .help = N_ (
          "How far lines can bend at each of their points from their initial shape: 180 is a thread, a small angle a stiff rope.")),
  KG_INPUT (SkeletonDynamics, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
            .group = N_ ("Start"), .help = N_ ("Initial velocity of the figure.")),
  KG_INPUT (
      SkeletonDynamics, spin, VECTOR, .label = N_ ("Spin"), .unit = KG_DEGREES, .group = N_ ("Start"),
      .help = N_ (
          "Initial rotation about its centre of mass, in degrees per second around each axis; in the plane around z.")),
  KG_INPUT (SkeletonDynamics, grab, BOOLEAN, .label = N_ ("Grab"), .group = N_ ("Grab"),
            .help = N_ ("Holds one point: key this to catch and throw it.")),
  KG_INPUT (SkeletonDynamics, grab_point, INTEGER, .label = N_ ("Grabbed point"), .min = 0, .max = 1e9, .soft_max = 100,
            .group = N_ ("Grab"), .help = N_ ("Index of the point.")),
  KG_INPUT (
      SkeletonDynamics, grab_to, VECTOR, .label = N_ ("Grabbed position"), .unit = KG_METRES, .group = N_ ("Grab"),
      .handle = { KG_HANDLE_GRAB, .anchor = "grab_point", .on = "grab" },
      .help = N_ (
          "Position where the point is held: key or link it to drag the figure, or drag the points of the figure in the viewport during playback.")),
  KG_INPUT (SkeletonDynamics, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2,
            .def_v = { 0, -9.81, 0 }, .group = N_ ("Forces"),
            .help = N_ ("Acceleration due to gravity; on earth 9.81 downwards.")),
  KG_INPUTS (
      SkeletonDynamics, forces, FIELD, .label = N_ ("Forces"), .optional = true, .group = N_ ("Forces"),
      .help = N_ (
          "Other forces that move the points. The primitive attribute pull turns rods into muscles: it is the force in newtons that pulls their ends together.")),
  KG_INPUT (SkeletonDynamics, weigh, BOOLEAN, .label = N_ ("Divide by mass"), .group = N_ ("Forces"),
            .help = N_ ("Divides the forces by the mass. Otherwise they are accelerations, like gravity.")),
  KG_INPUT (SkeletonDynamics, walls, CHOICE, .label = N_ ("Walls"), .choices = skeleton_dynamics_walls,
            .group = N_ ("Walls"), .help = N_ ("Walls that the figure bounces off.")),
  KG_INPUT (SkeletonDynamics, wall_point, VECTOR, .label = N_ ("Point of the plane"), .unit = KG_METRES,
            .shown_when = "walls=plane", .group = N_ ("Walls"), .help = N_ ("Any point on the plane.")),
  KG_INPUT (SkeletonDynamics, wall_normal, VECTOR, .label = N_ ("Normal of the plane"), .def_v = { 0, 1, 0 },
            .shown_when = "walls=plane", .group = N_ ("Walls"), .help = N_ ("Direction towards the figure.")),
  KG_INPUT (SkeletonDynamics, box_low, VECTOR, .label = N_ ("Lower corner"), .unit = KG_METRES, .def_v = { -2, 0, -2 },
            .shown_when = "walls=box", .group = N_ ("Walls"), .help = N_ ("Corner of the box.")),
  KG_INPUT (SkeletonDynamics, box_high, VECTOR, .label = N_ ("Upper corner"), .unit = KG_METRES, .def_v = { 2, 4, 2 },
            .shown_when = "walls=box", .group = N_ ("Walls"), .help = N_ ("Corner of the box.")),
  KG_INPUT (SkeletonDynamics, planes, TABLE, .columns = figure_walls_columns, .label = N_ ("More planes"),
            .group = N_ ("Walls"), .help = N_ ("One plane per row: x y z of a point on it, x y z of its normal.")),
  KG_INPUT (
      SkeletonDynamics, bounce, CHOICE, .label = N_ ("Bounce"), .choices = skeleton_dynamics_bounces,
      .group = N_ ("Walls"),
      .help = N_ (
          "Firm walls guide the points that touch them for a step, and the rods throw back whatever is behind them. A mirror reflects single points, and the rods absorb most of the bounce.")),
  KG_INPUT (SkeletonDynamics, restitution, NUMBER, .label = N_ ("Restitution"), .def = 0.95, .min = 0, .max = 1,
            .group = N_ ("Walls"),
            .help = N_ ("Share of the speed perpendicular to a wall that remains after a bounce.")),
  KG_INPUT (SkeletonDynamics, friction, NUMBER, .label = N_ ("Friction"), .min = 0, .max = 1e3, .soft_max = 1,
            .group = N_ ("Walls"), .help = N_ ("0 is ice, 1 is rubber.")),
  KG_INPUT (
      SkeletonDynamics, sweep_limit, INTEGER, .label = N_ ("Sweeps"), .def = 20, .min = 1, .max = 10000, .soft_max = 50,
      .group = N_ ("Solver"),
      .help = N_ (
          "Maximum number of passes over the rods and hinges in a step. Few make the figure stretch and squeeze like rubber, many make it stiff.")),
  KG_INPUT (SkeletonDynamics, substeps, INTEGER, .label = N_ ("Substeps"), .def = 4, .min = 1, .max = 10000,
            .soft_max = 50, .group = N_ ("Solver"),
            .help = N_ ("Number of steps per frame. More steps follow quick motion better; each has its own sweeps.")),
  KG_INPUT (SkeletonDynamics, relax, NUMBER, .label = N_ ("Stiffness"), .unit = KG_PERCENT, .def = 1, .min = 0,
            .max = 1, .group = N_ ("Solver"), .help = N_ ("Share of each correction that is applied; less is softer.")),
  KG_INPUT (SkeletonDynamics, length_tolerance, NUMBER, .label = N_ ("Length tolerance"), .def = 1e-3, .min = 0,
            .max = 1, .soft_max = 0.01, .group = N_ ("Solver"),
            .help = N_ ("Share of its length by which a rod may be wrong.")),
  KG_INPUT (SkeletonDynamics, angle_tolerance, NUMBER, .label = N_ ("Angle tolerance"), .unit = KG_DEGREES, .def = 0.1,
            .min = 0, .max = 180, .soft_max = 1, .group = N_ ("Solver"),
            .help = N_ ("Angle by which a hinge may exceed its limits.")),
  KG_INPUT (
      SkeletonDynamics, sweep, CHOICE, .label = N_ ("Order"), .choices = skeleton_dynamics_sweeps,
      .group = N_ ("Solver"),
      .help = N_ (
          "One after the other converges fastest. All at once, as published, diverges if more than three rods meet in a point.")),
  KG_INPUT (SkeletonDynamics, correction, CHOICE, .label = N_ ("Correction"), .choices = skeleton_dynamics_corrections,
            .group = N_ ("Solver"), .shown_when = "direction=trial",
            .help = N_ ("How the ends of a rod share a correction.")),
  KG_INPUT (
      SkeletonDynamics, direction, CHOICE, .label = N_ ("Direction"), .choices = skeleton_dynamics_directions,
      .group = N_ ("Solver"),
      .help = N_ (
          "Direction in which the ends of a rod are corrected. Along its new direction, rotations slowly fade; along its direction before the step, angular momentum is conserved exactly.")),
  KG_INPUT (
      SkeletonDynamics, hinge_rule, CHOICE, .label = N_ ("Hinges"), .choices = skeleton_dynamics_hinge_rules,
      .group = N_ ("Solver"),
      .help = N_ (
          "How hinges are corrected. The published method leaves some torque over. With either, one iteration rotates a hinge by at most 1 radian (57°): one that exceeds its limits by more needs several iterations.")),
  KG_STATE (SkeletonDynamics, state, GEOMETRY, .keeps = SKELETON_STATE_KEEPS "; whole sweeps int 1"),
  KG_STATE (SkeletonDynamics, trace_state, GEOMETRY, .keeps = ""),
  KG_OUTPUT (SkeletonDynamics, figure, GEOMETRY, .label = N_ ("Figure"),
             .help = N_ ("The figure in its current state, with the attribute v.")),
  KG_OUTPUT (SkeletonDynamics, deviation, NUMBER, .label = N_ ("Deviation"), .unit = KG_PERCENT,
             .help = N_ ("Length error of all rods together, as a share of their total length.")),
  KG_OUTPUT (SkeletonDynamics, angle_deviation, NUMBER, .label = N_ ("Angle deviation"), .unit = KG_DEGREES,
             .help = N_ ("Angle by which the worst hinge exceeds its limits.")),
  KG_OUTPUT (SkeletonDynamics, sweeps, INTEGER, .label = N_ ("Sweeps taken"),
             .help = N_ ("Number of sweeps in the step of the last frame that took the most.")),
  KG_OUTPUT (SkeletonDynamics, center, VECTOR, .label = N_ ("Centre of mass"), .unit = KG_METRES,
             .help = N_ ("Centre of mass of all points.")),
  KG_OUTPUT (SkeletonDynamics, momentum, VECTOR, .label = N_ ("Momentum"),
             .help = N_ ("Total momentum of all points.")),
  KG_OUTPUT (SkeletonDynamics, angular_momentum, VECTOR, .label = N_ ("Angular momentum"),
             .help = N_ ("Total angular momentum of all points about the origin.")),
  KG_OUTPUT (SkeletonDynamics, energy, NUMBER, .label = N_ ("Energy"),
             .help = N_ ("Kinetic and potential energy, in joules.")),
  KG_OUTPUT (SkeletonDynamics, trace, GEOMETRY, .label = N_ ("Trace"),
             .help = N_ ("The deviation after each sweep of the last step, as a line for Plot.")),
};

KG_SIMULATION (
    sim, skeleton_dynamics, SkeletonDynamics, .label = N_ ("Skeleton Dynamics"), .version = 2, .since = "0.1",
    .tags =
        N_ ("ragdoll rod hinge joint rope chain cloth puppet figure drag throw constraint verlet physics simulation"),
    .help = N_ (
        "Simulates a figure of points, rods and hinges: it falls, swings, is dragged, thrown and caught. Each point first moves by itself; then rods and hinges are corrected, one after the other, as often as Sweeps allows. Link any lines or mesh: their edges are rods."));

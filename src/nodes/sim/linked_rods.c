/* sim/linked_rods: the exact motion of linked rods, to measure quicker simulations against.
 * Source: the Lagrange equations with multipliers; see rod_equations.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "sim/rod_equations.h"
#include "sim/skeleton_state.h"

typedef struct {
  KgGeometry *geometry;
  double mass;
  KgVector velocity;
  KgVector spin;
  KgVector gravity;
  int method;
  double tolerance;
  bool assemble;
  double time_constant;
  KgGeometry *state;
  KgGeometry *figure;
  KgGeometry *rods;
  double deviation;
  KgVector center;
  KgVector momentum;
  KgVector angular_momentum;
  double energy;
} LinkedRods;

static const KgChoice linked_rods_methods[] = {
  [ROD_RK8PD] = { "rk8pd", N_ ("Dormand-Prince, eighth order") },
  [ROD_RKF45] = { "rkf45", N_ ("Runge-Kutta-Fehlberg, fourth order") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (linked_rods_methods, ROD_N_METHODS);

static bool
linked_rods_check (const SkeletonFigure *figure, GError **error)
{
  if (figure->rods->len > ROD_EQUATIONS_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%u rods are more than the %d that can be solved exactly: use Skeleton Dynamics", figure->rods->len,
                  ROD_EQUATIONS_MAX);
    return false;
  }
  for (guint k = 0; k < figure->rods->len; k++) {
    const SkeletonRod *rod = &g_array_index (figure->rods, SkeletonRod, k);

    if (rod->shortest < rod->longest) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "rod %u, from point %u to point %u, telescopes, but only rigid rods have exact equations: use Skeleton Dynamics, or give the rod a fixed length",
          k, rod->a, rod->b);
      return false;
    }
  }
  return true;
}

static bool
linked_rods_start (LinkedRods *n, const KgContext *ctx, GError **error)
{
  const SkeletonStart start = { { false, 1, 1, KG_PI }, n->mass, n->velocity, n->spin };
  g_auto (SkeletonFigure) figure = { NULL, NULL };
  const float *pin = kg_geometry_get_float (n->geometry, KG_POINTS, "pin", 1);
  SkeletonPoint *points;

  n->state = skeleton_state_new (n->geometry, &start, error);
  if (n->state == NULL)
    return false;
  skeleton_state_get_figure (n->state, &figure);
  if (!linked_rods_check (&figure, error))
    return false;
  if (figure.hinges->len > 0)
    kg_context_warn (ctx, "hinges are not part of the exact equations: they rotate freely");
  points = skeleton_state_edit_points (n->state);
  for (size_t i = 0; pin != NULL && i < kg_geometry_get_n_points (n->state); i++)
    if (pin[i] > 0) {
      points[i].held = true;
      points[i].momentum = kg_vector (0, 0, 0);
    }
  kg_geometry_edit_float (n->state, KG_PRIMITIVES, "tension", 1);
  return true;
}

static bool
linked_rods_advance (LinkedRods *n, const KgContext *ctx, double dt, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->state);
  g_auto (SkeletonFigure) figure = { NULL, NULL };
  g_autofree KgVector *places = g_new (KgVector, MAX (count, 1)), *speeds = g_new (KgVector, MAX (count, 1));
  g_autofree double *masses = g_new (double, MAX (count, 1)), *tensions = NULL;
  g_autofree uint8_t *held = g_new (uint8_t, MAX (count, 1));
  RodEquations equations = { .n_points = count,
                             .masses = masses,
                             .held = held,
                             .gravity = n->gravity,
                             .method = (RodMethod) n->method,
                             .tolerance = n->tolerance,
                             .assemble = n->assemble ? n->time_constant : 0 };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  SkeletonPoint *points;
  bool redundant = false;
  float *tension;

  skeleton_state_get_figure (n->state, &figure);
  kg_geometry_make_writable (&n->state);
  points = skeleton_state_edit_points (n->state);
  for (size_t i = 0; i < count; i++) {
    places[i] = points[i].place;
    speeds[i] = kg_vector_scale (points[i].momentum, 1 / points[i].mass);
    masses[i] = points[i].mass;
    held[i] = points[i].held != 0;
  }
  equations.rods = (const SkeletonRod *) (const void *) figure.rods->data;
  equations.n_rods = figure.rods->len;
  tensions = g_new0 (double, MAX (equations.n_rods, 1));
  if (!rod_equations_integrate (&equations, places, speeds, dt, tensions, &redundant, &monitor, error))
    return false;
  if (redundant)
    kg_context_warn (
        ctx, "the rods are overconstrained: their loads are not determined uniquely, and the smallest were used");
  for (size_t i = 0; i < count; i++) {
    points[i].place = places[i];
    points[i].momentum = kg_vector_scale (speeds[i], masses[i]);
  }
  tension = kg_geometry_edit_float (n->state, KG_PRIMITIVES, "tension", 1);
  for (size_t k = 0; k < equations.n_rods; k++)
    tension[k] = (float) kg_clamp (tensions[k], -1e30, 1e30);
  return skeleton_state_check_finite (n->state, ctx->time,
                                      kg_translate ("weaken the gravity, or reduce the initial speed"), error);
}

/* The rods, each a line, with what pulls in it. */
static void
linked_rods_show_rods (LinkedRods *n)
{
  n->rods = kg_geometry_ref (n->state);
  kg_geometry_make_writable (&n->rods);
  skeleton_state_write (n->state, false, n->rods);
  kg_geometry_remove_attribute (n->rods, KG_POINTS, "memory");
  kg_geometry_remove_attribute (n->rods, KG_PRIMITIVES, "limits");
}

static bool
linked_rods_evaluate (LinkedRods *n, const KgContext *ctx, GError **error)
{
  const SkeletonPoint *points = skeleton_state_get_points (n->state);
  g_auto (SkeletonFigure) figure = { NULL, NULL };
  double wrong = 0, length = 0;
  SkeletonMeasure measure;

  (void) ctx;
  if (!skeleton_state_check_points (n->state, n->geometry, error))
    return false;
  skeleton_state_get_figure (n->state, &figure);
  for (guint k = 0; k < figure.rods->len; k++) {
    const SkeletonRod *rod = &g_array_index (figure.rods, SkeletonRod, k);

    wrong += fabs (kg_vector_distance (points[rod->a].place, points[rod->b].place) - rod->longest);
    length += rod->longest;
  }
  n->deviation = length > 0 ? wrong / length : 0;
  skeleton_state_measure (n->state, n->gravity, &measure);
  n->center = measure.center;
  n->momentum = measure.momentum;
  n->angular_momentum = measure.angular_momentum;
  n->energy = measure.energy;
  linked_rods_show_rods (n);
  kg_geometry_make_writable (&n->geometry);
  skeleton_state_write (n->state, false, n->geometry);
  n->figure = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot linked_rods_slots[] = {
  KG_INPUT (
      LinkedRods, geometry, GEOMETRY, .label = N_ ("Figure"),
      .help = N_ (
          "Initial state of the figure. Points are masses (attributes mass, v), edges are rigid rods (their length is the primitive attribute length, or else the current length); points with the attribute pin do not move.")),
  KG_INPUT (LinkedRods, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .def = 1, .min = 1e-9, .max = 1e9,
            .soft_max = 10, .help = N_ ("Mass of points without the attribute mass.")),
  KG_INPUT (LinkedRods, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND, .group = N_ ("Start"),
            .help = N_ ("Initial velocity of the figure.")),
  KG_INPUT (LinkedRods, spin, VECTOR, .label = N_ ("Spin"), .unit = KG_DEGREES, .group = N_ ("Start"),
            .help = N_ ("Initial rotation about its centre of mass, in degrees per second around each axis.")),
  KG_INPUT (LinkedRods, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2,
            .def_v = { 0, -9.81, 0 }, .help = N_ ("Acceleration due to gravity; on earth 9.81 downwards.")),
  KG_INPUT (LinkedRods, method, CHOICE, .label = N_ ("Method"), .choices = linked_rods_methods, .group = N_ ("Solver"),
            .help = N_ ("Integration method; both choose their own step sizes.")),
  KG_INPUT (LinkedRods, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-11, .min = 1e-14, .max = 1,
            .soft_max = 1e-3, .group = N_ ("Solver"), .help = N_ ("Error allowed in one step.")),
  KG_INPUT (LinkedRods, assemble, BOOLEAN, .label = N_ ("Assemble"), .group = N_ ("Assemble"),
            .help = N_ (
                "Rods that are too long or too short at the start correct themselves: scattered parts fly together.")),
  KG_INPUT (LinkedRods, time_constant, NUMBER, .label = N_ ("Time constant"), .unit = KG_SECONDS, .def = 0.2,
            .min = 1e-4, .max = 1e4, .soft_max = 2, .shown_when = "assemble=true", .group = N_ ("Assemble"),
            .help = N_ (
                "Time after which about three quarters of the error remains; after five times as long, 4 % remains.")),
  KG_STATE (LinkedRods, state, GEOMETRY, .keeps = SKELETON_STATE_KEEPS),
  KG_OUTPUT (LinkedRods, figure, GEOMETRY, .label = N_ ("Figure"),
             .help = N_ ("The figure in its current state, with the attribute v.")),
  KG_OUTPUT (LinkedRods, rods, GEOMETRY, .label = N_ ("Rods"),
             .help = N_ ("Each rod as a line, with the primitive attribute tension: the tensile force in newtons.")),
  KG_OUTPUT (LinkedRods, deviation, NUMBER, .label = N_ ("Deviation"), .unit = KG_PERCENT,
             .help = N_ ("Length error of all rods together, as a share of their total length.")),
  KG_OUTPUT (LinkedRods, center, VECTOR, .label = N_ ("Centre of mass"), .unit = KG_METRES,
             .help = N_ ("Centre of mass of all points.")),
  KG_OUTPUT (LinkedRods, momentum, VECTOR, .label = N_ ("Momentum"), .help = N_ ("Total momentum of all points.")),
  KG_OUTPUT (LinkedRods, angular_momentum, VECTOR, .label = N_ ("Angular momentum"),
             .help = N_ ("Total angular momentum of all points about the origin.")),
  KG_OUTPUT (LinkedRods, energy, NUMBER, .label = N_ ("Energy"),
             .help = N_ ("Kinetic and potential energy in joules: it stays constant.")),
};

KG_SIMULATION (
    sim, linked_rods, LinkedRods, .label = N_ ("Linked Rods"), .version = 2, .since = "0.1",
    .tags = N_ ("pendulum chain double exact lagrange reference assemble physics simulation"),
    .help = N_ (
        "Simulates a few linked rods by the exact equations of mechanics: pendulums, chains, frames. It is slow and "
        "precise, and shows how far off faster simulations are. It also assembles: separate parts fly together."));

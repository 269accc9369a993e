/* sim/gravitation: bodies that attract each other, each a point.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "sim/gravitation.h"

typedef struct {
  const KgGeometry *bodies;
  double constant;
  double softening;
  int method;
  int64_t substeps;
  double opening;
  /* Points with the doubles of places and velocities. */
  KgGeometry *state;
  KgGeometry *geometry;
  double energy;
  double kinetic;
  double potential;
  KgVector momentum;
  KgVector center;
} GravitationNode;

/* Doubles of a point of the state: mass, place, velocity. */
#define N_MEMORY 7
#define KEEPS "points memory int 14"

static const KgChoice gravitation_methods[] = {
  [GRAVITATION_LEAPFROG] = { "leapfrog", N_ ("Leapfrog: keeps the energy") },
  [GRAVITATION_RK4] = { "rk4", N_ ("Runge-Kutta, fourth order") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (gravitation_methods, GRAVITATION_N_METHODS);

typedef struct {
  size_t n;
  double *masses;
  KgVector *places, *velocities;
} Bodies;

static void
bodies_clear (Bodies *bodies)
{
  g_free (bodies->masses);
  g_free (bodies->places);
  g_free (bodies->velocities);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bodies, bodies_clear)

static void
bodies_read (const KgGeometry *state, Bodies *bodies)
{
  const size_t n = kg_geometry_get_n_points (state);
  const double *memory = (const double *) (const void *) kg_geometry_get_int (state, KG_POINTS, "memory", 2 * N_MEMORY);

  *bodies = (Bodies){ n, g_new (double, MAX (n, 1)), g_new (KgVector, MAX (n, 1)), g_new (KgVector, MAX (n, 1)) };
  for (size_t i = 0; i < n; i++, memory += N_MEMORY) {
    bodies->masses[i] = memory[0];
    bodies->places[i] = kg_vector (memory[1], memory[2], memory[3]);
    bodies->velocities[i] = kg_vector (memory[4], memory[5], memory[6]);
  }
}

static void
bodies_write (const Bodies *bodies, KgGeometry *state)
{
  double *memory = (double *) (void *) kg_geometry_edit_int (state, KG_POINTS, "memory", 2 * N_MEMORY);

  for (size_t i = 0; i < bodies->n; i++, memory += N_MEMORY) {
    const double numbers[N_MEMORY] = { bodies->masses[i],      bodies->places[i].x,     bodies->places[i].y,
                                       bodies->places[i].z,    bodies->velocities[i].x, bodies->velocities[i].y,
                                       bodies->velocities[i].z };

    memcpy (memory, numbers, sizeof numbers);
  }
}

static Gravitation
gravitation_get_law (const GravitationNode *n)
{
  return (Gravitation){ n->constant, n->softening, n->opening };
}

static bool
gravitation_start (GravitationNode *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->bodies);
  const float *p = kg_geometry_get_positions (n->bodies);
  const float *mass = kg_geometry_get_float (n->bodies, KG_POINTS, "mass", 1);
  const float *v = kg_geometry_get_float (n->bodies, KG_POINTS, "v", 3);
  g_auto (Bodies) bodies = { count, g_new (double, MAX (count, 1)), g_new (KgVector, MAX (count, 1)),
                             g_new (KgVector, MAX (count, 1)) };

  if (mass == NULL && count > 0)
    kg_context_warn (ctx, "the points have no attribute mass: each has 1 kg");
  n->state = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->state, count, error))
    return false;
  for (size_t i = 0; i < count; i++) {
    bodies.masses[i] = mass != NULL ? (double) mass[i] : 1;
    bodies.places[i] = kg_floats_get_vector (p, i);
    bodies.velocities[i] = v != NULL ? kg_floats_get_vector (v, i) : kg_vector (0, 0, 0);
    if (!(bodies.masses[i] >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "point %zu has the mass %g kg: masses cannot be negative", i,
                    bodies.masses[i]);
      return false;
    }
  }
  bodies_write (&bodies, n->state);
  return true;
}

static bool
gravitation_advance (GravitationNode *n, const KgContext *ctx, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const Gravitation law = gravitation_get_law (n);
  g_auto (Bodies) bodies = { 0 };
  GravitationReport report = { 0, 0 };

  bodies_read (n->state, &bodies);
  if (!gravitation_step (&law, (GravitationMethod) n->method, bodies.n, bodies.masses, dt / (double) n->substeps,
                         (guint) n->substeps, bodies.places, bodies.velocities, &report, &monitor))
    return false;
  for (size_t i = 0; i < bodies.n; i++)
    if (!(kg_vector_length (bodies.places[i]) < 1e30) || !(kg_vector_length (bodies.velocities[i]) < 1e30)) {
      kg_set_error (error, KG_ERROR_DIVERGED,
                    "point %zu moves beyond all bounds at frame %g: give the bodies a softening, or use more substeps",
                    i, ctx->frame);
      return false;
    }
  if (report.meetings > 0)
    kg_context_warn_plural (
        ctx, report.meetings / 2,
        "%zu pair of bodies is at the same position, and the two do not attract each other: set a softening",
        "%zu pairs of bodies are at the same position and do not attract each other: set a softening",
        report.meetings / 2);
  if (report.rough > 0)
    kg_context_warn (
        ctx,
        "bodies pass too close to each other for the steps at frame %g, and fly off at random: set a softening, or use more substeps",
        ctx->frame);
  kg_geometry_make_writable (&n->state);
  bodies_write (&bodies, n->state);
  return true;
}

static bool
gravitation_evaluate (GravitationNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const Gravitation law = gravitation_get_law (n);
  g_auto (Bodies) bodies = { 0 };
  KgVector sum = { 0, 0, 0 };
  double mass = 0;
  float *p, *v;

  bodies_read (n->state, &bodies);
  if (!gravitation_get_energy (&law, bodies.n, bodies.masses, bodies.places, bodies.velocities, &n->kinetic,
                               &n->potential, &n->momentum, &monitor))
    return false;
  n->energy = n->kinetic + n->potential;
  if (kg_geometry_get_n_points (n->bodies) != bodies.n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are %zu bodies now, but there were %zu at the start: keep their number",
                  kg_geometry_get_n_points (n->bodies), bodies.n);
    return false;
  }
  n->geometry = kg_geometry_ref (n->bodies);
  kg_geometry_make_writable (&n->geometry);
  p = kg_geometry_edit_positions (n->geometry);
  v = kg_geometry_edit_float (n->geometry, KG_POINTS, "v", 3);
  for (size_t i = 0; i < bodies.n; i++) {
    sum = kg_vector_add_scaled (sum, bodies.masses[i], bodies.places[i]);
    mass += bodies.masses[i];
    kg_floats_set_vector (p, i, bodies.places[i]);
    kg_floats_set_vector (v, i, bodies.velocities[i]);
  }
  n->center = mass > 0 ? kg_vector_scale (sum, 1 / mass) : kg_vector (0, 0, 0);
  return true;
}

static const KgSlot gravitation_slots[] = {
  KG_INPUT (GravitationNode, bodies, GEOMETRY, .label = N_ ("Bodies"),
            .help = N_ ("A point for each body at the first frame, with the attributes mass (kg) and v (m/s).")),
  KG_INPUT (GravitationNode, constant, NUMBER, .label = N_ ("Constant"), .def = 6.6743e-11, .min = -1e30, .max = 1e30,
            .help = N_ (
                "Gravitational constant, in m³/(kg s²): 6.6743e-11 in nature, 1 for planets of a few metres. Below 0, "
                "bodies repel each other.")),
  KG_INPUT (GravitationNode, softening, NUMBER, .label = N_ ("Softening"), .unit = KG_METRES, .min = 0, .max = 1e12,
            .soft_max = 1,
            .help = N_ ("Distance below which the attraction no longer grows: clouds of bodies need it.")),
  KG_INPUT (GravitationNode, method, CHOICE, .label = N_ ("Method"), .choices = gravitation_methods,
            .group = N_ ("Solver"), .help = N_ ("Integration method.")),
  KG_INPUT (GravitationNode, substeps, INTEGER, .label = N_ ("Substeps"), .def = 8, .min = 1, .max = 100000,
            .soft_max = 100, .group = N_ ("Solver"), .help = N_ ("Number of equal steps in each frame.")),
  KG_INPUT (GravitationNode, opening, NUMBER, .label = N_ ("Opening"), .min = 0, .max = 2, .group = N_ ("Solver"),
            .help = N_ ("0 computes every pair of bodies. Above 0, groups of bodies that are smaller than this "
                        "share of their distance are treated as one: 0.5 suits thousands of bodies.")),
  KG_STATE (GravitationNode, state, GEOMETRY, .keeps = KEEPS),
  KG_OUTPUT (GravitationNode, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("The bodies at their current positions, with their velocities as v.")),
  KG_OUTPUT (GravitationNode, energy, NUMBER, .label = N_ ("Energy"),
             .help = N_ ("Total energy, in joules: its change shows how accurate the steps are.")),
  KG_OUTPUT (GravitationNode, kinetic, NUMBER, .label = N_ ("Kinetic energy"), .help = N_ ("Energy of their motion.")),
  KG_OUTPUT (GravitationNode, potential, NUMBER, .label = N_ ("Potential energy"),
             .help = N_ ("Energy of their attraction: 0 far from each other.")),
  KG_OUTPUT (GravitationNode, momentum, VECTOR, .label = N_ ("Momentum"), .help = N_ ("In kg m/s.")),
  KG_OUTPUT (GravitationNode, center, VECTOR, .label = N_ ("Centre of mass"), .unit = KG_METRES,
             .help = N_ ("Centre of mass, which moves evenly.")),
};

KG_SIMULATION (
    sim, gravitation, GravitationNode, .label = N_ ("Gravitation"), .version = 1, .since = "0.1",
    .tags = N_ ("gravity planets orbit n-body attraction stars galaxy solar system newton barnes hut"),
    .formula = "aᵢ = Σ G mⱼ (xⱼ − xᵢ)/(|xⱼ − xᵢ|² + ε²)^(3/2)\n"
               "leapfrog: v ← v + h/2 a(x), x ← x + h v, v ← v + h/2 a(x)",
    .source =
        "Parent, Computer Animation, 4.3; Barnes and Hut, A hierarchical O(N log N) force-calculation algorithm, 1986",
    .help = N_ (
        "Simulates bodies that attract each other: suns, planets and moons, double stars, clouds that collapse, "
        "galaxies that meet. For one light body around a fixed centre, Law of Motion is exact."));

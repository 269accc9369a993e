/* deform/least_energy: points that restore their shape, battens and rubber bands.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/least_energy.h"
#include "kg-node.h"
#include "kg-floats.h"

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *posed;
  const char *led;
  double pull;
  double shape;
  bool scale;
  double bend;
  double stretch;
  int mode;
  double rate;
  int64_t substeps;
  KgGeometry *state;
  KgGeometry *deformed;
  double energy;
  double shape_energy;
  double bend_energy;
  double stretch_energy;
  double pull_energy;
  KgTransform transform;
} LeastEnergyNode;

enum { MODE_SOLVE, MODE_FLOW, N_MODES };

static const KgChoice least_energy_modes[] = {
  [MODE_SOLVE] = { "solve", N_ ("Solve: at rest in every frame") },
  [MODE_FLOW] = { "flow", N_ ("Flow: approached over time") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (least_energy_modes, N_MODES);

/* (transfer full) */
static LeastEnergy *
least_energy_set_up (const LeastEnergyNode *n, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->geometry);
  const LeastEnergyWeights weights = { .shape = n->shape, .bend = n->bend, .stretch = n->stretch, .scale = n->scale };
  const float *numbers = kg_geometry_get_float (n->geometry, KG_POINTS, n->led, 1);
  const int32_t *group = kg_geometry_get_int (n->geometry, KG_POINTS, n->led, 1);
  g_autofree double *pulls = g_new0 (double, MAX (count, 1));

  if (n->posed != NULL && kg_geometry_get_n_points (n->posed) != count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%zu points are driven, but the geometry has %zu: link the same points in the same order",
                  kg_geometry_get_n_points (n->posed), count);
    return NULL;
  }
  if (n->posed != NULL && count > 0 && numbers == NULL && group == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                  "the points have no attribute \"%s\": mark those that are driven with Group or Attribute", n->led);
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    const double led = numbers != NULL ? (double) numbers[i] : group != NULL ? group[i] : 0;

    pulls[i] = !(led > 0) ? 0 : n->pull > 0 ? led * n->pull : INFINITY;
  }
  return least_energy_new (n->geometry, pulls, &weights, error);
}

/* (transfer full) */
static KgVector *
get_places (const KgGeometry *geometry)
{
  const size_t count = kg_geometry_get_n_points (geometry);
  const float *p = kg_geometry_get_positions (geometry);
  KgVector *places = g_new0 (KgVector, MAX (count, 1));

  for (size_t i = 0; i < count; i++)
    places[i] = kg_floats_get_vector (p, i);
  return places;
}

static KgVector *
get_targets (const LeastEnergyNode *n)
{
  return get_places (n->posed != NULL ? n->posed : n->geometry);
}

static bool
least_energy_start (LeastEnergyNode *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->geometry);
  g_autofree KgVector *places = get_places (n->geometry);

  (void) ctx;
  n->state = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->state, count, error))
    return false;
  if (count > 0)
    memcpy (kg_geometry_edit_int (n->state, KG_POINTS, "place", 6), places, count * sizeof *places);
  return true;
}

/* (transfer full) (nullable) Where the flow has led the points. */
static KgVector *
least_energy_load (const LeastEnergyNode *n, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->geometry), started = kg_geometry_get_n_points (n->state);

  if (started != count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the flow started with %zu points but now has %zu: link a geometry that keeps its points", started,
                  count);
    return NULL;
  }
  return count == 0 ? g_new0 (KgVector, 1)
                    : (KgVector *) g_memdup2 (kg_geometry_get_int (n->state, KG_POINTS, "place", 6),
                                              count * sizeof (KgVector));
}

static bool
least_energy_advance (LeastEnergyNode *n, const KgContext *ctx, double dt, GError **error)
{
  g_autoptr (LeastEnergy) energy = NULL;
  g_autofree KgVector *points = NULL, *targets = NULL;
  LeastEnergyReport report;

  (void) ctx;
  if (n->mode == MODE_SOLVE)
    return true;
  energy = least_energy_set_up (n, error);
  if (energy == NULL || (points = least_energy_load (n, error)) == NULL)
    return false;
  targets = get_targets (n);
  least_energy_flow (energy, targets, n->rate, dt, (guint) n->substeps, points, &report);
  kg_geometry_make_writable (&n->state);
  if (kg_geometry_get_n_points (n->state) > 0)
    memcpy (kg_geometry_edit_int (n->state, KG_POINTS, "place", 6), points,
            kg_geometry_get_n_points (n->state) * sizeof *points);
  return true;
}

static bool
least_energy_evaluate (LeastEnergyNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t count = kg_geometry_get_n_points (n->geometry);
  g_autoptr (LeastEnergy) energy = least_energy_set_up (n, error);
  g_autofree KgVector *points = NULL, *targets = NULL;
  LeastEnergyReport report;
  float *p;

  if (energy == NULL || (points = least_energy_load (n, error)) == NULL)
    return false;
  targets = get_targets (n);
  if (n->mode == MODE_FLOW)
    least_energy_flow (energy, targets, 0, 0, 1, points, &report);
  else if (!least_energy_solve (energy, targets, points, &report, &monitor))
    return false;
  if (report.loose && n->mode == MODE_SOLVE && n->posed != NULL)
    kg_context_warn (
        ctx,
        "nothing holds some of the points: they stay as close to rest as the others allow; drive two points of each "
        "line, or give the shape a weight");
  n->energy = report.energy;
  n->shape_energy = report.shape;
  n->bend_energy = report.bend;
  n->stretch_energy = report.stretch;
  n->pull_energy = report.pull;
  n->transform = least_energy_get_transform (energy, &report);
  n->deformed = kg_geometry_ref (n->geometry);
  kg_geometry_make_writable (&n->deformed);
  p = kg_geometry_edit_positions (n->deformed);
  for (size_t i = 0; i < count; i++)
    kg_floats_set_vector (p, i, points[i]);
  if (kg_geometry_get_float (n->deformed, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->deformed);
  return true;
}

static const KgSlot least_energy_slots[] = {
  KG_INPUT (
      LeastEnergyNode, geometry, GEOMETRY, .label = N_ ("Geometry"),
      .help =
          N_ ("The shape at rest. Its points are weighted by their attribute weight; without it, all count equally.")),
  KG_INPUT (LeastEnergyNode, posed, GEOMETRY, .label = N_ ("Posed"), .optional = true,
            .help = N_ ("The same points in the same order, at their targets; only driven points are used.")),
  KG_INPUT (LeastEnergyNode, led, TEXT, .label = N_ ("Driven"), .def_text = "led",
            .help = N_ ("Name of the group, or attribute, of the points that are driven.")),
  KG_INPUT (LeastEnergyNode, pull, NUMBER, .label = N_ ("Pull"), .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Weight with which driven points are pulled. At 0 they are held exactly.")),
  KG_INPUT (LeastEnergyNode, shape, NUMBER, .label = N_ ("Shape"), .def = 1, .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Weight of the shape: all points together keep it, wherever it is and however it is rotated.")),
  KG_INPUT (LeastEnergyNode, scale, BOOLEAN, .label = N_ ("Any size"), .help = N_ ("The shape may change its size.")),
  KG_INPUT (
      LeastEnergyNode, bend, NUMBER, .label = N_ ("Bend"), .min = 0, .max = 1e9, .soft_max = 10,
      .help = N_ ("Weight against the bending of polylines: with a shape of 0, a batten through the driven points.")),
  KG_INPUT (LeastEnergyNode, stretch, NUMBER, .label = N_ ("Stretch"), .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Weight against the length of polylines: a rubber band; with bending, a spline in tension.")),
  KG_INPUT (
      LeastEnergyNode, mode, CHOICE, .label = N_ ("Mode"), .choices = least_energy_modes, .fixed = true,
      .help = N_ ("With Solve, points are at rest in every frame. With Flow, they move there from frame to frame.")),
  KG_INPUT (LeastEnergyNode, rate, NUMBER, .label = N_ ("Rate"), .def = 1, .min = 0, .max = 1e6, .soft_max = 10,
            .shown_when = "mode=flow", .help = N_ ("How fast points move towards lower energy.")),
  KG_INPUT (LeastEnergyNode, substeps, INTEGER, .label = N_ ("Substeps"), .def = 2, .min = 1, .max = 10000,
            .soft_max = 50, .shown_when = "mode=flow", .help = N_ ("Number of steps per frame.")),
  KG_STATE (LeastEnergyNode, state, GEOMETRY, .keeps = "points place int 6"),
  KG_OUTPUT (LeastEnergyNode, deformed, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The points at rest.")),
  KG_OUTPUT (LeastEnergyNode, energy, NUMBER, .label = N_ ("Energy"), .help = N_ ("Sum of all energies.")),
  KG_OUTPUT (LeastEnergyNode, shape_energy, NUMBER, .label = N_ ("Energy of the shape"),
             .help = N_ ("Weighted squares of the distances of the points from the shape; 0 for rigid moves.")),
  KG_OUTPUT (LeastEnergyNode, bend_energy, NUMBER, .label = N_ ("Energy of bending"),
             .help = N_ ("Weighted squares of the curvature, over the length.")),
  KG_OUTPUT (LeastEnergyNode, stretch_energy, NUMBER, .label = N_ ("Energy of stretching"),
             .help = N_ ("Weighted squares of the stretch, over the length.")),
  KG_OUTPUT (LeastEnergyNode, pull_energy, NUMBER, .label = N_ ("Energy of the pull"),
             .help = N_ ("Weighted squares of the distances of driven points from their targets.")),
  KG_OUTPUT (LeastEnergyNode, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("How the shape as a whole has moved: a rigid transform, except for its size.")),
};

KG_SIMULATION (
    deform, least_energy, LeastEnergyNode, .label = N_ ("Least Energy"), .version = 1, .since = "0.1",
    .tags = N_ ("spline batten elastic rubber shape matching restore bend stretch tension handles drag physics soft"),
    .formula = "E = k Σ w |x − (s R x̄ + t)|² + b Σ |Pᵢ₋₁ − 2 Pᵢ + Pᵢ₊₁|² / h³ + c Σ |Pᵢ₊₁ − Pᵢ|² / h\ndx/dt = −r ∇E",
    .source =
        "Parent, Computer Animation, 4.5.3; Witkin, Fleischer and Barr 1987; Terzopoulos and others 1987; Müller, "
        "Heidelberger, Teschner and Gross 2005",
    .help = N_ (
        "Deforms a geometry by driving some of its points: the others restore its shape, or bend and stretch its "
        "lines as little as possible. A few driven points move, rotate and bend the whole."));

/* rig/energy: rigid things that are pulled together until their relations are met, or chase them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "rig/energy.h"

#include <inttypes.h>

#define MAX_THINGS 200
#define MAX_RELATIONS 1000
#define WORDS 16

typedef struct {
  KgList things;
  KgList transforms;
  const char *relations;
  KgList places;
  const KgTable *held;
  int mode;
  double rate;
  int64_t substeps;
  int64_t iterations;
  double tolerance;
  KgGeometry *state;
  KgGeometry *geometry;
  KgGeometry *poses;
  double energy;
  double gradient_norm;
  bool converged;
  int64_t steps;
  KgTable *residuals;
} EnergyNode;

enum { MODE_SOLVE, MODE_FLOW, N_MODES };

static const KgChoice energy_modes[] = {
  [MODE_SOLVE] = { "solve", N_ ("Solve: met at every frame") },
  [MODE_FLOW] = { "flow", N_ ("Flow: approached over time") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (energy_modes, N_MODES);

/* What the inputs say, ready for the solver. */
typedef struct {
  EnergyModel model;
  GArray *constraints;
  bool *held;
  KgVector *center;
  double *size;
  TriangleMesh **meshes;
} Setup;

static void
setup_clear (Setup *setup)
{
  for (guint i = 0; setup->meshes != NULL && i < setup->model.n_things; i++)
    g_clear_pointer (&setup->meshes[i], triangle_mesh_free);
  g_free (setup->meshes);
  g_free (setup->held);
  g_free (setup->center);
  g_free (setup->size);
  if (setup->constraints != NULL)
    g_array_unref (setup->constraints);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Setup, setup_clear)

/* Puts places and meshes into the constraints. */
static bool
energy_complete (const EnergyNode *n, const KgContext *ctx, Setup *setup, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);

  for (guint i = 0; i < setup->constraints->len; i++) {
    EnergyConstraint *k = &g_array_index (setup->constraints, EnergyConstraint, i);
    const bool on_mesh = (k->kind == ENERGY_FLOAT || k->kind == ENERGY_REST || k->kind == ENERGY_APART) &&
                         k->surface.kind == ENERGY_MESH;

    if (k->place > n->places.n) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "line %u: there are %u places, counted from 0: link one more, or name another", k->line,
                    n->places.n);
      return false;
    }
    if (k->place > 0)
      k->point_b = n->places.items[k->place - 1].vector;
    if (!on_mesh)
      continue;
    if (setup->meshes[k->b] == NULL) {
      setup->meshes[k->b] = triangle_mesh_new (n->things.items[k->b].geometry, &monitor, error);
      if (setup->meshes[k->b] == NULL)
        return false;
    }
    if (setup->meshes[k->b]->n == 0) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "line %u: thing %u has no faces: name a surface, such as ball x y z r, or link a mesh", k->line,
                    k->b);
      return false;
    }
    k->surface.mesh = setup->meshes[k->b];
  }
  return true;
}

static bool
energy_set_up (const EnergyNode *n, const KgContext *ctx, Setup *setup, GError **error)
{
  const guint count = n->things.n;

  if (count > MAX_THINGS) {
    kg_set_error (error, KG_ERROR_LIMIT, "there are %u things: link at most %d", count, MAX_THINGS);
    return false;
  }
  setup->held = g_new0 (bool, count + 1);
  setup->center = g_new0 (KgVector, count + 1);
  setup->size = g_new0 (double, count + 1);
  setup->meshes = g_new0 (TriangleMesh *, count + 1);
  setup->model = (EnergyModel){ .n_things = count, .held = setup->held, .center = setup->center, .size = setup->size };
  for (guint i = 0; i < count; i++) {
    KgVector low, high;
    const bool any = kg_geometry_get_bounds (n->things.items[i].geometry, &low, &high);
    const double size = 0.5 * kg_vector_distance (low, high);

    setup->center[i] = any ? kg_vector_lerp (low, high, 0.5) : kg_vector (0, 0, 0);
    setup->size[i] = size > 1e-9 ? size : 1;
  }
  for (size_t i = 0; n->held != NULL && i < kg_table_get_n_rows (n->held); i++) {
    const double thing = kg_table_get_row (n->held, i)[0];

    if (!(thing >= 0 && thing < count)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "thing %g is to be held: there are %u, counted from 0 in the order of the links", thing, count);
      return false;
    }
    setup->held[(guint) thing] = true;
  }
  setup->constraints = energy_read (n->relations, count, error);
  if (setup->constraints == NULL)
    return false;
  if (setup->constraints->len > MAX_RELATIONS) {
    kg_set_error (error, KG_ERROR_LIMIT, "there are %u relations: use at most %d", setup->constraints->len,
                  MAX_RELATIONS);
    return false;
  }
  setup->model.constraints = (const EnergyConstraint *) (const void *) setup->constraints->data;
  setup->model.n_constraints = setup->constraints->len;
  return energy_complete (n, ctx, setup, error);
}

static EnergyPose
energy_get_start (const EnergyNode *n, guint thing)
{
  EnergyPose pose = { kg_vector (0, 0, 0), kg_rotation_identity () };

  if (thing < n->transforms.n) {
    const KgTransform t = *n->transforms.items[thing].transform;

    pose = (EnergyPose){ kg_transform_get_place (&t), kg_rotation_from_transform (t) };
  }
  return pose;
}

static void
energy_store (KgGeometry *state, const EnergyPose *poses, guint n)
{
  int32_t *to = kg_geometry_edit_int (state, KG_POINTS, "pose", WORDS);

  for (guint i = 0; i < n; i++)
    memcpy (to + (size_t) WORDS * i, &poses[i], sizeof poses[i]);
}

/* What leads the others now: things where their transforms say, and, after them, places. */
static EnergyPose *
energy_get_leads (const EnergyNode *n)
{
  EnergyPose *leads = g_new0 (EnergyPose, (gsize) n->things.n + n->places.n + 1);

  for (guint i = 0; i < n->things.n; i++)
    leads[i] = energy_get_start (n, i);
  for (guint i = 0; i < n->places.n; i++)
    leads[n->things.n + i] = (EnergyPose){ n->places.items[i].vector, kg_rotation_identity () };
  return leads;
}

/* (transfer full) The poses of the state; what is held is where its transform says. */
static EnergyPose *
energy_load (const EnergyNode *n, const Setup *setup, GError **error)
{
  const guint count = n->things.n;
  const int32_t *from = kg_geometry_get_int (n->state, KG_POINTS, "pose", WORDS);
  EnergyPose *poses;

  if (kg_geometry_get_n_points (n->state) != count + n->places.n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are %u things and places now, but there were %zu at the start: keep their number",
                  count + n->places.n, kg_geometry_get_n_points (n->state));
    return NULL;
  }
  poses = g_new0 (EnergyPose, count + 1);
  for (guint i = 0; i < count; i++) {
    if (setup->held[i] || n->mode == MODE_SOLVE)
      poses[i] = energy_get_start (n, i);
    else
      memcpy (&poses[i], from + (size_t) WORDS * i, sizeof poses[i]);
  }
  return poses;
}

static bool
energy_start (EnergyNode *n, const KgContext *ctx, GError **error)
{
  g_autofree EnergyPose *leads = energy_get_leads (n);

  (void) ctx;
  n->state = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->state, (size_t) n->things.n + n->places.n, error))
    return false;
  energy_store (n->state, leads, n->things.n + n->places.n);
  return true;
}

/* Puts what leads where it is after a share of the frame. */
static void
energy_lead (const EnergyNode *n, const Setup *setup, const EnergyPose *leads, double share, EnergyPose *poses)
{
  const int32_t *kept = kg_geometry_get_int (n->state, KG_POINTS, "pose", WORDS);

  for (guint i = 0; i < n->things.n; i++)
    if (setup->held[i]) {
      EnergyPose from;

      memcpy (&from, kept + (size_t) WORDS * i, sizeof from);
      poses[i].place = kg_vector_lerp (from.place, leads[i].place, share);
      poses[i].turn = kg_rotation_slerp (from.turn, leads[i].turn, share);
    }
  for (guint i = 0; i < setup->constraints->len; i++) {
    EnergyConstraint *k = &g_array_index (setup->constraints, EnergyConstraint, i);
    const guint at = n->things.n + k->place - 1;
    EnergyPose from;

    if (k->place == 0)
      continue;
    memcpy (&from, kept + (size_t) WORDS * at, sizeof from);
    k->point_b = kg_vector_lerp (from.place, leads[at].place, share);
  }
}

static bool
energy_advance (EnergyNode *n, const KgContext *ctx, double dt, GError **error)
{
  g_auto (Setup) setup = { .constraints = NULL };
  g_autofree EnergyPose *poses = NULL, *leads = NULL;
  guint halved = 0;

  if (n->mode == MODE_SOLVE)
    return true;
  if (!energy_set_up (n, ctx, &setup, error) || (poses = energy_load (n, &setup, error)) == NULL)
    return false;
  leads = energy_get_leads (n);
  for (int64_t i = 0; i < n->substeps; i++) {
    if (kg_context_is_cancelled (ctx))
      return false;
    /* A step goes by the slope at its start. */
    energy_lead (n, &setup, leads, (double) i / (double) n->substeps, poses);
    halved += energy_flow (&setup.model, poses, n->rate * dt / (double) n->substeps);
  }
  if (halved > 0)
    kg_context_warn (ctx, "the flow overshoots: its steps were halved %u times; use more substeps, or a lower rate",
                     halved);
  for (guint i = 0; i < n->things.n; i++)
    if (!setup.held[i])
      leads[i] = poses[i];
  kg_geometry_make_writable (&n->state);
  energy_store (n->state, leads, n->things.n + n->places.n);
  return true;
}

/* Results. */

static bool
energy_place (EnergyNode *n, const EnergyPose *poses, GError **error)
{
  float *p, *orient;

  n->geometry = kg_geometry_new ();
  n->poses = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->poses, n->things.n, error))
    return false;
  p = kg_geometry_edit_positions (n->poses);
  orient = kg_geometry_edit_float (n->poses, KG_POINTS, "orient", 4);
  for (guint i = 0; i < n->things.n; i++) {
    const KgTransform transform = kg_transform_from_parts (poses[i].place, poses[i].turn, kg_vector (1, 1, 1));
    g_autoptr (KgGeometry) thing = kg_geometry_ref (n->things.items[i].geometry);
    const KgRotation q = poses[i].turn;

    kg_floats_set_vector (p, i, poses[i].place);
    kg_floats_set_rotation (orient, i, q);
    kg_geometry_make_writable (&thing);
    kg_geometry_transform (thing, &transform);
    if (!kg_geometry_append (n->geometry, thing, error))
      return false;
  }
  return true;
}

static bool
energy_report (EnergyNode *n, const KgContext *ctx, const Setup *setup, const EnergyPose *poses, GError **error)
{
  static const char *const names[] = { "line", "energy" };
  double *cells, worst = 0;
  guint at = 0;

  n->residuals = kg_table_new (2, names, setup->constraints->len, error);
  if (n->residuals == NULL)
    return false;
  cells = kg_table_edit (n->residuals);
  for (guint i = 0; i < setup->constraints->len; i++) {
    cells[2 * i] = setup->model.constraints[i].line;
    cells[2 * i + 1] = energy_get_one (&setup->model, poses, i);
    if (cells[2 * i + 1] > worst) {
      worst = cells[2 * i + 1];
      at = setup->model.constraints[i].line;
    }
  }
  if (n->mode == MODE_SOLVE && n->converged && n->energy > 1e-6)
    kg_context_warn (
        ctx,
        "the relations cannot all be met, or not from where the things start: an energy of %g is left, most of it in "
        "line %u",
        n->energy, at);
  return true;
}

static bool
energy_evaluate (EnergyNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_auto (Setup) setup = { .constraints = NULL };
  g_autofree EnergyPose *poses = NULL;
  g_autofree double *gradient = NULL;
  LeastSquaresReport report = { .converged = false };

  if (!energy_set_up (n, ctx, &setup, error) || (poses = energy_load (n, &setup, error)) == NULL)
    return false;
  if (n->mode == MODE_SOLVE &&
      !energy_solve (&setup.model, poses, (guint) n->iterations, n->tolerance, &report, &monitor))
    return false;
  /* Where there is nothing to solve, everything is. */
  if (setup.constraints->len == 0)
    report.converged = true;
  gradient = g_new0 (double, 6 * n->things.n + 1);
  n->energy = energy_get (&setup.model, poses, gradient);
  for (guint i = 0; i < 6 * n->things.n; i++)
    n->gradient_norm += gradient[i] * gradient[i];
  n->gradient_norm = sqrt (n->gradient_norm);
  n->steps = report.iterations;
  n->converged = n->mode == MODE_SOLVE ? report.converged : n->gradient_norm <= n->tolerance;
  if (n->mode == MODE_SOLVE && !report.converged)
    kg_context_warn (ctx, "not solved after %" PRId64 " steps: an energy of %g is left; allow more steps",
                     n->iterations, n->energy);
  return energy_report (n, ctx, &setup, poses, error) && energy_place (n, poses, error);
}

static const KgSlot energy_slots[] = {
  KG_INPUTS (EnergyNode, things, GEOMETRY, .label = N_ ("Things"),
             .help = N_ ("Rigid things, counted from 0 in the order of the links. Each is rotated about its centre.")),
  KG_INPUTS (
      EnergyNode, transforms, TRANSFORM, .label = N_ ("Transforms"), .optional = true,
      .help = N_ (
          "Transforms in which the things start, in the same order; without one they start where they were modelled. "
          "Held things follow theirs over time.")),
  KG_INPUT (
      EnergyNode, relations, TEXT, .label = N_ ("Relations"), .multiline = true, .manual = "relations",
      .help = N_ (
          "Relations between things, one per line. For example, \"join 0 0.5 0 0 1 -0.5 0 0\" joins a point of thing 0 to a point of thing 1. Points are in the coordinates of their things, and things are counted from 0.")),
  KG_INPUTS (EnergyNode, places, VECTOR, .label = N_ ("Places"), .optional = true,
             .help = N_ ("Positions that relations can refer to, counted from 0: link or key them to guide things.")),
  KG_INPUT (EnergyNode, held, TABLE, .label = N_ ("Held"), .columns = kg_table_numbers, .optional = true,
            .help = N_ ("Indices of the things that do not move by themselves.")),
  KG_INPUT (
      EnergyNode, mode, CHOICE, .label = N_ ("Mode"), .choices = energy_modes, .fixed = true,
      .help =
          N_ ("With Solve, relations are met at every frame, as well as possible. With Flow, things move towards them "
              "from frame to frame: they assemble, or lag behind what they chase.")),
  KG_INPUT (EnergyNode, rate, NUMBER, .label = N_ ("Rate"), .def = 1, .min = 0, .max = 1e6, .soft_max = 10,
            .shown_when = "mode=flow", .help = N_ ("How fast things move towards lower energy.")),
  KG_INPUT (EnergyNode, substeps, INTEGER, .label = N_ ("Substeps"), .def = 4, .min = 1, .max = 10000, .soft_max = 50,
            .shown_when = "mode=flow", .help = N_ ("Number of steps per frame.")),
  KG_INPUT (EnergyNode, iterations, INTEGER, .label = N_ ("Most steps"), .def = 200, .min = 1, .max = 100000,
            .soft_max = 1000, .shown_when = "mode=solve", .help = N_ ("Largest number of steps of the solver.")),
  KG_INPUT (EnergyNode, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-9, .min = 1e-15, .max = 1,
            .soft_max = 1e-3, .help = N_ ("Movement, in metres, below which nothing changes any more.")),
  KG_STATE (EnergyNode, state, GEOMETRY, .keeps = "points pose int 16"),
  KG_OUTPUT (EnergyNode, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The assembled things.")),
  KG_OUTPUT (EnergyNode, poses, GEOMETRY, .label = N_ ("Poses"),
             .help = N_ ("A point for each thing, with orient: anything copied to it moves with the thing.")),
  KG_OUTPUT (EnergyNode, energy, NUMBER, .label = N_ ("Energy"),
             .help = N_ ("Sum of the weighted squares of all errors; 0 where all relations are met.")),
  KG_OUTPUT (EnergyNode, gradient_norm, NUMBER, .label = N_ ("Gradient"),
             .help = N_ ("Slope of the energy; 0 where things are at rest.")),
  KG_OUTPUT (EnergyNode, converged, BOOLEAN, .label = N_ ("Converged"), .help = N_ ("Whether things are at rest.")),
  KG_OUTPUT (EnergyNode, steps, INTEGER, .label = N_ ("Steps taken"), .help = N_ ("Steps of the solver.")),
  KG_OUTPUT (EnergyNode, residuals, TABLE, .label = N_ ("Residuals"),
             .help = N_ ("The energy of each relation, with its line.")),
};

KG_SIMULATION (
    rig, energy, EnergyNode, .label = N_ ("Energy Constraints"), .version = 2, .since = "0.1",
    .tags = N_ ("assemble constraint attach contact chase goal solver self-assembly witkin physics"),
    .formula = "E = Σ w |P_a − P_b|² + …\ndΨ/dt = −r ∇E",
    .source = "Witkin, Fleischer and Barr 1987; Parent, Computer Animation, 4.5.3",
    .help = N_ (
        "Assembles rigid things by relations between their points and surfaces: parts attach, lie flat on one "
        "another, slide over surfaces. Each relation is an energy; things move to minimise the sum, at once or over "
        "time."));

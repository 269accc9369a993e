/* sim/soft_body: any mesh as masses, springs, dampers and hinges: jelly, sheets, dough.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "sim/spring_body.h"
#include "sim/spring_self.h"

#include <inttypes.h>

/* Steps this many times longer than the limit are refused: they would only explode. */
#define REFUSED 10
#define MOST_SUBSTEPS 10000
/* Tearing may make the points so many times as many. */
#define MOST_COPIES 8

typedef struct {
  KgGeometry *body;
  double mass;
  int spread;
  KgVector velocity;
  double stiffness;
  double damping;
  bool per_length;
  int brace;
  double brace_stiffness;
  bool stretch_only;
  double bend;
  double bend_damping;
  double bulk;
  int balance;
  double pressure;
  double pin_stiffness;
  double goal;
  KgVector gravity;
  KgList forces;
  bool weigh;
  double drag;
  KgList air;
  int drag_direction;
  const KgTable *strikes;
  int strike_at;
  bool ground;
  double ground_height;
  const KgGeometry *obstacle;
  double thickness;
  double restitution;
  double friction;
  bool self_collision;
  double self_thickness;
  double yield;
  double creep;
  double plastic_max;
  double relax_time;
  double relax_share;
  double tear;
  int tear_by;
  int method;
  int64_t substeps;
  double max_force;
  KgGeometry *state;
  KgGeometry *springs;
  KgGeometry *hinges;
  KgGeometry *geometry;
  double energy;
  double elastic;
  KgVector momentum;
  KgVector angular_momentum;
  double max_strain;
  double residual;
  double volume;
  double step_limit;
  double frequency;
  double wave_speed;
  int64_t spring_count;
  int64_t torn;
} SoftBody;

enum { BALANCE_EXACT, BALANCE_AVERAGE, N_BALANCES };
enum { DRAG_ALONG_WIND, DRAG_ALONG_NORMAL, N_DRAGS };
enum { STRIKE_POINT, STRIKE_FACE, N_STRIKES };
enum { TEAR_FACES, TEAR_SPRINGS, N_TEARS };

static const KgChoice soft_body_spreads[] = {
  [SPREAD_EVEN] = { "even", N_ ("Evenly over the points") },
  [SPREAD_LENGTH] = { "length", N_ ("By the length of edges") },
  [SPREAD_AREA] = { "area", N_ ("By the area of faces") },
  [SPREAD_VOLUME] = { "volume", N_ ("By the volume of tetrahedra") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_body_spreads, N_SPREADS);

static const KgChoice soft_body_braces[] = {
  [BRACE_NONE] = { "none", N_ ("None") },
  [BRACE_FACES] = { "faces", N_ ("Diagonals of faces") },
  [BRACE_INTERIOR] = { "interior", N_ ("To the farthest point") },
  [BRACE_BOTH] = { "both", N_ ("Diagonals and farthest point") },
  [BRACE_SECOND] = { "second", N_ ("To the second neighbour") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_body_braces, N_BRACES);

static const KgChoice soft_body_balances[] = {
  [BALANCE_EXACT] = { "exact", N_ ("Exact") },
  [BALANCE_AVERAGE] = { "average", N_ ("Half at each end of the hinge") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_body_balances, N_BALANCES);

static const KgChoice soft_body_drags[] = {
  [DRAG_ALONG_WIND] = { "wind", N_ ("Along the wind") },
  [DRAG_ALONG_NORMAL] = { "normal", N_ ("Along the normal of the face") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_body_drags, N_DRAGS);

static const KgChoice soft_body_strikes[] = {
  [STRIKE_POINT] = { "point", N_ ("The nearest point") },
  [STRIKE_FACE] = { "face", N_ ("The corners of the nearest face") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_body_strikes, N_STRIKES);

static const KgChoice soft_body_tears[] = {
  [TEAR_FACES] = { "faces", N_ ("Faces come apart at their points") },
  [TEAR_SPRINGS] = { "springs", N_ ("Springs break") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_body_tears, N_TEARS);

static const KgChoice soft_body_methods[] = {
  [SPRING_SEMI_IMPLICIT] = { "semi-implicit", N_ ("Semi-implicit Euler") },
  [SPRING_VERLET] = { "verlet", N_ ("Verlet") },
  [SPRING_MIDPOINT] = { "midpoint", N_ ("Midpoint") },
  [SPRING_RK4] = { "rk4", N_ ("Runge-Kutta, fourth order") },
  [SPRING_IMPLICIT] = { "implicit", N_ ("Implicit Euler: stable with any step") },
  [SPRING_EXPLICIT] = { "explicit", N_ ("Explicit Euler, for comparison") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_body_methods, SPRING_N_METHODS);

static const KgTableColumn soft_body_strike_columns[] = {
  { .name = "time", .label = N_ ("Time") },
  { .name = "x", .label = N_ ("X") },
  { .name = "y", .label = N_ ("Y") },
  { .name = "z", .label = N_ ("Z") },
  { .name = "impulse_x", .label = N_ ("Impulse X") },
  { .name = "impulse_y", .label = N_ ("Impulse Y") },
  { .name = "impulse_z", .label = N_ ("Impulse Z") },
  { .name = "duration", .label = N_ ("Duration"), .def = 0, .optional = true },
  KG_TABLE_COLUMNS_END,
};
enum { STRIKE_TIME, STRIKE_X, STRIKE_IX = 4, STRIKE_DURATION = 7, STRIKE_N_COLUMNS };

/* What starts below the ground is put onto it at once. */
static void
soft_body_warn_ground (const SoftBody *n, const KgContext *ctx)
{
  const float *p = kg_geometry_get_positions (n->body), *pin = kg_geometry_get_float (n->body, KG_POINTS, "pin", 1);
  double depth = 0;

  for (size_t i = 0; n->ground && i < kg_geometry_get_n_points (n->body); i++)
    if (pin == NULL || !(pin[i] > 0))
      depth = fmax (depth, n->ground_height - (double) p[3 * i + 1]);
  if (depth > 1e-6 * (1 + fabs (n->ground_height)))
    kg_context_warn (ctx,
                     "the body starts up to %g m below the ground, and is flattened onto it: raise the body, or lower "
                     "the ground",
                     depth);
}

static bool
soft_body_check_yield (const SoftBody *n, GError **error)
{
  if (n->yield >= 0)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "the yield is %g%%: use 0 for an elastic body, or a strain above 0",
                100 * n->yield);
  return false;
}

static bool
soft_body_start (SoftBody *n, const KgContext *ctx, GError **error)
{
  const SpringBodyOptions options = { .mass = n->mass,
                                      .spread = (SpringSpread) n->spread,
                                      .brace = (SpringBrace) n->brace,
                                      .brace_share = n->brace_stiffness,
                                      .per_length = n->per_length,
                                      .hinges = true,
                                      .velocity = n->velocity };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  SpringBodyState state = { NULL, NULL, NULL };
  SpringBodyNotes notes;
  const bool done = soft_body_check_yield (n, error) &&
                    spring_body_start (n->body, &options, &state, &notes, &monitor, error);

  n->state = state.body;
  n->springs = state.springs;
  n->hinges = state.hinges;
  if (done && notes.n_zero > 0)
    kg_context_warn_plural (ctx, notes.n_zero, "%zu edge has the length 0 and no direction: it is not a spring",
                            "%zu edges have the length 0 and no direction: they are not springs", notes.n_zero);
  if (done && notes.n_loose > 0)
    kg_context_warn_plural (ctx, notes.n_loose, "%zu point belongs to no edge: nothing holds it; delete it, or pin it",
                            "%zu points belong to no edge: nothing holds them; delete them, or pin them",
                            notes.n_loose);
  if (done && notes.n_flat > 0)
    kg_context_warn_plural (
        ctx, notes.n_flat, "%zu tetrahedron has no volume or is inside out: its volume is not preserved",
        "%zu tetrahedra have no volume or are inside out: their volume is not preserved", notes.n_flat);
  if (done && notes.n_tetrahedra == 0 && n->bulk > 0)
    kg_context_warn (ctx, "the body has no tetrahedra, so the volume stiffness does nothing: fill it by Tetrahedra, or "
                          "use the pressure");
  if (done && notes.n_hinges == 0 && n->bend > 0)
    kg_context_warn (ctx,
                     "no two faces of the body share an edge and no line has a corner, so the bending stiffness does "
                     "nothing: link a geometry with more faces or longer lines");
  if (done && notes.n_tetrahedra > 0 && n->tear > 0 && n->tear_by == TEAR_FACES)
    kg_context_warn (ctx, "tetrahedra do not come apart with their faces: let springs break");
  if (done)
    soft_body_warn_ground (n, ctx);
  return done;
}

/* Where pins and goals go in a frame. */
typedef struct {
  KgVector *from, *to; /* of all points: what is held goes on from where it is, a goal from where it was */
  uint8_t *held;
} Pins;

static void
pins_clear (Pins *pins)
{
  g_free (pins->from);
  g_free (pins->to);
  g_free (pins->held);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pins, pins_clear)

static bool
soft_body_read_pins (const SoftBody *n, SpringNet *net, Pins *pins, GError **error)
{
  const size_t count = kg_geometry_get_n_points (n->body), m = MAX (net->n_points, 1);
  const float *pin = kg_geometry_get_float (n->body, KG_POINTS, "pin", 1);
  const float *p = kg_geometry_get_positions (n->body),
              *goals = kg_geometry_get_float (n->state, KG_POINTS, "goal_from", 3);

  pins->from = g_new (KgVector, m);
  pins->to = g_new (KgVector, m);
  pins->held = g_new0 (uint8_t, m);
  net->pull_damping = n->damping;
  for (size_t i = 0; i < net->n_points; i++) {
    const size_t origin = (size_t) net->points[i].origin;
    const double weight = pin != NULL && origin < count ? (double) pin[origin] : 0;

    if (origin >= count) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "the geometry has %zu points now, but had more at the start: keep its points, and hide those that should "
          "not be seen where it is drawn",
          count);
      return false;
    }
    pins->held[i] = weight > 0 && !(n->pin_stiffness > 0);
    pins->from[i] = pins->held[i] ? net->points[i].x : kg_floats_get_vector (goals, i);
    pins->to[i] = kg_floats_get_vector (p, origin);
    net->pull[i] = n->goal + (weight > 0 ? weight * n->pin_stiffness : 0);
    net->target[i] = pins->to[i];
    if (pins->held[i]) {
      net->inverse[i] = 0;
      net->pull[i] = 0;
    }
  }
  return true;
}

/* Goals move evenly within a frame, and dampers act against their velocity: what goes along with its goal is not held back. */
static void
pins_advance (const Pins *pins, SpringNet *net, int64_t step, int64_t n_steps, double time, double h)
{
  const double part = (double) step / (double) n_steps, next = (double) (step + 1) / (double) n_steps;

  net->target_time = time;
  for (size_t i = 0; i < net->n_points; i++)
    if (pins->held[i])
      net->points[i].v = kg_vector_scale (
          kg_vector_subtract (kg_vector_lerp (pins->from[i], pins->to[i], next), net->points[i].x), 1 / h);
    else if (net->pull[i] > 0) {
      net->target[i] = kg_vector_lerp (pins->from[i], pins->to[i], part);
      net->drift[i] = kg_vector_scale (kg_vector_subtract (pins->to[i], pins->from[i]), 1 / (h * (double) n_steps));
    }
}

/* The next frame's goals go on from those of this one. */
static void
pins_store (const Pins *pins, size_t n, KgGeometry *state)
{
  float *goals = kg_geometry_edit_float (state, KG_POINTS, "goal_from", 3);

  for (size_t i = 0; i < n; i++)
    kg_floats_set_vector (goals, i, pins->to[i]);
}

/* The sum of a list of fields; NULL and true where it is empty. */
static bool
soft_body_add_fields (const KgList *list, KgField **sum, GError **error)
{
  g_autofree const KgField **fields = g_new (const KgField *, MAX (list->n, 1));

  for (guint i = 0; i < list->n; i++)
    fields[i] = list->items[i].field;
  *sum = list->n > 0 ? kg_field_new_sum (fields, list->n, error) : NULL;
  return list->n == 0 || *sum != NULL;
}

static SpringSettings
soft_body_get_settings (const SoftBody *n, const KgField *force, const KgField *air)
{
  return (SpringSettings){ .stiffness = n->stiffness,
                           .damping = n->damping,
                           .stretch_only = n->stretch_only,
                           .bend = n->bend,
                           .bend_damping = n->bend_damping,
                           .bulk = n->bulk,
                           .average = n->balance == BALANCE_AVERAGE,
                           .pressure = n->pressure,
                           .gravity = n->gravity,
                           .force = force,
                           .weigh = n->weigh,
                           .air = air,
                           .drag = n->drag,
                           .drag_normal = n->drag_direction == DRAG_ALONG_NORMAL,
                           .max_force = n->max_force,
                           .yield = n->yield,
                           .creep = n->creep,
                           .plastic_max = n->plastic_max,
                           .relax_time = n->relax_time,
                           .relax_share = n->relax_share,
                           .tear = n->tear,
                           .tear_springs = n->tear_by == TEAR_SPRINGS };
}

/* The volume that the body encloses at its start, which its P still has. */
static double
soft_body_get_rest_volume (const KgGeometry *body)
{
  const float *p = kg_geometry_get_positions (body);
  double sum = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (body); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (body, i, &primitive);
    for (uint32_t k = 1; primitive.kind == KG_POLYGON && k + 1 < primitive.n_vertices; k++) {
      KgVector x[3];

      for (int c = 0; c < 3; c++) {
        const float *from = p + 3 * (size_t) primitive.vertices[c == 0 ? 0 : c == 1 ? k : k + 1];

        x[c] = kg_floats_get_vector (from, 0);
      }
      sum += kg_vector_dot (x[0], kg_vector_cross (x[1], x[2])) / 6;
    }
  }
  return sum;
}

static bool
soft_body_check_step (const SoftBody *n, const KgContext *ctx, const SpringNet *net, const SpringSettings *settings,
                      double dt, GError **error)
{
  const SpringSpectrum spectrum = spring_body_get_spectrum (n->state);
  const SpringPulls pulls = spring_net_get_pulls (net);
  const double limit = spring_get_step_limit (&spectrum, settings, pulls, (SpringMethod) n->method);
  const double h = dt / (double) n->substeps, needed = ceil (dt / limit);
  const bool many = !(needed <= MOST_SUBSTEPS);
  /* Midpoint steps that are hardly damped gain energy at any length, but slowly as long as they are short. */
  const bool refused = h > REFUSED * (n->method == SPRING_MIDPOINT
                                          ? spring_get_step_limit (&spectrum, settings, pulls, SPRING_VERLET)
                                          : limit);

  if (!(h > limit))
    return true;
  if (n->method == SPRING_EXPLICIT && !(limit > 0)) {
    kg_context_warn (ctx, "explicit Euler gains energy with every step while nothing is damped: choose another method");
    return true;
  }
  if (n->method == SPRING_MIDPOINT && !refused && (many || !(limit > 0))) {
    kg_context_warn (ctx,
                     "midpoint steps gain energy while so little is damped: choose another method, or more damping");
    return true;
  }
  if (refused && many) {
    kg_set_error (error, KG_ERROR_DIVERGED,
                  "a step of %g s is too long for springs as stiff as these, whose limit is %g s: use the implicit "
                  "method, or less stiffness",
                  h, limit);
    return false;
  }
  if (refused) {
    kg_set_error (error, KG_ERROR_DIVERGED,
                  "a step of %g s is %.3g times too long for springs as stiff as these, whose limit is %g s: use %.0f "
                  "substeps, the implicit method, or less stiffness",
                  h, h / limit, limit, needed);
    return false;
  }
  if (many)
    kg_context_warn (ctx, "a step of %g s is longer than the limit of %g s, and may blow up: use the implicit method",
                     h, limit);
  else
    kg_context_warn (ctx,
                     "a step of %g s is longer than the limit of %g s, and may blow up: use %.0f substeps, or the "
                     "implicit method",
                     h, limit, needed);
  return true;
}

/* What strikes in the step from time on: an impulse all at once, or a share of it while it lasts. */
static void
soft_body_strike (const SoftBody *n, SpringNet *net, double time, double h)
{
  const size_t n_rows = n->strikes != NULL ? kg_table_get_n_rows (n->strikes) : 0;
  /* Times come from frame numbers by a division. */
  const double hair = 1e-9 * (1 + fabs (time));

  for (size_t i = 0; i < n_rows; i++) {
    const double *row = kg_table_get_row (n->strikes, i);
    const double start = row[STRIKE_TIME], duration = fmax (row[STRIKE_DURATION], 0);
    double share;

    if (duration > 0)
      share = fmax (0, fmin (time + h, start + duration) - fmax (time, start)) / duration;
    else
      share = start >= time - hair && start < time + h - hair ? 1 : 0;
    if (share > 0)
      spring_net_strike (net, n->state, kg_vector (row[STRIKE_X], row[STRIKE_X + 1], row[STRIKE_X + 2]),
                         kg_vector_scale (kg_vector (row[STRIKE_IX], row[STRIKE_IX + 1], row[STRIKE_IX + 2]), share),
                         n->strike_at == STRIKE_FACE);
  }
}

static bool
soft_body_check_finite (const SoftBody *n, const KgContext *ctx, const SpringNet *net, GError **error)
{
  for (size_t i = 0; i < net->n_points; i++) {
    const KgVector x = net->points[i].x, v = net->points[i].v;
    const bool far = !(fabs (x.x) + fabs (x.y) + fabs (x.z) < 1e15);

    if (!far && fabs (v.x) + fabs (v.y) + fabs (v.z) < 1e18)
      continue;
    if (n->method == SPRING_IMPLICIT)
      kg_set_error (error, KG_ERROR_DIVERGED,
                    far ? N_ ("at frame %g the position of point %zu leaves all bounds: use weaker forces")
                        : N_ ("at frame %g the velocity of point %zu leaves all bounds: use weaker forces"),
                    ctx->frame, i);
    else
      kg_set_error (error, KG_ERROR_DIVERGED,
                    far ? N_ ("at frame %g the position of point %zu leaves all bounds: use more than %" PRId64
                              " substeps, the implicit method, or weaker forces")
                        : N_ ("at frame %g the velocity of point %zu leaves all bounds: use more than %" PRId64
                              " substeps, the implicit method, or weaker forces"),
                    ctx->frame, i, n->substeps);
    return false;
  }
  return true;
}

static bool
soft_body_read_obstacle (const SoftBody *n, const KgContext *ctx, const KgProgressMonitor *monitor, TriangleMesh **mesh,
                         GError **error)
{
  if (n->obstacle == NULL)
    return true;
  *mesh = triangle_mesh_new (n->obstacle, monitor, error);
  if (*mesh == NULL)
    return false;
  if ((*mesh)->n == 0) {
    kg_context_warn (ctx, "the obstacle has no faces: nothing collides with it");
    g_clear_pointer (mesh, triangle_mesh_free);
  }
  return true;
}

/* Faces that tear are split after the frame. */
static void
soft_body_split (SoftBody *n, const KgContext *ctx)
{
  SpringBodyState state = { n->state, n->springs, n->hinges };
  const size_t most = MOST_COPIES * kg_geometry_get_n_points (n->body);
  size_t refused;

  spring_body_split (&state, n->tear, most, &refused);
  n->state = state.body;
  n->springs = state.springs;
  n->hinges = state.hinges;
  if (refused > 0)
    kg_context_warn (ctx, "tearing has made %d times as many points as there were: %zu more tears are left out",
                     MOST_COPIES, refused);
}

/* After a step that began at the places before.  What it pushes below the ground or into the obstacle comes out again: no farther
 * than half of the thickness, as the other half is left. */
static bool
soft_body_collide (const SoftBody *n, SpringSelf *self, SpringNet *net, const SpringContact *contact,
                   const KgVector *before, size_t *n_crossed, const KgProgressMonitor *monitor, GError **error)
{
  SpringContact own = *contact;
  size_t n_left = 0;

  own.thickness = n->self_thickness;
  spring_net_collide (net, contact, before);
  if (self == NULL)
    return true;
  if (!spring_self_collide (self, net, &own, before, &n_left, monitor, error))
    return false;
  *n_crossed = MAX (*n_crossed, n_left);
  spring_net_collide (net, contact, before);
  return true;
}

static bool
soft_body_advance (SoftBody *n, const KgContext *ctx, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const double h = dt / (double) n->substeps;
  g_autoptr (KgField) force = NULL, air = NULL;
  g_autoptr (TriangleMesh) mesh = NULL;
  g_auto (SpringNet) net = { .n_points = 0 };
  g_auto (Pins) pins = { NULL, NULL, NULL };
  SpringBodyState state = { n->state, n->springs, n->hinges };
  g_autofree KgVector *before = NULL;
  g_autoptr (SpringSelf) self = NULL;
  SpringSettings settings;
  SpringContact contact;
  size_t n_crossed = 0;

  if (!soft_body_check_yield (n, error))
    return false;
  if (!soft_body_add_fields (&n->forces, &force, error) || !soft_body_add_fields (&n->air, &air, error) ||
      !soft_body_read_obstacle (n, ctx, &monitor, &mesh, error) || !spring_body_load (&state, &net, error) ||
      !soft_body_read_pins (n, &net, &pins, error))
    return false;
  settings = soft_body_get_settings (n, force, air);
  if (n->pressure != 0) {
    settings.volume = soft_body_get_rest_volume (n->state);
    if (!(settings.volume > 0)) {
      kg_set_error (
          error, KG_ERROR_DEGENERATE,
          "the geometry encloses %g m³, so the pressure has no effect: close it, or orient its faces outwards",
          settings.volume);
      return false;
    }
  }
  if (!soft_body_check_step (n, ctx, &net, &settings, dt, error))
    return false;
  contact = (SpringContact){ .ground = n->ground,
                             .height = n->ground_height,
                             .obstacle = mesh,
                             .obstacle_v = n->obstacle != NULL ? kg_geometry_get_float (n->obstacle, KG_POINTS, "v", 3)
                                                               : NULL,
                             .thickness = n->thickness,
                             .restitution = n->restitution,
                             .friction = n->friction };
  before = g_new (KgVector, MAX (net.n_points, 1));
  if (n->self_collision)
    self = spring_self_new (&net, kg_geometry_get_positions (n->state));
  for (int64_t step = 0; step < n->substeps; step++) {
    const double time = ctx->time - dt + (double) step * h;

    for (size_t i = 0; i < net.n_points; i++)
      before[i] = net.points[i].x;
    pins_advance (&pins, &net, step, n->substeps, time, h);
    soft_body_strike (n, &net, time, h);
    if (!spring_net_step (&net, &settings, (SpringMethod) n->method, time, h, &monitor))
      return false;
    if (!soft_body_check_finite (n, ctx, &net, error))
      return false;
    if (!soft_body_collide (n, self, &net, &contact, before, &n_crossed, &monitor, error))
      return false;
    spring_net_age (&net, &settings, before, h);
  }
  if (net.n_sliver > 0)
    kg_context_warn_plural (
        ctx, net.n_sliver,
        "%zu hinge has no angle, because an adjacent face has no area or a line turns right back: it has no effect",
        "%zu hinges have no angle, because an adjacent face has no area or a line turns right back: they have no effect",
        net.n_sliver);
  if (n->method == SPRING_IMPLICIT && net.solver_rest > 1e-4)
    kg_context_warn (ctx, "the implicit step is solved to %.2g only: use more substeps", net.solver_rest);
  if (n_crossed > 0)
    kg_context_warn_plural (
        ctx, n_crossed,
        "%zu point or edge of the body passes through the body: use more substeps, or a smaller self-thickness",
        "%zu points and edges of the body pass through the body: use more substeps, or a smaller self-thickness",
        n_crossed);
  spring_body_store (&net, &state);
  pins_store (&pins, net.n_points, state.body);
  n->state = state.body;
  n->springs = state.springs;
  n->hinges = state.hinges;
  if (n->tear > 0 && n->tear_by == TEAR_FACES)
    soft_body_split (n, ctx);
  return true;
}

static bool
soft_body_evaluate (SoftBody *n, const KgContext *ctx, GError **error)
{
  const SpringBodyState state = { n->state, n->springs, n->hinges };
  g_auto (SpringNet) net = { .n_points = 0 };
  g_auto (Pins) pins = { NULL, NULL, NULL };
  SpringSettings settings = soft_body_get_settings (n, NULL, NULL);
  SpringSpectrum spectrum;
  SpringReport report;
  size_t torn;

  if (!soft_body_check_yield (n, error) || !spring_body_load (&state, &net, error) ||
      !soft_body_read_pins (n, &net, &pins, error))
    return false;
  spring_net_measure (&net, &settings, &report);
  spectrum = spring_body_get_spectrum (n->state);
  n->energy = report.kinetic + report.elastic;
  n->elastic = report.elastic;
  n->momentum = report.momentum;
  n->angular_momentum = report.angular;
  n->max_strain = report.max_strain;
  for (size_t i = 0; i < net.n_points; i++)
    if (net.pull[i] > 0 || pins.held[i])
      n->residual = fmax (n->residual, kg_vector_distance (net.points[i].x, pins.to[i]));
  n->volume = report.volume;
  n->wave_speed = report.speed;
  n->frequency =
      sqrt (fmax (n->stiffness * spectrum.springs + n->bend * spectrum.hinges + n->bulk * spectrum.volumes, 0)) /
      (2 * KG_PI);
  n->step_limit =
      spring_get_step_limit (&spectrum, &settings, spring_net_get_pulls (&net),
                             n->method == SPRING_IMPLICIT ? SPRING_SEMI_IMPLICIT : (SpringMethod) n->method);
  if (!isfinite (n->step_limit))
    n->step_limit = 0;
  n->spring_count = (int64_t) net.n_springs;
  if (n->tear > 0 && n->yield > 0 && n->creep > 0 && n->tear <= n->yield)
    kg_context_warn (ctx, "springs tear at a strain of %g, before they yield at %g", n->tear, n->yield);
  if (n->max_force > 0)
    kg_context_warn (ctx, "forces are limited to %g N: energy is not conserved while the limit is reached",
                     n->max_force);
  n->geometry = spring_body_get_geometry (&state, n->yield > 0 && n->creep > 0, n->tear > 0, &torn, error);
  n->torn = (int64_t) torn;
  if (n->tear_by == TEAR_FACES && n->geometry != NULL)
    n->torn = (int64_t) (net.n_points - kg_geometry_get_n_points (n->body));
  return n->geometry != NULL;
}

static const KgSlot soft_body_slots[] = {
  KG_INPUT (
      SoftBody, body, GEOMETRY, .label = N_ ("Body"),
      .help = N_ (
          "Lines or faces at rest: edges become springs. Attributes of points: mass in kilograms, v, stiffness (a factor), and pin (the point is held where this geometry has it, even while the geometry moves).")),
  KG_INPUT (SoftBody, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .def = 1, .min = 1e-9, .max = 1e9,
            .soft_max = 10, .fixed = true, .help = N_ ("Mass of the whole body, unless its points have masses.")),
  KG_INPUT (SoftBody, spread, CHOICE, .label = N_ ("Spread of mass"), .choices = soft_body_spreads, .fixed = true,
            .help = N_ ("How the mass is divided among the points. Uneven meshes move more naturally by area.")),
  KG_INPUT (SoftBody, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND, .fixed = true,
            .help = N_ ("Initial velocity, in addition to the attribute v.")),
  KG_INPUT (SoftBody, stiffness, NUMBER, .label = N_ ("Stiffness"), .def = 1000, .min = 0, .max = 1e12,
            .soft_max = 10000, .group = N_ ("Springs"),
            .help = N_ ("Force of a spring in newtons per metre of stretch.")),
  KG_INPUT (SoftBody, damping, NUMBER, .label = N_ ("Damping"), .def = 1, .min = 0, .max = 1e9, .soft_max = 20,
            .group = N_ ("Springs"),
            .help = N_ ("Force along a spring in newtons per metre per second of stretching: ends the wobbling without "
                        "braking rotation.")),
  KG_INPUT (SoftBody, per_length, BOOLEAN, .label = N_ ("Per length"), .fixed = true, .group = N_ ("Springs"),
            .help = N_ ("Takes the stiffness to be that of a metre of spring, so that a finer mesh of the same "
                        "material is as stiff.")),
  KG_INPUT (SoftBody, brace, CHOICE, .label = N_ ("Braces"), .choices = soft_body_braces, .fixed = true, .def = 3,
            .group = N_ ("Springs"),
            .help = N_ ("More springs that keep the body from shearing, folding and turning inside out.")),
  KG_INPUT (SoftBody, brace_stiffness, NUMBER, .label = N_ ("Brace stiffness"), .unit = KG_PERCENT, .def = 1, .min = 0,
            .max = 1e6, .soft_max = 1, .fixed = true, .group = N_ ("Springs"), .shown_when = "brace!=none",
            .help = N_ ("Stiffness and damping of braces as a share of those of edges.")),
  KG_INPUT (SoftBody, stretch_only, BOOLEAN, .label = N_ ("Stretch only"), .group = N_ ("Springs"),
            .help = N_ ("Springs pull but do not push, like threads.")),
  KG_INPUT (
      SoftBody, bend, NUMBER, .label = N_ ("Bending stiffness"), .min = 0, .max = 1e9, .soft_max = 1,
      .group = N_ ("Springs"),
      .help = N_ ("Torque in newton metres per radian that holds the angle between neighbouring faces and between "
                  "neighbouring segments of a line.")),
  KG_INPUT (SoftBody, bend_damping, NUMBER, .label = N_ ("Bending damping"), .min = 0, .max = 1e9, .soft_max = 0.1,
            .group = N_ ("Springs"), .help = N_ ("Torque in newton metres per radian per second.")),
  KG_INPUT (
      SoftBody, balance, CHOICE, .label = N_ ("Balance of hinges"), .choices = soft_body_balances,
      .group = N_ ("Springs"),
      .help = N_ (
          "How the points on a hinge balance the forces on its faces. Halves are simpler, but make bodies rotate by "
          "themselves.")),
  KG_INPUT (SoftBody, bulk, NUMBER, .label = N_ ("Volume stiffness"), .min = 0, .max = 1e12, .soft_max = 1e5,
            .group = N_ ("Springs"),
            .help = N_ ("Pressure in pascals that would compress a tetrahedron to nothing: the body bulges "
                        "sideways where it is squeezed. Geometry with tetrahedra comes from Tetrahedra.")),
  KG_INPUT (SoftBody, pressure, NUMBER, .label = N_ ("Pressure"), .min = -1e9, .max = 1e9, .soft_min = 0,
            .soft_max = 1000, .group = N_ ("Springs"),
            .help = N_ ("Overpressure of the air inside a closed body, in pascals at its initial volume.")),
  KG_INPUT (SoftBody, pin_stiffness, NUMBER, .label = N_ ("Pin stiffness"), .min = 0, .max = 1e12, .soft_max = 10000,
            .group = N_ ("Goals"),
            .help = N_ ("Stiffness of soft pins: the pull on pinned points, in newtons per metre. 0 holds the "
                        "points exactly.")),
  KG_INPUT (SoftBody, goal, NUMBER, .label = N_ ("Goal"), .min = 0, .max = 1e12, .soft_max = 1000,
            .group = N_ ("Goals"),
            .help = N_ ("Pull, in newtons per metre, on all points towards their positions in the animated body.")),
  KG_INPUT (SoftBody, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2, .def_v = { 0, -9.81, 0 },
            .group = N_ ("Forces"), .help = N_ ("Acceleration due to gravity; on earth 9.81 downwards.")),
  KG_INPUTS (SoftBody, forces, FIELD, .label = N_ ("Forces"), .optional = true, .group = N_ ("Forces"),
             .help = N_ ("Other forces that move the points.")),
  KG_INPUT (SoftBody, weigh, BOOLEAN, .label = N_ ("Divide by mass"), .group = N_ ("Forces"),
            .help = N_ ("Divides the forces by the mass. Otherwise they are accelerations, like gravity.")),
  KG_INPUT (
      SoftBody, drag, NUMBER, .label = N_ ("Drag"), .min = 0, .max = 1e6, .soft_max = 2, .group = N_ ("Forces"),
      .help = N_ (
          "Density of the air times the drag coefficient of the faces, in kilograms per cubic metre; about 1.2 in air.")),
  KG_INPUTS (SoftBody, air, FIELD, .label = N_ ("Wind"), .optional = true, .group = N_ ("Forces"),
             .help = N_ ("Velocity of the air, which pushes faces by their drag.")),
  KG_INPUT (SoftBody, drag_direction, CHOICE, .label = N_ ("Drag direction"), .choices = soft_body_drags,
            .group = N_ ("Forces"),
            .help = N_ ("Direction in which the air pushes a face. With the normal, flags flutter more.")),
  KG_INPUT (
      SoftBody, strikes, TABLE, .label = N_ ("Strikes"), .columns = soft_body_strike_columns, .optional = true,
      .group = N_ ("Strikes"),
      .help = N_ (
          "Blows, one per row: the time in seconds, the position, the impulse in newton seconds, and the duration.")),
  KG_INPUT (SoftBody, strike_at, CHOICE, .label = N_ ("Strike at"), .choices = soft_body_strikes,
            .group = N_ ("Strikes"), .help = N_ ("What a blow hits; the total impulse is the same.")),
  KG_INPUT (SoftBody, ground, BOOLEAN, .label = N_ ("Ground"), .group = N_ ("Collision"),
            .help = N_ ("Points stay above a floor.")),
  KG_INPUT (SoftBody, ground_height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .soft_min = -5, .soft_max = 5,
            .group = N_ ("Collision"), .shown_when = "ground=true", .help = N_ ("Height of the floor.")),
  KG_INPUT (
      SoftBody, obstacle, GEOMETRY, .label = N_ ("Obstacle"), .optional = true, .group = N_ ("Collision"),
      .help = N_ (
          "Mesh whose faces points cannot pass. It may move; with the attribute v, it also drags along what lies on "
          "it.")),
  KG_INPUT (SoftBody, thickness, NUMBER, .label = N_ ("Thickness"), .unit = KG_METRES, .def = 0.01, .min = 0,
            .max = 1e6, .soft_max = 0.5, .group = N_ ("Collision"),
            .help = N_ ("Distance that points keep from the obstacle.")),
  KG_INPUT (
      SoftBody, restitution, NUMBER, .label = N_ ("Bounce"), .min = 0, .max = 1, .group = N_ ("Collision"),
      .help = N_ ("Share of the speed of a point that remains after a bounce; the body itself springs back too.")),
  KG_INPUT (SoftBody, friction, NUMBER, .label = N_ ("Friction"), .def = 0.5, .min = 0, .max = 1e3, .soft_max = 1,
            .group = N_ ("Collision"),
            .help = N_ ("0 is ice, 1 is rubber: how much the motion along a surface is braked, as a share of the "
                        "push perpendicular to it.")),
  KG_INPUT (
      SoftBody, self_collision, BOOLEAN, .label = N_ ("Self-collision"), .group = N_ ("Collision"),
      .help = N_ (
          "Points of the body do not pass through its faces, nor edges through edges. Every substep then searches for what comes near, which may take thirty times as long as the springs.")),
  KG_INPUT (SoftBody, self_thickness, NUMBER, .label = N_ ("Self-thickness"), .unit = KG_METRES, .def = 0.01,
            .min = 1e-6, .max = 1e6, .soft_max = 0.5, .group = N_ ("Collision"), .shown_when = "self_collision=true",
            .help = N_ ("Distance that parts of the body keep from each other. Parts that are closer at rest may come "
                        "as close as that.")),
  KG_INPUT (SoftBody, yield, NUMBER, .label = N_ ("Yield"), .unit = KG_PERCENT, .min = -1e6, .soft_min = 0, .max = 1e6,
            .soft_max = 1, .group = N_ ("Material"),
            .help = N_ ("Strain beyond which springs and hinges keep a part of their deformation, as dough does. 0: "
                        "elastic.")),
  KG_INPUT (SoftBody, creep, NUMBER, .label = N_ ("Creep"), .def = 2, .min = 0, .max = 1e6, .soft_max = 20,
            .group = N_ ("Material"), .shown_when = "yield!=0", .help = N_ ("How fast the body flows, per second.")),
  KG_INPUT (SoftBody, plastic_max, NUMBER, .label = N_ ("Largest dent"), .unit = KG_PERCENT, .def = 0.9, .min = 0,
            .max = 0.99, .group = N_ ("Material"), .shown_when = "yield!=0", .help = N_ ("Largest permanent strain.")),
  KG_INPUT (SoftBody, relax_time, NUMBER, .label = N_ ("Relaxation time"), .unit = KG_SECONDS, .min = 0, .max = 1e6,
            .soft_max = 5, .group = N_ ("Material"),
            .help = N_ ("Time in which a part of the stiffness gives way, as that of putty does. 0: never.")),
  KG_INPUT (SoftBody, relax_share, NUMBER, .label = N_ ("Relaxing share"), .unit = KG_PERCENT, .def = 0.5, .min = 0,
            .max = 1, .group = N_ ("Material"), .shown_when = "relax_time!=0",
            .help = N_ ("Share of the stiffness that gives way; with all of it the body flows like honey.")),
  KG_INPUT (SoftBody, tear, NUMBER, .label = N_ ("Tear"), .unit = KG_PERCENT, .min = 0, .max = 1e6, .soft_max = 2,
            .group = N_ ("Material"), .help = N_ ("Strain at which springs break. 0: never.")),
  KG_INPUT (SoftBody, tear_by, CHOICE, .label = N_ ("What tears"), .choices = soft_body_tears, .fixed = true,
            .group = N_ ("Material"), .shown_when = "tear!=0",
            .help = N_ ("Faces come apart along their edges, points are doubled. Springs that break cut lines, and "
                        "remove the faces beside them.")),
  KG_INPUT (SoftBody, method, CHOICE, .label = N_ ("Method"), .choices = soft_body_methods, .group = N_ ("Solver"),
            .help = N_ ("How a step is computed. The implicit method is stable with stiff springs, and damps fast "
                        "vibrations.")),
  KG_INPUT (SoftBody, substeps, INTEGER, .label = N_ ("Substeps"), .def = 8, .min = 1, .max = 10000, .soft_max = 100,
            .group = N_ ("Solver"), .help = N_ ("Number of steps per frame.")),
  KG_INPUT (SoftBody, max_force, NUMBER, .label = N_ ("Largest force"), .min = 0, .max = 1e12, .soft_max = 10000,
            .group = N_ ("Solver"), .help = N_ ("Limits the force of a spring, in newtons. 0: no limit.")),
  KG_STATE (SoftBody, state, GEOMETRY, .keeps = SPRING_BODY_KEEPS),
  KG_STATE (SoftBody, springs, GEOMETRY, .keeps = SPRING_BODY_SPRING_KEEPS),
  KG_STATE (SoftBody, hinges, GEOMETRY, .keeps = SPRING_BODY_HINGE_KEEPS),
  KG_OUTPUT (
      SoftBody, geometry, GEOMETRY, .label = N_ ("Geometry"),
      .help = N_ ("The deformed body, with v; with plastic (largest permanent strain) where it yields, and piece "
                  "where it tears.")),
  KG_OUTPUT (SoftBody, energy, NUMBER, .label = N_ ("Energy"),
             .help = N_ ("Kinetic energy and that of springs and hinges, in joules.")),
  KG_OUTPUT (SoftBody, elastic, NUMBER, .label = N_ ("Elastic energy"),
             .help = N_ ("Energy of springs and hinges, in joules.")),
  KG_OUTPUT (SoftBody, momentum, VECTOR, .label = N_ ("Momentum"), .help = N_ ("In kilogram metres per second.")),
  KG_OUTPUT (SoftBody, angular_momentum, VECTOR, .label = N_ ("Angular momentum"),
             .help = N_ ("Angular momentum about the origin.")),
  KG_OUTPUT (SoftBody, max_strain, NUMBER, .label = N_ ("Largest strain"), .unit = KG_PERCENT,
             .help = N_ ("Largest elastic strain of a spring.")),
  KG_OUTPUT (SoftBody, residual, NUMBER, .label = N_ ("Residual"), .unit = KG_METRES,
             .help = N_ ("Largest distance of a pinned or pulled point from its goal.")),
  KG_OUTPUT (SoftBody, volume, NUMBER, .label = N_ ("Volume"), .help = N_ ("Enclosed volume in cubic metres.")),
  KG_OUTPUT (SoftBody, step_limit, NUMBER, .label = N_ ("Step limit"), .unit = KG_SECONDS,
             .help = N_ ("Longest stable step of explicit methods; 0 where there is none.")),
  KG_OUTPUT (SoftBody, frequency, NUMBER, .label = N_ ("Highest frequency"), .unit = KG_HERTZ,
             .help = N_ ("Highest frequency of all vibrations of the body.")),
  KG_OUTPUT (
      SoftBody, wave_speed, NUMBER, .label = N_ ("Wave speed"), .unit = KG_METRES_PER_SECOND,
      .help = N_ (
          "Speed at which a blow travels along the springs. Explicit methods cannot move it by more than one edge per "
          "step.")),
  KG_OUTPUT (SoftBody, spring_count, INTEGER, .label = N_ ("Springs"), .help = N_ ("Number of springs.")),
  KG_OUTPUT (SoftBody, torn, INTEGER, .label = N_ ("Torn"),
             .help = N_ ("Number of springs that broke so far, or of points that were doubled.")),
};

KG_SIMULATION (
    sim, soft_body, SoftBody, .label = N_ ("Soft Body"), .version = 3, .since = "0.1",
    .tags = N_ ("jelly spring mass damper cloth sheet flag rubber dough putty tear lattice physics simulation"),
    .formula = "F = k (|d| − l) d̂ + c ((v_b − v_a) · d̂) d̂\nτ = −k_b (θ − θ₀) − c_b θ̇",
    .source = "Parent, Computer Animation, 4.4; Baraff and Witkin 1998; Terzopoulos and Fleischer 1988",
    .help = N_ ("Makes a mesh or a line flexible: its points are masses, its edges springs with dampers. "
                "It wobbles, dents and swings back; braces and hinges keep its form, wind and pressure "
                "move its faces, and it may flow or tear. It collides with itself only if that is turned "
                "on."));

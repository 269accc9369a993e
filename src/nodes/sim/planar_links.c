/* sim/planar_links: rods with mass that pins join in the plane; by default the falling man.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/planar_links.h"
#include "kg-node.h"

#include <string.h>

typedef struct {
  const KgTable *links;
  const KgTable *pins;
  const KgTable *limits;
  bool hold;
  int64_t held_link;
  double held_at;
  KgVector place;
  KgVector velocity;
  int release;
  double release_time;
  int form;
  double exponent;
  bool reaction;
  bool relative_damping;
  double mattress;
  bool ends;
  double gravity;
  double tolerance;
  double stabilise;
  int64_t link;
  KgGeometry *state;
  KgGeometry *figure;
  KgGeometry *forces;
  KgTable *coordinates;
  KgTransform transform;
  bool held;
  double released;
  double energy;
  double angular_momentum;
  KgVector center;
  double deviation;
} PlanarLinksNode;

static const KgTableColumn link_columns[] = {
  { "mass", N_ ("Mass"), 1, false },
  { "half", N_ ("Half length"), 0.5, false },
  { "angle", N_ ("Angle"), -90, true },
  { "rate", N_ ("Rate"), 0, true },
  { "drag", N_ ("Drag"), 0, true },
  { "spin_drag", N_ ("Rotational drag"), 0, true },
  { "stiffness", N_ ("Mattress stiffness"), 10000, true },
  { "damping", N_ ("Mattress damping"), 100, true },
  KG_TABLE_COLUMNS_END,
};
enum { LINK_MASS, LINK_HALF, LINK_ANGLE, LINK_RATE, LINK_DRAG, LINK_SPIN_DRAG, LINK_STIFFNESS, LINK_DAMPING };

static const KgTableColumn pin_columns[] = {
  { "a", N_ ("First link"), 0, false },
  { "at_a", N_ ("Place on the first"), 0, false },
  { "b", N_ ("Second link"), 1, false },
  { "at_b", N_ ("Place on the second"), 0, false },
  KG_TABLE_COLUMNS_END,
};

static const KgTableColumn limit_columns[] = {
  { "a", N_ ("First link"), 0, false },
  { "b", N_ ("Second link"), 1, false },
  { "equilibrium", N_ ("Equilibrium"), 0, false },
  { "low", N_ ("Lower limit"), -90, false },
  { "high", N_ ("Upper limit"), 90, false },
  { "torque", N_ ("Torque at the limits"), 100, false },
  KG_TABLE_COLUMNS_END,
};

static const KgChoice planar_releases[] = {
  [PLANAR_LEVEL] = { "level", N_ ("When the first link is below the point") },
  [PLANAR_TIME] = { "time", N_ ("At a time") },
  [PLANAR_PULL] = { "pull", N_ ("When the point would have to pull") },
  [PLANAR_NEVER] = { "never", N_ ("Never") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (planar_releases, PLANAR_N_RELEASES);

static const KgChoice planar_forms[] = {
  [PLANAR_POWER] = { "power", N_ ("A power of the angle") },
  [PLANAR_EXPONENTIAL] = { "exponential", N_ ("Exponential") },
  [PLANAR_TANGENT] = { "tangent", N_ ("Tangent: infinite at the limit") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (planar_forms, PLANAR_N_FORMS);

#define RADIANS (KG_PI / 180)

/* What is kept of a link; held and released of the first only. */
typedef struct {
  PlanarState state;
  double held, released; /* released: seconds, negative while it has not been */
} Kept;
#define WORDS 16
_Static_assert(sizeof (Kept) == WORDS * sizeof (int32_t), "Kept must fill WORDS");

/* The figure as the technique knows it, with the arrays that it points to. */
typedef struct {
  PlanarLinks links;
  PlanarLink *rods;
  PlanarPin *pins;
  PlanarLimit *limits;
} Figure;

static void
figure_clear (Figure *figure)
{
  g_free (figure->rods);
  g_free (figure->pins);
  g_free (figure->limits);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Figure, figure_clear)

static bool
check_link (double number, size_t n_links, const char *table, size_t row, GError **error)
{
  if (number >= 0 && number < (double) n_links && number == floor (number))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s, row %zu: there is no link %g: there are %zu, counted from 0", table,
                row + 1, number, n_links);
  return false;
}

static bool
figure_read_links (Figure *figure, const KgTable *table, GError **error)
{
  const size_t n = kg_table_get_n_rows (table);

  if (n > PLANAR_MAX_LINKS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu links are more than the %d that can be solved exactly: use Articulated",
                  n, PLANAR_MAX_LINKS);
    return false;
  }
  figure->rods = g_new0 (PlanarLink, MAX (n, 1));
  for (size_t i = 0; i < n; i++) {
    const double *row = kg_table_get_row (table, i);

    if (!(row[LINK_MASS] >= 1e-9 && row[LINK_HALF] >= 1e-9 && row[LINK_MASS] <= 1e12 && row[LINK_HALF] <= 1e9)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "links, row %zu: a mass of %g kg and a half length of %g m: both must be positive", i + 1,
                    row[LINK_MASS], row[LINK_HALF]);
      return false;
    }
    if (!(row[LINK_DRAG] >= 0 && row[LINK_SPIN_DRAG] >= 0 && row[LINK_STIFFNESS] >= 0 && row[LINK_DAMPING] >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "links, row %zu: drag, stiffness and damping must not be negative",
                    i + 1);
      return false;
    }
    figure->rods[i] = (PlanarLink){ row[LINK_MASS],      row[LINK_HALF],      row[LINK_DRAG],
                                    row[LINK_SPIN_DRAG], row[LINK_STIFFNESS], row[LINK_DAMPING] };
  }
  figure->links.links = figure->rods;
  figure->links.n_links = n;
  return true;
}

static bool
figure_read_joins (Figure *figure, const PlanarLinksNode *n, GError **error)
{
  const size_t links = figure->links.n_links, n_pins = kg_table_get_n_rows (n->pins),
               n_limits = kg_table_get_n_rows (n->limits);

  if (n_pins > 4 * PLANAR_MAX_LINKS || n_limits > 4 * PLANAR_MAX_LINKS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu pins and %zu limits: at most %d of each can be solved", n_pins, n_limits,
                  4 * PLANAR_MAX_LINKS);
    return false;
  }
  figure->pins = g_new0 (PlanarPin, MAX (n_pins, 1));
  figure->limits = g_new0 (PlanarLimit, MAX (n_limits, 1));
  for (size_t i = 0; i < n_pins; i++) {
    const double *row = kg_table_get_row (n->pins, i);

    if (!check_link (row[0], links, "pins", i, error) || !check_link (row[2], links, "pins", i, error))
      return false;
    if (row[0] == row[2]) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "pins, row %zu: link %g is joined to itself: name two links", i + 1,
                    row[0]);
      return false;
    }
    figure->pins[i] = (PlanarPin){ (int) row[0], (int) row[2], row[1], row[3] };
  }
  for (size_t i = 0; i < n_limits; i++) {
    const double *row = kg_table_get_row (n->limits, i);

    if (!check_link (row[0], links, "limits", i, error) || !check_link (row[1], links, "limits", i, error))
      return false;
    if (!(row[3] < row[2] && row[2] < row[4])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "limits, row %zu: the equilibrium %g must lie between the limits %g and %g", i + 1, row[2], row[3],
                    row[4]);
      return false;
    }
    figure->limits[i] =
        (PlanarLimit){ (int) row[0], (int) row[1], row[2] * RADIANS, row[3] * RADIANS, row[4] * RADIANS, row[5] };
  }
  figure->links.pins = figure->pins;
  figure->links.n_pins = n_pins;
  figure->links.limits = figure->limits;
  figure->links.n_limits = n_limits;
  return true;
}

static bool
figure_read (Figure *figure, const PlanarLinksNode *n, GError **error)
{
  *figure = (Figure){ .links = { .held = n->hold,
                                 .held_link = (int) n->held_link,
                                 .held_at = n->held_at,
                                 .held_place = n->place,
                                 .release = (PlanarRelease) n->release,
                                 .form = (PlanarForm) n->form,
                                 .exponent = n->exponent,
                                 .reaction = n->reaction,
                                 .relative = n->relative_damping,
                                 .ends = n->ends,
                                 .gravity = n->gravity,
                                 .mattress = n->mattress,
                                 .tolerance = n->tolerance,
                                 .stabilise = n->stabilise } };
  return figure_read_links (figure, n->links, error) && figure_read_joins (figure, n, error) &&
         (figure->links.n_links == 0 ||
          check_link ((double) n->held_link, figure->links.n_links, "held link", 0, error));
}

static Kept *
edit_kept (KgGeometry *state)
{
  return (Kept *) (void *) kg_geometry_edit_int (state, KG_POINTS, "memory", WORDS);
}

/* (transfer full) */
static PlanarState *
copy_states (const KgGeometry *state)
{
  const size_t count = kg_geometry_get_n_points (state);
  const Kept *kept = (const Kept *) (const void *) kg_geometry_get_int (state, KG_POINTS, "memory", WORDS);
  PlanarState *states = g_new0 (PlanarState, MAX (count, 1));

  for (size_t i = 0; i < count; i++)
    states[i] = kept[i].state;
  return states;
}

static bool
planar_links_start (PlanarLinksNode *n, const KgContext *ctx, GError **error)
{
  g_auto (Figure) figure = { { NULL } };
  g_autofree PlanarState *states = NULL;
  Kept *kept;

  (void) ctx;
  if (!figure_read (&figure, n, error))
    return false;
  states = g_new0 (PlanarState, MAX (figure.links.n_links, 1));
  for (size_t i = 0; i < figure.links.n_links; i++) {
    states[i].q[2] = kg_table_get_row (n->links, i)[LINK_ANGLE] * RADIANS;
    states[i].v[2] = kg_table_get_row (n->links, i)[LINK_RATE] * RADIANS;
  }
  if (!planar_links_assemble (&figure.links, states, error))
    return false;
  for (size_t i = 0; i < figure.links.n_links && !n->hold; i++) {
    states[i].v[0] += n->velocity.x;
    states[i].v[1] += n->velocity.y;
  }
  n->state = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->state, figure.links.n_links, error))
    return false;
  kept = edit_kept (n->state);
  for (size_t i = 0; i < figure.links.n_links; i++)
    kept[i] = (Kept){ states[i], n->hold, -1 };
  return true;
}

static bool
planar_links_check_count (const PlanarLinksNode *n, const Figure *figure, GError **error)
{
  if (kg_geometry_get_n_points (n->state) == figure->links.n_links)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "%zu links now, but %zu at the start: do not add or remove links over time", figure->links.n_links,
                kg_geometry_get_n_points (n->state));
  return false;
}

static bool
planar_links_step (PlanarLinksNode *n, const KgContext *ctx, Figure *figure, double dt, PlanarState *states,
                   double *released, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const double first = n->release == PLANAR_TIME ? n->release_time - (ctx->time - dt) : dt;

  *released = -1;
  if (figure->links.held && n->release == PLANAR_TIME && first < dt) {
    if (first > 0 && !planar_links_integrate (&figure->links, states, first, released, &monitor, error))
      return false;
    figure->links.held = false;
    *released = fmax (first, 0);
    return planar_links_integrate (&figure->links, states, dt - fmax (first, 0), &(double){ 0 }, &monitor, error);
  }
  return planar_links_integrate (&figure->links, states, dt, released, &monitor, error);
}

static bool
planar_links_advance (PlanarLinksNode *n, const KgContext *ctx, double dt, GError **error)
{
  g_auto (Figure) figure = { { NULL } };
  g_autofree PlanarState *states = NULL;
  double released;
  Kept *kept;

  if (!figure_read (&figure, n, error) || !planar_links_check_count (n, &figure, error))
    return false;
  if (figure.links.n_links == 0)
    return true;
  kg_geometry_make_writable (&n->state);
  kept = edit_kept (n->state);
  figure.links.held = kept[0].held != 0;
  states = copy_states (n->state);
  if (!planar_links_step (n, ctx, &figure, dt, states, &released, error))
    return false;
  for (size_t i = 0; i < figure.links.n_links; i++) {
    kept[i].state = states[i];
    kept[i].held = figure.links.held;
    if (released >= 0)
      kept[i].released = ctx->time - dt + released;
  }
  return true;
}

static void
planar_links_show_figure (PlanarLinksNode *n, const PlanarLinks *links, const PlanarState *states, GError **error)
{
  float *p, *v, *mass;

  n->figure = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->figure, 2 * links->n_links, error))
    return;
  p = kg_geometry_edit_positions (n->figure);
  v = kg_geometry_edit_float (n->figure, KG_POINTS, "v", 3);
  for (size_t i = 0; i < 2 * links->n_links; i++) {
    const PlanarState *s = &states[i / 2];
    const double l = (i % 2 == 0 ? -1 : 1) * links->links[i / 2].half, x = l * cos (s->q[2]), y = l * sin (s->q[2]);

    p[3 * i] = (float) (s->q[0] + x);
    p[3 * i + 1] = (float) (s->q[1] + y);
    v[3 * i] = (float) (s->v[0] - y * s->v[2]);
    v[3 * i + 1] = (float) (s->v[1] + x * s->v[2]);
    if (i % 2 == 1)
      kg_geometry_add_primitives (n->figure, KG_POLYLINE, false, 1, 2, (uint32_t[]){ (uint32_t) i - 1, (uint32_t) i });
  }
  mass = kg_geometry_edit_float (n->figure, KG_PRIMITIVES, "mass", 1);
  for (size_t i = 0; i < links->n_links; i++)
    mass[i] = (float) links->links[i].mass;
}

/* A point at each pin, and at the place that is held. */
static bool
planar_links_show_forces (PlanarLinksNode *n, const PlanarLinks *links, const PlanarState *states, GError **error)
{
  const size_t count = links->n_pins + links->held;
  g_autofree double *accelerations = g_new (double, 3 * MAX (links->n_links, 1)),
                    *forces = g_new (double, 2 * MAX (count, 1));
  float *p, *force;

  n->forces = kg_geometry_new ();
  if (!planar_links_accelerate (links, states, accelerations, forces, error) ||
      !kg_geometry_set_n_points (n->forces, count, error))
    return false;
  p = kg_geometry_edit_positions (n->forces);
  force = kg_geometry_edit_float (n->forces, KG_POINTS, "force", 3);
  for (size_t k = 0; k < count; k++) {
    const int link = k < links->n_pins ? links->pins[k].b : links->held_link;
    const double at = k < links->n_pins ? links->pins[k].at_b : links->held_at, sign = k < links->n_pins ? 1 : -1;

    p[3 * k] = (float) (states[link].q[0] + at * cos (states[link].q[2]));
    p[3 * k + 1] = (float) (states[link].q[1] + at * sin (states[link].q[2]));
    for (size_t c = 0; c < 2; c++)
      force[3 * k + c] = (float) kg_clamp (sign * forces[2 * k + c], -1e30, 1e30);
  }
  return true;
}

static bool
planar_links_show_coordinates (PlanarLinksNode *n, const PlanarLinks *links, const PlanarState *states, GError **error)
{
  static const char *const names[] = { "x", "y", "angle", "vx", "vy", "rate" };
  double *cells;

  n->coordinates = kg_table_new (G_N_ELEMENTS (names), names, links->n_links, error);
  if (n->coordinates == NULL)
    return false;
  cells = kg_table_edit (n->coordinates);
  for (size_t i = 0; i < links->n_links; i++)
    for (size_t c = 0; c < 3; c++) {
      cells[6 * i + c] = states[i].q[c] / (c == 2 ? RADIANS : 1);
      cells[6 * i + 3 + c] = states[i].v[c] / (c == 2 ? RADIANS : 1);
    }
  return true;
}

static void
planar_links_warn (const KgContext *ctx, const PlanarLinks *links, const PlanarState *states)
{
  for (size_t i = 0; i < links->n_limits; i++) {
    const PlanarLimit *limit = &links->limits[i];
    double bent;

    planar_limit_get_torque (limit, links->form, links->exponent, states[limit->b].q[2] - states[limit->a].q[2], &bent);
    if (bent > 2) {
      kg_context_warn (ctx, "the joint of links %d and %d is bent to %g times its limit: raise the torque of the limit",
                       limit->a, limit->b, bent);
      return;
    }
  }
}

static bool
planar_links_evaluate (PlanarLinksNode *n, const KgContext *ctx, GError **error)
{
  const Kept *kept = (const Kept *) (const void *) kg_geometry_get_int (n->state, KG_POINTS, "memory", WORDS);
  g_auto (Figure) figure = { { NULL } };
  g_autofree PlanarState *states = NULL;
  const size_t link = (size_t) MAX (n->link, 0);

  n->transform = kg_transform_identity ();
  if (!figure_read (&figure, n, error) || !planar_links_check_count (n, &figure, error))
    return false;
  states = copy_states (n->state);
  if (figure.links.n_links > 0) {
    figure.links.held = kept[0].held != 0;
    n->held = figure.links.held;
    n->released = kept[0].released;
  }
  planar_links_show_figure (n, &figure.links, states, error);
  if (!planar_links_show_forces (n, &figure.links, states, error) ||
      !planar_links_show_coordinates (n, &figure.links, states, error))
    return false;
  planar_links_measure (&figure.links, states, &n->energy, &n->angular_momentum, &n->center);
  n->deviation = planar_links_get_gap (&figure.links, states);
  planar_links_warn (ctx, &figure.links, states);
  if (link < figure.links.n_links)
    n->transform = kg_transform_from_parts (kg_vector (states[link].q[0], states[link].q[1], 0),
                                            kg_rotation_from_axis_angle (kg_vector (0, 0, 1), states[link].q[2]),
                                            kg_vector (1, 1, 1));
  return true;
}

static const KgSlot planar_links_slots[] = {
  KG_INPUT (
      PlanarLinksNode, links, TABLE, .label = N_ ("Links"), .columns = link_columns,
      .def_text = "45 0.4 -100 0 6 3 24000 600\n24 0.45 -100 0 4 3 12000 300\n8 0.35 -100 0 2 1 4000 100\n",
      .help = N_ (
          "Rods, one per row: mass in kilograms, half length in metres, angle and rate at the start in degrees, drag of the air on its motion and on its rotation, stiffness and damping of the mattress under it. By default a man: body from the shoulders down, legs from the hips, arms from the shoulders.")),
  KG_INPUT (
      PlanarLinksNode, pins, TABLE, .label = N_ ("Pins"), .columns = pin_columns,
      .def_text = "0 0.4 1 -0.45\n0 -0.25 2 -0.35\n",
      .help = N_ (
          "Hinges, one per row: a link and a distance from its centre, then another link and a distance from its centre. Links are counted from 0; distances are positive towards the end that the angle points to.")),
  KG_INPUT (
      PlanarLinksNode, limits, TABLE, .label = N_ ("Limits"), .columns = limit_columns,
      .def_text = "0 1 0 -20 80 300\n0 2 0 -60 150 80\n",
      .help = N_ (
          "Torques that bring joints back, one per row: two links, the rest angle of the second relative to the first, the smallest and largest angle, and the torque there in newton metres.")),
  KG_INPUT (PlanarLinksNode, hold, BOOLEAN, .label = N_ ("Hold"), .def = 1, .group = N_ ("Held point"),
            .help = N_ ("Holds a point of a link in place at the start.")),
  KG_INPUT (PlanarLinksNode, held_link, INTEGER, .label = N_ ("Held link"), .def = 1, .min = 0, .max = PLANAR_MAX_LINKS,
            .group = N_ ("Held point"), .help = N_ ("The link that is placed first, and held.")),
  KG_INPUT (PlanarLinksNode, held_at, NUMBER, .label = N_ ("Held at"), .unit = KG_METRES, .def = 0.45, .soft_min = -1,
            .soft_max = 1, .group = N_ ("Held point"),
            .help = N_ ("Distance of the point from the centre of its link.")),
  KG_INPUT (PlanarLinksNode, place, VECTOR, .label = N_ ("Place"), .unit = KG_METRES, .def_v = { 0, 10, 0 },
            .group = N_ ("Held point"), .help = N_ ("Position of the point at the start.")),
  KG_INPUT (PlanarLinksNode, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
            .shown_when = "hold=false", .group = N_ ("Held point"),
            .help = N_ ("Velocity of the point at the start, if it is not held: to go on from a scripted pose.")),
  KG_INPUT (PlanarLinksNode, release, CHOICE, .label = N_ ("Release"), .choices = planar_releases,
            .shown_when = "hold=true", .group = N_ ("Held point"),
            .help = N_ ("Condition under which the point is released.")),
  KG_INPUT (PlanarLinksNode, release_time, NUMBER, .label = N_ ("Release time"), .unit = KG_SECONDS, .def = 1,
            .shown_when = "release=time", .group = N_ ("Held point"), .help = N_ ("Seconds after the first frame.")),
  KG_INPUT (PlanarLinksNode, form, CHOICE, .label = N_ ("Form of the limits"), .choices = planar_forms,
            .group = N_ ("Forces"), .help = N_ ("How the torque grows from the equilibrium to the limits.")),
  KG_INPUT (PlanarLinksNode, exponent, NUMBER, .label = N_ ("Exponent"), .def = 3, .min = 1, .max = 20,
            .shown_when = "form=power", .group = N_ ("Forces"),
            .help = N_ ("Exponent of the power: larger values leave more play.")),
  KG_INPUT (
      PlanarLinksNode, reaction, BOOLEAN, .label = N_ ("Reaction"), .def = 1, .group = N_ ("Forces"),
      .help = N_ (
          "The torque of a limit acts on both links. Without this, as in the source, a figure in the air can rotate "
          "itself.")),
  KG_INPUT (PlanarLinksNode, relative_damping, BOOLEAN, .label = N_ ("Friction in the pins"), .group = N_ ("Forces"),
            .help = N_ ("Rotational drag acts between the links of a pin instead of against the air.")),
  KG_INPUT (PlanarLinksNode, mattress, NUMBER, .label = N_ ("Mattress"), .unit = KG_METRES, .def = 0.6, .soft_min = -2,
            .soft_max = 2, .group = N_ ("Forces"), .help = N_ ("Height of its surface.")),
  KG_INPUT (PlanarLinksNode, ends, BOOLEAN, .label = N_ ("Ends touch"), .group = N_ ("Forces"),
            .help = N_ ("The mattress presses on the ends of the links as well, and not on their centres alone.")),
  KG_INPUT (PlanarLinksNode, gravity, NUMBER, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2, .def = 9.81,
            .soft_max = 20, .group = N_ ("Forces"), .help = N_ ("Downward acceleration.")),
  KG_INPUT (PlanarLinksNode, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-9, .min = 1e-13, .max = 1e-2,
            .soft_max = 1e-4, .group = N_ ("Solver"), .help = N_ ("Error allowed in one step.")),
  KG_INPUT (PlanarLinksNode, stabilise, NUMBER, .label = N_ ("Stabilise"), .unit = KG_HERTZ, .def = 10, .min = 0,
            .max = 1e4, .soft_max = 100, .group = N_ ("Solver"),
            .help = N_ ("How quickly pins that drift apart are brought together again.")),
  KG_INPUT (PlanarLinksNode, link, INTEGER, .label = N_ ("Link"), .min = 0, .max = PLANAR_MAX_LINKS,
            .help = N_ ("Link whose transform is output.")),
  KG_STATE (PlanarLinksNode, state, GEOMETRY, .keeps = "points memory int 16"),
  KG_OUTPUT (PlanarLinksNode, figure, GEOMETRY, .label = N_ ("Figure"),
             .help = N_ ("Each link as a line, with the attributes v and mass.")),
  KG_OUTPUT (
      PlanarLinksNode, forces, GEOMETRY, .label = N_ ("Forces"),
      .help = N_ (
          "A point at each pin, and at the held point, with the attribute force: the force of the pin on its second link, in newtons.")),
  KG_OUTPUT (PlanarLinksNode, coordinates, TABLE, .label = N_ ("Coordinates"),
             .help = N_ ("x, y, angle and their rates, one link per row; degrees.")),
  KG_OUTPUT (PlanarLinksNode, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Transform of the chosen link: its x axis points along it.")),
  KG_OUTPUT (PlanarLinksNode, held, BOOLEAN, .label = N_ ("Held"), .help = N_ ("Whether the point is still held.")),
  KG_OUTPUT (PlanarLinksNode, released, NUMBER, .label = N_ ("Released"), .unit = KG_SECONDS,
             .help = N_ ("Time at which the point was released; -1 while it is held.")),
  KG_OUTPUT (PlanarLinksNode, energy, NUMBER, .label = N_ ("Energy"),
             .help = N_ ("Kinetic and potential energy of all links in joules.")),
  KG_OUTPUT (PlanarLinksNode, angular_momentum, NUMBER, .label = N_ ("Angular momentum"),
             .help = N_ ("Angular momentum about the centre of mass.")),
  KG_OUTPUT (PlanarLinksNode, center, VECTOR, .label = N_ ("Centre of mass"), .unit = KG_METRES,
             .help = N_ ("Centre of mass of all links.")),
  KG_OUTPUT (PlanarLinksNode, deviation, NUMBER, .label = N_ ("Deviation"), .unit = KG_METRES,
             .help = N_ ("Largest distance that the two points of a pin are apart.")),
};

KG_SIMULATION (
    sim, planar_links, PlanarLinksNode, .label = N_ ("Planar Links"), .version = 1, .since = "0.1",
    .tags = N_ ("falling man linkage lagrange constraints mattress dynamics figure physics simulation"),
    .formula = "M q̈ = Q + Jᵀλ; (J M⁻¹ Jᵀ) λ = −γ − J M⁻¹ Q − 2α J q̇ − α² f\n"
               "limits: τ = −τ_max sign(u)|u|³, u = (φ − e)/(hi − e); mattress: F = −k (y − y_m) − c ẏ ≥ 0",
    .source = "Wyvill, tutorial on computer animation and soft objects, 1988: the falling man by dynamics",
    .help = N_ (
        "Simulates rods joined by pins in a plane by the exact equations of mechanics, with joint limits, drag and a "
        "mattress. By default it is a man who stands on a board, topples over its edge and falls: his feet are held "
        "until his body is below the board."));

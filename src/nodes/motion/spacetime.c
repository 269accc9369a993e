/* motion/spacetime: the motion that gets to keys with the least force.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "motion/spacetime.h"

typedef struct {
  const KgTable *keys;
  double time;
  double mass;
  KgVector gravity;
  KgVector weight;
  int method;
  int64_t samples;
  const KgTable *contacts;
  bool ground;
  double height;
  double stiffness;
  KgVector anchor;
  double length;
  KgMotion *motion;
  KgMotion *force_motion;
  KgVector place;
  KgVector velocity;
  KgVector force;
  KgGeometry *path;
  double cost;
  double residual;
  int64_t iterations;
} SpacetimeNode;

enum { METHOD_EXACT, METHOD_DISCRETE, N_METHODS };

static const KgChoice spacetime_methods[] = {
  [METHOD_EXACT] = { "exact", N_ ("Exact: a spline and its fall") },
  [METHOD_DISCRETE] = { "discrete", N_ ("By samples: contacts, floor and spring too") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spacetime_methods, N_METHODS);

static const KgTableColumn spacetime_key_columns[] = {
  { .name = "time", .label = N_ ("Time") },
  { .name = "x", .label = N_ ("X"), .def = NAN, .optional = true },
  { .name = "y", .label = N_ ("Y"), .def = NAN, .optional = true },
  { .name = "z", .label = N_ ("Z"), .def = NAN, .optional = true },
  { .name = "velocity_x", .label = N_ ("Velocity X"), .def = NAN, .optional = true },
  { .name = "velocity_y", .label = N_ ("Velocity Y"), .def = NAN, .optional = true },
  { .name = "velocity_z", .label = N_ ("Velocity Z"), .def = NAN, .optional = true },
  KG_TABLE_COLUMNS_END,
};

static const KgTableColumn spacetime_contact_columns[] = {
  { .name = "from", .label = N_ ("From") },
  { .name = "to", .label = N_ ("To") },
  KG_TABLE_COLUMNS_END,
};

/* A channel through values with slopes: exact for cubics. */
static KgMotion *
spacetime_make_motion (const char *name, const SpacetimePath *path, bool forces, GError **error)
{
  g_autofree KgKey *keys = g_new0 (KgKey, path->n);
  KgChannel *channel;

  for (guint i = 0; i < path->n; i++) {
    const KgVector value = forces ? path->f[i] : path->x[i];
    const double before = i > 0 ? path->t[i] - path->t[i - 1] : 0;
    const double after = i + 1 < path->n ? path->t[i + 1] - path->t[i] : 0;

    kg_key_init (&keys[i], path->t[i], 0);
    keys[i].interpolation = forces ? KG_INTERPOLATE_LINEAR : KG_INTERPOLATE_BEZIER;
    keys[i].tangents = KG_TANGENT_FREE;
    keys[i].in.reach = before / 3;
    keys[i].out.reach = after / 3;
    for (size_t c = 0; c < 3; c++) {
      keys[i].value[c] = kg_vector_get (value, c);
      keys[i].in.rise[c] = -kg_vector_get (path->v[i], c) * before / 3;
      keys[i].out.rise[c] = kg_vector_get (path->v[i], c) * after / 3;
    }
  }
  channel = kg_channel_new_keys (3, false, keys, path->n, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
  return channel != NULL ? kg_motion_new_take (name, channel) : NULL;
}

/* Values at the time. */
static void
spacetime_sample (SpacetimeNode *n, const SpacetimePath *path)
{
  guint i = 0;
  double value[KG_CHANNEL_MAX_WIDTH], u, h;

  while (i + 2 < path->n && n->time >= path->t[i + 1])
    i++;
  kg_channel_evaluate (kg_motion_get_channel (n->motion, 0), n->time, value);
  n->place = kg_vector (value[0], value[1], value[2]);
  if (path->n < 2) {
    n->velocity = path->v[0];
    n->force = path->f[0];
    return;
  }
  h = path->t[i + 1] - path->t[i];
  u = kg_clamp ((n->time - path->t[i]) / h, 0, 1);
  /* The slope of the cubic that the place is on. */
  for (size_t c = 0; c < 3; c++) {
    const double a = h * kg_vector_get (path->v[i], c), b = h * kg_vector_get (path->v[i + 1], c);
    const double d = kg_vector_get (path->x[i + 1], c) - kg_vector_get (path->x[i], c);

    *kg_vector_component (&n->velocity, c) = (a + u * (2 * (3 * d - 2 * a - b) + 3 * u * (a + b - 2 * d))) / h;
  }
  n->force = kg_vector_lerp (path->f[i], path->f_after[i + 1], u);
}

static bool
spacetime_publish (SpacetimeNode *n, const SpacetimePath *path, GError **error)
{
  g_autofree uint32_t *vertices = g_new (uint32_t, path->n);
  float *p, *f;

  n->motion = spacetime_make_motion ("place", path, false, error);
  n->force_motion = n->motion != NULL ? spacetime_make_motion ("force", path, true, error) : NULL;
  n->path = kg_geometry_new ();
  if (n->force_motion == NULL || !kg_geometry_set_n_points (n->path, path->n, error))
    return false;
  p = kg_geometry_edit_positions (n->path);
  f = kg_geometry_edit_float (n->path, KG_POINTS, "force", 3);
  for (uint32_t i = 0; i < path->n; i++) {
    vertices[i] = i;
    kg_floats_set_vector (p, i, path->x[i]);
    kg_floats_set_vector (f, i, path->f[i]);
  }
  kg_geometry_add_primitives (n->path, KG_POLYLINE, false, 1, path->n, vertices);
  n->cost = path->cost;
  n->residual = path->residual;
  n->iterations = path->iterations;
  spacetime_sample (n, path);
  return true;
}

static bool
spacetime_evaluate (SpacetimeNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const guint n_keys = (guint) MIN (kg_table_get_n_rows (n->keys), 10000);
  g_autofree SpacetimeKey *keys = g_new0 (SpacetimeKey, n_keys + 1);
  g_auto (SpacetimePath) path = { .n = 0 };
  Spacetime task = { .keys = keys,
                     .n_keys = n_keys,
                     .mass = n->mass,
                     .gravity = n->gravity,
                     .weight = { n->weight.x, n->weight.y, n->weight.z },
                     .floor = n->ground,
                     .height = n->height,
                     .stiffness = n->stiffness,
                     .anchor = n->anchor,
                     .length = n->length };

  if (!(n->weight.x > 0 && n->weight.y > 0 && n->weight.z > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a weight is %g: forces without a weight above 0 would grow without bound",
                  fmin (n->weight.x, fmin (n->weight.y, n->weight.z)));
    return false;
  }
  for (guint i = 0; i < n_keys; i++)
    memcpy (&keys[i], kg_table_get_row (n->keys, i), sizeof keys[i]);
  if (n->contacts != NULL) {
    task.n_contacts = (guint) kg_table_get_n_rows (n->contacts);
    task.contacts = (const double (*)[2]) (const void *) kg_table_get_cells (n->contacts);
  }
  if (n->method == METHOD_EXACT ? !spacetime_solve_exact (&task, (guint) n->samples, &path, error)
                                : !spacetime_solve_discrete (&task, (guint) n->samples, &path, &monitor, error))
    return false;
  return spacetime_publish (n, &path, error);
}

static const KgSlot spacetime_slots[] = {
  KG_INPUT (
      SpacetimeNode, keys, TABLE, .label = N_ ("Keys"), .columns = spacetime_key_columns,
      .def_text = "0 0 0 0; 1 2 1 0",
      .help = N_ ("Times in seconds, with the position and the velocity of the particle then. Blank cells are free.")),
  KG_INPUT (SpacetimeNode, time, NUMBER, .label = N_ ("Time"), .driver = KG_DRIVER_TIME, .unit = KG_SECONDS,
            .soft_max = 10, .help = N_ ("Time at which it is evaluated. Without a link it is the current time.")),
  KG_INPUT (SpacetimeNode, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .def = 1, .min = 1e-9, .max = 1e9,
            .soft_max = 10, .help = N_ ("Mass of the particle.")),
  KG_INPUT (SpacetimeNode, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2,
            .def_v = { 0, -9.81, 0 }, .help = N_ ("Acceleration due to gravity, which costs nothing.")),
  KG_INPUT (SpacetimeNode, weight, VECTOR, .label = N_ ("Weight"), .def_v = { 1, 1, 1 },
            .help = N_ ("How much the square of the force costs along each axis.")),
  KG_INPUT (SpacetimeNode, method, CHOICE, .label = N_ ("Method"), .choices = spacetime_methods,
            .help = N_ ("How the motion is solved.")),
  KG_INPUT (SpacetimeNode, samples, INTEGER, .label = N_ ("Samples"), .def = 60, .min = 2, .max = SPACETIME_MAX_SAMPLES,
            .soft_max = 120, .help = N_ ("Number of times at which it is computed.")),
  KG_INPUT (SpacetimeNode, contacts, TABLE, .label = N_ ("Contacts"), .columns = spacetime_contact_columns,
            .optional = true, .shown_when = "method=discrete",
            .help = N_ ("One interval per row, from one time to another, in which the particle touches something "
                        "and can push. Without a row it can always push, like a rocket.")),
  KG_INPUT (SpacetimeNode, ground, BOOLEAN, .label = N_ ("Ground"), .shown_when = "method=discrete",
            .help = N_ ("The path stays above a floor.")),
  KG_INPUT (SpacetimeNode, height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .soft_min = -5, .soft_max = 5,
            .shown_when = "method=discrete&ground=true", .help = N_ ("Height of the floor.")),
  KG_INPUT (SpacetimeNode, stiffness, NUMBER, .label = N_ ("Spring"), .min = 0, .max = 1e9, .soft_max = 100,
            .shown_when = "method=discrete",
            .help = N_ ("Stiffness, in newtons per metre, of a spring that holds the particle, at no cost.")),
  KG_INPUT (SpacetimeNode, anchor, VECTOR, .label = N_ ("Anchor"), .unit = KG_METRES, .shown_when = "method=discrete",
            .help = N_ ("Where the spring is fastened.")),
  KG_INPUT (SpacetimeNode, length, NUMBER, .label = N_ ("Spring length"), .unit = KG_METRES, .min = 0, .max = 1e9,
            .soft_max = 5, .shown_when = "method=discrete", .help = N_ ("Length of the spring at rest.")),
  KG_OUTPUT (SpacetimeNode, motion, MOTION, .label = N_ ("Motion"), .help = N_ ("The position over time.")),
  KG_OUTPUT (SpacetimeNode, force_motion, MOTION, .label = N_ ("Force over time"),
             .help = N_ ("The force of the particle itself over time, in newtons.")),
  KG_OUTPUT (SpacetimeNode, place, VECTOR, .label = N_ ("Place"), .unit = KG_METRES,
             .help = N_ ("The current position.")),
  KG_OUTPUT (SpacetimeNode, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("The current velocity.")),
  KG_OUTPUT (SpacetimeNode, force, VECTOR, .label = N_ ("Force"), .help = N_ ("The current force, in newtons.")),
  KG_OUTPUT (SpacetimeNode, path, GEOMETRY, .label = N_ ("Path"), .help = N_ ("The path, with the attribute force.")),
  KG_OUTPUT (SpacetimeNode, cost, NUMBER, .label = N_ ("Cost"),
             .help = N_ ("Integral of the weighted square of the force.")),
  KG_OUTPUT (SpacetimeNode, residual, NUMBER, .label = N_ ("Residual"), .help = N_ ("Largest error of the equations.")),
  KG_OUTPUT (SpacetimeNode, iterations, INTEGER, .label = N_ ("Steps taken"), .help = N_ ("Steps of the solver.")),
};

KG_NODE (
    motion, spacetime, SpacetimeNode, .label = N_ ("Spacetime"), .version = 2, .since = "0.1",
    .tags = N_ ("witkin kass constraint optimal jump effort anticipation trajectory"),
    .formula = "m ẍ = f + m g; ∫ |f|² dt → min",
    .source = "Witkin and Kass, Spacetime Constraints, 1988; Parent, Computer Animation, 4.5.4",
    .help = N_ (
        "Finds the motion of a self-propelled particle through keys with the least effort. Features that make motion "
        "look alive emerge by themselves: it swings back before a jump, and pushes off only while it can."));

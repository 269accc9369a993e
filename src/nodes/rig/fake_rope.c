/* rig/fake_rope: ropes, strings and coils between two things, without simulation.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/fake_rope.h"
#include "kg-node.h"
#include "kg-floats.h"

typedef struct {
  KgVector start;
  KgVector end;
  double slack;
  double length;
  int64_t points;
  KgVector gravity;
  double swing;
  double lag;
  KgVector pluck;
  double pluck_time;
  double pluck_at;
  double wave_speed;
  double decay;
  int64_t modes;
  int64_t coils;
  double wire;
  double wire_width;
  double weight;
  KgGeometry *geometry;
  double tension;
  bool taut;
  bool closed;
} FakeRope;

/* Points of a turn of a coil. */
#define TURN 24
/* Most points of a coil. */
#define MAX_COIL 1000000
/* Now, half a frame before and after. */
#define N_TIMES 3

/* How far behind point i is: the ends are exact, the centre is late. */
static double
fake_rope_get_lag (const FakeRope *n, int64_t i)
{
  const double u = (double) i / (double) (n->points - 1);

  return n->lag * 4 * u * (1 - u);
}

static bool
fake_rope_demand (const FakeRope *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  static const size_t fields[] = { offsetof (FakeRope, start), offsetof (FakeRope, end) };
  const double h = 0.5 / ctx->rate;

  (void) error;
  for (size_t f = 0; f < G_N_ELEMENTS (fields); f++) {
    kg_demand_at (demand, fields[f], ctx->time);
    kg_demand_at (demand, fields[f], ctx->time - h);
    kg_demand_at (demand, fields[f], ctx->time + h);
    /* Both halves are late in the same way. */
    for (int64_t i = 0; n->lag > 0 && i < (n->points + 1) / 2; i++)
      kg_demand_at (demand, fields[f], ctx->time - fake_rope_get_lag (n, i));
  }
  return true;
}

static KgVector
fake_rope_get_end (const KgContext *ctx, size_t field, guint sample)
{
  return kg_context_get_sample (ctx, field, sample)->vector;
}

/* The rope as it hangs between its ends at one of the samples. */
static void
fake_rope_hang (const FakeRope *n, const KgContext *ctx, guint sample, KgVector gravity, HangingRope *rope)
{
  const KgVector start = fake_rope_get_end (ctx, offsetof (FakeRope, start), sample);
  const KgVector end = fake_rope_get_end (ctx, offsetof (FakeRope, end), sample);

  hanging_rope_init (rope, start, end, n->length > 0 ? n->length : n->slack * kg_vector_distance (start, end), gravity);
}

/* What the rope feels: gravity, less the mean acceleration of its ends. */
static KgVector
fake_rope_get_gravity (const FakeRope *n, const KgContext *ctx)
{
  static const size_t fields[] = { offsetof (FakeRope, start), offsetof (FakeRope, end) };
  const double h = 0.5 / ctx->rate;
  KgVector acceleration = { 0, 0, 0 };

  for (size_t f = 0; f < G_N_ELEMENTS (fields); f++) {
    const KgVector now = fake_rope_get_end (ctx, fields[f], 0);
    const KgVector around =
        kg_vector_add (fake_rope_get_end (ctx, fields[f], 1), fake_rope_get_end (ctx, fields[f], 2));

    acceleration = kg_vector_add_scaled (acceleration, 0.5 / (h * h), kg_vector_add_scaled (around, -2, now));
  }
  return kg_vector_add_scaled (n->gravity, -n->swing, acceleration);
}

static bool
fake_rope_add_line (FakeRope *n, const KgVector *points, size_t count, GError **error)
{
  g_autofree uint32_t *vertices = NULL;
  float *p;

  if (!kg_geometry_set_n_points (n->geometry, count, error))
    return false;
  vertices = g_new (uint32_t, count);
  p = kg_geometry_edit_positions (n->geometry);
  for (size_t i = 0; i < count; i++) {
    vertices[i] = (uint32_t) i;
    kg_floats_set_vector (p, i, points[i]);
  }
  kg_geometry_add_primitives (n->geometry, KG_POLYLINE, false, 1, (uint32_t) count, vertices);
  return true;
}

/* A helix around the points, in axes that are carried along without twist. */
static bool
fake_rope_add_coil (FakeRope *n, const KgVector *points, GError **error)
{
  const size_t count = (size_t) n->points, turns = (size_t) n->coils, total = TURN * turns + 1;
  g_autofree double *lengths = g_new (double, count);
  g_autofree KgVector *across = g_new (KgVector, count), *coil = g_new (KgVector, total);
  KgVector tangent = { 1, 0, 0 };
  double radius;
  size_t k = 0;

  lengths[0] = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t from = i + 1 < count ? i : i - 1;
    const KgVector next = kg_vector_normalize_or (kg_vector_subtract (points[from + 1], points[from]), tangent);

    if (i > 0)
      lengths[i] = lengths[i - 1] + kg_vector_distance (points[i], points[i - 1]);
    across[i] = i == 0 ? kg_vector_perpendicular (next)
                       : kg_rotation_apply (kg_rotation_between (tangent, next), across[i - 1]);
    tangent = next;
  }
  radius = coil_get_radius (n->wire, lengths[count - 1], (double) n->coils, n->wire_width);
  n->closed = lengths[count - 1] < (double) n->coils * n->wire_width;
  n->taut |= !(radius > 0);
  for (size_t i = 0; i < total; i++) {
    const double s = lengths[count - 1] * (double) i / (double) (total - 1), angle = 2 * KG_PI * (double) i / TURN;
    KgVector u, v, along;
    double f;

    while (k + 2 < count && lengths[k + 1] < s)
      k++;
    f = lengths[k + 1] > lengths[k] ? (s - lengths[k]) / (lengths[k + 1] - lengths[k]) : 0;
    along = kg_vector_normalize_or (kg_vector_subtract (points[k + 1], points[k]), kg_vector (1, 0, 0));
    u = kg_vector_lerp (across[k], across[k + 1], f);
    u = kg_vector_normalize_or (kg_vector_add_scaled (u, -kg_vector_dot (u, along), along),
                                kg_vector_perpendicular (along));
    v = kg_vector_cross (along, u);
    coil[i] = kg_vector_add_scaled (
        kg_vector_add_scaled (kg_vector_lerp (points[k], points[k + 1], f), radius * cos (angle), u),
        radius * sin (angle), v);
  }
  return fake_rope_add_line (n, coil, total, error);
}

static bool
fake_rope_evaluate (FakeRope *n, const KgContext *ctx, GError **error)
{
  const size_t count = (size_t) n->points;
  const KgVector gravity = fake_rope_get_gravity (n, ctx);
  g_autofree KgVector *points = g_new (KgVector, count);
  HangingRope now, late;

  if (n->coils * TURN > MAX_COIL) {
    kg_set_error (error, KG_ERROR_LIMIT, "a coil of %d turns has too many points: use at most %d", (int) n->coils,
                  MAX_COIL / TURN);
    return false;
  }
  fake_rope_hang (n, ctx, 0, gravity, &now);
  n->taut = now.taut;
  n->tension = n->weight * kg_vector_length (gravity) * hanging_rope_get_tension (&now);
  for (size_t i = 0; i < count; i++) {
    const double u = (double) i / (double) (count - 1);

    late = now;
    if (n->lag > 0)
      fake_rope_hang (n, ctx, (guint) (N_TIMES + MIN (i, count - 1 - i)), gravity, &late);
    points[i] = kg_vector_add_scaled (hanging_rope_get_point (&late, u),
                                      plucked_string_get (n->pluck_at, u, ctx->time - n->pluck_time, n->wave_speed,
                                                          late.length, n->decay, (uint32_t) n->modes),
                                      n->pluck);
  }
  n->geometry = kg_geometry_new ();
  return n->coils > 0 ? fake_rope_add_coil (n, points, error) : fake_rope_add_line (n, points, count, error);
}

static const KgSlot fake_rope_slots[] = {
  KG_INPUT (FakeRope, start, VECTOR, .label = N_ ("Start"), .unit = KG_METRES, .def_v = { -1, 0, 0 },
            .help = N_ ("Where the rope begins. It may move: the rope lags and swings.")),
  KG_INPUT (FakeRope, end, VECTOR, .label = N_ ("End"), .unit = KG_METRES, .def_v = { 1, 0, 0 },
            .help = N_ ("Where the rope ends.")),
  KG_INPUT (FakeRope, slack, NUMBER, .label = N_ ("Slack"), .def = 1.05, .min = 1, .max = 1000, .soft_max = 2,
            .help = N_ (
                "Length of the rope as a multiple of the distance between its ends, if it has no length of its own.")),
  KG_INPUT (FakeRope, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES, .min = 0, .max = 1e6, .soft_max = 10,
            .help = N_ ("Length of the rope. 0 uses the slack.")),
  KG_INPUT (FakeRope, points, INTEGER, .label = N_ ("Points"), .def = 32, .min = 2, .max = 2000, .soft_max = 100,
            .early = true, .help = N_ ("Number of points.")),
  KG_INPUT (FakeRope, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2, .def_v = { 0, -9.81, 0 },
            .group = N_ ("Hang"), .help = N_ ("Acceleration due to gravity; on earth 9.81 downwards.")),
  KG_INPUT (
      FakeRope, swing, NUMBER, .label = N_ ("Swing"), .def = 1, .min = 0, .max = 10, .soft_max = 2,
      .group = N_ ("Hang"),
      .help = N_ ("How strongly the rope reacts to the acceleration of its ends: 1 as in reality, 0 not at all.")),
  KG_INPUT (FakeRope, lag, NUMBER, .label = N_ ("Lag"), .unit = KG_SECONDS, .def = 0.05, .min = 0, .max = 100,
            .soft_max = 1, .early = true, .group = N_ ("Hang"),
            .help = N_ ("Delay with which the centre of the rope follows its ends.")),
  KG_INPUT (FakeRope, pluck, VECTOR, .label = N_ ("Pluck"), .unit = KG_METRES, .handle = { KG_HANDLE_NONE },
            .group = N_ ("Ring"), .help = N_ ("How far, and in which direction, the rope is plucked.")),
  KG_INPUT (FakeRope, pluck_time, NUMBER, .label = N_ ("Pluck time"), .unit = KG_SECONDS, .min = -1e6, .max = 1e6,
            .soft_min = 0, .soft_max = 10, .group = N_ ("Ring"), .help = N_ ("Time at which it is plucked.")),
  KG_INPUT (FakeRope, pluck_at, NUMBER, .label = N_ ("Pluck at"), .def = 0.5, .min = 0, .max = 1, .group = N_ ("Ring"),
            .help = N_ ("Position at which it is plucked, as a share of its length. At its ends it does not ring.")),
  KG_INPUT (FakeRope, wave_speed, NUMBER, .label = N_ ("Wave speed"), .unit = KG_METRES_PER_SECOND, .def = 4, .min = 0,
            .max = 1e6, .soft_max = 20, .group = N_ ("Ring"),
            .help = N_ ("Speed at which the pluck travels along the rope.")),
  KG_INPUT (FakeRope, decay, NUMBER, .label = N_ ("Decay"), .def = 2, .min = 0, .max = 1e6, .soft_max = 10,
            .group = N_ ("Ring"), .help = N_ ("How fast the ringing dies away, per second; higher tones die first.")),
  KG_INPUT (FakeRope, modes, INTEGER, .label = N_ ("Modes"), .def = 8, .min = 0, .max = 1000, .soft_max = 30,
            .group = N_ ("Ring"), .help = N_ ("Number of modes: more make the kink of the pluck sharper.")),
  KG_INPUT (FakeRope, coils, INTEGER, .label = N_ ("Turns"), .min = 0, .max = 100000, .soft_max = 50,
            .group = N_ ("Coil"), .help = N_ ("Number of turns of a coil of wire around the rope; 0: a rope.")),
  KG_INPUT (FakeRope, wire, NUMBER, .label = N_ ("Wire"), .unit = KG_METRES, .def = 10, .min = 0, .max = 1e6,
            .soft_max = 50, .group = N_ ("Coil"),
            .help = N_ ("Length of the wire: the coil gets thinner as it is stretched.")),
  KG_INPUT (FakeRope, wire_width, NUMBER, .label = N_ ("Width of the wire"), .unit = KG_METRES, .def = 0.01, .min = 0,
            .max = 1e3, .soft_max = 0.1, .group = N_ ("Coil"),
            .help = N_ ("Turns cannot be closer together than this.")),
  KG_INPUT (FakeRope, weight, NUMBER, .label = N_ ("Mass per metre"), .unit = KG_KILOGRAMS_PER_METRE, .def = 1,
            .min = 0, .max = 1e6, .soft_max = 10,
            .help = N_ ("For the tension only: the shape of a rope does not depend on it.")),
  KG_OUTPUT (FakeRope, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The rope or coil as a polyline.")),
  KG_OUTPUT (
      FakeRope, tension, NUMBER, .label = N_ ("Tension"),
      .help = N_ ("Largest tension in newtons; 0 if the rope is taut, because the tension then cannot be known.")),
  KG_OUTPUT (FakeRope, taut, BOOLEAN, .label = N_ ("Taut"),
             .help = N_ ("Whether the rope, or the wire of the coil, is too short to hang or to turn.")),
  KG_OUTPUT (FakeRope, closed, BOOLEAN, .label = N_ ("Closed"),
             .help = N_ ("Whether the turns of the coil lie against each other.")),
};

KG_NODE_WITH_DEMAND (
    rig, fake_rope, FakeRope, .label = N_ ("Fake Rope"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("rope string cable chain spring coil catenary hang swing pluck ring wire"),
    .formula = "hang: y = a cosh (x / a), 2a sinh (d / 2a) = √(L² − v²)\n"
               "ring: Σ 2 sin(kπp) / (k²π²p(1 − p)) sin(kπu) cos(kπct/L) e^(−δkt)\n"
               "coil: r = √(W² − ℓ²) / 2πn",
    .help = N_ (
        "Makes a rope or a coiled spring between two points that hangs, lags, swings and rings as if it had weight. "
        "It is not simulated: every frame is computed directly, and it can be slowed down and repeated at will."));

/* sim/banked_flight: a bird or glider that flies by lift, drag, thrust and weight.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "sim/flight_frame.h"
#include "sim/geometric_flight.h"

#define GRAVITY 9.81

typedef struct {
  double mass;
  double area;
  double air_density;
  double cd0;
  double k;
  double lift_slope;
  double zero_lift;
  double stall;
  int hold;
  double alpha;
  double bank;
  double thrust;
  double speed;
  const KgGeometry *path;
  double flap_rate;
  double flap_angle;
  bool bounding;
  KgVector start;
  KgVector velocity;
  const KgField *wind;
  int64_t substeps;
  KgTable *state;
  KgGeometry *geometry;
  KgTransform transform;
  KgVector position;
  double air_speed;
  double climb;
  double banked;
  double attack;
  double load;
  double lift;
  double drag;
  double power;
  double stroke;
  double phase;
  bool stalled;
} BankedFlight;

static const KgChoice banked_flight_holds[] = {
  [FLIGHT_HOLD_ALPHA] = { "alpha", N_ ("Angle of attack") },
  [FLIGHT_HOLD_LEVEL] = { "level", N_ ("Height") },
  [FLIGHT_HOLD_SPEED] = { "speed", N_ ("Height and speed") },
  [FLIGHT_HOLD_PATH] = { "path", N_ ("Path and speed") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (banked_flight_holds, FLIGHT_N_HOLDS);

/* The state in full precision: place, velocity, left, bank, phase. */
enum { STATE_NUMBERS = 11 };

static const char *const state_names[STATE_NUMBERS] = { "x",  "y",  "z",  "vx",   "vy",   "vz",
                                                        "lx", "ly", "lz", "bank", "phase" };

static void
banked_flight_write (const FlightState *state, double cells[STATE_NUMBERS])
{
  const double numbers[] = { state->place.x,    state->place.y,    state->place.z, state->velocity.x,
                             state->velocity.y, state->velocity.z, state->left.x,  state->left.y,
                             state->left.z,     state->bank,       state->phase };

  memcpy (cells, numbers, sizeof numbers);
}

static FlightState
banked_flight_read (const KgTable *table)
{
  static const double none[STATE_NUMBERS] = { 0 };
  const bool fits = kg_table_get_n_columns (table) == STATE_NUMBERS && kg_table_get_n_rows (table) > 0;
  const double *c = fits ? kg_table_get_row (table, 0) : none;

  return (FlightState){ kg_vector (c[0], c[1], c[2]), kg_vector (c[3], c[4], c[5]), kg_vector (c[6], c[7], c[8]), c[9],
                        c[10] };
}

static FlightSettings
banked_flight_get_settings (const BankedFlight *n)
{
  return (FlightSettings){
    /* The slope is per degree at the surface. */
    .wing = { n->mass, n->area, n->air_density, GRAVITY, n->cd0, n->k, n->lift_slope / KG_DEGREE, n->zero_lift,
              fmax (n->stall, n->zero_lift) },
    .hold = (FlightHold) n->hold,
    .alpha = n->alpha,
    .bank = n->bank,
    .thrust = n->thrust,
    .speed = n->speed,
    .wind = n->wind,
    .flap_rate = n->flap_rate,
    .flap_angle = n->flap_angle,
    .bounding = n->bounding,
  };
}

static void
banked_flight_free_curve (Curve **curve)
{
  g_clear_pointer (curve, curve_free);
}

/* The path, if it is held; the curve is the caller's. */
static bool
banked_flight_set_path (const BankedFlight *n, const KgContext *ctx, FlightSettings *settings, Curve **curve,
                        GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);

  if (n->hold != FLIGHT_HOLD_PATH)
    return true;
  if (n->path == NULL) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "there is no path to hold: link a curve to path");
    return false;
  }
  *curve = curve_new (n->path, 0, error);
  settings->path = *curve;
  return *curve != NULL && curve_prepare_lengths (*curve, &monitor);
}

static bool
banked_flight_start (BankedFlight *n, const KgContext *ctx, GError **error)
{
  FlightState state = { .place = n->start, .velocity = n->velocity, .left = { 1, 0, 0 }, .bank = n->bank };

  (void) ctx;
  state.left = flight_frame_level (kg_vector_normalize_or (n->velocity, kg_vector (0, 0, 1)), kg_vector (0, 1, 0),
                                   kg_vector (1, 0, 0))
                   .left;
  n->state = kg_table_new (STATE_NUMBERS, state_names, 1, error);
  if (n->state == NULL)
    return false;
  banked_flight_write (&state, kg_table_edit (n->state));
  return true;
}

static bool
banked_flight_advance (BankedFlight *n, const KgContext *ctx, double dt, GError **error)
{
  FlightSettings settings = banked_flight_get_settings (n);
  FlightState state = banked_flight_read (n->state);
  __attribute__ ((cleanup (banked_flight_free_curve))) Curve *curve = NULL;
  const double h = dt / (double) n->substeps;
  KgTable *next;

  if (!banked_flight_set_path (n, ctx, &settings, &curve, error))
    return false;
  for (int64_t i = 0; i < n->substeps; i++) {
    if (kg_context_is_cancelled (ctx))
      return false;
    flight_step (&settings, &state, ctx->time - dt + (double) i * h, h);
  }
  if (!kg_vector_is_finite (state.place) || !kg_vector_is_finite (state.velocity) ||
      kg_vector_length (state.place) > 1e15) {
    kg_set_error (
        error, KG_ERROR_DIVERGED,
        "the flight moves beyond all bounds: raise the substeps above %d, or give the wing less area for its mass",
        (int) n->substeps);
    return false;
  }
  next = kg_table_new (STATE_NUMBERS, state_names, 1, error);
  if (next == NULL)
    return false;
  banked_flight_write (&state, kg_table_edit (next));
  kg_table_unref (n->state);
  n->state = next;
  return true;
}

static void
banked_flight_make_point (BankedFlight *n, const FlightState *state, const KgRotation *turn)
{
  const double q[] = { turn->w, turn->x, turn->y, turn->z };
  float *p, *v, *orient;

  p = kg_geometry_edit_positions (n->geometry);
  v = kg_geometry_edit_float (n->geometry, KG_POINTS, "v", 3);
  orient = kg_geometry_edit_float (n->geometry, KG_POINTS, "orient", 4);
  for (size_t c = 0; c < 3; c++) {
    p[c] = (float) kg_vector_get (state->place, c);
    v[c] = (float) kg_vector_get (state->velocity, c);
  }
  for (size_t c = 0; c < 4; c++)
    orient[c] = (float) q[c];
  kg_geometry_edit_float (n->geometry, KG_POINTS, "speed", 1)[0] = (float) n->air_speed;
  kg_geometry_edit_float (n->geometry, KG_POINTS, "bank", 1)[0] = (float) n->banked;
  kg_geometry_edit_float (n->geometry, KG_POINTS, "stroke", 1)[0] = (float) n->stroke;
  kg_geometry_edit_float (n->geometry, KG_POINTS, "phase", 1)[0] = (float) n->phase;
}

static bool
banked_flight_evaluate (BankedFlight *n, const KgContext *ctx, GError **error)
{
  FlightSettings settings = banked_flight_get_settings (n);
  const FlightState state = banked_flight_read (n->state);
  __attribute__ ((cleanup (banked_flight_free_curve))) Curve *curve = NULL;
  FlightForces forces;
  FlightFrame frame;
  KgRotation turn;

  if (!banked_flight_set_path (n, ctx, &settings, &curve, error))
    return false;
  forces = flight_get_forces (&settings, &state, ctx->time);
  frame = (FlightFrame){ forces.forward, kg_vector_cross (forces.up, forces.forward), forces.up };
  turn = flight_frame_get_rotation (&frame);
  n->transform = kg_transform_from_parts (state.place, turn, kg_vector (1, 1, 1));
  n->position = state.place;
  n->air_speed = forces.air_speed;
  n->climb = forces.climb;
  n->banked = forces.bank;
  n->attack = forces.alpha;
  n->load = forces.load;
  n->lift = forces.lift;
  n->drag = forces.drag;
  n->power = forces.thrust;
  n->stalled = forces.stalled;
  n->stroke = flight_get_stroke (&settings, &state);
  n->phase = state.phase;
  n->geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->geometry, 1, error))
    return false;
  banked_flight_make_point (n, &state, &turn);
  return true;
}

#define WING .group = N_ ("Wing")
#define FLAP .group = N_ ("Flapping")

static const KgSlot banked_flight_slots[] = {
  KG_INPUT (
      BankedFlight, hold, CHOICE, .label = N_ ("Hold"), .choices = banked_flight_holds, .def = FLIGHT_HOLD_LEVEL,
      .help = N_ (
          "What the pilot holds. The height is held by the angle of attack alone: the thrust stays as it is set, and if it is too low, the bird slows down until its wings can no longer carry it. To hold the speed, the thrust is controlled too, and to follow a path, so is the bank. If the wing cannot produce enough lift, the height is not held.")),
  KG_INPUT (BankedFlight, alpha, NUMBER, .label = N_ ("Angle of attack"), .shown_when = "hold=alpha",
            .unit = KG_DEGREES, .def = 5, .min = -90, .max = 90, .soft_min = -10, .soft_max = 30,
            .help = N_ ("Angle of the body above its path through the air.")),
  KG_INPUT (BankedFlight, bank, NUMBER, .label = N_ ("Bank"), .shown_when = "hold=alpha|level|speed",
            .unit = KG_DEGREES, .min = -180, .max = 180, .soft_min = -80, .soft_max = 80,
            .help = N_ ("Angle by which the right wing is lowered: the lift turns the flight to that side.")),
  KG_INPUT (BankedFlight, thrust, NUMBER, .label = N_ ("Thrust"), .shown_when = "hold=alpha|level", .def = 0.7,
            .min = 0, .max = 1e9, .soft_max = 10, .help = N_ ("Forward force in newtons; 0 glides.")),
  KG_INPUT (BankedFlight, speed, NUMBER, .label = N_ ("Speed"), .shown_when = "hold=speed|path",
            .unit = KG_METRES_PER_SECOND, .def = 10.7, .min = 0.1, .max = 1e4, .soft_max = 40,
            .help = N_ ("Speed that is held.")),
  KG_INPUT (BankedFlight, path, GEOMETRY, .label = N_ ("Path"), .shown_when = "hold=path", .optional = true,
            .help = N_ ("Curve that is flown along, as closely as the wing permits.")),
  KG_INPUT (BankedFlight, start, VECTOR, .label = N_ ("Start"), .unit = KG_METRES,
            .help = N_ ("Position at the start.")),
  KG_INPUT (BankedFlight, velocity, VECTOR, .label = N_ ("Velocity"), .def_v = { 0, 0, 10.7 },
            .help = N_ ("Velocity at the start, in metres per second.")),
  KG_INPUT (BankedFlight, wind, FIELD, .label = N_ ("Wind"), .optional = true,
            .help = N_ ("Velocity of the air in metres per second; a field of single numbers is rising air.")),
  KG_INPUT (BankedFlight, mass, NUMBER, WING, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .def = 1, .min = 1e-6,
            .max = 1e7, .soft_max = 10, .help = N_ ("Mass of the bird.")),
  KG_INPUT (BankedFlight, area, NUMBER, WING, .label = N_ ("Area"), .def = 0.2, .min = 0, .max = 1e5, .soft_max = 2,
            .help = N_ ("Area of the wings in square metres.")),
  KG_INPUT (BankedFlight, air_density, NUMBER, WING, .label = N_ ("Air density"), .def = 1.225, .min = 0, .max = 1e4,
            .soft_max = 2, .help = N_ ("Mass of a cubic metre of air in kilograms.")),
  KG_INPUT (BankedFlight, cd0, NUMBER, WING, .label = N_ ("Drag"), .def = 0.02, .min = 0, .max = 100, .soft_max = 0.2,
            .help = N_ ("Coefficient of drag without lift.")),
  KG_INPUT (BankedFlight, k, NUMBER, WING, .label = N_ ("Drag by lift"), .def = 0.06, .min = 0, .max = 100,
            .soft_max = 0.3,
            .help = N_ ("Drag that grows with the square of the coefficient of lift; long wings have less.")),
  KG_INPUT (BankedFlight, lift_slope, NUMBER, WING, .label = N_ ("Lift slope"), .def = 0.1, .min = 0, .max = 10,
            .soft_max = 0.2, .help = N_ ("Coefficient of lift per degree of the angle of attack.")),
  KG_INPUT (BankedFlight, zero_lift, NUMBER, WING, .label = N_ ("Zero lift"), .unit = KG_DEGREES, .def = -2, .min = -45,
            .max = 45, .soft_min = -10, .soft_max = 10, .help = N_ ("Angle of attack without lift.")),
  KG_INPUT (BankedFlight, stall, NUMBER, WING, .label = N_ ("Stall"), .unit = KG_DEGREES, .def = 15, .min = -45,
            .max = 90, .soft_min = 5, .soft_max = 30,
            .help = N_ ("Angle of attack beyond which the lift breaks down.")),
  KG_INPUT (BankedFlight, flap_rate, NUMBER, FLAP, .label = N_ ("Flap rate"), .unit = KG_HERTZ, .min = 0, .max = 1e3,
            .soft_max = 20, .help = N_ ("Strokes of the wings per second; the thrust rises and falls with them.")),
  KG_INPUT (BankedFlight, flap_angle, NUMBER, FLAP, .label = N_ ("Flap angle"), .unit = KG_DEGREES, .def = 40, .min = 0,
            .max = 180, .soft_max = 90, .help = N_ ("Largest angle of the wings to either side.")),
  KG_INPUT (BankedFlight, bounding, BOOLEAN, FLAP, .label = N_ ("Rest downwards"),
            .help = N_ ("The wings rest, and give no thrust, while the bird descends.")),
  KG_INPUT (BankedFlight, substeps, INTEGER, .label = N_ ("Substeps"), .def = 4, .min = 1, .max = 100,
            .help = N_ ("Number of steps per frame.")),
  KG_STATE (BankedFlight, state, TABLE),
  KG_OUTPUT (BankedFlight, geometry, GEOMETRY, .label = N_ ("Bird"),
             .help = N_ ("A point with v, orient, speed, bank, phase and stroke: for Copy to Points and Trail.")),
  KG_OUTPUT (BankedFlight, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Position and rotation of the body: forward is z, up is y.")),
  KG_OUTPUT (BankedFlight, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
             .help = N_ ("Position of the body.")),
  KG_OUTPUT (BankedFlight, air_speed, NUMBER, .label = N_ ("Air speed"), .unit = KG_METRES_PER_SECOND,
             .help = N_ ("Speed through the air.")),
  KG_OUTPUT (BankedFlight, climb, NUMBER, .label = N_ ("Climb"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the path above the horizon.")),
  KG_OUTPUT (BankedFlight, banked, NUMBER, .label = N_ ("Bank angle"), .unit = KG_DEGREES,
             .help = N_ ("Bank that is flown.")),
  KG_OUTPUT (BankedFlight, attack, NUMBER, .label = N_ ("Attack"), .unit = KG_DEGREES,
             .help = N_ ("Angle of attack that is flown.")),
  KG_OUTPUT (BankedFlight, load, NUMBER, .label = N_ ("Load"), .help = N_ ("Lift divided by weight.")),
  KG_OUTPUT (BankedFlight, lift, NUMBER, .label = N_ ("Lift Force"), .help = N_ ("Lift in newtons.")),
  KG_OUTPUT (BankedFlight, drag, NUMBER, .label = N_ ("Drag force"), .help = N_ ("Drag in newtons.")),
  KG_OUTPUT (BankedFlight, power, NUMBER, .label = N_ ("Thrust force"), .help = N_ ("Thrust in newtons.")),
  KG_OUTPUT (BankedFlight, stroke, NUMBER, .label = N_ ("Stroke"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the wings: rotate the left one by it and the right one against it.")),
  KG_OUTPUT (BankedFlight, phase, NUMBER, .label = N_ ("Phase"),
             .help = N_ ("Part of the stroke that is complete, from 0 to 1.")),
  KG_OUTPUT (BankedFlight, stalled, BOOLEAN, .label = N_ ("Stalled"), .help = N_ ("Whether the lift has broken down.")),
};

KG_SIMULATION (
    sim, banked_flight, BankedFlight, .label = N_ ("Banked Flight"), .version = 1, .since = "0.1",
    .tags = N_ ("bird glider aeroplane plane wing flap soar stall climb turn lift drag thrust geometric flight"),
    .formula = "L = ρ v² S C / 2, C = a (α − α₀)\nD = ρ v² S (C₀ + K C²) / 2\ntan φ = v² / (g r)\nsin γ = (T − D) / W",
    .source = "Reynolds, Flocks, Herds, and Schools, 1987; Anderson, Introduction to Flight, 1978",
    .help = N_ ("Flies a bird or a glider by lift, drag, thrust and weight: it banks into turns, climbs with thrust, "
                "stalls when it is too slow, soars in rising air and flaps its wings."));

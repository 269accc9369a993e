/* geometric_flight: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/geometric_flight.h"

#include "kg-floats.h"
#include "sim/flight_frame.h"

/* m/s: below this the air does nothing. */
#define STILL 0.1
/* What is left of the lift beyond the stall, and how fast it is lost. */
#define STALLED 0.6
#define STALL_WIDTH (10 * KG_DEGREE)
/* Seconds in which a hold comes back to what it holds, and in which the body rolls. */
#define HOLD_TIME 0.5
#define ROLL_TIME 0.2
/* Seconds of the path that are looked ahead. */
#define PATH_AHEAD 0.5
/* Below this climb the wings of bounding flight rest. */
#define REST (-2 * KG_DEGREE)

static double
get_lift (const FlightWing *wing, double alpha)
{
  const double most = wing->stall - wing->zero, a = alpha - wing->zero, beyond = fabs (a) - most;
  double c = wing->slope * fmin (fabs (a), most);

  if (beyond > 0)
    c *= 1 - (1 - STALLED) * fmin (1, beyond / STALL_WIDTH);
  return a < 0 ? -c : c;
}

/* The least angle with that coefficient of lift; that of the stall where it is not reached. */
static double
get_alpha (const FlightWing *wing, double coefficient)
{
  const double most = wing->stall - wing->zero;

  return wing->zero + (wing->slope > 0 ? kg_clamp (coefficient / wing->slope, -most, most) : 0);
}

static KgVector
get_wind (const FlightSettings *s, KgVector x, KgVector v, double time)
{
  const float at[] = { (float) x.x, (float) x.y, (float) x.z, (float) v.x, (float) v.y, (float) v.z };
  const KgFieldBlock block = {
    .n = 1, .x = at, .y = at + 1, .z = at + 2, .vx = at + 3, .vy = at + 4, .vz = at + 5, .time = time
  };
  float wind[3] = { 0, 0, 0 };
  float *const out[] = { wind, wind + 1, wind + 2 };

  if (s->wind == NULL)
    return kg_vector (0, 0, 0);
  if (kg_field_get_width (s->wind) == 1) {
    kg_field_sample (s->wind, &block, out + 1);
    wind[0] = wind[2] = 0;
  } else
    kg_field_sample (s->wind, &block, out);
  return kg_floats_get_vector (wind, 0);
}

/* The place of a path a little ahead of the nearest one, found from samples of it. */
static KgVector
get_aim (const FlightSettings *s, KgVector x)
{
  enum { SAMPLES = 256 };
  const double length = curve_get_length (s->path), ahead = PATH_AHEAD * s->speed;
  double best = INFINITY, at = 0;

  for (int i = 0; i <= SAMPLES; i++) {
    const double u = curve_get_parameter (s->path, length * i / SAMPLES);
    const double distance = kg_vector_distance (curve_evaluate (s->path, u, 0), x);

    if (distance < best) {
      best = distance;
      at = length * i / SAMPLES;
    }
  }
  at += ahead;
  if (curve_is_closed (s->path) && length > 0)
    at = fmod (at, length);
  else if (at > length)
    /* On beyond the end. */
    return kg_vector_add_scaled (curve_evaluate (s->path, curve_get_parameter (s->path, length), 0), at - length,
                                 curve_get_tangent (s->path, curve_get_parameter (s->path, length)));
  return curve_evaluate (s->path, curve_get_parameter (s->path, at), 0);
}

/* The angle of attack at which lift and thrust together carry so much across the way. */
static double
solve_alpha (const FlightSettings *s, double q, double across, double thrust)
{
  double alpha = 0;

  for (int i = 0; i < 20; i++)
    alpha = get_alpha (&s->wing, (across - thrust * sin (alpha)) / fmax (q * s->wing.area, 1e-12));
  return alpha;
}

static double
get_drag (const FlightWing *wing, double q, double c)
{
  return q * wing->area * (wing->cd0 + wing->k * c * c);
}

/* What the pilot sets: bank, angle of attack and thrust. */
static void
fly (const FlightSettings *s, const FlightState *state, KgVector way, double air, FlightForces *f)
{
  const FlightWing *wing = &s->wing;
  const double q = 0.5 * wing->density * air * air, weight = wing->mass * wing->gravity;
  const KgVector gravity = { 0, -wing->gravity, 0 };
  const FlightFrame level = flight_frame_level (way, kg_vector (0, 1, 0), state->left);
  double across, along = wing->mass * (s->speed - air) / HOLD_TIME + weight * way.y;

  f->alpha = s->alpha;
  f->thrust = s->thrust;
  f->bank = s->bank;
  if (s->hold == FLIGHT_HOLD_ALPHA)
    return;
  if (s->hold == FLIGHT_HOLD_PATH) {
    const KgVector to = kg_vector_subtract (get_aim (s, state->place), state->place);
    const KgVector wanted = kg_vector_scale (kg_vector_normalize_or (to, way), s->speed);
    const KgVector a = kg_vector_scale (kg_vector_subtract (wanted, state->velocity), 1 / HOLD_TIME);
    const KgVector carry = kg_vector_scale (kg_vector_subtract (a, gravity), wing->mass);

    f->bank = state->bank;
    across = kg_vector_dot (carry, flight_frame_bank (&level, f->bank).up);
    along = kg_vector_dot (carry, way);
  } else
    across =
        (weight * sqrt (fmax (0, 1 - way.y * way.y)) - wing->mass * air * asin (kg_clamp (way.y, -1, 1)) / HOLD_TIME) /
        fmax (cos (s->bank), 0.05);
  for (int i = 0; i < 3; i++) {
    f->alpha = solve_alpha (s, q, across, f->thrust);
    if (s->hold != FLIGHT_HOLD_LEVEL)
      f->thrust = fmax (0, (along + get_drag (wing, q, get_lift (wing, f->alpha))) / cos (f->alpha));
  }
}

/* Thrust comes with the strokes of the wings. */
static double
get_thrust (const FlightSettings *s, const FlightState *state, double thrust, double climb)
{
  if (!(s->flap_rate > 0))
    return thrust;
  if (s->bounding && climb < REST)
    return 0;
  return thrust * (1 + sin (2 * KG_PI * state->phase));
}

FlightForces
flight_get_forces (const FlightSettings *s, const FlightState *state, double time)
{
  const FlightWing *wing = &s->wing;
  const KgVector air = kg_vector_subtract (state->velocity, get_wind (s, state->place, state->velocity, time));
  const KgVector gravity = { 0, -wing->gravity, 0 };
  const double speed = kg_vector_length (air), q = 0.5 * wing->density * speed * speed;
  const KgVector way = kg_vector_normalize_or (air, kg_vector (0, 0, 1));
  const KgVector ground = kg_vector_normalize_or (state->velocity, way);
  FlightForces f = {
    .air_speed = speed, .climb = asin (kg_clamp (ground.y, -1, 1)), .bank = s->bank, .alpha = s->alpha
  };
  FlightFrame frame = flight_frame_level (way, kg_vector (0, 1, 0), state->left);
  double c;

  if (speed > STILL)
    fly (s, state, way, speed, &f);
  frame = flight_frame_bank (&frame, f.bank);
  f.forward = kg_vector_add_scaled (kg_vector_scale (way, cos (f.alpha)), sin (f.alpha), frame.up);
  f.up = kg_vector_add_scaled (kg_vector_scale (frame.up, cos (f.alpha)), -sin (f.alpha), way);
  if (!(speed > STILL)) {
    f.acceleration = gravity;
    return f;
  }
  f.thrust = get_thrust (s, state, f.thrust, f.climb);
  c = get_lift (wing, f.alpha);
  f.lift = q * wing->area * c;
  f.drag = get_drag (wing, q, c);
  f.stalled = fabs (f.alpha - wing->zero) > wing->stall - wing->zero + 1e-12;
  f.load = f.lift / fmax (wing->mass * wing->gravity, 1e-12);
  f.acceleration = kg_vector_add_scaled (gravity, f.lift / wing->mass, frame.up);
  f.acceleration = kg_vector_add_scaled (f.acceleration, -f.drag / wing->mass, way);
  f.acceleration = kg_vector_add_scaled (f.acceleration, f.thrust / wing->mass, f.forward);
  return f;
}

/* The bank that a path asks for. */
static double
get_path_bank (const FlightSettings *s, const FlightState *state, double time)
{
  const KgVector air = kg_vector_subtract (state->velocity, get_wind (s, state->place, state->velocity, time));
  const KgVector way = kg_vector_normalize_or (air, kg_vector (0, 0, 1));
  const KgVector to = kg_vector_subtract (get_aim (s, state->place), state->place);
  const KgVector wanted = kg_vector_scale (kg_vector_normalize_or (to, way), s->speed);
  const KgVector a = kg_vector_scale (kg_vector_subtract (wanted, state->velocity), 1 / HOLD_TIME);
  const FlightFrame level = flight_frame_level (way, kg_vector (0, 1, 0), state->left);

  return kg_clamp (flight_frame_get_bank (&level, a, kg_vector (0, -s->wing.gravity, 0), state->bank), -80 * KG_DEGREE,
                   80 * KG_DEGREE);
}

void
flight_step (const FlightSettings *s, FlightState *state, double time, double dt)
{
  static const double part[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0 };
  const FlightForces before = flight_get_forces (s, state, time);
  FlightState end = *state, at = *state;
  KgVector slope_x = state->velocity, slope_v = before.acceleration;
  FlightFrame frame;

  for (int k = 0; k < 4; k++) {
    if (k > 0) {
      at.place = kg_vector_add_scaled (state->place, part[k] * dt, slope_x);
      at.velocity = kg_vector_add_scaled (state->velocity, part[k] * dt, slope_v);
      at.phase = state->phase + part[k] * dt * s->flap_rate;
      slope_x = at.velocity;
      slope_v = flight_get_forces (s, &at, time + part[k] * dt).acceleration;
    }
    end.place = kg_vector_add_scaled (end.place, weight[k] * dt, slope_x);
    end.velocity = kg_vector_add_scaled (end.velocity, weight[k] * dt, slope_v);
  }
  if (!(s->bounding && before.climb < REST))
    end.phase = fmod (state->phase + dt * s->flap_rate, 1);
  frame =
      flight_frame_level (kg_vector_normalize_or (end.velocity, kg_vector (0, 0, 1)), kg_vector (0, 1, 0), state->left);
  end.left = frame.left;
  end.bank = s->hold == FLIGHT_HOLD_PATH
                 ? kg_lerp (state->bank, get_path_bank (s, &end, time + dt), fmin (1, dt / ROLL_TIME))
                 : s->bank;
  *state = end;
}

double
flight_get_stroke (const FlightSettings *s, const FlightState *state)
{
  const KgVector way = kg_vector_normalize_or (state->velocity, kg_vector (0, 0, 1));

  if (!(s->flap_rate > 0) || (s->bounding && asin (kg_clamp (way.y, -1, 1)) < REST))
    return 0;
  return s->flap_angle * sin (2 * KG_PI * state->phase);
}

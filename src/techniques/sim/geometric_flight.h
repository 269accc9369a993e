/* geometric_flight: wings in air: lift, drag, thrust and weight, with three degrees of freedom.
 *
 * q = ρ v² / 2, L = q S C, D = q S (C₀ + K C²), C = a (α - α₀) up to the stall, from which it falls to 60 % within 10 degrees.  Thrust is
 * along the body, which is the angle of attack above the way through the air; lift is across that way, turned by the bank.
 * Integrated with vectors, so that the vertical is nothing special, by Runge-Kutta of fourth order.
 * Sources: Parent, Computer Animation, 4.5.2 (lift is air turned downwards); Reynolds 1987.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve.h"
#include "kg-field.h"

G_BEGIN_DECLS

typedef enum { FLIGHT_HOLD_ALPHA, FLIGHT_HOLD_LEVEL, FLIGHT_HOLD_SPEED, FLIGHT_HOLD_PATH, FLIGHT_N_HOLDS } FlightHold;

typedef struct {
  double mass, area, density, gravity;
  double cd0, k;
  double slope, zero, stall; /* per radian; radians */
} FlightWing;

typedef struct {
  FlightWing wing;
  FlightHold hold;
  double alpha, bank, thrust;   /* radians, radians, newtons; what the hold does not solve */
  double speed;                 /* m/s, held */
  const Curve *path;            /* held */
  const KgField *wind;          /* (nullable) velocity of the air */
  double flap_rate, flap_angle; /* Hz, radians */
  bool bounding;                /* wings rest on the way down */
} FlightSettings;

typedef struct {
  KgVector place, velocity, left;
  double bank, phase;
} FlightState;

/* What the wings do at one moment. */
typedef struct {
  double alpha, bank, thrust, lift, drag; /* radians, newtons */
  double air_speed, load;                 /* load: lift over weight */
  double climb;                           /* angle of the way above the horizon, radians */
  bool stalled;
  KgVector forward, up; /* of the body: unit */
  KgVector acceleration;
} FlightForces;

FlightForces flight_get_forces (const FlightSettings *settings, const FlightState *state, double time);
/* From time to time + dt. */
void flight_step (const FlightSettings *settings, FlightState *state, double time, double dt);
/* The angle of the wings, radians. */
double flight_get_stroke (const FlightSettings *settings, const FlightState *state);

G_END_DECLS

/* planar_links: rods with mass and inertia that pins join in the plane: Lagrange's equations with constraints.
 *
 * Link i has the coordinates x, y of its centre and its angle, its half length l and the moment of inertia m l^2 / 3.  A pin joins
 * the point u e(angle) from the centre of a with the point w e(angle) of b, e = (cos, sin): two equations f = 0.  Then
 *   M q'' = Q + J' lambda,  (J M^-1 J') lambda = -gamma - J M^-1 Q - 2 s J q' - s^2 f
 * with gamma = J' q' (the rate of J) and Baumgarte's s.  The one point that is held is a pin to the world.
 * Q: gravity; drag; torques of limits about an equilibrium; a mattress that presses and never pulls.
 * Source: Wyvill, tutorial of 1988, the falling man by dynamics (Lagrange's method in six steps); its misprints are put right
 * (the inertia, and the torques of the limits act on both links).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-progress.h"

#define PLANAR_MAX_LINKS 200

typedef struct {
  double mass, half;        /* kg, m */
  double drag, spin_drag;   /* N s/m, N m s */
  double press, press_drag; /* of the mattress: N/m, N s/m */
} PlanarLink;

typedef struct {
  int a, b;
  double at_a, at_b; /* m from the centres */
} PlanarPin;

/* The angle of b against that of a: 0 torque at the equilibrium, and this one at the limits. */
typedef struct {
  int a, b;
  double equilibrium, low, high; /* radians */
  double torque;                 /* N m */
} PlanarLimit;

typedef enum { PLANAR_POWER, PLANAR_EXPONENTIAL, PLANAR_TANGENT, PLANAR_N_FORMS } PlanarForm;
typedef enum { PLANAR_LEVEL, PLANAR_TIME, PLANAR_PULL, PLANAR_NEVER, PLANAR_N_RELEASES } PlanarRelease;

/* x, y, angle of a link, and their rates. */
typedef struct {
  double q[3], v[3];
} PlanarState;

typedef struct {
  const PlanarLink *links;
  const PlanarPin *pins;
  const PlanarLimit *limits;
  size_t n_links, n_pins, n_limits;
  bool held;
  int held_link;
  double held_at; /* m from its centre */
  KgVector held_place;
  PlanarRelease release; /* level: when the first link is below the place; pull: when the place would have to pull */
  PlanarForm form;
  double exponent; /* of the power form */
  bool reaction;   /* the torque of a limit acts on both links */
  bool relative;   /* spin_drag is against the link that a pin joins it to, not against the air */
  bool ends;       /* the mattress also presses on the ends */
  double gravity, mattress;
  double tolerance, stabilise;
} PlanarLinks;

/* Places all links so that pins and the held point meet, from the angles and their rates in states, and the held point, which rests.  KG_ERROR_INVALID_VALUE when a link is
 * reached by no pin, or a loop does not close. */
bool planar_links_assemble (const PlanarLinks *links, PlanarState *states, GError **error);
/* accelerations: 3 for each link; forces: 2 for each pin and for the held point, on b, and on the world: the multipliers.
 * KG_ERROR_DEGENERATE when pins hold each other so that their forces are undetermined. */
bool planar_links_accelerate (const PlanarLinks *links, const PlanarState *states, double *accelerations,
                              double *forces, GError **error);
/* Moves on; *held becomes false where the point was released, *released is the second of this.  */
bool planar_links_integrate (PlanarLinks *links, PlanarState *states, double seconds, double *released,
                             const KgProgressMonitor *monitor, GError **error);
/* Of a limit at an angle, and by how many times the limit it is bent. */
double planar_limit_get_torque (const PlanarLimit *limit, PlanarForm form, double exponent, double angle, double *bent);
/* Largest distance that pins are apart. */
double planar_links_get_gap (const PlanarLinks *links, const PlanarState *states);
/* Kinetic and potential energy; the angular momentum is about the centre of mass. */
void planar_links_measure (const PlanarLinks *links, const PlanarState *states, double *energy,
                           double *angular_momentum, KgVector *center);

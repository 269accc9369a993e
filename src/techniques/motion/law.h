/* law: motions of a single body that have a closed form: no steps, any time at once, also backwards.
 *
 * Orbits are solved in universal variables, one form for circles, ellipses, parabolas, hyperbolas and falls along a line.  A
 * body that slides across a slope turns towards the fall line; its path is known by the tangent of half the angle to that
 * line, which is then what is solved for.
 * Sources: Parent, Computer Animation, B.6; Bate, Mueller and White, Fundamentals of Astrodynamics, 1971, chapter 4 (orbits).
 * Metres, seconds, kilograms, radians.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

G_BEGIN_DECLS

typedef enum {
  LAW_UNIFORM, /* no force */
  LAW_THROW,   /* constant acceleration */
  LAW_CIRCLE,  /* about an axis, at a constant angular speed */
  LAW_ORBIT,   /* towards the centre with strength/r² */
  LAW_SPRING,  /* towards the centre with stiffness · distance, and against the velocity with damping · speed */
  LAW_VISCOUS, /* constant acceleration, and the resistance of a thick fluid */
  LAW_SLOPE,   /* a block on a plane with friction */
  LAW_BOUNCE,  /* a ball that is thrown and bounces on a plane until it rests or slides */
  LAW_N
} LawKind;

typedef struct {
  LawKind kind;
  KgVector start, velocity;
  KgVector acceleration;                   /* throw, viscous, slope, bounce: gravity */
  double drag;                             /* throw: the share of the velocity that is lost a second, not negative */
  double mass;                             /* positive */
  KgVector center, axis;                   /* circle, orbit, spring, bounce (a place of the plane); the axis: circle */
  double angular_speed;                    /* circle */
  double strength;                         /* orbit: G · M, positive */
  double stiffness, damping;               /* spring: N/m and kg/s, not negative */
  double radius, viscosity, fluid_density; /* viscous: of a ball (bounce: the radius, too); Pa·s, kg/m³ */
  KgVector normal;                         /* slope, bounce */
  double restitution, loss; /* bounce: shares of the speed, 0 to 1, that is kept across and lost along the plane */
  double terminal_speed;    /* bounce: at which the resistance of the air equals the weight; 0: no air */
  double static_friction, kinetic_friction;
} Law;

typedef struct {
  KgVector place, velocity, acceleration;
  double bounces;   /* so far */
  double potential; /* joules; of gravity 0 at the origin, of an orbit far away, of a spring at its centre */
} LawState;

/* What holds for the whole motion; -1: there is no such time. */
typedef struct {
  double period;   /* circle, orbit, spring: of a turn or swing; throw: until it is back at the height of its start */
  double event;    /* throw: the highest point; slope: it stops; orbit: it is nearest to the centre for the first time;
                      bounce: it lands for the first time */
  double rest;     /* bounce: when it no longer bounces; else -1 */
  double terminal; /* viscous, bounce in air: the speed that it approaches; else 0 */
  double reynolds; /* viscous: at that speed; the law holds while it is below 1 */
  double pressing; /* slope: how strongly the block presses on it (N); else 0 */
  double pull;     /* slope: how strongly its weight pulls it down (N); else 0 */
} LawFacts;

/* What is wrong with the settings.  warning: (out) (nullable) (transfer full) what was put right instead. */
bool law_check (Law *law, GError **warning, GError **error);
/* law: checked.  Fails where the motion has no answer at that time. */
bool law_get_state (const Law *law, double time, LawState *state, GError **error);
void law_get_facts (const Law *law, LawFacts *facts);

/* A body of that mass that is drawn to a goal by a spring and held back by a damper, exact for goals that move evenly. */
typedef struct {
  double mass;
  double stiffness, damping; /* N/m, N s/m, not negative */
  double lead;               /* 0: the damper holds it to the ground; 1: to the goal, so that it does not lag */
  KgVector load;             /* N, constant */
} LawPull;

/* Moves place and velocity over a time in which the goal goes from one place to another. */
void law_follow (const LawPull *pull, KgVector goal_before, KgVector goal, double seconds, KgVector *place,
                 KgVector *velocity);

/* The velocity to start with, of a uniform motion, a throw or a viscous fall, to be at target after time (positive). */
bool law_aim_at_time (const Law *law, KgVector target, double time, KgVector *velocity, GError **error);
/* The same for a throw of a given speed, on the low or the high arc; time: (out) when it arrives.  Fails where it does not
 * reach. */
bool law_aim_with_speed (const Law *law, KgVector target, double speed, bool high, KgVector *velocity, double *time,
                         GError **error);

G_END_DECLS

/* steering: velocities that an autonomous body wants, and how it comes to have them.
 *
 * Each behaviour gives a wish V in m/s (Reynolds 1999, Steering Behaviors For Autonomous Characters):
 *   seek V = s unit (goal - x); flee -seek; arrive s min (1, d / slow); pursue seek x_t + v_t t with the least t > 0 of
 *   (v_t² - s²) t² + 2 d·v_t t + d² = 0; unaligned avoidance sideways from the nearest approach -(d·w) / w².
 * The pilot brings the velocity to it: a = (V - v) / τ, at most so much, turning at most so fast.
 * Car following is the intelligent driver model (Treiber, Hennecke and Helbing 2000):
 *   a = A [1 - (v/v₀)⁴ - (s* / s)²], s* = s₀ + v T + v Δv / (2 √(A B)).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

KgVector steering_seek (KgVector x, KgVector goal, double speed);
/* 0 farther away than within. */
KgVector steering_flee (KgVector x, KgVector danger, double within, double speed);
KgVector steering_arrive (KgVector x, KgVector goal, double slow_radius, double speed);
/* When something at d with velocity v can be met at this speed; -1: never. */
double steering_get_intercept (KgVector d, KgVector v, double speed);
/* Where to head for to meet a target: its place after the intercept; where there is none, its place. */
KgVector steering_pursue_point (KgVector x, KgVector target, KgVector v, double speed);
/* angle: (inout) of the random walk, and its slope where it may leave the plane; jitter: radians of this step, -1 to 1 times
 * how fast it wanders.  heading: unit. */
KgVector steering_wander (KgVector heading, bool flat, double angle[2], const double jitter[2], double speed);
/* response: of the pilot, see SteeringLimits. */
KgVector steering_orbit (KgVector x, KgVector centre, double distance, double speed, double response);
/* What to add to the velocity in order to pass another body that comes nearer than radius within horizon seconds; 0: nothing.
 * side: which way to go where it is dead ahead. */
KgVector steering_avoid (KgVector d, KgVector relative_v, double radius, double horizon, KgVector side);
/* A velocity without what goes into a wall: along it. */
KgVector steering_slide (KgVector v, KgVector normal);

typedef struct {
  double response;         /* seconds, > 0 */
  double max_speed;        /* m/s */
  double min_speed;        /* while it moves */
  double max_acceleration; /* m/s² */
  double max_turn;         /* radians per second */
} SteeringLimits;

KgVector steering_pilot (const SteeringLimits *limits, KgVector v, KgVector heading, KgVector wish, double dt);

typedef struct {
  double acceleration, braking; /* A and B, m/s² */
  double headway;               /* T, s */
  double gap;                   /* s₀, m */
} SteeringDriver;

/* gap: to the car ahead, bumper to bumper (INFINITY: none); closing: how much faster this one is. */
double steering_drive (const SteeringDriver *driver, double speed, double desired, double gap, double closing);

/* Curves to be followed, as polylines. */
typedef struct {
  KgVector *points;
  double *length; /* from the start to each point */
  size_t n;       /* 2 at least */
  bool closed;
} SteeringPath;

typedef struct {
  SteeringPath *paths;
  guint n;
} SteeringPaths;

/* All primitives of a geometry that are curves.  False and *error, or cancelled. */
bool steering_paths_read (SteeringPaths *paths, const KgGeometry *geometry, const KgProgressMonitor *monitor,
                          GError **error);
void steering_paths_clear (SteeringPaths *paths);

/* The length at which a path comes nearest to x. */
double steering_path_find (const SteeringPath *path, KgVector x, KgVector *point);
/* The place at a length: beyond the ends the end, or round again. */
KgVector steering_path_get (const SteeringPath *path, double length, KgVector *tangent);
double steering_path_get_length (const SteeringPath *path);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SteeringPaths, steering_paths_clear)

G_END_DECLS

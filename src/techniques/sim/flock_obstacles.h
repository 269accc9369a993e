/* flock_obstacles: what a flock flies round, and six ways to do it.
 *
 * Obstacles are balls (loose points, as wide as they are) and meshes of polygons, in connected parts.  Field: A (1 - d/D)^p along
 * the normal.  Centre: across the heading, away from the centre, A (1 - t/r) when the way passes at t < r.  Steer: to the
 * point of the rim that the heading is nearest to, where the path touches the ball: D = |C - P|, U along it, W across:
 * B = P + (D - r²/D) U + √(r² - r⁴/D²) W.  Silhouette: past the nearest edge between faces that look here and others.  Feelers: the
 * first free ray of a spiral around the heading, and along a surface that is near.  View: the nearest place in a small image
 * of what is ahead where the body fits through; where all is covered, the nearest place beyond an edge in depth, which is a
 * jump of more than twice the margin, past what is near and in front of what is far.
 *
 * A closed part of the meshes, or a ball, that more than half of a flock is inside of is its room: from its walls, all ways but
 * the field lead back inside, along the wall's normal and half as much along the wall.
 * Sources: Parent, Computer Animation, 4.5.2; Reynolds, Not Bumping Into Things, 1988; Reynolds, Steering Behaviors for
 * Autonomous Characters, 1999 (containment).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"
#include "sim/flock_urges.h"

G_BEGIN_DECLS

typedef enum {
  FLOCK_AVOID_NONE,
  FLOCK_AVOID_FIELD,
  FLOCK_AVOID_CENTER,
  FLOCK_AVOID_STEER,
  FLOCK_AVOID_SILHOUETTE,
  FLOCK_AVOID_FEELERS,
  FLOCK_AVOID_VIEW,
  FLOCK_N_AVOIDANCES
} FlockAvoidance;

typedef struct {
  FlockAvoidance how;
  double look_ahead;      /* seconds */
  double cruise;          /* metres per second: who keeps to an outline does not become slower than that by turning */
  double comfort;         /* metres, beyond the body */
  double strength;        /* A, m/s² */
  double distance, power; /* D and p of the field */
  bool approach;          /* the field pushes only against what comes nearer */
  double response;        /* τ */
  guint rays;             /* feelers */
  guint size;             /* of the view, pixels along each side */
  double angle;           /* of the view, radians */
} FlockAvoiding;

/* Who flies. */
typedef struct {
  uint32_t id;
  KgVector place, velocity, heading; /* heading: unit */
  double radius;
  uint32_t room; /* that it is inside of, from 1; 0: none */
} FlockFlyer;

/* Read only once it is made. */
typedef struct _FlockObstacles FlockObstacles;

/* NULL and *error: too many polygons; NULL without an error: cancelled.  (transfer full) */
FlockObstacles *flock_obstacles_new (const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error);
void flock_obstacles_free (FlockObstacles *obstacles);

/* room: (out) of each of n places (3 floats) the room that it is inside of, the smallest of several, from 1; 0: none.  False:
 * cancelled. */
bool flock_obstacles_find_rooms (const FlockObstacles *obstacles, const float *p, size_t n, uint32_t *room,
                                 const KgProgressMonitor *monitor);

/* False where nothing is in the way. */
bool flock_obstacles_avoid (const FlockObstacles *obstacles, const FlockAvoiding *avoiding, const FlockFlyer *flyer,
                            FlockWish *wish);
/* Something is between two places.  room: of a. */
bool flock_obstacles_hide (const FlockObstacles *obstacles, uint32_t room, KgVector a, KgVector b);
/* Stops a flyer on its way from a place at what it runs into: it slides on along the surface.  room: of that place. */
void flock_obstacles_stop (const FlockObstacles *obstacles, uint32_t room, KgVector before, double radius,
                           KgVector *place, KgVector *velocity);

/* The point where a path from p that is near the heading touches a ball: in front of it (p is outside), and on which side where the
 * heading is straight at its centre. */
KgVector flock_find_rim (KgVector p, KgVector heading, KgVector center, double radius, double side);
/* The way along a heading passes a ball at t from its centre; entry: (out) how far it is until then, 0 inside.  False: it does
 * not. */
bool flock_will_hit (KgVector p, KgVector heading, KgVector center, double radius, double *t, double *entry);
/* Direction k of n of a spiral in a cone, about z. */
KgVector flock_get_feeler (guint k, guint n, double angle);
/* Edges of a part of the meshes between a face that looks to a place and one that does not; (transfer full) pairs of points
 * (uint32_t [2]). */
GArray *flock_obstacles_find_silhouette (const FlockObstacles *obstacles, KgVector from);
/* The point of an edge nearest to a ray, and how far along the ray that is. */
KgVector flock_find_nearest_on_edge (KgVector p, KgVector heading, KgVector a, KgVector b, double *along);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FlockObstacles, flock_obstacles_free)

G_END_DECLS

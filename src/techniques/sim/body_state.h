/* body_state: what the simulation of jointed bodies keeps from frame to frame, as a geometry with a point for each.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/body_solver.h"

typedef struct {
  bool plane;
  KgVector velocity, spin; /* of all together; radians a second */
  double step;             /* seconds */
} BodyStart;

/* The attributes of a state, as KgSlot.keeps says them. */
#define BODY_STATE_KEEPS "points place int 16; points motion int 16; whole report int 16"

/* (transfer full) (nullable) The bodies as they start: thrown, and with the speed of the attribute v of their points. */
KgGeometry *body_state_new (const BodyAssembly *assembly, const KgGeometry *geometry, const BodyStart *start,
                            GError **error);
/* Reads all poses; returns the length of the step that led to them. */
double body_state_get (const KgGeometry *state, BodyPose *poses);
void body_state_set (KgGeometry *state, const BodyPose *poses, double step, const BodyReport *report);
void body_state_get_report (const KgGeometry *state, BodyReport *report);

/* False, and *error, when the geometry does not have the points that the one at the start has. */
bool body_state_check (const KgGeometry *rest, const KgGeometry *geometry, GError **error);
/* False, and *error, when the state, perhaps kept by another version, is not one of these bodies. */
bool body_state_check_bodies (const KgGeometry *state, const BodyAssembly *assembly, GError **error);
/* False, and *error, when a body is too far away for a float. */
bool body_state_check_finite (const KgGeometry *state, double time, const char *remedy, GError **error);

/* Puts the points of the geometry (writable) where the bodies have them, turns N, and sets v.  In the plane z stays. */
void body_state_write (const KgGeometry *state, const BodyAssembly *assembly, const KgGeometry *rest, bool plane,
                       KgGeometry *geometry);
/* (transfer full) (nullable) A point for each body, with orient, v and mass; center: of mass of all. */
KgGeometry *body_state_new_points (const KgGeometry *state, const BodyAssembly *assembly, KgVector *center,
                                   GError **error);

/* The pose, nearest to the one in hold, in which the points of a body are where to[] has them, or as near as a rigid body
 * can be: exact where they keep their distances. */
void body_fit_hold (const Body *body, bool plane, const KgVector *to, BodyHold *hold);

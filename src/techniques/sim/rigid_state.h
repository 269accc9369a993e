/* rigid_state: what a simulation of rigid bodies keeps from frame to frame, as geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/rigid_world.h"

G_BEGIN_DECLS

/* The attributes of states, as KgSlot.keeps says them. */
#define RIGID_STATE_KEEPS "points place int 16; points motion int 16; whole report int 16"
#define RIGID_TOUCHING_KEEPS "points pair int 4; points impulse int 16; points where int 16"
#define RIGID_JOINED_KEEPS "points link int 4; points pins int 16; points frames int 16; points kept int 16"

typedef struct {
  KgGeometry *bodies, *touching, *joined;
} RigidState;

/* (transfer full) all three. */
bool rigid_state_new (RigidState *state, const RigidWorld *world, KgVector gravity, GError **error);
/* Puts the world where the state has it; its joints are there already, as they are at rest.  gravity: (out) of the last frame.
 * False and *error when the state is of other bodies or joints. */
bool rigid_state_load (const RigidState *state, RigidWorld *world, KgVector *gravity, GError **error);
/* The three are writable. */
bool rigid_state_save (RigidState *state, const RigidWorld *world, KgVector gravity, const RigidReport *report,
                       GError **error);
void rigid_state_get_report (const KgGeometry *bodies, RigidReport *report);

/* Results. */

/* Moves the points of bodies, turns N and sets v; geometry is writable and has the points of rest. */
void rigid_state_move_points (const RigidWorld *world, const KgGeometry *rest, KgGeometry *geometry);
/* (transfer full) A point for each body of the geometry, with orient, v, w, mass, id and asleep.  copies: (nullable) the points
 * that bodies are copies on: they keep their attributes, and are where the copies are. */
KgGeometry *rigid_state_new_points (const RigidWorld *world, const KgGeometry *copies, GError **error);
/* (transfer full) A point for each contact of the last frame, with N, impulse, friction_impulse, speed, slide, spinning (radians per second about N),
 * depth, kind (RigidTouch), a and b (-1: the ground). */
KgGeometry *rigid_state_new_contacts (const RigidWorld *world, GError **error);
/* (transfer full) A line for each joint that holds, with load, residual (what it gapes) and kind. */
KgGeometry *rigid_state_new_joints (const RigidWorld *world, GError **error);

G_END_DECLS

/* body_rules: how one rigid body moves alone, is dragged by a pin, turned in a joint, or pushed out of a contact.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/body_assembly.h"

/* How a body is at the moment; places of its points are place + turn (rest place - rest centre). */
typedef struct {
  KgVector place;
  KgRotation turn;
  KgVector step, spin; /* how far it went and turned (a rotation vector) in the last step */
} BodyPose;

/* A turn as an axis with the length of the angle. */
KgRotation body_rotation_from_vector (KgVector turn);
KgVector body_rotation_to_vector (KgRotation q);

/* The update stage for one body: x' = x + keep (x - x before) + moved, and so for its turn.  moved, turned:
 * accelerations times the square of the step. */
void body_pose_update (BodyPose *pose, double keep, KgVector moved, KgVector turned);

/* The part of the whole turn theta that a body is pulled round: theta (1 - exp (-kappa lambda s)), lambda = mass arm /
 * inertia. */
double body_turn_angle (double theta, double kappa, double lambda, double s);

/* A body that is pulled until its pin is at target: the turn, about its centre, is what it had plus some of the angle
 * between its arm and the pull. */
typedef struct {
  double mass;
  SymmetricMatrix inertia; /* about its centre, along its own axes */
  double kappa;
  bool plane, break_symmetry;
} BodyDrag;
/* pin: from its centre, at rest.  target: in the world.  Returns the angle (of the axis arm x pull; in the plane about z). */
double body_drag (BodyPose *pose, const BodyDrag *drag, KgVector pin, KgVector target);

/* Where the pins of two free bodies meet. */
KgVector body_meeting_point (double mass_a, KgVector pin_a, double mass_b, KgVector pin_b);

/* The angle that must be added to the turn from u to w to be between low and high; and about which axis w then turns.
 * ambiguous (nullable): set where any axis would do. */
double body_limit_excess (KgVector u, KgVector w, double low, double high, bool plane, KgVector *axis, bool *ambiguous);

/* What a torque does to the turn of a body that is turned. */
KgVector body_angular_acceleration (const Body *body, KgRotation turn, bool plane, KgVector torque);
/* Moves and turns a body so that, to first order, its point at the place goes the way. */
void body_push (BodyPose *pose, const Body *body, bool plane, KgVector place, KgVector way);

/* How bodies get out of what they have come into. */
typedef enum {
  BODY_PUSH_OUT, /* moved along the normal of the surface */
  BODY_TURN_OUT, /* moved and turned as an impulse at the corner that is deepest does */
  BODY_BACK_UP,  /* moved back along their velocity (Hahn 1988) */
  BODY_N_CONTACTS
} BodyContact;

/* How to move out of a surface that is depth away along its normal. */
KgVector body_way_out (BodyContact contact, double depth, KgVector normal, KgVector velocity);

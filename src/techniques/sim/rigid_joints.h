/* rigid_joints: joints and springs between rigid bodies.
 *
 * A joint takes freedoms away: its rows ask for velocity 0 (Parent, Computer Animation, 4.4.6: equality in place of
 * inequality).  Springs and motors are rows with softness: a spring k with a damper c, stepped implicitly, is the row
 * velocity + impulse / (h (c + h k)) = -k error / (c + h k) (Catto 2011), and so is proportional-derivative control (Tan,
 * Liu and Turk 2011).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/rigid_body.h"
#include "sim/rigid_rows.h"

G_BEGIN_DECLS

typedef enum {
  RIGID_BALL,   /* a point in common */
  RIGID_HINGE,  /* an axis in common */
  RIGID_SLIDER, /* moves along an axis, without rotation */
  RIGID_WELD,   /* nothing moves */
  RIGID_ROD,    /* two points keep their distance; with stiffness, a spring */
  RIGID_GEAR,   /* b turns about its axis by a multiple of what a turns about its own, both against their carrier */
  RIGID_N_JOINTS
} RigidJointKind;

/* What may change from frame to frame; NAN: not used. */
typedef struct {
  double low, high;     /* of the angle (radians), or of the way (metres); of balls, the most they twist and swing */
  double speed, target; /* of a motor */
  double stiffness, damping; /* of a motor, or of a rod */
  double force;              /* most that a motor has (N, N m) */
  double strength;           /* the load (N) from which a joint breaks */
  double length;             /* of a rod */
  bool rope;                 /* of a rod: it only pulls */
  double ratio;              /* of gears */
} RigidJointSettings;

typedef struct {
  RigidJointKind kind;
  guint row;                   /* of its table, or of its geometry */
  uint32_t a, b;               /* bodies; the number of bodies: the world */
  KgVector pin_a, pin_b;       /* from the centres, along the axes of the bodies */
  KgRotation frame_a, frame_b; /* whose z is the axis, along the axes of the bodies */
  double length;               /* at rest; of gears the distance of their axes, 0 where they turn against the world */
  bool broken;
  double angle;     /* of a hinge, or of a in a gear, counting full turns; of a slider the way */
  double spent[3];  /* impulses that the lower limit, the upper one and the motor took in this step already */
  double tension;   /* the pull of the last step: newtons */
  double load, gap; /* found in the last step: newtons; metres, and radians times metres */
  RigidJointSettings settings;
} RigidJoint;

/* A joint at a place and along an axis, both in the world, of bodies at rest. */
void rigid_joint_init (RigidJoint *joint, RigidJointKind kind, guint row, uint32_t a, const RigidMotion *at_a,
                       uint32_t b, const RigidMotion *at_b, KgVector place, KgVector axis);
/* A rod between two places. */
void rigid_joint_init_rod (RigidJoint *joint, guint row, uint32_t a, const RigidMotion *at_a, uint32_t b,
                           const RigidMotion *at_b, KgVector place_a, KgVector place_b);

/* Gears whose bodies turn about axes of their own, which go through places; all in the world.  What the wheels turn counts
 * against the line between their places, which a carrier may swing round (Willis 1841); wheels about one place turn against
 * the world. */
void rigid_joint_init_gear (RigidJoint *joint, guint row, uint32_t a, const RigidMotion *at_a, KgVector place_a,
                            KgVector axis_a, uint32_t b, const RigidMotion *at_b, KgVector place_b, KgVector axis_b,
                            double ratio);

/* Appends the rows of a joint for a step of h seconds.  equal gets those without limits (to be solved together), limited the
 * others.  bias: share of an error of position that is taken out in a step.  Updates angle and gap. */
void rigid_joint_add_rows (RigidJoint *joint, const RigidMotion *motions, double h, double bias, GArray *equal,
                           GArray *limited);

/* "hinge 2", as a message names it. (transfer full) */
char *rigid_joint_dup_name (const RigidJoint *joint);

G_END_DECLS

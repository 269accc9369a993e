/* linkage: the freedoms of a skeleton as one list of numbers, and how they move its joints.
 *
 * A joint has up to six: slides along its axes at rest (metres), then rotations (radians).  One or two rotations, and three that
 * have limits, are fixed angles about x, then y, then z; three without limits are a ball: its value is the rotation vector
 * (axis times angle), and its changes are about the joint's own axes.  Freedoms come in the order of the joints, slides before
 * rotations, each in the order x, y, z.
 * Sources: Parent, Computer Animation, 4.1.1 (joints), 4.2.3 (the Jacobian); Craig, Introduction to Robotics, chapter 5.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-skeleton.h"
#include "kg-table.h"

G_BEGIN_DECLS

typedef enum { LINKAGE_SLIDE, LINKAGE_ANGLE, LINKAGE_BALL } LinkageKind;

typedef struct {
  guint joint;
  guint axis; /* x, y or z */
  LinkageKind kind;
  double low, high; /* infinite where there is no limit */
  /* In the pose of the last update. */
  double value;
  KgVector along; /* unit, in the world: slides along it, or rotates about it */
} LinkageFreedom;

typedef struct {
  guint n_joints, n; /* joints and freedoms */
  int *parents;
  guint *first; /* n_joints + 1: the freedoms of joint i are first[i] to first[i + 1] - 1 */
  LinkageFreedom *freedoms;
  /* In the pose of the last update: joints in the world. */
  KgVector *points;
  KgRotation *frames;
} Linkage;

/* Reads the freedoms, and updates. */
void linkage_init (Linkage *linkage, const KgSkeleton *skeleton);
void linkage_clear (Linkage *linkage);
/* The joint of this name, or the last one for an empty name; -1 and *error when there is none. */
int linkage_find (const KgSkeleton *skeleton, const char *name, GError **error);

/* Follows the pose of the skeleton, of whose structure the linkage is. */
void linkage_update (Linkage *linkage, const KgSkeleton *skeleton);
/* Poses the skeleton; values: n of them, clamped to the limits. */
void linkage_set_values (const Linkage *linkage, KgSkeleton *skeleton, const double *values);
/* Adds changes to the pose of the last update, clamped to the limits.  Balls rotate about their own axes. */
void linkage_move (const Linkage *linkage, KgSkeleton *skeleton, const double *changes);

/* The 6 × n Jacobian, row by row: velocity (vx, vy, vz) of a point of the world that a joint carries, and angular velocity
 * of that joint, for a unit rate of each freedom. */
void linkage_get_jacobian (const Linkage *linkage, guint joint, KgVector point, double *jacobian);
/* The lengths of the bones from the root to a joint, together. */
double linkage_get_reach (const Linkage *linkage, guint joint);
/* A pose drawn by hashing: angles within their limits, balls in any direction, slides without limits within a metre. */
void linkage_draw (const Linkage *linkage, uint64_t seed, uint64_t id, double *values);
/* The rank that rows (1 to 6, from the given row of the Jacobian on) have in most poses: less in a pose is a singular one. */
guint linkage_get_generic_rank (const Linkage *linkage, const KgSkeleton *skeleton, guint joint, guint row,
                                guint n_rows);

/* Yoshikawa's measure of rows of the Jacobian at the origin of a joint, in the present pose: the product of as many singular
 * values as the generic rank has, √det (J Jᵀ) where no row is idle.  singular: the least of them is below 1e-6 of the largest. */
double linkage_get_manipulability (const Linkage *linkage, const KgSkeleton *skeleton, guint joint, guint row,
                                   guint n_rows, bool *singular);

/* The rotation as axis times angle (0 to pi), by the shorter way. */
KgVector linkage_get_rotation_vector (KgRotation rotation);
KgRotation linkage_rotation_from_vector (KgVector vector);

/* Central differences of any functions, with steps of 6e-6 max(1, |x|): jacobian[i * n + j] is the derivative of function i
 * by x[j].  x is changed on the way and restored. */
typedef void (*LinkageFunctions) (const double *x, double *values, gpointer data);
void linkage_get_numeric_jacobian (LinkageFunctions functions, gpointer data, guint n_functions, guint n, double *x,
                                   double *jacobian);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Linkage, linkage_clear)

G_END_DECLS

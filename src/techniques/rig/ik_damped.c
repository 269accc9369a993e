/* ik_damped: one step of a chain towards a place and an orientation, by damped least squares.
 * Sources: Wampler 1986 (the damped inverse); Nakamura and Hanafusa 1986 (damping only near singular poses, by the
 * manipulability of Yoshikawa 1985); Baerlocher and Boulic 2004 (angles that meet a limit leave the system).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/ik_damped.h"

#include "rig/linkage.h"

#include <string.h>

/* Manipulability, from 0 (singular) to 1 (as easy in every direction), below which damping sets in. */
#define SINGULAR 0.02
/* Largest error that one step looks at, of the length and in radians: the linear image holds that far. */
#define FARTHEST 0.5
/* Rounds of taking out angles that meet their limits; what is left is cut off and made up for by the next steps. */
#define MAX_ROUNDS 16

/* One angle that may change: the movement of the end for a radian of it. */
typedef struct {
  guint joint;      /* index in the chain */
  int axis;         /* x, y or z */
  KgVector about;   /* in the world */
  double effect[6]; /* place over length, then turn times weight */
  double angle, low, high;
  double change;
  bool fixed; /* has met a limit */
} Column;

double
ik_damped_get_angle (KgRotation a, KgRotation b)
{
  return kg_vector_length (linkage_get_rotation_vector (kg_rotation_multiply (b, kg_rotation_conjugate (a))));
}

static KgVector
shorten (KgVector v, double most)
{
  const double length = kg_vector_length (v);

  return length > most ? kg_vector_scale (v, most / length) : v;
}

/* The axes in the world of a joint's fixed angles: z of the frame at rest, y turned by the angle about z, x by both. */
static void
find_axes (const ChainPose *chain, const KgSkeleton *skeleton, guint k, KgVector angles, KgVector axes[3])
{
  const KgJoint *joint = kg_skeleton_get_joint (skeleton, chain->joints[k]);
  const KgRotation above = k > 0 ? chain->frames[k - 1] : kg_rotation_identity ();
  KgRotation frame = kg_rotation_multiply (above, joint->rest);

  for (int c = 2; c >= 0; c--) {
    KgVector axis = { 0, 0, 0 };

    *kg_vector_component (&axis, c) = 1;
    axes[c] = kg_rotation_apply (frame, axis);
    frame = kg_rotation_multiply (frame, kg_rotation_from_axis_angle (axis, kg_vector_get (angles, c)));
  }
}

static guint
add_columns (const IkGoal *goal, const ChainPose *chain, const KgSkeleton *skeleton, guint k, Column *columns)
{
  const KgJoint *joint = kg_skeleton_get_joint (skeleton, chain->joints[k]);
  const KgVector lever =
      kg_vector_scale (kg_vector_subtract (chain->points[chain->n - 1], chain->points[k]), 1 / goal->length);
  const bool limited = chain_pose_is_limited (joint);
  KgVector axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, angles = { 0, 0, 0 };
  guint n = 0;

  if (limited) {
    angles = chain_pose_get_free_angles (joint, kg_skeleton_get_rotation (skeleton, chain->joints[k]));
    find_axes (chain, skeleton, k, angles, axes);
  }
  for (int c = 0; c < 3; c++) {
    const KgVector move = kg_vector_cross (axes[c], lever), turn = kg_vector_scale (axes[c], goal->weight);
    /* An angle that may take any value goes round: it has no ends to stop at. */
    const bool round = kg_vector_get (joint->low, c) <= -KG_PI + 1e-9 && kg_vector_get (joint->high, c) >= KG_PI - 1e-9;

    if (joint->free[c])
      columns[n++] = (Column){ .joint = k,
                               .axis = c,
                               .about = axes[c],
                               .effect = { move.x, move.y, move.z, turn.x, turn.y, turn.z },
                               .angle = kg_vector_get (angles, c),
                               .low = limited && !round ? kg_vector_get (joint->low, c) : -INFINITY,
                               .high = limited && !round ? kg_vector_get (joint->high, c) : INFINITY };
  }
  return n;
}

/* Factors the symmetric a into lower triangular l, a = l lᵀ.  Returns the square root of the determinant, 0 when a is not
 * positive definite to working precision. */
static double
factor (double a[6][6], double l[6][6])
{
  double root = 1;

  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      double sum = a[i][j];

      for (int k = 0; k < j; k++)
        sum -= l[i][k] * l[j][k];
      if (i != j)
        l[i][j] = sum / l[j][j];
      else if (sum > 1e-15 * a[i][i])
        root *= l[i][i] = sqrt (sum);
      else
        return 0;
    }
  return root;
}

static void
solve (double l[6][6], const double *b, double *y)
{
  for (int i = 0; i < 6; i++) {
    y[i] = b[i];
    for (int k = 0; k < i; k++)
      y[i] -= l[i][k] * y[k];
    y[i] /= l[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    for (int k = i + 1; k < 6; k++)
      y[i] -= l[k][i] * y[k];
    y[i] /= l[i][i];
  }
}

/* y = (J Jᵀ + λ² I)⁻¹ e over the columns that are not fixed. */
static void
invert (const IkGoal *goal, const Column *columns, guint n, const double *e, double *y)
{
  double a[6][6] = { { 0 } }, l[6][6], trace = 0, ease, damping = 1e-6;

  for (guint i = 0; i < n; i++)
    for (int r = 0; r < 6 && !columns[i].fixed; r++)
      for (int c = 0; c < 6; c++)
        a[r][c] += columns[i].effect[r] * columns[i].effect[c];
  for (int r = 0; r < 6; r++)
    trace += a[r][r];
  memset (y, 0, 6 * sizeof *y);
  if (!(trace > 0))
    return;
  ease = factor (a, l) / pow (trace / 6, 3);
  if (ease < SINGULAR)
    damping = fmax (damping, goal->damping * (1 - ease / SINGULAR));
  for (int r = 0; r < 6; r++)
    a[r][r] += damping * damping;
  if (factor (a, l) > 0)
    solve (l, e, y);
}

/* Changes of all angles, dθ = Jᵀ y, none beyond its limits: one that would go there stops at it, and the others make up for
 * what is missing. */
static void
find_changes (const IkGoal *goal, Column *columns, guint n, double *e)
{
  bool again = true;

  for (int round = 0; again && round < MAX_ROUNDS; round++) {
    double y[6];

    again = false;
    invert (goal, columns, n, e, y);
    for (guint i = 0; i < n; i++) {
      Column *column = &columns[i];
      double change = 0;

      if (column->fixed)
        continue;
      for (int r = 0; r < 6; r++)
        change += column->effect[r] * y[r];
      column->change = kg_clamp (change, column->low - column->angle, column->high - column->angle);
      column->fixed = column->change != change;
      again |= column->fixed;
    }
    /* Only now, so that all of this round have met the same error. */
    for (int r = 0; again && r < 6; r++)
      for (guint i = 0; i < n; i++)
        if (columns[i].fixed) {
          e[r] -= columns[i].effect[r] * columns[i].change;
          columns[i].effect[r] = 0;
        }
  }
}

/* Turns joint k by its columns, each in the frame that the joint had before the step. */
static void
turn (const ChainPose *chain, KgSkeleton *skeleton, guint k, const Column *columns, guint n)
{
  const guint index = chain->joints[k];
  const KgJoint *joint = kg_skeleton_get_joint (skeleton, index);
  KgRotation rotation = kg_skeleton_get_rotation (skeleton, index);

  if (chain_pose_is_limited (joint)) {
    KgVector angles = { 0, 0, 0 };

    for (guint i = 0; i < n; i++)
      *kg_vector_component (&angles, columns[i].axis) = columns[i].angle + columns[i].change;
    rotation = chain_pose_limit (joint, kg_rotation_from_angles (angles));
  } else {
    KgVector v = { 0, 0, 0 };

    for (guint i = 0; i < n; i++)
      v = kg_vector_add_scaled (v, columns[i].change, columns[i].about);
    v = kg_rotation_apply (kg_rotation_conjugate (chain->frames[k]), v);
    rotation = kg_rotation_multiply (rotation, kg_rotation_from_axis_angle (v, kg_vector_length (v)));
  }
  kg_skeleton_set_rotation (skeleton, index, rotation);
}

void
ik_damped_step (const IkGoal *goal, ChainPose *chain, KgSkeleton *skeleton)
{
  g_autofree Column *columns = g_new (Column, 3 * (gsize) chain->n);
  const guint last = chain->n - 1;
  KgVector away, turned;
  double e[6];
  guint n = 0;

  chain_pose_update (chain, skeleton);
  away =
      shorten (kg_vector_scale (kg_vector_subtract (goal->position, chain->points[last]), 1 / goal->length), FARTHEST);
  turned = shorten (linkage_get_rotation_vector (
                        kg_rotation_multiply (goal->orientation, kg_rotation_conjugate (chain->frames[last]))),
                    FARTHEST);
  for (int c = 0; c < 3; c++) {
    e[c] = kg_vector_get (away, c);
    e[3 + c] = goal->weight * kg_vector_get (turned, c);
  }
  for (guint k = 0; k < chain->n; k++)
    n += add_columns (goal, chain, skeleton, k, columns + n);
  find_changes (goal, columns, n, e);
  for (guint i = 0, next; i < n; i = next) {
    for (next = i + 1; next < n && columns[next].joint == columns[i].joint; next++)
      ;
    turn (chain, skeleton, columns[i].joint, columns + i, next - i);
  }
}

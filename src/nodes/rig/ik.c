/* rig/ik: inverse kinematics of any chain.
 * Sources: Wampler 1986 (damped least squares on the Jacobian; with an orientation: ik_damped.c); Wang and Chen 1991
 * (cyclic coordinate descent); Aristidou and Lasenby 2011 (FABRIK).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/ik_damped.h"
#include "kg-node.h"

typedef struct {
  KgSkeleton *skeleton;
  KgVector goal;
  KgRotation orientation;
  double orientation_weight;
  const char *end_joint;
  int method;
  int64_t max_iterations;
  double tolerance;
  double tolerance_angle;
  double damping;
  KgSkeleton *posed;
  KgVector end;
  double residual;
  double residual_angle;
  int64_t iterations;
} Ik;

enum { IK_DLS, IK_CCD, IK_FABRIK, N_METHODS };

static const KgChoice ik_methods[] = {
  [IK_DLS] = { "damped-least-squares", N_ ("Damped least squares") },
  [IK_CCD] = { "ccd", N_ ("Cyclic coordinate descent") },
  [IK_FABRIK] = { "fabrik", N_ ("FABRIK") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ik_methods, N_METHODS);

static void
ik_limit (const ChainPose *chain, KgSkeleton *skeleton, guint k)
{
  const guint joint = chain->joints[k];

  kg_skeleton_set_rotation (
      skeleton, joint,
      chain_pose_limit (kg_skeleton_get_joint (skeleton, joint), kg_skeleton_get_rotation (skeleton, joint)));
}

/* Turns joint k, whose rotation in the world is frame, by a rotation given in the world, and keeps it within its
 * limits.  Returns its new rotation in the world. */
static KgRotation
ik_turn (const ChainPose *chain, KgSkeleton *skeleton, guint k, KgRotation turn, KgRotation frame)
{
  const guint joint = chain->joints[k];
  const KgRotation local = kg_rotation_multiply (kg_rotation_conjugate (frame), kg_rotation_multiply (turn, frame));
  const KgRotation before = kg_skeleton_get_rotation (skeleton, joint);

  kg_skeleton_set_rotation (skeleton, joint, kg_rotation_multiply (before, local));
  ik_limit (chain, skeleton, k);
  return kg_rotation_normalize (kg_rotation_multiply (
      frame, kg_rotation_multiply (kg_rotation_conjugate (before), kg_skeleton_get_rotation (skeleton, joint))));
}

/* Solves the symmetric 3 × 3 system a x = b (positive definite through the damping) by the adjugate. */
static KgVector
ik_solve (double a[3][3], KgVector b)
{
  const KgTransform t = { { { a[0][0], a[0][1], a[0][2], 0 },
                            { a[1][0], a[1][1], a[1][2], 0 },
                            { a[2][0], a[2][1], a[2][2], 0 },
                            { 0, 0, 0, 1 } } };
  KgTransform inverse;

  kg_transform_invert (t, &inverse);
  return kg_transform_direction (inverse, b);
}

/* Angles dθ = Jᵀ (J Jᵀ + λ² I)⁻¹ e, with three columns (world axes) for each joint.  Joints at a limit take part; what
 * they may not do is cut off afterwards, and the next iterations share it among the others. */
static void
ik_step_dls (const Ik *n, ChainPose *chain, KgSkeleton *skeleton, double scale)
{
  const guint last = chain->n - 1;
  const double damping = n->damping * scale;
  KgRotation above = kg_rotation_identity ();
  double a[3][3] = { { 0 } };
  KgVector end, error, y;

  chain_pose_update (chain, skeleton);
  end = chain->points[last];
  error = kg_vector_subtract (n->goal, end);
  /* Far goals are approached in steps, for which the linear picture holds. */
  if (kg_vector_length (error) > 0.5 * scale)
    error = kg_vector_scale (error, 0.5 * scale / kg_vector_length (error));
  for (guint k = 0; k < last; k++) {
    const KgVector r = kg_vector_subtract (end, chain->points[k]);
    const double rr = kg_vector_dot (r, r);

    /* The three columns axis × r give r·r I − r rᵀ. */
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        a[i][j] += (i == j ? rr : 0) - kg_vector_get (r, i) * kg_vector_get (r, j);
  }
  for (int i = 0; i < 3; i++)
    a[i][i] += damping * damping + 1e-12 * scale * scale;
  y = ik_solve (a, error);
  /* Each turn is about the axis it has after those nearer to the root, with the lever it had before all of them. */
  for (guint k = 0; k < last; k++) {
    const KgRotation frame = chain_pose_get_frame (chain, skeleton, k, above);
    const KgVector turn = kg_vector_cross (kg_vector_subtract (end, chain->points[k]), y);

    above = ik_turn (chain, skeleton, k, kg_rotation_from_axis_angle (turn, kg_vector_length (turn)), frame);
  }
}

/* From the last joint to the first, each turns so that the end comes as near to the goal as it can make it.  A turn moves
 * only what is beyond the joint: the places and frames nearer to the root stay as they were at the start. */
static void
ik_step_ccd (const Ik *n, ChainPose *chain, KgSkeleton *skeleton)
{
  KgVector end;

  chain_pose_update (chain, skeleton);
  end = chain->points[chain->n - 1];
  for (guint k = chain->n - 1; k > 0; k--) {
    const KgVector pivot = chain->points[k - 1], arm = kg_vector_subtract (end, pivot);
    const KgVector wanted = kg_vector_subtract (n->goal, pivot);
    const KgRotation before = chain->frames[k - 1];
    KgRotation now;

    if (!(kg_vector_length (arm) > 0) || !(kg_vector_length (wanted) > 0))
      continue;
    now = ik_turn (chain, skeleton, k - 1, kg_rotation_between (arm, wanted), before);
    end = kg_vector_add (pivot, kg_rotation_apply (now, kg_rotation_apply (kg_rotation_conjugate (before), arm)));
  }
}

/* Forward from the goal and backward from the root, keeping the lengths of the bones. */
static void
ik_step_fabrik (const Ik *n, const ChainPose *chain)
{
  const guint last = chain->n - 1;
  KgVector *p = chain->points;
  const KgVector root = p[0];

  p[last] = n->goal;
  for (guint k = last; k > 0; k--) {
    const KgVector d = kg_vector_normalize_or (kg_vector_subtract (p[k - 1], p[k]), kg_vector (1, 0, 0));

    p[k - 1] = kg_vector_add_scaled (p[k], chain->lengths[k - 1], d);
  }
  p[0] = root;
  for (guint k = 0; k < last; k++) {
    const KgVector d = kg_vector_normalize_or (kg_vector_subtract (p[k + 1], p[k]), kg_vector (1, 0, 0));

    p[k + 1] = kg_vector_add_scaled (p[k], chain->lengths[k], d);
  }
}

static bool
ik_has_limits (const ChainPose *chain, const KgSkeleton *skeleton)
{
  for (guint k = 0; k < chain->n; k++)
    if (chain_pose_is_limited (kg_skeleton_get_joint (skeleton, chain->joints[k])))
      return true;
  return false;
}

/* A stretched chain that points straight at (or away from) the goal gives no method a direction to bend in.  A small
 * kink about a fixed axis does, the same every time. */
static void
ik_unlock (const Ik *n, const ChainPose *chain, KgSkeleton *skeleton)
{
  const KgVector to_goal = kg_vector_subtract (n->goal, chain->points[0]);
  KgRotation above = kg_rotation_identity ();
  double off = 0;

  for (guint k = 1; k < chain->n; k++)
    off = fmax (off, kg_vector_length (kg_vector_cross (kg_vector_subtract (chain->points[k], chain->points[0]),
                                                        kg_vector_normalize_or (to_goal, kg_vector (1, 0, 0)))));
  if (off > 1e-6 * chain->reach)
    return;
  for (guint k = 0; k + 1 < chain->n; k++) {
    const KgVector bone = kg_vector_subtract (chain->points[k + 1], chain->points[k]);
    KgVector axis = kg_vector_cross (bone, kg_vector (0, 1, 0));

    if (!(kg_vector_length (axis) > 1e-6 * kg_vector_length (bone)))
      axis = kg_vector (0, 0, 1);
    above = ik_turn (chain, skeleton, k, kg_rotation_from_axis_angle (axis, k % 2 == 0 ? 0.05 : -0.1),
                     chain_pose_get_frame (chain, skeleton, k, above));
  }
}

/* Out of reach: straight towards the goal is the best there is. */
static bool
ik_is_beyond (const Ik *n, const ChainPose *chain)
{
  return kg_vector_distance (n->goal, chain->points[0]) >= chain->reach;
}

static void
ik_stretch (const Ik *n, const ChainPose *chain, KgSkeleton *skeleton)
{
  const KgVector d = kg_vector_normalize_or (kg_vector_subtract (n->goal, chain->points[0]), kg_vector (1, 0, 0));
  g_autofree KgVector *p = g_new (KgVector, chain->n);

  p[0] = chain->points[0];
  for (guint k = 0; k + 1 < chain->n; k++)
    p[k + 1] = kg_vector_add_scaled (p[k], chain->lengths[k], d);
  chain_pose_apply (chain, skeleton, 0, p);
}

static IkGoal
ik_get_goal (const Ik *n, const ChainPose *chain)
{
  return (IkGoal){ .position = n->goal,
                   .orientation = n->orientation,
                   .weight = n->orientation_weight,
                   .damping = n->damping,
                   .length = fmax (chain->reach, 1e-9) };
}

/* Fills end and residuals.  Returns what the search makes small: the distance, and the angle where one is asked for. */
static double
ik_measure (Ik *n, const ChainPose *chain, const KgSkeleton *skeleton)
{
  const IkGoal goal = ik_get_goal (n, chain);
  KgRotation frame;

  n->end = chain_pose_get_end (chain, skeleton, &frame);
  n->residual = kg_vector_distance (n->end, n->goal);
  n->residual_angle = ik_damped_get_angle (frame, n->orientation);
  return goal.weight > 0 ? hypot (n->residual, goal.weight * goal.length * n->residual_angle) : n->residual;
}

static bool
ik_is_done (const Ik *n)
{
  return n->residual <= n->tolerance && (n->orientation_weight == 0 || n->residual_angle <= n->tolerance_angle);
}

static void
ik_step (const Ik *n, ChainPose *chain, KgSkeleton *skeleton)
{
  if (n->method == IK_DLS && n->orientation_weight > 0) {
    const IkGoal goal = ik_get_goal (n, chain);

    ik_damped_step (&goal, chain, skeleton);
  } else if (n->method == IK_DLS) {
    ik_step_dls (n, chain, skeleton, fmax (chain->reach, 1e-9));
  } else if (n->method == IK_CCD) {
    ik_step_ccd (n, chain, skeleton);
  } else {
    chain_pose_update (chain, skeleton);
    ik_step_fabrik (n, chain);
    chain_pose_apply (chain, skeleton, 0, chain->points);
    for (guint k = 0; k < chain->n; k++)
      ik_limit (chain, skeleton, k);
  }
}

static void
ik_iterate (Ik *n, const KgContext *ctx, ChainPose *chain, KgSkeleton *skeleton)
{
  g_autofree KgRotation *best = g_new (KgRotation, chain->n);
  double least = ik_measure (n, chain, skeleton);
  bool done = ik_is_done (n);

  for (guint k = 0; k < chain->n; k++)
    best[k] = kg_skeleton_get_rotation (skeleton, chain->joints[k]);
  if (!done)
    ik_unlock (n, chain, skeleton);
  while (!done && n->iterations < n->max_iterations && !kg_context_is_cancelled (ctx)) {
    double cost;

    ik_step (n, chain, skeleton);
    n->iterations++;
    cost = ik_measure (n, chain, skeleton);
    done = ik_is_done (n);
    if (!done && !(cost < least))
      continue;
    least = cost;
    for (guint k = 0; k < chain->n; k++)
      best[k] = kg_skeleton_get_rotation (skeleton, chain->joints[k]);
  }
  for (guint k = 0; k < chain->n; k++)
    kg_skeleton_set_rotation (skeleton, chain->joints[k], best[k]);
}

static bool
ik_evaluate (Ik *n, const KgContext *ctx, GError **error)
{
  KgSkeleton *skeleton;
  ChainPose chain;
  bool limited;

  if (n->orientation_weight > 0 && n->method != IK_DLS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "method %s knows no orientation: use damped-least-squares, or an orientation_weight of 0",
                  ik_methods[n->method].nick);
    return false;
  }
  if (!chain_pose_init (&chain, n->skeleton, n->end_joint, error))
    return false;
  kg_skeleton_make_writable (&n->skeleton);
  skeleton = n->skeleton;
  for (guint k = 0; k < chain.n; k++)
    ik_limit (&chain, skeleton, k);
  chain_pose_update (&chain, skeleton);
  limited = ik_has_limits (&chain, skeleton);
  if (ik_is_beyond (n, &chain) && !limited)
    ik_stretch (n, &chain, skeleton);
  if (!ik_is_beyond (n, &chain) || limited || n->orientation_weight > 0)
    ik_iterate (n, ctx, &chain, skeleton);
  ik_measure (n, &chain, skeleton);
  n->posed = kg_skeleton_ref (skeleton);
  chain_pose_clear (&chain);
  return !kg_context_is_cancelled (ctx);
}

static const KgSlot ik_slots[] = {
  KG_INPUT (Ik, skeleton, SKELETON, .label = N_ ("Skeleton"),
            .help = N_ ("What to pose; its pose is where the search starts.")),
  KG_INPUT (Ik, goal, VECTOR, .label = N_ ("Goal"), .unit = KG_METRES, .def_v = { 1, 1, 0 },
            .help = N_ ("Where the end shall be.")),
  KG_INPUT (Ik, orientation, ROTATION, .label = N_ ("Orientation"), .group = N_ ("Orientation"),
            .help = N_ ("How the end shall be turned in the world. Counts as far as its weight says.")),
  KG_INPUT (
      Ik, orientation_weight, NUMBER, .label = N_ ("Orientation weight"), .max = 1, .group = N_ ("Orientation"),
      .help = N_ ("0 leaves the end to turn as it will, 1 makes its orientation as important as its place where both "
                  "cannot be had. For least squares.")),
  KG_INPUT (Ik, end_joint, TEXT, .label = N_ ("End"),
            .help = N_ ("Name of the joint that shall reach; empty for the last.")),
  KG_INPUT (
      Ik, method, CHOICE, .label = N_ ("Method"), .choices = ik_methods,
      .help = N_ ("Least squares shares the bend among all joints, coordinate descent curls the end first, FABRIK is "
                  "quick and even.")),
  KG_INPUT (Ik, max_iterations, INTEGER, .label = N_ ("Iterations"), .def = 100, .min = 0, .max = 10000,
            .soft_max = 200, .group = N_ ("Solver"), .help = N_ ("At most.")),
  KG_INPUT (Ik, tolerance, NUMBER, .label = N_ ("Tolerance"), .unit = KG_METRES, .def = 1e-4, .min = 0, .max = 1e3,
            .soft_max = 0.1, .group = N_ ("Solver"), .help = N_ ("Near enough.")),
  KG_INPUT (Ik, tolerance_angle, NUMBER, .label = N_ ("Angle tolerance"), .unit = KG_DEGREES, .def = 0.01, .min = 0,
            .max = 180, .soft_max = 5, .group = N_ ("Solver"),
            .help = N_ ("Near enough, where an orientation is asked for.")),
  KG_INPUT (Ik, damping, NUMBER, .label = N_ ("Damping"), .def = 0.1, .min = 0, .max = 10, .soft_max = 1,
            .group = N_ ("Solver"),
            .help = N_ ("For least squares: more is calmer near the limits of reach, and slower.")),
  KG_OUTPUT (Ik, posed, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("In the pose that was found.")),
  KG_OUTPUT (Ik, end, VECTOR, .label = N_ ("End"), .unit = KG_METRES, .help = N_ ("Where the end is.")),
  KG_OUTPUT (Ik, residual, NUMBER, .label = N_ ("Residual"), .unit = KG_METRES,
             .help = N_ ("How far it is from the goal.")),
  KG_OUTPUT (Ik, residual_angle, NUMBER, .label = N_ ("Angle residual"), .unit = KG_DEGREES,
             .help = N_ ("How far it is turned away from the orientation, whether or not that was asked for.")),
  KG_OUTPUT (Ik, iterations, INTEGER, .label = N_ ("Iterations"), .help = N_ ("How many it took.")),
};

KG_NODE (
    rig, ik, Ik, .label = N_ ("Inverse Kinematics"), .version = 1, .since = "0.1",
    .tags = N_ ("ik ccd fabrik jacobian chain reach tentacle goal effector solver"),
    .help = N_ (
        "Bends a chain of any length so that its end reaches the goal, within the limits of its joints. A goal out "
        "of reach stretches it as far as it goes. The end can be given an orientation too, as a hand that holds a "
        "glass; where joints cannot do both, the weight decides."));

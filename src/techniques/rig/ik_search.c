/* ik_search: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/ik_search.h"

#include "rig/ik_damped.h"

/* What an iteration of FABRIK makes good of an error counts as at least this share: it aims no farther beyond the goal. */
#define LEAST_EFFECT 0.05
/* Iterations of FABRIK that are as published: only longer searches are worth speeding up. */
#define PLAIN_ITERATIONS 5
/* Bounds of the damping of steps towards a goal that cannot be reached. */
#define LEAST_DAMPING 1e-3
#define MOST_DAMPING 1e6

static void
limit (const ChainPose *chain, KgSkeleton *skeleton, guint k)
{
  const guint joint = chain->joints[k];

  kg_skeleton_set_rotation (
      skeleton, joint,
      chain_pose_limit (kg_skeleton_get_joint (skeleton, joint), kg_skeleton_get_rotation (skeleton, joint)));
}

/* Turns joint k, whose rotation in the world is frame, by a rotation given in the world, and keeps it within its
 * limits.  Returns its new rotation in the world. */
static KgRotation
turn_joint (const ChainPose *chain, KgSkeleton *skeleton, guint k, KgRotation turn, KgRotation frame)
{
  const guint joint = chain->joints[k];
  const KgRotation local = kg_rotation_multiply (kg_rotation_conjugate (frame), kg_rotation_multiply (turn, frame));
  const KgRotation before = kg_skeleton_get_rotation (skeleton, joint);

  kg_skeleton_set_rotation (skeleton, joint, kg_rotation_multiply (before, local));
  limit (chain, skeleton, k);
  return kg_rotation_normalize (kg_rotation_multiply (
      frame, kg_rotation_multiply (kg_rotation_conjugate (before), kg_skeleton_get_rotation (skeleton, joint))));
}

/* Solves the symmetric 3 × 3 system a x = b (positive definite through the damping) by the adjugate. */
static KgVector
solve (double a[3][3], KgVector b)
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
step_dls (const IkSearch *search, ChainPose *chain, KgSkeleton *skeleton, double scale)
{
  const guint last = chain->n - 1;
  const double damping = search->damping * scale;
  KgRotation above = kg_rotation_identity ();
  double a[3][3] = { { 0 } };
  KgVector end, error, y;

  chain_pose_update (chain, skeleton);
  end = chain->points[last];
  error = kg_vector_subtract (search->goal, end);
  /* Far goals are approached in steps, for which the linear image holds. */
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
  y = solve (a, error);
  /* Each turn is about the axis it has after those nearer to the root, with the lever it had before all of them. */
  for (guint k = 0; k < last; k++) {
    const KgRotation frame = chain_pose_get_frame (chain, skeleton, k, above);
    const KgVector turn = kg_vector_cross (kg_vector_subtract (end, chain->points[k]), y);

    above = turn_joint (chain, skeleton, k, kg_rotation_from_axis_angle (turn, kg_vector_length (turn)), frame);
  }
}

/* From the last joint to the first, each turns so that the end comes as near to the goal as it can make it.  A turn moves
 * only what is beyond the joint: the places and frames nearer to the root stay as they were at the start. */
static void
step_ccd (const IkSearch *search, ChainPose *chain, KgSkeleton *skeleton)
{
  KgVector end;

  chain_pose_update (chain, skeleton);
  end = chain->points[chain->n - 1];
  for (guint k = chain->n - 1; k > 0; k--) {
    const KgVector pivot = chain->points[k - 1], arm = kg_vector_subtract (end, pivot);
    const KgVector wanted = kg_vector_subtract (search->goal, pivot);
    const KgRotation before = chain->frames[k - 1];
    KgRotation now;

    if (!(kg_vector_length (arm) > 0) || !(kg_vector_length (wanted) > 0))
      continue;
    now = turn_joint (chain, skeleton, k - 1, kg_rotation_between (arm, wanted), before);
    end = kg_vector_add (pivot, kg_rotation_apply (now, kg_rotation_apply (kg_rotation_conjugate (before), arm)));
  }
}

/* Forward from where the end is put and backward from the root, keeping the lengths of the bones. */
static void
step_fabrik (const ChainPose *chain, KgVector aim)
{
  const guint last = chain->n - 1;
  KgVector *p = chain->points;
  const KgVector root = p[0];

  p[last] = aim;
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
has_limits (const ChainPose *chain, const KgSkeleton *skeleton)
{
  for (guint k = 0; k < chain->n; k++)
    if (chain_pose_is_limited (kg_skeleton_get_joint (skeleton, chain->joints[k])))
      return true;
  return false;
}

/* A stretched chain that points straight at (or away from) the goal gives no method a direction to bend in.  A small
 * kink about a fixed axis does, the same every time.  Returns whether there was one. */
static bool
unlock (const IkSearch *search, const ChainPose *chain, KgSkeleton *skeleton)
{
  const KgVector to_goal =
      kg_vector_normalize_or (kg_vector_subtract (search->goal, chain->points[0]), kg_vector (1, 0, 0));
  KgRotation above = kg_rotation_identity ();

  for (guint k = 1; k < chain->n; k++)
    if (kg_vector_length (kg_vector_cross (kg_vector_subtract (chain->points[k], chain->points[0]), to_goal)) >
        1e-6 * chain->reach)
      return false;
  for (guint k = 0; k + 1 < chain->n; k++) {
    const KgVector bone = kg_vector_subtract (chain->points[k + 1], chain->points[k]);
    KgVector axis = kg_vector_cross (bone, kg_vector (0, 1, 0));

    if (!(kg_vector_length (axis) > 1e-6 * kg_vector_length (bone)))
      axis = kg_vector (0, 0, 1);
    above = turn_joint (chain, skeleton, k, kg_rotation_from_axis_angle (axis, k % 2 == 0 ? 0.05 : -0.1),
                        chain_pose_get_frame (chain, skeleton, k, above));
  }
  return true;
}

/* Out of reach: straight towards the goal is the best there is. */
static bool
is_beyond (const IkSearch *search, const ChainPose *chain)
{
  return kg_vector_distance (search->goal, chain->points[0]) >= chain->reach;
}

static void
stretch (const IkSearch *search, const ChainPose *chain, KgSkeleton *skeleton)
{
  const KgVector d = kg_vector_normalize_or (kg_vector_subtract (search->goal, chain->points[0]), kg_vector (1, 0, 0));
  g_autofree KgVector *p = g_new (KgVector, chain->n);

  p[0] = chain->points[0];
  for (guint k = 0; k + 1 < chain->n; k++)
    p[k + 1] = kg_vector_add_scaled (p[k], chain->lengths[k], d);
  chain_pose_apply (chain, skeleton, 0, p);
}

static IkGoal
get_goal (const IkSearch *search, const ChainPose *chain)
{
  return (IkGoal){ .position = search->goal,
                   .orientation = search->orientation,
                   .weight = search->orientation_weight,
                   .damping = search->damping,
                   .length = fmax (chain->reach, 1e-9) };
}

/* Fills end and residuals from where the end is.  Returns what the search makes small: the distance, and the angle where one is
 * asked for. */
static double
measure_end (IkSearch *search, const ChainPose *chain, KgVector end, KgRotation frame)
{
  const IkGoal goal = get_goal (search, chain);

  search->end = end;
  search->residual = kg_vector_distance (search->end, search->goal);
  search->residual_angle = ik_damped_get_angle (frame, search->orientation);
  return goal.weight > 0 ? hypot (search->residual, goal.weight * goal.length * search->residual_angle)
                         : search->residual;
}

/* The same of the pose of the skeleton. */
static double
measure (IkSearch *search, const ChainPose *chain, const KgSkeleton *skeleton)
{
  KgRotation frame;
  const KgVector end = chain_pose_get_end (chain, skeleton, &frame);

  return measure_end (search, chain, end, frame);
}

static bool
is_done (const IkSearch *search)
{
  return search->residual <= search->tolerance &&
         (search->orientation_weight == 0 || search->residual_angle <= search->tolerance_angle);
}

static void
step (const IkSearch *search, ChainPose *chain, KgSkeleton *skeleton)
{
  if (search->method == IK_DLS && search->orientation_weight > 0) {
    const IkGoal goal = get_goal (search, chain);

    ik_damped_step (&goal, chain, skeleton);
  } else if (search->method == IK_DLS) {
    step_dls (search, chain, skeleton, fmax (chain->reach, 1e-9));
  } else if (search->method == IK_CCD) {
    step_ccd (search, chain, skeleton);
  } else {
    chain_pose_update (chain, skeleton);
    step_fabrik (chain, search->goal);
    chain_pose_apply (chain, skeleton, 0, chain->points);
    for (guint k = 0; k < chain->n; k++)
      limit (chain, skeleton, k);
  }
}

/* Damped steps that get longer while they help and shorter when they do not.  A goal that cannot be reached leaves an error
 * that no step takes away: with the same damping everywhere, steps near the best pose overshoot or stall before it. */
static void
approach (IkSearch *search, const KgProgressMonitor *monitor, ChainPose *chain, KgSkeleton *skeleton)
{
  g_autofree KgRotation *best = g_new (KgRotation, chain->n);
  IkGoal goal = get_goal (search, chain);
  double least;

  unlock (search, chain, skeleton);
  least = measure (search, chain, skeleton);
  goal.damping = fmax (goal.damping, LEAST_DAMPING);
  for (guint k = 0; k < chain->n; k++)
    best[k] = kg_skeleton_get_rotation (skeleton, chain->joints[k]);
  while (search->iterations < search->max_iterations && goal.damping < MOST_DAMPING &&
         !kg_progress_is_cancelled (monitor)) {
    double cost;

    ik_damped_step (&goal, chain, skeleton);
    search->iterations++;
    cost = measure (search, chain, skeleton);
    if (cost < least) {
      least = cost;
      goal.damping = fmax (0.5 * goal.damping, LEAST_DAMPING);
      for (guint k = 0; k < chain->n; k++)
        best[k] = kg_skeleton_get_rotation (skeleton, chain->joints[k]);
    } else {
      goal.damping *= 3;
      for (guint k = 0; k < chain->n; k++)
        kg_skeleton_set_rotation (skeleton, chain->joints[k], best[k]);
    }
  }
}

/* Without limits FABRIK knows only points: rotations follow once, at the end.  After a few iterations it aims beyond the
 * goal, by as much as the last one fell short of where it aimed (a secant): long chains need a tenth of the iterations. */
static void
iterate_points (IkSearch *search, const KgProgressMonitor *monitor, const ChainPose *chain, KgSkeleton *skeleton)
{
  const KgVector start = chain->points[chain->n - 1];
  KgVector *end = &chain->points[chain->n - 1];
  double error = kg_vector_distance (*end, search->goal), effect = 1;

  for (int64_t i = 0; search->iterations < search->max_iterations && !(error <= search->tolerance) &&
                      !kg_progress_is_cancelled (monitor);
       i++) {
    const KgVector before = *end, missing = kg_vector_subtract (search->goal, before),
                   aim = i >= PLAIN_ITERATIONS && effect < 1 ? kg_vector_add_scaled (before, 1 / effect, missing)
                                                             : search->goal,
                   wanted = kg_vector_subtract (aim, before);
    const double last = error;

    step_fabrik (chain, aim);
    search->iterations++;
    error = kg_vector_distance (*end, search->goal);
    effect = kg_vector_dot (kg_vector_subtract (*end, before), wanted) / kg_vector_dot (wanted, wanted);
    /* What has not helped is not gone on with. */
    effect = error < last && effect < 1 ? fmax (effect, LEAST_EFFECT) : 1;
  }
  /* What never came nearer leaves the pose as it was. */
  if (kg_vector_distance (*end, search->goal) < kg_vector_distance (start, search->goal))
    chain_pose_apply (chain, skeleton, 0, chain->points);
}

static void
iterate (IkSearch *search, const KgProgressMonitor *monitor, ChainPose *chain, KgSkeleton *skeleton)
{
  g_autofree KgRotation *best = NULL;
  double least = measure_end (search, chain, chain->points[chain->n - 1], chain->frames[chain->n - 1]);
  bool done = is_done (search);

  if (!done && search->method == IK_FABRIK && search->orientation_weight == 0 && !has_limits (chain, skeleton)) {
    if (unlock (search, chain, skeleton))
      chain_pose_update (chain, skeleton);
    iterate_points (search, monitor, chain, skeleton);
    return;
  }
  best = g_new (KgRotation, chain->n);
  for (guint k = 0; k < chain->n; k++)
    best[k] = kg_skeleton_get_rotation (skeleton, chain->joints[k]);
  if (!done)
    unlock (search, chain, skeleton);
  while (!done && search->iterations < search->max_iterations && !kg_progress_is_cancelled (monitor)) {
    double cost;

    step (search, chain, skeleton);
    search->iterations++;
    cost = measure (search, chain, skeleton);
    done = is_done (search);
    if (!done && !(cost < least))
      continue;
    least = cost;
    for (guint k = 0; k < chain->n; k++)
      best[k] = kg_skeleton_get_rotation (skeleton, chain->joints[k]);
  }
  for (guint k = 0; k < chain->n; k++)
    kg_skeleton_set_rotation (skeleton, chain->joints[k], best[k]);
}

bool
ik_search_run (IkSearch *search, KgSkeleton *skeleton, const char *end_joint, const KgProgressMonitor *monitor,
               GError **error)
{
  ChainPose chain;
  bool limited;

  if (!chain_pose_init (&chain, skeleton, end_joint, error))
    return false;
  limited = has_limits (&chain, skeleton);
  if (limited) {
    for (guint k = 0; k < chain.n; k++)
      limit (&chain, skeleton, k);
    chain_pose_update (&chain, skeleton);
  }
  if (is_beyond (search, &chain) && !limited)
    stretch (search, &chain, skeleton);
  if (is_beyond (search, &chain) && limited && search->method == IK_DLS && search->orientation_weight == 0)
    approach (search, monitor, &chain, skeleton);
  else if (!is_beyond (search, &chain) || limited || search->orientation_weight > 0)
    iterate (search, monitor, &chain, skeleton);
  measure (search, &chain, skeleton);
  chain_pose_clear (&chain);
  return !kg_progress_is_cancelled (monitor);
}

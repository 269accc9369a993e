/* rig/ik: inverse kinematics of any chain.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/freedom_numbers.h"
#include "rig/ik_jacobian.h"
#include "rig/ik_search.h"

#include <inttypes.h>

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
  KgList goals;
  const char *ends;
  const KgTable *goal_weights;
  int damping_rule;
  double step;
  int64_t substeps;
  KgList gains;
  KgList desired;
  KgList stiffness;
  int64_t power;
  KgSkeleton *posed;
  KgVector end;
  double residual;
  double residual_angle;
  int64_t iterations;
  double comfort;
  double manipulability;
  bool singular;
} Ik;

/* Those of ik_search.h, and then those of the Jacobian. */
enum { METHOD_INVERSE = IK_N_METHODS, METHOD_PSEUDO_INVERSE, METHOD_TRANSPOSE, METHOD_EFFECT, N_METHODS };

static const KgChoice ik_methods[] = {
  [IK_DLS] = { "damped-least-squares", N_ ("Damped least squares") },
  [IK_CCD] = { "ccd", N_ ("Cyclic coordinate descent") },
  [IK_FABRIK] = { "fabrik", N_ ("FABRIK") },
  [METHOD_INVERSE] = { "jacobian-inverse", N_ ("Inverse of the Jacobian") },
  [METHOD_PSEUDO_INVERSE] = { "pseudo-inverse", N_ ("Pseudo-inverse of the Jacobian") },
  [METHOD_TRANSPOSE] = { "transpose", N_ ("Transpose of the Jacobian") },
  [METHOD_EFFECT] = { "effect", N_ ("Effect of each joint by itself") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ik_methods, N_METHODS);

static const KgChoice ik_damping_rules[] = {
  [IK_DAMPING_CONSTANT] = { "constant", N_ ("Everywhere") },
  [IK_DAMPING_NEAR_SINGULAR] = { "near-singular", N_ ("Only near singular poses") },
  [IK_DAMPING_SELECTIVE] = { "selective", N_ ("Selective, by the effort of each direction") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ik_damping_rules, IK_DAMPING_N_RULES);

static const KgTableColumn ik_goal_columns[] = {
  { "weight", N_ ("Weight"), 1, false },
  { "orientation", N_ ("Orientation weight"), 0, true },
  { "priority", N_ ("Priority"), 0, true },
  KG_TABLE_COLUMNS_END,
};

static const IkRatesMethod ik_rates_methods[] = {
  [IK_DLS] = IK_RATES_DAMPED,
  [METHOD_INVERSE] = IK_RATES_INVERSE,
  [METHOD_PSEUDO_INVERSE] = IK_RATES_PSEUDO_INVERSE,
  [METHOD_TRANSPOSE] = IK_RATES_TRANSPOSE,
  [METHOD_EFFECT] = IK_RATES_EFFECT,
};

/* What each freedom prefers: what is given, or the centre of its limits, or its value at rest. */
static bool
ik_read_comfort (const Ik *n, const Linkage *linkage, double *gains, double *desired, GError **error)
{
  if (n->power % 2 != 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "power is %" PRId64 ": use an even number, so that both sides of the desired value count", n->power);
    return false;
  }
  if (!freedom_numbers_read (&n->gains, "gains", 1, linkage, gains, error))
    return false;
  for (guint k = 0; k < linkage->n; k++) {
    const LinkageFreedom *freedom = &linkage->freedoms[k];

    if (gains[k] < 0) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "gain %u is %g: use 0 or more", k + 1, gains[k]);
      return false;
    }
    desired[k] = isfinite (freedom->low) && isfinite (freedom->high) ? 0.5 * (freedom->low + freedom->high) : 0;
  }
  return n->desired.n == 0 || freedom_numbers_read (&n->desired, "desired", KG_DEGREE, linkage, desired, error);
}

/* Methods that read no more goals say which joint would need one. */
static void
ik_warn_of_ends (const Ik *n, const KgContext *ctx)
{
  g_auto (GStrv) ends = g_strsplit_set (n->ends, " ,;\n\t", -1);

  for (guint i = 0; ends[i] != NULL; i++)
    if (ends[i][0] != '\0') {
      kg_context_warn (ctx, "joint \"%s\" has no goal: link one more, or remove the name", ends[i]);
      return;
    }
}

/* The first goal and those of the list. */
static bool
ik_read_goals (const Ik *n, IkJacobianGoal *goals, GError **error)
{
  g_auto (GStrv) ends = g_strsplit_set (n->ends, " ,;\n\t", -1);
  const size_t n_weights = kg_table_get_n_rows (n->goal_weights);
  guint count = 1;
  int joint = linkage_find (n->skeleton, n->end_joint, error);

  if (joint < 0)
    return false;
  goals[0] = (IkJacobianGoal){ .joint = (guint) joint,
                               .position = n->goal,
                               .orientation = n->orientation,
                               .weight = 1,
                               .orientation_weight = n->orientation_weight };
  for (guint i = 0; ends[i] != NULL; i++) {
    if (ends[i][0] == '\0')
      continue;
    if (count > n->goals.n) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "joint \"%s\" has no goal: link one more, or remove the name",
                    ends[i]);
      return false;
    }
    joint = linkage_find (n->skeleton, ends[i], error);
    if (joint < 0)
      return false;
    goals[count].joint = (guint) joint;
    count++;
  }
  if (count < n->goals.n + 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are %u more goals, but %u joints for them: name a joint for each", n->goals.n, count - 1);
    return false;
  }
  if (n_weights > count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "there are %zu rows of weights for %u goals: remove some", n_weights,
                  count);
    return false;
  }
  for (guint g = 1; g < count; g++) {
    const KgTransform *t = n->goals.items[g - 1].transform;

    goals[g].position = kg_transform_get_place (t);
    goals[g].orientation = kg_rotation_from_transform (*t);
    goals[g].weight = 1;
    goals[g].orientation_weight = 0;
    goals[g].level = 0;
  }
  for (guint g = 0; g < n_weights; g++) {
    const double *row = kg_table_get_row (n->goal_weights, g);

    if (!(row[0] >= 0 && row[1] >= 0 && fabs (row[2]) <= 1000)) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "weights of goal %u: %g, %g, priority %g: use weights of 0 or more, and priorities of -1000 to 1000", g + 1,
          row[0], row[1], row[2]);
      return false;
    }
    goals[g].weight = row[0];
    goals[g].orientation_weight = row[1];
    goals[g].level = (int) row[2];
  }
  return true;
}

static bool
ik_search_by_jacobian (Ik *n, const Linkage *linkage, const KgProgressMonitor *monitor, GError **error)
{
  g_autofree double *gains = g_new0 (double, MAX (linkage->n, 1)), *desired = g_new0 (double, MAX (linkage->n, 1));
  g_autofree double *stiffness = g_new0 (double, MAX (linkage->n, 1));
  g_autofree IkJacobianGoal *goals = g_new0 (IkJacobianGoal, (gsize) n->goals.n + 1);
  IkJacobian ik = { .goals = goals,
                    .n_goals = n->goals.n + 1,
                    .method = ik_rates_methods[n->method],
                    .damping_rule = (IkDampingRule) n->damping_rule,
                    .damping = n->damping,
                    .step = n->step,
                    .max_iterations = n->max_iterations,
                    .substeps = n->substeps,
                    .tolerance = n->tolerance,
                    .tolerance_angle = n->tolerance_angle,
                    .power = (int) n->power };

  if (!ik_read_goals (n, goals, error))
    return false;
  if (n->gains.n > 0) {
    if (!ik_read_comfort (n, linkage, gains, desired, error))
      return false;
    ik.gains = gains;
    ik.desired = desired;
  }
  if (n->stiffness.n > 0) {
    if (!freedom_numbers_read (&n->stiffness, "stiffness", 1, linkage, stiffness, error))
      return false;
    for (guint k = 0; k < linkage->n; k++)
      if (!(stiffness[k] > 0)) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE,
                      "stiffness %u is %g: use more than 0; to keep a joint from moving at all, give it limits", k + 1,
                      stiffness[k]);
        return false;
      }
    ik.stiffness = stiffness;
  }
  kg_skeleton_make_writable (&n->skeleton);
  if (!ik_jacobian_run (&ik, n->skeleton, monitor, error))
    return false;
  n->residual = ik.residual;
  n->iterations = ik.iterations;
  n->comfort = ik.comfort;
  return true;
}

static bool
ik_is_sliding (const KgSkeleton *skeleton, guint end)
{
  for (int i = (int) end; i >= 0;) {
    const KgJoint *joint = kg_skeleton_get_joint (skeleton, (guint) i);

    if (joint->slide[0] || joint->slide[1] || joint->slide[2])
      return true;
    i = joint->parent;
  }
  return false;
}

/* Where the end is now, and how freely it could move on. */
static void
ik_report (Ik *n, Linkage *linkage, guint joint)
{
  const bool turns = n->orientation_weight > 0;

  n->end = linkage->points[joint];
  n->residual_angle = kg_vector_length (linkage_get_rotation_vector (
      kg_rotation_multiply (n->orientation, kg_rotation_conjugate (linkage->frames[joint]))));
  n->manipulability = linkage_get_manipulability (linkage, n->skeleton, joint, 0, turns ? 6 : 3, &n->singular);
}

static bool
ik_evaluate (Ik *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const int joint = linkage_find (n->skeleton, n->end_joint, error);
  IkSearch search = { .goal = n->goal,
                      .orientation = n->orientation,
                      .orientation_weight = n->orientation_weight,
                      .method = (IkMethod) n->method,
                      .max_iterations = n->max_iterations,
                      .tolerance = n->tolerance,
                      .tolerance_angle = n->tolerance_angle,
                      .damping = n->damping };
  const bool searches = n->method == IK_CCD || n->method == IK_FABRIK;
  g_auto (Linkage) linkage = { 0 };

  if (joint < 0)
    return false;
  if (searches && (n->orientation_weight > 0 || n->goals.n > 0 || n->gains.n > 0 || n->stiffness.n > 0)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "method %s does not support an orientation, gains, stiffness or several goals: use damped-least-squares, or an orientation_weight of 0 and one goal",
        ik_methods[n->method].nick);
    return false;
  }
  if (searches && ik_is_sliding (n->skeleton, (guint) joint))
    kg_context_warn (ctx, "method %s rotates joints only: use damped-least-squares, so that sliding joints take part",
                     ik_methods[n->method].nick);
  if (n->method >= IK_N_METHODS ||
      (n->method == IK_DLS && (n->goals.n > 0 || n->gains.n > 0 || n->stiffness.n > 0 || n->substeps > 1 ||
                               n->damping_rule != IK_DAMPING_CONSTANT || kg_table_get_n_rows (n->goal_weights) > 0 ||
                               ik_is_sliding (n->skeleton, (guint) joint)))) {
    linkage_init (&linkage, n->skeleton);
    if (!ik_search_by_jacobian (n, &linkage, &monitor, error))
      return false;
    linkage_update (&linkage, n->skeleton);
  } else {
    ik_warn_of_ends (n, ctx);
    kg_skeleton_make_writable (&n->skeleton);
    if (!ik_search_run (&search, n->skeleton, n->end_joint, &monitor, error))
      return false;
    n->residual = search.residual;
    n->iterations = search.iterations;
    linkage_init (&linkage, n->skeleton);
  }
  ik_report (n, &linkage, (guint) joint);
  n->posed = kg_skeleton_ref (n->skeleton);
  return true;
}

static const KgSlot ik_slots[] = {
  KG_INPUT (Ik, skeleton, SKELETON, .label = N_ ("Skeleton"),
            .help = N_ ("Skeleton to pose; the search starts from its pose.")),
  KG_INPUT (Ik, goal, VECTOR, .label = N_ ("Goal"), .unit = KG_METRES, .def_v = { 1, 1, 0 },
            .help = N_ ("Position that the end should reach.")),
  KG_INPUT (Ik, orientation, ROTATION, .label = N_ ("Orientation"), .group = N_ ("Orientation"),
            .help = N_ ("World orientation that the end should have. Its weight decides how much it counts.")),
  KG_INPUT (
      Ik, orientation_weight, NUMBER, .label = N_ ("Orientation weight"), .max = 1, .group = N_ ("Orientation"),
      .help = N_ (
          "0 leaves the end free to rotate, 1 makes its orientation as important as its position if it cannot have both. For least squares.")),
  KG_INPUT (Ik, end_joint, TEXT, .label = N_ ("End"),
            .help = N_ ("Name of the joint that should reach the goal; empty for the last.")),
  KG_INPUT (
      Ik, method, CHOICE, .label = N_ ("Method"), .choices = ik_methods,
      .help = N_ (
          "Least squares distributes the bend over all joints, coordinate descent curls the end first, and FABRIK is fast and even. The pseudo-inverse moves the joints least and follows preferences. The inverse is for arms with exactly as many freedoms as the goal, and fails in singular poses. The transpose and the effect of each joint never fail, but are slow.")),
  KG_INPUTS (Ik, goals, TRANSFORM, .label = N_ ("More goals"), .optional = true, .group = N_ ("More goals"),
             .help = N_ ("Goals of other ends: positions, or transforms whose orientation has a weight of its own.")),
  KG_INPUT (Ik, ends, TEXT, .label = N_ ("Their ends"), .group = N_ ("More goals"),
            .help = N_ ("Names of the joints that should reach these goals, in the same order.")),
  KG_INPUT (
      Ik, goal_weights, TABLE, .label = N_ ("Weights"), .columns = ik_goal_columns, .def_text = "",
      .group = N_ ("More goals"),
      .help = N_ (
          "A row for each goal, the first one first: weight of its position, weight of its orientation, priority. Goals of a higher number give way completely to those of a lower one. Empty: 1, no orientation, all equal.")),
  KG_INPUTS (
      Ik, gains, NUMBER, .label = N_ ("Gains"), .optional = true, .group = N_ ("Preferred pose"),
      .help = N_ (
          "How strongly each joint is drawn to its desired angle, as far as the goal leaves a choice: one number for all, one for each joint, or one for each freedom. For least squares and the pseudo-inverse.")),
  KG_INPUTS (Ik, desired, NUMBER, .label = N_ ("Desired"), .optional = true, .group = N_ ("Preferred pose"),
             .help = N_ ("Desired angles in degrees, and lengths of slides in metres, given in the same way; without "
                         "them, the centre of the limits or the rest pose.")),
  KG_INPUT (Ik, power, INTEGER, .label = N_ ("Power"), .def = 2, .min = 2, .max = 8, .group = N_ ("Preferred pose"),
            .help = N_ ("Exponent of the distance from the desired angle, an even number. High exponents leave a "
                        "wide comfortable range.")),
  KG_INPUTS (
      Ik, stiffness, NUMBER, .label = N_ ("Stiffness"), .optional = true, .group = N_ ("Preferred pose"),
      .help =
          N_ ("Cost of moving each joint, given in the same way: of two joints that could do the same, the softer one "
              "moves more. Empty: all equal. For least squares, the pseudo-inverse and the transpose.")),
  KG_INPUT (Ik, max_iterations, INTEGER, .label = N_ ("Iterations"), .def = 100, .min = 0, .max = 10000,
            .soft_max = 200, .group = N_ ("Solver"), .help = N_ ("Maximum number of iterations.")),
  KG_INPUT (Ik, tolerance, NUMBER, .label = N_ ("Tolerance"), .unit = KG_METRES, .def = 1e-4, .min = 0, .max = 1e3,
            .soft_max = 0.1, .group = N_ ("Solver"), .help = N_ ("Distance from the goal that is close enough.")),
  KG_INPUT (Ik, tolerance_angle, NUMBER, .label = N_ ("Angle tolerance"), .unit = KG_DEGREES, .def = 0.01, .min = 0,
            .max = 180, .soft_max = 5, .group = N_ ("Solver"),
            .help = N_ ("Angle from the orientation that is close enough, if an orientation is used.")),
  KG_INPUT (
      Ik, damping, NUMBER, .label = N_ ("Damping"), .def = 0.1, .min = 0, .max = 10, .soft_max = 1,
      .group = N_ ("Solver"),
      .help = N_ (
          "For least squares: λ as a share of the length of the chain. Higher values are calmer near the limits of reach, but slower.")),
  KG_INPUT (Ik, damping_rule, CHOICE, .label = N_ ("Damp"), .choices = ik_damping_rules,
            .shown_when = "method=damped-least-squares", .group = N_ ("Solver"),
            .help = N_ ("Where damping is applied.")),
  KG_INPUT (
      Ik, step, NUMBER, .label = N_ ("Step"), .def = 0.1, .min = 1e-6, .max = 10, .soft_max = 1, .group = N_ ("Solver"),
      .help = N_ (
          "For methods of the Jacobian: largest movement of the end in an iteration, as a share of the length of the "
          "chain.")),
  KG_INPUT (
      Ik, substeps, INTEGER, .label = N_ ("Substeps"), .def = 1, .min = 1, .max = 1000, .soft_max = 20,
      .group = N_ ("Solver"),
      .help = N_ (
          "Number of parts in which the goal is approached, each with its own iterations: joints then move as if they followed it.")),
  KG_OUTPUT (Ik, posed, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("The skeleton in the pose that was found.")),
  KG_OUTPUT (Ik, end, VECTOR, .label = N_ ("End"), .unit = KG_METRES, .help = N_ ("Position of the end.")),
  KG_OUTPUT (Ik, residual, NUMBER, .label = N_ ("Residual"), .unit = KG_METRES,
             .help = N_ ("Distance of the end from the goal; of several goals, the largest.")),
  KG_OUTPUT (Ik, residual_angle, NUMBER, .label = N_ ("Angle residual"), .unit = KG_DEGREES,
             .help = N_ ("Angle between the end and the orientation, whether or not the orientation is used.")),
  KG_OUTPUT (Ik, iterations, INTEGER, .label = N_ ("Iterations"), .help = N_ ("Number of iterations used.")),
  KG_OUTPUT (Ik, comfort, NUMBER, .label = N_ ("Discomfort"),
             .help = N_ ("Sum of gain × distance from the desired angle (radians) to the power, which is minimised.")),
  KG_OUTPUT (Ik, manipulability, NUMBER, .label = N_ ("Manipulability"),
             .help = N_ ("How freely the end can move on from this pose: 0 in a singular pose. See Jacobian.")),
  KG_OUTPUT (Ik, singular, BOOLEAN, .label = N_ ("Singular"),
             .help = N_ ("Whether the pose is singular: the end cannot move in every direction.")),
};

KG_NODE (
    rig, ik, Ik, .label = N_ ("Inverse Kinematics"), .version = 2, .since = "0.1",
    .tags = N_ ("ik ccd fabrik jacobian chain reach tentacle goal effector solver null space comfort"),
    .formula = "damped: θ̇ = Jᵀ (J Jᵀ + λ² I)⁻¹ e\n"
               "pseudo-inverse: θ̇ = J⁺ e − (I − J⁺ J) ∇H, H = Σ gain (θ − desired)^power\n"
               "with stiffness: θ̇ = W^(−½) (J W^(−½))⁺ e\n"
               "transpose: θ̇ = α Jᵀ e, α = e·(J Jᵀ e) / |J Jᵀ e|²",
    .source = "Parent, Computer Animation, 4.2; Wampler 1986; Nakamura and Hanafusa 1986; Buss and Kim 2005; Wang and "
              "Chen 1991; Aristidou and Lasenby 2011; Siciliano and Slotine 1991",
    .help = N_ (
        "Bends a chain of any length so that its end reaches the goal, within the limits of its joints. If the goal is out of reach, the chain stretches as far as it can. The end can also be given an orientation, like a hand that holds a glass; if the joints cannot satisfy both, the weight decides."));

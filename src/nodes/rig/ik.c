/* rig/ik: inverse kinematics of any chain.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/ik_search.h"

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

static const KgChoice ik_methods[] = {
  [IK_DLS] = { "damped-least-squares", N_ ("Damped least squares") },
  [IK_CCD] = { "ccd", N_ ("Cyclic coordinate descent") },
  [IK_FABRIK] = { "fabrik", N_ ("FABRIK") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ik_methods, IK_N_METHODS);

static bool
ik_evaluate (Ik *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  IkSearch search = { .goal = n->goal,
                      .orientation = n->orientation,
                      .orientation_weight = n->orientation_weight,
                      .method = (IkMethod) n->method,
                      .max_iterations = n->max_iterations,
                      .tolerance = n->tolerance,
                      .tolerance_angle = n->tolerance_angle,
                      .damping = n->damping };

  if (n->orientation_weight > 0 && n->method != IK_DLS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "method %s does not support an orientation: use damped-least-squares, or an orientation_weight of 0",
                  ik_methods[n->method].nick);
    return false;
  }
  kg_skeleton_make_writable (&n->skeleton);
  if (!ik_search_run (&search, n->skeleton, n->end_joint, &monitor, error))
    return false;
  n->posed = kg_skeleton_ref (n->skeleton);
  n->end = search.end;
  n->residual = search.residual;
  n->residual_angle = search.residual_angle;
  n->iterations = search.iterations;
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
          "Least squares distributes the bend over all joints, coordinate descent curls the end first, FABRIK is fast and even.")),
  KG_INPUT (Ik, max_iterations, INTEGER, .label = N_ ("Iterations"), .def = 100, .min = 0, .max = 10000,
            .soft_max = 200, .group = N_ ("Solver"), .help = N_ ("Maximum number of iterations.")),
  KG_INPUT (Ik, tolerance, NUMBER, .label = N_ ("Tolerance"), .unit = KG_METRES, .def = 1e-4, .min = 0, .max = 1e3,
            .soft_max = 0.1, .group = N_ ("Solver"), .help = N_ ("Distance from the goal that is close enough.")),
  KG_INPUT (Ik, tolerance_angle, NUMBER, .label = N_ ("Angle tolerance"), .unit = KG_DEGREES, .def = 0.01, .min = 0,
            .max = 180, .soft_max = 5, .group = N_ ("Solver"),
            .help = N_ ("Angle from the orientation that is close enough, if an orientation is used.")),
  KG_INPUT (Ik, damping, NUMBER, .label = N_ ("Damping"), .def = 0.1, .min = 0, .max = 10, .soft_max = 1,
            .group = N_ ("Solver"),
            .help = N_ ("For least squares: higher values are calmer near the limits of reach, but slower.")),
  KG_OUTPUT (Ik, posed, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("The skeleton in the pose that was found.")),
  KG_OUTPUT (Ik, end, VECTOR, .label = N_ ("End"), .unit = KG_METRES, .help = N_ ("Position of the end.")),
  KG_OUTPUT (Ik, residual, NUMBER, .label = N_ ("Residual"), .unit = KG_METRES,
             .help = N_ ("Distance of the end from the goal.")),
  KG_OUTPUT (Ik, residual_angle, NUMBER, .label = N_ ("Angle residual"), .unit = KG_DEGREES,
             .help = N_ ("Angle between the end and the orientation, whether or not the orientation is used.")),
  KG_OUTPUT (Ik, iterations, INTEGER, .label = N_ ("Iterations"), .help = N_ ("Number of iterations used.")),
};

KG_NODE (
    rig, ik, Ik, .label = N_ ("Inverse Kinematics"), .version = 1, .since = "0.1",
    .tags = N_ ("ik ccd fabrik jacobian chain reach tentacle goal effector solver"),
    .help = N_ (
        "Bends a chain of any length so that its end reaches the goal, within the limits of its joints. If the goal is out of reach, the chain stretches as far as it can. The end can also be given an orientation, like a hand that holds a glass; if the joints cannot satisfy both, the weight decides."));

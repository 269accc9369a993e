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
                  "method %s knows no orientation: use damped-least-squares, or an orientation_weight of 0",
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

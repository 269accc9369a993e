/* rig/ik_two_bone: an arm or a leg, in closed form.
 * Source: the law of cosines; Parent, Computer Animation, 5.2 (a simple linkage).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/chain_pose.h"
#include "kg-node.h"

typedef struct {
  KgSkeleton *limb;
  const char *end_joint;
  KgVector root;
  double length_a;
  double length_b;
  KgVector goal;
  KgVector pole;
  int solution;
  double soften;
  KgSkeleton *skeleton;
  KgVector elbow;
  KgVector end;
  double angle_root;
  double angle_elbow;
  double angle_1;
  double angle_2;
  bool reached;
  double residual;
} IkTwoBone;

enum { SOLUTION_POLE, SOLUTION_AWAY, N_SOLUTIONS };

static const KgChoice ik_two_bone_solutions[] = {
  [SOLUTION_POLE] = { "pole", N_ ("Towards the pole") },
  [SOLUTION_AWAY] = { "away", N_ ("Away from the pole") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ik_two_bone_solutions, N_SOLUTIONS);

/* The distance at which the end can be: not beyond both bones, not nearer than their difference.  Softened, it comes near to the
 * full length more and more slowly, so that the elbow does not snap straight. */
static double
ik_two_bone_get_distance (const IkTwoBone *n, double wanted)
{
  const double length = n->length_a + n->length_b, soft = n->soften * length;

  if (soft > 0 && wanted > length - soft)
    wanted = length - soft * exp (-(wanted - (length - soft)) / soft);
  return kg_clamp (wanted, fabs (n->length_a - n->length_b), n->length_a + n->length_b);
}

static bool
ik_two_bone_make_skeleton (IkTwoBone *n, GError **error)
{
  static const char *const names[] = { "root", "elbow", "end" };
  const double lengths[] = { 0, n->length_a, n->length_b };
  const KgVector points[] = { n->root, n->elbow, n->end };
  KgRotation frame = kg_rotation_identity ();

  n->skeleton = kg_skeleton_new ();
  for (int i = 0; i < 3; i++) {
    KgJoint joint;

    kg_joint_init (&joint, names[i], i - 1);
    joint.offset = i == 0 ? n->root : kg_vector (lengths[i], 0, 0);
    if (kg_skeleton_add_joint (n->skeleton, &joint, error) < 0)
      return false;
  }
  /* At rest the bones lie along x; each joint turns its bone to where it points, seen from its parent. */
  for (guint i = 0; i < 2; i++) {
    const KgVector bone = kg_vector_subtract (points[i + 1], points[i]);
    KgRotation turn = kg_rotation_identity ();

    if (kg_vector_length (bone) > 0)
      turn = kg_rotation_between (kg_vector (1, 0, 0), kg_rotation_apply (kg_rotation_conjugate (frame), bone));
    kg_skeleton_set_rotation (n->skeleton, i, turn);
    frame = kg_rotation_multiply (frame, turn);
  }
  return true;
}

/* Everything but the skeleton, from root and lengths. */
static void
ik_two_bone_solve (IkTwoBone *n)
{
  const double a = n->length_a, b = n->length_b;
  const KgVector to_goal = kg_vector_subtract (n->goal, n->root);
  const double wanted = kg_vector_length (to_goal), distance = ik_two_bone_get_distance (n, wanted);
  /* A goal at the root has no direction: the arm folds along the one away from the pole's side. */
  const KgVector forward = kg_vector_normalize_or (to_goal, kg_vector (1, 0, 0));
  KgVector side = kg_vector_subtract (n->pole, n->root);
  double along, height;

  side = kg_vector_add_scaled (side, -kg_vector_dot (side, forward), forward);
  side = kg_vector_normalize_or (side, kg_vector_perpendicular (forward));
  if (n->solution == SOLUTION_AWAY)
    side = kg_vector_scale (side, -1);
  /* Where the elbow projects onto the line to the end, and how far it is off it. */
  along = distance > 0 ? (distance * distance + a * a - b * b) / (2 * distance) : 0;
  along = kg_clamp (along, -a, a);
  height = sqrt (fmax (0, a * a - along * along));
  n->elbow = kg_vector_add_scaled (kg_vector_add_scaled (n->root, along, forward), height, side);
  n->end = kg_vector_add_scaled (n->root, distance, forward);
  n->angle_root = atan2 (height, along);
  n->angle_elbow = a > 0 && b > 0 ? acos (kg_clamp ((a * a + b * b - distance * distance) / (2 * a * b), -1, 1))
                                  : KG_PI;
}

static double
ik_two_bone_get_angle (KgVector a, KgVector b)
{
  return atan2 (kg_vector_length (kg_vector_cross (a, b)), kg_vector_dot (a, b));
}

/* Turns the two joints above the end of the skeleton.  A joint with limits turns as far as it may: then everything is
 * measured again. */
static bool
ik_two_bone_pose (IkTwoBone *n, GError **error)
{
  ChainPose chain;
  guint first;
  bool limited = false;

  if (!chain_pose_init (&chain, n->limb, n->end_joint, error))
    return false;
  if (chain.n < 3) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "joint \"%s\" has %u joints above it: the end of two bones needs at least 2",
                  kg_skeleton_get_joint (n->limb, chain.joints[chain.n - 1])->name, chain.n - 1);
    chain_pose_clear (&chain);
    return false;
  }
  first = chain.n - 3;
  n->root = chain.points[first];
  n->length_a = chain.lengths[first];
  n->length_b = chain.lengths[first + 1];
  ik_two_bone_solve (n);
  chain.points[first + 1] = n->elbow;
  chain.points[first + 2] = n->end;
  kg_skeleton_make_writable (&n->limb);
  chain_pose_apply (&chain, n->limb, first, chain.points);
  for (guint k = first; k < first + 2; k++) {
    const KgJoint *joint = kg_skeleton_get_joint (n->limb, chain.joints[k]);

    if (chain_pose_is_limited (joint)) {
      kg_skeleton_set_rotation (n->limb, chain.joints[k],
                                chain_pose_limit (joint, kg_skeleton_get_rotation (n->limb, chain.joints[k])));
      limited = true;
    }
  }
  if (limited) {
    chain_pose_update (&chain, n->limb);
    n->elbow = chain.points[first + 1];
    n->end = chain.points[first + 2];
    n->angle_root =
        ik_two_bone_get_angle (kg_vector_subtract (n->elbow, n->root), kg_vector_subtract (n->goal, n->root));
    n->angle_elbow =
        ik_two_bone_get_angle (kg_vector_subtract (n->root, n->elbow), kg_vector_subtract (n->end, n->elbow));
  }
  chain_pose_clear (&chain);
  n->skeleton = kg_skeleton_ref (n->limb);
  return true;
}

static bool
ik_two_bone_evaluate (IkTwoBone *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  if (n->limb != NULL) {
    if (!ik_two_bone_pose (n, error))
      return false;
  } else {
    ik_two_bone_solve (n);
    if (!ik_two_bone_make_skeleton (n, error))
      return false;
  }
  {
    const KgVector upper = kg_vector_subtract (n->elbow, n->root), lower = kg_vector_subtract (n->end, n->elbow);

    n->angle_1 = atan2 (upper.y, upper.x);
    n->angle_2 = atan2 (upper.x * lower.y - upper.y * lower.x, upper.x * lower.x + upper.y * lower.y);
  }
  n->residual = kg_vector_distance (n->end, n->goal);
  n->reached = n->residual <= 1e-9 * (n->length_a + n->length_b) || n->residual == 0;
  return true;
}

static const KgSlot ik_two_bone_slots[] = {
  KG_INPUT (
      IkTwoBone, goal, VECTOR, .label = N_ ("Goal"), .unit = KG_METRES, .def_v = { 1.2, 0.8, 0 },
      .help = N_ ("Position that the end should reach. If it is out of reach, the arm stretches straight towards it.")),
  KG_INPUT (
      IkTwoBone, limb, SKELETON, .label = N_ ("Skeleton"), .optional = true,
      .help = N_ (
          "Skeleton to pose instead of a new arm: it determines the root and the lengths. The limits of its joints are kept, even if the goal is missed as a result.")),
  KG_INPUT (
      IkTwoBone, end_joint, TEXT, .label = N_ ("End"),
      .help = N_ (
          "Name of the joint of the skeleton that should reach the goal; the two joints above it rotate. Empty for the last.")),
  KG_INPUT (
      IkTwoBone, root, VECTOR, .label = N_ ("Root"), .unit = KG_METRES,
      .help = N_ ("Position of the shoulder or hip. If a skeleton is linked, neither this nor the lengths are used.")),
  KG_INPUT (IkTwoBone, length_a, NUMBER, .label = N_ ("Upper length"), .unit = KG_METRES, .def = 1, .min = 0,
            .max = 1e6, .soft_max = 5, .help = N_ ("Length from the root to the elbow.")),
  KG_INPUT (IkTwoBone, length_b, NUMBER, .label = N_ ("Lower length"), .unit = KG_METRES, .def = 1, .min = 0,
            .max = 1e6, .soft_max = 5, .help = N_ ("Length from the elbow to the end.")),
  KG_INPUT (IkTwoBone, pole, VECTOR, .label = N_ ("Pole"), .unit = KG_METRES, .def_v = { 0, 10, 0 },
            .help = N_ ("Position that the elbow points towards.")),
  KG_INPUT (IkTwoBone, solution, CHOICE, .label = N_ ("Solution"), .choices = ik_two_bone_solutions,
            .help = N_ ("The goal can be reached in two ways: this chooses the side of the elbow.")),
  KG_INPUT (
      IkTwoBone, soften, NUMBER, .label = N_ ("Soften"), .unit = KG_PERCENT, .min = 0, .max = 1, .soft_max = 0.3,
      .help = N_ ("Share of the reach within which the arm stretches more and more slowly, so that the elbow does "
                  "not snap straight. The goal is missed by a little there.")),
  KG_OUTPUT (IkTwoBone, skeleton, SKELETON, .label = N_ ("Skeleton"),
             .help = N_ ("A skeleton with the joints root, elbow and end, or the linked skeleton in its new pose.")),
  KG_OUTPUT (IkTwoBone, elbow, VECTOR, .label = N_ ("Elbow"), .unit = KG_METRES, .help = N_ ("Position of the elbow.")),
  KG_OUTPUT (IkTwoBone, end, VECTOR, .label = N_ ("End"), .unit = KG_METRES, .help = N_ ("Position of the end.")),
  KG_OUTPUT (IkTwoBone, angle_root, NUMBER, .label = N_ ("Root angle"), .unit = KG_DEGREES,
             .help = N_ ("Angle between the upper bone and the line to the goal.")),
  KG_OUTPUT (IkTwoBone, angle_elbow, NUMBER, .label = N_ ("Elbow angle"), .unit = KG_DEGREES,
             .help = N_ ("Angle between the bones; 180 is straight.")),
  KG_OUTPUT (IkTwoBone, angle_1, NUMBER, .label = N_ ("First joint"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the upper bone from the x axis, seen along z.")),
  KG_OUTPUT (IkTwoBone, angle_2, NUMBER, .label = N_ ("Second joint"), .unit = KG_DEGREES,
             .help = N_ ("Angle of the lower bone from the direction of the upper one, seen along z; to the left is "
                         "positive.")),
  KG_OUTPUT (IkTwoBone, reached, BOOLEAN, .label = N_ ("Reached"), .help = N_ ("Whether the end is at the goal.")),
  KG_OUTPUT (IkTwoBone, residual, NUMBER, .label = N_ ("Residual"), .unit = KG_METRES,
             .help = N_ ("Distance from the end to the goal.")),
};

KG_NODE (
    rig, ik_two_bone, IkTwoBone, .label = N_ ("Two-Bone IK"), .version = 1, .since = "0.1",
    .tags = N_ ("inverse kinematics arm leg elbow knee reach limb"),
    .help = N_ (
        "Bends an arm or a leg so that its end is exactly at the goal, without searching. Give it lengths, or a skeleton of which it poses two bones."));

/* rig/pose_mix: a pose between two poses.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/chain_pose.h"

typedef struct {
  KgSkeleton *a;
  const KgSkeleton *b;
  double t;
  const char *joints;
  int path;
  KgList onsets;
  int ease;
  KgSkeleton *posed;
} PoseMix;

enum { PATH_SLERP, PATH_ANGLES, N_PATHS };

static const KgChoice pose_mix_paths[] = {
  [PATH_SLERP] = { "slerp", N_ ("Rotations by the shortest path, hinges by their angle") },
  [PATH_ANGLES] = { "angles", N_ ("Each fixed angle by itself") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (pose_mix_paths, N_PATHS);

enum { EASE_NONE, EASE_MINIMUM_JERK, N_EASES };

static const KgChoice pose_mix_eases[] = {
  [EASE_NONE] = { "none", N_ ("Evenly, like the mix") },
  [EASE_MINIMUM_JERK] = { "minimum-jerk", N_ ("Starting and stopping softly") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (pose_mix_eases, N_EASES);

/* Most of the mix that may pass before the last joint begins, so that it need not jump. */
#define LATEST_ONSET 0.9

/* Onsets beyond the latest one are scaled to it, all alike. */
static bool
pose_mix_get_latest (const PoseMix *n, double *latest, double *factor, GError **error)
{
  *latest = 0;
  for (guint i = 0; i < n->onsets.n; i++) {
    const double onset = n->onsets.items[i].number;

    if (!(onset >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "onset %u is %g: use 0, the start of the mix, up to 1, its end",
                    i + 1, onset);
      return false;
    }
    *latest = MAX (*latest, onset);
  }
  *factor = *latest > LATEST_ONSET ? LATEST_ONSET / *latest : 1;
  *latest = MIN (*latest, LATEST_ONSET);
  return true;
}

/* How far a joint is while the mix is at n->t.  latest: onset of any joint. */
static double
pose_mix_get_share (const PoseMix *n, guint joint, double latest, double factor)
{
  double u = n->t;

  if (n->onsets.n > 0)
    u = kg_clamp ((u - factor * n->onsets.items[MIN (joint, n->onsets.n - 1)].number) / (1 - latest), 0, 1);
  if (n->ease == EASE_NONE)
    return u;
  return kg_fade (kg_clamp (u, 0, 1));
}

static bool
pose_mix_compare (const PoseMix *n, GError **error)
{
  const guint count = kg_skeleton_get_n_joints (n->a), other = kg_skeleton_get_n_joints (n->b);

  for (guint i = 0; i < MIN (count, other); i++) {
    const KgJoint *a = kg_skeleton_get_joint (n->a, i), *b = kg_skeleton_get_joint (n->b, i);

    if (strcmp (a->name, b->name) != 0 || a->parent != b->parent) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "joint %u is \"%s\" in a and \"%s\" in b: mix two poses of one skeleton", i + 1, a->name, b->name);
      return false;
    }
  }
  if (count == other)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "a has %u joints and b has %u: mix two poses of one skeleton", count,
                other);
  return false;
}

/* Which joints take part; NULL: all. */
static bool
pose_mix_choose (const PoseMix *n, bool *chosen, GError **error)
{
  g_auto (GStrv) names = g_strsplit_set (n->joints, " ,;\n\t", -1);
  const guint count = kg_skeleton_get_n_joints (n->a);
  bool any = false;

  for (guint i = 0; names[i] != NULL; i++) {
    const int joint = names[i][0] != '\0' ? kg_skeleton_find_joint (n->a, names[i]) : -1;

    if (names[i][0] == '\0')
      continue;
    if (joint < 0) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "the skeleton has no joint \"%s\": use the name of an existing joint",
                    names[i]);
      return false;
    }
    chosen[joint] = any = true;
  }
  for (guint i = 0; i < count; i++)
    chosen[i] |= !any;
  return true;
}

static bool
pose_mix_evaluate (PoseMix *n, const KgContext *ctx, GError **error)
{
  const guint count = kg_skeleton_get_n_joints (n->a);
  double latest, factor;
  bool *chosen = (bool *) kg_context_scratch (ctx, (size_t) count + 1, error);

  if (chosen == NULL || !pose_mix_compare (n, error) || !pose_mix_choose (n, chosen, error) ||
      !pose_mix_get_latest (n, &latest, &factor, error))
    return false;
  if (factor < 1)
    kg_context_warn (ctx, "the last onset is so late that its joint would jump: onsets are scaled by %.3g", factor);
  kg_skeleton_make_writable (&n->a);
  for (guint i = 0; i < count; i++) {
    const KgJoint *joint = kg_skeleton_get_joint (n->a, i);
    const KgRotation a = kg_skeleton_get_rotation (n->a, i), b = kg_skeleton_get_rotation (n->b, i);
    const KgVector from = kg_skeleton_get_translation (n->a, i), to = kg_skeleton_get_translation (n->b, i);
    const guint turns = (guint) joint->free[0] + (guint) joint->free[1] + (guint) joint->free[2];
    double t;
    KgRotation mixed;

    if (!chosen[i])
      continue;
    t = pose_mix_get_share (n, i, latest, factor);
    kg_skeleton_set_translation (n->a, i, t == 1 ? to : t == 0 ? from : kg_vector_lerp (from, to, t));
    if (t == 0 || t == 1)
      mixed = t == 0 ? a : b;
    else if (n->path == PATH_ANGLES || turns == 1 || turns == 2)
      mixed = kg_rotation_from_angles (
          kg_vector_lerp (turns > 0 ? chain_pose_get_free_angles (joint, a) : chain_pose_get_angles (a),
                          turns > 0 ? chain_pose_get_free_angles (joint, b) : chain_pose_get_angles (b), t));
    else
      mixed = kg_rotation_slerp (a, b, t);
    kg_skeleton_set_rotation (n->a, i, mixed);
  }
  n->posed = kg_skeleton_ref (n->a);
  return true;
}

static const KgSlot pose_mix_slots[] = {
  KG_INPUT (PoseMix, a, SKELETON, .label = N_ ("a"), .help = N_ ("The skeleton in the first pose.")),
  KG_INPUT (PoseMix, b, SKELETON, .label = N_ ("b"), .help = N_ ("The same skeleton in the second pose.")),
  KG_INPUT (PoseMix, t, NUMBER, .label = N_ ("Mix"), .def = 0.5, .min = -100, .max = 100, .soft_min = 0, .soft_max = 1,
            .help = N_ ("0 is the first pose, 1 the second; values beyond exaggerate.")),
  KG_INPUT (PoseMix, joints, TEXT, .label = N_ ("Joints"),
            .help = N_ ("Names of the joints to mix; empty for all. The others keep the first pose.")),
  KG_INPUT (PoseMix, path, CHOICE, .label = N_ ("Path"), .choices = pose_mix_paths,
            .help = N_ ("How joints that rotate in several directions move from one pose to the other.")),
  KG_INPUTS (PoseMix, onsets, NUMBER, .label = N_ ("Onsets"), .optional = true,
             .help = N_ ("Mix at which each joint begins, in the order of the joints: 0 is the start. Joints beyond "
                         "the last number use that number. All joints take equally long, so that those that begin "
                         "later end later: the shoulder moves before the elbow, and the elbow before the wrist.")),
  KG_INPUT (PoseMix, ease, CHOICE, .label = N_ ("Ease"), .choices = pose_mix_eases,
            .help = N_ ("How each joint moves between the poses while the mix grows evenly.")),
  KG_OUTPUT (PoseMix, posed, SKELETON, .label = N_ ("Skeleton"), .help = N_ ("The skeleton in the mixed pose.")),
};

KG_NODE (
    rig, pose_mix, PoseMix, .label = N_ ("Mix Poses"), .version = 1, .since = "0.1",
    .tags = N_ ("blend interpolate key pose between slerp inbetween"),
    .source = "Parent, Computer Animation, 4.1.2; Shoemake, Animating Rotation with Quaternion Curves, 1985",
    .help = N_ (
        "Mixes two poses of a skeleton, joint by joint. Hands move on arcs, as they do in nature, not on straight lines."));

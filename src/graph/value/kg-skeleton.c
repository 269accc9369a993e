/* kg-skeleton: joints and a pose.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-skeleton.h"

#include "kg-hash.h"

typedef struct {
  KgJoint joint;
  KgRotation rotation;
  KgVector translation;
} Bone;

/* The indices of the joints by name. Shared by the poses of a skeleton until a joint is added to one of them. */
typedef struct {
  gatomicrefcount refs;
  GHashTable *numbers; /* interned name → number + 1 */
} Names;

struct _KgSkeleton {
  gatomicrefcount refs;
  GArray *bones; /* Bone */
  Names *names;
  KgHash fingerprint;
};

static Names *
names_new (void)
{
  Names *names = g_new (Names, 1);

  g_atomic_ref_count_init (&names->refs);
  names->numbers = g_hash_table_new (g_str_hash, g_str_equal);
  return names;
}

static void
names_unref (Names *names)
{
  if (!g_atomic_ref_count_dec (&names->refs))
    return;
  g_hash_table_unref (names->numbers);
  g_free (names);
}

KgSkeleton *
kg_skeleton_new (void)
{
  KgSkeleton *skeleton = g_new0 (KgSkeleton, 1);

  g_atomic_ref_count_init (&skeleton->refs);
  skeleton->bones = g_array_new (FALSE, FALSE, sizeof (Bone));
  skeleton->names = names_new ();
  return skeleton;
}

KgSkeleton *
kg_skeleton_ref (const KgSkeleton *skeleton)
{
  KgSkeleton *s = (KgSkeleton *) skeleton;

  g_atomic_ref_count_inc (&s->refs);
  return s;
}

void
kg_skeleton_unref (KgSkeleton *skeleton)
{
  if (!g_atomic_ref_count_dec (&skeleton->refs))
    return;
  g_array_unref (skeleton->bones);
  names_unref (skeleton->names);
  g_free (skeleton);
}

void
kg_skeleton_make_writable (KgSkeleton **skeleton)
{
  KgSkeleton *copy;

  if (g_atomic_ref_count_compare (&(*skeleton)->refs, 1))
    return;
  copy = kg_skeleton_new ();
  g_array_append_vals (copy->bones, (*skeleton)->bones->data, (*skeleton)->bones->len);
  names_unref (copy->names);
  copy->names = (*skeleton)->names;
  g_atomic_ref_count_inc (&copy->names->refs);
  kg_skeleton_unref (*skeleton);
  *skeleton = copy;
}

static Bone *
get_bone (const KgSkeleton *skeleton, guint index)
{
  g_assert (index < skeleton->bones->len);
  return &g_array_index (skeleton->bones, Bone, index);
}

guint
kg_skeleton_get_n_joints (const KgSkeleton *skeleton)
{
  return skeleton->bones->len;
}

const KgJoint *
kg_skeleton_get_joint (const KgSkeleton *skeleton, guint index)
{
  return &get_bone (skeleton, index)->joint;
}

int
kg_skeleton_find_joint (const KgSkeleton *skeleton, const char *name)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (skeleton->names->numbers, name)) - 1;
}

/* Enters the name of the next joint. */
static void
enter_name (KgSkeleton *skeleton, const char *name)
{
  if (!g_atomic_ref_count_compare (&skeleton->names->refs, 1)) {
    Names *names = names_new ();

    for (guint i = 0; i < skeleton->bones->len; i++)
      g_hash_table_insert (names->numbers, (gpointer) get_bone (skeleton, i)->joint.name, GUINT_TO_POINTER (i + 1));
    names_unref (skeleton->names);
    skeleton->names = names;
  }
  g_hash_table_insert (skeleton->names->numbers, (gpointer) name, GUINT_TO_POINTER (skeleton->bones->len + 1));
}

void
kg_joint_init (KgJoint *joint, const char *name, int parent)
{
  *joint = (KgJoint){ .name = g_intern_string (name),
                      .parent = parent,
                      .rest = { 1, 0, 0, 0 },
                      .free = { true, true, true },
                      .low = { -KG_PI, -KG_PI, -KG_PI },
                      .high = { KG_PI, KG_PI, KG_PI },
                      .slide_low = { -INFINITY, -INFINITY, -INFINITY },
                      .slide_high = { INFINITY, INFINITY, INFINITY } };
}

int
kg_skeleton_add_joint (KgSkeleton *skeleton, const KgJoint *joint, GError **error)
{
  const int n = (int) skeleton->bones->len;
  Bone bone = { *joint, { 1, 0, 0, 0 }, { 0, 0, 0 } };

  if (n >= KG_SKELETON_MAX_JOINTS) {
    kg_set_error (error, KG_ERROR_LIMIT, "a skeleton can have at most %d joints", KG_SKELETON_MAX_JOINTS);
    return -1;
  }
  if (joint->parent < -1 || joint->parent >= n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "joint \"%s\": its parent %d must come before it (0 to %d, or -1 for a root)", joint->name,
                  joint->parent, n - 1);
    return -1;
  }
  if (kg_skeleton_find_joint (skeleton, joint->name) >= 0) {
    kg_set_error (error, KG_ERROR_DUPLICATE, "there is already a joint \"%s\"", joint->name);
    return -1;
  }
  bone.joint.name = g_intern_string (joint->name);
  skeleton->fingerprint = (KgHash){ 0, 0 };
  enter_name (skeleton, bone.joint.name);
  g_array_append_val (skeleton->bones, bone);
  return n;
}

void
kg_skeleton_set_mass (KgSkeleton *skeleton, guint index, double mass, KgVector center, const double inertia[6])
{
  KgJoint *joint = &get_bone (skeleton, index)->joint;

  joint->mass = mass;
  joint->center = center;
  memcpy (joint->inertia, inertia, sizeof joint->inertia);
  skeleton->fingerprint = (KgHash){ 0, 0 };
}

KgRotation
kg_skeleton_get_rotation (const KgSkeleton *skeleton, guint index)
{
  return get_bone (skeleton, index)->rotation;
}

void
kg_skeleton_set_rotation (KgSkeleton *skeleton, guint index, KgRotation rotation)
{
  get_bone (skeleton, index)->rotation = kg_rotation_normalize (rotation);
  skeleton->fingerprint = (KgHash){ 0, 0 };
}

KgVector
kg_skeleton_get_translation (const KgSkeleton *skeleton, guint index)
{
  return get_bone (skeleton, index)->translation;
}

void
kg_skeleton_set_translation (KgSkeleton *skeleton, guint index, KgVector translation)
{
  get_bone (skeleton, index)->translation = translation;
  skeleton->fingerprint = (KgHash){ 0, 0 };
}

static void
get_world (const KgSkeleton *skeleton, bool rest, KgTransform *world)
{
  for (guint i = 0; i < skeleton->bones->len; i++) {
    const Bone *bone = get_bone (skeleton, i);
    const KgRotation turn = rest ? bone->joint.rest : kg_rotation_multiply (bone->joint.rest, bone->rotation);
    const KgVector place = rest ? bone->joint.offset : kg_vector_add (bone->joint.offset, bone->translation);
    const KgTransform local = kg_transform_from_parts (place, turn, kg_vector (1, 1, 1));

    world[i] = bone->joint.parent < 0 ? local : kg_transform_multiply (world[bone->joint.parent], local);
  }
}

void
kg_skeleton_get_world (const KgSkeleton *skeleton, KgTransform *world)
{
  get_world (skeleton, false, world);
}

void
kg_skeleton_get_rest_world (const KgSkeleton *skeleton, KgTransform *world)
{
  get_world (skeleton, true, world);
}

static bool
equal_doubles (const double *a, const double *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!(a[i] == b[i]))
      return false;
  return true;
}

bool
kg_skeleton_equal (const KgSkeleton *a, const KgSkeleton *b)
{
  if (a->bones->len != b->bones->len)
    return false;
  for (guint i = 0; i < a->bones->len; i++) {
    const Bone *x = get_bone (a, i), *y = get_bone (b, i);

    if (x->joint.name != y->joint.name || x->joint.parent != y->joint.parent ||
        !equal_doubles (&x->joint.offset.x, &y->joint.offset.x, 3) ||
        !equal_doubles (&x->joint.rest.w, &y->joint.rest.w, 4) ||
        memcmp (x->joint.free, y->joint.free, sizeof x->joint.free) != 0 ||
        !equal_doubles (&x->joint.low.x, &y->joint.low.x, 3) ||
        !equal_doubles (&x->joint.high.x, &y->joint.high.x, 3) ||
        memcmp (x->joint.slide, y->joint.slide, sizeof x->joint.slide) != 0 ||
        !equal_doubles (&x->joint.slide_low.x, &y->joint.slide_low.x, 3) ||
        !equal_doubles (&x->joint.slide_high.x, &y->joint.slide_high.x, 3) || !(x->joint.mass == y->joint.mass) ||
        !equal_doubles (&x->joint.center.x, &y->joint.center.x, 3) ||
        !equal_doubles (x->joint.inertia, y->joint.inertia, 6) || !equal_doubles (&x->rotation.w, &y->rotation.w, 4) ||
        !equal_doubles (&x->translation.x, &y->translation.x, 3))
      return false;
  }
  return true;
}

size_t
kg_skeleton_get_bytes (const KgSkeleton *skeleton)
{
  /* Two pointers and a hash for each name, in a table that is at worst three quarters empty. */
  return sizeof *skeleton + skeleton->bones->len * (sizeof (Bone) + 4 * (2 * sizeof (gpointer) + sizeof (guint)));
}

static bool
is_link_finite (const KgJoint *joint)
{
  double sum = joint->mass;

  for (int i = 0; i < 6; i++)
    sum += joint->inertia[i];
  /* Slides without limits have infinite ones. */
  for (size_t c = 0; c < 3; c++)
    if (isnan (kg_vector_get (joint->slide_low, c)) || isnan (kg_vector_get (joint->slide_high, c)))
      return false;
  return isfinite (sum) && kg_vector_is_finite (joint->center);
}

bool
kg_skeleton_check_finite (const KgSkeleton *skeleton, GError **error)
{
  for (guint i = 0; i < skeleton->bones->len; i++) {
    const Bone *bone = get_bone (skeleton, i);
    const KgRotation q = bone->rotation, r = bone->joint.rest;

    if (!kg_vector_is_finite (bone->joint.offset) || !kg_vector_is_finite (bone->translation) ||
        !kg_vector_is_finite (bone->joint.low) || !kg_vector_is_finite (bone->joint.high) ||
        !isfinite (q.w + q.x + q.y + q.z) || !isfinite (r.w + r.x + r.y + r.z) || !is_link_finite (&bone->joint)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "a skeleton whose joint \"%s\" has a number that is not finite",
                    bone->joint.name);
      return false;
    }
  }
  return true;
}

KgHash
kg_skeleton_get_fingerprint (const KgSkeleton *skeleton)
{
  return skeleton->fingerprint;
}

void
kg_skeleton_set_fingerprint (KgSkeleton *skeleton, KgHash fingerprint)
{
  skeleton->fingerprint = fingerprint;
}

/* linkage: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/linkage.h"

#include "kg-random.h"
#include "geometry/symmetric_matrix.h"
#include "rig/chain_pose.h"
#include "value/matrix.h"

static KgVector
get_axis (guint axis)
{
  KgVector v = { 0, 0, 0 };

  *kg_vector_component (&v, axis) = 1;
  return v;
}

KgVector
linkage_get_rotation_vector (KgRotation q)
{
  const double sign = q.w < 0 ? -1 : 1;
  const KgVector v = kg_vector (sign * q.x, sign * q.y, sign * q.z);
  const double sine = kg_vector_length (v);

  return sine > 0 ? kg_vector_scale (v, 2 * atan2 (sine, sign * q.w) / sine) : v;
}

KgRotation
linkage_rotation_from_vector (KgVector vector)
{
  return kg_rotation_from_axis_angle (vector, kg_vector_length (vector));
}

static bool
is_ball (const KgJoint *joint)
{
  return joint->free[0] && joint->free[1] && joint->free[2] && !chain_pose_is_limited (joint);
}

void
linkage_init (Linkage *linkage, const KgSkeleton *skeleton)
{
  const guint n_joints = kg_skeleton_get_n_joints (skeleton);
  guint n = 0;

  *linkage = (Linkage){ .n_joints = n_joints };
  linkage->parents = g_new (int, MAX (n_joints, 1));
  linkage->first = g_new (guint, (gsize) n_joints + 1);
  linkage->points = g_new0 (KgVector, MAX (n_joints, 1));
  linkage->frames = g_new0 (KgRotation, MAX (n_joints, 1));
  for (guint i = 0; i < n_joints; i++) {
    const KgJoint *joint = kg_skeleton_get_joint (skeleton, i);

    for (guint c = 0; c < 3; c++)
      n += (guint) joint->slide[c] + (guint) joint->free[c];
  }
  linkage->freedoms = g_new0 (LinkageFreedom, MAX (n, 1));
  n = 0;
  for (guint i = 0; i < n_joints; i++) {
    const KgJoint *joint = kg_skeleton_get_joint (skeleton, i);
    const bool ball = is_ball (joint);

    linkage->parents[i] = joint->parent;
    linkage->first[i] = n;
    for (guint c = 0; c < 3; c++)
      if (joint->slide[c])
        linkage->freedoms[n++] = (LinkageFreedom){ .joint = i,
                                                   .axis = c,
                                                   .kind = LINKAGE_SLIDE,
                                                   .low = kg_vector_get (joint->slide_low, c),
                                                   .high = kg_vector_get (joint->slide_high, c) };
    for (guint c = 0; c < 3; c++) {
      const double low = kg_vector_get (joint->low, c), high = kg_vector_get (joint->high, c);
      /* An angle that may take any value goes round: it has no ends to stop at. */
      const bool round = ball || (low <= -KG_PI + 1e-9 && high >= KG_PI - 1e-9);

      if (joint->free[c])
        linkage->freedoms[n++] = (LinkageFreedom){ .joint = i,
                                                   .axis = c,
                                                   .kind = ball ? LINKAGE_BALL : LINKAGE_ANGLE,
                                                   .low = round ? -INFINITY : low,
                                                   .high = round ? INFINITY : high };
    }
  }
  linkage->first[n_joints] = n;
  linkage->n = n;
  linkage_update (linkage, skeleton);
}

void
linkage_clear (Linkage *linkage)
{
  g_clear_pointer (&linkage->parents, g_free);
  g_clear_pointer (&linkage->first, g_free);
  g_clear_pointer (&linkage->freedoms, g_free);
  g_clear_pointer (&linkage->points, g_free);
  g_clear_pointer (&linkage->frames, g_free);
}

int
linkage_find (const KgSkeleton *skeleton, const char *name, GError **error)
{
  const int n = (int) kg_skeleton_get_n_joints (skeleton);
  const int joint = name[0] != '\0' ? kg_skeleton_find_joint (skeleton, name) : n - 1;

  if (joint < 0)
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                  n == 0 ? N_ ("the skeleton has no joints%s") : N_ ("the skeleton has no joint \"%s\""),
                  n == 0 ? "" : name);
  return joint;
}

/* The values of the rotations of a joint, and the axes in the world that they are about. */
static void
update_rotations (Linkage *linkage, const KgJoint *joint, guint i, KgRotation frame, KgRotation rotation)
{
  const guint end = linkage->first[i + 1];
  KgVector values = { 0, 0, 0 }, axes[3];
  guint k = linkage->first[i];

  while (k < end && linkage->freedoms[k].kind == LINKAGE_SLIDE)
    k++;
  if (k == end)
    return;
  if (linkage->freedoms[k].kind == LINKAGE_BALL) {
    values = linkage_get_rotation_vector (rotation);
    for (guint c = 0; c < 3; c++)
      axes[c] = kg_rotation_apply (linkage->frames[i], get_axis (c));
  } else {
    values = chain_pose_get_free_angles (joint, rotation);
    /* z of the frame at rest, y rotated by the angle about z, x by both. */
    for (guint c = 3; c-- > 0;) {
      axes[c] = kg_rotation_apply (frame, get_axis (c));
      frame = kg_rotation_multiply (frame, kg_rotation_from_axis_angle (get_axis (c), kg_vector_get (values, c)));
    }
  }
  for (; k < end; k++) {
    linkage->freedoms[k].value = kg_vector_get (values, linkage->freedoms[k].axis);
    linkage->freedoms[k].along = axes[linkage->freedoms[k].axis];
  }
}

void
linkage_update (Linkage *linkage, const KgSkeleton *skeleton)
{
  for (guint i = 0; i < linkage->n_joints; i++) {
    const KgJoint *joint = kg_skeleton_get_joint (skeleton, i);
    const int parent = joint->parent;
    const KgRotation above = parent < 0 ? kg_rotation_identity () : linkage->frames[parent];
    const KgRotation frame = kg_rotation_multiply (above, joint->rest);
    const KgRotation rotation = kg_skeleton_get_rotation (skeleton, i);
    const KgVector translation = kg_skeleton_get_translation (skeleton, i);
    const KgVector moved = kg_rotation_apply (above, kg_vector_add (joint->offset, translation));

    linkage->points[i] = parent < 0 ? moved : kg_vector_add (linkage->points[parent], moved);
    /* Normalised, or the rounding of thousands of factors would add up. */
    linkage->frames[i] = kg_rotation_normalize (kg_rotation_multiply (frame, rotation));
    if (linkage->first[i] == linkage->first[i + 1])
      continue;
    if (linkage->freedoms[linkage->first[i]].kind == LINKAGE_SLIDE) {
      const KgVector slides = kg_rotation_apply (kg_rotation_conjugate (joint->rest), translation);

      for (guint k = linkage->first[i]; k < linkage->first[i + 1]; k++)
        if (linkage->freedoms[k].kind == LINKAGE_SLIDE) {
          linkage->freedoms[k].value = kg_vector_get (slides, linkage->freedoms[k].axis);
          linkage->freedoms[k].along = kg_rotation_apply (frame, get_axis (linkage->freedoms[k].axis));
        }
    }
    update_rotations (linkage, joint, i, frame, rotation);
  }
}

/* Sets the freedoms of a joint to values, or adds them. */
static void
pose_joint (const Linkage *linkage, KgSkeleton *skeleton, guint i, const double *numbers, bool add)
{
  const KgJoint *joint = kg_skeleton_get_joint (skeleton, i);
  KgVector slides = { 0, 0, 0 }, values = { 0, 0, 0 };
  bool slid = false, rotated = false, ball = false;

  for (guint k = linkage->first[i]; k < linkage->first[i + 1]; k++) {
    const LinkageFreedom *freedom = &linkage->freedoms[k];
    const double value = add && freedom->kind != LINKAGE_BALL ? freedom->value + numbers[k] : numbers[k];

    if (freedom->kind == LINKAGE_SLIDE) {
      if (!slid)
        slides = kg_rotation_apply (kg_rotation_conjugate (joint->rest), kg_skeleton_get_translation (skeleton, i));
      slid = true;
      *kg_vector_component (&slides, freedom->axis) = kg_clamp (value, freedom->low, freedom->high);
    } else {
      rotated = true;
      ball = freedom->kind == LINKAGE_BALL;
      *kg_vector_component (&values, freedom->axis) = kg_clamp (value, freedom->low, freedom->high);
    }
  }
  if (slid)
    kg_skeleton_set_translation (skeleton, i, kg_rotation_apply (joint->rest, slides));
  if (!rotated)
    return;
  if (ball && add)
    kg_skeleton_set_rotation (
        skeleton, i,
        kg_rotation_multiply (kg_skeleton_get_rotation (skeleton, i), linkage_rotation_from_vector (values)));
  else if (ball)
    kg_skeleton_set_rotation (skeleton, i, linkage_rotation_from_vector (values));
  else
    kg_skeleton_set_rotation (skeleton, i, kg_rotation_from_angles (values));
}

void
linkage_set_values (const Linkage *linkage, KgSkeleton *skeleton, const double *values)
{
  for (guint i = 0; i < linkage->n_joints; i++)
    pose_joint (linkage, skeleton, i, values, false);
}

void
linkage_move (const Linkage *linkage, KgSkeleton *skeleton, const double *changes)
{
  for (guint i = 0; i < linkage->n_joints; i++)
    pose_joint (linkage, skeleton, i, changes, true);
}

void
linkage_get_jacobian (const Linkage *linkage, guint joint, KgVector point, double *jacobian)
{
  const size_t n = linkage->n;

  memset (jacobian, 0, 6 * n * sizeof *jacobian);
  for (int i = (int) joint; i >= 0; i = linkage->parents[i])
    for (guint k = linkage->first[i]; k < linkage->first[i + 1]; k++) {
      const LinkageFreedom *freedom = &linkage->freedoms[k];
      const bool slides = freedom->kind == LINKAGE_SLIDE;
      const KgVector v = slides ? freedom->along
                                : kg_vector_cross (freedom->along, kg_vector_subtract (point, linkage->points[i]));

      for (size_t c = 0; c < 3; c++) {
        jacobian[c * n + k] = kg_vector_get (v, c);
        jacobian[(3 + c) * n + k] = slides ? 0 : kg_vector_get (freedom->along, c);
      }
    }
}

double
linkage_get_reach (const Linkage *linkage, guint joint)
{
  double reach = 0;

  for (int i = (int) joint; linkage->parents[i] >= 0; i = linkage->parents[i])
    reach += kg_vector_distance (linkage->points[i], linkage->points[linkage->parents[i]]);
  return reach;
}

void
linkage_draw (const Linkage *linkage, uint64_t seed, uint64_t id, double *values)
{
  for (guint k = 0; k < linkage->n; k++) {
    const LinkageFreedom *freedom = &linkage->freedoms[k];
    const double widest = freedom->kind == LINKAGE_SLIDE ? 1 : KG_PI;
    const double low = isfinite (freedom->low) ? freedom->low : fmin (-widest, freedom->high - 2 * widest);
    const double high = isfinite (freedom->high) ? freedom->high : fmax (widest, low + 2 * widest);

    values[k] = kg_lerp (low, high, kg_random_uniform (seed, id, k));
  }
}

guint
linkage_get_generic_rank (const Linkage *linkage, const KgSkeleton *skeleton, guint joint, guint row, guint n_rows)
{
  g_autoptr (KgSkeleton) copy = kg_skeleton_ref (skeleton);
  g_autofree double *values = g_new (double, MAX (linkage->n, 1));
  g_autofree double *jacobian = g_new (double, 6 * (gsize) MAX (linkage->n, 1));
  g_auto (Linkage) posed = { 0 };
  guint rank = 0;

  if (linkage->n == 0)
    return 0;
  kg_skeleton_make_writable (&copy);
  linkage_init (&posed, copy);
  for (uint64_t pose = 0; pose < 3; pose++) {
    Matrix rows = { n_rows, linkage->n, jacobian + (gsize) row * linkage->n };
    g_autoptr (MatrixSvd) svd = NULL;

    linkage_draw (&posed, 1, pose, values);
    linkage_set_values (&posed, copy, values);
    linkage_update (&posed, copy);
    linkage_get_jacobian (&posed, joint, posed.points[joint], jacobian);
    svd = matrix_svd_new (&rows, NULL);
    if (svd != NULL && svd->w[0] > 0)
      rank = MAX (rank, matrix_svd_get_rank (svd, 1e-9));
  }
  return rank;
}

/* The product of the singular values of three long rows, from the eigenvalues of J Jᵀ, whose squares lose half of the digits:
 * false where the smallest is not clearly there. */
static bool
get_product_of_three (const Matrix *rows, double *product)
{
  const double *x = rows->a, *y = rows->a + rows->n_columns, *z = y + rows->n_columns;
  SymmetricMatrix squares = { 0 };
  double values[3];
  KgVector axes[3];

  for (size_t k = 0; k < rows->n_columns; k++)
    squares = symmetric_matrix_add_square (squares, 1, kg_vector (x[k], y[k], z[k]));
  symmetric_matrix_decompose (squares, values, axes);
  if (!(values[0] > 1e-6 * values[2]))
    return false;
  *product = sqrt (values[0] * values[1] * values[2]);
  return true;
}

double
linkage_get_manipulability (const Linkage *linkage, const KgSkeleton *skeleton, guint joint, guint row, guint n_rows,
                            bool *singular)
{
  g_autofree double *jacobian = g_new (double, 6 * (gsize) MAX (linkage->n, 1));
  Matrix rows = { n_rows, linkage->n, jacobian + (gsize) row * linkage->n };
  g_autoptr (MatrixSvd) svd = NULL;
  double product = 1;
  guint rank;

  *singular = false;
  if (linkage->n == 0)
    return 0;
  linkage_get_jacobian (linkage, joint, linkage->points[joint], jacobian);
  if (n_rows == 3 && get_product_of_three (&rows, &product))
    return product;
  product = 1;
  svd = matrix_svd_new (&rows, NULL);
  if (svd == NULL)
    return 0;
  rank = svd->w[0] > 0 ? matrix_svd_get_rank (svd, 1e-6) : 0;
  /* Where all rows are independent no other pose can have more. */
  if (rank < svd->n) {
    const guint most = linkage_get_generic_rank (linkage, skeleton, joint, row, n_rows);

    *singular = rank < most;
    rank = MAX (rank, most);
  }
  for (guint k = 0; k < rank; k++)
    product *= svd->w[k];
  return rank > 0 ? product : 0;
}

void
linkage_get_numeric_jacobian (LinkageFunctions functions, gpointer data, guint n_functions, guint n, double *x,
                              double *jacobian)
{
  g_autofree double *before = g_new (double, n_functions), *after = g_new (double, n_functions);

  for (guint j = 0; j < n; j++) {
    const double at = x[j], step = 6e-6 * fmax (1, fabs (at));

    x[j] = at - step;
    functions (x, before, data);
    x[j] = at + step;
    functions (x, after, data);
    x[j] = at;
    for (guint i = 0; i < n_functions; i++)
      jacobian[(gsize) i * n + j] = (after[i] - before[i]) / (2 * step);
  }
}

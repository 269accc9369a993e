/* bone_solids: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/bone_solids.h"

static void
bone_solids_add (KgGeometry *out, size_t first, KgVector a, KgVector b, double width)
{
  static const uint32_t faces[8][3] = { { 0, 2, 1 }, { 0, 3, 2 }, { 0, 4, 3 }, { 0, 1, 4 },
                                        { 5, 1, 2 }, { 5, 2, 3 }, { 5, 3, 4 }, { 5, 4, 1 } };
  const KgVector axis = kg_vector_normalize_or (kg_vector_subtract (b, a), kg_vector (1, 0, 0));
  const KgVector u = kg_vector_perpendicular (axis), v = kg_vector_cross (axis, u);
  const KgVector waist = kg_vector_lerp (a, b, 0.15);
  const KgVector corners[] = { a,
                               kg_vector_add_scaled (waist, width, u),
                               kg_vector_add_scaled (waist, width, v),
                               kg_vector_add_scaled (waist, -width, u),
                               kg_vector_add_scaled (waist, -width, v),
                               b };
  float *p = kg_geometry_edit_positions (out) + 3 * first;

  for (int i = 0; i < 6; i++)
    for (int c = 0; c < 3; c++)
      *p++ = (float) kg_vector_get (corners[i], c);
  for (int f = 0; f < 8; f++) {
    const uint32_t vertices[] = { (uint32_t) first + faces[f][0], (uint32_t) first + faces[f][1],
                                  (uint32_t) first + faces[f][2] };

    kg_geometry_add_primitives (out, KG_POLYGON, true, 1, 3, vertices);
  }
}

KgGeometry *
bone_solids_new (const KgSkeleton *skeleton, double width, GError **error)
{
  const guint n = kg_skeleton_get_n_joints (skeleton);
  g_autofree KgTransform *world = g_new (KgTransform, MAX (n, 1));
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  size_t bones = 0;

  kg_skeleton_get_world (skeleton, world);
  for (guint i = 0; i < n; i++)
    bones += kg_skeleton_get_joint (skeleton, i)->parent >= 0;
  if (!kg_geometry_set_n_points (geometry, 6 * bones, error))
    return NULL;
  bones = 0;
  for (guint i = 0; i < n; i++) {
    const int parent = kg_skeleton_get_joint (skeleton, i)->parent;

    if (parent >= 0)
      bone_solids_add (geometry, 6 * bones++, kg_transform_get_place (&world[parent]),
                       kg_transform_get_place (&world[i]), width);
  }
  return g_steal_pointer (&geometry);
}

/* convex_plane: where a convex shape touches what is behind a plane, see convex_shape.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/convex_shape_private.h"

static size_t
count_corners (const ConvexShape *shape)
{
  switch (shape->kind) {
  case CONVEX_BOX:
    return 8;
  case CONVEX_CAPSULE:
    return 2;
  case CONVEX_HULL:
    return shape->faces->n_points;
  default:
    return 1;
  }
}

static KgVector
get_corner (const ConvexPlaced *placed, size_t i)
{
  const ConvexShape *shape = placed->shape;
  KgVector local = { 0, 0, 0 };

  if (shape->kind == CONVEX_BOX)
    local = kg_vector ((i & 1) != 0 ? shape->half.x : -shape->half.x, (i & 2) != 0 ? shape->half.y : -shape->half.y,
                       (i & 4) != 0 ? shape->half.z : -shape->half.z);
  else if (shape->kind == CONVEX_CAPSULE)
    local.y = i == 0 ? -shape->half.y : shape->half.y;
  else if (shape->kind == CONVEX_HULL)
    local = shape->faces->points[i];
  return kg_vector_add (placed->position, convex_to_world (placed, local));
}

bool
convex_find_plane_contacts (const ConvexPlaced *a, KgVector normal, double distance, double margin,
                            ConvexManifold *manifold)
{
  const size_t n = count_corners (a->shape);
  ConvexContact contacts[64];
  guint kept = 0;

  *manifold = (ConvexManifold){ .way = CONVEX_BY_DISTANCE, .normal = normal, .depth = -INFINITY };
  for (size_t i = 0; i < n; i++) {
    const KgVector core = get_corner (a, i), x = kg_vector_add_scaled (core, -a->shape->radius, normal);
    const double gap = kg_vector_dot (normal, x) - distance;

    if (-gap > manifold->depth) {
      manifold->depth = -gap;
      manifold->on_a = x;
      manifold->on_b = kg_vector_add_scaled (x, -gap, normal);
    }
    if (gap > margin)
      continue;
    /* Of very many corners, those that have been found already make room for what is deepest. */
    if (kept == G_N_ELEMENTS (contacts)) {
      convex_keep_contacts (manifold, contacts, kept);
      kept = manifold->n;
      memcpy (contacts, manifold->contacts, kept * sizeof *contacts);
    }
    contacts[kept++] = (ConvexContact){ kg_vector_add_scaled (x, -0.5 * gap, normal), -gap, (uint32_t) i };
  }
  if (kept == 0) {
    manifold->way = CONVEX_APART;
    return false;
  }
  convex_keep_contacts (manifold, contacts, kept);
  return true;
}

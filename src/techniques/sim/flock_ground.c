/* flock_ground: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_ground.h"

#include "kg-error.h"

FlockGround *
flock_ground_new (const KgGeometry *geometry, bool nearest, const KgProgressMonitor *monitor, GError **error)
{
  TriangleMesh *mesh = triangle_mesh_new (geometry, monitor, error);
  FlockGround *ground;

  if (mesh == NULL)
    return NULL;
  if (mesh->n == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the ground has no polygons: link a mesh, such as a Grid");
    triangle_mesh_free (mesh);
    return NULL;
  }
  ground = g_new (FlockGround, 1);
  *ground = (FlockGround){ mesh, nearest };
  return ground;
}

void
flock_ground_free (FlockGround *ground)
{
  triangle_mesh_free (ground->mesh);
  g_free (ground);
}

static KgVector
get_normal (const FlockGround *ground, uint32_t triangle)
{
  KgVector corners[3];

  triangle_mesh_get_corners (ground->mesh, triangle, corners);
  return kg_vector_normalize_or (
      kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
      kg_vector (0, 1, 0));
}

bool
flock_ground_find (const FlockGround *ground, KgVector x, KgVector *place, KgVector *normal)
{
  /* From a little above, so that who sank in by rounding stands on what it sank into. */
  const double above = 1e-3 * ground->mesh->size, far = 1e6 * (ground->mesh->size + fabs (x.y) + 1);
  const KgVector from = kg_vector_add (x, kg_vector (0, above, 0));
  double t = far;
  uint32_t triangle;

  if (ground->nearest) {
    const MeshNearest nearest = triangle_mesh_find_nearest (ground->mesh, x);

    *place = nearest.point;
    *normal = get_normal (ground, nearest.triangle);
    return true;
  }
  if (triangle_mesh_hit (ground->mesh, from, kg_vector (0, -1, 0), &t, &triangle))
    *place = kg_vector_add (from, kg_vector (0, -t, 0));
  else {
    t = far;
    if (!triangle_mesh_hit (ground->mesh, from, kg_vector (0, 1, 0), &t, &triangle))
      return false;
    *place = kg_vector_add (from, kg_vector (0, t, 0));
  }
  *normal = get_normal (ground, triangle);
  if (normal->y < 0)
    *normal = kg_vector_scale (*normal, -1);
  return true;
}

double
flock_ground_get_speed (KgVector heading, KgVector normal, double max_slope)
{
  const KgVector along =
      kg_vector_normalize_or (kg_vector_add_scaled (heading, -kg_vector_dot (heading, normal), normal), heading);
  const double slope = asin (kg_clamp (along.y, -1, 1));

  if (!(slope > 0))
    return 1;
  return max_slope > 0 ? fmax (0.1, 1 - slope / max_slope) : 0.1;
}

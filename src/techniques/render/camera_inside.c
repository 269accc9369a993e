/* camera_inside: whether a camera stands inside of something.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/camera_inside.h"

#include "geometry/triangle.h"
#include "kg-floats.h"

typedef struct {
  KgVector low, high;
} Box;

static bool
box_holds (const Box *box, KgVector p)
{
  return p.x >= box->low.x && p.y >= box->low.y && p.z >= box->low.z && p.x <= box->high.x && p.y <= box->high.y &&
         p.z <= box->high.z;
}

static KgVector
box_get_corner (const Box *box, guint i)
{
  return kg_vector (i & 1 ? box->high.x : box->low.x, i & 2 ? box->high.y : box->low.y,
                    i & 4 ? box->high.z : box->low.z);
}

/* How often the faces wind around a place of their own space. */
static double
get_winding (const KgGeometry *geometry, KgVector place)
{
  const float *p = kg_geometry_get_positions (geometry);
  double sum = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive face;

    kg_geometry_get_primitive (geometry, i, &face);
    if (face.kind != KG_POLYGON)
      continue;
    for (uint32_t v = 1; v + 1 < face.n_vertices; v++)
      sum += triangle_get_solid_angle ((const KgVector[]){ kg_floats_get_vector (p, face.vertices[0]),
                                                           kg_floats_get_vector (p, face.vertices[v]),
                                                           kg_floats_get_vector (p, face.vertices[v + 1]) },
                                       place);
  }
  return sum / (4 * KG_PI);
}

/* Whether the box around another object, where that stands first, is all within one in its own space. */
static bool
holds_another (const KgScene *scene, guint index, const Box *box, KgTransform into)
{
  for (guint i = 0; i < kg_scene_get_n_objects (scene); i++) {
    const KgObject *other = kg_scene_get_object (scene, i);
    KgInstancePlaces placement;
    KgTransform way;
    Box its;
    guint n = 0;

    if (i == index || kg_object_get_n_instances (other) == 0 ||
        !kg_geometry_get_bounds (other->geometry, &its.low, &its.high))
      continue;
    kg_object_get_placement (other, &placement);
    way = kg_transform_multiply (into, kg_object_get_instance (other, &placement, 0));
    for (guint c = 0; c < 8; c++)
      n += box_holds (box, kg_transform_point (way, box_get_corner (&its, c)));
    if (n == 8)
      return true;
  }
  return false;
}

int64_t
camera_inside_find (const KgScene *scene, KgVector place)
{
  for (guint i = 0; i < kg_scene_get_n_objects (scene); i++) {
    const KgObject *object = kg_scene_get_object (scene, i);
    KgInstancePlaces placement;
    Box box;

    if ((double) object->material.color.a < 1 || !kg_geometry_get_bounds (object->geometry, &box.low, &box.high))
      continue;
    kg_object_get_placement (object, &placement);
    for (size_t k = 0; k < kg_object_get_n_instances (object); k++) {
      KgTransform into;
      KgVector at;

      if (!kg_transform_invert (kg_object_get_instance (object, &placement, k), &into))
        continue;
      at = kg_transform_point (into, place);
      /* A place in the box is what costs a look at all faces. */
      if (box_holds (&box, at) && fabs (get_winding (object->geometry, at)) > 0.5 &&
          !holds_another (scene, i, &box, into))
        return i;
    }
  }
  return -1;
}

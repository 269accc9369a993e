/* kg-snap: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-snap.h"

#include "config.h"
#include "kg-scene.h"

#include <string.h>

/* More points than anyone can tell apart, in all; what would exceed them is left out, since all are looked at while it moves. */
#define MAX_POINTS ((size_t) 1 << 20)

typedef struct {
  KgGeometry *geometry;
  KgTransform transform;
} Shape;

struct _KgSnapShapes {
  GPtrArray *stage; /* (nullable) */
  GArray *shapes;   /* Shape; NULL until a point is searched for */
  size_t n_points;
};

static void
clear_shape (gpointer data)
{
  kg_geometry_unref (((Shape *) data)->geometry);
}

static void
add_shape (KgSnapShapes *self, const KgGeometry *geometry, KgTransform transform)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  const Shape shape = { kg_geometry_ref (geometry), transform };

  if (n > MAX_POINTS - self->n_points) {
    kg_geometry_unref (shape.geometry);
    return;
  }
  self->n_points += n;
  g_array_append_val (self->shapes, shape);
}

static bool
add_instance (const KgObject *object, const KgTransform *transform, gpointer data)
{
  KgSnapShapes *self = (KgSnapShapes *) data;

  if (kg_geometry_get_n_points (object->geometry) > MAX_POINTS - self->n_points)
    return false;
  add_shape (self, object->geometry, *transform);
  return true;
}

KgSnapShapes *
kg_snap_shapes_new (const GPtrArray *stage)
{
  KgSnapShapes *self = g_rc_box_new0 (KgSnapShapes);

  if (stage != NULL)
    self->stage = g_ptr_array_ref ((GPtrArray *) stage);
  return self;
}

/* Each result has a stage, and few are snapped to: what is on it is listed when that is requested the first time. */
static const GArray *
get_shapes (KgSnapShapes *self)
{
  if (self->shapes != NULL)
    return self->shapes;
  self->shapes = g_array_new (FALSE, FALSE, sizeof (Shape));
  g_array_set_clear_func (self->shapes, clear_shape);
  for (guint i = 0; self->stage != NULL && i < self->stage->len; i++) {
    const KgStageItem *item = (const KgStageItem *) g_ptr_array_index (self->stage, i);

    if (item->has_value && item->value.kind == KG_GEOMETRY)
      add_shape (self, item->value.geometry, kg_transform_identity ());
    else if (item->has_value && item->value.kind == KG_SCENE)
      kg_scene_each_instance (item->value.scene, add_instance, self);
  }
  return self->shapes;
}

static void
clear (gpointer data)
{
  KgSnapShapes *self = (KgSnapShapes *) data;

  g_clear_pointer (&self->shapes, g_array_unref);
  g_clear_pointer (&self->stage, g_ptr_array_unref);
}

KgSnapShapes *
kg_snap_shapes_ref (KgSnapShapes *self)
{
  return (KgSnapShapes *) g_rc_box_acquire (self);
}

void
kg_snap_shapes_unref (KgSnapShapes *self)
{
  g_rc_box_release_full (self, clear);
}

static KgVector
get_point (const Shape *shape, size_t i)
{
  const float *p = kg_geometry_get_positions (shape->geometry) + 3 * i;

  return kg_transform_point (shape->transform, kg_vector ((double) p[0], (double) p[1], (double) p[2]));
}

static bool
is_one_of (KgVector at, const GArray *places)
{
  for (guint i = 0; i < places->len; i++)
    if (kg_vector_distance (at, g_array_index (places, KgVector, i)) < 1e-6 * (1 + kg_vector_length (at)))
      return true;
  return false;
}

bool
kg_snap_find_point (KgSnapShapes *before, KgSnapShapes *now, const KgProjection *p, double x, double y,
                    const GArray *without, double *distance, KgVector *at)
{
  const GArray *before_shapes = get_shapes (before), *shapes = get_shapes (now);
  bool found = false;

  /* Another number of things: nothing is known to have stayed. */
  if (before_shapes->len != shapes->len)
    return false;
  for (guint i = 0; i < shapes->len; i++) {
    const Shape *old = &g_array_index (before_shapes, Shape, i), *shape = &g_array_index (shapes, Shape, i);
    const size_t n = kg_geometry_get_n_points (shape->geometry);
    const bool same = old->geometry == shape->geometry &&
                      memcmp (&old->transform, &shape->transform, sizeof old->transform) == 0;

    if (n > MAX_POINTS || n != kg_geometry_get_n_points (old->geometry))
      continue;
    for (size_t k = 0; k < n; k++) {
      const KgVector point = get_point (shape, k);
      double px, py, away;

      if (!kg_projection_map (p, point, &px, &py))
        continue;
      away = hypot (px - x, py - y);
      if (away >= *distance || is_one_of (point, without) ||
          (!same && kg_vector_distance (point, get_point (old, k)) > 0))
        continue;
      *distance = away;
      *at = point;
      found = true;
    }
  }
  return found;
}

KgVector
kg_snap_angle (KgVector from, KgVector to, const KgProjection *p, double *angle)
{
  const KgVector d = kg_vector_subtract (to, from);
  const bool flat = d.z == 0 && fabs (p->forward.z) > 0.5;
  const KgVector right = flat ? kg_vector (1, 0, 0) : p->right, up = flat ? kg_vector (0, 1, 0) : p->up;
  const double x = kg_vector_dot (d, right), y = kg_vector_dot (d, up), length = hypot (x, y);
  const double step = KG_SNAP_ANGLE_STEP * KG_DEGREE, turned = step * nearbyint (atan2 (y, x) / step);
  KgVector along = kg_vector_subtract (d, kg_vector_add (kg_vector_scale (right, x), kg_vector_scale (up, y)));

  *angle = turned / KG_DEGREE;
  along = kg_vector_add_scaled (along, length * cos (turned), right);
  return kg_vector_add (from, kg_vector_add_scaled (along, length * sin (turned), up));
}

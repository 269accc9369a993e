/* kg-instance-places: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-instance-places.h"
#include "kg-floats.h"

void
kg_instance_places_init (KgInstancePlaces *placement, const KgGeometry *points, double size, bool turns)
{
  *placement = (KgInstancePlaces){ .p = kg_geometry_get_positions (points),
                                   .width = kg_geometry_get_float (points, KG_POINTS, "width", 1),
                                   .normal = kg_geometry_get_float (points, KG_POINTS, "N", 3),
                                   .tangent = kg_geometry_get_float (points, KG_POINTS, "tangent", 3),
                                   .orient = kg_geometry_get_float (points, KG_POINTS, "orient", 4),
                                   .scale = kg_geometry_get_float (points, KG_POINTS, "scale", 3),
                                   .color_size = 4,
                                   .n = kg_geometry_get_n_points (points),
                                   .size = size,
                                   .turns = turns };
  placement->color = kg_geometry_get_float (points, KG_POINTS, "Cd", 4);
  if (placement->color == NULL) {
    placement->color_size = 3;
    placement->color = kg_geometry_get_float (points, KG_POINTS, "Cd", 3);
  }
}

KgRotation
kg_instance_places_get_rotation (const KgInstancePlaces *placement, size_t i)
{
  const float *d = placement->normal != NULL ? placement->normal : placement->tangent;

  if (placement->turns && placement->orient != NULL) {
    const float *q = placement->orient + 4 * i;

    return kg_rotation_normalize (kg_floats_get_rotation (q, 0));
  }
  if (!placement->turns || d == NULL)
    return kg_rotation_identity ();
  return kg_rotation_between (placement->normal != NULL ? kg_vector (0, 0, 1) : kg_vector (1, 0, 0),
                              kg_floats_get_vector (d, i));
}

double
kg_instance_places_get_size (const KgInstancePlaces *placement, size_t i)
{
  return placement->size * (placement->width != NULL ? (double) placement->width[i] : 1);
}

KgTransform
kg_instance_places_get_transform (const KgInstancePlaces *placement, size_t i)
{
  const float *p = placement->p + 3 * i;
  const double s = kg_instance_places_get_size (placement, i);
  KgVector axes = { s, s, s };

  if (placement->scale != NULL) {
    const float *scale = placement->scale + 3 * i;

    axes = kg_vector (s * (double) scale[0], s * (double) scale[1], s * (double) scale[2]);
  }
  return kg_transform_from_parts (kg_floats_get_vector (p, 0), kg_instance_places_get_rotation (placement, i), axes);
}

KgColor
kg_instance_places_get_color (const KgInstancePlaces *placement, size_t i)
{
  const float *c = placement->color != NULL ? placement->color + placement->color_size * i : NULL;

  if (c == NULL)
    return (KgColor){ 1, 1, 1, 1 };
  return (KgColor){ (double) c[0], (double) c[1], (double) c[2], placement->color_size == 4 ? (double) c[3] : 1 };
}

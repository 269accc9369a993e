/* particle_screen: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_screen.h"

/* Whether a ball is quite beyond a side of the image: a plane through the camera, at a share t across per depth. */
static bool
is_beside (double across, double depth, double t, double radius)
{
  return fabs (across) - depth * t > radius * sqrt (1 + t * t);
}

double
particle_screen_get_area (const KgCamera *camera, KgVector center, double radius, double width, double height)
{
  const KgVector x = kg_transform_direction (camera->transform, kg_vector (1, 0, 0));
  const KgVector y = kg_transform_direction (camera->transform, kg_vector (0, 1, 0));
  const KgVector z = kg_transform_direction (camera->transform, kg_vector (0, 0, 1));
  const KgVector to = kg_vector_subtract (center, kg_transform_get_place (&camera->transform));
  const KgVector c = { kg_vector_dot (to, kg_vector_normalize_or (x, kg_vector (1, 0, 0))),
                       kg_vector_dot (to, kg_vector_normalize_or (y, kg_vector (0, 1, 0))),
                       -kg_vector_dot (to, kg_vector_normalize_or (z, kg_vector (0, 0, 1))) };
  const double tangent = tan (0.5 * camera->fov), f = 0.5 * height / tangent, whole = width * height;
  const double inner = c.z * c.z - radius * radius;

  if (!(radius > 0))
    return 0;
  if (camera->orthographic) {
    const double scale = height / camera->height;

    if (fabs (c.x) - radius > 0.5 * width / scale || fabs (c.y) - radius > 0.5 * height / scale)
      return 0;
    return fmin (whole, KG_PI * radius * radius * scale * scale);
  }
  if (c.z <= -radius)
    return 0;
  if (inner <= 0 || kg_vector_length (c) <= radius)
    return whole;
  if (is_beside (c.x, c.z, tangent * width / height, radius) || is_beside (c.y, c.z, tangent, radius))
    return 0;
  return fmin (whole, KG_PI * f * f * radius * radius * sqrt (kg_vector_dot (c, c) - radius * radius) /
                          (inner * sqrt (inner)));
}

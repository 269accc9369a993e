/* kg-projection: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-projection.h"

#define MAX_PITCH (0.4999 * KG_PI)
#define NEAREST 1e-6

KgVector
kg_orbit_get_eye (const KgOrbit *orbit)
{
  const KgVector direction = { cos (orbit->pitch) * sin (orbit->yaw), sin (orbit->pitch),
                               cos (orbit->pitch) * cos (orbit->yaw) };

  return kg_vector_add_scaled (orbit->target, orbit->distance, direction);
}

void
kg_orbit_drag (KgOrbit *orbit, double dx, double dy)
{
  orbit->yaw -= 0.008 * dx;
  orbit->pitch = kg_clamp (orbit->pitch + 0.008 * dy, -MAX_PITCH, MAX_PITCH);
}

static void
get_axes (const KgOrbit *orbit, KgVector *right, KgVector *up, KgVector *forward)
{
  *forward =
      kg_vector_normalize_or (kg_vector_subtract (orbit->target, kg_orbit_get_eye (orbit)), kg_vector (0, 0, -1));
  *right = kg_vector_normalize_or (kg_vector_cross (*forward, kg_vector (0, 1, 0)), kg_vector (1, 0, 0));
  *up = kg_vector_cross (*right, *forward);
}

void
kg_orbit_pan (KgOrbit *orbit, double dx, double dy, double height)
{
  const double metres = 2 * orbit->distance * tan (0.5 * orbit->fov) / fmax (height, 1);
  KgVector right, up, forward;

  get_axes (orbit, &right, &up, &forward);
  orbit->target = kg_vector_add_scaled (orbit->target, -dx * metres, right);
  orbit->target = kg_vector_add_scaled (orbit->target, dy * metres, up);
}

void
kg_orbit_dolly (KgOrbit *orbit, double factor)
{
  orbit->distance = kg_clamp (orbit->distance * factor, 1e-4, 1e7);
}

void
kg_orbit_frame (KgOrbit *orbit, KgVector low, KgVector high, double aspect)
{
  const double radius = fmax (0.5 * kg_vector_distance (low, high), NEAREST);
  const double half = atan (tan (0.5 * orbit->fov) * fmin (aspect, 1));

  orbit->target = kg_vector_lerp (low, high, 0.5);
  orbit->distance = 1.05 * radius / sin (half);
}

void
kg_projection_from_orbit (KgProjection *p, const KgOrbit *orbit, double width, double height)
{
  *p = (KgProjection){ .width = width, .height = height, .eye = kg_orbit_get_eye (orbit) };
  get_axes (orbit, &p->right, &p->up, &p->forward);
  p->focal = 0.5 * height / tan (0.5 * orbit->fov);
}

void
kg_projection_from_drawing (KgProjection *p, KgVector center, double view_height, double picture_width,
                            double picture_height, double x, double y, double zoom)
{
  const double scale = zoom * picture_height / view_height;

  *p = (KgProjection){ .flat = true,
                       .width = zoom * picture_width,
                       .height = zoom * picture_height,
                       .origin_x = x + 0.5 * zoom * picture_width - center.x * scale,
                       .origin_y = y + 0.5 * zoom * picture_height + center.y * scale,
                       .scale = scale };
}

bool
kg_projection_map (const KgProjection *p, KgVector world, double *x, double *y)
{
  const KgVector d = kg_vector_subtract (world, p->eye);
  double depth;

  if (p->flat) {
    *x = p->origin_x + p->scale * world.x;
    *y = p->origin_y - p->scale * world.y;
    return true;
  }
  depth = kg_vector_dot (d, p->forward);
  if (!(depth > NEAREST))
    return false;
  *x = 0.5 * p->width + p->focal * kg_vector_dot (d, p->right) / depth;
  *y = 0.5 * p->height - p->focal * kg_vector_dot (d, p->up) / depth;
  return true;
}

KgVector
kg_projection_unmap (const KgProjection *p, double x, double y, KgVector near_to)
{
  KgVector ray;
  double depth;

  if (p->flat)
    return kg_vector ((x - p->origin_x) / p->scale, (p->origin_y - y) / p->scale, near_to.z);
  depth = kg_vector_dot (kg_vector_subtract (near_to, p->eye), p->forward);
  ray = kg_vector_add_scaled (p->forward, (x - 0.5 * p->width) / p->focal, p->right);
  ray = kg_vector_add_scaled (ray, (0.5 * p->height - y) / p->focal, p->up);
  return kg_vector_add_scaled (p->eye, depth, ray);
}

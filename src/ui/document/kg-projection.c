/* kg-projection: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-projection.h"

#define MAX_PITCH (0.4999 * KG_PI)
#define NEAREST 1e-6
/* Sine of the angle below which a ray runs along a plane or a line (squared for the line). */
#define ALONG 1e-4

KgVector
kg_orbit_get_eye (const KgOrbit *orbit)
{
  const KgVector direction = { cos (orbit->pitch) * sin (orbit->yaw), sin (orbit->pitch),
                               cos (orbit->pitch) * cos (orbit->yaw) };

  return kg_vector_add_scaled (orbit->target, orbit->distance, direction);
}

double
kg_orbit_get_height (const KgOrbit *orbit)
{
  return 2 * orbit->distance * tan (0.5 * orbit->fov);
}

void
kg_orbit_set_eye (KgOrbit *orbit, KgVector eye, KgVector target)
{
  const KgVector away = kg_vector_subtract (eye, target);
  const double distance = kg_vector_length (away);

  orbit->target = target;
  orbit->distance = kg_clamp (distance, 1e-4, 1e7);
  orbit->pitch = kg_clamp (asin (kg_clamp (away.y / fmax (distance, NEAREST), -1, 1)), -MAX_PITCH, MAX_PITCH);
  if (hypot (away.x, away.z) > 0)
    orbit->yaw = atan2 (away.x, away.z);
}

void
kg_orbit_drag (KgOrbit *orbit, double dx, double dy)
{
  orbit->yaw -= 0.008 * dx;
  orbit->pitch = kg_clamp (orbit->pitch + 0.008 * dy, -MAX_PITCH, MAX_PITCH);
}

static void
get_axes (KgVector eye, KgVector target, KgVector *right, KgVector *up, KgVector *forward)
{
  *forward = kg_vector_normalize_or (kg_vector_subtract (target, eye), kg_vector (0, 0, -1));
  *right = kg_vector_normalize_or (kg_vector_cross (*forward, kg_vector (0, 1, 0)), kg_vector (1, 0, 0));
  *up = kg_vector_cross (*right, *forward);
}

void
kg_orbit_pan (KgOrbit *orbit, double dx, double dy, double height)
{
  const double metres = kg_orbit_get_height (orbit) / fmax (height, 1);
  KgVector right, up, forward;

  get_axes (kg_orbit_get_eye (orbit), orbit->target, &right, &up, &forward);
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
  *p = (KgProjection){ .center_x = 0.5 * width, .center_y = 0.5 * height, .eye = kg_orbit_get_eye (orbit) };
  get_axes (p->eye, orbit->target, &p->right, &p->up, &p->forward);
  p->focal = 0.5 * height / tan (0.5 * orbit->fov);
  p->parallel = orbit->parallel;
  if (orbit->parallel)
    p->focal = height / kg_orbit_get_height (orbit);
}

void
kg_projection_from_drawing (KgProjection *p, KgVector center, double view_height, double image_width,
                            double image_height, double x, double y, double zoom)
{
  *p = (KgProjection){ .parallel = true,
                       .center_x = x + 0.5 * zoom * image_width,
                       .center_y = y + 0.5 * zoom * image_height,
                       .eye = center,
                       .right = { 1, 0, 0 },
                       .up = { 0, 1, 0 },
                       .forward = { 0, 0, -1 },
                       .focal = zoom * image_height / view_height };
}

void
kg_projection_from_camera (KgProjection *p, const KgCamera *camera, double x, double y, double width, double height)
{
  const KgTransform t = camera->transform;
  const KgVector back = kg_transform_get_column (&t, 2), up = kg_transform_get_column (&t, 1);

  *p = (KgProjection){ .parallel = camera->orthographic,
                       .center_x = x + 0.5 * width,
                       .center_y = y + 0.5 * height,
                       .eye = kg_transform_get_place (&t),
                       .forward = kg_vector_normalize_or (kg_vector_scale (back, -1), kg_vector (0, 0, -1)),
                       .up = kg_vector_normalize_or (up, kg_vector (0, 1, 0)),
                       .focal = camera->orthographic ? height / camera->height
                                                     : 0.5 * height / tan (0.5 * camera->fov) };
  p->right = kg_vector_cross (p->forward, p->up);
}

static double
get_depth (const KgProjection *p, KgVector at)
{
  return kg_vector_dot (kg_vector_subtract (at, p->eye), p->forward);
}

bool
kg_projection_map (const KgProjection *p, KgVector world, double *x, double *y)
{
  const KgVector d = kg_vector_subtract (world, p->eye);
  const double depth = get_depth (p, world), scale = p->parallel ? p->focal : p->focal / depth;

  if (!p->parallel && !(depth > NEAREST))
    return false;
  *x = p->center_x + scale * kg_vector_dot (d, p->right);
  *y = p->center_y - scale * kg_vector_dot (d, p->up);
  return true;
}

KgVector
kg_projection_unmap (const KgProjection *p, double x, double y, KgVector near_to)
{
  const double depth = get_depth (p, near_to), metres = p->parallel ? 1 / p->focal : depth / p->focal;
  KgVector at = kg_vector_add_scaled (p->eye, depth, p->forward);

  at = kg_vector_add_scaled (at, (x - p->center_x) * metres, p->right);
  return kg_vector_add_scaled (at, (p->center_y - y) * metres, p->up);
}

double
kg_projection_get_metres (const KgProjection *p, KgVector at)
{
  return (p->parallel ? 1 : fmax (get_depth (p, at), NEAREST)) / p->focal;
}

KgVector
kg_projection_get_view_direction (const KgProjection *p, KgVector at)
{
  return p->parallel ? p->forward : kg_vector_normalize_or (kg_vector_subtract (at, p->eye), p->forward);
}

KgRay
kg_projection_get_ray (const KgProjection *p, double x, double y)
{
  const double right = (x - p->center_x) / p->focal, up = (p->center_y - y) / p->focal;
  const KgVector aside = kg_vector_add (kg_vector_scale (p->right, right), kg_vector_scale (p->up, up));

  if (p->parallel)
    return (KgRay){ kg_vector_add (p->eye, aside), p->forward };
  return (KgRay){ p->eye, kg_vector_normalize_or (kg_vector_add (p->forward, aside), p->forward) };
}

bool
kg_ray_intersect_plane (const KgRay *ray, KgVector at, KgVector normal, KgVector *meeting)
{
  const double along = kg_vector_dot (ray->direction, normal);
  const double t = kg_vector_dot (kg_vector_subtract (at, ray->from), normal) / along;

  if (fabs (along) < ALONG || !isfinite (t))
    return false;
  *meeting = kg_vector_add_scaled (ray->from, t, ray->direction);
  return true;
}

bool
kg_ray_meet_line (const KgRay *ray, KgVector at, KgVector direction, double *along)
{
  const KgVector between = kg_vector_subtract (ray->from, at);
  const double c = kg_vector_dot (ray->direction, direction), across = 1 - c * c;

  if (across < ALONG)
    return false;
  *along = (kg_vector_dot (between, direction) - c * kg_vector_dot (between, ray->direction)) / across;
  return isfinite (*along);
}

double
kg_angle_about (KgVector center, KgVector axis, KgVector a, KgVector b)
{
  KgVector u = kg_vector_subtract (a, center), v = kg_vector_subtract (b, center);

  u = kg_vector_add_scaled (u, -kg_vector_dot (u, axis), axis);
  v = kg_vector_add_scaled (v, -kg_vector_dot (v, axis), axis);
  return atan2 (kg_vector_dot (kg_vector_cross (u, v), axis), kg_vector_dot (u, v));
}

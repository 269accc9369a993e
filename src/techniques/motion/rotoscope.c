/* rotoscope: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/rotoscope.h"

/* A ray of a camera, or the two coordinates of a flat view in metres. */
static KgVector
get_direction (const RotoscopeView *view, const double pixel[2])
{
  const double x = view->sign * (pixel[0] - view->origin[0]) / view->scale;
  const double y = (view->y_down ? -1 : 1) * (pixel[1] - view->origin[1]) / view->scale;

  return view->camera
             ? kg_vector_normalize_or (kg_transform_direction (view->pose, kg_vector (x, y, -1)), kg_vector (0, 0, -1))
             : kg_vector (x, y, 0);
}

static bool
meet_rays (const RotoscopeView views[2], const KgVector d[2], KgVector *point, double *residual)
{
  const KgVector o[2] = { kg_transform_get_place (&views[0].pose), kg_transform_get_place (&views[1].pose) };
  const KgVector between = kg_vector_subtract (o[1], o[0]);
  const double cosine = kg_vector_dot (d[0], d[1]), determinant = 1 - cosine * cosine;
  const double a = kg_vector_dot (d[0], between), b = kg_vector_dot (d[1], between);
  KgVector p, q;

  if (!(determinant > 1e-9))
    return false;
  p = kg_vector_add_scaled (o[0], (a - b * cosine) / determinant, d[0]);
  q = kg_vector_add_scaled (o[1], (a * cosine - b) / determinant, d[1]);
  *point = kg_vector_lerp (p, q, 0.5);
  *residual = kg_vector_distance (p, q);
  return true;
}

bool
rotoscope_locate (const RotoscopeView views[2], const double front[2], const double side[2], KgVector *point,
                  double *residual)
{
  const KgVector d[2] = { get_direction (&views[0], front), get_direction (&views[1], side) };
  const double weights[2] = { views[0].scale * views[0].scale, views[1].scale * views[1].scale };

  if (views[0].camera)
    return meet_rays (views, d, point, residual);
  *point = kg_vector (d[0].x, (weights[0] * d[0].y + weights[1] * d[1].y) / (weights[0] + weights[1]), d[1].x);
  *residual = fabs (d[0].y - d[1].y);
  return true;
}

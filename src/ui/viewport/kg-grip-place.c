/* kg-grip-place: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-grip-place.h"

#define RING_RADIUS 60.0

/* A ring is drawn, and can be turned, unless it is looked at from its edge; an arrow unless it points at the eye. */
#define LEAST_FACING 0.06
#define MOST_FACING 0.985

bool
kg_place_map (const KgProjection *p, KgVector at, KgPlace *place)
{
  return kg_projection_map (p, at, &place->x, &place->y);
}

bool
kg_grip_is_seen (const KgGrip *grip, const KgProjection *p)
{
  const double facing = fabs (kg_vector_dot (grip->direction, kg_projection_get_view_direction (p, grip->at)));

  return grip->shape == KG_GRIP_POINT || (grip->shape == KG_GRIP_RING ? facing > LEAST_FACING : facing < MOST_FACING);
}

bool
kg_grip_map_along (const KgGrip *grip, const KgProjection *p, double pixels, KgPlace *place)
{
  return kg_place_map (
      p, kg_vector_add_scaled (grip->at, pixels * kg_projection_get_metres (p, grip->at), grip->direction), place);
}

KgVector
kg_grip_get_ring_point (const KgGrip *grip, const KgProjection *p, guint step)
{
  const double radius = RING_RADIUS * kg_projection_get_metres (p, grip->at), angle = 2 * KG_PI * step / KG_RING_STEPS;
  const KgVector u = kg_vector_perpendicular (grip->direction), v = kg_vector_cross (grip->direction, u);

  return kg_vector_add_scaled (kg_vector_add_scaled (grip->at, radius * cos (angle), u), radius * sin (angle), v);
}

double
kg_place_get_distance (KgPlace at, KgPlace a, KgPlace b, double *along)
{
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double t = square > 0 ? ((at.x - a.x) * dx + (at.y - a.y) * dy) / square : 0, on = kg_clamp (t, 0, 1);

  *along = t;
  return hypot (a.x + on * dx - at.x, a.y + on * dy - at.y);
}

double
kg_grip_get_distance (const KgGrip *grip, const KgProjection *p, KgPlace at)
{
  KgPlace a, b;
  double nearest = INFINITY, along;

  if (!kg_grip_is_seen (grip, p))
    return INFINITY;
  switch (grip->shape) {
  case KG_GRIP_POINT:
    return kg_place_map (p, grip->at, &a) ? hypot (a.x - at.x, a.y - at.y) : INFINITY;
  case KG_GRIP_AXIS:
    return kg_grip_map_along (grip, p, KG_ARROW_FROM, &a) && kg_grip_map_along (grip, p, KG_ARROW_TO, &b)
               ? kg_place_get_distance (at, a, b, &along)
               : INFINITY;
  case KG_GRIP_FACTOR:
    return kg_grip_map_along (grip, p, KG_BOX_AT, &a) ? hypot (a.x - at.x, a.y - at.y) : INFINITY;
  case KG_GRIP_RING:
  default:
    for (guint i = 0; i < KG_RING_STEPS; i++)
      if (kg_place_map (p, kg_grip_get_ring_point (grip, p, i), &a) &&
          kg_place_map (p, kg_grip_get_ring_point (grip, p, i + 1), &b))
        nearest = fmin (nearest, kg_place_get_distance (at, a, b, &along));
    return nearest;
  }
}

/* flight_frame: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flight_frame.h"

/* Nearer to the vertical than this sine, a heading has no left of its own. */
#define VERTICAL 1e-6
/* m/s²: less has no direction to bank to. */
#define WEIGHTLESS 1e-6

FlightFrame
flight_frame_level (KgVector forward, KgVector up, KgVector left)
{
  KgVector across = kg_vector_cross (up, forward);

  if (!(kg_vector_length (across) > VERTICAL)) {
    across = kg_vector_add_scaled (left, -kg_vector_dot (left, forward), forward);
    if (!(kg_vector_length (across) > VERTICAL))
      across = kg_vector_perpendicular (forward);
  }
  across = kg_vector_scale (across, 1 / kg_vector_length (across));
  return (FlightFrame){ forward, across, kg_vector_cross (forward, across) };
}

double
flight_frame_get_bank (const FlightFrame *level, KgVector a, KgVector gravity, double before)
{
  const KgVector lift = kg_vector_subtract (a, gravity);
  const double side = -kg_vector_dot (lift, level->left), up = kg_vector_dot (lift, level->up);

  return fabs (side) > WEIGHTLESS || fabs (up) > WEIGHTLESS ? atan2 (side, up) : before;
}

FlightFrame
flight_frame_bank (const FlightFrame *level, double bank)
{
  const double c = cos (bank), s = sin (bank);

  return (FlightFrame){ level->forward, kg_vector_add_scaled (kg_vector_scale (level->left, c), s, level->up),
                        kg_vector_add_scaled (kg_vector_scale (level->up, c), -s, level->left) };
}

KgRotation
flight_frame_get_rotation (const FlightFrame *frame)
{
  const KgVector x = frame->left, y = frame->up, z = frame->forward;

  return kg_rotation_from_transform (
      (KgTransform){ { { x.x, y.x, z.x, 0 }, { x.y, y.y, z.y, 0 }, { x.z, y.z, z.z, 0 }, { 0, 0, 0, 1 } } });
}

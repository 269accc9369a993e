/* agent_view: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_view.h"

static KgVector
get_direction (const AgentView *view, int row, int column)
{
  const double side = (column + 0.5 - 0.5 * AGENT_VIEW_WIDTH) * view->angle,
               up = (0.5 * AGENT_VIEW_HEIGHT - row - 0.5) * view->angle;

  return kg_vector (sin (side) * cos (up), sin (up), cos (side) * cos (up));
}

static KgVector
to_eye (const AgentView *view, KgVector place)
{
  const KgRotation back = { view->look.w, -view->look.x, -view->look.y, -view->look.z };

  return kg_rotation_apply (back, kg_vector_subtract (place, view->eye));
}

void
agent_view_begin (AgentView *view, KgVector eye, KgRotation look, double fov)
{
  view->eye = eye;
  view->look = kg_rotation_normalize (look);
  view->angle = fov / AGENT_VIEW_WIDTH;
  for (int i = 0; i < AGENT_VIEW_PIXELS; i++) {
    view->depth[i] = INFINITY;
    view->object[i] = -1;
  }
}

void
agent_view_add (AgentView *view, int32_t object, KgVector centre, double radius)
{
  const KgVector d = to_eye (view, centre);
  const double distance = kg_vector_length (d), outside = distance * distance - radius * radius;
  const double half = outside > 0 ? asin (radius / distance) : KG_PI;
  const double up = distance > 0 ? asin (kg_clamp (d.y / distance, -1, 1)) : 0;

  for (int row = 0; row < AGENT_VIEW_HEIGHT; row++) {
    const double at = (0.5 * AGENT_VIEW_HEIGHT - row - 0.5) * view->angle;

    if (fabs (at) > 0.5 * KG_PI || fabs (at - up) > half)
      continue;
    for (int column = 0; column < AGENT_VIEW_WIDTH; column++) {
      const double along = kg_vector_dot (get_direction (view, row, column), d);
      const double root = along * along - outside;
      const int pixel = row * AGENT_VIEW_WIDTH + column;
      float depth;

      if (root < 0 || (outside > 0 && along <= 0))
        continue;
      depth = (float) (outside > 0 ? along - sqrt (root) : 0);
      if (depth < view->depth[pixel] || (depth == view->depth[pixel] && object < view->object[pixel])) {
        view->depth[pixel] = depth;
        view->object[pixel] = object;
      }
    }
  }
}

void
agent_view_hide (AgentView *view, const TriangleMesh *walls)
{
  for (int pixel = 0; pixel < AGENT_VIEW_PIXELS; pixel++) {
    const KgVector way =
        view->object[pixel] >= 0
            ? kg_rotation_apply (view->look, get_direction (view, pixel / AGENT_VIEW_WIDTH, pixel % AGENT_VIEW_WIDTH))
            : kg_vector (0, 0, 0);
    double t = 1;
    uint32_t triangle;

    if (view->object[pixel] >= 0 && view->depth[pixel] > 0 &&
        triangle_mesh_hit (walls, view->eye, kg_vector_scale (way, (double) view->depth[pixel]), &t, &triangle)) {
      view->depth[pixel] *= (float) t;
      view->object[pixel] = -1;
    }
  }
}

guint
agent_view_count (const AgentView *view, int32_t object)
{
  guint count = 0;

  for (int i = 0; i < AGENT_VIEW_PIXELS; i++)
    count += view->object[i] == object;
  return count;
}

bool
agent_view_is_open (const AgentView *view, KgVector place)
{
  const KgVector d = to_eye (view, place);
  const double distance = kg_vector_length (d);
  const double column = atan2 (d.x, d.z) / view->angle + 0.5 * AGENT_VIEW_WIDTH,
               row = 0.5 * AGENT_VIEW_HEIGHT - asin (kg_clamp (d.y / fmax (distance, 1e-300), -1, 1)) / view->angle;

  return column >= 0 && column < AGENT_VIEW_WIDTH && row >= 0 && row < AGENT_VIEW_HEIGHT &&
         (double) view->depth[(int) row * AGENT_VIEW_WIDTH + (int) column] >= distance;
}

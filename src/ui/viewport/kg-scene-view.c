/* kg-scene-view: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-scene-view.h"

#include "config.h"
#include "kg-plot.h"

/* Of x, y and z, everywhere. */
static const KgTint axis_tints[] = { { 0.9, 0.3, 0.3 }, { 0.45, 0.8, 0.3 }, { 0.35, 0.55, 1.0 } };

KgTint
kg_axis_get_tint (int axis)
{
  return axis_tints[axis];
}

bool
kg_scene_view_shows (const KgValue *value)
{
  return value->kind == KG_GEOMETRY || value->kind == KG_SKELETON || value->kind == KG_SCENE ||
         value->kind == KG_TRANSFORM;
}

bool
kg_scene_view_get_bounds (const KgValue *value, KgVector *low, KgVector *high)
{
  bool any = false;

  if (value->kind == KG_GEOMETRY)
    return kg_geometry_get_bounds (value->geometry, low, high);
  if (value->kind == KG_SKELETON) {
    const guint n = kg_skeleton_get_n_joints (value->skeleton);
    g_autofree KgTransform *world = g_new (KgTransform, MAX (n, 1));

    kg_skeleton_get_world (value->skeleton, world);
    for (guint i = 0; i < n; i++) {
      const KgVector p = { world[i].m[0][3], world[i].m[1][3], world[i].m[2][3] };

      *low = any ? kg_vector (fmin (low->x, p.x), fmin (low->y, p.y), fmin (low->z, p.z)) : p;
      *high = any ? kg_vector (fmax (high->x, p.x), fmax (high->y, p.y), fmax (high->z, p.z)) : p;
      any = true;
    }
    return any;
  }
  if (value->kind == KG_TRANSFORM) {
    const KgVector at = { value->transform->m[0][3], value->transform->m[1][3], value->transform->m[2][3] };

    *low = kg_vector_subtract (at, kg_vector (1, 1, 1));
    *high = kg_vector_add (at, kg_vector (1, 1, 1));
    return true;
  }
  if (value->kind != KG_SCENE)
    return false;
  for (guint i = 0; i < kg_scene_get_n_objects (value->scene); i++) {
    const KgObject *object = kg_scene_get_object (value->scene, i);
    KgVector a, b;

    if (!kg_geometry_get_bounds (object->geometry, &a, &b))
      continue;
    for (guint corner = 0; corner < 8; corner++) {
      const KgVector p = kg_transform_point (
          object->transform, kg_vector (corner & 1 ? b.x : a.x, corner & 2 ? b.y : a.y, corner & 4 ? b.z : a.z));

      *low = any ? kg_vector (fmin (low->x, p.x), fmin (low->y, p.y), fmin (low->z, p.z)) : p;
      *high = any ? kg_vector (fmax (high->x, p.x), fmax (high->y, p.y), fmax (high->z, p.z)) : p;
      any = true;
    }
  }
  return any;
}

static void
draw_line (cairo_t *cr, const KgProjection *projection, KgVector a, KgVector b)
{
  double x0, y0, x1, y1;

  if (kg_projection_map (projection, a, &x0, &y0) && kg_projection_map (projection, b, &x1, &y1)) {
    cairo_move_to (cr, x0, y0);
    cairo_line_to (cr, x1, y1);
  }
}

void
kg_scene_view_draw_floor (cairo_t *cr, const KgProjection *projection, double distance)
{
  const double step = kg_plot_get_step (distance, 6);
  const int n = 10;

  cairo_set_line_width (cr, 1);
  cairo_set_source_rgba (cr, 0.5, 0.5, 0.55, 0.35);
  /* In pieces, so that what is behind the camera leaves the rest. */
  for (int i = -n; i <= n; i++)
    for (int k = -n; k < n; k++) {
      draw_line (cr, projection, kg_vector (i * step, 0, k * step), kg_vector (i * step, 0, (k + 1) * step));
      draw_line (cr, projection, kg_vector (k * step, 0, i * step), kg_vector ((k + 1) * step, 0, i * step));
    }
  cairo_stroke (cr);
  cairo_set_line_width (cr, 2);
  for (int i = 0; i < 3; i++) {
    kg_tint_set (cr, axis_tints[i], 1);
    draw_line (cr, projection, kg_vector (0, 0, 0), kg_vector (step * (i == 0), step * (i == 1), step * (i == 2)));
    cairo_stroke (cr);
  }
}

void
kg_scene_view_draw_frame (cairo_t *cr, const KgProjection *projection, const KgTransform *frame, double length)
{
  const KgVector at = { frame->m[0][3], frame->m[1][3], frame->m[2][3] };
  const double metres = length * kg_projection_get_metres (projection, at);
  double x, y;

  cairo_set_line_width (cr, 2.5);
  for (int i = 0; i < 3; i++) {
    const KgVector axis =
        kg_vector_normalize_or (kg_vector (frame->m[0][i], frame->m[1][i], frame->m[2][i]), kg_vector (0, 0, 0));

    kg_tint_set (cr, axis_tints[i], 1);
    draw_line (cr, projection, at, kg_vector_add_scaled (at, metres, axis));
    cairo_stroke (cr);
  }
  if (!kg_projection_map (projection, at, &x, &y))
    return;
  cairo_set_source_rgb (cr, 0.95, 0.95, 0.95);
  cairo_arc (cr, x, y, 3, 0, 2 * KG_PI);
  cairo_fill (cr);
}

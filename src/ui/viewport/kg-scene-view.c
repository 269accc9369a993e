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

typedef struct {
  KgVector low, high;
  bool any;
} Bounds;

static void
add_point (Bounds *bounds, KgVector p)
{
  const KgVector *l = &bounds->low, *h = &bounds->high;

  bounds->low = bounds->any ? kg_vector_min (*l, p) : p;
  bounds->high = bounds->any ? kg_vector_max (*h, p) : p;
  bounds->any = true;
}

static void
add_geometry (Bounds *bounds, const KgGeometry *geometry, const KgTransform *transform)
{
  KgVector a, b;

  if (!kg_geometry_get_bounds (geometry, &a, &b))
    return;
  for (guint corner = 0; corner < 8; corner++)
    add_point (bounds, kg_transform_point (*transform, kg_vector (corner & 1 ? b.x : a.x, corner & 2 ? b.y : a.y,
                                                                  corner & 4 ? b.z : a.z)));
}

/* A KgInstanceVisit. */
static bool
add_instance (const KgObject *object, const KgTransform *transform, gpointer data)
{
  add_geometry ((Bounds *) data, object->geometry, transform);
  return true;
}

static void
add_skeleton (Bounds *bounds, const KgSkeleton *skeleton)
{
  const guint n = kg_skeleton_get_n_joints (skeleton);
  g_autofree KgTransform *world = g_new (KgTransform, MAX (n, 1));

  kg_skeleton_get_world (skeleton, world);
  for (guint i = 0; i < n; i++)
    add_point (bounds, kg_transform_get_place (&world[i]));
}

static void
add_value (Bounds *bounds, const KgValue *value)
{
  const KgTransform here = kg_transform_identity ();

  if (value->kind == KG_GEOMETRY)
    add_geometry (bounds, value->geometry, &here);
  else if (value->kind == KG_SKELETON)
    add_skeleton (bounds, value->skeleton);
  else if (value->kind == KG_TRANSFORM) {
    add_point (bounds, kg_vector_subtract (kg_transform_get_place (value->transform), kg_vector (1, 1, 1)));
    add_point (bounds, kg_vector_add (kg_transform_get_place (value->transform), kg_vector (1, 1, 1)));
  } else if (value->kind == KG_SCENE)
    kg_scene_each_instance (value->scene, add_instance, bounds);
}

/* Where nothing else is, cameras and lights count. */
static void
add_things (Bounds *bounds, const KgScene *scene)
{
  for (guint i = 0; i < kg_scene_get_n_cameras (scene); i++)
    add_point (bounds, kg_transform_get_place (&kg_scene_get_camera (scene, i)->transform));
  for (guint i = 0; i < kg_scene_get_n_lights (scene); i++)
    if (kg_scene_get_light (scene, i)->kind == KG_LIGHT_POINT)
      add_point (bounds, kg_scene_get_light (scene, i)->position);
}

bool
kg_scene_view_get_bounds (const GPtrArray *stage, KgVector *low, KgVector *high)
{
  Bounds bounds = { .any = false };

  for (guint i = 0; i < stage->len; i++) {
    const KgStageItem *item = (const KgStageItem *) stage->pdata[i];

    if (item->has_value)
      add_value (&bounds, &item->value);
  }
  for (guint i = 0; !bounds.any && i < stage->len; i++) {
    const KgStageItem *item = (const KgStageItem *) stage->pdata[i];

    if (item->has_value && item->value.kind == KG_SCENE)
      add_things (&bounds, item->value.scene);
  }
  *low = bounds.low;
  *high = bounds.high;
  return bounds.any;
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

/* The two directions of the grid. */
static void
get_plane (const KgProjection *projection, KgVector *a, KgVector *b)
{
  const KgVector f = projection->forward;

  *a = kg_vector (1, 0, 0);
  *b = kg_vector (0, 0, 1);
  if (projection->parallel && fabs (f.z) > 0.9999)
    *b = kg_vector (0, 1, 0);
  else if (projection->parallel && fabs (f.x) > 0.9999)
    *a = kg_vector (0, 1, 0);
}

void
kg_scene_view_draw_floor (cairo_t *cr, const KgProjection *projection, double distance)
{
  const double step = kg_plot_get_step (distance, 6);
  const int n = 10;
  KgVector a, b;

  get_plane (projection, &a, &b);
  cairo_set_line_width (cr, 1);
  cairo_set_source_rgba (cr, 0.5, 0.5, 0.55, 0.35);
  /* In pieces, so that what is behind the camera leaves the rest. */
  for (int i = -n; i <= n; i++)
    for (int k = -n; k < n; k++) {
      const KgVector p = kg_vector_scale (a, i * step), q = kg_vector_scale (b, i * step);

      draw_line (cr, projection, kg_vector_add_scaled (p, k * step, b), kg_vector_add_scaled (p, (k + 1) * step, b));
      draw_line (cr, projection, kg_vector_add_scaled (q, k * step, a), kg_vector_add_scaled (q, (k + 1) * step, a));
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
  const KgVector at = kg_transform_get_place (frame);
  const double metres = length * kg_projection_get_metres (projection, at);
  double x, y;

  cairo_set_line_width (cr, 2.5);
  for (int i = 0; i < 3; i++) {
    const KgVector axis = kg_vector_normalize_or (kg_transform_get_column (frame, i), kg_vector (0, 0, 0));

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

/* Cameras and lights: at the size of the screen, wherever they are. */

#define CAMERA_PIXELS 46.0 /* from the eye to the plane of the image */
#define LIGHT_PIXELS 9.0

static KgVector
get_corner (const KgCamera *camera, double distance, double aspect, int x, int y)
{
  const double half = camera->orthographic ? 0.5 * camera->height : distance * tan (0.5 * camera->fov);

  return kg_transform_point (camera->transform, kg_vector (x * half * aspect, y * half, -distance));
}

static void
draw_camera (cairo_t *cr, const KgProjection *projection, const KgCamera *camera, double aspect)
{
  const KgVector eye = kg_transform_get_place (&camera->transform);
  const double metres = kg_projection_get_metres (projection, eye);
  const double body = CAMERA_PIXELS * metres;
  KgVector corners[4], far_corners[4];
  /* As far as the origin, where most things are; the rest of the way is left to the eye. */
  const KgVector forward = kg_transform_direction (camera->transform, kg_vector (0, 0, -1));
  const double reach = fmin (fmax (kg_vector_dot (kg_vector_scale (eye, -1), forward), 1.5 * body), camera->far_plane);

  for (int i = 0; i < 4; i++) {
    const int x = i == 0 || i == 3 ? -1 : 1, y = i < 2 ? -1 : 1;

    corners[i] = get_corner (camera, body, aspect, x, y);
    far_corners[i] = get_corner (camera, reach, aspect, x, y);
  }
  cairo_set_line_width (cr, 1);
  cairo_set_source_rgba (cr, 0.95, 0.85, 0.5, 0.35);
  for (int i = 0; i < 4; i++) {
    draw_line (cr, projection, corners[i], far_corners[i]);
    draw_line (cr, projection, far_corners[i], far_corners[(i + 1) % 4]);
  }
  cairo_stroke (cr);
  cairo_set_line_width (cr, 1.5);
  cairo_set_source_rgba (cr, 0.95, 0.85, 0.5, 0.95);
  for (int i = 0; i < 4; i++) {
    draw_line (cr, projection,
               camera->orthographic ? get_corner (camera, 0, aspect, i == 0 || i == 3 ? -1 : 1, i < 2 ? -1 : 1) : eye,
               corners[i]);
    draw_line (cr, projection, corners[i], corners[(i + 1) % 4]);
  }
  cairo_stroke (cr);
  /* Which way is up. */
  {
    const KgVector up = kg_transform_direction (camera->transform, kg_vector (0, 1, 0));
    const KgVector left = kg_vector_lerp (corners[3], corners[2], 0.3);
    const KgVector right = kg_vector_lerp (corners[3], corners[2], 0.7);
    const KgVector tip =
        kg_vector_add_scaled (kg_vector_lerp (left, right, 0.5), 0.6 * kg_vector_distance (left, right), up);
    double x[3], y[3];

    if (kg_projection_map (projection, left, &x[0], &y[0]) && kg_projection_map (projection, right, &x[1], &y[1]) &&
        kg_projection_map (projection, tip, &x[2], &y[2])) {
      for (int i = 0; i < 3; i++)
        cairo_line_to (cr, x[i], y[i]);
      cairo_close_path (cr);
      cairo_fill (cr);
    }
  }
}

static void
set_light_color (cairo_t *cr, const KgLight *light, double alpha)
{
  const double most = fmax (fmax (light->color.r, light->color.g), fmax (light->color.b, 1e-6));

  /* Dark lights are seen too. */
  cairo_set_source_rgba (cr, 0.25 + 0.75 * fmax (0, light->color.r) / most,
                         0.25 + 0.75 * fmax (0, light->color.g) / most, 0.2 + 0.7 * fmax (0, light->color.b) / most,
                         alpha);
}

/* A disc with rays, and, of light from far away, an arrow the way it goes. */
static void
draw_light (cairo_t *cr, const KgProjection *projection, const KgLight *light, KgVector at)
{
  const double r = LIGHT_PIXELS;
  double x, y, to_x, to_y;

  if (!kg_projection_map (projection, at, &x, &y))
    return;
  cairo_new_path (cr);
  cairo_arc (cr, x, y, 0.5 * r, 0, 2 * KG_PI);
  set_light_color (cr, light, 1);
  cairo_fill_preserve (cr);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.6);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  set_light_color (cr, light, 1);
  cairo_set_line_width (cr, 1.5);
  for (int i = 0; i < 8; i++) {
    const double a = i * KG_PI / 4;

    cairo_move_to (cr, x + 0.8 * r * cos (a), y + 0.8 * r * sin (a));
    cairo_line_to (cr, x + 1.3 * r * cos (a), y + 1.3 * r * sin (a));
  }
  cairo_stroke (cr);
  if (light->kind != KG_LIGHT_DIRECTIONAL)
    return;
  if (kg_projection_map (projection,
                         kg_vector_add_scaled (at, 5 * r * kg_projection_get_metres (projection, at), light->direction),
                         &to_x, &to_y)) {
    const double angle = atan2 (to_y - y, to_x - x);

    cairo_move_to (cr, x + 1.3 * r * cos (angle), y + 1.3 * r * sin (angle));
    cairo_line_to (cr, to_x, to_y);
    cairo_stroke (cr);
    cairo_move_to (cr, to_x, to_y);
    cairo_line_to (cr, to_x - 8 * cos (angle - 0.4), to_y - 8 * sin (angle - 0.4));
    cairo_line_to (cr, to_x - 8 * cos (angle + 0.4), to_y - 8 * sin (angle + 0.4));
    cairo_fill (cr);
  }
}

/* Light from everywhere has no place, and light from far away none that matters: these stand above the things they light. */
static KgVector
get_light_place (const KgLight *light, const GPtrArray *stage, guint index)
{
  KgVector low = { 0, 0, 0 }, high = { 0, 0, 0 }, center;
  double radius;

  if (light->kind == KG_LIGHT_POINT)
    return light->position;
  kg_scene_view_get_bounds (stage, &low, &high);
  center = kg_vector_lerp (low, high, 0.5);
  radius = fmax (0.5 * kg_vector_distance (low, high), 0.5);
  if (light->kind == KG_LIGHT_DIRECTIONAL)
    return kg_vector_add_scaled (center, -1.3 * radius, light->direction);
  return kg_vector (center.x + 0.15 * radius * index, center.y + 1.3 * radius, center.z);
}

static void
draw_scene (cairo_t *cr, const KgProjection *projection, const KgScene *scene, const GPtrArray *stage,
            const KgCamera *through, double aspect)
{
  for (guint i = 0; i < kg_scene_get_n_cameras (scene); i++) {
    const KgCamera *camera = kg_scene_get_camera (scene, i);

    if (through == NULL || kg_vector_distance (kg_transform_get_place (&camera->transform),
                                               kg_transform_get_place (&through->transform)) > 1e-9)
      draw_camera (cr, projection, camera, aspect);
  }
  /* Who looks through a camera sees what the image will show, and no signs of lights. */
  for (guint i = 0; through == NULL && i < kg_scene_get_n_lights (scene); i++) {
    const KgLight *light = kg_scene_get_light (scene, i);

    draw_light (cr, projection, light, get_light_place (light, stage, i));
  }
}

void
kg_scene_view_draw_things (cairo_t *cr, const KgProjection *projection, const GPtrArray *stage, const KgCamera *through,
                           double aspect)
{
  for (guint i = 0; i < stage->len; i++) {
    const KgStageItem *item = (const KgStageItem *) stage->pdata[i];

    if (item->has_value && item->value.kind == KG_TRANSFORM)
      kg_scene_view_draw_frame (cr, projection, item->value.transform, 60);
    else if (item->has_value && item->value.kind == KG_SCENE)
      draw_scene (cr, projection, item->value.scene, stage, through, aspect);
  }
}

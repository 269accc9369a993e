/* kg-point-view: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-point-view.h"

#include "config.h"
#include "kg-projection.h"

#define DOT 3 /* pixels */

typedef struct {
  KgProjection projection;
  int width, height;
  float *pixels;
  float *depth;
} Canvas;

static void
draw_dot (const Canvas *canvas, double x, double y, float depth, const float color[3])
{
  const int x0 = (int) floor (x) - DOT / 2, y0 = (int) floor (y) - DOT / 2;

  for (int v = MAX (0, y0); v < MIN (canvas->height, y0 + DOT); v++)
    for (int u = MAX (0, x0); u < MIN (canvas->width, x0 + DOT); u++) {
      const size_t at = (size_t) v * (size_t) canvas->width + (size_t) u;
      float *p = canvas->pixels + 4 * at;

      if (depth >= canvas->depth[at])
        continue;
      canvas->depth[at] = depth;
      p[0] = color[0];
      p[1] = color[1];
      p[2] = color[2];
      p[3] = 1;
    }
}

static void
draw_geometry (const Canvas *canvas, const KgGeometry *geometry, const KgTransform *transform, KgColor color)
{
  const float *p = kg_geometry_get_positions (geometry);
  const float *tint = kg_geometry_get_float (geometry, KG_POINTS, "Cd", 3);
  const size_t n = kg_geometry_get_n_points (geometry);

  for (size_t i = 0; i < n; i++) {
    const KgVector local = { (double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2] };
    const KgVector at = kg_transform_point (*transform, local);
    const float rgb[] = { (float) color.r * (tint != NULL ? tint[3 * i] : 1),
                          (float) color.g * (tint != NULL ? tint[3 * i + 1] : 1),
                          (float) color.b * (tint != NULL ? tint[3 * i + 2] : 1) };
    double x, y;

    /* Far outside, a pixel is not a number of an int any more. */
    if (!kg_projection_map (&canvas->projection, at, &x, &y) || !(fabs (x) < 1e6) || !(fabs (y) < 1e6))
      continue;
    draw_dot (canvas, x, y,
              (float) kg_vector_dot (kg_vector_subtract (at, canvas->projection.eye), canvas->projection.forward), rgb);
  }
}

static void
set_projection (Canvas *canvas, const KgValue *value, const KgView *view)
{
  if (view->from_scene && value->kind == KG_SCENE && kg_scene_get_n_cameras (value->scene) > 0)
    kg_projection_from_camera (&canvas->projection, kg_scene_get_camera (value->scene, 0), 0, 0, canvas->width,
                               canvas->height);
  else
    kg_projection_look (&canvas->projection, view->eye, view->target, KG_DEGREE * view->fov, canvas->width,
                        canvas->height);
}

KgImage *
kg_point_view_draw (const KgValue *value, const KgView *view)
{
  const KgTransform here = kg_transform_identity ();
  const KgColor light = { 0.75, 0.78, 0.85, 1 };
  g_autoptr (KgImage) image = NULL;
  g_autofree float *depth = NULL;
  Canvas canvas = { .width = view->width, .height = view->height };
  size_t n;

  if (value->kind != KG_GEOMETRY && value->kind != KG_SCENE && value->kind != KG_SKELETON)
    return NULL;
  image = kg_image_new (view->width, view->height, false, NULL);
  if (image == NULL)
    return NULL;
  n = (size_t) view->width * (size_t) view->height;
  canvas.pixels = kg_image_edit_pixels (image);
  canvas.depth = depth = g_new (float, n);
  for (size_t i = 0; i < n; i++)
    depth[i] = INFINITY;
  set_projection (&canvas, value, view);
  if (value->kind == KG_GEOMETRY)
    draw_geometry (&canvas, value->geometry, &here, light);
  else if (value->kind == KG_SCENE)
    for (guint i = 0; i < kg_scene_get_n_objects (value->scene); i++) {
      const KgObject *object = kg_scene_get_object (value->scene, i);

      draw_geometry (&canvas, object->geometry, &object->transform, object->material.color);
    }
  else {
    const guint n_joints = kg_skeleton_get_n_joints (value->skeleton);
    g_autofree KgTransform *world = g_new (KgTransform, MAX (n_joints, 1));
    g_autoptr (KgGeometry) joints = kg_geometry_new ();

    kg_skeleton_get_world (value->skeleton, world);
    if (kg_geometry_set_n_points (joints, n_joints, NULL)) {
      float *p = kg_geometry_edit_positions (joints);

      for (guint i = 0; i < n_joints; i++)
        for (guint c = 0; c < 3; c++)
          p[3 * i + c] = (float) world[i].m[c][3];
      draw_geometry (&canvas, joints, &here, light);
    }
  }
  return g_steal_pointer (&image);
}

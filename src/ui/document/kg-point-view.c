/* kg-point-view: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-point-view.h"
#include "kg-floats.h"

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

/* A KgInstanceVisit. */
static bool
draw_instance (const KgObject *object, const KgTransform *transform, gpointer data)
{
  const Canvas *canvas = (const Canvas *) data;
  const KgGeometry *geometry = object->geometry;
  const KgColor color = object->material.color;
  const float *p = kg_geometry_get_positions (geometry);
  const float *tint = kg_geometry_get_float (geometry, KG_POINTS, "Cd", 3);
  const size_t n = kg_geometry_get_n_points (geometry);

  for (size_t i = 0; i < n; i++) {
    const KgVector local = kg_floats_get_vector (p, i);
    const KgVector at = kg_transform_point (*transform, local);
    const float rgb[] = { (float) color.r * (tint != NULL ? tint[3 * i] : 1),
                          (float) color.g * (tint != NULL ? tint[3 * i + 1] : 1),
                          (float) color.b * (tint != NULL ? tint[3 * i + 2] : 1) };
    double x, y;

    /* Far outside, a pixel does not fit into an int. */
    if (!kg_projection_map (&canvas->projection, at, &x, &y) || !(fabs (x) < 1e6) || !(fabs (y) < 1e6))
      continue;
    draw_dot (canvas, x, y,
              (float) kg_vector_dot (kg_vector_subtract (at, canvas->projection.eye), canvas->projection.forward), rgb);
  }
  return true;
}

KgImage *
kg_point_view_draw (const KgScene *scene, const KgCamera *camera, int width, int height)
{
  g_autoptr (KgImage) image = kg_image_new (width, height, true, NULL);
  Canvas canvas = { .width = width, .height = height };

  if (image == NULL)
    return NULL;
  canvas.pixels = kg_image_edit_pixels (image);
  canvas.depth = kg_image_edit_depth (image);
  for (size_t i = 0; i < (size_t) width * (size_t) height; i++)
    canvas.depth[i] = INFINITY;
  kg_projection_from_camera (&canvas.projection, camera, 0, 0, width, height);
  kg_scene_each_instance (scene, draw_instance, &canvas);
  return g_steal_pointer (&image);
}

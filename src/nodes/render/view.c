/* render/view: what a camera sees of space.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "render/view.h"

#include <inttypes.h>

typedef struct {
  const KgScene *scene;
  int64_t camera;
  double width, height;
  KgVector point;
  KgVector pixel;
  KgVector shift;
  bool tilted;
  KgVector normal;
  int64_t columns, rows, column, row;
  const KgGeometry *geometry;
  int space;
  KgVector eye;
  KgVector image;
  KgVector screen;
  double depth;
  bool visible;
  KgVector origin;
  KgVector direction;
  KgTransform to_eye;
  KgTransform projection;
  KgTransform viewport;
  KgTransform to_screen;
  KgGeometry *frustum;
  double volume;
  KgGeometry *clipped;
} ViewNode;

enum { SPACE_WORLD, SPACE_EYE, SPACE_IMAGE, SPACE_SCREEN, N_SPACES };

static const KgChoice view_spaces[] = {
  [SPACE_WORLD] = { "world", N_ ("World") },
  [SPACE_EYE] = { "eye", N_ ("Eye: x right, y up, z away") },
  [SPACE_IMAGE] = { "image", N_ ("Image: −1 to 1, depth 0 to 1") },
  [SPACE_SCREEN] = { "screen", N_ ("Screen: pixels") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (view_spaces, N_SPACES);

static bool
view_prepare (const ViewNode *n, View *view, GError **error)
{
  const KgCamera *camera;

  if (n->camera >= kg_scene_get_n_cameras (n->scene)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the scene has %u cameras, but camera %" PRId64 " is requested: link a Camera, and count from 0",
                  kg_scene_get_n_cameras (n->scene), n->camera);
    return false;
  }
  camera = kg_scene_get_camera (n->scene, (guint) n->camera);
  if (!view_init (view, camera, n->width / n->height, error) ||
      (n->tilted && !view_face (view, camera, n->normal, error)))
    return false;
  if (n->column >= n->columns || n->row >= n->rows) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there is no tile %" PRId64 ", %" PRId64 " in %" PRId64 " × %" PRId64 ": count from 0", n->column,
                  n->row, n->columns, n->rows);
    return false;
  }
  view_shift (view, n->shift.x, n->shift.y);
  view_take_tile (view, (guint) n->column, (guint) n->row, (guint) n->columns, (guint) n->rows);
  return true;
}

static KgGeometry *
view_make_frustum (const View *view)
{
  static const uint32_t faces[] = { 0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3 };
  KgGeometry *frustum = kg_geometry_new ();
  KgVector corners[8];
  float *p;

  view_get_corners (view, corners);
  kg_geometry_set_n_points (frustum, 8, NULL);
  p = kg_geometry_edit_positions (frustum);
  for (size_t i = 0; i < 24; i++)
    p[i] = (float) kg_vector_get (corners[i / 3], i % 3);
  kg_geometry_add_primitives (frustum, KG_POLYGON, true, 6, 4, faces);
  return frustum;
}

/* Into another space, each point divided by its fourth number: what is left after clipping is in front of the eye. */
static void
view_move (KgGeometry *geometry, const KgTransform *m)
{
  float *p = kg_geometry_edit_positions (geometry);

  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++) {
    KgVector q = kg_floats_get_vector (p, i);

    view_divide (m, q, &q);
    kg_floats_set_vector (p, i, q);
  }
}

static bool
view_cut (ViewNode *n, const KgContext *ctx, const View *view, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  guint n_curves;

  if (n->geometry == NULL)
    return true;
  n->clipped = view_clip (view, n->geometry, &monitor, &n_curves, error);
  if (n->clipped == NULL)
    return false;
  if (n_curves > 0)
    kg_context_warn_plural (ctx, n_curves, "%u curve reaches beyond the view and is left out: convert it to a polyline",
                            "%u curves reach beyond the view and are left out: convert them to polylines", n_curves);
  if (n->space != SPACE_WORLD) {
    const KgTransform image = kg_transform_multiply (n->projection, n->to_eye);

    view_move (n->clipped, n->space == SPACE_EYE ? &n->to_eye : n->space == SPACE_IMAGE ? &image : &n->to_screen);
  }
  return true;
}

static bool
view_evaluate (ViewNode *n, const KgContext *ctx, GError **error)
{
  View view;

  if (!view_prepare (n, &view, error))
    return false;
  n->to_eye = view.to_eye;
  n->projection = view_get_projection (&view);
  n->viewport = view_get_viewport (n->width, n->height, 0, 0);
  n->to_screen = kg_transform_multiply (n->viewport, kg_transform_multiply (n->projection, n->to_eye));
  n->eye = kg_transform_point (n->to_eye, n->point);
  n->depth = n->eye.z;
  if (view_divide (&n->projection, n->eye, &n->image)) {
    n->screen = kg_transform_point (n->viewport, n->image);
    n->visible = view_contains (n->image);
  } else
    kg_context_warn (ctx, "the point is not in front of the eye: it has no position in the image");
  view_get_ray (&view, 2 * n->pixel.x / n->width - 1, 1 - 2 * n->pixel.y / n->height, &n->origin, &n->direction);
  n->frustum = view_make_frustum (&view);
  n->volume = view_get_volume (&view);
  return view_cut (n, ctx, &view, error);
}

static const KgSlot view_slots[] = {
  KG_INPUT (ViewNode, scene, SCENE, .label = N_ ("Scene"), .help = N_ ("A scene with a camera, or a Camera.")),
  KG_INPUT (ViewNode, camera, INTEGER, .label = N_ ("Camera"), .min = 0, .max = 1e6, .soft_max = 4,
            .help = N_ ("Index of the camera in the scene, from 0.")),
  KG_INPUT (ViewNode, width, NUMBER, .label = N_ ("Width"), .unit = KG_PIXELS, .def = 640, .min = 1, .max = 65535,
            .help = N_ ("Size of the image.")),
  KG_INPUT (ViewNode, height, NUMBER, .label = N_ ("Height"), .unit = KG_PIXELS, .def = 360, .min = 1, .max = 65535,
            .help = N_ ("Size of the image.")),
  KG_INPUT (ViewNode, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES,
            .help = N_ ("A point in the world whose position in the image is computed.")),
  KG_INPUT (
      ViewNode, pixel, VECTOR, .label = N_ ("Pixel"), .unit = KG_PIXELS, .def_v = { 320, 180, 0 },
      .help = N_ (
          "A position in the image whose ray is computed, from the upper left corner; the centre of the first pixel is at 0.5, 0.5.")),
  KG_INPUT (ViewNode, shift, VECTOR, .label = N_ ("Shift"), .group = N_ ("Window"), .soft_min = -2, .soft_max = 2,
            .handle = { KG_HANDLE_NONE },
            .help = N_ ("Moves the window, in units of half its width and height, as a shift lens does.")),
  KG_INPUT (
      ViewNode, tilted, BOOLEAN, .label = N_ ("Tilted image plane"), .group = N_ ("Window"),
      .help =
          N_ ("Sets the normal of the image plane: a horizontal one keeps the vertical lines of buildings parallel.")),
  KG_INPUT (ViewNode, normal, VECTOR, .label = N_ ("Normal"), .def_v = { 0, 0, -1 }, .group = N_ ("Window"),
            .shown_when = "tilted=true", .help = N_ ("Normal of the image plane, pointing away from the eye.")),
  KG_INPUT (ViewNode, columns, INTEGER, .label = N_ ("Columns"), .def = 1, .min = 1, .max = 10000, .soft_max = 8,
            .group = N_ ("Tile"), .help = N_ ("Number of tiles side by side; the image is one of them.")),
  KG_INPUT (ViewNode, rows, INTEGER, .label = N_ ("Rows"), .def = 1, .min = 1, .max = 10000, .soft_max = 8,
            .group = N_ ("Tile"), .help = N_ ("Number of tiles one below the other.")),
  KG_INPUT (ViewNode, column, INTEGER, .label = N_ ("Column"), .min = 0, .max = 9999, .soft_max = 7,
            .group = N_ ("Tile"), .help = N_ ("Which column, from 0 at the left.")),
  KG_INPUT (ViewNode, row, INTEGER, .label = N_ ("Row"), .min = 0, .max = 9999, .soft_max = 7, .group = N_ ("Tile"),
            .help = N_ ("Which row, from 0 at the top.")),
  KG_INPUT (ViewNode, geometry, GEOMETRY, .label = N_ ("Geometry"), .optional = true, .group = N_ ("Clipping"),
            .help = N_ ("Geometry to clip at the edges of the view.")),
  KG_INPUT (ViewNode, space, CHOICE, .label = N_ ("Space"), .choices = view_spaces, .group = N_ ("Clipping"),
            .help = N_ ("Coordinates of the clipped geometry.")),
  KG_OUTPUT (ViewNode, eye, VECTOR, .label = N_ ("In eye coordinates"), .unit = KG_METRES,
             .help = N_ ("The point in eye coordinates: x to the right, y up, z away from the eye.")),
  KG_OUTPUT (
      ViewNode, image, VECTOR, .label = N_ ("In the image"),
      .help = N_ ("The point in the image: x and y from −1 to 1, z from 0 at the near plane to 1 at the far plane.")),
  KG_OUTPUT (ViewNode, screen, VECTOR, .label = N_ ("On the screen"), .unit = KG_PIXELS,
             .help = N_ ("The point in pixels from the upper left corner; z as in the image.")),
  KG_OUTPUT (ViewNode, depth, NUMBER, .label = N_ ("Depth"), .unit = KG_METRES,
             .help = N_ ("How far the point is in front of the eye; negative behind it.")),
  KG_OUTPUT (ViewNode, visible, BOOLEAN, .label = N_ ("Visible"),
             .help = N_ ("Whether the point is in the image and between the near and far planes.")),
  KG_OUTPUT (ViewNode, origin, VECTOR, .label = N_ ("Ray origin"), .unit = KG_METRES,
             .help = N_ ("Where the ray of the pixel starts.")),
  KG_OUTPUT (
      ViewNode, direction, VECTOR, .label = N_ ("Ray direction"),
      .help = N_ ("Direction of the ray, of length 1. Closest Points intersects it with planes, balls and triangles.")),
  KG_OUTPUT (ViewNode, to_eye, TRANSFORM, .label = N_ ("World to eye"),
             .help = N_ ("From world to eye coordinates. It mirrors: eye coordinates are left-handed.")),
  KG_OUTPUT (ViewNode, projection, TRANSFORM, .label = N_ ("Projection"),
             .help = N_ ("From eye to image coordinates, before the division by the fourth component.")),
  KG_OUTPUT (ViewNode, viewport, TRANSFORM, .label = N_ ("Viewport"), .help = N_ ("From the image to the screen.")),
  KG_OUTPUT (ViewNode, to_screen, TRANSFORM, .label = N_ ("World to screen"),
             .help = N_ ("All three transforms combined.")),
  KG_OUTPUT (ViewNode, frustum, GEOMETRY, .label = N_ ("Frustum"),
             .help = N_ ("The visible part of space, as a mesh.")),
  KG_OUTPUT (ViewNode, volume, NUMBER, .label = N_ ("Volume"), .help = N_ ("Volume of the frustum in cubic metres.")),
  KG_OUTPUT (ViewNode, clipped, GEOMETRY, .label = N_ ("Clipped"), .help = N_ ("The visible part of the geometry.")),
};

KG_NODE (
    render, view, ViewNode, .label = N_ ("View"), .version = 1, .since = "0.1",
    .tags = N_ (
        "camera projection perspective frustum viewport screen pixel ray clip off-centre shift lens tile stereo matrix"),
    .formula =
        "window l, r, b, t at distance 1, near D, far F: xᵢ = (2x/z − (r + l))/(r − l), yᵢ alike, zᵢ = F(z − D)/((F − D) z)\n"
        "screen: ((xᵢ + 1)/2 · W, (1 − yᵢ)/2 · H); ray: u, v, w · ((l + r)/2 + x (r − l)/2, (b + t)/2 + y (t − b)/2, 1)",
    .source = "Parent, Computer Animation, 2.1; Sutherland and Hodgman 1974",
    .help = N_ (
        "Projects a point into the image of a camera, finds the ray of a pixel, makes the frustum, and clips a geometry to the view. The window may be shifted, tilted, or a tile of a larger image."));

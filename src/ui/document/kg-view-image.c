/* kg-view-image: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-view-image.h"

#include "config.h"

#include <string.h>

#define THUMBNAIL_WIDTH 120
#define THUMBNAIL_HEIGHT 68
/* Degrees, of a camera as it is made. */
#define FIELD_OF_VIEW 40

/* The nodes that make an image of an output, behind it in the graph. */
typedef struct {
  KgNode *scene, *camera;
  KgImage *image, *small; /* (nullable) the last one, as it was made and as it is shown */
} Viewer;

/* Where the camera is, where the scene has none. */
typedef struct {
  KgVector eye, target;
  double near_plane, far_plane;
} Place;

struct _KgViewImages {
  KgEvaluator *evaluator;
  GHashTable *viewers; /* "path.output" -> Viewer */
};

static void
viewer_free (gpointer data)
{
  Viewer *viewer = (Viewer *) data;

  g_clear_pointer (&viewer->image, kg_image_unref);
  g_clear_pointer (&viewer->small, kg_image_unref);
  g_free (viewer);
}

KgViewImages *
kg_view_images_new (KgGraph *graph, KgEvaluator *evaluator)
{
  KgViewImages *self = g_new0 (KgViewImages, 1);

  /* Adding viewers is not undone. */
  kg_graph_set_recording (graph, false);
  self->evaluator = evaluator;
  self->viewers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, viewer_free);
  return self;
}

void
kg_view_images_free (KgViewImages *self)
{
  g_hash_table_unref (self->viewers);
  g_free (self);
}

static bool
set_number (KgGraph *graph, KgNode *node, const char *slot, double x, GError **error)
{
  const KgValue value = kg_value_number (x);

  return kg_graph_set_constant (graph, node, slot, &value, error);
}

static bool
set_vector (KgGraph *graph, KgNode *node, const char *slot, KgVector v, GError **error)
{
  const KgValue value = kg_value_vector (v);

  return kg_graph_set_constant (graph, node, slot, &value, error);
}

/* (nullable) A node of the type that has the role. */
static KgNode *
add_role (KgGraph *graph, KgRole role, GError **error)
{
  return kg_graph_add (graph, kg_types_find_role (kg_graph_get_types (graph), role)->id, NULL, 0, 0, error);
}

/* (nullable) A node with the role that reads the output. */
static KgNode *
add_reader (KgNode *from, const char *output, KgRole role, const char *input, GError **error)
{
  KgGraph *graph = kg_node_get_parent (from);
  KgNode *node = add_role (graph, role, error);

  return node != NULL && kg_graph_link (graph, from, output, node, input, error) ? node : NULL;
}

/* (transfer full) (nullable) kind: geometry, skeleton or scene. */
static Viewer *
add_viewer (KgNode *node, guint slot, KgKind kind, GError **error)
{
  KgGraph *graph = kg_node_get_parent (node);
  const char *output = kg_node_get_slot (node, slot)->name;
  g_autofree char *scenes = NULL;
  KgNode *camera, *scene;
  Viewer *viewer;

  if (kind == KG_SKELETON) {
    node = add_reader (node, output, KG_ROLE_SKELETON_DRAWING, "skeleton", error);
    if (node == NULL || !kg_graph_set_json (graph, node, "style", "\"solids\"", error))
      return NULL;
    output = "geometry";
  }
  if (kind != KG_SCENE) {
    node = add_reader (node, output, KG_ROLE_SCENE_OBJECT, "geometry", error);
    if (node == NULL || !kg_graph_set_json (graph, node, "shading", "\"gouraud\"", error))
      return NULL;
    output = "scene";
  }
  camera = add_role (graph, KG_ROLE_CAMERA, error);
  scene = camera != NULL ? add_role (graph, KG_ROLE_RENDERING, error) : NULL;
  if (scene == NULL)
    return NULL;
  /* The first camera is the one that counts. */
  scenes = g_strdup_printf ("[{\"link\": \"%s.%s\"}, {\"link\": \"%s.scene\"}]", kg_node_get_name (node), output,
                            kg_node_get_name (camera));
  if (!kg_graph_set_json (graph, scene, "scenes", scenes, error))
    return NULL;
  viewer = g_new0 (Viewer, 1);
  viewer->scene = scene;
  viewer->camera = camera;
  return viewer;
}

/* In front, a little above, with all of it in sight. */
static Place
get_place (const KgValue *value)
{
  Place place = { .eye = { 0, 1.5, 6 }, .near_plane = 0.01, .far_plane = 1000 };
  KgVector low, high;

  if (value->kind == KG_GEOMETRY && kg_geometry_get_bounds (value->geometry, &low, &high)) {
    const double radius = fmax (0.5 * kg_vector_distance (low, high), 1e-6);
    const double distance = radius / sin (0.5 * FIELD_OF_VIEW * KG_DEGREE);

    place.target = kg_vector_lerp (low, high, 0.5);
    place.eye = kg_vector_add (place.target, kg_vector_scale (kg_vector (0.25, 0.3, 0.92), distance));
    place.near_plane = 1e-3 * distance;
    place.far_plane = 4 * distance;
  }
  return place;
}

/* (nullable) */
static Viewer *
get_viewer (KgViewImages *self, const char *key, KgNode *node, guint slot, const KgValue *value, GError **error)
{
  Viewer *viewer = (Viewer *) g_hash_table_lookup (self->viewers, key);
  KgGraph *graph = kg_node_get_parent (node);
  const Place place = get_place (value);
  const double proxy = kg_evaluator_get_proxy (self->evaluator);

  if (viewer == NULL) {
    viewer = add_viewer (node, slot, value->kind, error);
    if (viewer == NULL)
      return NULL;
    g_hash_table_insert (self->viewers, g_strdup (key), viewer);
  }
  /* What is small already is not made smaller. */
  return set_number (graph, viewer->scene, "width", 2 * THUMBNAIL_WIDTH / proxy, error) &&
                 set_number (graph, viewer->scene, "height", 2 * THUMBNAIL_HEIGHT / proxy, error) &&
                 set_vector (graph, viewer->camera, "position", place.eye, error) &&
                 set_vector (graph, viewer->camera, "target", place.target, error) &&
                 set_number (graph, viewer->camera, "near", place.near_plane, error) &&
                 set_number (graph, viewer->camera, "far", place.far_plane, error)
             ? viewer
             : NULL;
}

/* A small image with the proportions of the large one: the mean of what each of its pixels covers. */
static KgImage *
shrink (const KgImage *image)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const double scale = MIN (1.0, MIN ((double) THUMBNAIL_WIDTH / width, (double) THUMBNAIL_HEIGHT / height));
  const int w = MAX (1, (int) (width * scale)), h = MAX (1, (int) (height * scale));
  KgImage *small = kg_image_new (w, h, false, NULL);
  const float *from = kg_image_get_pixels (image);
  float *to;

  if (small == NULL)
    return NULL;
  to = kg_image_edit_pixels (small);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const int x0 = (int) ((int64_t) x * width / w), x1 = MAX (x0 + 1, (int) ((int64_t) (x + 1) * width / w));
      const int y0 = (int) ((int64_t) y * height / h), y1 = MAX (y0 + 1, (int) ((int64_t) (y + 1) * height / h));
      double sum[4] = { 0 };

      for (int v = y0; v < y1; v++)
        for (int u = x0; u < x1; u++)
          for (int c = 0; c < 4; c++)
            sum[c] += (double) from[4 * ((size_t) v * (size_t) width + (size_t) u) + (size_t) c];
      for (int c = 0; c < 4; c++)
        to[4 * (y * w + x) + c] = (float) (sum[c] / ((double) (x1 - x0) * (y1 - y0)));
    }
  return small;
}

KgImage *
kg_view_images_draw_thumbnail (KgViewImages *self, const char *target, KgNode *node, guint slot, const KgValue *value,
                               double time, GCancellable *cancellable, GError **error)
{
  g_auto (KgValue) image = KG_VALUE_INIT;
  Viewer *viewer;

  if (value->kind == KG_IMAGE)
    return shrink (value->image);
  if (value->kind != KG_GEOMETRY && value->kind != KG_SKELETON && value->kind != KG_SCENE)
    return NULL;
  viewer = get_viewer (self, target, node, slot, value, error);
  if (viewer == NULL ||
      !kg_evaluator_evaluate (self->evaluator, viewer->scene, (guint) kg_node_find_slot (viewer->scene, "image"), time,
                              cancellable, &image, error))
    return NULL;
  if (viewer->image != image.image) {
    g_clear_pointer (&viewer->image, kg_image_unref);
    g_clear_pointer (&viewer->small, kg_image_unref);
    viewer->image = kg_image_ref (image.image);
    viewer->small = shrink (image.image);
  }
  return viewer->small != NULL ? kg_image_ref (viewer->small) : NULL;
}

KgImage *
kg_motion_draw_thumbnail (const KgMotion *motion)
{
  enum { STEPS = THUMBNAIL_WIDTH };
  static const float line[] = { 0.9f, 0.35f, 0.08f, 1 };
  KgImage *image = kg_image_new (THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, false, NULL);
  double low = INFINITY, high = -INFINITY, values[STEPS + 1];
  float *pixels = image != NULL ? kg_image_edit_pixels (image) : NULL;

  for (guint c = 0; pixels != NULL && c < kg_motion_get_n_channels (motion); c++) {
    const KgChannel *channel = kg_motion_get_channel (motion, c);
    double from, to, x[KG_CHANNEL_MAX_WIDTH];
    int before = -1;

    kg_channel_get_range (channel, &from, &to);
    for (int i = 0; i <= STEPS; i++) {
      kg_channel_evaluate (channel, from + (to - from) * i / STEPS, x);
      values[i] = x[0];
      low = fmin (low, x[0]);
      high = fmax (high, x[0]);
    }
    for (int i = 0; i < THUMBNAIL_WIDTH && isfinite (high - low); i++) {
      const double share = high > low ? (values[i] - low) / (high - low) : 0.5;
      const int y = (int) ((THUMBNAIL_HEIGHT - 5) * (1 - share)) + 2;

      /* Every row on the way from the last column, so that steep parts stay a line. */
      for (int row = before < 0 ? y : MIN (before, y); row <= (before < 0 ? y : MAX (before, y)); row++)
        for (int d = 0; d < 2; d++) {
          float *p = pixels + 4 * ((row + d) * THUMBNAIL_WIDTH + i);

          memcpy (p, line, sizeof line);
        }
      before = y;
    }
  }
  return image;
}

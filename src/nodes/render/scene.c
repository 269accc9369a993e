/* render/scene: images of solid things.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "render/camera_inside.h"
#include "render/surface.h"

typedef struct {
  KgList scenes;
  int64_t width;
  int64_t height;
  KgColor background;
  int antialias;
  double shutter;
  int64_t blur;
  int64_t lens;
  KgImage *image;
} Scene;

/* Along one side of a pixel. */
static const int scene_samples[] = { 1, 2, 4, 8 };

static const KgChoice scene_antialias[] = {
  { "1", N_ ("None") }, { "2", N_ ("2 × 2") }, { "4", N_ ("4 × 4") }, { "8", N_ ("8 × 8") }, KG_CHOICES_END,
};
KG_CHOICES_MATCH (scene_antialias, G_N_ELEMENTS (scene_samples));

/* The box around all objects, in the world. */
typedef struct {
  KgVector low, high;
  bool any;
} SceneBounds;

/* How far lines and points reach beyond their places: they have widths in the world, whatever the object's scale. */
static double
scene_get_margin (const KgObject *object)
{
  const KgGeometry *geometry = object->geometry;
  const float *width = kg_geometry_get_float (geometry, KG_POINTS, "width", 1);
  double most = width != NULL ? 0 : object->material.width;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind == KG_POLYGON)
      return 0;
  }
  for (size_t i = 0; width != NULL && i < kg_geometry_get_n_points (geometry); i++)
    most = fmax (most, (double) width[i]);
  return 0.5 * most;
}

static void
scene_add_bounds (SceneBounds *bounds, const KgScene *scene)
{
  for (guint i = 0; i < kg_scene_get_n_objects (scene); i++) {
    const KgObject *object = kg_scene_get_object (scene, i);
    KgInstancePlaces placement;
    KgVector a, b;
    double margin;

    if (!kg_geometry_get_bounds (object->geometry, &a, &b))
      continue;
    margin = scene_get_margin (object);
    kg_object_get_placement (object, &placement);
    for (size_t k = 0; k < 8 * kg_object_get_n_instances (object); k++) {
      const KgTransform transform = kg_object_get_instance (object, &placement, k / 8);
      const KgVector p =
          kg_transform_point (transform, kg_vector (k & 1 ? a.x : b.x, k & 2 ? a.y : b.y, k & 4 ? a.z : b.z));
      const KgVector *l = &bounds->low, *h = &bounds->high;
      const KgVector low = { p.x - margin, p.y - margin, p.z - margin };
      const KgVector high = { p.x + margin, p.y + margin, p.z + margin };

      bounds->low = bounds->any ? kg_vector_min (*l, low) : low;
      bounds->high = bounds->any ? kg_vector_max (*h, high) : high;
      bounds->any = true;
    }
  }
}

/* The camera of a scene that has none: in front and a little above, with everything in view. */
static KgCamera
scene_frame_camera (const SceneBounds *bounds, double aspect)
{
  const KgVector center = kg_vector_lerp (bounds->low, bounds->high, 0.5);
  const double radius = fmax (0.5 * kg_vector_distance (bounds->low, bounds->high), 1e-3);
  const KgVector z = kg_vector_normalize_or (kg_vector (0.35, 0.35, 1), kg_vector (0, 0, 1));
  const KgVector x = kg_vector_normalize_or (kg_vector_cross (kg_vector (0, 1, 0), z), kg_vector (1, 0, 0));
  const KgVector y = kg_vector_cross (z, x);
  KgCamera camera;
  KgVector eye;
  double half;

  kg_camera_init (&camera);
  /* In images that are higher than wide the view is narrower from side to side than from bottom to top. */
  half = aspect < 1 ? atan (aspect * tan (0.5 * camera.fov)) : 0.5 * camera.fov;
  eye = kg_vector_add_scaled (center, 1.15 * radius / sin (half), z);
  camera.transform =
      (KgTransform){ { { x.x, y.x, z.x, eye.x }, { x.y, y.y, z.y, eye.y }, { x.z, y.z, z.z, eye.z }, { 0, 0, 0, 1 } } };
  camera.near_plane = 1e-3 * radius;
  camera.far_plane = 100 * radius + kg_vector_distance (eye, center);
  return camera;
}

/* standard: the camera of a scene without one */
static const KgCamera *
scene_get_camera (const KgScene *scene, const KgCamera *standard)
{
  return kg_scene_get_n_cameras (scene) > 0 ? kg_scene_get_camera (scene, 0) : standard;
}

static KgScene *
scene_join (KgList list)
{
  KgScene *all = kg_scene_new ();

  for (guint i = 0; i < list.n; i++)
    kg_scene_append (all, list.items[i].scene);
  return all;
}

/* One moment through one point of the lens.  What is left out is said once, not at every moment. */
static KgImage *
scene_draw (const Scene *n, const KgContext *ctx, const KgScene *scene, const KgCamera *camera, GHashTable *told,
            GError **error)
{
  g_autoptr (KgImage) image = kg_image_new (n->width, n->height, true, error);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  Surface surface;
  bool good = true;

  if (image == NULL ||
      !surface_init (&surface, camera, scene, (int) n->width, (int) n->height, scene_samples[n->antialias], error))
    return NULL;
  for (guint i = 0; good && i < kg_scene_get_n_objects (scene); i++)
    good = surface_add_object (&surface, &monitor, kg_scene_get_object (scene, i), i, error);
  for (guint i = 0; i < surface.problems->len; i++) {
    const char *problem = (const char *) g_ptr_array_index (surface.problems, i);

    if (g_hash_table_add (told, g_strdup (problem)))
      kg_context_warn (ctx, "%s", problem);
  }
  good = good && raster_draw (&surface.raster, n->background, image, &monitor, error);
  surface_clear (&surface);
  return good ? g_steal_pointer (&image) : NULL;
}

static bool
scene_demand (const Scene *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  /* Nothing moves while the shutter is open for no time: one moment is enough. */
  const int64_t moments = n->shutter > 0 ? n->blur : 1;

  (void) error;
  for (int64_t i = 0; i < moments; i++) {
    const double t = moments > 1 ? ((double) i + 0.5) / (double) moments - 0.5 : 0;

    kg_demand_at (demand, offsetof (Scene, scenes), ctx->time + t * n->shutter / ctx->rate);
  }
  return true;
}

/* Images that make up the image: at least one of each moment, and of each point of the lens. */
typedef struct {
  guint moments;
  guint count;
  guint stride; /* from one image to the next through the points of the lens */
} SceneShots;

static guint
find_common_divisor (guint a, guint b)
{
  return b == 0 ? a : find_common_divisor (b, a % b);
}

static SceneShots
scene_plan (const Scene *n, const GPtrArray *scenes, const KgCamera *standard)
{
  SceneShots shots = { scenes->len, scenes->len, 1 };
  bool open = false;

  for (guint i = 0; i < scenes->len; i++)
    open = open || scene_get_camera ((const KgScene *) g_ptr_array_index (scenes, i), standard)->aperture > 0;
  if (!open)
    return shots;
  /* As many of each moment. */
  shots.count = shots.moments * (((guint) n->lens + shots.moments - 1) / shots.moments);
  if (shots.moments == 1)
    return shots;
  /* Moments take points from all over the lens: steps near the golden section that meet every point. */
  shots.stride = (guint) lround (0.6180339887498949 * shots.count);
  while (find_common_divisor (shots.count, shots.stride) != 1)
    shots.stride++;
  return shots;
}

/* Points of the lens lie on a spiral that fills its disc evenly (Vogel, A Better Way to Construct the Sunflower Head, 1979). */
static KgCamera
scene_get_shot_camera (const KgCamera *camera, const SceneShots *shots, guint shot)
{
  const guint point = (guint) ((uint64_t) shot * shots->stride % shots->count);
  /* A single point is the centre, where nothing is shifted. */
  const double radius = shots->count > 1 ? sqrt (((double) point + 0.5) / shots->count) : 0;
  const double angle = 2.399963229728653 * point;

  return camera->aperture > 0 ? kg_camera_from_lens (camera, radius * cos (angle), radius * sin (angle)) : *camera;
}

/* Adds a shot to the image, the mean of count.  Their sum has a power of two as a factor, so that the mean of what is opaque in
 * all is 1 to the last bit, and nothing overflows.  Its depth is that of the nearest thing seen in any shot, as it is the
 * nearest of all samples of a pixel: whatever the image shows a trace of has a distance. */
static void
scene_add_shot (KgImage *image, const KgImage *shot, guint i_shot, guint count)
{
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  const float *restrict pixels = kg_image_get_pixels (shot), *restrict distance = kg_image_get_depth (shot);
  float *restrict sum = kg_image_edit_pixels (image), *restrict depth = kg_image_edit_depth (image);
  const float share = ldexpf (1, -(int) g_bit_storage (count - 1));
  const float whole = i_shot + 1 == count ? (float) count * share : 1;
  const bool first = i_shot == 0;

#pragma omp parallel for schedule(dynamic, 16384)
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 4 * i; c < 4 * i + 4; c++)
      sum[c] = ((first ? 0 : sum[c]) + share * pixels[c]) / whole;
    depth[i] = first || distance[i] < depth[i] ? distance[i] : depth[i];
  }
}

/* Tells of what the camera stands in. */
static void
scene_warn_of_inside (const Scene *n, const KgContext *ctx, const KgScene *all)
{
  const KgCamera *camera = kg_scene_get_n_cameras (all) > 0 ? kg_scene_get_camera (all, 0) : NULL;
  const KgTransform *t = camera != NULL ? &camera->transform : NULL;
  int64_t index = camera == NULL || camera->orthographic
                      ? -1
                      : camera_inside_find (all, kg_vector (t->m[0][3], t->m[1][3], t->m[2][3]));

  for (guint i = 0; i < n->scenes.n && index >= 0; i++) {
    const guint count = kg_scene_get_n_objects (n->scenes.items[i].scene);

    if (index < count) {
      kg_context_warn (
          ctx,
          "the camera is inside object %u of item %u of Scenes, and may see nothing else: move it, or remove the "
          "object",
          (guint) index + 1, i + 1);
      return;
    }
    index -= count;
  }
}

static bool
scene_evaluate (Scene *n, const KgContext *ctx, GError **error)
{
  const guint moments = kg_context_get_n_samples (ctx, offsetof (Scene, scenes));
  g_autoptr (GPtrArray) scenes = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_scene_unref);
  g_autoptr (GHashTable) told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  SceneBounds bounds = { .any = false };
  KgCamera standard;
  SceneShots shots;

  /* One standard camera while the shutter is open: if each moment were framed again, nothing would move. */
  for (guint i = 0; i < moments; i++) {
    KgScene *scene = scene_join (kg_context_get_list (ctx, offsetof (Scene, scenes), i));

    g_ptr_array_add (scenes, scene);
    scene_add_bounds (&bounds, scene);
  }
  scene_warn_of_inside (n, ctx, (const KgScene *) g_ptr_array_index (scenes, 0));
  standard = scene_frame_camera (&bounds, (double) n->width / (double) n->height);
  shots = scene_plan (n, scenes, &standard);
  if (shots.count > 1 && (n->image = kg_image_new (n->width, n->height, true, error)) == NULL)
    return false;
  for (guint i = 0; i < shots.count; i++) {
    const KgScene *scene = (const KgScene *) g_ptr_array_index (scenes, (guint64) i * moments / shots.count);
    const KgCamera camera = scene_get_shot_camera (scene_get_camera (scene, &standard), &shots, i);
    g_autoptr (KgImage) shot = scene_draw (n, ctx, scene, &camera, told, error);

    if (shot == NULL)
      return false;
    if (shots.count > 1)
      scene_add_shot (n->image, shot, i, shots.count);
    else
      n->image = g_steal_pointer (&shot);
    kg_context_progress (ctx, (double) (i + 1) / shots.count);
  }
  return true;
}

static const KgSlot scene_slots[] = {
  KG_INPUTS (
      Scene, scenes, SCENE, .label = N_ ("Scenes"), .optional = true,
      .help = N_ (
          "Objects, lights and a camera. The first camera is used; without one the view includes everything, for as long as the shutter is open.")),
  KG_INPUT (Scene, width, INTEGER, .label = N_ ("Width"), .unit = KG_PIXELS, .early = true, .def = 640, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 3840, .help = N_ ("Size of the image.")),
  KG_INPUT (Scene, height, INTEGER, .label = N_ ("Height"), .unit = KG_PIXELS, .early = true, .def = 360, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160, .help = N_ ("Size of the image.")),
  KG_INPUT (Scene, background, COLOR, .label = N_ ("Background"), .def_v = { 0, 0, 0, 0 },
            .help = N_ ("Colour behind everything; transparent by default.")),
  KG_INPUT (Scene, antialias, CHOICE, .label = N_ ("Antialiasing"), .choices = scene_antialias, .def = 1,
            .help = N_ ("Samples per pixel: more samples give smoother edges but take longer.")),
  KG_INPUT (Scene, shutter, NUMBER, .label = N_ ("Shutter"), .unit = KG_FRAMES, .early = true, .def = 0.5, .min = 0,
            .max = 10, .soft_max = 1, .group = N_ ("Motion blur"), .help = N_ ("How long the shutter is open.")),
  KG_INPUT (
      Scene, blur, INTEGER, .label = N_ ("Samples"), .early = true, .def = 1, .min = 1, .max = 256, .soft_max = 32,
      .group = N_ ("Motion blur"),
      .help =
          N_ ("Number of times sampled while the shutter is open. 1 gives a sharp image, 8 or more give motion blur.")),
  KG_INPUT (Scene, lens, INTEGER, .label = N_ ("Points of the lens"), .def = 24, .min = 1, .max = 1024, .soft_max = 128,
            .group = N_ ("Depth of field"),
            .help = N_ ("Number of points of the lens through which a camera with an aperture looks. Large blurs "
                        "need more of them, or they show as separate images.")),
  KG_OUTPUT (
      Scene, image, IMAGE, .label = N_ ("Image"),
      .help = N_ (
          "The image with depth: the distance of the nearest object that each pixel shows at any time while the shutter is open.")),
};

KG_NODE_WITH_DEMAND (
    render, scene, Scene, .label = N_ ("Render Scene"), .version = 2, .since = "0.1", .role = KG_ROLE_RENDERING,
    .tags = N_ ("3d camera light shade phong gouraud wireframe z-buffer picture depth of field bokeh focus"),
    .help = N_ (
        "Renders a scene in 3D: surfaces lit by lights and hidden by nearer ones, seen through a camera. Lines become ribbons and points become discs that face the camera."));

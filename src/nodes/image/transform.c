/* image/transform: moves, turns and scales an image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/edges.h"
#include "image/image_part.h"

typedef struct {
  const KgImage *image;
  KgVector translate;
  double rotate;
  KgVector scale;
  KgVector pivot;
  int filter;
  int edges;
  double shutter;
  int64_t samples;
  IMAGE_WEAR_FIELDS;
  KgImage *transformed;
} Transform;

/* Cosine and sine, of right angles without the rounding of pi. */
static void
transform_get_cos_sin (double angle, double *c, double *s)
{
  *c = cos (angle);
  *s = sin (angle);
  if (fabs (*c) < 1e-12) {
    *c = 0;
    *s = *s > 0 ? 1 : -1;
  } else if (fabs (*s) < 1e-12) {
    *c = *c > 0 ? 1 : -1;
    *s = 0;
  }
}

/* False where the image is scaled to nothing. */
static bool
transform_invert (const Transform *n, int width, int height, double aspect, ResampleMap *map)
{
  /* The pivot in coordinates of the image, whose y goes down. */
  const double pivot[2] = { 0.5 * width + n->pivot.x, 0.5 * height - n->pivot.y };
  const double moved[2] = { pivot[0] + n->translate.x, pivot[1] - n->translate.y };
  double c, s;

  if (fabs (n->scale.x) < RESAMPLE_TINY || fabs (n->scale.y) < RESAMPLE_TINY)
    return false;
  transform_get_cos_sin (n->rotate, &c, &s);
  /* Turned back, then scaled back; turning is round where pixels are wider than high only if x is measured in heights. */
  map->m[0][0] = c / n->scale.x;
  map->m[0][1] = -s / (aspect * n->scale.x);
  map->m[1][0] = s * aspect / n->scale.y;
  map->m[1][1] = c / n->scale.y;
  for (int i = 0; i < 2; i++)
    map->offset[i] = pivot[i] - map->m[i][0] * moved[0] - map->m[i][1] * moved[1];
  return true;
}

/* Inputs that move, at each of the times that the shutter is open; before that, once and now. */
static const size_t transform_moving[] = { offsetof (Transform, translate), offsetof (Transform, rotate),
                                           offsetof (Transform, scale), offsetof (Transform, pivot) };

static bool
transform_demand (const Transform *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  if (n->shutter <= 0 || n->samples < 2)
    return true;
  for (guint f = 0; f < G_N_ELEMENTS (transform_moving); f++)
    for (int64_t k = 0; k < n->samples; k++)
      kg_demand_at (demand, transform_moving[f],
                    ctx->time + n->shutter / ctx->rate * ((double) k + 0.5) / (double) n->samples);
  return true;
}

/* The inputs as they are at one of these times; samples of angles are in degrees. */
static void
transform_take_sample (Transform *n, const KgContext *ctx, guint sample)
{
  n->translate = kg_context_get_sample (ctx, offsetof (Transform, translate), sample)->vector;
  n->rotate = KG_DEGREE * kg_context_get_sample (ctx, offsetof (Transform, rotate), sample)->number;
  n->scale = kg_context_get_sample (ctx, offsetof (Transform, scale), sample)->vector;
  n->pivot = kg_context_get_sample (ctx, offsetof (Transform, pivot), sample)->vector;
}

/* Where the image is at each of the times: maps of so many.  How many there are, for where it is scaled to nothing there is none. */
static int
transform_get_maps (const Transform *n, const KgContext *ctx, int width, int height, ResampleMap *maps)
{
  const guint samples = kg_context_get_n_samples (ctx, offsetof (Transform, translate));
  int count = 0;

  for (guint k = 0; k < MAX (samples, 1); k++) {
    Transform at = *n;

    if (samples >= 2)
      transform_take_sample (&at, ctx, k);
    count += transform_invert (&at, width, height, 1, &maps[count]);
  }
  return count;
}

static bool
transform_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  const Transform *n = (const Transform *) job;
  const guint samples = MAX (kg_context_get_n_samples (ctx, offsetof (Transform, translate)), 1);
  g_autofree ResampleMap *maps = g_new (ResampleMap, samples);
  const int count = transform_get_maps (n, ctx, needed->width, needed->height, maps);
  const KgImagePart out = *needed;
  const ResampleWindow part = image_part_to_window (&out);
  ResampleWindow window;

  (void) field;
  if (!resample_find_window (needed->width, needed->height, maps, count, (ResampleFilter) n->filter,
                             (ResampleEdges) n->edges, &part, &window))
    return false;
  if (count > 0)
    image_part_set_window (needed, &window);
  if (IMAGE_IS_WORN (n))
    image_part_cover (needed, &out);
  return true;
}

static bool
transform_once (const Transform *n, const ImageParts *parts, KgImage *to, const KgProgressMonitor *monitor)
{
  const ResampleSource source = image_part_to_source (&parts->in, kg_image_get_pixels (n->image), n->filter, n->edges);
  ResampleMap map;

  return !transform_invert (n, parts->in.width, parts->in.height, kg_image_get_pixel_aspect (n->image), &map) ||
         resample_image_part (&source, kg_image_get_depth (n->image), &map, parts->out.x, parts->out.y, to, monitor);
}

/* The image at one place, or the mean of those while the shutter is open. */
static bool
transform_expose (Transform *n, const KgContext *ctx, const ImageParts *parts, const KgProgressMonitor *monitor,
                  GError **error)
{
  const int64_t width = parts->out.part_width, height = parts->out.part_height;
  const bool deep = kg_image_get_depth (n->image) != NULL;
  const guint samples = kg_context_get_n_samples (ctx, offsetof (Transform, translate));
  float *sum;

  n->transformed = kg_image_new (width, height, deep, error);
  if (n->transformed == NULL)
    return false;
  kg_image_set_pixel_aspect (n->transformed, kg_image_get_pixel_aspect (n->image));
  if (samples < 2)
    return transform_once (n, parts, n->transformed, monitor);
  sum = kg_image_edit_pixels (n->transformed);
  for (guint k = 0; k < samples; k++) {
    g_autoptr (KgImage) one = kg_image_new (width, height, deep, error);
    const float *from;

    if (one == NULL)
      return false;
    transform_take_sample (n, ctx, k);
    if (!transform_once (n, parts, one, monitor))
      return false;
    from = kg_image_get_pixels (one);
    for (int64_t i = 0; i < 4 * width * height; i++)
      sum[i] += from[i] / (float) samples;
    /* Distances are not mixed: that of the middle counts. */
    if (deep && k == samples / 2)
      memcpy (kg_image_edit_depth (n->transformed), kg_image_get_depth (one),
              (size_t) (width * height) * sizeof (float));
    kg_context_progress (ctx, (k + 1.0) / samples);
  }
  return true;
}

static bool
transform_evaluate (Transform *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageParts parts = image_parts_of (ctx, offsetof (Transform, image), n->image);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  g_autoptr (KgImage) before = NULL;

  if (image_parts_refuse (ctx, n->image) || !transform_expose (n, ctx, &parts, &monitor, error))
    return false;
  if (!IMAGE_IS_WORN (n))
    return true;
  before = image_parts_cut (&parts, n->image, error);
  return before != NULL && image_wear (before, &wear, &n->transformed, &monitor);
}

static const KgSlot transform_slots[] = {
  KG_INPUT (Transform, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image to transform.")),
  KG_INPUT (Transform, translate, VECTOR, .label = N_ ("Translate"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000, .help = N_ ("Translation to the right and up.")),
  KG_INPUT (Transform, rotate, NUMBER, .label = N_ ("Rotate"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("Rotation, counter-clockwise.")),
  KG_INPUT (Transform, scale, VECTOR, .label = N_ ("Scale"), .def_v = { 1, 1, 1 }, .min = -1e6, .max = 1e6,
            .soft_min = 0, .soft_max = 4, .help = N_ ("Scale across and up; negative values mirror.")),
  KG_INPUT (Transform, pivot, VECTOR, .label = N_ ("Pivot"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000,
            .help = N_ ("Point that rotation and scale leave in place, measured to the right and up from the centre.")),
  KG_INPUT (Transform, filter, CHOICE, .label = N_ ("Filter"), .choices = image_filters, .def = RESAMPLE_BILINEAR,
            .help = N_ ("How values between pixels are interpolated.")),
  KG_INPUT (Transform, edges, CHOICE, .label = N_ ("Edges"), .choices = image_edges,
            .help = N_ ("What is shown outside the image.")),
  KG_INPUT (Transform, shutter, NUMBER, .label = N_ ("Shutter"), .early = true, .max = 10, .soft_max = 1,
            .group = N_ ("Motion Blur"),
            .help = N_ (
                "How long the shutter is open, in frames from this one on: 0 for none, 0.5 as in a film camera (180°). "
                "The image is blurred by the motion of this node's inputs.")),
  KG_INPUT (Transform, samples, INTEGER, .label = N_ ("Samples"), .early = true, .def = 16, .min = 1, .max = 1024,
            .soft_max = 64, .group = N_ ("Motion Blur"), .shown_when = "shutter!=0",
            .help = N_ ("Positions that are averaged; few show as separate images.")),
  IMAGE_WEAR_INPUTS (Transform),
  KG_OUTPUT (Transform, transformed, IMAGE, .label = N_ ("Image"),
             .help = N_ ("The transformed image, at the same size as before.")),
};

KG_NODE_WITH_DEMAND (
    image, transform, Transform, .label = N_ ("Transform Image"), .version = 1, .since = "0.1",
    .region = transform_region,
    .tags = N_ (
        "move translate rotate scale flip mirror tile pan zoom shake stabilize reposition position motion blur lanczos mitchell cubic picture"),
    .help = N_ (
        "Scales, rotates and translates an image, in this order, about a pivot. Translations by whole pixels and rotations by right angles are lossless; reduced images are averaged."));

/* image/stabilize: an image held still by tracked points, or moved along with them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/plane_map.h"

#include "frame_samples.h"

typedef struct {
  const KgImage *image;
  const KgImage *frame;
  const KgGeometry *points;
  double reference;
  int direction;
  int model;
  IMAGE_WEAR_FIELDS;
  KgImage *stabilized;
  double residual;
} Stabilize;

enum { DIRECTION_STABILIZE, DIRECTION_MATCH, DIRECTION_PIN, N_DIRECTIONS };

static const KgChoice stabilize_directions[] = {
  [DIRECTION_STABILIZE] = { "stabilize", N_ ("Stabilize: hold the points still") },
  [DIRECTION_MATCH] = { "match", N_ ("Match move: move along with the points") },
  [DIRECTION_PIN] = { "pin", N_ ("Corner pin: fit the image into four points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (stabilize_directions, N_DIRECTIONS);

static const KgChoice stabilize_models[] = {
  [PLANE_TRANSLATION] = { "translation", N_ ("Translation") },
  [PLANE_RIGID] = { "rigid", N_ ("Translation and rotation") },
  [PLANE_SIMILARITY] = { "similarity", N_ ("Translation, rotation and scale") },
  [PLANE_AFFINE] = { "affine", N_ ("Affine: with shear (3 points)") },
  [PLANE_PERSPECTIVE] = { "perspective", N_ ("Perspective (4 points)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (stabilize_models, PLANE_PERSPECTIVE + 1);

static bool
stabilize_demand (const Stabilize *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  (void) error;
  kg_demand_at (demand, offsetof (Stabilize, points), ctx->time);
  if (n->direction != DIRECTION_PIN)
    kg_demand_at (demand, offsetof (Stabilize, points), frame_samples_time (ctx, n->reference));
  return true;
}

/* The image whose size the result has. */
static const KgImage *
stabilize_get_frame (const Stabilize *n)
{
  return n->direction == DIRECTION_PIN && n->frame != NULL ? n->frame : n->image;
}

/* Points of the view as x y pairs in pixels. */
static double *
stabilize_read (const Stabilize *n, const KgGeometry *points, guint count)
{
  const KgImage *frame = stabilize_get_frame (n);
  const double width = kg_image_get_width (frame), height = kg_image_get_height (frame);
  double *pairs = g_new (double, 2 * MAX (count, 1));

  for (guint i = 0; i < count; i++) {
    const float *p = kg_geometry_get_positions (points) + 3 * (size_t) i;

    pairs[2 * i] = 0.5 * width + 0.5 * height * (double) p[0];
    pairs[2 * i + 1] = 0.5 * height * (1 - (double) p[1]);
  }
  return pairs;
}

static bool
stabilize_evaluate (Stabilize *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t field = offsetof (Stabilize, points);
  const KgGeometry *now = kg_context_get_sample (ctx, field, 0)->geometry;
  const KgGeometry *then = n->direction != DIRECTION_PIN ? kg_context_get_sample (ctx, field, 1)->geometry : now;
  const guint count = (guint) MIN (kg_geometry_get_n_points (now), kg_geometry_get_n_points (then));
  const double width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  const double corners[8] = { 0, 0, width, 0, width, height, 0, height };
  const float *confidence = kg_geometry_get_float (now, KG_POINTS, "confidence", 1);
  g_autofree double *from = stabilize_read (n, then, count), *to = stabilize_read (n, now, count);
  g_autofree double *weights = g_new (double, MAX (count, 1));
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  PlaneModel model = (PlaneModel) n->model;
  PlaneMap map;
  double sum = 0;

  if (n->direction == DIRECTION_PIN) {
    if (count < 4) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "a corner pin needs 4 points, but there are %u", count);
      return false;
    }
    model = PLANE_PERSPECTIVE;
    memcpy (from, corners, sizeof corners);
  }
  for (guint i = 0; i < count; i++)
    weights[i] = confidence != NULL ? kg_clamp ((double) confidence[i], 1e-3, 1) : 1;
  if (!plane_map_fit (from, to, weights, n->direction == DIRECTION_PIN ? 4 : count, &model, &map, error))
    return false;
  if (n->direction != DIRECTION_PIN && model != (PlaneModel) n->model)
    kg_context_warn (ctx, "%u points determine only: %s", count, stabilize_models[model].nick);
  for (guint i = 0; i < count && n->direction != DIRECTION_PIN; i++) {
    double there[2];

    if (plane_map_apply (&map, from + 2 * i, there))
      sum += pow (there[0] - to[2 * i], 2) + pow (there[1] - to[2 * i + 1], 2);
  }
  n->residual = count > 0 ? sqrt (sum / count) : 0;
  if (n->direction == DIRECTION_STABILIZE) {
    PlaneMap inverse;

    if (!plane_map_invert (&map, &inverse)) {
      kg_set_error (error, KG_ERROR_DEGENERATE, "the points coincide: their movement cannot be undone");
      return false;
    }
    map = inverse;
    /* The third component is positive in front of the horizon. */
    if (map.m[2][2] < 0)
      for (int i = 0; i < 9; i++)
        (&map.m[0][0])[i] *= -1;
  }
  n->stabilized = frame_samples_new_like (stabilize_get_frame (n), error);
  if (n->stabilized == NULL || !plane_map_warp (n->image, &map, n->stabilized, &monitor))
    return false;
  return n->direction == DIRECTION_PIN || !IMAGE_IS_WORN (n) || image_wear (n->image, &wear, &n->stabilized, &monitor);
}

static const KgSlot stabilize_slots[] = {
  KG_INPUT (Stabilize, image, IMAGE, .label = N_ ("Image"),
            .help = N_ ("The image to hold still, to move along, or to fit in.")),
  KG_INPUT (Stabilize, points, GEOMETRY, .label = N_ ("Points"),
            .help = N_ ("Tracked points. The centre of the image is the origin and its height is 2. The attribute "
                        "confidence weighs them.")),
  KG_INPUT (Stabilize, frame, IMAGE, .label = N_ ("Frame"), .optional = true, .shown_when = "direction=pin",
            .help = N_ ("The image in which the points were tracked: the result has its size. Without it, the size is "
                        "that of the image.")),
  KG_INPUT (Stabilize, reference, NUMBER, .label = N_ ("Reference frame"), .unit = KG_FRAMES, .early = true, .def = 1,
            .min = -1e6, .max = 1e6, .soft_min = 0, .soft_max = 240, .shown_when = "direction=stabilize|match",
            .help = N_ ("Frame that stays as it is.")),
  KG_INPUT (Stabilize, direction, CHOICE, .label = N_ ("Direction"), .early = true, .choices = stabilize_directions,
            .help = N_ ("How the movement of the points is used.")),
  KG_INPUT (
      Stabilize, model, CHOICE, .label = N_ ("Movement"), .choices = stabilize_models, .def = PLANE_SIMILARITY,
      .shown_when = "direction=stabilize|match",
      .help = N_ ("Kinds of common movement that are fitted; any other movement of the points is treated as noise.")),
  IMAGE_WEAR_INPUTS (Stabilize),
  KG_OUTPUT (Stabilize, stabilized, IMAGE, .label = N_ ("Image"), .help = N_ ("The moved image.")),
  KG_OUTPUT (Stabilize, residual, NUMBER, .label = N_ ("Residual"), .unit = KG_PIXELS,
             .help = N_ ("Root of the mean square distance of the points from the movement that was fitted.")),
};

KG_NODE_WITH_DEMAND (
    image, stabilize, Stabilize, .label = N_ ("Stabilize"), .version = 1, .since = "0.1",
    .tags = N_ ("stabilise steady shake match move corner pin cornerpin insert perspective tracking steadicam"),
    .source = "Hartley and Zisserman, Multiple View Geometry, 2nd edition, sections 2.4 and 4.1; Umeyama, 1991",
    .help = N_ (
        "Holds an image still by points that were tracked in it, moves another image along with them, or fits it into "
        "four of them. The movement is the one that fits all points best."));

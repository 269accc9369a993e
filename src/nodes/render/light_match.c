/* render/light_match: the lamp of a photographed scene, so that what is added is lit alike.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/light_match.h"

#include "geometry/vectors.h"
#include "kg-node.h"
#include "kg-floats.h"

typedef struct {
  int method;
  const KgImage *image;
  const KgScene *camera;
  KgVector center;
  double radius;
  const KgGeometry *samples;
  KgVector foot, tip;
  double height;
  double strength_of;
  double ambient, floor, clip, albedo;
  KgScene *scene;
  KgVector direction;
  double elevation;
  double strength;
  KgColor color;
  double residual;
  int64_t lit;
  int64_t clipped;
} LightMatchNode;

enum { MATCH_BALL, MATCH_SAMPLES, MATCH_SHADOW, MATCH_N_METHODS };

static const KgChoice match_methods[] = {
  [MATCH_BALL] = { "ball", N_ ("Ball: a matt grey ball in the image") },
  [MATCH_SAMPLES] = { "samples", N_ ("Samples: points with N and brightness") },
  [MATCH_SHADOW] = { "shadow", N_ ("Shadow: a post and the tip of its shadow") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (match_methods, MATCH_N_METHODS);

/* Larger balls are read in steps. */
#define MAX_SAMPLES 1000000

/* The direction in the world of one in the image: x right, y up, z towards the camera. */
static KgVector
to_world (const KgTransform *camera, KgVector v)
{
  KgVector w;

  if (camera == NULL)
    return v;
  w = kg_vector (camera->m[0][0] * v.x + camera->m[0][1] * v.y + camera->m[0][2] * v.z,
                 camera->m[1][0] * v.x + camera->m[1][1] * v.y + camera->m[1][2] * v.z,
                 camera->m[2][0] * v.x + camera->m[2][1] * v.y + camera->m[2][2] * v.z);
  return kg_vector_normalize_or (w, v);
}

static bool
read_ball (const LightMatchNode *n, GArray *samples, const KgContext *ctx, GError **error)
{
  const KgTransform *camera = NULL;
  int width, height;
  double aspect;

  if (n->image == NULL) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "no image: link the image with the ball, or use another method");
    return false;
  }
  if (n->camera != NULL) {
    if (kg_scene_get_n_cameras (n->camera) == 0) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the scene has no camera: link a Camera, or remove the link");
      return false;
    }
    camera = &kg_scene_get_camera (n->camera, 0)->transform;
  }
  width = kg_image_get_width (n->image);
  height = kg_image_get_height (n->image);
  aspect = kg_image_get_pixel_aspect (n->image);
  const double seen = fmin (4 * n->radius * n->radius, (double) width * (double) height);
  const int step = (int) fmax (1, ceil (sqrt (seen / MAX_SAMPLES)));

  for (int row = 0; row < height; row += step) {
    const double y = (0.5 * height - (row + 0.5) - n->center.y) / n->radius;

    if (kg_context_is_cancelled (ctx))
      return false;
    if (fabs (y) >= 1)
      continue;
    for (int column = 0; column < width; column += step) {
      const double x = ((column + 0.5 - 0.5 * width) * aspect - n->center.x) / n->radius, rest = 1 - x * x - y * y;
      const float *p = kg_image_get_pixels (n->image) + 4 * ((size_t) row * (size_t) width + (size_t) column);
      LightSample sample;

      if (!(rest > 0) || !(p[3] > 0))
        continue;
      sample.normal = to_world (camera, kg_vector (x, y, sqrt (rest)));
      for (int c = 0; c < 3; c++)
        sample.brightness[c] = (double) p[c] / (double) p[3];
      g_array_append_val (samples, sample);
    }
  }
  return true;
}

static bool
read_samples (const LightMatchNode *n, GArray *samples, GError **error)
{
  const float *normals = NULL, *one = NULL, *three = NULL;

  if (n->samples != NULL) {
    normals = kg_geometry_get_float (n->samples, KG_POINTS, "N", 3);
    one = kg_geometry_get_float (n->samples, KG_POINTS, "brightness", 1);
    three = kg_geometry_get_float (n->samples, KG_POINTS, "brightness", 3);
  }
  if (normals == NULL || (one == NULL && three == NULL)) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED,
                  "no samples: link points with the attributes N (a vector) and brightness (a number or a vector)");
    return false;
  }
  for (size_t i = 0; i < kg_geometry_get_n_points (n->samples); i++) {
    const KgVector normal = kg_floats_get_vector (normals, i);
    LightSample sample;

    if (!vectors_normalize (normal, &sample.normal))
      continue;
    for (size_t c = 0; c < 3; c++)
      sample.brightness[c] = (double) (three != NULL ? three[3 * i + c] : one[i]);
    g_array_append_val (samples, sample);
  }
  return true;
}

static bool
light_match_shade (LightMatchNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const LightMatchLimits limits = { n->ambient, n->floor, n->clip };
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (LightSample));
  LightMatch match;

  if (!(n->method == MATCH_BALL ? read_ball (n, samples, ctx, error) : read_samples (n, samples, error)) ||
      !light_match_solve ((const LightSample *) (const void *) samples->data, samples->len, &limits, &match, &monitor,
                          error))
    return false;
  n->direction = kg_vector_normalize_or (match.light, kg_vector (0, 1, 0));
  n->strength = kg_vector_length (match.light) / n->albedo;
  n->color = (KgColor){ match.color[0], match.color[1], match.color[2], 1 };
  n->residual = match.residual;
  n->lit = (int64_t) match.lit;
  n->clipped = (int64_t) match.clipped;
  if (match.clipped > 0)
    kg_context_warn (ctx, "%zu clipped samples are left out", match.clipped);
  return true;
}

static bool
light_match_evaluate (LightMatchNode *n, const KgContext *ctx, GError **error)
{
  if (n->method == MATCH_SHADOW) {
    if (!light_match_shadow (n->foot, n->tip, kg_vector (0, 1, 0), n->height, &n->direction))
      kg_context_warn (ctx, "the post or its shadow has no length: the lamp is assumed to be straight above");
    n->strength = n->strength_of;
    n->color = (KgColor){ 1, 1, 1, 1 };
  } else if (!light_match_shade (n, ctx, error))
    return false;
  n->elevation = asin (kg_clamp (n->direction.y, -1, 1));
  const KgLight light = { .kind = KG_LIGHT_DIRECTIONAL,
                          .direction = kg_vector_scale (n->direction, -1),
                          .color = n->color,
                          .intensity = n->strength,
                          .distance = 1 };

  n->scene = kg_scene_new ();
  kg_scene_add_light (n->scene, &light);
  return true;
}

static const KgSlot light_match_slots[] = {
  KG_INPUT (LightMatchNode, method, CHOICE, .label = N_ ("Method"), .choices = match_methods,
            .help = N_ ("How the lamp is found.")),
  KG_INPUT (LightMatchNode, image, IMAGE, .label = N_ ("Image"), .optional = true, .shown_when = "method=ball",
            .help = N_ ("The image with the ball, in linear light.")),
  KG_INPUT (LightMatchNode, camera, SCENE, .label = N_ ("Camera"), .optional = true, .shown_when = "method=ball",
            .help = N_ ("The camera of the image, for a direction in the world. Without one the image is taken to "
                        "look along −z, with y up.")),
  KG_INPUT (LightMatchNode, center, VECTOR, .label = N_ ("Centre"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000, .shown_when = "method=ball",
            .help = N_ ("Centre of the ball, to the right and up from the centre of the image.")),
  KG_INPUT (LightMatchNode, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_PIXELS, .def = 50, .min = 0.5,
            .max = 1e6, .soft_max = 500, .shown_when = "method=ball", .help = N_ ("Radius of the ball.")),
  KG_INPUT (LightMatchNode, samples, GEOMETRY, .label = N_ ("Samples"), .optional = true,
            .shown_when = "method=samples",
            .help = N_ ("Points on one even matt material, with the attributes N, the normal, and brightness, a number "
                        "or red, green and blue.")),
  KG_INPUT (LightMatchNode, foot, VECTOR, .label = N_ ("Foot"), .unit = KG_METRES, .shown_when = "method=shadow",
            .help = N_ ("Where the post stands on the ground.")),
  KG_INPUT (LightMatchNode, tip, VECTOR, .label = N_ ("Tip"), .unit = KG_METRES, .def_v = { 1, 0, 0 },
            .shown_when = "method=shadow", .help = N_ ("Tip of its shadow on the ground.")),
  KG_INPUT (LightMatchNode, height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .def = 1, .max = 1e6,
            .soft_max = 10, .shown_when = "method=shadow", .help = N_ ("Height of the post.")),
  KG_INPUT (LightMatchNode, strength_of, NUMBER, .label = N_ ("Strength"), .def = 1, .max = 1e6, .soft_max = 4,
            .shown_when = "method=shadow", .help = N_ ("Strength of the lamp, which a shadow does not reveal.")),
  KG_INPUT (LightMatchNode, ambient, NUMBER, .label = N_ ("Ambient"), .max = 1e6, .soft_max = 1,
            .shown_when = "method=ball|samples",
            .help = N_ ("Brightness of the material where the lamp does not reach; it is subtracted.")),
  KG_INPUT (LightMatchNode, floor, NUMBER, .label = N_ ("Floor"), .def = 0.02, .max = 1e6, .soft_max = 0.5,
            .shown_when = "method=ball|samples",
            .help = N_ ("Brightness above the ambient from which a sample counts as lit.")),
  KG_INPUT (LightMatchNode, clip, NUMBER, .label = N_ ("Clip"), .def = 1, .min = 1e-6, .max = 1e9, .soft_max = 4,
            .shown_when = "method=ball|samples",
            .help = N_ ("Samples as bright as this in any channel are overexposed and left out.")),
  KG_INPUT (LightMatchNode, albedo, NUMBER, .label = N_ ("Albedo"), .def = 1, .min = 1e-3, .max = 1000, .soft_max = 1,
            .shown_when = "method=ball|samples",
            .help = N_ ("Share of the light that the material reflects: 0.18 for a grey ball of photographers.")),
  KG_OUTPUT (LightMatchNode, scene, SCENE, .label = N_ ("Scene"), .help = N_ ("A scene with the lamp.")),
  KG_OUTPUT (LightMatchNode, direction, VECTOR, .label = N_ ("Direction"),
             .help = N_ ("Unit direction towards the lamp.")),
  KG_OUTPUT (LightMatchNode, elevation, NUMBER, .label = N_ ("Elevation"), .unit = KG_DEGREES,
             .help = N_ ("Elevation of the lamp.")),
  KG_OUTPUT (LightMatchNode, strength, NUMBER, .label = N_ ("Strength"), .help = N_ ("Strength of the lamp.")),
  KG_OUTPUT (LightMatchNode, color, COLOR, .label = N_ ("Colour"),
             .help = N_ ("Colour of the lamp, of luminance 1. It cannot be separated from that of the material.")),
  KG_OUTPUT (LightMatchNode, residual, NUMBER, .label = N_ ("Residual"),
             .help = N_ ("Root mean square of what the lamp leaves unexplained, in brightness.")),
  KG_OUTPUT (LightMatchNode, lit, INTEGER, .label = N_ ("Lit"), .help = N_ ("Samples that were used.")),
  KG_OUTPUT (LightMatchNode, clipped, INTEGER, .label = N_ ("Clipped"),
             .help = N_ ("Samples left out because they are overexposed.")),
};

KG_NODE (
    render, light_match, LightMatchNode, .label = N_ ("Light Match"), .version = 1, .since = "0.1",
    .tags = N_ ("lamp sun plate lighting grey ball chrome shadow photometric match composite estimate"),
    .formula = "brightness − ambient = n·s,   s = (NᵀN)⁻¹Nᵀ(brightness − ambient) over what is lit\n"
               "shadow: s = foot + height · up − tip",
    .source = "R. J. Woodham, Photometric Method for Determining Surface Orientation from Multiple Images, 1980, "
              "with normals and light exchanged",
    .help = N_ (
        "Finds the direction, strength and colour of the lamp in a photographed scene, so that what is added can be "
        "lit in the same way: from a matt ball in the image, from samples with known normals, or from the shadow of a "
        "post."));

/* image/beam: beams of light and blasts that fly, added to an image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/beam.h"

#include "image/image_wear.h"
#include "kg-random.h"

typedef struct {
  IMAGE_FIELDS;
  const KgScene *camera;
  const KgImage *depth;
  KgVector from, to;
  double width;
  double thickness;
  KgColor color;
  double gain;
  KgColor core_color;
  double core;
  double core_width;
  double length;
  double speed;
  double start;
  double flicker;
  int64_t seed;
} BeamNode;

/* The piece of the way that shines now, in shares of it; false where the blast is not yet or no longer there. */
static bool
beam_get_piece (const BeamNode *n, double time, double piece[2])
{
  const double head = n->speed > 0 ? n->speed * (time - n->start) : n->length;
  const double tail = head - n->length;

  piece[0] = fmax (tail, 0);
  piece[1] = fmin (head, 1);
  return n->speed > 0 ? head >= 0 && tail <= 1 : true;
}

static bool
beam_check_depth (const BeamNode *n, const KgContext *ctx, GError **error)
{
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);

  if (n->depth == NULL)
    return true;
  if (n->camera == NULL) {
    kg_context_warn (ctx, "the depth is not used: a beam in the plane of the image has none; link a Camera");
    return true;
  }
  if (kg_image_get_depth (n->depth) == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "an image without depth: connect the image of a scene, or leave Depth without a link");
    return false;
  }
  if (kg_image_get_width (n->depth) != width || kg_image_get_height (n->depth) != height) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "depth of %d × %d pixels for an image of %d × %d pixels: use the same size",
                  kg_image_get_width (n->depth), kg_image_get_height (n->depth), width, height);
    return false;
  }
  return true;
}

/* seen: whether any of it is in front of the camera. */
static bool
beam_place (const BeamNode *n, const double piece[2], Beam *beam, bool *seen, GError **error)
{
  const KgVector from = kg_vector_lerp (n->from, n->to, piece[0]), to = kg_vector_lerp (n->from, n->to, piece[1]);
  const double width = kg_image_get_width (n->image) * kg_image_get_pixel_aspect (n->image);
  const double height = kg_image_get_height (n->image);
  View view;

  *seen = true;
  if (n->camera == NULL) {
    beam->from = (BeamEnd){ 0.5 * width + from.x, 0.5 * height - from.y, n->width, 0 };
    beam->to = (BeamEnd){ 0.5 * width + to.x, 0.5 * height - to.y, n->width, 0 };
    return true;
  }
  if (kg_scene_get_n_cameras (n->camera) == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the scene has no camera: link a Camera, or remove the link for a beam in the plane of the image");
    return false;
  }
  if (!view_init (&view, kg_scene_get_camera (n->camera, 0), width / height, error))
    return false;
  *seen = beam_project (beam, &view, from, to, n->thickness, width, height);
  if (n->depth != NULL)
    beam->behind = kg_image_get_depth (n->depth);
  return true;
}

static bool
beam_evaluate (BeamNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const double *halo = &n->color.r, *core = &n->core_color.r;
  const uint64_t frame = (uint64_t) (int64_t) nearbyint (ctx->frame);
  const double blink = 1 - n->flicker * kg_random_uniform ((uint64_t) n->seed, 0, frame);
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  Beam beam = { .core_share = n->core_width };
  double piece[2];
  bool flies, seen;

  for (int c = 0; c < 3; c++) {
    beam.halo[c] = (float) (halo[c] * n->gain * blink);
    beam.core[c] = (float) (core[c] * n->core * blink);
  }
  flies = beam_get_piece (n, ctx->time, piece);
  if (!beam_check_depth (n, ctx, error) || !beam_place (n, piece, &beam, &seen, error))
    return false;
  IMAGE_BEGIN (n);
  return !flies || !seen ||
         (beam_add (&n->result, &beam, &monitor) && image_wear (before, &wear, &n->result, &monitor));
}

static const KgSlot beam_slots[] = {
  IMAGE_INPUT (BeamNode, N_ ("The image that the light is added to.")),
  KG_INPUT (
      BeamNode, camera, SCENE, .label = N_ ("Camera"), .optional = true,
      .help = N_ ("A scene with the camera that sees the image. Then the ends are places in the world, in metres, "
                  "and the beam gets narrower with depth.")),
  KG_INPUT (BeamNode, depth, IMAGE, .label = N_ ("Depth"), .optional = true, .shown_when = "camera=linked",
            .help = N_ ("An image with depth, as large as the image: things nearer than the beam hide it. For a matte "
                        "of such things use the mask, inverted.")),
  KG_INPUT (BeamNode, from, VECTOR, .label = N_ ("From"), .def_v = { -200, 0, 0 }, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000,
            .help = N_ ("Where the beam begins: pixels to the right and up from the centre of the image, or with a "
                        "camera metres in the world.")),
  KG_INPUT (BeamNode, to, VECTOR, .label = N_ ("To"), .def_v = { 200, 0, 0 }, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000,
            .help = N_ ("Where the beam ends. If this is also where it begins, the beam is a round glow.")),
  KG_INPUT (BeamNode, width, NUMBER, .label = N_ ("Width"), .unit = KG_PIXELS, .def = 6, .max = 1e5, .soft_max = 50,
            .shown_when = "camera=unlinked",
            .help = N_ ("Standard deviation of the light across the beam, without a camera. At 0 nothing is added.")),
  KG_INPUT (BeamNode, thickness, NUMBER, .label = N_ ("Thickness"), .unit = KG_METRES, .def = 0.05, .max = 1e5,
            .soft_max = 1, .shown_when = "camera=linked",
            .help = N_ ("Standard deviation of the light across the beam in space, with a camera.")),
  KG_INPUT (BeamNode, color, COLOR, .label = N_ ("Colour"), .def_v = { 1, 0.15, 0.08, 1 },
            .help = N_ ("Colour of the halo.")),
  KG_INPUT (BeamNode, gain, NUMBER, .label = N_ ("Gain"), .def = 1, .max = 1e6, .soft_max = 4,
            .help = N_ ("Light of the halo on the axis, as a multiple of its colour.")),
  KG_INPUT (BeamNode, core_color, COLOR, .label = N_ ("Core Colour"), .def_v = { 1, 1, 1, 1 }, .group = N_ ("Core"),
            .help = N_ ("Colour of the core.")),
  KG_INPUT (BeamNode, core, NUMBER, .label = N_ ("Core Gain"), .def = 1, .max = 1e6, .soft_max = 4,
            .group = N_ ("Core"), .help = N_ ("Light of the core on the axis. At 0 there is only the halo.")),
  KG_INPUT (BeamNode, core_width, NUMBER, .label = N_ ("Core Width"), .unit = KG_PERCENT, .def = 0.35, .max = 1,
            .group = N_ ("Core"), .help = N_ ("Standard deviation of the core as a share of that of the halo.")),
  KG_INPUT (BeamNode, length, NUMBER, .label = N_ ("Length"), .unit = KG_PERCENT, .def = 1, .max = 1,
            .group = N_ ("Blast"), .help = N_ ("Share of the path that shines. Less than all of it is a blast.")),
  KG_INPUT (
      BeamNode, speed, NUMBER, .label = N_ ("Speed"), .max = 1e6, .soft_max = 10, .group = N_ ("Blast"),
      .help = N_ (
          "Number of times per second that the blast travels the whole path: it emerges at the beginning and vanishes "
          "at the end. At 0 it stays at the beginning.")),
  KG_INPUT (BeamNode, start, NUMBER, .label = N_ ("Start"), .unit = KG_SECONDS, .min = -1e6, .max = 1e6, .soft_min = 0,
            .soft_max = 10, .group = N_ ("Blast"),
            .help = N_ ("Time at which the tip of the blast leaves the beginning.")),
  KG_INPUT (BeamNode, flicker, NUMBER, .label = N_ ("Flicker"), .unit = KG_PERCENT, .max = 1, .group = N_ ("Flicker"),
            .help = N_ ("Largest share of its light that the beam loses at random in each frame.")),
  KG_INPUT (BeamNode, seed, INTEGER, .label = N_ ("Seed"), .soft_max = 100, .min = -1e9, .max = 1e9, .soft_min = 0,
            .group = N_ ("Flicker"), .help = N_ ("Each number gives a different flicker.")),
  IMAGE_WEAR (BeamNode, N_ ("The image with the beam.")),
};

KG_NODE (image, beam, BeamNode, .label = N_ ("Beam"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
         .tags = N_ ("laser ray blast bolt light sabre glow shot effect add line neon"),
         .formula = "result = image + colour · gain · exp(−d²/(2σ²)) + core,   d: distance from the beam\n"
                    "with a camera σ = thickness · f/z; from 6σ on nothing is added",
         .source = "Parent, Computer Animation: lasers and explosions added to live plates",
         .help = N_ (
             "Adds a beam of light to an image, such as a laser: a white core in a coloured halo. It lies in the "
             "plane of the image, or in space as a camera sees it, where it can pass behind things. A part of it can "
             "fly along its path as a blast. Alpha is unchanged: light covers nothing."));

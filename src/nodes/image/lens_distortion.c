/* image/lens_distortion: an image through a lens, or without it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/lens.h"

#include "image/edges.h"
#include "image/image_part.h"

typedef struct {
  IMAGE_FIELDS;
  int direction;
  double k1;
  double k2;
  double k3;
  double p1;
  double p2;
  KgVector centre;
  double squeeze;
  double scale;
  double fringe;
  int filter;
  int edges;
} LensDistortion;

enum { DIRECTION_DISTORT, DIRECTION_UNDISTORT, N_DIRECTIONS };

static const KgChoice lens_distortion_directions[] = {
  [DIRECTION_DISTORT] = { "distort", N_ ("Distort: as through the lens") },
  [DIRECTION_UNDISTORT] = { "undistort", N_ ("Undistort: as without it") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (lens_distortion_directions, N_DIRECTIONS);

typedef struct {
  Lens lens;
  bool distort;
  double scale;
} View;

static bool
find_through_lens (const void *data, double x, double y, double *from)
{
  const View *view = (const View *) data;
  const double u = view->lens.centre[0] + (x - view->lens.centre[0]) / view->scale;
  const double v = view->lens.centre[1] + (y - view->lens.centre[1]) / view->scale;

  if (view->distort)
    return lens_undistort (&view->lens, u, v, from);
  lens_distort (&view->lens, u, v, from);
  return true;
}

/* Of an image of this size. */
static View
lens_distortion_get_view (const LensDistortion *n, int width, int height, double aspect)
{
  const double unit = 0.5 * hypot (width * aspect, height);

  return (View){ .lens = { .centre = { 0.5 * width + n->centre.x, 0.5 * height - n->centre.y },
                           .unit = { unit / aspect * n->squeeze, unit },
                           .k = { n->k1, n->k2, n->k3 },
                           .p = { n->p1, n->p2 } },
                 .distort = n->direction == DIRECTION_DISTORT,
                 .scale = n->scale };
}

/* Red and blue light is refracted less and more: their images are larger and smaller. */
static View
lens_distortion_get_fringe (const LensDistortion *n, const View *view, int channel)
{
  View other = *view;

  other.scale *= channel == 0 ? 1 + n->fringe : 1 / (1 + n->fringe);
  return other;
}

static bool
lens_distortion_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  const LensDistortion *n = (const LensDistortion *) job;
  const View view = lens_distortion_get_view (n, needed->width, needed->height, 1);
  const ImageWarp warp = { find_through_lens, &view, NULL, n->filter, n->edges };
  const KgImagePart part = *needed;

  (void) field;
  if (!image_warp_find_part (&warp, ctx, needed))
    return false;
  for (int c = 0; c < 4 && n->fringe != 0; c += 2) {
    const View other = lens_distortion_get_fringe (n, &view, c);
    const ImageWarp fringe = { find_through_lens, &other, NULL, n->filter, n->edges };
    KgImagePart more = part;

    if (!image_warp_find_part (&fringe, ctx, &more))
      return false;
    image_part_cover (needed, &more);
  }
  return true;
}

static bool
lens_distortion_evaluate (LensDistortion *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const ImageParts parts = image_parts_of (ctx, offsetof (LensDistortion, image), n->image);
  const View view = lens_distortion_get_view (n, parts.in.width, parts.in.height, kg_image_get_pixel_aspect (n->image));
  const ImageWarp warp = { find_through_lens, &view, NULL, n->filter, n->edges };
  const size_t numbers = 4 * (size_t) parts.out.part_width * (size_t) parts.out.part_height;
  g_autoptr (KgImage) before = NULL;

  if (image_parts_refuse (ctx, n->image))
    return false;
  before = image_parts_cut (&parts, n->image, error);
  n->result = before != NULL ? image_warp_run (&warp, &parts, n->image, &monitor, error) : NULL;
  if (n->result == NULL)
    return false;
  for (int c = 0; c < 4 && n->fringe != 0; c += 2) {
    const View other = lens_distortion_get_fringe (n, &view, c);
    const ImageWarp fringe = { find_through_lens, &other, NULL, n->filter, n->edges };
    g_autoptr (KgImage) colored = image_warp_run (&fringe, &parts, n->image, &monitor, error);
    float *to = kg_image_edit_pixels (n->result);

    if (colored == NULL)
      return false;
    for (size_t i = (size_t) c; i < numbers; i += 4)
      to[i] = kg_image_get_pixels (colored)[i];
  }
  return image_wear (before, &wear, &n->result, &monitor);
}

#define COEFFICIENT(name_, label_, help_)                                                                              \
  KG_INPUT (LensDistortion, name_, NUMBER, .label = label_, .min = -100, .max = 100, .soft_min = -1, .soft_max = 1,    \
            .help = help_)

static const KgSlot lens_distortion_slots[] = {
  IMAGE_INPUT (LensDistortion, N_ ("The image to distort.")),
  KG_INPUT (LensDistortion, direction, CHOICE, .label = N_ ("Direction"), .choices = lens_distortion_directions,
            .help = N_ ("Whether the lens is added to the image or removed from it.")),
  COEFFICIENT (k1, N_ ("Radial 1"),
               N_ ("Factor of r², where r is 1 at the corners of the image. Negative: barrel, positive: pincushion.")),
  COEFFICIENT (k2, N_ ("Radial 2"), N_ ("Factor of r⁴.")),
  COEFFICIENT (k3, N_ ("Radial 3"), N_ ("Factor of r⁶.")),
  COEFFICIENT (
      p1, N_ ("Decentering 1"),
      N_ ("Tangential distortion of lenses with misaligned elements: shifts the image down by p₁ (r² + 2 v²) and to the right by 2 p₁ u v. As in calibration programs, u points to the right and v downwards from the centre.")),
  COEFFICIENT (p2, N_ ("Decentering 2"), N_ ("The same, to the right by p₂ (r² + 2 u²) and down by 2 p₂ u v.")),
  KG_INPUT (LensDistortion, centre, VECTOR, .label = N_ ("Centre"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000, .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("Optical axis, to the right and up from the centre of the image.")),
  KG_INPUT (LensDistortion, squeeze, NUMBER, .label = N_ ("Squeeze"), .def = 1, .min = 0.1, .max = 10, .soft_min = 0.5,
            .soft_max = 2,
            .help = N_ ("For anamorphic lenses: width of the circles of equal distortion over their height.")),
  KG_INPUT (LensDistortion, scale, NUMBER, .label = N_ ("Scale"), .def = 1, .min = 0.001, .max = 1000, .soft_min = 0.5,
            .soft_max = 2, .help = N_ ("Enlarges the result, to hide its edges.")),
  KG_INPUT (
      LensDistortion, fringe, NUMBER, .label = N_ ("Colour Fringes"), .min = -0.5, .max = 0.5, .soft_min = -0.02,
      .soft_max = 0.02,
      .help = N_ (
          "Lateral chromatic aberration: how much larger the red image is than the green one, and the green one than the blue one.")),
  KG_INPUT (LensDistortion, filter, CHOICE, .label = N_ ("Filter"), .choices = image_filters, .def = RESAMPLE_BICUBIC,
            .help = N_ ("How values between pixels are interpolated.")),
  KG_INPUT (LensDistortion, edges, CHOICE, .label = N_ ("Edges"), .choices = image_edges,
            .help = N_ ("What is shown outside the image.")),
  IMAGE_WEAR (LensDistortion, N_ ("The distorted image.")),
};

KG_NODE (
    image, lens_distortion, LensDistortion, .label = N_ ("Lens Distortion"), .version = 1, .since = "0.1",
    .region = lens_distortion_region,
    .tags =
        N_ ("lens distortion undistort barrel pincushion fisheye brown conrady chromatic aberration anamorphic camera"),
    .formula = "d = u (1 + k₁ r² + k₂ r⁴ + k₃ r⁶) + (2 p₁ u v + p₂ (r² + 2 u²), p₁ (r² + 2 v²) + 2 p₂ u v)",
    .source = "Brown, Decentering Distortion of Lenses, 1966",
    .help = N_ (
        "Distorts an image as a lens does, or removes the distortion: undistort a plate, work on straight lines, and "
        "distort the result with the same numbers."));

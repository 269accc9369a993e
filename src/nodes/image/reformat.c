/* image/reformat: an image at another size.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/resize.h"

#include "image/edges.h"
#include "image/image_wear.h"

typedef struct {
  const KgImage *image;
  const KgImage *like;
  int by;
  int64_t width;
  int64_t height;
  double factor;
  double aspect;
  int fit;
  bool flip;
  bool flop;
  int filter;
  IMAGE_WEAR_FIELDS;
  KgImage *result;
} Reformat;

enum { BY_SIZE, BY_FACTOR, N_BYS };
enum { FIT_INSIDE, FIT_FILL, FIT_WIDTH, FIT_HEIGHT, FIT_DISTORT, FIT_NONE, N_FITS };

static const KgChoice reformat_bys[] = {
  [BY_SIZE] = { "size", N_ ("Size") },
  [BY_FACTOR] = { "factor", N_ ("Factor") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (reformat_bys, N_BYS);

static const KgChoice reformat_fits[] = {
  [FIT_INSIDE] = { "fit", N_ ("Fit: all of it is visible") },
  [FIT_FILL] = { "fill", N_ ("Fill: no border is left") },
  [FIT_WIDTH] = { "width", N_ ("Width") },
  [FIT_HEIGHT] = { "height", N_ ("Height") },
  [FIT_DISTORT] = { "distort", N_ ("Distort to both") },
  [FIT_NONE] = { "none", N_ ("None: centred as it is") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (reformat_fits, N_FITS);

/* Source pixels per pixel of the result, across and down. */
static void
reformat_get_steps (const Reformat *n, double from_aspect, double *step)
{
  const double across = (double) kg_image_get_width (n->image) / (double) n->width;
  const double down = (double) kg_image_get_height (n->image) / (double) n->height;
  /* What keeps shapes: steps across are those down, times this. */
  const double shape = n->aspect / from_aspect, by_width = across / shape;

  if (n->fit == FIT_DISTORT) {
    step[0] = across;
    step[1] = down;
    return;
  }
  step[1] = n->fit == FIT_INSIDE   ? fmax (by_width, down)
            : n->fit == FIT_FILL   ? fmin (by_width, down)
            : n->fit == FIT_WIDTH  ? by_width
            : n->fit == FIT_HEIGHT ? down
                                   : 1;
  step[0] = step[1] * shape;
}

/* The image as it is, in the middle of the new frame, which is what a mask or mix leaves.  (transfer full) (nullable) */
static KgImage *
reformat_center (const Reformat *n, GError **error)
{
  const ImageSource source = image_source (n->image, n->result, 0, 0);
  const size_t width = (size_t) n->width;
  KgImage *image = kg_image_new (n->width, n->height, false, error);
  float *to = image != NULL ? kg_image_edit_pixels (image) : NULL;

  for (int y = 0; image != NULL && y < n->height; y++) {
    const float *row = image_source_fetch (&source, 0, y, width, to + 4 * width * (size_t) y);

    if (row != to + 4 * width * (size_t) y)
      memcpy (to + 4 * width * (size_t) y, row, 4 * width * sizeof *to);
  }
  return image;
}

static bool
reformat_evaluate (Reformat *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  const ResampleSource source = { kg_image_get_pixels (n->image), width, height, (ResampleFilter) n->filter,
                                  RESAMPLE_TRANSPARENT };
  const double from_aspect = kg_image_get_pixel_aspect (n->image);
  const float *depth = kg_image_get_depth (n->image);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  ResizeAxis axes[2];
  double step[2];

  if (n->aspect == 0)
    n->aspect = n->like != NULL ? kg_image_get_pixel_aspect (n->like) : from_aspect;
  if (n->like != NULL) {
    n->width = kg_image_get_width (n->like);
    n->height = kg_image_get_height (n->like);
  } else if (n->by == BY_FACTOR) {
    n->width = (int64_t) fmax (nearbyint (width * n->factor * from_aspect / n->aspect), 1);
    n->height = (int64_t) fmax (nearbyint (height * n->factor), 1);
    n->fit = FIT_DISTORT;
  }
  n->result = kg_image_new (n->width, n->height, depth != NULL, error);
  if (n->result == NULL)
    return false;
  kg_image_set_pixel_aspect (n->result, n->aspect);
  reformat_get_steps (n, from_aspect, step);
  for (int k = 0; k < 2; k++) {
    const double size = k == 0 ? width : height, pixels = k == 0 ? (double) n->width : (double) n->height;
    const bool mirrored = k == 0 ? n->flop : n->flip;

    axes[k].step = mirrored ? -step[k] : step[k];
    /* Unscaled images stay on whole pixels. */
    axes[k].start = (n->fit == FIT_NONE ? floor (0.5 * (size - step[k] * pixels)) : 0.5 * (size - step[k] * pixels)) +
                    (mirrored ? step[k] * pixels : 0);
  }
  for (int64_t i = 0; depth != NULL && i < n->width * n->height; i++) {
    const double x = floor (axes[0].start + axes[0].step * ((double) (i % n->width) + 0.5));
    const double y = floor (axes[1].start + axes[1].step * ((double) (i / n->width) + 0.5));

    if (x >= 0 && x < width && y >= 0 && y < height)
      kg_image_edit_depth (n->result)[i] = depth[(size_t) y * (size_t) width + (size_t) x];
  }
  if (!resize_image (&source, &axes[0], &axes[1], kg_image_edit_pixels (n->result), (int) n->width, (int) n->height,
                     &monitor))
    return false;
  if (IMAGE_IS_WORN (n)) {
    g_autoptr (KgImage) before = reformat_center (n, error);

    return before != NULL && image_wear (before, &wear, &n->result, &monitor);
  }
  return true;
}

static const KgSlot reformat_slots[] = {
  KG_INPUT (Reformat, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image to resize.")),
  KG_INPUT (Reformat, by, CHOICE, .label = N_ ("By"), .choices = reformat_bys, .shown_when = "like=unlinked",
            .help = N_ ("How the new size is given.")),
  KG_INPUT (Reformat, width, INTEGER, .shown_when = "like=unlinked&by=size", .label = N_ ("Width"), .unit = KG_PIXELS,
            .def = 1920, .min = 1, .max = KG_IMAGE_MAX_SIDE, .soft_max = 3840, .help = N_ ("Size of the result.")),
  KG_INPUT (Reformat, height, INTEGER, .shown_when = "like=unlinked&by=size", .label = N_ ("Height"), .unit = KG_PIXELS,
            .def = 1080, .min = 1, .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160, .help = N_ ("Size of the result.")),
  KG_INPUT (Reformat, factor, NUMBER, .shown_when = "like=unlinked&by=factor", .label = N_ ("Factor"), .def = 0.5,
            .min = 1e-6, .max = 1000, .soft_max = 4,
            .help = N_ ("Size of the result over that of the image, such as 0.5 for a proxy.")),
  KG_INPUT (Reformat, aspect, NUMBER, .label = N_ ("Pixel Aspect"), .max = 10, .soft_max = 2,
            .help = N_ (
                "Width of a pixel of the result over its height: 2 for anamorphic film, 1 for squares. 0: as it was.")),
  KG_INPUT (Reformat, fit, CHOICE, .label = N_ ("Fit"), .choices = reformat_fits,
            .help = N_ ("What is done when the shapes differ.")),
  KG_INPUT (Reformat, flip, BOOLEAN, .label = N_ ("Flip"), .help = N_ ("Mirrors the image upside down.")),
  KG_INPUT (Reformat, flop, BOOLEAN, .label = N_ ("Flop"), .help = N_ ("Mirrors the image from left to right.")),
  KG_INPUT (Reformat, filter, CHOICE, .label = N_ ("Filter"), .choices = image_filters, .def = RESAMPLE_LANCZOS,
            .help = N_ ("How values between pixels are interpolated. Reduced images are averaged by the same filter.")),
  KG_INPUT (Reformat, like, IMAGE, .label = N_ ("Size of"), .optional = true,
            .help = N_ ("An image whose size and pixel aspect the result takes, instead of the width and height.")),
  IMAGE_WEAR (
      Reformat,
      N_ ("The image at its new size. What mask and mix leave is the image as it was, centred in the new size.")),
};

KG_NODE (
    image, reformat, Reformat, .label = N_ ("Reformat"), .version = 1, .since = "0.1",
    .tags = N_ (
        "reformat resize scale size format fit letterbox proxy flip flop mirror anamorphic squeeze pixel aspect lanczos"),
    .source = "Turkowski, Filters for Common Resampling Tasks, 1990",
    .help = N_ ("Resizes an image to a format: fits it inside, fills it or distorts it, with a filter chosen by name. "
                "Also flips, and changes the aspect of the pixels."));

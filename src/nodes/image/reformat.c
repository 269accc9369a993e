/* image/reformat: an image at another size.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/resize.h"

#include "image/edges.h"
#include "image/image_part.h"

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

/* What is to be made of an image of a size. */
typedef struct {
  int width, height;       /* of the image */
  double from_aspect;      /* of its pixels */
  int to_width, to_height; /* of the result */
  double aspect;
  int fit;
} Format;

/* like: (nullable) for its pixels; like_width: 0 without */
static Format
reformat_get_format (const Reformat *n, int width, int height, double from_aspect, int like_width, int like_height)
{
  Format format = { width,          height,          from_aspect,
                    (int) n->width, (int) n->height, n->aspect == 0 ? from_aspect : n->aspect,
                    n->fit };

  if (n->aspect == 0 && n->like != NULL)
    format.aspect = kg_image_get_pixel_aspect (n->like);
  if (like_width > 0) {
    format.to_width = like_width;
    format.to_height = like_height;
  } else if (n->by == BY_FACTOR) {
    format.to_width = (int) kg_clamp (nearbyint (width * n->factor * from_aspect / format.aspect), 1, G_MAXINT);
    format.to_height = (int) kg_clamp (nearbyint (height * n->factor), 1, G_MAXINT);
    format.fit = FIT_DISTORT;
  }
  return format;
}

/* Source pixels per pixel of the result, across and down. */
static void
reformat_get_steps (const Format *n, double *step)
{
  const double across = (double) n->width / (double) n->to_width;
  const double down = (double) n->height / (double) n->to_height;
  /* What keeps shapes: steps across are those down, times this. */
  const double shape = n->aspect / n->from_aspect, by_width = across / shape;

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

static void
reformat_get_axes (const Reformat *n, const Format *format, ResizeAxis axes[2])
{
  double step[2];

  reformat_get_steps (format, step);
  for (int k = 0; k < 2; k++) {
    const double size = k == 0 ? format->width : format->height, pixels = k == 0 ? format->to_width : format->to_height;
    const bool mirrored = k == 0 ? n->flop : n->flip;

    axes[k].step = mirrored ? -step[k] : step[k];
    /* Unscaled images stay on whole pixels. */
    axes[k].start =
        (format->fit == FIT_NONE ? floor (0.5 * (size - step[k] * pixels)) : 0.5 * (size - step[k] * pixels)) +
        (mirrored ? step[k] * pixels : 0);
  }
}

static void
reformat_size (const void *job, const KgContext *ctx, int *width, int *height)
{
  const Reformat *n = (const Reformat *) job;
  const KgImagePart image = kg_context_get_image_part (ctx, offsetof (Reformat, image), NULL);
  const KgImagePart like = kg_context_get_image_part (ctx, offsetof (Reformat, like), NULL);
  const Format format = reformat_get_format (n, image.width, image.height, 1, like.width, like.height);

  *width = format.to_width;
  *height = format.to_height;
}

/* A pixel of the result that shows depth, the nearest, lies within what its filter reads. */
static bool
reformat_region (const void *job, const KgContext *ctx, size_t field, KgImagePart *needed)
{
  const Reformat *n = (const Reformat *) job;
  const ResampleSource source = { .width = needed->width,
                                  .height = needed->height,
                                  .filter = (ResampleFilter) n->filter,
                                  .edges = RESAMPLE_TRANSPARENT };
  KgImagePart out;
  ResampleWindow part, window;
  ResizeAxis axes[2];
  Format format;

  kg_context_get_part (ctx, &out);
  if (field == offsetof (Reformat, like)) {
    /* Only its size and the shape of its pixels count. */
    *needed = (KgImagePart){ needed->width, needed->height, 0, 0, 1, 1 };
    return true;
  }
  format = reformat_get_format (n, needed->width, needed->height, 1, out.width, out.height);
  /* The centred image that a mask leaves is taken from all of it. */
  if (IMAGE_IS_WORN (n) || format.aspect != 1)
    return false;
  if (n->like == NULL) {
    const Format own = reformat_get_format (n, needed->width, needed->height, 1, 0, 0);

    format.fit = own.fit;
    if (own.to_width != out.width || own.to_height != out.height)
      return false;
  }
  reformat_get_axes (n, &format, axes);
  part = image_part_to_window (&out);
  resize_find_window (&source, &axes[0], &axes[1], &part, &window);
  image_part_set_window (needed, &window);
  return true;
}

/* The image as it is, in the middle of the new frame, which is what a mask or mix leaves.  (transfer full) (nullable) */
static KgImage *
reformat_center (const Reformat *n, GError **error)
{
  const ImageSource source = image_source (n->image, n->result, 0, 0);
  const int height = kg_image_get_height (n->result);
  const size_t width = (size_t) kg_image_get_width (n->result);
  KgImage *image = kg_image_new ((int64_t) width, height, false, error);
  float *to = image != NULL ? kg_image_edit_pixels (image) : NULL;

  for (int y = 0; image != NULL && y < height; y++) {
    const float *row = image_source_fetch (&source, 0, y, width, to + 4 * width * (size_t) y);

    if (row != to + 4 * width * (size_t) y)
      memcpy (to + 4 * width * (size_t) y, row, 4 * width * sizeof *to);
  }
  return image;
}

/* The nearest depths of the image. */
static void
reformat_depth (const ResizeAxis axes[2], const ImageParts *parts, const float *from, float *to)
{
  const KgImagePart *in = &parts->in, *out = &parts->out;

  for (int64_t i = 0; i < (int64_t) out->part_width * out->part_height; i++) {
    const double x = floor (axes[0].start + axes[0].step * (out->x + (double) (i % out->part_width) + 0.5)) - in->x;
    const double y = floor (axes[1].start + axes[1].step * (out->y + (double) (i / out->part_width) + 0.5)) - in->y;

    if (x >= 0 && x < in->part_width && y >= 0 && y < in->part_height)
      to[i] = from[(size_t) y * (size_t) in->part_width + (size_t) x];
  }
}

static bool
reformat_evaluate (Reformat *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const double from_aspect = kg_image_get_pixel_aspect (n->image);
  const float *depth = kg_image_get_depth (n->image);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const KgImagePart image = kg_context_get_image_part (ctx, offsetof (Reformat, image), n->image);
  const KgImagePart like = kg_context_get_image_part (ctx, offsetof (Reformat, like), n->like);
  const Format format = reformat_get_format (n, image.width, image.height, from_aspect, like.width, like.height);
  const ImageParts parts =
      image_parts_of_size (ctx, offsetof (Reformat, image), n->image, format.to_width, format.to_height);
  const ResampleSource source =
      image_part_to_source (&parts.in, kg_image_get_pixels (n->image), n->filter, RESAMPLE_TRANSPARENT);
  const ResampleWindow part = image_part_to_window (&parts.out);
  ResizeAxis axes[2];

  /* Only what .region knew of. */
  if (kg_context_get_part (ctx, &(KgImagePart){ 0 }) &&
      (IMAGE_IS_WORN (n) || format.aspect != 1 || from_aspect != 1 || format.to_width != parts.out.width ||
       format.to_height != parts.out.height)) {
    kg_context_refuse_part (ctx);
    return false;
  }
  n->result = kg_image_new (parts.out.part_width, parts.out.part_height, depth != NULL, error);
  if (n->result == NULL)
    return false;
  kg_image_set_pixel_aspect (n->result, format.aspect);
  reformat_get_axes (n, &format, axes);
  if (depth != NULL)
    reformat_depth (axes, &parts, depth, kg_image_edit_depth (n->result));
  if (!resize_part (&source, &axes[0], &axes[1], &part, kg_image_edit_pixels (n->result), &monitor))
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
      N_ ("The image at its new size. Where mask and mix exclude the effect, it is the original image, centred in the "
          "new size.")),
};

KG_NODE (
    image, reformat, Reformat, .label = N_ ("Reformat"), .version = 1, .since = "0.1", .region = reformat_region,
    .find_size = reformat_size,
    .tags = N_ (
        "reformat resize scale size format fit letterbox proxy flip flop mirror anamorphic squeeze pixel aspect lanczos"),
    .source = "Turkowski, Filters for Common Resampling Tasks, 1990",
    .help = N_ ("Resizes an image to a format: fits it inside, fills it or distorts it, with a filter chosen by name. "
                "It also flips images and changes the aspect of the pixels."));

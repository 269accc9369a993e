/* image/sharpen: details strengthened.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  double amount;
  double size;
  double threshold;
} Sharpen;

/* What of a difference is left beyond the threshold. */
static inline float
cut (float difference, float threshold)
{
  const float rest = fabsf (difference) - threshold;

  return rest > 0 ? copysignf (rest, difference) : 0;
}

typedef struct {
  const float *from;
  float *to; /* blurred, then sharp */
  int width;
  float amount, threshold;
} Mask;

static void
sharpen_rows (gpointer data, int first, int end)
{
  const Mask *mask = (const Mask *) data;
  const size_t row = 4 * (size_t) mask->width;

  for (size_t i = row * (size_t) first; i < row * (size_t) end; i++)
    mask->to[i] = i % 4 == 3 ? mask->from[i]
                             : mask->from[i] + mask->amount * cut (mask->from[i] - mask->to[i], mask->threshold);
}

static bool
sharpen_evaluate (Sharpen *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const double size[2] = { n->size, n->size };
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = kg_image_get_width (before), height = kg_image_get_height (before);
  Mask mask = { .width = width, .amount = (float) n->amount, .threshold = (float) n->threshold };

  (void) error;
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  mask.to = kg_image_edit_pixels (n->result);
  mask.from = kg_image_get_pixels (before);
  return blur_gaussian (mask.to, width, height, size, RESAMPLE_EXTEND, &monitor) &&
         image_each_rows (width, height, sharpen_rows, &mask, &monitor) &&
         image_wear (before, &wear, &n->result, &monitor);
}

static double
sharpen_reach (const void *job)
{
  const Sharpen *n = (const Sharpen *) job;

  return blur_gaussian_reach (n->size);
}

static const KgSlot sharpen_slots[] = {
  IMAGE_INPUT (Sharpen, N_ ("The image to sharpen.")),
  KG_INPUT (Sharpen, amount, NUMBER, .label = N_ ("Amount"), .def = 1, .min = -100, .max = 100, .soft_min = 0,
            .soft_max = 4, .help = N_ ("Factor of the details that are added. Negative values soften.")),
  KG_INPUT (Sharpen, size, NUMBER, .label = N_ ("Size"), .unit = KG_PIXELS, .def = 2, .max = 1e6, .soft_max = 50,
            .help = N_ (
                "Standard deviation of the Gaussian: what is smaller is a detail. Large sizes raise local contrast.")),
  KG_INPUT (Sharpen, threshold, NUMBER, .label = N_ ("Threshold"), .max = 1e6, .soft_max = 0.2,
            .help = N_ ("Differences up to this, such as noise, are not sharpened.")),
  IMAGE_WEAR (Sharpen, N_ ("The sharpened image.")),
};

KG_NODE (image, sharpen, Sharpen, .label = N_ ("Sharpen"), .version = 1, .since = "0.1", .reach = sharpen_reach,
         .tags = N_ ("sharpen unsharp mask clarity detail local contrast usm crisp"),
         .formula = "result = image + amount (image − Gaussian (image))",
         .help = N_ (
             "Sharpens an image by an unsharp mask: adds the difference between the image and its blur. Alpha does not "
             "change."));

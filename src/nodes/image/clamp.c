/* image/clamp: channels kept between two limits.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_wear.h"
#include "kg-error.h"

typedef struct {
  IMAGE_FIELDS;
  double low;
  double high;
  bool colors;
  bool alpha;
  bool straight;
} Clamp;

typedef struct {
  float low, high;
  bool wanted[4];
} Limits;

KG_KERNEL static void
clamp_channel (float *restrict v, float low, float high, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float top = v[i] > high ? high : v[i];

    v[i] = top < low ? low : top;
  }
}

static void
clamp_block (const ImageBlock *block, const void *data)
{
  const Limits *limits = (const Limits *) data;
  float *const channels[] = { block->r, block->g, block->b, block->a };

  for (int c = 0; c < 4; c++)
    if (limits->wanted[c])
      clamp_channel (channels[c], limits->low, limits->high, block->n);
}

static bool
clamp_evaluate (Clamp *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, n->straight && !n->alpha);
  const Limits limits = { (float) n->low, (float) n->high, { n->colors, n->colors, n->colors, n->alpha } };

  if (n->low > n->high) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the lowest value %g is above the highest %g: swap them", n->low,
                  n->high);
    return false;
  }
  IMAGE_BEGIN (n);
  return image_apply_later (&n->result, &wear, clamp_block, &limits, sizeof limits, kg_context_may_leave_pending (ctx),
                            &monitor);
}

static const KgSlot clamp_slots[] = {
  IMAGE_POINT_IMAGE (Clamp, N_ ("The image to limit.")),
  KG_INPUT (Clamp, low, NUMBER, .label = N_ ("Lowest"), .min = -1e9, .max = 1e9, .soft_min = 0, .soft_max = 1,
            .help = N_ ("Values below become this one.")),
  KG_INPUT (Clamp, high, NUMBER, .label = N_ ("Highest"), .def = 1, .min = -1e9, .max = 1e9, .soft_min = 0,
            .soft_max = 1, .help = N_ ("Values above become this one.")),
  KG_INPUT (Clamp, colors, BOOLEAN, .label = N_ ("Colours"), .def = 1, .help = N_ ("Limits red, green and blue.")),
  KG_INPUT (Clamp, alpha, BOOLEAN, .label = N_ ("Alpha"),
            .help = N_ ("Limits alpha, too. The colours are then limited as they are, multiplied by alpha.")),
  IMAGE_STRAIGHT (Clamp),
  IMAGE_WEAR (Clamp, N_ ("The limited image.")),
};

KG_NODE (image, clamp, Clamp, .label = N_ ("Clamp"), .version = 1, .since = "0.1", .reach = kg_reach_none,
         .tags = N_ ("limit minimum maximum clip legal superwhite negative threshold range picture"),
         .formula = "y = min (max (x, lowest), highest)",
         .help = N_ ("Limits the channels of an image to a range, such as 0 to 1: removes negative values and "
                     "highlights brighter than white."));

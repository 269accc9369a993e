/* image/invert: one minus each channel.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  bool red;
  bool green;
  bool blue;
  bool alpha;
  bool straight;
} Invert;

typedef struct {
  bool wanted[4];
} Inverted;

KG_KERNEL static void
invert_channel (float *restrict v, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    v[i] = 1 - v[i];
}

static void
invert_block (const ImageBlock *block, const void *data)
{
  const Inverted *inverted = (const Inverted *) data;
  float *const channels[] = { block->r, block->g, block->b, block->a };

  for (int c = 0; c < 4; c++)
    if (inverted->wanted[c])
      invert_channel (channels[c], block->n);
}

static bool
invert_evaluate (Invert *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  /* What is transparent has no straight colours, and shall become opaque. */
  ImageWear wear = IMAGE_WEAR_OF (n, n->straight && !n->alpha);
  const Inverted inverted = { { n->red, n->green, n->blue, n->alpha } };

  (void) error;
  wear.keeps = true;
  IMAGE_BEGIN (n);
  return image_apply_later (&n->result, &wear, invert_block, &inverted, sizeof inverted,
                            kg_context_may_leave_pending (ctx), &monitor);
}

static const KgSlot invert_slots[] = {
  IMAGE_POINT_IMAGE (Invert, N_ ("The image to invert.")),
  KG_INPUT (Invert, red, BOOLEAN, .label = N_ ("Red"), .def = 1, .help = N_ ("Inverts the red channel.")),
  KG_INPUT (Invert, green, BOOLEAN, .label = N_ ("Green"), .def = 1, .help = N_ ("Inverts the green channel.")),
  KG_INPUT (Invert, blue, BOOLEAN, .label = N_ ("Blue"), .def = 1, .help = N_ ("Inverts the blue channel.")),
  KG_INPUT (Invert, alpha, BOOLEAN, .label = N_ ("Alpha"),
            .help = N_ ("Inverts alpha, which turns a matte inside out. The colours are then inverted as they are, "
                        "multiplied by alpha.")),
  IMAGE_STRAIGHT (Invert),
  IMAGE_WEAR (Invert, N_ ("The inverted image.")),
};

KG_NODE (image, invert, Invert, .label = N_ ("Invert"), .version = 1, .since = "0.1", .reach = kg_reach_none,
         .tags = N_ ("negative complement opposite matte inside out reverse picture"), .formula = "y = 1 − x",
         .help = N_ ("Inverts an image: black becomes white, and each colour its complement. Values above 1 become "
                     "negative."));

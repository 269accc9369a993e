/* image/channels: each channel taken from any channel of two images.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/channels.h"

#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  const KgImage *other;
  int red;
  int green;
  int blue;
  int alpha;
  bool premultiply;
} ShuffleChannels;

static const KgChoice channels_from[] = {
  [CHANNEL_RED] = { "red", N_ ("Red") },
  [CHANNEL_GREEN] = { "green", N_ ("Green") },
  [CHANNEL_BLUE] = { "blue", N_ ("Blue") },
  [CHANNEL_ALPHA] = { "alpha", N_ ("Alpha") },
  [CHANNEL_LUMINANCE] = { "luminance", N_ ("Luminance") },
  [CHANNEL_OTHER_RED] = { "other_red", N_ ("Red of the other image") },
  [CHANNEL_OTHER_GREEN] = { "other_green", N_ ("Green of the other image") },
  [CHANNEL_OTHER_BLUE] = { "other_blue", N_ ("Blue of the other image") },
  [CHANNEL_OTHER_ALPHA] = { "other_alpha", N_ ("Alpha of the other image") },
  [CHANNEL_OTHER_LUMINANCE] = { "other_luminance", N_ ("Luminance of the other image") },
  [CHANNEL_ZERO] = { "zero", N_ ("0") },
  [CHANNEL_ONE] = { "one", N_ ("1") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (channels_from, N_CHANNELS);

static bool
channels_evaluate (ShuffleChannels *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const Channels channels = { .from = { (ChannelFrom) n->red, (ChannelFrom) n->green, (ChannelFrom) n->blue,
                                        (ChannelFrom) n->alpha },
                              .premultiply = n->premultiply };
  g_autoptr (KgImage) nothing = NULL;
  ImageSource other;

  IMAGE_BEGIN (n);
  if (n->other == NULL) {
    nothing = kg_image_new (1, 1, false, error);
    if (nothing == NULL)
      return false;
  }
  other = image_source (n->other != NULL ? n->other : nothing, n->result, 0, 0);
  return image_combine (&n->result, &other, 1, &wear, channels_block, &channels, &monitor);
}

static const KgSlot channels_slots[] = {
  IMAGE_INPUT (ShuffleChannels, N_ ("The image whose channels are replaced.")),
  KG_INPUT (ShuffleChannels, other, IMAGE, .label = N_ ("Other Image"), .optional = true,
            .help = N_ ("A second image to take channels from. Without it, its channels are 0.")),
  KG_INPUT (ShuffleChannels, red, CHOICE, .label = N_ ("Red"), .choices = channels_from, .def = CHANNEL_RED,
            .help = N_ ("What red becomes.")),
  KG_INPUT (ShuffleChannels, green, CHOICE, .label = N_ ("Green"), .choices = channels_from, .def = CHANNEL_GREEN,
            .help = N_ ("What green becomes.")),
  KG_INPUT (ShuffleChannels, blue, CHOICE, .label = N_ ("Blue"), .choices = channels_from, .def = CHANNEL_BLUE,
            .help = N_ ("What blue becomes.")),
  KG_INPUT (ShuffleChannels, alpha, CHOICE, .label = N_ ("Alpha"), .choices = channels_from, .def = CHANNEL_ALPHA,
            .help = N_ ("What alpha becomes.")),
  KG_INPUT (ShuffleChannels, premultiply, BOOLEAN, .label = N_ ("Premultiply"),
            .help = N_ ("Multiplies the colours by the new alpha: for a matte that is put on an opaque image.")),
  IMAGE_WEAR (ShuffleChannels, N_ ("The image with the chosen channels.")),
};

KG_NODE (
    image, channels, ShuffleChannels, .label = N_ ("Channels"), .version = 1, .since = "0.1", .reach = kg_reach_none,
    .tags = N_ ("shuffle copy swap swizzle channel alpha matte red green blue luminance grey black and white set key "
                "shufflecopy picture"),
    .help = N_ ("Fills each channel of an image with any channel of the same or another image, or with 0 or 1."));

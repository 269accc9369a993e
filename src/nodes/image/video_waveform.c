/* image/video_waveform: one scan line of the video signal.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/composite_video.h"

#include "kg-node.h"

typedef struct {
  const KgImage *image;
  int64_t line;
  bool color;
  int64_t samples;
  KgMotion *signal;
  double low;
  double high;
} VideoWaveform;

static bool
video_waveform_evaluate (VideoWaveform *n, const KgContext *ctx, GError **error)
{
  const int row = (int) MIN (n->line, kg_image_get_height (n->image)) - 1;
  g_autofree double *ire = g_new (double, (size_t) n->samples);
  KgChannel *channel;

  if (n->line > row + 1)
    kg_context_warn (ctx, "the image has no line %d: its last one, %d, is shown", (int) n->line, row + 1);
  composite_video_scan (n->image, row, n->color, ire, (guint) n->samples);
  n->low = n->high = ire[0];
  for (int64_t i = 1; i < n->samples; i++) {
    n->low = fmin (n->low, ire[i]);
    n->high = fmax (n->high, ire[i]);
  }
  /* The middle of each sample, in microseconds. */
  channel = kg_channel_new_samples (1, false, 0.5 * composite_video_parts[4] / (double) n->samples,
                                    (double) n->samples / composite_video_parts[4], ire, (gsize) n->samples,
                                    KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
  if (channel == NULL)
    return false;
  n->signal = kg_motion_new_take ("ire", channel);
  return true;
}

static const KgSlot video_waveform_slots[] = {
  KG_INPUT (VideoWaveform, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image that is scanned.")),
  KG_INPUT (VideoWaveform, line, INTEGER, .label = N_ ("Line"), .def = 1, .min = 1, .max = KG_IMAGE_MAX_SIDE,
            .soft_max = 480, .help = N_ ("Line of the image, counted from 1 at the top.")),
  KG_INPUT (VideoWaveform, color, BOOLEAN, .label = N_ ("Colour"), .def = 1,
            .help = N_ ("With the burst on the back porch and the colour on its subcarrier; otherwise black and "
                        "white.")),
  KG_INPUT (VideoWaveform, samples, INTEGER, .label = N_ ("Samples"), .def = 2048, .min = 16, .max = 65536,
            .soft_max = 8192, .help = N_ ("Samples of the whole line.")),
  KG_OUTPUT (VideoWaveform, signal, MOTION, .label = N_ ("Signal"),
             .help = N_ ("The signal in IRE over 63.556 microseconds, one second each: front porch, sync (-40), back "
                         "porch, picture (black 7.5, white 100).")),
  KG_OUTPUT (VideoWaveform, low, NUMBER, .label = N_ ("Lowest"), .help = N_ ("Lowest level in IRE.")),
  KG_OUTPUT (VideoWaveform, high, NUMBER, .label = N_ ("Highest"), .help = N_ ("Highest level in IRE.")),
};

KG_NODE (
    image, video_waveform, VideoWaveform, .label = N_ ("Video Waveform"), .version = 1, .since = "0.1",
    .tags = N_ ("scan line signal ire sync porch burst oscilloscope television ntsc"), .source = "SMPTE 170M",
    .help = N_ (
        "Scans one line of an image as a television camera does: sync pulse, porches, colour burst and the picture as a signal over time, which Plot draws."));

/* image/composite_video: the look of analogue television.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/composite_video.h"

#include "frame_samples.h"

typedef struct {
  FRAME_FIELDS;
  int tape;
  int decoder;
  double luma_lines;
  double chroma_lines;
  double noise;
  double jitter;
  double hue;
  int64_t seed;
} CompositeVideo;

enum { TAPE_BROADCAST, TAPE_VHS, TAPE_S_VHS, TAPE_OWN, N_TAPES };

static const KgChoice composite_video_tapes[] = {
  [TAPE_BROADCAST] = { "broadcast", N_ ("Broadcast: 330 lines, colour 120") },
  [TAPE_VHS] = { "vhs", N_ ("VHS: 240 lines, colour 40") },
  [TAPE_S_VHS] = { "s-vhs", N_ ("S-VHS: 400 lines, colour 40") },
  [TAPE_OWN] = { "own", N_ ("As given") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (composite_video_tapes, N_TAPES);

static const KgChoice composite_video_decoders[] = {
  [COMPOSITE_NOTCH] = { "notch", N_ ("Notch filter: fine stripes become coloured") },
  [COMPOSITE_COMB] = { "comb", N_ ("Comb filter: dots crawl along edges") },
  [COMPOSITE_SEPARATE] = { "separate", N_ ("Separate wires (S-video)") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (composite_video_decoders, COMPOSITE_N_DECODERS);

static bool
composite_video_evaluate (CompositeVideo *n, const KgContext *ctx, GError **error)
{
  static const double lines[TAPE_OWN][2] = { { 330, 120 }, { 240, 40 }, { 400, 40 } };
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const bool own = n->tape == TAPE_OWN;
  /* Lines are counted on a screen of 480; another height has as many. */
  const double scale = kg_image_get_height (n->image) / 480.0;
  const CompositeStyle style = { .decoder = (CompositeDecoder) n->decoder,
                                 .luma_lines = scale * (own ? n->luma_lines : lines[n->tape][0]),
                                 .chroma_lines = scale * (own ? n->chroma_lines : lines[n->tape][1]),
                                 .noise = n->noise,
                                 .jitter = n->jitter,
                                 .phase = n->hue,
                                 .seed = kg_hash_mix ((uint64_t) n->seed * 4096 +
                                                      (uint64_t) (int64_t) frame_samples_whole (ctx->frame)) };

  n->result = frame_samples_new_like (n->image, error);
  return n->result != NULL && composite_video_apply (n->image, &style, n->result, &monitor) &&
         image_wear (n->image, &wear, &n->result, &monitor);
}

static const KgSlot composite_video_slots[] = {
  KG_INPUT (CompositeVideo, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image to broadcast.")),
  KG_INPUT (CompositeVideo, tape, CHOICE, .label = N_ ("Bandwidth"), .choices = composite_video_tapes,
            .help = N_ ("How fine stripes may be, in brightness and in colour.")),
  KG_INPUT (CompositeVideo, decoder, CHOICE, .label = N_ ("Decoder"), .choices = composite_video_decoders,
            .help = N_ ("How the receiver separates brightness and colour.")),
  KG_INPUT (
      CompositeVideo, luma_lines, NUMBER, .label = N_ ("Lines"), .def = 330, .min = 0, .max = 1e4, .soft_max = 500,
      .shown_when = "tape=own",
      .help = N_ (
          "Stripes of brightness that can be distinguished over the height of an image of 480 lines; 0 keeps all.")),
  KG_INPUT (CompositeVideo, chroma_lines, NUMBER, .label = N_ ("Colour lines"), .def = 120, .min = 0, .max = 1e4,
            .soft_max = 500, .shown_when = "tape=own", .help = N_ ("The same for colour.")),
  KG_INPUT (CompositeVideo, noise, NUMBER, .label = N_ ("Noise"), .min = 0, .max = 10, .soft_max = 0.3,
            .help = N_ ("Snow in the signal: deviation, where 1 is white.")),
  KG_INPUT (CompositeVideo, jitter, NUMBER, .label = N_ ("Jitter"), .unit = KG_PIXELS, .min = 0, .max = 1000,
            .soft_max = 4, .help = N_ ("How far lines begin too early or too late.")),
  KG_INPUT (CompositeVideo, hue, NUMBER, .label = N_ ("Hue error"), .unit = KG_DEGREES, .soft_min = -60, .soft_max = 60,
            .help = N_ ("Error of the colour subcarrier's phase.")),
  KG_INPUT (CompositeVideo, seed, INTEGER, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives different noise.")),
  IMAGE_WEAR (CompositeVideo, N_ ("What the receiver shows.")),
};

KG_NODE (image, composite_video, CompositeVideo, .label = N_ ("Composite Video"), .version = 1, .since = "0.1",
         .time = KG_TIME_READS,
         .tags = N_ ("ntsc vhs s-vhs television tape analog analogue retro dot crawl cross color rainbow artefacts "
                     "artifacts noise snow"),
         .formula = "s = Y + U sin ωt + V cos ωt,  ω = 2π · 315/88 MHz", .source = "SMPTE 170M; ITU-R BT.470",
         .help = N_ ("Sends an image over one wire as colour television does, and receives it: fine stripes turn into "
                     "rainbows, dots crawl along edges, colours bleed. With tape bandwidths, noise and jitter."));

/* image/color_correct: saturation, contrast, gamma, gain and offset of the whole image, and of its shadows, midtones and
 * highlights.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_wear.h"

/* The grey that contrast leaves as it is, in linear light. */
#define MIDDLE_GREY 0.18

#define RANGE_FIELDS(range)                                                                                            \
  double range##_saturation;                                                                                           \
  KgColor range##_contrast, range##_gamma, range##_gain, range##_offset

typedef struct {
  IMAGE_FIELDS;
  RANGE_FIELDS (master);
  RANGE_FIELDS (shadows);
  RANGE_FIELDS (midtones);
  RANGE_FIELDS (highlights);
  double shadows_end;
  double highlights_start;
  bool straight;
} ColorCorrect;

/* y = factor x^power + offset for x > 0, gain x + offset otherwise. */
typedef struct {
  bool neutral;
  float saturation;
  float power[3], factor[3], gain[3], offset[3];
} Range;

enum { MASTER, SHADOWS, MIDTONES, HIGHLIGHTS, N_RANGES };

typedef struct {
  Range ranges[N_RANGES];
  float shadows_end, highlights_start;
} Correction;

static Range
set_range (double saturation, const KgColor *contrast, const KgColor *gamma, const KgColor *gain, const KgColor *offset)
{
  Range range = { .neutral = saturation == 1, .saturation = (float) saturation };

  for (int c = 0; c < 3; c++) {
    const double k = (&contrast->r)[c], exponent = 1 / fmax ((&gamma->r)[c], 0.01);
    const double g = (&gain->r)[c], o = (&offset->r)[c];

    range.power[c] = (float) (k * exponent);
    range.factor[c] = (float) (g * pow (MIDDLE_GREY, (1 - k) * exponent));
    range.gain[c] = (float) g;
    range.offset[c] = (float) o;
    range.neutral = range.neutral && k == 1 && exponent == 1 && g == 1 && o == 0;
  }
  return range;
}

static inline void
correct (const Range *range, const float from[3], float to[3])
{
  const float grey = image_luminance (from[0], from[1], from[2]);

  for (int c = 0; c < 3; c++) {
    const float x = range->neutral ? from[c] : grey + range->saturation * (from[c] - grey);

    to[c] = range->neutral                     ? x
            : x > 0 && range->power[c] != 1.0f ? range->factor[c] * image_power (x, range->power[c]) + range->offset[c]
                                               : range->gain[c] * x + range->offset[c];
  }
}

/* 0 up to from, 1 from to on, smooth between. */
static inline float
rise (float x, float from, float to)
{
  const float u = to > from ? (x - from) / (to - from) : (float) (x >= to), v = u < 0 ? 0 : u > 1 ? 1 : u;

  return v * v * (3 - 2 * v);
}

static void
correct_block (const ImageBlock *block, const void *data)
{
  const Correction *correction = (const Correction *) data;
  const Range *ranges = correction->ranges;
  const bool plain = ranges[SHADOWS].neutral && ranges[MIDTONES].neutral && ranges[HIGHLIGHTS].neutral;

  for (size_t i = 0; i < block->n; i++) {
    const float from[3] = { block->r[i], block->g[i], block->b[i] };
    const float y = image_luminance (from[0], from[1], from[2]);
    float all[3], sum[3] = { 0, 0, 0 };

    correct (&ranges[MASTER], from, all);
    if (!plain) {
      const float dark = 1 - rise (y, 0, correction->shadows_end);
      const float light = rise (y, correction->highlights_start, 1), both = dark + light;
      const float weights[N_RANGES] = { [SHADOWS] = both > 1 ? dark / both : dark,
                                        [MIDTONES] = both > 1 ? 0 : 1 - both,
                                        [HIGHLIGHTS] = both > 1 ? light / both : light };

      for (int k = SHADOWS; k < N_RANGES; k++) {
        float own[3];

        correct (&ranges[k], all, own);
        for (int c = 0; c < 3; c++)
          sum[c] += weights[k] * own[c];
      }
    }
    block->r[i] = plain ? all[0] : sum[0];
    block->g[i] = plain ? all[1] : sum[1];
    block->b[i] = plain ? all[2] : sum[2];
  }
}

#define RANGE_OF(n, range)                                                                                             \
  set_range ((n)->range##_saturation, &(n)->range##_contrast, &(n)->range##_gamma, &(n)->range##_gain,                 \
             &(n)->range##_offset)

static bool
color_correct_evaluate (ColorCorrect *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, n->straight);
  const Correction correction = {
    .ranges = { [MASTER] = RANGE_OF (n, master),
                [SHADOWS] = RANGE_OF (n, shadows),
                [MIDTONES] = RANGE_OF (n, midtones),
                [HIGHLIGHTS] = RANGE_OF (n, highlights) },
    .shadows_end = (float) n->shadows_end,
    .highlights_start = (float) n->highlights_start,
  };

  (void) error;
  IMAGE_BEGIN (n);
  return image_apply_later (&n->result, &wear, correct_block, &correction, sizeof correction,
                            kg_context_may_leave_pending (ctx), &monitor);
}

#define RANGE_INPUTS(range, group_)                                                                                    \
  KG_INPUT (ColorCorrect, range##_saturation, NUMBER, .label = N_ ("Saturation"), .group = group_, .def = 1,           \
            .min = -100, .max = 100, .soft_min = 0, .soft_max = 4,                                                     \
            .help = N_ ("Factor of the difference from grey.")),                                                       \
      KG_INPUT (ColorCorrect, range##_contrast, COLOR, .label = N_ ("Contrast"), .group = group_,                      \
                .def_v = { 1, 1, 1, 1 }, .max = 100,                                                                   \
                .help = N_ ("Contrast of each channel about middle grey (0.18), which stays the same.")),              \
      KG_INPUT (ColorCorrect, range##_gamma, COLOR, .label = N_ ("Gamma"), .group = group_, .def_v = { 1, 1, 1, 1 },   \
                .help = N_ ("Above 1 the midtones of each channel become brighter. The smallest gamma is 0.01.")),     \
      KG_INPUT (ColorCorrect, range##_gain, COLOR, .label = N_ ("Gain"), .group = group_, .def_v = { 1, 1, 1, 1 },     \
                .help = N_ ("Factor of each channel.")),                                                               \
      KG_INPUT (ColorCorrect, range##_offset, COLOR, .label = N_ ("Offset"), .group = group_, .def_v = { 0, 0, 0, 1 }, \
                .help = N_ ("Added to each channel."))

static const KgSlot color_correct_slots[] = {
  IMAGE_POINT_IMAGE (ColorCorrect, N_ ("The image to correct.")),
  RANGE_INPUTS (master, N_ ("Master")),
  RANGE_INPUTS (shadows, N_ ("Shadows")),
  RANGE_INPUTS (midtones, N_ ("Midtones")),
  RANGE_INPUTS (highlights, N_ ("Highlights")),
  KG_INPUT (ColorCorrect, shadows_end, NUMBER, .label = N_ ("Shadows End"), .group = N_ ("Ranges"), .def = 0.09,
            .max = 1e6, .soft_max = 1,
            .help = N_ ("Luminance from which nothing counts as shadow. Between 0 and this the shadows fade out.")),
  KG_INPUT (
      ColorCorrect, highlights_start, NUMBER, .label = N_ ("Highlights Start"), .group = N_ ("Ranges"), .def = 0.5,
      .max = 1, .soft_max = 1,
      .help = N_ ("Luminance up to which nothing counts as highlight. Between this and 1 the highlights fade in.")),
  IMAGE_STRAIGHT (ColorCorrect),
  IMAGE_WEAR (ColorCorrect, N_ ("The corrected image.")),
};

KG_NODE (
    image, color_correct, ColorCorrect, .label = N_ ("Colour Correct"), .version = 1, .since = "0.1",
    .reach = kg_reach_none,
    .tags = N_ ("colorcorrect color correction shadows midtones highlights contrast saturation gamma gain offset grade "
                "three way wheels picture"),
    .formula = "y = gain·(0.18·(x/0.18)^contrast)^(1/gamma) + offset, with x saturated first\n"
               "result = Σ weight (luminance)·range (master)",
    .help = N_ ("Corrects the colours of an image: saturation, contrast, gamma, gain and offset of all of it, and then "
                "of its shadows, midtones and highlights, which are separated by the luminance of the image and fade "
                "into each other."));

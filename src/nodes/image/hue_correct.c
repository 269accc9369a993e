/* image/hue_correct: saturation, brightness and hue as functions of the hue.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_wear.h"
#include "image/tone_curve.h"

typedef struct {
  IMAGE_FIELDS;
  const KgTable *curves;
  double threshold;
  bool straight;
} HueCorrect;

static const KgTableColumn hue_correct_columns[] = { { "hue", N_ ("Hue"), 0, 0 },
                                                     { "saturation", N_ ("Saturation"), 1, 1 },
                                                     { "luminance", N_ ("Luminance"), 1, 1 },
                                                     { "shift", N_ ("Hue Shift"), 0, 1 },
                                                     KG_TABLE_COLUMNS_END };

typedef struct {
  ToneCurve saturation, luminance, shift;
  float threshold;
} Correction;

static void
hue_correct_block (const ImageBlock *block, const void *data)
{
  const Correction *n = (const Correction *) data;
  float *const channels[] = { block->r, block->g, block->b };

  for (size_t i = 0; i < block->n; i++) {
    const float r = block->r[i], g = block->g[i], b = block->b[i];
    const float high = fmaxf (r, fmaxf (g, b)), low = fminf (r, fminf (g, b)), range = high - low;
    const float grey = image_luminance (r, g, b);

    if (!(range > 0) || !isfinite (range))
      continue;
    const float sixth = high == r ? (g - b) / range : high == g ? 2 + (b - r) / range : 4 + (r - g) / range;
    const float hue = sixth < 0 ? 60 * sixth + 360 : 60 * sixth;
    /* Greys have no hue to speak of. */
    const float share = high > 0 ? fminf (range / high / n->threshold, 1) : 1;
    const float saturation = 1 + share * (tone_curve_read (&n->saturation, hue) - 1);
    const float luminance = 1 + share * (tone_curve_read (&n->luminance, hue) - 1);
    const double turn = KG_PI / 180 * (double) (share * tone_curve_read (&n->shift, hue));
    const float c = (float) cos (turn), s = (float) (sin (turn) / sqrt (3)), k = (1 - c) / 3;
    const float x = (c + k) * r + (k - s) * g + (k + s) * b, y = (k + s) * r + (c + k) * g + (k - s) * b;
    const float z = (k - s) * r + (k + s) * g + (c + k) * b, turned = image_luminance (x, y, z);
    const float rgb[] = { x, y, z };

    for (int j = 0; j < 3; j++)
      channels[j][i] = luminance * (grey + saturation * (rgb[j] - turned));
  }
}

static bool
hue_correct_evaluate (HueCorrect *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, n->straight);
  g_autofree Correction *correction = g_new (Correction, 1);

  correction->threshold = (float) fmax (n->threshold, 1e-6);
  if (!tone_curve_init (&correction->saturation, n->curves, 1, TONE_CURVE_SMOOTH, 360, error) ||
      !tone_curve_init (&correction->luminance, n->curves, 2, TONE_CURVE_SMOOTH, 360, error) ||
      !tone_curve_init (&correction->shift, n->curves, 3, TONE_CURVE_SMOOTH, 360, error))
    return false;
  IMAGE_BEGIN (n);
  return kg_table_get_n_rows (n->curves) == 0 ||
         image_apply_later (&n->result, &wear, hue_correct_block, correction, sizeof *correction,
                            kg_context_may_leave_pending (ctx), &monitor);
}

static const KgSlot hue_correct_slots[] = {
  IMAGE_POINT_IMAGE (HueCorrect, N_ ("The image to correct.")),
  KG_INPUT (
      HueCorrect, curves, TABLE, .label = N_ ("Curves"), .columns = hue_correct_columns, .multiline = true,
      .def_text = "0 1 1 0; 60 1 1 0; 120 1 1 0; 180 1 1 0; 240 1 1 0; 300 1 1 0",
      .help = N_ ("Points of the curves: a hue in degrees (red 0, yellow 60, green 120, cyan 180, blue 240, magenta "
                  "300), the factors of saturation and luminance there, and degrees by which the hue is shifted. "
                  "Smooth curves go through the points and around the circle.")),
  KG_INPUT (HueCorrect, threshold, NUMBER, .label = N_ ("Threshold"), .def = 0.1, .max = 1,
            .help = N_ ("Colours less saturated than this are affected less, greys not at all.")),
  IMAGE_STRAIGHT (HueCorrect),
  IMAGE_WEAR (HueCorrect, N_ ("The corrected image.")),
};

KG_NODE (image, hue_correct, HueCorrect, .label = N_ ("Hue Correct"), .version = 1, .since = "0.1",
         .reach = kg_reach_none,
         .tags = N_ ("hue correct saturation luminance shift selective color secondary spill suppress replace curves"),
         .help = N_ ("Changes saturation, luminance and hue of some hues more than of others: skies darker, skin less "
                     "red, leaves yellow. The luminance stays the same unless its own curve changes it."));

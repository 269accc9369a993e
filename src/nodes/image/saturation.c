/* image/saturation: strength of colours.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_space.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  double saturation;
  double vibrance;
  double hue;
  int luminance;
} Saturation;

enum { LUMINANCE_709, LUMINANCE_601, LUMINANCE_MEAN, N_LUMINANCES };

static const KgChoice saturation_luminances[] = {
  [LUMINANCE_709] = { "bt709", N_ ("BT.709") },
  [LUMINANCE_601] = { "bt601", N_ ("BT.601") },
  [LUMINANCE_MEAN] = { "mean", N_ ("Mean of the channels") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (saturation_luminances, N_LUMINANCES);

typedef struct {
  double matrix[3][3];
  float weights[3], vibrance;
} Strength;

KG_KERNEL static void
saturation_block (const ImageBlock *block, const void *data)
{
  const Strength *s = (const Strength *) data;
  float *restrict r = block->r, *restrict g = block->g, *restrict b = block->b;

  if (s->vibrance != 0) {
#pragma omp simd
    for (size_t i = 0; i < block->n; i++) {
      const float high = r[i] > g[i] ? (r[i] > b[i] ? r[i] : b[i]) : g[i] > b[i] ? g[i] : b[i];
      const float low = r[i] < g[i] ? (r[i] < b[i] ? r[i] : b[i]) : g[i] < b[i] ? g[i] : b[i];
      const float own = high > 0 ? (high - low) / high : 1, share = own > 1 ? 1 : own;
      const float grey = s->weights[0] * r[i] + s->weights[1] * g[i] + s->weights[2] * b[i];
      const float factor = 1 + s->vibrance * (1 - share);

      r[i] = grey + factor * (r[i] - grey);
      g[i] = grey + factor * (g[i] - grey);
      b[i] = grey + factor * (b[i] - grey);
    }
  }
  color_matrix_apply (s->matrix, r, g, b, block->n);
}

static bool
saturation_evaluate (Saturation *n, const KgContext *ctx, GError **error)
{
  static const double weights[N_LUMINANCES][3] = {
    [LUMINANCE_709] = { 0.2126, 0.7152, 0.0722 },
    [LUMINANCE_601] = { 0.299, 0.587, 0.114 },
    [LUMINANCE_MEAN] = { 1.0 / 3, 1.0 / 3, 1.0 / 3 },
  };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  ImageWear wear = IMAGE_WEAR_OF (n, false);
  /* Hue turns about the grey axis, on which luminance is then restored. */
  const double c = cos (n->hue), s = sin (n->hue) / sqrt (3), k = (1 - c) / 3;
  const double turn[3][3] = { { c + k, k - s, k + s }, { k + s, c + k, k - s }, { k - s, k + s, c + k } };
  Strength strength = { .vibrance = (float) n->vibrance };

  (void) error;
  for (int j = 0; j < 3; j++) {
    const double *w = weights[n->luminance];
    const double shift = w[j] - (w[0] * turn[0][j] + w[1] * turn[1][j] + w[2] * turn[2][j]);

    strength.weights[j] = (float) w[j];
    for (int i = 0; i < 3; i++)
      strength.matrix[i][j] = w[j] + n->saturation * (turn[i][j] + shift - w[j]);
  }
  wear.keeps = n->vibrance == 0;
  IMAGE_BEGIN (n);
  return image_apply_later (&n->result, &wear, saturation_block, &strength, sizeof strength,
                            kg_context_may_leave_pending (ctx), &monitor);
}

static const KgSlot saturation_slots[] = {
  IMAGE_POINT_IMAGE (Saturation, N_ ("The image to change.")),
  KG_INPUT (Saturation, saturation, NUMBER, .label = N_ ("Saturation"), .def = 1, .min = -100, .max = 100,
            .soft_min = 0, .soft_max = 4,
            .help = N_ ("Factor of the difference from grey. 0: monochrome, 1: as it was.")),
  KG_INPUT (Saturation, vibrance, NUMBER, .label = N_ ("Vibrance"), .min = -1, .max = 10, .soft_max = 2,
            .help = N_ ("More saturation for weak colours than for strong ones.")),
  KG_INPUT (Saturation, hue, NUMBER, .label = N_ ("Hue Rotation"), .unit = KG_DEGREES, .soft_min = -180,
            .soft_max = 180, .help = N_ ("Rotates all hues: 120° takes red to green.")),
  KG_INPUT (Saturation, luminance, CHOICE, .label = N_ ("Luminance"), .choices = saturation_luminances,
            .help = N_ ("How the grey of a colour is computed; this grey stays the same.")),
  IMAGE_WEAR (Saturation, N_ ("The changed image.")),
};

KG_NODE (
    image, saturation, Saturation, .label = N_ ("Saturation"), .version = 1, .since = "0.1", .reach = kg_reach_none,
    .tags = N_ (
        "saturation desaturate vibrance hsvtool hueshift hue rotate shift grey gray monochrome black white color correct"),
    .formula = "rgb' = Y + s (H rgb − Y)",
    .help = N_ ("Strengthens or weakens the colours of an image, and rotates their hues. Luminance is kept."));

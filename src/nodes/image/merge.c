/* image/merge: a foreground and an image as one, by coverage or by a blend mode.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/merge.h"

#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  const KgImage *foreground;
  int operator;
  int alpha;
  double opacity;
  KgVector offset;
  const KgImage *channel_alpha;
} MergeImages;

static const KgChoice merge_operators[] = {
  [MERGE_OVER] = { "over", N_ ("Over: the foreground in front") },
  [MERGE_UNDER] = { "under", N_ ("Under: the foreground behind") },
  [MERGE_IN] = { "in", N_ ("In: the foreground where the image is") },
  [MERGE_MASK] = { "mask", N_ ("Mask: the image where the foreground is") },
  [MERGE_OUT] = { "out", N_ ("Out: the foreground where the image is not") },
  [MERGE_STENCIL] = { "stencil", N_ ("Stencil: the image where the foreground is not") },
  [MERGE_ATOP] = { "atop", N_ ("Atop: the foreground on the image, within it") },
  [MERGE_UNDER_ATOP] = { "under_atop", N_ ("Under atop: the image on the foreground, within it") },
  [MERGE_XOR] = { "xor", N_ ("Xor: each where the other is not") },
  [MERGE_PLUS] = { "plus", N_ ("Plus: added") },
  [MERGE_COPY] = { "copy", N_ ("Copy: the foreground") },
  [MERGE_CLEAR] = { "clear", N_ ("Clear: nothing") },
  [MERGE_MATTE] = { "matte", N_ ("Matte: over, of a straight foreground") },
  [MERGE_CONJOINT_OVER] = { "conjoint_over", N_ ("Conjoint over: edges coincide") },
  [MERGE_DISJOINT_OVER] = { "disjoint_over", N_ ("Disjoint over: edges complement each other") },
  [MERGE_MULTIPLY] = { "multiply", N_ ("Multiply") },
  [MERGE_SCREEN] = { "screen", N_ ("Screen") },
  [MERGE_OVERLAY] = { "overlay", N_ ("Overlay") },
  [MERGE_HARD_LIGHT] = { "hard_light", N_ ("Hard light") },
  [MERGE_SOFT_LIGHT] = { "soft_light", N_ ("Soft light") },
  [MERGE_COLOR_DODGE] = { "color_dodge", N_ ("Colour dodge") },
  [MERGE_COLOR_BURN] = { "color_burn", N_ ("Colour burn") },
  [MERGE_MIN] = { "min", N_ ("Min: the darker") },
  [MERGE_MAX] = { "max", N_ ("Max: the lighter") },
  [MERGE_DIFFERENCE] = { "difference", N_ ("Difference") },
  [MERGE_EXCLUSION] = { "exclusion", N_ ("Exclusion") },
  [MERGE_AVERAGE] = { "average", N_ ("Average") },
  [MERGE_MINUS] = { "minus", N_ ("Minus: foreground − image") },
  [MERGE_FROM] = { "from", N_ ("From: image − foreground") },
  [MERGE_DIVIDE] = { "divide", N_ ("Divide: foreground / image") },
  [MERGE_GEOMETRIC] = { "geometric", N_ ("Geometric: the harmonic mean") },
  [MERGE_HYPOT] = { "hypot", N_ ("Hypot: the root of the sum of squares") },
  [MERGE_PIN_LIGHT] = { "pin_light", N_ ("Pin light") },
  [MERGE_REFLECT] = { "reflect", N_ ("Reflect") },
  [MERGE_FREEZE] = { "freeze", N_ ("Freeze") },
  [MERGE_GRAIN_EXTRACT] = { "grain_extract", N_ ("Grain extract") },
  [MERGE_GRAIN_MERGE] = { "grain_merge", N_ ("Grain merge") },
  [MERGE_HUE] = { "hue", N_ ("Hue of the foreground") },
  [MERGE_SATURATION] = { "saturation", N_ ("Saturation of the foreground") },
  [MERGE_COLOR] = { "color", N_ ("Colour: hue and saturation of the foreground") },
  [MERGE_LUMINOSITY] = { "luminosity", N_ ("Luminosity of the foreground") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (merge_operators, MERGE_N_OPERATORS);

static const KgChoice merge_alphas[] = {
  [MERGE_COVERED] = { "covered", N_ ("Covered: blends where both are") },
  [MERGE_CHANNELS] = { "channels", N_ ("Channels: the formula on all four channels") },
  [MERGE_MASKED] = { "masked", N_ ("Masked: the formula on colours, alpha of both") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (merge_alphas, MERGE_N_ALPHAS);

static bool
merge_evaluate (MergeImages *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const Merge merge = { .op = (MergeOperator) n->operator,
                        .alpha = (MergeAlpha) n->alpha,
                        .opacity = (float) n->opacity,
                        .channel_alpha = n->channel_alpha != NULL };
  ImageSource others[2];

  IMAGE_BEGIN (n);
  if (!image_enlarge (&n->result, n->foreground, error))
    return false;
  others[0] = image_source (n->foreground, n->result, n->offset.x, -n->offset.y);
  if (n->channel_alpha != NULL)
    others[1] = image_source (n->channel_alpha, n->result, n->offset.x, -n->offset.y);
  return merge_combine (&n->result, others, n->channel_alpha != NULL ? 2 : 1, &wear, &merge, &monitor);
}

static double
merge_reach (const void *job)
{
  const MergeImages *n = (const MergeImages *) job;

  return fmax (fabs (n->offset.x), fabs (n->offset.y)) + 1;
}

static const KgSlot merge_slots[] = {
  IMAGE_POINT_IMAGE (MergeImages, N_ ("The image B, in the background of over.")),
  KG_INPUT (MergeImages, foreground, IMAGE, .label = N_ ("Foreground"),
            .help = N_ ("The image A that is merged with it.")),
  KG_INPUT (
      MergeImages, operator, CHOICE, .label = N_ ("Operator"), .choices = merge_operators,
      .help =
          N_ ("How the two are combined: the operators of coverage, then blend modes of channels, then those of whole "
              "colours.")),
  KG_INPUT (
      MergeImages, alpha, CHOICE, .label = N_ ("Blend Alpha"), .choices = merge_alphas,
      .help = N_ (
          "How blend modes treat transparency. Covered blends straight colours where both images cover, and leaves "
          "each unchanged elsewhere, as painting programs do; the others apply the formula to premultiplied channels, "
          "as film compositors do.")),
  KG_INPUT (MergeImages, opacity, NUMBER, .label = N_ ("Opacity"), .unit = KG_PERCENT, .def = 1, .max = 1,
            .help = N_ ("Opacity of the foreground.")),
  KG_INPUT (MergeImages, offset, VECTOR, .label = N_ ("Offset"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6,
            .soft_min = -1000, .soft_max = 1000,
            .help = N_ ("Offset of the foreground to the right and up, in whole pixels.")),
  KG_INPUT (
      MergeImages, channel_alpha, IMAGE, .label = N_ ("Channel Alpha"), .optional = true,
      .help = N_ ("An image whose red, green and blue are the alphas of these channels of the foreground, as coloured "
                  "glass has them. It is used by the operators of coverage; alpha of the result is their mean.")),
  IMAGE_WEAR (MergeImages, N_ ("Both images together, as large as the larger one, with the depth of the image.")),
};

KG_NODE (
    image, merge, MergeImages, .label = N_ ("Merge"), .version = 1, .since = "0.1", .reach = merge_reach,
    .tags = N_ ("composite blend mode over under atop multiply screen overlay porter duff difference matte stencil "
                "layer keymix add addmix subtract dissolve copy picture"),
    .formula = "coverage: c = F_A·A + F_B·B\n"
               "covered blend: c = (1 − b)·A + (1 − a)·B + a·b·blend (A/a, B/b)",
    .source = "T. Porter, T. Duff, Compositing Digital Images, SIGGRAPH 1984; W3C, Compositing and Blending Level 1, "
              "2015",
    .help = N_ ("Merges a foreground and an image by coverage (over, in, out, atop ...) or by a blend mode (multiply, "
                "screen, hue ...). Images of different sizes are centred. Alpha is limited to 0 to 1, except where "
                "a formula applies to all four channels."));

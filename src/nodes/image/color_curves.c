/* image/color_curves: a curve for each channel.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_wear.h"
#include "image/tone_curve.h"

typedef struct {
  IMAGE_FIELDS;
  const KgTable *master;
  const KgTable *red;
  const KgTable *green;
  const KgTable *blue;
  const KgTable *alpha;
  int interpolation;
  bool luminance;
  bool straight;
} ColorCurves;

static const KgChoice color_curves_kinds[] = {
  [TONE_CURVE_SMOOTH] = { "smooth", N_ ("Smooth: never overshoots") },
  [TONE_CURVE_LINEAR] = { "linear", N_ ("Linear") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (color_curves_kinds, TONE_CURVE_N_KINDS);

static const KgTableColumn color_curves_columns[] = { { "input", N_ ("Input"), 0, 0 },
                                                      { "output", N_ ("Output"), 0, 0 },
                                                      KG_TABLE_COLUMNS_END };

typedef struct {
  ToneCurve master, channels[4];
  bool luminance;
} Curves;

static void
color_curves_block (const ImageBlock *block, const void *data)
{
  const Curves *curves = (const Curves *) data;
  float *const channels[] = { block->r, block->g, block->b, block->a };

  if (curves->luminance && !curves->master.identity)
    for (size_t i = 0; i < block->n; i++) {
      const float from = image_luminance (block->r[i], block->g[i], block->b[i]);
      float to = from;

      tone_curve_apply (&curves->master, &to, 1);
      for (int c = 0; c < 3; c++)
        channels[c][i] = fabsf (from) > 1e-9f ? channels[c][i] * (to / from) : to;
    }
  for (int c = 0; c < 4; c++) {
    if (c < 3 && !curves->luminance)
      tone_curve_apply (&curves->master, channels[c], block->n);
    tone_curve_apply (&curves->channels[c], channels[c], block->n);
  }
}

static bool
color_curves_evaluate (ColorCurves *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, n->straight);
  const KgTable *const tables[] = { n->red, n->green, n->blue, n->alpha };
  const ToneCurveKind kind = (ToneCurveKind) n->interpolation;
  g_autofree Curves *curves = g_new (Curves, 1);

  curves->luminance = n->luminance;
  if (!tone_curve_init (&curves->master, n->master, 1, kind, 0, error))
    return false;
  for (int c = 0; c < 4; c++)
    if (!tone_curve_init (&curves->channels[c], tables[c], 1, kind, 0, error))
      return false;
  IMAGE_BEGIN (n);
  return image_apply_later (&n->result, &wear, color_curves_block, curves, sizeof *curves,
                            kg_context_may_leave_pending (ctx), &monitor);
}

#define CHANNEL(name_, label_, help_)                                                                                  \
  KG_INPUT (ColorCurves, name_, TABLE, .label = label_, .def_text = "0 0; 1 1", .columns = color_curves_columns,       \
            .multiline = true, .help = help_)

static const KgSlot color_curves_slots[] = {
  IMAGE_POINT_IMAGE (ColorCurves, N_ ("The image to change.")),
  CHANNEL (master, N_ ("Master"),
           N_ ("Points of the curve for red, green and blue together: input and output. The curve goes on straight "
               "beyond its ends.")),
  CHANNEL (red, N_ ("Red"), N_ ("Points of the curve for red, after the master curve.")),
  CHANNEL (green, N_ ("Green"), N_ ("Points of the curve for green.")),
  CHANNEL (blue, N_ ("Blue"), N_ ("Points of the curve for blue.")),
  CHANNEL (alpha, N_ ("Alpha"), N_ ("Points of the curve for alpha.")),
  KG_INPUT (ColorCurves, interpolation, CHOICE, .label = N_ ("Interpolation"), .choices = color_curves_kinds,
            .help = N_ ("How the points are joined.")),
  KG_INPUT (ColorCurves, luminance, BOOLEAN, .label = N_ ("Keep Colours"),
            .help = N_ ("Applies the master curve to the luminance only, and keeps the ratios of the channels.")),
  IMAGE_STRAIGHT (ColorCurves),
  IMAGE_WEAR (ColorCurves, N_ ("The changed image.")),
};

KG_NODE (
    image, color_curves, ColorCurves, .label = N_ ("Colour Curves"), .version = 1, .since = "0.1",
    .reach = kg_reach_none,
    .tags = N_ (
        "color curves lookup colorlookup tone contrast s-curve channel remap levels cross process grade correct invert"),
    .source = "Fritsch and Butland, A Method for Constructing Local Monotone Piecewise Cubic Interpolants, 1984",
    .help = N_ ("Bends the tones of an image with a curve for all channels and one for each. A curve is a table of "
                "points; S-shaped ones raise the contrast, 0 1; 1 0 inverts."));

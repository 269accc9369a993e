/* image/color_bars: test patterns of known colours.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_operation.h"

#include "image/generator.h"

typedef struct {
  GENERATOR_FIELDS;
  int kind;
  double level;
} ColorBars;

enum { KIND_BARS, KIND_WHEEL, KIND_RAMPS, N_KINDS };

static const KgChoice color_bars_kinds[] = {
  [KIND_BARS] = { "bars", N_ ("Bars with a ramp below") },
  [KIND_WHEEL] = { "wheel", N_ ("Wheel of hues") },
  [KIND_RAMPS] = { "ramps", N_ ("Ramps of white, red, green and blue") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (color_bars_kinds, N_KINDS);

typedef struct {
  const ColorBars *n;
  float *pixels;
} Pattern;

/* Share of the lower band of the bars. */
#define RAMP 0.25

/* The signal (as sRGB encodes it) at a place from 0 to 1 from the left and from the top; false: transparent. */
static bool
find_signal (const ColorBars *n, double u, double v, double *signal)
{
  const double aspect = (double) n->width / (double) n->height;
  const double x = 2 * (u - 0.5) * fmax (aspect, 1), y = 2 * (0.5 - v) / fmin (aspect, 1), r = hypot (x, y);
  const int bar = MIN ((int) (8 * u), 7), band = MIN ((int) (4 * v), 3);

  if (n->kind == KIND_WHEEL) {
    const double hue = 3 / KG_PI * atan2 (y, x), turn = hue < 0 ? hue + 6 : hue;
    const double full[] = { fabs (turn - 3) - 1, 2 - fabs (turn - 2), 2 - fabs (turn - 4) };

    for (int c = 0; c < 3; c++)
      signal[c] = n->level * (1 - r + r * kg_clamp (full[c], 0, 1));
    return r <= 1;
  }
  for (int c = 0; c < 3; c++) {
    /* White, yellow, cyan, green, magenta, red, blue, black: the order of falling luminance. */
    static const int shift[] = { 1, 2, 0 };
    const bool on = ((7 - bar) >> shift[c] & 1) != 0;

    if (n->kind == KIND_RAMPS)
      signal[c] = band == 0 || band == c + 1 ? u : 0;
    else
      signal[c] = v >= 1 - RAMP ? u : on ? n->level : 0;
  }
  return true;
}

static void
color_bars_rows (gpointer data, int first, int end)
{
  const Pattern *pattern = (const Pattern *) data;
  const ColorBars *n = pattern->n;

  for (int64_t i = first * n->width; i < end * n->width; i++) {
    const double u = ((double) (i % n->width) + 0.5) / (double) n->width;
    const double v = ((double) (i / n->width) + 0.5) / (double) n->height;
    float *p = pattern->pixels + 4 * i;
    double signal[3];

    if (!find_signal (n, u, v, signal))
      continue;
    for (int c = 0; c < 3; c++)
      p[c] = (float) kg_srgb_decode (signal[c]);
    p[3] = 1;
  }
}

static bool
color_bars_evaluate (ColorBars *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  Pattern pattern = { .n = n };

  if (!GENERATOR_BEGIN (n, error))
    return false;
  pattern.pixels = kg_image_edit_pixels (n->image);
  return image_each_rows ((int) n->width, (int) n->height, color_bars_rows, &pattern, &monitor);
}

static const KgSlot color_bars_slots[] = {
  GENERATOR_SIZE (ColorBars),
  KG_INPUT (ColorBars, kind, CHOICE, .label = N_ ("Kind"), .choices = color_bars_kinds,
            .help = N_ ("Pattern to draw.")),
  KG_INPUT (ColorBars, level, NUMBER, .label = N_ ("Level"), .unit = KG_PERCENT, .def = 0.75, .max = 1,
            .shown_when = "kind!=ramps",
            .help = N_ ("Signal of the colours: bars of 75 % stand in the boxes of the vectorscope.")),
  GENERATOR_IMAGE (ColorBars),
};

KG_NODE (
    image, color_bars, ColorBars, .label = N_ ("Colour Bars"), .version = 1, .since = "0.1",
    .tags =
        N_ ("color bars colorbars colorwheel color wheel test pattern smpte ebu ramp hue calibration signal generator"),
    .source = "ITU-R BT.471 (colour bar signals)",
    .help = N_ ("Makes a test pattern whose colours are known: bars in the order of falling luminance over "
                "a ramp of greys, a wheel of hues, or ramps. All values are those of the sRGB signal."));

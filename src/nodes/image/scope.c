/* image/scope: histogram, waveform and vectorscope of an image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/scope.h"

#include "kg-node.h"

typedef struct {
  const KgImage *image;
  int kind;
  bool encoded;
  double low;
  double high;
  double gain;
  bool graticule;
  int64_t width;
  int64_t height;
  KgImage *scope;
} Scope;

static const KgChoice scope_kinds[] = {
  [SCOPE_HISTOGRAM] = { "histogram", N_ ("Histogram") },
  [SCOPE_WAVEFORM] = { "waveform", N_ ("Waveform of red, green and blue") },
  [SCOPE_PARADE] = { "parade", N_ ("Parade: three waveforms side by side") },
  [SCOPE_LUMA] = { "luma", N_ ("Waveform of luma") },
  [SCOPE_VECTORSCOPE] = { "vectorscope", N_ ("Vectorscope") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (scope_kinds, SCOPE_N_KINDS);

static bool
scope_evaluate (Scope *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ScopeStyle style = { (ScopeKind) n->kind, n->encoded, n->low, n->high, n->gain, n->graticule };

  if (!(n->high - n->low > 1e-12)) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "the scale goes from %g to %g: give it two different ends", n->low,
                  n->high);
    return false;
  }
  n->scope = kg_image_new (n->width, n->height, false, error);
  return n->scope != NULL && scope_draw (n->image, &style, n->scope, &monitor);
}

static const KgSlot scope_slots[] = {
  KG_INPUT (Scope, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image to measure.")),
  KG_INPUT (
      Scope, kind, CHOICE, .label = N_ ("Kind"), .choices = scope_kinds, .def = SCOPE_WAVEFORM,
      .help = N_ ("The instrument. A histogram counts values; a waveform shows them above the place where they are; a "
                  "vectorscope shows hues as directions and saturation as the distance from the centre.")),
  KG_INPUT (Scope, encoded, BOOLEAN, .label = N_ ("Signal"), .def = 1,
            .help = N_ ("Measures the sRGB signal, as it looks, instead of linear light.")),
  KG_INPUT (Scope, low, NUMBER, .label = N_ ("Low"), .min = -1e6, .max = 1e6, .soft_min = -1, .soft_max = 1,
            .shown_when = "kind!=vectorscope", .help = N_ ("Value at the low end of the scale.")),
  KG_INPUT (Scope, high, NUMBER, .label = N_ ("High"), .def = 1, .min = -1e6, .max = 1e6, .soft_min = 0, .soft_max = 4,
            .shown_when = "kind!=vectorscope", .help = N_ ("Value at the high end of the scale.")),
  KG_INPUT (Scope, gain, NUMBER, .label = N_ ("Gain"), .def = 1, .max = 1e6, .soft_max = 10,
            .shown_when = "kind!=histogram", .help = N_ ("Brightness of the traces.")),
  KG_INPUT (Scope, graticule, BOOLEAN, .label = N_ ("Graticule"), .def = 1,
            .help = N_ (
                "Draws quarters of the scale, or the circle of full saturation and the boxes of colour bars at 75 %.")),
  KG_INPUT (Scope, width, INTEGER, .label = N_ ("Width"), .unit = KG_PIXELS, .def = 512, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 1920, .help = N_ ("Size of the scope's image.")),
  KG_INPUT (Scope, height, INTEGER, .label = N_ ("Height"), .unit = KG_PIXELS, .def = 288, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 1080, .help = N_ ("Size of the scope's image.")),
  KG_OUTPUT (Scope, scope, IMAGE, .label = N_ ("Image"), .help = N_ ("What the instrument shows.")),
};

KG_NODE (
    image, scope, Scope, .label = N_ ("Scope"), .version = 1, .since = "0.1",
    .tags = N_ ("histogram waveform parade vectorscope scope levels monitor measure luma rgb exposure broadcast"),
    .source = "ITU-R BT.709; SMPTE RP 219",
    .help = N_ (
        "Measures an image: its histogram, waveform or vectorscope, as an image. Colours are measured without their alpha."));

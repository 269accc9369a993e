/* image/keyer: a subject cut out of what is behind it, by colour, brightness or a plate.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/keyer.h"

#include "image/image_wear.h"

/* Share of its strongest channel by which a colour differs from grey at least. */
#define KEYER_LEAST_HUE 0.01

typedef struct {
  IMAGE_FIELDS;
  int method;
  KgColor screen;
  const KgImage *plate;
  double tolerance;
  double softness;
  double low;
  double high;
  bool invert;
  double black_clip;
  double white_clip;
  const KgImage *keep;
  const KgImage *drop;
  bool subtract_screen;
  double despill;
  int spill_limit;
  bool show_matte;
} KeyerImage;

static const KgChoice keyer_methods[] = {
  [KEYER_COLOR_DIFFERENCE] = { "color_difference", N_ ("Colour difference: blue or green screen") },
  [KEYER_CHROMA] = { "chroma", N_ ("Chroma: any screen colour") },
  [KEYER_LUMA] = { "luma", N_ ("Luma: bright parts") },
  [KEYER_DIFFERENCE] = { "difference", N_ ("Difference from a plate") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (keyer_methods, KEYER_N_METHODS);

static const KgChoice keyer_spills[] = {
  [KEYER_SPILL_AVERAGE] = { "average", N_ ("Mean of the other channels") },
  [KEYER_SPILL_LARGER] = { "larger", N_ ("Larger of the other channels") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (keyer_spills, KEYER_N_SPILLS);

/* What is not wrong, but can hardly be meant. */
static void
keyer_warn (const KeyerImage *n, const KgContext *ctx)
{
  const double most = fmax (fmax (n->screen.r, n->screen.g), n->screen.b);
  const double least = fmin (fmin (n->screen.r, n->screen.g), n->screen.b);
  const double middle = n->screen.r + n->screen.g + n->screen.b - most - least;

  if (n->method == KEYER_COLOR_DIFFERENCE && !(most - middle > KEYER_LEAST_HUE * most))
    kg_context_warn (
        ctx,
        "a screen colour of (%g, %g, %g) has no channel that is stronger than the others: pick the colour of the screen, or use the method chroma or luma",
        n->screen.r, n->screen.g, n->screen.b);
  if (n->method == KEYER_CHROMA && !(most - least > KEYER_LEAST_HUE * most))
    kg_context_warn (
        ctx,
        "a screen colour of (%g, %g, %g) has no hue: everything grey becomes transparent; pick the colour of the screen",
        n->screen.r, n->screen.g, n->screen.b);
  if (!(n->black_clip < n->white_clip))
    kg_context_warn (
        ctx, "a black clip of %g is not below the white clip of %g: the matte has hard edges; lower the black clip",
        n->black_clip, n->white_clip);
}

static bool
keyer_evaluate (KeyerImage *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const KgImage *const others[] = { n->plate, n->keep, n->drop };
  const Keyer keyer = {
    .method = (KeyerMethod) n->method,
    .screen = { (float) n->screen.r, (float) n->screen.g, (float) n->screen.b },
    .tolerance = (float) n->tolerance,
    .softness = (float) n->softness,
    .low = (float) n->low,
    .high = (float) n->high,
    .black = (float) n->black_clip,
    .white = (float) n->white_clip,
    .invert = n->invert,
    .subtract_screen = n->subtract_screen,
    .despill = n->method == KEYER_COLOR_DIFFERENCE || n->method == KEYER_CHROMA ? (float) n->despill : 0,
    .spill = (KeyerSpill) n->spill_limit,
    .show_matte = n->show_matte,
    .has_keep = n->keep != NULL,
    .has_drop = n->drop != NULL,
    .keep_luminance = n->keep != NULL && image_mask_resolve (n->keep, IMAGE_MASK_AUTOMATIC) == IMAGE_MASK_LUMINANCE,
    .drop_luminance = n->drop != NULL && image_mask_resolve (n->drop, IMAGE_MASK_AUTOMATIC) == IMAGE_MASK_LUMINANCE,
  };
  g_autoptr (KgImage) nothing = kg_image_new (1, 1, false, error);
  ImageSource sources[3];

  if (nothing == NULL)
    return false;
  if (n->method == KEYER_DIFFERENCE && n->plate == NULL) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED,
                  "a difference needs a plate: connect an image of the same view without the subject");
    return false;
  }
  keyer_warn (n, ctx);
  IMAGE_BEGIN (n);
  for (int i = 0; i < 3; i++)
    sources[i] = image_source (others[i] != NULL ? others[i] : nothing, n->result, 0, 0);
  return image_combine (&n->result, sources, 3, &wear, keyer_block, &keyer, &monitor);
}

static const KgSlot keyer_slots[] = {
  IMAGE_INPUT (KeyerImage, N_ ("The image with the subject.")),
  KG_INPUT (KeyerImage, method, CHOICE, .label = N_ ("Method"), .choices = keyer_methods,
            .help = N_ ("What distinguishes the subject from what is behind it.")),
  KG_INPUT (KeyerImage, screen, COLOR, .label = N_ ("Screen Colour"), .def_v = { 0.05, 0.5, 0.1, 1 },
            .shown_when = "method=color_difference|chroma",
            .help = N_ (
                "The colour of the screen: pick it beside the subject. Its strongest channel is the one that spills.")),
  KG_INPUT (KeyerImage, plate, IMAGE, .label = N_ ("Plate"), .optional = true, .shown_when = "method=difference",
            .help = N_ ("The same view without the subject, for the difference. It is centred.")),
  KG_INPUT (KeyerImage, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 0.05, .max = 1e6, .soft_max = 0.5,
            .shown_when = "method=chroma|difference",
            .help = N_ ("Colours no farther from the screen than this are transparent.")),
  KG_INPUT (KeyerImage, softness, NUMBER, .label = N_ ("Softness"), .def = 0.1, .max = 1e6, .soft_max = 0.5,
            .shown_when = "method=chroma|difference",
            .help = N_ ("Further distance over which colours become opaque.")),
  KG_INPUT (KeyerImage, low, NUMBER, .label = N_ ("Low"), .def = 0, .soft_max = 1, .shown_when = "method=luma",
            .help = N_ ("Luminance up to which the image is transparent.")),
  KG_INPUT (KeyerImage, high, NUMBER, .label = N_ ("High"), .def = 1, .soft_max = 1, .shown_when = "method=luma",
            .help = N_ ("Luminance from which it is opaque. If it is not above Low, the matte has hard edges.")),
  KG_INPUT (KeyerImage, invert, BOOLEAN, .label = N_ ("Invert"), .help = N_ ("Keeps what was transparent.")),
  KG_INPUT (KeyerImage, black_clip, NUMBER, .label = N_ ("Black Clip"), .def = 0, .soft_max = 1, .group = N_ ("Matte"),
            .help = N_ ("Mattes up to this become 0: removes a veil in the transparent parts.")),
  KG_INPUT (KeyerImage, white_clip, NUMBER, .label = N_ ("White Clip"), .def = 1, .soft_max = 1, .group = N_ ("Matte"),
            .help = N_ ("Mattes from this on become 1: closes thin places in the subject.")),
  KG_INPUT (KeyerImage, keep, IMAGE, .label = N_ ("Inside Matte"), .optional = true, .whole = true,
            .group = N_ ("Matte"),
            .help = N_ (
                "Where this is 1, the image stays opaque: by its alpha, or its luminance if it is opaque everywhere.")),
  KG_INPUT (KeyerImage, drop, IMAGE, .label = N_ ("Garbage Matte"), .optional = true, .whole = true,
            .group = N_ ("Matte"),
            .help = N_ ("Where this is 1, the image is transparent, whatever the other settings.")),
  KG_INPUT (
      KeyerImage, subtract_screen, BOOLEAN, .label = N_ ("Subtract Screen"), .def = 1, .group = N_ ("Edges"),
      .help = N_ (
          "Removes the colour of the screen (or the plate) from half-transparent pixels, instead of darkening them.")),
  KG_INPUT (
      KeyerImage, despill, NUMBER, .label = N_ ("Despill"), .unit = KG_PERCENT, .def = 1, .max = 1,
      .group = N_ ("Edges"), .shown_when = "method=color_difference|chroma",
      .help = N_ ("How far the strongest channel of the screen is limited, so that none of its light is left on the "
                  "subject.")),
  KG_INPUT (KeyerImage, spill_limit, CHOICE, .label = N_ ("Spill Limit"), .choices = keyer_spills,
            .group = N_ ("Edges"), .shown_when = "method=color_difference|chroma",
            .help = N_ ("Limit for that channel.")),
  KG_INPUT (KeyerImage, show_matte, BOOLEAN, .label = N_ ("Show Matte"),
            .help = N_ ("Outputs the matte, in opaque grey.")),
  IMAGE_WEAR (KeyerImage, N_ ("The subject, premultiplied by its matte.")),
};

KG_NODE (
    image, keyer, KeyerImage, .label = N_ ("Keyer"), .version = 1, .since = "0.1", .reach = kg_reach_none,
    .tags = N_ (
        "chroma key green screen blue screen luma key difference matte despill spill suppress transparent cut out "
        "chromakeyer keylight pik ultimatte picture"),
    .formula = "colour difference: α = 1 − clamp ((k − max (others))/(that of the screen))\n"
               "subtract screen: c = p − (1 − α)·screen",
    .source = "P. Vlahos, US patent 3 595 987, 1971; A. R. Smith, J. F. Blinn, Blue Screen Matting, SIGGRAPH 1996",
    .help = N_ (
        "Cuts a subject out of its background by the colour of a screen, by brightness, or by the difference from a "
        "plate, and removes the screen's light from its edges."));

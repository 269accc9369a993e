/* image/palette: an image in a few colours.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "frame_samples.h"
#include "image/dither.h"
#include "kg-image-file.h"
#include "kg-palette.h"

typedef struct {
  FRAME_FIELDS;
  int64_t colors;
  const KgImage *palette;
  int dither;
  double amount;
  int64_t used;
} Palette;

static const KgChoice palette_dithers[] = {
  [DITHER_NONE] = { "none", N_ ("None: the nearest colour") },
  [DITHER_ORDERED] = { "ordered", N_ ("Ordered: a pattern that stands still") },
  [DITHER_DIFFUSE] = { "floyd_steinberg", N_ ("Floyd-Steinberg: error diffusion") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (palette_dithers, DITHER_N);

/* Moves the pixels that are not fully transparent to the front; one of those if there are no others. */
static size_t
palette_keep_visible (uint8_t *rgba, size_t n)
{
  size_t kept = 0;

  for (size_t i = 0; i < n; i++)
    if (rgba[4 * i + 3] > 0)
      memmove (rgba + 4 * kept++, rgba + 4 * i, 4);
  return MAX (kept, 1);
}

static bool
palette_evaluate (Palette *n, const KgContext *ctx, GError **error)
{
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const KgImage *from = n->palette != NULL ? n->palette : n->image;
  size_t pixels = (size_t) kg_image_get_width (from) * (size_t) kg_image_get_height (from);
  g_autofree uint8_t *rgba = g_try_malloc_n (pixels, 4);
  uint32_t palette[KG_PALETTE_SIZE];

  if (rgba == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for the colours of %d by %d pixels",
                  kg_image_get_width (from), kg_image_get_height (from));
    return false;
  }
  kg_image_to_rgba8 (from, rgba);
  pixels = palette_keep_visible (rgba, pixels);
  n->used = kg_palette_choose (rgba, pixels, (guint) n->colors, palette);
  n->result = frame_samples_new_like (n->image, error);
  return n->result != NULL &&
         dither_apply (n->image, palette, (guint) n->used, (DitherMethod) n->dither, n->amount, n->result, &monitor) &&
         image_wear (n->image, &wear, &n->result, &monitor);
}

static const KgSlot palette_slots[] = {
  IMAGE_INPUT (Palette, N_ ("The image whose colours are reduced.")),
  KG_INPUT (Palette, colors, INTEGER, .label = N_ ("Colours"), .def = 256, .min = 1, .max = KG_PALETTE_SIZE,
            .help = N_ ("Largest number of colours. An image that has no more keeps them exactly.")),
  KG_INPUT (Palette, palette, IMAGE, .label = N_ ("Palette"), .optional = true,
            .help = N_ ("An image whose colours are taken instead of the image's own: such as one frame, so that all "
                        "frames have the same.")),
  KG_INPUT (Palette, dither, CHOICE, .label = N_ ("Dither"), .choices = palette_dithers, .def = DITHER_DIFFUSE,
            .help = N_ ("How colours between those of the palette are shown by mixing pixels.")),
  KG_INPUT (Palette, amount, NUMBER, .label = N_ ("Amount"), .unit = KG_PERCENT, .def = 1, .min = 0, .max = 1,
            .shown_when = "dither=ordered|floyd_steinberg", .help = N_ ("How strong the mixing is.")),
  KG_OUTPUT (Palette, used, INTEGER, .label = N_ ("Colours used"), .help = N_ ("Number of colours of the palette.")),
  IMAGE_WEAR (Palette, N_ ("The image in these colours.")),
};

KG_NODE (
    image, palette, Palette, .label = N_ ("Palette"), .version = 2, .since = "0.1",
    .tags =
        N_ ("dither dithering quantize indexed posterize gif floyd steinberg bayer pixel art reduce colours colors"),
    .formula = "error to the right 7/16, below 3/16, 5/16, 1/16",
    .source = "Floyd and Steinberg, 1976; Bayer, 1973; Heckbert, 1982",
    .help = N_ ("Reduces an image to a few colours, chosen to fit it best or taken from another image, and mixes them "
                "by dithering: for the look of old computers, and for GIF animations whose dithering stands still."));

/* image/lut: a look-up table from a .cube file.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_lut.h"
#include "image/color_space.h"
#include "image/image_wear.h"
#include "kg-regular-file.h"

typedef struct {
  IMAGE_FIELDS;
  const char *path;
  int signal;
  bool straight;
} Lut;

enum { SIGNAL_SRGB, SIGNAL_LINEAR, SIGNAL_BT709, SIGNAL_ACESCCT, N_SIGNALS };

static const KgChoice lut_signals[] = {
  [SIGNAL_SRGB] = { "srgb", N_ ("sRGB to sRGB") },
  [SIGNAL_LINEAR] = { "linear", N_ ("Linear to linear") },
  [SIGNAL_BT709] = { "bt709", N_ ("BT.1886 to BT.1886 (gamma 2.4)") },
  [SIGNAL_ACESCCT] = { "acescct", N_ ("ACEScct to BT.1886") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (lut_signals, N_SIGNALS);

typedef struct {
  const ColorLut *lut;
  ColorConversion in, out;
} Look;

static void
lut_block (const ImageBlock *block, const void *data)
{
  const Look *look = (const Look *) data;

  color_conversion_apply (&look->in, block->r, block->g, block->b, block->n);
  color_lut_apply (look->lut, block->r, block->g, block->b, block->n);
  color_conversion_apply (&look->out, block->r, block->g, block->b, block->n);
}

static bool
lut_evaluate (Lut *n, const KgContext *ctx, GError **error)
{
  static const ColorSpace spaces[N_SIGNALS][2] = {
    [SIGNAL_SRGB] = { COLOR_SPACE_SRGB, COLOR_SPACE_SRGB },
    [SIGNAL_LINEAR] = { COLOR_SPACE_LINEAR, COLOR_SPACE_LINEAR },
    [SIGNAL_BT709] = { COLOR_SPACE_GAMMA_24, COLOR_SPACE_GAMMA_24 },
    [SIGNAL_ACESCCT] = { COLOR_SPACE_ACESCCT, COLOR_SPACE_GAMMA_24 },
  };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, n->straight);
  g_autofree char *path = NULL, *text = NULL;
  g_autoptr (ColorLut) lut = NULL;
  Look look;

  if (n->path[0] == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "path is empty: choose a look-up table (.cube)");
    return false;
  }
  path = kg_context_dup_path (ctx, n->path, error);
  if (path == NULL)
    return false;
  text = kg_regular_file_read (path, "a look-up table", NULL, error);
  if (text == NULL)
    return false;
  lut = color_lut_parse (text, error);
  if (lut == NULL) {
    g_prefix_error (error, "%s: ", n->path);
    return false;
  }
  look.lut = lut;
  color_conversion_init (&look.in, COLOR_SPACE_LINEAR, spaces[n->signal][0]);
  color_conversion_init (&look.out, spaces[n->signal][1], COLOR_SPACE_LINEAR);
  IMAGE_BEGIN (n);
  return image_apply (&n->result, &wear, lut_block, &look, &monitor);
}

static const KgSlot lut_slots[] = {
  IMAGE_POINT_IMAGE (Lut, N_ ("The image to change.")),
  KG_INPUT (Lut, path, TEXT, .label = N_ ("File"), .fixed = true, .path = true,
            .help = N_ ("A look-up table (.cube) of one or three dimensions, relative to the folder of the graph.")),
  KG_INPUT (
      Lut, signal, CHOICE, .label = N_ ("Signal"), .choices = lut_signals,
      .help =
          N_ ("Colour spaces that the table converts from and to. Most looks for photographs and video convert display "
              "signals to display signals.")),
  IMAGE_STRAIGHT (Lut),
  IMAGE_WEAR (Lut, N_ ("The changed image.")),
};

KG_NODE (
    image, lut, Lut, .label = N_ ("Look-up Table"), .version = 1, .since = "0.1", .reach = kg_reach_none,
    .tags = N_ (
        "lut cube look lookup table ociofiletransform vectorfield ocio file transform grade film emulation 3d 1d color"),
    .source = "Adobe, Cube LUT Specification 1.0, 2013; Kasson and others 1995 (tetrahedral interpolation)",
    .help = N_ ("Applies a colour look-up table from a .cube file, with tetrahedral interpolation. Colours outside the "
                "table's domain get the colour at its edge."));

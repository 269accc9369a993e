/* image/color_space: colours of one standard as numbers of another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_space.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  int from;
  int to;
  bool straight;
} ColorSpaceNode;

static const KgChoice color_space_choices[] = {
  [COLOR_SPACE_LINEAR] = { "linear", N_ ("Linear BT.709: the working space") },
  [COLOR_SPACE_SRGB] = { "srgb", N_ ("sRGB") },
  [COLOR_SPACE_BT709] = { "bt709", N_ ("BT.709 camera") },
  [COLOR_SPACE_GAMMA_24] = { "gamma24", N_ ("BT.1886 display (gamma 2.4)") },
  [COLOR_SPACE_BT2020_LINEAR] = { "bt2020_linear", N_ ("Linear BT.2020") },
  [COLOR_SPACE_BT2020] = { "bt2020", N_ ("BT.2020 camera") },
  [COLOR_SPACE_PQ] = { "pq", N_ ("BT.2100 PQ, 1 is 100 cd/m²") },
  [COLOR_SPACE_HLG] = { "hlg", N_ ("BT.2100 HLG, scene light") },
  [COLOR_SPACE_P3_LINEAR] = { "p3_linear", N_ ("Linear P3") },
  [COLOR_SPACE_DISPLAY_P3] = { "display_p3", N_ ("Display P3") },
  [COLOR_SPACE_ADOBE_RGB] = { "adobe_rgb", N_ ("Adobe RGB (1998)") },
  [COLOR_SPACE_PROPHOTO] = { "prophoto", N_ ("ProPhoto RGB (ROMM)") },
  [COLOR_SPACE_ACES] = { "aces", N_ ("ACES 2065-1") },
  [COLOR_SPACE_ACESCG] = { "acescg", N_ ("ACEScg") },
  [COLOR_SPACE_ACESCCT] = { "acescct", N_ ("ACEScct") },
  [COLOR_SPACE_XYZ] = { "xyz", N_ ("CIE XYZ, white D65") },
  [COLOR_SPACE_LAB] = { "lab", N_ ("CIE L*a*b*, in hundredths") },
  [COLOR_SPACE_OKLAB] = { "oklab", N_ ("Oklab") },
  [COLOR_SPACE_HSV] = { "hsv", N_ ("HSV of sRGB") },
  [COLOR_SPACE_HSL] = { "hsl", N_ ("HSL of sRGB") },
  [COLOR_SPACE_YCBCR] = { "ycbcr", N_ ("Y′CbCr of BT.709") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (color_space_choices, COLOR_SPACE_N);

static void
color_space_block (const ImageBlock *block, const void *data)
{
  color_conversion_apply ((const ColorConversion *) data, block->r, block->g, block->b, block->n);
}

static bool
color_space_evaluate (ColorSpaceNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, n->straight);
  ColorConversion conversion;

  (void) error;
  color_conversion_init (&conversion, (ColorSpace) n->from, (ColorSpace) n->to);
  IMAGE_BEGIN (n);
  return image_apply_later (&n->result, &wear, color_space_block, &conversion, sizeof conversion,
                            kg_context_may_leave_pending (ctx), &monitor);
}

static const KgSlot color_space_slots[] = {
  IMAGE_POINT_IMAGE (ColorSpaceNode, N_ ("The image to convert.")),
  KG_INPUT (ColorSpaceNode, from, CHOICE, .label = N_ ("From"), .choices = color_space_choices,
            .help = N_ ("Colour space of the image. Images that the program reads are already in its working space.")),
  KG_INPUT (ColorSpaceNode, to, CHOICE, .label = N_ ("To"), .choices = color_space_choices, .def = COLOR_SPACE_SRGB,
            .help = N_ ("Colour space of the result. The viewport shows its numbers as if they were linear light.")),
  IMAGE_STRAIGHT (ColorSpaceNode),
  IMAGE_WEAR (ColorSpaceNode, N_ ("The converted image.")),
};

KG_NODE (
    image, color_space, ColorSpaceNode, .label = N_ ("Colour Space"), .version = 2, .since = "0.1",
    .reach = kg_reach_none,
    .tags = N_ (
        "colorspace ociocolorspace color space convert srgb rec709 rec2020 p3 aces acescg acescct xyz lab oklab hsv hsl "
        "ycbcr yuv pq hlg hdr gamma linear log ocio"),
    .source = "IEC 61966-2-1; ITU-R BT.709, BT.2020, BT.2100; SMPTE ST 2065-1; CIE 15; Ottosson, Oklab, 2020",
    .help = N_ ("Converts colours from one standard to another: transfer curve, primaries and white (adapted by the "
                "Bradford transform). Nothing is clipped: colours outside the new range are negative or above 1."));

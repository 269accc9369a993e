/* image/color_profile: colours of a device, as its ICC profile describes them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_profile.h"

#include "image/image_wear.h"
#include "kg-profile-file.h"

typedef struct {
  IMAGE_FIELDS;
  const char *path;
  int direction;
  int intent;
  bool straight;
} ColorProfileNode;

enum { DIRECTION_FROM, DIRECTION_TO, N_DIRECTIONS };

static const KgChoice color_profile_directions[] = {
  [DIRECTION_FROM] = { "from", N_ ("From the profile to the working space") },
  [DIRECTION_TO] = { "to", N_ ("From the working space to the profile") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (color_profile_directions, N_DIRECTIONS);

static const KgChoice color_profile_intents[] = {
  [KG_INTENT_PERCEPTUAL] = { "perceptual", N_ ("Perceptual: all colours come closer") },
  [KG_INTENT_RELATIVE] = { "relative", N_ ("Relative colorimetric: white stays white") },
  [KG_INTENT_SATURATION] = { "saturation", N_ ("Saturation: vivid charts") },
  [KG_INTENT_ABSOLUTE] = { "absolute", N_ ("Absolute colorimetric: the tint of paper, too") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (color_profile_intents, KG_N_INTENTS);

static void
color_profile_block (const ImageBlock *block, const void *data)
{
  color_profile_apply ((const ColorProfile *) data, block->r, block->g, block->b, block->n);
}

/* (transfer full) (nullable) */
static ColorProfile *
load (const ColorProfileNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const bool to_device = n->direction == DIRECTION_TO;
  g_autofree char *path = NULL;
  g_auto (KgProfileFile) file = { 0 };
  ColorProfile *profile;
  const float *numbers;

  if (n->path[0] == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "path is empty: choose a colour profile (.icc, .icm)");
    return NULL;
  }
  path = kg_context_dup_path (ctx, n->path, error);
  if (path == NULL || !kg_profile_load (path, to_device, (KgIntent) n->intent, &monitor, &file, error))
    return NULL;
  numbers = (const float *) g_bytes_get_data (file.numbers, NULL);
  profile = file.is_table
                ? color_profile_new_table (numbers, file.size, to_device, error)
                : color_profile_new_curves (numbers, file.size, numbers + 3 * (size_t) file.size, to_device, error);
  if (profile == NULL)
    g_prefix_error (error, "%s: ", n->path);
  return profile;
}

static bool
color_profile_evaluate (ColorProfileNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, n->straight);
  g_autoptr (ColorProfile) profile = load (n, ctx, error);

  if (profile == NULL)
    return false;
  IMAGE_BEGIN (n);
  return image_apply (&n->result, &wear, color_profile_block, profile, &monitor);
}

static const KgSlot color_profile_slots[] = {
  IMAGE_POINT_IMAGE (ColorProfileNode, N_ ("The image to convert.")),
  KG_INPUT (ColorProfileNode, path, TEXT, .label = N_ ("File"), .fixed = true, .path = true,
            .help = N_ ("An ICC profile (.icc, .icm) of red, green and blue, relative to the folder of the graph.")),
  KG_INPUT (ColorProfileNode, direction, CHOICE, .label = N_ ("Direction"), .choices = color_profile_directions,
            .help = N_ ("Whether the image is converted from the profile or to it.")),
  KG_INPUT (
      ColorProfileNode, intent, CHOICE, .label = N_ ("Intent"), .choices = color_profile_intents,
      .def = KG_INTENT_RELATIVE,
      .help = N_ (
          "What happens to colours that the device cannot show. It applies to profiles with tables; those of curves "
          "and a matrix are relative colorimetric.")),
  IMAGE_STRAIGHT (ColorProfileNode),
  IMAGE_WEAR (ColorProfileNode, N_ ("The converted image.")),
};

KG_NODE (image, color_profile, ColorProfileNode, .label = N_ ("Colour Profile"), .version = 1, .since = "0.1",
         .reach = kg_reach_none,
         .tags = N_ ("icc icm lcms profile colorspace color management display camera scanner monitor proof calibrate"),
         .source = "International Color Consortium, ICC.1:2022; Lam, Metamerism and Colour Constancy, 1985 (Bradford)",
         .help = N_ ("Converts colours from what an ICC profile describes to the working space (linear light of "
                     "BT.709), or back. Numbers of the device are limited to 0 to 1. An image from a camera or "
                     "scanner with a profile of its own is read as if it were sRGB: convert it back to sRGB "
                     "first, and then from the profile."));

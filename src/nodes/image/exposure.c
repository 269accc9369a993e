/* image/exposure: brightness in stops and white balance.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_space.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  double exposure;
  KgColor channels;
  double temperature;
  double tint;
} Exposure;

static void
exposure_block (const ImageBlock *block, const void *data)
{
  color_matrix_apply ((const double (*)[3]) data, block->r, block->g, block->b, block->n);
}

static bool
exposure_evaluate (Exposure *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  ImageWear wear = IMAGE_WEAR_OF (n, false);
  const double *stops = &n->channels.r;
  double matrix[3][3];

  (void) error;
  color_balance_matrix (n->temperature, n->tint, matrix);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      /* No balance is none at all. */
      const double m = n->temperature == 6504 && n->tint == 0 ? (i == j) : matrix[i][j];

      matrix[i][j] = m * exp2 (n->exposure + stops[i]);
    }
  wear.keeps = true;
  IMAGE_BEGIN (n);
  return image_apply_later (&n->result, &wear, exposure_block, matrix, sizeof matrix,
                            kg_context_may_leave_pending (ctx), &monitor);
}

static const KgSlot exposure_slots[] = {
  IMAGE_POINT_IMAGE (Exposure, N_ ("The image to expose.")),
  KG_INPUT (Exposure, exposure, NUMBER, .label = N_ ("Exposure"), .min = -60, .max = 60, .soft_min = -5, .soft_max = 5,
            .help = N_ ("Stops: each one doubles the light.")),
  KG_INPUT (Exposure, channels, COLOR, .label = N_ ("Channels"), .def_v = { 0, 0, 0, 1 }, .min = -60, .max = 60,
            .soft_min = -2, .soft_max = 2, .help = N_ ("Additional stops of red, green and blue; printer lights.")),
  KG_INPUT (
      Exposure, temperature, NUMBER, .label = N_ ("Temperature"), .def = 6504, .min = 1667, .max = 25000,
      .soft_min = 2000, .soft_max = 12000, .group = N_ ("White Balance"),
      .help =
          N_ ("Colour temperature in kelvin of the light that should look white. Lamplight has 2700 to 3200, daylight "
              "5500 to 6500; 6504 changes nothing.")),
  KG_INPUT (Exposure, tint, NUMBER, .label = N_ ("Tint"), .min = -50, .max = 50, .soft_min = -20, .soft_max = 20,
            .group = N_ ("White Balance"),
            .help = N_ ("How green (positive) or magenta (negative) that light is compared with daylight of the same "
                        "temperature, in thousandths of the CIE 1960 diagram. Fluorescent lamps have 5 to 15.")),
  IMAGE_WEAR (Exposure, N_ ("The exposed image.")),
};

KG_NODE (
    image, exposure, Exposure, .label = N_ ("Exposure and White Balance"), .version = 1, .since = "0.1",
    .reach = kg_reach_none,
    .tags = N_ ("exposure stops white balance temperature tint brightness gain printer lights multiply color correct"),
    .formula = "rgb' = 2^(exposure + channels) B⁻¹ diag (white / light) B rgb",
    .source = "Lam, Metamerism and Colour Constancy, 1985 (Bradford); CIE 15:2004, daylight; Kim and others 2002",
    .help = N_ ("Changes the exposure of an image in stops, as a camera does, and balances it for the colour of the "
                "light. The image is linear light, so this is exact."));

/* fuzz-cube: any bytes may be read as a look-up table of colours.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/color_lut.h"

#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (ColorLut) lut = color_lut_parse (text, &error);
  float r[] = { -1e30f, 0, 0.3f, 1, 1e30f }, g[] = { 0.5f, 1, 0, -1, 2 }, b[] = { 0.1f, 0.9f, 1, 0, 0.5f };

  g_assert_true ((lut == NULL) == (error != NULL));
  if (lut != NULL) {
    color_lut_apply (lut, r, g, b, G_N_ELEMENTS (r));
    for (guint i = 0; i < G_N_ELEMENTS (r); i++)
      g_assert_true (isfinite (r[i]) && isfinite (g[i]) && isfinite (b[i]));
  }
  return 0;
}

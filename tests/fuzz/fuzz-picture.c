/* fuzz-picture: any bytes may be read as a picture.  What is read is finite.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-as-file.h"
#include "kg-image-file.h"
#include "kineograph.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const suffixes[] = { ".png", ".exr", ".jpg", ".gif", ".tif", ".bmp" };
  g_autofree char *path = size > 0 ? write_file (data, size, suffixes, G_N_ELEMENTS (suffixes)) : NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *comment = NULL;
  g_autoptr (KgImage) image = NULL;

  if (path == NULL)
    return 0;
  image = kg_image_load (path, &error);
  comment = kg_image_read_comment (path);
  kg_image_is_complete (path);
  g_unlink (path);
  g_assert_true ((image == NULL) == (error != NULL));
  if (image != NULL) {
    g_auto (KgValue) value = kg_value_take (KG_IMAGE, g_steal_pointer (&image));

    g_assert_true (kg_value_check_finite (&value, NULL));
  }
  return 0;
}

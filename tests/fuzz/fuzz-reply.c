/* fuzz-reply: any bytes may be what the reader of a foreign file sends (src/media/import), which the file may have taken over.
 * The first byte is the kind of file; the next two are the size of what follows of the reply, which goes on with zeros; the rest
 * is the memory that comes with it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../../src/media/kg-mesh-file.c"
#include "../../src/media/kg-sound-file.c"
#include "kg-image-file.h"
#include "kg-image-import.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* What is taken is whole: everything of it is read once. */
static void
check_geometry (const KgGeometry *geometry)
{
  const size_t n = kg_geometry_get_n_points (geometry);

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    for (uint32_t k = 0; k < primitive.n_vertices; k++)
      g_assert_cmpuint (primitive.vertices[k], <, n);
  }
  g_assert_true (kg_geometry_check_finite (geometry, NULL));
}

static void
take_image (const KgImportReply *reply, GBytes *memory, GError **error)
{
  KgImage *image = kg_image_new_from_import ("it", &reply->image, memory, error);

  if (image != NULL) {
    g_assert_true (kg_image_check_finite (image, NULL));
    kg_image_unref (image);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const size_t said = size >= 3 ? (size_t) data[1] + 256 * (size_t) data[2] : 0;
  const size_t length = MIN (MIN (said, size >= 3 ? size - 3 : 0), sizeof (KgImportMesh));
  g_autofree KgImportReply *reply = g_new0 (KgImportReply, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) memory = NULL;

  if (size < 3)
    return 0;
  memcpy (&reply->mesh, data + 3, length);
  /* A copy, so that it lies as memory that is mapped does, and ends where it ends. */
  memory = g_bytes_new (data + 3 + length, size - 3 - length);
  switch (data[0] % 3) {
  case 0: {
    g_autoptr (KgGeometry) geometry = take_geometry ("it", &reply->mesh, memory, &error);

    g_assert_true ((geometry == NULL) == (error != NULL));
    if (geometry != NULL)
      check_geometry (geometry);
    break;
  }
  case 1:
    take_image (reply, memory, &error);
    break;
  default: {
    g_autoptr (KgSound) sound = take_sound ("it", &reply->sound, data[0] & 128 ? 48000 : 0, memory, &error);

    g_assert_true ((sound == NULL) == (error != NULL));
    g_assert_true (sound == NULL || kg_sound_check_finite (sound, NULL));
    break;
  }
  }
  return 0;
}

/* fuzz-picture: any bytes may be read as an image, and asked for the comment that kineo writes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-import.h"
#include "kg-image-file.h"

int import_main (int argc, char **argv);
#define main import_main
#include "../../src/media/import/import-image.c"
#undef main

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const suffixes[] = { ".png", ".exr", ".jpg", ".gif", ".tif", ".bmp",
                                          ".ico", ".tga", ".xpm", ".pnm", ".svg", ".webp" };
  static const uint32_t operations[] = { KG_IMPORT_READ, KG_IMPORT_COMMENT };
  g_autofree char *path = size > 0 ? write_file (data, size, suffixes, G_N_ELEMENTS (suffixes)) : NULL;
  g_autofree KgImportReply *reply = g_new0 (KgImportReply, 1);
  KgImportServer server = { .path = path };

  if (path == NULL)
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++) {
    const KgImportRequest request = { .operation = operations[i] };
    g_autoptr (GError) error = NULL;

    if (setjmp (server.gave_up) == 0)
      g_assert_true (answer (&server, &request, reply, &error) == (error == NULL));
    drop_memory (&server);
  }
  /* Our own reader of PNG, for kineo render --resume. */
  if (g_str_has_suffix (path, ".png")) {
    g_free (kg_image_read_comment (path));
    kg_image_is_complete (path);
  }
  g_unlink (path);
  return 0;
}

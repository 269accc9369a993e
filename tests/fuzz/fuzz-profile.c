/* fuzz-profile: any bytes may be read as an ICC profile, in both directions and with each intent.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-import.h"

int import_main (int argc, char **argv);
#define main import_main
#include "../../src/media/import/import-profile.c"
#undef main

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const suffixes[] = { ".icc" };
  g_autofree char *path = size > 0 ? write_file (data, size, suffixes, G_N_ELEMENTS (suffixes)) : NULL;
  g_autofree KgImportReply *reply = g_new0 (KgImportReply, 1);
  KgImportServer server = { .path = path };

  for (guint32 i = 0; path != NULL && i < 8; i++) {
    const KgImportRequest request = { .operation = KG_IMPORT_READ, .space = i % 2, .join = i / 2 };
    g_autoptr (GError) error = NULL;

    g_assert_true (answer (&server, &request, reply, &error) == (error == NULL));
    drop_memory (&server);
  }
  if (path != NULL)
    g_unlink (path);
  return 0;
}

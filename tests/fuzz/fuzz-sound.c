/* fuzz-sound: any bytes may be read as a sound, at their own rate and at another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-import.h"

int import_main (int argc, char **argv);
#define main import_main
#include "../../src/media/import/import-sound.c"
#undef main

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const suffixes[] = { ".wav", ".flac", ".ogg",  ".mp3", ".m4a",
                                          ".aif", ".mp4",  ".webm", ".mkv", ".au" };
  static const uint32_t rates[] = { 0, 44100 };
  g_autofree char *path = size > 0 ? write_file (data, size, suffixes, G_N_ELEMENTS (suffixes)) : NULL;
  g_autofree KgImportReply *reply = g_new0 (KgImportReply, 1);
  KgImportServer server = { .path = path };

  for (guint i = 0; path != NULL && i < G_N_ELEMENTS (rates); i++) {
    const KgImportRequest request = { .operation = KG_IMPORT_READ, .rate = rates[i] };
    g_autoptr (GError) error = NULL;

    g_assert_true (answer (&server, &request, reply, &error) == (error == NULL));
    if (error == NULL) {
      const uint64_t n = reply->sound.n_samples * (uint64_t) reply->sound.n_channels;

      for (uint64_t k = 0; k < n; k++)
        g_assert_true (isfinite (((const float *) server.memory)[k]));
    }
    drop_memory (&server);
  }
  if (path != NULL)
    g_unlink (path);
  return 0;
}

/* kg-sound-file: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-sound-file.h"

#include "kg-import.h"
#include "kg-regular-file.h"

#include <string.h>

/* What came from the reader, once it is what the reader says. */
static KgSound *
take_sound (const char *path, const KgImportSound *reply, int rate, GBytes *memory, GError **error)
{
  const size_t bytes = memory != NULL ? g_bytes_get_size (memory) : 0;
  g_autoptr (KgSound) sound = NULL;
  float *samples;

  if (!kg_sound_check (reply->rate, reply->n_channels, reply->n_samples, NULL) || reply->n_samples == 0 ||
      (rate > 0 && reply->rate != rate) || bytes != reply->n_samples * (uint64_t) reply->n_channels * sizeof (float)) {
    kg_import_refuse (path, error);
    return NULL;
  }
  sound = kg_sound_new (reply->rate, reply->n_channels, 0, reply->n_samples, error);
  samples = sound != NULL ? kg_sound_edit_samples (sound) : NULL;
  if (samples == NULL)
    return NULL;
  memcpy (samples, g_bytes_get_data (memory, NULL), bytes);
  if (kg_sound_check_finite (sound, NULL))
    return g_steal_pointer (&sound);
  kg_import_refuse (path, error);
  return NULL;
}

KgSound *
kg_sound_load (const char *path, const char *const *folders, int rate, const KgProgressMonitor *monitor,
               GPtrArray *warnings, GError **error)
{
  const KgImportRequest request = { .operation = KG_IMPORT_READ, .rate = (uint32_t) MAX (rate, 0) };
  g_autoptr (KgImport) import = NULL;
  g_autoptr (GBytes) memory = NULL;
  KgImportReply reply;

  if (!kg_regular_file_check (path, "a sound", error))
    return NULL;
  import = kg_import_new ("sound", path, folders, error);
  if (import == NULL || !kg_import_request (import, &request, monitor, warnings, &reply, &memory, error))
    return NULL;
  return take_sound (path, &reply.sound, rate, memory, error);
}

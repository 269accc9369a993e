/* kg-profile-file: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-profile-file.h"

#include "config.h"
#include "kg-finite.h"
#include "kg-import.h"
#include "kg-regular-file.h"

/* The most that a reader may say. */
#define MAX_TABLE 129
#define MAX_CURVE 65536

void
kg_profile_clear (KgProfileFile *profile)
{
  g_clear_pointer (&profile->numbers, g_bytes_unref);
}

static bool
check (const KgImportProfile *reply, GBytes *memory)
{
  const size_t size = reply->size;
  const bool fits = size >= 2 && size <= (reply->is_table ? MAX_TABLE : MAX_CURVE);
  const size_t n = !fits ? 0 : reply->is_table ? 3 * size * size * size : 3 * size + 9;

  return fits && memory != NULL && g_bytes_get_size (memory) == n * sizeof (float) &&
         kg_find_not_finite ((const float *) g_bytes_get_data (memory, NULL), n, false) == n;
}

bool
kg_profile_load (const char *path, bool to_device, KgIntent intent, const KgProgressMonitor *monitor,
                 KgProfileFile *profile, GError **error)
{
  const KgImportRequest request = { .operation = KG_IMPORT_READ, .space = to_device, .join = (uint32_t) intent };
  g_autoptr (KgImport) import = NULL;
  g_autoptr (GBytes) memory = NULL;
  KgImportReply reply;

  *profile = (KgProfileFile){ 0 };
  if (!kg_regular_file_check (path, "a colour profile", error))
    return false;
  if (!KG_HAVE_LCMS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s: this build reads no colour profiles: build it with Little CMS (liblcms2-dev)", path);
    return false;
  }
  import = kg_import_new ("profile", path, NULL, error);
  if (import == NULL || !kg_import_request (import, &request, monitor, NULL, &reply, &memory, error))
    return false;
  if (!check (&reply.profile, memory))
    return kg_import_refuse (path, error);
  *profile = (KgProfileFile){ .is_table = reply.profile.is_table != 0,
                              .size = reply.profile.size,
                              .numbers = g_steal_pointer (&memory) };
  return true;
}

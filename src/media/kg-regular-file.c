/* kg-regular-file: what is read must be a file.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-regular-file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

bool
kg_regular_file_check (const char *path, const char *what, GError **error)
{
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    g_set_error (error, KG_ERROR, KG_ERROR_IO, "%s: %s", path, g_strerror (errno));
  else if (S_ISDIR (info.st_mode))
    g_set_error (error, KG_ERROR, KG_ERROR_IO, "%s is a folder, not %s", path, what);
  else if (!S_ISREG (info.st_mode))
    g_set_error (error, KG_ERROR, KG_ERROR_IO, "%s is a pipe, a socket or a device, not %s: name a regular file", path,
                 what);
  else if (g_access (path, R_OK) != 0)
    g_set_error (error, KG_ERROR, KG_ERROR_IO, "%s: %s", path, g_strerror (errno));
  else
    return true;
  return false;
}

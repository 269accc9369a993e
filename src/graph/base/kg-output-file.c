/* kg-output-file: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct _KgOutputFile {
  char *target, *temporary; /* temporary: NULL when the target itself is written to, and once it is complete */
  FILE *stream;
};

static bool
fail (int code, GError **error)
{
  g_set_error_literal (error, KG_ERROR, KG_ERROR_IO, g_strerror (code));
  return false;
}

static int
open_directly (const char *path, GError **error)
{
  const int fd = g_str_equal (path, "-") ? fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                         : g_open (path, O_WRONLY | O_CLOEXEC, 0);

  if (fd < 0)
    fail (errno, error);
  return fd;
}

/* mode: (nullable) that of the file which is replaced; a new file has what the umask leaves. */
static int
open_temporary (KgOutputFile *file, const mode_t *mode, GError **error)
{
  g_autofree char *temporary = g_strdup_printf ("%s.XXXXXX", file->target);
  const int fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, mode != NULL ? (int) *mode : 0666);

  if (fd < 0) {
    kg_set_error (error, KG_ERROR_IO, "cannot create a temporary file beside it: %s", g_strerror (errno));
    return -1;
  }
  file->temporary = g_steal_pointer (&temporary);
  if (mode != NULL && fchmod (fd, *mode) != 0) {
    fail (errno, error);
    close (fd);
    return -1;
  }
  return fd;
}

static int
open_target (KgOutputFile *file, GError **error)
{
  struct stat info;
  mode_t mode;

  if (g_str_equal (file->target, "-"))
    return open_directly (file->target, error);
  if (stat (file->target, &info) != 0)
    return open_temporary (file, NULL, error);
  /* Opening a folder gives the reason. */
  if (!S_ISREG (info.st_mode))
    return open_directly (file->target, error);
  if (access (file->target, W_OK) != 0) {
    fail (errno, error);
    return -1;
  }
  mode = info.st_mode & 07777;
  return open_temporary (file, &mode, error);
}

KgOutputFile *
kg_output_file_open (const char *path, GError **error)
{
  g_autoptr (KgOutputFile) file = g_new0 (KgOutputFile, 1);
  char *resolved = g_str_equal (path, "-") ? NULL : realpath (path, NULL); /* NULL for a new file */
  int fd;

  file->target = g_strdup (resolved != NULL ? resolved : path);
  free (resolved);
  fd = open_target (file, error);
  if (fd < 0)
    return NULL;
  file->stream = fdopen (fd, "wb");
  if (file->stream == NULL) {
    fail (errno, error);
    close (fd);
    return NULL;
  }
  return g_steal_pointer (&file);
}

FILE *
kg_output_file_get_stream (KgOutputFile *file)
{
  return file->stream;
}

bool
kg_output_file_write (KgOutputFile *file, const void *bytes, size_t n, GError **error)
{
  return fwrite (bytes, 1, n, file->stream) == n || fail (errno, error);
}

bool
kg_output_file_flush (KgOutputFile *file, GError **error)
{
  if (fflush (file->stream) != 0)
    return fail (errno, error);
  /* Pipes and most devices cannot be synchronised. */
  return fsync (fileno (file->stream)) == 0 || errno == EINVAL || fail (errno, error);
}

/* The new name of a file is on the disk only after its folder is.  Some file systems cannot do that for folders, and
 * the file itself is safe by then, so a failure is not one of writing. */
static void
sync_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  const int fd = g_open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

  if (fd < 0)
    return;
  fsync (fd);
  close (fd);
}

bool
kg_output_file_complete (KgOutputFile *file, GError **error)
{
  if (!kg_output_file_flush (file, error))
    return false;
  if (fclose (g_steal_pointer (&file->stream)) != 0)
    return fail (errno, error);
  if (file->temporary == NULL)
    return true;
  if (g_rename (file->temporary, file->target) != 0)
    return fail (errno, error);
  g_clear_pointer (&file->temporary, g_free);
  sync_folder (file->target);
  return true;
}

void
kg_output_file_free (KgOutputFile *file)
{
  if (file == NULL)
    return;
  if (file->stream != NULL)
    fclose (file->stream);
  if (file->temporary != NULL)
    g_unlink (file->temporary);
  g_free (file->temporary);
  g_free (file->target);
  g_free (file);
}

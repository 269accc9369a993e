/* kg-output-file: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names that are tried for what is being written: one more for each other program that writes the same target. */
#define MOST_NAMES 8
#define SUFFIX ".kineo-partial"

struct _KgOutputFile {
  char *target;
  char *temporary; /* NULL while what is written has no name, once it is complete, and when the target is written to */
  char *path;      /* (nullable) see kg_output_file_get_path; made on demand */
  FILE *stream;
  int fd; /* a second descriptor of what takes the place of the target, with its lock; -1: the target is written to */
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

/* Names beside the target. */

/* (transfer full) The i-th, as much of the target's name as there is room for. */
static char *
make_name (const char *target, int i)
{
  g_autofree char *folder = g_path_get_dirname (target), *base = g_path_get_basename (target), *name = NULL;
  const int room = NAME_MAX - (int) strlen (SUFFIX) - 2;

  name = i == 0 ? g_strdup_printf ("%.*s" SUFFIX, room, base) : g_strdup_printf ("%.*s" SUFFIX "-%d", room, base, i);
  return g_build_filename (folder, name, NULL);
}

/* A writer holds the lock of its file, and the system releases it when the program is killed: a file that can be
 * locked was left behind. */
static bool
sweep (const char *name)
{
  const int fd = g_open (name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  struct stat opened, there;
  bool swept;

  if (fd < 0)
    return false;
  swept = fstat (fd, &opened) == 0 && S_ISREG (opened.st_mode) && opened.st_uid == geteuid () &&
          flock (fd, LOCK_EX | LOCK_NB) == 0 && lstat (name, &there) == 0 && there.st_dev == opened.st_dev &&
          there.st_ino == opened.st_ino && g_unlink (name) == 0;
  close (fd);
  return swept;
}

void
kg_output_file_sweep (const char *path)
{
  char *resolved = realpath (path, NULL);

  for (int i = 0; i < MOST_NAMES; i++) {
    g_autofree char *name = make_name (resolved != NULL ? resolved : path, i);

    sweep (name);
  }
  free (resolved);
}

/* (transfer full) By which libraries that want a name open what has none. */
static char *
make_descriptor_path (int fd)
{
  return g_strdup_printf ("/proc/self/fd/%d", fd);
}

/* Links what has no name, or creates an empty file if unnamed is -1.  -1: errno has the reason. */
static int
create (const char *name, int unnamed)
{
  g_autofree char *descriptor = NULL;

  if (unnamed < 0)
    return g_open (name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0666);
  descriptor = make_descriptor_path (unnamed);
  return linkat (AT_FDCWD, descriptor, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? unnamed : -1;
}

/* Locks a file that was just created; false when it was swept before. */
static bool
lock (int fd)
{
  struct stat info;

  flock (fd, LOCK_EX); /* file systems without locks are not swept */
  return fstat (fd, &info) == 0 && info.st_nlink > 0;
}

/* Gives file->fd a name beside the target, or makes a file there. */
static bool
take_name (KgOutputFile *file, GError **error)
{
  int reason = EEXIST;

  for (int i = 0; i < MOST_NAMES && reason == EEXIST; i++) {
    g_autofree char *name = make_name (file->target, i);
    int fd = create (name, file->fd);

    reason = fd < 0 ? errno : EEXIST;
    if (reason == EEXIST && fd < 0 && sweep (name))
      fd = create (name, file->fd);
    if (fd >= 0 && (fd == file->fd || lock (fd))) {
      file->fd = fd;
      file->temporary = g_steal_pointer (&name);
      return true;
    }
    if (fd >= 0)
      close (fd);
  }
  kg_set_error (error, KG_ERROR_IO, "cannot create a temporary file beside it: %s", g_strerror (reason));
  return false;
}

/* A file without a name vanishes when the program ends, even if it is killed.  -1 where the system has no such files. */
static int
open_unnamed (const char *target)
{
  g_autofree char *folder = g_path_get_dirname (target), *descriptor = NULL;
  const int fd = g_open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);

  if (fd < 0)
    return -1;
  descriptor = make_descriptor_path (fd);
  if (access (descriptor, F_OK) == 0) {
    flock (fd, LOCK_EX);
    return fd;
  }
  close (fd);
  return -1;
}

/* mode: (nullable) that of the file which is replaced; a new file has what the umask leaves. */
static int
open_temporary (KgOutputFile *file, const mode_t *mode, GError **error)
{
  int fd;

  file->fd = open_unnamed (file->target);
  if (file->fd < 0 && !take_name (file, error))
    return -1;
  fd = mode == NULL || fchmod (file->fd, *mode) == 0 ? fcntl (file->fd, F_DUPFD_CLOEXEC, 0) : -1;
  if (fd < 0)
    fail (errno, error);
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

  file->fd = -1;
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

const char *
kg_output_file_get_path (KgOutputFile *file)
{
  if (file->temporary != NULL || file->fd < 0)
    return file->temporary != NULL ? file->temporary : file->target;
  if (file->path == NULL)
    file->path = make_descriptor_path (file->fd);
  return file->path;
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
  if (file->fd < 0)
    return true;
  if (file->temporary == NULL && !take_name (file, error))
    return false;
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
  if (file->fd >= 0)
    close (file->fd);
  g_free (file->path);
  g_free (file->temporary);
  g_free (file->target);
  g_free (file);
}

bool
kg_output_file_save (const char *path, const char *text, GError **error)
{
  g_autoptr (KgOutputFile) file = kg_output_file_open (path, error);

  if (file != NULL && kg_output_file_write (file, text, strlen (text), error) && kg_output_file_complete (file, error))
    return true;
  kg_prefix_error (error, "%s cannot be written: ", path);
  return false;
}

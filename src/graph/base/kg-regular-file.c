/* kg-regular-file: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-regular-file.h"

#include "kg-json.h"
#include "kg-suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read at a time. */
#define STEP ((gsize) 1 << 16)

static bool
refuse (const char *path, int reason, GError **error)
{
  g_autofree char *hint = reason == ENOENT ? kg_suggest_file (path) : g_strdup ("");

  kg_set_error (error, KG_ERROR_IO, "%s: %s%s", path, g_strerror (reason), hint);
  return false;
}

static bool
check_mode (const char *path, const char *what, mode_t mode, GError **error)
{
  if (S_ISDIR (mode))
    kg_set_error (error, KG_ERROR_IO, "%s is a folder, not %s", path, kg_translate (what));
  else if (!S_ISREG (mode))
    kg_set_error (error, KG_ERROR_IO, "%s is a pipe, a socket or a device, not %s: name a regular file", path,
                  kg_translate (what));
  else
    return true;
  return false;
}

bool
kg_regular_file_check (const char *path, const char *what, GError **error)
{
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    return refuse (path, errno, error);
  return check_mode (path, what, info.st_mode, error) && (g_access (path, R_OK) == 0 || refuse (path, errno, error));
}

/* A file may grow while it is read, and those of /proc report a size of 0: the limit applies to what is read. */
static char *
read_all (int fd, const char *path, const char *what, gsize *length, GError **error)
{
  g_autofree char *text = NULL;
  gsize read_so_far = 0, room = 0;

  for (;;) {
    gssize n;

    if (room < read_so_far + STEP) {
      char *larger;

      room = MAX (2 * room, read_so_far + STEP);
      larger = g_try_realloc (text, room + 1);
      if (larger == NULL) {
        refuse (path, ENOMEM, error);
        return NULL;
      }
      g_steal_pointer (&text);
      text = larger;
    }
    n = read (fd, text + read_so_far, STEP);
    if (n < 0 && errno != EINTR) {
      refuse (path, errno, error);
      return NULL;
    }
    if (n == 0)
      break;
    read_so_far += n > 0 ? (gsize) n : 0;
    if (read_so_far > KG_JSON_MAX_BYTES) {
      kg_set_error (error, KG_ERROR_IO, "%s is longer than %zu bytes, the limit for %s", path, KG_JSON_MAX_BYTES,
                    kg_translate (what));
      return NULL;
    }
  }
  text[read_so_far] = '\0';
  if (length != NULL)
    *length = read_so_far;
  return g_steal_pointer (&text);
}

char *
kg_regular_file_read (const char *path, const char *what, gsize *length, GError **error)
{
  /* The file may change between a check and opening it, so the open file is checked, and opening never waits. */
  const int fd = g_open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0), reason = errno;
  char *text = NULL;
  struct stat info;

  if (fd < 0) {
    /* A socket cannot be opened at all: report what it is. */
    if (kg_regular_file_check (path, what, error))
      refuse (path, reason, error);
    return NULL;
  }
  if (fstat (fd, &info) != 0)
    refuse (path, errno, error);
  else if (check_mode (path, what, info.st_mode, error)) {
    if (info.st_size > (goffset) KG_JSON_MAX_BYTES)
      kg_set_error (error, KG_ERROR_IO, "%s is longer than %zu bytes, the limit for %s", path, KG_JSON_MAX_BYTES,
                    kg_translate (what));
    else
      text = read_all (fd, path, what, length, error);
  }
  close (fd);
  return text;
}

char *
kg_regular_file_dup_path (const char *folder, const char *path)
{
  return folder != NULL && !g_path_is_absolute (path) ? g_build_filename (folder, path, NULL) : g_strdup (path);
}

char *
kg_regular_file_dup_real_path (const char *path)
{
  g_autofree char *absolute = g_path_is_absolute (path) ? g_strdup (path) : g_canonicalize_filename (path, NULL);
  g_autofree char *there = g_strdup (absolute), *rest = g_strdup ("");
  char *real;

  while ((real = realpath (there, NULL)) == NULL && !g_str_equal (there, "/")) {
    g_autofree char *name = g_path_get_basename (there), *longer = g_build_filename (name, rest, NULL);
    char *up = g_path_get_dirname (there);

    g_free (there);
    there = up;
    g_free (rest);
    rest = g_steal_pointer (&longer);
  }
  g_free (there);
  there = g_strdup (real != NULL ? real : "/");
  free (real);
  return g_canonicalize_filename (rest, there);
}

static bool
is_in (const char *path, const char *folder)
{
  const size_t n = strlen (folder);

  return g_str_equal (folder, "/") || (strncmp (path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0'));
}

bool
kg_regular_file_is_below (const char *path, const char *const *folders)
{
  g_autofree char *real = kg_regular_file_dup_real_path (path);

  for (guint i = 0; folders[i] != NULL; i++) {
    g_autofree char *folder = kg_regular_file_dup_real_path (folders[i]);

    if (is_in (real, folder))
      return true;
  }
  return false;
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
kg_regular_file_list (const char *folder, const char *suffix, GError **error)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) cause = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &cause);
  const char *name;

  if (dir == NULL && !g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOENT) &&
      !g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOTDIR))
    kg_set_error (error, KG_ERROR_IO, "%s", cause->message);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (suffix == NULL || g_str_has_suffix (name, suffix))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, compare_paths);
  return paths;
}

KgHash
kg_regular_file_hash (const char *path, KgHash hash)
{
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    return hash;
  hash = kg_hash_uint (kg_hash_uint (hash, (uint64_t) info.st_mtim.tv_sec), (uint64_t) info.st_mtim.tv_nsec);
  return kg_hash_uint (hash, (uint64_t) info.st_size);
}

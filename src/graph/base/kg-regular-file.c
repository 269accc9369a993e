/* kg-regular-file: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-regular-file.h"

#include "kg-json.h"
#include "kg-suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
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
  g_autoptr (GString) text = g_string_new (NULL);

  for (;;) {
    const gsize before = text->len;
    gssize n;

    g_string_set_size (text, before + STEP);
    n = read (fd, text->str + before, STEP);
    if (n < 0 && errno != EINTR) {
      refuse (path, errno, error);
      return NULL;
    }
    g_string_set_size (text, before + (n > 0 ? (gsize) n : 0));
    if (n == 0)
      break;
    if (text->len > KG_JSON_MAX_BYTES) {
      kg_set_error (error, KG_ERROR_IO, "%s is longer than %zu bytes, the limit for %s", path, KG_JSON_MAX_BYTES,
                    kg_translate (what));
      return NULL;
    }
  }
  if (length != NULL)
    *length = text->len;
  return g_string_free (g_steal_pointer (&text), FALSE);
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

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
kg_regular_file_list (const char *folder, const char *suffix)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

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

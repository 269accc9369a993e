/* fuzz-import: what stands for the server of a reader of foreign files (src/media/import), so that the reader runs in the
 * program that libFuzzer watches: a target includes its source, and calls its answer.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "fuzz-as-file.h"
#include "kg-import-server.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <string.h>
#include <sys/stat.h>

struct _KgImportServer {
  const char *path;
  uint64_t size;
  void *memory;
  jmp_buf gave_up;
};

int
kg_import_serve (int argc, char **argv, const KgImportReader *reader)
{
  (void) argc;
  (void) argv;
  (void) reader;
  return 1;
}

const char *
kg_import_get_path (const KgImportServer *server)
{
  return server->path;
}

/* No other files than the one. */
int
kg_import_open (KgImportServer *server, const char *path, GError **error)
{
  struct stat info;
  int fd;

  if (!g_str_equal (path, server->path)) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s: %s", path, g_strerror (ENOENT));
    return -1;
  }
  fd = open (path, O_RDONLY | O_CLOEXEC);
  g_assert_true (fd >= 0 && fstat (fd, &info) == 0);
  server->size = (uint64_t) info.st_size;
  return fd;
}

uint64_t
kg_import_get_size (const KgImportServer *server)
{
  return server->size;
}

void
kg_import_warn (KgImportServer *server, const char *text)
{
  (void) server;
  g_assert_true (g_utf8_validate (text, -1, NULL));
}

/* What the library has open stays so: the program does not live long. */
void
kg_import_abort (KgImportServer *server, const GError *error)
{
  g_assert_nonnull (error->message);
  longjmp (server->gave_up, 1);
}

void *
kg_import_take_memory (KgImportServer *server, uint64_t bytes, GError **error)
{
  g_assert_null (server->memory);
  server->memory = bytes <= (uint64_t) 1 << 30 ? g_try_malloc0 (MAX (bytes, 1)) : NULL;
  if (server->memory == NULL)
    kg_set_error (error, KG_ERROR_LIMIT, "%s: no memory", server->path);
  return server->memory;
}

static void
drop_memory (KgImportServer *server)
{
  g_clear_pointer (&server->memory, g_free);
}

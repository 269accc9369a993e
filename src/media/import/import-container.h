/* import-container: a file that FFmpeg reads.
 *
 * FFmpeg opens no file by itself.  The file is read through descriptors of our own, and so are the files that a playlist
 * names; for everything else no protocol is permitted, neither of the network nor for files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-import-server.h"

#include <libavformat/avformat.h>

typedef struct {
  KgImportServer *server;
  const char *path;
  GError *refusal;         /* (nullable) of the first file that was not permitted */
  AVFormatContext *format; /* (nullable) while it is open */
  guint n_lists;           /* playlists that it named */
  AVIOContext *stream;
} ImportContainer;

/* server and path are set.  unreadable: the message for a file that FFmpeg cannot read, translated. */
bool import_container_open (ImportContainer *file, const char *unreadable, GError **error);
void import_container_close (ImportContainer *file);

/* An error of a file with FFmpeg's own words after ours.  Returns false. */
bool import_fail (const char *path, int code, const char *what, GError **error);

/* kg-regular-file: files that a graph names: where they are, whether they have changed, and what is in them.  What is
 * read must be a file: opening a pipe would wait for whoever writes into it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-hash.h"
#include "kg-base.h"

G_BEGIN_DECLS

/* The file is there, may be read, and is neither a folder nor a pipe, socket or device.  what: "an image", which is looked up among the
 * translations here. */
bool kg_regular_file_check (const char *path, const char *what, GError **error);
/* (transfer full) (nullable) All of a regular file of at most KG_JSON_MAX_BYTES, with a 0 behind it.
 * length: (out) (optional) without that. */
char *kg_regular_file_read (const char *path, const char *what, gsize *length, GError **error);
/* (transfer full) The path as seen from folder, that of a graph; folder: (nullable) that of the process. */
char *kg_regular_file_dup_path (const char *folder, const char *path);
/* (transfer full) What path leads to, without symbolic links as far as it is there. */
char *kg_regular_file_dup_real_path (const char *path);
/* Whether what path leads to is one of these folders or files, or below one. */
bool kg_regular_file_is_below (const char *path, const char *const *folders);
/* (transfer full) (element-type filename) Paths of what a folder holds, sorted; none when it cannot be read, which is an
 * error where it exists.  suffix: (nullable) only of files that end with it. */
GPtrArray *kg_regular_file_list (const char *folder, const char *suffix, GError **error);
/* A different hash for a file that has changed: by its size and time. hash unchanged if the file is missing. */
KgHash kg_regular_file_hash (const char *path, KgHash hash);

G_END_DECLS

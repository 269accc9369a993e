/* kg-regular-file: what is read must be a file: opening a pipe would wait for whoever writes into it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"

G_BEGIN_DECLS

/* The file is there, may be read, and is neither a folder nor a pipe, socket or device.  what: "a picture". */
bool kg_regular_file_check (const char *path, const char *what, GError **error);
/* (transfer full) (nullable) All of a regular file of at most KG_JSON_MAX_BYTES, with a 0 behind it.
 * length: (out) (optional) without that. */
char *kg_regular_file_read (const char *path, const char *what, gsize *length, GError **error);

G_END_DECLS

/* kg-file-private: reading of files, for the files of this floor.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-file.h"

/* (transfer full) (nullable) A whole file ("-": standard input), or problems. */
char *kg_file_read (const char *path, gsize *length, GPtrArray *problems);

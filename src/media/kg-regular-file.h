/* kg-regular-file: what is read must be a file: opening a pipe would wait for whoever writes into it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"

/* The file is there, may be read, and is neither a folder nor a pipe, socket or device.  what: "a picture". */
bool kg_regular_file_check (const char *path, const char *what, GError **error);

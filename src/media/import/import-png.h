/* import-png: PNG of 16 bits, for import-image.c: gdk-pixbuf keeps 8 of them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-import-server.h"

#include <stdio.h>

G_BEGIN_DECLS

/* Whether what the descriptor is open for is a PNG of 16 bits; its position stays. */
bool import_png_is_deep (int fd);
/* Into the memory of the result.  file: at its start; stays the caller's. */
bool import_png_read (KgImportServer *server, FILE *file, KgImportImage *image, GError **error);

G_END_DECLS

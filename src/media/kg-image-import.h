/* kg-image-import: the image that a reader has put into memory.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-import.h"

G_BEGIN_DECLS

/* The least width of a pixel over its height; the inverse is the largest. */
#define KG_IMPORT_MIN_ASPECT 1e-4

/* After every check that it needs.  memory: (nullable) it is an error.  path: for messages.  (transfer full) (nullable) */
KgImage *kg_image_new_from_import (const char *path, const KgImportImage *header, GBytes *memory, GError **error);

G_END_DECLS

/* import-exr: OpenEXR in, for import-image.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-import-server.h"

G_BEGIN_DECLS

/* Into the memory of the result.  part: the name of a part or layer; empty: the first with colours. */
bool import_exr_read (KgImportServer *server, const char *part, KgImportImage *image, GError **error);
/* What kineograph has written there; text: KG_IMPORT_MAX_TEXT bytes, empty without one. */
bool import_exr_read_comment (KgImportServer *server, char *text, GError **error);

G_END_DECLS

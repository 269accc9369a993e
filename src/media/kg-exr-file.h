/* kg-exr-file: OpenEXR out, for kg-image-file.c.  Scan lines, ZIP compressed, R G B A premultiplied and Z.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

#include <stdio.h>

/* half: R G B A in 16 bits; Z is always float.  The file must be seekable. */
bool kg_exr_write (const KgImage *image, FILE *file, bool half, double rate, const char *comment, GError **error);

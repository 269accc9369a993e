/* kg-image-file: images in (by a reader of its own, see kg-import.h) and out (PNG by libpng, OpenEXR by OpenEXRCore).
 * Files hold sRGB-encoded, unpremultiplied colour (PNG) or linear premultiplied light (EXR).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image-replace.h"
#include "kg-progress.h"

#include <stdio.h>

G_BEGIN_DECLS

typedef enum { KG_IMAGE_PNG8, KG_IMAGE_PNG16, KG_IMAGE_EXR_HALF, KG_IMAGE_EXR_FLOAT } KgImageFormat;

/* Converted to linear light and premultiplied.  NULL without an error when the monitor (nullable) cancelled.
 * (transfer full) (nullable) */
KgImage *kg_image_load (const char *path, const KgProgressMonitor *monitor, GError **error);
/* The same for files with numbers that are not finite, which kg_image_load refuses: those pixels are replaced.  warnings (nullable,
 * of char *, which is taken): what else there is to say of the file.  part: of an OpenEXR file with several parts or layers, which one;
 * empty: the first with colours. */
KgImage *kg_image_load_mended (const char *path, const char *part, KgImageReplacement rule, KgImageReplaced *mended,
                               GPtrArray *warnings, const KgProgressMonitor *monitor, GError **error);
/* Writes atomically (temporary file, then rename): a reader sees the whole image or none.  PNG carries an
 * sRGB chunk; EXR has R, G, B, A and, where the image has depth, Z (float), the chromaticities of BT.709 and, where rate is
 * above 0, that many frames a second.  comment (nullable) goes into a text
 * chunk / attribute called "kineograph" and is what kg_image_read_comment returns. */
bool kg_image_save (const KgImage *image, const char *path, KgImageFormat format, double rate, const char *comment,
                    GError **error);
/* One PNG of 8 or (deep) 16 bits into an open file. */
bool kg_image_write_png (const KgImage *image, FILE *file, bool deep, GError **error);
/* (transfer full) (nullable) */
char *kg_image_read_comment (const char *path);
/* A PNG or EXR that is there to its end, with every checksum that its format has right. */
bool kg_image_is_complete (const char *path);
/* By suffix; false for one that cannot be written. */
bool kg_image_format_from_path (const char *path, KgImageFormat *format);
/* Chooses the bits of each component: 8 or 16 (PNG), 16 or 32 (EXR).  False for others. */
bool kg_image_format_set_bits (KgImageFormat *format, int bits);
/* Fills width * height * 4 bytes: sRGB-encoded, unpremultiplied, 8 bit, rounded to nearest. */
void kg_image_to_rgba8 (const KgImage *image, uint8_t *rgba);

G_END_DECLS

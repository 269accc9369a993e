/* kg-stream: frames one after the other into an open file, such as standard output, for programs that read them as they
 * come.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

#include <stdio.h>

G_BEGIN_DECLS

typedef enum {
  KG_STREAM_PNG, /* whole images in a row, as ffmpeg -f image2pipe reads them */
  KG_STREAM_Y4M, /* YUV4MPEG2: BT.709 at video range, 4:2:0 with chroma in the middle of four pixels */
} KgStreamFormat;

typedef struct _KgStream KgStream;

/* file: lent.  bits of a component of a PNG: 8 or 16.  rate: frames per second. */
KgStream *kg_stream_new (FILE *file, KgStreamFormat format, int bits, double rate);
void kg_stream_free (KgStream *stream);
/* Writes and flushes.  Y4M: every frame of the size of the first; transparent pixels are laid over black. */
bool kg_stream_add (KgStream *stream, const KgImage *image, GError **error);

G_END_DECLS

/* slate: the image that stands for a source that is missing.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

G_BEGIN_DECLS

/* Fills an image with a dark ground, a frame, and a text in its middle that fits into it.  False and *error when cairo lacks
 * memory. */
bool slate_draw (KgImage *image, const char *text, GError **error);

G_END_DECLS

/* reduce: a smaller image for looking at.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"

G_BEGIN_DECLS

/* (transfer full) (nullable) With share (above 0, up to 1) of the pixels along each side, rounded, and at least one: each is the mean of
 * what it covers, its depth the least there.  For a share of 1 the image itself.  *error when memory runs out. */
KgImage *image_reduce (const KgImage *image, double share, GError **error);

G_END_DECLS

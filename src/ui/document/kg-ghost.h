/* kg-ghost: images of other frames laid over one another, coloured by which side of the present they are on.
 * No widgets; any thread.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-kind-color.h"

G_BEGIN_DECLS

/* Lays image over *ghosts (made when it is NULL) in one colour.  Where it is transparent nothing comes; with present
 * (nullable; of the same size) only what differs from it and from neighbor (nullable), the image of the frame beside,
 * so that one without transparency does not cover everything.  Images of another size than the first are left out. */
void kg_ghost_add (KgImage **ghosts, const KgImage *image, const KgImage *present, const KgImage *neighbor, bool before,
                   double opacity);

G_END_DECLS

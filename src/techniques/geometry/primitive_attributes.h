/* primitive_attributes: parts of primitives keep the attributes of the whole.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Gives the primitives of parts, n, the attributes of those of whole: primitive i has those of sources[i].  without: (nullable) the
 * name of one that they do not get.  False: cancelled. */
bool primitive_attributes_copy (KgGeometry *parts, const KgGeometry *whole, const uint32_t *sources, size_t n,
                                const char *without, const KgProgressMonitor *monitor);

G_END_DECLS

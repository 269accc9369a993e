/* soft_volume: the level at which a body has a given volume.
 *
 * Two keys that merge take up more room than apart, up to 17.6 per cent; a higher level takes that back.  The volume is that of
 * body_moments, and the level is found by regula falsi (Dowell and Jarratt 1971).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* level: (inout) where to begin, and the result; reached: (out) false where no level below the greatest value of the field has
 * that volume to a part in a thousand.  volume > 0.  False and *error: KG_ERROR_LIMIT, KG_ERROR_CANCELLED. */
bool soft_volume_find_level (const KgField *field, double volume, double *level, bool *reached,
                             const KgProgressMonitor *monitor, GError **error);

G_END_DECLS

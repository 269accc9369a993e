/* soft_volume: the level, or the size of the keys, at which a body has a given volume.
 *
 * Two keys that merge take up more room than apart, up to 17.6 per cent; a higher level or smaller keys take that back.  The volume is that of
 * body_moments, and what gives it is found by regula falsi (Dowell and Jarratt 1971).
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

/* Creates the field of the same keys whose influences are so many times as large.  (transfer full) (nullable) */
typedef KgField *(*SoftVolumeGrow) (gpointer data, double factor, GError **error);
/* The same by a factor for the extents of all keys; the level is that of the field. */
bool soft_volume_find_factor (SoftVolumeGrow grow, gpointer data, double volume, double *factor, bool *reached,
                              const KgProgressMonitor *monitor, GError **error);

/* The volume of a body at its own level, measured in the same way.  KG_ERROR_LIMIT, KG_ERROR_CANCELLED. */
bool soft_volume_measure (const KgField *field, double *volume, const KgProgressMonitor *monitor, GError **error);

G_END_DECLS

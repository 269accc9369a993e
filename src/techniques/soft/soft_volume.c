/* soft_volume: the level at which a body has a given volume.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/soft_volume.h"

#include "soft/body_moments.h"

/* Cells along the longest side of the box, and in all. */
#define CELLS 32
#define LIMIT 2000000
#define STEPS 30
#define VOLUME_ERROR 2e-4

/* How much more than asked for the body has at a level. */
static bool
get_excess (const KgField *field, PolygonizeOptions *options, double level, double volume, double *excess,
            const KgProgressMonitor *monitor, GError **error)
{
  Moments moments;

  options->level = level;
  if (!body_moments_measure (field, options, monitor, &moments, NULL, error))
    return false;
  *excess = moments.measure - volume;
  return true;
}

bool
soft_volume_find_level (const KgField *field, double volume, double *level, bool *reached,
                        const KgProgressMonitor *monitor, GError **error)
{
  PolygonizeOptions options = { .limit = LIMIT };
  double low = *level, high = *level, at_low, at_high, excess;
  KgVector size;
  int side = 0;

  *reached = false;
  if (!kg_field_get_bounds (field, &options.low, &options.high) || !(options.low.x <= options.high.x))
    return true;
  size = kg_vector_subtract (options.high, options.low);
  options.cell = MAX (MAX (size.x, size.y), size.z) / CELLS;
  if (!get_excess (field, &options, *level, volume, &excess, monitor, error))
    return false;
  at_low = at_high = excess;
  /* The volume falls as the level rises: a level on either side. */
  for (guint i = 0; i < STEPS && (at_low < 0 || at_high > 0); i++) {
    const double step = at_low < 0 ? 1 / 1.2 : 1.2;

    *level *= step;
    if (!get_excess (field, &options, *level, volume, &excess, monitor, error))
      return false;
    if (at_low < 0) {
      high = low;
      at_high = at_low;
      low = *level;
      at_low = excess;
    } else {
      low = high;
      at_low = at_high;
      high = *level;
      at_high = excess;
    }
  }
  for (guint i = 0; i < STEPS && at_low >= 0 && at_high <= 0; i++) {
    *level = at_low > at_high ? low + (high - low) * at_low / (at_low - at_high) : low;
    if (!get_excess (field, &options, *level, volume, &excess, monitor, error))
      return false;
    if (fabs (excess) <= VOLUME_ERROR * volume)
      break;
    if (excess > 0) {
      low = *level;
      at_low = excess;
      at_high *= side > 0 ? 0.5 : 1;
      side = 1;
    } else {
      high = *level;
      at_high = excess;
      at_low *= side < 0 ? 0.5 : 1;
      side = -1;
    }
  }
  *reached = fabs (excess) <= 1e-3 * volume;
  return true;
}

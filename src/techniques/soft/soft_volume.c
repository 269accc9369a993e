/* soft_volume: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/soft_volume.h"

#include "soft/body_moments.h"

/* Cells along the longest side of the box, and in all. */
#define CELLS 32
#define LIMIT 2000000
#define STEPS 30
#define VOLUME_ERROR 2e-4

/* In cells that its box has so many of. */
static bool
measure (const KgField *field, double level, double *volume, const KgProgressMonitor *monitor, GError **error)
{
  PolygonizeOptions options = { .limit = LIMIT, .level = level };
  KgVector size;
  Moments moments;

  *volume = 0;
  if (!kg_field_get_bounds (field, &options.low, &options.high) || !(options.low.x <= options.high.x))
    return true;
  size = kg_vector_subtract (options.high, options.low);
  options.cell = MAX (MAX (size.x, size.y), size.z) / CELLS;
  if (!body_moments_measure (field, &options, monitor, &moments, NULL, error))
    return false;
  *volume = moments.measure;
  return true;
}

bool
soft_volume_measure (const KgField *field, double *volume, const KgProgressMonitor *monitor, GError **error)
{
  return measure (field, kg_field_get_level (field), volume, monitor, error);
}

/* What is looked for: a level, or by how much keys shrink.  The volume falls as it rises. */
typedef struct {
  const KgField *field; /* NULL: grow makes it */
  SoftVolumeGrow grow;
  gpointer data;
  double volume;
  const KgProgressMonitor *monitor;
} Search;

/* How much more than asked for the body has. */
static bool
get_excess (const Search *search, double x, double *excess, GError **error)
{
  g_autoptr (KgField) grown = search->field == NULL ? search->grow (search->data, 1 / x, error) : NULL;
  double volume;

  if (search->field == NULL && grown == NULL)
    return false;
  if (!measure (grown != NULL ? grown : search->field, grown != NULL ? kg_field_get_level (grown) : x, &volume,
                search->monitor, error))
    return false;
  *excess = volume - search->volume;
  return true;
}

static bool
find (const Search *search, double *x, bool *reached, GError **error)
{
  double low = *x, high = *x, at_low, at_high, excess;
  int side = 0;

  if (!get_excess (search, *x, &excess, error))
    return false;
  at_low = at_high = excess;
  /* One on either side. */
  for (guint i = 0; i < STEPS && (at_low < 0 || at_high > 0); i++) {
    const double step = at_low < 0 ? 1 / 1.2 : 1.2;

    *x *= step;
    if (!get_excess (search, *x, &excess, error))
      return false;
    if (at_low < 0) {
      high = low;
      at_high = at_low;
      low = *x;
      at_low = excess;
    } else {
      low = high;
      at_low = at_high;
      high = *x;
      at_high = excess;
    }
  }
  for (guint i = 0; i < STEPS && at_low >= 0 && at_high <= 0; i++) {
    *x = at_low > at_high ? low + (high - low) * at_low / (at_low - at_high) : low;
    if (!get_excess (search, *x, &excess, error))
      return false;
    if (fabs (excess) <= VOLUME_ERROR * search->volume)
      break;
    if (excess > 0) {
      low = *x;
      at_low = excess;
      at_high *= side > 0 ? 0.5 : 1;
      side = 1;
    } else {
      high = *x;
      at_high = excess;
      at_low *= side < 0 ? 0.5 : 1;
      side = -1;
    }
  }
  *reached = fabs (excess) <= 1e-3 * search->volume;
  return true;
}

bool
soft_volume_find_level (const KgField *field, double volume, double *level, bool *reached,
                        const KgProgressMonitor *monitor, GError **error)
{
  const Search search = { .field = field, .volume = volume, .monitor = monitor };

  *reached = false;
  return find (&search, level, reached, error);
}

bool
soft_volume_find_factor (SoftVolumeGrow grow, gpointer data, double volume, double *factor, bool *reached,
                         const KgProgressMonitor *monitor, GError **error)
{
  const Search search = { .grow = grow, .data = data, .volume = volume, .monitor = monitor };
  double shrink = 1;

  *reached = false;
  if (!find (&search, &shrink, reached, error))
    return false;
  *factor = 1 / shrink;
  return true;
}

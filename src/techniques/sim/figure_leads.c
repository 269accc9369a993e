/* figure_leads: the points of figures and bodies that are led, and where to.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/figure_leads.h"

#include <inttypes.h>

static bool
check_leads (const KgGeometry *geometry, const KgGeometry *targets, const FigureGrab *grabs, guint n_grabs,
             GError **error)
{
  const size_t count = kg_geometry_get_n_points (geometry);

  if (targets != NULL && kg_geometry_get_n_points (targets) != count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the targets have %zu points, but the figure has %zu: link a geometry with one point for each",
                  kg_geometry_get_n_points (targets), count);
    return false;
  }
  for (guint i = 0; i < n_grabs; i++)
    if (grabs[i].point < 0 || (guint64) grabs[i].point >= count) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "point %" PRId64 " is grabbed, but the figure has %zu points, counted from 0", grabs[i].point,
                    count);
      return false;
    }
  return true;
}

bool
figure_leads_read (const KgGeometry *geometry, const KgGeometry *targets, const FigureGrab *grabs, guint n_grabs,
                   bool plane, uint8_t *held, KgVector *to, GError **error)
{
  const float *pin = kg_geometry_get_float (geometry, KG_POINTS, "pin", 1);
  const float *target_pin = targets != NULL ? kg_geometry_get_float (targets, KG_POINTS, "pin", 1) : NULL;
  const float *places = kg_geometry_get_positions (targets != NULL ? targets : geometry);

  if (!check_leads (geometry, targets, grabs, n_grabs, error))
    return false;
  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++) {
    const float *p = places + 3 * i;

    held[i] = (pin != NULL && pin[i] > 0) || (target_pin != NULL && target_pin[i] > 0);
    if (held[i])
      to[i] = kg_vector ((double) p[0], (double) p[1], plane ? 0 : (double) p[2]);
  }
  for (guint i = 0; i < n_grabs; i++) {
    held[grabs[i].point] = 1;
    to[grabs[i].point] = plane ? kg_vector (grabs[i].place.x, grabs[i].place.y, 0) : grabs[i].place;
  }
  return true;
}

/* variants: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/variants.h"

#include "kg-random.h"

/* Of the random numbers. */
#define SEED UINT64_C (0x76617269616e7473)

void
variants_choose (const KgGeometry *points, guint n, uint32_t *which)
{
  const int32_t *given = kg_geometry_get_int (points, KG_POINTS, "variant", 1);
  const float *numbers = kg_geometry_get_float (points, KG_POINTS, "variant", 1);
  const int32_t *id = kg_geometry_get_int (points, KG_POINTS, "id", 1);

  for (size_t i = 0; i < kg_geometry_get_n_points (points); i++) {
    if (given != NULL || numbers != NULL) {
      const double number = given != NULL ? given[i] : floor ((double) numbers[i]);

      which[i] = (uint32_t) (number - n * floor (number / n));
      which[i] = MIN (which[i], n - 1);
    } else
      which[i] = (uint32_t) (kg_random_uniform (SEED, id != NULL ? (uint64_t) (uint32_t) id[i] : i, 0) * n);
  }
}

KgGeometry *
variants_take (const KgGeometry *points, const uint32_t *which, uint32_t variant)
{
  const size_t n = kg_geometry_get_n_points (points);
  g_autofree uint8_t *keep = g_new (uint8_t, n + 1);
  KgGeometry *taken = kg_geometry_ref (points);

  for (size_t i = 0; i < n; i++)
    keep[i] = which[i] == variant;
  kg_geometry_make_writable (&taken);
  kg_geometry_keep_points (taken, keep);
  return taken;
}

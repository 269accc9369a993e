/* particle_parents: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_parents.h"

#include "kg-random.h"
#include "sim/particle_birth.h"

uint32_t *
particle_parents_list (const ParticleParents *parents, const KgGeometry *emitter, uint64_t limit, uint64_t *n,
                       uint64_t *total, const KgProgressMonitor *monitor)
{
  const size_t n_points = kg_geometry_get_n_points (emitter);
  const int32_t *ids = kg_geometry_get_int (emitter, KG_POINTS, "id", 1);
  const float *ages = parents->younger > 0 ? kg_geometry_get_float (emitter, KG_POINTS, "age", 1) : NULL;
  /* With room for one, so that the array is there without any. */
  g_autoptr (GArray) list = g_array_sized_new (false, false, sizeof (uint32_t), 1);

  *total = 0;
  for (size_t i = 0; i < n_points; i++) {
    const uint64_t id = ids != NULL ? (uint64_t) (uint32_t) ids[i] : (uint64_t) i;
    const double phase = kg_random_uniform (parents->seed, id, PARTICLE_DRAW_PHASE);
    uint64_t count = parents->count;

    if (i % 4096 == 0 && kg_progress_is_cancelled (monitor))
      return NULL;
    if (ages != NULL && !((double) ages[i] < parents->younger))
      continue;
    if (!parents->event)
      count = (uint64_t) (floor (parents->till + phase) - floor (parents->from + phase));
    *total += count;
    for (uint64_t k = 0; k < count && list->len < limit; k++) {
      const uint32_t point = (uint32_t) i;

      g_array_append_val (list, point);
    }
  }
  *n = list->len;
  return (uint32_t *) (gpointer) g_array_free (g_steal_pointer (&list), false);
}

/* flock_measure: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/flock_measure.h"

#include "kg-floats.h"
#include "geometry/point_tree.h"

FlockMeasure
flock_measure (const float *p, const float *v, size_t n)
{
  FlockMeasure measure = { .polarisation = 0 };
  KgVector heading = { 0, 0, 0 }, turn = { 0, 0, 0 };
  double squares = 0;
  size_t moving = 0;

  if (n == 0)
    return measure;
  for (size_t i = 0; i < n; i++) {
    measure.centroid = kg_vector_add_scaled (measure.centroid, 1.0 / (double) n, kg_floats_get_vector (p, i));
    if (v != NULL)
      measure.velocity = kg_vector_add_scaled (measure.velocity, 1.0 / (double) n, kg_floats_get_vector (v, i));
  }
  for (size_t i = 0; i < n; i++) {
    const KgVector from = kg_vector_subtract (kg_floats_get_vector (p, i), measure.centroid);
    const KgVector zero = { 0, 0, 0 };
    const KgVector unit = v != NULL ? kg_vector_normalize_or (kg_floats_get_vector (v, i), zero) : zero;

    squares += kg_vector_dot (from, from);
    moving += kg_vector_dot (unit, unit) > 0;
    heading = kg_vector_add (heading, unit);
    turn = kg_vector_add (turn, kg_vector_cross (kg_vector_normalize_or (from, zero), unit));
  }
  measure.cohesion = sqrt (squares / (double) n);
  if (moving > 0) {
    measure.polarisation = fmin (1, kg_vector_length (heading) / (double) moving);
    measure.rotation = fmin (1, kg_vector_length (turn) / (double) moving);
  }
  return measure;
}

bool
flock_measure_nearest (const float *p, size_t n, double *nearest, const KgProgressMonitor *monitor)
{
  const PointQuery query = { .k = 1, .radius = INFINITY, .skip = true };
  g_auto (PointNeighbours) found = { 0 };

  *nearest = 0;
  if (n < 2)
    return true;
  if (!point_neighbours_find (&found, p, n, p, n, &query, n, monitor, NULL))
    return false;
  for (size_t i = 0; i < found.first[n]; i++)
    *nearest += sqrt ((double) found.items[i].distance2) / (double) n;
  return true;
}

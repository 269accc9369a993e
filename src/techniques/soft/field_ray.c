/* field_ray: where rays enter and leave a body that a scalar field stands for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/field_ray.h"

#include "kg-floats.h"
#include "soft/soft_ray.h"

/* Steps of the root finding (Illinois); eight are usual. */
#define ROOT_STEPS 40
/* Rays between two checks for cancelling. */
#define BATCH 1024

static double
sample_one (const KgField *field, const FieldRayOptions *o, KgVector origin, KgVector direction, double t)
{
  const KgVector at = kg_vector_add_scaled (origin, t, direction);
  const float p[] = { (float) at.x, (float) at.y, (float) at.z };
  float value;

  kg_field_sample_points (field, p, 1, o->time, &value);
  return (double) value - o->level;
}

/* The part of a ray in the box of the field; false: it passes by. */
static bool
clip (const KgField *field, KgVector origin, KgVector direction, double *from, double *to)
{
  KgVector low, high;

  if (!kg_field_get_bounds (field, &low, &high))
    return true;
  for (size_t axis = 0; axis < 3; axis++) {
    const double o = kg_vector_get (origin, axis), d = kg_vector_get (direction, axis);
    const double first = (kg_vector_get (low, axis) - o) / d, second = (kg_vector_get (high, axis) - o) / d;

    if (d != 0) {
      *from = MAX (*from, MIN (first, second));
      *to = MIN (*to, MAX (first, second));
    } else if (o < kg_vector_get (low, axis) || o > kg_vector_get (high, axis)) {
      return false;
    }
  }
  return *from <= *to;
}

/* The root between two places with values of different signs (Dowell and Jarratt 1971). */
static double
find_root (const KgField *field, const FieldRayOptions *o, KgVector origin, KgVector direction, double low, double high,
           double f_low, double f_high)
{
  int side = 0;

  for (int i = 0; i < ROOT_STEPS && high - low > 1e-9 * (1 + high); i++) {
    const double t = kg_clamp (low + (high - low) * f_low / (f_low - f_high), low, high);
    const double f = sample_one (field, o, origin, direction, t);

    if (f == 0)
      return t;
    if ((f > 0) == (f_low > 0)) {
      low = t;
      f_low = f;
      f_high = side > 0 ? 0.5 * f_high : f_high;
      side = 1;
    } else {
      high = t;
      f_high = f;
      f_low = side < 0 ? 0.5 * f_low : f_low;
      side = -1;
    }
  }
  return low + (high - low) * f_low / (f_low - f_high);
}

/* In steps. */
static FieldRayHit
walk (const KgField *field, const FieldRayOptions *o, KgVector origin, KgVector direction)
{
  FieldRayHit hit = { .inside = sample_one (field, o, origin, direction, 0) >= 0 };
  double from = 0, to = o->reach, before, step;
  bool inside;
  size_t n;

  if (!clip (field, origin, direction, &from, &to))
    return hit;
  n = (size_t) MAX (1, ceil ((to - from) / o->step));
  step = (to - from) / (double) n;
  before = sample_one (field, o, origin, direction, from);
  inside = before >= 0;
  /* A field may end at its bounds with a jump. */
  if (inside != hit.inside)
    hit.t[hit.n++] = from;
  for (size_t i = 1; i <= n && hit.n < FIELD_RAY_CROSSINGS; i += KG_FIELD_BLOCK) {
    const size_t count = MIN (n + 1 - i, KG_FIELD_BLOCK);
    float p[3 * KG_FIELD_BLOCK], values[KG_FIELD_BLOCK];

    for (size_t k = 0; k < count; k++) {
      const KgVector at = kg_vector_add_scaled (origin, from + step * (double) (i + k), direction);

      kg_floats_set_vector (p, k, at);
    }
    kg_field_sample_points (field, p, count, o->time, values);
    for (size_t k = 0; k < count && hit.n < FIELD_RAY_CROSSINGS; k++) {
      const double f = (double) values[k] - o->level, t = from + step * (double) (i + k);

      if ((f >= 0) != inside) {
        hit.t[hit.n++] = find_root (field, o, origin, direction, t - step, t, before, f);
        inside = !inside;
      }
      before = f;
    }
  }
  if (inside && hit.n < FIELD_RAY_CROSSINGS && to < o->reach)
    hit.t[hit.n++] = to;
  return hit;
}

FieldRayHit
field_ray_follow (const KgField *field, const FieldRayOptions *options, KgVector origin, KgVector direction)
{
  const SoftKeys *keys = soft_keys_peek (field);
  FieldRayHit hit;

  if (keys != NULL && options->level > 0 && soft_ray_follow (keys, options, origin, direction, &hit))
    return hit;
  return walk (field, options, origin, direction);
}

bool
field_ray_follow_all (const KgField *field, const FieldRayOptions *options, const float *origins,
                      const float *directions, size_t n, FieldRayHit *hits, const KgProgressMonitor *monitor,
                      GError **error)
{
  if (options->reach > options->step * FIELD_RAY_MAX_STEPS) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "rays of %g m in steps of %g m take more than %d steps: use larger steps, or shorter rays",
                  options->reach, options->step, FIELD_RAY_MAX_STEPS);
    return false;
  }
  for (size_t first = 0; first < n; first += BATCH) {
    const size_t end = MIN (n, first + BATCH);

    if (!kg_progress_check (monitor, error))
      return false;
#pragma omp parallel for schedule(dynamic, 16)
    for (size_t i = first; i < end; i++) {
      const float *p = origins + 3 * i, *d = directions + 3 * i;
      const KgVector along = kg_floats_get_vector (d, 0);
      const double length = kg_vector_length (along);

      hits[i] = length > 0 && isfinite (length) ? field_ray_follow (field, options, kg_floats_get_vector (p, 0),
                                                                    kg_vector_scale (along, 1 / length))
                                                : (FieldRayHit){ .n = 0 };
    }
    kg_progress_report (monitor, (double) end / (double) n);
  }
  return true;
}

/* flock_past: what members see is as old as their reaction time and their last look.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_step.h"

#include "kg-floats.h"
#include "kg-random.h"

#include <string.h>

/* Steps of the past that are kept at most. */
#define MOST_PAST 1000

/* What is seen is as old as the reaction time and the last look: past states are kept, the newest first, as attributes
 * P1 v1 P2 v2 ... */
static void
name_past (size_t k, char p[24], char v[24])
{
  g_snprintf (p, 24, "P%zu", k);
  g_snprintf (v, 24, "v%zu", k);
}

/* How old in steps what was seen in a look is when that is so many steps ago. */
static double
get_lag (const FlockSettings *s, double dt, int32_t age)
{
  return fmin (fmax (s->reaction_time, 0) / dt + (double) age, MOST_PAST);
}

static size_t
count_past (const FlockSettings *s, double dt)
{
  const double steps = s->perception_rate > 0 ? fmin (ceil (1 / (s->perception_rate * dt)), FLOCK_MOST_AGE) : 0;

  return (size_t) ceil (get_lag (s, dt, (int32_t) steps) - 1e-9);
}

/* Past state k; where there is none yet, the oldest there is. */
static void
get_past (const KgGeometry *state, size_t k, const float **p, const float **v)
{
  for (;; k--) {
    char name_p[24], name_v[24];

    name_past (k, name_p, name_v);
    *p = kg_geometry_get_float (state, KG_POINTS, k > 0 ? name_p : "P", 3);
    *v = kg_geometry_get_float (state, KG_POINTS, k > 0 ? name_v : "v", 3);
    if (*p != NULL && *v != NULL)
      return;
  }
}

/* What is seen by those whose last look is so many steps ago. */
void
flock_look_back (FlockStep *step, const KgGeometry *state, int32_t age)
{
  const double lag = get_lag (step->s, step->dt, age);
  const size_t k = (size_t) ceil (lag - 1e-9);
  const double share = (double) k - lag; /* of the newer one */
  const float *p[2], *v[2];

  step->now_age = age;
  if (k == 0)
    return;
  get_past (state, k, &p[0], &v[0]);
  get_past (state, k - 1, &p[1], &v[1]);
  if (step->past_p == NULL) {
    step->past_p = g_new (float, 3 * step->n);
    step->past_v = g_new (float, 3 * step->n);
  }
  for (size_t i = 0; i < 3 * step->n; i++) {
    step->past_p[i] = (float) kg_lerp ((double) p[0][i], (double) p[1][i], share);
    step->past_v[i] = (float) kg_lerp ((double) v[0][i], (double) v[1][i], share);
  }
  step->seen.p = step->past_p;
  step->seen.eyes = step->own_p;
  step->seen_v = step->past_v;
}

/* Past states from one on that are no longer needed. */
void
flock_drop_past (KgGeometry *state, size_t first)
{
  for (size_t k = first;; k++) {
    char p[24], v[24];

    name_past (k, p, v);
    if (kg_geometry_get_float (state, KG_POINTS, p, 3) == NULL)
      return;
    kg_geometry_remove_attribute (state, KG_POINTS, p);
    kg_geometry_remove_attribute (state, KG_POINTS, v);
  }
}

void
flock_keep_past (KgGeometry *to, const KgGeometry *from, const FlockSettings *s, double dt)
{
  const size_t n = kg_geometry_get_n_points (from), count = count_past (s, dt);

  for (size_t k = count; k > 0; k--) {
    char name_p[24], name_v[24];
    const float *p, *v;

    get_past (from, k - 1, &p, &v);
    name_past (k, name_p, name_v);
    memcpy (kg_geometry_edit_float (to, KG_POINTS, name_p, 3), p, 3 * n * sizeof *p);
    memcpy (kg_geometry_edit_float (to, KG_POINTS, name_v, 3), v, 3 * n * sizeof *v);
  }
  if (count > 0)
    flock_drop_past (to, count + 1);
}

/* Members look so many times a second, each at times of its own.  The first step is a look of all: there is nothing older. */
void
flock_find_ages (FlockStep *step, KgGeometry *to)
{
  const double rate = step->s->perception_rate;
  const bool first = kg_geometry_get_int (to, KG_POINTS, "look_age", 1) == NULL ||
                     kg_geometry_get_float (to, KG_POINTS, "look_phase", 1) == NULL;
  float *phase;
  int32_t *age;

  if (!(rate > 0)) {
    /* It may have been above 0 before. */
    if (!first)
      flock_drop_past (to, count_past (step->s, step->dt) + 1);
    kg_geometry_remove_attribute (to, KG_POINTS, "look_phase");
    kg_geometry_remove_attribute (to, KG_POINTS, "look_age");
    return;
  }
  phase = kg_geometry_edit_float (to, KG_POINTS, "look_phase", 1);
  age = kg_geometry_edit_int (to, KG_POINTS, "look_age", 1);
  for (size_t i = 0; i < step->n; i++) {
    const double now = first ? kg_random_uniform (step->s->seed, (uint64_t) step->id[i], 0x6c6f6f6b)
                             : (double) phase[i] + rate * step->dt;
    const bool looks = first || !(now < 1 - 1e-5) || age[i] < 0 || age[i] >= FLOCK_MOST_AGE;

    age[i] = looks ? 0 : age[i] + 1;
    phase[i] = isfinite (now) ? (float) (now - floor (now + 1e-5)) : 0;
  }
  step->age = age;
  step->look_phase = phase;
}

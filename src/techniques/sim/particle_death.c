/* particle_death: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_death.h"

#include "kg-floats.h"
#include "sim/particle_collision.h"

static bool
has_rules (const ParticleDeaths *deaths)
{
  return deaths->alpha > 0 || deaths->far || deaths->below || deaths->inside != NULL || deaths->outside != NULL;
}

static int32_t
find_cause (const ParticleDeaths *d, const float *p, float alpha, double part, const float *inside,
            const float *outside)
{
  const KgVector x = kg_floats_get_vector (p, 0);
  double opacity = (double) alpha;

  if (d->alpha > 0 && d->alpha_over_age != NULL)
    opacity *= kg_clamp (kg_motion_evaluate (d->alpha_over_age, part, 1), 0, 1);
  if (d->alpha > 0 && opacity < d->alpha)
    return PARTICLE_DIED_OF_FADING;
  if (d->far && kg_vector_distance (x, d->center) > d->distance)
    return PARTICLE_DIED_OF_DISTANCE;
  if ((d->below && x.y < d->height) || (inside != NULL && (double) *inside >= kg_field_get_level (d->inside)) ||
      (outside != NULL && !((double) *outside >= kg_field_get_level (d->outside))))
    return PARTICLE_DIED_OF_PLACE;
  return PARTICLE_LIVES;
}

/* The marked points of a state, which it loses. */
static KgGeometry *
take_out (KgGeometry **state, const int32_t *causes)
{
  const size_t n = kg_geometry_get_n_points (*state);
  g_autofree uint8_t *keep = g_new (uint8_t, MAX (n, 1));
  KgGeometry *dead = kg_geometry_ref (*state);

  kg_geometry_make_writable (&dead);
  memcpy (kg_geometry_edit_int (dead, KG_POINTS, "cause", 1), causes, n * sizeof *causes);
  kg_geometry_remove_attribute (dead, KG_POINTS, "stuck");
  for (size_t i = 0; i < n; i++)
    keep[i] = causes[i] != PARTICLE_LIVES;
  kg_geometry_keep_points (dead, keep);
  for (size_t i = 0; i < n; i++)
    keep[i] = causes[i] == PARTICLE_LIVES;
  kg_geometry_make_writable (state);
  kg_geometry_keep_points (*state, keep);
  return dead;
}

KgGeometry *
particle_deaths_make_room (KgGeometry **state, double dt, size_t n)
{
  const size_t count = kg_geometry_get_n_points (*state);
  const float *age = kg_geometry_get_float (*state, KG_POINTS, "age", 1);
  const float *life = kg_geometry_get_float (*state, KG_POINTS, "life", 1);
  g_autofree int32_t *causes = g_new0 (int32_t, MAX (count, 1));

  for (size_t i = 0; n > 0 && i < count; i++)
    if (age[i] + (float) dt < life[i]) {
      causes[i] = PARTICLE_DIED_OF_ROOM;
      n--;
    }
  return take_out (state, causes);
}

KgGeometry *
particle_deaths_bury (const ParticleDeaths *deaths, KgGeometry **state, const int32_t *held, double time,
                      KgGeometry *expired, const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = kg_geometry_get_n_points (*state);
  const float *p = kg_geometry_get_positions (*state);
  const float *color = kg_geometry_get_float (*state, KG_POINTS, "Cd", 4);
  const float *age = kg_geometry_get_float (*state, KG_POINTS, "age", 1);
  const float *life = kg_geometry_get_float (*state, KG_POINTS, "life", 1);
  g_autofree float *inside = NULL, *outside = NULL;
  g_autofree int32_t *causes = NULL;
  g_autoptr (KgGeometry) dead = kg_geometry_ref (expired), taken = NULL;
  const bool rules = has_rules (deaths);
  size_t marked = 0;

  if (n == 0 || (!rules && held == NULL))
    return g_steal_pointer (&dead);
  causes = g_new (int32_t, n);
  if (deaths->inside != NULL) {
    inside = g_new (float, n);
    kg_field_sample_points (deaths->inside, p, n, time, inside);
  }
  if (deaths->outside != NULL) {
    outside = g_new (float, n);
    kg_field_sample_points (deaths->outside, p, n, time, outside);
  }
#pragma omp parallel for schedule(dynamic, 4096)
  for (size_t i = 0; i < n; i++)
    if (held != NULL && held[i] == PARTICLE_DEAD)
      causes[i] = PARTICLE_DIED_OF_HIT;
    else
      causes[i] = rules ? find_cause (deaths, p + 3 * i, color[4 * i + 3],
                                      kg_clamp ((double) age[i] / (double) life[i], 0, 1),
                                      inside != NULL ? inside + i : NULL, outside != NULL ? outside + i : NULL)
                        : PARTICLE_LIVES;
  if (kg_progress_is_cancelled (monitor))
    return NULL;
  for (size_t i = 0; i < n; i++)
    marked += causes[i] != PARTICLE_LIVES;
  if (marked == 0)
    return g_steal_pointer (&dead);
  taken = take_out (state, causes);
  kg_geometry_make_writable (&dead);
  return kg_geometry_append (dead, taken, error) ? g_steal_pointer (&dead) : NULL;
}

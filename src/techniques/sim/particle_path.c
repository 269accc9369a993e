/* particle_path: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_path.h"

KgVector
particle_path_get_velocity (const ParticlePath *path, double s)
{
  return kg_vector_add_scaled (kg_vector_scale (kg_vector_subtract (path->x1, path->x0), 1 / path->h),
                               (s - 0.5) * path->h, path->acceleration);
}

KgVector
particle_path_get_place (const ParticlePath *path, double s)
{
  return kg_vector_add_scaled (kg_vector_lerp (path->x0, path->x1, s), 0.5 * s * (s - 1) * path->h * path->h,
                               path->acceleration);
}

void
particle_path_init (ParticlePath *path, const ParticleBlock *start, const ParticleBlock *end, size_t i, double h)
{
  KgVector v0;

  path->x0 = kg_vector ((double) start->x[0][i], (double) start->x[1][i], (double) start->x[2][i]);
  path->x1 = kg_vector ((double) end->x[0][i], (double) end->x[1][i], (double) end->x[2][i]);
  path->v1 = kg_vector ((double) end->v[0][i], (double) end->v[1][i], (double) end->v[2][i]);
  v0 = kg_vector ((double) start->v[0][i], (double) start->v[1][i], (double) start->v[2][i]);
  path->h = h;
  path->slope = v0;
  path->acceleration = kg_vector_scale (kg_vector_subtract (path->v1, v0), 1 / h);
  path->offset = kg_vector_subtract (path->v1, particle_path_get_velocity (path, 1));
}

void
particle_path_store (const ParticlePath *path, ParticleBlock *end, size_t i)
{
  for (int c = 0; c < 3; c++) {
    end->x[c][i] = (float) kg_vector_get (path->x1, c);
    end->v[c][i] = (float) kg_vector_get (path->v1, c);
  }
}

/* Takes at most this much off the length of v. */
static KgVector
slow_down (KgVector v, double by)
{
  const double length = kg_vector_length (v);

  return length > by ? kg_vector_scale (v, 1 - by / length) : kg_vector (0, 0, 0);
}

void
particle_path_reflect (ParticlePath *path, double restitution, double friction, double s, KgVector hit, KgVector m)
{
  const double left = (1 - s) * path->h, across = kg_vector_dot (path->acceleration, m);
  KgVector w = s > 0 ? particle_path_get_velocity (path, s) : path->slope;
  double wn = kg_vector_dot (w, m);
  KgVector along = kg_vector_add_scaled (w, -wn, m);

  if (wn < 0) {
    along = slow_down (along, -(1 + restitution) * wn * friction);
    wn *= -restitution;
    w = kg_vector_add_scaled (along, wn, m);
  }
  if (across < 0 && 2 * wn <= -across * left) {
    const KgVector pull = kg_vector_add_scaled (path->acceleration, -across, m);

    path->v1 = slow_down (kg_vector_add_scaled (along, left, pull), -across * left * friction);
    path->x1 = kg_vector_add_scaled (hit, 0.5 * left, kg_vector_add (along, path->v1));
    path->acceleration = pull;
    path->offset = kg_vector (0, 0, 0);
  } else {
    path->x1 = kg_vector_add_scaled (kg_vector_add_scaled (hit, left, w), 0.5 * left * left, path->acceleration);
    path->v1 = kg_vector_add (kg_vector_add_scaled (w, left, path->acceleration), path->offset);
  }
  path->x0 = hit;
  path->slope = w;
  path->h = left;
}

double
particle_path_find_crossing (double a, double b, double c)
{
  const double q = -0.5 * (b + copysign (sqrt (fmax (0, b * b - 4 * a * c)), b));
  const double first = q != 0 ? a / q : 0;

  if (first >= 0 && first <= 1)
    return first;
  return kg_clamp (c != 0 ? q / c : 1, 0, 1);
}

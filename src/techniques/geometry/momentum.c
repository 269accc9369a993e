/* momentum: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/momentum.h"

#include "kg-error.h"
#include "kg-floats.h"

#define BLOCK 2048

typedef struct {
  size_t n;
  const float *p, *mass, *v, *force, *spin, *inertia;
  KgVector about, gravity;
  bool weigh;
} Reading;

static KgVector
get_vector (const float *of, size_t i)
{
  return of != NULL ? kg_floats_get_vector (of, i) : kg_vector (0, 0, 0);
}

static KgVector
apply_inertia (const float *m, KgVector w)
{
  return kg_vector ((double) m[0] * w.x + (double) m[1] * w.y + (double) m[2] * w.z,
                    (double) m[3] * w.x + (double) m[4] * w.y + (double) m[5] * w.z,
                    (double) m[6] * w.x + (double) m[7] * w.y + (double) m[8] * w.z);
}

/* In sums->velocity and ->center the moments are kept until they are divided. */
static void
add_point (const Reading *reading, size_t i, MomentumSums *sums)
{
  const double m = reading->mass != NULL ? (double) reading->mass[i] : 1;
  const KgVector r = kg_vector_subtract (get_vector (reading->p, i), reading->about), v = get_vector (reading->v, i);
  const KgVector given = get_vector (reading->force, i), weight = kg_vector_scale (reading->gravity, m);
  const KgVector force = reading->weigh ? kg_vector_add (given, weight) : given;
  const KgVector torque = kg_vector_cross (r, force);

  sums->mass += m;
  sums->center = kg_vector_add_scaled (sums->center, m, r);
  sums->momentum = kg_vector_add_scaled (sums->momentum, m, v);
  sums->angular = kg_vector_add_scaled (sums->angular, m, kg_vector_cross (r, v));
  sums->kinetic += 0.5 * m * kg_vector_dot (v, v);
  sums->potential -= kg_vector_dot (weight, r);
  sums->force = kg_vector_add (sums->force, force);
  sums->torque = kg_vector_add (sums->torque, torque);
  sums->force_sum += kg_vector_length (given) + (reading->weigh ? kg_vector_length (weight) : 0);
  sums->torque_sum += kg_vector_length (r) * kg_vector_length (force);
  if (reading->spin != NULL && reading->inertia != NULL) {
    const KgVector omega = get_vector (reading->spin, i), l = apply_inertia (reading->inertia + 9 * i, omega);

    sums->angular = kg_vector_add (sums->angular, l);
    sums->kinetic += 0.5 * kg_vector_dot (omega, l);
  }
}

static void
join (MomentumSums *to, const MomentumSums *from)
{
  to->mass += from->mass;
  to->center = kg_vector_add (to->center, from->center);
  to->momentum = kg_vector_add (to->momentum, from->momentum);
  to->angular = kg_vector_add (to->angular, from->angular);
  to->force = kg_vector_add (to->force, from->force);
  to->torque = kg_vector_add (to->torque, from->torque);
  to->kinetic += from->kinetic;
  to->potential += from->potential;
  to->force_sum += from->force_sum;
  to->torque_sum += from->torque_sum;
}

bool
momentum_measure (const KgGeometry *geometry, KgVector about, KgVector gravity, bool weigh,
                  const KgProgressMonitor *monitor, MomentumSums *sums, GError **error)
{
  const Reading reading = { .n = kg_geometry_get_n_points (geometry),
                            .p = kg_geometry_get_positions (geometry),
                            .mass = kg_geometry_get_float (geometry, KG_POINTS, "mass", 1),
                            .v = kg_geometry_get_float (geometry, KG_POINTS, "v", 3),
                            .force = kg_geometry_get_float (geometry, KG_POINTS, "force", 3),
                            .spin = kg_geometry_get_float (geometry, KG_POINTS, "spin", 3),
                            .inertia = kg_geometry_get_float (geometry, KG_POINTS, "inertia", 9),
                            .about = about,
                            .gravity = gravity,
                            .weigh = weigh };
  const size_t n_blocks = (reading.n + BLOCK - 1) / BLOCK;
  g_autofree MomentumSums *blocks = g_new0 (MomentumSums, MAX (n_blocks, 1));

  *sums = (MomentumSums){ 0 };
  for (size_t i = 0; reading.mass != NULL && i < reading.n; i++)
    if (!(reading.mass[i] >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "point %zu has a mass of %g kg: give it a mass of 0 or more", i,
                    (double) reading.mass[i]);
      return false;
    }
#pragma omp parallel for schedule(dynamic) if (n_blocks > 4)
  for (size_t k = 0; k < n_blocks; k++)
    for (size_t i = k * BLOCK; i < MIN (reading.n, (k + 1) * BLOCK); i++)
      add_point (&reading, i, &blocks[k]);
  for (size_t k = 0; k < n_blocks; k++)
    join (sums, &blocks[k]);
  if (sums->mass > 0) {
    sums->center = kg_vector_scale (sums->center, 1 / sums->mass);
    sums->velocity = kg_vector_scale (sums->momentum, 1 / sums->mass);
  }
  sums->center = kg_vector_add (sums->center, about);
  return !kg_progress_is_cancelled (monitor);
}

bool
momentum_get_spring_energy (const KgGeometry *geometry, const KgProgressMonitor *monitor, double *energy)
{
  const float *stiffness = kg_geometry_get_float (geometry, KG_PRIMITIVES, "stiffness", 1);
  const float *length = kg_geometry_get_float (geometry, KG_PRIMITIVES, "length", 1);
  const float *p = kg_geometry_get_positions (geometry);
  *energy = 0;
  for (size_t i = 0; stiffness != NULL && i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    if (i % 65536 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind != KG_POLYLINE)
      continue;
    for (uint32_t k = 0; k + (primitive.closed ? 0 : 1) < primitive.n_vertices; k++) {
      const uint32_t a = primitive.vertices[k], b = primitive.vertices[(k + 1) % primitive.n_vertices];
      const double x = kg_vector_distance (get_vector (p, a), get_vector (p, b)) -
                       (length != NULL ? (double) length[i] : 0);

      *energy += 0.5 * (double) stiffness[i] * x * x;
    }
  }
  return true;
}

bool
momentum_is_balanced (const MomentumSums *sums, double tolerance)
{
  return kg_vector_length (sums->force) <= tolerance * sums->force_sum &&
         kg_vector_length (sums->torque) <= tolerance * sums->torque_sum;
}

KgVector
rigid_get_velocity (KgVector v, KgVector omega, KgVector r)
{
  return kg_vector_add (v, kg_vector_cross (omega, r));
}

KgVector
rigid_get_acceleration (KgVector a, KgVector alpha, KgVector omega, KgVector r)
{
  return kg_vector_add (kg_vector_add (a, kg_vector_cross (alpha, r)),
                        kg_vector_cross (omega, kg_vector_cross (omega, r)));
}

void
momentum_collide_points (double inverse_a, double inverse_b, double restitution, KgVector normal, KgVector *va,
                         KgVector *vb)
{
  const double speed = kg_vector_dot (kg_vector_subtract (*va, *vb), normal), sum = inverse_a + inverse_b;
  const double impulse = sum > 0 ? -(1 + restitution) * speed / sum : 0;

  *va = kg_vector_add_scaled (*va, impulse * inverse_a, normal);
  *vb = kg_vector_add_scaled (*vb, -impulse * inverse_b, normal);
}

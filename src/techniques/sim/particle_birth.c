/* particle_birth: how many particles are born, where, and how fast.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_birth.h"

#include "geometry/triangle.h"
#include "kg-floats.h"
#include "kg-random.h"
#include "value/distribution.h"

/* Most births of one step: what the counters hold with room to spare. */
#define MOST_BIRTHS 1e15

/* Places in the bounds of a volume that are tried before its surface is taken. */
#define VOLUME_TRIES 64
/* Between the counters of numbers that are drawn again. */
#define AGAIN 1000

typedef struct {
  KgVector place, normal, velocity;
} Origin;

double
particle_draw_signed (const ParticleSource *s, uint64_t id, uint64_t purpose)
{
  const double u = kg_random_signed (s->seed, id, purpose);

  switch (s->distribution) {
  case PARTICLE_SPREAD_GAUSSIAN:
    for (uint64_t k = 0; k < VOLUME_TRIES; k++) {
      const double x = kg_random_normal (s->seed, id, purpose + AGAIN * (k + 1)) / 3;

      if (fabs (x) <= 1)
        return x;
    }
    return 0;
  case PARTICLE_SPREAD_TRIANGULAR:
    return 0.5 * (u + kg_random_signed (s->seed, id, purpose + AGAIN));
  case PARTICLE_SPREAD_CURVE:
    return s->curve != NULL ? kg_clamp (kg_motion_evaluate (s->curve, 0.5 * (u + 1), 0), -1, 1) : u;
  default:
    return u;
  }
}

size_t
particle_source_count_triangles (const KgGeometry *geometry)
{
  size_t count = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind == KG_POLYGON && primitive.n_vertices >= 3)
      count += primitive.n_vertices - 2;
  }
  return count;
}

void
particle_source_set_triangles (ParticleSource *source, double *areas, uint32_t *triangles)
{
  const float *p = kg_geometry_get_positions (source->geometry);
  double sum = 0;
  size_t count = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (source->geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (source->geometry, i, &primitive);
    for (uint32_t k = 2; primitive.kind == KG_POLYGON && k < primitive.n_vertices; k++, count++) {
      uint32_t *corner = triangles + 3 * count;
      KgVector corners[3];

      corner[0] = primitive.vertices[0];
      corner[1] = primitive.vertices[k - 1];
      corner[2] = primitive.vertices[k];
      for (int c = 0; c < 3; c++)
        corners[c] = kg_floats_get_vector (p, (size_t) corner[c]);
      sum += triangle_get_area (corners);
      areas[count] = sum;
    }
  }
  source->n_triangles = count;
  source->areas = areas;
  source->triangles = triangles;
}

bool
particle_source_is_usable (const ParticleSource *source)
{
  if (source->shape == PARTICLE_FROM_VOLUME)
    return source->volume != NULL && source->volume->n > 0;
  if (source->shape == PARTICLE_FROM_POINTS)
    return source->geometry != NULL && kg_geometry_get_n_points (source->geometry) > 0;
  if (source->shape == PARTICLE_FROM_SURFACE)
    return source->n_triangles > 0 && source->areas[source->n_triangles - 1] > 0;
  return true;
}

/* Where a point of the emitter is at the part of the step, and how fast it gets there where nothing else says so. */
static KgVector
get_emitter_point (const ParticleSource *s, uint32_t i, double part, KgVector *velocity)
{
  const KgVector now = kg_floats_get_vector (kg_geometry_get_positions (s->geometry), (size_t) i);

  *velocity = kg_vector (0, 0, 0);
  if (s->previous == NULL)
    return now;
  if (s->dt > 0)
    *velocity = kg_vector_scale (kg_vector_subtract (now, kg_floats_get_vector (s->previous, (size_t) i)), 1 / s->dt);
  return kg_vector_lerp (kg_floats_get_vector (s->previous, (size_t) i), now, part);
}

static void
draw_from_points (const ParticleSource *s, uint64_t id, double a, double part, Origin *origin)
{
  const size_t count = kg_geometry_get_n_points (s->geometry);
  const uint32_t i = s->parents != NULL ? s->parents[id - s->first_id]
                                        : (uint32_t) MIN ((size_t) (a * (double) count), count - 1);
  KgVector moved;
  const float *normals = kg_geometry_get_float (s->geometry, KG_POINTS, "N", 3);
  const float *velocities = kg_geometry_get_float (s->geometry, KG_POINTS, "v", 3);

  origin->place = kg_vector_add (origin->place, get_emitter_point (s, i, part, &moved));
  if (normals != NULL)
    origin->normal = kg_vector_normalize_or (kg_floats_get_vector (normals, (size_t) i), origin->normal);
  origin->velocity =
      kg_vector_add (origin->velocity, velocities != NULL ? kg_floats_get_vector (velocities, (size_t) i) : moved);
}

/* Evenly over the area: a triangle by its share, a place in it by folding the unit square. */
static void
draw_from_surface (const ParticleSource *s, double a, double b, double c, double part, Origin *origin)
{
  const float *velocities = kg_geometry_get_float (s->geometry, KG_POINTS, "v", 3);
  const double wanted = a * s->areas[s->n_triangles - 1];
  const uint32_t *corner = s->triangles + 3 * distribution_find_part (s->areas, s->n_triangles, wanted);
  KgVector x, y, z, moved[3];

  if (b + c > 1) {
    b = 1 - b;
    c = 1 - c;
  }
  x = get_emitter_point (s, corner[0], part, &moved[0]);
  y = kg_vector_subtract (get_emitter_point (s, corner[1], part, &moved[1]), x);
  z = kg_vector_subtract (get_emitter_point (s, corner[2], part, &moved[2]), x);
  origin->place = kg_vector_add (origin->place, kg_vector_add_scaled (kg_vector_add_scaled (x, b, y), c, z));
  origin->normal = kg_vector_normalize_or (kg_vector_cross (y, z), origin->normal);
  for (int k = 0; velocities != NULL && k < 3; k++)
    moved[k] = kg_floats_get_vector (velocities, (size_t) corner[k]);
  x = kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (moved[0], 1 - b - c), b, moved[1]), c, moved[2]);
  origin->velocity = kg_vector_add (origin->velocity, x);
}

/* Evenly in a closed mesh, by rejection. */
static void
draw_from_volume (const ParticleSource *s, uint64_t id, Origin *origin)
{
  const BoundingBox box = box_tree_get_bounds (s->volume->tree);
  KgVector x = { 0, 0, 0 };

  for (uint64_t k = 0; k < VOLUME_TRIES; k++) {
    double at[3];

    for (uint64_t c = 0; c < 3; c++)
      at[c] = kg_lerp ((double) box.low[c], (double) box.high[c],
                       kg_random_uniform (s->seed, id, PARTICLE_DRAW_PLACE + c + AGAIN * k));
    x = kg_vector (at[0], at[1], at[2]);
    if (triangle_mesh_contains (s->volume, s->winding, INSIDE_WINDING, x)) {
      origin->place = kg_vector_add (origin->place, x);
      return;
    }
  }
  origin->place = kg_vector_add (origin->place, triangle_mesh_find_nearest (s->volume, x).point);
}

static void
draw_origin (const ParticleSource *s, uint64_t id, double part, Origin *origin)
{
  const double a = kg_random_uniform (s->seed, id, PARTICLE_DRAW_PLACE);
  const double b = kg_random_uniform (s->seed, id, PARTICLE_DRAW_PLACE + 1);
  const double c = kg_random_uniform (s->seed, id, PARTICLE_DRAW_PLACE + 2), angle = 2 * KG_PI * b;
  KgVector u, v;
  double r;

  switch (s->shape) {
  case PARTICLE_FROM_POINTS:
    draw_from_points (s, id, a, part, origin);
    break;
  case PARTICLE_FROM_SURFACE:
    draw_from_surface (s, a, b, c, part, origin);
    break;
  case PARTICLE_FROM_BOX:
    origin->place =
        kg_vector_add (origin->place, kg_vector ((a - 0.5) * s->size.x, (b - 0.5) * s->size.y, (c - 0.5) * s->size.z));
    break;
  case PARTICLE_FROM_DISC:
    u = kg_vector_perpendicular (s->direction);
    v = kg_vector_cross (s->direction, u);
    r = 0.5 * s->size.x * sqrt (a);
    origin->place = kg_vector_add_scaled (kg_vector_add_scaled (origin->place, r * cos (angle), u), r * sin (angle), v);
    break;
  case PARTICLE_FROM_BALL:
    r = sqrt (fmax (0, 1 - (2 * a - 1) * (2 * a - 1)));
    origin->normal = kg_vector (r * cos (angle), r * sin (angle), 2 * a - 1);
    origin->place = kg_vector_add_scaled (origin->place, 0.5 * s->size.x * cbrt (c), origin->normal);
    break;
  case PARTICLE_FROM_LINE:
    origin->place = kg_vector_add_scaled (origin->place, a - 0.5, s->size);
    break;
  case PARTICLE_FROM_CIRCLE:
    u = kg_vector_perpendicular (s->direction);
    v = kg_vector_cross (s->direction, u);
    origin->normal = kg_vector_add_scaled (kg_vector_scale (u, cos (angle)), sin (angle), v);
    origin->place = kg_vector_add_scaled (origin->place, 0.5 * s->size.x, origin->normal);
    break;
  case PARTICLE_FROM_VOLUME:
    draw_from_volume (s, id, origin);
    break;
  default:
    break;
  }
}

void
particle_source_draw (const ParticleSource *s, uint64_t id, double part, KgVector *place, KgVector *velocity)
{
  const double speed = s->speed + s->speed_variance * particle_draw_signed (s, id, PARTICLE_DRAW_SPEED);
  /* Evenly within a cone about the direction: on a sphere, equal heights have equal areas. */
  const double z = 1 - (1 - cos (s->spread)) * kg_random_uniform (s->seed, id, PARTICLE_DRAW_DIRECTION);
  const double angle = 2 * KG_PI * kg_random_uniform (s->seed, id, PARTICLE_DRAW_DIRECTION + 1);
  const double side = sqrt (fmax (0, 1 - z * z));
  Origin origin = { kg_vector_lerp (s->before, s->now, part), s->direction, { 0, 0, 0 } };
  KgVector d, u;

  if (s->dt > 0)
    origin.velocity = kg_vector_scale (kg_vector_subtract (s->now, s->before), 1 / s->dt);
  draw_origin (s, id, part, &origin);
  d = s->along_normals ? origin.normal : s->direction;
  u = kg_vector_perpendicular (d);
  *place = origin.place;
  *velocity = kg_vector_scale (origin.velocity, s->inherit);
  *velocity = kg_vector_add_scaled (*velocity, speed * z, d);
  *velocity = kg_vector_add_scaled (*velocity, speed * side * cos (angle), u);
  *velocity = kg_vector_add_scaled (*velocity, speed * side * sin (angle), kg_vector_cross (d, u));
}

uint64_t
particle_draw_poisson (uint64_t seed, uint64_t step, double mean)
{
  const double stop = exp (-mean);
  double product = 1;
  uint64_t count = 0;

  if (!(mean > 0))
    return 0;
  if (mean > 500) {
    const double normal = kg_random_normal (seed, step, PARTICLE_DRAW_COUNT);

    return (uint64_t) kg_clamp (nearbyint (mean + sqrt (mean) * normal), 0, MOST_BIRTHS);
  }
  for (;; count++) {
    product *= 1 - kg_random_uniform (seed, step, PARTICLE_DRAW_COUNT + count);
    if (product <= stop)
      return count;
  }
}

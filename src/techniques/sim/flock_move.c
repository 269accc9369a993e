/* flock_move: the bodies of a flock: forces, the ground, obstacles, banks and wing beats.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_step.h"

#include "kg-floats.h"
#include "sim/flight_frame.h"

#include <string.h>

/* Seconds in which a bank and a turn of the head settle. */
#define BANK_TIME 0.3
#define GRAVITY 9.81

typedef struct {
  const float *p, *v;
  const float *orient, *push, *bank, *phase, *mass;
  float *to_p, *to_v, *to_orient, *to_push, *to_bank, *to_phase, *to_stroke, *to_speed;
  float *to_acceleration; /* NULL: not kept */
} Bodies;

/* a: by how much the velocity changed, for each second. */
static void
turn_body (const FlockStep *step, const Bodies *b, size_t i, KgVector heading, KgVector a, bool grounded,
           KgVector normal)
{
  const FlockSettings *s = step->s;
  const KgRotation q = kg_floats_get_rotation (b->orient, i);
  const KgVector left = kg_rotation_apply (kg_rotation_normalize (q), kg_vector (1, 0, 0)), up = { 0, 1, 0 };
  const KgVector push = kg_vector_lerp (kg_floats_get_vector (b->push, i), a, fmin (1, step->dt / BANK_TIME));
  const KgVector above = grounded ? kg_vector_normalize_or (kg_vector_lerp (up, normal, s->lean), up) : up;
  FlightFrame frame = flight_frame_level (heading, above, left);
  double bank = 0, effort;
  KgRotation turned;

  if (!grounded)
    bank =
        kg_clamp (s->bank_gain * flight_frame_get_bank (&frame, push, kg_vector (0, -GRAVITY, 0), (double) b->bank[i]),
                  -s->max_bank, s->max_bank);
  frame = flight_frame_bank (&frame, bank);
  turned = flight_frame_get_rotation (&frame);
  kg_floats_set_vector (b->to_push, i, push);
  if (b->to_acceleration != NULL)
    kg_floats_set_vector (b->to_acceleration, i, a);
  b->to_bank[i] = (float) bank;
  kg_floats_set_rotation (b->to_orient, i, turned);
  /* Up and faster costs wing beats; downwards the wings are held still. */
  effort = kg_clamp (1 + 2 * (kg_vector_dot (push, heading) / GRAVITY + heading.y), 0, 2);
  b->to_phase[i] = (float) fmod ((double) b->phase[i] + s->flap_rate * effort * step->dt, 1);
  b->to_stroke[i] = (float) (s->flap_angle * fmin (1, effort) * sin (2 * KG_PI * (double) b->to_phase[i]));
}

/* False: no ground. */
static bool
move_body (const FlockStep *step, const Bodies *b, size_t i, KgVector force)
{
  const FlockSettings *s = step->s;
  const KgVector x = kg_floats_get_vector (b->p, i), v = kg_floats_get_vector (b->v, i),
                 heading = kg_floats_get_vector (step->heading, i);
  KgVector a = kg_vector_add (kg_floats_get_vector (step->a, i), force), v1, x1, place, normal = { 0, 1, 0 }, along;
  FlockGovernors governors = s->governors;
  bool grounded = false;

  if (s->ground != NULL && (grounded = flock_ground_find (s->ground, x, &place, &normal))) {
    const double share = flock_ground_get_speed (heading, normal, s->max_slope);

    /* Uphill a member is slower than it would be, not only than it could be. */
    if (share < 1)
      governors.max_speed = share *
                            fmin (s->governors.max_speed,
                                  fmax (s->cruise_speed, kg_vector_length (kg_floats_get_vector (step->intent, i))));
    governors.min_speed = fmin (governors.min_speed, governors.max_speed);
    a = kg_vector_add_scaled (a, -kg_vector_dot (a, normal), normal);
  }
  v1 = flock_limit_velocity (&governors, v, kg_vector_add_scaled (v, step->dt, a), heading, step->dt);
  if (grounded)
    v1 = kg_vector_add_scaled (v1, -kg_vector_dot (v1, normal), normal);
  x1 = kg_vector_add_scaled (x, step->dt, v1);
  if (s->colliders != NULL)
    flock_obstacles_stop (s->colliders, step->cell[i], x, 0.5 * (double) step->width[i], &x1, &v1);
  if (s->ground != NULL && (grounded = flock_ground_find (s->ground, x1, &place, &normal))) {
    x1 = place;
    v1 = kg_vector_add_scaled (v1, -kg_vector_dot (v1, normal), normal);
  }
  kg_floats_set_vector (b->to_p, i, x1);
  kg_floats_set_vector (b->to_v, i, v1);
  b->to_speed[i] = (float) kg_vector_length (v1);
  along = kg_vector_length (v1) > 1e-9 ? kg_vector_normalize_or (v1, heading) : heading;
  turn_body (step, b, i, along, kg_vector_scale (kg_vector_subtract (v1, v), 1 / step->dt), grounded, normal);
  return grounded || s->ground == NULL;
}

/* Leaders that are moved from outside. */
static void
place_leader (const FlockStep *step, const Bodies *b, size_t i, KgVector offset)
{
  const KgVector x = kg_floats_get_vector (b->p, i), x1 = kg_vector_add (step->s->leader_place, offset),
                 heading = kg_floats_get_vector (step->heading, i);
  const KgVector v1 = kg_vector_scale (kg_vector_subtract (x1, x), 1 / step->dt);
  KgVector a = kg_vector_scale (kg_vector_subtract (v1, kg_floats_get_vector (b->v, i)), 1 / step->dt);

  kg_floats_set_vector (b->to_p, i, x1);
  kg_floats_set_vector (b->to_v, i, v1);
  b->to_speed[i] = (float) kg_vector_length (v1);
  turn_body (step, b, i, kg_vector_length (v1) > 1e-9 ? kg_vector_normalize_or (v1, heading) : heading, a, false,
             kg_vector (0, 1, 0));
}

static size_t
move_block (const FlockStep *step, const Bodies *b, size_t first, size_t n, const KgProgressMonitor *monitor)
{
  const FlockSettings *s = step->s;
  float x[3][KG_FIELD_BLOCK], v[3][KG_FIELD_BLOCK], force[3][KG_FIELD_BLOCK];
  size_t misses = 0;

  memset (force, 0, sizeof force);
  if (s->force != NULL) {
    const KgFieldBlock block = { .n = n,
                                 .x = x[0],
                                 .y = x[1],
                                 .z = x[2],
                                 .vx = v[0],
                                 .vy = v[1],
                                 .vz = v[2],
                                 .id = step->id + first,
                                 .time = step->time - step->dt };
    float *const out[] = { force[0], force[1], force[2] };

    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < n; i++) {
        x[c][i] = b->p[3 * (first + i) + c];
        v[c][i] = b->v[3 * (first + i) + c];
      }
    kg_field_sample (s->force, &block, out);
  }
  for (size_t i = 0; i < n; i++) {
    const double share = s->weigh ? 1 / (double) b->mass[first + i] : 1;

    if (kg_progress_is_cancelled (monitor))
      break;
    if (s->leader == FLOCK_LEADER_SCRIPTED && step->is_leader[first + i] != 0)
      continue;
    misses += !move_body (
        step, b, first + i,
        kg_vector (share * (double) force[0][i], share * (double) force[1][i], share * (double) force[2][i]));
  }
  return misses;
}

bool
flock_move_all (const FlockStep *step, const KgGeometry *from, KgGeometry *to, size_t *misses,
                const KgProgressMonitor *monitor)
{
  const size_t n_blocks = (step->n + KG_FIELD_BLOCK - 1) / KG_FIELD_BLOCK;
  const Bodies b = { .p = kg_geometry_get_positions (from),
                     .v = kg_geometry_get_float (from, KG_POINTS, "v", 3),
                     .orient = kg_geometry_get_float (from, KG_POINTS, "orient", 4),
                     .push = kg_geometry_get_float (from, KG_POINTS, "push", 3),
                     .bank = kg_geometry_get_float (from, KG_POINTS, "bank", 1),
                     .phase = kg_geometry_get_float (from, KG_POINTS, "phase", 1),
                     .mass = kg_geometry_get_float (from, KG_POINTS, "mass", 1),
                     .to_p = kg_geometry_edit_positions (to),
                     .to_v = kg_geometry_edit_float (to, KG_POINTS, "v", 3),
                     .to_orient = kg_geometry_edit_float (to, KG_POINTS, "orient", 4),
                     .to_push = kg_geometry_edit_float (to, KG_POINTS, "push", 3),
                     .to_bank = kg_geometry_edit_float (to, KG_POINTS, "bank", 1),
                     .to_phase = kg_geometry_edit_float (to, KG_POINTS, "phase", 1),
                     .to_stroke = kg_geometry_edit_float (to, KG_POINTS, "stroke", 1),
                     .to_speed = kg_geometry_edit_float (to, KG_POINTS, "speed", 1),
                     .to_acceleration = step->s->record ? kg_geometry_edit_float (to, KG_POINTS, "acceleration", 3)
                                                        : NULL };
  size_t missed = 0;
  bool led = false;
  KgVector first = { 0, 0, 0 };

#pragma omp parallel for schedule(dynamic, 1) reduction(+ : missed) if (n_blocks > 1)
  for (size_t k = 0; k < n_blocks; k++)
    if (!kg_progress_is_cancelled (monitor))
      missed += move_block (step, &b, k * KG_FIELD_BLOCK, MIN (KG_FIELD_BLOCK, step->n - k * KG_FIELD_BLOCK), monitor);
  /* Leaders keep their distances from the first of them. */
  for (size_t i = 0; step->s->leader == FLOCK_LEADER_SCRIPTED && i < step->n; i++)
    if (step->is_leader[i] != 0) {
      first = led ? first : kg_floats_get_vector (b.p, i);
      place_leader (step, &b, i, led ? kg_vector_subtract (kg_floats_get_vector (b.p, i), first) : kg_vector (0, 0, 0));
      led = true;
    }
  *misses = missed;
  return !kg_progress_is_cancelled (monitor);
}

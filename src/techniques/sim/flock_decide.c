/* flock_decide: what every member of a flock wishes, and what it makes of its wishes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_step.h"

#include "kg-floats.h"
#include "kg-random.h"
#include "sim/flight_frame.h"

/* Members ahead whose numbers are fetched from memory. */
#define AHEAD 4
/* m/s towards another group. */
#define REJOIN_SPEED 2.0
/* Times a second that wandering takes another direction. */
#define WANDER_RATE 0.5

/* From one to another member, in the plane that touches the ground where there is one. */
static inline KgVector
get_way (const FlockStep *step, uint32_t i, const FlockOther *other)
{
  const KgVector d = kg_vector_subtract (kg_floats_get_vector (other->p, 0), kg_floats_get_vector (step->own_p, i));

  return step->normal != NULL ? flock_lay_down (kg_floats_get_vector (step->normal, i), d) : d;
}

/* Where two members are at one place, so that the way d between them has no direction: from one to the other, and back. */
static inline KgVector
get_toward (const FlockStep *step, uint32_t from, uint32_t to, KgVector d)
{
  const uint32_t low = MIN (from, to), high = MAX (from, to);
  KgVector unit;

  if (kg_vector_length (d) > FLOCK_SAME_PLACE)
    return kg_vector (0, 0, 0);
  unit = kg_random_direction (step->s->seed ^ 0x666c6f636b, low, high);
  return from < to ? unit : kg_vector_scale (unit, -1);
}

static FlockWish
wish_from_acceleration (const FlockStep *step, KgVector v, KgVector a)
{
  return (FlockWish){ kg_vector_add_scaled (v, step->s->council.response, a),
                      fmin (1, kg_vector_length (a) / fmax (step->s->governors.max_acceleration, 1e-9)), 1 };
}

/* The acceleration by one other member, here or where both will be closest. */
static inline KgVector
push_from (const FlockStep *step, uint32_t i, const FlockOther *other)
{
  const FlockSettings *s = step->s;
  const KgVector d = get_way (step, i, other);
  KgVector w, then;
  double ww, t;

  if (!s->predict)
    return flock_separate_pair (d, get_toward (step, i, other->index, d), s->separation_distance, s->separation_power,
                                s->separation);
  w = kg_vector_subtract (kg_floats_get_vector (other->v, 0), kg_floats_get_vector (step->own_v, i));
  ww = kg_vector_dot (w, w);
  t = ww > 1e-12 ? kg_clamp (-kg_vector_dot (d, w) / ww, 0, s->avoiding.look_ahead) : 0;
  then = kg_vector_add_scaled (d, t, w);
  return kg_vector_scale (flock_separate_pair (then, get_toward (step, i, other->index, then), s->separation_distance,
                                               s->separation_power, s->separation),
                          s->avoiding.look_ahead > 0 ? 1 - t / s->avoiding.look_ahead : 1);
}

static FlockWish
wish_separate (const FlockStep *step, uint32_t i, const FlockSeen *seen, KgVector v)
{
  const FlockSettings *s = step->s;
  const FlockNears *others = s->predict || s->combined ? &seen->seen : &seen->close;
  KgVector a = { 0, 0, 0 };

  for (guint k = 0; k < others->n; k++) {
    const FlockOther *other = &step->others[others->items[k].place];

    if (s->combined) {
      const KgVector d = get_way (step, i, other);

      a = kg_vector_add (
          a, flock_space_pair (d, get_toward (step, i, other->index, d), s->separation_distance, s->separation));
    } else
      a = kg_vector_add (a, push_from (step, i, other));
  }
  return wish_from_acceleration (step, v, a);
}

/* Both means of what is seen: velocities and places. */
static void
wish_match_and_center (const FlockStep *step, uint32_t i, const FlockSeen *seen, KgVector v, FlockWish *wishes)
{
  const FlockSettings *s = step->s;
  const KgVector x = kg_floats_get_vector (step->own_p, i);
  KgVector velocity = kg_vector_scale (v, s->self_weight), place = { 0, 0, 0 }, change;
  double sum = s->self_weight;

  for (guint k = 0; k < seen->seen.n; k++) {
    const FlockNear item = seen->seen.items[k];
    const FlockOther *other = &step->others[item.place];
    const double w = flock_sight_weigh (&s->sight, sqrt ((double) item.distance2), (double) other->width);

    sum += w;
    velocity = kg_vector_add_scaled (velocity, w, kg_floats_get_vector (other->v, 0));
    place = kg_vector_add_scaled (place, w, get_way (step, i, other));
  }
  if (seen->seen.n > 0 && sum > 0) {
    change = kg_vector_subtract (kg_vector_scale (velocity, 1 / sum), v);
    wishes[FLOCK_MATCH] =
        (FlockWish){ kg_vector_add_scaled (v, s->council.response / s->matching_time, change),
                     fmin (1, kg_vector_length (change) / fmax (s->governors.max_speed, 1e-9) * s->matching), 1 };
  }
  if (s->combined)
    return;
  if (s->center_of_flock)
    change = kg_vector_subtract (step->centroid, x);
  else if (seen->seen.n > 0 && sum > 0)
    change = kg_vector_scale (place, 1 / sum);
  else
    return;
  wishes[FLOCK_CENTER] = (FlockWish){ kg_vector_add_scaled (v, 1 / s->centering_time, change),
                                      fmin (1, kg_vector_length (change) / s->sight.radius * s->centering), 1 };
}

static KgVector
get_path_wish (const FlockStep *step, KgVector x)
{
  const FlockSettings *s = step->s;
  const FlockPath *path = &step->path;
  const float p[] = { (float) x.x, (float) x.y, (float) x.z };
  const int64_t nearest = MAX (point_tree_find_closest (path->tree, p), 0);
  const int64_t ahead = (int64_t) ceil (s->avoiding.look_ahead * s->cruise_speed / fmax (path->step, 1e-12));
  const int64_t last = (int64_t) path->n - 1;
  const int64_t target = path->closed ? (nearest + MIN (ahead, last)) % last : MIN (nearest + ahead, last);

  if (kg_vector_distance (x, path->place[nearest]) <= s->path_radius)
    return kg_vector_scale (path->tangent[nearest], s->cruise_speed);
  return kg_vector_scale (kg_vector_normalize_or (kg_vector_subtract (path->place[target], x), path->tangent[nearest]),
                          s->cruise_speed);
}

/* Without any aim, on along the heading. */
static FlockWish
wish_migrate (const FlockStep *step, uint32_t i, const FlockSeen *seen, KgVector heading)
{
  const FlockSettings *s = step->s;
  const KgVector x = kg_floats_get_vector (step->own_p, i), to_goal = kg_vector_subtract (s->goal, x);
  FlockWish wish = { kg_vector_scale (heading, s->cruise_speed), s->migration_strength, 1 };

  if ((double) step->turn[i] <= step->time)
    return (FlockWish){ s->turn_to, 1, 1 };
  if (s->alone && seen->seen.n > 0)
    return wish;
  if (s->aim == FLOCK_AIM_GOAL)
    /* Slower over the last second of the way. */
    wish.velocity = kg_vector_scale (to_goal, fmin (1, s->cruise_speed / fmax (kg_vector_length (to_goal), 1e-9)));
  else if (s->aim == FLOCK_AIM_PATH)
    wish.velocity = get_path_wish (step, x);
  else if (kg_vector_length (s->migration) > 0)
    wish.velocity = s->migration;
  return wish;
}

static FlockWish
wish_follow (const FlockStep *step, uint32_t i, const FlockSeen *seen, KgVector v, KgVector heading)
{
  const FlockSettings *s = step->s;
  const KgVector x = kg_floats_get_vector (step->own_p, i);
  KgVector place = step->lead_place, velocity = step->lead_velocity;
  bool found = step->has_lead;

  for (guint k = 0; s->leader == FLOCK_LEADER_FRONT && k < seen->seen.n && !found; k++) {
    const FlockOther *other = &step->others[seen->seen.items[k].place];

    place = kg_floats_get_vector (other->p, 0);
    velocity = kg_floats_get_vector (other->v, 0);
    found = kg_vector_dot (kg_vector_subtract (place, x), heading) > 0;
  }
  if (!found)
    return (FlockWish){ v, 0, 1 };
  place = kg_vector_add_scaled (place, -s->follow_distance, kg_vector_normalize_or (velocity, heading));
  return (FlockWish){ kg_vector_add (velocity, kg_vector_subtract (place, x)), s->follow_strength, 1 };
}

/* The place beside those in front. */
static FlockWish
wish_slot (const FlockStep *step, uint32_t i)
{
  const FlockSettings *s = step->s;
  const FormationSlot slot = formation_get_slot (s->formation, MIN ((size_t) step->slot[i], step->n - 1), step->n,
                                                 s->formation_angle, s->spacing);
  const KgVector forward = kg_vector_normalize_or (step->lead_velocity, kg_vector (0, 0, 1));
  const FlightFrame frame = flight_frame_level (forward, kg_vector (0, 1, 0), kg_vector (1, 0, 0));
  KgVector place = kg_vector_lerp (kg_floats_get_vector (step->seen.p, step->slot_owner[slot.front[0]]),
                                   kg_floats_get_vector (step->seen.p, step->slot_owner[slot.front[1]]), 0.5);

  place = kg_vector_add_scaled (kg_vector_add_scaled (place, -slot.behind, frame.forward), slot.left, frame.left);
  place = kg_vector_subtract (place, kg_floats_get_vector (step->own_p, i));
  return (FlockWish){ kg_vector_add_scaled (step->lead_velocity, 1 / s->slot_time, place), s->slot_strength, 1 };
}

static FlockWish
wish_rejoin (const FlockStep *step, uint32_t i, KgVector v)
{
  const uint32_t other = step->other != NULL ? step->other[i] : G_MAXUINT32;
  KgVector d;

  if (other == G_MAXUINT32)
    return (FlockWish){ v, 0, 1 };
  d = kg_vector_subtract (kg_floats_get_vector (step->seen.p, other), kg_floats_get_vector (step->own_p, i));
  return (FlockWish){ kg_vector_add_scaled (v, REJOIN_SPEED, kg_vector_normalize_or (d, kg_vector (0, 0, 0))),
                      step->s->rejoin, 1 };
}

/* Smooth, and different for each. */
static KgVector
get_wander (const FlockStep *step, uint32_t i)
{
  const double t = WANDER_RATE * step->time, y = 0.37 + 7.31 * (double) (step->id[i] % 100003);
  const uint64_t seed = step->s->seed;

  return kg_vector_scale (
      kg_vector (kg_noise (seed, t, y, 0.5), kg_noise (seed, t, y, 31.5), kg_noise (seed, t, y, 67.5)),
      step->s->wander);
}

static void
decide (const FlockStep *step, uint32_t i, FlockSeen *seen, double sums[2 * FLOCK_N_URGES])
{
  const FlockSettings *s = step->s;
  const KgVector v = kg_floats_get_vector (step->own_v, i), heading = kg_floats_get_vector (step->heading, i);
  FlockWish wishes[FLOCK_N_URGES];
  double given[FLOCK_N_URGES];
  KgVector wanted, a;

  for (int k = 0; k < FLOCK_N_URGES; k++)
    wishes[k] = (FlockWish){ v, 0, 1 };
  flock_look_at (step->look, i, seen);
  if (s->obstacles != NULL) {
    const FlockFlyer flyer = {
      (uint32_t) step->id[i], kg_floats_get_vector (step->own_p, i), v, heading, 0.5 * (double) step->width[i],
      step->room[i]
    };

    flock_obstacles_avoid (s->obstacles, &s->avoiding, &flyer, &wishes[FLOCK_AVOID]);
  }
  wishes[FLOCK_SEPARATE] = wish_separate (step, i, seen, v);
  wish_match_and_center (step, i, seen, v, wishes);
  wishes[FLOCK_REJOIN] = wish_rejoin (step, i, v);
  wishes[FLOCK_MIGRATE] = wish_migrate (step, i, seen, heading);
  if (s->leader != FLOCK_LEADER_NONE && step->is_leader[i] == 0)
    wishes[FLOCK_FOLLOW] = wish_follow (step, i, seen, v, heading);
  if (step->slot_owner != NULL && step->slot[i] > 0)
    wishes[FLOCK_SLOT] = wish_slot (step, i);
  wanted = flock_negotiate (&s->council, wishes, v, given);
  wanted = kg_vector_lerp (wanted, kg_floats_get_vector (step->intent_before, i), s->damping);
  kg_floats_set_vector (step->intent, i, wanted);
  a = kg_vector_scale (kg_vector_subtract (wanted, v), 1 / fmax (s->council.response, step->dt));
  a = flock_limit_acceleration (&s->governors, a, heading);
  if (s->wander > 0)
    a = kg_vector_add (a, get_wander (step, i));
  kg_floats_set_vector (step->a, i, a);
  for (int k = 0; k < FLOCK_N_URGES; k++) {
    sums[k] += wishes[k].strength;
    sums[FLOCK_N_URGES + k] += given[k];
    if (step->records[k] != NULL) {
      kg_floats_set_vector (step->records[k], i, kg_vector_subtract (wishes[k].velocity, v));
      step->records[FLOCK_N_URGES + k][i] = (float) given[k];
    }
  }
}

/* Members are decided for in the order of their places, and lie in memory in that of their indices: what one of the next needs
 * is asked for now. */
static inline void
fetch (const FlockStep *step, uint32_t i)
{
  __builtin_prefetch (step->own_p + 3 * (size_t) i);
  __builtin_prefetch (step->own_v + 3 * (size_t) i);
  __builtin_prefetch (step->heading + 3 * (size_t) i);
  __builtin_prefetch (step->intent_before + 3 * (size_t) i);
  __builtin_prefetch (step->turn + i);
  __builtin_prefetch (step->id + i);
  __builtin_prefetch (step->intent + 3 * (size_t) i, 1);
  __builtin_prefetch (step->a + 3 * (size_t) i, 1);
}

bool
flock_decide_all (const FlockStep *step, const KgProgressMonitor *monitor)
{
  const size_t n_blocks = (step->n + FLOCK_BLOCK - 1) / FLOCK_BLOCK;
  const uint32_t *order = flock_look_get_order (step->look);

#pragma omp parallel if (n_blocks > 1)
  {
    FlockSeen seen = { .room = 0 };

#pragma omp for schedule(dynamic, 1)
    for (size_t b = 0; b < n_blocks; b++)
      for (size_t i = b * FLOCK_BLOCK; i < MIN (step->n, (b + 1) * FLOCK_BLOCK); i++) {
        if (kg_progress_is_cancelled (monitor))
          break;
        if (i + AHEAD < step->n)
          fetch (step, order[i + AHEAD]);
        if (flock_is_prepared_for (step, order[i]))
          decide (step, order[i], &seen, step->sums[b]);
      }
    flock_seen_clear (&seen);
  }
  return !kg_progress_is_cancelled (monitor);
}

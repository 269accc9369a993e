/* flock: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock.h"

#include "geometry/flock_measure.h"
#include "kg-floats.h"
#include "kg-kernel.h"
#include "kg-random.h"
#include "sim/flight_frame.h"

#include <string.h>

/* Members that a thread takes at a time. */
#define BLOCK 128
/* Members ahead whose numbers are fetched from memory. */
#define AHEAD 4
/* Places along a path. */
#define PATH_STEPS 1024
/* m/s towards another group. */
#define REJOIN_SPEED 2.0
/* Seconds in which the lead passes on, and in which a bank and a turn of the head settle. */
#define LEAD_BLEND 1.0
#define BANK_TIME 0.3
/* Times a second that wandering takes another direction. */
#define WANDER_RATE 0.5
#define GRAVITY 9.81
/* Steps of the past that are kept at most, and after how many a member looks again, however seldom it is to look. */
#define MOST_PAST 1000
#define MOST_AGE 240
/* Nearest members among which one of another group is sought first. */
#define FEW 16

/* A path as places that are equally far apart along it. */
typedef struct {
  size_t n;
  KgVector *place, *tangent;
  float *p;
  PointTree *tree;
  double step; /* metres */
  bool closed;
} Path;

/* What is seen of one member, in one place of memory. */
typedef struct {
  float p[3], v[3];
  float width;
  uint32_t index;
} Other;

/* One step. */
typedef struct {
  const FlockSettings *s;
  double time, dt; /* at its end */
  size_t n;
  FlockMoment seen;           /* what is perceived of others: now, or the reaction time ago */
  const float *seen_v;        /* of others */
  const float *own_p, *own_v; /* what each knows of itself: now */
  const int32_t *age;         /* (nullable) of what each saw last, in steps */
  const float *look_phase;    /* (nullable) of the time from one look to the next, what has passed */
  int32_t now_age;            /* the age of what those saw for whom the step is prepared */
  float *heading;
  float *normal;          /* of the ground below each, 0 where there is none; NULL: without a ground */
  float *past_p, *past_v; /* owned: NULL where all is seen at once */
  uint32_t *room, *cell;  /* that each is inside of, among obstacles and colliders; NULL: without those */
  const int32_t *id, *group, *is_leader, *slot;
  const float *turn, *width;
  FlockLook *look;
  Other *others; /* in the order of the look */
  Path path;
  KgVector centroid;
  KgVector lead_place, lead_velocity; /* what is followed */
  bool has_lead;
  uint32_t *slot_owner; /* the member in each slot; NULL: no formation */
  int32_t *own_group;   /* (nullable) groups that had to be found again */
  uint32_t *other;      /* the nearest member of another group, or G_MAXUINT32; NULL: one group only */
  float *intent, *a;    /* out: 3 floats a member */
  const float *intent_before;
  float *records[2 * FLOCK_N_URGES]; /* NULL: not kept: wishes (3 floats), given (1) */
  double (*sums)[2 * FLOCK_N_URGES]; /* of each block */
} Step;

/* From one to another member, in the plane that touches the ground where there is one. */
static inline KgVector
get_way (const Step *step, uint32_t i, const Other *other)
{
  const KgVector d = kg_vector_subtract (kg_floats_get_vector (other->p, 0), kg_floats_get_vector (step->own_p, i));

  return step->normal != NULL ? flock_lay_down (kg_floats_get_vector (step->normal, i), d) : d;
}

/* Where two members are at one place, so that the way d between them has no direction: from one to the other, and back. */
static inline KgVector
get_toward (const Step *step, uint32_t from, uint32_t to, KgVector d)
{
  const uint32_t low = MIN (from, to), high = MAX (from, to);
  KgVector unit;

  if (kg_vector_length (d) > FLOCK_SAME_PLACE)
    return kg_vector (0, 0, 0);
  unit = kg_random_direction (step->s->seed ^ 0x666c6f636b, low, high);
  return from < to ? unit : kg_vector_scale (unit, -1);
}

static FlockWish
wish_from_acceleration (const Step *step, KgVector v, KgVector a)
{
  return (FlockWish){ kg_vector_add_scaled (v, step->s->council.response, a),
                      fmin (1, kg_vector_length (a) / fmax (step->s->governors.max_acceleration, 1e-9)), 1 };
}

/* The acceleration by one other member, here or where both will be closest. */
static inline KgVector
push_from (const Step *step, uint32_t i, const Other *other)
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
wish_separate (const Step *step, uint32_t i, const FlockSeen *seen, KgVector v)
{
  const FlockSettings *s = step->s;
  const FlockNears *others = s->predict || s->combined ? &seen->seen : &seen->close;
  KgVector a = { 0, 0, 0 };

  for (guint k = 0; k < others->n; k++) {
    const Other *other = &step->others[others->items[k].place];

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
wish_match_and_center (const Step *step, uint32_t i, const FlockSeen *seen, KgVector v, FlockWish *wishes)
{
  const FlockSettings *s = step->s;
  const KgVector x = kg_floats_get_vector (step->own_p, i);
  KgVector velocity = kg_vector_scale (v, s->self_weight), place = { 0, 0, 0 }, change;
  double sum = s->self_weight;

  for (guint k = 0; k < seen->seen.n; k++) {
    const FlockNear item = seen->seen.items[k];
    const Other *other = &step->others[item.place];
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
get_path_wish (const Step *step, KgVector x)
{
  const FlockSettings *s = step->s;
  const Path *path = &step->path;
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
wish_migrate (const Step *step, uint32_t i, const FlockSeen *seen, KgVector heading)
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
wish_follow (const Step *step, uint32_t i, const FlockSeen *seen, KgVector v, KgVector heading)
{
  const FlockSettings *s = step->s;
  const KgVector x = kg_floats_get_vector (step->own_p, i);
  KgVector place = step->lead_place, velocity = step->lead_velocity;
  bool found = step->has_lead;

  for (guint k = 0; s->leader == FLOCK_LEADER_FRONT && k < seen->seen.n && !found; k++) {
    const Other *other = &step->others[seen->seen.items[k].place];

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
wish_slot (const Step *step, uint32_t i)
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
wish_rejoin (const Step *step, uint32_t i, KgVector v)
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
get_wander (const Step *step, uint32_t i)
{
  const double t = WANDER_RATE * step->time, y = 0.37 + 7.31 * (double) (step->id[i] % 100003);
  const uint64_t seed = step->s->seed;

  return kg_vector_scale (
      kg_vector (kg_noise (seed, t, y, 0.5), kg_noise (seed, t, y, 31.5), kg_noise (seed, t, y, 67.5)),
      step->s->wander);
}

static void
decide (const Step *step, uint32_t i, FlockSeen *seen, double sums[2 * FLOCK_N_URGES])
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
fetch (const Step *step, uint32_t i)
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

/* Whether a member is one of those for whom the step is prepared. */
static inline bool
is_prepared_for (const Step *step, uint32_t i)
{
  return step->age == NULL || step->age[i] == step->now_age;
}

static bool
decide_all (const Step *step, const KgProgressMonitor *monitor)
{
  const size_t n_blocks = (step->n + BLOCK - 1) / BLOCK;
  const uint32_t *order = flock_look_get_order (step->look);

#pragma omp parallel if (n_blocks > 1)
  {
    FlockSeen seen = { .room = 0 };

#pragma omp for schedule(dynamic, 1)
    for (size_t b = 0; b < n_blocks; b++)
      for (size_t i = b * BLOCK; i < MIN (step->n, (b + 1) * BLOCK); i++) {
        if (kg_progress_is_cancelled (monitor))
          break;
        if (i + AHEAD < step->n)
          fetch (step, order[i + AHEAD]);
        if (is_prepared_for (step, order[i]))
          decide (step, order[i], &seen, step->sums[b]);
      }
    flock_seen_clear (&seen);
  }
  return !kg_progress_is_cancelled (monitor);
}

/* Moving. */

typedef struct {
  const float *p, *v;
  const float *orient, *push, *bank, *phase, *mass;
  float *to_p, *to_v, *to_orient, *to_push, *to_bank, *to_phase, *to_stroke, *to_speed;
  float *to_acceleration; /* NULL: not kept */
} Bodies;

/* a: by how much the velocity changed, for each second. */
static void
turn_body (const Step *step, const Bodies *b, size_t i, KgVector heading, KgVector a, bool grounded, KgVector normal)
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
move_body (const Step *step, const Bodies *b, size_t i, KgVector force)
{
  const FlockSettings *s = step->s;
  const KgVector x = kg_floats_get_vector (b->p, i), v = kg_floats_get_vector (b->v, i),
                 heading = kg_floats_get_vector (step->heading, i);
  KgVector a = kg_vector_add (kg_floats_get_vector (step->a, i), force), v1, x1, place, normal = { 0, 1, 0 }, along;
  FlockGovernors governors = s->governors;
  bool grounded = false;

  if (s->ground != NULL && (grounded = flock_ground_find (s->ground, x, &place, &normal))) {
    const double share = flock_ground_get_speed (heading, normal, s->max_slope);

    governors.max_speed *= share;
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
place_leader (const Step *step, const Bodies *b, size_t i, KgVector offset)
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
move_block (const Step *step, const Bodies *b, size_t first, size_t n, const KgProgressMonitor *monitor)
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

/* Preparing. */

/* Unit headings: of the velocities, or else of what the bodies were turned to. */
static void
find_headings (Step *step, const float *orient)
{
#pragma omp parallel for schedule(static, 1024) if (step->n > 8192)
  for (size_t i = 0; i < step->n; i++) {
    const KgVector v = kg_floats_get_vector (step->own_v, i);
    const double speed = kg_vector_length (v);
    const KgRotation q = kg_floats_get_rotation (orient, i);

    kg_floats_set_vector (step->heading, i,
                          speed > 1e-9 ? kg_vector_scale (v, 1 / speed)
                                       : kg_rotation_apply (kg_rotation_normalize (q), kg_vector (0, 0, 1)));
  }
  step->seen.heading = step->heading;
}

static bool
sees (gconstpointer data, uint32_t from, uint32_t to)
{
  const Step *step = data;

  return !flock_obstacles_hide (step->s->obstacles, step->room[from], kg_floats_get_vector (step->own_p, from),
                                kg_floats_get_vector (step->seen.p, to));
}

static bool
path_init (Path *path, const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (KgGeometry) none = kg_geometry_new ();
  Curve *curve = curve_new (geometry != NULL ? geometry : none, 0, error);
  double length;

  if (curve == NULL) {
    kg_prefix_error (error, "the path: ");
    return false;
  }
  if (!curve_prepare_lengths (curve, monitor)) {
    curve_free (curve);
    return false;
  }
  length = curve_get_length (curve);
  path->n = PATH_STEPS + 1;
  path->place = g_new (KgVector, path->n);
  path->tangent = g_new (KgVector, path->n);
  path->p = g_new (float, 3 * path->n);
  path->step = length / PATH_STEPS;
  path->closed = curve_is_closed (curve);
  for (size_t i = 0; i < path->n; i++) {
    const double u = curve_get_parameter (curve, path->step * (double) i);

    path->place[i] = curve_evaluate (curve, u, 0);
    path->tangent[i] = curve_get_tangent (curve, u);
    kg_floats_set_vector (path->p, i, path->place[i]);
  }
  curve_free (curve);
  path->tree = point_tree_new (path->p, path->n, monitor);
  return path->tree != NULL;
}

static void
path_clear (Path *path)
{
  g_free (path->place);
  g_free (path->tangent);
  g_free (path->p);
  g_clear_pointer (&path->tree, point_tree_free);
}

/* Takes the nearest of some members, in a tree with their indices, if it is nearer than the best. */
static void
take_nearest (const Step *step, const PointTree *tree, const uint32_t *members, uint32_t i, PointNear *best)
{
  const float sight = (float) step->s->rejoin_sight;
  /* A hair more, for one that is as near and comes first. */
  const float radius = isfinite (best->distance2) ? fminf (sight, 1.0001f * sqrtf (best->distance2)) : sight;
  PointNear found;

  if (point_tree_find_nearest (tree, step->own_p + 3 * (size_t) i, 1, radius, &found) == 0)
    return;
  found.index = members[found.index];
  if (found.distance2 < best->distance2 || (found.distance2 == best->distance2 && found.index < best->index))
    *best = found;
}

static PointTree *
plant (const Step *step, const uint32_t *members, size_t n, const KgProgressMonitor *monitor)
{
  g_autofree float *p = g_new (float, 3 * n);

  for (size_t k = 0; k < n; k++)
    memcpy (p + 3 * k, step->seen.p + 3 * (size_t) members[k], 3 * sizeof *p);
  return point_tree_new (p, n, monitor);
}

/* Those who seek among one half of the groups take the nearest of the other half. */
static bool
seek_in (const Step *step, const uint32_t *seekers, size_t n_seekers, const uint32_t *members, size_t n,
         PointNear *best, const KgProgressMonitor *monitor)
{
  g_autoptr (PointTree) tree = n_seekers > 0 ? plant (step, members, n, monitor) : NULL;

  if (n_seekers > 0 && tree == NULL)
    return false;
#pragma omp parallel for schedule(dynamic, 64) if (n_seekers > 256)
  for (size_t k = 0; k < n_seekers; k++)
    if (!kg_progress_is_cancelled (monitor))
      take_nearest (step, tree, members, seekers[k], &best[seekers[k]]);
  return !kg_progress_is_cancelled (monitor);
}

/* The nearest strangers of members of the groups from low to below high among each other: halves of the groups, each of which
 * seeks in the other one, and then within.  first: how many members are in the groups before each.  seeks: of each member.
 * Groups are halved by their members, so that a member is in as few searches as its group is large. */
static bool
seek_among (const Step *step, const size_t *first, int32_t low, int32_t high, const uint32_t *members,
            const uint8_t *seeks, PointNear *best, const KgProgressMonitor *monitor)
{
  const size_t n = first[high] - first[low], half = first[low] + n / 2;
  g_autofree uint32_t *parts = NULL, *seekers = NULL;
  size_t counts[2] = { 0, 0 }, n_seekers[2] = { 0, 0 }, split;
  int32_t middle = low + 1;

  if (high - low < 2)
    return true;
  while (middle < high - 1 && first[middle] < half)
    middle++;
  if (middle - 1 > low && first[middle] > half && half - first[middle - 1] < first[middle] - half)
    middle--;
  split = first[middle] - first[low];
  parts = g_new (uint32_t, n);
  seekers = g_new (uint32_t, n);
  for (size_t k = 0; k < n; k++) {
    const int side = step->group[members[k]] >= middle;
    const size_t from = side != 0 ? split : 0;

    parts[from + counts[side]++] = members[k];
    if (seeks[members[k]] != 0)
      seekers[from + n_seekers[side]++] = members[k];
  }
  if (n_seekers[0] + n_seekers[1] == 0)
    return true;
  return seek_in (step, seekers, n_seekers[0], parts + split, counts[1], best, monitor) &&
         seek_in (step, seekers + split, n_seekers[1], parts, counts[0], best, monitor) &&
         seek_among (step, first, low, middle, parts, seeks, best, monitor) &&
         seek_among (step, first, middle, high, parts + split, seeks, best, monitor);
}

/* Groups that a state from a file has need not be those of its members. */
static bool
check_groups (Step *step, const KgProgressMonitor *monitor)
{
  bool good = true;

  for (size_t i = 0; i < step->n; i++)
    good &= step->group[i] >= 0 && (size_t) step->group[i] < step->n;
  if (good)
    return true;
  step->own_group = g_new (int32_t, step->n);
  step->group = step->own_group;
  return point_groups_find (step->own_p, step->n, (float) step->s->sight.radius, step->own_group, monitor) >= 0;
}

/* The nearest member of another group, of each.  Most of those in small groups have it among the few that are nearest; the
 * others seek in trees of other groups only. */
static bool
find_strangers (Step *step, const KgProgressMonitor *monitor)
{
  const float sight = (float) step->s->rejoin_sight;
  g_autofree size_t *first = NULL;
  g_autofree uint32_t *members = NULL;
  g_autofree uint8_t *seeks = NULL;
  g_autofree PointNear *best = NULL;
  g_autoptr (PointTree) tree = NULL;
  int32_t n_groups = 0;

  for (size_t i = 0; i < step->n; i++)
    n_groups = MAX (n_groups, step->group[i] + 1);
  if (n_groups < 2 || !(step->s->rejoin > 0) || !(step->s->rejoin_sight > 0))
    return true;
  first = g_new0 (size_t, (size_t) n_groups + 1);
  members = g_new (uint32_t, step->n);
  seeks = g_new (uint8_t, step->n);
  best = g_new (PointNear, step->n);
  for (uint32_t i = 0; i < step->n; i++) {
    first[step->group[i] + 1]++;
    members[i] = i;
  }
  for (int32_t g = 0; g < n_groups; g++)
    first[g + 1] += first[g];
  tree = plant (step, members, step->n, monitor);
  if (tree == NULL)
    return false;
#pragma omp parallel for schedule(dynamic, 64) if (step->n > 256)
  for (uint32_t i = 0; i < step->n; i++) {
    PointNear found[FEW];
    size_t n;

    best[i] = (PointNear){ INFINITY, G_MAXUINT32 };
    seeks[i] = 0;
    if (kg_progress_is_cancelled (monitor) || !is_prepared_for (step, i))
      continue;
    n = point_tree_find_nearest (tree, step->own_p + 3 * (size_t) i, FEW, sight, found);
    for (size_t k = 0; k < n && best[i].index == G_MAXUINT32; k++)
      if (step->group[found[k].index] != step->group[i])
        best[i] = found[k];
    seeks[i] = best[i].index == G_MAXUINT32 && n == FEW;
  }
  if (kg_progress_is_cancelled (monitor) || !seek_among (step, first, 0, n_groups, members, seeks, best, monitor))
    return false;
  if (step->other == NULL)
    step->other = g_new (uint32_t, step->n);
  for (size_t i = 0; i < step->n; i++)
    step->other[i] = best[i].index;
  return true;
}

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
  const double steps = s->perception_rate > 0 ? fmin (ceil (1 / (s->perception_rate * dt)), MOST_AGE) : 0;

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
static void
look_back (Step *step, const KgGeometry *state, int32_t age)
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
static void
drop_past (KgGeometry *state, size_t first)
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

static void
keep_past (KgGeometry *to, const KgGeometry *from, const FlockSettings *s, double dt)
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
    drop_past (to, count + 1);
}

/* Members look so many times a second, each at times of its own.  The first step is a look of all: there is nothing older. */
static void
find_ages (Step *step, KgGeometry *to)
{
  const double rate = step->s->perception_rate;
  const bool first = kg_geometry_get_int (to, KG_POINTS, "look_age", 1) == NULL ||
                     kg_geometry_get_float (to, KG_POINTS, "look_phase", 1) == NULL;
  float *phase;
  int32_t *age;

  if (!(rate > 0)) {
    /* It may have been above 0 before. */
    if (!first)
      drop_past (to, count_past (step->s, step->dt) + 1);
    kg_geometry_remove_attribute (to, KG_POINTS, "look_phase");
    kg_geometry_remove_attribute (to, KG_POINTS, "look_age");
    return;
  }
  phase = kg_geometry_edit_float (to, KG_POINTS, "look_phase", 1);
  age = kg_geometry_edit_int (to, KG_POINTS, "look_age", 1);
  for (size_t i = 0; i < step->n; i++) {
    const double now = first ? kg_random_uniform (step->s->seed, (uint64_t) step->id[i], 0x6c6f6f6b)
                             : (double) phase[i] + rate * step->dt;
    const bool looks = first || !(now < 1 - 1e-5) || age[i] < 0 || age[i] >= MOST_AGE;

    age[i] = looks ? 0 : age[i] + 1;
    phase[i] = isfinite (now) ? (float) (now - floor (now + 1e-5)) : 0;
  }
  step->age = age;
  step->look_phase = phase;
}

/* Whether a member would lead sooner than another one: it has more energy, or as much and is in front of it. */
static bool
leads_before (const float *energy, const float *p, KgVector heading, size_t i, size_t other)
{
  if (other == G_MAXSIZE || fabsf (energy[i] - energy[other]) > 1e-6f)
    return other == G_MAXSIZE || energy[i] > energy[other];
  return kg_vector_dot (kg_floats_get_vector (p, i), heading) >
         kg_vector_dot (kg_floats_get_vector (p, other), heading);
}

/* Who leads, in the new state: the one that is tired hands over to the one in front of the two with the most energy. */
static void
change_leader (Step *step, KgGeometry *to, const float *p)
{
  const FlockSettings *s = step->s;
  int32_t *lead = kg_geometry_edit_int (to, KG_WHOLE, "lead", 4), *is_leader;
  float *since = kg_geometry_edit_float (to, KG_WHOLE, "lead_time", 1), *energy;
  const size_t leader = (size_t) CLAMP (lead[0], 0, (int32_t) step->n - 1);
  const KgVector heading = kg_floats_get_vector (step->heading, leader);
  size_t best[2] = { G_MAXSIZE, G_MAXSIZE };

  if (s->leader != FLOCK_LEADER_CHANGING)
    return;
  energy = kg_geometry_edit_float (to, KG_POINTS, "energy", 1);
  since[0] += (float) step->dt;
  for (size_t i = 0; i < step->n; i++) {
    const double rate = i == leader ? -s->lead_cost : s->rest_gain;

    energy[i] = (float) kg_clamp ((double) energy[i] + rate * step->dt, 0, 1);
  }
  for (size_t i = 0; i < step->n; i++) {
    if (i == leader)
      continue;
    if (leads_before (energy, p, heading, i, best[0])) {
      best[1] = best[0];
      best[0] = i;
    } else if (leads_before (energy, p, heading, i, best[1]))
      best[1] = i;
  }
  if (best[0] == G_MAXSIZE || !((double) energy[leader] < s->tired + 1e-6))
    return;
  if (best[1] != G_MAXSIZE && kg_vector_dot (kg_floats_get_vector (p, best[1]), heading) >
                                  kg_vector_dot (kg_floats_get_vector (p, best[0]), heading))
    best[0] = best[1];
  is_leader = kg_geometry_edit_int (to, KG_POINTS, "leader", 1);
  is_leader[leader] = 0;
  is_leader[best[0]] = 1;
  lead[1] = lead[0];
  lead[0] = (int32_t) best[0];
  since[0] = 0;
}

/* What is followed: the leader, and over a second still the one before. */
static void
find_lead (Step *step, const KgGeometry *state)
{
  const int32_t *lead = kg_geometry_get_int (state, KG_WHOLE, "lead", 4);
  const double since = (double) kg_geometry_get_float (state, KG_WHOLE, "lead_time", 1)[0];
  const double share = kg_clamp (since / LEAD_BLEND, 0, 1);
  const size_t now = (size_t) CLAMP (lead[0], 0, (int32_t) step->n - 1),
               before = (size_t) CLAMP (lead[1], 0, (int32_t) step->n - 1);

  step->lead_place =
      kg_vector_lerp (kg_floats_get_vector (step->seen.p, before), kg_floats_get_vector (step->seen.p, now), share);
  step->lead_velocity =
      kg_vector_lerp (kg_floats_get_vector (step->seen_v, before), kg_floats_get_vector (step->seen_v, now), share);
  step->has_lead = step->s->leader == FLOCK_LEADER_SCRIPTED || step->s->leader == FLOCK_LEADER_CHANGING;
}

/* Gives out the slots anew when the formation or the leader changed. */
static bool
arrange (Step *step, KgGeometry *to, const KgProgressMonitor *monitor)
{
  const FlockSettings *s = step->s;
  int32_t *lead = kg_geometry_edit_int (to, KG_WHOLE, "lead", 4), *slot;
  const size_t leader = (size_t) CLAMP (lead[0], 0, (int32_t) step->n - 1);
  const int32_t wanted = (int32_t) s->formation | (int32_t) leader << 3;
  g_autofree KgVector *places = NULL;

  if (s->formation == FORMATION_NONE)
    return true;
  slot = kg_geometry_edit_int (to, KG_POINTS, "slot", 1);
  if (lead[2] != wanted) {
    const KgVector forward = kg_vector_normalize_or (step->lead_velocity, kg_vector (0, 0, 1));
    const FlightFrame frame = flight_frame_level (forward, kg_vector (0, 1, 0), kg_vector (1, 0, 0));

    places = g_new (KgVector, step->n);
    formation_get_places (s->formation, step->n, s->formation_angle, s->spacing,
                          kg_floats_get_vector (step->seen.p, leader), frame.forward, frame.left, places);
    if (!formation_assign (step->seen.p, step->n, leader, frame.forward, places, slot, monitor))
      return false;
    lead[2] = wanted;
  }
  step->slot = slot;
  step->slot_owner = g_new0 (uint32_t, step->n);
  for (uint32_t i = 0; i < step->n; i++)
    step->slot_owner[CLAMP (slot[i], 0, (int32_t) step->n - 1)] = i;
  return true;
}

/* The wave of a manoeuvre begins. */
static bool
begin_turn (Step *step, KgGeometry *to, const KgProgressMonitor *monitor)
{
  const FlockSettings *s = step->s;
  const FormationLooks looks = { step->look_phase, s->perception_rate, step->time - step->dt };
  float *turn;

  if (!(s->turn_at >= 0) || !(s->turn_at >= step->time - step->dt - 1e-9 && s->turn_at < step->time - 1e-9))
    return true;
  turn = kg_geometry_edit_float (to, KG_POINTS, "turn", 1);
  step->turn = turn;
  return formation_spread_turn (step->seen.p, step->n, (size_t) CLAMP (s->turn_by, 0, (int64_t) step->n - 1),
                                s->turn_at, s->reaction_time, step->look_phase != NULL ? &looks : NULL,
                                (size_t) MAX (s->anticipation, 1), s->sight.radius, turn, monitor);
}

static void
step_clear (Step *step)
{
  g_clear_pointer (&step->look, flock_look_free);
  g_free (step->others);
  path_clear (&step->path);
  g_free (step->heading);
  g_free (step->room);
  g_free (step->normal);
  g_free (step->cell);
  g_free (step->past_p);
  g_free (step->past_v);
  g_free (step->slot_owner);
  g_free (step->own_group);
  g_free (step->other);
  g_free (step->a);
  g_free (step->sums);
}

/* Members of a herd see and keep apart along the ground. */
static bool
find_normals (Step *step, const KgProgressMonitor *monitor)
{
  if (step->s->ground == NULL)
    return true;
  step->normal = g_new0 (float, 3 * step->n);
#pragma omp parallel for schedule(static, 256)
  for (size_t i = 0; i < step->n; i++) {
    KgVector place, normal;

    if (!kg_progress_is_cancelled (monitor) &&
        flock_ground_find (step->s->ground, kg_floats_get_vector (step->own_p, i), &place, &normal))
      kg_floats_set_vector (step->normal, i, normal);
  }
  step->seen.normal = step->normal;
  return !kg_progress_is_cancelled (monitor);
}

/* Those of the places where members are now.  *room: (out) (transfer full) */
static bool
find_rooms (const Step *step, const FlockObstacles *obstacles, uint32_t **room, const KgProgressMonitor *monitor)
{
  if (obstacles == NULL)
    return true;
  *room = g_new (uint32_t, step->n);
  return flock_obstacles_find_rooms (obstacles, step->own_p, step->n, *room, monitor);
}

static bool
gather_others (Step *step, const KgProgressMonitor *monitor)
{
  const uint32_t *order = flock_look_get_order (step->look);

  if (step->others == NULL)
    step->others = g_new (Other, step->n);
#pragma omp parallel for schedule(static, 4096) if (step->n > KG_PARALLEL_FROM)
  for (size_t k = 0; k < step->n; k++) {
    const size_t i = order[k];

    step->others[k] = (Other){ .width = step->width[i], .index = (uint32_t) i };
    memcpy (step->others[k].p, step->seen.p + 3 * i, sizeof step->others[k].p);
    memcpy (step->others[k].v, step->seen_v + 3 * i, sizeof step->others[k].v);
  }
  return !kg_progress_is_cancelled (monitor);
}

static bool
prepare (Step *step, KgGeometry *from, KgGeometry *to, const KgProgressMonitor *monitor, GError **error)
{
  const FlockSettings *s = step->s;

  step->heading = g_new (float, 3 * step->n);
  step->a = g_new (float, 3 * step->n);
  step->sums = g_malloc0_n ((step->n + BLOCK - 1) / BLOCK, sizeof *step->sums);
  find_ages (step, to);
  look_back (step, from, 0);
  find_headings (step, kg_geometry_get_float (from, KG_POINTS, "orient", 4));
  find_lead (step, from);
  if (s->aim == FLOCK_AIM_PATH && !path_init (&step->path, s->path, monitor, error))
    return false;
  return arrange (step, to, monitor) && begin_turn (step, to, monitor) && check_groups (step, monitor) &&
         find_normals (step, monitor) && find_rooms (step, s->obstacles, &step->room, monitor) &&
         find_rooms (step, s->colliders, &step->cell, monitor);
}

/* What there is to see for those for whom look_back () prepared the step. */
static bool
look_around (Step *step, const KgProgressMonitor *monitor)
{
  const FlockSettings *s = step->s;
  FlockSight sight = s->sight;

  if (s->center_of_flock)
    step->centroid = flock_measure (step->seen.p, NULL, step->n).centroid;
  if (!find_strangers (step, monitor))
    return false;
  sight.apart = s->separation > 0 && !s->combined && !s->predict ? s->separation_distance : 0;
  sight.cruise = s->cruise_speed;
  sight.hidden_by_members = s->hide == FLOCK_HIDE_MEMBERS || s->hide == FLOCK_HIDE_BOTH;
  g_clear_pointer (&step->look, flock_look_free);
  step->look = flock_look_new (
      &step->seen, &sight, s->search_all,
      (s->hide == FLOCK_HIDE_OBSTACLES || s->hide == FLOCK_HIDE_BOTH) && s->obstacles != NULL ? sees : NULL, step,
      monitor);
  return step->look != NULL && gather_others (step, monitor);
}

/* Members that saw the others at one time decide together. */
static bool
perceive_and_decide (Step *step, const KgGeometry *from, const KgProgressMonitor *monitor)
{
  bool there[MOST_AGE + 1] = { step->age == NULL };

  for (size_t i = 0; step->age != NULL && i < step->n; i++)
    there[step->age[i]] = true;
  for (int32_t age = 0; age <= MOST_AGE; age++) {
    if (!there[age])
      continue;
    if (age > 0) {
      look_back (step, from, age);
      find_lead (step, from);
    }
    if (!look_around (step, monitor) || !decide_all (step, monitor))
      return false;
  }
  return true;
}

/* The attributes of what is kept of each urge, written by the steps: records, unless it is NULL, points to them. */
static void
prepare_records (const FlockSettings *s, KgGeometry *to, float *records[2 * FLOCK_N_URGES])
{
  for (int k = 0; s->record && k < FLOCK_N_URGES; k++) {
    g_autofree char *wish = g_strconcat ("wish_", flock_urge_names[k], NULL);
    g_autofree char *budget = g_strconcat ("budget_", flock_urge_names[k], NULL);
    float *wishes = kg_geometry_edit_float (to, KG_POINTS, wish, 3);
    float *budgets = kg_geometry_edit_float (to, KG_POINTS, budget, 1);

    if (records != NULL) {
      records[k] = wishes;
      records[FLOCK_N_URGES + k] = budgets;
    }
  }
  if (s->record)
    kg_geometry_edit_float (to, KG_POINTS, "acceleration", 3);
}

static void
write_budgets (const Step *step, KgGeometry *to)
{
  float *budgets = kg_geometry_edit_float (to, KG_WHOLE, "budgets", 16);

  for (int k = 0; k < 2 * FLOCK_N_URGES; k++) {
    double sum = 0;

    for (size_t b = 0; b < (step->n + BLOCK - 1) / BLOCK; b++)
      sum += step->sums[b][k];
    budgets[k] = (float) (sum / (double) step->n);
  }
}

_Static_assert(2 * FLOCK_N_URGES == 16, "the budgets of a state are 16 numbers");

static bool
move_all (const Step *step, const KgGeometry *from, KgGeometry *to, size_t *misses, const KgProgressMonitor *monitor)
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

static bool
find_groups (KgGeometry *state, const FlockSettings *settings, const KgProgressMonitor *monitor)
{
  return point_groups_find (kg_geometry_get_positions (state), kg_geometry_get_n_points (state),
                            (float) settings->sight.radius, kg_geometry_edit_int (state, KG_POINTS, "group", 1),
                            monitor) >= 0;
}

bool
flock_state_step (KgGeometry **state, const FlockSettings *settings, double time, double dt, size_t *misses,
                  const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (KgGeometry) to = kg_geometry_ref (*state);
  Step step = { .s = settings, .time = time, .dt = dt, .n = kg_geometry_get_n_points (*state) };
  bool done = true;

  *misses = 0;
  if (step.n == 0)
    return true;
  kg_geometry_make_writable (&to);
  step.id = kg_geometry_get_int (*state, KG_POINTS, "id", 1);
  step.group = kg_geometry_get_int (*state, KG_POINTS, "group", 1);
  step.is_leader = kg_geometry_get_int (*state, KG_POINTS, "leader", 1);
  step.slot = kg_geometry_get_int (*state, KG_POINTS, "slot", 1);
  step.turn = kg_geometry_get_float (*state, KG_POINTS, "turn", 1);
  step.width = kg_geometry_get_float (*state, KG_POINTS, "width", 1);
  step.intent_before = kg_geometry_get_float (*state, KG_POINTS, "intent", 3);
  step.own_p = kg_geometry_get_positions (*state);
  step.own_v = kg_geometry_get_float (*state, KG_POINTS, "v", 3);
  step.seen_v = step.own_v;
  step.seen = (FlockMoment){ .n = step.n, .p = step.own_p, .v = step.own_v, .width = step.width };
  step.intent = kg_geometry_edit_float (to, KG_POINTS, "intent", 3);
  keep_past (to, *state, settings, dt);
  prepare_records (step.s, to, step.records);
  done = prepare (&step, *state, to, monitor, error) && perceive_and_decide (&step, *state, monitor);
  if (done) {
    write_budgets (&step, to);
    done = move_all (&step, *state, to, misses, monitor);
  }
  if (done) {
    change_leader (&step, to, kg_geometry_get_positions (to));
    done = kg_geometry_check_finite (to, error) && find_groups (to, settings, monitor);
  }
  step_clear (&step);
  if (done) {
    kg_geometry_unref (*state);
    *state = g_steal_pointer (&to);
  }
  return done;
}

/* The attribute of that name is there; what it lacks is filled with a number. */
static float *
fill (KgGeometry *geometry, const char *name, uint8_t size, float value)
{
  const bool missing = kg_geometry_get_float (geometry, KG_POINTS, name, size) == NULL;
  float *array = kg_geometry_edit_float (geometry, KG_POINTS, name, size);

  for (size_t i = 0; missing && i < size * kg_geometry_get_n_points (geometry); i++)
    array[i] = value;
  return array;
}

static void
choose_leader (KgGeometry *members)
{
  const size_t n = kg_geometry_get_n_points (members);
  int32_t *leader = kg_geometry_edit_int (members, KG_POINTS, "leader", 1);
  int32_t *lead = kg_geometry_edit_int (members, KG_WHOLE, "lead", 4);
  size_t first = 0;

  while (first < n && leader[first] == 0)
    first++;
  if (first == n && n > 0)
    leader[first = 0] = 1;
  lead[0] = lead[1] = (int32_t) first;
  lead[2] = lead[3] = -1;
  kg_geometry_edit_float (members, KG_WHOLE, "lead_time", 1)[0] = (float) LEAD_BLEND;
}

bool
flock_name_leaders (KgGeometry *members, const char *ids, GError **error)
{
  const size_t n = kg_geometry_get_n_points (members);
  const int32_t *id = kg_geometry_get_int (members, KG_POINTS, "id", 1);
  g_auto (GStrv) words = g_strsplit_set (ids, " ,;\t\n", -1);
  bool first = true;

  for (char **word = words; *word != NULL; word++) {
    int32_t *leader;
    int64_t wanted;
    bool found = false;

    if (**word == '\0')
      continue;
    if (!g_ascii_string_to_signed (*word, 10, G_MININT32, G_MAXINT32, &wanted, NULL)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "\"%s\" among the leaders is not an id: write whole numbers, such as 0 4 7", *word);
      return false;
    }
    leader = kg_geometry_edit_int (members, KG_POINTS, "leader", 1);
    if (first)
      memset (leader, 0, n * sizeof *leader);
    first = false;
    for (size_t i = 0; i < n; i++)
      if ((id != NULL ? (int64_t) id[i] : (int64_t) i) == wanted) {
        leader[i] = 1;
        found = true;
      }
    if (!found) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "no member has the id %s of a leader: there are %zu members", *word,
                    n);
      return false;
    }
  }
  return true;
}

/* Members of a herd stand on the ground from the start. */
static void
stand_on (KgGeometry *members, const FlockGround *ground, const KgProgressMonitor *monitor)
{
  float *p = kg_geometry_edit_positions (members);

#pragma omp parallel for schedule(static, 256)
  for (size_t i = 0; i < kg_geometry_get_n_points (members); i++) {
    KgVector place, normal;

    if (!kg_progress_is_cancelled (monitor) && flock_ground_find (ground, kg_floats_get_vector (p, i), &place, &normal))
      kg_floats_set_vector (p, i, place);
  }
}

bool
flock_state_begin (KgGeometry *members, const FlockSettings *settings, double width, const KgProgressMonitor *monitor,
                   GError **error)
{
  const size_t n = kg_geometry_get_n_points (members);
  const bool turned = kg_geometry_get_float (members, KG_POINTS, "orient", 4) != NULL;
  const bool named = kg_geometry_get_int (members, KG_POINTS, "id", 1) != NULL;
  const float *v = fill (members, "v", 3, 0);
  float *orient = fill (members, "orient", 4, 0), *speed, *mass, *phase;
  int32_t *id = kg_geometry_edit_int (members, KG_POINTS, "id", 1), *slot;

  if (!kg_geometry_check_finite (members, error))
    return false;
  mass = fill (members, "mass", 1, 1);
  phase = kg_geometry_edit_float (members, KG_POINTS, "phase", 1);
  speed = kg_geometry_edit_float (members, KG_POINTS, "speed", 1);
  slot = kg_geometry_edit_int (members, KG_POINTS, "slot", 1);
  for (size_t i = 0; i < n; i++) {
    const KgVector way = kg_floats_get_vector (v, i);
    const FlightFrame frame = flight_frame_level (kg_vector_normalize_or (way, kg_vector (0, 0, 1)),
                                                  kg_vector (0, 1, 0), kg_vector (1, 0, 0));
    const KgRotation q = flight_frame_get_rotation (&frame);
    const double parts[] = { q.w, q.x, q.y, q.z };

    speed[i] = (float) kg_vector_length (way);
    for (size_t c = 0; c < 4 && !(turned && speed[i] <= 0); c++)
      orient[4 * i + c] = (float) parts[c];
    id[i] = named ? id[i] : (int32_t) i;
    mass[i] = fmaxf (mass[i], 1e-6f);
    phase[i] = (float) kg_random_uniform (settings->seed, (uint64_t) id[i], 0x70686173);
    slot[i] = -1;
  }
  fill (members, "width", 1, (float) width);
  fill (members, "push", 3, 0);
  memcpy (kg_geometry_edit_float (members, KG_POINTS, "intent", 3), kg_geometry_get_float (members, KG_POINTS, "v", 3),
          3 * n * sizeof (float));
  fill (members, "bank", 1, 0);
  fill (members, "stroke", 1, 0);
  fill (members, "energy", 1, 1);
  kg_geometry_remove_attribute (members, KG_POINTS, "turn");
  kg_geometry_remove_attribute (members, KG_POINTS, "look_phase");
  kg_geometry_remove_attribute (members, KG_POINTS, "look_age");
  fill (members, "turn", 1, FORMATION_NEVER);
  kg_geometry_edit_float (members, KG_WHOLE, "budgets", 16);
  prepare_records (settings, members, NULL);
  if (settings->ground != NULL)
    stand_on (members, settings->ground, monitor);
  choose_leader (members);
  return find_groups (members, settings, monitor);
}

KgGeometry *
flock_state_show (const KgGeometry *state, const FlockSettings *settings)
{
  KgGeometry *shown = kg_geometry_ref (state);

  kg_geometry_make_writable (&shown);
  kg_geometry_remove_attribute (shown, KG_POINTS, "push");
  kg_geometry_remove_attribute (shown, KG_POINTS, "turn");
  kg_geometry_remove_attribute (shown, KG_POINTS, "look_phase");
  kg_geometry_remove_attribute (shown, KG_POINTS, "look_age");
  kg_geometry_remove_attribute (shown, KG_WHOLE, "lead");
  kg_geometry_remove_attribute (shown, KG_WHOLE, "lead_time");
  kg_geometry_remove_attribute (shown, KG_WHOLE, "budgets");
  if (settings->leader != FLOCK_LEADER_CHANGING)
    kg_geometry_remove_attribute (shown, KG_POINTS, "energy");
  if (settings->formation == FORMATION_NONE)
    kg_geometry_remove_attribute (shown, KG_POINTS, "slot");
  if (settings->reaction_time > 0 || settings->perception_rate > 0)
    drop_past (shown, 1);
  return shown;
}

void
flock_get_budgets (const KgGeometry *state, FlockBudgets *budgets)
{
  const float *numbers = kg_geometry_get_float (state, KG_WHOLE, "budgets", 16);

  for (int k = 0; k < FLOCK_N_URGES; k++) {
    budgets->asked[k] = (double) numbers[k];
    budgets->given[k] = (double) numbers[FLOCK_N_URGES + k];
  }
}

/* agent_motion: what motors do, how agents move by them, and what becomes of things and scents.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_step.h"
#include "kg-floats.h"
#include "kg-random.h"

#include <string.h>

/* Purposes of random numbers. */
enum { DRAW_WANDER = 1, DRAW_NOISE = 10, DRAW_SIDE = 20, DRAW_APART = 22 };

/* Most ways that are looked for in a step. */
#define MAX_FIELDS 64
/* How fast the heading of a wandering agent changes, in radians after a second. */
#define WANDER_RATE 2.2
#define GRAVITY 9.81
/* Seconds in which a body rolls into its bank. */
#define BANK_TIME 0.25
/* Others that one is careful of. */
#define MANY 6

typedef struct {
  bool found;
  KgVector place, v;
  double radius;
  int32_t object; /* or -1 */
} Target;

static double
get_amount (const AgentStep *s, guint motor, guint which, size_t i, double def)
{
  const AgentMotor *of = &g_array_index (s->program->motors, AgentMotor, motor);
  const double *column = s->amounts[4 * motor + which];

  return column != NULL ? agent_get_number (s, which == 0 ? of->amount : of->place[which - 1], i, column[i]) : def;
}

static KgVector
add_noise (const AgentStep *s, size_t i, AgentChannel channel, KgVector place, size_t object)
{
  const int noise = s->program->senses.of[channel].noise;
  /* Until it looks again, it errs in the same way. */
  const uint64_t step = s->step - MIN ((uint64_t) ceil (agent_get_moment (s, i, channel)->back), s->step);
  double row[256], amount;

  if (noise < 0 || agent_program_get_n_inputs (s->program) > G_N_ELEMENTS (row))
    return place;
  agent_get_row (s, i, row);
  amount = agent_program_call (s->program, noise, 0, row);
  return kg_vector_add_scaled (
      place, amount, kg_random_direction (s->world->settings.seed, i, (step << 20) + object * 64 + DRAW_NOISE));
}

/* The most recent memory of a kind. */
static bool
recall (const AgentStep *s, size_t i, guint kind, Target *target)
{
  const double moves_on = agent_step_get_extrapolation (s, i);
  float latest = -INFINITY;

  for (size_t at = AGENT_MEMORY * i; at < AGENT_MEMORY * (i + 1); at++) {
    const int32_t object = s->memory_of[at];

    if (object < 0 || object >= (int32_t) s->objects.n || s->objects.kind[object] != (int) kind ||
        !(s->memory_time[at] > latest))
      continue;
    latest = s->memory_time[at];
    target->object = object;
    target->place = agent_step_believe (s, at, s->world->time, moves_on);
    target->radius = s->objects.radius[object];
    target->found = true;
  }
  return target->found;
}

/* Where an agent believes an object to be that a sense shows. */
static KgVector
get_shown (const AgentStep *s, size_t i, AgentChannel by, int32_t object)
{
  return kg_floats_get_vector (agent_get_moment (s, i, by)->p, (size_t) object);
}

/* The sense by which agents know of what no sense looks for: that for things afar. */
static AgentChannel
get_main_channel (const AgentStep *s)
{
  const AgentSenses *senses = &s->program->senses;

  if (!senses->given)
    return s->world->settings.sense == SENSE_ALL     ? AGENT_KNOWLEDGE
           : s->world->settings.sense == SENSE_TOUCH ? AGENT_TOUCH
                                                     : AGENT_SIGHT;
  return senses->all ? AGENT_KNOWLEDGE : senses->sight ? AGENT_SIGHT : senses->hearing ? AGENT_HEARING : AGENT_TOUCH;
}

/* Of all that an agent senses of the kinds that interest it, the object of the least distance / weight; -1: none. */
static int32_t
find_interest (const AgentStep *s, size_t i, AgentChannel *by)
{
  const GArray *interests = s->program->interests;
  g_autofree double *row = g_new (double, agent_program_get_n_inputs (s->program));
  double least = INFINITY;
  int32_t best = -1;

  agent_get_row (s, i, row);
  for (guint k = 0; k < interests->len; k++) {
    const AgentInterest *interest = &g_array_index (interests, AgentInterest, k);
    const double weight = agent_program_call (s->program, interest->weight, 0, row);
    const int32_t object = s->kinds[interest->kind].nearest[i];
    double distance;

    if (object < 0 || !(weight > 0))
      continue;
    distance = kg_vector_distance (get_shown (s, i, (AgentChannel) s->kinds[interest->kind].nearest_by[i], object),
                                   kg_floats_get_vector (s->p, i)) /
               weight;
    if (distance < least) {
      least = distance;
      best = object;
      *by = (AgentChannel) s->kinds[interest->kind].nearest_by[i];
    }
  }
  return best;
}

static Target
find_target (const AgentStep *s, size_t i, guint index)
{
  const AgentMotor *motor = &g_array_index (s->program->motors, AgentMotor, index);
  Target target = { false, { 0, 0, 0 }, { 0, 0, 0 }, 0, -1 };
  AgentChannel by = get_main_channel (s);
  const AgentKind *kind;

  switch (motor->target) {
  case TARGET_NEAREST:
  case TARGET_FREE:
    kind = &s->kinds[motor->subject];
    target.object = (motor->target == TARGET_FREE ? kind->nearest_free : kind->nearest)[i];
    if (target.object >= 0)
      by = (AgentChannel) (motor->target == TARGET_FREE ? kind->nearest_free_by : kind->nearest_by)[i];
    break;
  case TARGET_INTEREST:
    target.object = find_interest (s, i, &by);
    break;
  case TARGET_REMEMBERED:
    recall (s, i, motor->subject, &target);
    return target;
  case TARGET_THING:
    target.object = (int32_t) kg_clamp (get_amount (s, index, 1, i, -1), -1, 2e9);
    if (target.object < 0 || target.object >= (int32_t) s->m)
      agent_step_note (s, (AgentFault){ FAULT_THING, motor->place[0], i, get_amount (s, index, 1, i, -1) });
    if (target.object >= (int32_t) s->m || (target.object >= 0 && s->objects.gone[target.object] != 0))
      target.object = -1;
    break;
  case TARGET_MINE:
    target.object = s->holds[i] >= 0 ? s->holds[i] : s->claims[i];
    if (target.object >= (int32_t) s->m)
      target.object = -1;
    break;
  case TARGET_HOME:
    target.found = true;
    target.place = kg_floats_get_vector (s->home, i);
    return target;
  case TARGET_PLACE:
    target.found = true;
    target.place =
        kg_vector (get_amount (s, index, 1, i, 0), get_amount (s, index, 2, i, 0), get_amount (s, index, 3, i, 0));
    return target;
  default:
    return target;
  }
  if (target.object >= 0) {
    target.found = true;
    target.place = add_noise (s, i, by, get_shown (s, i, by, target.object), (size_t) target.object);
    target.v = agent_get_moment (s, i, by)->v[target.object];
    target.radius = s->objects.radius[target.object];
  }
  return target;
}

static double
get_distance (const AgentStep *s, KgVector a, KgVector b)
{
  return s->world->settings.movement == AGENT_WALKS ? hypot (a.x - b.x, a.z - b.z) : kg_vector_distance (a, b);
}

static bool
reaches (const AgentStep *s, size_t i, const Target *target)
{
  return target->found && get_distance (s, kg_floats_get_vector (s->p, i), target->place) <=
                              s->objects.radius[s->m + i] + target->radius + s->world->settings.reach;
}

/* What hands reach is where it is, not where it is taken to be. */
static bool
touches (const AgentStep *s, size_t i, const Target *target)
{
  Target real = *target;

  if (target->object >= 0)
    real.place = kg_floats_get_vector (s->objects.p, (size_t) target->object);
  return reaches (s, i, &real);
}

/* Ways. */

/* What a field of distances is found by: of a kind, or of a cell. */
static int64_t
get_field_key (const AgentStep *s, size_t i, const AgentMotor *motor, const Target *target)
{
  const bool all = s->program->senses.given ? s->program->senses.all : s->world->settings.sense == SENSE_ALL;

  if (motor->target == TARGET_NEAREST && all && agent_get_moment (s, i, AGENT_KNOWLEDGE)->back <= 0)
    return -1 - (int64_t) motor->subject;
  return route_grid_find_free (s->world->grid, target->place);
}

static float *
make_field (const AgentStep *s, int64_t key)
{
  g_autoptr (GArray) goals = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  if (key >= 0) {
    const uint32_t cell = (uint32_t) key;

    g_array_append_val (goals, cell);
  } else {
    const AgentKind *kind = &s->kinds[-1 - key];

    for (size_t i = 0; i < kind->n; i++) {
      const int64_t cell = route_grid_find_free (s->world->grid, kg_floats_get_vector (s->objects.p, kind->index[i]));
      const uint32_t goal = (uint32_t) cell;

      if (cell >= 0)
        g_array_append_val (goals, goal);
    }
  }
  return route_grid_get_distances (s->world->grid, (const uint32_t *) (gpointer) goals->data, goals->len, s->monitor);
}

static void
evaluate_amounts (AgentStep *s)
{
  const AgentProgram *program = s->program;

  for (guint k = 0; k < program->motors->len; k++) {
    const AgentMotor *motor = &g_array_index (program->motors, AgentMotor, k);
    const int expressions[4] = { motor->amount, motor->place[0], motor->place[1], motor->place[2] };

    for (guint c = 0; c < 4; c++)
      if (expressions[c] >= 0) {
        g_autofree const double **inputs = g_new (const double *, agent_program_get_n_inputs (program));

        s->amounts[4 * k + c] = g_new (double, s->n + 1);
        agent_get_inputs (s, 0, inputs);
        agent_program_run_raw (program, expressions[c], 0, inputs, s->n, s->amounts[4 * k + c]);
      }
  }
  for (guint b = 0; b < program->behaviours->len; b++) {
    const AgentBehaviour *behaviour = &g_array_index (program->behaviours, AgentBehaviour, b);

    if (behaviour->speed >= 0 && behaviour->klass != CLASS_SUGGESTION) {
      g_autofree const double **inputs = g_new (const double *, agent_program_get_n_inputs (program));

      s->speeds[b] = g_new (double, s->n + 1);
      agent_get_inputs (s, 0, inputs);
      agent_program_run_raw (program, behaviour->speed, 1, inputs, s->n, s->speeds[b]);
    }
  }
}

/* Whoever drives, in the order of paths and places on them. */
typedef struct {
  int32_t lane;
  double at;
  uint32_t agent;
} Driver;

static int
compare_drivers (gconstpointer a, gconstpointer b)
{
  const Driver *d = (const Driver *) a, *e = (const Driver *) b;

  if (d->lane != e->lane)
    return d->lane < e->lane ? -1 : 1;
  if (d->at != e->at)
    return d->at < e->at ? -1 : 1;
  return d->agent < e->agent ? -1 : d->agent > e->agent;
}

static void
find_gaps (AgentStep *s, GArray *drivers)
{
  const SteeringPaths *paths = s->world->paths;

  g_array_sort (drivers, compare_drivers);
  for (guint first = 0, last; first < drivers->len; first = last) {
    const Driver *d = &g_array_index (drivers, Driver, first);
    const SteeringPath *path = &paths->paths[d->lane];

    for (last = first; last < drivers->len && d[last - first].lane == d->lane; last++)
      ;
    for (guint k = first; k < last; k++) {
      const bool wraps = k + 1 == last;
      const size_t i = d[k - first].agent, ahead = d[wraps ? 0 : k + 1 - first].agent;
      const double length = steering_path_get_length (path);

      if (wraps && (!path->closed || last - first < 2))
        continue;
      s->lane_gap[i] = s->lane_at[ahead] - s->lane_at[i] + (wraps ? length : 0) - s->objects.radius[s->m + i] -
                       s->objects.radius[s->m + ahead];
      s->lane_closing[i] = (double) s->speed[i] - (double) s->speed[ahead];
    }
  }
}

/* Calls visit for each motor of each behaviour that won. */
typedef bool (*MotorVisit) (AgentStep *s, size_t i, guint motor, gpointer data);

static bool
visit_motors (AgentStep *s, MotorVisit visit, gpointer data)
{
  for (size_t i = 0; i < s->n; i++)
    for (guint k = 0; s->gone[i] == 0 && k < AGENT_MAX_SETS; k++) {
      const int32_t b = s->behaviours[AGENT_MAX_SETS * i + k];
      const bool ordered = s->plan_at[4 * i] == -2;
      guint first, n;

      if ((ordered ? k > 0 : b < 0) || !agent_step_get_act (s, i, ordered ? AGENT_ORDERED : (guint) b, &first, &n))
        continue;
      for (guint m = first; m < first + n; m++)
        if (!visit (s, i, m, data))
          return false;
    }
  return true;
}

static bool
prepare_motor (AgentStep *s, size_t i, guint index, gpointer data)
{
  const AgentMotor *motor = &g_array_index (s->program->motors, AgentMotor, index);

  if ((motor->kind == MOTOR_DRIVE || motor->kind == MOTOR_FOLLOW) && s->world->paths != NULL &&
      s->world->paths->n > 0) {
    Driver driver = { (int32_t) kg_clamp (get_amount (s, index, 0, i, 0), 0, (double) s->world->paths->n - 1), 0,
                      (uint32_t) i };
    KgVector point;

    s->lane[i] = driver.lane;
    s->lane_at[i] = driver.at =
        steering_path_find (&s->world->paths->paths[driver.lane], kg_floats_get_vector (s->p, i), &point);
    if (motor->kind == MOTOR_DRIVE)
      g_array_append_val ((GArray *) data, driver);
  } else if (motor->kind == MOTOR_GOTO && s->world->grid != NULL) {
    const Target target = find_target (s, i, index);
    const int64_t key = target.found ? get_field_key (s, i, motor, &target) : G_MAXINT64;

    if (!target.found || g_hash_table_contains (s->fields, &key))
      return true;
    if (g_hash_table_size (s->fields) < MAX_FIELDS) {
      float *field = make_field (s, key);

      if (field == NULL)
        return false;
      g_hash_table_insert (s->fields, g_memdup2 (&key, sizeof key), field);
    } else if (*s->warning == NULL)
      *s->warning = kg_error_new (KG_ERROR_LIMIT, "agents go to more than %d places at a time: the others go straight",
                                  MAX_FIELDS);
  }
  return true;
}

bool
agent_step_find_ways (AgentStep *s)
{
  g_autoptr (GArray) drivers = g_array_new (FALSE, FALSE, sizeof (Driver));

  evaluate_amounts (s);
  for (size_t i = 0; i < s->n; i++) {
    s->lane[i] = -1;
    s->lane_gap[i] = INFINITY;
  }
  if (!visit_motors (s, prepare_motor, drivers))
    return false;
  find_gaps (s, drivers);
  return true;
}

/* Scents. */

/* Columns and rows; NULL where scents are not what they say they are, as in a state from a stranger. */
static const int32_t *
get_scent_cells (const AgentStep *s)
{
  const int32_t *cells = kg_geometry_get_int (s->state->scents, KG_WHOLE, "cells", 2);

  return cells != NULL && cells[0] > 0 && cells[1] > 0 &&
                 (size_t) cells[0] * (size_t) cells[1] == kg_geometry_get_n_points (s->state->scents)
             ? cells
             : NULL;
}

static bool
find_scent_cell (const AgentStep *s, KgVector x, int32_t size[2], double at[2])
{
  const AgentSettings *settings = &s->world->settings;
  const int32_t *cells = get_scent_cells (s);

  if (cells == NULL)
    return false;
  size[0] = cells[0];
  size[1] = cells[1];
  at[0] = (x.x - settings->scent_centre.x) / settings->scent_cell + 0.5 * size[0];
  at[1] = (x.z - settings->scent_centre.z) / settings->scent_cell + 0.5 * size[1];
  return at[0] >= 0 && at[1] >= 0 && at[0] < size[0] && at[1] < size[1];
}

double
agent_step_smell (const AgentStep *s, guint scent, KgVector x)
{
  const float *values = kg_geometry_get_float (s->state->scents, KG_POINTS,
                                               g_array_index (s->program->scents, AgentScent, scent).name, 1);
  int32_t size[2];
  double at[2];

  if (values == NULL || !find_scent_cell (s, x, size, at))
    return 0;
  return (double) values[(size_t) at[1] * (size_t) size[0] + (size_t) at[0]];
}

/* Towards the strongest of three feelers. */
bool
agent_step_climb (const AgentStep *s, size_t i, guint scent, KgVector *to)
{
  const KgVector heading = agent_get_heading (s, i);
  const double feeler = fmax (s->world->settings.reach, 2 * s->world->settings.scent_cell);
  const double angles[] = { 0, 0.6, -0.6 };
  double best = 0;

  *to = kg_vector (0, 0, 0);
  for (guint k = 0; k < G_N_ELEMENTS (angles); k++) {
    const KgVector d = kg_rotation_apply (kg_rotation_from_axis_angle (kg_vector (0, 1, 0), angles[k]), heading);
    const double smell = agent_step_smell (s, scent, kg_vector_add_scaled (kg_floats_get_vector (s->p, i), feeler, d));

    if (smell > best * (1 + 1e-3)) {
      best = smell;
      *to = d;
    }
  }
  return best > 1e-4;
}

void
agent_step_scents (AgentStep *s)
{
  const AgentSettings *settings = &s->world->settings;
  const int32_t *cells = get_scent_cells (s);
  const int32_t columns = cells != NULL ? cells[0] : 0, rows = cells != NULL ? cells[1] : 0;
  const size_t n = (size_t) columns * (size_t) rows;
  g_autofree double *row = g_new (double, agent_program_get_n_inputs (s->program));
  g_autofree float *before = NULL;

  if (n == 0 || s->n == 0)
    return;
  before = g_new (float, n);
  agent_get_row (s, 0, row);
  for (guint k = 0; k < s->program->scents->len; k++) {
    const AgentScent *scent = &g_array_index (s->program->scents, AgentScent, k);
    const double half_life = agent_program_call (s->program, scent->decay, 10, row),
                 spread = agent_program_call (s->program, scent->spread, 0, row);
    const float keep = half_life > 0 ? (float) exp2 (-s->world->dt / half_life) : 0;
    /* More would not be stable. */
    const float flow =
        (float) kg_clamp (spread * s->world->dt / (settings->scent_cell * settings->scent_cell), 0, 0.24);
    float *values = kg_geometry_edit_float (s->state->scents, KG_POINTS, scent->name, 1);

    for (size_t i = 0; i < s->n; i++) {
      const double amount = (double) s->marks[4 * i + k];
      int32_t size[2];
      double at[2];

      if (amount > 0 && find_scent_cell (s, s->next_p[i], size, at))
        values[(size_t) at[1] * (size_t) columns + (size_t) at[0]] += (float) (amount * s->world->dt);
    }
    memcpy (before, values, n * sizeof *values);
#pragma omp parallel for schedule(static) if (n >= KG_PARALLEL_FROM)
    for (int32_t j = 0; j < rows; j++)
      for (int32_t i = 0; i < columns; i++) {
        const size_t at = (size_t) j * (size_t) columns + (size_t) i;
        const float here = before[at];
        const float sum = (before[at - (size_t) (i > 0)] - here) + (before[at + (size_t) (i < columns - 1)] - here) +
                          (before[at - (j > 0 ? (size_t) columns : 0)] - here) +
                          (before[at + (j < rows - 1 ? (size_t) columns : 0)] - here);

        values[at] = (here + flow * sum) * keep;
      }
  }
}

/* Motion. */

typedef struct {
  KgVector wish;
  bool moves;   /* legs have something to do */
  bool arrived; /* the first of the motors has done what it is for */
  KgVector gaze;
  guint32 taken; /* limbs that behaviours of earlier sets use */
} Doing;

static KgVector
avoid_walls (const AgentStep *s, size_t i, KgVector x, KgVector wish, double speed)
{
  const double range = s->objects.radius[s->m + i] + speed * fmax (s->world->settings.look_ahead, 0.2);
  const double length = kg_vector_length (wish);
  KgVector normal, d, along, corners[3];
  double t = 1;
  uint32_t triangle;

  if (!(length > 1e-9) || s->world->obstacles == NULL)
    return wish;
  d = kg_vector_scale (wish, range / length);
  if (!triangle_mesh_hit (s->world->obstacles, x, d, &t, &triangle))
    return wish;
  triangle_mesh_get_corners (s->world->obstacles, triangle, corners);
  normal = kg_vector_normalize_or (
      kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
      kg_vector (0, 1, 0));
  if (kg_vector_dot (normal, d) > 0)
    normal = kg_vector_scale (normal, -1);
  if (s->world->settings.movement == AGENT_WALKS)
    normal = kg_vector_normalize_or (kg_vector (normal.x, 0, normal.z), normal);
  along = steering_slide (wish, normal);
  if (kg_vector_length (along) < 0.2 * length) {
    /* Head on: to the side on which the body moves already, or that chance says. */
    const KgVector side = kg_vector_cross (kg_vector (0, 1, 0), normal);
    const double moving = kg_vector_dot (kg_floats_get_vector (s->v, i), side);
    const double sign = fabs (moving) > 1e-3 * length ? moving
                                                      : kg_random_signed (s->world->settings.seed, i, DRAW_SIDE);

    along = kg_vector_scale (kg_vector_normalize_or (side, normal), sign >= 0 ? length : -length);
  }
  along = kg_vector_scale (kg_vector_normalize_or (along, normal), length);
  /* The nearer, the more; and away from what is nearer than the body allows. */
  along = kg_vector_lerp (wish, along, kg_clamp (1.5 * (1 - t), 0, 1));
  return kg_vector_add_scaled (along, length * fmax (0, 1 - t * range / fmax (2 * s->objects.radius[s->m + i], 1e-6)),
                               normal);
}

static KgVector
avoid_others (const AgentStep *s, size_t i, KgVector x, KgVector wish, double speed)
{
  const double horizon = s->world->settings.look_ahead, radius = s->objects.radius[s->m + i];
  const KgVector v = kg_vector_lerp (kg_floats_get_vector (s->v, i), wish, 0.5);
  PointNear near[MANY + 1];
  KgVector sum = { 0, 0, 0 };
  size_t n;

  if (horizon <= 0)
    return wish;
  n = point_tree_find_nearest (s->bodies, s->p + 3 * i, MANY + 1, (float) (2 * radius + 2 * speed * horizon), near);
  for (size_t k = 0; k < n; k++) {
    const uint32_t other = s->body_index[near[k].index];
    const double both = 1.2 * (radius + s->objects.radius[other]);
    const KgVector d = kg_vector_subtract (kg_floats_get_vector (s->objects.p, other), x);
    const KgVector side = kg_vector_cross (kg_vector (0, 1, 0), kg_vector_normalize_or (v, kg_vector (0, 0, 1)));

    if (other == s->m + i)
      continue;
    sum = kg_vector_add (sum, steering_avoid (d, kg_vector_subtract (s->objects.v[other], v), both, horizon, side));
    if (kg_vector_length (d) < both)
      sum = kg_vector_add_scaled (
          sum, -(1 - kg_vector_length (d) / both),
          kg_vector_normalize_or (d, kg_random_direction (s->world->settings.seed, i, DRAW_APART)));
  }
  if (s->world->settings.movement == AGENT_WALKS)
    sum.y = 0;
  return kg_vector_add_scaled (wish, fmax (speed, kg_vector_length (wish)), sum);
}

static KgVector
go (const AgentStep *s, size_t i, const AgentMotor *motor, const Target *target, double speed)
{
  const RouteGrid *grid = s->world->grid;
  const KgVector x = kg_floats_get_vector (s->p, i);
  const int64_t key = grid != NULL ? get_field_key (s, i, motor, target) : 0,
                cell = grid != NULL ? route_grid_find (grid, x) : -1;
  const float *field = grid != NULL ? (const float *) g_hash_table_lookup (s->fields, &key) : NULL;
  KgVector to = target->place;

  /* Off the grid nothing is in the way; near the goal it is the goal itself. */
  if (field == NULL || cell < 0 || (double) field[cell] <= 1.5 * grid->cell ||
      (key >= 0 && route_grid_sees (grid, x, target->place)))
    return steering_arrive (x, target->place, s->world->settings.slow_radius, speed);
  if (!route_grid_descend (grid, field, x, &to)) {
    s->lost[i] = 1;
    return kg_vector (0, 0, 0);
  }
  to.y = x.y;
  return steering_seek (x, to, speed);
}

static KgVector
follow (const AgentStep *s, size_t i, bool drive, double speed)
{
  const KgVector x = kg_floats_get_vector (s->p, i);
  const SteeringPath *path;
  const double now = (double) s->speed[i];
  KgVector tangent, ahead;

  if (s->lane[i] < 0)
    return kg_vector (0, 0, 0);
  path = &s->world->paths->paths[s->lane[i]];
  ahead = steering_path_get (path,
                             s->lane_at[i] + fmax (now * s->world->settings.limits.response * 1.5,
                                                   0.5 * speed * s->world->settings.limits.response),
                             &tangent);
  if (drive) {
    const double a = steering_drive (&s->world->settings.driver, now, speed, s->lane_gap[i], s->lane_closing[i]);

    /* The pilot divides by its response. */
    speed = fmax (0, now + a * fmax (s->world->settings.limits.response, s->world->dt));
  }
  return kg_vector_scale (kg_vector_normalize_or (kg_vector_subtract (ahead, x), tangent), speed);
}

/* The wish of one motor of the legs. */
static KgVector
use_legs (AgentStep *s, size_t i, guint index, const Target *target, double speed, bool *arrived)
{
  const AgentMotor *motor = &g_array_index (s->program->motors, AgentMotor, index);
  const AgentSettings *settings = &s->world->settings;
  const KgVector x = kg_floats_get_vector (s->p, i), heading = agent_get_heading (s, i), none = { 0, 0, 0 };
  const bool flat = settings->movement == AGENT_WALKS;
  const double spread =
      WANDER_RATE * sqrt (3 * s->world->dt) *
      (motor->kind == MOTOR_WANDER || motor->kind == MOTOR_CLIMB ? get_amount (s, index, 0, i, 1) : 1);
  double angle[2], jitter[2];
  KgVector wish;

  *arrived = reaches (s, i, target);
  switch (motor->kind) {
  case MOTOR_SEEK:
    return target->found ? steering_seek (x, target->place, speed) : none;
  case MOTOR_ARRIVE:
    return target->found ? steering_arrive (x, target->place, settings->slow_radius, speed) : none;
  case MOTOR_PURSUE:
    return target->found ? steering_seek (x, steering_pursue_point (x, target->place, target->v, speed), speed) : none;
  case MOTOR_FLEE:
    *arrived = !target->found || get_distance (s, x, target->place) > get_amount (s, index, 0, i, AGENT_FAR);
    return target->found ? steering_flee (x, target->place, get_amount (s, index, 0, i, INFINITY), speed) : none;
  case MOTOR_EVADE:
    *arrived = !target->found || get_distance (s, x, target->place) > get_amount (s, index, 0, i, AGENT_FAR);
    return target->found && !*arrived
               ? steering_flee (x, steering_pursue_point (x, target->place, target->v, speed), INFINITY, speed)
               : none;
  case MOTOR_ORBIT:
    return target->found ? steering_orbit (x, target->place, get_amount (s, index, 0, i, 1), speed,
                                           fmax (s->world->settings.limits.response, s->world->dt))
                         : none;
  case MOTOR_GOTO:
    return target->found ? go (s, i, motor, target, speed) : none;
  case MOTOR_FOLLOW:
  case MOTOR_DRIVE:
    if (s->lane[i] >= 0) {
      const SteeringPath *path = &s->world->paths->paths[s->lane[i]];

      *arrived = !path->closed && s->lane_at[i] >= steering_path_get_length (path) - settings->reach;
    }
    return follow (s, i, motor->kind == MOTOR_DRIVE, speed);
  case MOTOR_CLIMB: {
    const bool smells = agent_step_get_climb (s, i, motor->subject, &wish);

    wish = kg_vector_scale (wish, smells ? speed : 0);
  }
    *arrived = false;
    if (kg_vector_length (wish) > 0)
      return wish;
    break;
  case MOTOR_WANDER:
    break;
  default:
    *arrived = true;
    return none;
  }
  for (guint k = 0; k < 2; k++) {
    angle[k] = (double) s->wander[2 * i + k];
    jitter[k] = spread * kg_random_signed (settings->seed, i, (s->step << 8) + DRAW_WANDER + k);
  }
  wish = steering_wander (heading, flat, angle, jitter, speed);
  s->wander[2 * i] = (float) angle[0];
  s->wander[2 * i + 1] = (float) angle[1];
  *arrived = false;
  return wish;
}

/* All other motors. */
static void
use_rest (AgentStep *s, size_t i, guint index, const Target *target, Doing *doing, bool *arrived)
{
  const AgentMotor *motor = &g_array_index (s->program->motors, AgentMotor, index);

  *arrived = touches (s, i, target);
  switch (motor->kind) {
  case MOTOR_LOOK:
    *arrived = target->found;
    if (target->found)
      doing->gaze =
          kg_vector_normalize_or (kg_vector_subtract (target->place, kg_floats_get_vector (s->p, i)), doing->gaze);
    break;
  case MOTOR_TAKE:
  case MOTOR_EAT:
  case MOTOR_CLAIM:
    if (*arrived || (motor->kind == MOTOR_CLAIM && target->found)) {
      *arrived = true;
      s->wants_thing[i] = target->object;
      s->wants_how[i] = (uint8_t) motor->kind;
      s->wants_amount[i] = get_amount (s, index, 0, i, 1) * s->world->dt;
    }
    break;
  case MOTOR_DROP:
  case MOTOR_RELEASE:
    *arrived = true;
    s->wants_thing[i] = 0;
    s->wants_how[i] = (uint8_t) motor->kind;
    break;
  case MOTOR_MARK:
    *arrived = true;
    s->marks[4 * i + motor->subject] += (float) fmax (get_amount (s, index, 0, i, 1), 0);
    break;
  case MOTOR_PLAY:
    *arrived = true;
    if (s->clip[i] != (int32_t) motor->subject) {
      s->clip[i] = (int32_t) motor->subject;
      s->phase[i] = 0;
    }
    break;
  default:
    *arrived = true;
    s->wants_thing[i] = 0;
    s->wants_how[i] = MOTOR_LEAVE;
  }
}

/* What the body does for one behaviour. */
static void
run_motors (AgentStep *s, size_t i, guint behaviour, Doing *doing, bool *plays, bool dominant)
{
  const AgentSettings *settings = &s->world->settings;
  const double speed =
      settings->limits.max_speed * s->factor[i] *
      (behaviour != AGENT_ORDERED && s->speeds[behaviour] != NULL
           ? agent_get_speed (s, g_array_index (s->program->behaviours, AgentBehaviour, behaviour).speed, i,
                              s->speeds[behaviour][i])
           : 1);
  const bool planned = behaviour == AGENT_ORDERED || s->plan_at[4 * i] == (int32_t) behaviour;
  const guint32 uses = agent_step_get_uses (s, i, behaviour), taken = doing->taken;
  bool legs = false, hands = false, all = true;
  guint first, n;

  /* It waits for what an earlier one has. */
  if ((uses & taken) != 0)
    return;
  doing->taken |= uses;
  if (planned)
    s->carried[i] = AGENT_CARRIES_OUT;
  if (!agent_step_get_act (s, i, behaviour, &first, &n)) {
    /* The goal is reached: it stands. */
    if (dominant)
      doing->wish = kg_vector (0, 0, 0);
    doing->moves = doing->moves || dominant;
    return;
  }
  for (guint m = first; m < first + n; m++) {
    const AgentMotor *motor = &g_array_index (s->program->motors, AgentMotor, m);
    const Target target = find_target (s, i, m);
    const bool is_legs = motor->kind <= MOTOR_LAST_OF_LEGS,
               is_hands = motor->kind >= MOTOR_TAKE && motor->kind <= MOTOR_LAST_OF_HANDS,
               is_last = motor->kind == MOTOR_LEAVE || motor->kind == MOTOR_DROP || motor->kind == MOTOR_RELEASE;
    const guint32 limb = is_hands                    ? AGENT_HANDS
                         : motor->kind == MOTOR_LOOK ? AGENT_EYES
                         : motor->kind == MOTOR_PLAY ? AGENT_CLIP
                                                     : 0;
    bool arrived = false;

    /* What others of the same limbs have begun goes first; all of it before anything is released. */
    if ((is_legs && legs) || (is_hands && hands) || (is_last && !all) || (limb & taken) != 0) {
      all = false;
      continue;
    }
    if (target.object >= 0)
      s->target[i] = target.object;
    if (is_legs) {
      const KgVector wish = use_legs (s, i, m, &target, speed, &arrived);

      legs = !arrived || m + 1 == first + n;
      if (!doing->moves)
        doing->wish = wish;
      else if (kg_vector_dot (wish, doing->wish) >= 0) {
        /* A lower one takes part if it does not contradict. */
        const double most = fmax (kg_vector_length (wish), kg_vector_length (doing->wish));
        const KgVector sum = kg_vector_add (wish, doing->wish);
        const double length = kg_vector_length (sum);

        doing->wish = length > most ? kg_vector_scale (sum, most / length) : sum;
      }
      doing->moves = true;
      doing->taken |= AGENT_LEGS;
    } else {
      use_rest (s, i, m, &target, doing, &arrived);
      /* Hands are free until they reach what they are for. */
      doing->taken |= !is_hands || arrived ? limb : 0;
    }
    hands = hands || (is_hands && !arrived);
    all = all && arrived;
    *plays = *plays || motor->kind == MOTOR_PLAY;
  }
  if (planned && all)
    s->carried[i] = AGENT_CARRIED_OUT;
  if (dominant)
    doing->arrived = all;
}

/* The wishes of behaviours of several sets, by set. */
typedef struct {
  FlockWish wishes[FLOCK_N_URGES];
  guint n;
} Wishes;

/* A wish that contradicts the dominant one has no say. */
static void
add_wish (const AgentStep *s, size_t i, guint behaviour, KgVector wish, Wishes *wishes)
{
  const bool must = behaviour == AGENT_ORDERED ||
                    g_array_index (s->program->behaviours, AgentBehaviour, behaviour).klass != CLASS_DESIRE;
  const double value = must ? 1 : kg_clamp (s->values[(size_t) behaviour * s->n + i], 0, 1);

  if (wishes->n == 0 || kg_vector_dot (wish, wishes->wishes[0].velocity) >= 0)
    wishes->wishes[wishes->n++] = (FlockWish){ wish, value, 1 };
}

static KgVector
negotiate (const AgentSettings *settings, const Wishes *wishes, KgVector v)
{
  static const FlockNegotiation how[AGENT_N_MERGES] = { [AGENT_MERGES_AVERAGE] = FLOCK_AVERAGE,
                                                        [AGENT_MERGES_PRIORITY] = FLOCK_PRIORITY,
                                                        [AGENT_MERGES_ACCELERATION] = FLOCK_ACCELERATION };
  FlockCouncil council = { .how = how[settings->merge],
                           .n = wishes->n,
                           .budget = 1,
                           .max_acceleration = settings->limits.max_acceleration,
                           .response = settings->limits.response };
  double given[FLOCK_N_URGES];

  for (guint k = 0; k < wishes->n; k++)
    council.order[k] = (FlockUrge) k;
  return flock_negotiate (&council, wishes->wishes, v, given);
}

/* What all behaviours of an agent want of its body. */
static void
run_behaviours (AgentStep *s, size_t i, KgVector v, Doing *doing, bool *plays)
{
  const AgentSettings *settings = &s->world->settings;
  Wishes wishes = { .n = 0 };
  bool dominant = true;

  for (guint k = 0; k < AGENT_MAX_SETS; k++) {
    const int32_t behaviour = s->behaviours[AGENT_MAX_SETS * i + k];

    if (behaviour < 0)
      continue;
    if (settings->merge != AGENT_MERGES_SUM)
      doing->moves = false;
    run_motors (s, i, (guint) behaviour, doing, plays, dominant);
    if (settings->merge != AGENT_MERGES_SUM && doing->moves)
      add_wish (s, i, (guint) behaviour, doing->wish, &wishes);
    dominant = false;
  }
  if (settings->merge == AGENT_MERGES_SUM)
    return;
  doing->moves = wishes.n > 0;
  if (doing->moves)
    doing->wish = wishes.n > 1 ? negotiate (settings, &wishes, v) : wishes.wishes[0].velocity;
}

static void
turn_body (AgentStep *s, size_t i, KgVector before, KgVector v)
{
  const bool walks = s->world->settings.movement == AGENT_WALKS;
  const KgVector old = agent_get_heading (s, i);
  KgVector forward = kg_vector_length (v) > 1e-3 * s->world->settings.limits.max_speed ? v : old, side, up;
  double bank = 0;
  KgRotation q;

  if (walks)
    forward.y = 0;
  forward = kg_vector_normalize_or (forward, old);
  side = kg_vector_cross (kg_vector (0, 1, 0), forward);
  side = kg_vector_normalize_or (side, kg_vector (1, 0, 0));
  if (!walks) {
    /* Lift carries the weight and turns: tan φ = a / g, to the inner side. */
    const KgVector a = kg_vector_scale (kg_vector_subtract (v, before), 1 / s->world->dt);
    const double wanted = atan (kg_vector_dot (a, side) / GRAVITY);

    bank = (double) s->bank[i] + (wanted - (double) s->bank[i]) * fmin (1, s->world->dt / BANK_TIME);
  }
  s->bank[i] = (float) bank;
  up = kg_vector_cross (forward, side);
  q = kg_rotation_from_transform ((KgTransform){ { { side.x, up.x, forward.x, 0 },
                                                   { side.y, up.y, forward.y, 0 },
                                                   { side.z, up.z, forward.z, 0 },
                                                   { 0, 0, 0, 1 } } });
  q = kg_rotation_multiply (q, kg_rotation_from_axis_angle (kg_vector (0, 0, 1), -bank));
  kg_floats_set_rotation (s->orient, i, q);
}

/* push: the acceleration from outside. */
static void
move_agent (AgentStep *s, size_t i, KgVector push)
{
  const AgentSettings *settings = &s->world->settings;
  const double dt = s->world->dt;
  const KgVector x = kg_floats_get_vector (s->p, i), v = kg_floats_get_vector (s->v, i),
                 heading = agent_get_heading (s, i);
  Doing doing = { .wish = v, .gaze = heading };
  SteeringLimits limits = settings->limits;
  bool plays = false;
  KgVector next;

  s->target[i] = -1;
  s->carried[i] = AGENT_RESTS;
  if (s->plan_at[4 * i] == -2)
    run_motors (s, i, AGENT_ORDERED, &doing, &plays, true);
  else
    run_behaviours (s, i, v, &doing, &plays);
  if (doing.moves) {
    const double speed = fmax (kg_vector_length (doing.wish), 0.1 * limits.max_speed);

    if (settings->movement == AGENT_WALKS)
      doing.wish.y = 0;
    doing.wish = avoid_others (s, i, x, doing.wish, speed);
    doing.wish = avoid_walls (s, i, x, doing.wish, speed);
    limits.max_speed = fmax (limits.max_speed, kg_vector_length (doing.wish));
    limits.max_speed = fmin (limits.max_speed, settings->limits.max_speed * fmax (s->factor[i], 1) * 4);
    if (!(kg_vector_length (doing.wish) > 1e-9))
      limits.min_speed = 0;
    next = steering_pilot (&limits, v, heading, doing.wish, dt);
  } else
    next = v;
  next = kg_vector_add_scaled (next, dt, push);
  if (settings->movement == AGENT_WALKS)
    next.y = 0;
  s->arrived[i] = doing.arrived;
  s->next_v[i] = next;
  s->next_p[i] = kg_vector_add_scaled (x, dt, next);
  kg_floats_set_vector (s->gaze, i, doing.gaze);
  turn_body (s, i, v, next);
  if (!plays)
    s->clip[i] = 0;
  s->phase[i] += (float) (plays ? dt : dt * kg_vector_length (next) / settings->stride);
  s->phase[i] -= floorf (s->phase[i]);
}

/* Of n agents, at most AGENT_BLOCK: accelerations by what acts on them from outside. */
static void
sample_force (const AgentStep *s, size_t start, size_t n, float push[3][AGENT_BLOCK])
{
  const float *mass = s->world->weigh ? kg_geometry_get_float (s->world->agents, KG_POINTS, "mass", 1) : NULL;
  float x[3][AGENT_BLOCK], v[3][AGENT_BLOCK];
  int32_t id[AGENT_BLOCK];
  const KgFieldBlock block = { .n = n,
                               .x = x[0],
                               .y = x[1],
                               .z = x[2],
                               .vx = v[0],
                               .vy = v[1],
                               .vz = v[2],
                               .id = id,
                               .time = s->world->time - s->world->dt };
  float *const out[] = { push[0], push[1], push[2] };

  for (size_t i = 0; i < n; i++) {
    id[i] = (int32_t) (start + i);
    for (size_t c = 0; c < 3; c++) {
      x[c][i] = s->p[3 * (start + i) + c];
      v[c][i] = s->v[3 * (start + i) + c];
    }
  }
  kg_field_sample (s->world->force, &block, out);
  for (size_t i = 0; mass != NULL && kg_geometry_get_n_points (s->world->agents) == s->n && i < n; i++)
    for (int c = 0; c < 3; c++)
      push[c][i] /= fmaxf (mass[start + i], 1e-6f);
}

void
agent_step_move (AgentStep *s, size_t start, size_t n)
{
  float push[3][AGENT_BLOCK] = { { 0 } };

  if (s->world->force != NULL)
    sample_force (s, start, n, push);
  for (size_t i = start; i < start + n; i++)
    if (s->gone[i] == 0)
      move_agent (s, i,
                  kg_vector ((double) push[0][i - start], (double) push[1][i - start], (double) push[2][i - start]));
    else {
      s->next_p[i] = kg_floats_get_vector (s->p, i);
      s->next_v[i] = kg_vector (0, 0, 0);
    }
}

/* Out of others, half of the way each; out of walls all of it; onto the ground. */
/* Where an agent is between the place that it has got to by itself and the one that the input has for it.  Its own steps add up
 * apart from the mixture: mixing what is mixed already would pull it back in each frame. */
static void
mix_with_script (AgentStep *s, size_t i, KgVector before, const float *script)
{
  const double autonomy = s->world->settings.autonomy;

  for (size_t c = 0; c < 3; c++) {
    float *x = &s->p[3 * i + c], *own = &s->own[3 * i + c];

    if (autonomy >= 1)
      *own = *x;
    else if (autonomy <= 0)
      *own = *x = script[3 * i + c];
    else {
      *own = (float) ((double) *own + (double) *x - kg_vector_get (before, c));
      *x = (float) kg_lerp ((double) script[3 * i + c], (double) *own, autonomy);
    }
  }
}

static void
settle_agent (AgentStep *s, size_t i, const float *places, const PointTree *tree, const uint32_t *index)
{
  const AgentSettings *settings = &s->world->settings;
  const bool walks = settings->movement == AGENT_WALKS;
  const double radius = s->objects.radius[s->m + i];
  KgVector x = s->next_p[i], push = { 0, 0, 0 };

  if (tree != NULL) {
    PointNear near[MANY + 1];
    const size_t n = point_tree_find_nearest (tree, places + 3 * i, MANY + 1, (float) (2 * radius), near);

    for (size_t k = 0; k < n; k++) {
      const uint32_t other = index[near[k].index];
      KgVector d = kg_vector_subtract (x, s->next_p[other]), away;
      const double both = radius + s->objects.radius[s->m + other];
      double distance;

      if (other == i)
        continue;
      if (walks)
        d.y = 0;
      distance = kg_vector_length (d);
      /* At one place: apart, in a direction of each. */
      away = kg_random_direction (settings->seed, i, (s->step << 8) + DRAW_APART);
      if (walks)
        away = kg_vector_normalize_or (kg_vector (away.x, 0, away.z), kg_vector (1, 0, 0));
      if (distance < both)
        push = kg_vector_add_scaled (push, 0.5 * (both - distance),
                                     distance > 1e-6 * both ? kg_vector_scale (d, 1 / distance) : away);
    }
    if (kg_vector_length (push) > radius)
      push = kg_vector_scale (push, radius / kg_vector_length (push));
    x = kg_vector_add (x, push);
  }
  if (s->world->obstacles != NULL && s->world->obstacles->n > 0) {
    const KgVector before = kg_floats_get_vector (s->p, i), d = kg_vector_subtract (x, before);
    MeshNearest nearest;
    double t = 1;
    uint32_t triangle;

    /* It does not pass through what is thin. */
    if (triangle_mesh_hit (s->world->obstacles, before, d, &t, &triangle))
      x = kg_vector_add_scaled (before, 0.9 * t, d);
    nearest = triangle_mesh_find_nearest (s->world->obstacles, x);
    if (nearest.distance < radius) {
      KgVector out = kg_vector_subtract (x, nearest.point);

      if (walks)
        out.y = 0;
      x = kg_vector_add_scaled (x, radius - nearest.distance, kg_vector_normalize_or (out, kg_vector (0, 0, 0)));
      s->next_v[i] = steering_slide (s->next_v[i], kg_vector_normalize_or (out, kg_vector (0, 0, 0)));
    }
  }
  if (walks && s->world->ground != NULL && s->world->ground->n > 0) {
    const BoundingBox box = box_tree_get_bounds (s->world->ground->tree);
    const KgVector from = kg_vector (x.x, (double) box.high[1] + 1, x.z);
    double t = (double) box.high[1] - (double) box.low[1] + 2;
    uint32_t triangle;

    if (triangle_mesh_hit (s->world->ground, from, kg_vector (0, -1, 0), &t, &triangle))
      x.y = from.y - t;
  }
  if (!kg_vector_is_finite (x) || fabs (x.x) > 1e9 || fabs (x.y) > 1e9 || fabs (x.z) > 1e9) {
    x = kg_floats_get_vector (s->p, i);
    s->next_v[i] = kg_vector (0, 0, 0);
    agent_step_note (s, (AgentFault){ .kind = FAULT_FAR, .agent = i });
  }
  kg_floats_set_vector (s->p, i, x);
}

bool
agent_step_settle (AgentStep *s)
{
  const AgentSettings *settings = &s->world->settings;
  const float *script = kg_geometry_get_positions (s->world->agents);
  g_autofree float *places = g_new0 (float, 3 * s->n + 1), *packed = g_new0 (float, 3 * s->n + 1);
  g_autofree uint32_t *index = g_new0 (uint32_t, s->n + 1);
  g_autoptr (PointTree) tree = NULL;
  g_autofree float *before = g_memdup2 (s->p, 3 * s->n * sizeof *s->p);
  size_t count = 0;

  for (size_t i = 0; i < s->n; i++) {
    kg_floats_set_vector (places, i, s->next_p[i]);
    if (s->gone[i] == 0) {
      memcpy (packed + 3 * count, places + 3 * i, 3 * sizeof *packed);
      index[count++] = (uint32_t) i;
    }
  }
  if (settings->collide && (tree = point_tree_new (packed, count, s->monitor)) == NULL)
    return false;
#pragma omp parallel for schedule(dynamic, 64) if (s->n > AGENT_BLOCK)
  for (size_t i = 0; i < s->n; i++)
    if (s->gone[i] == 0)
      settle_agent (s, i, places, tree, index);
  for (size_t i = 0; i < s->n; i++) {
    if (s->gone[i] != 0)
      continue;
    mix_with_script (s, i, kg_floats_get_vector (before, i), script);
    kg_floats_set_vector (s->v, i, s->next_v[i]);
    s->speed[i] = (float) kg_vector_length (s->next_v[i]);
  }
  return true;
}

/* Things. */

static void
release_thing (AgentStep *s, size_t i)
{
  const int32_t thing = s->holds[i];

  if (thing >= 0 && thing < (int32_t) s->m) {
    s->holder[thing] = -1;
    s->placed[thing] = 1;
    memcpy (s->moved + 3 * thing, s->p + 3 * i, 3 * sizeof *s->moved);
  }
  s->holds[i] = -1;
}

static void
release_claim (AgentStep *s, size_t i)
{
  if (s->claims[i] >= 0 && s->claims[i] < (int32_t) s->m && s->claimed[s->claims[i]] == (int32_t) i)
    s->claimed[s->claims[i]] = -1;
  s->claims[i] = -1;
}

static void
eat (AgentStep *s, size_t i, int32_t object)
{
  if (object >= (int32_t) s->m) {
    if (s->gone[object - (int32_t) s->m] == 0) {
      s->gone[object - (int32_t) s->m] = 1;
      s->ate[i] = 1;
    }
  } else if (s->thing_gone[object] == 0) {
    s->amount[object] -= (float) s->wants_amount[i];
    s->ate[i] = 1;
    if (s->amount[object] <= 0)
      s->thing_gone[object] = 1;
  }
}

/* What hands were to do, others were quicker with. */
static void
miss (AgentStep *s, size_t i)
{
  s->arrived[i] = 0;
  s->carried[i] = MIN (s->carried[i], AGENT_CARRIES_OUT);
}

static void
deal (AgentStep *s, size_t i)
{
  const int32_t object = s->wants_thing[i];

  if (s->gone[i] != 0)
    return;
  switch ((AgentMotorKind) s->wants_how[i]) {
  case MOTOR_EAT:
    if (object >= 0)
      eat (s, i, object);
    break;
  case MOTOR_TAKE:
    if (object == s->holds[i] && object >= 0)
      s->ate[i] = 1;
    else if (object < 0 || object >= (int32_t) s->m || s->thing_gone[object] != 0 || s->holder[object] >= 0 ||
             s->holds[i] >= 0)
      miss (s, i);
    else {
      s->holder[object] = (int32_t) i;
      s->holds[i] = object;
      s->ate[i] = 1;
    }
    break;
  case MOTOR_CLAIM:
    if (object < 0 || object >= (int32_t) s->m || (s->claimed[object] >= 0 && s->claimed[object] != (int32_t) i)) {
      miss (s, i);
      break;
    }
    if (s->claims[i] != object)
      release_claim (s, i);
    s->claimed[object] = (int32_t) i;
    s->claims[i] = object;
    break;
  case MOTOR_DROP:
    release_thing (s, i);
    break;
  case MOTOR_RELEASE:
    release_claim (s, i);
    break;
  default:
    s->gone[i] = 1;
  }
}

void
agent_step_things (AgentStep *s)
{
  const AgentProgram *program = s->program;
  const guint first_fact = agent_program_get_first_fact (program);
  g_autofree double *row = g_new (double, agent_program_get_n_inputs (program));

  for (size_t i = 0; i < s->n; i++)
    if (s->wants_thing[i] >= 0)
      deal (s, i);
  for (size_t i = 0; i < s->n; i++) {
    if (s->gone[i] != 0) {
      release_thing (s, i);
      release_claim (s, i);
      continue;
    }
    if (s->holds[i] >= 0 && s->holds[i] < (int32_t) s->m) {
      s->placed[s->holds[i]] = 1;
      memcpy (s->moved + 3 * s->holds[i], s->p + 3 * i, 3 * sizeof *s->moved);
    }
    for (guint k = 0; k < AGENT_MAX_SETS; k++) {
      const int32_t b = s->behaviours[AGENT_MAX_SETS * i + k];
      const AgentBehaviour *behaviour = b >= 0 ? &g_array_index (program->behaviours, AgentBehaviour, b) : NULL;
      bool eats = false;
      guint first, n;

      if (behaviour == NULL || behaviour->satisfied < 0)
        continue;
      if (agent_step_get_act (s, i, (guint) b, &first, &n))
        for (guint m = first; m < first + n; m++)
          eats = eats || g_array_index (program->motors, AgentMotor, m).kind == MOTOR_EAT;
      /* Food has to be there. */
      if (!eats || s->ate[i] != 0) {
        double *x = &agent_column (s, first_fact + (guint) behaviour->satisfied)[i];

        agent_get_row (s, i, row);
        *x = fmax (0, *x - agent_program_call (program, behaviour->satisfies, 0, row) * s->world->dt);
      }
    }
  }
}

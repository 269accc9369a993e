/* flock: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock.h"

#include "geometry/flock_measure.h"
#include "kg-floats.h"
#include "kg-kernel.h"
#include "kg-random.h"
#include "sim/flight_frame.h"
#include "sim/flock_step.h"

#include <string.h>

/* Places along a path. */
#define PATH_STEPS 1024

/* Unit headings: of the velocities, or else of what the bodies were turned to. */
static void
find_headings (FlockStep *step, const float *orient)
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
  const FlockStep *step = data;

  return !flock_obstacles_hide (step->s->obstacles, step->room[from], kg_floats_get_vector (step->own_p, from),
                                kg_floats_get_vector (step->seen.p, to));
}

static bool
path_init (FlockPath *path, const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error)
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
path_clear (FlockPath *path)
{
  g_free (path->place);
  g_free (path->tangent);
  g_free (path->p);
  g_clear_pointer (&path->tree, point_tree_free);
}

static void
step_clear (FlockStep *step)
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
find_normals (FlockStep *step, const KgProgressMonitor *monitor)
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
find_rooms (const FlockStep *step, const FlockObstacles *obstacles, uint32_t **room, const KgProgressMonitor *monitor)
{
  if (obstacles == NULL)
    return true;
  *room = g_new (uint32_t, step->n);
  return flock_obstacles_find_rooms (obstacles, step->own_p, step->n, *room, monitor);
}

static bool
gather_others (FlockStep *step, const KgProgressMonitor *monitor)
{
  const uint32_t *order = flock_look_get_order (step->look);

  if (step->others == NULL)
    step->others = g_new (FlockOther, step->n);
#pragma omp parallel for schedule(static, 4096) if (step->n > KG_PARALLEL_FROM)
  for (size_t k = 0; k < step->n; k++) {
    const size_t i = order[k];

    step->others[k] = (FlockOther){ .width = step->width[i], .index = (uint32_t) i };
    memcpy (step->others[k].p, step->seen.p + 3 * i, sizeof step->others[k].p);
    memcpy (step->others[k].v, step->seen_v + 3 * i, sizeof step->others[k].v);
  }
  return !kg_progress_is_cancelled (monitor);
}

static bool
prepare (FlockStep *step, KgGeometry *from, KgGeometry *to, const KgProgressMonitor *monitor, GError **error)
{
  const FlockSettings *s = step->s;

  step->heading = g_new (float, 3 * step->n);
  step->a = g_new (float, 3 * step->n);
  step->sums = g_malloc0_n ((step->n + FLOCK_BLOCK - 1) / FLOCK_BLOCK, sizeof *step->sums);
  flock_find_ages (step, to);
  flock_look_back (step, from, 0);
  find_headings (step, kg_geometry_get_float (from, KG_POINTS, "orient", 4));
  flock_find_lead (step, from);
  if (s->aim == FLOCK_AIM_PATH && !path_init (&step->path, s->path, monitor, error))
    return false;
  return flock_arrange (step, to, monitor) && flock_begin_turn (step, to, monitor) &&
         flock_check_groups (step, monitor) && find_normals (step, monitor) &&
         find_rooms (step, s->obstacles, &step->room, monitor) && find_rooms (step, s->colliders, &step->cell, monitor);
}

/* What there is to see for those for whom flock_look_back () prepared the step. */
static bool
look_around (FlockStep *step, const KgProgressMonitor *monitor)
{
  const FlockSettings *s = step->s;
  FlockSight sight = s->sight;

  if (s->center_of_flock)
    step->centroid = flock_measure (step->seen.p, NULL, step->n).centroid;
  if (!flock_find_strangers (step, monitor))
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
perceive_and_decide (FlockStep *step, const KgGeometry *from, const KgProgressMonitor *monitor)
{
  bool there[FLOCK_MOST_AGE + 1] = { step->age == NULL };

  for (size_t i = 0; step->age != NULL && i < step->n; i++)
    there[step->age[i]] = true;
  for (int32_t age = 0; age <= FLOCK_MOST_AGE; age++) {
    if (!there[age])
      continue;
    if (age > 0) {
      flock_look_back (step, from, age);
      flock_find_lead (step, from);
    }
    if (!look_around (step, monitor) || !flock_decide_all (step, monitor))
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
write_budgets (const FlockStep *step, KgGeometry *to)
{
  float *budgets = kg_geometry_edit_float (to, KG_WHOLE, "budgets", 16);

  for (int k = 0; k < 2 * FLOCK_N_URGES; k++) {
    double sum = 0;

    for (size_t b = 0; b < (step->n + FLOCK_BLOCK - 1) / FLOCK_BLOCK; b++)
      sum += step->sums[b][k];
    budgets[k] = (float) (sum / (double) step->n);
  }
}

_Static_assert(2 * FLOCK_N_URGES == 16, "the budgets of a state are 16 numbers");

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
  FlockStep step = { .s = settings, .time = time, .dt = dt, .n = kg_geometry_get_n_points (*state) };
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
  flock_keep_past (to, *state, settings, dt);
  prepare_records (step.s, to, step.records);
  done = prepare (&step, *state, to, monitor, error) && perceive_and_decide (&step, *state, monitor);
  if (done) {
    write_budgets (&step, to);
    done = flock_move_all (&step, *state, to, misses, monitor);
  }
  if (done) {
    flock_change_leader (&step, to, kg_geometry_get_positions (to));
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
  flock_choose_leader (members);
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
    flock_drop_past (shown, 1);
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

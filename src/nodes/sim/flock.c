/* sim/flock: birds, fish, herds: many members that keep together, apart, and clear of what is in the way.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock.h"

#include "geometry/flock_measure.h"
#include "kg-node.h"
#include "kg-floats.h"
#include "sim/particle_birth.h"

#include <inttypes.h>

#define FLOCK_MAX 1000000

typedef struct {
  const KgGeometry *members;
  int64_t count;
  int start_shape;
  KgVector start_position;
  KgVector start_size;
  KgVector start_velocity;
  double start_spread;
  double body;
  double radius;
  double fov;
  int64_t neighbours;
  int weight;
  double weight_power;
  double fov_speed;
  double self_weight;
  double min_angle;
  int occlusion;
  int search;
  int spacing_law;
  double separation;
  double separation_distance;
  double separation_power;
  bool separation_sees_behind;
  int separation_mode;
  double matching;
  double matching_time;
  double centering;
  double centering_time;
  int centering_of;
  double rejoin;
  double rejoin_sight;
  int migrate;
  KgVector migration;
  KgVector goal;
  const KgGeometry *path;
  double path_radius;
  double migration_strength;
  int migrate_when;
  double cruise_speed;
  int leader;
  const char *leader_ids;
  KgVector leader_position;
  double follow_distance;
  double follow_strength;
  double lead_cost;
  double rest_gain;
  double tired;
  int formation;
  double formation_angle;
  double spacing;
  double slot_time;
  double slot_strength;
  int avoid;
  const KgGeometry *obstacles;
  double look_ahead;
  double comfort;
  double avoid_strength;
  double avoid_distance;
  double avoid_power;
  bool avoid_only_approach;
  int64_t feelers;
  int64_t view_size;
  double view_angle;
  const KgGeometry *colliders;
  int negotiation;
  const char *priority;
  double budget;
  double response_time;
  double damping;
  double max_speed;
  double min_speed;
  double max_acceleration;
  double max_thrust;
  double max_brake;
  double max_turn;
  double reaction_time;
  double perception_rate;
  double turn_at;
  int64_t turn_by;
  int64_t anticipation;
  KgVector turn_to;
  const KgGeometry *ground;
  int ground_by;
  double max_slope;
  double lean;
  double bank_gain;
  double max_bank;
  double flap_rate;
  double flap_angle;
  double wander;
  int64_t seed;
  KgList forces;
  bool weigh;
  bool wishes;
  KgGeometry *state;
  KgGeometry *geometry;
  KgGeometry *left_wings;
  KgGeometry *right_wings;
  KgTable *budgets;
  int64_t groups;
  double polarisation;
  KgVector center;
} Flock;

enum { START_BALL, START_BOX, START_SURFACE, N_STARTS };

static const KgChoice flock_starts[] = {
  [START_BALL] = { "ball", N_ ("A ball") },
  [START_BOX] = { "box", N_ ("A box") },
  [START_SURFACE] = { "surface", N_ ("Surface of the members' geometry") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_starts, N_STARTS);

static const KgChoice flock_weights[] = {
  [FLOCK_WEIGHT_POWER] = { "power", N_ ("Inverse power of the distance") },
  [FLOCK_WEIGHT_ANGLE] = { "angle", N_ ("Apparent size") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_weights, FLOCK_N_WEIGHTS);

static const KgChoice flock_hides[] = {
  [FLOCK_HIDE_NOTHING] = { "off", N_ ("Nothing") },
  [FLOCK_HIDE_MEMBERS] = { "members", N_ ("Members") },
  [FLOCK_HIDE_OBSTACLES] = { "obstacles", N_ ("Obstacles") },
  [FLOCK_HIDE_BOTH] = { "both", N_ ("Members and obstacles") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_hides, FLOCK_N_HIDES);

enum { SEARCH_CELLS, SEARCH_ALL, N_SEARCHES };

static const KgChoice flock_searches[] = {
  [SEARCH_CELLS] = { "cells", N_ ("Cells") },
  [SEARCH_ALL] = { "all", N_ ("Each with each") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_searches, N_SEARCHES);

enum { LAW_SEPARATE, LAW_COMBINED, N_LAWS };

static const KgChoice flock_laws[] = {
  [LAW_SEPARATE] = { "separate", N_ ("Keep apart, and centre") },
  [LAW_COMBINED] = { "combined", N_ ("One law for both") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_laws, N_LAWS);

enum { APART_DISTANCE, APART_PREDICTED, N_APARTS };

static const KgChoice flock_aparts[] = {
  [APART_DISTANCE] = { "distance", N_ ("Distance now") },
  [APART_PREDICTED] = { "predicted", N_ ("Distance when closest") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_aparts, N_APARTS);

enum { CENTER_NEIGHBOURS, CENTER_FLOCK, N_CENTERS };

static const KgChoice flock_centers[] = {
  [CENTER_NEIGHBOURS] = { "neighbours", N_ ("Neighbours") },
  [CENTER_FLOCK] = { "flock", N_ ("Whole flock") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_centers, N_CENTERS);

static const KgChoice flock_aims[] = {
  [FLOCK_AIM_DIRECTION] = { "direction", N_ ("Direction") },
  [FLOCK_AIM_GOAL] = { "goal", N_ ("Goal") },
  [FLOCK_AIM_PATH] = { "path", N_ ("Path") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_aims, FLOCK_N_AIMS);

enum { MIGRATE_ALWAYS, MIGRATE_ALONE, N_WHENS };

static const KgChoice flock_whens[] = {
  [MIGRATE_ALWAYS] = { "always", N_ ("Always") },
  [MIGRATE_ALONE] = { "alone", N_ ("When nobody is seen") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_whens, N_WHENS);

static const KgChoice flock_leaders[] = {
  [FLOCK_LEADER_NONE] = { "none", N_ ("None") },
  [FLOCK_LEADER_SCRIPTED] = { "scripted", N_ ("Moved from outside") },
  [FLOCK_LEADER_CHANGING] = { "changing", N_ ("Changing") },
  [FLOCK_LEADER_FRONT] = { "nearest_front", N_ ("Nearest one in front") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_leaders, FLOCK_N_LEADERS);

static const KgChoice flock_formations[] = {
  [FORMATION_NONE] = { "none", N_ ("None") },
  [FORMATION_V] = { "v", N_ ("V") },
  [FORMATION_ECHELON] = { "echelon", N_ ("Echelon") },
  [FORMATION_LINE] = { "line", N_ ("Line abreast") },
  [FORMATION_DIAMOND] = { "diamond", N_ ("Diamond") },
  [FORMATION_COLUMN] = { "column", N_ ("Column") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_formations, N_FORMATIONS);

static const KgChoice flock_avoids[] = {
  [FLOCK_AVOID_NONE] = { "none", N_ ("None") },
  [FLOCK_AVOID_FIELD] = { "field", N_ ("Force field") },
  [FLOCK_AVOID_CENTER] = { "center", N_ ("Away from the centre") },
  [FLOCK_AVOID_STEER] = { "steer", N_ ("To the rim of a ball around it") },
  [FLOCK_AVOID_SILHOUETTE] = { "silhouette", N_ ("Past the silhouette") },
  [FLOCK_AVOID_FEELERS] = { "feelers", N_ ("Feelers") },
  [FLOCK_AVOID_VIEW] = { "view", N_ ("View") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_avoids, FLOCK_N_AVOIDANCES);

static const KgChoice flock_negotiations[] = {
  [FLOCK_AVERAGE] = { "average", N_ ("Weighted mean") },
  [FLOCK_SUM] = { "sum", N_ ("Sum") },
  [FLOCK_PRIORITY] = { "priority", N_ ("Prioritised allocation") },
  [FLOCK_ACCELERATION] = { "acceleration", N_ ("Prioritised acceleration") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_negotiations, FLOCK_N_NEGOTIATIONS);

enum { GROUND_BELOW, GROUND_NEAREST, N_GROUNDS };

static const KgChoice flock_grounds[] = {
  [GROUND_BELOW] = { "below", N_ ("Straight below") },
  [GROUND_NEAREST] = { "nearest", N_ ("Nearest place") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (flock_grounds, N_GROUNDS);

static FlockSettings
flock_get_settings (const Flock *n)
{
  return (FlockSettings){
    .sight = { .radius = n->radius,
               .angle = n->fov,
               .growth = n->fov_speed,
               .neighbours = (size_t) n->neighbours,
               .weight = (FlockWeight) n->weight,
               .power = n->weight_power,
               .least_angle = n->min_angle,
               .behind = n->separation_sees_behind },
    .hide = (FlockHide) n->occlusion,
    .search_all = n->search == SEARCH_ALL,
    .council = { .how = (FlockNegotiation) n->negotiation,
                 .budget = n->budget,
                 .max_acceleration = n->max_acceleration,
                 .response = n->response_time },
    .governors = { n->max_speed, n->min_speed, n->max_acceleration, n->max_thrust, n->max_brake, n->max_turn },
    .damping = n->damping,
    .separation = n->separation,
    .separation_distance = n->separation_distance,
    .separation_power = n->separation_power,
    .predict = n->separation_mode == APART_PREDICTED,
    .combined = n->spacing_law == LAW_COMBINED,
    .matching = n->matching,
    .matching_time = n->matching_time,
    .centering = n->centering,
    .centering_time = n->centering_time,
    .center_of_flock = n->centering_of == CENTER_FLOCK,
    .self_weight = n->self_weight,
    .rejoin = n->rejoin,
    .rejoin_sight = n->rejoin_sight,
    .aim = (FlockAim) n->migrate,
    .migration = n->migration,
    .goal = n->goal,
    .path = n->path,
    .path_radius = n->path_radius,
    .migration_strength = n->migration_strength,
    .cruise_speed = n->cruise_speed,
    .alone = n->migrate_when == MIGRATE_ALONE,
    .leader = (FlockLeader) n->leader,
    .leader_place = n->leader_position,
    .follow_distance = n->follow_distance,
    .follow_strength = n->follow_strength,
    .lead_cost = n->lead_cost,
    .rest_gain = n->rest_gain,
    .tired = n->tired,
    .formation = (FlockFormation) n->formation,
    .formation_angle = n->formation_angle,
    .spacing = n->spacing,
    .slot_time = n->slot_time,
    .slot_strength = n->slot_strength,
    .reaction_time = n->reaction_time,
    .perception_rate = n->perception_rate,
    .turn_at = n->turn_at,
    .turn_by = n->turn_by,
    .anticipation = n->anticipation,
    .turn_to = n->turn_to,
    .avoiding = { .how = (FlockAvoidance) n->avoid,
                  .look_ahead = n->look_ahead,
                  .cruise = n->cruise_speed,
                  .comfort = n->comfort,
                  .strength = n->avoid_strength,
                  .distance = n->avoid_distance,
                  .power = n->avoid_power,
                  .approach = n->avoid_only_approach,
                  .response = n->response_time,
                  .rays = (guint) n->feelers,
                  .size = (guint) n->view_size,
                  .angle = n->view_angle },
    .max_slope = n->max_slope,
    .lean = n->lean,
    .bank_gain = n->bank_gain,
    .max_bank = n->max_bank,
    .flap_rate = n->flap_rate,
    .flap_angle = n->flap_angle,
    .wander = n->wander,
    .seed = (uint64_t) n->seed,
    .weigh = n->weigh,
    .record = n->wishes,
  };
}

/* Scattered members: places and velocities as particles are born with. */
static KgGeometry *
flock_scatter (const Flock *n, const KgContext *ctx, GError **error)
{
  g_autoptr (KgGeometry) members = kg_geometry_new ();
  ParticleSource source = { .seed = (uint64_t) n->seed,
                            .shape = n->start_shape == START_BOX       ? PARTICLE_FROM_BOX
                                     : n->start_shape == START_SURFACE ? PARTICLE_FROM_SURFACE
                                                                       : PARTICLE_FROM_BALL,
                            .before = n->start_position,
                            .now = n->start_position,
                            .size = n->start_size,
                            .direction = kg_vector_normalize_or (n->start_velocity, kg_vector (0, 0, 1)),
                            .spread = n->start_spread,
                            .speed = kg_vector_length (n->start_velocity),
                            .geometry = n->members };
  float *p, *v;

  if (n->start_shape == START_SURFACE) {
    const size_t most = n->members != NULL ? particle_source_count_triangles (n->members) : 0;
    double *areas = (double *) kg_context_scratch (ctx, most * sizeof *areas + 1, error);
    uint32_t *triangles =
        areas == NULL ? NULL : (uint32_t *) kg_context_scratch (ctx, 3 * most * sizeof *triangles + 1, error);

    if (triangles == NULL)
      return NULL;
    if (most > 0)
      particle_source_set_triangles (&source, areas, triangles);
    if (!particle_source_is_usable (&source)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "there is no surface to start from: link a geometry with polygons to members, or start in a ball");
      return NULL;
    }
  }
  if (!kg_geometry_set_n_points (members, (size_t) n->count, error))
    return NULL;
  p = kg_geometry_edit_positions (members);
  v = kg_geometry_edit_float (members, KG_POINTS, "v", 3);
  for (size_t i = 0; i < (size_t) n->count; i++) {
    KgVector place, velocity;

    if (i % 4096 == 0 && kg_context_is_cancelled (ctx))
      return NULL;
    particle_source_draw (&source, i, 0, &place, &velocity);
    kg_floats_set_vector (p, i, place);
    kg_floats_set_vector (v, i, velocity);
  }
  return g_steal_pointer (&members);
}

/* The linked points, or scattered ones. */
static KgGeometry *
flock_get_members (const Flock *n, const KgContext *ctx, GError **error)
{
  KgGeometry *members;

  if (n->start_shape == START_SURFACE || n->members == NULL)
    return flock_scatter (n, ctx, error);
  if (kg_geometry_get_n_points (n->members) > FLOCK_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu members are more than the limit of %d: thin them out",
                  kg_geometry_get_n_points (n->members), FLOCK_MAX);
    return NULL;
  }
  members = kg_geometry_ref (n->members);
  kg_geometry_make_writable (&members);
  kg_geometry_clear_primitives (members);
  if (kg_geometry_get_float (members, KG_POINTS, "v", 3) == NULL) {
    float *v = kg_geometry_edit_float (members, KG_POINTS, "v", 3);

    for (size_t i = 0; i < kg_geometry_get_n_points (members); i++)
      kg_floats_set_vector (v, i, n->start_velocity);
  }
  return members;
}

/* Obstacles and ground stay from frame to frame as long as their geometry does. */
typedef struct {
  const KgGeometry *geometry;
  const KgContext *ctx;
  bool nearest;
} Build;

static gpointer
flock_build_obstacles (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);

  *bytes = 8 * kg_geometry_get_bytes (build->geometry);
  return flock_obstacles_new (build->geometry, &monitor, error);
}

static gpointer
flock_build_ground (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);

  *bytes = 4 * kg_geometry_get_bytes (build->geometry);
  return flock_ground_new (build->geometry, build->nearest, &monitor, error);
}

/* NULL and *error, or cancelled, where there is a geometry. */
static const FlockObstacles *
flock_get_obstacles (const KgGeometry *geometry, size_t field, const KgContext *ctx, GError **error)
{
  Build build = { .geometry = geometry, .ctx = ctx };

  return (const FlockObstacles *) kg_context_memo (
      ctx, kg_hash_text (kg_context_get_fingerprint (ctx, field), "flock obstacles"), flock_build_obstacles, &build,
      (GDestroyNotify) flock_obstacles_free, error);
}

static const FlockGround *
flock_get_ground (const Flock *n, const KgContext *ctx, GError **error)
{
  Build build = { .geometry = n->ground, .ctx = ctx, .nearest = n->ground_by == GROUND_NEAREST };
  const KgHash key = kg_hash_text (kg_context_get_fingerprint (ctx, offsetof (Flock, ground)), "flock ground");

  return (const FlockGround *) kg_context_memo (ctx, kg_hash_uint (key, build.nearest), flock_build_ground, &build,
                                                (GDestroyNotify) flock_ground_free, error);
}

/* What no step could go on with, before the first one.  council: (out) the urges. */
static bool
flock_check (const Flock *n, FlockCouncil *council, GError **error)
{
  if (n->min_speed > n->max_speed) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the least speed of %g is above the largest of %g: lower min_speed or raise max_speed", n->min_speed,
                  n->max_speed);
    return false;
  }
  if (n->migrate == FLOCK_AIM_PATH && n->path == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the flock follows a path, but there is none: link a curve to path, or migrate in a direction");
    return false;
  }
  if (n->migrate == FLOCK_AIM_PATH) {
    Curve *curve = curve_new (n->path, 0, error);

    if (curve == NULL) {
      kg_prefix_error (error, "the path: ");
      return false;
    }
    curve_free (curve);
  }
  council->n = flock_urges_parse (n->priority, council->order, error);
  return council->n > 0;
}

static bool
flock_start (Flock *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  FlockSettings settings = flock_get_settings (n);
  g_autoptr (KgGeometry) members = NULL;

  if (!flock_check (n, &settings.council, error) || (members = flock_get_members (n, ctx, error)) == NULL)
    return false;
  if (n->leader != FLOCK_LEADER_NONE && !flock_name_leaders (members, n->leader_ids, error))
    return false;
  if (n->ground != NULL && (settings.ground = flock_get_ground (n, ctx, error)) == NULL)
    return false;
  if (!flock_state_begin (members, &settings, n->body, &monitor, error))
    return false;
  n->state = g_steal_pointer (&members);
  return true;
}

/* A geometry that is linked and is empty is a mistake more often than not. */
static void
flock_warn_of_nothing (const KgContext *ctx, const KgGeometry *geometry, bool used, const char *message)
{
  if (used && geometry != NULL && kg_geometry_get_n_points (geometry) == 0)
    kg_context_warn (ctx, "%s", kg_translate (message));
}

static bool
flock_advance_with (Flock *n, const KgContext *ctx, FlockSettings *settings, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const bool looks = n->avoid != FLOCK_AVOID_NONE || n->occlusion >= FLOCK_HIDE_OBSTACLES;
  size_t misses;

  flock_warn_of_nothing (ctx, n->obstacles, looks,
                         N_ ("the obstacles are empty: nothing is avoided; link meshes or points"));
  flock_warn_of_nothing (ctx, n->colliders, true, N_ ("the colliders are empty: nothing stops the flock; link meshes"));
  if (n->obstacles != NULL && looks &&
      (settings->obstacles = flock_get_obstacles (n->obstacles, offsetof (Flock, obstacles), ctx, error)) == NULL)
    return false;
  if (n->colliders != NULL &&
      (settings->colliders = flock_get_obstacles (n->colliders, offsetof (Flock, colliders), ctx, error)) == NULL)
    return false;
  if (n->ground != NULL && (settings->ground = flock_get_ground (n, ctx, error)) == NULL)
    return false;
  if (!flock_state_step (&n->state, settings, ctx->time, dt, &misses, &monitor, error))
    return false;
  if (misses > 0)
    kg_context_warn_plural (
        ctx, misses, "%zu member has no ground below or above it and keeps its height: make the ground larger",
        "%zu members have no ground below or above them and keep their height: make the ground larger", misses);
  return true;
}

static bool
flock_advance (Flock *n, const KgContext *ctx, double dt, GError **error)
{
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));
  g_autoptr (KgField) force = NULL;
  FlockSettings settings = flock_get_settings (n);

  if (!flock_check (n, &settings.council, error))
    return false;
  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  if (n->forces.n > 0 && (force = kg_field_new_sum (fields, n->forces.n, error)) == NULL)
    return false;
  settings.force = force;
  return flock_advance_with (n, ctx, &settings, dt, error);
}

/* The members, each turned about its own axis by its stroke. */
static KgGeometry *
flock_turn_wings (const Flock *n, double side)
{
  const size_t count = kg_geometry_get_n_points (n->geometry);
  const float *stroke = kg_geometry_get_float (n->geometry, KG_POINTS, "stroke", 1);
  KgGeometry *wings = kg_geometry_ref (n->geometry);
  float *orient;

  kg_geometry_make_writable (&wings);
  orient = kg_geometry_edit_float (wings, KG_POINTS, "orient", 4);
#pragma omp parallel for schedule(static, 4096) if (count > 8192)
  for (size_t i = 0; i < count; i++) {
    float *q = orient + 4 * i;
    const double half = 0.5 * side * (double) stroke[i];
    const KgRotation turned =
        kg_rotation_multiply (kg_floats_get_rotation (q, 0), (KgRotation){ cos (half), 0, 0, sin (half) });

    kg_floats_set_rotation (q, 0, turned);
  }
  return wings;
}

static bool
flock_evaluate (Flock *n, const KgContext *ctx, GError **error)
{
  const FlockSettings settings = flock_get_settings (n);
  const size_t count = kg_geometry_get_n_points (n->state);
  const int32_t *group = kg_geometry_get_int (n->state, KG_POINTS, "group", 1);
  const FlockMeasure measure =
      flock_measure (kg_geometry_get_positions (n->state), kg_geometry_get_float (n->state, KG_POINTS, "v", 3), count);
  FlockBudgets budgets;
  double *cells;

  (void) ctx;
  n->geometry = flock_state_show (n->state, &settings);
  n->left_wings = flock_turn_wings (n, 1);
  n->right_wings = flock_turn_wings (n, -1);
  n->polarisation = measure.polarisation;
  n->center = measure.centroid;
  for (size_t i = 0; i < count; i++)
    n->groups = MAX (n->groups, (int64_t) group[i] + 1);
  n->budgets = kg_table_new (FLOCK_N_URGES, flock_urge_names, 2, error);
  if (n->budgets == NULL)
    return false;
  flock_get_budgets (n->state, &budgets);
  cells = kg_table_edit (n->budgets);
  for (int k = 0; k < FLOCK_N_URGES; k++) {
    cells[k] = budgets.asked[k];
    cells[FLOCK_N_URGES + k] = budgets.given[k];
  }
  return true;
}

#define PLACES .min = -1e9, .max = 1e9, .soft_min = -100, .soft_max = 100
#define VELOCITIES .min = -1e6, .max = 1e6, .soft_min = -20, .soft_max = 20
#define SIGHT .group = N_ ("Perception")
#define APART .group = N_ ("Separation")
#define TOGETHER .group = N_ ("Matching and centering")
#define AIM .group = N_ ("Migration")
#define LEADING .group = N_ ("Leader and formation")
#define AVOIDING .group = N_ ("Obstacles")
#define DECIDING .group = N_ ("Negotiation")
#define LIMITS .group = N_ ("Limits")
#define WAVE .group = N_ ("Reaction")
#define GROUND .group = N_ ("Ground")
#define BODY .group = N_ ("Flight")

static const KgSlot flock_slots[] = {
  KG_INPUT (Flock, members, GEOMETRY, .label = N_ ("Members"), .optional = true,
            .help = N_ ("Points to start from, with v, width, mass, id and leader if they have them. Without a link, "
                        "members are scattered.")),
  KG_INPUT (Flock, count, INTEGER, .label = N_ ("Count"), .def = 100, .min = 0, .max = FLOCK_MAX, .soft_max = 2000,
            .help = N_ ("Number of members that are scattered.")),
  KG_INPUT (Flock, start_shape, CHOICE, .label = N_ ("Start in"), .choices = flock_starts,
            .help = N_ ("Shape in which members are scattered.")),
  KG_INPUT (Flock, start_position, VECTOR, .label = N_ ("Start position"), .unit = KG_METRES, PLACES,
            .help = N_ ("Centre of the shape.")),
  KG_INPUT (Flock, start_size, VECTOR, .label = N_ ("Start size"), .unit = KG_METRES,
            .handle = { KG_HANDLE_SIZE, .anchor = "start_position" }, .def_v = { 8, 8, 8 }, .min = 0, .max = 1e9,
            .soft_max = 100, .help = N_ ("Size of the box; the first number is the diameter of the ball.")),
  KG_INPUT (Flock, start_velocity, VECTOR, .label = N_ ("Start velocity"), .def_v = { 0, 0, 5 }, VELOCITIES,
            .help = N_ ("Velocity at the start, in metres per second.")),
  KG_INPUT (Flock, start_spread, NUMBER, .label = N_ ("Start spread"), .unit = KG_DEGREES, .def = 30, .min = 0,
            .max = 180, .help = N_ ("How far the first headings of scattered members deviate.")),
  KG_INPUT (Flock, body, NUMBER, .label = N_ ("Body"), .unit = KG_METRES, .def = 0.2, .min = 0, .max = 1e6,
            .soft_max = 2, .help = N_ ("Diameter of members without the attribute width.")),
  KG_INPUT (Flock, radius, NUMBER, SIGHT, .label = N_ ("Radius"), .unit = KG_METRES, .def = 5, .min = 1e-3, .max = 1e6,
            .soft_max = 20, .help = N_ ("How far a member sees. Chains of members within it are one group.")),
  KG_INPUT (Flock, fov, NUMBER, SIGHT, .label = N_ ("Field of view"), .unit = KG_DEGREES, .def = 270, .min = 0,
            .max = 360, .help = N_ ("Whole angle of the cone about the heading; 360 sees all round.")),
  KG_INPUT (Flock, neighbours, INTEGER, SIGHT, .label = N_ ("Neighbours"), .def = 7, .min = 0, .max = FLOCK_ATTENTION,
            .soft_max = 20,
            .help = N_ ("How many of the nearest members a member attends to; 0 is all that it sees, which is slow in "
                        "dense flocks.")),
  KG_INPUT (Flock, weight, CHOICE, SIGHT, .label = N_ ("Weight"), .choices = flock_weights,
            .help = N_ ("What gives a neighbour more weight.")),
  KG_INPUT (Flock, weight_power, NUMBER, SIGHT, .label = N_ ("Power"), .shown_when = "weight=power", .def = 2, .min = 0,
            .max = 3, .help = N_ ("0 weighs all neighbours equally; 2 and 3 are inverse squares and cubes.")),
  KG_INPUT (Flock, min_angle, NUMBER, SIGHT, .label = N_ ("Least angle"), .shown_when = "weight=angle",
            .unit = KG_DEGREES, .def = 0.1, .min = 0, .max = 180, .soft_max = 5,
            .help = N_ ("Members that cover a smaller angle are not noticed.")),
  KG_INPUT (Flock, fov_speed, NUMBER, SIGHT, .label = N_ ("Narrowing"), .min = 0, .max = 100, .soft_max = 2,
            .help = N_ ("How much farther, and in how much narrower a cone, a member sees at its cruising speed.")),
  KG_INPUT (Flock, self_weight, NUMBER, SIGHT, .label = N_ ("Own weight"), .min = 0, .max = 1e6, .soft_max = 2,
            .help = N_ ("Weight of a member itself in the means of its neighbours.")),
  KG_INPUT (Flock, occlusion, CHOICE, SIGHT, .label = N_ ("Hidden by"), .choices = flock_hides,
            .help = N_ ("What hides members from each other.")),
  KG_INPUT (
      Flock, search, CHOICE, SIGHT, .label = N_ ("Search"), .choices = flock_searches,
      .help = N_ ("Both methods find the same neighbours; comparing each member with every other serves as a check.")),
  KG_INPUT (Flock, spacing_law, CHOICE, APART, .label = N_ ("Law"), .choices = flock_laws,
            .help = N_ (
                "Whether separation and centering are two urges, or one law that pulls members together from afar and "
                "pushes them apart when near.")),
  KG_INPUT (Flock, separation, NUMBER, APART, .label = N_ ("Separation"), .unit = KG_METRES_PER_SECOND2, .def = 4,
            .min = 0, .max = 1000, .soft_max = 20, .help = N_ ("Strength with which members keep apart.")),
  KG_INPUT (Flock, separation_distance, NUMBER, APART, .label = N_ ("Distance"), .unit = KG_METRES, .def = 1.5,
            .min = 1e-3, .max = 1e6, .soft_max = 10,
            .help = N_ ("Members farther apart than this do not push each other; with one law, the distance at rest.")),
  KG_INPUT (Flock, separation_power, NUMBER, APART, .label = N_ ("Power"), .shown_when = "spacing_law=separate",
            .def = 2, .min = 0.1, .max = 6, .help = N_ ("How steeply the push grows when members come near.")),
  KG_INPUT (Flock, separation_sees_behind, BOOLEAN, APART, .label = N_ ("Feel behind"), .def = 1,
            .help = N_ ("Members also keep apart from those that they do not see.")),
  KG_INPUT (Flock, separation_mode, CHOICE, APART, .label = N_ ("Apart by"), .choices = flock_aparts,
            .help = N_ ("Which distance is used: the current one, or the smallest one on the path ahead.")),
  KG_INPUT (Flock, matching, NUMBER, TOGETHER, .label = N_ ("Matching"), .def = 2, .min = 0, .max = 10,
            .help = N_ ("Strength with which members match the velocity of their neighbours.")),
  KG_INPUT (Flock, matching_time, NUMBER, TOGETHER, .label = N_ ("Matching time"), .unit = KG_SECONDS, .def = 0.5,
            .min = 1e-3, .max = 1e3, .soft_max = 3, .help = N_ ("Time that this would take.")),
  KG_INPUT (Flock, centering, NUMBER, TOGETHER, .label = N_ ("Centering"), .def = 1, .min = 0, .max = 10,
            .help = N_ ("Strength with which members fly to the centre of their neighbours.")),
  KG_INPUT (Flock, centering_time, NUMBER, TOGETHER, .label = N_ ("Centering time"), .unit = KG_SECONDS, .def = 1,
            .min = 1e-3, .max = 1e3, .soft_max = 5, .help = N_ ("Time that this would take.")),
  KG_INPUT (Flock, centering_of, CHOICE, TOGETHER, .label = N_ ("Centre of"), .choices = flock_centers,
            .help = N_ ("The centre of the whole flock keeps it from splitting, and lets it queue before obstacles.")),
  KG_INPUT (Flock, rejoin, NUMBER, TOGETHER, .label = N_ ("Rejoin"), .def = 0.2, .min = 0, .max = 1,
            .help = N_ ("Strength with which members fly to the nearest member of another group.")),
  KG_INPUT (Flock, rejoin_sight, NUMBER, TOGETHER, .label = N_ ("Rejoin within"), .unit = KG_METRES, .def = 15,
            .min = 0, .max = 1e6, .soft_max = 60, .help = N_ ("How far away other groups are noticed.")),
  KG_INPUT (Flock, migrate, CHOICE, AIM, .label = N_ ("Migrate"), .choices = flock_aims,
            .help = N_ ("Where the flock heads.")),
  KG_INPUT (
      Flock, migration, VECTOR, AIM, .label = N_ ("Direction"), .shown_when = "migrate=direction", VELOCITIES,
      .help = N_ ("Velocity that all members aim for, in metres per second; 0 0 0 keeps each on its own heading.")),
  KG_INPUT (Flock, goal, VECTOR, AIM, .label = N_ ("Goal"), .shown_when = "migrate=goal", .unit = KG_METRES, PLACES,
            .help = N_ ("Position that all members head for.")),
  KG_INPUT (Flock, path, GEOMETRY, AIM, .label = N_ ("Path"), .shown_when = "migrate=path", .optional = true,
            .help = N_ ("Curve that all members try to follow.")),
  KG_INPUT (Flock, path_radius, NUMBER, AIM, .label = N_ ("Path radius"), .shown_when = "migrate=path",
            .unit = KG_METRES, .def = 2, .min = 0, .max = 1e6, .soft_max = 20,
            .help = N_ ("Members this close to the path fly along it; others come back to it.")),
  KG_INPUT (Flock, migration_strength, NUMBER, AIM, .label = N_ ("Strength"), .def = 0.1, .min = 0, .max = 1,
            .help = N_ ("Strength of migration.")),
  KG_INPUT (Flock, migrate_when, CHOICE, AIM, .label = N_ ("When"), .choices = flock_whens,
            .help = N_ ("When members migrate.")),
  KG_INPUT (Flock, cruise_speed, NUMBER, AIM, .label = N_ ("Cruise speed"), .unit = KG_METRES_PER_SECOND, .def = 5,
            .min = 0, .max = 1e6, .soft_max = 20,
            .help = N_ ("Speed to the goal, along the path, or along the heading.")),
  KG_INPUT (
      Flock, leader, CHOICE, LEADING, .label = N_ ("Leader"), .choices = flock_leaders,
      .help =
          N_ ("Which member the others follow. The leader is the member with the attribute leader, or the first one.")),
  KG_INPUT (Flock, leader_ids, TEXT, LEADING, .label = N_ ("Leader ids"), .def_text = "",
            .shown_when = "leader=scripted|changing",
            .help = N_ ("Ids of the members that lead, such as 0 4 7, in place of those with the attribute leader. "
                        "The first one is followed; where a leader is moved from outside, the other leaders keep "
                        "their distances from it.")),
  KG_INPUT (Flock, leader_position, VECTOR, LEADING, .label = N_ ("Leader position"), .shown_when = "leader=scripted",
            .unit = KG_METRES, PLACES,
            .help = N_ ("Position of a leader that is moved from outside: key it, or link it.")),
  KG_INPUT (Flock, follow_distance, NUMBER, LEADING, .label = N_ ("Follow distance"), .unit = KG_METRES, .def = 2,
            .min = 0, .max = 1e6, .soft_max = 20,
            .help = N_ ("Distance that the others try to keep behind the "
                        "leader.")),
  KG_INPUT (Flock, follow_strength, NUMBER, LEADING, .label = N_ ("Follow"), .def = 0.5, .min = 0, .max = 1,
            .help = N_ ("Strength with which they follow.")),
  KG_INPUT (Flock, lead_cost, NUMBER, LEADING, .label = N_ ("Cost of leading"), .shown_when = "leader=changing",
            .def = 0.1, .min = 0, .max = 1e3, .soft_max = 1,
            .help = N_ ("Energy that a leader loses per second, as a share of the full energy.")),
  KG_INPUT (Flock, rest_gain, NUMBER, LEADING, .label = N_ ("Gain of following"), .shown_when = "leader=changing",
            .def = 0.05, .min = 0, .max = 1e3, .soft_max = 1, .help = N_ ("Energy that others gain per second.")),
  KG_INPUT (Flock, tired, NUMBER, LEADING, .label = N_ ("Tired at"), .shown_when = "leader=changing", .def = 0.3,
            .min = 0, .max = 1, .help = N_ ("Energy at which a leader gives up the lead.")),
  KG_INPUT (Flock, formation, CHOICE, LEADING, .label = N_ ("Formation"), .choices = flock_formations,
            .help = N_ ("Positions that members keep relative to those in front of them.")),
  KG_INPUT (Flock, formation_angle, NUMBER, LEADING, .label = N_ ("Angle"), .shown_when = "formation=v|echelon|diamond",
            .unit = KG_DEGREES, .def = 45, .min = 0, .max = 90,
            .help = N_ ("Angle from straight behind at which members are beside those in front.")),
  KG_INPUT (Flock, spacing, NUMBER, LEADING, .label = N_ ("Spacing"),
            .shown_when = "formation=v|echelon|line|diamond|column", .unit = KG_METRES, .def = 2, .min = 1e-3,
            .max = 1e6, .soft_max = 10, .help = N_ ("Distance from those in front.")),
  KG_INPUT (Flock, slot_time, NUMBER, LEADING, .label = N_ ("Arrival time"),
            .shown_when = "formation=v|echelon|line|diamond|column", .unit = KG_SECONDS, .def = 1, .min = 1e-3,
            .max = 1e3, .soft_max = 5, .help = N_ ("Time in which members reach their places.")),
  KG_INPUT (Flock, slot_strength, NUMBER, LEADING, .label = N_ ("Keep places"),
            .shown_when = "formation=v|echelon|line|diamond|column", .def = 0.6, .min = 0, .max = 1,
            .help = N_ ("Strength with which members keep their places.")),
  KG_INPUT (Flock, avoid, CHOICE, AVOIDING, .label = N_ ("Avoid by"), .choices = flock_avoids, .def = FLOCK_AVOID_STEER,
            .help = N_ ("How members fly round obstacles. The silhouette and the feelers pass closely; the view "
                        "finds openings, but suits only tens of members; the force field is the simplest and fails "
                        "in front of walls.")),
  KG_INPUT (Flock, obstacles, GEOMETRY, AVOIDING, .label = N_ ("Obstacles"), .optional = true,
            .help = N_ ("Meshes, and loose points, which stand for balls as wide as they are.")),
  KG_INPUT (Flock, look_ahead, NUMBER, AVOIDING, .label = N_ ("Look ahead"), .unit = KG_SECONDS, .def = 2, .min = 0,
            .max = 1e3, .soft_max = 10, .help = N_ ("How far ahead members look for obstacles.")),
  KG_INPUT (Flock, comfort, NUMBER, AVOIDING, .label = N_ ("Comfort"), .unit = KG_METRES, .def = 0.5, .min = 0,
            .max = 1e6, .soft_max = 5, .help = N_ ("Distance from obstacles that members try to keep.")),
  KG_INPUT (Flock, avoid_strength, NUMBER, AVOIDING, .label = N_ ("Strength"), .shown_when = "avoid=field|center",
            .unit = KG_METRES_PER_SECOND2, .def = 10, .min = 0, .max = 1e6, .soft_max = 50,
            .help = N_ ("Largest acceleration away from an obstacle.")),
  KG_INPUT (Flock, avoid_distance, NUMBER, AVOIDING, .label = N_ ("Field distance"), .shown_when = "avoid=field",
            .unit = KG_METRES, .def = 2, .min = 1e-3, .max = 1e6, .soft_max = 10,
            .help = N_ ("How far the force field of an obstacle reaches.")),
  KG_INPUT (Flock, avoid_power, NUMBER, AVOIDING, .label = N_ ("Field power"), .shown_when = "avoid=field", .def = 2,
            .min = 0, .max = 6, .help = N_ ("How steeply the force falls off towards its end.")),
  KG_INPUT (Flock, avoid_only_approach, BOOLEAN, AVOIDING, .label = N_ ("Only approaching"),
            .shown_when = "avoid=field",
            .help = N_ ("The field does not push members that fly along a wall, so that they do not oscillate.")),
  KG_INPUT (Flock, feelers, INTEGER, AVOIDING, .label = N_ ("Feelers"), .shown_when = "avoid=feelers", .def = 32,
            .min = 1, .max = 1024, .soft_max = 128, .help = N_ ("Number of rays in the spiral.")),
  KG_INPUT (Flock, view_size, INTEGER, AVOIDING, .label = N_ ("View size"), .shown_when = "avoid=view",
            .unit = KG_PIXELS, .def = 16, .min = 2, .max = 64, .help = N_ ("Pixels along each side of the view.")),
  KG_INPUT (Flock, view_angle, NUMBER, AVOIDING, .label = N_ ("View angle"), .shown_when = "avoid=view",
            .unit = KG_DEGREES, .def = 90, .min = 5, .max = 160, .help = N_ ("Angle of the view from side to side.")),
  KG_INPUT (
      Flock, colliders, GEOMETRY, AVOIDING, .label = N_ ("Colliders"), .optional = true,
      .help = N_ ("Meshes that stop members that run into them, as the last resort: they slide on along the surface.")),
  KG_INPUT (Flock, negotiation, CHOICE, DECIDING, .label = N_ ("Negotiation"), .choices = flock_negotiations,
            .def = FLOCK_PRIORITY,
            .help = N_ ("How the urges of a member are combined. Means of opposite urges cancel; priorities do not.")),
  KG_INPUT (Flock, priority, TEXT, DECIDING, .label = N_ ("Priority"),
            .def_text = "avoid separate slot follow match center rejoin migrate",
            .help = N_ ("Names of the urges, the most important first. Urges that are not named have no influence.")),
  KG_INPUT (
      Flock, budget, NUMBER, DECIDING, .label = N_ ("Budget"), .def = 1, .min = 0, .max = 100, .soft_max = 3,
      .help = N_ ("Sum of strengths that is given to the urges in turn; with prioritised acceleration, the share of "
                  "the largest acceleration.")),
  KG_INPUT (Flock, response_time, NUMBER, DECIDING, .label = N_ ("Response time"), .unit = KG_SECONDS, .def = 0.5,
            .min = 1e-3, .max = 1e3, .soft_max = 3,
            .help = N_ ("Time in which members reach the velocity that they want.")),
  KG_INPUT (Flock, damping, NUMBER, DECIDING, .label = N_ ("Damping"), .min = 0, .max = 0.99,
            .help = N_ ("Share of the wish of the last frame that is kept, so that members do not jitter.")),
  KG_INPUT (Flock, wander, NUMBER, DECIDING, .label = N_ ("Wander"), .unit = KG_METRES_PER_SECOND2, .def = 0.2,
            .min = 0, .max = 1e3, .soft_max = 5, .help = N_ ("Smooth random acceleration that breaks up regularity.")),
  KG_INPUT (Flock, seed, INTEGER, DECIDING, .label = N_ ("Seed"), .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives a different random result.")),
  KG_INPUT (Flock, max_speed, NUMBER, LIMITS, .label = N_ ("Max speed"), .unit = KG_METRES_PER_SECOND, .def = 10,
            .min = 0, .max = 1e6, .soft_max = 50, .help = N_ ("Largest speed of a member.")),
  KG_INPUT (Flock, min_speed, NUMBER, LIMITS, .label = N_ ("Min speed"), .unit = KG_METRES_PER_SECOND, .def = 2,
            .min = 0, .max = 1e6, .soft_max = 50,
            .help = N_ ("Smallest speed of a member; birds cannot stop in the air.")),
  KG_INPUT (Flock, max_acceleration, NUMBER, LIMITS, .label = N_ ("Max acceleration"), .unit = KG_METRES_PER_SECOND2,
            .def = 10, .min = 0, .max = 1e6, .soft_max = 50,
            .help = N_ ("Largest acceleration that a member can produce.")),
  KG_INPUT (Flock, max_thrust, NUMBER, LIMITS, .label = N_ ("Max thrust"), .unit = KG_METRES_PER_SECOND2, .min = 0,
            .max = 1e6, .soft_max = 50,
            .help = N_ ("Largest acceleration along the heading; 0 sets no limit of its own.")),
  KG_INPUT (Flock, max_brake, NUMBER, LIMITS, .label = N_ ("Max brake"), .unit = KG_METRES_PER_SECOND2, .min = 0,
            .max = 1e6, .soft_max = 50, .help = N_ ("Largest deceleration; 0 sets no limit of its own.")),
  KG_INPUT (Flock, max_turn, NUMBER, LIMITS, .label = N_ ("Max turn"), .unit = KG_DEGREES, .def = 360, .min = 0,
            .max = 1e6, .soft_max = 720, .help = N_ ("Largest turn of the heading, per second.")),
  KG_INPUT (Flock, reaction_time, NUMBER, WAVE, .label = N_ ("Reaction time"), .unit = KG_SECONDS, .min = 0, .max = 2,
            .help = N_ ("Members see all others as they were this long ago.")),
  KG_INPUT (
      Flock, perception_rate, NUMBER, WAVE, .label = N_ ("Perception rate"), .unit = KG_HERTZ, .min = 0, .max = 1e3,
      .soft_max = 24,
      .help = N_ ("How many times per second each member looks at the others, at times of its own. Until its next "
                  "look, it believes that all are where it saw them. 0 is a look in every frame; the longest "
                  "time between looks is 240 frames.")),
  KG_INPUT (Flock, turn_at, NUMBER, WAVE, .label = N_ ("Turn at"), .unit = KG_SECONDS, .def = -1, .min = -1, .max = 1e6,
            .soft_max = 10,
            .help = N_ ("Time at which a manoeuvre starts and spreads through the flock as a wave; -1: never.")),
  KG_INPUT (Flock, turn_by, INTEGER, WAVE, .label = N_ ("Turned by"), .min = 0, .max = FLOCK_MAX, .soft_max = 100,
            .help = N_ ("Index of the member that starts it.")),
  KG_INPUT (Flock, anticipation, INTEGER, WAVE, .label = N_ ("Anticipation"), .def = 1, .min = 1, .max = 20,
            .help = N_ ("Each member reacts to the member that is this many places closer to the wave: 1 makes a "
                        "chain of reactions; more make the wave faster.")),
  KG_INPUT (Flock, turn_to, VECTOR, WAVE, .label = N_ ("Turn to"), .def_v = { 5, 0, 0 }, VELOCITIES,
            .help = N_ ("Velocity that members take in the manoeuvre, in metres per second.")),
  KG_INPUT (Flock, ground, GEOMETRY, GROUND, .label = N_ ("Ground"), .optional = true,
            .help = N_ ("Surface that a herd walks on. For a herd, lower the least speed to 0.")),
  KG_INPUT (Flock, ground_by, CHOICE, GROUND, .label = N_ ("Place on it"), .choices = flock_grounds,
            .help = N_ ("Which point of the ground a member stands on. The nearest one suits balls and overhangs.")),
  KG_INPUT (Flock, max_slope, NUMBER, GROUND, .label = N_ ("Max slope"), .unit = KG_DEGREES, .def = 45, .min = 1,
            .max = 90, .help = N_ ("Slope at which members hardly move uphill.")),
  KG_INPUT (Flock, lean, NUMBER, GROUND, .label = N_ ("Lean"), .def = 0.5, .min = 0, .max = 1,
            .help = N_ ("0 keeps members upright, 1 stands them perpendicular to the ground.")),
  KG_INPUT (Flock, bank_gain, NUMBER, BODY, .label = N_ ("Bank"), .def = 1, .min = 0, .max = 10, .soft_max = 3,
            .help = N_ ("How much members bank in turns: 0 is upright, 1 is as much as an aeroplane does.")),
  KG_INPUT (Flock, max_bank, NUMBER, BODY, .label = N_ ("Max bank"), .unit = KG_DEGREES, .def = 80, .min = 0,
            .max = 180, .help = N_ ("Largest angle of bank.")),
  KG_INPUT (Flock, flap_rate, NUMBER, BODY, .label = N_ ("Flap rate"), .unit = KG_HERTZ, .def = 3, .min = 0, .max = 1e3,
            .soft_max = 20, .help = N_ ("Wing beats per second in level flight, for the attributes phase and stroke.")),
  KG_INPUT (Flock, flap_angle, NUMBER, BODY, .label = N_ ("Flap angle"), .unit = KG_DEGREES, .def = 40, .min = 0,
            .max = 180, .help = N_ ("Largest angle of the wings, for the attribute stroke.")),
  KG_INPUTS (Flock, forces, FIELD, BODY, .label = N_ ("Forces"), .optional = true,
             .help = N_ ("Forces that act on the members in addition to what they do themselves, such as wind.")),
  KG_INPUT (Flock, weigh, BOOLEAN, BODY, .label = N_ ("Divide by mass"),
            .help = N_ ("Divides the forces by the mass. Otherwise forces are accelerations, like gravity.")),
  KG_INPUT (
      Flock, wishes, BOOLEAN, BODY, .label = N_ ("Keep wishes"),
      .help = N_ (
          "Gives members the attributes wish_avoid, budget_avoid and so on: what each urge requested, as a change of "
          "velocity, and what it was allocated; and acceleration: the result after the limits.")),
  KG_STATE (Flock, state, GEOMETRY, .keeps = FLOCK_KEEPS),
  KG_OUTPUT (
      Flock,
      geometry, GEOMETRY, .label = N_ ("Flock"),
      .help =
          N_ ("Points with v, orient, id, speed, bank, group, leader, phase and stroke of the wings, width, mass and "
              "intent: the velocity that resulted from the negotiation; with a formation, slot: the index of the "
              "position; with a changing leader, energy.")),
  KG_OUTPUT (Flock, left_wings, GEOMETRY, .label = N_ ("Left wings"),
             .help = N_ ("The same points rotated by the stroke: copy the left wing to them.")),
  KG_OUTPUT (Flock, right_wings, GEOMETRY, .label = N_ ("Right wings"),
             .help = N_ ("The same points rotated against the stroke: copy the right wing to them.")),
  KG_OUTPUT (Flock, budgets, TABLE, .label = N_ ("Budgets"),
             .help =
                 N_ ("A column for each urge: the strength that it requested and what it was allocated, on average.")),
  KG_OUTPUT (Flock, groups, INTEGER, .label = N_ ("Groups"),
             .help =
                 N_ ("Number of groups; members within the radius of each other, and chains of them, form one group.")),
  KG_OUTPUT (Flock, polarisation, NUMBER, .label = N_ ("Polarisation"),
             .help = N_ ("1 if all fly in one direction, near 0 if each flies its own way.")),
  KG_OUTPUT (Flock, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
             .help = N_ ("Mean of the positions, for example as the target of a camera.")),
};

KG_SIMULATION (
    sim, flock, Flock, .label = N_ ("Flock"), .version = 3, .since = "0.1",
    .tags = N_ ("boids birds fish school swarm herd crowd steering obstacle avoidance formation leader simulation"),
    .formula = "separation = −Σ û ((r/l)² − 1) A\nmatching = (Σ w v / Σ w − v) / τ\ncentering = (Σ w x / Σ w − x) / τ\n"
               "a = (V − v) / τ",
    .source = "Reynolds, Flocks, Herds, and Schools, 1987; Reynolds, Not Bumping Into Things, 1988; Potts, The "
              "chorus-line hypothesis, 1984",
    .help = N_ (
        "Moves a flock: birds, fish, a herd. Each member sees a few others, keeps apart from them, matches their "
        "velocity, stays with them and flies round obstacles; as a result, the flock turns as one, splits and joins "
        "again."));

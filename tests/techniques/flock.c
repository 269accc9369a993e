/* tests/techniques/flock: perception, urges, negotiation, obstacles and whole steps of a flock, against figures of a separate
 * program, closed forms, and the invariants of mirroring, turning and permuting.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/flock_measure.h"
#include "geometry/point_tree.h"
#include "kg-random.h"
#include "shape-test.h"
#include "sim/flight_frame.h"
#include "sim/flock.h"

#include <omp.h>
#include <string.h>

#define DT (1.0 / 24)

/* The defaults of the node. */
static FlockSettings
get_settings (void)
{
  return (FlockSettings){
    .sight = { .radius = 5, .angle = 270 * KG_DEGREE, .neighbours = 7, .power = 2, .behind = true },
    .council = { .how = FLOCK_PRIORITY,
                 .n = 6,
                 .order = { FLOCK_AVOID, FLOCK_SEPARATE, FLOCK_MATCH, FLOCK_CENTER, FLOCK_REJOIN, FLOCK_MIGRATE },
                 .budget = 1,
                 .max_acceleration = 10,
                 .response = 0.5 },
    .governors = { 10, 2, 10, 0, 0, 2 * KG_PI },
    .separation = 4,
    .separation_distance = 1.5,
    .separation_power = 2,
    .matching = 2,
    .matching_time = 0.5,
    .centering = 1,
    .centering_time = 1,
    .rejoin = 0.2,
    .rejoin_sight = 15,
    .migration_strength = 0.1,
    .cruise_speed = 5,
    .turn_at = -1,
    .formation_angle = 45 * KG_DEGREE,
    .spacing = 2,
    .slot_time = 1,
    .slot_strength = 0.6,
    .follow_strength = 0.5,
    .follow_distance = 2,
    .avoiding = { .how = FLOCK_AVOID_STEER,
                  .look_ahead = 2,
                  .comfort = 0.5,
                  .strength = 10,
                  .distance = 2,
                  .power = 2,
                  .response = 0.5,
                  .rays = 32,
                  .size = 16,
                  .angle = 90 * KG_DEGREE },
    .max_slope = 45 * KG_DEGREE,
    .bank_gain = 1,
    .max_bank = 80 * KG_DEGREE,
  };
}

/* Only these urges. */
static void
keep_urges (FlockSettings *s, const char *text)
{
  s->council.n = flock_urges_parse (text, s->council.order, NULL);
  g_assert_cmpuint (s->council.n, >, 0);
}

static KgGeometry *
new_flock (const KgVector *p, const KgVector *v, size_t n, const FlockSettings *s)
{
  KgGeometry *flock = new_cloud (p, n);
  float *velocity = kg_geometry_edit_float (flock, KG_POINTS, "v", 3);
  g_autoptr (GError) error = NULL;

  for (size_t i = 0; i < n; i++) {
    velocity[3 * i] = (float) v[i].x;
    velocity[3 * i + 1] = (float) v[i].y;
    velocity[3 * i + 2] = (float) v[i].z;
  }
  flock_state_begin (flock, s, 0.2, NULL, &error);
  g_assert_no_error (error);
  return flock;
}

static void
run (KgGeometry **flock, const FlockSettings *s, int from, int to, double dt)
{
  g_autoptr (GError) error = NULL;
  size_t misses;

  for (int i = from; i < to; i++)
    g_assert_true (flock_state_step (flock, s, (i + 1) * dt, dt, &misses, NULL, &error));
  g_assert_no_error (error);
}

static KgVector
get3 (const KgGeometry *flock, const char *name, size_t i)
{
  const float *a = kg_geometry_get_float (flock, KG_POINTS, name, 3) + 3 * i;

  return kg_vector ((double) a[0], (double) a[1], (double) a[2]);
}

static const KgVector reference_p[] = { { 0, 0, 0 }, { 1, 0, 0.5 }, { 0, 1.2, -2 }, { 8, 0, 0 } };
static const KgVector reference_v[] = { { 0, 0, 4 }, { 1, 0, 3 }, { 0, 1, 5 }, { -1, 0, 4 } };

static void
test_reference (void)
{
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;

  s.record = true;
  flock = new_flock (reference_p, reference_v, 4, &s);
  run (&flock, &s, 0, 1, DT);
  assert_vector_near (get3 (flock, "intent", 0), 0.3956038, 0, 3.5999873, 1e-6);
  assert_vector_near (get3 (flock, "intent", 3), -2.4008376, 0, 4.3785669, 1e-6);
  assert_vector_near (get3 (flock, "P", 0), 0.0013736, 0, 0.1652777, 1e-6);
  assert_vector_near (get3 (flock, "P", 1), 1.0427004, 0, 0.6263031, 1e-6);
  assert_vector_near (get3 (flock, "P", 2), 0.0021043, 1.2381992, -1.7892605, 1e-6);
  assert_vector_near (get3 (flock, "P", 3), 7.9534693, 0, 0.1679811, 1e-6);
  /* The budget of member 0: what was asked for, until it is used up. */
  assert_near ((double) kg_geometry_get_float (flock, KG_POINTS, "budget_separate", 1)[0], 0.32, 1e-6);
  assert_near ((double) kg_geometry_get_float (flock, KG_POINTS, "budget_match", 1)[0], 0.282843, 1e-6);
  assert_near ((double) kg_geometry_get_float (flock, KG_POINTS, "budget_center", 1)[0], 0.223607, 1e-6);
  assert_near ((double) kg_geometry_get_float (flock, KG_POINTS, "budget_rejoin", 1)[0], 0.17355, 1e-6);
  assert_near ((double) kg_geometry_get_float (flock, KG_POINTS, "budget_migrate", 1)[0], 0, 1e-6);
  run (&flock, &s, 1, 24, DT);
  assert_vector_near (get3 (flock, "P", 0), 0.739169, 0.069595, 3.927547, 5e-6);
  assert_vector_near (get3 (flock, "P", 1), 2.079995, 0.028833, 3.817120, 5e-6);
  assert_vector_near (get3 (flock, "P", 2), 0.645385, 1.342669, 3.280325, 5e-6);
  assert_vector_near (get3 (flock, "P", 3), 5.905644, 0.004520, 4.119971, 5e-6);
}

/* A flock at random, and its image under mirroring in x, a turn about y, or another order. */
static void
make_random (KgVector *p, KgVector *v, size_t n, uint64_t seed, double size)
{
  for (size_t i = 0; i < n; i++) {
    p[i] = kg_vector_scale (
        kg_vector (kg_random_signed (seed, i, 0), kg_random_signed (seed, i, 1), kg_random_signed (seed, i, 2)), size);
    v[i] = kg_vector_scale (kg_vector (kg_random_signed (seed, i, 3), 0.3 * kg_random_signed (seed, i, 4),
                                       1 + kg_random_signed (seed, i, 5)),
                            3);
  }
}

enum { MIRROR, TURN, PERMUTE, MOVE };

static KgVector
change (KgVector x, int how, bool place)
{
  switch (how) {
  case MIRROR:
    return kg_vector (-x.x, x.y, x.z);
  case TURN:
    return kg_vector (x.z, x.y, -x.x);
  case MOVE:
    return place ? kg_vector (x.x + 3, x.y - 2, x.z + 1) : x;
  default:
    return x;
  }
}

static void
test_invariant (gconstpointer data)
{
  enum { N = 80 };
  const int how = GPOINTER_TO_INT (data);
  FlockSettings s = get_settings (), t;
  KgVector p[N], v[N], p2[N], v2[N];
  g_autoptr (KgGeometry) one = NULL, two = NULL;

  s.migration = kg_vector (1, 0.5, 3);
  t = s;
  t.migration = change (s.migration, how, false);
  make_random (p, v, N, 7, 5);
  for (size_t i = 0; i < N; i++) {
    const size_t k = how == PERMUTE ? (i * 37 + 11) % N : i;

    p2[k] = change (p[i], how, true);
    v2[k] = change (v[i], how, false);
  }
  one = new_flock (p, v, N, &s);
  two = new_flock (p2, v2, N, &t);
  run (&one, &s, 0, 12, DT);
  run (&two, &t, 0, 12, DT);
  for (size_t i = 0; i < N; i++) {
    const KgVector x = change (get3 (one, "P", i), how, true);

    assert_vector_near (get3 (two, "P", how == PERMUTE ? (i * 37 + 11) % N : i), x.x, x.y, x.z, 1e-4);
  }
}

static bool
same_bits (const KgGeometry *a, const KgGeometry *b)
{
  return kg_geometry_equal (a, b);
}

static void
test_brute_force (void)
{
  enum { N = 2000 };
  g_autofree KgVector *p = g_new (KgVector, N), *v = g_new (KgVector, N);
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) one = NULL, two = NULL;

  make_random (p, v, N, 3, 9);
  one = new_flock (p, v, N, &s);
  two = new_flock (p, v, N, &s);
  run (&one, &s, 0, 10, DT);
  s.search_all = true;
  run (&two, &s, 0, 10, DT);
  g_assert_true (same_bits (one, two));
}

/* Crowded: the tree answers in place of the cells; and one distant member more. */
static void
test_crowded (void)
{
  enum { N = 1500 };
  g_autofree KgVector *p = g_new (KgVector, N), *v = g_new (KgVector, N);
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) one = NULL, two = NULL;

  make_random (p, v, N, 4, 0.2);
  p[N - 1] = kg_vector (100, 0, 0);
  one = new_flock (p, v, N, &s);
  two = new_flock (p, v, N, &s);
  run (&one, &s, 0, 2, DT);
  s.search_all = true;
  run (&two, &s, 0, 2, DT);
  g_assert_true (same_bits (one, two));
}

/* All members in one place, and then in a crowd whose rim flies outwards: the same as by comparing each with each. */
static void
test_one_place (void)
{
  enum { N = 800 };
  g_autofree KgVector *p = g_new0 (KgVector, N), *v = g_new (KgVector, N);
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) one = NULL, two = NULL;

  make_random (p, v, N, 7, 1);
  memset (p, 0, N * sizeof *p);
  s.sight.angle = 200 * KG_DEGREE;
  one = new_flock (p, v, N, &s);
  two = new_flock (p, v, N, &s);
  run (&one, &s, 0, 4, DT);
  s.search_all = true;
  run (&two, &s, 0, 4, DT);
  g_assert_true (same_bits (one, two));
}

static void
test_threads (void)
{
  enum { N = 3000 };
  g_autofree KgVector *p = g_new (KgVector, N), *v = g_new (KgVector, N);
  const int before = omp_get_max_threads ();
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) one = NULL, two = NULL;

  s.wander = 0.3;
  make_random (p, v, N, 5, 10);
  one = new_flock (p, v, N, &s);
  two = new_flock (p, v, N, &s);
  omp_set_num_threads (1);
  run (&one, &s, 0, 5, DT);
  omp_set_num_threads (3);
  run (&two, &s, 0, 5, DT);
  omp_set_num_threads (before);
  g_assert_true (same_bits (one, two));
}

/* Whom member 0 sees of points. */
static guint
count_seen (const KgVector *p, size_t n, const FlockSight *sight, const float *width, uint32_t *who)
{
  g_autofree float *place = g_new (float, 3 * n), *heading = g_new0 (float, 3 * n), *w = g_new (float, n);
  FlockMoment moment = { n, place, heading, heading, w };
  g_autoptr (FlockLook) look = NULL;
  FlockSeen seen = { .room = 0 };
  guint count;

  for (size_t i = 0; i < n; i++) {
    place[3 * i] = (float) p[i].x;
    place[3 * i + 1] = (float) p[i].y;
    place[3 * i + 2] = (float) p[i].z;
    heading[3 * i + 2] = 1;
    w[i] = width != NULL ? width[i] : 0.2f;
  }
  look = flock_look_new (&moment, sight, false, NULL, NULL, NULL);
  flock_look_at (look, 0, &seen);
  count = seen.seen.n;
  for (guint i = 0; i < count && who != NULL; i++)
    who[i] = seen.seen.items[i].index;
  flock_seen_clear (&seen);
  return count;
}

static void
test_sight (void)
{
  FlockSight sight = { .radius = 5, .angle = 90 * KG_DEGREE, .neighbours = 0, .power = 2 };
  KgVector p[] = { { 0, 0, 0 }, { 1, 0, 1 } }, row[] = { { 0, 0, 0 }, { 0, 0, 3 }, { 0, 0, 1 }, { 0, 0, 2 } };
  g_autofree KgVector *many = g_new (KgVector, 20000);
  uint32_t who[8];
  double seen = 0;

  /* The border counts. */
  g_assert_cmpuint (count_seen (p, 2, &sight, NULL, NULL), ==, 1);
  p[1].x = 1.01;
  g_assert_cmpuint (count_seen (p, 2, &sight, NULL, NULL), ==, 0);
  p[1] = kg_vector (0, 0, -1);
  g_assert_cmpuint (count_seen (p, 2, &sight, NULL, NULL), ==, 0);
  sight.angle = 2 * KG_PI;
  g_assert_cmpuint (count_seen (p, 2, &sight, NULL, NULL), ==, 1);
  sight.neighbours = 2;
  g_assert_cmpuint (count_seen (row, 4, &sight, NULL, who), ==, 2);
  g_assert_cmpuint (who[0], ==, 2);
  g_assert_cmpuint (who[1], ==, 3);
  /* 0.1 a cubic metre: 44.69 are seen, on average. */
  sight.neighbours = 0;
  sight.angle = 270 * KG_DEGREE;
  for (uint64_t k = 0; k < 60; k++) {
    const size_t n = 800;

    for (size_t i = 0; i < n; i++)
      many[i] = kg_vector_scale (
          kg_vector (kg_random_signed (k, i, 0), kg_random_signed (k, i, 1), kg_random_signed (k, i, 2)), 10);
    many[0] = kg_vector (0, 0, 0);
    seen += count_seen (many, n, &sight, NULL, NULL) / 60.0;
  }
  assert_near (seen, 44.69, 3 * sqrt (44.69 / 60));
}

static void
test_narrowing (void)
{
  FlockSight sight = { .radius = 3, .angle = 270 * KG_DEGREE, .growth = 1, .cruise = 2 };
  double radius, cosine;

  flock_sight_narrow (&sight, 1, &radius, &cosine);
  assert_near (radius, 4.5, 1e-12);
  assert_near (2 * acos (cosine) / KG_DEGREE, 120.7672, 1e-4);
  flock_sight_narrow (&sight, 2, &radius, &cosine);
  assert_near (2 * acos (cosine) / KG_DEGREE, 76.2600, 1e-4);
  flock_sight_narrow (&sight, 1000, &radius, &cosine);
  assert_near (2 * acos (cosine) / KG_DEGREE, 5, 1e-6);
  sight.growth = 0;
  flock_sight_narrow (&sight, 2, &radius, &cosine);
  assert_near (2 * acos (cosine) / KG_DEGREE, 270 - 180, 180 + 1e-9);
  assert_near (cosine, cos (135 * KG_DEGREE), 1e-12);
  assert_near (radius, 3, 0);
}

static void
test_hidden (void)
{
  FlockSight sight = {
    .radius = 5, .angle = 2 * KG_PI, .neighbours = 0, .weight = FLOCK_WEIGHT_ANGLE, .hidden_by_members = true
  };
  const KgVector row[] = { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 0, 2 }, { 1, 0, 1 } };
  uint32_t who[4];

  assert_near (flock_sight_weigh (&sight, 1, 0.2), 0.2003348, 1e-7);
  g_assert_cmpuint (count_seen (row, 4, &sight, NULL, who), ==, 2);
  g_assert_cmpuint (who[0], ==, 1);
  g_assert_cmpuint (who[1], ==, 3);
  /* What is smaller than the least angle is not there. */
  sight.hidden_by_members = false;
  sight.least_angle = 0.15;
  g_assert_cmpuint (count_seen (row, 4, &sight, NULL, who), ==, 1);
}

static void
test_weights (void)
{
  FlockSight sight = { .radius = 5 };

  for (int p = 0; p <= 3; p++) {
    const double share[] = { 1.0 / 2, 1.0 / 3, 1.0 / 5, 1.0 / 9 };
    double near, far;

    sight.power = p;
    near = flock_sight_weigh (&sight, 1, 0.2);
    far = flock_sight_weigh (&sight, 2, 0.2);
    assert_near (far / (near + far), share[p], 1e-12);
  }
}

static void
test_separation (void)
{
  const KgVector toward = { 1, 0, 0 };
  KgVector sum = { 0, 0, 0 }, p[40], v[40];

  assert_vector_near (flock_separate_pair (kg_vector (0.75, 0, 0), toward, 1.5, 2, 4), -12, 0, 0, 1e-12);
  assert_vector_near (flock_separate_pair (kg_vector (1.5, 0, 0), toward, 1.5, 2, 4), 0, 0, 0, 0);
  assert_vector_near (flock_separate_pair (kg_vector (3, 0, 0), toward, 1.5, 2, 4), 0, 0, 0, 0);
  g_assert_true (kg_vector_is_finite (flock_separate_pair (kg_vector (0, 0, 0), toward, 1.5, 2, 4)));
  make_random (p, v, 40, 9, 1);
  for (size_t i = 0; i < 40; i++)
    for (size_t k = 0; k < 40; k++)
      if (i != k)
        sum = kg_vector_add (sum, flock_separate_pair (kg_vector_subtract (p[k], p[i]), toward, 1.5, 2, 4));
  assert_vector_near (sum, 0, 0, 0, 1e-9);
}

static void
test_one_law (void)
{
  const KgVector toward = { 1, 0, 0 }, p[] = { { 0, 0, 0 }, { 1.1, 0, 0 } }, v[] = { { 0, 0, 0 }, { 0, 0, 0 } };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;

  assert_vector_near (flock_space_pair (kg_vector (2, 0, 0), toward, 2, 5), 0, 0, 0, 1e-12);
  assert_vector_near (flock_space_pair (kg_vector (3, 0, 0), toward, 2, 1), 0.1481481, 0, 0, 1e-7);
  assert_vector_near (flock_space_pair (kg_vector (1, 0, 0), toward, 2, 1), -4, 0, 0, 1e-12);
  assert_vector_near (flock_space_pair (kg_vector (1e-3, 0, 0), toward, 2, 1), -100, 0, 0, 1e-9);
  /* With the brake of matching, two come to rest that far apart. */
  s.combined = true;
  s.sight.angle = 2 * KG_PI;
  s.governors.min_speed = 0;
  s.council.how = FLOCK_ACCELERATION;
  keep_urges (&s, "separate match");
  flock = new_flock (p, v, 2, &s);
  run (&flock, &s, 0, 600, DT);
  assert_near (kg_vector_distance (get3 (flock, "P", 0), get3 (flock, "P", 1)), 1.5, 1e-3);
}

static void
test_matching (void)
{
  const KgVector p[] = { { 0, 0, 0 }, { 3, 0, 0 }, { 0, 3, 0 }, { 0, 0, 3 }, { 2, 2, 2 } };
  const KgVector v[] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3 }, { 1, 1, 1 } };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) two = NULL, five = NULL;
  KgVector mean = { 0, 0, 0 }, after = { 0, 0, 0 };

  s.sight.angle = 2 * KG_PI;
  s.sight.power = 0;
  s.matching_time = 1;
  s.governors.min_speed = 0;
  s.council.how = FLOCK_ACCELERATION;
  s.council.max_acceleration = s.governors.max_acceleration = 1e6;
  s.governors.max_turn = 1e6;
  keep_urges (&s, "match");
  two = new_flock (p, v, 2, &s);
  run (&two, &s, 0, 1, 0.1);
  assert_near (get3 (two, "v", 0).x - get3 (two, "v", 1).x, 2 * 0.8, 1e-6);
  five = new_flock (p, v, 5, &s);
  run (&five, &s, 0, 1, 0.1);
  for (size_t i = 0; i < 5; i++) {
    mean = kg_vector_add_scaled (mean, 0.2, v[i]);
    after = kg_vector_add_scaled (after, 0.2, get3 (five, "v", i));
  }
  assert_vector_near (after, mean.x, mean.y, mean.z, 1e-6);
  for (size_t i = 0; i < 5; i++) {
    const KgVector d = kg_vector_lerp (mean, v[i], 0.875);

    assert_vector_near (get3 (five, "v", i), d.x, d.y, d.z, 1e-6);
  }
}

/* The middle one of three is where it wants to be; the end of a row wants 1.5 inwards. */
static void
test_centering (void)
{
  const KgVector p[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 }, { 4, 0, 0 } };
  const KgVector v[] = { { 0, 0, 5 }, { 0, 0, 5 }, { 0, 0, 5 }, { 0, 0, 5 }, { 0, 0, 5 } };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;
  KgVector sum = { 0, 0, 0 };

  s.sight.angle = 2 * KG_PI;
  s.sight.power = 0;
  s.sight.neighbours = 2;
  s.record = true;
  keep_urges (&s, "center");
  flock = new_flock (p, v, 5, &s);
  run (&flock, &s, 0, 1, DT);
  assert_vector_near (get3 (flock, "wish_center", 0), 1.5, 0, 0, 1e-6);
  assert_vector_near (get3 (flock, "wish_center", 2), 0, 0, 0, 1e-6);
  assert_vector_near (get3 (flock, "wish_center", 4), -1.5, 0, 0, 1e-6);
  g_clear_pointer (&flock, kg_geometry_unref);
  s.sight.neighbours = 0;
  flock = new_flock (p, v, 5, &s);
  run (&flock, &s, 0, 1, DT);
  for (size_t i = 0; i < 5; i++)
    sum = kg_vector_add (sum, get3 (flock, "wish_center", i));
  assert_vector_near (sum, 0, 0, 0, 1e-5);
}

static void
test_migration (void)
{
  const KgVector p = { 0, 0, 0 }, v = { 0, 0, 0 };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;

  s.migration = kg_vector (2, 0, 0);
  s.council.response = 1;
  s.governors = (FlockGovernors){ 1e6, 0, 1e6, 0, 0, 1e6 };
  flock = new_flock (&p, &v, 1, &s);
  for (int n = 1; n <= 5; n++) {
    run (&flock, &s, n - 1, n, 0.1);
    assert_near (get3 (flock, "v", 0).x, 2 * (1 - pow (0.9, n)), 1e-6);
  }
  /* To a place, and there slowly. */
  s.aim = FLOCK_AIM_GOAL;
  s.goal = kg_vector (4, 3, 0);
  s.governors.min_speed = 0;
  run (&flock, &s, 5, 200, 0.1);
  assert_vector_near (get3 (flock, "P", 0), 4, 3, 0, 1e-3);
}

static void
test_path (void)
{
  g_autoptr (KgGeometry) circle = kg_geometry_new (), none = kg_geometry_new (), flock = NULL;
  g_autoptr (GError) error = NULL;
  uint32_t order[64];
  const KgVector p = { 12, 0, 0 }, v = { 0, 0, 4 };
  FlockSettings s = get_settings ();
  size_t misses;
  float *x;

  kg_geometry_set_n_points (circle, 64, NULL);
  x = kg_geometry_edit_positions (circle);
  for (uint32_t i = 0; i < 64; i++) {
    x[3 * i] = (float) (10 * cos (i * KG_PI / 32));
    x[3 * i + 2] = (float) (10 * sin (i * KG_PI / 32));
    order[i] = i;
  }
  kg_geometry_add_primitives (circle, KG_POLYLINE, true, 1, 64, order);
  s.aim = FLOCK_AIM_PATH;
  s.path = circle;
  s.path_radius = 0.5;
  s.cruise_speed = 4;
  s.avoiding.look_ahead = 0.5;
  flock = new_flock (&p, &v, 1, &s);
  run (&flock, &s, 0, 120, DT);
  for (int k = 0; k < 200; k++) {
    run (&flock, &s, 120 + k, 121 + k, DT);
    assert_near (kg_vector_length (get3 (flock, "P", 0)), 10, 1.0);
  }
  s.path = none;
  g_assert_false (flock_state_step (&flock, &s, 1, DT, &misses, NULL, &error));
  g_assert_nonnull (error);
}

static void
test_leader (void)
{
  const KgVector p[] = { { 0, 0, 0 }, { 1, 0, -3 } }, v[] = { { 0, 0, 3 }, { 0, 0, 3 } };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;
  KgVector lead;

  s.leader = FLOCK_LEADER_SCRIPTED;
  keep_urges (&s, "follow");
  flock = new_flock (p, v, 2, &s);
  for (int k = 0; k < 400; k++) {
    s.leader_place = kg_vector (0, 0, 3 * (k + 1) * DT);
    run (&flock, &s, k, k + 1, DT);
    g_assert_cmpfloat (get3 (flock, "P", 0).z, ==, (double) (float) s.leader_place.z);
  }
  lead = get3 (flock, "P", 0);
  assert_vector_near (get3 (flock, "P", 1), lead.x, lead.y, lead.z - 2, 0.02);
}

/* The energy of the leader is 1 - t / 10: at 0.3, after 7 s, another one leads. */
static void
test_changing_leader (void)
{
  const KgVector p[] = { { 0, 0, 0 }, { 3, 0, -3 }, { -3, 0, -4 } }, v[] = { { 0, 0, 3 }, { 0, 0, 3 }, { 0, 0, 3 } };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;

  s.leader = FLOCK_LEADER_CHANGING;
  s.lead_cost = 0.1;
  s.rest_gain = 0.05;
  s.tired = 0.3;
  keep_urges (&s, "separate match migrate");
  flock = new_flock (p, v, 3, &s);
  run (&flock, &s, 0, 24 * 7 - 1, DT);
  g_assert_cmpint (kg_geometry_get_int (flock, KG_POINTS, "leader", 1)[0], ==, 1);
  run (&flock, &s, 24 * 7 - 1, 24 * 7 + 1, DT);
  g_assert_cmpint (kg_geometry_get_int (flock, KG_POINTS, "leader", 1)[0], ==, 0);
  /* The one in front of the two that have rested. */
  g_assert_cmpint (kg_geometry_get_int (flock, KG_POINTS, "leader", 1)[1], ==, 1);
}

static void
test_formation (void)
{
  KgVector places[9];
  const KgVector forward = { 0, 0, 1 }, left = { 1, 0, 0 }, zero = { 0, 0, 0 };
  const KgVector p[] = { { 0, 0, 0 }, { -2, 0, -3 } }, v[] = { { 0, 0, 3 }, { 0, 0, 3 } };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;
  double error0;

  formation_get_places (FORMATION_V, 5, 45 * KG_DEGREE, 2, zero, forward, left, places);
  for (int k = 1; k <= 4; k++)
    assert_vector_near (places[k], (k % 2 == 0 ? 1 : -1) * (k < 3 ? 1.414214 : 2.828427), 0,
                        k < 3 ? -1.414214 : -2.828427, 1e-6);
  /* A diamond of nine: 1, 2, 3, 2, 1, and each 45° behind those in front of it. */
  formation_get_places (FORMATION_DIAMOND, 9, 45 * KG_DEGREE, 2, zero, forward, left, places);
  assert_vector_near (places[8], 0, 0, -4 * 1.414214, 1e-5);
  assert_vector_near (places[4], 0, 0, -2 * 1.414214, 1e-5);
  assert_vector_near (places[3], 2 * 1.414214, 0, -2 * 1.414214, 1e-5);
  formation_get_places (FORMATION_COLUMN, 3, 0, 2, zero, forward, left, places);
  assert_vector_near (places[2], 0, 0, -4, 1e-12);
  /* The way to the place is shortened by the share of the arrival time in each step. */
  s.leader = FLOCK_LEADER_SCRIPTED;
  s.formation = FORMATION_V;
  s.slot_strength = 1;
  s.council.response = DT;
  s.governors = (FlockGovernors){ 100, 0, 1e6, 0, 0, 1e6 };
  keep_urges (&s, "slot");
  flock = new_flock (p, v, 2, &s);
  error0 = kg_vector_distance (p[1], kg_vector (-1.414214, 0, -1.414214));
  for (int k = 0; k < 24; k++) {
    s.leader_place = kg_vector (0, 0, 3 * (k + 1) * DT);
    run (&flock, &s, k, k + 1, DT);
  }
  assert_near (kg_vector_distance (get3 (flock, "P", 1), kg_vector (-1.414214, 0, 3 - 1.414214)),
               error0 * pow (1 - DT, 24), 2e-3);
}

static void
test_wave (void)
{
  float p[3 * 31] = { 0 }, turns[31];

  for (int i = 0; i < 31; i++)
    p[3 * i] = (float) (0.6 * i);
  g_assert_true (formation_spread_turn (p, 31, 0, 1, 0.038, NULL, 1, 5, turns, NULL));
  assert_near ((double) turns[30], 1 + 1.14, 1e-5);
  g_assert_true (formation_spread_turn (p, 31, 0, 1, 0.038, NULL, 3, 5, turns, NULL));
  assert_near ((double) turns[30], 1 + 0.38, 1e-5);
  /* 15.8 m/s and 47.4 m/s. */
  assert_near (30 * 0.6 / ((double) turns[30] - 1), 47.4, 0.05);
  p[3 * 30] = 100;
  g_assert_true (formation_spread_turn (p, 31, 0, 1, 0.038, NULL, 3, 5, turns, NULL));
  g_assert_cmpfloat (turns[30], ==, FORMATION_NEVER);
}

/* What a member sees is as old as the reaction time. */
static void
test_delay (void)
{
  const KgVector p[] = { { 0, 0, 0 }, { 3, 0, 0 } }, v[] = { { 0, 0, 4 }, { 0, 0, 4 } };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;

  s.leader = FLOCK_LEADER_SCRIPTED;
  s.reaction_time = 3 * DT;
  s.sight.angle = 2 * KG_PI;
  keep_urges (&s, "match");
  flock = new_flock (p, v, 2, &s);
  for (int k = 0; k < 6; k++) {
    /* The leader turns aside in the second step. */
    s.leader_place = kg_vector (k > 0 ? -1 : 0, 0, 4 * (k + 1) * DT);
    run (&flock, &s, k, k + 1, DT);
    if (k < 5)
      assert_near (get3 (flock, "v", 1).x, 0, 1e-6);
    else
      g_assert_cmpfloat (get3 (flock, "v", 1).x, <, -0.1);
  }
}

/* Of itself a member knows where it is and where it goes at once: what it wants is reached in the same time, without turning
 * back and forth, however late it sees others. */
static void
test_delay_of_self (void)
{
  const KgVector p[] = { { 0, 0, 0 } }, v[] = { { 0, 0, 4 } };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) prompt = NULL, late = NULL;

  s.migration = kg_vector (5, 0, 0);
  keep_urges (&s, "migrate");
  prompt = new_flock (p, v, 1, &s);
  run (&prompt, &s, 0, 60, DT);
  s.reaction_time = 8 * DT;
  late = new_flock (p, v, 1, &s);
  run (&late, &s, 0, 60, DT);
  assert_vector_near (get3 (late, "P", 0), get3 (prompt, "P", 0).x, get3 (prompt, "P", 0).y, get3 (prompt, "P", 0).z,
                      0);
}

/* Where the leader of test_perception_rate () is in a step, and what follows from seeing it there. */
static double
get_led (int step)
{
  const double x = 0.01 * step * step, v = step > 0 ? (x - 0.01 * (step - 1) * (step - 1)) / DT : 0.1;

  return v + x - 2;
}

/* A member that looks 8 times a second, each third step, and sees all 2 steps late: what it sees is 2, 3, 4, 2, 3, 4 ... steps
 * old.  Members look at different times. */
static void
test_perception_rate (void)
{
  enum { N = 25, STEPS = 40 };
  KgVector p[N] = { { 0, 0, 0 } }, v[N] = { { 0.1, 0, 0 } };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;
  int lag[N] = { 0 };

  for (int i = 1; i < N; i++) {
    p[i] = kg_vector (-3 - 0.1 * i, i, 0);
    v[i] = kg_vector (0.5, 0, 0);
  }
  s.leader = FLOCK_LEADER_SCRIPTED;
  s.follow_strength = 1;
  s.reaction_time = 2 * DT;
  s.perception_rate = 8;
  s.governors.min_speed = 0;
  keep_urges (&s, "follow");
  flock = new_flock (p, v, N, &s);
  for (int k = 0; k < STEPS; k++) {
    g_autoptr (KgGeometry) before = kg_geometry_ref (flock);
    int counts[3] = { 0, 0, 0 };

    s.leader_place = kg_vector (0.01 * (k + 1) * (k + 1), 0, 0);
    run (&flock, &s, k, k + 1, DT);
    for (int i = 1; i < N; i++) {
      const double led = get3 (flock, "intent", (size_t) i).x + get3 (before, "P", (size_t) i).x;
      int step = 0;

      while (step < k && get_led (step) < led - 1e-3)
        step++;
      assert_near (get_led (step), led, 1e-4);
      if (k > 5) {
        g_assert_cmpint (k - step, ==, lag[i] == 4 ? 2 : lag[i] + 1);
        counts[k - step - 2]++;
      } else if (k == 5)
        g_assert_true (k - step >= 2 && k - step <= 4);
      lag[i] = k - step;
    }
    for (int c = 0; k > 5 && c < 3; c++)
      g_assert_cmpint (counts[c], >, 0);
  }
}

/* To look as often as there are steps is to look in each. */
static void
test_perception_of_each_step (void)
{
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) plain = new_flock (reference_p, reference_v, 4, &s), often = NULL;

  run (&plain, &s, 0, 24, DT);
  s.perception_rate = 1 / DT;
  often = new_flock (reference_p, reference_v, 4, &s);
  run (&often, &s, 0, 24, DT);
  for (size_t i = 0; i < 4; i++) {
    const KgVector x = get3 (plain, "P", i), w = get3 (plain, "v", i);

    assert_vector_near (get3 (often, "P", i), x.x, x.y, x.z, 0);
    assert_vector_near (get3 (often, "v", i), w.x, w.y, w.z, 0);
  }
}

/* The same bits by any number of threads, and as many members in each order as see each other. */
static void
test_perception_by_threads (void)
{
  enum { N = 700 };
  g_autofree KgVector *p = g_new (KgVector, N), *v = g_new (KgVector, N);
  const int threads = omp_get_max_threads ();
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) one = NULL, four = NULL;

  for (uint64_t i = 0; i < N; i++) {
    p[i] = kg_vector_scale (kg_random_direction (3, i, 0), 12 * kg_random_uniform (3, i, 1));
    v[i] = kg_vector_scale (kg_random_direction (4, i, 0), 4);
  }
  s.perception_rate = 5;
  s.reaction_time = 1.5 * DT;
  s.center_of_flock = true;
  one = new_flock (p, v, N, &s);
  four = new_flock (p, v, N, &s);
  omp_set_num_threads (1);
  run (&one, &s, 0, 12, DT);
  omp_set_num_threads (4);
  run (&four, &s, 0, 12, DT);
  omp_set_num_threads (threads);
  g_assert_true (kg_geometry_equal (one, four));
}

/* A member that seldom looks lets another one pass that it has seen coming: who flies on as they were seen last does not change
 * its course, and at its next look, after 240 steps at the latest, it does. */
static void
test_perception_seldom (void)
{
  const KgVector p[] = { { 0, 0, 0 }, { -1, 0, 0 } }, v[] = { { 0, 0, 4 }, { 0, 0, 4 } };
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;

  s.leader = FLOCK_LEADER_SCRIPTED;
  s.perception_rate = 1e-9;
  s.follow_strength = 1;
  s.governors.min_speed = 0;
  keep_urges (&s, "follow");
  flock = new_flock (p, v, 2, &s);
  for (int k = 0; k < 242; k++) {
    const double x = get3 (flock, "P", 1).x;

    s.leader_place = kg_vector (k + 1, 0, 0);
    run (&flock, &s, k, k + 1, DT);
    if (k < 241)
      assert_near (get3 (flock, "intent", 1).x + x, 0, 1e-4);
    else /* at 241, with 24 m/s, and 2 m behind it */
      assert_near (get3 (flock, "intent", 1).x + x, 241 + 24 - 2, 1e-2);
  }
}

/* A chain that looks 10 times a second, all at once, turns with the looks: 0.6 m in each.  Where each looks just when it can react
 * to the one before, nothing is lost. */
static void
test_wave_of_looks (void)
{
  float p[3 * 31] = { 0 }, turns[31], phase[31] = { 0 };
  const FormationLooks looks = { phase, 10, 0.5 };

  for (int i = 0; i < 31; i++)
    p[3 * i] = (float) (0.6 * i);
  g_assert_true (formation_spread_turn (p, 31, 0, 1, 0.038, &looks, 1, 5, turns, NULL));
  for (int i = 0; i < 31; i++)
    assert_near ((double) turns[i], 1 + 0.1 * i, 1e-5);
  for (int i = 0; i < 31; i++)
    phase[i] = (float) (1 - fmod (0.38 * i, 1));
  g_assert_true (formation_spread_turn (p, 31, 0, 1, 0.038, &looks, 1, 5, turns, NULL));
  for (int i = 0; i < 31; i++)
    assert_near ((double) turns[i], 1 + 0.038 * i, 1e-4);
}

static FlockCouncil
get_council (FlockNegotiation how)
{
  return (FlockCouncil){ how, 3, { FLOCK_AVOID, FLOCK_SEPARATE, FLOCK_MATCH }, 1, 5, 1 };
}

static void
test_negotiation (void)
{
  const KgVector v = { 0, 0, 0 };
  FlockCouncil council = get_council (FLOCK_AVERAGE);
  FlockWish wishes[FLOCK_N_URGES] = { { { -1, 0, 1 }, 1, 1 }, { { 1, 0, 1 }, 1, 1 } };
  double given[FLOCK_N_URGES];

  /* 55-46: left and right of a pillar are straight into it. */
  assert_vector_near (flock_negotiate (&council, wishes, v, given), 0, 0, 1, 1e-12);
  council.how = FLOCK_SUM;
  assert_vector_near (flock_negotiate (&council, wishes, v, given), 0, 0, 2, 1e-12);
  /* 55-47 */
  council.how = FLOCK_PRIORITY;
  assert_vector_near (flock_negotiate (&council, wishes, v, given), -1, 0, 1, 1e-12);
  wishes[0] = (FlockWish){ { 1, 0, 0 }, 0.5, 1 };
  wishes[1] = (FlockWish){ { 0, 1, 0 }, 0.3, 1 };
  wishes[2] = (FlockWish){ { 0, 0, 1 }, 0.4, 1 };
  assert_vector_near (flock_negotiate (&council, wishes, v, given), 0.5, 0.3, 0.2, 1e-12);
  assert_near (given[2], 0.2, 1e-12);
  wishes[0].strength = 0.2;
  wishes[1].strength = wishes[2].strength = 0.1;
  assert_vector_near (flock_negotiate (&council, wishes, v, given), 0.5, 0.25, 0.25, 1e-12);
  wishes[0].strength = wishes[1].strength = wishes[2].strength = 0;
  assert_vector_near (flock_negotiate (&council, wishes, kg_vector (1, 2, 3), given), 1, 2, 3, 0);
  /* 55-48 */
  council.how = FLOCK_ACCELERATION;
  wishes[0] = (FlockWish){ { 3, 0, 0 }, 1, 1 };
  wishes[1] = (FlockWish){ { 0, 4, 0 }, 1, 1 };
  wishes[2] = (FlockWish){ { 0, 0, 5 }, 1, 1 };
  assert_vector_near (flock_negotiate (&council, wishes, v, given), 3, 2, 0, 1e-12);
  wishes[1].velocity.y = 1;
  wishes[2].velocity.z = 0.5;
  assert_vector_near (flock_negotiate (&council, wishes, v, given), 3, 1, 0.5, 1e-12);
}

static void
test_priorities (void)
{
  g_autoptr (GError) error = NULL, twice = NULL, none = NULL;
  FlockUrge order[FLOCK_N_URGES];

  g_assert_cmpuint (flock_urges_parse (" match, avoid", order, NULL), ==, 2);
  g_assert_cmpint (order[0], ==, FLOCK_MATCH);
  g_assert_cmpuint (flock_urges_parse ("avoid fly", order, &error), ==, 0);
  g_assert_nonnull (strstr (error->message, "\"fly\""));
  g_assert_cmpuint (flock_urges_parse ("avoid avoid", order, &twice), ==, 0);
  g_assert_nonnull (twice);
  g_assert_cmpuint (flock_urges_parse (" ", order, &none), ==, 0);
  g_assert_nonnull (none);
}

static void
test_governors (void)
{
  const FlockGovernors governors = { 10, 2, 10, 0, 0, 30 * KG_DEGREE };
  const KgVector z = { 0, 0, 1 }, zero = { 0, 0, 0 };
  KgVector v = flock_limit_velocity (&governors, kg_vector (0, 0, 5), kg_vector (5, 0, 0), z, 0.1);

  assert_vector_near (flock_limit_acceleration (&governors, kg_vector (30, 40, 0), z), 6, 8, 0, 1e-12);
  assert_near (atan2 (v.x, v.z) / KG_DEGREE, 3, 1e-9);
  assert_near (kg_vector_length (v), 5, 1e-9);
  assert_vector_near (flock_limit_velocity (&governors, zero, zero, z, 0.1), 0, 0, 2, 1e-12);
  assert_near (kg_vector_length (flock_limit_velocity (&governors, z, kg_vector (0, 0, 50), z, 0.1)), 10, 1e-9);
  /* Straight back. */
  v = flock_limit_velocity (&governors, kg_vector (0, 0, 5), kg_vector (0, 0, -5), z, 0.1);
  assert_near (acos (v.z / 5) / KG_DEGREE, 3, 1e-6);
}

static void
test_frame (void)
{
  const KgVector y = { 0, 1, 0 }, x = { 1, 0, 0 };
  FlightFrame frame = flight_frame_level (x, y, y), banked = flight_frame_bank (&frame, 90 * KG_DEGREE);
  const KgVector gravity = { 0, -9.81, 0 };

  /* 55-61 */
  assert_vector_near (frame.left, 0, 0, -1, 1e-12);
  assert_vector_near (banked.up, 0, 0, 1, 1e-12);
  assert_vector_near (kg_rotation_apply (flight_frame_get_rotation (&banked), kg_vector (0, 0, 1)), 1, 0, 0, 1e-12);
  assert_vector_near (kg_rotation_apply (flight_frame_get_rotation (&banked), y), 0, 0, 1, 1e-12);
  /* 55-63: v²/r to the right, and straight flight, and free fall. */
  assert_near (flight_frame_get_bank (&frame, kg_vector (0, 0, 100 / 17.655972), gravity, 0) / KG_DEGREE, 30, 1e-5);
  assert_near (flight_frame_get_bank (&frame, kg_vector (0, 0, 100 / 5.8853238), gravity, 0) / KG_DEGREE, 60, 1e-5);
  assert_near (flight_frame_get_bank (&frame, kg_vector (0, 0, 0), gravity, 1), 0, 0);
  assert_near (flight_frame_get_bank (&frame, gravity, gravity, 0.5), 0.5, 0);
}

static FlockObstacles *
new_obstacles (const KgGeometry *geometry)
{
  g_autoptr (GError) error = NULL;
  FlockObstacles *obstacles = flock_obstacles_new (geometry, NULL, &error);

  g_assert_no_error (error);
  return obstacles;
}

static KgGeometry *
new_balls (const KgVector *centers, size_t n, double radius)
{
  KgGeometry *balls = new_cloud (centers, n);
  float *width = kg_geometry_edit_float (balls, KG_POINTS, "width", 1);

  for (size_t i = 0; i < n; i++)
    width[i] = (float) (2 * radius);
  return balls;
}

/* From -1 to 1 along each side. */
static KgGeometry *
new_cube (void)
{
  KgGeometry *cube = kg_geometry_new ();

  add_box (cube, kg_vector (0, 0, 0), kg_vector (2, 2, 2), kg_rotation_identity ());
  return cube;
}

static void
test_hit (void)
{
  const KgVector p = { 0, 0, 0 }, z = { 0, 0, 1 };
  double t, entry;

  /* 55-53 */
  g_assert_true (flock_will_hit (p, z, kg_vector (2, 1, 10), 3, &t, &entry));
  assert_near (t, 2.236068, 1e-6);
  assert_near (entry, 8, 1e-12);
  g_assert_false (flock_will_hit (p, z, kg_vector (2, 1, 10), 2, &t, &entry));
  g_assert_false (flock_will_hit (p, z, kg_vector (2, 1, -10), 3, &t, &entry));
  g_assert_true (flock_will_hit (p, z, kg_vector (0, 0, 1), 3, &t, &entry));
  assert_near (entry, 0, 0);
}

static void
test_rim (void)
{
  const KgVector p = { 0, 0, 0 }, z = { 0, 0, 1 }, c = { 2, 1, 10 };
  KgVector b = flock_find_rim (p, z, c, 3, 1);
  const KgVector u = kg_vector_scale (c, 1 / kg_vector_length (c));
  double turn;

  assert_vector_near (b, -0.6753031, -0.3376516, 9.7688258, 1e-7);
  assert_near (kg_vector_length (b), 9.7979590, 1e-7);
  assert_near (kg_vector_distance (b, c), 3, 1e-12);
  assert_near (kg_vector_dot (b, kg_vector_subtract (b, c)), 0, 1e-12);
  turn = asin (3 / kg_vector_length (c)) - acos (u.z);
  assert_near (turn / KG_DEGREE, 4.4194835, 1e-6);
  b = flock_find_rim (p, z, kg_vector (0, 0, 10), 3, -1);
  g_assert_true (kg_vector_is_finite (b));
  assert_near (kg_vector_distance (b, kg_vector (0, 0, 10)), 3, 1e-9);
  b = flock_find_rim (p, kg_vector (0, 1, 0), kg_vector (0, 10, 0), 3, 1);
  g_assert_true (kg_vector_is_finite (b));
}

static void
test_field (void)
{
  const KgVector two[] = { { 1.5, 0, 0 }, { -1.5, 0, 0 } }, one = { 0, 0, 0 };
  g_autoptr (KgGeometry) ball = new_balls (&one, 1, 1);
  g_autoptr (FlockObstacles) obstacles = new_obstacles (ball);
  FlockAvoiding avoiding = get_settings ().avoiding;
  FlockFlyer flyer = { 0, { 0, 0, -1.5 }, { 0, 0, 2 }, { 0, 0, 1 }, 0 };
  FlockWish wish;

  avoiding.how = FLOCK_AVOID_FIELD;
  avoiding.distance = 1;
  avoiding.response = 1;
  /* 55-52: head-on there is no side; A (1 - d)² = 2.5 half way in. */
  g_assert_true (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
  assert_vector_near (wish.velocity, 0, 0, 2 - 2.5, 1e-9);
  /* Along it, only what comes nearer is pushed. */
  avoiding.approach = true;
  flyer.heading = kg_vector (1, 0, 0);
  flyer.velocity = kg_vector (2, 0, 0);
  flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish);
  assert_vector_near (wish.velocity, 2, 0, 0, 1e-9);
  flyer.place = kg_vector (0, 0, -2.5);
  g_assert_false (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
  /* Through a gap of a metre between two balls, slowly and fast: the barrier is that of 1.291 m/s. */
  for (int fast = 0; fast < 2; fast++) {
    FlockSettings s = get_settings ();
    const KgVector p = { 0, 0, -4 }, v = { 0, 0, fast ? 1.33 : 1.25 };
    g_autoptr (KgGeometry) balls = new_balls (two, 2, 1), flock = NULL;
    g_autoptr (FlockObstacles) gap = new_obstacles (balls);

    s.avoiding = avoiding;
    s.avoiding.approach = false;
    s.avoiding.response = s.council.response = 0.5;
    s.obstacles = gap;
    s.council.how = FLOCK_ACCELERATION;
    s.council.max_acceleration = s.governors.max_acceleration = 1e6;
    s.governors.max_turn = 1e6;
    s.governors.min_speed = 0;
    keep_urges (&s, "avoid");
    flock = new_flock (&p, &v, 1, &s);
    kg_geometry_edit_float (flock, KG_POINTS, "width", 1)[0] = 0;
    run (&flock, &s, 0, 2000, 0.005);
    g_assert_true ((get3 (flock, "P", 0).z > 1) == (fast != 0));
    assert_near (get3 (flock, "P", 0).x, 0, 1e-6);
  }
}

static void
test_center (void)
{
  const KgVector one = { 1, 0, 10 };
  g_autoptr (KgGeometry) ball = new_balls (&one, 1, 2);
  g_autoptr (FlockObstacles) obstacles = new_obstacles (ball);
  FlockAvoiding avoiding = get_settings ().avoiding;
  FlockFlyer flyer = { 0, { 0, 0, 0 }, { 0, 0, 8 }, { 0, 0, 1 }, 0 };
  FlockWish wish;

  avoiding.how = FLOCK_AVOID_CENTER;
  avoiding.comfort = 0;
  avoiding.response = 1;
  /* 55-55: t = 1 of 2: half of the strength, to the side away from the centre. */
  g_assert_true (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
  assert_vector_near (wish.velocity, -5, 0, 8, 1e-9);
  flyer.place.x = 1;
  g_assert_true (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
  assert_near (fabs (wish.velocity.x), 10, 1e-9);
  flyer.place.x = -1;
  g_assert_false (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
}

static void
test_silhouette (void)
{
  static const struct {
    KgVector from;
    guint n;
  } cases[] = { { { 3, 0, 0 }, 4 }, { { 3, 3, 0 }, 6 }, { { 3, 3, 3 }, 6 } };
  g_autoptr (KgGeometry) cube = new_cube ();
  g_autoptr (FlockObstacles) obstacles = new_obstacles (cube);
  FlockAvoiding avoiding = get_settings ().avoiding;
  FlockFlyer flyer = { 0, { 0.3, 0, -5 }, { 0, 0, 5 }, { 0, 0, 1 }, 0.1 };
  FlockWish wish;
  double along;
  KgVector e;

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_autoptr (GArray) edges = flock_obstacles_find_silhouette (obstacles, cases[k].from);
    int degree[8] = { 0 };

    g_assert_cmpuint (edges->len, ==, cases[k].n);
    for (guint i = 0; i < 2 * edges->len; i++)
      degree[((const uint32_t *) (const void *) edges->data)[i]]++;
    for (int i = 0; i < 8; i++)
      g_assert_cmpint (degree[i] % 2, ==, 0);
  }
  e = flock_find_nearest_on_edge (kg_vector (0, 0, 0), kg_vector (0, 0, 1), kg_vector (1, -1, 5), kg_vector (2, 2, 5),
                                  &along);
  assert_vector_near (e, 1.2, -0.4, 5, 1e-12);
  assert_near (along, 5, 1e-12);
  /* The nearest side is that of larger x. */
  avoiding.how = FLOCK_AVOID_SILHOUETTE;
  g_assert_true (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
  g_assert_cmpfloat (wish.velocity.x, >, 1);
  assert_near (kg_vector_length (wish.velocity), 5, 1e-9);
  flyer.place.x = 1.7;
  g_assert_false (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
}

static void
test_feelers (void)
{
  const KgVector corners[] = { { -50, -50, 0 }, { 50, -50, 0 }, { 50, 50, 0 }, { -50, 50, 0 } };
  static const uint32_t square[] = { 0, 1, 2, 3 };
  g_autoptr (KgGeometry) wall = new_cloud (corners, 4);
  g_autoptr (FlockObstacles) obstacles = NULL;
  FlockAvoiding avoiding = get_settings ().avoiding;
  const double half = sqrt (0.5);
  FlockFlyer flyer = { 0, { 0, 0, -3 }, { 5 * half, 0, 5 * half }, { half, 0, half }, 0.1 };
  FlockWish wish;
  KgVector ray;

  /* 55-57 */
  assert_vector_near (flock_get_feeler (0, 16, KG_PI / 2), 0, 0, 1, 1e-12);
  assert_vector_near (flock_get_feeler (1, 16, KG_PI / 2), -0.2647235, 0.2425084, 0.9333333, 1e-7);
  ray = flock_get_feeler (15, 16, KG_PI / 2);
  assert_near (ray.z, 0, 1e-12);
  assert_near (kg_vector_length (ray), 1, 1e-12);
  kg_geometry_add_primitives (wall, KG_POLYGON, true, 1, 4, square);
  obstacles = new_obstacles (wall);
  avoiding.how = FLOCK_AVOID_FEELERS;
  g_assert_true (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
  g_assert_cmpfloat (wish.velocity.z, <, 5 * half);
  flyer.place.z = -0.3;
  g_assert_true (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
  g_assert_cmpfloat (wish.velocity.z, <=, 0);
  assert_near (kg_vector_length (wish.velocity), 5, 1e-9);
}

static void
test_view (void)
{
  const KgVector corners[] = { { -20, -20, 0 }, { 0.5, -20, 0 }, { 0.5, 20, 0 }, { -20, 20, 0 } };
  static const uint32_t square[] = { 0, 1, 2, 3 };
  g_autoptr (KgGeometry) wall = new_cloud (corners, 4);
  g_autoptr (FlockObstacles) obstacles = NULL;
  FlockAvoiding avoiding = get_settings ().avoiding;
  /* It looks along z, with x at its left: the wall is at the right and in the middle. */
  FlockFlyer flyer = { 0, { 0, 0, -4 }, { 0, 0, 5 }, { 0, 0, 1 }, 0.1 };
  FlockWish wish;

  kg_geometry_add_primitives (wall, KG_POLYGON, true, 1, 4, square);
  obstacles = new_obstacles (wall);
  avoiding.how = FLOCK_AVOID_VIEW;
  avoiding.comfort = 0.2;
  g_assert_true (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
  g_assert_cmpfloat (wish.velocity.x / wish.velocity.z, >, 0.5 / 4);
  g_assert_cmpfloat (wish.velocity.x / wish.velocity.z, <, 2.0 / 4);
  assert_near (wish.velocity.y, 0, 0.5);
  {
    /* All is covered, but what is at the left is farther: past the edge, in front of it. */
    const KgVector both[] = { { -20, -20, 0 }, { 0.5, -20, 0 }, { 0.5, 20, 0 }, { -20, 20, 0 },
                              { -60, -60, 8 }, { 60, -60, 8 },  { 60, 60, 8 },  { -60, 60, 8 } };
    static const uint32_t second[] = { 4, 5, 6, 7 };
    g_autoptr (KgGeometry) walls = new_cloud (both, 8);
    g_autoptr (FlockObstacles) deep = NULL;
    FlockFlyer fast = flyer;

    kg_geometry_add_primitives (walls, KG_POLYGON, true, 1, 4, square);
    kg_geometry_add_primitives (walls, KG_POLYGON, true, 1, 4, second);
    deep = new_obstacles (walls);
    avoiding.size = 32;
    fast.velocity = kg_vector (0, 0, 13);
    g_assert_true (flock_obstacles_avoid (deep, &avoiding, &fast, &wish));
    assert_near (kg_vector_length (wish.velocity), 13, 1e-9);
    g_assert_cmpfloat (wish.velocity.x / wish.velocity.z, >, 0.8 / 4);
    g_assert_cmpfloat (wish.velocity.x / wish.velocity.z, <, 1.4 / 4);
    avoiding.size = 16;
  }
  {
    /* A wall straight ahead that covers all is nowhere farther ahead: it brakes and turns. */
    const KgVector all[] = { { -400, -400, 0 }, { 400, -400, 0 }, { 400, 400, 0 }, { -400, 400, 0 } };
    g_autoptr (KgGeometry) endless = new_cloud (all, 4);
    g_autoptr (FlockObstacles) shut = NULL;
    FlockFlyer fast = flyer;

    kg_geometry_add_primitives (endless, KG_POLYGON, true, 1, 4, square);
    shut = new_obstacles (endless);
    fast.velocity = kg_vector (0, 0, 13);
    g_assert_true (flock_obstacles_avoid (shut, &avoiding, &fast, &wish));
    assert_near (kg_vector_length (wish.velocity), 1.3, 1e-9);
    assert_near (wish.velocity.z, 0, 1e-9);
    assert_near (wish.strength, 1, 0);
  }
  /* All is covered: it brakes. */
  flyer.place = kg_vector (-10, 0, -1);
  g_assert_true (flock_obstacles_avoid (obstacles, &avoiding, &flyer, &wish));
  g_assert_cmpfloat (kg_vector_length (wish.velocity), <=, 5 + 1e-9);
}

/* All ways round a ball and a cube end on the other side, and none inside. */
static void
test_ways_round (void)
{
  const KgVector one = { 0, 0, 0 };

  for (int mesh = 0; mesh < 2; mesh++)
    for (int how = FLOCK_AVOID_CENTER; how < FLOCK_N_AVOIDANCES; how++) {
      g_autoptr (KgGeometry) thing = mesh != 0 ? new_cube () : new_balls (&one, 1, 1.2), flock = NULL;
      g_autoptr (FlockObstacles) obstacles = new_obstacles (thing);
      const KgVector p = { 0.1, 0.05, -14 }, v = { 0, 0, 4 };
      FlockSettings s = get_settings ();

      s.obstacles = obstacles;
      s.avoiding.how = (FlockAvoidance) how;
      s.migration = kg_vector (0, 0, 4);
      flock = new_flock (&p, &v, 1, &s);
      for (int k = 0; k < 240; k++) {
        KgVector x;

        run (&flock, &s, k, k + 1, DT);
        x = get3 (flock, "P", 0);
        g_assert_cmpfloat (fmax (fabs (x.x), fmax (fabs (x.y), fabs (x.z))), >, mesh != 0 ? 1 : 0.69);
      }
      g_assert_cmpfloat (get3 (flock, "P", 0).z, >, 2);
    }
}

enum { ROOM_BALL, ROOM_MESH, ROOM_CUBE };

/* A room about the whole flock: nobody leaves it, and nobody is pressed to its walls. */
static void
test_room (gconstpointer data)
{
  const int shape = GPOINTER_TO_INT (data);
  const double sizes[] = { 6, 12, 30 };

  for (size_t k = 0; k < G_N_ELEMENTS (sizes); k++)
    for (int how = FLOCK_AVOID_STEER; how <= FLOCK_AVOID_SILHOUETTE; how++) {
      const double size = sizes[k];
      const KgVector one = { 0, 0, 0 };
      g_autoptr (KgGeometry) room = shape == ROOM_BALL   ? new_balls (&one, 1, size)
                                    : shape == ROOM_MESH ? new_ball (size, 3)
                                                         : new_cube (),
                             flock = NULL;
      g_autoptr (FlockObstacles) obstacles = NULL;
      FlockSettings s = get_settings ();
      KgVector p[40], v[40];
      double sum = 0, farthest = 0;

      if (shape == ROOM_CUBE)
        for (size_t i = 0; i < 3 * kg_geometry_get_n_points (room); i++)
          kg_geometry_edit_positions (room)[i] *= (float) size;
      obstacles = new_obstacles (room);
      for (uint32_t i = 0; i < 40; i++) {
        p[i] = kg_vector_scale (kg_random_direction (1, i, 0), 0.5 * size * kg_random_uniform (2, i, 0));
        v[i] = kg_vector_scale (kg_random_direction (3, i, 0), 5);
      }
      s.obstacles = obstacles;
      s.avoiding.how = (FlockAvoidance) how;
      s.wander = 0.2;
      flock = new_flock (p, v, 40, &s);
      for (int f = 0; f < 500; f++) {
        run (&flock, &s, f, f + 1, DT);
        for (size_t i = 0; i < 40; i++) {
          const KgVector x = get3 (flock, "P", i);
          const double r = shape == ROOM_CUBE ? fmax (fabs (x.x), fmax (fabs (x.y), fabs (x.z))) / size
                                              : kg_vector_length (x) / size;

          sum += r / (500 * 40);
          farthest = fmax (farthest, r);
        }
      }
      g_test_message ("size %g, way %d: mean %g, farthest %g", size, how, sum, farthest);
      g_assert_cmpfloat (farthest, <, 0.99);
      g_assert_cmpfloat (sum, <, 0.8);
    }
}

/* A ball with half of the flock in it is an obstacle for all; with more, a room, in which members see each other, and which stops
 * them as a collider too. */
static void
test_room_of_most (void)
{
  const KgVector one = { 0, 0, 0 }, fast = { 0, 0, 10 };
  g_autoptr (KgGeometry) ball = new_balls (&one, 1, 4);
  g_autoptr (FlockObstacles) obstacles = new_obstacles (ball);
  const float p[] = { 1, 0, 0, -1, 0, 0, 9, 0, 0, 9, 1, 0, 0, 1, 0 };
  uint32_t room[5];
  KgVector place = { 0, 0, 9 }, velocity = fast;

  g_assert_true (flock_obstacles_find_rooms (obstacles, p, 4, room, NULL));
  for (int i = 0; i < 4; i++)
    g_assert_cmpuint (room[i], ==, 0);
  g_assert_true (flock_obstacles_find_rooms (obstacles, p, 5, room, NULL));
  for (int i = 0; i < 5; i++)
    g_assert_cmpuint (room[i], ==, i == 2 || i == 3 ? 0 : 1);
  g_assert_true (flock_obstacles_hide (obstacles, 0, kg_vector (1, 0, 0), kg_vector (-1, 0, 0)));
  g_assert_false (flock_obstacles_hide (obstacles, 1, kg_vector (1, 0, 0), kg_vector (-1, 0, 0)));
  flock_obstacles_stop (obstacles, 1, one, 0.5, &place, &velocity);
  assert_vector_near (place, 0, 0, 3.5, 1e-9);
  assert_vector_near (velocity, 0, 0, 0, 1e-9);
}

static void
test_rejoin (void)
{
  KgVector p[8], v[8];
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) apart = NULL, joined = NULL;
  const int32_t *group;

  for (int i = 0; i < 8; i++) {
    p[i] = kg_vector ((i < 4 ? -6 : 6) + i % 2, i / 2 % 2, 0);
    v[i] = kg_vector (0, 0, 5);
  }
  s.rejoin_sight = 8;
  apart = new_flock (p, v, 8, &s);
  run (&apart, &s, 0, 200, DT);
  group = kg_geometry_get_int (apart, KG_POINTS, "group", 1);
  g_assert_cmpint (group[0], ==, 0);
  g_assert_cmpint (group[7], ==, 1);
  s.rejoin_sight = 15;
  joined = new_flock (p, v, 8, &s);
  run (&joined, &s, 0, 400, DT);
  g_assert_cmpint (kg_geometry_get_int (joined, KG_POINTS, "group", 1)[7], ==, 0);
}

/* Groups of many sizes: each member goes to the one of another group that is nearest. */
static void
test_rejoin_nearest (void)
{
  enum { N = 600 };
  static KgVector p[N], v[N];
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) flock = NULL;
  g_autofree int32_t *group = NULL;

  for (int i = 0; i < N; i++) {
    /* Two of about 200, one of 100, and pairs. */
    const int g = i % 3 < 2 ? i % 3 : i % 6 == 2 ? 2 : 3 + i / 12;

    p[i] = kg_vector (g < 3 ? 12.0 * g : 12.0 * (g % 5) - 6, g < 3 ? 0 : 8 + 6.0 * (g / 5), 0);
    p[i] = kg_vector_add_scaled (p[i], 1.5, kg_random_direction (3, (uint64_t) i, 0));
    v[i] = kg_vector (0, 0, 5);
  }
  keep_urges (&s, "rejoin");
  s.record = true;
  s.sight.radius = 2;
  s.rejoin_sight = 40;
  flock = new_flock (p, v, N, &s);
  group = g_memdup2 (kg_geometry_get_int (flock, KG_POINTS, "group", 1), N * sizeof *group);
  run (&flock, &s, 0, 1, DT);
  for (size_t i = 0; i < N; i++) {
    size_t nearest = i;
    KgVector d;

    for (size_t k = 0; k < N; k++)
      if (group[k] != group[i] &&
          (nearest == i || kg_vector_distance (p[k], p[i]) < kg_vector_distance (p[nearest], p[i])))
        nearest = k;
    g_assert_cmpuint (nearest, !=, i);
    d = kg_vector_scale (kg_vector_normalize_or (kg_vector_subtract (p[nearest], p[i]), kg_vector (0, 0, 0)), 2);
    assert_vector_near (get3 (flock, "wish_rejoin", i), d.x, d.y, d.z, 1e-4);
  }
}

static KgGeometry *
new_ground (double slope)
{
  const KgVector corners[] = { { -50, 0, -50 }, { -50, 100 * slope, 50 }, { 50, 100 * slope, 50 }, { 50, 0, -50 } };
  static const uint32_t square[] = { 0, 1, 2, 3 };
  KgGeometry *ground = new_cloud (corners, 4);

  kg_geometry_add_primitives (ground, KG_POLYGON, true, 1, 4, square);
  return ground;
}

/* On a ball of 5 m, 60 degrees ahead: 30 degrees below the heading, but straight ahead along the ground; what is wished is in the
 * plane that touches it. */
static void
test_along_ground (void)
{
  const KgVector p[] = { { 0, 5, 0 }, { 0, 2.5, 4.330127 } }, v[] = { { 0, 0, 3 }, { 0, -2.6, 1.5 } };
  g_autoptr (KgGeometry) ball = new_ball (5, 5);
  g_autoptr (FlockGround) ground = flock_ground_new (ball, true, NULL, NULL);
  FlockSettings s = get_settings ();

  s.sight.radius = 8;
  s.sight.angle = 40 * KG_DEGREE;
  s.record = true;
  s.centering = 1;
  for (int grounded = 0; grounded < 2; grounded++) {
    g_autoptr (KgGeometry) flock = NULL;
    KgVector wish;

    s.ground = grounded != 0 ? ground : NULL;
    flock = new_flock (p, v, 2, &s);
    run (&flock, &s, 0, 1, DT);
    wish = get3 (flock, "wish_center", 0);
    /* The chord of 60 degrees is the radius. */
    assert_near (wish.z, grounded != 0 ? 5 : 0, grounded != 0 ? 0.01 : 0);
    assert_near (wish.y, 0, grounded != 0 ? 0.2 : 0);
  }
}

static void
test_ground (void)
{
  FlockSettings s = get_settings ();
  KgVector p[30], v[30];
  g_autoptr (GError) error = NULL;
  size_t misses;

  make_random (p, v, 30, 3, 6);
  for (int tilted = 0; tilted < 2; tilted++) {
    g_autoptr (KgGeometry) plane = new_ground (tilted * 0.3), flock = new_flock (p, v, 30, &s);
    g_autoptr (FlockGround) ground = flock_ground_new (plane, false, NULL, &error);

    s.ground = ground;
    run (&flock, &s, 0, 30, DT);
    for (size_t i = 0; i < 30; i++) {
      const KgVector x = get3 (flock, "P", i);

      assert_near (x.y, tilted * 0.3 * (x.z + 50), 1e-4);
      if (tilted == 0)
        assert_near (get3 (flock, "v", i).y, 0, 1e-6);
    }
    s.ground = NULL;
  }
  {
    /* Over the edge. */
    g_autoptr (KgGeometry) plane = new_ground (0), flock = NULL;
    g_autoptr (FlockGround) ground = flock_ground_new (plane, false, NULL, &error);

    p[0].x = 200;
    flock = new_flock (p, v, 30, &s);
    s.ground = ground;
    g_assert_true (flock_state_step (&flock, &s, DT, DT, &misses, NULL, &error));
    g_assert_cmpuint (misses, ==, 1);
    s.ground = NULL;
  }
  {
    /* Uphill they are slower than they would be on the flat, 3 m/s, though 10 m/s are allowed. */
    g_autoptr (KgGeometry) plane = new_ground (0.3), flock = NULL;
    g_autoptr (FlockGround) ground = flock_ground_new (plane, false, NULL, &error);
    FlockSettings uphill = get_settings ();
    const KgVector at[] = { { 0, 15, 0 } }, along[] = { { 0, 0, 3 } };

    uphill.ground = ground;
    uphill.aim = FLOCK_AIM_DIRECTION;
    uphill.migration = kg_vector (0, 0, 1);
    uphill.migration_strength = 1;
    uphill.cruise_speed = 3;
    uphill.governors.max_speed = 10;
    uphill.max_slope = 45 * KG_DEGREE;
    flock = new_flock (at, along, 1, &uphill);
    run (&flock, &uphill, 0, 120, DT);
    assert_near (kg_vector_length (get3 (flock, "v", 0)), 3 * (1 - atan (0.3) / (45 * KG_DEGREE)), 1e-3);
  }
  /* Uphill they are slower. */
  assert_near (flock_ground_get_speed (kg_vector (0, 0, 1), kg_vector (0, 1, -1), 90 * KG_DEGREE), 0.5, 1);
  assert_near (
      flock_ground_get_speed (kg_vector (0, 0, 1), kg_vector_scale (kg_vector (0, 1, -1), sqrt (0.5)), 90 * KG_DEGREE),
      0.5, 1e-12);
  assert_near (flock_ground_get_speed (kg_vector (0, 0, -1), kg_vector_scale (kg_vector (0, 1, -1), sqrt (0.5)), 1), 1,
               0);
}

static void
test_measure (void)
{
  const float x[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 5, 0, 0, 6, 0, 0 };
  float p[300], v[300];
  int32_t groups[5];
  double sum = 0, nearest;
  FlockMeasure m;

  g_assert_cmpint (point_groups_find (x, 5, 1, groups, NULL), ==, 2);
  g_assert_cmpint (groups[2], ==, 0);
  g_assert_cmpint (groups[3], ==, 1);
  g_assert_cmpint (point_groups_find (x, 5, 3, groups, NULL), ==, 1);
  g_assert_true (flock_measure_nearest (x, 5, &nearest, NULL));
  assert_near (nearest, 1, 1e-9);
  for (int i = 0; i < 100; i++) {
    const double a = i * KG_PI / 50;

    p[3 * i] = (float) cos (a);
    p[3 * i + 1] = 0;
    p[3 * i + 2] = (float) sin (a);
    v[3 * i] = (float) -sin (a);
    v[3 * i + 1] = 0;
    v[3 * i + 2] = (float) cos (a);
  }
  m = flock_measure (p, v, 100);
  assert_near (m.polarisation, 0, 1e-6);
  assert_near (m.rotation, 1, 1e-6);
  assert_near (m.cohesion, 1, 1e-6);
  for (uint64_t k = 0; k < 400; k++) {
    for (uint64_t i = 0; i < 100; i++) {
      const KgVector d = kg_random_direction (k, i, 0);

      v[3 * i] = (float) d.x;
      v[3 * i + 1] = (float) d.y;
      v[3 * i + 2] = (float) d.z;
    }
    sum += flock_measure (p, v, 100).polarisation / 400;
  }
  assert_near (sum, sqrt (8 / (3 * KG_PI * 100)), 0.006);
  m = flock_measure (p, v, 0);
  assert_near (m.polarisation, 0, 0);
  m = flock_measure (p, v, 1);
  assert_near (m.polarisation, 1, 1e-6);
}

static void
test_groups_brute (void)
{
  enum { N = 400 };
  float p[3 * N];

  for (uint64_t seed = 0; seed < 5; seed++) {
    int32_t groups[N], number[N];
    int64_t n;

    for (size_t i = 0; i < 3 * N; i++)
      p[i] = (float) (8 * kg_random_uniform (seed, i, 0));
    n = point_groups_find (p, N, 0.9f, groups, NULL);
    /* Numbers spread until nothing changes. */
    for (int i = 0; i < N; i++)
      number[i] = i;
    for (bool changed = true; changed;) {
      changed = false;
      for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
          const float a = p[3 * i] - p[3 * k], b = p[3 * i + 1] - p[3 * k + 1], c = p[3 * i + 2] - p[3 * k + 2];

          if (a * a + b * b + c * c <= 0.9f * 0.9f && number[k] < number[i]) {
            number[i] = number[k];
            changed = true;
          }
        }
    }
    for (int i = 0; i < N; i++)
      for (int k = 0; k < N; k++)
        g_assert_true ((groups[i] == groups[k]) == (number[i] == number[k]));
    g_assert_cmpint (n, >, 1);
  }
}

/* All at one place, one alone, none, no speed, obstacles around all: finite numbers, and no hang. */
static void
test_bad_input (void)
{
  enum { N = 3000 };
  g_autofree KgVector *p = g_new0 (KgVector, N), *v = g_new0 (KgVector, N);
  FlockSettings s = get_settings ();
  g_autoptr (KgGeometry) heap = NULL, one = NULL, none = NULL, still = NULL, caged = NULL;
  const KgVector zero = { 0, 0, 0 };
  g_autoptr (KgGeometry) cage = new_balls (&zero, 1, 50), walls = new_cube ();
  g_autoptr (FlockObstacles) around = new_obstacles (cage), box = NULL;

  heap = new_flock (p, v, N, &s);
  run (&heap, &s, 0, 4, DT);
  g_assert_cmpfloat (kg_vector_distance (get3 (heap, "P", 0), get3 (heap, "P", 1)), >, 1e-4);
  one = new_flock (p, v, 1, &s);
  run (&one, &s, 0, 24, DT);
  assert_vector_near (get3 (one, "v", 0), 0, 0, 3.5, 1.6);
  none = new_flock (p, v, 0, &s);
  run (&none, &s, 0, 2, DT);
  s.governors.max_speed = s.governors.min_speed = 0;
  still = new_flock (p, v, 20, &s);
  run (&still, &s, 0, 10, DT);
  assert_vector_near (get3 (still, "P", 5), 0, 0, 0, 0);
  s = get_settings ();
  make_random (p, v, 50, 2, 0.5);
  for (int how = 0; how < FLOCK_N_AVOIDANCES; how++) {
    s.avoiding.how = (FlockAvoidance) how;
    s.obstacles = around;
    g_clear_pointer (&caged, kg_geometry_unref);
    caged = new_flock (p, v, 50, &s);
    run (&caged, &s, 0, 6, DT);
    s.obstacles = box == NULL ? (box = new_obstacles (walls)) : box;
    run (&caged, &s, 6, 12, DT);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flock/55-02-measure", test_measure);
  g_test_add_func ("/flock/55-02-groups", test_groups_brute);
  g_test_add_func ("/flock/55-33-reference", test_reference);
  g_test_add_data_func ("/flock/55-33-mirror", GINT_TO_POINTER (MIRROR), test_invariant);
  g_test_add_data_func ("/flock/55-33-turn", GINT_TO_POINTER (TURN), test_invariant);
  g_test_add_data_func ("/flock/55-33-permute", GINT_TO_POINTER (PERMUTE), test_invariant);
  g_test_add_data_func ("/flock/55-33-move", GINT_TO_POINTER (MOVE), test_invariant);
  g_test_add_func ("/flock/55-34-sight", test_sight);
  g_test_add_func ("/flock/55-35-narrowing", test_narrowing);
  g_test_add_func ("/flock/55-36-hidden", test_hidden);
  g_test_add_func ("/flock/55-37-weights", test_weights);
  g_test_add_func ("/flock/55-38-separation", test_separation);
  g_test_add_func ("/flock/55-39-matching", test_matching);
  g_test_add_func ("/flock/55-40-centering", test_centering);
  g_test_add_func ("/flock/55-41-migration", test_migration);
  g_test_add_func ("/flock/55-41-path", test_path);
  g_test_add_func ("/flock/55-42-leader", test_leader);
  g_test_add_func ("/flock/55-42-changing-leader", test_changing_leader);
  g_test_add_func ("/flock/55-43-formation", test_formation);
  g_test_add_func ("/flock/55-44-one-law", test_one_law);
  g_test_add_func ("/flock/55-45-wave", test_wave);
  g_test_add_func ("/flock/55-45-delay", test_delay);
  g_test_add_func ("/flock/55-45-delay-of-self", test_delay_of_self);
  g_test_add_func ("/flock/55-67-perception-rate", test_perception_rate);
  g_test_add_func ("/flock/55-67-perception-of-each-step", test_perception_of_each_step);
  g_test_add_func ("/flock/55-67-perception-by-threads", test_perception_by_threads);
  g_test_add_func ("/flock/55-67-perception-seldom", test_perception_seldom);
  g_test_add_func ("/flock/55-45-55-67-wave-of-looks", test_wave_of_looks);
  g_test_add_func ("/flock/55-46-47-48-negotiation", test_negotiation);
  g_test_add_func ("/flock/55-47-priorities", test_priorities);
  g_test_add_func ("/flock/55-49-governors", test_governors);
  g_test_add_func ("/flock/55-51-brute-force", test_brute_force);
  g_test_add_func ("/flock/55-51-crowded", test_crowded);
  g_test_add_func ("/flock/55-51-one-place", test_one_place);
  g_test_add_func ("/flock/55-51-threads", test_threads);
  g_test_add_func ("/flock/55-52-field", test_field);
  g_test_add_func ("/flock/55-53-hit", test_hit);
  g_test_add_func ("/flock/55-54-rim", test_rim);
  g_test_add_func ("/flock/55-55-center", test_center);
  g_test_add_func ("/flock/55-56-silhouette", test_silhouette);
  g_test_add_func ("/flock/55-57-feelers", test_feelers);
  g_test_add_func ("/flock/55-58-view", test_view);
  g_test_add_data_func ("/flock/55-57-room-of-a-ball", GINT_TO_POINTER (ROOM_BALL), test_room);
  g_test_add_data_func ("/flock/55-57-room-of-a-mesh", GINT_TO_POINTER (ROOM_MESH), test_room);
  g_test_add_data_func ("/flock/55-57-room-of-a-cube", GINT_TO_POINTER (ROOM_CUBE), test_room);
  g_test_add_func ("/flock/55-57-room-of-most", test_room_of_most);
  g_test_add_func ("/flock/55-59-rejoin", test_rejoin);
  g_test_add_func ("/flock/55-59-rejoin-nearest", test_rejoin_nearest);
  g_test_add_func ("/flock/55-59-ways-round", test_ways_round);
  g_test_add_func ("/flock/55-60-ground", test_ground);
  g_test_add_func ("/flock/55-60-along-ground", test_along_ground);
  g_test_add_func ("/flock/55-61-63-frame", test_frame);
  g_test_add_func ("/flock/bad-input", test_bad_input);
  return g_test_run ();
}

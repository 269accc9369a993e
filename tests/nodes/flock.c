/* tests/nodes/flock: flocks, their measure and banked flight as nodes: closed forms, resuming, bad input, and the examples.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <string.h>

#define RATE 24.0
#define GRAVITY 9.81

static KgGeometry *
get_flock (NodeTest *test, const char *target, int frame)
{
  return node_test_get (test, target, (frame - 1) / RATE).geometry;
}

static KgVector
get3 (const KgGeometry *geometry, const char *name, size_t i)
{
  const float *a = kg_geometry_get_float (geometry, KG_POINTS, name, 3);

  g_assert_nonnull (a);
  return kg_vector ((double) a[3 * i], (double) a[3 * i + 1], (double) a[3 * i + 2]);
}

/* Without urges and limits a flock falls as particles do: by semi-implicit Euler. */
static void
test_as_particles (void)
{
  NodeTest test = node_test_new ();
  const double h = 1 / RATE;
  g_autoptr (KgGeometry) first = NULL, last = NULL;

  node_test_add (&test, "field/gravity", "gravity", "acceleration", "[0, -9.81, 0]", NULL);
  node_test_add (&test, "sim/flock", "flock", "count", "20", "separation", "0", "matching", "0", "centering", "0",
                 "rejoin", "0", "migration_strength", "0", "wander", "0", "min_speed", "0", "max_speed", "1e6",
                 "max_turn", "1e6", "forces", "[{\"link\": \"gravity.field\"}]", NULL);
  first = get_flock (&test, "flock.geometry", 1);
  last = get_flock (&test, "flock.geometry", 25);
  for (size_t i = 0; i < 20; i++) {
    const KgVector x = get3 (first, "P", i), v = get3 (first, "v", i), y = get3 (last, "P", i);

    assert_vector_near (y, x.x + v.x, x.y + v.y - GRAVITY * h * h * 24 * 25 / 2, x.z + v.z, 2e-5);
  }
  node_test_clear (&test);
}

/* The run that the defaults were chosen by: a flock after four seconds, and one group. */
static void
test_defaults (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "sim/flock", "flock", "count", "60", "start_spread", "180", "seed", "2", "migration",
                 "[0, 0, 5]", NULL);
  node_test_add (&test, "geometry/flock_measure", "measure", "geometry", "{\"link\": \"flock.geometry\"}", "radius",
                 "5", NULL);
  g_assert_cmpfloat (node_test_number (&test, "flock.polarisation", 0), <, 0.5);
  g_assert_cmpfloat (node_test_number (&test, "measure.polarisation", 4), >, 0.95);
  g_assert_cmpfloat (node_test_number (&test, "measure.polarisation", 16), >, 0.99);
  assert_near (node_test_number (&test, "flock.groups", 16), 1, 0);
  assert_near (node_test_number (&test, "measure.nearest", 16), 1.25, 0.06);
  assert_near (node_test_number (&test, "measure.groups", 6), node_test_number (&test, "flock.groups", 6), 0);
  node_test_clear (&test);
}

/* The same bits again, and from the middle on. */
static void
test_again (void)
{
  NodeTest one = node_test_open_example ("flock_at_a_pillar.json"),
           two = node_test_open_example ("flock_at_a_pillar.json");
  g_autoptr (KgGeometry) a = NULL, b = NULL, middle = get_flock (&two, "flock.geometry", 12);

  a = get_flock (&one, "flock.geometry", 24);
  b = get_flock (&two, "flock.geometry", 24);
  g_assert_true (kg_geometry_equal (a, b));
  node_test_clear (&one);
  node_test_clear (&two);
}

/* What members saw last is part of the state: from any frame on, and back, come the same bits. */
static void
test_perception_again (void)
{
  static const int frames[] = { 30, 7, 18, 30, 19 };
  NodeTest jumping = node_test_new ();

  node_test_add (&jumping, "sim/flock", "flock", "count", "40", "perception_rate", "5", "reaction_time", "0.1",
                 "turn_at", "0.5", "leader", "\"changing\"", NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (frames); k++) {
    NodeTest fresh = node_test_new ();
    g_autoptr (KgGeometry) a = get_flock (&jumping, "flock.geometry", frames[k]), b = NULL;
    KgAttribute attribute;

    node_test_add (&fresh, "sim/flock", "flock", "count", "40", "perception_rate", "5", "reaction_time", "0.1",
                   "turn_at", "0.5", "leader", "\"changing\"", NULL);
    b = get_flock (&fresh, "flock.geometry", frames[k]);
    g_assert_true (kg_geometry_equal (a, b));
    g_assert_false (kg_geometry_find_attribute (a, KG_POINTS, "look_age", &attribute));
    g_assert_false (kg_geometry_find_attribute (a, KG_POINTS, "look_phase", &attribute));
    g_assert_false (kg_geometry_find_attribute (a, KG_POINTS, "P1", &attribute));
    node_test_clear (&fresh);
  }
  node_test_clear (&jumping);
}

/* More looks than frames are one in each frame; a rate below 0 is 0; one near 0, and flocks of nobody and of one, are flocks. */
static void
test_perception_rates (void)
{
  NodeTest test = node_test_new ();
  g_autoptr (KgGeometry) plain = NULL, often = NULL, below = NULL, none = NULL, one = NULL, seldom = NULL;

  node_test_add (&test, "sim/flock", "flock", "count", "12", NULL);
  plain = get_flock (&test, "flock.geometry", 20);
  node_test_set (&test, "flock", "perception_rate", "1000");
  often = get_flock (&test, "flock.geometry", 20);
  g_assert_true (kg_geometry_equal (plain, often));
  node_test_set (&test, "flock", "perception_rate", "-3");
  below = get_flock (&test, "flock.geometry", 20);
  g_assert_true (kg_geometry_equal (plain, below));
  node_test_set (&test, "flock", "perception_rate", "1e-12");
  seldom = get_flock (&test, "flock.geometry", 250);
  g_assert_true (kg_geometry_check_finite (seldom, NULL));
  node_test_set (&test, "flock", "count", "0");
  none = get_flock (&test, "flock.geometry", 5);
  g_assert_cmpuint (kg_geometry_get_n_points (none), ==, 0);
  node_test_set (&test, "flock", "count", "1");
  one = get_flock (&test, "flock.geometry", 5);
  g_assert_true (kg_geometry_check_finite (one, NULL));
  node_test_clear (&test);
}

/* 55-59: one flock, more beside the pillars, and they come together again; nobody comes near enough to scrape one. */
static void
test_pillars (void)
{
  static const double pillars[3][2] = { { -13, 12 }, { 0.3, 9 }, { 13.5, 13 } };
  NodeTest test = node_test_open_example ("flock_at_a_pillar.json");
  double most = 0, least = INFINITY;

  assert_near (node_test_number (&test, "flock.groups", 0), 1, 0);
  for (int frame = 2; frame <= 144; frame += 2) {
    g_autoptr (KgGeometry) flock = get_flock (&test, "flock.geometry", frame);

    most = fmax (most, node_test_number (&test, "flock.groups", (frame - 1) / RATE));
    for (size_t i = 0; i < kg_geometry_get_n_points (flock); i++) {
      const KgVector x = get3 (flock, "P", i);

      for (int k = 0; k < 3 && fabs (x.y) < 13; k++)
        least =
            fmin (least, hypot (fmax (fabs (x.x - pillars[k][0]) - 2, 0), fmax (fabs (x.z - pillars[k][1]) - 2, 0)));
    }
  }
  g_test_message ("nearest %g, groups %g", least, most);
  g_assert_cmpfloat (least, >, 0.7);
  g_assert_cmpfloat (node_test_number (&test, "flock.groups", 143 / RATE), <, most);
  node_test_clear (&test);
}

/* A ball of 6 m in the way: groups find each other again, or do not without rejoining, or, with the centre of the whole flock,
 * queue before it. */
static void
test_splitting (void)
{
  NodeTest test = node_test_new ();
  double joined;

  node_test_add (&test, "geometry/sphere", "ball", "radius", "6", "center", "[0, 0, 25]", NULL);
  node_test_add (&test, "sim/flock", "flock", "count", "60", "start_spread", "10", "obstacles",
                 "{\"link\": \"ball.geometry\"}", NULL);
  node_test_add (&test, "geometry/flock_measure", "measure", "geometry", "{\"link\": \"flock.geometry\"}", NULL);
  assert_near (node_test_number (&test, "flock.groups", 0), 1, 0);
  assert_near (node_test_number (&test, "flock.groups", 8), 3, 0);
  joined = node_test_number (&test, "flock.groups", 16);
  node_test_set (&test, "flock", "rejoin", "0");
  g_assert_cmpfloat (node_test_number (&test, "flock.groups", 16), >, joined);
  node_test_set (&test, "flock", "rejoin", "0.2");
  node_test_set (&test, "flock", "centering_of", "\"flock\"");
  g_assert_cmpfloat (node_test_vector (&test, "measure.velocity", 10).z, <, 3);
  node_test_clear (&test);
}

static void
test_herd (void)
{
  NodeTest test = node_test_open_example ("herd_over_hills.json");
  g_autoptr (KgGeometry) herd = get_flock (&test, "herd.geometry", 40);

  for (size_t i = 0; i < kg_geometry_get_n_points (herd); i++) {
    g_assert_cmpfloat (fabs (get3 (herd, "P", i).y), <, 6);
    g_assert_cmpfloat (kg_geometry_get_float (herd, KG_POINTS, "speed", 1)[i], <=, 5.001f);
  }
  g_assert_cmpfloat (node_test_vector (&test, "herd.center", 39 / RATE).x, >, -20);
  node_test_clear (&test);
}

static void
test_budgets (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) table = KG_VALUE_INIT;
  g_autoptr (KgGeometry) flock = NULL;
  double sum = 0;

  node_test_add (&test, "sim/flock", "flock", "count", "50", "wishes", "true", NULL);
  table = node_test_get (&test, "flock.budgets", 1);
  g_assert_cmpuint (kg_table_get_n_rows (table.table), ==, 2);
  for (guint k = 0; k < kg_table_get_n_columns (table.table); k++) {
    g_assert_cmpfloat (kg_table_get_row (table.table, 1)[k], <=, kg_table_get_row (table.table, 0)[k] + 1e-6);
    sum += kg_table_get_row (table.table, 1)[k];
  }
  g_assert_cmpfloat (sum, <=, 1 + 1e-5);
  flock = get_flock (&test, "flock.geometry", 10);
  g_assert_nonnull (kg_geometry_get_float (flock, KG_POINTS, "wish_separate", 3));
  g_assert_nonnull (kg_geometry_get_float (flock, KG_POINTS, "budget_migrate", 1));
  node_test_clear (&test);
}

static void
test_bad_flocks (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "sim/flock", "flock", "count", "5", NULL);
  node_test_set (&test, "flock", "min_speed", "20");
  /* At once: not when the first step is taken. */
  node_test_fails_saying (&test, "flock.geometry", 0, "least speed of 20");
  node_test_set (&test, "flock", "min_speed", "2");
  node_test_set (&test, "flock", "priority", "\"avoid fly\"");
  node_test_fails_saying (&test, "flock.geometry", 0, "\"fly\"");
  node_test_set (&test, "flock", "priority", "\"migrate\"");
  node_test_set (&test, "flock", "migrate", "\"path\"");
  node_test_fails_saying (&test, "flock.geometry", 0, "link a curve to path");
  node_test_add (&test, "sim/flock", "cloud", NULL);
  node_test_set (&test, "flock", "path", "{\"link\": \"cloud.geometry\"}");
  node_test_fails_saying (&test, "flock.geometry", 0, "the path: ");
  node_test_set (&test, "flock", "migrate", "\"goal\"");
  node_test_set (&test, "flock", "start_shape", "\"surface\"");
  node_test_fails_saying (&test, "flock.geometry", 1, "no surface to start from");
  node_test_set (&test, "flock", "start_shape", "\"ball\"");
  node_test_set (&test, "flock", "count", "0");
  assert_near (node_test_number (&test, "flock.groups", 1), 0, 0);
  node_test_set (&test, "flock", "count", "1");
  assert_near (node_test_number (&test, "flock.groups", 1), 1, 0);
  node_test_add (&test, "geometry/line", "line", NULL);
  node_test_set (&test, "flock", "start_velocity", "[0, 0, 1e300]");
  node_test_warns (&test, "flock.geometry", "1e+300 is outside");
  node_test_set (&test, "flock", "start_velocity", "[0, 0, 5]");
  node_test_set (&test, "flock", "ground", "{\"link\": \"line.geometry\"}");
  node_test_fails_saying (&test, "flock.geometry", 1, "the ground has no polygons");
  /* A measure of points that do not move. */
  node_test_add (&test, "geometry/flock_measure", "measure", "geometry", "{\"link\": \"line.geometry\"}", NULL);
  node_test_warns (&test, "measure.polarisation", "no attribute v");
  node_test_clear (&test);
}

/* Leaders by their ids: the first is where it is moved to, the second as far beside it as at the start. */
static void
test_leader_ids (void)
{
  NodeTest test = node_test_new ();
  g_autoptr (KgGeometry) before = NULL, after = NULL;
  const int32_t *leader;

  node_test_add (&test, "sim/flock", "flock", "count", "6", "leader", "\"scripted\"", "leader_ids", "\"2, 4\"",
                 "leader_position", "[1, 2, 3]", NULL);
  before = get_flock (&test, "flock.geometry", 1);
  after = get_flock (&test, "flock.geometry", 10);
  leader = kg_geometry_get_int (after, KG_POINTS, "leader", 1);
  for (size_t i = 0; i < 6; i++)
    g_assert_cmpint (leader[i], ==, i == 2 || i == 4);
  assert_near (get3 (after, "P", 2).x, 1, 0);
  assert_near (get3 (after, "P", 4).y - 2, get3 (before, "P", 4).y - get3 (before, "P", 2).y, 1e-5);
  node_test_set (&test, "flock", "leader_ids", "\"2 9\"");
  node_test_fails_saying (&test, "flock.geometry", 0, "no member has the id 9");
  node_test_set (&test, "flock", "leader_ids", "\"two\"");
  node_test_fails_saying (&test, "flock.geometry", 0, "\"two\" among the leaders is not an id");
  node_test_clear (&test);
}

static void
test_shown (void)
{
  static const char *const inner[] = { "push", "turn", "P1", "v1", "P2", "slot", "energy" };
  NodeTest test = node_test_new ();
  g_autoptr (KgGeometry) shown = NULL;

  node_test_add (&test, "sim/flock", "flock", "count", "5", "reaction_time", "0.1", NULL);
  shown = get_flock (&test, "flock.geometry", 1);
  g_assert_nonnull (kg_geometry_get_float (shown, KG_POINTS, "intent", 3));
  g_assert_cmpuint (kg_geometry_get_n_attributes (shown, KG_WHOLE), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (inner); i++) {
    KgAttribute attribute;

    g_assert_false (kg_geometry_find_attribute (shown, KG_POINTS, inner[i], &attribute));
  }
  node_test_set (&test, "flock", "formation", "\"v\"");
  node_test_set (&test, "flock", "leader", "\"changing\"");
  g_clear_pointer (&shown, kg_geometry_unref);
  shown = get_flock (&test, "flock.left_wings", 1);
  g_assert_nonnull (kg_geometry_get_int (shown, KG_POINTS, "slot", 1));
  g_assert_nonnull (kg_geometry_get_float (shown, KG_POINTS, "energy", 1));
  node_test_clear (&test);
}

/* 55-50: navigation wishes a velocity, the pilot answers with an acceleration within its limits, and flight turns the body that
 * way.  What was asked for and what came of it are there from the first frame. */
static void
test_layers (void)
{
  static const char *const urges[] = { "avoid", "separate", "match", "center", "rejoin", "migrate" };
  NodeTest test = node_test_new ();
  double most = 0;

  node_test_add (&test, "geometry/sphere", "ball", "radius", "3", "center", "[0, 0, 12]", NULL);
  node_test_add (&test, "sim/flock", "flock", "count", "30", "obstacles", "{\"link\": \"ball.geometry\"}", "wander",
                 "0", "wishes", "true", "max_acceleration", "6", "response_time", "0.4", "max_turn", "1e6", NULL);
  for (int frame = 1; frame <= 60; frame++) {
    g_autoptr (KgGeometry) before = get_flock (&test, "flock.geometry", MAX (frame - 1, 1)),
                           now = get_flock (&test, "flock.geometry", frame);

    for (guint k = 0; k < G_N_ELEMENTS (urges); k++) {
      g_autofree char *wish = g_strconcat ("wish_", urges[k], NULL), *budget = g_strconcat ("budget_", urges[k], NULL);

      g_assert_nonnull (kg_geometry_get_float (now, KG_POINTS, wish, 3));
      g_assert_nonnull (kg_geometry_get_float (now, KG_POINTS, budget, 1));
    }
    for (size_t i = 0; i < kg_geometry_get_n_points (now); i++) {
      const KgVector v0 = get3 (before, "v", i), v1 = get3 (now, "v", i), a = get3 (now, "acceleration", i),
                     change = kg_vector_scale (kg_vector_subtract (v1, v0), frame > 1 ? RATE : 0),
                     asked = kg_vector_scale (kg_vector_subtract (get3 (now, "intent", i), v0), 1 / 0.4);
      const float *q = kg_geometry_get_float (now, KG_POINTS, "orient", 4) + 4 * i;
      const KgVector nose = kg_rotation_apply (
          (KgRotation){ (double) q[0], (double) q[1], (double) q[2], (double) q[3] }, kg_vector (0, 0, 1));

      assert_vector_near (a, change.x, change.y, change.z, 2e-4);
      g_assert_cmpfloat (kg_vector_length (a), <=, 6 * (1 + 1e-4));
      /* Where no limit holds it back the answer is what was asked for. */
      if (frame > 1 && kg_vector_length (asked) < 6 && kg_vector_length (v1) > 2.001 && kg_vector_length (v1) < 9.999)
        assert_vector_near (a, asked.x, asked.y, asked.z, 2e-4);
      most = fmax (most, kg_vector_length (asked));
      assert_near (kg_vector_dot (nose, v1), kg_vector_length (v1), 1e-5);
    }
  }
  /* Else nothing would have been limited. */
  g_assert_cmpfloat (most, >, 6);
  node_test_clear (&test);
}

/* The trim of the catalogue: its speed lifts the weight at 5 degrees. */
static void
test_trim (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "sim/banked_flight", "flight", "hold", "\"alpha\"", "velocity", "[0, 0, 10.6959026]", "thrust",
                 "0", NULL);
  assert_near (node_test_number (&test, "flight.lift", 0), GRAVITY, 1e-6);
  assert_near (node_test_number (&test, "flight.drag", 0), 0.6923057, 1e-6);
  node_test_set (&test, "flight", "velocity", "[0, 0, 21.3918052]");
  assert_near (node_test_number (&test, "flight.lift", 0), 4 * GRAVITY, 1e-5);
  node_test_set (&test, "flight", "alpha", "20");
  g_assert_true (node_test_number (&test, "flight.stalled", 0) > 0.5);
  /* Half way from the stall to where 60 % is left: 1.7 · 0.8. */
  assert_near (node_test_number (&test, "flight.lift", 0), 4 * GRAVITY / 0.7 * 1.7 * 0.8, 1e-4);
  node_test_clear (&test);
}

/* Power off, at the best ratio of lift and drag: an angle of 3.9632350 degrees; rising air adds its speed. */
static void
test_glide (void)
{
  NodeTest test = node_test_new ();
  KgVector still, rising;

  node_test_add (&test, "sim/banked_flight", "flight", "hold", "\"alpha\"", "thrust", "0", "alpha", "3.773503",
                 "velocity", "[0, -0.8, 11.6]", NULL);
  assert_near (node_test_number (&test, "flight.climb", 90), -3.9632350, 2e-3);
  still = node_test_vector (&test, "flight.position", 90);
  still = kg_vector_subtract (node_test_vector (&test, "flight.position", 95), still);
  node_test_add (&test, "field/formula", "thermal", "formula", "\"[0, 2, 0]\"", NULL);
  node_test_set (&test, "flight", "wind", "{\"link\": \"thermal.field\"}");
  node_test_set (&test, "flight", "velocity", "[0, 1.2, 11.6]");
  rising = node_test_vector (&test, "flight.position", 90);
  rising = kg_vector_subtract (node_test_vector (&test, "flight.position", 95), rising);
  assert_near ((rising.y - still.y) / 5, 2, 1e-3);
  g_assert_cmpfloat (rising.y, >, 0);
  node_test_clear (&test);
}

/* Without drag and thrust the height swings: the phugoid of Lanchester, π√2 v/g. */
static void
test_phugoid (void)
{
  NodeTest test = node_test_new ();
  double last = 0, crossed[3] = { 0 };
  int n = 0;

  node_test_add (&test, "sim/banked_flight", "flight", "hold", "\"alpha\"", "thrust", "0", "cd0", "0", "k", "0",
                 "velocity", "[0, 0.02, 10.6959026]", NULL);
  for (int frame = 2; frame < 24 * 12 && n < 3; frame++) {
    const double y = node_test_number (&test, "flight.climb", (frame - 1) / RATE);

    if (last < 0 && y >= 0)
      crossed[n++] = frame - 1 - y / (y - last);
    last = y;
  }
  g_assert_cmpint (n, >=, 2);
  assert_near ((crossed[1] - crossed[0]) / RATE, 4.8441, 0.01);
  node_test_clear (&test);
}

/* At 45 degrees and 10 m/s: a circle of 10.193680 m, at 1.4142136 times the weight. */
static void
test_turn (void)
{
  NodeTest test = node_test_new ();
  KgVector a, b, c;

  node_test_add (&test, "sim/banked_flight", "flight", "hold", "\"speed\"", "speed", "10", "bank", "45", "velocity",
                 "[0, 0, 10]", "cd0", "0", "k", "0", "substeps", "20", NULL);
  a = node_test_vector (&test, "flight.position", 4);
  assert_near (node_test_number (&test, "flight.load", 4), 1.4142136, 1e-4);
  assert_near (node_test_number (&test, "flight.climb", 4), 0, 1e-4);
  /* Half a turn later on the other side: to the right, which is -x when it flies along z. */
  b = node_test_vector (&test, "flight.position", 4 + KG_PI * 10.193680 / 10);
  c = node_test_vector (&test, "flight.position", 4 + KG_PI * 10.193680 / 20);
  assert_near (kg_vector_distance (a, b), 2 * 10.193680, 0.03);
  assert_near (kg_vector_distance (a, c), sqrt (2) * 10.193680, 0.03);
  g_assert_cmpfloat (node_test_vector (&test, "flight.position", 0.5).x, <, -0.1);
  node_test_clear (&test);
}

/* A steady climb: sin γ = (T cos α - D) / W. */
static void
test_climb (void)
{
  NodeTest test = node_test_new ();
  double gamma, alpha, drag, thrust;

  node_test_add (&test, "sim/banked_flight", "flight", "hold", "\"alpha\"", "thrust", "1.4", "velocity",
                 "[0, 0.7, 10.6]", NULL);
  gamma = node_test_number (&test, "flight.climb", 120);
  alpha = node_test_number (&test, "flight.attack", 120);
  drag = node_test_number (&test, "flight.drag", 120);
  thrust = node_test_number (&test, "flight.power", 120);
  assert_near (sin (gamma * KG_DEGREE), (thrust * cos (alpha * KG_DEGREE) - drag) / GRAVITY, 1e-4);
  assert_near (gamma, 4.0468088, 0.15);
  node_test_clear (&test);
}

static void
test_flapping (void)
{
  NodeTest test = node_test_new ();
  double sum = 0;

  node_test_add (&test, "sim/banked_flight", "flight", "flap_rate", "2", "thrust", "0.7", "flap_angle", "40", NULL);
  for (int i = 0; i < 12; i++)
    sum += node_test_number (&test, "flight.power", i / RATE) / 12;
  assert_near (sum, 0.7, 1e-9);
  assert_near (node_test_number (&test, "flight.stroke", 3 / RATE), 40, 1e-9);
  assert_near (node_test_number (&test, "flight.phase", 3 / RATE), 0.25, 1e-12);
  /* It sinks at first, and its wings rest. */
  node_test_set (&test, "flight", "bounding", "true");
  node_test_set (&test, "flight", "velocity", "[0, -4, 10]");
  assert_near (node_test_number (&test, "flight.stroke", 1 / RATE), 0, 0);
  assert_near (node_test_number (&test, "flight.power", 1 / RATE), 0, 0);
  node_test_clear (&test);
}

static void
test_bad_flights (void)
{
  NodeTest test = node_test_new ();
  KgVector x;

  /* Without speed: it falls, at first like a stone. */
  node_test_add (&test, "sim/banked_flight", "flight", "velocity", "[0, 0, 0]", NULL);
  x = node_test_vector (&test, "flight.position", 5);
  g_assert_true (kg_vector_is_finite (x));
  g_assert_cmpfloat (x.y, <, -1);
  /* Straight up and straight down. */
  node_test_set (&test, "flight", "velocity", "[0, 20, 0]");
  g_assert_true (kg_vector_is_finite (node_test_vector (&test, "flight.position", 5)));
  node_test_set (&test, "flight", "velocity", "[0, -20, 0]");
  g_assert_true (kg_vector_is_finite (node_test_vector (&test, "flight.position", 5)));
  node_test_set (&test, "flight", "hold", "\"path\"");
  node_test_fails_saying (&test, "flight.position", 1, "no path to hold");
  node_test_clear (&test);
}

/* The bird stays near its figure of eight, and banks both ways. */
static void
test_bird (void)
{
  NodeTest test = node_test_open_example ("banked_bird.json");
  double low = 0, high = 0;

  for (int frame = 2; frame <= 240; frame += 6) {
    const double bank = node_test_number (&test, "flight.banked", (frame - 1) / RATE);

    low = fmin (low, bank);
    high = fmax (high, bank);
    g_assert_cmpfloat (kg_vector_length (node_test_vector (&test, "flight.position", (frame - 1) / RATE)), <, 20);
  }
  g_assert_cmpfloat (low, <, -30);
  g_assert_cmpfloat (high, >, 30);
  node_test_clear (&test);
}

/* 55-42, 55-43: in the example, the lead passes on and the V is there again. */
static void
test_geese (void)
{
  NodeTest test = node_test_open_example ("geese.json");
  g_autoptr (KgGeometry) before = get_flock (&test, "flock.geometry", 40),
                         after = get_flock (&test, "flock.geometry", 100);
  const int32_t *leader;

  g_assert_cmpint (kg_geometry_get_int (before, KG_POINTS, "leader", 1)[0], ==, 1);
  leader = kg_geometry_get_int (after, KG_POINTS, "leader", 1);
  g_assert_cmpint (leader[0], ==, 0);
  for (size_t i = 0; i < kg_geometry_get_n_points (after); i++)
    g_assert_true (kg_vector_is_finite (get3 (after, "P", i)));
  node_test_clear (&test);
}

/* 55-56: who keeps to the outline of a block is not caught at its corners: nearly all are past it, and nobody creeps. */
static void
test_silhouette_passes (void)
{
  NodeTest test = node_test_open_example ("silhouette.json");
  g_autoptr (KgGeometry) flock = get_flock (&test, "flock1.geometry", 140);
  guint past = 0;

  g_assert_cmpuint (kg_geometry_get_n_points (flock), ==, 5);
  for (size_t i = 0; i < 5; i++) {
    g_assert_cmpfloat (kg_vector_length (get3 (flock, "v", i)), >, 2);
    past += get3 (flock, "P", i).z > 8;
  }
  g_assert_cmpuint (past, >=, 4);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flock/55-01-as-particles", test_as_particles);
  g_test_add_func ("/flock/55-33-defaults", test_defaults);
  g_test_add_func ("/flock/55-33-again", test_again);
  g_test_add_func ("/flock/55-67-perception-again", test_perception_again);
  g_test_add_func ("/flock/55-67-perception-rates", test_perception_rates);
  g_test_add_func ("/flock/55-47-budgets", test_budgets);
  g_test_add_func ("/flock/55-42-43-geese", test_geese);
  g_test_add_func ("/flock/55-59-pillars", test_pillars);
  g_test_add_func ("/flock/55-59-splitting", test_splitting);
  g_test_add_func ("/flock/55-56-silhouette-passes", test_silhouette_passes);
  g_test_add_func ("/flock/55-60-herd", test_herd);
  g_test_add_func ("/flock/55-33-shown", test_shown);
  g_test_add_func ("/flock/55-50-layers", test_layers);
  g_test_add_func ("/flock/55-42-leader-ids", test_leader_ids);
  g_test_add_func ("/flock/bad-flocks", test_bad_flocks);
  g_test_add_func ("/banked-flight/55-62-trim", test_trim);
  g_test_add_func ("/banked-flight/55-62-glide", test_glide);
  g_test_add_func ("/banked-flight/55-62-phugoid", test_phugoid);
  g_test_add_func ("/banked-flight/55-63-turn", test_turn);
  g_test_add_func ("/banked-flight/55-64-climb", test_climb);
  g_test_add_func ("/banked-flight/55-64-flapping", test_flapping);
  g_test_add_func ("/banked-flight/55-63-bird", test_bird);
  g_test_add_func ("/banked-flight/bad-flights", test_bad_flights);
  return g_test_run ();
}

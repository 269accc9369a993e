/* tests/nodes/timing: distance-time functions, acceleration profiles, speed curves and constraints against the figures of
 * catalogue 30-01 and 30-40 to 30-50; and motions made of tables and formulas.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ease-test.h"

static double
get_at (NodeTest *test, const char *target, double t)
{
  g_auto (GStrv) parts = g_strsplit (target, ".", 2);

  node_test_set_number (test, parts[0], "t", t);
  return node_test_number (test, target, 0);
}

static bool
get_flag (NodeTest *test, const char *target)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);

  g_assert_cmpint (value.kind, ==, KG_BOOLEAN);
  return value.boolean;
}

static void
assert_text (NodeTest *test, const char *target, const char *expected)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);

  g_assert_cmpint (value.kind, ==, KG_TEXT);
  g_assert_cmpstr (value.text, ==, expected);
}

/* The travel of 30-01: from -5 at frame 22 to 5 at frame 67, at full speed from 34 to 50. */
static void
test_key_values (void)
{
  static const double parabolic[][2] = {
    { 28, -4.508196721 }, { 34, -3.032786885 }, { 40, -1.065573770 }, { 50, 2.213114754 }, { 60, 4.527483124 }
  };
  static const double sines[][2] = {
    { 28, -4.350722216 }, { 34, -2.783226985 }, { 50, 1.859571562 }, { 60, 4.365687556 }
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/vector", "v", "value",
                 "{\"keys\": [[22, [-5, 0, 0]], [67, [5, 0, 0]], [80, [5, 10, 0]]]}", NULL);
  for (int k = 0; k <= 5; k++)
    assert_vector_near (node_test_vector (&test, "v.output", (22 + 9 * k - 1) / 24.0), -5 + 2 * k, 0, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "v.output", 79 / 24.0), 5, 10, 0, 0);
  node_test_add (&test, "motion/ease", "e", "shape", "\"parabolic\"", "t", "{\"keys\": [[22, 0], [67, 1]]}", NULL);
  node_test_set_number (&test, "e", "k1", 12.0 / 45);
  node_test_set_number (&test, "e", "k2", 28.0 / 45);
  for (guint i = 0; i < G_N_ELEMENTS (parabolic); i++)
    assert_near (-5 + 10 * node_test_number (&test, "e.value", (parabolic[i][0] - 1) / 24), parabolic[i][1], 1e-8);
  /* Full speed: 1.475409836 normalised, 0.327868852 units a frame. */
  assert_near (node_test_number (&test, "e.speed", 39 / 24.0), 1.475409836, 1e-9);
  assert_near (node_test_number (&test, "e.speed", 39 / 24.0) * 10 / 45, 0.327868852, 1e-9);
  node_test_set (&test, "e", "shape", "\"sine-linear\"");
  for (guint i = 0; i < G_N_ELEMENTS (sines); i++)
    assert_near (-5 + 10 * node_test_number (&test, "e.value", (sines[i][0] - 1) / 24), sines[i][1], 1e-8);
  node_test_clear (&test);
}

/* 30-43, 30-44, 30-45, 30-47: speeds, accelerations and the figures of the frames of section 3.2.1. */
static void
test_ease_facts (void)
{
  static const double frames[][2] = {
    { 10, 0.0666666667 }, { 20, 0.2666666667 }, { 35, 0.6666666667 }, { 50, 0.9466666667 }
  };
  static const double parabolic[][2] = {
    { 0.1, 0.0229885057 }, { 0.3, 0.2068965517 }, { 0.5, 0.4827586207 }, { 0.75, 0.8275862069 }, { 0.9, 0.9724137931 }
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/ease", "e", "shape", "\"decelerate\"", NULL);
  assert_near (get_at (&test, "e.speed", 0), 2, 0);
  assert_near (get_at (&test, "e.speed", 1), 0, 0);
  assert_near (get_at (&test, "e.acceleration", 0.3), -2, 0);
  assert_near (get_at (&test, "e.value", 1.5), 1, 0);
  node_test_set (&test, "e", "shape", "\"sine\"");
  assert_near (get_at (&test, "e.speed", 0.5), KG_PI / 2, 1e-15);
  assert_near (get_at (&test, "e.speed", 0), 0, 1e-15);
  assert_near (get_at (&test, "e.speed", 1), 0, 1e-15);
  for (int i = 0; i <= 10; i++) {
    assert_near (get_at (&test, "e.value", 0.1 * i) + get_at (&test, "e.value", 1 - 0.1 * i), 1, 1e-15);
    assert_near (get_at (&test, "e.acceleration", 0.1 * i), KG_PI * KG_PI / 2 * cos (KG_PI * 0.1 * i), 1e-14);
  }
  /* f = 0.8001408748; C1 at k1 and k2. */
  node_test_set (&test, "e", "shape", "\"sine-linear\"");
  assert_near (get_at (&test, "e.speed", 0.5), 1.2497799219, 1e-10);
  assert_near (1 / get_at (&test, "e.speed", 0.5), 0.8001408748, 1e-10);
  for (int i = 0; i < 2; i++) {
    const double k = i == 0 ? 0.3 : 0.75;

    assert_near (get_at (&test, "e.value", k - 1e-9), get_at (&test, "e.value", k + 1e-9), 3e-9);
    assert_near (get_at (&test, "e.speed", k - 1e-9), get_at (&test, "e.speed", k + 1e-9), 1e-7);
  }
  node_test_set_number (&test, "e", "k1", 20 / 60.0);
  node_test_set_number (&test, "e", "k2", 35 / 60.0);
  assert_near (get_at (&test, "e.value", 20 / 60.0), 0.2917070108, 1e-10);
  assert_near (get_at (&test, "e.value", 35 / 60.0), 0.6353662365, 1e-10);
  node_test_set (&test, "e", "shape", "\"parabolic\"");
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    assert_near (get_at (&test, "e.value", frames[i][0] / 60), frames[i][1], 1e-10);
  node_test_set_number (&test, "e", "k1", 0.3);
  node_test_set_number (&test, "e", "k2", 0.75);
  for (guint i = 0; i < G_N_ELEMENTS (parabolic); i++)
    assert_near (get_at (&test, "e.value", parabolic[i][0]), parabolic[i][1], 1e-10);
  assert_near (get_at (&test, "e.acceleration", 0.1), 4.5977011494, 1e-10);
  assert_near (get_at (&test, "e.acceleration", 0.29), 4.5977011494, 1e-10);
  assert_near (get_at (&test, "e.acceleration", 0.5), 0, 0);
  assert_near (get_at (&test, "e.acceleration", 0.8), -5.5172413793, 1e-10);
  node_test_clear (&test);
}

/* 30-47: the full speed in place of one of the times; the area under the speed is 1, so that the other follows. */
static void
test_ease_full_speed (void)
{
  static const char *const givens[] = { "\"times\"", "\"accelerate-until-speed\"", "\"decelerate-from-speed\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/ease", "e", "shape", "\"parabolic\"", NULL);
  node_test_set_number (&test, "e", "full_speed", 2 / 1.45);
  for (guint i = 0; i < G_N_ELEMENTS (givens); i++) {
    node_test_set (&test, "e", "given", givens[i]);
    /* The time that is not given is not looked at. */
    node_test_set_number (&test, "e", "k1", i == 2 ? 0.9 : 0.3);
    node_test_set_number (&test, "e", "k2", i == 1 ? 0.1 : 0.75);
    assert_near (get_at (&test, "e.value", 0.1), 0.0229885057, 1e-10);
    assert_near (get_at (&test, "e.value", 0.75), 0.8275862069, 1e-10);
    assert_near (get_at (&test, "e.speed", 0.5), 2 / 1.45, 1e-14);
    assert_near (get_at (&test, "e.acceleration", 0.8), -5.5172413793, 1e-10);
  }
  /* With deceleration from 0.75 the speed is 1 / (1 - 0.125) to 2. */
  node_test_set_number (&test, "e", "full_speed", 1.1);
  node_test_fails_saying (&test, "e.value", 0, "from 1.142857143 to 2");
  node_test_clear (&test);
}

/* Every shape: the acceleration is the slope of the speed, but where that has a corner. */
static void
check_accelerations (NodeTest *test)
{
  for (int i = 0; i < 37; i++) {
    const double t = (i + 0.37) / 37, h = 1e-6;
    const double slope = (get_at (test, "e.speed", t + h) - get_at (test, "e.speed", t - h)) / (2 * h);

    assert_near (get_at (test, "e.acceleration", t), slope, 1e-6 * fmax (10, fabs (slope)));
  }
}

static void
test_ease_accelerations (void)
{
  ease_test_each (check_accelerations);
}

/* 30-40 and 30-41: "where" and "when" are separate; one timing serves on two paths, and the way travelled is s (t). */
static void
test_two_paths (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/distance_time", "when", "rows", "\"0 0 0\\n0.4 0.3\\n1 1 0\"", NULL);
  node_test_add (&test, "curve/spline", "a", "points", "\"-3 0\\n-1 2\\n1 -2\\n3 0\"", NULL);
  node_test_add (&test, "curve/spline", "b", "points", "\"0 0\\n5 1\\n5 4\\n9 4\"", "basis", "\"b-spline\"", NULL);
  for (int i = 0; i < 2; i++) {
    const char *name = i == 0 ? "on_a" : "on_b";
    g_autofree char *curve = g_strdup_printf ("{\"link\": \"%s.geometry\"}", i == 0 ? "a" : "b");
    g_autofree char *point = g_strconcat (name, ".point", NULL), *length = g_strconcat (name, ".length", NULL);

    node_test_add (&test, "curve/evaluate", name, "geometry", curve, "by", "\"length\"", "parameter",
                   "{\"link\": \"when.value\"}", NULL);
    for (int k = 1; k < 10; k++) {
      /* The way done, as the sum of 400 chords, against s (t) times the length; a chord misses by less than 1e-6. */
      const double t = 0.1 * k;
      double way = 0, next;
      KgVector p;

      node_test_set_number (&test, "when", "t", 0);
      p = node_test_vector (&test, point, 0);
      for (int c = 1; c <= 400; c++) {
        KgVector q;

        node_test_set_number (&test, "when", "t", t * c / 400);
        q = node_test_vector (&test, point, 0);
        way += kg_vector_distance (p, q);
        p = q;
      }
      assert_near (way, node_test_number (&test, length, 0) * node_test_number (&test, "when.value", 0), 1e-4 * way);
      /* Speed on the path: its length times the slope of the timing. */
      next = get_at (&test, "when.speed", t) * node_test_number (&test, length, 0);
      node_test_set_number (&test, "when", "t", t - 1e-6);
      p = node_test_vector (&test, point, 0);
      node_test_set_number (&test, "when", "t", t + 1e-6);
      assert_near (kg_vector_distance (p, node_test_vector (&test, point, 0)) / 2e-6, next, 1e-4 * next);
    }
  }
  /* Constant speed: no acceleration, and v0 = distance / time = 1. */
  node_test_set (&test, "when", "from", "\"formula\"");
  node_test_set (&test, "when", "formula", "\"t\"");
  assert_near (get_at (&test, "when.speed", 0.7), 1, 1e-13);
  assert_near (get_at (&test, "when.acceleration", 0.7), 0, 1e-9);
  node_test_clear (&test);
}

/* 30-42: what the check finds of known functions. */
static void
test_findings (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/distance_time", "d", "from", "\"formula\"", "formula", "\"t\"", NULL);
  assert_text (&test, "d.findings", "starts abruptly, at the speed 1\nends abruptly, at the speed 1");
  g_assert_true (get_flag (&test, "d.abrupt_start") && get_flag (&test, "d.abrupt_end"));
  node_test_set (&test, "d", "formula", "\"3*t^2 - 2*t^3\"");
  assert_text (&test, "d.findings", "");
  node_test_set (&test, "d", "formula", "\"2*t - t^2\"");
  assert_text (&test, "d.findings", "starts abruptly, at the speed 2");
  /* s (0) = 0 and s (1) = 1, so nothing is said of the ends but the speed at the start. */
  node_test_set (&test, "d", "formula", "\"2*t^3 - 5*t^2 + 4*t\"");
  assert_text (&test, "d.findings",
               "backs up between 0.666667 and 1\ngoes beyond the end, to 1.03704 at 0.666667\n"
               "starts abruptly, at the speed 4");
  g_assert_true (get_flag (&test, "d.backs_up") && get_flag (&test, "d.exceeds"));
  g_assert_false (get_flag (&test, "d.jumps") || get_flag (&test, "d.starts_off") || get_flag (&test, "d.ends_off"));
  node_test_set (&test, "d", "faults", "\"refuse\"");
  node_test_fails_saying (&test, "d.value", 0, "backs up between 0.666667 and 1");
  node_test_set (&test, "d", "faults", "\"accept\"");
  /* A double zero of the speed: an instant of rest. */
  node_test_set (&test, "d", "formula", "\"0.5 + 4*(t - 0.5)^3\"");
  assert_text (&test, "d.findings", "stalls at 0.5\nstarts abruptly, at the speed 3\nends abruptly, at the speed 3");
  /* Waits, stops on the way and is there early. */
  node_test_set (&test, "d", "from", "\"rows\"");
  node_test_set (&test, "d", "rows", "\"0.1 0 0\\n0.4 0.5 0\\n0.6 0.5 0\\n0.8 1 0\"");
  assert_text (&test, "d.findings", "waits until 0.1\nstalls between 0.4 and 0.6\nhas arrived by 0.8");
  /* Part of the way. */
  node_test_set (&test, "d", "rows", "\"0 0.2 0\\n1 0.9 0\"");
  assert_text (&test, "d.findings", "starts at 0.2 of the distance, not at 0\nends at 0.9 of the distance, not at 1");
  g_assert_true (get_flag (&test, "d.starts_off") && get_flag (&test, "d.ends_off"));
  /* Jumps, of keys and of formulas. */
  node_test_set (&test, "d", "from", "\"motion\"");
  node_test_set (&test, "d", "source", "{\"keys\": [[1, 0], [13, 0.25], [13, 0.5], [25, 1]]}");
  assert_text (&test, "d.findings",
               "jumps by 0.25 at 0.5\nstarts abruptly, at the speed 0.5\n"
               "ends abruptly, at the speed 1");
  g_assert_true (get_flag (&test, "d.jumps"));
  assert_near (get_at (&test, "d.value", 0.25), 0.125, 1e-12);
  node_test_set (&test, "d", "from", "\"formula\"");
  node_test_set (&test, "d", "formula", "\"t < 0.3 ? t/2 : 1\"");
  g_assert_true (get_flag (&test, "d.jumps"));
  assert_near (get_at (&test, "d.value", 0.299999), 0.1499995, 1e-12);
  assert_near (get_at (&test, "d.value", 0.300001), 1, 1e-12);
  /* Standing still. */
  node_test_set (&test, "d", "formula", "\"0\"");
  assert_text (&test, "d.findings", "does not move\nends at 0 of the distance, not at 1");
  node_test_clear (&test);
}

/* 30-42: a movement given as distance, as speed and as acceleration is the same movement. */
static void
test_quantities (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/distance_time", "s", "rows", "\"0 0 0\\n1 1 0\"", NULL);
  node_test_add (&test, "motion/distance_time", "v", "from", "\"formula\"", "formula", "\"7*t*(1 - t)\"", "quantity",
                 "\"speed\"", NULL);
  node_test_add (&test, "motion/distance_time", "a", "from", "\"formula\"", "formula", "\"1 - 2*t\"", "quantity",
                 "\"acceleration\"", NULL);
  for (int i = 0; i <= 20; i++) {
    const double t = i / 20.0;

    assert_near (get_at (&test, "s.value", t), t * t * (3 - 2 * t), 1e-15);
    assert_near (get_at (&test, "v.value", t), t * t * (3 - 2 * t), 1e-13);
    assert_near (get_at (&test, "a.value", t), t * t * (3 - 2 * t), 1e-13);
    assert_near (get_at (&test, "v.speed", t), 6 * t * (1 - t), 1e-12);
    assert_near (get_at (&test, "a.acceleration", t), 6 - 12 * t, 1e-11);
  }
  /* d (t) = (2 - t) t of 30-43 is a steady brake from the speed 2. */
  node_test_set (&test, "a", "formula", "\"-2\"");
  node_test_set_number (&test, "a", "start_speed", 2);
  for (int i = 0; i <= 20; i++)
    assert_near (get_at (&test, "a.value", i / 20.0), (2 - i / 20.0) * i / 20.0, 1e-14);
  /* In its own measure: keys of a speed, over 2 frames. */
  node_test_set (&test, "v", "from", "\"motion\"");
  node_test_set (&test, "v", "source", "{\"keys\": [[1, 3], [3, 5]]}");
  node_test_set (&test, "v", "scale", "\"never\"");
  assert_near (get_at (&test, "v.value", 1), 8, 1e-12);
  /* A speed whose areas cancel cannot be scaled. */
  node_test_set (&test, "v", "scale", "\"auto\"");
  node_test_set (&test, "v", "source", "{\"keys\": [[1, -1], [3, 1]]}");
  node_test_fails_saying (&test, "v.value", 0, "ends where it starts");
  node_test_clear (&test);
}

/* 30-50: constraints <t, s, v, a>. */
static void
test_constraints (void)
{
  static const double rows[][4] = { { 0, 0, 0.4, 0 }, { 0.3, 0.5, 2, -1 }, { 0.7, 0.6, 0.1, 0.5 }, { 1, 1, 0, 0 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/distance_time", "d", "rows", "\"0 0 0.4 0\\n0.3 0.5 2 -1\\n0.7 0.6 0.1 0.5\\n1 1 0 0\"",
                 NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    node_test_set (&test, "d", "smoothness", "\"linear\"");
    assert_near (get_at (&test, "d.value", rows[i][0]), rows[i][1], 1e-12);
    node_test_set (&test, "d", "smoothness", "\"cubic\"");
    assert_near (get_at (&test, "d.value", rows[i][0]), rows[i][1], 1e-12);
    assert_near (get_at (&test, "d.speed", rows[i][0]), rows[i][2], 1e-12);
    node_test_set (&test, "d", "smoothness", "\"quintic\"");
    assert_near (get_at (&test, "d.value", rows[i][0]), rows[i][1], 1e-12);
    assert_near (get_at (&test, "d.speed", rows[i][0]), rows[i][2], 1e-12);
    assert_near (get_at (&test, "d.acceleration", rows[i][0]), rows[i][3], 1e-11);
  }
  node_test_set (&test, "d", "rows", "\"0 0 0 0\\n1 1 0 0\"");
  for (int i = 0; i <= 16; i++) {
    const double t = i / 16.0;

    assert_near (get_at (&test, "d.value", t), t * t * t * (10 - 15 * t + 6 * t * t), 1e-15);
  }
  node_test_set (&test, "d", "smoothness", "\"cubic\"");
  for (int i = 0; i <= 16; i++) {
    const double t = i / 16.0;

    assert_near (get_at (&test, "d.value", t), t * t * (3 - 2 * t), 1e-15);
  }
  node_test_set (&test, "d", "rows", "\"0 0 4\\n1 1 0\"");
  for (int i = 0; i <= 16; i++) {
    const double t = i / 16.0;

    assert_near (get_at (&test, "d.value", t), t * (4 + t * (2 * t - 5)), 1e-15);
  }
  g_assert_true (get_flag (&test, "d.backs_up"));
  node_test_set (&test, "d", "monotone", "true");
  g_assert_false (get_flag (&test, "d.backs_up"));
  g_assert_false (get_flag (&test, "d.exceeds"));
  node_test_set (&test, "d", "monotone", "false");
  /* Open speeds: Catmull and Rom in time; the chord at the ends. */
  node_test_set (&test, "d", "rows", "\"0 0\\n0.2 0.5\\n1 1\"");
  assert_near (get_at (&test, "d.speed", 0.2), 1, 1e-14);
  assert_near (get_at (&test, "d.speed", 0), 2.5, 1e-14);
  /* A missing acceleration: a cubic for the pieces beside it, quintic for the others. */
  node_test_set (&test, "d", "smoothness", "\"quintic\"");
  node_test_set (&test, "d", "rows", "\"0 0 0 0\\n0.5 0.5 1 0\\n1 1 0 -\"");
  assert_near (get_at (&test, "d.acceleration", 0), 0, 1e-12);
  assert_near (get_at (&test, "d.value", 0.75), 0.5 + 0.5 * 0.5 + 0.125 * 0.5, 1e-14);
  /* Two rows at one time make a corner in the speed. */
  node_test_set (&test, "d", "smoothness", "\"cubic\"");
  node_test_set (&test, "d", "rows", "\"0 0 0\\n0.5 0.5 0\\n0.5 0.5 2\\n1 1 0\"");
  assert_near (get_at (&test, "d.speed", 0.5 - 1e-9), 0, 1e-6);
  assert_near (get_at (&test, "d.speed", 0.5), 2, 1e-12);
  node_test_clear (&test);
}

/* What tables can get wrong. */
static void
test_bad_rows (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/distance_time", "d", "rows", "\"0 0\\n0.6 0.5\\n0.4 0.7\\n1 1\"", NULL);
  node_test_fails_saying (&test, "d.value", 0, "row 3: time 0.4 comes after 0.6");
  node_test_set (&test, "d", "rows", "\"0 0\\n0.5 0.2\\n0.5 0.7\\n1 1\"");
  node_test_fails_saying (&test, "d.value", 0, "row 3: at time 0.5 the value cannot be both 0.2 and 0.7");
  node_test_set (&test, "d", "rows", "\"0 0\"");
  node_test_fails_saying (&test, "d.value", 0, "at least two");
  node_test_set (&test, "d", "rows", "\"0.5 0\\n0.5 0\"");
  node_test_fails_saying (&test, "d.value", 0, "two different times");
  node_test_refuses (&test, "d", "rows", "\"0 -\\n1 1\"", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "d", "rows", "\"1 0\\n24 1\"");
  node_test_fails_saying (&test, "d.value", 0, "turn on Stretch");
  node_test_set (&test, "d", "stretch", "true");
  assert_near (get_at (&test, "d.value", 0.5), 0.5, 1e-15);
  node_test_refuses (&test, "d", "rows", "\"0 nan\\n1 1\"", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "d", "from", "\"formula\"");
  node_test_set (&test, "d", "formula", "\"1/(t - 0.5)\"");
  node_test_fails_saying (&test, "d.value", 0, "at t = ");
  node_test_set (&test, "d", "formula", "\"e1.value + t\"");
  node_test_fails_saying (&test, "d.value", 0, "the formula can only use t");
  node_test_set (&test, "d", "formula", "\"t, t\"");
  node_test_fails_saying (&test, "d.value", 0, "2 results");
  node_test_set (&test, "d", "formula", "\"(t\"");
  node_test_fails (&test, "d.value", KG_ERROR_EXPRESSION);
  node_test_set (&test, "d", "formula", "\"floor(t*1e6)\"");
  node_test_fails_saying (&test, "d.value", 0, "too many corners and jumps");
  node_test_set (&test, "d", "from", "\"rows\"");
  node_test_set (&test, "d", "rows", "\"0 0 1e308\\n1e-300 1e308 -1e308\\n1 0\"");
  node_test_fails_saying (&test, "d.value", 0, "the numbers are too large");
  node_test_set (&test, "d", "from", "\"motion\"");
  node_test_fails_saying (&test, "d.value", 0, "no motion");
  node_test_clear (&test);
}

/* 30-46: what is given, by the profile of t1 = 0.3 and t2 = 0.75, in each of the ways. */
static void
test_profile (void)
{
  static const char *const givens[] = { "times",
                                        "accelerate-until-speed",
                                        "decelerate-from-speed",
                                        "acceleration-until",
                                        "acceleration-from",
                                        "deceleration-until",
                                        "deceleration-from",
                                        "acceleration-speed",
                                        "deceleration-speed",
                                        "acceleration-deceleration",
                                        "accelerations-until",
                                        "accelerations-from",
                                        "acceleration-times",
                                        "deceleration-times",
                                        "open-duration" };
  static const double parabolic[][2] = {
    { 0.1, 0.0229885057 }, { 0.3, 0.2068965517 }, { 0.5, 0.4827586207 }, { 0.75, 0.8275862069 }, { 0.9, 0.9724137931 }
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/profile", "p", NULL);
  for (guint g = 0; g < G_N_ELEMENTS (givens); g++) {
    g_autofree char *nick = g_strdup_printf ("\"%s\"", givens[g]);

    node_test_set (&test, "p", "given", nick);
    node_test_set_number (&test, "p", "t1", 0.3);
    node_test_set_number (&test, "p", "t2", 0.75);
    node_test_set_number (&test, "p", "speed", 2 / 1.45);
    node_test_set_number (&test, "p", "acceleration", 2 / 1.45 / 0.3);
    node_test_set_number (&test, "p", "deceleration", 2 / 1.45 / 0.25);
    assert_near (node_test_number (&test, "p.solved_speed", 0), 1.3793103448, 1e-10);
    assert_near (node_test_number (&test, "p.solved_acceleration", 0), 4.5977011494, 1e-10);
    assert_near (node_test_number (&test, "p.solved_deceleration", 0), 5.5172413793, 1e-10);
    assert_near (node_test_number (&test, "p.solved_t1", 0), 0.3, 1e-12);
    assert_near (node_test_number (&test, "p.solved_t2", 0), 0.75, 1e-12);
    assert_near (node_test_number (&test, "p.solved_distance", 0), 1, 1e-12);
    assert_near (node_test_number (&test, "p.solved_duration", 0), 1, 1e-12);
    for (guint i = 0; i < G_N_ELEMENTS (parabolic); i++)
      assert_near (get_at (&test, "p.value", parabolic[i][0]), parabolic[i][1], 1e-10);
  }
  /* The three areas under the speed. */
  node_test_set (&test, "p", "given", "\"times\"");
  assert_near (get_at (&test, "p.value", 0.3), 0.5 * 2 / 1.45 * 0.3, 1e-14);
  assert_near (get_at (&test, "p.value", 0.75) - get_at (&test, "p.value", 0.3), 2 / 1.45 * 0.45, 1e-14);
  assert_near (1 - get_at (&test, "p.value", 0.75), 0.5 * 2 / 1.45 * 0.25, 1e-14);
  /* Metres and seconds: 5 m in 4 s. */
  node_test_set_number (&test, "p", "distance", 5);
  node_test_set_number (&test, "p", "duration", 4);
  assert_near (node_test_number (&test, "p.solved_speed", 0), 2 * 5 / (4 * 1.45), 1e-12);
  assert_near (get_at (&test, "p.way", 1), 5, 1e-12);
  assert_near (get_at (&test, "p.speed_now", 0.5), 2 * 5 / (4 * 1.45), 1e-12);
  assert_near (get_at (&test, "p.acceleration_now", 0.1), 2 * 5 / (4 * 1.45) / 1.2, 1e-12);
  assert_near (get_at (&test, "p.acceleration_now", 0.9), -2 * 5 / (4 * 1.45) / 1.0, 1e-12);
  /* Constant speed, and the triangle. */
  node_test_set_number (&test, "p", "distance", 1);
  node_test_set_number (&test, "p", "duration", 1);
  node_test_set_number (&test, "p", "t1", 0);
  node_test_set_number (&test, "p", "t2", 1);
  assert_near (node_test_number (&test, "p.solved_speed", 0), 1, 0);
  node_test_set_number (&test, "p", "t1", 0.4);
  node_test_set_number (&test, "p", "t2", 0.4);
  assert_near (node_test_number (&test, "p.solved_speed", 0), 2, 1e-15);
  /* A distance that follows, and one that is fitted: acceleration 2 until 0.5, deceleration 4. */
  node_test_set (&test, "p", "given", "\"accelerations-until\"");
  node_test_set_number (&test, "p", "t1", 0.5);
  node_test_set_number (&test, "p", "acceleration", 2);
  node_test_set_number (&test, "p", "deceleration", 4);
  assert_near (node_test_number (&test, "p.solved_t2", 0), 0.75, 1e-15);
  assert_near (node_test_number (&test, "p.solved_distance", 0), 0.5 * (1 + 0.75 - 0.5), 1e-15);
  node_test_set (&test, "p", "fit", "true");
  assert_near (node_test_number (&test, "p.solved_distance", 0), 1, 0);
  assert_near (node_test_number (&test, "p.solved_acceleration", 0), 2 / 0.625, 1e-14);
  assert_near (node_test_number (&test, "p.solved_deceleration", 0), 4 / 0.625, 1e-14);
  /* An open duration on a short way: the speed is not reached. */
  node_test_set (&test, "p", "given", "\"open-duration\"");
  node_test_set_number (&test, "p", "speed", 100);
  assert_near (node_test_number (&test, "p.solved_speed", 0), sqrt (2 / (0.5 + 0.25)), 1e-14);
  assert_near (node_test_number (&test, "p.solved_t1", 0), node_test_number (&test, "p.solved_t2", 0), 1e-15);
  node_test_clear (&test);
}

static void
test_profile_bad (void)
{
  NodeTest test = node_test_new ();

  /* k1 > k2. */
  node_test_add (&test, "motion/profile", "p", "t1", "0.8", "t2", "0.2", NULL);
  node_test_fails_saying (&test, "p.value", 0, "t2 is 0.2: with t1 = 0.8 and the duration 1, it must be from 0.8 to 1");
  node_test_set (&test, "p", "given", "\"accelerate-until-speed\"");
  node_test_set_number (&test, "p", "t1", 0.5);
  node_test_set_number (&test, "p", "speed", 1);
  node_test_fails_saying (&test, "p.value", 0, "it must be from 1.333333333 to 2");
  node_test_set (&test, "p", "given", "\"acceleration-until\"");
  node_test_set_number (&test, "p", "t1", 0);
  node_test_fails_saying (&test, "p.value", 0, "t1 is 0: to accelerate at a given rate, it must be greater than 0");
  node_test_set (&test, "p", "given", "\"acceleration-speed\"");
  node_test_set_number (&test, "p", "speed", 1);
  node_test_fails_saying (&test, "p.value", 0, "must be greater than 1");
  node_test_set (&test, "p", "given", "\"acceleration-deceleration\"");
  node_test_set_number (&test, "p", "deceleration", 1.5);
  node_test_fails_saying (&test, "p.value", 0, "to stop in time, it must be greater than 2");
  node_test_set (&test, "p", "given", "\"acceleration-times\"");
  node_test_set_number (&test, "p", "t1", 0.5);
  node_test_fails_saying (&test, "p.value", 0, "t2 is 0.2");
  node_test_set_number (&test, "p", "t1", 0);
  node_test_set_number (&test, "p", "t2", 0.6);
  node_test_fails_saying (&test, "p.value", 0, "t1 is 0");
  /* No time to accelerate: the speed at once, and no figure that is not finite. */
  node_test_set (&test, "p", "given", "\"times\"");
  assert_near (get_at (&test, "p.speed_now", 0), 1.25, 1e-14);
  assert_near (node_test_number (&test, "p.solved_acceleration", 0), 0, 0);
  node_test_clear (&test);
}

/* 30-48: the curve floats. */
static void
test_velocity_float (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/velocity", "v", NULL);
  assert_near (node_test_number (&test, "v.shift", 0), 0.5, 1e-15);
  assert_near (get_at (&test, "v.speed", 0), 0.5, 1e-15);
  assert_near (get_at (&test, "v.speed", 0.5), 1.5, 1e-15);
  assert_near (get_at (&test, "v.value", 1), 1, 1e-15);
  assert_near (get_at (&test, "v.value", 0.5), 0.5, 1e-15);
  /* Slow and far: all keys fall by as much, and it runs back at both ends, which it says. */
  node_test_set (&test, "v", "rows", "\"0 0\\n0.5 3\\n1 0\"");
  assert_near (node_test_number (&test, "v.shift", 0), -0.5, 1e-15);
  g_assert_true (get_flag (&test, "v.backs_up"));
  assert_near (get_at (&test, "v.speed", 0.5), 2.5, 1e-14);
  /* Metres and seconds; keys in frames; smooth keys. */
  node_test_set (&test, "v", "rows", "\"1 0 0\\n13 2\\n25 0 0\"");
  node_test_set (&test, "v", "smoothness", "\"smooth\"");
  node_test_set_number (&test, "v", "distance", 6);
  node_test_set_number (&test, "v", "duration", 2);
  assert_near (node_test_number (&test, "v.shift", 0), 3 - 1, 1e-13);
  assert_near (get_at (&test, "v.value", 1), 1, 1e-14);
  assert_near (get_at (&test, "v.speed", 0), 2, 1e-13);
  /* Fewer than two keys: an even movement. */
  node_test_set (&test, "v", "rows", "\"\"");
  assert_near (get_at (&test, "v.speed", 0.3), 3, 1e-14);
  node_test_set (&test, "v", "rows", "\"0 17\"");
  assert_near (get_at (&test, "v.speed", 0.3), 3, 1e-13);
  node_test_clear (&test);
}

/* 30-49: the keys keep their speeds. */
static void
test_velocity_fixed (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/velocity", "v", "mode", "\"fixed\"", NULL);
  assert_near (node_test_number (&test, "v.bulge", 0), 0.9375, 1e-14);
  assert_near (get_at (&test, "v.speed", 0.25), 1.4375, 1e-14);
  assert_near (get_at (&test, "v.value", 1), 1, 1e-15);
  assert_near (get_at (&test, "v.speed", 0), 0, 1e-14);
  assert_near (get_at (&test, "v.speed", 0.5), 1, 1e-14);
  assert_near (get_at (&test, "v.speed", 1), 0, 1e-14);
  node_test_set (&test, "v", "rows", "\"0 0\\n0.5 3\\n1 0\"");
  assert_near (node_test_number (&test, "v.bulge", 0), -0.9375, 1e-14);
  assert_near (get_at (&test, "v.speed", 0.1), 0.216, 1e-14);
  assert_near (get_at (&test, "v.speed", 0.5), 3, 1e-14);
  assert_near (get_at (&test, "v.value", 1), 1, 1e-15);
  /* Weights: the first interval is left as it is. */
  node_test_set (&test, "v", "weights", "\"0; 1\"");
  assert_near (get_at (&test, "v.speed", 0.25), 1.5, 1e-14);
  assert_near (node_test_number (&test, "v.bulge", 0), -0.5 / (8.0 / 15 * 0.5), 1e-14);
  assert_near (get_at (&test, "v.value", 1), 1, 1e-15);
  node_test_set (&test, "v", "weights", "\"0; 0\"");
  node_test_fails_saying (&test, "v.value", 0, "all intervals have the weight 0");
  node_test_set (&test, "v", "weights", "\"1; -1\"");
  node_test_fails_saying (&test, "v.value", 0, "weight 2 is -1");
  node_test_set (&test, "v", "weights", "\"1; 1; 1\"");
  node_test_fails_saying (&test, "v.value", 0, "3 weights for 2 intervals");
  /* Fewer than two keys: the constant speed that covers the distance (30-48), and nothing to adjust. */
  {
    static const char *const few[] = { "\"\"", "\"0 17\"", "\"0.5 -3\"" };

    node_test_set (&test, "v", "weights", "\"0\"");
    node_test_set_number (&test, "v", "distance", 6);
    node_test_set_number (&test, "v", "duration", 2);
    for (guint i = 0; i < G_N_ELEMENTS (few); i++) {
      node_test_set (&test, "v", "rows", few[i]);
      for (double t = 0; t <= 1; t += 0.125) {
        assert_near (get_at (&test, "v.speed", t), 3, 1e-13);
        assert_near (get_at (&test, "v.value", t), t, 1e-15);
      }
      assert_near (node_test_number (&test, "v.bulge", 0), 0, 0);
    }
    node_test_set_number (&test, "v", "distance", 1);
    node_test_set_number (&test, "v", "duration", 1);
  }
  node_test_set (&test, "v", "weights", "\"\"");
  /* Drawn with curved keys, whose intervals are more pieces than one: the keys stay all the same. */
  node_test_set (
      &test, "v", "source",
      "{\"keys\": [{\"frame\": 1, \"value\": 0, \"interpolation\": \"bezier\"}, {\"frame\": 9, \"value\": 4, "
      "\"interpolation\": \"bezier\"}, {\"frame\": 25, \"value\": 1}]}");
  assert_near (get_at (&test, "v.speed", 0), 0, 1e-10);
  assert_near (get_at (&test, "v.speed", 1.0 / 3), 4, 1e-10);
  assert_near (get_at (&test, "v.speed", 1), 1, 1e-10);
  assert_near (get_at (&test, "v.value", 1), 1, 1e-13);
  node_test_clear (&test);
}

/* Motions by table, samples, formula and keys, read with slope and sum. */
static void
test_function (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/function", "f", "from", "\"formula\"", "formula", "\"sin(2*pi*t)\"", NULL);
  node_test_add (&test, "motion/evaluate", "e", "motion", "{\"link\": \"f.motion\"}", NULL);
  for (int i = 0; i <= 20; i++) {
    const double t = i / 20.0 - (i == 20 ? 1e-9 : 0), w = 2 * KG_PI;

    node_test_set_number (&test, "e", "at", t);
    assert_near (node_test_number (&test, "e.value", 0), sin (w * t), 1e-12);
    assert_near (node_test_number (&test, "e.derivative", 0), w * cos (w * t), 1e-9);
    assert_near (node_test_number (&test, "e.second_derivative", 0), -w * w * sin (w * t), 1e-6);
    assert_near (node_test_number (&test, "e.integral", 0), (1 - cos (w * t)) / w, 1e-12);
  }
  /* Beyond its end, repeated. */
  node_test_set (&test, "f", "after", "\"cycle\"");
  node_test_set_number (&test, "e", "at", 3.25);
  assert_near (node_test_number (&test, "e.value", 0), 1, 1e-12);
  assert_near (node_test_number (&test, "e.integral", 0), 1 / (2 * KG_PI), 1e-12);
  /* A table of vectors: slope and sum of each component. */
  node_test_set (&test, "f", "from", "\"rows\"");
  node_test_set (&test, "f", "rows", "\"0 0 1 0\\n2 4 1 -2\"");
  node_test_set_number (&test, "e", "at", 1);
  assert_vector_near (node_test_vector (&test, "e.vector", 0), 2, 1, -1, 1e-15);
  assert_vector_near (node_test_vector (&test, "e.vector_derivative", 0), 2, 0, -1, 1e-15);
  assert_vector_near (node_test_vector (&test, "e.vector_integral", 0), 1, 1, -0.5, 1e-15);
  node_test_set_number (&test, "e", "since", 0.5);
  assert_near (node_test_number (&test, "e.integral", 0), 0.75, 1e-15);
  /* As a share of its length, slopes and sums are those of a motion of length 1. */
  node_test_set (&test, "e", "measure", "\"share\"");
  node_test_set_number (&test, "e", "at", 0.5);
  node_test_set_number (&test, "e", "since", 0);
  assert_near (node_test_number (&test, "e.derivative", 0), 4, 1e-15);
  assert_near (node_test_number (&test, "e.integral", 0), 0.5, 1e-15);
  /* Samples. */
  node_test_set (&test, "f", "from", "\"samples\"");
  node_test_set (&test, "f", "samples", "\"1; 3; 3\"");
  node_test_set_number (&test, "f", "rate", 2);
  assert_near (node_test_number (&test, "e.high", 0), 1, 0);
  assert_near (node_test_number (&test, "e.integral", 0), 1, 1e-15);
  assert_near (node_test_number (&test, "e.value", 0), 3, 1e-15);
  /* Keys, in frames. */
  node_test_set (&test, "f", "from", "\"keys\"");
  node_test_fails_saying (&test, "f.motion", 0, "no keys");
  node_test_set (&test, "f", "source", "{\"keys\": [[1, 0], [25, 12]]}");
  node_test_set (&test, "f", "after", "\"linear\"");
  node_test_set (&test, "e", "measure", "\"own\"");
  node_test_set_number (&test, "e", "at", 31);
  assert_near (node_test_number (&test, "e.value", 0), 15, 1e-12);
  /* What can be wrong. */
  node_test_set (&test, "e", "channel", "\"speed\"");
  node_test_fails_saying (&test, "e.value", 0, "no channel \"speed\": it has value");
  node_test_set (&test, "f", "from", "\"rows\"");
  node_test_set (&test, "f", "rows", "\"0 1 2\\n1 1\"");
  node_test_fails_saying (&test, "f.motion", 0, "row 2 has fewer than 2 numbers");
  node_test_set (&test, "f", "rows", "\"1 1\\n0 1\"");
  node_test_fails_saying (&test, "f.motion", 0, "comes after");
  node_test_set (&test, "f", "rows", "\"\"");
  node_test_fails (&test, "f.motion", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "f", "from", "\"formula\"");
  node_test_set_number (&test, "f", "low", 2);
  node_test_fails_saying (&test, "f.motion", 0, "the end must be greater than the start");
  node_test_clear (&test);
}

/* What is drawn of a motion; corners do not upset its derivatives. */
static void
test_plot (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/ease", "e", "shape", "\"parabolic\"", NULL);
  node_test_add (&test, "motion/plot", "p", "motion", "{\"link\": \"e.motion\"}", "width", "2", "height", "1", "center",
                 "[3, 4, 0]", NULL);
  node_test_set_number (&test, "p", "at", 0.5);
  assert_vector_near (node_test_vector (&test, "p.marker", 0), 3, 3.5 + 0.4827586207, 0, 1e-10);
  assert_near (node_test_number (&test, "p.highest", 0), 1, 1e-12);
  {
    g_auto (KgValue) curve = node_test_get (&test, "p.curve", 0);
    const float *p = kg_geometry_get_positions (curve.geometry);
    const size_t n = kg_geometry_get_n_points (curve.geometry);

    g_assert_cmpuint (kg_geometry_get_n_primitives (curve.geometry), ==, 1);
    g_assert_cmpuint (n, >=, 200);
    assert_near ((double) p[0], 2, 1e-6);
    assert_near ((double) p[1], 3.5, 1e-6);
    assert_near ((double) p[3 * n - 3], 4, 1e-6);
    assert_near ((double) p[3 * n - 2], 4.5, 1e-6);
  }
  /* Speed and acceleration, whose steps are where they should be, and as high. */
  node_test_set (&test, "p", "quantity", "\"derivative\"");
  assert_near (node_test_number (&test, "p.highest", 0), 1.3793103448, 1e-6);
  node_test_set (&test, "p", "quantity", "\"second-derivative\"");
  assert_near (node_test_number (&test, "p.highest", 0), 4.5977011494, 1e-6);
  assert_near (node_test_number (&test, "p.lowest", 0), -5.5172413793, 1e-6);
  node_test_set (&test, "p", "quantity", "\"integral\"");
  node_test_set_number (&test, "p", "low", -1);
  node_test_set_number (&test, "p", "high", 1);
  node_test_set (&test, "e", "shape", "\"linear\"");
  node_test_set_number (&test, "p", "at", 1);
  assert_vector_near (node_test_vector (&test, "p.marker", 0), 4, 4.25, 0, 1e-12);
  /* A jump parts the curve. */
  node_test_set (&test, "p", "quantity", "\"value\"");
  node_test_set (&test, "p", "motion", "{\"keys\": [[1, 0], [5, 1], [5, 2], [9, 0]]}");
  {
    g_auto (KgValue) curve = node_test_get (&test, "p.curve", 0);

    g_assert_cmpuint (kg_geometry_get_n_primitives (curve.geometry), ==, 2);
  }
  node_test_set_number (&test, "p", "component", 1);
  node_test_fails_saying (&test, "p.curve", 0, "the channel has 1");
  node_test_set_number (&test, "p", "component", 0);
  node_test_set (&test, "p", "channel", "\"x\"");
  node_test_fails_saying (&test, "p.curve", 0, "no channel");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timing/30-01-key-values", test_key_values);
  g_test_add_func ("/timing/30-43-44-45-47-ease-facts", test_ease_facts);
  g_test_add_func ("/timing/30-47-full-speed", test_ease_full_speed);
  g_test_add_func ("/timing/ease-accelerations", test_ease_accelerations);
  g_test_add_func ("/timing/30-40-41-two-paths", test_two_paths);
  g_test_add_func ("/timing/30-42-findings", test_findings);
  g_test_add_func ("/timing/30-42-quantities", test_quantities);
  g_test_add_func ("/timing/30-50-constraints", test_constraints);
  g_test_add_func ("/timing/bad-rows", test_bad_rows);
  g_test_add_func ("/timing/30-46-profile", test_profile);
  g_test_add_func ("/timing/30-46-bad", test_profile_bad);
  g_test_add_func ("/timing/30-48-velocity-floats", test_velocity_float);
  g_test_add_func ("/timing/30-49-velocity-fixed", test_velocity_fixed);
  g_test_add_func ("/timing/function", test_function);
  g_test_add_func ("/timing/plot", test_plot);
  return g_test_run ();
}

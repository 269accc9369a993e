/* tests/nodes/phrases: movements whose timing is a spline of its own, joined, stretched and
 * calibrated (catalogue 20-070, 20-101).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

static const char keys[] = "\"0 0\\n10 3\\n16 1\\n30 4\"";

/* The figures of the catalogue. */
static void
test_facts (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/phrase", "p", "rows", keys, "time", "5", NULL);
  assert_near (node_test_number (&test, "p.phase", 0), 0.402388608, 1e-9);
  assert_near (node_test_vector (&test, "p.place", 0).x, 1.769224518, 1e-9);
  assert_near (node_test_vector (&test, "p.velocity", 0).x, 0.360608683, 1e-9);
  node_test_set (&test, "p", "time", "12");
  assert_near (node_test_number (&test, "p.phase", 0), 1.328188639, 1e-9);
  assert_near (node_test_vector (&test, "p.place", 0).x, 2.469893109, 1e-9);
  node_test_set (&test, "p", "time", "20");
  assert_near (node_test_vector (&test, "p.acceleration", 0).x, 0.005281486, 1e-9);
  /* Keys are met exactly. */
  node_test_set (&test, "p", "time", "10");
  g_assert_cmpfloat (node_test_vector (&test, "p.place", 0).x, ==, 3);
  g_assert_cmpfloat (node_test_number (&test, "p.phase", 0), ==, 1);
  /* It waits at its ends. */
  node_test_set (&test, "p", "time", "40");
  assert_vector_near (node_test_vector (&test, "p.place", 0), 4, 0, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "p.velocity", 0), 0, 0, 0, 0);
  node_test_clear (&test);
}

/* Value, velocity and acceleration of a motion on both sides of a time. */
static void
assert_smooth (NodeTest *test, double at, double size)
{
  static const char *const outputs[] = { "e.value", "e.derivative", "e.second_derivative" };

  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++) {
    double before;

    node_test_set_number (test, "e", "at", at - 1e-9);
    before = node_test_number (test, outputs[i], 0);
    node_test_set_number (test, "e", "at", at + 1e-9);
    assert_near (node_test_number (test, outputs[i], 0), before, 1e-5 * size);
  }
}

static void
test_continuous (void)
{
  static const char *const ends[] = { "\"natural\"", "\"clamped\"", "\"periodic\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/phrase", "p", "rows", "\"0 0 1\\n1 3 0\\n1.6 1 2\\n3 4 5\\n3.5 0 1\"", "start_slope",
                 "[2, 1, 0]", "start_rate", "0.5", "end_rate", "3", NULL);
  node_test_add (&test, "motion/evaluate", "e", "motion", "{\"link\": \"p.motion\"}", "channel", "\"value.x\"", NULL);
  for (guint path = 0; path < G_N_ELEMENTS (ends); path++)
    for (guint timing = 0; timing < G_N_ELEMENTS (ends); timing++) {
      node_test_set (&test, "p", "path_ends", ends[path]);
      node_test_set (&test, "p", "timing_ends", ends[timing]);
      for (guint c = 0; c < 2; c++) {
        node_test_set (&test, "e", "channel", c == 0 ? "\"value.x\"" : "\"value.y\"");
        assert_smooth (&test, 1, 100);
        assert_smooth (&test, 1.6, 100);
        assert_smooth (&test, 3, 100);
      }
    }
  /* Both periodic: it goes over its ends as well. */
  assert_smooth (&test, 3.5, 100);
  assert_smooth (&test, 7, 100);
  node_test_set_number (&test, "e", "at", 7.9);
  {
    const double later = node_test_number (&test, "e.value", 0);

    node_test_set_number (&test, "e", "at", 0.9);
    assert_near (later, node_test_number (&test, "e.value", 0), 1e-12);
  }
  /* Given slopes and paces are had: dx/dt = slope times pace. */
  node_test_set (&test, "p", "path_ends", "\"clamped\"");
  node_test_set (&test, "p", "timing_ends", "\"clamped\"");
  node_test_set (&test, "p", "time", "0");
  assert_vector_near (node_test_vector (&test, "p.velocity", 0), 2 * 0.5, 1 * 0.5, 0, 1e-12);
  assert_near (node_test_number (&test, "p.rate", 0), 0.5, 1e-13);
  node_test_clear (&test);
}

/* The path does not depend on the timing, nor far keys on near ones. */
static void
test_timing (void)
{
  NodeTest test = node_test_new ();
  double places[2][3];

  node_test_add (&test, "motion/phrase", "p", "rows", keys, NULL);
  for (guint i = 0; i < 2; i++) {
    node_test_set (&test, "p", "rows", i == 0 ? keys : "\"0 0\\n12 3\\n20 1\\n30 4\"");
    for (guint k = 0; k < 3; k++) {
      /* The time of the phase k + ½, by halving. */
      double low = 0, high = 30;

      for (guint step = 0; step < 60; step++) {
        node_test_set_number (&test, "p", "time", 0.5 * (low + high));
        if (node_test_number (&test, "p.phase", 0) < k + 0.5)
          low = 0.5 * (low + high);
        else
          high = 0.5 * (low + high);
      }
      places[i][k] = node_test_vector (&test, "p.place", 0).x;
    }
  }
  for (guint k = 0; k < 3; k++)
    assert_near (places[1][k], places[0][k], 1e-11);
  /* A pace at a key, as asked. */
  node_test_set (&test, "p", "rows", "\"0 0 - - -\\n10 3 - - 0.3\\n16 1\\n30 4\"");
  node_test_set (&test, "p", "time", "10");
  assert_near (node_test_number (&test, "p.rate", 0), 0.3, 1e-14);
  node_test_clear (&test);
}

static void
test_local (void)
{
  NodeTest test = node_test_new ();
  double before, far;

  node_test_add (&test, "motion/phrase", "p", "rows",
                 "\"0 0\\n1 3\\n2 1\\n3 4\\n4 2\\n5 0\\n6 2\\n7 1\\n8 3\\n9 0\\n10 1\\n11 2\"", "local", "true", NULL);
  node_test_set (&test, "p", "time", "2.5");
  before = node_test_vector (&test, "p.place", 0).x;
  node_test_set (&test, "p", "time", "8.4");
  far = node_test_vector (&test, "p.place", 0).x;
  node_test_set (&test, "p", "local", "false");
  assert_near (node_test_vector (&test, "p.place", 0).x, far, 1e-3 * 4);
  g_assert_cmpfloat (node_test_vector (&test, "p.place", 0).x, !=, far);
  node_test_set (&test, "p", "local", "true");
  node_test_set (&test, "p", "rows", "\"0 0\\n1 3\\n2 1\\n3 -7\\n4 2\\n5 0\\n6 2\\n7 1\\n8 3\\n9 0\\n10 1\\n11 2\"");
  /* The fourth key moved: what is more than five keys away has the same bits. */
  node_test_set (&test, "p", "time", "8.4");
  g_assert_cmpfloat (node_test_vector (&test, "p.place", 0).x, ==, far);
  node_test_set (&test, "p", "time", "2.5");
  g_assert_cmpfloat (fabs (node_test_vector (&test, "p.place", 0).x - before), >, 1);
  node_test_clear (&test);
}

/* Times that are too uneven for a smooth timing. */
static void
test_retreat (void)
{
  NodeTest test = node_test_new ();
  double last = -1;

  node_test_add (&test, "motion/phrase", "p", "rows", "\"0 0\\n10 1\\n10.1 2\\n30 3\"", NULL);
  node_test_warns (&test, "p.phase", "between the times 0 and 10 the movement would go back");
  for (guint i = 0; i <= 300; i++) {
    node_test_set_number (&test, "p", "time", i / 10.0);
    g_assert_cmpfloat (node_test_number (&test, "p.phase", 0), >=, last);
    last = node_test_number (&test, "p.phase", 0);
  }
  node_test_set (&test, "p", "retreat", "\"allow\"");
  last = 0;
  for (guint i = 0; i <= 100; i++) {
    node_test_set_number (&test, "p", "time", i / 10.0);
    last = fmin (last, node_test_number (&test, "p.phase", 0));
  }
  g_assert_cmpfloat (last, <, -0.1);
  /* The path carries on before its first key, along its first piece. */
  g_assert_cmpfloat (node_test_vector (&test, "p.place", 0).x, ==, 1);
  node_test_clear (&test);
}

static void
test_join (void)
{
  static const char *const gaps[] = { "-0.5", "-1.2", "0.3", "2" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/phrase", "a", "rows", "\"0 0\\n1 3\\n1.6 1\\n3 4\"", NULL);
  node_test_add (&test, "motion/phrase", "b", "rows", "\"5 -2\\n6 3\\n8 1\"", NULL);
  node_test_add (&test, "motion/join", "j", "first", "{\"link\": \"a.motion\"}", "second", "{\"link\": \"b.motion\"}",
                 NULL);
  node_test_add (&test, "motion/evaluate", "e", "motion", "{\"link\": \"j.motion\"}", NULL);
  node_test_add (&test, "motion/evaluate", "own", "motion", "{\"link\": \"b.motion\"}", "at", "7", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (gaps); i++) {
    const double gap = g_ascii_strtod (gaps[i], NULL);

    node_test_set (&test, "j", "gap", gaps[i]);
    assert_smooth (&test, 3, 100);
    assert_smooth (&test, 3 + gap, 100);
    assert_near (node_test_number (&test, "j.end", 0), 6 + gap, 1e-12);
    /* Away from the joint both are as they were. */
    node_test_set (&test, "e", "at", "1");
    assert_near (node_test_number (&test, "e.value", 0), 3, 1e-12);
    node_test_set_number (&test, "e", "at", 5 + gap);
    assert_near (node_test_number (&test, "e.value", 0), node_test_number (&test, "own.value", 0), 1e-9);
  }
  /* At its own times there is a gap of 2. */
  node_test_set (&test, "j", "place", "\"timed\"");
  assert_smooth (&test, 3, 100);
  assert_smooth (&test, 5, 100);
  node_test_set (&test, "b", "rows", "\"1 -2\\n1.5 3\\n2 1\"");
  node_test_fails_saying (&test, "j.motion", 0, "start and end later");
  /* Either alone stays as it is. */
  node_test_add (&test, "motion/join", "alone", "second", "{\"link\": \"b.motion\"}", NULL);
  node_test_set (&test, "e", "motion", "{\"link\": \"alone.motion\"}");
  node_test_set (&test, "e", "at", "1.5");
  assert_near (node_test_number (&test, "e.value", 0), 3, 1e-12);
  assert_near (node_test_number (&test, "alone.start", 0), 1, 0);
  assert_near (node_test_number (&test, "alone.end", 0), 2, 0);
  /* What has no counterpart is not lost in silence. */
  node_test_add (&test, "motion/phrase", "c", "rows", "\"1 -2 0\\n1.5 3 0\\n2 1 0\"", NULL);
  node_test_set (&test, "alone", "first", "{\"link\": \"a.motion\"}");
  node_test_set (&test, "alone", "second", "{\"link\": \"c.motion\"}");
  node_test_warns (&test, "alone.motion", "2 channels of the second motion have no counterpart");
  node_test_clear (&test);
}

static void
test_stretch (void)
{
  static const double factors[] = { 0.2, 0.5, 1, 1.5, 3, 20 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/phrase", "a", "rows", "\"0 0\\n1 3\\n1.6 1\\n3 4\"", NULL);
  node_test_add (&test, "motion/stretch_time", "s", "source", "{\"link\": \"a.motion\"}", "start", "0.5", "end", "1.5",
                 NULL);
  node_test_add (&test, "motion/evaluate", "e", "motion", "{\"link\": \"s.motion\"}", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (factors); i++) {
    const double end = 0.5 + factors[i];
    double last = -INFINITY;

    node_test_set_number (&test, "s", "factor", factors[i]);
    assert_smooth (&test, 0.5, 1000);
    assert_smooth (&test, end, 1000);
    /* It never goes back, and the third key comes as much later as the part got longer. */
    for (guint k = 0; k <= 200; k++) {
      node_test_set_number (&test, "s", "time", 0.4 + k * (factors[i] + 0.3) / 200);
      g_assert_cmpfloat (node_test_number (&test, "s.source_time", 0), >, last);
      last = node_test_number (&test, "s.source_time", 0);
    }
    node_test_set_number (&test, "e", "at", end + 0.1);
    assert_near (node_test_number (&test, "e.value", 0), 1, 1e-9);
    node_test_set_number (&test, "e", "at", end + 1.5);
    assert_near (node_test_number (&test, "e.value", 0), 4, 1e-9);
  }
  /* The middle of the part is its middle, by symmetry. */
  node_test_set (&test, "s", "factor", "3");
  node_test_set (&test, "s", "time", "2");
  assert_near (node_test_number (&test, "s.source_time", 0), 1, 1e-14);
  node_test_set (&test, "s", "keep_speeds", "false");
  node_test_set (&test, "s", "time", "1.4");
  assert_near (node_test_number (&test, "s.source_time", 0), 0.8, 1e-14);
  /* A part that is longer than the motion, and one beside it. */
  node_test_set (&test, "s", "end", "9");
  node_test_warns (&test, "s.motion", "the part from 0.5 to 3 was stretched");
  node_test_set (&test, "s", "start", "4");
  node_test_warns (&test, "s.motion", "nothing of it lies in the part");
  node_test_set (&test, "s", "start", "0.5");
  node_test_set (&test, "s", "end", "0.5");
  node_test_fails_saying (&test, "s.motion", 0, "set its end after its start");
  node_test_clear (&test);
}

static void
test_bad_input (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/phrase", "p", "rows", "\"0 0\"", NULL);
  node_test_fails_saying (&test, "p.place", 0, "at least two");
  node_test_set (&test, "p", "rows", "\"0 0\\n1 2\\n1 3\"");
  node_test_fails_saying (&test, "p.place", 0, "row 3: time 1 does not come after 1");
  node_test_set (&test, "p", "rows", "\"0 0 1\\n1 2\"");
  node_test_fails_saying (&test, "p.place", 0, "row 2 has fewer than 2 values");
  node_test_set (&test, "p", "rows", "\"0 0\\n1 2\"");
  node_test_set (&test, "p", "path_ends", "\"periodic\"");
  node_test_fails_saying (&test, "p.place", 0, "at least three keys");
  node_test_set (&test, "p", "rows", "\"0 0\\n1 2\\n2 5\"");
  node_test_fails_saying (&test, "p.place", 0, "the last key has the value 5 and the first 0");
  node_test_set (&test, "p", "path_ends", "\"natural\"");
  node_test_set (&test, "p", "rows", "\"0 0\\n1e-300 1e300\\n2 -1e308\"");
  node_test_fails_saying (&test, "p.place", 0, "more ordinary size");
  node_test_clear (&test);
}

/* 20-101: readings of a goniometer. */
static void
test_calibrate (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/function", "f", "from", "\"samples\"", "rate", "1", "samples",
                 "\"4000; 4090; 30; 1000; 1900; 900; 50; 4000; 3000\"", NULL);
  node_test_add (&test, "motion/calibrate", "c", "source", "{\"link\": \"f.motion\"}", "zero", "4050", "scale",
                 "0.087890625", "offset", "-10", NULL);
  node_test_add (&test, "motion/evaluate", "e", "motion", "{\"link\": \"c.motion\"}", NULL);
  node_test_set (&test, "e", "at", "0");
  assert_near (node_test_number (&test, "e.value", 0), (4000 - 4050) * 0.087890625 - 10, 1e-12);
  node_test_set (&test, "e", "at", "2");
  assert_near (node_test_number (&test, "e.value", 0), (30 - 4050) * 0.087890625 - 10, 1e-12);
  /* Past a full turn and back: 30 is 4126. */
  node_test_set (&test, "c", "wraps", "true");
  assert_near (node_test_number (&test, "e.value", 0), (4126 - 4050) * 0.087890625 - 10, 1e-12);
  node_test_set (&test, "e", "at", "4");
  assert_near (node_test_number (&test, "e.value", 0), (4096 + 1900 - 4050) * 0.087890625 - 10, 1e-12);
  node_test_set (&test, "e", "at", "8");
  assert_near (node_test_number (&test, "e.value", 0), (3000 - 4050) * 0.087890625 - 10, 1e-12);
  node_test_set (&test, "c", "limit", "true");
  node_test_set (&test, "c", "low", "-20");
  node_test_set (&test, "c", "high", "100");
  assert_near (node_test_number (&test, "e.value", 0), -20, 0);
  assert_near (node_test_number (&test, "c.limited", 0), 2, 0);
  node_test_set (&test, "c", "low", "120");
  node_test_fails_saying (&test, "c.motion", 0, "the lowest value 120 is above the highest 100");
  /* Other channels stay. */
  node_test_set (&test, "c", "low", "-20");
  node_test_set (&test, "c", "channels", "\"knee*\"");
  assert_near (node_test_number (&test, "e.value", 0), 3000, 0);
  /* A formula is no row of readings. */
  node_test_set (&test, "c", "channels", "\"\"");
  node_test_set (&test, "f", "from", "\"formula\"");
  node_test_warns (&test, "c.motion", "not made of readings");
  node_test_set (&test, "c", "channels", "\"nobody\"");
  node_test_warns (&test, "c.motion", "the motion has no channel \"nobody\": it has ");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/motion/phrase/20-070-facts", test_facts);
  g_test_add_func ("/motion/phrase/20-070-continuous", test_continuous);
  g_test_add_func ("/motion/phrase/20-070-timing", test_timing);
  g_test_add_func ("/motion/phrase/20-070-local", test_local);
  g_test_add_func ("/motion/phrase/20-070-going-back", test_retreat);
  g_test_add_func ("/motion/phrase/bad-input", test_bad_input);
  g_test_add_func ("/motion/join/20-070", test_join);
  g_test_add_func ("/motion/stretch_time/20-070", test_stretch);
  g_test_add_func ("/motion/calibrate/20-101", test_calibrate);
  return g_test_run ();
}

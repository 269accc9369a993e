/* tests/nodes/walk: a figure that walks along a path, by the figures of catalogues 20-110, 65-42 and 65-52.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#define RATE 24.0

static double
at_frame (double frame)
{
  return (frame - 1) / RATE;
}

/* 20-110: five metres straight on, with and without slow ends, by rhythm and by time. */
static void
test_straight (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "line", "start", "[1, 0, 0]", "end", "[1, 0, -5]", NULL);
  node_test_add (&test, "rig/walk", "walk", "path", "{\"link\": \"line.geometry\"}", "slow_ends", "false", NULL);
  g_assert_cmpfloat (node_test_number (&test, "walk.steps", 0), ==, 8);
  assert_near (node_test_number (&test, "walk.step_length", 0), 0.625, 1e-12);
  assert_near (node_test_number (&test, "walk.arrives", 0), 1 + 4.3636363636 * RATE, 1e-6);
  assert_near (node_test_vector (&test, "walk.hips", 60 / 110.0 * 3).z, -3 * 0.625, 1e-9);
  node_test_set (&test, "walk", "slow_ends", "true");
  assert_near (node_test_number (&test, "walk.arrives", 0), 1 + 10 * 60 / 110.0 * RATE, 1e-9);
  /* A quarter of the first step in half of its time; it is over after twice that of the others. */
  assert_near (node_test_number (&test, "walk.phase", 60 / 110.0), 0.25, 1e-12);
  assert_near (node_test_number (&test, "walk.phase", 2 * 60 / 110.0), 1, 1e-12);
  node_test_set (&test, "walk", "timing", "\"arrive\"");
  node_test_set (&test, "walk", "start", "11");
  node_test_set (&test, "walk", "arrive", "131");
  assert_near (node_test_number (&test, "walk.arrives", 0), 131, 1e-9);
  assert_vector_near (node_test_vector (&test, "walk.hips", at_frame (131)), 1, 0.9, -5, 1e-9);
  assert_vector_near (node_test_vector (&test, "walk.hips", at_frame (400)), 1, 0.9, -5, 1e-9);
  assert_vector_near (node_test_vector (&test, "walk.hips", at_frame (11)), 1, 0.9, 0, 1e-9);
  /* Ten beats at 240 a minute are 2.5 s. */
  node_test_set (&test, "walk", "arrive", "61");
  node_test_fails_saying (&test, "walk.hips", 0, "at least 2.5 s");
  node_test_clear (&test);
}

/* 20-110: three metres, a corner, and four: rounded with half a metre. */
static void
test_corner (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/polygon", "corner", "points", "[[0, 0, 0], [3, 0, 0], [3, 0, 4]]", "filled", "false",
                 NULL);
  node_test_add (&test, "rig/walk", "walk", "path", "{\"link\": \"corner.geometry\"}", NULL);
  assert_near (node_test_number (&test, "walk.length", 0), 7 - 1 + G_PI / 4, 1e-9);
  g_assert_cmpfloat (node_test_number (&test, "walk.steps", 0), ==, 10);
  assert_near (node_test_number (&test, "walk.step_length", 0), 0.6785398, 1e-7);
  /* Half way along the arc: 45 degrees to the right. */
  {
    const double s = 2.5 + 0.5 * G_PI / 4, phase = s / 0.67853982, time = (phase + 1) * 60 / 110;
    g_auto (KgValue) body = KG_VALUE_INIT;
    const KgTransform *t;

    node_test_set (&test, "walk", "sway", "0");
    body = node_test_get (&test, "walk.body", time);
    t = body.transform;
    assert_near (t->m[0][3], 2.5 + 0.5 * sqrt (0.5), 1e-6);
    assert_near (t->m[2][3], 0.5 - 0.5 * sqrt (0.5), 1e-6);
    assert_near (t->m[0][0], sqrt (0.5), 1e-6);
    assert_near (t->m[2][0], sqrt (0.5), 1e-6);
  }
  /* A leg that is too short for the radius gives a smaller arc: half of the leg of 0.4 m. */
  node_test_set (&test, "corner", "points", "[[0, 0, 0], [3, 0, 0], [3, 0, 0.4]]");
  assert_near (node_test_number (&test, "walk.length", 0), 3.4 - 0.4 + 0.2 * G_PI / 2, 1e-6);
  node_test_set (&test, "walk", "corner", "0");
  assert_near (node_test_number (&test, "walk.length", 0), 3.4, 1e-6);
  /* Straight back, and over a point twice: no arc, and it goes there all the same. */
  node_test_set (&test, "corner", "points", "[[0, 0, 0], [2, 0, 0], [2, 0, 0], [1, 0, 0]]");
  node_test_set (&test, "walk", "corner", "0.5");
  assert_near (node_test_number (&test, "walk.length", 0), 3, 1e-6);
  assert_near (node_test_vector (&test, "walk.hips", 100).x, 1, 1e-6);
  node_test_clear (&test);
}

/* 65-43, 65-42: a foot that stands does not move by a bit, one of them always stands, each comes down where a print is at the
 * frame that it says, left of the way and right of it, and no foot or hip jumps. */
static void
test_feet (void)
{
  static const char *const feet[] = { "walk.left_foot", "walk.right_foot" }, *const down[] = { "walk.left_down",
                                                                                               "walk.right_down" };
  NodeTest test = node_test_new ();
  g_auto (KgValue) prints = KG_VALUE_INIT;
  const float *p, *frames;
  const int32_t *foot;
  KgVector last[2], hips = { 0, 0, 0 };
  bool stood[2] = { false, false };
  double arrives;

  node_test_add (&test, "geometry/polygon", "corner", "points", "[[0, 0, 0], [3, 0.5, 0], [3, 1, 4], [0, 1, 4]]",
                 "filled", "false", NULL);
  node_test_add (&test, "rig/walk", "walk", "path", "{\"link\": \"corner.geometry\"}", "first", "\"right\"", NULL);
  prints = node_test_get (&test, "walk.prints", 0);
  p = kg_geometry_get_positions (prints.geometry);
  frames = kg_geometry_get_float (prints.geometry, KG_POINTS, "frame", 1);
  foot = kg_geometry_get_int (prints.geometry, KG_POINTS, "foot", 1);
  g_assert_cmpuint (kg_geometry_get_n_points (prints.geometry), ==,
                    (size_t) node_test_number (&test, "walk.steps", 0) + 3);
  for (size_t i = 2; i < kg_geometry_get_n_points (prints.geometry); i++) {
    const double when = at_frame ((double) frames[i] + 1e-3);

    g_assert_cmpint (foot[i], ==, i % 2 == 0 ? 1 : 0);
    assert_vector_near (node_test_vector (&test, feet[foot[i]], when), (double) p[3 * i], (double) p[3 * i + 1],
                        (double) p[3 * i + 2], 1e-6);
    g_assert_cmpfloat (node_test_number (&test, down[foot[i]], when), ==, 1);
    g_assert_cmpfloat (frames[i], >=, frames[i - 1]);
  }
  arrives = node_test_number (&test, "walk.arrives", 0);
  for (double frame = 0; frame < arrives + 5; frame += 0.25) {
    const double t = at_frame (frame);
    const KgVector now = node_test_vector (&test, "walk.hips", t);
    int standing = 0;

    for (int i = 0; i < 2; i++) {
      const KgVector place = node_test_vector (&test, feet[i], t);
      const bool stands = node_test_number (&test, down[i], t) > 0;

      if (frame > 0 && stands && stood[i])
        g_assert_true (memcmp (&place, &last[i], sizeof place) == 0);
      if (frame > 0)
        g_assert_cmpfloat (kg_vector_distance (place, last[i]), <, 0.07);
      standing += stands;
      stood[i] = stands;
      last[i] = place;
    }
    g_assert_cmpint (standing, >=, 1);
    if (frame > 0)
      g_assert_cmpfloat (kg_vector_distance (now, hips), <, 0.02);
    hips = now;
  }
  /* At the end the feet are beside each other, at both sides of where the path ends. */
  assert_vector_near (last[0], 0, 1, 4.09, 1e-6);
  assert_vector_near (last[1], 0, 1, 3.91, 1e-6);
  node_test_clear (&test);
}

/* 20-110: the same command gives the same bits, from whichever frame it begins. */
static void
test_same_bits (void)
{
  NodeTest first = node_test_new (), second = node_test_new ();
  NodeTest *const tests[] = { &first, &second };

  for (guint i = 0; i < 2; i++) {
    node_test_add (tests[i], "geometry/line", "line", "start", "[0, 0, 0]", "end", "[3.1, 0.2, 5]", NULL);
    node_test_add (tests[i], "rig/walk", "walk", "path", "{\"link\": \"line.geometry\"}", NULL);
  }
  for (int frame = 1; frame < 120; frame += 7) {
    const KgVector forward = node_test_vector (&first, "walk.left_foot", at_frame (frame));
    const KgVector again = node_test_vector (&second, "walk.left_foot", at_frame (frame));

    g_assert_true (memcmp (&forward, &again, sizeof forward) == 0);
    node_test_vector (&second, "walk.left_foot", at_frame (200 - frame));
  }
  node_test_clear (&first);
  node_test_clear (&second);
}

/* No way, no length, almost there, what is no line of points, and too many steps. */
static void
test_bad (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/walk", "walk", "place", "[2, 0, 1]", NULL);
  node_test_warns (&test, "walk.hips", "nowhere to go");
  assert_vector_near (node_test_vector (&test, "walk.hips", 3), 2, 0.9, 1, 1e-9);
  g_assert_cmpfloat (node_test_number (&test, "walk.steps", 0), ==, 0);
  g_assert_cmpfloat (node_test_number (&test, "walk.arrives", 0), ==, 1);
  node_test_add (&test, "geometry/line", "line", "start", "[1, 0, 0]", "end", "[1, 0, 0]", "points", "2", NULL);
  node_test_set (&test, "walk", "path", "{\"link\": \"line.geometry\"}");
  g_assert_cmpfloat (node_test_number (&test, "walk.steps", 0), ==, 0);
  assert_vector_near (node_test_vector (&test, "walk.left_foot", 3), 1, 0, -0.09, 1e-9);
  /* Less than a quarter of a step is there already; a little more is one step. */
  node_test_set (&test, "line", "end", "[1.1, 0, 0]");
  g_assert_cmpfloat (node_test_number (&test, "walk.steps", 0), ==, 0);
  node_test_set (&test, "line", "end", "[1.2, 0, 0]");
  g_assert_cmpfloat (node_test_number (&test, "walk.steps", 0), ==, 1);
  assert_near (node_test_vector (&test, "walk.right_foot", 9).x, 1.2, 1e-6);
  node_test_set (&test, "line", "end", "[1e9, 0, 0]");
  node_test_fails_saying (&test, "walk.steps", 0, "use longer steps");
  node_test_add (&test, "curve/spline", "curve", NULL);
  node_test_set (&test, "walk", "path", "{\"link\": \"curve.geometry\"}");
  node_test_fails_saying (&test, "walk.steps", 0, "Sample Curve");
  node_test_clear (&test);
}

/* A line without length, whose points have a name. */
static void
add_thing (NodeTest *test, const char *name, const char *place)
{
  g_autofree char *dots = g_strdup_printf ("%s_dot", name), *text = g_strdup_printf ("\"%s\"", name);
  g_autofree char *link = g_strdup_printf ("{\"link\": \"%s_dot.geometry\"}", name);

  node_test_add (test, "geometry/line", dots, "start", place, "end", place, "points", "2", NULL);
  node_test_add (test, "geometry/attribute", name, "geometry", link, "name", "\"name\"", "kind", "\"text\"", "text",
                 text, NULL);
}

/* 20-110: words become places and times, a line for each actor; what is not told, is before the thing. */
static void
test_commands (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) text = KG_VALUE_INIT;

  add_thing (&test, "door", "[4, 0, -3]");
  add_thing (&test, "window", "[-2, 1, 5]");
  node_test_add (&test, "geometry/merge", "things", "geometries",
                 "[{\"link\": \"door.set\"}, {\"link\": \"window.set\"}]", NULL);
  node_test_add (&test, "rig/go_to", "go", "things", "{\"link\": \"things.geometry\"}", "start", "13", "command",
                 "\"# who does what\\nanna walk to door\\n\\n  bert run  to window by 2.5 then jump # soon\"", NULL);
  assert_vector_near (node_test_vector (&test, "go.goal", 0), 4, 0, -2.5, 1e-6);
  assert_vector_near (node_test_vector (&test, "go.facing", 0), 0, 0, -1, 1e-6);
  assert_near (node_test_number (&test, "go.heading", 0), 90, 1e-9);
  assert_near (node_test_number (&test, "go.cadence", 0), 110, 0);
  assert_near (node_test_number (&test, "go.timed", 0), 0, 0);
  assert_near (node_test_number (&test, "go.arrive", 0), -1, 0);
  node_test_set (&test, "go", "actor", "\"bert\"");
  node_test_set (&test, "go", "distance", "0.75");
  assert_vector_near (node_test_vector (&test, "go.goal", 0), -2, 1, 5.75, 1e-6);
  assert_near (node_test_number (&test, "go.cadence", 0), 170, 0);
  assert_near (node_test_number (&test, "go.arrive", 0), 13 + 2.5 * RATE, 1e-9);
  text = node_test_get (&test, "go.action", 0);
  g_assert_cmpstr (text.text, ==, "jump");
  kg_value_clear (&text);
  text = node_test_get (&test, "go.plan", 0);
  g_assert_cmpstr (text.text, ==,
                   "who: bert\ngo to: window, standing at (-2, 1, 5.75)\nhow: run, by frame 73\nthen: face 90°, jump");
  /* Where the thing says where to stand, and where to look. */
  node_test_add (&test, "geometry/attribute", "stands", "geometry", "{\"link\": \"things.geometry\"}", "name",
                 "\"stand\"", "kind", "\"vector\"", "vector", "[1, 0, 2]", NULL);
  node_test_add (&test, "geometry/attribute", "faces", "geometry", "{\"link\": \"stands.set\"}", "name", "\"face\"",
                 "kind", "\"vector\"", "vector", "[3, 9, 0]", NULL);
  node_test_set (&test, "go", "things", "{\"link\": \"faces.set\"}");
  assert_vector_near (node_test_vector (&test, "go.goal", 0), 1, 0, 2, 0);
  assert_vector_near (node_test_vector (&test, "go.facing", 0), 1, 0, 0, 1e-12);
  /* With a way and steps: five metres by a frame. */
  node_test_set (&test, "go", "things", "{\"link\": \"things.geometry\"}");
  node_test_set (&test, "go", "command", "\"anna walk to door by frame 131 then open\"");
  node_test_set (&test, "go", "actor", "\"\"");
  node_test_set (&test, "go", "distance", "1");
  node_test_add (&test, "geometry/line", "line", "start", "[4, 0, 3]", "end", "{\"link\": \"go.goal\"}", NULL);
  node_test_add (&test, "rig/walk", "walk", "path", "{\"link\": \"line.geometry\"}", "start", "13", "timing",
                 "\"arrive\"", "arrive", "{\"link\": \"go.arrive\"}", NULL);
  g_assert_cmpfloat (node_test_number (&test, "walk.steps", 0), ==, 8);
  assert_near (node_test_number (&test, "walk.step_length", 0), 0.625, 1e-6);
  assert_vector_near (node_test_vector (&test, "walk.hips", at_frame (131)), 4, 0.9, -2, 1e-5);
  node_test_clear (&test);
}

static void
test_bad_commands (void)
{
  static const char *const facts[][2] = {
    { "\"anna walk to dor\"",
      "there is no thing \"dor\" among the 2: give a point of Things this name: did you mean \"door\"?" },
    { "\"\\nanna hop to door\"", "command, line 2: \"anna hop to door\" cannot be read: write NAME walk to THING" },
    { "\"anna\"", "command, line 1" },
    { "\"anna walk door\"", "command, line 1" },
    { "\"anna walk to door by soon\"", "command, line 1" },
    { "\"anna walk to door by\"", "command, line 1" },
    { "\"anna walk to door then\"", "command, line 1" },
    { "\"anna walk to door now\"", "command, line 1" },
    { "\"anna walk to door by -1\"", "is not after the start at frame 1" },
    { "\"# nothing\"", "there is no command" },
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/go_to", "go", NULL);
  node_test_fails_saying (&test, "go.goal", 0, "no thing \"door\" among the 0");
  add_thing (&test, "door", "[4, 0, -3]");
  node_test_set (&test, "go", "things", "{\"link\": \"door.set\"}");
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    node_test_set (&test, "go", "command", facts[i][0]);
    node_test_fails_saying (&test, "go.goal", 0, facts[i][1]);
  }
  node_test_set (&test, "go", "command", "\"anna walk to door\"");
  node_test_set (&test, "go", "actor", "\"ana\"");
  node_test_fails_saying (&test, "go.goal", 0,
                          "no line of the command is for \"ana\": begin one with this name: did you mean \"anna\"?");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/walk/20-110-straight", test_straight);
  g_test_add_func ("/walk/20-110-corner", test_corner);
  g_test_add_func ("/walk/65-42-65-43-feet", test_feet);
  g_test_add_func ("/walk/20-110-same-bits", test_same_bits);
  g_test_add_func ("/walk/20-110-bad", test_bad);
  g_test_add_func ("/walk/20-110-commands", test_commands);
  g_test_add_func ("/walk/20-110-bad-commands", test_bad_commands);
  return g_test_run ();
}

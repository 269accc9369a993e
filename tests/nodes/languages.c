/* tests/nodes/languages: motion/tracks (catalogue 30-122), motion/actors (30-125), and articulation variables (30-123).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/track_events.h"
#include "node-test.h"

#include <math.h>

static void
set_text (NodeTest *test, const char *name, const char *slot, const char *text)
{
  g_auto (KgValue) value = kg_value_text (text);
  g_autoptr (GError) error = NULL;

  kg_graph_set_constant (test->graph, kg_graph_find (test->graph, name), slot, &value, &error);
  g_assert_no_error (error);
}

static KgNode *
find (NodeTest *test, const char *name)
{
  return kg_graph_find (test->graph, name);
}

/* A channel of node.motion at a frame. */
static double
read_channel (NodeTest *test, const char *node, const char *channel, double frame)
{
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  double numbers[KG_CHANNEL_MAX_WIDTH];
  const KgChannel *found;

  kg_evaluator_evaluate (test->evaluator, find (test, node), (guint) kg_node_find_slot (find (test, node), "motion"), 0,
                         NULL, &value, &error);
  g_assert_no_error (error);
  found = kg_motion_find (value.motion, channel);
  g_assert_nonnull (found);
  kg_channel_evaluate (found, frame, numbers);
  return numbers[0];
}

/* (transfer full) What node.slot fails with, at the first frame. */
static char *
fail (NodeTest *test, const char *node, const char *slot)
{
  GError *error = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  char *message;

  g_assert_false (kg_evaluator_evaluate (test->evaluator, find (test, node),
                                         (guint) kg_node_find_slot (find (test, node), slot), 0, NULL, &value, &error));
  message = g_strdup (error->message);
  g_error_free (error);
  return message;
}

static void
check (NodeTest *test, const char *node, const char *channel, double frame, double expected)
{
  const double found = read_channel (test, node, channel, frame);

  if (!(fabs (found - expected) <= 1e-9))
    g_error ("%s at %g is %g, not %g", channel, frame, found, expected);
}

/* The figures of 30-122. */
static void
test_tracks (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/tracks", "t", NULL);
  set_text (&test, "t", "text",
            "change position ball to 10 0 0 from frame 11 to frame 21\n"
            "set position ball 0 0 0 at frame 1\n"
            "set rotation ball [Z] to 30 at frame 1   # degrees\n"
            "change rotation ball [Z] by 90 from frame 1 to frame 10\n");
  for (double frame = -5; frame <= 11; frame += 0.5)
    check (&test, "t", "ball.tx", frame, 0);
  check (&test, "t", "ball.tx", 16, 5);
  check (&test, "t", "ball.tx", 21, 10);
  check (&test, "t", "ball.tx", 90, 10);
  check (&test, "t", "ball.rz", 1, 30);
  check (&test, "t", "ball.rz", 4, 60);
  check (&test, "t", "ball.rz", 10, 120);
  check (&test, "t", "ball.rz", 0, 0);
  node_test_clear (&test);
}

/* 30-122: relative changes that overlap add up, lines may come in any order, eases are exact, repetition. */
static void
test_tracks_together (void)
{
  static const char *const lines[] = { "change value v by 10 from frame 0 to frame 10",
                                       "change value v by 6 from frame 4 to frame 10 with ease smooth",
                                       "change value v to 100 from frame 20 to frame 30 with ease in",
                                       "change value v by -4 from frame 25 to frame 40 with ease out",
                                       "set value v to 3 at frame 15",
                                       "set value v by 2 at frame 17" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/tracks", "t", NULL);
  for (guint order = 0; order < G_N_ELEMENTS (lines); order++) {
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
      g_string_append_printf (text, "%s\n", lines[(i * 5 + order) % G_N_ELEMENTS (lines)]);
    set_text (&test, "t", "text", text->str);
    for (double f = -2; f < 45; f += 0.25) {
      const double s = kg_clamp ((f - 4) / 6, 0, 1), in = kg_clamp ((f - 20) / 10, 0, 1),
                   out = kg_clamp ((f - 25) / 15, 0, 1);
      double expected = 10 * kg_clamp (f / 10, 0, 1) + 6 * s * s * (3 - 2 * s);

      if (f >= 15)
        expected = f >= 17 ? 5 : 3;
      if (f >= 20)
        expected += (100 - 5) * in * in;
      expected -= 4 * out * (2 - out);
      check (&test, "t", "v", f, expected);
    }
  }
  set_text (&test, "t", "text",
            "let n = 3\nrepeat n as i\n  repeat 2 as k\n    set position (i) 0 0 0 at frame 1\n  end\nend\n");
  {
    g_autofree char *message = fail (&test, "t", "motion");

    g_assert_nonnull (strstr (message, "line 4, column 18: an object name is expected here"));
  }
  set_text (&test, "t", "text",
            "let n = 3\nlet far = 2 * n\nrepeat n as i\n  change position row to (far * i) -i 0 from frame (10 * i) to "
            "frame (10 * i + 5)\nend\n");
  check (&test, "t", "row.tx", 15, 6);
  check (&test, "t", "row.tx", 22.5, 9);
  check (&test, "t", "row.tx", 99, 18);
  check (&test, "t", "row.ty", 99, -3);
  node_test_clear (&test);
}

/* How much is looked at for statements of one channel: as many as there are, not their square. */
static void
test_tracks_work (void)
{
  const guint n = 100000;
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (TrackEvent));
  g_autoptr (KgChannel) keys = NULL;
  g_autoptr (GError) error = NULL;
  double value[KG_CHANNEL_MAX_WIDTH];
  guint64 work = 0;

  /* One after the other, in no order, by 1 to 3: what is added is known at each end. */
  for (guint i = 0; i < n; i++) {
    const guint k = (guint) ((guint64) i * 7919 % n);
    const TrackEvent event = {
      .is_change = true, .relative = true, .a = k, .b = k + 1, .amount = 1 + k % 3, .ease = TRACK_SMOOTH, .line = i + 1
    };

    g_array_append_val (events, event);
  }
  keys = track_events_to_channel (events, "x", 0, &work, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (work, <=, 2 * n + 2);
  for (guint k = 0; k < n; k += 997) {
    kg_channel_evaluate (keys, k, value);
    g_assert_cmpfloat_with_epsilon (value[0],
                                    2 * (k / 3) * 1.0 + 4 * (k / 3) +
                                        (k % 3 == 0   ? 0
                                         : k % 3 == 1 ? 1
                                                      : 3),
                                    1e-9);
  }
  /* All at once, each ending at a time of its own, is refused before it takes long. */
  for (guint i = 0; i < n; i++) {
    TrackEvent *event = &g_array_index (events, TrackEvent, i);

    event->a = -(double) i;
    event->b = 1 + i;
  }
  work = 0;
  g_assert_null (track_events_to_channel (events, "x", 0, &work, &error));
  g_assert_nonnull (strstr (error->message, "relative changes of x overlap at frame"));
  g_assert_cmpuint (work, <=, TRACK_MAX_WORK + 2 * n);
}

static void
test_tracks_outputs (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) position = KG_VALUE_INIT, angles = KG_VALUE_INIT, scale = KG_VALUE_INIT, place = KG_VALUE_INIT;
  KgVector moved;

  node_test_add (&test, "motion/tracks", "t", "frame", "6", "name", "\"b\"", NULL);
  set_text (&test, "t", "text",
            "change position a to 9 9 9 from frame 1 to frame 2\nset position b 1 2 3 at frame 1\n"
            "change rotation b [Z] to 180 from frame 1 to frame 11\nset scale b 2 2 2 at frame 3\n");
  position = node_test_get (&test, "t.position", 0);
  angles = node_test_get (&test, "t.angles", 0);
  scale = node_test_get (&test, "t.scale", 0);
  place = node_test_get (&test, "t.transform", 0);
  g_assert_cmpfloat (position.vector.y, ==, 2);
  g_assert_cmpfloat_with_epsilon (angles.vector.z, 90, 1e-9);
  g_assert_cmpfloat (scale.vector.x, ==, 2);
  /* Twice as large, a quarter turn, moved. */
  moved = kg_transform_point (*place.transform, kg_vector (1, 0, 0));
  g_assert_cmpfloat_with_epsilon (moved.x, 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (moved.y, 4, 1e-9);
  node_test_clear (&test);
}

/* 30-122: everything that can be wrong names its line. */
static void
test_tracks_bad (void)
{
  static const struct {
    const char *text, *expected;
  } cases[] = {
    { "move ball", "line 1, column 1: a line must begin with set, change, let, repeat or end" },
    { "\n  set colour ball", "line 2, column 7: only position, rotation, scale or value can be set" },
    { "set position", "line 1, column 13: an object name is missing" },
    { "set position 5", "line 1, column 14: an object name is expected here" },
    { "set position b 1 2", "line 1, column 19: a number is missing" },
    { "set position b 1 2 q at frame 1", "line 1, column 20: unknown name \"q\"" },
    { "set position b 1 2 (3 + ) at frame 1", "line 1, column 25: a value is missing" },
    { "set position b 1 2 (3", "line 1, column 20: this bracket is not closed" },
    { "set position b 1 2 3", "line 1, column 21: \"at\" is expected here" },
    { "set position b 1 2 3 at frame 1 2", "line 1, column 33: unexpected \"2\"" },
    { "set rotation b 5 at frame 1", "line 1, column 16: \"[\" is expected here" },
    { "set rotation b [W] to 5 at frame 1", "line 1, column 17: an axis must be X, Y or Z" },
    { "set rotation b [X] 5 at frame 1", "line 1, column 20: \"to\" (a target) or \"by\"" },
    { "change value b 5 from frame 1 to frame 2", "line 1, column 16: \"to\" (a target) or \"by\"" },
    { "change value b to 5 at frame 1", "line 1, column 21: \"from\" is expected here" },
    { "change value b to 5 from frame 1 to frame 2 with ease bounce",
      "line 1, column 55: an ease must be linear, in, out or smooth" },
    { "set value b to (1 / 0) at frame 1", "line 1, column 16: the result is infinite" },
    { "set value b to t at frame 1", "line 1, column 16: the time cannot be used here" },
    { "set value b to (c.x) at frame 1", "line 1, column 17: c.x cannot be read here" },
    { "set value b to 1 at frame 2e9", "frames must be within" },
    { "repeat 2", "line 1, column 1: \"repeat\" without a matching \"end\"" },
    { "end", "line 1, column 1: \"end\" without a matching \"repeat\"" },
    { "repeat 0\nend", "line 1, column 8: 0 repetitions: write a whole number" },
    { "repeat 200000\nrepeat 200000\nend\nend", "more than 2000000 lines" },
    { "let a", "line 1, column 6: \"=\" is expected here" },
    { "set value ball to 1 at frame 1\nset value ball to 2 at frame 1", "lines 1 and 2 both define ball at frame 1" },
    { "change value b to 1 from frame 1 to frame 9\n\nchange value b to 2 from frame 8 to frame 12",
      "lines 1 and 3 both define b at frame 8" },
    { "change value b to 1 from frame 1 to frame 9\nset value b to 5 at frame 4",
      "lines 1 and 2 both define b at frame" },
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/tracks", "t", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *message = NULL;

    set_text (&test, "t", "text", cases[i].text);
    message = fail (&test, "t", "motion");
    g_test_message ("%s -> %s", cases[i].text, message);
    g_assert_nonnull (strstr (message, cases[i].expected));
  }
  /* A change that ends before it starts is a jump, with a warning. */
  set_text (&test, "t", "text", "change value b to 4 from frame 10 to frame 5\n");
  check (&test, "t", "b", 9.99, 0);
  check (&test, "t", "b", 10, 4);
  {
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, find (&test, "t"));

    g_assert_nonnull (warnings[0]);
    g_assert_nonnull (strstr (
        warnings[0], "line 1: the change ends at frame 5, not after its start at frame 10: it is treated as a jump"));
  }
  set_text (&test, "t", "text", "");
  {
    g_auto (KgValue) value = node_test_get (&test, "t.position", 0);

    g_assert_cmpfloat (value.vector.x, ==, 0);
  }
  node_test_clear (&test);
}

#define DOOR                                                                                                           \
  "actor door\n  state angle = 0\n  on open to_angle time\n    change angle to to_angle over time\n  end\n"            \
  "  query is_open = angle > 1\n  query half = angle / 2 + is_open\nend\n"

/* The figures of 30-125. */
static void
test_actors (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/actors", "a", NULL);
  set_text (&test, "a", "text", DOOR "at frame 10 send door open 60 20\n");
  check (&test, "a", "door.angle", 5, 0);
  check (&test, "a", "door.angle", 10, 0);
  check (&test, "a", "door.angle", 20, 30);
  check (&test, "a", "door.angle", 30, 60);
  check (&test, "a", "door.angle", 99, 60);
  /* A second message starts from where the first one came to; the order of the lines does not matter. */
  set_text (&test, "a", "text", "at frame 20 send door open 0 10\n" DOOR);
  set_text (&test, "a", "messages", "at frame 10 send door open 60 20\n");
  check (&test, "a", "door.angle", 20, 30);
  check (&test, "a", "door.angle", 25, 15);
  check (&test, "a", "door.angle", 30, 0);
  set_text (&test, "a", "query", "door.half");
  node_test_set (&test, "a", "frame", "25");
  {
    g_auto (KgValue) answer = node_test_get (&test, "a.answer", 0), log = node_test_get (&test, "a.log", 0);

    g_assert_cmpfloat_with_epsilon (answer.number, 8.5, 1e-9);
    g_assert_cmpstr (log.text, ==, "10 door.open 60 20\n20 door.open 0 10\n");
  }
  node_test_clear (&test);
}

/* 30-125: what is true of one frame does not depend on which frames were asked before, nor on the last one. */
static void
test_actors_order (void)
{
  NodeTest test = node_test_new ();
  double forwards[40];

  node_test_add (&test, "motion/actors", "a", NULL);
  set_text (&test, "a", "text",
            "actor lamp * 5 at (index * 2) 0 0\n  state lit = 0\n  on flash level\n    change lit to level over 3 with "
            "smooth\n    if index < count\n      send next flash (level * 0.5) after 4\n    else\n      send self dim "
            "after 2\n    end\n  end\n  on dim\n    set lit to 0.125\n    send previous dim after 1\n  end\nend\n"
            "at frame 3 send lamp1 flash 1\n");
  for (guint f = 0; f < 40; f++)
    forwards[f] = read_channel (&test, "a", "lamp5.lit", f);
  /* 3 + 4 * 4 = 19: half of a half ... and three frames later it is there; dim comes two frames after. */
  g_assert_cmpfloat (forwards[19], ==, 0);
  g_assert_cmpfloat_with_epsilon (forwards[20], 0.0625 * 7 / 27, 1e-9);
  g_assert_cmpfloat (forwards[21], ==, 0.125);
  check (&test, "a", "lamp1.lit", 24, 1);
  check (&test, "a", "lamp1.lit", 25, 0.125);
  for (guint f = 40; f-- > 0;) {
    g_autofree char *frame = g_strdup_printf ("%u", f);
    g_auto (KgValue) value = KG_VALUE_INIT;
    KgGeometry *points;

    node_test_set (&test, "a", "frame", frame);
    value = node_test_get (&test, "a.geometry", 0);
    points = value.geometry;
    g_assert_cmpuint (kg_geometry_get_n_points (points), ==, 5);
    g_assert_cmpfloat (kg_geometry_get_positions (points)[3 * 4], ==, 10);
    g_assert_cmpfloat (kg_geometry_get_float (points, KG_POINTS, "lit", 1)[4], ==, (float) forwards[f]);
    g_assert_cmpstr (kg_geometry_get_text (points, KG_POINTS, "name", 4), ==, "lamp5");
  }
  /* Another last frame. */
  kg_graph_set_frames (test.graph, (KgFrames){ 1, 22, 24 }, NULL);
  for (guint f = 0; f < 22; f++)
    g_assert_cmpfloat (read_channel (&test, "a", "lamp5.lit", f), ==, forwards[f]);
  node_test_clear (&test);
}

/* 30-125: messages that go round at one time are refused with their chain; chains over time are bounded. */
static void
test_actors_loops (void)
{
  NodeTest test = node_test_new ();
  g_autofree char *loop = NULL, *longer = NULL, *endless = NULL, *query = NULL;
  g_autofree char *row = NULL, *same = NULL, *unknown = NULL;

  node_test_add (&test, "motion/actors", "a", NULL);
  set_text (&test, "a", "text",
            "actor ping\n  on hit\n    send pong hit\n  end\nend\nactor pong\n  on hit\n    send wall hit\n  end\nend\n"
            "actor wall\n  on hit\n    send ping hit\n  end\nend\nat frame 7 send ping hit\n");
  loop = fail (&test, "a", "motion");
  g_assert_cmpstr (
      loop, ==,
      "a: line 13: endless loop of messages at frame 7: ping.hit -> pong.hit -> wall.hit -> ping.hit; delay one of "
      "them (after FRAMES)");
  /* Each time another argument: bounded by their number. */
  set_text (&test, "a", "text",
            "actor ping\n  on hit n\n    send self hit (n + 1)\n  end\nend\nat frame 7 send ping hit 1\n");
  longer = fail (&test, "a", "motion");
  g_assert_nonnull (strstr (longer, "was repeated more than 1000 times, with different arguments each time"));
  g_assert_nonnull (strstr (longer, "ping.hit -> ping.hit"));
  /* However long the way round is, and however many are allowed. */
  set_text (&test, "a", "text",
            "actor row * 30\n  on hit n\n    if index < count\n      send next hit n\n    else\n"
            "      send row1 hit (n + step)\n    end\n  end\nend\nlet step = 1\nat frame 7 send row1 hit 1\n");
  node_test_set (&test, "a", "max_messages", "1000000");
  row = fail (&test, "a", "motion");
  g_assert_nonnull (strstr (row, "more than 1000 times"));
  set_text (&test, "a", "text",
            "actor row * 30\n  on hit n\n    if index < count\n      send next hit n\n    else\n"
            "      send row1 hit (n + step)\n    end\n  end\nend\nlet step = 0\nat frame 7 send row1 hit 1\n");
  same = fail (&test, "a", "motion");
  g_assert_nonnull (strstr (same, "endless loop of messages"));
  node_test_set (&test, "a", "max_messages", "20000");
  /* A long row that passes something on at one frame is not a loop, nor is counting down. */
  set_text (&test, "a", "text",
            "actor row * 20000\n  state n = 0\n  on hit\n    set n to 1\n    send next hit\n  end\nend\n"
            "at frame 7 send row1 hit\n");
  check (&test, "a", "row20000.n", 7, 1);
  set_text (&test, "a", "text",
            "actor ping\n  on hit\n    send self hit after 0.0001\n  end\nend\nat frame 7 send ping hit\n");
  node_test_set (&test, "a", "max_messages", "500");
  endless = fail (&test, "a", "motion");
  g_assert_nonnull (strstr (endless, "more than 500 messages by frame 7.05"));
  node_test_set (&test, "a", "max_messages", "20000");
  /* A clock that ticks on is none of these: it ends with the frames. */
  set_text (&test, "a", "text",
            "actor clock\n  state ticks = 0\n  on tick\n    set ticks by 1\n    send self tick after 5\n  end\nend\n"
            "at frame 1 send clock tick\n");
  check (&test, "a", "clock.ticks", 51, 11);
  /* An answer that ends the chain by a condition. */
  set_text (
      &test, "a", "text",
      "actor c\n  state n = 0\n  on count k\n    set n by 1\n    if k > 1\n      send self count (k - 1)\n    end\n"
      "  end\nend\nat frame 1 send c count 900\n");
  check (&test, "a", "c.n", 1, 900);
  set_text (&test, "a", "text", "actor q\n  query a = b\n  query b = a\nend\n");
  set_text (&test, "a", "query", "q.a");
  query = fail (&test, "a", "answer");
  g_assert_nonnull (strstr (query, "depends on itself"));
  g_assert_null (strstr (query, "unknown name"));
  g_assert_cmpuint (strlen (query), <, 200);
  set_text (&test, "a", "text", "actor q\n  query a = b\n  query b = 2 * d.c\nend\n");
  unknown = fail (&test, "a", "answer");
  g_assert_nonnull (strstr (unknown, "line 3, column 17: unknown actor \"d\""));
  node_test_clear (&test);
}

/* States that only some actors have: the points of the others are not black, nor without a size, and what is 0 is reported. */
static void
test_actors_attributes (void)
{
  NodeTest test = node_test_new ();
  g_auto (GStrv) warnings = NULL;
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *width, *color, *level, *tangent, *x;

  node_test_add (&test, "motion/actors", "a", NULL);
  set_text (&test, "a", "text",
            "actor lamp * 2\n  state level = 0.5\n  state width = 3\n  state r = 0.25\n  state g = 0.25\n"
            "  state b = 0.25\nend\nactor door\n  state turn = 90\n  state x = 2\nend\n");
  value = node_test_get (&test, "a.geometry", 0);
  width = kg_geometry_get_float (value.geometry, KG_POINTS, "width", 1);
  color = kg_geometry_get_float (value.geometry, KG_POINTS, "Cd", 3);
  level = kg_geometry_get_float (value.geometry, KG_POINTS, "level", 1);
  tangent = kg_geometry_get_float (value.geometry, KG_POINTS, "tangent", 3);
  x = kg_geometry_get_positions (value.geometry);
  g_assert_cmpfloat (width[1], ==, 3);
  g_assert_cmpfloat (width[2], ==, 1);
  g_assert_cmpfloat (color[3], ==, 0.25f);
  for (guint c = 0; c < 3; c++)
    g_assert_cmpfloat (color[6 + c], ==, 1);
  g_assert_cmpfloat (level[2], ==, 0);
  g_assert_cmpfloat (tangent[0], ==, 1);
  g_assert_cmpfloat (tangent[7], ==, 1);
  g_assert_cmpfloat (x[3], ==, 0);
  g_assert_cmpfloat (x[6], ==, 2);
  warnings = kg_evaluator_dup_warnings (test.evaluator, find (&test, "a"));
  g_assert_cmpuint (g_strv_length (warnings), ==, 1);
  g_assert_nonnull (strstr (warnings[0], "the attribute level of the points is 0 for actors that have no such state"));
  node_test_clear (&test);
}

static void
test_actors_being_made (void)
{
  static const char *const texts[] = {
    "actor d\nstate b = 1\nstate a = self.b\nend\n",
    "actor d\nstate b = 1\nstate a = d.b\nend\n",
    "actor d at self.b 0 0\nstate b = 1\nend\n",
    "actor d\nstate b = 1\nquery q = b\nstate a = self.q\nend\n",
  };
  g_autoptr (GString) doubling = g_string_new ("actor d\nstate s = 1\n");
  NodeTest test = node_test_new ();
  g_autofree char *message = NULL;

  node_test_add (&test, "motion/actors", "a", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *text = NULL;

    set_text (&test, "a", "text", texts[i]);
    text = fail (&test, "a", "motion");
    g_assert_nonnull (strstr (text, "while d is still being created"));
  }
  /* Nobody is next to the last. */
  set_text (&test, "a", "text", "actor d * 3\nstate a = next.a\nend\n");
  g_assert_cmpfloat (node_test_number (&test, "a.delivered", 0), ==, 0);
  for (guint i = 0; i < 40; i++)
    g_string_append_printf (doubling, "query a%u = a%u + b%u\nquery b%u = a%u - b%u\n", i, i + 1, i + 1, i, i + 1,
                            i + 1);
  g_string_append (doubling, "query a40 = s\nquery b40 = s\nend\n");
  set_text (&test, "a", "text", doubling->str);
  set_text (&test, "a", "query", "d.a0");
  message = fail (&test, "a", "answer");
  g_assert_nonnull (message);
  node_test_clear (&test);
}

static void
test_actors_bad (void)
{
  static const struct {
    const char *text, *expected;
  } cases[] = {
    { "actor", "line 1, column 6: an actor name is missing" },
    { "actor a", "line 1, column 1: the \"end\" of the actor a is missing" },
    { "actor a\nend\nactor a\nend", "line 3, column 7: an actor called \"a\" already exists" },
    { "actor a * 2\nend\nactor a1\nend", "two actors are called \"a1\"" },
    { "actor a * 0\nend", "line 1, column 11: 0 actors" },
    { "actor a * 1e6\nend", "line 1, column 11: 1e+06 actors" },
    { "actor a at 1 2\nend", "line 1, column 15: a position of three numbers is missing" },
    { "actor a\n  frob\nend", "line 2, column 3: a line of an actor must begin with state, on, query or end" },
    { "actor a\n  state x\nend", "line 2, column 10: \"=\" is expected here" },
    { "actor a\n  state x = 1 +\nend", "line 2, column 16: " },
    { "actor a\n  state x = 1\n  state x = 2\nend", "line 3, column 9: \"x\" is already defined" },
    { "actor a\n  state P = 1\nend", "a state cannot be called P" },
    { "actor a\n  on m\n    frob\n  end\nend", "line 3, column 5: a line of a method must begin with" },
    { "actor a\n  on m\n    set x to 1\n", "line 2, column " },
    { "actor a\n  on m\n    set x to 1\n  end\nend\nat frame 1 send a m", "line 3, column 9: a has no state \"x\"" },
    { "actor a\n  state x = 0\n  on m\n    set x to y\n  end\nend\nat frame 1 send a m",
      "line 4, column 14: unknown name \"y\"" },
    { "actor a\n  state x = 0\n  on m\n    change x to 5 over -1\n  end\nend\nat frame 1 send a m", "over -1 frames" },
    { "actor a\n  on m k\n  end\nend\nat frame 1 send a m", "line 5: a.m takes 1 arguments, but 0 are sent" },
    { "actor a\nend\nat frame 1 send a m after -1", "line 3, column 27: -1 frames: a message cannot arrive before" },
    { "actor a\nend\nat 1 send a m", "line 3, column 4: \"frame\" is expected here" },
    { "frob", "line 1, column 1: a line must begin with actor, at frame or let" },
  };
  NodeTest test = node_test_new ();
  g_auto (GStrv) warnings = NULL;

  node_test_add (&test, "motion/actors", "a", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *message = NULL;

    set_text (&test, "a", "text", cases[i].text);
    message = fail (&test, "a", "motion");
    g_test_message ("%s -> %s", cases[i].text, message);
    g_assert_nonnull (strstr (message, cases[i].expected));
  }
  /* Unknown actors and methods are reported with their time, and the rest continues. */
  set_text (&test, "a", "text",
            DOOR "at frame 3 send window open 1 2\nat frame 4 send door shut\nat frame 5 send door open 8 1\n");
  check (&test, "a", "door.angle", 6, 8);
  warnings = kg_evaluator_dup_warnings (test.evaluator, find (&test, "a"));
  g_assert_cmpuint (g_strv_length (warnings), ==, 2);
  g_assert_nonnull (strstr (warnings[0], "frame 3: unknown actor \"window\""));
  g_assert_nonnull (strstr (warnings[1], "frame 4: door has no method \"shut\""));
  set_text (&test, "a", "query", "door.colour");
  {
    g_autofree char *message = fail (&test, "a", "answer");

    g_assert_nonnull (strstr (message, "query: door has no state or query \"colour\""));
  }
  set_text (&test, "a", "query", "");
  set_text (&test, "a", "text", "");
  {
    g_auto (KgValue) value = node_test_get (&test, "a.geometry", 0);

    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 0);
  }
  node_test_clear (&test);
}

/* Texts that are neither scripts nor actors. */
static void
test_rubbish (void)
{
  static const char *const words[] = {
    "actor ",  "a ",      "end\n",  "state ", "x ",     "= ",     "1 ",        "on ", "m ",       "\n", "\n",  "set ",
    "to ",     "send ",   "after ", "at ",    "frame ", "( ",     ") ",        "[ ",  "X ",       "] ", "by ", "from ",
    "change ", "repeat ", "let ",   "if ",    "else\n", "value ", "position ", "# ",  "\xc3\xa4", "-",  "*",   "query "
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/tracks", "t", NULL);
  node_test_add (&test, "motion/actors", "a", NULL);
  for (guint32 seed = 0; seed < 4000; seed++) {
    GRand *random = g_rand_new_with_seed (seed);
    g_autoptr (GString) text = g_string_new (NULL);

    for (gint32 n = g_rand_int_range (random, 1, 30); n > 0; n--)
      g_string_append (text, words[g_rand_int_range (random, 0, (gint32) G_N_ELEMENTS (words))]);
    for (guint i = 0; i < 2; i++) {
      const char *name = i == 0 ? "t" : "a";
      g_autoptr (GError) error = NULL;
      g_auto (KgValue) value = KG_VALUE_INIT;

      set_text (&test, name, "text", text->str);
      if (!kg_evaluator_evaluate (test.evaluator, find (&test, name),
                                  (guint) kg_node_find_slot (find (&test, name), "motion"), 0, NULL, &value, &error))
        g_assert_cmpuint (strlen (error->message), >, 5);
    }
    g_rand_free (random);
  }
  node_test_clear (&test);
}

/* 30-123, 30-110: a variable is a function of time that its readers share: two readers in one frame call it once,
 * at its keys it is exactly the key, and a name that is not there, or a circle, is reported. */
static void
test_articulation (void)
{
  NodeTest test = node_test_new ();
  g_autoptr (GError) error = NULL;
  KgNode *avar = node_test_add (
      &test, "value/number", "elbow", "value",
      "{\"keys\": [[1, 0.1], {\"frame\": 7, \"value\": 33.3, \"interpolation\": \"bezier\"}, [20, -4.7]]}", NULL);
  static const double frames[] = { 1, 7, 20 }, keys[] = { 0.1, 33.3, -4.7 };

  node_test_add (&test, "value/math", "arm", "a", "{\"expr\": \"elbow.value\"}", "b",
                 "{\"expr\": \"2 * elbow.output\"}", NULL);
  node_test_add (&test, "value/math", "sleeve", "a", "{\"link\": \"elbow.output\"}", NULL);
  node_test_add (&test, "value/math", "both", "a", "{\"link\": \"arm.result\"}", "b", "{\"link\": \"sleeve.result\"}",
                 NULL);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT, sum = KG_VALUE_INIT;
    KgNodeStats before, after;

    kg_evaluator_get_stats (test.evaluator, avar, &before);
    kg_evaluator_evaluate (test.evaluator, find (&test, "both"),
                           (guint) kg_node_find_slot (find (&test, "both"), "result"),
                           kg_graph_frame_to_time (test.graph, frames[i]), NULL, &sum, &error);
    g_assert_no_error (error);
    kg_evaluator_get_stats (test.evaluator, avar, &after);
    g_assert_cmpuint (after.evaluations - before.evaluations, ==, 1);
    kg_evaluator_evaluate (test.evaluator, avar, (guint) kg_node_find_slot (avar, "output"),
                           kg_graph_frame_to_time (test.graph, frames[i]), NULL, &value, &error);
    g_assert_no_error (error);
    g_assert_cmpfloat (value.number, ==, keys[i]);
    kg_evaluator_get_stats (test.evaluator, avar, &after);
    g_assert_cmpuint (after.evaluations - before.evaluations, ==, 1);
  }
  /* Unbound, and bound in a circle. */
  kg_graph_set_expression (test.graph, find (&test, "sleeve"), "b", "shoulder.value", &error);
  g_assert_no_error (error);
  {
    g_autofree char *message = fail (&test, "sleeve", "result");

    g_assert_nonnull (strstr (message, "shoulder"));
  }
  g_assert_false (kg_graph_set_expression (test.graph, avar, "value", "both.result + 1", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_CYCLE);
  g_assert_nonnull (strstr (error->message, "both"));
  g_assert_nonnull (strstr (error->message, "elbow"));
  node_test_clear (&test);
}

#define HALF(version, input)                                                                                           \
  "{\"kineograph_preset\": 1, \"id\": \"mine/half\", \"version\": " #version ", \"title\": \"Half\", \"graph\": "      \
  "{\"nodes\": {\"n\": {\"type\": \"value/number\"}}}, \"interface\": {\"inputs\": {\"" input                          \
  "\": {\"drives\": [\"n.value\"]}}, \"outputs\": {\"y\": {\"from\": \"n.output\"}}}}"

static void
run_script (KgGraph *graph, const char *text)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgScript) script = kg_script_parse (text, -1, problems);
  g_autofree char *messages = NULL;

  if (script != NULL)
    kg_script_run (script, graph, NULL, KG_SCRIPT_STOP, NULL, problems);
  messages = kg_problems_to_text (problems, "s");
  g_assert_cmpstr (messages, ==, "");
}

/* 30-121: what is done with instances of presets is recorded too: private copies, matching, newer definitions. */
static void
test_record_presets (void)
{
  NodeTest test = node_test_new ();
  g_autoptr (KgRecorder) recorder = kg_recorder_new (test.graph, G_MAXSIZE);
  g_autoptr (KgGraph) again = kg_graph_new (test.types);
  g_autofree char *expected = NULL, *script = NULL, *found = NULL;

  run_script (test.graph,
              "preset " HALF (1, "x") "\nadd mine/half h\nadd mine/half k at 5 6\nset h.x 7\nset k.x 8\n"
                                      "add value/math m\nlink h.y m.a\nunlock k\nadd value/number k/extra\n");
  run_script (test.graph, "upgrade " HALF (2, "whole") "\nmatch k\ntransaction\n  unlock h\n  undo\nend\n");
  kg_graph_undo (test.graph);
  kg_graph_redo (test.graph);
  expected = kg_graph_to_text (test.graph);
  g_assert_nonnull (strstr (expected, "\"aside\""));
  script = kg_recorder_dup_script (recorder);
  run_script (again, script);
  found = kg_graph_to_text (again);
  g_assert_cmpstr (found, ==, expected);
  g_clear_pointer (&recorder, kg_recorder_free);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tracks/30-122-figures", test_tracks);
  g_test_add_func ("/tracks/30-122-together", test_tracks_together);
  g_test_add_func ("/tracks/work", test_tracks_work);
  g_test_add_func ("/tracks/outputs", test_tracks_outputs);
  g_test_add_func ("/tracks/30-122-bad", test_tracks_bad);
  g_test_add_func ("/actors/30-125-figures", test_actors);
  g_test_add_func ("/actors/30-125-order", test_actors_order);
  g_test_add_func ("/actors/30-125-loops", test_actors_loops);
  g_test_add_func ("/actors/attributes", test_actors_attributes);
  g_test_add_func ("/actors/being-made", test_actors_being_made);
  g_test_add_func ("/actors/bad", test_actors_bad);
  g_test_add_func ("/languages/rubbish", test_rubbish);
  g_test_add_func ("/articulation/30-110-123-variables", test_articulation);
  g_test_add_func ("/script/30-121-record-presets", test_record_presets);
  return g_test_run ();
}

/* tests/nodes/agents: agents, plans and routes as nodes: what they read, what they refuse, what they keep.
 * The numbers in names are those of the catalogue of techniques.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-floats.h"
#include "node-test.h"

#include <string.h>

static KgVector
get_point (NodeTest *test, const char *target, size_t point, double time)
{
  g_auto (KgValue) value = node_test_get (test, target, time);
  const float *p = kg_geometry_get_positions (value.geometry) + 3 * point;

  g_assert_cmpuint (point, <, kg_geometry_get_n_points (value.geometry));
  return kg_vector ((double) p[0], (double) p[1], (double) p[2]);
}

/* 55-65, 55-72: frames are the same in any order; what agents do is shown in words. */
static void
test_sheep (void)
{
  NodeTest test = node_test_open_example ("sheep_and_dog.json"), other = node_test_open_example ("sheep_and_dog.json");
  g_auto (KgValue) late = node_test_get (&test, "sheep.geometry", 2.5);
  bool flees = false, eats = false;

  for (double time = 2.5; time > 0; time -= 0.5) {
    const KgVector one = get_point (&test, "sheep.geometry", 3, time),
                   two = get_point (&other, "sheep.geometry", 3, time);

    g_assert_true (memcmp (&one, &two, sizeof one) == 0);
  }
  for (size_t i = 0; i < kg_geometry_get_n_points (late.geometry); i++) {
    const char *doing = kg_geometry_get_text (late.geometry, KG_POINTS, "doing", i);

    flees = flees || g_strcmp0 (doing, "flee") == 0;
    eats = eats || g_strcmp0 (doing, "eat") == 0;
  }
  g_assert_true (flees && eats);
  g_assert_nonnull (kg_geometry_get_float (late.geometry, KG_POINTS, "hunger", 1));
  g_assert_nonnull (kg_geometry_get_float (late.geometry, KG_POINTS, "want_eat", 1));
  node_test_clear (&test);
  node_test_clear (&other);
}

/* 55-78: all find the way out, none through a wall. */
static void
test_room (void)
{
  NodeTest test = node_test_open_example ("leaving_a_room.json");

  assert_near (node_test_number (&test, "crowd.count", 0), 60, 0);
  assert_near (node_test_number (&test, "crowd.lost", 2), 0, 0);
  for (double time = 0; time < 5; time += 0.5) {
    g_auto (KgValue) value = node_test_get (&test, "crowd.geometry", time);
    const float *p = kg_geometry_get_positions (value.geometry);

    for (size_t i = 0; i < kg_geometry_get_n_points (value.geometry); i++) {
      g_assert_cmpfloat ((double) fabsf (p[3 * i + 2]), <, 4);
      /* In the wall with the door only in the door. */
      if (fabsf (p[3 * i] - 5) < 0.15f)
        g_assert_cmpfloat ((double) fabsf (p[3 * i + 2]), <, 0.75);
    }
  }
  node_test_set (&test, "crowd", "max_speed", "6");
  g_assert_cmpfloat (node_test_number (&test, "crowd.count", 10), <, 20);
  node_test_clear (&test);
}

/* 55-66: on its lane each car keeps its distance. */
static void
test_highway (void)
{
  NodeTest test = node_test_open_example ("highway.json");

  for (double time = 1; time < 5; time++) {
    g_auto (KgValue) value = node_test_get (&test, "traffic.geometry", time);
    const size_t n = kg_geometry_get_n_points (value.geometry);

    for (size_t i = 0; i < n; i++) {
      const KgVector a = get_point (&test, "traffic.geometry", i, time);
      const int32_t lane = kg_geometry_get_int (value.geometry, KG_POINTS, "lane", 1)[i];

      assert_near (hypot (a.x, a.z), 14 + 3.5 * lane, 0.5);
      for (size_t j = 0; j < i; j++)
        g_assert_cmpfloat (kg_vector_distance (a, get_point (&test, "traffic.geometry", j, time)), >, 3);
    }
  }
  node_test_clear (&test);
}

/* No two birds have one perch. */
static void
test_birds (void)
{
  NodeTest test = node_test_open_example ("birds_on_a_wire.json");
  bool sits = false;

  for (double time = 2; time < 5; time += 0.5) {
    g_auto (KgValue) value = node_test_get (&test, "birds.geometry", time);
    const int32_t *claims = kg_geometry_get_int (value.geometry, KG_POINTS, "claims", 1);

    for (size_t i = 0; i < kg_geometry_get_n_points (value.geometry); i++) {
      sits = sits || g_strcmp0 (kg_geometry_get_text (value.geometry, KG_POINTS, "state_name", i), "sit") == 0;
      for (size_t j = 0; j < i; j++)
        g_assert_true (claims[i] < 0 || claims[i] != claims[j]);
    }
  }
  g_assert_true (sits);
  node_test_clear (&test);
}

/* 55-68: each hound runs to where it believes the hare to be: now, 0.8 s ago, or at the last look; frames are the same in any
 * order. */
static void
test_late_eyes (void)
{
  NodeTest test = node_test_open_example ("agents_late_eyes.json"),
           other = node_test_open_example ("agents_late_eyes.json");
  double along[3][2] = { { 0 } };
  int n = 0;

  for (double time = 84.0 / 24; time > 1.5; time -= 1.0 / 24, n++) {
    g_auto (KgValue) hounds = node_test_get (&test, "hounds.geometry", time);
    const KgVector now = get_point (&test, "hare.set", 0, time), then = get_point (&test, "hare.set", 0, time - 0.8);

    for (size_t i = 0; i < 3; i++) {
      const KgVector p = get_point (&test, "hounds.geometry", i, time);
      const KgVector v = kg_vector_normalize_or (
          kg_floats_get_vector (kg_geometry_get_float (hounds.geometry, KG_POINTS, "v", 3), i), kg_vector (0, 0, 0));

      along[i][0] += kg_vector_dot (v, kg_vector_normalize_or (kg_vector_subtract (now, p), v));
      along[i][1] += kg_vector_dot (v, kg_vector_normalize_or (kg_vector_subtract (then, p), v));
    }
  }
  g_assert_cmpfloat (along[0][0] / n, >, 0.97);
  g_assert_cmpfloat (along[1][1] / n, >, 0.97);
  for (int i = 1; i < 3; i++)
    g_assert_cmpfloat (along[i][0] / n, <, 0.93);
  for (double time = 0; time < 4; time += 0.5)
    for (size_t i = 0; i < 3; i++) {
      const KgVector one = get_point (&test, "hounds.geometry", i, time),
                     two = get_point (&other, "hounds.geometry", i, time);

      g_assert_true (memcmp (&one, &two, sizeof one) == 0);
    }
  node_test_clear (&test);
  node_test_clear (&other);
}

/* Ants bring food home: it becomes less, and there is a trail. */
static void
test_ants (void)
{
  NodeTest test = node_test_open_example ("ants_with_a_trail.json");
  g_auto (KgValue) food = node_test_get (&test, "ants.things_now", 4.5),
                   scents = node_test_get (&test, "ants.scents", 4.5);
  const float *amount = kg_geometry_get_float (food.geometry, KG_POINTS, "amount", 1),
              *trail = kg_geometry_get_float (scents.geometry, KG_POINTS, "trail", 1);
  double left = 0, most = 0;

  for (size_t i = 0; i < kg_geometry_get_n_points (food.geometry); i++)
    left += (double) amount[i];
  for (size_t i = 0; i < kg_geometry_get_n_points (scents.geometry); i++) {
    g_assert_cmpfloat ((double) trail[i], >=, 0);
    most = fmax (most, (double) trail[i]);
  }
  g_assert_cmpfloat (left, <, 21);
  g_assert_cmpfloat (most, >, 0.1);
  node_test_clear (&test);
}

/* 55-72, 55-73: while an order or an imperative has the body a plan rests: what these arrive at does not finish its actions, and
 * the log names the motor that runs.  Then it goes on. */
static void
test_plan_rests (void)
{
  static const char *const programs[] = {
    "\"trait there = 0\\naction go makes there = 1 do arrive (3, 0, 0)\\nbehaviour work value 0.5 when there == 0 do plan "
    "there\\nbehaviour idle value 0.1 do wait\"",
    "\"trait there = 0\\naction go makes there = 1 do arrive (3, 0, 0)\\nbehaviour work value 0.5 when there == 0 do plan "
    "there\\nbehaviour halt class imperative when time > 0.4 and time < 1 do wait\\nbehaviour idle value 0.1 do wait\"",
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "spots", "points", "2", "start", "[0, 0, 0]", "end", "[0, 0, 9]", NULL);
  node_test_add (&test, "sim/agents", "one", "agents", "{\"link\": \"spots.geometry\"}", "max_speed", "2", NULL);
  for (guint k = 0; k < G_N_ELEMENTS (programs); k++) {
    bool worked = false, rested = false, there = false;

    node_test_set (&test, "one", "program", programs[k]);
    node_test_set (&test, "one", "orders", k == 0 ? "\"at 11 agent 0 do wait for 14\"" : "\"\"");
    for (int frame = 2; frame <= 96; frame++) {
      g_auto (KgValue) value = node_test_get (&test, "one.geometry", (frame - 1) / 24.0),
                       log = node_test_get (&test, "one.log", (frame - 1) / 24.0);
      const char *doing = kg_geometry_get_text (value.geometry, KG_POINTS, "doing", 0);
      const char *motor = kg_geometry_get_text (value.geometry, KG_POINTS, "motor", 0);
      const float x = kg_geometry_get_positions (value.geometry)[0];
      const bool done = kg_geometry_get_float (value.geometry, KG_POINTS, "there", 1)[0] > 0;

      /* It is there when it is there, and not before. */
      g_assert_true (!done || x > 2);
      there = there || done;
      if (g_strcmp0 (doing, "work") == 0 && !done) {
        worked = true;
        g_assert_cmpstr (motor, ==, "arrive (3, 0, 0)");
      } else if (!done) {
        rested = true;
        g_assert_cmpstr (motor, ==, "wait");
        g_assert_nonnull (strstr (log.text, "motor wait"));
      }
    }
    g_assert_true (worked && rested && there);
  }
  node_test_clear (&test);
}

/* 55-72: motors are done in their order: what is carried is let go where the way ends, not where it begins. */
static void
test_carry_and_drop (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/line", "spots", "points", "2", "start", "[0, 0, 0]", "end", "[0, 0, 60]", NULL);
  node_test_add (&test, "geometry/line", "crates", "points", "2", "start", "[2, 0, 0]", "end", "[2, 0, 60]", NULL);
  node_test_add (&test, "geometry/attribute", "things", "geometry", "{\"link\": \"crates.geometry\"}", "name",
                 "\"kind\"", "kind", "\"text\"", "text", "\"crate\"", NULL);
  node_test_add (
      &test, "sim/agents", "one", "agents", "{\"link\": \"spots.geometry\"}", "things", "{\"link\": \"things.set\"}",
      "sense", "\"all\"", "max_speed", "4", "program",
      "\"trait has = 0\\ntrait brought = 0\\naction fetch makes has = 1 do goto nearest crate and take nearest "
      "crate\\naction bring needs has makes brought = 1 do goto (6, 0, 0) and drop\\nbehaviour work when brought == "
      "0 do plan brought\"",
      NULL);
  g_assert_cmpfloat (get_point (&test, "one.things_now", 0, 0).x, ==, 2);
  assert_near (get_point (&test, "one.things_now", 0, 5).x, 6, 0.6);
  {
    g_auto (KgValue) value = node_test_get (&test, "one.geometry", 5);

    g_assert_cmpfloat (kg_geometry_get_float (value.geometry, KG_POINTS, "brought", 1)[0], ==, 1);
  }
  node_test_clear (&test);
}

/* 55-77: the same plan by itself and in an agent. */
static void
test_plan (void)
{
  NodeTest test = node_test_open_example ("key_and_door.json");
  g_auto (KgValue) plan = node_test_get (&test, "plan.plan", 0), log = node_test_get (&test, "robot.log", 1);

  g_assert_cmpstr (plan.text, ==, "fetch\nunlock\ngo");
  assert_near (node_test_number (&test, "plan.cost", 0), 3, 0);
  g_assert_nonnull (strstr (log.text, "strategy escape plan *fetch > unlock > go motor goto nearest key"));
  node_test_set (&test, "plan", "goal", "\"is_out and not is_open\"");
  assert_near (node_test_number (&test, "plan.found", 0), 0, 0);
  node_test_set (&test, "plan", "goal", "\"is_out and\"");
  node_test_fails (&test, "plan.plan", KG_ERROR_EXPRESSION);
  node_test_clear (&test);
}

/* 55-78: straight where nothing is in the way, round a wall, and nowhere out of a closed room. */
static void
test_route (void)
{
  NodeTest test = node_test_new ();
  KgVector out;

  node_test_add (&test, "geometry/box", "wall", "size", "[0.2, 2, 4]", NULL);
  node_test_add (&test, "curve/route", "n", NULL);
  assert_near (node_test_number (&test, "n.length", 0), 4, 0.05);
  node_test_set (&test, "n", "obstacles", "{\"link\": \"wall.geometry\"}");
  /* Round the end: 0.1 + 0.3 m beside it, and 2 + 0.3 m along it. */
  g_assert_cmpfloat (node_test_number (&test, "n.length", 0), >, 2 * hypot (1.6, 2.3) + 0.8 - 0.05);
  g_assert_cmpfloat (node_test_number (&test, "n.length", 0), <, 2 * hypot (1.6, 2.3) + 0.8 + 0.8);
  /* In the wall, to the left of its middle: out on the left, at the edge of what it keeps clear, and only then on. */
  node_test_set (&test, "n", "start", "[-0.05, 0, 0]");
  node_test_warns (&test, "n.route", "the start is blocked: the route leaves by the nearest way out, after 0.");
  out = get_point (&test, "n.route", 1, 0);
  g_assert_cmpfloat (out.x, <, -0.4);
  g_assert_cmpfloat (out.x, >, -0.8);
  assert_near (out.z, 0, 0.25);
  node_test_set (&test, "n", "start", "[-2, 0, 0]");
  node_test_set (&test, "n", "goal", "[0.05, 0, 0]");
  node_test_warns (&test, "n.route", "the goal is blocked: the route enters by the nearest way in");
  node_test_set (&test, "n", "goal", "[2, 0, 0]");
  node_test_set (&test, "n", "margin", "0");
  assert_near (node_test_number (&test, "n.found", 0), 0, 0);
  /* Tens of thousands of cells in a row are one segment, and soon found. */
  node_test_add (&test, "curve/route", "far", "goal", "[20000, 0, 0]", NULL);
  assert_near (node_test_number (&test, "far.length", 0), 20002, 0.01);
  node_test_set (&test, "far", "goal", "[1e300, 0, 0]");
  node_test_fails_saying (&test, "far.length", 0, "a grid of 1000000000000000×");
  node_test_clear (&test);
}

/* 55-78: on a slope agents stand on the ground; a way over it is as long as it is, and none is steeper than allowed. */
static void
test_ground (void)
{
  NodeTest test = node_test_new ();
  KgVector at;

  node_test_add (&test, "geometry/grid", "flat", "size", "[20, 20, 0]", "plane", "\"zx\"", NULL);
  node_test_add (&test, "geometry/transform", "hill", "geometry", "{\"link\": \"flat.geometry\"}", "rotate",
                 "[0, 0, 30]", NULL);
  node_test_add (&test, "geometry/grid", "g", "size", "[8, 8, 0]", "columns", "1", "rows", "1", "plane", "\"zx\"",
                 NULL);
  node_test_add (&test, "sim/agents", "n", "agents", "{\"link\": \"g.geometry\"}", "ground",
                 "{\"link\": \"hill.transformed\"}", "program", "\"behaviour b do goto (3, 0, 0)\"", NULL);
  at = get_point (&test, "n.geometry", 0, 2);
  assert_near (at.y, at.x * tan (KG_PI / 6), 1e-4);
  g_assert_cmpfloat (kg_vector_distance (at, get_point (&test, "n.geometry", 0, 0)), >, 1);
  assert_near (node_test_number (&test, "n.lost", 2), 0, 0);
  node_test_add (&test, "curve/route", "way", "ground", "{\"link\": \"hill.transformed\"}", "start", "[-4, -2.309, 0]",
                 "goal", "[4, 2.309, 0]", NULL);
  assert_near (node_test_number (&test, "way.length", 0), 8 / cos (KG_PI / 6), 0.3);
  /* Also where start and goal are typed at another height. */
  node_test_set (&test, "way", "start", "[-4, 0, 0]");
  node_test_set (&test, "way", "goal", "[4, 0, 0]");
  for (size_t i = 0; i < 5; i++) {
    at = get_point (&test, "way.route", i, 0);
    assert_near (at.y, at.x * tan (KG_PI / 6), 1e-4);
  }
  assert_near (node_test_number (&test, "way.length", 0), 8 / cos (KG_PI / 6), 0.3);
  node_test_set (&test, "way", "max_slope", "20");
  assert_near (node_test_number (&test, "way.found", 0), 0, 0);
  node_test_set (&test, "n", "max_slope", "5");
  g_assert_cmpfloat (node_test_number (&test, "n.lost", 2), >, 0);
  node_test_clear (&test);
}

/* What cannot be is said, and crashes nothing. */
/* What costs nothing does not tell plans apart. */
static void
test_costless (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/plan", "n", "actions", "\"trait a = 0\\naction go makes a = 1 cost 0 do wait\"", "goal",
                 "\"a == 1\"", NULL);
  node_test_warns (&test, "n.plan", "the action go costs 0");
  node_test_clear (&test);
}

static void
test_bad (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/grid", "g", NULL);
  node_test_add (&test, "sim/agents", "n", "agents", "{\"link\": \"g.geometry\"}", NULL);
  node_test_set (&test, "n", "program", "\"rule if\"");
  node_test_fails (&test, "n.geometry", KG_ERROR_EXPRESSION);
  node_test_set (&test, "n", "program", "\"behaviour b do wander with speed nobody\"");
  node_test_fails (&test, "n.geometry", KG_ERROR_EXPRESSION);
  node_test_set (&test, "n", "program",
                 "\"trait a = 1 / 0\\nbehaviour b value 1 / (a - a) do seek (1 / 0, log (0), 0)\"");
  get_point (&test, "n.geometry", 0, 1);
  node_test_warns_at (&test, "n.geometry", 1, "is not a finite number for agent 0");
  node_test_set (&test, "n", "program", "\"behaviour b do wander with speed 0.5 - 2\"");
  node_test_warns_at (&test, "n.geometry", 1, "the speed \"0.5 - 2\" is -1.5 for agent 0");
  node_test_set (&test, "n", "program", "\"behaviour b do seek nearest nobody\"");
  node_test_warns_at (&test, "n.geometry", 1, "the kind nobody");
  node_test_set (&test, "n", "program", "\"behaviour b do seek thing 3\"");
  node_test_warns_at (&test, "n.geometry", 1, "there are 0 things");
  node_test_set (&test, "n", "program",
                 "\"trait a = 0\\naction go makes a = 1 cost -2 do wait\\nbehaviour b do plan a == 1\"");
  node_test_warns_at (&test, "n.geometry", 1 / 24.0, "the action go costs -2");
  node_test_set (&test, "n", "program", "\"\"");
  /* 55-71: a fact that an order misspells. */
  node_test_set (&test, "n", "program", "\"trait hunger = 0\\nbehaviour eats when hunger > 1 do wait\"");
  node_test_set (&test, "n", "orders", "\"at 3 agent 0 set hungr = 2\"");
  node_test_warns (&test, "n.geometry", "orders, line 1: the program does not mention hungr: did you mean \"hunger\"?");
  node_test_set (&test, "n", "orders", "\"at 3 agent 0 set zzzz = 2\"");
  node_test_warns (&test, "n.geometry",
                   "the program does not mention zzzz: correct the name, or add the line \"trait zzzz = 0\"");
  node_test_set (&test, "n", "orders", "\"at 3 agent 0 set hunger = 2\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "n.geometry", 0);
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "n"));

    g_assert_true (warnings == NULL || g_strv_length (warnings) == 0);
  }
  node_test_set (&test, "n", "program", "\"\"");
  node_test_set (&test, "n", "orders", "\"at 3 agent 99999 do wander\"");
  node_test_warns_at (&test, "n.geometry", 1, "there is no agent 99999");
  node_test_set (&test, "n", "orders", "\"\"");
  get_point (&test, "n.geometry", 0, 1);
  /* A dial that is keyed directs it. */
  node_test_set (&test, "n", "collide", "false");
  node_test_set (&test, "n", "look_ahead", "0");
  node_test_set (&test, "n", "program", "\"behaviour b when dial1 do seek (100, 0, 0)\"");
  assert_near (get_point (&test, "n.geometry", 0, 1).x, get_point (&test, "n.geometry", 0, 0).x, 0);
  node_test_set (&test, "n", "dial1", "1");
  g_assert_cmpfloat (get_point (&test, "n.geometry", 0, 1).x, >, get_point (&test, "n.geometry", 0, 0).x + 1);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/agents/55-65-55-72-sheep", test_sheep);
  g_test_add_func ("/agents/55-78-room", test_room);
  g_test_add_func ("/agents/55-66-highway", test_highway);
  g_test_add_func ("/agents/55-76-birds", test_birds);
  g_test_add_func ("/agents/55-68-late-eyes", test_late_eyes);
  g_test_add_func ("/agents/55-68-ants", test_ants);
  g_test_add_func ("/agents/55-77-plan", test_plan);
  g_test_add_func ("/agents/55-72-carry-and-drop", test_carry_and_drop);
  g_test_add_func ("/agents/55-72-plan-rests", test_plan_rests);
  g_test_add_func ("/agents/55-78-route", test_route);
  g_test_add_func ("/agents/55-78-ground", test_ground);
  g_test_add_func ("/agents/55-65-bad", test_bad);
  g_test_add_func ("/agents/55-77-costless", test_costless);
  return g_test_run ();
}

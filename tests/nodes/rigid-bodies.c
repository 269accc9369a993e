/* tests/nodes/rigid-bodies: rigid bodies as a node: what it reads, what it refuses, what it keeps.
 * The numbers in names are those of the catalogue of techniques.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#define RATE 24.0

/* A box of 1 m, 2 m above the ground. */
static NodeTest
new_box (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "box", "center", "[0, 2, 0]", NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"box.geometry\"}", NULL);
  return test;
}

static KgVector
get_place (NodeTest *test, const char *output, size_t point, double time)
{
  g_autofree char *target = g_strconcat ("n.", output, NULL);
  g_auto (KgValue) value = node_test_get (test, target, time);
  const float *p = kg_geometry_get_positions (value.geometry) + 3 * point;

  g_assert_cmpuint (point, <, kg_geometry_get_n_points (value.geometry));
  return kg_vector ((double) p[0], (double) p[1], (double) p[2]);
}

/* It falls as it should, comes to rest on the ground, and falls asleep; frames are the same in any order. */
static void
test_fall (void)
{
  NodeTest test = new_box (), other = new_box ();
  KgVector at;

  assert_near (node_test_number (&test, "n.energy", 0), 1000 * 9.81 * 2, 1e-6);
  at = get_place (&test, "bodies", 0, 0.25);
  assert_near (at.y, 2 - 0.5 * 9.81 / 16, 1e-6);
  assert_near (node_test_vector (&test, "n.momentum", 0.25).y, -1000 * 9.81 / 4, 1e-6);
  at = get_place (&test, "bodies", 0, 3);
  assert_near (at.y, 0.5, 0.01);
  assert_near (node_test_number (&test, "n.awake", 3), 0, 0);
  assert_near (node_test_number (&test, "n.kinetic", 3), 0, 0);
  /* Straight to 1.5 s, and back from 3 s. */
  for (double time = 1.5; time > 0; time -= 0.5) {
    const KgVector one = get_place (&test, "moved", 3, time), two = get_place (&other, "moved", 3, time);

    g_assert_true (memcmp (&one, &two, sizeof one) == 0);
  }
  node_test_clear (&test);
  node_test_clear (&other);
}

/* An impact is a contact with a place, an impulse and a speed. */
static void
test_contacts (void)
{
  NodeTest test = new_box ();
  double impulse = 0, speed = 0;

  for (int frame = 0; frame < 20; frame++) {
    g_auto (KgValue) value = node_test_get (&test, "n.contacts", frame / RATE);
    const float *j = kg_geometry_get_float (value.geometry, KG_POINTS, "impulse", 1),
                *v = kg_geometry_get_float (value.geometry, KG_POINTS, "speed", 1),
                *n = kg_geometry_get_float (value.geometry, KG_POINTS, "N", 3);
    const int32_t *b = kg_geometry_get_int (value.geometry, KG_POINTS, "b", 1);

    for (size_t i = 0; i < kg_geometry_get_n_points (value.geometry); i++) {
      g_assert_cmpint (b[i], ==, -1);
      assert_near ((double) n[3 * i + 1], 1, 1e-6);
      impulse += (double) j[i];
      speed = fmax (speed, (double) v[i]);
    }
  }
  /* 1.5 m down: 5.4249 m/s, and 0.3 of it back; besides, what gravity adds while it lies there. */
  assert_near (speed, 5.4249, 0.1);
  assert_near (impulse, 1000 * (1.3 * 5.4249), 1000);
  node_test_clear (&test);
}

/* What is told of a contact: a plate that spins on the ground touches it with its face; on a bar, a bar that crosses it touches
 * edge against edge where both stand on edge.  A joint tells what it gapes, and the node the largest error of all. */
static void
test_kinds (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "box", "size", "[2, 0.2, 2]", "center", "[0, 0.1, 0]", NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"box.geometry\"}", "spin", "[0, 180, 0]",
                 "friction", "0", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "n.contacts", 3 / RATE);

    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 4);
    for (size_t i = 0; i < 4; i++) {
      g_assert_cmpint (kg_geometry_get_int (value.geometry, KG_POINTS, "kind", 1)[i], ==, 0);
      assert_near ((double) kg_geometry_get_float (value.geometry, KG_POINTS, "spinning", 1)[i], KG_PI, 1e-5);
    }
  }
  node_test_add (&test, "geometry/box", "low", "size", "[4, 0.2, 0.2]", NULL);
  node_test_add (&test, "geometry/transform", "low_t", "geometry", "{\"link\": \"low.geometry\"}", "rotate",
                 "[45, 0, 0]", NULL);
  node_test_add (&test, "geometry/box", "high", "size", "[0.2, 0.2, 4]", NULL);
  node_test_add (&test, "geometry/transform", "high_t", "geometry", "{\"link\": \"high.geometry\"}", "rotate",
                 "[0, 0, 45]", "translate", "[0, 0.2829, 0]", NULL);
  node_test_set (&test, "n", "geometry", "{\"link\": \"high_t.transformed\"}");
  node_test_set (&test, "n", "obstacles", "{\"link\": \"low_t.transformed\"}");
  node_test_set (&test, "n", "ground", "false");
  node_test_set (&test, "n", "spin", "[0, 0, 0]");
  {
    g_auto (KgValue) value = node_test_get (&test, "n.contacts", 2 / RATE);

    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), >, 0);
    g_assert_cmpint (kg_geometry_get_int (value.geometry, KG_POINTS, "kind", 1)[0], ==, 3);
  }
  /* Two rods that cannot both hold gape. */
  node_test_add (&test, "sim/rigid_bodies", "m", "geometry", "{\"link\": \"high_t.transformed\"}", "ground", "false",
                 NULL);
  node_test_set (&test, "m", "rods", "[[-1, 0, -2, 1, 0, 0, 0.2829, 0, 1], [-1, 0, 2, 1, 0, 0, 0.2829, 0, 1]]");
  {
    g_auto (KgValue) value = node_test_get (&test, "m.joints", 10 / RATE);
    const float *residual = kg_geometry_get_float (value.geometry, KG_PRIMITIVES, "residual", 1);

    g_assert_cmpfloat ((double) residual[0], >, 0.5);
    assert_near (node_test_number (&test, "m.residual", 10 / RATE), fmax ((double) residual[0], (double) residual[1]),
                 1e-6);
  }
  node_test_clear (&test);
}

/* A box that slides on the ground rubs with mu m g, against the way it goes, by each of the three responses. */
static void
test_rubbing (void)
{
  static const char *const responses[] = { "\"sequential\"", "\"exact\"", "\"penalty\"" };

  for (size_t k = 0; k < G_N_ELEMENTS (responses); k++) {
    NodeTest test = node_test_new ();
    double along = 0, across = 0;

    node_test_add (&test, "geometry/box", "box", "center", "[0, 0.5, 0]", NULL);
    node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"box.geometry\"}", "velocity", "[3, 0, 4]",
                   "friction", "0.4", "restitution", "0", "stiffness", "1e7", "damping", "1", "response", responses[k],
                   NULL);
    for (int frame = 0; frame < 10; frame++) {
      g_auto (KgValue) value = node_test_get (&test, "n.contacts", frame / RATE);
      const float *rubbed = kg_geometry_get_float (value.geometry, KG_POINTS, "friction_impulse", 3),
                  *slide = kg_geometry_get_float (value.geometry, KG_POINTS, "slide", 3);
      const double left = 5 - 0.4 * 9.81 * frame / RATE;

      for (size_t i = 0; frame >= 4 && i < kg_geometry_get_n_points (value.geometry); i++) {
        along += (double) rubbed[3 * i] / 6;
        across += (double) rubbed[3 * i + 2] / 6;
        assert_near ((double) slide[3 * i], 0.6 * left, 0.06);
        assert_near ((double) slide[3 * i + 1], 0, 0.06);
      }
    }
    g_test_message ("%s: %g %g", responses[k], along, across);
    assert_near (along, -0.6 * 0.4 * 1000 * 9.81 / RATE, 5);
    assert_near (across, -0.8 * 0.4 * 1000 * 9.81 / RATE, 5);
    node_test_clear (&test);
  }
}

static void
assert_warns (NodeTest *test, double time, const char *saying)
{
  g_auto (KgValue) value = node_test_get (test, "n.moved", time);
  g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test->evaluator, kg_graph_find (test->graph, "n"));
  g_autofree char *all = warnings != NULL ? g_strjoinv ("\n", warnings) : g_strdup ("");

  if (saying == NULL)
    g_assert_cmpstr (all, ==, "");
  else if (strstr (all, saying) == NULL)
    g_error ("\"%s\" does not say \"%s\"", all, saying);
}

/* What overlaps from the start on is named, with the pair, until it has come apart. */
static void
test_overlap (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "box", "center", "[0, 0.5, 0]", NULL);
  node_test_add (&test, "geometry/box", "other", "center", "[0.75, 0.5, 0]", NULL);
  node_test_add (&test, "geometry/merge", "both", "geometries",
                 "[{\"link\": \"box.geometry\"}, {\"link\": \"other.geometry\"}]", NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"both.geometry\"}", NULL);
  assert_warns (&test, 0, "bodies 0 and 1 overlap by 0.25 m: they part slowly");
  assert_warns (&test, 2 / RATE, "bodies 0 and 1 overlap by 0.1");
  assert_warns (&test, 20 / RATE, NULL);
  /* Welded ones may. */
  node_test_set (&test, "n", "welds", "\"0 1\"");
  assert_warns (&test, 0, NULL);
  node_test_set (&test, "n", "welds", "\"\"");
  node_test_set (&test, "other", "center", "[3, 0.2, 0]");
  assert_warns (&test, 0, "body 1 is 0.3 m deep in the ground");
  node_test_clear (&test);
}

/* 50-77: a thousand copies of points are a heap: none is lost, none is in the ground. */
static void
test_copies (void)
{
  NodeTest test = node_test_new ();
  KgVector at;

  node_test_add (&test, "geometry/box", "box", "size", "[0.2, 0.2, 0.2]", "center", "[0.1, 0.1, 0.1]", NULL);
  node_test_add (&test, "geometry/grid", "raster", "size", "[3, 3, 0]", "columns", "9", "rows", "9", "plane", "\"zx\"",
                 NULL);
  node_test_add (&test, "geometry/line", "stack", "start", "[0, 0.3, 0]", "end", "[0, 4, 0]", "points", "10", NULL);
  node_test_add (&test, "geometry/copy_to_points", "all", "geometry", "{\"link\": \"raster.geometry\"}", "points",
                 "{\"link\": \"stack.geometry\"}", "orient", "false", NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"all.copies\"}", "copy",
                 "{\"link\": \"box.geometry\"}", "substeps", "2", "passes", "2", NULL);
  node_test_add (&test, "geometry/copy_to_points", "seen", "geometry", "{\"link\": \"box.geometry\"}", "points",
                 "{\"link\": \"n.bodies\"}", NULL);
  /* The copies are where the bodies are, from the start. */
  at = get_place (&test, "bodies", 0, 0);
  assert_vector_near (at, -1.5, 0.3, -1.5, 1e-6);
  {
    g_auto (KgValue) seen = node_test_get (&test, "seen.copies", 0.375);
    KgVector low, high;

    g_assert_cmpuint (kg_geometry_get_n_points (seen.geometry), ==, 8000);
    kg_geometry_get_bounds (seen.geometry, &low, &high);
    assert_near (low.y, 0, 0.01);
    g_assert_cmpfloat (high.y, <, 4.2);
    g_assert_cmpfloat (high.x - low.x, <, 6);
  }
  node_test_clear (&test);
}

/* A pusher that is animated takes a body along, and wakes it. */
static void
test_driven (void)
{
  NodeTest test = node_test_new ();
  KgVector at;

  node_test_add (&test, "geometry/box", "box", "center", "[0, 0.5, 0]", NULL);
  node_test_add (&test, "geometry/box", "wall", "center", "[-1.2, 0.5, 0]", NULL);
  node_test_add (&test, "geometry/transform", "push", "geometry", "{\"link\": \"wall.geometry\"}", "translate",
                 "{\"keys\": [[37, [0, 0, 0]], [61, [1.2, 0, 0]]]}", NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"box.geometry\"}", "obstacles",
                 "{\"link\": \"push.transformed\"}", "restitution", "0", NULL);
  at = get_place (&test, "bodies", 0, 1.5);
  assert_near (at.x, 0, 1e-6);
  assert_near (node_test_number (&test, "n.awake", 1.5), 0, 0);
  at = get_place (&test, "bodies", 0, 3);
  g_assert_cmpfloat (at.x, >, 0.98);
  g_assert_cmpfloat (at.x, <, 1.5);
  node_test_clear (&test);
}

/* A cup with dents stays a cup when it does not move: a ball falls into it. */
static void
test_surface (void)
{
  NodeTest test = node_test_new ();
  KgVector at;

  node_test_add (&test, "geometry/grid", "sheet", "size", "[4, 4, 0]", "columns", "16", "rows", "16", "plane", "\"zx\"",
                 NULL);
  node_test_add (&test, "geometry/sphere", "ball", "radius", "0.25", "center", "[0.13, 1, 0.2]", "segments", "16",
                 "rings", "8", NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"ball.geometry\"}", "obstacles",
                 "{\"link\": \"sheet.geometry\"}", "ground", "false", "velocity", "[1, 0, 0]", "restitution", "0",
                 NULL);
  at = get_place (&test, "bodies", 0, 1.25);
  /* The sheet is as thick as flat pieces are. */
  assert_near (at.y, 0.25 + 0.01, 1e-3);
  /* It rolls on across the edges of the squares: 5/7 of its speed is left where it began to slide. */
  g_assert_cmpfloat (at.x, >, 0.85);
  assert_near (at.z, 0.2, 0.01);
  node_test_clear (&test);
}

/* 50-77: a ring is divided into convex parts, and falls over a pole; as its hull, in one part, it stays on top, and it is said what
 * the hull fills.  As copies of points, too. */
static void
test_dents (void)
{
  static const char *const parts[] = { "16", "1", "4" };

  for (int copies = 0; copies < 2; copies++) {
    NodeTest test = node_test_new ();

    node_test_add (&test, "soft/implicit", "torus", "shape", "\"torus\"", "radius", "0.6", "tube", "0.2", NULL);
    node_test_add (&test, "soft/polygonize", "ring", "field", "{\"link\": \"torus.field\"}", "cell", "0.12", NULL);
    node_test_add (&test, "geometry/box", "pole", "size", "[0.2, 1.2, 0.2]", "center", "[0, 0.6, 0]", NULL);
    node_test_add (&test, "geometry/line", "place", "start", "[0.1, 1.6, 0]", "end", "[5, 1.6, 0]", "points", "2",
                   NULL);
    node_test_add (&test, "geometry/transform", "raised", "geometry", "{\"link\": \"ring.geometry\"}", "translate",
                   "[0.1, 1.6, 0]", NULL);
    node_test_add (&test, "sim/rigid_bodies", "n", "geometry",
                   copies ? "{\"link\": \"place.geometry\"}" : "{\"link\": \"raised.transformed\"}", "obstacles",
                   "{\"link\": \"pole.geometry\"}", "restitution", "0", NULL);
    if (copies)
      node_test_set (&test, "n", "copy", "{\"link\": \"ring.geometry\"}");
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
      g_auto (GStrv) warnings = NULL;
      g_autofree char *all = NULL;
      double y;

      node_test_set (&test, "n", "parts", parts[i]);
      y = get_place (&test, "bodies", 0, 2.5).y;
      warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "n"));
      all = warnings != NULL ? g_strjoinv ("\n", warnings) : g_strdup ("");
      g_test_message ("%s parts: at %g; %s", parts[i], y, all);
      if (i == 1)
        g_assert_cmpfloat (y, >, 1.1);
      else
        assert_near (y, 0.2, i == 0 ? 1e-3 : 0.02);
      g_assert_true (i == 0 || strstr (all, i == 1 ? "body 0 touches with 1 convex part, which fills"
                                                   : "with 4 convex parts") != NULL);
    }
    node_test_clear (&test);
  }
}

/* 50-76: a wheel rolls within a ring of the world that is twice as large (al-Tusi 1247): it turns back as fast as its carrier turns,
 * and each point of its rim moves along a diameter of the ring; from the points of bodies in any order of frames.  An arm that lies
 * on another axis is no carrier. */
static void
test_tusi_couple (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "wheel", "center", "[0.5, 0, 0]", "size", "[0.2, 0.2, 0.1]", NULL);
  node_test_add (&test, "geometry/box", "arm", "center", "[0.25, 0, 0.5]", "size", "[0.6, 0.1, 0.1]", NULL);
  node_test_add (&test, "geometry/merge", "both", "geometries",
                 "[{\"link\": \"wheel.geometry\"}, {\"link\": \"arm.geometry\"}]", NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"both.geometry\"}", "ground", "false",
                 "gravity", "[0, 0, 0]", "substeps", "16", "hinges",
                 "[[-1, 1, 0, 0, 0.5, 0, 0, 1, null, null, 90], [1, 0, 0.5, 0, 0.5, 0, 0, 1, null, null, null]]",
                 "gears", "\"-1 0 2\"", NULL);
  for (int k = 0; k < 2; k++) {
    static const double times[] = { 4, 0.5, 1, 2.25 };

    node_test_set (&test, "n", "gears", k == 0 ? "\"-1 0 2\"" : "\"0 -1 0.5\"");
    for (size_t i = 0; i < G_N_ELEMENTS (times); i++) {
      g_auto (KgValue) value = node_test_get (&test, "n.bodies", times[i]);
      const float *p = kg_geometry_get_positions (value.geometry),
                  *q = kg_geometry_get_float (value.geometry, KG_POINTS, "orient", 4);
      const KgVector rim = kg_rotation_apply (
          (KgRotation){ (double) q[0], (double) q[1], (double) q[2], (double) q[3] }, kg_vector (0.5, 0, 0));
      const double angle = KG_PI / 2 * times[i];

      assert_near ((double) p[0], 0.5 * cos (angle), 2e-3);
      assert_near ((double) p[1], 0.5 * sin (angle), 2e-3);
      assert_near ((double) p[0] + rim.x, cos (angle), 3e-3);
      assert_near ((double) p[1] + rim.y, 0, 1e-3);
    }
  }
  node_test_set (&test, "n", "gears", "\"-1 0 2 1 0 0\"");
  node_test_fails_saying (&test, "n.moved", 0, "that another hinge along 1 0 0 joins to the world");
  node_test_clear (&test);
}

/* What cannot be. */
static void
test_bad_input (void)
{
  NodeTest test = new_box ();

  node_test_add (&test, "geometry/attribute", "a", "geometry", "{\"link\": \"box.geometry\"}", "name", "\"mass\"",
                 "number", "-1", NULL);
  node_test_set (&test, "n", "geometry", "{\"link\": \"a.set\"}");
  node_test_fails_saying (&test, "n.moved", 0, "the mass of body 0 is -1 kg: use a mass above 0");
  node_test_set (&test, "a", "number", "0");
  node_test_fails_saying (&test, "n.moved", 0, "the mass of body 0 is 0 kg");
  node_test_set (&test, "a", "number", "1e30");
  node_test_fails_saying (&test, "n.moved", 0, "and below 1e30");
  node_test_set (&test, "a", "name", "\"density\"");
  node_test_set (&test, "a", "number", "0");
  node_test_fails_saying (&test, "n.moved", 0, "the density of body 0 is 0: use a density above 0");
  node_test_set (&test, "a", "name", "\"kind\"");
  node_test_set (&test, "a", "number", "7");
  node_test_fails_saying (&test, "n.moved", 0, "the kind of body 0 is 7: use 0 (moving)");
  node_test_set (&test, "a", "name", "\"restitution\"");
  node_test_set (&test, "a", "number", "1.5");
  node_test_fails_saying (&test, "n.moved", 0, "the restitution of body 0 is 1.5: use 0 (no bounce) to 1");
  node_test_set (&test, "a", "name", "\"kind\"");
  node_test_set (&test, "a", "kind", "\"text\"");
  node_test_set (&test, "a", "text", "\"nailed\"");
  node_test_fails_saying (&test, "n.moved", 0, "the kind of body 0 is \"nailed\": use moving, fixed or driven");
  node_test_set (&test, "a", "text", "\"fixed\"");
  assert_near (get_place (&test, "bodies", 0, 0.5).y, 2, 1e-6);
  /* A body without volume. */
  node_test_add (&test, "geometry/transform", "flat", "geometry", "{\"link\": \"box.geometry\"}", "scale", "[1, 0, 0]",
                 NULL);
  node_test_set (&test, "n", "geometry", "{\"link\": \"flat.transformed\"}");
  node_test_fails_saying (&test, "n.moved", 0, "body 0 has no volume");
  node_test_clear (&test);
  /* Joints of nothing. */
  test = new_box ();
  node_test_set (&test, "n", "hinges", "\"0 7 0 0 0\"");
  node_test_fails_saying (&test, "n.moved", 0, "hinges, row 0: 7 is not the index of a body: use 0 to 0, or -1");
  node_test_set (&test, "n", "hinges", "\"0 0 0 0 0\"");
  node_test_fails_saying (&test, "n.moved", 0, "hinges, row 0: both bodies are 0");
  node_test_set (&test, "n", "hinges", "\"-1 0 0 0 0 0 0 0\"");
  node_test_fails_saying (&test, "n.moved", 0, "hinges, row 0: the axis is 0 0 0");
  node_test_set (&test, "n", "hinges", "\"-1 0 0 0 0 0 0 1 30 10\"");
  node_test_fails_saying (&test, "n.moved", 0, "the lower limit is above the upper one");
  node_test_set (&test, "n", "hinges", "\"\"");
  node_test_set (&test, "n", "balls", "\"-1 0 0 2 0 45 0 -3\"");
  node_test_fails_saying (&test, "n.moved", 0, "balls, row 0: a limit is below 0");
  node_test_set (&test, "n", "balls", "\"\"");
  node_test_set (&test, "n", "gears", "\"0 -1 2\"");
  node_test_fails_saying (&test, "n.moved", 0, "gears, row 0: the world does not turn");
  /* Held by the world itself, it does not roll about a wheel of the world. */
  node_test_set (&test, "n", "hinges", "\"-1 0 0 0 0 0 0 1\"");
  node_test_fails_saying (&test, "n.moved", 0, "let body 0 roll about a wheel of the world");
  node_test_set (&test, "n", "gears", "\"-1 -1 2\"");
  node_test_fails_saying (&test, "n.moved", 0, "gears, row 0: both bodies are -1");
  node_test_set (&test, "n", "gears", "\"\"");
  /* Two rods that pull one body to two places. */
  node_test_set (&test, "n", "hinges", "\"\"");
  node_test_set (&test, "n", "rods", "\"-1 0 -3 2 0 0 2 0 1\\n-1 0 3 2 0 0 2 0 1\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "n.moved", 1);
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "n"));
    g_autofree char *all = warnings != NULL ? g_strjoinv ("\n", warnings) : g_strdup ("");

    g_assert_nonnull (strstr (all, "rod 0 and rod 1 contradict each other"));
  }
  node_test_set (&test, "n", "rods", "\"\"");
  node_test_set (&test, "n", "grab", "true");
  node_test_set (&test, "n", "grab_point", "99");
  node_test_fails_saying (&test, "n.moved", 0.5, "grab_point is 99: the bodies have 8 points");
  node_test_clear (&test);
}

/* Many bodies at one place come apart without end of the numbers; a step of a second is coarse, but ends. */
static void
test_hard_input (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "box", "size", "[0.1, 0.1, 0.1]", NULL);
  node_test_add (&test, "geometry/line", "points", "start", "[0, 0.05, 0]", "end", "[0, 0.05, 0]", "points", "20",
                 NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"points.geometry\"}", "copy",
                 "{\"link\": \"box.geometry\"}", NULL);
  g_assert_cmpfloat (node_test_number (&test, "n.energy", 0.25), <, 1e4);
  node_test_set (&test, "points", "points", "4000");
  node_test_fails_saying (&test, "n.moved", 0.1, "pairs of bodies touch: spread them");
  node_test_clear (&test);
  for (int response = 0; response < 3; response++) {
    static const char *const responses[] = { "\"sequential\"", "\"exact\"", "\"penalty\"" };

    test = new_box ();
    kg_graph_set_frames (test.graph, (KgFrames){ 1, 10, 1 }, NULL);
    node_test_set (&test, "n", "response", responses[response]);
    node_test_set (&test, "n", "spin", "[200, 100, 300]");
    g_assert_true (isfinite (node_test_number (&test, "n.energy", 6)));
    node_test_clear (&test);
  }
}

/* 70-91: bodies of 2 and 3 kg that meet at 4 and -1 m/s without bouncing stay together at 1 m/s, though the step in which they
 * meet takes them into each other, and being taken apart again costs them nothing. */
static void
test_inelastic (void)
{
  static const char *const responses[] = { "\"sequential\"", "\"exact\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "a", NULL);
  node_test_add (&test, "geometry/box", "b", "center", "[3, 0, 0]", NULL);
  node_test_add (&test, "geometry/attribute", "av", "geometry", "{\"link\": \"a.geometry\"}", "name", "\"v\"", "kind",
                 "\"vector\"", "vector", "[4, 0, 0]", NULL);
  node_test_add (&test, "geometry/attribute", "bv", "geometry", "{\"link\": \"b.geometry\"}", "name", "\"v\"", "kind",
                 "\"vector\"", "vector", "[-1, 0, 0]", NULL);
  node_test_add (&test, "geometry/attribute", "am", "geometry", "{\"link\": \"av.set\"}", "name", "\"mass\"", "number",
                 "2", NULL);
  node_test_add (&test, "geometry/attribute", "bm", "geometry", "{\"link\": \"bv.set\"}", "name", "\"mass\"", "number",
                 "3", NULL);
  node_test_add (&test, "geometry/merge", "both", "geometries", "[{\"link\": \"am.set\"}, {\"link\": \"bm.set\"}]",
                 NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"both.geometry\"}", "ground", "false",
                 "gravity", "[0, 0, 0]", "restitution", "0", NULL);
  for (guint k = 0; k < G_N_ELEMENTS (responses); k++) {
    node_test_set (&test, "n", "response", responses[k]);
    assert_near (node_test_number (&test, "n.kinetic", 1), 2.5, 1e-4);
    assert_near (get_place (&test, "bodies", 1, 1).x - get_place (&test, "bodies", 0, 1).x, 1, 0.006);
    assert_near (get_place (&test, "bodies", 1, 1.5).x - get_place (&test, "bodies", 1, 1).x, 0.5, 1e-3);
  }
  node_test_clear (&test);
}

/* A chain of links by geometry: each point joins the two nearest bodies. */
static void
test_links (void)
{
  NodeTest test = node_test_new ();
  KgVector at;

  node_test_add (&test, "geometry/box", "link", "size", "[0.28, 0.06, 0.06]", NULL);
  node_test_add (&test, "geometry/line", "places", "start", "[0.15, 3, 0]", "end", "[2.85, 3, 0]", "points", "10",
                 NULL);
  node_test_add (&test, "geometry/copy_to_points", "links", "geometry", "{\"link\": \"link.geometry\"}", "points",
                 "{\"link\": \"places.geometry\"}", "orient", "false", NULL);
  node_test_add (&test, "geometry/box", "hook", "size", "[0.1, 0.3, 0.1]", "center", "[-0.06, 3, 0]", NULL);
  node_test_add (&test, "geometry/line", "joints", "start", "[0, 3, 0]", "end", "[2.7, 3, 0]", "points", "10", NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"links.copies\"}", "obstacles",
                 "{\"link\": \"hook.geometry\"}", "links", "{\"link\": \"joints.geometry\"}", "drag", "2",
                 "drag_angular", "2", NULL);
  {
    g_auto (KgValue) value = node_test_get (&test, "n.joints", 0);

    g_assert_cmpuint (kg_geometry_get_n_primitives (value.geometry), ==, 10);
  }
  at = get_place (&test, "bodies", 9, 6);
  assert_near (kg_vector_distance (at, kg_vector (0, 3, 0)), 2.85, 0.02);
  assert_near (at.y, 0.15, 0.1);
  node_test_clear (&test);
}

/* 50-104: a static friction that is less than the friction is told of, with what holds instead; 0 is that of friction. */
static void
test_weak_hold (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_auto (GStrv) warnings = NULL;

  node_test_add (&test, "geometry/box", "box", NULL);
  node_test_add (&test, "sim/rigid_bodies", "n", "geometry", "{\"link\": \"box.geometry\"}", "ground", "false",
                 "friction", "0.5", "friction_static", "0", NULL);
  value = node_test_get (&test, "n.moved", 0);
  warnings = kg_evaluator_dup_warnings (test.evaluator, kg_graph_find (test.graph, "n"));
  g_assert_true (warnings == NULL || warnings[0] == NULL);
  node_test_set (&test, "n", "friction_static", "0.3");
  node_test_warns (&test, "n.moved", "body 0 has a static friction of 0.3, less than its friction of 0.5");
  /* A body with less friction of its own: the ground alone. */
  node_test_add (&test, "geometry/attribute", "slick", "geometry", "{\"link\": \"box.geometry\"}", "name",
                 "\"friction\"", "number", "0.1", NULL);
  node_test_set (&test, "n", "geometry", "{\"link\": \"slick.set\"}");
  node_test_set (&test, "n", "ground", "true");
  node_test_warns (&test, "n.moved", "the ground has a static friction of 0.3, less than its friction of 0.5");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sim/rigid_bodies/50-53-fall", test_fall);
  g_test_add_func ("/sim/rigid_bodies/50-67-contacts", test_contacts);
  g_test_add_func ("/sim/rigid_bodies/50-60-50-78-kinds-and-residuals", test_kinds);
  g_test_add_func ("/sim/rigid_bodies/50-71-rubbing", test_rubbing);
  g_test_add_func ("/sim/rigid_bodies/overlap", test_overlap);
  g_test_add_func ("/sim/rigid_bodies/50-77-copies", test_copies);
  g_test_add_func ("/sim/rigid_bodies/50-36-driven", test_driven);
  g_test_add_func ("/sim/rigid_bodies/surface", test_surface);
  g_test_add_func ("/sim/rigid_bodies/70-91-inelastic", test_inelastic);
  g_test_add_func ("/sim/rigid_bodies/50-76-links", test_links);
  g_test_add_func ("/sim/rigid_bodies/50-77-dents", test_dents);
  g_test_add_func ("/sim/rigid_bodies/50-76-tusi-couple", test_tusi_couple);
  g_test_add_func ("/sim/rigid_bodies/bad-input", test_bad_input);
  g_test_add_func ("/sim/rigid_bodies/hard-input", test_hard_input);
  g_test_add_func ("/rigid-bodies/50-104/weak-hold", test_weak_hold);
  return g_test_run ();
}

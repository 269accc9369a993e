/* tests/nodes/linkage: joints, tables of them, their Jacobians, inverse kinematics by these, and their dynamics.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

/* The rotation of a joint about z in degrees. */
static double
get_angle (NodeTest *test, const char *target, guint joint)
{
  g_auto (KgValue) value = node_test_get (test, target, 0);
  const KgRotation q = kg_skeleton_get_rotation (value.skeleton, joint);

  return 2 * atan2 (q.z, q.w) / KG_DEGREE;
}

static double
get_cell (NodeTest *test, const char *target, guint row, guint column, double time)
{
  g_auto (KgValue) value = node_test_get (test, target, time);

  g_assert_cmpint (value.kind, ==, KG_TABLE);
  g_assert_cmpuint (row, <, kg_table_get_n_rows (value.table));
  g_assert_cmpuint (column, <, kg_table_get_n_columns (value.table));
  return kg_table_get_row (value.table, row)[column];
}

static void
test_kinds (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "arm", "joints",
                 "\"a - hinge 0 0 0\\nb a ball 1 0 0\\nc b hinge 1 0 0\\nend c fixed 1 0 0\"", NULL);
  assert_near (node_test_number (&test, "arm.freedoms", 0), 5, 0);
  node_test_set (&test, "arm", "joints",
                 "\"root - free 0 0 0\\na root hinge 0 0 0\\nb a ball 1 0 0\\nc b hinge 1 0 0\"");
  assert_near (node_test_number (&test, "arm.freedoms", 0), 11, 0);
  /* A planar joint slides by (2, 1) and rotates by 90 degrees. */
  node_test_set (&test, "arm", "joints", "\"a - planar 0 0 0\\nend a fixed 1 0 0\"");
  node_test_set (&test, "arm", "values", "[2, 1, 90]");
  node_test_add (&test, "rig/joint_transform", "where", "skeleton", "{\"link\": \"arm.skeleton\"}", NULL);
  assert_vector_near (node_test_vector (&test, "where.position", 0), 2, 2, 0, 1e-12);
  node_test_set (&test, "arm", "joints", "\"a b hinge 0 0 0\"");
  node_test_fails (&test, "arm.skeleton", KG_ERROR_UNKNOWN_NAME);
  node_test_set (&test, "arm", "joints", "\"\"");
  node_test_fails (&test, "arm.skeleton", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* The tree of the textbook: placements T0, T1, T1.1, then joint angles; and a point taken back to the link it is on. */
static void
test_tree (void)
{
  static const char joints[] = "\"l0 - fixed 2 1 0 rest 0 0 30\\nl1 l0 hinge 3 0 0\\nl11 l1 hinge 2 0 0\"";
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "tree", "joints", joints, NULL);
  node_test_add (&test, "rig/joint_transform", "link", "skeleton", "{\"link\": \"tree.skeleton\"}", "joint", "\"l0\"",
                 NULL);
  for (int pose = 0; pose < 2; pose++) {
    static const char *const names[] = { "\"l0\"", "\"l1\"", "\"l11\"" };
    static const double places[2][3][2] = { { { 2.866025, 1.5 }, { 5.464102, 3 }, { 7.196152, 4 } },
                                            { { 2.866025, 1.5 }, { 4.940096, 3.439693 }, { 5.989223, 5.086492 } } };

    for (int i = 0; i < 3; i++) {
      g_auto (KgValue) value = KG_VALUE_INIT;
      KgVector at;

      node_test_set (&test, "link", "joint", names[i]);
      value = node_test_get (&test, "link.transform", 0);
      at = kg_transform_point (*value.transform, kg_vector (1, 0, 0));
      assert_vector_near (at, places[pose][i][0], places[pose][i][1], 0, 1e-6);
      {
        g_autofree char *point = g_strdup_printf ("[%.17g, %.17g, %.17g]", at.x, at.y, at.z);

        node_test_set (&test, "link", "point", point);
        assert_vector_near (node_test_vector (&test, "link.converted", 0), 1, 0, 0, 1e-14);
      }
    }
    node_test_set (&test, "tree", "values", "[40, -25]");
  }
  /* From joint to joint. */
  node_test_set (&test, "link", "joint", "\"l1\"");
  node_test_set (&test, "link", "from_joint", "\"l11\"");
  node_test_set (&test, "link", "point", "[0, 0, 0]");
  assert_vector_near (node_test_vector (&test, "link.converted", 0), 2, 0, 0, 1e-14);
  node_test_set (&test, "link", "from_joint", "\"nose\"");
  node_test_fails (&test, "link.converted", KG_ERROR_UNKNOWN_NAME);
  node_test_clear (&test);
}

/* 50-21: a sun, a planet and a moon as hinges in each other: the moon goes around the planet once a second, relative to its arm,
 * and so 1.1 times relative to the stars. */
static void
test_planets (void)
{
  static const char joints[] = "\"year - hinge 0 0 0\\nmonth year hinge 10 0 0\\nmoon month fixed 2 0 0\"";
  NodeTest test = node_test_new ();
  double least = INFINITY, most = 0;

  node_test_add (&test, "rig/joints", "tree", "joints", joints, NULL);
  node_test_add (&test, "rig/joint_transform", "link", "skeleton", "{\"link\": \"tree.skeleton\"}", "joint", "\"moon\"",
                 NULL);
  for (int i = 0; i <= 40; i++) {
    const double t = 0.025 * i, turn = 2 * KG_PI * 1.1 * t;
    g_autofree char *values = g_strdup_printf ("[%.17g, %.17g]", 36 * t, 360 * t);
    g_auto (KgValue) moon = KG_VALUE_INIT, planet = KG_VALUE_INIT;
    KgVector at, from, along;

    node_test_set (&test, "tree", "values", values);
    moon = node_test_get (&test, "link.transform", 0);
    node_test_set (&test, "link", "joint", "\"month\"");
    planet = node_test_get (&test, "link.transform", 0);
    node_test_set (&test, "link", "joint", "\"moon\"");
    at = kg_transform_point (*moon.transform, kg_vector (0, 0, 0));
    from = kg_transform_point (*planet.transform, kg_vector (0, 0, 0));
    along = kg_vector_subtract (at, from);
    assert_near (kg_vector_length (from), 10, 1e-6);
    assert_vector_near (along, 2 * cos (turn), 2 * sin (turn), 0, 1e-5);
    least = fmin (least, kg_vector_length (at));
    most = fmax (most, kg_vector_length (at));
  }
  assert_near (least, 8, 1e-5);
  assert_near (most, 12, 1e-5);
  node_test_clear (&test);
}

/* 50-13, and 55-98: the two-link arm forward. */
static void
test_two_links (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/dh_chain", "arm", "table", "\"0 0 0 30; 3 0 0 27\"", "tool_length", "2", NULL);
  assert_vector_near (node_test_vector (&test, "arm.position", 0), 3.687354, 3.177341, 0, 1e-6);
  node_test_set (&test, "arm", "table", "\"0 0 0 30; 50 0 0 27\"");
  node_test_set (&test, "arm", "tool_length", "30");
  assert_vector_near (node_test_vector (&test, "arm.position", 0), 59.6404412, 50.1601170, 0, 1e-7);
  /* 55-100: its velocity in the axes of both links and of the base. */
  node_test_add (&test, "rig/jacobian", "rates", "skeleton", "{\"link\": \"arm.skeleton\"}", NULL);
  {
    static const struct {
      const char *frame;
      double x, y;
    } facts[] = { { "\"joint2\"", 22.6995250, 134.5503262 },
                  { "\"joint1\"", -40.8591450, 130.1905872 },
                  { "\"\"", -100.4803511, 92.3187833 } };

    for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
      node_test_set (&test, "rates", "in_frame", facts[i].frame);
      assert_near (get_cell (&test, "rates.matrix", 0, 0, 0) + 2 * get_cell (&test, "rates.matrix", 0, 1, 0),
                   facts[i].x, 1e-6);
      assert_near (get_cell (&test, "rates.matrix", 1, 0, 0) + 2 * get_cell (&test, "rates.matrix", 1, 1, 0),
                   facts[i].y, 1e-6);
      assert_near (get_cell (&test, "rates.matrix", 5, 0, 0), 1, 1e-12);
    }
  }
  node_test_clear (&test);
}

/* 50-23 and 55-99: both answers of the two-link arm, and a stretch that does not snap. */
static void
test_two_bones (void)
{
  static const struct {
    const char *a, *b, *goal;
    double first[2], second[2]; /* of the two solutions */
  } facts[] = {
    { "0.4", "0.3", "[0.5, 0.2, 0]", { 55.1200163, -80.4059318 }, { -11.5171974, 80.4059318 } },
    { "3", "2", "[4, 1, 0]", { 41.251166, -70.528779 }, { -13.178679, 70.528779 } },
    { "3", "2", "[-1, -3.5, 0]", { -72.624815, -88.806252 }, { -139.265977, 88.806252 } },
    { "50", "30", "[52, 47, 0]", { 63.7987785, -59.7128925 }, { 20.4186823, 59.7128925 } },
    { "3", "4", "[5, 0, 0]", { 53.130102, -90 }, { -53.130102, 90 } },
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/ik_two_bone", "arm", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    const char *const solutions[] = { "\"pole\"", "\"away\"" };

    node_test_set (&test, "arm", "length_a", facts[i].a);
    node_test_set (&test, "arm", "length_b", facts[i].b);
    node_test_set (&test, "arm", "goal", facts[i].goal);
    for (int k = 0; k < 2; k++) {
      double first;

      node_test_set (&test, "arm", "solution", solutions[k]);
      first = node_test_number (&test, "arm.angle_1", 0);
      /* The pole may be on either side of the goal. */
      if (fabs (first - facts[i].first[0]) < 1e-5) {
        assert_near (node_test_number (&test, "arm.angle_2", 0), facts[i].first[1], 1e-6);
      } else {
        assert_near (first, facts[i].second[0], 1e-6);
        assert_near (node_test_number (&test, "arm.angle_2", 0), facts[i].second[1], 1e-6);
      }
    }
  }
  node_test_set (&test, "arm", "length_b", "2");
  node_test_set (&test, "arm", "soften", "0.1");
  assert_near (kg_vector_length (node_test_vector (&test, "arm.end", 0)), 4.816060, 1e-6);
  node_test_set (&test, "arm", "goal", "[4.5, 0, 0]");
  assert_near (kg_vector_length (node_test_vector (&test, "arm.end", 0)), 4.5, 1e-12);
  node_test_clear (&test);
}

static void
test_pose_mix (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "a", "joints", "\"a - hinge 0 0 0\\nb a hinge 1 0 0\\nend b fixed 1 0 0\"", NULL);
  node_test_add (&test, "rig/joints", "b", "joints", "\"a - hinge 0 0 0\\nb a hinge 1 0 0\\nend b fixed 1 0 0\"",
                 "values", "[90, 90]", NULL);
  node_test_add (&test, "rig/pose_mix", "mix", "a", "{\"link\": \"a.skeleton\"}", "b", "{\"link\": \"b.skeleton\"}",
                 NULL);
  node_test_add (&test, "rig/joint_transform", "hand", "skeleton", "{\"link\": \"mix.posed\"}", NULL);
  assert_vector_near (node_test_vector (&test, "hand.position", 0), 0.707107, 1.707107, 0, 1e-6);
  node_test_set (&test, "mix", "path", "\"angles\"");
  assert_vector_near (node_test_vector (&test, "hand.position", 0), 0.707107, 1.707107, 0, 1e-6);
  node_test_set (&test, "mix", "joints", "\"b\"");
  assert_near (get_angle (&test, "mix.posed", 0), 0, 0);
  assert_near (get_angle (&test, "mix.posed", 1), 45, 1e-12);
  node_test_set (&test, "mix", "joints", "\"nose\"");
  node_test_fails (&test, "mix.posed", KG_ERROR_UNKNOWN_NAME);
  node_test_set (&test, "mix", "joints", "\"\"");
  /* At both ends the keys' own bits. */
  for (int t = 0; t < 2; t++) {
    g_auto (KgValue) mixed = KG_VALUE_INIT, key = node_test_get (&test, t == 0 ? "a.skeleton" : "b.skeleton", 0);

    node_test_set (&test, "mix", "t", t == 0 ? "0" : "1");
    mixed = node_test_get (&test, "mix.posed", 0);
    g_assert_true (kg_skeleton_equal (mixed.skeleton, key.skeleton));
  }
  node_test_set (&test, "b", "joints", "\"a - hinge 0 0 0\\nelbow a hinge 1 0 0\\nend elbow fixed 1 0 0\"");
  node_test_fails_saying (&test, "mix.posed", 0, "elbow");
  node_test_clear (&test);
}

static void
test_dh_chain (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) tip = KG_VALUE_INIT;

  /* The planar armature: at the origin of frame C, whose x is the world's. */
  node_test_add (&test, "rig/dh_chain", "arm", "table", "\"0 0 0 20; 3 0 0 30; 2 0 0 -50\"", "tool_length", "0", NULL);
  assert_vector_near (node_test_vector (&test, "arm.position", 0), 4.104653, 2.558149, 0, 1e-6);
  {
    g_auto (KgValue) value = node_test_get (&test, "arm.tip", 0);

    assert_near (value.transform->m[0][0], 1, 1e-12);
  }
  /* The ball. */
  node_test_set (&test, "arm", "table", "\"0 0 0 0; 2 0 0 0; 0 90 0 90; 0 90 0 0; 1.5 0 0 0\"");
  assert_vector_near (node_test_vector (&test, "arm.position", 0), 2, 0, 1.5, 1e-12);
  node_test_set (&test, "arm", "values", "[10, 20, 30, -40, 50]");
  tip = node_test_get (&test, "arm.tip", 0);
  assert_vector_near (node_test_vector (&test, "arm.position", 0), 0.989964, 0.895035, 0.995121, 1e-6);
  assert_near (tip.transform->m[0][2], 0.75, 1e-6);
  assert_near (tip.transform->m[1][2], 0.433013, 1e-6);
  assert_near (tip.transform->m[2][2], 0.5, 1e-6);
  /* Classic rows of the same chain. */
  node_test_set (&test, "arm", "values", "[]");
  node_test_set (&test, "arm", "convention", "\"classic\"");
  node_test_set (&test, "arm", "table", "\"3 40 0.3 20; 2 -60 0.2 30\"");
  assert_vector_near (node_test_vector (&test, "arm.position", 0), 4.228640, 2.217498, 1.095996, 1e-6);
  /* For row vectors, matrices stand the other way. */
  assert_near (get_cell (&test, "arm.matrices", 4, 3, 0), 3, 1e-12);
  node_test_set (&test, "arm", "vectors", "\"rows\"");
  assert_near (get_cell (&test, "arm.matrices", 7, 0, 0), 3, 1e-12);
  /* Limits, and what cannot be. */
  node_test_set (&test, "arm", "convention", "\"modified\"");
  node_test_set (&test, "arm", "tool_length", "1");
  node_test_set (&test, "arm", "table", "\"0 0 0 80 0 -10 45\"");
  assert_near (get_angle (&test, "arm.skeleton", 0), 45, 1e-12);
  node_test_set (&test, "arm", "table", "\"0 0 5 0 1 -1 2\"");
  assert_vector_near (node_test_vector (&test, "arm.position", 0), 1, 0, 2, 1e-12);
  node_test_set (&test, "arm", "table", "\"0 0 0 0 0 45 -10\"");
  node_test_fails_saying (&test, "arm.skeleton", 0, "row 1");
  node_test_set (&test, "arm", "table", "\"0 0 0 0 2\"");
  node_test_fails_saying (&test, "arm.skeleton", 0, "slides");
  node_test_set (&test, "arm", "table", "\"\"");
  node_test_fails (&test, "arm.skeleton", KG_ERROR_DEGENERATE);
  node_test_set (&test, "arm", "table", "\"0 0 0 0\"");
  node_test_set (&test, "arm", "values", "[1, 2]");
  node_test_fails_saying (&test, "arm.skeleton", 0, "2 values");
  node_test_clear (&test);
}

/* Three axes in one place are a ball as long as they differ: as the corrected table has them. */
static void
test_ball_lock (void)
{
  static const struct {
    const char *table;
    double rank;
  } facts[] = {
    { "\"0 0 0 0; 0 90 0 90; 0 90 0 0\"", 3 }, /* corrected */
    { "\"0 0 0 0; 0 90 0 0; 0 90 0 0\"", 2 },  /* without the 90 of B2 */
    { "\"0 90 0 0; 0 90 0 90; 0 0 0 0\"", 2 }, /* twists a row too high, as printed */
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/dh_chain", "ball", NULL);
  node_test_add (&test, "rig/jacobian", "axes", "skeleton", "{\"link\": \"ball.skeleton\"}", "rows", "\"orientation\"",
                 NULL);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    node_test_set (&test, "ball", "table", facts[i].table);
    assert_near (node_test_number (&test, "axes.rank", 0), facts[i].rank, 0);
  }
  /* At zero the corrected axes are z, -y and x. */
  node_test_set (&test, "ball", "table", facts[0].table);
  assert_near (get_cell (&test, "axes.matrix", 2, 0, 0), 1, 1e-12);
  assert_near (get_cell (&test, "axes.matrix", 1, 1, 0), -1, 1e-12);
  assert_near (get_cell (&test, "axes.matrix", 0, 2, 0), 1, 1e-12);
  node_test_clear (&test);
}

/* A table of a skeleton makes the skeleton again. */
static void
test_dh_fit (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) first = KG_VALUE_INIT, second = KG_VALUE_INIT;
  KgTransform a[4], b[4];

  node_test_add (
      &test, "rig/joints", "arm", "joints",
      "\"a - hinge 0.1 0.2 0.3 rest 20 30 40\\nb a slider 1 0 0.2 about y rest 10 0 50\\nc b hinge 0.3 0.5 0 "
      "about x rest -70 0 0\\nend c fixed 0.4 0 0\"",
      "values", "[20, 0.5, -35]", NULL);
  node_test_add (&test, "rig/dh_fit", "fit", "skeleton", "{\"link\": \"arm.skeleton\"}", NULL);
  node_test_add (&test, "rig/dh_chain", "again", "table", "{\"link\": \"fit.table\"}", "base",
                 "{\"link\": \"fit.base\"}", "tool_length", "0", NULL);
  g_assert_cmpfloat (node_test_number (&test, "fit.residual", 0), <, 1e-12);
  first = node_test_get (&test, "arm.skeleton", 0);
  second = node_test_get (&test, "again.skeleton", 0);
  kg_skeleton_get_world (first.skeleton, a);
  kg_skeleton_get_world (second.skeleton, b);
  /* The axes of the hinges: z, y and x of their joints, z of all in the table. */
  for (int r = 0; r < 3; r++) {
    assert_near (a[0].m[r][2], b[0].m[r][2], 1e-12);
    assert_near (a[1].m[r][1], b[1].m[r][2], 1e-12);
    assert_near (a[2].m[r][0], b[2].m[r][2], 1e-12);
  }
  {
    g_auto (KgValue) end = node_test_get (&test, "fit.end", 0);
    const KgTransform whole = kg_transform_multiply (b[3], *end.transform);

    for (int k = 0; k < 12; k++)
      assert_near (whole.m[k / 4][k % 4], a[3].m[k / 4][k % 4], 1e-12);
  }
  node_test_set (&test, "arm", "values", "[]");
  node_test_set (&test, "arm", "joints", "\"a - ball 0 0 0\\nb a fixed 1 0 0\"");
  node_test_fails_saying (&test, "fit.table", 0, "all directions");
  node_test_set (&test, "arm", "joints", "\"a - fixed 0 0 0\\nb a fixed 1 0 0\"");
  node_test_fails (&test, "fit.table", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

static const char planar_arm[] = "\"a - hinge 0 0 0\\nb a hinge 2 0 0\\nc b hinge 1.5 0 0\\nend c fixed 1 0 0\"";

static void
test_jacobian (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "arm", "joints", planar_arm, "values", "[30, 45, -20]", NULL);
  node_test_add (&test, "rig/jacobian", "j", "skeleton", "{\"link\": \"arm.skeleton\"}", "rows", "\"position\"", NULL);
  assert_near (get_cell (&test, "j.matrix", 0, 0, 0), -3.268041, 1e-6);
  assert_near (get_cell (&test, "j.matrix", 1, 2, 0), 0.573576, 1e-6);
  assert_near (get_cell (&test, "j.singular_values", 0, 0, 0), 4.963226, 1e-6);
  assert_near (get_cell (&test, "j.singular_values", 1, 0, 0), 0.610261, 1e-6);
  assert_near (node_test_number (&test, "j.manipulability", 0), 3.028865, 1e-6);
  assert_near (node_test_number (&test, "j.rank", 0), 2, 0);
  assert_near (node_test_number (&test, "j.singular", 0), 0, 0);
  assert_near (node_test_number (&test, "j.condition", 0), 4.963226 / 0.610261, 1e-4);
  {
    const double sign = get_cell (&test, "j.null_space", 0, 0, 0) > 0 ? 1 : -1;

    assert_near (sign * get_cell (&test, "j.null_space", 0, 0, 0), 0.169380, 1e-6);
    assert_near (sign * get_cell (&test, "j.null_space", 1, 0, 0), 0.109680, 1e-6);
    assert_near (sign * get_cell (&test, "j.null_space", 2, 0, 0), -0.979429, 1e-6);
  }
  node_test_set (&test, "arm", "values", "[0, 0, 0]");
  assert_near (node_test_number (&test, "j.singular", 0), 1, 0);
  assert_near (node_test_number (&test, "j.manipulability", 0), 0, 1e-12);
  assert_near (get_cell (&test, "j.singular_values", 0, 0, 0), 5.244044, 1e-6);
  /* One hinge at the origin, and a point it carries. */
  node_test_set (&test, "arm", "values", "[]");
  node_test_set (&test, "arm", "joints", "\"a - hinge 0 0 0\"");
  node_test_set (&test, "j", "point", "[3, 1, 5]");
  node_test_set (&test, "j", "rows", "\"both\"");
  for (guint r = 0; r < 6; r++) {
    static const double column[] = { -1, 3, 0, 0, 0, 1 };

    assert_near (get_cell (&test, "j.matrix", r, 0, 0), column[r], 1e-12);
  }
  node_test_set (&test, "arm", "joints", "\"a - fixed 0 0 0\"");
  node_test_fails (&test, "j.matrix", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* The end of the pose of 50-26 stays where it is, and the hand wants to be straight: the pose of least discomfort is that of a two-link arm. */
static void
test_comfort (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "arm", "joints", planar_arm, "values", "[30, 45, -20]", NULL);
  node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"arm.skeleton\"}", "method", "\"pseudo-inverse\"",
                 "goal", "[2.6938556, 3.2680408, 0]", "gains", "[0, 0, 1, 0]", "tolerance", "1e-9", "max_iterations",
                 "2000", NULL);
  assert_near (get_angle (&test, "ik.posed", 0), 28.318581, 1e-4);
  assert_near (get_angle (&test, "ik.posed", 1), 39.763158, 1e-4);
  assert_near (get_angle (&test, "ik.posed", 2), 0, 2e-4);
  g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-9);
  assert_near (node_test_number (&test, "ik.comfort", 0), 0, 1e-9);
  /* Without gains it is the plain pseudo-inverse, bit for bit. */
  node_test_set (&test, "ik", "gains", "[0]");
  {
    g_auto (KgValue) zero = node_test_get (&test, "ik.posed", 0), plain = KG_VALUE_INIT;

    node_test_set (&test, "ik", "gains", "[]");
    plain = node_test_get (&test, "ik.posed", 0);
    g_assert_true (kg_skeleton_equal (zero.skeleton, plain.skeleton));
  }
  node_test_set (&test, "ik", "gains", "[0, 0, 1, 0]");
  node_test_set (&test, "ik", "power", "3");
  node_test_fails_saying (&test, "ik.posed", 0, "even");
  node_test_set (&test, "ik", "power", "4");
  g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-4);
  node_test_set (&test, "ik", "gains", "[1, -1, 1, 1]");
  node_test_fails_saying (&test, "ik.posed", 0, "gain 2");
  node_test_set (&test, "ik", "gains", "[1, 1]");
  node_test_fails_saying (&test, "ik.posed", 0, "one for each joint");
  /* 20-105: a stiff joint stays where it was, and the end arrives all the same. */
  node_test_set (&test, "ik", "gains", "[]");
  node_test_set (&test, "ik", "goal", "[2, 3.5, 0]");
  {
    const double start = get_angle (&test, "arm.skeleton", 1), loose = get_angle (&test, "ik.posed", 1);

    node_test_set (&test, "ik", "stiffness", "[1, 10000, 1, 1]");
    g_assert_cmpfloat (fabs (get_angle (&test, "ik.posed", 1) - start), <, 0.01 * fabs (loose - start));
    g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-9);
  }
  node_test_set (&test, "ik", "stiffness", "[1, 0, 1, 1]");
  node_test_fails_saying (&test, "ik.posed", 0, "stiffness 2 is 0");
  node_test_clear (&test);
}

/* Passes of coordinate descent and of FABRIK, one by one. */
static void
test_passes (void)
{
  static const struct {
    const char *passes;
    double x, y;
  } facts[] = { { "1", 0.648933, 1.297867 }, { "2", 0.954966, 1.909931 }, { "5", 0.997444, 1.994887 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/chain", "chain", NULL);
  node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "goal", "[1, 2, 0]", "method",
                 "\"ccd\"", "tolerance", "0", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    node_test_set (&test, "ik", "max_iterations", facts[i].passes);
    assert_vector_near (node_test_vector (&test, "ik.end", 0), facts[i].x, facts[i].y, 0, 1e-6);
  }
  node_test_set (&test, "ik", "max_iterations", "1");
  assert_near (get_angle (&test, "ik.posed", 0), 16.997949, 1e-6);
  assert_near (get_angle (&test, "ik.posed", 1), 31.717474, 1e-6);
  assert_near (get_angle (&test, "ik.posed", 2), 116.565051, 1e-6);
  node_test_set (&test, "ik", "method", "\"fabrik\"");
  assert_vector_near (node_test_vector (&test, "ik.end", 0), 1.012355, 1.972814, 0, 1e-6);
  /* The published algorithm, computed apart. */
  node_test_set (&test, "ik", "max_iterations", "4");
  assert_vector_near (node_test_vector (&test, "ik.end", 0), 1.000034901986, 1.999922041891, 0, 1e-9);
  node_test_clear (&test);
}

/* A goal that is too near for the limits of the elbow. */
static void
test_limits (void)
{
  static const char *const methods[] = { "\"damped-least-squares\"", "\"pseudo-inverse\"", "\"transpose\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "arm", "joints",
                 "\"a - hinge 0 0 0\\nb a hinge 1 0 0 limits 0 90\\nend b fixed 1 0 0\"", "values", "[10, 30]", NULL);
  node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"arm.skeleton\"}", "goal", "[0.3, 0.4, 0]",
                 "max_iterations", "3000", "substeps", "2", NULL);
  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    node_test_set (&test, "ik", "method", methods[m]);
    assert_near (get_angle (&test, "ik.posed", 1), 90, 1e-9);
    assert_near (node_test_number (&test, "ik.residual", 0), sqrt (2) - 0.5, 1e-6);
  }
  node_test_clear (&test);
}

/* Every method on goals in reach, beyond, at the root and on the own line of the arm, and sliding joints. */
static void
test_methods (void)
{
  static const char *const methods[] = { "\"damped-least-squares\"", "\"pseudo-inverse\"", "\"transpose\"",
                                         "\"effect\"" };
  static const char *const rules[] = { "\"constant\"", "\"near-singular\"", "\"selective\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "arm", "joints", planar_arm, NULL);
  node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"arm.skeleton\"}", "max_iterations", "3000",
                 "tolerance", "1e-4", NULL);
  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    node_test_set (&test, "ik", "method", methods[m]);
    node_test_set (&test, "ik", "goal", "[-1, 2.5, 0]");
    g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-4);
    assert_near (node_test_number (&test, "ik.singular", 0), 0, 0);
    node_test_set (&test, "ik", "goal", "[3, 0, 0]");
    g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-3);
    /* Out of reach it points towards the goal, nearly straight. */
    node_test_set (&test, "ik", "goal", "[0, 9, 0]");
    assert_near (node_test_number (&test, "ik.residual", 0), 4.5, 0.01);
    /* Out of the plane, too. */
    node_test_set (&test, "ik", "goal", "[2, 2, 1]");
    assert_near (node_test_number (&test, "ik.residual", 0), 1, 1e-3);
  }
  node_test_set (&test, "ik", "method", methods[0]);
  node_test_set (&test, "ik", "goal", "[-1, 2.5, 0]");
  for (guint r = 0; r < G_N_ELEMENTS (rules); r++) {
    node_test_set (&test, "ik", "damping_rule", rules[r]);
    g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-4);
  }
  /* A slider takes part. */
  node_test_set (&test, "arm", "joints",
                 "\"a - slider 0 0 0 about x limits -2 5\\nb a hinge 0 0 0\\nend b fixed 1 0 0\"");
  node_test_set (&test, "ik", "goal", "[4, 0.6, 0]");
  g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-4);
  node_test_set (&test, "ik", "method", "\"fabrik\"");
  node_test_warns (&test, "ik.posed", "rotates joints only");
  node_test_clear (&test);
}

static void
test_inverse (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "arm", "joints", "\"a - hinge 0 0 0\\nb a hinge 1 0 0\\nend b fixed 1 0 0\"",
                 "values", "[20, 60]", NULL);
  node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"arm.skeleton\"}", "method", "\"jacobian-inverse\"",
                 "goal", "[0.4, 1.2, 0]", NULL);
  g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <=, 1e-4);
  /* On its own line. */
  node_test_set (&test, "arm", "values", "[0, 0]");
  node_test_set (&test, "ik", "goal", "[1, 0, 0]");
  node_test_fails_saying (&test, "ik.posed", 0, "singular");
  node_test_set (&test, "arm", "values", "[]");
  node_test_set (&test, "arm", "joints", planar_arm);
  node_test_fails_saying (&test, "ik.posed", 0, "pseudo-inverse");
  node_test_clear (&test);
}

/* Two hands of a body: the first goal wins where there is a priority, and both share where there is none. */
static void
test_goals (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgTransform world[5];

  node_test_add (&test, "rig/joints", "body", "joints",
                 "\"spine - hinge 0 0 0\\nleft spine hinge 0 1 0\\nlefthand left fixed -1 0 0\\n"
                 "right spine hinge 0 1 0\\nrighthand right fixed 1 0 0\"",
                 NULL);
  node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"body.skeleton\"}", "end_joint", "\"lefthand\"",
                 "goal", "[-1.9, 0.3, 0]", "goals", "[[1,0,0,1.9, 0,1,0,0.3, 0,0,1,0, 0,0,0,1]]", "ends",
                 "\"righthand\"", "max_iterations", "500", NULL);
  value = node_test_get (&test, "ik.posed", 0);
  kg_skeleton_get_world (value.skeleton, world);
  assert_near (world[2].m[0][3], -world[4].m[0][3], 1e-3);
  assert_near (world[2].m[1][3], world[4].m[1][3], 1e-3);
  node_test_set (&test, "ik", "goal_weights", "\"1 0 0; 1 0 1\"");
  node_test_set (&test, "ik", "method", "\"pseudo-inverse\"");
  {
    g_auto (KgValue) first = node_test_get (&test, "ik.posed", 0);

    kg_skeleton_get_world (first.skeleton, world);
    assert_near (hypot (world[2].m[0][3] + 1.9, world[2].m[1][3] - 0.3), 0, 1e-2);
  }
  node_test_set (&test, "ik", "ends", "\"\"");
  node_test_fails_saying (&test, "ik.posed", 0, "name a joint for each");
  node_test_set (&test, "ik", "ends", "\"righthand;nose\"");
  node_test_fails_saying (&test, "ik.posed", 0, "has no goal");
  node_test_set (&test, "ik", "ends", "\"righthand\"");
  node_test_set (&test, "ik", "goal_weights", "\"1; -1\"");
  node_test_fails_saying (&test, "ik.posed", 0, "goal 2");
  node_test_set (&test, "ik", "goal_weights", "\"\"");
  node_test_set (&test, "ik", "method", "\"ccd\"");
  node_test_fails_saying (&test, "ik.posed", 0, "ccd");
  /* Methods for one goal say that the names do nothing. */
  node_test_set (&test, "ik", "goals", "[]");
  node_test_warns (&test, "ik.posed", "joint \"righthand\" has no goal");
  node_test_set (&test, "ik", "ends", "\" \"");
  node_test_is_quiet (&test, "ik.posed", 0);
  node_test_clear (&test);
}

/* An arm of three links that has its hand at any angle within 2 to 4 m, and no free choice outside. */
static void
test_workspace (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "arm", "joints", "\"a - hinge 1 2 0\\nb a hinge 3 0 0\\nend b fixed 2 0 0\"",
                 NULL);
  node_test_add (&test, "rig/workspace", "space", "skeleton", "{\"link\": \"arm.skeleton\"}", "samples", "200", NULL);
  assert_near (node_test_number (&test, "space.area", 0), 75.398224, 0.05);
  assert_near (node_test_number (&test, "space.nearest", 0), 1, 1e-3);
  assert_near (node_test_number (&test, "space.farthest", 0), 5, 1e-3);
  {
    g_auto (KgValue) value = node_test_get (&test, "space.geometry", 0);
    const float *p = kg_geometry_get_positions (value.geometry);

    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 200);
    for (size_t i = 0; i < 200; i++) {
      const double r = hypot ((double) p[3 * i] - 1, (double) p[3 * i + 1] - 2);

      g_assert_cmpfloat (r, >=, 1 - 1e-6);
      g_assert_cmpfloat (r, <=, 5 + 1e-6);
    }
  }
  node_test_set (&test, "space", "mode", "\"boundary\"");
  node_test_set (&test, "space", "samples", "40");
  {
    g_auto (KgValue) value = node_test_get (&test, "space.geometry", 0);
    const float *p = kg_geometry_get_positions (value.geometry);

    g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 40);
    for (size_t i = 0; i < 40; i++)
      assert_near (hypot ((double) p[3 * i] - 1, (double) p[3 * i + 1] - 2), i % 2 == 0 ? 5 : 1, 2e-2);
  }
  node_test_set (&test, "arm", "joints", "\"a - hinge 0 0 0\\nb a hinge 3 0 0\\nc b hinge 2 0 0\\nend c fixed 1 0 0\"");
  node_test_set (&test, "space", "mode", "\"dextrous\"");
  node_test_set (&test, "space", "directions", "8");
  node_test_set (&test, "space", "samples", "30");
  {
    g_auto (KgValue) value = node_test_get (&test, "space.geometry", 0);
    const float *p = kg_geometry_get_positions (value.geometry);
    const float *share = kg_geometry_get_float (value.geometry, KG_POINTS, "dexterity", 1);
    guint inside = 0, all = 0;

    for (size_t i = 0; i < 30; i++) {
      const double r = hypot ((double) p[3 * i], (double) p[3 * i + 1]);

      /* Well inside all orientations are there; well outside some are not. */
      if (r > 2.1 && r < 3.9) {
        inside++;
        all += share[i] == 1;
      } else if (r < 1.5 && r > 0.5) {
        g_assert_cmpfloat ((double) share[i], <, 1);
      } else if (r > 4.5) {
        g_assert_cmpfloat ((double) share[i], <, 1);
      }
    }
    g_assert_cmpuint (inside, >, 5);
    g_assert_cmpuint (all, ==, inside);
  }
  node_test_set (&test, "arm", "joints", "\"a - fixed 0 0 0\"");
  node_test_fails (&test, "space.geometry", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

static void
test_torques (void)
{
  NodeTest test = node_test_new ();

  node_test_add (
      &test, "rig/joints", "arm", "joints",
      "\"a - hinge 0 0 0 mass 2 center 1 0 0\\nb a hinge 1 0 0 mass 1 center 0.5 0 0\\nend b fixed 0.5 0 0\"", "values",
      "[30, 60]", NULL);
  node_test_add (&test, "rig/torques", "t", "skeleton", "{\"link\": \"arm.skeleton\"}", "motion", "\"typed\"", NULL);
  node_test_set_number (&test, "t", "friction", 0);
  node_test_set (&test, "t", "rates", "[57.29577951308232, -114.59155902616465]");
  assert_near (get_cell (&test, "t.inertia", 0, 0, 0), 3.75, 1e-12);
  assert_near (get_cell (&test, "t.inertia", 0, 1, 0), 0.5, 1e-12);
  assert_near (get_cell (&test, "t.inertia", 1, 1, 0), 0.25, 1e-12);
  assert_near (get_cell (&test, "t.coupling", 0, 0, 0), 0, 1e-12);
  assert_near (get_cell (&test, "t.coupling", 1, 0, 0), 0.433013, 1e-6);
  assert_near (get_cell (&test, "t.weight", 0, 0, 0), 25.487128, 1e-6);
  assert_near (get_cell (&test, "t.weight", 1, 0, 0), 0, 1e-12);
  assert_near (get_cell (&test, "t.torques", 0, 0, 0), 25.487128, 1e-6);
  assert_near (node_test_number (&test, "t.power", 0), 25.487128 - 2 * 0.433013, 1e-5);
  /* The arm of 50-26 pushes down; and 55-102. */
  node_test_set (&test, "t", "rates", "[]");
  node_test_set (&test, "t", "gravity", "[0, 0, 0]");
  node_test_set (&test, "arm", "joints", planar_arm);
  node_test_set (&test, "arm", "values", "[30, 45, -20]");
  node_test_set (&test, "t", "force", "[0, -10, 0]");
  assert_near (get_cell (&test, "t.torques", 0, 0, 0), -26.938558, 1e-6);
  assert_near (get_cell (&test, "t.torques", 1, 0, 0), -9.618050, 1e-6);
  assert_near (get_cell (&test, "t.torques", 2, 0, 0), -5.735764, 1e-6);
  node_test_set (&test, "arm", "joints",
                 "\"a - hinge 0 0 0\\nb a hinge 1 0 0\\nc b hinge 0.8 0 0\\nend c fixed 0.6 0 0\"");
  node_test_set (&test, "arm", "values", "[20, 40, 30]");
  node_test_set (&test, "t", "force", "[3, -5, 0]");
  assert_near (get_cell (&test, "t.torques", 0, 0, 0), -11.6029845, 1e-7);
  assert_near (get_cell (&test, "t.torques", 1, 0, 0), -5.8784610, 1e-7);
  assert_near (get_cell (&test, "t.torques", 2, 0, 0), -1.8, 1e-7);
  node_test_clear (&test);
}

/* From the poses: a hinge at a steady acceleration needs I times it, a ball that spins steadily about a main axis nothing. */
static void
test_torques_of_poses (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "wheel", "joints", "\"a - hinge 0 0 0 mass 1 tensor 2 3 4\"", NULL);
  node_test_add (&test, "rig/pose", "turned", "skeleton", "{\"link\": \"wheel.skeleton\"}", "joint", "\"a\"", "angles",
                 "{\"expr\": \"0, 0, 90*t^2\"}", NULL);
  node_test_add (&test, "rig/torques", "t", "skeleton", "{\"link\": \"turned.posed\"}", NULL);
  assert_near (get_cell (&test, "t.torques", 0, 0, 0.3), 4 * KG_PI, 1e-8);
  assert_near (node_test_number (&test, "t.power", 0.5), 4 * KG_PI * KG_PI / 2, 1e-6);
  node_test_set (&test, "wheel", "joints", "\"a - ball 0 0 0 mass 1 tensor 2 3 4\"");
  node_test_set (&test, "turned", "angles", "{\"expr\": \"0, 0, 90*t\"}");
  for (guint k = 0; k < 3; k++)
    assert_near (get_cell (&test, "t.torques", k, 0, 0.3), 0, 1e-8);
  node_test_clear (&test);
}

static void
test_articulated (void)
{
  NodeTest test = node_test_new ();
  double first;

  node_test_add (
      &test, "rig/joints", "chain", "joints",
      "\"a - hinge 0 0 0 mass 2 center 1 0 0\\nb a hinge 1 0 0 mass 1 center 0.5 0 0\\nend b fixed 0.5 0 0\"", "values",
      "[40, -70]", NULL);
  node_test_add (&test, "sim/articulated", "sim", "skeleton", "{\"link\": \"chain.skeleton\"}", NULL);
  first = node_test_number (&test, "sim.energy", 0);
  assert_near (node_test_number (&test, "sim.energy", 10), first, 1e-3);
  assert_near (node_test_number (&test, "sim.kinetic", 10) + node_test_number (&test, "sim.potential", 10),
               node_test_number (&test, "sim.energy", 10), 1e-9);
  /* The same bits however a frame was reached. */
  {
    NodeTest other = node_test_new ();

    node_test_add (
        &other, "rig/joints", "chain", "joints",
        "\"a - hinge 0 0 0 mass 2 center 1 0 0\\nb a hinge 1 0 0 mass 1 center 0.5 0 0\\nend b fixed 0.5 0 0\"",
        "values", "[40, -70]", NULL);
    node_test_add (&other, "sim/articulated", "sim", "skeleton", "{\"link\": \"chain.skeleton\"}", NULL);
    node_test_number (&other, "sim.energy", 3);
    node_test_number (&other, "sim.energy", 1);
    g_assert_true (get_cell (&other, "sim.freedoms", 1, 0, 2.5) == get_cell (&test, "sim.freedoms", 1, 0, 2.5));
    node_test_clear (&other);
  }
  /* A driven joint follows the pose, and the other swings on. */
  node_test_set (&test, "sim", "driven", "\"a\"");
  node_test_add (&test, "rig/pose", "led", "skeleton", "{\"link\": \"chain.skeleton\"}", "joint", "\"a\"", "angles",
                 "{\"expr\": \"0, 0, 40 + 60*t\"}", NULL);
  node_test_set (&test, "sim", "skeleton", "{\"link\": \"led.posed\"}");
  assert_near (get_cell (&test, "sim.freedoms", 0, 0, 2) / KG_DEGREE, 160, 1e-9);
  node_test_set (&test, "sim", "driven", "\"a; nose\"");
  node_test_fails_saying (&test, "sim.posed", 1, "nose");
  node_test_clear (&test);
}

/* Motors pull to the pose however stiff they are, with few steps; and what is too stiff for Runge-Kutta is reported. */
static void
test_motors (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/chain", "chain", "hinge", "true", NULL);
  node_test_add (&test, "rig/pose", "up", "skeleton", "{\"link\": \"chain.skeleton\"}", "joint", "\"joint2\"", "angles",
                 "{\"expr\": \"0, 0, 60*min(1, 24*t)\"}", NULL);
  node_test_add (&test, "sim/articulated", "sim", "skeleton", "{\"link\": \"up.posed\"}", "stiffness", "[1e7]",
                 "damping", "[1e5]", "method", "\"semi-implicit\"", "substeps", "1", NULL);
  assert_near (get_cell (&test, "sim.freedoms", 1, 0, 3) / KG_DEGREE, 60, 1e-2);
  assert_near (get_cell (&test, "sim.freedoms", 0, 0, 3) / KG_DEGREE, 0, 1e-2);
  node_test_set (&test, "sim", "method", "\"rk4\"");
  node_test_fails_saying (&test, "sim.posed", 3, "semi-implicit");
  node_test_set (&test, "sim", "stiffness", "[-1]");
  node_test_fails_saying (&test, "sim.posed", 1, "0 or more");
  node_test_clear (&test);
}

/* Warnings of the simulation one frame on, "" without any.  (transfer full) */
static char *
dup_warnings_of_step (NodeTest *test)
{
  g_auto (GStrv) warnings = NULL;

  node_test_number (test, "sim.energy", 1.0 / 24);
  warnings = kg_evaluator_dup_warnings (test->evaluator, kg_graph_find (test->graph, "sim"));
  return warnings != NULL ? g_strjoinv ("\n", warnings) : g_strdup ("");
}

/* A spring of 1000 rad/s, which steps of Runge-Kutta follow up to 2.78 radians at a time. */
static void
test_step_limit (void)
{
  NodeTest test = node_test_new ();
  g_autofree char *few = NULL, *enough = NULL, *far = NULL;

  node_test_add (&test, "rig/joints", "arm", "joints",
                 "\"a - hinge 0 0 0 mass 1 center 1 0 0 tensor 0.1 1 1\\nend a fixed 1 0 0\"", NULL);
  node_test_add (&test, "sim/articulated", "sim", "skeleton", "{\"link\": \"arm.skeleton\"}", "stiffness", "[2e6]",
                 NULL);
  few = dup_warnings_of_step (&test);
  g_assert_nonnull (strstr (few, "use 17 substeps, or the semi-implicit method"));
  node_test_set (&test, "sim", "substeps", "17");
  enough = dup_warnings_of_step (&test);
  g_assert_cmpstr (enough, ==, "");
  node_test_set (&test, "sim", "substeps", "1");
  node_test_set (&test, "sim", "stiffness", "[2e12]");
  far = dup_warnings_of_step (&test);
  g_assert_nonnull (strstr (far, "they need 16487 substeps; use the semi-implicit method"));
  node_test_clear (&test);
}

/* What messages say of numbers, rods and tensors that cannot be. */
static void
test_messages (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "arm", "joints", "\"a - hinge 0 0 0 mass nan\"", NULL);
  node_test_add (&test, "sim/articulated", "sim", "skeleton", "{\"link\": \"arm.skeleton\"}", NULL);
  node_test_fails_saying (&test, "arm.skeleton", 0, "\"nan\" is not a number");
  node_test_set (&test, "arm", "joints", "\"a - hinge 0 0 0 mass\"");
  node_test_fails_saying (&test, "arm.skeleton", 0, "the line ends too early");
  node_test_set (&test, "arm", "joints", "\"a - hinge 0 0 0\\nb a fixed 0 0 0\"");
  node_test_fails_saying (&test, "sim.posed", 0, "give its bones lengths");
  node_test_set (&test, "arm", "joints", "\"a - hinge 0 0 0 mass 1 tensor 1 1 9\"");
  node_test_fails_saying (&test, "sim.posed", 0, "at most the sum of the others");
  node_test_set (&test, "arm", "joints", "\"a - hinge 0 0 0 mass 1 tensor 0.333 0.333 0.667\"");
  node_test_number (&test, "sim.energy", 0);
  node_test_add (&test, "sim/correction_stages", "rod", "points", "\"1 1; 1 1\"", NULL);
  node_test_warns (&test, "rod.geometry", "the rod has no length");
  node_test_clear (&test);
}

/* No masses, links of length 0, very long chains, and chains that fall on their stops. */
static void
test_degenerate (void)
{
  g_autoptr (GString) lengths = g_string_new ("\"");
  NodeTest test = node_test_new ();

  for (guint i = 0; i < 1000; i++)
    g_string_append (lengths, i % 10 == 9 ? " 0" : " 0.1");
  g_string_append_c (lengths, '"');
  node_test_add (&test, "rig/chain", "chain", "lengths", lengths->str, NULL);
  node_test_add (&test, "sim/articulated", "sim", "skeleton", "{\"link\": \"chain.skeleton\"}", "width", "0.02",
                 "substeps", "2", NULL);
  g_assert_true (isfinite (node_test_number (&test, "sim.energy", 2.0 / 24)));
  node_test_add (&test, "rig/ik", "ik", "skeleton", "{\"link\": \"chain.skeleton\"}", "goal", "[30, 50, 0]", "method",
                 "\"pseudo-inverse\"", "max_iterations", "40", NULL);
  g_assert_cmpfloat (node_test_number (&test, "ik.residual", 0), <, 1e-3);
  node_test_set (&test, "chain", "lengths", "\"0 0 0\"");
  node_test_fails (&test, "sim.posed", KG_ERROR_DEGENERATE);
  node_test_set (&test, "ik", "goal", "[0, 0, 0]");
  assert_near (node_test_number (&test, "ik.residual", 0), 0, 1e-12);
  node_test_set (&test, "ik", "goal", "[1, 0, 0]");
  assert_near (node_test_number (&test, "ik.residual", 0), 1, 1e-12);
  node_test_clear (&test);
}

static void
test_masses (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/chain", "chain", "lengths", "\"2 3\"", NULL);
  node_test_add (&test, "rig/masses", "heavy", "skeleton", "{\"link\": \"chain.skeleton\"}", "per_metre", "1.5", NULL);
  assert_near (node_test_number (&test, "heavy.mass", 0), 7.5, 1e-12);
  node_test_set (&test, "heavy", "from", "\"table\"");
  node_test_set (&test, "heavy", "table", "\"1 0.5 0 0 0.1 0.2 0.2; 4\"");
  assert_near (node_test_number (&test, "heavy.mass", 0), 5, 1e-12);
  node_test_set (&test, "heavy", "table", "\"1; 2; 3; 4\"");
  node_test_fails_saying (&test, "heavy.mass", 0, "4 rows");
  node_test_set (&test, "heavy", "table", "\"-1\"");
  node_test_fails_saying (&test, "heavy.mass", 0, "row 1");
  node_test_clear (&test);
}

/* The points of a rope. */
static KgVector
get_point (NodeTest *test, const char *target, size_t i, double time)
{
  g_auto (KgValue) value = node_test_get (test, target, time);
  const float *p = kg_geometry_get_positions (value.geometry) + 3 * i;

  g_assert_cmpuint (i, <, kg_geometry_get_n_points (value.geometry));
  return kg_vector ((double) p[0], (double) p[1], (double) p[2]);
}

static void
test_rope_hangs (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/fake_rope", "rope", "start", "[0, 0, 0]", "end", "[1, 0, 0]", "length", "1.2", "points",
                 "33", NULL);
  assert_near (get_point (&test, "rope.geometry", 16, 0).y, -0.2923438, 1e-6);
  assert_vector_near (get_point (&test, "rope.geometry", 32, 0), 1, 0, 0, 1e-6);
  /* Points are evenly spaced along the rope, also between ends of different heights. */
  node_test_set (&test, "rope", "end", "[0.4, 0.7, 0.3]");
  {
    double length = 0;

    for (size_t i = 0; i < 32; i++)
      length +=
          kg_vector_distance (get_point (&test, "rope.geometry", i, 0), get_point (&test, "rope.geometry", i + 1, 0));
    assert_near (length, 1.2, 2e-3);
  }
  /* Two strands straight down, and their tension. */
  node_test_set (&test, "rope", "end", "[0, -0.2, 0]");
  assert_vector_near (get_point (&test, "rope.geometry", 32, 0), 0, -0.2, 0, 1e-6);
  assert_near (node_test_number (&test, "rope.tension", 0), 9.81 * 0.7, 1e-9);
  /* Too short: straight. */
  node_test_set (&test, "rope", "end", "[3, 0, 0]");
  assert_vector_near (get_point (&test, "rope.geometry", 16, 0), 1.5, 0, 0, 1e-6);
  assert_near (node_test_number (&test, "rope.taut", 0), 1, 0);
  /* The sag leans against the acceleration of its ends, (3, 0, 0). */
  node_test_set (&test, "rope", "lag", "0");
  node_test_set (&test, "rope", "start", "{\"expr\": \"1.5*t^2, 0, 0\"}");
  node_test_set (&test, "rope", "end", "{\"expr\": \"1.5*t^2, 0, 1\"}");
  {
    const KgVector lowest = get_point (&test, "rope.geometry", 16, 1);

    assert_near (atan2 (1.5 - lowest.x, -lowest.y) / KG_DEGREE, 17.004177, 1e-4);
    assert_near (lowest.z, 0.5, 1e-6);
  }
  /* A steady motion moves it as a whole. */
  node_test_set (&test, "rope", "start", "{\"expr\": \"2*t, t, 0\"}");
  node_test_set (&test, "rope", "end", "{\"expr\": \"1 + 2*t, t, 0\"}");
  {
    const KgVector before = get_point (&test, "rope.geometry", 10, 0),
                   after = get_point (&test, "rope.geometry", 10, 1);

    assert_vector_near (kg_vector_subtract (after, before), 2, 1, 0, 1e-6);
  }
  node_test_clear (&test);
}

static void
test_rope_rings (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/fake_rope", "string", "start", "[0, 0, 0]", "end", "[2, 0, 0]", "slack", "1", "points",
                 "33", "pluck", "[0, 0.1, 0]", "pluck_time", "1", "decay", "0", NULL);
  assert_near (get_point (&test, "string.geometry", 16, 0.9).y, 0, 1e-9);
  assert_near (get_point (&test, "string.geometry", 16, 1).y, 0.0949598, 1e-7);
  node_test_set (&test, "string", "modes", "1");
  assert_near (get_point (&test, "string.geometry", 16, 1).y, 0.8 / (KG_PI * KG_PI), 1e-7);
  node_test_set (&test, "string", "pluck_at", "0.25");
  assert_near (get_point (&test, "string.geometry", 16, 1).y, 0.0764212, 1e-7);
  node_test_set (&test, "string", "modes", "8");
  /* After the time of half a period it is upside down and the other way round. */
  for (size_t i = 0; i < 33; i++)
    assert_near (get_point (&test, "string.geometry", i, 1.5).y, -get_point (&test, "string.geometry", 32 - i, 1).y,
                 1e-7);
  node_test_set (&test, "string", "pluck_at", "0");
  assert_near (get_point (&test, "string.geometry", 7, 1).y, 0, 1e-12);
  node_test_clear (&test);
}

static void
test_coil (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/fake_rope", "coil", "start", "[0, 0, 0]", "end", "[4, 0, 0]", "slack", "1", "coils", "8",
                 NULL);
  for (size_t i = 0; i <= 192; i += 7) {
    const KgVector p = get_point (&test, "coil.geometry", i, 0);

    assert_near (hypot (p.y, p.z), 0.1823349, 1e-6);
    assert_near (p.x, 4 * (double) i / 192, 1e-6);
  }
  node_test_set (&test, "coil", "end", "[9, 0, 0]");
  {
    const KgVector p = get_point (&test, "coil.geometry", 5, 0);

    assert_near (hypot (p.y, p.z), 0.0867175, 1e-6);
  }
  node_test_set (&test, "coil", "end", "[11, 0, 0]");
  assert_near (get_point (&test, "coil.geometry", 100, 0).y, 0, 1e-9);
  assert_near (node_test_number (&test, "coil.taut", 0), 1, 0);
  node_test_set (&test, "coil", "end", "[0.01, 0, 0]");
  assert_near (node_test_number (&test, "coil.closed", 0), 1, 0);
  node_test_set (&test, "coil", "coils", "100000");
  node_test_fails (&test, "coil.geometry", KG_ERROR_LIMIT);
  node_test_clear (&test);
}

/* A cup that slides along the table: places and the velocity at arrival as in the catalogue, and after it the hand goes on with
 * the cup.  Wide and near goals take less time. */
static void
test_reach (void)
{
  const double way = sqrt (0.38 * 0.38 + 0.1 * 0.1 + 0.2 * 0.2), step = 1e-4;
  NodeTest test = node_test_new ();
  KgVector before, near;

  node_test_add (&test, "transform/compose", "rest", "translate", "[0.3, 0.9, 0.1]", NULL);
  node_test_add (&test, "transform/compose", "cup", "translate", "{\"expr\": \"0.6 + 0.1*t, 1, 0.3\"}", "rotate",
                 "[0, 90, 0]", NULL);
  node_test_add (&test, "motion/reach", "hand", "start", "{\"link\": \"rest.transform\"}", "goal",
                 "{\"link\": \"cup.transform\"}", "at", "20.2", "duration", "0.8", "approach", "0", NULL);
  assert_vector_near (node_test_vector (&test, "hand.position", -1), 0.3, 0.9, 0.1, 1e-15);
  assert_vector_near (node_test_vector (&test, "hand.position", 0.2), 0.333125, 0.9103516, 0.1207031, 1e-7);
  assert_vector_near (node_test_vector (&test, "hand.position", 0.4), 0.47, 0.95, 0.2, 1e-12);
  assert_vector_near (node_test_vector (&test, "hand.position", 0.8), 0.68, 1, 0.3, 1e-12);
  assert_vector_near (node_test_vector (&test, "hand.position", 2), 0.8, 1, 0.3, 1e-12);
  before = node_test_vector (&test, "hand.position", 0.8 - step);
  assert_vector_near (kg_vector_scale (kg_vector_subtract (kg_vector (0.68, 1, 0.3), before), 1 / step), 0.1, 0, 0,
                      1e-5);
  {
    g_auto (KgValue) half = node_test_get (&test, "hand.rotation", 0.4);

    assert_near (half.rotation.w, cos (G_PI / 8), 1e-12);
    assert_near (half.rotation.y, sin (G_PI / 8), 1e-12);
  }
  /* The goal's z, turned by 90° about y, is x: the hand comes from there, and its last way is along it. */
  node_test_set (&test, "hand", "approach", "0.1");
  assert_vector_near (node_test_vector (&test, "hand.position", 0.4), 0.57, 0.95, 0.2, 1e-12);
  near = kg_vector_subtract (node_test_vector (&test, "hand.position", 0.8 * 0.99), kg_vector (0.6792, 1, 0.3));
  g_assert_cmpfloat (near.x / kg_vector_length (near), >, 0.999);
  assert_vector_near (node_test_vector (&test, "hand.position", 0.8), 0.68, 1, 0.3, 1e-12);
  /* As long as people take; the distance is that at the arrival, so the time does not change on the way. */
  node_test_set (&test, "hand", "duration", "0");
  for (int k = 0; k < 3; k++)
    assert_near (node_test_number (&test, "hand.seconds", 0.4 * k), 0.1 + 0.15 * log2 (1 + way / 0.05), 1e-12);
  assert_near (node_test_number (&test, "hand.begins", 0), 20.2 - 24 * (0.1 + 0.15 * log2 (1 + way / 0.05)), 1e-9);
  /* No time at all: it jumps, and nothing is divided by it. */
  node_test_set (&test, "hand", "base", "0");
  node_test_set (&test, "hand", "per_bit", "0");
  assert_vector_near (node_test_vector (&test, "hand.position", 0.79), 0.3, 0.9, 0.1, 1e-12);
  assert_vector_near (node_test_vector (&test, "hand.position", 0.81), 0.681, 1, 0.3, 1e-12);
  node_test_clear (&test);
}

/* Onsets of 0, 0.1 and 0.2 s in a reach of 0.8 s: at half of it the joints have done these shares of their ways. */
static void
test_onsets (void)
{
  static const double shares[] = { 0.7901235, 0.5, 0.2098765 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/joints", "a", "joints", "\"a - hinge 0 0 0\\nb a hinge 1 0 0\\nc b hinge 1 0 0\"", NULL);
  node_test_add (&test, "rig/joints", "b", "joints", "\"a - hinge 0 0 0\\nb a hinge 1 0 0\\nc b hinge 1 0 0\"",
                 "values", "[90, 60, 30]", NULL);
  node_test_add (&test, "rig/pose_mix", "mix", "a", "{\"link\": \"a.skeleton\"}", "b", "{\"link\": \"b.skeleton\"}",
                 "onsets", "[0, 0.125, 0.25]", "ease", "\"minimum-jerk\"", NULL);
  for (int i = 0; i < 3; i++)
    assert_near (get_angle (&test, "mix.posed", i), (90 - 30 * i) * shares[i], 1e-5);
  node_test_set (&test, "mix", "t", "1");
  for (int i = 0; i < 3; i++)
    assert_near (get_angle (&test, "mix.posed", i), 90 - 30 * i, 1e-12);
  /* One onset is that of all. */
  node_test_set (&test, "mix", "t", "0.5");
  node_test_set (&test, "mix", "onsets", "[0.5]");
  assert_near (get_angle (&test, "mix.posed", 2), 0, 1e-12);
  node_test_set (&test, "mix", "onsets", "[0, 2]");
  node_test_warns (&test, "mix.posed", "scaled");
  node_test_set (&test, "mix", "onsets", "[0, -1]");
  node_test_fails (&test, "mix.posed", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/linkage/50-10-kinds", test_kinds);
  g_test_add_func ("/linkage/50-11-50-12-50-15-tree", test_tree);
  g_test_add_func ("/linkage/50-21-planets", test_planets);
  g_test_add_func ("/linkage/50-13-55-98-55-100-two-links", test_two_links);
  g_test_add_func ("/linkage/20-103-50-23-55-99-two-bones", test_two_bones);
  g_test_add_func ("/linkage/50-14-pose-mix", test_pose_mix);
  g_test_add_func ("/linkage/20-111-reach", test_reach);
  g_test_add_func ("/linkage/20-111-onsets", test_onsets);
  g_test_add_func ("/linkage/50-17-50-18-50-20-dh-chain", test_dh_chain);
  g_test_add_func ("/linkage/50-18-ball-lock", test_ball_lock);
  g_test_add_func ("/linkage/50-19-dh-fit", test_dh_fit);
  g_test_add_func ("/linkage/50-25-50-26-50-27-jacobian", test_jacobian);
  g_test_add_func ("/linkage/50-30-comfort", test_comfort);
  g_test_add_func ("/linkage/50-33-passes", test_passes);
  g_test_add_func ("/linkage/50-34-limits", test_limits);
  g_test_add_func ("/linkage/methods", test_methods);
  g_test_add_func ("/linkage/50-27-inverse", test_inverse);
  g_test_add_func ("/linkage/50-34-goals", test_goals);
  g_test_add_func ("/linkage/50-22-workspace", test_workspace);
  g_test_add_func ("/linkage/50-35-55-102-torques", test_torques);
  g_test_add_func ("/linkage/50-35-torques-of-poses", test_torques_of_poses);
  g_test_add_func ("/linkage/50-35-articulated", test_articulated);
  g_test_add_func ("/linkage/50-88-motors", test_motors);
  g_test_add_func ("/linkage/50-88-step-limit", test_step_limit);
  g_test_add_func ("/linkage/messages", test_messages);
  g_test_add_func ("/linkage/degenerate", test_degenerate);
  g_test_add_func ("/linkage/masses", test_masses);
  g_test_add_func ("/linkage/AH-15-hangs", test_rope_hangs);
  g_test_add_func ("/linkage/AH-15-rings", test_rope_rings);
  g_test_add_func ("/linkage/AH-15-coil", test_coil);
  return g_test_run ();
}

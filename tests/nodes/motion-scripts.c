/* tests/nodes/motion-scripts: Ani scripts, owners that change, points from two views, the falling man and devices of
 * section P1, against the figures of catalogues 20 and 10.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include "kg-random.h"

/* The script of the falling man, as the example has it. */
static NodeTest
open_falling_man (void)
{
  return node_test_open_example ("falling_man_script.json");
}

static double
at_frame (double frame)
{
  return (frame - 1) / 24;
}

static double
get_channel (NodeTest *test, const char *name, double frame)
{
  g_auto (KgValue) value = node_test_get (test, "man.motion", 0);
  const KgChannel *channel = kg_motion_find (value.motion, name);
  double result[KG_CHANNEL_MAX_WIDTH];

  g_assert_nonnull (channel);
  kg_channel_evaluate (channel, frame, result);
  return result[0];
}

/* 20-081: steady, smooth, slowin and slowout at frame 6 of 1..11. */
static void
test_timing_words (void)
{
  static const struct {
    const char *kind;
    double cut;       /* as a share; negative: the usual one */
    double values[3]; /* parabolic, cubic, sine */
  } facts[] = {
    { "\"smooth\"", 0.3, { 0.642857143, 0.591836735, 0.603718617 } },
    { "\"slowin\"", -1, { 0.25, 0.3125, 0.292893219 } },
    { "\"slowin\"", 0.3, { 0.411764706, 0.444444444, 0.438823912 } },
    { "\"slowout\"", 0.3, { 0.725274725, 0.645075421, 0.661656231 } },
    { "\"steady\"", -1, { 0.5, 0.5, 0.5 } },
  };
  static const char *const profiles[] = { "\"parabolic\"", "\"cubic\"", "\"sine\"" };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/ease", "e", "shape", "\"ani\"", "t", "0.5", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    for (guint p = 0; p < 3; p++) {
      node_test_set (&test, "e", "kind", facts[i].kind);
      node_test_set (&test, "e", "profile", profiles[p]);
      node_test_set (&test, "e", "cut_set", facts[i].cut >= 0 ? "true" : "false");
      node_test_set_number (&test, "e", "cut", fmax (facts[i].cut, 0));
      assert_near (node_test_number (&test, "e.value", 0), facts[i].values[p], 1e-9);
    }
  /* An empty half divides by nothing, and the last value is exact. */
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    for (int cut = 0; cut <= 1; cut++) {
      node_test_set (&test, "e", "kind", facts[i].kind);
      node_test_set (&test, "e", "cut_set", "true");
      node_test_set_number (&test, "e", "cut", cut);
      for (int k = 0; k <= 20; k++) {
        node_test_set_number (&test, "e", "t", k / 20.0);
        g_assert_true (isfinite (node_test_number (&test, "e.speed", 0)));
      }
      g_assert_cmpfloat (node_test_number (&test, "e.value", 0), ==, 1);
    }
  node_test_clear (&test);
}

/* 20-121: the places of the hips and the angles of the limbs, E1. */
static void
test_falling_man_script (void)
{
  static const double hips[][4] = { { 1, 0, 27.3, -6 },
                                    { 5, 0, 27.0943633, -4.8533022 },
                                    { 9, 0, 25.0176343, -2.8608248 },
                                    { 10 - 1e-5, 0, 24.1018, -2.7016 },
                                    { 10, 0, 20.7, -2.7 } };
  static const double heights[][2] = { { 23, 2.75 }, { 26, 4 }, { 27, 4 }, { 30, 2.272 }, { 34, 1.375 }, { 35, 2 } };
  static const double turned[][2] = {
    { 5, 20.3335126 }, { 10, 88.2329209 }, { 15, 177.9545455 }, { 20, 270 }, { 39, 270 }
  };
  NodeTest test = open_falling_man ();
  g_auto (KgValue) problems = node_test_get (&test, "man.problems", 0);

  g_assert_cmpstr (problems.text, ==, "");
  for (guint i = 0; i < G_N_ELEMENTS (hips); i++)
    assert_vector_near (node_test_vector (&test, "man.position", at_frame (hips[i][0])), hips[i][1], hips[i][2],
                        hips[i][3], i == 3 ? 5e-5 : 1e-7);
  for (guint i = 0; i < G_N_ELEMENTS (heights); i++)
    assert_near (node_test_vector (&test, "man.position", at_frame (heights[i][0])).y, heights[i][1], 1e-9);
  for (guint i = 0; i < G_N_ELEMENTS (turned); i++)
    assert_near (get_channel (&test, "body.2.rotate.x", turned[i][0]), turned[i][1], 1e-7);
  assert_near (get_channel (&test, "body.spin.y", 9), -182.3102679, 1e-7);
  assert_near (get_channel (&test, "body.spin.y", 15), -263.671875, 1e-9);
  assert_near (get_channel (&test, "upper_body.spin.x", 3), -5.28, 1e-12);
  assert_near (get_channel (&test, "upper_body.spin.x", 20.5), 7.5, 1e-12);
  assert_near (get_channel (&test, "r_arm.spin.z", 12), -18.1481481, 1e-7);
  assert_near (get_channel (&test, "r_arm.spin.z", 22), -56.6666667, 1e-7);
  assert_near (get_channel (&test, "r_arm.spin.z", 26), -30, 1e-12);
  assert_near (get_channel (&test, "l_leg.spin.x", 26), -11.875, 1e-12);
  assert_near (get_channel (&test, "l_leg.spin.x", 34), -2.4, 1e-12);
  node_test_clear (&test);
}

/* 20-080: the sums of the limbs, which show that the angles are increments. */
static void
test_sums (void)
{
  static const struct {
    const char *channel;
    double sum;
  } sums[] = { { "upper_body.spin.x", 0 },  { "head.spin.x", 0 },        { "r_arm.spin.x", 0 },
               { "l_arm.spin.x", 0 },       { "r_arm.spin.z", -20 },     { "l_arm.spin.z", 10 },
               { "r_lower_arm.spin.x", 0 }, { "l_lower_arm.spin.x", 0 }, { "r_leg.spin.x", 0 },
               { "l_leg.spin.x", 0 },       { "r_leg.spin.z", 3 },       { "l_leg.spin.z", -5 },
               { "l_lower_leg.spin.x", 0 }, { "r_lower_leg.spin.x", 0 }, { "lower_body.spin.x", 0 } };
  NodeTest test = open_falling_man ();

  for (guint i = 0; i < G_N_ELEMENTS (sums); i++)
    assert_near (get_channel (&test, sums[i].channel, 1000), sums[i].sum, 1e-12);
  /* 20-093: what is listed at whole frames is the motion itself. */
  for (int frame = 1; frame <= 39; frame++) {
    const KgVector place = node_test_vector (&test, "man.position", at_frame (frame));

    assert_near (get_channel (&test, "body.tx", frame), place.x, 1e-12);
    assert_near (get_channel (&test, "body.ty", frame), place.y, 1e-12);
    assert_near (get_channel (&test, "body.tz", frame), place.z, 1e-12);
  }
  node_test_clear (&test);
}

/* 20-081: the profiles at frame 10 of the heel rotation. */
static void
test_profiles (void)
{
  static const struct {
    const char *profile;
    double angle;
  } facts[] = { { "\"cubic\"", 88.2329 }, { "\"sine\"", 83.7833 }, { "\"parabolic\"", 67.2923 } };
  NodeTest test = open_falling_man ();

  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    node_test_set (&test, "man", "profile", facts[i].profile);
    assert_near (get_channel (&test, "body.2.rotate.x", 10), facts[i].angle, 5e-5);
    assert_near (get_channel (&test, "body.2.rotate.x", 20), 270, 1e-11);
  }
  node_test_clear (&test);
}

/* 20-082: tracks are independent: lines about other objects may stand anywhere, and a shift of one moves nothing else. */
static void
test_independent (void)
{
  NodeTest test = node_test_new ();
  KgVector before;

  node_test_add (&test, "motion/tracks", "man", "dialect", "\"ani\"", "name", "\"a\"", "text",
                 "\"spin a x 30 1..9 smooth\\nmove a 1 2 3 1..9 slowout\\nmove b 5 5 5 2..7\\nspin b z 9 3\"", NULL);
  before = node_test_vector (&test, "man.position", at_frame (4));
  node_test_set (&test, "man", "text",
                 "\"move b 5 5 5 102..107\\nspin a x 30 1..9 smooth\\nspin b z 9 103\\nmove a 1 2 3 1..9 slowout\"");
  assert_vector_near (node_test_vector (&test, "man.position", at_frame (4)), before.x, before.y, before.z, 0);
  /* An event takes over from where the one before it is. */
  node_test_set (&test, "man", "text", "\"move a 10 0 0 0..10\\nmove a 5 4 0 5..10\"");
  assert_vector_near (node_test_vector (&test, "man.position", at_frame (5)), 5, 0, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "man.position", at_frame (7.5)), 5, 2, 0, 1e-12);
  /* Runs: to the pivot, about it, to the place. */
  node_test_set (&test, "man", "text", "\"move a 0 1 0 1\\nrotate a z 90 1\\nspin a z 5 1\\nmove a 0 0 7 1\"");
  assert_vector_near (node_test_vector (&test, "man.position", at_frame (3)), -1, 0, 7, 1e-12);
  /* Cues and repetitions. */
  node_test_set (&test, "man", "text",
                 "\"cue hit 20\\nrepeat 3 as k\\nspin a z 10 (hit + k)..hit+k+1\\nend\\nset a value 3 hit..hit+2\"");
  assert_near (get_channel (&test, "a.spin.z", 22.5), 15, 1e-12);
  node_test_clear (&test);
}

/* Owners in a ring before their statements, a thousand in a row, and texts of broken words. */
static void
test_hostile (void)
{
  static const char *const words[] = {
    "spin ",  "a ",     "b ",   "x ", "30 ",    "1..9 ", "smooth ",          "12 ",    "\\n",   "own ",
    "by ",    "world ", "cue ", "(",  "1e300 ", "..",    "repeat 3 as k\\n", "end\\n", "move ", "set ",
    "scale ", "0 ",     "-5 ",  "k ", "rotate "
  };
  g_autoptr (GString) chain = g_string_new ("\"move p0 1 0 0 1");
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/tracks", "man", "dialect", "\"ani\"", "text",
                 "\"own a by b 1\\nown a by c 3\\nown b by a 5\\nmove a 1 2 3 0..9\"", NULL);
  for (int frame = -3; frame < 10; frame++) {
    g_auto (KgValue) value = node_test_get (&test, "man.world", at_frame (frame));

    g_assert_true (isfinite (value.transform->m[0][3]));
  }
  for (int i = 1; i < 1000; i++)
    g_string_append_printf (chain, "\\nown p%d by p%d %d\\nmove p%d 1 0 0 1", i, i - 1, 1000 - i, i);
  g_string_append_c (chain, '"');
  node_test_set (&test, "man", "text", chain->str);
  node_test_set (&test, "man", "name", "\"p150\"");
  {
    g_auto (KgValue) value = node_test_get (&test, "man.world", at_frame (2000));

    assert_near (value.transform->m[0][3], 151, 1e-9);
  }
  for (guint64 trial = 0; trial < 400; trial++) {
    g_autoptr (GString) text = g_string_new ("\"");
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (GError) error = NULL;
    KgNode *node;
    guint slot;

    for (guint64 k = 0; k < 40; k++)
      g_string_append (text, words[(gsize) (kg_random_uniform (7, trial, k) * G_N_ELEMENTS (words))]);
    g_string_append_c (text, '"');
    node_test_set (&test, "man", "text", text->str);
    kg_graph_find_output (test.graph, "man.parts", &node, &slot, &error);
    g_assert_no_error (error);
    if (!kg_evaluator_evaluate (test.evaluator, node, slot, 0.2, NULL, &value, &error))
      g_assert_nonnull (error);
  }
  node_test_clear (&test);
}

/* Reads a script that has nothing to say, or no end. */
static void
get_statements (NodeTest *test)
{
  g_auto (KgValue) motion = node_test_get (test, "man.motion", 0);

  g_assert_cmpuint (kg_motion_get_n_channels (motion.motion), <, 100);
}

static void
test_problems (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) problems = KG_VALUE_INIT;

  node_test_add (
      &test, "motion/tracks", "man", "dialect", "\"ani\"", "name", "\"arm\"", "text",
      "\"spin arm q 30 1..9\\nspin arm x 30 9..1\\nhop arm 3\\nspin arm x 30 1..9 smooth 12\\nspin arm x 1..9\\nmove arm 1 2\\n"
      "spin arm x 40 1..9 softly\\nspin arm x 8 1..9\\nown arm by hand 1\\nown hand by arm 3\"",
      NULL);
  problems = node_test_get (&test, "man.problems", 0);
  g_assert_nonnull (strstr (problems.text, "line 1, column 10: an axis is expected here"));
  g_assert_nonnull (strstr (problems.text, "line 2, "));
  g_assert_nonnull (strstr (problems.text, "line 3, column 1: spin, rotate, move, scale, set, own or cue"));
  g_assert_nonnull (strstr (problems.text, "the cut 12 is not between the frames 1 and 9"));
  g_assert_nonnull (strstr (problems.text, "line 5, "));
  g_assert_nonnull (strstr (problems.text, "line 6, "));
  g_assert_nonnull (strstr (problems.text, "line 7, "));
  g_assert_nonnull (strstr (problems.text, "\"hand\" cannot be owned by \"arm\", which it owns at frame 3"));
  /* The rest was read. */
  assert_near (get_channel (&test, "arm.spin.x", 20), 8, 1e-12);
  node_test_set (&test, "man", "text", "\"\"");
  get_statements (&test);
  node_test_set (&test, "man", "text", "\"repeat 3\\nspin a x 1 1\"");
  get_statements (&test);
  node_test_set (&test, "man", "name", "\"body\"");
  node_test_set (&test, "man", "text",
                 "\"spin body x 1 1\\nspin body x 1 2\\nmove bofy 1 1 1 3\\nspin body x 1 4 smooth\"");
  node_test_warns (&test, "man.motion", "bofy");
  node_test_warns (&test, "man.motion", "single frame");
  node_test_clear (&test);
}

/* 20-088, 20-089 (b), (c): the puff of smoke, by graph and by script. */
static void
test_puff (void)
{
  static const double places[][4] = {
    { 0.25, 1.9, 2.15, 0 }, { 0.5, 2.65, 2.35, 0 }, { 1, 3.7, 2.7333333, 0 }, { 1.5, 4.25, 2.9833333, 0 }
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/compose", "train", "translate", "{\"expr\": \"3*t, 0, 0\"}", NULL);
  node_test_add (&test, "transform/compose", "air", "translate",
                 "{\"expr\": \"-0.4*max(0, t - 0.5), 0.1*max(0, t - 0.5), 0\"}", NULL);
  node_test_add (&test, "transform/compose", "rise", "translate", "{\"expr\": \"1.15, 1.95 + 0.8*min(t, 0.5), 0\"}",
                 NULL);
  node_test_add (&test, "transform/parent", "puff", "owners",
                 "[{\"link\": \"train.transform\"}, {\"link\": \"air.transform\"}]", "local",
                 "{\"link\": \"rise.transform\"}", "names", "\"chimney land\"", "changes", "\"1 chimney\\n13 land\"",
                 "ease", "1.5", NULL);
  node_test_add (&test, "geometry/transform", "seen", "geometry", "{\"link\": \"puff.geometry\"}", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    g_auto (KgValue) world = node_test_get (&test, "puff.world", places[i][0]);

    assert_vector_near (kg_transform_point (*world.transform, kg_vector (0, 0, 0)), places[i][1], places[i][2],
                        places[i][3], 1e-7);
  }
  assert_vector_near (node_test_vector (&test, "puff.velocity", 0.499), 3, 0.8, 0, 1e-9);
  assert_vector_near (node_test_vector (&test, "puff.velocity", 0.5), 3 - 0.4, 0.8 + 0.1, 0, 2e-3);
  /* The same by keys of the number of the owner. */
  node_test_set (&test, "puff", "owner",
                 "{\"keys\": [{\"frame\": 1, \"value\": 0, \"interpolation\": \"constant\"}, [13, 1]]}");
  {
    g_auto (KgValue) world = node_test_get (&test, "puff.world", 1);

    assert_vector_near (kg_transform_point (*world.transform, kg_vector (0, 0, 0)), 3.7, 2.7333333, 0, 1e-7);
  }
  assert_near (node_test_number (&test, "puff.current", 0.4), 0, 0);
  assert_near (node_test_number (&test, "puff.current", 0.6), 1, 0);
  node_test_clear (&test);
}

/* 20-089: v = 3, a = 1, D = 1.5 at half the ease and its end, by owners that move like that before the release. */
static void
test_after (void)
{
  static const struct {
    const char *after, *keep;
    double a, middle, end;
  } facts[] = {
    { "\"ease\"", "false", 0, 1.6875, 2.25 },        { "\"smooth\"", "false", 0, 1.828125, 2.25 },
    { "\"smooth\"", "false", 1, 1.9570313, 2.4375 }, { "\"stop\"", "false", 1, 0, 0 },
    { "\"coast\"", "false", 1, 2.25, 4.5 },          { "\"coast\"", "true", 1, 2.25 + 0.28125, 4.5 + 1.125 }
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/number", "a", NULL);
  node_test_add (&test, "transform/compose", "car", "translate",
                 "{\"expr\": \"3*(t - 1) + a.value*(t - 1)^2/2, 0, 0\"}", NULL);
  node_test_add (&test, "transform/parent", "p", "owners", "[{\"link\": \"car.transform\"}]", "changes",
                 "\"1 0\\n25 world\"", "ease", "1.5", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    double x[2];

    node_test_set (&test, "p", "after", facts[i].after);
    node_test_set (&test, "p", "keep_acceleration", facts[i].keep);
    node_test_set_number (&test, "a", "value", facts[i].a);
    for (int k = 0; k < 2; k++) {
      g_auto (KgValue) world = node_test_get (&test, "p.world", 1.75 + 0.75 * k);

      x[k] = world.transform->m[0][3];
    }
    assert_near (x[0], facts[i].middle, 1e-6);
    assert_near (x[1], facts[i].end, 1e-6);
  }
  node_test_clear (&test);
}

/* 20-089: a part that moves in its owner keeps its speed at a change, not twice; what its owner gave it is kept as well. */
static void
test_own_motion (void)
{
  static const struct {
    const char *owner, *changes, *after;
    double x[2]; /* after 13 and 25 frames */
  } facts[] = {
    { "0, 0, 0", "\"1 0\\n13 world\"", "\"coast\"", { 0.5 + 1.0 / 24, 1 } },
    { "0, 0, 0", "\"1 0\\n13 world\"", "\"ease\"", { 0.5 + 1.0 / 24, 1 } },
    { "0, 0, 0", "\"1 0\\n13 0\"", "\"coast\"", { 0.5 + 1.0 / 24, 1 } },
    { "2*t, 0, 0", "\"1 0\\n13 world\"", "\"coast\"", { 1.5 + 3.0 / 24, 3 } },
    { "2*t, 0, 0", "\"1 0\\n13 world\"", "\"stop\"", { 1.5 + 1.0 / 24, 2 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    NodeTest test = node_test_new ();
    g_autofree char *owner = g_strdup_printf ("{\"expr\": \"%s\"}", facts[i].owner);

    node_test_add (&test, "transform/compose", "car", "translate", owner, NULL);
    node_test_add (&test, "transform/compose", "own", "translate", "{\"expr\": \"t, 0, 0\"}", NULL);
    node_test_add (&test, "transform/parent", "p", "owners", "[{\"link\": \"car.transform\"}]", "local",
                   "{\"link\": \"own.transform\"}", "changes", facts[i].changes, "after", facts[i].after, NULL);
    for (int k = 0; k < 2; k++) {
      g_auto (KgValue) world = node_test_get (&test, "p.world", k == 0 ? 13.0 / 24 : 1);

      assert_near (world.transform->m[0][3], facts[i].x[k], 1e-9);
    }
    node_test_clear (&test);
  }
}

/* 20-088 (a): the world matrix stays at the change, also of turned and sheared owners; rotation is eased out as well. */
static void
test_handover (void)
{
  NodeTest test = node_test_new ();
  KgTransform before, after;

  node_test_add (&test, "transform/compose", "a", "translate", "{\"expr\": \"t, sin(t), 0\"}", "rotate",
                 "{\"expr\": \"0, 0, 90*t\"}", "scale", "[1, 2, 1]", NULL);
  node_test_add (&test, "transform/compose", "b", "translate", "[0, 3, 1]", "rotate", "{\"expr\": \"20*t, 10, 0\"}",
                 NULL);
  node_test_add (&test, "transform/parent", "p", "owners", "[{\"link\": \"a.transform\"}, {\"link\": \"b.transform\"}]",
                 "changes", "\"1 0\\n13 1\\n19 world\\n37 0\"", NULL);
  for (int k = 0; k < 3; k++) {
    const double at = (double[]){ 0.5, 0.75, 1.5 }[k];
    g_auto (KgValue) first = node_test_get (&test, "p.world", at - 1e-6), second = node_test_get (&test, "p.world", at);

    before = *first.transform;
    after = *second.transform;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++)
        assert_near (before.m[i][j], after.m[i][j], 1e-5);
  }
  /* Nothing is eased when the owner is only asked for its place. */
  node_test_set (&test, "p", "keep_world", "false");
  {
    g_auto (KgValue) value = node_test_get (&test, "p.world", 0.6);

    assert_near (value.transform->m[1][3], 3, 1e-12);
  }
  node_test_set (&test, "p", "keep_world", "true");
  node_test_set (&test, "b", "scale", "[1, 0, 1]");
  node_test_fails_saying (&test, "p.world", 1, "owner \"1\" is flattened at frame 13");
  node_test_set (&test, "p", "changes", "\"1 1\"");
  node_test_warns (&test, "p.world", "owner \"1\" is flattened at frame 1, and the child with it");
  node_test_set (&test, "p", "names", "\"hand; table\"");
  node_test_set (&test, "p", "changes", "\"1 hnad\"");
  node_test_fails_saying (&test, "p.world", 1, "did you mean \"hand\"?");
  node_test_set (&test, "p", "changes", "\"1 5\"");
  node_test_fails_saying (&test, "p.world", 1, "there is no owner 5 among the 2");
  node_test_set (&test, "p", "changes", "\"one two\"");
  node_test_fails_saying (&test, "p.world", 1, "not a frame and an owner");
  node_test_clear (&test);
}

/* 20-087, 20-088 in a script: owners of owners, and a release that eases. */
static void
test_owners_in_script (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) world = KG_VALUE_INIT;
  KgTransform before;

  node_test_add (
      &test, "motion/tracks", "t", "dialect", "\"ani\"", "name", "\"hand\"", "text",
      "\"own arm by body 1\\nown hand by arm 1\\nmove body 5 0 0 1\\nspin body z 90 1\\nmove arm 1 0 0 1\\nmove hand 1 0 0 1\"",
      NULL);
  world = node_test_get (&test, "t.world", 1);
  assert_vector_near (kg_transform_point (*world.transform, kg_vector (0, 0, 0)), 5, 2, 0, 1e-12);
  kg_value_clear (&world);
  node_test_set (
      &test, "t", "text",
      "\"own hand by arm 1\\nmove arm 24 0 0 0..24\\nown hand by world 12 ease 10\\nspin arm z 90 0..24\\nmove hand 0 1 0 0\"");
  world = node_test_get (&test, "t.world", at_frame (12 - 1e-5));
  before = *world.transform;
  kg_value_clear (&world);
  world = node_test_get (&test, "t.world", at_frame (12));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      assert_near (world.transform->m[i][j], before.m[i][j], 1e-4);
  kg_value_clear (&world);
  /* It comes to rest after half the way that its speed would have carried it. */
  world = node_test_get (&test, "t.world", at_frame (30));
  {
    const double speed = 90 * KG_PI / 180 / 24, angle = 45 * KG_PI / 180;

    assert_near (world.transform->m[0][3], before.m[0][3] + 5 * (1 - cos (angle) * speed), 1e-4);
  }
  node_test_clear (&test);
}

/* 20-110: what is wrong with a statement, and what was meant. */
static void
test_ani_messages (void)
{
  static const char *const facts[][2] = {
    { "move a 1 2 1..10", "column 12: a number is missing before the frames 1..10" },
    { "spin a y", "the angle is missing: write spin NAME x|y|z ANGLE FRAMES" },
    { "move a 1 2 3", "the frame is missing: write move NAME X Y Z FRAMES" },
    { "own a by", "the owner is missing: write own NAME by OWNER FRAME" },
    { "moove a 1 2 3 1", "did you mean \"move\"?" },
    { "move a 1 2 3 1..10 slowinn", "did you mean \"slowin\"?" },
    { "move a 1 2 3 1..10 steady 5", "the cut 5 is ignored" },
    { "cue jump 3\\nmove a 1 2 3 jmp", "unknown name \"jmp\": did you mean \"jump\"?" },
    { "move a 1 b 3 1", "unknown name \"b\": write a number" },
    { "move hand 0 0 0 1\\nmove ball 1 0 0 1\\nown ball by hnd 5",
      "no line moves the owner \"hnd\", which stays at the origin: did you mean \"hand\"?" },
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "motion/tracks", "t", "dialect", "\"ani\"", NULL);
  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    g_autofree char *text = g_strdup_printf ("\"%s\"", facts[i][0]);

    node_test_set (&test, "t", "text", text);
    node_test_warns (&test, "t.position", facts[i][1]);
  }
  node_test_set (&test, "t", "text", "\"move hand 0 0 0 1\\nmove ball 1 0 0 1\\nown ball by hand 5\"");
  g_assert_true (isfinite (node_test_vector (&test, "t.position", 1).x));
  node_test_clear (&test);
}

/* 20-100: flat views, cameras, gaps. */
static void
test_rotoscope (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) motion = KG_VALUE_INIT, points = KG_VALUE_INIT;
  double value;

  node_test_add (
      &test, "motion/rotoscope", "r", "joints", "\"hip knee\"", "clicks",
      "[[1, 0, 420, 200, 520, 210], [1, 1, 320, 300, 320, 300], [3, 0, 440, 200, 520, 210], [60, 0, 500, 200, 520, 210]]",
      NULL);
  motion = node_test_get (&test, "r.motion", 0);
  kg_channel_evaluate (kg_motion_find (motion.motion, "hip.tx"), 1, &value);
  assert_near (value, 1, 1e-12);
  kg_channel_evaluate (kg_motion_find (motion.motion, "hip.ty"), 1, &value);
  assert_near (value, 1.95, 1e-12);
  kg_channel_evaluate (kg_motion_find (motion.motion, "hip.tz"), 1, &value);
  assert_near (value, 2, 1e-12);
  kg_channel_evaluate (kg_motion_find (motion.motion, "hip.tx"), 2, &value);
  assert_near (value, 1.1, 1e-12);
  kg_channel_evaluate (kg_motion_find (motion.motion, "hip.tx"), 30, &value);
  assert_near (value, 1.2, 1e-12);
  assert_near (node_test_number (&test, "r.residual", 0), 0.1, 1e-12);
  points = node_test_get (&test, "r.points", 0);
  g_assert_cmpuint (kg_geometry_get_n_points (points.geometry), ==, 2);
  kg_value_clear (&points);
  /* Across a gap that is too long there is no joint. */
  points = node_test_get (&test, "r.points", at_frame (30));
  g_assert_cmpuint (kg_geometry_get_n_points (points.geometry), ==, 0);
  kg_value_clear (&points);
  /* Different scales weigh y. */
  node_test_set_number (&test, "r", "scale_front", 200);
  node_test_set (&test, "r", "clicks", "[[1, 0, 420, 200, 520, 210]]");
  points = node_test_get (&test, "r.points", 0);
  assert_near (kg_geometry_get_positions (points.geometry)[1], (4 * 1 + 1.9) / 5, 1e-6);
  kg_value_clear (&points);
  /* Cameras: the rays pass each other at 0.1 m. */
  node_test_add (&test, "transform/compose", "a", "translate", "[0, 0, 5]", NULL);
  node_test_add (&test, "transform/compose", "b", "translate", "[5, 0.1, 0]", "rotate", "[0, 90, 0]", NULL);
  node_test_set (&test, "r", "views", "\"cameras\"");
  node_test_set (&test, "r", "camera_front", "{\"link\": \"a.transform\"}");
  node_test_set (&test, "r", "camera_side", "{\"link\": \"b.transform\"}");
  node_test_set (&test, "r", "clicks", "[[1, 0, 320, 400, 320, 400]]");
  points = node_test_get (&test, "r.points", 0);
  assert_near (kg_geometry_get_positions (points.geometry)[0], 0, 1e-7);
  assert_near (kg_geometry_get_positions (points.geometry)[1], 0.05, 1e-7);
  assert_near (node_test_number (&test, "r.residual", 0), 0.1, 1e-9);
  node_test_set (&test, "b", "rotate", "[0, 0, 0]");
  node_test_warns (&test, "r.motion", "parallel");
  node_test_set (&test, "r", "clicks", "[[1, 0, 320, 400, 320, 400], [1, 0, 320, 400, 320, 400]]");
  node_test_set (&test, "r", "views", "\"flat\"");
  node_test_fails_saying (&test, "r.motion", 0, "clicked twice");
  node_test_clear (&test);
}

/* 20-100: two flat drawings of a figure give it in space. */
static void
test_drawings (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) points = KG_VALUE_INIT;

  node_test_add (&test, "geometry/polygon", "front", "points", "[[0, 0], [1, 0], [1, 2]]", NULL);
  node_test_add (&test, "geometry/polygon", "side", "points", "[[3, 0], [4, 0], [5, 2]]", NULL);
  node_test_add (&test, "motion/rotoscope", "r", "front", "{\"link\": \"front.geometry\"}", "side",
                 "{\"link\": \"side.geometry\"}", "scale_front", "1", "scale_side", "1", "origin_front", "[0, 0, 0]",
                 "origin_side", "[0, 0, 0]", "y_down", "false", NULL);
  points = node_test_get (&test, "r.points", 0);
  g_assert_cmpuint (kg_geometry_get_n_primitives (points.geometry), ==, 1);
  assert_near (kg_geometry_get_positions (points.geometry)[6], 1, 0);
  assert_near (kg_geometry_get_positions (points.geometry)[7], 2, 0);
  assert_near (kg_geometry_get_positions (points.geometry)[8], 5, 0);
  node_test_set (&test, "side", "points", "[[3, 0], [4, 0], [5, 2], [1, 1]]");
  node_test_fails_saying (&test, "r.points", 0, "draw each point in both");
  node_test_set (&test, "r", "views", "\"cameras\"");
  node_test_set (&test, "side", "points", "[[3, 0], [4, 0], [5, 2]]");
  node_test_fails_saying (&test, "r.points", 0, "both cameras are at 0, 0, 0");
  node_test_clear (&test);
}

/* 20-106: the man in the plane, feet free and held; a skeleton with a free base. */
static void
test_freedoms (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "rig/freedoms", "f", NULL);
  assert_near (node_test_number (&test, "f.freedoms", 0), 5, 0);
  node_test_set (&test, "f", "held", "1");
  assert_near (node_test_number (&test, "f.freedoms", 0), 3, 0);
  assert_near (node_test_number (&test, "f.unknowns", 0), 15, 0);
  node_test_set (&test, "f", "pins", "20");
  node_test_warns (&test, "f.freedoms", "some of them are redundant");
  node_test_clear (&test);
}

/* 20-123: the man of the defaults, by the node: released, and the same when he is scrubbed to. */
static void
test_planar_man (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) table = KG_VALUE_INIT;

  node_test_add (&test, "sim/planar_links", "m", NULL);
  table = node_test_get (&test, "m.coordinates", 0.5);
  assert_near (kg_table_get_row (table.table, 0)[0], 0.47720467, 1e-7);
  assert_near (kg_table_get_row (table.table, 0)[1], 11.20707523, 1e-7);
  assert_near (node_test_number (&test, "m.released", 0.5), -1, 0);
  assert_near (node_test_number (&test, "m.released", 1.5), 1.06364724, 1e-6);
  assert_near (node_test_number (&test, "m.deviation", 1.5), 0, 1e-8);
  node_test_set (&test, "m", "release", "\"time\"");
  node_test_set (&test, "m", "release_time", "0.3");
  assert_near (node_test_number (&test, "m.released", 1), 0.3, 1e-9);
  node_test_set (&test, "m", "release", "\"never\"");
  assert_near (node_test_number (&test, "m.released", 1.5), -1, 0);
  node_test_set (&test, "m", "release", "\"pull\"");
  g_assert_cmpfloat (node_test_number (&test, "m.released", 1.5), >, 0.1);
  node_test_set (&test, "m", "links",
                 "[[45, 0.4, -100, 0, 1e9, 3], [24, 0.45, -100, 0, 4, 3], [8, 0.35, -100, 0, 2, 1]]");
  node_test_fails_saying (&test, "m.figure", 0.5, "lower the drag");
  node_test_set (&test, "m", "links",
                 "[[45, 0.4, -100, 0, 6, 3, 1e14], [24, 0.45, -100, 0, 4, 3, 1e4], [8, 0.35, -100, 0, 2, 1, 4e3]]");
  node_test_fails_saying (&test, "m.figure", 2.9, "soften the mattress");
  node_test_set (&test, "m", "limits", "[[0, 1, 90, -20, 80, 300]]");
  node_test_fails_saying (&test, "m.figure", 0, "must lie between the limits");
  node_test_set (&test, "m", "limits", "[[0, 7, 0, -20, 80, 300]]");
  node_test_fails_saying (&test, "m.figure", 0, "there is no link 7: there are 3, counted from 0");
  node_test_clear (&test);
}

/* P1-55: eight digits, both ways, with and without dropped numbers. */
static void
test_timecode (void)
{
  static const struct {
    const char *rate, *drop, *code;
    int frame; /* from 0 */
  } facts[] = { { "\"30\"", "false", "01:00:00:00", 108000 },  { "\"30\"", "false", "00:00:01:00", 30 },
                { "\"30\"", "false", "23:59:59:29", 2591999 }, { "\"29.97\"", "true", "00:10:00;00", 17982 },
                { "\"29.97\"", "true", "00:01:00;02", 1800 },  { "\"29.97\"", "true", "00:00:59;29", 1799 },
                { "\"25\"", "false", "00:00:01:00", 25 } };
  NodeTest test = node_test_new ();

  node_test_add (&test, "value/timecode", "c", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++) {
    g_autofree char *code = g_strdup_printf ("\"%s\"", facts[i].code);
    g_auto (KgValue) text = KG_VALUE_INIT;

    node_test_set (&test, "c", "rate", facts[i].rate);
    node_test_set (&test, "c", "drop", facts[i].drop);
    node_test_set_number (&test, "c", "frame", facts[i].frame + 1);
    node_test_set (&test, "c", "parse", code);
    text = node_test_get (&test, "c.text", 0);
    g_assert_cmpstr (text.text, ==, facts[i].code);
    assert_near (node_test_number (&test, "c.parsed", 0), facts[i].frame + 1, 0);
  }
  /* Every frame of two hours comes back. */
  node_test_set (&test, "c", "rate", "\"29.97\"");
  node_test_set (&test, "c", "drop", "true");
  for (int frame = 0; frame < 220000; frame += 377) {
    g_auto (KgValue) text = KG_VALUE_INIT;
    g_autofree char *code = NULL;

    node_test_set_number (&test, "c", "frame", frame + 1);
    text = node_test_get (&test, "c.text", 0);
    code = g_strdup_printf ("\"%s\"", text.text);
    node_test_set (&test, "c", "parse", code);
    assert_near (node_test_number (&test, "c.parsed", 0), frame + 1, 0);
  }
  node_test_set (&test, "c", "parse", "\"01000000\"");
  assert_near (node_test_number (&test, "c.parsed", 0), 107892 + 1, 0);
  node_test_set (&test, "c", "parse", "\"00:01:00;00\"");
  node_test_fails_saying (&test, "c.text", 0, "dropped");
  node_test_set (&test, "c", "parse", "\"00:61:00;00\"");
  node_test_fails_saying (&test, "c.text", 0, "minutes and seconds to 59");
  node_test_set (&test, "c", "parse", "\"noon\"");
  node_test_fails_saying (&test, "c.text", 0, "is not a timecode");
  node_test_clear (&test);
}

/* P1-60: the lengths times the spacing are the area; a hole is left out. */
static void
test_hatch (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/circle", "disc", "points", "720", NULL);
  node_test_add (&test, "geometry/hatch", "h", "geometry", "{\"link\": \"disc.geometry\"}", "spacing", "0.002", "angle",
                 "30", NULL);
  assert_near (node_test_number (&test, "h.length", 0) * 0.002, KG_PI, 2e-4);
  node_test_set (&test, "h", "cross", "true");
  assert_near (node_test_number (&test, "h.length", 0) * 0.002, 2 * KG_PI, 4e-4);
  node_test_add (
      &test, "geometry/polygon", "box", "points",
      "[[-1, -1, 0, 0], [1, -1, 0, 0], [1, 1, 0, 0], [-1, 1, 0, 0], [-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0.5, 0.5, 0, 1], [-0.5, 0.5, 0, 1]]",
      NULL);
  node_test_set (&test, "h", "geometry", "{\"link\": \"box.geometry\"}");
  node_test_set (&test, "h", "cross", "false");
  node_test_set (&test, "h", "angle", "0");
  node_test_set (&test, "h", "spacing", "0.01");
  assert_near (node_test_number (&test, "h.length", 0) * 0.01, 3, 1e-9);
  /* There are no lines between numbers as large as that. */
  node_test_set (&test, "h", "offset", "1e17");
  assert_near (node_test_number (&test, "h.length", 0) * 0.01, 3, 0.03);
  node_test_set (&test, "h", "offset", "0.5");
  node_test_add (&test, "geometry/line", "open", NULL);
  node_test_set (&test, "h", "geometry", "{\"link\": \"open.geometry\"}");
  node_test_warns (&test, "h.length", "are open");
  node_test_set (&test, "h", "geometry", "{\"link\": \"box.geometry\"}");
  node_test_set (&test, "h", "spacing", "0.000001");
  node_test_fails_saying (&test, "h.lines", 0, "widen the spacing");
  node_test_clear (&test);
}

/* P1-70: order n visits 4^n cells in 4^n - 1 steps of the same length, and of a cube 8^n. */
static void
test_hilbert (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/hilbert", "c", "size", "8", NULL);
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int order = 1; order <= 4; order++) {
      g_auto (KgValue) curve = KG_VALUE_INIT;
      const double step = 8 / pow (2, order), count = pow (2, dimension * order);
      const float *p;

      node_test_set (&test, "c", "dimension", dimension == 2 ? "\"2\"" : "\"3\"");
      node_test_set_number (&test, "c", "order", order);
      curve = node_test_get (&test, "c.curve", 0);
      g_assert_cmpuint (kg_geometry_get_n_points (curve.geometry), ==, (guint) count);
      assert_near (node_test_number (&test, "c.length", 0), (count - 1) * step, 1e-9 * count);
      p = kg_geometry_get_positions (curve.geometry);
      for (guint i = 1; i < (guint) count; i++)
        assert_near (fabs (p[3 * i] - p[3 * i - 3]) + fabs (p[3 * i + 1] - p[3 * i - 2]) +
                         fabs (p[3 * i + 2] - p[3 * i - 1]),
                     step, 1e-5);
      /* Fully morphed it is the next order. */
      node_test_set (&test, "c", "morph", "1");
      assert_near (node_test_number (&test, "c.length", 0), (count * pow (2, dimension) - 1) * step / 2, 1e-8 * count);
      /* Halfway no point is farther from where it was than a cell is wide. */
      node_test_set (&test, "c", "morph", "0.5");
      {
        g_auto (KgValue) half = node_test_get (&test, "c.curve", 0);
        const float *q = kg_geometry_get_positions (half.geometry);

        for (guint i = 0; i < kg_geometry_get_n_points (half.geometry); i++)
          for (int c = 0; c < 3; c++)
            g_assert_cmpfloat (fabs (q[3 * i + (guint) c] - p[3 * (i >> dimension) + (guint) c]), <, 0.2 * step);
      }
      node_test_set (&test, "c", "morph", "0");
    }
  node_test_set (&test, "c", "order", "10");
  node_test_fails_saying (&test, "c.curve", 0, "use at most");
  node_test_clear (&test);
}

/* P1-05, R05, R06: k = 2 makes it thinner by 0.7071; at rest nothing changes and no line is drawn. */
static void
test_motion_stretch (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) still = KG_VALUE_INIT, lines = KG_VALUE_INIT;

  node_test_add (&test, "geometry/box", "box", NULL);
  node_test_add (&test, "value/number", "v", "value", "48", NULL);
  node_test_add (&test, "value/vector", "way", "value", "{\"expr\": \"v.value*(t - 1), 0, 0\"}", NULL);
  node_test_add (&test, "deform/motion_stretch", "s", "geometry", "{\"link\": \"box.geometry\"}", "center",
                 "{\"link\": \"way.output\"}", "overlap", "1", NULL);
  assert_near (node_test_number (&test, "s.stretch", 1), 2, 1e-12);
  assert_near (node_test_number (&test, "s.speed", 1), 48, 1e-9);
  {
    g_auto (KgValue) value = node_test_get (&test, "s.stretched", 1);
    const float *p = kg_geometry_get_positions (value.geometry);

    for (size_t i = 0; i < kg_geometry_get_n_points (value.geometry); i++) {
      assert_near (fabs (p[3 * i]), 1, 1e-6);
      assert_near (fabs (p[3 * i + 1]), 0.5 * sqrt (0.5), 1e-6);
    }
  }
  lines = node_test_get (&test, "s.speed_lines", 1);
  g_assert_cmpuint (kg_geometry_get_n_primitives (lines.geometry), ==, 8);
  node_test_set (&test, "s", "rule", "\"gain\"");
  assert_near (node_test_number (&test, "s.stretch", 1), 3, 1e-12);
  node_test_set (&test, "v", "value", "0");
  assert_near (node_test_number (&test, "s.stretch", 1), 1, 0);
  still = node_test_get (&test, "s.speed_lines", 1);
  g_assert_cmpuint (kg_geometry_get_n_primitives (still.geometry), ==, 0);
  node_test_clear (&test);
}

/* 20-129, P1-30: weights over time, and exaggeration. */
static void
test_blend (void)
{
  static const double expected[] = { 10, 12.5, 30 };
  NodeTest test = node_test_new ();
  double value;

  node_test_add (&test, "motion/blend", "b", "first", "{\"keys\": [[1, 10], [2, 20], [3, 40]]}", "second",
                 "{\"keys\": [[1, 0], [2, -10], [3, 30]]}", "weights", "{\"keys\": [[1, 0], [2, 0.25], [3, 1]]}", NULL);
  for (int i = 0; i < 3; i++) {
    g_auto (KgValue) motion = node_test_get (&test, "b.motion", 0);

    assert_near (kg_motion_evaluate (motion.motion, i + 1, -1), expected[i], 1e-9);
  }
  node_test_clear (&test);
  test = node_test_new ();
  node_test_add (&test, "motion/blend", "b", "first", "{\"keys\": [[0, 0], [1, 2], [2, 0]]}", NULL);
  for (int k = 0; k <= 2; k++) {
    g_auto (KgValue) motion = KG_VALUE_INIT;

    node_test_set_number (&test, "b", "exaggeration", k);
    motion = node_test_get (&test, "b.motion", 0);
    assert_near (kg_motion_evaluate (motion.motion, 1, -1), 1 + k, 1e-9);
    assert_near (kg_motion_evaluate (motion.motion, 0, -1), 1 - k, 1e-9);
  }
  node_test_set (&test, "b", "reference", "\"start\"");
  {
    g_auto (KgValue) motion = node_test_get (&test, "b.motion", 0);

    kg_channel_evaluate (kg_motion_get_channel (motion.motion, 0), 1, &value);
    assert_near (value, 4, 1e-9);
  }
  node_test_clear (&test);
}

/* P1-39: a cell is the drawing of its frame, an empty one holds; twos, loops, and what is wrong with a sheet. */
static void
test_exposure_sheet (void)
{
  static const double mouth[] = { 12, 12, 13, 13, 13, 7, 7, 7, 2, 2 };
  static const char *const bad[][2] = { { "\"1, 2\"", "line 1: no layer is named" },
                                        { "\"a: , 1\"", "line 1: the first cell is empty" },
                                        { "\"a:\"", "line 1: the first cell is empty" },
                                        { "\"a: 1\\nb: 1, two\"", "line 2: \"two\" is not a cell" },
                                        { "\"a: 1*0\"", "\"1*0\" is not a cell" },
                                        { "\"a: 1*\"", "\"1*\" is not a cell" },
                                        { "\"a: 1\\na: 2\"", "line 2: there is already a layer \"a\"" },
                                        { "\"a: 1*2000000\"", "more than 1000000 frames" } };
  NodeTest test = node_test_new ();
  g_auto (KgValue) motion = KG_VALUE_INIT;
  double value;

  node_test_add (&test, "motion/exposure_sheet", "x", "sheet",
                 "\"mouth: 12,12,13,13, ,7*3,2,2 # on twos\\n\\neyes: 4, 5\\n\"", NULL);
  for (int i = 0; i < 10; i++) {
    assert_near (node_test_number (&test, "x.value", i / 24.0), mouth[i], 0);
    assert_near (node_test_number (&test, "x.index", i / 24.0), mouth[i] - 1, 0);
  }
  assert_near (node_test_number (&test, "x.held", 0), 2, 0);
  assert_near (node_test_number (&test, "x.held", 3 / 24.0), 3, 0);
  assert_near (node_test_number (&test, "x.count", 0), 10, 0);
  assert_near (node_test_number (&test, "x.value", 50 / 24.0), 2, 0);
  assert_near (node_test_number (&test, "x.value", -5 / 24.0), 12, 0);
  motion = node_test_get (&test, "x.motion", 0);
  kg_channel_evaluate (kg_motion_find (motion.motion, "eyes"), 2, &value);
  assert_near (value, 5, 0);
  node_test_set (&test, "x", "loop", "true");
  assert_near (node_test_number (&test, "x.value", 12 / 24.0), 13, 0);
  /* It begins again in the frame after the last cell, each time. */
  for (int i = 0; i < 35; i++)
    assert_near (node_test_number (&test, "x.value", i / 24.0), mouth[i % 10], 0);
  assert_near (node_test_number (&test, "x.held", 10 / 24.0), 2, 0);
  assert_near (node_test_number (&test, "x.held", 9 / 24.0), 2, 0);
  node_test_set (&test, "x", "layer", "\"eyes\"");
  assert_near (node_test_number (&test, "x.value", 7 / 24.0), 5, 0);
  assert_near (node_test_number (&test, "x.value", 2 / 24.0), 4, 0);
  node_test_set (&test, "x", "layer", "\"mouht\"");
  node_test_fails_saying (&test, "x.value", 0, "no layer \"mouht\": did you mean \"mouth\"?");
  node_test_set (&test, "x", "layer", "\"\"");
  for (size_t i = 0; i < G_N_ELEMENTS (bad); i++) {
    node_test_set (&test, "x", "sheet", bad[i][0]);
    node_test_fails_saying (&test, "x.value", 0, bad[i][1]);
  }
  node_test_set (&test, "x", "sheet", "\"\"");
  assert_near (node_test_number (&test, "x.value", 0), 0, 0);
  node_test_clear (&test);
}

/* 20-080: velocities are exact, and those from a frame on where the speed changes at once; a jump has none. */
static void
test_tracks_velocity (void)
{
  NodeTest test = node_test_new ();
  const double turn = KG_PI / 20;

  node_test_add (&test, "motion/tracks", "n", "text",
                 "\"set position ball 0 0 0 at frame 1\\nchange position ball to 6 -3 0 from frame 12 to frame 36\\n"
                 "set position ball 50 0 0 at frame 40\\nchange position ball by 8 0 0 from frame 40 to frame 48 with "
                 "ease smooth\"",
                 NULL);
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (11.9)), 0, 0, 0, 0);
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (12)), 0.25, -0.125, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (30)), 0.25, -0.125, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (36)), 0, 0, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (40)), 0, 0, 0, 1e-12);
  g_assert_cmpfloat (node_test_vector (&test, "n.velocity", at_frame (44)).x, >, 1.2);
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (48)), 0, 0, 0, 1e-12);
  node_test_set (&test, "n", "text",
                 "\"set position ball 0 0 0 at frame 1\\nset position ball 7 0 0 at frame 5\\n"
                 "change position ball by 2 0 0 from frame 5 to frame 7\\nset position ball 9 0 0 at frame 30\"");
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (5)), 1, 0, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (30)), 0, 0, 0, 1e-12);
  /* A hand at the end of an arm that turns 90° in 10 frames, and jumps outwards at frame 5. */
  node_test_set (&test, "n", "dialect", "\"ani\"");
  node_test_set (&test, "n", "name", "\"hand\"");
  node_test_set (&test, "n", "text",
                 "\"spin arm z 90 1..11\\nown hand by arm 1\\nmove hand 1 0 0 1\\nmove hand 2 0 0 5\"");
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (1)), 0, turn, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (4)), -turn * sin (3 * turn),
                      turn * cos (3 * turn), 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (5)), -2 * turn * sin (4 * turn),
                      2 * turn * cos (4 * turn), 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "n.velocity", at_frame (11)), 0, 0, 0, 1e-12);
  /* All that Ani has, with owners that change, against differences within the pieces. */
  node_test_set (
      &test, "n", "text",
      "\"spin arm z 90 1..40 smooth\\nspin arm x 50 1..40\\nscale arm 2 1 3 1..30\\nrotate arm y 70 1..40 slowin\\n"
      "move arm 1 2 3 1..40 smooth\\nrotate arm x -30 1..40\\nown hand by arm 1\\nmove hand 1 0.5 0 1..35 "
      "smooth\\nspin cart y 200 1..40\\nmove cart 0 5 0 1..40 slowout\\nown hand by world 15 ease 8\\n"
      "own hand by cart 27\"");
  for (double frame = 2.3; frame < 30; frame += 1.7) {
    const double step = 1e-4 / 24;
    const KgVector exact = node_test_vector (&test, "n.velocity", at_frame (frame));
    KgVector at[2];

    for (int i = 0; i < 2; i++) {
      g_auto (KgValue) world = node_test_get (&test, "n.world", at_frame (frame) + (i == 0 ? -step : step));

      at[i] = kg_transform_get_place (world.transform);
    }
    assert_near (kg_vector_distance (kg_vector_scale (kg_vector_subtract (at[1], at[0]), 0.5e4), exact), 0, 1e-6);
    g_assert_cmpfloat (kg_vector_length (exact), >, 1e-3);
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/motion-scripts/20-081-timing-words", test_timing_words);
  g_test_add_func ("/motion-scripts/20-121-falling-man-script", test_falling_man_script);
  g_test_add_func ("/motion-scripts/20-080-20-093-sums", test_sums);
  g_test_add_func ("/motion-scripts/20-081-profiles", test_profiles);
  g_test_add_func ("/motion-scripts/20-080-20-082-20-086-independent", test_independent);
  g_test_add_func ("/motion-scripts/20-080-problems", test_problems);
  g_test_add_func ("/motion-scripts/20-080-20-088-hostile", test_hostile);
  g_test_add_func ("/motion-scripts/20-088-20-089-20-091-puff", test_puff);
  g_test_add_func ("/motion-scripts/20-089-after", test_after);
  g_test_add_func ("/motion-scripts/20-089-own-motion", test_own_motion);
  g_test_add_func ("/motion-scripts/20-088-handover", test_handover);
  g_test_add_func ("/motion-scripts/20-087-owners-in-script", test_owners_in_script);
  g_test_add_func ("/motion-scripts/20-110-messages", test_ani_messages);
  g_test_add_func ("/motion-scripts/20-100-rotoscope", test_rotoscope);
  g_test_add_func ("/motion-scripts/20-100-drawings", test_drawings);
  g_test_add_func ("/motion-scripts/20-106-freedoms", test_freedoms);
  g_test_add_func ("/motion-scripts/20-123-20-127-planar-man", test_planar_man);
  g_test_add_func ("/motion-scripts/P1-39-exposure-sheet", test_exposure_sheet);
  g_test_add_func ("/motion-scripts/P1-55-timecode", test_timecode);
  g_test_add_func ("/motion-scripts/P1-60-hatch", test_hatch);
  g_test_add_func ("/motion-scripts/P1-70-hilbert", test_hilbert);
  g_test_add_func ("/motion-scripts/P1-05-R05-R06-motion-stretch", test_motion_stretch);
  g_test_add_func ("/motion-scripts/20-129-P1-30-blend", test_blend);
  g_test_add_func ("/motion-scripts/20-080/velocity", test_tracks_velocity);
  return g_test_run ();
}

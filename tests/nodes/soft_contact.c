/* tests/nodes/soft_contact: soft bodies that touch, as nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

static NodeTest
contact_test_new (const char *left, const char *right)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "left", "table", left, "as", "\"influence\"", NULL);
  node_test_add (&test, "soft/keys", "right", "table", right, "as", "\"influence\"", NULL);
  node_test_add (&test, "soft/primitive", "a", "keys", "[{\"link\": \"left.keys\"}]", NULL);
  node_test_add (&test, "soft/primitive", "b", "keys", "[{\"link\": \"right.keys\"}]", NULL);
  node_test_add (&test, "soft/contact", "contact", "fields", "[{\"link\": \"a.field\"}, {\"link\": \"b.field\"}]",
                 NULL);
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"contact.field\"}", NULL);
  return test;
}

static void
test_contact (void)
{
  NodeTest test = contact_test_new ("[[-0.8, 0, 0, 2, 2, 2]]", "[[0.8, 0, 0, 2, 2, 2]]");
  double cut;

  g_assert_cmpfloat (node_test_number (&test, "contact.pairs", 0), ==, 1);
  assert_near (node_test_number (&test, "contact.area", 0), 1.1309734, 0.005);
  node_test_set (&test, "contact", "bulge", "0");
  cut = node_test_number (&test, "skin.volume", 0);
  assert_near (cut, 4.0715041, 0.012);
  g_assert_cmpfloat (node_test_number (&test, "skin.euler", 0), ==, 2);
  node_test_set (&test, "contact", "width", "0.4");
  node_test_set (&test, "contact", "keep_volume", "true");
  assert_near (node_test_number (&test, "contact.height", 0), 0.53139, 0.01);
  assert_near (node_test_number (&test, "skin.volume", 0), 4.1887902, 0.015);
  node_test_clear (&test);
}

static void
test_collide (void)
{
  NodeTest test = contact_test_new ("[[0, 0, 0, 2, 2, 2]]", "[[1.9, 0, 0, 2, 2, 2]]");
  KgVector at;

  node_test_add (&test, "soft/polygonize", "samples", "field", "{\"link\": \"b.field\"}", NULL);
  node_test_add (&test, "soft/collide", "hit", "samples", "{\"link\": \"samples.geometry\"}", "field",
                 "{\"link\": \"a.field\"}", NULL);
  assert_near (node_test_number (&test, "hit.deepest", 0), 0.1, 1e-3);
  g_assert_cmpfloat (node_test_number (&test, "hit.hit", 0), ==, 1);
  at = node_test_vector (&test, "hit.at", 0);
  assert_near (at.x, 0.9, 1e-3);
  node_test_set (&test, "hit", "move", "true");
  node_test_add (&test, "soft/collide", "again", "samples", "{\"link\": \"hit.geometry\"}", "field",
                 "{\"link\": \"a.field\"}", NULL);
  g_assert_cmpfloat (node_test_number (&test, "again.deepest", 0), <, 1e-5);
  node_test_set (&test, "right", "table", "[[2.1, 0, 0, 2, 2, 2]]");
  g_assert_cmpfloat (node_test_number (&test, "hit.hit", 0), ==, 0);
  node_test_set (&test, "hit", "margin", "0.2");
  g_assert_cmpfloat (node_test_number (&test, "hit.count", 0), >, 0);
  node_test_clear (&test);
}

/* Two balls meet and part; one of them falls on the ground and stays. */
static void
test_simulation (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "keys", "table",
                 "{\"columns\": [\"x\", \"y\", \"z\", \"a\", \"b\", \"c\", \"power\", \"force\", \"rx\", \"ry\", "
                 "\"rz\", \"group\", \"part\"], \"rows\": [[0, 0.5, 0, 0.5, 0.5, 0.5, 2, 1, 0, 0, 0, 0, 0], [0, 2, 0, "
                 "0.5, 0.5, 0.5, 2, 1, 0, 0, 0, 0, 7]]}",
                 NULL);
  node_test_add (&test, "sim/soft_contact", "sim", "keys", "{\"link\": \"keys.keys\"}", "damping", "200", NULL);
  g_assert_cmpfloat (node_test_number (&test, "sim.count", 0), ==, 0);
  assert_near (node_test_vector (&test, "sim.momentum", 0.25).y, -5.235 * 9.81 * 0.25, 3);
  g_assert_cmpfloat (node_test_number (&test, "sim.count", 2), >=, 1);
  g_assert_cmpfloat (node_test_number (&test, "sim.kinetic", 3), <, 0.5);
  node_test_set (&test, "keys", "table",
                 "{\"columns\": [\"x\", \"y\", \"part\"], \"rows\": [[0, 2, 0], [3, 2, 1], [0, 2, 2]]}");
  node_test_warns (&test, "sim.count", "bodies 0 and 2 are at the same position");
  node_test_set (&test, "keys", "size", "[0, 0, 0]");
  node_test_set (&test, "keys", "table", "[[0, 0, 0]]");
  node_test_fails (&test, "sim.moved", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* Two keys in one place take up 17.6 per cent more than apart, unless the level rises. */
static void
test_volume (void)
{
  NodeTest test = node_test_new ();
  const double apart = 2 * 4 * G_PI / 3 * 0.125;

  node_test_add (&test, "soft/keys", "keys", "table", "[[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]]", "as", "\"influence\"",
                 NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"keys.keys\"}]", NULL);
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"object.field\"}", NULL);
  assert_near (node_test_number (&test, "skin.volume", 0) / (apart * 1.1761852), 1, 0.005);
  node_test_set (&test, "object", "keep_volume", "true");
  node_test_set_number (&test, "object", "volume", apart);
  assert_near (node_test_number (&test, "object.found", 0), 0.5992503, 4e-4);
  node_test_set (&test, "skin", "cell", "0.02");
  assert_near (node_test_number (&test, "skin.volume", 0) / apart, 1, 1.2e-3);
  node_test_set (&test, "object", "volume", "1e6");
  assert_near (node_test_number (&test, "object.found", 0), 0.5, 0);
  node_test_clear (&test);
}

/* 20-175: of three balls in a row only those press each other that are named. */
static void
test_pairs (void)
{
  NodeTest test = node_test_new ();
  double both, area;

  for (int i = 0; i < 3; i++) {
    g_autofree char *keys = g_strdup_printf ("k%d", i), *body = g_strdup_printf ("b%d", i);
    g_autofree char *table = g_strdup_printf ("[[%g, 0, 0]]", 0.8 * i),
                    *link = g_strdup_printf ("[{\"link\": \"k%d.keys\"}]", i);

    node_test_add (&test, "soft/keys", keys, "table", table, NULL);
    node_test_add (&test, "soft/primitive", body, "keys", link, NULL);
  }
  node_test_add (&test, "soft/contact", "contact", "fields",
                 "[{\"link\": \"b0.field\"}, {\"link\": \"b1.field\"}, {\"link\": \"b2.field\"}]", NULL);
  g_assert_cmpfloat (node_test_number (&test, "contact.pairs", 0), ==, 2);
  both = node_test_number (&test, "contact.area", 0);
  node_test_set (&test, "contact", "only", "[[2, 1]]");
  g_assert_cmpfloat (node_test_number (&test, "contact.pairs", 0), ==, 1);
  area = node_test_number (&test, "contact.area", 0);
  /* Discs of the radius 0.3. */
  assert_near (area, G_PI * 0.09, 0.01 * area);
  assert_near (both, 2 * area, 0.01 * both);
  {
    /* The first is as it was, bit for bit; the last is cut off half way. */
    g_auto (KgValue) first = node_test_get (&test, "contact.field", 0), own = node_test_get (&test, "b0.field", 0);

    g_assert_true (kg_field_equal (first.field, own.field));
  }
  node_test_set (&test, "contact", "only", "[[0, 2]]");
  g_assert_cmpfloat (node_test_number (&test, "contact.pairs", 0), ==, 0);
  node_test_set (&test, "contact", "only", "[[0, 3]]");
  node_test_fails_saying (&test, "contact.pairs", 0, "pairs, row 1: 0 and 3 are not two of the 3 bodies");
  node_test_set (&test, "contact", "only", "[[1, 1]]");
  node_test_fails_saying (&test, "contact.pairs", 0, "pairs, row 1: 1 and 1 are not two");
  node_test_clear (&test);
}

/* 20-182: the volume of the keys at rest, which are apart, kept by the size of keys that have merged: their common body has the
 * radius 0.6649749 of the influence, and the cube root of a quarter is wanted.  Sheared boxes, bodies and lines grow as well. */
static void
test_volume_by_size (void)
{
  static const char *const tables[] = {
    "[[0, 0, 0, 0.5, 0.3, 0.4, 4, 1, 10, 20, 30], [0.4, 0.1, 0, 0.3, 0.3, 0.5, 2, 1.5, 0, 0, 0]]",
    "[[0, 0, 0, 0.5, 0.3, 0.4, 2, 1], [0.4, 0.1, 0, 0.3, 0.3, 0.5, 2, -0.5], [0.7, 0, 0, 0.4, 0.4, 0.4, 2, 1]]"
  };
  NodeTest test = node_test_new ();

  node_test_add (&test, "soft/keys", "keys", "table", "[[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]]", "as", "\"influence\"",
                 NULL);
  node_test_add (&test, "soft/keys", "apart", "table", "[[0, 0, 0, 1, 1, 1], [3, 0, 0, 1, 1, 1]]", "as",
                 "\"influence\"", NULL);
  node_test_add (&test, "soft/primitive", "object", "keys", "[{\"link\": \"keys.keys\"}]", "keep_volume", "true", "of",
                 "\"rest\"", "by", "\"size\"", NULL);
  node_test_add (&test, "soft/polygonize", "skin", "field", "{\"link\": \"object.field\"}", "cell", "0.02", NULL);
  node_test_fails_saying (&test, "skin.volume", 0, "no keys at rest");
  node_test_set (&test, "object", "rest", "[{\"link\": \"apart.keys\"}]");
  assert_near (node_test_number (&test, "object.factor", 0), cbrt (0.25) / 0.6649749, 5e-4);
  assert_near (node_test_number (&test, "object.found", 0), 0.5, 0);
  assert_near (node_test_number (&test, "skin.volume", 0), 4 * G_PI / 3 * 0.25, 1.2e-3);
  /* By the level, to the same volume. */
  node_test_set (&test, "object", "by", "\"level\"");
  assert_near (node_test_number (&test, "object.found", 0), 0.5992503, 4e-4);
  assert_near (node_test_number (&test, "object.factor", 0), 1, 0);
  node_test_set (&test, "object", "by", "\"size\"");
  node_test_set (&test, "object", "of", "\"given\"");
  node_test_set (&test, "object", "rest", "[]");
  node_test_set (&test, "keys", "as", "\"body\"");
  node_test_add (&test, "geometry/transform", "sheared", "geometry", "{\"link\": \"keys.keys\"}", "scale",
                 "[2, 1, 0.5]", "rotate", "[0, 0, 40]", NULL);
  node_test_add (&test, "geometry/line", "line", NULL);
  node_test_set (&test, "object", "keys", "[{\"link\": \"sheared.transformed\"}, {\"link\": \"line.geometry\"}]");
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    for (guint k = 0; k < 2; k++) {
      node_test_set (&test, "keys", "table", tables[i]);
      node_test_set_number (&test, "object", "volume", k == 0 ? 1.5 : 9);
      assert_near (node_test_number (&test, "skin.volume", 0), k == 0 ? 1.5 : 9, k == 0 ? 3e-3 : 1.8e-2);
    }
  node_test_set (&test, "apart", "force", "0");
  node_test_set (&test, "object", "rest", "[{\"link\": \"apart.keys\"}]");
  node_test_set (&test, "object", "of", "\"rest\"");
  node_test_fails_saying (&test, "skin.volume", 0, "the keys at rest have no volume");
  /* Nothing has no volume, whatever its size. */
  node_test_set (&test, "object", "of", "\"given\"");
  node_test_set (&test, "object", "rest", "[]");
  node_test_set (&test, "object", "keys", "[]");
  node_test_warns (&test, "object.field", "no size gives these keys a volume of 9");
  node_test_clear (&test);
}

/* The rabbit becomes a man by shortest ways: the clay of every part arrives, and fewer keys pass each other than in order. */
static void
test_transport (void)
{
  NodeTest test = node_test_open_example ("rabbit_to_man.json");
  double scrambled;

  node_test_set (&test, "between", "match", "\"order\"");
  scrambled = node_test_number (&test, "between.crossings", 0);
  node_test_set (&test, "between", "match", "\"transport\"");
  g_assert_cmpfloat (node_test_number (&test, "between.crossings", 0), <, 0.5 * scrambled);
  node_test_clear (&test);
}

/* How high the surface is over a place of the ground. */
static double
get_height (const KgField *field, double x, double z)
{
  double low = 0, high = 0.5;

  while (high - low > 1e-7) {
    const double middle = 0.5 * (low + high);
    const float place[] = { (float) x, (float) middle, (float) z };
    float value;

    kg_field_sample_points (field, place, 1, 0, &value);
    *((double) value >= 0.5 ? &low : &high) = middle;
  }
  return low;
}

/* The negative man on the mattress, at a height of 0.30 m. */
static void
test_impression (void)
{
  static const struct {
    double x, z, before, after;
  } facts[] = { { 0, -0.5, 0.2486209, 0.1544668 },
                { 0, -0.1, 0.2499978, 0.1372029 },
                { 0.13, 0.09, 0.2499421, 0.1600362 } };
  NodeTest test = node_test_open_example ("impression.json");

  node_test_add (&test, "soft/primitive", "smooth", "keys", "[{\"link\": \"mattress.keys\"}]", NULL);
  {
    g_auto (KgValue) pressed = node_test_get (&test, "pressed.field", 1.5);
    g_auto (KgValue) smooth = node_test_get (&test, "smooth.field", 1.5);

    for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
      assert_near (get_height (smooth.field, facts[i].x, facts[i].z), facts[i].before, 1e-6);
      assert_near (get_height (pressed.field, facts[i].x, facts[i].z), facts[i].after, 1e-6);
    }
    /* Where the man does not reach, not by one bit. */
    assert_near (get_height (smooth.field, 0.6, -0.1), 0.2191392, 1e-6);
    assert_near (get_height (pressed.field, 0.6, -0.1), get_height (smooth.field, 0.6, -0.1), 0);
  }
  {
    /* 20-054, E8: the wood of the posts. */
    g_auto (KgValue) grain = node_test_get (&test, "grain.field", 0);
    const float places[] = { 0, 0, 0, 0.2f, 0.3f, 0.1f, 0.05f, 0.6f, 0, 0, 1, 0.05f };
    float w[4];

    kg_field_sample_points (grain.field, places, G_N_ELEMENTS (w), 0, w);
    assert_near ((double) w[0], 0.33116386, 1e-6);
    assert_near ((double) w[1], 0.00899118, 1e-6);
    assert_near ((double) w[2], 0.9720447, 1e-6);
    assert_near ((double) w[3], 0.9996046, 1e-6);
  }
  node_test_clear (&test);
}

/* The muscle at 0, 45 and 90 degrees. */
static void
test_muscle (void)
{
  static const double facts[][2] = { { 1, 0.0768120 }, { 0.25, 0.0830075 }, { -0.5, 0.0896298 } };
  NodeTest test = node_test_open_example ("arm_of_clay.json");

  for (size_t i = 0; i < G_N_ELEMENTS (facts); i++) {
    const double time = acos (facts[i][0]) / G_PI;
    g_auto (KgValue) strong = node_test_get (&test, "strong.field", time);
    g_auto (KgValue) weak = node_test_get (&test, "weak.field", time);

    assert_near (get_height (strong.field, 0.14, 0), facts[i][1], 2e-6);
    assert_near (get_height (weak.field, 0.14, 0), 0.0582719, 2e-6);
    g_assert_cmpfloat (node_test_number (&test, "strong_skin.pieces", time), ==, 1);
  }
  node_test_clear (&test);
}

/* The train: twenty-one keys, one piece. */
static void
test_train (void)
{
  NodeTest test = node_test_open_example ("train_of_clay.json");

  node_test_set (&test, "skin", "cell", "0.03");
  g_assert_cmpfloat (node_test_number (&test, "train.count", 0), ==, 21);
  g_assert_cmpfloat (node_test_number (&test, "skin.pieces", 0), ==, 1);
  node_test_clear (&test);
}

static void
test_bad (void)
{
  NodeTest test = contact_test_new ("[[0, 0, 0, 0, 0, 0]]", "[[0, 0, 0, 1, 1, 1]]");

  g_assert_cmpfloat (node_test_number (&test, "contact.pairs", 0), ==, 0);
  node_test_set (&test, "left", "table", "[[0, 0, 0, 1, 1, 1]]");
  /* The same body twice: one surface for both, all of it. */
  g_assert_true (isfinite (node_test_number (&test, "skin.volume", 0)));
  node_test_warns (&test, "contact.pairs", "fields 0 and 1 are at the same position");
  node_test_set (&test, "left", "color", "\"#00ff00\"");
  node_test_warns (&test, "contact.pairs", "fields 0 and 1 are at the same position");
  node_test_set (&test, "left", "table", "[[0.01, 0, 0, 0.4, 0.4, 0.4]]");
  node_test_warns (&test, "contact.pairs", "one is inside the other");
  node_test_set (&test, "left", "table", "[[0, 0, 0, 1, 1, 1]]");
  node_test_set (&test, "contact", "index", "5");
  node_test_fails (&test, "contact.field", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "contact", "index", "0");
  node_test_set (&test, "contact", "cell", "1e-5");
  node_test_fails (&test, "contact.field", KG_ERROR_LIMIT);
  node_test_set (&test, "contact", "cell", "0.05");
  node_test_add (&test, "soft/implicit", "floor", "shape", "\"plane\"", NULL);
  node_test_set (&test, "contact", "fields", "[{\"link\": \"a.field\"}, {\"link\": \"floor.field\"}]");
  node_test_fails (&test, "contact.field", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "contact", "fields", "[]");
  g_assert_cmpfloat (node_test_number (&test, "contact.area", 0), ==, 0);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/soft_contact/55-93-55-95-contact", test_contact);
  g_test_add_func ("/soft_contact/55-90-collide", test_collide);
  g_test_add_func ("/soft_contact/55-96-simulation", test_simulation);
  g_test_add_func ("/soft_contact/20-175-pairs", test_pairs);
  g_test_add_func ("/soft_contact/20-182-volume", test_volume);
  g_test_add_func ("/soft_contact/20-182-volume-by-size", test_volume_by_size);
  g_test_add_func ("/soft_contact/20-183-20-185-transport", test_transport);
  g_test_add_func ("/soft_contact/20-172-20-054-bedroom", test_impression);
  g_test_add_func ("/soft_contact/20-174-muscle", test_muscle);
  g_test_add_func ("/soft_contact/20-165-train", test_train);
  g_test_add_func ("/soft_contact/bad", test_bad);
  return g_test_run ();
}

/* tests/nodes/morph-curves: drawings between drawings, against catalogue 30-111 to 30-113.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "morph/inbetween.h"
#include "node-test.h"

static NodeTest
make (const char *a, const char *b, const char *basis, const char *match)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "a", "points", a, "basis", basis, NULL);
  node_test_add (&test, "curve/spline", "b", "points", b, "basis", basis, NULL);
  node_test_add (&test, "morph/curves", "m", "keys", "[{\"link\": \"a.geometry\"}, {\"link\": \"b.geometry\"}]", "at",
                 "0.5", "match", match, NULL);
  return test;
}

/* Point i of the result. */
static KgVector
get_point (NodeTest *test, const char *output, size_t i)
{
  g_auto (KgValue) value = node_test_get (test, output, 0);
  const float *p = kg_geometry_get_positions (value.geometry);

  g_assert_cmpuint (i, <, kg_geometry_get_n_points (value.geometry));
  return kg_vector ((double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]);
}

/* 30-111: half way is the mean; what only moves only moves; half a turn shrinks to a point. */
static void
test_points (void)
{
  NodeTest test = make ("\"0 0\\n2 0\\n2 1\"", "\"1 4\\n3 4\\n3 5\"", "\"linear\"", "\"points\"");

  assert_vector_near (get_point (&test, "m.geometry", 0), 0.5, 2, 0, 1e-6);
  assert_vector_near (get_point (&test, "m.geometry", 1), 2.5, 2, 0, 1e-6);
  assert_vector_near (get_point (&test, "m.geometry", 2), 2.5, 3, 0, 1e-6);
  node_test_set (&test, "m", "at", "0.25");
  assert_vector_near (get_point (&test, "m.geometry", 2), 2.25, 2, 0, 1e-6);
  node_test_set (&test, "m", "at", "0.5");
  node_test_set (&test, "a", "points", "\"1 0\\n0 2\\n-1 1\"");
  node_test_set (&test, "b", "points", "\"-1 0\\n0 -2\\n1 -1\"");
  for (size_t i = 0; i < 3; i++)
    assert_vector_near (get_point (&test, "m.geometry", i), 0, 0, 0, 1e-6);
  node_test_set (&test, "b", "points", "\"-1 0\\n0 -2\"");
  node_test_fails (&test, "m.geometry", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* 30-111: a spline through several keys moves points in arcs; keys are met, also at uneven frames; an ease in time. */
static void
test_through_keys (void)
{
  static const char *const points[] = { "\"0 0\\n0 1\"", "\"1 1\\n1 2\"", "\"2 4\\n2 5\"", "\"3 9\\n3 10\"" };
  NodeTest test = node_test_new ();

  for (guint i = 0; i < 4; i++) {
    g_autofree char *name = g_strdup_printf ("k%u", i);

    node_test_add (&test, "curve/spline", name, "points", points[i], "basis", "\"linear\"", NULL);
  }
  node_test_add (&test, "motion/ease", "e", "shape", "\"decelerate\"", NULL);
  node_test_add (&test, "morph/curves", "m", "keys",
                 "[{\"link\": \"k0.geometry\"}, {\"link\": \"k1.geometry\"}, {\"link\": \"k2.geometry\"}, {\"link\": "
                 "\"k3.geometry\"}]",
                 "through", "\"catmull-rom\"", "at", "1.5", NULL);
  /* (-0 + 9 1 + 9 4 - 9) / 16: the parabola through the keys. */
  assert_vector_near (get_point (&test, "m.geometry", 0), 1.5, 2.25, 0, 1e-6);
  node_test_set (&test, "m", "through", "\"kochanek-bartels\"");
  assert_vector_near (get_point (&test, "m.geometry", 0), 1.5, 2.25, 0, 1e-6);
  node_test_set (&test, "m", "tension", "1");
  assert_vector_near (get_point (&test, "m.geometry", 0), 1.5, 2.5, 0, 1e-6);
  node_test_set (&test, "m", "tension", "0");
  /* The parabola over uneven frames: slopes over time are those of finite differences. */
  node_test_set (&test, "m", "frames", "\"10 20 40 50\"");
  for (guint i = 0; i < 4; i++) {
    static const char *const frames[] = { "10", "20", "40", "50" };

    node_test_set (&test, "m", "at", frames[i]);
    assert_vector_near (get_point (&test, "m.geometry", 0), i, i * i, 0, 1e-6);
  }
  /* At 30: Hermite from (1, 1) to (2, 4) with slopes 4 / 30 and 8 / 30 over 20 frames. */
  node_test_set (&test, "m", "at", "30");
  assert_near (get_point (&test, "m.geometry", 0).y, 2.5 + 20.0 * (4.0 / 30 - 8.0 / 30) / 8, 1e-6);
  node_test_set (&test, "m", "through", "\"linear\"");
  assert_near (get_point (&test, "m.geometry", 0).y, 2.5, 1e-6);
  node_test_set (&test, "m", "timing", "{\"link\": \"e.motion\"}");
  assert_near (get_point (&test, "m.geometry", 0).y, 1 + 3 * 0.75, 1e-6);
  node_test_set (&test, "m", "frames", "\"10 20 15 50\"");
  node_test_fails (&test, "m.geometry", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "m", "frames", "\"10 20\"");
  node_test_fails (&test, "m.geometry", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* 30-112: control points of Bezier curves mixed, and the curve taken from them, is the same as points of equal parameter
 * mixed; the ends go straight. */
static void
test_correspondence (void)
{
  NodeTest test = make ("\"0 0\\n1 3\\n4 2\\n5 0\"", "\"1 1\\n0 5\\n7 -2\\n6 3\"", "\"bezier\"", "\"points\"");

  node_test_add (&test, "curve/sample", "s", "geometry", "{\"link\": \"m.geometry\"}", "points", "33", "even", "false",
                 NULL);
  node_test_add (&test, "morph/curves", "p", "keys", "[{\"link\": \"a.geometry\"}, {\"link\": \"b.geometry\"}]",
                 "match", "\"parameter\"", "points", "33", NULL);
  for (int k = 0; k <= 8; k++) {
    g_autofree char *at = g_strdup_printf ("%g", k / 8.0);
    const double t = k / 8.0;

    node_test_set (&test, "m", "at", at);
    node_test_set (&test, "p", "at", at);
    for (size_t i = 0; i < 33; i++) {
      const KgVector a = get_point (&test, "s.sampled", i), b = get_point (&test, "p.geometry", i);

      assert_vector_near (b, a.x, a.y, a.z, 2e-6);
    }
    assert_vector_near (get_point (&test, "p.geometry", 0), t, t, 0, 1e-6);
    assert_vector_near (get_point (&test, "p.geometry", 32), 5 + t, 3 * t, 0, 1e-6);
    node_test_set (&test, "p", "match", "\"length\"");
    assert_vector_near (get_point (&test, "p.geometry", 0), t, t, 0, 1e-6);
    assert_vector_near (get_point (&test, "p.geometry", 32), 5 + t, 3 * t, 0, 1e-6);
    node_test_set (&test, "p", "match", "\"parameter\"");
  }
  /* The two sets of points that correspond: what is between them is their mix. */
  for (size_t i = 0; i < 33; i += 8) {
    const KgVector a = get_point (&test, "p.from", i), b = get_point (&test, "p.to", i);

    node_test_set (&test, "p", "at", "0.25");
    assert_vector_near (get_point (&test, "p.geometry", i), 0.75 * a.x + 0.25 * b.x, 0.75 * a.y + 0.25 * b.y, 0, 1e-6);
  }
  node_test_set (&test, "p", "at", "1");
  /* Curves with other numbers of points correspond as well; open and closed ones do not. */
  node_test_set (&test, "a", "basis", "\"linear\"");
  node_test_set (&test, "a", "points", "\"0 0\\n1 0\"");
  assert_vector_near (get_point (&test, "p.geometry", 0), 1, 1, 0, 1e-6);
  node_test_set (&test, "a", "closed", "true");
  node_test_fails (&test, "p.geometry", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* 30-112: the same closed outline begun elsewhere: from the best start nothing turns. */
static void
test_best_start (void)
{
  NodeTest test = make ("\"0 0\\n4 0\\n4 2\\n0 2\"", "\"4 2\\n0 2\\n0 0\\n4 0\"", "\"linear\"", "\"best-start\"");

  node_test_set (&test, "a", "closed", "true");
  node_test_set (&test, "b", "closed", "true");
  node_test_set (&test, "m", "points", "12");
  assert_vector_near (get_point (&test, "m.geometry", 0), 0, 0, 0, 1e-6);
  assert_vector_near (get_point (&test, "m.geometry", 1), 1, 0, 0, 1e-6);
  assert_vector_near (get_point (&test, "m.geometry", 6), 4, 2, 0, 1e-6);
  node_test_set (&test, "m", "match", "\"length\"");
  assert_vector_near (get_point (&test, "m.geometry", 0), 2, 1, 0, 1e-6);
  node_test_clear (&test);
}

/* The patch of 30-113: P from (0, 0) to (0, 1), Q from (2, 0) to (4, 1), straight sides. */
static KgVector
key_of_patch (const void *data, guint which, double sigma)
{
  (void) data;
  return which == 0 ? kg_vector (0, sigma, 0) : kg_vector (2 + 2 * sigma, sigma, 0);
}

static KgVector
side_of_patch (const void *data, guint which, double tau)
{
  const double eased = (2 - tau) * tau;

  return which == 1 ? kg_vector (4 * tau, 1, 0) : kg_vector (2 * (data != NULL ? eased : tau), 0, 0);
}

static void
test_patch (void)
{
  const InbetweenPatch even = { key_of_patch, side_of_patch, NULL, NULL };
  const InbetweenPatch eased = { key_of_patch, side_of_patch, NULL, &even };

  assert_vector_near (inbetween_patch_get (&even, INBETWEEN_BILINEAR, 0.5, 0.5), 1.5, 0.5, 0, 1e-15);
  assert_vector_near (inbetween_patch_get (&even, INBETWEEN_CUBIC, 0.5, 0.5), 1.5, 0.5, 0, 1e-15);
  assert_vector_near (inbetween_patch_get (&eased, INBETWEEN_BILINEAR, 0, 0.5), 1.5, 0, 0, 1e-15);
  assert_vector_near (inbetween_patch_get (&eased, INBETWEEN_BILINEAR, 0.5, 0.5), 1.75, 0.5, 0, 1e-15);
  /* All four sides are met. */
  for (int k = 0; k < 2; k++)
    for (int i = 0; i <= 10; i++) {
      const InbetweenBlend blend = k == 0 ? INBETWEEN_BILINEAR : INBETWEEN_CUBIC;
      const double x = i / 10.0;
      const KgVector a = side_of_patch (&even, 0, x), b = side_of_patch (&even, 1, x), p = key_of_patch (NULL, 0, x),
                     q = key_of_patch (NULL, 1, x);

      assert_vector_near (inbetween_patch_get (&eased, blend, 0, x), a.x, a.y, 0, 1e-15);
      assert_vector_near (inbetween_patch_get (&eased, blend, 1, x), b.x, b.y, 0, 1e-15);
      assert_vector_near (inbetween_patch_get (&eased, blend, x, 0), p.x, p.y, 0, 1e-15);
      assert_vector_near (inbetween_patch_get (&eased, blend, x, 1), q.x, q.y, 0, 1e-15);
    }
}

/* 30-113: the same through the node; at the keys the drawing is the key; moving points are on their paths, at their pace. */
static void
test_moving_points (void)
{
  NodeTest test = make ("\"0 0\\n0 1\"", "\"2 0\\n4 1\"", "\"linear\"", "\"moving-points\"");
  static const char *const blends[] = { "\"linear\"", "\"cubic\"", "\"hermite\"" };

  node_test_set (&test, "m", "samples", "2");
  assert_vector_near (get_point (&test, "m.geometry", 1), 1.5, 0.5, 0, 1e-6);
  node_test_add (&test, "curve/spline", "way", "points", "\"0 0\\n2 0\"", "basis", "\"linear\"", NULL);
  node_test_add (&test, "motion/ease", "e", "shape", "\"decelerate\"", NULL);
  node_test_set (&test, "m", "attachments", "\"0 0 0\"");
  node_test_set (&test, "m", "paces", "[{\"link\": \"e.motion\"}]");
  assert_vector_near (get_point (&test, "m.geometry", 1), 1.75, 0.5, 0, 1e-6);
  node_test_set (&test, "m", "paths", "[{\"link\": \"way.geometry\"}]");
  assert_vector_near (get_point (&test, "m.geometry", 0), 1.5, 0, 0, 1e-6);
  assert_vector_near (get_point (&test, "m.geometry", 1), 1.75, 0.5, 0, 1e-6);
  assert_vector_near (get_point (&test, "m.moving", 0), 1.5, 0, 0, 1e-6);
  for (guint i = 0; i < G_N_ELEMENTS (blends); i++) {
    node_test_set (&test, "m", "blend", blends[i]);
    node_test_set (&test, "m", "at", "0");
    assert_vector_near (get_point (&test, "m.geometry", 1), 0, 0.5, 0, 1e-6);
    node_test_set (&test, "m", "at", "1");
    assert_vector_near (get_point (&test, "m.geometry", 1), 3, 0.5, 0, 1e-6);
    assert_vector_near (get_point (&test, "m.geometry", 2), 4, 1, 0, 1e-6);
  }
  node_test_clear (&test);
}

/* A moving point in the middle of three keys goes through its places on them, along a bent path, and the drawing with
 * it. */
static void
test_three_keys (void)
{
  NodeTest test = make ("\"0 0\\n2 0\"", "\"0 2\\n2 2\"", "\"linear\"", "\"moving-points\"");

  node_test_add (&test, "curve/spline", "c", "points", "\"0 4\\n2 4\"", "basis", "\"linear\"", NULL);
  /* Half circles to the right and to the left, of radius 1, through (1, 0), (1, 2), (1, 4). */
  node_test_add (&test, "curve/spline", "way", "points",
                 "\"1 0\\n1.5522847 0\\n2 0.4477153\\n2 1\\n2 1.5522847\\n1.5522847 2\\n1 2\\n0.4477153 2\\n0 "
                 "2.4477153\\n0 3\\n0 3.5522847\\n0.4477153 4\\n1 4\"",
                 "basis", "\"bezier\"", NULL);
  node_test_set (&test, "m", "keys",
                 "[{\"link\": \"a.geometry\"}, {\"link\": \"b.geometry\"}, {\"link\": \"c.geometry\"}]");
  node_test_set (&test, "m", "paths", "[{\"link\": \"way.geometry\"}]");
  node_test_set (&test, "m", "attachments", "\"0 0.5 0.5 0.5\"");
  node_test_set (&test, "m", "samples", "10");
  assert_vector_near (get_point (&test, "m.geometry", 10), 2, 1, 0, 1e-4);
  assert_vector_near (get_point (&test, "m.geometry", 0), 0, 1, 0, 1e-6);
  node_test_set (&test, "m", "at", "1");
  assert_vector_near (get_point (&test, "m.geometry", 10), 1, 2, 0, 1e-6);
  node_test_set (&test, "m", "at", "1.5");
  assert_vector_near (get_point (&test, "m.geometry", 10), 0, 3, 0, 1e-4);
  assert_vector_near (get_point (&test, "m.from", 10), 1, 2, 0, 1e-6);
  assert_vector_near (get_point (&test, "m.to", 10), 1, 4, 0, 1e-6);
  /* Attached elsewhere on a key: bent to go through, or refused. */
  node_test_set (&test, "m", "attachments", "\"0 0.5 0.25 0.5\"");
  node_test_set (&test, "m", "at", "1");
  assert_vector_near (get_point (&test, "m.geometry", 10), 0.5, 2, 0, 1e-6);
  /* (0.5, 2) is that far from the left half circle around (1, 3). */
  node_test_warns (&test, "m.geometry", "moving point 0 misses its attachment on key 1 by 0.1178 m");
  node_test_set (&test, "m", "snap", "false");
  node_test_fails (&test, "m.geometry", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

static void
test_bad_points (void)
{
  NodeTest test = make ("\"0 0\\n2 0\"", "\"0 2\\n2 2\"", "\"linear\"", "\"moving-points\"");

  /* Crossing, only one key, keys that are not there, no share, a path without a line. */
  node_test_set (&test, "m", "attachments", "\"0 0.2 0.8\\n0 0.6 0.4\"");
  node_test_fails (&test, "m.geometry", KG_ERROR_DEGENERATE);
  node_test_set (&test, "m", "attachments", "\"0 0.2\"");
  node_test_fails (&test, "m.geometry", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "m", "attachments", "\"1 0.2 0.3\"");
  node_test_fails (&test, "m.geometry", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "m", "attachments", "\"0 0.2 1.3\"");
  node_test_fails (&test, "m.geometry", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "m", "attachments", "\"\"");
  node_test_set (&test, "m", "paths", "[{\"link\": \"a.geometry\"}]");
  node_test_fails (&test, "m.geometry", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "m", "keys", "[{\"link\": \"a.geometry\"}]");
  node_test_fails (&test, "m.geometry", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* On closed outlines the start is the end: the drawing stays closed around a moving point. */
static void
test_closed (void)
{
  NodeTest test = make ("\"0 0\\n2 0\\n2 2\\n0 2\"", "\"4 0\\n6 0\\n6 2\\n4 2\"", "\"linear\"", "\"moving-points\"");
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgPrimitive primitive;

  node_test_set (&test, "a", "closed", "true");
  node_test_set (&test, "b", "closed", "true");
  node_test_set (&test, "m", "attachments", "\"0 0 0\\n0 0.5 0.5\"");
  node_test_set (&test, "m", "samples", "4");
  value = node_test_get (&test, "m.geometry", 0);
  g_assert_cmpuint (kg_geometry_get_n_points (value.geometry), ==, 8);
  kg_geometry_get_primitive (value.geometry, 0, &primitive);
  g_assert_true (primitive.closed);
  assert_vector_near (get_point (&test, "m.geometry", 4), 4, 2, 0, 1e-6);
  assert_vector_near (get_point (&test, "m.geometry", 6), 2, 2, 0, 1e-6);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/morph-curves/30-111-points", test_points);
  g_test_add_func ("/morph-curves/30-111-through-keys", test_through_keys);
  g_test_add_func ("/morph-curves/30-112-correspondence", test_correspondence);
  g_test_add_func ("/morph-curves/30-112-best-start", test_best_start);
  g_test_add_func ("/morph-curves/30-113-patch", test_patch);
  g_test_add_func ("/morph-curves/30-113-moving-points", test_moving_points);
  g_test_add_func ("/morph-curves/30-113-three-keys", test_three_keys);
  g_test_add_func ("/morph-curves/30-113-bad-points", test_bad_points);
  g_test_add_func ("/morph-curves/30-113-closed", test_closed);
  return g_test_run ();
}

/* tests/nodes/picture-tracking: points and planes that are followed, pictures held still by them, cameras found.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include "kg-random.h"

#define RATE 24.0

/* Crosses of a grid on grey, moved by an expression. */
static NodeTest
make_picture (const char *translate, const char *rotate)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/text", "g", "text", "\"AXE\"", "size", "1", NULL);
  node_test_add (&test, "render/draw", "p", "geometries", "[{\"link\": \"g.geometry\"}]", "width", "160", "height",
                 "120", "view_height", "2", "background", "[0.1, 0.15, 0.2, 1]", NULL);
  node_test_add (&test, "image/transform", "m", "image", "{\"link\": \"p.image\"}", "translate", translate, "rotate",
                 rotate, "filter", "\"bicubic\"", "edges", "\"extend\"", NULL);
  return test;
}

/* A track of 12 frames at 3.3 and -1.7 pixels a frame is right to a tenth of a pixel at every frame, and certain. */
static void
test_point (void)
{
  NodeTest test = make_picture ("{\"expr\": \"[2.3*(frame-1), -1.7*(frame-1), 0]\"}", "0");

  node_test_add (&test, "image/track", "t", "image", "{\"link\": \"m.transformed\"}", "points", "[[0, 0], [-0.3, 0.1]]",
                 NULL);
  for (int frame = 0; frame < 12; frame++) {
    g_auto (KgValue) moved = node_test_get (&test, "t.moved", frame / RATE);

    /* A pixel is 1/60 of the view. */
    assert_near (moved.vector.x * 60, 2.3 * frame, 0.1);
    assert_near (moved.vector.y * 60, -1.7 * frame, 0.1);
    g_assert_cmpfloat (node_test_number (&test, "t.confidence", frame / RATE), >, 0.97);
    g_assert_cmpfloat (node_test_number (&test, "t.lost", frame / RATE), ==, 0);
  }
  /* The same as a motion. */
  node_test_add (&test, "motion/record", "r", "value", "{\"link\": \"t.moved\"}", "count", "12", NULL);
  {
    g_auto (KgValue) motion = node_test_get (&test, "r.motion", 0), moved = node_test_get (&test, "t.moved", 5 / RATE);
    double value[4];

    kg_channel_evaluate (kg_motion_get_channel (motion.motion, 0), 5 / RATE, value);
    assert_near (value[0], moved.vector.x, 1e-12);
    assert_near (value[1], moved.vector.y, 1e-12);
  }
  node_test_clear (&test);
}

/* A point that leaves the frame is lost, waits at its last place, and breaks nothing. */
static void
test_leaves (void)
{
  NodeTest test = make_picture ("{\"expr\": \"[12*(frame-1), 0, 0]\"}", "0");

  node_test_set (&test, "m", "edges", "\"transparent\"");
  node_test_add (&test, "image/track", "t", "image", "{\"link\": \"m.transformed\"}", "points", "[[0.2, 0.1]]", NULL);
  g_assert_cmpfloat (node_test_number (&test, "t.lost", 3 / RATE), ==, 0);
  g_assert_cmpfloat (node_test_number (&test, "t.lost", 14 / RATE), ==, 1);
  node_test_set (&test, "t", "radius", "64");
  node_test_number (&test, "t.lost", 3 / RATE);
  node_test_set (&test, "t", "points", "[]");
  node_test_number (&test, "t.lost", 3 / RATE);
  /* A flat picture has nothing to hold on to, but is no error. */
  node_test_set (&test, "p", "geometries", "[]");
  node_test_set (&test, "t", "points", "[[0, 0]]");
  node_test_number (&test, "t.lost", 3 / RATE);
  node_test_clear (&test);
}

/* A pattern that repeats is followed by parts of a pixel and does not jump to one of its copies: of equal places the
 * nearest counts.  A point outside the image, or one that leaves it, is lost and stays where it is; none is found again by
 * the edge that is repeated beyond the image. */
static void
test_repeats (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "image/constant", "c", "width", "96", "height", "64", NULL);
  node_test_add (&test, "image/expression", "e", "image", "{\"link\": \"c.image\"}", "red",
                 "\"0.5 + 0.2*sin((x - 0.7*p)*0.5 + (y - 0.3*p)*0.31) + 0.2*cos((x - 0.7*p)*0.23 - (y - 0.3*p)*0.47)\"",
                 "p", "{\"expr\": \"frame - 1\"}", NULL);
  node_test_add (&test, "image/track", "t", "image", "{\"link\": \"e.result\"}", NULL);
  for (int frame = 1; frame < 6; frame++) {
    g_auto (KgValue) moved = node_test_get (&test, "t.moved", frame / RATE);

    assert_near (moved.vector.x * 32, 0.7 * frame, 0.01);
    assert_near (moved.vector.y * 32, 0.3 * frame, 0.01);
  }
  node_test_set (&test, "t", "points", "[[5, 0], [0, 0], [-1.6, 0], [1e9, 1e9]]");
  for (int frame = 0; frame < 4; frame += 3) {
    g_auto (KgValue) position = node_test_get (&test, "t.position", frame / RATE);

    assert_near (node_test_number (&test, "t.lost", frame / RATE), 3, 0);
    assert_near (node_test_number (&test, "t.confidence", frame / RATE), 0, 0);
    assert_near (position.vector.x, 5, 1e-6);
  }
  /* A spot that goes out at the right: it passes x = 64 at frame 6.3. */
  node_test_set (&test, "c", "width", "64");
  node_test_set (&test, "e", "red", "\"exp(-((x - 32 - 6*p)^2 + (y - 32)^2)/8)\"");
  node_test_set (&test, "t", "points", "[[0, 0]]");
  assert_near (node_test_number (&test, "t.lost", 4 / RATE), 0, 0);
  for (int frame = 6; frame < 20; frame++) {
    g_auto (KgValue) position = node_test_get (&test, "t.position", frame / RATE);

    assert_near (node_test_number (&test, "t.lost", frame / RATE), 1, 0);
    g_assert_cmpfloat (position.vector.x, <=, 1);
  }
  node_test_clear (&test);
}

/* Held still, a moved and turned picture is the first frame again. */
static void
test_stabilize (void)
{
  NodeTest test = make_picture ("{\"expr\": \"[1.5*(frame-1), 0.7*(frame-1), 0]\"}", "{\"expr\": \"0.3*(frame-1)\"}");
  g_auto (KgValue) first = KG_VALUE_INIT, held = KG_VALUE_INIT, shaken = KG_VALUE_INIT;
  double before = 0, after = 0;

  node_test_add (&test, "image/track", "t", "image", "{\"link\": \"m.transformed\"}", "points",
                 "[[-0.45, 0.25], [0.35, 0.3], [-0.3, -0.25], [0.4, -0.2], [0, 0]]", "radius", "10", NULL);
  node_test_add (&test, "image/stabilize", "s", "image", "{\"link\": \"m.transformed\"}", "points",
                 "{\"link\": \"t.tracks\"}", "model", "\"rigid\"", NULL);
  first = node_test_get (&test, "m.transformed", 0);
  shaken = node_test_get (&test, "m.transformed", 8 / RATE);
  held = node_test_get (&test, "s.stabilized", 8 / RATE);
  g_assert_cmpfloat (node_test_number (&test, "s.residual", 8 / RATE), <, 0.4);
  for (int y = 30; y < 90; y++)
    for (int x = 30; x < 130; x++) {
      const size_t at = 4 * (size_t) (y * 160 + x);
      const double a = (double) kg_image_get_pixels (first.image)[at];

      before += pow (a - (double) kg_image_get_pixels (shaken.image)[at], 2);
      after += pow (a - (double) kg_image_get_pixels (held.image)[at], 2);
    }
  g_assert_cmpfloat (after, <, 0.08 * before);
  node_test_clear (&test);
}

/* Pinned to its own corners an image is itself; a plane that turns and shrinks is followed to a fifth of a pixel. */
static void
test_plane (void)
{
  NodeTest test = make_picture ("{\"expr\": \"[0.8*(frame-1), 0.5*(frame-1), 0]\"}", "{\"expr\": \"1.5*(frame-1)\"}");
  g_auto (KgValue) plane = KG_VALUE_INIT, image = KG_VALUE_INIT, pinned = KG_VALUE_INIT;
  static const double corners[4][2] = { { -0.5, 0.4 }, { 0.5, 0.4 }, { 0.5, -0.4 }, { -0.5, -0.4 } };

  node_test_set (&test, "m", "scale", "{\"expr\": \"[1-0.02*(frame-1), 1-0.02*(frame-1), 1]\"}");
  node_test_add (&test, "image/track_plane", "t", "image", "{\"link\": \"m.transformed\"}", "corners",
                 "[[-0.5, 0.4], [0.5, 0.4], [0.5, -0.4], [-0.5, -0.4]]", NULL);
  plane = node_test_get (&test, "t.plane", 10 / RATE);
  for (int i = 0; i < 4; i++) {
    const double a = 15 * KG_PI / 180, s = 0.8, c = cos (a), d = sin (a);
    const float *p = kg_geometry_get_positions (plane.geometry) + 3 * i;

    assert_near (60 * (double) p[0], 60 * s * (c * corners[i][0] - d * corners[i][1]) + 8, 0.3);
    assert_near (60 * (double) p[1], 60 * s * (d * corners[i][0] + c * corners[i][1]) + 5, 0.3);
  }
  g_assert_cmpfloat (node_test_number (&test, "t.confidence", 10 / RATE), >, 0.9);
  node_test_add (
      &test, "geometry/polygon", "own", "points",
      "[[-1.3333333333333333, 1], [1.3333333333333333, 1], [1.3333333333333333, -1], [-1.3333333333333333, -1]]", NULL);
  node_test_add (&test, "image/stabilize", "s", "image", "{\"link\": \"p.image\"}", "points",
                 "{\"link\": \"own.geometry\"}", "direction", "\"pin\"", NULL);
  image = node_test_get (&test, "p.image", 0);
  pinned = node_test_get (&test, "s.stabilized", 0);
  for (int i = 0; i < 4 * 160 * 120; i++)
    assert_near ((double) kg_image_get_pixels (pinned.image)[i], (double) kg_image_get_pixels (image.image)[i], 1e-4);
  node_test_set (&test, "t", "corners", "[[0, 0], [1, 1], [0.5, 0.5], [0.2, 0.2]]");
  node_test_fails (&test, "t.plane", KG_ERROR_DEGENERATE);
  node_test_set (&test, "t", "corners", "[[0, 0], [1, 1]]");
  node_test_fails (&test, "t.plane", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* K01 to K03: the catalogue's camera, looking at a cube; and with errors of measurement. */
static void
test_calibrate (void)
{
  NodeTest test = node_test_new ();
  g_autoptr (GString) exact = g_string_new ("["), noisy = g_string_new ("["), flat = g_string_new ("[");
  double rms;

  for (int i = 0; i < 20; i++) {
    const double p[3] = { 2 * kg_random_signed (1, (uint64_t) i, 0), 2 * kg_random_signed (1, (uint64_t) i, 1),
                          2 * kg_random_signed (1, (uint64_t) i, 2) };
    const double column = 320 - 500 * p[0] / (p[2] + 5), row = 240 + 500 * p[1] / (p[2] + 5);

    g_string_append_printf (exact, "%s[%.17g, %.17g, %.17g, %.17g, %.17g]", i > 0 ? ", " : "", p[0], p[1], p[2], column,
                            row);
    g_string_append_printf (noisy, "%s[%.17g, %.17g, %.17g, %.17g, %.17g]", i > 0 ? ", " : "", p[0], p[1], p[2],
                            column + 0.5 * kg_random_normal (2, (uint64_t) i, 0),
                            row + 0.5 * kg_random_normal (2, (uint64_t) i, 1));
    g_string_append_printf (flat, "%s[%.17g, %.17g, 0, %.17g, %.17g]", i > 0 ? ", " : "", p[0], p[1], column, row);
  }
  g_string_append (exact, "]");
  g_string_append (noisy, "]");
  g_string_append (flat, "]");
  node_test_add (&test, "transform/calibrate_camera", "k", "points", exact->str, NULL);
  for (int refine = 0; refine < 2; refine++) {
    g_auto (KgValue) center = KG_VALUE_INIT, place = KG_VALUE_INIT, rotation = KG_VALUE_INIT;

    node_test_set (&test, "k", "refine", refine ? "true" : "false");
    assert_near (node_test_number (&test, "k.fu", 0), -500, 5e-4);
    assert_near (node_test_number (&test, "k.fv", 0), 500, 5e-4);
    center = node_test_get (&test, "k.center", 0);
    assert_near (center.vector.x, 320, 3e-4);
    assert_near (center.vector.y, 240, 3e-4);
    place = node_test_get (&test, "k.position", 0);
    assert_near (place.vector.z, -5, 5e-6);
    rotation = node_test_get (&test, "k.rotation", 0);
    assert_near (fabs (rotation.rotation.w), 1, 1e-9);
    assert_near (node_test_number (&test, "k.rms", 0), 0, 1e-6);
  }
  node_test_set (&test, "k", "points", noisy->str);
  node_test_set (&test, "k", "refine", "false");
  rms = node_test_number (&test, "k.rms", 0);
  node_test_set (&test, "k", "refine", "true");
  g_assert_cmpfloat (node_test_number (&test, "k.rms", 0), <=, rms);
  g_assert_cmpfloat (node_test_number (&test, "k.rms", 0), <, 0.8);
  assert_near (node_test_number (&test, "k.fv", 0), 500, 10);
  node_test_set (&test, "k", "points", flat->str);
  node_test_fails (&test, "k.fu", KG_ERROR_DEGENERATE);
  node_test_set (&test, "k", "points", "[[0, 0, 0, 1, 1]]");
  node_test_fails (&test, "k.fu", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/picture-tracking/point", test_point);
  g_test_add_func ("/picture-tracking/repeats", test_repeats);
  g_test_add_func ("/picture-tracking/leaves", test_leaves);
  g_test_add_func ("/picture-tracking/stabilize", test_stabilize);
  g_test_add_func ("/picture-tracking/plane", test_plane);
  g_test_add_func ("/picture-tracking/K01-K02-K03-calibrate", test_calibrate);
  return g_test_run ();
}

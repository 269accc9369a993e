/* tests/nodes/view: what a camera sees, as a node.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"
#include "kg-random.h"

static void
test_point_and_ray (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "render/camera", "c", "position", "[0, 0, 4]", "fov", "53.13010235415598", "near", "1", "far",
                 "10", NULL);
  node_test_add (&test, "render/view", "v", "scene", "{\"link\": \"c.scene\"}", "width", "200", "height", "100",
                 "point", "[1, 0.5, 2]", NULL);
  /* Half an angle has the tangent ½: at 2 m the window reaches ±1 up and ±2 across. */
  assert_vector_near (node_test_vector (&test, "v.eye", 0), 1, 0.5, 2, 1e-12);
  assert_vector_near (node_test_vector (&test, "v.image", 0), 0.5, 0.5, 5.0 / 9, 1e-12);
  assert_vector_near (node_test_vector (&test, "v.screen", 0), 150, 25, 5.0 / 9, 1e-10);
  g_assert_true (node_test_number (&test, "v.visible", 0) != 0);
  node_test_set (&test, "v", "pixel", "[150, 25, 0]");
  {
    const KgVector d = node_test_vector (&test, "v.direction", 0), o = node_test_vector (&test, "v.origin", 0);

    assert_vector_near (o, 0, 0, 4, 1e-12);
    assert_vector_near (kg_vector_scale (d, 2 / -d.z), 1, 0.5, -2, 1e-12);
  }
  node_test_set (&test, "v", "point", "[0, 0, 5]");
  node_test_warns (&test, "v.image", "not in front of the eye");
  node_test_set (&test, "v", "camera", "1");
  node_test_fails_saying (&test, "v.image", 0, "has 1 cameras");
  node_test_set (&test, "v", "camera", "0");
  node_test_set (&test, "v", "column", "1");
  node_test_fails_saying (&test, "v.image", 0, "no tile 1, 0");
  node_test_clear (&test);
}

/* The rows of the matrix to the eye: right, up and ahead. */
static void
get_axes (NodeTest *test, KgVector axes[3])
{
  g_auto (KgValue) value = node_test_get (test, "v.to_eye", 0);

  for (int i = 0; i < 3; i++)
    axes[i] = kg_vector (value.transform->m[i][0], value.transform->m[i][1], value.transform->m[i][2]);
}

/* Eye and centre of interest, and the tilt of the head; over its centre of interest a camera turns about. */
static void
test_observer (void)
{
  NodeTest test = node_test_new ();
  KgVector axes[3], tilted[3];
  const double e = 1e-3;

  node_test_add (&test, "render/camera", "c", "position", "[0, 0, 0]", "target", "[0, 0, -5]", NULL);
  node_test_add (&test, "render/view", "v", "scene", "{\"link\": \"c.scene\"}", NULL);
  get_axes (&test, axes);
  assert_vector_near (axes[0], 1, 0, 0, 1e-15);
  assert_vector_near (axes[1], 0, 1, 0, 1e-15);
  assert_vector_near (axes[2], 0, 0, -1, 1e-15);
  node_test_set (&test, "c", "position", "[1, 2, 3]");
  node_test_set (&test, "c", "target", "[-2, 0.5, 1]");
  get_axes (&test, axes);
  assert_near (kg_vector_dot (axes[0], axes[1]), 0, 1e-15);
  assert_near (kg_vector_dot (axes[1], axes[2]), 0, 1e-15);
  assert_near (axes[0].y, 0, 1e-15);
  g_assert_cmpfloat (axes[1].y, >, 0);
  assert_vector_near (axes[2], -3 / sqrt (15.25), -1.5 / sqrt (15.25), -2 / sqrt (15.25), 1e-15);
  /* The head is tilted to one side, about the line of sight. */
  node_test_set (&test, "c", "roll", "30");
  get_axes (&test, tilted);
  assert_near (kg_vector_dot (tilted[1], axes[1]), cos (KG_PI / 6), 1e-14);
  assert_near (fabs (kg_vector_dot (tilted[1], axes[0])), sin (KG_PI / 6), 1e-14);
  assert_near (kg_vector_dot (tilted[2], axes[2]), 1, 1e-14);
  node_test_set (&test, "c", "roll", "0");
  node_test_set (&test, "c", "target", "[0, 0, 0]");
  for (int side = -1; side <= 1; side += 2) {
    g_autofree char *eye = g_strdup_printf ("[%g, 1, 0]", side * e);

    node_test_set (&test, "c", "position", eye);
    get_axes (&test, axes);
    assert_vector_near (axes[1], -side / sqrt (1 + e * e), e / sqrt (1 + e * e), 0, 1e-12);
  }
  /* Straight down any direction is up, but one there is. */
  node_test_set (&test, "c", "position", "[0, 1, 0]");
  get_axes (&test, axes);
  assert_near (kg_vector_length (axes[1]), 1, 1e-14);
  assert_near (axes[2].y, -1, 1e-14);
  node_test_clear (&test);
}

/* A house seen from below by 30°: with an upright plane of the image its edges stay upright, and the window moves up by tan 30°. */
static void
test_upright (void)
{
  NodeTest test = node_test_new ();
  double x[4];

  node_test_add (&test, "render/camera", "c", "position", "[0, 0, 0]", "fov", "90", NULL);
  node_test_set_number (&test, "c", "near", 0.1);
  {
    g_autofree char *target = g_strdup_printf ("[0, %.17g, -1]", tan (KG_PI / 6));

    node_test_set (&test, "c", "target", target);
  }
  node_test_add (&test, "render/view", "v", "scene", "{\"link\": \"c.scene\"}", "width", "200", "height", "200",
                 "tilted", "true", "normal", "[0, 0, -1]", NULL);
  for (int i = 0; i < 4; i++) {
    g_autofree char *point = g_strdup_printf ("[0.5, %g, -2]", 0.4 * i);

    node_test_set (&test, "v", "point", point);
    x[i] = node_test_vector (&test, "v.image", 0).x;
    assert_near (x[i], x[0], 1e-14);
  }
  /* The middle of the window is on the line of sight. */
  {
    g_autofree char *point = g_strdup_printf ("[0, %.17g, -2]", 2 * 0.57735026918962576);

    node_test_set (&test, "v", "point", point);
    assert_vector_near (node_test_vector (&test, "v.image", 0), 0, 0, node_test_vector (&test, "v.image", 0).z, 1e-14);
  }
  node_test_clear (&test);
}

/* Quaternions: products and what they do to points; any multiple rotates alike. */
static void
test_quaternions (void)
{
  const KgRotation quarter = kg_rotation_from_axis_angle (kg_vector (0, 0, 1), KG_PI / 2);

  assert_vector_near (kg_rotation_apply (quarter, kg_vector (1, 0, 0)), 0, 1, 0, 1e-15);
  for (int i = 0; i < 50; i++) {
    const KgRotation p = kg_rotation_from_axis_angle (kg_vector (sin (i), cos (3 * i), 0.3), 0.7 * i);
    const KgRotation q = kg_rotation_from_axis_angle (kg_vector (0.2, sin (5 * i), cos (i)), 1.3 * i);
    const KgRotation r = kg_rotation_from_axis_angle (kg_vector (cos (2 * i), 0.1, sin (i)), 0.4 * i);
    const KgRotation seven = { 7 * p.w, 7 * p.x, 7 * p.y, 7 * p.z }, minus = { -p.w, -p.x, -p.y, -p.z };
    const KgVector v = { 1, -2, 0.5 }, turned = kg_rotation_apply (p, v);
    const KgRotation a = kg_rotation_multiply (kg_rotation_multiply (p, q), r);
    const KgRotation b = kg_rotation_multiply (p, kg_rotation_multiply (q, r));
    const KgVector both = kg_rotation_apply (kg_rotation_multiply (p, q), v),
                   one_by_one = kg_rotation_apply (p, kg_rotation_apply (q, v)),
                   back = kg_rotation_apply (kg_rotation_conjugate (p), turned);
    const KgVector by_seven = kg_rotation_apply (kg_rotation_normalize (seven), v),
                   by_minus = kg_rotation_apply (minus, v);

    assert_near (fabs (a.w - b.w) + fabs (a.x - b.x) + fabs (a.y - b.y) + fabs (a.z - b.z), 0, 1e-14);
    assert_near (kg_vector_length (turned), kg_vector_length (v), 1e-14);
    assert_vector_near (both, one_by_one.x, one_by_one.y, one_by_one.z, 1e-14);
    assert_vector_near (back, v.x, v.y, v.z, 1e-14);
    assert_vector_near (by_seven, turned.x, turned.y, turned.z, 1e-14);
    assert_vector_near (by_minus, turned.x, turned.y, turned.z, 1e-14);
  }
}

/* The renderer and the node agree: what is drawn of a small thing is where the node says. */
static void
test_as_rendered (void)
{
  NodeTest test = node_test_new ();
  KgVector wanted;
  double x = 0, y = 0, sum = 0;

  node_test_add (&test, "render/camera", "c", "position", "[3, 2, 5]", "target", "[0.3, 0.4, 0]", "roll", "20", NULL);
  node_test_add (&test, "geometry/sphere", "s", "radius", "0.05", "center", "[0.7, -0.2, 0.4]", NULL);
  node_test_add (&test, "render/object", "o", "geometry", "{\"link\": \"s.geometry\"}", "shading", "\"constant\"",
                 NULL);
  node_test_add (&test, "render/scene", "r", "scenes", "[{\"link\": \"c.scene\"}, {\"link\": \"o.scene\"}]", "width",
                 "320", "height", "180", "background", "[0, 0, 0, 0]", NULL);
  node_test_add (&test, "render/view", "v", "scene", "{\"link\": \"c.scene\"}", "width", "320", "height", "180",
                 "point", "[0.7, -0.2, 0.4]", NULL);
  wanted = node_test_vector (&test, "v.screen", 0);
  {
    g_auto (KgValue) value = node_test_get (&test, "r.image", 0);
    const float *pixels = kg_image_get_pixels (value.image);

    for (int j = 0; j < 180; j++)
      for (int i = 0; i < 320; i++) {
        const double a = (double) pixels[4 * (320 * j + i) + 3];

        x += a * (i + 0.5);
        y += a * (j + 0.5);
        sum += a;
      }
  }
  assert_near (x / sum, wanted.x, 0.2);
  assert_near (y / sum, wanted.y, 0.2);
  node_test_clear (&test);
}

static void
assert_eye (NodeTest *test, double time, double x, double y, double z)
{
  assert_vector_near (node_test_vector (test, "c.eye", time), x, y, z, 1e-6);
}

/* Every place of a camera that follows. */
static void
test_follow_places (void)
{
  NodeTest test = node_test_new ();

  /* A subject at (5, 0, 1) that is turned by 90 degrees about y. */
  node_test_add (&test, "transform/compose", "t", "translate", "[5, 0, 1]", "rotate", "[0, 90, 0]", NULL);
  node_test_add (&test, "render/camera_follow", "c", "subject_transform", "{\"link\": \"t.transform\"}", "look_at",
                 "\"object\"", "place", "\"behind\"", "offset", "[0, 1, -2]", NULL);
  assert_eye (&test, 0, 3, 1, 1);
  assert_vector_near (node_test_vector (&test, "c.target", 0), 5, 0, 1, 1e-12);
  assert_near (node_test_number (&test, "c.distance", 0), sqrt (5), 1e-12);
  node_test_set (&test, "c", "place", "\"offset\"");
  assert_eye (&test, 0, 5, 1, -1);
  node_test_set (&test, "t", "rotate", "[0, 30, 0]");
  assert_eye (&test, 0, 5, 1, -1);
  node_test_set (&test, "t", "rotate", "[0, 90, 0]");
  node_test_set (&test, "c", "place", "\"plane\"");
  assert_eye (&test, 0, 5, 6, 1);
  node_test_set (&test, "c", "keep_distance", "10");
  assert_eye (&test, 0, 5, 6, 9);
  node_test_set (&test, "c", "keep_distance", "2");
  node_test_warns (&test, "c.eye", "the nearest place is used");
  node_test_set (&test, "c", "keep_distance", "0");
  node_test_set (&test, "c", "place", "\"line\"");
  node_test_set (&test, "c", "line_start", "[0, 2, 0]");
  node_test_set (&test, "c", "line_end", "[10, 2, 0]");
  assert_eye (&test, 0, 5, 2, 0);
  node_test_set (&test, "c", "place", "\"curve\"");
  node_test_fails_saying (&test, "c.eye", 0, "no curve to be bound to");
  node_test_add (&test, "curve/spline", "s", "basis", "\"bezier\"", "points", "[[0, 2], [3, 2], [7, 2], [10, 2]]",
                 NULL);
  node_test_set (&test, "c", "curve", "{\"link\": \"s.geometry\"}");
  assert_eye (&test, 0, 5, 2, 0);
  node_test_set (&test, "c", "place", "\"front\"");
  node_test_set (&test, "c", "size", "3");
  assert_eye (&test, 0, 8, 0, 1);
  node_test_set (&test, "c", "place", "\"overhead\"");
  assert_eye (&test, 0, 5, 3, 1);
  node_test_set (&test, "c", "place", "\"over-shoulder\"");
  node_test_set (&test, "c", "size", "2");
  assert_eye (&test, 0, 3.4, 0.5, 0.3);
  assert_vector_near (node_test_vector (&test, "c.target", 0), 11, 0, 1, 1e-12);
  node_test_set (&test, "c", "place", "\"conversation\"");
  node_test_set (&test, "c", "partner", "[8, 0, 1]");
  assert_eye (&test, 0, 3.4, 0.5, 0.3);
  assert_vector_near (node_test_vector (&test, "c.target", 0), 7, 0, 1, 1e-12);
  node_test_set (&test, "c", "side", "\"right\"");
  assert_eye (&test, 0, 3.4, 0.5, 1.7);
  node_test_set (&test, "c", "place", "\"offset\"");
  node_test_set (&test, "c", "offset", "[7, 1, 0]");
  node_test_set (&test, "c", "keep_distance", "3");
  node_test_set (&test, "c", "elevate", "true");
  node_test_set (&test, "c", "elevation", "30");
  assert_eye (&test, 0, 5 + 2.598076211353, 1.5, 1);
  node_test_clear (&test);
}

/* A rational curve of one segment. */
static KgVector
get_rational (const double points[][3], const double *weights, guint n, double t)
{
  KgVector sum = { 0, 0, 0 };
  double all = 0;

  for (guint i = 0; i < n; i++) {
    const double w = weights[i] * exp (lgamma (n) - lgamma (i + 1.0) - lgamma (n - i)) * pow (t, i) *
                     pow (1 - t, n - 1 - i);

    sum = kg_vector_add_scaled (sum, w, kg_vector (points[i][0], points[i][1], points[i][2]));
    all += w;
  }
  return kg_vector_scale (sum, 1 / all);
}

/* The nearest place of a curve with loops, and with weights that differ a hundredfold: as near as any of many samples, and on
 * the curve. */
static void
test_follow_curves (void)
{
  enum { N = 6, SAMPLES = 20000 };
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "basis", "\"bezier\"", "pieces", "\"single\"", NULL);
  node_test_add (&test, "transform/compose", "t", NULL);
  node_test_add (&test, "render/camera_follow", "c", "subject_transform", "{\"link\": \"t.transform\"}", "look_at",
                 "\"object\"", "place", "\"curve\"", "curve", "{\"link\": \"s.geometry\"}", NULL);
  for (uint64_t k = 0; k < 12; k++) {
    g_autoptr (GString) points = g_string_new ("["), weights = g_string_new ("[");
    g_autofree char *subject = NULL;
    double p[N][3], w[N], least = INFINITY, found;
    KgVector c, eye;

    for (guint i = 0; i < N; i++) {
      for (guint d = 0; d < 3; d++)
        p[i][d] = i == N - 1 && k % 3 == 0 ? p[0][d] : 5 * kg_random_signed (k, i, d);
      w[i] = pow (10, (double) (k % 4) / 3 * kg_random_signed (k, i, 3));
      g_string_append_printf (points, "%s[%.17g, %.17g, %.17g]", i > 0 ? ", " : "", p[i][0], p[i][1], p[i][2]);
      g_string_append_printf (weights, "%s[%.17g]", i > 0 ? ", " : "", w[i]);
    }
    c = kg_vector (5 * kg_random_signed (k, N, 0), 5 * kg_random_signed (k, N, 1), 5 * kg_random_signed (k, N, 2));
    subject = g_strdup_printf ("[%.17g, %.17g, %.17g]", c.x, c.y, c.z);
    node_test_set (&test, "s", "points", g_string_append (points, "]")->str);
    node_test_set (&test, "s", "weights", g_string_append (weights, "]")->str);
    node_test_set (&test, "t", "translate", subject);
    for (guint i = 0; i <= SAMPLES; i++)
      least = fmin (least, kg_vector_distance (get_rational (p, w, N, (double) i / SAMPLES), c));
    eye = node_test_vector (&test, "c.eye", 0);
    found = kg_vector_distance (eye, c);
    g_assert_cmpfloat (found, <=, least * (1 + 1e-6));
    for (guint i = 0, near = 0; i <= SAMPLES && near == 0; i++) {
      near = kg_vector_distance (get_rational (p, w, N, (double) i / SAMPLES), eye) < 0.02;
      g_assert_true (near != 0 || i < SAMPLES);
    }
  }
  node_test_clear (&test);
}

/* Behind a mover, along its way; where it rests, along its own axes. */
static void
test_follow_heading (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "transform/compose", "t", "translate", "{\"expr\": \"3*max(t - 1, 0), 0, 0\"}", NULL);
  node_test_add (&test, "render/camera_follow", "c", "subject_transform", "{\"link\": \"t.transform\"}", "look_at",
                 "\"object\"", "place", "\"heading\"", "offset", "[0, 1, -2]", NULL);
  assert_eye (&test, 2, 1, 1, 0);
  assert_eye (&test, 0.5, 0, 1, -2);
  node_test_clear (&test);
}

static void
test_follow_smooth (void)
{
  NodeTest test = node_test_new ();
  static const double jump[] = { 0, 3, 3, 3, 0 };

  kg_graph_set_frames (test.graph, (KgFrames){ 1, 5, 24 }, NULL);
  node_test_add (&test, "transform/compose", "t", "translate", "{\"expr\": \"(frame == 3 ? 9 : 0), 2*frame, 0\"}",
                 NULL);
  node_test_add (&test, "render/camera_follow", "c", "subject_transform", "{\"link\": \"t.transform\"}", "look_at",
                 "\"object\"", "place", "\"offset\"", "offset", "[0, 0, 4]", "smooth", "1", NULL);
  for (int i = 0; i < 5; i++) {
    assert_near (node_test_vector (&test, "c.eye", i / 24.0).x, jump[i], 1e-12);
    assert_near (node_test_vector (&test, "c.target", i / 24.0).x, jump[i], 1e-12);
    /* What moves uniformly stays as it is. */
    assert_near (node_test_vector (&test, "c.eye", i / 24.0).y, 2.0 * (i + 1), 1e-12);
  }
  kg_graph_set_frames (test.graph, (KgFrames){ 1, 101, 24 }, NULL);
  node_test_set (&test, "t", "translate", "{\"expr\": \"sin(2*pi*frame/10), 0, 0\"}");
  node_test_set (&test, "c", "smooth", "2");
  assert_near (node_test_vector (&test, "c.eye", 51 / 24.0).x, 0.647213595500 * sin (2 * KG_PI * 52 / 10), 1e-10);
  node_test_clear (&test);
}

static void
test_follow_framing (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/sphere", "s", "radius", "1", NULL);
  node_test_add (&test, "render/camera_follow", "c", "subject", "{\"link\": \"s.geometry\"}", "position", "[0, 0, 9]",
                 "frame", "\"distance\"", "margin", "0", NULL);
  assert_eye (&test, 0, 0, 0, 2.923804400163);
  assert_near (node_test_number (&test, "c.visible", 0), 1, 0);
  node_test_set (&test, "c", "frame", "\"fov\"");
  assert_near (node_test_number (&test, "c.view_angle", 0), 2 * asin (1.0 / 9) * 180 / KG_PI, 1e-5);
  /* Upright images would need more than 170 degrees. */
  node_test_set (&test, "c", "position", "[0, 0, 1.0005]");
  node_test_set (&test, "c", "aspect", "0.2");
  node_test_warns (&test, "c.eye", "too near to see all of it");
  assert_near (node_test_number (&test, "c.view_angle", 0), 170, 1e-10);
  node_test_set (&test, "c", "aspect", "1.7777777777777777");
  node_test_set (&test, "c", "position", "[0, 0, 0.5]");
  node_test_warns (&test, "c.eye", "too near to see all of it");
  assert_near (node_test_number (&test, "c.visible", 0), 0, 0);
  /* On the left third, a little above: as it is projected. */
  node_test_set (&test, "c", "frame", "\"none\"");
  node_test_set (&test, "c", "position", "[3, 2, 9]");
  node_test_set (&test, "c", "screen", "[-0.33333333333333331, 0.25, 0]");
  node_test_add (&test, "render/view", "v", "scene", "{\"link\": \"c.scene\"}", "width", "1600", "height", "900", NULL);
  assert_vector_near (node_test_vector (&test, "v.screen", 0), 800.0 * 2 / 3, 450 * 0.75,
                      node_test_vector (&test, "v.screen", 0).z, 1e-6);
  /* A wall hides it, half a wall half of it. */
  node_test_set (&test, "c", "screen", "[0, 0, 0]");
  node_test_set (&test, "c", "position", "[0, 0, 900]");
  node_test_set (&test, "c", "far", "2000");
  node_test_add (&test, "geometry/box", "b", "size", "[8, 8, 0.1]", "center", "[0, 0, 5]", NULL);
  assert_near (node_test_number (&test, "c.blocked", 0), 0, 0);
  node_test_set (&test, "c", "obstacles", "{\"link\": \"b.geometry\"}");
  assert_near (node_test_number (&test, "c.blocked", 0), 1, 0);
  node_test_set (&test, "b", "center", "[4, 0, 5]");
  assert_near (node_test_number (&test, "c.blocked", 0), 0.5, 0.05);
  /* Directions without a length. */
  node_test_set (&test, "c", "up", "[0, 0, 0]");
  node_test_warns (&test, "c.eye", "up is 0 0 0");
  node_test_set (&test, "c", "up", "[0, 1, 0]");
  node_test_set (&test, "c", "place", "\"plane\"");
  node_test_set (&test, "c", "normal", "[0, 0, 0]");
  node_test_warns (&test, "c.eye", "the normal of the plane is 0 0 0");
  node_test_clear (&test);
}

static void
test_follow_bad_input (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "render/camera_follow", "c", NULL);
  node_test_fails_saying (&test, "c.eye", 0, "nothing to look at");
  node_test_set (&test, "c", "look_at", "\"object\"");
  node_test_set (&test, "c", "frame", "\"distance\"");
  node_test_warns (&test, "c.eye", "the subject has no size");
  node_test_set (&test, "c", "frame", "\"none\"");
  node_test_set (&test, "c", "position", "[0, 0, 0]");
  node_test_warns (&test, "c.eye", "the camera is at its target");
  node_test_set (&test, "c", "near", "10");
  node_test_set (&test, "c", "far", "10");
  node_test_fails_saying (&test, "c.eye", 0, "near must be less than far");
  /* Straight down, and no up at all. */
  node_test_set (&test, "c", "near", "0.1");
  node_test_set (&test, "c", "position", "[0, 4, 0]");
  node_test_set (&test, "c", "up", "[0, 0, 0]");
  node_test_set (&test, "c", "second_up", "[0, 1, 0]");
  assert_eye (&test, 0, 0, 4, 0);
  node_test_set (&test, "c", "pole", "\"stop\"");
  assert_near (node_test_number (&test, "c.distance", 0), 4, 1e-12);
  assert_near (node_test_vector (&test, "c.eye", 0).y, 4 * cos (2 * KG_PI / 180), 1e-12);
  node_test_clear (&test);
}

/* P2-02: a camera farther away than numbers reach is named in a whole sentence. */
static void
test_far_away (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "render/camera", "camera", "position", "[1e308, 0, 0]", NULL);
  node_test_fails_saying (&test, "camera.scene", 0, "is a scene whose camera 0 has a number that is not finite");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/render/view/P2-05-P2-09-point-and-ray", test_point_and_ray);
  g_test_add_func ("/render/view/P2-07-as-rendered", test_as_rendered);
  g_test_add_func ("/render/view/P2-02-observer", test_observer);
  g_test_add_func ("/render/view/P2-02-far-away", test_far_away);
  g_test_add_func ("/render/view/P2-26-upright", test_upright);
  g_test_add_func ("/rotation/P2-23-P2-24-quaternions", test_quaternions);
  g_test_add_func ("/render/camera_follow/50-03-50-04-50-05-50-08-places", test_follow_places);
  g_test_add_func ("/render/camera_follow/50-04-curves", test_follow_curves);
  g_test_add_func ("/render/camera_follow/50-03-heading", test_follow_heading);
  g_test_add_func ("/render/camera_follow/50-06-smooth", test_follow_smooth);
  g_test_add_func ("/render/camera_follow/50-09-framing", test_follow_framing);
  g_test_add_func ("/render/camera_follow/bad-input", test_follow_bad_input);
  return g_test_run ();
}

/* tests/nodes/paths: frames along paths and followers, against closed forms and catalogue 30-75 to 30-86.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/frames.h"
#include "node-test.h"

/* Points are stored as floats: figures hold to their precision. */
#define FLOAT_EPSILON 2e-6

/* A geometry of one spline made here, for what no text can say.  (transfer full) */
static KgGeometry *
make_spline (const double (*points)[4], guint n, KgPrimitive primitive)
{
  KgGeometry *geometry = kg_geometry_new ();
  g_autofree uint32_t *vertices = g_new (uint32_t, n);
  float *p, *weight;

  kg_geometry_set_n_points (geometry, n, NULL);
  p = kg_geometry_edit_positions (geometry);
  weight = primitive.basis == KG_BASIS_BSPLINE ? kg_geometry_edit_float (geometry, KG_POINTS, "weight", 1) : NULL;
  for (guint i = 0; i < n; i++) {
    for (guint c = 0; c < 3; c++)
      p[3 * i + c] = (float) points[i][c];
    if (weight != NULL)
      weight[i] = (float) points[i][3];
    vertices[i] = i;
  }
  primitive.kind = KG_SPLINE;
  primitive.n_vertices = n;
  primitive.vertices = vertices;
  kg_geometry_add_primitive (geometry, &primitive);
  return geometry;
}

/* Two half circles of radius 1 that make an S in the x-z plane, exactly (rational quadratics). */
static KgGeometry *
make_s (void)
{
  const double w = sqrt (0.5);
  const double points[][4] = { { 0, 0, 0, 1 },  { 0, 0, 1, w },  { 1, 0, 1, 1 },  { 2, 0, 1, w }, { 2, 0, 0, 1 },
                               { 2, 0, -1, w }, { 3, 0, -1, 1 }, { 4, 0, -1, w }, { 4, 0, 0, 1 } };
  static const double knots[] = { 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4 };

  return make_spline (points, 9, (KgPrimitive){ .basis = KG_BASIS_BSPLINE, .order = 3, .n_knots = 12, .knots = knots });
}

/* 30-77: a helix of radius 2 and pitch 1 a radian bends by r / (r² + c²) and winds by c / (r² + c²), by whatever
 * parameter. */
static void
test_helix (void)
{
  for (double t = -3; t < 4; t += 0.37) {
    const double r = 2, c = 1, q = 1 + t * t; /* t runs through q (t) = t + t³/3 */
    const double a = t + t * t * t / 3, s = sin (a), k = cos (a);
    const KgVector p1 = { -r * s, r * k, c }, p2 = { -r * k, -r * s, 0 }, p3 = { r * s, -r * k, 0 };
    const KgVector d1 = kg_vector_scale (p1, q);
    const KgVector d2 = kg_vector_add (kg_vector_scale (p2, q * q), kg_vector_scale (p1, 2 * t));
    const KgVector d3 = kg_vector_add (kg_vector_scale (p3, q * q * q),
                                       kg_vector_add (kg_vector_scale (p2, 3 * q * 2 * t), kg_vector_scale (p1, 2)));
    Frenet f;

    frenet_from_derivatives (d1, d2, d3, 1e-9, 0, &f);
    g_assert_true (f.defined);
    assert_near (f.curvature, 0.4, 1e-13);
    assert_near (f.torsion, 0.2, 1e-12);
    /* The normal points at the axis. */
    assert_vector_near (f.normal, -k, -s, 0, 1e-13);
    assert_near (kg_vector_dot (f.tangent, f.normal), 0, 1e-14);
    assert_vector_near (kg_vector_subtract (kg_vector_cross (f.tangent, f.normal), f.binormal), 0, 0, 0, 1e-13);
  }
}

/* 30-77: on a circle of radius R the curvature is 1 / R and the normal points to the centre; the binormal of a plane
 * curve is constant.  30-79: in the middle of an S of two half circles the normal jumps by exactly 180 degrees, while
 * curvature and tangent stay. */
static void
test_s_of_half_circles (void)
{
  g_autoptr (KgGeometry) geometry = make_s ();
  g_autoptr (Frames) frames = frames_new (geometry, 0, NULL);
  const FramesBridge bridge = { true, 0 }, blended = { true, 0.5 };
  const FramesEvent *events;
  Frenet before, after, f;
  KgVector last;
  guint n;

  g_assert_nonnull (frames);
  for (double u = 0.05; u < 4; u += 0.1) {
    const KgVector p = curve_evaluate (frames_get_curve (frames), u, 0);
    const KgVector to_center = kg_vector_subtract (kg_vector (u < 2 ? 1 : 3, 0, 0), p);

    frames_get_frenet (frames, u, &bridge, kg_vector (0, 1, 0), &f);
    assert_near (f.curvature, 1, FLOAT_EPSILON);
    assert_near (f.torsion, 0, FLOAT_EPSILON);
    assert_vector_near (f.normal, to_center.x, to_center.y, to_center.z, FLOAT_EPSILON);
    assert_near (fabs (f.binormal.y), 1, 1e-12);
  }
  events = frames_get_events (frames, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (events[0].kind, ==, FRAMES_JUMP);
  assert_near (fabs (events[0].angle), KG_PI, 1e-6);
  assert_near (events[0].start, KG_PI, FLOAT_EPSILON);
  assert_near (events[0].curvature_before, 1, FLOAT_EPSILON);
  assert_near (events[0].curvature_after, 1, FLOAT_EPSILON);
  frames_get_frenet (frames, 2 - 1e-7, &bridge, kg_vector (0, 1, 0), &before);
  frames_get_frenet (frames, 2 + 1e-7, &bridge, kg_vector (0, 1, 0), &after);
  assert_near (kg_vector_dot (before.normal, after.normal), -1, 1e-6);
  assert_near (kg_vector_dot (before.tangent, after.tangent), 1, 1e-6);

  /* Blended over half a metre before and after it turns evenly: at a share of the way by that share of 180 degrees. */
  frames_get_frenet (frames, curve_get_parameter (frames_get_curve (frames), KG_PI - 0.5), &blended,
                     kg_vector (0, 1, 0), &f);
  last = f.normal;
  for (int i = 1; i <= 20; i++) {
    const double s = KG_PI - 0.5 + i / 20.0;
    const double u = curve_get_parameter (frames_get_curve (frames), s);

    frames_get_frenet (frames, u, &blended, kg_vector (0, 1, 0), &f);
    g_assert_cmpfloat (kg_vector_dot (f.normal, last), >, cos (0.3));
    assert_near (kg_vector_dot (f.normal, f.tangent), 0, 1e-12);
    last = f.normal;
    frames_get_frenet (frames, u, &bridge, kg_vector (0, 1, 0), &after);
    if (i < 10)
      assert_near (fabs (atan2 (f.normal.y, kg_vector_dot (f.normal, after.normal))), KG_PI * i / 20, 1e-5);
  }
}

/* 30-78: between two arcs in planes at a right angle the frame turns evenly about the straight span, half way by half
 * the angle, with its sign. */
static void
test_straight_span (void)
{
  /* Bezier: an arc in x-y bending up, a straight piece along x, an arc in x-z. */
  const double points[][4] = { { -2, 2 }, { -2, 1 },   { -1, 0 },   { 0, 0 },    { 1, 0 },
                               { 2, 0 },  { 3, 0, 0 }, { 4, 0, 0 }, { 5, 0, 1 }, { 5, 0, 2 } };
  g_autoptr (KgGeometry) geometry = make_spline (points, 10, (KgPrimitive){ .basis = KG_BASIS_BEZIER, .order = 4 });
  g_autoptr (Frames) frames = frames_new (geometry, 0, NULL);
  const FramesBridge bridge = { true, 0 }, hold = { false, 0 };
  const FramesEvent *events;
  guint n;
  Frenet f;

  g_assert_nonnull (frames);
  events = frames_get_events (frames, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (events[0].kind, ==, FRAMES_SPAN);
  assert_near (events[0].end - events[0].start, 3, 1e-6);
  assert_near (events[0].angle, KG_PI / 2, 1e-6);
  for (int i = 0; i <= 6; i++) {
    const double share = i / 6.0, angle = share * KG_PI / 2;

    frames_get_frenet (frames, 1 + share, &bridge, kg_vector (0, 1, 0), &f);
    assert_vector_near (f.tangent, 1, 0, 0, 1e-9);
    assert_vector_near (f.normal, 0, cos (angle), sin (angle), 1e-6);
    if (i > 0 && i < 6) {
      g_assert_false (f.defined);
      frames_get_frenet (frames, 1 + share, &hold, kg_vector (0, 1, 0), &f);
      assert_vector_near (f.normal, 0, 1, 0, 1e-6);
    }
  }
}

/* 30-78: inflections, straight ends, a closed track whose straight begins before the seam, and no bend at all. */
static void
test_gaps (void)
{
  const double wave[][4] = { { 0, 0 }, { 1, 1 }, { 2, -1 }, { 3, 0 } };
  const double ends[][4] = { { -3, 0 }, { -2, 0 }, { -1, 0 }, { 0, 0 }, { 1, 0 },
                             { 2, 1 },  { 2, 2 },  { 2, 3 },  { 2, 4 }, { 2, 5 } };
  const double line[][4] = { { 0.1, 0.2, 0.3 }, { 1.3, 0.6, 0.9 }, { 2.5, 1.0, 1.5 }, { 3.7, 1.4, 2.1 } };
  g_autoptr (KgGeometry) wave_geometry = make_spline (wave, 4, (KgPrimitive){ .basis = KG_BASIS_BEZIER, .order = 4 });
  g_autoptr (KgGeometry) ends_geometry = make_spline (ends, 10, (KgPrimitive){ .basis = KG_BASIS_BEZIER, .order = 4 });
  g_autoptr (KgGeometry) line_geometry = make_spline (line, 4, (KgPrimitive){ .basis = KG_BASIS_CATMULL_ROM });
  g_autoptr (KgGeometry) corner_geometry = make_spline (wave, 4, (KgPrimitive){ .basis = KG_BASIS_LINEAR });
  g_autoptr (Frames) frames = frames_new (wave_geometry, 0, NULL);
  const FramesBridge bridge = { true, 0 };
  const FramesEvent *events;
  KgVector last = { 0, 0, 0 };
  guint n;
  Frenet f;

  /* A symmetric S in one piece: the inflection is in the middle, and its frame turns without a step. */
  events = frames_get_events (frames, &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (events[0].kind, ==, FRAMES_INFLECTION);
  assert_near (0.5 * (events[0].u0 + events[0].u1), 0.5, 1e-6);
  assert_near (fabs (events[0].angle), KG_PI, 1e-5);
  for (int i = -50; i <= 50; i++) {
    frames_get_frenet (frames, 0.5 + i * 1e-4, &bridge, kg_vector (0, 1, 0), &f);
    assert_near (kg_vector_length (f.normal), 1, 1e-12);
    assert_near (kg_vector_dot (f.normal, f.tangent), 0, 1e-12);
    if (i > -50)
      g_assert_cmpfloat (kg_vector_dot (last, f.normal), >, 0.8);
    last = f.normal;
  }
  g_clear_pointer (&frames, frames_free);

  /* Straight, an arc that bends towards y, straight: the ends hold its first and last frame. */
  frames = frames_new (ends_geometry, 0, NULL);
  g_assert_false (frames_is_straight (frames));
  for (double u = 0; u < 1; u += 0.2) {
    frames_get_frenet (frames, u, &bridge, kg_vector (0, 0, 1), &f);
    assert_vector_near (f.normal, 0, 1, 0, 1e-6);
    frames_get_frenet (frames, 2.1 + u, &bridge, kg_vector (0, 0, 1), &f);
    assert_vector_near (f.normal, -1, 0, 0, 1e-6);
  }
  g_clear_pointer (&frames, frames_free);

  /* A line across the axes, whose points are rounded: no bend, up as near to y as it goes. */
  frames = frames_new (line_geometry, 0, NULL);
  g_assert_true (frames_is_straight (frames));
  for (double u = 0; u <= 3; u += 0.25) {
    frames_get_frenet (frames, u, &bridge, kg_vector (0, 1, 0), &f);
    g_assert_cmpfloat (f.normal.y, >, 0.5);
    assert_near (kg_vector_dot (f.normal, f.tangent), 0, 1e-12);
    assert_near (f.curvature, 0, 0);
  }
  g_clear_pointer (&frames, frames_free);

  /* A polyline has corners. */
  frames = frames_new (corner_geometry, 0, NULL);
  g_assert_true (frames_is_straight (frames));
  events = frames_get_events (frames, &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (events[0].kind, ==, FRAMES_CORNER);
  assert_near (events[0].angle, KG_PI / 4 + atan (2.0), 1e-6);
}

/* A closed track that starts in the middle of a straight: the span goes over the seam, and no frame jumps. */
static void
test_closed_track (void)
{
  const double points[][4] = { { 0, 0 },  { 1, 0 },  { 2, 0 },  { 3, 0 },     { 5, 0 },
                               { 5, 2 },  { 3, 2 },  { 1, 2 },  { -1, 2 },    { -3, 2 },
                               { -5, 2 }, { -5, 0 }, { -3, 0 }, { -2, 0, 0 }, { -1, 0, 0 } };
  g_autoptr (KgGeometry)
      geometry = make_spline (points, 15, (KgPrimitive){ .basis = KG_BASIS_BEZIER, .order = 4, .closed = true });
  g_autoptr (Frames) frames = frames_new (geometry, 0, NULL);
  const FramesBridge bridge = { true, 0 };
  const FramesEvent *events;
  guint n, spans = 0;
  Frenet f;

  g_assert_nonnull (frames);
  events = frames_get_events (frames, &n);
  for (guint i = 0; i < n; i++)
    if (events[i].kind == FRAMES_SPAN) {
      spans++;
      assert_near (events[i].end - events[i].start, 6, 1e-5);
      assert_near (events[i].angle, 0, 1e-5);
    }
  g_assert_cmpuint (spans, ==, 2);
  for (double u = -2; u < 12; u += 0.07) {
    frames_get_frenet (frames, u, &bridge, kg_vector (0, 1, 0), &f);
    assert_vector_near (f.binormal, 0, 0, 1, 1e-5);
  }
}

/* Followers. */

static void
unlink_input (NodeTest *test, const char *name, const char *slot)
{
  g_autoptr (GError) error = NULL;

  kg_graph_reset (test->graph, kg_graph_find (test->graph, name), slot, &error);
  g_assert_no_error (error);
}

static NodeTest
make (const char *points, const char *basis, const char *orientation)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "curve/spline", "s", "points", points, "basis", basis, NULL);
  node_test_add (&test, "curve/follow", "f", "geometry", "{\"link\": \"s.geometry\"}", "orientation", orientation,
                 "parameter", "0.5", NULL);
  return test;
}

static void
check_frame (NodeTest *test, double handed)
{
  g_auto (KgValue) value = node_test_get (test, "f.transform", 0);
  const KgTransform *t = value.transform;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      assert_near (t->m[0][i] * t->m[0][j] + t->m[1][i] * t->m[1][j] + t->m[2][i] * t->m[2][j], i == j ? 1 : 0, 1e-12);
  assert_near (kg_transform_determinant (*t), handed, 1e-12);
}

/* 30-75: every orientation gives an orthonormal frame with determinant 1 along a curve in space.  30-86: for every tilt. */
static void
test_orthonormal (void)
{
  static const char *const orientations[] = { "\"tangent\"",  "\"none\"",  "\"frenet\"",  "\"rotation-minimizing\"",
                                              "\"interest\"", "\"ahead\"", "\"average\"", "\"path\"",
                                              "\"keyed\"" };
  static const char *const axes[] = { "\"x\"", "\"z\"", "\"camera\"" };
  const KgVector ahead[] = { { 1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };

  for (guint k = 0; k < G_N_ELEMENTS (orientations); k++) {
    NodeTest test = make ("\"0 0 0\\n1 2 1\\n2 -1 0\\n3 0 3\\n5 1 -1\"", "\"catmull-rom\"", orientations[k]);

    node_test_add (&test, "curve/spline", "c", "points", "\"0 4 0\\n1 4 7\\n5 5 0\"", NULL);
    node_test_set (&test, "f", "interest_path", "{\"link\": \"c.geometry\"}");
    node_test_set (&test, "f", "interest", "[3, 1, 8]");
    node_test_set (&test, "f", "bank", "\"proportional\"");
    for (int i = 0; i <= 20; i++) {
      g_autofree char *parameter = g_strdup_printf ("%g", i / 20.0), *tilt = g_strdup_printf ("%d", 33 * i);

      node_test_set (&test, "f", "parameter", parameter);
      node_test_set (&test, "f", "tilt", tilt);
      node_test_set (&test, "f", "axes", axes[i % 3]);
      node_test_set (&test, "f", "handedness", "\"right\"");
      check_frame (&test, 1);
      {
        g_auto (KgValue) rotation = node_test_get (&test, "f.rotation", 0);
        const KgVector w = kg_rotation_apply (rotation.rotation, ahead[i % 3]);
        const KgVector v = kg_rotation_apply (rotation.rotation, kg_vector (0, 1, 0));

        assert_vector_near (node_test_vector (&test, "f.forward", 0), w.x, w.y, w.z, 1e-12);
        assert_vector_near (node_test_vector (&test, "f.upward", 0), v.x, v.y, v.z, 1e-12);
      }
      node_test_set (&test, "f", "handedness", "\"left\"");
      check_frame (&test, -1);
    }
    node_test_clear (&test);
  }
}

/* 30-75: the place is P (s (t)): an ease as distance-time function.  Round and round on closed paths. */
static void
test_position (void)
{
  NodeTest test = make ("\"0 0\\n10 0\"", "\"linear\"", "\"tangent\"");

  node_test_add (&test, "motion/ease", "e", "shape", "\"decelerate\"", NULL);
  node_test_set (&test, "f", "timing", "{\"link\": \"e.motion\"}");
  /* (2 - t) t */
  assert_vector_near (node_test_vector (&test, "f.position", 0), 7.5, 0, 0, 1e-9);
  assert_near (node_test_number (&test, "f.distance", 0), 7.5, 1e-9);
  unlink_input (&test, "f", "timing");
  node_test_set (&test, "f", "by", "\"metres\"");
  node_test_set (&test, "f", "parameter", "3");
  assert_vector_near (node_test_vector (&test, "f.position", 0), 3, 0, 0, 1e-9);
  node_test_set (&test, "s", "closed", "true");
  node_test_set (&test, "f", "parameter", "-1");
  assert_vector_near (node_test_vector (&test, "f.position", 0), 1, 0, 0, 1e-9);
  node_test_set (&test, "f", "by", "\"natural\"");
  node_test_set (&test, "f", "parameter", "1e300");
  g_assert_true (kg_vector_is_finite (node_test_vector (&test, "f.position", 0)));
  node_test_clear (&test);
}

/* 30-76: looking along z with y up, sideways is x, and -x in left-handed frames. */
static void
test_handedness (void)
{
  NodeTest test = make ("\"0 0 0\\n0 0 10\"", "\"linear\"", "\"tangent\"");

  assert_vector_near (node_test_vector (&test, "f.forward", 0), 0, 0, 1, 1e-12);
  assert_vector_near (node_test_vector (&test, "f.upward", 0), 0, 1, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "f.sideways", 0), 1, 0, 0, 1e-12);
  node_test_set (&test, "f", "handedness", "\"left\"");
  assert_vector_near (node_test_vector (&test, "f.sideways", 0), -1, 0, 0, 1e-12);
  node_test_clear (&test);
}

/* 30-81: a fixed point of interest. */
static void
test_interest (void)
{
  NodeTest test = make ("\"0 0 0\\n0 0 0\"", "\"linear\"", "\"interest\"");
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_set (&test, "f", "axes", "\"z\"");
  node_test_set (&test, "f", "interest", "[0, 0, 5]");
  value = node_test_get (&test, "f.transform", 0);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      assert_near (value.transform->m[i][j], i == j ? 1 : 0, 1e-15);
  node_test_set (&test, "s", "points", "\"1 2 3\\n1 2 3\"");
  node_test_set (&test, "f", "interest", "[4, 6, 3]");
  assert_vector_near (node_test_vector (&test, "f.forward", 0), 0.6, 0.8, 0, 1e-12);
  assert_vector_near (node_test_vector (&test, "f.sideways", 0), 0, 0, -1, 1e-12);
  assert_vector_near (node_test_vector (&test, "f.upward", 0), -0.8, 0.6, 0, 1e-12);
  /* 30-86: a tilt of 90 degrees takes up to where right was. */
  node_test_set (&test, "f", "tilt", "90");
  assert_vector_near (node_test_vector (&test, "f.upward", 0), 0, 0, 1, 1e-12);

  /* An object: the middle of its box, or the mean of its points. */
  node_test_add (&test, "curve/spline", "o", "points", "\"0 0\\n0 8\\n3 8\"", "basis", "\"linear\"", NULL);
  node_test_set (&test, "f", "interest_object", "{\"link\": \"o.geometry\"}");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 1.5, 4, 0, 1e-6);
  node_test_set (&test, "f", "object_center", "\"mean\"");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 1, 16.0 / 3, 0, 1e-6);
  node_test_clear (&test);
}

/* 30-82: on a circle the view makes half the arc with the tangent; on a line it stays; near the end it goes over to the
 * tangent of the end. */
static void
test_ahead (void)
{
  NodeTest test = make ("\"0 0\\n3 0\\n7 0\"", "\"linear\"", "\"ahead\"");
  KgVector before;

  node_test_set (&test, "f", "ahead", "0.25");
  for (int i = 0; i <= 10; i++) {
    g_autofree char *parameter = g_strdup_printf ("%g", i / 10.0);

    node_test_set (&test, "f", "parameter", parameter);
    assert_vector_near (node_test_vector (&test, "f.forward", 0), 1, 0, 0, 1e-9);
  }
  node_test_clear (&test);

  test = node_test_new ();
  node_test_add (&test, "geometry/circle", "s", "points", "20000", "filled", "false", NULL);
  node_test_add (&test, "curve/follow", "f", "geometry", "{\"link\": \"s.geometry\"}", "orientation", "\"ahead\"",
                 "ahead", "0.25", NULL);
  for (int i = 0; i < 8; i++) {
    /* In the middle of an edge of the polygon. */
    g_autofree char *parameter = g_strdup_printf ("%.17g", (2500 * i + 0.5) / 20000);
    const double angle = 2 * KG_PI * (2500 * i + 0.5) / 20000 + KG_PI / 2 + KG_PI / 4;

    node_test_set (&test, "f", "parameter", parameter);
    assert_vector_near (node_test_vector (&test, "f.forward", 0), cos (angle), sin (angle), 0, 1e-3);
  }
  /* All the way round there is nothing ahead: the tangent. */
  node_test_set (&test, "f", "ahead", "1");
  node_test_set (&test, "f", "parameter", "0.25");
  assert_vector_near (node_test_vector (&test, "f.forward", 0), -1, 0, 0, 1e-3);
  node_test_clear (&test);

  test = make ("\"0 0\\n1 2\\n3 2\\n4 0\"", "\"catmull-rom\"", "\"ahead\"");
  node_test_set (&test, "f", "ahead", "0.2");
  node_test_set (&test, "f", "parameter", "0.8");
  before = node_test_vector (&test, "f.forward", 0);
  node_test_set (&test, "f", "parameter", "0.80001");
  assert_near (kg_vector_dot (before, node_test_vector (&test, "f.forward", 0)), 1, 1e-6);
  node_test_set (&test, "f", "parameter", "1");
  before = node_test_vector (&test, "f.forward", 0);
  node_test_set (&test, "f", "ahead", "0");
  assert_near (kg_vector_dot (before, node_test_vector (&test, "f.forward", 0)), 1, 1e-9);
  node_test_clear (&test);
}

/* 30-83: one point ahead is 30-82; on a line the mean of n is (n + 1) / 2 spreads ahead. */
static void
test_average (void)
{
  NodeTest test = make ("\"0 0\\n10 0\"", "\"linear\"", "\"average\"");
  KgVector one;

  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 10 * (0.5 + 3 * 0.02), 0, 0, 1e-8);
  /* Past the end: straight on, or held. */
  node_test_set (&test, "f", "parameter", "1");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 10 * (1 + 3 * 0.02), 0, 0, 1e-8);
  node_test_set (&test, "f", "past_end", "\"hold\"");
  /* Then it is where the follower is, and the follower looks along the path. */
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 10, 0, 0, 1e-8);
  assert_vector_near (node_test_vector (&test, "f.forward", 0), 1, 0, 0, 1e-8);
  node_test_clear (&test);

  test = make ("\"0 0\\n1 2\\n3 2\\n4 0\"", "\"catmull-rom\"", "\"average\"");
  node_test_set (&test, "f", "average_count", "1");
  node_test_set (&test, "f", "average_spread", "0.07");
  one = node_test_vector (&test, "f.looks_at", 0);
  node_test_set (&test, "f", "orientation", "\"ahead\"");
  node_test_set (&test, "f", "ahead", "0.07");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), one.x, one.y, one.z, 1e-12);
  node_test_clear (&test);
}

/* 30-84: with an up path one above the follower's the frame is that of 30-81. */
static void
test_separate_paths (void)
{
  NodeTest test = make ("\"0 0 0\\n1 0 2\\n3 0 2\\n4 0 0\"", "\"catmull-rom\"", "\"path\"");
  KgVector up, left;

  node_test_add (&test, "curve/spline", "c", "points", "\"0 3 9\\n8 3 9\"", "basis", "\"linear\"", NULL);
  node_test_add (&test, "geometry/transform", "u", "geometry", "{\"link\": \"s.geometry\"}", "translate", "[0, 1, 0]",
                 NULL);
  node_test_add (&test, "motion/ease", "e", "shape", "\"decelerate\"", NULL);
  node_test_set (&test, "f", "interest_path", "{\"link\": \"c.geometry\"}");
  node_test_set (&test, "f", "up_path", "{\"link\": \"u.transformed\"}");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 4, 3, 9, 1e-8);
  up = node_test_vector (&test, "f.upward", 0);
  left = node_test_vector (&test, "f.sideways", 0);
  node_test_set (&test, "f", "orientation", "\"interest\"");
  node_test_set (&test, "f", "interest", "[4, 3, 9]");
  unlink_input (&test, "f", "up_path");
  assert_vector_near (node_test_vector (&test, "f.upward", 0), up.x, up.y, up.z, 1e-6);
  assert_vector_near (node_test_vector (&test, "f.sideways", 0), left.x, left.y, left.z, 1e-6);
  /* A timing of its own. */
  node_test_set (&test, "f", "orientation", "\"path\"");
  node_test_set (&test, "f", "interest_timing", "{\"link\": \"e.motion\"}");
  assert_vector_near (node_test_vector (&test, "f.looks_at", 0), 6, 3, 9, 1e-8);
  /* Up along the view: y in its place. */
  node_test_set (&test, "f", "up_path", "{\"link\": \"c.geometry\"}");
  node_test_set (&test, "f", "up_timing", "{\"link\": \"e.motion\"}");
  check_frame (&test, 1);
  unlink_input (&test, "f", "interest_path");
  node_test_fails (&test, "f.transform", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* 30-85: holds, and between them the way with an ease: half way at half time, no speed at its ends. */
static void
test_keyed (void)
{
  NodeTest test = make ("\"0 0 5\\n1 0 5\"", "\"linear\"", "\"keyed\"");
  static const double frames[][2] = { { 0, 1 }, { 10, 1 }, { 15, 2 }, { 20, 3 }, { 29, 3 }, { 31, 3 }, { 99, 3 } };

  node_test_set (&test, "f", "interest_keys", "\"1 10 1 0 0\\n20 30 3 0 0\"");
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    g_autofree char *clock = g_strdup_printf ("%g", frames[i][0]);

    node_test_set (&test, "f", "clock", clock);
    assert_vector_near (node_test_vector (&test, "f.looks_at", 0), frames[i][1], 0, 0, 1e-12);
  }
  node_test_set (&test, "f", "clock", "10.001");
  assert_near (node_test_vector (&test, "f.looks_at", 0).x, 1, 1e-6);
  node_test_set (&test, "f", "clock", "19.999");
  assert_near (node_test_vector (&test, "f.looks_at", 0).x, 3, 1e-6);
  /* Out of order: sorted.  Overlapping: refused. */
  node_test_set (&test, "f", "interest_keys", "\"20 30 3 0 0\\n1 10 1 0 0\"");
  node_test_set (&test, "f", "clock", "15");
  assert_near (node_test_vector (&test, "f.looks_at", 0).x, 2, 1e-12);
  node_test_set (&test, "f", "interest_keys", "\"1 21 1 0 0\\n20 30 3 0 0\"");
  node_test_fails (&test, "f.transform", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "f", "interest_keys", "\"5 1 1 0 0\"");
  node_test_fails (&test, "f.transform", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "f", "interest_keys", "\"\"");
  node_test_fails (&test, "f.transform", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* 30-80: on a circle of radius 10 at 10 m/s the lean is atan (100 / (10 g)), to the side of the turn; none on a line. */
static void
test_bank (void)
{
  static const char circle[] = "\"0 0 0\\n0 0 5.52285\\n4.47715 0 10\\n10 0 10\"";
  static const char mirrored[] = "\"0 0 0\\n0 0 5.52285\\n-4.47715 0 10\\n-10 0 10\"";
  NodeTest test = make (circle, "\"bezier\"", "\"tangent\"");
  KgVector up;

  node_test_set (&test, "f", "bank", "\"physical\"");
  node_test_set (&test, "f", "bank_speed", "10");
  node_test_set (&test, "f", "bank_max", "80");
  /* Half way along the quarter the cubic bends a little less than the circle: by 6 in 1000. */
  assert_near (fabs (node_test_number (&test, "f.bank_angle", 0)), 45.559296, 0.2);
  /* Looking along z, x is left: the quarter turns left. */
  g_assert_cmpfloat (node_test_number (&test, "f.bank_angle", 0), >, 0);
  up = node_test_vector (&test, "f.upward", 0);
  g_assert_cmpfloat (kg_vector_dot (up, kg_vector (10, 0, 0)), >, 0);
  node_test_set (&test, "f", "bank_gain", "-1");
  g_assert_cmpfloat (node_test_vector (&test, "f.upward", 0).x, <, 0);
  node_test_set (&test, "f", "bank_gain", "1");
  node_test_set (&test, "s", "points", mirrored);
  assert_near (node_test_number (&test, "f.bank_angle", 0), -45.559296, 0.2);
  node_test_set (&test, "f", "bank", "\"proportional\"");
  assert_near (node_test_number (&test, "f.bank_angle", 0), -0.1 / KG_DEGREE, 0.05);
  node_test_set (&test, "f", "bank_max", "2");
  assert_near (node_test_number (&test, "f.bank_angle", 0), -2, 1e-9);
  node_test_set (&test, "s", "points", "\"0 0 0\\n0 0 5\\n0 0 6\\n0 0 10\"");
  assert_near (node_test_number (&test, "f.bank_angle", 0), 0, 1e-12);
  node_test_clear (&test);
}

/* The kernel of the same: exactly 1 / R to the left, with the sign of the turn. */
static void
test_side_curvature (void)
{
  g_autoptr (KgGeometry) geometry = make_s ();
  g_autoptr (Frames) frames = frames_new (geometry, 0, NULL);

  for (double u = 0.1; u < 4; u += 0.2)
    assert_near (frames_get_side_curvature (frames, u, kg_vector (0, 1, 0)), u < 2 ? 1 : -1, FLOAT_EPSILON);
  assert_near (atan (100 / (10 * 9.80665)) / KG_DEGREE, 45.559296, 1e-6);
}

/* What cannot be looked at. */
static void
test_degenerate (void)
{
  NodeTest test = make ("\"0 0 0\\n0 0 10\"", "\"linear\"", "\"interest\"");
  static const char *const orientations[] = { "\"tangent\"",  "\"frenet\"", "\"rotation-minimizing\"",
                                              "\"interest\"", "\"ahead\"",  "\"average\"" };

  /* The point of interest on the path: before it the view was along it. */
  node_test_set (&test, "f", "interest", "[0, 0, 5]");
  node_test_warns (&test, "f.transform", "keeps looking as it did before");
  check_frame (&test, 1);
  assert_vector_near (node_test_vector (&test, "f.forward", 0), 0, 0, 1, 1e-9);
  /* Straight above: what was left stays left. */
  node_test_set (&test, "f", "interest", "[0, 7, 5]");
  node_test_warns (&test, "f.transform", "along the up vector");
  check_frame (&test, 1);
  assert_vector_near (node_test_vector (&test, "f.forward", 0), 0, 1, 0, 1e-9);
  assert_vector_near (node_test_vector (&test, "f.sideways", 0), 1, 0, 0, 1e-6);
  /* ... also where there is no before. */
  node_test_set (&test, "f", "parameter", "0");
  node_test_set (&test, "f", "interest", "[0, 7, 0]");
  check_frame (&test, 1);
  node_test_set (&test, "f", "interest", "[0, 0, 0]");
  check_frame (&test, 1);
  /* A straight path for Frenet. */
  node_test_set (&test, "f", "orientation", "\"frenet\"");
  node_test_warns (&test, "f.transform", "does not bend anywhere");
  assert_vector_near (node_test_vector (&test, "f.upward", 0), 0, 1, 0, 1e-12);
  /* A path of no length, and one that goes straight up. */
  for (int i = 0; i < 2; i++)
    for (guint k = 0; k < G_N_ELEMENTS (orientations); k++) {
      node_test_set (&test, "s", "points", i == 0 ? "\"1 2 3\\n1 2 3\"" : "\"1 2 3\\n1 9 3\"");
      node_test_set (&test, "f", "orientation", orientations[k]);
      node_test_set (&test, "f", "bank", "\"physical\"");
      check_frame (&test, 1);
      node_test_set (&test, "f", "up", "[0, 0, 0]");
      check_frame (&test, 1);
      node_test_set (&test, "f", "up", "[0, 1e300, 0]");
      check_frame (&test, 1);
    }
  node_test_clear (&test);
}

/* 30-81: passing 0.1 m from what is looked at at 24 m/s turns the view by 2 atan (5) in a frame. */
static void
test_turn_rate (void)
{
  NodeTest test = make ("\"0 0 0\\n0 0 24\"", "\"linear\"", "\"interest\"");

  node_test_set (&test, "f", "by", "\"metres\"");
  node_test_set (&test, "f", "parameter", "{\"expr\": \"frame\"}");
  node_test_set (&test, "f", "interest", "[0.1, 0, 2.5]");
  node_test_set (&test, "f", "turn_limit", "90");
  /* From frame 2 to frame 3. */
  assert_near (node_test_number (&test, "f.turn_rate", 2.0 / 24), 24 * 2 * atan (5) / KG_DEGREE, 1e-4);
  node_test_clear (&test);
}

static void
test_report (void)
{
  NodeTest test = make ("\"0 0\\n1 1\\n2 -1\\n3 0\"", "\"bezier\"", "\"frenet\"");
  g_auto (KgValue) value = node_test_get (&test, "f.report", 0);

  g_assert_nonnull (strstr (value.text, "inflection"));
  g_assert_nonnull (strstr (value.text, "180°"));
  node_test_clear (&test);
}

/* The drawn frames of a quarter circle, and the profile of its curvature. */
static void
test_show_frames (void)
{
  NodeTest test = make ("\"1 0\\n1 0.552285\\n0.552285 1\\n0 1\"", "\"bezier\"", "\"frenet\"");
  g_auto (KgValue) axes = KG_VALUE_INIT, tips = KG_VALUE_INIT, profile = KG_VALUE_INIT;
  const float *p;

  node_test_add (&test, "curve/show_frames", "d", "geometry", "{\"link\": \"s.geometry\"}", "samples", "11", "size",
                 "0.5", "tangents", "true", "binormals", "true", NULL);
  axes = node_test_get (&test, "d.axes", 0);
  g_assert_cmpuint (kg_geometry_get_n_primitives (axes.geometry), ==, 33);
  tips = node_test_get (&test, "d.tips", 0);
  p = kg_geometry_get_positions (tips.geometry);
  for (int i = 0; i < 11; i++)
    assert_near (hypot ((double) p[3 * i], (double) p[3 * i + 1]), 0.5, 1e-3);
  profile = node_test_get (&test, "d.profile", 0);
  for (int i = 0; i <= 10; i++)
    /* The cubic bends up to 3 in 100 otherwise than the circle. */
    assert_near (kg_motion_evaluate (profile.motion, i / 10.0, 0), 1, 0.03);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/paths/30-77-helix", test_helix);
  g_test_add_func ("/paths/30-79-s-of-half-circles", test_s_of_half_circles);
  g_test_add_func ("/paths/30-78-straight-span", test_straight_span);
  g_test_add_func ("/paths/30-78-gaps", test_gaps);
  g_test_add_func ("/paths/30-78-closed-track", test_closed_track);
  g_test_add_func ("/paths/30-75-86-orthonormal", test_orthonormal);
  g_test_add_func ("/paths/30-75-position", test_position);
  g_test_add_func ("/paths/30-76-handedness", test_handedness);
  g_test_add_func ("/paths/30-81-interest", test_interest);
  g_test_add_func ("/paths/30-82-ahead", test_ahead);
  g_test_add_func ("/paths/30-83-average", test_average);
  g_test_add_func ("/paths/30-84-separate-paths", test_separate_paths);
  g_test_add_func ("/paths/30-85-keyed", test_keyed);
  g_test_add_func ("/paths/30-80-bank", test_bank);
  g_test_add_func ("/paths/30-80-side-curvature", test_side_curvature);
  g_test_add_func ("/paths/30-81-degenerate", test_degenerate);
  g_test_add_func ("/paths/30-81-turn-rate", test_turn_rate);
  g_test_add_func ("/paths/30-79-report", test_report);
  g_test_add_func ("/paths/30-77-show-frames", test_show_frames);
  return g_test_run ();
}

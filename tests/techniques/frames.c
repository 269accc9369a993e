/* tests/techniques/frames: Frenet frames along paths, also where there are none, against closed forms and catalogue 30-75 to
 * 30-86.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "motion/path_view.h"

#include <string.h>

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
  g_autoptr (Frames) frames = frames_new (geometry, 0, NULL, NULL);
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
  g_autoptr (Frames) frames = frames_new (geometry, 0, NULL, NULL);
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
  g_autoptr (Frames) frames = frames_new (wave_geometry, 0, NULL, NULL);
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
  frames = frames_new (ends_geometry, 0, NULL, NULL);
  g_assert_false (frames_is_straight (frames));
  for (double u = 0; u < 1; u += 0.2) {
    frames_get_frenet (frames, u, &bridge, kg_vector (0, 0, 1), &f);
    assert_vector_near (f.normal, 0, 1, 0, 1e-6);
    frames_get_frenet (frames, 2.1 + u, &bridge, kg_vector (0, 0, 1), &f);
    assert_vector_near (f.normal, -1, 0, 0, 1e-6);
  }
  g_clear_pointer (&frames, frames_free);

  /* A line across the axes, whose points are rounded: no bend, up as near to y as it goes. */
  frames = frames_new (line_geometry, 0, NULL, NULL);
  g_assert_true (frames_is_straight (frames));
  for (double u = 0; u <= 3; u += 0.25) {
    frames_get_frenet (frames, u, &bridge, kg_vector (0, 1, 0), &f);
    g_assert_cmpfloat (f.normal.y, >, 0.5);
    assert_near (kg_vector_dot (f.normal, f.tangent), 0, 1e-12);
    assert_near (f.curvature, 0, 0);
  }
  g_clear_pointer (&frames, frames_free);

  /* A polyline has corners. */
  frames = frames_new (corner_geometry, 0, NULL, NULL);
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
  g_autoptr (Frames) frames = frames_new (geometry, 0, NULL, NULL);
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

/* The kernel of the same: exactly 1 / R to the left, with the sign of the turn. */
static void
test_side_curvature (void)
{
  g_autoptr (KgGeometry) geometry = make_s ();
  g_autoptr (Frames) frames = frames_new (geometry, 0, NULL, NULL);

  for (double u = 0.1; u < 4; u += 0.2)
    assert_near (frames_get_side_curvature (frames, u, kg_vector (0, 1, 0)), u < 2 ? 1 : -1, FLOAT_EPSILON);
  assert_near (atan (100 / (10 * 9.80665)) / KG_DEGREE, 45.559296, 1e-6);
}

/* 30-81 to 30-85 on a straight path of 10 m along x. */
static void
test_path_view (void)
{
  static const double ends[][4] = { { 0, 0, 0, 1 }, { 10, 0, 0, 1 } };
  static const PathViewHold holds[] = { { 1, 10, { 3, 4, 0 } }, { 20, 30, { 3, 0, 8 } } };
  g_autoptr (KgGeometry) geometry = make_spline (ends, 2, (KgPrimitive){ .basis = KG_BASIS_LINEAR, .order = 2 });
  g_autoptr (Frames) path = frames_new (geometry, 0, NULL, NULL);
  g_autoptr (GError) warning = NULL;
  PathView view = { .kind = PATH_VIEW_AHEAD, .path = path, .ahead = 0.2, .up = { 0, 1, 0 } };
  KgVector w, v, target;

  assert_near (path_get_parameter (frames_get_curve (path), 2.5, PATH_BY_METRES, NULL), 0.25, FLOAT_EPSILON);
  assert_near (path_get_parameter (frames_get_curve (path), 7, PATH_BY_LENGTH, NULL), 1, 0);
  /* Near the end it looks as far beyond. */
  for (double u = 0; u <= 1; u += 0.125) {
    path_view_get_directions (&view, u, &w, &v, &target, NULL, &warning);
    assert_vector_near (target, 10 * u + 2, 0, 0, 1e-5);
    assert_vector_near (w, 1, 0, 0, 1e-12);
    assert_vector_near (v, 0, 1, 0, 1e-12);
  }
  g_assert_no_error (warning);
  /* The mean of three points, of which the last stops at the end or goes on. */
  view =
      (PathView){ .kind = PATH_VIEW_AVERAGE, .path = path, .average_count = 3, .average_spread = 0.2, .up = view.up };
  path_view_get_directions (&view, 0.5, &w, &v, &target, NULL, &warning);
  assert_vector_near (target, (7 + 9 + 10) / 3.0, 0, 0, 1e-5);
  view.continues = true;
  path_view_get_directions (&view, 0.5, &w, &v, &target, NULL, &warning);
  assert_vector_near (target, 9, 0, 0, 1e-5);
  /* Half way between two held points. */
  view = (PathView){
    .kind = PATH_VIEW_KEYED, .path = path, .holds = holds, .n_holds = 2, .shift = EASING_LINEAR, .up = view.up
  };
  for (int i = 0; i < 3; i++) {
    view.clock = 5 + 10 * i;
    path_view_get_directions (&view, 0, &w, &v, &target, NULL, &warning);
    assert_vector_near (target, 3, 4 - 2 * i, 4 * i, 1e-12);
  }
  g_assert_no_error (warning);
  /* Straight up: the side is that of just before. */
  view = (PathView){ .kind = PATH_VIEW_INTEREST, .path = path, .interest = { 5, 3, 0 }, .up = view.up };
  path_view_get_directions (&view, 0.5, &w, &v, &target, NULL, &warning);
  assert_vector_near (w, 0, 1, 0, 1e-12);
  assert_vector_near (v, -1, 0, 0, 1e-9);
  g_assert_nonnull (strstr (warning->message, "parallel to the up vector"));
}

/* 30-80 on half circles of radius 1, one to the left and one to the right. */
static void
test_banking (void)
{
  g_autoptr (KgGeometry) geometry = make_s ();
  g_autoptr (Frames) path = frames_new (geometry, 0, NULL, NULL);
  Banking banking = { .physical = true, .gain = 1, .speed = 5, .gravity = 9.81, .max = 2, .up = { 0, 1, 0 } };
  g_autofree double *physical = banking_new_table (path, &banking), *limited = NULL, *smooth = NULL;

  assert_near (banking_read_table (physical, 0.25), atan (25 / 9.81), FLOAT_EPSILON);
  assert_near (banking_read_table (physical, 0.75), -atan (25 / 9.81), FLOAT_EPSILON);
  banking = (Banking){ .gain = 0.5, .max = 0.4, .up = banking.up };
  limited = banking_new_table (path, &banking);
  assert_near (banking_read_table (limited, 0.25), 0.4, 0);
  /* Smoothed over 1 m, halfway between both sides at the joint. */
  banking.max = 1;
  banking.smooth = 1;
  smooth = banking_new_table (path, &banking);
  assert_near (banking_read_table (smooth, 0.25), 0.5, FLOAT_EPSILON);
  assert_near (banking_read_table (smooth, 0.5), 0, 0.01);
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
  g_test_add_func ("/paths/30-80-side-curvature", test_side_curvature);
  g_test_add_func ("/paths/30-81-path-view", test_path_view);
  g_test_add_func ("/paths/30-80-banking", test_banking);
  return g_test_run ();
}

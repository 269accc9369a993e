/* tests/techniques/view: spaces, projections, rays and clipping against the textbook's figures and each other.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "kg-random.h"
#include "render/camera_place.h"
#include "render/view.h"
#include "rotation/quaternion.h"

#define V kg_vector

static KgCamera
make_camera (KgVector position, KgVector angles, bool parallel)
{
  return (KgCamera){
    kg_transform_from_parts (position, kg_rotation_from_angles (angles), V (1, 1, 1)), parallel, 0.7, 4, 1, 10
  };
}

static View
make_view (const KgCamera *camera, double aspect)
{
  g_autoptr (GError) error = NULL;
  View view;

  g_assert_true (view_init (&view, camera, aspect, &error));
  return view;
}

static void
test_eye (void)
{
  const KgCamera camera = make_camera (V (1, 2, 3), V (0.3, -1.1, 0.5), false);
  const View view = make_view (&camera, 1.5);
  const KgVector forward = kg_transform_direction (camera.transform, V (0, 0, -1));

  assert_vector_near (kg_transform_point (view.to_eye, V (1, 2, 3)), 0, 0, 0, 1e-14);
  assert_vector_near (kg_transform_point (view.to_eye, kg_vector_add_scaled (V (1, 2, 3), 7, forward)), 0, 0, 7, 1e-14);
  assert_near (kg_transform_determinant (view.to_eye), -1, 1e-14);
}

static void
test_perspective (void)
{
  View view = {
    .to_eye = kg_transform_identity (), .left = -1, .right = 2, .bottom = -1, .top = 1, .near_plane = 1, .far_plane = 10
  };
  const KgTransform m = view_get_projection (&view);
  KgVector p;

  g_assert_true (view_divide (&m, V (1, 0, 2), &p));
  assert_vector_near (p, 0, 0, 5.0 / 9, 1e-15);
  g_assert_true (view_divide (&m, V (0, 0, 1), &p));
  assert_vector_near (p, -1.0 / 3, 0, 0, 1e-15);
  g_assert_true (view_divide (&m, V (4, 1, 2), &p));
  assert_vector_near (p, 1, 0.5, 5.0 / 9, 1e-15);
  g_assert_true (view_divide (&m, V (0, 0, 10), &p));
  assert_near (p.z, 1, 1e-15);
  g_assert_false (view_divide (&m, V (0, 0, 0), &p));
  g_assert_false (view_divide (&m, V (0, 0, -2), &p));
}

static void
test_viewport (void)
{
  const KgTransform m = view_get_viewport (640, 480, 10, 20);

  assert_vector_near (kg_transform_point (m, V (-1, 1, 0.3)), 10, 20, 0.3, 0);
  assert_vector_near (kg_transform_point (m, V (1, -1, 0.3)), 650, 500, 0.3, 0);
  assert_vector_near (kg_transform_point (m, V (0, 0, 0)), 330, 260, 0, 0);
}

static void
test_frustum (void)
{
  const KgCamera camera = make_camera (V (0, 0, 0), V (0, 0, 0), false);
  const View view = make_view (&camera, 1.5);
  const double half = tan (0.35);
  KgVector corners[8];

  view_get_corners (&view, corners);
  assert_vector_near (corners[0], -1.5 * half, -half, -1, 1e-15);
  assert_vector_near (corners[7], 15 * half, 10 * half, -10, 1e-14);
  assert_near (view_get_volume (&view), 4.0 / 3 * 1.5 * half * half * 999, 1e-12);
}

/* Any point of the ray of a place of the image is at that place, however the window is. */
static void
test_rays (void)
{
  for (uint64_t i = 0; i < 200; i++) {
    const KgCamera camera = make_camera (V (kg_random_signed (1, i, 0), kg_random_signed (1, i, 1), 3),
                                         V (kg_random_signed (1, i, 2), kg_random_signed (1, i, 3), 0.4), i % 3 == 0);
    const double x = kg_random_signed (1, i, 4), y = kg_random_signed (1, i, 5);
    View view = make_view (&camera, 1.7);
    KgVector origin, direction, p;
    KgTransform m;

    if (i % 2 == 0)
      g_assert_true (view_face (&view, &camera, kg_transform_direction (camera.transform, V (0.3, -0.2, -1)), NULL));
    view_shift (&view, 0.4, -0.7);
    view_take_tile (&view, 1, 0, 3, 2);
    view_get_ray (&view, x, y, &origin, &direction);
    m = kg_transform_multiply (view_get_projection (&view), view.to_eye);
    for (double s = 2; s < 9; s += 1.5) {
      g_assert_true (view_divide (&m, kg_vector_add_scaled (origin, s, direction), &p));
      assert_near (p.x, x, 1e-9);
      assert_near (p.y, y, 1e-9);
    }
    assert_near (kg_vector_length (direction), 1, 1e-14);
  }
}

/* A camera that looks up at a house: with an upright image plane its edges are upright. */
static void
test_tilted (void)
{
  const KgCamera camera = make_camera (V (0, 0, 0), V (30 * KG_DEGREE, 0, 0), false);
  View view = make_view (&camera, 1);
  g_autoptr (GError) error = NULL;
  KgTransform m;
  KgVector p, q;

  g_assert_true (view_face (&view, &camera, V (0, 0, -3), &error));
  assert_near (0.5 * (view.bottom + view.top), 0.57735027, 1e-8);
  m = kg_transform_multiply (view_get_projection (&view), view.to_eye);
  g_assert_true (view_divide (&m, V (1, 0, -5), &p));
  g_assert_true (view_divide (&m, V (1, 9, -5), &q));
  assert_near (p.x, q.x, 1e-14);
  g_assert_false (view_face (&view, &camera, V (0, 0, 1), &error));
  g_assert_nonnull (strstr (error->message, "from behind"));
}

static void
test_tiles (void)
{
  const KgCamera camera = make_camera (V (0, 0, 5), V (0, 0, 0), false);
  View left = make_view (&camera, 1.5), right = left;
  KgVector p, q;
  KgTransform m, n;

  view_take_tile (&left, 0, 0, 2, 1);
  view_take_tile (&right, 1, 0, 2, 1);
  m = kg_transform_multiply (view_get_projection (&left), left.to_eye);
  n = kg_transform_multiply (view_get_projection (&right), right.to_eye);
  g_assert_true (view_divide (&m, V (0, 0.3, 1), &p) && view_divide (&n, V (0, 0.3, 1), &q));
  assert_near (p.x, 1, 1e-15);
  assert_near (q.x, -1, 1e-15);
  assert_near (p.y, q.y, 1e-15);
}

static KgGeometry *
make_shape (KgPrimitiveKind kind, bool closed, guint n, const double points[][3])
{
  KgGeometry *g = kg_geometry_new ();
  uint32_t vertices[16];
  float *p, *width;

  kg_geometry_set_n_points (g, n, NULL);
  p = kg_geometry_edit_positions (g);
  width = kg_geometry_edit_float (g, KG_POINTS, "width", 1);
  for (uint32_t i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++)
      p[3 * i + (uint32_t) c] = (float) points[i][c];
    width[i] = (float) i;
    vertices[i] = i;
  }
  kg_geometry_add_primitives (g, kind, closed, 1, n, vertices);
  return g;
}

static void
test_clip (void)
{
  static const double along[][3] = { { 0, 0, 0 }, { 0, 0, -20 } },
                      behind[][3] = { { 0, 0, 2 }, { 1, 0, 3 }, { 0, 1, 4 } };
  static const double inside[][3] = { { 0.1, 0, -5 }, { 0.4, 0, -5 }, { 0, 0.3, -5 } };
  static const double around[][3] = { { -90, -90, -4 }, { 90, -90, -4 }, { 90, 90, -4 }, { -90, 90, -4 } };
  const KgCamera camera = make_camera (V (0, 0, 0), V (0, 0, 0), false);
  const View view = make_view (&camera, 1.5);
  guint n_curves;
  g_autoptr (KgGeometry) line = make_shape (KG_POLYLINE, false, 2, along),
                         hidden = make_shape (KG_POLYGON, true, 3, behind);
  g_autoptr (KgGeometry) seen = make_shape (KG_POLYGON, true, 3, inside),
                         wall = make_shape (KG_POLYGON, true, 4, around);
  g_autoptr (KgGeometry) cut_line = view_clip (&view, line, NULL, &n_curves, NULL);
  g_autoptr (KgGeometry) cut_hidden = view_clip (&view, hidden, NULL, &n_curves, NULL);
  g_autoptr (KgGeometry) cut_seen = view_clip (&view, seen, NULL, &n_curves, NULL);
  g_autoptr (KgGeometry) cut_wall = view_clip (&view, wall, NULL, &n_curves, NULL);
  const float *p = kg_geometry_get_positions (cut_line);
  KgVector low, high;

  /* Cut exactly at the near and far planes, and its attribute with it. */
  g_assert_cmpuint (kg_geometry_get_n_points (cut_line), ==, 2);
  assert_near ((double) p[2], -1, 1e-6);
  assert_near ((double) p[5], -10, 1e-6);
  assert_near ((double) kg_geometry_get_float (cut_line, KG_POINTS, "width", 1)[0], 0.05, 1e-6);
  g_assert_cmpuint (kg_geometry_get_n_points (cut_hidden) + kg_geometry_get_n_primitives (cut_hidden), ==, 0);
  g_assert_true (kg_geometry_equal (cut_seen, seen));
  /* A wall larger than the view becomes the rectangle of the view. */
  g_assert_cmpuint (kg_geometry_get_n_points (cut_wall), ==, 4);
  kg_geometry_get_bounds (cut_wall, &low, &high);
  assert_near (high.x, 6 * tan (0.35), 1e-5);
  assert_near (high.y, 4 * tan (0.35), 1e-5);
}

/* Many triangles at once: everything left is inside, neighbours share their cuts, and the area is that of the clipped whole. */
static void
test_clip_mesh (void)
{
  const KgCamera camera = make_camera (V (0, 0, 0), V (0, 0, 0), false);
  const View view = make_view (&camera, 1.5);
  const KgTransform m = kg_transform_multiply (view_get_projection (&view), view.to_eye);
  g_autoptr (KgGeometry) mesh = kg_geometry_new (), cut = NULL;
  const guint n = 21;
  double area = 0;
  guint n_curves;
  float *p;

  kg_geometry_set_n_points (mesh, n * n, NULL);
  p = kg_geometry_edit_positions (mesh);
  for (guint i = 0; i < n * n; i++) {
    p[3 * i] = (float) (i % n) - 10;
    p[3 * i + 1] = (float) (i / n) - 10;
    p[3 * i + 2] = -5;
  }
  for (uint32_t i = 0; i < (n - 1) * (n - 1); i++) {
    const uint32_t a = i / (n - 1) * n + i % (n - 1), quad[] = { a, a + 1, a + n + 1, a + n };

    kg_geometry_add_primitives (mesh, KG_POLYGON, true, 1, 4, quad);
  }
  memset (kg_geometry_edit_int (mesh, KG_PRIMITIVES, "id", 1), 0, (n - 1) * (n - 1) * sizeof (int32_t));
  cut = view_clip (&view, mesh, NULL, &n_curves, NULL);
  p = kg_geometry_edit_positions (cut);
  for (size_t i = 0; i < kg_geometry_get_n_points (cut); i++) {
    KgVector q;

    g_assert_true (view_divide (&m, V ((double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]), &q));
    g_assert_cmpfloat (fmax (fabs (q.x), fabs (q.y)), <=, 1 + 1e-6);
    for (size_t j = 0; j < i; j++)
      g_assert_false (p[3 * i] == p[3 * j] && p[3 * i + 1] == p[3 * j + 1]);
  }
  for (size_t k = 0; k < kg_geometry_get_n_primitives (cut); k++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (cut, k, &primitive);
    for (uint32_t v = 0; v < primitive.n_vertices; v++) {
      const float *a = p + 3 * primitive.vertices[v], *b = p + 3 * primitive.vertices[(v + 1) % primitive.n_vertices];

      area += 0.5 * ((double) a[0] * (double) b[1] - (double) a[1] * (double) b[0]);
    }
  }
  assert_near (area, 4 * 1.5 * 25 * tan (0.35) * tan (0.35), 1e-4);
  g_assert_nonnull (kg_geometry_get_int (cut, KG_PRIMITIVES, "id", 1));
}

static KgGeometry *
make_points (const float *p, size_t n)
{
  KgGeometry *geometry = kg_geometry_new ();

  kg_geometry_set_n_points (geometry, n, NULL);
  memcpy (kg_geometry_edit_positions (geometry), p, 3 * n * sizeof *p);
  return geometry;
}

static void
test_subject (void)
{
  static const float p[] = { 0, 0, 0, 4, 0, 0, 2, 3, 0 };
  const KgTransform identity = kg_transform_identity ();
  g_autoptr (KgGeometry) points = make_points (p, 3), empty = kg_geometry_new ();
  g_autoptr (GError) error = NULL;
  CameraBall ball;
  float *weights;

  g_assert_true (camera_find_subject (points, &identity, CAMERA_SUBJECT_MEAN, &ball, NULL));
  assert_vector_near (ball.center, 2, 1, 0, 1e-12);
  g_assert_true (camera_find_subject (points, &identity, CAMERA_SUBJECT_BOUNDS, &ball, NULL));
  assert_vector_near (ball.center, 2, 1.5, 0, 1e-12);
  assert_near (ball.radius, 2.5, 1e-12);
  g_assert_true (camera_find_subject (points, &identity, CAMERA_SUBJECT_SPHERE, &ball, NULL));
  assert_vector_near (ball.center, 2, 5.0 / 6, 0, 1e-12);
  weights = kg_geometry_edit_float (points, KG_POINTS, "weight", 1);
  weights[0] = weights[1] = 1;
  weights[2] = 2;
  g_assert_true (camera_find_subject (points, &identity, CAMERA_SUBJECT_MEAN, &ball, NULL));
  assert_vector_near (ball.center, 2, 1.5, 0, 1e-12);
  weights[0] = weights[1] = weights[2] = 0;
  g_assert_true (camera_find_subject (points, &identity, CAMERA_SUBJECT_MEAN, &ball, NULL));
  assert_vector_near (ball.center, 2, 1, 0, 1e-12);
  g_assert_true (ball.unweighed);
  weights[0] = -1;
  g_assert_false (camera_find_subject (points, &identity, CAMERA_SUBJECT_MEAN, &ball, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_clear_error (&error);
  g_assert_false (camera_find_subject (empty, &identity, CAMERA_SUBJECT_BOUNDS, &ball, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_assert_true (camera_find_subject (NULL, &identity, CAMERA_SUBJECT_OBJECT, &ball, NULL));
}

static void
test_bound (void)
{
  static const float track[] = { 0, 2, 0, 10, 2, 0, 10, 2, 8 };
  static const uint32_t corners[] = { 0, 1, 2 };
  const KgVector up = { 0, 1, 0 }, right = { 1, 0, 0 };
  g_autoptr (KgGeometry) line = make_points (track, 3), none = kg_geometry_new ();
  g_autoptr (GError) error = NULL;
  KgVector place;

  assert_vector_near (camera_bind_to_plane (V (3, 1, -2), V (0, 6, 0), up), 3, 6, -2, 0);
  assert_vector_near (camera_bind_to_line (V (4, 0, 5), V (0, 2, 0), V (10, 2, 0)), 4, 2, 0, 1e-14);
  assert_vector_near (camera_bind_to_line (V (12, 0, 0), V (0, 2, 0), V (10, 2, 0)), 10, 2, 0, 0);
  /* A track without a length. */
  assert_vector_near (camera_bind_to_line (V (12, 0, 0), V (1, 2, 3), V (1, 2, 3)), 1, 2, 3, 0);
  kg_geometry_add_primitive (line, &(KgPrimitive){ .kind = KG_POLYLINE, .n_vertices = 3, .vertices = corners });
  g_assert_true (camera_bind_to_curve (V (4, 0, 1), line, NULL, &place, NULL));
  assert_vector_near (place, 4, 2, 0, 1e-12);
  g_assert_true (camera_bind_to_curve (V (13, 9, 5), line, NULL, &place, NULL));
  assert_vector_near (place, 10, 2, 5, 1e-12);
  g_assert_false (camera_bind_to_curve (V (0, 0, 0), none, NULL, &place, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_assert_true (camera_keep_distance_in_plane (V (0, 0, 0), 10, V (0, 6, 0), up, right, &place));
  assert_vector_near (place, 8, 6, 0, 1e-14);
  g_assert_false (camera_keep_distance_in_plane (V (0, 0, 0), 5, V (0, 6, 0), up, right, &place));
  assert_vector_near (place, 0, 6, 0, 0);
  place = camera_elevate (camera_keep_distance (V (7, 1, 0), V (0, 0, 0), 3, right), V (0, 0, 0), up, KG_PI / 6, right);
  assert_vector_near (place, 2.598076211353, 1.5, 0, 1e-12);
  place = camera_avoid_pole (V (0, 5, 0), V (0, 0, 0), up, right, 0.1);
  assert_vector_near (place, 5 * sin (0.1), 5 * cos (0.1), 0, 1e-14);
  assert_vector_near (camera_avoid_pole (V (1, 5, 0), V (0, 0, 0), up, right, 0.1), 1, 5, 0, 0);
}

static void
assert_rotation_columns (KgRotation rotation, KgVector u, KgVector v)
{
  const KgVector x = kg_rotation_apply (rotation, V (1, 0, 0)), y = kg_rotation_apply (rotation, V (0, 1, 0));

  assert_vector_near (x, u.x, u.y, u.z, 1e-12);
  assert_vector_near (y, v.x, v.y, v.z, 1e-12);
}

static void
test_look (void)
{
  const KgVector up = { 0, 1, 0 }, second = { 0, 0, -1 };
  KgRotation before;

  assert_rotation_columns (camera_look_along (V (0, 0, -5), up, second, 0), V (1, 0, 0), V (0, 1, 0));
  /* Straight down the second direction is at the top. */
  assert_rotation_columns (camera_look_along (V (0, -2, 0), up, second, 0), V (1, 0, 0), V (0, 0, -1));
  assert_rotation_columns (camera_look_along (V (0, -2, 0), up, V (1, 0, 0), 0), V (0, 0, 1), V (1, 0, 0));
  assert_rotation_columns (camera_look_along (V (0, 0, -1), up, second, KG_PI / 2), V (0, 1, 0), V (-1, 0, 0));
  /* A slow pass beside the pole: no jump. */
  before = camera_look_along (V (0.004, -1, 0.05), up, second, 0);
  for (int i = 1; i <= 10000; i++) {
    const KgRotation now = camera_look_along (V (0.004, -1, 0.05 - 0.1 * i / 10000), up, second, 0);

    g_assert_cmpfloat (fabs (quaternion_dot (before, now)), >, cos (0.01));
    before = now;
  }
}

/* A point put to any place of the picture is there, with and without a roll, also near the pole. */
static void
test_beside (void)
{
  const double tan_y = tan (0.35), tan_x = 1.6 * tan_y;

  for (uint64_t i = 0; i < 200; i++) {
    const KgVector direction = i % 4 == 0 ? V (0.001 * (double) i / 200, -1, 0.01) : kg_random_direction (5, i, 0);
    const double x = kg_random_signed (5, i, 5), y = kg_random_signed (5, i, 6), roll = i % 2 == 0 ? 0 : 0.7;
    const KgRotation look = camera_look_beside (direction, V (0, 1, 0), V (0, 0, -1), roll, x, y, tan_x, tan_y);
    const KgVector seen = kg_rotation_apply (kg_rotation_conjugate (look), direction);

    assert_near (seen.x / -seen.z / tan_x, x, 1e-9);
    assert_near (seen.y / -seen.z / tan_y, y, 1e-9);
  }
}

static void
test_framing (void)
{
  const double fov = 40 * KG_PI / 180;
  CameraBall ball = { .radius = 1 };
  KgTransform camera = kg_transform_identity ();
  double angle;

  assert_near (camera_get_distance (1, 0, fov, 16.0 / 9), 2.923804400163, 1e-9);
  assert_near (camera_get_half_angle (fov, 9.0 / 16) * 180 / KG_PI, 11.570459, 1e-6);
  assert_near (camera_get_distance (1, 0, fov, 9.0 / 16), 4.985720, 1e-6);
  for (int portrait = 0; portrait < 2; portrait++) {
    const double aspect = portrait ? 9.0 / 16 : 16.0 / 9, distance = camera_get_distance (1, 0, fov, aspect);

    g_assert_true (camera_get_fov (1, 0, distance, aspect, &angle));
    assert_near (angle, fov, 1e-12);
    camera.m[2][3] = distance;
    g_assert_true (camera_sees_ball (&camera, fov, aspect, 0.01, 100, &ball));
    camera.m[2][3] = distance - 1e-6;
    g_assert_false (camera_sees_ball (&camera, fov, aspect, 0.01, 100, &ball));
    camera.m[2][3] = distance;
    g_assert_false (camera_sees_ball (&camera, fov, aspect, 0.01, distance, &ball));
  }
  g_assert_false (camera_get_fov (1, 0, 0.9, 1, &angle));
}

static void
test_kernels (void)
{
  double weights[201];

  camera_get_weights (CAMERA_KERNEL_BOX, 1, weights);
  assert_near (weights[0], 1.0 / 3, 1e-15);
  camera_get_weights (CAMERA_KERNEL_BINOMIAL, 2, weights);
  assert_near (weights[1], 4.0 / 16, 1e-14);
  for (int kernel = 0; kernel < CAMERA_N_KERNELS; kernel++) {
    double sum = 0;

    camera_get_weights ((CameraKernel) kernel, 100, weights);
    for (guint i = 0; i < 201; i++)
      sum += weights[i];
    assert_near (sum, 1, 1e-13);
    assert_near (weights[0], weights[200], 1e-15);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/view/P2-04-eye", test_eye);
  g_test_add_func ("/view/P2-05-P2-26-perspective", test_perspective);
  g_test_add_func ("/view/P2-06-viewport", test_viewport);
  g_test_add_func ("/view/P2-03-frustum", test_frustum);
  g_test_add_func ("/view/P2-09-rays", test_rays);
  g_test_add_func ("/view/P2-26-tilted", test_tilted);
  g_test_add_func ("/view/P2-26-tiles", test_tiles);
  g_test_add_func ("/view/P2-10-clip", test_clip);
  g_test_add_func ("/view/P2-10-clip-mesh", test_clip_mesh);
  g_test_add_func ("/camera-place/50-01-50-02-subject", test_subject);
  g_test_add_func ("/camera-place/50-04-50-05-bound", test_bound);
  g_test_add_func ("/camera-place/50-01-look", test_look);
  g_test_add_func ("/camera-place/50-09-beside", test_beside);
  g_test_add_func ("/camera-place/50-09-framing", test_framing);
  g_test_add_func ("/camera-place/50-06-kernels", test_kernels);
  return g_test_run ();
}

/* tests/techniques/deform: lattices and skins called directly, against Bernstein polynomials, affine maps, rotations and
 * weights in closed form.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "deform/lattice.h"
#include "deform/skin.h"
#include "kg-error.h"
#include "kg-random.h"

#include <string.h>

#define POINTS 600

/* (transfer full) A lattice over the unit cube. */
static KgGeometry *
new_lattice (int l, int m, int n, LatticeBasis basis)
{
  const Lattice lattice = {
    .divisions = { l, m, n }, .basis = basis, .s = { 1, 0, 0 }, .t = { 0, 1, 0 }, .u = { 0, 0, 1 }
  };
  KgGeometry *geometry = kg_geometry_new ();

  g_assert_true (lattice_write (geometry, &lattice, NULL));
  return geometry;
}

static void
deform (const KgGeometry *geometry, const float *from, float *to, size_t n, bool inside_only)
{
  g_autoptr (GError) error = NULL;
  Lattice lattice;

  lattice_read (geometry, &lattice, &error);
  g_assert_no_error (error);
  lattice_deform (&lattice, from, to, n, inside_only);
}

static void
fill_random (float *p, size_t n, double low, double high)
{
  for (size_t i = 0; i < 3 * n; i++)
    p[i] = (float) kg_lerp (low, high, kg_random_uniform (7, i, 0));
}

/* Moves one control point by (0, 0, 1) and returns how far a place moves. */
static double
get_weight (int l, int m, int n, LatticeBasis basis, int control, double s, double t, double u)
{
  g_autoptr (KgGeometry) geometry = new_lattice (l, m, n, basis);
  float p[] = { (float) s, (float) t, (float) u };

  kg_geometry_edit_positions (geometry)[3 * control + 2] += 1;
  deform (geometry, p, p, 1, false);
  return (double) p[2] - (double) (float) u;
}

static void
test_lattice_weights (void)
{
  /* The corner at 1, 1, 1 of the smallest lattice: s t u. */
  assert_near (get_weight (1, 1, 1, LATTICE_BERNSTEIN, 7, 0.25, 0.5, 0.75), 0.25 * 0.5 * 0.75, 1e-6);
  /* The point in the middle of 2 × 2 × 2, at the middle: (2 / 4)³. */
  assert_near (get_weight (2, 2, 2, LATTICE_BERNSTEIN, 13, 0.5, 0.5, 0.5), 0.125, 1e-6);
  /* Degree 5, which is not evaluated by powers: C(5, 2) s² (1 - s)³ (1 - t) (1 - u). */
  assert_near (get_weight (5, 1, 1, LATTICE_BERNSTEIN, 8, 0.3, 0.2, 0.1), 10 * 0.09 * 0.343 * 0.8 * 0.9, 1e-6);
  /* Uniform cubic B-splines: 4 / 6 at the point and 1 / 6 at its neighbours; at the border they pass through the points. */
  for (int i = -1; i <= 1; i++)
    assert_near (get_weight (6, 1, 1, LATTICE_BSPLINE, 12, (3 + i) / 6.0, 0, 0), (i == 0 ? 4.0 : 1.0) / 6, 1e-6);
  /* Catmull-Rom splines pass through all points; a quarter into a cell 1 + t² (3 t - 5) / 2 and -t (1 - t)² / 2. */
  assert_near (get_weight (6, 1, 1, LATTICE_CATMULL_ROM, 12, 3 / 6.0, 0, 0), 1, 1e-6);
  assert_near (get_weight (6, 1, 1, LATTICE_CATMULL_ROM, 12, 2 / 6.0, 0, 0), 0, 1e-6);
  assert_near (get_weight (6, 1, 1, LATTICE_CATMULL_ROM, 12, 3.25 / 6, 0, 0), 0.8671875, 1e-6);
  assert_near (get_weight (6, 1, 1, LATTICE_CATMULL_ROM, 12, 4.25 / 6, 0, 0), -0.0703125, 1e-6);
  /* Linear: only in its own cells. */
  assert_near (get_weight (6, 1, 1, LATTICE_LINEAR, 12, 3.25 / 6, 0, 0), 0.75, 1e-6);
  assert_near (get_weight (6, 1, 1, LATTICE_LINEAR, 12, 4.25 / 6, 0, 0), 0, 1e-6);
}

/* A lattice that is moved by an affine map takes everything along by it; one that is not moved, nothing. */
static void
test_lattice_affine (void)
{
  static const int sizes[][3] = { { 1, 2, 3 }, { 5, 4, 1 } };
  const KgTransform map = { { { 1.5, 0.25, 0, 1 }, { 0, 0.75, -0.5, 2 }, { 0.25, 0, 1, -3 }, { 0, 0, 0, 1 } } };
  float from[3 * POINTS], to[3 * POINTS];

  fill_random (from, POINTS, -0.5, 1.5);
  for (guint k = 0; k < G_N_ELEMENTS (sizes) * LATTICE_N_BASES; k++) {
    const int *size = sizes[k / LATTICE_N_BASES];
    g_autoptr (KgGeometry) lattice = new_lattice (size[0], size[1], size[2], (LatticeBasis) (k % LATTICE_N_BASES));
    float *p = kg_geometry_edit_positions (lattice);

    deform (lattice, from, to, POINTS, false);
    g_assert_cmpmem (from, sizeof from, to, sizeof to);
    for (size_t i = 0; i < kg_geometry_get_n_points (lattice); i++, p += 3) {
      const KgVector x = kg_transform_point (map, kg_vector ((double) p[0], (double) p[1], (double) p[2]));

      p[0] = (float) x.x;
      p[1] = (float) x.y;
      p[2] = (float) x.z;
    }
    deform (lattice, from, to, POINTS, false);
    for (size_t i = 0; i < POINTS; i++) {
      const float *f = from + 3 * i, *t = to + 3 * i;
      const KgVector x = kg_transform_point (map, kg_vector ((double) f[0], (double) f[1], (double) f[2]));

      assert_vector_near (x, (double) t[0], (double) t[1], (double) t[2], 2e-5);
    }
    deform (lattice, from, to, POINTS, true);
    for (size_t i = 0; i < POINTS; i++) {
      const float *f = from + 3 * i;
      const bool inside = MIN (f[0], MIN (f[1], f[2])) >= 0 && MAX (f[0], MAX (f[1], f[2])) <= 1;

      g_assert_true (inside != (memcmp (f, to + 3 * i, 3 * sizeof (float)) == 0));
    }
  }
}

static void
test_lattice_errors (void)
{
  g_autoptr (KgGeometry) other = kg_geometry_new (), cut = new_lattice (2, 1, 1, LATTICE_BERNSTEIN);
  g_autoptr (GError) error = NULL;
  Lattice lattice;

  g_assert_false (lattice_read (other, &lattice, &error));
  g_assert_nonnull (strstr (error->message, "not a lattice"));
  g_clear_error (&error);
  kg_geometry_set_n_points (cut, 13, NULL);
  g_assert_false (lattice_read (cut, &lattice, &error));
  g_assert_nonnull (strstr (error->message, "cannot have 13 points"));
}

/* Skins. */

static const KgVector cube[8] = {
  { 0, 0, 0 }, { 2, 0, 0 }, { 0, 1, 0 }, { 2, 1, 0 }, { 0, 0, 3 }, { 2, 0, 3 }, { 0, 1, 3 }, { 2, 1, 3 },
};

static void
assert_transform_near (KgTransform a, KgTransform b, double tolerance)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      assert_near (a.m[i][j], b.m[i][j], tolerance);
}

/* A rigid motion is found, and takes everything along. */
static void
test_skin_rigid (void)
{
  const KgRotation rotation = kg_rotation_from_axis_angle (kg_vector (1, -2, 0.5), 1.2);
  const KgTransform motion = kg_transform_from_parts (kg_vector (5, 6, -7), rotation, kg_vector (1, 1, 1));
  KgVector rest[8], posed[8];
  const SkinSkeleton skeleton = { .n = 8, .rest = rest, .posed = posed };
  float from[3 * POINTS], to[3 * POINTS];
  bool mirrored;

  for (int i = 0; i < 8; i++) {
    rest[i] = cube[i];
    posed[i] = kg_transform_point (motion, cube[i]);
  }
  assert_transform_near (skin_find_rotation (&skeleton, SKIN_ROTATION_BEST, &mirrored), motion, 1e-14);
  g_assert_false (mirrored);
  assert_transform_near (skin_find_rotation (&skeleton, SKIN_ROTATION_REPEATED, &mirrored), motion, 1e-10);
  assert_transform_near (skin_find_rotation (&skeleton, SKIN_ROTATION_NONE, &mirrored), kg_transform_identity (), 0);
  fill_random (from, POINTS, -4, 4);
  for (int k = 0; k < 3; k++) {
    g_autoptr (SkinField) field = skin_field_new (&skeleton, &motion, k + 1, k == 2 ? 100 : 0);

    g_assert_true (skin_field_deform (field, from, to, POINTS, NULL));
    for (size_t i = 0; i < POINTS; i++) {
      const float *f = from + 3 * i, *t = to + 3 * i;
      const KgVector x = kg_transform_point (motion, kg_vector ((double) f[0], (double) f[1], (double) f[2]));

      assert_vector_near (x, (double) t[0], (double) t[1], (double) t[2], 2e-5);
    }
  }
  for (int i = 0; i < 8; i++)
    posed[i].x = -cube[i].x;
  skin_find_rotation (&skeleton, SKIN_ROTATION_BEST, &mirrored);
  g_assert_true (mirrored);
}

/* In the plane the best rotation is the angle of the sum of the complex products. */
static void
test_skin_plane (void)
{
  KgVector rest[] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 2, 0 }, { 0, -2, 0 } };
  KgVector posed[] = { { 0, 1, 0 }, { 0, -1, 0 }, { 0, 2, 0 }, { 0, -2, 0 } };
  const SkinSkeleton skeleton = { .n = 4, .rest = rest, .posed = posed, .flat = true };
  const double angle = atan2 (2, 8);
  bool mirrored;
  const KgTransform turn = skin_find_rotation (&skeleton, SKIN_ROTATION_BEST, &mirrored);

  assert_near (turn.m[0][0], cos (angle), 1e-15);
  assert_near (turn.m[1][0], sin (angle), 1e-15);
  /* Two points turned by 90 degrees and two not at all. */
  assert_near (skin_find_rotation (&skeleton, SKIN_ROTATION_AVERAGE, &mirrored).m[1][0], sqrt (0.5), 1e-15);
}

/* Two points that move on their own: inverse powers of the distance, which end at the radius. */
static void
test_skin_weights (void)
{
  KgVector rest[] = { { 0, 0, 0 }, { 4, 0, 0 } }, posed[] = { { 0, 1, 0 }, { 4, 0, 2 } };
  const SkinSkeleton skeleton = { .n = 2, .rest = rest, .posed = posed };
  const KgTransform identity = kg_transform_identity ();

  for (int power = 1; power <= 4; power++) {
    g_autoptr (SkinField) field = skin_field_new (&skeleton, &identity, power, 0);
    const double a = pow (1, -power), b = pow (3, -power);
    float p[] = { 1, 0, 0, 0, 0, 0, 4, 0, 0 };

    g_assert_true (skin_field_deform (field, p, p, 3, NULL));
    assert_near ((double) p[0], 1, 0);
    assert_near ((double) p[1], a / (a + b), 1e-6);
    assert_near ((double) p[2], 2 * b / (a + b), 1e-6);
    /* What is on a point goes where it goes. */
    assert_vector_near (kg_vector ((double) p[3], (double) p[4], (double) p[5]), 0, 1, 0, 1e-6);
    assert_vector_near (kg_vector ((double) p[6], (double) p[7], (double) p[8]), 4, 0, 2, 1e-6);
  }
  {
    /* Franke and Little: (1 / d - 1 / r)^p.  One is in reach of both, one of the second only, one of neither. */
    g_autoptr (SkinField) field = skin_field_new (&skeleton, &identity, 2, 3.5);
    const double a = pow (1 - 1 / 3.5, 2), b = pow (1.0 / 3 - 1 / 3.5, 2);
    float p[] = { 1, 0, 0, 7, 0, 0, 20, 0, 0 };

    g_assert_true (skin_field_deform (field, p, p, 3, NULL));
    assert_near ((double) p[1], a / (a + b), 1e-6);
    assert_near ((double) p[5], 2, 1e-6);
    assert_vector_near (kg_vector ((double) p[6], (double) p[7], (double) p[8]), 20, 0, 0, 0);
  }
}

static void
test_skin_check (void)
{
  KgVector rest[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 0 } }, posed[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 0 } };
  const SkinSkeleton skeleton = { .n = 3, .rest = rest, .posed = posed };
  g_autoptr (GError) warning = NULL;

  g_assert_true (skin_skeleton_check (&skeleton, &warning));
  posed[2].y = 1;
  g_assert_false (skin_skeleton_check (&skeleton, &warning));
  g_assert_nonnull (strstr (warning->message, "points 0 and 2"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lattice/40-F03-40-F04-weights", test_lattice_weights);
  g_test_add_func ("/lattice/40-F04-affine", test_lattice_affine);
  g_test_add_func ("/lattice/errors", test_lattice_errors);
  g_test_add_func ("/skin/rigid", test_skin_rigid);
  g_test_add_func ("/skin/plane", test_skin_plane);
  g_test_add_func ("/skin/weights", test_skin_weights);
  g_test_add_func ("/skin/check", test_skin_check);
  return g_test_run ();
}

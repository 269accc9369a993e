/* tests/nodes/deform: free-form deformation against catalogue F01 to F05, and morphs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"

#include <omp.h>

static NodeTest
make (const char *divisions)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "box", "divisions", "7", "size", "[1.9, 1.9, 1.9]", NULL);
  node_test_add (&test, "deform/ffd_lattice", "cage", "l", divisions, "m", divisions, "n", divisions, NULL);
  node_test_add (&test, "deform/ffd", "ffd", "geometry", "{\"link\": \"box.geometry\"}", "lattice",
                 "{\"link\": \"cage.lattice\"}", NULL);
  return test;
}

static double
get_largest_difference (NodeTest *test, const char *a, const char *b)
{
  g_auto (KgValue) x = node_test_get (test, a, 0), y = node_test_get (test, b, 0);
  const float *p = kg_geometry_get_positions (x.geometry), *q = kg_geometry_get_positions (y.geometry);
  double largest = 0;

  g_assert_cmpuint (kg_geometry_get_n_points (x.geometry), ==, kg_geometry_get_n_points (y.geometry));
  for (size_t i = 0; i < 3 * kg_geometry_get_n_points (x.geometry); i++)
    largest = fmax (largest, fabs ((double) (p[i] - q[i])));
  return largest;
}

static void
test_identity (void)
{
  static const char *const divisions[] = { "1", "3", "8", "32" };

  for (guint i = 0; i < G_N_ELEMENTS (divisions); i++) {
    NodeTest test = make (divisions[i]);

    g_assert_cmpfloat (get_largest_difference (&test, "ffd.deformed", "box.geometry"), ==, 0);
    node_test_clear (&test);
  }
}

/* An affine motion of all control points is that affine motion of what is inside, in both bases (B-splines within,
 * where the border's repeated points do not reach). */
static void
test_affine (void)
{
  NodeTest test = make ("3");

  node_test_add (&test, "geometry/transform", "moved", "geometry", "{\"link\": \"cage.lattice\"}", "translate",
                 "[0.3, -0.2, 0.1]", "rotate", "[20, -35, 50]", "scale", "[1.2, 0.8, 1.5]", NULL);
  node_test_add (&test, "geometry/transform", "reference", "geometry", "{\"link\": \"box.geometry\"}", "translate",
                 "[0.3, -0.2, 0.1]", "rotate", "[20, -35, 50]", "scale", "[1.2, 0.8, 1.5]", NULL);
  node_test_set (&test, "ffd", "lattice", "{\"link\": \"moved.transformed\"}");
  g_assert_cmpfloat (get_largest_difference (&test, "ffd.deformed", "reference.transformed"), <, 3e-6);
  node_test_clear (&test);
}

/* Moving P(1,1,1) of a 4 × 4 × 4 lattice by d moves the centre by (3/8)³ d = 27/512 d, a point at (1/2, 1/3, 1/4) by
 * the product of its Bernstein polynomials, and a corner not at all. */
static void
test_weights (void)
{
  NodeTest test = make ("3");
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *p;
  const double b_half = 3.0 / 8, b_third = 3 * (1.0 / 3) * (4.0 / 9), b_quarter = 3 * 0.25 * (9.0 / 16);

  node_test_add (&test, "curve/spline", "points", "points", "\"0 0 0\\n0 -0.333333333 -0.5\\n-1 -1 -1\"", "basis",
                 "\"linear\"", NULL);
  node_test_set (&test, "ffd", "geometry", "{\"link\": \"points.geometry\"}");
  node_test_set (&test, "cage", "moves", "\"1 1 1 0 0 1.024\"");
  value = node_test_get (&test, "ffd.deformed", 0);
  p = kg_geometry_get_positions (value.geometry);
  assert_near ((double) p[2], 1.024 * 27 / 512, 1e-6);
  assert_near ((double) p[5], -0.5 + 1.024 * b_half * b_third * b_quarter, 1e-6);
  assert_near ((double) p[8], -1, 0);
  node_test_clear (&test);
}

static double
get_bernstein (int i, int degree, double x)
{
  double b = 1;

  for (int k = 1; k <= degree; k++)
    b *= k <= i ? x * (degree - i + k) / k : 1 - x;
  return b;
}

/* All control points moved, different numbers of them in the three directions, degrees below and above those that are
 * evaluated in powers: every point moves by the sum of Sederberg and Parry's equation 2 in doubles. */
static void
test_sum (void)
{
  static const int sizes[][3] = { { 1, 2, 3 }, { 3, 3, 3 }, { 3, 1, 2 }, { 2, 4, 1 }, { 5, 3, 2 } };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    const int *d = sizes[s];
    NodeTest test = make ("3");
    g_autoptr (GString) moves = g_string_new ("\"");
    g_auto (KgValue) rest = KG_VALUE_INIT, deformed = KG_VALUE_INIT;
    const float *p, *q;

    for (guint axis = 0; axis < 3; axis++) {
      const char *const names[] = { "l", "m", "n" };
      g_autofree char *number = g_strdup_printf ("%d", d[axis]);

      node_test_set (&test, "cage", names[axis], number);
    }
    for (int i = 0; i <= d[0]; i++)
      for (int j = 0; j <= d[1]; j++)
        for (int k = 0; k <= d[2]; k++)
          g_string_append_printf (moves, "%d %d %d %.9f %.9f %.9f\\n", i, j, k, 0.5 * sin (i + 2 * j + 5 * k),
                                  0.5 * cos (3 * i - j + k), 0.5 * sin (i * j - 2 * k));
    g_string_append (moves, "\"");
    node_test_set (&test, "cage", "moves", moves->str);
    rest = node_test_get (&test, "box.geometry", 0);
    deformed = node_test_get (&test, "ffd.deformed", 0);
    p = kg_geometry_get_positions (rest.geometry);
    q = kg_geometry_get_positions (deformed.geometry);
    for (size_t n = 0; n < kg_geometry_get_n_points (rest.geometry); n++) {
      double sum[3] = { 0, 0, 0 };

      for (int i = 0; i <= d[0]; i++)
        for (int j = 0; j <= d[1]; j++)
          for (int k = 0; k <= d[2]; k++) {
            /* The frame reaches from -1 to 1. */
            const double w = get_bernstein (i, d[0], 0.5 * ((double) p[3 * n] + 1)) *
                             get_bernstein (j, d[1], 0.5 * ((double) p[3 * n + 1] + 1)) *
                             get_bernstein (k, d[2], 0.5 * ((double) p[3 * n + 2] + 1));

            sum[0] += w * 0.5 * sin (i + 2 * j + 5 * k);
            sum[1] += w * 0.5 * cos (3 * i - j + k);
            sum[2] += w * 0.5 * sin (i * j - 2 * k);
          }
      /* A few roundings of floats. */
      for (size_t c = 0; c < 3; c++)
        assert_near ((double) q[3 * n + c], (double) p[3 * n + c] + sum[c], 1e-6);
    }
    node_test_clear (&test);
  }
}

static void
test_region (void)
{
  NodeTest test = make ("3");
  g_auto (KgValue) inside = KG_VALUE_INIT, all = KG_VALUE_INIT;

  node_test_set (&test, "box", "size", "[6, 1, 1]");
  node_test_set (&test, "cage", "shift", "[0, 0, 1]");
  inside = node_test_get (&test, "ffd.deformed", 0);
  node_test_set (&test, "ffd", "region", "\"all\"");
  all = node_test_get (&test, "ffd.deformed", 0);
  /* A point at x = -3 is outside: its bits stay in one case. */
  g_assert_cmpfloat (kg_geometry_get_positions (inside.geometry)[2], ==, -0.5f);
  g_assert_cmpfloat (kg_geometry_get_positions (all.geometry)[2], !=, -0.5f);
  node_test_clear (&test);
}

static void
test_threads (void)
{
  NodeTest test = make ("4");
  g_auto (KgValue) one = KG_VALUE_INIT;

  node_test_set (&test, "box", "divisions", "60");
  node_test_set (&test, "cage", "twist", "90");
  omp_set_num_threads (1);
  one = node_test_get (&test, "ffd.deformed", 0);
  for (int n = 2; n <= 8; n++) {
    NodeTest again = make ("4");
    g_auto (KgValue) many = KG_VALUE_INIT;

    node_test_set (&again, "box", "divisions", "60");
    node_test_set (&again, "cage", "twist", "90");
    omp_set_num_threads (n);
    many = node_test_get (&again, "ffd.deformed", 0);
    g_assert_true (kg_value_equal (&one, &many));
    node_test_clear (&again);
  }
  omp_set_num_threads (2);
  node_test_clear (&test);
}

static void
test_bad_lattice (void)
{
  NodeTest test = make ("3");

  node_test_set (&test, "ffd", "lattice", "{\"link\": \"box.geometry\"}");
  node_test_fails (&test, "ffd.deformed", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "cage", "u", "[0, 0, 0]");
  node_test_fails (&test, "cage.lattice", KG_ERROR_DEGENERATE);
  node_test_set (&test, "cage", "u", "[0, 0, 2]");
  node_test_set (&test, "cage", "moves", "\"4 0 0 1 0 0\"");
  node_test_fails (&test, "cage.lattice", KG_ERROR_INVALID_VALUE);
  node_test_clear (&test);
}

/* Positions so far from a lattice so small that they are no numbers in it. */
static void
test_out_of_numbers (void)
{
  static const char *const bases[] = { "\"bernstein\"", "\"b-spline\"", "\"catmull-rom\"", "\"linear\"" };
  NodeTest test = make ("3");

  node_test_add (&test, "geometry/polygon", "far", "points",
                 "[[1e30, -1e30, 0, 0], [0.5, 0.5, 0.5, 0], [0.2, 0.3, 0.1, 0]]", NULL);
  node_test_set (&test, "ffd", "geometry", "{\"link\": \"far.geometry\"}");
  node_test_set (&test, "ffd", "region", "\"all\"");
  node_test_set (&test, "cage", "s", "[1e-9, 1e-9, 0]");
  node_test_set (&test, "cage", "t", "[-1e-9, 1e-9, 0]");
  node_test_set (&test, "cage", "u", "[0, 0, 1e-9]");
  for (guint i = 0; i < G_N_ELEMENTS (bases); i++) {
    node_test_set (&test, "cage", "basis", bases[i]);
    node_test_fails_saying (&test, "ffd.deformed", 0, "finite");
  }
  node_test_clear (&test);
}

/* Single points. */

/* Keys of an offset on one control point are the same deformation as the row of "moves" that says it, at a key and
 * between two; without an offset nothing changes. */
static void
test_keyed_point (void)
{
  NodeTest test = make ("3");

  node_test_add (
      &test, "deform/move_points", "point", "geometry", "{\"link\": \"cage.lattice\"}", "which", "\"lattice\"", "i",
      "1", "j", "3", "k", "2", "offset",
      "{\"keys\": [{\"frame\": 1, \"value\": [0, 0, 0], \"interpolation\": \"linear\"}, [25, [0.5, -1, 0.25]]]}", NULL);
  node_test_add (&test, "deform/ffd", "keyed", "geometry", "{\"link\": \"box.geometry\"}", "lattice",
                 "{\"link\": \"point.moved\"}", NULL);
  for (int quarter = 0; quarter <= 4; quarter++) {
    const double u = 0.25 * quarter;
    g_autofree char *moves = g_strdup_printf ("\"1 3 2 %g %g %g\"", 0.5 * u, -u, 0.25 * u);
    g_auto (KgValue) keyed = node_test_get (&test, "keyed.deformed", u), typed = KG_VALUE_INIT;

    node_test_set (&test, "cage", "moves", moves);
    typed = node_test_get (&test, "ffd.deformed", 0);
    node_test_set (&test, "cage", "moves", "\"\"");
    g_assert_true (kg_geometry_equal (keyed.geometry, typed.geometry));
  }
  node_test_clear (&test);
}

static float
get_difference (NodeTest *test, int point, int axis)
{
  g_auto (KgValue) before = node_test_get (test, "cage.lattice", 0), after = node_test_get (test, "point.moved", 0);
  const int at = 3 * point + axis;

  return kg_geometry_get_positions (after.geometry)[at] - kg_geometry_get_positions (before.geometry)[at];
}

/* -1 takes a row, a plane, everything; the numbers of points count k fastest.  Of the others none moves. */
static void
test_rows_of_points (void)
{
  static const int wanted[][4] = { { 1, 2, 3, 1 }, { -1, 2, 3, 4 }, { -1, 0, -1, 16 }, { -1, -1, -1, 64 } };
  NodeTest test = make ("3");

  node_test_add (&test, "deform/move_points", "point", "geometry", "{\"link\": \"cage.lattice\"}", "which",
                 "\"lattice\"", "offset", "[0, 2, 0]", NULL);
  for (guint w = 0; w < G_N_ELEMENTS (wanted); w++) {
    g_auto (KgValue) cage = KG_VALUE_INIT;
    const float *p;
    double middle[3] = { 0 };
    KgVector start;
    int n = 0;

    node_test_set_number (&test, "point", "i", wanted[w][0]);
    node_test_set_number (&test, "point", "j", wanted[w][1]);
    node_test_set_number (&test, "point", "k", wanted[w][2]);
    cage = node_test_get (&test, "cage.lattice", 0);
    p = kg_geometry_get_positions (cage.geometry);
    for (int point = 0; point < 64; point++) {
      const int at[] = { point / 16, point / 4 % 4, point % 4 };
      bool moves = true;

      for (int axis = 0; axis < 3; axis++)
        moves = moves && (wanted[w][axis] < 0 || wanted[w][axis] == at[axis]);
      assert_near ((double) get_difference (&test, point, 1), moves ? 2 : 0, 1e-6);
      assert_near ((double) get_difference (&test, point, 0), 0, 0);
      n += moves;
      for (int axis = 0; axis < 3; axis++)
        middle[axis] += moves ? (double) p[3 * point + axis] : 0;
    }
    start = node_test_vector (&test, "point.start", 0);
    assert_near (start.x, middle[0] / n, 1e-12);
    assert_near (start.y, middle[1] / n, 1e-12);
    assert_near (start.z, middle[2] / n, 1e-12);
    g_assert_cmpint (n, ==, wanted[w][3]);
    assert_near (node_test_number (&test, "point.count", 0), n, 0);
  }
  node_test_clear (&test);
}

/* By number and by group, on top of each other; to a place; normals follow. */
static void
test_points_by_name (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *p, *normals;

  node_test_add (&test, "geometry/grid", "grid", "columns", "1", "rows", "1", "size", "[2, 2, 0]", NULL);
  node_test_add (&test, "geometry/attribute", "shaded", "geometry", "{\"link\": \"grid.geometry\"}", "name", "\"N\"",
                 "kind", "\"vector\"", "vector", "[0, 0, 1]", NULL);
  node_test_add (&test, "geometry/group", "named", "geometry", "{\"link\": \"shaded.set\"}", "name", "\"right\"",
                 "first", "1", "step", "2", NULL);
  node_test_add (&test, "deform/move_points", "right", "geometry", "{\"link\": \"named.grouped\"}", "which",
                 "\"group\"", "group", "\"right\"", "offset", "[0, 0, 2]", NULL);
  node_test_add (&test, "deform/move_points", "last", "geometry", "{\"link\": \"right.moved\"}", "point", "3", "offset",
                 "[0.5, 0, 1]", NULL);
  node_test_add (&test, "deform/move_points", "first", "geometry", "{\"link\": \"last.moved\"}", "point", "0", "how",
                 "\"to\"", "place", "[-3, -4, 5]", NULL);
  {
    g_auto (KgValue) before = node_test_get (&test, "grid.geometry", 0);
    const float *q = kg_geometry_get_positions (before.geometry);
    const double expected[] = {
      -3, -4, 5, (double) q[3], (double) q[4], 2, (double) q[6], (double) q[7], 0, (double) q[9] + 0.5, (double) q[10],
      3
    };

    value = node_test_get (&test, "first.moved", 0);
    p = kg_geometry_get_positions (value.geometry);
    for (guint i = 0; i < 12; i++)
      assert_near ((double) p[i], expected[i], 1e-6);
  }
  assert_near (node_test_number (&test, "right.count", 0), 2, 0);
  kg_value_clear (&value);
  /* A square that is raised by its width along one side leans over by 45 degrees. */
  value = node_test_get (&test, "right.moved", 0);
  normals = kg_geometry_get_float (value.geometry, KG_POINTS, "N", 3);
  g_assert_nonnull (normals);
  for (guint i = 0; i < 4; i++)
    assert_near (fabs ((double) normals[3 * i + 2]), sqrt (0.5), 1e-6);
  node_test_clear (&test);
}

static void
test_bad_points (void)
{
  NodeTest test = make ("3");

  node_test_add (&test, "deform/move_points", "point", "geometry", "{\"link\": \"cage.lattice\"}", "point", "64", NULL);
  node_test_fails_saying (&test, "point.moved", 0, "point 64 does not exist: use whole numbers from 0 to 63");
  node_test_set (&test, "point", "which", "\"lattice\"");
  node_test_set (&test, "point", "k", "4");
  node_test_fails_saying (&test, "point.moved", 0,
                          "k is 4, but the lattice has 3 divisions in that direction: use 0 to 3, or -1");
  node_test_set (&test, "point", "geometry", "{\"link\": \"box.geometry\"}");
  node_test_fails_saying (&test, "point.moved", 0, "this geometry is not a lattice");
  node_test_set (&test, "point", "which", "\"group\"");
  node_test_fails_saying (&test, "point.moved", 0, "the point group \"group\" is missing");
  node_test_add (&test, "geometry/merge", "nothing", NULL);
  node_test_set (&test, "point", "which", "\"number\"");
  node_test_set (&test, "point", "geometry", "{\"link\": \"nothing.geometry\"}");
  node_test_fails_saying (&test, "point.moved", 0, "the geometry has no points to move");
  node_test_clear (&test);
}

/* Morphing geometry. */

static void
test_morph (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *p;

  node_test_add (&test, "geometry/grid", "a", "columns", "2", "rows", "1", NULL);
  node_test_add (&test, "geometry/transform", "b", "geometry", "{\"link\": \"a.geometry\"}", "translate", "[0, 0, 4]",
                 NULL);
  node_test_add (&test, "geometry/transform", "c", "geometry", "{\"link\": \"a.geometry\"}", "translate", "[0, 0, -8]",
                 NULL);
  node_test_add (&test, "morph/geometry", "m", "shapes",
                 "[{\"link\": \"a.geometry\"}, {\"link\": \"b.transformed\"}, {\"link\": \"c.transformed\"}]", "amount",
                 "0.25", NULL);
  value = node_test_get (&test, "m.geometry", 0);
  p = kg_geometry_get_positions (value.geometry);
  g_assert_cmpfloat (p[2], ==, 1);
  kg_value_clear (&value);
  node_test_set (&test, "m", "amount", "1.5");
  value = node_test_get (&test, "m.geometry", 0);
  g_assert_cmpfloat (kg_geometry_get_positions (value.geometry)[2], ==, -2);
  kg_value_clear (&value);
  node_test_set (&test, "m", "weights", "\"0.5\\n0.125\"");
  value = node_test_get (&test, "m.geometry", 0);
  g_assert_cmpfloat (kg_geometry_get_positions (value.geometry)[2], ==, 1);
  node_test_set (&test, "m", "weights", "\"0.5\"");
  node_test_fails (&test, "m.geometry", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "m", "weights", "\"\"");
  node_test_set (&test, "m", "match", "\"id\"");
  node_test_fails (&test, "m.geometry", KG_ERROR_UNKNOWN_NAME);
  node_test_clear (&test);
}

/* The closest point, against trying all. */
static void
test_closest (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) a = KG_VALUE_INIT, b = KG_VALUE_INIT, m = KG_VALUE_INIT;
  const float *p, *q, *r;

  node_test_add (&test, "geometry/sphere", "a", "segments", "13", "rings", "9", NULL);
  node_test_add (&test, "geometry/box", "b", "divisions", "5", "size", "[3, 1, 0.5]", "center", "[0.4, 0.1, 0.2]",
                 NULL);
  node_test_add (&test, "morph/geometry", "m", "shapes", "[{\"link\": \"a.geometry\"}, {\"link\": \"b.geometry\"}]",
                 "amount", "1", "match", "\"closest\"", NULL);
  a = node_test_get (&test, "a.geometry", 0);
  b = node_test_get (&test, "b.geometry", 0);
  m = node_test_get (&test, "m.geometry", 0);
  p = kg_geometry_get_positions (a.geometry);
  q = kg_geometry_get_positions (b.geometry);
  r = kg_geometry_get_positions (m.geometry);
  for (size_t i = 0; i < kg_geometry_get_n_points (a.geometry); i++) {
    float best = INFINITY, moved = 0;

    for (size_t k = 0; k < kg_geometry_get_n_points (b.geometry); k++) {
      float d = 0;

      for (size_t c = 0; c < 3; c++)
        d += (p[3 * i + c] - q[3 * k + c]) * (p[3 * i + c] - q[3 * k + c]);
      best = MIN (best, d);
    }
    for (size_t c = 0; c < 3; c++)
      moved += (p[3 * i + c] - r[3 * i + c]) * (p[3 * i + c] - r[3 * i + c]);
    assert_near ((double) moved, (double) best, 1e-5);
  }
  node_test_clear (&test);
}

/* Morphing images: ends are the images themselves; without lines a dissolve; one pair of equal lines moves nothing; a
 * pair that is moved moves the image with it. */
static void
test_morph_image (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) a = KG_VALUE_INIT, b = KG_VALUE_INIT, m = KG_VALUE_INIT, moved = KG_VALUE_INIT;

  node_test_add (&test, "geometry/circle", "disc", "radius", "0.3", NULL);
  node_test_add (&test, "render/draw", "a", "geometries", "[{\"link\": \"disc.geometry\"}]", "view_height", "2",
                 "width", "64", "height", "64", NULL);
  node_test_add (&test, "image/constant", "b", "width", "64", "height", "64", "color", "[0.5, 0, 0, 1]", NULL);
  node_test_add (&test, "morph/image", "m", "from", "{\"link\": \"a.image\"}", "to", "{\"link\": \"b.image\"}", NULL);
  a = node_test_get (&test, "a.image", 0);
  b = node_test_get (&test, "b.image", 0);
  m = node_test_get (&test, "m.image", 0);
  g_assert_true (kg_value_equal (&a, &m));
  kg_value_clear (&m);
  node_test_set (&test, "m", "amount", "1");
  m = node_test_get (&test, "m.image", 0);
  g_assert_true (kg_value_equal (&b, &m));
  kg_value_clear (&m);
  node_test_set (&test, "m", "amount", "0.25");
  m = node_test_get (&test, "m.image", 0);
  assert_near ((double) kg_image_get_pixels (m.image)[0], 0.25 * 0.5, 1e-6);
  kg_value_clear (&m);
  /* Both images are the same, its line moved by a quarter of the height: at the end the disc is there. */
  node_test_add (&test, "geometry/line", "l", NULL);
  node_test_add (&test, "geometry/line", "k", "start", "[-1, 0.5, 0]", "end", "[1, 0.5, 0]", NULL);
  node_test_set (&test, "m", "to", "{\"link\": \"a.image\"}");
  node_test_set (&test, "m", "from_lines", "{\"link\": \"l.geometry\"}");
  node_test_set (&test, "m", "to_lines", "{\"link\": \"k.geometry\"}");
  node_test_set (&test, "m", "amount", "1");
  node_test_set (&test, "m", "dissolve", "0");
  moved = node_test_get (&test, "m.image", 0);
  for (int y = 16; y < 48; y++)
    for (int x = 0; x < 64; x++)
      assert_near ((double) kg_image_get_pixels (moved.image)[4 * ((y - 16) * 64 + x)],
                   (double) kg_image_get_pixels (a.image)[4 * (y * 64 + x)], 1e-4);
  node_test_set (&test, "m", "to_lines", "{\"link\": \"disc.geometry\"}");
  node_test_fails (&test, "m.image", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "k", "end", "[-1, 0.5, 0]");
  node_test_set (&test, "m", "to_lines", "{\"link\": \"k.geometry\"}");
  node_test_fails_saying (&test, "m.image", 0,
                          "line 0 of primitive 0 has zero length, at (-1, 0.5): move one of its ends");
  node_test_clear (&test);
}

/* Pairs of lines in a table are those of geometry, bit by bit; what is blank of the second is as the first. */
static void
test_morph_image_rows (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) linked = KG_VALUE_INIT, typed = KG_VALUE_INIT, still = KG_VALUE_INIT, a = KG_VALUE_INIT;

  node_test_add (&test, "geometry/circle", "disc", "radius", "0.3", NULL);
  node_test_add (&test, "render/draw", "a", "geometries", "[{\"link\": \"disc.geometry\"}]", "view_height", "2",
                 "width", "64", "height", "48", NULL);
  node_test_add (&test, "image/constant", "b", "width", "64", "height", "48", "color", "[0.5, 0, 0, 1]", NULL);
  node_test_add (&test, "geometry/line", "l", "start", "[-1, 0, 0]", "end", "[1, 0, 0]", NULL);
  node_test_add (&test, "geometry/line", "k", "start", "[-1, 0.5, 0]", "end", "[1, 0.25, 0]", NULL);
  node_test_add (&test, "morph/image", "m", "from", "{\"link\": \"a.image\"}", "to", "{\"link\": \"b.image\"}",
                 "amount", "0.5", "from_lines", "{\"link\": \"l.geometry\"}", "to_lines", "{\"link\": \"k.geometry\"}",
                 NULL);
  node_test_add (&test, "morph/image", "t", "from", "{\"link\": \"a.image\"}", "to", "{\"link\": \"b.image\"}",
                 "amount", "0.5", "lines", "[[-1, 0, 1, 0, -1, 0.5, 1, 0.25]]", NULL);
  linked = node_test_get (&test, "m.image", 0);
  typed = node_test_get (&test, "t.image", 0);
  g_assert_true (kg_value_equal (&linked, &typed));
  /* Lines that stay where they are bend nothing. */
  node_test_set (&test, "t", "lines", "[[-1, 0, 1, 0], [0, -0.5, 0, 0.5]]");
  node_test_set (&test, "t", "dissolve", "0");
  still = node_test_get (&test, "t.image", 0);
  a = node_test_get (&test, "a.image", 0);
  for (int i = 0; i < 64 * 48 * 4; i++)
    assert_near ((double) kg_image_get_pixels (still.image)[i], (double) kg_image_get_pixels (a.image)[i], 1e-4);
  node_test_warns (&test, "t.image", "lines 0 and 1 of the first image cross");
  node_test_set (&test, "t", "lines", "[[-1, 0, 1, 0, 0, 0, 0, 0]]");
  node_test_warns (&test, "t.image", "row 1: a line without a length is left out");
  node_test_set (&test, "t", "lines", "[]");
  {
    g_auto (KgValue) none = node_test_get (&test, "t.image", 0);

    g_assert_true (kg_value_equal (&none, &a));
  }
  node_test_clear (&test);
}

/* A quarter of a turn: the middle line is an arc about a point on the side that it leans to, and cross-sections stand
 * on it, so that the near side is that much nearer to this point and the far side farther away. */
static void
test_bend (void)
{
  NodeTest test = node_test_new ();
  const double radius = 2 / (0.5 * KG_PI);

  node_test_add (&test, "deform/ffd_lattice", "cage", "l", "2", "m", "4", "n", "1", "bend", "90", NULL);
  {
    g_auto (KgValue) cage = node_test_get (&test, "cage.lattice", 0);
    const float *p = kg_geometry_get_positions (cage.geometry);

    for (int i = 0; i <= 2; i++)
      for (int j = 0; j <= 4; j++)
        for (int k = 0; k <= 1; k++, p += 3) {
          const double x = (double) p[0] - radius, y = (double) p[1] + 1;

          assert_near (hypot (x, y), fabs (radius - (i - 1)), 1e-6);
          assert_near (atan2 (y, -x), 0.5 * KG_PI * j / 4, 1e-6);
          assert_near ((double) p[2], 2 * k - 1, 1e-6);
        }
  }
  node_test_clear (&test);
}

/* 70-34: one corner of a box is pulled: the corner of a box just as large follows it, and the centre by the weight that it has there.
 * Without movement nothing changes, also not for a seam. */
static void
test_cage (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "cage", NULL);
  node_test_add (&test, "deform/move_points", "pulled", "geometry", "{\"link\": \"cage.geometry\"}", "point", "6",
                 NULL);
  node_test_add (&test, "geometry/box", "box", "size", "[0.5, 0.5, 0.5]", NULL);
  node_test_add (&test, "deform/cage", "d", "geometry", "{\"link\": \"box.geometry\"}", "rest",
                 "{\"link\": \"cage.geometry\"}", "posed", "{\"link\": \"pulled.moved\"}", NULL);
  g_assert_cmpfloat (get_largest_difference (&test, "d.deformed", "box.geometry"), ==, 0);
  /* The whole cage, sheared and moved. */
  node_test_add (&test, "geometry/transform", "sheared", "geometry", "{\"link\": \"cage.geometry\"}", "translate",
                 "[3, -2, 1]", "rotate", "[20, 30, 40]", "scale", "[2, 1, 0.5]", NULL);
  node_test_add (&test, "geometry/transform", "with", "geometry", "{\"link\": \"box.geometry\"}", "translate",
                 "[3, -2, 1]", "rotate", "[20, 30, 40]", "scale", "[2, 1, 0.5]", NULL);
  node_test_set (&test, "d", "posed", "{\"link\": \"sheared.transformed\"}");
  g_assert_cmpfloat (get_largest_difference (&test, "d.deformed", "with.transformed"), <, 1e-6);
  node_test_set (&test, "d", "region", "\"inside\"");
  g_assert_cmpfloat (get_largest_difference (&test, "d.deformed", "with.transformed"), <, 1e-6);
  /* Outside of the cage, nothing moves. */
  node_test_set (&test, "box", "size", "[3, 3, 3]");
  g_assert_cmpfloat (get_largest_difference (&test, "d.deformed", "box.geometry"), ==, 0);
  /* On the corner that is pulled, and on the others. */
  node_test_set (&test, "box", "size", "[1, 1, 1]");
  node_test_set (&test, "pulled", "offset", "[0.25, 0.5, 1]");
  node_test_set (&test, "d", "posed", "{\"link\": \"pulled.moved\"}");
  g_assert_cmpfloat (get_largest_difference (&test, "d.deformed", "pulled.moved"), <, 1e-6);
  node_test_clear (&test);
}

static void
test_bad_cage (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "geometry/box", "cage", NULL);
  node_test_add (&test, "geometry/sphere", "other", NULL);
  node_test_add (&test, "geometry/grid", "open", NULL);
  node_test_add (&test, "deform/cage", "d", NULL);
  node_test_fails (&test, "d.deformed", KG_ERROR_NOT_CONNECTED);
  node_test_set (&test, "d", "geometry", "{\"link\": \"cage.geometry\"}");
  node_test_set (&test, "d", "rest", "{\"link\": \"cage.geometry\"}");
  node_test_set (&test, "d", "posed", "{\"link\": \"other.geometry\"}");
  node_test_fails_saying (&test, "d.deformed", 0, "link the same mesh");
  node_test_set (&test, "d", "rest", "{\"link\": \"open.geometry\"}");
  node_test_set (&test, "d", "posed", "{\"link\": \"open.geometry\"}");
  node_test_fails_saying (&test, "d.deformed", 0, "close it");
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ffd/identity", test_identity);
  g_test_add_func ("/ffd/affine", test_affine);
  g_test_add_func ("/ffd/bend", test_bend);
  g_test_add_func ("/ffd/weights", test_weights);
  g_test_add_func ("/ffd/sum", test_sum);
  g_test_add_func ("/ffd/region", test_region);
  g_test_add_func ("/ffd/threads", test_threads);
  g_test_add_func ("/ffd/bad", test_bad_lattice);
  g_test_add_func ("/deform/F04-out-of-numbers", test_out_of_numbers);
  g_test_add_func ("/move-points/keyed", test_keyed_point);
  g_test_add_func ("/move-points/rows", test_rows_of_points);
  g_test_add_func ("/move-points/names", test_points_by_name);
  g_test_add_func ("/move-points/bad", test_bad_points);
  g_test_add_func ("/deform/cage/70-34", test_cage);
  g_test_add_func ("/deform/cage/70-34-bad", test_bad_cage);
  g_test_add_func ("/morph/geometry", test_morph);
  g_test_add_func ("/morph/closest", test_closest);
  g_test_add_func ("/morph/image", test_morph_image);
  g_test_add_func ("/morph/image-rows", test_morph_image_rows);
  return g_test_run ();
}

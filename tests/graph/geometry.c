/* tests/graph/geometry: appending, copying, keeping and transforming against what they are made of.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-geometry.h"

/* The four corners of the unit square, with a polygon over them, a polyline over two, colours and texts. */
static KgGeometry *
make_square (void)
{
  static const float corners[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
  static const uint32_t polygon[] = { 0, 1, 2, 3 }, line[] = { 1, 3 };
  g_autoptr (GError) error = NULL;
  KgGeometry *square = kg_geometry_new ();
  float *normals, *width;

  kg_geometry_set_n_points (square, 4, &error);
  g_assert_no_error (error);
  memcpy (kg_geometry_edit_positions (square), corners, sizeof corners);
  kg_geometry_add_primitives (square, KG_POLYGON, true, 1, 4, polygon);
  kg_geometry_add_primitives (square, KG_POLYLINE, false, 1, 2, line);
  normals = kg_geometry_edit_float (square, KG_POINTS, "N", 3);
  width = kg_geometry_edit_float (square, KG_POINTS, "width", 1);
  for (int i = 0; i < 4; i++) {
    normals[3 * i + 2] = 1;
    width[i] = (float) i;
  }
  kg_geometry_edit_int (square, KG_PRIMITIVES, "part", 1)[1] = 7;
  kg_geometry_set_text (square, KG_POINTS, "label", 2, "corner");
  kg_geometry_set_text (square, KG_WHOLE, "title", 0, "square");
  return square;
}

/* A B-spline with knots and weights of its own, and a spline through its points with all that may be chosen. */
static KgGeometry *
make_spline (void)
{
  static const double knots[] = { 0, 0, 0, 1, 2, 2, 2 };
  static const double weights[] = { 1, 0.1, 1, 3 };
  static const uint32_t vertices[] = { 3, 2, 1, 0 };
  const KgPrimitive primitive = { .kind = KG_SPLINE,
                                  .basis = KG_BASIS_BSPLINE,
                                  .order = 3,
                                  .n_vertices = 4,
                                  .vertices = vertices,
                                  .n_knots = G_N_ELEMENTS (knots),
                                  .knots = knots,
                                  .weights = weights };
  const KgPrimitive through = { .kind = KG_SPLINE,
                                .basis = KG_BASIS_CUBIC_SPLINE,
                                .n_vertices = 3,
                                .vertices = vertices,
                                .rule = { KG_END_PHANTOM, KG_SPACING_CENTRIPETAL, true, true } };
  KgGeometry *spline = kg_geometry_new ();

  kg_geometry_set_n_points (spline, 4, NULL);
  kg_geometry_add_primitive (spline, &primitive);
  kg_geometry_add_primitive (spline, &through);
  return spline;
}

static void
append (KgGeometry *geometry, const KgGeometry *other)
{
  g_autoptr (GError) error = NULL;

  kg_geometry_append (geometry, other, &error);
  g_assert_no_error (error);
}

static void
test_append (void)
{
  g_autoptr (KgGeometry) all = make_square (), square = make_square (), spline = make_spline ();
  KgPrimitive primitive;
  float *color;

  color = kg_geometry_edit_float (all, KG_POINTS, "Cd", 4);
  memset (color, 0, 16 * sizeof (float));
  kg_geometry_set_text (all, KG_WHOLE, "title", 0, "first");
  append (all, square);
  append (all, spline);
  g_assert_cmpuint (kg_geometry_get_n_points (all), ==, 12);
  g_assert_cmpuint (kg_geometry_get_n_primitives (all), ==, 6);
  g_assert_cmpuint (kg_geometry_get_n_vertices (all), ==, 6 + 6 + 4 + 3);
  kg_geometry_get_primitive (all, 3, &primitive);
  g_assert_cmpint (primitive.kind, ==, KG_POLYLINE);
  g_assert_false (primitive.closed);
  g_assert_cmpuint (primitive.vertices[0], ==, 5);
  g_assert_cmpuint (primitive.vertices[1], ==, 7);
  kg_geometry_get_primitive (all, 4, &primitive);
  g_assert_cmpuint (primitive.n_knots, ==, 7);
  g_assert_cmpfloat (primitive.knots[4], ==, 2);
  g_assert_cmpfloat (primitive.weights[1], ==, 0.1);
  g_assert_cmpfloat (primitive.weights[3], ==, 3);
  g_assert_cmpuint (primitive.vertices[0], ==, 11);
  kg_geometry_get_primitive (all, 5, &primitive);
  g_assert_cmpint (primitive.basis, ==, KG_BASIS_CUBIC_SPLINE);
  g_assert_cmpint (primitive.rule.end, ==, KG_END_PHANTOM);
  g_assert_cmpint (primitive.rule.spacing, ==, KG_SPACING_CENTRIPETAL);
  g_assert_true (primitive.rule.bisector && primitive.rule.relative_lengths);
  g_assert_null (primitive.weights);
  g_assert_null (primitive.knots);
  kg_geometry_get_primitive (all, 0, &primitive);
  g_assert_null (primitive.weights);
  /* Colours that are missing are white, everything else zero; of the whole, the first wins. */
  g_assert_cmpfloat ((double) kg_geometry_get_float (all, KG_POINTS, "Cd", 4)[15], ==, 0);
  g_assert_cmpfloat ((double) kg_geometry_get_float (all, KG_POINTS, "Cd", 4)[16], ==, 1);
  g_assert_cmpfloat ((double) kg_geometry_get_float (all, KG_POINTS, "Cd", 4)[47], ==, 1);
  g_assert_cmpfloat ((double) kg_geometry_get_float (all, KG_POINTS, "width", 1)[7], ==, 3);
  g_assert_cmpfloat ((double) kg_geometry_get_float (all, KG_POINTS, "width", 1)[11], ==, 0);
  g_assert_cmpint (kg_geometry_get_int (all, KG_PRIMITIVES, "part", 1)[3], ==, 7);
  g_assert_cmpstr (kg_geometry_get_text (all, KG_POINTS, "label", 6), ==, "corner");
  g_assert_null (kg_geometry_get_text (all, KG_POINTS, "label", 10));
  g_assert_cmpstr (kg_geometry_get_text (all, KG_WHOLE, "title", 0), ==, "first");
}

/* n copies are what appending n times gives, with knots and without, and too many are an error. */
static void
test_copies (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgGeometry) source = make_square (), spline = make_spline (), none = NULL;

  append (source, spline);
  for (size_t n = 1; n <= 1000; n *= 10) {
    g_autoptr (KgGeometry) copies = kg_geometry_new_copies (source, n, &error), appended = kg_geometry_new ();

    g_assert_no_error (error);
    for (size_t i = 0; i < n; i++)
      append (appended, source);
    g_assert_true (kg_geometry_equal (copies, appended));
    /* And they can be worked on like any other. */
    append (copies, source);
    append (appended, source);
    g_assert_true (kg_geometry_equal (copies, appended));
  }
  none = kg_geometry_new_copies (source, 0, &error);
  g_assert_cmpuint (kg_geometry_get_n_points (none), ==, 0);
  g_assert_cmpuint (kg_geometry_get_n_primitives (none), ==, 0);
  g_assert_null (kg_geometry_new_copies (source, KG_GEOMETRY_MAX_POINTS / 4, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
}

/* Points go, primitives that lose one go with them, attributes and indices follow. */
static void
test_keep (void)
{
  static const uint8_t keep[] = { 1, 1, 0, 1, 0, 1, 1, 1 };
  g_autoptr (KgGeometry) two = make_square (), square = make_square (), before = NULL;
  KgPrimitive primitive;

  append (two, square);
  before = kg_geometry_ref (two);
  kg_geometry_make_writable (&two);
  kg_geometry_keep_points (two, keep);
  g_assert_cmpuint (kg_geometry_get_n_points (two), ==, 6);
  /* Both polygons have lost a corner; the lines have not. */
  g_assert_cmpuint (kg_geometry_get_n_primitives (two), ==, 2);
  kg_geometry_get_primitive (two, 0, &primitive);
  g_assert_cmpuint (primitive.vertices[0], ==, 1);
  g_assert_cmpuint (primitive.vertices[1], ==, 2);
  kg_geometry_get_primitive (two, 1, &primitive);
  g_assert_cmpuint (primitive.vertices[0], ==, 3);
  g_assert_cmpuint (primitive.vertices[1], ==, 5);
  g_assert_cmpint (kg_geometry_get_int (two, KG_PRIMITIVES, "part", 1)[1], ==, 7);
  g_assert_cmpfloat ((double) kg_geometry_get_float (two, KG_POINTS, "width", 1)[2], ==, 3);
  g_assert_cmpfloat ((double) kg_geometry_get_float (two, KG_POINTS, "width", 1)[3], ==, 1);
  g_assert_cmpstr (kg_geometry_get_text (two, KG_POINTS, "label", 4), ==, "corner");
  g_assert_null (kg_geometry_get_text (two, KG_POINTS, "label", 2));
  /* Who held it before still has all of it. */
  g_assert_cmpuint (kg_geometry_get_n_points (before), ==, 8);
  g_assert_cmpuint (kg_geometry_get_n_primitives (before), ==, 4);
  g_assert_cmpstr (kg_geometry_get_text (before, KG_POINTS, "label", 6), ==, "corner");
  kg_geometry_keep_points (two, (const uint8_t[6]){ 0 });
  g_assert_cmpuint (kg_geometry_get_n_points (two), ==, 0);
  g_assert_cmpuint (kg_geometry_get_n_primitives (two), ==, 0);
}

/* Places by the whole transform, velocities by its linear part, normals by the inverse transpose, which under a
 * mirror turn round so that they still point outwards. */
/* A copy is its own, whatever becomes of it and of what it was copied from, and is transformed to the same bits. */
static void
test_copy_on_write (void)
{
  const KgTransform t = kg_transform_from_parts (
      kg_vector (0.1, -2, 3), kg_rotation_from_axis_angle (kg_vector (1, 2, 3), 0.7), kg_vector (1.1, 0.3, -2));
  static const char *const names[] = { "P", "v", "N" };
  g_autoptr (KgGeometry) alone = make_square (), copy = NULL, second = NULL, untouched = make_square ();
  KgGeometry *square = make_square ();

  for (guint i = 1; i < 3; i++) {
    memcpy (kg_geometry_edit_float (square, KG_POINTS, names[i], 3), (const float[]){ 1, 2, 3, -4 },
            4 * sizeof (float));
    memcpy (kg_geometry_edit_float (alone, KG_POINTS, names[i], 3), (const float[]){ 1, 2, 3, -4 }, 4 * sizeof (float));
    memcpy (kg_geometry_edit_float (untouched, KG_POINTS, names[i], 3), (const float[]){ 1, 2, 3, -4 },
            4 * sizeof (float));
  }
  copy = kg_geometry_ref (square);
  kg_geometry_make_writable (&copy);
  g_assert_true (copy != square);
  kg_geometry_transform (copy, &t);
  kg_geometry_transform (alone, &t);
  g_assert_true (kg_geometry_equal (square, untouched));
  for (guint i = 0; i < 3; i++)
    g_assert_cmpmem (kg_geometry_get_float (copy, KG_POINTS, names[i], 3), 12 * sizeof (float),
                     kg_geometry_get_float (alone, KG_POINTS, names[i], 3), 12 * sizeof (float));
  second = kg_geometry_ref (copy);
  kg_geometry_make_writable (&second);
  /* What stands in the block of the copy is taken out, and moves when there is more of it. */
  kg_geometry_remove_attribute (second, KG_POINTS, "v");
  for (guint i = 0; i < 5; i++) {
    g_autofree char *name = g_strdup_printf ("a%u", i);

    kg_geometry_edit_float (second, KG_POINTS, name, 1)[3] = (float) i;
  }
  kg_geometry_unref (square);
  g_clear_pointer (&copy, kg_geometry_unref);
  g_assert_cmpuint (kg_geometry_get_n_attributes (second, KG_POINTS), ==,
                    kg_geometry_get_n_attributes (alone, KG_POINTS) + 4);
  g_assert_cmpfloat ((double) kg_geometry_get_float (second, KG_POINTS, "a4", 1)[3], ==, 4);
  for (guint i = 0; i < 3; i += 2)
    g_assert_cmpmem (kg_geometry_get_float (second, KG_POINTS, names[i], 3), 12 * sizeof (float),
                     kg_geometry_get_float (alone, KG_POINTS, names[i], 3), 12 * sizeof (float));
}

static void
test_transform (void)
{
  const KgTransform t = kg_transform_from_parts (
      kg_vector (10, 20, 30), kg_rotation_from_axis_angle (kg_vector (0, 0, 1), KG_PI / 2), kg_vector (2, 4, -1));
  const float slope = (float) M_SQRT1_2;
  g_autoptr (KgGeometry) square = make_square ();
  KgVector low, high;
  float *v, *normals;

  v = kg_geometry_edit_float (square, KG_POINTS, "v", 3);
  v[0] = 1;
  normals = kg_geometry_edit_float (square, KG_POINTS, "N", 3);
  memcpy (normals, (const float[]){ slope, slope, 0 }, 3 * sizeof (float));
  kg_geometry_transform (square, &t);
  g_assert_true (kg_geometry_get_bounds (square, &low, &high));
  g_assert_cmpfloat_with_epsilon (low.x, 6, 1e-5);
  g_assert_cmpfloat_with_epsilon (high.x, 10, 1e-5);
  g_assert_cmpfloat_with_epsilon (low.y, 20, 1e-5);
  g_assert_cmpfloat_with_epsilon (high.y, 22, 1e-5);
  g_assert_cmpfloat_with_epsilon (low.z, 30, 1e-5);
  v = kg_geometry_edit_float (square, KG_POINTS, "v", 3);
  g_assert_cmpfloat_with_epsilon ((double) v[0], 0, 1e-6);
  g_assert_cmpfloat_with_epsilon ((double) v[1], 2, 1e-6);
  normals = kg_geometry_edit_float (square, KG_POINTS, "N", 3);
  /* (1/2, 1/4) turned by a quarter, made unit. */
  g_assert_cmpfloat_with_epsilon ((double) normals[0], -1 / sqrt (5), 1e-6);
  g_assert_cmpfloat_with_epsilon ((double) normals[1], 2 / sqrt (5), 1e-6);
  g_assert_cmpfloat_with_epsilon ((double) normals[3 + 2], -1, 1e-6);
}

static void
test_bounds (void)
{
  g_autoptr (KgGeometry) none = kg_geometry_new ();
  KgVector low = { 1, 1, 1 }, high = { 1, 1, 1 };

  g_assert_false (kg_geometry_get_bounds (none, &low, &high));
  g_assert_cmpfloat (low.x, ==, 0);
  g_assert_cmpfloat (high.z, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/geometry/append", test_append);
  g_test_add_func ("/geometry/copies", test_copies);
  g_test_add_func ("/geometry/keep", test_keep);
  g_test_add_func ("/geometry/copy-on-write", test_copy_on_write);
  g_test_add_func ("/geometry/transform", test_transform);
  g_test_add_func ("/geometry/bounds", test_bounds);
  return g_test_run ();
}

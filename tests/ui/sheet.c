/* tests/ui/sheet: values as tables: cells, order and search.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../comma-locale.h"
#include "kg-sheet.h"

#include <math.h>

static guint
column_of (const KgSheet *sheet, const char *title)
{
  for (guint i = 0; i < kg_sheet_get_n_columns (sheet); i++)
    if (g_str_equal (kg_sheet_get_title (sheet, i), title))
      return i;
  g_test_fail_printf ("no column %s", title);
  return 0;
}

static void
assert_cell (const KgSheet *sheet, gsize row, const char *title, const char *expected)
{
  g_autofree char *text = kg_sheet_dup_text (sheet, row, column_of (sheet, title));

  g_assert_cmpstr (text, ==, expected);
}

static guint32 *
identity (gsize n)
{
  guint32 *rows = g_new (guint32, MAX (n, 1));

  for (gsize i = 0; i < n; i++)
    rows[i] = (guint32) i;
  return rows;
}

/* n points on a spiral, with text here and there, and one triangle. */
static KgValue
make_geometry (gsize n)
{
  static const uint32_t vertices[] = { 0, 1, 2 };
  KgGeometry *geometry = kg_geometry_new ();
  float *p;
  int32_t *id;

  g_assert_true (kg_geometry_set_n_points (geometry, n, NULL));
  p = kg_geometry_edit_positions (geometry);
  id = kg_geometry_edit_int (geometry, KG_POINTS, "id", 1);
  for (gsize i = 0; i < n; i++) {
    p[3 * i] = (float) sin ((double) i);
    p[3 * i + 1] = 0.5f * (float) i;
    id[i] = (int32_t) (i * 7919 % 1009) - 500;
  }
  kg_geometry_set_text (geometry, KG_POINTS, "name", 2, "Ärmel");
  kg_geometry_set_text (geometry, KG_POINTS, "name", 3, "Second");
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, 1, 3, vertices);
  kg_geometry_edit_float (geometry, KG_WHOLE, "scale", 1)[0] = 2.5f;
  return kg_value_take (KG_GEOMETRY, geometry);
}

static void
test_geometry (void)
{
  g_auto (KgValue) value = make_geometry (10);
  g_autoptr (KgSheet) points = kg_sheet_new (&value, KG_POINTS), primitives = kg_sheet_new (&value, KG_PRIMITIVES);
  g_autoptr (KgSheet) whole = kg_sheet_new (&value, KG_WHOLE);

  g_assert_cmpuint (kg_sheet_get_n_parts (&value), ==, 3);
  g_assert_cmpuint (kg_sheet_get_n_rows (points), ==, 10);
  assert_cell (points, 9, "#", "9");
  assert_cell (points, 9, "P.y", "4.5");
  assert_cell (points, 3, "name", "Second");
  assert_cell (points, 4, "name", "");
  g_assert_cmpfloat (kg_sheet_get_number (points, 1, column_of (points, "id")), ==, 7919 % 1009 - 500);
  g_assert_true (isnan (kg_sheet_get_number (points, 1, column_of (points, "name"))));
  g_assert_cmpuint (kg_sheet_get_n_rows (primitives), ==, 1);
  assert_cell (primitives, 0, "Vertices", "3");
  assert_cell (primitives, 0, "Points", "0 1 2");
  g_assert_cmpuint (kg_sheet_get_n_rows (whole), ==, 1);
  assert_cell (whole, 0, "scale", "2.5");
}

static void
test_sort (void)
{
  g_auto (KgValue) value = make_geometry (5000);
  g_autoptr (KgSheet) sheet = kg_sheet_new (&value, KG_POINTS);
  static const char *const titles[] = { "P.x", "P.y", "P.z", "id", "#" };

  for (guint t = 0; t < G_N_ELEMENTS (titles); t++)
    for (int descending = 0; descending < 2; descending++) {
      g_autofree guint32 *rows = identity (5000);
      const guint column = column_of (sheet, titles[t]);

      kg_sheet_sort (sheet, column, descending, rows, 5000);
      for (gsize i = 1; i < 5000; i++) {
        const double a = kg_sheet_get_number (sheet, rows[i - 1], column);
        const double b = kg_sheet_get_number (sheet, rows[i], column);

        g_assert_true (descending ? a >= b : a <= b);
        /* Equal ones keep their order. */
        g_assert_true (a != b || rows[i - 1] < rows[i]);
      }
    }
}

static void
test_sort_text (void)
{
  g_auto (KgValue) value = kg_value_text ("pear\napple\nfig\napple");
  g_autoptr (KgSheet) sheet = kg_sheet_new (&value, 0);
  g_autofree guint32 *rows = identity (4);

  g_assert_cmpuint (kg_sheet_get_n_rows (sheet), ==, 4);
  kg_sheet_sort (sheet, 1, false, rows, 4);
  g_assert_cmpuint (rows[0], ==, 1);
  g_assert_cmpuint (rows[1], ==, 3);
  g_assert_cmpuint (rows[2], ==, 2);
  g_assert_cmpuint (rows[3], ==, 0);
}

/* Infinite numbers, zeros of both signs and what is no number at all. */
static void
test_sort_hostile (void)
{
  const float numbers[] = { 1, NAN, -INFINITY, -0.0f, 0, INFINITY, -1, NAN };
  const guint32 expected[] = { 2, 6, 3, 4, 0, 5, 1, 7 }, descending[] = { 5, 0, 3, 4, 6, 2, 1, 7 };
  KgGeometry *geometry = kg_geometry_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (KgSheet) sheet = NULL;
  g_autofree guint32 *rows = identity (8), *other = identity (8);

  g_assert_true (kg_geometry_set_n_points (geometry, 8, NULL));
  memcpy (kg_geometry_edit_float (geometry, KG_POINTS, "x", 1), numbers, sizeof numbers);
  value = kg_value_take (KG_GEOMETRY, geometry);
  sheet = kg_sheet_new (&value, KG_POINTS);
  kg_sheet_sort (sheet, column_of (sheet, "x"), false, rows, 8);
  kg_sheet_sort (sheet, column_of (sheet, "x"), true, other, 8);
  for (guint i = 0; i < 8; i++) {
    g_assert_cmpuint (rows[i], ==, expected[i]);
    g_assert_cmpuint (other[i], ==, descending[i]);
  }
}

static gsize
count_matches (const KgSheet *sheet, const char *query)
{
  g_autofree guint32 *rows = g_new (guint32, MAX (kg_sheet_get_n_rows (sheet), 1));

  return kg_sheet_search (sheet, query, rows);
}

static void
test_search (void)
{
  g_auto (KgValue) value = make_geometry (1000);
  g_autoptr (KgSheet) sheet = kg_sheet_new (&value, KG_POINTS);

  g_assert_cmpuint (count_matches (sheet, "P.y > 490"), ==, 19);
  g_assert_cmpuint (count_matches (sheet, "p.y>=490"), ==, 20);
  g_assert_cmpuint (count_matches (sheet, "P.y < 0.5"), ==, 1);
  g_assert_cmpuint (count_matches (sheet, "P.y <= 0.5"), ==, 2);
  g_assert_cmpuint (count_matches (sheet, " P.y = 3.5 "), ==, 1);
  g_assert_cmpuint (count_matches (sheet, "P.y != 3.5"), ==, 999);
  /* The row 999 and the point at 499.5. */
  g_assert_cmpuint (count_matches (sheet, "999"), ==, 1);
  g_assert_cmpuint (count_matches (sheet, "499.5"), ==, 1);
  g_assert_cmpuint (count_matches (sheet, "second"), ==, 1);
  g_assert_cmpuint (count_matches (sheet, "ÄRM"), ==, 1);
  g_assert_cmpuint (count_matches (sheet, "nothing"), ==, 0);
  g_assert_cmpuint (count_matches (sheet, "nothing > 2"), ==, 0);
  g_assert_cmpuint (count_matches (sheet, "P.y > x"), ==, 0);
}

/* 0.1 in a column of single precision is not above 0.1. */
/* What a cell shows is found, wherever its user lives, and so is a number typed with a comma. */
static void
test_comma_locale (void)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgSheet *sheet;

  if (!comma_locale_begin ())
    return;
  value = make_geometry (1000);
  sheet = kg_sheet_new (&value, KG_POINTS);
  assert_cell (sheet, 999, "P.y", "499.5");
  g_assert_cmpuint (count_matches (sheet, "499.5"), ==, 1);
  g_assert_cmpuint (count_matches (sheet, "499,5"), ==, 1);
  g_assert_cmpuint (count_matches (sheet, "P.y = 3,5"), ==, 1);
  g_assert_cmpuint (count_matches (sheet, "P.y > 489,75"), ==, 20);
  kg_sheet_free (sheet);
  comma_locale_end ();
}

static void
test_search_single (void)
{
  KgGeometry *geometry = kg_geometry_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (KgSheet) sheet = NULL;

  g_assert_true (kg_geometry_set_n_points (geometry, 1, NULL));
  kg_geometry_edit_float (geometry, KG_POINTS, "x", 1)[0] = 0.1f;
  value = kg_value_take (KG_GEOMETRY, geometry);
  sheet = kg_sheet_new (&value, KG_POINTS);
  g_assert_cmpuint (count_matches (sheet, "x > 0.1"), ==, 0);
  g_assert_cmpuint (count_matches (sheet, "x >= 0.1"), ==, 1);
  g_assert_cmpuint (count_matches (sheet, "x = 0.1"), ==, 1);
}

static void
test_motion (void)
{
  KgKey keys[2];
  KgMotion *motion = kg_motion_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (KgSheet) sheet = NULL;

  kg_key_init (&keys[0], 0, 0);
  kg_key_init (&keys[1], 2, 10);
  kg_motion_take_channel (motion, "sway",
                          kg_channel_new_keys (1, false, keys, 2, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL));
  value = kg_value_take (KG_MOTION, motion);
  sheet = kg_sheet_new (&value, 0);
  g_assert_cmpuint (kg_sheet_get_n_rows (sheet), ==, 101);
  assert_cell (sheet, 50, "At", "1");
  assert_cell (sheet, 50, "sway", "5");
  assert_cell (sheet, 100, "sway", "10");
}

static void
test_others (void)
{
  KgSkeleton *skeleton = kg_skeleton_new ();
  KgImage *image = kg_image_new (2, 2, true, NULL);
  KgJoint joint;
  g_auto (KgValue) bones = KG_VALUE_INIT, picture = KG_VALUE_INIT, vector = kg_value_vector (kg_vector (1, 2, 3));
  g_autoptr (KgSheet) joints = NULL, planes = NULL, numbers = kg_sheet_new (&vector, 0);

  kg_joint_init (&joint, "hip", -1);
  g_assert_cmpint (kg_skeleton_add_joint (skeleton, &joint, NULL), ==, 0);
  kg_joint_init (&joint, "knee", 0);
  joint.offset = kg_vector (0, -0.5, 0);
  g_assert_cmpint (kg_skeleton_add_joint (skeleton, &joint, NULL), ==, 1);
  bones = kg_value_take (KG_SKELETON, skeleton);
  joints = kg_sheet_new (&bones, 0);
  g_assert_cmpuint (kg_sheet_get_n_rows (joints), ==, 2);
  assert_cell (joints, 1, "Parent", "hip");
  assert_cell (joints, 1, "World y", "-0.5");

  kg_image_edit_pixels (image)[4] = 1;
  picture = kg_value_take (KG_IMAGE, image);
  planes = kg_sheet_new (&picture, 0);
  g_assert_cmpuint (kg_sheet_get_n_rows (planes), ==, 5);
  assert_cell (planes, 0, "Maximum", "1");
  assert_cell (planes, 0, "Mean", "0.25");
  /* A depth plane that nothing was drawn into has no finite pixel. */
  assert_cell (planes, 4, "Maximum", "–");
  assert_cell (planes, 4, "Finite pixels", "0");
  assert_cell (numbers, 0, "z", "3");
}

/* No value of any kind that is empty breaks the table. */
static void
test_empty (void)
{
  KgValue values[] = { kg_value_take (KG_GEOMETRY, kg_geometry_new ()), kg_value_take (KG_SKELETON, kg_skeleton_new ()),
                       kg_value_take (KG_MOTION, kg_motion_new ()), kg_value_take (KG_SCENE, kg_scene_new ()),
                       kg_value_text ("") };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    for (guint part = 0; part < kg_sheet_get_n_parts (&values[i]); part++) {
      g_autoptr (KgSheet) sheet = kg_sheet_new (&values[i], part);
      g_autofree char *description = kg_sheet_describe (&values[i]);
      g_autofree guint32 *rows = identity (kg_sheet_get_n_rows (sheet));

      g_assert_cmpuint (kg_sheet_get_n_rows (sheet), <=, 1);
      for (guint c = 0; c < kg_sheet_get_n_columns (sheet); c++)
        kg_sheet_sort (sheet, c, true, rows, kg_sheet_get_n_rows (sheet));
      kg_sheet_search (sheet, "1", rows);
    }
    kg_value_clear (&values[i]);
  }
}

/* A million rows are sorted and searched before anyone notices. */
static void
test_large (void)
{
  g_auto (KgValue) value = make_geometry (1000000);
  g_autoptr (KgSheet) sheet = kg_sheet_new (&value, KG_POINTS);
  g_autofree guint32 *rows = identity (1000000);
  gint64 start = g_get_monotonic_time ();

  kg_sheet_sort (sheet, column_of (sheet, "P.x"), false, rows, 1000000);
  g_test_message ("sort: %.0f ms", (double) (g_get_monotonic_time () - start) / 1000);
  start = g_get_monotonic_time ();
  g_assert_cmpuint (kg_sheet_search (sheet, "second", rows), ==, 1);
  g_test_message ("search for text: %.0f ms", (double) (g_get_monotonic_time () - start) / 1000);
  start = g_get_monotonic_time ();
  g_assert_cmpuint (kg_sheet_search (sheet, "250000.5", rows), ==, 1);
  g_test_message ("search for a number: %.0f ms", (double) (g_get_monotonic_time () - start) / 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sheet/geometry", test_geometry);
  g_test_add_func ("/sheet/sort", test_sort);
  g_test_add_func ("/sheet/sort-text", test_sort_text);
  g_test_add_func ("/sheet/sort-hostile", test_sort_hostile);
  g_test_add_func ("/sheet/search", test_search);
  g_test_add_func ("/sheet/search-single", test_search_single);
  g_test_add_func ("/sheet/comma-locale", test_comma_locale);
  g_test_add_func ("/sheet/motion", test_motion);
  g_test_add_func ("/sheet/others", test_others);
  g_test_add_func ("/sheet/empty", test_empty);
  g_test_add_func ("/sheet/large", test_large);
  return g_test_run ();
}

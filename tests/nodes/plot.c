/* tests/nodes/plot: where a diagram puts numbers, and which it writes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "node-test.h"
#include "render/plot_series.h"

/* The middle of what is drawn in vermillion, the second colour of the palette. */
static KgVector
find_middle (const KgValue *value)
{
  const int width = kg_image_get_width (value->image), height = kg_image_get_height (value->image);
  const float *pixel = kg_image_get_pixels (value->image);
  KgVector sum = { 0, 0, 0 };

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, pixel += 4) {
      /* As much vermillion as red is more than blue. */
      const double share = fmax ((double) (pixel[0] - pixel[2]), 0);

      sum = kg_vector (sum.x + share * (x + 0.5), sum.y + share * (y + 0.5), sum.z + share);
    }
  g_assert_cmpfloat (sum.z, >, 5);
  return kg_vector (sum.x / sum.z, sum.y / sum.z, sum.z);
}

/* A disc at (x, y), beside a first series that spans the diagram. */
static KgVector
find_disc (const char *point, const char *log)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgVector middle;

  node_test_add (&test, "curve/spline", "span", "basis", "\"linear\"", "points", "\"1 1\\n100 100\"", NULL);
  node_test_add (&test, "curve/spline", "line", "basis", "\"linear\"", "points", "\"1 1\\n100 100\"", NULL);
  node_test_set (&test, "line", "points", point);
  node_test_add (&test, "render/plot", "p", "tables", "[{\"link\": \"span.geometry\"}, {\"link\": \"line.geometry\"}]",
                 "x_log", log, "y_log", log, "legend", "\"none\"", "points", "true", "point_size", "0.06", NULL);
  value = node_test_get (&test, "p.image", 0);
  middle = find_middle (&value);
  node_test_clear (&test);
  return middle;
}

/* Places are affine in the numbers, or in their logarithms: what lies halfway is drawn halfway, to a part of a pixel. */
static void
test_places (void)
{
  static const char *const points[][3] = { { "\"10 10\\n10 10\"", "\"40 20\\n40 20\"", "\"70 30\\n70 30\"" },
                                           { "\"2 4\\n2 4\"", "\"8 20\\n8 20\"", "\"32 100\\n32 100\"" } };

  for (guint i = 0; i < G_N_ELEMENTS (points); i++) {
    const char *const log = i == 0 ? "false" : "true";
    const KgVector a = find_disc (points[i][0], log), b = find_disc (points[i][1], log);
    const KgVector c = find_disc (points[i][2], log);

    g_assert_cmpfloat (c.x, >, a.x + 100);
    g_assert_cmpfloat (c.y, <, a.y - 50);
    assert_near (b.x, 0.5 * (a.x + c.x), 0.1);
    assert_near (b.y, 0.5 * (a.y + c.y), 0.1);
  }
}

static void
test_series (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) motion = KG_VALUE_INIT, table = KG_VALUE_INIT;
  g_autoptr (GPtrArray) series = plot_series_new ();
  const PlotSeries *one;
  g_autoptr (GError) error = NULL;

  node_test_add (&test, "motion/ease", "ease", "shape", "\"parabolic\"", NULL);
  motion = node_test_get (&test, "ease.motion", 0);
  plot_series_add_motion (series, motion.motion, PLOT_VALUE, 11, NULL);
  plot_series_add_motion (series, motion.motion, PLOT_AREA, 11, NULL);
  one = (const PlotSeries *) g_ptr_array_index (series, 0);
  g_assert_cmpstr (one->label, ==, "ease");
  g_assert_cmpuint (one->points->len, ==, 11);
  assert_near (g_array_index (one->points, PlotPoint, 10).y, 1, 1e-15);
  /* Below an ease that ends in 1: k1 = 0.3, k2 = 0.75, as three parabolas by hand. */
  one = (const PlotSeries *) g_ptr_array_index (series, 1);
  {
    const double v = 2 / (0.75 - 0.3 + 1), at_k1 = v * 0.3 / 2, at_k2 = at_k1 + v * 0.45;
    const double area = v * 0.3 * 0.3 / 6 + 0.45 * (at_k1 + at_k2) / 2 + 0.25 * at_k2 + v * 0.25 * 0.25 / 3;

    assert_near (g_array_index (one->points, PlotPoint, 10).y, area, 1e-9);
  }
  node_test_add (&test, "curve/spline", "s", "basis", "\"linear\"", "points", "\"1 2 3\\n4 5 6\"", NULL);
  table = node_test_get (&test, "s.geometry", 0);
  g_assert_true (plot_series_add_table (series, table.geometry, "index", "P.z  P.1", NULL, &error));
  g_assert_cmpuint (series->len, ==, 4);
  one = (const PlotSeries *) g_ptr_array_index (series, 2);
  g_assert_cmpfloat (g_array_index (one->points, PlotPoint, 1).x, ==, 1);
  g_assert_cmpfloat (g_array_index (one->points, PlotPoint, 1).y, ==, 6);
  one = (const PlotSeries *) g_ptr_array_index (series, 3);
  g_assert_cmpfloat (g_array_index (one->points, PlotPoint, 0).y, ==, 2);
  node_test_clear (&test);
}

static void
test_degenerate (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) empty = KG_VALUE_INIT;

  node_test_add (&test, "render/plot", "p", NULL);
  empty = node_test_get (&test, "p.image", 0);
  g_assert_cmpint (kg_image_get_width (empty.image), ==, 640);
  g_assert_cmpfloat (node_test_number (&test, "p.n_series", 0), ==, 0);
  node_test_set (&test, "p", "width", "1");
  node_test_fails (&test, "p.image", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "p", "width", "640");
  node_test_set (&test, "p", "y_log", "true");
  node_test_set (&test, "p", "y_to", "5");
  node_test_fails (&test, "p.image", KG_ERROR_INVALID_VALUE);
  node_test_set (&test, "p", "y_to", "0");
  node_test_add (&test, "curve/spline", "s", NULL);
  node_test_set (&test, "p", "tables", "[{\"link\": \"s.geometry\"}]");
  /* Some of its points are not positive: left out, with a warning. */
  g_assert_cmpfloat (node_test_number (&test, "p.n_series", 0), ==, 1);
  node_test_warns (&test, "p.image", "3 values");
  for (guint i = 0; i < 4; i++) {
    static const char *const wrong[] = { "\"Q.x\"", "\"P\"", "\"P.w\"", "\"P.3\"" };

    node_test_set (&test, "p", "column_y", wrong[i]);
    node_test_fails (&test, "p.image", KG_ERROR_UNKNOWN_NAME);
  }
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plot/places", test_places);
  g_test_add_func ("/plot/series", test_series);
  g_test_add_func ("/plot/degenerate", test_degenerate);
  return g_test_run ();
}

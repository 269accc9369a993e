/* tests/techniques/plot: which numbers a diagram writes at its axes, and the steps of a series.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "render/plot_axis.h"
#include "render/plot_series.h"

static void
assert_ticks (PlotAxis axis, guint n, const char *expected)
{
  g_autoptr (GArray) ticks = plot_axis_make_ticks (&axis, n);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < ticks->len; i++) {
    const PlotTick *tick = &g_array_index (ticks, PlotTick, i);
    g_autofree char *number = tick->major ? plot_axis_format (&axis, ticks, tick->value) : NULL;

    if (number != NULL)
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", number);
  }
  g_assert_cmpstr (text->str, ==, expected);
}

/* Steps of 1, 2, 5 times powers of ten, with as many digits as they differ in. */
static void
test_ticks (void)
{
  assert_ticks ((PlotAxis){ .low = 0, .high = 1 }, 6, "0 0.2 0.4 0.6 0.8 1.0");
  assert_ticks ((PlotAxis){ .low = -0.34, .high = 0.34 }, 4, "−0.2 0 0.2");
  assert_ticks ((PlotAxis){ .low = 99.995, .high = 100.015 }, 4, "99.995 100.000 100.005 100.010 100.015");
  assert_ticks ((PlotAxis){ .low = 0, .high = 35000 }, 4, "0 10000 20000 30000");
  assert_ticks ((PlotAxis){ .low = 0, .high = 2.4e-7 }, 3, "0 1·10<sup>−7</sup> 2·10<sup>−7</sup>");
  assert_ticks ((PlotAxis){ .low = 0.5, .high = 2000, .logarithmic = true }, 10, "1 10 100 1000");
  assert_ticks ((PlotAxis){ .low = 1e-8, .high = 1, .logarithmic = true }, 4,
                "10<sup>−8</sup> 10<sup>−6</sup> 10<sup>−4</sup> 0.01 1");
  assert_ticks ((PlotAxis){ .low = 2, .high = 8, .logarithmic = true }, 4, "2 4 6 8");
}

static void
test_fit (void)
{
  PlotAxis axis = { 0 };

  plot_axis_fit (&axis, 0, 100, true);
  assert_near (axis.low, -4, 1e-12);
  assert_near (axis.high, 104, 1e-12);
  plot_axis_fit (&axis, 7, 7, true);
  g_assert_true (axis.low < 7 && axis.high > 7);
  plot_axis_fit (&axis, 0, 0, false);
  assert_near (axis.low, -1, 0);
  axis.logarithmic = true;
  plot_axis_fit (&axis, 3, 3, true);
  assert_near (axis.low, 1.5, 1e-12);
}

/* Keys that hold their value until the next one make upright steps. */
static void
test_steps (void)
{
  const double at[] = { 0, 1, 2 };
  KgKey keys[G_N_ELEMENTS (at)];
  g_autoptr (GPtrArray) series = plot_series_new ();
  g_autoptr (KgMotion) motion = NULL;
  const GArray *points;
  bool upright = false;

  for (guint i = 0; i < G_N_ELEMENTS (at); i++) {
    kg_key_init (&keys[i], at[i], at[i] * at[i]);
    keys[i].interpolation = KG_INTERPOLATE_CONSTANT;
  }
  motion = kg_motion_new_take (
      "steps", kg_channel_new_keys (1, false, keys, G_N_ELEMENTS (at), KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL));
  plot_series_add_motion (series, motion, PLOT_VALUE, 4, NULL);
  points = ((const PlotSeries *) g_ptr_array_index (series, 0))->points;
  for (guint i = 1; i < points->len; i++) {
    const PlotPoint *p = &g_array_index (points, PlotPoint, i - 1), *q = p + 1;

    g_assert_true (p->y == q->y || q->x - p->x < 1e-12);
    upright |= p->y == 1 && q->y == 4;
  }
  g_assert_true (upright);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plot/ticks", test_ticks);
  g_test_add_func ("/plot/fit", test_fit);
  g_test_add_func ("/plot/steps", test_steps);
  return g_test_run ();
}

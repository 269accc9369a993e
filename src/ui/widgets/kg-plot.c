/* kg-plot: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-plot.h"

#include "config.h"
#include "kg-kind-color.h"

#include <math.h>

double
kg_plot_get_step (double range, double parts)
{
  const double raw = range / parts, power = pow (10, floor (log10 (raw))), mantissa = raw / power;

  return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

KgPlotRange
kg_plot_measure_motion (const KgMotion *motion, guint samples)
{
  KgPlotRange range = { INFINITY, -INFINITY, INFINITY, -INFINITY };

  for (guint c = 0; c < kg_motion_get_n_channels (motion); c++) {
    double a, b;

    kg_channel_get_range (kg_motion_get_channel (motion, c), &a, &b);
    range.from = fmin (range.from, a);
    range.to = fmax (range.to, b);
  }
  if (!(range.to > range.from) || !isfinite (range.to - range.from)) {
    range.from = 0;
    range.to = 1;
  }
  for (guint c = 0; c < kg_motion_get_n_channels (motion); c++)
    for (guint i = 0; i <= samples; i++) {
      const KgChannel *channel = kg_motion_get_channel (motion, c);
      double x[KG_CHANNEL_MAX_WIDTH];

      kg_channel_evaluate (channel, kg_lerp (range.from, range.to, (double) i / samples), x);
      for (guint k = 0; k < kg_channel_get_width (channel); k++) {
        range.low = fmin (range.low, x[k]);
        range.high = fmax (range.high, x[k]);
      }
    }
  if (!isfinite (range.high - range.low))
    range.low = range.high = 0;
  if (!(range.high > range.low)) {
    const double around = fmax (1, 0.1 * fabs (range.low));

    range.low -= around;
    range.high += around;
  }
  return range;
}

void
kg_plot_draw_motion (cairo_t *cr, const KgMotion *motion, const KgPlotRange *range, double x, double y, double width,
                     double height)
{
  static const KgTint axes[] = {
    { 0.90, 0.28, 0.27 }, { 0.30, 0.68, 0.28 }, { 0.28, 0.52, 0.95 }, { 0.66, 0.52, 0.75 }
  };
  static const KgTint singles[] = { { 0.93, 0.55, 0.14 }, { 0.12, 0.66, 0.66 }, { 0.68, 0.40, 0.90 },
                                    { 0.78, 0.66, 0.12 }, { 0.90, 0.38, 0.62 }, { 0.45, 0.58, 0.70 } };
  const int n = CLAMP ((int) width, 2, 4000);

  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  for (guint c = 0; c < kg_motion_get_n_channels (motion); c++) {
    const KgChannel *channel = kg_motion_get_channel (motion, c);
    const guint components = kg_channel_get_width (channel);

    for (guint k = 0; k < components; k++) {
      for (int i = 0; i <= n; i++) {
        double value[KG_CHANNEL_MAX_WIDTH];

        kg_channel_evaluate (channel, kg_lerp (range->from, range->to, (double) i / n), value);
        cairo_line_to (cr, x + width * i / n,
                       y + height * kg_clamp ((range->high - value[k]) / (range->high - range->low), -10, 10));
      }
      kg_tint_set (cr, components > 1 ? axes[k % G_N_ELEMENTS (axes)] : singles[c % G_N_ELEMENTS (singles)], 1);
      cairo_stroke (cr);
    }
  }
}

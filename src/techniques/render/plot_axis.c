/* plot_axis: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/plot_axis.h"

#include "kg-math.h"

/* Cairo computes in fixed point with 24 bits before the point. */
#define FARTHEST 4e6

void
plot_axis_fit (PlotAxis *axis, double low, double high, bool margin)
{
  if (axis->logarithmic) {
    const double room = margin ? pow (high / low, 0.04) : 1;

    axis->low = low / room;
    axis->high = high * room;
    if (!(axis->high > axis->low * (1 + 1e-9))) {
      axis->low = low / 2;
      axis->high = high * 2;
    }
  } else {
    const double room = margin ? 0.04 * (high - low) : 0;

    axis->low = low - room;
    axis->high = high + room;
    /* Numbers closer together than floats of this size are one number. */
    if (!(axis->high - axis->low > 1e-9 * fmax (fabs (low), fabs (high)))) {
      const double half = low == 0 && high == 0 ? 1 : 0.5 * fmax (fabs (low), fabs (high));

      axis->low = low - half;
      axis->high = high + half;
    }
  }
}

bool
plot_axis_place (const PlotAxis *axis, double value, double *place)
{
  double share;

  if (axis->logarithmic) {
    if (!(value > 0))
      return false;
    share = log (value / axis->low) / log (axis->high / axis->low);
  } else
    share = (value - axis->low) / (axis->high - axis->low);
  *place = kg_clamp (axis->start + share * (axis->end - axis->start), -FARTHEST, FARTHEST);
  return true;
}

static double
get_round_step (double range, guint n)
{
  const double raw = range / MAX (n, 1), power = pow (10, floor (log10 (raw))), digit = raw / power;

  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static void
add_tick (GArray *ticks, const PlotAxis *axis, double value, bool major)
{
  const PlotTick tick = { value, major };
  const double slack = axis->logarithmic ? 0 : 1e-9 * (axis->high - axis->low);

  if (value >= axis->low - slack && value <= axis->high + slack)
    g_array_append_val (ticks, tick);
}

GArray *
plot_axis_make_ticks (const PlotAxis *axis, guint n)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (PlotTick));
  const double decades = axis->logarithmic ? log10 (axis->high / axis->low) : 0;
  double step;

  if (axis->logarithmic && decades >= 1) {
    /* If there are many decades, only some have numbers, and the others are marks between. */
    const int every = MAX ((int) ceil (decades / MAX (n, 1)), 1);

    for (int e = (int) floor (log10 (axis->low)); e <= (int) ceil (log10 (axis->high)); e++) {
      add_tick (ticks, axis, pow (10, e), e % every == 0);
      for (int digit = 2; every == 1 && digit <= 9; digit++)
        add_tick (ticks, axis, digit * pow (10, e), false);
    }
    return ticks;
  }
  step = get_round_step (axis->high - axis->low, n);
  for (double i = ceil (axis->low / step - 1e-9); i * step <= axis->high + 1e-9 * step; i++)
    add_tick (ticks, axis, i * step, true);
  return ticks;
}

char *
plot_axis_format (const PlotAxis *axis, const GArray *ticks, double value)
{
  const char *const minus = value < 0 ? "\u2212" : "";
  const double largest = fmax (fabs (axis->low), fabs (axis->high));
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[16];
  double step = axis->high - axis->low;
  int power;

  if (axis->logarithmic && axis->high / axis->low >= 10) {
    power = (int) lround (log10 (value));
    if (power < -3 || power > 4)
      return g_strdup_printf ("10<sup>%s%d</sup>", power < 0 ? "\u2212" : "", ABS (power));
    return g_strdup (g_ascii_formatd (text, sizeof text, "%g", value));
  }
  if (ticks->len > 1)
    step = g_array_index (ticks, PlotTick, 1).value - g_array_index (ticks, PlotTick, 0).value;
  if (fabs (value) < 1e-9 * step)
    return g_strdup ("0");
  if (largest < 1e6 && step > 0.9e-4) {
    g_snprintf (format, sizeof format, "%%.%df", (int) fmax (-floor (log10 (step) + 1e-9), 0));
    return g_strconcat (minus, g_ascii_formatd (text, sizeof text, format, fabs (value)), NULL);
  }
  power = (int) floor (log10 (fabs (value)) + 1e-9);
  g_snprintf (format, sizeof format, "%%.%df", (int) kg_clamp (power - floor (log10 (step) + 1e-9), 0, 15));
  g_ascii_formatd (text, sizeof text, format, fabs (value) / pow (10, power));
  return g_strdup_printf ("%s%s\u00b710<sup>%s%d</sup>", minus, text, power < 0 ? "\u2212" : "", ABS (power));
}

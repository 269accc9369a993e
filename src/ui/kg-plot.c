/* kg-plot: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-plot.h"

#include <math.h>

double
kg_plot_get_step (double range, double parts)
{
  const double raw = range / parts, power = pow (10, floor (log10 (raw))), mantissa = raw / power;

  return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

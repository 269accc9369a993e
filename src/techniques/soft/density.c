/* density: how the field of a soft object falls off around its keys.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/density.h"

#include <math.h>

double
density_get (const Density *density, double s, double *slope)
{
  double value = 0, d = 0;

  if (density->kind == DENSITY_GAUSS) {
    const double e = density->level * exp (-density->blobbiness * (s - 1));

    if (e > density->cutoff) {
      value = e - density->cutoff;
      d = -density->blobbiness * e;
    }
  } else if (s < 1) {
    const double t = 1 - s, r = sqrt (s);

    switch (density->kind) {
    case DENSITY_SMOOTH:
      value = 1 - s * (3 - 2 * r);
      d = 3 * r - 3;
      break;
    case DENSITY_QUADRATIC:
      value = t;
      d = -1;
      break;
    case DENSITY_METABALL:
      value = 9 * s <= 1 ? 1 - 3 * s : 1.5 * (1 - r) * (1 - r);
      d = 9 * s <= 1 ? -3 : -1.5 * (1 - r) / r;
      break;
    case DENSITY_QUARTIC:
      value = t * t;
      d = -2 * t;
      break;
    case DENSITY_CUBIC:
      value = t * t * t;
      d = -3 * t * t;
      break;
    default:
      value = 1 + s * (-22 + s * (17 - 4 * s)) / 9;
      d = (-22 + s * (34 - 12 * s)) / 9;
    }
  }
  if (slope != NULL)
    *slope = d;
  return value;
}

double
density_get_reach (const Density *density)
{
  return density->kind == DENSITY_GAUSS ? sqrt (1 + log (density->level / density->cutoff) / density->blobbiness) : 1;
}

double
density_get_body (const Density *density, double force)
{
  double low = 0, high = density_get_reach (density);

  if (!(force * density_get (density, 0, NULL) > density->level))
    return 0;
  /* They all fall from the centre to the end of their reach. */
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);

    *(force * density_get (density, middle * middle, NULL) > density->level ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

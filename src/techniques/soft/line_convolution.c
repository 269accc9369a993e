/* line_convolution: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/line_convolution.h"

#include <math.h>

/* Antiderivatives by τ of q⁻², τ q⁻², q⁻³ and τ q⁻³, where q = p² + σ²τ². */
typedef struct {
  double h, th, j, tj;
} Integrals;

static Integrals
integrate (double sigma, double p2, double tau)
{
  const double s2 = sigma * sigma, q = p2 + s2 * tau * tau, p = sqrt (p2);
  Integrals i;

  i.h = tau / (2 * p2 * q) + atan (sigma * tau / p) / (2 * sigma * p2 * p);
  i.th = -1 / (2 * s2 * q);
  i.j = tau / (4 * p2 * q * q) + 3 / (4 * p2) * i.h;
  i.tj = -1 / (4 * s2 * q * q);
  return i;
}

static double
get_kernel (double sigma, double squared)
{
  const double q = 1 + sigma * sigma * squared;

  return 1 / (q * q);
}

double
line_convolution_get (const LineKernel *kernel, KgVector a, KgVector b, double weight_a, double weight_b, KgVector p,
                      KgVector *gradient)
{
  const double sigma = kernel->sharpness, scale = 1 / kernel->reach, cut = get_kernel (sigma, 1);
  const KgVector d = kg_vector_subtract (b, a), from = kg_vector_scale (kg_vector_subtract (p, a), scale);
  const double metres = sqrt (kg_vector_dot (d, d)), length = metres * scale;
  KgVector axis, across;
  double x, w2, half, low, high, slope, middle, p2, value, by_p2, along;
  Integrals start, end;

  if (!(length > 0))
    return 0;
  axis = kg_vector_scale (d, 1 / metres);
  x = kg_vector_dot (from, axis);
  across = kg_vector_add_scaled (from, -x, axis);
  w2 = kg_vector_dot (across, across);
  if (!(w2 < 1))
    return 0;
  /* Only the points within reach count; τ is their place along the axis from the foot of p. */
  half = sqrt (1 - w2);
  low = MAX (-x, -half);
  high = MIN (length - x, half);
  if (!(low < high))
    return 0;
  slope = (weight_b - weight_a) / length;
  middle = weight_a + slope * x;
  p2 = 1 + sigma * sigma * w2;
  start = integrate (sigma, p2, low);
  end = integrate (sigma, p2, high);
  value = middle * (end.h - start.h - cut * (high - low)) +
          slope * (end.th - start.th - 0.5 * cut * (high * high - low * low));
  by_p2 = -2 * (middle * (end.j - start.j) + slope * (end.tj - start.tj));
  /* The kernel is 0 where the reach ends, so that only ends of the segment appear. */
  along = (middle + slope * low) * (get_kernel (sigma, w2 + low * low) - cut) -
          (middle + slope * high) * (get_kernel (sigma, w2 + high * high) - cut) +
          slope * (end.h - start.h - cut * (high - low));
  *gradient = kg_vector_add_scaled (*gradient, 2 * sigma * sigma * by_p2 * scale, across);
  *gradient = kg_vector_add_scaled (*gradient, along * scale, axis);
  return value;
}

double
line_convolution_get_endless (double sharpness, double distance)
{
  const LineKernel kernel = { sharpness, 1 };
  KgVector gradient = { 0, 0, 0 };

  return line_convolution_get (&kernel, kg_vector (-2, 0, 0), kg_vector (2, 0, 0), 1, 1, kg_vector (0, distance, 0),
                               &gradient);
}

/* distribution: random numbers and places of many distributions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/distribution.h"

static double
draw (const DistributionSource *source)
{
  return source->draw (source->data);
}

double
distribution_draw_normal (const DistributionSource *source, double mean, double deviation)
{
  const double u = 1 - draw (source), v = draw (source);

  return mean + deviation * sqrt (-2 * log (u)) * cos (2 * KG_PI * v);
}

double
distribution_draw_exponential (const DistributionSource *source, double rate)
{
  return -log1p (-draw (source)) / rate;
}

double
distribution_draw_triangular (const DistributionSource *source, double low, double mode, double high)
{
  const double u = draw (source), width = high - low;

  if (!(width > 0))
    return low;
  if (u * width < mode - low)
    return low + sqrt (u * width * (mode - low));
  return high - sqrt ((1 - u) * width * (high - mode));
}

/* Sums of the probabilities until they exceed the draw. */
static int64_t
invert_poisson (double mean, double u)
{
  double p = exp (-mean), sum = p;
  int64_t k = 0;

  while (u >= sum && k < 1000) {
    k++;
    p *= mean / (double) k;
    sum += p;
  }
  return k;
}

/* PTRS: a transformed draw under a hat that touches the distribution, most of the time accepted at once. */
static int64_t
reject_poisson (const DistributionSource *source, double mean)
{
  const double b = 0.931 + 2.53 * sqrt (mean), a = -0.059 + 0.02483 * b;
  const double alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2), log_mean = log (mean);

  for (;;) {
    const double u = draw (source) - 0.5, v = draw (source), us = 0.5 - fabs (u);
    const double k = floor ((2 * a / us + b) * u + mean + 0.43);

    if (us >= 0.07 && v <= v_r)
      return (int64_t) k;
    if (k < 0 || (us < 0.013 && v > us))
      continue;
    if (log (v * alpha / (a / (us * us) + b)) <= k * log_mean - mean - lgamma (k + 1))
      return (int64_t) k;
  }
}

int64_t
distribution_draw_poisson (const DistributionSource *source, double mean)
{
  return mean < 30 ? invert_poisson (mean, draw (source)) : reject_poisson (source, mean);
}

/* Two axes perpendicular to the unit vector z. */
static KgVector
place_around (KgVector z, double x, double y, double height)
{
  const KgVector u = kg_vector_perpendicular (z), v = kg_vector_cross (z, u);

  return kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (u, x), y, v), height, z);
}

KgVector
distribution_draw_in_cone (const DistributionSource *source, double angle, KgVector axis)
{
  /* 1 - cos without cancellation. */
  const double half = sin (0.5 * angle), fall = draw (source) * 2 * half * half, around = 2 * KG_PI * draw (source);
  const double r = sqrt (fmax (fall * (2 - fall), 0));

  return place_around (axis, r * cos (around), r * sin (around), 1 - fall);
}

KgVector
distribution_draw_in_ball (const DistributionSource *source, double radius)
{
  const double r = radius * cbrt (draw (source));

  return kg_vector_scale (distribution_draw_in_cone (source, KG_PI, kg_vector (0, 0, 1)), r);
}

KgVector
distribution_draw_in_disc (const DistributionSource *source, double radius, KgVector axis)
{
  const double r = radius * sqrt (draw (source)), around = 2 * KG_PI * draw (source);

  return place_around (axis, r * cos (around), r * sin (around), 0);
}

size_t
distribution_find_part (const double *sums, size_t n, double x)
{
  size_t low = 0, high = n - 1;

  while (low < high) {
    const size_t middle = low + (high - low) / 2;

    if (sums[middle] > x)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

double
distribution_get_halton (uint64_t n, guint dimension)
{
  static const uint64_t bases[SPREAD_DIMENSIONS] = { 2, 3, 5, 7 };
  const uint64_t base = bases[dimension % SPREAD_DIMENSIONS];
  double scale = 1, sum = 0;

  for (; n > 0; n /= base) {
    scale /= (double) base;
    sum += scale * (double) (n % base);
  }
  return sum;
}

double
distribution_get_r2 (uint64_t n, guint dimension)
{
  const double g = 1.32471795724474602596, x = 0.5 + (double) n / (dimension == 0 ? g : g * g);

  return x - floor (x);
}

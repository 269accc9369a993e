/* smoothing: neighbours, cubics, kernels and B-splines.
 * Sources: Parent, Computer Animation, 3.4.2.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/smoothing.h"

#include <math.h>
#include <string.h>

/* A Gaussian is cut off at so many sigmas. */
#define GAUSSIAN_REACH 3.0

gsize
smoothing_get_minimum (const Smoothing *smoothing)
{
  switch (smoothing->method) {
  case SMOOTHING_CUBIC:
    return 5;
  case SMOOTHING_B_SPLINE:
    return 2;
  case SMOOTHING_LINEAR:
  case SMOOTHING_CONVOLUTION:
  default:
    return 3;
  }
}

/* Values beyond the ends. */

/* The value at place i, which may be beyond the ends, into out. */
static void
get_value (const Smoothing *smoothing, const double *values, gsize n, guint width, gint64 i, double *out)
{
  const gint64 last = (gint64) n - 1;

  if (smoothing->closed)
    i = ((i % (gint64) n) + (gint64) n) % (gint64) n;
  if (i >= 0 && i <= last) {
    memcpy (out, values + (gsize) i * width, width * sizeof *out);
    return;
  }
  switch (smoothing->ends) {
  case SMOOTHING_ZERO:
    memset (out, 0, width * sizeof *out);
    return;
  case SMOOTHING_MIRROR: {
    /* There and back again. */
    const gint64 period = 2 * last;
    gint64 k = period > 0 ? ((i % period) + period) % period : 0;

    k = k > last ? period - k : k;
    memcpy (out, values + (gsize) k * width, width * sizeof *out);
    return;
  }
  case SMOOTHING_TURN: {
    /* Twice the end less what lies as far inside; farther out than the row is long it stays. */
    const double *end = values + (i < 0 ? 0 : (gsize) last) * width;
    double inside[16];

    if (last == 0)
      break;
    get_value (smoothing, values, n, width, i < 0 ? MIN (-i, last) : MAX (2 * last - i, 0), inside);
    for (guint c = 0; c < width; c++)
      out[c] = 2 * end[c] - inside[c];
    return;
  }
  case SMOOTHING_PARABOLIC:
    if (n >= 3) {
      /* The parabola through the three values nearest the end. */
      const double *p = i < 0 ? values : values + (n - 1) * width;
      const gint64 step = i < 0 ? (gint64) width : -(gint64) width;
      const double x = i < 0 ? (double) i : (double) (last - i);

      for (guint c = 0; c < width; c++)
        out[c] = 0.5 * (x - 1) * (x - 2) * p[c] - x * (x - 2) * p[step + c] + 0.5 * x * (x - 1) * p[2 * step + c];
      return;
    }
    break;
  case SMOOTHING_KEEP:
  case SMOOTHING_EXTEND:
  case SMOOTHING_SKIP:
  default:
    break;
  }
  memcpy (out, values + (i < 0 ? 0 : (gsize) last) * width, width * sizeof *out);
}

/* What a parabola through three others says of the last and the last but one value, halved with the value itself
 * (Parent, Figure 3.38).  p: the end, step: to its neighbour. */
static double
estimate_end (const double *p, gint64 step)
{
  return 0.5 * p[0] + 0.5 * (p[3 * step] + 3 * (p[step] - p[2 * step]));
}

static double
estimate_second (const double *p, gint64 step)
{
  return 0.5 * p[step] + 0.5 * (p[2 * step] + (p[0] - p[3 * step]) / 3);
}

static void
smooth_linear (const Smoothing *smoothing, const double *in, gsize n, guint width, double *out)
{
  const bool keeps = !smoothing->closed && (smoothing->ends == SMOOTHING_KEEP || smoothing->ends == SMOOTHING_SKIP);

#pragma omp parallel for schedule(dynamic, 256) if (n * width > 8192)
  for (gsize i = 0; i < n; i++) {
    const bool inside = i > 0 && i + 1 < n;
    double before[16], after[16];

    if (inside) {
      for (guint c = 0; c < width; c++)
        out[i * width + c] = 0.5 * (in[i * width + c] + 0.5 * (in[(i - 1) * width + c] + in[(i + 1) * width + c]));
      continue;
    }
    if (keeps) {
      memcpy (out + i * width, in + i * width, width * sizeof *out);
      continue;
    }
    get_value (smoothing, in, n, width, (gint64) i - 1, before);
    get_value (smoothing, in, n, width, (gint64) i + 1, after);
    for (guint c = 0; c < width; c++)
      out[i * width + c] = 0.5 * (in[i * width + c] + 0.5 * (before[c] + after[c]));
  }
  if (!smoothing->closed && smoothing->ends == SMOOTHING_PARABOLIC && n >= 4)
    for (guint c = 0; c < width; c++) {
      out[c] = estimate_end (in + c, width);
      out[(n - 1) * width + c] = estimate_end (in + (n - 1) * width + c, -(gint64) width);
    }
}

static void
smooth_cubic (const Smoothing *smoothing, const double *in, gsize n, guint width, double *out)
{
  const bool parabolic = !smoothing->closed &&
                         (smoothing->ends == SMOOTHING_KEEP || smoothing->ends == SMOOTHING_PARABOLIC);
  const bool keeps = parabolic || (!smoothing->closed && smoothing->ends == SMOOTHING_SKIP);

#pragma omp parallel for schedule(dynamic, 256) if (n * width > 8192)
  for (gsize i = 0; i < n; i++) {
    double around[5][16];

    if (keeps && (i < 2 || i + 2 >= n)) {
      memcpy (out + i * width, in + i * width, width * sizeof *out);
      continue;
    }
    for (int k = 0; k < 5; k++)
      get_value (smoothing, in, n, width, (gint64) i + k - 2, around[k]);
    for (guint c = 0; c < width; c++) {
      /* The cubic through the four at 0, 1/4, 3/4 and 1, in the middle. */
      const double middle = (around[1][c] + around[3][c]) * 2 / 3 - (around[0][c] + around[4][c]) / 6;

      out[i * width + c] = 0.5 * (around[2][c] + middle);
    }
  }
  for (guint c = 0; parabolic && c < width; c++) {
    const double *first = in + c, *last = in + (n - 1) * width + c;
    const gint64 step = width;

    out[width + c] = estimate_second (first, step);
    out[(n - 2) * width + c] = estimate_second (last, -step);
    if (smoothing->ends == SMOOTHING_PARABOLIC) {
      out[c] = estimate_end (first, step);
      out[(n - 1) * width + c] = estimate_end (last, -step);
    }
  }
}

/* Kernels. */

static double
get_reach (const Smoothing *smoothing)
{
  switch (smoothing->kernel) {
  case SMOOTHING_GAUSSIAN:
    return GAUSSIAN_REACH * smoothing->width;
  case SMOOTHING_CUSTOM:
    return 0.5 * smoothing->n_weights;
  case SMOOTHING_BOX:
  case SMOOTHING_TENT:
  default:
    return smoothing->width;
  }
}

/* The area of the kernel up to x. */
static double
get_area (const Smoothing *smoothing, double x)
{
  const double reach = get_reach (smoothing);

  if (x <= -reach)
    return 0;
  if (x >= reach)
    return 1;
  switch (smoothing->kernel) {
  case SMOOTHING_TENT: {
    const double t = x / reach;

    return t < 0 ? 0.5 * (1 + t) * (1 + t) : 1 - 0.5 * (1 - t) * (1 - t);
  }
  case SMOOTHING_GAUSSIAN: {
    const double whole = erf (GAUSSIAN_REACH / sqrt (2));

    return 0.5 * (erf (x / smoothing->width / sqrt (2)) + whole) / whole;
  }
  case SMOOTHING_CUSTOM: {
    const double at = x + reach;
    const guint full = (guint) fmin (floor (at), smoothing->n_weights - 1);
    double sum = 0;

    for (guint i = 0; i < full; i++)
      sum += smoothing->weights[i];
    return sum + (at - full) * smoothing->weights[full];
  }
  case SMOOTHING_BOX:
  default:
    return 0.5 * (x / reach + 1);
  }
}

double
smoothing_get_weight (const Smoothing *smoothing, double from, double to)
{
  return get_area (smoothing, to) - get_area (smoothing, from);
}

/* The values are steps of width 1 around their places; the kernel lies over them with its middle at x. */
static void
convolve (const Smoothing *smoothing, const double *in, gsize n, guint width, double x, double *out)
{
  const double reach = get_reach (smoothing);
  const gint64 first = (gint64) floor (x - reach + 0.5), last = (gint64) ceil (x + reach - 0.5);
  double value[16];

  memset (out, 0, width * sizeof *out);
  for (gint64 j = first; j <= last; j++) {
    const double weight = smoothing_get_weight (smoothing, (double) j - 0.5 - x, (double) j + 0.5 - x);

    get_value (smoothing, in, n, width, j, value);
    for (guint c = 0; c < width; c++)
      out[c] += weight * value[c];
  }
}

static void
smooth_convolution (const Smoothing *smoothing, const double *in, gsize n, guint width, double *out, gsize count)
{
  const double step = smoothing->closed ? (double) n / (double) count
                      : count > 1       ? (double) (n - 1) / (double) (count - 1)
                                        : 0;
  const bool keeps = !smoothing->closed && (smoothing->ends == SMOOTHING_KEEP || smoothing->ends == SMOOTHING_SKIP);

#pragma omp parallel for schedule(dynamic, 256) if (count * width > 8192)
  for (gsize i = 0; i < count; i++)
    convolve (smoothing, in, n, width, step * (double) i, out + i * width);
  if (keeps) {
    memcpy (out, in, width * sizeof *out);
    memcpy (out + (count - 1) * width, in + (n - 1) * width, width * sizeof *out);
  }
}

/* B-splines. */

/* How many of n values are chosen as control points. */
static gsize
count_chosen (const Smoothing *smoothing, gsize n, guint every)
{
  return smoothing->closed ? (n + every - 1) / every : (n - 1 + every - 1) / every + 1;
}

double *
smoothing_get_control (const Smoothing *smoothing, const double *values, gsize n, guint width, gsize *n_control)
{
  const gsize least = smoothing->closed ? 4 : 2;
  guint every = MAX (smoothing->every, 1);
  gsize chosen;
  double *out;

  while (every > 1 && count_chosen (smoothing, n, every) < least)
    every--;
  chosen = count_chosen (smoothing, n, every);
  if (smoothing->closed) {
    *n_control = chosen;
    out = g_new (double, chosen *width);
    for (gsize i = 0; i < chosen; i++)
      memcpy (out + i * width, values + i * every * width, width * sizeof *out);
    return out;
  }
  *n_control = chosen + 2;
  out = g_new (double, (chosen + 2) * width);
  for (gsize i = 0; i < chosen; i++)
    memcpy (out + (i + 1) * width, values + MIN (i * every, n - 1) * width, width * sizeof *out);
  for (guint c = 0; c < width; c++) {
    out[c] = 2 * out[width + c] - out[2 * width + c];
    out[(chosen + 1) * width + c] = 2 * out[chosen * width + c] - out[(chosen - 1) * width + c];
  }
  return out;
}

static void
smooth_b_spline (const Smoothing *smoothing, const double *in, gsize n, guint width, double *out, gsize count)
{
  gsize m;
  g_autofree double *control = smoothing_get_control (smoothing, in, n, width, &m);
  const gsize pieces = smoothing->closed ? m : m - 3;

  for (gsize i = 0; i < count; i++) {
    const double t = (double) i * (double) pieces / (double) (smoothing->closed ? count : MAX (count - 1, 1));
    const gsize piece = MIN ((gsize) t, pieces - 1);
    const double u = t - (double) piece, v = 1 - u;
    const double basis[4] = { v * v * v / 6, (3 * u * u * u - 6 * u * u + 4) / 6, (3 * v * v * v - 6 * v * v + 4) / 6,
                              u * u * u / 6 };

    for (guint c = 0; c < width; c++) {
      double sum = 0;

      /* A closed one starts near its first control point, as the points do. */
      for (gsize k = 0; k < 4; k++)
        sum += basis[k] * control[(smoothing->closed ? (piece + k + m - 1) % m : piece + k) * width + c];
      out[i * width + c] = sum;
    }
  }
}

double *
smoothing_apply (const Smoothing *smoothing, const double *values, gsize n, guint width, gsize *n_out,
                 const KgProgressMonitor *monitor)
{
  const bool resamples = smoothing->method == SMOOTHING_CONVOLUTION || smoothing->method == SMOOTHING_B_SPLINE;
  g_autofree double *from = g_memdup2 (values, n * width * sizeof *values);
  Smoothing simple = *smoothing;

  g_assert (width <= 16);
  *n_out = n;
  /* Too few for a cubic: its simpler relative. */
  if (simple.method == SMOOTHING_CUBIC && n < 5)
    simple.method = SMOOTHING_LINEAR;
  if (n < smoothing_get_minimum (&simple))
    return g_steal_pointer (&from);
  for (guint i = 0; i < simple.iterations; i++) {
    const bool last = i + 1 == simple.iterations;
    const gsize count = resamples && last && simple.output > 1 ? simple.output : n;
    g_autofree double *to = NULL;

    if (kg_progress_is_cancelled (monitor))
      return NULL;
    to = g_new (double, count *width);
    switch (simple.method) {
    case SMOOTHING_CUBIC:
      smooth_cubic (&simple, from, n, width, to);
      break;
    case SMOOTHING_CONVOLUTION:
      smooth_convolution (&simple, from, n, width, to, count);
      break;
    case SMOOTHING_B_SPLINE:
      smooth_b_spline (&simple, from, n, width, to, count);
      break;
    case SMOOTHING_LINEAR:
    default:
      smooth_linear (&simple, from, n, width, to);
      break;
    }
    *n_out = count;
    g_free (from);
    from = g_steal_pointer (&to);
  }
  return g_steal_pointer (&from);
}

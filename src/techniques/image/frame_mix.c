/* frame_mix: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/frame_mix.h"

#include "kg-math.h"
#include "kg-random.h"

/* Differences of components that count as movement. */
#define MOVES 1e-4

const float *
frame_mix_get_row (const KgImage *frame, int width, int height, int y, int *first, int *end)
{
  const int columns = kg_image_get_width (frame), rows = kg_image_get_height (frame);
  /* The middles fall together; half a pixel goes to the right and down. */
  const int left = (int) floor (0.5 * (width - columns) + 0.5), row = y - (int) floor (0.5 * (height - rows) + 0.5);

  *first = MAX (left, 0);
  *end = MIN (left + columns, width);
  if (row < 0 || row >= rows || *first >= *end)
    return NULL;
  return kg_image_get_pixels (frame) + 4 * ((ptrdiff_t) row * columns - left);
}

static void
sort_few (float *a, guint n)
{
  for (guint i = 1; i < n; i++) {
    const float x = a[i];
    guint j = i;

    for (; j > 0 && a[j - 1] > x; j--)
      a[j] = a[j - 1];
    a[j] = x;
  }
}

static int
compare_floats (const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

static float
find_median (float *a, guint n)
{
  if (n <= 32)
    sort_few (a, n);
  else
    qsort (a, n, sizeof *a, compare_floats);
  return n % 2 == 1 ? a[n / 2] : 0.5f * (a[n / 2 - 1] + a[n / 2]);
}

static void
mix_median (const KgImage *const *frames, guint n, int width, int height, int y, float *to)
{
  g_autofree const float **rows = g_new (const float *, n);
  g_autofree int *edges = g_new (int, 2 * (size_t) n);
  g_autofree float *values = g_new (float, n);

  for (guint i = 0; i < n; i++)
    rows[i] = frame_mix_get_row (frames[i], width, height, y, &edges[2 * i], &edges[2 * i + 1]);
  for (int x = 0; x < width; x++)
    for (int c = 0; c < 4; c++) {
      for (guint i = 0; i < n; i++)
        values[i] = rows[i] != NULL && x >= edges[2 * i] && x < edges[2 * i + 1] ? rows[i][4 * x + c] : 0;
      to[4 * x + c] = find_median (values, n);
    }
}

/* Adds one frame to the sums of a row. */
static void
add_row (FrameMixRule rule, double weight, const float *row, int x, int end, double *sum)
{
  for (; x < end; x++) {
    const float *p = row + 4 * x;
    double *s = sum + 4 * x;

    if (rule == FRAME_MIX_OVER || rule == FRAME_MIX_UNDER) {
      const double back = rule == FRAME_MIX_OVER ? weight * (1 - s[3]) : weight;
      const double keep = rule == FRAME_MIX_OVER ? 1 : 1 - weight * (double) p[3];

      for (int c = 0; c < 4; c++)
        s[c] = s[c] * keep + back * (double) p[c];
    } else if (rule == FRAME_MIX_MAX || rule == FRAME_MIX_MIN) {
      for (int c = 0; c < 4; c++)
        s[c] = rule == FRAME_MIX_MAX ? fmax (s[c], weight * (double) p[c]) : fmin (s[c], weight * (double) p[c]);
    } else {
      for (int c = 0; c < 4; c++)
        s[c] += weight * (double) p[c];
    }
  }
}

/* What a frame adds where it is not: transparent black counts in a minimum and a maximum. */
static void
add_nothing (FrameMixRule rule, int x, int end, double *sum)
{
  for (; x < end; x++)
    for (int c = 0; c < 4; c++)
      sum[4 * x + c] = rule == FRAME_MIX_MAX ? fmax (sum[4 * x + c], 0) : fmin (sum[4 * x + c], 0);
}

static void
mix_row (const KgImage *const *frames, const double *weights, guint n, FrameMixRule rule, int width, int height, int y,
         double *sum, float *to)
{
  const bool extreme = rule == FRAME_MIX_MIN || rule == FRAME_MIX_MAX;
  const double start = rule == FRAME_MIX_MIN ? HUGE_VAL : rule == FRAME_MIX_MAX ? -HUGE_VAL : 0;
  double total = 0;

  for (int i = 0; i < 4 * width; i++)
    sum[i] = start;
  for (guint i = 0; i < n; i++) {
    const double weight = weights != NULL ? weights[i] : 1;
    int first = width, end = width;
    const float *row = frame_mix_get_row (frames[i], width, height, y, &first, &end);

    if (row == NULL)
      first = end = width;
    total += weight;
    if (row != NULL)
      add_row (rule, weight, row, first, end, sum);
    if (extreme) {
      add_nothing (rule, 0, first, sum);
      add_nothing (rule, end, width, sum);
    }
  }
  if (rule != FRAME_MIX_MEAN)
    total = 1;
  for (int i = 0; i < 4 * width; i++)
    to[i] = total != 0 ? (float) (sum[i] / total) : 0;
}

bool
frame_mix (const KgImage *const *frames, const double *weights, guint n, FrameMixRule rule, KgImage *out,
           const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (out), height = kg_image_get_height (out);
  float *pixels = kg_image_edit_pixels (out);

  if (n == 0)
    return true;
#pragma omp parallel
  {
    g_autofree double *sum = g_new (double, 4 * (size_t) width);

#pragma omp for schedule(dynamic, 4)
    for (int y = 0; y < height; y++) {
      float *to = pixels + 4 * (size_t) y * (size_t) width;

      if (kg_progress_is_cancelled (monitor))
        continue;
      if (rule == FRAME_MIX_MEDIAN)
        mix_median (frames, n, width, height, y, to);
      else
        mix_row (frames, weights, n, rule, width, height, y, sum, to);
    }
  }
  return !kg_progress_is_cancelled (monitor);
}

/* Moments of what differs from the background in one frame. */
typedef struct {
  double m, x, y, xx, xy, yy;
} Moments;

static Moments
measure_moments (const KgImage *frame, const KgImage *background)
{
  const int width = kg_image_get_width (background), height = kg_image_get_height (background);
  Moments sum = { 0 };

  for (int y = 0; y < height; y++) {
    const float *b = kg_image_get_pixels (background) + 4 * (size_t) y * (size_t) width;
    int first, end;
    const float *row = frame_mix_get_row (frame, width, height, y, &first, &end);

    for (int x = first; row != NULL && x < end; x++) {
      double w = 0;

      for (int c = 0; c < 4; c++)
        w += fabs ((double) row[4 * x + c] - (double) b[4 * x + c]);
      if (w < MOVES)
        continue;
      sum.m += w;
      sum.x += w * x;
      sum.y += w * y;
      sum.xx += w * x * x;
      sum.xy += w * x * y;
      sum.yy += w * y * y;
    }
  }
  return sum;
}

bool
frame_mix_measure_ghosts (const KgImage *const *frames, guint n, FrameGhosts *ghosts, const KgProgressMonitor *monitor)
{
  g_autoptr (KgImage) background = NULL;
  g_autofree Moments *moments = g_new0 (Moments, n);
  double spacing = 0, extent = 0;
  guint steps = 0;

  *ghosts = (FrameGhosts){ 0 };
  if (n < 3)
    return true;
  background = kg_image_new (kg_image_get_width (frames[0]), kg_image_get_height (frames[0]), false, NULL);
  if (background == NULL || !frame_mix (frames, NULL, n, FRAME_MIX_MEDIAN, background, monitor))
    return false;
#pragma omp parallel for schedule(dynamic, 1)
  for (guint i = 0; i < n; i++)
    if (!kg_progress_is_cancelled (monitor))
      moments[i] = measure_moments (frames[i], background);
  for (guint i = 1; i < n; i++) {
    const Moments *a = &moments[i - 1], *b = &moments[i];
    double dx, dy, step, x, y, variance;

    if (a->m <= 0 || b->m <= 0)
      continue;
    x = b->x / b->m;
    y = b->y / b->m;
    dx = x - a->x / a->m;
    dy = y - a->y / a->m;
    step = hypot (dx, dy);
    if (step < 1e-6)
      continue;
    dx /= step;
    dy /= step;
    /* Each pixel is a square: 1/12 of variance of its own. */
    variance = dx * dx * (b->xx / b->m - x * x) + 2 * dx * dy * (b->xy / b->m - x * y) +
               dy * dy * (b->yy / b->m - y * y) + 1.0 / 12;
    spacing += step;
    extent += sqrt (12 * fmax (variance, 0));
    steps++;
  }
  if (steps > 0)
    *ghosts = (FrameGhosts){ .spacing = spacing / steps, .extent = extent / steps };
  return !kg_progress_is_cancelled (monitor);
}

/* Another order of the frames for each pixel: Fisher and Yates's shuffle. */
static void
shuffle (int *order, int n, uint64_t seed, uint64_t pixel)
{
  for (int k = 0; k < n; k++)
    order[k] = k;
  for (int k = n - 1; k > 0; k--) {
    const int other = (int) (kg_random_bits (seed, pixel, (uint64_t) k) % (uint64_t) (k + 1)), swap = order[k];

    order[k] = order[other];
    order[other] = swap;
  }
}

/* Row y of out. */
static void
distribute_row (const KgImage *const *frames, const double *weights, int side, uint64_t seed, int y, int *order,
                KgImage *out, float *to)
{
  const int width = kg_image_get_width (out), n = side * side;
  double total = 0;

  for (int k = 0; k < n; k++)
    total += weights[k];
  for (int x = 0; x < width; x++, to += 4) {
    double sum[4] = { 0 };

    shuffle (order, n, seed, (uint64_t) y * (uint64_t) width + (uint64_t) x);
    for (int k = 0; k < n; k++) {
      const int column = side * x + k % side;
      int first = 0, end = 0;
      const float *row = frame_mix_get_row (frames[order[k]], side * width, side * kg_image_get_height (out),
                                            side * y + k / side, &first, &end);

      for (int c = 0; row != NULL && column >= first && column < end && c < 4; c++)
        sum[c] += weights[order[k]] * (double) row[4 * column + c];
    }
    for (int c = 0; c < 4; c++)
      to[c] = (float) (sum[c] / total);
  }
}

bool
frame_mix_distribute (const KgImage *const *frames, const double *weights, int side, uint64_t seed, KgImage *out,
                      const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (out), height = kg_image_get_height (out);
  float *pixels = kg_image_edit_pixels (out);

#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y < height; y++) {
    g_autofree int *order = g_new (int, (gsize) side *(gsize) side);

    if (!kg_progress_is_cancelled (monitor))
      distribute_row (frames, weights, side, seed, y, order, out, pixels + 4 * (size_t) y * (size_t) width);
  }
  return !kg_progress_is_cancelled (monitor);
}

/* blur: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/blur.h"

#include "image/pixel_vectors.h"
#include "kg-base.h"
#include "kg-kernel.h"

#include <omp.h>

/* Standard deviations above this are computed on a reduced image; a cell of it is at most a quarter of one. */
#define REDUCED_FROM 8.0
#define CELLS_PER_SIGMA 4.0
/* Half the width of a Gaussian, in standard deviations. */
#define TAIL 4.75
/* Columns that are filtered at a time: a few of the processor's cache lines, and enough of them. */
#define COLUMNS 8
#define WIDE_COLUMNS 32

/* One by one: gcc makes one instruction of these and several of the conversion of a vector. */
#define WIDEN(p) ((FourDoubles){ (double) (p)[0], (double) (p)[1], (double) (p)[2], (double) (p)[3] })

/* Samples of a bell of parameter t, whose sum is 1; returns their variance. */
static double
sample_bell (double t, int radius, double *w)
{
  double sum = 1, variance = 0;

  w[0] = 1;
  for (int n = 1; n <= radius; n++) {
    w[n] = exp (-0.5 * n * n / t);
    sum += 2 * w[n];
    variance += 2 * w[n] * n * n;
  }
  for (int n = 0; n <= radius; n++)
    w[n] /= sum;
  return variance / sum;
}

/* The Gaussian on whole pixels that has this variance: weights 0 ... radius.  (transfer full) */
static float *
make_gaussian (double variance, int *radius)
{
  const int r = variance < 1e-9 ? 0 : (int) ceil (TAIL * sqrt (variance)) + 1;
  g_autofree double *w = g_new0 (double, r + 1);
  float *weights = g_new (float, r + 1);
  double low = 1e-3, high = variance + 1;

  for (int i = 0; i < 60; i++) {
    const double t = 0.5 * (low + high);

    if (sample_bell (t, r, w) < variance)
      low = t;
    else
      high = t;
  }
  for (int n = 0; n <= r; n++)
    weights[n] = r > 0 ? (float) w[n] : 1;
  *radius = r;
  return weights;
}

/* sum += weight (a[i] + b[i]) */
static inline void
add_both (EightFloats *sum, const float *a, const float *b, float weight)
{
  EightFloats x, y;

  memcpy (&x, a, sizeof x);
  memcpy (&y, b, sizeof y);
  *sum += weight * (x + y);
}

static inline void
begin_sum (EightFloats *sum, const float *a, float weight)
{
  memcpy (sum, a, sizeof *sum);
  *sum *= weight;
}

/* to[i] = the sum of weights[|k|] rows[radius + k][i], for k from -radius to radius, and i below n. */
KG_KERNEL static void
sum_rows (const float *const rows[], size_t n, const float *weights, int radius, float *to)
{
  size_t i = 0;

  for (; i + 32 <= n; i += 32) {
    EightFloats a, b, c, d;

    begin_sum (&a, rows[radius] + i, weights[0]);
    begin_sum (&b, rows[radius] + i + 8, weights[0]);
    begin_sum (&c, rows[radius] + i + 16, weights[0]);
    begin_sum (&d, rows[radius] + i + 24, weights[0]);
    for (int k = 1; k <= radius; k++) {
      const float w = weights[k], *before = rows[radius - k] + i, *after = rows[radius + k] + i;

      add_both (&a, before, after, w);
      add_both (&b, before + 8, after + 8, w);
      add_both (&c, before + 16, after + 16, w);
      add_both (&d, before + 24, after + 24, w);
    }
    memcpy (to + i, &a, sizeof a);
    memcpy (to + i + 8, &b, sizeof b);
    memcpy (to + i + 16, &c, sizeof c);
    memcpy (to + i + 24, &d, sizeof d);
  }
  for (; i < n; i++) {
    float sum = weights[0] * rows[radius][i];

    for (int k = 1; k <= radius; k++)
      sum += weights[k] * (rows[radius - k][i] + rows[radius + k][i]);
    to[i] = sum;
  }
}

/* to[i] = the sum of weights[|k|] from[i + k step]; from has radius * step numbers more on each side.  rows: room for 2 radius + 1. */
static void
convolve (const float *from, size_t n, size_t step, const float *weights, int radius, const float **rows, float *to)
{
  for (int k = -radius; k <= radius; k++)
    rows[radius + k] = from + (ptrdiff_t) k * (ptrdiff_t) step;
  sum_rows (rows, n, weights, radius, to);
}

double
blur_gaussian_reach (double sigma)
{
  /* Reduced images have cells of their own, each as wide as a quarter of a standard deviation at most. */
  return (sigma < REDUCED_FROM ? TAIL + 0.25 : TAIL + 1.25) * sigma + 4;
}

/* A pass over the lines of an image: rows one by one, columns a few at a time. */
typedef struct {
  int n;         /* pixels of a line */
  int n_lines;   /* lines or groups of columns */
  size_t stride; /* floats from a pixel to the next */
  bool across;
  int width;
} Lines;

static Lines
get_lines (int width, int height, bool across)
{
  return across ? (Lines){ width, height, 4, true, width }
                : (Lines){ height, (width + COLUMNS - 1) / COLUMNS, 4 * (size_t) width, false, width };
}

/* The first number of a line, and how many numbers it has at each of its places. */
static size_t
get_line (const Lines *lines, int line, size_t *lanes)
{
  if (lines->across) {
    *lanes = 4;
    return 4 * (size_t) line * (size_t) lines->width;
  }
  *lanes = 4 * (size_t) MIN (COLUMNS, lines->width - line * COLUMNS);
  return 4 * (size_t) line * COLUMNS;
}

/* A pixel of a line or a row of them, n numbers, from wherever the edges say. */
static void
copy_from (const float *base, int i, int end, size_t stride, ResampleEdges edges, size_t n, float *to)
{
  const int from = resample_find_index (i, end, edges);

  if (from < 0)
    memset (to, 0, n * sizeof *to);
  else
    memcpy (to, base + (size_t) from * stride, n * sizeof *to);
}

/* The Gaussian itself along rows. */
static bool
filter_rows (float *pixels, int width, int height, const float *weights, int radius, ResampleEdges edges,
             const KgProgressMonitor *monitor)
{
  const int n_threads = omp_get_max_threads ();
  const size_t with_edges = 4 * ((size_t) width + 2 * (size_t) radius), n_rows = 2 * (size_t) radius + 1;
  g_autofree float *scratch = g_new (float, with_edges *(size_t) n_threads);
  g_autofree const float **rows = g_new (const float *, n_rows *(size_t) n_threads);

#pragma omp parallel for schedule(dynamic, 4) num_threads(n_threads)
  for (int y = 0; y < height; y++) {
    const size_t thread = (size_t) omp_get_thread_num ();
    float *in = scratch + with_edges * thread, *row = pixels + 4 * (size_t) width * (size_t) y;
    float *inside = in + 4 * (size_t) radius;

    if (kg_progress_is_cancelled (monitor))
      continue;
    for (int i = 0; i < radius; i++) {
      copy_from (row, i - radius, width, 4, edges, 4, in + 4 * (size_t) i);
      copy_from (row, width + i, width, 4, edges, 4, inside + 4 * ((size_t) width + (size_t) i));
    }
    memcpy (inside, row, 4 * (size_t) width * sizeof *row);
    convolve (inside, 4 * (size_t) width, 4, weights, radius, rows + n_rows * thread, row);
  }
  return !kg_progress_is_cancelled (monitor);
}

/* Along columns, a strip of them at a time: a ring holds the rows around the one that is written, which come into it as they were.
 * Those beyond the last one are put aside first. */
static void
filter_strip (float *strip, size_t n, int height, size_t stride, const float *weights, int radius, ResampleEdges edges,
              float *ring, const float **rows)
{
  const int n_rows = 2 * radius + 1;
  float *beyond = ring + (size_t) n_rows * n;

  /* Twice, so that any of them can be the first. */
  for (int i = 0; i < 2 * n_rows; i++)
    rows[i] = ring + (size_t) (i % n_rows) * n;
  for (int i = 0; i < 2 * radius; i++)
    copy_from (strip, i - radius, height, stride, edges, n, ring + (size_t) i * n);
  for (int i = 0; i < radius; i++)
    copy_from (strip, height + i, height, stride, edges, n, beyond + (size_t) i * n);
  for (int y = 0; y < height; y++) {
    const int next = y + radius;

    memcpy (ring + (size_t) ((y + 2 * radius) % n_rows) * n,
            next < height ? strip + (size_t) next * stride : beyond + (size_t) (next - height) * n, n * sizeof (float));
    for (size_t i = 0; i < n && next + 2 < height; i += 16)
      __builtin_prefetch (strip + (size_t) (next + 2) * stride + i);
    sum_rows (rows + y % n_rows, n, weights, radius, strip + (size_t) y * stride);
  }
}

static bool
filter_columns (float *pixels, int width, int height, const float *weights, int radius, ResampleEdges edges,
                const KgProgressMonitor *monitor)
{
  const int n_threads = omp_get_max_threads (), n_strips = (width + WIDE_COLUMNS - 1) / WIDE_COLUMNS;
  const size_t n_rows = 2 * (size_t) radius + 1, size = 4 * WIDE_COLUMNS * (n_rows + (size_t) radius);
  g_autofree float *scratch = g_new (float, size *(size_t) n_threads);
  g_autofree const float **rows = g_new (const float *, 2 * n_rows * (size_t) n_threads);

#pragma omp parallel for schedule(dynamic) num_threads(n_threads)
  for (int strip = 0; strip < n_strips; strip++) {
    const int left = strip * WIDE_COLUMNS;
    const size_t thread = (size_t) omp_get_thread_num ();

    if (!kg_progress_is_cancelled (monitor))
      filter_strip (pixels + 4 * (size_t) left, 4 * (size_t) MIN (WIDE_COLUMNS, width - left), height,
                    4 * (size_t) width, weights, radius, edges, scratch + size * thread, rows + 2 * n_rows * thread);
  }
  return !kg_progress_is_cancelled (monitor);
}

/* One pass with the Gaussian itself. */
static bool
filter_lines (float *pixels, int width, int height, bool across, double sigma, ResampleEdges edges,
              const KgProgressMonitor *monitor)
{
  int radius;
  g_autofree float *weights = make_gaussian (sigma * sigma, &radius);

  if (radius == 0)
    return true;
  return across ? filter_rows (pixels, width, height, weights, radius, edges, monitor)
                : filter_columns (pixels, width, height, weights, radius, edges, monitor);
}

/* How a line of n pixels becomes cells of factor pixels: pixel i adds to four cells around it. */
typedef struct {
  int n, factor, pad, n_cells; /* cell c of the arrays has its centre at (c - pad + 0.5) factor */
  float (*weight)[4];          /* of the phases i mod factor */
  int *first;                  /* the first cell of pixel i = phase: of c - pad */
  int begin;                   /* the first of the 4 factor pixels of the cell with c = pad */
  double *share;               /* of these in it */
  double *left, *right;        /* shares of what is beyond the ends in each cell, for edges that are extended */
} Cells;

static void
cells_clear (Cells *cells)
{
  g_clear_pointer (&cells->weight, g_free);
  g_clear_pointer (&cells->first, g_free);
  g_clear_pointer (&cells->share, g_free);
  g_clear_pointer (&cells->left, g_free);
  g_clear_pointer (&cells->right, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cells, cells_clear)

static inline int
divide_down (int64_t a, int b)
{
  return (int) (a >= 0 ? a / b : -((-a + b - 1) / b));
}

/* The first cell that pixel i (of any sign) adds to, as an index of the arrays, and its four weights. */
static inline int
find_cells (const Cells *cells, int64_t i, const float **weight)
{
  const int turn = divide_down (i, cells->factor), phase = (int) (i - (int64_t) turn * cells->factor);

  *weight = cells->weight[phase];
  return cells->first[phase] + turn + cells->pad;
}

static void
cells_init (Cells *cells, int n, int factor, int radius, ResampleEdges edges)
{
  const float *w;

  cells->n = n;
  cells->factor = factor;
  cells->pad = radius + 3;
  cells->n_cells = (n + factor - 1) / factor + 2 * cells->pad;
  cells->weight = g_malloc_n ((gsize) factor, sizeof *cells->weight);
  cells->first = g_new (int, factor);
  for (int p = 0; p < factor; p++) {
    const double u = (p + 0.5) / factor - 0.5, k = floor (u), t = u - k, s = 1 - t;

    cells->first[p] = (int) k - 1;
    cells->weight[p][0] = (float) (s * s * s / 6);
    cells->weight[p][1] = (float) ((4 - 6 * t * t + 3 * t * t * t) / 6);
    cells->weight[p][2] = (float) ((4 - 6 * s * s + 3 * s * s * s) / 6);
    cells->weight[p][3] = (float) (t * t * t / 6);
  }
  /* Phases of the left half begin a cell farther to the left. */
  cells->begin = factor / 2 - 2 * factor;
  cells->share = g_new (double, 4 * (gsize) factor);
  for (int i = 0; i < 4 * factor; i++)
    cells->share[i] = (double) cells->weight[(factor / 2 + i) % factor][3 - i / factor];
  if (edges != RESAMPLE_EXTEND)
    return;
  cells->left = g_new0 (double, cells->n_cells);
  cells->right = g_new0 (double, cells->n_cells);
  for (int c = 0; c < cells->n_cells; c++) {
    cells->left[c] = c < cells->pad - 2 ? 1 : 0;
    cells->right[c] = 1 - cells->left[c];
  }
  for (int64_t i = -4 * (int64_t) factor; i < n; i++) {
    const int c = find_cells (cells, i, &w);

    for (int k = 0; k < 4; k++) {
      if (i < 0 && c + k >= cells->pad - 2)
        cells->left[c + k] += (double) w[k] / factor;
      if (i >= 0 || c + k >= cells->pad - 2)
        cells->right[c + k] -= (double) w[k] / factor;
    }
  }
}

/* The sums of n pixels from four places on, pixels and places so far apart, times their shares. */
static inline void
sum_four (const float *from, size_t apart, size_t stride, const double *share, int n, FourDoubles sum[4])
{
  FourDoubles a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

  for (int i = 0; i < n; i++, from += stride) {
    const float *second = from + apart, *third = second + apart, *fourth = third + apart;

    a += share[i] * WIDEN (from);
    b += share[i] * WIDEN (second);
    c += share[i] * WIDEN (third);
    d += share[i] * WIDEN (fourth);
  }
  sum[0] = a;
  sum[1] = b;
  sum[2] = c;
  sum[3] = d;
}

/* The sums of all pixels that there are, of one place. */
static inline void
sum_some (const Cells *cells, const float *line, size_t stride, int first, int n, const double *share, int64_t low,
          int64_t end, ResampleEdges edges, FourDoubles *sum)
{
  *sum = (FourDoubles){ 0 };
  for (int i = 0; i < n; i++) {
    const int64_t at = (int64_t) first + i;

    if (at >= low && at < end) {
      const float *pixel = line + (size_t) resample_find_index (at, cells->n, edges) * stride;

      *sum += share[i] * WIDEN (pixel);
    }
  }
}

/* What is beyond the ends of an image that is extended. */
static inline void
finish_mean (const Cells *cells, int c, const FourDoubles *sum, const float *first, const float *last, float *mean)
{
  FourDoubles value = *sum * (1.0 / cells->factor);
  FourFloats rounded;

  if (cells->left != NULL)
    value += cells->left[c] * WIDEN (first) + cells->right[c] * WIDEN (last);
  rounded = __builtin_convertvector(value, FourFloats);
  memcpy (mean, &rounded, sizeof rounded);
}

/* The means of a line in its cells: n_cells times lanes numbers, which are a multiple of four. */
KG_KERNEL static void
reduce_line (const Cells *cells, const float *line, size_t stride, size_t lanes, ResampleEdges edges, float *mean)
{
  const int64_t beyond =
      edges == RESAMPLE_REPEAT || edges == RESAMPLE_MIRROR ? (int64_t) (cells->pad + 2) * cells->factor : 0;
  const float *last = line + (size_t) (cells->n - 1) * stride;
  const int taps = 4 * cells->factor;
  FourDoubles sum[4];

  for (int c = 0; c < cells->n_cells;) {
    const int first = cells->begin + (c - cells->pad) * cells->factor, most = first + taps + 3 * cells->factor;

    if (lanes == 4 && first >= 0 && most <= cells->n && c + 4 <= cells->n_cells) {
      sum_four (line + (size_t) first * stride, (size_t) cells->factor * stride, stride, cells->share, taps, sum);
      for (int k = 0; k < 4; k++, c++)
        finish_mean (cells, c, &sum[k], line, last, mean + (size_t) c * lanes);
      continue;
    }
    for (size_t l = 0; l < lanes;) {
      float *to = mean + (size_t) c * lanes + l;

      if (l + 16 <= lanes && first >= 0 && first + taps <= cells->n) {
        sum_four (line + (size_t) first * stride + l, 4, stride, cells->share, taps, sum);
        for (size_t k = 0; k < 4; k++, l += 4)
          finish_mean (cells, c, &sum[k], line + l, last + l, to + 4 * k);
      } else {
        sum_some (cells, line + l, stride, first, taps, cells->share, -beyond, cells->n + beyond, edges, sum);
        finish_mean (cells, c, sum, line + l, last + l, to);
        l += 4;
      }
    }
    c++;
  }
}

/* The spline through cells, each cell_stride numbers from the one before, at the pixels of a line. */
KG_KERNEL static void
enlarge_line (const Cells *cells, const float *mean, size_t cell_stride, size_t lanes, float *line, size_t stride)
{
  const float *turn = mean + (size_t) cells->pad * cell_stride;

  for (int i = 0, phase = 0; i < cells->n; i++) {
    const float *w = cells->weight[phase], *m = turn + (ptrdiff_t) cells->first[phase] * (ptrdiff_t) cell_stride;
    float *to = line + (size_t) i * stride;

    for (size_t l = 0; l < lanes; l += 4) {
      const FourFloats sum = w[0] * four_floats_at (m + l) + w[1] * four_floats_at (m + cell_stride + l) +
                             w[2] * four_floats_at (m + 2 * cell_stride + l) +
                             w[3] * four_floats_at (m + 3 * cell_stride + l);

      memcpy (to + l, &sum, sizeof sum);
    }
    if (++phase == cells->factor) {
      phase = 0;
      turn += cell_stride;
    }
  }
}

/* Reduces the lines of an image, and filters the cells, which to gets; without it (NULL) they are enlarged again at once. */
static bool
reduce_lines (float *pixels, int width, int height, bool across, const Cells *cells, const float *weights, int radius,
              ResampleEdges edges, float *to, const KgProgressMonitor *monitor)
{
  const Lines lines = get_lines (width, height, across);
  const size_t size = (size_t) cells->n_cells * 4 * COLUMNS, each = 2 * size; /* means, filtered */
  const int n_threads = omp_get_max_threads ();
  const size_t n_rows = 2 * (size_t) radius + 1;
  g_autofree float *scratch = g_new0 (float, each *(size_t) n_threads);
  g_autofree const float **rows = g_new (const float *, n_rows *(size_t) n_threads);

#pragma omp parallel for schedule(dynamic, 4) num_threads(n_threads)
  for (int line = 0; line < lines.n_lines; line++) {
    const size_t thread = (size_t) omp_get_thread_num ();
    float *mean = scratch + each * thread, *filtered = mean + size, *base;
    size_t lanes, inside;

    if (kg_progress_is_cancelled (monitor))
      continue;
    base = pixels + get_line (&lines, line, &lanes);
    inside = (size_t) (cells->n_cells - 2 * radius) * lanes;
    reduce_line (cells, base, lines.stride, lanes, edges, mean);
    convolve (mean + (size_t) radius * lanes, inside, lanes, weights, radius, rows + n_rows * thread,
              filtered + (size_t) radius * lanes);
    if (to == NULL)
      enlarge_line (cells, filtered, lanes, lanes, base, lines.stride);
    else if (across)
      memcpy (to + 4 * (size_t) line * (size_t) cells->n_cells, filtered,
              (size_t) cells->n_cells * lanes * sizeof (float));
    else
      for (int c = 0; c < cells->n_cells; c++)
        memcpy (to + (size_t) c * lines.stride + 4 * (size_t) line * COLUMNS, filtered + (size_t) c * lanes,
                lanes * sizeof (float));
  }
  return !kg_progress_is_cancelled (monitor);
}

/* Beyond this the image again and again, or mirrored, is even to seven digits. */
static double
limit_sigma (double sigma, int n, ResampleEdges edges)
{
  if (edges == RESAMPLE_REPEAT)
    return fmin (sigma, n);
  return edges == RESAMPLE_MIRROR ? fmin (sigma, 2.0 * n) : sigma;
}

static float *
make_reduced_gaussian (double sigma, int n, ResampleEdges edges, Cells *cells, int *radius)
{
  const int factor = (int) (sigma / CELLS_PER_SIGMA);
  float *weights = make_gaussian (sigma * sigma / ((double) factor * factor) - 2.0 / 3, radius);

  cells_init (cells, n, factor, *radius, edges);
  return weights;
}

static void
enlarge_rows (const Cells *cells, const float *reduced, int height, float *pixels)
{
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; y++)
    enlarge_line (cells, reduced + 4 * (size_t) cells->n_cells * (size_t) y, 4, 4,
                  pixels + 4 * (size_t) cells->n * (size_t) y, 4);
}

bool
blur_gaussian (float *pixels, int width, int height, const double sigma[2], ResampleEdges edges,
               const KgProgressMonitor *monitor)
{
  const double across = limit_sigma (sigma[0], width, edges), down = limit_sigma (sigma[1], height, edges);
  g_auto (Cells) columns = { 0 }, rows = { 0 };
  g_autofree float *weights = NULL, *row_weights = NULL, *reduced = NULL;
  float *image = pixels;
  int radius = 0, row_radius = 0, n_columns = width;

  if (across < REDUCED_FROM) {
    if (!filter_lines (pixels, width, height, true, across, edges, monitor))
      return false;
  } else {
    weights = make_reduced_gaussian (across, width, edges, &columns, &radius);
    n_columns = columns.n_cells;
    reduced = g_new (float, 4 * (size_t) n_columns * (size_t) height);
    image = reduced;
    if (!reduce_lines (pixels, width, height, true, &columns, weights, radius, edges, reduced, monitor))
      return false;
  }
  if (down < REDUCED_FROM) {
    if (!filter_lines (image, n_columns, height, false, down, edges, monitor))
      return false;
  } else {
    row_weights = make_reduced_gaussian (down, height, edges, &rows, &row_radius);
    if (!reduce_lines (image, n_columns, height, false, &rows, row_weights, row_radius, edges, NULL, monitor))
      return false;
  }
  if (reduced != NULL)
    enlarge_rows (&columns, reduced, height, pixels);
  return !kg_progress_is_cancelled (monitor);
}

double
blur_gaussian_power (double sigma)
{
  int radius;
  g_autofree float *weights = make_gaussian (pow (fmin (sigma, 100), 2), &radius);
  double sum = (double) weights[0] * (double) weights[0];

  for (int i = 1; i <= radius; i++)
    sum += 2 * (double) weights[i] * (double) weights[i];
  /* Large ones are continuous, 1 / (2 sqrt (pi) sigma) along each axis. */
  return sum * sum * pow (100 / fmax (sigma, 100), 2);
}

/* The integral of a line from its start to x, in pixels, where sum[i] is that of its first i pixels: lanes numbers. */
static void
integrate (const double *sum, int n, size_t lanes, double x, ResampleEdges edges, double *integral)
{
  const double *all = sum + (size_t) n * lanes;
  double turns = 0, sign = 1;

  if (edges == RESAMPLE_REPEAT) {
    turns = floor (x / n);
    x -= turns * n;
  } else if (edges == RESAMPLE_MIRROR) {
    turns = 2 * floor (x / (2.0 * n));
    x -= turns * n;
    if (x > n) {
      x = 2.0 * n - x;
      sign = -1;
      turns += 2;
    }
  }
  const int i = (int) kg_clamp (floor (x), 0, n - 1);
  const double t = edges == RESAMPLE_TRANSPARENT ? kg_clamp (x - i, 0, 1) : x - i;

  for (size_t l = 0; l < lanes; l++) {
    const double before = sum[(size_t) i * lanes + l], after = sum[((size_t) i + 1) * lanes + l];

    integral[l] = turns * all[l] + sign * (before + t * (after - before));
  }
}

/* The sums of the first i pixels of a line, i up to n. */
KG_KERNEL static void
sum_line (const float *line, int n, size_t stride, size_t lanes, double *sum)
{
  memset (sum, 0, lanes * sizeof *sum);
  for (size_t l = 0; l < lanes; l += 4) {
    FourDoubles all = { 0 };

    for (int i = 0; i < n; i++) {
      const float *pixel = line + (size_t) i * stride + l;

      all += WIDEN (pixel);
      memcpy (sum + ((size_t) i + 1) * lanes + l, &all, sizeof all);
    }
  }
}

static inline void
integrate_inside (const double *sum, size_t lanes, double t, FourDoubles *integral)
{
  FourDoubles before, after;

  memcpy (&before, sum, sizeof before);
  memcpy (&after, sum + lanes, sizeof after);
  *integral = before + t * (after - before);
}

/* The means of pixels from begin to end, none of which reaches over an end of the line of n: what integrate gives for them, to the
 * bit. */
KG_KERNEL static void
find_means (const double *sum, int n, int begin, int end, size_t lanes, double radius, float *line, size_t stride)
{
  for (int i = begin; i < end; i++) {
    const double low = i + 0.5 - radius, high = i + 0.5 + radius;
    /* Rounded, it may be at the end. */
    const int first = (int) low, last = MIN ((int) high, n - 1);

    for (size_t l = 0; l < lanes; l += 4) {
      FourDoubles before, after;
      FourFloats mean;

      integrate_inside (sum + (size_t) first * lanes + l, lanes, low - first, &before);
      integrate_inside (sum + (size_t) last * lanes + l, lanes, high - last, &after);
      mean = __builtin_convertvector((after - before) / (2 * radius), FourFloats);
      memcpy (line + (size_t) i * stride + l, &mean, sizeof mean);
    }
  }
}

static bool
box_lines (float *pixels, int width, int height, bool across, double radius, ResampleEdges edges,
           const KgProgressMonitor *monitor)
{
  const Lines lines = get_lines (width, height, across);
  const size_t size = ((size_t) lines.n + 1) * 4 * COLUMNS;
  const int n_threads = omp_get_max_threads ();
  /* Those that reach over no end. */
  const int begin = (int) fmin (ceil (radius - 0.5), lines.n);
  const int end = (int) fmax (begin, ceil (lines.n - 0.5 - radius));
  g_autofree double *scratch = NULL;

  if (radius <= 0.5)
    return true;
  scratch = g_new (double, size *(size_t) n_threads);
#pragma omp parallel for schedule(dynamic, 4) num_threads(n_threads)
  for (int line = 0; line < lines.n_lines; line++) {
    double *sum = scratch + size * (size_t) omp_get_thread_num (), low[4 * COLUMNS], high[4 * COLUMNS];
    float *base;
    size_t lanes;

    if (kg_progress_is_cancelled (monitor))
      continue;
    base = pixels + get_line (&lines, line, &lanes);
    sum_line (base, lines.n, lines.stride, lanes, sum);
    find_means (sum, lines.n, begin, end, lanes, radius, base, lines.stride);
    for (int i = 0; i < lines.n; i = i + 1 == begin ? end : i + 1) {
      integrate (sum, lines.n, lanes, i + 0.5 - radius, edges, low);
      integrate (sum, lines.n, lanes, i + 0.5 + radius, edges, high);
      for (size_t l = 0; l < lanes; l++)
        base[(size_t) i * lines.stride + l] = (float) ((high[l] - low[l]) / (2 * radius));
    }
  }
  return !kg_progress_is_cancelled (monitor);
}

bool
blur_box (float *pixels, int width, int height, const double radius[2], ResampleEdges edges,
          const KgProgressMonitor *monitor)
{
  return box_lines (pixels, width, height, true, radius[0], edges, monitor) &&
         box_lines (pixels, width, height, false, radius[1], edges, monitor);
}

/* The part of a row of pixels that an aperture covers. */
typedef struct {
  int down;           /* rows below its centre */
  double left, right; /* from the centre, in pixels; the right one is larger */
  double weight;      /* share of the height of the row */
} Span;

/* Horizontal extent of the aperture at the height y below its centre, in radii; false: none. */
static bool
find_extent (const BlurAperture *aperture, double y, double *left, double *right)
{
  const int n = aperture->blades;

  *left = -1e300;
  *right = 1e300;
  if (n < 3) {
    if (fabs (y) >= 1)
      return false;
    *right = sqrt (1 - y * y);
    *left = -*right;
    return true;
  }
  /* A polygon is what is inside all of its sides. */
  for (int k = 0; k < n; k++) {
    const double angle = aperture->rotation + (2 * k + 1) * KG_PI / n, c = cos (angle), s = -sin (angle);
    const double rest = cos (KG_PI / n) - s * y;

    if (fabs (c) < 1e-12) {
      if (rest < 0)
        return false;
    } else if (c > 0) {
      *right = fmin (*right, rest / c);
    } else {
      *left = fmax (*left, rest / c);
    }
  }
  return *left < *right;
}

/* (transfer full) The rows of an aperture; total: its area. */
static Span *
make_spans (const BlurAperture *aperture, double scale, int *n, double *total)
{
  enum { PARTS = 8 };
  const double radius = aperture->radius * scale;
  const int reach = (int) ceil (radius - 0.5);
  Span *spans = g_new (Span, 2 * reach + 1);

  *n = 0;
  *total = 0;
  for (int row = -reach; row <= reach; row++) {
    Span span = { .down = row };
    int hit = 0;

    for (int part = 0; part < PARTS; part++) {
      double left, right;

      if (find_extent (aperture, (row + (part + 0.5) / PARTS - 0.5) / radius, &left, &right)) {
        span.left += left * radius * aperture->aspect;
        span.right += right * radius * aperture->aspect;
        hit++;
      }
    }
    if (hit == 0)
      continue;
    span.left /= hit;
    span.right /= hit;
    span.weight = (double) hit / PARTS;
    *total += span.weight * (span.right - span.left);
    spans[(*n)++] = span;
  }
  return spans;
}

/* acc[j] += weight times the integral from left to right of the place of j; sum: with room on both sides. */
KG_KERNEL static void
add_span (const double *restrict sum, size_t n, double left, double right, double weight, double *restrict acc)
{
  const double a = floor (left), b = floor (right), u = (left - a) * weight, v = (right - b) * weight;
  const double *restrict p = sum + 4 * (ptrdiff_t) a, *restrict q = sum + 4 * (ptrdiff_t) b;

#pragma omp simd
  for (size_t j = 0; j < n; j++)
    acc[j] += (weight - v) * q[j] + v * q[j + 4] - (weight - u) * p[j] - u * p[j + 4];
}

/* The aperture as it is, over an image of its own; inset: cells at the sides that do not repeat with the image. */
static bool
spread_aperture (const float *from, int width, int height, int inset, const Span *spans, int n_spans, double total,
                 ResampleEdges edges, float *to, const KgProgressMonitor *monitor)
{
  const int n_threads = omp_get_max_threads ();
  double reach = 0;
  size_t columns;
  int room;
  g_autofree double *sums = NULL, *scratch = NULL;

  for (int i = 0; i < n_spans; i++)
    reach = fmax (reach, fmax (fabs (spans[i].left), fabs (spans[i].right)));
  /* Beyond the width of a transparent image its integral stays the same. */
  if (edges == RESAMPLE_TRANSPARENT)
    reach = fmin (reach, width + 1);
  room = (int) ceil (reach) + 2;
  columns = 4 * ((size_t) width + 2 * (size_t) room + 1);
  sums = g_new (double, columns *(size_t) height);
  scratch = g_new (double, 4 * (size_t) width * (size_t) n_threads);
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; y++) {
    const float *row = from + 4 * (size_t) width * (size_t) y;
    double *s = sums + columns * (size_t) y;

    memset (s, 0, 4 * sizeof *s);
    for (int x = -room; x < width + room; x++, s += 4) {
      const int i = resample_find_index (x - inset, width - 2 * inset, edges);

      for (int c = 0; c < 4; c++)
        s[4 + c] = s[c] + (i < 0 ? 0 : (double) row[4 * (i + inset) + c]);
    }
  }
#pragma omp parallel for schedule(dynamic, 2) num_threads(n_threads)
  for (int y = 0; y < height; y++) {
    double *acc = scratch + 4 * (size_t) width * (size_t) omp_get_thread_num ();
    float *row = to + 4 * (size_t) width * (size_t) y;

    memset (acc, 0, 4 * (size_t) width * sizeof *acc);
    for (int i = 0; i < n_spans && !kg_progress_is_cancelled (monitor); i++) {
      /* The image of a point is the aperture: what is read is on the other side. */
      const int source = resample_find_index ((int64_t) y - spans[i].down - inset, height - 2 * inset, edges);

      if (source >= 0)
        add_span (sums + columns * (size_t) (source + inset) + 4 * (size_t) room, 4 * (size_t) width,
                  kg_clamp (0.5 - spans[i].right, -reach, reach + 0.5),
                  kg_clamp (0.5 - spans[i].left, -reach, reach + 0.5), spans[i].weight / total, acc);
    }
    for (int j = 0; j < 4 * width; j++)
      row[j] = (float) acc[j];
  }
  return !kg_progress_is_cancelled (monitor);
}

bool
blur_aperture (float *pixels, int width, int height, const BlurAperture *aperture, ResampleEdges edges,
               const KgProgressMonitor *monitor)
{
  /* Apertures that hold the image many times over differ in their weight only, where nothing is around it. */
  const double most = 16.0 * MAX (width, height);
  const double size = aperture->radius * fmax (aperture->aspect, 1), shrink = fmin (1, most / fmax (size, 1e-300));
  const double weight = edges == RESAMPLE_TRANSPARENT ? shrink * shrink : 1;
  const int factor = (int) fmax (1, sqrt (size * shrink / 12));
  const float one = 1;
  g_auto (Cells) columns = { 0 }, rows = { 0 };
  g_autofree float *narrow = NULL, *cells = NULL, *blurred = NULL;
  g_autofree Span *spans = NULL;
  int n_spans, wide = width, high = height, inset;
  double total;

  if (size <= 0.5)
    return true;
  spans = make_spans (aperture, shrink / factor, &n_spans, &total);
  if (n_spans == 0 || !(total > 0))
    return true;
  total /= weight;
  if (factor > 1) {
    cells_init (&columns, width, factor, 0, edges);
    cells_init (&rows, height, factor, 0, edges);
    wide = columns.n_cells;
    high = rows.n_cells;
    narrow = g_new (float, 4 * (size_t) wide * (size_t) height);
    cells = g_new (float, 4 * (size_t) wide * (size_t) high);
    if (!reduce_lines (pixels, width, height, true, &columns, &one, 0, edges, narrow, monitor) ||
        !reduce_lines (narrow, wide, height, false, &rows, &one, 0, edges, cells, monitor))
      return false;
  }
  inset = factor > 1 && (edges == RESAMPLE_REPEAT || edges == RESAMPLE_MIRROR) ? columns.pad : 0;
  blurred = g_new (float, 4 * (size_t) wide * (size_t) high);
  if (!spread_aperture (factor > 1 ? cells : pixels, wide, high, inset, spans, n_spans, total, edges, blurred, monitor))
    return false;
  if (factor == 1) {
    memcpy (pixels, blurred, 4 * (size_t) width * (size_t) height * sizeof (float));
    return true;
  }
  for (int x = 0; x < wide; x++)
    enlarge_line (&rows, blurred + 4 * (size_t) x, 4 * (size_t) wide, 4, narrow + 4 * (size_t) x, 4 * (size_t) wide);
  enlarge_rows (&columns, narrow, height, pixels);
  return true;
}

/* Places of a comb, and combs of combs. */
#define COMB 16
#define MAX_COMBS 4
/* Most pixels that are computed around the image for later combs. */
#define MAX_ROOM 2048
/* Lengths in diagonals of the image beyond which the rest lies outside or looks the same. */
#define MAX_DIAGONALS 4.0

/* An image that is read with its left upper corner at (-room, -room). */
typedef struct {
  const float *pixels;
  int width, height, room;
  ResampleEdges edges;
} Plane;

static inline void
add_sample (const Plane *plane, double x, double y, float *sum)
{
  const double u = kg_clamp (x + plane->room - 0.5, -1e9, 1e9), v = kg_clamp (y + plane->room - 0.5, -1e9, 1e9);
  const double i = floor (u + RESAMPLE_TINY), j = floor (v + RESAMPLE_TINY);
  const float across = (float) fmax (u - i, 0), down = (float) fmax (v - j, 0);
  const float weight[2][2] = { { (1 - across) * (1 - down), across * (1 - down) },
                               { (1 - across) * down, across * down } };

  for (int b = 0; b < 2; b++) {
    const int row = resample_find_index ((int64_t) j + b, plane->height, plane->edges);

    for (int a = 0; a < 2; a++) {
      const int column = resample_find_index ((int64_t) i + a, plane->width, plane->edges);
      const float *p = plane->pixels + 4 * ((size_t) row * (size_t) plane->width + (size_t) column);

      if (row >= 0 && column >= 0)
        for (int c = 0; c < 4; c++)
          sum[c] += weight[b][a] * p[c];
    }
  }
}

/* Where a place is after a motion by s. */
static inline void
move_place (const BlurMotion *motion, const double *at, double x, double y, double *to)
{
  const double dx = x - motion->centre[0], dy = y - motion->centre[1];

  if (motion->kind == BLUR_STRAIGHT) {
    to[0] = x + at[0];
    to[1] = y + at[1];
  } else if (motion->kind == BLUR_ZOOM) {
    to[0] = motion->centre[0] + at[0] * dx;
    to[1] = motion->centre[1] + at[0] * dy;
  } else {
    to[0] = motion->centre[0] + at[0] * dx + at[1] * dy;
    to[1] = motion->centre[1] - at[1] * dx + at[0] * dy;
  }
}

static bool
add_comb (const Plane *from, const BlurMotion *motion, double step, int n, float *to, int room, int width, int height,
          const KgProgressMonitor *monitor)
{
  double places[COMB][2];

  for (int k = 0; k < n; k++) {
    const double s = (k - 0.5 * (n - 1)) * step;

    places[k][0] = motion->kind == BLUR_STRAIGHT ? s * cos (motion->direction)
                   : motion->kind == BLUR_ZOOM   ? exp (s)
                                                 : cos (s);
    places[k][1] = motion->kind == BLUR_STRAIGHT ? -s * sin (motion->direction) : sin (s);
  }
#pragma omp parallel for schedule(dynamic, 2)
  for (int y = -room; y < height + room; y++) {
    float *row = to + 4 * (size_t) (width + 2 * room) * (size_t) (y + room);

    if (kg_progress_is_cancelled (monitor))
      continue;
    for (int x = -room; x < width + room; x++, row += 4) {
      float sum[4] = { 0 };

      for (int k = 0; k < n; k++) {
        double at[2];

        move_place (motion, places[k], x + 0.5, y + 0.5, at);
        add_sample (from, at[0], at[1], sum);
      }
      for (int c = 0; c < 4; c++)
        row[c] = sum[c] / (float) n;
    }
  }
  return !kg_progress_is_cancelled (monitor);
}

/* More than two turns, which are centred: whole pairs of turns look all the same, and what is left lies about their middle. */
static bool
blur_turns (float *pixels, int width, int height, const BlurMotion *motion, ResampleEdges edges,
            const KgProgressMonitor *monitor)
{
  const double extent = fabs (motion->extent), rest = fmod (extent, 4 * KG_PI), share = rest / extent;
  const size_t n = 4 * (size_t) width * (size_t) height;
  g_autofree float *left = g_memdup2 (pixels, n * sizeof *pixels);
  BlurMotion part = *motion;

  part.extent = 2 * KG_PI;
  if (!blur_motion (pixels, width, height, &part, edges, monitor))
    return false;
  part.extent = rest;
  if (share > 1e-6 && !blur_motion (left, width, height, &part, edges, monitor))
    return false;
  for (size_t i = 0; share > 1e-6 && i < n; i++)
    pixels[i] = (float) kg_lerp ((double) pixels[i], (double) left[i], share);
  return true;
}

/* How far about or along a centre that is far away a pixel can go before it has left the image: reach is that way over the distance.
 * weight: the part of the way that is left, if outside there is nothing. */
static double
limit_extent (BlurMotionKind kind, double extent, double reach, ResampleEdges edges, double *weight)
{
  const double limit = kind == BLUR_TURN ? reach : 2 * asinh (0.5 * reach);
  /* A turn of more than one comes back from both sides. */
  const double again = kind == BLUR_TURN ? kg_clamp ((0.5 * extent - 2 * KG_PI) / limit + 0.5, 0, 1) : 0;

  if (extent <= limit)
    return extent;
  if (edges == RESAMPLE_TRANSPARENT)
    *weight = (1 + 2 * again) * limit / extent;
  return limit;
}

bool
blur_motion (float *pixels, int width, int height, const BlurMotion *motion, ResampleEdges edges,
             const KgProgressMonitor *monitor)
{
  const double diagonal = hypot (width, height);
  double extent = fabs (motion->extent), weight = 1, far = 0, near, length, step;
  g_autofree float *even = NULL, *odd = NULL;
  float *planes[2];
  int n_combs = 1, n, room, now = 0;
  size_t size;

  /* Along rows or columns it is a box, exactly; a comb would make a row of beads of a point. */
  if (motion->kind == BLUR_STRAIGHT && fabs (sin (2 * motion->direction)) < 1e-9) {
    const bool across = fabs (cos (motion->direction)) > 0.5;

    return blur_box (pixels, width, height, (double[]){ across ? 0.5 * extent : 0, across ? 0 : 0.5 * extent }, edges,
                     monitor);
  }
  if (motion->kind == BLUR_TURN && extent > 4 * KG_PI)
    return blur_turns (pixels, width, height, motion, edges, monitor);
  near = hypot (kg_clamp (motion->centre[0], 0, width) - motion->centre[0],
                kg_clamp (motion->centre[1], 0, height) - motion->centre[1]);
  for (int corner = 0; corner < 4; corner++)
    far = fmax (far, hypot (corner % 2 * width - motion->centre[0], corner / 2 * height - motion->centre[1]));
  if (motion->kind == BLUR_STRAIGHT && extent > MAX_DIAGONALS * diagonal) {
    weight = edges == RESAMPLE_TRANSPARENT ? MAX_DIAGONALS * diagonal / extent : 1;
    extent = MAX_DIAGONALS * diagonal;
  }
  if (motion->kind != BLUR_STRAIGHT && near > MAX_DIAGONALS * diagonal)
    extent = limit_extent (motion->kind, extent, MAX_DIAGONALS * diagonal / near, edges, &weight);
  length = motion->kind == BLUR_STRAIGHT ? extent
           : motion->kind == BLUR_TURN   ? extent * far
                                         : 2 * sinh (0.5 * fmin (extent, 40)) * far;
  if (length < 1e-3)
    return true;
  /* At least two samples a pixel: with fewer a point becomes a row of beads. */
  while (n_combs < MAX_COMBS && pow (COMB, n_combs) < 2 * length)
    n_combs++;
  n = (int) kg_clamp (ceil (pow (2 * length + 1, 1.0 / n_combs)), 2, COMB);
  step = extent / pow (n, n_combs);
  /* The last combs are the fine ones, and reach over the edges by what is left of the motion. */
  room = n_combs == 1 ? 0 : (int) fmin (fmin (MAX_ROOM, diagonal), ceil (0.5 * length / n) + 1);
  size = 4 * ((size_t) width + 2 * (size_t) room) * ((size_t) height + 2 * (size_t) room);
  even = planes[0] = g_new (float, size);
  odd = planes[1] = n_combs > 2 ? g_new (float, size) : NULL;
  for (int comb = n_combs - 1; comb >= 0; comb--, now = 1 - now) {
    const bool first = comb == n_combs - 1;
    const Plane from = first ? (Plane){ pixels, width, height, 0, edges }
                             : (Plane){ planes[1 - now], width + 2 * room, height + 2 * room, room, RESAMPLE_EXTEND };
    const bool last = comb == 0 && n_combs > 1;

    if (!add_comb (&from, motion, step * pow (n, comb), n, last ? pixels : planes[now], last ? 0 : room, width, height,
                   monitor))
      return false;
  }
  if (n_combs == 1)
    memcpy (pixels, planes[0], size * sizeof (float));
  for (size_t i = 0; weight != 1 && i < 4 * (size_t) width * (size_t) height; i++)
    pixels[i] = (float) (weight * (double) pixels[i]);
  return true;
}

/* resize: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/resize.h"

#include "image/pixel_vectors.h"
#include "kg-base.h"
#include "kg-kernel.h"

#include <omp.h>

/* What the pixels of a line are made of. */
typedef struct {
  int n_taps; /* the same for all; some are 0 */
  int *index; /* n_taps of each */
  float *weight;
  /* Of those the ones that count, one after the other. */
  int *begin; /* of each; one more at the end */
  int *counting_index;
  float *counting_weight;
} Line;

static void
line_clear (Line *line)
{
  g_clear_pointer (&line->index, g_free);
  g_clear_pointer (&line->weight, g_free);
  g_clear_pointer (&line->begin, g_free);
  g_clear_pointer (&line->counting_index, g_free);
  g_clear_pointer (&line->counting_weight, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Line, line_clear)

/* The part of a pixel that lies over the image, where nothing is around it. */
static double
find_coverage (const ResizeAxis *axis, ResampleFilter filter, int x, int size)
{
  const double a = axis->start + x * axis->step, b = a + axis->step, centre = 0.5 * (a + b);
  const double covered = (fmin (fmax (a, b), size) - fmax (fmin (a, b), 0)) / fabs (axis->step);

  if (filter == RESAMPLE_NEAREST)
    return centre >= -RESAMPLE_TINY && centre < size + RESAMPLE_TINY ? 1 : 0;
  /* What is left of rounding is not meant. */
  return covered < 1e-6 ? 0 : covered > 1 - 1e-6 ? 1 : covered;
}

/* first_pixel: of the to_size pixels of the result. */
static void
line_init (Line *line, const ResizeAxis *axis, ResampleFilter filter, ResampleEdges edges, int size, int first_pixel,
           int to_size)
{
  /* Pixels beyond a few times the image add nothing new. */
  const double stretch = kg_clamp (fabs (axis->step), 1, 4.0 * size);
  const double reach = resample_get_reach (filter) * stretch;
  /* A border of nothing is the shape of the image and not its content: the filter reads the image mirrored, which keeps its mean, and
   * pixels are as transparent as they lie outside. */
  const ResampleEdges beyond = edges == RESAMPLE_TRANSPARENT ? RESAMPLE_MIRROR : edges;

  line->n_taps = (int) ceil (2 * reach) + 1;
  line->index = g_new (int, (gsize) line->n_taps *(gsize) to_size);
  line->weight = g_new (float, (gsize) line->n_taps *(gsize) to_size);
  for (int x = 0; x < to_size; x++) {
    const double centre = kg_clamp (axis->start + (first_pixel + x + 0.5) * axis->step, -1e9, 1e9);
    const int64_t first = (int64_t) floor (centre - reach);
    int *index = line->index + (size_t) x * (size_t) line->n_taps;
    float *weight = line->weight + (size_t) x * (size_t) line->n_taps;
    const double coverage = edges == RESAMPLE_TRANSPARENT ? find_coverage (axis, filter, first_pixel + x, size) : 1;
    double sum = 0;

    for (int k = 0; k < line->n_taps; k++)
      sum += resample_kernel (filter, ((double) (first + k) + 0.5 - centre) / stretch);
    for (int k = 0; k < line->n_taps; k++) {
      index[k] = resample_find_index (first + k, size, beyond);
      weight[k] = (float) (coverage * resample_kernel (filter, ((double) (first + k) + 0.5 - centre) / stretch) / sum);
    }
  }
}

/* Leaves out what is 0 or not there. */
static void
find_counting (Line *line, int to_size)
{
  const size_t all = (size_t) line->n_taps * (size_t) to_size;
  int n = 0;

  line->begin = g_new (int, (gsize) to_size + 1);
  line->counting_index = g_new (int, all);
  line->counting_weight = g_new (float, all);
  for (size_t tap = 0; tap < all; tap++) {
    if (tap % (size_t) line->n_taps == 0)
      line->begin[tap / (size_t) line->n_taps] = n;
    if (line->index[tap] >= 0 && line->weight[tap] != 0) {
      line->counting_index[n] = line->index[tap];
      line->counting_weight[n++] = line->weight[tap];
    }
  }
  line->begin[to_size] = n;
}

KG_KERNEL static void
resize_row (const Line *line, const float *from, int to_width, float *to)
{
  for (int x = 0; x < to_width; x++, to += 4) {
    FourFloats sum = { 0 };

    for (int k = line->begin[x]; k < line->begin[x + 1]; k++)
      sum += line->counting_weight[k] * four_floats_at (from + 4 * (size_t) line->counting_index[k]);
    memcpy (to, &sum, sizeof sum);
  }
}

static inline void
add_weighted (EightFloats *sum, const float *from, float weight)
{
  EightFloats x;

  memcpy (&x, from, sizeof x);
  *sum += weight * x;
}

/* Marks what is neither light nor alpha up to 1. */
static inline void
put (const EightFloats *sum, EightMasks *beyond, float *to)
{
  const EightMasks alphas = { 0, 0, 0, -1, 0, 0, 0, -1 };
  const EightFloats zero = { 0 }, one = zero + 1;

  *beyond |= ~(*sum >= zero) | (alphas & ~(*sum <= one));
  memcpy (to, sum, sizeof *sum);
}

/* to = the sum of weights times rows of n numbers, a multiple of 4.  Returns whether there may be pixels with a number below 0 or an
 * alpha above 1. */
KG_KERNEL static bool
add_rows (const float *from, size_t row, const int *index, const float *weight, int n_rows, size_t n, float *to)
{
  EightMasks beyond = { 0 };
  int32_t any = 0;
  size_t i = 0;

  for (; i + 32 <= n; i += 32) {
    EightFloats a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

    for (int k = 0; k < n_rows; k++) {
      const float *p = from + row * (size_t) index[k] + i;

      add_weighted (&a, p, weight[k]);
      add_weighted (&b, p + 8, weight[k]);
      add_weighted (&c, p + 16, weight[k]);
      add_weighted (&d, p + 24, weight[k]);
    }
    put (&a, &beyond, to + i);
    put (&b, &beyond, to + i + 8);
    put (&c, &beyond, to + i + 16);
    put (&d, &beyond, to + i + 24);
  }
  for (int k = 0; k < 8; k++)
    any |= beyond[k];
  for (; i < n; i++) {
    float sum = 0;

    for (int k = 0; k < n_rows; k++)
      sum += weight[k] * from[row * (size_t) index[k] + i];
    to[i] = sum;
    any |= !(sum >= 0) || (i % 4 == 3 && sum > 1);
  }
  return any != 0;
}

static void
hold_row_back (const ResampleSource *source, int width, const Line *columns, const Line *rows, int y, int to_width,
               float *pixel)
{
  for (int x = 0; x < to_width; x++, pixel += 4) {
    float least[4] = { 0 };

    if (pixel[0] >= 0 && pixel[1] >= 0 && pixel[2] >= 0 && pixel[3] >= 0 && pixel[3] <= 1)
      continue;
    if (resample_is_negative (pixel))
      resample_find_least (source->pixels, width, columns->index + (size_t) x * (size_t) columns->n_taps,
                           columns->n_taps, rows->index + (size_t) y * (size_t) rows->n_taps, rows->n_taps, least);
    resample_hold_back (pixel, least);
  }
}

/* The pixels that the line reads: n from first on. */
static void
find_span (const Line *line, int to_size, int *first, int *n)
{
  int low = G_MAXINT, high = -1;

  for (size_t i = 0; i < (size_t) line->n_taps * (size_t) to_size; i++)
    if (line->index[i] >= 0 && line->weight[i] != 0) {
      low = MIN (low, line->index[i]);
      high = MAX (high, line->index[i]);
    }
  *first = high < 0 ? 0 : low;
  *n = high < 0 ? 1 : high - low + 1;
}

/* Counts the pixels from first on: of those n that there are. */
static void
move_line (Line *line, int to_size, int first, int n)
{
  for (size_t i = 0; i < (size_t) line->n_taps * (size_t) to_size; i++)
    line->index[i] = line->index[i] < first || line->index[i] >= first + n ? -1 : line->index[i] - first;
}

void
resize_find_window (const ResampleSource *source, const ResizeAxis *across, const ResizeAxis *down,
                    const ResampleWindow *part, ResampleWindow *window)
{
  g_auto (Line) columns = { 0 }, rows = { 0 };

  line_init (&columns, across, source->filter, source->edges, source->width, part->x, part->width);
  line_init (&rows, down, source->filter, source->edges, source->height, part->y, part->height);
  find_span (&columns, part->width, &window->x, &window->width);
  find_span (&rows, part->height, &window->y, &window->height);
}

bool
resize_part (const ResampleSource *source, const ResizeAxis *across, const ResizeAxis *down, const ResampleWindow *part,
             float *to, const KgProgressMonitor *monitor)
{
  const int to_width = part->width, to_height = part->height;
  const int width = source->columns > 0 ? source->columns : source->width;
  const int height = source->columns > 0 ? source->rows : source->height;
  const size_t row = 4 * (size_t) to_width;
  g_auto (Line) columns = { 0 }, rows = { 0 };
  g_autofree float *narrow = NULL;
  const bool overshoots = source->filter != RESAMPLE_NEAREST && source->filter != RESAMPLE_BILINEAR &&
                          source->filter != RESAMPLE_BSPLINE;

  line_init (&columns, across, source->filter, source->edges, source->width, part->x, to_width);
  line_init (&rows, down, source->filter, source->edges, source->height, part->y, to_height);
  if (source->columns > 0) {
    move_line (&columns, to_width, source->left, width);
    move_line (&rows, to_height, source->top, height);
  }
  find_counting (&columns, to_width);
  find_counting (&rows, to_height);
  narrow = g_new (float, row *(size_t) height);
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; y++)
    if (!kg_progress_is_cancelled (monitor))
      resize_row (&columns, source->pixels + 4 * (size_t) width * (size_t) y, to_width, narrow + row * (size_t) y);
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < to_height; y++) {
    float *sum = to + row * (size_t) y;
    const int first = rows.begin[y];

    if (!kg_progress_is_cancelled (monitor) &&
        add_rows (narrow, row, rows.counting_index + first, rows.counting_weight + first, rows.begin[y + 1] - first,
                  row, sum) &&
        overshoots)
      hold_row_back (source, width, &columns, &rows, y, to_width, sum);
  }
  return !kg_progress_is_cancelled (monitor);
}

bool
resize_image (const ResampleSource *source, const ResizeAxis *across, const ResizeAxis *down, float *to, int to_width,
              int to_height, const KgProgressMonitor *monitor)
{
  return resize_part (source, across, down, &(ResampleWindow){ 0, 0, to_width, to_height }, to, monitor);
}

/* resize: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/resize.h"

#include "kg-base.h"
#include "kg-kernel.h"

#include <omp.h>

/* What the pixels of a line are made of. */
typedef struct {
  int n_taps; /* the same for all; some are 0 */
  int *index; /* n_taps of each */
  float *weight;
} Line;

static void
line_clear (Line *line)
{
  g_clear_pointer (&line->index, g_free);
  g_clear_pointer (&line->weight, g_free);
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

KG_KERNEL static void
add_row (const float *restrict from, size_t n, float weight, float *restrict sum)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    sum[i] += weight * from[i];
}

static void
resize_row (const Line *line, const float *from, int to_width, float *to)
{
  for (int x = 0; x < to_width; x++) {
    const int *index = line->index + (size_t) x * (size_t) line->n_taps;
    const float *weight = line->weight + (size_t) x * (size_t) line->n_taps;
    float sum[4] = { 0 };

    for (int k = 0; k < line->n_taps; k++)
      if (index[k] >= 0 && weight[k] != 0)
        for (int c = 0; c < 4; c++)
          sum[c] += weight[k] * from[4 * index[k] + c];
    memcpy (to + 4 * x, sum, sizeof sum);
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

  line_init (&columns, across, source->filter, source->edges, source->width, part->x, to_width);
  line_init (&rows, down, source->filter, source->edges, source->height, part->y, to_height);
  if (source->columns > 0) {
    move_line (&columns, to_width, source->left, width);
    move_line (&rows, to_height, source->top, height);
  }
  narrow = g_new (float, row *(size_t) height);
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; y++)
    if (!kg_progress_is_cancelled (monitor))
      resize_row (&columns, source->pixels + 4 * (size_t) width * (size_t) y, to_width, narrow + row * (size_t) y);
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < to_height; y++) {
    float *sum = to + row * (size_t) y;

    memset (sum, 0, row * sizeof *sum);
    for (int k = 0; k < rows.n_taps && !kg_progress_is_cancelled (monitor); k++) {
      const size_t tap = (size_t) y * (size_t) rows.n_taps + (size_t) k;

      if (rows.index[tap] >= 0 && rows.weight[tap] != 0)
        add_row (narrow + row * (size_t) rows.index[tap], row, rows.weight[tap], sum);
    }
    /* What overshoots at edges: light cannot be negative, nor coverage above 1.  Numbers that are negative are no light. */
    if (source->filter != RESAMPLE_NEAREST && source->filter != RESAMPLE_BILINEAR && source->filter != RESAMPLE_BSPLINE)
      for (int x = 0; x < to_width; x++) {
        float *pixel = sum + 4 * x, least[4] = { 0 };
        const float most = fmaxf (pixel[3], 1);

        if (pixel[0] < 0 || pixel[1] < 0 || pixel[2] < 0 || pixel[3] < 0)
          resample_find_least (source->pixels, width, columns.index + (size_t) x * (size_t) columns.n_taps,
                               columns.n_taps, rows.index + (size_t) y * (size_t) rows.n_taps, rows.n_taps, least);
        for (int c = 0; c < 4; c++)
          pixel[c] = fmaxf (pixel[c], least[c]) / most;
      }
  }
  return !kg_progress_is_cancelled (monitor);
}

bool
resize_image (const ResampleSource *source, const ResizeAxis *across, const ResizeAxis *down, float *to, int to_width,
              int to_height, const KgProgressMonitor *monitor)
{
  return resize_part (source, across, down, &(ResampleWindow){ 0, 0, to_width, to_height }, to, monitor);
}

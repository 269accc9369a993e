/* convolution: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/convolution.h"

#include "image/image_operation.h"
#include "kg-base.h"

#include <omp.h>

/* A row with room pixels around it. */
static void
fetch_row (const float *from, int width, int height, int y, int left, int right, ResampleEdges edges, float *to)
{
  const int row = resample_find_index (y, height, edges);

  for (int x = -left; x < width + right; x++, to += 4) {
    const int column = resample_find_index (x, width, edges);

    if (row < 0 || column < 0)
      memset (to, 0, 4 * sizeof *to);
    else
      memcpy (to, from + 4 * ((size_t) row * (size_t) width + (size_t) column), 4 * sizeof *to);
  }
}

KG_KERNEL static void
add_scaled (const float *restrict from, size_t n, float factor, float *restrict sum)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    sum[i] += factor * from[i];
}

bool
convolve_image (const float *from, int width, int height, const double *matrix, int columns, int rows, int channels,
                ResampleEdges edges, float *to, const KgProgressMonitor *monitor)
{
  const int left = columns / 2, right = columns - 1 - left, n_threads = omp_get_max_threads ();
  const size_t numbers = 4 * (size_t) width, with_edges = numbers + 4 * (size_t) (columns - 1);
  g_autofree float *scratch = g_new (float, (numbers + with_edges) * (size_t) n_threads);

#pragma omp parallel for schedule(dynamic, 4) num_threads(n_threads)
  for (int y = 0; y < height; y++) {
    float *sum = scratch + (numbers + with_edges) * (size_t) omp_get_thread_num (), *line = sum + numbers;
    float *out = to + numbers * (size_t) y;

    memset (sum, 0, numbers * sizeof *sum);
    for (int j = 0; j < rows && !kg_progress_is_cancelled (monitor); j++) {
      fetch_row (from, width, height, y + j - rows / 2, left, right, edges, line);
      for (int i = 0; i < columns; i++)
        if (matrix[j * columns + i] != 0)
          add_scaled (line + 4 * i, numbers, (float) matrix[j * columns + i], sum);
    }
    for (size_t k = 0; k < numbers; k++)
      out[k] = (channels >> (k & 3) & 1) != 0 ? sum[k] : from[numbers * (size_t) y + k];
  }
  return !kg_progress_is_cancelled (monitor);
}

/* What is done with the three rows around each pixel: entry (x + 1) of each is that of pixel x. */
typedef void (*RowsKernel) (const float *const *rows, int width, const void *data, float *to);

static bool
each_three_rows (const float *from, int width, int height, RowsKernel kernel, const void *data, float *to,
                 const KgProgressMonitor *monitor)
{
  const int n_threads = omp_get_max_threads ();
  const size_t numbers = 4 * ((size_t) width + 2);
  g_autofree float *scratch = g_new (float, 3 * numbers * (size_t) n_threads);

#pragma omp parallel for schedule(dynamic, 4) num_threads(n_threads)
  for (int y = 0; y < height; y++) {
    float *own = scratch + 3 * numbers * (size_t) omp_get_thread_num ();
    const float *const rows[] = { own, own + numbers, own + 2 * numbers };

    if (kg_progress_is_cancelled (monitor))
      continue;
    for (int j = 0; j < 3; j++)
      fetch_row (from, width, height, y + j - 1, 1, 1, RESAMPLE_EXTEND, own + (size_t) j * numbers);
    kernel (rows, width, data, to + 4 * (size_t) width * (size_t) y);
  }
  return !kg_progress_is_cancelled (monitor);
}

KG_KERNEL static void
find_gradient (const float *const *rows, int width, const void *data, float *restrict to)
{
  const float *weights = (const float *) data;
  const float side = weights[0], middle = weights[1];
  const float *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2];

#pragma omp simd
  for (int k = 0; k < 4 * width; k++) {
    const float x = side * (a[k + 8] - a[k] + c[k + 8] - c[k]) + middle * (b[k + 8] - b[k]);
    const float y = side * (c[k] - a[k] + c[k + 8] - a[k + 8]) + middle * (c[k + 4] - a[k + 4]);

    to[k] = sqrtf (x * x + y * y);
  }
}

KG_KERNEL static void
find_curvature (const float *const *rows, int width, const void *data, float *restrict to)
{
  const float *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2];

  (void) data;
#pragma omp simd
  for (int k = 0; k < 4 * width; k++)
    to[k] = fabsf (a[k + 4] + c[k + 4] + b[k] + b[k + 8] - 4 * b[k + 4]);
}

bool
find_edges (const float *from, int width, int height, EdgeKind kind, float *to, const KgProgressMonitor *monitor)
{
  /* Of central differences: a ramp of 1 per pixel has the length 1. */
  static const float weights[][2] = {
    [EDGE_SOBEL] = { 0.125f, 0.25f }, [EDGE_SCHARR] = { 3 / 32.0f, 10 / 32.0f }, [EDGE_PREWITT] = { 1 / 6.0f, 1 / 6.0f }
  };

  return kind == EDGE_LAPLACE ? each_three_rows (from, width, height, find_curvature, NULL, to, monitor)
                              : each_three_rows (from, width, height, find_gradient, weights[kind], to, monitor);
}

static void
shade_rows (const float *const *rows, int width, const void *data, float *to)
{
  const Relief *relief = (const Relief *) data;
  const double flat = cos (relief->elevation);
  const float light[] = { (float) (flat * cos (relief->azimuth)), (float) (flat * sin (relief->azimuth)),
                          (float) sin (relief->elevation) };

  for (int x = 0; x < width; x++) {
    float slope[2] = { 0 };

    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++) {
        const float *p = rows[j + 1] + 4 * (x + 1 + i), y = image_luminance (p[0], p[1], p[2]);

        slope[0] += 0.125f * (float) i * (float) (2 - j * j) * y;
        slope[1] -= 0.125f * (float) j * (float) (2 - i * i) * y;
      }
    const float u = (float) relief->height * slope[0], v = (float) relief->height * slope[1];
    const float facing = (light[2] - u * light[0] - v * light[1]) / sqrtf (1 + u * u + v * v);

    to[4 * x] = to[4 * x + 1] = to[4 * x + 2] = fmaxf (facing, 0);
    to[4 * x + 3] = 1;
  }
}

bool
shade_relief (const float *from, int width, int height, const Relief *relief, float *to,
              const KgProgressMonitor *monitor)
{
  return each_three_rows (from, width, height, shade_rows, relief, to, monitor);
}

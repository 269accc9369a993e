/* denoise: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/denoise.h"

#include "kg-base.h"
#include "kg-kernel.h"
#include "kg-math.h"
#include "kg-random.h"

#include <omp.h>

#define DENOISE_SEED 22

/* Rows that are computed at a time. */
#define BAND 16

/* e^-x for x from 0, to about five digits, in loops that become vectors. */
static inline float
fade (float x)
{
  const float y = x < 80 ? -1.44269504f * x : -115.4f;
  const int32_t whole = (int32_t) (y - 0.5f);
  const float g = 0.693147181f * (y - (float) whole);
  const uint32_t bits = (uint32_t) (whole + 127) << 23;
  float power;

  memcpy (&power, &bits, sizeof power);
  return power * (1 + g * (1 + g * (0.5f + g * (0.166666667f + g * (0.0416666667f + g * 0.00833333333f)))));
}

/* Square differences of two rows, over n pixels. */
KG_KERNEL static void
compare_rows (const float *restrict a, const float *restrict b, size_t n, float *restrict difference)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float r = a[4 * i] - b[4 * i], g = a[4 * i + 1] - b[4 * i + 1], h = a[4 * i + 2] - b[4 * i + 2];

    difference[i] = (r * r + g * g + h * h) * (1 / 3.0f);
  }
}

KG_KERNEL static void
add_rows (const float *restrict a, size_t n, float sign, float *restrict sum)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    sum[i] += sign * a[i];
}

KG_KERNEL static void
make_weights (const float *restrict difference, size_t n, float scale, float nearness, float *restrict weight)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    weight[i] = nearness * fade (difference[i] > 0 ? difference[i] * scale : 0);
}

KG_KERNEL static void
add_weighted (const float *restrict from, const float *restrict weight, size_t n, float *restrict sum,
              float *restrict total)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < 4; c++)
      sum[4 * i + c] += weight[i] * from[4 * i + c];
    total[i] += weight[i];
  }
}

/* The image with room around it. */
typedef struct {
  const float *pixels;
  size_t stride; /* pixels of a row */
  int room, width, height;
} Padded;

static const float *
get_row (const Padded *p, int x, int y)
{
  return p->pixels + 4 * ((size_t) (y + p->room) * p->stride + (size_t) (x + p->room));
}

/* Displacements that are compared at most to each side: of the larger ones, some. */
#define MOST_ACROSS 16

typedef struct {
  int x, y;
} Displacement;

/* (transfer full) The displacements within the reach: all of them, or one of each cell of a grid, by chance but the same for all
 * pixels, and each with its opposite, so that nothing is drawn to a side. */
static Displacement *
make_displacements (int reach, int *n)
{
  const int cells = MIN (reach, MOST_ACROSS), across = 2 * cells + 1;
  Displacement *list = g_new (Displacement, across * across);
  const int half = across * across / 2;
  const double cell = (double) (2 * reach + 1) / across;

  *n = across * across;
  for (int i = 0; i <= half; i++) {
    const int row = i / across - cells, column = i % across - cells;
    const double x = (column + kg_random_uniform (DENOISE_SEED, (uint64_t) i, 0) - 0.5) * cell;
    const double y = (row + kg_random_uniform (DENOISE_SEED, (uint64_t) i, 1) - 0.5) * cell;
    const Displacement d = reach == cells || i == half
                               ? (Displacement){ column, row }
                               : (Displacement){ (int) kg_clamp (floor (x + 0.5), -reach, reach),
                                                 (int) kg_clamp (floor (y + 0.5), -reach, reach) };

    list[i] = d;
    list[*n - 1 - i] = (Displacement){ -d.x, -d.y };
  }
  return list;
}

/* Adds what lies at (dx, dy) from the pixels of rows top to end. */
static void
add_displaced (const Padded *p, const DenoiseStyle *style, int dx, int dy, int top, int end, float *scratch, float *sum,
               float *total)
{
  const int h = style->patch, width = p->width, side = width + 2 * h;
  const float scale = (float) (1 / (2 * style->strength * style->strength)) / (float) ((2 * h + 1) * (2 * h + 1));
  const double far = style->spread > 0 && h == 0 ? (dx * dx + dy * dy) / (2 * style->spread * style->spread) : 0;
  float *differences = scratch, *columns = differences + (size_t) (BAND + 2 * h) * (size_t) side, *row = columns + side;
  float *weight = row + side;

  for (int y = top - h; y < end + h; y++)
    compare_rows (get_row (p, -h, y), get_row (p, dx - h, y + dy), (size_t) side,
                  differences + (size_t) (y - top + h) * (size_t) side);
  memset (columns, 0, (size_t) side * sizeof *columns);
  for (int y = 0; y < 2 * h; y++)
    add_rows (differences + (size_t) y * (size_t) side, (size_t) side, 1, columns);
  for (int y = top; y < end; y++) {
    const float *d = differences + (size_t) (y - top) * (size_t) side;
    float *s = sum + 4 * (size_t) (y - top) * (size_t) width, *t = total + (size_t) (y - top) * (size_t) width;
    double moving = 0;

    add_rows (d + 2 * (size_t) h * (size_t) side, (size_t) side, 1, columns);
    for (int x = 0; x < 2 * h; x++)
      moving += (double) columns[x];
    for (int x = 0; x < width; x++) {
      moving += (double) columns[x + 2 * h];
      row[x] = (float) moving;
      moving -= (double) columns[x];
    }
    make_weights (row, (size_t) width, scale, (float) exp (-far), weight);
    add_weighted (get_row (p, dx, y + dy), weight, (size_t) width, s, t);
    add_rows (d, (size_t) side, -1, columns);
  }
}

bool
denoise_image (const float *from, int width, int height, const DenoiseStyle *style, float *to,
               const KgProgressMonitor *monitor)
{
  const int room = style->reach + style->patch, n_threads = omp_get_max_threads (), side = width + 2 * style->patch;
  const size_t stride = (size_t) width + 2 * (size_t) room, high = (size_t) height + 2 * (size_t) room;
  g_autofree float *padded = NULL, *scratch = NULL;
  g_autofree Displacement *displacements = NULL;
  int n_displacements;
  const size_t each = (size_t) (BAND + 2 * style->patch + 3) * (size_t) side + 5 * BAND * (size_t) width;

  if (!(style->strength > 0) || style->reach < 1) {
    memcpy (to, from, 4 * (size_t) width * (size_t) height * sizeof *to);
    return true;
  }
  displacements = make_displacements (style->reach, &n_displacements);
  padded = g_new (float, 4 * stride * high);
  scratch = g_new (float, each *(size_t) n_threads);
#pragma omp parallel for schedule(static)
  for (int y = -room; y < height + room; y++)
    for (int x = -room; x < width + room; x++)
      memcpy (padded + 4 * ((size_t) (y + room) * stride + (size_t) (x + room)),
              from + 4 * ((size_t) CLAMP (y, 0, height - 1) * (size_t) width + (size_t) CLAMP (x, 0, width - 1)),
              4 * sizeof (float));
  const Padded image = { padded, stride, room, width, height };

#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
  for (int top = 0; top < height; top += BAND) {
    const int end = MIN (top + BAND, height);
    float *own = scratch + each * (size_t) omp_get_thread_num ();
    float *sum = own + each - 5 * BAND * (size_t) width, *total = sum + 4 * BAND * (size_t) width;

    memset (sum, 0, 5 * BAND * (size_t) width * sizeof *sum);
    for (int d = 0; d < n_displacements && !kg_progress_is_cancelled (monitor); d++)
      add_displaced (&image, style, displacements[d].x, displacements[d].y, top, end, own, sum, total);
    for (size_t i = 0; i < (size_t) (end - top) * (size_t) width; i++)
      for (size_t c = 0; c < 4; c++)
        to[4 * ((size_t) top * (size_t) width + i) + c] = total[i] > 0 ? sum[4 * i + c] / total[i] : 0;
  }
  return !kg_progress_is_cancelled (monitor);
}

/* rank_filter: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/rank_filter.h"

#include "kg-base.h"

#include <omp.h>

/* A side of the pixels that share one table of ranks: with the radius around it, it has at most 65,536 values. */
#define MAX_SIDE 256
#define TILE 64
/* Ranks in one bin of the coarse histogram. */
#define COARSE 256

typedef struct {
  uint32_t keys[MAX_SIDE * MAX_SIDE], order[MAX_SIDE * MAX_SIDE], spare[MAX_SIDE * MAX_SIDE];
  uint16_t ranks[MAX_SIDE * MAX_SIDE];
  uint16_t fine[MAX_SIDE * MAX_SIDE], coarse[COARSE];
} Work;

/* Whole numbers in the order of floats. */
static inline uint32_t
get_key (float value)
{
  uint32_t bits;

  value += 0.0f; /* no negative zero */
  memcpy (&bits, &value, sizeof bits);
  return bits & 0x80000000U ? ~bits : bits | 0x80000000U;
}

/* Sorts the indices of the first n keys (radix sort); in work->order. */
static void
sort_keys (Work *work, uint32_t n)
{
  uint32_t *from = work->order, *to = work->spare;

  for (uint32_t i = 0; i < n; i++)
    from[i] = i;
  for (int shift = 0; shift < 32; shift += 8) {
    uint32_t first[257] = { 0 };

    for (uint32_t i = 0; i < n; i++)
      first[((work->keys[i] >> shift) & 255) + 1]++;
    for (int b = 0; b < 256; b++)
      first[b + 1] += first[b];
    for (uint32_t i = 0; i < n; i++)
      to[first[(work->keys[from[i]] >> shift) & 255]++] = from[i];
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
}

static inline void
count (Work *work, size_t at, int sign)
{
  const uint16_t rank = work->ranks[at];

  work->fine[rank] = (uint16_t) (work->fine[rank] + sign);
  work->coarse[rank / COARSE] = (uint16_t) (work->coarse[rank / COARSE] + sign);
}

/* The rank that has so many below it. */
static inline uint32_t
find_rank (const Work *work, int below)
{
  int bin = 0;
  uint32_t rank;

  while (below >= work->coarse[bin])
    below -= work->coarse[bin++];
  for (rank = (uint32_t) bin * COARSE; below >= work->fine[rank]; rank++)
    below -= work->fine[rank];
  return rank;
}

typedef struct {
  const float *from;
  float *to;
  int width, height, radius, below;
  ResampleEdges edges;
} Filter;

static void
filter_tile (const Filter *f, Work *work, int left, int top, int columns, int rows, int channel)
{
  const int side = columns + 2 * f->radius, down = rows + 2 * f->radius;
  const uint32_t n = (uint32_t) side * (uint32_t) down;

  for (int y = 0; y < down; y++) {
    const int row = resample_find_index ((int64_t) top + y - f->radius, f->height, f->edges);

    for (int x = 0; x < side; x++) {
      const int column = resample_find_index ((int64_t) left + x - f->radius, f->width, f->edges);
      const float value = row < 0 || column < 0
                              ? 0
                              : f->from[4 * ((size_t) row * (size_t) f->width + (size_t) column) + (size_t) channel];

      work->keys[y * side + x] = get_key (value);
    }
  }
  sort_keys (work, n);
  for (uint32_t i = 0; i < n; i++)
    work->ranks[work->order[i]] = (uint16_t) i;
  for (int y = 0; y < rows; y++) {
    float *to = f->to + 4 * ((size_t) (top + y) * (size_t) f->width + (size_t) left) + channel;

    memset (work->fine, 0, n * sizeof *work->fine);
    memset (work->coarse, 0, sizeof work->coarse);
    for (int x = -2 * f->radius; x < columns; x++) {
      uint32_t key;
      float value;

      for (int j = y; j <= y + 2 * f->radius; j++) {
        count (work, (size_t) (j * side + x + 2 * f->radius), 1);
        if (x > 0)
          count (work, (size_t) (j * side + x - 1), -1);
      }
      if (x < 0)
        continue;
      key = work->keys[work->order[find_rank (work, f->below)]];
      key = key & 0x80000000U ? key & 0x7fffffffU : ~key;
      memcpy (&value, &key, sizeof value);
      to[4 * x] = value;
    }
  }
}

bool
rank_filter (const float *from, int width, int height, int radius, double rank, ResampleEdges edges, float *to,
             const KgProgressMonitor *monitor)
{
  const int n = (2 * radius + 1) * (2 * radius + 1);
  const Filter filter = { from, to, width, height, radius, (int) (rank * (n - 1) + 0.5), edges };
  const int tiles = (width + TILE - 1) / TILE, all = tiles * ((height + TILE - 1) / TILE);
  const int n_threads = omp_get_max_threads ();
  g_autofree Work *works = g_new (Work, n_threads);

#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
  for (int tile = 0; tile < all; tile++) {
    const int left = tile % tiles * TILE, top = tile / tiles * TILE;

    for (int c = 0; c < 4 && !kg_progress_is_cancelled (monitor); c++)
      filter_tile (&filter, &works[omp_get_thread_num ()], left, top, MIN (TILE, width - left),
                   MIN (TILE, height - top), c);
  }
  return !kg_progress_is_cancelled (monitor);
}

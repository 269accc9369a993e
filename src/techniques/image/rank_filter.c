/* rank_filter: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/rank_filter.h"

#include "kg-base.h"
#include "kg-kernel.h"

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

/* Reads the keys of a tile with the radius around it, side by down.  Returns whether they are all the same. */
static bool
read_keys (const Filter *f, Work *work, int left, int top, int side, int down, int channel)
{
  bool same = true;

  for (int y = 0; y < down; y++) {
    const int row = resample_find_index ((int64_t) top + y - f->radius, f->height, f->edges);

    for (int x = 0; x < side; x++) {
      const int column = resample_find_index ((int64_t) left + x - f->radius, f->width, f->edges);
      const float value = row < 0 || column < 0
                              ? 0
                              : f->from[4 * ((size_t) row * (size_t) f->width + (size_t) column) + (size_t) channel];

      work->keys[y * side + x] = get_key (value);
      same &= work->keys[y * side + x] == work->keys[0];
    }
  }
  return same;
}

static inline float
get_value (uint32_t key)
{
  float value;

  key = key & 0x80000000U ? key & 0x7fffffffU : ~key;
  memcpy (&value, &key, sizeof value);
  return value;
}

/* Counts n values, a step apart. */
static inline void
count_line (Work *work, size_t at, size_t step, int n, int sign)
{
  for (int i = 0; i < n; i++)
    count (work, at + (size_t) i * step, sign);
}

/* The square moves along the rows of the tile, to and fro: every value that enters it was just beside it. */
static void
filter_tile (const Filter *f, Work *work, int left, int top, int columns, int rows, int channel)
{
  const int span = 2 * f->radius + 1, side = columns + span - 1, down = rows + span - 1;
  const uint32_t n = (uint32_t) side * (uint32_t) down;
  const size_t stride = (size_t) side;
  float *to = f->to + 4 * ((size_t) top * (size_t) f->width + (size_t) left) + channel;
  int x = 0;

  if (read_keys (f, work, left, top, side, down, channel)) {
    for (int y = 0; y < rows; y++)
      for (x = 0; x < columns; x++)
        to[4 * ((size_t) y * (size_t) f->width + (size_t) x)] = get_value (work->keys[0]);
    return;
  }
  sort_keys (work, n);
  for (uint32_t i = 0; i < n; i++)
    work->ranks[work->order[i]] = (uint16_t) i;
  memset (work->fine, 0, n * sizeof *work->fine);
  memset (work->coarse, 0, sizeof work->coarse);
  for (int y = 0; y < span; y++)
    count_line (work, (size_t) y * stride, 1, span, 1);
  for (int y = 0; y < rows; y++) {
    const size_t row = (size_t) y * stride;
    const bool forth = y % 2 == 0;

    if (y > 0) {
      count_line (work, row - stride + (size_t) x, 1, span, -1);
      count_line (work, row + stride * (size_t) (span - 1) + (size_t) x, 1, span, 1);
    }
    for (int i = 0; i < columns; i++) {
      if (i > 0) {
        /* What leaves, and what enters on the other side. */
        count_line (work, row + (size_t) (forth ? x : x + span - 1), stride, span, -1);
        x += forth ? 1 : -1;
        count_line (work, row + (size_t) (forth ? x + span - 1 : x), stride, span, 1);
      }
      to[4 * ((size_t) y * (size_t) f->width + (size_t) x)] =
          get_value (work->keys[work->order[find_rank (work, f->below)]]);
    }
  }
}

/* Whole numbers with a sign in the order of floats, and back: the same function. */
static inline int32_t
flip (int32_t bits)
{
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

KG_KERNEL static void
make_order (const float *restrict from, size_t n, int32_t *restrict to)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const float value = from[i] + 0.0f; /* no negative zero */
    int32_t bits;

    memcpy (&bits, &value, sizeof bits);
    to[i] = flip (bits);
  }
}

static inline void
exchange (int32_t *a, int32_t *b)
{
  const int32_t less = *a < *b ? *a : *b, more = *a < *b ? *b : *a;

  *a = less;
  *b = more;
}

/* The value with so many below it among the nine around each of n numbers: rows has those of the pixels to the left, there and to
 * the right, one after the other.  Floyd's network; what of it the rank does not need is left out. */
static inline __attribute__ ((always_inline)) void
rank_nine (const int32_t *const rows[3], size_t n, int below, float *restrict to)
{
  const int32_t *restrict above = rows[0], *restrict middle = rows[1], *restrict under = rows[2];

#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    int32_t a = above[i], b = above[i + 4], c = above[i + 8];
    int32_t d = middle[i], e = middle[i + 4], f = middle[i + 8];
    int32_t g = under[i], h = under[i + 4], k = under[i + 8], ranked;

    exchange (&a, &b);
    exchange (&d, &e);
    exchange (&g, &h);
    exchange (&b, &c);
    exchange (&e, &f);
    exchange (&h, &k);
    exchange (&a, &b);
    exchange (&d, &e);
    exchange (&g, &h);
    exchange (&a, &d);
    exchange (&d, &g);
    exchange (&a, &d);
    exchange (&b, &e);
    exchange (&e, &h);
    exchange (&b, &e);
    exchange (&c, &f);
    exchange (&f, &k);
    exchange (&c, &f);
    exchange (&b, &d);
    exchange (&f, &h);
    exchange (&c, &g);
    exchange (&e, &g);
    exchange (&c, &e);
    exchange (&c, &d);
    exchange (&f, &g);
    ranked = below == 0   ? a
             : below == 1 ? b
             : below == 2 ? c
             : below == 3 ? d
             : below == 4 ? e
             : below == 5 ? f
             : below == 6 ? g
             : below == 7 ? h
                          : k;
    ranked = flip (ranked);
    memcpy (&to[i], &ranked, sizeof ranked);
  }
}

KG_KERNEL static void
rank_row (const int32_t *const rows[3], size_t n, int below, float *to)
{
  switch (below) {
  case 0:
    rank_nine (rows, n, 0, to);
    break;
  case 1:
    rank_nine (rows, n, 1, to);
    break;
  case 2:
    rank_nine (rows, n, 2, to);
    break;
  case 3:
    rank_nine (rows, n, 3, to);
    break;
  case 4:
    rank_nine (rows, n, 4, to);
    break;
  case 5:
    rank_nine (rows, n, 5, to);
    break;
  case 6:
    rank_nine (rows, n, 6, to);
    break;
  case 7:
    rank_nine (rows, n, 7, to);
    break;
  default:
    rank_nine (rows, n, 8, to);
    break;
  }
}

/* A row with a pixel more on either side, in their order. */
static void
read_row (const Filter *f, int y, int32_t *to)
{
  const int row = resample_find_index (y, f->height, f->edges);
  const size_t width = (size_t) f->width;
  const int left = resample_find_index (-1, f->width, f->edges),
            right = resample_find_index (width, f->width, f->edges);
  const float *from = f->from + 4 * (size_t) MAX (row, 0) * width;

  memset (to, 0, 4 * (width + 2) * sizeof *to);
  if (row < 0)
    return;
  make_order (from, 4 * width, to + 4);
  if (left >= 0)
    make_order (from + 4 * left, 4, to);
  if (right >= 0)
    make_order (from + 4 * right, 4, to + 4 * (width + 1));
}

/* Of radius 1: a network sorts the nine values around several numbers at a time. */
static bool
filter_nine (const Filter *f, const KgProgressMonitor *monitor)
{
  enum { BAND = 16 };
  const int n_threads = omp_get_max_threads ();
  const size_t size = 4 * ((size_t) f->width + 2);
  g_autofree int32_t *scratch = g_new (int32_t, 3 * size * (size_t) n_threads);

#pragma omp parallel for schedule(dynamic) num_threads(n_threads)
  for (int top = 0; top < f->height; top += BAND) {
    int32_t *own = scratch + 3 * size * (size_t) omp_get_thread_num ();

    if (kg_progress_is_cancelled (monitor))
      continue;
    read_row (f, top - 1, own);
    read_row (f, top, own + size);
    for (int y = top; y < MIN (top + BAND, f->height); y++) {
      const size_t turn = (size_t) (y - top);
      const int32_t *const rows[] = { own + turn % 3 * size, own + (turn + 1) % 3 * size, own + (turn + 2) % 3 * size };

      read_row (f, y + 1, own + (turn + 2) % 3 * size);
      rank_row (rows, 4 * (size_t) f->width, f->below, f->to + 4 * (size_t) y * (size_t) f->width);
    }
  }
  return !kg_progress_is_cancelled (monitor);
}

bool
rank_filter (const float *from, int width, int height, int radius, double rank, ResampleEdges edges, float *to,
             const KgProgressMonitor *monitor)
{
  const int n = (2 * radius + 1) * (2 * radius + 1);
  const Filter filter = { from, to, width, height, radius, (int) (rank * (n - 1) + 0.5), edges };
  const int tiles = (width + TILE - 1) / TILE, all = tiles * ((height + TILE - 1) / TILE);
  const int n_threads = omp_get_max_threads ();
  g_autofree Work *works = NULL;

  if (radius == 1)
    return filter_nine (&filter, monitor);
  works = g_new (Work, n_threads);
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
  for (int tile = 0; tile < all; tile++) {
    const int left = tile % tiles * TILE, top = tile / tiles * TILE;

    for (int c = 0; c < 4 && !kg_progress_is_cancelled (monitor); c++)
      filter_tile (&filter, &works[omp_get_thread_num ()], left, top, MIN (TILE, width - left),
                   MIN (TILE, height - top), c);
  }
  return !kg_progress_is_cancelled (monitor);
}

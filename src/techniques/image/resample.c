/* resample: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/resample.h"

#include "kg-base.h"
#include "kg-math.h"

/* Samples along each side of a pixel where the image shrinks, at most. */
#define MAX_SAMPLES 16
/* Pixels beyond its own place that a sample reads, at most, and one for rounding. */
#define REACH 4
/* No pixel is that far away: coordinates beyond are as good as these. */
#define FAR 1e9

#define MAX_TAPS 6

/* Pixels along one side that a sample is made of; index -1: transparent. */
typedef struct {
  int n;
  int index[MAX_TAPS];
  float weight[MAX_TAPS];
} Taps;

/* The next whole number below x, which is within an int: floor would be a call for every pixel. */
static inline int
floor_int (double x)
{
  const int i = (int) x;

  return i - (x < i);
}

static inline Taps
find_taps (double x, int size, ResampleFilter filter, ResampleEdges edges)
{
  Taps taps = { .n = 1, .weight = { 1 } };
  double t;
  float u;
  int first;

  x = kg_clamp (x, -FAR, FAR);
  if (filter == RESAMPLE_NEAREST) {
    taps.index[0] = resample_find_index (floor_int (x + RESAMPLE_TINY), size, edges);
    return taps;
  }
  first = floor_int (x - 0.5 + RESAMPLE_TINY);
  t = x - 0.5 - first;
  u = (float) t;
  if (t < RESAMPLE_TINY && filter != RESAMPLE_MITCHELL && filter != RESAMPLE_BSPLINE) {
    taps.index[0] = resample_find_index (first, size, edges);
    return taps;
  }
  if (filter == RESAMPLE_BILINEAR) {
    taps.n = 2;
    taps.weight[0] = 1 - u;
    taps.weight[1] = u;
  } else if (filter == RESAMPLE_BICUBIC) {
    taps.n = 4;
    first--;
    taps.weight[0] = u * (-0.5f + u * (1 - 0.5f * u));
    taps.weight[1] = 1 + u * u * (-2.5f + 1.5f * u);
    taps.weight[2] = u * (0.5f + u * (2 - 1.5f * u));
    taps.weight[3] = u * u * (-0.5f + 0.5f * u);
  } else {
    double sum = 0, weight[MAX_TAPS];

    taps.n = filter == RESAMPLE_LANCZOS ? 6 : 4;
    first -= taps.n / 2 - 1;
    for (int i = 0; i < taps.n; i++) {
      weight[i] = resample_kernel (filter, i - (taps.n / 2 - 1) - t);
      sum += weight[i];
    }
    for (int i = 0; i < taps.n; i++)
      taps.weight[i] = (float) (weight[i] / sum);
  }
  for (int i = 0; i < taps.n; i++)
    taps.index[i] = resample_find_index (first + i, size, edges);
  return taps;
}

double
resample_get_reach (ResampleFilter filter)
{
  static const double reaches[] = { [RESAMPLE_NEAREST] = 0.5, [RESAMPLE_BILINEAR] = 1, [RESAMPLE_BICUBIC] = 2,
                                    [RESAMPLE_MITCHELL] = 2,  [RESAMPLE_BSPLINE] = 2,  [RESAMPLE_LANCZOS] = 3 };

  return reaches[filter];
}

double
resample_kernel (ResampleFilter filter, double x)
{
  /* Mitchell and Netravali, equation 8: B and C of the cubic ones. */
  const double b = filter == RESAMPLE_BICUBIC ? 0 : filter == RESAMPLE_MITCHELL ? 1.0 / 3 : 1;
  const double c = filter == RESAMPLE_BICUBIC ? 0.5 : filter == RESAMPLE_MITCHELL ? 1.0 / 3 : 0;
  const double y = KG_PI * x;

  if (filter == RESAMPLE_NEAREST)
    return x >= -0.5 && x < 0.5 ? 1 : 0;
  x = fabs (x);
  if (x >= resample_get_reach (filter))
    return 0;
  if (filter == RESAMPLE_BILINEAR)
    return 1 - x;
  if (filter == RESAMPLE_LANCZOS)
    return x < 1e-6 ? 1 : 3 * sin (y) * sin (y / 3) / (y * y);
  if (x < 1)
    return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6;
  return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6;
}

/* What is the same for every pixel. */
typedef struct {
  ResampleSource source;
  const float *depth; /* NULL: without */
  int columns;        /* of the result */
  ResampleSpread across, down;
  ResampleMap map;
} Sampler;

static inline void
sample (const ResampleSource *n, double x, double y, double *sum)
{
  const Taps across = find_taps (x, n->width, n->filter, n->edges);
  const Taps down = find_taps (y, n->height, n->filter, n->edges);
  float rgba[4] = { 0 };

  for (int j = 0; j < down.n; j++)
    for (int i = 0; i < across.n; i++) {
      const float weight = across.weight[i] * down.weight[j];
      const float *p;

      if (across.index[i] < 0 || down.index[j] < 0)
        continue;
      p = n->pixels + 4 * ((size_t) down.index[j] * (size_t) n->width + (size_t) across.index[i]);
      for (int c = 0; c < 4; c++)
        rgba[c] += weight * p[c];
    }
  /* These overshoot at edges: light cannot be negative, nor coverage above 1. */
  if ((across.n >= 4 || down.n >= 4) && n->filter != RESAMPLE_BSPLINE) {
    const float most = fmaxf (rgba[3], 1);

    for (int c = 0; c < 4; c++)
      rgba[c] = fmaxf (rgba[c], 0) / most;
  }
  for (int c = 0; c < 4; c++)
    sum[c] += (double) rgba[c];
}

/* Samples along one side of a pixel, so that none of an image that shrinks is left out. */
static ResampleSpread
find_spread (ResampleFilter filter, const ResampleMap *map, int axis)
{
  return resample_spread (filter == RESAMPLE_NEAREST ? 1 : hypot (map->m[0][axis], map->m[1][axis]), MAX_SAMPLES);
}

/* Whether the pixel (x, y) is outside the image: all of its samples would be transparent. */
static inline bool
is_off_image (const Sampler *n, int x, int y)
{
  const ResampleMap *map = &n->map;
  const double cx = map->m[0][0] * (x + 0.5) + map->m[0][1] * (y + 0.5) + map->offset[0];
  const double cy = map->m[1][0] * (x + 0.5) + map->m[1][1] * (y + 0.5) + map->offset[1];
  const double ex = 0.5 * (fabs (map->m[0][0]) + fabs (map->m[0][1])) + REACH;
  const double ey = 0.5 * (fabs (map->m[1][0]) + fabs (map->m[1][1])) + REACH;

  return n->source.edges == RESAMPLE_TRANSPARENT &&
         (cx + ex < 0 || cx - ex > n->source.width || cy + ey < 0 || cy - ey > n->source.height);
}

/* Adds two pixels beside each other, of which the second begins at tx. */
static inline void
add_pair (const float *p, double tx, float weight, float mean[4])
{
  const float first = (tx < RESAMPLE_TINY ? 1 : 1 - (float) tx) * weight, second = (float) tx * weight;

  mean[0] += first * p[0];
  mean[1] += first * p[1];
  mean[2] += first * p[2];
  mean[3] += first * p[3];
  if (tx < RESAMPLE_TINY)
    return;
  mean[0] += second * p[4];
  mean[1] += second * p[5];
  mean[2] += second * p[6];
  mean[3] += second * p[7];
}

/* One bilinear sample where all that it reads is within the image: what sample makes of it, to the bit.  False near the edges. */
static inline bool
sample_within (const ResampleSource *n, double x, double y, float *rgba)
{
  float mean[4] = { 0 };
  const float *pixels;
  double tx, ty;
  int left, top;

  if (!(x >= 1 && x < n->width - 1 && y >= 1 && y < n->height - 1))
    return false;
  left = (int) (x - 0.5 + RESAMPLE_TINY);
  top = (int) (y - 0.5 + RESAMPLE_TINY);
  tx = x - 0.5 - left;
  ty = y - 0.5 - top;
  pixels = n->pixels + 4 * ((size_t) top * (size_t) n->width + (size_t) left);
  add_pair (pixels, tx, ty < RESAMPLE_TINY ? 1 : 1 - (float) ty, mean);
  if (!(ty < RESAMPLE_TINY))
    add_pair (pixels + 4 * (size_t) n->width, tx, (float) ty, mean);
  memcpy (rgba, mean, sizeof mean);
  return true;
}

static void
fill_row (const Sampler *n, int y, float *row, float *depth)
{
  const ResampleMap *map = &n->map;
  const int samples = n->across.n * n->down.n;
  const bool is_plain = samples == 1 && n->source.filter == RESAMPLE_BILINEAR && depth == NULL;

  for (int x = 0; x < n->columns; x++) {
    double sum[4] = { 0 };

    if (is_plain && sample_within (&n->source, map->m[0][0] * (x + 0.5) + map->m[0][1] * (y + 0.5) + map->offset[0],
                                   map->m[1][0] * (x + 0.5) + map->m[1][1] * (y + 0.5) + map->offset[1], row + 4 * x))
      continue;

    for (int j = 0; j < n->down.n && !is_off_image (n, x, y); j++)
      for (int i = 0; i < n->across.n; i++) {
        const double at = x + resample_place (n->across, i), down = y + resample_place (n->down, j);

        sample (&n->source, map->m[0][0] * at + map->m[0][1] * down + map->offset[0],
                map->m[1][0] * at + map->m[1][1] * down + map->offset[1], sum);
      }
    for (int c = 0; c < 4; c++)
      row[4 * x + c] = (float) (sum[c] / samples);
    if (depth != NULL) {
      /* Distances are not mixed: between two things there is nothing. */
      const double at = x + 0.5, down = y + 0.5;
      const Taps i = find_taps (map->m[0][0] * at + map->m[0][1] * down + map->offset[0], n->source.width,
                                RESAMPLE_NEAREST, n->source.edges);
      const Taps j = find_taps (map->m[1][0] * at + map->m[1][1] * down + map->offset[1], n->source.height,
                                RESAMPLE_NEAREST, n->source.edges);

      depth[x] = i.index[0] < 0 || j.index[0] < 0
                     ? INFINITY
                     : n->depth[(size_t) j.index[0] * (size_t) n->source.width + (size_t) i.index[0]];
    }
  }
}

bool
resample_image (const KgImage *source, const ResampleMap *map, ResampleFilter filter, ResampleEdges edges, KgImage *out,
                const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (out), height = kg_image_get_height (out);
  const Sampler sampler = { .source = { kg_image_get_pixels (source), kg_image_get_width (source),
                                        kg_image_get_height (source), filter, edges },
                            .depth = kg_image_get_depth (source),
                            .columns = width,
                            .across = find_spread (filter, map, 0),
                            .down = find_spread (filter, map, 1),
                            .map = *map };
  float *pixels = kg_image_edit_pixels (out), *depth = sampler.depth != NULL ? kg_image_edit_depth (out) : NULL;

#pragma omp parallel for schedule(dynamic)
  for (int y = 0; y < height; y++)
    if (!kg_progress_is_cancelled (monitor))
      fill_row (&sampler, y, pixels + 4 * (size_t) width * (size_t) y,
                depth != NULL ? depth + (size_t) width * (size_t) y : NULL);
  return !kg_progress_is_cancelled (monitor);
}

bool
resample_mean (const KgImage *source, const ResampleMap *maps, int n_maps, ResampleFilter filter, ResampleEdges edges,
               const float weights[4], KgImage *sum, const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (sum), height = kg_image_get_height (sum);
  float *pixels = kg_image_edit_pixels (sum);

#pragma omp parallel
  {
    float *one = g_new (float, 4 * (size_t) width);

#pragma omp for schedule(dynamic, 4)
    for (int y = 0; y < height; y++) {
      float *row = pixels + 4 * (size_t) width * (size_t) y;

      for (int i = 0; i < n_maps && !kg_progress_is_cancelled (monitor); i++) {
        const Sampler sampler = { .source = { kg_image_get_pixels (source), kg_image_get_width (source),
                                              kg_image_get_height (source), filter, edges },
                                  .columns = width,
                                  .across = find_spread (filter, &maps[i], 0),
                                  .down = find_spread (filter, &maps[i], 1),
                                  .map = maps[i] };

        fill_row (&sampler, y, one, NULL);
        for (int x = 0; x < width; x++)
          for (int c = 0; c < 4; c++)
            row[4 * x + c] += weights[c] * one[4 * x + c];
      }
    }
    g_free (one);
  }
  return !kg_progress_is_cancelled (monitor);
}

void
resample_add (const ResampleSource *source, double x, double y, double *sum)
{
  sample (source, x, y, sum);
}

/* Places of the centres of a row and of one more pixel; NAN: from nowhere. */
static void
find_row (ResampleFind find, const void *data, int y, int width, double *places)
{
  for (int x = 0; x <= width; x++)
    if (!find (data, x + 0.5, y + 0.5, places + 2 * x) || !isfinite (places[2 * x]) || !isfinite (places[2 * x + 1]))
      places[2 * x] = places[2 * x + 1] = NAN;
}

/* Where the image shrinks by more than this along both sides of a pixel, a smaller copy of it is sampled: the samples of a pixel
 * are no more than for this, however many pixels they stand for. */
#define MOST_SHRINK 8
#define MAX_LEVELS 16

/* An image, and copies of it of half the size and so on. */
typedef struct {
  ResampleSource level[MAX_LEVELS];
  float *memory[MAX_LEVELS]; /* of those that are copies */
  int n;
} Pyramid;

static void
pyramid_clear (Pyramid *pyramid)
{
  for (int i = 0; i < pyramid->n; i++)
    g_free (pyramid->memory[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pyramid, pyramid_clear)

/* The pixels of a line of size that are pixel i of one of fewer, and their weights: exactly, so that the copy is as large as the
 * image in its own pixels and tiles as it does.  At most three. */
static int
find_shares (int i, int size, int fewer, int *first, double share[3])
{
  const double left = (double) i * size / fewer, right = (double) (i + 1) * size / fewer;
  int n = 0;

  *first = (int) left;
  for (int k = *first; k < MIN ((int) ceil (right), size) && n < 3; k++)
    share[n++] = (fmin (right, k + 1) - fmax (left, k)) / (right - left);
  return n;
}

/* (transfer full) Pixels of half the size, rounded up. */
static float *
halve (const ResampleSource *from, int width, int height, const KgProgressMonitor *monitor)
{
  float *to = g_new (float, 4 * (size_t) width * (size_t) height);

#pragma omp parallel for schedule(static)
  for (int y = 0; y < height; y++) {
    double down[3], across[3];
    int top, left;
    const int rows = find_shares (y, from->height, height, &top, down);

    for (int x = 0; x < width && !kg_progress_is_cancelled (monitor); x++) {
      const int columns = find_shares (x, from->width, width, &left, across);
      double sum[4] = { 0 };

      for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
          for (int c = 0; c < 4; c++)
            sum[c] += down[j] * across[i] *
                      (double) from
                          ->pixels[4 * ((size_t) (top + j) * (size_t) from->width + (size_t) (left + i)) + (size_t) c];
      for (int c = 0; c < 4; c++)
        to[4 * ((size_t) y * (size_t) width + (size_t) x) + (size_t) c] = (float) sum[c];
    }
  }
  return to;
}

/* The level to sample where pixels cross so many pixels of the image at least. */
static int
find_level (double step)
{
  return step > MOST_SHRINK ? MIN ((int) ceil (log2 (fmin (step, FAR) / (MOST_SHRINK / 2))), MAX_LEVELS - 1) : 0;
}

static void
pyramid_init (Pyramid *pyramid, const ResampleSource *source, double step, const KgProgressMonitor *monitor)
{
  const int levels = find_level (step) + 1;

  *pyramid = (Pyramid){ .level = { *source }, .n = 1 };
  while (pyramid->n < levels && !kg_progress_is_cancelled (monitor)) {
    const ResampleSource *last = &pyramid->level[pyramid->n - 1];
    ResampleSource next = *last;

    if (last->width == 1 && last->height == 1)
      return;
    next.width = (last->width + 1) / 2;
    next.height = (last->height + 1) / 2;
    pyramid->memory[pyramid->n] = halve (last, next.width, next.height, monitor);
    next.pixels = pyramid->memory[pyramid->n];
    pyramid->level[pyramid->n++] = next;
  }
}

/* How far it is from a place to the next one. */
static double
get_step (const double *a, const double *b)
{
  return hypot (b[0] - a[0], b[1] - a[1]);
}

/* Samples from a place to the next one. */
static ResampleSpread
find_spread_of (double step)
{
  /* Where a neighbour has no place there is an edge. */
  return isnan (step) ? (ResampleSpread){ 4, 1 } : resample_spread (step, MAX_SAMPLES);
}

typedef struct {
  Pyramid pyramid;
  ResampleFind find;
  const void *data;
  const double *steps;  /* NULL: from the places */
  const double *places; /* of the corners: rows of numbers */
  size_t numbers;
} Warp;

/* Whether nothing of the image can be in a pixel: its corners, and those of its neighbours to the right and below, are beyond the same
 * side by more than the pixel is large. */
static bool
is_beside (const ResampleSource *source, const double *place, const double *right, const double *below, double size)
{
  const double far = size + REACH;

  if (source->edges != RESAMPLE_TRANSPARENT || !isfinite (size))
    return false;
  for (int k = 0; k < 2; k++) {
    const int end = k == 0 ? source->width : source->height;

    if ((place[k] < -far && right[k] < -far && below[k] < -far) ||
        (place[k] > end + far && right[k] > end + far && below[k] > end + far))
      return true;
  }
  return false;
}

static void
warp_pixel (const Warp *warp, int x, int y, float *rgba)
{
  const double *place = warp->places + warp->numbers * (size_t) y + 2 * (size_t) x;
  const ResampleSource *source = &warp->pyramid.level[0];
  ResampleSpread across = { 1, 1 }, down = { 1, 1 };
  double sum[4] = { 0 }, scale[2] = { 1, 1 };
  int n;

  if (source->filter != RESAMPLE_NEAREST) {
    const double *right = place + 2, *below = place + warp->numbers;
    double step[2] = { get_step (place, right), get_step (place, below) };
    int level;

    if (warp->steps != NULL) {
      step[0] = warp->steps[0];
      step[1] = warp->steps[1];
    } else if (is_beside (source, place, right, below, fmax (step[0], step[1]))) {
      memset (rgba, 0, 4 * sizeof *rgba);
      return;
    }
    /* Those without a place are no number, and at the image itself. */
    level = MIN (step[0] < step[1] ? find_level (step[0]) : find_level (step[1]), warp->pyramid.n - 1);
    source = &warp->pyramid.level[level];
    if (level > 0) {
      scale[0] = (double) source->width / warp->pyramid.level[0].width;
      scale[1] = (double) source->height / warp->pyramid.level[0].height;
    }
    across = find_spread_of (level > 0 ? step[0] * fmax (scale[0], scale[1]) : step[0]);
    down = find_spread_of (level > 0 ? step[1] * fmax (scale[0], scale[1]) : step[1]);
  }
  n = across.n * down.n;
  for (int k = 0; k < n; k++) {
    double from[2] = { place[0], place[1] };

    if (n > 1 && !warp->find (warp->data, x + resample_place (across, k % across.n),
                              y + resample_place (down, k / across.n), from))
      continue;
    if (isfinite (from[0]) && isfinite (from[1]))
      sample (source, from[0] * scale[0], from[1] * scale[1], sum);
  }
  for (int c = 0; c < 4; c++)
    rgba[c] = (float) (sum[c] / n);
}

/* The most that a pixel crosses along both of its sides. */
static double
find_most_shrink (const Warp *warp, int width, int height)
{
  double most = 1;

  if (warp->steps != NULL)
    return fmin (warp->steps[0], warp->steps[1]);
#pragma omp parallel for schedule(static) reduction(max : most)
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double *place = warp->places + warp->numbers * (size_t) y + 2 * (size_t) x;
      const double across = get_step (place, place + 2), down = get_step (place, place + warp->numbers);
      const double least = across < down ? across : down;

      most = least > most ? least : most;
    }
  return most;
}

bool
resample_warp (const ResampleSource *source, ResampleFind find, const void *data, const double *steps, float *to,
               int width, int height, const KgProgressMonitor *monitor)
{
  enum { BAND = 8 };
  const int n_bands = (height + BAND - 1) / BAND;
  const size_t numbers = 2 * ((size_t) width + 1);
  g_autofree double *all = g_new (double, numbers *(size_t) (height + 1));
  Warp warp = { .find = find, .data = data, .steps = steps, .places = all, .numbers = numbers };
  g_auto (Pyramid) pyramid = { 0 };

#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y <= height; y++)
    if (!kg_progress_is_cancelled (monitor))
      find_row (find, data, y, width, all + numbers * (size_t) y);
  if (kg_progress_is_cancelled (monitor))
    return false;
  pyramid_init (&pyramid, source, source->filter != RESAMPLE_NEAREST ? find_most_shrink (&warp, width, height) : 1,
                monitor);
  warp.pyramid = pyramid;
#pragma omp parallel for schedule(dynamic, 1)
  for (int band = 0; band < n_bands; band++)
    for (int y = BAND * band; y < MIN (BAND * (band + 1), height) && !kg_progress_is_cancelled (monitor); y++)
      for (int x = 0; x < width; x++)
        warp_pixel (&warp, x, y, to + 4 * ((size_t) y * (size_t) width + (size_t) x));
  return !kg_progress_is_cancelled (monitor);
}

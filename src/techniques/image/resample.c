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
is_off_picture (const Sampler *n, int x, int y)
{
  const ResampleMap *map = &n->map;
  const double cx = map->m[0][0] * (x + 0.5) + map->m[0][1] * (y + 0.5) + map->offset[0];
  const double cy = map->m[1][0] * (x + 0.5) + map->m[1][1] * (y + 0.5) + map->offset[1];
  const double ex = 0.5 * (fabs (map->m[0][0]) + fabs (map->m[0][1])) + REACH;
  const double ey = 0.5 * (fabs (map->m[1][0]) + fabs (map->m[1][1])) + REACH;

  return n->source.edges == RESAMPLE_TRANSPARENT &&
         (cx + ex < 0 || cx - ex > n->source.width || cy + ey < 0 || cy - ey > n->source.height);
}

static void
fill_row (const Sampler *n, int y, float *row, float *depth)
{
  const ResampleMap *map = &n->map;
  const int samples = n->across.n * n->down.n;

  for (int x = 0; x < n->columns; x++) {
    double sum[4] = { 0 };

    for (int j = 0; j < n->down.n && !is_off_picture (n, x, y); j++)
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

/* Samples from a place to the next one. */
static ResampleSpread
find_spread_between (const double *a, const double *b)
{
  const double step = hypot (b[0] - a[0], b[1] - a[1]);

  /* Where a neighbour has no place there is an edge. */
  return isnan (step) ? (ResampleSpread){ 4, 1 } : resample_spread (step, MAX_SAMPLES);
}

bool
resample_warp (const ResampleSource *source, ResampleFind find, const void *data, const double *steps, float *to,
               int width, int height, const KgProgressMonitor *monitor)
{
  enum { BAND = 8 };
  const int n_bands = (height + BAND - 1) / BAND;
  const size_t numbers = 2 * ((size_t) width + 1);
  g_autofree double *all = g_new (double, numbers *(size_t) (height + 1));

#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y <= height; y++)
    if (!kg_progress_is_cancelled (monitor))
      find_row (find, data, y, width, all + numbers * (size_t) y);
#pragma omp parallel for schedule(dynamic, 1)
  for (int band = 0; band < n_bands; band++)
    for (int y = BAND * band; y < MIN (BAND * (band + 1), height) && !kg_progress_is_cancelled (monitor); y++) {
      const double *place = all + numbers * (size_t) y;
      float *row = to + 4 * (size_t) width * (size_t) y;

      for (int x = 0; x < width; x++, place += 2, row += 4) {
        ResampleSpread across = { 1, 1 }, down = { 1, 1 };
        double sum[4] = { 0 };
        int n;

        if (source->filter != RESAMPLE_NEAREST) {
          across = steps != NULL ? resample_spread (steps[0], MAX_SAMPLES) : find_spread_between (place, place + 2);
          down = steps != NULL ? resample_spread (steps[1], MAX_SAMPLES) : find_spread_between (place, place + numbers);
        }
        n = across.n * down.n;
        for (int k = 0; k < n; k++) {
          double from[2] = { place[0], place[1] };

          if (n > 1 &&
              !find (data, x + resample_place (across, k % across.n), y + resample_place (down, k / across.n), from))
            continue;
          if (isfinite (from[0]) && isfinite (from[1]))
            sample (source, from[0], from[1], sum);
        }
        for (int c = 0; c < 4; c++)
          row[c] = (float) (sum[c] / n);
      }
    }
  return !kg_progress_is_cancelled (monitor);
}

/* resample: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/resample.h"

#include "kg-math.h"

/* Samples along each side of a pixel where the image shrinks, at most. */
#define MAX_SAMPLES 16
/* Pixels beyond its own place that a sample reads, at most, and one for rounding. */
#define REACH 3
/* No pixel is that far away: coordinates beyond are as good as these. */
#define FAR 1e9

/* Pixels along one side that a sample is made of; index -1: transparent. */
typedef struct {
  int n;
  int index[4];
  float weight[4];
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
  if (t < RESAMPLE_TINY) {
    taps.index[0] = resample_find_index (first, size, edges);
    return taps;
  }
  if (filter == RESAMPLE_BILINEAR) {
    taps.n = 2;
    taps.weight[0] = 1 - u;
    taps.weight[1] = u;
  } else {
    taps.n = 4;
    first--;
    taps.weight[0] = u * (-0.5f + u * (1 - 0.5f * u));
    taps.weight[1] = 1 + u * u * (-2.5f + 1.5f * u);
    taps.weight[2] = u * (0.5f + u * (2 - 1.5f * u));
    taps.weight[3] = u * u * (-0.5f + 0.5f * u);
  }
  for (int i = 0; i < taps.n; i++)
    taps.index[i] = resample_find_index (first + i, size, edges);
  return taps;
}

/* What is the same for every pixel. */
typedef struct {
  const float *pixels, *depth; /* depth: NULL without */
  int width, height;
  ResampleFilter filter;
  ResampleEdges edges;
  int samples; /* along each side of a pixel */
  ResampleMap map;
} Sampler;

static inline void
sample (const Sampler *n, double x, double y, double *sum)
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
  /* The cubic overshoots at edges: light cannot be negative, nor coverage above 1. */
  if (across.n == 4 || down.n == 4) {
    const float most = fmaxf (rgba[3], 1);

    for (int c = 0; c < 4; c++)
      rgba[c] = fmaxf (rgba[c], 0) / most;
  }
  for (int c = 0; c < 4; c++)
    sum[c] += (double) rgba[c];
}

/* Samples along each side of a pixel, so that none of an image that shrinks is left out. */
static int
count_samples (ResampleFilter filter, const ResampleMap *map)
{
  const double step = fmax (hypot (map->m[0][0], map->m[1][0]), hypot (map->m[0][1], map->m[1][1]));

  return filter == RESAMPLE_NEAREST ? 1 : (int) kg_clamp (ceil (step - RESAMPLE_TINY), 1, MAX_SAMPLES);
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

  return n->edges == RESAMPLE_TRANSPARENT && (cx + ex < 0 || cx - ex > n->width || cy + ey < 0 || cy - ey > n->height);
}

static void
fill_row (const Sampler *n, int y, float *row, float *depth)
{
  const ResampleMap *map = &n->map;
  const double step = 1.0 / n->samples;

  for (int x = 0; x < n->width; x++) {
    double sum[4] = { 0 };

    for (int j = 0; j < n->samples && !is_off_picture (n, x, y); j++)
      for (int i = 0; i < n->samples; i++) {
        const double at = x + (i + 0.5) * step, down = y + (j + 0.5) * step;

        sample (n, map->m[0][0] * at + map->m[0][1] * down + map->offset[0],
                map->m[1][0] * at + map->m[1][1] * down + map->offset[1], sum);
      }
    for (int c = 0; c < 4; c++)
      row[4 * x + c] = (float) (sum[c] * step * step);
    if (depth != NULL) {
      /* Distances are not mixed: between two things there is nothing. */
      const double at = x + 0.5, down = y + 0.5;
      const Taps i =
          find_taps (map->m[0][0] * at + map->m[0][1] * down + map->offset[0], n->width, RESAMPLE_NEAREST, n->edges);
      const Taps j =
          find_taps (map->m[1][0] * at + map->m[1][1] * down + map->offset[1], n->height, RESAMPLE_NEAREST, n->edges);

      depth[x] = i.index[0] < 0 || j.index[0] < 0
                     ? INFINITY
                     : n->depth[(size_t) j.index[0] * (size_t) n->width + (size_t) i.index[0]];
    }
  }
}

bool
resample_image (const KgImage *source, const ResampleMap *map, ResampleFilter filter, ResampleEdges edges, KgImage *out,
                const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (source), height = kg_image_get_height (source);
  const Sampler sampler = { .pixels = kg_image_get_pixels (source),
                            .depth = kg_image_get_depth (source),
                            .width = width,
                            .height = height,
                            .filter = filter,
                            .edges = edges,
                            .samples = count_samples (filter, map),
                            .map = *map };
  float *pixels = kg_image_edit_pixels (out), *depth = sampler.depth != NULL ? kg_image_edit_depth (out) : NULL;

#pragma omp parallel for schedule(dynamic)
  for (int y = 0; y < height; y++)
    if (!kg_progress_is_cancelled (monitor))
      fill_row (&sampler, y, pixels + 4 * (size_t) width * (size_t) y,
                depth != NULL ? depth + (size_t) width * (size_t) y : NULL);
  return !kg_progress_is_cancelled (monitor);
}

/* resample: an image read through an affine map.
 * Sources: Keys 1981 (cubic convolution, which with a = -1/2 is the spline of Catmull and Rom); Mitchell and Netravali 1988
 * (B = C = 1/3); Duchon 1979 (Lanczos), three lobes, weights divided by their sum so that a plain colour stays itself.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Parts of a pixel that are rounding and not meant: without them, moves by whole pixels and right angles are exact. */
#define RESAMPLE_TINY 1e-9

typedef enum {
  RESAMPLE_NEAREST,
  RESAMPLE_BILINEAR,
  RESAMPLE_BICUBIC,
  RESAMPLE_MITCHELL,
  RESAMPLE_BSPLINE,
  RESAMPLE_LANCZOS,
  RESAMPLE_N_FILTERS
} ResampleFilter;

/* The weight of a sample at a distance of x pixels; 0 from the filter's reach on. */
double resample_kernel (ResampleFilter filter, double x);
/* The least of 0 and of the pixels in these columns and rows (negative: none), for each channel: what filters that overshoot may go
 * down to. */
void resample_find_least (const float *pixels, int width, const int *columns, int n_columns, const int *rows,
                          int n_rows, float least[4]);
double resample_get_reach (ResampleFilter filter);

static inline bool
resample_is_negative (const float rgba[4])
{
  return rgba[0] < 0 || rgba[1] < 0 || rgba[2] < 0 || rgba[3] < 0;
}

/* Light cannot be negative, nor coverage above 1: the cubic and Lanczos' overshoot at edges.  least: what is in the pixels (see
 * resample_find_least), for numbers that are negative there are no light, such as vectors. */
static inline void
resample_hold_back (float rgba[4], const float least[4])
{
  const float most = rgba[3] > 1 ? rgba[3] : 1;

  for (int c = 0; c < 4; c++)
    rgba[c] = (rgba[c] > least[c] ? rgba[c] : least[c]) / most;
}

/* What is beyond the edges of the image: nothing, its last pixels, the image again, or the image mirrored. */
typedef enum {
  RESAMPLE_TRANSPARENT,
  RESAMPLE_EXTEND,
  RESAMPLE_REPEAT,
  RESAMPLE_MIRROR,
  RESAMPLE_N_EDGES
} ResampleEdges;

/* The pixel that is shown at i of a line of size pixels; -1: none. */
static inline int
resample_find_index (int64_t i, int size, ResampleEdges edges)
{
  if (i >= 0 && i < size)
    return (int) i;
  if (edges == RESAMPLE_TRANSPARENT)
    return -1;
  if (edges == RESAMPLE_EXTEND)
    return i < 0 ? 0 : size - 1;
  if (edges == RESAMPLE_REPEAT)
    return (int) (i % size + (i % size < 0 ? size : 0));
  i = i % (2 * (int64_t) size) + (i % (2 * (int64_t) size) < 0 ? 2 * (int64_t) size : 0);
  return (int) (i < size ? i : 2 * (int64_t) size - 1 - i);
}

/* Where a pixel of the result comes from: x' = m x + offset, in continuous coordinates (centres at + 0.5, y down). */
typedef struct {
  double m[2][2];
  double offset[2];
} ResampleMap;

/* Fills out, which has depth where the source has; where the image shrinks, with the mean of several
 * samples a pixel.  Depths are not mixed.  Parallel; the same bits for any number of threads.  False when monitor (nullable)
 * says that it is cancelled. */
bool resample_image (const KgImage *source, const ResampleMap *map, ResampleFilter filter, ResampleEdges edges,
                     KgImage *out, const KgProgressMonitor *monitor);

/* Adds to every pixel of sum, as often as there are maps, the weights times what resample_image makes of it, in the order of
 * the maps: row by row, so that neither they nor what lies together in the source leave the cache.  The image has no depth.
 * Parallel; the same bits for any number of threads.  False when monitor (nullable) says that it is cancelled. */
bool resample_mean (const KgImage *source, const ResampleMap *maps, int n_maps, ResampleFilter filter,
                    ResampleEdges edges, const float weights[4], KgImage *sum, const KgProgressMonitor *monitor);

/* An image to be read between its pixels.  Of a part of it that is all there is, only what lies in there may be asked for:
 * see resample_find_window. */
typedef struct {
  const float *pixels;
  int width, height; /* of the image */
  ResampleFilter filter;
  ResampleEdges edges;
  int left, top, columns, rows; /* which of its pixels there are; columns 0: all */
} ResampleSource;

/* Pixels from (x, y) on. */
typedef struct {
  int x, y, width, height;
} ResampleWindow;

/* Which pixels of an image of width by height a part of what resample_image makes comes from, by several maps.  False: all of
 * them. */
bool resample_find_window (int width, int height, const ResampleMap *maps, int n_maps, ResampleFilter filter,
                           ResampleEdges edges, const ResampleWindow *part, ResampleWindow *window);
/* resample_image for a part of its result, which begins at (x, y) and is as large as out, from a part of the image.  depth: of
 * those pixels (nullable).  Pixels have the same bits as in the whole. */
bool resample_image_part (const ResampleSource *source, const float *depth, const ResampleMap *map, int x, int y,
                          KgImage *out, const KgProgressMonitor *monitor);

/* Samples along one side of a pixel of the result that crosses step pixels of the source, at most most: more as the image shrinks,
 * and together where it hardly does, so that a scale of almost 1 looks as that of 1. */
typedef struct {
  int n;
  double spread; /* of the samples, in pixels of the result */
} ResampleSpread;

/* Two samples side by side differ from one in their middle by less than half a percent of the finest stripes up to this step. */
#define RESAMPLE_ONE_UP_TO 1.125

static inline ResampleSpread
resample_spread (double step, int most)
{
  const double n = ceil (step - 1e-6);

  if (!(step > RESAMPLE_ONE_UP_TO))
    return (ResampleSpread){ 1, 1 };
  return (ResampleSpread){ n < most ? (int) n : most, step < 2 ? step - 1 : 1 };
}

/* Where sample i is, from 0 to 1 over the pixel. */
static inline double
resample_place (ResampleSpread spread, int i)
{
  return 0.5 + spread.spread * ((i + 0.5) / spread.n - 0.5);
}

/* Adds the colour at (x, y), in continuous coordinates, to four sums. */
void resample_add (const ResampleSource *source, double x, double y, double *sum);

/* Where a place of the result comes from; false: from nowhere, it is transparent. */
typedef bool (*ResampleFind) (const void *data, double x, double y, double *from);

/* Fills width times height pixels from places that any function finds.  Where the image shrinks, and at folds, it is the mean of
 * up to 16 by 16 samples a pixel; where it shrinks much, of samples of a copy of a half, a quarter ... of its size (Williams 1983).  steps: pixels of the source that a pixel crosses to the right and down, or NULL to take them from the
 * places, which must then have no jumps but folds.  False when monitor (nullable) says that it is cancelled. */
bool resample_warp (const ResampleSource *source, ResampleFind find, const void *data, const double *steps, float *to,
                    int width, int height, const KgProgressMonitor *monitor);
/* The same for a part of the result, with the same bits as in the whole. */
bool resample_warp_part (const ResampleSource *source, ResampleFind find, const void *data, const double *steps,
                         const ResampleWindow *part, float *to, const KgProgressMonitor *monitor);
/* Which pixels of the source, whose own are not looked at, that part comes from: at the cost of the places.  False: all of them, or it
 * is cancelled. */
bool resample_warp_find_window (const ResampleSource *source, ResampleFind find, const void *data, const double *steps,
                                const ResampleWindow *part, ResampleWindow *window, const KgProgressMonitor *monitor);

G_END_DECLS

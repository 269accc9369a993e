/* resample: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/resample.h"

#include "image/pixel_vectors.h"
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

/* The same with the number of pixels that there are filled in, which is asked for at each of them. */
static inline ResampleSource
complete (const ResampleSource *source)
{
  ResampleSource n = *source;

  if (n.columns == 0) {
    n.columns = n.width;
    n.rows = n.height;
  }
  return n;
}

static inline bool
is_part (const ResampleSource *n)
{
  return n->columns < n->width || n->rows < n->height;
}

/* The next whole number below x, which is within an int: floor would be a call for every pixel. */
static inline int
floor_int (double x)
{
  const int i = (int) x;

  return i - (x < i);
}

/* The weights of four pixels of which the second is at a distance of u before the sample. */
static inline void
weigh_bicubic (float u, float weight[4])
{
  weight[0] = u * (-0.5f + u * (1 - 0.5f * u));
  weight[1] = 1 + u * u * (-2.5f + 1.5f * u);
  weight[2] = u * (0.5f + u * (2 - 1.5f * u));
  weight[3] = u * u * (-0.5f + 0.5f * u);
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
    weigh_bicubic (u, taps.weight);
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
  /* Of a part there are no smaller copies: who wants them takes all of the image. */
  const int levels = source->columns > 0 && is_part (source) ? 1 : find_level (step) + 1;

  *pyramid = (Pyramid){ .level = { complete (source) }, .n = 1 };
  while (pyramid->n < levels && !kg_progress_is_cancelled (monitor)) {
    const ResampleSource *last = &pyramid->level[pyramid->n - 1];
    ResampleSource next = *last;

    if (last->width == 1 && last->height == 1)
      return;
    next.width = (last->width + 1) / 2;
    next.height = (last->height + 1) / 2;
    next.columns = next.width;
    next.rows = next.height;
    pyramid->memory[pyramid->n] = halve (last, next.width, next.height, monitor);
    next.pixels = pyramid->memory[pyramid->n];
    pyramid->level[pyramid->n++] = next;
  }
}

/* What is the same for every pixel. */
typedef struct {
  ResampleSource source; /* the image or a smaller copy */
  ResampleMap map;       /* to its pixels */
  int columns;           /* of the result */
  int left, top;         /* its first pixel, where it is part of a larger one */
  ResampleSpread across, down;
  const float *depth; /* of the image; NULL: without */
  ResampleSource whole;
  ResampleMap depth_map; /* to the pixels of the image */
} Sampler;

/* The numbers of a row of those pixels that there are. */
static inline size_t
get_stride (const ResampleSource *n)
{
  return 4 * (size_t) n->columns;
}

/* A pixel that is there. */
static inline const float *
get_pixel (const ResampleSource *n, int x, int y)
{
  return n->pixels + (size_t) (y - n->top) * get_stride (n) + 4 * (size_t) (x - n->left);
}

/* Whether (x, y) is at least so many pixels within those that there are. */
static inline bool
is_within (const ResampleSource *n, double x, double y, int margin)
{
  return x >= n->left + margin && x < n->left + n->columns - margin && y >= n->top + margin &&
         y < n->top + n->rows - margin;
}

/* Of a part of an image: nobody asks for other pixels than there are, but for the sake of memory. */
static void
keep_within (Taps *taps, int first, int n)
{
  for (int i = 0; i < taps->n; i++)
    if (taps->index[i] >= 0)
      taps->index[i] = CLAMP (taps->index[i], first, first + n - 1);
}

/* What resample_find_least says of these columns and rows of the image. */
static void
find_least (const ResampleSource *n, const int *columns, int n_columns, const int *rows, int n_rows, float least[4])
{
  int across[MAX_TAPS], down[MAX_TAPS];

  for (int i = 0; i < n_columns; i++)
    across[i] = columns[i] < 0 ? -1 : columns[i] - n->left;
  for (int i = 0; i < n_rows; i++)
    down[i] = rows[i] < 0 ? -1 : rows[i] - n->top;
  resample_find_least (n->pixels, (int) (get_stride (n) / 4), across, n_columns, down, n_rows, least);
}

void
resample_find_least (const float *pixels, int width, const int *columns, int n_columns, const int *rows, int n_rows,
                     float least[4])
{
  for (int c = 0; c < 4; c++)
    least[c] = 0;
  for (int j = 0; j < n_rows; j++)
    for (int i = 0; i < n_columns; i++)
      for (int c = 0; c < 4 && rows[j] >= 0 && columns[i] >= 0; c++)
        least[c] = fminf (least[c], pixels[4 * ((size_t) rows[j] * (size_t) width + (size_t) columns[i]) + (size_t) c]);
}

/* Halves of masks. */
typedef int64_t TwoMasks __attribute__ ((vector_size (16)));

/* Whether there is nothing to hold back. */
static inline bool
is_light (FourFloats rgba)
{
  const FourFloats zero = { 0 }, most = { INFINITY, INFINITY, INFINITY, 1 };
  const TwoMasks good = (TwoMasks) ((rgba >= zero) & (rgba <= most));

  return (good[0] & good[1]) == -1;
}

/* What sample does, to the bit, where all of four by four pixels are within the image, and none of them lies under the sample:
 * without asking each of them.  False elsewhere. */
static inline bool
sample_bicubic_within (const ResampleSource *n, double x, double y, double *sum)
{
  float across[4], down[4], rgba[4], least[4] = { 0 };
  FourFloats all = { 0 };
  const float *pixels;
  double tx, ty;
  int left, top;

  if (!is_within (n, x, y, 2))
    return false;
  left = (int) (x - 0.5 + RESAMPLE_TINY);
  top = (int) (y - 0.5 + RESAMPLE_TINY);
  tx = x - 0.5 - left;
  ty = y - 0.5 - top;
  if (tx < RESAMPLE_TINY || ty < RESAMPLE_TINY)
    return false;
  weigh_bicubic ((float) tx, across);
  weigh_bicubic ((float) ty, down);
  pixels = get_pixel (n, left - 1, top - 1);
#pragma GCC unroll 4
  for (int j = 0; j < 4; j++, pixels += get_stride (n)) {
    FourFloats row = across[0] * four_floats_at (pixels);

    row += across[1] * four_floats_at (pixels + 4);
    row += across[2] * four_floats_at (pixels + 8);
    row += across[3] * four_floats_at (pixels + 12);
    all += down[j] * row;
  }
  memcpy (rgba, &all, sizeof rgba);
  if (G_UNLIKELY (!is_light (all))) {
    if (resample_is_negative (rgba)) {
      const int columns[] = { left - 1, left, left + 1, left + 2 }, rows[] = { top - 1, top, top + 1, top + 2 };

      find_least (n, columns, 4, rows, 4, least);
    }
    resample_hold_back (rgba, least);
  }
  for (int c = 0; c < 4; c++)
    sum[c] += (double) rgba[c];
  return true;
}

static void
sample_anywhere (const ResampleSource *n, double x, double y, double *sum)
{
  Taps across = find_taps (x, n->width, n->filter, n->edges);
  Taps down = find_taps (y, n->height, n->filter, n->edges);
  float rgba[4] = { 0 };

  if (is_part (n)) {
    keep_within (&across, n->left, n->columns);
    keep_within (&down, n->top, n->rows);
  }
  for (int j = 0; j < down.n; j++) {
    float row[4] = { 0 };

    for (int i = 0; i < across.n && down.index[j] >= 0; i++) {
      const float *p;

      if (across.index[i] < 0)
        continue;
      p = get_pixel (n, across.index[i], down.index[j]);
      for (int c = 0; c < 4; c++)
        row[c] += across.weight[i] * p[c];
    }
    for (int c = 0; c < 4; c++)
      rgba[c] += down.weight[j] * row[c];
  }
  if ((across.n >= 4 || down.n >= 4) && n->filter != RESAMPLE_BSPLINE) {
    float least[4] = { 0 };

    if (resample_is_negative (rgba))
      find_least (n, across.index, across.n, down.index, down.n, least);
    resample_hold_back (rgba, least);
  }
  for (int c = 0; c < 4; c++)
    sum[c] += (double) rgba[c];
}

static inline void
sample (const ResampleSource *n, double x, double y, double *sum)
{
  if (n->filter != RESAMPLE_BICUBIC || !sample_bicubic_within (n, x, y, sum))
    sample_anywhere (n, x, y, sum);
}

/* Samples along one side of a pixel, so that none of an image that shrinks is left out. */
static ResampleSpread
find_spread (ResampleFilter filter, const ResampleMap *map, int axis)
{
  return resample_spread (filter == RESAMPLE_NEAREST ? 1 : hypot (map->m[0][axis], map->m[1][axis]), MAX_SAMPLES);
}

/* How many pixels of the image each pixel crosses along both of its sides, at least. */
static double
find_shrink (ResampleFilter filter, const ResampleMap *map)
{
  return filter == RESAMPLE_NEAREST ? 1 : fmin (hypot (map->m[0][0], map->m[1][0]), hypot (map->m[0][1], map->m[1][1]));
}

static Sampler
make_sampler (const Pyramid *pyramid, const ResampleMap *map, int columns)
{
  const ResampleSource *whole = &pyramid->level[0];
  const int level = MIN (find_level (find_shrink (whole->filter, map)), pyramid->n - 1);
  const ResampleSource *source = &pyramid->level[level];
  const double scale[2] = { (double) source->width / whole->width, (double) source->height / whole->height };
  Sampler sampler = { .source = *source, .map = *map, .columns = columns, .whole = *whole, .depth_map = *map };

  for (int i = 0; level > 0 && i < 2; i++) {
    sampler.map.m[i][0] *= scale[i];
    sampler.map.m[i][1] *= scale[i];
    sampler.map.offset[i] *= scale[i];
  }
  sampler.across = find_spread (whole->filter, &sampler.map, 0);
  sampler.down = find_spread (whole->filter, &sampler.map, 1);
  return sampler;
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

/* Two pixels beside each other, of which the second begins at tx. */
static inline FourFloats
mix_pair (const float *p, double tx)
{
  if (tx < RESAMPLE_TINY)
    return four_floats_at (p);
  return (1 - (float) tx) * four_floats_at (p) + (float) tx * four_floats_at (p + 4);
}

/* One bilinear sample where all that it reads is within the image: what sample makes of it, to the bit.  False near the edges. */
static inline bool
sample_within (const ResampleSource *n, double x, double y, float *rgba)
{
  FourFloats mean = { 0 };
  const float *pixels;
  double tx, ty;
  int left, top;

  if (!is_within (n, x, y, 1))
    return false;
  left = (int) (x - 0.5 + RESAMPLE_TINY);
  top = (int) (y - 0.5 + RESAMPLE_TINY);
  tx = x - 0.5 - left;
  ty = y - 0.5 - top;
  pixels = get_pixel (n, left, top);
  mean += (ty < RESAMPLE_TINY ? 1 : 1 - (float) ty) * mix_pair (pixels, tx);
  if (!(ty < RESAMPLE_TINY))
    mean += (float) ty * mix_pair (pixels + get_stride (n), tx);
  memcpy (rgba, &mean, sizeof mean);
  return true;
}

static void
fill_row (const Sampler *n, int y, float *row, float *depth)
{
  const ResampleMap *map = &n->map;
  const int samples = n->across.n * n->down.n;
  const bool is_plain = samples == 1 && n->source.filter == RESAMPLE_BILINEAR && depth == NULL;

  for (int x = 0; x < n->columns; x++) {
    const int column = n->left + x;
    double sum[4] = { 0 };

    if (is_plain &&
        sample_within (&n->source, map->m[0][0] * (column + 0.5) + map->m[0][1] * (y + 0.5) + map->offset[0],
                       map->m[1][0] * (column + 0.5) + map->m[1][1] * (y + 0.5) + map->offset[1], row + 4 * x))
      continue;

    for (int j = 0; j < n->down.n && !is_off_image (n, column, y); j++)
      for (int i = 0; i < n->across.n; i++) {
        const double at = column + resample_place (n->across, i), down = y + resample_place (n->down, j);

        sample (&n->source, map->m[0][0] * at + map->m[0][1] * down + map->offset[0],
                map->m[1][0] * at + map->m[1][1] * down + map->offset[1], sum);
      }
    for (int c = 0; c < 4; c++)
      row[4 * x + c] = (float) (sum[c] / samples);
    if (depth != NULL) {
      /* Distances are not mixed: between two things there is nothing. */
      const double at = column + 0.5, down = y + 0.5;
      const ResampleMap *to = &n->depth_map;
      Taps i = find_taps (to->m[0][0] * at + to->m[0][1] * down + to->offset[0], n->whole.width, RESAMPLE_NEAREST,
                          n->whole.edges);
      Taps j = find_taps (to->m[1][0] * at + to->m[1][1] * down + to->offset[1], n->whole.height, RESAMPLE_NEAREST,
                          n->whole.edges);

      if (is_part (&n->whole)) {
        keep_within (&i, n->whole.left, n->whole.columns);
        keep_within (&j, n->whole.top, n->whole.rows);
      }
      depth[x] = i.index[0] < 0 || j.index[0] < 0
                     ? INFINITY
                     : n->depth[(size_t) (get_pixel (&n->whole, i.index[0], j.index[0]) - n->whole.pixels) / 4];
    }
  }
}

bool
resample_image_part (const ResampleSource *source, const float *depth, const ResampleMap *map, int x, int y,
                     KgImage *out, const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (out), height = kg_image_get_height (out);
  g_auto (Pyramid) pyramid = { .n = 0 };
  Sampler sampler;
  float *pixels, *depth_out;

  pyramid_init (&pyramid, source, find_shrink (source->filter, map), monitor);
  sampler = make_sampler (&pyramid, map, width);
  sampler.left = x;
  sampler.depth = depth;
  pixels = kg_image_edit_pixels (out);
  depth_out = depth != NULL ? kg_image_edit_depth (out) : NULL;

#pragma omp parallel for schedule(dynamic)
  for (int row = 0; row < height; row++)
    if (!kg_progress_is_cancelled (monitor))
      fill_row (&sampler, y + row, pixels + 4 * (size_t) width * (size_t) row,
                depth_out != NULL ? depth_out + (size_t) width * (size_t) row : NULL);
  return !kg_progress_is_cancelled (monitor);
}

bool
resample_image (const KgImage *source, const ResampleMap *map, ResampleFilter filter, ResampleEdges edges, KgImage *out,
                const KgProgressMonitor *monitor)
{
  const ResampleSource whole = { .pixels = kg_image_get_pixels (source),
                                 .width = kg_image_get_width (source),
                                 .height = kg_image_get_height (source),
                                 .filter = filter,
                                 .edges = edges };

  return resample_image_part (&whole, kg_image_get_depth (source), map, 0, 0, out, monitor);
}

/* The pixels of a line of size that are shown from low to high; false: all of them. */
static bool
find_span (double low, double high, int size, ResampleEdges edges, int *first, int *n)
{
  const double from = fmax (floor (low), -FAR), end = fmin (ceil (high), FAR);

  if ((edges == RESAMPLE_REPEAT || edges == RESAMPLE_MIRROR) && (from < 0 || end > size))
    return false;
  *first = (int) kg_clamp (from, 0, size - 1);
  *n = (int) kg_clamp (end, *first + 1, size) - *first;
  return true;
}

bool
resample_find_window (int width, int height, const ResampleMap *maps, int n_maps, ResampleFilter filter,
                      ResampleEdges edges, const ResampleWindow *part, ResampleWindow *window)
{
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };

  for (int k = 0; k < n_maps; k++) {
    /* Smaller copies have cells of their own. */
    if (find_level (find_shrink (filter, &maps[k])) > 0)
      return false;
    for (int corner = 0; corner < 4; corner++)
      for (int i = 0; i < 2; i++) {
        const double at = maps[k].m[i][0] * (part->x + corner % 2 * part->width) +
                          maps[k].m[i][1] * (part->y + corner / 2 * part->height) + maps[k].offset[i];

        low[i] = fmin (low[i], at - REACH);
        high[i] = fmax (high[i], at + REACH);
      }
  }
  /* Of an axis of which all is shown the other one may still be a part. */
  if (!find_span (low[0], high[0], width, edges, &window->x, &window->width)) {
    window->x = 0;
    window->width = width;
  }
  if (!find_span (low[1], high[1], height, edges, &window->y, &window->height)) {
    window->y = 0;
    window->height = height;
  }
  return true;
}

bool
resample_mean (const KgImage *source, const ResampleMap *maps, int n_maps, ResampleFilter filter, ResampleEdges edges,
               const float weights[4], KgImage *sum, const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (sum), height = kg_image_get_height (sum);
  const ResampleSource whole = { kg_image_get_pixels (source), kg_image_get_width (source),
                                 kg_image_get_height (source), filter, edges };
  float *pixels = kg_image_edit_pixels (sum);
  g_auto (Pyramid) pyramid = { .n = 0 };
  double most = 1;

  for (int i = 0; i < n_maps; i++)
    most = fmax (most, find_shrink (filter, &maps[i]));
  pyramid_init (&pyramid, &whole, most, monitor);
#pragma omp parallel
  {
    float *one = g_new (float, 4 * (size_t) width);

#pragma omp for schedule(dynamic, 4)
    for (int y = 0; y < height; y++) {
      float *row = pixels + 4 * (size_t) width * (size_t) y;

      for (int i = 0; i < n_maps && !kg_progress_is_cancelled (monitor); i++) {
        const Sampler sampler = make_sampler (&pyramid, &maps[i], width);

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
  const ResampleSource n = complete (source);

  sample (&n, x, y, sum);
}

/* Places of the centres of a row, from left on, and of one more pixel; NAN: from nowhere. */
static void
find_row (ResampleFind find, const void *data, int left, int y, int width, double *places)
{
  for (int x = 0; x <= width; x++)
    if (!find (data, left + x + 0.5, y + 0.5, places + 2 * x) || !isfinite (places[2 * x]) ||
        !isfinite (places[2 * x + 1]))
      places[2 * x] = places[2 * x + 1] = NAN;
}

/* How far it is from a place to the next one. */
static double
get_step (const double *a, const double *b)
{
  const double x = b[0] - a[0], y = b[1] - a[1];

  /* No hypot, which takes as long as the sample: what overflows is as far as anything. */
  return sqrt (x * x + y * y);
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
  int left, top;        /* of the part of the result */
  const double *places; /* of the corners: rows of numbers */
  size_t numbers;
} Warp;

/* Pixels that are needed: from low to high, these included. */
typedef struct {
  int low[2], high[2];
  bool copies; /* smaller ones of the image */
} Needed;

static void
add_needed (Needed *needed, const Taps *taps, int axis)
{
  for (int i = 0; i < taps->n; i++)
    if (taps->index[i] >= 0) {
      needed->low[axis] = MIN (needed->low[axis], taps->index[i]);
      needed->high[axis] = MAX (needed->high[axis], taps->index[i]);
    }
}

/* Takes a sample, or says what it would read. */
static inline void
visit (const ResampleSource *source, double x, double y, double *sum, Needed *needed)
{
  if (needed == NULL)
    sample (source, x, y, sum);
  else {
    const Taps across = find_taps (x, source->width, source->filter, source->edges);
    const Taps down = find_taps (y, source->height, source->filter, source->edges);

    add_needed (needed, &across, 0);
    add_needed (needed, &down, 1);
  }
}

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

/* Neighbouring pixels that come from no farther apart (pixels) come from the same piece of a smooth map: samples of a pixel lie on
 * straight lines between its place and theirs, to a share of its bend within a pixel, and need not be looked for. */
#define SMOOTH 4.0

/* Pixel (x, y) of the part, or what it is made of. */
static inline __attribute__ ((always_inline)) void
do_pixel (const Warp *warp, int x, int y, float *rgba, Needed *needed)
{
  const double *place = warp->places + warp->numbers * (size_t) y + 2 * (size_t) x;
  const ResampleSource *source = &warp->pyramid.level[0];
  ResampleSpread across = { 1, 1 }, down = { 1, 1 };
  double sum[4] = { 0 }, scale[2] = { 1, 1 }, places[MAX_SAMPLES];
  const double *right = place + 2, *below = place + warp->numbers;
  bool smooth = false;
  int n;

  if (source->filter != RESAMPLE_NEAREST) {
    double step[2] = { get_step (place, right), get_step (place, below) };
    int level;

    smooth = step[0] <= SMOOTH && step[1] <= SMOOTH;

    if (warp->steps != NULL) {
      step[0] = warp->steps[0];
      step[1] = warp->steps[1];
    } else if (is_beside (source, place, right, below, fmax (step[0], step[1]))) {
      if (needed == NULL)
        memset (rgba, 0, 4 * sizeof *rgba);
      return;
    }
    /* Those without a place are no number, and at the image itself. */
    level = step[0] < step[1] ? find_level (step[0]) : find_level (step[1]);
    if (needed != NULL && level > 0) {
      needed->copies = true;
      return;
    }
    level = MIN (level, warp->pyramid.n - 1);
    source = &warp->pyramid.level[level];
    if (level > 0) {
      scale[0] = (double) source->width / warp->pyramid.level[0].width;
      scale[1] = (double) source->height / warp->pyramid.level[0].height;
    }
    across = find_spread_of (level > 0 ? step[0] * fmax (scale[0], scale[1]) : step[0]);
    down = find_spread_of (level > 0 ? step[1] * fmax (scale[0], scale[1]) : step[1]);
  }
  n = across.n * down.n;
  if (n == 1 && isfinite (place[0]) && isfinite (place[1]))
    visit (source, place[0] * scale[0], place[1] * scale[1], sum, needed);
  for (int i = 0; i < across.n; i++)
    places[i] = warp->left + x + resample_place (across, i);
  for (int j = 0; n > 1 && j < down.n; j++) {
    const double at = warp->top + y + resample_place (down, j);

    for (int i = 0; i < across.n; i++) {
      double from[2];

      if (smooth) {
        const double to_right = places[i] - (warp->left + x) - 0.5, down_from = at - (warp->top + y) - 0.5;

        for (int k = 0; k < 2; k++)
          from[k] = place[k] + to_right * (right[k] - place[k]) + down_from * (below[k] - place[k]);
        visit (source, from[0] * scale[0], from[1] * scale[1], sum, needed);
      } else if (warp->find (warp->data, places[i], at, from) && isfinite (from[0]) && isfinite (from[1]))
        visit (source, from[0] * scale[0], from[1] * scale[1], sum, needed);
    }
  }
  /* Divisions take as long as much of a sample. */
  for (int c = 0; c < 4 && needed == NULL; c++)
    rgba[c] = (float) (n == 1 ? sum[c] : sum[c] / n);
}

/* The square of how far it is from a place to the next one. */
static inline double
get_square (const double *a, const double *b)
{
  const double x = b[0] - a[0], y = b[1] - a[1];

  return x * x + y * y;
}

static inline void
warp_pixel (const Warp *warp, int x, int y, float *rgba)
{
  const double least = 0.99 * RESAMPLE_ONE_UP_TO * RESAMPLE_ONE_UP_TO;
  const double *place = warp->places + warp->numbers * (size_t) y + 2 * (size_t) x;
  double sum[4] = { 0 };

  /* Most pixels are one sample of the image itself: without roots.  Those without a place are no number. */
  if (warp->steps == NULL && get_square (place, place + 2) < least &&
      get_square (place, place + warp->numbers) < least) {
    sample (&warp->pyramid.level[0], place[0], place[1], sum);
    for (int c = 0; c < 4; c++)
      rgba[c] = (float) sum[c];
  } else
    do_pixel (warp, x, y, rgba, NULL);
}

/* Whether it is farther from a place to the next one than what needs no smaller copy; true where one has no place. */
static inline bool
may_shrink_much (const double *a, const double *b)
{
  return !(get_square (a, b) <= 0.99 * MOST_SHRINK * MOST_SHRINK);
}

/* The most that a pixel crosses along both of its sides; about 1 where that is little. */
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
      double across, down, least;

      /* Roots are for the few where it matters. */
      if (!may_shrink_much (place, place + 2) || !may_shrink_much (place, place + warp->numbers))
        continue;
      across = get_step (place, place + 2);
      down = get_step (place, place + warp->numbers);
      least = across < down ? across : down;

      most = least > most ? least : most;
    }
  return most;
}

/* (transfer full) The places of the part of the result; NULL: cancelled. */
static double *
find_places (Warp *warp, const ResampleWindow *part, const KgProgressMonitor *monitor)
{
  double *places = g_new (double, 2 * ((gsize) part->width + 1) * ((gsize) part->height + 1));

  warp->left = part->x;
  warp->top = part->y;
  warp->numbers = 2 * ((size_t) part->width + 1);
  warp->places = places;
#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y <= part->height; y++)
    if (!kg_progress_is_cancelled (monitor))
      find_row (warp->find, warp->data, part->x, part->y + y, part->width, places + warp->numbers * (size_t) y);
  if (kg_progress_is_cancelled (monitor))
    g_clear_pointer (&places, g_free);
  return places;
}

bool
resample_warp_part (const ResampleSource *source, ResampleFind find, const void *data, const double *steps,
                    const ResampleWindow *part, float *to, const KgProgressMonitor *monitor)
{
  enum { BAND = 8 };
  const int width = part->width, height = part->height, n_bands = (height + BAND - 1) / BAND;
  Warp warp = { .find = find, .data = data, .steps = steps };
  g_autofree double *places = find_places (&warp, part, monitor);
  g_auto (Pyramid) pyramid = { 0 };

  if (places == NULL)
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

bool
resample_warp (const ResampleSource *source, ResampleFind find, const void *data, const double *steps, float *to,
               int width, int height, const KgProgressMonitor *monitor)
{
  return resample_warp_part (source, find, data, steps, &(ResampleWindow){ 0, 0, width, height }, to, monitor);
}

bool
resample_warp_find_window (const ResampleSource *source, ResampleFind find, const void *data, const double *steps,
                           const ResampleWindow *part, ResampleWindow *window, const KgProgressMonitor *monitor)
{
  Warp warp = { .find = find, .data = data, .steps = steps, .pyramid = { .level = { *source }, .n = 1 } };
  g_autofree double *places = find_places (&warp, part, monitor);
  int left = source->width, top = source->height, right = -1, bottom = -1;
  bool copies = places == NULL;

#pragma omp parallel for schedule(dynamic, 8) reduction(min                                                            \
                                                        : left, top) reduction(max                                     \
                                                                               : right, bottom) reduction(||           \
                                                                                                          : copies)
  for (int y = 0; y < part->height; y++) {
    Needed needed = { { source->width, source->height }, { -1, -1 }, copies };

    for (int x = 0; x < part->width && !needed.copies && !kg_progress_is_cancelled (monitor); x++)
      do_pixel (&warp, x, y, NULL, &needed);
    left = MIN (left, needed.low[0]);
    top = MIN (top, needed.low[1]);
    right = MAX (right, needed.high[0]);
    bottom = MAX (bottom, needed.high[1]);
    copies = copies || needed.copies;
  }
  if (copies || kg_progress_is_cancelled (monitor))
    return false;
  /* Where nothing is read, a pixel is. */
  *window = right < left || bottom < top ? (ResampleWindow){ 0, 0, 1, 1 }
                                         : (ResampleWindow){ left, top, right - left + 1, bottom - top + 1 };
  return true;
}

/* image_codec: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_codec.h"

#include "image/byte_codes.h"
#include "kg-base.h"
#include "kg-math.h"

/* Blocks that a fractal range is compared with, at most. */
#define MAX_DOMAINS 1024
/* Entries of histograms of symbols. */
#define SYMBOLS 4096

/* ITU-T T.81, tables K.1 and K.2, for quality 50. */
static const uint8_t luma_table[64] = {
  16, 11,  10,  16, 24, 40, 51, 61, 12,  12,  14,  19,  26, 58, 60, 55,  14,  13,  16,  24, 40, 57,
  69, 56,  14,  17, 22, 29, 51, 87, 80,  62,  18,  22,  37, 56, 68, 109, 103, 77,  24,  35, 55, 64,
  81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98,  112, 100, 103, 99,
};
static const uint8_t chroma_table[64] = {
  17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
  99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
};
static const uint8_t zigzag[64] = {
  0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
  41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
  30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

typedef struct {
  int width, height;
  float *a;
} Plane;

static Plane
plane_new (int width, int height)
{
  return (Plane){ width, height, g_new0 (float, (size_t) width *(size_t) height) };
}

static inline float
plane_get (const Plane *plane, int x, int y)
{
  x = CLAMP (x, 0, plane->width - 1);
  y = CLAMP (y, 0, plane->height - 1);
  return plane->a[(size_t) y * (size_t) plane->width + (size_t) x];
}

static inline void
plane_set (Plane *plane, int x, int y, double value)
{
  if (x < plane->width && y < plane->height)
    plane->a[(size_t) y * (size_t) plane->width + (size_t) x] = (float) value;
}

/* 8-bit components of an image over black. */
static void
read_bytes (const KgImage *image, int width, int height, uint8_t *rgb)
{
  const int columns = kg_image_get_width (image), rows = kg_image_get_height (image);

#pragma omp parallel for schedule(dynamic, 16)
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (size_t c = 0; c < 3; c++) {
        const float *p = kg_image_get_pixels (image) +
                         4 * ((size_t) MIN (y, rows - 1) * (size_t) columns + (size_t) MIN (x, columns - 1));

        rgb[3 * ((size_t) y * (size_t) width + (size_t) x) + c] =
            (uint8_t) (255 * kg_srgb_encode (kg_clamp ((double) p[c], 0, 1)) + 0.5);
      }
}

static void
write_bytes (const uint8_t *rgb, const KgImage *image, KgImage *out)
{
  const size_t n = (size_t) kg_image_get_width (out) * (size_t) kg_image_get_height (out);
  const float *from = kg_image_get_pixels (image);
  float *to = kg_image_edit_pixels (out), decoded[256];

  for (int i = 0; i < 256; i++)
    decoded[i] = (float) kg_srgb_decode (i / 255.0);
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < 3; c++)
      to[4 * i + c] = decoded[rgb[3 * i + c]];
    to[4 * i + 3] = from[4 * i + 3];
  }
}

/* Y'CbCr of full range, and back. */
static void
split_colour (const uint8_t *rgb, size_t n, float *y, float *cb, float *cr)
{
  for (size_t i = 0; i < n; i++) {
    const double r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2], l = 0.299 * r + 0.587 * g + 0.114 * b;

    y[i] = (float) l;
    cb[i] = (float) (128 + (b - l) / 1.772);
    cr[i] = (float) (128 + (r - l) / 1.402);
  }
}

static void
join_colour (const float *y, const float *cb, const float *cr, size_t n, uint8_t *rgb)
{
  for (size_t i = 0; i < n; i++) {
    const double l = (double) y[i], u = (double) cb[i] - 128, v = (double) cr[i] - 128;
    const double c[3] = { l + 1.402 * v, l - (0.114 * 1.772 * u + 0.299 * 1.402 * v) / 0.587, l + 1.772 * u };

    for (size_t k = 0; k < 3; k++)
      rgb[3 * i + k] = (uint8_t) kg_clamp (c[k] + 0.5, 0, 255);
  }
}

static void
get_cell (ChromaScheme scheme, int *across, int *down)
{
  static const int cells[CHROMA_N][2] = { { 1, 1 }, { 2, 1 }, { 4, 1 }, { 2, 2 }, { 4, 4 } };

  *across = cells[scheme][0];
  *down = cells[scheme][1];
}

/* The mean of each cell, or the number of the cell in all of its pixels. */
static Plane
reduce (const Plane *from, int across, int down)
{
  Plane to = plane_new ((from->width + across - 1) / across, (from->height + down - 1) / down);

  for (int y = 0; y < to.height; y++)
    for (int x = 0; x < to.width; x++) {
      double sum = 0;
      int n = 0;

      for (int j = y * down; j < MIN ((y + 1) * down, from->height); j++)
        for (int i = x * across; i < MIN ((x + 1) * across, from->width); i++, n++)
          sum += (double) plane_get (from, i, j);
      plane_set (&to, x, y, sum / n);
    }
  return to;
}

static void
enlarge (const Plane *from, int across, int down, Plane *to)
{
  for (int y = 0; y < to->height; y++)
    for (int x = 0; x < to->width; x++)
      plane_set (to, x, y, (double) plane_get (from, x / across, y / down));
}

/* How often each symbol came; what an ideal code takes for all of them. */
typedef struct {
  double counts[SYMBOLS];
} Histogram;

static double
get_entropy (const Histogram *histogram)
{
  double total = 0, bits = 0;

  for (int i = 0; i < SYMBOLS; i++)
    total += histogram->counts[i];
  for (int i = 0; i < SYMBOLS; i++)
    if (histogram->counts[i] > 0)
      bits -= histogram->counts[i] * log2 (histogram->counts[i] / total);
  return bits;
}

/* Bits of a magnitude: JPEG's category. */
static int
get_size (int value)
{
  int size = 0;

  for (value = ABS (value); value > 0; value >>= 1)
    size++;
  return MIN (size, 15);
}

static void
transform_block (const double basis[8][8], const double *from, double *to, bool inverse)
{
  double half[64];

  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      double sum = 0;

      for (int k = 0; k < 8; k++)
        sum += from[8 * i + k] * (inverse ? basis[k][j] : basis[j][k]);
      half[8 * i + j] = sum;
    }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      double sum = 0;

      for (int k = 0; k < 8; k++)
        sum += half[8 * k + j] * (inverse ? basis[k][i] : basis[i][k]);
      to[8 * i + j] = sum;
    }
}

/* Coefficients as the decoder has them.  levels: (out) in zig-zag order. */
static void
reduce_coefficients (const CodecStyle *style, const uint8_t *table, double *f, int levels[64])
{
  const double scale = style->quality < 50 ? 50 / style->quality : 2 - style->quality / 50;

  for (int k = 0; k < 64; k++) {
    double *value = &f[zigzag[k]];

    if (style->dct == DCT_QUANTISE) {
      const double step = kg_clamp (floor (table[zigzag[k]] * scale + 0.5), 1, 255);

      levels[k] = (int) nearbyint (*value / step);
      *value = levels[k] * step;
    } else {
      if (style->dct == DCT_FIRST ? k >= style->first : fabs (*value) < style->threshold)
        *value = 0;
      levels[k] = (int) nearbyint (*value);
    }
  }
}

/* Codes one plane of differences from 128 in place (or from a prediction, which is 128 then).  Returns the bits. */
static double
code_plane (Plane *plane, const CodecStyle *style, const uint8_t *table, double *kept)
{
  const int across = (plane->width + 7) / 8, down = (plane->height + 7) / 8;
  g_autofree Histogram *dc = g_new0 (Histogram, 1), *ac = g_new0 (Histogram, 1);
  g_autofree int *levels = g_new (int, 64 * (size_t) across * (size_t) down);
  double basis[8][8], bits = 0, nonzero = 0;
  int before = 0;

  for (int u = 0; u < 8; u++)
    for (int x = 0; x < 8; x++)
      basis[u][x] = (u == 0 ? sqrt (0.125) : 0.5) * cos ((2 * x + 1) * u * KG_PI / 16);
#pragma omp parallel for schedule(dynamic, 2)
  for (int by = 0; by < down; by++)
    for (int bx = 0; bx < across; bx++) {
      double block[64], f[64];

      for (int k = 0; k < 64; k++)
        block[k] = (double) plane_get (plane, 8 * bx + k % 8, 8 * by + k / 8) - 128;
      transform_block (basis, block, f, false);
      reduce_coefficients (style, table, f, levels + 64 * ((size_t) by * (size_t) across + (size_t) bx));
      transform_block (basis, f, block, true);
      for (int k = 0; k < 64; k++)
        plane_set (plane, 8 * bx + k % 8, 8 * by + k / 8, block[k] + 128);
    }
  for (size_t b = 0; b < (size_t) across * (size_t) down; b++) {
    const int *block = levels + 64 * b, size = get_size (block[0] - before);
    int run = 0;

    dc->counts[size]++;
    bits += size;
    nonzero += block[0] != 0;
    before = block[0];
    for (int k = 1; k < 64; k++) {
      if (block[k] == 0) {
        run++;
        continue;
      }
      for (; run > 15; run -= 16)
        ac->counts[15 << 4]++;
      ac->counts[run << 4 | get_size (block[k])]++;
      bits += get_size (block[k]);
      nonzero++;
      run = 0;
    }
    if (run > 0)
      ac->counts[0]++;
  }
  *kept += nonzero;
  return bits + get_entropy (dc) + get_entropy (ac);
}

/* One step of lifting along a line: places of parity get factor times their neighbours, reflected at the ends. */
static void
lift (double *a, int n, int parity, double factor)
{
  for (int i = parity; i < n; i += 2) {
    const double left = a[i > 0 ? i - 1 : MIN (i + 1, n - 1)], right = a[i + 1 < n ? i + 1 : MAX (i - 1, 0)];

    a[i] += factor * (left + right);
  }
}

/* The two filters of Daubechies and Sweldens; both ends keep energy about the same. */
static const double lifting97[4] = { -1.586134342059924, -0.052980118572961, 0.882911075530934, 0.443506852043971 };
#define GAIN97 1.149604398860241

static void
wavelet_line (Wavelet wavelet, double *a, int n, double *scratch, bool inverse)
{
  const int low = (n + 1) / 2;
  const double gain = wavelet == WAVELET_CDF97 ? GAIN97 : sqrt (2);

  if (n < 2)
    return;
  if (inverse) {
    for (int i = 0; i < n; i++)
      scratch[i] = i % 2 == 0 ? a[i / 2] : a[low + i / 2];
    memcpy (a, scratch, (size_t) n * sizeof *a);
  }
  if (wavelet == WAVELET_HAAR) {
    for (int i = 0; i + 1 < n; i += 2) {
      const double sum = (a[i] + a[i + 1]) * sqrt (0.5), difference = (a[i] - a[i + 1]) * sqrt (0.5);

      a[i] = sum;
      a[i + 1] = difference;
    }
  } else {
    if (inverse)
      for (int i = 0; i < n; i++)
        a[i] *= i % 2 == 0 ? 1 / gain : gain;
    if (wavelet == WAVELET_CDF53) {
      lift (a, n, inverse ? 0 : 1, inverse ? -0.25 : -0.5);
      lift (a, n, inverse ? 1 : 0, inverse ? 0.5 : 0.25);
    } else
      for (int k = 0; k < 4; k++)
        lift (a, n, inverse ? k % 2 : 1 - k % 2, inverse ? -lifting97[3 - k] : lifting97[k]);
    if (!inverse)
      for (int i = 0; i < n; i++)
        a[i] *= i % 2 == 0 ? gain : 1 / gain;
  }
  if (!inverse) {
    for (int i = 0; i < n; i++)
      scratch[i % 2 == 0 ? i / 2 : low + i / 2] = a[i];
    memcpy (a, scratch, (size_t) n * sizeof *a);
  }
}

/* Rows, then columns, of the upper left part of a plane; or back. */
static void
wavelet_level (Wavelet wavelet, double *a, int stride, int width, int height, bool inverse)
{
  for (int pass = 0; pass < 2; pass++) {
    const bool rows = (pass == 0) != inverse;
    const int lines = rows ? height : width, n = rows ? width : height;

#pragma omp parallel for schedule(static)
    for (int k = 0; k < lines; k++) {
      g_autofree double *line = g_new (double, 2 * (size_t) n);

      for (int i = 0; i < n; i++)
        line[i] = a[(size_t) (rows ? k : i) * (size_t) stride + (size_t) (rows ? i : k)];
      wavelet_line (wavelet, line, n, line + n, inverse);
      for (int i = 0; i < n; i++)
        a[(size_t) (rows ? k : i) * (size_t) stride + (size_t) (rows ? i : k)] = line[i];
    }
  }
}

static int
compare_down (const void *a, const void *b)
{
  return kg_compare_doubles (b, a);
}

static double
code_wavelet (Plane *plane, const CodecStyle *style, double *kept)
{
  const size_t n = (size_t) plane->width * (size_t) plane->height;
  const size_t keep = (size_t) ceil (style->keep * (double) n - 1e-9);
  g_autofree double *a = g_new (double, n), *sorted = g_new (double, n);
  g_autofree Histogram *histogram = g_new0 (Histogram, 1);
  int widths[16], heights[16], levels = 0;
  size_t ties = 0;
  double limit, bits = 0;

  for (size_t i = 0; i < n; i++)
    a[i] = (double) plane->a[i] - 128;
  for (int w = plane->width, h = plane->height; levels < style->levels && (w > 1 || h > 1) && levels < 16; levels++) {
    widths[levels] = w;
    heights[levels] = h;
    wavelet_level (style->wavelet, a, plane->width, w, h, false);
    w = (w + 1) / 2;
    h = (h + 1) / 2;
  }
  for (size_t i = 0; i < n; i++)
    sorted[i] = fabs (a[i]);
  qsort (sorted, n, sizeof *sorted, compare_down);
  /* Of those as large as the last one that is kept, only as many: an image of whole numbers has many. */
  limit = keep > 0 ? sorted[keep - 1] : INFINITY;
  while (ties < keep && sorted[keep - 1 - ties] == limit)
    ties++;
  for (size_t i = 0; i < n; i++) {
    int size;

    if (fabs (a[i]) < limit || (fabs (a[i]) == limit && ties == 0))
      a[i] = 0;
    else if (fabs (a[i]) == limit)
      ties--;
    *kept += a[i] != 0;
    size = get_size ((int) nearbyint (kg_clamp (a[i], -32000, 32000)));
    histogram->counts[a[i] == 0 ? 0 : 1 + size]++;
    bits += a[i] == 0 ? 0 : size + 1;
  }
  while (levels-- > 0)
    wavelet_level (style->wavelet, a, plane->width, widths[levels], heights[levels], true);
  for (size_t i = 0; i < n; i++)
    plane->a[i] = (float) (a[i] + 128);
  return bits + get_entropy (histogram);
}

/* A range and the domain that it is made of. */
typedef struct {
  int x, y, turn;
  double scale, offset;
} FractalMap;

/* A place of a block of size n, turned and mirrored in one of eight ways. */
static void
turn_place (int turn, int n, int *i, int *j)
{
  int x = *i, y = *j;

  if (turn & 4) {
    const int swap = x;

    x = y;
    y = swap;
  }
  *i = turn & 1 ? n - 1 - x : x;
  *j = turn & 2 ? n - 1 - y : y;
}

static void
find_map (const Plane *plane, const Plane *half, int step, int block, double limit, int rx, int ry, FractalMap *map)
{
  const int n = block * block;
  g_autofree double *range = g_new (double, (size_t) n);
  double mean = 0, best = HUGE_VAL, square = 0;

  for (int k = 0; k < n; k++) {
    range[k] = (double) plane_get (plane, rx + k % block, ry + k / block);
    mean += range[k] / n;
  }
  for (int k = 0; k < n; k++) {
    range[k] -= mean;
    square += range[k] * range[k];
  }
  *map = (FractalMap){ .offset = mean };
  if (square < 1e-9)
    return;
  for (int dy = 0; dy + block <= MAX (half->height, block); dy += step)
    for (int dx = 0; dx + block <= MAX (half->width, block); dx += step) {
      double domain_mean = 0, variance = 0;

      for (int k = 0; k < n; k++)
        domain_mean += (double) plane_get (half, dx + k % block, dy + k / block) / n;
      for (int k = 0; k < n; k++)
        variance += pow ((double) plane_get (half, dx + k % block, dy + k / block) - domain_mean, 2);
      if (variance < 1e-9)
        continue;
      for (int turn = 0; turn < 8; turn++) {
        double product = 0, scale, left;

        for (int k = 0; k < n; k++) {
          int i = k % block, j = k / block;

          turn_place (turn, block, &i, &j);
          product += range[k] * ((double) plane_get (half, dx + i, dy + j) - domain_mean);
        }
        scale = kg_clamp (product / variance, -limit, limit);
        left = square - 2 * scale * product + scale * scale * variance;
        if (left < best) {
          best = left;
          *map = (FractalMap){ dx, dy, turn, scale, mean - scale * domain_mean };
        }
      }
    }
}

static bool
code_fractal (Plane *plane, const CodecStyle *style, double *bits, const KgProgressMonitor *monitor)
{
  const int block = style->block, across = (plane->width + block - 1) / block,
            down = (plane->height + block - 1) / block;
  g_autofree FractalMap *maps = g_new (FractalMap, (size_t) across * (size_t) down);
  Plane half = reduce (plane, 2, 2);
  int step = MAX (block / 2, 1);
  double domains;

  while ((domains = ceil ((double) half.width / step) * ceil ((double) half.height / step)) > MAX_DOMAINS)
    step++;
#pragma omp parallel for schedule(dynamic, 1)
  for (int k = 0; k < across * down; k++)
    if (!kg_progress_is_cancelled (monitor))
      find_map (plane, &half, step, block, style->scale_limit, k % across * block, k / across * block, &maps[k]);
  /* From any image: the maps contract. */
  for (size_t i = 0; i < (size_t) plane->width * (size_t) plane->height; i++)
    plane->a[i] = 128;
  for (int iteration = 0; iteration < style->iterations && !kg_progress_is_cancelled (monitor); iteration++) {
    g_free (half.a);
    half = reduce (plane, 2, 2);
    for (int k = 0; k < across * down; k++)
      for (int p = 0; p < block * block; p++) {
        int i = p % block, j = p / block;

        turn_place (maps[k].turn, block, &i, &j);
        plane_set (plane, k % across * block + p % block, k / across * block + p / block,
                   maps[k].scale * (double) plane_get (&half, maps[k].x + i, maps[k].y + j) + maps[k].offset);
      }
  }
  g_free (half.a);
  /* 5 bits of scale, 7 of offset, 3 of turn. */
  *bits += across * down * (ceil (log2 (fmax (domains, 2))) + 15.0);
  return !kg_progress_is_cancelled (monitor);
}

/* Codes blocks of b x b pixels of three components by the nearest of some vectors (Linde, Buzo, Gray). */
static bool
code_vectors (uint8_t *rgb, int width, int height, const CodecStyle *style, CodecReport *report,
              const KgProgressMonitor *monitor)
{
  const int b = style->block, across = (width + b - 1) / b, down = (height + b - 1) / b;
  const size_t dimension = 3 * (size_t) b * (size_t) b, n = (size_t) across * (size_t) down;
  const guint codes = (guint) MIN ((size_t) style->codes, n);
  g_autofree float *vectors = g_new (float, dimension *n), *book = g_new (float, dimension *codes);
  g_autofree double *sums = g_new (double, dimension *codes), *errors = g_new (double, n);
  g_autofree guint *nearest = g_new0 (guint, n), *counts = g_new (guint, codes);
  double before = HUGE_VAL;
  guint used = 0;

  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < dimension; k++) {
      const size_t p = k / 3;
      const int x = MIN ((int) (i % (size_t) across) * b + (int) p % b, width - 1);
      const int y = MIN ((int) (i / (size_t) across) * b + (int) p / b, height - 1);

      vectors[dimension * i + k] = rgb[3 * ((size_t) y * (size_t) width + (size_t) x) + k % 3];
    }
  for (guint c = 0; c < codes; c++)
    memcpy (book + dimension * c, vectors + dimension * (size_t) (((double) c + 0.5) * (double) n / codes),
            dimension * sizeof *book);
  for (int iteration = 0; iteration < style->iterations; iteration++) {
    double total = 0;

    if (kg_progress_is_cancelled (monitor))
      return false;
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t i = 0; i < n; i++) {
      float best = INFINITY;

      for (guint c = 0; c < codes; c++) {
        const float *v = vectors + dimension * i, *w = book + dimension * c;
        float sum = 0;

        for (size_t k = 0; k < dimension && sum < best; k += 3)
          sum += (v[k] - w[k]) * (v[k] - w[k]) + (v[k + 1] - w[k + 1]) * (v[k + 1] - w[k + 1]) +
                 (v[k + 2] - w[k + 2]) * (v[k + 2] - w[k + 2]);
        if (sum < best) {
          best = sum;
          nearest[i] = c;
        }
      }
      errors[i] = (double) best;
    }
    memset (sums, 0, dimension * codes * sizeof *sums);
    memset (counts, 0, codes * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
      counts[nearest[i]]++;
      total += errors[i];
      for (size_t k = 0; k < dimension; k++)
        sums[dimension * nearest[i] + k] += (double) vectors[dimension * i + k];
    }
    if (total == 0 || before - total < 1e-4 * before || iteration == style->iterations - 1)
      break;
    before = total;
    for (guint c = 0; c < codes; c++) {
      size_t worst = 0;

      if (counts[c] > 0) {
        for (size_t k = 0; k < dimension; k++)
          book[dimension * c + k] = (float) (sums[dimension * c + k] / counts[c]);
        continue;
      }
      /* Nobody's: it takes over what is furthest from its own. */
      for (size_t i = 1; i < n; i++)
        if (errors[i] > errors[worst])
          worst = i;
      memcpy (book + dimension * c, vectors + dimension * worst, dimension * sizeof *book);
      errors[worst] = 0;
    }
    kg_progress_report (monitor, (double) iteration / style->iterations);
  }
  for (guint c = 0; c < codes; c++)
    used += counts[c] > 0;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < dimension; k++) {
      const int x = (int) (i % (size_t) across) * b + (int) (k / 3) % b;
      const int y = (int) (i / (size_t) across) * b + (int) (k / 3) / b;

      if (x < width && y < height)
        rgb[3 * ((size_t) y * (size_t) width + (size_t) x) + k % 3] =
            (uint8_t) kg_clamp ((double) book[dimension * nearest[i] + k] + 0.5, 0, 255);
    }
  /* The indices and the book. */
  report->bits = (double) n * ceil (log2 (MAX (codes, 2))) + 8.0 * (double) dimension * codes;
  report->kept = (double) used / codes;
  return true;
}

/* Lossless codes, encoded and decoded. */
static bool
code_bytes (uint8_t *rgb, int width, int height, const CodecStyle *style, CodecReport *report, GError **error)
{
  const size_t n = (size_t) width * (size_t) height;
  g_autofree uint8_t *planar = g_new (uint8_t, 3 * n);
  g_autoptr (GByteArray) decoded = g_byte_array_new ();
  bool fine = true;

  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++)
      planar[c * n + i] = rgb[3 * i + c];
  if (style->codec == CODEC_LZW) {
    g_autoptr (GArray) codes = g_array_new (FALSE, FALSE, sizeof (guint16));

    report->bits = (double) byte_codes_lzw (planar, 3 * n, LZW_GIF, codes);
    fine = byte_codes_expand_lzw (codes, LZW_GIF, decoded);
  } else {
    g_autoptr (GByteArray) runs = g_byte_array_new ();

    /* Rows are coded apart, so that each can be found. */
    for (size_t row = 0; row < 3 * (size_t) height; row++)
      byte_codes_run_lengths (planar + row * (size_t) width, (size_t) width, runs);
    report->bits = 8.0 * runs->len;
    byte_codes_expand_runs (runs->data, runs->len, decoded);
  }
  report->kept = 1;
  if (!fine || decoded->len != 3 * n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the code of %zu bytes was decoded to %u", 3 * n, decoded->len);
    return false;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++)
      rgb[3 * i + c] = decoded->data[c * n + i];
  return true;
}

/* Y'CbCr, the chroma reduced, each plane coded. */
static bool
code_planes (uint8_t *rgb, int width, int height, const CodecStyle *style, CodecReport *report,
             const KgProgressMonitor *monitor)
{
  const size_t n = (size_t) width * (size_t) height;
  const ChromaScheme scheme = style->codec == CODEC_FRACTAL ? CHROMA_420 : style->chroma;
  Plane planes[3];
  double numbers = 0, kept = 0;
  bool done = true;
  int across, down;

  for (int c = 0; c < 3; c++)
    planes[c] = plane_new (width, height);
  split_colour (rgb, n, planes[0].a, planes[1].a, planes[2].a);
  get_cell (scheme, &across, &down);
  for (int c = 0; c < 3 && done; c++) {
    Plane small = c == 0 ? planes[0] : reduce (&planes[c], across, down);

    numbers += (double) small.width * small.height;
    if (style->codec == CODEC_DCT)
      report->bits += code_plane (&small, style, c == 0 ? luma_table : chroma_table, &kept);
    else if (style->codec == CODEC_WAVELET)
      report->bits += code_wavelet (&small, style, &kept);
    else if (style->codec == CODEC_FRACTAL)
      done = code_fractal (&small, style, &report->bits, monitor);
    else
      report->bits += 8.0 * small.width * small.height;
    if (c > 0) {
      enlarge (&small, across, down, &planes[c]);
      g_free (small.a);
    }
    kg_progress_report (monitor, (c + 1) / 3.0);
  }
  report->kept = style->codec == CODEC_DCT || style->codec == CODEC_WAVELET ? kept / numbers : 1;
  join_colour (planes[0].a, planes[1].a, planes[2].a, n, rgb);
  for (int c = 0; c < 3; c++)
    g_free (planes[c].a);
  return done;
}

bool
image_codec_apply (const KgImage *image, const CodecStyle *style, KgImage *out, CodecReport *report,
                   const KgProgressMonitor *monitor, GError **error)
{
  const int width = kg_image_get_width (out), height = kg_image_get_height (out);
  const size_t n = 3 * (size_t) width * (size_t) height;
  g_autofree uint8_t *rgb = g_try_new (uint8_t, n), *original = NULL;
  bool done;

  *report = (CodecReport){ 0 };
  if (rgb == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory to code %d by %d pixels", width, height);
    return false;
  }
  read_bytes (image, width, height, rgb);
  original = g_memdup2 (rgb, n);
  if (style->codec == CODEC_RUN_LENGTHS || style->codec == CODEC_LZW)
    done = code_bytes (rgb, width, height, style, report, error);
  else if (style->codec == CODEC_VECTORS)
    done = code_vectors (rgb, width, height, style, report, monitor);
  else
    done = code_planes (rgb, width, height, style, report, monitor);
  if (!done)
    return false;
  for (size_t i = 0; i < n; i++)
    report->mse += pow (((double) rgb[i] - (double) original[i]) / 255, 2);
  report->mse /= (double) n;
  write_bytes (rgb, image, out);
  return true;
}

bool
codec_planes_read (const KgImage *image, int width, int height, CodecPlanes *planes, GError **error)
{
  const size_t n = (size_t) width * (size_t) height;
  g_autofree uint8_t *rgb = g_try_new (uint8_t, 3 * n);
  Plane whole[3];

  if (rgb == NULL) {
    *planes = (CodecPlanes){ 0 };
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory to code %d by %d pixels", width, height);
    return false;
  }
  read_bytes (image, width, height, rgb);
  for (int c = 0; c < 3; c++)
    whole[c] = plane_new (width, height);
  split_colour (rgb, n, whole[0].a, whole[1].a, whole[2].a);
  for (int c = 0; c < 3; c++) {
    const Plane plane = c == 0 ? whole[0] : reduce (&whole[c], 2, 2);

    planes->width[c] = plane.width;
    planes->height[c] = plane.height;
    planes->a[c] = plane.a;
    if (c > 0)
      g_free (whole[c].a);
  }
  return true;
}

void
codec_planes_write (const CodecPlanes *planes, const KgImage *image, KgImage *out)
{
  const int width = planes->width[0], height = planes->height[0];
  const size_t n = (size_t) width * (size_t) height;
  g_autofree uint8_t *rgb = g_new (uint8_t, 3 * n);
  Plane whole[2];

  for (int c = 0; c < 2; c++) {
    const Plane small = { planes->width[c + 1], planes->height[c + 1], planes->a[c + 1] };

    whole[c] = plane_new (width, height);
    enlarge (&small, 2, 2, &whole[c]);
  }
  join_colour (planes->a[0], whole[0].a, whole[1].a, n, rgb);
  write_bytes (rgb, image, out);
  for (int c = 0; c < 2; c++)
    g_free (whole[c].a);
}

CodecPlanes
codec_planes_copy (const CodecPlanes *planes)
{
  CodecPlanes copy = *planes;

  for (int c = 0; c < 3; c++)
    copy.a[c] = g_memdup2 (planes->a[c], (size_t) planes->width[c] * (size_t) planes->height[c] * sizeof (float));
  return copy;
}

void
codec_planes_clear (CodecPlanes *planes)
{
  for (int c = 0; c < 3; c++)
    g_clear_pointer (&planes->a[c], g_free);
}

double
codec_planes_code (CodecPlanes *planes, const CodecPlanes *prediction, double quality)
{
  const CodecStyle style = { .dct = DCT_QUANTISE, .quality = quality };
  double bits = 0, kept = 0;

  for (int c = 0; c < 3; c++) {
    const size_t n = (size_t) planes->width[c] * (size_t) planes->height[c];
    Plane plane = { planes->width[c], planes->height[c], planes->a[c] };

    for (size_t i = 0; i < n && prediction != NULL; i++)
      plane.a[i] += 128 - prediction->a[c][i];
    bits += code_plane (&plane, &style, c == 0 ? luma_table : chroma_table, &kept);
    for (size_t i = 0; i < n; i++)
      plane.a[i] = (float) kg_clamp (
          (double) plane.a[i] + (prediction != NULL ? (double) prediction->a[c][i] - 128 : 0), 0, 255);
  }
  return bits;
}

/* dither: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/dither.h"

#include "kg-math.h"

/* Red, green and blue. */
#define CHANNELS 3

typedef struct {
  double coded[CHANNELS]; /* 0..255 */
  float linear[CHANNELS];
} Entry;

/* How much a difference in red, green and blue is seen: roughly their shares of luma. */
static const double weights[CHANNELS] = { 4, 8, 3 };

static const Entry *
find_nearest (const Entry *entries, guint n, const double color[CHANNELS])
{
  const Entry *nearest = entries;
  double least = INFINITY;

  for (guint i = 0; i < n; i++) {
    double distance = 0;

    for (int c = 0; c < CHANNELS; c++)
      distance += weights[c] * (color[c] - entries[i].coded[c]) * (color[c] - entries[i].coded[c]);
    if (distance < least) {
      least = distance;
      nearest = &entries[i];
    }
  }
  return nearest;
}

static bool
is_color (const Entry *entry, const double color[CHANNELS])
{
  bool same = true;

  for (int c = 0; c < CHANNELS; c++)
    same = same && entry->coded[c] == color[c];
  return same;
}

/* Straight, coded as sRGB, in whole levels 0..255, as palettes are: what is in the palette has no error to hand on. */
static void
code_row (const KgImage *image, int y, double *coded)
{
  const int width = kg_image_get_width (image);
  const float *p = kg_image_get_pixels (image) + 4 * (size_t) y * (size_t) width;

  for (int x = 0; x < width; x++, p += 4, coded += CHANNELS)
    for (int c = 0; c < CHANNELS; c++)
      coded[c] = p[3] > 0 ? floor (255 * kg_srgb_encode (kg_clamp ((double) p[c] / (double) p[3], 0, 1)) + 0.5) : 0;
}

static void
write_pixel (const KgImage *image, const Entry *entry, size_t at, float *to)
{
  const float alpha = kg_image_get_pixels (image)[4 * at + 3];

  for (int c = 0; c < CHANNELS; c++)
    to[4 * at + (size_t) c] = alpha > 0 ? entry->linear[c] * alpha : 0;
  to[4 * at + 3] = alpha;
}

/* Bayer's matrix: the bits of x ^ y and y, taken in turns from the lowest. -1/2..1/2. */
static double
get_threshold (int x, int y)
{
  int value = 0;

  for (int bit = 0; bit < 3; bit++)
    value |= ((x ^ y) >> bit & 1) << (5 - 2 * bit) | (y >> bit & 1) << (4 - 2 * bit);
  return (value + 0.5) / 64 - 0.5;
}

static void
order_row (const KgImage *image, const Entry *entries, guint n, double spread, int y, double *coded, float *to)
{
  const int width = kg_image_get_width (image);

  code_row (image, y, coded);
  for (int x = 0; x < width; x++) {
    double *color = coded + CHANNELS * x;
    const Entry *entry = find_nearest (entries, n, color);

    /* What is in the palette needs no mixing. */
    if (!is_color (entry, color)) {
      for (int c = 0; c < CHANNELS; c++)
        color[c] += spread * get_threshold (x, y);
      entry = find_nearest (entries, n, color);
    }
    write_pixel (image, entry, (size_t) y * (size_t) width + (size_t) x, to);
  }
}

/* now, next: errors of a row and the one below, with a pixel more at either end. */
static void
diffuse_row (const KgImage *image, const Entry *entries, guint n, double amount, int y, double *coded, double *now,
             double *next, float *to)
{
  const int width = kg_image_get_width (image), step = y % 2 == 0 ? 1 : -1;

  code_row (image, y, coded);
  memset (next, 0, CHANNELS * (size_t) (width + 2) * sizeof *next);
  for (int k = 0; k < width; k++) {
    const int x = step > 0 ? k : width - 1 - k;
    double *color = coded + CHANNELS * x, *ahead = now + CHANNELS * (x + 1 + step), *below = next + CHANNELS * (x + 1);
    const Entry *entry;

    /* A colour that the palette does not reach must not pile up errors. */
    for (int c = 0; c < CHANNELS; c++)
      color[c] = kg_clamp (color[c] + now[CHANNELS * (x + 1) + c], 0, 255);
    entry = find_nearest (entries, n, color);
    for (int c = 0; c < CHANNELS; c++) {
      const double error = amount * (color[c] - entry->coded[c]) / 16;

      ahead[c] += 7 * error;
      below[c - CHANNELS * step] += 3 * error;
      below[c] += 5 * error;
      below[c + CHANNELS * step] += error;
    }
    write_pixel (image, entry, (size_t) y * (size_t) width + (size_t) x, to);
  }
}

/* What the thresholds are spread over: from a colour to the nearest other one, in the mean; 0 where there is no other. */
static double
find_spread (const Entry *entries, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++) {
    double nearest = INFINITY;

    for (guint k = 0; k < n; k++) {
      double distance = 0;

      for (int c = 0; c < CHANNELS; c++)
        distance = fmax (distance, fabs (entries[i].coded[c] - entries[k].coded[c]));
      if (k != i && distance > 0)
        nearest = fmin (nearest, distance);
    }
    sum += isfinite (nearest) ? nearest : 0;
  }
  return sum / n;
}

bool
dither_apply (const KgImage *image, const uint32_t *palette, guint n, DitherMethod method, double amount, KgImage *out,
              const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const size_t row = CHANNELS * (size_t) (width + 2);
  g_autofree Entry *entries = g_new (Entry, n);
  g_autofree double *coded = g_new (double, row), *errors = g_new0 (double, 2 * row);
  float *to = kg_image_edit_pixels (out);
  double spread;

  for (guint i = 0; i < n; i++)
    for (int c = 0; c < CHANNELS; c++) {
      const double level = palette[i] >> (16 - 8 * c) & 0xff;

      entries[i].coded[c] = level;
      entries[i].linear[c] = (float) kg_srgb_decode (level / 255);
    }
  spread = method == DITHER_ORDERED ? amount * find_spread (entries, n) : 0;
  if (method == DITHER_DIFFUSE)
    for (int y = 0; y < height && !kg_progress_is_cancelled (monitor); y++)
      diffuse_row (image, entries, n, amount, y, coded, errors + (y % 2 == 0 ? 0 : row),
                   errors + (y % 2 == 0 ? row : 0), to);
  else {
#pragma omp parallel for schedule(dynamic, 16)
    for (int y = 0; y < height; y++) {
      g_autofree double *own = g_new (double, row);

      if (!kg_progress_is_cancelled (monitor))
        order_row (image, entries, n, spread, y, own, to);
    }
  }
  return !kg_progress_is_cancelled (monitor);
}

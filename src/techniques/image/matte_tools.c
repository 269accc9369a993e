/* matte_tools: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/matte_tools.h"

#include "image/image_operation.h"
#include "image/place.h"

#define BLOCK 256
/* Columns that are summed side by side. */
#define STRIP 32

float *
matte_take (const KgImage *image)
{
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  const float *pixels = kg_image_get_pixels (image);
  float *matte = g_new (float, n);

  for (size_t i = 0; i < n; i++)
    matte[i] = pixels[4 * i + 3];
  return matte;
}

void
matte_put (KgImage *image, const float *matte)
{
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  float *pixels = kg_image_edit_pixels (image);

  for (size_t i = 0; i < n; i++) {
    float *p = pixels + 4 * i;
    const float scale = matte[i] == p[3] ? 1 : p[3] > 0 ? matte[i] / p[3] : 0;

    for (int c = 0; c < 3; c++)
      p[c] *= scale;
    p[3] = matte[i];
  }
}

typedef struct {
  const float *from;
  float *to;
  int width, height;
  int radius;
  bool square;
  float sign; /* -1: the smallest */
  const KgProgressMonitor *monitor;
} Spread;

/* Takes into most the largest of each run of 2 half + 1 values of a row around x ... x + n. */
KG_KERNEL static void
take_runs (const float *row, int width, int x, int n, int half, float sign, float *restrict most)
{
  float values[BLOCK + 2 * MATTE_SPREAD_MOST];
  const int length = n + 2 * half, window = 2 * half + 1;
  int span = 1;

  for (int i = 0; i < length; i++) {
    const int at = x - half + i;

    values[i] = at >= 0 && at < width ? sign * row[at] : -INFINITY;
  }
  /* values[i] is the largest of span values from i on. */
  for (; 2 * span <= window; span *= 2)
    for (int i = 0; i + span < length; i++)
      values[i] = values[i] > values[i + span] ? values[i] : values[i + span];
  for (int i = 0; i < n; i++) {
    const float a = values[i], b = values[i + window - span], both = a > b ? a : b;

    most[i] = both > most[i] ? both : most[i];
  }
}

static void
spread_rows (gpointer data, int first, int end)
{
  const Spread *s = (const Spread *) data;

  for (int y = first; y < end; y++)
    for (int x = 0; x < s->width && !kg_progress_is_cancelled (s->monitor); x += BLOCK) {
      const int n = MIN (BLOCK, s->width - x);
      float most[BLOCK];

      for (int i = 0; i < n; i++)
        most[i] = -INFINITY;
      for (int j = MAX (y - s->radius, 0); j <= MIN (y + s->radius, s->height - 1); j++) {
        /* The pixels of a disc are those no farther away than its radius. */
        const double across = sqrt (fmax ((double) s->radius * s->radius - (double) (j - y) * (j - y), 0));
        const int half = s->square ? s->radius : (int) across;

        take_runs (s->from + (size_t) j * (size_t) s->width, s->width, x, n, half, s->sign, most);
      }
      for (int i = 0; i < n; i++)
        s->to[(size_t) y * (size_t) s->width + (size_t) (x + i)] = s->sign * most[i];
    }
}

bool
matte_spread (float *matte, int width, int height, double radius, bool square, const KgProgressMonitor *monitor)
{
  const size_t n = (size_t) width * (size_t) height;
  const double size = MIN (fabs (radius), MATTE_SPREAD_MOST);
  const float rest = (float) (size - floor (size));
  g_autofree float *less = NULL, *more = NULL;
  Spread spread = { .from = matte,
                    .width = width,
                    .height = height,
                    .radius = (int) size,
                    .square = square,
                    .sign = radius < 0 ? -1 : 1,
                    .monitor = monitor };

  if (size == 0)
    return true;
  less = g_new (float, n);
  more = g_new (float, rest > 0 ? n : 1);
  spread.to = less;
  if (!image_each_rows (width, height, spread_rows, &spread, monitor))
    return false;
  if (rest > 0) {
    spread.to = more;
    spread.radius++;
    if (!image_each_rows (width, height, spread_rows, &spread, monitor))
      return false;
  }
  for (size_t i = 0; i < n; i++)
    matte[i] = rest > 0 ? (1 - rest) * less[i] + rest * more[i] : less[i];
  return true;
}

/* The mean over width pixels along lines: count lines side by side, of n values each a step apart. */
static void
take_means (const float *from, float *to, int n, size_t step, int count, double width, bool extend)
{
  const double half = 0.5 * (width - 1), part = half - floor (half);
  const int whole = (int) half;
  double sums[STRIP] = { 0 };

#define AT(j, c)                                                                                                       \
  ((j) >= 0 && (j) < n ? (double) from[(size_t) (j) *step + (size_t) (c)]                                              \
   : extend            ? (double) from[(size_t) ((j) < 0 ? 0 : n - 1) * step + (size_t) (c)]                           \
                       : 0)
  for (int c = 0; c < count; c++)
    for (int j = -whole; j <= whole; j++)
      sums[c] += AT (j, c);
  for (int i = 0; i < n; i++)
    for (int c = 0; c < count; c++) {
      to[(size_t) i * step + (size_t) c] =
          (float) ((sums[c] + part * (AT (i - whole - 1, c) + AT (i + whole + 1, c))) / width);
      sums[c] += AT (i + whole + 1, c) - AT (i - whole, c);
    }
#undef AT
}

bool
matte_blur (float *matte, int width, int height, double deviation, bool extend, const KgProgressMonitor *monitor)
{
  /* Three means over 2 d pixels have the variance d^2.  Beyond the size of the matte all is one. */
  const double wide = 2 * kg_clamp (deviation, 0, 4 * KG_IMAGE_MAX_SIDE);
  const int strips = (width + STRIP - 1) / STRIP;
  g_autofree float *other = NULL;

  if (wide <= 1)
    return true;
  other = g_new (float, (size_t) width *(size_t) height);
  for (int pass = 0; pass < 3; pass++) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = 0; y < height; y++)
      if (!kg_progress_is_cancelled (monitor))
        take_means (matte + (size_t) y * (size_t) width, other + (size_t) y * (size_t) width, width, 1, 1, wide,
                    extend);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < strips; i++)
      if (!kg_progress_is_cancelled (monitor))
        take_means (other + i * STRIP, matte + i * STRIP, height, (size_t) width, MIN (STRIP, width - i * STRIP), wide,
                    extend);
  }
  return !kg_progress_is_cancelled (monitor);
}

bool
matte_fill_holes (float *matte, int width, int height, double threshold, size_t largest,
                  const KgProgressMonitor *monitor)
{
  const size_t n = (size_t) width * (size_t) height;
  g_autofree uint8_t *seen = g_new0 (uint8_t, n);
  g_autofree uint32_t *queue = g_new (uint32_t, n);

  for (size_t start = 0; start < n; start++) {
    size_t first = 0, end = 0;
    bool open = false;

    if (start % 65536 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    if (seen[start] || !((double) matte[start] < threshold))
      continue;
    seen[start] = 1;
    queue[end++] = (uint32_t) start;
    for (; first < end; first++) {
      const int x = (int) (queue[first] % (size_t) width), y = (int) (queue[first] / (size_t) width);
      const int beside[4][2] = { { x - 1, y }, { x + 1, y }, { x, y - 1 }, { x, y + 1 } };

      if (first % 65536 == 0 && kg_progress_is_cancelled (monitor))
        return false;
      for (int k = 0; k < 4; k++) {
        const int i = beside[k][0], j = beside[k][1];
        const size_t at = (size_t) MAX (j, 0) * (size_t) width + (size_t) MAX (i, 0);

        if (i < 0 || j < 0 || i >= width || j >= height)
          open = true;
        else if (!seen[at] && (double) matte[at] < threshold) {
          seen[at] = 1;
          queue[end++] = (uint32_t) at;
        }
      }
    }
    if (!open && (largest == 0 || end <= largest))
      for (size_t i = 0; i < end; i++)
        matte[queue[i]] = 1;
  }
  return true;
}

KgImage *
matte_make_shadow (const KgImage *image, double right, double down, double spread, double softness, KgColor color,
                   const KgProgressMonitor *monitor, GError **error)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const Place place = { .x = right, .y = -down, .scale_x = 1, .scale_y = 1 };
  g_autoptr (KgImage) shadow =
      place_image (image, &place, width, height, kg_image_get_pixel_aspect (image), RESAMPLE_BILINEAR, monitor, error);
  g_autoptr (KgImage) out = shadow != NULL ? kg_image_new (width, height, false, error) : NULL;
  g_autofree float *matte = out != NULL ? matte_take (shadow) : NULL;
  const double rgba[4] = { color.r * color.a, color.g * color.a, color.b * color.a, color.a };
  float *pixels;

  if (matte == NULL || !matte_spread (matte, width, height, spread, false, monitor) ||
      !matte_blur (matte, width, height, softness, false, monitor))
    return NULL;
  kg_image_set_pixel_aspect (out, kg_image_get_pixel_aspect (image));
  pixels = kg_image_edit_pixels (out);
  for (size_t i = 0; i < (size_t) width * (size_t) height; i++)
    for (size_t c = 0; c < 4; c++)
      pixels[4 * i + c] = (float) (kg_clamp ((double) matte[i], 0, 1) * rgba[c]);
  return (KgImage *) g_steal_pointer (&out);
}

/* scope: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/scope.h"

#include "kg-base.h"

/* Radius of the circle that saturated colours touch, over half the height of a vectorscope. */
#define RADIUS 0.9
#define LINE 0.12f

typedef struct {
  const ScopeStyle *style;
  const float *pixels;
  int columns, rows; /* of the image */
  int width, height; /* of the scope */
  uint32_t *counts;  /* of red, green and blue at each place of the scope */
} Counter;

/* How many pixels fall on a place: sums of whole numbers have no order. */
static inline void
count (const Counter *n, double x, double y, int channel)
{
  const double i = floor (x), j = floor (y);

  if (i >= 0 && i < n->width && j >= 0 && j < n->height) {
    uint32_t *to = &n->counts[3 * ((size_t) j * (size_t) n->width + (size_t) i) + (size_t) channel];

#pragma omp atomic
    (*to)++;
  }
}

/* The colour of a pixel as it is measured: without its coverage. */
static void
measure (const Counter *n, const float *p, double *v)
{
  const double alpha = p[3] > 0 ? (double) p[3] : 1;

  for (int c = 0; c < 3; c++) {
    const double x = (double) p[c] / alpha;

    v[c] = n->style->encoded ? (x < 0 ? -kg_srgb_encode (-x) : kg_srgb_encode (x)) : x;
  }
}

static double
get_luma (const double *v)
{
  return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
}

/* Where a colour is on a vectorscope: Cb to the right, Cr up. */
static void
find_hue (const Counter *n, const double *v, double *x, double *y)
{
  const double luma = get_luma (v), scale = RADIUS * 0.5 * MIN (n->width, n->height) / 0.53;

  *x = 0.5 * n->width + scale * (v[2] - luma) / 1.8556;
  *y = 0.5 * n->height - scale * (v[0] - luma) / 1.5748;
}

static void
count_pixel (const Counter *n, double place, const float *p)
{
  const ScopeStyle *s = n->style;
  double v[3], x = place * n->width, y;

  measure (n, p, v);
  if (s->kind == SCOPE_VECTORSCOPE) {
    find_hue (n, v, &x, &y);
    count (n, x, y, 0);
    return;
  }
  if (s->kind == SCOPE_LUMA)
    v[0] = v[1] = v[2] = get_luma (v);
  for (int c = 0; c < 3; c++) {
    const double t = (v[c] - s->low) / (s->high - s->low);

    if (s->kind == SCOPE_HISTOGRAM)
      count (n, fmin (t, 1 - 1e-9) * n->width, 0, c);
    else
      count (n, s->kind == SCOPE_PARADE ? (x + c * n->width) / 3 : x, (1 - t) * (n->height - 1) + 0.5, c);
  }
}

/* Lines at quarters of the scale; circle and boxes of the colours of bars. */
static float
find_graticule (const Counter *n, int x, int y)
{
  const ScopeKind kind = n->style->kind;
  const int along = kind == SCOPE_HISTOGRAM ? x : y, size = kind == SCOPE_HISTOGRAM ? n->width : n->height;
  const double dx = x + 0.5 - 0.5 * n->width, dy = y + 0.5 - 0.5 * n->height;
  const double r = RADIUS * 0.5 * MIN (n->width, n->height);

  if (kind != SCOPE_VECTORSCOPE) {
    for (int k = 0; k <= 4; k++)
      if (along == (int) floor (0.25 * k * (size - 1) + 0.5))
        return LINE;
    return 0;
  }
  if (fabs (hypot (dx, dy) - r) < 0.7 || (fabs (dx) < 0.6 && fabs (dy) < r) || (fabs (dy) < 0.6 && fabs (dx) < r))
    return LINE;
  for (int k = 1; k < 7; k++) {
    const double bar[3] = { 0.75 * (k & 1), 0.75 * (k >> 1 & 1), 0.75 * (k >> 2) };
    double bx, by;

    find_hue (n, bar, &bx, &by);
    const double away = fmax (fabs (x + 0.5 - bx), fabs (y + 0.5 - by)), half = 0.04 * r + 1;

    if (away < half && away > half - 1.2)
      return 3 * LINE;
  }
  return 0;
}

/* Colours of equal luminance around the vectorscope. */
static void
paint_hue (const Counter *n, int x, int y, float light, float *p)
{
  const double scale = RADIUS * 0.5 * MIN (n->width, n->height) / 0.53;
  const double cb = (x + 0.5 - 0.5 * n->width) / scale, cr = (0.5 * n->height - y - 0.5) / scale;
  const double r = 0.6 + 1.5748 * cr, b = 0.6 + 1.8556 * cb, g = (0.6 - 0.2126 * r - 0.0722 * b) / 0.7152;

  p[0] += light * (float) kg_clamp (r, 0.05, 1);
  p[1] += light * (float) kg_clamp (g, 0.05, 1);
  p[2] += light * (float) kg_clamp (b, 0.05, 1);
}

static void
paint_row (const Counter *n, int y, double unit, const double *most, float *row)
{
  for (int x = 0; x < n->width; x++) {
    float *p = row + 4 * x;

    p[0] = p[1] = p[2] = 0.01f + (n->style->graticule ? find_graticule (n, x, y) : 0);
    p[3] = 1;
    for (int c = 0; c < 3; c++) {
      const size_t at = n->style->kind == SCOPE_HISTOGRAM ? (size_t) x : (size_t) y * (size_t) n->width + (size_t) x;
      const double m = n->counts[3 * at + (size_t) c];

      if (n->style->kind == SCOPE_HISTOGRAM) {
        /* Columns from below, with the part of a pixel at their tops. */
        p[c] += 0.75f * (float) kg_clamp (0.95 * n->height * m / *most - (n->height - 1 - y), 0, 1);
      } else {
        const float light = 1 - (float) exp (-n->style->gain * m / unit);

        if (n->style->kind == SCOPE_VECTORSCOPE && c == 0)
          paint_hue (n, x, y, light, p);
        else if (n->style->kind != SCOPE_VECTORSCOPE)
          p[c] += light;
      }
    }
  }
}

bool
scope_draw (const KgImage *image, const ScopeStyle *style, KgImage *scope, const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (scope), height = kg_image_get_height (scope);
  g_autofree uint32_t *counts = g_new0 (uint32_t, 3 * (size_t) width * (size_t) height);
  const Counter counter = { .style = style,
                            .pixels = kg_image_get_pixels (image),
                            .columns = kg_image_get_width (image),
                            .rows = kg_image_get_height (image),
                            .width = width,
                            .height = height,
                            .counts = counts };
  /* Waveforms of narrow images have no gaps. */
  const bool trace = style->kind != SCOPE_HISTOGRAM && style->kind != SCOPE_VECTORSCOPE;
  const int steps = trace ? MAX (counter.columns, width) : counter.columns;
  const double pixels = (double) steps * counter.rows;
  /* Of an even trace: pixels of the image over places that it is spread over. */
  const double unit = pixels / ((double) width * height) *
                      (style->kind == SCOPE_VECTORSCOPE ? 8
                       : style->kind == SCOPE_PARADE    ? 12
                                                        : 4);
  float *to = kg_image_edit_pixels (scope);
  double most = 1;

#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < counter.rows; y++)
    for (int x = 0; x < steps && !kg_progress_is_cancelled (monitor); x++) {
      const size_t column = (size_t) ((int64_t) x * counter.columns / steps);

      count_pixel (&counter, (x + 0.5) / steps, counter.pixels + 4 * ((size_t) y * (size_t) counter.columns + column));
    }
  for (size_t i = 0; i < 3 * (size_t) width; i++)
    most = fmax (most, counts[i]);
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; y++)
    if (!kg_progress_is_cancelled (monitor))
      paint_row (&counter, y, fmax (unit, 1e-9), &most, to + 4 * (size_t) width * (size_t) y);
  return !kg_progress_is_cancelled (monitor);
}

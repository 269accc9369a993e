/* kg-raster: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-raster.h"

#include <math.h>

#define MIN_STEPS 6
#define MAX_STEPS 40
#define STEP_LENGTH 9.0 /* pixels of a curve that pass for straight */

KgRaster
kg_raster_begin (cairo_surface_t *surface)
{
  cairo_surface_flush (surface);
  return (KgRaster){ (uint32_t *) (void *) cairo_image_surface_get_data (surface),
                     cairo_image_surface_get_width (surface), cairo_image_surface_get_height (surface),
                     cairo_image_surface_get_stride (surface) / 4 };
}

void
kg_raster_end (cairo_surface_t *surface)
{
  cairo_surface_mark_dirty (surface);
}

static uint32_t
to_pixel (KgTint tint)
{
  return 0xff000000u | (uint32_t) lround (255 * tint.r) << 16 | (uint32_t) lround (255 * tint.g) << 8 |
         (uint32_t) lround (255 * tint.b);
}

/* cover: 0 to 256.  Two channels at a time; what one borrows from the other is masked off. */
static inline uint32_t
mix (uint32_t to, uint32_t pixel, uint32_t cover)
{
  const uint32_t red_blue = to & 0xff00ffu, green = to & 0xff00u;

  return 0xff000000u | ((red_blue + ((((pixel & 0xff00ffu) - red_blue) * cover) >> 8)) & 0xff00ffu) |
         ((green + ((((pixel & 0xff00u) - green) * cover) >> 8)) & 0xff00u);
}

static inline double
limit (double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

void
kg_raster_fill (const KgRaster *raster, double x, double y, double width, double height, KgTint tint, double alpha)
{
  const int x0 = (int) limit (nearbyint (x), 0, raster->width), y0 = (int) limit (nearbyint (y), 0, raster->height);
  const int x1 = (int) limit (fmax (nearbyint (x + width), nearbyint (x) + 1), 0, raster->width);
  const int y1 = (int) limit (fmax (nearbyint (y + height), nearbyint (y) + 1), 0, raster->height);
  const uint32_t pixel = to_pixel (tint), cover = (uint32_t) lround (256 * alpha);

  for (int row = y0; row < y1; row++) {
    uint32_t *to = raster->pixels + (ptrdiff_t) row * raster->stride;

    if (cover == 256)
      for (int column = x0; column < x1; column++)
        to[column] = pixel;
    else
      for (int column = x0; column < x1; column++)
        to[column] = mix (to[column], pixel, cover);
  }
}

void
kg_raster_dot (const KgRaster *raster, double x, double y, double radius, KgTint tint)
{
  const int x0 = (int) limit (floor (x - radius - 0.5), 0, raster->width);
  const int x1 = (int) limit (ceil (x + radius + 0.5), 0, raster->width);
  const int y0 = (int) limit (floor (y - radius - 0.5), 0, raster->height);
  const int y1 = (int) limit (ceil (y + radius + 0.5), 0, raster->height);
  const uint32_t pixel = to_pixel (tint);

  for (int row = y0; row < y1; row++)
    for (int column = x0; column < x1; column++) {
      const double dx = column + 0.5 - x, dy = row + 0.5 - y;
      const double cover = radius + 0.5 - sqrt (dx * dx + dy * dy);
      uint32_t *to = raster->pixels + (ptrdiff_t) row * raster->stride + column;

      if (cover > 0)
        *to = mix (*to, pixel, (uint32_t) (256 * limit (cover, 0, 1)));
    }
}

/* a is the axis in which the line is longer: each of its pixels between the ends gets a stripe across.  An end belongs
 * to the line that goes on from there, so that no pixel of a curve is covered twice. */
void
kg_raster_line (const KgRaster *raster, double x0, double y0, double x1, double y1, const KgPen *pen)
{
  const bool flat = fabs (x1 - x0) >= fabs (y1 - y0);
  const int n_along = flat ? raster->width : raster->height, n_across = flat ? raster->height : raster->width;
  const ptrdiff_t along = flat ? 1 : raster->stride, across = flat ? raster->stride : 1;
  const uint32_t pixel = to_pixel (pen->tint), edge = to_pixel (pen->edge_tint);
  const double alpha = 256 * pen->alpha, edge_alpha = 256 * pen->edge_alpha;
  double a0 = flat ? x0 : y0, b0 = flat ? y0 : x0, a1 = flat ? x1 : y1, b1 = flat ? y1 : x1;
  double slope, stretch, core, outer, b;
  int first, last;

  if (a0 > a1) {
    double swap = a0;

    a0 = a1;
    a1 = swap;
    swap = b0;
    b0 = b1;
    b1 = swap;
  }
  if (a1 - a0 < 1e-9)
    return;
  slope = (b1 - b0) / (a1 - a0);
  stretch = 0.5 * sqrt (1 + slope * slope);
  core = stretch * pen->width + 0.5;
  outer = fmax (core, stretch * pen->edge_width + 0.5);
  first = (int) limit (ceil (a0 - 0.5), 0, n_along);
  last = (int) limit (ceil (a1 - 0.5), 0, n_along);
  b = b0 + slope * (first + 0.5 - a0) - 0.5;
  for (int a = first; a < last; a++, b += slope) {
    const int from = (int) limit (ceil (b - outer), 0, n_across), to = (int) limit (ceil (b + outer), 0, n_across);
    uint32_t *at = raster->pixels + a * along + from * across;

    for (int c = from; c < to; c++, at += across) {
      const double distance = fabs (c - b);

      if (pen->edge_width > 0)
        *at = mix (*at, edge, (uint32_t) (edge_alpha * limit (outer - distance, 0, 1)));
      if (distance < core)
        *at = mix (*at, pixel, (uint32_t) (alpha * limit (core - distance, 0, 1)));
    }
  }
}

void
kg_raster_curve (const KgRaster *raster, const double p[8], const KgPen *pen)
{
  const double length = fabs (p[6] - p[0]) + fabs (p[7] - p[1]) + 0.5 * (fabs (p[2] - p[0]) + fabs (p[6] - p[4]));
  const int steps = (int) limit (length / STEP_LENGTH, MIN_STEPS, MAX_STEPS);
  double x = p[0], y = p[1];

  for (int i = 1; i <= steps; i++) {
    const double t = (double) i / steps, u = 1 - t;
    const double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
    const double next_x = a * p[0] + b * p[2] + c * p[4] + d * p[6];
    const double next_y = a * p[1] + b * p[3] + c * p[5] + d * p[7];

    kg_raster_line (raster, x, y, next_x, next_y, pen);
    x = next_x;
    y = next_y;
  }
}

/* A quarter of a circle around (x, y): the one that lies that way from there. */
static void
draw_corner (const KgRaster *raster, double x, double y, double radius, int way_x, int way_y, const KgPen *pen)
{
  const double reach = radius + 0.5 * pen->width + 1;
  const int x0 = (int) limit (ceil ((way_x < 0 ? x - reach : x) - 0.5), 0, raster->width);
  const int x1 = (int) limit (ceil ((way_x < 0 ? x : x + reach) - 0.5), 0, raster->width);
  const int y0 = (int) limit (ceil ((way_y < 0 ? y - reach : y) - 0.5), 0, raster->height);
  const int y1 = (int) limit (ceil ((way_y < 0 ? y : y + reach) - 0.5), 0, raster->height);
  const uint32_t pixel = to_pixel (pen->tint);

  for (int row = y0; row < y1; row++)
    for (int column = x0; column < x1; column++) {
      const double dx = column + 0.5 - x, dy = row + 0.5 - y;
      const double cover = 0.5 * pen->width + 0.5 - fabs (sqrt (dx * dx + dy * dy) - radius);
      uint32_t *to = raster->pixels + (ptrdiff_t) row * raster->stride + column;

      if (cover > 0)
        *to = mix (*to, pixel, (uint32_t) (256 * pen->alpha * limit (cover, 0, 1)));
    }
}

void
kg_raster_frame (const KgRaster *raster, double x, double y, double width, double height, double radius,
                 const KgPen *pen)
{
  const double r = fmin (radius, 0.5 * fmin (width, height)), right = x + width, bottom = y + height;

  kg_raster_line (raster, x + r, y, right - r, y, pen);
  kg_raster_line (raster, x + r, bottom, right - r, bottom, pen);
  kg_raster_line (raster, x, y + r, x, bottom - r, pen);
  kg_raster_line (raster, right, y + r, right, bottom - r, pen);
  draw_corner (raster, x + r, y + r, r, -1, -1, pen);
  draw_corner (raster, right - r, y + r, r, 1, -1, pen);
  draw_corner (raster, x + r, bottom - r, r, -1, 1, pen);
  draw_corner (raster, right - r, bottom - r, r, 1, 1, pen);
}

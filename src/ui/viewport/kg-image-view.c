/* kg-image-view: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-image-view.h"

#include "config.h"
#include "kg-image-file.h"

#include <math.h>

#define MIN_ZOOM 0.01
#define MAX_ZOOM 100

void
kg_image_view_place (KgImageView *view, double image_width, double image_height, double width, double height)
{
  if (!view->fit)
    return;
  view->zoom = fmin (width / image_width, height / image_height);
  view->x = 0.5 * (width - view->zoom * image_width);
  view->y = 0.5 * (height - view->zoom * image_height);
}

void
kg_image_view_zoom (KgImageView *view, double factor, double x, double y)
{
  const double next = fmin (fmax (view->zoom * factor, MIN_ZOOM), MAX_ZOOM);

  view->fit = false;
  view->x = x - (x - view->x) * next / view->zoom;
  view->y = y - (y - view->y) * next / view->zoom;
  view->zoom = next;
}

bool
kg_image_view_find_part (const KgImageView *view, int image_width, int image_height, double width, double height,
                         double margin, KgImagePart *part)
{
  const int step = MAX (view->step, 1);
  const double scale = 1 / (view->zoom * step), across = margin * width, down = margin * height;
  const double x0 = floor ((-across - view->x) * scale), x1 = ceil ((width + across - view->x) * scale);
  const double y0 = floor ((-down - view->y) * scale), y1 = ceil ((height + down - view->y) * scale);

  *part = (KgImagePart){ .width = image_width,
                         .height = image_height,
                         .x = (int) fmin (fmax (x0, 0), image_width),
                         .y = (int) fmin (fmax (y0, 0), image_height) };
  part->part_width = (int) fmin (fmax (x1, 0), image_width) - part->x;
  part->part_height = (int) fmin (fmax (y1, 0), image_height) - part->y;
  return part->part_width > 0 && part->part_height > 0;
}

void
kg_image_view_draw_checkers (cairo_t *cr, double x, double y, double width, double height)
{
  cairo_save (cr);
  cairo_rectangle (cr, x, y, width, height);
  cairo_clip (cr);
  cairo_set_source_rgb (cr, 0.42, 0.42, 0.44);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 0.50, 0.50, 0.52);
  for (int j = 0; j < height / 12; j++)
    for (int i = j % 2; i < width / 12; i += 2)
      cairo_rectangle (cr, x + 12 * i, y + 12 * j, 12, 12);
  cairo_fill (cr);
  cairo_restore (cr);
}

/* Depth as greys: near is light. */
static void
fill_depth (const KgImage *image, uint8_t *rgba)
{
  const float *depth = kg_image_get_depth (image);
  const size_t n = (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image);
  float near_depth = INFINITY, far_depth = 0;

  for (size_t i = 0; i < n; i++)
    if (isfinite (depth[i])) {
      near_depth = MIN (near_depth, depth[i]);
      far_depth = MAX (far_depth, depth[i]);
    }
  for (size_t i = 0; i < n; i++) {
    const float t = isfinite (depth[i]) && far_depth > near_depth ? (depth[i] - near_depth) / (far_depth - near_depth)
                                                                  : 0;
    const uint8_t grey = isfinite (depth[i]) ? (uint8_t) (255 - 205 * t) : 0;

    rgba[4 * i] = rgba[4 * i + 1] = rgba[4 * i + 2] = grey;
    rgba[4 * i + 3] = 255;
  }
}

uint8_t *
kg_image_view_dup_pixels (const KgImage *image, bool depth)
{
  uint8_t *rgba = g_new (uint8_t, 4 * (size_t) kg_image_get_width (image) * (size_t) kg_image_get_height (image));

  if (depth && kg_image_get_depth (image) != NULL)
    fill_depth (image, rgba);
  else
    kg_image_to_rgba8 (image, rgba);
  return rgba;
}

/* Where that is in what is given of the image, in its pixels. */
static double
find_column (const KgImageView *view, double x)
{
  return (x - view->x) / view->zoom / MAX (view->step, 1) - view->left;
}

static double
find_row (const KgImageView *view, double y)
{
  return (y - view->y) / view->zoom / MAX (view->step, 1) - view->top;
}

char *
kg_image_view_dup_text (const KgImageView *view, const KgImage *image, double x, double y)
{
  const double px = floor (find_column (view, x)), py = floor (find_row (view, y));
  const int column = ((int) px + view->left) * MAX (view->step, 1), row = ((int) py + view->top) * MAX (view->step, 1);
  const float *depth = kg_image_get_depth (image), *p;
  size_t at;

  if (!(px >= 0 && py >= 0 && px < kg_image_get_width (image) && py < kg_image_get_height (image)))
    return NULL;
  at = (size_t) py * (size_t) kg_image_get_width (image) + (size_t) px;
  p = kg_image_get_pixels (image) + 4 * at;
  if (depth != NULL)
    return g_strdup_printf ("%d, %d:  %.4f  %.4f  %.4f  %.4f   %.3f m", column, row, (double) p[0], (double) p[1],
                            (double) p[2], (double) p[3], (double) depth[at]);
  return g_strdup_printf ("%d, %d:  %.4f  %.4f  %.4f  %.4f", column, row, (double) p[0], (double) p[1], (double) p[2],
                          (double) p[3]);
}

/* The first and the last pixel between two places along a side, and false where the image has none there. */
static bool
get_range (double a, double b, int size, int *first, int *last)
{
  const double low = floor (fmin (a, b)), high = floor (fmax (a, b));

  if (!(high >= 0 && low < size))
    return false;
  *first = (int) fmax (0, low);
  *last = (int) fmin (size - 1, high);
  return true;
}

bool
kg_image_view_get_color (const KgImageView *view, const KgImage *image, double x, double y, double x2, double y2,
                         KgColor *color)
{
  const int width = kg_image_get_width (image);
  double sum[4] = { 0 };
  int left, right, top, bottom;

  if (!get_range (find_column (view, x), find_column (view, x2), width, &left, &right) ||
      !get_range (find_row (view, y), find_row (view, y2), kg_image_get_height (image), &top, &bottom))
    return false;
  for (int row = top; row <= bottom; row++)
    for (int column = left; column <= right; column++)
      for (int c = 0; c < 4; c++)
        sum[c] +=
            (double) kg_image_get_pixels (image)[4 * ((size_t) row * (size_t) width + (size_t) column) + (size_t) c];
  /* Premultiplied: what is covered more counts for more. */
  for (int c = 0; c < 3; c++)
    sum[c] = sum[3] > 0 ? sum[c] / sum[3] : 0;
  *color = (KgColor){ sum[0], sum[1], sum[2], sum[3] / ((double) (right - left + 1) * (double) (bottom - top + 1)) };
  return true;
}

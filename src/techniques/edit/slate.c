/* slate: see slate.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "edit/slate.h"

#include "kg-error.h"

#include <pango/pangocairo.h>

static void
draw_text (cairo_t *cairo, const char *text, double width, double height)
{
  PangoFontMap *map = pango_cairo_font_map_new ();
  PangoContext *context = pango_font_map_create_context (map);
  PangoLayout *layout = pango_layout_new (context);
  PangoFontDescription *font = pango_font_description_from_string ("Sans Bold");
  PangoRectangle ink;
  double scale;

  /* Measured large, so that hinting does not count. */
  pango_font_description_set_absolute_size (font, 100 * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_pixel_extents (layout, &ink, NULL);
  if (ink.width > 0 && ink.height > 0) {
    scale = MIN (MIN (0.8 * width / ink.width, 0.25 * height / ink.height), 0.12 * height / 72);
    cairo_translate (cairo, width / 2, height / 2);
    cairo_scale (cairo, scale, scale);
    cairo_translate (cairo, -ink.x - 0.5 * ink.width, -ink.y - 0.5 * ink.height);
    pango_cairo_show_layout (cairo, layout);
  }
  pango_font_description_free (font);
  g_object_unref (layout);
  g_object_unref (context);
  g_object_unref (map);
}

bool
slate_draw (KgImage *image, const char *text, GError **error)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const double line = MAX (1, height / 60.0);
  const float ground = 0.02f, paint = 0.8f;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, width, height);
  cairo_t *cairo = cairo_create (surface);
  float *to = kg_image_edit_pixels (image);
  const unsigned char *cover;
  bool good;

  cairo_set_line_width (cairo, line);
  cairo_rectangle (cairo, 1.5 * line, 1.5 * line, MAX (width - 3 * line, 0), MAX (height - 3 * line, 0));
  cairo_stroke (cairo);
  draw_text (cairo, text, width, height);
  good = cairo_status (cairo) == CAIRO_STATUS_SUCCESS;
  cairo_destroy (cairo);
  cairo_surface_flush (surface);
  cover = cairo_image_surface_get_data (surface);
  good = good && cover != NULL;
  for (int y = 0; good && y < height; y++)
    for (int x = 0; x < width; x++, to += 4) {
      const float share = (float) cover[y * cairo_image_surface_get_stride (surface) + x] / 255;

      to[0] = to[1] = to[2] = ground + share * (paint - ground);
      to[3] = 1;
    }
  cairo_surface_destroy (surface);
  if (!good)
    kg_set_error (error, KG_ERROR_LIMIT, "a slate of %d by %d pixels is too large to be drawn: use smaller images",
                  width, height);
  return good;
}

/* kg-value-view: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-value-view.h"

#include "config.h"
#include "kg-kind-color.h"

#include <glib.h>

#define MAX_TEXT 2000 /* bytes of a value that are shown */

void
kg_text_draw (cairo_t *cr, PangoContext *context, const char *text, double x, double y, double width)
{
  g_autoptr (PangoLayout) layout = pango_layout_new (context);

  pango_layout_set_text (layout, text, -1);
  if (width > 0) {
    pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
    pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  }
  cairo_move_to (cr, x, y);
  pango_cairo_show_layout (cr, layout);
  cairo_new_path (cr);
}

static void
draw_motion (cairo_t *cr, PangoContext *context, const KgMotion *motion, double width, double height)
{
  static const KgTint tints[] = { { 0.95, 0.6, 0.25 }, { 0.4, 0.75, 0.4 }, { 0.4, 0.6, 0.95 }, { 0.8, 0.5, 0.8 } };
  double low = INFINITY, high = -INFINITY, from = INFINITY, to = -INFINITY;
  guint curve = 0;
  const int n = MAX (2, (int) width / 2);

  for (guint c = 0; c < kg_motion_get_n_channels (motion); c++) {
    double a, b;

    kg_channel_get_range (kg_motion_get_channel (motion, c), &a, &b);
    from = fmin (from, a);
    to = fmax (to, b);
  }
  if (!(to > from) || !isfinite (to - from)) {
    from = 0;
    to = 1;
  }
  for (guint c = 0; c < kg_motion_get_n_channels (motion); c++)
    for (int i = 0; i <= n; i++) {
      double x[KG_CHANNEL_MAX_WIDTH];
      const KgChannel *channel = kg_motion_get_channel (motion, c);

      kg_channel_evaluate (channel, from + (to - from) * i / n, x);
      for (guint k = 0; k < kg_channel_get_width (channel); k++) {
        low = fmin (low, x[k]);
        high = fmax (high, x[k]);
      }
    }
  if (!(high > low)) {
    low = isfinite (low) ? low - 1 : -1;
    high = low + 2;
  }
  cairo_set_source_rgba (cr, 0.5, 0.5, 0.55, 0.5);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, 40.5, 20.5, width - 60, height - 60);
  cairo_stroke (cr);
  {
    g_autofree char *bottom = g_strdup_printf ("%.3g", low), *top = g_strdup_printf ("%.3g", high);
    g_autofree char *left = g_strdup_printf ("%.3g", from), *right = g_strdup_printf ("%.3g", to);

    cairo_set_source_rgb (cr, 0.6, 0.62, 0.66);
    kg_text_draw (cr, context, top, 4, 12, 0);
    kg_text_draw (cr, context, bottom, 4, height - 50, 0);
    kg_text_draw (cr, context, left, 40, height - 36, 0);
    kg_text_draw (cr, context, right, width - 50, height - 36, 0);
  }
  cairo_set_line_width (cr, 2);
  for (guint c = 0; c < kg_motion_get_n_channels (motion); c++) {
    const KgChannel *channel = kg_motion_get_channel (motion, c);

    for (guint k = 0; k < kg_channel_get_width (channel); k++, curve++) {
      for (int i = 0; i <= n; i++) {
        double x[KG_CHANNEL_MAX_WIDTH];

        kg_channel_evaluate (channel, from + (to - from) * i / n, x);
        cairo_line_to (cr, 40 + (width - 60) * i / n, 20 + (height - 60) * (1 - (x[k] - low) / (high - low)));
      }
      kg_tint_set (cr, tints[curve % G_N_ELEMENTS (tints)], 1);
      cairo_stroke (cr);
    }
  }
}

void
kg_value_view_draw (cairo_t *cr, PangoContext *context, const KgValue *value, double width, double height)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (value->kind == KG_MOTION) {
    draw_motion (cr, context, value->motion, width, height);
    return;
  }
  if (value->kind == KG_TEXT)
    g_string_append (text, value->text);
  else
    kg_value_write_json (value, text);
  if (text->len > MAX_TEXT) {
    /* Not in the middle of a character. */
    g_string_truncate (text, (gsize) (g_utf8_find_prev_char (text->str, text->str + MAX_TEXT) - text->str));
    g_string_append (text, "…");
  }
  cairo_set_source_rgb (cr, 0.9, 0.9, 0.92);
  kg_text_draw (cr, context, text->str, 24, 24, fmax (50, width - 48));
}

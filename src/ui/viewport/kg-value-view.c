/* kg-value-view: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-value-view.h"

#include "config.h"
#include "kg-plot.h"

#include <glib.h>

/* Around a graph, in pixels. */
#define LEFT 48
#define RIGHT 20
#define TOP 22
#define BOTTOM 46

#define MOST_LINES 100 /* of the grid, each way */

#define MAX_TEXT 2000 /* bytes of a value that are shown */

/* Text with its upper left corner at (x, y), wrapped at width where that is above 0, in the colour of cr. */
static void
draw_text (cairo_t *cr, PangoContext *context, const char *text, double x, double y, double width)
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

/* A line of the grid, counted from the first one, since far from 0 a step may be too small to add. */
static double
get_line (double low, double step, int index)
{
  return (ceil (low / step - 1e-9) + index) * step;
}

/* (transfer full) */
static char *
format_line (double at, double step)
{
  return g_strdup_printf ("%.6g", fabs (at) < 1e-9 * step ? 0 : at);
}

/* The width of the longest number beside the lines. */
static double
measure_values (PangoContext *context, const KgPlotRange *range, double step)
{
  g_autoptr (PangoLayout) layout = pango_layout_new (context);
  int widest = 0;

  for (int i = 0; i < MOST_LINES && get_line (range->low, step, i) <= range->high + 1e-9 * step; i++) {
    g_autofree char *text = format_line (get_line (range->low, step, i), step);
    int width;

    pango_layout_set_text (layout, text, -1);
    pango_layout_get_pixel_size (layout, &width, NULL);
    widest = MAX (widest, width);
  }
  return widest;
}

/* In a frame with its ends written beside it, and a grid of round steps. */
static void
draw_motion (cairo_t *cr, PangoContext *context, const KgMotion *motion, double width, double height)
{
  const KgPlotRange range = kg_plot_measure_motion (motion, (guint) fmax (2, width / 2));
  const double h = height - TOP - BOTTOM;
  const double step_y = kg_plot_get_step (range.high - range.low, fmax (1, h / 40));
  const double left = fmax (LEFT, 4 + measure_values (context, &range, step_y) + 8), w = width - left - RIGHT;
  const double step_x = kg_plot_get_step (range.to - range.from, fmax (1, w / 80));

  if (w < 1 || h < 1)
    return;
  cairo_set_line_width (cr, 1);
  for (int i = 0; i < MOST_LINES; i++) {
    const double x = get_line (range.from, step_x, i);
    const double at = left + w * (x - range.from) / (range.to - range.from);
    g_autofree char *text = format_line (x, step_x);

    if (x > range.to + 1e-9 * step_x)
      break;
    cairo_set_source_rgba (cr, 0.5, 0.5, 0.55, 0.3);
    cairo_move_to (cr, floor (at) + 0.5, TOP);
    cairo_line_to (cr, floor (at) + 0.5, TOP + h);
    cairo_stroke (cr);
    cairo_set_source_rgb (cr, 0.6, 0.62, 0.66);
    draw_text (cr, context, text, at + 3, TOP + h + 2, 0);
  }
  for (int i = 0; i < MOST_LINES; i++) {
    const double y = get_line (range.low, step_y, i);
    const double at = TOP + h * (range.high - y) / (range.high - range.low);
    g_autofree char *text = format_line (y, step_y);

    if (y > range.high + 1e-9 * step_y)
      break;
    cairo_set_source_rgba (cr, 0.5, 0.5, 0.55, 0.3);
    cairo_move_to (cr, left, floor (at) + 0.5);
    cairo_line_to (cr, left + w, floor (at) + 0.5);
    cairo_stroke (cr);
    cairo_set_source_rgb (cr, 0.6, 0.62, 0.66);
    draw_text (cr, context, text, 4, at - 16, 0);
  }
  kg_plot_draw_motion (cr, motion, &range, left, TOP, w, h);
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
  draw_text (cr, context, text->str, 24, 24, fmax (50, width - 48));
}

/* plot_page: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/plot_page.h"

#include "geometry/font_fallback.h"
#include "render/plot_axis.h"

#include <glib/gi18n-lib.h>
#include <pango/pangocairo.h>

#define FONT "DejaVu Sans"

/* Colours that people with any kind of colour vision can distinguish (Okabe and Ito, Color Universal Design, 2008), as sRGB. */
static const uint8_t palette[][3] = { { 0, 114, 178 },  { 213, 94, 0 },    { 0, 158, 115 },  { 230, 159, 0 },
                                      { 86, 180, 233 }, { 204, 121, 167 }, { 110, 110, 110 } };

/* The drawing while it is made: an sRGB image of 8 bits, as text is best drawn. */
typedef struct {
  const PlotStyle *style;
  GPtrArray *series, *warnings;
  cairo_surface_t *surface;
  cairo_t *cairo;
  PangoFontMap *map;
  PangoContext *context;
  PlotAxis x, y;
  double left, top, right, bottom; /* of the diagram itself */
  const KgProgressMonitor *monitor;
} Page;

static void
set_color (const Page *page, KgColor color)
{
  cairo_set_source_rgba (page->cairo, kg_srgb_encode (kg_clamp (color.r, 0, 1)),
                         kg_srgb_encode (kg_clamp (color.g, 0, 1)), kg_srgb_encode (kg_clamp (color.b, 0, 1)),
                         kg_clamp (color.a, 0, 1));
}

static void
set_ink (const Page *page, double strength)
{
  KgColor ink = page->style->ink;

  ink.a *= strength;
  set_color (page, ink);
}

static void
set_series_color (const Page *page, guint index)
{
  const PlotSeries *series = (const PlotSeries *) g_ptr_array_index (page->series, index);
  const uint8_t *color = palette[index % G_N_ELEMENTS (palette)];

  if (series->colored)
    set_color (page, series->color);
  else
    cairo_set_source_rgb (page->cairo, color[0] / 255.0, color[1] / 255.0, color[2] / 255.0);
}

/* Text. */

/* (transfer full) */
static PangoLayout *
make_text (const Page *page, const char *text, bool markup, double scale, bool bold)
{
  PangoLayout *layout = pango_layout_new (page->context);
  PangoFontDescription *font = pango_font_description_from_string (FONT);

  pango_font_description_set_absolute_size (font, scale * page->style->font_size * PANGO_SCALE);
  pango_font_description_set_weight (font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  if (markup)
    pango_layout_set_markup (layout, text, -1);
  else
    pango_layout_set_text (layout, text, -1);
  return layout;
}

static void
get_size (PangoLayout *layout, double *width, double *height)
{
  int w, h;

  pango_layout_get_size (layout, &w, &h);
  *width = (double) w / PANGO_SCALE;
  *height = (double) h / PANGO_SCALE;
}

/* Its point at (share_x, share_y) of its size goes to (x, y).  Takes the layout. */
static void
put_text (const Page *page, PangoLayout *layout, double x, double y, double share_x, double share_y)
{
  double width, height;

  get_size (layout, &width, &height);
  cairo_move_to (page->cairo, x - share_x * width, y - share_y * height);
  pango_cairo_show_layout (page->cairo, layout);
  g_object_unref (layout);
}

/* Axes. */

typedef struct {
  double low, high;
  guint n_left_out;
} Extent;

static void
extend (Extent *extent, double value, bool logarithmic)
{
  if (logarithmic && !(value > 0)) {
    extent->n_left_out++;
    return;
  }
  extent->low = fmin (extent->low, value);
  extent->high = fmax (extent->high, value);
}

/* An axis over what is typed or, where both ends are equal, over the data. */
static bool
fit_axis (Page *page, PlotAxis *axis, const char *name, bool logarithmic, double from, double to, const Extent *extent,
          bool margin, GError **error)
{
  axis->logarithmic = logarithmic;
  if (from != to) {
    if (logarithmic && !(fmin (from, to) > 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "%s from %g to %g cannot be logarithmic: use limits above 0, or equal limits to fit the data", name,
                    from, to);
      return false;
    }
    plot_axis_fit (axis, fmin (from, to), fmax (from, to), false);
    return true;
  }
  if (extent->n_left_out > 0)
    g_ptr_array_add (page->warnings,
                     kg_error_new (KG_ERROR_INVALID_VALUE,
                                   "%u values that are not positive cannot be shown on the logarithmic %s",
                                   extent->n_left_out, name));
  if (extent->low <= extent->high)
    plot_axis_fit (axis, extent->low, extent->high, margin);
  else
    plot_axis_fit (axis, logarithmic ? 0.1 : 0, logarithmic ? 10 : 1, false);
  return true;
}

static bool
fit_axes (Page *page, GError **error)
{
  const PlotStyle *n = page->style;
  Extent x = { INFINITY, -INFINITY, 0 }, y = x;
  bool any = false;

  for (guint i = 0; i < page->series->len; i++) {
    const GArray *points = ((const PlotSeries *) g_ptr_array_index (page->series, i))->points;

    any |= points->len > 0;
    for (guint k = 0; k < points->len; k++) {
      const PlotPoint *p = &g_array_index (points, PlotPoint, k);

      /* Only what is between typed ends of x decides about y. */
      if (n->x_from != n->x_to && (p->x < fmin (n->x_from, n->x_to) || p->x > fmax (n->x_from, n->x_to)))
        continue;
      extend (&x, p->x, n->x_log);
      extend (&y, p->y, n->y_log);
    }
  }
  if (!any)
    g_ptr_array_add (page->warnings, kg_error_new (KG_ERROR_DEGENERATE, "nothing to plot: link a motion or a table"));
  return fit_axis (page, &page->x, _ ("x axis"), n->x_log, n->x_from, n->x_to, &x, n->equal || n->x_margin, error) &&
         fit_axis (page, &page->y, _ ("y axis"), n->y_log, n->y_from, n->y_to, &y, true, error);
}

/* Widens one of the axes so that a unit is as long on both. */
static void
make_equal (Page *page)
{
  const double wide = (page->x.high - page->x.low) / (page->right - page->left);
  const double high = (page->y.high - page->y.low) / (page->bottom - page->top);
  PlotAxis *axis = wide < high ? &page->x : &page->y;
  const double more = wide < high ? high / wide : wide / high, middle = 0.5 * (axis->low + axis->high);
  const double half = 0.5 * more * (axis->high - axis->low);

  axis->low = middle - half;
  axis->high = middle + half;
}

/* How many numbers fit side by side, or above each other. */
static guint
count_ticks (const Page *page, const PlotAxis *axis)
{
  const double place = axis == &page->x ? 5 * page->style->font_size : 2.4 * page->style->font_size;

  return (guint) kg_clamp (fabs (axis->end - axis->start) / place, 1, 1000);
}

/* The width of the widest number at the y axis. */
static double
measure_numbers (const Page *page)
{
  g_autoptr (GArray) ticks = plot_axis_make_ticks (&page->y, count_ticks (page, &page->y));
  double widest = 0;

  for (guint i = 0; i < ticks->len; i++) {
    const PlotTick *tick = &g_array_index (ticks, PlotTick, i);
    g_autofree char *text = tick->major ? plot_axis_format (&page->y, ticks, tick->value) : NULL;
    PangoLayout *layout;
    double width, height;

    if (text == NULL)
      continue;
    layout = make_text (page, text, true, 1, false);
    get_size (layout, &width, &height);
    widest = fmax (widest, width);
    g_object_unref (layout);
  }
  return widest;
}

static void
draw_ticks (const Page *page, const PlotAxis *axis)
{
  const bool is_x = axis == &page->x;
  g_autoptr (GArray) ticks = plot_axis_make_ticks (axis, count_ticks (page, axis));

  for (guint i = 0; i < ticks->len; i++) {
    const PlotTick *tick = &g_array_index (ticks, PlotTick, i);
    const double length = (tick->major ? 0.4 : 0.2) * page->style->font_size;
    double at;

    if (!plot_axis_place (axis, tick->value, &at))
      continue;
    at = floor (at) + 0.5;
    cairo_set_line_width (page->cairo, fmax (0.06 * page->style->font_size, 1));
    if (page->style->grid && tick->major) {
      set_ink (page, 0.15);
      cairo_move_to (page->cairo, is_x ? at : page->left, is_x ? page->top : at);
      cairo_line_to (page->cairo, is_x ? at : page->right, is_x ? page->bottom : at);
      cairo_stroke (page->cairo);
    }
    set_ink (page, 1);
    cairo_move_to (page->cairo, is_x ? at : page->left, is_x ? page->bottom : at);
    cairo_line_to (page->cairo, is_x ? at : page->left - length, is_x ? page->bottom + length : at);
    cairo_stroke (page->cairo);
    if (tick->major) {
      g_autofree char *text = plot_axis_format (axis, ticks, tick->value);
      PangoLayout *layout = make_text (page, text, true, 1, false);

      if (is_x)
        put_text (page, layout, at, page->bottom + 0.5 * page->style->font_size, 0.5, 0);
      else
        put_text (page, layout, page->left - 0.6 * page->style->font_size, at, 1, 0.5);
    }
  }
}

/* Lines and points. */

static void
draw_disc (const Page *page, double x, double y, double diameter)
{
  cairo_new_sub_path (page->cairo);
  cairo_arc (page->cairo, x, y, 0.5 * diameter, 0, 2 * G_PI);
}

/* Points of a line that are stroked together. */
#define STROKE 512

/* False when cancelled. */
static bool
draw_series (const Page *page, guint index)
{
  const PlotSeries *series = (const PlotSeries *) g_ptr_array_index (page->series, index);
  const PlotStyle *n = page->style;
  bool broken = true;

  set_series_color (page, index);
  cairo_set_line_width (page->cairo, page->style->line_width);
  cairo_new_path (page->cairo);
  for (guint i = 0; i < series->points->len && !series->loose; i++) {
    const PlotPoint *p = &g_array_index (series->points, PlotPoint, i);
    double x, y;

    /* One stroke of all of a long line could not be interrupted. */
    if (i % STROKE == STROKE - 1) {
      double last_x, last_y;
      const bool goes_on = cairo_has_current_point (page->cairo);

      if (kg_progress_is_cancelled (page->monitor))
        return false;
      cairo_get_current_point (page->cairo, &last_x, &last_y);
      cairo_stroke (page->cairo);
      if (goes_on)
        cairo_move_to (page->cairo, last_x, last_y);
    }
    if (!plot_axis_place (&page->x, p->x, &x) || !plot_axis_place (&page->y, p->y, &y)) {
      broken = true;
      continue;
    }
    if (broken || p->begins)
      cairo_move_to (page->cairo, x, y);
    else
      cairo_line_to (page->cairo, x, y);
    broken = false;
  }
  cairo_stroke (page->cairo);
  for (guint i = 0; i < series->points->len; i++) {
    const PlotPoint *p = &g_array_index (series->points, PlotPoint, i);
    double x, y;

    if (i % 16 == 15 && kg_progress_is_cancelled (page->monitor))
      return false;
    if ((p->marked || n->points) && plot_axis_place (&page->x, p->x, &x) && plot_axis_place (&page->y, p->y, &y)) {
      draw_disc (page, x, y, page->style->point_size);
      cairo_fill (page->cairo);
    }
  }
  return true;
}

/* The legend. */

/* How many points lie in a corner. */
static guint
count_hidden (const Page *page, double left, double top, double width, double height)
{
  guint count = 0;

  for (guint s = 0; s < page->series->len; s++) {
    const GArray *points = ((const PlotSeries *) g_ptr_array_index (page->series, s))->points;

    for (guint i = 0; i < points->len; i++) {
      const PlotPoint *p = &g_array_index (points, PlotPoint, i);
      double x, y;

      count += plot_axis_place (&page->x, p->x, &x) && plot_axis_place (&page->y, p->y, &y) && x >= left &&
               x <= left + width && y >= top && y <= top + height;
    }
  }
  return count;
}

static void
measure_legend (const Page *page, double *width, double *height)
{
  *width = *height = 0;
  for (guint i = 0; i < page->series->len && !kg_progress_is_cancelled (page->monitor); i++) {
    const char *const label = ((const PlotSeries *) g_ptr_array_index (page->series, i))->label;
    PangoLayout *layout;
    double w, h;

    if (label == NULL)
      continue;
    layout = make_text (page, label, false, 1, false);
    get_size (layout, &w, &h);
    g_object_unref (layout);
    *width = fmax (*width, w);
    *height += 1.15 * h;
  }
  *width += 4 * page->style->font_size;
  *height += 0.8 * page->style->font_size;
}

static void
place_legend (const Page *page, double width, double height, double *left, double *top)
{
  const double gap = 0.6 * page->style->font_size;
  const double lefts[] = { page->right - width - gap, page->left + gap },
               tops[] = { page->top + gap, page->bottom - height - gap };
  int corner = page->style->legend - PLOT_LEGEND_TOP_RIGHT;

  if (page->style->legend == PLOT_LEGEND_BESIDE) {
    *left = page->right + gap;
    *top = page->top;
    return;
  }
  if (page->style->legend == PLOT_LEGEND_AUTO) {
    guint least = G_MAXUINT;

    for (int i = 0; i < 4; i++) {
      const guint hidden = count_hidden (page, lefts[i % 2], tops[i / 2], width, height);

      if (hidden < least) {
        least = hidden;
        corner = i;
      }
    }
  }
  *left = lefts[corner % 2];
  *top = tops[corner / 2];
}

static void
draw_legend (const Page *page)
{
  double width, height, left, top;

  measure_legend (page, &width, &height);
  place_legend (page, width, height, &left, &top);
  cairo_rectangle (page->cairo, left, top, width, height);
  set_color (page, (KgColor){ page->style->background.r, page->style->background.g, page->style->background.b,
                              0.8 * page->style->background.a });
  cairo_fill_preserve (page->cairo);
  set_ink (page, 0.3);
  cairo_set_line_width (page->cairo, 1);
  cairo_stroke (page->cairo);
  top += 0.4 * page->style->font_size;
  for (guint i = 0; i < page->series->len && !kg_progress_is_cancelled (page->monitor); i++) {
    const PlotSeries *series = (const PlotSeries *) g_ptr_array_index (page->series, i);
    PangoLayout *layout;
    double w, h;

    if (series->label == NULL)
      continue;
    layout = make_text (page, series->label, false, 1, false);
    get_size (layout, &w, &h);
    set_series_color (page, i);
    if (series->loose) {
      draw_disc (page, left + 1.6 * page->style->font_size, top + 0.5 * h, page->style->point_size);
      cairo_fill (page->cairo);
    } else {
      cairo_set_line_width (page->cairo, page->style->line_width);
      cairo_move_to (page->cairo, left + 0.6 * page->style->font_size, top + 0.5 * h);
      cairo_line_to (page->cairo, left + 2.6 * page->style->font_size, top + 0.5 * h);
      cairo_stroke (page->cairo);
    }
    set_ink (page, 1);
    put_text (page, layout, left + 3.2 * page->style->font_size, top, 0, 0);
    top += 1.15 * h;
  }
}

/* The page. */

static bool
has_legend (const Page *page)
{
  guint n = 0;

  for (guint i = 0; i < page->series->len; i++)
    n += ((const PlotSeries *) g_ptr_array_index (page->series, i))->label != NULL;
  return page->style->legend != PLOT_LEGEND_NONE && n > (page->style->legend == PLOT_LEGEND_AUTO ? 1 : 0);
}

/* Room for title, labels and numbers around the diagram. */
static bool
lay_out (Page *page, GError **error)
{
  const PlotStyle *n = page->style;
  double legend_width = 0, legend_height;

  page->top = (*n->title != '\0' ? 2.6 : 1) * page->style->font_size;
  page->bottom = n->height - (*n->label_x != '\0' ? 3.8 : 2.2) * page->style->font_size;
  page->y.start = page->bottom;
  page->y.end = page->top;
  if (has_legend (page) && n->legend == PLOT_LEGEND_BESIDE) {
    measure_legend (page, &legend_width, &legend_height);
    legend_width += 0.6 * page->style->font_size;
  }
  page->right = n->width - 1.5 * page->style->font_size - legend_width;
  /* The numbers decide how wide the margin is, and with equal scales the width decides about the numbers: once is near
   * enough. */
  for (int i = 0; i < 2; i++) {
    page->left = measure_numbers (page) + (*n->label_y != '\0' ? 2.9 : 1.3) * page->style->font_size;
    page->x.start = page->left;
    page->x.end = page->right;
    if (page->right - page->left < 2 * page->style->font_size ||
        page->bottom - page->top < 2 * page->style->font_size) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "%d × %d pixels are too few for a plot with text of %g pixels: make the plot wider or font_size smaller",
          n->width, n->height, page->style->font_size);
      return false;
    }
    if (i == 0 && n->equal && !n->x_log && !n->y_log)
      make_equal (page);
  }
  return true;
}

static void
draw_frame (const Page *page)
{
  const PlotStyle *n = page->style;

  draw_ticks (page, &page->x);
  draw_ticks (page, &page->y);
  set_ink (page, 1);
  cairo_set_line_width (page->cairo, fmax (0.08 * page->style->font_size, 1));
  cairo_rectangle (page->cairo, floor (page->left) + 0.5, floor (page->top) + 0.5,
                   floor (page->right) - floor (page->left), floor (page->bottom) - floor (page->top));
  cairo_stroke (page->cairo);
  put_text (page, make_text (page, n->title, false, 1.2, true), 0.5 * (page->left + page->right),
            1.4 * page->style->font_size, 0.5, 0.5);
  put_text (page, make_text (page, n->label_x, false, 1, false), 0.5 * (page->left + page->right),
            n->height - 0.5 * page->style->font_size, 0.5, 1);
  cairo_save (page->cairo);
  cairo_translate (page->cairo, 0.5 * page->style->font_size, 0.5 * (page->top + page->bottom));
  cairo_rotate (page->cairo, -G_PI / 2);
  put_text (page, make_text (page, n->label_y, false, 1, false), 0, 0, 0.5, 0);
  cairo_restore (page->cairo);
}

static bool
draw_page (Page *page, GError **error)
{
  const PlotStyle *n = page->style;
  bool good = true;
  double at;

  if (!fit_axes (page, error) || !lay_out (page, error))
    return false;
  set_color (page, n->background);
  cairo_set_operator (page->cairo, CAIRO_OPERATOR_SOURCE);
  cairo_paint (page->cairo);
  cairo_set_operator (page->cairo, CAIRO_OPERATOR_OVER);
  draw_frame (page);
  cairo_save (page->cairo);
  cairo_rectangle (page->cairo, page->left, page->top, page->right - page->left, page->bottom - page->top);
  cairo_clip (page->cairo);
  cairo_set_line_join (page->cairo, CAIRO_LINE_JOIN_ROUND);
  if (n->mark && plot_axis_place (&page->x, n->mark_at, &at)) {
    set_ink (page, 0.5);
    cairo_set_line_width (page->cairo, page->style->line_width);
    cairo_move_to (page->cairo, at, page->top);
    cairo_line_to (page->cairo, at, page->bottom);
    cairo_stroke (page->cairo);
  }
  for (guint i = 0; good && i < page->series->len; i++)
    good = !kg_progress_is_cancelled (page->monitor) && draw_series (page, i);
  cairo_restore (page->cairo);
  if (good && has_legend (page))
    draw_legend (page);
  return good && !kg_progress_is_cancelled (page->monitor);
}

/* From cairo's premultiplied sRGB to premultiplied linear light. */
static KgImage *
make_image (cairo_surface_t *surface, int width, int height, GError **error)
{
  KgImage *image = kg_image_new (width, height, false, error);
  const int stride = cairo_image_surface_get_stride (surface);
  float *pixel = image != NULL ? kg_image_edit_pixels (image) : NULL;
  double decoded[256];

  for (guint i = 0; i < G_N_ELEMENTS (decoded); i++)
    decoded[i] = kg_srgb_decode (i / 255.0);
  cairo_surface_flush (surface);
  for (int y = 0; image != NULL && y < height; y++) {
    const uint32_t *row =
        (const uint32_t *) (const void *) (cairo_image_surface_get_data (surface) + (size_t) y * (size_t) stride);

    for (int x = 0; x < width; x++, pixel += 4) {
      const uint32_t alpha = row[x] >> 24;

      for (int c = 0; c < 3; c++) {
        const uint32_t value = row[x] >> (16 - 8 * c) & 0xff;
        const double light = alpha == 255 ? decoded[value]
                             : alpha == 0 ? 0
                                          : kg_srgb_decode (fmin ((double) value / alpha, 1)) * alpha / 255;

        pixel[c] = (float) light;
      }
      pixel[3] = (float) (alpha / 255.0);
    }
  }
  return image;
}

KgImage *
plot_page_draw (const PlotStyle *style, GPtrArray *series, GPtrArray *warnings, const KgProgressMonitor *monitor,
                GError **error)
{
  Page page = { .style = style, .series = series, .warnings = warnings, .monitor = monitor };
  PangoFontDescription *font;
  GError *warning = NULL;
  KgImage *image = NULL;
  cairo_status_t status;

  page.surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, style->width, style->height);
  status = cairo_surface_status (page.surface);
  if (status != CAIRO_STATUS_SUCCESS || (size_t) style->width * (size_t) style->height > KG_IMAGE_MAX_PIXELS) {
    kg_set_error (error, KG_ERROR_LIMIT, "a plot of %d × %d pixels is too large: make it smaller", style->width,
                  style->height);
    cairo_surface_destroy (page.surface);
    return NULL;
  }
  page.cairo = cairo_create (page.surface);
  /* Not the default font map, which belongs to a thread. */
  page.map = pango_cairo_font_map_new ();
  page.context = pango_font_map_create_context (page.map);
  font = pango_font_description_from_string (FONT);
  if (!font_fallback_check (page.context, font, &warning))
    g_ptr_array_add (warnings, warning);
  pango_font_description_free (font);
  if (draw_page (&page, error)) {
    /* Without memory cairo leaves out what it should draw. */
    if (cairo_status (page.cairo) == CAIRO_STATUS_SUCCESS)
      image = make_image (page.surface, style->width, style->height, error);
    else
      kg_set_error (error, KG_ERROR_LIMIT, "a plot of %d × %d pixels is too large: make it smaller", style->width,
                    style->height);
  }
  g_object_unref (page.context);
  g_object_unref (page.map);
  cairo_destroy (page.cairo);
  cairo_surface_destroy (page.surface);
  return image;
}

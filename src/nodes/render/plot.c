/* render/plot: motions and tables as a diagram.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/font_fallback.h"
#include "kg-image.h"
#include "kg-node.h"
#include "render/plot_axis.h"
#include "render/plot_series.h"

#include <glib/gi18n-lib.h>
#include <pango/pangocairo.h>

#define PLOT_FONT "DejaVu Sans"
/* Most points of all series together. */
#define PLOT_MAX_POINTS 10000000

typedef struct {
  KgList motions;
  KgList tables;
  int function;
  int64_t samples;
  const char *column_x;
  const char *column_y;
  const char *title;
  const char *label_x;
  const char *label_y;
  const char *labels;
  int legend;
  double x_from, x_to;
  double y_from, y_to;
  bool x_log;
  bool y_log;
  bool equal;
  bool grid;
  bool mark;
  double mark_at;
  int64_t width;
  int64_t height;
  double font_size;
  double line_width;
  double point_size;
  bool points;
  KgColor ink;
  KgColor background;
  KgImage *image;
  int64_t n_series;
} Plot;

enum {
  PLOT_LEGEND_AUTO,
  PLOT_LEGEND_NONE,
  PLOT_LEGEND_TOP_RIGHT,
  PLOT_LEGEND_TOP_LEFT,
  PLOT_LEGEND_BOTTOM_RIGHT,
  PLOT_LEGEND_BOTTOM_LEFT,
  PLOT_LEGEND_BESIDE,
  N_LEGENDS
};

static const KgChoice plot_legends[] = {
  [PLOT_LEGEND_AUTO] = { "auto", N_ ("Where the least is hidden") },
  [PLOT_LEGEND_NONE] = { "none", N_ ("None") },
  [PLOT_LEGEND_TOP_RIGHT] = { "top-right", N_ ("Top right") },
  [PLOT_LEGEND_TOP_LEFT] = { "top-left", N_ ("Top left") },
  [PLOT_LEGEND_BOTTOM_RIGHT] = { "bottom-right", N_ ("Bottom right") },
  [PLOT_LEGEND_BOTTOM_LEFT] = { "bottom-left", N_ ("Bottom left") },
  [PLOT_LEGEND_BESIDE] = { "beside", N_ ("Beside the diagram") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (plot_legends, N_LEGENDS);

static const KgChoice plot_functions[] = {
  [PLOT_VALUE] = { "value", N_ ("Value") },
  [PLOT_SLOPE] = { "slope", N_ ("Slope") },
  [PLOT_AREA] = { "area", N_ ("Area below") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (plot_functions, PLOT_N_FUNCTIONS);

/* Colours that people with any kind of colour vision tell apart (Okabe and Ito, Color Universal Design, 2008), as sRGB. */
static const uint8_t plot_palette[][3] = { { 0, 114, 178 },  { 213, 94, 0 },    { 0, 158, 115 },  { 230, 159, 0 },
                                           { 86, 180, 233 }, { 204, 121, 167 }, { 110, 110, 110 } };

/* The drawing while it is made: an sRGB picture of 8 bits, as text is best drawn. */
typedef struct {
  const Plot *node;
  GPtrArray *series;
  cairo_surface_t *surface;
  cairo_t *cairo;
  PangoFontMap *map;
  PangoContext *context;
  PlotAxis x, y;
  double left, top, right, bottom; /* of the diagram itself */
  double unit;                     /* the size of the font */
  double line_width, point_size;
} Page;

static void
plot_set_color (const Page *page, KgColor color)
{
  cairo_set_source_rgba (page->cairo, kg_srgb_encode (kg_clamp (color.r, 0, 1)),
                         kg_srgb_encode (kg_clamp (color.g, 0, 1)), kg_srgb_encode (kg_clamp (color.b, 0, 1)),
                         kg_clamp (color.a, 0, 1));
}

static void
plot_set_ink (const Page *page, double strength)
{
  KgColor ink = page->node->ink;

  ink.a *= strength;
  plot_set_color (page, ink);
}

static void
plot_set_series_color (const Page *page, guint index)
{
  const PlotSeries *series = (const PlotSeries *) g_ptr_array_index (page->series, index);
  const uint8_t *color = plot_palette[index % G_N_ELEMENTS (plot_palette)];

  if (series->colored)
    plot_set_color (page, series->color);
  else
    cairo_set_source_rgb (page->cairo, color[0] / 255.0, color[1] / 255.0, color[2] / 255.0);
}

/* Text. */

/* (transfer full) */
static PangoLayout *
plot_make_text (const Page *page, const char *text, bool markup, double scale, bool bold)
{
  PangoLayout *layout = pango_layout_new (page->context);
  PangoFontDescription *font = pango_font_description_from_string (PLOT_FONT);

  pango_font_description_set_absolute_size (font, scale * page->unit * PANGO_SCALE);
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
plot_get_size (PangoLayout *layout, double *width, double *height)
{
  int w, h;

  pango_layout_get_size (layout, &w, &h);
  *width = (double) w / PANGO_SCALE;
  *height = (double) h / PANGO_SCALE;
}

/* Its point at (share_x, share_y) of its size goes to (x, y).  Takes the layout. */
static void
plot_put_text (const Page *page, PangoLayout *layout, double x, double y, double share_x, double share_y)
{
  double width, height;

  plot_get_size (layout, &width, &height);
  cairo_move_to (page->cairo, x - share_x * width, y - share_y * height);
  pango_cairo_show_layout (page->cairo, layout);
  g_object_unref (layout);
}

/* Series. */

/* Labels typed, one a line, replace those that series have. */
static void
plot_name_series (const Plot *n, GPtrArray *series)
{
  g_auto (GStrv) lines = g_strsplit (n->labels, "\n", -1);

  for (guint i = 0; i < series->len && lines[i] != NULL; i++) {
    PlotSeries *one = (PlotSeries *) g_ptr_array_index (series, i);
    g_autofree char *line = g_strstrip (g_strdup (lines[i]));

    if (*line != '\0') {
      g_free (one->label);
      one->label = g_str_equal (line, "-") ? NULL : g_steal_pointer (&line);
    }
  }
}

static GPtrArray *
plot_gather (const Plot *n, GError **error)
{
  g_autoptr (GPtrArray) series = plot_series_new ();
  size_t total = 0;

  for (guint i = 0; i < n->motions.n; i++)
    plot_series_add_motion (series, n->motions.items[i].motion, (PlotFunction) n->function, (guint) n->samples);
  for (guint i = 0; i < n->tables.n; i++)
    if (!plot_series_add_table (series, n->tables.items[i].geometry, n->column_x, n->column_y, error)) {
      kg_prefix_error (error, "table %u: ", i + 1);
      return NULL;
    }
  for (guint i = 0; i < series->len; i++)
    total += ((const PlotSeries *) g_ptr_array_index (series, i))->points->len;
  if (total > PLOT_MAX_POINTS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu points are more than a diagram of %d shows: plot fewer, or fewer samples",
                  total, PLOT_MAX_POINTS);
    return NULL;
  }
  plot_name_series (n, series);
  return g_steal_pointer (&series);
}

/* Axes. */

typedef struct {
  double low, high;
  guint n_left_out;
} Extent;

static void
plot_extend (Extent *extent, double value, bool logarithmic)
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
plot_fit_axis (PlotAxis *axis, const char *name, bool logarithmic, double from, double to, const Extent *extent,
               bool margin, const KgContext *ctx, GError **error)
{
  axis->logarithmic = logarithmic;
  if (from != to) {
    if (logarithmic && !(fmin (from, to) > 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "%s from %g to %g cannot be logarithmic: give it ends above 0, or equal ends to fit the data", name,
                    from, to);
      return false;
    }
    plot_axis_fit (axis, fmin (from, to), fmax (from, to), false);
    return true;
  }
  if (extent->n_left_out > 0)
    kg_context_warn (ctx, "%u numbers that are not positive have no place on the logarithmic %s", extent->n_left_out,
                     name);
  if (extent->low <= extent->high)
    plot_axis_fit (axis, extent->low, extent->high, margin);
  else
    plot_axis_fit (axis, logarithmic ? 0.1 : 0, logarithmic ? 10 : 1, false);
  return true;
}

static bool
plot_fit_axes (Page *page, const KgContext *ctx, GError **error)
{
  const Plot *n = page->node;
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
      plot_extend (&x, p->x, n->x_log);
      plot_extend (&y, p->y, n->y_log);
    }
  }
  if (!any)
    kg_context_warn (ctx, "%s", _ ("there is nothing to plot: link a motion or a table"));
  return plot_fit_axis (&page->x, _ ("x axis"), n->x_log, n->x_from, n->x_to, &x, n->equal || n->tables.n > 0, ctx,
                        error) &&
         plot_fit_axis (&page->y, _ ("y axis"), n->y_log, n->y_from, n->y_to, &y, true, ctx, error);
}

/* Widens one of the axes so that a unit is as long on both. */
static void
plot_make_equal (Page *page)
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
plot_count_ticks (const Page *page, const PlotAxis *axis)
{
  const double place = axis == &page->x ? 5 * page->unit : 2.4 * page->unit;

  return (guint) kg_clamp (fabs (axis->end - axis->start) / place, 1, 1000);
}

/* The width of the widest number at the y axis. */
static double
plot_measure_numbers (const Page *page)
{
  g_autoptr (GArray) ticks = plot_axis_make_ticks (&page->y, plot_count_ticks (page, &page->y));
  double widest = 0;

  for (guint i = 0; i < ticks->len; i++) {
    const PlotTick *tick = &g_array_index (ticks, PlotTick, i);
    g_autofree char *text = tick->major ? plot_axis_format (&page->y, ticks, tick->value) : NULL;
    PangoLayout *layout;
    double width, height;

    if (text == NULL)
      continue;
    layout = plot_make_text (page, text, true, 1, false);
    plot_get_size (layout, &width, &height);
    widest = fmax (widest, width);
    g_object_unref (layout);
  }
  return widest;
}

static void
plot_draw_ticks (const Page *page, const PlotAxis *axis)
{
  const bool is_x = axis == &page->x;
  g_autoptr (GArray) ticks = plot_axis_make_ticks (axis, plot_count_ticks (page, axis));

  for (guint i = 0; i < ticks->len; i++) {
    const PlotTick *tick = &g_array_index (ticks, PlotTick, i);
    const double length = (tick->major ? 0.4 : 0.2) * page->unit;
    double at;

    if (!plot_axis_place (axis, tick->value, &at))
      continue;
    at = floor (at) + 0.5;
    cairo_set_line_width (page->cairo, fmax (0.06 * page->unit, 1));
    if (page->node->grid && tick->major) {
      plot_set_ink (page, 0.15);
      cairo_move_to (page->cairo, is_x ? at : page->left, is_x ? page->top : at);
      cairo_line_to (page->cairo, is_x ? at : page->right, is_x ? page->bottom : at);
      cairo_stroke (page->cairo);
    }
    plot_set_ink (page, 1);
    cairo_move_to (page->cairo, is_x ? at : page->left, is_x ? page->bottom : at);
    cairo_line_to (page->cairo, is_x ? at : page->left - length, is_x ? page->bottom + length : at);
    cairo_stroke (page->cairo);
    if (tick->major) {
      g_autofree char *text = plot_axis_format (axis, ticks, tick->value);
      PangoLayout *layout = plot_make_text (page, text, true, 1, false);

      if (is_x)
        plot_put_text (page, layout, at, page->bottom + 0.5 * page->unit, 0.5, 0);
      else
        plot_put_text (page, layout, page->left - 0.6 * page->unit, at, 1, 0.5);
    }
  }
}

/* Lines and points. */

static void
plot_draw_disc (const Page *page, double x, double y, double diameter)
{
  cairo_new_sub_path (page->cairo);
  cairo_arc (page->cairo, x, y, 0.5 * diameter, 0, 2 * G_PI);
}

/* False when cancelled. */
static bool
plot_draw_series (const Page *page, const KgContext *ctx, guint index)
{
  const PlotSeries *series = (const PlotSeries *) g_ptr_array_index (page->series, index);
  const Plot *n = page->node;
  bool broken = true;

  plot_set_series_color (page, index);
  cairo_new_path (page->cairo);
  for (guint i = 0; i < series->points->len && !series->loose; i++) {
    const PlotPoint *p = &g_array_index (series->points, PlotPoint, i);
    double x, y;

    if (i % 65536 == 65535 && kg_context_is_cancelled (ctx))
      return false;
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
  cairo_set_line_width (page->cairo, page->line_width);
  cairo_stroke (page->cairo);
  for (guint i = 0; i < series->points->len; i++) {
    const PlotPoint *p = &g_array_index (series->points, PlotPoint, i);
    double x, y;

    if (i % 1024 == 1023 && kg_context_is_cancelled (ctx))
      return false;
    if ((p->marked || n->points) && plot_axis_place (&page->x, p->x, &x) && plot_axis_place (&page->y, p->y, &y)) {
      plot_draw_disc (page, x, y, page->point_size);
      cairo_fill (page->cairo);
    }
  }
  return true;
}

/* The legend. */

/* How many points lie in a corner. */
static guint
plot_count_hidden (const Page *page, double left, double top, double width, double height)
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
plot_measure_legend (const Page *page, double *width, double *height)
{
  *width = *height = 0;
  for (guint i = 0; i < page->series->len; i++) {
    const char *const label = ((const PlotSeries *) g_ptr_array_index (page->series, i))->label;
    PangoLayout *layout;
    double w, h;

    if (label == NULL)
      continue;
    layout = plot_make_text (page, label, false, 1, false);
    plot_get_size (layout, &w, &h);
    g_object_unref (layout);
    *width = fmax (*width, w);
    *height += 1.15 * h;
  }
  *width += 4 * page->unit;
  *height += 0.8 * page->unit;
}

static void
plot_place_legend (const Page *page, double width, double height, double *left, double *top)
{
  const double gap = 0.6 * page->unit;
  const double lefts[] = { page->right - width - gap, page->left + gap },
               tops[] = { page->top + gap, page->bottom - height - gap };
  int corner = page->node->legend - PLOT_LEGEND_TOP_RIGHT;

  if (page->node->legend == PLOT_LEGEND_BESIDE) {
    *left = page->right + gap;
    *top = page->top;
    return;
  }
  if (page->node->legend == PLOT_LEGEND_AUTO) {
    guint least = G_MAXUINT;

    for (int i = 0; i < 4; i++) {
      const guint hidden = plot_count_hidden (page, lefts[i % 2], tops[i / 2], width, height);

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
plot_draw_legend (const Page *page)
{
  double width, height, left, top;

  plot_measure_legend (page, &width, &height);
  plot_place_legend (page, width, height, &left, &top);
  cairo_rectangle (page->cairo, left, top, width, height);
  plot_set_color (page, (KgColor){ page->node->background.r, page->node->background.g, page->node->background.b,
                                   0.8 * page->node->background.a });
  cairo_fill_preserve (page->cairo);
  plot_set_ink (page, 0.3);
  cairo_set_line_width (page->cairo, 1);
  cairo_stroke (page->cairo);
  top += 0.4 * page->unit;
  for (guint i = 0; i < page->series->len; i++) {
    const PlotSeries *series = (const PlotSeries *) g_ptr_array_index (page->series, i);
    PangoLayout *layout;
    double w, h;

    if (series->label == NULL)
      continue;
    layout = plot_make_text (page, series->label, false, 1, false);
    plot_get_size (layout, &w, &h);
    plot_set_series_color (page, i);
    if (series->loose) {
      plot_draw_disc (page, left + 1.6 * page->unit, top + 0.5 * h, page->point_size);
      cairo_fill (page->cairo);
    } else {
      cairo_set_line_width (page->cairo, page->line_width);
      cairo_move_to (page->cairo, left + 0.6 * page->unit, top + 0.5 * h);
      cairo_line_to (page->cairo, left + 2.6 * page->unit, top + 0.5 * h);
      cairo_stroke (page->cairo);
    }
    plot_set_ink (page, 1);
    plot_put_text (page, layout, left + 3.2 * page->unit, top, 0, 0);
    top += 1.15 * h;
  }
}

/* The page. */

static bool
plot_has_legend (const Page *page)
{
  guint n = 0;

  for (guint i = 0; i < page->series->len; i++)
    n += ((const PlotSeries *) g_ptr_array_index (page->series, i))->label != NULL;
  return page->node->legend != PLOT_LEGEND_NONE && n > (page->node->legend == PLOT_LEGEND_AUTO ? 1 : 0);
}

/* Room for title, labels and numbers around the diagram. */
static bool
plot_lay_out (Page *page, GError **error)
{
  const Plot *n = page->node;
  double legend_width = 0, legend_height;

  page->top = (*n->title != '\0' ? 2.6 : 1) * page->unit;
  page->bottom = (double) n->height - (*n->label_x != '\0' ? 3.8 : 2.2) * page->unit;
  page->y.start = page->bottom;
  page->y.end = page->top;
  if (plot_has_legend (page) && n->legend == PLOT_LEGEND_BESIDE) {
    plot_measure_legend (page, &legend_width, &legend_height);
    legend_width += 0.6 * page->unit;
  }
  page->right = (double) n->width - 1.5 * page->unit - legend_width;
  /* The numbers decide how wide the margin is, and with equal scales the width decides about the numbers: once is near
   * enough. */
  for (int i = 0; i < 2; i++) {
    page->left = plot_measure_numbers (page) + (*n->label_y != '\0' ? 2.9 : 1.3) * page->unit;
    page->x.start = page->left;
    page->x.end = page->right;
    if (page->right - page->left < 2 * page->unit || page->bottom - page->top < 2 * page->unit) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "%d × %d pixels leave no room for a diagram with letters of %g pixels: make it wider or font_size smaller",
          (int) n->width, (int) n->height, page->unit);
      return false;
    }
    if (i == 0 && n->equal && !n->x_log && !n->y_log)
      plot_make_equal (page);
  }
  return true;
}

static void
plot_draw_frame (const Page *page)
{
  const Plot *n = page->node;

  plot_draw_ticks (page, &page->x);
  plot_draw_ticks (page, &page->y);
  plot_set_ink (page, 1);
  cairo_set_line_width (page->cairo, fmax (0.08 * page->unit, 1));
  cairo_rectangle (page->cairo, floor (page->left) + 0.5, floor (page->top) + 0.5,
                   floor (page->right) - floor (page->left), floor (page->bottom) - floor (page->top));
  cairo_stroke (page->cairo);
  plot_put_text (page, plot_make_text (page, n->title, false, 1.2, true), 0.5 * (page->left + page->right),
                 1.4 * page->unit, 0.5, 0.5);
  plot_put_text (page, plot_make_text (page, n->label_x, false, 1, false), 0.5 * (page->left + page->right),
                 (double) n->height - 0.5 * page->unit, 0.5, 1);
  cairo_save (page->cairo);
  cairo_translate (page->cairo, 0.5 * page->unit, 0.5 * (page->top + page->bottom));
  cairo_rotate (page->cairo, -G_PI / 2);
  plot_put_text (page, plot_make_text (page, n->label_y, false, 1, false), 0, 0, 0.5, 0);
  cairo_restore (page->cairo);
}

static bool
plot_draw (Page *page, const KgContext *ctx, GError **error)
{
  const Plot *n = page->node;
  bool good = true;
  double at;

  if (!plot_fit_axes (page, ctx, error) || !plot_lay_out (page, error))
    return false;
  plot_set_color (page, n->background);
  cairo_set_operator (page->cairo, CAIRO_OPERATOR_SOURCE);
  cairo_paint (page->cairo);
  cairo_set_operator (page->cairo, CAIRO_OPERATOR_OVER);
  plot_draw_frame (page);
  cairo_save (page->cairo);
  cairo_rectangle (page->cairo, page->left, page->top, page->right - page->left, page->bottom - page->top);
  cairo_clip (page->cairo);
  cairo_set_line_join (page->cairo, CAIRO_LINE_JOIN_ROUND);
  if (n->mark && plot_axis_place (&page->x, n->mark_at, &at)) {
    plot_set_ink (page, 0.5);
    cairo_set_line_width (page->cairo, page->line_width);
    cairo_move_to (page->cairo, at, page->top);
    cairo_line_to (page->cairo, at, page->bottom);
    cairo_stroke (page->cairo);
  }
  for (guint i = 0; good && i < page->series->len; i++)
    good = plot_draw_series (page, ctx, i);
  cairo_restore (page->cairo);
  if (good && plot_has_legend (page))
    plot_draw_legend (page);
  return good;
}

/* From cairo's premultiplied sRGB to premultiplied linear light. */
static KgImage *
plot_make_image (cairo_surface_t *surface, int width, int height, GError **error)
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

static bool
plot_evaluate (Plot *n, const KgContext *ctx, GError **error)
{
  g_autoptr (GPtrArray) series = plot_gather (n, error);
  Page page = { .node = n, .series = series };
  cairo_status_t status;
  bool good;

  if (series == NULL)
    return false;
  page.unit = n->font_size * (double) n->height;
  page.line_width = n->line_width * (double) n->height;
  page.point_size = n->point_size * (double) n->height;
  page.surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) n->width, (int) n->height);
  status = cairo_surface_status (page.surface);
  if (status != CAIRO_STATUS_SUCCESS || (size_t) n->width * (size_t) n->height > KG_IMAGE_MAX_PIXELS) {
    kg_set_error (error, KG_ERROR_LIMIT, "a diagram of %d × %d pixels is too large: make it smaller", (int) n->width,
                  (int) n->height);
    cairo_surface_destroy (page.surface);
    return false;
  }
  page.cairo = cairo_create (page.surface);
  /* A map of its own: the default one belongs to a thread. */
  page.map = pango_cairo_font_map_new ();
  page.context = pango_font_map_create_context (page.map);
  {
    PangoFontDescription *font = pango_font_description_from_string (PLOT_FONT);
    GError *warning = NULL;

    font_fallback_check (page.context, font, &warning);
    kg_context_take_warning (ctx, warning);
    pango_font_description_free (font);
  }
  good = plot_draw (&page, ctx, error);
  if (good)
    n->image = plot_make_image (page.surface, (int) n->width, (int) n->height, error);
  n->n_series = series->len;
  g_object_unref (page.context);
  g_object_unref (page.map);
  cairo_destroy (page.cairo);
  cairo_surface_destroy (page.surface);
  return good && n->image != NULL;
}

static const KgSlot plot_slots[] = {
  KG_INPUTS (Plot, motions, MOTION, .label = N_ ("Motions"), .optional = true,
             .help = N_ ("Each component of each channel is a line over the channel's time; keys are discs.")),
  KG_INPUTS (Plot, tables, GEOMETRY, .label = N_ ("Tables"), .optional = true,
             .help = N_ ("Geometries whose points are rows and whose attributes are columns: each polyline is a line, "
                         "loose points are discs. The primitive attributes name and Cd label and colour a line; "
                         "Cd of points colours discs.")),
  KG_INPUT (Plot, function, CHOICE, .label = N_ ("Of motions"), .choices = plot_functions,
            .help = N_ ("What is shown of motions: their value, how fast it changes, or the sum from the start.")),
  KG_INPUT (Plot, samples, INTEGER, .label = N_ ("Samples"), .def = 256, .min = 2, .max = 100000, .soft_max = 1000,
            .help = N_ ("Points of a line that shows a motion, besides its keys.")),
  KG_INPUT (Plot, column_x, TEXT, .label = N_ ("x column"), .def_text = "P.x",
            .help = N_ ("Of tables: what runs to the right: an attribute with its component, such as P.x or v.y, or "
                        "index for the number of the point.")),
  KG_INPUT (Plot, column_y, TEXT, .label = N_ ("y columns"), .def_text = "P.y",
            .help = N_ ("Of tables: what runs up; several, separated by blanks, make several lines.")),
  KG_INPUT (Plot, title, TEXT, .label = N_ ("Title"), .help = N_ ("Above the diagram.")),
  KG_INPUT (Plot, label_x, TEXT, .label = N_ ("x label"), .help = N_ ("Below the diagram.")),
  KG_INPUT (Plot, label_y, TEXT, .label = N_ ("y label"), .help = N_ ("On its left, reading upwards.")),
  KG_INPUT (Plot, labels, TEXT, .label = N_ ("Labels"), .multiline = true,
            .help = N_ ("Names in the legend, one a line, in the order of the series: motions first. A line left empty "
                        "keeps the name that the series has; - leaves it out of the legend.")),
  KG_INPUT (Plot, legend, CHOICE, .label = N_ ("Legend"), .choices = plot_legends,
            .help = N_ ("Where the names are. By default only where there are several.")),
  KG_INPUT (Plot, x_from, NUMBER, .label = N_ ("x from"), .group = N_ ("Axes"),
            .help = N_ ("The left end. Equal ends fit the data.")),
  KG_INPUT (Plot, x_to, NUMBER, .label = N_ ("x to"), .group = N_ ("Axes"), .help = N_ ("The right end.")),
  KG_INPUT (Plot, y_from, NUMBER, .label = N_ ("y from"), .group = N_ ("Axes"),
            .help = N_ ("The lower end. Equal ends fit the data.")),
  KG_INPUT (Plot, y_to, NUMBER, .label = N_ ("y to"), .group = N_ ("Axes"), .help = N_ ("The upper end.")),
  KG_INPUT (Plot, x_log, BOOLEAN, .label = N_ ("Logarithmic x"), .group = N_ ("Axes"),
            .help = N_ ("Equal steps are equal factors. Numbers that are not positive are left out.")),
  KG_INPUT (Plot, y_log, BOOLEAN, .label = N_ ("Logarithmic y"), .group = N_ ("Axes"),
            .help = N_ ("Equal steps are equal factors. Numbers that are not positive are left out.")),
  KG_INPUT (Plot, equal, BOOLEAN, .label = N_ ("Equal scales"), .group = N_ ("Axes"),
            .help = N_ ("A unit is as long upwards as to the right: for paths and shapes.")),
  KG_INPUT (Plot, grid, BOOLEAN, .label = N_ ("Grid"), .def = 1, .group = N_ ("Axes"),
            .help = N_ ("Faint lines at the numbers.")),
  KG_INPUT (Plot, mark, BOOLEAN, .label = N_ ("Mark"), .group = N_ ("Axes"), .help = N_ ("An upright line.")),
  KG_INPUT (Plot, mark_at, NUMBER, .label = N_ ("Mark at"), .group = N_ ("Axes"), .shown_when = "mark=true",
            .help = N_ ("Where it is: the expression t shows where the film is now.")),
  KG_INPUT (Plot, width, INTEGER, .label = N_ ("Width"), .unit = KG_PIXELS, .def = 640, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 3840, .group = N_ ("Look"), .help = N_ ("Of the picture.")),
  KG_INPUT (Plot, height, INTEGER, .label = N_ ("Height"), .unit = KG_PIXELS, .def = 400, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160, .group = N_ ("Look"), .help = N_ ("Of the picture.")),
  KG_INPUT (Plot, font_size, NUMBER, .label = N_ ("Letters"), .unit = KG_PERCENT, .def = 0.0325, .min = 0.001, .max = 1,
            .soft_min = 0.01, .soft_max = 0.1, .group = N_ ("Look"),
            .help = N_ ("Their size, of the height of the picture; margins follow.")),
  KG_INPUT (Plot, line_width, NUMBER, .label = N_ ("Line width"), .unit = KG_PERCENT, .def = 0.005, .min = 1e-4,
            .max = 1, .soft_max = 0.02, .group = N_ ("Look"), .help = N_ ("Of the series, of the height.")),
  KG_INPUT (Plot, point_size, NUMBER, .label = N_ ("Point size"), .unit = KG_PERCENT, .def = 0.015, .min = 1e-4,
            .max = 1, .soft_max = 0.05, .group = N_ ("Look"), .help = N_ ("Diameter of discs, of the height.")),
  KG_INPUT (Plot, points, BOOLEAN, .label = N_ ("All points"), .group = N_ ("Look"),
            .help = N_ ("A disc at each point of a line, too.")),
  KG_INPUT (Plot, ink, COLOR, .label = N_ ("Ink"), .def_v = { 0.02, 0.02, 0.02, 1 }, .group = N_ ("Look"),
            .help = N_ ("Of text and axes.")),
  KG_INPUT (Plot, background, COLOR, .label = N_ ("Background"), .def_v = { 1, 1, 1, 1 }, .group = N_ ("Look"),
            .help = N_ ("Behind everything.")),
  KG_OUTPUT (Plot, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The diagram.")),
  KG_OUTPUT (Plot, n_series, INTEGER, .label = N_ ("Series"), .help = N_ ("How many are drawn.")),
};

KG_NODE (render, plot, Plot, .label = N_ ("Plot"), .version = 1, .since = "0.1",
         .tags = N_ ("diagram chart graph axes table scatter legend curve measure"),
         .help = N_ ("Draws motions and tables as lines and points between axes with numbers. Link an ease to see its "
                     "shape, or geometry whose points carry measurements to see how they depend on each other."));

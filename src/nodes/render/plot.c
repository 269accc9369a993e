/* render/plot: motions and tables as a diagram.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "render/plot_page.h"

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

static const KgChoice plot_legends[] = {
  [PLOT_LEGEND_AUTO] = { "auto", N_ ("Where it covers the least") },
  [PLOT_LEGEND_NONE] = { "none", N_ ("None") },
  [PLOT_LEGEND_TOP_RIGHT] = { "top-right", N_ ("Top right") },
  [PLOT_LEGEND_TOP_LEFT] = { "top-left", N_ ("Top left") },
  [PLOT_LEGEND_BOTTOM_RIGHT] = { "bottom-right", N_ ("Bottom right") },
  [PLOT_LEGEND_BOTTOM_LEFT] = { "bottom-left", N_ ("Bottom left") },
  [PLOT_LEGEND_BESIDE] = { "beside", N_ ("Beside the plot") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (plot_legends, PLOT_N_LEGENDS);

static const KgChoice plot_functions[] = {
  [PLOT_VALUE] = { "value", N_ ("Value") },
  [PLOT_SLOPE] = { "slope", N_ ("Slope") },
  [PLOT_AREA] = { "area", N_ ("Integral") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (plot_functions, PLOT_N_FUNCTIONS);

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
plot_gather (const Plot *n, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (GPtrArray) series = plot_series_new ();
  size_t total = 0;

  for (guint i = 0; i < n->motions.n; i++)
    if (!plot_series_add_motion (series, n->motions.items[i].motion, (PlotFunction) n->function, (guint) n->samples,
                                 monitor))
      return NULL;
  for (guint i = 0; i < n->tables.n; i++)
    if (!plot_series_add_table (series, n->tables.items[i].geometry, n->column_x, n->column_y, monitor, error)) {
      kg_prefix_error (error, "table %u: ", i + 1);
      return NULL;
    }
  for (guint i = 0; i < series->len; i++)
    total += ((const PlotSeries *) g_ptr_array_index (series, i))->points->len;
  if (total > PLOT_MAX_POINTS) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%zu points are too many for a plot, which shows at most %d: plot fewer series, or use fewer samples",
                  total, PLOT_MAX_POINTS);
    return NULL;
  }
  plot_name_series (n, series);
  return g_steal_pointer (&series);
}

static bool
plot_evaluate (Plot *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const double height = (double) n->height;
  const PlotStyle style = { .width = (int) n->width,
                            .height = (int) n->height,
                            .font_size = n->font_size * height,
                            .line_width = n->line_width * height,
                            .point_size = n->point_size * height,
                            .title = n->title,
                            .label_x = n->label_x,
                            .label_y = n->label_y,
                            .legend = (PlotLegend) n->legend,
                            .x_from = n->x_from,
                            .x_to = n->x_to,
                            .y_from = n->y_from,
                            .y_to = n->y_to,
                            .x_log = n->x_log,
                            .y_log = n->y_log,
                            .x_margin = n->tables.n > 0,
                            .equal = n->equal,
                            .grid = n->grid,
                            .points = n->points,
                            .mark = n->mark,
                            .mark_at = n->mark_at,
                            .ink = n->ink,
                            .background = n->background };
  g_autoptr (GPtrArray) series = plot_gather (n, &monitor, error), warnings = g_ptr_array_new ();

  if (series == NULL)
    return false;
  n->image = plot_page_draw (&style, series, warnings, &monitor, error);
  for (guint i = 0; i < warnings->len; i++)
    kg_context_take_warning (ctx, (GError *) g_ptr_array_index (warnings, i));
  n->n_series = series->len;
  return n->image != NULL;
}

static const KgSlot plot_slots[] = {
  KG_INPUTS (
      Plot, motions, MOTION, .label = N_ ("Motions"), .optional = true,
      .help =
          N_ ("Each component of each channel is drawn as a line over the channel's time; keys are drawn as discs.")),
  KG_INPUTS (
      Plot, tables, GEOMETRY, .label = N_ ("Tables"), .optional = true,
      .help = N_ (
          "Geometries whose points are rows and whose attributes are columns: each polyline is drawn as a line, loose points as discs. The primitive attributes name and Cd set the label and colour of a line; Cd of points sets the colour of discs.")),
  KG_INPUT (Plot, function, CHOICE, .label = N_ ("Quantity"), .choices = plot_functions,
            .help = N_ ("What is shown of motions: the value, its rate of change, or its integral from the start.")),
  KG_INPUT (Plot, samples, INTEGER, .label = N_ ("Samples"), .def = 256, .min = 2, .max = 100000, .soft_max = 1000,
            .help = N_ ("Number of points of a line that shows a motion, in addition to its keys.")),
  KG_INPUT (
      Plot, column_x, TEXT, .label = N_ ("x column"), .def_text = "P.x",
      .help = N_ (
          "The attribute of tables on the x axis, with its component, such as P.x or v.y, or index for the index of the point.")),
  KG_INPUT (Plot, column_y, TEXT, .label = N_ ("y columns"), .def_text = "P.y",
            .help = N_ ("The attributes of tables on the y axis; several, separated by blanks, make several lines.")),
  KG_INPUT (Plot, title, TEXT, .label = N_ ("Title"), .help = N_ ("Title above the plot.")),
  KG_INPUT (Plot, label_x, TEXT, .label = N_ ("x label"), .help = N_ ("Label below the x axis.")),
  KG_INPUT (Plot, label_y, TEXT, .label = N_ ("y label"),
            .help = N_ ("Label to the left of the y axis, reading upwards.")),
  KG_INPUT (
      Plot, labels, TEXT, .label = N_ ("Labels"), .multiline = true,
      .help = N_ (
          "Names in the legend, one per line, in the order of the series: motions first. An empty line keeps the name of the series; - omits it from the legend.")),
  KG_INPUT (Plot, legend, CHOICE, .label = N_ ("Legend"), .choices = plot_legends,
            .help = N_ ("Position of the legend. By default it is shown only if there are several names.")),
  KG_INPUT (Plot, x_from, NUMBER, .label = N_ ("x from"), .group = N_ ("Axes"),
            .help = N_ ("Left end of the x axis. Equal ends fit the data.")),
  KG_INPUT (Plot, x_to, NUMBER, .label = N_ ("x to"), .group = N_ ("Axes"), .help = N_ ("Right end of the x axis.")),
  KG_INPUT (Plot, y_from, NUMBER, .label = N_ ("y from"), .group = N_ ("Axes"),
            .help = N_ ("Lower end of the y axis. Equal ends fit the data.")),
  KG_INPUT (Plot, y_to, NUMBER, .label = N_ ("y to"), .group = N_ ("Axes"), .help = N_ ("Upper end of the y axis.")),
  KG_INPUT (Plot, x_log, BOOLEAN, .label = N_ ("Logarithmic x"), .group = N_ ("Axes"),
            .help = N_ ("Equal steps are equal factors. Values that are not positive are omitted.")),
  KG_INPUT (Plot, y_log, BOOLEAN, .label = N_ ("Logarithmic y"), .group = N_ ("Axes"),
            .help = N_ ("Equal steps are equal factors. Values that are not positive are omitted.")),
  KG_INPUT (Plot, equal, BOOLEAN, .label = N_ ("Equal scales"), .group = N_ ("Axes"),
            .help = N_ ("Uses the same scale for both axes: for paths and shapes.")),
  KG_INPUT (Plot, grid, BOOLEAN, .label = N_ ("Grid"), .def = 1, .group = N_ ("Axes"),
            .help = N_ ("Draws faint lines at the numbers.")),
  KG_INPUT (Plot, mark, BOOLEAN, .label = N_ ("Marker"), .group = N_ ("Axes"), .help = N_ ("Draws a vertical line.")),
  KG_INPUT (Plot, mark_at, NUMBER, .label = N_ ("Marker position"), .group = N_ ("Axes"), .shown_when = "mark=true",
            .help = N_ ("Position of the marker: the expression t follows the current time.")),
  KG_INPUT (Plot, width, INTEGER, .label = N_ ("Width"), .unit = KG_PIXELS, .def = 640, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 3840, .group = N_ ("Appearance"), .help = N_ ("Size of the image.")),
  KG_INPUT (Plot, height, INTEGER, .label = N_ ("Height"), .unit = KG_PIXELS, .def = 400, .min = 1,
            .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160, .group = N_ ("Appearance"), .help = N_ ("Size of the image.")),
  KG_INPUT (Plot, font_size, NUMBER, .label = N_ ("Letters"), .unit = KG_PERCENT, .def = 0.0325, .min = 0.001, .max = 1,
            .soft_min = 0.01, .soft_max = 0.1, .group = N_ ("Appearance"),
            .help = N_ ("Text size, as a fraction of the height of the image; the margins adapt to it.")),
  KG_INPUT (Plot, line_width, NUMBER, .label = N_ ("Line width"), .unit = KG_PERCENT, .def = 0.005, .min = 1e-4,
            .max = 1, .soft_max = 0.02, .group = N_ ("Appearance"),
            .help = N_ ("Width of the lines, as a fraction of the height.")),
  KG_INPUT (Plot, point_size, NUMBER, .label = N_ ("Point size"), .unit = KG_PERCENT, .def = 0.015, .min = 1e-4,
            .max = 1, .soft_max = 0.05, .group = N_ ("Appearance"),
            .help = N_ ("Diameter of the discs, as a fraction of the height.")),
  KG_INPUT (Plot, points, BOOLEAN, .label = N_ ("All points"), .group = N_ ("Appearance"),
            .help = N_ ("Draws a disc at each point of a line too.")),
  KG_INPUT (Plot, ink, COLOR, .label = N_ ("Foreground"), .def_v = { 0.02, 0.02, 0.02, 1 }, .group = N_ ("Appearance"),
            .help = N_ ("Colour of text and axes.")),
  KG_INPUT (Plot, background, COLOR, .label = N_ ("Background"), .def_v = { 1, 1, 1, 1 }, .group = N_ ("Appearance"),
            .help = N_ ("Colour behind everything.")),
  KG_OUTPUT (Plot, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The plot.")),
  KG_OUTPUT (Plot, n_series, INTEGER, .label = N_ ("Series"), .help = N_ ("Number of series drawn.")),
};

KG_NODE (
    render, plot, Plot, .label = N_ ("Plot"), .version = 1, .since = "0.1",
    .tags = N_ ("diagram chart graph axes table scatter legend curve measure"),
    .help = N_ (
        "Plots motions and tables as lines and points between numbered axes. Link an ease to see its shape, or geometry whose points hold measurements to see how they are related."));

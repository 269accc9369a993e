/* plot_series: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/plot_series.h"

/* Points or lines between two checks for cancelling. */
#define ASK 256

static void
series_free (gpointer data)
{
  PlotSeries *series = (PlotSeries *) data;

  g_free (series->label);
  g_array_unref (series->points);
  g_free (series);
}

GPtrArray *
plot_series_new (void)
{
  return g_ptr_array_new_with_free_func (series_free);
}

/* Takes label.  n: about how many points it will have. */
static PlotSeries *
add_series (GPtrArray *all, char *label, guint n)
{
  PlotSeries *series = g_new0 (PlotSeries, 1);

  series->label = label;
  series->points = g_array_sized_new (FALSE, FALSE, sizeof (PlotPoint), n);
  g_ptr_array_add (all, series);
  return series;
}

/* Motions. */

static double
get_value (const KgChannel *channel, PlotFunction function, double low, double at, guint component)
{
  double x[KG_CHANNEL_MAX_WIDTH] = { 0 };

  switch (function) {
  case PLOT_SLOPE:
    kg_channel_differentiate (channel, at, x);
    break;
  case PLOT_AREA:
    kg_channel_integrate (channel, low, at, x);
    break;
  case PLOT_VALUE:
  default:
    kg_channel_evaluate (channel, at, x);
    break;
  }
  return x[component];
}

static int
compare_points (gconstpointer a, gconstpointer b)
{
  const PlotPoint *p = (const PlotPoint *) a, *q = (const PlotPoint *) b;

  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->marked > q->marked) - (p->marked < q->marked);
}

/* False when cancelled. */
static bool
add_component (PlotSeries *series, const KgChannel *channel, PlotFunction function, guint component, guint n,
               const KgProgressMonitor *monitor)
{
  double low, high;
  gsize n_keys;
  const KgKey *keys = kg_channel_get_keys (channel, &n_keys);

  kg_channel_get_range (channel, &low, &high);
  for (guint i = 0; i < n; i++) {
    const double at = low + (high - low) * i / MAX (n - 1, 1);
    const PlotPoint point = { at, get_value (channel, function, low, at, component), false, false };

    if (i % ASK == ASK - 1 && kg_progress_is_cancelled (monitor))
      return false;
    g_array_append_val (series->points, point);
  }
  for (gsize i = 0; i < n_keys; i++) {
    const double at = keys[i].at, before = nextafter (at, -INFINITY);
    const PlotPoint key = { at, get_value (channel, function, low, at, component), false, function == PLOT_VALUE };

    if (i % ASK == ASK - 1 && kg_progress_is_cancelled (monitor))
      return false;
    /* What a step comes from. */
    if (before >= low) {
      const PlotPoint end = { before, get_value (channel, function, low, before, component), false, false };

      g_array_append_val (series->points, end);
    }
    g_array_append_val (series->points, key);
  }
  g_array_sort (series->points, compare_points);
  return true;
}

bool
plot_series_add_motion (GPtrArray *series, const KgMotion *motion, PlotFunction function, guint n,
                        const KgProgressMonitor *monitor)
{
  for (guint c = 0; c < kg_motion_get_n_channels (motion); c++) {
    const KgChannel *channel = kg_motion_get_channel (motion, c);
    const char *name = kg_motion_get_name (motion, c);
    const guint width = kg_channel_get_width (channel);
    const char *const components = kg_channel_is_rotation (channel) ? "wxyz" : width == 4 ? "rgba" : "xyzw";

    if (kg_channel_is_rotation (channel) && function == PLOT_AREA)
      continue;
    for (guint k = 0; k < width; k++) {
      char *label = width == 1 ? g_strdup (name) : g_strdup_printf ("%s.%c", name, components[k]);

      if (!add_component (add_series (series, label, n), channel, function, k, n, monitor))
        return false;
    }
  }
  return true;
}

/* Tables. */

typedef struct {
  KgAttribute attribute; /* data NULL: the number of the point */
  guint component;
} Column;

static bool
find_column (const KgGeometry *table, const char *name, Column *column, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (name, ".", 2);
  const char *const component = parts[0] != NULL ? parts[1] : NULL;
  static const char *const letters[] = { "xr", "yg", "zb", "wa" };
  guint64 number = 0;

  *column = (Column){ { 0 }, 0 };
  if (g_str_equal (name, "index"))
    return true;
  if (parts[0] == NULL || !kg_geometry_find_attribute (table, KG_POINTS, parts[0], &column->attribute) ||
      column->attribute.scalar == KG_STRING) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                  "the points have no numeric attribute \"%s\": give an attribute that they have, or index", name);
    return false;
  }
  if (component == NULL && column->attribute.size == 1)
    return true;
  for (guint i = 0; component != NULL && i < G_N_ELEMENTS (letters) && i < column->attribute.size; i++)
    if (component[0] != '\0' && component[1] == '\0' && strchr (letters[i], component[0]) != NULL) {
      column->component = i;
      return true;
    }
  if (component != NULL && g_ascii_string_to_unsigned (component, 10, 0, column->attribute.size - 1u, &number, NULL)) {
    column->component = (guint) number;
    return true;
  }
  kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "\"%s\" has %u components: specify one, as in %s.x or %s.0", parts[0],
                column->attribute.size, parts[0], parts[0]);
  return false;
}

static double
read_column (const Column *column, size_t point)
{
  const size_t at = column->attribute.size * point + column->component;

  if (column->attribute.data == NULL)
    return (double) point;
  return column->attribute.scalar == KG_INT32 ? (double) ((const int32_t *) column->attribute.data)[at]
                                              : (double) ((const float *) column->attribute.data)[at];
}

static void
set_color (PlotSeries *series, const KgGeometry *table, KgDomain domain, size_t element)
{
  for (uint8_t size = 3; size <= 4; size++) {
    const float *color = kg_geometry_get_float (table, domain, "Cd", size);

    if (color == NULL)
      continue;
    color += size * element;
    series->colored = true;
    series->color =
        (KgColor){ (double) color[0], (double) color[1], (double) color[2], size == 4 ? (double) color[3] : 1 };
  }
}

static void
add_line (GPtrArray *series, const KgGeometry *table, size_t index, const Column *x, const Column *y, const char *name,
          uint8_t *used)
{
  const char *label = kg_geometry_get_text (table, KG_PRIMITIVES, "name", index);
  KgPrimitive primitive;
  PlotSeries *line;

  kg_geometry_get_primitive (table, index, &primitive);
  line = add_series (series, g_strdup (label != NULL && *label != '\0' ? label : name), primitive.n_vertices + 1);
  set_color (line, table, KG_PRIMITIVES, index);
  for (uint32_t i = 0; i < primitive.n_vertices + (primitive.closed || primitive.kind == KG_POLYGON ? 1 : 0); i++) {
    const size_t at = primitive.vertices[i % primitive.n_vertices];
    const PlotPoint point = { read_column (x, at), read_column (y, at), i == 0, false };

    used[at] = 1;
    g_array_append_val (line->points, point);
  }
}

bool
plot_series_add_table (GPtrArray *series, const KgGeometry *table, const char *x, const char *y,
                       const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = kg_geometry_get_n_points (table);
  g_auto (GStrv) names = g_strsplit_set (y, " \t\n", -1);
  Column column_x;

  if (!find_column (table, x, &column_x, error))
    return false;
  for (guint k = 0; names[k] != NULL; k++) {
    g_autofree uint8_t *used = g_new0 (uint8_t, MAX (n, 1));
    PlotSeries *loose = NULL;
    Column column_y;

    if (*names[k] == '\0')
      continue;
    if (!find_column (table, names[k], &column_y, error))
      return false;
    for (size_t i = 0; i < kg_geometry_get_n_primitives (table); i++) {
      if (i % ASK == ASK - 1 && kg_progress_is_cancelled (monitor))
        return false;
      add_line (series, table, i, &column_x, &column_y, names[k], used);
    }
    for (size_t i = 0; i < n; i++)
      if (!used[i]) {
        const PlotPoint point = { read_column (&column_x, i), read_column (&column_y, i), true, true };

        if (loose == NULL) {
          loose = add_series (series, g_strdup (names[k]), 1);
          loose->loose = true;
          set_color (loose, table, KG_POINTS, i);
        }
        g_array_append_val (loose->points, point);
      }
  }
  return true;
}

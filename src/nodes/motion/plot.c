/* motion/plot: a motion drawn as a curve over its time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "motion/pieces.h"

typedef struct {
  const KgMotion *motion;
  const char *channel;
  int64_t component;
  int quantity;
  KgVector center;
  double width;
  double height;
  double low;
  double high;
  int64_t samples;
  double at;
  KgGeometry *curve;
  KgGeometry *frame;
  KgVector marker;
  double lowest;
  double highest;
} Plot;

enum { QUANTITY_VALUE, QUANTITY_SLOPE, QUANTITY_BEND, QUANTITY_SUM, N_QUANTITIES };

static const KgChoice plot_quantities[] = {
  [QUANTITY_VALUE] = { "value", N_ ("Value") },
  [QUANTITY_SLOPE] = { "derivative", N_ ("Derivative: how fast it changes") },
  [QUANTITY_BEND] = { "second-derivative", N_ ("Second derivative: how fast that changes") },
  [QUANTITY_SUM] = { "integral", N_ ("Integral: accumulated value") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (plot_quantities, N_QUANTITIES);

/* The drawn function as pieces, and which of their derivatives is meant. */
static Pieces *
plot_read (const Plot *n, guint *order, GError **error)
{
  const KgChannel *channel;
  g_autoptr (Pieces) pieces = NULL;

  if (kg_motion_get_n_channels (n->motion) == 0) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "the motion is empty: set keys on it, or link a motion with channels");
    return NULL;
  }
  channel = n->channel[0] == '\0' ? kg_motion_get_channel (n->motion, 0) : kg_motion_find (n->motion, n->channel);
  if (channel == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the motion has no channel \"%s\": its first channel is %s",
                  n->channel, kg_motion_get_name (n->motion, 0));
    return NULL;
  }
  if (n->component >= kg_channel_get_width (channel)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "component %d is out of range: the channel has %u components, counted from 0", (int) n->component,
                  kg_channel_get_width (channel));
    return NULL;
  }
  pieces = pieces_new_channel (channel, (guint) n->component, error);
  if (pieces == NULL)
    return NULL;
  *order = n->quantity == QUANTITY_SLOPE ? 1 : n->quantity == QUANTITY_BEND ? 2 : 0;
  return n->quantity == QUANTITY_SUM ? pieces_new_integral (pieces, 0) : g_steal_pointer (&pieces);
}

/* Points of the curve, in its own measure; a new run begins where it jumps. */
typedef struct {
  GArray *points; /* x, y */
  GArray *starts; /* guint: of runs */
} Drawn;

static Drawn
plot_sample (const Plot *n, const Pieces *pieces, guint order)
{
  const double range = pieces->breaks[pieces->n] - pieces->breaks[0];
  Drawn drawn = { g_array_new (FALSE, FALSE, 2 * sizeof (double)), g_array_new (FALSE, FALSE, sizeof (guint)) };
  double size = 0, last = NAN;

  for (gsize i = 0; i < pieces->n; i++) {
    const double h = pieces->breaks[i + 1] - pieces->breaks[i];
    const guint steps = (guint) kg_clamp (ceil ((double) n->samples * h / range), 1, (double) n->samples);
    const double first = pieces_evaluate_in (pieces, i, 0, order);
    const bool jumps = !(fabs (first - last) <= 1e-6 * size);

    /* Slivers beside a corner that was closed in on: their slopes are nothing but rounding. */
    if (order > 0 && h * (double) pieces->n < 1e-3 * range)
      continue;

    if (jumps)
      g_array_append_val (drawn.starts, drawn.points->len);
    for (guint k = jumps ? 0 : 1; k <= steps; k++) {
      const double u = (double) k / steps;
      const double point[] = { pieces->breaks[i] + h * u, pieces_evaluate_in (pieces, i, u, order) };

      g_array_append_vals (drawn.points, point, 1);
      size = fmax (size, fabs (point[1]));
      last = point[1];
    }
  }
  return drawn;
}

/* The vertical range: as given, or that of the curve with zero in it. */
static void
plot_find_range (Plot *n, const Drawn *drawn)
{
  const double *points = (const double *) (void *) drawn->points->data;

  n->lowest = INFINITY;
  n->highest = -INFINITY;
  for (guint i = 0; i < drawn->points->len; i++) {
    n->lowest = fmin (n->lowest, points[2 * i + 1]);
    n->highest = fmax (n->highest, points[2 * i + 1]);
  }
  if (n->high > n->low)
    return;
  n->low = fmin (0, n->lowest);
  n->high = fmax (0, n->highest);
  if (!(n->high > n->low))
    n->high = n->low + 1;
}

static KgVector
plot_place (const Plot *n, double x, double y)
{
  return kg_vector_add (n->center,
                        kg_vector ((x - 0.5) * n->width, ((y - n->low) / (n->high - n->low) - 0.5) * n->height, 0));
}

static KgGeometry *
plot_draw_curve (const Plot *n, const Drawn *drawn, const Pieces *pieces, GError **error)
{
  const double first = pieces->breaks[0], range = pieces->breaks[pieces->n] - first;
  const double *points = (const double *) (void *) drawn->points->data;
  g_autofree uint32_t *vertices = g_new (uint32_t, drawn->points->len);
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  float *p;

  if (!kg_geometry_set_n_points (geometry, drawn->points->len, error))
    return NULL;
  p = kg_geometry_edit_positions (geometry);
  for (guint i = 0; i < drawn->points->len; i++) {
    kg_floats_set_vector (p, i, plot_place (n, (points[2 * i] - first) / range, points[2 * i + 1]));
    vertices[i] = i;
  }
  for (guint r = 0; r < drawn->starts->len; r++) {
    const guint start = g_array_index (drawn->starts, guint, r);
    const guint end = r + 1 < drawn->starts->len ? g_array_index (drawn->starts, guint, r + 1) : drawn->points->len;

    if (end - start > 1)
      kg_geometry_add_primitives (geometry, KG_POLYLINE, false, 1, end - start, vertices + start);
  }
  return g_steal_pointer (&geometry);
}

/* The box around, and the line of zero where it is inside. */
static KgGeometry *
plot_draw_frame (const Plot *n, GError **error)
{
  static const uint32_t box[] = { 0, 1, 2, 3 }, zero[] = { 4, 5 };
  const bool inside = n->low < 0 && n->high > 0;
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  float *p;

  if (!kg_geometry_set_n_points (geometry, inside ? 6 : 4, error))
    return NULL;
  p = kg_geometry_edit_positions (geometry);
  for (guint i = 0; i < 4; i++)
    kg_floats_set_vector (p, i, plot_place (n, i == 1 || i == 2, i >= 2 ? n->high : n->low));
  kg_geometry_add_primitives (geometry, KG_POLYLINE, true, 1, 4, box);
  if (inside) {
    kg_floats_set_vector (p, 4, plot_place (n, 0, 0));
    kg_floats_set_vector (p, 5, plot_place (n, 1, 0));
    kg_geometry_add_primitives (geometry, KG_POLYLINE, false, 1, 2, zero);
  }
  return g_steal_pointer (&geometry);
}

static bool
plot_evaluate (Plot *n, const KgContext *ctx, GError **error)
{
  g_autoptr (Pieces) pieces = NULL;
  double at, first, range;
  guint order;
  Drawn drawn;

  (void) ctx;
  pieces = plot_read (n, &order, error);
  if (pieces == NULL)
    return false;
  drawn = plot_sample (n, pieces, order);
  plot_find_range (n, &drawn);
  n->curve = plot_draw_curve (n, &drawn, pieces, error);
  g_array_unref (drawn.points);
  g_array_unref (drawn.starts);
  n->frame = n->curve != NULL ? plot_draw_frame (n, error) : NULL;
  if (n->frame == NULL)
    return false;
  first = pieces->breaks[0];
  range = pieces->breaks[pieces->n] - first;
  at = kg_clamp (n->at, 0, 1);
  n->marker = plot_place (n, at, pieces_evaluate (pieces, first + at * range, order));
  return true;
}

static const KgSlot plot_slots[] = {
  KG_INPUT (Plot, motion, MOTION, .label = N_ ("Motion"),
            .help = N_ ("Set keys here, or link an ease or another motion.")),
  KG_INPUT (Plot, quantity, CHOICE, .label = N_ ("Plotted quantity"), .choices = plot_quantities,
            .help = N_ ("What is plotted over time.")),
  KG_INPUT (Plot, channel, TEXT, .label = N_ ("Channel"), .help = N_ ("Name of the channel; empty for the first one.")),
  KG_INPUT (Plot, component, INTEGER, .label = N_ ("Component"), .max = 3,
            .help = N_ ("Component of a channel of vectors or colours: 0 for x, 1 for y, and so on.")),
  KG_INPUT (Plot, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES,
            .help = N_ ("Position and size of the drawing.")),
  KG_INPUT (Plot, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 2, .min = 1e-6, .max = INFINITY,
            .soft_max = 10, .help = N_ ("Position and size of the drawing.")),
  KG_INPUT (Plot, height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .def = 1, .min = 1e-6, .max = INFINITY,
            .soft_max = 10, .help = N_ ("Position and size of the drawing.")),
  KG_INPUT (
      Plot, low, NUMBER, .label = N_ ("Bottom"), .soft_min = -5, .soft_max = 5,
      .help = N_ ("Value at the bottom. If it is not below Top, both are fitted to the curve, with zero in view.")),
  KG_INPUT (Plot, high, NUMBER, .label = N_ ("Top"), .soft_min = -5, .soft_max = 5, .help = N_ ("Value at the top.")),
  KG_INPUT (Plot, samples, INTEGER, .label = N_ ("Samples"), .def = 200, .min = 2, .max = 1000000, .soft_max = 1000,
            .help = N_ ("Number of points along the whole curve; corners and jumps get additional points.")),
  KG_INPUT (
      Plot, at, NUMBER, .label = N_ ("Marker position"), .driver = KG_DRIVER_PHASE, .soft_max = 1,
      .help = N_ ("0 at the left, 1 at the right. Without a link it runs once over the frame range of the graph.")),
  KG_OUTPUT (Plot, curve, GEOMETRY, .label = N_ ("Curve"), .help = N_ ("One polyline for each part between jumps.")),
  KG_OUTPUT (Plot, frame, GEOMETRY, .label = N_ ("Frame"), .help = N_ ("A box and the zero line.")),
  KG_OUTPUT (Plot, marker, VECTOR, .label = N_ ("Marker"), .unit = KG_METRES,
             .help = N_ ("Position of the marker on the curve: put a dot there.")),
  KG_OUTPUT (Plot, lowest, NUMBER, .label = N_ ("Lowest"), .help = N_ ("Extreme value of the curve.")),
  KG_OUTPUT (Plot, highest, NUMBER, .label = N_ ("Highest"), .help = N_ ("Extreme value of the curve.")),
};

KG_NODE (
    motion, plot, Plot, .label = N_ ("Plot Motion"), .version = 1, .since = "0.1",
    .tags = N_ ("graph curve chart draw ease speed acceleration diagram"),
    .formula = "points (t, f(t)), (t, f′(t)), (t, f″(t)) or (t, ∫ f dt), scaled to the size",
    .source = "Parent, Computer Animation, 3.2.2 (distance-time curves)",
    .help = N_ (
        "Draws a motion as a curve over time, as geometry for images: its value, speed, acceleration or integral."));

/* kg-curve-area-draw: how the curves look.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-curve-area-private.h"
#include "kg-number.h"
#include "kg-plot.h"

#include <glib/gi18n.h>
#include <math.h>

#define DOT 4.0

typedef struct {
  KgCurveArea *self;
  cairo_t *cr;
  PangoLayout *layout;
  GdkRGBA ink; /* the theme's colour of text: everything else follows from it */
  double width, height;
} Pen;

static void
set_ink (const Pen *pen, double alpha)
{
  cairo_set_source_rgba (pen->cr, pen->ink.red, pen->ink.green, pen->ink.blue, alpha);
}

static double
measure_text (const Pen *pen, const char *text)
{
  int width;

  pango_layout_set_text (pen->layout, text, -1);
  pango_layout_get_pixel_size (pen->layout, &width, NULL);
  return width;
}

/* x: of its left (align 0), middle (0.5) or right (1) end. */
static void
draw_text (const Pen *pen, double x, double y, double align, const char *text)
{
  const double width = measure_text (pen, text);
  int height;

  pango_layout_get_pixel_size (pen->layout, NULL, &height);
  cairo_move_to (pen->cr, round (x - align * width), round (y - 0.5 * height));
  pango_cairo_show_layout (pen->cr, pen->layout);
}

static void
draw_line (const Pen *pen, double x0, double y0, double x1, double y1)
{
  cairo_move_to (pen->cr, x0, y0);
  cairo_line_to (pen->cr, x1, y1);
  cairo_stroke (pen->cr);
}

static void
draw_grid (const Pen *pen)
{
  KgCurveArea *self = pen->self;
  const KgFrames frames = kg_graph_get_frames (kg_curve_area_get_graph (self));
  const double time = kg_plot_get_step (self->right - self->left, kg_curve_area_get_plot_width (self) / 70);
  const double value = kg_plot_get_step (self->top - self->bottom, kg_curve_area_get_plot_height (self) / 45);

  /* What is not part of the animation is darker. */
  if (!self->is_motion) {
    set_ink (pen, 0.06);
    cairo_rectangle (pen->cr, KG_CURVE_GUTTER, KG_CURVE_RULER,
                     fmax (kg_curve_area_to_x (self, frames.start) - KG_CURVE_GUTTER, 0), pen->height - KG_CURVE_RULER);
    cairo_rectangle (pen->cr, fmax (kg_curve_area_to_x (self, frames.end), KG_CURVE_GUTTER), KG_CURVE_RULER, pen->width,
                     pen->height - KG_CURVE_RULER);
    cairo_fill (pen->cr);
  }
  cairo_set_line_width (pen->cr, 1);
  for (double i = ceil (self->left / time); i * time <= self->right; i++) {
    const double x = floor (kg_curve_area_to_x (self, i * time)) + 0.5;

    set_ink (pen, 0.10);
    draw_line (pen, x, KG_CURVE_RULER, x, pen->height);
  }
  for (double i = ceil (self->bottom / value); i * value <= self->top; i++) {
    const double y = floor (kg_curve_area_to_y (self, i * value)) + 0.5;

    set_ink (pen, i == 0 ? 0.35 : 0.10);
    draw_line (pen, KG_CURVE_GUTTER, y, pen->width, y);
  }
}

static void
draw_axes (const Pen *pen)
{
  KgCurveArea *self = pen->self;
  const double time = kg_plot_get_step (self->right - self->left, kg_curve_area_get_plot_width (self) / 70);
  const double value = kg_plot_get_step (self->top - self->bottom, kg_curve_area_get_plot_height (self) / 45);
  /* Shares are read as per cent; other numbers stand without their unit. */
  const double shown = kg_number_get_factor (kg_curve_area_get_unit (self));
  char text[32];

  set_ink (pen, 0.08);
  cairo_rectangle (pen->cr, 0, 0, pen->width, KG_CURVE_RULER);
  cairo_fill (pen->cr);
  for (double i = ceil (self->left / time); i * time <= self->right; i++) {
    g_snprintf (text, sizeof text, "%.7g", i == 0 ? 0 : i * time);
    set_ink (pen, 0.75);
    /* Half a number would be another one. */
    if (kg_curve_area_to_x (self, i * time) + 0.5 * measure_text (pen, text) <= pen->width)
      draw_text (pen, kg_curve_area_to_x (self, i * time), 0.5 * KG_CURVE_RULER, 0.5, text);
  }
  for (double i = ceil (self->bottom / value); i * value <= self->top; i++) {
    const double y = kg_curve_area_to_y (self, i * value);

    g_snprintf (text, sizeof text, shown != 1 ? "%.6g %%" : "%.6g", i == 0 ? 0 : i * value * shown);
    set_ink (pen, 0.6);
    if (y > KG_CURVE_RULER + 8 && y < pen->height - 8)
      draw_text (pen, fmax (KG_CURVE_GUTTER - 6, measure_text (pen, text) + 2), y, 1, text);
  }
}

/* A stretch of the curve, sampled at every other pixel. */
static void
trace (const Pen *pen, const KgCurveTrack *track, guint component, double from, double to)
{
  KgCurveArea *self = pen->self;
  const double low = fmax (KG_CURVE_GUTTER, kg_curve_area_to_x (self, from)),
               high = fmin (pen->width, kg_curve_area_to_x (self, to));
  double value[KG_CHANNEL_MAX_WIDTH];

  for (double x = low; x < high; x += 2) {
    kg_channel_evaluate (track->channel, kg_curve_area_from_x (self, x), value);
    cairo_line_to (pen->cr, x, kg_curve_area_to_y (self, value[component]));
  }
}

static void
trace_span (const Pen *pen, const KgCurveTrack *track, guint component, const KgKey *key)
{
  KgCurveArea *self = pen->self;

  cairo_line_to (pen->cr, kg_curve_area_to_x (self, key->at), kg_curve_area_to_y (self, key->value[component]));
  if (key->interpolation == KG_INTERPOLATE_CONSTANT)
    cairo_line_to (pen->cr, kg_curve_area_to_x (self, key[1].at), kg_curve_area_to_y (self, key->value[component]));
  else if (key->interpolation != KG_INTERPOLATE_LINEAR || kg_channel_is_rotation (track->channel))
    trace (pen, track, component, key->at, key[1].at);
  cairo_line_to (pen->cr, kg_curve_area_to_x (self, key[1].at), kg_curve_area_to_y (self, key[1].value[component]));
}

static void
draw_curve (const Pen *pen, guint index, guint component)
{
  static const double dashes[] = { 4, 4 };
  KgCurveArea *self = pen->self;
  const KgCurveTrack *track = kg_curve_area_edit_track (self, index);
  const GdkRGBA color = kg_curve_area_get_color (self, index, component);
  const bool active = self->has_active && self->active.track == index && self->active.component == component;
  gsize n;
  const KgKey *keys = kg_channel_get_keys (track->channel, &n);
  const double density = (double) n / fmax (keys[n - 1].at - keys[0].at, 1e-9) * (self->right - self->left);

  gdk_cairo_set_source_rgba (pen->cr, &color);
  cairo_set_line_width (pen->cr, active ? 2.2 : 1.4);
  if (density > 2 * kg_curve_area_get_plot_width (self))
    trace (pen, track, component, keys[0].at, keys[n - 1].at);
  else
    for (gsize i = 0; i + 1 < n; i++)
      if (keys[i + 1].at >= self->left && keys[i].at <= self->right)
        trace_span (pen, track, component, &keys[i]);
  cairo_stroke (pen->cr);
  /* Before and after the keys. */
  cairo_set_dash (pen->cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_set_line_width (pen->cr, 1);
  if (keys[0].at > self->left) {
    trace (pen, track, component, self->left, keys[0].at);
    cairo_line_to (pen->cr, kg_curve_area_to_x (self, keys[0].at), kg_curve_area_to_y (self, keys[0].value[component]));
    cairo_stroke (pen->cr);
  }
  if (keys[n - 1].at < self->right) {
    cairo_move_to (pen->cr, kg_curve_area_to_x (self, keys[n - 1].at),
                   kg_curve_area_to_y (self, keys[n - 1].value[component]));
    trace (pen, track, component, keys[n - 1].at + 1e-9 * (self->right - self->left), self->right);
    cairo_stroke (pen->cr);
  }
  cairo_set_dash (pen->cr, NULL, 0, 0);
}

static void
draw_handles (const Pen *pen, KgCurveSpot spot)
{
  KgCurveArea *self = pen->self;
  gsize n;
  const KgKey *key = kg_channel_get_keys (kg_curve_area_edit_track (self, spot.track)->channel, &n) + spot.key;

  for (int side = KG_KEY_IN; side <= KG_KEY_OUT; side++) {
    double x, y;

    if (!kg_curve_area_get_handle_place (self, spot, (KgKeySide) side, &x, &y))
      continue;
    set_ink (pen, 0.55);
    cairo_set_line_width (pen->cr, 1);
    draw_line (pen, kg_curve_area_to_x (self, key->at), kg_curve_area_to_y (self, key->value[spot.component]), x, y);
    set_ink (pen, 0.9);
    cairo_arc (pen->cr, x, y, 3, 0, 2 * KG_PI);
    cairo_fill (pen->cr);
  }
}

static void
draw_keys (const Pen *pen, guint index, guint component)
{
  KgCurveArea *self = pen->self;
  const KgCurveTrack *track = kg_curve_area_edit_track (self, index);
  const GdkRGBA color = kg_curve_area_get_color (self, index, component);
  double last_x = NAN, last_y = NAN;
  bool last_selected = false;
  gsize n;
  const KgKey *keys = kg_channel_get_keys (track->channel, &n);
  /* Dense keys are small ones, so that the curve is still seen. */
  const double distance = (kg_curve_area_to_x (self, keys[n - 1].at) - kg_curve_area_to_x (self, keys[0].at)) /
                          (double) MAX (n - 1, 1);
  const double radius = n > 1 ? kg_clamp (0.4 * distance, 1, DOT) : DOT;

  for (gsize i = 0; i < n; i++) {
    const bool selected = track->marks->data[i] & 1 << component;
    const double x = round (kg_curve_area_to_x (self, keys[i].at)),
                 y = round (kg_curve_area_to_y (self, keys[i].value[component]));

    /* Many keys on one pixel look like one. */
    if (x < KG_CURVE_GUTTER - DOT || x > pen->width + DOT || (x == last_x && y == last_y && selected == last_selected))
      continue;
    last_x = x;
    last_y = y;
    last_selected = selected;
    if (selected && radius > 0.5 * DOT)
      draw_handles (pen, (KgCurveSpot){ index, i, component });
    cairo_arc (pen->cr, x, y, selected ? 1.25 * radius : radius, 0, 2 * KG_PI);
    if (selected)
      set_ink (pen, 1);
    else
      gdk_cairo_set_source_rgba (pen->cr, &color);
    cairo_fill_preserve (pen->cr);
    cairo_set_line_width (pen->cr, 0.35 * radius);
    gdk_cairo_set_source_rgba (pen->cr, &color);
    cairo_stroke (pen->cr);
    if (self->has_active && self->active.track == index && self->active.component == component &&
        self->active.key == i) {
      set_ink (pen, 0.9);
      cairo_arc (pen->cr, x, y, DOT + 4, 0, 2 * KG_PI);
      cairo_set_line_width (pen->cr, 1);
      cairo_stroke (pen->cr);
    }
  }
}

static void
draw_frame (const Pen *pen)
{
  KgCurveArea *self = pen->self;
  const double frame = kg_document_get_frame (self->document), x = floor (kg_curve_area_to_x (self, frame)) + 0.5;
  char text[32];
  int width, height;

  if (self->is_motion || x < KG_CURVE_GUTTER || x > pen->width)
    return;
  cairo_set_source_rgb (pen->cr, 0.20, 0.52, 0.89);
  cairo_set_line_width (pen->cr, 1);
  draw_line (pen, x, KG_CURVE_RULER, x, pen->height);
  g_snprintf (text, sizeof text, "%.7g", frame);
  pango_layout_set_text (pen->layout, text, -1);
  pango_layout_get_pixel_size (pen->layout, &width, &height);
  cairo_rectangle (pen->cr, x - 0.5 * width - 5, 2, width + 10, KG_CURVE_RULER - 4);
  cairo_fill (pen->cr);
  cairo_set_source_rgb (pen->cr, 1, 1, 1);
  draw_text (pen, x, 0.5 * KG_CURVE_RULER, 0.5, text);
}

static void
draw_overlay (const Pen *pen)
{
  KgCurveArea *self = pen->self;

  if (self->gesture == KG_CURVE_GESTURE_BOX && self->moved) {
    cairo_rectangle (pen->cr, floor (fmin (self->press_x, self->x)) + 0.5, floor (fmin (self->press_y, self->y)) + 0.5,
                     floor (fabs (self->x - self->press_x)), floor (fabs (self->y - self->press_y)));
    cairo_set_source_rgba (pen->cr, 0.20, 0.52, 0.89, 0.15);
    cairo_fill_preserve (pen->cr);
    cairo_set_source_rgb (pen->cr, 0.20, 0.52, 0.89);
    cairo_set_line_width (pen->cr, 1);
    cairo_stroke (pen->cr);
  }
  set_ink (pen, 0.85);
  if (self->tracks->len == 0)
    draw_text (pen, 0.5 * pen->width, 0.5 * pen->height, 0.5, _ ("No keys here.  Select a node with keyed inputs."));
  else if (self->hint != NULL)
    draw_text (pen, KG_CURVE_GUTTER + 8, pen->height - 12, 0, self->hint);
  if (gtk_widget_has_focus (GTK_WIDGET (self))) {
    cairo_rectangle (pen->cr, 0.5, 0.5, pen->width - 1, pen->height - 1);
    cairo_set_source_rgba (pen->cr, 0.20, 0.52, 0.89, 0.7);
    cairo_set_line_width (pen->cr, 1);
    cairo_stroke (pen->cr);
  }
}

void
kg_curve_area_draw (KgCurveArea *self, GtkSnapshot *snapshot)
{
  GtkWidget *widget = GTK_WIDGET (self);
  const float width = (float) gtk_widget_get_width (widget), height = (float) gtk_widget_get_height (widget);
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, NULL);
  Pen pen = { .self = self, .layout = layout, .width = width, .height = height };

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &pen.ink);
  pen.cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  draw_grid (&pen);
  cairo_save (pen.cr);
  cairo_rectangle (pen.cr, KG_CURVE_GUTTER, KG_CURVE_RULER, width - KG_CURVE_GUTTER, height - KG_CURVE_RULER);
  cairo_clip (pen.cr);
  for (guint t = 0; t < self->tracks->len; t++)
    for (guint c = 0; c < kg_channel_get_width (kg_curve_area_edit_track (self, t)->channel); c++)
      if (kg_curve_track_is_shown (kg_curve_area_edit_track (self, t), c))
        draw_curve (&pen, t, c);
  for (guint t = 0; t < self->tracks->len; t++)
    for (guint c = 0; c < kg_channel_get_width (kg_curve_area_edit_track (self, t)->channel); c++)
      if (kg_curve_track_is_shown (kg_curve_area_edit_track (self, t), c))
        draw_keys (&pen, t, c);
  cairo_restore (pen.cr);
  draw_axes (&pen);
  draw_frame (&pen);
  draw_overlay (&pen);
  cairo_destroy (pen.cr);
}

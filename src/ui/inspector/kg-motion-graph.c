/* kg-motion-graph: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-motion-graph.h"

#include "config.h"
#include "kg-plot.h"

#include <glib/gi18n.h>

#define HEIGHT 84
#define SAMPLES 300

struct _KgMotionGraph {
  GtkWidget parent_instance;
  char *name;
  KgMotion *motion; /* (nullable) */
  KgPlotRange range;
};

G_DEFINE_FINAL_TYPE (KgMotionGraph, kg_motion_graph, GTK_TYPE_WIDGET)

static void
describe (KgMotionGraph *self)
{
  g_autofree char *text = NULL;

  if (self->motion == NULL)
    text = g_strdup_printf (_ ("%s: no motion"), self->name);
  else
    /* Name of an output or input; the ends of its time, the least and the largest value. */
    text = g_strdup_printf (_ ("%s: motion from %g to %g, values from %.4g to %.4g"), self->name, self->range.from,
                            self->range.to, self->range.low, self->range.high);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), text);
}

void
kg_motion_graph_set_motion (KgMotionGraph *self, const KgMotion *motion)
{
  if (motion == self->motion)
    return;
  g_clear_pointer (&self->motion, kg_motion_unref);
  if (motion != NULL) {
    self->motion = kg_motion_ref (motion);
    self->range = kg_plot_measure_motion (motion, SAMPLES);
  }
  describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* (transfer full) */
static PangoLayout *
make_number (KgMotionGraph *self, double number)
{
  g_autofree char *text = g_strdup_printf ("%.3g", number);
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), text);
  g_autoptr (PangoFontDescription)
      font = pango_font_description_copy (pango_context_get_font_description (pango_layout_get_context (layout)));

  pango_font_description_set_absolute_size (font, 10 * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  return layout;
}

static int
measure_number (KgMotionGraph *self, double number)
{
  g_autoptr (PangoLayout) layout = make_number (self, number);
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

static void
draw_number (KgMotionGraph *self, cairo_t *cr, double number, double x, double y, double align)
{
  g_autoptr (PangoLayout) layout = make_number (self, number);
  int width, height;

  pango_layout_get_pixel_size (layout, &width, &height);
  cairo_move_to (cr, x - align * width, y - 0.5 * height);
  pango_cairo_show_layout (cr, layout);
  /* Or the next line would begin here. */
  cairo_new_path (cr);
}

static void
kg_motion_graph_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  KgMotionGraph *self = KG_MOTION_GRAPH (widget);
  const double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  const int widest =
      self->motion == NULL ? 0 : MAX (measure_number (self, self->range.low), measure_number (self, self->range.high));
  const double left = MAX (36, widest + 10) + 0.5, top = 6.5, w = width - left - 8, h = height - top - 17;
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  GdkRGBA ink;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &ink);
  cairo_set_source_rgba (cr, (double) ink.red, (double) ink.green, (double) ink.blue, 0.25);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, left, top, w, h);
  cairo_stroke (cr);
  if (self->motion != NULL && w > 2 && h > 2) {
    const double zero = top + h * self->range.high / (self->range.high - self->range.low);

    if (self->range.low < 0 && self->range.high > 0) {
      cairo_move_to (cr, left, floor (zero) + 0.5);
      cairo_line_to (cr, left + w, floor (zero) + 0.5);
      cairo_stroke (cr);
    }
    cairo_set_source_rgba (cr, (double) ink.red, (double) ink.green, (double) ink.blue, 0.65);
    draw_number (self, cr, self->range.high, left - 4, top + 4, 1);
    draw_number (self, cr, self->range.low, left - 4, top + h - 4, 1);
    draw_number (self, cr, self->range.from, left, top + h + 9, 0);
    draw_number (self, cr, self->range.to, left + w, top + h + 9, 1);
    cairo_set_line_width (cr, 1.6);
    kg_plot_draw_motion (cr, self->motion, &self->range, left, top, w, h);
  }
  cairo_destroy (cr);
}

static void
kg_motion_graph_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  (void) widget;
  (void) for_size;
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 80 : HEIGHT;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 240 : HEIGHT;
  *minimum_baseline = *natural_baseline = -1;
}

static void
kg_motion_graph_finalize (GObject *object)
{
  KgMotionGraph *self = KG_MOTION_GRAPH (object);

  g_clear_pointer (&self->motion, kg_motion_unref);
  g_free (self->name);
  G_OBJECT_CLASS (kg_motion_graph_parent_class)->finalize (object);
}

static void
kg_motion_graph_class_init (KgMotionGraphClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = kg_motion_graph_finalize;
  widget->snapshot = kg_motion_graph_snapshot;
  widget->measure = kg_motion_graph_measure;
  gtk_widget_class_set_accessible_role (widget, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_set_css_name (widget, "motiongraph");
}

static void
kg_motion_graph_init (KgMotionGraph *self)
{
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *
kg_motion_graph_new (const char *name)
{
  KgMotionGraph *self = KG_MOTION_GRAPH (g_object_new (KG_TYPE_MOTION_GRAPH, NULL));

  self->name = g_strdup (name);
  describe (self);
  return GTK_WIDGET (self);
}

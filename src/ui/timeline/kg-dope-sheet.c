/* kg-dope-sheet: see the header.  What keys are selected and what becomes of them is in kg-dope.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-dope-sheet.h"

#include "config.h"
#include "kg-dope.h"
#include "kg-family.h"
#include "kg-plot.h"

#include <glib/gi18n.h>

#define HEAD 30.0 /* the numbers of frames, and the bar of what is selected */
#define ROW 22.0
#define NAMES 190.0
#define MARGIN 14.0
#define KEY 5.0
#define REACH 7.0
#define LEAST_WIDTH 420

typedef enum { DRAG_NONE, DRAG_BOX, DRAG_KEYS, DRAG_FIRST, DRAG_LAST, DRAG_FRAME } Drag;

struct _KgDopeSheet {
  GtkWidget parent_instance;
  KgDocument *document;
  GtkWidget *scrolled, *area;
  KgDope *dope;
  Drag drag;
  bool add;                      /* DRAG_BOX: to what is selected */
  double start_x, start_y, x, y; /* of the drag, in the area */
};

G_DEFINE_FINAL_TYPE (KgDopeSheet, kg_dope_sheet, GTK_TYPE_WIDGET)

/* Places. */

static KgFrames
get_frames (KgDopeSheet *self)
{
  return kg_graph_get_frames (kg_document_get_graph (self->document));
}

static double
frame_to_x (KgDopeSheet *self, double frame)
{
  const KgFrames frames = get_frames (self);
  const double width = gtk_widget_get_width (self->area) - NAMES - 2 * MARGIN;

  return NAMES + MARGIN + width * (frame - frames.start) / fmax (1, frames.end - frames.start);
}

static double
x_to_frame (KgDopeSheet *self, double x)
{
  const KgFrames frames = get_frames (self);
  const double width = gtk_widget_get_width (self->area) - NAMES - 2 * MARGIN;

  return frames.start + (x - NAMES - MARGIN) / fmax (1, width) * fmax (1, frames.end - frames.start);
}

static double
row_to_y (guint row)
{
  return HEAD + ROW * (row + 0.5);
}

/* Whole frames that the drag is long. */
static double
get_shift (KgDopeSheet *self)
{
  return nearbyint (x_to_frame (self, self->x) - x_to_frame (self, self->start_x));
}

/* How much the selected keys are scaled about the other end of them. */
static void
get_scale (KgDopeSheet *self, double *pivot, double *factor)
{
  double first, last;

  kg_dope_get_range (self->dope, &first, &last);
  *pivot = self->drag == DRAG_FIRST ? last : first;
  *factor = last > first ? fmax (0, 1 + (self->drag == DRAG_FIRST ? -1 : 1) * get_shift (self) / (last - first)) : 1;
}

/* Where a selected key would be after the drag. */
static double
get_dragged (KgDopeSheet *self, double at)
{
  double pivot, factor;

  if (self->drag == DRAG_KEYS)
    return at + get_shift (self);
  if (self->drag != DRAG_FIRST && self->drag != DRAG_LAST)
    return at;
  get_scale (self, &pivot, &factor);
  return nearbyint (pivot + factor * (at - pivot));
}

/* The row and the key under a place; false where there is none. */
static bool
pick (KgDopeSheet *self, double x, double y, guint *row, double *at)
{
  double nearest = REACH;

  if (y < HEAD)
    return false;
  *row = (guint) ((y - HEAD) / ROW);
  if (*row >= kg_dope_get_n_rows (self->dope))
    return false;
  {
    gsize n;
    const KgKey *keys = kg_channel_get_keys (kg_dope_get_row (self->dope, *row)->channel, &n);

    for (gsize k = 0; k < n; k++)
      if (fabs (frame_to_x (self, keys[k].at) - x) < nearest) {
        nearest = fabs (frame_to_x (self, keys[k].at) - x);
        *at = keys[k].at;
      }
  }
  return nearest < REACH;
}

static bool
is_selected (KgDopeSheet *self, guint index, double at)
{
  const KgDopeRow *row = kg_dope_get_row (self->dope, index);
  gsize n;
  const KgKey *keys = kg_channel_get_keys (row->channel, &n);

  for (gsize k = 0; k < n; k++)
    if (keys[k].at == at && row->marks->data[k] != 0)
      return true;
  return false;
}

/* Drawing. */

static void
draw_text (KgDopeSheet *self, cairo_t *cr, const char *text, double x, double y, double width)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (self->area, text);
  int height;

  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_MIDDLE);
  pango_layout_get_pixel_size (layout, NULL, &height);
  cairo_move_to (cr, x, y - 0.5 * height);
  pango_cairo_show_layout (cr, layout);
  cairo_new_path (cr);
}

static void
draw_head (KgDopeSheet *self, cairo_t *cr, const GdkRGBA *ink, double height)
{
  const KgFrames frames = get_frames (self);
  const double width = gtk_widget_get_width (self->area) - NAMES;
  const double step = fmax (1, kg_plot_get_step (frames.end - frames.start, fmax (1, width / 70)));
  double first, last;

  for (double f = ceil (frames.start / step) * step; f <= frames.end; f += step) {
    const double x = floor (frame_to_x (self, f)) + 0.5;
    g_autofree char *text = g_strdup_printf ("%g", f);

    cairo_set_source_rgba (cr, (double) ink->red, (double) ink->green, (double) ink->blue, 0.12);
    cairo_move_to (cr, x, HEAD);
    cairo_line_to (cr, x, height);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
    cairo_set_source_rgba (cr, (double) ink->red, (double) ink->green, (double) ink->blue, 0.6);
    draw_text (self, cr, text, x - 4.0 * (double) strlen (text), 10, 60);
  }
  if (!kg_dope_get_range (self->dope, &first, &last))
    return;
  first = get_dragged (self, first);
  last = get_dragged (self, last);
  cairo_rectangle (cr, frame_to_x (self, first) - KEY, HEAD - 9,
                   frame_to_x (self, last) - frame_to_x (self, first) + 2 * KEY, 6);
  cairo_set_source_rgba (cr, 0.25, 0.6, 1, 0.6);
  cairo_fill (cr);
}

static void
draw_row (KgDopeSheet *self, cairo_t *cr, const GdkRGBA *ink, guint index, double width)
{
  const KgDopeRow *row = kg_dope_get_row (self->dope, index);
  g_autofree char *label = kg_keyed_dup_label (&row->keyed);
  g_autofree char *name = g_strdup_printf ("%s · %s", kg_node_get_name (row->keyed.node), label);
  const double y = row_to_y (index);
  gsize n;
  const KgKey *keys = kg_channel_get_keys (row->channel, &n);

  if (index % 2 == 0) {
    cairo_rectangle (cr, 0, y - 0.5 * ROW, width, ROW);
    cairo_set_source_rgba (cr, (double) ink->red, (double) ink->green, (double) ink->blue, 0.05);
    cairo_fill (cr);
  }
  kg_tint_set (cr, kg_family_get_tint (kg_node_get_type_id (row->keyed.node)), 1);
  cairo_rectangle (cr, 6, y - 7, 14, 14);
  cairo_fill (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  kg_family_draw_icon (cr, kg_node_get_type_id (row->keyed.node), 8, y - 5, 10);
  cairo_set_source_rgba (cr, (double) ink->red, (double) ink->green, (double) ink->blue,
                         kg_document_is_selected (self->document, row->keyed.node) ? 1 : 0.75);
  draw_text (self, cr, name, 26, y, NAMES - 34);
  for (gsize k = 0; k < n; k++) {
    const bool selected = row->marks->data[k] != 0;
    const double x = frame_to_x (self, selected ? get_dragged (self, keys[k].at) : keys[k].at);

    cairo_move_to (cr, x, y - KEY);
    cairo_line_to (cr, x + KEY, y);
    cairo_line_to (cr, x, y + KEY);
    cairo_line_to (cr, x - KEY, y);
    cairo_close_path (cr);
    if (selected)
      cairo_set_source_rgb (cr, 0.25, 0.6, 1);
    else
      cairo_set_source_rgb (cr, 0.95, 0.65, 0.15);
    cairo_fill_preserve (cr);
    cairo_set_source_rgba (cr, 0, 0, 0, 0.5);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
  }
}

static void
draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  KgDopeSheet *self = KG_DOPE_SHEET (data);
  const double frame_x = frame_to_x (self, kg_document_get_frame (self->document));
  GdkRGBA ink;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (area)), &ink);
  for (guint i = 0; i < kg_dope_get_n_rows (self->dope); i++)
    draw_row (self, cr, &ink, i, width);
  draw_head (self, cr, &ink, height);
  if (kg_dope_get_n_rows (self->dope) == 0) {
    cairo_set_source_rgba (cr, (double) ink.red, (double) ink.green, (double) ink.blue, 0.6);
    draw_text (self, cr, _ ("No input has keys yet: press ◇ beside one in the inspector."), NAMES, 60, width - NAMES);
  }
  cairo_set_source_rgb (cr, 0.25, 0.6, 1);
  cairo_set_line_width (cr, 2);
  cairo_move_to (cr, frame_x, 0);
  cairo_line_to (cr, frame_x, height);
  cairo_stroke (cr);
  if (self->drag == DRAG_BOX) {
    cairo_rectangle (cr, fmin (self->start_x, self->x), fmin (self->start_y, self->y), fabs (self->x - self->start_x),
                     fabs (self->y - self->start_y));
    cairo_set_source_rgba (cr, 0.25, 0.6, 1, 0.2);
    cairo_fill_preserve (cr);
    cairo_set_source_rgb (cr, 0.25, 0.6, 1);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
  }
}

/* What is there. */

static void
describe (KgDopeSheet *self)
{
  const guint rows = kg_dope_get_n_rows (self->dope), keys = kg_dope_get_n_keys (self->dope);
  const guint selected = kg_dope_get_n_selected (self->dope);
  g_autofree char *inputs = g_strdup_printf (ngettext ("%u keyed input", "%u keyed inputs", rows), rows);
  g_autofree char *all = g_strdup_printf (ngettext ("%u key", "%u keys", keys), keys);
  /* Inputs, keys, and how many of these are selected. */
  g_autofree char *text = g_strdup_printf (_ ("%s, %s, %u selected"), inputs, all, selected);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self->area), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
  gtk_widget_queue_draw (self->area);
}

static void
update (KgDopeSheet *self)
{
  kg_dope_update (self->dope, kg_document_get_current (self->document));
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (self->area),
                                       (int) (HEAD + ROW * (kg_dope_get_n_rows (self->dope) + 1)));
  describe (self);
}

/* The pointer. */

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, KgDopeSheet *self)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  const bool shift = (state & GDK_SHIFT_MASK) != 0;
  double first = 0, last = 0, at = 0;
  guint row;

  gtk_widget_grab_focus (self->area);
  self->start_x = self->x = x;
  self->start_y = self->y = y;
  self->add = shift;
  self->drag = DRAG_BOX;
  if (y < HEAD) {
    const bool any = kg_dope_get_range (self->dope, &first, &last) && last > first && y > HEAD - 14;

    self->drag = any && fabs (frame_to_x (self, last) - x) < REACH    ? DRAG_LAST
                 : any && fabs (frame_to_x (self, first) - x) < REACH ? DRAG_FIRST
                                                                      : DRAG_FRAME;
    if (self->drag == DRAG_FRAME)
      kg_document_set_frame (
          self->document, kg_clamp (nearbyint (x_to_frame (self, x)), get_frames (self).start, get_frames (self).end));
  } else if (x < NAMES) {
    row = (guint) ((y - HEAD) / ROW);
    self->drag = DRAG_NONE;
    /* All of a row, and its node. */
    if (row < kg_dope_get_n_rows (self->dope)) {
      kg_dope_select (self->dope, row, row, -INFINITY, INFINITY, shift);
      kg_document_select (self->document, kg_dope_get_row (self->dope, row)->keyed.node, shift);
    }
  } else if (pick (self, x, y, &row, &at)) {
    self->drag = DRAG_KEYS;
    if (shift || !is_selected (self, row, at))
      kg_dope_select (self->dope, row, row, at, at, shift);
  }
  describe (self);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, KgDopeSheet *self)
{
  const KgFrames frames = get_frames (self);

  (void) gesture;
  self->x = self->start_x + dx;
  self->y = self->start_y + dy;
  if (self->drag == DRAG_FRAME)
    kg_document_set_frame (self->document, kg_clamp (nearbyint (x_to_frame (self, self->x)), frames.start, frames.end));
  gtk_widget_queue_draw (self->area);
}

static void
select_box (KgDopeSheet *self)
{
  const double top = (fmin (self->start_y, self->y) - HEAD) / ROW,
               bottom = (fmax (self->start_y, self->y) - HEAD) / ROW;
  const double left = fmin (self->start_x, self->x), right = fmax (self->start_x, self->x);

  if (bottom < 0 || (right - left < 3 && bottom - top < 0.15)) {
    if (!self->add)
      kg_dope_select_all (self->dope, false);
    return;
  }
  kg_dope_select (self->dope, (guint) fmax (0, floor (top)), (guint) floor (bottom), x_to_frame (self, left),
                  x_to_frame (self, right), self->add);
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, KgDopeSheet *self)
{
  KgGraph *graph = kg_document_get_current (self->document);
  const Drag drag = self->drag;
  const double shift = get_shift (self);
  double pivot = 0, factor = 1;

  (void) gesture;
  (void) dx;
  (void) dy;
  if (drag == DRAG_FIRST || drag == DRAG_LAST)
    get_scale (self, &pivot, &factor);
  self->drag = DRAG_NONE;
  if (drag == DRAG_BOX)
    select_box (self);
  else if (drag == DRAG_KEYS)
    kg_dope_move (self->dope, graph, shift);
  else if (drag == DRAG_FIRST || drag == DRAG_LAST)
    kg_dope_scale (self->dope, graph, pivot, factor);
  describe (self);
}

static void
on_drag_cancel (KgDopeSheet *self)
{
  self->drag = DRAG_NONE;
  gtk_widget_queue_draw (self->area);
}

/* Commands. */

static void
on_command (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgDopeSheet *self = KG_DOPE_SHEET (widget);
  KgGraph *graph = kg_document_get_current (self->document);
  const double frame = kg_document_get_frame (self->document);

  if (g_str_equal (name, "dope.move"))
    kg_dope_move (self->dope, graph, g_variant_get_int32 (parameter));
  else if (g_str_equal (name, "dope.select-all"))
    kg_dope_select_all (self->dope, true);
  else if (g_str_equal (name, "dope.select-none"))
    kg_dope_select_all (self->dope, false);
  else if (g_str_equal (name, "dope.copy"))
    kg_dope_copy (self->dope);
  else if (g_str_equal (name, "dope.paste"))
    kg_dope_paste (self->dope, graph, frame);
  else {
    if (g_str_equal (name, "dope.cut"))
      kg_dope_copy (self->dope);
    kg_dope_delete (self->dope, graph, frame);
  }
  describe (self);
}

static void
kg_dope_sheet_dispose (GObject *object)
{
  KgDopeSheet *self = KG_DOPE_SHEET (object);

  g_clear_pointer (&self->scrolled, gtk_widget_unparent);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (kg_dope_sheet_parent_class)->dispose (object);
}

static void
kg_dope_sheet_finalize (GObject *object)
{
  g_clear_pointer (&KG_DOPE_SHEET (object)->dope, kg_dope_free);
  G_OBJECT_CLASS (kg_dope_sheet_parent_class)->finalize (object);
}

static void
kg_dope_sheet_class_init (KgDopeSheetClass *class)
{
  static const struct {
    const char *name;
    guint key;
    GdkModifierType modifiers;
  } commands[] = {
    { "dope.select-all", GDK_KEY_a, GDK_CONTROL_MASK }, { "dope.select-none", GDK_KEY_Escape, 0 },
    { "dope.copy", GDK_KEY_c, GDK_CONTROL_MASK },       { "dope.paste", GDK_KEY_v, GDK_CONTROL_MASK },
    { "dope.cut", GDK_KEY_x, GDK_CONTROL_MASK },        { "dope.delete", GDK_KEY_Delete, 0 },
  };
  static const struct {
    guint key;
    GdkModifierType modifiers;
    int by;
  } moves[] = { { GDK_KEY_Left, 0, -1 },
                { GDK_KEY_Right, 0, 1 },
                { GDK_KEY_Left, GDK_SHIFT_MASK, -10 },
                { GDK_KEY_Right, GDK_SHIFT_MASK, 10 } };
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = kg_dope_sheet_dispose;
  G_OBJECT_CLASS (class)->finalize = kg_dope_sheet_finalize;
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++) {
    gtk_widget_class_install_action (widget, commands[i].name, NULL, on_command);
    gtk_widget_class_add_binding_action (widget, commands[i].key, commands[i].modifiers, commands[i].name, NULL);
  }
  gtk_widget_class_install_action (widget, "dope.move", "i", on_command);
  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    gtk_widget_class_add_binding_action (widget, moves[i].key, moves[i].modifiers, "dope.move", "i", moves[i].by);
  gtk_widget_class_set_layout_manager_type (widget, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget, "dopesheet");
}

static void
kg_dope_sheet_init (KgDopeSheet *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  self->dope = kg_dope_new ();
  self->area = GTK_WIDGET (g_object_new (GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL));
  gtk_widget_set_focusable (self->area, TRUE);
  gtk_widget_set_hexpand (self->area, TRUE);
  gtk_widget_set_vexpand (self->area, TRUE);
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (self->area), LEAST_WIDTH);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->area), draw, self, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->area), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Dope sheet"), -1);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect_swapped (drag, "cancel", G_CALLBACK (on_drag_cancel), self);
  gtk_widget_add_controller (self->area, GTK_EVENT_CONTROLLER (drag));
  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), self->area);
  gtk_widget_set_parent (self->scrolled, GTK_WIDGET (self));
}

GtkWidget *
kg_dope_sheet_new (KgDocument *document)
{
  KgDopeSheet *self = KG_DOPE_SHEET (g_object_new (KG_TYPE_DOPE_SHEET, NULL));

  self->document = (KgDocument *) g_object_ref (document);
  kg_document_watch (document, G_CALLBACK (update), self);
  g_signal_connect_object (document, "current-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}

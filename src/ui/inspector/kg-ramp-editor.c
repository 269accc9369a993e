/* kg-ramp-editor: see the header.
 *
 * The ramp is a widget of its own, so that Tab goes from stop to stop in it, and then on to the fields of the stop below.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-ramp-editor.h"

#include "config.h"
#include "image/color_ramp.h"
#include "kg-input-table.h"
#include "kg-number-field.h"
#include "kg-pick-button.h"

#include <glib/gi18n.h>
#include <math.h>

#define BAR_HEIGHT 22
#define STOP_HEIGHT 13
#define STOP_WIDTH 10
#define SIDE 7  /* beside the bar, so that stops at its ends are whole */
#define REACH 9 /* from a stop, pixels */
#define AWAY 30 /* above or below: the stop comes off */
#define CHECKER 6
#define STEP 0.01

enum { POSITION, RED, ALPHA = 4 };

struct _KgRampEditor {
  GtkWidget parent_instance;
  KgInputRow *row; /* borrowed: its parent */
  GtkWidget *box, *bar, *fields, *position, *color;
  guint current;        /* the row of the stop whose fields are shown */
  KgTable *start;       /* (nullable) the rows when a drag began */
  bool off;             /* the stop in hand is so far away that it comes off */
  double start_x, grab; /* of a drag; from the pointer to the stop */
  bool updating;
};

G_DEFINE_FINAL_TYPE (KgRampEditor, kg_ramp_editor, GTK_TYPE_WIDGET)

/* The ramp itself draws and takes keys for its editor. */
#define KG_TYPE_RAMP_BAR (kg_ramp_bar_get_type ())
G_DECLARE_FINAL_TYPE (KgRampBar, kg_ramp_bar, KG, RAMP_BAR, GtkWidget)

struct _KgRampBar {
  GtkWidget parent_instance;
  KgRampEditor *editor; /* borrowed: around it */
};

G_DEFINE_FINAL_TYPE (KgRampBar, kg_ramp_bar, GTK_TYPE_WIDGET)

bool
kg_ramp_editor_fits (const KgSlot *slot)
{
  static const char *const names[] = { "position", "red", "green", "blue", "alpha" };
  guint n = 0;

  if (slot->kind != KG_TABLE || slot->columns == NULL)
    return false;
  while (n < G_N_ELEMENTS (names) && slot->columns[n].name != NULL && g_str_equal (slot->columns[n].name, names[n]))
    n++;
  return n >= 4 && slot->columns[n].name == NULL;
}

/* Rows. */

/* (transfer full) (nullable) As they are at the frame. */
static KgTable *
dup_rows (KgRampEditor *self)
{
  bool known;

  return kg_input_dup_rows (self->row->node, self->row->slot, kg_document_get_frame (self->row->document), &known);
}

static guint
count_rows (const KgTable *rows)
{
  return rows != NULL ? (guint) kg_table_get_n_rows (rows) : 0;
}

static KgColor
get_color (const KgTable *rows, guint i)
{
  const double *x = kg_table_get_row (rows, i);

  return (KgColor){ x[RED], x[RED + 1], x[RED + 2], kg_table_get_n_columns (rows) > ALPHA ? x[ALPHA] : 1 };
}

static void
put_color (KgTable *rows, guint i, KgColor color)
{
  double *x = kg_table_edit (rows) + (size_t) i * kg_table_get_n_columns (rows);

  x[RED] = color.r;
  x[RED + 1] = color.g;
  x[RED + 2] = color.b;
  if (kg_table_get_n_columns (rows) > ALPHA)
    x[ALPHA] = color.a;
}

static void
put_position (KgTable *rows, guint i, double position)
{
  kg_table_edit (rows)[(size_t) i * kg_table_get_n_columns (rows) + POSITION] = position;
}

static bool
edit_rows (KgInputRow *row, KgNode *node, guint slot, gconstpointer data, GError **error)
{
  return node != row->node ||
         kg_input_set_rows (node, slot, kg_document_get_frame (row->document), (const KgTable *) data,
                            kg_document_get_auto_key (row->document), error);
}

static void
take_rows (KgRampEditor *self, const KgTable *rows)
{
  if (!self->updating && kg_input_row_can_edit (self->row))
    kg_input_row_edit (self->row, edit_rows, rows);
}

/* (transfer full) (nullable) The rows with another one before row i, or without row i. */
static KgTable *
dup_changed (const KgTable *rows, guint i, bool insert)
{
  const guint n_columns = kg_table_get_n_columns (rows), n = count_rows (rows);
  g_autofree const char **names = kg_table_has_names (rows) ? g_new0 (const char *, n_columns) : NULL;
  KgTable *changed;

  for (guint k = 0; names != NULL && k < n_columns; k++)
    names[k] = kg_table_get_name (rows, k);
  changed = kg_table_new (n_columns, names, insert ? n + 1 : n - 1, NULL);
  for (guint k = 0; changed != NULL && k < n; k++)
    if (insert || k != i)
      memcpy (kg_table_edit (changed) + (size_t) (k < i    ? k
                                                  : insert ? k + 1
                                                           : k - 1) *
                                            n_columns,
              kg_table_get_row (rows, k), n_columns * sizeof (double));
  return changed;
}

static void
remove_stop (KgRampEditor *self)
{
  g_autoptr (KgTable) rows = dup_rows (self), fewer = NULL;

  /* Without any it would be no ramp. */
  if (self->current >= count_rows (rows) || count_rows (rows) < 2)
    return;
  fewer = dup_changed (rows, self->current, false);
  self->current = MIN (self->current, count_rows (rows) - 2);
  if (fewer != NULL)
    take_rows (self, fewer);
}

/* What other inputs of the node say about what is between the stops, by the names that all ramps have. */
static ColorRamp *
make_ramp (KgRampEditor *self, const KgTable *rows)
{
  KgNode *node = self->row->node;
  const double frame = kg_document_get_frame (self->row->document);
  const int interpolation = kg_node_find_slot (node, "interpolation"), space = kg_node_find_slot (node, "perceptual");
  g_auto (KgValue) way = KG_VALUE_INIT, perceptual = KG_VALUE_INIT;
  int choice = COLOR_RAMP_LINEAR;

  if (interpolation >= 0 && kg_node_get_slot (node, (guint) interpolation)->kind == KG_CHOICE &&
      kg_input_get_value (node, (guint) interpolation, frame, &way) && way.kind == KG_TEXT)
    choice = kg_slot_find_choice (kg_node_get_slot (node, (guint) interpolation), way.text);
  if (space >= 0)
    kg_input_get_value (node, (guint) space, frame, &perceptual);
  return color_ramp_new (
      rows, choice >= 0 && choice < COLOR_RAMP_N_INTERPOLATIONS ? (ColorRampInterpolation) choice : COLOR_RAMP_LINEAR,
      perceptual.kind == KG_BOOLEAN && perceptual.boolean);
}

static void
insert_stop (KgRampEditor *self, double position)
{
  g_autoptr (KgTable) rows = dup_rows (self), more = NULL;
  g_autoptr (ColorRamp) ramp = rows != NULL ? make_ramp (self, rows) : NULL;
  guint i = 0;
  float rgba[4];
  double alpha;

  if (ramp == NULL)
    return;
  while (i < count_rows (rows) && kg_table_get_row (rows, i)[POSITION] <= position)
    i++;
  color_ramp_find (ramp, position, rgba);
  alpha = (double) rgba[3];
  more = dup_changed (rows, i, true);
  if (more == NULL)
    return;
  put_position (more, i, position);
  put_color (more, i,
             alpha > 0
                 ? (KgColor){ (double) rgba[0] / alpha, (double) rgba[1] / alpha, (double) rgba[2] / alpha, alpha }
                 : (KgColor){ 0, 0, 0, 0 });
  self->current = i;
  take_rows (self, more);
}

/* The next stop along the ramp, or the one before; -1 where there is none. */
static int
find_next (const KgTable *rows, guint from, int by)
{
  const guint n = count_rows (rows);
  int best = -1;

  /* Stops at one place are in the order of their rows. */
  for (guint i = 0; from < n && i < n; i++) {
    const double here = kg_table_get_row (rows, i)[POSITION], start = kg_table_get_row (rows, from)[POSITION];
    const double nearest = best >= 0 ? kg_table_get_row (rows, (size_t) best)[POSITION] : 0;
    const bool after = here > start || (here == start && i > from),
               before = here < start || (here == start && i < from);

    if (by > 0 && after && (best < 0 || here < nearest))
      best = (int) i;
    if (by < 0 && before && (best < 0 || here >= nearest))
      best = (int) i;
  }
  return best;
}

static void
set_color (KgRampEditor *self, KgColor color)
{
  g_autoptr (KgTable) rows = dup_rows (self);

  if (self->current >= count_rows (rows))
    return;
  put_color (rows, self->current, color);
  take_rows (self, rows);
}

/* The bar. */

static double
get_bar_width (KgRampEditor *self)
{
  return fmax (1, gtk_widget_get_width (self->bar) - 2 * SIDE);
}

/* Stops beyond the ends stand at these. */
static double
get_x (KgRampEditor *self, double position)
{
  return SIDE + get_bar_width (self) * kg_clamp (position, 0, 1);
}

static double
get_position (KgRampEditor *self, double x)
{
  /* As many digits as there are pixels. */
  return nearbyint (1000 * kg_clamp ((x - SIDE) / get_bar_width (self), 0, 1)) / 1000;
}

/* -1: none */
static int
pick_stop (KgRampEditor *self, const KgTable *rows, double x)
{
  double nearest = REACH;
  int picked = -1;

  for (guint i = 0; i < count_rows (rows); i++) {
    const double distance = fabs (get_x (self, kg_table_get_row (rows, i)[POSITION]) - x);

    if (distance < nearest || (distance == nearest && i == self->current)) {
      nearest = distance;
      picked = (int) i;
    }
  }
  return picked;
}

static void
set_rgba (GdkRGBA *out, KgColor color)
{
  *out = (GdkRGBA){ (float) kg_clamp (kg_srgb_encode (color.r), 0, 1),
                    (float) kg_clamp (kg_srgb_encode (color.g), 0, 1),
                    (float) kg_clamp (kg_srgb_encode (color.b), 0, 1), (float) kg_clamp (color.a, 0, 1) };
}

static void
draw_colors (KgRampEditor *self, cairo_t *cr, const KgTable *rows)
{
  const int width = (int) get_bar_width (self);
  g_autoptr (ColorRamp) ramp = make_ramp (self, rows);

  cairo_save (cr);
  cairo_rectangle (cr, SIDE, 0, width, BAR_HEIGHT);
  cairo_clip (cr);
  cairo_set_source_rgb (cr, 0.55, 0.55, 0.57);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 0.72, 0.72, 0.74);
  for (int j = 0; j * CHECKER < BAR_HEIGHT; j++)
    for (int i = j % 2; i * CHECKER < width; i += 2)
      cairo_rectangle (cr, SIDE + i * CHECKER, j * CHECKER, CHECKER, CHECKER);
  cairo_fill (cr);
  for (int i = 0; i < width; i++) {
    GdkRGBA color;
    float rgba[4];

    color_ramp_find (ramp, (i + 0.5) / width, rgba);
    set_rgba (&color, rgba[3] > 0 ? (KgColor){ (double) (rgba[0] / rgba[3]), (double) (rgba[1] / rgba[3]),
                                               (double) (rgba[2] / rgba[3]), (double) rgba[3] }
                                  : (KgColor){ 0, 0, 0, 0 });
    gdk_cairo_set_source_rgba (cr, &color);
    cairo_rectangle (cr, SIDE + i, 0, 1, BAR_HEIGHT);
    cairo_fill (cr);
  }
  cairo_restore (cr);
}

static void
draw_stop (cairo_t *cr, double x, KgColor color, const GdkRGBA *line, double width)
{
  GdkRGBA fill;

  color.a = 1;
  set_rgba (&fill, color);
  cairo_move_to (cr, x, BAR_HEIGHT - 4);
  cairo_line_to (cr, x + 0.5 * STOP_WIDTH, BAR_HEIGHT + 2);
  cairo_line_to (cr, x + 0.5 * STOP_WIDTH, BAR_HEIGHT + STOP_HEIGHT - 1);
  cairo_line_to (cr, x - 0.5 * STOP_WIDTH, BAR_HEIGHT + STOP_HEIGHT - 1);
  cairo_line_to (cr, x - 0.5 * STOP_WIDTH, BAR_HEIGHT + 2);
  cairo_close_path (cr);
  gdk_cairo_set_source_rgba (cr, &fill);
  cairo_fill_preserve (cr);
  gdk_cairo_set_source_rgba (cr, line);
  cairo_set_line_width (cr, width);
  cairo_stroke (cr);
}

static void
kg_ramp_bar_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  KgRampEditor *self = KG_RAMP_BAR (widget)->editor;
  const graphene_rect_t all =
      GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget), (float) gtk_widget_get_height (widget));
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &all);
  g_autoptr (KgTable) rows = dup_rows (self);
  GdkRGBA line, accent;

  gtk_style_context_get_color (style, &line);
  if (!gtk_style_context_lookup_color (style, "theme_selected_bg_color", &accent))
    accent = line;
  if (rows != NULL)
    draw_colors (self, cr, rows);
  /* The current one last, over its neighbours. */
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < count_rows (rows); i++) {
      const bool current = i == self->current;

      if (current == (pass == 1) && !(current && self->off))
        draw_stop (cr, get_x (self, kg_table_get_row (rows, i)[POSITION]), get_color (rows, i),
                   current ? &accent : &line, current ? 2 : 1);
    }
  cairo_destroy (cr);
  if (gtk_widget_has_visible_focus (widget))
    gtk_snapshot_render_focus (snapshot, style, 0, 0, gtk_widget_get_width (widget), gtk_widget_get_height (widget));
}

static void
kg_ramp_bar_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *least, int *natural,
                     int *least_baseline, int *natural_baseline)
{
  (void) widget;
  (void) for_size;
  *least = orientation == GTK_ORIENTATION_VERTICAL ? BAR_HEIGHT + STOP_HEIGHT : 80;
  *natural = orientation == GTK_ORIENTATION_VERTICAL ? *least : 160;
  *least_baseline = *natural_baseline = -1;
}

/* Keys. */

static gboolean
on_key_tab (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  KgRampEditor *self = KG_RAMP_BAR (widget)->editor;
  g_autoptr (KgTable) rows = dup_rows (self);
  int next;
  gint32 by;

  (void) data;
  g_variant_get (arguments, "(i)", &by);
  next = find_next (rows, self->current, by);
  if (next < 0)
    return FALSE;
  self->current = (guint) next;
  kg_ramp_editor_refresh (self);
  return TRUE;
}

static gboolean
on_key_move (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  KgRampEditor *self = KG_RAMP_BAR (widget)->editor;
  g_autoptr (KgTable) rows = dup_rows (self);
  gint32 by;

  (void) data;
  g_variant_get (arguments, "(i)", &by);
  if (self->current >= count_rows (rows))
    return FALSE;
  put_position (rows, self->current,
                nearbyint (1e6 * (kg_table_get_row (rows, self->current)[POSITION] + STEP * by)) / 1e6);
  take_rows (self, rows);
  return TRUE;
}

static gboolean
on_key_remove (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  (void) arguments;
  (void) data;
  remove_stop (KG_RAMP_BAR (widget)->editor);
  return TRUE;
}

/* Half-way to the next stop, or from the last one to the one before. */
static gboolean
on_key_insert (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  KgRampEditor *self = KG_RAMP_BAR (widget)->editor;
  g_autoptr (KgTable) rows = dup_rows (self);
  const int after = find_next (rows, self->current, 1), next = after >= 0 ? after : find_next (rows, self->current, -1);

  (void) arguments;
  (void) data;
  insert_stop (self, next >= 0 ? 0.5 * (kg_table_get_row (rows, self->current)[POSITION] +
                                        kg_table_get_row (rows, (size_t) next)[POSITION])
                               : 0.5);
  return TRUE;
}

static gboolean
on_key_color (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  (void) arguments;
  (void) data;
  return gtk_widget_activate (KG_RAMP_BAR (widget)->editor->color);
}

static void
kg_ramp_bar_class_init (KgRampBarClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);
  static const guint tabs[] = { GDK_KEY_Tab, GDK_KEY_KP_Tab };

  widget->snapshot = kg_ramp_bar_snapshot;
  widget->measure = kg_ramp_bar_measure;
  gtk_widget_class_set_css_name (widget, "ramp");
  gtk_widget_class_set_accessible_role (widget, GTK_ACCESSIBLE_ROLE_SLIDER);
  for (guint i = 0; i < G_N_ELEMENTS (tabs); i++) {
    gtk_widget_class_add_binding (widget, tabs[i], 0, on_key_tab, "(i)", 1);
    gtk_widget_class_add_binding (widget, tabs[i], GDK_SHIFT_MASK, on_key_tab, "(i)", -1);
  }
  gtk_widget_class_add_binding (widget, GDK_KEY_ISO_Left_Tab, GDK_SHIFT_MASK, on_key_tab, "(i)", -1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Left, 0, on_key_move, "(i)", -1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Right, 0, on_key_move, "(i)", 1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Left, GDK_SHIFT_MASK, on_key_move, "(i)", -10);
  gtk_widget_class_add_binding (widget, GDK_KEY_Right, GDK_SHIFT_MASK, on_key_move, "(i)", 10);
  gtk_widget_class_add_binding (widget, GDK_KEY_Delete, 0, on_key_remove, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_BackSpace, 0, on_key_remove, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_Insert, 0, on_key_insert, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_Return, 0, on_key_color, NULL);
}

static void
kg_ramp_bar_init (KgRampBar *bar)
{
  gtk_widget_set_focusable (GTK_WIDGET (bar), TRUE);
}

/* The pointer. */

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, KgRampEditor *self)
{
  g_autoptr (KgTable) rows = dup_rows (self);
  const int picked = pick_stop (self, rows, x);

  (void) gesture;
  (void) y;
  gtk_widget_grab_focus (self->bar);
  g_clear_pointer (&self->start, kg_table_unref);
  self->off = false;
  if (picked < 0)
    return;
  self->current = (guint) picked;
  self->start_x = x;
  self->grab = get_x (self, kg_table_get_row (rows, (guint) picked)[POSITION]) - x;
  self->start = g_steal_pointer (&rows);
  kg_ramp_editor_refresh (self);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, KgRampEditor *self)
{
  g_autoptr (KgTable) rows = self->start != NULL ? kg_table_copy (self->start, NULL) : NULL;

  (void) gesture;
  if (rows == NULL ||
      (!self->row->grouped && !self->off && !gtk_drag_check_threshold (self->bar, 0, 0, (int) (3 * dx), (int) dy)))
    return;
  kg_input_row_begin_drag (self->row);
  self->off = fabs (dy) > AWAY && count_rows (rows) > 1;
  put_position (rows, self->current, get_position (self, self->start_x + dx + self->grab));
  take_rows (self, self->off ? self->start : rows);
  gtk_widget_queue_draw (self->bar);
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, KgRampEditor *self)
{
  const bool off = self->off;

  (void) gesture;
  (void) dx;
  (void) dy;
  self->off = false;
  g_clear_pointer (&self->start, kg_table_unref);
  if (off)
    remove_stop (self);
  kg_input_row_end_drag (self->row);
  gtk_widget_queue_draw (self->bar);
}

static void
on_pressed (GtkGestureClick *gesture, int times, double x, double y, KgRampEditor *self)
{
  g_autoptr (KgTable) rows = dup_rows (self);

  (void) gesture;
  (void) y;
  if (times != 2)
    return;
  if (pick_stop (self, rows, x) >= 0)
    gtk_widget_activate (self->color);
  else
    insert_stop (self, get_position (self, x));
}

/* The fields. */

static void
on_position (KgNumberField *field, double position, KgRampEditor *self)
{
  g_autoptr (KgTable) rows = dup_rows (self);

  (void) field;
  if (self->current >= count_rows (rows))
    return;
  put_position (rows, self->current, position);
  take_rows (self, rows);
}

static void
on_color (KgRampEditor *self)
{
  GdkRGBA color;

  gtk_color_chooser_get_rgba (GTK_COLOR_CHOOSER (self->color), &color);
  set_color (self, (KgColor){ kg_srgb_decode ((double) color.red), kg_srgb_decode ((double) color.green),
                              kg_srgb_decode ((double) color.blue), (double) color.alpha });
}

static void
take_pick (gpointer owner, const KgColor *color)
{
  KgRampEditor *self = KG_RAMP_EDITOR (owner);
  g_autoptr (KgTable) rows = dup_rows (self);

  if (self->current < count_rows (rows))
    set_color (self, (KgColor){ color->r, color->g, color->b, get_color (rows, self->current).a });
}

void
kg_ramp_editor_refresh (KgRampEditor *self)
{
  g_autoptr (KgTable) rows = dup_rows (self);
  const guint n = count_rows (rows);
  g_autofree char *text = NULL;
  double position;
  GdkRGBA color;

  self->current = MIN (self->current, n > 0 ? n - 1 : 0);
  gtk_widget_set_sensitive (self->fields, n > 0);
  gtk_widget_queue_draw (self->bar);
  if (n == 0)
    return;
  position = kg_table_get_row (rows, self->current)[POSITION];
  set_rgba (&color, get_color (rows, self->current));
  text = g_strdup_printf (_ ("Stop %u of %u at %g"), self->current + 1, n, position);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bar), GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, position,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
  self->updating = true;
  kg_number_field_set_value (KG_NUMBER_FIELD (self->position), position);
  gtk_color_chooser_set_rgba (GTK_COLOR_CHOOSER (self->color), &color);
  self->updating = false;
}

/* Building. */

static void
kg_ramp_editor_dispose (GObject *object)
{
  KgRampEditor *self = KG_RAMP_EDITOR (object);

  g_clear_pointer (&self->start, kg_table_unref);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (kg_ramp_editor_parent_class)->dispose (object);
}

static void
kg_ramp_editor_class_init (KgRampEditorClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_ramp_editor_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
}

static void
kg_ramp_editor_init (KgRampEditor *self)
{
  GtkGesture *drag = gtk_gesture_drag_new (), *click = gtk_gesture_click_new ();

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  self->bar = GTK_WIDGET (g_object_new (KG_TYPE_RAMP_BAR, NULL));
  KG_RAMP_BAR (self->bar)->editor = self;
  gtk_widget_set_tooltip_text (self->bar,
                               _ ("Double-click to add a stop; drag it off the ramp, or press Delete, to remove it"));
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (self->bar, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (self->bar, GTK_EVENT_CONTROLLER (drag));
  gtk_box_append (GTK_BOX (self->box), self->bar);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

GtkWidget *
kg_ramp_editor_new (KgInputRow *row)
{
  static const KgSlot position = {
    .name = "position", .label = "", .help = "", .kind = KG_NUMBER, .min = -1e6, .max = 1e6, .soft_max = 1
  };
  KgRampEditor *self = KG_RAMP_EDITOR (g_object_new (KG_TYPE_RAMP_EDITOR, NULL));
  g_autofree char *name = g_strdup_printf (_ ("%s: ramp"), kg_type_translate (row->declared->label));

  self->row = row;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bar), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, 1.0, -1);
  self->fields = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  self->position = kg_number_field_new (&position, _ ("Position of the stop"));
  gtk_widget_set_hexpand (self->position, TRUE);
  gtk_widget_set_tooltip_text (self->position, _ ("Position of the stop"));
  g_signal_connect_swapped (self->position, "begin", G_CALLBACK (kg_input_row_begin_drag), row);
  g_signal_connect_swapped (self->position, "end", G_CALLBACK (kg_input_row_end_drag), row);
  g_signal_connect (self->position, "value", G_CALLBACK (on_position), self);
  self->color = gtk_color_button_new ();
  gtk_color_chooser_set_use_alpha (GTK_COLOR_CHOOSER (self->color), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->color), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Colour of the stop"),
                                  -1);
  gtk_widget_set_tooltip_text (self->color, _ ("Colour of the stop"));
  g_signal_connect_swapped (self->color, "color-set", G_CALLBACK (on_color), self);
  gtk_box_append (GTK_BOX (self->fields), self->position);
  gtk_box_append (GTK_BOX (self->fields), self->color);
  gtk_box_append (GTK_BOX (self->fields), kg_pick_button_new (row->document, GTK_WIDGET (self), take_pick));
  gtk_box_append (GTK_BOX (self->box), self->fields);
  return GTK_WIDGET (self);
}

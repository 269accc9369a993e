/* kg-handle-popover: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-handle-popover.h"

#include "config.h"
#include "kg-body-edit.h"
#include "kg-number-field.h"

#include <glib/gi18n.h>

/* Typed numbers are taken as they are. */
#define DECIMALS 12

static const KgSlot place_slot = {
  .name = "place", .label = N_ ("Position"), .help = "", .kind = KG_NUMBER, .unit = KG_METRES
};
static const KgSlot angle_slot = {
  .name = "angle", .label = N_ ("Angle"), .help = "", .kind = KG_NUMBER, .unit = KG_DEGREES
};
static const KgSlot plain_slot = { .name = "number", .label = N_ ("Number"), .help = "", .kind = KG_NUMBER };

/* One field: an axis of the place, a column of a row, or a number of a body. */
typedef struct {
  KgHandleView *view;
  KgGrip grip;
  int axis; /* -1: a column or a number of a body */
  guint slot, column;
  GtkWidget *problem; /* (nullable) of bodies: what is wrong with what was typed; its siblings are the fields */
} Field;

static void
free_field (gpointer data, GClosure *closure)
{
  (void) closure;
  g_free (data);
}

/* False when the node is no longer edited. */
static bool
get_handles (const Field *field, KgHandles *handles)
{
  *handles = kg_handle_view_get_handles (field->view);
  return handles->node == field->grip.node;
}

/* One size of a body can be that of its other axes, too. */
static void
show_body (const KgHandles *handles, const Field *field)
{
  GtkWidget *grid = gtk_widget_get_parent (field->problem);
  double numbers[KG_BODY_NUMBERS];

  if (!kg_body_get_numbers (handles, &field->grip, numbers))
    return;
  for (int i = 0; i < KG_BODY_NUMBERS; i++)
    kg_number_field_set_value (KG_NUMBER_FIELD (gtk_grid_get_child_at (GTK_GRID (grid), 1, i)), numbers[i]);
}

static void
set_body_number (const KgHandles *handles, const Field *field, double number)
{
  g_autoptr (GError) error = NULL;

  kg_body_set_number (handles, &field->grip, (int) field->column, number, &error);
  gtk_label_set_text (GTK_LABEL (field->problem), error != NULL ? error->message : "");
  gtk_widget_set_visible (field->problem, error != NULL);
  show_body (handles, field);
}

static void
on_value (GtkWidget *widget, double number, Field *field)
{
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) start = KG_VALUE_INIT;
  KgHandles handles;
  KgVector to;

  if (!get_handles (field, &handles))
    return;
  if (field->problem != NULL) {
    set_body_number (&handles, field, number);
    return;
  }
  if (field->axis < 0)
    kg_grip_set_number (&handles, &field->grip, field->slot, field->column, number, &error);
  else if (kg_grip_get_start (&handles, &field->grip, &start)) {
    g_autoptr (GArray) grips = kg_handles_find (&handles, NULL);
    KgGrip grip = field->grip;

    /* Where it is now: another field may have moved it. */
    for (guint i = 0; i < grips->len; i++)
      if (kg_grip_is_same (&g_array_index (grips, KgGrip, i), &grip))
        grip = g_array_index (grips, KgGrip, i);
    to = kg_grip_get_vector (&grip);
    *(field->axis == 0 ? &to.x : field->axis == 1 ? &to.y : &to.z) = number;
    kg_grip_move (&handles, &grip, &start, kg_grip_get_place (&grip, to), DECIMALS, false, &error);
  }
  gtk_widget_set_tooltip_text (widget, error != NULL ? error->message : NULL);
  if (error == NULL)
    kg_number_field_set_value (KG_NUMBER_FIELD (widget), number);
}

static void
on_begin (GtkWidget *widget, Field *field)
{
  KgHandles handles = kg_handle_view_get_handles (field->view);

  (void) widget;
  kg_graph_begin_group (kg_document_get_graph (handles.document), _ ("Drag in view"));
}

static void
on_end (GtkWidget *widget, Field *field)
{
  KgHandles handles = kg_handle_view_get_handles (field->view);

  (void) widget;
  kg_graph_end_group (kg_document_get_graph (handles.document));
}

static void
add_field (GtkWidget *grid, int row, const char *label, const KgSlot *slot, double value, const Field *like)
{
  GtkWidget *name = gtk_label_new (label), *field = kg_number_field_new (slot, label);
  Field *data = g_memdup2 (like, sizeof *like);

  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_widget_set_size_request (field, 90, -1);
  kg_number_field_set_value (KG_NUMBER_FIELD (field), value);
  g_signal_connect_data (field, "value", G_CALLBACK (on_value), data, free_field, 0);
  g_signal_connect (field, "begin", G_CALLBACK (on_begin), data);
  g_signal_connect (field, "end", G_CALLBACK (on_end), data);
  gtk_grid_attach (GTK_GRID (grid), name, 0, row, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), field, 1, row, 1, 1);
}

static void
on_button (GtkWidget *button)
{
  GtkWidget *popover = gtk_widget_get_ancestor (button, GTK_TYPE_POPOVER);
  GtkWidget *viewport = gtk_widget_get_parent (popover);
  const char *action = (const char *) g_object_get_data (G_OBJECT (button), "action");

  gtk_popover_popdown (GTK_POPOVER (popover));
  gtk_widget_activate_action (viewport, action, NULL);
}

static void
add_button (GtkWidget *grid, int row, const char *label, const char *action)
{
  GtkWidget *button = gtk_button_new_with_mnemonic (label);

  g_object_set_data (G_OBJECT (button), "action", (gpointer) action);
  g_signal_connect (button, "clicked", G_CALLBACK (on_button), NULL);
  gtk_grid_attach (GTK_GRID (grid), button, 0, row, 2, 1);
}

/* Whatever the body was taken by. */
static GtkWidget *
body_popover_new (const Field *like)
{
  const KgHandles handles = kg_handle_view_get_handles (like->view);
  GtkWidget *popover, *grid;
  double numbers[KG_BODY_NUMBERS];
  Field field = *like;

  if (!kg_body_get_numbers (&handles, &like->grip, numbers))
    return NULL;
  popover = gtk_popover_new ();
  grid = gtk_grid_new ();
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  field.axis = -1;
  field.problem = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (field.problem), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (field.problem), 28);
  gtk_label_set_xalign (GTK_LABEL (field.problem), 0);
  gtk_widget_add_css_class (field.problem, "error");
  gtk_widget_set_visible (field.problem, FALSE);
  for (int i = 0; i < KG_BODY_NUMBERS; i++) {
    field.column = (guint) i;
    add_field (grid, i, kg_body_get_number_label (&like->grip, i), i < 6 ? &place_slot : &angle_slot, numbers[i],
               &field);
  }
  gtk_grid_attach (GTK_GRID (grid), field.problem, 0, KG_BODY_NUMBERS, 2, 1);
  gtk_popover_set_child (GTK_POPOVER (popover), grid);
  return popover;
}

GtkWidget *
kg_handle_popover_new (KgHandleView *view)
{
  static const char *const axes[] = { "x", "y", "z" };
  const KgHandles handles = kg_handle_view_get_handles (view);
  const KgGrip *grip = kg_handle_view_get_active (view);
  GtkWidget *popover, *grid;
  KgVector shown;
  Field field = { .view = view };
  int row = 0;

  if (grip != NULL)
    field.grip = *grip;
  if (grip != NULL && !grip->locked && grip->kind == KG_HANDLE_BODIES)
    return body_popover_new (&field);
  if (grip == NULL || grip->locked || grip->together || grip->shape != KG_GRIP_POINT)
    return NULL;
  popover = gtk_popover_new ();
  grid = gtk_grid_new ();
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  shown = kg_grip_get_vector (grip);
  for (field.axis = 0; field.axis < 3; field.axis++, row++)
    add_field (grid, row, axes[field.axis], &place_slot,
               field.axis == 0   ? shown.x
               : field.axis == 1 ? shown.y
                                 : shown.z,
               &field);
  field.axis = -1;
  for (int slot = kg_grip_find_numbers (grip, -1); slot >= 0; slot = kg_grip_find_numbers (grip, slot)) {
    g_auto (GStrv) columns = g_strsplit (kg_node_get_slot (grip->node, (guint) slot)->handle.columns, " ", -1);
    g_autoptr (GArray) numbers = kg_grip_get_numbers (&handles, grip, (guint) slot);

    if (!kg_handles_is_used (&handles, (guint) slot))
      continue;
    field.slot = (guint) slot;
    for (field.column = 0; field.column < numbers->len; field.column++, row++) {
      const int named = kg_node_find_slot (grip->node, columns[field.column]);

      add_field (grid, row,
                 named >= 0 ? _ (kg_node_get_slot (grip->node, (guint) named)->label) : columns[field.column],
                 &plain_slot, g_array_index (numbers, double, field.column), &field);
    }
  }
  if (grip->kind == KG_HANDLE_POINTS) {
    add_button (grid, row++, _ ("_Add Point After"), "viewport.add-point");
    add_button (grid, row++, _ ("_Remove Point"), "viewport.remove-point");
  }
  gtk_popover_set_child (GTK_POPOVER (popover), grid);
  return popover;
}

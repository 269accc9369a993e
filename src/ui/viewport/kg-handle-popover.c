/* kg-handle-popover: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-handle-popover.h"

#include "config.h"
#include "kg-number-field.h"

#include <glib/gi18n.h>

/* Typed numbers are taken as they are. */
#define DECIMALS 12

static const KgSlot place_slot = {
  .name = "place", .label = N_ ("Position"), .help = "", .kind = KG_NUMBER, .unit = KG_METRES
};
static const KgSlot plain_slot = { .name = "number", .label = N_ ("Number"), .help = "", .kind = KG_NUMBER };

/* One field: an axis of the place, or a column of a row. */
typedef struct {
  KgHandleView *view;
  KgGrip grip;
  int axis; /* -1: a column */
  guint slot, column;
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

static void
on_value (GtkWidget *widget, double number, Field *field)
{
  g_autoptr (GError) error = NULL;
  g_auto (KgValue) start = KG_VALUE_INIT;
  KgHandles handles;
  KgVector to;

  if (!get_handles (field, &handles))
    return;
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
add_field (GtkWidget *grid, int row, const char *label, double value, const Field *like)
{
  GtkWidget *name = gtk_label_new (label),
            *field = kg_number_field_new (like->axis < 0 ? &plain_slot : &place_slot, label);
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

  if (grip == NULL || grip->locked || grip->shape != KG_GRIP_POINT)
    return NULL;
  popover = gtk_popover_new ();
  grid = gtk_grid_new ();
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  field.grip = *grip;
  shown = kg_grip_get_vector (grip);
  for (field.axis = 0; field.axis < 3; field.axis++, row++)
    add_field (grid, row, axes[field.axis], field.axis == 0 ? shown.x : field.axis == 1 ? shown.y : shown.z, &field);
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
                 g_array_index (numbers, double, field.column), &field);
    }
  }
  if (grip->kind == KG_HANDLE_POINTS) {
    add_button (grid, row++, _ ("_Add Point After"), "viewport.add-point");
    add_button (grid, row++, _ ("_Remove Point"), "viewport.remove-point");
  }
  gtk_popover_set_child (GTK_POPOVER (popover), grid);
  return popover;
}

/* kg-item-list: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-item-list.h"

#include "config.h"

#include <glib/gi18n.h>

typedef struct {
  KgSource source; /* what is shown */
  KgItemListMove move;
  gpointer owner;
  GtkWidget *box;
  guint n;             /* rows */
  int dragged, target; /* while a row is dragged; -1: none */
} List;

static void
list_free (gpointer data)
{
  List *self = (List *) data;

  kg_source_clear (&self->source);
  g_free (self);
}

static List *
get_list (GtkWidget *box)
{
  return (List *) g_object_get_data (G_OBJECT (box), "kg-item-list");
}

static GtkWidget *
get_row (List *self, guint item)
{
  GtkWidget *row = gtk_widget_get_first_child (self->box);

  for (guint i = 0; i < item && row != NULL; i++)
    row = gtk_widget_get_next_sibling (row);
  return row;
}

bool
kg_item_list_shows (GtkWidget *box, const KgSource *source)
{
  return kg_source_equal (&get_list (box)->source, source);
}

int
kg_item_list_get_focus (GtkWidget *box, bool *inside)
{
  List *self = get_list (box);

  for (guint i = 0; i < self->n; i++) {
    GtkWidget *row = get_row (self, i);

    if ((gtk_widget_get_state_flags (row) & GTK_STATE_FLAG_FOCUS_WITHIN) != 0) {
      *inside = !gtk_widget_has_focus (row);
      return (int) i;
    }
  }
  return -1;
}

void
kg_item_list_set_focus (GtkWidget *box, guint item, bool inside)
{
  List *self = get_list (box);
  GtkWidget *row = self->n > 0 ? get_row (self, MIN (item, self->n - 1)) : NULL;

  if (row == NULL)
    return;
  if (!inside || !gtk_widget_child_focus (gtk_widget_get_last_child (row), GTK_DIR_TAB_FORWARD))
    gtk_widget_grab_focus (row);
}

/* Dragging. */

static void
set_class (GtkWidget *row, const char *name, bool on)
{
  if (row != NULL && on)
    gtk_widget_add_css_class (row, name);
  else if (row != NULL)
    gtk_widget_remove_css_class (row, name);
}

/* A line where the dragged row goes: above the rows that move down, below those that move up. */
static void
show_target (List *self, int target)
{
  for (guint i = 0; i < self->n; i++) {
    GtkWidget *row = get_row (self, i);

    set_class (row, "kg-item-dragged", self->dragged == (int) i && target >= 0);
    set_class (row, "kg-item-above", target == (int) i && target < self->dragged);
    set_class (row, "kg-item-below", target == (int) i && target > self->dragged);
  }
  self->target = target;
}

static int
find_row_at (List *self, double y)
{
  for (guint i = 0; i < self->n; i++) {
    GtkWidget *row = get_row (self, i);
    graphene_rect_t bounds;

    if (gtk_widget_compute_bounds (row, self->box, &bounds) && y < (double) (bounds.origin.y + bounds.size.height))
      return (int) i;
  }
  return (int) self->n - 1;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, List *self)
{
  GtkWidget *under = gtk_widget_pick (self->box, x, y, GTK_PICK_DEFAULT);

  /* What is in a row has clicks of its own: a row is dragged by its grip, or where it only shows something. */
  while (under != NULL && under != self->box && !GTK_IS_BUTTON (under))
    under = gtk_widget_get_parent (under);
  self->dragged = under == self->box ? find_row_at (self, y) : -1;
  if (self->dragged < 0)
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, List *self)
{
  double x, y;

  if (self->dragged < 0 || !gtk_gesture_drag_get_start_point (gesture, &x, &y))
    return;
  if (self->target < 0 && !gtk_drag_check_threshold (self->box, 0, 0, (int) dx, (int) dy))
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  show_target (self, find_row_at (self, y + dy));
}

static void
on_drag_end (GtkGestureDrag *gesture, double dx, double dy, List *self)
{
  const int from = self->dragged, to = self->target;

  (void) gesture;
  (void) dx;
  (void) dy;
  show_target (self, -1);
  self->dragged = -1;
  if (from >= 0 && to >= 0 && from != to)
    self->move (self->owner, (guint) from, (guint) to);
  else if (from >= 0)
    gtk_widget_grab_focus (get_row (self, (guint) from));
}

static void
on_drag_cancel (GtkGesture *gesture, GdkEventSequence *sequence, List *self)
{
  (void) gesture;
  (void) sequence;
  self->dragged = -1;
  show_target (self, -1);
}

/* Keys. */

static gboolean
on_key (GtkWidget *box, GVariant *arguments, gpointer data)
{
  List *self = get_list (box);
  const int by = g_variant_get_int32 (arguments);
  bool inside;
  const int item = kg_item_list_get_focus (box, &inside);

  (void) data;
  if (item < 0)
    return GDK_EVENT_PROPAGATE;
  if (item + by >= 0 && item + by < (int) self->n)
    self->move (self->owner, (guint) item, (guint) (item + by));
  else
    gtk_widget_error_bell (box);
  return GDK_EVENT_STOP;
}

static void
add_controllers (List *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();
  static const struct {
    guint key;
    int by;
  } bindings[] = { { GDK_KEY_Up, -1 }, { GDK_KEY_KP_Up, -1 }, { GDK_KEY_Down, 1 }, { GDK_KEY_KP_Down, 1 } };

  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (on_drag_end), self);
  g_signal_connect (drag, "cancel", G_CALLBACK (on_drag_cancel), self);
  gtk_widget_add_controller (self->box, GTK_EVENT_CONTROLLER (drag));
  for (guint i = 0; i < G_N_ELEMENTS (bindings); i++) {
    GtkShortcut *shortcut = gtk_shortcut_new_with_arguments (gtk_keyval_trigger_new (bindings[i].key, GDK_ALT_MASK),
                                                             gtk_callback_action_new (on_key, NULL, NULL), "i",
                                                             bindings[i].by);

    gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys), shortcut);
  }
  gtk_widget_add_controller (self->box, keys);
}

/* Rows. */

static void
add_row (List *self, guint item, const char *label, GtkWidget *child)
{
  GtkWidget *row = GTK_WIDGET (g_object_new (GTK_TYPE_BOX, "accessible-role", GTK_ACCESSIBLE_ROLE_LIST_ITEM, NULL));
  GtkWidget *grip = gtk_image_new_from_icon_name ("list-drag-handle-symbolic");
  const KgSource *source = &self->source.list.items[item];
  g_autoptr (GString) constant = g_string_new (NULL);
  g_autofree char *name = NULL;

  if (source->kind != KG_SOURCE_LINK)
    kg_value_write_json (&source->constant, constant);
  /* Translators: an item of a list, its number and how many there are, and the input that it belongs to. */
  name = g_strdup_printf (_ ("%s, %u of %u of %s"), source->kind == KG_SOURCE_LINK ? source->text : constant->str,
                          item + 1, self->source.list.n, label);
  gtk_box_set_spacing (GTK_BOX (row), 2);
  gtk_widget_set_focusable (row, TRUE);
  gtk_widget_set_cursor_from_name (grip, "grab");
  gtk_widget_add_css_class (grip, "kg-dim");
  gtk_widget_set_hexpand (child, TRUE);
  gtk_box_append (GTK_BOX (row), grip);
  gtk_box_append (GTK_BOX (row), child);
  gtk_widget_add_css_class (row, "kg-item");
  gtk_widget_set_tooltip_text (grip, _ ("Drag to another place in the list, or press Alt+Up and Alt+Down"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  GTK_ACCESSIBLE_PROPERTY_KEY_SHORTCUTS, "Alt+Up Alt+Down", -1);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_RELATION_POS_IN_SET, (int) item + 1,
                                  GTK_ACCESSIBLE_RELATION_SET_SIZE, (int) self->source.list.n, -1);
  gtk_box_append (GTK_BOX (self->box), row);
}

GtkWidget *
kg_item_list_new (const KgSource *source, const char *label, GtkWidget *(*make) (gpointer owner, guint item),
                  KgItemListMove move, gpointer owner)
{
  List *self = g_new0 (List, 1);

  self->source = kg_source_copy (source);
  self->move = move;
  self->owner = owner;
  self->dragged = self->target = -1;
  self->n = MIN (source->list.n, KG_ITEM_LIST_MOST);
  self->box = GTK_WIDGET (g_object_new (GTK_TYPE_BOX, "accessible-role", GTK_ACCESSIBLE_ROLE_LIST, "orientation",
                                        GTK_ORIENTATION_VERTICAL, "spacing", 2, NULL));
  g_object_set_data_full (G_OBJECT (self->box), "kg-item-list", self, list_free);
  for (guint i = 0; i < self->n; i++)
    add_row (self, i, label, make (owner, i));
  if (source->list.n > self->n) {
    g_autofree char *more = g_strdup_printf (_ ("and %u more"), source->list.n - self->n);

    gtk_box_append (GTK_BOX (self->box), gtk_label_new (more));
  }
  add_controllers (self);
  return self->box;
}

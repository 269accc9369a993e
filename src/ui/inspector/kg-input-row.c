/* kg-input-row: the row: what feeds the input, keys, and the menu.  The editors are in kg-input-editors.c, what they do to the
 * nodes in kg-input-edits.c; values at a frame are read and written in kg-input-value.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-expression-dialog.h"
#include "kg-curve-area.h"
#include "kg-input-row-private.h"
#include "kg-input-table.h"
#include "kg-input-value.h"
#include "kg-item-list.h"
#include "kg-manual.h"
#include "kg-motion-graph.h"
#include "kg-number.h"

#include <glib/gi18n.h>

#define LABEL_WIDTH 104     /* at least */
#define LABEL_CHARACTERS 15 /* at most */
#define LINE_WIDTH 120      /* of a label of two lines */

G_DEFINE_FINAL_TYPE (KgInputRow, kg_input_row, GTK_TYPE_WIDGET)

static void rebuild (KgInputRow *self);

void
kg_input_row_show_problem (KgInputRow *self, const GError *error)
{
  const char *reason = NULL;

  gtk_widget_set_visible (self->problem, error != NULL);
  gtk_label_set_text (GTK_LABEL (self->problem), error != NULL ? error->message : "");
  if (error != NULL)
    kg_error_get_column (error, &reason);
  g_free (self->reason);
  self->reason = g_strdup (reason);
}

void
kg_input_row_set_shown (KgInputRow *self, const char *text)
{
  char *old = self->shown;

  self->shown = g_strdup (text);
  g_free (old);
}

/* Links. */

static void
on_follow (GtkButton *button, KgInputRow *self)
{
  const guint item = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "item"));
  KgNode *from;
  guint output;

  if (kg_node_get_link (self->node, self->slot, item, &from, &output))
    kg_document_select (self->document, from, false);
}

static GtkWidget *
make_link_button (KgInputRow *self, const char *text, guint item, bool mixed)
{
  /* Several nodes have several links; the one of the node that is shown can be followed. */
  g_autofree char *arrow = mixed ? g_strdup_printf (_ ("several (⟵ %s)"), text) : g_strdup_printf ("⟵ %s", text);
  g_autofree char *tooltip = g_strdup_printf ("%s\n%s", text, _ ("Go to the node linked to this input"));
  GtkWidget *button = gtk_button_new (), *label = gtk_label_new (arrow);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, arrow, -1);
  g_object_set_data (G_OBJECT (button), "item", GUINT_TO_POINTER (item));
  g_signal_connect (button, "clicked", G_CALLBACK (on_follow), self);
  return button;
}

/* A value, or the way to the node that is linked. */
static GtkWidget *
make_item (gpointer owner, guint item)
{
  KgInputRow *self = KG_INPUT_ROW (owner);
  const KgSource *source = &kg_node_get_source (self->node, self->slot)->list.items[item];
  g_autoptr (GString) text = NULL;
  GtkWidget *label;

  if (source->kind == KG_SOURCE_LINK)
    return make_link_button (self, source->text, item, false);
  text = g_string_new (NULL);
  kg_value_write_json (&source->constant, text);
  label = gtk_label_new (text->str);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  return label;
}

/* Of the node that is shown: other selected ones have lists of their own. */
static void
move_item (gpointer owner, guint from, guint to)
{
  KgInputRow *self = KG_INPUT_ROW (owner);
  g_autoptr (GError) error = NULL;
  bool inside = false;

  if (!kg_input_row_can_edit (self) || self->mode != KG_INPUT_MODE_LIST)
    return;
  kg_item_list_get_focus (self->editor, &inside);
  kg_input_move_item (self->node, self->slot, from, to, &error);
  kg_input_row_refresh (self);
  kg_input_row_show_problem (self, error);
  if (error == NULL && self->mode == KG_INPUT_MODE_LIST)
    kg_item_list_set_focus (self->editor, to, inside);
}

static GtkWidget *
make_list (KgInputRow *self)
{
  return kg_item_list_new (kg_node_get_source (self->node, self->slot), kg_type_translate (self->declared->label),
                           make_item, move_item, self);
}

/* What the row shows. */

/* Whether the input is not set and its default is not a constant. */
static bool
has_inner_default (KgInputRow *self)
{
  KgNode *inner;
  guint input;

  return kg_node_find_inner_default (self->node, self->slot, &inner, &input);
}

static KgInputMode
find_mode (KgInputRow *self)
{
  const KgSource *source = kg_node_get_source (self->node, self->slot);
  const KgSourceKind inner = kg_input_get_source (self->node, self->slot)->kind;

  switch (source->kind) {
  case KG_SOURCE_LINK:
    return KG_INPUT_MODE_LINK;
  case KG_SOURCE_LIST:
    return KG_INPUT_MODE_LIST;
  case KG_SOURCE_EXPRESSION:
    return KG_INPUT_MODE_EXPRESSION;
  case KG_SOURCE_KEYS:
    return self->declared->kind == KG_MOTION ? KG_INPUT_MODE_MOTION_KEYS : KG_INPUT_MODE_VALUE;
  case KG_SOURCE_CONSTANT:
  case KG_SOURCE_TABLE:
    return KG_INPUT_MODE_VALUE;
  case KG_SOURCE_DEFAULT:
  default:
    if (inner == KG_SOURCE_LINK || inner == KG_SOURCE_EXPRESSION)
      return KG_INPUT_MODE_COMPUTED;
    return self->declared->list || (self->declared->kind >= KG_MOTION && self->declared->kind != KG_TABLE)
               ? KG_INPUT_MODE_EMPTY
               : KG_INPUT_MODE_VALUE;
  }
}

/* Motions. */

/* From 0 to 1 in one second, or over the whole of an ease: a start to bend.  What multiplies begins with what it is without
 * a curve. */
static void
on_draw (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const bool multiplies = KG_INPUT_ROW (widget)->declared->def == 1;

  (void) name;
  if (multiplies) {
    kg_input_row_edit (KG_INPUT_ROW (widget), kg_input_edit_json,
                       g_variant_get_boolean (parameter) ? "{\"keys\": [[0, [1, 1, 1]], [1, [1, 1, 1]]]}"
                                                         : "{\"keys\": [[0, 1], [1, 1]]}");
    return;
  }
  kg_input_row_edit (KG_INPUT_ROW (widget), kg_input_edit_json,
                     g_variant_get_boolean (parameter) ? "{\"keys\": [[0, [0, 0, 0]], [1, [1, 1, 1]]]}"
                                                       : "{\"keys\": [[0, 0], [1, 1]]}");
}

/* In place of a link. */
static GtkWidget *
make_empty (KgInputRow *self)
{
  const char *text = self->declared->optional ? _ ("not linked") : _ ("needs a link");
  GtkWidget *label = gtk_label_new (text), *box, *button;
  g_autoptr (GMenu) menu = NULL;

  gtk_widget_add_css_class (label, "kg-dim");
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  if (self->declared->kind != KG_MOTION || self->declared->list || self->declared->fixed)
    return label;
  box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  menu = g_menu_new ();
  g_menu_append (menu, _ ("One Curve"), "input.draw(false)");
  g_menu_append (menu, _ ("Three Curves: Position or Colour"), "input.draw(true)");
  button = gtk_menu_button_new ();
  gtk_menu_button_set_label (GTK_MENU_BUTTON (button), _ ("Draw"));
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_widget_set_tooltip_text (button, _ ("Draw the curve here instead of linking one"));
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), button);
  return box;
}

/* In place of a value that nodes inside compute: what is set here takes its place. */
static GtkWidget *
make_computed (KgInputRow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4), *label = gtk_label_new (_ ("computed inside")), *button;

  gtk_widget_add_css_class (label, "kg-dim");
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  if (self->declared->list || self->declared->kind >= KG_MOTION)
    return box;
  button = gtk_button_new_with_label (_ ("Set"));
  gtk_widget_set_tooltip_text (button, _ ("Give this input a value of its own"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "input.set");
  gtk_box_append (GTK_BOX (box), button);
  return box;
}

static GtkWidget *
make_area (KgInputRow *self)
{
  GtkWidget *area = GTK_WIDGET (kg_curve_area_new_for_input (self->document, self->node, self->slot));
  g_autofree char *label = g_strdup_printf (_ ("Curve of %s"), kg_type_translate (self->declared->label));

  gtk_accessible_update_property (GTK_ACCESSIBLE (area), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return area;
}

static void
on_expanded (GtkExpander *expander, GParamSpec *pspec, KgInputRow *self)
{
  GtkWidget *box = NULL, *button;

  (void) pspec;
  if (gtk_expander_get_expanded (expander)) {
    box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
    button = gtk_button_new_with_label (_ ("Open in the Curve Editor"));
    gtk_widget_set_halign (button, GTK_ALIGN_END);
    gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.tab");
    gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", "curves");
    gtk_box_append (GTK_BOX (box), make_area (self));
    gtk_box_append (GTK_BOX (box), button);
  }
  /* A hidden area would follow every change of the graph. */
  gtk_expander_set_child (expander, box);
}

/* Keys of the input, or of a component. */
static bool
has_curves (KgInputRow *self)
{
  const KgSource *source = kg_node_get_source (self->node, self->slot);
  bool has = source->kind == KG_SOURCE_KEYS;

  for (guint i = 0; self->declared->kind == KG_VECTOR && source->kind == KG_SOURCE_TABLE && i < source->table.n; i++)
    has = has || source->table.cells[i].source.kind == KG_SOURCE_KEYS;
  return has;
}

/* The type of the widget that shows the input over time; G_TYPE_INVALID: none. */
static GType
find_below (KgInputRow *self)
{
  if (self->mode == KG_INPUT_MODE_MOTION_KEYS)
    return KG_TYPE_CURVE_AREA;
  if (self->mode == KG_INPUT_MODE_LINK && self->declared->kind == KG_MOTION)
    return KG_TYPE_MOTION_GRAPH;
  if (self->mode == KG_INPUT_MODE_VALUE && has_curves (self))
    return GTK_TYPE_EXPANDER;
  return G_TYPE_INVALID;
}

/* Keeps what is there when it is of the right sort: somebody may be dragging in it. */
static void
update_below (KgInputRow *self)
{
  const GType wanted = find_below (self);

  if (self->below != NULL && G_OBJECT_TYPE (self->below) != wanted)
    g_clear_pointer (&self->below, gtk_widget_unparent);
  if (self->below != NULL || wanted == G_TYPE_INVALID)
    return;
  if (wanted == KG_TYPE_CURVE_AREA)
    self->below = make_area (self);
  else if (wanted == KG_TYPE_MOTION_GRAPH)
    self->below = kg_motion_graph_new (kg_type_translate (self->declared->label));
  else {
    self->below = gtk_expander_new (_ ("Curve"));
    g_signal_connect (self->below, "notify::expanded", G_CALLBACK (on_expanded), self);
  }
  gtk_widget_insert_after (self->below, GTK_WIDGET (self), self->box);
}

char *
kg_input_row_dup_motion (KgInputRow *self)
{
  g_autofree char *path = NULL;
  KgNode *from;
  guint output;

  if (self->declared->kind != KG_MOTION || find_mode (self) != KG_INPUT_MODE_LINK ||
      !kg_node_get_link (self->node, self->slot, 0, &from, &output))
    return NULL;
  path = kg_node_dup_path (from);
  return g_strdup_printf ("%s.%s", path, kg_node_get_link_name (self->node, self->slot, 0));
}

void
kg_input_row_show_motion (KgInputRow *self, const KgMotion *motion)
{
  if (self->below != NULL && KG_IS_MOTION_GRAPH (self->below))
    kg_motion_graph_set_motion (KG_MOTION_GRAPH (self->below), motion);
}

/* The row. */

/* Whether another selected node has another link or expression there, or none. */
static bool
is_fed_otherwise (KgInputRow *self)
{
  const KgSource *source = kg_node_get_source (self->node, self->slot);

  for (guint i = 0; i < MIN (self->others->len, KG_INPUT_MOST_COMPARED); i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (self->others, i);
    const int slot = kg_input_row_find_same (self, other);

    if (slot >= 0 && !kg_source_equal (kg_node_get_source (other, (guint) slot), source))
      return true;
  }
  return false;
}

static GtkWidget *
make_editor (KgInputRow *self)
{
  GtkWidget *label;

  switch (self->mode) {
  case KG_INPUT_MODE_EXPRESSION:
    return kg_input_row_make_expression (self);
  case KG_INPUT_MODE_LINK:
    return make_link_button (self, kg_node_get_source (self->node, self->slot)->text, 0, is_fed_otherwise (self));
  case KG_INPUT_MODE_LIST:
    return make_list (self);
  case KG_INPUT_MODE_MOTION_KEYS:
    label = gtk_label_new (_ ("drawn below"));
    gtk_widget_add_css_class (label, "kg-dim");
    gtk_label_set_xalign (GTK_LABEL (label), 0);
    return label;
  case KG_INPUT_MODE_EMPTY:
    return make_empty (self);
  case KG_INPUT_MODE_COMPUTED:
    return make_computed (self);
  case KG_INPUT_MODE_VALUE:
  case KG_INPUT_MODE_NONE:
  default:
    return kg_input_row_make_value_editor (self);
  }
}

/* Describes what an edit leaves alone, and what is described nowhere else. */
static void
show_kept (KgInputRow *self)
{
  const bool edits = self->mode == KG_INPUT_MODE_VALUE || self->mode == KG_INPUT_MODE_EXPRESSION;
  const bool moves = self->mode == KG_INPUT_MODE_VALUE && has_inner_default (self);
  g_autofree char *text = NULL;
  guint n = 0;

  for (guint i = 0; edits && i < self->others->len; i++) {
    KgNode *other = (KgNode *) g_ptr_array_index (self->others, i);
    const int slot = kg_input_row_find_same (self, other);

    n += slot >= 0 && kg_input_row_keeps (self, other, (guint) slot);
  }
  if (self->unused)
    return;
  gtk_widget_set_visible (self->note, n > 0 || self->several || moves || self->computed_text);
  if (self->computed_text) {
    gtk_label_set_text (GTK_LABEL (self->note), _ ("some cells are computed: edit this table as cells"));
    return;
  }
  if (n == 0 && moves) {
    gtk_label_set_text (GTK_LABEL (self->note), _ ("animated inside: a change here moves its keys to this input"));
    return;
  }
  if (n == 0) {
    gtk_label_set_text (GTK_LABEL (self->note), self->several ? _ ("several") : "");
    return;
  }
  text = g_strdup_printf (
      ngettext ("%u other keeps its link or expression", "%u others keep their links or expressions", n), n);
  gtk_label_set_text (GTK_LABEL (self->note), text);
}

/* Whether nothing of the input can have a key, since all of it is computed. */
static bool
is_all_computed (KgInputRow *self)
{
  const KgSource *source = kg_input_get_source (self->node, self->slot);
  guint n = 0;

  if (self->declared->kind != KG_VECTOR || source->kind != KG_SOURCE_TABLE)
    return false;
  for (guint i = 0; i < source->table.n; i++)
    n += source->table.cells[i].source.kind != KG_SOURCE_KEYS;
  return n == 3;
}

static void
show_keys (KgInputRow *self)
{
  const KgSource *source = kg_node_get_source (self->node, self->slot);
  double before, after;
  const bool here =
      kg_input_find_keys (self->node, self->slot, kg_document_get_frame (self->document), &before, &after);
  const bool keyed = here || !isnan (before) || !isnan (after);
  const bool can = kg_input_can_have_keys (self->declared) && self->mode == KG_INPUT_MODE_VALUE &&
                   !is_all_computed (self);
  const char *text = here    ? _ ("Remove the key at this frame")
                     : keyed ? _ ("Set a key at this frame")
                             : _ ("Animate: set the first key");

  gtk_button_set_label (GTK_BUTTON (self->key_button), here ? "◆" : keyed ? "◈" : "◇");
  gtk_widget_set_tooltip_text (self->key_button, can ? text : NULL);
  /* The label has made its sign the name. */
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->key_button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  can ? text : _ ("No keys can be set here"), -1);
  /* The keyboard may have come here from the field, and would be lost. */
  if (!can && gtk_widget_has_focus (self->key_button))
    gtk_widget_child_focus (self->menu_button, GTK_DIR_TAB_FORWARD);
  gtk_widget_set_sensitive (self->key_button, can);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "input.key", can);
  gtk_widget_set_opacity (self->key_button, can ? 1 : 0);
  if (source->kind == KG_SOURCE_DEFAULT)
    gtk_widget_remove_css_class (self->label, "kg-heading");
  else
    gtk_widget_add_css_class (self->label, "kg-heading");
}

void
kg_input_row_take_selection (KgInputRow *self)
{
  g_ptr_array_set_size (self->others, 0);
  for (guint i = 0; i < kg_document_get_n_selected (self->document); i++) {
    KgNode *other = kg_document_get_selected (self->document, i);

    if (other != self->node)
      g_ptr_array_add (self->others, other);
  }
}

void
kg_input_row_abandon (KgInputRow *self)
{
  kg_input_row_end_drag (self);
  self->abandoned = true;
}

void
kg_input_row_refresh (KgInputRow *self)
{
  if (self->abandoned)
    return;
  if (self->grouped && self->mode != find_mode (self))
    kg_input_row_end_drag (self);
  if (self->mode != find_mode (self) || self->mode == KG_INPUT_MODE_LINK ||
      (self->mode == KG_INPUT_MODE_LIST &&
       !kg_item_list_shows (self->editor, kg_node_get_source (self->node, self->slot))))
    rebuild (self);
  self->updating = true;
  if (self->mode == KG_INPUT_MODE_VALUE)
    kg_input_row_show_value (self);
  else if (self->mode == KG_INPUT_MODE_EXPRESSION)
    kg_input_row_show_text (self, self->editor, kg_node_get_source (self->node, self->slot)->text,
                            is_fed_otherwise (self), NULL);
  show_kept (self);
  show_keys (self);
  update_below (self);
  self->updating = false;
}

/* The tooltip, which names the page of the manual that says more. */
static void
show_help (KgInputRow *self)
{
  const char *help = kg_type_translate (self->declared->help);
  g_autofree char *title = self->declared->manual != NULL ? kg_manual_dup_title (self->declared->manual) : NULL;
  g_autofree char *more = title != NULL ? g_strdup_printf (_ ("More under Help: %s"), title) : NULL;
  g_autofree char *text = more != NULL ? g_strdup_printf ("%s\n%s", help, more) : NULL;

  gtk_widget_set_tooltip_text (self->label, text != NULL ? text : help);
}

static void
rebuild (KgInputRow *self)
{
  const bool focused = self->editor != NULL &&
                       (gtk_widget_get_state_flags (self->editor) & GTK_STATE_FLAG_FOCUS_WITHIN) != 0;
  bool inside = false;
  const int item = focused && self->mode == KG_INPUT_MODE_LIST ? kg_item_list_get_focus (self->editor, &inside) : -1;

  if (self->editor != NULL)
    gtk_box_remove (GTK_BOX (self->box), self->editor);
  for (guint i = 0; i < 3; i++)
    self->fields[i] = NULL;
  self->grid = self->ramp = NULL;
  g_clear_pointer (&self->shown, g_free);
  self->several = self->computed_text = false;
  self->mode = find_mode (self);
  self->updating = true;
  self->editor = make_editor (self);
  self->updating = false;
  gtk_widget_set_hexpand (self->editor, TRUE);
  if (self->mode == KG_INPUT_MODE_VALUE && self->declared->kind == KG_BOOLEAN)
    gtk_widget_set_halign (self->editor, GTK_ALIGN_START);
  show_help (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->editor), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  kg_type_translate (self->declared->label), -1);
  gtk_box_insert_child_after (GTK_BOX (self->box), self->editor, self->label);
  /* The new editor takes over the focus of the old one. */
  if (item >= 0 && self->mode == KG_INPUT_MODE_LIST)
    kg_item_list_set_focus (self->editor, (guint) item, inside);
  else if (focused && !gtk_widget_grab_focus (self->editor))
    gtk_widget_child_focus (self->editor, GTK_DIR_TAB_FORWARD);
}

/* The menu. */

/* (transfer full) What feeds the input, as in files; of one at its default the value; NULL: it is not known. */
static char *
dup_source (KgInputRow *self)
{
  const KgSource *source = kg_input_get_source (self->node, self->slot);
  g_auto (KgSource) constant = KG_SOURCE_INIT;
  g_auto (KgValue) value = KG_VALUE_INIT;
  GString *text;

  if (source->kind == KG_SOURCE_DEFAULT) {
    if (!kg_input_get_value (self->node, self->slot, kg_document_get_frame (self->document), &value))
      return NULL;
    constant = kg_source_constant (&value);
    source = &constant;
  }
  text = g_string_new (NULL);
  kg_source_write_json (source, self->declared, text);
  return g_string_free (text, FALSE);
}

static void
on_copy (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgInputRow *self = KG_INPUT_ROW (widget);
  g_autofree char *text = NULL;

  (void) parameter;
  if (g_str_equal (name, "input.copy-reference"))
    text = g_strdup_printf ("{\"expr\": \"%s.%s\"}", kg_node_get_name (self->node), self->declared->name);
  else
    text = dup_source (self);
  if (text != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

/* A value becomes a key where there are keys, as if it had been typed; all else replaces what feeds the input. */
static void
paste (KgInputRow *self, const char *text)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) json = kg_json_parse (text, -1, problems);
  g_auto (KgSource) source = KG_SOURCE_INIT;

  if (json != NULL && kg_source_from_json (json, self->declared, &source, NULL) && source.kind == KG_SOURCE_CONSTANT)
    kg_input_row_edit (self, kg_input_edit_value, &source.constant);
  else
    kg_input_row_edit (self, kg_input_edit_json, text);
}

static void
on_clipboard (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  g_autoptr (KgInputRow) self = KG_INPUT_ROW (data);
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);

  if (text != NULL && kg_input_row_can_edit (self))
    paste (self, text);
}

static void
on_paste (GtkWidget *widget, const char *name, GVariant *parameter)
{
  (void) name;
  (void) parameter;
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (widget), NULL, on_clipboard, g_object_ref (widget));
}

static void
on_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgInputRow *self = KG_INPUT_ROW (widget);
  const double frame = kg_document_get_frame (self->document);
  double before, after;

  (void) parameter;
  if (g_str_equal (name, "input.reset")) {
    kg_document_set_draft (self->document, self->node, self->declared->name, NULL);
    kg_input_row_edit (self, kg_input_edit_reset, NULL);
  } else if (g_str_equal (name, "input.split"))
    kg_input_row_edit (self, kg_input_edit_split, NULL);
  else if (g_str_equal (name, "input.set"))
    kg_input_row_edit (self, kg_input_edit_set, NULL);
  else if (g_str_equal (name, "input.key")) {
    /* Several nodes get what the one that is shown gets: not one a key and the next one none. */
    const bool here = kg_input_find_keys (self->node, self->slot, frame, &before, &after);

    kg_input_row_edit (self, kg_input_edit_key, &here);
  } else if (g_str_equal (name, "input.remove-keys"))
    kg_input_row_edit (self, kg_input_edit_remove_keys, NULL);
  else if (g_str_equal (name, "input.previous-key") || g_str_equal (name, "input.next-key")) {
    kg_input_find_keys (self->node, self->slot, frame, &before, &after);
    if (g_str_equal (name, "input.next-key"))
      before = after;
    if (!isnan (before))
      kg_document_set_frame (self->document, before);
  } else if (g_str_equal (name, "input.expression")) {
    g_autofree char *text = kg_input_dup_expression (self->node, self->slot, frame);

    kg_input_row_edit (self, kg_input_edit_expression, text);
    kg_input_row_refresh (self);
    gtk_widget_grab_focus (self->editor);
  }
}

static void
take_expression (gpointer owner, const char *text)
{
  KgInputRow *self = KG_INPUT_ROW (owner);

  if (self->abandoned)
    return;
  kg_input_row_edit (self, kg_input_edit_expression, text);
  kg_input_row_refresh (self);
  gtk_widget_grab_focus (self->editor);
}

static bool
takes_expressions (KgInputRow *self)
{
  return !self->declared->fixed && !self->declared->list && self->declared->kind <= KG_COLOR;
}

/* Components. */

static void
take_component_expression (gpointer owner, const char *text)
{
  KgInputRow *self = KG_INPUT_ROW (owner);

  if (self->abandoned)
    return;
  kg_input_row_set_component_expression (self, self->edited_component, text);
  kg_input_row_refresh (self);
  if (self->fields[self->edited_component] != NULL)
    gtk_widget_grab_focus (self->fields[self->edited_component]);
}

static void
edit_component_expression (KgInputRow *self, guint index)
{
  const KgSource *source = kg_source_get_cell (kg_input_get_source (self->node, self->slot), 0, index);
  g_autoptr (GPtrArray) names = kg_input_row_dup_names (self);
  g_autofree char *title = g_strdup_printf ("%s.%s.%s", kg_node_get_name (self->node), self->declared->name,
                                            kg_slot_get_component (self->declared, index));
  g_autofree char *text = NULL;

  if (source != NULL && source->kind != KG_SOURCE_KEYS)
    text = g_strdup (source->text);
  else {
    bool known;
    g_autoptr (KgTable)
        rows = kg_input_dup_rows (self->node, self->slot, kg_document_get_frame (self->document), &known);

    text = kg_number_format_exact (rows != NULL ? kg_table_get_row (rows, 0)[index] : 0);
  }
  self->edited_component = index;
  kg_expression_dialog_open (GTK_WIDGET (self), title, text, names, take_component_expression);
}

static void
on_component (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgInputRow *self = KG_INPUT_ROW (widget);
  const guint index = g_variant_get_uint32 (parameter);

  if (self->abandoned || self->declared->kind != KG_VECTOR || index > 2)
    return;
  if (g_str_equal (name, "input.component-key"))
    kg_input_row_key_component (self, index);
  else if (g_str_equal (name, "input.component-number"))
    kg_input_row_free_component (self, index);
  else if (takes_expressions (self))
    edit_component_expression (self, index);
}

/* What is typed already, or else what the input is now.  In a field of a vector it is that of the component. */
static void
on_edit_expression (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgInputRow *self = KG_INPUT_ROW (widget);
  g_autoptr (GPtrArray) names = NULL;
  g_autofree char *text = NULL, *title = NULL;

  (void) name;
  (void) parameter;
  if (!takes_expressions (self) || self->abandoned)
    return;
  if (kg_input_row_find_component (self) >= 0) {
    edit_component_expression (self, (guint) kg_input_row_find_component (self));
    return;
  }
  names = kg_input_row_dup_names (self);
  text = self->mode == KG_INPUT_MODE_EXPRESSION
             ? g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->editor)))
             : kg_input_dup_expression (self->node, self->slot, kg_document_get_frame (self->document));
  title = g_strdup_printf ("%s.%s", kg_node_get_name (self->node), self->declared->name);
  kg_expression_dialog_open (widget, title, text, names, take_expression);
}

static GMenuModel *
make_menu (KgInputRow *self)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) keys = g_menu_new ();
  g_autoptr (GMenu) clipboard = g_menu_new ();

  g_menu_append (menu, _ ("Reset to Default"), "input.reset");
  if (takes_expressions (self)) {
    g_autoptr (GMenuItem) item = g_menu_item_new (_ ("Edit Expression…"), "input.edit-expression");

    g_menu_item_set_attribute (item, "accel", "s", "<Alt>e");
    g_menu_append (menu, _ ("Expression"), "input.expression");
    g_menu_append_item (menu, item);
  }
  if (kg_input_can_have_keys (self->declared)) {
    g_menu_append (keys, _ ("Key Here"), "input.key");
    g_menu_append (keys, _ ("Previous Key"), "input.previous-key");
    g_menu_append (keys, _ ("Next Key"), "input.next-key");
    g_menu_append (keys, _ ("Remove All Keys"), "input.remove-keys");
    if (self->declared->kind == KG_VECTOR)
      g_menu_append (keys, _ ("Separate Components"), "input.split");
    g_menu_append_section (menu, NULL, G_MENU_MODEL (keys));
  }
  g_menu_append (clipboard, _ ("Copy"), "input.copy");
  if (kg_kind_get_width (self->declared->kind) > 0 && !self->declared->list)
    g_menu_append (clipboard, _ ("Copy Reference"), "input.copy-reference");
  g_menu_append (clipboard, _ ("Paste"), "input.paste");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (clipboard));
  return G_MENU_MODEL (menu);
}

bool
kg_input_row_matches (KgInputRow *self, const char *text)
{
  g_autofree char *wanted = g_utf8_casefold (text, -1);
  g_autofree char *label = g_utf8_casefold (kg_type_translate (self->declared->label), -1);
  g_autofree char *name = g_utf8_casefold (self->declared->name, -1);

  return strstr (label, wanted) != NULL || strstr (name, wanted) != NULL;
}

bool
kg_input_row_is_shown (KgInputRow *self)
{
  return kg_input_meets_condition (self->node, self->condition, kg_document_get_frame (self->document));
}

bool
kg_input_row_is_set (KgInputRow *self)
{
  return kg_node_get_source (self->node, self->slot)->kind != KG_SOURCE_DEFAULT;
}

void
kg_input_row_set_used (KgInputRow *self, bool used)
{
  const guint n = kg_node_get_n_slots (self->node);
  g_autofree char *needs = NULL, *text = NULL;

  if (used == !self->unused)
    return;
  self->unused = !used;
  gtk_widget_set_opacity (self->box, used ? 1 : 0.55);
  if (used) {
    show_kept (self);
    return;
  }
  needs = kg_slot_describe_condition (kg_node_get_slot (self->node, 0), n, self->declared, true);
  text = g_strdup_printf (_ ("no effect unless %s"), needs != NULL ? needs : "");
  gtk_label_set_text (GTK_LABEL (self->note), text);
  gtk_widget_set_visible (self->note, TRUE);
}

const char *
kg_input_row_get_group (KgInputRow *self)
{
  return self->declared->group != NULL ? kg_type_translate (self->declared->group) : NULL;
}

static void
kg_input_row_dispose (GObject *object)
{
  KgInputRow *self = KG_INPUT_ROW (object);

  kg_input_row_end_drag (self);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_pointer (&self->below, gtk_widget_unparent);
  g_clear_pointer (&self->problem, gtk_widget_unparent);
  g_clear_pointer (&self->note, gtk_widget_unparent);
  g_clear_pointer (&self->shown, g_free);
  g_clear_pointer (&self->reason, g_free);
  g_clear_object (&self->choices);
  g_clear_object (&self->document);
  kg_value_clear (&self->grouped_value);
  self->grouped_value = (KgValue) KG_VALUE_INIT;
  g_clear_pointer (&self->condition, kg_condition_free);
  g_clear_pointer (&self->others, g_ptr_array_unref);
  G_OBJECT_CLASS (kg_input_row_parent_class)->dispose (object);
}

static void
kg_input_row_class_init (KgInputRowClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);
  static const char *const actions[] = { "input.reset",    "input.key",         "input.previous-key",
                                         "input.next-key", "input.remove-keys", "input.expression",
                                         "input.set",      "input.split" };

  G_OBJECT_CLASS (class)->dispose = kg_input_row_dispose;
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i], NULL, on_action);
  gtk_widget_class_install_action (widget, "input.edit-expression", NULL, on_edit_expression);
  gtk_widget_class_install_action (widget, "input.component-key", "u", on_component);
  gtk_widget_class_install_action (widget, "input.component-number", "u", on_component);
  gtk_widget_class_install_action (widget, "input.component-expression", "u", on_component);
  gtk_widget_class_add_binding_action (widget, GDK_KEY_e, GDK_ALT_MASK, "input.edit-expression", NULL);
  gtk_widget_class_install_action (widget, "input.draw", "b", on_draw);
  gtk_widget_class_install_action (widget, "input.copy", NULL, on_copy);
  gtk_widget_class_install_action (widget, "input.copy-reference", NULL, on_copy);
  gtk_widget_class_install_action (widget, "input.paste", NULL, on_paste);
  gtk_widget_class_set_layout_manager_type (widget, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget, "inputrow");
}

static void
kg_input_row_init (KgInputRow *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  self->grouped_value = (KgValue) KG_VALUE_INIT;
  self->others = g_ptr_array_new ();
  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  self->label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_size_request (self->label, LABEL_WIDTH, -1);
  gtk_label_set_max_width_chars (GTK_LABEL (self->label), LABEL_CHARACTERS);
  self->key_button = gtk_button_new_with_label ("◇");
  gtk_button_set_has_frame (GTK_BUTTON (self->key_button), FALSE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->key_button), "input.key");
  self->menu_button = gtk_menu_button_new ();
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (self->menu_button), "view-more-symbolic");
  gtk_menu_button_set_has_frame (GTK_MENU_BUTTON (self->menu_button), FALSE);
  gtk_widget_set_tooltip_text (self->menu_button, _ ("More about this input"));
  self->problem = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->problem), 0);
  gtk_label_set_wrap (GTK_LABEL (self->problem), TRUE);
  gtk_widget_add_css_class (self->problem, "kg-error");
  gtk_widget_set_visible (self->problem, FALSE);
  self->note = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->note), 1);
  gtk_label_set_wrap (GTK_LABEL (self->note), TRUE);
  gtk_widget_add_css_class (self->note, "kg-dim");
  gtk_widget_set_visible (self->note, FALSE);
  gtk_box_append (GTK_BOX (self->box), self->label);
  gtk_box_append (GTK_BOX (self->box), self->key_button);
  gtk_box_append (GTK_BOX (self->box), self->menu_button);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_set_parent (self->problem, GTK_WIDGET (self));
  gtk_widget_set_parent (self->note, GTK_WIDGET (self));
}

/* What is too long has two lines, in some languages nearly every name of two words.  (A label that wraps would ask for the
 * width that it has in the height of its row: in one line.) */
static void
set_label (KgInputRow *self, const char *text)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (self->label, text);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();
  g_autofree char *broken = NULL;

  /* As wide as it is when the input is set. */
  pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  pango_layout_set_attributes (layout, attributes);
  pango_layout_set_width (layout, LINE_WIDTH * PANGO_SCALE);
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD);
  if (pango_layout_get_line_count (layout) > 1) {
    const int length = pango_layout_get_line_readonly (layout, 0)->length;
    g_autofree char *first = g_strchomp (g_strndup (text, (gsize) length));

    broken = g_strdup_printf ("%s\n%s", first, text + length + strspn (text + length, " "));
  }
  gtk_label_set_text (GTK_LABEL (self->label), broken != NULL ? broken : text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->label), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

GtkWidget *
kg_input_row_new (KgDocument *document, KgNode *node, guint slot, GtkSizeGroup *labels)
{
  KgInputRow *self = KG_INPUT_ROW (g_object_new (KG_TYPE_INPUT_ROW, NULL));
  g_autoptr (GMenuModel) menu = NULL;

  self->document = (KgDocument *) g_object_ref (document);
  self->node = node;
  self->slot = slot;
  self->declared = kg_node_get_slot (node, slot);
  if (self->declared->shown_when != NULL)
    self->condition = kg_condition_new (self->declared->shown_when, NULL);
  set_label (self, kg_type_translate (self->declared->label));
  gtk_size_group_add_widget (labels, self->label);
  menu = make_menu (self);
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->menu_button), menu);
  kg_input_row_take_selection (self);
  rebuild (self);
  kg_input_row_refresh (self);
  return GTK_WIDGET (self);
}

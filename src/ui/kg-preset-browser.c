/* kg-preset-browser: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-browser.h"

#include "config.h"
#include "kg-preset.h"
#include "kg-search.h"

#include <glib/gi18n.h>

#define PICTURE_WIDTH 160
#define PICTURE_HEIGHT 90

struct _KgPresetBrowser {
  GtkWidget parent_instance;
  KgTypes *types;
  GtkWidget *box, *search, *flow;
};

G_DEFINE_FINAL_TYPE (KgPresetBrowser, kg_preset_browser, GTK_TYPE_WIDGET)

static const KgPreset *
get_preset (gpointer child)
{
  return (const KgPreset *) g_object_get_data (G_OBJECT (child), "preset");
}

static gboolean
is_wanted (GtkFlowBoxChild *child, gpointer data)
{
  KgPresetBrowser *self = KG_PRESET_BROWSER (data);

  return kg_search_score (kg_preset_get_type (get_preset (child)),
                          gtk_editable_get_text (GTK_EDITABLE (self->search))) > 0;
}

static void
on_activated (GtkFlowBox *flow, GtkFlowBoxChild *child, KgPresetBrowser *self)
{
  (void) flow;
  g_signal_emit_by_name (self, "chosen", kg_preset_get_id (get_preset (child)));
}

/* Dragged as its id, which the canvas knows what to do with. */
static GdkContentProvider *
on_drag_prepare (GtkDragSource *source, double x, double y, GtkWidget *child)
{
  (void) source;
  (void) x;
  (void) y;
  return gdk_content_provider_new_typed (G_TYPE_STRING, kg_preset_get_id (get_preset (child)));
}

static GtkWidget *
make_picture (const KgPreset *preset)
{
  const char *name = kg_preset_get_text (preset, "thumbnail"), *path = kg_preset_get_path (preset);
  GtkWidget *picture = gtk_picture_new ();

  gtk_widget_set_size_request (picture, PICTURE_WIDTH, PICTURE_HEIGHT);
  if (name != NULL && path != NULL) {
    g_autofree char *folder = g_path_get_dirname (path), *file = g_build_filename (folder, name, NULL);
    /* Its own size would be that of its place: as many as fit shall stand in a row. */
    g_autoptr (GdkPixbuf) small = gdk_pixbuf_new_from_file_at_size (file, PICTURE_WIDTH, PICTURE_HEIGHT, NULL);

    if (small != NULL)
      gtk_picture_set_pixbuf (GTK_PICTURE (picture), small);
  }
  return picture;
}

static GtkWidget *
make_child (const KgPreset *preset)
{
  const char *summary = kg_preset_get_text (preset, "summary");
  const KgNodeType *type = kg_preset_get_type (preset);
  GtkWidget *child = gtk_flow_box_child_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *label = gtk_label_new (type->label);
  GtkDragSource *source = gtk_drag_source_new ();

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 18);
  gtk_box_append (GTK_BOX (box), make_picture (preset));
  gtk_box_append (GTK_BOX (box), label);
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), box);
  gtk_widget_set_tooltip_text (child, summary != NULL ? summary : type->id);
  gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, type->label, -1);
  g_object_set_data_full (G_OBJECT (child), "preset", kg_preset_ref (preset), (GDestroyNotify) kg_preset_unref);
  g_signal_connect (source, "prepare", G_CALLBACK (on_drag_prepare), child);
  gtk_widget_add_controller (child, GTK_EVENT_CONTROLLER (source));
  return child;
}

void
kg_preset_browser_set_types (KgPresetBrowser *self, KgTypes *types)
{
  GtkWidget *child;

  if (types == self->types)
    return;
  g_clear_pointer (&self->types, kg_types_unref);
  self->types = kg_types_ref (types);
  while ((child = gtk_widget_get_first_child (self->flow)) != NULL)
    gtk_flow_box_remove (GTK_FLOW_BOX (self->flow), child);
  for (guint i = 0; i < kg_types_get_n (types); i++)
    if (kg_types_get (types, i)->preset != NULL)
      gtk_flow_box_append (GTK_FLOW_BOX (self->flow), make_child (kg_types_get (types, i)->preset));
}

static void
kg_preset_browser_dispose (GObject *object)
{
  KgPresetBrowser *self = KG_PRESET_BROWSER (object);

  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_pointer (&self->types, kg_types_unref);
  G_OBJECT_CLASS (kg_preset_browser_parent_class)->dispose (object);
}

static void
kg_preset_browser_class_init (KgPresetBrowserClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_preset_browser_dispose;
  g_signal_new ("chosen", KG_TYPE_PRESET_BROWSER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (class), GTK_TYPE_BIN_LAYOUT);
}

static void
kg_preset_browser_init (KgPresetBrowser *self)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  self->search = gtk_search_entry_new ();
  g_object_set (self->search, "placeholder-text", _ ("Search presets"), NULL);
  gtk_box_append (GTK_BOX (self->box), self->search);
  self->flow = gtk_flow_box_new ();
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (self->flow), 20);
  gtk_flow_box_set_homogeneous (GTK_FLOW_BOX (self->flow), TRUE);
  gtk_flow_box_set_activate_on_single_click (GTK_FLOW_BOX (self->flow), FALSE);
  gtk_flow_box_set_filter_func (GTK_FLOW_BOX (self->flow), is_wanted, self, NULL);
  gtk_widget_set_valign (self->flow, GTK_ALIGN_START);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->flow);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (self->box), scrolled);
  g_signal_connect_swapped (self->search, "search-changed", G_CALLBACK (gtk_flow_box_invalidate_filter), self->flow);
  g_signal_connect (self->flow, "child-activated", G_CALLBACK (on_activated), self);
}

GtkWidget *
kg_preset_browser_new (void)
{
  return GTK_WIDGET (g_object_new (KG_TYPE_PRESET_BROWSER, NULL));
}

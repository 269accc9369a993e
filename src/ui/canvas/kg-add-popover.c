/* kg-add-popover: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-add-popover.h"

#include "config.h"
#include "kg-family.h"
#include "kg-search-list.h"
#include "kg-settings.h"

#include <glib/gi18n.h>

#define ICON_SIZE 20

struct _KgAddPopover {
  GtkPopover parent_instance;
  KgTypes *types;
  KgSearchList search;
  GtkWidget *help;
  bool by_family; /* rows stand below the names of their families */
  KgKind kind;
  bool is_output;
};

G_DEFINE_FINAL_TYPE (KgAddPopover, kg_add_popover, GTK_TYPE_POPOVER)

static void
draw_icon (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  const char *type_id = (const char *) data;
  const double size = MIN (width, height);

  (void) area;
  cairo_rectangle (cr, 0, 0, size, size);
  kg_tint_set (cr, kg_family_get_tint (type_id), 1);
  cairo_fill (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  kg_family_draw_icon (cr, type_id, 2, 2, size - 4);
}

static GtkWidget *
make_icon (const char *type_id)
{
  GtkWidget *icon = gtk_drawing_area_new ();

  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (icon), ICON_SIZE);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (icon), ICON_SIZE);
  gtk_widget_set_valign (icon, GTK_ALIGN_CENTER);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (icon), draw_icon, g_strdup (type_id), g_free);
  return icon;
}

static void
choose (GtkPopover *popover, GtkListBoxRow *row)
{
  const KgNodeType *type = (const KgNodeType *) g_object_get_data (G_OBJECT (row), "type");

  kg_settings_add_recent_node (kg_settings_get_default (), type->id);
  g_signal_emit_by_name (popover, "chosen", type->id);
}

static void
on_row_selected (GtkListBox *list, GtkListBoxRow *row, KgAddPopover *self)
{
  const KgNodeType *type = row != NULL ? (const KgNodeType *) g_object_get_data (G_OBJECT (row), "type") : NULL;

  (void) list;
  gtk_label_set_text (GTK_LABEL (self->help), type != NULL ? kg_type_translate (type->help) : "");
}

static GtkWidget *
make_row (const KgNodeType *type, bool recent)
{
  GtkWidget *row = kg_search_list_make_row (gtk_label_new (kg_type_translate (type->label)), type->id);

  gtk_box_prepend (GTK_BOX (gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row))), make_icon (type->id));
  g_object_set_data (G_OBJECT (row), "recent", GINT_TO_POINTER (recent));
  g_object_set_data (G_OBJECT (row), "type", (gpointer) type);
  return row;
}

static int
compare_families (gconstpointer a, gconstpointer b)
{
  const KgNodeType *x = *(const KgNodeType *const *) a, *y = *(const KgNodeType *const *) b;
  g_autofree char *p = kg_type_dup_family (x), *q = kg_type_dup_family (y);
  /* Those of presets come after those of the program. */
  const int foreign = (kg_family_get_label (p) == NULL) - (kg_family_get_label (q) == NULL);
  const int order = foreign != 0 ? foreign : g_strcmp0 (p, q);

  return order != 0 ? order : g_utf8_collate (kg_type_translate (x->label), kg_type_translate (y->label));
}

/* Those that were added last, of those that are found. */
static void
append_recent (KgAddPopover *self, const GPtrArray *found)
{
  g_auto (GStrv) recent = kg_settings_dup_recent_nodes (kg_settings_get_default ());

  for (guint i = 0; recent[i] != NULL; i++)
    for (guint k = 0; k < found->len; k++)
      if (g_str_equal (((const KgNodeType *) found->pdata[k])->id, recent[i]))
        gtk_list_box_append (GTK_LIST_BOX (self->search.list), make_row ((const KgNodeType *) found->pdata[k], true));
}

/* Without words: what was added last, and then all by families; with words what fits best comes first. */
static void
fill (GtkPopover *popover, const char *words)
{
  KgAddPopover *self = KG_ADD_POPOVER (popover);
  g_autoptr (GPtrArray) found = kg_search_types (self->types, words, self->kind, self->is_output);
  g_autofree char *nothing = g_strdup_printf (_ ("No node is called “%s”."), words);

  self->by_family = *words == '\0';
  gtk_label_set_text (GTK_LABEL (self->search.nothing), *words != '\0' ? nothing : _ ("No node fits here."));
  if (self->by_family) {
    append_recent (self, found);
    g_ptr_array_sort (found, compare_families);
  }
  for (guint i = 0; i < found->len; i++)
    gtk_list_box_append (GTK_LIST_BOX (self->search.list),
                         make_row ((const KgNodeType *) g_ptr_array_index (found, i), false));
}

/* (transfer full) (nullable) What stands above the rows of its kind. */
static char *
dup_heading (GtkListBoxRow *row)
{
  const KgNodeType *type = (const KgNodeType *) g_object_get_data (G_OBJECT (row), "type");
  g_autofree char *family = kg_type_dup_family (type);

  if (g_object_get_data (G_OBJECT (row), "recent") != NULL)
    return g_strdup (_ ("Recent"));
  if (kg_family_get_label (family) != NULL)
    return g_strdup (kg_family_get_label (family));
  /* Of presets there is only the word of their authors. */
  return g_strdup_printf (_ ("Presets: %s"), family);
}

static void
set_heading (GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  const KgAddPopover *self = (const KgAddPopover *) data;
  g_autofree char *heading = self->by_family ? dup_heading (row) : NULL;
  g_autofree char *above = before != NULL && heading != NULL ? dup_heading (before) : NULL;
  GtkWidget *label;

  if (heading == NULL || g_strcmp0 (heading, above) == 0) {
    gtk_list_box_row_set_header (row, NULL);
    return;
  }
  label = gtk_label_new (heading);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_margin_top (label, before != NULL ? 9 : 3);
  gtk_widget_set_margin_start (label, 6);
  gtk_widget_add_css_class (label, "kg-heading");
  gtk_list_box_row_set_header (row, label);
}

static void
kg_add_popover_finalize (GObject *object)
{
  g_clear_pointer (&KG_ADD_POPOVER (object)->types, kg_types_unref);
  G_OBJECT_CLASS (kg_add_popover_parent_class)->finalize (object);
}

static void
kg_add_popover_class_init (KgAddPopoverClass *class)
{
  G_OBJECT_CLASS (class)->finalize = kg_add_popover_finalize;
  g_signal_new ("chosen", KG_TYPE_ADD_POPOVER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
kg_add_popover_init (KgAddPopover *self)
{
  self->kind = KG_N_KINDS;
  self->search.fill = fill;
  self->search.choose = choose;
  kg_search_list_init (&self->search, GTK_POPOVER (self), _ ("Search nodes"), NULL, 340);
  gtk_list_box_set_header_func (GTK_LIST_BOX (self->search.list), set_heading, self, NULL);
  self->help = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (self->help), TRUE);
  gtk_label_set_xalign (GTK_LABEL (self->help), 0);
  gtk_label_set_max_width_chars (GTK_LABEL (self->help), 44);
  gtk_label_set_lines (GTK_LABEL (self->help), 5);
  gtk_label_set_ellipsize (GTK_LABEL (self->help), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->help, "kg-dim");
  gtk_box_append (GTK_BOX (self->search.box), self->help);
  g_signal_connect (self->search.list, "row-selected", G_CALLBACK (on_row_selected), self);
}

GtkWidget *
kg_add_popover_new (void)
{
  return GTK_WIDGET (g_object_new (KG_TYPE_ADD_POPOVER, NULL));
}

void
kg_add_popover_set_types (KgAddPopover *self, KgTypes *types)
{
  kg_types_ref (types);
  g_clear_pointer (&self->types, kg_types_unref);
  self->types = types;
}

void
kg_add_popover_prepare (KgAddPopover *self, KgKind kind, bool is_output)
{
  self->kind = kind;
  self->is_output = is_output;
  kg_search_list_start (&self->search);
}

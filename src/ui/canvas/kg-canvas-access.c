/* kg-canvas-access: the canvas for people who do not see it.
 *
 * Nodes are drawn, so that screen readers would find nothing.  Each node in view therefore has a widget of no looks in its
 * place, which says what it is: its name and type, what is wrong with it, and what it is linked to.  The canvas is a
 * list box of them, whose active descendant is the active node.
 *
 * The widgets follow when the view has come to rest, so that they cost no frames; of a crowd only the nearest to the
 * middle have one, and the selected nodes always.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"

#include <glib/gi18n.h>

#define REST_MILLISECONDS 200
#define MOST_WAITS 5 /* times so long */
#define MOST_NODES 400
/* Users of a node beyond so many are counted, not named. */
#define MOST_NAMES 8

#define KG_TYPE_CANVAS_NODE (kg_canvas_node_get_type ())
G_DECLARE_FINAL_TYPE (KgCanvasNode, kg_canvas_node, KG, CANVAS_NODE, GtkWidget)

struct _KgCanvasNode {
  GtkWidget parent_instance;
  KgRect place; /* in the canvas */
  char *label, *description;
};

G_DEFINE_FINAL_TYPE (KgCanvasNode, kg_canvas_node, GTK_TYPE_WIDGET)

static void
kg_canvas_node_finalize (GObject *object)
{
  KgCanvasNode *self = KG_CANVAS_NODE (object);

  g_free (self->label);
  g_free (self->description);
  G_OBJECT_CLASS (kg_canvas_node_parent_class)->finalize (object);
}

static void
kg_canvas_node_class_init (KgCanvasNodeClass *class)
{
  G_OBJECT_CLASS (class)->finalize = kg_canvas_node_finalize;
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (class), GTK_ACCESSIBLE_ROLE_OPTION);
}

static void
kg_canvas_node_init (KgCanvasNode *self)
{
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
}

/* What is said. */

static char *
make_label (KgCanvas *self, KgNode *node)
{
  const KgNodeType *type = kg_node_get_type (node);
  const KgNodeReport *report = kg_canvas_get_report (self, node);
  g_autoptr (GString) text = g_string_new (NULL);

  if (kg_node_is_note (node)) {
    const int slot = kg_node_find_slot (node, "text");
    const KgSource *source = slot >= 0 ? kg_node_get_source (node, (guint) slot) : NULL;

    if (source != NULL && source->kind == KG_SOURCE_CONSTANT && source->constant.kind == KG_TEXT)
      g_string_printf (text, _ ("Note: %s"), source->constant.text);
    else
      g_string_assign (text, _ ("Empty note"));
    return g_string_free (g_steal_pointer (&text), FALSE);
  }
  /* Name and type of a node. */
  g_string_printf (text, _ ("%s, %s"), kg_node_get_name (node),
                   type != NULL ? kg_type_translate (type->label) : kg_node_get_type_id (node));
  if (kg_canvas_is_displayed (self, node))
    g_string_append_printf (text, ", %s", _ ("shown in the viewport"));
  if (kg_node_get_stage (node) == KG_STAGE_SHOWN)
    g_string_append_printf (text, ", %s", _ ("in the scene view"));
  else if (kg_node_get_stage (node) == KG_STAGE_TEMPLATE)
    g_string_append_printf (text, ", %s", _ ("template in the scene view"));
  if (kg_node_get_bypass (node))
    g_string_append_printf (text, ", %s", _ ("bypassed"));
  if (report != NULL && report->error != NULL)
    g_string_append_printf (text, _ (", error: %s"), report->error);
  if (report != NULL && report->warnings != NULL)
    g_string_append_printf (text, _ (", warning: %s"), report->warnings);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
append_sentence (GString *text, const char *sentence)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", sentence);
}

/* The links of a node in both directions. */
static char *
make_description (KgNode *node)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) users = kg_node_dup_users (node);

  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);

    for (guint item = 0; item < MIN (kg_canvas_count_items (node, i), MOST_NAMES); item++) {
      g_autofree char *sentence = NULL;
      KgNode *from;
      guint output;

      if (!kg_node_get_link (node, i, item, &from, &output))
        continue;
      /* An input, and the node and its output that it reads. */
      sentence = g_strdup_printf (_ ("%s from %s, %s"), kg_type_translate (slot->label), kg_node_get_name (from),
                                  kg_node_get_type (from) != NULL
                                      ? kg_type_translate (kg_node_get_slot (from, output)->label)
                                      : kg_node_get_link_name (node, i, item));
      append_sentence (text, sentence);
    }
  }
  for (guint i = 0; i < users->len && i < MOST_NAMES; i++) {
    g_autofree char *sentence =
        g_strdup_printf (_ ("read by %s"), kg_node_get_name ((const KgNode *) g_ptr_array_index (users, i)));

    append_sentence (text, sentence);
  }
  if (users->len > MOST_NAMES) {
    g_autofree char *sentence = g_strdup_printf (
        ngettext ("and by %u more node", "and by %u more nodes", users->len - MOST_NAMES), users->len - MOST_NAMES);

    append_sentence (text, sentence);
  }
  if (text->len == 0 && !kg_node_is_note (node))
    g_string_assign (text, _ ("without links"));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
update_text (KgCanvasNode *widget, GtkAccessibleProperty property, char **now, char *text)
{
  if (g_strcmp0 (*now, text) == 0) {
    g_free (text);
    return;
  }
  g_free (*now);
  *now = text;
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), property, text, -1);
}

/* Which nodes. */

typedef struct {
  KgItem *item;
  double distance; /* to the middle of the view, squared; -1: selected */
} Candidate;

static int
compare_candidates (const void *a, const void *b)
{
  return kg_compare_doubles (&((const Candidate *) a)->distance, &((const Candidate *) b)->distance);
}

/* (transfer full) Those in view, or the best of them. */
static GArray *
find_candidates (KgCanvas *self)
{
  const KgRect view = { self->x, self->y, gtk_widget_get_width (GTK_WIDGET (self)) / self->zoom,
                        gtk_widget_get_height (GTK_WIDGET (self)) / self->zoom };
  GPtrArray *order = kg_canvas_get_order (self);
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Candidate));

  for (guint i = 0; i < order->len; i++) {
    KgItem *item = (KgItem *) g_ptr_array_index (order, i);
    const KgRect *r = &item->layout.rect;
    const bool selected = kg_document_is_selected (self->document, item->node);
    const double dx = r->x + 0.5 * r->width - view.x - 0.5 * view.width;
    const double dy = r->y + 0.5 * r->height - view.y - 0.5 * view.height;
    const Candidate candidate = { item, selected ? -1 : dx * dx + dy * dy };

    if (selected || kg_rect_intersects (r, &view))
      g_array_append_val (found, candidate);
  }
  if (found->len > MOST_NODES) {
    g_array_sort (found, compare_candidates);
    g_array_set_size (found, MOST_NODES);
  }
  return found;
}

/* The one that the node has, or a new one. */
static KgCanvasNode *
take_widget (KgCanvas *self, GHashTable *old, KgNode *node)
{
  KgCanvasNode *widget = (KgCanvasNode *) g_hash_table_lookup (old, node);

  if (widget != NULL)
    g_hash_table_steal (old, node);
  else {
    widget = KG_CANVAS_NODE (g_object_new (KG_TYPE_CANVAS_NODE, NULL));
    gtk_widget_set_parent (GTK_WIDGET (widget), GTK_WIDGET (self));
  }
  return widget;
}

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) gtk_widget_unparent);
}

void
kg_canvas_update_access (KgCanvas *self)
{
  g_autoptr (GHashTable) old = self->access != NULL ? g_steal_pointer (&self->access) : new_table ();
  g_autoptr (GArray) candidates = find_candidates (self);
  KgNode *active = kg_document_get_active (self->document);
  KgCanvasNode *descendant = NULL;

  g_clear_handle_id (&self->access_source, g_source_remove);
  self->access = new_table ();
  for (guint i = 0; i < candidates->len; i++) {
    const KgItem *item = g_array_index (candidates, Candidate, i).item;
    const KgRect *r = &item->layout.rect;
    KgCanvasNode *widget = take_widget (self, old, item->node);

    g_hash_table_insert (self->access, item->node, widget);
    widget->place = (KgRect){ (r->x - self->x) * self->zoom, (r->y - self->y) * self->zoom, r->width * self->zoom,
                              r->height * self->zoom };
    update_text (widget, GTK_ACCESSIBLE_PROPERTY_LABEL, &widget->label, make_label (self, item->node));
    update_text (widget, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, &widget->description, make_description (item->node));
    gtk_accessible_update_state (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_STATE_SELECTED,
                                 kg_document_is_selected (self->document, item->node), -1);
    gtk_accessible_update_relation (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_RELATION_POS_IN_SET, (int) i + 1,
                                    GTK_ACCESSIBLE_RELATION_SET_SIZE, (int) candidates->len, -1);
    if (item->node == active)
      descendant = widget;
  }
  if (descendant != NULL)
    gtk_accessible_update_relation (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_RELATION_ACTIVE_DESCENDANT, descendant, -1);
  else
    gtk_accessible_reset_relation (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_RELATION_ACTIVE_DESCENDANT);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

GtkAccessible *
kg_canvas_get_accessible (KgCanvas *self, KgNode *node)
{
  return self->access != NULL ? (GtkAccessible *) g_hash_table_lookup (self->access, node) : NULL;
}

void
kg_canvas_allocate_access (KgCanvas *self)
{
  GHashTableIter iter;
  gpointer widget;

  if (self->access == NULL)
    return;
  g_hash_table_iter_init (&iter, self->access);
  while (g_hash_table_iter_next (&iter, NULL, &widget)) {
    const KgRect *place = &KG_CANVAS_NODE (widget)->place;

    gtk_widget_size_allocate (
        GTK_WIDGET (widget),
        &(GtkAllocation){ (int) place->x, (int) place->y, MAX (1, (int) place->width), MAX (1, (int) place->height) },
        -1);
  }
}

/* One number of all that the widgets depend on. */
static guint
get_key (KgCanvas *self)
{
  KgHash hash = kg_hash_double (kg_hash_double (kg_hash_double (kg_hash_begin (KG_HASH_DISPLAY, 0), self->x), self->y),
                                self->zoom);

  hash = kg_hash_uint (hash, kg_document_get_serial (self->document));
  hash = kg_hash_uint (hash, (guint64) self->look_stamp << 32 | self->selection_stamp);
  hash = kg_hash_uint (hash, (guint64) (guint) gtk_widget_get_width (GTK_WIDGET (self)) << 32 |
                                 (guint) gtk_widget_get_height (GTK_WIDGET (self)));
  return kg_hash_fold (hash);
}

static gboolean
on_rest (gpointer data)
{
  KgCanvas *self = KG_CANVAS (data);
  const guint key = get_key (self);

  /* Updates wait while the canvas moves, but not indefinitely: it may be playing. */
  if (key != self->access_key && ++self->access_waits < MOST_WAITS) {
    self->access_key = key;
    return G_SOURCE_CONTINUE;
  }
  self->access_key = key;
  self->access_source = 0;
  kg_canvas_update_access (self);
  return G_SOURCE_REMOVE;
}

void
kg_canvas_queue_access_update (KgCanvas *self)
{
  const guint key = get_key (self);

  if (self->access_source != 0 || key == self->access_key)
    return;
  self->access_key = key;
  self->access_waits = 0;
  self->access_source = g_timeout_add (REST_MILLISECONDS, on_rest, self);
}

void
kg_canvas_clear_access (KgCanvas *self)
{
  g_clear_handle_id (&self->access_source, g_source_remove);
  g_clear_pointer (&self->access, g_hash_table_unref);
}

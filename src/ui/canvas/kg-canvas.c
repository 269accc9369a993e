/* kg-canvas: the widget: which part of the graph it shows, and how it follows the document.  kg-canvas-private.h says
 * where the rest is.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"
#include "kg-settings.h"

#include <glib/gi18n.h>

#define MIN_ZOOM 0.02
#define MAX_ZOOM 4.0
#define OVERVIEW_WIDTH 180.0
#define OVERVIEW_HEIGHT 120.0

enum { MESSAGE, ACTIVATE_NODE, THUMBNAILS_CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (KgCanvas, kg_canvas, GTK_TYPE_WIDGET)

/* The view. */

bool
kg_canvas_get_overview (KgCanvas *self, KgRect *place, KgRect *all)
{
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  GPtrArray *order = kg_canvas_get_order (self);
  double scale;

  if (!self->overview || order->len < 2 || width < 3 * OVERVIEW_WIDTH || height < 2 * OVERVIEW_HEIGHT)
    return false;
  *all = KG_RECT_EMPTY;
  for (guint i = 0; i < order->len; i++)
    kg_rect_include (all, &((const KgItem *) g_ptr_array_index (order, i))->layout.rect);
  /* There is nothing to find while everything is in view. */
  if (self->x <= all->x && self->y <= all->y && self->x + width / self->zoom >= all->x + all->width &&
      self->y + height / self->zoom >= all->y + all->height)
    return false;
  scale = fmin (OVERVIEW_WIDTH / all->width, OVERVIEW_HEIGHT / all->height) * 0.94;
  /* The part of the graph that the whole map covers. */
  all->x -= 0.5 * (OVERVIEW_WIDTH / scale - all->width);
  all->y -= 0.5 * (OVERVIEW_HEIGHT / scale - all->height);
  all->width = OVERVIEW_WIDTH / scale;
  all->height = OVERVIEW_HEIGHT / scale;
  *place = (KgRect){ width - OVERVIEW_WIDTH - 10, height - OVERVIEW_HEIGHT - 10, OVERVIEW_WIDTH, OVERVIEW_HEIGHT };
  return true;
}

void
kg_canvas_zoom_at (KgCanvas *self, double wx, double wy, double factor)
{
  const double zoom = kg_clamp (self->zoom * factor, MIN_ZOOM, MAX_ZOOM);

  self->x += wx / self->zoom - wx / zoom;
  self->y += wy / self->zoom - wy / zoom;
  self->zoom = zoom;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
kg_canvas_fit (KgCanvas *self, bool selection)
{
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  GPtrArray *order = kg_canvas_get_order (self);
  KgRect all = KG_RECT_EMPTY;

  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);

    if (!selection || kg_document_get_n_selected (self->document) == 0 ||
        kg_document_is_selected (self->document, item->node))
      kg_rect_include (&all, &item->layout.rect);
  }
  if (width < 1 || height < 1) {
    self->fit_wanted = true;
    return;
  }
  self->fit_wanted = false;
  if (all.width < 0)
    all = (KgRect){ 0, 0, 400, 300 };
  self->zoom = kg_clamp (fmin (width / (all.width + 80), height / (all.height + 80)), MIN_ZOOM, 1);
  self->x = all.x + 0.5 * all.width - 0.5 * width / self->zoom;
  self->y = all.y + 0.5 * all.height - 0.5 * height / self->zoom;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
kg_canvas_reveal (KgCanvas *self, KgNode *node)
{
  const double width = gtk_widget_get_width (GTK_WIDGET (self)) / self->zoom;
  const double height = gtk_widget_get_height (GTK_WIDGET (self)) / self->zoom;
  const KgRect *r = &kg_canvas_get_item (self, node)->layout.rect;

  if (r->x < self->x || r->x + r->width > self->x + width)
    self->x = r->x + 0.5 * r->width - 0.5 * width;
  if (r->y < self->y || r->y + r->height > self->y + height)
    self->y = r->y + 0.5 * r->height - 0.5 * height;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Messages. */

void
kg_canvas_show_message (KgCanvas *self, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_signal_emit (self, signals[MESSAGE], 0, text);
}

void
kg_canvas_show_error (KgCanvas *self, const GError *error)
{
  if (error != NULL)
    kg_canvas_show_message (self, "%s", error->message);
}

/* Following the document. */

static void
on_node_added (KgCanvas *self, KgNode *node)
{
  (void) node;
  self->order_stale = true;
  kg_canvas_mark_links_stale (self);
}

/* Other things than its place may be what changed. */
static void
on_node_moved (KgCanvas *self, KgNode *node)
{
  KgItem *item = (KgItem *) g_hash_table_lookup (self->items, node);
  double x, y;

  kg_node_get_position (node, &x, &y);
  if (item != NULL && !item->stale)
    kg_node_layout_place (&item->layout, x, y);
  else
    kg_canvas_mark_stale (self, node);
}

static void
on_node_removed (KgCanvas *self, KgNode *node)
{
  if (self->hover_node == node)
    self->hover_node = NULL;
  if (self->hover_slot.node == node)
    self->hover_slot.node = NULL;
  if (self->insert.node == node)
    self->insert.node = NULL;
  kg_canvas_forget_node (self, node);
  self->order_stale = true;
  kg_canvas_mark_links_stale (self);
  g_ptr_array_set_size (self->order, 0);
  g_hash_table_remove (self->items, node);
  if (self->access != NULL)
    g_hash_table_remove (self->access, node);
}

/* The candidates may no longer exist. */
static void
drop_pick (KgCanvas *self)
{
  if (self->pick != KG_PICK_NONE)
    kg_canvas_cancel_tool (self);
}

static void
on_source_changed (KgCanvas *self, KgNode *node, guint slot)
{
  (void) slot;
  drop_pick (self);
  kg_canvas_mark_stale (self, node);
  kg_canvas_mark_links_stale (self);
}

static void
on_slots_changed (KgCanvas *self, KgNode *node)
{
  drop_pick (self);
  kg_canvas_mark_stale (self, node);
  kg_canvas_mark_links_stale (self);
}

/* A name may be one that a link has waited for. */
static void
on_node_renamed (KgCanvas *self, KgNode *node, const char *old_name)
{
  (void) old_name;
  kg_canvas_mark_stale (self, node);
  kg_canvas_mark_links_stale (self);
}

static void
on_settings_changed (KgCanvas *self)
{
  self->look_stamp++;
}

/* The preference is about all nodes; T is about single ones afterwards. */
static void
on_thumbnails_preferred (KgCanvas *self)
{
  GPtrArray *order = kg_canvas_get_order (self);

  for (guint i = 0; i < order->len; i++) {
    KgItem *item = (KgItem *) g_ptr_array_index (order, i);

    item->thumbnail = kg_canvas_starts_with_thumbnail (item->node);
    item->stale = true;
  }
  self->items_stale = self->links_stale = true;
  g_signal_emit (self, signals[THUMBNAILS_CHANGED], 0);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
describe (KgCanvas *self)
{
  KgNode *node = kg_document_get_active (self->document);
  const KgNodeReport *report = node != NULL ? kg_canvas_get_report (self, node) : NULL;
  const KgNodeType *type = node != NULL ? kg_node_get_type (node) : NULL;
  g_autofree char *text = NULL;

  if (node == NULL)
    text = g_strdup_printf (
        ngettext ("Canvas, %u node", "Canvas, %u nodes", kg_graph_get_n_nodes (kg_canvas_graph (self))),
        kg_graph_get_n_nodes (kg_canvas_graph (self)));
  else
    text = g_strdup_printf (_ ("Node %s, %s%s%s"), kg_node_get_name (node),
                            type != NULL ? kg_type_translate (type->label) : kg_node_get_type_id (node),
                            report != NULL && report->error != NULL ? ", " : "",
                            report != NULL && report->error != NULL ? report->error : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void
on_document_changed (KgCanvas *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* There may be newer definitions of what is shown. */
static void
on_library_changed (KgCanvas *self)
{
  self->look_stamp++;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_selection_changed (KgCanvas *self)
{
  self->nudge = 0;
  drop_pick (self);
  self->selection_stamp++;
  describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
connect_graph (KgCanvas *self, KgGraph *graph)
{
  g_signal_connect_object (graph, "node-added", G_CALLBACK (on_node_added), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (graph, "node-removed", G_CALLBACK (on_node_removed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (graph, "node-moved", G_CALLBACK (on_node_moved), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (graph, "node-changed", G_CALLBACK (kg_canvas_mark_stale), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (graph, "node-renamed", G_CALLBACK (on_node_renamed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (graph, "source-changed", G_CALLBACK (on_source_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (graph, "slots-changed", G_CALLBACK (on_slots_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (graph, "settings-changed", G_CALLBACK (on_settings_changed), self, G_CONNECT_SWAPPED);
}

static KgGraph *
take_connected (KgCanvas *self, KgGraph *graph)
{
  static const char key[] = "connected-graph";
  KgGraph *old = (KgGraph *) g_object_get_data (G_OBJECT (self), key);

  if (old != NULL)
    g_signal_handlers_disconnect_by_data (old, self);
  g_object_set_data_full (G_OBJECT (self), key, graph != NULL ? g_object_ref (graph) : NULL, g_object_unref);
  return graph;
}

static void
on_current_changed (KgCanvas *self)
{
  kg_canvas_cancel_tool (self);
  self->hover_node = NULL;
  self->hover_slot.node = NULL;
  g_ptr_array_set_size (self->order, 0);
  g_hash_table_remove_all (self->items);
  kg_canvas_clear_access (self);
  self->order_stale = true;
  kg_canvas_mark_links_stale (self);
  connect_graph (self, take_connected (self, kg_canvas_graph (self)));
  kg_canvas_fit (self, false);
}

void
kg_canvas_results_changed (KgCanvas *self)
{
  describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static char *
dup_thumbnail_target (const KgNode *node)
{
  g_autofree char *path = kg_node_dup_path (node);
  const int output = kg_canvas_find_image (node);

  return output < 0 ? g_steal_pointer (&path) : g_strdup_printf ("%s.%s", path, kg_node_get_slot (node, output)->name);
}

GPtrArray *
kg_canvas_dup_thumbnails (KgCanvas *self)
{
  GPtrArray *order = kg_canvas_get_order (self);
  GPtrArray *targets = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);

    if (item->thumbnail)
      g_ptr_array_add (targets, dup_thumbnail_target (item->node));
  }
  if (targets->len > 0)
    return targets;
  g_ptr_array_unref (targets);
  return NULL;
}

/* The widget. */

static void
kg_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  KgCanvas *self = KG_CANVAS (widget);
  const int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  cairo_t *cr;

  if (self->fit_wanted)
    kg_canvas_fit (self, false);
  gtk_snapshot_push_clip (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  kg_canvas_draw (self, cr, width, height);
  cairo_destroy (cr);
  gtk_snapshot_pop (snapshot);
  kg_canvas_queue_access_update (self);
}

static void
kg_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  KgCanvas *self = KG_CANVAS (widget);
  GtkWidget *popovers[] = { self->add_popover, self->find_popover, self->menu, self->rename_popover };

  (void) width;
  (void) height;
  (void) baseline;
  for (guint i = 0; i < G_N_ELEMENTS (popovers); i++)
    if (popovers[i] != NULL)
      gtk_popover_present (GTK_POPOVER (popovers[i]));
  kg_canvas_allocate_access (self);
}

/* What the tip is about is not covered by it: the tip stands beside that. */
static void
set_tip_area (KgCanvas *self, GtkTooltip *tooltip, const KgRect *rect)
{
  const GdkRectangle area = { (int) ((rect->x - self->x) * self->zoom), (int) ((rect->y - self->y) * self->zoom),
                              (int) ceil (rect->width * self->zoom), (int) ceil (rect->height * self->zoom) };

  gtk_tooltip_set_tip_area (tooltip, &area);
}

static gboolean
kg_canvas_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  KgCanvas *self = KG_CANVAS (widget);
  const KgNodeReport *report;
  g_autoptr (GString) text = g_string_new (NULL);
  const KgRect *rect;
  KgNode *node;
  KgEnd end;
  double gx, gy;

  (void) keyboard;
  kg_canvas_to_graph (self, x, y, &gx, &gy);
  node = kg_canvas_pick (self, gx, gy, &end);
  if (node == NULL || self->tool != KG_TOOL_NONE || kg_node_is_note (node))
    return FALSE;
  if (end.node != NULL) {
    const KgSlot *slot = kg_node_get_slot (node, end.slot);

    g_string_printf (text, "%s (%s)", kg_type_translate (slot->label),
                     kg_kind_get_phrase (kg_node_get_slot_kind (node, end.slot)));
    if (slot->help != NULL && *slot->help != '\0')
      g_string_append_printf (text, "\n%s", kg_type_translate (slot->help));
    gtk_tooltip_set_text (tooltip, text->str);
    rect = &kg_canvas_get_item (self, node)->layout.rect;
    set_tip_area (self, tooltip, &(KgRect){ rect->x, gy - 0.5 * KG_NODE_ROW, rect->width, KG_NODE_ROW });
    return TRUE;
  }
  /* The inspector says the same of the node that was just clicked or made, which a tip would cover. */
  if (kg_document_get_n_selected (self->document) == 1 && kg_document_is_selected (self->document, node) &&
      kg_node_get_comment (node) == NULL)
    return FALSE;
  report = kg_canvas_get_report (self, node);
  if (kg_node_get_type (node) != NULL)
    g_string_append (text, _ (kg_node_get_type (node)->label));
  else
    g_string_append_printf (text, _ ("%s: unknown node type"), kg_node_get_type_id (node));
  if (report != NULL && report->error != NULL)
    g_string_append_printf (text, "\n✖ %s", report->error);
  if (report != NULL && report->warnings != NULL)
    g_string_append_printf (text, "\n⚠ %s", report->warnings);
  if (kg_node_get_comment (node) != NULL)
    g_string_append_printf (text, "\n%s", kg_node_get_comment (node));
  gtk_tooltip_set_text (tooltip, text->str);
  set_tip_area (self, tooltip, &kg_canvas_get_item (self, node)->layout.rect);
  return TRUE;
}

static void
kg_canvas_dispose (GObject *object)
{
  KgCanvas *self = KG_CANVAS (object);

  if (self->group_open) {
    self->group_open = false;
    kg_graph_end_group (kg_canvas_graph (self));
  }
  take_connected (self, NULL);
  kg_canvas_clear_access (self);
  g_clear_pointer (&self->add_popover, gtk_widget_unparent);
  g_clear_pointer (&self->find_popover, gtk_widget_unparent);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->rename_popover, gtk_widget_unparent);
  G_OBJECT_CLASS (kg_canvas_parent_class)->dispose (object);
}

static void
kg_canvas_finalize (GObject *object)
{
  KgCanvas *self = KG_CANVAS (object);

  g_ptr_array_unref (self->order);
  g_hash_table_unref (self->items);
  g_array_unref (self->origins);
  g_array_unref (self->cut);
  g_array_unref (self->picks);
  g_clear_pointer (&self->before, g_ptr_array_unref);
  g_free (self->followed_from);
  for (guint i = 0; i < G_N_ELEMENTS (self->frames); i++)
    g_clear_pointer (&self->frames[i], cairo_surface_destroy);
  g_clear_pointer (&self->shown, kg_result_set_unref);
  g_object_unref (self->document);
  g_object_unref (self->worker);
  G_OBJECT_CLASS (kg_canvas_parent_class)->finalize (object);
}

static void
kg_canvas_class_init (KgCanvasClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = kg_canvas_dispose;
  G_OBJECT_CLASS (class)->finalize = kg_canvas_finalize;
  widget->snapshot = kg_canvas_snapshot;
  widget->size_allocate = kg_canvas_size_allocate;
  widget->query_tooltip = kg_canvas_query_tooltip;
  signals[MESSAGE] =
      g_signal_new ("message", KG_TYPE_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[ACTIVATE_NODE] =
      g_signal_new ("activate-node", KG_TYPE_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[THUMBNAILS_CHANGED] =
      g_signal_new ("thumbnails-changed", KG_TYPE_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  kg_canvas_install_actions (widget);
  gtk_widget_class_set_accessible_role (widget, GTK_ACCESSIBLE_ROLE_LIST_BOX);
  gtk_widget_class_set_css_name (widget, "canvas");
}

static void
kg_canvas_init (KgCanvas *self)
{
  self->items = g_hash_table_new_full (NULL, NULL, NULL, kg_canvas_item_free);
  self->order = g_ptr_array_new ();
  self->order_stale = self->links_stale = true;
  self->look_stamp = 1;
  self->origins = g_array_new (FALSE, FALSE, sizeof (KgPlacement));
  self->cut = g_array_new (FALSE, FALSE, sizeof (double));
  self->picks = g_array_new (FALSE, FALSE, sizeof (KgEnd));
  self->zoom = 1;
  self->fit_wanted = true;
  self->overview = true;
  self->pointer_x = self->pointer_y = -1;
  self->guide_x = self->guide_y = NAN;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_vexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  kg_canvas_add_controllers (self);
}

KgCanvas *
kg_canvas_new (KgDocument *document, KgWorker *worker)
{
  KgCanvas *self = KG_CANVAS (g_object_new (KG_TYPE_CANVAS, NULL));

  self->document = (KgDocument *) g_object_ref (document);
  self->worker = (KgWorker *) g_object_ref (worker);
  g_signal_connect_object (document, "changed", G_CALLBACK (on_document_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "selection-changed", G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "current-changed", G_CALLBACK (on_current_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (kg_settings_get_default (), "notify::thumbnails", G_CALLBACK (on_thumbnails_preferred), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "library-changed", G_CALLBACK (on_library_changed), self, G_CONNECT_SWAPPED);
  connect_graph (self, take_connected (self, kg_canvas_graph (self)));
  describe (self);
  return self;
}

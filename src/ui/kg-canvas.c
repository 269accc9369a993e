/* kg-canvas: what the canvas knows and its commands.  Drawing is in kg-canvas-draw.c, the mouse in kg-canvas-tools.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-add-popover.h"
#include "kg-canvas-private.h"
#include "kg-commands.h"
#include "kg-number.h"
#include "kg-preset-json.h"
#include "kg-preset-library.h"
#include "kg-settings.h"

#include <glib/gi18n.h>

#define MIN_ZOOM 0.02
#define MAX_ZOOM 4.0
#define OVERVIEW_WIDTH 180.0
#define OVERVIEW_HEIGHT 120.0

enum { MESSAGE, ACTIVATE_NODE, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (KgCanvas, kg_canvas, GTK_TYPE_WIDGET)

/* Items. */

static void
item_free (gpointer data)
{
  KgItem *item = (KgItem *) data;

  kg_node_layout_clear (&item->layout);
  g_clear_pointer (&item->picture, cairo_surface_destroy);
  g_free (item->links);
  g_free (item);
}

KgGraph *
kg_canvas_graph (KgCanvas *self)
{
  return kg_document_get_current (self->document);
}

/* The first output that can be drawn; -1. */
static int
find_picture (const KgNode *node)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgKind kind = kg_node_get_slot_kind (node, i);

    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT &&
        (kind == KG_IMAGE || kind == KG_GEOMETRY || kind == KG_SKELETON || kind == KG_SCENE || kind == KG_MOTION))
      return (int) i;
  }
  return -1;
}

/* Whether a node begins with a small picture. */
static bool
starts_with_thumbnail (const KgNode *node)
{
  const KgThumbnails wanted = kg_settings_get_thumbnails (kg_settings_get_default ());
  const int output = wanted != KG_THUMBNAILS_NONE ? find_picture (node) : -1;

  return output >= 0 && (wanted == KG_THUMBNAILS_ALL || kg_node_get_slot_kind (node, (guint) output) == KG_MOTION);
}

KgItem *
kg_canvas_get_item (KgCanvas *self, KgNode *node)
{
  KgItem *item = (KgItem *) g_hash_table_lookup (self->items, node);

  if (item == NULL) {
    item = g_new0 (KgItem, 1);
    item->node = node;
    item->stale = true;
    item->is_note = kg_node_is_note (node);
    item->thumbnail = starts_with_thumbnail (node);
    g_hash_table_insert (self->items, node, item);
  }
  if (item->stale) {
    kg_node_layout_clear (&item->layout);
    kg_node_layout_init (&item->layout, node, item->expanded, item->thumbnail);
    item->stale = false;
    item->look_stamp = 0;
  }
  return item;
}

static void
find_links (KgCanvas *self, KgItem *item)
{
  KgNode *from;
  guint output;

  item->n_links = 0;
  item->links = g_renew (KgLink, item->links, item->layout.n_places);
  for (guint i = 0; i < item->layout.n_places; i++) {
    const KgSlotPlace *place = &item->layout.places[i], *start;
    const KgItem *source;

    if (place->is_output || place->is_free ||
        !kg_node_get_link (item->node, place->slot, place->item, &from, &output) ||
        kg_node_get_parent (from) != kg_canvas_graph (self))
      continue;
    source = kg_canvas_get_item (self, from);
    start = kg_node_layout_find (&source->layout, output, 0);
    if (start != NULL)
      item->links[item->n_links++] =
          (KgLink){ source, (guint) (start - source->layout.places), i, kg_node_get_slot_kind (from, output) };
  }
}

GPtrArray *
kg_canvas_get_order (KgCanvas *self)
{
  KgGraph *graph = kg_canvas_graph (self);

  if (self->order_stale) {
    g_ptr_array_set_size (self->order, 0);
    for (guint pass = 0; pass < 2; pass++)
      for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
        KgNode *node = kg_graph_get_node (graph, i);

        if (kg_node_is_note (node) == (pass == 0))
          g_ptr_array_add (self->order, kg_canvas_get_item (self, node));
      }
    self->order_stale = false;
  } else if (self->items_stale)
    for (guint i = 0; i < self->order->len; i++)
      kg_canvas_get_item (self, ((KgItem *) g_ptr_array_index (self->order, i))->node);
  self->items_stale = false;
  if (self->links_stale)
    for (guint i = 0; i < self->order->len; i++)
      find_links (self, (KgItem *) g_ptr_array_index (self->order, i));
  self->links_stale = false;
  return self->order;
}

static void
mark_stale (KgCanvas *self, KgNode *node)
{
  KgItem *item = (KgItem *) g_hash_table_lookup (self->items, node);

  if (item != NULL)
    item->stale = true;
  self->items_stale = true;
}

/* What a node shows of its kinds depends on all that is upstream of it. */
static void
mark_links_stale (KgCanvas *self)
{
  self->links_stale = true;
  self->look_stamp++;
}

const KgNodeReport *
kg_canvas_get_report (KgCanvas *self, KgNode *node)
{
  const KgResultSet *set = kg_worker_get_result (self->worker);
  g_autofree char *path = NULL;

  if (set == NULL)
    return NULL;
  if (kg_graph_get_owner (kg_node_get_parent (node)) == NULL)
    return (const KgNodeReport *) g_hash_table_lookup (set->nodes, kg_node_get_name (node));
  path = kg_node_dup_path (node);
  return (const KgNodeReport *) g_hash_table_lookup (set->nodes, path);
}

bool
kg_canvas_is_displayed (KgCanvas *self, KgNode *node)
{
  const char *display = kg_graph_get_display (kg_canvas_graph (self));
  const char *name = kg_node_get_name (node);
  const size_t length = strlen (name);

  return display != NULL && strncmp (display, name, length) == 0 && (display[length] == '.' || display[length] == '\0');
}

/* Places. */

void
kg_canvas_to_graph (KgCanvas *self, double wx, double wy, double *x, double *y)
{
  *x = self->x + wx / self->zoom;
  *y = self->y + wy / self->zoom;
}

KgNode *
kg_canvas_pick (KgCanvas *self, double x, double y, KgEnd *end)
{
  GPtrArray *order = kg_canvas_get_order (self);
  const double reach = fmax (KG_SLOT_REACH, 7 / self->zoom);

  *end = (KgEnd){ NULL };
  for (guint i = order->len; i > 0; i--) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i - 1);
    const KgRect *r = &item->layout.rect;
    const KgSlotPlace *place;

    if (x < r->x - reach || x > r->x + r->width + reach || y < r->y - reach || y > r->y + r->height + reach)
      continue;
    place = kg_node_layout_pick (&item->layout, x, y, reach);
    if (place != NULL) {
      *end = (KgEnd){ item->node, place->slot, place->item, place->is_output };
      return item->node;
    }
    if (kg_rect_contains (r, x, y))
      return item->node;
  }
  return NULL;
}

static void
get_points (const KgSlotPlace *start, const KgSlotPlace *end, double p[8])
{
  const double bend = fmax (24, 0.45 * fabs (end->x - start->x));

  p[0] = start->x;
  p[1] = start->y;
  p[2] = start->x + bend;
  p[3] = start->y;
  p[4] = end->x - bend;
  p[5] = end->y;
  p[6] = end->x;
  p[7] = end->y;
}

bool
kg_canvas_get_curve (KgCanvas *self, KgNode *to, const KgSlotPlace *place, double p[8], KgKind *kind)
{
  const KgSlotPlace *start;
  const KgItem *item;
  KgNode *from;
  guint output;

  if (!kg_node_get_link (to, place->slot, place->item, &from, &output) ||
      kg_node_get_parent (from) != kg_canvas_graph (self))
    return false;
  item = kg_canvas_get_item (self, from);
  start = kg_node_layout_find (&item->layout, output, 0);
  if (start == NULL)
    return false;
  *kind = kg_node_get_slot_kind (from, output);
  get_points (start, place, p);
  return true;
}

void
kg_canvas_get_link_curve (const KgItem *item, const KgLink *link, double p[8])
{
  get_points (&link->from->layout.places[link->start], &item->layout.places[link->end], p);
}

bool
kg_canvas_pick_link (KgCanvas *self, double x, double y, double reach, KgEnd *end)
{
  GPtrArray *order = kg_canvas_get_order (self);
  double nearest = reach;

  *end = (KgEnd){ NULL };
  for (guint i = 0; i < order->len; i++) {
    const KgItem *item = (const KgItem *) g_ptr_array_index (order, i);

    for (guint k = 0; k < item->n_links; k++) {
      const KgSlotPlace *place = &item->layout.places[item->links[k].end];
      double p[8];

      kg_canvas_get_link_curve (item, &item->links[k], p);
      /* Heights lie between those of the ends, and the handles are as far out as a cubic can get. */
      if (x < fmin (p[0], p[4]) - reach || x > fmax (p[2], p[6]) + reach || y < fmin (p[1], p[7]) - reach ||
          y > fmax (p[1], p[7]) + reach)
        continue;
      for (guint s = 0; s <= 24; s++) {
        const double t = s / 24.0, u = 1 - t;
        const double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
        const double distance =
            hypot (a * p[0] + b * p[2] + c * p[4] + d * p[6] - x, a * p[1] + b * p[3] + c * p[5] + d * p[7] - y);

        if (distance < nearest) {
          nearest = distance;
          *end = (KgEnd){ item->node, place->slot, place->item, false };
        }
      }
    }
  }
  return end->node != NULL;
}

guint
kg_canvas_count_items (const KgNode *node, guint slot)
{
  const KgSource *source;

  if (kg_node_get_slot (node, slot)->role != KG_SLOT_INPUT)
    return 0;
  source = kg_node_get_source (node, slot);
  return source->kind == KG_SOURCE_LIST ? source->list.n : 1;
}

bool
kg_canvas_ends_fit (KgCanvas *self, const KgEnd *a, const KgEnd *b)
{
  const KgEnd *from = a->is_output ? a : b, *to = a->is_output ? b : a;

  (void) self;
  return a->node != NULL && b->node != NULL && a->is_output != b->is_output && a->node != b->node &&
         kg_kind_converts (kg_node_get_slot_kind (from->node, from->slot), kg_node_get_slot (to->node, to->slot)->kind);
}

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
kg_canvas_show_node (KgCanvas *self, KgNode *node)
{
  const KgItem *item;

  if (kg_node_get_parent (node) != kg_canvas_graph (self))
    kg_document_enter (self->document, kg_node_get_parent (node));
  item = kg_canvas_get_item (self, node);
  kg_document_select (self->document, node, false);
  self->x = item->layout.rect.x + 0.5 * item->layout.rect.width -
            0.5 * gtk_widget_get_width (GTK_WIDGET (self)) / self->zoom;
  self->y = item->layout.rect.y + 0.5 * item->layout.rect.height -
            0.5 * gtk_widget_get_height (GTK_WIDGET (self)) / self->zoom;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Messages. */

void
kg_canvas_say (KgCanvas *self, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_signal_emit (self, signals[MESSAGE], 0, text);
}

void
kg_canvas_say_error (KgCanvas *self, const GError *error)
{
  if (error != NULL)
    kg_canvas_say (self, "%s", error->message);
}

/* Adding. */

/* Links the new node to what the search was opened for. */
static void
link_added (KgCanvas *self, KgNode *node)
{
  const KgEnd *end = &self->add_end;
  g_autoptr (GError) error = NULL;
  int slot;

  if (end->node == NULL)
    return;
  if (end->is_output) {
    slot = kg_command_find_input (node, kg_node_get_slot_kind (end->node, end->slot));
    if (slot >= 0)
      kg_graph_link_item (kg_canvas_graph (self), end->node, end->slot, node, (guint) slot, G_MAXUINT, &error);
  } else {
    slot = kg_command_find_output (node, kg_node_get_slot (end->node, end->slot)->kind);
    if (slot >= 0)
      kg_graph_link_item (kg_canvas_graph (self), node, (guint) slot, end->node, end->slot, end->item, &error);
  }
  kg_canvas_say_error (self, error);
}

static void
on_type_chosen (KgCanvas *self, const char *id)
{
  KgGraph *graph = kg_canvas_graph (self);
  g_autoptr (GError) error = NULL;
  KgNode *node;
  bool first = true;

  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++)
    first &= kg_node_is_note (kg_graph_get_node (graph, i));
  kg_graph_begin_group (graph, _ ("Add node"));
  node = kg_graph_add (graph, id, NULL, nearbyint (self->add_x), nearbyint (self->add_y), &error);
  if (node != NULL) {
    link_added (self, node);
    /* The first thing in a graph is worth a look. */
    if (first && kg_graph_get_display (graph) == NULL && kg_command_find_output (node, KG_ANY) >= 0)
      kg_graph_set_display (graph, kg_node_get_name (node));
    kg_document_select (self->document, node, false);
  }
  kg_graph_end_group (graph);
  kg_canvas_say_error (self, error);
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

void
kg_canvas_open_search (KgCanvas *self, double wx, double wy, const KgEnd *end)
{
  const GdkRectangle at = { (int) wx, (int) wy, 1, 1 };

  if (self->add_popover == NULL) {
    self->add_popover = kg_add_popover_new ();
    gtk_widget_set_parent (self->add_popover, GTK_WIDGET (self));
    g_signal_connect_swapped (self->add_popover, "chosen", G_CALLBACK (on_type_chosen), self);
  }
  kg_add_popover_set_types (KG_ADD_POPOVER (self->add_popover), kg_graph_get_types (kg_canvas_graph (self)));
  self->add_end = end != NULL ? *end : (KgEnd){ NULL };
  kg_canvas_to_graph (self, wx, wy, &self->add_x, &self->add_y);
  self->add_y -= 0.5 * KG_NODE_HEAD;
  if (end != NULL && !end->is_output)
    self->add_x -= KG_NODE_WIDTH;
  gtk_popover_set_pointing_to (GTK_POPOVER (self->add_popover), &at);
  gtk_popover_popup (GTK_POPOVER (self->add_popover));
  if (end == NULL)
    kg_add_popover_prepare (KG_ADD_POPOVER (self->add_popover), KG_N_KINDS, false);
  else
    kg_add_popover_prepare (KG_ADD_POPOVER (self->add_popover), kg_node_get_slot_kind (end->node, end->slot),
                            end->is_output);
}

void
kg_canvas_add_type (KgCanvas *self, const char *id, double x, double y)
{
  if (x < 0 || y < 0) {
    x = 0.5 * gtk_widget_get_width (GTK_WIDGET (self));
    y = 0.5 * gtk_widget_get_height (GTK_WIDGET (self));
  }
  self->add_end = (KgEnd){ NULL };
  kg_canvas_to_graph (self, x, y, &self->add_x, &self->add_y);
  on_type_chosen (self, id);
}

void
kg_canvas_add_node (KgCanvas *self)
{
  const double width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));

  if (self->pointer_x >= 0 && self->pointer_x < width && self->pointer_y >= 0 && self->pointer_y < height)
    kg_canvas_open_search (self, self->pointer_x, self->pointer_y, NULL);
  else
    kg_canvas_open_search (self, 0.5 * width, 0.5 * height, NULL);
}

/* (nullable) The type of node that reads a file, by its name. */
static const char *
find_reader (const char *path)
{
  static const char *const meshes[] = { ".obj", ".ply", ".stl", ".gltf", ".glb", ".fbx" };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *content = g_content_type_guess (path, NULL, 0, NULL);
  g_autofree char *mime = content != NULL ? g_content_type_get_mime_type (content) : NULL;

  for (guint i = 0; i < G_N_ELEMENTS (meshes); i++)
    if (g_str_has_suffix (lower, meshes[i]))
      return "geometry/import";
  /* Where the types of files are not known to the system. */
  if (g_str_has_suffix (lower, ".exr"))
    return "image/import";
  if (mime == NULL)
    return NULL;
  if (g_str_has_prefix (mime, "video/") || g_str_equal (mime, "image/gif"))
    return "image/movie";
  return g_str_has_prefix (mime, "image/") ? "image/import" : NULL;
}

/* An instance of the preset that a file holds.  It is known to this graph from then on. */
static KgNode *
add_preset_file (KgCanvas *self, const char *path, double x, double y, GError **error)
{
  KgGraph *graph = kg_canvas_graph (self);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) preset = kg_preset_load (kg_graph_get_types (graph), path, problems);

  if (preset == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: %s", path,
                  ((const KgProblem *) g_ptr_array_index (problems, 0))->message);
    return NULL;
  }
  kg_graph_add_preset (graph, preset);
  return kg_graph_add (graph, kg_preset_get_id (preset), NULL, x, y, error);
}

static KgNode *
add_reader (KgCanvas *self, const char *path, double x, double y, GError **error)
{
  KgGraph *graph = kg_canvas_graph (self);
  const char *id = find_reader (path);
  g_autofree char *named = kg_document_dup_relative_path (self->document, path);
  g_auto (KgValue) value = kg_value_text (named);
  KgNode *node;

  if (id == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "%s: drop a graph, a preset, a picture, a film or a mesh (.obj, .ply, .stl, .gltf, .glb, .fbx)",
                  named);
    return NULL;
  }
  node = kg_graph_add (graph, id, NULL, x, y, error);
  return node != NULL && kg_graph_set_constant (graph, node, "path", &value, error) ? node : NULL;
}

static bool
add_file (KgCanvas *self, const char *path, double x, double y, GError **error)
{
  KgGraph *graph = kg_canvas_graph (self);
  KgNode *node;

  kg_graph_begin_group (graph, _ ("Add file"));
  node = g_str_has_suffix (path, KG_PRESET_SUFFIX) ? add_preset_file (self, path, x, y, error)
                                                   : add_reader (self, path, x, y, error);
  if (node == NULL) {
    kg_graph_cancel_group (graph);
    return false;
  }
  kg_graph_end_group (graph);
  kg_document_select (self->document, node, false);
  return true;
}

bool
kg_canvas_opens (GFile *file)
{
  const char *path = g_file_peek_path (file);

  return path != NULL && g_str_has_suffix (path, ".json") && !g_str_has_suffix (path, KG_PRESET_SUFFIX);
}

void
kg_canvas_drop_files (KgCanvas *self, GSList *files, double wx, double wy)
{
  double x, y;

  kg_canvas_to_graph (self, wx, wy, &x, &y);
  for (GSList *l = files; l != NULL; l = l->next) {
    g_autofree char *path = g_file_get_path (G_FILE (l->data));
    g_autoptr (GError) error = NULL;

    if (path == NULL)
      kg_canvas_say (self, _ ("Only files of this computer can be dropped here."));
    else if (kg_canvas_opens (G_FILE (l->data)))
      gtk_widget_activate_action (GTK_WIDGET (self), "app.open-path", "s", path);
    else if (add_file (self, path, nearbyint (x), nearbyint (y - 0.5 * KG_NODE_HEAD), &error))
      y += 80;
    else
      kg_canvas_say_error (self, error);
  }
}

/* Renaming. */

static void
on_rename_activate (GtkEntry *entry, KgCanvas *self)
{
  KgNode *node = kg_document_get_active (self->document);
  g_autoptr (GError) error = NULL;

  if (node != NULL &&
      !kg_graph_rename (kg_node_get_parent (node), node, gtk_editable_get_text (GTK_EDITABLE (entry)), &error)) {
    kg_canvas_say_error (self, error);
    gtk_widget_add_css_class (GTK_WIDGET (entry), "error");
    return;
  }
  gtk_popover_popdown (GTK_POPOVER (self->rename_popover));
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

void
kg_canvas_open_rename (KgCanvas *self, KgNode *node)
{
  const KgRect *r = &kg_canvas_get_item (self, node)->layout.rect;
  const GdkRectangle at = { (int) ((r->x - self->x) * self->zoom), (int) ((r->y - self->y) * self->zoom),
                            (int) (r->width * self->zoom), (int) (KG_NODE_HEAD * self->zoom) };
  GtkWidget *entry;

  if (self->rename_popover == NULL) {
    self->rename_popover = gtk_popover_new ();
    entry = gtk_entry_new ();
    gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Name of the node"), -1);
    g_signal_connect (entry, "activate", G_CALLBACK (on_rename_activate), self);
    gtk_popover_set_child (GTK_POPOVER (self->rename_popover), entry);
    gtk_widget_set_parent (self->rename_popover, GTK_WIDGET (self));
  }
  entry = gtk_popover_get_child (GTK_POPOVER (self->rename_popover));
  gtk_widget_remove_css_class (entry, "error");
  kg_document_select (self->document, node, false);
  gtk_editable_set_text (GTK_EDITABLE (entry), kg_node_get_name (node));
  gtk_popover_set_pointing_to (GTK_POPOVER (self->rename_popover), &at);
  gtk_popover_popup (GTK_POPOVER (self->rename_popover));
  gtk_widget_grab_focus (entry);
  gtk_editable_select_region (GTK_EDITABLE (entry), 0, -1);
}

/* Commands. */

static GPtrArray *
dup_selection (KgCanvas *self)
{
  GPtrArray *nodes = g_ptr_array_new ();

  for (guint i = 0; i < kg_document_get_n_selected (self->document); i++)
    g_ptr_array_add (nodes, kg_document_get_selected (self->document, i));
  return nodes;
}

#define NODES(array) ((KgNode *const *) (array)->pdata)

/* What was done to the nodes by the mouse until now is a step of its own.  They leave the selection together: one by one
 * everybody who follows it would look at all the others each time. */
static void
delete_nodes (KgCanvas *self, GPtrArray *nodes, bool reconnect)
{
  kg_canvas_finish_tool (self);
  kg_document_select (self->document, NULL, false);
  kg_command_delete (kg_canvas_graph (self), NODES (nodes), nodes->len, reconnect);
}

static void
on_delete (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self);

  (void) parameter;
  delete_nodes (self, nodes, g_str_equal (name, "canvas.delete"));
}

static void
on_clipboard_text (GObject *source, GAsyncResult *result, gpointer data)
{
  KgCanvas *self = KG_CANVAS (data);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, &error);
  g_autoptr (GPtrArray) pasted = NULL;
  double x = 0, y = 0, low_x = INFINITY, low_y = INFINITY;

  if (text != NULL) {
    kg_graph_begin_group (kg_canvas_graph (self), _ ("Paste"));
    pasted = kg_graph_paste (kg_canvas_graph (self), text, 0, 0, &error);
    for (guint i = 0; pasted != NULL && i < pasted->len; i++) {
      kg_node_get_position ((KgNode *) g_ptr_array_index (pasted, i), &x, &y);
      low_x = fmin (low_x, x);
      low_y = fmin (low_y, y);
    }
    /* To the pointer. */
    for (guint i = 0; pasted != NULL && i < pasted->len; i++) {
      KgNode *node = (KgNode *) g_ptr_array_index (pasted, i);
      double at_x, at_y;

      kg_canvas_to_graph (self, fmax (self->pointer_x, 20), fmax (self->pointer_y, 20), &at_x, &at_y);
      kg_node_get_position (node, &x, &y);
      kg_graph_move (kg_canvas_graph (self), node, nearbyint (at_x + x - low_x), nearbyint (at_y + y - low_y));
    }
    if (pasted != NULL)
      kg_graph_end_group (kg_canvas_graph (self));
    else
      kg_graph_cancel_group (kg_canvas_graph (self));
  }
  if (pasted != NULL)
    kg_document_select_all (self->document, pasted);
  else if (error != NULL && error->domain == KG_ERROR)
    kg_canvas_say (self, _ ("The clipboard holds no nodes: %s"), error->message);
  else
    kg_canvas_say (self, _ ("The clipboard holds no nodes."));
  g_object_unref (self);
}

static void
on_clipboard (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  GdkClipboard *clipboard = gtk_widget_get_clipboard (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self);

  (void) parameter;
  if (g_str_equal (name, "canvas.paste")) {
    gdk_clipboard_read_text_async (clipboard, NULL, on_clipboard_text, g_object_ref (self));
    return;
  }
  if (nodes->len == 0)
    return;
  {
    g_autofree char *text = kg_graph_copy (kg_canvas_graph (self), NODES (nodes), nodes->len);

    gdk_clipboard_set_text (clipboard, text);
  }
  if (g_str_equal (name, "canvas.cut"))
    delete_nodes (self, nodes, false);
}

static void
on_duplicate (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self);
  g_autoptr (GPtrArray) copies = NULL;
  g_autoptr (GError) error = NULL;

  (void) name;
  (void) parameter;
  if (nodes->len == 0)
    return;
  copies = kg_command_duplicate (kg_canvas_graph (self), NODES (nodes), nodes->len, 30, 40, &error);
  if (copies != NULL)
    kg_document_select_all (self->document, copies);
  kg_canvas_say_error (self, error);
}

static void
on_collapse (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self);
  g_autoptr (GError) error = NULL;

  (void) name;
  (void) parameter;
  if (nodes->len > 0) {
    KgNode *subnet = kg_graph_collapse (kg_canvas_graph (self), NODES (nodes), nodes->len, &error);

    if (subnet != NULL)
      kg_document_select (self->document, subnet, false);
  }
  kg_canvas_say_error (self, error);
}

static void
on_expand (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgNode *node = kg_document_get_active (self->document);
  g_autoptr (GError) error = NULL;

  (void) name;
  (void) parameter;
  if (node != NULL && kg_node_get_graph (node) != NULL) {
    g_autoptr (GPtrArray) nodes = kg_graph_expand (kg_canvas_graph (self), node, &error);

    if (nodes != NULL)
      kg_document_select_all (self->document, nodes);
  }
  kg_canvas_say_error (self, error);
}

static void
on_enter (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgNode *node = kg_document_get_active (self->document);
  KgNode *owner = kg_graph_get_owner (kg_canvas_graph (self));

  (void) parameter;
  if (g_str_equal (name, "canvas.leave")) {
    if (owner != NULL) {
      kg_document_enter (self->document, kg_node_get_parent (owner));
      kg_document_select (self->document, owner, false);
    }
  } else if (node != NULL && kg_node_get_graph (node) != NULL)
    kg_document_enter (self->document, kg_node_get_graph (node));
}

static void
on_flag (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgGraph *graph = kg_canvas_graph (self);
  KgNode *active = kg_document_get_active (self->document);

  (void) parameter;
  if (active == NULL)
    return;
  if (g_str_equal (name, "canvas.bypass")) {
    const bool bypass = !kg_node_get_bypass (active);

    kg_graph_begin_group (graph, _ ("Bypass"));
    for (guint i = 0; i < kg_document_get_n_selected (self->document); i++)
      kg_graph_set_bypass (graph, kg_document_get_selected (self->document, i), bypass);
    kg_graph_end_group (graph);
    return;
  }
  if (g_str_equal (name, "canvas.rename")) {
    kg_canvas_open_rename (self, active);
    return;
  }
  {
    /* Display: again, the next output. */
    const char *display = kg_graph_get_display (graph);
    int first = -1, next = -1;
    bool found = false;

    for (guint i = 0; i < kg_node_get_n_slots (active); i++) {
      g_autofree char *target = NULL;

      if (kg_node_get_slot (active, i)->role != KG_SLOT_OUTPUT)
        continue;
      target = g_strdup_printf ("%s.%s", kg_node_get_name (active), kg_node_get_slot (active, i)->name);
      if (first < 0)
        first = (int) i;
      if (found && next < 0)
        next = (int) i;
      found |= g_strcmp0 (display, target) == 0 ||
               (first == (int) i && g_strcmp0 (display, kg_node_get_name (active)) == 0);
    }
    if (next < 0)
      next = first;
    if (next >= 0) {
      g_autofree char *target =
          g_strdup_printf ("%s.%s", kg_node_get_name (active), kg_node_get_slot (active, (guint) next)->name);

      kg_graph_set_display (graph, target);
    } else
      kg_canvas_say (self, _ ("%s has no output to show."), kg_node_get_name (active));
  }
}

static void
on_toggle (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgNode *active = kg_document_get_active (self->document);

  (void) parameter;
  if (g_str_equal (name, "canvas.heat")) {
    self->heat = !self->heat;
    self->look_stamp++;
  } else if (g_str_equal (name, "canvas.overview"))
    self->overview = !self->overview;
  else if (active != NULL) {
    const bool thumbnails = g_str_equal (name, "canvas.thumbnails");
    const KgItem *first = kg_canvas_get_item (self, active);
    const bool on = thumbnails ? !first->thumbnail : !first->expanded;

    for (guint i = 0; i < kg_document_get_n_selected (self->document); i++) {
      KgItem *item = kg_canvas_get_item (self, kg_document_get_selected (self->document, i));

      if (thumbnails)
        item->thumbnail = on;
      else
        item->expanded = on;
      item->stale = true;
    }
    self->items_stale = self->links_stale = true;
    if (thumbnails)
      g_signal_emit_by_name (self->document, "changed");
  }
  gtk_widget_queue_draw (widget);
}

static void
on_view (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  const double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  (void) parameter;
  if (g_str_equal (name, "canvas.fit"))
    kg_canvas_fit (self, false);
  else if (g_str_equal (name, "canvas.fit-selection"))
    kg_canvas_fit (self, true);
  else if (g_str_equal (name, "canvas.add"))
    kg_canvas_add_node (self);
  else
    kg_canvas_zoom_at (self, 0.5 * width, 0.5 * height, g_str_equal (name, "canvas.zoom-in") ? 1.25 : 0.8);
}

static void
on_select (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self), found = NULL;

  (void) parameter;
  if (g_str_equal (name, "canvas.select-all")) {
    GPtrArray *order = kg_canvas_get_order (self);

    found = g_ptr_array_new ();
    for (guint i = 0; i < order->len; i++)
      g_ptr_array_add (found, ((const KgItem *) g_ptr_array_index (order, i))->node);
  } else if (g_str_equal (name, "canvas.select-none"))
    found = g_ptr_array_new ();
  else
    found = g_str_equal (name, "canvas.select-upstream") ? kg_command_upstream (NODES (nodes), nodes->len)
                                                         : kg_command_downstream (NODES (nodes), nodes->len);
  kg_document_select_all (self->document, found);
}

/* (transfer full) As they are shown: with their pictures, and all of their inputs where these are shown. */
static KgRect *
dup_rects (KgCanvas *self, const GPtrArray *nodes)
{
  KgRect *rects = g_new (KgRect, nodes->len);

  for (guint i = 0; i < nodes->len; i++)
    rects[i] = kg_canvas_get_item (self, (KgNode *) g_ptr_array_index (nodes, i))->layout.rect;
  return rects;
}

static void
on_align (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  g_autoptr (GPtrArray) nodes = dup_selection (self);
  const char *how = parameter != NULL ? g_variant_get_string (parameter, NULL) : "";
  g_autofree KgRect *rects = NULL;

  if (g_str_equal (name, "canvas.layout")) {
    if (nodes->len < 2) {
      g_clear_pointer (&nodes, g_ptr_array_unref);
      nodes = g_ptr_array_new ();
      for (guint i = 0; i < kg_graph_get_n_nodes (kg_canvas_graph (self)); i++)
        g_ptr_array_add (nodes, kg_graph_get_node (kg_canvas_graph (self), i));
    } else
      /* Frames hold other nodes as well, perhaps. */
      for (guint i = nodes->len; i > 0; i--)
        if (kg_node_is_note ((KgNode *) g_ptr_array_index (nodes, i - 1)))
          g_ptr_array_remove_index (nodes, i - 1);
    rects = dup_rects (self, nodes);
    kg_command_layout (kg_canvas_graph (self), NODES (nodes), rects, nodes->len);
    kg_canvas_fit (self, false);
    return;
  }
  rects = dup_rects (self, nodes);
  kg_command_align (kg_canvas_graph (self), NODES (nodes), rects, nodes->len,
                    g_str_equal (how, "left")  ? KG_ALIGN_LEFT
                    : g_str_equal (how, "top") ? KG_ALIGN_TOP
                    : g_str_equal (how, "row") ? KG_ALIGN_ROW
                                               : KG_ALIGN_COLUMN);
}

/* A note around the selected nodes: a frame that moves them along. */
static void
on_frame (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  KgGraph *graph = kg_canvas_graph (self);
  KgRect all = KG_RECT_EMPTY;
  g_autofree char *width = NULL, *height = NULL;
  KgNode *note;

  (void) parameter;
  for (guint i = 0; i < kg_document_get_n_selected (self->document); i++)
    kg_rect_include (&all, &kg_canvas_get_item (self, kg_document_get_selected (self->document, i))->layout.rect);
  if (all.width < 0 || g_str_equal (name, "canvas.note")) {
    all = (KgRect){ 0, 0, 200, 60 };
    kg_canvas_to_graph (self, fmax (self->pointer_x, 0), fmax (self->pointer_y, 0), &all.x, &all.y);
  }
  width = kg_number_format_exact (nearbyint (all.width + 40));
  height = kg_number_format_exact (nearbyint (all.height + 60));
  kg_graph_begin_group (graph, _ ("Add note"));
  note = kg_graph_add (graph, "graph/note", NULL, nearbyint (all.x - 20), nearbyint (all.y - 40), NULL);
  if (note != NULL) {
    kg_graph_set_json (graph, note, "width", width, NULL);
    kg_graph_set_json (graph, note, "height", height, NULL);
    kg_document_select (self->document, note, false);
  }
  kg_graph_end_group (graph);
}

static void
on_color (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  const char *color = g_variant_get_string (parameter, NULL);

  (void) name;
  kg_graph_begin_group (kg_canvas_graph (self), _ ("Colour"));
  for (guint i = 0; i < kg_document_get_n_selected (self->document); i++)
    kg_graph_set_color (kg_canvas_graph (self), kg_document_get_selected (self->document, i),
                        *color != '\0' ? color : NULL);
  kg_graph_end_group (kg_canvas_graph (self));
}

/* Walking with the keyboard. */

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

static void
go_to_node (KgCanvas *self, KgNode *node)
{
  kg_document_select (self->document, node, false);
  kg_canvas_reveal (self, node);
}

KgNode *
kg_canvas_find_next (KgCanvas *self, KgNode *from, const char *way, GHashTable *among)
{
  GPtrArray *order = kg_canvas_get_order (self);
  const double dx = g_str_equal (way, "right") - g_str_equal (way, "left");
  const double dy = g_str_equal (way, "down") - g_str_equal (way, "up");
  double nearest = INFINITY, x = 0, y = 0;
  KgNode *best = NULL;

  if (from != NULL)
    kg_node_get_position (from, &x, &y);
  for (guint i = 0; i < order->len; i++) {
    KgNode *node = ((const KgItem *) g_ptr_array_index (order, i))->node;
    double nx, ny, along, across;

    kg_node_get_position (node, &nx, &ny);
    along = (nx - x) * dx + (ny - y) * dy;
    across = fabs ((nx - x) * dy) + fabs ((ny - y) * dx);
    if (node != from && (from == NULL || along > 1) && along + 2 * across < nearest &&
        (among == NULL || g_hash_table_contains (among, node))) {
      nearest = along + 2 * across;
      best = node;
    }
  }
  return best;
}

/* Arrow keys: to the nearest node in that direction, or to another slot or link while one is chosen. */
static void
on_walk (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  const char *way = g_variant_get_string (parameter, NULL);
  KgNode *next;

  (void) name;
  if (kg_canvas_walk_pick (self, way))
    return;
  next = kg_canvas_find_next (self, kg_document_get_active (self->document), way, NULL);
  if (next != NULL)
    go_to_node (self, next);
}

/* (transfer full) The nodes that a node reads, in the order of its inputs, or that read it; each once. */
static GPtrArray *
find_neighbours (KgNode *node, bool upstream)
{
  GPtrArray *found;

  if (!upstream)
    return kg_node_dup_users (node);
  found = g_ptr_array_new ();
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    for (guint item = 0; item < kg_canvas_count_items (node, i); item++) {
      KgNode *from;
      guint output;

      if (kg_node_get_link (node, i, item, &from, &output) && !g_ptr_array_find (found, from, NULL))
        g_ptr_array_add (found, from);
    }
  return found;
}

/* Along links: to the first node that this one reads, to the first that reads it, or, after either, to the next of
 * those instead. */
static void
on_follow (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);
  const char *way = g_variant_get_string (parameter, NULL);
  KgNode *active = kg_document_get_active (self->document);
  KgNode *from = self->followed_from != NULL ? kg_graph_find (kg_canvas_graph (self), self->followed_from) : NULL;
  g_autoptr (GPtrArray) neighbours = NULL;
  guint at = 0;

  (void) name;
  if (active == NULL || kg_canvas_walk_pick (self, way))
    return;
  if (!g_str_equal (way, "other")) {
    self->followed_upstream = g_str_equal (way, "upstream");
    from = active;
  }
  neighbours = from != NULL ? find_neighbours (from, self->followed_upstream) : g_ptr_array_new ();
  if (g_str_equal (way, "other") && g_ptr_array_find (neighbours, active, &at))
    at = (at + 1) % neighbours->len;
  else if (from != active)
    return;
  if (at >= neighbours->len)
    return;
  g_free (self->followed_from);
  self->followed_from = g_strdup (kg_node_get_name (from));
  go_to_node (self, (KgNode *) g_ptr_array_index (neighbours, at));
}

static void
on_activate (GtkWidget *widget, const char *name, GVariant *parameter)
{
  (void) name;
  (void) parameter;
  if (!kg_canvas_take_pick (KG_CANVAS (widget)))
    g_signal_emit (widget, signals[ACTIVATE_NODE], 0);
}

static void
on_keyboard (GtkWidget *widget, const char *name, GVariant *parameter)
{
  KgCanvas *self = KG_CANVAS (widget);

  if (g_str_equal (name, "canvas.nudge"))
    kg_canvas_nudge (self, g_variant_get_string (parameter, NULL));
  else if (g_str_equal (name, "canvas.link"))
    kg_canvas_start_link (self, g_str_equal (g_variant_get_string (parameter, NULL), "output"));
  else if (g_str_equal (name, "canvas.unlink"))
    kg_canvas_start_unlink (self);
  else if (g_str_equal (name, "canvas.dot"))
    kg_canvas_start_dot (self);
  else
    kg_canvas_open_menu_by_key (self);
}

static void
on_cancel (GtkWidget *widget, const char *name, GVariant *parameter)
{
  (void) name;
  (void) parameter;
  kg_canvas_cancel_tool (KG_CANVAS (widget));
}

/* Following the document. */

static void
on_node_added (KgCanvas *self, KgNode *node)
{
  (void) node;
  self->order_stale = true;
  mark_links_stale (self);
}

static void
on_node_moved (KgCanvas *self, KgNode *node)
{
  KgItem *item = (KgItem *) g_hash_table_lookup (self->items, node);
  double x, y;

  kg_node_get_position (node, &x, &y);
  if (item != NULL && !item->stale)
    kg_node_layout_place (&item->layout, x, y);
  else
    mark_stale (self, node);
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
  mark_links_stale (self);
  g_ptr_array_set_size (self->order, 0);
  g_hash_table_remove (self->items, node);
  if (self->access != NULL)
    g_hash_table_remove (self->access, node);
}

/* What there was to choose between may not be there any more. */
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
  mark_stale (self, node);
  mark_links_stale (self);
}

static void
on_slots_changed (KgCanvas *self, KgNode *node)
{
  drop_pick (self);
  mark_stale (self, node);
  mark_links_stale (self);
}

/* A name may be one that a link has waited for. */
static void
on_node_renamed (KgCanvas *self, KgNode *node, const char *old_name)
{
  (void) old_name;
  mark_stale (self, node);
  mark_links_stale (self);
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

    item->thumbnail = starts_with_thumbnail (item->node);
    item->stale = true;
  }
  self->items_stale = self->links_stale = true;
  g_signal_emit_by_name (self->document, "changed");
}

static void
describe (KgCanvas *self)
{
  KgNode *node = kg_document_get_active (self->document);
  const KgNodeReport *report = node != NULL ? kg_canvas_get_report (self, node) : NULL;
  const KgNodeType *type = node != NULL ? kg_node_get_type (node) : NULL;
  g_autofree char *text = NULL;

  if (node == NULL)
    text = g_strdup_printf (_ ("Canvas, %u nodes"), kg_graph_get_n_nodes (kg_canvas_graph (self)));
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
  g_signal_connect_object (graph, "node-changed", G_CALLBACK (mark_stale), self, G_CONNECT_SWAPPED);
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
  mark_links_stale (self);
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
  const int output = find_picture (node);

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
  kg_canvas_want_access (self);
}

static void
kg_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  KgCanvas *self = KG_CANVAS (widget);
  GtkWidget *popovers[] = { self->add_popover, self->menu, self->rename_popover };

  (void) width;
  (void) height;
  (void) baseline;
  for (guint i = 0; i < G_N_ELEMENTS (popovers); i++)
    if (popovers[i] != NULL)
      gtk_popover_present (GTK_POPOVER (popovers[i]));
  kg_canvas_allocate_access (self);
}

static gboolean
kg_canvas_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  KgCanvas *self = KG_CANVAS (widget);
  const KgNodeReport *report;
  g_autoptr (GString) text = g_string_new (NULL);
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
    return TRUE;
  }
  report = kg_canvas_get_report (self, node);
  if (kg_node_get_type (node) != NULL)
    g_string_append (text, _ (kg_node_get_type (node)->label));
  else
    g_string_append_printf (text, _ ("%s: this program does not know this type"), kg_node_get_type_id (node));
  if (report != NULL && report->error != NULL)
    g_string_append_printf (text, "\n✖ %s", report->error);
  if (report != NULL && report->warnings != NULL)
    g_string_append_printf (text, "\n⚠ %s", report->warnings);
  if (kg_node_get_comment (node) != NULL)
    g_string_append_printf (text, "\n%s", kg_node_get_comment (node));
  gtk_tooltip_set_text (tooltip, text->str);
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
bind (GtkWidgetClass *class, guint key, GdkModifierType modifiers, const char *action, const char *argument)
{
  gtk_widget_class_add_binding_action (class, key, modifiers, action, argument != NULL ? "s" : NULL, argument);
}

static void
kg_canvas_class_init (KgCanvasClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);
  static const struct {
    const char *name;
    const char *parameter;
    GtkWidgetActionActivateFunc activate;
  } actions[] = {
    { "canvas.add", NULL, on_view },
    { "canvas.fit", NULL, on_view },
    { "canvas.fit-selection", NULL, on_view },
    { "canvas.zoom-in", NULL, on_view },
    { "canvas.zoom-out", NULL, on_view },
    { "canvas.delete", NULL, on_delete },
    { "canvas.delete-only", NULL, on_delete },
    { "canvas.cut", NULL, on_clipboard },
    { "canvas.copy", NULL, on_clipboard },
    { "canvas.paste", NULL, on_clipboard },
    { "canvas.duplicate", NULL, on_duplicate },
    { "canvas.collapse", NULL, on_collapse },
    { "canvas.expand", NULL, on_expand },
    { "canvas.enter", NULL, on_enter },
    { "canvas.leave", NULL, on_enter },
    { "canvas.bypass", NULL, on_flag },
    { "canvas.display", NULL, on_flag },
    { "canvas.rename", NULL, on_flag },
    { "canvas.heat", NULL, on_toggle },
    { "canvas.overview", NULL, on_toggle },
    { "canvas.thumbnails", NULL, on_toggle },
    { "canvas.expand-inputs", NULL, on_toggle },
    { "canvas.select-all", NULL, on_select },
    { "canvas.select-none", NULL, on_select },
    { "canvas.select-upstream", NULL, on_select },
    { "canvas.select-downstream", NULL, on_select },
    { "canvas.align", "s", on_align },
    { "canvas.layout", NULL, on_align },
    { "canvas.frame", NULL, on_frame },
    { "canvas.note", NULL, on_frame },
    { "canvas.color", "s", on_color },
    { "canvas.walk", "s", on_walk },
    { "canvas.follow", "s", on_follow },
    { "canvas.nudge", "s", on_keyboard },
    { "canvas.link", "s", on_keyboard },
    { "canvas.unlink", NULL, on_keyboard },
    { "canvas.dot", NULL, on_keyboard },
    { "canvas.menu", NULL, on_keyboard },
    { "canvas.activate", NULL, on_activate },
    { "canvas.cancel", NULL, on_cancel },
  };

  G_OBJECT_CLASS (class)->dispose = kg_canvas_dispose;
  G_OBJECT_CLASS (class)->finalize = kg_canvas_finalize;
  widget->snapshot = kg_canvas_snapshot;
  widget->size_allocate = kg_canvas_size_allocate;
  widget->query_tooltip = kg_canvas_query_tooltip;
  signals[MESSAGE] =
      g_signal_new ("message", KG_TYPE_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[ACTIVATE_NODE] =
      g_signal_new ("activate-node", KG_TYPE_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget, actions[i].name, actions[i].parameter, actions[i].activate);
  bind (widget, GDK_KEY_Tab, 0, "canvas.add", NULL);
  bind (widget, GDK_KEY_a, GDK_SHIFT_MASK, "canvas.add", NULL);
  bind (widget, GDK_KEY_a, 0, "canvas.fit", NULL);
  bind (widget, GDK_KEY_Home, 0, "canvas.fit", NULL);
  bind (widget, GDK_KEY_f, 0, "canvas.fit-selection", NULL);
  bind (widget, GDK_KEY_plus, GDK_CONTROL_MASK, "canvas.zoom-in", NULL);
  bind (widget, GDK_KEY_minus, GDK_CONTROL_MASK, "canvas.zoom-out", NULL);
  bind (widget, GDK_KEY_Delete, 0, "canvas.delete", NULL);
  bind (widget, GDK_KEY_BackSpace, 0, "canvas.delete", NULL);
  bind (widget, GDK_KEY_Delete, GDK_SHIFT_MASK, "canvas.delete-only", NULL);
  bind (widget, GDK_KEY_x, GDK_CONTROL_MASK, "canvas.cut", NULL);
  bind (widget, GDK_KEY_c, GDK_CONTROL_MASK, "canvas.copy", NULL);
  bind (widget, GDK_KEY_v, GDK_CONTROL_MASK, "canvas.paste", NULL);
  bind (widget, GDK_KEY_d, GDK_CONTROL_MASK, "canvas.duplicate", NULL);
  bind (widget, GDK_KEY_g, GDK_CONTROL_MASK, "canvas.collapse", NULL);
  bind (widget, GDK_KEY_g, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.expand", NULL);
  bind (widget, GDK_KEY_i, 0, "canvas.enter", NULL);
  bind (widget, GDK_KEY_u, 0, "canvas.leave", NULL);
  bind (widget, GDK_KEY_b, 0, "canvas.bypass", NULL);
  bind (widget, GDK_KEY_d, 0, "canvas.display", NULL);
  bind (widget, GDK_KEY_F2, 0, "canvas.rename", NULL);
  bind (widget, GDK_KEY_h, 0, "canvas.heat", NULL);
  bind (widget, GDK_KEY_o, 0, "canvas.overview", NULL);
  bind (widget, GDK_KEY_t, 0, "canvas.thumbnails", NULL);
  bind (widget, GDK_KEY_e, 0, "canvas.expand-inputs", NULL);
  bind (widget, GDK_KEY_a, GDK_CONTROL_MASK, "canvas.select-all", NULL);
  bind (widget, GDK_KEY_a, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.select-none", NULL);
  bind (widget, GDK_KEY_Left, GDK_SHIFT_MASK, "canvas.select-upstream", NULL);
  bind (widget, GDK_KEY_Right, GDK_SHIFT_MASK, "canvas.select-downstream", NULL);
  bind (widget, GDK_KEY_l, 0, "canvas.layout", NULL);
  bind (widget, GDK_KEY_j, GDK_SHIFT_MASK, "canvas.frame", NULL);
  bind (widget, GDK_KEY_n, GDK_SHIFT_MASK, "canvas.note", NULL);
  bind (widget, GDK_KEY_Left, 0, "canvas.walk", "left");
  bind (widget, GDK_KEY_Right, 0, "canvas.walk", "right");
  bind (widget, GDK_KEY_Up, 0, "canvas.walk", "up");
  bind (widget, GDK_KEY_Down, 0, "canvas.walk", "down");
  bind (widget, GDK_KEY_comma, 0, "canvas.follow", "upstream");
  bind (widget, GDK_KEY_period, 0, "canvas.follow", "downstream");
  bind (widget, GDK_KEY_slash, 0, "canvas.follow", "other");
  bind (widget, GDK_KEY_Left, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.nudge", "left");
  bind (widget, GDK_KEY_Right, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.nudge", "right");
  bind (widget, GDK_KEY_Up, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.nudge", "up");
  bind (widget, GDK_KEY_Down, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "canvas.nudge", "down");
  bind (widget, GDK_KEY_c, 0, "canvas.link", "output");
  bind (widget, GDK_KEY_c, GDK_SHIFT_MASK, "canvas.link", "input");
  bind (widget, GDK_KEY_y, 0, "canvas.unlink", NULL);
  bind (widget, GDK_KEY_r, 0, "canvas.dot", NULL);
  bind (widget, GDK_KEY_Menu, 0, "canvas.menu", NULL);
  bind (widget, GDK_KEY_F10, GDK_SHIFT_MASK, "canvas.menu", NULL);
  bind (widget, GDK_KEY_Return, 0, "canvas.activate", NULL);
  bind (widget, GDK_KEY_Escape, 0, "canvas.cancel", NULL);
  gtk_widget_class_set_accessible_role (widget, GTK_ACCESSIBLE_ROLE_LIST_BOX);
  gtk_widget_class_set_css_name (widget, "canvas");
}

static void
kg_canvas_init (KgCanvas *self)
{
  self->items = g_hash_table_new_full (NULL, NULL, NULL, item_free);
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

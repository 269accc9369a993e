/* kg-canvas-add: nodes that come to the canvas: from the search, from files dropped on it, from commands.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-add-popover.h"
#include "kg-canvas-private.h"
#include "kg-find-popover.h"
#include "kg-commands.h"
#include "kg-preset-json.h"
#include "kg-preset-library.h"

#include <glib/gi18n.h>

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
    slot = kg_command_find_input_for (node, end->node, end->slot);
    if (slot >= 0)
      kg_graph_link_item (kg_canvas_graph (self), end->node, end->slot, node, (guint) slot, G_MAXUINT, &error);
  } else {
    slot = kg_command_find_output (node, kg_node_get_slot (end->node, end->slot)->kind);
    if (slot >= 0)
      kg_graph_link_item (kg_canvas_graph (self), node, (guint) slot, end->node, end->slot, end->item, &error);
  }
  kg_canvas_show_error (self, error);
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
  kg_canvas_show_error (self, error);
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

KgNode *
kg_canvas_add_role (KgCanvas *self, KgRole role, double x, double y, GError **error)
{
  KgGraph *graph = kg_canvas_graph (self);

  return kg_graph_add (graph, kg_types_find_role (kg_graph_get_types (graph), role)->id, NULL, x, y, error);
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

/* Finding. */

static char *
dup_problem (KgNode *node, gpointer data)
{
  const KgNodeReport *report = kg_canvas_get_report (KG_CANVAS (data), node);

  return report != NULL && report->error != NULL ? g_strdup (report->error) : NULL;
}

static void
on_found (KgCanvas *self, const char *path)
{
  KgNode *node = kg_graph_find_path (kg_document_get_graph (self->document), path);

  if (node == NULL)
    return;
  kg_document_enter (self->document, kg_node_get_parent (node));
  kg_document_select (self->document, node, false);
  kg_canvas_reveal (self, node);
}

void
kg_canvas_open_find (KgCanvas *self)
{
  const GdkRectangle at = { gtk_widget_get_width (GTK_WIDGET (self)) / 2, 20, 1, 1 };

  if (self->find_popover == NULL) {
    self->find_popover = kg_find_popover_new (dup_problem, self);
    gtk_widget_set_parent (self->find_popover, GTK_WIDGET (self));
    g_signal_connect_swapped (self->find_popover, "chosen", G_CALLBACK (on_found), self);
  }
  gtk_popover_set_pointing_to (GTK_POPOVER (self->find_popover), &at);
  gtk_popover_popup (GTK_POPOVER (self->find_popover));
  kg_find_popover_prepare (KG_FIND_POPOVER (self->find_popover), kg_document_get_graph (self->document));
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
static const KgNodeType *
find_reader (const KgTypes *types, const char *path)
{
  g_autofree char *content = g_content_type_guess (path, NULL, 0, NULL);
  g_autofree char *mime = content != NULL ? g_content_type_get_mime_type (content) : NULL;

  return kg_types_find_reader (types, path, mime);
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
  const KgNodeType *type = find_reader (kg_graph_get_types (graph), path);
  g_autofree char *named = kg_document_dup_relative_path (self->document, path);
  g_auto (KgValue) value = kg_value_text (named);
  KgNode *node;

  if (type == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_FILE,
                  "%s: drop a graph, a preset, an image, a movie or a mesh (.obj, .ply, .stl, .gltf, .glb, .fbx)",
                  named);
    return NULL;
  }
  kg_document_permit (self->document, path);
  node = kg_graph_add (graph, type->id, NULL, x, y, error);
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
kg_canvas_can_open (GFile *file)
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
      kg_canvas_show_message (self, _ ("Only files on this computer can be dropped here."));
    else if (kg_canvas_can_open (G_FILE (l->data)))
      gtk_widget_activate_action (GTK_WIDGET (self), "app.open-path", "s", path);
    else if (add_file (self, path, nearbyint (x), nearbyint (y - 0.5 * KG_NODE_HEAD), &error))
      y += 80;
    else
      kg_canvas_show_error (self, error);
  }
}

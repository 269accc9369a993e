/* kg-graph: graphs: their nodes come, go and are copied; accessors.  Edits are in kg-edit.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"
#include "kg-suggest.h"

G_DEFINE_FINAL_TYPE (KgGraph, kg_graph, G_TYPE_OBJECT)

static void
document_free (KgDocumentState *document)
{
  g_clear_pointer (&document->history, kg_history_free);
  g_free (document->folder);
  g_strfreev (document->permitted);
  g_free (document);
}

static void
kg_graph_finalize (GObject *object)
{
  KgGraph *graph = KG_GRAPH (object);

  g_clear_pointer (&graph->document, document_free);
  g_hash_table_unref (graph->by_name);
  g_hash_table_unref (graph->last_numbers);
  for (guint i = 0; i < graph->nodes->len; i++)
    ((KgNode *) g_ptr_array_index (graph->nodes, i))->parent = NULL;
  g_ptr_array_unref (graph->nodes);
  g_array_unref (graph->dangling);
  kg_types_unref (graph->types);
  g_free (graph->title);
  g_free (graph->comment);
  g_free (graph->display);
  G_OBJECT_CLASS (kg_graph_parent_class)->finalize (object);
}

guint kg_graph_signals[KG_N_SIGNALS];

static void
kg_graph_class_init (KgGraphClass *klass)
{
  static const struct {
    const char *name;
    guint n;
    GType types[2];
  } signals[] = {
    [KG_SIGNAL_NODE_ADDED] = { "node-added", 1, { G_TYPE_POINTER } },
    [KG_SIGNAL_NODE_REMOVED] = { "node-removed", 1, { G_TYPE_POINTER } },
    [KG_SIGNAL_NODE_RENAMED] = { "node-renamed", 2, { G_TYPE_POINTER, G_TYPE_STRING } },
    [KG_SIGNAL_NODE_MOVED] = { "node-moved", 1, { G_TYPE_POINTER } },
    [KG_SIGNAL_NODE_CHANGED] = { "node-changed", 1, { G_TYPE_POINTER } },
    [KG_SIGNAL_SOURCE_CHANGED] = { "source-changed", 2, { G_TYPE_POINTER, G_TYPE_UINT } },
    [KG_SIGNAL_SLOTS_CHANGED] = { "slots-changed", 1, { G_TYPE_POINTER } },
    [KG_SIGNAL_SETTINGS_CHANGED] = { "settings-changed", 0, { 0 } },
    [KG_SIGNAL_HISTORY_CHANGED] = { "history-changed", 0, { 0 } },
    [KG_SIGNAL_CHANGED] = { "changed", 0, { 0 } },
  };

  G_STATIC_ASSERT (G_N_ELEMENTS (signals) == KG_N_SIGNALS);
  G_OBJECT_CLASS (klass)->finalize = kg_graph_finalize;
  for (guint i = 0; i < KG_N_SIGNALS; i++)
    kg_graph_signals[i] = g_signal_newv (signals[i].name, KG_TYPE_GRAPH, G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL,
                                         G_TYPE_NONE, signals[i].n, (GType *) signals[i].types);
}

static void
kg_graph_init (KgGraph *graph)
{
  graph->nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_node_unref);
  graph->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  graph->last_numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  graph->dangling = g_array_new (FALSE, FALSE, sizeof (KgUser));
  graph->title = g_strdup ("");
  graph->comment = g_strdup ("");
}

/* (transfer full) Without the state of a document. */
static KgGraph *
new_graph (KgTypes *types)
{
  KgGraph *graph = (KgGraph *) g_object_new (KG_TYPE_GRAPH, NULL);

  graph->types = kg_types_ref (types);
  return graph;
}

KgGraph *
kg_graph_new (KgTypes *types)
{
  KgGraph *graph = new_graph (types);

  kg_graph_get_document (graph)->history = kg_history_new ();
  return graph;
}

/* Adding and removing nodes. */

KgHash
kg_node_hash_type (const char *type_id, const KgNodeType *type)
{
  return kg_hash_uint (kg_hash_text (kg_hash_begin (KG_HASH_TYPE, 0), type_id), type != NULL ? type->version : 0);
}

KgNode *
kg_node_new (KgGraph *graph, const KgNodeType *type, const char *type_id, const char *name)
{
  KgNode *node = g_new0 (KgNode, 1);

  g_atomic_ref_count_init (&node->refs);
  node->name = g_strdup (name);
  node->type_id = g_strdup (type_id);
  node->type_hash = kg_node_hash_type (type_id, type);
  node->type = type;
  node->preset = kg_type_get_preset (type) != NULL ? kg_preset_ref (kg_type_get_preset (type)) : NULL;
  kg_node_make_marks (node, type != NULL ? type->n_slots : 0);
  if (type != NULL) {
    node->slots = type->slots;
    node->n_slots = type->n_slots;
    node->inputs = g_new0 (KgInput, MAX (node->n_slots, 1));
    if (type->role == KG_ROLE_SUBNET) {
      node->inside = new_graph (graph->types);
      node->inside->owner = node;
      kg_node_rebuild_interface (node);
    }
  }
  return node;
}

void
kg_graph_set_types (KgGraph *graph, KgTypes *types)
{
  kg_types_unref (graph->types);
  graph->types = kg_types_ref (types);
  for (guint i = 0; i < graph->nodes->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (graph->nodes, i);

    if (node->inside != NULL)
      kg_graph_set_types (node->inside, types);
  }
}

void
kg_node_use_definition (const KgNode *node)
{
  KgGraph *root = kg_graph_get_root (node->parent);
  g_autoptr (KgTypes) types = NULL;

  /* The contents of a locked instance are as its own definition has them. */
  if (kg_types_find_version (root->types, node->type_id, node->type->version) == node->type ||
      kg_graph_is_locked (node->parent))
    return;
  types = kg_types_add (root->types, node->type);
  kg_graph_set_types (root, types);
}

/* A node that only the history remembers is not informed when what it reads changes, or a file. */
static void
forget_marks (KgNode *node)
{
  for (guint i = 0; i <= node->n_slots; i++)
    node->marks[i].valid = false;
  for (guint i = 0; node->inside != NULL && i < node->inside->nodes->len; i++)
    forget_marks ((KgNode *) g_ptr_array_index (node->inside->nodes, i));
}

void
kg_graph_attach (KgGraph *graph, KgNode *node, guint index)
{
  forget_marks (node);
  g_ptr_array_insert (graph->nodes, (gint) index, kg_node_ref (node));
  g_hash_table_insert (graph->by_name, node->name, node);
  node->parent = graph;
  if (node->inside != NULL)
    g_clear_pointer (&node->inside->document, document_free);
  graph->n_unknown += node->type == NULL;
  graph->n_aside += node->aside != NULL;
  if (node->preset != NULL) {
    kg_graph_get_document (graph)->n_instanced += kg_preset_get_size (node->preset);
    kg_node_use_definition (node);
  }
  if (node->inside != NULL && node->inside->types != graph->types)
    kg_graph_set_types (node->inside, graph->types);
  for (guint i = 0; i < node->n_slots; i++)
    kg_input_connect (node, i);
  kg_graph_retry_dangling (graph, node->name);
  kg_node_invalidate (node, -1);
  if (graph->owner != NULL && kg_node_is_interface (node))
    kg_node_rebuild_interface (graph->owner);
}

/* Searched from both ends: usually the last nodes added are removed, or all of them from the first on. */
guint
kg_graph_get_place (const KgGraph *graph, const KgNode *node)
{
  const guint n = graph->nodes->len;

  for (guint i = 0; 2 * i <= n && i < n; i++) {
    if (g_ptr_array_index (graph->nodes, i) == node)
      return i;
    if (g_ptr_array_index (graph->nodes, n - 1 - i) == node)
      return n - 1 - i;
  }
  return n;
}

guint
kg_graph_detach (KgGraph *graph, KgNode *node)
{
  const guint index = kg_graph_get_place (graph, node);

  g_return_val_if_fail (index < graph->nodes->len, 0);
  graph->n_unknown -= node->type == NULL;
  graph->n_aside -= node->aside != NULL;
  if (node->preset != NULL)
    kg_graph_get_document (graph)->n_instanced -= kg_preset_get_size (node->preset);
  kg_node_ref (node);
  kg_node_invalidate (node, -1);
  g_hash_table_remove (graph->by_name, node->name);
  g_hash_table_remove_all (graph->last_numbers);
  /* Links to it were reset before; what is left are references of expressions, which now dangle. */
  kg_node_reconnect_readers (node);
  for (guint i = 0; i < node->n_slots; i++)
    kg_input_disconnect (node, i);
  g_ptr_array_remove_index (graph->nodes, index);
  if (graph->owner != NULL && kg_node_is_interface (node))
    kg_node_rebuild_interface (graph->owner);
  node->parent = NULL;
  node->outside = NULL;
  kg_node_unref (node);
  return index;
}

/* Copies. */

static void
copy_cells (const KgInput *from, KgInput *to)
{
  if (from->cells == NULL)
    return;
  to->cells = g_ptr_array_sized_new (from->cells->len);
  for (guint i = 0; i < from->cells->len; i++) {
    const KgExpression *expression = (const KgExpression *) g_ptr_array_index (from->cells, i);

    g_ptr_array_add (to->cells, expression != NULL ? kg_expression_copy (expression) : NULL);
  }
}

/* (Nesting is bounded, KG_GRAPH_MAX_NESTING, so this may call itself.) */
void
kg_graph_copy_inside (KgGraph *from, KgGraph *to, GHashTable *wanted)
{
  for (guint i = 0; i < from->nodes->len; i++) {
    KgNode *original = (KgNode *) g_ptr_array_index (from->nodes, i);
    g_autoptr (KgNode) node = NULL;

    if (wanted != NULL && !g_hash_table_contains (wanted, original))
      continue;
    node = kg_node_new (to, original->type, original->type_id, original->name);
    node->x = original->x;
    node->y = original->y;
    node->bypass = original->bypass;
    node->stage = original->stage;
    node->unlocked = original->unlocked;
    kg_set_string (&node->color, original->color);
    kg_set_string (&node->comment, original->comment);
    if (original->raw != NULL)
      node->raw = kg_json_copy (original->raw);
    if (original->aside != NULL)
      node->aside = kg_json_copy (original->aside);
    if (original->inside != NULL) {
      kg_graph_copy_inside (original->inside, node->inside, NULL);
      kg_node_rebuild_interface (node);
    }
    for (guint s = 0; s < original->n_slots; s++) {
      node->inputs[s].source = kg_source_copy (&original->inputs[s].source);
      if (original->inputs[s].expression != NULL)
        node->inputs[s].expression = kg_expression_copy (original->inputs[s].expression);
      copy_cells (&original->inputs[s], &node->inputs[s]);
    }
    /* (The stamps of walks are counted by each graph for itself.) */
    memcpy (node->marks, original->marks, (original->n_slots + 1) * sizeof *node->marks);
    /* (What an evaluator prepared stays with the original.) */
    for (guint s = 0; s <= original->n_slots; s++)
      node->marks[s].ready = node->marks[s].plain = false;
    node->parent = to;
    to->n_unknown += node->type == NULL;
    to->n_aside += node->aside != NULL;
    g_hash_table_insert (to->by_name, node->name, node);
    g_ptr_array_add (to->nodes, g_steal_pointer (&node));
  }
  for (guint i = 0; i < to->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (to->nodes, i);

    for (guint s = 0; s < node->n_slots; s++)
      kg_input_connect (node, s);
  }
  kg_set_string (&to->display, from->display);
}

KgGraph *
kg_graph_copy_nodes (KgGraph *graph, GHashTable *wanted)
{
  KgGraph *copy = new_graph (graph->types);
  KgDocumentState *document = kg_graph_get_document (copy);

  document->frames = kg_graph_get_frames (graph);
  document->n_reloads = kg_graph_get_document (graph)->n_reloads;
  kg_set_string (&document->folder, kg_graph_get_folder (graph));
  kg_graph_set_permitted (copy, kg_graph_get_permitted (graph));
  kg_set_string (&copy->title, graph->title);
  kg_set_string (&copy->comment, graph->comment);
  kg_graph_copy_inside (graph, copy, wanted);
  return copy;
}

KgGraph *
kg_graph_snapshot (KgGraph *graph)
{
  return kg_graph_copy_nodes (graph, NULL);
}

/* Accessors. */

KgTypes *
kg_graph_get_types (KgGraph *graph)
{
  return graph->types;
}

const char *
kg_graph_get_title (KgGraph *graph)
{
  return graph->title;
}

const char *
kg_graph_get_comment (KgGraph *graph)
{
  return graph->comment;
}

KgFrames
kg_graph_get_frames (KgGraph *graph)
{
  return kg_graph_get_document (graph)->frames;
}

double
kg_graph_frame_to_time (KgGraph *graph, double frame)
{
  const KgFrames frames = kg_graph_get_frames (graph);

  return (frame - frames.start) / frames.rate;
}

double
kg_graph_time_to_frame (KgGraph *graph, double time)
{
  const KgFrames frames = kg_graph_get_frames (graph);

  return frames.start + time * frames.rate;
}

const char *
kg_graph_get_display (KgGraph *graph)
{
  return graph->display;
}

const char *
kg_graph_get_folder (KgGraph *graph)
{
  return kg_graph_get_document (graph)->folder;
}

void
kg_graph_set_folder (KgGraph *graph, const char *folder)
{
  kg_set_string (&kg_graph_get_document (graph)->folder, folder);
}

const char *const *
kg_graph_get_permitted (KgGraph *graph)
{
  return (const char *const *) kg_graph_get_document (graph)->permitted;
}

void
kg_graph_set_permitted (KgGraph *graph, const char *const *folders)
{
  KgDocumentState *document = kg_graph_get_document (graph);
  char **copy = g_strdupv ((char **) (size_t) folders);

  g_strfreev (document->permitted);
  document->permitted = copy;
}

KgNode *
kg_graph_get_owner (KgGraph *graph)
{
  return graph->owner;
}

guint
kg_graph_get_n_nodes (KgGraph *graph)
{
  return graph->nodes->len;
}

KgNode *
kg_graph_get_node (KgGraph *graph, guint index)
{
  g_return_val_if_fail (index < graph->nodes->len, NULL);
  return (KgNode *) g_ptr_array_index (graph->nodes, index);
}

KgNode *
kg_graph_find_path (KgGraph *graph, const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);
  KgNode *node = NULL;

  for (guint i = 0; names[i] != NULL; i++) {
    node = graph != NULL ? kg_graph_find (graph, names[i]) : NULL;
    if (node == NULL)
      return NULL;
    graph = node->inside;
  }
  return node;
}

char *
kg_graph_suggest_node (KgGraph *graph, const char *name)
{
  KgSuggestion suggestion = kg_suggestion_begin (name);

  /* (A file may have very many, and as many links to none of them.) */
  for (guint i = 0; i < MIN (graph->nodes->len, 500); i++)
    kg_suggestion_add (&suggestion, ((const KgNode *) g_ptr_array_index (graph->nodes, i))->name);
  return kg_suggestion_end (&suggestion);
}

char *
kg_node_suggest_slot (const KgNode *node, const char *name, KgSlotRole role)
{
  KgSuggestion suggestion = kg_suggestion_begin (name);

  for (guint i = 0; i < node->n_slots; i++)
    if (node->slots[i].role == role)
      kg_suggestion_add (&suggestion, node->slots[i].name);
  return kg_suggestion_end (&suggestion);
}

/* Among the nodes where the path was lost. */
static char *
suggest_path (KgGraph *graph, const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);
  guint i = 0;

  while (names[i] != NULL && kg_graph_find (graph, names[i]) != NULL && kg_graph_find (graph, names[i])->inside != NULL)
    graph = kg_graph_find (graph, names[i++])->inside;
  return names[i] != NULL ? kg_graph_suggest_node (graph, names[i]) : g_strdup ("");
}

/* (transfer full) That kg_graph_find_path found nothing. */
static GError *
new_missing_error (KgGraph *graph, const char *path)
{
  g_autofree char *hint = suggest_path (graph, path);

  return kg_error_new (KG_ERROR_UNKNOWN_NAME, "the graph has no node \"%s\"%s", path, hint);
}

bool
kg_graph_find_output (KgGraph *graph, const char *target, KgNode **node, guint *slot, GError **error)
{
  const char *dot = strrchr (target, '.');
  g_autofree char *path = dot != NULL ? g_strndup (target, (gsize) (dot - target)) : g_strdup (target);
  int index = -1;

  *node = kg_graph_find_path (graph, path);
  if (*node == NULL) {
    g_propagate_error (error, new_missing_error (graph, path));
    return false;
  }
  if ((*node)->type == NULL) {
    g_propagate_error (error, kg_node_new_unknown_error (*node));
    g_prefix_error (error, "%s: ", path);
    return false;
  }
  if (dot != NULL)
    index = kg_node_find_slot (*node, dot + 1);
  else
    for (guint i = 0; i < (*node)->n_slots && index < 0; i++)
      if ((*node)->slots[i].role == KG_SLOT_OUTPUT)
        index = (int) i;
  if (index < 0 || (*node)->slots[index].role == KG_SLOT_STATE) {
    g_autoptr (GString) names = g_string_new (NULL);
    g_autofree char *hint = kg_node_suggest_slot (*node, dot != NULL ? dot + 1 : "", KG_SLOT_OUTPUT);

    for (guint i = 0; i < (*node)->n_slots; i++)
      if ((*node)->slots[i].role == KG_SLOT_OUTPUT)
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", (*node)->slots[i].name);
    if (names->len == 0)
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no output \"%s\": it has no outputs at all", path,
                    dot != NULL ? dot + 1 : "");
    else
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no output \"%s\" (it has: %s)%s", path,
                    dot != NULL ? dot + 1 : "", names->str, hint);
    return false;
  }
  *slot = (guint) index;
  return true;
}

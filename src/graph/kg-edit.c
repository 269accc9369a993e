/* kg-edit: every change to a graph, and its undo.
 *
 * A change is a record that holds the other state: applying it swaps the two.  Undo and redo therefore apply
 * the same records, in the opposite order and in theirs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

#include <glib/gi18n-lib.h>

/* Steps of undo that are remembered. */
#define MAX_STEPS 10000

typedef enum {
  CHANGE_PRESENCE, /* the node is in the graph, or only here */
  CHANGE_SOURCE,
  CHANGE_NAME,
  CHANGE_POSITION,
  CHANGE_BYPASS,
  CHANGE_COLOR,
  CHANGE_NODE_COMMENT,
  CHANGE_TITLE,
  CHANGE_COMMENT,
  CHANGE_DISPLAY,
  CHANGE_FRAMES
} ChangeKind;

typedef struct {
  ChangeKind kind;
  KgGraph *graph; /* borrowed: the outermost owns the history, nested ones are held by nodes that older changes hold */
  KgNode *node;   /* owned, NULL for changes of the graph */
  guint index;    /* slot, or place of the node */
  char *text;
  KgSource source;
  KgFrames frames;
  double x, y;
  bool flag;
} Change;

typedef struct {
  char *label;
  GPtrArray *changes;
} StepGroup;

struct _KgHistory {
  GPtrArray *done, *undone; /* StepGroup */
  StepGroup *open;          /* being recorded */
  guint depth;
  GArray *marks; /* guint: number of changes at each begin, for cancelling */
  bool paused;
};

static void
change_free (gpointer data)
{
  Change *change = (Change *) data;

  g_clear_pointer (&change->node, kg_node_unref);
  kg_source_clear (&change->source);
  g_free (change->text);
  g_free (change);
}

static void
step_group_free (gpointer data)
{
  StepGroup *group = (StepGroup *) data;

  /* Last first: a node may be held by the change that made it. */
  while (group->changes->len > 0)
    g_ptr_array_remove_index (group->changes, group->changes->len - 1);
  g_ptr_array_unref (group->changes);
  g_free (group->label);
  g_free (group);
}

static StepGroup *
step_group_new (const char *label)
{
  StepGroup *group = g_new0 (StepGroup, 1);

  group->label = g_strdup (label);
  group->changes = g_ptr_array_new_with_free_func (change_free);
  return group;
}

KgHistory *
kg_history_new (void)
{
  KgHistory *history = g_new0 (KgHistory, 1);

  history->done = g_ptr_array_new_with_free_func (step_group_free);
  history->undone = g_ptr_array_new_with_free_func (step_group_free);
  history->marks = g_array_new (FALSE, FALSE, sizeof (guint));
  return history;
}

void
kg_history_free (KgHistory *history)
{
  g_ptr_array_unref (history->undone);
  g_ptr_array_unref (history->done);
  g_clear_pointer (&history->open, step_group_free);
  g_array_unref (history->marks);
  g_free (history);
}

static void
emit_changed (KgGraph *graph)
{
  for (;;) {
    g_signal_emit_by_name (graph, "changed");
    if (graph->owner == NULL || graph->owner->parent == NULL)
      return;
    graph = graph->owner->parent;
  }
}

static void
swap_text (char **a, char **b)
{
  char *t = *a;

  *a = *b;
  *b = t;
}

static void
invalidate_all (KgGraph *graph)
{
  /* A change of the frame range changes what every keyed, timed or driven vertex gives. */
  for (guint i = 0; i < graph->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (graph->nodes, i);

    for (guint s = 0; s < node->n_slots; s++)
      kg_node_invalidate (node, (int) s);
    kg_node_invalidate (node, -1);
    if (node->inside != NULL)
      invalidate_all (node->inside);
  }
}

static void
apply_presence (Change *change)
{
  KgGraph *graph = change->graph;
  KgNode *node = change->node;

  if (node->parent != NULL) {
    change->index = kg_graph_detach (graph, node);
    g_signal_emit_by_name (graph, "node-removed", node);
  } else {
    kg_graph_attach (graph, node, MIN (change->index, graph->nodes->len));
    g_signal_emit_by_name (graph, "node-added", node);
  }
}

static void
apply_source (Change *change)
{
  KgNode *node = change->node;
  KgInput *input = &node->inputs[change->index];
  const KgSource other = change->source;

  kg_input_disconnect (node, change->index);
  change->source = input->source;
  input->source = other;
  g_clear_pointer (&input->expression, kg_expression_free);
  kg_input_connect (node, change->index);
  kg_node_invalidate (node, (int) change->index);
  if (change->graph->owner != NULL && kg_node_is_interface (node))
    kg_node_rebuild_interface (change->graph->owner);
  g_signal_emit_by_name (change->graph, "source-changed", node, change->index);
}

static void
apply_name (Change *change)
{
  KgGraph *graph = change->graph;

  g_hash_table_remove (graph->by_name, change->node->name);
  swap_text (&change->node->name, &change->text);
  g_hash_table_insert (graph->by_name, change->node->name, change->node);
  kg_graph_retry_dangling (graph);
  if (graph->owner != NULL && kg_node_is_interface (change->node))
    kg_node_rebuild_interface (graph->owner);
  g_signal_emit_by_name (graph, "node-renamed", change->node, change->text);
}

static void
apply (Change *change)
{
  KgNode *node = change->node;
  const double x = change->x, y = change->y;
  const bool flag = change->flag;
  const KgFrames frames = change->frames;

  switch (change->kind) {
  case CHANGE_PRESENCE:
    apply_presence (change);
    break;
  case CHANGE_SOURCE:
    apply_source (change);
    break;
  case CHANGE_NAME:
    apply_name (change);
    break;
  case CHANGE_POSITION:
    change->x = node->x;
    change->y = node->y;
    node->x = x;
    node->y = y;
    break;
  case CHANGE_BYPASS:
    change->flag = node->bypass;
    node->bypass = flag;
    kg_node_invalidate (node, -1);
    break;
  case CHANGE_COLOR:
    swap_text (&node->color, &change->text);
    break;
  case CHANGE_NODE_COMMENT:
    swap_text (&node->comment, &change->text);
    break;
  case CHANGE_TITLE:
    swap_text (&change->graph->title, &change->text);
    break;
  case CHANGE_COMMENT:
    swap_text (&change->graph->comment, &change->text);
    break;
  case CHANGE_DISPLAY:
    swap_text (&change->graph->display, &change->text);
    break;
  case CHANGE_FRAMES:
    change->frames = change->graph->frames;
    change->graph->frames = frames;
    invalidate_all (change->graph);
    break;
  }
  if (change->kind >= CHANGE_TITLE)
    g_signal_emit_by_name (change->graph, "settings-changed");
  else if (change->kind >= CHANGE_POSITION)
    g_signal_emit_by_name (change->graph, "node-moved", node);
  emit_changed (change->graph);
}

static void
history_changed (KgGraph *root)
{
  g_signal_emit_by_name (root, "history-changed");
}

static void
close_group (KgGraph *root)
{
  KgHistory *history = root->history;
  StepGroup *group = g_steal_pointer (&history->open);

  if (group->changes->len == 0) {
    step_group_free (group);
    return;
  }
  g_ptr_array_set_size (history->undone, 0);
  g_ptr_array_add (history->done, group);
  if (history->done->len > MAX_STEPS)
    g_ptr_array_remove_index (history->done, 0);
  history_changed (root);
}

/* Applies a change made for graph (and node), and remembers it. */
static void
perform (Change *change, const char *label)
{
  KgGraph *root = kg_graph_get_root (change->graph);
  KgHistory *history = root->history;

  apply (change);
  if (history == NULL || history->paused) {
    change_free (change);
    return;
  }
  if (history->open == NULL) {
    history->open = step_group_new (label);
    g_ptr_array_add (history->open->changes, change);
    close_group (root);
  } else
    g_ptr_array_add (history->open->changes, change);
}

static Change *
change_new (ChangeKind kind, KgGraph *graph, KgNode *node)
{
  Change *change = g_new0 (Change, 1);

  change->kind = kind;
  change->graph = graph;
  change->node = node != NULL ? kg_node_ref (node) : NULL;
  return change;
}

static void
perform_text (ChangeKind kind, KgGraph *graph, KgNode *node, const char *text, const char *label)
{
  Change *change = change_new (kind, graph, node);

  change->text = g_strdup (text);
  perform (change, label);
}

static void
perform_source (KgNode *node, guint slot, const KgSource *source)
{
  Change *change = change_new (CHANGE_SOURCE, node->parent, node);

  change->index = slot;
  change->source = kg_source_copy (source);
  perform (change, _ ("Set an input"));
}

/* Names. */

bool
kg_name_is_valid (const char *name, GError **error)
{
  const size_t length = strlen (name);

  if (length > 0 && length <= KG_NAME_MAX && !g_ascii_isdigit (name[0]) &&
      strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == length)
    return true;
  g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE,
               "\"%.*s\" is not a name for a node: use 1 to %d letters, digits and _, not a digit first", KG_NAME_MAX,
               name, KG_NAME_MAX);
  return false;
}

static bool
check_new_name (KgGraph *graph, const char *name, GError **error)
{
  if (!kg_name_is_valid (name, error))
    return false;
  if (kg_graph_find (graph, name) != NULL) {
    g_set_error (error, KG_ERROR, KG_ERROR_DUPLICATE, "there is already a node called \"%s\"", name);
    return false;
  }
  return true;
}

/* (transfer full) base with the next free number; a number at its end is counted on.  Where the last search for
 * the stem ended is remembered, so that naming a hundred thousand nodes stays linear. */
static char *
make_free_name (KgGraph *graph, const char *base)
{
  size_t length = strlen (base);
  g_autofree char *stem = NULL;

  while (length > 1 && g_ascii_isdigit (base[length - 1]))
    length--;
  stem = g_strndup (base, MIN (length, KG_NAME_MAX - 10));
  for (guint i = 1 + GPOINTER_TO_UINT (g_hash_table_lookup (graph->last_numbers, stem));; i++) {
    char *name = g_strdup_printf ("%s%u", stem, i);

    if (kg_graph_find (graph, name) == NULL) {
      g_hash_table_insert (graph->last_numbers, g_steal_pointer (&stem), GUINT_TO_POINTER (i - 1));
      return name;
    }
    g_free (name);
  }
}

/* Nodes. */

static KgNode *
add_node (KgGraph *graph, const KgNodeType *type, const char *type_id, const char *name, double x, double y,
          KgJson *raw, GError **error)
{
  g_autofree char *free_name = NULL;
  const char *slash = strrchr (type_id, '/');
  guint nesting = 0;
  KgNode *node;
  Change *change;

  for (KgGraph *g = graph; g->owner != NULL && g->owner->parent != NULL; g = g->owner->parent)
    nesting++;
  if (graph->nodes->len >= KG_GRAPH_MAX_NODES ||
      (type != NULL && type->role == KG_ROLE_SUBNET && nesting >= KG_GRAPH_MAX_NESTING)) {
    g_clear_pointer (&raw, kg_json_free);
    g_set_error (error, KG_ERROR, KG_ERROR_LIMIT, "a graph holds at most %d nodes, in at most %d nested graphs",
                 KG_GRAPH_MAX_NODES, KG_GRAPH_MAX_NESTING);
    return NULL;
  }
  if (name == NULL)
    name = free_name = make_free_name (graph, slash != NULL ? slash + 1 : type_id);
  if (!check_new_name (graph, name, error)) {
    g_clear_pointer (&raw, kg_json_free);
    return NULL;
  }
  node = kg_node_new (graph, type, type_id, name);
  node->raw = raw;
  node->x = x;
  node->y = y;
  change = change_new (CHANGE_PRESENCE, graph, node);
  change->index = graph->nodes->len;
  kg_node_unref (node);
  perform (change, _ ("Add a node"));
  return node;
}

KgNode *
kg_graph_add (KgGraph *graph, const char *type_id, const char *name, double x, double y, GError **error)
{
  const KgNodeType *type = kg_types_find (graph->types, type_id);

  if (type == NULL) {
    g_set_error (error, KG_ERROR, KG_ERROR_UNKNOWN_TYPE, "there is no node type \"%s\"", type_id);
    return NULL;
  }
  return add_node (graph, type, type->id, name, x, y, NULL, error);
}

KgNode *
kg_graph_add_unknown (KgGraph *graph, const char *type_id, const char *name, KgJson *raw, GError **error)
{
  return add_node (graph, NULL, type_id, name, 0, 0, raw, error);
}

/* Takes the links to slot (or to any slot: -1) of node out of the sources that have them. */
static void
reset_links_to (KgNode *node, int slot)
{
  const KgSource none = KG_SOURCE_INIT;

  for (guint i = node->users->len; i > 0; i = MIN (i - 1, node->users->len)) {
    const KgUser user = g_array_index (node->users, KgUser, i - 1);
    const KgInput *input = &user.node->inputs[user.input];

    if (slot >= 0 && user.slot != (guint) slot)
      continue;
    if (input->source.kind == KG_SOURCE_LINK)
      perform_source (user.node, user.input, &none);
    else if (input->source.kind == KG_SOURCE_LIST) {
      g_autofree KgSource *left = g_new0 (KgSource, MAX (input->source.list.n, 1));
      g_auto (KgSource) list = KG_SOURCE_INIT;
      guint n = 0;

      for (guint k = 0; k < input->source.list.n; k++)
        if (input->wires[k].node != node || (slot >= 0 && input->wires[k].slot != (guint) slot))
          left[n++] = input->source.list.items[k];
      if (n > 0)
        list = kg_source_list (n, left);
      perform_source (user.node, user.input, &list);
    }
  }
}

void
kg_graph_remove (KgGraph *graph, KgNode *node)
{
  KgNode *owner;
  guint slot;

  g_return_if_fail (node->parent == graph);
  kg_graph_begin_group (graph, _ ("Remove a node"));
  reset_links_to (node, -1);
  if (kg_node_is_interface (node) && kg_node_get_outside (node, &owner, &slot)) {
    /* The slot outside goes with it: first what hangs on it, so that undo can bring it back. */
    const KgSource none = KG_SOURCE_INIT;

    if (owner->inputs[slot].source.kind != KG_SOURCE_DEFAULT)
      perform_source (owner, slot, &none);
    reset_links_to (owner, (int) slot);
  }
  perform (change_new (CHANGE_PRESENCE, graph, node), NULL);
  kg_graph_end_group (graph);
}

/* The text of a link to old_name (and, where slot is not NULL, to its slot) with the new name; NULL when it is
 * not one. */
static char *
rename_link (const char *target, const char *node, const char *slot, const char *new_node, const char *new_slot)
{
  const char *dot = strchr (target, '.');

  if (dot == NULL || strlen (node) != (size_t) (dot - target) || !g_str_has_prefix (target, node) ||
      (slot != NULL && !g_str_equal (dot + 1, slot)))
    return NULL;
  return g_strdup_printf ("%s.%s", new_node, new_slot != NULL ? new_slot : dot + 1);
}

static void
rename_in_source (KgNode *user, guint input, const char *node, const char *slot, const char *new_node,
                  const char *new_slot)
{
  g_auto (KgSource) source = kg_source_copy (&user->inputs[input].source);
  char *text;

  if (source.kind == KG_SOURCE_EXPRESSION) {
    /* Slots of a sub-graph inside expressions are not renamed: they dangle, which evaluation reports. */
    if (slot != NULL)
      return;
    text = kg_expression_rename (source.text, node, new_node);
    g_free (source.text);
    source.text = text;
  } else if (source.kind == KG_SOURCE_LINK) {
    text = rename_link (source.text, node, slot, new_node, new_slot);
    if (text == NULL)
      return;
    g_free (source.text);
    source.text = text;
  } else if (source.kind == KG_SOURCE_LIST) {
    for (guint i = 0; i < source.list.n; i++)
      if (source.list.items[i].kind == KG_SOURCE_LINK &&
          (text = rename_link (source.list.items[i].text, node, slot, new_node, new_slot)) != NULL) {
        g_free (source.list.items[i].text);
        source.list.items[i].text = text;
      }
  }
  perform_source (user, input, &source);
}

bool
kg_graph_rename (KgGraph *graph, KgNode *node, const char *name, GError **error)
{
  g_autoptr (GArray) users = NULL;
  g_autoptr (GArray) outer = NULL;
  g_autofree char *old_name = g_strdup (node->name);
  KgNode *owner = NULL;
  guint slot = 0;

  g_return_val_if_fail (node->parent == graph, false);
  if (g_str_equal (name, node->name))
    return true;
  if (!check_new_name (graph, name, error))
    return false;
  users = g_array_copy (node->users);
  if (kg_node_is_interface (node) && kg_node_get_outside (node, &owner, &slot))
    outer = g_array_copy (owner->users);
  kg_graph_begin_group (graph, _ ("Rename"));
  if (owner != NULL && owner->slots[slot].role == KG_SLOT_INPUT &&
      owner->inputs[slot].source.kind != KG_SOURCE_DEFAULT) {
    /* The slot outside changes its name: carry its source over, in steps that undo in order. */
    g_auto (KgSource) source = kg_source_copy (&owner->inputs[slot].source);
    const KgSource none = KG_SOURCE_INIT;
    int renamed;

    perform_source (owner, slot, &none);
    perform_text (CHANGE_NAME, graph, node, name, NULL);
    renamed = kg_node_find_slot (owner, name);
    if (renamed >= 0)
      perform_source (owner, (guint) renamed, &source);
  } else
    perform_text (CHANGE_NAME, graph, node, name, NULL);
  for (guint i = 0; i < users->len; i++) {
    const KgUser *user = &g_array_index (users, KgUser, i);

    rename_in_source (user->node, user->input, old_name, NULL, name, NULL);
  }
  for (guint i = 0; outer != NULL && i < outer->len; i++) {
    const KgUser *user = &g_array_index (outer, KgUser, i);

    if (user->slot == slot)
      rename_in_source (user->node, user->input, owner->name, old_name, owner->name, name);
  }
  if (graph->display != NULL) {
    g_autofree char *display = g_str_equal (graph->display, old_name)
                                   ? g_strdup (name)
                                   : rename_link (graph->display, old_name, NULL, name, NULL);

    if (display != NULL)
      kg_graph_set_display (graph, display);
  }
  kg_graph_end_group (graph);
  return true;
}

/* Sources. */

guint
kg_kind_get_width (KgKind kind)
{
  static const guint widths[KG_N_KINDS] = {
    [KG_NUMBER] = 1,   [KG_INTEGER] = 1, [KG_BOOLEAN] = 1,   [KG_CHOICE] = 1, [KG_VECTOR] = 3, [KG_COLOR] = 4,
    [KG_ROTATION] = 4, [KG_MOTION] = 4,  [KG_TRANSFORM] = 3, [KG_FIELD] = 3,  [KG_ANY] = 4
  };

  return kind < KG_N_KINDS ? widths[kind] : 0;
}

/* Checks a constant against a slot and turns it into what the slot stores. */
static bool
check_constant (const KgSlot *slot, KgValue *value, GError **error)
{
  g_auto (KgValue) converted = KG_VALUE_INIT;

  if (slot->kind == KG_CHOICE && value->kind == KG_INTEGER) {
    int n = 0;

    while (slot->choices[n].nick != NULL)
      n++;
    if (value->integer >= 0 && value->integer < n) {
      const char *nick = slot->choices[value->integer].nick;

      *value = kg_value_text (nick);
      return true;
    }
  }
  if (slot->kind == KG_CHOICE && (value->kind != KG_TEXT || kg_slot_find_choice (slot, value->text) < 0)) {
    g_autoptr (GString) nicks = g_string_new (NULL);

    for (guint i = 0; slot->choices[i].nick != NULL; i++)
      g_string_append_printf (nicks, "%s%s", i > 0 ? ", " : "", slot->choices[i].nick);
    g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE, "\"%s\" is not one of: %s",
                 value->kind == KG_TEXT ? value->text : kg_kind_get_name (value->kind), nicks->str);
    return false;
  }
  if (!kg_value_check_finite (value, error))
    return false;
  if (slot->kind >= KG_MOTION && slot->kind != KG_ANY && slot->kind != KG_FIELD && slot->kind != KG_MOTION) {
    g_set_error (error, KG_ERROR, KG_ERROR_TYPE_MISMATCH, "a %s is made by a node: link one",
                 kg_kind_get_name (slot->kind));
    return false;
  }
  if (slot->kind == KG_MOTION || slot->kind == KG_FIELD)
    return value->kind == KG_NUMBER || value->kind == KG_INTEGER || value->kind == KG_VECTOR ||
           kg_value_convert (value, slot->kind, &converted, error);
  if (!kg_value_convert (value, slot->kind, &converted, error))
    return false;
  kg_value_clear (value);
  *value = converted;
  converted = (KgValue) KG_VALUE_INIT;
  return true;
}

static bool
check_keys (const KgSlot *slot, const KgChannel *keys, GError **error)
{
  const guint width = kg_kind_get_width (slot->kind);
  const bool any_width = slot->kind == KG_MOTION;

  if (slot->kind == KG_NUMBER || slot->kind == KG_INTEGER || slot->kind == KG_BOOLEAN || slot->kind == KG_VECTOR ||
      slot->kind == KG_COLOR || slot->kind == KG_ROTATION || any_width) {
    if (any_width || kg_channel_get_width (keys) == width)
      return true;
    g_set_error (error, KG_ERROR, KG_ERROR_TYPE_MISMATCH, "keys of a %s have %u numbers each, not %u",
                 kg_kind_get_name (slot->kind), width, kg_channel_get_width (keys));
    return false;
  }
  g_set_error (error, KG_ERROR, KG_ERROR_TYPE_MISMATCH, "a %s cannot be keyed: link a node that makes it",
               kg_kind_get_name (slot->kind));
  return false;
}

static bool
check_expression (const KgSlot *slot, const char *text, GError **error)
{
  g_autoptr (KgExpression) expression = NULL;
  guint n, width = kg_kind_get_width (slot->kind);

  if (width == 0) {
    g_set_error (error, KG_ERROR, KG_ERROR_TYPE_MISMATCH, "a %s cannot come from an expression: link a node",
                 kg_kind_get_name (slot->kind));
    return false;
  }
  expression = kg_expression_new (text, error);
  if (expression == NULL)
    return false;
  n = kg_expression_get_n_results (expression);
  if (n == 1 || n == width || (slot->kind == KG_COLOR && n == 3) || (slot->kind == KG_ANY && n == 3))
    return true;
  g_set_error (error, KG_ERROR, KG_ERROR_EXPRESSION, "column 1: a %s needs %u results separated by commas, not %u",
               kg_kind_get_name (slot->kind), width, n);
  return false;
}

/* Finds what a link means and whether its kind fits. */
static bool
check_link (KgGraph *graph, const KgSlot *slot, const char *target, KgWire *wire, GError **error)
{
  const char *dot = strchr (target, '.');
  g_autofree char *name = dot != NULL ? g_strndup (target, (gsize) (dot - target)) : g_strdup (target);
  KgNode *from = kg_graph_find (graph, name);
  KgKind kind;

  if (dot == NULL) {
    g_set_error (error, KG_ERROR, KG_ERROR_UNKNOWN_NAME, "\"%s\" is not a link: write node.output", target);
    return false;
  }
  if (from == NULL) {
    g_set_error (error, KG_ERROR, KG_ERROR_UNKNOWN_NAME, "there is no node \"%s\"", name);
    return false;
  }
  if (!kg_graph_resolve (graph, name, dot + 1, wire) || !kg_wire_reads_output (wire)) {
    g_autoptr (GString) names = g_string_new (NULL);

    for (guint i = 0; i < from->n_slots; i++)
      if (from->slots[i].role == KG_SLOT_OUTPUT)
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", from->slots[i].name);
    g_set_error (error, KG_ERROR, KG_ERROR_UNKNOWN_NAME, "%s has no output \"%s\" (it has: %s)", name, dot + 1,
                 names->len > 0 ? names->str : "none");
    return false;
  }
  if (wire->slot == KG_SLOT_UNKNOWN)
    return true;
  kind = kg_node_get_slot_kind (from, wire->slot);
  if (!kg_kind_converts (kind, slot->kind)) {
    g_set_error (error, KG_ERROR, KG_ERROR_TYPE_MISMATCH, "%s is a %s, and there is no conversion to a %s", target,
                 kg_kind_get_name (kind), kg_kind_get_name (slot->kind));
    return false;
  }
  return true;
}

static bool
check_list (KgGraph *graph, const KgSlot *slot, KgSource *source, KgWire *wires, GError **error)
{
  if (source->list.n > KG_SOURCE_MAX_ITEMS) {
    g_set_error (error, KG_ERROR, KG_ERROR_LIMIT, "a list has at most %d items", KG_SOURCE_MAX_ITEMS);
    return false;
  }
  for (guint i = 0; i < source->list.n; i++) {
    KgSource *item = &source->list.items[i];
    bool good;

    if (item->kind == KG_SOURCE_LINK)
      good = check_link (graph, slot, item->text, &wires[i], error);
    else if (item->kind == KG_SOURCE_CONSTANT)
      good = check_constant (slot, &item->constant, error);
    else {
      g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE, "a list takes links and constants: use a value node");
      good = false;
    }
    if (!good) {
      g_prefix_error (error, "item %u: ", i);
      return false;
    }
  }
  return true;
}

/* Wires that an expression would have; unknown names leave gaps. */
static KgWire *
expression_wires (KgGraph *graph, const char *text, guint *n)
{
  g_autoptr (KgExpression) expression = kg_expression_new (text, NULL);
  KgWire *wires;

  *n = kg_expression_get_n_references (expression);
  wires = g_new0 (KgWire, MAX (*n, 1));
  for (guint i = 0; i < *n; i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);

    kg_graph_resolve (graph, reference->node, reference->slot, &wires[i]);
  }
  return wires;
}

/* Turns a single constant or link for a list input into a list of one. */
static KgSource
normalize (const KgSlot *slot, const KgSource *source)
{
  if (slot->list && (source->kind == KG_SOURCE_CONSTANT || source->kind == KG_SOURCE_LINK))
    return kg_source_list (1, source);
  return kg_source_copy (source);
}

static bool
check_source (KgGraph *graph, KgNode *node, guint index, KgSource *source, GError **error)
{
  const KgSlot *slot = &node->slots[index];
  g_autofree KgWire *wires = NULL;
  KgWire wire = { 0 };
  guint n = 0;

  if (slot->role != KG_SLOT_INPUT) {
    g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE, "%s is not an input", slot->name);
    return false;
  }
  if (slot->fixed && source->kind > KG_SOURCE_CONSTANT) {
    g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE, "this input takes a constant only");
    return false;
  }
  if (slot->list && source->kind != KG_SOURCE_DEFAULT && source->kind != KG_SOURCE_LIST) {
    g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE, "this input takes a list of links and constants");
    return false;
  }
  switch (source->kind) {
  case KG_SOURCE_CONSTANT:
    return check_constant (slot, &source->constant, error);
  case KG_SOURCE_KEYS:
    return check_keys (slot, source->keys, error);
  case KG_SOURCE_EXPRESSION:
    if (!check_expression (slot, source->text, error))
      return false;
    wires = expression_wires (graph, source->text, &n);
    break;
  case KG_SOURCE_LINK:
    if (!check_link (graph, slot, source->text, &wire, error))
      return false;
    n = 1;
    break;
  case KG_SOURCE_LIST:
    if (!slot->list) {
      g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE, "this input takes one value, not a list");
      return false;
    }
    n = source->list.n;
    wires = g_new0 (KgWire, MAX (n, 1));
    if (!check_list (graph, slot, source, wires, error))
      return false;
    break;
  case KG_SOURCE_DEFAULT:
  default:
    return true;
  }
  return kg_graph_check_cycle (node, index, wires != NULL ? wires : &wire, n, error);
}

bool
kg_graph_set_source (KgGraph *graph, KgNode *node, guint slot, const KgSource *source, GError **error)
{
  g_auto (KgSource) checked = KG_SOURCE_INIT;

  g_return_val_if_fail (node->parent == graph && slot < node->n_slots, false);
  checked = normalize (&node->slots[slot], source);
  if (!check_source (graph, node, slot, &checked, error))
    return false;
  if (!kg_source_equal (&checked, &node->inputs[slot].source))
    perform_source (node, slot, &checked);
  return true;
}

static bool
find_input (KgNode *node, const char *name, guint *slot, GError **error)
{
  const int index = kg_node_find_slot (node, name);

  if (index < 0 || node->slots[index].role != KG_SLOT_INPUT) {
    g_set_error (error, KG_ERROR, KG_ERROR_UNKNOWN_NAME, "%s has no input \"%s\"", node->name, name);
    return false;
  }
  *slot = (guint) index;
  return true;
}

bool
kg_graph_set_constant (KgGraph *graph, KgNode *node, const char *slot, const KgValue *value, GError **error)
{
  g_auto (KgSource) source = kg_source_constant (value);
  guint index;

  return find_input (node, slot, &index, error) && kg_graph_set_source (graph, node, index, &source, error);
}

bool
kg_graph_set_expression (KgGraph *graph, KgNode *node, const char *slot, const char *text, GError **error)
{
  g_auto (KgSource) source = kg_source_expression (text);
  guint index;

  return find_input (node, slot, &index, error) && kg_graph_set_source (graph, node, index, &source, error);
}

bool
kg_graph_reset (KgGraph *graph, KgNode *node, const char *slot, GError **error)
{
  const KgSource source = KG_SOURCE_INIT;
  guint index;

  return find_input (node, slot, &index, error) && kg_graph_set_source (graph, node, index, &source, error);
}

bool
kg_graph_link (KgGraph *graph, KgNode *from, const char *output, KgNode *to, const char *input, GError **error)
{
  g_autofree char *target = g_strdup_printf ("%s.%s", from->name, output);
  g_auto (KgSource) link = kg_source_link (target);
  guint index;

  if (!find_input (to, input, &index, error))
    return false;
  if (to->slots[index].list && to->inputs[index].source.kind == KG_SOURCE_LIST) {
    /* One more item. */
    const KgSource *old = &to->inputs[index].source;
    g_autofree KgSource *items = g_new (KgSource, old->list.n + 1);
    g_auto (KgSource) list = KG_SOURCE_INIT;

    memcpy (items, old->list.items, old->list.n * sizeof *items);
    items[old->list.n] = link;
    list = kg_source_list (old->list.n + 1, items);
    return kg_graph_set_source (graph, to, index, &list, error);
  }
  return kg_graph_set_source (graph, to, index, &link, error);
}

bool
kg_graph_check_link (KgGraph *graph, KgNode *from, guint output, KgNode *to, guint input, GError **error)
{
  g_autofree char *target = g_strdup_printf ("%s.%s", from->name, from->slots[output].name);
  g_auto (KgSource) link = kg_source_link (target);
  g_auto (KgSource) source = normalize (&to->slots[input], &link);

  return check_source (graph, to, input, &source, error);
}

/* Settings of nodes and graphs. */

void
kg_graph_move (KgGraph *graph, KgNode *node, double x, double y)
{
  Change *change;

  if (node->x == x && node->y == y)
    return;
  change = change_new (CHANGE_POSITION, graph, node);
  change->x = x;
  change->y = y;
  perform (change, _ ("Move"));
}

void
kg_graph_set_bypass (KgGraph *graph, KgNode *node, bool bypass)
{
  Change *change;

  if (node->bypass == bypass)
    return;
  change = change_new (CHANGE_BYPASS, graph, node);
  change->flag = bypass;
  perform (change, _ ("Bypass"));
}

void
kg_graph_set_color (KgGraph *graph, KgNode *node, const char *color)
{
  if (g_strcmp0 (node->color, color) != 0)
    perform_text (CHANGE_COLOR, graph, node, color, _ ("Colour a node"));
}

void
kg_graph_set_node_comment (KgGraph *graph, KgNode *node, const char *comment)
{
  if (g_strcmp0 (node->comment, comment) != 0)
    perform_text (CHANGE_NODE_COMMENT, graph, node, comment, _ ("Comment on a node"));
}

void
kg_graph_set_title (KgGraph *graph, const char *title)
{
  if (!g_str_equal (graph->title, title))
    perform_text (CHANGE_TITLE, graph, NULL, title, _ ("Change the title"));
}

void
kg_graph_set_comment (KgGraph *graph, const char *comment)
{
  if (!g_str_equal (graph->comment, comment))
    perform_text (CHANGE_COMMENT, graph, NULL, comment, _ ("Comment on the graph"));
}

void
kg_graph_set_display (KgGraph *graph, const char *target)
{
  if (g_strcmp0 (graph->display, target) != 0)
    perform_text (CHANGE_DISPLAY, graph, NULL, target, _ ("Choose what to display"));
}

bool
kg_graph_set_frames (KgGraph *graph, KgFrames frames, GError **error)
{
  KgGraph *root = kg_graph_get_root (graph);
  Change *change;

  if (!isfinite (frames.start) || !isfinite (frames.end) || !(frames.end >= frames.start) ||
      fabs (frames.start) > 1e9 || fabs (frames.end) > 1e9) {
    g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE,
                 "frames %g to %g: the last must not be before the first, and both within ±10^9", frames.start,
                 frames.end);
    return false;
  }
  if (!(frames.rate >= 1e-3 && frames.rate <= 1e6)) {
    g_set_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE,
                 "%g frames per second: the rate must be between 0.001 and 1000000", frames.rate);
    return false;
  }
  if (memcmp (&frames, &root->frames, sizeof frames) == 0)
    return true;
  change = change_new (CHANGE_FRAMES, root, NULL);
  change->frames = frames;
  perform (change, _ ("Change the frames"));
  return true;
}

/* History. */

void
kg_graph_begin_group (KgGraph *graph, const char *label)
{
  KgHistory *history = kg_graph_get_root (graph)->history;
  guint n;

  if (history == NULL || history->paused)
    return;
  if (history->open == NULL)
    history->open = step_group_new (label);
  n = history->open->changes->len;
  g_array_append_val (history->marks, n);
}

void
kg_graph_end_group (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;

  if (history == NULL || history->paused)
    return;
  g_return_if_fail (history->marks->len > 0);
  g_array_set_size (history->marks, history->marks->len - 1);
  if (history->marks->len == 0)
    close_group (root);
}

void
kg_graph_cancel_group (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;
  guint mark;

  if (history == NULL || history->paused)
    return;
  g_return_if_fail (history->marks->len > 0);
  mark = g_array_index (history->marks, guint, history->marks->len - 1);
  while (history->open->changes->len > mark) {
    apply ((Change *) g_ptr_array_index (history->open->changes, history->open->changes->len - 1));
    g_ptr_array_remove_index (history->open->changes, history->open->changes->len - 1);
  }
  kg_graph_end_group (graph);
}

bool
kg_graph_undo (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;
  StepGroup *group;

  if (history == NULL || history->done->len == 0 || history->open != NULL)
    return false;
  group = (StepGroup *) g_ptr_array_steal_index (history->done, history->done->len - 1);
  for (guint i = group->changes->len; i > 0; i--)
    apply ((Change *) g_ptr_array_index (group->changes, i - 1));
  g_ptr_array_add (history->undone, group);
  history_changed (root);
  return true;
}

bool
kg_graph_redo (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;
  StepGroup *group;

  if (history == NULL || history->undone->len == 0 || history->open != NULL)
    return false;
  group = (StepGroup *) g_ptr_array_steal_index (history->undone, history->undone->len - 1);
  for (guint i = 0; i < group->changes->len; i++)
    apply ((Change *) g_ptr_array_index (group->changes, i));
  g_ptr_array_add (history->done, group);
  history_changed (root);
  return true;
}

static const char *
last_label (const GPtrArray *groups)
{
  return groups->len > 0 ? ((const StepGroup *) g_ptr_array_index (groups, groups->len - 1))->label : NULL;
}

const char *
kg_graph_get_undo_label (KgGraph *graph)
{
  const KgHistory *history = kg_graph_get_root (graph)->history;

  return history != NULL ? last_label (history->done) : NULL;
}

const char *
kg_graph_get_redo_label (KgGraph *graph)
{
  const KgHistory *history = kg_graph_get_root (graph)->history;

  return history != NULL ? last_label (history->undone) : NULL;
}

void
kg_graph_clear_history (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);

  if (root->history == NULL)
    return;
  g_ptr_array_set_size (root->history->undone, 0);
  g_ptr_array_set_size (root->history->done, 0);
  history_changed (root);
}

void
kg_graph_set_recording (KgGraph *graph, bool recording)
{
  KgHistory *history = kg_graph_get_root (graph)->history;

  if (history != NULL)
    history->paused = !recording;
}

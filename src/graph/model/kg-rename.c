/* kg-rename: names of nodes, and what follows when one is renamed or removed: links, expressions, what is displayed.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-edit-private.h"

#include <glib/gi18n-lib.h>

/* Names. */

bool
kg_name_is_valid (const char *name, GError **error)
{
  size_t length = 0;

  while (length <= KG_NAME_MAX && (g_ascii_isalnum (name[length]) || name[length] == '_'))
    length++;
  if (length > 0 && length <= KG_NAME_MAX && name[length] == '\0' && !g_ascii_isdigit (name[0]))
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "\"%.*s\" is not a valid node name: use 1 to %d letters, digits and _, and do not start with a digit",
                KG_NAME_MAX, name, KG_NAME_MAX);
  return false;
}

bool
kg_graph_check_new_name (KgGraph *graph, const char *name, GError **error)
{
  if (!kg_name_is_valid (name, error))
    return false;
  if (kg_graph_find (graph, name) != NULL) {
    kg_set_error (error, KG_ERROR_DUPLICATE, "there is already a node called \"%s\"", name);
    return false;
  }
  return true;
}

char *
kg_graph_make_free_name (KgGraph *graph, KgGraph *other, GHashTable *numbers, const char *base)
{
  size_t length = strlen (base);
  g_autofree char *stem = NULL;

  while (length > 1 && g_ascii_isdigit (base[length - 1]))
    length--;
  stem = g_strndup (base, MIN (length, KG_NAME_MAX - 10));
  for (guint i = 1 + GPOINTER_TO_UINT (g_hash_table_lookup (numbers, stem));; i++) {
    char *name = g_strdup_printf ("%s%u", stem, i);

    if (kg_graph_find (graph, name) == NULL && (other == NULL || kg_graph_find (other, name) == NULL)) {
      g_hash_table_insert (numbers, g_steal_pointer (&stem), GUINT_TO_POINTER (i - 1));
      return name;
    }
    g_free (name);
  }
}

/* References of expressions to missing nodes. */

static bool
check_reference (const KgUser *user, const KgReference *reference, const KgWire *wire, GError **error)
{
  if (kg_graph_check_cycle (user->node, user->input, wire, 1, error))
    return true;
  kg_prefix_error (error, "%s.%s refers to %s.%s: ", user->node->name, user->node->slots[user->input].name,
                   reference->node, reference->slot);
  return false;
}

/* All of the expressions outside read one vertex, so no two of them can close a cycle together. */
bool
kg_graph_check_outer_references (KgGraph *graph, guint slot, const char *name, GError **error)
{
  KgNode *owner = graph->owner;
  const KgWire wire = { .node = owner,
                        .slot = slot,
                        .reads_output = slot == KG_SLOT_UNKNOWN || !kg_slot_is_input (&owner->slots[slot]) };
  const GArray *waiting = owner != NULL && owner->parent != NULL ? owner->parent->dangling : NULL;

  for (guint i = 0; waiting != NULL && i < waiting->len; i++) {
    const KgUser *user = &g_array_index (waiting, KgUser, i);
    const KgInput *input = &user->node->inputs[user->input];

    for (guint k = 0; k < input->n_wires; k++) {
      const KgReference *reference = kg_input_get_reference (input, k);

      if (reference != NULL && g_str_equal (reference->node, owner->name) && g_str_equal (reference->slot, name) &&
          !check_reference (user, reference, &wire, error))
        return false;
    }
  }
  return true;
}

/* Whether node may have this name: expressions that name it already will then read it.  Two of them may close a
 * cycle together, so each is connected, for the time of the check, before the next is looked at. */
static bool
check_references (KgGraph *graph, KgNode *node, const char *name, GError **error)
{
  g_autoptr (GArray) waiting = kg_graph_find_dangling (graph, name);
  bool good = true;
  guint n;

  if (waiting->len == 0)
    return true;
  g_hash_table_insert (graph->by_name, (gpointer) name, node);
  for (n = 0; n < waiting->len && good; n++) {
    const KgUser *user = &g_array_index (waiting, KgUser, n);
    const KgInput *input = &user->node->inputs[user->input];

    for (guint k = 0; good && k < input->n_wires; k++) {
      const KgReference *reference = kg_input_get_reference (input, k);
      KgWire wire = { 0 };

      if (reference != NULL && g_str_equal (reference->node, name) &&
          kg_graph_resolve (graph, name, reference->slot, &wire))
        good = check_reference (user, reference, &wire, error);
    }
    if (good) {
      kg_input_disconnect (user->node, user->input);
      kg_input_connect (user->node, user->input);
    }
  }
  g_hash_table_remove (graph->by_name, name);
  for (guint i = 0; i < n; i++) {
    const KgUser *user = &g_array_index (waiting, KgUser, i);

    kg_input_disconnect (user->node, user->input);
    kg_input_connect (user->node, user->input);
  }
  return good;
}

/* Nodes of unknown types and values set aside are kept as JSON, so the names that they read are replaced there. */

/* A change of what sources read: slot (or any slot: NULL) of node has new names, or is removed (NULL). */
typedef struct {
  const char *node, *slot;
  const char *new_node, *new_slot;
} Renaming;

static bool
is_link_to (const char *target, const Renaming *renaming)
{
  const char *dot = strchr (target, '.');

  return dot != NULL && strlen (renaming->node) == (size_t) (dot - target) &&
         g_str_has_prefix (target, renaming->node) && (renaming->slot == NULL || g_str_equal (dot + 1, renaming->slot));
}

/* (transfer full) The new text of a link for which is_link_to is true. */
static char *
rename_link (const char *target, const Renaming *renaming)
{
  return g_strdup_printf ("%s.%s", renaming->new_node,
                          renaming->slot != NULL ? renaming->new_slot : strchr (target, '.') + 1);
}

/* (transfer full) */
static char *
rename_expression (const char *text, const Renaming *renaming)
{
  return kg_expression_rename (text, renaming->node, renaming->slot, renaming->new_node, renaming->new_slot);
}

static KgJson *rename_in_json (const KgJson *json, const Renaming *renaming, bool *changed);

/* (transfer full) A row of a table: what is removed becomes 0, so that the others keep their columns. */
static KgJson *
rename_in_row (const KgJson *row, const Renaming *renaming, bool *changed)
{
  KgJson *renamed = kg_json_new (KG_JSON_ARRAY);

  for (guint i = 0; i < kg_json_get_n (row); i++) {
    KgJson *cell = rename_in_json (kg_json_get_item (row, i), renaming, changed);

    kg_json_append (renamed, cell != NULL ? cell : kg_json_new_number (0));
  }
  return renamed;
}

/* (transfer full) (nullable) One source of a node as it was read; NULL when it is removed. */
static KgJson *
rename_in_json (const KgJson *json, const Renaming *renaming, bool *changed)
{
  KgJsonIter only = kg_json_iterate (json);
  const char *old = kg_json_next (&only) && kg_json_get_n (json) == 1 ? kg_json_get_string (only.value) : NULL;
  g_autofree char *text = NULL;
  KgJson *renamed;

  if (kg_json_is (json, KG_JSON_ARRAY)) {
    renamed = kg_json_new (KG_JSON_ARRAY);
    for (guint i = 0; i < kg_json_get_n (json); i++) {
      const KgJson *was = kg_json_get_item (json, i);
      KgJson *item = kg_json_is (was, KG_JSON_OBJECT)  ? rename_in_json (was, renaming, changed)
                     : kg_json_is (was, KG_JSON_ARRAY) ? rename_in_row (was, renaming, changed)
                                                       : kg_json_copy (was);

      if (item != NULL)
        kg_json_append (renamed, item);
    }
    return renamed;
  }
  if (kg_json_is (kg_json_get (json, "rows"), KG_JSON_ARRAY)) {
    renamed = kg_json_copy (json);
    kg_json_set (renamed, "rows", rename_in_json (kg_json_get (json, "rows"), renaming, changed));
    return renamed;
  }
  if (old != NULL && g_str_equal (only.name, "link") && is_link_to (old, renaming)) {
    *changed = true;
    if (renaming->new_node == NULL)
      return NULL;
    text = rename_link (old, renaming);
  } else if (old != NULL && g_str_equal (only.name, "expr") && renaming->new_node != NULL) {
    text = rename_expression (old, renaming);
    *changed |= !g_str_equal (text, old);
  }
  if (text == NULL)
    return kg_json_copy (json);
  renamed = kg_json_new (KG_JSON_OBJECT);
  kg_json_set (renamed, only.name, kg_json_new_string (text));
  return renamed;
}

/* (transfer full) (nullable) A set of sources as JSON with new names; NULL where nothing changes.  aside: each stands in
 * the "value" of an object. */
static KgJson *
rename_in_sources (const KgJson *sources, bool aside, const Renaming *renaming)
{
  g_autoptr (KgJson) renamed = kg_json_new (KG_JSON_OBJECT);
  bool changed = false;

  for (KgJsonIter member = kg_json_iterate (sources); kg_json_next (&member);) {
    const KgJson *item = aside ? kg_json_get (member.value, "value") : member.value;
    KgJson *source = item != NULL ? rename_in_json (item, renaming, &changed) : NULL;

    if (source != NULL && aside) {
      KgJson *entry = kg_json_copy (member.value);

      kg_json_set (entry, "value", source);
      source = entry;
    }
    if (source != NULL)
      kg_json_set (renamed, member.name, source);
  }
  return changed ? g_steal_pointer (&renamed) : NULL;
}

static void
rename_in_raw (KgGraph *graph, KgNode *node, const Renaming *renaming)
{
  KgJson *renamed = rename_in_sources (kg_json_get (node->raw, "inputs"), false, renaming);
  KgChange *change;

  if (renamed == NULL)
    return;
  change = kg_change_new (KG_CHANGE_RAW, graph, node);
  change->raw = kg_json_copy (node->raw);
  kg_json_set (change->raw, "inputs", renamed);
  kg_change_perform (change, NULL);
}

static void
rename_in_aside (KgGraph *graph, KgNode *node, const Renaming *renaming)
{
  KgJson *renamed = rename_in_sources (node->aside, true, renaming);
  KgChange *change;

  if (renamed == NULL)
    return;
  change = kg_change_new (KG_CHANGE_ASIDE, graph, node);
  change->raw = renamed;
  kg_change_perform (change, NULL);
}

/* In all that is kept as JSON. */
static void
rename_in_unknown (KgGraph *graph, const Renaming *renaming)
{
  for (guint i = 0; graph->n_unknown + graph->n_aside > 0 && i < graph->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (graph->nodes, i);

    if (node->type == NULL)
      rename_in_raw (graph, node, renaming);
    else if (node->aside != NULL)
      rename_in_aside (graph, node, renaming);
  }
}

/* What is displayed: a graph may name a node in it or further inside, or a slot that one makes. */

/* (transfer full) (nullable) What graph displays once node is called name; NULL when node is removed.  *mentioned:
 * whether it displays node, something inside it, or its slot outside at all. */
static char *
rename_in_display (KgGraph *graph, const KgNode *node, const char *name, bool *mentioned)
{
  const char *dot = graph->display != NULL ? strrchr (graph->display, '.') : NULL;
  g_autofree char *path = NULL, *renamed = NULL;
  g_auto (GStrv) names = NULL;
  const KgNode *at = NULL;
  bool is_slot;
  guint i;

  *mentioned = false;
  if (graph->display == NULL)
    return NULL;
  path = dot != NULL ? g_strndup (graph->display, (gsize) (dot - graph->display)) : g_strdup (graph->display);
  names = g_strsplit (path, "/", -1);
  for (i = 0; names[i] != NULL; i++) {
    at = graph != NULL ? kg_graph_find (graph, names[i]) : NULL;
    if (at == NULL)
      break;
    graph = at->inside;
    if (at != node)
      continue;
    *mentioned = true;
    if (name == NULL)
      return NULL;
    kg_set_string (&names[i], name);
  }
  is_slot = at != NULL && dot != NULL && at == node->parent->owner && kg_node_is_interface (node) &&
            g_str_equal (dot + 1, node->name);
  *mentioned |= is_slot;
  if (!*mentioned || name == NULL)
    return NULL;
  renamed = g_strjoinv ("/", names);
  return dot != NULL ? g_strdup_printf ("%s.%s", renamed, is_slot ? name : dot + 1) : g_steal_pointer (&renamed);
}

/* Node gets a name, or (NULL) is removed: what displays it follows, or displays nothing. */
static GPtrArray *
find_displays (KgGraph *graph, const KgNode *node, const char *name)
{
  GPtrArray *changes = g_ptr_array_new_with_free_func (kg_change_free);

  for (; graph != NULL; graph = graph->owner != NULL ? graph->owner->parent : NULL) {
    bool mentioned;
    g_autofree char *display = rename_in_display (graph, node, name, &mentioned);

    if (mentioned) {
      KgChange *change = kg_change_new (KG_CHANGE_DISPLAY, graph, NULL);

      change->text = g_steal_pointer (&display);
      g_ptr_array_add (changes, change);
    }
  }
  return changes;
}

/* Removing. */

void
kg_graph_remove (KgGraph *graph, KgNode *node)
{
  const Renaming gone = { .node = node->name };
  g_autoptr (GPtrArray) displays = NULL;
  KgNode *owner;
  guint slot;

  g_return_if_fail (node->parent == graph);
  if (kg_graph_refuse_locked (graph, NULL))
    return;
  kg_edit_report_node (KG_EDIT_REMOVE, node);
  kg_graph_mute_log (graph);
  displays = find_displays (graph, node, NULL);
  kg_graph_begin_group (graph, _ ("Remove a node"));
  kg_node_cut_links_to (node, -1);
  rename_in_unknown (graph, &gone);
  if (kg_node_is_interface (node) && kg_node_get_outside (node, &owner, &slot)) {
    /* The slot outside goes with it: first what depends on it, so that undo can restore it. */
    const Renaming slot_gone = { .node = owner->name, .slot = node->name };
    const KgSource none = KG_SOURCE_INIT;

    if (owner->inputs[slot].source.kind != KG_SOURCE_DEFAULT)
      kg_node_perform_source (owner, slot, &none, NULL);
    kg_node_cut_links_to (owner, (int) slot);
    rename_in_unknown (owner->parent, &slot_gone);
  }
  kg_changes_perform (displays);
  kg_change_perform (kg_change_new (KG_CHANGE_PRESENCE, graph, node), NULL);
  kg_graph_end_group (graph);
  kg_graph_unmute_log (graph);
}

/* Renaming. */

/* An expression may have become too long. */
static bool
check_cells (const KgSource *source, GError **error)
{
  for (guint i = 0; i < source->table.n; i++) {
    const KgSource *cell = &source->table.cells[i].source;
    g_autoptr (KgExpression) expression = cell->kind != KG_SOURCE_KEYS ? kg_expression_new (cell->text, error) : NULL;

    if (cell->kind != KG_SOURCE_KEYS && expression == NULL)
      return false;
  }
  return true;
}

/* (transfer full) (nullable) The change of what an input reads; NULL when it stays the same.  Fails when an
 * expression would become too long. */
/* One link or expression. */
static void
rename_in_text (KgSource *source, const Renaming *renaming)
{
  char *text;

  if (source->kind == KG_SOURCE_EXPRESSION)
    text = rename_expression (source->text, renaming);
  else if (source->kind == KG_SOURCE_LINK && is_link_to (source->text, renaming))
    text = rename_link (source->text, renaming);
  else
    return;
  g_free (source->text);
  source->text = text;
}

static bool
rename_in_source (KgNode *user, guint input, const Renaming *renaming, GPtrArray *changes, GError **error)
{
  g_auto (KgSource) source = kg_source_copy (&user->inputs[input].source);
  g_autoptr (KgExpression) expression = NULL;
  KgChange *change;

  rename_in_text (&source, renaming);
  for (guint i = 0; source.kind == KG_SOURCE_LIST && i < source.list.n; i++)
    rename_in_text (&source.list.items[i], renaming);
  for (guint i = 0; source.kind == KG_SOURCE_TABLE && i < source.table.n; i++)
    rename_in_text (&source.table.cells[i].source, renaming);
  if (kg_source_equal (&source, &user->inputs[input].source))
    return true;
  if (source.kind == KG_SOURCE_EXPRESSION || source.kind == KG_SOURCE_TABLE) {
    if (source.kind == KG_SOURCE_EXPRESSION)
      expression = kg_expression_new (source.text, error);
    if (source.kind == KG_SOURCE_TABLE ? !check_cells (&source, error) : expression == NULL) {
      kg_prefix_error (error, "%s.%s reads it: ", user->name, user->slots[input].name);
      return false;
    }
  }
  change = kg_change_new (KG_CHANGE_SOURCE, user->parent, user);
  change->index = input;
  change->source = kg_source_copy (&source);
  change->expression = g_steal_pointer (&expression);
  g_ptr_array_add (changes, change);
  return true;
}

/* The changes of all users (one of a node's list, or all that dangles), each input once. */
static bool
rename_in_users (const KgUser *users, guint n, guint64 stamp, const Renaming *renaming, GPtrArray *changes,
                 GError **error)
{
  for (guint i = 0; i < n; i++) {
    const KgUser *user = &users[i];
    guint64 *visits = kg_node_visits_of (user->node, (int) user->input);

    if (visits[0] == stamp || !kg_input_names (&user->node->inputs[user->input], renaming->node))
      continue;
    visits[0] = stamp;
    if (!rename_in_source (user->node, user->input, renaming, changes, error))
      return false;
  }
  return true;
}

bool
kg_graph_rename (KgGraph *graph, KgNode *node, const char *name, GError **error)
{
  g_autoptr (GPtrArray) sources = g_ptr_array_new_with_free_func (kg_change_free);
  g_autoptr (GPtrArray) displays = NULL;
  g_autofree char *old_name = g_strdup (node->name);
  g_auto (KgSource) outer_source = KG_SOURCE_INIT;
  const Renaming renaming = { .node = old_name, .new_node = name };
  Renaming outer = { .slot = old_name, .new_slot = name };
  const guint64 stamp = ++kg_graph_get_document (graph)->visit;
  KgNode *owner = NULL;
  guint slot = 0;

  g_return_val_if_fail (node->parent == graph, false);
  if (g_str_equal (name, node->name))
    return true;
  if (kg_graph_refuse_locked (graph, error))
    return false;
  if (kg_node_is_interface (node) && kg_node_get_outside (node, &owner, &slot))
    outer.node = outer.new_node = owner->name;
  if (!kg_graph_check_new_name (graph, name, error) || !check_references (graph, node, name, error) ||
      (owner != NULL && !kg_graph_check_outer_references (graph, slot, name, error)) ||
      !rename_in_users (node->users.items, node->users.n, stamp, &renaming, sources, error) ||
      !rename_in_users ((const KgUser *) (void *) graph->dangling->data, graph->dangling->len, stamp, &renaming,
                        sources, error) ||
      (owner != NULL && !rename_in_users (owner->users.items, owner->users.n, stamp, &outer, sources, error)))
    return false;
  kg_edit_report_text (KG_EDIT_RENAME, graph, node, name);
  kg_graph_mute_log (graph);
  displays = find_displays (graph, node, name);
  kg_graph_begin_group (graph, _ ("Rename"));
  if (owner != NULL && owner->inputs[slot].source.kind != KG_SOURCE_DEFAULT) {
    /* The slot outside changes its name: carry its source over, in steps that undo in order. */
    const KgSource none = KG_SOURCE_INIT;

    outer_source = kg_source_copy (&owner->inputs[slot].source);
    kg_node_perform_source (owner, slot, &none, NULL);
  }
  kg_graph_perform_text (KG_CHANGE_NAME, graph, node, name, NULL);
  if (outer_source.kind != KG_SOURCE_DEFAULT)
    kg_node_perform_source (owner, slot, &outer_source, NULL);
  kg_changes_perform (sources);
  rename_in_unknown (graph, &renaming);
  if (owner != NULL)
    rename_in_unknown (owner->parent, &outer);
  kg_changes_perform (displays);
  kg_graph_end_group (graph);
  kg_graph_unmute_log (graph);
  return true;
}

void
kg_node_redirect (KgNode *node, const char *slot, const char *new_name)
{
  const Renaming renaming = {
    .node = node->name, .slot = slot, .new_node = new_name != NULL ? node->name : NULL, .new_slot = new_name
  };
  g_autoptr (GPtrArray) changes = g_ptr_array_new_with_free_func (kg_change_free);
  g_autoptr (GArray) dangling = kg_graph_find_dangling (node->parent, node->name);

  for (guint i = 0; i < dangling->len; i++) {
    const KgUser *user = &g_array_index (dangling, KgUser, i);

    if (new_name != NULL)
      rename_in_source (user->node, user->input, &renaming, changes, NULL);
    else if (user->node->inputs[user->input].source.kind != KG_SOURCE_EXPRESSION)
      kg_input_cut_links (user->node, user->input, NULL, -1);
  }
  kg_changes_perform (changes);
  rename_in_unknown (node->parent, &renaming);
}

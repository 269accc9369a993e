/* kg-graph: nodes in graphs, and what can be read of them.  Changes are in kg-edit.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

G_DEFINE_FINAL_TYPE (KgGraph, kg_graph, G_TYPE_OBJECT)

/* Nodes. */

KgHash
kg_node_hash_type (const char *type_id, const KgNodeType *type)
{
  return kg_hash_uint (kg_hash_text (kg_hash_begin (KG_HASH_TYPE, 0), type_id), type != NULL ? type->version : 0);
}

static void
make_wires (KgInput *input, guint n)
{
  input->n_wires = n;
  input->wire = (KgWire){ NULL, 0, 0, false };
  input->wires = n == 1 ? &input->wire : g_new0 (KgWire, MAX (n, 1));
}

static void
free_wires (KgInput *input)
{
  if (input->wires != &input->wire)
    g_free (input->wires);
  input->wires = NULL;
  input->n_wires = 0;
}

/* None is valid. */
static void
make_marks (KgNode *node, guint n_slots)
{
  const guint n = n_slots + 1;

  g_free (node->marks);
  node->marks = g_malloc0 (n * (sizeof *node->marks + sizeof *node->visits));
  node->visits = (guint64 (*)[2]) (node->marks + n);
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
  make_marks (node, type != NULL ? type->n_slots : 0);
  if (type != NULL) {
    node->slots = type->slots;
    node->n_slots = type->n_slots;
    node->inputs = g_new0 (KgInput, MAX (node->n_slots, 1));
    if (type->role == KG_ROLE_SUBNET) {
      node->inside = kg_graph_new (graph->types);
      node->inside->owner = node;
      g_clear_pointer (&node->inside->history, kg_history_free);
      kg_node_rebuild_interface (node);
    }
  }
  return node;
}

/* The texts of the slots of a sub-graph are its own, so that editing a label leaves nothing behind. */
static void
clear_slot (KgSlot *slot)
{
  g_free ((char *) slot->name);
  g_free ((char *) slot->label);
  g_free ((char *) slot->def_text);
  g_free ((char *) slot->help);
}

static void
free_slots (KgSlot *slots, guint n)
{
  for (guint i = 0; slots != NULL && i < n; i++)
    clear_slot (&slots[i]);
  g_free (slots);
}

KgNode *
kg_node_ref (KgNode *node)
{
  g_atomic_ref_count_inc (&node->refs);
  return node;
}

void
kg_node_unref (KgNode *node)
{
  if (!g_atomic_ref_count_dec (&node->refs))
    return;
  for (guint i = 0; i < node->n_slots; i++) {
    kg_source_clear (&node->inputs[i].source);
    g_clear_pointer (&node->inputs[i].expression, kg_expression_free);
    free_wires (&node->inputs[i]);
    kg_value_clear (&node->inputs[i].ready);
  }
  if (node->inside != NULL) {
    for (guint i = 0; i < node->n_slots; i++)
      node->interfaces[i]->outside = NULL;
    node->inside->owner = NULL;
    g_object_unref (node->inside);
  }
  g_free (node->inputs);
  g_free (node->marks);
  g_free (node->prepared);
  free_slots (node->own_slots, node->n_slots);
  g_free (node->interfaces);
  g_free (node->users.items);
  g_free (node->name);
  g_free (node->type_id);
  g_free (node->color);
  g_free (node->comment);
  g_clear_pointer (&node->raw, kg_json_free);
  g_clear_pointer (&node->aside, kg_json_free);
  g_clear_pointer (&node->preset, kg_preset_unref);
  g_free (node);
}

const char *
kg_node_get_name (const KgNode *node)
{
  return node->name;
}

char *
kg_node_dup_path (const KgNode *node)
{
  GString *path = g_string_new (node->name);

  for (KgGraph *graph = node->parent; graph != NULL && graph->owner != NULL; graph = graph->owner->parent) {
    g_string_prepend_c (path, '/');
    g_string_prepend (path, graph->owner->name);
  }
  return g_string_free (path, FALSE);
}

const char *
kg_node_get_type_id (const KgNode *node)
{
  return node->type_id;
}

const KgNodeType *
kg_node_get_type (const KgNode *node)
{
  return node->type;
}

KgGraph *
kg_node_get_parent (const KgNode *node)
{
  return node->parent;
}

KgGraph *
kg_node_get_graph (const KgNode *node)
{
  return node->inside;
}

void
kg_node_get_position (const KgNode *node, double *x, double *y)
{
  *x = node->x;
  *y = node->y;
}

bool
kg_node_get_bypass (const KgNode *node)
{
  return node->bypass;
}

const char *
kg_node_get_color (const KgNode *node)
{
  return node->color;
}

const char *
kg_node_get_comment (const KgNode *node)
{
  return node->comment;
}

const KgJson *
kg_node_get_aside (const KgNode *node)
{
  return node->aside;
}

KgRawSettings
kg_raw_get_settings (const KgJson *raw)
{
  const KgJson *at = kg_json_get (raw, "at"), *bypass = kg_json_get (raw, "bypass");
  const KgJson *color = kg_json_get (raw, "color"), *comment = kg_json_get (raw, "comment");
  KgRawSettings settings = { 0 };

  if (kg_json_is (at, KG_JSON_ARRAY) && kg_json_get_n (at) == 2 &&
      kg_json_is (kg_json_get_item (at, 0), KG_JSON_NUMBER) && kg_json_is (kg_json_get_item (at, 1), KG_JSON_NUMBER)) {
    settings.x = kg_json_get_number (kg_json_get_item (at, 0));
    settings.y = kg_json_get_number (kg_json_get_item (at, 1));
  }
  settings.bypass = kg_json_is (bypass, KG_JSON_TRUE);
  settings.color = kg_json_get_string (color);
  settings.comment = kg_json_get_string (comment);
  return settings;
}

const KgJson *
kg_node_get_raw (const KgNode *node)
{
  return node->raw;
}

guint
kg_node_get_n_slots (const KgNode *node)
{
  return node->n_slots;
}

const KgSlot *
kg_node_get_slot (const KgNode *node, guint index)
{
  g_return_val_if_fail (index < node->n_slots, NULL);
  return &node->slots[index];
}

int
kg_node_find_slot (const KgNode *node, const char *name)
{
  for (guint i = 0; i < node->n_slots; i++)
    if (g_str_equal (node->slots[i].name, name))
      return (int) i;
  return -1;
}

const KgSource *
kg_node_get_source (const KgNode *node, guint slot)
{
  g_return_val_if_fail (slot < node->n_slots, NULL);
  return &node->inputs[slot].source;
}

bool
kg_node_get_link (const KgNode *node, guint slot, guint item, KgNode **from, guint *output)
{
  const KgInput *input;

  g_return_val_if_fail (slot < node->n_slots, false);
  input = &node->inputs[slot];
  if ((input->source.kind != KG_SOURCE_LINK && input->source.kind != KG_SOURCE_LIST) || item >= input->n_wires ||
      input->wires[item].node == NULL)
    return false;
  *from = input->wires[item].node;
  *output = input->wires[item].slot;
  return true;
}

const char *
kg_node_get_link_name (const KgNode *node, guint slot, guint item)
{
  const KgSource *source = &node->inputs[slot].source;

  return strchr (source->kind == KG_SOURCE_LIST ? source->list.items[item].text : source->text, '.') + 1;
}

guint
kg_node_get_n_links (const KgNode *node, guint slot)
{
  const KgInput *input;

  g_return_val_if_fail (slot < node->n_slots, 0);
  input = &node->inputs[slot];
  return input->source.kind == KG_SOURCE_LINK || input->source.kind == KG_SOURCE_LIST ? input->n_wires : 0;
}

GPtrArray *
kg_node_dup_users (const KgNode *node)
{
  GPtrArray *users = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < node->users.n; i++) {
    KgNode *user = node->users.items[i].node;

    if (g_hash_table_add (seen, user))
      g_ptr_array_add (users, user);
  }
  return users;
}

/* Wires. */

bool
kg_graph_resolve (KgGraph *graph, const char *node_name, const char *slot_name, KgWire *wire)
{
  int slot;

  wire->node = kg_graph_find (graph, node_name);
  wire->slot = KG_SLOT_UNKNOWN;
  wire->reads_output = true;
  if (wire->node == NULL)
    return false;
  if (wire->node->type == NULL)
    return true;
  slot = kg_node_find_slot (wire->node, slot_name);
  if (slot < 0 || wire->node->slots[slot].role == KG_SLOT_STATE) {
    wire->node = NULL;
    return false;
  }
  wire->slot = (guint) slot;
  wire->reads_output = wire->node->slots[slot].role == KG_SLOT_OUTPUT;
  return true;
}

static bool
resolve_text (KgGraph *graph, const char *target, KgWire *wire)
{
  const char *dot = strchr (target, '.');
  g_autofree char *name = dot != NULL ? g_strndup (target, (gsize) (dot - target)) : NULL;

  wire->node = NULL;
  wire->slot = KG_SLOT_UNKNOWN;
  return name != NULL && kg_graph_resolve (graph, name, dot + 1, wire);
}

/* Both ends of a wire know each other's place, so that a node that everything reads is let go as quickly as any. */
static void
add_user (KgNode *node, guint input, guint wire)
{
  KgWire *w = &node->inputs[input].wires[wire];
  KgUsers *users = &w->node->users;

  if (users->n == users->capacity) {
    users->capacity = MAX (1, 2 * users->capacity);
    users->items = g_renew (KgUser, users->items, users->capacity);
  }
  w->place = users->n;
  users->items[users->n++] = (KgUser){ node, input, w->slot, wire, w->reads_output };
}

static void
remove_user (const KgWire *wire)
{
  KgUsers *users = &wire->node->users;
  const KgUser *last = &users->items[users->n - 1];

  last->node->inputs[last->input].wires[last->wire].place = wire->place;
  users->items[wire->place] = *last;
  users->n--;
}

void
kg_input_connect (KgNode *node, guint slot)
{
  KgInput *input = &node->inputs[slot];
  KgGraph *graph = node->parent;
  bool missing = false;

  g_assert (input->wires == NULL && graph != NULL);
  switch (input->source.kind) {
  case KG_SOURCE_LINK:
    make_wires (input, 1);
    missing = !resolve_text (graph, input->source.text, &input->wires[0]);
    break;
  case KG_SOURCE_LIST:
    make_wires (input, input->source.list.n);
    for (guint i = 0; i < input->n_wires; i++)
      if (input->source.list.items[i].kind == KG_SOURCE_LINK)
        missing |= !resolve_text (graph, input->source.list.items[i].text, &input->wires[i]);
    break;
  case KG_SOURCE_EXPRESSION:
    if (input->expression == NULL)
      input->expression = kg_expression_new (input->source.text, NULL);
    make_wires (input, input->expression != NULL ? kg_expression_get_n_references (input->expression) : 0);
    for (guint i = 0; i < input->n_wires; i++) {
      const KgReference *reference = kg_expression_get_reference (input->expression, i);

      missing |= !kg_graph_resolve (graph, reference->node, reference->slot, &input->wires[i]);
    }
    break;
  default:
    break;
  }
  for (guint i = 0; i < input->n_wires; i++)
    if (input->wires[i].node != NULL)
      add_user (node, slot, i);
  kg_input_forget_kind (node, slot);
  if (missing) {
    const KgUser user = { .node = node, .input = slot };

    g_array_append_val (graph->dangling, user);
    input->dangling = graph->dangling->len;
  }
}

void
kg_input_disconnect (KgNode *node, guint slot)
{
  KgInput *input = &node->inputs[slot];

  kg_input_forget_kind (node, slot);
  for (guint i = 0; i < input->n_wires; i++)
    if (input->wires[i].node != NULL)
      remove_user (&input->wires[i]);
  if (input->dangling > 0) {
    GArray *dangling = node->parent->dangling;
    const KgUser *last = &g_array_index (dangling, KgUser, dangling->len - 1);

    last->node->inputs[last->input].dangling = input->dangling;
    g_array_remove_index_fast (dangling, input->dangling - 1);
    input->dangling = 0;
  }
  free_wires (input);
}

bool
kg_input_names (const KgInput *input, const char *name)
{
  if (input->source.kind != KG_SOURCE_EXPRESSION)
    return true;
  for (guint i = 0; i < input->n_wires; i++)
    if (g_str_equal (kg_expression_get_reference (input->expression, i)->node, name))
      return true;
  return false;
}

GArray *
kg_graph_find_dangling (const KgGraph *graph, const char *name)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (KgUser));

  for (guint i = 0; i < graph->dangling->len; i++) {
    const KgUser *user = &g_array_index (graph->dangling, KgUser, i);

    if (kg_input_names (&user->node->inputs[user->input], name))
      g_array_append_val (found, *user);
  }
  return found;
}

void
kg_graph_retry_dangling (KgGraph *graph, const char *name)
{
  g_autoptr (GArray) waiting = kg_graph_find_dangling (graph, name);

  for (guint i = 0; i < waiting->len; i++) {
    const KgUser *user = &g_array_index (waiting, KgUser, i);

    kg_input_disconnect (user->node, user->input);
    kg_input_connect (user->node, user->input);
    kg_node_invalidate (user->node, (int) user->input);
  }
}

/* While only the history remembers a node nothing tells it that what it reads has changed, or a file. */
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
  graph->n_unknown += node->type == NULL;
  graph->n_aside += node->aside != NULL;
  if (node->preset != NULL) {
    kg_graph_get_root (graph)->n_instanced += kg_preset_get_size (node->preset);
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

/* From both ends: nodes are most often taken out where the last were put, or all of them from the first on. */
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

void
kg_node_let_go_readers (KgNode *node)
{
  const guint n = node->users.n;
  g_autofree KgUser *users = g_memdup2 (node->users.items, n * sizeof *users);

  for (guint i = 0; i < n; i++) {
    kg_input_disconnect (users[i].node, users[i].input);
    kg_input_connect (users[i].node, users[i].input);
    kg_node_invalidate (users[i].node, (int) users[i].input);
  }
}

guint
kg_graph_detach (KgGraph *graph, KgNode *node)
{
  const guint index = kg_graph_get_place (graph, node);

  g_return_val_if_fail (index < graph->nodes->len, 0);
  graph->n_unknown -= node->type == NULL;
  graph->n_aside -= node->aside != NULL;
  if (node->preset != NULL)
    kg_graph_get_root (graph)->n_instanced -= kg_preset_get_size (node->preset);
  kg_node_ref (node);
  kg_node_invalidate (node, -1);
  g_hash_table_remove (graph->by_name, node->name);
  g_hash_table_remove_all (graph->last_numbers);
  /* Links to it were reset before; what is left are references of expressions, which now dangle. */
  kg_node_let_go_readers (node);
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

/* Sub-graphs. */

bool
kg_node_get_outside (const KgNode *interface, KgNode **owner, guint *slot)
{
  *owner = interface->outside;
  *slot = interface->place;
  return *owner != NULL;
}

/* The text of a constant of an interface node, or fallback: they describe the slot outside. */
static const char *
get_text (const KgNode *node, const char *name, const char *fallback)
{
  const int slot = kg_node_find_slot (node, name);

  if (slot < 0 || node->inputs[slot].source.kind != KG_SOURCE_CONSTANT ||
      node->inputs[slot].source.constant.kind != KG_TEXT)
    return fallback;
  return node->inputs[slot].source.constant.text;
}

/* What the preset says of a slot beyond what an interface node can. */
static void
add_published (const KgNode *interface, KgSlot *slot)
{
  const KgNode *owner = interface->parent != NULL ? interface->parent->owner : NULL;
  const KgPreset *preset = owner != NULL ? kg_node_get_preset (owner) : NULL;
  const KgPublished *published = preset != NULL ? kg_preset_find_published (preset, interface->name) : NULL;

  if (published == NULL)
    return;
  slot->unit = published->unit;
  slot->min = published->min;
  slot->max = published->max;
  slot->soft_min = published->soft_min;
  slot->soft_max = published->soft_max;
  slot->group = published->group;
  slot->shown_when = published->shown_when;
}

/* The default that people see: a constant of the interface node. */
static void
add_default (const KgNode *interface, KgSlot *slot)
{
  const int value = kg_node_find_slot (interface, "value");
  const KgSource *source = value >= 0 ? &interface->inputs[value].source : NULL;
  double x;

  if (source == NULL || source->kind != KG_SOURCE_CONSTANT)
    return;
  if (source->constant.kind == KG_VECTOR && slot->kind == KG_VECTOR)
    memcpy (slot->def_v, &source->constant.vector, sizeof source->constant.vector);
  else if (source->constant.kind == KG_COLOR && slot->kind == KG_COLOR)
    memcpy (slot->def_v, &source->constant.color, sizeof source->constant.color);
  else if (source->constant.kind == KG_TEXT && slot->kind == KG_TEXT)
    slot->def_text = g_strdup (source->constant.text);
  else if (slot->kind <= KG_BOOLEAN && kg_value_get_component (&source->constant, NULL, &x))
    slot->def = x;
}

static void
make_slot (const KgNode *interface, KgSlot *slot)
{
  const bool is_input = interface->type->role == KG_ROLE_INTERFACE_INPUT;

  *slot = (KgSlot){ .name = g_strdup (interface->name),
                    .label = g_strdup (get_text (interface, "label", interface->name)),
                    .help = g_strdup (get_text (interface, "help", "")),
                    .role = is_input ? KG_SLOT_INPUT : KG_SLOT_OUTPUT,
                    .optional = is_input };
  if (!kg_kind_from_name (get_text (interface, "kind", "any"), &slot->kind))
    slot->kind = KG_ANY;
  if (slot->kind == KG_ROTATION)
    slot->def_v[0] = 1;
  add_published (interface, slot);
  if (is_input)
    add_default (interface, slot);
}

/* The input becomes that of a slot that is new, or of another kind. */
static void
forget_value (KgInput *input)
{
  kg_value_clear (&input->ready);
  input->ready_for = (KgHash){ 0, 0 };
  input->kind_known = false;
}

void
kg_node_update_slot (KgNode *interface)
{
  KgNode *owner;
  KgSlot *slot;
  guint index;

  if (!kg_node_get_outside (interface, &owner, &index))
    return;
  slot = &owner->own_slots[index];
  kg_input_forget_kind (owner, index);
  forget_value (&owner->inputs[index]);
  kg_node_mark_of (owner, (int) index)->valid = false;
  clear_slot (slot);
  make_slot (interface, slot);
  for (guint i = 0; i < owner->users.n; i++) {
    const KgUser *user = &owner->users.items[i];

    if (user->slot == index)
      kg_input_forget_kind (user->node, user->input);
  }
  kg_node_invalidate (owner, kg_slot_is_input (slot) ? (int) index : -1);
  if (owner->parent != NULL)
    g_signal_emit_by_name (owner->parent, "slots-changed", owner);
}

/* Which of n slots has this name; n when none has.  Slots come and go one by one, so it is nearly always where the
 * search starts. */
static guint
find_slot (const KgSlot *slots, guint n, guint start, const char *name)
{
  for (guint i = 0; i < n; i++) {
    const guint at = (start + i) % n;

    if (slots[at].name != NULL && g_str_equal (slots[at].name, name))
      return at;
  }
  return n;
}

void
kg_node_rebuild_interface (KgNode *node)
{
  KgSlot *old_slots = g_steal_pointer (&node->own_slots);
  g_autofree KgInput *old_inputs = node->inputs;
  const guint n_users = node->users.n;
  g_autofree KgUser *users = g_memdup2 (node->users.items, n_users * sizeof *users);
  const guint old_n = node->n_slots;
  GPtrArray *inside = node->inside->nodes;

  if (node->parent != NULL) {
    for (guint i = 0; i < n_users; i++)
      kg_input_disconnect (users[i].node, users[i].input);
    for (guint i = 0; i < old_n; i++)
      kg_input_disconnect (node, i);
  }
  node->own_slots = g_new0 (KgSlot, MAX (inside->len, 1));
  node->inputs = g_new0 (KgInput, MAX (inside->len, 1));
  make_marks (node, inside->len);
  g_free (node->interfaces);
  node->interfaces = g_new (KgNode *, MAX (inside->len, 1));
  node->slots = node->own_slots;
  node->n_slots = 0;
  for (guint i = 0, next = 0; i < inside->len; i++) {
    KgNode *interface = (KgNode *) g_ptr_array_index (inside, i);
    const guint slot = node->n_slots;
    guint old;

    if (!kg_node_is_interface (interface))
      continue;
    old = old_slots != NULL ? find_slot (old_slots, old_n, next, interface->name) : old_n;
    if (old < old_n) {
      node->own_slots[slot] = old_slots[old];
      node->inputs[slot] = old_inputs[old];
      old_slots[old] = (KgSlot){ 0 };
      next = old + 1;
    } else
      make_slot (interface, &node->own_slots[slot]);
    forget_value (&node->inputs[slot]);
    node->interfaces[slot] = interface;
    interface->outside = node;
    interface->place = slot;
    node->n_slots++;
  }
  for (guint i = 0; old_slots != NULL && i < old_n; i++)
    if (old_slots[i].name != NULL) {
      forget_value (&old_inputs[i]);
      kg_source_clear (&old_inputs[i].source);
      g_clear_pointer (&old_inputs[i].expression, kg_expression_free);
    }
  free_slots (old_slots, old_n);
  if (node->parent == NULL)
    return;
  for (guint i = 0; i < node->n_slots; i++) {
    kg_input_connect (node, i);
    /* (What is inside must not be taken for up to date with an input that is not.) */
    kg_node_invalidate (node, (int) i);
  }
  for (guint i = 0; i < n_users; i++) {
    const KgUser *user = &users[i];

    /* (Its own inputs may have other places now, and are connected already.) */
    if (user->node == node)
      continue;
    if (user->node->inputs[user->input].wires == NULL)
      kg_input_connect (user->node, user->input);
    kg_node_invalidate (user->node, (int) user->input);
  }
  kg_graph_retry_dangling (node->parent, node->name);
  g_signal_emit_by_name (node->parent, "slots-changed", node);
}

/* Graphs. */

static void
kg_graph_finalize (GObject *object)
{
  KgGraph *graph = KG_GRAPH (object);

  g_clear_pointer (&graph->history, kg_history_free);
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
  g_free (graph->folder);
  G_OBJECT_CLASS (kg_graph_parent_class)->finalize (object);
}

static void
kg_graph_class_init (KgGraphClass *klass)
{
  static const struct {
    const char *name;
    guint n;
    GType types[2];
  } signals[] = {
    { "node-added", 1, { G_TYPE_POINTER } },
    { "node-removed", 1, { G_TYPE_POINTER } },
    { "node-renamed", 2, { G_TYPE_POINTER, G_TYPE_STRING } },
    { "node-moved", 1, { G_TYPE_POINTER } },
    { "source-changed", 2, { G_TYPE_POINTER, G_TYPE_UINT } },
    { "slots-changed", 1, { G_TYPE_POINTER } },
    { "settings-changed", 0, { 0 } },
    { "history-changed", 0, { 0 } },
    { "changed", 0, { 0 } },
  };

  G_OBJECT_CLASS (klass)->finalize = kg_graph_finalize;
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_newv (signals[i].name, KG_TYPE_GRAPH, G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL, G_TYPE_NONE, signals[i].n,
                   (GType *) signals[i].types);
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
  graph->frames = (KgFrames){ 1, 100, 24 };
  graph->history = kg_history_new ();
}

KgGraph *
kg_graph_new (KgTypes *types)
{
  KgGraph *graph = (KgGraph *) g_object_new (KG_TYPE_GRAPH, NULL);

  graph->types = kg_types_ref (types);
  return graph;
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
    }
    /* (The stamps of walks are counted by each graph for itself.) */
    memcpy (node->marks, original->marks, (original->n_slots + 1) * sizeof *node->marks);
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
  KgGraph *copy = kg_graph_new (graph->types);

  /* A nested graph becomes an outermost one: what only those have is that of its own outermost. */
  copy->frames = kg_graph_get_frames (graph);
  copy->n_reloads = kg_graph_get_root (graph)->n_reloads;
  kg_set_string (&copy->folder, kg_graph_get_folder (graph));
  kg_set_string (&copy->title, graph->title);
  kg_set_string (&copy->comment, graph->comment);
  g_clear_pointer (&copy->history, kg_history_free);
  kg_graph_copy_inside (graph, copy, wanted);
  return copy;
}

KgGraph *
kg_graph_snapshot (KgGraph *graph)
{
  return kg_graph_copy_nodes (graph, NULL);
}

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

KgGraph *
kg_graph_get_root (KgGraph *graph)
{
  while (graph->owner != NULL && graph->owner->parent != NULL)
    graph = graph->owner->parent;
  return graph;
}

KgFrames
kg_graph_get_frames (KgGraph *graph)
{
  return kg_graph_get_root (graph)->frames;
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
  return kg_graph_get_root (graph)->folder;
}

void
kg_graph_set_folder (KgGraph *graph, const char *folder)
{
  kg_set_string (&kg_graph_get_root (graph)->folder, folder);
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
kg_graph_find (KgGraph *graph, const char *name)
{
  return (KgNode *) g_hash_table_lookup (graph->by_name, name);
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

bool
kg_graph_find_output (KgGraph *graph, const char *target, KgNode **node, guint *slot, GError **error)
{
  const char *dot = strrchr (target, '.');
  g_autofree char *path = dot != NULL ? g_strndup (target, (gsize) (dot - target)) : g_strdup (target);
  int index = -1;

  *node = kg_graph_find_path (graph, path);
  if (*node == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "the graph has no node \"%s\"", path);
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

    for (guint i = 0; i < (*node)->n_slots; i++)
      if ((*node)->slots[i].role == KG_SLOT_OUTPUT)
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", (*node)->slots[i].name);
    if (names->len == 0)
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no output \"%s\": it has no outputs at all", path,
                    dot != NULL ? dot + 1 : "");
    else
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no output \"%s\" (it has: %s)", path,
                    dot != NULL ? dot + 1 : "", names->str);
    return false;
  }
  *slot = (guint) index;
  return true;
}

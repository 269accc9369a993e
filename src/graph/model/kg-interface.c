/* kg-interface: the slots of a sub-graph, made from the interface nodes inside it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

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

/* What only the preset says about a slot, not its interface node. */
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

/* The default that the interface shows: a constant of the interface node. */
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

/* The input becomes that of a slot that is new, or of another kind; its mark is not ready. */
static void
forget_value (KgInput *input)
{
  kg_value_clear (&input->ready);
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
  kg_node_mark_of (owner, (int) index)->ready = false;
  kg_node_mark_of (owner, (int) index)->valid = false;
  kg_slot_clear_texts (slot);
  make_slot (interface, slot);
  for (guint i = 0; i < owner->users.n; i++) {
    const KgUser *user = &owner->users.items[i];

    if (user->slot == index)
      kg_input_forget_kind (user->node, user->input);
  }
  kg_node_invalidate (owner, kg_slot_is_input (slot) ? (int) index : -1);
  if (owner->parent != NULL)
    g_signal_emit (owner->parent, kg_graph_signals[KG_SIGNAL_SLOTS_CHANGED], 0, owner);
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
  kg_node_make_marks (node, inside->len);
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
      kg_input_free_cells (&old_inputs[i]);
    }
  kg_slots_free (old_slots, old_n);
  if (node->parent == NULL)
    return;
  for (guint i = 0; i < node->n_slots; i++) {
    kg_input_connect (node, i);
    /* (The contents must not count as up to date with an input that is not.) */
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
  g_signal_emit (node->parent, kg_graph_signals[KG_SIGNAL_SLOTS_CHANGED], 0, node);
}

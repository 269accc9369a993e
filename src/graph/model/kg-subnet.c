/* kg-subnet: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-subnet.h"

#include "kg-graph-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

KgNode *
kg_graph_add_role (KgGraph *graph, KgRole role, const char *name, double x, double y, GError **error)
{
  KgTypes *types = kg_graph_get_types (graph);
  const KgNodeType *type = kg_types_find_role (types, role);

  if (type != NULL)
    return kg_graph_add (graph, type->id, name, x, y, error);
  g_propagate_error (error, kg_types_new_unknown_error (types, role == KG_ROLE_SUBNET            ? "subnet"
                                                               : role == KG_ROLE_INTERFACE_INPUT ? "input"
                                                                                                 : "output"));
  return NULL;
}

/* Links. */

bool
kg_graph_link_item (KgGraph *graph, KgNode *from, guint output, KgNode *to, guint input, guint item, GError **error)
{
  return kg_graph_link_item_by_name (graph, from, kg_node_get_slot (from, output)->name, to, input, item, error);
}

bool
kg_graph_link_item_by_name (KgGraph *graph, KgNode *from, const char *output, KgNode *to, guint input, guint item,
                            GError **error)
{
  const KgSource *source = kg_node_get_source (to, input);
  g_autofree char *target = g_strdup_printf ("%s.%s", kg_node_get_name (from), output);
  g_autoptr (GArray) items = NULL;
  g_auto (KgSource) link = kg_source_link (target);
  bool good;

  if (!kg_node_get_slot (to, input)->list)
    return kg_graph_set_source (graph, to, input, &link, error);
  items = g_array_new (FALSE, FALSE, sizeof (KgSource));
  if (source->kind == KG_SOURCE_LIST)
    g_array_append_vals (items, source->list.items, source->list.n);
  else if (source->kind != KG_SOURCE_DEFAULT)
    g_array_append_val (items, *source);
  if (item < items->len)
    g_array_index (items, KgSource, item) = link;
  else
    g_array_append_val (items, link);
  {
    g_auto (KgSource) list = kg_source_list (items->len, (const KgSource *) (void *) items->data);

    good = kg_graph_set_source (graph, to, input, &list, error);
  }
  return good;
}

void
kg_graph_unlink_item (KgGraph *graph, KgNode *to, guint input, guint item)
{
  const KgSlot *slot = kg_node_get_slot (to, input);
  const KgSource *source = kg_node_get_source (to, input);
  g_autoptr (GArray) items = NULL;

  if (!slot->list || source->kind != KG_SOURCE_LIST || source->list.n <= 1) {
    kg_graph_reset (graph, to, slot->name, NULL);
    return;
  }
  items = g_array_new (FALSE, FALSE, sizeof (KgSource));
  for (guint i = 0; i < source->list.n; i++)
    if (i != item)
      g_array_append_val (items, source->list.items[i]);
  {
    g_auto (KgSource) list = kg_source_list (items->len, (const KgSource *) (void *) items->data);

    kg_graph_set_source (graph, to, input, &list, NULL);
  }
}

GArray *
kg_node_dup_readers (KgNode *node)
{
  GArray *readers = g_array_new (FALSE, FALSE, sizeof (KgReader));
  g_autoptr (GPtrArray) users = kg_node_dup_users (node);

  for (guint u = 0; u < users->len; u++) {
    KgNode *user = (KgNode *) g_ptr_array_index (users, u);

    for (guint i = 0; i < kg_node_get_n_slots (user); i++)
      for (guint k = 0; k < kg_node_get_n_links (user, i); k++) {
        const KgReader reader = { user, i, k };
        KgNode *from;
        guint output;

        if (kg_node_get_link (user, i, k, &from, &output) && from == node)
          g_array_append_val (readers, reader);
      }
  }
  return readers;
}

/* Sets of nodes. */

GHashTable *
kg_node_set_new (KgNode *const *nodes, guint n)
{
  GHashTable *set = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < n; i++)
    g_hash_table_add (set, nodes[i]);
  return set;
}

GPtrArray *
kg_graph_dup_ordered (KgGraph *graph, KgNode *const *nodes, guint n)
{
  GPtrArray *ordered = g_ptr_array_new ();
  g_autoptr (GHashTable) set = kg_node_set_new (nodes, n);

  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++)
    if (g_hash_table_contains (set, kg_graph_get_node (graph, i)))
      g_ptr_array_add (ordered, kg_graph_get_node (graph, i));
  return ordered;
}

/* Sub-graphs. */

bool
kg_graph_check_border (KgGraph *graph, GHashTable *set, bool both, GError **error)
{
  for (guint i = 0; i < graph->nodes->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (graph->nodes, i);
    const bool inside = g_hash_table_contains (set, node);

    for (guint s = 0; s < node->n_slots && (inside || both); s++) {
      const KgInput *input = &node->inputs[s];

      if (!kg_slot_is_input (&node->slots[s]) || input->source.kind != KG_SOURCE_EXPRESSION)
        continue;
      for (guint w = 0; w < input->n_wires; w++) {
        const KgNode *read = input->wires[w].node;

        if (read != NULL && g_hash_table_contains (set, read) != inside) {
          kg_set_error (
              error, KG_ERROR_INVALID_VALUE,
              "the expression of %s.%s reads %s across the border of the selection: select both, or link it instead",
              node->name, node->slots[s].name, read->name);
          return false;
        }
      }
    }
  }
  return true;
}

/* An interface node for the value that crosses the border, named after the slot that reads or makes it. */
static KgNode *
add_interface (KgGraph *inside, bool is_input, const char *slot, KgKind kind, double x, double y)
{
  const KgRole role = is_input ? KG_ROLE_INTERFACE_INPUT : KG_ROLE_INTERFACE_OUTPUT;
  KgNode *node = NULL;
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", kg_kind_get_name (kind == KG_CHOICE ? KG_TEXT : kind));

  for (guint i = 1; node == NULL && i < 10000; i++) {
    g_autofree char *name = i == 1 ? g_strdup (slot) : g_strdup_printf ("%s%u", slot, i);

    if (kg_graph_find (inside, name) == NULL)
      node = kg_graph_add_role (inside, role, name, x, y, NULL);
  }
  if (node != NULL && kind != KG_ANY)
    kg_graph_set_json (inside, node, "kind", quoted, NULL);
  return node;
}

typedef struct {
  KgNode *from;
  guint output;
  const char *output_name; /* borrowed from the source */
  KgNode *to;
  guint input, item;
} Crossing;

static GArray *
find_crossings (GHashTable *set, KgGraph *graph, bool into)
{
  GArray *crossings = g_array_new (FALSE, FALSE, sizeof (Crossing));

  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *to = kg_graph_get_node (graph, i);

    if (g_hash_table_contains (set, to) != into)
      continue;
    for (guint s = 0; s < kg_node_get_n_slots (to); s++)
      for (guint k = 0; k < kg_node_get_n_links (to, s); k++) {
        Crossing c = { .to = to, .input = s, .item = k };

        if (kg_node_get_link (to, s, k, &c.from, &c.output) && g_hash_table_contains (set, c.from) != into) {
          c.output_name = kg_node_get_link_name (to, s, k);
          g_array_append_val (crossings, c);
        }
      }
  }
  return crossings;
}

/* (transfer full) All but what stands for inputs and outputs: deeper inside it would stand for those of another graph. */
static GPtrArray *
without_interface (KgNode *const *nodes, guint n)
{
  GPtrArray *kept = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    if (!kg_node_is_interface (nodes[i]))
      g_ptr_array_add (kept, nodes[i]);
  return kept;
}

KgNode *
kg_graph_collapse (KgGraph *graph, KgNode *const *selected, guint n_selected, GError **error)
{
  g_autoptr (GPtrArray) kept = without_interface (selected, n_selected);
  KgNode *const *nodes = (KgNode *const *) kept->pdata;
  const guint n = kept->len;
  g_autoptr (GPtrArray) originals = kg_graph_dup_ordered (graph, nodes, n);
  g_autoptr (GHashTable) set = kg_node_set_new (nodes, n);
  g_autoptr (GArray) into = find_crossings (set, graph, true), out = find_crossings (set, graph, false);
  g_autoptr (GPtrArray) copies = NULL;
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (KgGraph) copied = NULL;
  double low_x = INFINITY, low_y = INFINITY, high_x = -INFINITY;
  KgNode *subnet;
  KgGraph *inside;
  guint row = 0;

  g_return_val_if_fail (n_selected > 0, NULL);
  if (n == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the inputs and outputs of a graph cannot be collapsed: select nodes between them");
    return NULL;
  }
  if (!kg_graph_check_border (graph, set, true, error))
    return NULL;
  for (guint i = 0; i < n; i++) {
    double x, y;

    kg_node_get_position (nodes[i], &x, &y);
    low_x = fmin (low_x, x);
    low_y = fmin (low_y, y);
    high_x = fmax (high_x, x);
  }
  kg_graph_begin_group (graph, _ ("Collapse into sub-graph"));
  copied = kg_graph_extract (graph, nodes, n);
  subnet = kg_graph_add_role (graph, KG_ROLE_SUBNET, NULL, 0.5 * (low_x + high_x), low_y, error);
  inside = subnet != NULL ? kg_node_get_graph (subnet) : NULL;
  copies = inside != NULL ? kg_graph_insert (inside, copied, 0, 0, error) : NULL;
  if (copies == NULL) {
    kg_graph_cancel_group (graph);
    return NULL;
  }
  /* One input of the sub-graph for each output outside that is read, however often. */
  for (guint i = 0; i < into->len; i++) {
    const Crossing *c = &g_array_index (into, Crossing, i);
    g_autofree char *key = g_strdup_printf ("%s.%s", kg_node_get_name (c->from), c->output_name);
    KgNode *interface = (KgNode *) g_hash_table_lookup (made, key);
    guint at;

    if (interface == NULL) {
      interface = add_interface (inside, true, kg_node_get_slot (c->to, c->input)->name,
                                 kg_node_get_slot_kind (c->from, c->output), low_x - 220, low_y + 70 * row++);
      if (interface == NULL)
        continue;
      g_hash_table_insert (made, g_steal_pointer (&key), interface);
      kg_graph_link_item_by_name (graph, c->from, c->output_name, subnet,
                                  (guint) kg_node_find_slot (subnet, kg_node_get_name (interface)), 0, NULL);
    }
    if (g_ptr_array_find (originals, c->to, &at))
      kg_graph_link_item (inside, interface, (guint) kg_node_find_slot (interface, "output"),
                          (KgNode *) g_ptr_array_index (copies, at), c->input, c->item, NULL);
  }
  row = 0;
  for (guint i = 0; i < out->len; i++) {
    const Crossing *c = &g_array_index (out, Crossing, i);
    g_autofree char *key = g_strdup_printf ("> %s.%s", kg_node_get_name (c->from), c->output_name);
    KgNode *interface = (KgNode *) g_hash_table_lookup (made, key);
    guint at;

    if (interface == NULL && g_ptr_array_find (originals, c->from, &at)) {
      interface = add_interface (inside, false, c->output_name, kg_node_get_slot_kind (c->from, c->output),
                                 high_x + 220, low_y + 70 * row++);
      if (interface == NULL)
        continue;
      g_hash_table_insert (made, g_steal_pointer (&key), interface);
      kg_graph_link_item_by_name (inside, (KgNode *) g_ptr_array_index (copies, at), c->output_name, interface,
                                  (guint) kg_node_find_slot (interface, "value"), 0, NULL);
    }
    if (interface != NULL)
      kg_graph_link_item (graph, subnet, (guint) kg_node_find_slot (subnet, kg_node_get_name (interface)), c->to,
                          c->input, c->item, NULL);
  }
  for (guint i = 0; i < n; i++)
    kg_graph_remove (graph, nodes[i]);
  kg_graph_end_group (graph);
  return subnet;
}

/* What feeds an input of the sub-graph, or its default inside where nothing does, goes to a copy that read it. */
static void
take_over (KgGraph *graph, KgNode *subnet, guint outer, KgNode *interface, GPtrArray *plain, GPtrArray *copies,
           KgNode *copy, guint slot, guint item)
{
  const bool given = kg_node_get_source (subnet, outer)->kind != KG_SOURCE_DEFAULT;
  KgNode *holder = given ? subnet : interface, *from;
  const guint held = given ? outer : (guint) kg_node_find_slot (interface, "value");
  guint output, at;

  if (kg_node_get_link (holder, held, 0, &from, &output)) {
    if (!given && g_ptr_array_find (plain, from, &at))
      from = (KgNode *) g_ptr_array_index (copies, at);
    kg_graph_link_item_by_name (graph, from, kg_node_get_link_name (holder, held, 0), copy, slot, item, NULL);
  } else if (!kg_node_get_slot (copy, slot)->list)
    kg_graph_set_source (graph, copy, slot, kg_node_get_source (holder, held), NULL);
}

static bool
mentions (const KgInput *input, KgSlotName name)
{
  const guint n = input->expression != NULL ? kg_expression_get_n_references (input->expression) : 0;

  for (guint i = 0; i < n; i++) {
    const KgReference *reference = kg_expression_get_reference (input->expression, i);

    if (strcmp (reference->node, name.node) == 0 && strcmp (reference->slot, name.slot) == 0)
      return true;
  }
  return false;
}

static bool
graph_mentions (KgGraph *graph, KgSlotName name)
{
  for (guint i = 0; i < graph->nodes->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (graph->nodes, i);

    for (guint s = 0; s < node->n_slots; s++)
      if (mentions (&node->inputs[s], name))
        return true;
  }
  return false;
}

void
kg_nodes_replace_name (GPtrArray *nodes, KgSlotName old, KgSlotName now)
{
  for (guint i = 0; i < nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (nodes, i);

    for (guint s = 0; s < node->n_slots; s++)
      if (mentions (&node->inputs[s], old)) {
        g_autofree char *changed =
            kg_expression_rename (node->inputs[s].source.text, old.node, old.slot, now.node, now.slot);

        kg_graph_set_expression (node->parent, node, node->slots[s].name, changed, NULL);
      }
  }
}

/* Expressions inside read the interface node of an input, and those outside the input itself: after expansion both read
 * a node that holds the value. */
static void
keep_input (KgGraph *graph, KgNode *subnet, KgNode *interface, GPtrArray *plain, GPtrArray *copies)
{
  const KgSlotName inner = { interface->name, "output" }, outer = { subnet->name, interface->name };
  const int slot = kg_node_find_slot (subnet, interface->name);
  const KgNodeType *type;
  KgNode *holder;

  if (slot < 0 || (!graph_mentions (subnet->inside, inner) && !graph_mentions (graph, outer)))
    return;
  type = kg_types_find_constant (kg_graph_get_types (graph), kg_node_get_slot_kind (subnet, (guint) slot));
  if (type == NULL)
    return;
  holder = kg_graph_add (graph, type->id, kg_graph_find (graph, interface->name) == NULL ? interface->name : NULL,
                         subnet->x - 200, subnet->y, NULL);
  if (holder == NULL)
    return;
  take_over (graph, subnet, (guint) slot, interface, plain, copies, holder, (guint) kg_node_find_slot (holder, "value"),
             0);
  kg_nodes_replace_name (copies, inner, (KgSlotName){ holder->name, "output" });
  kg_nodes_replace_name (graph->nodes, outer, (KgSlotName){ holder->name, "value" });
}

/* What is displayed and what expressions read of an output of the sub-graph is what made it inside. */
static void
keep_output (KgGraph *graph, KgNode *subnet, KgNode *interface, GPtrArray *plain, GPtrArray *copies)
{
  const char *display = kg_graph_get_display (graph);
  g_autofree char *old = g_strdup_printf ("%s.%s", subnet->name, interface->name);
  const guint value = (guint) kg_node_find_slot (interface, "value");
  const char *name;
  KgNode *from, *copy;
  guint output, at;

  if (!kg_node_get_link (interface, value, 0, &from, &output) || !g_ptr_array_find (plain, from, &at))
    return;
  name = kg_node_get_link_name (interface, value, 0);
  copy = (KgNode *) g_ptr_array_index (copies, at);
  kg_nodes_replace_name (graph->nodes, (KgSlotName){ subnet->name, interface->name }, (KgSlotName){ copy->name, name });
  if (g_strcmp0 (display, old) == 0 || g_strcmp0 (display, subnet->name) == 0) {
    g_autofree char *now = g_strdup_printf ("%s.%s", copy->name, name);

    kg_graph_set_display (graph, now);
  }
}

GPtrArray *
kg_graph_expand (KgGraph *graph, KgNode *subnet, GError **error)
{
  KgGraph *inside = kg_node_get_graph (subnet);
  g_autoptr (GPtrArray) plain = g_ptr_array_new ();
  g_autoptr (GArray) readers = NULL;
  GPtrArray *copies;
  g_autoptr (KgGraph) copied = NULL;
  double x, y, low_x = INFINITY, low_y = INFINITY;

  g_return_val_if_fail (inside != NULL, NULL);
  for (guint i = 0; i < kg_graph_get_n_nodes (inside); i++) {
    KgNode *node = kg_graph_get_node (inside, i);
    const KgNodeType *type = kg_node_get_type (node);

    if (type != NULL && (type->role == KG_ROLE_INTERFACE_INPUT || type->role == KG_ROLE_INTERFACE_OUTPUT))
      continue;
    g_ptr_array_add (plain, node);
    kg_node_get_position (node, &x, &y);
    low_x = fmin (low_x, x);
    low_y = fmin (low_y, y);
  }
  kg_node_get_position (subnet, &x, &y);
  kg_graph_begin_group (graph, _ ("Expand sub-graph"));
  copied = kg_graph_extract (inside, (KgNode *const *) plain->pdata, plain->len);
  copies = plain->len > 0 ? kg_graph_insert (graph, copied, x - low_x, y - low_y, error) : g_ptr_array_new ();
  if (copies == NULL) {
    kg_graph_cancel_group (graph);
    return NULL;
  }
  /* Links that came through the interface: what feeds the sub-graph goes to the copies directly. */
  for (guint i = 0; i < copies->len; i++) {
    KgNode *original = (KgNode *) g_ptr_array_index (plain, i), *copy = (KgNode *) g_ptr_array_index (copies, i);

    for (guint s = 0; s < kg_node_get_n_slots (original); s++)
      for (guint k = 0; k < kg_node_get_n_links (original, s); k++) {
        KgNode *from;
        guint output;
        int outer;

        if (!kg_node_get_link (original, s, k, &from, &output) || kg_node_get_type (from) == NULL ||
            kg_node_get_type (from)->role != KG_ROLE_INTERFACE_INPUT)
          continue;
        outer = kg_node_find_slot (subnet, kg_node_get_name (from));
        if (outer < 0)
          continue;
        take_over (graph, subnet, (guint) outer, from, plain, copies, copy, s, k);
      }
  }
  readers = kg_node_dup_readers (subnet);
  for (guint i = 0; i < readers->len; i++) {
    const KgReader *reader = &g_array_index (readers, KgReader, i);
    KgNode *from, *interface;
    guint output, value, at;

    if (!kg_node_get_link (reader->to, reader->input, reader->item, &from, &output))
      continue;
    interface = kg_graph_find (inside, kg_node_get_slot (subnet, output)->name);
    if (interface == NULL)
      continue;
    value = (guint) kg_node_find_slot (interface, "value");
    if (kg_node_get_link (interface, value, 0, &from, &output) && g_ptr_array_find (plain, from, &at))
      kg_graph_link_item_by_name (graph, (KgNode *) g_ptr_array_index (copies, at),
                                  kg_node_get_link_name (interface, value, 0), reader->to, reader->input, reader->item,
                                  NULL);
  }
  for (guint i = 0; i < kg_graph_get_n_nodes (inside); i++) {
    KgNode *interface = kg_graph_get_node (inside, i);
    const KgNodeType *type = kg_node_get_type (interface);

    if (type != NULL && type->role == KG_ROLE_INTERFACE_INPUT)
      keep_input (graph, subnet, interface, plain, copies);
    else if (type != NULL && type->role == KG_ROLE_INTERFACE_OUTPUT)
      keep_output (graph, subnet, interface, plain, copies);
  }
  kg_graph_remove (graph, subnet);
  kg_graph_end_group (graph);
  return copies;
}

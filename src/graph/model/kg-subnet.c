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

/* Links output to input; in a list the link becomes the item of that index, or (insert) comes before it. */
static bool
put_link (KgGraph *graph, KgNode *from, const char *output, const KgReader *place, bool insert, GError **error)
{
  const KgSource *source = kg_node_get_source (place->to, place->input);
  g_autofree char *target = g_strdup_printf ("%s.%s", kg_node_get_name (from), output);
  g_autoptr (GArray) items = NULL;
  g_auto (KgSource) link = kg_source_link (target);
  bool good;

  if (!kg_node_get_slot (place->to, place->input)->list)
    return kg_graph_set_source (graph, place->to, place->input, &link, error);
  items = g_array_new (FALSE, FALSE, sizeof (KgSource));
  if (source->kind == KG_SOURCE_LIST)
    g_array_append_vals (items, source->list.items, source->list.n);
  else if (source->kind != KG_SOURCE_DEFAULT)
    g_array_append_val (items, *source);
  if (place->item >= items->len)
    g_array_append_val (items, link);
  else if (insert)
    g_array_insert_val (items, place->item, link);
  else
    g_array_index (items, KgSource, place->item) = link;
  {
    g_auto (KgSource) list = kg_source_list (items->len, (const KgSource *) (void *) items->data);

    good = kg_graph_set_source (graph, place->to, place->input, &list, error);
  }
  return good;
}

bool
kg_graph_insert_link (KgGraph *graph, KgNode *from, guint output, KgNode *to, guint input, guint item, GError **error)
{
  return put_link (graph, from, kg_node_get_slot (from, output)->name, &(KgReader){ to, input, item }, true, error);
}

bool
kg_graph_link_item_by_name (KgGraph *graph, KgNode *from, const char *output, KgNode *to, guint input, guint item,
                            GError **error)
{
  return put_link (graph, from, output, &(KgReader){ to, input, item }, false, error);
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

      if (!kg_slot_is_input (&node->slots[s]) ||
          (input->source.kind != KG_SOURCE_EXPRESSION && input->source.kind != KG_SOURCE_TABLE))
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

/* (nullable) An interface node for the value that crosses the border, named after the slot that reads or makes it. */
static KgNode *
add_interface (KgGraph *inside, bool is_input, const char *slot, KgKind kind, double x, double y, GError **error)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", kg_kind_get_name (kind == KG_CHOICE ? KG_TEXT : kind));
  g_autofree char *name = g_strdup (slot);
  KgNode *node;

  for (guint i = 2; kg_graph_find (inside, name) != NULL; i++) {
    g_free (name);
    name = g_strdup_printf ("%s%u", slot, i);
  }
  node = kg_graph_add_role (inside, is_input ? KG_ROLE_INTERFACE_INPUT : KG_ROLE_INTERFACE_OUTPUT, name, x, y, error);
  if (node == NULL || (kind != KG_ANY && !kg_graph_set_json (inside, node, "kind", quoted, error)))
    return NULL;
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

/* (transfer full) All but interface nodes, which deeper inside would stand for slots of another graph. */
static GPtrArray *
without_interface (KgNode *const *nodes, guint n)
{
  GPtrArray *kept = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    if (!kg_node_is_interface (nodes[i]))
      g_ptr_array_add (kept, nodes[i]);
  return kept;
}

/* Nodes that go into a sub-graph. */
typedef struct {
  KgGraph *graph, *inside;
  KgNode *subnet;
  KgNode *const *nodes;          /* as they were chosen */
  GPtrArray *originals, *copies; /* KgNode: the same in the order of the graph, and in that order */
  double low_x, low_y, high_x;   /* where the originals are */
} Collapse;

static void
measure (Collapse *collapse)
{
  collapse->low_x = collapse->low_y = INFINITY;
  collapse->high_x = -INFINITY;
  for (guint i = 0; i < collapse->originals->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (collapse->originals, i);

    collapse->low_x = fmin (collapse->low_x, node->x);
    collapse->low_y = fmin (collapse->low_y, node->y);
    collapse->high_x = fmax (collapse->high_x, node->x);
  }
}

static KgNode *
find_copy (const Collapse *collapse, const KgNode *original)
{
  guint at;

  return g_ptr_array_find (collapse->originals, original, &at) ? (KgNode *) g_ptr_array_index (collapse->copies, at)
                                                               : NULL;
}

static guint
outer_slot (const Collapse *collapse, const KgNode *interface)
{
  return (guint) kg_node_find_slot (collapse->subnet, interface->name);
}

/* One input of the sub-graph for each output outside that is read, however often.  The copies have lost these links, so
 * in lists they are inserted, in order. */
static bool
connect_inputs (const Collapse *collapse, GArray *crossings, GError **error)
{
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < crossings->len; i++) {
    const Crossing *c = &g_array_index (crossings, Crossing, i);
    g_autofree char *key = g_strdup_printf ("%s.%s", kg_node_get_name (c->from), c->output_name);
    KgNode *interface = (KgNode *) g_hash_table_lookup (made, key);
    const KgReader place = { find_copy (collapse, c->to), c->input, c->item };

    if (interface == NULL) {
      interface = add_interface (collapse->inside, true, kg_node_get_slot (c->to, c->input)->name,
                                 kg_node_get_slot_kind (c->from, c->output), collapse->low_x - 220,
                                 collapse->low_y + 70 * g_hash_table_size (made), error);
      if (interface == NULL || !kg_graph_link_item_by_name (collapse->graph, c->from, c->output_name, collapse->subnet,
                                                            outer_slot (collapse, interface), 0, error))
        return false;
      g_hash_table_insert (made, g_steal_pointer (&key), interface);
    }
    if (!put_link (collapse->inside, interface, "output", &place, true, error))
      return false;
  }
  return true;
}

/* One output for each output inside that is read outside. */
static bool
connect_outputs (const Collapse *collapse, GArray *crossings, GError **error)
{
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < crossings->len; i++) {
    const Crossing *c = &g_array_index (crossings, Crossing, i);
    g_autofree char *key = g_strdup_printf ("%s.%s", kg_node_get_name (c->from), c->output_name);
    KgNode *interface = (KgNode *) g_hash_table_lookup (made, key);

    if (interface == NULL) {
      interface = add_interface (collapse->inside, false, c->output_name, kg_node_get_slot_kind (c->from, c->output),
                                 collapse->high_x + 220, collapse->low_y + 70 * g_hash_table_size (made), error);
      if (interface == NULL ||
          !kg_graph_link_item_by_name (collapse->inside, find_copy (collapse, c->from), c->output_name, interface,
                                       (guint) kg_node_find_slot (interface, "value"), 0, error))
        return false;
      g_hash_table_insert (made, g_steal_pointer (&key), interface);
    }
    if (!kg_graph_link_item (collapse->graph, collapse->subnet, outer_slot (collapse, interface), c->to, c->input,
                             c->item, error))
      return false;
  }
  return true;
}

/* Within a group, which the caller cancels where this fails. */
static bool
move_inside (Collapse *collapse, GHashTable *set, GError **error)
{
  g_autoptr (GArray) into = find_crossings (set, collapse->graph, true);
  g_autoptr (GArray) out = find_crossings (set, collapse->graph, false);
  const guint n = collapse->originals->len;
  g_autoptr (KgGraph) copied = kg_graph_extract (collapse->graph, collapse->nodes, n);

  collapse->subnet = kg_graph_add_role (collapse->graph, KG_ROLE_SUBNET, NULL,
                                        0.5 * (collapse->low_x + collapse->high_x), collapse->low_y, error);
  if (collapse->subnet == NULL)
    return false;
  collapse->inside = kg_node_get_graph (collapse->subnet);
  collapse->copies = kg_graph_insert (collapse->inside, copied, 0, 0, error);
  if (collapse->copies == NULL || !connect_inputs (collapse, into, error) || !connect_outputs (collapse, out, error))
    return false;
  for (guint i = 0; i < n; i++)
    kg_graph_remove (collapse->graph, collapse->nodes[i]);
  return true;
}

KgNode *
kg_graph_collapse (KgGraph *graph, KgNode *const *selected, guint n_selected, GError **error)
{
  g_autoptr (GPtrArray) kept = without_interface (selected, n_selected);
  KgNode *const *nodes = (KgNode *const *) kept->pdata;
  g_autoptr (GPtrArray) originals = kg_graph_dup_ordered (graph, nodes, kept->len);
  g_autoptr (GHashTable) set = kg_node_set_new (nodes, kept->len);
  Collapse collapse = { .graph = graph, .nodes = nodes, .originals = originals };
  bool good;

  g_return_val_if_fail (n_selected > 0, NULL);
  if (kept->len == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the inputs and outputs of a graph cannot be collapsed: select nodes between them");
    return NULL;
  }
  if (!kg_graph_check_border (graph, set, true, error))
    return NULL;
  measure (&collapse);
  kg_graph_begin_group (graph, _ ("Collapse into sub-graph"));
  good = move_inside (&collapse, set, error);
  kg_graph_close_group (graph, good);
  g_clear_pointer (&collapse.copies, g_ptr_array_unref);
  return good ? collapse.subnet : NULL;
}

/* Nodes that leave a sub-graph. */
typedef struct {
  KgGraph *graph;
  KgNode *subnet;
  GPtrArray *plain, *copies; /* KgNode, in the same order: what is inside, without interface nodes */
} Expand;

/* The node outside that is or stands for node, which is inside; NULL for interface nodes. */
static KgNode *
find_outside (const Expand *expand, const KgNode *node)
{
  guint at;

  return g_ptr_array_find (expand->plain, node, &at) ? (KgNode *) g_ptr_array_index (expand->copies, at) : NULL;
}

/* (transfer full) What feeds an input of the sub-graph, or its default inside where nothing does, as it is outside.
 * (Links among the interface nodes are no cycle, so this ends.) */
static KgSource
get_feed (const Expand *expand, KgNode *interface)
{
  const guint outer = (guint) kg_node_find_slot (expand->subnet, interface->name);
  const bool given = kg_node_get_source (expand->subnet, outer)->kind != KG_SOURCE_DEFAULT;
  KgNode *holder = given ? expand->subnet : interface, *from;
  const guint held = given ? outer : (guint) kg_node_find_slot (interface, "value");
  guint output;

  if (!given && kg_node_get_link (holder, held, 0, &from, &output)) {
    const KgNode *copy = find_outside (expand, from);
    g_autofree char *target = NULL;

    if (copy == NULL)
      return get_feed (expand, from);
    target = g_strdup_printf ("%s.%s", copy->name, kg_node_get_link_name (holder, held, 0));
    return kg_source_link (target);
  }
  return kg_source_copy (kg_node_get_source (holder, held));
}

/* (nullable) The interface node of an input of the sub-graph that an item of an input inside reads. */
static KgNode *
get_interface (const KgNode *node, guint slot, guint item)
{
  KgNode *from;
  guint output;

  return kg_node_get_link (node, slot, item, &from, &output) && kg_node_get_role (from) == KG_ROLE_INTERFACE_INPUT
             ? from
             : NULL;
}

/* An input of a copy that is a list: what came through the interface takes its place among the other items, and is left
 * out where nothing feeds it. */
static bool
feed_list (const Expand *expand, const KgNode *original, KgNode *copy, guint slot, GError **error)
{
  const KgSource *was = kg_node_get_source (original, slot), *now = kg_node_get_source (copy, slot);
  const guint n = was->kind == KG_SOURCE_LIST ? was->list.n : 0;
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (KgSource));
  g_auto (KgSource) list = KG_SOURCE_INIT;
  bool fed = false;

  g_array_set_clear_func (items, (GDestroyNotify) kg_source_clear);
  for (guint i = 0, kept = 0; i < n; i++) {
    KgNode *interface = get_interface (original, slot, i);
    const bool stays = interface == NULL && now->kind == KG_SOURCE_LIST && kept < now->list.n;
    KgSource item = interface != NULL ? get_feed (expand, interface)
                    : stays           ? kg_source_copy (&now->list.items[kept++])
                                      : (KgSource) KG_SOURCE_INIT;

    fed |= interface != NULL;
    if (item.kind != KG_SOURCE_DEFAULT)
      g_array_append_val (items, item);
  }
  if (!fed || items->len == 0)
    return true;
  list = kg_source_list (items->len, (const KgSource *) (void *) items->data);
  return kg_graph_set_source (expand->graph, copy, slot, &list, error);
}

/* Links that came through the interface: what feeds the sub-graph goes to the copies directly. */
static bool
feed_copies (const Expand *expand, GError **error)
{
  for (guint i = 0; i < expand->copies->len; i++) {
    const KgNode *original = (const KgNode *) g_ptr_array_index (expand->plain, i);
    KgNode *copy = (KgNode *) g_ptr_array_index (expand->copies, i);

    for (guint s = 0; s < original->n_slots; s++) {
      KgNode *interface = get_interface (original, s, 0);

      if (original->slots[s].list) {
        if (!feed_list (expand, original, copy, s, error))
          return false;
      } else if (interface != NULL) {
        g_auto (KgSource) feed = get_feed (expand, interface);

        if (!kg_graph_set_source (expand->graph, copy, s, &feed, error))
          return false;
      }
    }
  }
  return true;
}

/* What read an output of the sub-graph reads what made it inside, or fed the input that it passed on. */
static bool
connect_readers (const Expand *expand, GError **error)
{
  g_autoptr (GArray) readers = kg_node_dup_readers (expand->subnet);

  for (guint i = 0; i < readers->len; i++) {
    const KgReader *reader = &g_array_index (readers, KgReader, i);
    KgNode *from, *interface;
    const char *name;
    guint output, value;

    if (!kg_node_get_link (reader->to, reader->input, reader->item, &from, &output))
      continue;
    interface = kg_graph_find (expand->subnet->inside, kg_node_get_slot (expand->subnet, output)->name);
    if (interface == NULL)
      continue;
    value = (guint) kg_node_find_slot (interface, "value");
    if (!kg_node_get_link (interface, value, 0, &from, &output))
      continue;
    name = kg_node_get_link_name (interface, value, 0);
    if (kg_node_get_role (from) == KG_ROLE_INTERFACE_INPUT) {
      const guint outer = (guint) kg_node_find_slot (expand->subnet, from->name);

      if (!kg_node_get_link (expand->subnet, outer, 0, &from, &output))
        continue;
      name = kg_node_get_link_name (expand->subnet, outer, 0);
    } else
      from = find_outside (expand, from);
    if (from != NULL &&
        !kg_graph_link_item_by_name (expand->graph, from, name, reader->to, reader->input, reader->item, error))
      return false;
  }
  return true;
}

static bool
mentions (const KgInput *input, KgSlotName name)
{
  for (guint i = 0; i < kg_input_get_n_expressions (input); i++) {
    const KgExpression *expression = kg_input_get_expression (input, i);

    for (guint k = 0; expression != NULL && k < kg_expression_get_n_references (expression); k++) {
      const KgReference *reference = kg_expression_get_reference (expression, k);

      if (strcmp (reference->node, name.node) == 0 && strcmp (reference->slot, name.slot) == 0)
        return true;
    }
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

/* (What a link of a cell says is an expression, too.) */
static void
replace_name (KgSource *source, KgSlotName old, KgSlotName now)
{
  char *text;

  if (source->kind == KG_SOURCE_KEYS)
    return;
  text = kg_expression_rename (source->text, old.node, old.slot, now.node, now.slot);
  g_free (source->text);
  source->text = text;
}

bool
kg_nodes_replace_name (GPtrArray *nodes, KgSlotName old, KgSlotName now, GError **error)
{
  for (guint i = 0; i < nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (nodes, i);

    for (guint s = 0; s < node->n_slots; s++)
      if (mentions (&node->inputs[s], old)) {
        g_auto (KgSource) changed = kg_source_copy (&node->inputs[s].source);

        if (changed.kind == KG_SOURCE_TABLE)
          for (guint k = 0; k < changed.table.n; k++)
            replace_name (&changed.table.cells[k].source, old, now);
        else
          replace_name (&changed, old, now);
        if (!kg_graph_set_source (node->parent, node, s, &changed, error)) {
          g_prefix_error (error, "%s.%s: ", node->name, node->slots[s].name);
          return false;
        }
      }
  }
  return true;
}

/* Expressions inside read the interface node of an input, and those outside the input itself: after expansion both read
 * a node that holds the value. */
static bool
keep_input (const Expand *expand, KgNode *interface, GError **error)
{
  KgGraph *graph = expand->graph;
  KgNode *subnet = expand->subnet, *holder;
  const KgSlotName inner = { interface->name, "output" }, outer = { subnet->name, interface->name };
  const int slot = kg_node_find_slot (subnet, interface->name);
  g_auto (KgSource) feed = KG_SOURCE_INIT;
  const KgNodeType *type;
  KgKind kind;
  guint value;

  if (slot < 0 || (!graph_mentions (subnet->inside, inner) && !graph_mentions (graph, outer)))
    return true;
  kind = kg_node_get_slot_kind (subnet, (guint) slot);
  type = kg_types_find_constant (kg_graph_get_types (graph), kind);
  if (type == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_TYPE, "no node type holds %s", kg_kind_get_phrase (kind));
    return false;
  }
  holder = kg_graph_add (graph, type->id, kg_graph_find (graph, interface->name) == NULL ? interface->name : NULL,
                         subnet->x - 200, subnet->y, error);
  if (holder == NULL)
    return false;
  value = (guint) kg_node_find_slot (holder, "value");
  feed = get_feed (expand, interface);
  return kg_graph_set_source (graph, holder, value, &feed, error) &&
         kg_nodes_replace_name (expand->copies, inner, (KgSlotName){ holder->name, "output" }, error) &&
         kg_nodes_replace_name (graph->nodes, outer, (KgSlotName){ holder->name, "value" }, error);
}

/* What is displayed and what expressions read of an output of the sub-graph is what made it inside. */
static bool
keep_output (const Expand *expand, KgNode *interface, GError **error)
{
  KgGraph *graph = expand->graph;
  const KgNode *subnet = expand->subnet, *copy;
  const char *display = kg_graph_get_display (graph);
  g_autofree char *old = g_strdup_printf ("%s.%s", subnet->name, interface->name);
  const guint value = (guint) kg_node_find_slot (interface, "value");
  const char *name;
  KgNode *from;
  guint output;

  if (!kg_node_get_link (interface, value, 0, &from, &output))
    return true;
  copy = find_outside (expand, from);
  if (copy == NULL)
    return true;
  name = kg_node_get_link_name (interface, value, 0);
  if (!kg_nodes_replace_name (graph->nodes, (KgSlotName){ subnet->name, interface->name },
                              (KgSlotName){ copy->name, name }, error))
    return false;
  if (g_strcmp0 (display, old) == 0 || g_strcmp0 (display, subnet->name) == 0) {
    g_autofree char *now = g_strdup_printf ("%s.%s", copy->name, name);

    kg_graph_set_display (graph, now);
  }
  return true;
}

static bool
keep_interface (const Expand *expand, GError **error)
{
  const KgGraph *inside = expand->subnet->inside;

  for (guint i = 0; i < inside->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (inside->nodes, i);
    const KgRole role = kg_node_get_role (node);

    if ((role == KG_ROLE_INTERFACE_INPUT && !keep_input (expand, node, error)) ||
        (role == KG_ROLE_INTERFACE_OUTPUT && !keep_output (expand, node, error)))
      return false;
  }
  return true;
}

/* Within a group, which the caller cancels where this fails. */
static bool
move_outside (Expand *expand, GError **error)
{
  KgGraph *inside = expand->subnet->inside;
  KgNode *const *nodes = (KgNode *const *) expand->plain->pdata;
  g_autoptr (KgGraph) copied = kg_graph_extract (inside, nodes, expand->plain->len);
  double low_x = INFINITY, low_y = INFINITY;

  for (guint i = 0; i < expand->plain->len; i++) {
    low_x = fmin (low_x, nodes[i]->x);
    low_y = fmin (low_y, nodes[i]->y);
  }
  expand->copies = expand->plain->len > 0 ? kg_graph_insert (expand->graph, copied, expand->subnet->x - low_x,
                                                             expand->subnet->y - low_y, error)
                                          : g_ptr_array_new ();
  if (expand->copies == NULL || !feed_copies (expand, error) || !connect_readers (expand, error) ||
      !keep_interface (expand, error))
    return false;
  kg_graph_remove (expand->graph, expand->subnet);
  return true;
}

GPtrArray *
kg_graph_expand (KgGraph *graph, KgNode *subnet, GError **error)
{
  g_autoptr (GPtrArray) plain = NULL;
  Expand expand = { .graph = graph, .subnet = subnet };

  g_return_val_if_fail (subnet->inside != NULL, NULL);
  plain = expand.plain = without_interface ((KgNode *const *) subnet->inside->nodes->pdata, subnet->inside->nodes->len);
  kg_graph_begin_group (graph, _ ("Expand sub-graph"));
  if (move_outside (&expand, error)) {
    kg_graph_end_group (graph);
    return expand.copies;
  }
  kg_graph_cancel_group (graph);
  g_clear_pointer (&expand.copies, g_ptr_array_unref);
  return NULL;
}

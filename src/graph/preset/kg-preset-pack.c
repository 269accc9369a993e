/* kg-preset-pack: definitions made of nodes of a graph: of a selection, or of an instance that was edited.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-pack.h"

#include "kg-graph-private.h"
#include "kg-preset-json.h"
#include "kg-subnet.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Packing. */

/* (transfer full) Nodes as a file has them: "nodes" and, with instances among them, "presets". */
static KgJson *
copy_nodes (KgGraph *graph, KgNode *const *nodes, guint n)
{
  g_autoptr (KgGraph) copy = kg_graph_extract (graph, nodes, n);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (GString) text = g_string_new ("{\n");

  kg_graph_write_presets (copy, text);
  g_string_append (text, "  \"nodes\": {");
  kg_graph_write_nodes (copy, text, 2);
  g_string_append (text, "}\n}\n");
  return kg_json_parse (text->str, (gssize) text->len, problems);
}

/* A name for a published slot that neither a node inside nor another published slot has. */
static char *
free_name (GHashTable *taken, const char *stem)
{
  char *name = g_strdup (stem);

  for (guint i = 2; g_hash_table_contains (taken, name); i++) {
    g_free (name);
    name = g_strdup_printf ("%s_%u", stem, i);
  }
  g_hash_table_add (taken, g_strdup (name));
  return name;
}

static KgJson *
publish_input (const KgNode *node, guint slot)
{
  const KgSlot *declared = &node->slots[slot];
  const char *unit = kg_unit_get_symbol (declared->unit);
  KgJson *json = kg_json_new (KG_JSON_OBJECT);

  kg_json_set (json, "drives", kg_json_new (KG_JSON_ARRAY));
  kg_json_set (json, "label", kg_json_new_string (declared->label));
  kg_json_set (json, "help", kg_json_new_string (declared->help));
  if (kg_slot_has_range (declared) && isfinite (declared->min))
    kg_json_set (json, "min", kg_json_new_number (declared->min));
  if (kg_slot_has_range (declared) && isfinite (declared->max))
    kg_json_set (json, "max", kg_json_new_number (declared->max));
  if (declared->soft_max > declared->soft_min) {
    kg_json_set (json, "soft_min", kg_json_new_number (declared->soft_min));
    kg_json_set (json, "soft_max", kg_json_new_number (declared->soft_max));
  }
  if (*unit != '\0')
    kg_json_set (json, "unit", kg_json_new_string (unit));
  return json;
}

static void
drive (KgJson *published, const KgNode *node, guint slot)
{
  g_autofree char *target = g_strdup_printf ("%s.%s", node->name, node->slots[slot].name);

  kg_json_append ((KgJson *) kg_json_get (published, "drives"), kg_json_new_string (target));
}

KgJson *
kg_preset_publish_input (const KgNode *node, guint slot)
{
  KgJson *json = publish_input (node, slot);

  drive (json, node, slot);
  return json;
}

/* One input for each output outside that is read, however often, and one for each keyed input. */
static void
publish_inputs (KgNode *const *nodes, guint n, GHashTable *set, KgJson *inputs, GHashTable *taken)
{
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < n; i++)
    for (guint s = 0; s < nodes[i]->n_slots; s++) {
      const KgInput *input = &nodes[i]->inputs[s];
      g_autofree char *key = NULL, *name = NULL;
      KgJson *published;

      if (nodes[i]->slots[s].role != KG_SLOT_INPUT || nodes[i]->slots[s].list)
        continue;
      if (input->source.kind == KG_SOURCE_LINK && input->n_wires == 1 && input->wires[0].node != NULL &&
          !g_hash_table_contains (set, input->wires[0].node))
        key = g_strdup (input->source.text);
      else if ((input->source.kind == KG_SOURCE_KEYS && nodes[i]->slots[s].kind != KG_MOTION) ||
               (input->source.kind == KG_SOURCE_TABLE && input->n_wires == 0))
        key = g_strdup_printf ("%s %u", nodes[i]->name, s);
      else
        continue;
      published = (KgJson *) g_hash_table_lookup (made, key);
      if (published == NULL) {
        name = free_name (taken, nodes[i]->slots[s].name);
        published = publish_input (nodes[i], s);
        kg_json_set (inputs, name, published);
        g_hash_table_insert (made, g_steal_pointer (&key), published);
      }
      drive (published, nodes[i], s);
    }
}

static void
publish_output (const KgNode *node, guint slot, KgJson *outputs, GHashTable *taken)
{
  g_autofree char *name = free_name (taken, node->slots[slot].name);
  g_autofree char *from = g_strdup_printf ("%s.%s", node->name, node->slots[slot].name);
  KgJson *json = kg_json_new (KG_JSON_OBJECT);

  kg_json_set (json, "from", kg_json_new_string (from));
  kg_json_set (json, "label", kg_json_new_string (node->slots[slot].label));
  kg_json_set (json, "help", kg_json_new_string (node->slots[slot].help));
  kg_json_set (outputs, name, json);
}

/* Outputs that nodes outside read, and otherwise all that none inside reads. */
static void
publish_outputs (KgNode *const *nodes, guint n, GHashTable *set, KgJson *outputs, GHashTable *taken)
{
  for (guint pass = 0; pass < 2 && kg_json_get_n (outputs) == 0; pass++)
    for (guint i = 0; i < n; i++)
      for (guint s = 0; s < nodes[i]->n_slots; s++) {
        bool inside = false, outside = false;

        if (nodes[i]->slots[s].role != KG_SLOT_OUTPUT)
          continue;
        for (guint u = 0; u < nodes[i]->users.n; u++) {
          const KgUser *user = &nodes[i]->users.items[u];

          if (user->slot == s)
            *(g_hash_table_contains (set, user->node) ? &inside : &outside) = true;
        }
        if (pass == 0 ? outside : nodes[i]->users.n == 0 && !inside)
          publish_output (nodes[i], s, outputs, taken);
      }
}

/* A definition made of nodes that were copied carries what they are made of, where some of that is not what the types have
 * by its id. */
static void
carry_older (KgJson *json, const KgJson *copy, const KgTypes *types)
{
  const KgJson *presets = kg_json_get (copy, "presets");
  bool is_older = false;

  for (KgJsonIter member = kg_json_iterate (presets); kg_json_next (&member);) {
    const KgNodeType *type = kg_types_find (types, member.name);
    const KgJson *version = kg_json_get (member.value, "version");

    is_older |= type == NULL || type->version != (version != NULL ? kg_json_get_number (version) : 1);
  }
  if (is_older)
    kg_json_set (json, "presets", kg_json_copy (presets));
}

char *
kg_preset_pack (KgGraph *graph, KgNode *const *nodes, guint n, const char *id, const char *title, GError **error)
{
  g_autoptr (GHashTable) taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), set = NULL;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) copy = NULL, json = kg_json_new (KG_JSON_OBJECT);
  KgJson *interface = kg_json_new (KG_JSON_OBJECT), *inside = kg_json_new (KG_JSON_OBJECT);
  KgJson *inputs = kg_json_new (KG_JSON_OBJECT), *outputs = kg_json_new (KG_JSON_OBJECT);
  g_autoptr (KgPreset) preset = NULL;

  kg_json_set (interface, "inputs", inputs);
  kg_json_set (interface, "outputs", outputs);
  kg_json_set (json, "kineograph_preset", kg_json_new_number (KG_PRESET_FORMAT));
  kg_json_set (json, "id", kg_json_new_string (id));
  kg_json_set (json, "version", kg_json_new_number (1));
  kg_json_set (json, "title", kg_json_new_string (title));
  kg_json_set (json, "summary", kg_json_new_string (""));
  kg_json_set (json, "help", kg_json_new_string (""));
  kg_json_set (json, "interface", interface);
  kg_json_set (json, "graph", inside);
  if (n == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "no nodes are given for the new preset");
    return NULL;
  }
  set = kg_node_set_new (nodes, n);
  if (!kg_graph_check_border (graph, set, false, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    g_hash_table_add (taken, g_strdup (nodes[i]->name));
  publish_inputs (nodes, n, set, inputs, taken);
  publish_outputs (nodes, n, set, outputs, taken);
  copy = copy_nodes (graph, nodes, n);
  g_return_val_if_fail (copy != NULL, NULL);
  kg_json_set (inside, "nodes", kg_json_copy (kg_json_get (copy, "nodes")));
  carry_older (json, copy, graph->types);
  preset = kg_preset_from_json (graph->types, json, "", problems);
  if (preset == NULL) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, 0);

    kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: %s", problem->pointer, problem->message);
    return NULL;
  }
  return kg_preset_to_text (preset);
}

/* The next version. */

/* The text of a constant of an interface node, as the preset's file has it. */
static void
describe_text (KgJson *entry, const KgNode *interface, const char *name)
{
  const int slot = kg_node_find_slot (interface, name);
  const KgSource *source = slot >= 0 ? &interface->inputs[slot].source : NULL;

  if (source != NULL && source->kind == KG_SOURCE_CONSTANT && source->constant.kind == KG_TEXT)
    kg_json_set (entry, name, kg_json_new_string (source->constant.text));
}

/* Only where it differs from what the definition found: an interface node has a text for what is a choice outside. */
static void
describe_kind (KgJson *entry, const KgNode *interface, const KgPreset *preset, const KgSlot *slot)
{
  const KgPublished *was = kg_preset_find_published (preset, interface->name);

  if (was == NULL || (was->kind == KG_CHOICE ? KG_TEXT : was->kind) != slot->kind)
    describe_text (entry, interface, "kind");
}

static void
set_input (KgJson *nodes, const KgNode *node, const KgSlot *slot, KgJson *source)
{
  KgJson *json = (KgJson *) kg_json_get (nodes, node->name);

  if (kg_json_get (json, "inputs") == NULL)
    kg_json_set (json, "inputs", kg_json_new (KG_JSON_OBJECT));
  kg_json_set ((KgJson *) kg_json_get (json, "inputs"), slot->name, source);
}

/* The inputs inside that an interface node feeds, and the default. */
static void
describe_drives (KgJson *entry, const KgNode *interface, KgJson *nodes)
{
  KgJson *drives = kg_json_new (KG_JSON_ARRAY);
  const guint value = (guint) kg_node_find_slot (interface, "value");
  const KgSource *source = &interface->inputs[value].source;
  const bool is_plain = source->kind == KG_SOURCE_DEFAULT || source->kind == KG_SOURCE_CONSTANT;

  for (guint i = 0; i < interface->users.n; i++) {
    const KgUser *user = &interface->users.items[i];
    const KgSlot *slot = &user->node->slots[user->input];
    const KgSourceKind kind = user->node->inputs[user->input].source.kind;
    g_autofree char *target = g_strdup_printf ("%s.%s", user->node->name, slot->name);

    if ((kind != KG_SOURCE_LINK && kind != KG_SOURCE_LIST) || kg_node_is_interface (user->node))
      continue;
    kg_json_append (drives, kg_json_new_string (target));
    /* What is not a constant cannot be a "default": the first input that it drives has it. */
    if (kg_json_get_n (drives) == 1 && !is_plain && !slot->list)
      set_input (nodes, user->node, slot, kg_source_to_json (source, &interface->slots[value]));
  }
  kg_json_set (entry, "drives", drives);
  kg_json_remove (entry, "default");
  if (source->kind == KG_SOURCE_CONSTANT)
    kg_json_set (entry, "default", kg_source_to_json (source, &interface->slots[value]));
}

static void
describe_from (KgJson *entry, const KgNode *interface)
{
  const int value = kg_node_find_slot (interface, "value");
  KgNode *from;
  guint output;

  kg_json_remove (entry, "from");
  if (value >= 0 && kg_node_get_link (interface, (guint) value, 0, &from, &output)) {
    g_autofree char *target =
        g_strdup_printf ("%s.%s", from->name, kg_node_get_link_name (interface, (guint) value, 0));

    kg_json_set (entry, "from", kg_json_new_string (target));
  }
}

/* The interface as the interface nodes inside are now; what they do not say is as it was. */
static KgJson *
describe_interface (const KgNode *node, const KgJson *old, KgJson *nodes)
{
  static const char *const parts[] = { "inputs", "outputs" };
  KgJson *json = kg_json_new (KG_JSON_OBJECT);

  for (guint part = 0; part < 2; part++) {
    const KgJson *before = old != NULL ? kg_json_get (old, parts[part]) : NULL;
    KgJson *entries = kg_json_new (KG_JSON_OBJECT);

    for (guint i = 0; i < node->n_slots; i++) {
      const KgNode *interface = node->interfaces[i];
      const KgJson *was = before != NULL ? kg_json_get (before, interface->name) : NULL;
      KgJson *entry;

      if ((part == 0) != kg_slot_is_input (&node->slots[i]))
        continue;
      entry = was != NULL ? kg_json_copy (was) : kg_json_new (KG_JSON_OBJECT);
      describe_kind (entry, interface, node->preset, &node->slots[i]);
      describe_text (entry, interface, "label");
      describe_text (entry, interface, "help");
      if (part == 0)
        describe_drives (entry, interface, nodes);
      else
        describe_from (entry, interface);
      kg_json_set (entries, interface->name, entry);
    }
    kg_json_set (json, parts[part], entries);
  }
  return json;
}

/* Whether an entry drives, or comes from, the first slot that the older one did. */
static bool
is_same_place (const KgJson *a, const KgJson *b, bool is_output)
{
  const KgJson *x = kg_json_get (a, is_output ? "from" : "drives"), *y = kg_json_get (b, is_output ? "from" : "drives");

  if (!is_output) {
    x = kg_json_is (x, KG_JSON_ARRAY) && kg_json_get_n (x) > 0 ? kg_json_get_item (x, 0) : NULL;
    y = kg_json_is (y, KG_JSON_ARRAY) && kg_json_get_n (y) > 0 ? kg_json_get_item (y, 0) : NULL;
  }
  return kg_json_is (x, KG_JSON_STRING) && kg_json_is (y, KG_JSON_STRING) &&
         g_str_equal (kg_json_get_string (x), kg_json_get_string (y));
}

/* Older names are still listed, and a slot with a new name in the same place was renamed. */
static void
describe_renamed (KgJson *json, const KgJson *old, const KgJson *now)
{
  const KgJson *before = kg_json_get (json, "renamed");
  g_autoptr (KgJson) renamed = before != NULL ? kg_json_copy (before) : kg_json_new (KG_JSON_OBJECT);
  static const char *const parts[] = { "inputs", "outputs" };

  for (guint part = 0; old != NULL && part < 2; part++) {
    const KgJson *were = kg_json_get (old, parts[part]), *are = kg_json_get (now, parts[part]);

    for (KgJsonIter was = kg_json_iterate (were); kg_json_next (&was);)
      for (KgJsonIter is = kg_json_iterate (are); kg_json_next (&is);)
        if (kg_json_get (are, was.name) == NULL && kg_json_get (were, is.name) == NULL &&
            is_same_place (was.value, is.value, part == 1)) {
          for (KgJsonIter earlier = kg_json_iterate (renamed); kg_json_next (&earlier);)
            if (g_str_equal (kg_json_get_string (earlier.value), was.name))
              kg_json_set (renamed, earlier.name, kg_json_new_string (is.name));
          kg_json_set (renamed, was.name, kg_json_new_string (is.name));
          break;
        }
  }
  kg_json_remove (json, "renamed");
  if (kg_json_get_n (renamed) > 0)
    kg_json_set (json, "renamed", g_steal_pointer (&renamed));
}

char *
kg_preset_pack_instance (const KgNode *node, guint version, GError **error)
{
  const KgPreset *preset = kg_node_get_preset (node);
  g_autoptr (GPtrArray) plain = g_ptr_array_new (), problems = kg_problems_new ();
  g_autoptr (KgJson) json = NULL, copy = NULL;
  g_autoptr (KgPreset) made = NULL;
  KgJson *inside, *nodes, *interface;

  g_return_val_if_fail (preset != NULL && node->inside != NULL, NULL);
  for (guint i = 0; i < node->inside->nodes->len; i++) {
    KgNode *inner = (KgNode *) g_ptr_array_index (node->inside->nodes, i);

    if (!kg_node_is_interface (inner))
      g_ptr_array_add (plain, inner);
  }
  copy = copy_nodes (node->inside, (KgNode *const *) plain->pdata, plain->len);
  g_return_val_if_fail (copy != NULL, NULL);
  nodes = kg_json_copy (kg_json_get (copy, "nodes"));
  json = kg_json_copy (kg_preset_get_json (preset));
  kg_json_set (json, "version", kg_json_new_number (version));
  interface = describe_interface (node, kg_json_get (json, "interface"), nodes);
  describe_renamed (json, kg_json_get (json, "interface"), interface);
  kg_json_set (json, "interface", interface);
  inside = kg_json_new (KG_JSON_OBJECT);
  kg_json_set (inside, "nodes", nodes);
  if (node->inside->display != NULL)
    kg_json_set (inside, "display", kg_json_new_string (node->inside->display));
  kg_json_set (json, "graph", inside);
  kg_json_remove (json, "presets");
  carry_older (json, copy, node->inside->types);
  made = kg_preset_from_json (node->inside->types, json, "", problems);
  if (made == NULL) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, 0);

    kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: %s", problem->pointer, problem->message);
    return NULL;
  }
  return kg_preset_to_text (made);
}
/* Replacing. */

/* What moves stays in sight: keys, and expressions that read nothing, are those of the instance as they were those of the
 * node. */
static bool
comes_out (const KgNode *inner, guint slot)
{
  const KgInput *input = &inner->inputs[slot];

  return input->source.kind == KG_SOURCE_KEYS || (input->source.kind == KG_SOURCE_TABLE && input->n_wires == 0) ||
         (input->source.kind == KG_SOURCE_EXPRESSION && input->expression != NULL &&
          kg_expression_get_n_references (input->expression) == 0);
}

/* What fed a published input outside, where it was linked: a link stays a link, keys and expressions move out, anything else is the
 * default inside.  Expressions outside that read the input read that of the instance. */
static void
link_input (KgGraph *graph, KgNode *instance, const KgPublished *published, GHashTable *set, GPtrArray *outside)
{
  const int own = kg_node_find_slot (instance, published->name);

  for (guint i = 0; own >= 0 && published->drives[i] != NULL; i++) {
    g_auto (GStrv) parts = g_strsplit (published->drives[i], ".", 2);
    KgNode *inner = kg_graph_find (graph, parts[0]), *from;
    const int slot = inner != NULL ? kg_node_find_slot (inner, parts[1]) : -1;
    guint output;

    if (slot < 0 || !g_hash_table_contains (set, inner))
      continue;
    if (i == 0 && kg_node_get_link (inner, (guint) slot, 0, &from, &output) && !g_hash_table_contains (set, from))
      kg_graph_link_item_by_name (graph, from, kg_node_get_link_name (inner, (guint) slot, 0), instance, (guint) own, 0,
                                  NULL);
    else if (i == 0 && comes_out (inner, (guint) slot))
      kg_graph_set_source (graph, instance, (guint) own, kg_node_get_source (inner, (guint) slot), NULL);
    kg_nodes_replace_name (outside, (KgSlotName){ inner->name, parts[1] },
                           (KgSlotName){ instance->name, published->name }, NULL);
  }
}

static void
link_output (KgGraph *graph, KgNode *instance, const KgPublished *published, GHashTable *set, GPtrArray *outside)
{
  const int own = kg_node_find_slot (instance, published->name);
  g_autoptr (GArray) readers = NULL;
  KgNode *inner;
  guint slot;

  if (own < 0 || !kg_graph_find_output (graph, published->from, &inner, &slot, NULL) ||
      !g_hash_table_contains (set, inner))
    return;
  readers = kg_node_dup_readers (inner);
  for (guint i = 0; i < readers->len; i++) {
    const KgReader *reader = &g_array_index (readers, KgReader, i);
    KgNode *from;
    guint output;

    if (!g_hash_table_contains (set, reader->to) &&
        kg_node_get_link (reader->to, reader->input, reader->item, &from, &output) && output == slot)
      kg_graph_link_item (graph, instance, (guint) own, reader->to, reader->input, reader->item, NULL);
  }
  kg_nodes_replace_name (outside, (KgSlotName){ inner->name, inner->slots[slot].name },
                         (KgSlotName){ instance->name, published->name }, NULL);
}

/* What was displayed of the nodes is displayed of the instance; what it does not publish gives way to its first output. */
static void
keep_display (KgGraph *graph, KgNode *instance, const KgPreset *preset, GHashTable *set)
{
  g_autofree char *display = NULL;
  KgNode *node, *from;
  guint slot, output;

  if (graph->display == NULL || !kg_graph_find_output (graph, graph->display, &node, &slot, NULL) ||
      !g_hash_table_contains (set, node))
    return;
  for (guint i = 0; i < kg_preset_get_n_published (preset); i++) {
    const KgPublished *published = kg_preset_get_published (preset, i);

    if (!published->is_output)
      continue;
    if (display == NULL)
      display = g_strdup_printf ("%s.%s", instance->name, published->name);
    if (!kg_graph_find_output (graph, published->from, &from, &output, NULL) || from != node || output != slot)
      continue;
    g_free (display);
    display = g_strdup_printf ("%s.%s", instance->name, published->name);
    break;
  }
  if (display != NULL)
    kg_graph_set_display (graph, display);
}

KgNode *
kg_graph_replace_by_preset (KgGraph *graph, KgNode *const *nodes, guint n, KgPreset *preset, GError **error)
{
  g_autoptr (GHashTable) set = kg_node_set_new (nodes, n);
  g_autoptr (GPtrArray) outside = g_ptr_array_new ();
  double x = 0, y = 0;
  KgNode *instance;

  g_return_val_if_fail (n > 0, NULL);
  for (guint i = 0; i < n; i++) {
    x += nodes[i]->x / n;
    y += nodes[i]->y / n;
  }
  for (guint i = 0; i < graph->nodes->len; i++)
    if (!g_hash_table_contains (set, g_ptr_array_index (graph->nodes, i)))
      g_ptr_array_add (outside, g_ptr_array_index (graph->nodes, i));
  kg_graph_add_preset (graph, preset);
  kg_graph_begin_group (graph, _ ("Replace with a preset"));
  instance = kg_graph_add (graph, kg_preset_get_id (preset), NULL, nearbyint (x), nearbyint (y), error);
  if (instance == NULL) {
    kg_graph_cancel_group (graph);
    return NULL;
  }
  for (guint i = 0; i < kg_preset_get_n_published (preset); i++) {
    const KgPublished *published = kg_preset_get_published (preset, i);

    if (published->is_output)
      link_output (graph, instance, published, set, outside);
    else
      link_input (graph, instance, published, set, outside);
  }
  keep_display (graph, instance, preset, set);
  if (!kg_graph_check_border (graph, set, true, error)) {
    kg_graph_cancel_group (graph);
    return NULL;
  }
  for (guint i = 0; i < n; i++)
    kg_graph_remove (graph, nodes[i]);
  kg_graph_end_group (graph);
  return instance;
}

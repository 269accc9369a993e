/* kg-preset-library: folders of presets, and making one of nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset.h"

#include "kg-file.h"
#include "kg-graph-private.h"
#include "kg-preset-store.h"
#include "kg-regular-file.h"
#include "kg-subnet.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAX_CHAIN 2000

/* One file of a folder, before the presets it is made of are known. */
typedef struct _Candidate Candidate;
struct _Candidate {
  char *path, *id;
  char *text; /* of the file, for the places of problems */
  gsize length;
  KgJson *json;
  GPtrArray *needs;                      /* char *: ids of types in it, borrowed from json */
  Candidate *next;                       /* (nullable) of that id too, should this one be wrong */
  enum { WAITING, READING, READ } state; /* of the first that has the id */
};

static void
candidate_free (gpointer data)
{
  Candidate *candidate = (Candidate *) data;

  g_free (candidate->path);
  g_free (candidate->id);
  g_free (candidate->text);
  g_clear_pointer (&candidate->json, kg_json_free);
  g_ptr_array_unref (candidate->needs);
  g_free (candidate);
}

/* Types of all nodes, sub-graphs too, without a graph being made of them. */
static void
collect_types (const KgJson *nodes, GPtrArray *types, guint depth)
{
  if (depth >= 2 * KG_GRAPH_MAX_NESTING)
    return;
  for (KgJsonIter member = kg_json_iterate (nodes); kg_json_next (&member);) {
    const KgJson *type = kg_json_get (member.value, "type"), *inside = kg_json_get (member.value, "graph");

    if (kg_json_is (type, KG_JSON_STRING))
      g_ptr_array_add (types, (gpointer) kg_json_get_string (type));
    if (inside != NULL)
      collect_types (kg_json_get (inside, "nodes"), types, depth + 1);
  }
}

/* The same of all that a file of a graph or preset has, with the definitions it carries. */
static void
collect_types_of_file (const KgJson *file, GPtrArray *types, guint depth)
{
  const KgJson *graph = kg_json_get (file, "graph"), *carried = kg_json_get (file, "presets");

  collect_types (kg_json_get (graph != NULL ? graph : file, "nodes"), types, 0);
  if (depth < KG_GRAPH_MAX_NESTING)
    for (KgJsonIter member = kg_json_iterate (carried); kg_json_next (&member);)
      collect_types_of_file (member.value, types, depth + 1);
}

static void
say (GPtrArray *problems, const char *path, GPtrArray *found)
{
  for (guint i = 0; i < found->len; i++) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (found, i);

    kg_problems_add_at (problems, problem->line, problem->column, problem->pointer, "%s: %s", path, problem->message);
  }
}

static Candidate *
read_candidate (const char *path, GPtrArray *problems)
{
  g_autoptr (GPtrArray) found = kg_problems_new ();
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (KgJson) json = NULL;
  const KgJson *id;
  Candidate *candidate;
  gsize length;

  text = kg_regular_file_read (path, "a preset", &length, &error);
  if (text == NULL) {
    kg_problems_add (problems, NULL, "", "%s", error->message);
    return NULL;
  }
  json = kg_json_parse (text, (gssize) length, found);
  id = json != NULL ? kg_json_get (json, "id") : NULL;
  if (json != NULL && !kg_json_is (id, KG_JSON_STRING))
    kg_problems_add (found, json, "", "not a preset: there is no \"id\"");
  kg_problems_locate (found, json, text, (gssize) length);
  say (problems, path, found);
  if (found->len > 0)
    return NULL;
  candidate = g_new0 (Candidate, 1);
  candidate->path = g_strdup (path);
  candidate->id = g_strdup (kg_json_get_string (id));
  candidate->needs = g_ptr_array_new ();
  collect_types_of_file (json, candidate->needs, 0);
  candidate->json = g_steal_pointer (&json);
  candidate->text = g_steal_pointer (&text);
  candidate->length = length;
  return candidate;
}

GPtrArray *
kg_preset_list_folder (const char *folder)
{
  return kg_regular_file_list (folder, KG_PRESET_SUFFIX);
}

typedef struct {
  GHashTable *by_id; /* id -> Candidate */
  KgTypes *types;
  GPtrArray *chain;    /* ids being read, from the outside in */
  GHashTable *refused; /* id -> why it cannot be used, known to types too */
  GPtrArray *problems;
} Loader;

/* (nullable) Why a preset that the candidate is made of was refused, if that is all the problem says. */
static const char *
find_cause (const Loader *loader, const Candidate *candidate, const KgProblem *problem)
{
  for (guint i = 0; i < candidate->needs->len; i++) {
    const char *id = (const char *) g_ptr_array_index (candidate->needs, i);
    const char *cause = kg_types_find_refusal (loader->types, id);
    g_autoptr (GError) error = cause != NULL ? kg_types_new_unknown_error (loader->types, id) : NULL;

    if (error != NULL && g_str_equal (problem->message, error->message))
      return cause;
  }
  return NULL;
}

/* Keeps why it cannot be used.  Of a circle that was told no more is said for each preset in it; the cause of what is made of
 * a wrong preset is that one, so that texts do not grow with what is made of it. */
static void
refuse (Loader *loader, const Candidate *candidate, GPtrArray *found)
{
  const char *circle = (const char *) g_hash_table_lookup (loader->refused, candidate->id);

  for (guint i = found->len; circle != NULL && i-- > 0;)
    if (g_strcmp0 (find_cause (loader, candidate, (const KgProblem *) g_ptr_array_index (found, i)), circle) == 0)
      g_ptr_array_remove_index (found, i);
  if (circle == NULL && found->len > 0) {
    const KgProblem *first = (const KgProblem *) g_ptr_array_index (found, 0);
    const char *cause = find_cause (loader, candidate, first);

    g_hash_table_insert (loader->refused, g_strdup (candidate->id),
                         cause != NULL ? g_strdup (cause)
                                       : g_strdup_printf ("%s: %s", candidate->path, first->message));
  }
}

static bool
add_read (Loader *loader, Candidate *candidate)
{
  g_autoptr (GPtrArray) found = kg_problems_new ();
  g_autoptr (KgPreset) preset = kg_preset_from_json (loader->types, candidate->json, "", found);
  KgTypes *types;

  if (preset == NULL)
    refuse (loader, candidate, found);
  kg_problems_locate (found, candidate->json, candidate->text, (gssize) candidate->length);
  say (loader->problems, candidate->path, found);
  if (preset == NULL)
    return false;
  g_hash_table_remove (loader->refused, candidate->id);
  kg_preset_set_path (preset, candidate->path);
  types = kg_types_add_preset (loader->types, preset);
  kg_types_unref (loader->types);
  loader->types = types;
  return true;
}

static void
refuse_recursion (Loader *loader, const Candidate *candidate)
{
  g_autoptr (GString) chain = g_string_new (NULL);
  g_autofree char *why = NULL;
  guint first = 0;

  while (!g_str_equal (g_ptr_array_index (loader->chain, first), candidate->id))
    first++;
  for (guint i = first; i < loader->chain->len; i++)
    g_string_append_printf (chain, "%s → ", (const char *) g_ptr_array_index (loader->chain, i));
  why = g_strdup_printf (kg_translate ("%s: the preset would hold itself: %s%s"), candidate->path, chain->str,
                         candidate->id);
  kg_problems_add (loader->problems, NULL, "/graph", "%s", why);
  for (guint i = first; i < loader->chain->len; i++)
    g_hash_table_replace (loader->refused, g_strdup ((const char *) g_ptr_array_index (loader->chain, i)),
                          g_strdup (why));
}

static void read_id (Loader *loader, Candidate *first);

/* The presets it is made of.  How deep presets may nest is seen when they are read, from the innermost out; here the depth
 * is bounded only by what the stack holds, as those on the way down are not too deep themselves. */
static void
read_needed (Loader *loader, const Candidate *candidate)
{
  for (guint i = 0; i < candidate->needs->len; i++) {
    Candidate *needed = (Candidate *) g_hash_table_lookup (loader->by_id, g_ptr_array_index (candidate->needs, i));

    if (needed == NULL)
      continue;
    if (needed->state == READING)
      refuse_recursion (loader, needed);
    else if (needed->state == WAITING && loader->chain->len >= MAX_CHAIN) {
      char *why = g_strdup_printf (kg_translate ("%s: presets nest more than %d deep"), needed->path, MAX_CHAIN);

      kg_problems_add (loader->problems, NULL, "/graph", "%s", why);
      g_hash_table_replace (loader->refused, g_strdup (needed->id), why);
    } else if (needed->state == WAITING)
      read_id (loader, needed);
  }
}

/* The first file of an id that is a preset: one that is broken does not hide those behind it. */
static void
read_id (Loader *loader, Candidate *first)
{
  bool found = false;

  first->state = READING;
  g_ptr_array_add (loader->chain, first->id);
  for (Candidate *candidate = first; candidate != NULL && !found; candidate = candidate->next) {
    read_needed (loader, candidate);
    found = add_read (loader, candidate);
    if (found && candidate != first)
      kg_problems_add (loader->problems, NULL, "/id", "%s: \"%s\" is read from here, because %s cannot be used",
                       candidate->path, candidate->id, first->path);
  }
  g_ptr_array_set_size (loader->chain, loader->chain->len - 1);
  first->state = READ;
}

/* A folder that is named twice is read once. */
static bool
is_named_before (const char *const *folders, guint index)
{
  g_autofree char *path = g_canonicalize_filename (folders[index], NULL);

  for (guint i = 0; i < index; i++) {
    g_autofree char *other = g_canonicalize_filename (folders[i], NULL);

    if (g_str_equal (path, other))
      return true;
  }
  return false;
}

/* wanted: (nullable) only these ids, and what they are made of. */
static KgTypes *
load_presets (KgTypes *base, const char *const *folders, GHashTable *wanted, GPtrArray *problems)
{
  g_autoptr (GPtrArray) candidates = g_ptr_array_new_with_free_func (candidate_free);
  g_autoptr (GHashTable) by_id = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  g_autoptr (GHashTable) refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Loader loader = { by_id, kg_types_derive (base), chain, refused, problems };

  kg_types_set_refused (loader.types, refused);
  for (guint f = 0; folders[f] != NULL; f++) {
    g_autoptr (GPtrArray) paths = NULL;

    if (is_named_before (folders, f))
      continue;
    paths = kg_preset_list_folder (folders[f]);
    for (guint i = 0; i < paths->len; i++) {
      Candidate *candidate = read_candidate ((const char *) g_ptr_array_index (paths, i), problems);
      Candidate *other;

      if (candidate == NULL)
        continue;
      g_ptr_array_add (candidates, candidate);
      other = (Candidate *) g_hash_table_lookup (by_id, candidate->id);
      if (other == NULL)
        g_hash_table_insert (by_id, candidate->id, candidate);
      else {
        g_autofree char *here = g_path_get_dirname (candidate->path), *there = g_path_get_dirname (other->path);

        /* In another folder it is meant: the first folder wins. */
        if (g_str_equal (here, there)) {
          kg_problems_add (problems, kg_json_get (candidate->json, "id"), "/id", "%s: the id \"%s\" is that of %s too",
                           candidate->path, candidate->id, other->path);
          kg_problems_locate (problems, candidate->json, candidate->text, (gssize) candidate->length);
        }
        while (other->next != NULL)
          other = other->next;
        other->next = candidate;
      }
    }
  }
  for (guint i = 0; i < candidates->len; i++) {
    Candidate *candidate = (Candidate *) g_ptr_array_index (candidates, i);

    if (candidate->state == WAITING && g_hash_table_lookup (by_id, candidate->id) == candidate &&
        (wanted == NULL || g_hash_table_contains (wanted, candidate->id)))
      read_id (&loader, candidate);
  }
  kg_types_set_preset_folders (loader.types, folders);
  return loader.types;
}

KgTypes *
kg_types_load_presets (KgTypes *base, const char *const *folders, GPtrArray *problems)
{
  return load_presets (base, folders, NULL, problems);
}

KgGraph *
kg_graph_load_with_presets (KgTypes *base, const char *const *folders, const char *path, GPtrArray *preset_problems,
                            GPtrArray *problems)
{
  g_autoptr (GHashTable) wanted = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  gsize length = 0;
  g_autofree char *text = kg_file_read (path, &length, problems);
  g_autoptr (KgJson) json = text != NULL ? kg_json_parse_on (text, (gssize) length, problems) : NULL;
  g_autoptr (KgTypes) types = NULL;
  KgGraph *graph;

  if (json == NULL)
    return NULL;
  collect_types_of_file (json, ids, 0);
  for (guint i = 0; i < ids->len; i++)
    g_hash_table_add (wanted, g_ptr_array_index (ids, i));
  types = load_presets (base, folders, wanted, preset_problems);
  graph = kg_graph_from_file (types, json, path, problems);
  kg_problems_locate (problems, json, text, (gssize) length);
  return graph;
}

char **
kg_preset_dup_folders (const char *graph_folder, const char *built_in)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const char *path = g_getenv ("KINEOGRAPH_PRESET_PATH");
  g_autofree char *user = kg_preset_dup_user_folder ();

  if (graph_folder != NULL) {
    g_autofree char *beside = g_build_filename (graph_folder, "presets", NULL);

    g_strv_builder_add (builder, beside);
  }
  if (path != NULL) {
    g_auto (GStrv) parts = g_strsplit (path, G_SEARCHPATH_SEPARATOR_S, -1);

    for (guint i = 0; parts[i] != NULL; i++)
      if (*parts[i] != '\0')
        g_strv_builder_add (builder, parts[i]);
  }
  g_strv_builder_add (builder, user);
  if (built_in != NULL)
    g_strv_builder_add (builder, built_in);
  return g_strv_builder_end (builder);
}

/* Packing. */

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
  if (kg_slot_has_range (declared) && isfinite (declared->min) && isfinite (declared->max)) {
    kg_json_set (json, "min", kg_json_new_number (declared->min));
    kg_json_set (json, "max", kg_json_new_number (declared->max));
  }
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
      else if (input->source.kind == KG_SOURCE_KEYS && nodes[i]->slots[s].kind != KG_MOTION)
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

void
kg_preset_carry_older (KgJson *json, const KgJson *copy, const KgTypes *types)
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
  g_autofree char *copied = NULL;
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
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "no nodes are given to make a preset of");
    return NULL;
  }
  set = kg_node_set_new (nodes, n);
  if (!kg_graph_check_border (graph, set, false, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    g_hash_table_add (taken, g_strdup (nodes[i]->name));
  publish_inputs (nodes, n, set, inputs, taken);
  publish_outputs (nodes, n, set, outputs, taken);
  copied = kg_graph_copy (graph, nodes, n);
  copy = kg_json_parse (copied, -1, problems);
  g_return_val_if_fail (copy != NULL, NULL);
  kg_json_set (inside, "nodes", kg_json_copy (kg_json_get (copy, "nodes")));
  kg_preset_carry_older (json, copy, graph->types);
  preset = kg_preset_from_json (graph->types, json, "", problems);
  if (preset == NULL) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, 0);

    kg_set_error (error, KG_ERROR_INVALID_FILE, "%s: %s", problem->pointer, problem->message);
    return NULL;
  }
  return kg_preset_to_text (preset);
}

/* Instances. */

void
kg_graph_add_preset (KgGraph *graph, KgPreset *preset)
{
  KgGraph *root = kg_graph_get_root (graph);
  g_autoptr (GPtrArray) instances = kg_graph_find_instances (root, kg_preset_get_id (preset));
  g_autoptr (KgTypes) types = NULL;

  if (instances->len > 0)
    return;
  types = kg_types_add_preset (root->types, preset);
  kg_graph_log_preset (root, preset);
  kg_graph_set_types (root, types);
}

/* What fed a published input outside, where it was linked: a link stays one, anything else is the default inside.
 * Expressions outside that read the input read that of the instance. */
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
    kg_nodes_replace_name (outside, (KgSlotName){ inner->name, parts[1] },
                           (KgSlotName){ instance->name, published->name });
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
                         (KgSlotName){ instance->name, published->name });
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
  kg_graph_begin_group (graph, _ ("Replace by a preset"));
  instance = kg_graph_add (graph, kg_preset_get_id (preset), NULL, nearbyint (x), nearbyint (y), error);
  if (instance == NULL) {
    kg_graph_cancel_group (graph);
    return NULL;
  }
  for (guint i = 0; i < kg_preset_get_n_published (preset); i++) {
    const KgPublished *published = kg_preset_get_published (preset, i);

    if (published->is_output) {
      link_output (graph, instance, published, set, outside);
      if (g_strcmp0 (graph->display, published->from) == 0) {
        g_autofree char *display = g_strdup_printf ("%s.%s", instance->name, published->name);

        kg_graph_set_display (graph, display);
      }
    } else
      link_input (graph, instance, published, set, outside);
  }
  if (!kg_graph_check_border (graph, set, true, error)) {
    kg_graph_cancel_group (graph);
    return NULL;
  }
  for (guint i = 0; i < n; i++)
    kg_graph_remove (graph, nodes[i]);
  kg_graph_end_group (graph);
  return instance;
}

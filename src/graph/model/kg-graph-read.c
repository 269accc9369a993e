/* kg-graph-read: graphs from JSON, after the file floor has checked its format and presets.
 *
 * Reading goes in three passes, so that nodes may link to nodes that come later: first all nodes (and what is
 * inside of sub-graphs), then all sources, then, as the kind of an output may depend on what a node reads, the
 * kinds of all links.  Every problem is reported; the graph is given out only if there is none.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"
#include "kg-suggest.h"

typedef struct {
  GPtrArray *problems;
  GString *pointer; /* to the value being read */
  /* (element-type char *) Pointers to what problems of the JSON are about: of nodes whose name occurs twice, only the first one is
   * read, and may not be the one that is meant. */
  GHashTable *doubtful;
} Reader;

/* The pointer with one more name; give the result to pop. */
static gsize
push (Reader *reader, const char *name)
{
  const gsize length = reader->pointer->len;

  g_string_append_c (reader->pointer, '/');
  /* Nearly always: every value that is read is pushed. */
  if (strpbrk (name, "~/") == NULL) {
    g_string_append (reader->pointer, name);
    return length;
  }
  for (; *name != '\0'; name++)
    if (*name == '~')
      g_string_append (reader->pointer, "~0");
    else if (*name == '/')
      g_string_append (reader->pointer, "~1");
    else
      g_string_append_c (reader->pointer, *name);
  return length;
}

static void
pop (Reader *reader, gsize length)
{
  g_string_truncate (reader->pointer, length);
}

static void
report_error (Reader *reader, const KgJson *where, GError *error)
{
  kg_problems_add (reader->problems, where, reader->pointer->str, "%s", error->message);
  g_error_free (error);
}

/* Whether a source is a link to a node of the same graph that is doubtful. */
static bool
links_to_doubtful (const Reader *reader, const KgJson *source)
{
  const KgJson *link = kg_json_is (source, KG_JSON_OBJECT) ? kg_json_get (source, "link") : NULL;
  const char *nodes = g_strrstr (reader->pointer->str, "/nodes/");
  g_autofree char *target = NULL;

  if (link == NULL || !kg_json_is (link, KG_JSON_STRING) || nodes == NULL)
    return false;
  target = g_strdup_printf ("%.*s/nodes/%.*s", (int) (nodes - reader->pointer->str), reader->pointer->str,
                            (int) strcspn (kg_json_get_string (link), "."), kg_json_get_string (link));
  return g_hash_table_contains (reader->doubtful, target);
}

/* What is wrong with a source; nothing where that may come from a problem that is reported already. */
static void
report_source (Reader *reader, const KgJson *source, GError *error)
{
  if (reader->doubtful != NULL && source != NULL && links_to_doubtful (reader, source))
    g_error_free (error);
  else
    report_error (reader, source, error);
}

static bool
expect (Reader *reader, const KgJson *json, KgJsonKind kind)
{
  if (kg_json_get_kind (json) == kind)
    return true;
  kg_problems_add (reader->problems, json, reader->pointer->str, "expected %s, found %s", kg_json_kind_name (kind),
                   kg_json_kind_name (kg_json_get_kind (json)));
  return false;
}

/* Reports every name of the object that is not among names. */
static void
check_names (Reader *reader, const KgJson *json, const char *const *names)
{
  for (KgJsonIter member = kg_json_iterate (json); kg_json_next (&member);)
    if (!g_strv_contains (names, member.name)) {
      const gsize length = push (reader, member.name);
      g_autofree char *hint = kg_suggest (member.name, names);

      kg_problems_add (reader->problems, member.value, reader->pointer->str, "unknown name \"%.100s\"%s", member.name,
                       hint);
      pop (reader, length);
    }
}

static bool
read_number (Reader *reader, const KgJson *json, const char *name, double *number)
{
  const KgJson *item = kg_json_get (json, name);
  gsize length;
  bool good;

  if (item == NULL)
    return true;
  length = push (reader, name);
  good = expect (reader, item, KG_JSON_NUMBER) && !kg_json_is_wrong (item);
  if (good)
    *number = kg_json_get_number (item);
  pop (reader, length);
  return good;
}

/* (nullable) */
static const char *
read_string (Reader *reader, const KgJson *json, const char *name)
{
  const KgJson *item = kg_json_get (json, name);
  const gsize length = push (reader, name);
  const bool good = item != NULL && expect (reader, item, KG_JSON_STRING);

  pop (reader, length);
  return good ? kg_json_get_string (item) : NULL;
}

static void
read_frames (Reader *reader, const KgJson *json, KgGraph *graph)
{
  static const char *const names[] = { "start", "end", "rate", NULL };
  const gsize length = push (reader, "frames");
  KgFrames frames = kg_graph_get_frames (graph);
  GError *error = NULL;

  if (expect (reader, json, KG_JSON_OBJECT)) {
    check_names (reader, json, names);
    if (read_number (reader, json, "start", &frames.start) && read_number (reader, json, "end", &frames.end) &&
        read_number (reader, json, "rate", &frames.rate) && !kg_graph_set_frames (graph, frames, &error))
      report_error (reader, json, error);
  }
  pop (reader, length);
}

static void read_nodes (Reader *reader, const KgJson *json, KgGraph *graph);
static void read_all_sources (Reader *reader, const KgJson *json, KgGraph *graph);
static void check_all_kinds (Reader *reader, const KgJson *json, KgGraph *graph);

static void
read_position (Reader *reader, const KgJson *json, double *x, double *y)
{
  const KgJson *at = kg_json_get (json, "at");
  gsize length;

  *x = *y = 0;
  if (at == NULL)
    return;
  length = push (reader, "at");
  if (!kg_json_is (at, KG_JSON_ARRAY) || kg_json_get_n (at) != 2 ||
      !kg_json_is (kg_json_get_item (at, 0), KG_JSON_NUMBER) || !kg_json_is (kg_json_get_item (at, 1), KG_JSON_NUMBER))
    kg_problems_add (reader->problems, at, reader->pointer->str, "expected [x, y]");
  else {
    *x = kg_json_get_number (kg_json_get_item (at, 0));
    *y = kg_json_get_number (kg_json_get_item (at, 1));
  }
  pop (reader, length);
}

static void
check_version (Reader *reader, const KgJson *json, const KgNodeType *type)
{
  double version = 1;

  if (read_number (reader, json, "version", &version) && !(version >= 1 && version <= type->version)) {
    const gsize length = push (reader, "version");

    kg_problems_add (reader->problems, kg_json_get (json, "version"), reader->pointer->str,
                     "version %g of %s is not supported by this program, which has version %u: use a newer program",
                     version, type->id, type->version);
    pop (reader, length);
  }
}

static void
read_bypass (Reader *reader, const KgJson *json, KgGraph *graph, KgNode *node)
{
  const KgJson *bypass = kg_json_get (json, "bypass");
  const gsize length = push (reader, "bypass");

  if (bypass != NULL && !kg_json_is (bypass, KG_JSON_TRUE) && !kg_json_is (bypass, KG_JSON_FALSE))
    kg_problems_add (reader->problems, bypass, reader->pointer->str, "\"bypass\" must be true or false");
  else
    kg_graph_set_bypass (graph, node, kg_json_is (bypass, KG_JSON_TRUE));
  pop (reader, length);
}

static void
read_stage (Reader *reader, const KgJson *json, KgGraph *graph, KgNode *node)
{
  const char *stage = read_string (reader, json, "stage");
  const gsize length = push (reader, "stage");
  guint i = 0;

  while (stage != NULL && kg_stage_nicks[i] != NULL && !g_str_equal (stage, kg_stage_nicks[i]))
    i++;
  if (kg_stage_nicks[i] != NULL)
    kg_graph_set_stage (graph, node, (KgStage) i);
  else
    kg_problems_add (reader->problems, kg_json_get (json, "stage"), reader->pointer->str,
                     "\"stage\" must be \"shown\", \"template\" or \"off\"");
  pop (reader, length);
}

/* The nodes of a sub-graph, without their sources. */
static void
read_inside (Reader *reader, const KgJson *json, KgNode *node)
{
  static const char *const names[] = { "nodes", "display", NULL };
  KgGraph *inside = kg_node_get_graph (node);
  const gsize length = push (reader, "graph");

  if (inside == NULL)
    kg_problems_add (reader->problems, json, reader->pointer->str, "a node of type %s cannot contain a graph",
                     kg_node_get_type_id (node));
  else if (expect (reader, json, KG_JSON_OBJECT)) {
    check_names (reader, json, names);
    /* An instance of a preset that is saved with its nodes is one that was edited. */
    if (kg_node_get_preset (node) != NULL) {
      kg_graph_set_unlocked (kg_node_get_parent (node), node, true);
      while (kg_graph_get_n_nodes (inside) > 0)
        kg_graph_remove (inside, kg_graph_get_node (inside, kg_graph_get_n_nodes (inside) - 1));
    }
    if (kg_json_get (json, "nodes") != NULL)
      read_nodes (reader, kg_json_get (json, "nodes"), inside);
    if (kg_json_get (json, "display") != NULL)
      kg_graph_set_display (inside, read_string (reader, json, "display"));
  }
  pop (reader, length);
}

static double
get_version (const KgJson *json)
{
  const KgJson *version = kg_json_get (json, "version");

  return kg_json_is (version, KG_JSON_NUMBER) ? kg_json_get_number (version) : 1;
}

/* What was set on inputs that the definition of an instance no longer has. */
static void
read_aside (Reader *reader, const KgJson *json, KgGraph *graph, KgNode *node)
{
  const gsize length = push (reader, "aside");
  GError *error = NULL;

  if (kg_node_get_preset (node) == NULL)
    kg_problems_add (reader->problems, json, reader->pointer->str,
                     "only instances of presets can have values kept aside");
  else if (!kg_aside_check (json, &error))
    report_error (reader, json, error);
  else if (kg_json_get_n (json) > 0)
    kg_graph_set_aside (graph, node, kg_json_copy (json));
  pop (reader, length);
}

/* An instance in a file that does not carry its definition, if the definition that is found is newer. */
static bool
is_older_instance (const KgJson *json, const KgNode *node)
{
  return kg_node_get_preset (node) != NULL && !kg_node_is_unlocked (node) &&
         get_version (json) < kg_node_get_type (node)->version;
}

/* (nullable) */
static const KgNodeType *
find_version (KgGraph *graph, const char *type_id, double version)
{
  return version >= 1 && version <= 1e6 ? kg_types_find_version (kg_graph_get_types (graph), type_id, (guint) version)
                                        : NULL;
}

/* (nullable) The type that a node of a file has here. */
static const KgNodeType *
find_type (KgGraph *graph, const char *type_id, const KgJson *json)
{
  const KgNodeType *type = kg_types_find (kg_graph_get_types (graph), type_id);

  /* If the file has several definitions: the one that the instance was made with. */
  if (kg_type_get_preset (type) != NULL && get_version (json) != type->version) {
    const KgNodeType *exact = find_version (graph, type_id, get_version (json));

    type = exact != NULL ? exact : type;
  }
  /* A preset that is older here than the instance: the instance is kept as it is, like one of an unknown type. */
  return kg_type_get_preset (type) != NULL && get_version (json) > type->version ? NULL : type;
}

bool
kg_graph_check_unknown (KgGraph *graph, const char *type_id, const KgJson *json, GError **error)
{
  const KgJson *type = kg_json_get (json, "type");

  if (!kg_json_is (json, KG_JSON_OBJECT))
    kg_set_error (error, KG_ERROR_INVALID_FILE, "a node must be an object as in a graph file, not %s",
                  kg_json_kind_name (kg_json_get_kind (json)));
  else if (type == NULL)
    kg_set_error (error, KG_ERROR_INVALID_FILE, "\"type\" is missing: every node needs one");
  else if (g_strcmp0 (kg_json_get_string (type), type_id) != 0)
    kg_set_error (error, KG_ERROR_INVALID_FILE, "\"type\" must be \"%.100s\", as in front of the name", type_id);
  else if (find_type (graph, type_id, json) != NULL)
    kg_set_error (error, KG_ERROR_INVALID_FILE, "the node type \"%.100s\" is known: use add and set", type_id);
  else
    return true;
  return false;
}

/* Everything about a node but its sources. */
static void
read_node (Reader *reader, const char *name, const KgJson *json, KgGraph *graph)
{
  static const char *const names[] = { "type",    "at",     "color", "comment", "bypass", "stage",
                                       "version", "inputs", "graph", "aside",   NULL };
  const KgNodeType *type;
  const char *type_id;
  GError *error = NULL;
  KgNode *node;
  double x, y;

  if (!expect (reader, json, KG_JSON_OBJECT))
    return;
  if (kg_json_get (json, "type") == NULL) {
    kg_problems_add (reader->problems, json, reader->pointer->str, "\"type\" is missing: every node needs one");
    return;
  }
  type_id = read_string (reader, json, "type");
  if (type_id == NULL)
    return;
  type = find_type (graph, type_id, json);
  if (type == NULL) {
    node = kg_graph_add_unknown (graph, type_id, name, kg_json_copy (json), &error);
    if (node == NULL)
      report_error (reader, json, error);
    return;
  }
  check_names (reader, json, names);
  read_position (reader, json, &x, &y);
  node = kg_graph_add_of_type (graph, type, name, x, y, &error);
  if (node == NULL) {
    report_error (reader, json, error);
    return;
  }
  check_version (reader, json, type);
  if (kg_json_get (json, "color") != NULL)
    kg_graph_set_color (graph, node, read_string (reader, json, "color"));
  if (kg_json_get (json, "comment") != NULL)
    kg_graph_set_node_comment (graph, node, read_string (reader, json, "comment"));
  read_bypass (reader, json, graph, node);
  if (kg_json_get (json, "stage") != NULL)
    read_stage (reader, json, graph, node);
  if (kg_json_get (json, "aside") != NULL)
    read_aside (reader, kg_json_get (json, "aside"), graph, node);
  if (kg_json_get (json, "graph") != NULL)
    read_inside (reader, kg_json_get (json, "graph"), node);
}

static void
read_nodes (Reader *reader, const KgJson *json, KgGraph *graph)
{
  const gsize length = push (reader, "nodes");

  if (expect (reader, json, KG_JSON_OBJECT))
    for (KgJsonIter member = kg_json_iterate (json); kg_json_next (&member);) {
      const gsize inner = push (reader, member.name);

      read_node (reader, member.name, member.value, graph);
      pop (reader, inner);
    }
  pop (reader, length);
}

static void
report_unknown_input (Reader *reader, const KgJson *where, KgNode *node, const char *name)
{
  g_autofree char *hint = kg_node_suggest_slot (node, name, KG_SLOT_INPUT);

  kg_problems_add (reader->problems, where, reader->pointer->str, "%s has no input \"%.100s\"%s",
                   kg_node_get_type_id (node), name, hint);
}

static void
read_inputs (Reader *reader, const KgJson *json, KgGraph *graph, KgNode *node, bool is_old)
{
  for (KgJsonIter member = kg_json_iterate (json); kg_json_next (&member);) {
    const gsize length = push (reader, member.name);
    const int slot = kg_node_find_slot (node, member.name);
    g_auto (KgSource) source = KG_SOURCE_INIT;
    GError *error = NULL;

    if (is_old)
      kg_node_read_old_input (graph, node, member.name, member.value);
    else if (slot < 0 || kg_node_get_slot (node, (guint) slot)->role != KG_SLOT_INPUT)
      report_unknown_input (reader, member.value, node, member.name);
    else if (!kg_source_from_json (member.value, kg_node_get_slot (node, (guint) slot), &source, &error) ||
             !kg_graph_read_source (graph, node, (guint) slot, &source, &error))
      report_source (reader, member.value, error);
    pop (reader, length);
  }
}

/* *migrated (transfer full): the inputs as the current version of the type has them, if the file has another. */
static bool
migrate_inputs (Reader *reader, const KgJson *json, const KgJson *inputs, const KgNodeType *type, KgJson **migrated)
{
  const KgJson *version = kg_json_get (json, "version");
  const guint number = kg_json_is (version, KG_JSON_NUMBER) ? (guint) kg_clamp (kg_json_get_number (version), 1, 1e6)
                                                            : 1;
  g_autoptr (KgJson) copy = NULL;
  GError *error = NULL;

  if (number >= type->version || type->migrate == NULL)
    return true;
  copy = kg_json_new (KG_JSON_OBJECT);
  for (KgJsonIter member = kg_json_iterate (inputs); kg_json_next (&member);)
    kg_json_set (copy, member.name, kg_json_ref (member.value));
  if (!type->migrate (copy, number, &error)) {
    report_error (reader, inputs, error);
    return false;
  }
  *migrated = g_steal_pointer (&copy);
  return true;
}

/* (nullable) The sources inside of a sub-graph. */
static const KgJson *
get_inside (const KgJson *json, const KgNode *node)
{
  const KgJson *inside = kg_node_get_graph (node) != NULL ? kg_json_get (json, "graph") : NULL;

  return inside != NULL ? kg_json_get (inside, "nodes") : NULL;
}

static void
read_node_sources (Reader *reader, const char *name, const KgJson *json, KgGraph *graph)
{
  KgNode *node = kg_graph_find (graph, name);
  const KgJson *inputs = kg_json_get (json, "inputs"), *inside;
  gsize length;

  if (node == NULL || kg_node_get_type (node) == NULL || !kg_json_is (json, KG_JSON_OBJECT))
    return;
  /* From the inside out: what an input of a sub-graph takes is known once its inside is. */
  inside = get_inside (json, node);
  if (inside != NULL) {
    length = push (reader, "graph");
    read_all_sources (reader, inside, kg_node_get_graph (node));
    pop (reader, length);
  }
  if (inputs == NULL)
    return;
  length = push (reader, "inputs");
  if (expect (reader, inputs, KG_JSON_OBJECT)) {
    g_autoptr (KgJson) migrated = NULL;

    if (migrate_inputs (reader, json, inputs, kg_node_get_type (node), &migrated))
      read_inputs (reader, migrated != NULL ? migrated : inputs, graph, node, is_older_instance (json, node));
  }
  pop (reader, length);
}

static void
read_all_sources (Reader *reader, const KgJson *json, KgGraph *graph)
{
  const gsize length = push (reader, "nodes");

  for (KgJsonIter member = kg_json_iterate (json); kg_json_next (&member);) {
    const gsize inner = push (reader, member.name);

    read_node_sources (reader, member.name, member.value, graph);
    pop (reader, inner);
  }
  pop (reader, length);
}

static void
check_node_kinds (Reader *reader, const KgJson *json, KgNode *node)
{
  const KgJson *inside = get_inside (json, node);
  gsize length;

  if (inside != NULL) {
    length = push (reader, "graph");
    check_all_kinds (reader, inside, kg_node_get_graph (node));
    pop (reader, length);
  }
  length = push (reader, "inputs");
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    GError *error = NULL;

    if (kg_input_check_kinds (node, i, &error))
      continue;
    if (is_older_instance (json, node)) {
      kg_node_put_aside (kg_node_get_parent (node), node, i);
      g_error_free (error);
    } else {
      /* (A migrated input may have had another name.) */
      const char *name = kg_node_get_slot (node, i)->name;
      const KgJson *inputs = kg_json_get (json, "inputs"), *source = kg_json_get (inputs, name);
      const gsize inner = push (reader, name);

      report_source (reader, source != NULL ? source : inputs, error);
      pop (reader, inner);
    }
  }
  pop (reader, length);
}

static void
check_all_kinds (Reader *reader, const KgJson *json, KgGraph *graph)
{
  const gsize length = push (reader, "nodes");

  for (KgJsonIter member = kg_json_iterate (json); kg_json_next (&member);) {
    KgNode *node = kg_graph_find (graph, member.name);
    const gsize inner = push (reader, member.name);

    if (node != NULL && kg_node_get_type (node) != NULL)
      check_node_kinds (reader, member.value, node);
    pop (reader, inner);
  }
  pop (reader, length);
}

KgGraph *
kg_graph_read_json (KgTypes *types, const KgJson *json, GPtrArray *problems)
{
  static const char *const names[] = {
    "kineograph", "title", "comment", "frames", "presets", "nodes", "display", NULL
  };
  g_autoptr (GString) pointer = g_string_new (NULL);
  g_autoptr (KgGraph) graph = NULL;
  g_autoptr (GHashTable) doubtful = problems->len > 0 ? g_hash_table_new (g_str_hash, g_str_equal) : NULL;
  Reader reader = { problems, pointer, doubtful };

  for (guint i = 0; i < problems->len; i++)
    g_hash_table_add (doubtful, ((const KgProblem *) g_ptr_array_index (problems, i))->pointer);
  graph = kg_graph_new (types);
  kg_graph_set_recording (graph, false);
  check_names (&reader, json, names);
  if (kg_json_get (json, "title") != NULL) {
    const char *title = read_string (&reader, json, "title");

    kg_graph_set_title (graph, title != NULL ? title : "");
  }
  if (kg_json_get (json, "comment") != NULL) {
    const char *comment = read_string (&reader, json, "comment");

    kg_graph_set_comment (graph, comment != NULL ? comment : "");
  }
  if (kg_json_get (json, "frames") != NULL)
    read_frames (&reader, kg_json_get (json, "frames"), graph);
  if (kg_json_get (json, "nodes") != NULL) {
    read_nodes (&reader, kg_json_get (json, "nodes"), graph);
    read_all_sources (&reader, kg_json_get (json, "nodes"), graph);
    check_all_kinds (&reader, kg_json_get (json, "nodes"), graph);
  }
  /* The displayed node may be missing: everything else in the graph is still good. */
  if (kg_json_get (json, "display") != NULL)
    kg_graph_set_display (graph, read_string (&reader, json, "display"));
  kg_graph_set_recording (graph, true);
  return problems->len == 0 ? g_steal_pointer (&graph) : NULL;
}

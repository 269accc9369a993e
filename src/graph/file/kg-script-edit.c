/* kg-script-edit: the verbs that edit a graph, one edit each.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-file.h"
#include "kg-graph-private.h"
#include "kg-preset-json.h"
#include "kg-script-private.h"
#include "kg-subnet.h"

static void
remember_last (KgRun *run, const KgNode *node)
{
  g_autofree char *path = kg_node_dup_path (node);
  g_autofree char *from_outside = g_strconcat ("/", path, NULL);

  kg_scope_set (run->globals, "last", from_outside);
}

static bool
run_kineograph (KgRun *run, KgCursor *cursor)
{
  double version;

  (void) run;
  if (!kg_cursor_take_number (cursor, "the version", &version))
    return false;
  if (version < 1 || version > KG_SCRIPT_VERSION)
    return kg_cursor_fail_at (cursor, cursor->token,
                              "script version %g is not supported by this program, which reads up to %d", version,
                              KG_SCRIPT_VERSION);
  return kg_cursor_take_end (cursor);
}

/* The word "at" before a position; a node may have that name, too. */
static bool
take_position (KgCursor *cursor)
{
  const KgCursor before = *cursor;

  if (!kg_cursor_take_keyword (cursor, "at"))
    return false;
  if (!kg_cursor_is_at_end (cursor) && !kg_cursor_take_keyword (cursor, "at"))
    return true;
  *cursor = before;
  return false;
}

static bool
run_add (KgRun *run, KgCursor *cursor)
{
  g_autofree char *type = kg_cursor_take_word (cursor, "the type of the node"), *name = NULL;
  KgGraph *graph = run->current;
  double x = 0, y = 0;
  gsize type_place, place;
  GError *error = NULL;
  KgNode *node;

  if (type == NULL)
    return false;
  place = type_place = cursor->token;
  if (!take_position (cursor) && !kg_cursor_is_at_end (cursor)) {
    if (!kg_cursor_take_new_path (cursor, "the name of the node", &graph, &name))
      return false;
    place = cursor->token;
    if (!kg_cursor_take_keyword (cursor, "at") && !kg_cursor_take_end (cursor))
      return false;
  }
  if (!kg_cursor_is_at_end (cursor) &&
      (!kg_cursor_take_number (cursor, "x", &x) || !kg_cursor_take_number (cursor, "y", &y)))
    return false;
  if (!kg_cursor_take_end (cursor))
    return false;
  if (name != NULL && g_str_has_suffix (name, "#")) {
    char *numbered;

    name[strlen (name) - 1] = '\0';
    if (!kg_name_is_valid (name, &error))
      return kg_cursor_fail_error (cursor, place, error);
    numbered = kg_graph_make_free_name (graph, NULL, graph->last_numbers, name);
    g_free (name);
    name = numbered;
  }
  if (kg_types_find (kg_graph_get_types (graph), type) == NULL)
    return kg_cursor_fail_error (cursor, type_place, kg_types_new_unknown_error (kg_graph_get_types (graph), type));
  node = kg_graph_add (graph, type, name, x, y, &error);
  if (node == NULL)
    return kg_cursor_fail_error (cursor, place, error);
  remember_last (run, node);
  return true;
}

static bool
run_unknown (KgRun *run, KgCursor *cursor)
{
  g_autofree char *type = kg_cursor_take_word (cursor, "the type of the node"), *name = NULL;
  g_autoptr (KgJson) raw = NULL;
  KgGraph *graph;
  GError *error = NULL;
  gsize place;
  KgNode *node;

  if (type == NULL || !kg_cursor_take_new_path (cursor, "the name of the node", &graph, &name))
    return false;
  place = cursor->token;
  raw = kg_cursor_take_json (cursor, "the node");
  if (raw == NULL)
    return false;
  if (!kg_graph_check_unknown (graph, type, raw, &error))
    return kg_cursor_fail_error (cursor, cursor->token, error);
  if (!kg_cursor_take_end (cursor))
    return false;
  node = kg_graph_add_unknown (graph, type, name, g_steal_pointer (&raw), &error);
  if (node == NULL)
    return kg_cursor_fail_error (cursor, place, error);
  remember_last (run, node);
  return true;
}

static bool
run_remove (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);

  (void) run;
  if (node == NULL || !kg_cursor_take_end (cursor))
    return false;
  if (!kg_cursor_check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_remove (kg_node_get_parent (node), node);
  return true;
}

static bool
run_rename (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);
  g_autofree char *name = node != NULL ? kg_cursor_take_word (cursor, "the new name") : NULL;
  const gsize place = cursor->token;
  GError *error = NULL;

  (void) run;
  if (name == NULL || !kg_cursor_take_end (cursor))
    return false;
  if (g_str_has_suffix (name, "#")) {
    char *numbered;

    name[strlen (name) - 1] = '\0';
    if (!kg_name_is_valid (name, &error))
      return kg_cursor_fail_error (cursor, place, error);
    numbered = kg_graph_make_free_name (kg_node_get_parent (node), NULL, kg_node_get_parent (node)->last_numbers, name);
    g_free (name);
    name = numbered;
  }
  if (!kg_graph_rename (kg_node_get_parent (node), node, name, &error))
    return kg_cursor_fail_error (cursor, place, error);
  remember_last (run, node);
  return true;
}

/* Takes NODE.INPUT; name is the input's, owned by the caller, also when it fails. */
static bool
take_input (KgCursor *cursor, KgNode **node, char **name, guint *input)
{
  int index;

  if (!kg_cursor_take_slot (cursor, "an input", node, name))
    return false;
  index = kg_node_find_slot (*node, *name);
  if (index < 0 || kg_node_get_slot (*node, (guint) index)->role != KG_SLOT_INPUT) {
    g_autofree char *hint = kg_node_suggest_slot (*node, *name, KG_SLOT_INPUT);

    return kg_cursor_fail_at (cursor, cursor->token, "%s has no input \"%s\"%s", kg_node_get_name (*node), *name, hint);
  }
  *input = (guint) index;
  return true;
}

/* Takes the value for a slot, which ends the command, and where it stands. */
static bool
take_source (KgCursor *cursor, const KgSlot *slot, KgSource *source, gsize *place)
{
  g_autoptr (KgJson) json = kg_cursor_take_json (cursor, "the value");
  GError *error = NULL;

  *place = cursor->token;
  return json != NULL && kg_cursor_take_end (cursor) &&
         (kg_source_from_json (json, slot, source, &error) || kg_cursor_fail_error (cursor, *place, error));
}

static bool
run_set (KgRun *run, KgCursor *cursor)
{
  g_autofree char *name = NULL;
  g_auto (KgSource) source = KG_SOURCE_INIT;
  GError *error = NULL;
  KgNode *node;
  gsize place;
  guint input;

  (void) run;
  return take_input (cursor, &node, &name, &input) &&
         take_source (cursor, kg_node_get_slot (node, input), &source, &place) &&
         (kg_graph_set_source (kg_node_get_parent (node), node, input, &source, &error) ||
          kg_cursor_fail_error (cursor, place, error));
}

/* The index of a column by its name, or by its place from 1; -1: the table has none of that. */
static int
find_column (const KgNode *node, guint slot, const char *word)
{
  const KgTableColumn *columns = kg_node_get_slot (node, slot)->columns;
  KgNode *inner;
  guint input;
  const KgTable *rows = kg_source_get_rows (kg_node_find_inner_default (node, slot, &inner, &input)
                                                ? kg_node_get_source (inner, input)
                                                : kg_node_get_source (node, slot));
  guint64 number;

  if (rows != NULL && kg_table_find (rows, word) >= 0)
    return kg_table_find (rows, word);
  for (guint i = 0; kg_slot_get_component (kg_node_get_slot (node, slot), i) != NULL; i++)
    if (g_str_equal (kg_slot_get_component (kg_node_get_slot (node, slot), i), word))
      return (int) i;
  for (guint i = 0; columns != NULL && columns[i].name != NULL; i++)
    if (g_str_equal (columns[i].name, word))
      return (int) i;
  return g_ascii_string_to_unsigned (word, 10, 1, KG_TABLE_MAX_COLUMNS, &number, NULL) ? (int) number - 1 : -1;
}

static bool
run_cell (KgRun *run, KgCursor *cursor)
{
  g_autofree char *name = NULL, *column = NULL;
  g_auto (KgSource) source = KG_SOURCE_INIT;
  GError *error = NULL;
  KgNode *node;
  double row;
  gsize place;
  guint input;
  int index;

  (void) run;
  if (!take_input (cursor, &node, &name, &input) || !kg_cursor_take_number (cursor, "the row", &row))
    return false;
  if (!(row >= 1 && row <= G_MAXINT) || row != floor (row))
    return kg_cursor_fail_at (cursor, cursor->token, "rows are counted from 1, so there is no row %g", row);
  column = kg_cursor_take_word (cursor, "the column");
  if (column == NULL)
    return false;
  index = find_column (node, input, column);
  if (index < 0)
    return kg_cursor_fail_at (cursor, cursor->token, "%s.%s has no column \"%.40s\"", kg_node_get_name (node), name,
                              column);
  return take_source (cursor, kg_cell_get_slot (), &source, &place) &&
         (kg_graph_set_cell (kg_node_get_parent (node), node, input, (guint) row - 1, (guint) index, &source, &error) ||
          kg_cursor_fail_error (cursor, place, error));
}

static bool
run_reset (KgRun *run, KgCursor *cursor)
{
  g_autofree char *slot = NULL;
  GError *error = NULL;
  KgNode *node;

  (void) run;
  return kg_cursor_take_slot (cursor, "an input", &node, &slot) && kg_cursor_take_end (cursor) &&
         (kg_graph_reset (kg_node_get_parent (node), node, slot, &error) || kg_cursor_fail_error (cursor, 0, error));
}

static bool
run_link (KgRun *run, KgCursor *cursor)
{
  g_autofree char *output = NULL, *input = NULL;
  KgNode *from, *to;
  GError *error = NULL;

  (void) run;
  if (!kg_cursor_take_slot (cursor, "an output", &from, &output) ||
      !kg_cursor_take_slot (cursor, "an input", &to, &input) || !kg_cursor_take_end (cursor))
    return false;
  if (kg_node_get_parent (from) != kg_node_get_parent (to))
    return kg_cursor_fail_at (cursor, 0, "%s and %s are in different graphs: link the slots of the sub-graph",
                              kg_node_get_name (from), kg_node_get_name (to));
  return kg_graph_link (kg_node_get_parent (to), from, output, to, input, &error) ||
         kg_cursor_fail_error (cursor, 0, error);
}

static bool
run_unlink (KgRun *run, KgCursor *cursor)
{
  g_autofree char *input = NULL;
  double item = 0;
  KgNode *to, *from;
  guint output, n;
  int slot;

  (void) run;
  if (!kg_cursor_take_slot (cursor, "an input", &to, &input) ||
      (!kg_cursor_is_at_end (cursor) && !kg_cursor_take_number (cursor, "the item", &item)) ||
      !kg_cursor_take_end (cursor))
    return false;
  slot = kg_node_find_slot (to, input);
  n = slot >= 0 ? kg_node_get_n_links (to, (guint) slot) : 0;
  if (!(item >= 0 && item < n) || item != floor (item) ||
      !kg_node_get_link (to, (guint) slot, (guint) item, &from, &output))
    return kg_cursor_fail_at (cursor, 0, n > 1 ? N_ ("%s.%s has no link at this item") : N_ ("%s.%s has no link"),
                              kg_node_get_name (to), input);
  if (!kg_cursor_check_unlocked (cursor, kg_node_get_parent (to)))
    return false;
  kg_graph_unlink_item (kg_node_get_parent (to), to, (guint) slot, (guint) item);
  return true;
}

static bool
run_move (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);
  double x, y;

  (void) run;
  if (node == NULL || !kg_cursor_take_number (cursor, "x", &x) || !kg_cursor_take_number (cursor, "y", &y) ||
      !kg_cursor_take_end (cursor) || !kg_cursor_check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_move (kg_node_get_parent (node), node, x, y);
  return true;
}

static bool
run_bypass (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);
  bool on;

  (void) run;
  if (node == NULL)
    return false;
  on = kg_cursor_take_keyword (cursor, "on");
  if (!on && !kg_cursor_take_keyword (cursor, "off"))
    return kg_cursor_fail_usage (cursor, "expected on or off");
  if (!kg_cursor_take_end (cursor) || !kg_cursor_check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_set_bypass (kg_node_get_parent (node), node, on);
  return true;
}

static bool
run_stage (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);
  guint i = 0;

  (void) run;
  if (node == NULL)
    return false;
  while (kg_stage_nicks[i] != NULL && !kg_cursor_take_keyword (cursor, kg_stage_nicks[i]))
    i++;
  if (kg_stage_nicks[i] == NULL)
    return kg_cursor_fail_usage (cursor, "expected shown, template or off");
  if (!kg_cursor_take_end (cursor) || !kg_cursor_check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_set_stage (kg_node_get_parent (node), node, (KgStage) i);
  return true;
}

/* A text in quotes, or none (NULL).  *text (transfer full). */
static bool
take_text (KgCursor *cursor, const char *what, char **text)
{
  if (!kg_cursor_is_at_end (cursor) && cursor->text[cursor->next] == '"') {
    *text = kg_cursor_take_word (cursor, what);
    return *text != NULL;
  }
  return kg_cursor_take_keyword (cursor, "none") || kg_cursor_fail_usage (cursor, "expected text in quotes, or none");
}

static bool
run_color (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);
  g_autofree char *color = NULL;

  (void) run;
  if (node == NULL || !take_text (cursor, "a colour", &color) || !kg_cursor_take_end (cursor) ||
      !kg_cursor_check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_set_color (kg_node_get_parent (node), node, color);
  return true;
}

static bool
run_comment (KgRun *run, KgCursor *cursor)
{
  g_autofree char *text = NULL;
  KgGraph *graph;
  KgNode *node;

  (void) run;
  if (!kg_cursor_is_at_end (cursor) && cursor->text[cursor->next] == '"') {
    if (!take_text (cursor, "a comment", &text) || !kg_cursor_take_graph (cursor, &graph))
      return false;
    kg_graph_set_comment (graph, text);
    return true;
  }
  node = kg_cursor_take_node (cursor);
  if (node == NULL || !take_text (cursor, "a comment", &text) || !kg_cursor_take_end (cursor) ||
      !kg_cursor_check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_set_node_comment (kg_node_get_parent (node), node, text);
  return true;
}

static bool
run_title (KgRun *run, KgCursor *cursor)
{
  g_autofree char *text = NULL;
  KgGraph *graph;

  (void) run;
  if (!take_text (cursor, "a title", &text) || !kg_cursor_take_graph (cursor, &graph))
    return false;
  kg_graph_set_title (graph, text != NULL ? text : "");
  return true;
}

static bool
run_frames (KgRun *run, KgCursor *cursor)
{
  KgFrames frames = kg_graph_get_frames (run->graph);
  GError *error = NULL;

  if (!kg_cursor_take_number (cursor, "the first frame", &frames.start) ||
      !kg_cursor_take_number (cursor, "the last frame", &frames.end) ||
      (!kg_cursor_is_at_end (cursor) && !kg_cursor_take_number (cursor, "the rate", &frames.rate)) ||
      !kg_cursor_take_end (cursor))
    return false;
  return kg_graph_set_frames (run->graph, frames, &error) || kg_cursor_fail_error (cursor, 0, error);
}

static bool
run_display (KgRun *run, KgCursor *cursor)
{
  g_autofree char *target = kg_cursor_take_word (cursor, "the node to display");
  bool none;
  KgGraph *graph;

  (void) run;
  none = target != NULL && g_str_equal (target, "none") && cursor->text[cursor->token] != '"';
  if (target == NULL || !kg_cursor_take_graph (cursor, &graph))
    return false;
  kg_graph_set_display (graph, none ? NULL : target);
  return true;
}

static bool
run_lock (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);

  (void) run;
  if (node == NULL || !kg_cursor_take_end (cursor))
    return false;
  if (kg_node_get_preset (node) == NULL)
    return kg_cursor_fail_at (cursor, 0, "%s is not an instance of a preset", kg_node_get_name (node));
  if (!kg_cursor_check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_set_unlocked (kg_node_get_parent (node), node, g_str_equal (cursor->statement->verb->name, "unlock"));
  return true;
}

static bool
run_match (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);
  GError *error = NULL;

  (void) run;
  if (node == NULL || !kg_cursor_take_end (cursor))
    return false;
  if (kg_node_get_preset (node) == NULL)
    return kg_cursor_fail_at (cursor, 0, "%s is not an instance of a preset", kg_node_get_name (node));
  return kg_graph_match_preset (kg_node_get_parent (node), node, &error) || kg_cursor_fail_error (cursor, 0, error);
}

static bool
run_aside (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);
  g_autoptr (KgJson) aside = NULL;
  GError *error = NULL;
  bool none;

  (void) run;
  if (node == NULL)
    return false;
  none = kg_cursor_take_keyword (cursor, "none");
  if (!none) {
    aside = kg_cursor_take_json (cursor, "the values");
    if (aside == NULL)
      return false;
  }
  if (!kg_cursor_take_end (cursor) || !kg_cursor_check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  if (kg_node_get_preset (node) == NULL)
    return kg_cursor_fail_at (cursor, 0, "%s is not an instance of a preset", kg_node_get_name (node));
  if (aside != NULL && !kg_aside_check (aside, &error))
    return kg_cursor_fail_error (cursor, 0, error);
  kg_graph_set_aside (kg_node_get_parent (node), node, g_steal_pointer (&aside));
  return true;
}

/* preset, or upgrade */
static bool
run_preset (KgRun *run, KgCursor *cursor)
{
  const bool upgrade = g_str_equal (cursor->statement->verb->name, "upgrade");
  GError *error = NULL;

  g_autoptr (KgJson) json = kg_cursor_take_json (cursor, "the definition");
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) preset = NULL;
  const gsize place = cursor->token;
  KgNode *node = NULL;

  if (json == NULL)
    return false;
  if (upgrade && !kg_cursor_is_at_end (cursor)) {
    node = kg_cursor_take_node (cursor);
    if (node == NULL)
      return false;
  }
  if (!kg_cursor_take_end (cursor))
    return false;
  preset = kg_preset_from_json (kg_graph_get_types (run->graph), json, "", problems);
  if (preset == NULL) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, 0);

    return problem->pointer[0] != '\0' ? kg_cursor_fail_at (cursor, place, "%s: %s", problem->pointer, problem->message)
                                       : kg_cursor_fail_at (cursor, place, "%s", problem->message);
  }
  if (node != NULL &&
      (kg_node_get_preset (node) == NULL || !g_str_equal (kg_node_get_type_id (node), kg_preset_get_id (preset))))
    return kg_cursor_fail_at (cursor, 0, "%s is not an instance of %s", kg_node_get_name (node),
                              kg_preset_get_id (preset));
  if (node != NULL)
    return kg_graph_upgrade_node (kg_node_get_parent (node), node, preset, &error) != NULL ||
           kg_cursor_fail_error (cursor, place, error);
  if (upgrade)
    return kg_graph_upgrade (run->graph, preset, &error) || kg_cursor_fail_error (cursor, place, error);
  kg_graph_add_preset (run->graph, preset);
  return true;
}

static bool
run_paste (KgRun *run, KgCursor *cursor)
{
  g_autoptr (GPtrArray) pasted = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (KgJson) json = NULL;
  GError *error = NULL;
  KgGraph *graph;
  double x, y;
  gsize place;

  if (!kg_cursor_take_number (cursor, "x", &x) || !kg_cursor_take_number (cursor, "y", &y))
    return false;
  json = kg_cursor_take_json (cursor, "the nodes");
  if (json == NULL)
    return false;
  place = cursor->token;
  if (!kg_cursor_take_graph (cursor, &graph))
    return false;
  kg_json_write (json, text);
  pasted = kg_graph_paste (graph, text->str, x, y, &error);
  if (pasted == NULL)
    return kg_cursor_fail_error (cursor, place, error);
  if (pasted->len > 0)
    remember_last (run, (const KgNode *) g_ptr_array_index (pasted, pasted->len - 1));
  return true;
}

/* (transfer container) (nullable) Nodes of one graph up to the keyword (taken) or the end. */
static GPtrArray *
take_nodes (KgCursor *cursor, const char *keyword, bool *found)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  *found = false;
  while (nodes->len == 0 || !kg_cursor_is_at_end (cursor)) {
    KgNode *node;

    *found = nodes->len > 0 && kg_cursor_take_keyword (cursor, keyword);
    if (*found)
      break;
    node = kg_cursor_take_node (cursor);
    if (node == NULL)
      return NULL;
    if (nodes->len > 0 && kg_node_get_parent (node) != kg_node_get_parent ((KgNode *) g_ptr_array_index (nodes, 0))) {
      kg_cursor_fail_at (cursor, cursor->token, "%s is in a different graph from the nodes before it",
                         kg_node_get_name (node));
      return NULL;
    }
    if (g_ptr_array_find (nodes, node, NULL)) {
      kg_cursor_fail_at (cursor, cursor->token, "%s is named twice", kg_node_get_name (node));
      return NULL;
    }
    g_ptr_array_add (nodes, node);
  }
  return g_steal_pointer (&nodes);
}

static bool
run_duplicate (KgRun *run, KgCursor *cursor)
{
  bool moved;
  g_autoptr (GPtrArray) nodes = take_nodes (cursor, "by", &moved), pasted = NULL;
  g_autofree char *text = NULL;
  GError *error = NULL;
  double x = 20, y = 20;
  KgGraph *graph;

  if (nodes == NULL ||
      (moved && (!kg_cursor_take_number (cursor, "x", &x) || !kg_cursor_take_number (cursor, "y", &y))) ||
      !kg_cursor_take_end (cursor))
    return false;
  graph = kg_node_get_parent ((KgNode *) g_ptr_array_index (nodes, 0));
  text = kg_graph_copy (graph, (KgNode *const *) nodes->pdata, nodes->len);
  pasted = kg_graph_paste (graph, text, x, y, &error);
  if (pasted == NULL)
    return kg_cursor_fail_error (cursor, 0, error);
  remember_last (run, (const KgNode *) g_ptr_array_index (pasted, pasted->len - 1));
  return true;
}

static bool
run_collapse (KgRun *run, KgCursor *cursor)
{
  bool named;
  g_autoptr (GPtrArray) nodes = take_nodes (cursor, "as", &named);
  g_autofree char *name = NULL;
  GError *error = NULL;
  KgGraph *graph;
  KgNode *subnet;

  if (nodes == NULL)
    return false;
  if (named) {
    name = kg_cursor_take_word (cursor, "the name of the sub-graph");
    if (name == NULL)
      return false;
  }
  if (!kg_cursor_take_end (cursor))
    return false;
  graph = kg_node_get_parent ((KgNode *) g_ptr_array_index (nodes, 0));
  kg_graph_begin_group (graph, "Collapse");
  subnet = kg_graph_collapse (graph, (KgNode *const *) nodes->pdata, nodes->len, &error);
  if (subnet == NULL || (name != NULL && !kg_graph_rename (graph, subnet, name, &error))) {
    kg_graph_cancel_group (graph);
    return kg_cursor_fail_error (cursor, 0, error);
  }
  kg_graph_end_group (graph);
  remember_last (run, subnet);
  return true;
}

static bool
run_expand (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);
  g_autoptr (GPtrArray) nodes = NULL;
  GError *error = NULL;

  (void) run;
  if (node == NULL || !kg_cursor_take_end (cursor))
    return false;
  if (kg_node_get_graph (node) == NULL)
    return kg_cursor_fail_at (cursor, 0, "%s cannot contain a graph: it is of type %s", kg_node_get_name (node),
                              kg_node_get_type_id (node));
  if (!kg_cursor_check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  nodes = kg_graph_expand (kg_node_get_parent (node), node, &error);
  return nodes != NULL || kg_cursor_fail_error (cursor, 0, error);
}

static bool
run_enter (KgRun *run, KgCursor *cursor)
{
  KgNode *node = kg_cursor_take_node (cursor);

  if (node == NULL || !kg_cursor_take_end (cursor))
    return false;
  if (kg_node_get_graph (node) == NULL)
    return kg_cursor_fail_at (cursor, 0, "%s cannot contain a graph: it is of type %s", kg_node_get_name (node),
                              kg_node_get_type_id (node));
  g_set_object (&run->current, kg_node_get_graph (node));
  return true;
}

static bool
run_leave (KgRun *run, KgCursor *cursor)
{
  if (!kg_cursor_take_end (cursor))
    return false;
  if (run->current == run->graph)
    return kg_cursor_fail_at (cursor, 0, "no sub-graph was entered");
  g_set_object (&run->current, kg_node_get_parent (kg_graph_get_owner (run->current)));
  return true;
}

static bool
run_history (KgRun *run, KgCursor *cursor)
{
  const bool undo = g_str_equal (cursor->statement->verb->name, "undo");

  if (!kg_cursor_take_end (cursor))
    return false;
  if (run->n_groups > 0)
    return kg_cursor_fail_at (cursor, 0, "%s is not allowed in a group, because a group is one undo step",
                              cursor->statement->verb->name);
  if (!(undo ? kg_graph_undo : kg_graph_redo) (run->graph))
    return kg_cursor_fail_at (cursor, 0, undo ? N_ ("this script has no step to undo") : N_ ("nothing to redo"));
  return true;
}

const KgVerb kg_script_edit_verbs[] = {
  { "add", KG_VERB_EDIT, false, run_add, "add TYPE [NAME] [at X Y]" },
  { "aside", KG_VERB_EDIT, false, run_aside, "aside NODE VALUES|none" },
  { "bypass", KG_VERB_EDIT, false, run_bypass, "bypass NODE on|off" },
  { "cell", KG_VERB_EDIT, false, run_cell, "cell NODE.INPUT ROW COLUMN VALUE" },
  { "collapse", KG_VERB_EDIT, false, run_collapse, "collapse NODE... [as NAME]" },
  { "color", KG_VERB_EDIT, false, run_color, "color NODE \"#rrggbb\"|none" },
  { "comment", KG_VERB_EDIT, false, run_comment, "comment [NODE] \"TEXT\"|none" },
  { "display", KG_VERB_EDIT, false, run_display, "display NODE[.OUTPUT]|none [in NODE]" },
  { "duplicate", KG_VERB_EDIT, false, run_duplicate, "duplicate NODE... [by X Y]" },
  { "enter", KG_VERB_EDIT, false, run_enter, "enter NODE" },
  { "expand", KG_VERB_EDIT, false, run_expand, "expand NODE" },
  { "frames", KG_VERB_EDIT, false, run_frames, "frames FIRST LAST [RATE]" },
  { "kineograph", KG_VERB_EDIT, false, run_kineograph, "kineograph 1" },
  { "leave", KG_VERB_EDIT, false, run_leave, "leave" },
  { "link", KG_VERB_EDIT, false, run_link, "link NODE.OUTPUT NODE.INPUT" },
  { "lock", KG_VERB_EDIT, false, run_lock, "lock NODE" },
  { "match", KG_VERB_EDIT, false, run_match, "match NODE" },
  { "move", KG_VERB_EDIT, false, run_move, "move NODE X Y" },
  { "paste", KG_VERB_EDIT, false, run_paste, "paste X Y GRAPH [in NODE]" },
  { "preset", KG_VERB_EDIT, false, run_preset, "preset DEFINITION" },
  { "redo", KG_VERB_EDIT, false, run_history, "redo" },
  { "remove", KG_VERB_EDIT, false, run_remove, "remove NODE" },
  { "rename", KG_VERB_EDIT, false, run_rename, "rename NODE NAME" },
  { "reset", KG_VERB_EDIT, false, run_reset, "reset NODE.INPUT" },
  { "set", KG_VERB_EDIT, false, run_set, "set NODE.INPUT VALUE" },
  { "stage", KG_VERB_EDIT, false, run_stage, "stage NODE shown|template|off" },
  { "title", KG_VERB_EDIT, false, run_title, "title \"TEXT\" [in NODE]" },
  { "undo", KG_VERB_EDIT, false, run_history, "undo" },
  { "unknown", KG_VERB_EDIT, false, run_unknown, "unknown TYPE NAME NODE" },
  { "unlink", KG_VERB_EDIT, false, run_unlink, "unlink NODE.INPUT [ITEM]" },
  { "unlock", KG_VERB_EDIT, false, run_lock, "unlock NODE" },
  { "upgrade", KG_VERB_EDIT, false, run_preset, "upgrade DEFINITION [NODE]" },
  { 0 },
};

/* kg-edit: the edits of a graph: nodes, their sources and settings.  Each is checked, reported and made as changes that can
 * be undone; removing and renaming are in kg-rename.c, groups and undo in kg-undo.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-edit-private.h"

#include <glib/gi18n-lib.h>

/* Nodes. */

/* A few definitions, each made of several instances of the one before, are more nodes than there is memory for. */
static bool
has_room (KgGraph *graph, const KgPreset *preset)
{
  return kg_graph_get_document (graph)->n_instanced + kg_preset_get_size (preset) <= KG_GRAPH_MAX_NODES;
}

static KgNode *
add_node (KgGraph *graph, const KgNodeType *type, const char *type_id, const char *name, double x, double y,
          KgJson *raw, GError **error)
{
  g_autofree char *free_name = NULL;
  const char *slash = strrchr (type_id, '/');
  guint nesting = 0;
  KgNode *node;
  KgChange *change;

  for (KgGraph *g = graph; g->owner != NULL && g->owner->parent != NULL; g = g->owner->parent)
    nesting++;
  if (kg_graph_refuse_locked (graph, error)) {
    g_clear_pointer (&raw, kg_json_free);
    return NULL;
  }
  if (graph->nodes->len >= KG_GRAPH_MAX_NODES ||
      (kg_type_get_preset (type) != NULL && !has_room (graph, kg_type_get_preset (type))) ||
      (type != NULL && type->role == KG_ROLE_SUBNET &&
       nesting + (kg_type_get_preset (type) != NULL ? kg_preset_get_depth (kg_type_get_preset (type)) : 1) >
           KG_GRAPH_MAX_NESTING)) {
    g_clear_pointer (&raw, kg_json_free);
    kg_set_error (error, KG_ERROR_LIMIT, "a graph can have at most %d nodes, in at most %d nested graphs",
                  KG_GRAPH_MAX_NODES, KG_GRAPH_MAX_NESTING);
    return NULL;
  }
  if (name == NULL)
    name = free_name = kg_graph_make_free_name (graph, NULL, graph->last_numbers, slash != NULL ? slash + 1 : type_id);
  if (!kg_graph_check_new_name (graph, name, error) ||
      (type != NULL && type->role == KG_ROLE_INTERFACE_OUTPUT &&
       !kg_graph_check_outer_references (graph, KG_SLOT_UNKNOWN, name, error))) {
    g_clear_pointer (&raw, kg_json_free);
    return NULL;
  }
  node = kg_node_new (graph, type, type_id, name);
  if (kg_type_get_preset (type) != NULL)
    kg_node_fill (node);
  node->x = isfinite (x) ? x : 0;
  node->y = isfinite (y) ? y : 0;
  if (raw != NULL) {
    const KgRawSettings settings = kg_raw_get_settings (raw);

    node->raw = raw;
    node->x = settings.x;
    node->y = settings.y;
    node->bypass = settings.bypass;
    node->stage = settings.stage;
    kg_set_string (&node->color, settings.color);
    kg_set_string (&node->comment, settings.comment);
  }
  kg_edit_report_json (type != NULL ? KG_EDIT_ADD : KG_EDIT_ADD_UNKNOWN, graph, node, raw);
  change = kg_change_new (KG_CHANGE_PRESENCE, graph, node);
  change->index = graph->nodes->len;
  kg_node_unref (node);
  kg_change_perform (change, N_ ("Add a node"));
  return node;
}

KgNode *
kg_graph_add (KgGraph *graph, const char *type_id, const char *name, double x, double y, GError **error)
{
  const KgNodeType *type = kg_types_find (graph->types, type_id);

  if (type == NULL) {
    g_autofree char *hint = kg_types_suggest (graph->types, type_id);

    kg_set_error (error, KG_ERROR_UNKNOWN_TYPE, "unknown node type \"%s\"%s", type_id, hint);
    return NULL;
  }
  return add_node (graph, type, type->id, name, x, y, NULL, error);
}

KgNode *
kg_graph_add_of_type (KgGraph *graph, const KgNodeType *type, const char *name, double x, double y, GError **error)
{
  return add_node (graph, type, type->id, name, x, y, NULL, error);
}

KgNode *
kg_graph_add_unknown (KgGraph *graph, const char *type_id, const char *name, KgJson *raw, GError **error)
{
  return add_node (graph, NULL, type_id, name, 0, 0, raw, error);
}

/* Instances of presets. */

void
kg_graph_exchange (KgGraph *graph, KgNode *node, KgNode *fresh)
{
  KgChange *change = kg_change_new (KG_CHANGE_PRESENCE, graph, fresh);

  /* Links to it dangle meanwhile, and find their name again. */
  change->index = kg_graph_get_place (graph, node);
  kg_change_perform (kg_change_new (KG_CHANGE_PRESENCE, graph, node), NULL);
  kg_change_perform (change, NULL);
}

void
kg_graph_set_aside (KgGraph *graph, KgNode *node, KgJson *aside)
{
  KgChange *change = kg_change_new (KG_CHANGE_ASIDE, graph, node);

  kg_edit_report_json (KG_EDIT_ASIDE, graph, node, aside);
  change->raw = aside;
  kg_change_perform (change, N_ ("Set values aside"));
}

void
kg_graph_set_definition (KgGraph *graph, KgNode *node, KgPreset *preset)
{
  KgChange *change = kg_change_new (KG_CHANGE_DEFINITION, graph, node);

  change->preset = kg_preset_ref (preset);
  kg_change_perform (change, N_ ("Change the definition"));
}

/* Sources. */

/* The kind that an interface node gives to the slot outside has changed: what is set there becomes that, and what
 * cannot is cut. */
static void
repair_outside (const KgNode *interface)
{
  g_autoptr (KgExpression) expression = NULL;
  g_auto (KgSource) source = KG_SOURCE_INIT;
  const KgSource none = KG_SOURCE_INIT;
  KgNode *owner;
  guint slot;

  if (!kg_node_get_outside (interface, &owner, &slot) || owner->parent == NULL)
    return;
  if (!kg_slot_is_input (&owner->slots[slot])) {
    kg_node_cut_below (owner, slot);
    return;
  }
  source = kg_source_copy (&owner->inputs[slot].source);
  if (!kg_graph_check_source (owner->parent, owner, slot, &source, true, &expression, NULL))
    kg_node_perform_source (owner, slot, &none, NULL);
  else if (!kg_source_equal (&source, &owner->inputs[slot].source))
    kg_node_perform_source (owner, slot, &source, g_steal_pointer (&expression));
}

static bool
set_source (KgGraph *graph, KgNode *node, guint slot, const KgSource *source, bool kinds, GError **error)
{
  g_autoptr (KgExpression) expression = NULL;
  g_auto (KgSource) checked = KG_SOURCE_INIT;

  g_return_val_if_fail (node->parent == graph && slot < node->n_slots, false);
  if (kg_graph_refuse_locked (graph, error))
    return false;
  checked = kg_source_normalize (&node->slots[slot], source);
  if (!kg_graph_check_source (graph, node, slot, &checked, kinds, &expression, error))
    return false;
  if (kg_source_equal (&checked, &node->inputs[slot].source))
    return true;
  kg_edit_report (&(KgEdit){ .verb = KG_EDIT_SET, .graph = graph, .node = node, .slot = slot, .source = &checked });
  if (!kinds || !kg_node_is_interface (node) || !node->slots[slot].fixed) {
    kg_node_perform_source (node, slot, &checked, g_steal_pointer (&expression));
    return true;
  }
  kg_graph_mute_log (graph);
  kg_graph_begin_group (graph, _ ("Set an input"));
  kg_node_perform_source (node, slot, &checked, NULL);
  repair_outside (node);
  kg_graph_end_group (graph);
  kg_graph_unmute_log (graph);
  return true;
}

bool
kg_graph_set_source (KgGraph *graph, KgNode *node, guint slot, const KgSource *source, GError **error)
{
  return set_source (graph, node, slot, source, true, error);
}

bool
kg_graph_read_source (KgGraph *graph, KgNode *node, guint slot, const KgSource *source, GError **error)
{
  return set_source (graph, node, slot, source, false, error);
}

static bool
find_input (KgNode *node, const char *name, guint *slot, GError **error)
{
  const int index = kg_node_find_slot (node, name);

  if (index < 0 || node->slots[index].role != KG_SLOT_INPUT) {
    g_autofree char *hint = kg_node_suggest_slot (node, name, KG_SLOT_INPUT);

    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no input \"%s\"%s", node->name, name, hint);
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
kg_graph_set_cell (KgGraph *graph, KgNode *node, guint slot, guint row, guint column, const KgSource *source,
                   GError **error)
{
  g_auto (KgSource) table = kg_source_copy (&node->inputs[slot].source);
  const KgTable *rows;
  KgNode *inner;
  guint input;

  /* Keys and expressions of a default inside come out with the first cell that is set. */
  if (kg_node_find_inner_default (node, slot, &inner, &input)) {
    if (inner->inputs[input].n_wires > 0) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "the default of %s.%s is computed by nodes inside, which cannot be read from here: set the whole input",
          node->name, node->slots[slot].name);
      return false;
    }
    kg_source_clear (&table);
    table = kg_source_copy (kg_node_get_source (inner, input));
  } else if (table.kind == KG_SOURCE_DEFAULT &&
             (node->slots[slot].kind == KG_TABLE || node->slots[slot].kind == KG_VECTOR)) {
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (kg_slot_get_default (&node->slots[slot], &value))
      table = kg_source_constant (&value);
  }
  if (node->slots[slot].kind == KG_VECTOR && !node->slots[slot].list && !kg_source_split (&table, error)) {
    g_prefix_error (error, "%s.%s: ", node->name, node->slots[slot].name);
    return false;
  }
  rows = kg_source_get_rows (&table);
  if (rows == NULL) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s.%s has no cells of its own: set it to a table first", node->name,
                  node->slots[slot].name);
    return false;
  }
  if (row >= kg_table_get_n_rows (rows) || column >= kg_table_get_n_columns (rows)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %u, column %u: the table of %s.%s has %zu rows and %u columns",
                  row + 1, column + 1, node->name, node->slots[slot].name, kg_table_get_n_rows (rows),
                  kg_table_get_n_columns (rows));
    return false;
  }
  return kg_source_set_cell (&table, row, column, source, error) &&
         kg_graph_set_source (graph, node, slot, &table, error);
}

bool
kg_graph_set_json (KgGraph *graph, KgNode *node, const char *slot, const char *text, GError **error)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) json = kg_json_parse (text, -1, problems);
  g_auto (KgSource) source = KG_SOURCE_INIT;
  guint index;

  if (!find_input (node, slot, &index, error))
    return false;
  if (json == NULL) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, 0);

    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s", problem->message);
    kg_prefix_column (error, problem->column);
    return false;
  }
  return kg_source_from_json (json, &node->slots[index], &source, error) &&
         kg_graph_set_source (graph, node, index, &source, error);
}

/* (transfer full) What an input is once it is linked to target: a list has one item more. */
static KgSource
make_link (const KgNode *to, guint input, const char *target)
{
  const KgSource *old = &to->inputs[input].source;
  g_auto (KgSource) link = kg_source_link (target);
  g_autofree KgSource *items = NULL;

  if (!to->slots[input].list || old->kind != KG_SOURCE_LIST)
    return kg_source_copy (&link);
  items = g_new (KgSource, old->list.n + 1);
  if (old->list.n > 0)
    memcpy (items, old->list.items, old->list.n * sizeof *items);
  items[old->list.n] = link;
  return kg_source_list (old->list.n + 1, items);
}

bool
kg_graph_link (KgGraph *graph, KgNode *from, const char *output, KgNode *to, const char *input, GError **error)
{
  g_autofree char *target = g_strdup_printf ("%s.%s", from->name, output);
  g_auto (KgSource) source = KG_SOURCE_INIT;
  guint index;

  if (!find_input (to, input, &index, error))
    return false;
  source = make_link (to, index, target);
  return kg_graph_set_source (graph, to, index, &source, error);
}

bool
kg_graph_check_link (KgGraph *graph, KgNode *from, guint output, KgNode *to, guint input, GError **error)
{
  g_autofree char *target = g_strdup_printf ("%s.%s", from->name, from->slots[output].name);
  g_auto (KgSource) link = make_link (to, input, target);
  g_auto (KgSource) source = kg_source_normalize (&to->slots[input], &link);
  g_autoptr (KgExpression) expression = NULL;

  return kg_graph_check_source (graph, to, input, &source, true, &expression, error);
}

/* Settings of nodes and graphs. */

void
kg_graph_move (KgGraph *graph, KgNode *node, double x, double y)
{
  KgChange *change;

  if ((node->x == x && node->y == y) || !isfinite (x) || !isfinite (y) || kg_graph_refuse_locked (graph, NULL))
    return;
  kg_edit_report_move (node, x, y);
  change = kg_change_new (KG_CHANGE_POSITION, graph, node);
  change->x = x;
  change->y = y;
  kg_change_perform (change, N_ ("Move"));
}

void
kg_graph_move_nodes (KgGraph *graph, const KgPlacement *placements, guint n)
{
  KgGraph *root = kg_graph_get_root (graph);

  kg_graph_hold_changed (root);
  kg_graph_begin_group (graph, n == 1 ? _ ("Move") : _ ("Move nodes"));
  for (guint i = 0; i < n; i++)
    kg_graph_move (graph, placements[i].node, placements[i].x, placements[i].y);
  kg_graph_end_group (graph);
  kg_graph_release_changed (root);
}

void
kg_graph_set_bypass (KgGraph *graph, KgNode *node, bool bypass)
{
  KgChange *change;

  if (node->bypass == bypass || kg_graph_refuse_locked (graph, NULL))
    return;
  kg_edit_report_flag (KG_EDIT_BYPASS, node, bypass);
  change = kg_change_new (KG_CHANGE_BYPASS, graph, node);
  change->flag = bypass;
  kg_change_perform (change, N_ ("Bypass"));
}

void
kg_graph_set_stage (KgGraph *graph, KgNode *node, KgStage stage)
{
  KgChange *change;

  g_return_if_fail (stage < KG_N_STAGES);
  if (node->stage == stage || kg_graph_refuse_locked (graph, NULL))
    return;
  kg_edit_report_text (KG_EDIT_STAGE, graph, node, kg_stage_nicks[stage]);
  change = kg_change_new (KG_CHANGE_STAGE, graph, node);
  change->index = stage;
  kg_change_perform (change, stage == KG_STAGE_OFF     ? N_ ("Take from the scene view")
                             : stage == KG_STAGE_SHOWN ? N_ ("Show in the scene view")
                                                       : N_ ("Show as template"));
}

void
kg_graph_set_unlocked (KgGraph *graph, KgNode *node, bool unlocked)
{
  KgChange *change;

  if (node->unlocked == unlocked || kg_node_get_preset (node) == NULL || kg_graph_refuse_locked (graph, NULL))
    return;
  kg_edit_report_flag (KG_EDIT_UNLOCK, node, unlocked);
  change = kg_change_new (KG_CHANGE_UNLOCKED, graph, node);
  change->flag = unlocked;
  kg_change_perform (change, unlocked ? N_ ("Unlock a preset") : N_ ("Lock a preset"));
}

void
kg_graph_set_color (KgGraph *graph, KgNode *node, const char *color)
{
  if (g_strcmp0 (node->color, color) == 0 || kg_graph_refuse_locked (graph, NULL))
    return;
  kg_edit_report_text (KG_EDIT_COLOR, graph, node, color);
  kg_graph_perform_text (KG_CHANGE_COLOR, graph, node, color, N_ ("Colour a node"));
}

void
kg_graph_set_node_comment (KgGraph *graph, KgNode *node, const char *comment)
{
  if (g_strcmp0 (node->comment, comment) == 0 || kg_graph_refuse_locked (graph, NULL))
    return;
  kg_edit_report_text (KG_EDIT_COMMENT, graph, node, comment);
  kg_graph_perform_text (KG_CHANGE_NODE_COMMENT, graph, node, comment, N_ ("Comment on a node"));
}

void
kg_graph_set_title (KgGraph *graph, const char *title)
{
  if (g_str_equal (graph->title, title))
    return;
  kg_edit_report_text (KG_EDIT_TITLE, graph, NULL, title);
  kg_graph_perform_text (KG_CHANGE_TITLE, graph, NULL, title, N_ ("Change the title"));
}

void
kg_graph_set_comment (KgGraph *graph, const char *comment)
{
  if (g_str_equal (graph->comment, comment))
    return;
  kg_edit_report_text (KG_EDIT_COMMENT, graph, NULL, comment);
  kg_graph_perform_text (KG_CHANGE_COMMENT, graph, NULL, comment, N_ ("Comment on the graph"));
}

void
kg_graph_set_display (KgGraph *graph, const char *target)
{
  if (g_strcmp0 (graph->display, target) == 0)
    return;
  kg_edit_report_text (KG_EDIT_DISPLAY, graph, NULL, target);
  kg_graph_perform_text (KG_CHANGE_DISPLAY, graph, NULL, target, N_ ("Change the display"));
}

bool
kg_graph_set_frames (KgGraph *graph, KgFrames frames, GError **error)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgChange *change;

  if (!isfinite (frames.start) || !isfinite (frames.end) || !(frames.end >= frames.start) ||
      fabs (frames.start) > KG_GRAPH_MAX_FRAME || fabs (frames.end) > KG_GRAPH_MAX_FRAME) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "frames %g to %g: the last must not be before the first, and both must be within ±10^9", frames.start,
                  frames.end);
    return false;
  }
  if (!(frames.rate >= 1e-3 && frames.rate <= 1e6)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%g frames per second: the rate must be between 0.001 and 1000000",
                  frames.rate);
    return false;
  }
  if (memcmp (&frames, &kg_graph_get_document (root)->frames, sizeof frames) == 0)
    return true;
  kg_edit_report (&(KgEdit){ .verb = KG_EDIT_FRAMES, .graph = root, .frames = frames });
  change = kg_change_new (KG_CHANGE_FRAMES, root, NULL);
  change->frames = frames;
  kg_change_perform (change, N_ ("Change the frames"));
  return true;
}

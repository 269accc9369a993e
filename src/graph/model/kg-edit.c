/* kg-edit: every change to a graph, and its undo.
 *
 * A change is a record that holds the other state: applying it swaps the two.  Undo and redo therefore apply
 * the same records, in the opposite order and in theirs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>

/* Steps of undo that are remembered. */
#define MAX_STEPS 10000

typedef enum {
  CHANGE_PRESENCE, /* the node is in the graph, or only here */
  CHANGE_SOURCE,
  CHANGE_NAME,
  CHANGE_POSITION,
  CHANGE_BYPASS,
  CHANGE_UNLOCKED,
  CHANGE_COLOR,
  CHANGE_NODE_COMMENT,
  CHANGE_ASIDE,
  CHANGE_DEFINITION, /* of an instance whose inside is its own */
  CHANGE_RAW,        /* a node of an unknown type: what its links read */
  CHANGE_TITLE,
  CHANGE_COMMENT,
  CHANGE_DISPLAY,
  CHANGE_FRAMES,
  CHANGE_N_KINDS
} ChangeKind;

typedef struct {
  ChangeKind kind;
  KgGraph *graph; /* borrowed: the outermost owns the history, nested ones are held by nodes that older changes hold */
  KgNode *node;   /* owned, NULL for changes of the graph */
  guint index;    /* slot, or place of the node */
  char *text;
  KgSource source;
  KgExpression *expression; /* of the source, compiled; NULL when it is none, or not compiled yet */
  KgJson *raw;              /* or what is aside */
  KgPreset *preset;
  KgFrames frames;
  double x, y;
  bool flag;
} Change;

typedef struct {
  char *label;
  GPtrArray *changes;
  GHashTable *moves; /* (nullable) while it is open: KgNode -> index of its change of position, plus one */
  guint64 serial;    /* counts the steps of a history */
  bool is_group;     /* made by kg_graph_begin_group */
  bool reopened;     /* may hold several changes of position of one node */
} StepGroup;

/* Steps that will be one. */
typedef struct {
  char *label;
  guint n_done;      /* before it */
  GPtrArray *undone; /* owned: what could be redone before it */
} Transaction;

struct _KgHistory {
  GPtrArray *done, *undone; /* StepGroup */
  StepGroup *open;          /* being recorded */
  GArray *marks;            /* guint: number of changes at each begin, for cancelling */
  GArray *transactions;     /* Transaction */
  guint64 serial;           /* of the next step */
  bool paused;
  guint held;             /* "changed" waits while it is not 0 */
  GPtrArray *held_graphs; /* KgGraph, a reference each: whose it is */
  /* See kg_graph_set_log. */
  KgEditLog log;
  gpointer log_data;
  guint64 log_since; /* serial of the first step that was reported */
  guint muted;       /* within an edit that was reported: its parts are not */
  GPtrArray *moved;  /* KgNode, a reference each: moved in a group, which is reported before anything else is */
  GHashTable *moved_set;
  guint64 reported_step; /* the step whose end was reported last; 0: something else was */
};

static void
change_free (gpointer data)
{
  Change *change = (Change *) data;

  g_clear_pointer (&change->node, kg_node_unref);
  kg_source_clear (&change->source);
  g_clear_pointer (&change->expression, kg_expression_free);
  g_clear_pointer (&change->raw, kg_json_free);
  g_clear_pointer (&change->preset, kg_preset_unref);
  g_free (change->text);
  g_free (change);
}

static void
step_group_free (gpointer data)
{
  StepGroup *group = (StepGroup *) data;

  /* Last first: a node may be held by the change that made it. */
  while (group->changes->len > 0)
    g_ptr_array_remove_index (group->changes, group->changes->len - 1);
  g_ptr_array_unref (group->changes);
  g_clear_pointer (&group->moves, g_hash_table_unref);
  g_free (group->label);
  g_free (group);
}

static StepGroup *
step_group_new (const char *label)
{
  StepGroup *group = g_new0 (StepGroup, 1);

  group->label = g_strdup (label);
  group->changes = g_ptr_array_new_with_free_func (change_free);
  return group;
}

static void
transaction_clear (gpointer data)
{
  Transaction *transaction = (Transaction *) data;

  g_free (transaction->label);
  g_clear_pointer (&transaction->undone, g_ptr_array_unref);
}

KgHistory *
kg_history_new (void)
{
  KgHistory *history = g_new0 (KgHistory, 1);

  history->done = g_ptr_array_new_with_free_func (step_group_free);
  history->undone = g_ptr_array_new_with_free_func (step_group_free);
  history->marks = g_array_new (FALSE, FALSE, sizeof (guint));
  history->transactions = g_array_new (FALSE, FALSE, sizeof (Transaction));
  g_array_set_clear_func (history->transactions, transaction_clear);
  history->held_graphs = g_ptr_array_new_with_free_func (g_object_unref);
  history->moved = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_node_unref);
  history->moved_set = g_hash_table_new (NULL, NULL);
  return history;
}

void
kg_history_free (KgHistory *history)
{
  g_ptr_array_unref (history->undone);
  g_ptr_array_unref (history->done);
  g_clear_pointer (&history->open, step_group_free);
  g_array_unref (history->marks);
  g_array_unref (history->transactions);
  g_hash_table_unref (history->moved_set);
  g_ptr_array_unref (history->moved);
  g_ptr_array_unref (history->held_graphs);
  g_free (history);
}

/* Reports of edits. */

bool
kg_graph_set_log (KgGraph *graph, KgEditLog log, gpointer data)
{
  KgHistory *history = kg_graph_get_root (graph)->history;

  if (history == NULL || (log != NULL && history->log != NULL))
    return false;
  g_hash_table_remove_all (history->moved_set);
  g_ptr_array_set_size (history->moved, 0);
  history->log = log;
  history->log_data = data;
  history->log_since = history->serial;
  history->reported_step = 0;
  return true;
}

/* (nullable) The history of a graph whose edits are reported now. */
static KgHistory *
get_logged (KgGraph *graph)
{
  KgHistory *history = kg_graph_get_root (graph)->history;

  return history != NULL && history->log != NULL && history->muted == 0 ? history : NULL;
}

void
kg_graph_log_moves (KgGraph *graph)
{
  KgHistory *history = kg_graph_get_root (graph)->history;

  if (history == NULL || history->moved->len == 0)
    return;
  for (guint i = 0; i < history->moved->len && history->log != NULL; i++) {
    g_autoptr (KgNode) node = kg_node_ref ((KgNode *) g_ptr_array_index (history->moved, i));
    const KgEdit edit = { .verb = KG_EDIT_MOVE, .graph = node->parent, .node = node, .x = node->x, .y = node->y };

    history->log (history->log_data, &edit);
  }
  g_hash_table_remove_all (history->moved_set);
  g_ptr_array_set_size (history->moved, 0);
}

/* Before the edit is made. */
static void
report (const KgEdit *edit)
{
  static const KgEdit other = { .verb = KG_EDIT_OTHER };
  KgHistory *history = get_logged (edit->graph);

  if (history == NULL)
    return;
  kg_graph_log_moves (edit->graph);
  history->reported_step = 0;
  /* What the history does not remember cannot be undone by whoever repeats the edits. */
  history->log (history->log_data, history->paused ? &other : edit);
}

/* Only the last place of a node that is moved within a group is reported, before whatever is reported next. */
static void
report_move (KgNode *node, double x, double y)
{
  const KgEdit edit = { .verb = KG_EDIT_MOVE, .graph = node->parent, .node = node, .x = x, .y = y };
  KgHistory *history = get_logged (node->parent);

  if (history == NULL)
    return;
  if (history->marks->len == 0 || history->paused)
    report (&edit);
  else if (g_hash_table_add (history->moved_set, node))
    g_ptr_array_add (history->moved, kg_node_ref (node));
}

static void
report_node (KgEditVerb verb, const KgNode *node)
{
  const KgEdit edit = { .verb = verb, .graph = node->parent, .node = node };

  report (&edit);
}

static void
report_text (KgEditVerb verb, KgGraph *graph, const KgNode *node, const char *text)
{
  const KgEdit edit = { .verb = verb, .graph = graph, .node = node, .text = text };

  report (&edit);
}

static void
report_json (KgEditVerb verb, KgGraph *graph, const KgNode *node, const KgJson *json)
{
  const KgEdit edit = { .verb = verb, .graph = graph, .node = node, .json = json };

  report (&edit);
}

static void
report_flag (KgEditVerb verb, const KgNode *node, bool flag)
{
  const KgEdit edit = { .verb = verb, .graph = node->parent, .node = node, .flag = flag };

  report (&edit);
}

/* What happens until unmute is part of an edit that was reported. */
static void
mute (KgGraph *graph)
{
  KgHistory *history = kg_graph_get_root (graph)->history;

  if (history != NULL)
    history->muted++;
}

static void
unmute (KgGraph *graph)
{
  KgHistory *history = kg_graph_get_root (graph)->history;

  if (history != NULL)
    history->muted--;
}

void
kg_graph_log_preset (KgGraph *graph, const KgPreset *preset)
{
  report_json (KG_EDIT_ADD_PRESET, graph, NULL, kg_preset_get_json (preset));
}

void
kg_graph_log_match (KgGraph *graph, const KgNode *node)
{
  report_node (KG_EDIT_MATCH, node);
  mute (graph);
}

void
kg_graph_log_upgrade (KgGraph *graph, const KgPreset *preset, const KgNode *node)
{
  report_json (KG_EDIT_UPGRADE, node != NULL ? node->parent : graph, node, kg_preset_get_json (preset));
  mute (graph);
}

void
kg_graph_log_end (KgGraph *graph)
{
  unmute (graph);
}

static void
emit_changed (KgGraph *graph)
{
  KgHistory *history = kg_graph_get_root (graph)->history;

  if (history != NULL && history->held > 0) {
    if (!g_ptr_array_find (history->held_graphs, graph, NULL))
      g_ptr_array_add (history->held_graphs, g_object_ref (graph));
    return;
  }
  for (;;) {
    g_signal_emit_by_name (graph, "changed");
    if (graph->owner == NULL || graph->owner->parent == NULL)
      return;
    graph = graph->owner->parent;
  }
}

void
kg_graph_hold_changed (KgGraph *root)
{
  if (root->history != NULL)
    root->history->held++;
}

void
kg_graph_release_changed (KgGraph *root)
{
  KgHistory *history = root->history;
  g_autoptr (GPtrArray) graphs = NULL;

  if (history == NULL || --history->held > 0)
    return;
  graphs = g_steal_pointer (&history->held_graphs);
  history->held_graphs = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < graphs->len; i++)
    emit_changed ((KgGraph *) g_ptr_array_index (graphs, i));
}

static void
swap_text (char **a, char **b)
{
  char *t = *a;

  *a = *b;
  *b = t;
}

static void
apply_presence (Change *change)
{
  KgGraph *graph = change->graph;
  KgNode *node = change->node;

  if (node->parent != NULL) {
    change->index = kg_graph_detach (graph, node);
    g_signal_emit_by_name (graph, "node-removed", node);
  } else {
    kg_graph_attach (graph, node, MIN (change->index, graph->nodes->len));
    g_signal_emit_by_name (graph, "node-added", node);
  }
}

/* Whether a change of an input of an interface node changes what is said of the slot outside: the fixed ones describe it,
 * and a constant that stands for what is not set is what is shown, and read by expressions, as its default. */
static bool
describes_slot (const KgNode *node, const Change *change)
{
  const KgSlot *slot = &node->slots[change->index];

  return kg_node_is_interface (node) &&
         (slot->fixed || (kg_node_get_role (node) == KG_ROLE_INTERFACE_INPUT && g_str_equal (slot->name, "value") &&
                          (change->source.kind == KG_SOURCE_CONSTANT ||
                           node->inputs[change->index].source.kind == KG_SOURCE_CONSTANT)));
}

static void
apply_source (Change *change)
{
  KgNode *node = change->node;
  KgInput *input = &node->inputs[change->index];
  KgExpression *expression = change->expression;
  const KgSource other = change->source;

  kg_input_disconnect (node, change->index);
  change->source = input->source;
  input->source = other;
  change->expression = input->expression;
  input->expression = expression;
  kg_input_connect (node, change->index);
  kg_node_invalidate (node, (int) change->index);
  if (describes_slot (node, change))
    kg_node_update_slot (node);
  g_signal_emit_by_name (change->graph, "source-changed", node, change->index);
}

static void
apply_name (Change *change)
{
  KgGraph *graph = change->graph;

  g_hash_table_remove (graph->by_name, change->node->name);
  swap_text (&change->node->name, &change->text);
  g_hash_table_insert (graph->by_name, change->node->name, change->node);
  /* Sources that follow the node have another name already, or get it next; expressions that only waited for a node of
   * the old name wait again. */
  kg_node_reconnect_readers (change->node);
  kg_graph_retry_dangling (graph, change->node->name);
  if (graph->owner != NULL && kg_node_is_interface (change->node))
    kg_node_rebuild_interface (graph->owner);
  g_signal_emit_by_name (graph, "node-renamed", change->node, change->text);
}

static void
apply_position (Change *change)
{
  KgNode *node = change->node;
  const double x = change->x, y = change->y;

  change->x = node->x;
  change->y = node->y;
  node->x = x;
  node->y = y;
}

static void
apply_bypass (Change *change)
{
  const bool bypass = change->flag;

  change->flag = change->node->bypass;
  change->node->bypass = bypass;
  kg_node_invalidate (change->node, -1);
}

static void
apply_unlocked (Change *change)
{
  const bool unlocked = change->flag;

  change->flag = change->node->unlocked;
  change->node->unlocked = unlocked;
}

static void
apply_color (Change *change)
{
  swap_text (&change->node->color, &change->text);
}

static void
apply_node_comment (Change *change)
{
  swap_text (&change->node->comment, &change->text);
}

static void
apply_aside (Change *change)
{
  KgJson *aside = change->raw;

  change->graph->n_aside += (aside != NULL) - (change->node->aside != NULL);
  change->raw = change->node->aside;
  change->node->aside = aside;
}

static void
apply_definition (Change *change)
{
  g_autoptr (KgPreset) now = g_steal_pointer (&change->preset);

  change->preset = kg_preset_ref (change->node->preset);
  kg_node_set_definition (change->node, now);
}

static void
apply_raw (Change *change)
{
  KgJson *raw = change->raw;

  change->raw = change->node->raw;
  change->node->raw = raw;
}

static void
apply_title (Change *change)
{
  swap_text (&change->graph->title, &change->text);
}

static void
apply_comment (Change *change)
{
  swap_text (&change->graph->comment, &change->text);
}

static void
apply_display (Change *change)
{
  swap_text (&change->graph->display, &change->text);
}

/* What every keyed, timed or driven input gives depends on the frames. */
static void
apply_frames (Change *change)
{
  const KgFrames frames = change->frames;

  change->frames = change->graph->frames;
  change->graph->frames = frames;
  kg_graph_invalidate (change->graph, false);
}

/* How each kind of change is applied, and the signal of its graph that announces it: about the node, where the change has
 * one; NULL where applying it emits one of its own. */
static const struct {
  void (*apply) (Change *change);
  const char *signal;
} change_kinds[] = {
  [CHANGE_PRESENCE] = { apply_presence, NULL },
  [CHANGE_SOURCE] = { apply_source, NULL },
  [CHANGE_NAME] = { apply_name, NULL },
  [CHANGE_POSITION] = { apply_position, "node-moved" },
  [CHANGE_BYPASS] = { apply_bypass, "node-changed" },
  [CHANGE_UNLOCKED] = { apply_unlocked, "node-changed" },
  [CHANGE_COLOR] = { apply_color, "node-changed" },
  [CHANGE_NODE_COMMENT] = { apply_node_comment, "node-changed" },
  [CHANGE_ASIDE] = { apply_aside, "node-changed" },
  [CHANGE_DEFINITION] = { apply_definition, "node-changed" },
  [CHANGE_RAW] = { apply_raw, "node-changed" },
  [CHANGE_TITLE] = { apply_title, "settings-changed" },
  [CHANGE_COMMENT] = { apply_comment, "settings-changed" },
  [CHANGE_DISPLAY] = { apply_display, "settings-changed" },
  [CHANGE_FRAMES] = { apply_frames, "settings-changed" },
};

G_STATIC_ASSERT (G_N_ELEMENTS (change_kinds) == CHANGE_N_KINDS);

static void
apply (Change *change)
{
  const char *signal = change_kinds[change->kind].signal;

  change_kinds[change->kind].apply (change);
  if (signal != NULL && change->node != NULL)
    g_signal_emit_by_name (change->graph, signal, change->node);
  else if (signal != NULL)
    g_signal_emit_by_name (change->graph, signal);
  emit_changed (change->graph);
}

static void
history_changed (KgGraph *root)
{
  g_signal_emit_by_name (root, "history-changed");
}

/* Of the changes of position of each node the first remembers where it was before the step: it is enough. */
static void
merge_moves (StepGroup *group)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) all = g_steal_pointer (&group->changes);

  group->changes = g_ptr_array_new_with_free_func (change_free);
  g_ptr_array_set_free_func (all, NULL);
  for (guint i = 0; i < all->len; i++) {
    Change *change = (Change *) g_ptr_array_index (all, i);

    if (change->kind == CHANGE_POSITION && !g_hash_table_add (seen, change->node))
      change_free (change);
    else
      g_ptr_array_add (group->changes, change);
  }
}

static void
close_group (KgGraph *root)
{
  KgHistory *history = root->history;
  StepGroup *group = g_steal_pointer (&history->open);

  g_clear_pointer (&group->moves, g_hash_table_unref);
  if (group->changes->len == 0) {
    step_group_free (group);
    return;
  }
  if (group->reopened)
    merge_moves (group);
  group->reopened = false;
  group->serial = history->serial++;
  g_ptr_array_set_size (history->undone, 0);
  g_ptr_array_add (history->done, group);
  if (history->done->len > MAX_STEPS && history->transactions->len == 0)
    g_ptr_array_remove_index (history->done, 0);
  history_changed (root);
}

/* The inside of a locked instance is what its preset says.  Nothing is refused while a file is read. */
bool
kg_graph_refuse_locked (KgGraph *graph, GError **error)
{
  const KgHistory *history = kg_graph_get_root (graph)->history;
  g_autofree char *path = NULL;

  if (history == NULL || history->paused || !kg_graph_is_locked (graph))
    return false;
  path = kg_node_dup_path (graph->owner);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is an instance of a preset: unlock it to edit its contents", path);
  return true;
}

/* Whether the open group remembers already where the node was, since the last point that it can go back to.  If not, it
 * will: the change that is made of the node next is its position. */
static bool
is_move_known (KgHistory *history, KgNode *node)
{
  StepGroup *group = history->open;
  const guint mark = g_array_index (history->marks, guint, history->marks->len - 1);

  if (group->moves == NULL)
    group->moves = g_hash_table_new (NULL, NULL);
  if (GPOINTER_TO_UINT (g_hash_table_lookup (group->moves, node)) > mark)
    return true;
  g_hash_table_insert (group->moves, node, GUINT_TO_POINTER (group->changes->len + 1));
  return false;
}

/* Applies a change made for graph (and node), and remembers it. */
static void
perform (Change *change, const char *label)
{
  KgGraph *root = kg_graph_get_root (change->graph);
  KgHistory *history = root->history;

  if (change->kind == CHANGE_POSITION && history != NULL && !history->paused && history->marks->len > 0 &&
      is_move_known (history, change->node)) {
    apply (change);
    change_free (change);
    return;
  }
  apply (change);
  if (history == NULL || history->paused) {
    change_free (change);
    return;
  }
  if (history->open == NULL) {
    history->open = step_group_new (label);
    g_ptr_array_add (history->open->changes, change);
    close_group (root);
  } else
    g_ptr_array_add (history->open->changes, change);
}

static Change *
change_new (ChangeKind kind, KgGraph *graph, KgNode *node)
{
  Change *change = g_new0 (Change, 1);

  change->kind = kind;
  change->graph = graph;
  change->node = node != NULL ? kg_node_ref (node) : NULL;
  return change;
}

static void
perform_text (ChangeKind kind, KgGraph *graph, KgNode *node, const char *text, const char *label)
{
  Change *change = change_new (kind, graph, node);

  change->text = g_strdup (text);
  perform (change, label);
}

/* Takes expression: the source's, where it is compiled already. */
static void
perform_source (KgNode *node, guint slot, const KgSource *source, KgExpression *expression)
{
  Change *change = change_new (CHANGE_SOURCE, node->parent, node);

  change->index = slot;
  change->source = kg_source_copy (source);
  change->expression = expression;
  perform (change, _ ("Set an input"));
}

/* Names. */

bool
kg_name_is_valid (const char *name, GError **error)
{
  const size_t length = strlen (name);

  if (length > 0 && length <= KG_NAME_MAX && !g_ascii_isdigit (name[0]) &&
      strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == length)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "\"%.*s\" is not a name for a node: use 1 to %d letters, digits and _, not a digit first", KG_NAME_MAX,
                name, KG_NAME_MAX);
  return false;
}

static bool
check_new_name (KgGraph *graph, const char *name, GError **error)
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

/* References of expressions to what is not there. */

static bool
check_reference (const KgUser *user, const KgReference *reference, const KgWire *wire, GError **error)
{
  if (kg_graph_check_cycle (user->node, user->input, wire, 1, error))
    return true;
  kg_prefix_error (error, "%s.%s names %s.%s: ", user->node->name, user->node->slots[user->input].name, reference->node,
                   reference->slot);
  return false;
}

/* Whether the node that holds graph may have slot under this name: expressions outside that name it already will
 * then read it.  All of them read one vertex, so no two of them can close a cycle together. */
static bool
check_outer_references (KgGraph *graph, guint slot, const char *name, GError **error)
{
  KgNode *owner = graph->owner;
  const KgWire wire = { .node = owner,
                        .slot = slot,
                        .reads_output = slot == KG_SLOT_UNKNOWN || !kg_slot_is_input (&owner->slots[slot]) };
  const GArray *waiting = owner != NULL && owner->parent != NULL ? owner->parent->dangling : NULL;

  for (guint i = 0; waiting != NULL && i < waiting->len; i++) {
    const KgUser *user = &g_array_index (waiting, KgUser, i);
    const KgInput *input = &user->node->inputs[user->input];

    for (guint k = 0; input->expression != NULL && k < input->n_wires; k++) {
      const KgReference *reference = kg_expression_get_reference (input->expression, k);

      if (g_str_equal (reference->node, owner->name) && g_str_equal (reference->slot, name) &&
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

    for (guint k = 0; good && input->expression != NULL && k < input->n_wires; k++) {
      const KgReference *reference = kg_expression_get_reference (input->expression, k);
      KgWire wire = { 0 };

      if (g_str_equal (reference->node, name) && kg_graph_resolve (graph, name, reference->slot, &wire))
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

/* Nodes. */

/* A few definitions, each made of several instances of the one before, are more nodes than there is memory for. */
static bool
has_room (KgGraph *graph, const KgPreset *preset)
{
  return kg_graph_get_root (graph)->n_instanced + kg_preset_get_size (preset) <= KG_GRAPH_MAX_NODES;
}

static KgNode *
add_node (KgGraph *graph, const KgNodeType *type, const char *type_id, const char *name, double x, double y,
          KgJson *raw, GError **error)
{
  g_autofree char *free_name = NULL;
  const char *slash = strrchr (type_id, '/');
  guint nesting = 0;
  KgNode *node;
  Change *change;

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
    kg_set_error (error, KG_ERROR_LIMIT, "a graph holds at most %d nodes, in at most %d nested graphs",
                  KG_GRAPH_MAX_NODES, KG_GRAPH_MAX_NESTING);
    return NULL;
  }
  if (name == NULL)
    name = free_name = kg_graph_make_free_name (graph, NULL, graph->last_numbers, slash != NULL ? slash + 1 : type_id);
  if (!check_new_name (graph, name, error) || (type != NULL && type->role == KG_ROLE_INTERFACE_OUTPUT &&
                                               !check_outer_references (graph, KG_SLOT_UNKNOWN, name, error))) {
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
    kg_set_string (&node->color, settings.color);
    kg_set_string (&node->comment, settings.comment);
  }
  report_json (type != NULL ? KG_EDIT_ADD : KG_EDIT_ADD_UNKNOWN, graph, node, raw);
  change = change_new (CHANGE_PRESENCE, graph, node);
  change->index = graph->nodes->len;
  kg_node_unref (node);
  perform (change, _ ("Add a node"));
  return node;
}

KgNode *
kg_graph_add (KgGraph *graph, const char *type_id, const char *name, double x, double y, GError **error)
{
  const KgNodeType *type = kg_types_find (graph->types, type_id);

  if (type == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_TYPE, "there is no node type \"%s\"", type_id);
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

/* Cutting links. */

/* Which links of an input are cut: those that read slot (or any slot: -1) of node, or, without a node, those that
 * read nothing or what does not convert. */
static bool
is_cut (const KgNode *reader, guint input, guint wire, const KgNode *node, int slot)
{
  const KgWire *w = &reader->inputs[input].wires[wire];

  if (node == NULL)
    return w->node == NULL || !kg_wire_fits (w, &reader->slots[input]);
  return w->node == node && (slot < 0 || w->slot == (guint) slot);
}

static void
cut_links (KgNode *reader, guint input, const KgNode *node, int slot)
{
  const KgSource *source = &reader->inputs[input].source;
  g_auto (KgSource) rest = KG_SOURCE_INIT;

  if (source->kind == KG_SOURCE_LINK) {
    if (is_cut (reader, input, 0, node, slot))
      perform_source (reader, input, &rest, NULL);
  } else if (source->kind == KG_SOURCE_LIST) {
    g_autofree KgSource *left = g_new0 (KgSource, MAX (source->list.n, 1));
    guint n = 0;

    for (guint k = 0; k < source->list.n; k++)
      if (source->list.items[k].kind != KG_SOURCE_LINK || !is_cut (reader, input, k, node, slot))
        left[n++] = source->list.items[k];
    if (n == source->list.n)
      return;
    if (n > 0)
      rest = kg_source_list (n, left);
    perform_source (reader, input, &rest, NULL);
  }
}

/* Cuts the links below that cannot carry what this slot carries now.  They end at slots of one kind, so cutting them
 * changes no kind further down. */
static void
cut_below (KgNode *node, guint slot)
{
  g_autoptr (GArray) broken = g_array_new (FALSE, FALSE, sizeof (KgUser));

  kg_node_check_kind_below (node, slot, kg_node_get_slot_kind (node, slot), broken, NULL);
  for (guint i = 0; i < broken->len; i++) {
    const KgUser *user = &g_array_index (broken, KgUser, i);

    cut_links (user->node, user->input, NULL, -1);
  }
}

void
kg_graph_cut_dangling (KgGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (graph->nodes, i);

    for (guint s = 0; s < node->n_slots; s++) {
      cut_links (node, s, NULL, -1);
      if (node->slots[s].kind == KG_ANY && node->slots[s].list)
        cut_below (node, s);
    }
  }
}

static void
cut_links_to (KgNode *node, int slot)
{
  const guint n = node->users.n;
  g_autofree KgUser *users = g_memdup2 (node->users.items, n * sizeof *users);

  for (guint i = 0; i < n; i++) {
    const KgUser *user = &users[i];

    cut_links (user->node, user->input, node, slot);
    /* What is first in a list now may be of another kind. */
    if (user->node->slots[user->input].kind == KG_ANY && user->node->slots[user->input].list)
      cut_below (user->node, user->input);
  }
}

/* Nodes of unknown types and what is set aside are kept as text, so what they read is changed there. */

/* A change of what sources read: slot (or any slot: NULL) of node has new names, or is no more (NULL). */
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

/* (transfer full) What a link that is_link_to says then. */
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

/* (transfer full) (nullable) One source of a node as it was read; NULL when it is no more. */
static KgJson *
rename_in_json (const KgJson *json, const Renaming *renaming, bool *changed)
{
  const bool one_text = json->kind == KG_JSON_OBJECT && json->n == 1 && json->items[0]->kind == KG_JSON_STRING;
  const char *old = one_text ? json->items[0]->string : NULL;
  g_autofree char *text = NULL;
  KgJson *renamed;

  if (json->kind == KG_JSON_ARRAY) {
    renamed = kg_json_new (KG_JSON_ARRAY);
    for (guint i = 0; i < json->n; i++) {
      KgJson *item = json->items[i]->kind == KG_JSON_OBJECT ? rename_in_json (json->items[i], renaming, changed)
                                                            : kg_json_copy (json->items[i]);

      if (item != NULL)
        kg_json_append (renamed, item);
    }
    return renamed;
  }
  if (one_text && g_str_equal (json->names[0], "link") && is_link_to (old, renaming)) {
    *changed = true;
    if (renaming->new_node == NULL)
      return NULL;
    text = rename_link (old, renaming);
  } else if (one_text && g_str_equal (json->names[0], "expr") && renaming->new_node != NULL) {
    text = rename_expression (old, renaming);
    *changed |= !g_str_equal (text, old);
  }
  if (text == NULL)
    return kg_json_copy (json);
  renamed = kg_json_new (KG_JSON_OBJECT);
  kg_json_set (renamed, json->names[0], kg_json_new_string (text));
  return renamed;
}

/* (transfer full) (nullable) A set of sources as JSON with new names; NULL where nothing changes.  aside: each stands in
 * the "value" of an object. */
static KgJson *
rename_in_sources (const KgJson *sources, bool aside, const Renaming *renaming)
{
  g_autoptr (KgJson) renamed = kg_json_new (KG_JSON_OBJECT);
  bool changed = false;

  for (guint i = 0; sources != NULL && sources->kind == KG_JSON_OBJECT && i < sources->n; i++) {
    const KgJson *item = aside ? kg_json_get (sources->items[i], "value") : sources->items[i];
    KgJson *source = item != NULL ? rename_in_json (item, renaming, &changed) : NULL;

    if (source != NULL && aside) {
      KgJson *entry = kg_json_copy (sources->items[i]);

      kg_json_set (entry, "value", source);
      source = entry;
    }
    if (source != NULL)
      kg_json_set (renamed, sources->names[i], source);
  }
  return changed ? g_steal_pointer (&renamed) : NULL;
}

static void
rename_in_raw (KgGraph *graph, KgNode *node, const Renaming *renaming)
{
  KgJson *renamed = rename_in_sources (kg_json_get (node->raw, "inputs"), false, renaming);
  Change *change;

  if (renamed == NULL)
    return;
  change = change_new (CHANGE_RAW, graph, node);
  change->raw = kg_json_copy (node->raw);
  kg_json_set (change->raw, "inputs", renamed);
  perform (change, NULL);
}

static void
rename_in_aside (KgGraph *graph, KgNode *node, const Renaming *renaming)
{
  KgJson *renamed = rename_in_sources (node->aside, true, renaming);

  if (renamed != NULL)
    kg_graph_set_aside (graph, node, renamed);
}

/* What is kept as text. */
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

/* What is displayed: a graph may name a node that is in it or further inside, or a slot made by one. */

/* (transfer full) (nullable) What graph displays once node is called name; NULL where it is gone.  *mentioned: whether
 * it displays node, something inside of it, or its slot outside, at all. */
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

/* Node is called name now, or (NULL) is about to go: what displays it follows, or displays nothing. */
static GPtrArray *
find_displays (KgGraph *graph, const KgNode *node, const char *name)
{
  GPtrArray *changes = g_ptr_array_new_with_free_func (change_free);

  for (; graph != NULL; graph = graph->owner != NULL ? graph->owner->parent : NULL) {
    bool mentioned;
    g_autofree char *display = rename_in_display (graph, node, name, &mentioned);

    if (mentioned) {
      Change *change = change_new (CHANGE_DISPLAY, graph, NULL);

      change->text = g_steal_pointer (&display);
      g_ptr_array_add (changes, change);
    }
  }
  return changes;
}

/* Takes the changes out of the array. */
static void
perform_all (GPtrArray *changes)
{
  g_ptr_array_set_free_func (changes, NULL);
  for (guint i = 0; i < changes->len; i++)
    perform ((Change *) g_ptr_array_index (changes, i), NULL);
  g_ptr_array_set_size (changes, 0);
}

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
  report_node (KG_EDIT_REMOVE, node);
  mute (graph);
  displays = find_displays (graph, node, NULL);
  kg_graph_begin_group (graph, _ ("Remove a node"));
  cut_links_to (node, -1);
  rename_in_unknown (graph, &gone);
  if (kg_node_is_interface (node) && kg_node_get_outside (node, &owner, &slot)) {
    /* The slot outside goes with it: first what hangs on it, so that undo can bring it back. */
    const Renaming slot_gone = { .node = owner->name, .slot = node->name };
    const KgSource none = KG_SOURCE_INIT;

    if (owner->inputs[slot].source.kind != KG_SOURCE_DEFAULT)
      perform_source (owner, slot, &none, NULL);
    cut_links_to (owner, (int) slot);
    rename_in_unknown (owner->parent, &slot_gone);
  }
  perform_all (displays);
  perform (change_new (CHANGE_PRESENCE, graph, node), NULL);
  kg_graph_end_group (graph);
  unmute (graph);
}

/* Renaming. */

/* (transfer full) (nullable) The change of what an input reads; NULL when it stays the same.  Fails when an
 * expression would become too long. */
static bool
rename_in_source (KgNode *user, guint input, const Renaming *renaming, GPtrArray *changes, GError **error)
{
  g_auto (KgSource) source = kg_source_copy (&user->inputs[input].source);
  g_autoptr (KgExpression) expression = NULL;
  Change *change;

  if (source.kind == KG_SOURCE_EXPRESSION || (source.kind == KG_SOURCE_LINK && is_link_to (source.text, renaming))) {
    char *text = source.kind == KG_SOURCE_LINK ? rename_link (source.text, renaming)
                                               : rename_expression (source.text, renaming);

    g_free (source.text);
    source.text = text;
  } else if (source.kind == KG_SOURCE_LIST) {
    for (guint i = 0; i < source.list.n; i++) {
      KgSource *item = &source.list.items[i];

      if (item->kind == KG_SOURCE_LINK && is_link_to (item->text, renaming)) {
        char *text = rename_link (item->text, renaming);

        g_free (item->text);
        item->text = text;
      }
    }
  }
  if (kg_source_equal (&source, &user->inputs[input].source))
    return true;
  if (source.kind == KG_SOURCE_EXPRESSION) {
    expression = kg_expression_new (source.text, error);
    if (expression == NULL) {
      kg_prefix_error (error, "%s.%s reads it: ", user->name, user->slots[input].name);
      return false;
    }
  }
  change = change_new (CHANGE_SOURCE, user->parent, user);
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
  g_autoptr (GPtrArray) sources = g_ptr_array_new_with_free_func (change_free);
  g_autoptr (GPtrArray) displays = NULL;
  g_autofree char *old_name = g_strdup (node->name);
  g_auto (KgSource) outer_source = KG_SOURCE_INIT;
  const Renaming renaming = { .node = old_name, .new_node = name };
  Renaming outer = { .slot = old_name, .new_slot = name };
  const guint64 stamp = ++kg_graph_get_root (graph)->visit;
  KgNode *owner = NULL;
  guint slot = 0;

  g_return_val_if_fail (node->parent == graph, false);
  if (g_str_equal (name, node->name))
    return true;
  if (kg_graph_refuse_locked (graph, error))
    return false;
  if (kg_node_is_interface (node) && kg_node_get_outside (node, &owner, &slot))
    outer.node = outer.new_node = owner->name;
  if (!check_new_name (graph, name, error) || !check_references (graph, node, name, error) ||
      (owner != NULL && !check_outer_references (graph, slot, name, error)) ||
      !rename_in_users (node->users.items, node->users.n, stamp, &renaming, sources, error) ||
      !rename_in_users ((const KgUser *) (void *) graph->dangling->data, graph->dangling->len, stamp, &renaming,
                        sources, error) ||
      (owner != NULL && !rename_in_users (owner->users.items, owner->users.n, stamp, &outer, sources, error)))
    return false;
  report_text (KG_EDIT_RENAME, graph, node, name);
  mute (graph);
  displays = find_displays (graph, node, name);
  kg_graph_begin_group (graph, _ ("Rename"));
  if (owner != NULL && owner->inputs[slot].source.kind != KG_SOURCE_DEFAULT) {
    /* The slot outside changes its name: carry its source over, in steps that undo in order. */
    const KgSource none = KG_SOURCE_INIT;

    outer_source = kg_source_copy (&owner->inputs[slot].source);
    perform_source (owner, slot, &none, NULL);
  }
  perform_text (CHANGE_NAME, graph, node, name, NULL);
  if (outer_source.kind != KG_SOURCE_DEFAULT)
    perform_source (owner, slot, &outer_source, NULL);
  perform_all (sources);
  rename_in_unknown (graph, &renaming);
  if (owner != NULL)
    rename_in_unknown (owner->parent, &outer);
  perform_all (displays);
  kg_graph_end_group (graph);
  unmute (graph);
  return true;
}

/* Instances of presets. */

void
kg_graph_exchange (KgGraph *graph, KgNode *node, KgNode *fresh)
{
  Change *change = change_new (CHANGE_PRESENCE, graph, fresh);

  /* Links to it dangle meanwhile, and find their name again. */
  change->index = kg_graph_get_place (graph, node);
  perform (change_new (CHANGE_PRESENCE, graph, node), NULL);
  perform (change, NULL);
}

void
kg_node_redirect (KgNode *node, const char *slot, const char *new_name)
{
  const Renaming renaming = {
    .node = node->name, .slot = slot, .new_node = new_name != NULL ? node->name : NULL, .new_slot = new_name
  };
  g_autoptr (GPtrArray) changes = g_ptr_array_new_with_free_func (change_free);
  g_autoptr (GArray) dangling = kg_graph_find_dangling (node->parent, node->name);

  for (guint i = 0; i < dangling->len; i++) {
    const KgUser *user = &g_array_index (dangling, KgUser, i);

    if (new_name != NULL)
      rename_in_source (user->node, user->input, &renaming, changes, NULL);
    else if (user->node->inputs[user->input].source.kind != KG_SOURCE_EXPRESSION)
      cut_links (user->node, user->input, NULL, -1);
  }
  perform_all (changes);
  rename_in_unknown (node->parent, &renaming);
}

void
kg_node_cut_unfit (KgNode *node)
{
  for (guint s = 0; s < node->n_slots; s++)
    if (kg_slot_is_input (&node->slots[s]))
      cut_links_to (node, (int) s);
    else
      cut_below (node, s);
}

void
kg_graph_set_aside (KgGraph *graph, KgNode *node, KgJson *aside)
{
  Change *change = change_new (CHANGE_ASIDE, graph, node);

  report_json (KG_EDIT_ASIDE, graph, node, aside);
  change->raw = aside;
  perform (change, _ ("Set values aside"));
}

void
kg_graph_set_definition (KgGraph *graph, KgNode *node, KgPreset *preset)
{
  Change *change = change_new (CHANGE_DEFINITION, graph, node);

  change->preset = kg_preset_ref (preset);
  perform (change, _ ("Change the definition"));
}

/* Sources. */

guint
kg_kind_get_width (KgKind kind)
{
  static const guint widths[KG_N_KINDS] = {
    [KG_NUMBER] = 1,   [KG_INTEGER] = 1, [KG_BOOLEAN] = 1,   [KG_CHOICE] = 1, [KG_VECTOR] = 3, [KG_COLOR] = 4,
    [KG_ROTATION] = 4, [KG_MOTION] = 4,  [KG_TRANSFORM] = 3, [KG_FIELD] = 3,  [KG_ANY] = 4
  };

  return kind < KG_N_KINDS ? widths[kind] : 0;
}

/* Turns a constant into what a file can say of it, and what reading that gives again. */
static bool
make_writable (const KgSlot *slot, KgValue *value, GError **error)
{
  g_auto (KgValue) converted = KG_VALUE_INIT;
  const bool has_numbers = slot->kind == KG_MOTION || slot->kind == KG_FIELD;

  if (value->kind >= KG_MOTION || (slot->kind >= KG_MOTION && slot->kind != KG_ANY && !has_numbers)) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s is made by a node: link one",
                  kg_kind_get_phrase (slot->kind == KG_ANY ? value->kind : slot->kind));
    return false;
  }
  if (value->kind == KG_TEXT && !g_utf8_validate (value->text, -1, NULL)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the text is not UTF-8");
    return false;
  }
  if (value->kind == KG_INTEGER && ABS ((double) value->integer) > 9007199254740992.0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%" PRId64 ": an integer must be between -2^53 and 2^53",
                  value->integer);
    return false;
  }
  if ((slot->kind == KG_ANY && value->kind == KG_INTEGER) ||
      (has_numbers && !(slot->kind == KG_FIELD && value->kind == KG_VECTOR))) {
    if (!kg_value_convert (value, KG_NUMBER, &converted, error))
      return false;
  } else if (slot->kind == KG_ANY && value->kind == KG_ROTATION) {
    if (!kg_value_convert (value, KG_TRANSFORM, &converted, error))
      return false;
  } else
    return true;
  kg_value_clear (value);
  *value = converted;
  converted = (KgValue) KG_VALUE_INIT;
  return true;
}

/* Checks a constant against a slot and turns it into what the slot stores. */
static bool
check_constant (const KgSlot *slot, KgValue *value, GError **error)
{
  g_auto (KgValue) converted = KG_VALUE_INIT;

  if (slot->kind == KG_CHOICE && value->kind == KG_INTEGER) {
    int n = 0;

    while (slot->choices[n].nick != NULL)
      n++;
    if (value->integer >= 0 && value->integer < n) {
      const char *nick = slot->choices[value->integer].nick;

      *value = kg_value_text (nick);
      return true;
    }
  }
  if (slot->kind == KG_CHOICE && (value->kind != KG_TEXT || kg_slot_find_choice (slot, value->text) < 0)) {
    g_autoptr (GString) nicks = g_string_new (NULL);

    for (guint i = 0; slot->choices[i].nick != NULL; i++)
      g_string_append_printf (nicks, "%s%s", i > 0 ? ", " : "", slot->choices[i].nick);
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "\"%s\" is not one of: %s",
                  value->kind == KG_TEXT ? value->text : kg_kind_get_name (value->kind), nicks->str);
    return false;
  }
  if (!kg_value_check_finite (value, error) || !make_writable (slot, value, error))
    return false;
  if (slot->kind == KG_MOTION || slot->kind == KG_FIELD || slot->kind == KG_ANY)
    return true;
  if (!kg_value_convert (value, slot->kind, &converted, error))
    return false;
  if (slot->kind == KG_ROTATION && !kg_rotation_make_unit (&converted.rotation, error))
    return false;
  kg_value_clear (value);
  *value = converted;
  converted = (KgValue) KG_VALUE_INIT;
  return true;
}

static bool
check_keys (const KgSlot *slot, const KgChannel *keys, GError **error)
{
  const guint width = kg_kind_get_width (slot->kind);
  const bool any_width = slot->kind == KG_MOTION;
  gsize n;
  const KgKey *list = kg_channel_get_keys (keys, &n);

  for (gsize i = 0; list != NULL && i < n; i++)
    if (fabs (list[i].at) > KG_GRAPH_MAX_FRAME) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "a key at %g: keys must be within ±10^9", list[i].at);
      return false;
    }
  if (slot->kind == KG_NUMBER || slot->kind == KG_INTEGER || slot->kind == KG_BOOLEAN || slot->kind == KG_VECTOR ||
      slot->kind == KG_COLOR || slot->kind == KG_ROTATION || any_width) {
    if (any_width || kg_channel_get_width (keys) == width)
      return true;
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "keys of %s have %u numbers each, not %u",
                  kg_kind_get_phrase (slot->kind), width, kg_channel_get_width (keys));
    return false;
  }
  kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s cannot be keyed: link a node that makes it",
                kg_kind_get_phrase (slot->kind));
  return false;
}

/* (transfer full) (nullable) */
static KgExpression *
check_expression (const KgSlot *slot, const char *text, GError **error)
{
  g_autoptr (KgExpression) expression = NULL;
  guint n, width = kg_kind_get_width (slot->kind);

  if (width == 0) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s cannot come from an expression: link a node",
                  kg_kind_get_phrase (slot->kind));
    return NULL;
  }
  expression = kg_expression_new (text, error);
  if (expression == NULL)
    return NULL;
  n = kg_expression_get_n_results (expression);
  if (n == 1 || n == width || (slot->kind == KG_COLOR && n == 3) || (slot->kind == KG_ANY && n == 3))
    return g_steal_pointer (&expression);
  kg_set_error (error, KG_ERROR_EXPRESSION, "column 1: %s needs %u results separated by commas, not %u",
                kg_kind_get_phrase (slot->kind), width, n);
  return NULL;
}

/* Finds what a link means. */
static bool
check_link (KgGraph *graph, const char *target, KgWire *wire, GError **error)
{
  const char *dot = strchr (target, '.');
  g_autofree char *name = dot != NULL ? g_strndup (target, (gsize) (dot - target)) : g_strdup (target);
  const KgNode *from = kg_graph_find (graph, name);
  g_autoptr (GString) names = NULL;

  if (dot == NULL || !g_utf8_validate (target, -1, NULL)) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "\"%s\" is not a link: write node.output", target);
    return false;
  }
  if (from == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "there is no node \"%s\"", name);
    return false;
  }
  if (kg_graph_resolve (graph, name, dot + 1, wire) && wire->reads_output)
    return true;
  names = g_string_new (NULL);
  for (guint i = 0; i < from->n_slots; i++)
    if (from->slots[i].role == KG_SLOT_OUTPUT)
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", from->slots[i].name);
  if (names->len == 0)
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no output \"%s\", and none at all", name, dot + 1);
  else
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no output \"%s\" (it has: %s)", name, dot + 1, names->str);
  return false;
}

static bool
check_list (KgGraph *graph, const KgSlot *slot, KgSource *source, bool kinds, KgWire *wires, GError **error)
{
  if (source->list.n > KG_SOURCE_MAX_ITEMS) {
    kg_set_error (error, KG_ERROR_LIMIT, "a list has at most %d items", KG_SOURCE_MAX_ITEMS);
    return false;
  }
  for (guint i = 0; i < source->list.n; i++) {
    KgSource *item = &source->list.items[i];
    bool good;

    if (item->kind == KG_SOURCE_LINK)
      good = check_link (graph, item->text, &wires[i], error) &&
             (!kinds || kg_wire_check_kind (&wires[i], slot, error));
    else if (item->kind == KG_SOURCE_CONSTANT)
      good = check_constant (slot, &item->constant, error);
    else {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "a list takes links and constants: use a value node");
      good = false;
    }
    if (!good) {
      kg_prefix_error (error, "item %u: ", i);
      return false;
    }
  }
  return true;
}

/* Wires that an expression would have; unknown names leave gaps. */
static KgWire *
expression_wires (KgGraph *graph, const KgExpression *expression, guint *n)
{
  KgWire *wires;

  *n = kg_expression_get_n_references (expression);
  wires = g_new0 (KgWire, MAX (*n, 1));
  for (guint i = 0; i < *n; i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);

    kg_graph_resolve (graph, reference->node, reference->slot, &wires[i]);
  }
  return wires;
}

/* Turns a single constant or link for a list input into a list of one. */
static KgSource
normalize (const KgSlot *slot, const KgSource *source)
{
  if (slot->list && (source->kind == KG_SOURCE_CONSTANT || source->kind == KG_SOURCE_LINK))
    return kg_source_list (1, source);
  return kg_source_copy (source);
}

static bool
check_shape (const KgSlot *slot, const KgSource *source, GError **error)
{
  const char *message = NULL;

  if (slot->role != KG_SLOT_INPUT) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is not an input", slot->name);
    return false;
  }
  if (slot->fixed && source->kind > KG_SOURCE_CONSTANT)
    message = "this input takes a constant only";
  else if (slot->list && source->kind != KG_SOURCE_DEFAULT && source->kind != KG_SOURCE_LIST)
    message = "this input takes a list of links and constants";
  else if (!slot->list && source->kind == KG_SOURCE_LIST)
    message = "this input takes one value, not a list";
  else
    return true;
  g_set_error_literal (error, KG_ERROR, KG_ERROR_INVALID_VALUE, message);
  return false;
}

/* Checks a source and turns its constants into what the slot stores.  kinds: also that its links convert, and that
 * what reads this node can still.  *expression (transfer full): the source compiled, where it is one. */
static bool
check_source (KgGraph *graph, KgNode *node, guint index, KgSource *source, bool kinds, KgExpression **expression,
              GError **error)
{
  const KgSlot *slot = &node->slots[index];
  g_autofree KgWire *wires = NULL;
  KgKind kind;
  guint n = 0;

  if (!check_shape (slot, source, error))
    return false;
  switch (source->kind) {
  case KG_SOURCE_CONSTANT:
    if (!check_constant (slot, &source->constant, error))
      return false;
    break;
  case KG_SOURCE_KEYS:
    if (!check_keys (slot, source->keys, error))
      return false;
    break;
  case KG_SOURCE_EXPRESSION:
    *expression = check_expression (slot, source->text, error);
    if (*expression == NULL)
      return false;
    wires = expression_wires (graph, *expression, &n);
    break;
  case KG_SOURCE_LINK:
    n = 1;
    wires = g_new0 (KgWire, 1);
    if (!check_link (graph, source->text, wires, error) || (kinds && !kg_wire_check_kind (wires, slot, error)))
      return false;
    break;
  case KG_SOURCE_LIST:
    n = source->list.n;
    wires = g_new0 (KgWire, MAX (n, 1));
    if (!check_list (graph, slot, source, kinds, wires, error))
      return false;
    break;
  case KG_SOURCE_DEFAULT:
  default:
    break;
  }
  if (n > 0 && !kg_graph_check_cycle (node, index, wires, n, error))
    return false;
  if (!kinds || slot->kind != KG_ANY)
    return true;
  kind = kg_source_get_kind (source, wires);
  return kind == kg_node_get_slot_kind (node, index) || kg_node_check_kind_below (node, index, kind, NULL, error);
}

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
    cut_below (owner, slot);
    return;
  }
  source = kg_source_copy (&owner->inputs[slot].source);
  if (!check_source (owner->parent, owner, slot, &source, true, &expression, NULL))
    perform_source (owner, slot, &none, NULL);
  else if (!kg_source_equal (&source, &owner->inputs[slot].source))
    perform_source (owner, slot, &source, g_steal_pointer (&expression));
}

static bool
set_source (KgGraph *graph, KgNode *node, guint slot, const KgSource *source, bool kinds, GError **error)
{
  g_autoptr (KgExpression) expression = NULL;
  g_auto (KgSource) checked = KG_SOURCE_INIT;

  g_return_val_if_fail (node->parent == graph && slot < node->n_slots, false);
  if (kg_graph_refuse_locked (graph, error))
    return false;
  checked = normalize (&node->slots[slot], source);
  if (!check_source (graph, node, slot, &checked, kinds, &expression, error))
    return false;
  if (kg_source_equal (&checked, &node->inputs[slot].source))
    return true;
  report (&(KgEdit){ .verb = KG_EDIT_SET, .graph = graph, .node = node, .slot = slot, .source = &checked });
  if (!kinds || !kg_node_is_interface (node) || !node->slots[slot].fixed) {
    perform_source (node, slot, &checked, g_steal_pointer (&expression));
    return true;
  }
  mute (graph);
  kg_graph_begin_group (graph, _ ("Set an input"));
  perform_source (node, slot, &checked, NULL);
  repair_outside (node);
  kg_graph_end_group (graph);
  unmute (graph);
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
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s has no input \"%s\"", node->name, name);
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
  g_auto (KgSource) source = normalize (&to->slots[input], &link);
  g_autoptr (KgExpression) expression = NULL;

  return check_source (graph, to, input, &source, true, &expression, error);
}

/* Settings of nodes and graphs. */

void
kg_graph_move (KgGraph *graph, KgNode *node, double x, double y)
{
  Change *change;

  if ((node->x == x && node->y == y) || !isfinite (x) || !isfinite (y) || kg_graph_refuse_locked (graph, NULL))
    return;
  report_move (node, x, y);
  change = change_new (CHANGE_POSITION, graph, node);
  change->x = x;
  change->y = y;
  perform (change, _ ("Move"));
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
  Change *change;

  if (node->bypass == bypass || kg_graph_refuse_locked (graph, NULL))
    return;
  report_flag (KG_EDIT_BYPASS, node, bypass);
  change = change_new (CHANGE_BYPASS, graph, node);
  change->flag = bypass;
  perform (change, _ ("Bypass"));
}

void
kg_graph_set_unlocked (KgGraph *graph, KgNode *node, bool unlocked)
{
  Change *change;

  if (node->unlocked == unlocked || kg_node_get_preset (node) == NULL || kg_graph_refuse_locked (graph, NULL))
    return;
  report_flag (KG_EDIT_UNLOCK, node, unlocked);
  change = change_new (CHANGE_UNLOCKED, graph, node);
  change->flag = unlocked;
  perform (change, unlocked ? _ ("Unlock a preset") : _ ("Lock a preset"));
}

void
kg_graph_set_color (KgGraph *graph, KgNode *node, const char *color)
{
  if (g_strcmp0 (node->color, color) == 0 || kg_graph_refuse_locked (graph, NULL))
    return;
  report_text (KG_EDIT_COLOR, graph, node, color);
  perform_text (CHANGE_COLOR, graph, node, color, _ ("Colour a node"));
}

void
kg_graph_set_node_comment (KgGraph *graph, KgNode *node, const char *comment)
{
  if (g_strcmp0 (node->comment, comment) == 0 || kg_graph_refuse_locked (graph, NULL))
    return;
  report_text (KG_EDIT_COMMENT, graph, node, comment);
  perform_text (CHANGE_NODE_COMMENT, graph, node, comment, _ ("Comment on a node"));
}

void
kg_graph_set_title (KgGraph *graph, const char *title)
{
  if (g_str_equal (graph->title, title))
    return;
  report_text (KG_EDIT_TITLE, graph, NULL, title);
  perform_text (CHANGE_TITLE, graph, NULL, title, _ ("Change the title"));
}

void
kg_graph_set_comment (KgGraph *graph, const char *comment)
{
  if (g_str_equal (graph->comment, comment))
    return;
  report_text (KG_EDIT_COMMENT, graph, NULL, comment);
  perform_text (CHANGE_COMMENT, graph, NULL, comment, _ ("Comment on the graph"));
}

void
kg_graph_set_display (KgGraph *graph, const char *target)
{
  if (g_strcmp0 (graph->display, target) == 0)
    return;
  report_text (KG_EDIT_DISPLAY, graph, NULL, target);
  perform_text (CHANGE_DISPLAY, graph, NULL, target, _ ("Choose what to display"));
}

bool
kg_graph_set_frames (KgGraph *graph, KgFrames frames, GError **error)
{
  KgGraph *root = kg_graph_get_root (graph);
  Change *change;

  if (!isfinite (frames.start) || !isfinite (frames.end) || !(frames.end >= frames.start) ||
      fabs (frames.start) > KG_GRAPH_MAX_FRAME || fabs (frames.end) > KG_GRAPH_MAX_FRAME) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "frames %g to %g: the last must not be before the first, and both within ±10^9", frames.start,
                  frames.end);
    return false;
  }
  if (!(frames.rate >= 1e-3 && frames.rate <= 1e6)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%g frames per second: the rate must be between 0.001 and 1000000",
                  frames.rate);
    return false;
  }
  if (memcmp (&frames, &root->frames, sizeof frames) == 0)
    return true;
  report (&(KgEdit){ .verb = KG_EDIT_FRAMES, .graph = root, .frames = frames });
  change = change_new (CHANGE_FRAMES, root, NULL);
  change->frames = frames;
  perform (change, _ ("Change the frames"));
  return true;
}

/* History. */

void
kg_graph_begin_group (KgGraph *graph, const char *label)
{
  KgHistory *history = kg_graph_get_root (graph)->history;
  guint n;

  if (history == NULL || history->paused)
    return;
  report_text (KG_EDIT_BEGIN_GROUP, graph, NULL, label != NULL ? label : "");
  if (history->open == NULL) {
    history->open = step_group_new (label);
    history->open->is_group = true;
  }
  n = history->open->changes->len;
  g_array_append_val (history->marks, n);
}

guint64
kg_graph_get_step (KgGraph *graph)
{
  const KgHistory *history = kg_graph_get_root (graph)->history;

  if (history == NULL || history->done->len == 0)
    return 0;
  return ((const StepGroup *) g_ptr_array_index (history->done, history->done->len - 1))->serial + 1;
}

void
kg_graph_end_group (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;

  if (history == NULL || history->paused)
    return;
  g_return_if_fail (history->marks->len > 0);
  report (&(KgEdit){ .verb = KG_EDIT_END, .graph = root });
  g_array_set_size (history->marks, history->marks->len - 1);
  if (history->marks->len > 0)
    return;
  {
    const guint64 before = kg_graph_get_step (root);

    close_group (root);
    if (kg_graph_get_step (root) != before && get_logged (root) != NULL)
      history->reported_step = kg_graph_get_step (root);
  }
}

void
kg_graph_cancel_group (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;
  guint mark;

  if (history == NULL || history->paused)
    return;
  g_return_if_fail (history->marks->len > 0);
  report (&(KgEdit){ .verb = KG_EDIT_CANCEL, .graph = root });
  mute (root);
  kg_graph_hold_changed (root);
  mark = g_array_index (history->marks, guint, history->marks->len - 1);
  while (history->open->changes->len > mark) {
    apply ((Change *) g_ptr_array_index (history->open->changes, history->open->changes->len - 1));
    g_ptr_array_remove_index (history->open->changes, history->open->changes->len - 1);
  }
  g_clear_pointer (&history->open->moves, g_hash_table_unref);
  kg_graph_end_group (graph);
  unmute (root);
  kg_graph_release_changed (root);
}

/* Transactions. */

/* Steps below this one are not of the transaction that is open. */
static guint
get_floor (const KgHistory *history)
{
  const guint n = history->transactions->len;

  return n > 0 ? g_array_index (history->transactions, Transaction, n - 1).n_done : 0;
}

void
kg_graph_begin_transaction (KgGraph *graph, const char *label)
{
  KgHistory *history = kg_graph_get_root (graph)->history;
  Transaction transaction = { .label = g_strdup (label) };

  g_return_if_fail (history != NULL && !history->paused && history->open == NULL);
  report_text (KG_EDIT_BEGIN_TRANSACTION, graph, NULL, label != NULL ? label : "");
  transaction.n_done = history->done->len;
  transaction.undone = history->undone;
  history->undone = g_ptr_array_new_with_free_func (step_group_free);
  g_array_append_val (history->transactions, transaction);
}

void
kg_graph_end_transaction (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;
  Transaction *transaction;
  StepGroup *whole;

  g_return_if_fail (history != NULL && history->transactions->len > 0 && history->open == NULL);
  report (&(KgEdit){ .verb = KG_EDIT_END, .graph = root });
  transaction = &g_array_index (history->transactions, Transaction, history->transactions->len - 1);
  whole = step_group_new (transaction->label);
  for (guint i = transaction->n_done; i < history->done->len; i++) {
    const StepGroup *step = (const StepGroup *) g_ptr_array_index (history->done, i);

    g_ptr_array_set_free_func (step->changes, NULL);
    for (guint k = 0; k < step->changes->len; k++)
      g_ptr_array_add (whole->changes, g_ptr_array_index (step->changes, k));
    g_ptr_array_set_size (step->changes, 0);
  }
  g_ptr_array_set_size (history->done, (gint) transaction->n_done);
  g_ptr_array_set_size (history->undone, 0);
  if (whole->changes->len == 0) {
    g_ptr_array_unref (history->undone);
    history->undone = g_steal_pointer (&transaction->undone);
  }
  g_array_set_size (history->transactions, history->transactions->len - 1);
  history->open = whole;
  if (whole->changes->len > 0)
    close_group (root);
  else
    step_group_free (g_steal_pointer (&history->open));
}

void
kg_graph_cancel_transaction (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;
  Transaction *transaction;

  g_return_if_fail (history != NULL && history->transactions->len > 0 && history->open == NULL);
  report (&(KgEdit){ .verb = KG_EDIT_CANCEL, .graph = root });
  mute (root);
  while (kg_graph_undo (root))
    ;
  unmute (root);
  transaction = &g_array_index (history->transactions, Transaction, history->transactions->len - 1);
  g_ptr_array_unref (history->undone);
  history->undone = g_steal_pointer (&transaction->undone);
  g_array_set_size (history->transactions, history->transactions->len - 1);
  history_changed (root);
}

/* Undo or redo of a step from before the log cannot be repeated. */
static void
report_history (KgGraph *root, const StepGroup *group, KgEditVerb verb)
{
  const KgEdit edit = { .verb = group->serial >= root->history->log_since ? verb : KG_EDIT_OTHER, .graph = root };

  report (&edit);
}

bool
kg_graph_reopen_group (KgGraph *graph, guint64 step)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;
  StepGroup *group;
  guint n;

  if (history == NULL || history->paused || history->open != NULL || history->undone->len > 0 ||
      history->done->len == 0 || history->transactions->len > 0 || kg_graph_get_step (root) != step)
    return false;
  group = (StepGroup *) g_ptr_array_index (history->done, history->done->len - 1);
  /* (The log takes the end of the group back: it must be what was reported last.) */
  if (!group->is_group || (get_logged (root) != NULL && history->reported_step != step))
    return false;
  report (&(KgEdit){ .verb = KG_EDIT_REOPEN, .graph = root });
  g_ptr_array_steal_index (history->done, history->done->len - 1);
  group->reopened = true;
  history->open = group;
  n = group->changes->len;
  g_array_append_val (history->marks, n);
  return true;
}

bool
kg_graph_undo (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;
  StepGroup *group;

  if (history == NULL || history->done->len <= get_floor (history) || history->open != NULL)
    return false;
  group = (StepGroup *) g_ptr_array_steal_index (history->done, history->done->len - 1);
  report_history (root, group, KG_EDIT_UNDO);
  kg_graph_hold_changed (root);
  for (guint i = group->changes->len; i > 0; i--)
    apply ((Change *) g_ptr_array_index (group->changes, i - 1));
  g_ptr_array_add (history->undone, group);
  kg_graph_release_changed (root);
  history_changed (root);
  return true;
}

bool
kg_graph_redo (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);
  KgHistory *history = root->history;
  StepGroup *group;

  if (history == NULL || history->undone->len == 0 || history->open != NULL)
    return false;
  group = (StepGroup *) g_ptr_array_steal_index (history->undone, history->undone->len - 1);
  report_history (root, group, KG_EDIT_REDO);
  kg_graph_hold_changed (root);
  for (guint i = 0; i < group->changes->len; i++)
    apply ((Change *) g_ptr_array_index (group->changes, i));
  g_ptr_array_add (history->done, group);
  kg_graph_release_changed (root);
  history_changed (root);
  return true;
}

static const char *
last_label (const GPtrArray *groups)
{
  return groups->len > 0 ? ((const StepGroup *) g_ptr_array_index (groups, groups->len - 1))->label : NULL;
}

const char *
kg_graph_get_undo_label (KgGraph *graph)
{
  const KgHistory *history = kg_graph_get_root (graph)->history;

  return history != NULL ? last_label (history->done) : NULL;
}

const char *
kg_graph_get_redo_label (KgGraph *graph)
{
  const KgHistory *history = kg_graph_get_root (graph)->history;

  return history != NULL ? last_label (history->undone) : NULL;
}

void
kg_graph_clear_history (KgGraph *graph)
{
  KgGraph *root = kg_graph_get_root (graph);

  if (root->history == NULL)
    return;
  g_ptr_array_set_size (root->history->undone, 0);
  g_ptr_array_set_size (root->history->done, 0);
  history_changed (root);
}

void
kg_graph_set_recording (KgGraph *graph, bool recording)
{
  KgHistory *history = kg_graph_get_root (graph)->history;

  if (history != NULL)
    history->paused = !recording;
}

/* kineo check: is a file a graph, and what in it will not evaluate?
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "kg-preset.h"
#include "kg-regular-file.h"
#include "kg-render.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Trying nodes ends after this long. */
#define MOST_SECONDS 10

typedef struct {
  const char *file;
  guint n_nodes, n_warnings;
  GHashTable *said;   /* what was printed: "path: message" */
  GHashTable *warned; /* KgNode: a problem of it was found without evaluating it */
} Check;

static void print_problem (Check *check, char *text);
static void warn (Check *check, KgNode *node, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
warn (Check *check, KgNode *node, const char *format, ...)
{
  g_autofree char *path = kg_node_dup_path (node);
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_hash_table_add (check->warned, node);
  print_problem (check, g_strdup_printf ("%s: %s", path, message));
}

/* Takes text: "path: message". */
static void
print_problem (Check *check, char *text)
{
  if (!g_hash_table_add (check->said, text))
    return;
  cli_write_error (_ ("%s: warning: %s\n"), check->file, text);
  check->n_warnings++;
}

/* (transfer full) */
static char *
suggest_reference (KgGraph *graph, const KgReference *reference)
{
  const KgNode *node = kg_graph_find (graph, reference->node);
  g_autofree char *output = NULL;

  if (node == NULL)
    return kg_graph_suggest_node (graph, reference->node);
  output = kg_node_suggest_slot (node, reference->slot, KG_SLOT_OUTPUT);
  return *output != '\0' ? g_steal_pointer (&output) : kg_node_suggest_slot (node, reference->slot, KG_SLOT_INPUT);
}

static void
check_expression (Check *check, KgNode *node, const KgSlot *slot, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgExpression) expression = kg_expression_new (text, &error);

  if (expression == NULL) {
    warn (check, node, _ ("%s: %s"), slot->name, error->message);
    return;
  }
  for (guint i = 0; i < kg_expression_get_n_references (expression); i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);
    const KgNode *other = kg_graph_find (kg_node_get_parent (node), reference->node);

    if (other == NULL || (kg_node_get_type (other) != NULL && kg_node_find_slot (other, reference->slot) < 0)) {
      g_autofree char *hint = suggest_reference (kg_node_get_parent (node), reference);

      warn (check, node, _ ("%s: column %u: %s.%s does not exist%s"), slot->name, reference->column, reference->node,
            reference->slot, hint);
    }
  }
}

static void
check_number (Check *check, KgNode *node, const KgSlot *slot, double x)
{
  if (x < slot->min || x > slot->max)
    warn (check, node, _ ("%s: %g is outside %g to %g: %g is used"), slot->name, x, slot->min, slot->max,
          CLAMP (x, slot->min, slot->max));
}

/* The numbers and keys of a vector whose components have sources of their own. */
static void
check_components (Check *check, KgNode *node, const KgSlot *slot, const KgSource *source)
{
  for (guint k = 0; k < 3; k++) {
    const KgSource *own = kg_source_get_cell (source, 0, k);
    gsize n = 0;
    const KgKey *keys = own != NULL && own->kind == KG_SOURCE_KEYS ? kg_channel_get_keys (own->keys, &n) : NULL;

    if (own == NULL)
      check_number (check, node, slot, kg_table_get_row (source->table.rows, 0)[k]);
    for (gsize i = 0; i < n; i++)
      check_number (check, node, slot, keys[i].value[0]);
  }
}

/* Checks constants and each key. */
static void
check_range (Check *check, KgNode *node, const KgSlot *slot, const KgSource *source)
{
  gsize n = 0;
  const KgKey *keys = source->kind == KG_SOURCE_KEYS ? kg_channel_get_keys (source->keys, &n) : NULL;
  const bool is_vector = slot->kind == KG_VECTOR;
  g_auto (KgValue) value = KG_VALUE_INIT;
  double x;

  if (!kg_slot_has_range (slot) || (slot->kind != KG_NUMBER && slot->kind != KG_INTEGER && !is_vector))
    return;
  for (gsize i = 0; i < n; i++)
    for (guint k = 0; k < (is_vector ? 3 : 1); k++)
      check_number (check, node, slot, keys[i].value[k]);
  if (source->kind == KG_SOURCE_TABLE && is_vector)
    check_components (check, node, slot, source);
  if (source->kind != KG_SOURCE_CONSTANT || !kg_value_convert (&source->constant, slot->kind, &value, NULL))
    return;
  for (guint k = 0; is_vector && k < 3; k++)
    check_number (check, node, slot, kg_vector_get (value.vector, k));
  if (!is_vector && kg_value_get_component (&value, NULL, &x))
    check_number (check, node, slot, x);
}

/* Whether the file is there that an input names: of numbered ones, that of the first frame, where the node reads it then. */
static void
check_path (Check *check, KgNode *node, const KgSlot *slot, const KgSource *source)
{
  KgGraph *root = kg_graph_get_root (kg_node_get_parent (node));
  const int frame = kg_node_find_slot (node, "frame");
  const char *text = source->kind == KG_SOURCE_CONSTANT && source->constant.kind == KG_TEXT ? source->constant.text
                                                                                            : "";
  g_autofree char *name = NULL, *path = NULL;
  g_autoptr (GError) error = NULL;

  if (*text == '\0' ||
      (frame >= 0 && strchr (text, '%') != NULL && kg_node_get_source (node, (guint) frame)->kind != KG_SOURCE_DEFAULT))
    return;
  name = strchr (text, '%') != NULL && frame >= 0
             ? kg_render_expand_path (text, (int64_t) floor (kg_graph_get_frames (root).start + 0.5))
             : g_strdup (text);
  path = kg_regular_file_dup_path (kg_graph_get_folder (root), name);
  if (!kg_regular_file_check (path, N_ ("a file to read"), &error))
    warn (check, node, _ ("%s: %s"), slot->name, error->message);
}

/* What a preset does with a path that it is given is not known. */
static bool
reads_files (KgNode *node)
{
  const KgNodeType *type = kg_node_get_type (node);

  return type->role != KG_ROLE_FILE_OUTPUT && type->definition == NULL && kg_node_get_graph (node) == NULL &&
         !kg_node_get_bypass (node);
}

static void
check_cells (Check *check, KgNode *node, const KgSlot *slot, const KgSource *source)
{
  for (guint i = 0; i < source->table.n; i++)
    if (source->table.cells[i].source.kind == KG_SOURCE_EXPRESSION)
      check_expression (check, node, slot, source->table.cells[i].source.text);
}

static void
check_node (Check *check, KgNode *node)
{
  if (kg_node_get_type (node) == NULL) {
    g_autoptr (GError) error = kg_node_new_unknown_error (node);
    const KgTypes *types = kg_graph_get_types (kg_node_get_parent (node));
    g_autofree char *hint = kg_types_suggest (types, kg_node_get_type_id (node));

    /* An instance is newer than the library, or the file of its preset has errors: the reason matters. */
    if (kg_types_find (types, kg_node_get_type_id (node)) != NULL ||
        kg_types_find_refusal (types, kg_node_get_type_id (node)) != NULL)
      warn (check, node, _ ("%s; until then the node is kept, but cannot be evaluated"), error->message);
    else
      warn (check, node, _ ("unknown type \"%s\" (the node is kept, but cannot be evaluated)%s"),
            kg_node_get_type_id (node), hint);
    return;
  }
  for (KgJsonIter member = kg_json_iterate (kg_node_get_aside (node)); kg_json_next (&member);)
    warn (check, node, _ ("its preset no longer has the input %s: the value is kept aside"), member.name);
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    const KgSource *source;

    if (slot->role != KG_SLOT_INPUT)
      continue;
    source = kg_node_get_source (node, i);
    check_range (check, node, slot, source);
    if (slot->path && reads_files (node))
      check_path (check, node, slot, source);
    if (source->kind == KG_SOURCE_EXPRESSION)
      check_expression (check, node, slot, source->text);
    else if (source->kind == KG_SOURCE_TABLE)
      check_cells (check, node, slot, source);
    else if (source->kind == KG_SOURCE_DEFAULT && slot->kind >= KG_MOTION && slot->kind <= KG_SCENE &&
             !slot->optional && !slot->list)
      warn (check, node, _ ("nothing is linked to %s (%s)"), slot->name, kg_kind_get_name (slot->kind));
  }
}

/* What takes long: images, simulations, and what holds them. */
static bool
is_heavy (KgNode *node)
{
  const KgNodeType *type = kg_node_get_type (node);
  KgGraph *inside = kg_node_get_graph (node);

  if (type != NULL && type->advance != NULL)
    return true;
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT && kg_node_get_slot_kind (node, i) == KG_IMAGE)
      return true;
  /* (Depth is limited by KG_GRAPH_MAX_NESTING.) */
  for (guint i = 0; inside != NULL && i < kg_graph_get_n_nodes (inside); i++)
    if (is_heavy (kg_graph_get_node (inside, i)))
      return true;
  return false;
}

/* (transfer full) Heavy nodes, and those that read them. */
static GHashTable *
find_heavy (KgGraph *graph)
{
  GHashTable *heavy = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) queue = g_ptr_array_new ();

  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++)
    if (is_heavy (kg_graph_get_node (graph, i)) && g_hash_table_add (heavy, kg_graph_get_node (graph, i)))
      g_ptr_array_add (queue, kg_graph_get_node (graph, i));
  for (guint i = 0; i < queue->len; i++) {
    g_autoptr (GPtrArray) users = kg_node_dup_users ((const KgNode *) g_ptr_array_index (queue, i));

    for (guint k = 0; k < users->len; k++)
      if (g_hash_table_add (heavy, g_ptr_array_index (users, k)))
        g_ptr_array_add (queue, g_ptr_array_index (users, k));
  }
  return heavy;
}

/* An error begins with the path of the node that failed: a node that was reported already is skipped. */
static bool
is_news (const Check *check, KgGraph *graph, const char *message)
{
  const char *colon = strstr (message, ": ");
  g_autofree char *path = colon != NULL ? g_strndup (message, (gsize) (colon - message)) : g_strdup ("");
  KgNode *node = kg_graph_find_path (graph, path);

  return node == NULL || !g_hash_table_contains (check->warned, node);
}

/* Ends what is tried: after a while, or when the program is interrupted. */
typedef struct {
  GCancellable *cancellable;
  gint64 end; /* monotonic */
  GMutex lock;
  GCond changed;
  bool over;
} Limit;

static gpointer
limit_run (gpointer data)
{
  Limit *limit = (Limit *) data;

  g_mutex_lock (&limit->lock);
  while (!limit->over && g_cond_wait_until (&limit->changed, &limit->lock, limit->end))
    continue;
  if (!limit->over)
    g_cancellable_cancel (limit->cancellable);
  g_mutex_unlock (&limit->lock);
  return NULL;
}

/* False when it was ended. */
static bool
try_node (Check *check, KgEvaluator *evaluator, KgGraph *graph, KgNode *node, GCancellable *cancellable)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;
  guint output = 0;

  while (output < kg_node_get_n_slots (node) && kg_node_get_slot (node, output)->role != KG_SLOT_OUTPUT)
    output++;
  if (output == kg_node_get_n_slots (node))
    return true;
  if (!kg_evaluator_evaluate (evaluator, node, output, 0, cancellable, &value, &error)) {
    if (g_error_matches (error, KG_ERROR, KG_ERROR_CANCELLED))
      return false;
    if (is_news (check, graph, error->message))
      print_problem (check, g_strdup (error->message));
    return true;
  }
  {
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (evaluator, node);

    /* Warnings do not stop: they may be intended. */
    for (guint i = 0; warnings != NULL && warnings[i] != NULL; i++)
      cli_write_error (_ ("%s: note: %s: %s\n"), check->file, kg_node_get_name (node), warnings[i]);
  }
  return true;
}

static void
cancel_other (GCancellable *cancellable, GCancellable *other)
{
  (void) cancellable;
  g_cancellable_cancel (other);
}

/* What only shows when it is tried, at the first frame: settings that contradict each other, rows that cannot be read. */
static void
try_nodes (Check *check, KgGraph *graph)
{
  g_autoptr (GHashTable) heavy = find_heavy (graph);
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GCancellable *signals = cli_watch_signals ();
  Limit limit = { .cancellable = cancellable, .end = g_get_monotonic_time () + MOST_SECONDS * G_USEC_PER_SEC };
  gulong connection = g_cancellable_connect (signals, G_CALLBACK (cancel_other), cancellable, NULL);
  GThread *thread;
  guint n_left = 0;

  g_mutex_init (&limit.lock);
  g_cond_init (&limit.changed);
  thread = g_thread_new ("limit", limit_run, &limit);

  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    if (kg_node_get_type (node) == NULL || kg_node_get_bypass (node) || g_hash_table_contains (check->warned, node) ||
        g_hash_table_contains (heavy, node))
      continue;
    if (g_cancellable_is_cancelled (cancellable) || !try_node (check, evaluator, graph, node, cancellable))
      n_left++;
  }
  g_mutex_lock (&limit.lock);
  limit.over = true;
  g_cond_signal (&limit.changed);
  g_mutex_unlock (&limit.lock);
  g_thread_join (thread);
  g_cancellable_disconnect (signals, connection);
  g_mutex_clear (&limit.lock);
  g_cond_clear (&limit.changed);
  if (n_left > 0 && !g_cancellable_is_cancelled (signals))
    cli_write_error (ngettext ("%s: %u node was not evaluated: it would take more than %d seconds\n",
                               "%s: %u nodes were not evaluated: it would take more than %d seconds\n", n_left),
                     check->file, n_left, MOST_SECONDS);
}

/* The contents of the definition of a preset are not checked again in each instance.  Depth is limited by
 * KG_GRAPH_MAX_NESTING. */
static void
check_graph (Check *check, KgGraph *graph)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    check->n_nodes++;
    check_node (check, node);
    if (kg_node_get_graph (node) != NULL && !kg_graph_is_locked (kg_node_get_graph (node)))
      check_graph (check, kg_node_get_graph (node));
  }
}

static CliStatus
check_file (const char *path, bool is_one_of_many, bool quick)
{
  g_autoptr (KgGraph) graph = is_one_of_many ? cli_load_with_library (path) : cli_load (path);
  g_autoptr (GHashTable) said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) warned = g_hash_table_new (NULL, NULL);
  Check check = { .file = g_str_equal (path, "-") ? _ ("standard input") : path, .said = said, .warned = warned };
  g_autofree char *line = NULL, *nodes = NULL, *warnings = NULL;

  if (graph == NULL)
    return CLI_INVALID_FILE;
  check_graph (&check, graph);
  if (!quick)
    try_nodes (&check, graph);
  if (kg_graph_get_display (graph) != NULL) {
    g_autoptr (GError) error = NULL;
    KgNode *node;
    guint slot;

    if (!kg_graph_find_output (graph, kg_graph_get_display (graph), &node, &slot, &error)) {
      cli_write_error (_ ("%s: warning: display: %s\n"), check.file, error->message);
      check.n_warnings++;
    }
  }
  nodes = g_strdup_printf (ngettext ("%u node", "%u nodes", check.n_nodes), check.n_nodes);
  warnings = g_strdup_printf (ngettext ("%u warning", "%u warnings", check.n_warnings), check.n_warnings);
  /* The second and the third are counts, such as "3 nodes". */
  line = g_strdup_printf (_ ("%s: valid, %s, %s\n"), check.file, nodes, warnings);
  return cli_worse (check.n_warnings > 0 ? CLI_FAILED : CLI_DONE, cli_print (line));
}

static CliStatus
check_run (char ***arguments)
{
  gboolean quick = FALSE;
  CliStatus status = CLI_DONE;
  const GOptionEntry entries[] = {
    { "quick", 'q', 0, G_OPTION_ARG_NONE, &quick, N_ ("Evaluate nothing"), NULL },
    { 0 },
  };

  if (!cli_parse (&cli_check, entries, arguments, &status) ||
      !cli_check_count (&cli_check, *arguments, 1, G_MAXUINT, &status))
    return status;
  for (guint i = 1; (*arguments)[i] != NULL; i++)
    status = cli_worse (status, check_file ((*arguments)[i], (*arguments)[2] != NULL, quick));
  return status;
}

const CliCommand cli_check = {
  .name = "check",
  .arguments = "GRAPH...",
  .summary = N_ ("Check graph files and list everything that is wrong"),
  .description = N_ (
      "Problems are printed on standard error as FILE:LINE:COLUMN: /POINTER: MESSAGE; the exit status is 3\nif any file has one.  What is valid but does not evaluate as written is a warning, and the exit\nstatus is 1: a node of an unknown type, a required input without a link, a number outside its range, a file that is\nnot there, and what a node that makes neither images nor a simulation reports at the first frame."),
  .run = check_run,
};

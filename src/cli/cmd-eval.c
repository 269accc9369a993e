/* kineo eval: values of a graph as JSON, one line a frame.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "stats.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  KgNode *node;
  guint slot;
  char *name; /* "node.output", also where the user wrote "node"; as the user wrote it for a node of an unknown type */
} Target;

/* When to evaluate: frame numbers, or one time. */
typedef struct {
  bool is_time;
  double time;
  double first, step;
  guint64 n;
} Moments;

static void
clear_target (gpointer data)
{
  g_free (((Target *) data)->name);
}

static bool
find_targets (KgGraph *graph, char **names, GArray *targets, CliStatus *status)
{
  const char *display[] = { kg_graph_get_display (graph), NULL };

  if (*names == NULL && display[0] == NULL) {
    *status = cli_usage (&cli_eval, _ ("the graph does not say what it displays: name a node"));
    return false;
  }
  if (*names == NULL)
    names = (char **) display;
  for (; *names != NULL; names++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *path = NULL;
    Target target = { 0 };

    if (kg_graph_find_output (graph, *names, &target.node, &target.slot, &error)) {
      path = kg_node_dup_path (target.node);
      target.name = g_strdup_printf ("%s.%s", path, kg_node_get_slot (target.node, target.slot)->name);
    } else if (g_error_matches (error, KG_ERROR, KG_ERROR_UNKNOWN_TYPE)) {
      /* Its outputs are unknown: evaluating any of them reports what is missing. */
      target.name = g_strdup (*names);
    } else {
      *status = cli_usage (&cli_eval, "%s", error->message);
      return false;
    }
    g_array_append_val (targets, target);
  }
  return true;
}

static bool
find_moments (KgGraph *graph, const char *frame, const char *frames, const char *time, Moments *moments,
              CliStatus *status)
{
  KgRenderRange range;

  *moments = (Moments){ .first = kg_graph_get_frames (graph).start, .step = 1, .n = 1 };
  if ((frame != NULL) + (frames != NULL) + (time != NULL) > 1) {
    *status = cli_usage (&cli_eval, _ ("--frame, --frames and --time exclude each other: use only one"));
    return false;
  }
  if (time != NULL) {
    moments->is_time = true;
    return cli_parse_number (&cli_eval, "time", time, &moments->time, status);
  }
  if (frame != NULL)
    return cli_parse_number (&cli_eval, "frame", frame, &moments->first, status);
  if (frames == NULL)
    return true;
  if (!cli_parse_frames (&cli_eval, frames, &range, status))
    return false;
  *moments =
      (Moments){ .first = (double) range.first, .step = (double) range.step, .n = kg_render_count_frames (&range) };
  return true;
}

static void
print_at (double frame, const char *message, const char *label)
{
  g_autoptr (GString) number = g_string_new (NULL);

  kg_json_write_number (frame, number);
  cli_print_error (_ ("frame %s: %s%s"), number->str, label, message);
}

/* Warnings of all nodes, named or not: a problem upstream is a problem of the result. printed: node to the warnings last
 * printed of it, so that they are not repeated for every frame. */
static void
print_warnings (KgEvaluator *evaluator, KgGraph *graph, double frame, GHashTable *printed)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (evaluator, node);
    g_autofree char *text = warnings != NULL ? g_strjoinv ("\n", warnings) : NULL;
    g_autofree char *path = kg_node_dup_path (node);
    g_autofree char *label = g_strdup_printf (_ ("warning: %s: "), path);

    if (g_strcmp0 (text, g_hash_table_lookup (printed, node)) != 0) {
      for (guint k = 0; warnings != NULL && warnings[k] != NULL; k++)
        print_at (frame, warnings[k], label);
      g_hash_table_insert (printed, node, g_steal_pointer (&text));
    }
    if (kg_node_get_graph (node) != NULL)
      print_warnings (evaluator, kg_node_get_graph (node), frame, printed);
  }
}

/* One line; a value that fails is null, and its error goes to standard error. */
static CliStatus
evaluate_moment (KgEvaluator *evaluator, const GArray *targets, double frame, double time)
{
  g_autoptr (GString) line = g_string_new ("{");
  CliStatus status = CLI_DONE;

  cli_write_member (line, "frame", frame);
  cli_write_member (line, "time", time);
  g_string_append (line, ",\"values\":{");
  for (guint i = 0; i < targets->len; i++) {
    const Target *target = &g_array_index (targets, Target, i);
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (GError) error = NULL;

    if (i > 0)
      g_string_append_c (line, ',');
    kg_json_write_string (target->name, line);
    g_string_append_c (line, ':');
    if (kg_evaluator_evaluate (evaluator, target->node, target->slot, time, cli_watch_signals (), &value, &error)) {
      kg_value_write_json (&value, line);
    } else {
      g_string_append (line, "null");
      print_at (frame, error->message, "");
      status = CLI_FAILED;
    }
  }
  g_string_append (line, "}}\n");
  return cli_worse (status, cli_print (line->str));
}

static CliStatus
evaluate (KgGraph *graph, KgCache *cache, const GArray *targets, const Moments *moments, const char *stats)
{
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, cache);
  GCancellable *cancellable = cli_watch_signals ();
  g_autoptr (GHashTable) printed = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  CliStatus status = CLI_DONE;

  for (guint64 i = 0; i < moments->n && !g_cancellable_is_cancelled (cancellable); i++) {
    const double frame = moments->is_time ? kg_graph_time_to_frame (graph, moments->time)
                                          : moments->first + (double) i * moments->step;
    const double time = moments->is_time ? moments->time : kg_graph_frame_to_time (graph, frame);

    status = cli_worse (status, evaluate_moment (evaluator, targets, frame, time));
    print_warnings (evaluator, graph, frame, printed);
    if (ferror (stdout))
      break;
  }
  if (g_cancellable_is_cancelled (cancellable)) {
    cli_print_error (_ ("interrupted"));
    status = CLI_FAILED;
  }
  if (stats != NULL)
    cli_print_stats (evaluator, g_str_equal (stats, "json"));
  return status;
}

/* GLib has no option with an optional argument that works without a global variable. */
static void
expand_stats_option (char **arguments)
{
  for (guint i = 0; arguments[i] != NULL && !g_str_equal (arguments[i], "--"); i++) {
    if (g_str_equal (arguments[i], "--stats")) {
      g_free (arguments[i]);
      arguments[i] = g_strdup ("--stats=text");
    }
  }
}

static bool
check_stats (const char *stats, CliStatus *status)
{
  if (stats == NULL || g_str_equal (stats, "text") || g_str_equal (stats, "json"))
    return true;
  *status = cli_usage (&cli_eval, _ ("--stats=%s: write --stats or --stats=json"), stats);
  return false;
}

static CliStatus
eval_run (char ***arguments)
{
  g_autofree char *frame = NULL, *frames = NULL, *time = NULL, *memory = NULL, *folder = NULL, *stats = NULL;
  g_auto (GStrv) settings = NULL;
  g_autoptr (GArray) targets = g_array_new (FALSE, FALSE, sizeof (Target));
  g_autoptr (KgGraph) graph = NULL;
  g_autoptr (KgCache) cache = NULL;
  gboolean of_others = FALSE;
  Moments moments;
  CliStatus status = CLI_DONE;
  const GOptionEntry entries[] = {
    { "frame", 'f', 0, G_OPTION_ARG_STRING, &frame,
      N_ ("Evaluate at this frame (default: the first frame of the graph)"), N_ ("N") },
    { "frames", 0, 0, G_OPTION_ARG_STRING, &frames, N_ ("Evaluate at these frames"), N_ ("A-B[xSTEP]") },
    { "time", 't', 0, G_OPTION_ARG_STRING, &time, N_ ("Evaluate this many seconds after the first frame"), N_ ("S") },
    { "set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &settings, N_ ("Override an input"), N_ ("NODE.INPUT=JSON") },
    { "stats", 0, 0, G_OPTION_ARG_STRING, &stats,
      N_ ("Report on standard error what each node did (--stats alone: as a table)"), "json" },
    { "cache-memory", 0, 0, G_OPTION_ARG_STRING, &memory, N_ ("Cache at most this much of the results"), N_ ("MB") },
    { "cache-folder", 0, 0, G_OPTION_ARG_FILENAME, &folder,
      N_ ("Keep simulation states in this folder (default: $KINEOGRAPH_CACHE)"), N_ ("DIR") },
    { "cache-of-others", 0, 0, G_OPTION_ARG_NONE, &of_others,
      N_ ("Also use a folder and states that belong to somebody else"), NULL },
    { 0 },
  };

  g_array_set_clear_func (targets, clear_target);
  expand_stats_option (*arguments);
  if (!cli_parse (&cli_eval, entries, arguments, &status) || !check_stats (stats, &status) ||
      !cli_check_count (&cli_eval, *arguments, 1, G_MAXUINT, &status) ||
      !cli_parse_cache (&cli_eval, memory, folder, of_others, &cache, &status))
    return status;
  graph = cli_load ((*arguments)[1]);
  if (graph == NULL)
    return CLI_INVALID_FILE;
  if (!cli_apply_settings (&cli_eval, graph, settings, &status) ||
      !find_targets (graph, *arguments + 2, targets, &status) ||
      !find_moments (graph, frame, frames, time, &moments, &status))
    return status;
  return evaluate (graph, cache, targets, &moments, stats);
}

const CliCommand cli_eval = {
  .name = "eval",
  .arguments = "GRAPH [NODE[.OUTPUT]...]",
  .summary = N_ ("Print values of a graph as JSON, one line per frame"),
  .description = N_ (
      "Without NODE, the node that the graph displays is evaluated; without OUTPUT, the node's first output.  A value\nthat cannot be evaluated is null, with the reason on standard error, and the exit status is 1.\n\nJSON after --set is written as in a graph file: 0.5, \"sine\", [1, 2, 3], {\"expr\": \"2 * t\"},\n{\"link\": \"path.point\"}, {\"keys\": [[1, 0], [24, 1]]}."),
  .run = eval_run,
};

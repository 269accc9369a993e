/* kineo eval: values of a graph as JSON, one line a frame.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "stats.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Messages that are kept until their frames are all known. */
#define MOST_REPORTS 1000

typedef struct {
  KgNode *node;
  guint slot;
  char *name; /* "node.output", also where the user wrote "node"; as the user wrote it for a node of an unknown type */
} Target;

/* When to evaluate: frame numbers, or one time. */
typedef struct {
  double first, step;
  guint64 n;
} Run;

typedef struct {
  bool is_time;
  double time;
  GArray *runs; /* Run */
} Moments;

/* Each error once, with the frames that it applies to. */
typedef struct {
  char *text;
  GArray *frames; /* double, ascending as they were evaluated */
} Report;

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
    *status = cli_usage (&cli_eval, _ ("the graph has no displayed node: name a node"));
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

static void
clear_report (gpointer data)
{
  Report *report = (Report *) data;

  g_free (report->text);
  g_array_unref (report->frames);
}

/* "1,30,50" and "1-100x10,200": numbers and ranges. */
static bool
parse_runs (const char *text, GArray *runs, CliStatus *status)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (guint i = 0; i == 0 || parts[i] != NULL; i++) {
    KgRenderRange range;
    Run run = { .step = 1, .n = 1 };

    /* A number between frames, too; the rest is a range, or what is wrong with it. */
    if (parts[i] == NULL || strchr (parts[i], '.') == NULL) {
      if (!cli_parse_frames (&cli_eval, parts[i] != NULL ? parts[i] : "", &range, status))
        return false;
      run = (Run){ (double) range.first, (double) range.step, kg_render_count_frames (&range) };
    } else if (!cli_parse_number (&cli_eval, "frames", parts[i], &run.first, status))
      return false;
    g_array_append_val (runs, run);
  }
  return true;
}

static bool
find_moments (KgGraph *graph, const char *frame, const char *frames, const char *time, Moments *moments,
              CliStatus *status)
{
  Run run = { kg_graph_get_frames (graph).start, 1, 1 };

  if ((frame != NULL) + (frames != NULL) + (time != NULL) > 1) {
    *status = cli_usage (&cli_eval, _ ("--frame, --frames and --time exclude each other: use only one"));
    return false;
  }
  if (frames != NULL)
    return parse_runs (frames, moments->runs, status);
  moments->is_time = time != NULL;
  if (time != NULL && !cli_parse_number (&cli_eval, "time", time, &moments->time, status))
    return false;
  if (frame != NULL && !cli_parse_number (&cli_eval, "frame", frame, &run.first, status))
    return false;
  g_array_append_val (moments->runs, run);
  return true;
}

/* "3, 5-20, 30-100x10". */
static void
write_frames (GString *out, const GArray *frames)
{
  const double *at = (const double *) (const void *) frames->data;

  for (guint i = 0, n; i < frames->len; i += n) {
    const double step = i + 1 < frames->len ? at[i + 1] - at[i] : 0;

    for (n = 1; i + n < frames->len && at[i + n] - at[i + n - 1] == step && step > 0; n++)
      ;
    /* Two frames that are not neighbours are listed singly. */
    if (n == 2 && step != 1)
      n = 1;
    if (i > 0)
      g_string_append (out, ", ");
    kg_json_write_number (at[i], out);
    if (n > 1) {
      g_string_append_c (out, '-');
      kg_json_write_number (at[i + n - 1], out);
    }
    if (n > 1 && step != 1) {
      g_string_append_c (out, 'x');
      kg_json_write_number (step, out);
    }
  }
}

static void
print_reports (GArray *reports)
{
  for (guint i = 0; i < reports->len; i++) {
    const Report *each = &g_array_index (reports, Report, i);
    g_autoptr (GString) frames = g_string_new (NULL);

    write_frames (frames, each->frames);
    cli_print_error (each->frames->len > 1 ? _ ("frames %s: %s") : _ ("frame %s: %s"), frames->str, each->text);
  }
  g_array_set_size (reports, 0);
}

static void
report (GArray *reports, double frame, const char *label, const char *message)
{
  g_autofree char *text = g_strconcat (label, message, NULL);
  GArray *frames;
  guint i = 0;

  while (i < reports->len && !g_str_equal (g_array_index (reports, Report, i).text, text))
    i++;
  if (i == reports->len) {
    /* The frames have different messages: listed in their order. */
    if (reports->len == MOST_REPORTS)
      print_reports (reports);
    i = reports->len;
    g_array_append_val (reports, ((Report){ g_steal_pointer (&text), g_array_new (FALSE, FALSE, sizeof (double)) }));
  }
  frames = g_array_index (reports, Report, i).frames;
  /* Several values may fail for one reason. */
  if (frames->len == 0 || g_array_index (frames, double, frames->len - 1) != frame)
    g_array_append_val (frames, frame);
}

/* Warnings of all nodes, named or not: a problem upstream is a problem of the result. */
static void
report_warnings (KgEvaluator *evaluator, KgGraph *graph, double frame, GArray *reports)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    g_auto (GStrv) warnings = kg_evaluator_dup_warnings (evaluator, node);
    g_autofree char *path = kg_node_dup_path (node);
    g_autofree char *label = g_strdup_printf (_ ("warning: %s: "), path);

    for (guint k = 0; warnings != NULL && warnings[k] != NULL; k++)
      report (reports, frame, label, warnings[k]);
    if (kg_node_get_graph (node) != NULL)
      report_warnings (evaluator, kg_node_get_graph (node), frame, reports);
  }
}

/* A value without its name: a text as it is, the rest as JSON, and the end of its line. */
static void
write_alone (const KgValue *value, GString *out)
{
  if (value->kind == KG_TEXT)
    g_string_append (out, value->text);
  else
    kg_value_write_json (value, out);
  if (out->len == 0 || out->str[out->len - 1] != '\n')
    g_string_append_c (out, '\n');
}

/* The values alone; one that fails prints nothing. */
static CliStatus
evaluate_alone (KgEvaluator *evaluator, const GArray *targets, double frame, double time, GArray *reports)
{
  CliStatus status = CLI_DONE;

  for (guint i = 0; i < targets->len; i++) {
    const Target *target = &g_array_index (targets, Target, i);
    g_autoptr (GString) text = g_string_new (NULL);
    g_auto (KgValue) value = KG_VALUE_INIT;
    g_autoptr (GError) error = NULL;

    if (kg_evaluator_evaluate (evaluator, target->node, target->slot, time, cli_watch_signals (), &value, &error)) {
      write_alone (&value, text);
      status = cli_worse (status, cli_print (text->str));
    } else {
      report (reports, frame, "", error->message);
      status = CLI_FAILED;
    }
  }
  return status;
}

/* One line; a value that fails is null, and its error goes to standard error. */
static CliStatus
evaluate_moment (KgEvaluator *evaluator, const GArray *targets, double frame, double time, GArray *reports)
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
      report (reports, frame, "", error->message);
      status = CLI_FAILED;
    }
  }
  g_string_append (line, "}}\n");
  return cli_worse (status, cli_print (line->str));
}

static CliStatus
evaluate (KgGraph *graph, KgCache *cache, const GArray *targets, const Moments *moments, bool alone, const char *stats)
{
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, cache);
  GCancellable *cancellable = cli_watch_signals ();
  g_autoptr (GArray) reports = g_array_new (FALSE, FALSE, sizeof (Report));
  CliStatus status = CLI_DONE;

  g_array_set_clear_func (reports, clear_report);
  for (guint r = 0; r < moments->runs->len; r++) {
    const Run *run = &g_array_index (moments->runs, Run, r);

    for (guint64 i = 0; i < run->n && !g_cancellable_is_cancelled (cancellable) && !ferror (stdout); i++) {
      const double frame = moments->is_time ? kg_graph_time_to_frame (graph, moments->time)
                                            : run->first + (double) i * run->step;
      const double time = moments->is_time ? moments->time : kg_graph_frame_to_time (graph, frame);

      status =
          cli_worse (status, (alone ? evaluate_alone : evaluate_moment) (evaluator, targets, frame, time, reports));
      report_warnings (evaluator, graph, frame, reports);
    }
  }
  print_reports (reports);
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
  g_auto (GStrv) settings = NULL, permitted = NULL;
  g_autoptr (GArray) targets = g_array_new (FALSE, FALSE, sizeof (Target));
  g_autoptr (KgGraph) graph = NULL;
  g_autoptr (KgCache) cache = NULL;
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (Run));
  gboolean of_others = FALSE, alone = FALSE;
  Moments moments = { .runs = runs };
  CliStatus status = CLI_DONE;
  const GOptionEntry entries[] = {
    { "frame", 0, 0, G_OPTION_ARG_STRING, &frame, N_ ("Evaluate at this frame (default: the first frame of the graph)"),
      N_ ("N") },
    { "frames", 'f', 0, G_OPTION_ARG_STRING, &frames, N_ ("Evaluate at these frames"), N_ ("A-B[xSTEP],C...") },
    { "time", 't', 0, G_OPTION_ARG_STRING, &time, N_ ("Evaluate this many seconds after the first frame"), N_ ("S") },
    { "set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &settings, N_ ("Override an input"), N_ ("NODE.INPUT=JSON") },
    { "alone", 'a', 0, G_OPTION_ARG_NONE, &alone,
      N_ ("Print the values alone, each on a line: texts as they are, the rest as JSON"), NULL },
    { "allow-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &permitted, N_ ("Let the graph read files in this folder, too"),
      N_ ("DIR") },
    { "stats", 0, 0, G_OPTION_ARG_STRING, &stats,
      N_ ("Report on standard error what each node did (--stats alone: as a table)"), "json" },
    { "cache-memory", 0, 0, G_OPTION_ARG_STRING, &memory, N_ ("Cache at most this much of the results"), N_ ("MB") },
    { "cache-folder", 0, 0, G_OPTION_ARG_FILENAME, &folder,
      N_ ("Keep simulation states in this folder (default: $KINEOGRAPH_CACHE)"), N_ ("DIR") },
    { "cache-of-others", 0, 0, G_OPTION_ARG_NONE, &of_others,
      N_ ("Also use a folder and states that belong to another user"), NULL },
    { 0 },
  };

  g_array_set_clear_func (targets, clear_target);
  expand_stats_option (*arguments);
  if (!cli_parse (&cli_eval, entries, arguments, &status) || !check_stats (stats, &status) ||
      !cli_check_count (&cli_eval, *arguments, 1, G_MAXUINT, &status) ||
      !cli_check_folders (&cli_eval, "--allow-path", permitted, &status) ||
      !cli_parse_cache (&cli_eval, memory, folder, of_others, &cache, &status))
    return status;
  graph = cli_load ((*arguments)[1]);
  if (graph == NULL)
    return CLI_INVALID_FILE;
  cli_permit (graph, permitted);
  if (!cli_apply_settings (&cli_eval, graph, settings, &status) ||
      !find_targets (graph, *arguments + 2, targets, &status) ||
      !find_moments (graph, frame, frames, time, &moments, &status))
    return status;
  return evaluate (graph, cache, targets, &moments, alone, stats);
}

const CliCommand cli_eval = {
  .name = "eval",
  .arguments = "GRAPH [NODE[.OUTPUT]...]",
  .summary = N_ ("Print values of a graph as JSON, one line per frame"),
  .description = N_ (
      "Without NODE, the node that the graph displays is evaluated; without OUTPUT, the node's first output.  A value\nthat cannot be evaluated is null, with the reason on standard error, and the exit status is 1.\nA reason that holds for several frames is printed once, at the end, with all of them.\n\nJSON after --set is written as in a graph file: 0.5, \"sine\", [1, 2, 3], {\"expr\": \"2 * t\"},\n{\"link\": \"path.point\"}, {\"keys\": [[1, 0], [24, 1]]}."),
  .run = eval_run,
};

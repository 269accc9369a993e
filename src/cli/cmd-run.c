/* kineo run: a script of edits makes a graph, or changes one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

/* NAME=VALUE, each into variables. */
static bool
read_variables (char **settings, GHashTable *variables, CliStatus *status)
{
  for (guint i = 0; settings != NULL && settings[i] != NULL; i++) {
    const char *equals = strchr (settings[i], '=');
    g_autofree char *name = equals != NULL ? g_strndup (settings[i], (gsize) (equals - settings[i])) : NULL;

    if (name == NULL || name[0] == '\0' || g_ascii_isdigit (name[0]) ||
        strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") != strlen (name) ||
        !g_utf8_validate (settings[i], -1, NULL)) {
      *status = cli_usage (&cli_run, _ ("--set %s: write NAME=VALUE"), settings[i]);
      return false;
    }
    g_hash_table_insert (variables, g_steal_pointer (&name), g_strdup (equals + 1));
  }
  return true;
}

static CliStatus
run_script (const char *path, KgGraph *graph, GHashTable *variables, bool keep_going, const char *out)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgScript) script = kg_script_load (path, problems);
  g_autoptr (GError) error = NULL;
  CliStatus status = CLI_DONE;

  if (script == NULL) {
    cli_print_problems (problems, path);
    return CLI_INVALID_FILE;
  }
  if (!kg_script_run (script, graph, variables, keep_going ? KG_SCRIPT_KEEP_GOING : KG_SCRIPT_STOP,
                      cli_watch_signals (), problems)) {
    cli_print_problems (problems, path);
    status = CLI_INVALID_FILE;
  }
  if (g_cancellable_is_cancelled (cli_watch_signals ()))
    return CLI_FAILED;
  if (status != CLI_DONE && !keep_going)
    return status;
  if (g_str_equal (out, "-")) {
    g_autofree char *text = kg_graph_to_readable_text (graph, &error);

    return cli_worse (status, text != NULL ? cli_print (text) : cli_fail (g_steal_pointer (&error)));
  }
  return kg_graph_save (graph, out, &error) ? status : cli_worse (status, cli_fail (g_steal_pointer (&error)));
}

static CliStatus
run_run (char ***arguments)
{
  g_autofree char *out = NULL;
  g_auto (GStrv) settings = NULL;
  g_autoptr (GHashTable) variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (KgGraph) graph = NULL;
  gboolean keep_going = FALSE;
  CliStatus status = CLI_DONE;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out, N_ ("Write the graph here (default: standard output)"),
      N_ ("FILE") },
    { "set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &settings, N_ ("Set a variable before the first line"),
      N_ ("NAME=VALUE") },
    { "keep-going", 'k', 0, G_OPTION_ARG_NONE, &keep_going, N_ ("Skip lines that fail, and write the rest"), NULL },
    { 0 },
  };

  if (!cli_parse (&cli_run, entries, arguments, &status) || !cli_check_count (&cli_run, *arguments, 1, 2, &status) ||
      !read_variables (settings, variables, &status))
    return status;
  if ((*arguments)[2] != NULL && g_str_equal ((*arguments)[1], "-") && g_str_equal ((*arguments)[2], "-"))
    return cli_usage (&cli_run, _ ("only one of the script and the graph can be standard input"));
  graph = (*arguments)[2] != NULL ? cli_load_with_library ((*arguments)[2]) : kg_graph_new (cli_get_types ());
  if (graph == NULL)
    return CLI_INVALID_FILE;
  return run_script ((*arguments)[1], graph, variables, keep_going, out != NULL ? out : "-");
}

const CliCommand cli_run = {
  .name = "run",
  .arguments = "SCRIPT [GRAPH]",
  .summary = N_ ("Run a script of edits on a graph, or on an empty one"),
  .description = N_ (
      "A script has one edit per line: add, set, link, rename ... with values as in graph files, and also variables,\nconditions, loops and procedures; docs/script.md in the manual describes them all.  If a line fails, nothing\nis written, and the exit status is 3; with --keep-going the other lines still take effect."),
  .run = run_run,
};

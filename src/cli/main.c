/* kineo: animation graphs on the command line: the table of commands, and the one way out.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "config.h"
#include "kg-startup.h"
#include "kg-suggest.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>

static const CliCommand *const commands[] = { &cli_render,  &cli_eval,    &cli_check, &cli_info,
                                              &cli_nodes,   &cli_dot,     &cli_new,   &cli_schema,
                                              &cli_convert, &cli_presets, &cli_run };

static CliStatus
show_help (void)
{
  g_autoptr (GString)
      text = g_string_new (_ ("Usage: kineo COMMAND [ARGUMENT...]\n\n"
                              "Evaluates and renders animation graphs without a window.\n\nCommands:\n"));

  for (size_t i = 0; i < G_N_ELEMENTS (commands); i++)
    g_string_append_printf (text, "  %-8s %s\n", commands[i]->name, _ (commands[i]->summary));
  g_string_append (
      text,
      _ ("\n\"kineo COMMAND --help\" describes a command, \"kineo --version\" prints the version.\nThe file name \"-\" is standard input or output.  Exit status: 0 done, 1 evaluation or writing\nfailed, 2 wrong usage, 3 invalid file.\n"));
  return cli_print (text->str);
}

static const CliCommand *
find_command (const char *name)
{
  for (size_t i = 0; i < G_N_ELEMENTS (commands); i++) {
    if (g_str_equal (commands[i]->name, name))
      return commands[i];
  }
  return NULL;
}

/* (transfer full) */
static char *
suggest_command (const char *name)
{
  KgSuggestion suggestion = kg_suggestion_begin (name);

  for (size_t i = 0; i < G_N_ELEMENTS (commands); i++)
    kg_suggestion_add (&suggestion, commands[i]->name);
  return kg_suggestion_end (&suggestion);
}

typedef struct {
  const CliCommand *command;
  char ***arguments;
  CliStatus status;
} Call;

static bool
run_command (gpointer data, GError **error)
{
  Call *call = (Call *) data;

  (void) error;
  call->status = call->command->run (call->arguments);
  return true;
}

/* An image or a mesh that does not fit into memory is an error like any other. */
static CliStatus
run_guarded (const CliCommand *command, char ***arguments)
{
  Call call = { .command = command, .arguments = arguments };
  g_autoptr (GError) error = NULL;

  if (kg_memory_guard (run_command, &call, &error))
    return call.status;
  cli_print_error ("%s", error->message);
  return CLI_FAILED;
}

static CliStatus
run (char **arguments)
{
  const char *name = arguments[0];
  const CliCommand *command;

  if (name == NULL) {
    cli_print_error (_ ("a command is missing\nTry: kineo --help"));
    return CLI_USAGE;
  }
  if (g_str_equal (name, "--version"))
    return cli_print ("kineo " KG_VERSION "\n");
  if (g_str_equal (name, "--help") || g_str_equal (name, "-h") || (g_str_equal (name, "help") && arguments[1] == NULL))
    return show_help ();
  command = find_command (g_str_equal (name, "help") ? arguments[1] : name);
  if (command == NULL) {
    const char *wanted = g_str_equal (name, "help") ? arguments[1] : name;
    g_autofree char *hint = suggest_command (wanted);

    cli_print_error (_ ("unknown command \"%s\"%s\nTry: kineo --help"), wanted, hint);
    return CLI_USAGE;
  }
  {
    g_auto (GStrv) rest = g_strdupv (arguments);

    if (g_str_equal (name, "help")) {
      g_strfreev (rest);
      rest = g_strdupv ((char *[]){ (char *) command->name, (char *) "--help", NULL });
    }
    return run_guarded (command, &rest);
  }
}

int
main (int argc, char **argv)
{
  /* The others end too soon to gain by it. */
  if (argc > 1 && (g_str_equal (argv[1], cli_render.name) || g_str_equal (argv[1], cli_eval.name)))
    kg_startup_begin_again (argv);
  kg_startup_join_blocks ();
  setlocale (LC_ALL, "");
  /* Numbers have a decimal point in messages too, as in files and expressions. */
  setlocale (LC_NUMERIC, "C");
  bindtextdomain (GETTEXT_PACKAGE, KG_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  g_set_prgname ("kineo");
  /* A file larger than "ulimit -f" allows is reported like a full disk, and cleaned up as well. */
  signal (SIGXFSZ, SIG_IGN);
  return run (argc > 0 ? argv + 1 : argv);
}

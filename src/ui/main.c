/* kineograph: the application.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-application.h"
#include "kg-startup.h"
#include "kg-worker.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int
on_local_options (GApplication *application, GVariantDict *options)
{
  (void) application;
  if (!g_variant_dict_contains (options, "version"))
    return -1; /* go on */
  puts ("kineograph " KG_VERSION);
  return fflush (stdout) == 0 ? 0 : 1;
}

/* The text of --help, which needs no display. */
static void
describe (GApplication *application)
{
  g_application_set_option_context_parameter_string (application, _ ("[GRAPH…]"));
  g_application_set_option_context_summary (
      application,
      _ ("Edits animation graphs: each GRAPH, a JSON file, is opened in a window of its own.\nWithout one, a page with examples and recently opened files is shown."));
  g_application_set_option_context_description (
      application, _ ("\"kineo\" evaluates and renders graphs without a window: see \"kineo --help\"."));
  g_application_add_main_option (application, "version", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_NONE,
                                 _ ("Print the version"), NULL);
  g_signal_connect (application, "handle-local-options", G_CALLBACK (on_local_options), NULL);
}

/* Microseconds that evaluations have to stop once the last window is closed. */
#define LONGEST_END (G_TIME_SPAN_SECOND / 2)

int
main (int argc, char **argv)
{
  g_autoptr (KgApplication) application = NULL;
  int status;

  kg_startup_begin_again (argv);
  kg_startup_join_blocks ();
  setlocale (LC_ALL, "");
  /* Numbers are shown with a point, as in files and expressions.  GTK would set the locale again. */
  setlocale (LC_NUMERIC, "C");
  gtk_disable_setlocale ();
  bindtextdomain (GETTEXT_PACKAGE, KG_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  /* A file larger than "ulimit -f" allows is reported like a full disk. */
  signal (SIGXFSZ, SIG_IGN);
  application = kg_application_new ();
  describe (G_APPLICATION (application));
  status = g_application_run (G_APPLICATION (application), argc, argv);
  if (kg_worker_wait_for_all (LONGEST_END))
    return status;
  /* A node that does not stop cannot keep the program from ending, and must not find its memory taken apart. */
  g_settings_sync ();
  fflush (NULL);
  _exit (status);
}

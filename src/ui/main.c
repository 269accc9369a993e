/* kineograph: the application.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-application.h"

#include <glib/gi18n.h>
#include <locale.h>

int
main (int argc, char **argv)
{
  g_autoptr (KgApplication) application = NULL;

  setlocale (LC_ALL, "");
  /* Numbers have a point, wherever they are shown: as in files and expressions.  GTK would set the locale again. */
  setlocale (LC_NUMERIC, "C");
  gtk_disable_setlocale ();
  bindtextdomain (GETTEXT_PACKAGE, KG_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  application = kg_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}

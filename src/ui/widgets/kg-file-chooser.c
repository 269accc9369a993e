/* kg-file-chooser: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-file-chooser.h"

#include <glib/gi18n.h>

static void
add_filter (GtkFileChooser *chooser, const char *name, const char *pattern)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, name);
  gtk_file_filter_add_pattern (filter, pattern);
  gtk_file_chooser_add_filter (chooser, filter);
}

void
kg_file_chooser_add_filters (GtkFileChooser *chooser, const char *name, const char *pattern)
{
  add_filter (chooser, name, pattern);
  add_filter (chooser, _ ("All files"), "*");
}

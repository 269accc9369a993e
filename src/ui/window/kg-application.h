/* kg-application: the process: its windows, what they share, and the files given on the command line.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define KG_TYPE_APPLICATION (kg_application_get_type ())
G_DECLARE_FINAL_TYPE (KgApplication, kg_application, KG, APPLICATION, GtkApplication)

KgApplication *kg_application_new (void);
/* The node types of the program, without presets. */
KgTypes *kg_application_get_types (KgApplication *application);
/* (transfer full) With the presets beside a graph (nullable). */
KgLibrary *kg_application_new_library (KgApplication *application, const char *graph_folder);
/* (transfer full) Empty, with a library. */
KgDocument *kg_application_new_document (KgApplication *application);
/* In the window that has none yet, or in a new one. */
void kg_application_show_document (KgApplication *application, KgDocument *document);

G_END_DECLS

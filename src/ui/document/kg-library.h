/* kg-library: the node types and presets that a window has, read again whenever a file in one of their folders changes.
 *
 * Signals:
 *   changed ()   the types are others
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-type.h"

#include <glib-object.h>

G_BEGIN_DECLS

#define KG_TYPE_LIBRARY (kg_library_get_type ())
G_DECLARE_FINAL_TYPE (KgLibrary, kg_library, KG, LIBRARY, GObject)

/* own: the types of the program; graph_folder: (nullable) presets beside a graph come first; built_in: (nullable) the
 * presets that come with the program. */
KgLibrary *kg_library_new (KgTypes *own, const char *graph_folder, const char *built_in);
KgTypes *kg_library_get_types (KgLibrary *library);
/* The graph is elsewhere now. */
void kg_library_set_graph_folder (KgLibrary *library, const char *folder);
/* Now, instead of when the folder reports a change. */
void kg_library_reload (KgLibrary *library);
/* Makes the types that are offered (kg_types_offer_family) on another thread, and adds them: the program's, so that later
 * libraries have them. */
void kg_library_load_offered (KgLibrary *library);
/* (transfer full) (nullable) What was wrong with the files, a line each. */
char *kg_library_dup_problems (KgLibrary *library);
/* (transfer full) What people call a folder of presets: their own, that next to the graph, which is in graph_folder (nullable),
 * or its path. */
char *kg_library_describe_folder (const char *folder, const char *graph_folder);

G_END_DECLS

/* kg-preset-library: folders of presets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-preset.h"

G_BEGIN_DECLS

#define KG_PRESET_SUFFIX ".preset.json"

/* (transfer full) base with all *.preset.json of the folders; the first folder that has an id wins, unless the file there
 * has errors: then the next one does.  A file with errors adds a problem whose message begins with its path, and is
 * skipped; presets made of it report why it is missing.  Presets made of presets are read in the right order; one that holds
 * itself, at any depth, is refused with the chain of names. */
KgTypes *kg_types_load_presets (KgTypes *base, const char *const *folders, GPtrArray *problems);
/* (transfer full) Folders in the order in which they are searched: beside the graph (nullable), those of
 * KINEOGRAPH_PRESET_PATH, the user's, and built_in (nullable). */
char **kg_preset_dup_folders (const char *graph_folder, const char *built_in);
/* (transfer full) The same for only the presets that a parsed graph or preset file is made of, which is faster. */
KgTypes *kg_types_load_presets_of (KgTypes *base, const char *const *folders, const KgJson *file, GPtrArray *problems);

G_END_DECLS

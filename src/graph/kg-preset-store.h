/* kg-preset-store: presets as files of a library: saved, duplicated, deleted, sent and received.
 *
 * Folders are those that types were read from (kg_types_get_preset_folders).  What comes with the program is never
 * written to: a new version of it goes to the user's folder, which comes before it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-preset.h"

G_BEGIN_DECLS

/* (transfer full) $XDG_DATA_HOME/kineograph/presets */
char *kg_preset_dup_user_folder (void);
/* (transfer full) The file for a preset of that id in a folder: one that has it already, or one that is not there yet. */
char *kg_preset_dup_path (const char *folder, const char *id);

/* (transfer full) (nullable) Writes a definition into a folder, which is made where it is not there, and gives the path.
 * picture: (nullable) a PNG file that is copied beside it where the definition has a thumbnail. */
char *kg_preset_store (const char *text, const char *folder, const char *picture, GError **error);
/* (transfer full) (nullable) Writes the next version of a preset: where it is, or into the user's folder. */
char *kg_preset_store_version (const KgPreset *preset, const char *text, const KgTypes *types, GError **error);
/* (transfer full) (nullable) A copy with an id of its own in the user's folder. */
char *kg_preset_duplicate (const KgPreset *preset, const KgTypes *types, GError **error);
/* With its picture. */
bool kg_preset_delete (const KgPreset *preset, const KgTypes *types, GError **error);
/* The definition and all that it is made of, as one file, with its picture beside it. */
bool kg_preset_export (const KgPreset *preset, const char *path, GError **error);
/* (transfer full) (nullable) A file becomes one of the user's folder.  Refuses what is no preset, and says why; one of a version
 * that is there already is refused too. */
char *kg_preset_import (KgTypes *types, const char *path, GError **error);

G_END_DECLS

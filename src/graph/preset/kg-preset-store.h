/* kg-preset-store: presets as files of a library: saved, duplicated, deleted, sent and received.
 *
 * Folders are those that types were read from (kg_types_get_preset_folders).  What comes with the program is never
 * written to: a new version of it goes to the user's folder, which comes before it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-preset-library.h"

G_BEGIN_DECLS

/* (transfer full) $XDG_DATA_HOME/kineograph/presets */
char *kg_preset_dup_user_folder (void);
/* (transfer full) The libraries that a new preset can be saved in: the user's folder first, whether it can be written or not,
 * then those before it in the order in which presets are searched for (beside the graph, KINEOGRAPH_PRESET_PATH) that can
 * be written, or be made where they are not there. */
char **kg_preset_dup_writable_folders (const KgTypes *types);
/* (transfer full) (element-type char *) Paths of the preset files of a folder, sorted. */
GPtrArray *kg_preset_list_folder (const char *folder, GError **error);
/* The image, a path, is the thumbnail that the preset file names and no other preset beside it does. */
bool kg_preset_owns_image (const char *path, const char *image);

/* Only files of the preset itself, or its image, are replaced: if a name is taken, another is used.
 *
 * (transfer full) (nullable) Writes a new definition into a folder, which is made if missing, and returns the path.
 * Refuses an id that a file there has, whether that can be read or not.  image: (nullable) a PNG file that is copied
 * beside it. */
char *kg_preset_store (const char *text, const char *folder, const char *image, GError **error);
/* (transfer full) (nullable) Writes the next version of a preset: where it is, or into the user's folder.  Refuses where the
 * file there cannot be read, or is not older. */
char *kg_preset_store_version (const KgPreset *preset, const char *text, KgTypes *types, GError **error);
/* (transfer full) (nullable) A copy with an id of its own: beside it, or in the user's folder where nothing can be
 * written. */
char *kg_preset_duplicate (const KgPreset *preset, const KgTypes *types, GError **error);
/* With its image. */
bool kg_preset_delete (const KgPreset *preset, const KgTypes *types, GError **error);
/* The definition and all that it is made of, as one file, which is replaced if it exists, with its image beside it. */
bool kg_preset_export (const KgPreset *preset, const char *path, GError **error);
/* (transfer full) (nullable) A file becomes one of a library: of folder, or where that is NULL, in the place of an older version
 * of the preset, or of the user's.  Refuses what is not a preset, with the reason, and a version that exists
 * already. */
char *kg_preset_import (KgTypes *types, const char *path, const char *folder, GError **error);

G_END_DECLS

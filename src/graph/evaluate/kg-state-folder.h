/* kg-state-folder: states of simulations that a cache had no room for, in a folder.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate-private.h"

typedef struct _KgStateFolder KgStateFolder;

/* Creates the folder if it is missing. Only files named like states are considered; the oldest are removed while they exceed
 * budget bytes. owner, warning: see kg_cache_set_folder. */
KgStateFolder *kg_state_folder_open (const char *path, KgCacheOwner owner, guint64 budget, KgCacheWarning warning,
                                     gpointer data, GError **error);
void kg_state_folder_free (KgStateFolder *folder);

/* These can be called by several threads at once. */
void kg_state_folder_store (KgStateFolder *folder, KgHash key, const KgResult *state);
/* A state of a node of this type.  (transfer full) (nullable) */
KgResult *kg_state_folder_load (KgStateFolder *folder, KgHash key, const KgNodeType *type);

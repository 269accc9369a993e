/* kg-state-file: the state of a simulation in a file, for kg-state-folder.c.  Nothing that it holds is believed: what is read is
 * a state that the node type could have kept, whoever wrote the file.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate-private.h"

/* Not every kind of value is written: particles are geometry. */
bool kg_state_file_can_hold (const KgResult *state);

/* Writes the file completely or not at all; limit: its largest size in bytes. */
bool kg_state_file_save (const KgResult *state, KgHash key, const char *path, guint64 limit, GError **error);

/* The state with its bits and fingerprints; NULL and *error when the file is damaged, of another program, version or
 * machine, of another key, or does not hold what nodes of the type keep.  (transfer full) (nullable) */
KgResult *kg_state_file_load (const char *path, KgHash key, const KgNodeType *type, KgCacheOwner owner, GError **error);
/* The same from the bytes of a file.  problem: (out) what is wrong with it. */
KgResult *kg_state_file_parse (const void *data, size_t length, KgHash key, const KgNodeType *type,
                               const char **problem);

/* kg-state-file: the state of a simulation in a file, for kg-state-folder.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate-private.h"

/* Not every kind of value is written: particles are geometry. */
bool kg_state_file_can_hold (const KgResult *state);

/* Writes the file completely or not at all; limit: its largest size in bytes. */
bool kg_state_file_save (const KgResult *state, KgHash key, const char *path, guint64 limit, GError **error);

/* The state with its bits and fingerprints; NULL and *error when the file is damaged, of another program, version or
 * machine, or of another key.  (transfer full) (nullable) */
KgResult *kg_state_file_load (const char *path, KgHash key, GError **error);

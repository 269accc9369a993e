/* kg-keyed: what has keys: an input, one cell of the table that it is set to, or one component of a vector.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"

G_BEGIN_DECLS

typedef struct {
  KgNode *node;
  guint slot;
  int row, column; /* of a cell; 0 and 0 to 2 of a component; -1: the input itself */
} KgKeyed;

typedef void (*KgKeyedVisit) (const KgKeyed *keyed, KgChannel *channel, gpointer data);

/* Visits all that has keys in an input whose keys stand in frames (none of a motion).  visit may edit. */
void kg_keyed_each (KgNode *node, guint slot, KgKeyedVisit visit, gpointer data);
bool kg_keyed_is_same (const KgKeyed *a, const KgKeyed *b);
/* (nullable) */
KgChannel *kg_keyed_get_channel (const KgKeyed *keyed);
bool kg_keyed_set_channel (const KgKeyed *keyed, KgChannel *channel, GError **error);
/* Of a cell: a number instead of its keys. */
bool kg_keyed_set_number (const KgKeyed *keyed, double x, GError **error);
/* (transfer full) "Points", of a cell "Points 3 y" (rows are counted from 1), or of a component "Position y". */
char *kg_keyed_dup_label (const KgKeyed *keyed);
/* (transfer full) The same with the names that files have: "points", "points 3 y". */
char *kg_keyed_dup_name (const KgKeyed *keyed);

/* (transfer full) (nullable) keys (nullable: none) of one number with one more, or another value where there is one at that
 * frame. */
KgChannel *kg_channel_with_number (const KgChannel *keys, double frame, double x, GError **error);
/* (transfer full) (nullable) Without the key at a frame; NULL when none is left. */
KgChannel *kg_channel_without_key (const KgChannel *keys, double frame);

G_END_DECLS

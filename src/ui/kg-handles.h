/* kg-handles: the points of a node that can be dragged in the viewport: vectors in metres, and points written as lines
 * of a text (control points of curves).  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

typedef struct {
  KgNode *node;
  guint slot;
  int line; /* of a text; -1: the input itself */
  KgVector at;
  const char *label;
} KgHandlePoint;

/* (transfer full) (element-type KgHandlePoint) Those of node at the document's frame. */
GArray *kg_handles_find (KgDocument *document, KgNode *node);
/* Moves one: edits the input (a key where it has keys). */
bool kg_handle_move (KgDocument *document, const KgHandlePoint *handle, KgVector to, GError **error);

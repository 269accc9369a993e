/* clip_rows: a table of clips as an input.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "edit/clips.h"
#include "kg-node.h"

/* What the columns are, for the help of inputs. */
#define CLIP_ROWS_HELP                                                                                                 \
  N_ ("Clips, one per row: the index of the source from 1 (0 is black), the first frame In, and the frame Out after the last one. For example, 1, 1 and 25 show the first 24 frames of the first image. Without At, a clip follows the one before it on its track.")

/* Reads the rows, and warns of those that show nothing. */
static inline bool
clip_rows_read (const KgTable *table, const KgContext *ctx, ClipList *list, GError **error)
{
  if (!clip_list_read (table, ctx->start, list, error)) {
    g_prefix_error (error, "clips: ");
    return false;
  }
  if (list->skipped > 0)
    kg_context_warn (ctx,
                     "%zu of the clips (the first in row %zu) show nothing and are left out: Out must be after In, "
                     "and Repeat above 0",
                     list->skipped, list->first_skipped);
  return true;
}

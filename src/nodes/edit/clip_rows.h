/* clip_rows: a table of clips as an input.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "edit/clips.h"
#include "kg-node.h"

/* What the columns are, for the help of inputs. */
#define CLIP_ROWS_HELP                                                                                                    \
  N_ ("The clips, one per row. Source: number of the image, from 1; 0 is black. In, Out: its frames, up to but not "      \
      "including Out. At: the frame where the clip begins; if blank, where the clip before it on the track ends, "        \
      "minus Overlap. Track: higher ones cover lower ones. Speed: frames of the source per frame of the movie; -1 "       \
      "plays backwards, 0 holds In. Repeat: how many times it is shown. Transition, where it overlaps the clip "          \
      "before it: 0 cut, 1 or blank dissolve, 2 to 5 wipe from the left, the right, the top, the bottom, 6 fade through " \
      "black, 7 iris.")

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

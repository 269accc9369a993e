/* missing_channels: the warning of nodes that work on channels by name.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"
#include "motion/channel_names.h"

/* patterns: see channel_names_match.  motion may be NULL: nothing is missing. */
static inline void
missing_channels_warn (const KgContext *ctx, const char *patterns, const KgMotion *motion)
{
  g_autofree char *missing = motion != NULL ? channel_names_find_missing (patterns, motion) : NULL;
  g_autofree char *names = missing != NULL ? channel_names_list (motion) : NULL;

  if (missing != NULL)
    kg_context_warn (ctx, "the motion has no channel \"%s\": it has %s", missing, names);
}

/* lonely: how many channels of the first of two motions have no counterpart in the second. */
static inline void
missing_channels_warn_lonely (const KgContext *ctx, guint lonely)
{
  if (lonely > 0)
    kg_context_warn_plural (
        ctx, lonely, "%u channel has no counterpart of the same kind in the second motion: it stays as it is",
        "%u channels have no counterpart of the same kind in the second motion: they stay as they are", lonely);
}

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

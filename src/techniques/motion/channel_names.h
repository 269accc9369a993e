/* channel_names: which channels of a motion a node works on.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-motion.h"

#include <stdbool.h>

/* patterns: with * and ?, separated by blanks, commas or semicolons; none: all names match. */
bool channel_names_match (const char *patterns, const char *name);

/* The first of the patterns that no channel of a motion matches; NULL where each has one, and of motions without channels.
 * (transfer full) (nullable) */
char *channel_names_find_missing (const char *patterns, const KgMotion *motion);

/* The names of the first dozen, between commas, for messages.  (transfer full) */
char *channel_names_list (const KgMotion *motion);

/* freedom_numbers: lists of numbers for the freedoms of a skeleton, as people type them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-value.h"
#include "rig/linkage.h"

/* A number for each freedom: from a list of one for all, one for each freedom, or one for each joint; zeros from an empty one.
 * name: of the list, for the message; unit: of rotations, while slides are in metres. */
bool freedom_numbers_read (const KgList *list, const char *name, double unit, const Linkage *linkage, double *numbers,
                           GError **error);

/* value_mix: something between two values.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-value.h"

G_BEGIN_DECLS

/* Fills mixed (empty) with (1 - t) a + t b for numbers, vectors, colours, rotations (by slerp) and transforms (translation,
 * rotation and stretch apart); t may lie beyond 0 and 1.  a and b are of one kind.  Fails for other kinds. */
bool value_mix (const KgValue *a, const KgValue *b, double t, KgValue *mixed, GError **error);

G_END_DECLS

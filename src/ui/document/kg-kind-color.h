/* kg-kind-color: the colour of each kind of value, for slots, links and curves.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"

#include <cairo.h>

typedef struct {
  double r, g, b;
} KgTint;

/* Distinct in hue and in lightness, so that they stay apart for colour-blind eyes and on dark and light ground. */
KgTint kg_kind_get_tint (KgKind kind);
void kg_tint_set (cairo_t *cr, KgTint tint, double alpha);

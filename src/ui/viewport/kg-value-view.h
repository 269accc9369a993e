/* kg-value-view: motions as graphs, small values as text.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-value.h"

#include <pango/pangocairo.h>

G_BEGIN_DECLS

void kg_value_view_draw (cairo_t *cr, PangoContext *context, const KgValue *value, double width, double height);

G_END_DECLS

/* kg-family: the name, the colour and the icon of each family of node types, wherever nodes are listed or drawn.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-kind-color.h"
#include "kg-type.h"

/* (nullable) What people call a family ("curve"), translated; NULL where the program does not know it: presets have families
 * of their own. */
const char *kg_family_get_label (const char *family);
/* Of a node type, "curve/spline" or only its family. */
KgTint kg_family_get_tint (const char *type_id);
/* The icon in a square of that size with its upper left corner at (x, y), in the colour of cr. */
void kg_family_draw_icon (cairo_t *cr, const char *type_id, double x, double y, double size);

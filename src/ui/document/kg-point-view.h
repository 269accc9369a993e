/* kg-point-view: the points of geometries and scenes as dots, the nearest in front.  No widgets; any thread.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-view.h"

G_BEGIN_DECLS

/* (transfer full) (nullable) NULL when the value has no points, or the picture no room. */
KgImage *kg_point_view_draw (const KgValue *value, const KgView *view);

G_END_DECLS

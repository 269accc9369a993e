/* kg-point-view: the points of a scene as dots, the nearest in front.  No widgets; any thread.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-scene.h"

G_BEGIN_DECLS

/* (transfer full) (nullable) NULL when there is no room. */
KgImage *kg_point_view_draw (const KgScene *scene, const KgCamera *camera, int width, int height);

G_END_DECLS

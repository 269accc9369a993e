/* camera_inside: whether a camera stands inside of something.
 *
 * What a camera stands in hides all else, or is seen from behind; in a model set this happens easily, as the camera of a
 * computer has no size (catalogue 20-004).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-scene.h"

G_BEGIN_DECLS

/* The first object of the scene that holds a place of the world, or -1: one whose faces, turned outwards, wind around it by
 * more than half.  No object that can be seen through counts, and none that holds another one wholly, such as a room or the
 * sky. */
int64_t camera_inside_find (const KgScene *scene, KgVector place);

G_END_DECLS

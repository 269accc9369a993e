/* soft_ray: rays through soft objects, without a crossing that is missed; see field_ray.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/field_ray.h"
#include "soft/soft_keys.h"

G_BEGIN_DECLS

/* False: the slope of some keys along the ray has no bound (planes, radii that end in 0, powers below 1, convolved
 * chains). */
bool soft_ray_follow (const SoftKeys *keys, const FieldRayOptions *options, KgVector origin, KgVector direction,
                      FieldRayHit *hit);

G_END_DECLS

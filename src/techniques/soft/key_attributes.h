/* key_attributes: what the points of a geometry say of the keys of a soft object, see soft_keys.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

G_BEGIN_DECLS

/* Half the extent of a key without axes, size and width, metres. */
#define KEY_DEFAULT_RADIUS 0.5

/* Of one geometry, borrowed from it; all but p may be NULL. */
typedef struct {
  const KgGeometry *geometry;
  const float *p, *axes, *size, *width, *orient, *frame, *power, *force, *sized, *color;
  const int32_t *group, *kind, *part, *id;
  uint8_t color_size; /* numbers of a colour: 3 or 4 */
} KeyAttributes;

KeyAttributes key_attributes_find (const KgGeometry *geometry);
/* The attribute Cd of points or primitives with 4 or 3 numbers; NULL: none. */
const float *key_attributes_find_color (const KgGeometry *geometry, KgDomain domain, uint8_t *size);

/* i: of a point. */
KgVector key_attributes_get_place (const KeyAttributes *a, size_t i);
/* The attribute orient; the identity where there is none. */
KgRotation key_attributes_get_orient (const KeyAttributes *a, size_t i);
/* Half the extent along the axes of the key, metres, not below 0 if the attributes are not: of its influence, as axes tells it
 * (influence is true then), or of its body, as size or width does.  Merged geometries have zeros where one of them lacked an
 * attribute, so that the first of the three that is not 0 counts. */
KgVector key_attributes_get_half_extent (const KeyAttributes *a, size_t i, bool *influence);
/* Whether the attribute frame counts, and whether it is that of the body rather than of the influence. */
bool key_attributes_has_frame (const KeyAttributes *a, size_t i);
bool key_attributes_has_body_frame (const KeyAttributes *a, size_t i);
double key_attributes_get_power (const KeyAttributes *a, size_t i); /* 2 where it is not said */
double key_attributes_get_force (const KeyAttributes *a, size_t i); /* 1 */
/* The force with which a key has the body that its size tells: the attribute sized, or its own.  Keys that fade keep it, so that
 * their influence does not change. */
double key_attributes_get_sized (const KeyAttributes *a, size_t i);
int32_t key_attributes_get_group (const KeyAttributes *a, size_t i); /* 0 */

G_END_DECLS

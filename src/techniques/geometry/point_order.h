/* point_order: points in the order of a number of each.
 *
 * The bits of a float, with the sign turned round (and all of them where it is set), are whole numbers in the same order as the
 * floats, -0 before +0: they are sorted by their digits, 11 bits at a time from the last (LSD radix sort; Knuth, The Art of
 * Computer Programming 3, 5.2.5), which keeps equal ones in their order.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

G_BEGIN_DECLS

uint32_t point_order_get_key (float x);
/* order: (out) n indices, by rising values; values that are no numbers come last. */
void point_order_sort (const float *values, size_t n, uint32_t *order);
/* The geometry with its points in this order: attributes and primitives follow.  (transfer full) (nullable) */
KgGeometry *point_order_apply (const KgGeometry *geometry, const uint32_t *order);

G_END_DECLS

/* scale_orders: whether a transform scales before or after it turns, as choices.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"

enum { SCALE_FIRST, SCALE_LAST, N_SCALE_ORDERS };

static const KgChoice scale_orders[] = {
  [SCALE_FIRST] = { "first", N_ ("Scale, shear, then rotate") },
  [SCALE_LAST] = { "last", N_ ("Rotate, shear, then scale") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (scale_orders, N_SCALE_ORDERS);

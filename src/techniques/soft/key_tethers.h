/* key_tethers: keys between two soft objects that hold it together while it changes.
 *
 * In each model those keys are tied that bring its pieces together with the shortest ties: a minimum spanning tree of keys so near
 * to each other that their bodies flow together.  So are those that one key is split into.  Where a tie has become too long for
 * that, keys of the mean size are put along it, whose force grows with its length and falls again until both ends.
 * Source: Wyvill, Metamorphosis of Implicit Surfaces, 1990, tells of the pieces; the ties are ours.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/match_keys.h"

G_BEGIN_DECLS

/* keys: what match_keys_blend made of the match at this amount; helpers are added behind them, none at 0 and at 1.  n: (out)
 * their number.  KG_ERROR_LIMIT, KG_ERROR_CANCELLED. */
bool key_tethers_add (KgGeometry *keys, const KgGeometry *source, const KgGeometry *destination, const KeyMatch *match,
                      double amount, const KgProgressMonitor *monitor, size_t *n, GError **error);

G_END_DECLS

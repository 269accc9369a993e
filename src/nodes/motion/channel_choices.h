/* channel_choices: how a channel goes between its keys and beyond them, as choices of nodes that make one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"

G_BEGIN_DECLS

/* In the order of KgInterpolation. */
extern const KgChoice channel_betweens[];
/* In the order of KgExtend. */
extern const KgChoice channel_extends[];

G_END_DECLS

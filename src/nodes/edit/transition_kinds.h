/* transition_kinds: the transitions as choices.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/transition.h"
#include "kg-node.h"

static const KgChoice transition_kinds[] = {
  [TRANSITION_CUT] = { "cut", N_ ("Cut") },
  [TRANSITION_DISSOLVE] = { "dissolve", N_ ("Dissolve") },
  [TRANSITION_LEFT] = { "wipe_left", N_ ("Wipe from the left") },
  [TRANSITION_RIGHT] = { "wipe_right", N_ ("Wipe from the right") },
  [TRANSITION_TOP] = { "wipe_top", N_ ("Wipe from the top") },
  [TRANSITION_BOTTOM] = { "wipe_bottom", N_ ("Wipe from the bottom") },
  [TRANSITION_FADE] = { "fade", N_ ("Fade through black") },
  [TRANSITION_IRIS] = { "iris", N_ ("Iris") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (transition_kinds, TRANSITION_N);

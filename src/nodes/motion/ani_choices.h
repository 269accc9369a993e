/* ani_choices: timing words and speed profiles, as several nodes offer them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"
#include "motion/ani_timing.h"

static const KgChoice ani_profiles[] = {
  [ANI_CUBIC] = { "cubic", N_ ("Cubic") },
  [ANI_PARABOLIC] = { "parabolic", N_ ("Constant acceleration") },
  [ANI_SINE] = { "sine", N_ ("Sine") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ani_profiles, ANI_N_PROFILES);

G_GNUC_UNUSED static const KgChoice ani_kinds[] = {
  [ANI_STEADY] = { "steady", N_ ("Steady") },
  [ANI_SMOOTH] = { "smooth", N_ ("Smooth") },
  [ANI_SLOWIN] = { "slowin", N_ ("Slow in") },
  [ANI_SLOWOUT] = { "slowout", N_ ("Slow out") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ani_kinds, ANI_N_KINDS);

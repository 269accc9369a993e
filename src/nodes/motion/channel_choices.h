/* channel_choices: how a channel goes between its keys and beyond them, as choices of nodes that make one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"

static const KgChoice channel_betweens[] = {
  [KG_INTERPOLATE_CONSTANT] = { "hold", N_ ("Hold") },
  [KG_INTERPOLATE_LINEAR] = { "linear", N_ ("Linear") },
  [KG_INTERPOLATE_BEZIER] = { "smooth", N_ ("Smooth, without overshoot") },
  [KG_INTERPOLATE_TCB] = { "round", N_ ("Smooth, may overshoot") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (channel_betweens, KG_N_INTERPOLATIONS);

static const KgChoice channel_extends[] = {
  [KG_EXTEND_HOLD] = { "hold", N_ ("Hold") },
  [KG_EXTEND_LINEAR] = { "linear", N_ ("Continue straight") },
  [KG_EXTEND_CYCLE] = { "cycle", N_ ("Repeat") },
  [KG_EXTEND_CYCLE_OFFSET] = { "cycle-offset", N_ ("Repeat with offset") },
  [KG_EXTEND_MIRROR] = { "mirror", N_ ("Back and forth") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (channel_extends, KG_N_EXTENDS);

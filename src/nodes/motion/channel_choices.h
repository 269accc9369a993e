/* channel_choices: how a channel goes between its keys and beyond them, as choices of nodes that make one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"

/* In the order of KgInterpolation. */
static const KgChoice channel_betweens[] = {
  { "hold", N_ ("Hold") },
  { "linear", N_ ("Linear") },
  { "smooth", N_ ("Smooth, without overshoot") },
  { "round", N_ ("Smooth and round") },
  { NULL, NULL },
};

/* In the order of KgExtend. */
static const KgChoice channel_extends[] = {
  { "hold", N_ ("Hold") },
  { "linear", N_ ("Go on straight") },
  { "cycle", N_ ("Repeat") },
  { "cycle-offset", N_ ("Repeat from where it is") },
  { "mirror", N_ ("There and back") },
  { NULL, NULL },
};

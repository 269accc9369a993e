/* channel_choices: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "channel_choices.h"

const KgChoice channel_betweens[] = {
  { "hold", N_ ("Hold") },
  { "linear", N_ ("Linear") },
  { "smooth", N_ ("Smooth, without overshoot") },
  { "round", N_ ("Smooth and round") },
  { NULL, NULL },
};

const KgChoice channel_extends[] = {
  { "hold", N_ ("Hold") },
  { "linear", N_ ("Go on straight") },
  { "cycle", N_ ("Repeat") },
  { "cycle-offset", N_ ("Repeat from where it is") },
  { "mirror", N_ ("There and back") },
  { NULL, NULL },
};

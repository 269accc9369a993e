/* kg-pulse-sink: sound is played by a PulseAudio server, or PipeWire in its place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-player.h"

G_BEGIN_DECLS

/* (nullable) (transfer none) NULL in a program that was built without it. */
const KgSoundSink *kg_pulse_sink_get (void);

G_END_DECLS

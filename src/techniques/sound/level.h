/* level: how loud a sound is, all of it or a band of frequencies, over time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-channel.h"
#include "kg-progress.h"
#include "kg-sound.h"

G_BEGIN_DECLS

/* What lies between two frequencies, in hertz: a high pass at low and a low pass at high, each a Butterworth filter of the fourth
 * order (12 dB at half the frequency are 24), of two second-order sections by the bilinear transform.  0: no limit on that side;
 * a high that is not below half the rate is none either, and a low that is not: KG_ERROR_INVALID_VALUE.
 * Its gain at frequency f is 1 / √(1 + x⁸) with x = tan (π f / rate) / tan (π limit / rate), inverted for the high pass.
 * Source: R. Bristow-Johnson, Cookbook formulae for audio equalizer biquad filter coefficients.
 * NULL without an error when the monitor (nullable) cancelled.  (transfer full) (nullable) */
KgSound *sound_filter (const KgSound *sound, double low, double high, const KgProgressMonitor *monitor, GError **error);

typedef struct {
  double window;          /* seconds, centred on the time */
  bool peak;              /* the largest amplitude instead of the root of the mean square */
  double attack, release; /* seconds in which a rise or a fall is followed to 1 - 1/e; 0: at once */
} SoundLevel;

/* Over all channels, around a time in seconds.  Before and after the sound there is silence. */
double sound_measure_level (const KgSound *sound, const SoundLevel *level, double time);

/* The level as a function of time in seconds, sampled rate times a second at the times of frames (each is measured around the
 * middle of the time that the frame is shown), from silence before to silence after the sound; linear between.
 * NULL without an error when the monitor (nullable) cancelled.  (transfer full) (nullable) */
KgChannel *sound_follow_level (const KgSound *sound, const SoundLevel *level, double rate,
                               const KgProgressMonitor *monitor, GError **error);

G_END_DECLS

/* tone: sines that sound on, or are struck and die away.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "kg-sound.h"

G_BEGIN_DECLS

typedef struct {
  int rate;             /* samples per second */
  double start, length; /* seconds: of the whole, after the first frame of the graph, and how long it is */
  double frequency;     /* Hz */
  double amplitude;
  double decay;            /* seconds in which a struck tone falls to 1/e */
  const double *strikes;   /* times in seconds, with the first frame of the graph as 0 */
  const double *strengths; /* factors of the amplitude, one for each */
  size_t n_strikes;
} SoundTone;

/* amplitude sin (2π frequency t), where t counts from the start.  One channel. */
KgSound *sound_make_tone (const SoundTone *tone, const KgProgressMonitor *monitor, GError **error);
/* The sum of amplitude strength sin (2π frequency t) exp (-t / decay) over the strikes, where t counts from each (rounded to a
 * sample), as far as it lies within start and length.  One channel. */
KgSound *sound_strike_tone (const SoundTone *tone, const KgProgressMonitor *monitor, GError **error);

G_END_DECLS

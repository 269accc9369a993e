/* track_events: statements on one channel, as a function of the frame.
 *
 * The value is that of the last anchor (a set, or an absolute change, which starts from the value there is and stays at
 * its target) plus what relative changes added since.  So the order of the statements does not matter, and relative
 * changes that overlap add up.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "motion/track_text.h"

/* One statement on one channel. */
typedef struct {
  bool is_change; /* from a to b > a; else set at a */
  bool relative;
  double a, b;
  double amount; /* or the target */
  TrackEase ease;
  guint line;
} TrackEvent;

/* Largest number of changes: a running one counts again where another statement begins or ends. */
#define TRACK_MAX_WORK ((guint64) 1 << 26)

/* The events, which are sorted, as keys.  name: of the channel, for messages; start: the value before.  *work: counts the
 * changes that were looked at, over all channels of a text.  (transfer full) (nullable) */
KgChannel *track_events_to_channel (GArray *events, const char *name, double start, guint64 *work, GError **error);

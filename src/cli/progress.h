/* progress: how far a rendering is, for people and for programs, on standard error.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-render.h"

typedef enum { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_LINES, PROGRESS_JSON } ProgressStyle;

typedef struct {
  ProgressStyle style;
  gint64 start;       /* microseconds, monotonic */
  gint64 last_shown;  /* of the bar */
  guint64 n_rendered; /* without skipped frames: for the speed */
  bool bar_is_shown;
} Progress;

/* NULL: a bar on a terminal, else lines. False for an unknown style. */
bool progress_init (Progress *progress, const char *style);
/* A KgRenderProgress; data is the Progress. */
void progress_update (const KgRenderEvent *event, gpointer data);
/* A KgRenderWarning, likewise. */
void progress_warn (int64_t frame, const char *node, const char *message, gpointer data);
/* A KgRenderRefusal, likewise. */
void progress_refuse (const GError *error, gpointer data);
/* Ends the line of the bar. */
void progress_finish (Progress *progress);

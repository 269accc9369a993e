/* kg-progress: how long work reports its progress and learns that it was cancelled.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-error.h"

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* Given to work that may take long.  It belongs to the caller and outlives the call; either function may be NULL. */
typedef struct {
  bool (*is_cancelled) (gpointer data);        /* any thread; cheap */
  void (*report) (gpointer data, double done); /* done in 0..1; any thread; cheap */
  gpointer data;
} KgProgressMonitor;

/* True once the work was cancelled: stop soon.  The documentation of each function says what it leaves behind then.
 * monitor: (nullable) cannot be cancelled. */
static inline bool
kg_progress_is_cancelled (const KgProgressMonitor *monitor)
{
  return monitor != NULL && monitor->is_cancelled != NULL && monitor->is_cancelled (monitor->data);
}

/* The same for work that fails: false and KG_ERROR_CANCELLED once it was cancelled. */
static inline bool
kg_progress_check (const KgProgressMonitor *monitor, GError **error)
{
  if (!kg_progress_is_cancelled (monitor))
    return true;
  kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
  return false;
}

/* Reports how much is done, 0..1.  monitor: (nullable) nothing is reported. */
static inline void
kg_progress_report (const KgProgressMonitor *monitor, double done)
{
  if (monitor != NULL && monitor->report != NULL)
    monitor->report (monitor->data, done);
}

G_END_DECLS

/* kg-recorder: every edit of a graph as a line of a script, which makes the same graph again (docs/script.md).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"

G_BEGIN_DECLS

typedef struct _KgRecorder KgRecorder;

/* Records from now on; a graph has at most one recorder (NULL when it has one, or no history).  If the lines take
 * more than max_bytes, the record starts again from the graph as it is then.  (transfer full) (nullable) */
KgRecorder *kg_recorder_new (KgGraph *graph, gsize max_bytes);
/* Stops recording. */
void kg_recorder_free (KgRecorder *recorder);
/* (transfer full) A script that makes the graph as it is now from an empty one: first what the graph was when the
 * record started, then the edits since. */
char *kg_recorder_dup_script (KgRecorder *recorder);
/* (transfer full) The same without a history: the lines that make this graph. */
char *kg_graph_to_script (KgGraph *graph);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgRecorder, kg_recorder_free)

G_END_DECLS

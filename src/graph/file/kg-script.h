/* kg-script: edits as a small line language: one edit a line, values as in graph files, besides variables, conditions,
 * repetition and procedures.  Described in docs/script.md; written by kg-recorder.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph.h"

#include <gio/gio.h>

G_BEGIN_DECLS

#define KG_SCRIPT_VERSION 1
#define KG_SCRIPT_MAX_STEPS 10000000 /* statements of one run */
#define KG_SCRIPT_MAX_CALLS 200      /* procedures within each other, and blocks */

typedef struct _KgScript KgScript;

typedef enum {
  KG_SCRIPT_STOP,       /* at the first line that fails; the graph is then as it was */
  KG_SCRIPT_KEEP_GOING, /* a line that fails changes nothing, those after it are run */
} KgScriptMode;

/* NULL and at least one problem when the blocks are not whole or a verb is not known.  (transfer full) (nullable) */
KgScript *kg_script_parse (const char *text, gssize length, GPtrArray *problems);
/* path "-" reads standard input.  (transfer full) (nullable) */
KgScript *kg_script_load (const char *path, GPtrArray *problems);
void kg_script_free (KgScript *script);

/* Runs on graph, as one step of undo.  variables (nullable): name -> text, set before the first line.  False and
 * problems with line and column when a line fails; cancelling counts as that. */
bool kg_script_run (KgScript *script, KgGraph *graph, GHashTable *variables, KgScriptMode mode,
                    GCancellable *cancellable, GPtrArray *problems);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgScript, kg_script_free)

G_END_DECLS

/* kg-recovery: work survives a crash.
 *
 * While a document has changes that no file holds, a copy of it is kept in the state folder of the user
 * ($XDG_STATE_HOME/kineograph/recovery): <id>.json is the graph, <id>.info says what it belongs to.  The running
 * program holds a lock on <id>.info; the kernel releases it when the program ends in any way.  So a copy whose lock is free
 * is work that was lost.
 *
 * The copy goes when the document is saved, or by kg_recovery_clear when its user discards the changes.  Nothing
 * else removes it: an object that is merely freed leaves it to be found.
 *
 * Signals:
 *   failed (char *message)  a copy that was due could not be written; it is tried again
 *   recovered ()            it could, after a failure
 * Knows no widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-document.h"

#include <glib-object.h>

G_BEGIN_DECLS

#define KG_TYPE_RECOVERY (kg_recovery_get_type ())
G_DECLARE_FINAL_TYPE (KgRecovery, kg_recovery, KG, RECOVERY, GObject)

/* Watches the document from now on.  A document from kg_recovery_open continues with the copy it came from. */
KgRecovery *kg_recovery_new (KgDocument *document);
/* Most seconds of changes that can be lost; 20 at first. */
void kg_recovery_set_interval (KgRecovery *recovery, double seconds);
/* Writes the copy now if something changed since the last one.  The old copy survives a failure. */
bool kg_recovery_save_now (KgRecovery *recovery, GError **error);
/* The changes are discarded: removes the copy. */
void kg_recovery_clear (KgRecovery *recovery);

/* Work that a program left behind when it crashed. */
typedef struct {
  char *file;         /* the copy */
  char *path;         /* (nullable) the file that it was made from */
  char *folder;       /* (nullable) where relative paths start, when it belongs to no file */
  char *title;        /* what the window was called */
  gint64 time;        /* when it was kept; seconds, as time() */
  bool file_is_newer; /* path was written to after that */
} KgRecoveryEntry;

/* (transfer full) (element-type KgRecoveryEntry) The newest first. */
GPtrArray *kg_recovery_find (void);
/* The document, with something to save, and with the path it had.  The copy stays until it is saved or cleared by
 * a KgRecovery of the document.  NULL and problems when it cannot be read.  (transfer full) (nullable) */
KgDocument *kg_recovery_open (KgTypes *types, const KgRecoveryEntry *entry, GPtrArray *problems);
/* Removes the copy for good.  Does nothing when another program has taken it meanwhile. */
void kg_recovery_discard (const KgRecoveryEntry *entry);

G_END_DECLS

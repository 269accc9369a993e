/* kg-import: foreign files are read by programs of their own (src/media/import), which have limits, can be stopped at any
 * moment, and may crash without harm.  This is the side of the program that asks for their contents.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "import/kg-import-message.h"
#include "kg-base.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* A reader that runs, with its file. */
typedef struct _KgImport KgImport;

/* Starts the reader of this name ("mesh", "image", "movie", "sound", "profile", "gegl").  folders: (nullable) where files may be that the file names,
 * besides its own folder.  (transfer full) (nullable) */
KgImport *kg_import_new (const char *reader, const char *path, const char *const *folders, GError **error);
/* (nullable) Stops it, whatever it does. */
void kg_import_free (KgImport *import);

/* Sends a request, and waits for the reply.  memory: (out) (nullable) (transfer full) what came with it; the caller checks that all is as
 * the reply says.  warnings: (nullable) of char *.  False without an error when the monitor (nullable) cancelled. */
bool kg_import_request (KgImport *import, const KgImportRequest *request, const KgProgressMonitor *monitor,
                        GPtrArray *warnings, KgImportReply *reply, GBytes **memory, GError **error);
/* The same with memory that comes with the request, request->bytes of it in the file with: -1 for none. */
bool kg_import_request_with (KgImport *import, const KgImportRequest *request, int with,
                             const KgProgressMonitor *monitor, GPtrArray *warnings, KgImportReply *reply,
                             GBytes **memory, GError **error);
/* False for a reader that was cancelled or has ended: it no longer replies. */
bool kg_import_is_usable (const KgImport *import);
/* Reports a reply that cannot be true: the file is damaged.  Returns false. */
bool kg_import_refuse (const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgImport, kg_import_free)

G_END_DECLS

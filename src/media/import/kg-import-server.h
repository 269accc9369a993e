/* kg-import-server: what the programs that read foreign files have in common: their limits, the files that they may open,
 * and the talk with the program that started them.
 *
 * They are started as PROGRAM FILE [FOLDER...] with a socket as descriptor KG_IMPORT_SOCKET.  They end with it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-import-message.h"

G_BEGIN_DECLS

typedef struct _KgImportServer KgImportServer;

typedef struct {
  /* Bytes of memory for a small file; a large one is given more. */
  uint64_t memory;
  /* Answers a request in *reply, and puts what is large into memory of kg_import_take_memory. */
  bool (*answer) (KgImportServer *server, const KgImportRequest *request, KgImportReply *reply, GError **error);
} KgImportReader;

/* What main of a reader is. */
int kg_import_serve (int argc, char **argv, const KgImportReader *reader);

/* The file that the program was started for. */
const char *kg_import_get_path (const KgImportServer *server);
/* Opens it, or one that it names, which must be below a folder that the program was given.  Both must be regular files.
 * -1 and *error; KG_ERROR_UNKNOWN_NAME for one that is not there. */
int kg_import_open (KgImportServer *server, const char *path, GError **error);
/* The bytes of the file that the program was started for, once it was opened. */
uint64_t kg_import_get_size (const KgImportServer *server);

void kg_import_warn (KgImportServer *server, const char *text);
/* Answers with the failure from deep inside a library, and ends the program. */
void kg_import_abort (KgImportServer *server, const GError *error) G_GNUC_NORETURN;
/* (nullable) What came with the request, in memory that may be changed and is kept until it is answered; bytes: the request's. */
void *kg_import_get_input (KgImportServer *server, uint64_t bytes, GError **error);
/* How much of the request is done, 0 to 1. */
void kg_import_report (KgImportServer *server, double done);
/* (nullable) Zeroed memory for the result, at most once for each. */
void *kg_import_take_memory (KgImportServer *server, uint64_t bytes, GError **error);

G_END_DECLS

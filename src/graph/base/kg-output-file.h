/* kg-output-file: files that are written whole or not at all.
 * What is written goes into a file without a name, or where the file system has none, into a temporary file beside the
 * target (TARGET.kineo-partial), which takes the place of the target at the end: the old file survives every failure.
 * A device or a pipe cannot be replaced and is written to as it is.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

#include <stdio.h>

G_BEGIN_DECLS

typedef struct _KgOutputFile KgOutputFile;

/* Symbolic links are followed; "-" is standard output.  Errors of all functions are KG_ERROR_IO and give the reason
 * only, without the path.  (transfer full) (nullable) */
KgOutputFile *kg_output_file_open (const char *path, GError **error);
/* (transfer none) To write into. */
FILE *kg_output_file_get_stream (KgOutputFile *file);
/* (transfer none) By which a library that wants a name opens what is written to, in this program, until it is complete. */
const char *kg_output_file_get_path (KgOutputFile *file);
bool kg_output_file_write (KgOutputFile *file, const void *bytes, size_t n, GError **error);
/* Everything written is on the disk, the target as it was.  Where several files belong together, all are flushed
 * before the first is completed. */
bool kg_output_file_flush (KgOutputFile *file, GError **error);
/* Flushes, then replaces the target by what was written. Nothing can be written after that. */
bool kg_output_file_complete (KgOutputFile *file, GError **error);
/* (nullable) A file that was not completed leaves no trace. */
void kg_output_file_free (KgOutputFile *file);

/* Removes temporary files of path that programs left behind when they were killed, and none that is being written. */
void kg_output_file_sweep (const char *path);

/* Writes a text; errors name the path. */
bool kg_output_file_save (const char *path, const char *text, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgOutputFile, kg_output_file_free)

G_END_DECLS

/* cli: what the commands of kineo share.
 *
 * Results go to standard output, everything else to standard error.  A command returns its exit status; only main
 * ends the program.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image-file.h"
#include "kg-render.h"
#include "kineograph.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum {
  CLI_DONE = 0,
  CLI_FAILED = 1, /* an evaluation or a write failed, or was interrupted */
  CLI_USAGE = 2,
  CLI_INVALID_FILE = 3,
} CliStatus;

typedef struct {
  const char *name;
  const char *arguments;   /* "GRAPH NODE[.OUTPUT]..." */
  const char *summary;     /* N_(), one line without a full stop */
  const char *description; /* N_() */
  /* arguments: the command's name, then what the user wrote after it. */
  CliStatus (*run) (char ***arguments);
} CliCommand;

extern const CliCommand cli_check, cli_convert, cli_dot, cli_eval, cli_info, cli_new, cli_nodes, cli_presets,
    cli_render, cli_run, cli_schema;

/* On standard error, without what a terminal would take for commands. */
void cli_write_error (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* "kineo: message" on standard error. */
void cli_print_error (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* On standard error, a line for each problem of the file; nothing if there is none. */
void cli_print_problems (GPtrArray *problems, const char *path);
/* Prints the error and how to get help, and returns CLI_USAGE. */
CliStatus cli_usage (const CliCommand *command, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Prints the error and frees it; returns the status that fits it. */
CliStatus cli_fail (GError *error);

/* Reads the options; the positional arguments are left in *arguments, after its first word. False when there is nothing left
 * to do (help was printed, or the usage is wrong): return *status then. */
bool cli_parse (const CliCommand *command, const GOptionEntry *entries, char ***arguments, CliStatus *status);
/* Checks the number of positional arguments (max G_MAXUINT: any). */
bool cli_check_count (const CliCommand *command, char **arguments, guint min, guint max, CliStatus *status);

/* All node types; they live as long as the program. */
KgTypes *cli_get_types (void);
/* (transfer full) The same with the presets in the folder beside the graph file, which come before all others. */
KgTypes *cli_get_types_for (const char *path);
/* Some of the presets that were searched for so far could not be read, and were warned of. */
bool cli_lacks_presets (void);
/* Reads a graph ("-": standard input); prints its problems when there are any.  It knows the presets that it is made of.
 * (transfer full) (nullable) */
KgGraph *cli_load (const char *path);
/* The same for many graphs, and for those that are edited: it knows all presets. */
KgGraph *cli_load_with_library (const char *path);
/* --allow-path: what the graph may read besides its folder.  A graph that was loaded may read nothing else. */
void cli_permit (KgGraph *graph, char **folders);
/* False, with *status, when one of them has no name.  option: that names them; folders: (nullable) */
bool cli_check_folders (const CliCommand *command, const char *option, char **folders, CliStatus *status);
/* Applies --set NODE.INPUT=JSON.  Files that the user names in this way may be read. */
bool cli_apply_settings (const CliCommand *command, KgGraph *graph, char **settings, CliStatus *status);

/* A whole number in decimal digits, and nothing else; false when it is outside min to max, too. */
bool cli_read_integer (const char *text, gint64 min, gint64 max, gint64 *number);
/* --option "0.5": a finite number in decimal digits. */
bool cli_parse_number (const CliCommand *command, const char *option, const char *text, double *number,
                       CliStatus *status);
/* --size "1920x1080"; NULL leaves both as they are. */
bool cli_parse_size (const CliCommand *command, const char *text, int *width, int *height, CliStatus *status);
/* "12", "1-48" or "1-48x2". */
/* "1,30,50" and "1-100x10,200": frames gets them, in order and each once, and must outlive range. */
bool cli_parse_frame_list (const CliCommand *command, const char *text, KgRenderRange *range, GArray *frames,
                           CliStatus *status);
bool cli_parse_frames (const CliCommand *command, const char *text, KgRenderRange *range, CliStatus *status);
/* --bits "8", "16" or "32" of an image in the file of this name; NULL leaves *format as it is. */
bool cli_parse_bits (const CliCommand *command, const char *bits, const char *path, KgImageFormat *format,
                     CliStatus *status);
/* megabytes: "64"; folder: see kg_cache_set_folder, NULL: that of the environment; of_others:
 * whoever it belongs to. (transfer full) NULL without either. */
bool cli_parse_cache (const CliCommand *command, const char *megabytes, const char *folder, bool of_others,
                      KgCache **cache, CliStatus *status);

/* Cancelled by SIGINT, SIGTERM or SIGHUP; a second signal ends the program at once. */
GCancellable *cli_watch_signals (void);

/* The worse status of two. */
static inline CliStatus
cli_worse (CliStatus a, CliStatus b)
{
  return a > b ? a : b;
}

/* Writes and flushes, to a terminal without what it would take for commands; prints an error when standard output cannot be
 * written. */
CliStatus cli_print (const char *text);

/* "frame": 12 as in all JSON: the shortest number, whatever the locale. */
void cli_write_member (GString *out, const char *name, double number);

G_END_DECLS

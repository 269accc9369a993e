/* kg-error: what can go wrong, and its message in the language of the user.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A format is written in English, in the call; these functions look it up among the translations themselves, so that no
 * caller can forget to.  po/meson.build names them, and every other function that takes a format and calls
 * kg_translate().
 */
#pragma once

#include <glib.h>

/* Marks a text for translation without translating it here (the same definition as GLib's). */
#define N_(String) (String)

G_BEGIN_DECLS

/* Everything that a file, a user or a disk can cause is one of these. */
#define KG_ERROR (kg_error_quark ())
GQuark kg_error_quark (void);

typedef enum {
  KG_ERROR_INVALID_VALUE, /* a number not finite, out of range, of the wrong type */
  KG_ERROR_NOT_CONNECTED, /* a required input without a source */
  KG_ERROR_UNKNOWN_NAME,  /* no such node, slot, attribute or type */
  KG_ERROR_DUPLICATE,     /* the name is taken */
  KG_ERROR_CYCLE,         /* the edit would close a loop */
  KG_ERROR_TYPE_MISMATCH, /* no conversion between the two kinds */
  KG_ERROR_UNKNOWN_TYPE,  /* a node whose type this program does not have */
  KG_ERROR_INVALID_FILE,  /* text that is not a graph (or not the format it claims) */
  KG_ERROR_EXPRESSION,    /* an expression that does not parse or has no finite value */
  KG_ERROR_DEGENERATE,    /* input for which the technique has no solution */
  KG_ERROR_DIVERGED,      /* an iteration or a simulation left the finite numbers */
  KG_ERROR_LIMIT,         /* larger than a stated limit */
  KG_ERROR_IO,            /* reading or writing a file failed */
  KG_ERROR_REFUSED,       /* a file that the graph may not read or write */
  KG_ERROR_CANCELLED
} KgError;

/* error: (nullable) (out) */
void kg_set_error (GError **error, KgError code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* (transfer full) */
GError *kg_error_new (KgError code, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Adds where it happened: the text is put before the message, if there is an error. */
void kg_prefix_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Adds the column of a text, from 1, in which the error is. */
void kg_prefix_column (GError **error, guint column);
/* The column that was added, from 1; 0 if there is none.  reason: (out) (transfer none) the message without the column and
 * what was put before it, as long as the error lives. */
guint kg_error_get_column (const GError *error, const char **reason);

/* A message or its format in the language of the user; the text itself if it is not translated. */
const char *kg_translate (const char *format) G_GNUC_FORMAT (1);

G_END_DECLS

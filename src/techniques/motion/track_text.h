/* track_text: what the nodes that read scripts of movement share: words and expressions of a line, with places for
 * messages, and pieces of movement as a channel.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-expression.h"
#include "kg-motion.h"

#define TRACK_MAX_LINES 200000 /* of one text, and most statements after repetition */

typedef struct _TrackReader TrackReader;

/* The value of a plain name; false without *error: unknown.  An error of KG_ERROR_INVALID_VALUE is one of track_fail, which
 * has its place; any other gets that of the name. */
typedef bool (*TrackLookUp) (gpointer data, const char *name, double *value, GError **error);
/* The value of owner.name; *error may be set. */
typedef bool (*TrackAsk) (gpointer data, const char *owner, const char *name, double *value, GError **error);

/* Reads one line word by word. */
struct _TrackReader {
  const char *label; /* of the text, for messages: "line", "messages, line" */
  const char *line;  /* its first character, to the end of the line or the text */
  const char *end, *next;
  const char *token; /* where the last word began */
  guint number;      /* from 1 */
  /* What expressions know. */
  const char *const *names; /* NULL-terminated */
  TrackLookUp look_up;
  TrackAsk ask;
  gpointer data;
};

/* The number of the line after this one, or false at the end of the text.  Comments (from #) are left out of it. */
bool track_reader_next_line (TrackReader *reader, const char *text);
bool track_reader_at_end (TrackReader *reader);
/* Always false; at NULL: the last word. */
bool track_fail (const TrackReader *reader, const char *at, GError **error, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* (transfer full) (nullable) A name: letters, digits and _, not a digit first. */
char *track_take_name (TrackReader *reader, const char *what, GError **error);
/* Whether the next word is this one; it is taken then. */
bool track_take_keyword (TrackReader *reader, const char *keyword);
bool track_expect_keyword (TrackReader *reader, const char *keyword, GError **error);
bool track_expect_end (TrackReader *reader, GError **error);
/* A number, a name, or an expression in brackets. */
bool track_take_value (TrackReader *reader, const char *what, double *value, GError **error);
/* Up to the end of the line, or (nullable) the keyword, which is left. */
bool track_take_expression (TrackReader *reader, const char *keyword, double *value, GError **error);

/* The course of a change: cubics of its elapsed share, which keys represent exactly. */
typedef enum { TRACK_LINEAR, TRACK_IN, TRACK_OUT, TRACK_SMOOTH } TrackEase;

/* "linear", "in", "out" or "smooth". */
bool track_take_ease (TrackReader *reader, TrackEase *ease, GError **error);
double track_ease (TrackEase ease, double share, double *slope);

/* A cubic from one time to another (or a jump: low == high). */
typedef struct {
  double low, high;
  double value[2], slope[2]; /* at both ends */
} TrackPiece;

/* Keys that hold the pieces exactly, which are in order; start: the value before and without them.
 * (transfer full) (nullable) */
KgChannel *track_pieces_to_channel (const GArray *pieces, double start, GError **error);

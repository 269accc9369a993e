/* timecode: frames counted as hours, minutes, seconds and frames.
 * Source: SMPTE ST 12-1 (time and control code).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-error.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
  int64_t rate; /* frames that are counted in a second, at least 1 */
  bool drop;    /* the first rate / 15 numbers of each minute but every tenth are skipped */
} TimecodeRule;

/* Room for a timecode as text: hh:mm:ss:ff, with ff of up to three digits, or hh:mm:ss;ff with dropped numbers. */
#define TIMECODE_LENGTH 16

typedef struct {
  int hours, minutes, seconds, frames;
} Timecode;

/* Reads hh:mm:ss:ff (: . ; or , between the numbers) or hhmmssff as frames since 00:00:00:00.  what: the word that errors begin
 * with.  KG_ERROR_INVALID_VALUE for anything else, numbers that are too large, and numbers that are dropped. */
bool timecode_read (const char *text, TimecodeRule rule, const char *what, int64_t *frame, GError **error);
/* The frames of a day. */
int64_t timecode_get_day (TimecodeRule rule);
/* Of a frame since 00:00:00:00; a day wraps. */
Timecode timecode_split (int64_t frame, TimecodeRule rule);
void timecode_write (int64_t frame, TimecodeRule rule, char text[TIMECODE_LENGTH]);

G_END_DECLS

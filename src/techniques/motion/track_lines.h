/* track_lines: the statements of a script of movement, one by one: variables and repetitions are dealt with here.
 *
 *   let NAME = EXPRESSION
 *   repeat N [as NAME] ... end
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "motion/track_text.h"

typedef struct {
  TrackReader reader; /* at a statement; knows the variables */
  const char *text;
  GHashTable *variables; /* name -> double * */
  GPtrArray *names;      /* of the variables, NULL-terminated, borrowed */
  GArray *loops;         /* that are open */
  guint n_lines;
} TrackLines;

/* In place: the reader points to it.  text: as long as the lines. */
void track_lines_init (TrackLines *lines, const char *text);
void track_lines_clear (TrackLines *lines);

/* Goes on to the next statement; *found is false at the end.  After an error, which has the place, the rest can still be
 * read, unless it is KG_ERROR_LIMIT. */
bool track_lines_next (TrackLines *lines, bool *found, GError **error);
void track_lines_set_variable (TrackLines *lines, const char *name, double value);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TrackLines, track_lines_clear)

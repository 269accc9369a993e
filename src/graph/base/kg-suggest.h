/* kg-suggest: what may have been meant by a name that does not exist.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

G_BEGIN_DECLS

/* The nearest name so far.  Everything is borrowed. */
typedef struct {
  const char *wanted, *best; /* best: (nullable) */
  guint distance;
} KgSuggestion;

KgSuggestion kg_suggestion_begin (const char *wanted);
/* name: as long as the suggestion. */
void kg_suggestion_add (KgSuggestion *suggestion, const char *name);
/* The same of names with a family ("family/name"): wanted may be without one. */
void kg_suggestion_add_id (KgSuggestion *suggestion, const char *id);
/* (transfer full) ": did you mean "name"?", or "" where no name is near. */
char *kg_suggestion_end (const KgSuggestion *suggestion);
/* (transfer full) All at once; names: NULL-terminated. */
char *kg_suggest (const char *wanted, const char *const *names);
/* (transfer full) Among the files beside path. */
char *kg_suggest_file (const char *path);

G_END_DECLS

/* kg-suggest: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-suggest.h"

#include "kg-error.h"

#include <string.h>

/* Names that are further away are not meant; longer ones are not compared. */
#define MOST_EDITS 2
#define MOST_BYTES 128
/* Files of a folder that are compared. */
#define MOST_FILES 10000

/* Edits that turn one text into the other (Levenshtein, Binary codes capable of correcting deletions, insertions, and
 * reversals, 1966), with neighbours that changed places as one of them; a large number for long texts. */
static guint
get_distance (const char *a, const char *b)
{
  guint rows[3][MOST_BYTES];
  guint *older = rows[0], *old = rows[1], *row = rows[2];
  const size_t m = strlen (a), n = strlen (b);

  if (n >= MOST_BYTES || m > n + MOST_EDITS || n > m + MOST_EDITS)
    return G_MAXUINT;
  for (size_t j = 0; j <= n; j++)
    row[j] = older[j] = (guint) j;
  for (size_t i = 1; i <= m; i++) {
    guint *const next = older;

    older = old;
    old = row;
    row = next;
    row[0] = (guint) i;
    for (size_t j = 1; j <= n; j++) {
      row[j] = MIN (MIN (old[j], row[j - 1]) + 1, old[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = MIN (row[j], older[j - 2] + 1);
    }
  }
  return row[n];
}

KgSuggestion
kg_suggestion_begin (const char *wanted)
{
  return (KgSuggestion){ wanted, NULL, MOST_EDITS + 1 };
}

static void
consider (KgSuggestion *suggestion, const char *name, const char *compared)
{
  const guint distance = get_distance (suggestion->wanted, compared);

  /* Too little of a short name would be left; the suffix of a file name does not count. */
  if (distance < suggestion->distance && 2 * distance <= strcspn (compared, ".")) {
    suggestion->distance = distance;
    suggestion->best = name;
  }
}

void
kg_suggestion_add (KgSuggestion *suggestion, const char *name)
{
  consider (suggestion, name, name);
}

void
kg_suggestion_add_id (KgSuggestion *suggestion, const char *id)
{
  const char *slash = strchr (id, '/'), *wanted = strchr (suggestion->wanted, '/');

  consider (suggestion, id, id);
  if (slash != NULL && wanted == NULL)
    consider (suggestion, id, slash + 1);
  /* The right name in another family. */
  if (slash != NULL && wanted != NULL && suggestion->distance > 1 && strcmp (slash, wanted) == 0) {
    suggestion->distance = 1;
    suggestion->best = id;
  }
}

char *
kg_suggestion_end (const KgSuggestion *suggestion)
{
  return suggestion->best != NULL ? g_strdup_printf (kg_translate (": did you mean \"%s\"?"), suggestion->best)
                                  : g_strdup ("");
}

char *
kg_suggest (const char *wanted, const char *const *names)
{
  KgSuggestion suggestion = kg_suggestion_begin (wanted);

  for (; names != NULL && *names != NULL; names++)
    kg_suggestion_add (&suggestion, *names);
  return kg_suggestion_end (&suggestion);
}

char *
kg_suggest_file (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path), *wanted = g_path_get_basename (path), *best = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  KgSuggestion suggestion = kg_suggestion_begin (wanted);
  const char *name;

  for (guint n = 0; dir != NULL && n < MOST_FILES && (name = g_dir_read_name (dir)) != NULL; n++) {
    kg_suggestion_add (&suggestion, name);
    if (suggestion.best == name) {
      g_free (best);
      best = g_strdup (name);
      suggestion.best = best;
    }
  }
  return kg_suggestion_end (&suggestion);
}

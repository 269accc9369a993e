/* kg-search: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-search.h"

#include "config.h"
#include "kg-gegl-types.h"

#include <glib/gi18n.h>
#include <string.h>

enum {
  SCORE_HELP = 1,
  SCORE_FAMILY = 10,
  SCORE_TAG = 30,
  SCORE_FUZZY = 20,
  SCORE_INSIDE = 50,
  SCORE_START = 100,
  SCORE_WHOLE = 120,
  /* Of what another library offers: ours of the same name or tags come first. */
  FOREIGN_SHARE = 8
};

static bool
letters_in_order (const char *text, const char *word)
{
  while (*word != '\0') {
    const gunichar wanted = g_utf8_get_char (word);

    while (*text != '\0' && g_utf8_get_char (text) != wanted)
      text = g_utf8_next_char (text);
    if (*text == '\0')
      return false;
    text = g_utf8_next_char (text);
    word = g_utf8_next_char (word);
  }
  return true;
}

static bool
starts_a_word (const char *text, const char *word)
{
  for (const char *at = strstr (text, word); at != NULL; at = strstr (at + 1, word))
    if (at == text || at[-1] == ' ' || at[-1] == '_' || at[-1] == '/')
      return true;
  return false;
}

static int
score_word (const char *word, const char *id, const char *label, const char *family, const char *tags, const char *help)
{
  const char *slash = strchr (id, '/');
  const char *name = slash != NULL ? slash + 1 : id;

  /* All of it: what only begins with it comes later. */
  if (g_str_equal (id, word) || g_str_equal (label, word) || g_str_equal (name, word))
    return SCORE_WHOLE;
  /* "curve/spline", as files and the manual say it. */
  if (strchr (word, '/') != NULL && g_str_has_prefix (id, word))
    return SCORE_START;
  if (g_str_has_prefix (label, word) || g_str_has_prefix (name, word))
    return SCORE_START;
  if (starts_a_word (label, word) || starts_a_word (name, word))
    return SCORE_START - 20;
  if (strstr (label, word) != NULL || strstr (name, word) != NULL)
    return SCORE_INSIDE;
  if (starts_a_word (tags, word))
    return SCORE_TAG;
  if (strlen (word) > 1 && (letters_in_order (label, word) || letters_in_order (name, word)))
    return SCORE_FUZZY;
  if (g_str_has_prefix (family, word))
    return SCORE_FAMILY;
  return strlen (word) > 2 && strstr (help, word) != NULL ? SCORE_HELP : 0;
}

int
kg_search_score (const KgNodeType *type, const char *words)
{
  g_autofree char *folded = g_utf8_casefold (words, -1);
  g_autofree char *label = g_utf8_casefold (kg_type_translate (type->label), -1);
  g_autofree char *tags = g_utf8_casefold (type->tags != NULL ? kg_type_translate (type->tags) : "", -1);
  g_autofree char *help = g_utf8_casefold (kg_type_translate (type->help), -1);
  g_autofree char *family = kg_type_dup_family (type);
  g_auto (GStrv) parts = g_strsplit_set (folded, " \t", -1);
  int score = 1;

  for (guint i = 0; parts[i] != NULL; i++) {
    int best;

    if (*parts[i] == '\0')
      continue;
    best = score_word (parts[i], type->id, label, family, tags, help);
    if (best == 0)
      return 0;
    score += best;
  }
  return g_str_equal (family, KG_GEGL_FAMILY) ? MAX (score / FOREIGN_SHARE, 1) : score;
}

static bool
fits (const KgNodeType *type, KgKind kind, bool is_output)
{
  if (kind == KG_N_KINDS)
    return true;
  if (type->role == KG_ROLE_ANNOTATION || type->role == KG_ROLE_SUBNET)
    return false;
  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];

    if (is_output && slot->role == KG_SLOT_INPUT && !slot->fixed && kg_kind_converts (kind, slot->kind))
      return true;
    if (!is_output && slot->role == KG_SLOT_OUTPUT && (slot->kind == KG_ANY || kg_kind_converts (slot->kind, kind)))
      return true;
  }
  return false;
}

typedef struct {
  const KgNodeType *type;
  int score;
} Hit;

static int
compare_hits (gconstpointer a, gconstpointer b)
{
  const Hit *x = (const Hit *) a, *y = (const Hit *) b;

  return x->score != y->score ? y->score - x->score
                              : g_utf8_collate (kg_type_translate (x->type->label), kg_type_translate (y->type->label));
}

GPtrArray *
kg_search_types (KgTypes *types, const char *words, KgKind kind, bool is_output)
{
  g_autoptr (GArray) hits = g_array_new (FALSE, FALSE, sizeof (Hit));
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; i < kg_types_get_n (types); i++) {
    const Hit hit = { kg_types_get (types, i), kg_search_score (kg_types_get (types, i), words) };

    if (hit.score > 0 && fits (hit.type, kind, is_output))
      g_array_append_val (hits, hit);
  }
  g_array_sort (hits, compare_hits);
  for (guint i = 0; i < hits->len; i++)
    g_ptr_array_add (found, (gpointer) g_array_index (hits, Hit, i).type);
  return found;
}

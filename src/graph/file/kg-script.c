/* kg-script: edits as a small line language: reading.
 *
 * A text is cut into statements first, which says where blocks begin and end; what a statement means is read when it
 * runs, after its variables were substituted.  Positions in messages are those of the text as written.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-file-private.h"
#include "kg-script-private.h"
#include "kg-suggest.h"

static void
statement_free (gpointer data)
{
  KgStatement *statement = (KgStatement *) data;

  g_clear_pointer (&statement->body, g_ptr_array_unref);
  g_clear_pointer (&statement->otherwise, g_ptr_array_unref);
  g_free (statement);
}

/* Where the statement that begins at start ends: a line, or more while brackets are open.  Comments become blanks. */
static gsize
scan_statement (char *text, gsize start)
{
  KgScriptScan scan = { 0 };
  gsize i = start;

  while (text[i] != '\0' && (text[i] != '\n' || (!scan.quoted && scan.depth > 0)))
    if (text[i] == '#' && !scan.quoted && (i == start || strchr (" \t\n", text[i - 1]) != NULL)) {
      const gsize n = strcspn (text + i, "\n");

      memset (text + i, ' ', n);
      i += n;
    } else
      i += kg_script_scan (&scan, text + i);
  return i;
}

static const KgVerb *const verb_tables[] = { kg_script_edit_verbs, kg_script_control_verbs };

/* (nullable) */
static const KgVerb *
find_verb (const char *text, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (verb_tables); i++)
    for (const KgVerb *verb = verb_tables[i]; verb->name != NULL; verb++)
      if (strlen (verb->name) == length && strncmp (verb->name, text, length) == 0)
        return verb;
  return NULL;
}

/* (transfer full) */
static char *
suggest_verb (const char *word)
{
  KgSuggestion suggestion = kg_suggestion_begin (word);

  for (guint i = 0; i < G_N_ELEMENTS (verb_tables); i++)
    for (const KgVerb *verb = verb_tables[i]; verb->name != NULL; verb++)
      kg_suggestion_add (&suggestion, verb->name);
  return kg_suggestion_end (&suggestion);
}

/* Adds a statement to the innermost open block, or ends that.  open: (element-type KgStatement) */
static void
place_statement (KgScript *script, GPtrArray *open, KgStatement *statement, GPtrArray *problems)
{
  KgStatement *block = open->len > 0 ? (KgStatement *) g_ptr_array_index (open, open->len - 1) : NULL;
  const KgVerbKind kind = statement->verb->kind;
  GPtrArray *into = script->statements;
  gsize rest;

  if (kind == KG_VERB_END || kind == KG_VERB_CANCEL || kind == KG_VERB_ELSE) {
    if (block == NULL || (kind == KG_VERB_ELSE && (block->verb->kind != KG_VERB_IF || block->otherwise != NULL)) ||
        (kind == KG_VERB_CANCEL && block->verb->kind != KG_VERB_GROUP)) {
      g_autofree char *message = g_strdup_printf ("\"%s\" without a matching %s before it", statement->verb->name,
                                                  kind == KG_VERB_ELSE ? "if"
                                                  : kind == KG_VERB_CANCEL
                                                      ? "group or transaction"
                                                      : "group, transaction, if, repeat or procedure");

      kg_script_add_problem (script, statement->start, problems, message);
    } else if (kind == KG_VERB_ELSE)
      block->otherwise = g_ptr_array_new_with_free_func (statement_free);
    else {
      block->cancelled = kind == KG_VERB_CANCEL;
      g_ptr_array_set_size (open, (gint) open->len - 1);
    }
    rest = statement->arguments + strspn (script->text + statement->arguments, " \t\r\n");
    if (rest < statement->end)
      kg_script_add_problem (script, rest, problems, "the line should end here");
    statement_free (statement);
    return;
  }
  if (block != NULL)
    into = block->otherwise != NULL ? block->otherwise : block->body;
  g_ptr_array_add (into, statement);
  if (kind == KG_VERB_EDIT)
    return;
  statement->body = g_ptr_array_new_with_free_func (statement_free);
  if (open->len >= KG_SCRIPT_MAX_CALLS)
    kg_script_add_problem (script, statement->start, problems, "blocks are nested too deeply: at most 200");
  g_ptr_array_add (open, statement);
}

static void
read_statements (KgScript *script, GPtrArray *problems)
{
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  char *text = script->text;

  for (gsize start = 0; start < script->length && problems->len < KG_JSON_MAX_PROBLEMS;) {
    const gsize end = scan_statement (text, start);
    const gsize first = start + strspn (text + start, " \t\r\n");
    const gsize length = first < end ? strcspn (text + first, " \t\r\n") : 0;
    const KgVerb *verb = find_verb (text + first, length);

    start = end + 1;
    if (first >= end)
      continue;
    if (verb == NULL) {
      g_autofree char *word = g_strndup (text + first, MIN (length, 60)), *hint = suggest_verb (word);
      g_autofree char *message =
          g_strdup_printf ("there is no verb \"%s\"%s", word,
                           *hint != '\0' ? hint : ": lines begin with a verb such as add, set or link");

      kg_script_add_problem (script, first, problems, message);
    } else {
      KgStatement *statement = g_new0 (KgStatement, 1);

      *statement = (KgStatement){ .verb = verb, .start = first, .arguments = MIN (first + length, end), .end = end };
      place_statement (script, open, statement, problems);
    }
  }
  for (guint i = 0; i < open->len; i++) {
    const KgStatement *block = (const KgStatement *) g_ptr_array_index (open, i);
    g_autofree char *message =
        g_strdup_printf ("the block of this %s is not closed: add a line \"end\"", block->verb->name);

    kg_script_add_problem (script, block->start, problems, message);
  }
}

KgScript *
kg_script_parse (const char *text, gssize length, GPtrArray *problems)
{
  g_autoptr (KgScript) script = g_new0 (KgScript, 1);
  const guint before = problems->len;
  const char *bad;

  script->length = length >= 0 ? (gsize) length : strlen (text);
  script->statements = g_ptr_array_new_with_free_func (statement_free);
  if (script->length > KG_JSON_MAX_BYTES) {
    kg_problems_add (problems, NULL, "", "longer than %zu bytes", KG_JSON_MAX_BYTES);
    return NULL;
  }
  script->text = g_strndup (text, script->length);
  if (!g_utf8_validate_len (text, script->length, &bad)) {
    kg_script_add_problem (script, (gsize) (bad - text), problems, "the text is not UTF-8");
    return NULL;
  }
  read_statements (script, problems);
  return problems->len == before ? g_steal_pointer (&script) : NULL;
}

KgScript *
kg_script_load (const char *path, GPtrArray *problems)
{
  gsize length = 0;
  g_autofree char *text = kg_file_read (path, &length, problems);

  return text != NULL ? kg_script_parse (text, (gssize) length, problems) : NULL;
}

void
kg_script_free (KgScript *script)
{
  if (script == NULL)
    return;
  g_clear_pointer (&script->statements, g_ptr_array_unref);
  g_free (script->text);
  g_free (script);
}

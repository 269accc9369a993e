/* kg-script-run: the verbs that control what runs (blocks, procedures, variables), and the run of a script.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-script-private.h"

typedef struct {
  KgStatement *statement;
  GPtrArray *parameters; /* (element-type char *), owned */
} Procedure;

static bool run_block (KgRun *run, GPtrArray *statements);

/* Variables. */

static bool
run_let (KgRun *run, KgCursor *cursor)
{
  return kg_cursor_assign (run, cursor, false);
}

static bool
run_default (KgRun *run, KgCursor *cursor)
{
  return kg_cursor_assign (run, cursor, true);
}

/* Blocks. */

/* (transfer full) (nullable) The label of an undo step: the rest of the line, or "Group". */
static char *
take_label (KgCursor *cursor)
{
  g_autofree char *label = NULL;

  if (kg_cursor_is_at_end (cursor))
    return g_strdup ("Group");
  label = kg_cursor_take_word (cursor, "a label");
  return label != NULL && kg_cursor_take_end (cursor) ? g_steal_pointer (&label) : NULL;
}

static bool
run_group (KgRun *run, KgCursor *cursor)
{
  const KgStatement *statement = cursor->statement;
  g_autofree char *label = take_label (cursor);
  bool good;

  if (label == NULL)
    return false;
  kg_graph_begin_group (run->graph, label);
  run->n_groups++;
  good = run_block (run, statement->body);
  run->n_groups--;
  if (!good || statement->cancelled)
    kg_graph_cancel_group (run->graph);
  else
    kg_graph_end_group (run->graph);
  return good;
}

static bool
run_transaction (KgRun *run, KgCursor *cursor)
{
  const KgStatement *statement = cursor->statement;
  g_autofree char *label = take_label (cursor);
  bool good;

  if (label == NULL)
    return false;
  if (run->n_groups > 0)
    return kg_cursor_fail_at (cursor, 0, "a transaction is not allowed in a group");
  kg_graph_begin_transaction (run->graph, label);
  good = run_block (run, statement->body);
  if (!good || statement->cancelled)
    kg_graph_cancel_transaction (run->graph);
  else
    kg_graph_end_transaction (run->graph);
  return good;
}

static bool
run_if (KgRun *run, KgCursor *cursor)
{
  const KgStatement *statement = cursor->statement;
  double condition;

  if (kg_cursor_is_at_end (cursor))
    return kg_cursor_fail_usage (cursor, "a condition is missing");
  if (!kg_cursor_compute_number (cursor, cursor->next, cursor->text + cursor->next, &condition))
    return false;
  if (condition != 0)
    return run_block (run, statement->body);
  return statement->otherwise == NULL || run_block (run, statement->otherwise);
}

/* repeat EXPRESSION [as NAME] */
static bool
run_repeat (KgRun *run, KgCursor *cursor)
{
  const KgStatement *statement = cursor->statement;
  g_autofree char *text = g_strdup (cursor->text), *name = NULL;
  double n;
  char *as;

  if (kg_cursor_is_at_end (cursor))
    return kg_cursor_fail_usage (cursor, "the number of repetitions is missing");
  as = strstr (text + cursor->next, " as ");
  if (as != NULL) {
    KgCursor rest = *cursor;

    *as = '\0';
    rest.next = (gsize) (as - text) + strlen (" as ");
    name = kg_cursor_take_name (&rest);
    if (name == NULL || !kg_cursor_take_end (&rest))
      return false;
  }
  if (!kg_cursor_compute_number (cursor, cursor->next, text + cursor->next, &n))
    return false;
  if (!(n >= 0 && n <= KG_SCRIPT_MAX_STEPS) || n != floor (n))
    return kg_cursor_fail_at (cursor, cursor->next, "%g repetitions: write a whole number from 0 to %d", n,
                              KG_SCRIPT_MAX_STEPS);
  for (double i = 0; i < n; i++) {
    if (++run->n_steps > KG_SCRIPT_MAX_STEPS)
      return kg_cursor_fail_at (cursor, 0, "more than %d steps: is there an endless loop?", KG_SCRIPT_MAX_STEPS);
    if (name != NULL) {
      g_autofree char *number = g_strdup_printf ("%.0f", i + 1);

      kg_scope_set (run->locals, name, number);
    }
    if (!run_block (run, statement->body))
      return false;
  }
  return true;
}

/* Procedures. */

static void
procedure_free (gpointer data)
{
  Procedure *procedure = (Procedure *) data;

  g_ptr_array_unref (procedure->parameters);
  g_free (procedure);
}

static bool
run_procedure (KgRun *run, KgCursor *cursor)
{
  Procedure *procedure;
  g_autofree char *name = kg_cursor_take_name (cursor);
  g_autoptr (GPtrArray) parameters = g_ptr_array_new_with_free_func (g_free);

  if (name == NULL)
    return false;
  while (!kg_cursor_is_at_end (cursor)) {
    char *parameter = kg_cursor_take_name (cursor);

    if (parameter == NULL)
      return false;
    g_ptr_array_add (parameters, parameter);
  }
  procedure = g_new0 (Procedure, 1);
  procedure->statement = (KgStatement *) cursor->statement;
  procedure->parameters = g_steal_pointer (&parameters);
  g_hash_table_replace (run->procedures, g_steal_pointer (&name), procedure);
  return true;
}

static bool
run_call (KgRun *run, KgCursor *cursor)
{
  g_autofree char *name = kg_cursor_take_word (cursor, "the name of a procedure");
  const Procedure *procedure = name != NULL ? (const Procedure *) g_hash_table_lookup (run->procedures, name) : NULL;
  g_autoptr (GHashTable) arguments = kg_scope_new ();
  KgScope *const callers = run->locals;
  guint n = 0;
  bool good;

  if (name == NULL)
    return false;
  if (procedure == NULL)
    return kg_cursor_fail_at (cursor, cursor->token, "unknown procedure \"%.100s\": define it above this line", name);
  while (!kg_cursor_is_at_end (cursor)) {
    g_autofree char *argument = NULL;
    const gsize length = kg_script_measure_token (cursor->text + cursor->next);

    if (n == procedure->parameters->len)
      return kg_cursor_fail_at (cursor, cursor->token, "%s takes %u arguments", name, procedure->parameters->len);
    if (cursor->text[cursor->next] == '"')
      argument = kg_cursor_take_word (cursor, "an argument");
    else {
      argument = g_strndup (cursor->text + cursor->next, length);
      cursor->next += length;
    }
    if (argument == NULL)
      return false;
    kg_scope_set (arguments, (const char *) g_ptr_array_index (procedure->parameters, n++), argument);
  }
  if (n < procedure->parameters->len)
    return kg_cursor_fail_at (cursor, cursor->token, "%s takes %u arguments, but %u are given: \"%s\" is missing", name,
                              procedure->parameters->len, n,
                              (const char *) g_ptr_array_index (procedure->parameters, n));
  if (run->depth >= KG_SCRIPT_MAX_CALLS)
    return kg_cursor_fail_at (cursor, 0, "%s: more than %d nested procedures and blocks: does it call itself?", name,
                              KG_SCRIPT_MAX_CALLS);
  run->locals = arguments;
  good = run_block (run, procedure->statement->body);
  run->locals = callers;
  return good;
}

const KgVerb kg_script_control_verbs[] = {
  { "call", KG_VERB_EDIT, false, run_call, "call PROCEDURE [ARGUMENT...]" },
  { "cancel", KG_VERB_CANCEL, false, NULL, "cancel" },
  { "default", KG_VERB_EDIT, true, run_default, "default NAME = EXPRESSION|\"TEXT\"" },
  { "else", KG_VERB_ELSE, false, NULL, "else" },
  { "end", KG_VERB_END, false, NULL, "end" },
  { "group", KG_VERB_GROUP, false, run_group, "group [\"LABEL\"] ... end|cancel" },
  { "if", KG_VERB_IF, true, run_if, "if EXPRESSION ... [else ...] end" },
  { "let", KG_VERB_EDIT, true, run_let, "let NAME = EXPRESSION|\"TEXT\"" },
  { "procedure", KG_VERB_BLOCK, false, run_procedure, "procedure NAME [PARAMETER...] ... end" },
  { "repeat", KG_VERB_BLOCK, true, run_repeat, "repeat EXPRESSION [as NAME] ... end" },
  { "transaction", KG_VERB_GROUP, false, run_transaction, "transaction [\"LABEL\"] ... end|cancel" },
  { 0 },
};

/* Running. */

static bool
check_cancelled (KgRun *run, const KgStatement *statement)
{
  if (!g_cancellable_is_cancelled (run->cancellable))
    return true;
  kg_script_add_problem (run->script, statement->start, run->problems, "interrupted");
  return false;
}

static bool
run_statement (KgRun *run, KgStatement *statement)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (KgPiece));
  g_autoptr (GString) text = g_string_new (NULL);
  KgCursor cursor = { .run = run, .statement = statement, .pieces = pieces };

  if (!kg_cursor_expand (&cursor, text))
    return false;
  cursor.text = text->str;
  if (!statement->verb->run (run, &cursor))
    return false;
  /* The sub-graph that was entered may be gone. */
  if (kg_graph_get_root (run->current) != run->graph)
    g_set_object (&run->current, run->graph);
  return true;
}

static bool
run_block (KgRun *run, GPtrArray *statements)
{
  bool good = true;

  run->depth++;
  for (guint i = 0; good && i < statements->len; i++) {
    KgStatement *statement = (KgStatement *) g_ptr_array_index (statements, i);

    if (++run->n_steps > KG_SCRIPT_MAX_STEPS) {
      kg_script_add_problem (run->script, statement->start, run->problems,
                             "more than 10000000 steps: is there a loop without an end?");
      good = false;
    } else if (!check_cancelled (run, statement))
      good = false;
    else if (!run_statement (run, statement))
      good = run->mode == KG_SCRIPT_KEEP_GOING && run->n_steps <= KG_SCRIPT_MAX_STEPS &&
             run->problems->len < KG_JSON_MAX_PROBLEMS && !g_cancellable_is_cancelled (run->cancellable);
  }
  run->depth--;
  return good;
}

bool
kg_script_run (KgScript *script, KgGraph *graph, GHashTable *variables, KgScriptMode mode, GCancellable *cancellable,
               GPtrArray *problems)
{
  g_autoptr (GHashTable) globals = kg_scope_new ();
  g_autoptr (GHashTable) procedures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, procedure_free);
  const guint before = problems->len;
  KgRun run = { .script = script,
                .graph = kg_graph_get_root (graph),
                .current = g_object_ref (kg_graph_get_root (graph)),
                .globals = globals,
                .locals = globals,
                .procedures = procedures,
                .problems = problems,
                .cancellable = cancellable,
                .mode = mode };
  bool good;

  if (variables != NULL) {
    GHashTableIter iter;
    gpointer name, text;

    g_hash_table_iter_init (&iter, variables);
    while (g_hash_table_iter_next (&iter, &name, &text))
      kg_scope_set (globals, (const char *) name, (const char *) text);
  }
  kg_graph_begin_transaction (run.graph, "Script");
  good = run_block (&run, script->statements) && problems->len == before;
  if (good || mode == KG_SCRIPT_KEEP_GOING)
    kg_graph_end_transaction (run.graph);
  else
    kg_graph_cancel_transaction (run.graph);
  g_object_unref (run.current);
  return good;
}

/* kg-script-variables: variables of scripts, expressions that read them, and their substitution in statements.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression.h"
#include "kg-script-private.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* The longest value of a variable, and the longest statement after substitution. */
#define MAX_TEXT ((gsize) 64 << 20)

/* Variables. */

KgScope *
kg_scope_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

void
kg_scope_set (KgScope *scope, const char *name, const char *text)
{
  g_hash_table_insert (scope, g_strdup (name), g_strdup (text));
}

static const char *
look_up (const KgRun *run, const char *name)
{
  const char *text = (const char *) g_hash_table_lookup (run->locals, name);

  return text != NULL ? text : (const char *) g_hash_table_lookup (run->globals, name);
}

static bool
is_name (const char *text, gsize length)
{
  return length > 0 && length <= KG_NAME_MAX && !g_ascii_isdigit (text[0]) && strspn (text, NAME_CHARACTERS) >= length;
}

char *
kg_cursor_take_name (KgCursor *cursor)
{
  g_autofree char *name = kg_cursor_take_word (cursor, "a name");

  if (name == NULL)
    return NULL;
  if (is_name (name, strlen (name)))
    return g_steal_pointer (&name);
  kg_cursor_fail_at (cursor, cursor->token,
                     "\"%.60s\" is not a valid name: use letters, digits and _, and do not start with a digit", name);
  return NULL;
}

/* Expressions. */

/* The value of a reference in an expression: a variable, or the constant that an input is set to. */
static bool
read_reference (KgCursor *cursor, gsize at, const KgReference *reference, double *number)
{
  KgRun *run = cursor->run;
  g_auto (KgValue) value = KG_VALUE_INIT;
  const KgSource *source;
  const KgSlot *slot;
  KgNode *node;
  int index;

  if (reference->node[0] == '\0') {
    const char *text = look_up (run, reference->slot);
    char *end;

    *number = g_ascii_strtod (text, &end);
    return (end != text && *end == '\0' && isfinite (*number)) ||
           kg_cursor_fail_at (cursor, at, "%s is \"%.60s\", which is not a number: write \"$%s\" for its text",
                              reference->slot, text, reference->slot);
  }
  node = kg_run_find_node (run, reference->node);
  if (node == NULL)
    return kg_cursor_fail_at (cursor, at, "unknown node \"%s\"", reference->node);
  index = kg_node_find_slot (node, reference->slot);
  slot = index >= 0 ? kg_node_get_slot (node, (guint) index) : NULL;
  if (slot == NULL || slot->role != KG_SLOT_INPUT)
    return kg_cursor_fail_at (cursor, at, "%s has no input \"%s\": a script can only read the values of inputs",
                              reference->node, reference->slot);
  source = kg_node_get_source (node, (guint) index);
  if (source->kind == KG_SOURCE_CONSTANT && reference->component == NULL &&
      kg_value_convert (&source->constant, KG_NUMBER, &value, NULL)) {
    *number = value.number;
    return true;
  }
  if (source->kind == KG_SOURCE_CONSTANT && reference->component != NULL && source->constant.kind == KG_VECTOR &&
      strchr ("xyz", reference->component[0]) != NULL) {
    const KgVector v = source->constant.vector;

    *number = reference->component[0] == 'x' ? v.x : reference->component[0] == 'y' ? v.y : v.z;
    return true;
  }
  if (source->kind == KG_SOURCE_DEFAULT && reference->component == NULL &&
      (slot->kind == KG_NUMBER || slot->kind == KG_INTEGER || slot->kind == KG_BOOLEAN)) {
    *number = slot->def;
    return true;
  }
  return kg_cursor_fail_at (cursor, at, "the value of %s.%s is not a number", reference->node, reference->slot);
}

/* (transfer container) The names of all variables, NULL-terminated. */
static GPtrArray *
list_names (const KgRun *run)
{
  KgScope *const scopes[] = { run->locals, run->globals };
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < (run->locals != run->globals ? 2 : 1); i++) {
    GHashTableIter iter;
    gpointer name;

    g_hash_table_iter_init (&iter, scopes[i]);
    while (g_hash_table_iter_next (&iter, &name, NULL))
      g_ptr_array_add (names, name);
  }
  g_ptr_array_add (names, NULL);
  return names;
}

/* Takes error.  The column of the expression is reported as that of the script. */
static bool
fail_expression (KgCursor *cursor, gsize at, const char *text, GError *error)
{
  const char *reason;
  const guint column = kg_error_get_column (error, &reason);

  if (column > 0 && (glong) column <= g_utf8_strlen (text, -1) + 1)
    at += (gsize) (g_utf8_offset_to_pointer (text, (glong) column - 1) - text);
  kg_cursor_fail_at (cursor, at, "%s", reason);
  g_error_free (error);
  return false;
}

/* (transfer full) (nullable) The results of the expression at that place of the statement. */
static GArray *
compute (KgCursor *cursor, gsize at, const char *text)
{
  KgRun *run = cursor->run;
  g_autoptr (GPtrArray) names = list_names (run);
  const KgFrames frames = kg_graph_get_frames (run->graph);
  const KgMoment moment = { 0, frames.start, frames.rate, frames.start, frames.end };
  GError *error = NULL;
  g_autoptr (KgExpression) expression =
      kg_expression_new_with_names (text, (const char *const *) names->pdata, KG_EXPRESSION_NAMES_BESIDE, &error);
  g_autofree double *values = NULL;
  g_autoptr (GArray) results = NULL;
  guint n;

  if (expression == NULL) {
    fail_expression (cursor, at, text, error);
    return NULL;
  }
  n = kg_expression_get_n_references (expression);
  values = g_new0 (double, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);

    if (!read_reference (cursor, at + (gsize) (g_utf8_offset_to_pointer (text, (glong) reference->column - 1) - text),
                         reference, &values[i]))
      return NULL;
  }
  results = g_array_sized_new (FALSE, TRUE, sizeof (double), kg_expression_get_n_results (expression));
  g_array_set_size (results, kg_expression_get_n_results (expression));
  if (!kg_expression_evaluate (expression, &moment, values, (double *) (gpointer) results->data, &error)) {
    fail_expression (cursor, at, text, error);
    return NULL;
  }
  return g_steal_pointer (&results);
}

bool
kg_cursor_compute_number (KgCursor *cursor, gsize at, const char *text, double *number)
{
  g_autoptr (GArray) results = compute (cursor, at, text);

  if (results == NULL)
    return false;
  if (results->len != 1)
    return kg_cursor_fail_at (cursor, at, "%u results: exactly one number is needed here", results->len);
  *number = g_array_index (results, double, 0);
  return true;
}

/* One number as such, several as a list. */
static void
write_results (const GArray *results, GString *out)
{
  if (results->len > 1)
    g_string_append_c (out, '[');
  for (guint i = 0; i < results->len; i++) {
    g_string_append (out, i > 0 ? ", " : "");
    kg_json_write_number (g_array_index (results, double, i), out);
  }
  if (results->len > 1)
    g_string_append_c (out, ']');
}

/* Substitution. */

static void
start_piece (KgCursor *cursor, gsize at, gsize from)
{
  const KgPiece piece = { at, from };

  g_array_append_val (cursor->pieces, piece);
}

/* Appends the value of the variable or expression at the beginning of text, which follows a $.  *length: what was read. */
static bool
substitute (KgCursor *cursor, const char *text, gsize from, gsize *length, GString *out)
{
  g_autofree char *inner = NULL;
  const char *value;

  if (text[0] == '$') {
    *length = 1;
    g_string_append_c (out, '$');
    return true;
  }
  if (text[0] == '{') {
    g_autoptr (GArray) results = NULL;

    *length = strcspn (text, "}\n");
    if (text[*length] != '}')
      return kg_cursor_fail_at (cursor, out->len, "this ${ has no closing }");
    inner = g_strndup (text + 1, *length - 1);
    ++*length;
    start_piece (cursor, out->len, from + 1);
    results = compute (cursor, out->len, inner);
    if (results != NULL)
      write_results (results, out);
    return results != NULL;
  }
  *length = strspn (text, NAME_CHARACTERS);
  if (!is_name (text, *length))
    return kg_cursor_fail_at (cursor, out->len,
                              "a $ must be followed by a variable: write $name, ${expression}, or $$ for a $");
  inner = g_strndup (text, *length);
  value = look_up (cursor->run, inner);
  if (value == NULL)
    return kg_cursor_fail_at (cursor, out->len, "unknown variable \"%s\": set it before with let or default", inner);
  g_string_append (out, value);
  return true;
}

bool
kg_cursor_expand (KgCursor *cursor, GString *out)
{
  const KgStatement *statement = cursor->statement;
  const char *text = cursor->run->script->text;

  start_piece (cursor, 0, statement->arguments);
  for (gsize i = statement->arguments; i < statement->end;) {
    const char *dollar = (const char *) memchr (text + i, '$', statement->end - i);
    const gsize n = dollar != NULL ? (gsize) (dollar - (text + i)) : statement->end - i;
    gsize length = 0;

    g_string_append_len (out, text + i, (gssize) n);
    i += n;
    if (i >= statement->end || statement->verb->raw) {
      if (i < statement->end)
        g_string_append_c (out, text[i++]);
      continue;
    }
    start_piece (cursor, out->len, i);
    if (!substitute (cursor, text + i + 1, i + 1, &length, out))
      return false;
    i += 1 + length;
    start_piece (cursor, out->len, i);
    if (out->len > MAX_TEXT)
      return kg_cursor_fail_at (cursor, 0, "the statement with its variables expanded is longer than %zu bytes",
                                MAX_TEXT);
  }
  return true;
}

bool
kg_cursor_assign (KgRun *run, KgCursor *cursor, bool only_new)
{
  g_autofree char *name = kg_cursor_take_name (cursor);
  g_autoptr (GString) value = g_string_new (NULL);
  const char *rest;

  if (name == NULL)
    return false;
  if (!kg_cursor_take_keyword (cursor, "="))
    return kg_cursor_fail_usage (cursor, "= is missing");
  if (kg_cursor_is_at_end (cursor))
    return kg_cursor_fail_usage (cursor, "a value is missing");
  if (only_new && look_up (run, name) != NULL)
    return true;
  rest = cursor->text + cursor->next;
  if (rest[0] == '"') {
    g_autofree char *text = NULL;

    /* Only here, so that $ in an expression is an error of the expression. */
    KgCursor inner = { run, cursor->statement, "", 0, 0, cursor->pieces };
    KgStatement part = *cursor->statement;
    KgVerb plain = *part.verb;
    g_autoptr (GString) expanded = g_string_new (NULL);

    part.arguments = kg_cursor_find_origin (cursor, cursor->next);
    plain.raw = false;
    part.verb = &plain;
    inner.statement = &part;
    g_array_set_size (cursor->pieces, 0);
    if (!kg_cursor_expand (&inner, expanded))
      return false;
    inner.text = expanded->str;
    text = kg_cursor_take_word (&inner, "text");
    if (text == NULL || !kg_cursor_take_end (&inner))
      return false;
    g_string_assign (value, text);
  } else {
    g_autoptr (GArray) results = compute (cursor, cursor->next, rest);

    if (results == NULL)
      return false;
    write_results (results, value);
  }
  kg_scope_set (run->locals, name, value->str);
  return true;
}

/* kg-script: edits as a small line language.
 *
 * A text is cut into statements first, which says where blocks begin and end; what a statement means is looked at when
 * it is run, after its variables were put in.  Positions in messages are those of the text as written.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-script.h"

#include "kg-expression.h"
#include "kg-file-private.h"
#include "kg-graph-private.h"
#include "kg-preset-json.h"
#include "kg-subnet.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>

#define MAX_TEXT ((gsize) 64 << 20) /* longest value of a variable, and longest statement once they are put in */

typedef struct _Run Run;
typedef struct _Cursor Cursor;

typedef enum { VERB_EDIT, VERB_BLOCK, VERB_ELSE, VERB_END } VerbKind;

typedef struct {
  const char *name;
  VerbKind kind;
  bool raw; /* its variables are not put in before it is run: it has expressions */
  bool (*run) (Run *run, Cursor *cursor);
  const char *usage;
} Verb;

/* Ranges of the text. */
typedef struct _Statement Statement;
struct _Statement {
  const Verb *verb;
  gsize start, arguments, end;
  GPtrArray *body, *otherwise; /* (element-type Statement) of blocks */
  bool cancelled;              /* a group that ends with cancel */
};

struct _KgScript {
  char *text; /* as written, but comments are blanks: same places */
  gsize length;
  GPtrArray *statements;
};

typedef struct {
  Statement *statement;
  GPtrArray *parameters; /* char *, owned */
} Procedure;

/* Variables of the whole script, or of one call. */
typedef GHashTable Scope;

struct _Run {
  KgScript *script;
  KgGraph *graph;   /* the outermost */
  KgGraph *current; /* owned: the one that was entered */
  Scope *globals, *locals;
  GHashTable *procedures; /* name -> Procedure */
  GPtrArray *problems;
  GCancellable *cancellable;
  KgScriptMode mode;
  guint64 n_steps;
  guint depth, n_groups;
};

/* Which place of the text a place of the statement with its variables put in comes from. */
typedef struct {
  gsize at, from;
} Piece;

struct _Cursor {
  Run *run;
  const Statement *statement;
  const char *text;
  gsize next;
  gsize token;    /* where the last token began */
  GArray *pieces; /* Piece */
};

/* Where. */

static void
add_problem_at (const KgScript *script, gsize at, GPtrArray *problems, const char *message)
{
  const char *line = script->text;
  guint number = 1;

  for (const char *c = script->text; c < script->text + MIN (at, script->length); c++)
    if (*c == '\n') {
      number++;
      line = c + 1;
    }
  kg_problems_add_at (problems, number,
                      (guint) g_utf8_strlen (line, (gssize) (script->text + MIN (at, script->length) - line)) + 1, "",
                      "%s", message);
}

/* The place in the text of the script of one in the statement. */
static gsize
find_origin (const Cursor *cursor, gsize at)
{
  gsize origin = cursor->statement->arguments;

  for (guint i = 0; i < cursor->pieces->len; i++) {
    const Piece *piece = &g_array_index (cursor->pieces, Piece, i);
    const gsize next = i + 1 < cursor->pieces->len ? piece[1].at : G_MAXSIZE;

    if (at < next || i + 1 == cursor->pieces->len) {
      /* What a variable was replaced by comes from where the variable stands. */
      const gsize end = i + 1 < cursor->pieces->len ? piece[1].from : cursor->statement->end;

      origin = piece->from + MIN (at - MIN (at, piece->at), end - piece->from);
      break;
    }
  }
  return origin;
}

static bool fail_at (Cursor *cursor, gsize at, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Always false.  at 0: the line as such. */
static bool
fail_at (Cursor *cursor, gsize at, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;
  gsize origin;

  va_start (arguments, format);
  message = g_strdup_vprintf (kg_translate (format), arguments);
  va_end (arguments);
  if (at == 0 && cursor->text != NULL) {
    at = strspn (cursor->text, " \t\r\n");
    origin = cursor->text[at] == '\0' ? cursor->statement->start : find_origin (cursor, at);
  } else
    origin = find_origin (cursor, at);
  add_problem_at (cursor->run->script, origin, cursor->run->problems, message);
  return false;
}

/* Takes error. */
static bool
fail_error (Cursor *cursor, gsize at, GError *error)
{
  const bool good = fail_at (cursor, at, "%s", error->message);

  g_error_free (error);
  return good;
}

/* An expression's message begins with the column in it, which is told as that of the script. */
static bool
fail_expression (Cursor *cursor, gsize at, const char *text, GError *error)
{
  guint column = 1;
  int length = 0;
  const char *message = error->message;

  if (sscanf (message, "column %u: %n", &column, &length) == 1 && length > 0)
    message += length;
  if (column > 0 && (glong) column <= g_utf8_strlen (text, -1) + 1)
    at += (gsize) (g_utf8_offset_to_pointer (text, (glong) column - 1) - text);
  fail_at (cursor, at, "%s", message);
  g_error_free (error);
  return false;
}

/* Words. */

static void
skip_blanks (Cursor *cursor)
{
  cursor->next += strspn (cursor->text + cursor->next, " \t\r\n");
  cursor->token = cursor->next;
}

static bool
is_at_end (Cursor *cursor)
{
  skip_blanks (cursor);
  return cursor->text[cursor->next] == '\0';
}

static bool
fail_usage (Cursor *cursor, const char *what)
{
  return fail_at (cursor, cursor->token, "%s; write: %s", kg_translate (what), cursor->statement->verb->usage);
}

/* The length of the string, list, object or word that text begins with. */
static gsize
measure_token (const char *text)
{
  gsize n = 0;
  guint depth = 0;
  bool quoted = false;

  if (strchr ("\"[{", text[0]) == NULL)
    return strcspn (text, " \t\r\n");
  do {
    const char c = text[n++];

    if (quoted) {
      if (c == '\\' && text[n] != '\0')
        n++;
      else if (c == '"')
        quoted = false;
    } else if (c == '"')
      quoted = true;
    else if (c == '[' || c == '{')
      depth++;
    else if ((c == ']' || c == '}') && depth > 0)
      depth--;
  } while (text[n] != '\0' && (quoted || depth > 0));
  return n;
}

/* (transfer full) (nullable) The next value, as in graph files. */
static KgJson *
take_json (Cursor *cursor, const char *what)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *token = NULL;
  KgJson *json;
  gsize length;

  if (is_at_end (cursor)) {
    g_autofree char *missing = g_strdup_printf (kg_translate ("%s is missing"), kg_translate (what));

    fail_usage (cursor, missing);
    return NULL;
  }
  length = measure_token (cursor->text + cursor->next);
  token = g_strndup (cursor->text + cursor->next, length);
  cursor->next += length;
  json = kg_json_parse (token, -1, problems);
  if (json == NULL) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, 0);
    const char *at = token;

    for (guint line = 1; line < problem->line && strchr (at, '\n') != NULL; line++)
      at = strchr (at, '\n') + 1;
    for (guint column = 1; column < problem->column && *at != '\0'; column++)
      at = g_utf8_next_char (at);
    fail_at (cursor, cursor->token + (gsize) (at - token), "%s must be a value as in graph files: %s",
             kg_translate (what), problem->message);
  }
  return json;
}

/* (transfer full) (nullable) A word, or a text in quotes. */
static char *
take_word (Cursor *cursor, const char *what)
{
  g_autoptr (KgJson) json = NULL;
  char *word;
  gsize length;

  if (is_at_end (cursor) || cursor->text[cursor->next] == '"') {
    json = take_json (cursor, what);
    return json != NULL ? g_strdup (kg_json_get_string (json)) : NULL;
  }
  length = strcspn (cursor->text + cursor->next, " \t\r\n");
  word = g_strndup (cursor->text + cursor->next, length);
  cursor->next += length;
  return word;
}

static bool
take_number (Cursor *cursor, const char *what, double *number)
{
  g_autofree char *word = take_word (cursor, what);
  char *end;

  if (word == NULL)
    return false;
  *number = g_ascii_strtod (word, &end);
  if (end != word && *end == '\0' && isfinite (*number))
    return true;
  return fail_at (cursor, cursor->token, "\"%.60s\" is not a number: %s must be one", word, kg_translate (what));
}

/* Whether the next word is this one; it is taken then. */
static bool
take_keyword (Cursor *cursor, const char *keyword)
{
  const gsize length = strlen (keyword);

  skip_blanks (cursor);
  if (strncmp (cursor->text + cursor->next, keyword, length) != 0 ||
      strchr (" \t\r\n", cursor->text[cursor->next + length]) == NULL)
    return false;
  cursor->next += length;
  return true;
}

static bool
take_end (Cursor *cursor)
{
  g_autofree char *what = NULL;

  if (is_at_end (cursor))
    return true;
  what = g_strdup_printf (kg_translate ("unexpected \"%.40s\": the line should end here"), cursor->text + cursor->next);
  return fail_usage (cursor, what);
}

/* Nodes. */

/* Always false. */
static bool
fail_no_node (Cursor *cursor, const char *path)
{
  if (cursor->run->current == cursor->run->graph)
    return fail_at (cursor, cursor->token, "unknown node \"%.200s\"", path);
  return fail_at (cursor, cursor->token, "no node \"%.200s\" in this graph (an absolute path begins with /)", path);
}

/* (nullable) A path is looked for in the graph that was entered; one that begins with / from outside. */
static KgNode *
find_node (Run *run, const char *path)
{
  return path[0] == '/' ? kg_graph_find_path (run->graph, path + 1) : kg_graph_find_path (run->current, path);
}

/* (nullable) */
static KgNode *
take_node (Cursor *cursor)
{
  g_autofree char *path = take_word (cursor, "the name of a node");
  KgNode *node = path != NULL ? find_node (cursor->run, path) : NULL;

  if (path != NULL && node == NULL)
    fail_no_node (cursor, path);
  return node;
}

/* The graph of a path and the name at its end; *name (transfer full). */
static bool
take_new_path (Cursor *cursor, const char *what, KgGraph **graph, char **name)
{
  g_autofree char *path = take_word (cursor, what);
  g_autofree char *folder = NULL;
  const char *slash;
  KgNode *owner;

  if (path == NULL)
    return false;
  slash = strrchr (path, '/');
  *graph = path[0] == '/' ? cursor->run->graph : cursor->run->current;
  *name = g_strdup (slash != NULL ? slash + 1 : path);
  if (slash == NULL || slash == path)
    return true;
  folder = g_strndup (path, (gsize) (slash - path));
  owner = find_node (cursor->run, folder);
  if (owner != NULL && kg_node_get_graph (owner) != NULL) {
    *graph = kg_node_get_graph (owner);
    return true;
  }
  g_clear_pointer (name, g_free);
  return owner == NULL ? fail_no_node (cursor, folder)
                       : fail_at (cursor, cursor->token, "%s cannot contain a graph: it is of type %s", folder,
                                  kg_node_get_type_id (owner));
}

/* PATH.SLOT; *slot (transfer full). */
static bool
take_slot (Cursor *cursor, const char *what, KgNode **node, char **slot)
{
  g_autofree char *word = take_word (cursor, what);
  g_autofree char *path = NULL;
  const char *dot = word != NULL ? strrchr (word, '.') : NULL;

  if (word == NULL)
    return false;
  if (dot == NULL)
    return fail_at (cursor, cursor->token, "\"%.200s\" is not a slot: write %s as node.slot", word,
                    kg_translate (what));
  path = g_strndup (word, (gsize) (dot - word));
  *node = find_node (cursor->run, path);
  if (*node == NULL)
    return fail_no_node (cursor, path);
  *slot = g_strdup (dot + 1);
  return true;
}

/* The graph of "in PATH" at the end of a line, or the one that was entered. */
static bool
take_graph (Cursor *cursor, KgGraph **graph)
{
  *graph = cursor->run->current;
  if (take_keyword (cursor, "in")) {
    KgNode *node = take_node (cursor);

    if (node == NULL)
      return false;
    *graph = kg_node_get_graph (node);
    if (*graph == NULL)
      return fail_at (cursor, cursor->token, "%s cannot contain a graph: it is of type %s", kg_node_get_name (node),
                      kg_node_get_type_id (node));
  }
  return take_end (cursor);
}

/* Edits that cannot say themselves that an instance of a preset is locked. */
static bool
check_unlocked (Cursor *cursor, KgGraph *graph)
{
  return !kg_graph_is_locked (graph) ||
         fail_at (cursor, cursor->token, "%s is an instance of a preset: unlock it first",
                  kg_node_get_name (kg_graph_get_owner (graph)));
}

/* Variables. */

static const char *
look_up (const Run *run, const char *name)
{
  const char *text = (const char *) g_hash_table_lookup (run->locals, name);

  return text != NULL ? text : (const char *) g_hash_table_lookup (run->globals, name);
}

static bool
is_name (const char *text, gsize length)
{
  return length > 0 && length <= KG_NAME_MAX && !g_ascii_isdigit (text[0]) &&
         strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") >= length;
}

/* (transfer full) (nullable) */
static char *
take_variable_name (Cursor *cursor)
{
  g_autofree char *name = take_word (cursor, "a name");

  if (name == NULL)
    return NULL;
  if (is_name (name, strlen (name)) && strlen (name) <= KG_NAME_MAX &&
      strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen (name))
    return g_steal_pointer (&name);
  fail_at (cursor, cursor->token,
           "\"%.60s\" is not a valid name: use letters, digits and _, and do not start with a digit", name);
  return NULL;
}

/* What an expression reads: a variable, or the constant that an input is set to. */
static bool
read_reference (Cursor *cursor, gsize at, const KgReference *reference, double *number)
{
  Run *run = cursor->run;
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
           fail_at (cursor, at, "%s is \"%.60s\", which is not a number: write \"$%s\" for its text", reference->slot,
                    text, reference->slot);
  }
  node = find_node (run, reference->node);
  if (node == NULL)
    return fail_at (cursor, at, "unknown node \"%s\"", reference->node);
  index = kg_node_find_slot (node, reference->slot);
  slot = index >= 0 ? kg_node_get_slot (node, (guint) index) : NULL;
  if (slot == NULL || slot->role != KG_SLOT_INPUT)
    return fail_at (cursor, at, "%s has no input \"%s\": a script can only read the values of inputs", reference->node,
                    reference->slot);
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
  return fail_at (cursor, at, "the value of %s.%s is not a number", reference->node, reference->slot);
}

/* (transfer full) All names that are known, NULL-terminated; the strings are the tables'. */
static GPtrArray *
list_names (const Run *run)
{
  Scope *const scopes[] = { run->locals, run->globals };
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

/* (transfer full) (nullable) The results of an expression that stands at at. */
static GArray *
compute (Cursor *cursor, gsize at, const char *text)
{
  Run *run = cursor->run;
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

static bool
compute_number (Cursor *cursor, gsize at, const char *text, double *number)
{
  g_autoptr (GArray) results = compute (cursor, at, text);

  if (results == NULL)
    return false;
  if (results->len != 1)
    return fail_at (cursor, at, "%u results: exactly one number is needed here", results->len);
  *number = g_array_index (results, double, 0);
  return true;
}

/* One number as it is, several as a list. */
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

static void
start_piece (Cursor *cursor, gsize at, gsize from)
{
  const Piece piece = { at, from };

  g_array_append_val (cursor->pieces, piece);
}

/* Appends what stands for the variable or expression that text begins with after its $; *length: of both. */
static bool
put_in (Cursor *cursor, const char *text, gsize from, gsize *length, GString *out)
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
      return fail_at (cursor, out->len, "this ${ has no closing }");
    inner = g_strndup (text + 1, *length - 1);
    ++*length;
    start_piece (cursor, out->len, from + 1);
    results = compute (cursor, out->len, inner);
    if (results != NULL)
      write_results (results, out);
    return results != NULL;
  }
  *length = strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  if (!is_name (text, *length))
    return fail_at (cursor, out->len, "a $ must be followed by a variable: write $name, ${expression}, or $$ for a $");
  inner = g_strndup (text, *length);
  value = look_up (cursor->run, inner);
  if (value == NULL)
    return fail_at (cursor, out->len, "unknown variable \"%s\": set it before with let or default", inner);
  g_string_append (out, value);
  return true;
}

/* The arguments of the statement with its variables put in. */
static bool
expand (Cursor *cursor, GString *out)
{
  const Statement *statement = cursor->statement;
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
    if (!put_in (cursor, text + i + 1, i + 1, &length, out))
      return false;
    i += 1 + length;
    start_piece (cursor, out->len, i);
    if (out->len > MAX_TEXT)
      return fail_at (cursor, 0, "the statement with its variables expanded is longer than %zu bytes", MAX_TEXT);
  }
  return true;
}

static void
set_variable (Scope *scope, const char *name, const char *text)
{
  g_hash_table_insert (scope, g_strdup (name), g_strdup (text));
}

/* NAME = EXPRESSION, or "text" in which variables are put in. */
static bool
assign (Run *run, Cursor *cursor, bool only_new)
{
  g_autofree char *name = take_variable_name (cursor);
  g_autoptr (GString) value = g_string_new (NULL);
  const char *rest;

  if (name == NULL)
    return false;
  if (!take_keyword (cursor, "="))
    return fail_usage (cursor, "= is missing");
  if (is_at_end (cursor))
    return fail_usage (cursor, "a value is missing");
  if (only_new && look_up (run, name) != NULL)
    return true;
  rest = cursor->text + cursor->next;
  if (rest[0] == '"') {
    g_autofree char *text = NULL;

    /* Here, and not before, so that $ in an expression is an error of the expression. */
    Cursor inner = { run, cursor->statement, "", 0, 0, cursor->pieces };
    Statement part = *cursor->statement;
    Verb plain = *part.verb;
    g_autoptr (GString) expanded = g_string_new (NULL);

    part.arguments = find_origin (cursor, cursor->next);
    plain.raw = false;
    part.verb = &plain;
    inner.statement = &part;
    g_array_set_size (cursor->pieces, 0);
    if (!expand (&inner, expanded))
      return false;
    inner.text = expanded->str;
    text = take_word (&inner, "text");
    if (text == NULL || !take_end (&inner))
      return false;
    g_string_assign (value, text);
  } else {
    g_autoptr (GArray) results = compute (cursor, cursor->next, rest);

    if (results == NULL)
      return false;
    write_results (results, value);
  }
  set_variable (run->locals, name, value->str);
  return true;
}

static bool
run_let (Run *run, Cursor *cursor)
{
  return assign (run, cursor, false);
}

static bool
run_default (Run *run, Cursor *cursor)
{
  return assign (run, cursor, true);
}

/* Edits. */

static void
remember_last (Run *run, const KgNode *node)
{
  g_autofree char *path = kg_node_dup_path (node);
  g_autofree char *from_outside = g_strconcat ("/", path, NULL);

  set_variable (run->globals, "last", from_outside);
}

static bool
run_kineograph (Run *run, Cursor *cursor)
{
  double version;

  (void) run;
  if (!take_number (cursor, "the version", &version))
    return false;
  if (version < 1 || version > KG_SCRIPT_VERSION)
    return fail_at (cursor, cursor->token, "script version %g is not supported by this program, which reads up to %d",
                    version, KG_SCRIPT_VERSION);
  return take_end (cursor);
}

/* The word "at" before a position; a node may be called that, too. */
static bool
take_position (Cursor *cursor)
{
  const Cursor before = *cursor;

  if (!take_keyword (cursor, "at"))
    return false;
  if (!is_at_end (cursor) && !take_keyword (cursor, "at"))
    return true;
  *cursor = before;
  return false;
}

static bool
run_add (Run *run, Cursor *cursor)
{
  g_autofree char *type = take_word (cursor, "the type of the node"), *name = NULL;
  KgGraph *graph = run->current;
  double x = 0, y = 0;
  gsize type_place, place;
  GError *error = NULL;
  KgNode *node;

  if (type == NULL)
    return false;
  place = type_place = cursor->token;
  if (!take_position (cursor) && !is_at_end (cursor)) {
    if (!take_new_path (cursor, "the name of the node", &graph, &name))
      return false;
    place = cursor->token;
    if (!take_keyword (cursor, "at") && !take_end (cursor))
      return false;
  }
  if (!is_at_end (cursor) && (!take_number (cursor, "x", &x) || !take_number (cursor, "y", &y)))
    return false;
  if (!take_end (cursor))
    return false;
  if (name != NULL && g_str_has_suffix (name, "#")) {
    char *numbered;

    name[strlen (name) - 1] = '\0';
    if (!kg_name_is_valid (name, &error))
      return fail_error (cursor, place, error);
    numbered = kg_graph_make_free_name (graph, NULL, graph->last_numbers, name);
    g_free (name);
    name = numbered;
  }
  if (kg_types_find (kg_graph_get_types (graph), type) == NULL)
    return fail_error (cursor, type_place, kg_types_new_unknown_error (kg_graph_get_types (graph), type));
  node = kg_graph_add (graph, type, name, x, y, &error);
  if (node == NULL)
    return fail_error (cursor, place, error);
  remember_last (run, node);
  return true;
}

static bool
run_unknown (Run *run, Cursor *cursor)
{
  g_autofree char *type = take_word (cursor, "the type of the node"), *name = NULL;
  g_autoptr (KgJson) raw = NULL;
  KgGraph *graph;
  GError *error = NULL;
  gsize place;
  KgNode *node;

  if (type == NULL || !take_new_path (cursor, "the name of the node", &graph, &name))
    return false;
  place = cursor->token;
  raw = take_json (cursor, "the node");
  if (raw == NULL)
    return false;
  if (!kg_json_is (raw, KG_JSON_OBJECT))
    return fail_at (cursor, cursor->token, "a node must be an object as in a graph file, not %s",
                    kg_json_kind_name (kg_json_get_kind (raw)));
  if (!take_end (cursor))
    return false;
  node = kg_graph_add_unknown (graph, type, name, g_steal_pointer (&raw), &error);
  if (node == NULL)
    return fail_error (cursor, place, error);
  remember_last (run, node);
  return true;
}

static bool
run_remove (Run *run, Cursor *cursor)
{
  KgNode *node = take_node (cursor);

  (void) run;
  if (node == NULL || !take_end (cursor))
    return false;
  if (!check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_remove (kg_node_get_parent (node), node);
  return true;
}

static bool
run_rename (Run *run, Cursor *cursor)
{
  KgNode *node = take_node (cursor);
  g_autofree char *name = node != NULL ? take_word (cursor, "the new name") : NULL;
  const gsize place = cursor->token;
  GError *error = NULL;

  (void) run;
  if (name == NULL || !take_end (cursor))
    return false;
  if (g_str_has_suffix (name, "#")) {
    char *numbered;

    name[strlen (name) - 1] = '\0';
    if (!kg_name_is_valid (name, &error))
      return fail_error (cursor, place, error);
    numbered = kg_graph_make_free_name (kg_node_get_parent (node), NULL, kg_node_get_parent (node)->last_numbers, name);
    g_free (name);
    name = numbered;
  }
  if (!kg_graph_rename (kg_node_get_parent (node), node, name, &error))
    return fail_error (cursor, place, error);
  remember_last (run, node);
  return true;
}

static bool
run_set (Run *run, Cursor *cursor)
{
  g_autofree char *slot = NULL;
  g_auto (KgSource) source = KG_SOURCE_INIT;
  g_autoptr (KgJson) json = NULL;
  GError *error = NULL;
  KgNode *node;
  gsize place;
  int index;

  (void) run;
  if (!take_slot (cursor, "an input", &node, &slot))
    return false;
  place = cursor->token;
  json = take_json (cursor, "the value");
  if (json == NULL)
    return false;
  index = kg_node_find_slot (node, slot);
  if (index < 0 || kg_node_get_slot (node, (guint) index)->role != KG_SLOT_INPUT)
    return fail_at (cursor, place, "%s has no input \"%s\"", kg_node_get_name (node), slot);
  place = cursor->token;
  if (!take_end (cursor))
    return false;
  if (!kg_source_from_json (json, kg_node_get_slot (node, (guint) index), &source, &error) ||
      !kg_graph_set_source (kg_node_get_parent (node), node, (guint) index, &source, &error))
    return fail_error (cursor, place, error);
  return true;
}

static bool
run_reset (Run *run, Cursor *cursor)
{
  g_autofree char *slot = NULL;
  GError *error = NULL;
  KgNode *node;

  (void) run;
  return take_slot (cursor, "an input", &node, &slot) && take_end (cursor) &&
         (kg_graph_reset (kg_node_get_parent (node), node, slot, &error) || fail_error (cursor, 0, error));
}

static bool
run_link (Run *run, Cursor *cursor)
{
  g_autofree char *output = NULL, *input = NULL;
  KgNode *from, *to;
  GError *error = NULL;

  (void) run;
  if (!take_slot (cursor, "an output", &from, &output) || !take_slot (cursor, "an input", &to, &input) ||
      !take_end (cursor))
    return false;
  if (kg_node_get_parent (from) != kg_node_get_parent (to))
    return fail_at (cursor, 0, "%s and %s are in different graphs: link the slots of the sub-graph",
                    kg_node_get_name (from), kg_node_get_name (to));
  return kg_graph_link (kg_node_get_parent (to), from, output, to, input, &error) || fail_error (cursor, 0, error);
}

static bool
run_unlink (Run *run, Cursor *cursor)
{
  g_autofree char *input = NULL;
  double item = 0;
  KgNode *to, *from;
  guint output, n;
  int slot;

  (void) run;
  if (!take_slot (cursor, "an input", &to, &input) ||
      (!is_at_end (cursor) && !take_number (cursor, "the item", &item)) || !take_end (cursor))
    return false;
  slot = kg_node_find_slot (to, input);
  n = slot >= 0 ? kg_node_get_n_links (to, (guint) slot) : 0;
  if (!(item >= 0 && item < n) || item != floor (item) ||
      !kg_node_get_link (to, (guint) slot, (guint) item, &from, &output))
    return fail_at (cursor, 0, n > 1 ? N_ ("%s.%s has no link at this item") : N_ ("%s.%s has no link"),
                    kg_node_get_name (to), input);
  if (!check_unlocked (cursor, kg_node_get_parent (to)))
    return false;
  kg_graph_unlink_item (kg_node_get_parent (to), to, (guint) slot, (guint) item);
  return true;
}

static bool
run_move (Run *run, Cursor *cursor)
{
  KgNode *node = take_node (cursor);
  double x, y;

  (void) run;
  if (node == NULL || !take_number (cursor, "x", &x) || !take_number (cursor, "y", &y) || !take_end (cursor) ||
      !check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_move (kg_node_get_parent (node), node, x, y);
  return true;
}

static bool
run_bypass (Run *run, Cursor *cursor)
{
  KgNode *node = take_node (cursor);
  bool on;

  (void) run;
  if (node == NULL)
    return false;
  on = take_keyword (cursor, "on");
  if (!on && !take_keyword (cursor, "off"))
    return fail_usage (cursor, "expected on or off");
  if (!take_end (cursor) || !check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_set_bypass (kg_node_get_parent (node), node, on);
  return true;
}

/* A text in quotes, or none (NULL).  *text (transfer full). */
static bool
take_text (Cursor *cursor, const char *what, char **text)
{
  if (!is_at_end (cursor) && cursor->text[cursor->next] == '"') {
    *text = take_word (cursor, what);
    return *text != NULL;
  }
  return take_keyword (cursor, "none") || fail_usage (cursor, "expected text in quotes, or none");
}

static bool
run_color (Run *run, Cursor *cursor)
{
  KgNode *node = take_node (cursor);
  g_autofree char *color = NULL;

  (void) run;
  if (node == NULL || !take_text (cursor, "a colour", &color) || !take_end (cursor) ||
      !check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_set_color (kg_node_get_parent (node), node, color);
  return true;
}

static bool
run_comment (Run *run, Cursor *cursor)
{
  g_autofree char *text = NULL;
  KgGraph *graph;
  KgNode *node;

  (void) run;
  if (!is_at_end (cursor) && cursor->text[cursor->next] == '"') {
    if (!take_text (cursor, "a comment", &text) || !take_graph (cursor, &graph))
      return false;
    kg_graph_set_comment (graph, text);
    return true;
  }
  node = take_node (cursor);
  if (node == NULL || !take_text (cursor, "a comment", &text) || !take_end (cursor) ||
      !check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_set_node_comment (kg_node_get_parent (node), node, text);
  return true;
}

static bool
run_title (Run *run, Cursor *cursor)
{
  g_autofree char *text = NULL;
  KgGraph *graph;

  (void) run;
  if (!take_text (cursor, "a title", &text) || !take_graph (cursor, &graph))
    return false;
  kg_graph_set_title (graph, text != NULL ? text : "");
  return true;
}

static bool
run_frames (Run *run, Cursor *cursor)
{
  KgFrames frames = kg_graph_get_frames (run->graph);
  GError *error = NULL;

  if (!take_number (cursor, "the first frame", &frames.start) || !take_number (cursor, "the last frame", &frames.end) ||
      (!is_at_end (cursor) && !take_number (cursor, "the rate", &frames.rate)) || !take_end (cursor))
    return false;
  return kg_graph_set_frames (run->graph, frames, &error) || fail_error (cursor, 0, error);
}

static bool
run_display (Run *run, Cursor *cursor)
{
  g_autofree char *target = take_word (cursor, "the node to display");
  bool none;
  KgGraph *graph;

  (void) run;
  none = target != NULL && g_str_equal (target, "none") && cursor->text[cursor->token] != '"';
  if (target == NULL || !take_graph (cursor, &graph))
    return false;
  kg_graph_set_display (graph, none ? NULL : target);
  return true;
}

static bool
run_lock (Run *run, Cursor *cursor)
{
  KgNode *node = take_node (cursor);

  (void) run;
  if (node == NULL || !take_end (cursor))
    return false;
  if (kg_node_get_preset (node) == NULL)
    return fail_at (cursor, 0, "%s is not an instance of a preset", kg_node_get_name (node));
  if (!check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  kg_graph_set_unlocked (kg_node_get_parent (node), node, g_str_equal (cursor->statement->verb->name, "unlock"));
  return true;
}

static bool
run_match (Run *run, Cursor *cursor)
{
  KgNode *node = take_node (cursor);
  GError *error = NULL;

  (void) run;
  if (node == NULL || !take_end (cursor))
    return false;
  if (kg_node_get_preset (node) == NULL)
    return fail_at (cursor, 0, "%s is not an instance of a preset", kg_node_get_name (node));
  return kg_graph_match_preset (kg_node_get_parent (node), node, &error) || fail_error (cursor, 0, error);
}

static bool
run_aside (Run *run, Cursor *cursor)
{
  KgNode *node = take_node (cursor);
  g_autoptr (KgJson) aside = NULL;
  GError *error = NULL;
  bool none;

  (void) run;
  if (node == NULL)
    return false;
  none = take_keyword (cursor, "none");
  if (!none) {
    aside = take_json (cursor, "the values");
    if (aside == NULL)
      return false;
  }
  if (!take_end (cursor) || !check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  if (kg_node_get_preset (node) == NULL)
    return fail_at (cursor, 0, "%s is not an instance of a preset", kg_node_get_name (node));
  if (aside != NULL && !kg_aside_check (aside, &error))
    return fail_error (cursor, 0, error);
  kg_graph_set_aside (kg_node_get_parent (node), node, g_steal_pointer (&aside));
  return true;
}

/* preset, or upgrade */
static bool
run_preset (Run *run, Cursor *cursor)
{
  const bool upgrade = g_str_equal (cursor->statement->verb->name, "upgrade");
  GError *error = NULL;

  g_autoptr (KgJson) json = take_json (cursor, "the definition");
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) preset = NULL;
  const gsize place = cursor->token;
  KgNode *node = NULL;

  if (json == NULL)
    return false;
  if (upgrade && !is_at_end (cursor)) {
    node = take_node (cursor);
    if (node == NULL)
      return false;
  }
  if (!take_end (cursor))
    return false;
  preset = kg_preset_from_json (kg_graph_get_types (run->graph), json, "", problems);
  if (preset == NULL) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, 0);

    return fail_at (cursor, place, "%s: %s", problem->pointer, problem->message);
  }
  if (node != NULL &&
      (kg_node_get_preset (node) == NULL || !g_str_equal (kg_node_get_type_id (node), kg_preset_get_id (preset))))
    return fail_at (cursor, 0, "%s is not an instance of %s", kg_node_get_name (node), kg_preset_get_id (preset));
  if (node != NULL)
    return kg_graph_upgrade_node (kg_node_get_parent (node), node, preset, &error) != NULL ||
           fail_error (cursor, place, error);
  if (upgrade)
    return kg_graph_upgrade (run->graph, preset, &error) || fail_error (cursor, place, error);
  kg_graph_add_preset (run->graph, preset);
  return true;
}

static bool
run_paste (Run *run, Cursor *cursor)
{
  g_autoptr (GPtrArray) pasted = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (KgJson) json = NULL;
  GError *error = NULL;
  KgGraph *graph;
  double x, y;
  gsize place;

  if (!take_number (cursor, "x", &x) || !take_number (cursor, "y", &y))
    return false;
  json = take_json (cursor, "the nodes");
  if (json == NULL)
    return false;
  place = cursor->token;
  if (!take_graph (cursor, &graph))
    return false;
  kg_json_write (json, text);
  pasted = kg_graph_paste (graph, text->str, x, y, &error);
  if (pasted == NULL)
    return fail_error (cursor, place, error);
  if (pasted->len > 0)
    remember_last (run, (const KgNode *) g_ptr_array_index (pasted, pasted->len - 1));
  return true;
}

/* (transfer container) (nullable) Nodes of one graph up to the keyword (taken) or the end. */
static GPtrArray *
take_nodes (Cursor *cursor, const char *keyword, bool *found)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  *found = false;
  while (nodes->len == 0 || !is_at_end (cursor)) {
    KgNode *node;

    *found = nodes->len > 0 && take_keyword (cursor, keyword);
    if (*found)
      break;
    node = take_node (cursor);
    if (node == NULL)
      return NULL;
    if (nodes->len > 0 && kg_node_get_parent (node) != kg_node_get_parent ((KgNode *) g_ptr_array_index (nodes, 0))) {
      fail_at (cursor, cursor->token, "%s is in a different graph from the nodes before it", kg_node_get_name (node));
      return NULL;
    }
    if (g_ptr_array_find (nodes, node, NULL)) {
      fail_at (cursor, cursor->token, "%s is named twice", kg_node_get_name (node));
      return NULL;
    }
    g_ptr_array_add (nodes, node);
  }
  return g_steal_pointer (&nodes);
}

static bool
run_duplicate (Run *run, Cursor *cursor)
{
  bool moved;
  g_autoptr (GPtrArray) nodes = take_nodes (cursor, "by", &moved), pasted = NULL;
  g_autofree char *text = NULL;
  GError *error = NULL;
  double x = 20, y = 20;
  KgGraph *graph;

  if (nodes == NULL || (moved && (!take_number (cursor, "x", &x) || !take_number (cursor, "y", &y))) ||
      !take_end (cursor))
    return false;
  graph = kg_node_get_parent ((KgNode *) g_ptr_array_index (nodes, 0));
  text = kg_graph_copy (graph, (KgNode *const *) nodes->pdata, nodes->len);
  pasted = kg_graph_paste (graph, text, x, y, &error);
  if (pasted == NULL)
    return fail_error (cursor, 0, error);
  remember_last (run, (const KgNode *) g_ptr_array_index (pasted, pasted->len - 1));
  return true;
}

static bool
run_collapse (Run *run, Cursor *cursor)
{
  bool named;
  g_autoptr (GPtrArray) nodes = take_nodes (cursor, "as", &named);
  g_autofree char *name = NULL;
  GError *error = NULL;
  KgGraph *graph;
  KgNode *subnet;

  if (nodes == NULL)
    return false;
  if (named) {
    name = take_word (cursor, "the name of the sub-graph");
    if (name == NULL)
      return false;
  }
  if (!take_end (cursor))
    return false;
  graph = kg_node_get_parent ((KgNode *) g_ptr_array_index (nodes, 0));
  kg_graph_begin_group (graph, "Collapse");
  subnet = kg_graph_collapse (graph, (KgNode *const *) nodes->pdata, nodes->len, &error);
  if (subnet == NULL || (name != NULL && !kg_graph_rename (graph, subnet, name, &error))) {
    kg_graph_cancel_group (graph);
    return fail_error (cursor, 0, error);
  }
  kg_graph_end_group (graph);
  remember_last (run, subnet);
  return true;
}

static bool
run_expand (Run *run, Cursor *cursor)
{
  KgNode *node = take_node (cursor);
  g_autoptr (GPtrArray) nodes = NULL;
  GError *error = NULL;

  (void) run;
  if (node == NULL || !take_end (cursor))
    return false;
  if (kg_node_get_graph (node) == NULL)
    return fail_at (cursor, 0, "%s cannot contain a graph: it is of type %s", kg_node_get_name (node),
                    kg_node_get_type_id (node));
  if (!check_unlocked (cursor, kg_node_get_parent (node)))
    return false;
  nodes = kg_graph_expand (kg_node_get_parent (node), node, &error);
  return nodes != NULL || fail_error (cursor, 0, error);
}

static bool
run_enter (Run *run, Cursor *cursor)
{
  KgNode *node = take_node (cursor);

  if (node == NULL || !take_end (cursor))
    return false;
  if (kg_node_get_graph (node) == NULL)
    return fail_at (cursor, 0, "%s cannot contain a graph: it is of type %s", kg_node_get_name (node),
                    kg_node_get_type_id (node));
  g_set_object (&run->current, kg_node_get_graph (node));
  return true;
}

static bool
run_leave (Run *run, Cursor *cursor)
{
  if (!take_end (cursor))
    return false;
  if (run->current == run->graph)
    return fail_at (cursor, 0, "no sub-graph was entered");
  g_set_object (&run->current, kg_node_get_parent (kg_graph_get_owner (run->current)));
  return true;
}

static bool
run_history (Run *run, Cursor *cursor)
{
  const bool undo = g_str_equal (cursor->statement->verb->name, "undo");

  if (!take_end (cursor))
    return false;
  if (run->n_groups > 0)
    return fail_at (cursor, 0, "%s is not allowed in a group, because a group is one undo step",
                    cursor->statement->verb->name);
  if (!(undo ? kg_graph_undo : kg_graph_redo) (run->graph))
    return fail_at (cursor, 0, undo ? N_ ("this script has no step to undo") : N_ ("nothing to redo"));
  return true;
}

/* Blocks. */

static bool run_block (Run *run, GPtrArray *statements);

/* (transfer full) (nullable) What a step of undo is called: to the end of the line, or "Group". */
static char *
take_label (Cursor *cursor)
{
  g_autofree char *label = NULL;

  if (is_at_end (cursor))
    return g_strdup ("Group");
  label = take_word (cursor, "a label");
  return label != NULL && take_end (cursor) ? g_steal_pointer (&label) : NULL;
}

static bool
run_group (Run *run, Cursor *cursor)
{
  const Statement *statement = cursor->statement;
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
run_transaction (Run *run, Cursor *cursor)
{
  const Statement *statement = cursor->statement;
  g_autofree char *label = take_label (cursor);
  bool good;

  if (label == NULL)
    return false;
  if (run->n_groups > 0)
    return fail_at (cursor, 0, "a transaction is not allowed in a group");
  kg_graph_begin_transaction (run->graph, label);
  good = run_block (run, statement->body);
  if (!good || statement->cancelled)
    kg_graph_cancel_transaction (run->graph);
  else
    kg_graph_end_transaction (run->graph);
  return good;
}

static bool
run_if (Run *run, Cursor *cursor)
{
  const Statement *statement = cursor->statement;
  double condition;

  if (is_at_end (cursor))
    return fail_usage (cursor, "a condition is missing");
  if (!compute_number (cursor, cursor->next, cursor->text + cursor->next, &condition))
    return false;
  if (condition != 0)
    return run_block (run, statement->body);
  return statement->otherwise == NULL || run_block (run, statement->otherwise);
}

/* repeat EXPRESSION [as NAME] */
static bool
run_repeat (Run *run, Cursor *cursor)
{
  const Statement *statement = cursor->statement;
  g_autofree char *text = g_strdup (cursor->text), *name = NULL;
  double n;
  char *as;

  if (is_at_end (cursor))
    return fail_usage (cursor, "the number of repetitions is missing");
  as = strstr (text + cursor->next, " as ");
  if (as != NULL) {
    Cursor rest = *cursor;

    *as = '\0';
    rest.next = (gsize) (as - text) + strlen (" as ");
    name = take_variable_name (&rest);
    if (name == NULL || !take_end (&rest))
      return false;
  }
  if (!compute_number (cursor, cursor->next, text + cursor->next, &n))
    return false;
  if (!(n >= 0 && n <= KG_SCRIPT_MAX_STEPS) || n != floor (n))
    return fail_at (cursor, cursor->next, "%g repetitions: write a whole number from 0 to %d", n, KG_SCRIPT_MAX_STEPS);
  for (double i = 0; i < n; i++) {
    if (++run->n_steps > KG_SCRIPT_MAX_STEPS)
      return fail_at (cursor, 0, "more than %d steps: is there an endless loop?", KG_SCRIPT_MAX_STEPS);
    if (name != NULL) {
      g_autofree char *number = g_strdup_printf ("%.0f", i + 1);

      set_variable (run->locals, name, number);
    }
    if (!run_block (run, statement->body))
      return false;
  }
  return true;
}

static void
procedure_free (gpointer data)
{
  Procedure *procedure = (Procedure *) data;

  g_ptr_array_unref (procedure->parameters);
  g_free (procedure);
}

static bool
run_procedure (Run *run, Cursor *cursor)
{
  Procedure *procedure;
  g_autofree char *name = take_variable_name (cursor);
  g_autoptr (GPtrArray) parameters = g_ptr_array_new_with_free_func (g_free);

  if (name == NULL)
    return false;
  while (!is_at_end (cursor)) {
    char *parameter = take_variable_name (cursor);

    if (parameter == NULL)
      return false;
    g_ptr_array_add (parameters, parameter);
  }
  procedure = g_new0 (Procedure, 1);
  procedure->statement = (Statement *) cursor->statement;
  procedure->parameters = g_steal_pointer (&parameters);
  g_hash_table_replace (run->procedures, g_steal_pointer (&name), procedure);
  return true;
}

static Scope *
scope_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

static bool
run_call (Run *run, Cursor *cursor)
{
  g_autofree char *name = take_word (cursor, "the name of a procedure");
  const Procedure *procedure = name != NULL ? (const Procedure *) g_hash_table_lookup (run->procedures, name) : NULL;
  g_autoptr (GHashTable) arguments = scope_new ();
  Scope *const callers = run->locals;
  guint n = 0;
  bool good;

  if (name == NULL)
    return false;
  if (procedure == NULL)
    return fail_at (cursor, cursor->token, "unknown procedure \"%.100s\": define it above this line", name);
  while (!is_at_end (cursor)) {
    g_autofree char *argument = NULL;
    const gsize length = measure_token (cursor->text + cursor->next);

    if (n == procedure->parameters->len)
      return fail_at (cursor, cursor->token, "%s takes %u arguments", name, procedure->parameters->len);
    if (cursor->text[cursor->next] == '"')
      argument = take_word (cursor, "an argument");
    else {
      argument = g_strndup (cursor->text + cursor->next, length);
      cursor->next += length;
    }
    if (argument == NULL)
      return false;
    set_variable (arguments, (const char *) g_ptr_array_index (procedure->parameters, n++), argument);
  }
  if (n < procedure->parameters->len)
    return fail_at (cursor, cursor->token, "%s takes %u arguments, but %u are given: \"%s\" is missing", name,
                    procedure->parameters->len, n, (const char *) g_ptr_array_index (procedure->parameters, n));
  if (run->depth >= KG_SCRIPT_MAX_CALLS)
    return fail_at (cursor, 0, "%s: more than %d nested procedures and blocks: does it call itself?", name,
                    KG_SCRIPT_MAX_CALLS);
  run->locals = arguments;
  good = run_block (run, procedure->statement->body);
  run->locals = callers;
  return good;
}

static const Verb verbs[] = {
  { "add", VERB_EDIT, false, run_add, "add TYPE [NAME] [at X Y]" },
  { "aside", VERB_EDIT, false, run_aside, "aside NODE VALUES|none" },
  { "bypass", VERB_EDIT, false, run_bypass, "bypass NODE on|off" },
  { "call", VERB_EDIT, false, run_call, "call PROCEDURE [ARGUMENT...]" },
  { "cancel", VERB_END, false, NULL, "cancel" },
  { "collapse", VERB_EDIT, false, run_collapse, "collapse NODE... [as NAME]" },
  { "color", VERB_EDIT, false, run_color, "color NODE \"#rrggbb\"|none" },
  { "comment", VERB_EDIT, false, run_comment, "comment [NODE] \"TEXT\"|none" },
  { "default", VERB_EDIT, true, run_default, "default NAME = EXPRESSION|\"TEXT\"" },
  { "display", VERB_EDIT, false, run_display, "display NODE[.OUTPUT]|none [in NODE]" },
  { "duplicate", VERB_EDIT, false, run_duplicate, "duplicate NODE... [by X Y]" },
  { "else", VERB_ELSE, false, NULL, "else" },
  { "end", VERB_END, false, NULL, "end" },
  { "enter", VERB_EDIT, false, run_enter, "enter NODE" },
  { "expand", VERB_EDIT, false, run_expand, "expand NODE" },
  { "frames", VERB_EDIT, false, run_frames, "frames FIRST LAST [RATE]" },
  { "group", VERB_BLOCK, false, run_group, "group [\"LABEL\"] ... end|cancel" },
  { "if", VERB_BLOCK, true, run_if, "if EXPRESSION ... [else ...] end" },
  { "kineograph", VERB_EDIT, false, run_kineograph, "kineograph 1" },
  { "leave", VERB_EDIT, false, run_leave, "leave" },
  { "let", VERB_EDIT, true, run_let, "let NAME = EXPRESSION|\"TEXT\"" },
  { "link", VERB_EDIT, false, run_link, "link NODE.OUTPUT NODE.INPUT" },
  { "lock", VERB_EDIT, false, run_lock, "lock NODE" },
  { "match", VERB_EDIT, false, run_match, "match NODE" },
  { "move", VERB_EDIT, false, run_move, "move NODE X Y" },
  { "paste", VERB_EDIT, false, run_paste, "paste X Y GRAPH [in NODE]" },
  { "preset", VERB_EDIT, false, run_preset, "preset DEFINITION" },
  { "procedure", VERB_BLOCK, false, run_procedure, "procedure NAME [PARAMETER...] ... end" },
  { "redo", VERB_EDIT, false, run_history, "redo" },
  { "remove", VERB_EDIT, false, run_remove, "remove NODE" },
  { "rename", VERB_EDIT, false, run_rename, "rename NODE NAME" },
  { "repeat", VERB_BLOCK, true, run_repeat, "repeat EXPRESSION [as NAME] ... end" },
  { "reset", VERB_EDIT, false, run_reset, "reset NODE.INPUT" },
  { "set", VERB_EDIT, false, run_set, "set NODE.INPUT VALUE" },
  { "title", VERB_EDIT, false, run_title, "title \"TEXT\" [in NODE]" },
  { "transaction", VERB_BLOCK, false, run_transaction, "transaction [\"LABEL\"] ... end|cancel" },
  { "undo", VERB_EDIT, false, run_history, "undo" },
  { "unknown", VERB_EDIT, false, run_unknown, "unknown TYPE NAME NODE" },
  { "unlink", VERB_EDIT, false, run_unlink, "unlink NODE.INPUT [ITEM]" },
  { "unlock", VERB_EDIT, false, run_lock, "unlock NODE" },
  { "upgrade", VERB_EDIT, false, run_preset, "upgrade DEFINITION [NODE]" },
};

const char *
kg_script_get_usage (guint index)
{
  return index < G_N_ELEMENTS (verbs) ? verbs[index].usage : NULL;
}

/* Running. */

static bool
check_cancelled (Run *run, const Statement *statement)
{
  if (!g_cancellable_is_cancelled (run->cancellable))
    return true;
  add_problem_at (run->script, statement->start, run->problems, "interrupted");
  return false;
}

static bool
run_statement (Run *run, Statement *statement)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  g_autoptr (GString) text = g_string_new (NULL);
  Cursor cursor = { .run = run, .statement = statement, .pieces = pieces };

  if (!expand (&cursor, text))
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
run_block (Run *run, GPtrArray *statements)
{
  bool good = true;

  run->depth++;
  for (guint i = 0; good && i < statements->len; i++) {
    Statement *statement = (Statement *) g_ptr_array_index (statements, i);

    if (++run->n_steps > KG_SCRIPT_MAX_STEPS) {
      add_problem_at (run->script, statement->start, run->problems,
                      "more than 10000000 steps: is there an endless loop?");
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
  g_autoptr (GHashTable) globals = scope_new ();
  g_autoptr (GHashTable) procedures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, procedure_free);
  const guint before = problems->len;
  Run run = { .script = script,
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
      set_variable (globals, (const char *) name, (const char *) text);
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

/* Reading. */

static void
statement_free (gpointer data)
{
  Statement *statement = (Statement *) data;

  g_clear_pointer (&statement->body, g_ptr_array_unref);
  g_clear_pointer (&statement->otherwise, g_ptr_array_unref);
  g_free (statement);
}

/* Where the statement that begins at start ends: a line, or more while brackets are open.  Comments become blanks. */
static gsize
scan_statement (char *text, gsize start)
{
  bool quoted = false;
  guint depth = 0;
  gsize i;

  for (i = start; text[i] != '\0'; i++) {
    const char c = text[i];

    if (c == '\n' && (quoted || depth == 0))
      break;
    if (quoted) {
      if (c == '\\' && text[i + 1] != '\0' && text[i + 1] != '\n')
        i++;
      else if (c == '"')
        quoted = false;
    } else if (c == '"')
      quoted = true;
    else if (c == '[' || c == '{')
      depth++;
    else if ((c == ']' || c == '}') && depth > 0)
      depth--;
    else if (c == '#' && (i == start || strchr (" \t\n", text[i - 1]) != NULL)) {
      const gsize n = strcspn (text + i, "\n");

      memset (text + i, ' ', n);
      i += n - 1;
    }
  }
  return i;
}

/* (nullable) */
static const Verb *
find_verb (const char *text, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (strlen (verbs[i].name) == length && strncmp (verbs[i].name, text, length) == 0)
      return &verbs[i];
  return NULL;
}

/* Puts a statement where it belongs.  open: the blocks that are open (Statement). */
static void
place_statement (KgScript *script, GPtrArray *open, Statement *statement, GPtrArray *problems)
{
  Statement *block = open->len > 0 ? (Statement *) g_ptr_array_index (open, open->len - 1) : NULL;
  GPtrArray *into = script->statements;
  gsize rest;

  if (statement->verb->kind == VERB_END || statement->verb->kind == VERB_ELSE) {
    const bool is_if = block != NULL && g_str_equal (block->verb->name, "if");
    const bool is_group = block != NULL &&
                          (g_str_equal (block->verb->name, "group") || g_str_equal (block->verb->name, "transaction"));

    if (block == NULL || (statement->verb->kind == VERB_ELSE && (!is_if || block->otherwise != NULL)) ||
        (statement->verb->name[0] == 'c' && !is_group)) {
      g_autofree char *message = g_strdup_printf ("\"%s\" without a matching %s", statement->verb->name,
                                                  statement->verb->kind == VERB_ELSE ? "if"
                                                  : statement->verb->name[0] == 'c'
                                                      ? "group or transaction"
                                                      : "group, transaction, if, repeat or procedure");

      add_problem_at (script, statement->start, problems, message);
    } else if (statement->verb->kind == VERB_ELSE)
      block->otherwise = g_ptr_array_new_with_free_func (statement_free);
    else {
      block->cancelled = statement->verb->name[0] == 'c';
      g_ptr_array_set_size (open, (gint) open->len - 1);
    }
    rest = statement->arguments + strspn (script->text + statement->arguments, " \t\r\n");
    if (rest < statement->end)
      add_problem_at (script, rest, problems, "the line should end here");
    statement_free (statement);
    return;
  }
  if (block != NULL)
    into = block->otherwise != NULL ? block->otherwise : block->body;
  g_ptr_array_add (into, statement);
  if (statement->verb->kind != VERB_BLOCK)
    return;
  statement->body = g_ptr_array_new_with_free_func (statement_free);
  if (open->len >= KG_SCRIPT_MAX_CALLS)
    add_problem_at (script, statement->start, problems, "blocks are nested too deeply: use at most 200 levels");
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
    const Verb *verb = find_verb (text + first, length);

    start = end + 1;
    if (first >= end)
      continue;
    if (verb == NULL) {
      g_autofree char *message = g_strdup_printf ("there is no verb \"%.*s\": lines begin with a verb such as add, "
                                                  "set or link",
                                                  (int) MIN (length, 60), text + first);

      add_problem_at (script, first, problems, message);
    } else {
      Statement *statement = g_new0 (Statement, 1);

      *statement = (Statement){ .verb = verb, .start = first, .arguments = MIN (first + length, end), .end = end };
      place_statement (script, open, statement, problems);
    }
  }
  for (guint i = 0; i < open->len; i++) {
    const Statement *block = (const Statement *) g_ptr_array_index (open, i);
    g_autofree char *message = g_strdup_printf ("\"%s\" without a matching \"end\"", block->verb->name);

    add_problem_at (script, block->start, problems, message);
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
    add_problem_at (script, (gsize) (bad - text), problems, "the text is not UTF-8");
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

/* kg-script-words: the arguments of a statement, read word by word, and where in the script they stand.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-graph-private.h"
#include "kg-script-private.h"

/* Places. */

void
kg_script_add_problem (const KgScript *script, gsize at, GPtrArray *problems, const char *message)
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

gsize
kg_cursor_find_origin (const KgCursor *cursor, gsize at)
{
  gsize origin = cursor->statement->arguments;

  for (guint i = 0; i < cursor->pieces->len; i++) {
    const KgPiece *piece = &g_array_index (cursor->pieces, KgPiece, i);
    const gsize next = i + 1 < cursor->pieces->len ? piece[1].at : G_MAXSIZE;

    if (at < next || i + 1 == cursor->pieces->len) {
      /* The value of a variable comes from where the variable stands. */
      const gsize end = i + 1 < cursor->pieces->len ? piece[1].from : cursor->statement->end;

      origin = piece->from + MIN (at - MIN (at, piece->at), end - piece->from);
      break;
    }
  }
  return origin;
}

bool
kg_cursor_fail_at (KgCursor *cursor, gsize at, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;
  gsize origin;

  va_start (arguments, format);
  message = g_strdup_vprintf (kg_translate (format), arguments);
  va_end (arguments);
  if (at == 0 && cursor->text != NULL) {
    at = strspn (cursor->text, " \t\r\n");
    origin = cursor->text[at] == '\0' ? cursor->statement->start : kg_cursor_find_origin (cursor, at);
  } else
    origin = kg_cursor_find_origin (cursor, at);
  kg_script_add_problem (cursor->run->script, origin, cursor->run->problems, message);
  return false;
}

bool
kg_cursor_fail_error (KgCursor *cursor, gsize at, GError *error)
{
  const bool good = kg_cursor_fail_at (cursor, at, "%s", error->message);

  g_error_free (error);
  return good;
}

/* Words. */

static void
skip_blanks (KgCursor *cursor)
{
  cursor->next += strspn (cursor->text + cursor->next, " \t\r\n");
  cursor->token = cursor->next;
}

bool
kg_cursor_is_at_end (KgCursor *cursor)
{
  skip_blanks (cursor);
  return cursor->text[cursor->next] == '\0';
}

bool
kg_cursor_fail_usage (KgCursor *cursor, const char *what)
{
  return kg_cursor_fail_at (cursor, cursor->token, "%s; write: %s", kg_translate (what),
                            cursor->statement->verb->usage);
}

gsize
kg_script_scan (KgScriptScan *scan, const char *text)
{
  const char c = *text;

  if (scan->quoted && c == '\\' && text[1] != '\0' && text[1] != '\n')
    return 2;
  if (c == '"')
    scan->quoted = !scan->quoted;
  else if (!scan->quoted && (c == '[' || c == '{'))
    scan->depth++;
  else if (!scan->quoted && (c == ']' || c == '}') && scan->depth > 0)
    scan->depth--;
  return 1;
}

gsize
kg_script_measure_token (const char *text)
{
  KgScriptScan scan = { 0 };
  gsize n = 0;

  if (strchr ("\"[{", text[0]) == NULL)
    return strcspn (text, " \t\r\n");
  do
    n += kg_script_scan (&scan, text + n);
  while (text[n] != '\0' && (scan.quoted || scan.depth > 0));
  return n;
}

KgJson *
kg_cursor_take_json (KgCursor *cursor, const char *what)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *token = NULL;
  KgJson *json;
  gsize length;

  if (kg_cursor_is_at_end (cursor)) {
    g_autofree char *missing = g_strdup_printf (kg_translate ("%s is missing"), kg_translate (what));

    kg_cursor_fail_usage (cursor, missing);
    return NULL;
  }
  length = kg_script_measure_token (cursor->text + cursor->next);
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
    kg_cursor_fail_at (cursor, cursor->token + (gsize) (at - token), "%s must be a value as in graph files: %s",
                       kg_translate (what), problem->message);
  }
  return json;
}

char *
kg_cursor_take_word (KgCursor *cursor, const char *what)
{
  g_autoptr (KgJson) json = NULL;
  char *word;
  gsize length;

  if (kg_cursor_is_at_end (cursor) || cursor->text[cursor->next] == '"') {
    json = kg_cursor_take_json (cursor, what);
    return json != NULL ? g_strdup (kg_json_get_string (json)) : NULL;
  }
  length = strcspn (cursor->text + cursor->next, " \t\r\n");
  word = g_strndup (cursor->text + cursor->next, length);
  cursor->next += length;
  return word;
}

bool
kg_cursor_take_number (KgCursor *cursor, const char *what, double *number)
{
  g_autofree char *word = kg_cursor_take_word (cursor, what);
  char *end;

  if (word == NULL)
    return false;
  *number = g_ascii_strtod (word, &end);
  if (end != word && *end == '\0' && isfinite (*number))
    return true;
  return kg_cursor_fail_at (cursor, cursor->token, "\"%.60s\" is not a number: %s must be one", word,
                            kg_translate (what));
}

bool
kg_cursor_take_keyword (KgCursor *cursor, const char *keyword)
{
  const gsize length = strlen (keyword);

  skip_blanks (cursor);
  if (strncmp (cursor->text + cursor->next, keyword, length) != 0 ||
      strchr (" \t\r\n", cursor->text[cursor->next + length]) == NULL)
    return false;
  cursor->next += length;
  return true;
}

bool
kg_cursor_take_end (KgCursor *cursor)
{
  g_autofree char *what = NULL;

  if (kg_cursor_is_at_end (cursor))
    return true;
  what = g_strdup_printf (kg_translate ("unexpected \"%.40s\": the line should end here"), cursor->text + cursor->next);
  return kg_cursor_fail_usage (cursor, what);
}

/* Nodes. */

/* Always false. */
static bool
fail_no_node (KgCursor *cursor, const char *path)
{
  g_autofree char *hint = kg_graph_suggest_node (cursor->run->current, path);

  if (cursor->run->current == cursor->run->graph)
    return kg_cursor_fail_at (cursor, cursor->token, "unknown node \"%.200s\"%s", path, hint);
  return kg_cursor_fail_at (cursor, cursor->token, "no node \"%.200s\" in this graph (an absolute path begins with /)",
                            path);
}

KgNode *
kg_run_find_node (KgRun *run, const char *path)
{
  return path[0] == '/' ? kg_graph_find_path (run->graph, path + 1) : kg_graph_find_path (run->current, path);
}

KgNode *
kg_cursor_take_node (KgCursor *cursor)
{
  g_autofree char *path = kg_cursor_take_word (cursor, "the name of a node");
  KgNode *node = path != NULL ? kg_run_find_node (cursor->run, path) : NULL;

  if (path != NULL && node == NULL)
    fail_no_node (cursor, path);
  return node;
}

bool
kg_cursor_take_new_path (KgCursor *cursor, const char *what, KgGraph **graph, char **name)
{
  g_autofree char *path = kg_cursor_take_word (cursor, what);
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
  owner = kg_run_find_node (cursor->run, folder);
  if (owner != NULL && kg_node_get_graph (owner) != NULL) {
    *graph = kg_node_get_graph (owner);
    return true;
  }
  g_clear_pointer (name, g_free);
  return owner == NULL ? fail_no_node (cursor, folder)
                       : kg_cursor_fail_at (cursor, cursor->token, "%s cannot contain a graph: it is of type %s",
                                            folder, kg_node_get_type_id (owner));
}

bool
kg_cursor_take_slot (KgCursor *cursor, const char *what, KgNode **node, char **slot)
{
  g_autofree char *word = kg_cursor_take_word (cursor, what);
  g_autofree char *path = NULL;
  const char *dot = word != NULL ? strrchr (word, '.') : NULL;

  if (word == NULL)
    return false;
  if (dot == NULL)
    return kg_cursor_fail_at (cursor, cursor->token, "\"%.200s\" is not a slot: write %s as node.slot", word,
                              kg_translate (what));
  path = g_strndup (word, (gsize) (dot - word));
  *node = kg_run_find_node (cursor->run, path);
  if (*node == NULL)
    return fail_no_node (cursor, path);
  *slot = g_strdup (dot + 1);
  return true;
}

bool
kg_cursor_take_graph (KgCursor *cursor, KgGraph **graph)
{
  *graph = cursor->run->current;
  if (kg_cursor_take_keyword (cursor, "in")) {
    KgNode *node = kg_cursor_take_node (cursor);

    if (node == NULL)
      return false;
    *graph = kg_node_get_graph (node);
    if (*graph == NULL)
      return kg_cursor_fail_at (cursor, cursor->token, "%s cannot contain a graph: it is of type %s",
                                kg_node_get_name (node), kg_node_get_type_id (node));
  }
  return kg_cursor_take_end (cursor);
}

bool
kg_cursor_check_unlocked (KgCursor *cursor, KgGraph *graph)
{
  return !kg_graph_is_locked (graph) ||
         kg_cursor_fail_at (cursor, cursor->token, "%s is an instance of a preset: unlock it first",
                            kg_node_get_name (kg_graph_get_owner (graph)));
}

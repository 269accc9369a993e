/* kg-expression: the formulas that can feed an input, on muparser.
 *
 * The text is scanned and its grammar checked here, with a stack of its own, so that every message can name a
 * column of the text as written and nothing malformed or deeply nested reaches muparser.  What muparser gets is a
 * rewritten text in which each variable is called v0, v1, ...; a dot in a name never meets its number reader.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression.h"

#include "kg-expression-functions.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RESULTS 64
/* muparser refuses texts of 5000 bytes. */
#define MAX_REWRITTEN 4990

typedef enum {
  TOKEN_END,
  TOKEN_NUMBER,
  TOKEN_NAME,
  TOKEN_OPERATOR, /* binary, unary or both */
  TOKEN_OPEN,
  TOKEN_CLOSE,
  TOKEN_COMMA,
  TOKEN_QUESTION,
  TOKEN_COLON,
  TOKEN_BAD
} TokenKind;

typedef struct {
  TokenKind kind;
  const char *start;
  size_t length;
} Token;

/* One open bracket; the bottom of the stack is the text itself. */
typedef struct {
  const char *start;
  const KgFunction *function; /* NULL for plain brackets */
  guint n_arguments;          /* commas so far, plus one */
  guint n_questions;          /* ? that wait for their : */
  const char *question;       /* the last of them */
} Bracket;

/* Fixed variables, in the order of KgMoment; then the references. */
static const char *const moment_names[] = { "t", "frame", "rate", "start", "end" };
#define N_MOMENT G_N_ELEMENTS (moment_names)

static const struct {
  const char *name;
  const char *value;
} constants[] = { { "pi", "3.141592653589793" }, { "e", "2.718281828459045" } };

static const char *const binary_operators[] = { "&&", "||", "<=", ">=", "!=", "==", "+", "-", "*", "/", "^", "<", ">" };

struct _KgExpression {
  /* Owned. */
  muParserHandle_t parser; /* NULL for a copy that was not evaluated yet: making one takes longer than all else */
  GArray *references;      /* KgReference, their strings owned */
  double *variables;       /* N_MOMENT, then one a reference: muparser reads them in place */
  guint *columns;          /* of each result */
  char *rewritten;         /* what muparser is given */

  guint n_results;
  bool uses_time;
};

typedef struct {
  const char *text;
  const char *next;
  GString *rewritten;
  GArray *brackets;    /* Bracket */
  GArray *columns;     /* guint: where each result starts */
  bool after_operator; /* the last thing rewritten was an operator */
  bool closed;         /* no references to nodes: a formula of the variables that are there already */
  bool negative;       /* unary operators that wait for their value: an odd number of - before any ! */
  guint n_nots;        /* 0, 1, or 2 for any even number of ! */
  KgExpression *expression;
  const char *const *names; /* plain names that are references too */
} Parser;

static guint
get_column (const Parser *parser, const char *at)
{
  return (guint) g_utf8_strlen (parser->text, at - parser->text) + 1;
}

static bool fail (const Parser *parser, const char *at, GError **error, const char *format, ...) G_GNUC_PRINTF (4, 5);

static bool
fail (const Parser *parser, const char *at, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  kg_set_error (error, KG_ERROR_EXPRESSION, "column %u: %s", get_column (parser, at), message);
  return false;
}

/* The scanner. */

static bool
is_name_start (char c)
{
  return g_ascii_isalpha (c) || c == '_';
}

static bool
is_name_char (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* A name and all its dotted parts, also malformed ones ("a..b"): the parser says what is wrong with them. */
static size_t
scan_name (const char *s)
{
  size_t n = 0;

  while (is_name_char (s[n]) || s[n] == '.')
    n++;
  return n;
}

static size_t
scan_number (const char *s)
{
  size_t n = strspn (s, "0123456789");

  if (s[n] == '.')
    n += 1 + strspn (s + n + 1, "0123456789");
  if (s[n] == 'e' || s[n] == 'E') {
    const size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
    const size_t digits = strspn (s + n + 1 + sign, "0123456789");

    if (digits > 0)
      n += 1 + sign + digits;
  }
  return n;
}

static Token
scan_operator (const char *s)
{
  for (size_t i = 0; i < G_N_ELEMENTS (binary_operators); i++) {
    if (g_str_has_prefix (s, binary_operators[i]))
      return (Token){ TOKEN_OPERATOR, s, strlen (binary_operators[i]) };
  }
  if (*s == '!')
    return (Token){ TOKEN_OPERATOR, s, 1 };
  return (Token){ TOKEN_BAD, s, (size_t) (g_utf8_next_char (s) - s) };
}

static Token
scan (const char *s)
{
  s += strspn (s, " \t\r\n");
  switch (*s) {
  case '\0':
    return (Token){ TOKEN_END, s, 0 };
  case '(':
    return (Token){ TOKEN_OPEN, s, 1 };
  case ')':
    return (Token){ TOKEN_CLOSE, s, 1 };
  case ',':
    return (Token){ TOKEN_COMMA, s, 1 };
  case '?':
    return (Token){ TOKEN_QUESTION, s, 1 };
  case ':':
    return (Token){ TOKEN_COLON, s, 1 };
  default:
    break;
  }
  if (is_name_start (*s))
    return (Token){ TOKEN_NAME, s, scan_name (s) };
  if (g_ascii_isdigit (*s) || (*s == '.' && g_ascii_isdigit (s[1])))
    return (Token){ TOKEN_NUMBER, s, scan_number (s) };
  return scan_operator (s);
}

static bool
token_is (const Token *token, const char *word)
{
  return token->length == strlen (word) && strncmp (token->start, word, token->length) == 0;
}

/* The parser. */

static void
write_token (Parser *parser, const char *text, gssize length, bool is_operator)
{
  /* "- -1" must not become "--1". */
  if (is_operator && parser->after_operator)
    g_string_append_c (parser->rewritten, ' ');
  g_string_append_len (parser->rewritten, text, length);
  parser->after_operator = is_operator;
}

/* muparser takes one unary operator at a time, so a run of them is written as the one that does the same. */
static void
write_unary (Parser *parser)
{
  static const char *const runs[2][3] = { { "", "!", "!!" }, { "-", "-!", "-!!" } };
  const char *run = runs[parser->negative][parser->n_nots];

  if (*run != '\0')
    write_token (parser, run, -1, true);
  parser->negative = false;
  parser->n_nots = 0;
}

/* The sign of what a ! is applied to changes nothing. */
static bool
parse_unary (Parser *parser, const Token *token)
{
  if (token_is (token, "!"))
    parser->n_nots = parser->n_nots == 1 ? 2 : 1;
  else if (token_is (token, "-") && parser->n_nots == 0)
    parser->negative = !parser->negative;
  return token_is (token, "!") || token_is (token, "-") || token_is (token, "+");
}

static void
write_variable (Parser *parser, guint index)
{
  g_autofree char *name = g_strdup_printf ("v%u", index);

  write_token (parser, name, -1, false);
}

static bool
parse_number (Parser *parser, const Token *token, GError **error)
{
  const char after = token->start[token->length];
  const size_t length = token->length;
  g_autofree char *text = g_strndup (token->start, length);
  double number;

  if (is_name_char (after) || after == '.') {
    const size_t whole = length + scan_name (token->start + length);

    return fail (parser, token->start, error,
                 _ ("\"%.*s\" is neither a number nor a name (a name cannot start with a digit)"), (int) whole,
                 token->start);
  }
  number = g_ascii_strtod (text, NULL);
  if (!isfinite (number))
    return fail (parser, token->start, error, _ ("the number %s is too large"), text);
  write_token (parser, number == 0 ? "0" : text, -1, false);
  return true;
}

static guint
add_reference (KgExpression *expression, char **parts, guint column)
{
  KgReference reference = { .column = column };

  for (guint i = 0; i < expression->references->len; i++) {
    const KgReference *other = &g_array_index (expression->references, KgReference, i);

    if (g_str_equal (other->node, parts[0]) && g_str_equal (other->slot, parts[1]) &&
        g_strcmp0 (other->component, parts[2]) == 0)
      return i;
  }
  reference.node = g_strdup (parts[0]);
  reference.slot = g_strdup (parts[1]);
  reference.component = g_strdup (parts[2]);
  g_array_append_val (expression->references, reference);
  return expression->references->len - 1;
}

static bool
parse_reference (Parser *parser, const Token *token, GError **error)
{
  g_autofree char *name = g_strndup (token->start, token->length);
  g_auto (GStrv) parts = g_strsplit (name, ".", -1);
  const guint n = g_strv_length (parts);

  for (guint i = 0; i < n; i++) {
    if (*parts[i] == '\0')
      return fail (parser, token->start, error, _ ("the name \"%s\" is incomplete: write node.slot or node.slot.x"),
                   name);
  }
  if (n > 3)
    return fail (parser, token->start, error, _ ("the name \"%s\" has too many parts: write node.slot or node.slot.x"),
                 name);
  if (n == 3 && (strlen (parts[2]) != 1 || strchr ("xyzwrgba", *parts[2]) == NULL))
    return fail (parser, token->start, error,
                 _ ("\"%s\" is not a component: write one of x, y, z, w, r, g, b, a after %s.%s"), parts[2], parts[0],
                 parts[1]);
  write_variable (parser,
                  (guint) N_MOMENT + add_reference (parser->expression, parts, get_column (parser, token->start)));
  return true;
}

/* A name that a formula does not know, with those that it does. */
static bool
fail_formula_name (const Parser *parser, const Token *token, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < parser->expression->references->len; i++)
    g_string_append_printf (names, "%s, ", kg_expression_get_reference (parser->expression, i)->slot);
  return fail (parser, token->start, error, _ ("unknown name \"%.*s\": a formula can use %spi and e"),
               (int) token->length, token->start, names->str);
}

static bool
parse_variable (Parser *parser, const Token *token, GError **error)
{
  if (memchr (token->start, '.', token->length) != NULL) {
    if (!parser->closed)
      return parse_reference (parser, token, error);
    return fail (parser, token->start, error,
                 _ ("a formula cannot read \"%.*s\": link it to one of the numbers that the formula can use"),
                 (int) token->length, token->start);
  }
  for (guint i = 0; parser->names != NULL && parser->names[i] != NULL; i++) {
    if (token_is (token, parser->names[i])) {
      char *parts[] = { (char *) "", (char *) parser->names[i], NULL };

      write_variable (parser,
                      (guint) N_MOMENT + add_reference (parser->expression, parts, get_column (parser, token->start)));
      return true;
    }
  }
  for (guint i = 0; i < N_MOMENT && !parser->closed; i++) {
    if (token_is (token, moment_names[i])) {
      parser->expression->uses_time |= i < 2;
      write_variable (parser, i);
      return true;
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (constants); i++) {
    if (token_is (token, constants[i].name)) {
      write_token (parser, constants[i].value, -1, false);
      return true;
    }
  }
  if (kg_function_find (token->start, token->length) != NULL)
    return fail (parser, token->start, error, _ ("\"%.*s\" is a function: write its arguments in brackets after it"),
                 (int) token->length, token->start);
  if (parser->closed)
    return fail_formula_name (parser, token, error);
  return fail (
      parser, token->start, error,
      _ ("unknown name \"%.*s\": write node.slot to read another node, or one of t, frame, rate, start, end, pi, e"),
      (int) token->length, token->start);
}

static void
open_bracket (Parser *parser, const char *start, const KgFunction *function)
{
  const Bracket bracket = { .start = start, .function = function, .n_arguments = 1 };

  g_array_append_val (parser->brackets, bracket);
}

static Bracket *
get_bracket (Parser *parser)
{
  return &g_array_index (parser->brackets, Bracket, parser->brackets->len - 1);
}

static bool
parse_name (Parser *parser, const Token *token, GError **error)
{
  const Token after = scan (parser->next);
  const KgFunction *function;

  if (after.kind != TOKEN_OPEN)
    return parse_variable (parser, token, error);
  function = kg_function_find (token->start, token->length);
  if (function == NULL)
    return fail (parser, token->start, error, _ ("unknown function \"%.*s\""), (int) token->length, token->start);
  write_token (parser, function->name, -1, false);
  write_token (parser, "(", 1, false);
  open_bracket (parser, token->start, function);
  parser->next = after.start + after.length;
  return true;
}

/* Says what stands where a value should. */
static bool
fail_operand (Parser *parser, const Token *token, GError **error)
{
  const Bracket *bracket = get_bracket (parser);

  if (token->kind == TOKEN_END && parser->rewritten->len == 0)
    return fail (parser, token->start, error, _ ("the expression is empty: write a value"));
  if (token->kind == TOKEN_END)
    return fail (parser, token->start, error, _ ("unexpected end: a value is missing"));
  if (token->kind == TOKEN_CLOSE && parser->brackets->len == 1)
    return fail (parser, token->start, error,
                 _ ("this \")\" has no matching \"(\": remove it or write \"(\" before it"));
  if (token->kind == TOKEN_CLOSE && bracket->function != NULL && g_str_has_suffix (parser->rewritten->str, "("))
    return fail (parser, token->start, error, _ ("%s needs an argument"), bracket->function->name);
  return fail (parser, token->start, error, _ ("a value is missing before \"%.*s\""), (int) token->length,
               token->start);
}

static bool
fail_bad (Parser *parser, const Token *token, GError **error)
{
  static const struct {
    char character;
    const char *remedy;
  } remedies[] = {
    { '=', N_ ("write == to compare; an expression cannot assign a value") },
    { '&', N_ ("write && for \"and\"") },
    { '|', N_ ("write || for \"or\"") },
    { '%', N_ ("write mod (a, b) for a remainder") },
    { ';', N_ ("separate several results with commas") },
    { '[', N_ ("write node.slot.x for a component, (...) to group") },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (remedies); i++) {
    if (*token->start == remedies[i].character)
      return fail (parser, token->start, error, _ ("\"%c\" is not allowed here: %s"), *token->start,
                   _ (remedies[i].remedy));
  }
  return fail (parser, token->start, error, _ ("\"%.*s\" is not allowed in an expression"), (int) token->length,
               token->start);
}

/* Where a value is expected.  *complete is set when one was read. */
static bool
parse_operand (Parser *parser, const Token *token, bool *complete, GError **error)
{
  if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_NAME || token->kind == TOKEN_OPEN)
    write_unary (parser);
  switch (token->kind) {
  case TOKEN_NUMBER:
    *complete = true;
    return parse_number (parser, token, error);
  case TOKEN_NAME: {
    const guint depth = parser->brackets->len;

    if (!parse_name (parser, token, error))
      return false;
    *complete = parser->brackets->len == depth;
    return true;
  }
  case TOKEN_OPEN:
    write_token (parser, "(", 1, false);
    open_bracket (parser, token->start, NULL);
    return true;
  case TOKEN_OPERATOR:
    if (parse_unary (parser, token))
      return true;
    return fail_operand (parser, token, error);
  case TOKEN_BAD:
    return fail_bad (parser, token, error);
  default:
    return fail_operand (parser, token, error);
  }
}

static bool
check_questions (Parser *parser, GError **error)
{
  const Bracket *bracket = get_bracket (parser);

  return bracket->n_questions == 0 ||
         fail (parser, bracket->question, error, _ ("this \"?\" has no \":\": write condition ? value : other value"));
}

static bool
parse_close (Parser *parser, const Token *token, GError **error)
{
  const Bracket *bracket = get_bracket (parser);
  const KgFunction *function = bracket->function;

  if (parser->brackets->len == 1)
    return fail (parser, token->start, error,
                 _ ("this \")\" has no matching \"(\": remove it or write \"(\" before it"));
  if (!check_questions (parser, error))
    return false;
  if (function != NULL && (bracket->n_arguments < function->min || bracket->n_arguments > function->max))
    return fail (parser, bracket->start, error, _ ("wrong number of arguments (%u) for %s: write %s"),
                 bracket->n_arguments, function->name, function->usage);
  g_array_set_size (parser->brackets, parser->brackets->len - 1);
  write_token (parser, ")", 1, false);
  return true;
}

static bool
parse_comma (Parser *parser, const Token *token, GError **error)
{
  Bracket *bracket = get_bracket (parser);

  if (!check_questions (parser, error))
    return false;
  if (parser->brackets->len > 1 && bracket->function == NULL)
    return fail (parser, token->start, error,
                 _ ("a comma is not allowed in brackets that do not follow a function name"));
  if (parser->brackets->len == 1) {
    const Token after = scan (parser->next);
    const guint column = get_column (parser, after.start);

    if (parser->columns->len == MAX_RESULTS)
      return fail (parser, token->start, error, _ ("more than %d results"), MAX_RESULTS);
    g_array_append_val (parser->columns, column);
  }
  bracket->n_arguments++;
  write_token (parser, ",", 1, false);
  return true;
}

/* Where an operator, a comma or the end is expected.  *complete is cleared when a value must follow. */
static bool
parse_operator (Parser *parser, const Token *token, bool *complete, GError **error)
{
  Bracket *bracket = get_bracket (parser);

  *complete = false;
  switch (token->kind) {
  case TOKEN_OPERATOR:
    if (token_is (token, "!"))
      return fail (parser, token->start, error, _ ("\"!\" must come before a value: write != to compare"));
    write_token (parser, token->start, (gssize) token->length, true);
    return true;
  case TOKEN_QUESTION:
    bracket->n_questions++;
    bracket->question = token->start;
    write_token (parser, "?", 1, true);
    return true;
  case TOKEN_COLON:
    if (bracket->n_questions == 0)
      return fail (parser, token->start, error, _ ("this \":\" has no \"?\": write condition ? value : other value"));
    bracket->n_questions--;
    write_token (parser, ":", 1, true);
    return true;
  case TOKEN_COMMA:
    return parse_comma (parser, token, error);
  case TOKEN_CLOSE:
    *complete = true;
    return parse_close (parser, token, error);
  case TOKEN_BAD:
    return fail_bad (parser, token, error);
  default:
    return fail (parser, token->start, error, _ ("an operator is missing before \"%.*s\""), (int) token->length,
                 token->start);
  }
}

static bool
parse (Parser *parser, GError **error)
{
  const Token first = scan (parser->text);
  const guint column = get_column (parser, first.start);
  bool complete = false; /* a value has been read, an operator may follow */

  g_array_append_val (parser->columns, column);
  open_bracket (parser, parser->text, NULL);
  while (true) {
    const Token token = scan (parser->next);

    parser->next = token.start + token.length;
    if (token.kind == TOKEN_END && complete)
      break;
    if (!(complete ? parse_operator : parse_operand) (parser, &token, &complete, error))
      return false;
  }
  if (parser->brackets->len > 1)
    return fail (parser, get_bracket (parser)->start, error, _ ("this bracket is never closed: write \")\""));
  if (!check_questions (parser, error))
    return false;
  if (parser->rewritten->len > MAX_REWRITTEN)
    return fail (parser, parser->text, error, _ ("the expression has too many parts: split it into several nodes"));
  return true;
}

/* The expression. */

/* Whether muparser accepts the text, as it will if the parser above is right; *message if not. Done at the first evaluation:
 * it takes ten times as long as all the rest, and most expressions that are read (those of all presets, when a program
 * starts) are never evaluated. */
static bool
compile (KgExpression *expression, const char **message)
{
  const guint n_variables = (guint) N_MOMENT + expression->references->len;
  int n_results = 0;

  expression->variables = g_new0 (double, n_variables);
  expression->parser = mupCreate (muBASETYPE_FLOAT);
  mupClearConst (expression->parser);
  mupClearFun (expression->parser);
  kg_functions_define (expression->parser);
  for (guint i = 0; i < n_variables; i++) {
    char name[16];

    g_snprintf (name, sizeof name, "v%u", i);
    mupDefineVar (expression->parser, name, &expression->variables[i]);
  }
  mupSetExpr (expression->parser, expression->rewritten);
  mupEvalMulti (expression->parser, &n_results);
  if (mupError (expression->parser)) {
    *message = mupGetErrorMsg (expression->parser);
    return false;
  }
  *message = _ ("the number of results has changed");
  return (guint) n_results == expression->n_results;
}

static bool
check_text (const Parser *parser, GError **error)
{
  const char *end = NULL;

  if (!g_utf8_validate (parser->text, -1, &end))
    return fail (parser, end, error, _ ("the text is not UTF-8"));
  if (strlen (parser->text) > KG_EXPRESSION_MAX_LENGTH)
    return fail (parser, parser->text, error,
                 _ ("the expression has %zu bytes, more than %d: split it into several nodes"), strlen (parser->text),
                 KG_EXPRESSION_MAX_LENGTH);
  return true;
}

static void
clear_reference (gpointer data)
{
  KgReference *reference = data;

  g_free ((char *) reference->node);
  g_free ((char *) reference->slot);
  g_free ((char *) reference->component);
}

KgExpression *
kg_expression_new_with_names (const char *text, const char *const *names, KgExpressionNames kind, GError **error)
{
  const bool closed = kind == KG_EXPRESSION_NAMES_ONLY;
  g_autoptr (KgExpression) expression = g_new0 (KgExpression, 1);
  g_autoptr (GString) rewritten = g_string_new (NULL);
  g_autoptr (GArray) brackets = g_array_new (FALSE, FALSE, sizeof (Bracket));
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (guint));
  Parser parser = { .text = text,
                    .next = text,
                    .rewritten = rewritten,
                    .brackets = brackets,
                    .columns = columns,
                    .expression = expression,
                    .names = names,
                    .closed = closed };

  expression->references = g_array_new (FALSE, FALSE, sizeof (KgReference));
  g_array_set_clear_func (expression->references, clear_reference);
  /* All of them, in their order: callers give a value for each. */
  for (guint i = 0; closed && names[i] != NULL; i++)
    add_reference (expression, (char *[]){ (char *) (size_t) "", (char *) (size_t) names[i], NULL }, 1);
  if (!check_text (&parser, error) || !parse (&parser, error))
    return NULL;
  expression->n_results = columns->len;
  expression->columns = g_memdup2 (columns->data, columns->len * sizeof (guint));
  expression->rewritten = g_string_free (g_steal_pointer (&rewritten), FALSE);
  return g_steal_pointer (&expression);
}

KgExpression *
kg_expression_new (const char *text, GError **error)
{
  return kg_expression_new_with_names (text, NULL, KG_EXPRESSION_NAMES_BESIDE, error);
}

bool
kg_expression_call (KgExpression *expression, const double *values, double *results)
{
  const char *message = NULL;
  const double *computed;
  int n_results = 0;

  if (expression->parser == NULL && !compile (expression, &message))
    return false;
  memcpy (expression->variables + N_MOMENT, values, expression->references->len * sizeof (double));
  computed = mupEvalMulti (expression->parser, &n_results);
  if (mupError (expression->parser) || (guint) n_results != expression->n_results) {
    mupErrorReset (expression->parser);
    return false;
  }
  memcpy (results, computed, expression->n_results * sizeof (double));
  return true;
}

KgExpression *
kg_expression_copy (const KgExpression *expression)
{
  KgExpression *copy = g_new0 (KgExpression, 1);

  copy->references = g_array_sized_new (FALSE, FALSE, sizeof (KgReference), expression->references->len);
  g_array_set_clear_func (copy->references, clear_reference);
  for (guint i = 0; i < expression->references->len; i++) {
    KgReference reference = *kg_expression_get_reference (expression, i);

    reference.node = g_strdup (reference.node);
    reference.slot = g_strdup (reference.slot);
    reference.component = g_strdup (reference.component);
    g_array_append_val (copy->references, reference);
  }
  copy->columns = g_memdup2 (expression->columns, expression->n_results * sizeof (guint));
  copy->rewritten = g_strdup (expression->rewritten);
  copy->n_results = expression->n_results;
  copy->uses_time = expression->uses_time;
  return copy;
}

void
kg_expression_free (KgExpression *expression)
{
  if (expression == NULL)
    return;
  g_clear_pointer (&expression->parser, mupRelease);
  g_array_unref (expression->references);
  g_free (expression->variables);
  g_free (expression->columns);
  g_free (expression->rewritten);
  g_free (expression);
}

guint
kg_expression_get_n_results (const KgExpression *expression)
{
  return expression->n_results;
}

guint
kg_expression_get_n_references (const KgExpression *expression)
{
  return expression->references->len;
}

const KgReference *
kg_expression_get_reference (const KgExpression *expression, guint index)
{
  g_return_val_if_fail (index < expression->references->len, NULL);
  return &g_array_index (expression->references, KgReference, index);
}

bool
kg_expression_uses_time (const KgExpression *expression)
{
  return expression->uses_time;
}

bool
kg_expression_evaluate (KgExpression *expression, const KgMoment *moment, const double *values, double *results,
                        GError **error)
{
  const double moments[N_MOMENT] = { moment->time, moment->frame, moment->rate, moment->start, moment->end };
  const char *message = NULL;
  int n_results = 0;
  const double *computed;

  if (expression->parser == NULL && !compile (expression, &message)) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "column 1: %s", message);
    g_clear_pointer (&expression->parser, mupRelease);
    g_clear_pointer (&expression->variables, g_free);
    return false;
  }
  memcpy (expression->variables, moments, sizeof moments);
  if (expression->references->len > 0)
    memcpy (expression->variables + N_MOMENT, values, expression->references->len * sizeof (double));
  computed = mupEvalMulti (expression->parser, &n_results);
  if (mupError (expression->parser) || (guint) n_results != expression->n_results) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "column 1: %s", mupGetErrorMsg (expression->parser));
    mupErrorReset (expression->parser);
    return false;
  }
  for (guint i = 0; i < expression->n_results; i++) {
    if (!isfinite (computed[i])) {
      kg_set_error (error, KG_ERROR_EXPRESSION,
                    "column %u: the result is %s: look for a division by zero, a root or logarithm of a negative "
                    "number, or an overflow",
                    expression->columns[i], isnan (computed[i]) ? _ ("not a number") : _ ("infinite"));
      return false;
    }
    results[i] = computed[i];
  }
  return true;
}

char *
kg_expression_rename (const char *text, const char *node, const char *slot, const char *new_node, const char *new_slot)
{
  GString *renamed = g_string_new (NULL);
  g_autofree char *old_start = g_strdup_printf ("%s.%s", node, slot != NULL ? slot : "");
  g_autofree char *new_start = g_strdup_printf ("%s.%s", new_node, slot != NULL ? new_slot : "");
  const size_t length = strlen (old_start);
  const char *done = text;

  if (!g_utf8_validate (text, -1, NULL))
    return g_string_free (g_string_append (renamed, text), FALSE);
  for (Token token = scan (text); token.kind != TOKEN_END; token = scan (token.start + token.length)) {
    const bool continues = token.start > text && (is_name_char (token.start[-1]) || token.start[-1] == '.');

    if (continues || token.kind != TOKEN_NAME || token.length < length ||
        strncmp (token.start, old_start, length) != 0 || (slot != NULL && is_name_char (token.start[length])))
      continue;
    g_string_append_len (renamed, done, token.start - done);
    g_string_append (renamed, new_start);
    done = token.start + length;
  }
  g_string_append (renamed, done);
  return g_string_free (renamed, FALSE);
}

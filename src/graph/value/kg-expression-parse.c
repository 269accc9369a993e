/* kg-expression-parse: from text to values and operators in postfix order.
 *
 * The text is scanned and its grammar checked with stacks of its own (Dijkstra 1961), so that no depth of brackets can
 * use up that of the thread.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REFERENCES 1000

typedef enum {
  TOKEN_END,
  TOKEN_NUMBER,
  TOKEN_NAME,
  TOKEN_OPERATOR, /* binary, unary or both */
  TOKEN_OPEN,
  TOKEN_CLOSE,
  TOKEN_OPEN_LIST,
  TOKEN_CLOSE_LIST,
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

static const char *const moment_names[] = { "t", "frame", "rate", "start", "end" };
G_STATIC_ASSERT (G_N_ELEMENTS (moment_names) == KG_N_MOMENT);

static const struct {
  const char *name;
  double value;
} constants[] = { { "pi", 3.141592653589793 }, { "e", 2.718281828459045 }, { "true", 1 }, { "false", 0 } };

/* Longer ones before those that they begin with. */
static const KgOperator binary_operators[] = {
  { "&&", KG_OPERATOR_BINARY, 2, KG_OPERATION_AND, false, true },
  { "||", KG_OPERATOR_BINARY, 1, KG_OPERATION_OR, false, true },
  { "<=", KG_OPERATOR_BINARY, 4, KG_OPERATION_LESS_EQUAL, false, true },
  { ">=", KG_OPERATOR_BINARY, 4, KG_OPERATION_LESS_EQUAL, true, true },
  { "!=", KG_OPERATOR_BINARY, 4, KG_OPERATION_NOT_EQUAL, false, false },
  { "==", KG_OPERATOR_BINARY, 4, KG_OPERATION_EQUAL, false, false },
  { "+", KG_OPERATOR_BINARY, 5, KG_OPERATION_ADD, false, false },
  { "-", KG_OPERATOR_BINARY, 5, KG_OPERATION_SUBTRACT, false, false },
  { "*", KG_OPERATOR_BINARY, 6, KG_OPERATION_MULTIPLY, false, false },
  { "/", KG_OPERATOR_BINARY, 6, KG_OPERATION_DIVIDE, false, false },
  { "^", KG_OPERATOR_BINARY, 8, KG_OPERATION_POW, false, false },
  { "<", KG_OPERATOR_BINARY, 4, KG_OPERATION_LESS, false, true },
  { ">", KG_OPERATOR_BINARY, 4, KG_OPERATION_LESS, true, true },
};
static const KgOperator word_and = { "and", KG_OPERATOR_BINARY, 2, KG_OPERATION_AND, false, true };
static const KgOperator word_or = { "or", KG_OPERATOR_BINARY, 1, KG_OPERATION_OR, false, true };
/* Weaker than a power: -u^2 is the negative of a square. */
static const KgOperator minus = { "-", KG_OPERATOR_UNARY, 7, KG_OPERATION_NEGATE, false, false };
static const KgOperator bang = { "!", KG_OPERATOR_UNARY, 7, KG_OPERATION_NOT, false, true };
static const KgOperator word_not = { "not", KG_OPERATOR_UNARY, 3, KG_OPERATION_NOT, false, true };
static const KgOperator question = { "?", KG_OPERATOR_CONDITION, 0, KG_OPERATION_SELECT, false, true };
static const KgOperator colon = { "?", KG_OPERATOR_PENDING, 0, KG_OPERATION_SELECT, false, true };

/* One open bracket; the bottom of the stack is the text itself. */
typedef struct {
  const char *start;
  const KgFunction *function; /* NULL for plain brackets */
  bool list;                  /* [ */
  guint n_arguments;          /* commas so far, plus one */
  guint n_questions;          /* ? that wait for their : */
  const char *question;       /* the last of them */
  guint first;                /* of the operators that wait within */
} Bracket;

typedef struct {
  const KgOperator *symbol;
  guint at;
} Waiting;

typedef struct {
  const char *text;
  const char *next;
  GArray *brackets;  /* Bracket */
  GArray *operators; /* Waiting */
  bool started;      /* something was read */
  bool just_opened;  /* a bracket was the last */
  KgParsed *parsed;
  const char *const *names; /* plain names that are references too */
} Parser;

/* What was read. */

static void
clear_reference (gpointer data)
{
  KgReference *reference = data;

  g_free ((char *) reference->node);
  g_free ((char *) reference->slot);
  g_free ((char *) reference->component);
}

KgParsed *
kg_parsed_new (const char *text, bool closed)
{
  KgParsed *parsed = g_new0 (KgParsed, 1);

  g_atomic_ref_count_init (&parsed->refs);
  parsed->text = g_strdup (text);
  parsed->references = g_array_new (FALSE, FALSE, sizeof (KgReference));
  g_array_set_clear_func (parsed->references, clear_reference);
  parsed->widths = g_array_new (FALSE, FALSE, sizeof (guint));
  parsed->steps = g_array_sized_new (FALSE, FALSE, sizeof (KgStep), 32);
  parsed->results = g_array_new (FALSE, FALSE, sizeof (KgParsedResult));
  parsed->closed = closed;
  parsed->known = true;
  return parsed;
}

void
kg_parsed_unref (KgParsed *parsed)
{
  if (!g_atomic_ref_count_dec (&parsed->refs))
    return;
  g_free (parsed->text);
  g_array_unref (parsed->references);
  g_array_unref (parsed->widths);
  g_array_unref (parsed->steps);
  g_array_unref (parsed->results);
  g_free (parsed);
}

guint
kg_parsed_add_reference (KgParsed *parsed, const char *const *parts, guint width, guint column)
{
  KgReference reference = { .column = column };

  for (guint i = 0; i < parsed->references->len; i++) {
    const KgReference *other = &g_array_index (parsed->references, KgReference, i);

    if (g_str_equal (other->node, parts[0]) && g_str_equal (other->slot, parts[1]) &&
        g_strcmp0 (other->component, parts[2]) == 0)
      return i;
  }
  reference.node = g_strdup (parts[0]);
  reference.slot = g_strdup (parts[1]);
  reference.component = g_strdup (parts[2]);
  g_array_append_val (parsed->references, reference);
  g_array_append_val (parsed->widths, width);
  parsed->known &= width > 0;
  return parsed->references->len - 1;
}

guint
kg_text_get_column (const char *text, gsize at)
{
  return (guint) g_utf8_strlen (text, (gssize) at) + 1;
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
  kg_set_error (error, KG_ERROR_EXPRESSION, "%s", message);
  kg_prefix_column (error, kg_text_get_column (parser->text, (gsize) (at - parser->text)));
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

/* A name and all its dotted parts, also malformed ones ("a..b"): the parser says what is wrong with them.  Names of
 * formulas may end with the signs of derivatives ("x'"). */
static size_t
scan_name (const char *s)
{
  size_t n = 0;

  while (is_name_char (s[n]) || s[n] == '.')
    n++;
  while (n > 0 && s[n] == '\'')
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
    const char *text = binary_operators[i].text;

    if (s[0] == text[0] && (text[1] == '\0' || s[1] == text[1]))
      return (Token){ TOKEN_OPERATOR, s, text[1] == '\0' ? 1 : 2 };
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
  case '[':
    return (Token){ TOKEN_OPEN_LIST, s, 1 };
  case ']':
    return (Token){ TOKEN_CLOSE_LIST, s, 1 };
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

static KgStep *
add_step (Parser *parser, KgStepKind kind, const char *start)
{
  KgStep *step;

  g_array_set_size (parser->parsed->steps, parser->parsed->steps->len + 1);
  step = &g_array_index (parser->parsed->steps, KgStep, parser->parsed->steps->len - 1);
  *step = (KgStep){ .kind = (guint8) kind, .at = (guint32) (start - parser->text) };
  return step;
}

static void
wait_for_value (Parser *parser, const KgOperator *symbol, const char *start)
{
  const Waiting waiting = { symbol, (guint) (start - parser->text) };

  g_array_append_val (parser->operators, waiting);
}

static Bracket *
get_bracket (Parser *parser)
{
  return &g_array_index (parser->brackets, Bracket, parser->brackets->len - 1);
}

/* Writes the operators of this bracket that bind at least as strongly, up to a ? that waits for its colon. */
static void
write_waiting (Parser *parser, guint precedence)
{
  const guint first = get_bracket (parser)->first;

  while (parser->operators->len > first) {
    const Waiting waiting = g_array_index (parser->operators, Waiting, parser->operators->len - 1);

    if (waiting.symbol->precedence < precedence || waiting.symbol->kind == KG_OPERATOR_CONDITION)
      return;
    g_array_set_size (parser->operators, parser->operators->len - 1);
    add_step (parser, KG_STEP_OPERATOR, parser->text + waiting.at)->symbol = waiting.symbol;
  }
}

static bool
parse_number (Parser *parser, const Token *token, GError **error)
{
  const char after = token->start[token->length];
  double number;

  if (is_name_char (after) || after == '.') {
    const size_t whole = token->length + scan_name (token->start + token->length);

    return fail (parser, token->start, error,
                 _ ("\"%.*s\" is neither a number nor a name (a name cannot start with a digit)"), (int) whole,
                 token->start);
  }
  number = g_ascii_strtod (token->start, NULL);
  if (!isfinite (number))
    return fail (parser, token->start, error, _ ("the number %.*s is too large"), (int) token->length, token->start);
  add_step (parser, KG_STEP_NUMBER, token->start)->number = number;
  return true;
}

static bool
write_reference (Parser *parser, const Token *token, const char *const *parts, guint width, GError **error)
{
  const guint column = kg_text_get_column (parser->text, (gsize) (token->start - parser->text));
  const guint index = kg_parsed_add_reference (parser->parsed, parts, width, column);

  if (index >= MAX_REFERENCES)
    return fail (parser, parser->text, error, _ ("the expression has too many parts: split it into several nodes"));
  add_step (parser, KG_STEP_REFERENCE, token->start)->n = (guint16) index;
  return true;
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
  return write_reference (parser, token, (const char *const *) parts, n == 3 ? 1 : 0, error);
}

/* A name that a formula does not know, with those that it does. */
static bool
fail_formula_name (const Parser *parser, const Token *token, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < parser->parsed->references->len; i++)
    g_string_append_printf (names, "%s, ", g_array_index (parser->parsed->references, KgReference, i).slot);
  return fail (parser, token->start, error, _ ("unknown name \"%.*s\": a formula can use %spi and e"),
               (int) token->length, token->start, names->str);
}

/* (nullable) The one of the caller's names. */
static const char *
find_name (const Parser *parser, const Token *token)
{
  for (guint i = 0; parser->names != NULL && parser->names[i] != NULL; i++)
    if (token_is (token, parser->names[i]))
      return parser->names[i];
  return NULL;
}

/* Whether the token is the name of a vector or colour of a formula with its component: "p.x".  If so, only the name is
 * taken. */
static bool
take_vector_name (Parser *parser, Token *token)
{
  const char *dot = (const char *) memchr (token->start, '.', token->length);
  const Token name = { TOKEN_NAME, token->start, (size_t) (dot - token->start) };

  for (guint i = 0; parser->parsed->closed && i < parser->parsed->references->len; i++)
    if (g_array_index (parser->parsed->widths, guint, i) > 1 &&
        token_is (&name, g_array_index (parser->parsed->references, KgReference, i).slot)) {
      *token = name;
      parser->next = dot;
      return true;
    }
  return false;
}

static bool
parse_variable (Parser *parser, Token *token, GError **error)
{
  const char *name = find_name (parser, token);

  if (name != NULL)
    return write_reference (parser, token, (const char *[]){ "", name, NULL }, 1, error);
  if (token->start[token->length - 1] == '\'' && !parser->parsed->closed)
    return fail (parser, (const char *) memchr (token->start, '\'', token->length), error,
                 _ ("\"%.*s\" is not allowed in an expression"), 1, "'");
  if (memchr (token->start, '.', token->length) != NULL) {
    if (take_vector_name (parser, token))
      return write_reference (parser, token, (const char *[]){ "", find_name (parser, token), NULL }, 1, error);
    if (!parser->parsed->closed)
      return parse_reference (parser, token, error);
    return fail (parser, token->start, error,
                 _ ("a formula cannot read \"%.*s\": link it to one of the numbers that the formula can use"),
                 (int) token->length, token->start);
  }
  for (guint i = 0; i < KG_N_MOMENT && !parser->parsed->closed; i++) {
    if (token_is (token, moment_names[i])) {
      parser->parsed->uses_time |= i < 2;
      add_step (parser, KG_STEP_INPUT, token->start)->n = (guint16) i;
      return true;
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (constants); i++) {
    if (token_is (token, constants[i].name)) {
      add_step (parser, KG_STEP_NUMBER, token->start)->number = constants[i].value;
      return true;
    }
  }
  if (kg_function_find (token->start, token->length) != NULL)
    return fail (parser, token->start, error, _ ("\"%.*s\" is a function: write its arguments in brackets after it"),
                 (int) token->length, token->start);
  if (parser->parsed->closed)
    return fail_formula_name (parser, token, error);
  return fail (
      parser, token->start, error,
      _ ("unknown name \"%.*s\": write node.slot to read another node, or one of t, frame, rate, start, end, pi, e"),
      (int) token->length, token->start);
}

static void
open_bracket (Parser *parser, const char *start, const KgFunction *function, bool list)
{
  const Bracket bracket = {
    .start = start, .function = function, .list = list, .n_arguments = 1, .first = parser->operators->len
  };

  g_array_append_val (parser->brackets, bracket);
  parser->just_opened = true;
}

static bool
parse_name (Parser *parser, Token *token, GError **error)
{
  const Token after = scan (parser->next);
  const KgFunction *function;

  if (after.kind != TOKEN_OPEN)
    return parse_variable (parser, token, error);
  function = kg_function_find (token->start, token->length);
  if (function == NULL)
    return fail (parser, token->start, error, _ ("unknown function \"%.*s\""), (int) token->length, token->start);
  open_bracket (parser, token->start, function, false);
  parser->next = after.start + after.length;
  return true;
}

/* Says what stands where a value should. */
static bool
fail_operand (Parser *parser, const Token *token, GError **error)
{
  const Bracket *bracket = get_bracket (parser);

  if (token->kind == TOKEN_END && !parser->started)
    return fail (parser, token->start, error, _ ("the expression is empty: write a value"));
  if (token->kind == TOKEN_END)
    return fail (parser, token->start, error, _ ("unexpected end: a value is missing"));
  if (token->kind == TOKEN_CLOSE && parser->brackets->len == 1)
    return fail (parser, token->start, error,
                 _ ("this \")\" has no matching \"(\": remove it or write \"(\" before it"));
  if (token->kind == TOKEN_CLOSE_LIST && parser->brackets->len == 1)
    return fail (parser, token->start, error,
                 _ ("this \"]\" has no matching \"[\": remove it or write \"[\" before it"));
  if (token->kind == TOKEN_CLOSE && bracket->function != NULL && parser->just_opened)
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

/* (nullable) */
static const KgOperator *
find_unary (const Parser *parser, const Token *token)
{
  if (token->kind == TOKEN_NAME)
    return token_is (token, "not") && find_name (parser, token) == NULL ? &word_not : NULL;
  return token_is (token, "-") ? &minus : token_is (token, "!") ? &bang : NULL;
}

/* Where a value is expected.  *complete is set when one was read. */
static bool
parse_operand (Parser *parser, Token *token, bool *complete, GError **error)
{
  const KgOperator *unary = find_unary (parser, token);

  if (unary != NULL) {
    wait_for_value (parser, unary, token->start);
    return true;
  }
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
  case TOKEN_OPEN_LIST:
    open_bracket (parser, token->start, NULL, token->kind == TOKEN_OPEN_LIST);
    return true;
  case TOKEN_OPERATOR:
    return token_is (token, "+") || fail_operand (parser, token, error);
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
fail_open (const Parser *parser, const Bracket *bracket, GError **error)
{
  return bracket->list ? fail (parser, bracket->start, error, _ ("this bracket is never closed: write \"]\""))
                       : fail (parser, bracket->start, error, _ ("this bracket is never closed: write \")\""));
}

static bool
parse_close (Parser *parser, const Token *token, GError **error)
{
  const Bracket bracket = *get_bracket (parser);
  const KgFunction *function = bracket.function;
  const bool list = token->kind == TOKEN_CLOSE_LIST;
  KgStep *step;

  if (parser->brackets->len == 1)
    return fail_operand (parser, token, error);
  if (!check_questions (parser, error))
    return false;
  if (list != bracket.list)
    return fail_open (parser, &bracket, error);
  if (function != NULL && (bracket.n_arguments < function->min || bracket.n_arguments > function->max))
    return fail (parser, bracket.start, error, _ ("wrong number of arguments (%u) for %s: write %s"),
                 bracket.n_arguments, function->name, function->usage);
  if (list && (bracket.n_arguments < 2 || bracket.n_arguments > 4))
    return fail (parser, bracket.start, error,
                 _ ("%u components in brackets: write [x, y] or [x, y, z] for a vector, [r, g, b, a] for a colour"),
                 bracket.n_arguments);
  write_waiting (parser, 0);
  g_array_set_size (parser->brackets, parser->brackets->len - 1);
  if (!list && function == NULL)
    return true;
  step = add_step (parser, list ? KG_STEP_LIST : KG_STEP_CALL, bracket.start);
  step->n = (guint16) bracket.n_arguments;
  step->function = function;
  return true;
}

static void
start_result (Parser *parser, const char *at)
{
  const KgParsedResult result = { .start = (guint) (scan (at).start - parser->text) };

  g_array_append_val (parser->parsed->results, result);
}

static void
end_result (Parser *parser)
{
  g_array_index (parser->parsed->results, KgParsedResult, parser->parsed->results->len - 1).end =
      parser->parsed->steps->len;
}

static bool
parse_comma (Parser *parser, const Token *token, GError **error)
{
  Bracket *bracket = get_bracket (parser);

  if (!check_questions (parser, error))
    return false;
  if (parser->brackets->len > 1 && bracket->function == NULL && !bracket->list)
    return fail (parser, token->start, error,
                 _ ("a comma is not allowed in brackets that do not follow a function name"));
  write_waiting (parser, 0);
  if (parser->brackets->len == 1) {
    if (parser->parsed->results->len == KG_EXPRESSION_MAX_RESULTS)
      return fail (parser, token->start, error, _ ("more than %d results"), KG_EXPRESSION_MAX_RESULTS);
    end_result (parser);
    start_result (parser, parser->next);
  }
  bracket->n_arguments++;
  return true;
}

static void
parse_binary (Parser *parser, const KgOperator *symbol, const char *start)
{
  /* ^ groups to the right. */
  write_waiting (parser, symbol->operation == KG_OPERATION_POW ? symbol->precedence + 1u : symbol->precedence);
  wait_for_value (parser, symbol, start);
}

/* The last ? that waits becomes the choice that waits for its second value. */
static void
parse_colon (Parser *parser)
{
  write_waiting (parser, 0);
  g_array_index (parser->operators, Waiting, parser->operators->len - 1).symbol = &colon;
}

/* A dot after a value. */
static bool
parse_component (Parser *parser, const Token *token, GError **error)
{
  const size_t length = scan_name (token->start + 1);
  KgStep *step;

  if (length != 1 || strchr ("xyzrgba", token->start[1]) == NULL)
    return fail (parser, token->start, error,
                 _ ("\"%.*s\" is not a component: write .x, .y or .z of a vector, .r, .g, .b or .a of a colour"),
                 (int) length + 1, token->start);
  step = add_step (parser, KG_STEP_COMPONENT, token->start);
  step->component = token->start[1];
  parser->next = token->start + 2;
  return true;
}

/* Where an symbol, a comma or the end is expected.  *complete is cleared when a value must follow. */
static bool
parse_operator (Parser *parser, Token *token, bool *complete, GError **error)
{
  Bracket *bracket = get_bracket (parser);

  *complete = false;
  switch (token->kind) {
  case TOKEN_OPERATOR:
    if (token_is (token, "!"))
      return fail (parser, token->start, error, _ ("\"!\" must come before a value: write != to compare"));
    for (size_t i = 0; i < G_N_ELEMENTS (binary_operators); i++)
      if (token_is (token, binary_operators[i].text))
        parse_binary (parser, &binary_operators[i], token->start);
    return true;
  case TOKEN_QUESTION:
    bracket->n_questions++;
    bracket->question = token->start;
    write_waiting (parser, 1);
    wait_for_value (parser, &question, token->start);
    return true;
  case TOKEN_COLON:
    if (bracket->n_questions == 0)
      return fail (parser, token->start, error, _ ("this \":\" has no \"?\": write condition ? value : other value"));
    bracket->n_questions--;
    parse_colon (parser);
    return true;
  case TOKEN_COMMA:
    return parse_comma (parser, token, error);
  case TOKEN_CLOSE:
  case TOKEN_CLOSE_LIST:
    *complete = true;
    return parse_close (parser, token, error);
  case TOKEN_OPEN_LIST:
    return fail_bad (parser, token, error);
  case TOKEN_BAD:
    if (*token->start == '.' && is_name_start (token->start[1])) {
      *complete = true;
      return parse_component (parser, token, error);
    }
    return fail_bad (parser, token, error);
  default:
    if (token->kind == TOKEN_NAME && (token_is (token, "and") || token_is (token, "or"))) {
      parse_binary (parser, token_is (token, "or") ? &word_or : &word_and, token->start);
      return true;
    }
    return fail (parser, token->start, error, _ ("an operator is missing before \"%.*s\""), (int) token->length,
                 token->start);
  }
}

static bool
parse (Parser *parser, GError **error)
{
  bool complete = false; /* a value has been read, an operator may follow */

  start_result (parser, parser->text);
  open_bracket (parser, parser->text, NULL, false);
  while (true) {
    Token token = scan (parser->next);
    const guint depth = parser->brackets->len;

    parser->next = token.start + token.length;
    if (token.kind == TOKEN_END && complete)
      break;
    if (!(complete ? parse_operator : parse_operand) (parser, &token, &complete, error))
      return false;
    parser->started = true;
    parser->just_opened = parser->brackets->len > depth;
  }
  if (parser->brackets->len > 1)
    return fail_open (parser, get_bracket (parser), error);
  if (!check_questions (parser, error))
    return false;
  write_waiting (parser, 0);
  end_result (parser);
  return true;
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

bool
kg_parsed_read (KgParsed *parsed, const char *const *names, GError **error)
{
  g_autoptr (GArray) brackets = g_array_sized_new (FALSE, FALSE, sizeof (Bracket), 8);
  g_autoptr (GArray) operators = g_array_sized_new (FALSE, FALSE, sizeof (Waiting), 8);
  Parser parser = { .text = parsed->text,
                    .next = parsed->text,
                    .brackets = brackets,
                    .operators = operators,
                    .parsed = parsed,
                    .names = names };

  return check_text (&parser, error) && parse (&parser, error);
}

/* Renaming. */

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

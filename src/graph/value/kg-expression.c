/* kg-expression: the formulas that can feed an input.
 *
 * The text is scanned and its grammar checked with stacks of its own (Dijkstra 1961), so that no depth of brackets can
 * use up that of the thread.  The values and operators, in postfix order, are then compiled to a program: at once if it
 * is known how wide all values are, or when the expression is bound to what the graph has.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression.h"

#include "kg-expression-functions.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RESULTS 64
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

/* Fixed variables, in the order of KgMoment; then the references. */
static const char *const moment_names[] = { "t", "frame", "rate", "start", "end" };
#define N_MOMENT G_N_ELEMENTS (moment_names)

static const struct {
  const char *name;
  double value;
} constants[] = { { "pi", 3.141592653589793 }, { "e", 2.718281828459045 }, { "true", 1 }, { "false", 0 } };

typedef enum { UNARY, CONDITION, PENDING, BINARY } OperatorKind;

/* An operator, and how strongly it binds. */
typedef struct {
  const char *text;
  OperatorKind kind;
  guint8 precedence;
  guint8 operation;
  bool swapped; /* a > b is b < a */
  bool flat;    /* of numbers only */
} Operator;

/* Longer ones before those that they begin with. */
static const Operator binary_operators[] = {
  { "&&", BINARY, 2, KG_OPERATION_AND, false, true },        { "||", BINARY, 1, KG_OPERATION_OR, false, true },
  { "<=", BINARY, 4, KG_OPERATION_LESS_EQUAL, false, true }, { ">=", BINARY, 4, KG_OPERATION_LESS_EQUAL, true, true },
  { "!=", BINARY, 4, KG_OPERATION_NOT_EQUAL, false, false }, { "==", BINARY, 4, KG_OPERATION_EQUAL, false, false },
  { "+", BINARY, 5, KG_OPERATION_ADD, false, false },        { "-", BINARY, 5, KG_OPERATION_SUBTRACT, false, false },
  { "*", BINARY, 6, KG_OPERATION_MULTIPLY, false, false },   { "/", BINARY, 6, KG_OPERATION_DIVIDE, false, false },
  { "^", BINARY, 8, KG_OPERATION_POW, false, false },        { "<", BINARY, 4, KG_OPERATION_LESS, false, true },
  { ">", BINARY, 4, KG_OPERATION_LESS, true, true },
};
static const Operator word_and = { "and", BINARY, 2, KG_OPERATION_AND, false, true };
static const Operator word_or = { "or", BINARY, 1, KG_OPERATION_OR, false, true };
/* Weaker than a power: -u^2 is the negative of a square. */
static const Operator minus = { "-", UNARY, 7, KG_OPERATION_NEGATE, false, false };
static const Operator bang = { "!", UNARY, 7, KG_OPERATION_NOT, false, true };
static const Operator word_not = { "not", UNARY, 3, KG_OPERATION_NOT, false, true };
static const Operator question = { "?", CONDITION, 0, KG_OPERATION_SELECT, false, true };
static const Operator colon = { "?", PENDING, 0, KG_OPERATION_SELECT, false, true };

/* One step of the expression in postfix order. */
typedef enum { STEP_NUMBER, STEP_INPUT, STEP_REFERENCE, STEP_OPERATOR, STEP_CALL, STEP_LIST, STEP_COMPONENT } StepKind;

typedef struct {
  guint8 kind;
  char component;
  guint16 n;  /* arguments; INPUT, REFERENCE: its index */
  guint32 at; /* byte of the text */
  union {
    double number;
    const Operator *operator;
    const KgFunction *function;
  };
} Step;

/* One of the results. */
typedef struct {
  guint start; /* byte of the text */
  guint end;   /* the number of steps at its end */
} Result;

/* What was read.  (immutable, shared by copies) */
typedef struct {
  gatomicrefcount refs;
  char *text;
  GArray *references; /* KgReference, their strings owned */
  GArray *widths;     /* guint of each; 0: not known */
  GArray *steps;      /* Step */
  GArray *results;    /* Result */
  guint n_results;    /* as far as it is known */
  bool closed;        /* no moment */
  bool uses_time;
  bool known; /* how wide every value is */
} Parsed;

struct _KgExpression {
  Parsed *parsed;
  KgProgram *program; /* NULL: not bound yet */
  guint *widths;      /* that it is bound to; NULL: the known ones */
};

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
  const Operator *operator;
  guint at;
} Waiting;

typedef struct {
  const char *text;
  const char *next;
  GArray *brackets;  /* Bracket */
  GArray *operators; /* Waiting */
  bool started;      /* something was read */
  bool just_opened;  /* a bracket was the last */
  Parsed *parsed;
  const char *const *names; /* plain names that are references too */
} Parser;

static guint
get_column (const char *text, gsize at)
{
  return (guint) g_utf8_strlen (text, (gssize) at) + 1;
}

static bool fail_at (const char *text, gsize at, GError **error, const char *format, va_list arguments)
    G_GNUC_PRINTF (4, 0);
static bool fail (const Parser *parser, const char *at, GError **error, const char *format, ...) G_GNUC_PRINTF (4, 5);
static bool fail_step (const Parsed *parsed, gsize at, GError **error, const char *format, ...) G_GNUC_PRINTF (4, 5);

static bool
fail_at (const char *text, gsize at, GError **error, const char *format, va_list arguments)
{
  g_autofree char *message = g_strdup_vprintf (format, arguments);

  kg_set_error (error, KG_ERROR_EXPRESSION, "column %u: %s", get_column (text, at), message);
  return false;
}

static bool
fail (const Parser *parser, const char *at, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  fail_at (parser->text, (gsize) (at - parser->text), error, format, arguments);
  va_end (arguments);
  return false;
}

static bool
fail_step (const Parsed *parsed, gsize at, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  fail_at (parsed->text, at, error, format, arguments);
  va_end (arguments);
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

static Step *
add_step (Parser *parser, StepKind kind, const char *start)
{
  Step *step;

  g_array_set_size (parser->parsed->steps, parser->parsed->steps->len + 1);
  step = &g_array_index (parser->parsed->steps, Step, parser->parsed->steps->len - 1);
  *step = (Step){ .kind = (guint8) kind, .at = (guint32) (start - parser->text) };
  return step;
}

static void
wait_for_value (Parser *parser, const Operator *operator, const char * start)
{
  const Waiting waiting = { operator, (guint) (start - parser->text) };

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

    if (waiting.operator->precedence<precedence || waiting.operator->kind == CONDITION)
      return;
    g_array_set_size (parser->operators, parser->operators->len - 1);
    add_step (parser, STEP_OPERATOR, parser->text + waiting.at)->operator= waiting.operator;
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
  add_step (parser, STEP_NUMBER, token->start)->number = number;
  return true;
}

static guint
add_reference (Parsed *parsed, const char *const *parts, guint width, guint column)
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

static bool
write_reference (Parser *parser, const Token *token, const char *const *parts, guint width, GError **error)
{
  const guint column = get_column (parser->text, (gsize) (token->start - parser->text));
  const guint index = add_reference (parser->parsed, parts, width, column);

  if (index >= MAX_REFERENCES)
    return fail (parser, parser->text, error, _ ("the expression has too many parts: split it into several nodes"));
  add_step (parser, STEP_REFERENCE, token->start)->n = (guint16) index;
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
  for (guint i = 0; i < N_MOMENT && !parser->parsed->closed; i++) {
    if (token_is (token, moment_names[i])) {
      parser->parsed->uses_time |= i < 2;
      add_step (parser, STEP_INPUT, token->start)->n = (guint16) i;
      return true;
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (constants); i++) {
    if (token_is (token, constants[i].name)) {
      add_step (parser, STEP_NUMBER, token->start)->number = constants[i].value;
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
static const Operator *
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
  const Operator *unary = find_unary (parser, token);

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
  Step *step;

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
  step = add_step (parser, list ? STEP_LIST : STEP_CALL, bracket.start);
  step->n = (guint16) bracket.n_arguments;
  step->function = function;
  return true;
}

static void
start_result (Parser *parser, const char *at)
{
  const Result result = { .start = (guint) (scan (at).start - parser->text) };

  g_array_append_val (parser->parsed->results, result);
}

static void
end_result (Parser *parser)
{
  g_array_index (parser->parsed->results, Result, parser->parsed->results->len - 1).end = parser->parsed->steps->len;
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
    if (parser->parsed->results->len == MAX_RESULTS)
      return fail (parser, token->start, error, _ ("more than %d results"), MAX_RESULTS);
    end_result (parser);
    start_result (parser, parser->next);
  }
  bracket->n_arguments++;
  return true;
}

static void
parse_binary (Parser *parser, const Operator *operator, const char * start)
{
  /* ^ groups to the right. */
  write_waiting (parser, operator->operation == KG_OPERATION_POW ? operator->precedence + 1u : operator->precedence);
  wait_for_value (parser, operator, start);
}

/* The last ? that waits becomes the choice that waits for its second value. */
static void
parse_colon (Parser *parser)
{
  write_waiting (parser, 0);
  g_array_index (parser->operators, Waiting, parser->operators->len - 1).operator= & colon;
}

/* A dot after a value. */
static bool
parse_component (Parser *parser, const Token *token, GError **error)
{
  const size_t length = scan_name (token->start + 1);
  Step *step;

  if (length != 1 || strchr ("xyzrgba", token->start[1]) == NULL)
    return fail (parser, token->start, error,
                 _ ("\"%.*s\" is not a component: write .x, .y or .z of a vector, .r, .g, .b or .a of a colour"),
                 (int) length + 1, token->start);
  step = add_step (parser, STEP_COMPONENT, token->start);
  step->component = token->start[1];
  parser->next = token->start + 2;
  return true;
}

/* Where an operator, a comma or the end is expected.  *complete is cleared when a value must follow. */
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

/* The compiler. */

typedef struct {
  const Parsed *parsed;
  KgBuilder builder;
  const guint *widths; /* of the references */
  guint *first;        /* input of each */
  GArray *values;      /* KgTyped: the stack */
} Compiler;

static void
compiler_clear (Compiler *compiler)
{
  kg_builder_clear (&compiler->builder);
  g_clear_pointer (&compiler->first, g_free);
  g_clear_pointer (&compiler->values, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Compiler, compiler_clear)

static const char *
describe_width (guint width)
{
  return width == 4 ? _ ("a colour") : width == 3 ? _ ("a vector") : _ ("a number");
}

static void
push (Compiler *compiler, KgTyped value)
{
  g_array_append_val (compiler->values, value);
}

static void
push_number (Compiler *compiler, guint x)
{
  push (compiler, (KgTyped){ .width = 1, .x = { x, x, x, x } });
}

/* The last n values, no longer on the stack. */
static KgTyped *
pop (Compiler *compiler, guint n)
{
  compiler->values->len -= n;
  return &g_array_index (compiler->values, KgTyped, compiler->values->len);
}

static void
compile_reference (Compiler *compiler, guint index)
{
  const guint width = compiler->widths[index];
  KgTyped value = { .width = width };

  if (width == 1) {
    push_number (compiler, compiler->first[index]);
    return;
  }
  for (guint c = 0; c < width; c++)
    value.x[c] = compiler->first[index] + c;
  push (compiler, value);
}

/* == and != of vectors: all components, or any. */
static guint
compare_all (Compiler *compiler, const Operator *operator, const KgTyped * a, const KgTyped *b, guint width)
{
  const KgOperation join = operator->operation == KG_OPERATION_EQUAL ? KG_OPERATION_AND : KG_OPERATION_OR;
  guint all = 0;

  for (guint c = 0; c < width; c++) {
    const guint one = kg_build2 (&compiler->builder, operator->operation, a->x[c], b->x[c]);

    all = c == 0 ? one : kg_build2 (&compiler->builder, join, all, one);
  }
  return all;
}

static bool
compile_binary (Compiler *compiler, const Step *step, GError **error)
{
  const Operator *operator= step->operator;
  const KgTyped *operands = pop (compiler, 2);
  KgTyped a = operands[operator->swapped ? 1 : 0], b = operands[operator->swapped ? 0 : 1];
  KgTyped result = { 0 };

  if (operator->flat && (a.width > 1 || b.width > 1))
    return fail_step (compiler->parsed, step->at, error,
                      _ ("\"%s\" takes numbers, not %s: use components or a length"), operator->text,
                      describe_width (MAX (a.width, b.width)));
  if (!kg_typed_join (a.width, b.width, &result.width))
    return fail_step (compiler->parsed, step->at, error,
                      _ ("\"%s\" cannot take a vector and a colour: use components"), operator->text);
  if (operator->operation == KG_OPERATION_EQUAL || operator->operation == KG_OPERATION_NOT_EQUAL) {
    push_number (compiler, compare_all (compiler, operator, & a, &b, MAX (result.width, 1)));
    return true;
  }
  for (guint c = 0; c < 4; c++)
    result.x[c] = c < MAX (result.width, 1) ? kg_build2 (&compiler->builder, operator->operation, a.x[c], b.x[c])
                                            : result.x[0];
  push (compiler, result);
  return true;
}

static bool
compile_choice (Compiler *compiler, const Step *step, GError **error)
{
  const KgTyped *operands = pop (compiler, 3);
  KgTyped condition = operands[0], a = operands[1], b = operands[2], result = { 0 };

  if (condition.width > 1)
    return fail_step (compiler->parsed, step->at, error, _ ("what stands before \"?\" must be a number, not %s"),
                      describe_width (condition.width));
  if (!kg_typed_join (a.width, b.width, &result.width))
    return fail_step (compiler->parsed, step->at, error, _ ("\"%s\" cannot take a vector and a colour: use components"),
                      step->operator->text);
  for (guint c = 0; c < 4; c++)
    result.x[c] = c < MAX (result.width, 1) ? kg_build_select (&compiler->builder, condition.x[0], a.x[c], b.x[c])
                                            : result.x[0];
  push (compiler, result);
  return true;
}

static bool
compile_operator (Compiler *compiler, const Step *step, GError **error)
{
  KgTyped a;

  if (step->operator->kind == BINARY)
    return compile_binary (compiler, step, error);
  if (step->operator->kind == PENDING)
    return compile_choice (compiler, step, error);
  a = *pop (compiler, 1);
  if (step->operator->flat && a.width> 1)
    return fail_step (compiler->parsed, step->at, error, _ ("\"%s\" takes numbers, not %s: use components or a length"),
                      step->operator->text, describe_width (a.width));
  for (guint c = 0; c < 4; c++)
    a.x[c] = c < MAX (a.width, 1) ? kg_build1 (&compiler->builder, step->operator->operation, a.x[c]) : a.x[0];
  push (compiler, a);
  return true;
}

/* A function of numbers, for each component. */
static bool
compile_each (Compiler *compiler, const KgFunction *function, const KgTyped *arguments, guint n, KgTyped *result)
{
  g_autofree guint *x = g_new (guint, n);

  result->width = 1;
  for (guint i = 0; i < n; i++)
    if (!kg_typed_join (result->width, arguments[i].width, &result->width))
      return false;
  for (guint c = 0; c < 4; c++) {
    if (c >= MAX (result->width, 1)) {
      result->x[c] = result->x[0];
      continue;
    }
    for (guint i = 0; i < n; i++)
      x[i] = arguments[i].x[c];
    result->x[c] = function->build != NULL ? function->build (&compiler->builder, x, n)
                   : n == 1                ? kg_build1 (&compiler->builder, function->operation, x[0])
                                           : kg_build2 (&compiler->builder, function->operation, x[0], x[1]);
  }
  return true;
}

static bool
compile_call (Compiler *compiler, const Step *step, GError **error)
{
  const KgFunction *function = step->function;
  const KgTyped *arguments = pop (compiler, step->n);
  KgTyped result = { 0 };

  if (function->compile != NULL ? !function->compile (&compiler->builder, arguments, step->n, &result)
                                : !compile_each (compiler, function, arguments, step->n, &result))
    return fail_step (compiler->parsed, step->at, error, _ ("%s cannot take these arguments: write %s"), function->name,
                      function->usage);
  push (compiler, result);
  return true;
}

static bool
compile_list (Compiler *compiler, const Step *step, GError **error)
{
  const KgTyped *elements = pop (compiler, step->n);
  KgTyped result = { .width = MAX (step->n, 3) };

  result.x[2] = kg_build_constant (&compiler->builder, 0);
  for (guint i = 0; i < step->n; i++) {
    if (elements[i].width > 1)
      return fail_step (compiler->parsed, step->at, error, _ ("component %u in these brackets is %s, not a number"),
                        i + 1, describe_width (elements[i].width));
    result.x[i] = elements[i].x[0];
  }
  push (compiler, result);
  return true;
}

static bool
compile_component (Compiler *compiler, const Step *step, GError **error)
{
  const KgTyped value = *pop (compiler, 1);
  const char *names = value.width == 4 ? "rgba" : value.width == 3 ? "xyz" : value.width == 0 ? "xyzrgba" : "";
  const char *found = strchr (names, step->component);

  if (found == NULL)
    return fail_step (compiler->parsed, step->at, error, _ ("%s has no component \"%c\""), describe_width (value.width),
                      step->component);
  push_number (compiler, value.width == 0 ? value.x[0] : value.x[found - names]);
  return true;
}

static bool
compile_step (Compiler *compiler, const Step *step, GError **error)
{
  switch ((StepKind) step->kind) {
  case STEP_NUMBER:
    push_number (compiler, kg_build_constant (&compiler->builder, step->number));
    return true;
  case STEP_INPUT:
    push_number (compiler, kg_build_input (&compiler->builder, step->n));
    return true;
  case STEP_REFERENCE:
    compile_reference (compiler, step->n);
    return true;
  case STEP_OPERATOR:
    return compile_operator (compiler, step, error);
  case STEP_CALL:
    return compile_call (compiler, step, error);
  case STEP_LIST:
    return compile_list (compiler, step, error);
  case STEP_COMPONENT:
    return compile_component (compiler, step, error);
  }
  return false;
}

/* Checks what goes with what, and makes the program if all widths are known.  *n_results: numbers of the results. */
static bool
compile (const Parsed *parsed, const guint *widths, const KgFormulaVariable *variables, const bool *columns,
         guint *n_results, KgProgram **program, GError **error)
{
  const guint n_references = parsed->references->len;
  g_auto (Compiler) compiler = { .parsed = parsed,
                                 .widths = widths,
                                 .first = g_new (guint, n_references + 1),
                                 .values = g_array_sized_new (FALSE, FALSE, sizeof (KgTyped), 16) };
  guint n_inputs = parsed->closed ? 0 : N_MOMENT, results[4 * MAX_RESULTS], step = 0;
  bool known = true;

  for (guint i = 0; i < n_references; i++) {
    const guint shares = variables != NULL ? variables[i].shares : 0;

    compiler.first[i] = shares > 0 ? compiler.first[shares - 1] : n_inputs;
    n_inputs += shares > 0 ? 0 : widths[i];
    known &= widths[i] > 0;
  }
  kg_builder_init (&compiler.builder, n_inputs);
  *n_results = 0;
  for (guint i = 0; i < parsed->results->len; i++) {
    const Result *result = &g_array_index (parsed->results, Result, i);
    KgTyped value;

    for (; step < result->end; step++)
      if (!compile_step (&compiler, &g_array_index (parsed->steps, Step, step), error))
        return false;
    value = *pop (&compiler, 1);
    if (parsed->results->len > 1 && value.width > 1)
      return fail_step (parsed, result->start, error, _ ("%s among several results: write its components"),
                        describe_width (value.width));
    for (guint c = 0; c < MAX (value.width, 1); c++)
      results[(*n_results)++] = value.x[c];
  }
  if (!known)
    return true;
  *program = kg_builder_finish (&compiler.builder, columns, results, *n_results, error);
  if (*program == NULL)
    kg_prefix_error (error, "column %u: ", 1u);
  return *program != NULL;
}

/* The expression. */

static void
clear_reference (gpointer data)
{
  KgReference *reference = data;

  g_free ((char *) reference->node);
  g_free ((char *) reference->slot);
  g_free ((char *) reference->component);
}

static Parsed *
parsed_new (const char *text, bool closed)
{
  Parsed *parsed = g_new0 (Parsed, 1);

  g_atomic_ref_count_init (&parsed->refs);
  parsed->text = g_strdup (text);
  parsed->references = g_array_new (FALSE, FALSE, sizeof (KgReference));
  g_array_set_clear_func (parsed->references, clear_reference);
  parsed->widths = g_array_new (FALSE, FALSE, sizeof (guint));
  parsed->steps = g_array_sized_new (FALSE, FALSE, sizeof (Step), 32);
  parsed->results = g_array_new (FALSE, FALSE, sizeof (Result));
  parsed->closed = closed;
  parsed->known = true;
  return parsed;
}

static void
parsed_unref (Parsed *parsed)
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

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Parsed, parsed_unref)

static bool
read_text (Parsed *parsed, const char *text, const char *const *names, GError **error)
{
  g_autoptr (GArray) brackets = g_array_sized_new (FALSE, FALSE, sizeof (Bracket), 8);
  g_autoptr (GArray) operators = g_array_sized_new (FALSE, FALSE, sizeof (Waiting), 8);
  Parser parser = {
    .text = text, .next = text, .brackets = brackets, .operators = operators, .parsed = parsed, .names = names
  };

  return check_text (&parser, error) && parse (&parser, error);
}

KgExpression *
kg_expression_new_with_names (const char *text, const char *const *names, KgExpressionNames kind, GError **error)
{
  const bool closed = kind == KG_EXPRESSION_NAMES_ONLY;
  g_autoptr (Parsed) parsed = parsed_new (text, closed);
  KgProgram *program = NULL;
  KgExpression *expression;

  /* All of them, in their order: callers give a value for each. */
  for (guint i = 0; closed && names[i] != NULL; i++)
    add_reference (parsed, (const char *[]){ "", names[i], NULL }, 1, 1);
  if (!read_text (parsed, text, names, error) || !compile (parsed, (const guint *) (gpointer) parsed->widths->data,
                                                           NULL, NULL, &parsed->n_results, &program, error))
    return NULL;
  expression = g_new0 (KgExpression, 1);
  expression->parsed = g_steal_pointer (&parsed);
  expression->program = program;
  return expression;
}

KgExpression *
kg_expression_new (const char *text, GError **error)
{
  return kg_expression_new_with_names (text, NULL, KG_EXPRESSION_NAMES_BESIDE, error);
}

KgProgram *
kg_formula_compile (const char *text, const KgFormulaVariable *variables, guint n_variables, GError **error)
{
  g_autoptr (Parsed) parsed = parsed_new (text, true);
  g_autofree const char **names = g_new0 (const char *, n_variables + 1);
  g_autofree bool *columns = g_new0 (bool, 4 * n_variables + 1);
  KgProgram *program = NULL;
  guint n = 0;

  for (guint i = 0; i < n_variables; i++) {
    names[i] = variables[i].name;
    add_reference (parsed, (const char *[]){ "", names[i], NULL }, variables[i].width, 1);
    for (guint c = 0; c < variables[i].width && variables[i].shares == 0; c++)
      columns[n++] = variables[i].column;
  }
  return read_text (parsed, text, names, error) && compile (parsed, (const guint *) (gpointer) parsed->widths->data,
                                                            variables, columns, &n, &program, error)
             ? program
             : NULL;
}

KgExpression *
kg_expression_copy (const KgExpression *expression)
{
  KgExpression *copy = g_new0 (KgExpression, 1);

  g_atomic_ref_count_inc (&expression->parsed->refs);
  copy->parsed = expression->parsed;
  if (expression->program != NULL)
    copy->program = kg_program_ref (expression->program);
  if (expression->widths != NULL)
    copy->widths = (guint *) g_memdup2 (expression->widths, expression->parsed->references->len * sizeof *copy->widths);
  return copy;
}

void
kg_expression_free (KgExpression *expression)
{
  if (expression == NULL)
    return;
  parsed_unref (expression->parsed);
  g_clear_pointer (&expression->program, kg_program_unref);
  g_free (expression->widths);
  g_free (expression);
}

guint
kg_expression_get_n_results (const KgExpression *expression)
{
  return expression->program != NULL ? kg_program_get_n_results (expression->program) : expression->parsed->n_results;
}

guint
kg_expression_get_n_references (const KgExpression *expression)
{
  return expression->parsed->references->len;
}

const KgReference *
kg_expression_get_reference (const KgExpression *expression, guint index)
{
  g_return_val_if_fail (index < expression->parsed->references->len, NULL);
  return &g_array_index (expression->parsed->references, KgReference, index);
}

bool
kg_expression_uses_time (const KgExpression *expression)
{
  return expression->parsed->uses_time;
}

bool
kg_expression_bind (KgExpression *expression, const guint *widths, GError **error)
{
  const guint n = expression->parsed->references->len;
  const guint *bound = expression->widths != NULL ? expression->widths
                                                  : (const guint *) (gpointer) expression->parsed->widths->data;
  KgProgram *program = NULL;
  guint n_results;

  if (expression->program != NULL && (n == 0 || memcmp (bound, widths, n * sizeof *widths) == 0))
    return true;
  if (!compile (expression->parsed, widths, NULL, NULL, &n_results, &program, error))
    return false;
  g_clear_pointer (&expression->program, kg_program_unref);
  expression->program = program;
  g_free (expression->widths);
  expression->widths = (guint *) g_memdup2 (widths, n * sizeof *widths);
  return true;
}

/* Binds it to numbers. */
static bool
bind_numbers (KgExpression *expression, GError **error)
{
  const guint n = expression->parsed->references->len;
  g_autofree guint *widths = g_new (guint, n + 1);

  for (guint i = 0; i < n; i++)
    widths[i] = 1;
  return kg_expression_bind (expression, widths, error);
}

/* Of several results where each starts; of a vector that of the whole. */
static guint
get_result_column (const Parsed *parsed, guint index)
{
  return get_column (parsed->text, g_array_index (parsed->results, Result, parsed->results->len > 1 ? index : 0).start);
}

bool
kg_expression_evaluate (KgExpression *expression, const KgMoment *moment, const double *values, double *results,
                        GError **error)
{
  const guint first = expression->parsed->closed ? 0 : N_MOMENT;
  double few[64], computed[4 * MAX_RESULTS];
  g_autofree double *many = NULL;
  double *inputs = few;
  guint n_inputs, n_results;

  if (expression->program == NULL && !bind_numbers (expression, error))
    return false;
  n_inputs = kg_program_get_n_inputs (expression->program);
  n_results = kg_program_get_n_results (expression->program);
  if (n_inputs > G_N_ELEMENTS (few))
    inputs = many = g_new (double, n_inputs);
  if (first > 0)
    memcpy (inputs, (const double[]){ moment->time, moment->frame, moment->rate, moment->start, moment->end },
            N_MOMENT * sizeof *inputs);
  if (n_inputs > first)
    memcpy (inputs + first, values, (n_inputs - first) * sizeof *inputs);
  kg_program_call (expression->program, inputs, computed);
  for (guint i = 0; i < n_results; i++) {
    if (!isfinite (computed[i])) {
      kg_set_error (error, KG_ERROR_EXPRESSION,
                    "column %u: the result is %s: look for a division by zero, a root or logarithm of a negative "
                    "number, or an overflow",
                    get_result_column (expression->parsed, i),
                    isnan (computed[i]) ? _ ("not a number") : _ ("infinite"));
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

/* formula_class: the rules of degrees (sums take the higher, products add) over the text, by precedence climbing.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/formula_class.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Deeper texts are called transcendental: nobody writes them by hand. */
#define MAX_DEPTH 200
#define MAX_DEGREE 1000000

typedef struct {
  const char *at;
  const char *const *variables;
  guint depth;
} Reader;

/* What is known of a part: its class, and its value where it is a plain number. */
typedef struct {
  FormulaClass c;
  double value; /* NAN: not known */
} Part;

static const Part unknown = { { FORMULA_TRANSCENDENTAL, 0 }, NAN };

static Part read_part (Reader *reader, int least);

static void
skip (Reader *reader)
{
  while (g_ascii_isspace (*reader->at))
    reader->at++;
}

static bool
is_constant (const Part *part)
{
  return part->c.kind == FORMULA_POLYNOMIAL && part->c.degree == 0;
}

FormulaClass
formula_class_join (FormulaClass a, FormulaClass b)
{
  return (FormulaClass){ MAX (a.kind, b.kind), MAX (a.degree, b.degree) };
}

static Part
read_call (Reader *reader, const char *name, size_t length)
{
  static const char *const pieces[] = { "abs",  "ceil",  "floor", "fract", "max",   "min",        "mod", "rint",
                                        "sign", "clamp", "round", "trunc", "noise", "smoothstep", "fit", NULL };
  static const char *const roots[] = { "sqrt", "cbrt", "hypot", NULL };
  static const char *const sums[] = { "sum", "avg", "degrees", "radians", NULL };
  g_autofree char *own = g_strndup (name, length);
  Part all = { { FORMULA_POLYNOMIAL, 0 }, NAN };

  do {
    Part argument;

    reader->at++;
    argument = read_part (reader, 0);
    all.c = formula_class_join (all.c, argument.c);
    skip (reader);
  } while (*reader->at == ',');
  if (*reader->at == ')')
    reader->at++;
  if (is_constant (&all) || g_strv_contains (sums, own))
    return all;
  all.c.kind = MAX (all.c.kind, g_strv_contains (pieces, own)  ? FORMULA_PIECEWISE
                                : g_strv_contains (roots, own) ? FORMULA_ALGEBRAIC
                                                               : FORMULA_TRANSCENDENTAL);
  return all;
}

static Part
read_name (Reader *reader)
{
  const char *start = reader->at;
  g_autofree char *name = NULL;
  size_t length;

  while (g_ascii_isalnum (*reader->at) || *reader->at == '_')
    reader->at++;
  length = (size_t) (reader->at - start);
  skip (reader);
  if (*reader->at == '(')
    return read_call (reader, start, length);
  name = g_strndup (start, length);
  return (Part){ { FORMULA_POLYNOMIAL, g_strv_contains (reader->variables, name) ? 1 : 0 }, NAN };
}

static Part
read_operand (Reader *reader)
{
  Part part = unknown;

  skip (reader);
  if (*reader->at == '-' || *reader->at == '+' || *reader->at == '!') {
    const char sign = *reader->at++;

    /* Weaker than a power: -u^2 is the negative of a square. */
    part = read_part (reader, 7);
    part.value = sign == '-' ? -part.value : part.value;
    if (sign == '!' && !is_constant (&part))
      part.c.kind = MAX (part.c.kind, FORMULA_PIECEWISE);
    return part;
  }
  if (*reader->at == '(') {
    reader->at++;
    part = read_part (reader, 0);
    skip (reader);
    if (*reader->at == ')')
      reader->at++;
    return part;
  }
  if (g_ascii_isdigit (*reader->at) || *reader->at == '.') {
    char *end;

    part = (Part){ { FORMULA_POLYNOMIAL, 0 }, g_ascii_strtod (reader->at, &end) };
    reader->at = end > reader->at ? end : reader->at + 1;
    return part;
  }
  return g_ascii_isalpha (*reader->at) || *reader->at == '_' ? read_name (reader) : part;
}

/* Length and precedence of the operator here; 0 when there is none. */
static int
find_operator (const char *s, guint *length)
{
  static const struct {
    const char *text;
    int precedence;
  } operators[] = { { "&&", 3 }, { "||", 2 }, { "<=", 4 }, { ">=", 4 }, { "!=", 4 }, { "==", 4 }, { "<", 4 },
                    { ">", 4 },  { "+", 5 },  { "-", 5 },  { "*", 6 },  { "/", 6 },  { "^", 8 },  { "?", 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (g_str_has_prefix (s, operators[i].text)) {
      *length = (guint) strlen (operators[i].text);
      return operators[i].precedence;
    }
  return 0;
}

static Part
raise_to (Part base, Part exponent)
{
  Part out = { base.c, NAN };

  if (is_constant (&base) && is_constant (&exponent))
    return out;
  if (!is_constant (&exponent) || (isnan (exponent.value) && !is_constant (&base)))
    return unknown;
  if (exponent.value < 0 || exponent.value != floor (exponent.value)) {
    out.c.kind = MAX (base.c.kind, exponent.value == floor (exponent.value) ? FORMULA_RATIONAL : FORMULA_ALGEBRAIC);
    return out;
  }
  out.c.degree = (guint) MIN (base.c.degree * exponent.value, MAX_DEGREE);
  return out;
}

static Part
combine (char operation, Part a, Part b)
{
  Part out = { formula_class_join (a.c, b.c), NAN };

  switch (operation) {
  case '^':
    return raise_to (a, b);
  case '*':
    out.c.degree = MIN (a.c.degree + b.c.degree, MAX_DEGREE);
    return out;
  case '/':
    if (!is_constant (&b))
      out.c.kind = MAX (out.c.kind, FORMULA_RATIONAL);
    else
      out.value = a.value / b.value;
    return out;
  case '+':
  case '-':
    return out;
  default:
    if (!is_constant (&out))
      out.c.kind = MAX (out.c.kind, FORMULA_PIECEWISE);
    return out;
  }
}

/* Operators of at least that precedence; ^ groups to the right. */
static Part
read_part (Reader *reader, int least)
{
  Part left;
  guint length = 0;

  if (reader->depth == MAX_DEPTH)
    return unknown;
  reader->depth++;
  left = read_operand (reader);
  for (skip (reader);; skip (reader)) {
    const int precedence = find_operator (reader->at, &length);
    const char operation = *reader->at;
    Part right;

    if (precedence == 0 || precedence < MAX (least, 1))
      break;
    reader->at += length;
    right = read_part (reader, operation == '^' ? precedence : operation == '?' ? 1 : precedence + 1);
    if (operation == '?') {
      Part other;

      skip (reader);
      if (*reader->at == ':')
        reader->at++;
      other = read_part (reader, 1);
      right.c = formula_class_join (right.c, other.c);
    }
    left = combine (operation, left, right);
  }
  reader->depth--;
  return left;
}

FormulaClass
formula_class_get (const char *text, const char *const *variables)
{
  Reader reader = { .at = text, .variables = variables };
  const Part part = read_part (&reader, 0);

  skip (&reader);
  return *reader.at == '\0' ? part.c : unknown.c;
}

char *
formula_class_describe (FormulaClass c)
{
  static const char *const degrees[] = { "constant", "linear", "quadratic", "cubic" };
  static const char *const kinds[] = { "", "rational", "algebraic", "piecewise", "transcendental" };

  if (c.kind != FORMULA_POLYNOMIAL)
    return g_strdup (kinds[c.kind]);
  if (c.degree < G_N_ELEMENTS (degrees))
    return g_strdup (degrees[c.degree]);
  return g_strdup_printf ("polynomial of degree %u", c.degree);
}

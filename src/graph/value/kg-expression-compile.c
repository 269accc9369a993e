/* kg-expression-compile: from what was parsed to a program, which knows how wide each value is.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-expression-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

typedef struct {
  const KgParsed *parsed;
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

static bool fail (const KgParsed *parsed, gsize at, GError **error, const char *format, ...) G_GNUC_PRINTF (4, 5);

static bool
fail (const KgParsed *parsed, gsize at, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  kg_set_error (error, KG_ERROR_EXPRESSION, "%s", message);
  kg_prefix_column (error, kg_text_get_column (parsed->text, at));
  return false;
}

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
compare_all (Compiler *compiler, const KgOperator *symbol, const KgTyped *a, const KgTyped *b, guint width)
{
  const KgOperation join = symbol->operation == KG_OPERATION_EQUAL ? KG_OPERATION_AND : KG_OPERATION_OR;
  guint all = 0;

  for (guint c = 0; c < width; c++) {
    const guint one = kg_build2 (&compiler->builder, symbol->operation, a->x[c], b->x[c]);

    all = c == 0 ? one : kg_build2 (&compiler->builder, join, all, one);
  }
  return all;
}

static bool
compile_binary (Compiler *compiler, const KgStep *step, GError **error)
{
  const KgOperator *symbol = step->symbol;
  const KgTyped *operands = pop (compiler, 2);
  KgTyped a = operands[symbol->swapped ? 1 : 0], b = operands[symbol->swapped ? 0 : 1];
  KgTyped result = { 0 };

  if (symbol->flat && (a.width > 1 || b.width > 1))
    return fail (compiler->parsed, step->at, error, _ ("\"%s\" takes numbers, not %s: use components or a length"),
                 symbol->text, describe_width (MAX (a.width, b.width)));
  if (!kg_typed_join (a.width, b.width, &result.width))
    return fail (compiler->parsed, step->at, error, _ ("\"%s\" cannot take a vector and a colour: use components"),
                 symbol->text);
  if (symbol->operation == KG_OPERATION_EQUAL || symbol->operation == KG_OPERATION_NOT_EQUAL) {
    push_number (compiler, compare_all (compiler, symbol, &a, &b, MAX (result.width, 1)));
    return true;
  }
  for (guint c = 0; c < 4; c++)
    result.x[c] = c < MAX (result.width, 1) ? kg_build2 (&compiler->builder, symbol->operation, a.x[c], b.x[c])
                                            : result.x[0];
  push (compiler, result);
  return true;
}

static bool
compile_choice (Compiler *compiler, const KgStep *step, GError **error)
{
  const KgTyped *operands = pop (compiler, 3);
  KgTyped condition = operands[0], a = operands[1], b = operands[2], result = { 0 };

  if (condition.width > 1)
    return fail (compiler->parsed, step->at, error, _ ("what stands before \"?\" must be a number, not %s"),
                 describe_width (condition.width));
  if (!kg_typed_join (a.width, b.width, &result.width))
    return fail (compiler->parsed, step->at, error, _ ("\"%s\" cannot take a vector and a colour: use components"),
                 step->symbol->text);
  for (guint c = 0; c < 4; c++)
    result.x[c] = c < MAX (result.width, 1) ? kg_build_select (&compiler->builder, condition.x[0], a.x[c], b.x[c])
                                            : result.x[0];
  push (compiler, result);
  return true;
}

static bool
compile_operator (Compiler *compiler, const KgStep *step, GError **error)
{
  KgTyped a;

  if (step->symbol->kind == KG_OPERATOR_BINARY)
    return compile_binary (compiler, step, error);
  if (step->symbol->kind == KG_OPERATOR_PENDING)
    return compile_choice (compiler, step, error);
  a = *pop (compiler, 1);
  if (step->symbol->flat && a.width > 1)
    return fail (compiler->parsed, step->at, error, _ ("\"%s\" takes numbers, not %s: use components or a length"),
                 step->symbol->text, describe_width (a.width));
  for (guint c = 0; c < 4; c++)
    a.x[c] = c < MAX (a.width, 1) ? kg_build1 (&compiler->builder, step->symbol->operation, a.x[c]) : a.x[0];
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
compile_call (Compiler *compiler, const KgStep *step, GError **error)
{
  const KgFunction *function = step->function;
  const KgTyped *arguments = pop (compiler, step->n);
  KgTyped result = { 0 };

  if (function->compile != NULL ? !function->compile (&compiler->builder, arguments, step->n, &result)
                                : !compile_each (compiler, function, arguments, step->n, &result))
    return fail (compiler->parsed, step->at, error, _ ("%s cannot take these arguments: write %s"), function->name,
                 function->usage);
  push (compiler, result);
  return true;
}

static bool
compile_list (Compiler *compiler, const KgStep *step, GError **error)
{
  const KgTyped *elements = pop (compiler, step->n);
  KgTyped result = { .width = MAX (step->n, 3) };

  result.x[2] = kg_build_constant (&compiler->builder, 0);
  for (guint i = 0; i < step->n; i++) {
    if (elements[i].width > 1)
      return fail (compiler->parsed, step->at, error, _ ("component %u in these brackets is %s, not a number"), i + 1,
                   describe_width (elements[i].width));
    result.x[i] = elements[i].x[0];
  }
  push (compiler, result);
  return true;
}

static bool
compile_component (Compiler *compiler, const KgStep *step, GError **error)
{
  const KgTyped value = *pop (compiler, 1);
  const char *names = value.width == 4 ? "rgba" : value.width == 3 ? "xyz" : value.width == 0 ? "xyzrgba" : "";
  const char *found = strchr (names, step->component);

  if (found == NULL)
    return fail (compiler->parsed, step->at, error, _ ("%s has no component \"%c\""), describe_width (value.width),
                 step->component);
  push_number (compiler, value.width == 0 ? value.x[0] : value.x[found - names]);
  return true;
}

static bool
compile_step (Compiler *compiler, const KgStep *step, GError **error)
{
  switch ((KgStepKind) step->kind) {
  case KG_STEP_NUMBER:
    push_number (compiler, kg_build_constant (&compiler->builder, step->number));
    return true;
  case KG_STEP_INPUT:
    push_number (compiler, kg_build_input (&compiler->builder, step->n));
    return true;
  case KG_STEP_REFERENCE:
    compile_reference (compiler, step->n);
    return true;
  case KG_STEP_OPERATOR:
    return compile_operator (compiler, step, error);
  case KG_STEP_CALL:
    return compile_call (compiler, step, error);
  case KG_STEP_LIST:
    return compile_list (compiler, step, error);
  case KG_STEP_COMPONENT:
    return compile_component (compiler, step, error);
  }
  return false;
}

bool
kg_parsed_compile (const KgParsed *parsed, const guint *widths, const KgFormulaVariable *variables, const bool *columns,
                   guint *n_results, KgProgram **program, GError **error)
{
  const guint n_references = parsed->references->len;
  g_auto (Compiler) compiler = { .parsed = parsed,
                                 .widths = widths,
                                 .first = g_new (guint, n_references + 1),
                                 .values = g_array_sized_new (FALSE, FALSE, sizeof (KgTyped), 16) };
  guint n_inputs = parsed->closed ? 0 : KG_N_MOMENT, results[4 * KG_EXPRESSION_MAX_RESULTS], step = 0;
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
    const KgParsedResult *result = &g_array_index (parsed->results, KgParsedResult, i);
    KgTyped value;

    for (; step < result->end; step++)
      if (!compile_step (&compiler, &g_array_index (parsed->steps, KgStep, step), error))
        return false;
    value = *pop (&compiler, 1);
    if (parsed->results->len > 1 && value.width > 1)
      return fail (parsed, result->start, error, _ ("%s among several results: write its components"),
                   describe_width (value.width));
    for (guint c = 0; c < MAX (value.width, 1); c++)
      results[(*n_results)++] = value.x[c];
  }
  if (!known)
    return true;
  *program = kg_builder_finish (&compiler.builder, columns, results, *n_results, error);
  if (*program == NULL)
    kg_prefix_column (error, 1);
  return *program != NULL;
}

/* formula_field: a formula of place and time as a field, and what vector analysis makes of it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/formula_field.h"

#include "kg-expression.h"

#include <float.h>

/* Inputs of the program. */
enum { X, Y, Z, V, T = V + 3, NUMBERS, F = NUMBERS + FORMULA_FIELD_NUMBERS, N_FIXED = F };

#define MAX_RESULTS 12
#define MAX_INPUTS (N_FIXED + 3)
/* At a time: their doubles must fit into the stacks of threads. */
#define AT_ONCE KG_PROGRAM_BLOCK

/* What results of the program are added up to each component: sign, result. */
typedef struct {
  double sign[2];
  guint result[2]; /* the second only if its sign is not 0 */
} Sum;

typedef struct {
  KgProgram *program;
  guint width;
  guint n_terms; /* of a sum of results first, first + step ...; 0: see sums */
  guint first, step;
  Sum sums[3];
} Formula;

static void
formula_free (gpointer data)
{
  Formula *formula = (Formula *) data;

  g_clear_pointer (&formula->program, kg_program_unref);
  g_free (formula);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Formula, formula_free)

static bool
formula_equal (gconstpointer a, gconstpointer b)
{
  const Formula *f = (const Formula *) a, *g = (const Formula *) b;

  return f->width == g->width && f->n_terms == g->n_terms && f->first == g->first && f->step == g->step &&
         memcmp (f->sums, g->sums, sizeof f->sums) == 0 && kg_program_equal (f->program, g->program);
}

static float
to_float (double value)
{
  return fabs (value) <= FLT_MAX ? (float) value : 0.0f;
}

/* What the field makes of n results of the program. */
static void
write_values (const Formula *formula, double (*results)[AT_ONCE], size_t n, float *const *out, size_t start)
{
  if (formula->n_terms > 0) {
    for (size_t i = 0; i < n; i++) {
      double sum = 0;

      for (guint k = 0; k < formula->n_terms; k++)
        sum += results[formula->first + k * formula->step][i];
      out[0][start + i] = to_float (sum);
    }
    return;
  }
  for (guint c = 0; c < formula->width; c++) {
    const Sum *s = &formula->sums[c];

    for (size_t i = 0; i < n; i++)
      out[c][start + i] =
          to_float (s->sign[1] == 0 ? results[s->result[0]][i]
                                    : s->sign[0] * results[s->result[0]][i] + s->sign[1] * results[s->result[1]][i]);
  }
}

static void
sample_part (const KgField *field, const KgFieldBlock *block, size_t start, size_t n, const KgFieldArrays child,
             float *const *out)
{
  const Formula *formula = (const Formula *) kg_field_get_data (field);
  const double *numbers = kg_field_get_parameters (field);
  const float *const columns[] = { block->x, block->y, block->z, block->vx, block->vy, block->vz };
  double places[6][AT_ONCE], others[3][AT_ONCE], results[MAX_RESULTS][AT_ONCE];
  const double *inputs[MAX_INPUTS];
  double *to[MAX_RESULTS];

  for (guint c = 0; c < 6; c++)
    for (size_t i = 0; i < n; i++)
      places[c][i] = columns[c] != NULL ? (double) columns[c][start + i] : 0;
  for (guint c = 0; c < 3; c++) {
    inputs[X + c] = places[c];
    inputs[V + c] = places[3 + c];
    inputs[F + c] = others[c];
    for (size_t i = 0; child != NULL && i < n; i++)
      others[c][i] = (double) child[c][start + i];
  }
  inputs[T] = &block->time;
  for (guint k = 0; k < FORMULA_FIELD_NUMBERS; k++)
    inputs[NUMBERS + k] = &numbers[k];
  for (guint r = 0; r < MAX_RESULTS; r++)
    to[r] = results[r];
  kg_program_run (formula->program, inputs, n, to);
  write_values (formula, results, n, out, start);
}

static void
formula_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  KgFieldArrays child = NULL;

  if (kg_field_get_n_children (field) > 0) {
    const KgField *f = kg_field_get_child (field, 0);

    child = kg_field_take_arrays (block);
    for (guint c = kg_field_get_width (f); c < 3; c++)
      memset (child[c], 0, block->n * sizeof (float));
    kg_field_sample (f, block, (float *const[]){ child[0], child[1], child[2] });
  }
  for (size_t start = 0; start < block->n; start += AT_ONCE)
    sample_part (field, block, start, MIN (AT_ONCE, block->n - start), child, out);
  if (child != NULL)
    kg_field_release_arrays (block, child);
}

static double
formula_get_hold (const KgField *field)
{
  const Formula *formula = (const Formula *) kg_field_get_data (field);
  bool depends = kg_field_get_n_children (field) > 0 && kg_field_get_hold (kg_field_get_child (field, 0)) > 0;

  for (guint c = 0; c < 3; c++)
    depends = depends || !kg_program_ignores_input (formula->program, V + c);
  return depends ? INFINITY : 0;
}

static const KgFieldClass scalar_class = { .name = "formula",
                                           .width = 1,
                                           .sample = formula_sample,
                                           .free_data = formula_free,
                                           .equal_data = formula_equal,
                                           .get_hold = formula_get_hold };
static const KgFieldClass vector_class = { .name = "vector formula",
                                           .width = 3,
                                           .sample = formula_sample,
                                           .free_data = formula_free,
                                           .equal_data = formula_equal,
                                           .get_hold = formula_get_hold };

/* Adds the derivatives of n results first ... along an axis. */
static bool
add_derivatives (KgProgram **program, guint first, guint n, guint axis, GError **error)
{
  KgProgram *derived = kg_program_add_derivatives (*program, first, n, axis, error);

  if (derived == NULL)
    return false;
  kg_program_unref (*program);
  *program = derived;
  return true;
}

static bool
derive (Formula *formula, FormulaFieldResult result, GError **error)
{
  const guint n = kg_program_get_n_results (formula->program);

  for (guint axis = 0; axis < 3; axis++)
    if (!add_derivatives (&formula->program, 0, n, axis, error))
      return false;
  /* Derivative of component k along an axis: result n + n axis + k. */
  switch (result) {
  case FORMULA_FIELD_LAPLACIAN:
    for (guint axis = 0; axis < 3; axis++)
      if (!add_derivatives (&formula->program, 1 + axis, 1, axis, error))
        return false;
    formula->width = 1;
    formula->first = 4;
    formula->step = 1;
    formula->n_terms = 3;
    return true;
  case FORMULA_FIELD_GRADIENT:
    formula->width = 3;
    for (guint c = 0; c < 3; c++)
      formula->sums[c] = (Sum){ { 1, 0 }, { 1 + c, 0 } };
    return true;
  case FORMULA_FIELD_DIVERGENCE:
    formula->width = 1;
    formula->first = 3;
    formula->step = 4;
    formula->n_terms = 3;
    return true;
  case FORMULA_FIELD_CURL:
    formula->width = 3;
    for (guint c = 0; c < 3; c++) {
      const guint j = (c + 1) % 3, k = (c + 2) % 3;

      formula->sums[c] = (Sum){ { 1, -1 }, { 3 + 3 * j + k, 3 + 3 * k + j } };
    }
    return true;
  case FORMULA_FIELD_VALUE:
    break;
  }
  return true;
}

static bool
check (const Formula *formula, const KgField *f, FormulaFieldResult result, GError **error)
{
  const guint n = kg_program_get_n_results (formula->program);
  const bool scalar = result == FORMULA_FIELD_GRADIENT || result == FORMULA_FIELD_LAPLACIAN;

  if (n != 1 && n != 3) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH,
                  "the formula gives %u numbers: write one, or three for a vector field, such as [y, -x, 0]", n);
    return false;
  }
  if (result == FORMULA_FIELD_VALUE)
    return true;
  if (scalar && n == 3) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH,
                  "the formula gives a vector, which has no gradient or Laplacian: write one number");
    return false;
  }
  if (!scalar && n == 1) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH,
                  "the formula gives one number, which has no divergence or curl: write a vector, such as [y, -x, 0]");
    return false;
  }
  for (guint c = 0; f != NULL && c < kg_field_get_width (f); c++)
    if (!kg_program_ignores_input (formula->program, F + c)) {
      kg_set_error (error, KG_ERROR_TYPE_MISMATCH,
                    "the derivatives of the linked field f are not known: leave f out of the formula");
      return false;
    }
  return true;
}

KgField *
formula_field_new (const char *formula, const double numbers[FORMULA_FIELD_NUMBERS], const KgField *f,
                   FormulaFieldResult result, GError **error)
{
  const KgFormulaVariable variables[] = {
    { "x", 1, true },
    { "y", 1, true },
    { "z", 1, true },
    { "p", 3, true, .shares = 1 },
    { "v", 3, true },
    { "t", 1, false },
    { "a", 1, false },
    { "b", 1, false },
    { "c", 1, false },
    { "d", 1, false },
    { "f", f != NULL ? kg_field_get_width (f) : 1, true },
  };
  g_autoptr (Formula) made = g_new0 (Formula, 1);
  guint width;

  made->program = kg_formula_compile (formula, variables, G_N_ELEMENTS (variables) - (f == NULL ? 1 : 0), error);
  if (made->program == NULL || !check (made, f, result, error))
    return NULL;
  made->width = kg_program_get_n_results (made->program);
  for (guint c = 0; c < 3; c++)
    made->sums[c] = (Sum){ { 1, 0 }, { c, 0 } };
  if (result != FORMULA_FIELD_VALUE && !derive (made, result, error))
    return NULL;
  width = made->width;
  return kg_field_new_with_data (width == 1 ? &scalar_class : &vector_class, numbers, FORMULA_FIELD_NUMBERS, &f,
                                 f != NULL ? 1 : 0, g_steal_pointer (&made), error);
}

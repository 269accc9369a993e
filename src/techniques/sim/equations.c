/* equations: systems of ordinary differential equations, typed as formulas, and their integration.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/equations.h"

#include "kg-gsl.h"
#include "kg-math.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_odeiv2.h>

/* What is beyond has left all bounds that mean something. */
#define BOUND 1e100
/* Steps of a method that chooses them, in one call. */
#define MAX_STEPS 200000
#define NEWTON_STEPS 8
#define NEWTON_HALVINGS 6
#define N_FIXED (1 + EQUATIONS_NUMBERS) /* t and the numbers */

struct _Equations {
  guint n, n_second;
  char *names[EQUATIONS_MAX];
  KgProgram *rates[EQUATIONS_MAX];     /* NULL: it is the value of another variable */
  KgProgram *jacobians[EQUATIONS_MAX]; /* the rate, its derivative by each variable and by t */
  guint speeds[EQUATIONS_MAX];         /* the variable that is the rate; EQUATIONS_MAX: none is */
};

void
equations_free (Equations *equations)
{
  for (guint i = 0; i < EQUATIONS_MAX; i++) {
    g_free (equations->names[i]);
    g_clear_pointer (&equations->rates[i], kg_program_unref);
    g_clear_pointer (&equations->jacobians[i], kg_program_unref);
  }
  g_free (equations);
}

guint
equations_get_n (const Equations *equations)
{
  return equations->n;
}

guint
equations_get_n_second (const Equations *equations)
{
  return equations->n_second;
}

const char *
equations_get_name (const Equations *equations, guint index)
{
  return equations->names[index];
}

/* Reading. */

typedef struct {
  char *name;
  guint order; /* 0 in "x = 1" */
  char *formula;
  guint row;
} Row;

static void
row_clear (gpointer data)
{
  Row *row = (Row *) data;

  g_free (row->name);
  g_free (row->formula);
}

static bool
is_name (const char *name)
{
  static const char *const known[] = { "t", "a", "b", "c", "d", "e", "pi", "true", "false", "not", "and", "or", NULL };
  bool good = g_ascii_isalpha (*name) || *name == '_';

  for (const char *s = name; *s != '\0'; s++)
    good = good && (g_ascii_isalnum (*s) || *s == '_');
  return good && !g_strv_contains (known, name);
}

static bool
read_row (const char *text, guint number, GArray *rows, GError **error)
{
  const char *equals = strchr (text, '=');
  Row row = { .row = number };

  if (equals == NULL) {
    kg_set_error (error, KG_ERROR_EXPRESSION,
                  "row %u, \"%.40s\", has no \"=\": write x' = a formula, or x'' = a formula", number, text);
    return false;
  }
  row.name = g_strstrip (g_strndup (text, (gsize) (equals - text)));
  row.formula = g_strstrip (g_strdup (equals + 1));
  while (g_str_has_suffix (row.name, "'")) {
    row.name[strlen (row.name) - 1] = '\0';
    row.order++;
  }
  g_array_append_val (rows, row);
  if (!is_name (row.name)) {
    kg_set_error (
        error, KG_ERROR_EXPRESSION,
        "row %u: \"%s\" cannot be a variable: use a name of letters and digits, but none of t, a, b, c, d, e, pi",
        number, row.name);
    return false;
  }
  return true;
}

/* The end of a row: a separator outside all brackets, or the end of the text. */
static const char *
find_row_end (const char *text, const char *separators)
{
  guint depth = 0;

  for (; *text != '\0'; text++) {
    if (*text == '(' || *text == '[')
      depth++;
    else if ((*text == ')' || *text == ']') && depth > 0)
      depth--;
    else if (strchr (separators, *text) != NULL && (depth == 0 || *text != ','))
      break;
  }
  return text;
}

/* (transfer full) (nullable) */
static GArray *
read_rows (const char *text, const char *separators, GError **error)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));
  guint number = 0;

  g_array_set_clear_func (rows, row_clear);
  for (const char *end; *text != '\0'; text = *end != '\0' ? end + 1 : end) {
    g_autofree char *line = NULL;

    end = find_row_end (text, separators);
    line = g_strstrip (g_strndup (text, (gsize) (end - text)));
    if (line[0] != '\0' && !read_row (line, ++number, rows, error))
      return NULL;
  }
  return g_steal_pointer (&rows);
}

static guint
find_variable (const Equations *equations, const char *name)
{
  for (guint i = 0; i < equations->n; i++)
    if (g_str_equal (equations->names[i], name))
      return i;
  return EQUATIONS_MAX;
}

KgProgram *
equations_compile (const Equations *equations, const char *formula, GError **error)
{
  static const char *const fixed[N_FIXED] = { "t", "a", "b", "c", "d" };
  KgFormulaVariable variables[EQUATIONS_MAX + N_FIXED];

  for (guint i = 0; i < equations->n; i++)
    variables[i] = (KgFormulaVariable){ .name = equations->names[i], .width = 1 };
  for (guint i = 0; i < N_FIXED; i++)
    variables[equations->n + i] = (KgFormulaVariable){ .name = fixed[i], .width = 1 };
  return kg_formula_compile (formula, variables, equations->n + N_FIXED, error);
}

void
equations_call (const Equations *equations, const KgProgram *program, const double *numbers, double t,
                const double *values, double *results)
{
  double inputs[EQUATIONS_MAX + N_FIXED];

  memcpy (inputs, values, equations->n * sizeof *inputs);
  inputs[equations->n] = t;
  memcpy (inputs + equations->n + 1, numbers, EQUATIONS_NUMBERS * sizeof *inputs);
  kg_program_call (program, inputs, results);
}

static bool
compile_row (Equations *equations, const Row *row, guint variable, GError **error)
{
  g_autoptr (KgProgram) rate = equations_compile (equations, row->formula, error);

  if (rate == NULL) {
    kg_prefix_error (error, "row %u: ", row->row);
    return false;
  }
  if (kg_program_get_n_results (rate) != 1) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "row %u: %u results: write one number", row->row,
                  kg_program_get_n_results (rate));
    return false;
  }
  equations->speeds[variable] = find_variable (equations, row->formula);
  equations->jacobians[variable] = kg_program_ref (rate);
  for (guint i = 0; i <= equations->n; i++) {
    KgProgram *derived = kg_program_add_derivatives (equations->jacobians[variable], 0, 1, i, error);

    if (derived == NULL) {
      kg_prefix_error (error, "row %u: ", row->row);
      return false;
    }
    kg_program_unref (equations->jacobians[variable]);
    equations->jacobians[variable] = derived;
  }
  equations->rates[variable] = g_steal_pointer (&rate);
  return true;
}

static bool
name_variables (Equations *equations, const GArray *rows, GError **error)
{
  for (guint pass = 0; pass < 3; pass++)
    for (guint i = 0; i < rows->len; i++) {
      const Row *row = &g_array_index (rows, Row, i);
      const bool wanted = pass == 1 ? row->order == 1 : row->order == 2;

      if (row->order < 1 || row->order > 2) {
        kg_set_error (error, KG_ERROR_EXPRESSION, "row %u: the left side is derivative %u of %s: write one ' or two",
                      row->row, row->order, row->name);
        return false;
      }
      if (!wanted)
        continue;
      if (equations->n == EQUATIONS_MAX) {
        kg_set_error (error, KG_ERROR_LIMIT, "more than %d variables (rows with '' have two)", EQUATIONS_MAX);
        return false;
      }
      if (pass < 2 && find_variable (equations, row->name) < EQUATIONS_MAX) {
        kg_set_error (error, KG_ERROR_DUPLICATE, "row %u: %s already has an equation", row->row, row->name);
        return false;
      }
      equations->names[equations->n++] = pass == 2 ? g_strconcat (row->name, "'", NULL) : g_strdup (row->name);
      equations->n_second += pass == 0;
    }
  return true;
}

Equations *
equations_new (const char *rows, GError **error)
{
  g_autoptr (GArray) read = read_rows (rows, "\n\r;", error);
  g_autoptr (Equations) equations = g_new0 (Equations, 1);

  if (read == NULL || !name_variables (equations, read, error))
    return NULL;
  if (equations->n == 0) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "there are no equations: write x' = a formula, or x'' = a formula");
    return NULL;
  }
  for (guint i = 0; i < EQUATIONS_MAX; i++)
    equations->speeds[i] = EQUATIONS_MAX;
  for (guint i = 0; i < read->len; i++) {
    const Row *row = &g_array_index (read, Row, i);
    const guint variable = find_variable (equations, row->name);

    if (row->order == 1 ? !compile_row (equations, row, variable, error)
                        : !compile_row (equations, row, equations->n - equations->n_second + variable, error))
      return NULL;
  }
  for (guint i = 0; i < equations->n_second; i++)
    equations->speeds[i] = equations->n - equations->n_second + i;
  return g_steal_pointer (&equations);
}

static bool
read_value (const Equations *equations, const Row *row, const double *numbers, double *value, GError **error)
{
  static const KgFormulaVariable variables[] = {
    { "a", 1, false }, { "b", 1, false }, { "c", 1, false }, { "d", 1, false }
  };
  g_autoptr (KgProgram) program = kg_formula_compile (row->formula, variables, EQUATIONS_NUMBERS, error);

  (void) equations;
  if (program == NULL) {
    kg_prefix_error (error, "start, row %u: ", row->row);
    return false;
  }
  if (kg_program_get_n_results (program) == 1) {
    kg_program_call (program, numbers, value);
    if (isfinite (*value))
      return true;
  }
  kg_set_error (error, KG_ERROR_EXPRESSION, "start, row %u: \"%s\" is not one finite number", row->row, row->formula);
  return false;
}

bool
equations_read_start (const Equations *equations, const char *rows, const double *numbers, double *values,
                      const char **missing, GError **error)
{
  g_autoptr (GArray) read = read_rows (rows, "\n\r;,", error);
  bool known[EQUATIONS_MAX] = { false };

  if (read == NULL) {
    kg_prefix_error (error, "start: ");
    return false;
  }
  memset (values, 0, equations->n * sizeof *values);
  for (guint i = 0; i < read->len; i++) {
    const Row *row = &g_array_index (read, Row, i);
    g_autofree char *name = row->order == 1 ? g_strconcat (row->name, "'", NULL) : g_strdup (row->name);
    const guint variable = row->order < 2 ? find_variable (equations, name) : EQUATIONS_MAX;

    if (variable == EQUATIONS_MAX) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "start, row %u: no equation has the variable %s%s", row->row, name,
                    row->order >= 2 ? "''" : "");
      return false;
    }
    if (!read_value (equations, row, numbers, &values[variable], error))
      return false;
    known[variable] = true;
  }
  *missing = NULL;
  for (guint i = equations->n; i-- > 0;)
    if (!known[i])
      *missing = equations->names[i];
  return true;
}

void
equations_get_rates (const Equations *equations, const double *numbers, double t, const double *values, double *rates)
{
  for (guint i = 0; i < equations->n; i++)
    if (equations->rates[i] == NULL)
      rates[i] = values[equations->speeds[i]];
    else
      equations_call (equations, equations->rates[i], numbers, t, values, &rates[i]);
}

bool
equations_check (const Equations *equations, EquationsMethod method, GError **error)
{
  if (method != EQUATIONS_SYMPLECTIC && method != EQUATIONS_LEAPFROG)
    return true;
  for (guint i = 0; i < equations->n; i++)
    if (equations->speeds[i] < EQUATIONS_MAX && equations->speeds[i] != i)
      return true;
  kg_set_error (
      error, KG_ERROR_INVALID_VALUE,
      "this method needs pairs of positions and velocities, which no equation defines: write x'' = a formula, or choose another method");
  return false;
}

/* Integration. */

typedef struct {
  const Equations *equations;
  const double *numbers;
  int64_t *evaluations;
} Work;

static void
find_rates (const Work *work, double t, const double *y, double *rates)
{
  equations_get_rates (work->equations, work->numbers, t, y, rates);
  (*work->evaluations)++;
}

/* to = from + h * rates */
static void
add_scaled (guint n, const double *from, double h, const double *rates, double *to)
{
  for (guint i = 0; i < n; i++)
    to[i] = from[i] + h * rates[i];
}

/* A variable whose rate is the value of another one is a place. */
static bool
is_place (const Equations *equations, guint i)
{
  return equations->speeds[i] < EQUATIONS_MAX && equations->speeds[i] != i;
}

static void
kick (const Work *work, double t, double h, double *y)
{
  double rates[EQUATIONS_MAX];

  find_rates (work, t, y, rates);
  for (guint i = 0; i < work->equations->n; i++)
    if (!is_place (work->equations, i))
      y[i] += h * rates[i];
}

static void
drift (const Work *work, double h, double *y)
{
  double before[EQUATIONS_MAX];

  memcpy (before, y, sizeof before);
  for (guint i = 0; i < work->equations->n; i++)
    if (is_place (work->equations, i))
      y[i] += h * before[work->equations->speeds[i]];
}

static void
step_explicit (const Work *work, EquationsMethod method, double t, double h, double *y)
{
  const guint n = work->equations->n;
  double k1[EQUATIONS_MAX], k2[EQUATIONS_MAX], k3[EQUATIONS_MAX], k4[EQUATIONS_MAX], at[EQUATIONS_MAX];

  find_rates (work, t, y, k1);
  switch (method) {
  case EQUATIONS_MIDPOINT:
    add_scaled (n, y, h / 2, k1, at);
    find_rates (work, t + h / 2, at, k2);
    add_scaled (n, y, h, k2, y);
    break;
  case EQUATIONS_HEUN:
    add_scaled (n, y, h, k1, at);
    find_rates (work, t + h, at, k2);
    for (guint i = 0; i < n; i++)
      y[i] += h / 2 * (k1[i] + k2[i]);
    break;
  case EQUATIONS_RK4:
    add_scaled (n, y, h / 2, k1, at);
    find_rates (work, t + h / 2, at, k2);
    add_scaled (n, y, h / 2, k2, at);
    find_rates (work, t + h / 2, at, k3);
    add_scaled (n, y, h, k3, at);
    find_rates (work, t + h, at, k4);
    for (guint i = 0; i < n; i++)
      y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    break;
  default:
    add_scaled (n, y, h, k1, y);
    break;
  }
}

/* Rates, their derivatives by the variables (row by row) and by t. */
static void
find_jacobian (const Work *work, double t, const double *y, double *rates, double *jacobian, double *by_t)
{
  const Equations *e = work->equations;

  for (guint i = 0; i < e->n; i++) {
    double results[EQUATIONS_MAX + 2];

    if (e->jacobians[i] == NULL) {
      rates[i] = y[e->speeds[i]];
      for (guint k = 0; k < e->n; k++)
        jacobian[i * e->n + k] = k == e->speeds[i] ? 1 : 0;
      by_t[i] = 0;
      continue;
    }
    equations_call (e, e->jacobians[i], work->numbers, t, y, results);
    rates[i] = results[0];
    memcpy (jacobian + (size_t) i * e->n, results + 1, e->n * sizeof *jacobian);
    by_t[i] = results[1 + e->n];
  }
  (*work->evaluations)++;
}

/* x = y0 + h ((1 - share) f (t, y0) + share f (t + h, x), by Newton's method.  False: it does not converge. */
static bool
solve_implicit (const Work *work, double t, double h, double share, double *y)
{
  const guint n = work->equations->n;
  double before[EQUATIONS_MAX], rates[EQUATIONS_MAX], by_t[EQUATIONS_MAX], x[EQUATIONS_MAX], residual[EQUATIONS_MAX];
  double jacobian[EQUATIONS_MAX * EQUATIONS_MAX];
  size_t indices[EQUATIONS_MAX];
  gsl_permutation permutation = { n, indices };

  find_rates (work, t, y, before);
  add_scaled (n, y, h, before, x);
  for (guint step = 0; step < NEWTON_STEPS; step++) {
    gsl_matrix_view matrix = gsl_matrix_view_array (jacobian, n, n);
    gsl_vector_view right = gsl_vector_view_array (residual, n);
    double change = 0, size = 0;
    int sign;

    find_jacobian (work, t + h, x, rates, jacobian, by_t);
    for (guint i = 0; i < n; i++) {
      residual[i] = y[i] + h * ((1 - share) * before[i] + share * rates[i]) - x[i];
      for (guint k = 0; k < n; k++)
        jacobian[i * n + k] = (i == k ? 1 : 0) - h * share * jacobian[i * n + k];
    }
    gsl_linalg_LU_decomp (&matrix.matrix, &permutation, &sign);
    for (guint i = 0; i < n; i++)
      if (!(fabs (jacobian[i * n + i]) > 0))
        return false;
    gsl_linalg_LU_svx (&matrix.matrix, &permutation, &right.vector);
    for (guint i = 0; i < n; i++) {
      x[i] += residual[i];
      change = fmax (change, fabs (residual[i]));
      size = fmax (size, fabs (x[i]));
    }
    if (!isfinite (change))
      return false;
    /* The next step would double the number of right digits. */
    if (change <= 1e-9 * size) {
      memcpy (y, x, n * sizeof *y);
      return true;
    }
  }
  return false;
}

/* The step, or two of half its length, and so on. */
static bool
step_implicit (const Work *work, double t, double h, double share, double *y)
{
  double start[EQUATIONS_MAX];

  memcpy (start, y, sizeof start);
  for (guint halvings = 0; halvings <= NEWTON_HALVINGS; halvings++) {
    const guint parts = 1u << halvings;
    bool solved = true;

    memcpy (y, start, sizeof start);
    for (guint k = 0; k < parts && solved; k++)
      solved = solve_implicit (work, t + h * k / parts, h / parts, share, y);
    if (solved)
      return true;
  }
  return false;
}

/* Where nothing can be continued, though all values are finite. */
static bool
check_rates (const Equations *equations, const double *numbers, double t, const double *y, GError **error)
{
  double rates[EQUATIONS_MAX];

  equations_get_rates (equations, numbers, t, y, rates);
  for (guint i = 0; i < equations->n; i++)
    if (!(fabs (rates[i]) <= BOUND)) {
      kg_set_error (error, KG_ERROR_DIVERGED, "the rate of %s has no finite value at t = %g s: begin elsewhere",
                    equations->names[i], t);
      return false;
    }
  return true;
}

/* The variable to look at where no step succeeds: what changes fastest, for its size. */
static const char *
get_fastest (const Equations *equations, const double *numbers, double t, const double *y)
{
  double rates[EQUATIONS_MAX], most = -1;
  guint found = 0;

  equations_get_rates (equations, numbers, t, y, rates);
  for (guint i = 0; i < equations->n; i++) {
    const double speed = fabs (rates[i]) / fmax (fabs (y[i]), 1);

    if (speed > most || isnan (speed)) {
      most = isnan (speed) ? INFINITY : speed;
      found = i;
    }
  }
  return equations->names[found];
}

static bool
check_bounds (const Equations *equations, const double *y, double t, GError **error)
{
  for (guint i = 0; i < equations->n; i++)
    if (!(fabs (y[i]) <= BOUND)) {
      kg_set_error (error, KG_ERROR_DIVERGED,
                    "%s grew beyond all bounds at t = %g s: take smaller steps, or another method or start",
                    equations->names[i], t);
      return false;
    }
  return true;
}

static bool
integrate_fixed (const Work *work, EquationsMethod method, double t, double seconds, guint n, double *y,
                 const KgProgressMonitor *monitor, GError **error)
{
  const double h = seconds / n;

  for (guint k = 0; k < n; k++) {
    const double now = t + k * h;
    double before[EQUATIONS_MAX];
    bool solved = true;

    memcpy (before, y, work->equations->n * sizeof *before);
    if (k % 64 == 0 && !kg_progress_check (monitor, error))
      return false;
    switch (method) {
    case EQUATIONS_SYMPLECTIC:
      kick (work, now, h, y);
      drift (work, h, y);
      break;
    case EQUATIONS_LEAPFROG:
      kick (work, now, h / 2, y);
      drift (work, h, y);
      kick (work, now + h, h / 2, y);
      break;
    case EQUATIONS_IMPLICIT:
      solved = step_implicit (work, now, h, 1, y);
      break;
    case EQUATIONS_TRAPEZOID:
      solved = step_implicit (work, now, h, 0.5, y);
      break;
    default:
      step_explicit (work, method, now, h, y);
      break;
    }
    if (!solved) {
      kg_set_error (
          error, KG_ERROR_DIVERGED,
          "the implicit step at t = %g s has no solution that Newton's method finds (%s changes fastest): take "
          "smaller steps",
          now, get_fastest (work->equations, work->numbers, now + h, y));
      return false;
    }
    /* What is no number comes of a rate that is none. */
    for (guint i = 0; i < work->equations->n; i++)
      if (isnan (y[i]) && !check_rates (work->equations, work->numbers, now, before, error))
        return false;
    if (!check_bounds (work->equations, y, now + h, error))
      return false;
  }
  return true;
}

static int
call_rates (double t, const double y[], double rates[], void *data)
{
  const Work *work = (const Work *) data;

  find_rates (work, t, y, rates);
  for (guint i = 0; i < work->equations->n; i++)
    if (!isfinite (rates[i]))
      return GSL_EBADFUNC;
  return GSL_SUCCESS;
}

static int
call_jacobian (double t, const double y[], double *jacobian, double by_t[], void *data)
{
  const Work *work = (const Work *) data;
  double rates[EQUATIONS_MAX];

  find_jacobian (work, t, y, rates, jacobian, by_t);
  return GSL_SUCCESS;
}

static bool
fail_chosen (const Work *work, double t, const double *y, bool many, GError **error)
{
  if (!check_bounds (work->equations, y, t, error) || !check_rates (work->equations, work->numbers, t, y, error))
    return false;
  if (many)
    kg_set_error (error, KG_ERROR_DIVERGED,
                  "more than %d steps were needed up to t = %g s: raise the tolerance, or choose a method for stiff "
                  "equations",
                  MAX_STEPS, t);
  else
    kg_set_error (
        error, KG_ERROR_DIVERGED,
        "no step is small enough for the tolerance at t = %g s, where %s grows beyond all bounds or jumps: raise "
        "the tolerance",
        t, get_fastest (work->equations, work->numbers, t, y));
  return false;
}

/* Whether two halves lead to the same place as the whole step: a rate that jumps within it deceives the method's own estimate.
 * Where the step is hardly longer than nothing, the jump is in it, and it may be taken. */
static bool
confirm_step (gsl_odeiv2_step *stepper, const gsl_odeiv2_system *system, double t, double h, double tolerance,
              double shortest, const double *from, const double *to)
{
  double y[EQUATIONS_MAX], errors[EQUATIONS_MAX];
  bool same = true;

  if (h <= shortest)
    return true;
  memcpy (y, from, system->dimension * sizeof *y);
  gsl_odeiv2_step_reset (stepper);
  for (guint half = 0; half < 2; half++)
    if (gsl_odeiv2_step_apply (stepper, t + half * h / 2, h / 2, y, errors, NULL, NULL, system) != GSL_SUCCESS)
      return false;
  for (size_t i = 0; i < system->dimension; i++)
    same = same && fabs (y[i] - to[i]) <= 10 * tolerance * fmax (1, fabs (to[i]));
  return same;
}

static bool
integrate_chosen (const Work *work, EquationsMethod method, double t, double seconds, double tolerance, double *step,
                  double *y, const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = work->equations->n;
  const gsl_odeiv2_step_type *type = method == EQUATIONS_RKF45   ? gsl_odeiv2_step_rkf45
                                     : method == EQUATIONS_RK8PD ? gsl_odeiv2_step_rk8pd
                                                                 : gsl_odeiv2_step_bsimp;
  gsl_odeiv2_system system = { call_rates, call_jacobian, n, (void *) work };
  gsl_odeiv2_step *stepper = gsl_odeiv2_step_alloc (type, n);
  gsl_odeiv2_control *control = gsl_odeiv2_control_y_new (tolerance, tolerance);
  gsl_odeiv2_evolve *evolve = gsl_odeiv2_evolve_alloc (n);
  const double end = t + seconds;
  double h = *step > 0 ? *step : seconds / 16;
  int status = GSL_SUCCESS;
  guint steps = 0;
  bool cancelled = false;

  while (t < end && status == GSL_SUCCESS && steps < MAX_STEPS && !cancelled) {
    const double before = t;
    double from[EQUATIONS_MAX];

    memcpy (from, y, n * sizeof *from);
    status = gsl_odeiv2_evolve_apply (evolve, control, stepper, &system, &t, end, &h, y);
    if (status == GSL_SUCCESS && t - before <= 0)
      status = GSL_FAILURE;
    if (status == GSL_SUCCESS && method == EQUATIONS_BSIMP &&
        !confirm_step (stepper, &system, before, t - before, tolerance, 1e-10 * seconds, from, y)) {
      h = (t - before) / 4;
      t = before;
      memcpy (y, from, n * sizeof *from);
      gsl_odeiv2_evolve_reset (evolve);
    }
    for (size_t i = 0; i < n && status == GSL_SUCCESS; i++)
      status = fabs (y[i]) <= BOUND ? GSL_SUCCESS : GSL_EBADFUNC;
    cancelled = steps++ % 64 == 0 && kg_progress_is_cancelled (monitor);
  }
  gsl_odeiv2_evolve_free (evolve);
  gsl_odeiv2_control_free (control);
  gsl_odeiv2_step_free (stepper);
  *step = h;
  if (cancelled) {
    kg_set_error (error, KG_ERROR_CANCELLED, "cancelled");
    return false;
  }
  return (status == GSL_SUCCESS && t >= end) || fail_chosen (work, t, y, steps >= MAX_STEPS, error);
}

bool
equations_integrate (const Equations *equations, EquationsMethod method, const double *numbers, double t,
                     double seconds, guint n, double tolerance, double *step, double *values, int64_t *evaluations,
                     const KgProgressMonitor *monitor, GError **error)
{
  const Work work = { equations, numbers, evaluations };
  double y[EQUATIONS_MAX] = { 0 };
  bool done;

  /* It may find a singular matrix. */
  kg_gsl_make_quiet ();
  if (!(seconds > 0))
    return true;
  memcpy (y, values, equations->n * sizeof *y);
  done = method >= EQUATIONS_RKF45 ? integrate_chosen (&work, method, t, seconds, tolerance, step, y, monitor, error)
                                   : integrate_fixed (&work, method, t, seconds, n, y, monitor, error);
  memcpy (values, y, equations->n * sizeof *y);
  return done;
}

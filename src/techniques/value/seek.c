/* seek: where a formula is zero, smallest or largest, and which numbers in it fit measured rows best.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/seek.h"

#include "kg-error.h"
#include "kg-math.h"
#include "kg-random.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_roots.h>

/* Stands for a result that is not finite: worse than any other, and its square is finite. */
#define WORST 1e140
/* A formula that falls below its negative falls forever. */
#define BOTTOM 1e100
/* Answers nearer than this, relative where they are beyond 1, are the same. */
#define SAME 1e-6

typedef struct {
  const Seek *seek;
  const KgProgressMonitor *monitor;
  KgProgram *slopes; /* the results, and then their derivatives by each unknown */
  guint n_results;
  double inputs[SEEK_MAX_INPUTS];
  double sign;    /* -1: the maximum of the formula is the minimum of what is returned */
  size_t n_rests; /* what Levenberg and Marquardt make small */
  double *rests;  /* for each result or row, and then for each unknown */
  guint64 evaluations;
  GArray *path;
} Work;

static void
work_clear (Work *work)
{
  g_clear_pointer (&work->slopes, kg_program_unref);
  g_clear_pointer (&work->rests, g_free);
  g_clear_pointer (&work->path, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

void
seek_result_clear (SeekResult *result)
{
  g_clear_pointer (&result->answers, g_array_unref);
  g_clear_pointer (&result->path, g_array_unref);
}

/* A step of the path; where the formula has no value, it has none. */
static void
work_record (Work *work, const double *x, double value)
{
  SeekAnswer step = { .value = value, .steps = work->path->len };

  if (!isfinite (value))
    return;
  memcpy (step.x, x, work->seek->n * sizeof *x);
  g_array_append_val (work->path, step);
}

/* One result and its slopes; NAN where it is not finite. */
static double
work_call (Work *work, const double *x, double *slopes)
{
  double results[1 + SEEK_MAX];

  for (guint i = 0; i < work->seek->n; i++)
    work->inputs[work->seek->unknowns[i]] = x[i];
  work->evaluations++;
  if (slopes == NULL) {
    kg_program_call (work->seek->formula, work->inputs, results);
  } else {
    kg_program_call (work->slopes, work->inputs, results);
    for (guint i = 0; i < work->seek->n; i++)
      slopes[i] = work->sign * results[1 + i];
  }
  return isfinite (results[0]) ? work->sign * results[0] : NAN;
}

static bool
is_near (double a, double b, double tolerance)
{
  return fabs (a - b) <= tolerance * fmax (1, fmax (fabs (a), fabs (b)));
}

static bool
is_same (const Seek *seek, const SeekAnswer *a, const SeekAnswer *b)
{
  bool same = true;

  for (guint i = 0; i < seek->n; i++)
    same = same && is_near (a->x[i], b->x[i], fmax (SAME, 10 * seek->tolerance));
  return same;
}

/* What the better answer has less of. */
static double
get_rank (const Seek *seek, const SeekAnswer *answer)
{
  double sum = 0;

  if (seek->task != SEEK_ROOT)
    return seek->task == SEEK_MAXIMUM ? -answer->value : answer->value;
  if (!answer->found)
    return fabs (answer->value);
  for (guint i = 0; i < seek->n; i++)
    sum += (answer->x[i] - seek->start[i]) * (answer->x[i] - seek->start[i]);
  return sum;
}

static bool
is_better (const Seek *seek, const SeekAnswer *a, const SeekAnswer *b)
{
  return a->found != b->found ? a->found : get_rank (seek, a) < get_rank (seek, b);
}

/* Into its place; the path belongs to the first one. */
static void
result_add (Work *work, SeekResult *result, SeekAnswer answer)
{
  const Seek *seek = work->seek;
  guint place = 0;

  answer.value *= work->sign;
  for (guint i = 0; i < result->answers->len; i++) {
    const SeekAnswer *other = &g_array_index (result->answers, SeekAnswer, i);

    if (answer.found != other->found || !is_same (seek, &answer, other))
      continue;
    if (!is_better (seek, &answer, other))
      return;
    g_array_remove_index (result->answers, i--);
  }
  while (place < result->answers->len &&
         !is_better (seek, &answer, &g_array_index (result->answers, SeekAnswer, place)))
    place++;
  if (place == 0) {
    g_array_set_size (result->path, 0);
    for (guint i = 0; i < work->path->len; i++) {
      SeekAnswer step = g_array_index (work->path, SeekAnswer, i);

      step.value *= work->sign;
      g_array_append_val (result->path, step);
    }
  }
  g_array_insert_val (result->answers, place, answer);
}

/* Roots of one unknown. */

/* A zero, not a jump or a pole: Newton's next step would be short. */
static bool
is_root (Work *work, double x, double value, double scale)
{
  double slope;

  if (value == 0)
    return true;
  work_call (work, &x, &slope);
  return fabs (value) <= scale && slope != 0 && fabs (value / slope) <= 10 * work->seek->tolerance * fmax (1, fabs (x));
}

/* Newton's steps where they stay in the bracket and halve the value, else the middle of the bracket. */
static SeekAnswer
find_root_safely (Work *work, double low, double f_low, double high, double f_high)
{
  const Seek *seek = work->seek;
  const bool newton = seek->method != SEEK_BISECTION;
  double x = newton && seek->start[0] > low && seek->start[0] < high ? seek->start[0] : (low + high) / 2, slope;
  double value = work_call (work, &x, &slope), change = high - low;
  SeekAnswer answer = { .steps = 0 };

  work_record (work, &x, value);
  while (answer.steps < seek->iterations && value != 0 && fabs (change) > seek->tolerance * fmax (1, fabs (x))) {
    const double before = x, old = value;
    double next = x - value / slope;

    if (isfinite (value) && (value < 0) == (f_low < 0))
      low = x;
    else
      high = x;
    if (!newton || !isfinite (next) || !(next > low && next < high))
      next = (low + high) / 2;
    value = work_call (work, &next, &slope);
    if (newton && !(fabs (value) <= 0.5 * fabs (old)) && !(next == (low + high) / 2)) {
      /* It did not help: the bracket is halved as well. */
      if (isfinite (value) && (value < 0) == (f_low < 0))
        low = next;
      else
        high = next;
      next = (low + high) / 2;
      value = work_call (work, &next, &slope);
    }
    x = next;
    change = newton ? x - before : high - low;
    answer.steps++;
    work_record (work, &x, value);
  }
  if (!isfinite (value)) {
    /* The last step met a pole: the lower end of the bracket never does. */
    x = low;
    value = work_call (work, &x, NULL);
  }
  answer.x[0] = x;
  answer.value = value;
  answer.found = is_root (work, x, value, fmax (fabs (f_low), fabs (f_high)));
  return answer;
}

static double
call_gsl (double x, void *data)
{
  return work_call ((Work *) data, &x, NULL);
}

static SeekAnswer
find_root_by_brent (Work *work, double low, double f_low, double high, double f_high)
{
  const Seek *seek = work->seek;
  gsl_root_fsolver *solver = gsl_root_fsolver_alloc (gsl_root_fsolver_brent);
  gsl_function function = { call_gsl, work };
  SeekAnswer answer = { .found = false };
  int status = gsl_root_fsolver_set (solver, &function, low, high);

  while (status == GSL_SUCCESS && answer.steps < seek->iterations) {
    status = gsl_root_fsolver_iterate (solver);
    answer.steps++;
    answer.x[0] = gsl_root_fsolver_root (solver);
    answer.value = work_call (work, answer.x, NULL);
    work_record (work, answer.x, answer.value);
    if (gsl_root_fsolver_x_upper (solver) - gsl_root_fsolver_x_lower (solver) <=
            seek->tolerance * fmax (1, fabs (answer.x[0])) ||
        answer.value == 0)
      break;
  }
  gsl_root_fsolver_free (solver);
  /* Brent's method gives up where the formula has no value. */
  if (status != GSL_SUCCESS || !isfinite (answer.value))
    return find_root_safely (work, low, f_low, high, f_high);
  answer.found = is_root (work, answer.x[0], answer.value, fmax (fabs (f_low), fabs (f_high)));
  return answer;
}

static double
get_place (const Seek *seek, guint i)
{
  return kg_lerp (seek->low, seek->high, (double) i / seek->starts);
}

static void
add_root_between (Work *work, double a, double f_a, double b, double f_b, SeekResult *result)
{
  g_array_set_size (work->path, 0);
  if (work->seek->method == SEEK_BRENT)
    result_add (work, result, find_root_by_brent (work, a, f_a, b, f_b));
  else
    result_add (work, result, find_root_safely (work, a, f_a, b, f_b));
}

static bool
find_roots_in_range (Work *work, SeekResult *result, GError **error)
{
  const Seek *seek = work->seek;
  double a = seek->low, f_a = work_call (work, &a, NULL), first = f_a, last = f_a;

  for (guint i = 1; i <= seek->starts; i++) {
    const double b = get_place (seek, i), f_b = work_call (work, &b, NULL);

    if (kg_progress_is_cancelled (work->monitor))
      return false;
    if (f_a == 0) {
      g_array_set_size (work->path, 0);
      work_record (work, &a, 0);
      result_add (work, result, (SeekAnswer){ .x = { a }, .found = true });
    } else if (isfinite (f_a) && isfinite (f_b) && f_b != 0 && (f_a < 0) != (f_b < 0))
      add_root_between (work, a, f_a, b, f_b, result);
    a = b;
    f_a = last = f_b;
  }
  if (f_a == 0) {
    g_array_set_size (work->path, 0);
    work_record (work, &a, 0);
    result_add (work, result, (SeekAnswer){ .x = { a }, .found = true });
  }
  if (result->answers->len > 0)
    return true;
  if (isfinite (first) && isfinite (last))
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "the formula is %g at %g and %g at %g, and changes its sign nowhere between: move the range, divide it "
        "into more parts, or seek a minimum",
        first, seek->low, last, seek->high);
  else
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the formula has no finite value at %g, and does not change sign anywhere: move the range",
                  isfinite (first) ? seek->high : seek->low);
  return false;
}

/* Minima of one unknown. */

/* Brent's method: parabolas through three points where they help, else golden sections. */
static SeekAnswer
find_lowest_between (Work *work, double a, double b)
{
  const double golden = (3 - sqrt (5)) / 2;
  const Seek *seek = work->seek;
  double x = a + golden * (b - a), w = x, v = x, d = 0, e = 0;
  double fx = work_call (work, &x, NULL), fw, fv;
  SeekAnswer answer = { .found = false };

  fx = isnan (fx) ? WORST : fx;
  fw = fv = fx;
  work_record (work, &x, fx);
  while (answer.steps < seek->iterations) {
    const double middle = (a + b) / 2;
    /* Below the root of the rounding error all values are the same. */
    const double tolerance = fmax (seek->tolerance, 1e-9) * fmax (1, fabs (x)) / 2;
    double u, fu, p = 0, q = 0, r = 0;

    if (fabs (x - middle) <= 2 * tolerance - (b - a) / 2) {
      answer.found = true;
      break;
    }
    if (fabs (e) > tolerance) {
      r = (x - w) * (fx - fv);
      q = (x - v) * (fx - fw);
      p = (x - v) * q - (x - w) * r;
      q = 2 * (q - r);
      p = q > 0 ? -p : p;
      q = fabs (q);
      r = e;
      e = d;
    }
    if (fabs (p) < fabs (q * r / 2) && p > q * (a - x) && p < q * (b - x)) {
      d = p / q;
      u = x + d;
      if (u - a < 2 * tolerance || b - u < 2 * tolerance)
        d = x < middle ? tolerance : -tolerance;
    } else {
      e = x < middle ? b - x : a - x;
      d = golden * e;
    }
    u = x + (fabs (d) >= tolerance ? d : d > 0 ? tolerance : -tolerance);
    fu = work_call (work, &u, NULL);
    fu = isnan (fu) ? WORST : fu;
    if (fu <= fx) {
      *(u < x ? &b : &a) = x;
      v = w;
      fv = fw;
      w = x;
      fw = fx;
      x = u;
      fx = fu;
    } else {
      *(u < x ? &a : &b) = u;
      if (fu <= fw || w == x) {
        v = w;
        fv = fw;
        w = u;
        fw = fu;
      } else if (fu <= fv || v == x || v == w) {
        v = u;
        fv = fu;
      }
    }
    answer.steps++;
    work_record (work, &x, fx);
  }
  answer.x[0] = x;
  answer.value = fx;
  answer.found = answer.found && fx < WORST;
  return answer;
}

/* The ends of the range count, too. */
static void
add_end (Work *work, double x, SeekResult *result)
{
  const double value = work_call (work, &x, NULL);

  if (isnan (value))
    return;
  g_array_set_size (work->path, 0);
  work_record (work, &x, value);
  result_add (work, result, (SeekAnswer){ .x = { x }, .value = value, .found = true });
}

static bool
find_lowest_in_range (Work *work, SeekResult *result, GError **error)
{
  const Seek *seek = work->seek;
  const guint n = MAX (seek->starts, 2);
  g_autofree double *values = g_new (double, n + 1);
  double slope, end;

  for (guint i = 0; i <= n; i++) {
    const double x = kg_lerp (seek->low, seek->high, (double) i / n);

    values[i] = work_call (work, &x, NULL);
    if (isnan (values[i]))
      values[i] = WORST;
  }
  for (guint i = 0; i <= n; i++) {
    const guint before = i > 0 ? i - 1 : i, behind = i < n ? i + 1 : i;

    if (kg_progress_is_cancelled (work->monitor))
      return false;
    if (values[i] > values[before] || values[i] > values[behind] || values[i] >= WORST)
      continue;
    g_array_set_size (work->path, 0);
    result_add (work, result,
                find_lowest_between (work, kg_lerp (seek->low, seek->high, (double) before / n),
                                     kg_lerp (seek->low, seek->high, (double) behind / n)));
  }
  end = seek->low;
  work_call (work, &end, &slope);
  if (slope >= 0)
    add_end (work, seek->low, result);
  end = seek->high;
  work_call (work, &end, &slope);
  if (slope <= 0)
    add_end (work, seek->high, result);
  if (result->answers->len > 0)
    return true;
  kg_set_error (error, KG_ERROR_DEGENERATE, "the formula has no finite value from %g to %g: move the range", seek->low,
                seek->high);
  return false;
}

/* Minima of several unknowns. */

static double
call_low (const gsl_vector *x, void *data)
{
  const double value = work_call ((Work *) data, x->data, NULL);

  return isnan (value) ? WORST : value;
}

static void
call_low_and_slopes (const gsl_vector *x, void *data, double *value, gsl_vector *slopes)
{
  double numbers[SEEK_MAX];

  *value = work_call ((Work *) data, x->data, numbers);
  *value = isnan (*value) ? WORST : *value;
  for (size_t i = 0; i < slopes->size; i++)
    gsl_vector_set (slopes, i, isfinite (numbers[i]) ? numbers[i] : 0);
}

static void
call_slopes (const gsl_vector *x, void *data, gsl_vector *slopes)
{
  double value;

  call_low_and_slopes (x, data, &value, slopes);
}

static SeekAnswer
descend_by_slopes (Work *work, const double *start)
{
  const Seek *seek = work->seek;
  gsl_multimin_function_fdf function = {
    .f = call_low, .df = call_slopes, .fdf = call_low_and_slopes, .n = seek->n, .params = work
  };
  gsl_multimin_fdfminimizer *solver = gsl_multimin_fdfminimizer_alloc (gsl_multimin_fdfminimizer_vector_bfgs2, seek->n);
  gsl_vector_const_view from = gsl_vector_const_view_array (start, seek->n);
  SeekAnswer answer = { .found = false };
  double steepness = INFINITY;

  gsl_multimin_fdfminimizer_set (solver, &function, &from.vector, 0.1, 0.1);
  while (answer.steps < seek->iterations && !kg_progress_is_cancelled (work->monitor)) {
    const int status = gsl_multimin_fdfminimizer_iterate (solver);

    answer.steps++;
    work_record (work, solver->x->data, solver->f);
    steepness = gsl_blas_dnrm2 (solver->gradient);
    /* Without progress the directions of the search begin anew; a second time it is as low as it can be. */
    if (status != GSL_SUCCESS || solver->f < -BOTTOM || steepness <= 1e-3 * seek->tolerance)
      break;
  }
  memcpy (answer.x, solver->x->data, seek->n * sizeof (double));
  answer.value = solver->f;
  answer.found = fabs (solver->f) < BOTTOM && steepness <= 1e-6 * fmax (1, fabs (solver->f));
  gsl_multimin_fdfminimizer_free (solver);
  return answer;
}

static SeekAnswer
descend_by_simplex (Work *work, const double *start)
{
  const Seek *seek = work->seek;
  gsl_multimin_function function = { call_low, seek->n, work };
  gsl_multimin_fminimizer *solver = gsl_multimin_fminimizer_alloc (gsl_multimin_fminimizer_nmsimplex2, seek->n);
  gsl_vector_const_view from = gsl_vector_const_view_array (start, seek->n);
  double sizes[SEEK_MAX];
  gsl_vector_view steps = gsl_vector_view_array (sizes, seek->n);
  SeekAnswer answer = { .found = false };

  for (guint i = 0; i < seek->n; i++)
    sizes[i] = 0.1 * fmax (1, fabs (start[i]));
  gsl_multimin_fminimizer_set (solver, &function, &from.vector, &steps.vector);
  while (answer.steps < seek->iterations && !answer.found && !kg_progress_is_cancelled (work->monitor)) {
    if (gsl_multimin_fminimizer_iterate (solver) != GSL_SUCCESS)
      break;
    answer.steps++;
    work_record (work, solver->x->data, solver->fval);
    if (solver->fval < -BOTTOM)
      break;
    answer.found = gsl_multimin_fminimizer_size (solver) <=
                   fmax (seek->tolerance, 1e-9) * fmax (1, gsl_blas_dnrm2 (solver->x));
  }
  memcpy (answer.x, solver->x->data, seek->n * sizeof (double));
  answer.value = solver->fval;
  answer.found = answer.found && fabs (solver->fval) < BOTTOM;
  gsl_multimin_fminimizer_free (solver);
  return answer;
}

/* Roots and fits of any number of unknowns. */

/* The rests, and their slopes if there are places for them. */
static void
work_rest (Work *work, const double *x, bool with_slopes)
{
  const Seek *seek = work->seek;
  const KgProgram *program = with_slopes ? work->slopes : seek->formula;
  const guint n_inputs = kg_program_get_n_inputs (program);
  const double *columns[SEEK_MAX_INPUTS];
  double *results[SEEK_MAX + 1];

  for (guint i = 0; i < seek->n; i++)
    work->inputs[seek->unknowns[i]] = x[i];
  work->evaluations++;
  if (seek->task == SEEK_ROOT) {
    kg_program_call (program, work->inputs, work->rests);
    return;
  }
  for (guint i = 0; i < n_inputs; i++)
    columns[i] = seek->columns[i] != NULL ? seek->columns[i] : work->inputs + i;
  for (guint i = 0; i <= (with_slopes ? seek->n : 0); i++)
    results[i] = work->rests + i * seek->n_rows;
  kg_program_run (program, columns, seek->n_rows, results);
  for (size_t row = 0; row < seek->n_rows; row++) {
    const double factor = seek->weights != NULL ? sqrt (seek->weights[row]) : 1;

    results[0][row] = factor * (results[0][row] - (seek->measured != NULL ? seek->measured[row] : 0));
    for (guint i = 0; i < (with_slopes ? seek->n : 0); i++)
      results[1 + i][row] *= factor;
  }
}

static int
call_rests (const gsl_vector *x, void *data, gsl_vector *rests)
{
  Work *work = (Work *) data;

  work_rest (work, x->data, false);
  for (size_t i = 0; i < work->n_rests; i++)
    gsl_vector_set (rests, i, isfinite (work->rests[i]) ? work->rests[i] : WORST);
  return kg_progress_is_cancelled (work->monitor) ? GSL_EFAILED : GSL_SUCCESS;
}

static int
call_rest_slopes (const gsl_vector *x, void *data, gsl_matrix *slopes)
{
  Work *work = (Work *) data;

  work_rest (work, x->data, true);
  for (guint k = 0; k < work->seek->n; k++)
    for (size_t i = 0; i < work->n_rests; i++) {
      const double slope = work->rests[(k + 1) * work->n_rests + i];

      gsl_matrix_set (slopes, i, k, isfinite (slope) ? slope : 0);
    }
  return kg_progress_is_cancelled (work->monitor) ? GSL_EFAILED : GSL_SUCCESS;
}

static void
record_step (const size_t iteration, void *data, const gsl_multifit_nlinear_workspace *solver)
{
  const gsl_vector *x = gsl_multifit_nlinear_position (solver), *rests = gsl_multifit_nlinear_residual (solver);
  const double length = gsl_blas_dnrm2 (rests);
  Work *work = (Work *) data;

  (void) iteration;
  work_record (work, x->data, work->seek->task == SEEK_FIT ? length * length : length);
}

/* Standard errors: of rests that scatter as much as these do. */
static void
get_spread (const Work *work, const gsl_multifit_nlinear_workspace *solver, double sum, double *spread)
{
  const guint n = work->seek->n;
  gsl_matrix *covariance = gsl_matrix_alloc (n, n);
  const size_t freedom = work->n_rests - n;

  gsl_multifit_nlinear_covar (gsl_multifit_nlinear_jac (solver), 0, covariance);
  for (guint i = 0; i < n; i++) {
    const double variance = freedom > 0 ? sum / (double) freedom * gsl_matrix_get (covariance, i, i) : NAN;

    spread[i] = variance >= 0 && isfinite (variance) ? sqrt (variance) : NAN;
  }
  gsl_matrix_free (covariance);
}

static SeekAnswer
fit_from (Work *work, const double *start, double *spread)
{
  const Seek *seek = work->seek;
  const gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters ();
  gsl_multifit_nlinear_workspace *solver =
      gsl_multifit_nlinear_alloc (gsl_multifit_nlinear_trust, &parameters, work->n_rests, seek->n);
  gsl_multifit_nlinear_fdf function = {
    .f = call_rests, .df = call_rest_slopes, .n = work->n_rests, .p = seek->n, .params = work
  };
  gsl_vector_const_view from = gsl_vector_const_view_array (start, seek->n);
  SeekAnswer answer = { .found = false };
  double length;
  int why = 0, status;

  gsl_multifit_nlinear_init (&from.vector, &function, solver);
  record_step (0, work, solver);
  status = gsl_multifit_nlinear_driver (seek->iterations, seek->tolerance, 1e-15, 0, record_step, work, &why, solver);
  length = gsl_blas_dnrm2 (gsl_multifit_nlinear_residual (solver));
  memcpy (answer.x, gsl_multifit_nlinear_position (solver)->data, seek->n * sizeof (double));
  answer.steps = (guint) gsl_multifit_nlinear_niter (solver);
  answer.value = seek->task == SEEK_FIT ? length * length : length;
  /* No further progress is as good an end as a short step where the rests are as small as rounding lets them be. */
  answer.found = length < WORST && (status == GSL_SUCCESS || status == GSL_ENOPROG || why > 0);
  if (seek->task == SEEK_ROOT) {
    const double first = g_array_index (work->path, SeekAnswer, 0).value;

    answer.found = answer.found && length <= sqrt (seek->tolerance) * fmax (1, fmin (first, 1e6));
  } else if (spread != NULL)
    get_spread (work, solver, answer.value, spread);
  gsl_multifit_nlinear_free (solver);
  return answer;
}

static bool
is_finite_at (Work *work, const double *x)
{
  double value;

  if (work->n_rests == 0)
    value = work_call (work, x, NULL);
  else {
    work_rest (work, x, false);
    value = 0;
    for (size_t i = 0; i < work->n_rests && isfinite (value); i++)
      value += fabs (work->rests[i]);
  }
  return isfinite (value);
}

static bool
solve_from_starts (Work *work, SeekResult *result, GError **error)
{
  const Seek *seek = work->seek;
  guint n_bad = 0;

  for (guint i = 0; i < seek->starts; i++) {
    double start[SEEK_MAX], spread[SEEK_MAX] = { NAN, NAN, NAN, NAN };
    guint before = result->answers->len;
    SeekAnswer answer, best;

    for (guint k = 0; k < seek->n; k++)
      start[k] = i == 0 ? seek->start[k] : kg_lerp (seek->low, seek->high, kg_random_uniform (0, i, k));
    if (!is_finite_at (work, start)) {
      n_bad++;
      continue;
    }
    g_array_set_size (work->path, 0);
    if (work->n_rests > 0)
      answer = fit_from (work, start, spread);
    else if (seek->method == SEEK_NELDER_MEAD)
      answer = descend_by_simplex (work, start);
    else
      answer = descend_by_slopes (work, start);
    if (kg_progress_is_cancelled (work->monitor))
      return false;
    kg_progress_report (work->monitor, (i + 1.0) / seek->starts);
    result_add (work, result, answer);
    best = g_array_index (result->answers, SeekAnswer, 0);
    if (result->answers->len > before && memcmp (best.x, answer.x, sizeof best.x) == 0)
      memcpy (result->spread, spread, sizeof spread);
  }
  if (result->answers->len > 0)
    return true;
  kg_set_error (error, KG_ERROR_DEGENERATE,
                "the formula has no finite value at any of %u starts: start elsewhere, or move the range", n_bad);
  return false;
}

static bool
check (const Seek *seek, guint n_results, GError **error)
{
  static const guint8 can[SEEK_N_METHODS] = {
    [SEEK_AUTO] = 15,       [SEEK_NEWTON] = 1, [SEEK_BISECTION] = 1, [SEEK_BRENT] = 7,
    [SEEK_NELDER_MEAD] = 6, [SEEK_BFGS] = 6,   [SEEK_LEVENBERG] = 9
  };
  const bool alone = seek->method == SEEK_NEWTON || seek->method == SEEK_BISECTION || seek->method == SEEK_BRENT;

  if ((can[seek->method] >> seek->task & 1) == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "this method cannot find what is wanted: choose another one, or Automatic");
    return false;
  }
  if (alone && seek->n > 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "this method finds one unknown, and the formula has %u: choose another one, or Automatic", seek->n);
    return false;
  }
  if (seek->task == SEEK_ROOT ? n_results < seek->n : n_results != 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  seek->task == SEEK_ROOT
                      ? N_ ("the formula has %u results for %u unknowns: write as many, separated by commas")
                      : N_ ("the formula has %u results for %u unknowns: write one number"),
                  n_results, seek->n);
    return false;
  }
  if (!(seek->low < seek->high)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the range from %g to %g is empty: Low must be less than High",
                  seek->low, seek->high);
    return false;
  }
  if (seek->task == SEEK_FIT && (seek->n_rows < seek->n || seek->n_rows > SEEK_MAX_ROWS)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  seek->n_rows < seek->n ? N_ ("%zu rows cannot determine %u unknowns: add rows")
                                         : N_ ("%zu rows for %u unknowns are too many: use fewer"),
                  seek->n_rows, seek->n);
    return false;
  }
  return true;
}

static bool
work_begin (Work *work, GError **error)
{
  const Seek *seek = work->seek;

  work->path = g_array_new (FALSE, FALSE, sizeof (SeekAnswer));
  work->slopes = kg_program_ref (seek->formula);
  for (guint i = 0; i < seek->n; i++) {
    KgProgram *more = kg_program_add_derivatives (work->slopes, 0, work->n_results, seek->unknowns[i], error);

    if (more == NULL)
      return false;
    kg_program_unref (work->slopes);
    work->slopes = more;
  }
  memcpy (work->inputs, seek->inputs, kg_program_get_n_inputs (seek->formula) * sizeof (double));
  if (seek->task == SEEK_FIT ||
      (seek->task == SEEK_ROOT && (seek->n > 1 || work->n_results > 1 || seek->method == SEEK_LEVENBERG))) {
    work->n_rests = seek->task == SEEK_FIT ? seek->n_rows : work->n_results;
    work->rests = g_try_new0 (double, work->n_rests *(1 + seek->n));
    if (work->rests == NULL) {
      kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for %zu rows: use fewer", work->n_rests);
      return false;
    }
  }
  return true;
}

bool
seek_solve (const Seek *seek, const KgProgressMonitor *monitor, SeekResult *result, GError **error)
{
  static gsize quiet = 0;
  g_auto (Work) work = { .seek = seek,
                         .monitor = monitor,
                         .n_results = kg_program_get_n_results (seek->formula),
                         .sign = seek->task == SEEK_MAXIMUM ? -1 : 1 };
  bool done;

  g_return_val_if_fail (kg_program_get_n_inputs (seek->formula) <= SEEK_MAX_INPUTS && seek->n > 0 &&
                            seek->n <= SEEK_MAX && seek->starts > 0,
                        false);
  if (g_once_init_enter (&quiet)) {
    gsl_set_error_handler_off ();
    g_once_init_leave (&quiet, 1);
  }
  *result = (SeekResult){ .answers = g_array_new (FALSE, FALSE, sizeof (SeekAnswer)),
                          .path = g_array_new (FALSE, FALSE, sizeof (SeekAnswer)),
                          .spread = { NAN, NAN, NAN, NAN } };
  if (!check (seek, work.n_results, error) || !work_begin (&work, error))
    return false;
  if (seek->n == 1 && seek->task == SEEK_ROOT && work.n_rests == 0)
    done = find_roots_in_range (&work, result, error);
  else if (seek->n == 1 && work.n_rests == 0 && (seek->method == SEEK_AUTO || seek->method == SEEK_BRENT))
    done = find_lowest_in_range (&work, result, error);
  else
    done = solve_from_starts (&work, result, error);
  result->evaluations = work.evaluations;
  return done;
}

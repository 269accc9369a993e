/* rod_equations: the exact motion of point masses that stiff rods join.
 *
 * Rod k from a to b has the constraint (|d|^2 - l^2) / 2 = 0 with d = x_a - x_b.  Its second derivative gives a linear
 * system for the Lagrange multipliers, (A M^-1 A') lambda = -|d'|^2 - A M^-1 F, and these the accelerations.  Assembling
 * (Barzel and Barr 1988) asks that the constraint C obey C'' + 2 C' / tau + C / tau^2 = 0 instead of C'' = 0.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rod_equations.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_odeiv2.h>

/* Steps that one call may take. */
#define MAX_STEPS 200000

typedef struct {
  const RodEquations *equations;
  gsl_matrix *matrix;
  gsl_vector *right, *lambda, *residual, *work, *tau_q, *tau_z;
  gsl_permutation *permutation;
  bool redundant;
} Work;

static void
work_clear (Work *work)
{
  gsl_matrix_free (work->matrix);
  gsl_vector_free (work->right);
  gsl_vector_free (work->lambda);
  gsl_vector_free (work->residual);
  gsl_vector_free (work->work);
  gsl_vector_free (work->tau_q);
  gsl_vector_free (work->tau_z);
  gsl_permutation_free (work->permutation);
}

static void
work_init (Work *work, const RodEquations *equations)
{
  const size_t n = MAX (equations->n_rods, 1);

  *work = (Work){ equations,
                  gsl_matrix_alloc (n, n),
                  gsl_vector_calloc (n),
                  gsl_vector_calloc (n),
                  gsl_vector_alloc (n),
                  gsl_vector_alloc (n),
                  gsl_vector_alloc (n),
                  gsl_vector_alloc (n),
                  gsl_permutation_alloc (n),
                  false };
}

static double
get_weight (const RodEquations *e, uint32_t i)
{
  return e->held[i] ? 0 : 1 / e->masses[i];
}

static KgVector
get_vector (const double *y, size_t i)
{
  return kg_vector (y[3 * i], y[3 * i + 1], y[3 * i + 2]);
}

static KgVector
get_rod (const RodEquations *e, const double *y, size_t k)
{
  return kg_vector_subtract (get_vector (y, e->rods[k].a), get_vector (y, e->rods[k].b));
}

/* What the end i of rod k has in row k of A, as a sign of d. */
static double
get_sign (const SkeletonRod *rod, uint32_t i)
{
  return rod->a == i ? 1 : rod->b == i ? -1 : 0;
}

static void
set_up (Work *work, const double *x, const double *v)
{
  const RodEquations *e = work->equations;

  for (size_t k = 0; k < e->n_rods; k++) {
    const SkeletonRod *rod = &e->rods[k];
    const KgVector d = get_rod (e, x, k), speed = get_rod (e, v, k);
    double right = -kg_vector_dot (speed, speed);

    /* Gravity accelerates both ends alike, unless one is held. */
    right -= kg_vector_dot (d, e->gravity) * ((e->held[rod->a] ? 0 : 1) - (e->held[rod->b] ? 0 : 1));
    if (e->assemble > 0)
      right -= 2 / e->assemble * kg_vector_dot (d, speed) +
               0.5 * (kg_vector_dot (d, d) - rod->longest * rod->longest) / (e->assemble * e->assemble);
    gsl_vector_set (work->right, k, right);
    for (size_t j = 0; j <= k; j++) {
      const SkeletonRod *other = &e->rods[j];
      const double shared = get_weight (e, rod->a) * get_sign (other, rod->a) -
                            get_weight (e, rod->b) * get_sign (other, rod->b);
      const double entry = shared != 0 ? shared * kg_vector_dot (d, get_rod (e, x, j)) : 0;

      gsl_matrix_set (work->matrix, k, j, entry);
      gsl_matrix_set (work->matrix, j, k, entry);
    }
  }
}

/* The multipliers: of all that fulfil the equations as well as possible, the smallest. */
static int
solve (Work *work)
{
  size_t rank;
  int status;

  if (work->equations->n_rods == 0)
    return GSL_SUCCESS;
  status = gsl_linalg_COD_decomp (work->matrix, work->tau_q, work->tau_z, work->permutation, &rank, work->work);
  if (status == GSL_SUCCESS)
    status = gsl_linalg_COD_lssolve (work->matrix, work->tau_q, work->tau_z, work->permutation, rank, work->right,
                                     work->lambda, work->residual);
  if (rank < work->equations->n_rods)
    work->redundant = true;
  return status;
}

/* y: all places, then all speeds. */
static int
find_slope (double t, const double *y, double *slope, void *data)
{
  Work *work = (Work *) data;
  const RodEquations *e = work->equations;
  const size_t n = 3 * e->n_points;
  const double *x = y, *v = y + n;

  (void) t;
  for (size_t i = 0; i < 2 * n; i++)
    if (!isfinite (y[i]))
      return GSL_EBADFUNC;
  set_up (work, x, v);
  if (solve (work) != GSL_SUCCESS)
    return GSL_EBADFUNC;
  for (size_t i = 0; i < e->n_points; i++)
    for (size_t c = 0; c < 3; c++) {
      slope[3 * i + c] = e->held[i] ? 0 : v[3 * i + c];
      slope[n + 3 * i + c] = e->held[i] ? 0 : (&e->gravity.x)[c];
    }
  for (size_t k = 0; k < e->n_rods; k++) {
    const SkeletonRod *rod = &e->rods[k];
    const KgVector pull = kg_vector_scale (get_rod (e, x, k), gsl_vector_get (work->lambda, k));

    for (size_t c = 0; c < 3; c++) {
      slope[n + 3 * rod->a + c] += get_weight (e, rod->a) * (&pull.x)[c];
      slope[n + 3 * rod->b + c] -= get_weight (e, rod->b) * (&pull.x)[c];
    }
  }
  return GSL_SUCCESS;
}

static bool
run (Work *work, double *y, double seconds, const KgContext *ctx, GError **error)
{
  const RodEquations *e = work->equations;
  const size_t n = 6 * e->n_points;
  gsl_odeiv2_system system = { find_slope, NULL, n, work };
  const gsl_odeiv2_step_type *type = e->method == ROD_RKF45 ? gsl_odeiv2_step_rkf45 : gsl_odeiv2_step_rk8pd;
  gsl_odeiv2_step *step = gsl_odeiv2_step_alloc (type, n);
  gsl_odeiv2_control *control = gsl_odeiv2_control_y_new (e->tolerance, e->tolerance);
  gsl_odeiv2_evolve *evolve = gsl_odeiv2_evolve_alloc (n);
  double t = 0, h = seconds / 16;
  int status = GSL_SUCCESS;
  guint steps = 0;

  while (t < seconds && status == GSL_SUCCESS && steps++ < MAX_STEPS && (ctx == NULL || !kg_context_is_cancelled (ctx)))
    status = gsl_odeiv2_evolve_apply (evolve, control, step, &system, &t, seconds, &h, y);
  gsl_odeiv2_evolve_free (evolve);
  gsl_odeiv2_control_free (control);
  gsl_odeiv2_step_free (step);
  if (status == GSL_SUCCESS && t >= seconds)
    return true;
  kg_set_error (
      error, KG_ERROR_DIVERGED,
      "the equations of the rods could not be followed beyond %g s of the step at a tolerance of %g: raise the "
      "tolerance, or start from a figure whose rods are not in line with each other",
      t, e->tolerance);
  return false;
}

bool
rod_equations_integrate (const RodEquations *equations, KgVector *places, KgVector *speeds, double seconds,
                         double *tensions, bool *redundant, const KgContext *ctx, GError **error)
{
  const size_t n = 3 * equations->n_points;
  g_autofree double *y = g_new0 (double, MAX (2 * n, 1)), *slope = g_new0 (double, MAX (2 * n, 1));
  bool good = true;
  Work work;

  if (equations->n_rods > ROD_EQUATIONS_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%zu rods are more than the %d that are solved exactly: take Skeleton Dynamics", equations->n_rods,
                  ROD_EQUATIONS_MAX);
    return false;
  }
  if (n == 0)
    return true;
  memcpy (y, places, n * sizeof *y);
  for (size_t i = 0; i < equations->n_points; i++)
    for (size_t c = 0; c < 3; c++)
      y[n + 3 * i + c] = equations->held[i] ? 0 : (&speeds[i].x)[c];
  work_init (&work, equations);
  good = run (&work, y, seconds, ctx, error);
  if (good) {
    memcpy (places, y, n * sizeof *y);
    memcpy (speeds, y + n, n * sizeof *y);
    /* Leaves the multipliers at the end. */
    if (find_slope (seconds, y, slope, &work) == GSL_SUCCESS)
      for (size_t k = 0; tensions != NULL && k < equations->n_rods; k++)
        tensions[k] = -gsl_vector_get (work.lambda, k) * kg_vector_length (get_rod (equations, y, k));
  }
  *redundant |= work.redundant;
  work_clear (&work);
  return good;
}

/* rod_equations: the exact motion of point masses that stiff rods join.
 *
 * Rod k from a to b has the constraint (|d|^2 - l^2) / 2 = 0 with d = x_a - x_b.  Its second derivative gives a linear
 * system for the Lagrange multipliers, (A M^-1 A') lambda = -|d'|^2 - A M^-1 F, and these the accelerations.  Assembling
 * (Barzel and Barr 1988) asks that the constraint C obey C'' + 2 C' / tau + C / tau^2 = 0 instead of C'' = 0.
 *
 * Two rods have an entry in common when they meet in a point that can move, so that chains and trees are solved in a time
 * that grows with their length alone.  Where rods hold each other the matrix has no inverse: then, and only then,
 * a complete orthogonal decomposition finds the smallest multipliers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rod_equations.h"

#include "sim/adaptive_steps.h"
#include "sim/envelope_matrix.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

/* Two rods and the point that they meet in. */
typedef struct {
  uint32_t k, j, point;
  double sign; /* 1: both have the same end there */
} Meeting;

typedef struct {
  const RodEquations *equations;
  GArray *meetings; /* Meeting */
  EnvelopeMatrix matrix;
  double *right, *lambda;
  gsl_matrix *dense; /* this one and all below: NULL until rods hold each other */
  gsl_vector *residual, *work, *tau_q, *tau_z;
  gsl_permutation *permutation;
  bool redundant;
} Work;

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

/* Lists the rods that meet, point by point. */
static void
find_meetings (Work *work)
{
  const RodEquations *e = work->equations;
  g_autofree size_t *starts = g_new0 (size_t, e->n_points + 2);
  g_autofree uint32_t *ends = g_new (uint32_t, MAX (2 * e->n_rods, 1)); /* twice the rod, and 1 for its second end */

  for (size_t k = 0; k < 2 * e->n_rods; k++)
    starts[(k % 2 == 0 ? e->rods[k / 2].a : e->rods[k / 2].b) + 2]++;
  for (size_t i = 0; i < e->n_points; i++)
    starts[i + 2] += starts[i + 1];
  for (size_t k = 0; k < 2 * e->n_rods; k++)
    ends[starts[(k % 2 == 0 ? e->rods[k / 2].a : e->rods[k / 2].b) + 1]++] = (uint32_t) k;
  for (size_t i = 0; i < e->n_points; i++)
    for (size_t a = starts[i]; a < starts[i + 1] && !e->held[i]; a++)
      for (size_t b = starts[i]; b < a; b++) {
        const Meeting meeting = { ends[a] / 2, ends[b] / 2, (uint32_t) i, ends[a] % 2 == ends[b] % 2 ? 1 : -1 };

        g_array_append_val (work->meetings, meeting);
      }
}

static void
work_init (Work *work, const RodEquations *equations)
{
  g_autofree uint32_t (*pairs)[2] = NULL;

  *work = (Work){ .equations = equations,
                  .meetings = g_array_new (FALSE, FALSE, sizeof (Meeting)),
                  .right = g_new0 (double, MAX (equations->n_rods, 1)),
                  .lambda = g_new0 (double, MAX (equations->n_rods, 1)) };
  find_meetings (work);
  pairs = g_malloc (MAX (work->meetings->len, 1) * sizeof *pairs);
  for (guint m = 0; m < work->meetings->len; m++) {
    const Meeting *meeting = &g_array_index (work->meetings, Meeting, m);

    pairs[m][0] = meeting->k;
    pairs[m][1] = meeting->j;
  }
  envelope_matrix_init (&work->matrix, equations->n_rods, (const uint32_t (*)[2]) pairs, work->meetings->len);
}

static void
work_clear (Work *work)
{
  g_array_unref (work->meetings);
  envelope_matrix_clear (&work->matrix);
  g_free (work->right);
  g_free (work->lambda);
  if (work->dense == NULL)
    return;
  gsl_matrix_free (work->dense);
  gsl_vector_free (work->residual);
  gsl_vector_free (work->work);
  gsl_vector_free (work->tau_q);
  gsl_vector_free (work->tau_z);
  gsl_permutation_free (work->permutation);
}

static void
set_up_right (Work *work, const double *x, const double *v)
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
    work->right[k] = right;
  }
}

static double
get_diagonal (const RodEquations *e, const double *x, size_t k)
{
  const KgVector d = get_rod (e, x, k);

  return (get_weight (e, e->rods[k].a) + get_weight (e, e->rods[k].b)) * kg_vector_dot (d, d);
}

static double
get_entry (const RodEquations *e, const double *x, const Meeting *meeting)
{
  return meeting->sign * get_weight (e, meeting->point) *
         kg_vector_dot (get_rod (e, x, meeting->k), get_rod (e, x, meeting->j));
}

static void
set_up_dense (Work *work, const double *x)
{
  const RodEquations *e = work->equations;
  const size_t n = e->n_rods;

  if (work->dense == NULL) {
    work->dense = gsl_matrix_alloc (n, n);
    work->residual = gsl_vector_alloc (n);
    work->work = gsl_vector_alloc (n);
    work->tau_q = gsl_vector_alloc (n);
    work->tau_z = gsl_vector_alloc (n);
    work->permutation = gsl_permutation_alloc (n);
  }
  gsl_matrix_set_zero (work->dense);
  for (size_t k = 0; k < n; k++)
    gsl_matrix_set (work->dense, k, k, get_diagonal (e, x, k));
  for (guint m = 0; m < work->meetings->len; m++) {
    const Meeting *meeting = &g_array_index (work->meetings, Meeting, m);
    const double entry = get_entry (e, x, meeting);

    *gsl_matrix_ptr (work->dense, meeting->k, meeting->j) += entry;
    *gsl_matrix_ptr (work->dense, meeting->j, meeting->k) += entry;
  }
}

/* The multipliers of rods that hold each other: of all that fulfil the equations as well as possible, the smallest. */
static int
solve_dense (Work *work, const double *x)
{
  const size_t n = work->equations->n_rods;
  const gsl_vector_const_view right = gsl_vector_const_view_array (work->right, n);
  gsl_vector_view lambda = gsl_vector_view_array (work->lambda, n);
  size_t rank;
  int status;

  set_up_dense (work, x);
  status = gsl_linalg_COD_decomp (work->dense, work->tau_q, work->tau_z, work->permutation, &rank, work->work);
  if (status == GSL_SUCCESS)
    status = gsl_linalg_COD_lssolve (work->dense, work->tau_q, work->tau_z, work->permutation, rank, &right.vector,
                                     &lambda.vector, work->residual);
  if (rank < n)
    work->redundant = true;
  return status;
}

static int
solve (Work *work, const double *x, const double *v)
{
  const RodEquations *e = work->equations;

  set_up_right (work, x, v);
  envelope_matrix_set_zero (&work->matrix);
  for (size_t k = 0; k < e->n_rods; k++)
    envelope_matrix_add (&work->matrix, k, k, get_diagonal (e, x, k));
  for (guint m = 0; m < work->meetings->len; m++) {
    const Meeting *meeting = &g_array_index (work->meetings, Meeting, m);

    envelope_matrix_add (&work->matrix, meeting->k, meeting->j, get_entry (e, x, meeting));
  }
  if (!envelope_matrix_factorize (&work->matrix))
    return solve_dense (work, x);
  envelope_matrix_solve (&work->matrix, work->right, work->lambda);
  return GSL_SUCCESS;
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
  if (solve (work, x, v) != GSL_SUCCESS)
    return GSL_EBADFUNC;
  for (size_t i = 0; i < e->n_points; i++)
    for (size_t c = 0; c < 3; c++) {
      slope[3 * i + c] = e->held[i] ? 0 : v[3 * i + c];
      slope[n + 3 * i + c] = e->held[i] ? 0 : kg_vector_get (e->gravity, c);
    }
  for (size_t k = 0; k < e->n_rods; k++) {
    const SkeletonRod *rod = &e->rods[k];
    const KgVector pull = kg_vector_scale (get_rod (e, x, k), work->lambda[k]);

    for (size_t c = 0; c < 3; c++) {
      slope[n + 3 * rod->a + c] += get_weight (e, rod->a) * kg_vector_get (pull, c);
      slope[n + 3 * rod->b + c] -= get_weight (e, rod->b) * kg_vector_get (pull, c);
    }
  }
  return GSL_SUCCESS;
}

static bool
run (Work *work, double *y, double seconds, const KgProgressMonitor *monitor, GError **error)
{
  const RodEquations *e = work->equations;
  const AdaptiveSteps steps = { .n = 6 * e->n_points,
                                .slope = find_slope,
                                .data = work,
                                .type = e->method == ROD_RKF45 ? gsl_odeiv2_step_rkf45 : gsl_odeiv2_step_rk8pd,
                                .tolerance = e->tolerance };
  bool happened;
  const double t = adaptive_steps_run (&steps, seconds, y, &happened, monitor);

  if (t >= seconds)
    return true;
  kg_set_error (
      error, KG_ERROR_DIVERGED,
      "the rod equations could not be solved beyond %g s of the step at a tolerance of %g: raise the tolerance, or start from a figure whose rods are not in line with each other",
      t, e->tolerance);
  return false;
}

bool
rod_equations_integrate (const RodEquations *equations, KgVector *places, KgVector *speeds, double seconds,
                         double *tensions, bool *redundant, const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = 3 * equations->n_points;
  g_autofree double *y = g_new0 (double, MAX (2 * n, 1)), *slope = g_new0 (double, MAX (2 * n, 1));
  bool good = true;
  Work work;

  if (equations->n_rods > ROD_EQUATIONS_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%zu rods are more than the %d that can be solved exactly: use Skeleton Dynamics", equations->n_rods,
                  ROD_EQUATIONS_MAX);
    return false;
  }
  if (n == 0)
    return true;
  memcpy (y, places, n * sizeof *y);
  for (size_t i = 0; i < equations->n_points; i++)
    for (size_t c = 0; c < 3; c++)
      y[n + 3 * i + c] = equations->held[i] ? 0 : kg_vector_get (speeds[i], c);
  work_init (&work, equations);
  good = run (&work, y, seconds, monitor, error);
  if (good) {
    memcpy (places, y, n * sizeof *y);
    memcpy (speeds, y + n, n * sizeof *y);
    /* Leaves the multipliers at the end. */
    if (find_slope (seconds, y, slope, &work) == GSL_SUCCESS)
      for (size_t k = 0; tensions != NULL && k < equations->n_rods; k++)
        tensions[k] = -work.lambda[k] * kg_vector_length (get_rod (equations, y, k));
  }
  *redundant |= work.redundant;
  work_clear (&work);
  return good;
}

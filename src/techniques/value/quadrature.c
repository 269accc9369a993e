/* quadrature: integrals of formulas of one variable.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/quadrature.h"

#include "kg-gsl.h"
#include "kg-math.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

#define MAX_INPUTS 16
#define MAX_INTERVALS 2000

void
quadrature_result_clear (QuadratureResult *result)
{
  g_clear_pointer (&result->places, g_free);
  g_clear_pointer (&result->weights, g_free);
  g_clear_pointer (&result->values, g_free);
}

typedef struct {
  const KgProgram *program;
  const double *numbers;
  guint64 evaluations;
  double bad; /* the first place without a finite value; NAN: none */
} Work;

static double
call (double x, void *data)
{
  Work *work = (Work *) data;
  const guint n = kg_program_get_n_inputs (work->program) - 1;
  double inputs[MAX_INPUTS] = { x }, value;

  if (n > 0)
    memcpy (inputs + 1, work->numbers, n * sizeof *inputs);
  kg_program_call (work->program, inputs, &value);
  work->evaluations++;
  if (isfinite (value))
    return value;
  if (isnan (work->bad))
    work->bad = x;
  return 0;
}

/* The Legendre polynomial of degree n at z, and its slope there. */
static double
get_legendre (guint n, double z, double *slope)
{
  double p = 1, before = 0;

  for (guint j = 1; j <= n; j++) {
    const double older = before;

    before = p;
    p = ((2.0 * j - 1) * z * before - (j - 1.0) * older) / j;
  }
  *slope = n * (z * p - before) / (z * z - 1);
  return p;
}

/* The Gauss-Legendre rule from -1 to 1: the roots of the polynomial by Newton's method from estimates that are close. */
static void
make_legendre (guint n, double *places, double *weights)
{
  for (guint i = 0; i < (n + 1) / 2; i++) {
    double z = 2 * i + 1 == n ? 0 : cos (KG_PI * (i + 0.75) / (n + 0.5)), slope, change = 1;

    for (guint step = 0; step < 20 && fabs (change) > 1e-15 && z != 0; step++) {
      change = get_legendre (n, z, &slope) / slope;
      z -= change;
    }
    get_legendre (n, z, &slope);
    places[i] = -z;
    places[n - 1 - i] = z;
    weights[i] = weights[n - 1 - i] = 2 / ((1 - z * z) * slope * slope);
  }
}

static void
make_even (const Quadrature *q, QuadratureResult *result)
{
  const guint intervals = result->n - 1;
  const double h = (q->to - q->from) / intervals;

  for (guint i = 0; i <= intervals; i++) {
    const bool end = i == 0 || i == intervals;

    result->places[i] = kg_lerp (q->from, q->to, (double) i / intervals);
    if (q->method == QUADRATURE_TRAPEZOID)
      result->weights[i] = end ? h / 2 : h;
    else
      result->weights[i] = h / 3 * (end ? 1 : i % 2 == 1 ? 4 : 2);
  }
}

/* Places and weights of a weight function, from GSL, which finds them as eigenvalues. */
static bool
make_weighted (const Quadrature *q, QuadratureResult *result, GError **error)
{
  const gsl_integration_fixed_type *const types[] = {
    [QUADRATURE_CHEBYSHEV] = gsl_integration_fixed_chebyshev,
    [QUADRATURE_CHEBYSHEV2] = gsl_integration_fixed_chebyshev2,
    [QUADRATURE_GEGENBAUER] = gsl_integration_fixed_gegenbauer,
    [QUADRATURE_JACOBI] = gsl_integration_fixed_jacobi,
    [QUADRATURE_LAGUERRE] = gsl_integration_fixed_laguerre,
    [QUADRATURE_HERMITE] = gsl_integration_fixed_hermite,
    [QUADRATURE_EXPONENTIAL] = gsl_integration_fixed_exponential,
  };
  const bool infinite = q->weight == QUADRATURE_LAGUERRE || q->weight == QUADRATURE_HERMITE;
  gsl_integration_fixed_workspace *rule;

  if (infinite ? !(q->to > 0) : !(q->to > q->from)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  infinite ? "the rate of decay %g must be greater than zero"
                           : "a weighted integral must end (at %g) beyond its start",
                  q->to);
    return false;
  }
  if (!(q->alpha > -1) || !(q->beta > -1)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "alpha %g and beta %g must be greater than -1", q->alpha, q->beta);
    return false;
  }
  rule = gsl_integration_fixed_alloc (types[q->weight], result->n, q->from, q->to, q->alpha, q->beta);
  if (rule == NULL) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "the rule of %u points could not be found: use fewer points", result->n);
    return false;
  }
  memcpy (result->places, gsl_integration_fixed_nodes (rule), result->n * sizeof (double));
  memcpy (result->weights, gsl_integration_fixed_weights (rule), result->n * sizeof (double));
  gsl_integration_fixed_free (rule);
  return true;
}

static bool
make_rule (const Quadrature *q, QuadratureResult *result, GError **error)
{
  result->n = q->method == QUADRATURE_TRAPEZOID ? q->n + 1
              : q->method == QUADRATURE_SIMPSON ? q->n + q->n % 2 + 1
                                                : q->n;
  result->places = g_new0 (double, result->n);
  result->weights = g_new0 (double, result->n);
  result->values = g_new0 (double, result->n);
  if (q->method == QUADRATURE_WEIGHTED)
    return make_weighted (q, result, error);
  if (q->method == QUADRATURE_GAUSS) {
    const double half = (q->to - q->from) / 2, middle = (q->from + q->to) / 2;

    make_legendre (result->n, result->places, result->weights);
    for (guint i = 0; i < result->n; i++) {
      result->places[i] = half * result->places[i] + middle;
      result->weights[i] *= half;
    }
  } else
    make_even (q, result);
  return true;
}

static bool
fail_bad (const Work *work, GError **error)
{
  if (isnan (work->bad))
    return true;
  kg_set_error (error, KG_ERROR_DEGENERATE,
                "the formula has no finite value at %g: integrate up to there, or around it", work->bad);
  return false;
}

/* False, without an error, if it does not converge. */
static bool
integrate_closely (const Quadrature *q, Work *work, double tolerance, double *integral, double *estimate)
{
  gsl_integration_workspace *space = gsl_integration_workspace_alloc (MAX_INTERVALS);
  gsl_function function = { call, work };
  const int status =
      gsl_integration_qags (&function, q->from, q->to, tolerance, tolerance, MAX_INTERVALS, space, integral, estimate);

  gsl_integration_workspace_free (space);
  return status == GSL_SUCCESS && isfinite (*integral);
}

static bool
apply_rule (const Quadrature *q, Work *work, QuadratureResult *result, GError **error)
{
  Work closely = { work->program, work->numbers, 0, NAN };
  double close, estimate;

  if (!make_rule (q, result, error))
    return false;
  for (guint i = 0; i < result->n; i++) {
    result->values[i] = call (result->places[i], work);
    result->integral += result->weights[i] * result->values[i];
  }
  result->evaluations = work->evaluations;
  result->error = NAN;
  if (q->method != QUADRATURE_WEIGHTED && integrate_closely (q, &closely, 1e-12, &close, &estimate) &&
      isnan (closely.bad))
    result->error = fabs (result->integral - close);
  return fail_bad (work, error);
}

bool
quadrature_integrate (const Quadrature *q, const KgProgram *program, const double *numbers, QuadratureResult *result,
                      GError **error)
{
  Work work = { program, numbers, 0, NAN };

  g_return_val_if_fail (kg_program_get_n_inputs (program) <= MAX_INPUTS && q->n > 0, false);
  kg_gsl_make_quiet ();
  *result = (QuadratureResult){ .n = 0 };
  if (q->method != QUADRATURE_ADAPTIVE)
    return apply_rule (q, &work, result, error);
  if (!integrate_closely (q, &work, q->tolerance, &result->integral, &result->error)) {
    if (fail_bad (&work, error))
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "the integral does not converge to a tolerance of %g: raise it, or look for a pole in the range",
                    q->tolerance);
    return false;
  }
  result->evaluations = work.evaluations;
  return fail_bad (&work, error);
}

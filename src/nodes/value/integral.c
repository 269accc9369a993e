/* value/integral: the integral of a typed formula.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/quadrature.h"
#include "kg-expression.h"
#include "kg-node.h"

typedef struct {
  const char *formula;
  int method;
  int weight;
  int64_t points;
  double from;
  double to;
  double alpha;
  double beta;
  double tolerance;
  double a;
  double b;
  double c;
  double d;
  double integral;
  double error;
  int64_t evaluations;
  KgTable *rule;
} Integral;

static const KgChoice integral_methods[] = {
  [QUADRATURE_GAUSS] = { "gauss", N_ ("Gauss-Legendre") },
  [QUADRATURE_WEIGHTED] = { "weighted", N_ ("Gauss, with a weight function") },
  [QUADRATURE_ADAPTIVE] = { "adaptive", N_ ("Adaptive Gauss-Kronrod") },
  [QUADRATURE_SIMPSON] = { "simpson", N_ ("Simpson: parabolas") },
  [QUADRATURE_TRAPEZOID] = { "trapezoid", N_ ("Trapezoids") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (integral_methods, QUADRATURE_N_METHODS);

static const KgChoice integral_weights[] = {
  [QUADRATURE_CHEBYSHEV] = { "chebyshev", N_ ("Chebyshev, first kind: infinite at both ends") },
  [QUADRATURE_CHEBYSHEV2] = { "chebyshev2", N_ ("Chebyshev, second kind: a half circle") },
  [QUADRATURE_GEGENBAUER] = { "gegenbauer", N_ ("Gegenbauer: a power at both ends") },
  [QUADRATURE_JACOBI] = { "jacobi", N_ ("Jacobi: a power at each end") },
  [QUADRATURE_LAGUERRE] = { "laguerre", N_ ("Laguerre: decays exponentially, to infinity") },
  [QUADRATURE_HERMITE] = { "hermite", N_ ("Hermite: a bell, over all numbers") },
  [QUADRATURE_EXPONENTIAL] = { "exponential", N_ ("Exponential: a power of the distance from the middle") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (integral_weights, QUADRATURE_N_WEIGHTS);

static bool
integral_evaluate (Integral *n, const KgContext *ctx, GError **error)
{
  static const KgFormulaVariable variables[] = {
    { "x", 1, false }, { "a", 1, false }, { "b", 1, false }, { "c", 1, false }, { "d", 1, false }
  };
  static const char *const columns[] = { "place", "weight", "value" };
  const Quadrature quadrature = { .method = (QuadratureMethod) n->method,
                                  .weight = (QuadratureWeight) n->weight,
                                  .n = (guint) n->points,
                                  .from = n->from,
                                  .to = n->to,
                                  .alpha = n->alpha,
                                  .beta = n->beta,
                                  .tolerance = n->tolerance };
  const double numbers[] = { n->a, n->b, n->c, n->d };
  g_autoptr (KgProgram) program = kg_formula_compile (n->formula, variables, G_N_ELEMENTS (variables), error);
  g_auto (QuadratureResult) result = { .n = 0 };
  double *cells;

  if (program == NULL) {
    kg_prefix_error (error, "formula: ");
    return false;
  }
  if (kg_program_get_n_results (program) != 1) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "formula: %u results: write one number",
                  kg_program_get_n_results (program));
    return false;
  }
  if (!quadrature_integrate (&quadrature, program, numbers, &result, error))
    return false;
  n->rule = kg_table_new (G_N_ELEMENTS (columns), columns, result.n, error);
  if (n->rule == NULL)
    return false;
  cells = kg_table_edit (n->rule);
  for (guint i = 0; i < result.n; i++, cells += 3) {
    cells[0] = result.places[i];
    cells[1] = result.weights[i];
    cells[2] = result.values[i];
  }
  n->integral = result.integral;
  n->error = isfinite (result.error) ? result.error : -1;
  if (!(n->error >= 0) && n->method != QUADRATURE_WEIGHTED)
    kg_context_warn (
        ctx, "the integral may have no value: the adaptive method does not converge; look for a pole in the range");
  n->evaluations = (int64_t) result.evaluations;
  return true;
}

static const KgSlot integral_slots[] = {
  KG_INPUT (Integral, formula, TEXT, .label = N_ ("Formula"), .def_text = "x^2",
            .help = N_ ("The formula of x that is integrated. It can also use the numbers a to d.")),
  KG_INPUT (Integral, method, CHOICE, .label = N_ ("Method"), .choices = integral_methods,
            .help = N_ ("Gauss needs few points for smooth formulas; the adaptive method puts points where they are "
                        "needed and reports its error; trapezoids are best for whole periods.")),
  KG_INPUT (Integral, weight, CHOICE, .label = N_ ("Weight"), .choices = integral_weights,
            .shown_when = "method=weighted",
            .help = N_ ("The function that the formula is multiplied by: the rule integrates it exactly.")),
  KG_INPUT (Integral, points, INTEGER, .label = N_ ("Points"), .def = 10, .min = 1, .max = QUADRATURE_MAX_POINTS,
            .soft_max = 50, .shown_when = "method=gauss|weighted|simpson|trapezoid",
            .help = N_ ("Number of points of a Gauss rule, or of intervals (for Simpson, the next even number).")),
  KG_INPUT (Integral, from, NUMBER, .label = N_ ("From"), .soft_min = -10, .soft_max = 10,
            .help = N_ ("Start of the range. For Hermite, it is the centre of the bell.")),
  KG_INPUT (Integral, to, NUMBER, .label = N_ ("To"), .def = 1, .soft_min = -10, .soft_max = 10,
            .help = N_ ("End of the range. For Laguerre and Hermite, the rate at which the weight decays.")),
  KG_INPUT (Integral, alpha, NUMBER, .label = N_ ("Alpha"),
            .shown_when = "weight=gegenbauer|jacobi|laguerre|hermite|exponential", .min = -1, .max = 100, .soft_max = 5,
            .help = N_ ("Exponent of the weight, greater than -1.")),
  KG_INPUT (Integral, beta, NUMBER, .label = N_ ("Beta"), .shown_when = "weight=jacobi", .min = -1, .max = 100,
            .soft_max = 5, .help = N_ ("Exponent of the weight at the start, greater than -1.")),
  KG_INPUT (Integral, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-10, .min = 1e-13, .max = 1,
            .soft_max = 1e-3, .shown_when = "method=adaptive", .help = N_ ("Error allowed, absolute or relative.")),
  KG_INPUT (Integral, a, NUMBER, .label = N_ ("a"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula: key it or link it.")),
  KG_INPUT (Integral, b, NUMBER, .label = N_ ("b"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula.")),
  KG_INPUT (Integral, c, NUMBER, .label = N_ ("c"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula.")),
  KG_INPUT (Integral, d, NUMBER, .label = N_ ("d"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula.")),
  KG_OUTPUT (Integral, integral, NUMBER, .label = N_ ("Integral"), .help = N_ ("The integral.")),
  KG_OUTPUT (
      Integral, error, NUMBER, .label = N_ ("Error"),
      .help = N_ (
          "Difference from the adaptive method, or its own estimate; -1 where it is not known, as with a weight or where the "
          "adaptive method does not converge.")),
  KG_OUTPUT (Integral, evaluations, INTEGER, .label = N_ ("Evaluations"),
             .help = N_ ("How often the formula was evaluated.")),
  KG_OUTPUT (Integral, rule, TABLE, .label = N_ ("Rule"),
             .help = N_ ("Places, weights and values of the formula, a row each.")),
};

KG_NODE (value, integral, Integral, .label = N_ ("Integral"), .version = 1, .since = "0.1",
         .tags = N_ ("quadrature area sum mean gauss legendre simpson trapezoid numeric"),
         .formula = "∫ W(x) f(x) dx ≈ Σ wᵢ f(xᵢ)\n"
                    "Gauss-Legendre: Pₙ(xᵢ) = 0, wᵢ = 2 / ((1 − xᵢ²) Pₙ′(xᵢ)²) on [−1, 1]",
         .source = "Parent, Computer Animation, B.7.1; Golub and Welsch 1969",
         .help = N_ ("Integrates a formula over a range: an area, a length, a mean. With a weight function, the "
                     "integrand may be infinite at an end, and so may the range."));

/* field/formula: a field from a typed formula.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/formula_field.h"
#include "kg-node.h"

typedef struct {
  const char *formula;
  int result;
  const KgField *f;
  double a;
  double b;
  double c;
  double d;
  KgField *field;
} FormulaNode;

static const KgChoice formula_results[] = {
  [FORMULA_FIELD_VALUE] = { "value", N_ ("Value") },
  [FORMULA_FIELD_GRADIENT] = { "gradient", N_ ("Gradient of a number") },
  [FORMULA_FIELD_LAPLACIAN] = { "laplacian", N_ ("Laplacian of a number") },
  [FORMULA_FIELD_DIVERGENCE] = { "divergence", N_ ("Divergence of a vector") },
  [FORMULA_FIELD_CURL] = { "curl", N_ ("Curl of a vector") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (formula_results, FORMULA_FIELD_CURL + 1);

static bool
formula_evaluate (FormulaNode *n, const KgContext *ctx, GError **error)
{
  const double numbers[FORMULA_FIELD_NUMBERS] = { n->a, n->b, n->c, n->d };

  (void) ctx;
  n->field = formula_field_new (n->formula, numbers, n->f, (FormulaFieldResult) n->result, error);
  return n->field != NULL;
}

static const KgSlot formula_slots[] = {
  KG_INPUT (
      FormulaNode, formula, TEXT, .label = N_ ("Formula"), .def_text = "sin(x)*cos(z)", .multiline = true,
      .manual = "expressions",
      .help = N_ (
          "A formula of the position x, y, z (together the vector p), the time t, the numbers a to d, the velocity v of what is there, and f, the linked field. One number makes a scalar field; a vector such as [-z, 0, x], or three numbers, a vector field. Where it has no value, the field is 0.")),
  KG_INPUT (
      FormulaNode, result, CHOICE, .label = N_ ("Result"), .choices = formula_results,
      .help = N_ ("The formula itself, or what its exact derivatives give: the gradient points uphill, the "
                  "divergence is positive where a vector field has sources, the curl is the axis of its swirls.")),
  KG_INPUT (FormulaNode, f, FIELD, .label = N_ ("f"), .optional = true,
            .help = N_ ("A field that the formula can use as f: a number or a vector at each position.")),
  KG_INPUT (FormulaNode, a, NUMBER, .label = N_ ("a"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula: key it or link it to change the field.")),
  KG_INPUT (FormulaNode, b, NUMBER, .label = N_ ("b"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula.")),
  KG_INPUT (FormulaNode, c, NUMBER, .label = N_ ("c"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula.")),
  KG_INPUT (FormulaNode, d, NUMBER, .label = N_ ("d"), .def = 1, .soft_min = -5, .soft_max = 5, .group = N_ ("Numbers"),
            .help = N_ ("Value for the formula.")),
  KG_OUTPUT (FormulaNode, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("Scalar or vector field, for attributes, deformations and the forces of a simulation.")),
};

KG_NODE (
    field, formula, FormulaNode, .label = N_ ("Formula Field"), .version = 1, .since = "0.1",
    .tags = N_ ("equation expression function height map landscape wave gradient divergence curl laplacian force"),
    .formula = "gradient: (∂f/∂x, ∂f/∂y, ∂f/∂z)\n"
               "Laplacian: ∂²f/∂x² + ∂²f/∂y² + ∂²f/∂z²\n"
               "divergence: ∂u/∂x + ∂v/∂y + ∂w/∂z\n"
               "curl: (∂w/∂y − ∂v/∂z, ∂u/∂z − ∂w/∂x, ∂v/∂x − ∂u/∂y)",
    .help = N_ (
        "Makes a field from a formula. With Attribute it sets any attribute of points: P with [x, sin(x)*cos(z), z] raises a height field over a grid, Cd with [0.5 + y, 0.3, 0.1] colours it by height. In the forces of a simulation it is a force for each position, velocity and time. The derivatives are exact. Where the formula has no value, as 1/x has none at 0, the field is 0."));

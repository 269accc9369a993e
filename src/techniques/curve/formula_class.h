/* formula_class: of which kind a formula is, read from its text: linear, quadratic, ... or transcendental.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

typedef enum {
  FORMULA_POLYNOMIAL,
  FORMULA_RATIONAL,       /* divided by a variable */
  FORMULA_ALGEBRAIC,      /* roots */
  FORMULA_PIECEWISE,      /* conditions, floor, abs, min ... */
  FORMULA_TRANSCENDENTAL, /* sin, exp, a variable as exponent ... */
} FormulaKind;

typedef struct {
  FormulaKind kind;
  guint degree; /* of a polynomial: the sum over all variables */
} FormulaClass;

/* text: one that kg_expression_new_with_names accepts as a formula.  variables: NULL-terminated; all other names are constants. */
FormulaClass formula_class_get (const char *text, const char *const *variables);
/* The class of several formulas together: the worst kind, the highest degree. */
FormulaClass formula_class_join (FormulaClass a, FormulaClass b);
/* (transfer full) "cubic", "polynomial of degree 7", "transcendental" ... */
char *formula_class_describe (FormulaClass c);

/* formula_field: a formula of place and time as a field, and what vector analysis makes of it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"

typedef enum {
  FORMULA_FIELD_VALUE,
  FORMULA_FIELD_GRADIENT,   /* of a scalar: (∂f/∂x, ∂f/∂y, ∂f/∂z) */
  FORMULA_FIELD_LAPLACIAN,  /* of a scalar: ∂²f/∂x² + ∂²f/∂y² + ∂²f/∂z² */
  FORMULA_FIELD_DIVERGENCE, /* of a vector: ∂u/∂x + ∂v/∂y + ∂w/∂z */
  FORMULA_FIELD_CURL, /* of a vector: (∂w/∂y − ∂v/∂z, ∂u/∂z − ∂w/∂x, ∂v/∂x − ∂u/∂y) */
} FormulaFieldResult;

#define FORMULA_FIELD_NUMBERS 4

/* The formula, in the notation of expressions, of x, y, z (metres; together p), t (seconds), the numbers a to d, the
 * velocity v of what is there (zero where fields are sampled without), and f, the value of another field, if there is
 * one.  It gives a number, or a vector (also as three numbers).  Derivatives are exact; f is not known well enough for
 * them.  Computed in doubles; where it is not a number or infinite the field is 0.
 * KG_ERROR_EXPRESSION (with the column) and KG_ERROR_TYPE_MISMATCH.  (transfer full) (nullable) */
KgField *formula_field_new (const char *formula, const double numbers[FORMULA_FIELD_NUMBERS], const KgField *f,
                            FormulaFieldResult result, GError **error);

/* curve_formula: a curve that knows the formula it was sampled from, so that its derivatives are those of the formula and
 * not differences of points that are stored in float32.
 *
 * The formula travels as a text attribute of the primitive.  It holds as long as the points are where it puts them: after
 * any deformation the curve is the spline through its points again.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve_basis.h"

/* The attribute of primitives, a text. */
#define CURVE_FORMULA_ATTRIBUTE "formula"
#define CURVE_FORMULA_NUMBERS 4

/* (transfer full) The attribute: formulas of the variable and of a to d.  x: NULL, it is the variable; z: NULL, zero. */
char *curve_formula_write (const char *variable, const double numbers[CURVE_FORMULA_NUMBERS], const char *x,
                           const char *y, const char *z);

/* The place and three derivatives. */
#define CURVE_FORMULA_ORDERS 4

typedef struct _CurveFormula CurveFormula;

void curve_formula_free (CurveFormula *formula);
/* The derivative of that order by the variable. */
KgVector curve_formula_evaluate (const CurveFormula *formula, double place, guint order);

/* Pieces of degree 7 that share place and first three derivatives with the formula at each knot of the control (an
 * interpolating spline with knots), and the formula itself.  False if the points are not those of the formula, or if pieces between so few knots
 * would not follow it. */
bool curve_formula_build (const char *text, const CurveControl *control, CurvePieces *pieces);

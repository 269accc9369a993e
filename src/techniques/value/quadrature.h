/* quadrature: integrals of formulas of one variable.
 * Sources: Parent, Computer Animation, B.7.1 (Gauss-Legendre); Golub and Welsch 1969 (rules for weight functions); GSL's
 * adaptive rules.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-program.h"

typedef enum {
  QUADRATURE_GAUSS, /* Gauss-Legendre: exact for polynomials up to degree 2 n - 1 */
  QUADRATURE_WEIGHTED,
  QUADRATURE_ADAPTIVE,
  QUADRATURE_SIMPSON,
  QUADRATURE_TRAPEZOID,
  QUADRATURE_N_METHODS
} QuadratureMethod;

/* W (x) in the integral of W (x) f (x). */
typedef enum {
  QUADRATURE_CHEBYSHEV,   /* 1 / sqrt ((b - x) (x - a)) */
  QUADRATURE_CHEBYSHEV2,  /* sqrt ((b - x) (x - a)) */
  QUADRATURE_GEGENBAUER,  /* ((b - x) (x - a))^alpha */
  QUADRATURE_JACOBI,      /* (b - x)^alpha (x - a)^beta */
  QUADRATURE_LAGUERRE,    /* (x - a)^alpha e^(-b (x - a)), from a to infinity */
  QUADRATURE_HERMITE,     /* |x - a|^alpha e^(-b (x - a)^2), from -infinity to infinity */
  QUADRATURE_EXPONENTIAL, /* |x - (a + b) / 2|^alpha */
  QUADRATURE_N_WEIGHTS
} QuadratureWeight;

#define QUADRATURE_MAX_POINTS 1000

typedef struct {
  QuadratureMethod method;
  QuadratureWeight weight;
  guint n;         /* points, or intervals of the trapezoids and of Simpson's parabolas (which take an even number) */
  double from, to; /* of weighted rules: a and b */
  double alpha, beta;
  double tolerance; /* of the adaptive rule, absolute and relative */
} Quadrature;

typedef struct {
  double integral;
  double error;        /* estimated by the adaptive rule; of the others the difference from it; NAN: not known */
  guint64 evaluations; /* of the rule itself */
  guint n;             /* points of the rule: none of the adaptive one */
  double *places, *weights, *values;
} QuadratureResult;

/* numbers: the inputs of the program behind the first, which is the variable; one result.
 * KG_ERROR_INVALID_VALUE (parameters that a weight cannot have), KG_ERROR_DEGENERATE (no finite value, with the place; an
 * integral that does not converge). */
bool quadrature_integrate (const Quadrature *quadrature, const KgProgram *program, const double *numbers,
                           QuadratureResult *result, GError **error);
void quadrature_result_clear (QuadratureResult *result);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (QuadratureResult, quadrature_result_clear)

/* curve_basis: from control points, whatever they mean in their basis, to Bezier pieces.
 * Sources: Parent, Computer Animation, B.4; Kochanek and Bartels 1984; Catmull and Rom 1974; Overhauser 1968 (blended
 * parabolas); Ramshaw 1989 (blossoms).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

/* Highest order (degree + 1) of one piece. */
#define CURVE_MAX_ORDER 32

/* The control of a spline primitive, with its points as doubles.  Lent: nothing here is owned. */
typedef struct {
  KgBasis basis;
  bool closed;
  guint order;
  KgSplineRule rule;
  guint n;
  const KgVector *points;
  guint n_knots;
  const double *knots;
  const double *weights;       /* n, or NULL */
  const KgVector *tangent_in;  /* n, or NULL: zeros */
  const KgVector *tangent_out; /* n, or NULL: zeros */
  const KgVector *tcb;         /* n, or NULL: zeros */
} CurveControl;

/* The same, owned: what curve_control_read allocates. */
typedef struct {
  CurveControl control;
  KgVector *points, *tangent_in, *tangent_out, *tcb;
  double *weights;
} CurveControlCopy;

/* A chain of n pieces of one degree in Bezier form. */
typedef struct {
  guint n, degree;
  KgVector *points;              /* n * (degree + 1); rational: times the weights */
  double *weights;               /* NULL: polynomial */
  double *knots;                 /* n + 1, the parameter at the joints, strictly increasing; NULL: 0, 1, 2 ... */
  char *warning;                 /* what was substituted, or NULL */
  struct _CurveFormula *formula; /* that all this is made from, see curve_formula.h; NULL: none */
} CurvePieces;

/* Fails when there is no such primitive. */
bool curve_control_read (const KgGeometry *geometry, size_t index, CurveControlCopy *copy, GError **error);
void curve_control_clear (CurveControlCopy *copy);

bool curve_pieces_build (CurvePieces *pieces, const CurveControl *control, GError **error);
void curve_pieces_clear (CurvePieces *pieces);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CurveControlCopy, curve_control_clear)

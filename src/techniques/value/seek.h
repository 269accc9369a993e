/* seek: where a formula is zero, smallest or largest, and which numbers in it fit measured rows best.
 *
 * One unknown: Newton's method kept within a bracket, bisection or Brent's method for roots, and Brent's parabolas and golden
 * sections for minima, in each part of a range.  Several unknowns: Levenberg and Marquardt for roots and fits, Broyden,
 * Fletcher, Goldfarb and Shanno or the simplex of Nelder and Mead for minima, from several starts; these from GSL.  Slopes are
 * those of the formula itself (kg-program.h), not differences.
 * Sources: Brent, Algorithms for Minimization without Derivatives, 1973; Press et al., Numerical Recipes, 9.4 (safe Newton);
 * Nocedal and Wright, Numerical Optimization, 2006.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-program.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum { SEEK_ROOT, SEEK_MINIMUM, SEEK_MAXIMUM, SEEK_FIT, SEEK_N_TASKS } SeekTask;

typedef enum {
  SEEK_AUTO,   /* one unknown: Newton's or Brent's method in the range; several: Levenberg-Marquardt or BFGS */
  SEEK_NEWTON, /* roots of one unknown, as the next two */
  SEEK_BISECTION,
  SEEK_BRENT,       /* also minima of one unknown */
  SEEK_NELDER_MEAD, /* minima, as the next one */
  SEEK_BFGS,
  SEEK_LEVENBERG, /* roots and fits */
  SEEK_N_METHODS
} SeekMethod;

#define SEEK_MAX 4         /* unknowns */
#define SEEK_MAX_INPUTS 16 /* of the formula */
#define SEEK_MAX_STARTS 10000
#define SEEK_MAX_ROWS 10000000

typedef struct {
  SeekTask task;
  SeekMethod method;
  const KgProgram *formula; /* roots: as many results as unknowns, or more; else one result */
  const double *inputs;     /* a number for each input of the formula: used for those that are not sought */
  guint n, unknowns[SEEK_MAX];
  double start[SEEK_MAX];
  double low, high; /* the range of one unknown, and of the starts of several beyond the first */
  guint starts;     /* parts of the range, or starts */
  double tolerance; /* of the unknowns, relative where they are beyond 1 */
  guint iterations; /* at most, for each start */
  /* Fits: for each input of the formula n_rows numbers, or NULL for one that is the same in all rows; what it must give,
   * NULL: zero; and how much each row counts, NULL: the same. */
  size_t n_rows;
  const double *const *columns;
  const double *measured, *weights;
} Seek;

typedef struct {
  double x[SEEK_MAX];
  double value; /* roots: of the formula, of several results the root of the sum of squares; fits: the sum of squares */
  guint steps;
  bool found; /* to the tolerance */
} SeekAnswer;

typedef struct {
  GArray *answers;         /* SeekAnswer, none twice, the best first: roots by their distance from the start */
  GArray *path;            /* SeekAnswer, the steps to the best one */
  double spread[SEEK_MAX]; /* fits: the standard error of each unknown; NAN: not known */
  guint64 evaluations;     /* of the formula, or of all rows of it */
} SeekResult;

/* At least one answer, not necessarily found.  KG_ERROR_INVALID_VALUE (a method that cannot do the task, too few rows),
 * KG_ERROR_DEGENERATE (no change of sign, with what the formula is at both ends; no finite value at a start), and false
 * without an error when cancelled. */
bool seek_solve (const Seek *seek, const KgProgressMonitor *monitor, SeekResult *result, GError **error);
void seek_result_clear (SeekResult *result);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SeekResult, seek_result_clear)

G_END_DECLS

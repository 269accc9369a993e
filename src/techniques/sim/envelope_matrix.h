/* envelope_matrix: symmetric linear systems with few entries, such as those of things that hang in chains and trees.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-value.h"

/* Holds what lies between the first entry of each row and the diagonal. */
typedef struct {
  size_t n;
  size_t *order;  /* the row that an unknown is kept in */
  size_t *first;  /* first column of a row */
  size_t *start;  /* where its values are, less first */
  double *values; /* those of the matrix; once it is factorised, D on the diagonal and L below it */
  double *work;
} EnvelopeMatrix;

/* All 0.  pairs: n_pairs of different unknowns that have an entry in common; they are ordered so that rows get short, which
 * makes the work of a chain grow with its length alone. */
void envelope_matrix_init (EnvelopeMatrix *matrix, size_t n, const uint32_t (*pairs)[2], size_t n_pairs);
void envelope_matrix_clear (EnvelopeMatrix *matrix);
void envelope_matrix_set_zero (EnvelopeMatrix *matrix);
/* Adds to the entry i, j, and to j, i: the diagonal, or one of the pairs. */
void envelope_matrix_add (EnvelopeMatrix *matrix, size_t i, size_t j, double value);
/* False when the matrix is not positive definite, or not beyond rounding; then nothing can be solved. */
bool envelope_matrix_factorize (EnvelopeMatrix *matrix);
/* After that: the unknowns x, which may be the right side itself. */
void envelope_matrix_solve (const EnvelopeMatrix *matrix, const double *right, double *x);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (EnvelopeMatrix, envelope_matrix_clear)

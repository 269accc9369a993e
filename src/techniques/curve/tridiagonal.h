/* tridiagonal: the systems of splines, in which each unknown meets its two neighbours only.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* n unknowns x.  Row i: below[i - 1] x[i - 1] + diagonal[i] x[i] + above[i] x[i + 1] = right[i].  cyclic: the last row goes on
 * with the first (above[n - 1] stands in the last row, below[n - 1] in the first), and n is at least 3; otherwise both have
 * n - 1 numbers.  By GSL: elimination without exchange of rows, as the matrices of splines allow it, and where cyclic the
 * corners by Sherman and Morrison's formula. */
void tridiagonal_solve (bool cyclic, guint n, const double *diagonal, const double *above, const double *below,
                        const double *right, double *x);

G_END_DECLS

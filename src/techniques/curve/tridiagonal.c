/* tridiagonal: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/tridiagonal.h"

#include <gsl/gsl_linalg.h>

void
tridiagonal_solve (bool cyclic, guint n, const double *diagonal, const double *above, const double *below,
                   const double *right, double *x)
{
  const gsl_vector_const_view d = gsl_vector_const_view_array (diagonal, n);
  const gsl_vector_const_view a = gsl_vector_const_view_array (above, cyclic ? n : n - 1);
  const gsl_vector_const_view b = gsl_vector_const_view_array (below, cyclic ? n : n - 1);
  const gsl_vector_const_view r = gsl_vector_const_view_array (right, n);
  gsl_vector_view unknowns = gsl_vector_view_array (x, n);

  if (cyclic)
    gsl_linalg_solve_cyc_tridiag (&d.vector, &a.vector, &b.vector, &r.vector, &unknowns.vector);
  else
    gsl_linalg_solve_tridiag (&d.vector, &a.vector, &b.vector, &r.vector, &unknowns.vector);
}

/* kg-gsl: what all that call GSL need first.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <gsl/gsl_errno.h>

/* Where GSL cannot do what it was asked to, it says so; by default it would also end the program. */
static inline void
kg_gsl_make_quiet (void)
{
  static gsize quiet;

  if (g_once_init_enter (&quiet)) {
    gsl_set_error_handler_off ();
    g_once_init_leave (&quiet, 1);
  }
}

/* formula: a typed formula of one variable as a function.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "motion/pieces.h"

/* The formula, in the notation of expressions, with t from low to high; frame is t as well.  Errors name the column, or
 * the t at which there is no value.  (transfer full) (nullable) */
Pieces *formula_to_pieces (const char *text, double low, double high, GError **error);

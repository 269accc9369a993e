/* kg-finite: finds numbers that are none.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The first of n floats that is NaN, or infinite unless that is allowed; n when there is none.  Parallel. */
size_t kg_find_not_finite (const float *x, size_t n, bool infinite_allowed);

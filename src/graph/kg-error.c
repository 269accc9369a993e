/* kg-error: the error domain.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-types.h"

G_DEFINE_QUARK (kg - error - quark, kg_error)

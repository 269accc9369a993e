/* kg-expression-help: what can be written in expressions, for those who show it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* (transfer none) (nullable) How a function is written, "clamp (x, low, high)", its name first; by name; NULL after the last. */
const char *kg_expression_get_function (guint index);

G_END_DECLS

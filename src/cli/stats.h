/* stats: what each node did, for eval --stats.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kineograph.h"

/* On standard error: a table, or one line of JSON. */
void cli_print_stats (KgEvaluator *evaluator, bool json);

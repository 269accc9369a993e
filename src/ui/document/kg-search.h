/* kg-search: finding node types by what people type.  No widgets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-type.h"

G_BEGIN_DECLS

/* How well type answers the words: 0 not at all.  Every word must be found: at the start of the label, name or full
 * name ("curve/spline"), inside them, as their letters in order (fuzzy), among the search words, in the family, or in the help, in falling order. */
int kg_search_score (const KgNodeType *type, const char *words);

/* Types with a score, best first; ties by label.  With kind other than KG_N_KINDS only those that can be linked to it:
 * with an input that takes it (is_output: the dragged end is an output) or an output that fits.
 * (transfer container) (element-type KgNodeType) */
GPtrArray *kg_search_types (KgTypes *types, const char *words, KgKind kind, bool is_output);

G_END_DECLS

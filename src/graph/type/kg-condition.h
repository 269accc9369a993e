/* kg-condition: when an input is shown: "shape=sine|cubic", "count!=0", or several of those with & between.
 *
 * Node types and presets declare it alike (KgSlot.shown_when).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-value.h"

G_BEGIN_DECLS

typedef struct _KgCondition KgCondition;

/* (transfer full) (nullable) */
KgCondition *kg_condition_new (const char *text, GError **error);
void kg_condition_free (KgCondition *condition);
/* One input each; all must hold. */
guint kg_condition_get_n (const KgCondition *condition);
const char *kg_condition_get_input (const KgCondition *condition, guint index);
/* Whether the input must be none of the values, instead of one of them. */
bool kg_condition_is_negated (const KgCondition *condition, guint index);
/* NULL-terminated: what the input is compared with.  Of lists and kinds that are only linked: "linked" or "unlinked". */
const char *const *kg_condition_get_values (const KgCondition *condition, guint index);
/* Whether this part holds for the value of the input; kinds that cannot be compared always hold. */
bool kg_condition_holds (const KgCondition *condition, guint index, const KgValue *value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgCondition, kg_condition_free)

G_END_DECLS

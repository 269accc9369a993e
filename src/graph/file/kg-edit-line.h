/* kg-edit-line: an edit as the line of a script that makes it (docs/script.md).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-graph-private.h"

/* Appends the line, without its end; not for KG_EDIT_REOPEN and KG_EDIT_OTHER, which no line can say. */
void kg_edit_write_line (const KgEdit *edit, GString *out);

/* number_field: the field of nodes that look for its surface.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"

/* False and *error: the input field has vectors. */
static inline bool
soft_check_numbers (const KgField *field, GError **error)
{
  if (kg_field_get_width (field) == 1)
    return true;
  kg_set_error (error, KG_ERROR_TYPE_MISMATCH,
                "field is a field of vectors: link a field of numbers, such as a soft object");
  return false;
}

/* kept_record: records of doubles that the state of a simulation keeps exactly, each in an attribute of 16 whole numbers,
 * because attributes of floats are too coarse.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

#define KEPT_WORDS 16

/* Refuses a type of records that does not fill the attribute. */
#define IS_KEPT(type) G_STATIC_ASSERT (sizeof (type) == KEPT_WORDS * sizeof (int32_t))

/* The records; NULL: the state has none of that name. */
static inline const void *
get_kept (const KgGeometry *state, KgDomain domain, const char *name)
{
  return kg_geometry_get_int (state, domain, name, KEPT_WORDS);
}

/* The records, made if there are none. */
static inline void *
edit_kept (KgGeometry *state, KgDomain domain, const char *name)
{
  return kg_geometry_edit_int (state, domain, name, KEPT_WORDS);
}

/* kg-gegl-types: the operations of GEGL as node types gegl/NAME, made from what GEGL says of them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-type.h"

G_BEGIN_DECLS

#define KG_GEGL_FAMILY "gegl"

/* Offers them among types: GEGL starts when one of them is named for the first time. */
void kg_gegl_offer (KgTypes *types);
/* (nullable) All of them, NULL-terminated, made once.  Any thread. */
const KgNodeType *const *kg_gegl_load_types (GError **error);

G_END_DECLS

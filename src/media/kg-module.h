/* kg-module: the modules of src/media/encode.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "encode/kg-encode.h"
#include "kg-base.h"

G_BEGIN_DECLS

/* (nullable) Loaded once, when first requested. */
const KgMovieModule *kg_module_get_movie (GError **error);
const KgMeshModule *kg_module_get_mesh (GError **error);

G_END_DECLS

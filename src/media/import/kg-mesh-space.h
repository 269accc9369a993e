/* kg-mesh-space: from the axes and the unit that a file of a mesh declares to ours.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-math.h"
#include "kg-mesh-file.h"

#include <assimp/scene.h>

G_BEGIN_DECLS

KgTransform kg_mesh_read_matrix (const struct aiMatrix4x4 *matrix);
/* Where the root of a scene is in the space that is requested.  What the file declares and cannot be is left out, and
 * said in warnings (of char *, nullable).  *reverses: the file's space is left-handed, so that its faces turn the other
 * way round. */
KgTransform kg_mesh_place_root (const struct aiScene *scene, const char *path, KgMeshSpace space, bool *reverses,
                                GPtrArray *warnings);

G_END_DECLS

/* kg-mesh-file: meshes in and out through Assimp.
 * In: OBJ, PLY, STL, glTF, FBX and what else Assimp reads; out: OBJ, PLY, glTF (.gltf, .glb).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

G_BEGIN_DECLS

/* All meshes of the file, placed by their nodes, as one geometry with P, N, uv, Cd where the file has them, and
 * the primitive attribute "object" (int: number of the mesh).  join: merge points that are equal in every
 * attribute.  Axes and units are those of the file.  A file without any mesh is an error.  (transfer full) (nullable) */
KgGeometry *kg_mesh_load (const char *path, bool join, GError **error);
/* Polygons are written as they are where the format has them, as triangles in glTF.  The old
 * file, and the .bin of a .gltf, survive every failure. */
bool kg_mesh_save (const KgGeometry *geometry, const char *path, GError **error);
/* By suffix. */
bool kg_mesh_path_is_writable (const char *path);
/* True when Assimp reads files of this suffix. */
bool kg_mesh_path_is_readable (const char *path);

G_END_DECLS

/* kg-mesh-file: meshes in (by a reader of its own, see kg-import.h) and out through Assimp.
 * In: OBJ, PLY, STL, glTF, FBX and what else Assimp reads; out: OBJ, PLY, glTF (.gltf, .glb).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* What becomes of the axes and the unit that a file declares. */
typedef enum {
  KG_MESH_SPACE_METRES, /* right-handed, y up, in metres */
  KG_MESH_SPACE_AXES,   /* right-handed, y up; lengths are the numbers of the file */
  KG_MESH_SPACE_FILE,   /* coordinates are the numbers of the file */
  KG_N_MESH_SPACES
} KgMeshSpace;

/* All meshes of the file, placed by their nodes, as one geometry with P, N, uv, Cd where the file has them, and
 * the primitive attribute "object" (int: number of the mesh).  join: merge points that are equal in every
 * attribute.  What the format fixes or Assimp has applied (COLLADA) is so in every space; where a file declares nothing,
 * all three are the same.  folders: (nullable) where files may be that the file names, besides its own folder; it is an error
 * when it names others.  warnings (nullable): takes texts (char *) of what was declared and cannot be.
 * A file without any mesh is an error.  NULL without an error when the monitor (nullable) cancelled.
 * (transfer full) (nullable) */
KgGeometry *kg_mesh_load (const char *path, KgMeshSpace space, bool join, const char *const *folders,
                          const KgProgressMonitor *monitor, GPtrArray *warnings, GError **error);
/* Polygons are written as they are where the format has them, as triangles in glTF.  The old
 * file, and the .bin of a .gltf, survive every failure. */
bool kg_mesh_save (const KgGeometry *geometry, const char *path, GError **error);
/* By suffix. */
bool kg_mesh_path_is_writable (const char *path);
/* By suffix: those of the formats of Assimp that hold meshes. */
bool kg_mesh_path_is_readable (const char *path);

G_END_DECLS

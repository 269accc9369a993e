/* geometry/import: a mesh from a file.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-mesh-file.h"
#include "kg-node.h"
#include "kg-regular-file.h"

typedef struct {
  const char *path;
  bool join;
  double scale;
  KgGeometry *geometry;
} Import;

static bool
import_evaluate (Import *n, const KgContext *ctx, GError **error)
{
  g_autofree char *path = NULL;

  if (n->path[0] == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "path is empty: choose a file (.obj, .ply, .stl, .gltf, .fbx ...)");
    return false;
  }
  path = kg_regular_file_dup_path (ctx->folder, n->path);
  n->geometry = kg_mesh_load (path, n->join, error);
  if (n->geometry == NULL)
    return false;
  if (n->scale != 1) {
    const KgTransform t = kg_transform_from_parts (kg_vector (0, 0, 0), kg_rotation_identity (),
                                                   kg_vector (n->scale, n->scale, n->scale));

    kg_geometry_transform (n->geometry, &t);
  }
  return true;
}

static const KgSlot import_slots[] = {
  KG_INPUT (Import, path, TEXT, .label = N_ ("File"), .fixed = true, .path = true,
            .help = N_ ("A mesh (.obj, .ply, .stl, .gltf, .glb, .fbx), relative to the folder of the graph.")),
  KG_INPUT (Import, join, BOOLEAN, .label = N_ ("Join"), .def = 1,
            .help = N_ ("Merge points that are equal in everything.")),
  KG_INPUT (Import, scale, NUMBER, .label = N_ ("Scale"), .def = 1, .soft_max = 10,
            .help = N_ ("To metres: 0.01 for a file in centimetres.")),
  KG_OUTPUT (Import, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("All meshes of the file, numbered by the primitive attribute object.")),
};

KG_NODE (
    geometry, import, Import, .label = N_ ("Import"), .version = 1, .since = "0.1",
    .tags = N_ ("load read file mesh obj ply stl gltf fbx model open"),
    .help = N_ ("Reads a mesh from a file, with its normals, colours and texture coordinates. Its axes and units stay "
                "what they are: turn a file whose z axis points up by -90 degrees around x with Transform, and say "
                "under Scale how long its unit is."));

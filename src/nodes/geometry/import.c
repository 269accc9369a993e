/* geometry/import: a mesh from a file.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-json.h"
#include "kg-mesh-file.h"
#include "kg-node.h"

typedef struct {
  const char *path;
  bool join;
  int space;
  double scale;
  KgGeometry *geometry;
} Import;

static bool
import_evaluate (Import *n, const KgContext *ctx, GError **error)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_auto (GStrv) folders = NULL;
  g_autofree char *path = NULL;

  if (n->path[0] == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "path is empty: choose a file (.obj, .ply, .stl, .gltf, .fbx ...)");
    return false;
  }
  path = kg_context_dup_path (ctx, n->path, error);
  if (path == NULL)
    return false;
  folders = kg_context_dup_permitted (ctx);
  n->geometry =
      kg_mesh_load (path, (KgMeshSpace) n->space, n->join, (const char *const *) folders, &monitor, warnings, error);
  for (guint i = 0; i < warnings->len; i++)
    kg_context_warn (ctx, "%s", (const char *) warnings->pdata[i]);
  if (n->geometry == NULL)
    return false;
  if (n->scale != 1) {
    const KgTransform t = kg_transform_from_parts (kg_vector (0, 0, 0), kg_rotation_identity (),
                                                   kg_vector (n->scale, n->scale, n->scale));

    kg_geometry_transform (n->geometry, &t);
  }
  return true;
}

/* Version 1 left what files declare of axes and units to the artist, who has turned and scaled by hand. */
static bool
import_migrate (KgJson *inputs, guint version, GError **error)
{
  (void) version;
  (void) error;
  kg_json_set (inputs, "space", kg_json_new_string ("file"));
  return true;
}

static const KgChoice spaces[] = {
  [KG_MESH_SPACE_METRES] = { "metres", N_ ("Y up, in metres") },
  [KG_MESH_SPACE_AXES] = { "axes", N_ ("Y up, units of the file") },
  [KG_MESH_SPACE_FILE] = { "file", N_ ("As in the file") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spaces, KG_N_MESH_SPACES);

static const KgSlot import_slots[] = {
  KG_INPUT (Import, path, TEXT, .label = N_ ("File"), .fixed = true, .path = true,
            .help = N_ ("A mesh (.obj, .ply, .stl, .gltf, .glb, .fbx), relative to the folder of the graph.")),
  KG_INPUT (
      Import, join, BOOLEAN, .label = N_ ("Merge points"), .def = 1,
      .help = N_ (
          "Merges points that are equal in all attributes. With or without this, points are numbered in the order in which the faces first use them, not as in the file, and points without a face are left out.")),
  KG_INPUT (
      Import, space, CHOICE, .label = N_ ("Axes and units"), .choices = spaces,
      .help = N_ (
          "How the axes and the unit declared by an FBX file are converted: rotated to Y up and scaled to metres, only rotated, or kept as in the file.")),
  KG_INPUT (Import, scale, NUMBER, .label = N_ ("Scale"), .def = 1, .soft_max = 10,
            .help = N_ ("Multiplies all lengths: use 0.01 for a file in centimetres that does not declare its unit.")),
  KG_OUTPUT (Import, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("All meshes of the file, numbered in the primitive attribute object.")),
};

KG_NODE (
    geometry, import, Import, .label = N_ ("Import"), .version = 2, .since = "0.1", .migrate = import_migrate,
    .role = KG_ROLE_FILE_INPUT, .reads = ".obj .ply .stl .gltf .glb .fbx",
    .tags = N_ ("load read file mesh obj ply stl gltf fbx model open axes up unit scale metres centimetres"),
    .help = N_ (
        "Reads a mesh from a file, with its normals, colours and texture coordinates. FBX, glTF and COLLADA are imported with Y up and in metres. OBJ, PLY and STL declare neither: if z is up in the file, rotate it by -90 degrees around x with Transform, and set Scale to the size of its unit in metres."));

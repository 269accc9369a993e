/* fuzz-mesh: any bytes may be read as a mesh.  What is read is finite.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-as-file.h"
#include "kg-mesh-file.h"
#include "kineograph.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const suffixes[] = { ".obj", ".stl", ".gltf", ".glb", ".off", ".dae", ".3ds", ".fbx", ".bvh" };
  g_autofree char *path = size > 0 ? write_file (data, size, suffixes, G_N_ELEMENTS (suffixes)) : NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (KgGeometry) geometry = NULL;

  if (path == NULL)
    return 0;
  geometry = kg_mesh_load (path, KG_MESH_SPACE_METRES, data[0] >= 128, NULL, &error);
  g_unlink (path);
  g_assert_true ((geometry == NULL) == (error != NULL));
  g_assert_true (geometry == NULL || kg_geometry_check_finite (geometry, NULL));
  return 0;
}

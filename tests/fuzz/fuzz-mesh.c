/* fuzz-mesh: any bytes may be read as a mesh.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-import.h"

int import_main (int argc, char **argv);
#define main import_main
#include "../../src/media/import/import-mesh.c"
#undef main

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const suffixes[] = { ".obj", ".stl", ".gltf", ".glb", ".off", ".dae",
                                          ".3ds", ".fbx", ".bvh",  ".ply", ".x",   ".ac" };
  g_autofree char *path = size > 0 ? write_file (data, size, suffixes, G_N_ELEMENTS (suffixes)) : NULL;
  KgImportServer server = { .path = path };
  const KgImportRequest request = { .operation = KG_IMPORT_READ,
                                    .space = KG_MESH_SPACE_METRES,
                                    .join = size > 0 && data[0] >= 128 };
  g_autofree KgImportReply *reply = g_new0 (KgImportReply, 1);
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    return 0;
  if (setjmp (server.gave_up) == 0)
    g_assert_true (answer (&server, &request, reply, &error) == (error == NULL));
  drop_memory (&server);
  g_unlink (path);
  return 0;
}

/* tests/nodes/roles: node types that are found by what they are for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-type.h"

static void
test_roles (void)
{
  /* The slots that kg-node.h promises of the role. */
  static const struct {
    KgRole role;
    const char *id, *slots[5];
  } wanted[] = {
    { KG_ROLE_ANNOTATION, "graph/note", { NULL } },
    { KG_ROLE_REROUTE, "graph/reroute", { NULL } },
    { KG_ROLE_CAMERA, "render/camera", { "position", "target", "scene" } },
    { KG_ROLE_FREEHAND, "curve/spline", { "points", "basis", "closed" } },
    { KG_ROLE_FILE_OUTPUT, "render/file", { "image", "path", "first", "last", "sound" } },
    { KG_ROLE_SKELETON_DRAWING, "rig/skeleton_geometry", { "skeleton", "style", "geometry" } },
    { KG_ROLE_SCENE_OBJECT, "render/object", { "geometry", "shading", "scene" } },
    { KG_ROLE_RENDERING, "render/scene", { "scenes", "width", "height", "image" } },
  };
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);

  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++) {
    const KgNodeType *type = kg_types_find_role (types, wanted[i].role);

    g_assert_cmpstr (type->id, ==, wanted[i].id);
    for (guint k = 0; k < G_N_ELEMENTS (wanted[i].slots) && wanted[i].slots[k] != NULL; k++)
      g_assert_cmpint (kg_type_find_slot (type, wanted[i].slots[k]), >=, 0);
  }
}

static void
test_readers (void)
{
  static const struct {
    const char *path, *mime, *id;
  } files[] = {
    { "/a/chair.OBJ", NULL, "geometry/import" },
    { "/a/chair.glb", "model/gltf-binary", "geometry/import" },
    { "/a/chair.stl", "image/x-stl", "geometry/import" }, /* the end of the name goes first */
    { "/a/sky.exr", NULL, "image/import" },
    { "/a/sky.png", "image/png", "image/import" },
    { "/a/walk.gif", "image/gif", "image/movie" }, /* a type goes before a pattern that it fits */
    { "/a/walk.mp4", "video/mp4", "image/movie" },
    { "/a/walk.mp4", NULL, NULL },
    { "/a/words.txt", "text/plain", NULL },
  };
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    const KgNodeType *type = kg_types_find_reader (types, files[i].path, files[i].mime);

    g_assert_cmpstr (type != NULL ? type->id : NULL, ==, files[i].id);
    g_assert_true (type == NULL || kg_type_find_slot (type, "path") >= 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/roles/roles", test_roles);
  g_test_add_func ("/roles/readers", test_readers);
  return g_test_run ();
}
